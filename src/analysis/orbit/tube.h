/* The tube around a motion in which neighbours do as it does: pass the same switches in the same order, and stay near.
 * See docs/attractors.md, section 6. */
#ifndef AMONTONS_ANALYSIS_ORBIT_TUBE_H
#define AMONTONS_ANALYSIS_ORBIT_TUBE_H
#include "amontons/orbit.h"

typedef struct am_tube am_tube;

/* d: dimension of the states. */
am_tube *am_tube_create(size_t d, am_error *err);
void am_tube_free(am_tube *tube);

/* path: end + 1 states (d each) at successive returns. radius[k]: a neighbour within it at return k stays within
 * `largest` of the path at the next return and at places all along the way, within `end_radius` at its end, and meets
 * no other switch than the path does (to first order in its distance). In the weighted norm. Works backwards; returns
 * the first return that has a radius, 0 unless the motion could not be followed. The engine must follow sensitivities.
 */
size_t am_tube_radii(am_tube *tube, am_motion *engine, const am_orbit_return *how, const double *path, size_t end,
                     double largest, double end_radius, double *radius);

#endif
