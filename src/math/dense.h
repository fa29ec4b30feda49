/* Small dense algebra over LAPACK. Row-major square arrays. */
#ifndef AMONTONS_MATH_DENSE_H
#define AMONTONS_MATH_DENSE_H
#include <stddef.h>

#include "amontons/error.h"

/* a (n x n) becomes its inverse. *rcond: reciprocal condition number in the 1-norm; 0 when singular (a is then
 * undefined). */
am_status am_dense_invert(double *a, size_t n, double *rcond, am_error *err);

/* Eigenvalues of a symmetric matrix, ascending; a is destroyed. */
am_status am_dense_symmetric_eigenvalues(double *a, size_t n, double *values, am_error *err);

/* y = A x (rows x columns); y += A x. x and y must not overlap. */
void am_dense_apply(const double *a, size_t rows, size_t columns, const double *x, double *y);
void am_dense_add(const double *a, size_t rows, size_t columns, const double *x, double *y);

static inline double am_dense_dot(const double *x, const double *y, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

double am_dense_quadratic(const double *a, const double *x, size_t n); /* x^T A x */

#endif
