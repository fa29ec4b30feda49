/* The smooth step h(x) = f(x)/(f(x) + f(1 - x)) with f(x) = exp(-1/x): 0 for x <= 0, 1 for x >= 1, increasing between,
 * every derivative continuous everywhere. */
#ifndef AMONTONS_MATH_SMOOTH_STEP_H
#define AMONTONS_MATH_SMOOTH_STEP_H
#include <stddef.h>

/* Relative accuracy in all three, also where one of them is tiny. */
typedef struct am_smooth_step {
    double value;      /* h */
    double complement; /* 1 - h */
    double slope;      /* h' */
} am_smooth_step;

/* `rest` is 1 - x, given so that nothing is lost near x = 1. */
am_smooth_step am_smooth_step_at(double x, double rest);

/* h, h', ..., up to the derivative of that order (order + 1 numbers). */
void am_smooth_step_derivatives(double x, size_t order, double *derivatives);

enum { AM_SMOOTH_STEP_MOST = 16 }; /* highest order */

#endif
