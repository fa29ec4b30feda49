/* Tops of functions with slopes that may jump.
 *
 * Two guesses take turns: the zero of the secant of the slopes, which is good where f is smooth, and the point where
 * the tangents of both ends meet, which is good where it has a corner (and the middle of the bracket where it is
 * smooth). When neither shrinks the bracket, the middle does. */
#include <math.h>

#include "analyses/design/design_internal.h"

am_design_maximum am_design_maximum_start(double low, double f_low, double g_low, double high, double f_high,
                                          double g_high, double flat, double narrow) {
    return (am_design_maximum){.low = low,
                               .high = high,
                               .f_low = f_low,
                               .f_high = f_high,
                               .g_low = g_low,
                               .g_high = g_high,
                               .weight_low = 1.0,
                               .weight_high = 1.0,
                               .flat = flat,
                               .narrow = narrow,
                               .width_before = high - low,
                               .use_secant = true,
                               .done = !(high - low > narrow)};
}

static double secant(const am_design_maximum *maximum) {
    double low = maximum->weight_low * maximum->g_low, high = maximum->weight_high * maximum->g_high;
    return maximum->low + (maximum->high - maximum->low) * low / (low - high);
}

/* f_low + g_low (t - low) = f_high + g_high (t - high) */
static double corner(const am_design_maximum *maximum) {
    double width = maximum->high - maximum->low;
    double t = maximum->low +
               (maximum->f_high - maximum->f_low - maximum->g_high * width) / (maximum->g_low - maximum->g_high);
    /* A guess next to the end it has just moved would leave the other end where it is: go past the corner. */
    if (maximum->side < 0 && t - maximum->low < 0.05 * width)
        t += (t - maximum->low) + 0.25 * maximum->narrow;
    if (maximum->side > 0 && maximum->high - t < 0.05 * width)
        t -= (maximum->high - t) + 0.25 * maximum->narrow;
    return t;
}

double am_design_maximum_next(const am_design_maximum *maximum) {
    double width = maximum->high - maximum->low, t;
    if (maximum->count % 6 == 5 && width > 0.25 * maximum->width_before)
        t = maximum->low + 0.5 * width;
    else
        t = maximum->use_secant ? secant(maximum) : corner(maximum);
    double margin = fmin(1e-3 * width, 0.25 * maximum->narrow);
    if (!(t > maximum->low + margin && t < maximum->high - margin))
        t = t <= maximum->low + margin    ? maximum->low + margin
            : t >= maximum->high - margin ? maximum->high - margin
                                          : NAN;
    return isnan(t) ? maximum->low + 0.5 * width : t;
}

int am_design_maximum_update(am_design_maximum *maximum, double t, double f, double g) {
    int side = g > 0.0 ? -1 : 1;
    double width = maximum->high - maximum->low;
    bool flatter = fabs(g) <= 0.25 * fmin(fabs(maximum->g_low), fabs(maximum->g_high));
    if (side < 0) {
        maximum->low = t;
        maximum->f_low = f;
        maximum->g_low = g;
        maximum->weight_low = 1.0;
        maximum->weight_high *= maximum->side == side ? 0.5 : 1.0;
    } else {
        maximum->high = t;
        maximum->f_high = f;
        maximum->g_high = g;
        maximum->weight_high = 1.0;
        maximum->weight_low *= maximum->side == side ? 0.5 : 1.0;
    }
    maximum->side = side;
    maximum->use_secant = maximum->use_secant ? flatter : flatter || maximum->high - maximum->low > 0.25 * width;
    if (++maximum->count % 6 == 0)
        maximum->width_before = maximum->high - maximum->low;
    maximum->smooth = fabs(g) <= maximum->flat;
    maximum->done = maximum->smooth || !(maximum->high - maximum->low > maximum->narrow) || maximum->count >= 100;
    return side;
}
