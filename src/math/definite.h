/* Is a symmetric matrix positive definite? */
#ifndef AMONTONS_MATH_DEFINITE_H
#define AMONTONS_MATH_DEFINITE_H
#include <stddef.h>

#include "amontons/error.h"

/* a (n x n, row-major, its lower triangle counts) becomes its Cholesky factor. *failing: the first row whose pivot is
 * not positive, or lost in the rounding of what it was computed from; n when there is none. */
am_status am_definite_test(double *a, size_t n, size_t *failing, am_error *err);

#endif
