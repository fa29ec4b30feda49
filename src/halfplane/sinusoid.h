/* A sinusoidal profile on a half-plane: gap amplitude * (1 - cos(2 pi x/lambda)) before loading, contact over
 * |x - n lambda| < a <= lambda/2. docs/halfplane.md, section 6; the thesis' equations 5.53-5.60. */
#ifndef AMONTONS_HALFPLANE_SINUSOID_H
#define AMONTONS_HALFPLANE_SINUSOID_H
#include <stdbool.h>

#include "halfplane/profile.h"

typedef struct am_sinusoid {
    double modulus;    /* E* */
    double amplitude;  /* Delta, half of the height */
    double wavelength; /* lambda */
    bool isolated; /* the thesis' singular term, that of a single flat: it does not keep the stick zone from sliding */
} am_sinusoid;

am_status am_sinusoid_check(const am_sinusoid *wave, am_error *err);

/* `wave`: an am_sinusoid, untyped as in a profile. */
double am_sinusoid_load(const void *wave, double a); /* per period: lambda times the mean pressure */
double am_sinusoid_half_width(const void *wave, double load);
double am_sinusoid_pressure(const void *wave, double x, double a);
double am_sinusoid_slip(const void *wave, double x, double c);
am_transform am_sinusoid_transform(const void *wave, double x, double z, double a);

/* The flat repeated with the period, under a unit load per period: cos(X)/sqrt(sin^2(S) - sin^2(X))/lambda with
 * X = pi x/lambda; the isolated flat when `isolated` is set (then without a closed transform: NaN). */
double am_sinusoid_flat(const void *wave, double x, double s);
double am_sinusoid_flat_drop(const void *wave, double x, double s);
double am_sinusoid_flat_intensity(const void *wave, double s);
am_transform am_sinusoid_flat_transform(const void *wave, double x, double z, double s);

am_profile am_sinusoid_profile(const am_sinusoid *wave);

#endif
