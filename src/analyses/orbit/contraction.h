/* Is a state inside the neighbourhood of a stable orbit that contracts? See docs/orbit.md, section 5. */
#ifndef AMONTONS_ANALYSES_ORBIT_CONTRACTION_H
#define AMONTONS_ANALYSES_ORBIT_CONTRACTION_H
#include "amontons/orbit.h"

/* The linearised return map gives a norm that it contracts. *captured: the return map itself contracts it too, at points
 * all over the ellipsoid through x around the orbit, at half its size, and at x. */
am_status am_orbit_captures(am_motion *engine, const am_orbit_return *how, const am_orbit *orbit, const double *x,
                            bool *captured, am_error *err);

#endif
