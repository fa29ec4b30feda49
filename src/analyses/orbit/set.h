/* A set of orbits in which none occurs twice, whatever phase or section it was found at. */
#ifndef AMONTONS_ANALYSES_ORBIT_SET_H
#define AMONTONS_ANALYSES_ORBIT_SET_H
#include "amontons/orbit.h"

/* A state the orbit passes: just after a switch (self-excited), or at the phase of the section (forced). */
typedef struct am_orbit_mark {
    size_t contact;
    am_contact_state from, to;
} am_orbit_mark;

typedef struct am_orbit_member {
    am_orbit orbit;
    am_orbit_return how;
    size_t marks, mark_capacity;
    am_orbit_mark *mark; /* marks */
    double *states;      /* marks x d */
    double size;         /* of the largest state */
    size_t images;       /* 2 where the mirror image is another motion, which is counted with this one; else 1 */
} am_orbit_member;

typedef struct am_orbit_set {
    am_motion *engine; /* the set's own engine, which also balances the energy */
    size_t d;
    bool mirror; /* loads and contacts change sign with half a period: so do motions */
    size_t count, capacity;
    am_orbit_member *member;
} am_orbit_set;

am_status am_orbit_set_init(am_orbit_set *set, const am_system *system, am_error *err);
void am_orbit_set_clear(am_orbit_set *set);

/* Put an orbit, found on the section `how`, into the set, unless it is there. *index: its place. The caller keeps
 * `orbit`. */
am_status am_orbit_set_add(am_orbit_set *set, const am_orbit *orbit, const am_orbit_return *how, size_t *index,
                           am_error *err);

/* The stable orbit of the set that passes the section `how` nearest to `state`; false: none. Members of families are
 * left out: there is no single one to come to. */
typedef struct am_orbit_passage {
    size_t index;        /* of the orbit */
    size_t returns;      /* to this section, in one period */
    const double *state; /* d: where it passes; borrowed until the set changes */
} am_orbit_passage;
bool am_orbit_set_nearest(const am_orbit_set *set, const am_orbit_return *how, const double *state,
                          am_orbit_passage *passage);

/* The order to show them in: stable ones first, then by period, then as found. order: count. */
void am_orbit_set_order(const am_orbit_set *set, size_t *order);

/* Does the system look the same after half a period of its loads with all signs changed? */
bool am_orbit_mirrors(const am_system *system);

#endif
