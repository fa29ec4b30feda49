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

/* The force; its derivatives by e and by the rate are added to (NULL: not wanted). */
double am_polynomial_force(const am_polynomial_def *spring, double e, double rate, double *by_e, double *by_rate);

/* Energy stored in the terms without velocity, and power lost in the others. */
double am_polynomial_stored(const am_polynomial_def *spring, double e);
double am_polynomial_lost(const am_polynomial_def *spring, double e, double rate);

#endif
