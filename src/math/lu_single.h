/* LU factors with half the digits: in half the time and half the memory. Solutions have some 1e-7 times the condition of
 * the matrix left, so that whoever needs more refines them (x += solution of what is missing). */
#ifndef AMONTONS_MATH_LU_SINGLE_H
#define AMONTONS_MATH_LU_SINGLE_H
#include <stdbool.h>
#include <stddef.h>

/* The factors of a (k x k, row-major, which stays as it is). False where so few digits cannot tell a pivot from zero. */
bool am_lu_factor_single(const double *a, size_t k, float *factors, int *order);

/* x becomes the solution; `work`: k numbers. */
void am_lu_solve_single(const float *factors, size_t k, const int *order, double *x, float *work);

int am_lu_sign_single(const float *factors, size_t k, const int *order); /* of the determinant */

#endif
