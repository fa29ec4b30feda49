/* The condensed stiffness at any frequency, from a table made once.
 *
 *     S(w) = Z_bb(w) - sum over modes k of z_k(w) z_k(w)^T / Z_k(w)
 *
 * is a rational function of w whose poles are the modes of the condensed coordinates (modal_coordinates.c). Modes in or
 * near the range of w are added one by one. What is left is analytic well beyond the range; S(-w) is the conjugate of
 * S(w), so that with s = w^2
 *
 *     Re S = sum a_k T_k(2 s/s_top - 1),    Im S = w sum b_k T_k(2 s/s_top - 1),
 *
 * Chebyshev's polynomials through Chebyshev's points. A mode has its poles at |s| >= min(k/m, (k/c)^2), with m, c, k its
 * mass, damping and stiffness (|w|^2 = k/m where it oscillates, |w| >= k/c where it creeps), so that the error of N terms
 * falls as rho^-N, rho = x + sqrt(x^2 - 1), x = 2 |s|/s_top - 1: N is known before anything is computed. A frequency then costs r^2 (terms + near modes) operations, however many coordinates are condensed: those that make up a
 * beam between its contacts have all their modes far above. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/kernel.h"
#include "math/pi.h"

enum { MOST_TERMS = 16, CHUNK = 256 };
static const size_t most_numbers = (size_t)1 << 25; /* of a table: 256 MB */

/* A mode is far whose poles have |s| above so many s_top: rho is 13.9 then, and 16 terms leave 1e-17. */
static const double far = 4.0;

struct am_balance_chart {
    am_arena memory;
    size_t r, ni, terms, nears;
    double top;          /* w up to which it holds */
    double *re, *im;     /* terms x r^2 each: a_k, b_k */
    size_t *near;        /* ni: the first `nears` are modes added one by one, the others far ones */
    double *value[2];    /* r^2: real and imaginary parts of what is summed up... */
    double *slope[2];    /* ...of its derivative... */
    double *z[2], *y[2]; /* r x ni, ni x r: z_k, and z_k / Z_k of some modes... */
    double *change[2];   /* r x ni: ...and z_k' - Z_k'/2 z_k / Z_k */
    double *opposite;    /* ni x r: -Im y */
    /* products with motions, made when first needed */
    double *beside[3]; /* r x nears: of K, M, C, between what is left and the near modes */
    double *scaled;    /* (r + ni) x columns: what is multiplied... */
    double *sum[2];    /* r x columns: ...and the sums, real and imaginary parts */
    double *along[3];  /* ni x columns: of K, M, C */
    size_t columns;    /* of a motion: 4 for each harmonic */
};

/* A term of m M + i c C + k K, in the rotated coordinates. */
typedef struct place {
    const double *M, *C, *K;
    size_t n;
} place;

static place place_of(const am_balance *b) {
    size_t square = b->n * b->n;
    return (place){b->rotated, b->rotated + square, b->rotated + 2 * square, b->n};
}

static double complex stiffness(const place *at, size_t i, size_t j, double w) {
    size_t k = i * at->n + j;
    return at->K[k] - w * w * at->M[k] + I * w * at->C[k];
}

static double complex stiffness_slope(const place *at, size_t i, size_t j, double w) {
    size_t k = i * at->n + j;
    return -2.0 * w * at->M[k] + I * at->C[k];
}

void am_balance_drop_chart(am_balance *b) {
    if (!b->chart)
        return;
    am_arena_clear(&b->chart->memory);
    am_memory_free(b->chart);
    b->chart = NULL;
}

/* ---- making it ---- */

/* Where the poles of a mode are, as a multiple of s_top. */
static double reach(const place *at, size_t mode, double top) {
    size_t d = mode * at->n + mode;
    double k = at->K[d], creeps = k / (fabs(at->C[d]) * top);
    return k > 0.0 ? fmin(k / (fabs(at->M[d]) * top * top), creeps * creeps) : 0.0;
}

