/* The linear structure at one frequency: Z_h = K - (h omega)^2 M + i h omega C, and, where few directions carry all
 * nonlinear forces, its Schur complement onto them,
 *
 *     S = Z_bb - Z_bi Z_ii^-1 Z_ib,    f = F_b - Z_bi Z_ii^-1 F_i,
 *
 * with derivatives in omega: S' = Z_bb' - Z_bi' X - Y Z_ib' + Y Z_ii' X, X = Z_ii^-1 Z_ib, Y = Z_bi Z_ii^-1. */
#include <complex.h>
#include <string.h>

#include "analysis/balance_form.h"
#include "math/complex_lu.h"

static bool is_kept(const am_balance *b, size_t h) {
    return !b->odd || h % 2 == 1;
}

/* Q^T A Q */
static void rotate_matrix(const am_balance *b, const double *a, double *work, double *out) {
    size_t n = b->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++)
                sum += a[i * n + k] * b->Q[k * n + j];
            work[i * n + j] = sum;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0.0;
            for (size_t k = 0; k < n; k++)
                sum += b->Q[k * n + i] * work[k * n + j];
            out[i * n + j] = sum;
        }
}

static void rotate_matrices(am_balance *b) {
    size_t square = b->n * b->n;
    double *work = (double *)b->inner; /* n^2 complex: room enough */
    rotate_matrix(b, b->numbers + b->at_M, work, b->rotated);
    rotate_matrix(b, b->numbers + b->at_C, work, b->rotated + square);
    rotate_matrix(b, b->numbers + b->at_K, work, b->rotated + 2 * square);
    b->stale_matrices = false;
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

static void rotate(am_balance *b) {
    if (b->condensed && b->stale_matrices)
        rotate_matrices(b);
    if (b->condensed && b->stale_loads)
        rotate_loads(b);
}

typedef struct dynamic { /* entries of Z_h and of its derivative */
    const double *M, *C, *K;
    size_t n;
    double w, h;
} dynamic;

static dynamic dynamic_at(const am_balance *b, size_t h, double omega) {
    size_t square = b->n * b->n;
    const double *m = b->condensed ? b->rotated : b->numbers + b->at_M;
    return (dynamic){m, m + square, m + 2 * square, b->n, (double)h * omega, (double)h};
}

static double complex entry(const dynamic *d, size_t i, size_t j) {
    size_t k = i * d->n + j;
    return d->K[k] - d->w * d->w * d->M[k] + I * d->w * d->C[k];
}

static double complex slope(const dynamic *d, size_t i, size_t j) {
    size_t k = i * d->n + j;
    return d->h * (-2.0 * d->w * d->M[k] + I * d->C[k]);
}

static double complex load_at(const am_balance *b, size_t i, size_t h) {
    const double *signal = (b->condensed ? b->rotated_load : b->numbers + b->at_F) + i * b->S;
    return h == 0 ? signal[0] : signal[2 * h - 1] - I * signal[2 * h];
}

static am_status singular(size_t h, double omega, am_error *err) {
    return am_fail(err, AM_ERR_LIMIT,
                   "the part of the structure without contacts resonates without damping at %zu times the frequency "
                   "%.15g",
                   h, omega);
}

/* Factors of Z_ii (column-major), and X = Z_ii^-1 Z_ib (ni x r), y = Z_ii^-1 F_i behind it. */
static am_status eliminate(am_balance *b, const dynamic *d, size_t h, double omega, am_error *err) {
    size_t r = b->r, ni = b->n - r;
    for (size_t j = 0; j < ni; j++)
        for (size_t i = 0; i < ni; i++)
            b->inner[j * ni + i] = entry(d, r + i, r + j);
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < ni; i++)
            b->coupling[j * ni + i] = entry(d, r + i, j);
    for (size_t i = 0; i < ni; i++)
        b->coupling[r * ni + i] = h <= b->H ? load_at(b, r + i, h) : 0.0;
    if (!am_complex_lu_factor(b->inner, ni, b->pivots))
        return singular(h, omega, err);
    am_complex_lu_solve(b->inner, ni, b->pivots, false, r + 1, b->coupling);
    return AM_OK;
}

