/* The linear structure at one frequency: Z_h = K - (h omega)^2 M + i h omega C, and, where few directions carry all
 * nonlinear forces, its Schur complement onto them,
 *
 *     S = Z_bb - Z_bi Z_ii^-1 Z_ib,    f = F_b - Z_bi Z_ii^-1 F_i,
 *
 * with derivatives in omega, and in a parameter that moves the matrices along straight lines: S' = Z_bb' - Z_bi' X - Y
 * Z_ib' + Y Z_ii' X, X = Z_ii^-1 Z_ib, Y = Z_bi Z_ii^-1. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/complex_lu.h"
#include "math/dense.h"
#include "math/kernel.h"

static bool is_kept(const am_balance *b, size_t h) {
    return !b->odd || h % 2 == 1;
}

static void add_multiple(size_t n, double f, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++)
        y[i] += f * x[i];
}

/* Q^T A Q */
static void rotate_matrix(const am_balance *b, const double *a, double *work, double *out) {
    size_t n = b->n;
    memset(work, 0, n * n * sizeof *work);
    memset(out, 0, n * n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (a[i * n + k] != 0.0)
                add_multiple(n, a[i * n + k], b->Q + k * n, work + i * n);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            if (b->Q[k * n + i] != 0.0)
                add_multiple(n, b->Q[k * n + i], work + k * n, out + i * n);
}

/* Are the condensed coordinates coupled by nothing but rounding? What is dropped then moves the motion by no more than
 * this share, as resonances are as sharp as the diagonal says. */
static bool is_diagonal(const am_balance *b, const double *a) {
    const double negligible = 1e-11;
    size_t n = b->n;
    for (size_t i = b->r; i < n; i++)
        for (size_t j = b->r; j < n; j++)
            if (i != j && !(fabs(a[i * n + j]) <= negligible * sqrt(fabs(a[i * n + i] * a[j * n + j]))))
                return false;
    return true;
}

/* M, C and K, one behind the other. */
static void rotate_three(const am_balance *b, const double *three, double *out) {
    size_t square = b->n * b->n;
    for (size_t i = 0; i < 3; i++)
        rotate_matrix(b, three + i * square, (double *)b->inner, out + i * square); /* n^2 complex: large enough */
}

static bool three_symmetric(const double *three, size_t n) {
    return am_dense_is_symmetric(three, n) && am_dense_is_symmetric(three + n * n, n) &&
           am_dense_is_symmetric(three + 2 * n * n, n);
}

static void rotate_matrices(am_balance *b) {
    const double *three = (b->matrix_slope ? b->dependence.base : b->numbers) + b->at_M;
    rotate_three(b, three, b->matrix_slope ? b->rotated_base : b->rotated);
    b->symmetric = three_symmetric(three, b->n);
    if (b->matrix_slope) {
        rotate_three(b, b->matrix_slope, b->rotated_slope);
        b->symmetric = b->symmetric && three_symmetric(b->matrix_slope, b->n);
    }
    b->stale_matrices = false;
    b->rotated_at = NAN;
    am_balance_drop_chart(b);
}

/* The rotated matrices at the present p; along a straight line they need no rotation. */
static void move_matrices(am_balance *b) {
    size_t square = b->n * b->n;
    for (size_t i = 0; b->matrix_slope && i < 3 * square; i++)
        b->rotated[i] = b->rotated_base[i] + (b->p - b->dependence.from) * b->rotated_slope[i];
    b->diagonal = b->modal && is_diagonal(b, b->rotated) && is_diagonal(b, b->rotated + square) &&
                  is_diagonal(b, b->rotated + 2 * square);
    b->rotated_at = b->p;
}

static void rotate_loads(am_balance *b) {
    size_t n = b->n, S = b->S;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < S; k++) {
            double sum = 0.0;
            for (size_t j = 0; j < n; j++)
                sum += b->Q[j * n + i] * b->numbers[b->at_F + j * S + k];
            b->rotated_load[i * S + k] = sum;
        }
    b->stale_loads = false;
}