/* Modes that are not far come first; how many terms the others need. */
static void sort_modes(const am_balance *b, am_balance_chart *c) {
    static const double rounding = 1e-17;
    place at = place_of(b);
    double nearest = 1e20;
    size_t last = c->ni;
    c->nears = 0;
    for (size_t i = 0; i < c->ni; i++) {
        double distance = reach(&at, b->r + i, c->top);
        bool is_far = distance >= far;
        c->near[is_far ? --last : c->nears++] = i;
        nearest = is_far ? fmin(nearest, distance) : nearest;
    }
    double x = 2.0 * nearest - 1.0, terms = 2.0 + log(1.0 / rounding) / log(x + sqrt(x * x - 1.0));
    c->terms = (size_t)fmin(fmax(terms, 3.0), MOST_TERMS);
}

/* Re S and Im S/w of what is not near. */
static void sample(const am_balance *b, am_balance_chart *c, double w) {
    place at = place_of(b);
    size_t r = c->r, count = c->ni - c->nears;
    for (size_t i = 0; i < r; i++)
        for (size_t f = 0; f < count; f++) {
            size_t k = r + c->near[c->nears + f];
            double complex z = stiffness(&at, i, k, w), y = z / stiffness(&at, k, k, w);
            c->z[0][i * count + f] = creal(z);
            c->z[1][i * count + f] = cimag(z);
            c->y[0][f * r + i] = creal(y);
            c->y[1][f * r + i] = cimag(y);
        }
    memset(c->value[0], 0, r * r * sizeof *c->value[0]);
    memset(c->value[1], 0, r * r * sizeof *c->value[1]);
    am_dense_add_product(c->z[1], c->y[1], r, count, r, c->value[0]);
    for (size_t i = 0; i < r * r; i++)
        c->value[0][i] = -c->value[0][i];
    am_dense_add_product(c->z[0], c->y[0], r, count, r, c->value[0]);
    am_dense_add_product(c->z[0], c->y[1], r, count, r, c->value[1]);
    am_dense_add_product(c->z[1], c->y[0], r, count, r, c->value[1]);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++) {
            double complex Z = stiffness(&at, i, j, w);
            c->value[0][i * r + j] = creal(Z) - c->value[0][i * r + j];
            c->value[1][i * r + j] = (cimag(Z) - c->value[1][i * r + j]) / w;
        }
}

/* Coefficients of the polynomials through as many points. */
static void interpolate(const am_balance *b, am_balance_chart *c) {
    size_t square = c->r * c->r, terms = c->terms;
    memset(c->re, 0, terms * square * sizeof *c->re);
    memset(c->im, 0, terms * square * sizeof *c->im);
    for (size_t p = 0; p < terms; p++) {
        double angle = pi * ((double)p + 0.5) / (double)terms;
        sample(b, c, c->top * cos(0.5 * angle)); /* s = top^2 (1 + cos angle)/2 */
        for (size_t k = 0; k < terms; k++) {
            double share = (k == 0 ? 1.0 : 2.0) / (double)terms * cos((double)k * angle);
            double *restrict re = c->re + k * square, *restrict im = c->im + k * square;
            for (size_t i = 0; i < square; i++) {
                re[i] += share * c->value[0][i];
                im[i] += share * c->value[1][i];
            }
        }
    }
}

static am_status make(am_balance *b, double top, am_error *err) {
    size_t r = b->r, ni = b->n - r;
    am_balance_chart *c = am_memory_new(1, sizeof *c, err);
    if (!c)
        return AM_ERR_MEMORY;
    b->chart = c;
    *c = (am_balance_chart){.r = r, .ni = ni, .top = top};
    AM_ARENA_DOUBLES(&c->memory, MOST_TERMS * r * r, err, &c->re, &c->im);
    AM_ARENA_DOUBLES(&c->memory, r * r, err, &c->value[0], &c->value[1], &c->slope[0], &c->slope[1]);
    AM_ARENA_DOUBLES(&c->memory, r * ni, err, &c->z[0], &c->z[1], &c->y[0], &c->y[1], &c->change[0], &c->change[1],
                     &c->opposite);
    c->near = am_arena_new(&c->memory, ni, sizeof *c->near, err);
    if (am_arena_status(&c->memory)) {
        am_balance_drop_chart(b);
        return AM_ERR_MEMORY;
    }
    sort_modes(b, c);
    interpolate(b, c);
    return AM_OK;
}

