/* Coordinates whose motion is given: a dragged end, a shaken support.
 *
 * A prescribed coordinate p moves as x(t) whatever the forces. Its own equation only says which force that takes and is
 * left out; in the other equations its columns become loads,
 *
 *     M' q'' + C' q' + K' q = F' - K_p x(t) - C_p x'(t) - M_p x''(t) + contact forces,
 *
 * and a contact's rows lose their entry for p: t_p x' joins the surface velocity, n_p x the gap. Where the velocity x'
 * jumps (at the points of a table) x'' is a blow. */
#ifndef AMONTONS_SYSTEM_PRESCRIBED_H
#define AMONTONS_SYSTEM_PRESCRIBED_H
#include "amontons/system.h"

typedef struct am_prescribed {
    size_t coordinate;    /* of the whole system */
    am_function function; /* of time; one that jumps where neither mass nor contacts ask for its velocity */
} am_prescribed;

/* The system of the remaining coordinates, in their order. Errors of am_system_create name fields of `def` (contacts
 * and loads keep their numbers), others "prescribed[i].coordinate" or "prescribed[i].function". */
am_system *am_prescribed_create(const am_system_def *def, size_t count, const am_prescribed *prescribed, am_error *err);

#endif
