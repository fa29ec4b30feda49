/* The one pi, and angles in radians. */
#ifndef AMONTONS_MATH_PI_H
#define AMONTONS_MATH_PI_H

static const double pi = 3.14159265358979323846;
static const double half_pi = 1.57079632679489661923;
static const double two_pi = 6.28318530717958647693;
static const double one_degree = 3.14159265358979323846 / 180.0;

#endif
