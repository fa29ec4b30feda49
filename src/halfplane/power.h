/* The power-law profile: gap C |x|^k before loading, k >= 1 (k = 1: wedge, k = 2: parabola with C = 1/(2R)).
 * docs/halfplane.md, section 5; the thesis' equations 5.42, 5.43, 5.49 and 5.50. */
#ifndef AMONTONS_HALFPLANE_POWER_H
#define AMONTONS_HALFPLANE_POWER_H
#include "halfplane/profile.h"

typedef struct am_power {
    double modulus;     /* E* */
    double exponent;    /* k */
    double coefficient; /* C */
    double reference;   /* displacements are relative to the points at half this distance from the centre */
} am_power;

am_status am_power_check(const am_power *power, am_error *err);

/* `power`: an am_power, untyped as in a profile. */
double am_power_load(const void *power, double a);
double am_power_half_width(const void *power, double load);
double am_power_pressure(const void *power, double x, double a);
double am_power_slip(const void *power, double x, double c);
am_transform am_power_transform(const void *power, double x, double z, double a);

/* The integral of t^(k-1)/sqrt(t^2 - s^2) from s to 1, 0 <= s <= 1: the pressure times pi a/(k P). It equals
 * sqrt(1 - s^2) 2F1(1, 1 - k/2; 3/2; 1 - s^2), finite for every k > 1, odd ones included; for k = 1 it is acosh(1/s).
 */
double am_power_shape(double k, double s);

am_profile am_power_profile(const am_power *power);

#endif
