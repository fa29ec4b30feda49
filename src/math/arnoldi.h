/* The lowest eigenvalues of large symmetric problems K x = lambda M x, by Lanczos on the shifted and inverted problem
 * (ARPACK). One thread at a time uses ARPACK: calls wait for each other. */
#ifndef AMONTONS_MATH_ARNOLDI_H
#define AMONTONS_MATH_ARNOLDI_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"
#include "amontons/result.h"

typedef struct am_arnoldi_problem {
    size_t n;
    double shift;                                                                 /* below all eigenvalues */
    am_status (*solve)(void *context, const double *x, double *y, am_error *err); /* y = (K - shift M)^-1 x */
    void (*mass)(void *context, const double *x, double *y);                      /* y = M x */
    void *context;
} am_arnoldi_problem;

/* Was the library built with ARPACK? */
bool am_arnoldi_available(void);

/* The `count` < n eigenvalues nearest above the shift, ascending, with vectors as rows (count x n), x.M x = 1.
 * AM_ERR_UNSUPPORTED without ARPACK, AM_ERR_EVIDENCE when it does not converge. */
am_status am_arnoldi_lowest(const am_arnoldi_problem *problem, size_t count, double *values, double *vectors,
                            const am_progress *progress, am_error *err);

#endif
