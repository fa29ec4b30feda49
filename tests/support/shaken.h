/* A body on springs from a support that moves along the normal of its contact, as the support is seen from outside and
 * in its own frame, where a load -m s'' takes its place. */
#ifndef AMONTONS_TESTS_SHAKEN_H
#define AMONTONS_TESTS_SHAKEN_H
#include <stdbool.h>
#include <stdint.h>

#include "amontons/system.h"

/* Coordinates x along the surface and y across it, one contact with friction. */
typedef struct shaken {
    double m[2], kx, ky, kxy, c;
    double a, w; /* s = a sin(w t) + a/4 sin(2 w t + 1/2) */
    am_contact_def contact;
} shaken;

/* Every normal law in turn, with and without a spring behind the slider, both laws of restitution. */
shaken shaken_by_lot(uint64_t seed);

/* s and its rate. */
double shaken_support(const shaken *s, double t, double *rate);

am_system *shaken_system(const shaken *s, bool in_frame);

#endif
