#include "amontons/friction.h"

#include <math.h>

/* The step falls between distance (1 - width) and distance (1 + width): a vertical line has no slope to follow. */
static const double step_width = 0.25;

bool am_friction_weakens(const am_friction *friction) {
    return friction->law != AM_FRICTION_COULOMB && friction->law != AM_FRICTION_STATIC_KINETIC;
}

static am_status check_table(const am_friction *friction, am_error *err) {
    if (friction->count < 2)
        return am_fail_field(err, AM_ERR_INPUT, "friction.points",
                             "a table of friction coefficients needs at least 2 points; this one has %zu",
                             friction->count);
    for (size_t i = 0; i < friction->count; i++) {
        if (!(friction->coefficient[i] > 0.0 && isfinite(friction->coefficient[i])))
            return am_fail_field(err, AM_ERR_INPUT, "friction.points",
                                 "the coefficient of friction of point %zu is %g and must be positive", i + 1,
                                 friction->coefficient[i]);
        if (i == 0 ? friction->slip[0] != 0.0
                   : !(friction->slip[i] > friction->slip[i - 1] && isfinite(friction->slip[i])))
            return am_fail_field(err, AM_ERR_INPUT, "friction.points",
                                 "the slip of a table of friction coefficients starts at 0 and increases; point %zu "
                                 "has %g",
                                 i + 1, friction->slip[i]);
    }
    return AM_OK;
}

am_status am_friction_check(const am_friction *friction, am_error *err) {
    if (friction->law == AM_FRICTION_TABLE)
        return check_table(friction, err);
    if (!(friction->kinetic >= 0.0 && isfinite(friction->kinetic)))
        return am_fail_field(err, AM_ERR_INPUT, "friction.kinetic",
                             "the coefficient of friction is %g and must not be negative", friction->kinetic);
    if (friction->law == AM_FRICTION_COULOMB)
        return AM_OK;
    if (!(friction->fixed >= friction->kinetic && isfinite(friction->fixed)))
        return am_fail_field(err, AM_ERR_INPUT, "friction.static",
                             "the static coefficient %g must not be below the kinetic one, %g", friction->fixed,
                             friction->kinetic);
    if (am_friction_weakens(friction) && !(friction->distance > 0.0 && isfinite(friction->distance)))
        return am_fail_field(err, AM_ERR_INPUT, "friction.distance",
                             "the slip over which friction falls is %g and must be positive", friction->distance);
    return AM_OK;
}

static double line(double slid, double x0, double y0, double x1, double y1, double *slope) {
    *slope = (y1 - y0) / (x1 - x0);
    return y0 + *slope * (slid - x0);
}

static double table(const am_friction *friction, double slid, double *slope) {
    const double *x = friction->slip, *y = friction->coefficient;
    for (size_t i = 1; i < friction->count; i++)
        if (slid < x[i])
            return line(slid, x[i - 1], y[i - 1], x[i], y[i], slope);
    *slope = 0.0;
    return y[friction->count - 1];
}

double am_friction_at(const am_friction *friction, double slid, double *slope) {
    double d = friction->distance, from = 0.0, to = 0.0, fall = friction->fixed - friction->kinetic;
    *slope = 0.0;
    switch (friction->law) {
    case AM_FRICTION_COULOMB:
    case AM_FRICTION_STATIC_KINETIC:
        return friction->kinetic;
    case AM_FRICTION_EXPONENTIAL:
        *slope = -fall * exp(-slid / d) / d;
        return friction->kinetic + fall * exp(-slid / d);
    case AM_FRICTION_TABLE:
        return table(friction, slid, slope);
    case AM_FRICTION_RAMP:
        to = 2.0 * d;
        break;
    case AM_FRICTION_STEP:
        from = d * (1.0 - step_width);
        to = d * (1.0 + step_width);
        break;
    }
    if (slid < from)
        return friction->fixed;
    return slid < to ? line(slid, from, friction->fixed, to, friction->kinetic, slope) : friction->kinetic;
}

double am_friction_most(const am_friction *friction) {
    if (friction->law == AM_FRICTION_COULOMB)
        return friction->kinetic;
    if (friction->law != AM_FRICTION_TABLE)
        return friction->fixed;
    double most = 0.0;
    for (size_t i = 0; i < friction->count; i++)
        most = fmax(most, friction->coefficient[i]);
    return most;
}

double am_friction_last(const am_friction *friction) {
    return friction->law == AM_FRICTION_TABLE ? friction->coefficient[friction->count - 1] : friction->kinetic;
}
