/* Does the present state of contact last for ever? See docs/attractors.md for the argument.
 *
 * For loads that are constant or grow linearly, the motion in one combination of contact states is a line plus an
 * oscillation whose energy does not grow (no friction coupling, or one degree of freedom left; positive definite
 * reduced stiffness). Every quantity that must stay positive is then at least a linear function of time minus a
 * constant, which gives the time from which it cannot vanish. */
#ifndef AMONTONS_ENGINES_SWITCHING_FINALITY_H
#define AMONTONS_ENGINES_SWITCHING_FINALITY_H
#include "engines/switching/flow.h"

/* The time from which the combination provably lasts for ever, if it lasts until then, starting from x at time t (x:
 * nx); INFINITY if no such time can be given. Memory is used only when a flow is asked for the first time. */
am_status am_finality_time(const am_plan *plan, am_flow *flow, double t, const double *x, double *when, am_error *err);

#endif
