/* Functions of time over one period: exact means, and the exact extremes of any combination of them.
 *
 * Between the breaks of all functions each of them is a straight line and at most one wave; a combination of functions
 * is then a line and as many waves as there are different frequencies (math/wave.h). */
#ifndef AMONTONS_SYSTEM_CYCLE_H
#define AMONTONS_SYSTEM_CYCLE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/system.h"
#include "base/arena.h"

typedef struct am_cycle {
    am_arena memory;              /* of all but the breaks */
    double period;                /* the cycle is 0 <= t <= period */
    size_t count;                 /* functions */
    const am_function **function; /* borrowed */
    size_t *wave;                 /* count: which frequency; unused by lines */
    double *mean;                 /* count: average over the period */
    size_t waves;
    double *frequency; /* waves */
    size_t pieces;
    double *start;   /* pieces + 1: breaks, from 0 to the period */
    double *profile; /* pieces x count x 4: value at the start of the piece without its wave, slope, cosine, sine */
} am_cycle;

/* `functions` without impulses and ramps. AM_ERR_LIMIT when there are too many breaks. */
am_status am_cycle_init(am_cycle *cycle, size_t count, const am_function *const *functions, double period,
                        am_error *err);
void am_cycle_clear(am_cycle *cycle);

/* An instant: where functions jump there are two of them at the same time. */
typedef struct am_instant {
    double time;
    size_t piece;
    double since; /* its start */
} am_instant;

/* The least value over the period of the sum of weight[i] times function i, and when it is taken (limits from both
 * sides count where functions jump). *error: how far below it the true one could lie. work: 2 waves. */
double am_cycle_least(const am_cycle *cycle, const double *weight, double *work, am_instant *when, double *error);

/* Function `index` at an instant. */
double am_cycle_value(const am_cycle *cycle, size_t index, const am_instant *when);

/* The instant (0 <= t <= period), just after a break. */
am_instant am_cycle_instant(const am_cycle *cycle, double t);

#endif
