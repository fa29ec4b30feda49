/* Point and strip loads on an elastic half-plane, and the stresses below any traction whose Cauchy transform is known
 * (docs/halfplane.md, sections 1 and 2; the thesis' equations 1.8-1.21).
 *
 * Signs of the whole room: z points into the half-plane, p > 0 presses on it, q > 0 pulls its surface along +x.
 * Stresses are positive in tension, so that on the surface sigma_zz = -p and tau_xz = -q. */
#ifndef AMONTONS_HALFPLANE_FIELD_H
#define AMONTONS_HALFPLANE_FIELD_H
#include <complex.h>
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_stress {
    double xx, zz, xz;
} am_stress;

/* The largest shear stress in the plane, (sigma_1 - sigma_2)/2. */
double am_stress_shear(am_stress stress);

/* F(zeta) = (1/pi) integral of t(xi)/(zeta - xi) and its derivative, zeta = x + i z. On the surface Im F = -t and Re F
 * is the principal value. */
typedef struct am_transform {
    double complex value, slope;
} am_transform;

/* zeta = x + i z; from above when z is zero. */
static inline double complex am_field_point(double x, double z) {
    return x + (z > 0.0 ? z : 0.0) * I;
}

/* Sums of transforms: a + factor b. */
am_transform am_transform_add(am_transform a, double factor, am_transform b);

/* The stress at depth z below tractions with these transforms. On the surface the slopes are not used. */
am_stress am_field_stress(double z, am_transform p, am_transform q);

/* The material of one half-plane. */
typedef struct am_medium {
    double shear_modulus; /* G */
    double kolosov;       /* 3 - 4 nu in plane strain */
} am_medium;

/* E > 0, -1 < nu <= 1/2 */
am_status am_medium_plane_strain(double young, double nu, am_medium *medium, am_error *err);

/* Two half-planes: E* (1.50) and Dundurs' beta (1.30), first body minus second. An infinite modulus is a rigid body. */
am_status am_medium_pair(const am_medium *first, const am_medium *second, double *modulus, double *beta, am_error *err);

/* Tractions given at points and linear between; zero beyond the first and the last. */
typedef struct am_strips {
    size_t count;
    const double *x, *p, *q; /* x increasing; p or q may be NULL: zero */
    double period; /* > 0: tractions repeat, and go on in a line from the last point to the first of the next period */
} am_strips;

/* Exact for linear pieces. At a point where a traction jumps (an end with a load) the surface value is infinite; the
 * transforms leave that logarithm out. */
void am_strips_transform(const am_strips *strips, double x, double z, am_transform *p, am_transform *q);
am_stress am_strips_stress(const am_strips *strips, double x, double z);

#endif