void am_balance_rotate(am_balance *b) {
    if (b->condensed && b->stale_matrices)
        rotate_matrices(b);
    if (b->condensed && (b->matrix_slope ? b->rotated_at != b->p : isnan(b->rotated_at)))
        move_matrices(b);
    if (b->condensed && b->stale_loads)
        rotate_loads(b);
}

typedef struct dynamic { /* m M + i c C + k K: Z_h, or a derivative of it */
    const double *M, *C, *K;
    size_t n;
    double m, c, k;
} dynamic;

static dynamic dynamic_at(const am_balance *b, size_t h, double omega) {
    size_t square = b->n * b->n;
    const double *M = b->condensed ? b->rotated : b->numbers + b->at_M;
    double w = (double)h * omega;
    return (dynamic){M, M + square, M + 2 * square, b->n, -w * w, w, 1.0};
}

/* The derivative of Z_h with respect to omega. */
static dynamic omega_slope(const dynamic *d, size_t h, double omega) {
    dynamic slope = *d;
    slope.m = -2.0 * (double)h * (double)h * omega;
    slope.c = (double)h;
    slope.k = 0.0;
    return slope;
}

/* The derivative of Z_h with respect to the parameter. */
static dynamic parameter_slope(const am_balance *b, const dynamic *d) {
    size_t square = b->n * b->n;
    const double *M = b->condensed ? b->rotated_slope : b->matrix_slope;
    return (dynamic){M, M + square, M + 2 * square, b->n, d->m, d->c, d->k};
}

static double complex entry(const dynamic *d, size_t i, size_t j) {
    size_t at = i * d->n + j;
    return d->m * d->M[at] + d->k * d->K[at] + I * d->c * d->C[at];
}

static double complex harmonic_of(const double *signals, size_t S, size_t i, size_t h) {
    const double *signal = signals + i * S;
    return h == 0 ? signal[0] : signal[2 * h - 1] - I * signal[2 * h];
}

static double complex load_at(const am_balance *b, size_t i, size_t h) {
    double complex load = harmonic_of(b->condensed ? b->rotated_load : b->numbers + b->at_F, b->S, i, h);
    return b->steered ? load + harmonic_of(b->steered, b->S, i, h) : load;
}

static am_status singular(size_t h, double omega, am_error *err) {
    return am_fail(err, AM_ERR_LIMIT,
                   "the part of the structure without contacts resonates without damping at %zu times the frequency "
                   "%.15g",
                   h, omega);
}

/* Factors of Z_ii (column-major), or the inverse of its diagonal. */
static bool factor_inner(am_balance *b, const dynamic *d) {
    size_t r = b->r, ni = b->n - r;
    if (!b->diagonal) {
        for (size_t j = 0; j < ni; j++)
            for (size_t i = 0; i < ni; i++)
                b->inner[j * ni + i] = entry(d, r + i, r + j);
        return am_complex_lu_factor(b->inner, ni, b->pivots);
    }
    for (size_t i = 0; i < ni; i++) {
        double complex z = entry(d, r + i, r + i);
        if (!(cabs(z) > 0.0) || !isfinite(cabs(z)))
            return false;
        b->inner[i] = 1.0 / z;
    }
    return true;
}

static void solve_inner(const am_balance *b, bool transposed, size_t count, double complex *x) {
    size_t ni = b->n - b->r;
    if (!b->diagonal) {
        am_complex_lu_solve(b->inner, ni, b->pivots, transposed, count, x);
        return;
    }
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < ni; i++)
            x[j * ni + i] *= b->inner[i];
}

