/* Where a structure rests under its loads: the start of a motion that nobody has pushed yet. */
#ifndef AMONTONS_ENGINES_SWITCHING_REST_H
#define AMONTONS_ENGINES_SWITCHING_REST_H
#include "amontons/system.h"

/* Equilibrium q (n) under the loads of time t, put on at once on contacts that stood at `stand` (n; NULL: zero), as
 * `path` with load steps finds it. Errors are those of that path, with err->field "initial". */
am_status am_rest_find(const am_system *system, double t, const double *stand, double *q, am_error *err);

#endif
