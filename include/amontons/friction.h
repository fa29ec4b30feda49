/* Coefficients of friction that fall with the distance slid, from f_s to f_d (eq. 4.8). `distance` is the Delta of eq.
 * (4.11), the area between the curve and f_d divided by f_s - f_d, for every law alike. */
#ifndef AMONTONS_FRICTION_H
#define AMONTONS_FRICTION_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_friction_law {
    AM_FRICTION_COULOMB,        /* kinetic alone */
    AM_FRICTION_STATIC_KINETIC, /* static until the contact begins to slip somewhere, then kinetic */
    AM_FRICTION_RAMP,           /* linear, over 2 distance */
    AM_FRICTION_STEP,           /* at distance; drawn as a line from 3/4 to 5/4 of it */
    AM_FRICTION_EXPONENTIAL,    /* kinetic + (fixed - kinetic) exp(-slip/distance) */
    AM_FRICTION_TABLE,          /* linear between points, constant beyond the last */
    /* Of half-planes in partial slip alone (amontons/slip.h): what limits a slip zone as a whole. */
    AM_FRICTION_GRIFFITH, /* slip spreads when K_II = sqrt(2 E* energy), and rubs with `kinetic` behind */
    AM_FRICTION_DOUBLE,   /* falls in a transition zone: the double Cattaneo-Mindlin solution */
    AM_FRICTION_SHORT     /* its limit of a short transition */
} am_friction_law;

typedef struct am_friction {
    am_friction_law law;
    double kinetic;  /* f_d, or f */
    double fixed;    /* f_s */
    double distance; /* Delta */
    size_t count;    /* of the table, slip increasing from 0 */
    const double *slip, *coefficient;
} am_friction;

AM_API am_status am_friction_check(const am_friction *friction, am_error *err);

/* The laws whose coefficient is a continuous function of the distance slid. */
AM_API bool am_friction_weakens(const am_friction *friction);

/* The coefficient after sliding `slid` >= 0, and its slope. */
AM_API double am_friction_at(const am_friction *friction, double slid, double *slope);

/* The largest and the last coefficient. */
AM_API double am_friction_most(const am_friction *friction);
AM_API double am_friction_last(const am_friction *friction);

/* The integral of the coefficient from 0 to `slid`: what friction takes per unit of normal force. */
AM_API double am_friction_work(const am_friction *friction, double slid);

/* The most negative slope between two distances slid, from <= to (0 or positive: it falls nowhere there). */
AM_API double am_friction_steepest(const am_friction *friction, double from, double to);

/* Beyond this distance the coefficient is the last one for good (exponential: but for rounding). */
AM_API double am_friction_reach(const am_friction *friction);

/* "coulomb", "static-kinetic", "ramp", "step", "exponential", "table", "griffith", "double", "short". */
AM_API const char *am_friction_law_name(am_friction_law law);

#ifdef __cplusplus
}
#endif
#endif
