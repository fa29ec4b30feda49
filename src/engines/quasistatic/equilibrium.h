/* Where a structure rests: the start of a motion that nobody has pushed yet, and what small vibrations happen about.
 *
 * Loads are put on at once, or (a preload: bolts, weight, centrifugal loads) slowly, from a structure without stress; contacts
 * stick, slip and open on the way, and springs behind sliders keep their stretch. A preload is followed from corner to corner, as
 * `path` does, so that no step decides where a contact that closes begins to stick; where that engine does not know a law, or
 * contacts are too many, in more and more load steps until the state settles. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_EQUILIBRIUM_H
#define AMONTONS_ENGINES_QUASISTATIC_EQUILIBRIUM_H
#include "amontons/system.h"
#include "base/arena.h"

typedef struct am_equilibrium {
    am_arena memory;
    double *state; /* as am_motion_state has it: displacements, no velocities, stretches, what friction remembers */
    am_contact_state *contact; /* m */
    double *normal;            /* m: forces */
    double *tangential, *second;
    double residual; /* of the contact laws and the equilibrium, relative to the largest force */
    size_t steps;    /* of a preload; 0: it was followed from corner to corner */
    double error;    /* of a preload: its evidence from corner to corner; how much more steps moved the state,
                        as a part of the largest displacement */
} am_equilibrium;

/* Under the loads of time t, put on at once on contacts that stood at zero. am_equilibrium_clear in the end. Errors are those of
 * the path, with err->field "initial". */
am_status am_equilibrium_rest(am_equilibrium *equilibrium, const am_system *system, double t, am_error *err);

/* Under the constant loads alone, all growing together; surfaces and supports rest, where the supports and what the held
 * normal forces are is that of time t. */
am_status am_equilibrium_preload(am_equilibrium *equilibrium, const am_system *system, double t, am_error *err);
void am_equilibrium_clear(am_equilibrium *equilibrium);

#endif
