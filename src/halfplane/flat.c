#include <float.h>
#include <math.h>

#include "halfplane/profile.h"
#include "math/pi.h"

am_status am_profile_check_friction(double friction, am_error *err) {
    if (friction > 0.0 && isfinite(friction))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "f", "partial slip needs a positive coefficient of friction; it is %g",
                         friction);
}

am_status am_profile_check_load(const am_profile *profile, double P, am_error *err) {
    if (!(P > 0.0 && isfinite(P)))
        return am_fail_field(err, AM_ERR_INPUT, "P",
                             "the bodies never touch: the normal load must be positive, and it is %g", P);
    double most = profile->kind->most(profile->data);
    if (isfinite(most) && P > profile->kind->load(profile->data, most) * (1.0 + 4.0 * DBL_EPSILON))
        return am_fail_field(err, AM_ERR_INPUT, "P",
                             "P = %g closes the contact over the whole period; the profile's solution ends at %g", P,
                             profile->kind->load(profile->data, most));
    return AM_OK;
}

double am_flat_traction(double x, double s) {
    x = fabs(x);
    return x < s ? 1.0 / (pi * sqrt((s - x) * (s + x))) : 0.0;
}

/* acosh(1 + e) = 2 asinh(sqrt(e/2)) */
double am_flat_angle(double excess) {
    return excess > 0.0 ? 2.0 * asinh(sqrt(0.5 * excess)) : 0.0;
}

double am_flat_drop(double modulus, double x, double s) {
    return 2.0 / (pi * modulus) * am_flat_angle((fabs(x) - s) / s);
}

double am_flat_intensity(double s) {
    return 1.0 / sqrt(pi * s);
}

am_transform am_flat_transform(double x, double z, double s) {
    double complex zeta = am_field_point(x, z), root = csqrt(zeta - s) * csqrt(zeta + s);
    return (am_transform){1.0 / (pi * root), -zeta / (pi * root * root * root)};
}
