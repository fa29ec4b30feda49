/* The sign changes of a signal in [0, 2 pi) from values at eight points for each harmonic. */
#ifndef AMONTONS_TESTS_SIGNAL_CHANGES_H
#define AMONTONS_TESTS_SIGNAL_CHANGES_H
#include "math/trigonometric.h"

static inline size_t signal_changes(size_t degree, const double *s, double *theta) {
    enum { MOST_POINTS = 8 * 64 };
    double values[MOST_POINTS];
    size_t count = degree > 0 ? 8 * degree : 1;
    int sign;
    for (size_t k = 0; k < count; k++)
        values[k] = am_trig_value(degree, s, 6.28318530717958647693 * (double)k / (double)count);
    return am_trig_changes_sampled(degree, s, count, values, theta, &sign);
}

#endif
