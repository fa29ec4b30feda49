/* The largest Lyapunov exponent of a motion, with the error of its estimate. See docs/orbit.md, section 6. */
#ifndef AMONTONS_ANALYSES_ORBIT_EXPONENT_H
#define AMONTONS_ANALYSES_ORBIT_EXPONENT_H
#include "amontons/orbit.h"

typedef struct am_exponent {
    double value;   /* per unit time: mean growth of a disturbance across the motion */
    double error;   /* standard error of the mean */
    size_t returns; /* over which the motion was followed */
    double time;
} am_exponent;

/* Are neighbours shown to part (+1) or to come nearer (-1)? 0: neither is shown. */
int am_exponent_sign(const am_exponent *exponent);

/* Is it zero as nearly as can be told: neither, and known well enough that ten e-folds over the time would be seen? */
bool am_exponent_is_zero(const am_exponent *exponent);

/* Go on to the next return; *growth: logarithm of a disturbance's, *time: how long it took. */
typedef am_status am_exponent_step(void *context, double *growth, double *time, am_error *err);

/* Follow a state on the section over hundreds of returns, and on until its neighbours are shown to part or to come
 * nearer, but not over more than some thousand. *exponent is NAN where the motion cannot be followed. */
am_status am_exponent_find(am_motion *engine, const am_orbit_return *how, const double *state, am_exponent *exponent,
                           am_error *err);

#endif
