/* Eigenvalues of a general matrix without vectors: a third of the work of math/eigen.h, where no more than a sign is
 * asked for. */
#ifndef AMONTONS_MATH_EIGENVALUES_H
#define AMONTONS_MATH_EIGENVALUES_H
#include <stdbool.h>
#include <stddef.h>

enum { AM_EIGENVALUES_WORK = 3 }; /* numbers of room for each row */

/* Of a (n x n, row-major, destroyed); pairs as in am_eigen. *doubt: rounding has moved none of them by more, not even a
 * defective one: no `uncertainty` of am_eigen_init is larger. False where the iteration does not converge. */
bool am_eigenvalues(double *a, size_t n, double *real, double *imaginary, double *work, double *doubt);

#endif
