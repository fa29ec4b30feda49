/* Hill's method: disturbances exp(lambda t) r(t) of a balanced motion, r periodic and of the same harmonics:
 *
 *     (lambda^2 D2 + lambda D1 + J) r = 0,    D2 = M,    D1 = 2 M d/dt + C + dg/dq',
 *
 * J the derivative of the balance. Every Floquet exponent appears again shifted by multiples of i omega, the more wrong
 * the farther its harmonics were cut off: of all, the 2 n of smallest |Im| are the ones meant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/eigen.h"

/* Coefficients of a disturbance that has harmonics up to `harmonics`; at least those of the lowest one. */
static size_t kept_of(const am_balance *b, size_t harmonics) {
    size_t kept = b->kept, constant = b->coefficient[0] == 0;
    while (kept >= constant + 4 && (b->coefficient[kept - 1] + 1) / 2 > harmonics)
        kept -= 2; /* cosine and sine */
    return kept;
}

/* D1 without the forces' own part: 2 omega M d/dtheta + C on every pair of coordinates. */
static void add_linear_rates(const am_balance *b, double omega, double *D) {
    const double *M = b->numbers + b->at_M, *C = b->numbers + b->at_C;
    for (size_t i = 0; i < b->n; i++)
        for (size_t j = 0; j < b->n; j++)
            for (size_t k = 0; k < b->kept; k++) {
                size_t full = b->coefficient[k], row = i * b->kept + k, column = j * b->kept + k;
                double w = 2.0 * omega * M[i * b->n + j] * (double)((full + 1) / 2);
                D[row * b->size + column] += C[i * b->n + j];
                if (full > 0) /* the rate of a cos + b sin is h b cos - h a sin */
                    D[row * b->size + (full % 2 == 1 ? column + 1 : column - 1)] += full % 2 == 1 ? w : -w;
            }
}

/* row -= factor from, of every coordinate the first `kept` entries. */
static void take_row(const am_balance *b, double factor, const double *from, size_t kept, double *row) {
    for (size_t c = 0; c < b->n && factor != 0.0; c++)
        for (size_t l = 0; l < kept; l++)
            row[c * kept + l] -= factor * from[c * b->kept + l];
}

/* One row of blocks of the companion matrix: -M^-1 A, A given with rows `size` apart. */
static void put_block(const am_balance *b, const double *inverse, const double *A, size_t kept, size_t offset,
                      double *to) {
    size_t m = b->n * kept;
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 0; k < kept; k++) {
            double *row = to + (m + i * kept + k) * 2 * m + offset;
            for (size_t j = 0; j < b->n; j++)
                take_row(b, inverse[i * b->n + j], A + (j * b->kept + k) * b->size, kept, row);
        }
}

typedef struct exponent {
    double re, im;
} exponent;

static int by_imaginary_part(const void *a, const void *b) {
    double x = fabs(((const exponent *)a)->im), y = fabs(((const exponent *)b)->im);
    return (x > y) - (x < y);
}

static int by_falling_real_part(const void *a, const void *b) {
    double x = ((const exponent *)a)->re, y = ((const exponent *)b)->re;
    return (x < y) - (x > y);
}

/* A negative multiplier has the exponents +-i omega/2, one of which is the other shifted by i omega: the lower goes.
 * Among odd harmonics shifts are by 2 i omega, and twins are what breaks the symmetry, +-i omega: at the edge of what
 * is kept, where truncation shows most. */
static size_t drop_twins(exponent *all, size_t count, double omega, bool odd) {
    double at = odd ? -omega : -0.5 * omega, near = 0.03 * omega;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(all[i].im - at) > near)
            all[kept++] = all[i];
    return kept;
}

static void sort_out(const am_balance *b, double omega, exponent *all, size_t count, double *re, double *im) {
    size_t wanted = 2 * b->n;
    count = drop_twins(all, count, omega, b->odd);
    qsort(all, count, sizeof *all, by_imaginary_part);
    if (b->self_excited) { /* the trivial one first, then out of the way */
        size_t trivial = 0;
        for (size_t i = 1; i < wanted; i++)
            if (hypot(all[i].re, all[i].im) < hypot(all[trivial].re, all[trivial].im))
                trivial = i;
        exponent moved = all[trivial];
        memmove(all + trivial, all + trivial + 1, (wanted - trivial - 1) * sizeof *all);
        all[wanted - 1] = moved;
        qsort(all, wanted - 1, sizeof *all, by_falling_real_part);
    } else {
        qsort(all, wanted, sizeof *all, by_falling_real_part);
    }
    for (size_t i = 0; i < wanted; i++) {
        re[i] = all[i].re;
        im[i] = all[i].im;
    }
}

