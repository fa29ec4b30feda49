/* Large linear systems known by their products alone: GMRES, preconditioned from the right, so that what it measures is
 * the residual itself. */
#ifndef AMONTONS_MATH_GMRES_H
#define AMONTONS_MATH_GMRES_H
#include <stddef.h>

#include "base/arena.h"

typedef struct am_gmres_problem {
    size_t n;
    void (*apply)(void *context, const double *x, double *y);        /* y = K x */
    void (*precondition)(void *context, const double *x, double *y); /* y about K^-1 x */
    void *context;
} am_gmres_problem;

typedef struct am_gmres {
    am_arena memory;
    size_t n, width; /* of the vectors; vectors kept before a restart */
    double *basis;   /* (width + 1) x n */
    double *hessenberg, *cosine, *sine, *rhs, *work;
} am_gmres;

am_status am_gmres_init(am_gmres *gmres, size_t n, size_t width, am_error *err);
void am_gmres_clear(am_gmres *gmres);

/* x (n): a guess, becomes the solution. Ends when the residual is below `tolerance` times |b|, or after `most`
 * products. Returns the residual reached, relative to |b|. */
double am_gmres_solve(am_gmres *gmres, const am_gmres_problem *problem, const double *b, double tolerance, size_t most,
                      double *x, size_t *products);

#endif
