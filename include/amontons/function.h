/* Scalar functions of time: what loads and held normal forces are made of.
 *
 * Every function is, between its breaks, the output of a small linear system z' = G z, f = h.z, whose state is known in
 * closed form at any time. That is what lets `motion` treat structure and loads as one linear system without a step
 * size. */
#ifndef AMONTONS_FUNCTION_H
#define AMONTONS_FUNCTION_H
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_function_kind {
    AM_FUNCTION_CONSTANT, /* value */
    AM_FUNCTION_RAMP,     /* value + rate t */
    AM_FUNCTION_SINE,     /* value + amplitude sin(frequency t + phase) */
    AM_FUNCTION_TABLE,  /* linear between (times[i], values[i]), constant outside; with period > 0 repeated for ever */
    AM_FUNCTION_PULSE,  /* amplitude (1 - cos(2 pi (t - start)/duration))/2 while start <= t <= start + duration, 0
                         * elsewhere;  `repeat` pulses, one every `period` */
    AM_FUNCTION_IMPULSE /* `repeat` blows of size `amplitude` (force times time), one every `period`, the first at
                           `start` */
} am_function_kind;

/* Plain data. The table is borrowed until the function is given to a system, which copies it. */
typedef struct am_function {
    am_function_kind kind;
    double value;
    double rate;
    double amplitude;
    double frequency; /* radians per unit time */
    double phase;     /* radians */
    double start;
    double duration;
    double period;
    size_t repeat;       /* at least 1 */
    size_t count;        /* of the table */
    const double *times; /* strictly increasing */
    const double *values;
} am_function;

AM_API am_function am_function_constant(double value);
AM_API am_function am_function_ramp(double value, double rate);
AM_API am_function am_function_sine(double amplitude, double frequency, double phase);
AM_API am_function am_function_table(size_t count, const double *times, const double *values);
AM_API am_function am_function_pulse(double amplitude, double start, double duration);
AM_API am_function am_function_impulse(double amplitude, double start);

/* Refuses NaN, unsorted tables, durations that are not positive, pulses that overlap. err->field names the member. */
AM_API am_status am_function_check(const am_function *function, am_error *err);

/* f(t); at a break the value just after it. An impulse is 0 everywhere. */
AM_API double am_function_at(const am_function *function, double t);

/* f'(t), just after t. */
AM_API double am_function_rate(const am_function *function, double t);

AM_API const char *am_function_kind_name(am_function_kind kind);

#ifdef __cplusplus
}
#endif
#endif
