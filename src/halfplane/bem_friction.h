/* Coefficients of friction that fall with the distance slid, from f_s to f_d (eq. 4.8). `distance` is the Delta of eq.
 * (4.11), the area between the curve and f_d divided by f_s - f_d, for every law alike. */
#ifndef AMONTONS_HALFPLANE_BEM_FRICTION_H
#define AMONTONS_HALFPLANE_BEM_FRICTION_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef enum am_bem_law {
    AM_BEM_COULOMB,        /* kinetic alone */
    AM_BEM_STATIC_KINETIC, /* static until the contact begins to slip somewhere, then kinetic */
    AM_BEM_RAMP,           /* linear, over 2 distance */
    AM_BEM_STEP,           /* at distance; drawn as a line from 3/4 to 5/4 of it */
    AM_BEM_EXPONENTIAL,    /* kinetic + (fixed - kinetic) exp(-slip/distance) */
    AM_BEM_WEAKENING_TABLE /* linear between points, constant beyond the last */
} am_bem_law;

typedef struct am_bem_friction {
    am_bem_law law;
    double kinetic;  /* f_d, or f */
    double fixed;    /* f_s */
    double distance; /* Delta */
    size_t count;    /* of the table, slip increasing from 0 */
    const double *slip, *coefficient;
} am_bem_friction;

am_status am_bem_friction_check(const am_bem_friction *friction, am_error *err);

/* The laws whose coefficient is a continuous function of the distance slid. */
bool am_bem_friction_weakens(const am_bem_friction *friction);

/* The coefficient after sliding `slid` >= 0, and its slope. */
double am_bem_friction_at(const am_bem_friction *friction, double slid, double *slope);

/* The largest and the last coefficient. */
double am_bem_friction_most(const am_bem_friction *friction);
double am_bem_friction_last(const am_bem_friction *friction);

#endif
