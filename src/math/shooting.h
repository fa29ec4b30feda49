/* Algebra of periodic motions that are found by shooting: the step that closes the linearised motion, and its Floquet
 * multipliers. */
#ifndef AMONTONS_MATH_SHOOTING_H
#define AMONTONS_MATH_SHOOTING_H
#include <stddef.h>

#include "amontons/error.h"

/* The shortest solution of the linearised equations, by singular values: those below `weak` (against 1, the size of a
 * multiplier) are left out, *rank remain. matrix (order x order) is destroyed, right becomes the solution, values
 * (order) the singular values. AM_ERR_LIMIT where numbers are not finite. */
am_status am_shooting_step(double *matrix, size_t order, double weak, double *right, double *values, size_t *rank,
                           am_error *err);

typedef struct am_multiplier {
    double re, im, uncertainty;
} am_multiplier;

/* Eigenvalues of the derivative phi (d x d, destroyed) of a state over one period, `count` of them, the largest modulus
 * first; those beyond d are 0. flow (d, a unit vector, destroyed; NULL: a forced motion): along it the multiplier is
 * known to be 1; what phi makes of it is *trivial (NAN: forced), and d - 1 are left. The `family` nearest to 1 are those
 * of a family of motions: they say nothing and become 0. work: d x d. */
am_status am_multipliers_find(double *phi, size_t d, double *flow, size_t family, double *work,
                              am_multiplier *multiplier, size_t count, double *trivial, am_error *err);

#endif
