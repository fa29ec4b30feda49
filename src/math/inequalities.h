/* Is there a point that satisfies all of several linear inequalities strictly? */
#ifndef AMONTONS_MATH_INEQUALITIES_H
#define AMONTONS_MATH_INEQUALITIES_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

/* Is there an x >= 0 with G x < h (G: rows x columns, row-major, some h not zero) by more than 1e-12 of the largest |h|?
 * By Lemke's method, which ends on a ray where there is none. */
am_status am_inequalities_have_interior(const double *G, const double *h, size_t rows, size_t columns, bool *interior,
                                        am_error *err);

#endif