/* X = Z_ii^-1 Z_ib (ni x r), y = Z_ii^-1 F_i behind it. */
static am_status eliminate(am_balance *b, const dynamic *d, size_t h, double omega, am_error *err) {
    size_t r = b->r, ni = b->n - r;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < ni; i++)
            b->coupling[j * ni + i] = entry(d, r + i, j);
    for (size_t i = 0; i < ni; i++)
        b->coupling[r * ni + i] = h <= b->H ? load_at(b, r + i, h) : 0.0;
    if (!factor_inner(b, d))
        return singular(h, omega, err);
    solve_inner(b, false, r + 1, b->coupling);
    return AM_OK;
}

/* ---- condensation ----
 *
 * Real and imaginary parts apart: sums of products are then plain ones. */
typedef struct split {
    double *re, *im;
} split;

static split take_split(double **next, size_t count) {
    split taken = {*next, *next + count};
    *next += 2 * count;
    return taken;
}

static split row_of(split a, size_t row, size_t length) {
    return (split){a.re + row * length, a.im + row * length};
}

static void part(const double complex *z, size_t count, split out) {
    for (size_t i = 0; i < count; i++) {
        out.re[i] = creal(z[i]);
        out.im[i] = cimag(z[i]);
    }
}

static double complex dot(split a, split b, size_t n) {
    double re = am_dense_dot(a.re, b.re, n) - am_dense_dot(a.im, b.im, n);
    double im = am_dense_dot(a.re, b.im, n) + am_dense_dot(a.im, b.re, n);
    return re + I * im;
}

typedef struct condensation {
    size_t r, ni;
    split X; /* r + 1 rows of ni: columns of Z_ii^-1 Z_ib, and y = Z_ii^-1 F_i */
    split Y; /* r rows of Z_bi Z_ii^-1 */
    split D; /* r rows: columns of Z_ib' */
    split row;
} condensation;

enum { SPLIT_ROWS = 6, SPLIT_MORE = 4, SPLIT_WHOLE = 5 }; /* am_balance_split_size */

size_t am_balance_split_size(size_t n, size_t r) {
    return (SPLIT_ROWS * r + SPLIT_MORE) * (n - r) + SPLIT_WHOLE * n;
}

static condensation plan(const am_balance *b) {
    double *next = b->split;
    size_t r = b->r, ni = b->n - r;
    condensation c = {.r = r, .ni = ni};
    c.X = take_split(&next, (r + 1) * ni);
    c.Y = take_split(&next, r * ni);
    c.D = take_split(&next, r * ni);
    c.row = take_split(&next, ni);
    return c;
}

static void condense_values(am_balance *b, const dynamic *d, size_t h, const condensation *c) {
    size_t r = c->r, ni = c->ni;
    double complex *Z = b->Z + h * r * r, *load = b->load + h * r;
    part(b->coupling, (r + 1) * ni, c->X);
    for (size_t i = 0; i < r; i++) {
        for (size_t k = 0; k < ni; k++) {
            double complex z = entry(d, i, r + k);
            c->row.re[k] = creal(z);
            c->row.im[k] = cimag(z);
        }
        for (size_t j = 0; j < r; j++)
            Z[i * r + j] = entry(d, i, j) - dot(c->row, row_of(c->X, j, ni), ni);
        load[i] = load_at(b, i, h) - dot(c->row, row_of(c->X, r, ni), ni);
    }
}

/* Y^T = Z_ii^-T Z_bi^T; symmetric matrices have it already. */
static void eliminate_left(am_balance *b, const dynamic *d, condensation *c) {
    size_t r = c->r, ni = c->ni;
    if (b->symmetric) {
        c->Y = c->X;
        return;
    }
    double complex *Y = b->coupling;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < ni; i++)
            Y[j * ni + i] = entry(d, j, r + i);
    solve_inner(b, true, r, Y);
    part(Y, r * ni, c->Y);
}

