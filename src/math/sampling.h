/* What a sample of points says: moments, quantiles, shares with their confidence, and which factor the spread of an
 * output comes from. See docs/sweep.md, section "What a sample says". */
#ifndef AMONTONS_MATH_SAMPLING_H
#define AMONTONS_MATH_SAMPLING_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

enum { AM_SAMPLE_QUANTILES = 5 };
extern const double am_sample_levels[AM_SAMPLE_QUANTILES]; /* 0.05, 0.25, 0.5, 0.75, 0.95 */

typedef struct am_sample_moments {
    double mean, mean_error; /* deviation / sqrt(count) */
    double deviation;        /* square root of the unbiased variance; NAN of one point */
    double quantiles[AM_SAMPLE_QUANTILES];
} am_sample_moments;

/* Of `count` > 0 finite values, which it sorts. */
am_sample_moments am_sample_describe(double *values, size_t count);

/* Wilson's interval, with 95 percent confidence, for the probability of what happened `hits` times of `count` > 0. */
void am_sample_interval(size_t hits, size_t count, double *low, double *high);

/* Shares of the variance of an output, with their errors: the standard error by the jackknife over ten blocks, and, by
 * the sum of squares, what changes where half of the orders or twice as many neighbours are taken. */
typedef struct am_sensitivity {
    double first, first_error; /* Var(E(y | x_i)) / Var(y): what x_i does alone */
    double total, total_error; /* E(Var(y | all but x_i)) / Var(y): what it does with others besides */
} am_sensitivity;

/* Points of factors, ready for any number of outputs; one per thread. */
typedef struct am_factors am_factors;

/* `x`: `factors` arrays of `count` numbers. `even`: points of a Sobol sequence, otherwise independent ones. At most
 * AM_FACTOR_POINTS of the points, the first, are used for `total`. NULL with err filled. */
enum { AM_FACTOR_POINTS = 4096 };
am_factors *am_factors_create(size_t count, size_t factors, bool even, const double *const *x, am_error *err);
void am_factors_free(am_factors *f);

/* The sensitivities of an output y (count finite values) to `each` of the factors; NAN where y does not vary, or of fewer
 * than 20 points. */
void am_factors_sensitivity(am_factors *f, const double *y, am_sensitivity *each);

#endif
