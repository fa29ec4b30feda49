/* Stiff coordinates that only follow the others.
 *
 * In a flow x' = F x some entries of x may be far faster than the rest: displacements and velocities f of stiff, light
 * or heavily damped coordinates, s all others with the inputs. There is a slow motion in which the fast entries follow,
 * f = P s, an invariant subspace of F:
 *
 *     T = F_ss + F_sf P,     F_fs + F_ff P = P T,     s' = T s.
 *
 * The distance from it obeys an equation of its own, d = f - P s, d' = (F_ff - P F_sf) d: once it is below rounding
 * (damping has done away with it, or nothing has ever moved it) and cannot grow, the motion is s' = T s, whose series
 * reaches as far as the slow entries allow. */
#ifndef AMONTONS_ENGINES_SWITCHING_SLOW_H
#define AMONTONS_ENGINES_SWITCHING_SLOW_H
#include "engines/switching/flow.h"

struct am_slow {
    size_t fast, slow;    /* how many entries of x are fast, slow */
    size_t *index;        /* nx: the places in x of the fast ones, then of the slow ones */
    double *P, *T;        /* fast x slow, slow x slow */
    double rate, lead;    /* weighted norms of T, and of P (at least 1) */
    double *value, *next; /* slow each: work space */
};

/* flow->slow stays NULL where the flow has no such motion, or it cannot be told from rounding that it cannot grow. */
am_status am_slow_seek(const am_plan *plan, am_flow *flow, am_error *err);

/* The weighted distance of x from the slow motion. */
double am_slow_distance(const am_plan *plan, const am_slow *slow, const double *x);

/* Puts the first row of the series on the slow motion and fills in all orders. */
void am_slow_expand(const am_plan *plan, am_slow *slow, double *series);

#endif
