#include "math/smooth_step.h"

#include <math.h>

/* h = 1/(1 + exp(1/x - 1/(1 - x))), hence h' = h (1 - h) (1/x^2 + 1/(1 - x)^2). */
am_smooth_step am_smooth_step_at(double x, double rest) {
    if (x <= 0.0)
        return (am_smooth_step){0.0, 1.0, 0.0};
    if (rest <= 0.0)
        return (am_smooth_step){1.0, 0.0, 0.0};
    double exponent = 1.0 / x - 1.0 / rest;
    double small = exp(-fabs(exponent)), low = small / (1.0 + small), high = 1.0 / (1.0 + small);
    am_smooth_step step = {exponent > 0.0 ? low : high, exponent > 0.0 ? high : low, 0.0};
    if (small > 0.0)
        step.slope = low * high * (1.0 / (x * x) + 1.0 / (rest * rest));
    return step;
}

/* Taylor coefficients about x, of the exponent, of its exponential (the one below 1) and of 1/(1 + exponential). */
void am_smooth_step_derivatives(double x, size_t order, double *derivatives) {
    double exponent[AM_SMOOTH_STEP_MOST + 1], power[AM_SMOOTH_STEP_MOST + 1], series[AM_SMOOTH_STEP_MOST + 1];
    double rest = 1.0 - x, sign = x < 0.5 ? -1.0 : 1.0;
    am_smooth_step step = am_smooth_step_at(x, rest);
    derivatives[0] = step.value;
    for (size_t k = 1; k <= order; k++)
        derivatives[k] = 0.0;
    if (x <= 0.0 || rest <= 0.0 || step.slope == 0.0)
        return;
    double left = 1.0 / x, right = 1.0 / rest;
    for (size_t k = 0; k <= order; k++) {
        exponent[k] = sign * (left - right);
        left *= -1.0 / x;
        right *= 1.0 / rest;
    }
    power[0] = exp(exponent[0]);
    series[0] = 1.0 / (1.0 + power[0]);
    double factorial = 1.0;
    for (size_t k = 1; k <= order; k++) {
        power[k] = series[k] = 0.0;
        for (size_t j = 1; j <= k; j++)
            power[k] += (double)j * exponent[j] * power[k - j] / (double)k;
        for (size_t j = 1; j <= k; j++)
            series[k] -= series[0] * power[j] * series[k - j];
        factorial *= (double)k;
        derivatives[k] = sign * factorial * series[k]; /* below 1/2 the series is that of 1 - h */
    }
}