/* Row i of G = Z_bi' - Y Z_ii'. */
static void left_rates(const am_balance *b, const dynamic *slope, const condensation *c, size_t i) {
    size_t r = c->r, ni = c->ni;
    double *restrict re = c->row.re, *restrict im = c->row.im;
    for (size_t k = 0; k < ni; k++) {
        double complex z = entry(slope, i, r + k);
        re[k] = creal(z);
        im[k] = cimag(z);
    }
    for (size_t l = 0; l < ni; l++) {
        size_t row = (r + l) * slope->n + r;
        const double *restrict M = slope->M + row, *restrict C = slope->C + row, *restrict K = slope->K + row;
        double yr = c->Y.re[i * ni + l], yi = c->Y.im[i * ni + l];
        double mr = -slope->m * yr, mi = -slope->m * yi, cr = slope->c * yr, ci = slope->c * yi;
        size_t from = b->diagonal ? l : 0, to = b->diagonal ? l + 1 : ni;
        for (size_t k = from; k < to; k++) {
            re[k] += mr * M[k] + ci * C[k];
            im[k] += mi * M[k] - cr * C[k];
        }
        for (size_t k = from; k < to && slope->k != 0.0; k++) {
            re[k] -= slope->k * yr * K[k];
            im[k] -= slope->k * yi * K[k];
        }
    }
}

/* dZ (r x r) and dload (r) of one harmonic; Y is there. */
static void condense_slope(const am_balance *b, const dynamic *slope, const condensation *c, double complex *dZ,
                           double complex *dload) {
    size_t r = c->r, ni = c->ni;
    for (size_t k = 0; k < ni; k++)
        for (size_t j = 0; j < r; j++) {
            double complex z = entry(slope, r + k, j);
            c->D.re[j * ni + k] = creal(z);
            c->D.im[j * ni + k] = cimag(z);
        }
    for (size_t i = 0; i < r; i++) {
        split Y = row_of(c->Y, i, ni);
        left_rates(b, slope, c, i);
        for (size_t j = 0; j < r; j++)
            dZ[i * r + j] = entry(slope, i, j) - dot(c->row, row_of(c->X, j, ni), ni) - dot(Y, row_of(c->D, j, ni), ni);
        dload[i] = -dot(c->row, row_of(c->X, r, ni), ni);
    }
}

static void condense_rates(am_balance *b, const dynamic *d, size_t h, double omega, condensation *c) {
    size_t r = c->r;
    dynamic slope = omega_slope(d, h, omega);
    eliminate_left(b, d, c);
    condense_slope(b, &slope, c, b->dZ + h * r * r, b->dload + h * r);
    if (!b->matrix_slope)
        return;
    slope = parameter_slope(b, d);
    condense_slope(b, &slope, c, b->Zp + h * r * r, b->loadp + h * r);
}

/* ---- from the table ---- */

/* out += the block of rows and columns from `row` and `column` on, times x. */
typedef struct block {
    size_t row, rows, column, columns;
} block;

static void add_scaled(const dynamic *d, const double *A, const block *at, double factor, const double *x,
                       double *scaled, double *out) {
    if (factor == 0.0)
        return;
    for (size_t k = 0; k < at->columns; k++)
        scaled[k] = factor * x[k];
    am_kernel_apply(at->rows, at->columns, A + at->row * d->n + at->column, d->n, scaled, out);
}

static void add_times(const dynamic *d, const block *at, split x, double *scaled, split out) {
    add_scaled(d, d->M, at, d->m, x.re, scaled, out.re);
    add_scaled(d, d->M, at, d->m, x.im, scaled, out.im);
    add_scaled(d, d->K, at, d->k, x.re, scaled, out.re);
    add_scaled(d, d->K, at, d->k, x.im, scaled, out.im);
    add_scaled(d, d->C, at, -d->c, x.im, scaled, out.re);
    add_scaled(d, d->C, at, d->c, x.re, scaled, out.im);
}

