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

/* A slider without mass behind a spring k whose friction weakens, stretched by E at the distance slid w0, slides at once to
 * where the spring meets friction again:
 *
 *     h(w) = k E - k (w - w0) - mu(w) N = 0,     h > 0 between.
 *
 * excess: h(w0), zero where it begins at its limit; then w0 is returned unless friction falls faster than the spring
 * relaxes, k < -mu'(w) N. Pieces of mu are lines, or convex: the first one at whose end h is not positive has one zero. */
double am_friction_meets(const am_friction *friction, double k, double N, double E, double w0, double excess);

/* How many numbers a contact remembers besides stretches of springs: the distance slid, or what its law does. In states of
 * structures they follow the stretches, contact by contact. */
size_t am_contact_memories(const am_contact_def *contact);
size_t am_system_memories(const am_system *system);

#endif