static am_status solve(am_balance *b, double omega, double *A, size_t m, double *re, double *im, am_error *err) {
    am_eigen eigen;
    AM_TRY(am_eigen_init(&eigen, A, 2 * m, 0.0, err));
    exponent *all = am_memory_new(2 * m, sizeof *all, err);
    for (size_t i = 0; all && i < 2 * m; i++)
        all[i] = (exponent){eigen.real[i], eigen.imaginary[i]};
    if (all)
        sort_out(b, omega, all, 2 * m, re, im);
    am_memory_free(all);
    am_eigen_clear(&eigen);
    return all ? AM_OK : AM_ERR_MEMORY;
}

am_status am_balance_hill(am_balance *b, const double *x, double p, size_t harmonics, double *re, double *im,
                          am_error *err) {
    size_t kept = kept_of(b, harmonics), m = b->n * kept, square = b->size * b->size;
    if (b->condensed || b->multipliers > 0 || b->element || b->slider)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "Hill's method needs every coordinate among the unknowns, linear layers, and friction with a "
                       "spring or regularised");
    double *J = am_memory_new(2 * square + 4 * m * m + b->n * b->n, sizeof *J, err);
    if (!J)
        return AM_ERR_MEMORY;
    double *D = J + square, *A = D + square, *inverse = A + 4 * m * m, rcond = 0.0;
    am_status status = am_balance_evaluate(b, x, p, b->work, J, NULL, err);
    if (!status)
        status = am_balance_velocity(b, x, p, D, err);
    if (!status) {
        add_linear_rates(b, am_balance_omega(b, x, p), D);
        memcpy(inverse, b->numbers + b->at_M, b->n * b->n * sizeof *inverse);
        status = am_dense_invert(inverse, b->n, &rcond, err);
    }
    if (!status && !(rcond > 1e-14))
        status = am_fail(err, AM_ERR_UNSUPPORTED, "Hill's method needs a mass in every direction");
    if (!status) {
        for (size_t i = 0; i < m; i++)
            A[i * 2 * m + m + i] = 1.0;
        put_block(b, inverse, J, kept, 0, A);
        put_block(b, inverse, D, kept, m, A);
        status = solve(b, am_balance_omega(b, x, p), A, m, re, im, err);
    }
    am_memory_free(J);
    return status;
}

/* The mean of dg_i/dq'_j over the period: of signals without a mean half of what cosine and sine of the first harmonic
 * feel together. */
static double mean_rate(const am_balance *b, const double *D, size_t i, size_t j) {
    const double *at = D + i * b->kept * b->size + j * b->kept;
    return b->coefficient[0] == 0 ? at[0] : 0.5 * (at[0] + at[b->size + 1]);
}

am_status am_balance_divergence(am_balance *b, const double *x, double p, double *divergence, am_error *err) {
    bool memory = b->condensed || b->multipliers > 0;
    for (size_t c = 0; c < b->contacts; c++)
        memory = memory || b->joint[c].friction == AM_FRICTION_JENKINS || b->joint[c].general;
    *divergence = NAN;
    if (memory)
        return AM_OK;
    double *D = am_memory_new(b->size * b->size + b->n * b->n, sizeof *D, err), *inverse, rcond = 0.0, sum = 0.0;
    if (!D)
        return AM_ERR_MEMORY;
    inverse = D + b->size * b->size;
    am_status status = am_balance_velocity(b, x, p, D, err);
    memcpy(inverse, b->numbers + b->at_M, b->n * b->n * sizeof *inverse);
    if (!status)
        status = am_dense_invert(inverse, b->n, &rcond, err);
    for (size_t i = 0; i < b->n && !status; i++)
        for (size_t j = 0; j < b->n; j++)
            sum -= inverse[i * b->n + j] * (b->numbers[b->at_C + j * b->n + i] + mean_rate(b, D, j, i));
    am_memory_free(D);
    *divergence = sum;
    return status;
}
