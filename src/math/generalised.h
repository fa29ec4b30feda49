/* The symmetric generalised eigenproblem A x = lambda B x with B positive definite. */
#ifndef AMONTONS_MATH_GENERALISED_H
#define AMONTONS_MATH_GENERALISED_H
#include <stddef.h>

#include "amontons/error.h"

/* Eigenvalues ascending into `values`; a's row i becomes the vector of values[i], with x.B x = 1. b is destroyed. */
am_status am_generalised_eigen(double *a, double *b, size_t n, double *values, am_error *err);

#endif