/* Y^T = Z_ii^-T Z_bi^T (ni x r, columns are rows of Y), then the same for G = Z_bi' - Y Z_ii'. */
static void eliminate_left(am_balance *b, const dynamic *d, double complex *Y, double complex *G) {
    size_t r = b->r, ni = b->n - r;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < ni; i++)
            Y[j * ni + i] = entry(d, j, r + i);
    am_complex_lu_solve(b->inner, ni, b->pivots, true, r, Y);
    for (size_t j = 0; j < r; j++)
        for (size_t k = 0; k < ni; k++) {
            double complex sum = slope(d, j, r + k);
            for (size_t l = 0; l < ni; l++)
                sum -= Y[j * ni + l] * slope(d, r + l, r + k);
            G[j * ni + k] = sum;
        }
}

static am_status condense(am_balance *b, const dynamic *d, size_t h, double omega, am_error *err) {
    size_t r = b->r, ni = b->n - r;
    double complex *Z = b->Z + h * r * r, *dZ = b->dZ + h * r * r, *load = b->load + h * r, *dload = b->dload + h * r;
    const double complex *X = b->coupling, *y = X + r * ni;
    double complex *Y = b->coupling + (r + 1) * ni, *G = Y + r * ni;
    am_status status = eliminate(b, d, h, omega, err);
    if (status)
        return status;
    eliminate_left(b, d, Y, G);
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < r; j++) {
            double complex value = entry(d, i, j), rate = slope(d, i, j);
            for (size_t k = 0; k < ni; k++) {
                value -= entry(d, i, r + k) * X[j * ni + k];
                rate -= G[i * ni + k] * X[j * ni + k] + Y[i * ni + k] * slope(d, r + k, j);
            }
            Z[i * r + j] = value;
            dZ[i * r + j] = rate;
        }
        load[i] = load_at(b, i, h);
        dload[i] = 0.0;
        for (size_t k = 0; k < ni; k++) {
            load[i] -= entry(d, i, r + k) * y[k];
            dload[i] -= G[i * ni + k] * y[k];
        }
    }
    return AM_OK;
}

static void copy_whole(am_balance *b, const dynamic *d, size_t h) {
    size_t r = b->r;
    for (size_t i = 0; i < r; i++) {
        for (size_t j = 0; j < r; j++) {
            b->Z[(h * r + i) * r + j] = entry(d, i, j);
            b->dZ[(h * r + i) * r + j] = slope(d, i, j);
        }
        b->load[h * r + i] = load_at(b, i, h);
        b->dload[h * r + i] = 0.0;
    }
}

am_status am_balance_linear(am_balance *b, double omega, am_error *err) {
    if (b->linear_ready && omega == b->omega)
        return AM_OK;
    b->linear_ready = false;
    rotate(b);
    am_status status = AM_OK;
    for (size_t h = 0; h <= b->H && !status; h++) {
        if (!is_kept(b, h))
            continue;
        dynamic d = dynamic_at(b, h, omega);
        if (b->condensed)
            status = condense(b, &d, h, omega, err);
        else
            copy_whole(b, &d, h);
    }
    b->omega = omega;
    b->linear_ready = !status;
    return status;
}

am_status am_balance_recover(am_balance *b, size_t h, double omega, const double complex *u, double complex *q,
                             am_error *err) {
    size_t n = b->n, r = b->r, ni = n - r;
    if (!b->condensed) {
        memcpy(q, u, n * sizeof *q);
        return AM_OK;
    }
    rotate(b);
    dynamic d = dynamic_at(b, h, omega);
    am_status status = eliminate(b, &d, h, omega, err);
    b->linear_ready = false; /* the room of condensation is shared */
    if (status)
        return status;
    double complex *inside = b->coupling + r * ni; /* q_i = y - X u */
    for (size_t k = 0; k < ni; k++)
        for (size_t j = 0; j < r; j++)
            inside[k] -= b->coupling[j * ni + k] * u[j];
    for (size_t i = 0; i < n; i++) {
        q[i] = 0.0;
        for (size_t j = 0; j < n; j++)
            q[i] += b->Q[i * n + j] * (j < r ? u[j] : inside[j - r]);
    }
    return AM_OK;
}

am_status am_balance_answer(am_balance *b, size_t h, double omega, double complex *force, am_error *err) {
    size_t n = b->n, r = b->r;
    rotate(b);
    dynamic d = dynamic_at(b, h, omega);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            b->inner[j * n + i] = entry(&d, i, j);
    memset(b->coupling, 0, n * sizeof *b->coupling);
    memcpy(b->coupling, force, r * sizeof *force);
    b->linear_ready = false;
    if (!am_complex_lu_factor(b->inner, n, b->pivots))
        return singular(h, omega, err);
    am_complex_lu_solve(b->inner, n, b->pivots, false, 1, b->coupling);
    memcpy(force, b->coupling, r * sizeof *force);
    return AM_OK;
}
