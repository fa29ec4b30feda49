/* Motions that must have the same events: of one structure written down in two ways. */
#ifndef AMONTONS_TESTS_RELATIVES_H
#define AMONTONS_TESTS_RELATIVES_H
#include "trajectory.h"

typedef struct relatives {
    trajectory base, moved, other; /* the motion, that of the structure nudged, that of its relative */
} relatives;

typedef struct relation {
    double time_shift;
    double time_rounding;      /* of the relative's times, where they are large */
    double more_rounding;      /* of its state, relative, where the relative is computed with less digits */
    const size_t *contact_map; /* contact c of the original is contact_map[c] of the other; NULL: the same */
} relation;

/* The same structure with all its loads, held forces and starts changed by about 1e-9: shows how sensitive each event
 * is. */
void relatives_nudge(const plain_system *plain, const double *q, const double *v, plain_system *moved, double *mq,
                     double *mv);

/* Compares as long as the nudged motion is still the same one and events do not crowd.
 * Data of relatives differ by a few roundings, 1e-16, of which the nudge is 1e7 times as much; 1e-4 of its effect and
 * 1e-12 are allowed (and in proportion where there is more rounding). Returns the number of events compared, or -1. */
int relatives_compare(const relatives *r, const relation *how);

/* Both lists of events, side by side. */
void relatives_print(const relatives *r, const relation *how);

#endif