/* f = F_b - sum z_k F_k / Z_k, and its derivative. */
static am_status condense_load(am_balance *b, const dynamic *d, size_t h, double omega, bool rates, am_error *err) {
    size_t r = b->r, ni = b->n - r;
    double complex *load = b->load + h * r, *dload = b->dload + h * r;
    const block beside = {.rows = r, .column = r, .columns = ni};
    dynamic slope = omega_slope(d, h, omega);
    double *next = b->split;
    split y = take_split(&next, ni), dy = take_split(&next, ni), sum = take_split(&next, r),
          change = take_split(&next, r);
    bool any = false;
    for (size_t k = 0; k < ni; k++) {
        double complex F = load_at(b, r + k, h), Z = entry(d, r + k, r + k), own = 0.0, by_omega = 0.0;
        if (F != 0.0) {
            if (!(cabs(Z) > 0.0) || !isfinite(cabs(Z)))
                return singular(h, omega, err);
            own = F / Z;
            by_omega = -entry(&slope, r + k, r + k) * own / Z;
            any = true;
        }
        y.re[k] = creal(own);
        y.im[k] = cimag(own);
        dy.re[k] = creal(by_omega);
        dy.im[k] = cimag(by_omega);
    }
    memset(sum.re, 0, 4 * r * sizeof *sum.re);
    if (any)
        add_times(d, &beside, y, next, sum);
    if (any && rates) {
        add_times(&slope, &beside, y, next, change);
        add_times(d, &beside, dy, next, change);
    }
    for (size_t i = 0; i < r; i++) {
        load[i] = load_at(b, i, h) - (sum.re[i] + I * sum.im[i]);
        dload[i] = -(change.re[i] + I * change.im[i]);
    }
    return AM_OK;
}

static am_status read_condensed(am_balance *b, const dynamic *d, size_t h, double omega, bool rates, am_error *err) {
    size_t square = b->r * b->r;
    double complex *Z = b->Z + h * square, *dZ = b->dZ + h * square;
    if (!am_balance_read_chart(b, (double)h * omega, Z, rates ? dZ : NULL))
        return singular(h, omega, err);
    for (size_t i = 0; rates && i < square; i++)
        dZ[i] *= (double)h;
    return condense_load(b, d, h, omega, rates, err);
}

static am_status condense(am_balance *b, const dynamic *d, size_t h, double omega, bool rates, am_error *err) {
    condensation c = plan(b);
    AM_TRY(eliminate(b, d, h, omega, err));
    condense_values(b, d, h, &c);
    if (rates)
        condense_rates(b, d, h, omega, &c);
    return AM_OK;
}

static void copy_entries(const dynamic *d, double complex *Z) {
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < d->n; j++)
            Z[i * d->n + j] = entry(d, i, j);
}

static void copy_whole(am_balance *b, const dynamic *d, size_t h, double omega) {
    size_t r = b->r;
    dynamic slope = omega_slope(d, h, omega);
    copy_entries(d, b->Z + h * r * r);
    copy_entries(&slope, b->dZ + h * r * r);
    if (b->matrix_slope) {
        slope = parameter_slope(b, d);
        copy_entries(&slope, b->Zp + h * r * r);
    }
    for (size_t i = 0; i < r; i++) {
        b->load[h * r + i] = load_at(b, i, h);
        b->dload[h * r + i] = 0.0;
    }
}

am_status am_balance_linear(am_balance *b, double omega, bool rates, am_error *err) {
    if (b->linear_ready && omega == b->omega && (b->rates_ready || !rates))
        return AM_OK;
    b->linear_ready = false;
    am_balance_rotate(b);
    bool chart = false;
    am_status status = b->condensed ? am_balance_need_chart(b, (double)b->H * omega, &chart, err) : AM_OK;
    for (size_t h = 0; h <= b->H && !status; h++) {
        if (!is_kept(b, h))
            continue;
        dynamic d = dynamic_at(b, h, omega);
        if (chart)
            status = read_condensed(b, &d, h, omega, rates, err);
        else if (b->condensed)
            status = condense(b, &d, h, omega, rates, err);
        else
            copy_whole(b, &d, h, omega);
    }
    b->omega = omega;
    b->charted = chart;
    b->linear_ready = !status;
    b->rates_ready = rates || !b->condensed;
    return status;
}

