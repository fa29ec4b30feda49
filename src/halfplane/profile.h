/* What the tangential problem needs to know of the normal one: a symmetric profile pressed on a half-plane, isolated or
 * repeated with a period, elastically similar or otherwise uncoupled (beta = 0). Everything follows from two functions
 * of the half-width s: the load P(s), and what a rigid flat of half-width s does (docs/halfplane.md, section 4).
 * Loads are per unit thickness, and per period where there is one. */
#ifndef AMONTONS_HALFPLANE_PROFILE_H
#define AMONTONS_HALFPLANE_PROFILE_H
#include "halfplane/field.h"

typedef struct am_profile_kind {
    const char *name;
    double (*modulus)(const void *data); /* E* */
    double (*most)(const void *data); /* the largest half-width, e.g. half a wavelength; infinite when there is none */

    /* the profile pressed to the half-width a */
    double (*load)(const void *data, double a);
    double (*half_width)(const void *data, double load); /* its inverse */
    double (*pressure)(const void *data, double x, double a);
    am_transform (*transform)(const void *data, double x, double z, double a);
    double (*approach)(const void *data, double a); /* the integral of the compliance over the load */

    /* integral over s from c to x of (load rate at s) times the drop outside a unit flat s: slip per unit friction
     * around a stick zone c; zero for |x| <= c */
    double (*slip)(const void *data, double x, double c);
    double (*slip_slope)(const void *data, double x, double c); /* its derivative by x, x > 0 */

    /* a stuck flat of half-width s under a unit load */
    double (*compliance)(const void *data, double s);          /* displacement against the reference */
    double (*flat)(const void *data, double x, double s);      /* traction */
    double (*flat_drop)(const void *data, double x, double s); /* displacement at the centre less that at x */
    double (*flat_intensity)(const void *data, double s);      /* lim sqrt(2 pi (s - x)) times the traction */
    am_transform (*flat_transform)(const void *data, double x, double z, double s);
} am_profile_kind;

typedef struct am_profile {
    const am_profile_kind *kind;
    const void *data; /* borrowed */
} am_profile;

/* AM_ERR_INPUT unless bodies are pressed together by P > 0 that leaves part of every period open; unless f > 0. */
am_status am_profile_check_load(const am_profile *profile, double P, am_error *err);
am_status am_profile_check_friction(double friction, am_error *err);

/* The isolated flat: 1/(pi sqrt(s^2 - x^2)), drop (2/(pi E*)) acosh(x/s), intensity 1/sqrt(pi s). */
double am_flat_traction(double x, double s);
double am_flat_drop(double modulus, double x, double s);
double am_flat_intensity(double s);
am_transform am_flat_transform(double x, double z, double s);

/* acosh(ratio) from the ratio and its excess over 1: keeps its digits near 1. */
double am_flat_angle(double excess);

#endif
