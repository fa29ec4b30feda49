/* LU factors of complex column-major square arrays of moderate order, with row interchanges. */
#ifndef AMONTONS_MATH_COMPLEX_LU_H
#define AMONTONS_MATH_COMPLEX_LU_H
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

/* a (n x n) becomes its factors; false when it is singular or holds a NaN. */
bool am_complex_lu_factor(double complex *a, size_t n, int *pivots);

/* b (n x count) becomes the solution of A x = b, or of A^T x = b. */
void am_complex_lu_solve(const double complex *a, size_t n, const int *pivots, bool transposed, size_t count,
                         double complex *b);

#endif