/* F -= load, a - i b; and the same of the derivatives. */
static void subtract_loads(const am_balance *b, size_t h, size_t at, double *F, double *rate) {
    for (size_t i = 0; i < b->r; i++) {
        double complex load = b->load[h * b->r + i], change = b->dload[h * b->r + i];
        size_t row = i * b->kept + at;
        F[row] -= creal(load);
        if (h > 0)
            F[row + 1] += cimag(load);
        if (rate)
            rate[row] -= creal(change);
        if (rate && h > 0)
            rate[row + 1] += cimag(change);
    }
}

am_status am_balance_multiply(am_balance *b, double omega, const double *x, double *F, double *rate, bool *done,
                              am_error *err) {
    bool chart = false;
    *done = false;
    if (!b->condensed || !b->jacobian)
        return AM_OK;
    am_balance_rotate(b);
    AM_TRY(am_balance_need_chart(b, (double)b->H * omega, &chart, err));
    if (!chart || !am_balance_chart_multiplies(b))
        return AM_OK;
    b->linear_ready = false; /* loads are those of this frequency, Z may be that of another */
    if (!am_balance_add_charted(b, omega, x, F, rate))
        return singular(1, omega, err);
    for (size_t at = 0; at < b->kept; at += b->coefficient[at] == 0 ? 1 : 2) {
        size_t h = (b->coefficient[at] + 1) / 2;
        dynamic d = dynamic_at(b, h, omega);
        AM_TRY(condense_load(b, &d, h, omega, rate != NULL, err));
        subtract_loads(b, h, at, F, rate);
    }
    *done = true;
    return AM_OK;
}

am_status am_balance_condense_load(am_balance *b, size_t h, double omega, const double *loads, double complex *f,
                                   am_error *err) {
    size_t r = b->r, ni = b->n - r;
    double complex *inside = f + r;
    for (size_t i = 0; i < b->n; i++)
        f[i] = harmonic_of(loads, b->S, i, h);
    if (ni == 0)
        return AM_OK;
    dynamic d = dynamic_at(b, h, omega);
    if (!factor_inner(b, &d))
        return singular(h, omega, err);
    solve_inner(b, false, 1, inside);
    for (size_t i = 0; i < r; i++)
        for (size_t k = 0; k < ni; k++)
            f[i] -= entry(&d, i, r + k) * inside[k];
    return AM_OK;
}

am_status am_balance_recover(am_balance *b, size_t h, double omega, const double complex *u, double complex *q,
                             am_error *err) {
    size_t n = b->n, r = b->r, ni = n - r;
    if (!b->condensed) {
        memcpy(q, u, n * sizeof *q);
        return AM_OK;
    }
    am_balance_rotate(b);
    b->linear_ready = false; /* who asks may have put u where the load was */
    dynamic d = dynamic_at(b, h, omega);
    double complex *inside = b->coupling; /* q_i = Z_ii^-1 (F_i - Z_ib u) */
    const block below = {.row = r, .rows = ni, .columns = r};
    double *next = b->split;
    split x = take_split(&next, n), y = take_split(&next, n);
    part(u, r, x);
    memset(y.re, 0, 2 * n * sizeof *y.re);
    add_times(&d, &below, x, next, y);
    for (size_t k = 0; k < ni; k++)
        inside[k] = (h <= b->H ? load_at(b, r + k, h) : 0.0) - (y.re[k] + I * y.im[k]);
    if (!factor_inner(b, &d))
        return singular(h, omega, err);
    solve_inner(b, false, 1, inside);
    part(inside, ni, row_of(x, 1, r));
    memset(y.re, 0, 2 * n * sizeof *y.re);
    am_kernel_apply(n, n, b->Q, n, x.re, y.re);
    am_kernel_apply(n, n, b->Q, n, x.im, y.im);
    for (size_t i = 0; i < n; i++)
        q[i] = y.re[i] + I * y.im[i];
    return AM_OK;
}

