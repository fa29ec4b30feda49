/* Inside of `squeal`: the friction from which on inertia no longer keeps the rigid contacts of a large structure closed
 * (docs/stability.md, "Where rigid contact fails"). */
#ifndef AMONTONS_ANALYSES_SQUEAL_PAINLEVE_H
#define AMONTONS_ANALYSES_SQUEAL_PAINLEVE_H
#include "analyses/squeal/full.h"

/* The least mu > 0 at which a principal minor of J M^-1 B vanishes; INFINITY: none, no rigid contact, or a singular
 * mass. All minors up to ten rigid contacts; beyond, those of one contact, of two, and of all. */
am_status am_squeal_painleve(const am_squeal_full *full, double *mu, am_error *err);

#endif
