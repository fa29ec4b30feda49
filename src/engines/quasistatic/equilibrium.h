/* Where a structure rests: the start of a motion that nobody has pushed yet, and what small vibrations happen about.
 *
 * Loads are put on at once, or (a preload: bolts, weight, centrifugal loads) in steps, from a structure without stress; contacts stick,
 * slip and open on the way, as `path` with load steps finds it, and springs behind sliders keep their stretch. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_EQUILIBRIUM_H
#define AMONTONS_ENGINES_QUASISTATIC_EQUILIBRIUM_H
#include "amontons/system.h"
#include "base/arena.h"

typedef struct am_equilibrium {
    am_arena memory;
    double *state; /* 2n + springs: displacements, no velocities, stretches in the order of am_motion_state */
    am_contact_state *contact; /* m */
    double *normal;            /* m: forces */
    double *tangential, *second;
    double residual; /* of the contact laws and the equilibrium, relative to the largest force */
} am_equilibrium;

/* Under the loads of time t, put on at once on contacts that stood at zero. am_equilibrium_clear in the end. Errors are those of
 * the path, with err->field "initial". */
am_status am_equilibrium_rest(am_equilibrium *equilibrium, const am_system *system, double t, am_error *err);

/* Under the constant loads alone, put on in `steps` equal steps; surfaces and supports rest, where the supports and what the held
 * normal forces are is that of time t. */
am_status am_equilibrium_preload(am_equilibrium *equilibrium, const am_system *system, double t, size_t steps,
                                 am_error *err);
void am_equilibrium_clear(am_equilibrium *equilibrium);

enum { AM_PRELOAD_STEPS = 100 };

#endif
