/* Cholesky factors A = L L^T of small symmetric matrices by loops of our own: the same bits whatever kernel the BLAS
 * has. Column-major, lower triangle, as LAPACK has it: L_ij at a[j n + i]; the rest is not touched. */
#ifndef AMONTONS_MATH_CHOLESKY_H
#define AMONTONS_MATH_CHOLESKY_H
#include <stdbool.h>
#include <stddef.h>

/* False where the matrix is not positive definite. */
bool am_cholesky_factor(double *a, size_t n);

/* x becomes the solution; `count` of them, one after the other. */
void am_cholesky_solve(const double *a, size_t n, size_t count, double *x);

/* 1/(|A| |A^-1|) in the 1-norm, with |A| given; work: n. */
double am_cholesky_rcond(const double *a, size_t n, double norm, double *work);

#endif
