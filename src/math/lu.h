/* LU factors of row-major square arrays with row interchanges: our own loops while threads of LAPACK would cost more
 * than they bring, LAPACK beyond; blocks of zeros in large ones cost nothing. */
#ifndef AMONTONS_MATH_LU_H
#define AMONTONS_MATH_LU_H
#include <stdbool.h>
#include <stddef.h>

/* a becomes its factors. False when a pivot is below 1e-14 of the largest entry, or not a number. */
bool am_lu_factor(double *a, size_t k, int *order);

/* x becomes the solution of A x = (old) x; `count` of them, one after the other. */
void am_lu_solve(const double *a, size_t k, const int *order, size_t count, double *x);

/* Sign of the determinant. */
int am_lu_sign(const double *a, size_t k, const int *order);

/* Sign of det (1 - S): the index of a fixed point of a map that has the derivative S there, (-1)^(real eigenvalues of S
 * above 1). 0 where it is singular but for rounding. S is overwritten. */
int am_lu_index(double *S, size_t k, int *order);

#endif