am_status am_balance_answer(am_balance *b, size_t h, double omega, double complex *force, am_error *err) {
    size_t r = b->r;
    AM_TRY(am_balance_linear(b, omega, false, err));
    const double complex *Z = b->Z + h * r * r;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < r; i++)
            b->inner[j * r + i] = Z[i * r + j];
    if (!am_complex_lu_factor(b->inner, r, b->pivots))
        return singular(h, omega, err);
    am_complex_lu_solve(b->inner, r, b->pivots, false, 1, force);
    return AM_OK;
}

/* ---- modal amplitude ---- */

/* v = A q, both n */
static void apply(const dynamic *d, const double complex *q, double complex *v) {
    for (size_t i = 0; i < d->n; i++) {
        v[i] = 0.0;
        for (size_t j = 0; j < d->n; j++)
            v[i] += entry(d, i, j) * q[j];
    }
}

/* How the square q^H M q changes with what moves Z by `slope`: the condensed coordinates move by -Z_ii^-1 (Z' q)_i. */
static double square_slope(am_balance *b, const dynamic *slope, const double complex *q, const double complex *m,
                           double complex *v) {
    double sum = 0.0;
    apply(slope, q, v);
    solve_inner(b, false, 1, v + b->r);
    for (size_t k = b->r; k < b->n; k++)
        sum -= 2.0 * creal(conj(m[k]) * v[k]);
    return sum;
}

am_status am_balance_modal(am_balance *b, const double *x, double p, double *square, double *slope, double *by_p,
                           am_error *err) {
    size_t n = b->n, r = b->r, ni = n - r, at = b->coefficient[0] == 0;
    double omega = am_balance_omega(b, x, p);
    AM_TRY(am_balance_set(b, p, err));
    am_balance_rotate(b);
    dynamic d = dynamic_at(b, 1, omega), mass = {d.M, d.C, d.K, n, 1.0, 0.0, 0.0};
    double complex *X = b->coupling, *q = X + (r + 1) * n, *m = q + n, *v = m + n;
    if (b->condensed)
        AM_TRY(eliminate(b, &d, 1, omega, err));
    for (size_t j = 0; j < r; j++)
        q[j] = x[j * b->kept + at] - I * x[j * b->kept + at + 1];
    for (size_t k = 0; k < ni; k++) {
        q[r + k] = 0.0;
        for (size_t j = 0; j < r; j++)
            q[r + k] -= X[j * ni + k] * q[j];
    }
    apply(&mass, q, m);
    *square = *by_p = 0.0;
    memset(slope, 0, b->size * sizeof *slope);
    for (size_t i = 0; i < n; i++)
        *square += creal(conj(q[i]) * m[i]);
    for (size_t j = 0; j < r; j++) { /* q = (u, -X u) with u = a - i b */
        double complex c = conj(m[j]);
        for (size_t k = 0; k < ni; k++)
            c -= conj(m[r + k]) * X[j * ni + k];
        slope[j * b->kept + at] = 2.0 * creal(c);
        slope[j * b->kept + at + 1] = 2.0 * cimag(c);
    }
    if (!b->condensed)
        return AM_OK;
    dynamic by_omega = omega_slope(&d, 1, omega), by_parameter = by_omega;
    if (b->free_omega)
        slope[b->size - 1] = square_slope(b, &by_omega, q, m, v);
    if (b->matrix_slope) {
        by_parameter = parameter_slope(b, &d);
        *by_p = square_slope(b, &by_parameter, q, m, v);
    }
    return AM_OK;
}