am_status am_balance_need_chart(am_balance *b, double w, bool *have, am_error *err) {
    static const double room = 1.5; /* for frequencies that grow */
    *have = false;
    if (!b->diagonal || b->moves_matrices || 2 * MOST_TERMS * b->r * b->r > most_numbers)
        return AM_OK;
    if (b->chart && w > b->chart->top)
        am_balance_drop_chart(b);
    if (!b->chart)
        AM_TRY(make(b, room * w, err));
    *have = b->chart != NULL;
    return AM_OK;
}

/* ---- reading it ---- */

/* T_k and dT_k/ds at s. */
static void polynomials_at(const am_balance_chart *c, double s, double *T, double *dT) {
    double scale = 2.0 / (c->top * c->top), x = scale * s - 1.0;
    T[0] = 1.0;
    T[1] = x;
    dT[0] = 0.0;
    dT[1] = scale;
    for (size_t k = 2; k < c->terms; k++) {
        T[k] = 2.0 * x * T[k - 1] - T[k - 2];
        dT[k] = 2.0 * (scale * T[k - 1] + x * dT[k - 1]) - dT[k - 2];
    }
}

/* Of a chunk, sum[i] = sum over k of factor[k] table[k][i]; and, unless NULL, slope by the factors dT. The chunk is read
 * for both while it is near: the table may be larger than what the processor keeps. */
static void combine(const am_balance_chart *c, const double *table, const double *T, const double *dT, size_t from,
                    size_t count, double *sum, double *slope) {
    memset(sum, 0, count * sizeof *sum);
    am_kernel_apply_transposed(c->terms, count, table + from, c->r * c->r, T, sum);
    if (!slope)
        return;
    memset(slope, 0, count * sizeof *slope);
    am_kernel_apply_transposed(c->terms, count, table + from, c->r * c->r, dT, slope);
}

static void read_table(const am_balance_chart *c, double w, bool slopes) {
    double T[MOST_TERMS], dT[MOST_TERMS];
    size_t square = c->r * c->r;
    polynomials_at(c, w * w, T, dT);
    for (size_t from = 0; from < square; from += CHUNK) {
        size_t count = square - from < CHUNK ? square - from : CHUNK;
        double *re = c->value[0] + from, *im = c->value[1] + from;
        double *re_slope = slopes ? c->slope[0] + from : NULL, *im_slope = slopes ? c->slope[1] + from : NULL;
        combine(c, c->re, T, dT, from, count, re, re_slope);
        combine(c, c->im, T, dT, from, count, im, im_slope);
        for (size_t i = 0; slopes && i < count; i++) {
            re_slope[i] *= 2.0 * w;
            im_slope[i] = im[i] + 2.0 * w * w * im_slope[i];
        }
        for (size_t i = 0; i < count; i++)
            im[i] *= w;
    }
}

