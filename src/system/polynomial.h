/* One polynomial spring or damper, stretched by e = direction.q at the rate e'. */
#ifndef AMONTONS_SYSTEM_POLYNOMIAL_H
#define AMONTONS_SYSTEM_POLYNOMIAL_H
#include "amontons/system.h"

static inline double am_integer_power(double x, unsigned exponent) {
    double value = 1.0;
    for (; exponent; exponent--)
        value *= x;
    return value;
}

double am_polynomial_force(const am_polynomial_def *spring, double e, double rate);

/* Energy stored in the terms without velocity, and power lost in the others. */
double am_polynomial_stored(const am_polynomial_def *spring, double e);
double am_polynomial_lost(const am_polynomial_def *spring, double e, double rate);

#endif
