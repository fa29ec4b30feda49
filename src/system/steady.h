/* A structure as it slides steadily: friction that depends on the sliding speed has the coefficient at the speed of its
 * surface there, what it remembers has settled, and small changes of speed, normal force and memory change it. */
#ifndef AMONTONS_SYSTEM_STEADY_H
#define AMONTONS_SYSTEM_STEADY_H
#include "laws/law.h"
#include "system/system.h"

typedef struct am_steady_sliding {
    am_arena memory;
    am_system view;
    const am_system *system; /* what to use: the view, or the structure itself where nothing depends on speed */
} am_steady_sliding;

/* am_steady_sliding_clear in the end. The structure is borrowed. Friction of the view is F = friction N of each contact, and
 * one load more along its tangent where F is not proportional to N. `state`: which way contacts slide (m; NULL: as
 * their surfaces drag). `velocity`: of the structure (n; NULL: none). */
am_status am_steady_sliding_init(am_steady_sliding *steady, const am_system *system, const am_contact_state *state,
                                 const double *velocity, am_error *err);
void am_steady_sliding_clear(am_steady_sliding *steady);

/* Small changes about steady sliding with the normal force N, of a contact of the view: slopes of F, against the slip, and
 * of the rates of what its law remembers. Those who vary its friction vary the law mu(v) by the same factor; a law without
 * stick has the force that it would have under that many times the normal force, which varies all its coefficients at
 * once. */
am_drag am_steady_slope(const am_contact_def *contact, double normal);

/* Are the slopes of contact c there? AM_ERR_UNSUPPORTED where its normal force is not known, or nothing presses it. */
am_status am_steady_check(const am_system *system, size_t c, bool known, const am_drag *slope, am_error *err);

/* How much its law remembers; nothing where it is varied to no friction at all: it would follow, and do nothing. */
size_t am_steady_memories(const am_contact_def *contact);

/* Across the slip of a contact in a plane, which slides along its first tangent at the speed V of its surface. Friction
 * turns with the slip: rigid, dT2 = -(mu N/V) v2. Behind springs k their stretch e turns, of length mu N/k:
 * dT2 = -k e2, e2' = v2 - (V k/(mu N)) e2. Zeros where nothing rubs. */
typedef struct am_across {
    double damping, stiffness, decay; /* stiffness > 0: there is an e2 */
} am_across;
am_across am_steady_across(const am_contact_def *contact, double normal);

/* What friction changes by at once with the normal force, dF/dN at N. */
double am_steady_friction(const am_contact_def *contact, double normal);

#endif