/* z, y = z/Z and z' - Z'/2 y of the near modes. False: one resonates without damping. */
static bool take_near(const am_balance *b, const am_balance_chart *c, double w) {
    place at = place_of(b);
    size_t r = c->r, count = c->nears;
    for (size_t f = 0; f < count; f++) {
        size_t k = r + c->near[f];
        double complex own = stiffness(&at, k, k, w), half = 0.5 * stiffness_slope(&at, k, k, w);
        if (!(cabs(own) > 0.0) || !isfinite(cabs(own)))
            return false;
        for (size_t i = 0; i < r; i++) {
            double complex z = stiffness(&at, i, k, w), y = z / own, change = stiffness_slope(&at, i, k, w) - half * y;
            c->z[0][i * count + f] = creal(z);
            c->z[1][i * count + f] = cimag(z);
            c->y[0][f * r + i] = creal(y);
            c->y[1][f * r + i] = cimag(y);
            c->opposite[f * r + i] = -cimag(y);
            c->change[0][i * count + f] = creal(change);
            c->change[1][i * count + f] = cimag(change);
        }
    }
    return true;
}

/* out -= x y, r x nears times nears x r */
static void subtract_real(const am_balance_chart *c, const double *x, const double *y, double *out) {
    enum { LARGE = 128 };
    int r = (int)c->r, count = (int)c->nears;
    if (r < LARGE)
        am_kernel_subtract(c->r, c->r, c->nears, x, c->nears, y, c->r, out, c->r);
    else
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, r, r, count, -1.0, x, count, y, r, 1.0, out, r);
}

/* -= z z^T / Z of the near modes. */
static void subtract_near(const am_balance_chart *c) {
    subtract_real(c, c->z[0], c->y[0], c->value[0]);
    subtract_real(c, c->z[1], c->opposite, c->value[0]);
    subtract_real(c, c->z[0], c->y[1], c->value[1]);
    subtract_real(c, c->z[1], c->y[0], c->value[1]);
}

static double complex at_mode(double *const x[2], size_t k) {
    return x[0][k] + I * x[1][k];
}

/* The derivative of z z^T / Z is z' y^T + y z'^T - Z' y y^T with y = z/Z: the sum of a matrix and its transpose. Only what
 * it does to a motion u is asked for. */
bool am_balance_near_slope(am_balance *b, double w, const double complex *u, double complex *product) {
    const am_balance_chart *c = b->chart;
    size_t r = c->r, count = c->nears;
    memset(product, 0, r * sizeof *product);
    if (count > 0 && !take_near(b, c, w))
        return false;
    for (size_t f = 0; f < count; f++) {
        double complex along = 0.0, changed = 0.0;
        for (size_t i = 0; i < r; i++) {
            along += at_mode(c->y, f * r + i) * u[i];
            changed += at_mode(c->change, i * count + f) * u[i];
        }
        for (size_t i = 0; i < r; i++)
            product[i] -= at_mode(c->change, i * count + f) * along + at_mode(c->y, f * r + i) * changed;
    }
    return true;
}

/* ---- products with a motion ----
 *
 * S(h omega) u_h for all harmonics at once, without S: the tables are the same for all. u_h = a - i b makes four columns,
 * the real and the imaginary part of u_h, and the same again for what the frequency does. */

enum { STIFFNESS_OF, MASS_OF, DAMPING_OF, COLUMNS = 4 };

static bool reserve_products(const am_balance *b, am_balance_chart *c) {
    place at = place_of(b);
    const double *const three[3] = {at.K, at.M, at.C};
    if (c->columns > 0)
        return true;
    size_t columns = COLUMNS * (b->H + 1);
    AM_ARENA_DOUBLES(&c->memory, c->r * c->nears, NULL, &c->beside[0], &c->beside[1], &c->beside[2]);
    AM_ARENA_DOUBLES(&c->memory, c->ni * columns, NULL, &c->along[0], &c->along[1], &c->along[2]);
    AM_ARENA_DOUBLES(&c->memory, c->r * columns, NULL, &c->sum[0], &c->sum[1]);
    c->scaled = am_arena_doubles(&c->memory, NULL, (c->r + c->ni) * columns, NULL);
    if (am_arena_status(&c->memory))
        return false;
    for (size_t m = 0; m < 3; m++)
        for (size_t i = 0; i < c->r; i++)
            for (size_t f = 0; f < c->nears; f++)
                c->beside[m][i * c->nears + f] = three[m][i * at.n + c->r + c->near[f]];
    c->columns = columns;
    return true;
}

