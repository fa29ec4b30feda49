/* Friction that weakens with the distance slid, in the arithmetic of power series: one formula for each piece between two
 * knots, the last of them constant. */
#ifndef AMONTONS_SYSTEM_FRICTION_PIECES_H
#define AMONTONS_SYSTEM_FRICTION_PIECES_H
#include "amontons/system.h"
#include "math/tape.h"

/* The distance slid at which a piece ends; INFINITY of the last one. */
double am_friction_knot(const am_friction *friction, size_t piece);

/* The coefficient after the distance `slid`. */
am_term am_friction_record(am_tape *tape, const am_friction *friction, size_t piece, am_term slid);

/* How many numbers a contact remembers besides stretches of springs: the distance slid, or what its law does. In states of
 * structures they follow the stretches, contact by contact. */
size_t am_contact_memories(const am_contact_def *contact);
size_t am_system_memories(const am_system *system);

#endif
