/* Residuals: the evidence of a result. */
#ifndef AMONTONS_BASE_WORSE_H
#define AMONTONS_BASE_WORSE_H
#include <math.h>

/* The larger of two residuals. One that is no number is the worst of all, where fmax would forget it. */
static inline double am_worse(double a, double b) {
    return a >= b || isnan(a) ? a : b;
}

#endif