/* out += A x, rows x depth times depth x columns; `transposed`: A is depth x rows. */
static void add_columns(const am_balance_chart *c, size_t rows, size_t depth, const double *a, bool transposed,
                        const double *x, double *out) {
    if (rows > 0 && depth > 0)
        cblas_dgemm(CblasRowMajor, transposed ? CblasTrans : CblasNoTrans, CblasNoTrans, (int)rows, (int)c->columns,
                    (int)depth, 1.0, a, transposed ? (int)rows : (int)depth, x, (int)c->columns, 1.0, out,
                    (int)c->columns);
}

/* A motion's harmonic h begins at x[at] of each coordinate; its columns are those of index h. */
typedef struct motion {
    const am_balance *b;
    const double *x;
    double omega;
} motion;

static double complex harmonic_of(const motion *m, size_t i, size_t at, size_t h) {
    const double *u = m->x + i * m->b->kept + at;
    return h > 0 ? u[0] - I * u[1] : u[0];
}

static void put(double *row, size_t h, double complex value, double complex change) {
    row[COLUMNS * h] = creal(value);
    row[COLUMNS * h + 1] = cimag(value);
    row[COLUMNS * h + 2] = creal(change);
    row[COLUMNS * h + 3] = cimag(change);
}

/* The motion, each harmonic times factor[h], and times change[h] for the second pair. */
static void scale_motion(const motion *m, const am_balance_chart *c, const double *factor, const double *change) {
    const am_balance *b = m->b;
    memset(c->scaled, 0, c->r * c->columns * sizeof *c->scaled);
    for (size_t at = 0; at < b->kept; at += b->coefficient[at] == 0 ? 1 : 2) {
        size_t h = (b->coefficient[at] + 1) / 2;
        for (size_t i = 0; i < c->r; i++) {
            double complex u = harmonic_of(m, i, at, h);
            put(c->scaled + i * c->columns, h, factor[h] * u, change[h] * u);
        }
    }
}

/* sum[0] + i sum[1] = the polynomials: with s = w^2 the derivative of T(s) is 2 w T', that of w T is T + 2 s T'. */
static void multiply_tables(const motion *m, const am_balance_chart *c, double *work) {
    size_t square = c->r * c->r, H = m->b->H;
    double *factor = work, *change = work + H + 1;
    memset(c->sum[0], 0, c->r * c->columns * sizeof *c->sum[0]);
    memset(c->sum[1], 0, c->r * c->columns * sizeof *c->sum[1]);
    for (size_t k = 0; k < c->terms; k++)
        for (size_t part = 0; part < 2; part++) {
            for (size_t h = 0; h <= H; h++) {
                double T[MOST_TERMS], dT[MOST_TERMS], w = (double)h * m->omega;
                polynomials_at(c, w * w, T, dT);
                factor[h] = part == 0 ? T[k] : w * T[k];
                change[h] = part == 0 ? 2.0 * w * dT[k] : T[k] + 2.0 * w * w * dT[k];
            }
            scale_motion(m, c, factor, change);
            add_columns(c, c->r, c->r, (part == 0 ? c->re : c->im) + k * square, false, c->scaled, c->sum[part]);
        }
}

static double complex column_of(const double *row, size_t h, size_t pair) {
    return row[COLUMNS * h + 2 * pair] + I * row[COLUMNS * h + 2 * pair + 1];
}

/* Of a near mode with s = z.u the share is q = s/Z, and z q is taken away; its derivative is z' q + z q'. `which`: of K, M,
 * C, what multiplies q there. False: the mode resonates without damping. */
