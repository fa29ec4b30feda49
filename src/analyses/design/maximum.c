/* Tops of functions with slopes that may jump.
 *
 * Two guesses take turns: the zero of the secant of the slopes, which is good where f is smooth, and the point where
 * the tangents of both ends meet, which is good where it has a corner (and the middle of the bracket where it is
 * smooth). When neither shrinks the bracket, the middle does. */
#include <math.h>

#include "analyses/design/form.h"

am_design_turn am_design_turn_start(double low, double f_low, double g_low, double high, double f_high, double g_high,
                                    double flat, double narrow) {
    return (am_design_turn){.low = low,
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

static double secant(const am_design_turn *turn) {
    double low = turn->weight_low * turn->g_low, high = turn->weight_high * turn->g_high;
    return turn->low + (turn->high - turn->low) * low / (low - high);
}

/* f_low + g_low (t - low) = f_high + g_high (t - high) */
static double corner(const am_design_turn *turn) {
    double width = turn->high - turn->low;
    double t = turn->low + (turn->f_high - turn->f_low - turn->g_high * width) / (turn->g_low - turn->g_high);
    /* A guess next to the end it has just moved would leave the other end where it is: go past the corner. */
    if (turn->side < 0 && t - turn->low < 0.05 * width)
        t += (t - turn->low) + 0.25 * turn->narrow;
    if (turn->side > 0 && turn->high - t < 0.05 * width)
        t -= (turn->high - t) + 0.25 * turn->narrow;
    return t;
}

double am_design_turn_next(const am_design_turn *turn) {
    double width = turn->high - turn->low, t;
    if (turn->count % 6 == 5 && width > 0.25 * turn->width_before)
        t = turn->low + 0.5 * width;
    else
        t = turn->use_secant ? secant(turn) : corner(turn);
    double margin = fmin(1e-3 * width, 0.25 * turn->narrow);
    if (!(t > turn->low + margin && t < turn->high - margin))
        t = t <= turn->low + margin ? turn->low + margin : t >= turn->high - margin ? turn->high - margin : NAN;
    return isnan(t) ? turn->low + 0.5 * width : t;
}

int am_design_turn_update(am_design_turn *turn, double t, double f, double g) {
    int side = g > 0.0 ? -1 : 1;
    double width = turn->high - turn->low;
    bool flatter = fabs(g) <= 0.25 * fmin(fabs(turn->g_low), fabs(turn->g_high));
    if (side < 0) {
        turn->low = t;
        turn->f_low = f;
        turn->g_low = g;
        turn->weight_low = 1.0;
        turn->weight_high *= turn->side == side ? 0.5 : 1.0;
    } else {
        turn->high = t;
        turn->f_high = f;
        turn->g_high = g;
        turn->weight_high = 1.0;
        turn->weight_low *= turn->side == side ? 0.5 : 1.0;
    }
    turn->side = side;
    turn->use_secant = turn->use_secant ? flatter : flatter || turn->high - turn->low > 0.25 * width;
    if (++turn->count % 6 == 0)
        turn->width_before = turn->high - turn->low;
    turn->smooth = fabs(g) <= turn->flat;
    turn->done = turn->smooth || !(turn->high - turn->low > turn->narrow) || turn->count >= 100;
    return side;
}
