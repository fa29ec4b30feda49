/* Rounding taken out of a condensed matrix along vectors whose product with it is known. docs/solid.md, section 6. */
#ifndef AMONTONS_SOLID_CLEANING_H
#define AMONTONS_SOLID_CLEANING_H
#include <stddef.h>

#include "amontons/error.h"

/* Vectors (rows of `width` numbers, *count of them) become orthonormal in their first n numbers, the others follow;
 * those that are sums of the others in these n are dropped. */
void am_clean_basis(double *vectors, size_t *count, size_t n, size_t width);

/* The symmetric positive semidefinite matrix (n x n, rows `stride` apart) becomes the nearest symmetric one (in the sum
 * of squares of all entries) with A b = wanted for every vector b of the basis. `wanted`: rows of n numbers; NULL:
 * zero, so that the vectors span a null space: A <- P A P, P = 1 - sum of b b^T. */
am_status am_clean_matrix(double *matrix, size_t n, size_t stride, const double *basis, size_t count, size_t width,
                          const double *wanted, am_error *err);

#endif