static bool share_of_mode(const motion *m, const am_balance_chart *c, size_t f, size_t h, size_t which,
                          double complex *value, double complex *change) {
    place at = place_of(m->b);
    size_t k = c->r + c->near[f];
    double w = (double)h * m->omega;
    double complex own = stiffness(&at, k, k, w), slope = stiffness_slope(&at, k, k, w);
    double complex K = column_of(c->along[STIFFNESS_OF] + f * c->columns, h, 0),
                   M = column_of(c->along[MASS_OF] + f * c->columns, h, 0),
                   C = column_of(c->along[DAMPING_OF] + f * c->columns, h, 0);
    double complex q = (K - w * w * M + I * w * C) / own, dq = (-2.0 * w * M + I * C - slope * q) / own;
    const double complex weight[3] = {1.0, -w * w, I * w}, by_w[3] = {0.0, -2.0 * w, I};
    *value = weight[which] * q;
    *change = weight[which] * dq + by_w[which] * q;
    return cabs(own) > 0.0 && isfinite(cabs(own));
}

/* sum[0] -= the near modes. */
static bool subtract_modes(const motion *m, const am_balance_chart *c, double *ones) {
    const am_balance *b = m->b;
    size_t nears = c->nears;
    bool regular = true;
    for (size_t h = 0; h <= b->H; h++)
        ones[h] = 1.0;
    scale_motion(m, c, ones, ones);
    for (size_t a = 0; a < 3; a++) {
        memset(c->along[a], 0, nears * c->columns * sizeof *c->along[a]);
        add_columns(c, nears, c->r, c->beside[a], true, c->scaled, c->along[a]);
    }
    memset(c->scaled, 0, nears * c->columns * sizeof *c->scaled);
    for (size_t a = 0; a < 3; a++) {
        for (size_t f = 0; f < nears; f++)
            for (size_t at = 0; at < b->kept; at += b->coefficient[at] == 0 ? 1 : 2) {
                size_t h = (b->coefficient[at] + 1) / 2;
                double complex value, change;
                regular = share_of_mode(m, c, f, h, a, &value, &change) && regular;
                put(c->scaled + f * c->columns, h, -value, -change);
            }
        add_columns(c, c->r, nears, c->beside[a], false, c->scaled, c->sum[0]);
    }
    return regular;
}

bool am_balance_add_charted(am_balance *b, double omega, const double *x, double *F, double *rate) {
    am_balance_chart *c = b->chart;
    const motion m = {b, x, omega};
    multiply_tables(&m, c, b->chart_work);
    if (c->nears > 0 && !subtract_modes(&m, c, b->chart_work))
        return false;
    for (size_t at = 0; at < b->kept; at += b->coefficient[at] == 0 ? 1 : 2) {
        size_t h = (b->coefficient[at] + 1) / 2;
        for (size_t i = 0; i < c->r; i++) {
            const double *re = c->sum[0] + i * c->columns, *im = c->sum[1] + i * c->columns;
            double complex value = column_of(re, h, 0) + I * column_of(im, h, 0),
                           change = (double)h * (column_of(re, h, 1) + I * column_of(im, h, 1));
            F[i * b->kept + at] += creal(value);
            if (h > 0)
                F[i * b->kept + at + 1] -= cimag(value);
            if (rate && h > 0) {
                rate[i * b->kept + at] += creal(change);
                rate[i * b->kept + at + 1] -= cimag(change);
            }
        }
    }
    return true;
}

bool am_balance_chart_multiplies(am_balance *b) {
    return b->chart && reserve_products(b, b->chart);
}

bool am_balance_read_chart(am_balance *b, double w, double complex *Z, double complex *dZ) {
    const am_balance_chart *c = b->chart;
    size_t square = c->r * c->r;
    read_table(c, w, dZ != NULL);
    if (c->nears > 0 && !take_near(b, c, w))
        return false;
    if (c->nears > 0)
        subtract_near(c);
    for (size_t i = 0; i < square; i++)
        Z[i] = c->value[0][i] + I * c->value[1][i];
    for (size_t i = 0; dZ && i < square; i++)
        dZ[i] = c->slope[0][i] + I * c->slope[1][i];
    return true;
}
