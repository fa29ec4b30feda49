/* What presses: the gap between the surfaces before they touch, as a function of x. */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_PROFILE_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_PROFILE_H
#include <stddef.h>

#include "amontons/slip.h"

typedef struct am_bem_profile {
    am_slip_shape shape;
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
