/* Small dense algebra over LAPACK. Row-major square arrays. */
#ifndef AMONTONS_MATH_DENSE_H
#define AMONTONS_MATH_DENSE_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

/* a (n x n) becomes its inverse. *rcond: reciprocal condition number in the infinity norm; 0 when singular (a is then
 * undefined). */
am_status am_dense_invert(double *a, size_t n, double *rcond, am_error *err);

/* Is a symmetric matrix positive definite? a (its lower triangle counts) becomes its Cholesky factor. *failing: the first
 * row whose pivot is not positive, or lost in the rounding of what it was computed from; n when there is none. */
am_status am_dense_definite(double *a, size_t n, size_t *failing, am_error *err);

/* y = A x (rows x columns); y += A x. x and y must not overlap. */
void am_dense_apply(const double *a, size_t rows, size_t columns, const double *x, double *y);
void am_dense_add(const double *a, size_t rows, size_t columns, const double *x, double *y);

/* out += A B, of which A is rows x inner and B inner x columns; the same sums on every machine, unlike those of BLAS. out
 * must not overlap A or B. */
void am_dense_add_product(const double *a, const double *b, size_t rows, size_t inner, size_t columns, double *out);

/* Long products in eight partial sums, the same ones on every machine: one sum would wait for itself at every term. */
static inline double am_dense_dot(const double *x, const double *y, size_t n) {
    typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
    double sum = 0.0;
    size_t i = 0;
    if (n >= 8) {
        pair a = {0.0, 0.0}, b = a, c = a, d = a;
        for (; i + 8 <= n; i += 8) {
            const pair *u = (const pair *)(const void *)(x + i), *v = (const pair *)(const void *)(y + i);
            a += u[0] * v[0];
            b += u[1] * v[1];
            c += u[2] * v[2];
            d += u[3] * v[3];
        }
        a = (a + b) + (c + d);
        sum = a[0] + a[1];
    }
    for (; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Sum and largest of the absolute values, in partial sums as well. */
static inline double am_dense_size(const double *x, size_t n) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    size_t odd = n % 4;
    for (size_t i = 0; i < odd; i++)
        a += fabs(x[i]);
    for (size_t i = odd; i < n; i += 4) {
        a += fabs(x[i]);
        b += fabs(x[i + 1]);
        c += fabs(x[i + 2]);
        d += fabs(x[i + 3]);
    }
    return (a + b) + (c + d);
}

/* a (n x n) becomes (a + a^T)/2. */
static inline void am_dense_symmetrise(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i] = 0.5 * (a[i * n + j] + a[j * n + i]);
}

/* a (n x n) is its own transpose, to the last digit. */
static inline bool am_dense_is_symmetric(const double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (a[i * n + j] != a[j * n + i])
                return false;
    return true;
}

/* LAPACK's iterations for singular values and eigenvalues need not end where an entry is infinite. */
static inline bool am_dense_is_finite(const double *x, size_t n) {
    double sum[4] = {0}; /* of zeros, or NAN; four side by side are faster than one */
    for (size_t i = 0; i < n; i++)
        sum[i % 4] += 0.0 * x[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0.0;
}

static inline double am_dense_largest(const double *x, size_t n) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    size_t odd = n % 4;
    for (size_t i = 0; i < odd; i++)
        a = fabs(x[i]) > a ? fabs(x[i]) : a;
    for (size_t i = odd; i < n; i += 4) {
        a = fabs(x[i]) > a ? fabs(x[i]) : a;
        b = fabs(x[i + 1]) > b ? fabs(x[i + 1]) : b;
        c = fabs(x[i + 2]) > c ? fabs(x[i + 2]) : c;
        d = fabs(x[i + 3]) > d ? fabs(x[i + 3]) : d;
    }
    a = b > a ? b : a;
    c = d > c ? d : c;
    return c > a ? c : a;
}

/* The infinity norm of a (n x n); NaN where an entry is none. */
double am_dense_largest_row(const double *a, size_t n);

double am_dense_quadratic(const double *a, const double *x, size_t n); /* x^T A x */

void am_dense_sort(double *x, size_t n); /* ascending */

#endif
