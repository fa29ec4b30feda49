/* How far is steady sliding from having an eigenvalue i omega? */
#ifndef AMONTONS_ANALYSES_STABILITY_AXIS_H
#define AMONTONS_ANALYSES_STABILITY_AXIS_H
#include "amontons/system.h"

/* The least change, relative to the system's own numbers, that makes i omega an eigenvalue: rounding where it is one,
 * however sensitive the eigenvalue itself may be. Where the equilibrium has ceased to exist, that makes 0 one: to all
 * digits flutter and divergence are the same there. INFINITY where the equations are not known: curved laws without an
 * equilibrium, polynomial springs. `state` as in am_sliding_init. See docs/threshold.md, section 2. */
am_status am_axis_distance(const am_system *system, const am_contact_state *state, double omega, double *distance,
                           am_error *err);

#endif
