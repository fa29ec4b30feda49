/* A structure as it slides steadily: friction that depends on the sliding speed has the coefficient at the speed of its
 * surface there, and its slope acts as damping. */
#ifndef AMONTONS_SYSTEM_STEADY_H
#define AMONTONS_SYSTEM_STEADY_H
#include "system/system.h"

typedef struct am_steady {
    am_arena memory;
    am_system view;
    const am_system *system; /* what to use: the view, or the structure itself where nothing depends on speed */
} am_steady;

/* am_steady_clear in the end. The structure is borrowed. */
am_status am_steady_init(am_steady *steady, const am_system *system, am_error *err);
void am_steady_clear(am_steady *steady);

/* What a contact that slides steadily adds to the damping along its tangent, t t^T times this: N dmu/dv. */
double am_steady_damping(const am_contact_def *contact, double normal);

#endif
