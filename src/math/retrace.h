/* Curves of solutions found again when their equations have changed a little: Newton's method from each of their points,
 * without a step. docs/continuation.md. */
#ifndef AMONTONS_MATH_RETRACE_H
#define AMONTONS_MATH_RETRACE_H
#include "math/continuation.h"

/* A point is x (n), p and its residual, one behind the other. */
typedef struct am_traced_curve {
    size_t n, count, capacity, piece_capacity;
    double *points;
    size_t *piece; /* of each point; those of one piece follow each other */
} am_traced_curve; /* begins with n alone */

static inline const double *am_traced_point(const am_traced_curve *curve, size_t i) {
    return curve->points + i * (curve->n + 2);
}

am_status am_traced_add(am_traced_curve *curve, size_t piece, const double *x, double p, double residual,
                        am_error *err);
void am_traced_clear(am_traced_curve *curve);

/* About `most` points of a curve are corrected in the planes normal to it, ends at a bound of p at that bound; where
 * neighbours have come far apart there are new ones between: those of the last picture (`drawn`, may be empty), or, where
 * that leaves too little, those of the curve that was followed. *found: what came of it is in `drawn` now; else that is
 * as it was. *lost: points from which Newton's method did not arrive. Of the options: the range of p and the tolerance. */
am_status am_traced_draw(const am_traced_curve *followed, am_traced_curve *drawn, am_continuation *workspace,
                         const am_continuation_problem *problem, const am_continuation_options *options, size_t most,
                         bool *found, size_t *lost, am_error *err);

#endif
