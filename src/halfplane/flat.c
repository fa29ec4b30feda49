#include <math.h>

#include "halfplane/profile.h"
#include "math/pi.h"

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
