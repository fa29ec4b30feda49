/* What presses: the gap between the surfaces before they touch, as a function of x. */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_PROFILE_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_PROFILE_H
#include <stddef.h>

#include "amontons/error.h"

typedef enum am_bem_shape {
    AM_BEM_PARABOLA, /* x^2/(2 radius) */
    AM_BEM_POWER,    /* factor |x|^power */
    AM_BEM_WAVE,     /* amplitude (1 - cos(2 pi x/wavelength)) */
    AM_BEM_FLAT,     /* 0 for |x| < half_width, no contact beyond: sharp ends */
    AM_BEM_ROUNDED,  /* 0 for |x| < half_width, then (|x| - half_width)^2/(2 radius) */
    AM_BEM_TABLE     /* a natural cubic spline through the points (x, gap); no contact beyond them */
} am_bem_shape;

typedef struct am_bem_profile {
    am_bem_shape shape;
    double radius;
    double factor, power;
    double amplitude, wavelength;
    double half_width;
    size_t count; /* of the table's points, at least 3, x increasing */
    const double *x, *gap;
} am_bem_profile;

am_status am_bem_profile_check(const am_bem_profile *profile, am_error *err);

/* Gaps at the places x (count), which increase. INFINITY where the bodies can never touch. */
am_status am_bem_profile_gaps(const am_bem_profile *profile, size_t count, const double *x, double *gaps,
                              am_error *err);

#endif
