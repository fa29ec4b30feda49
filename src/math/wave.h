/* Sums of a straight line and waves, f(s) = constant + slope s + sum of cosine_j cos(frequency_j s) + sine_j
 * sin(frequency_j s): what periodic loads are between their breaks. */
#ifndef AMONTONS_MATH_WAVE_H
#define AMONTONS_MATH_WAVE_H
#include <stddef.h>

typedef struct am_wave {
    double constant, slope;
    size_t count;
    const double *frequency; /* > 0, all different */
    const double *cosine, *sine;
} am_wave;

double am_wave_at(const am_wave *wave, double s);

/* The least value on [0, length], and where it is taken. At most one wave: closed form. Several: the interval is halved
 * until what remains cannot hold anything lower, because |f''| is bounded; *error is then how much lower the true least
 * value could be at most. */
double am_wave_least(const am_wave *wave, double length, double *where, double *error);

#endif
