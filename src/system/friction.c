#include "amontons/system.h"

#include <math.h>

#include "base/object.h"

/* The step falls between distance (1 - width) and distance (1 + width): a vertical line has no slope to follow. */
static const double step_width = 0.25;

bool am_friction_weakens(const am_friction *friction) {
    if (!friction)
        return false;
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
    if (!friction)
        return am_misused(err, __func__);
    if (friction->law == AM_FRICTION_TABLE)
        return check_table(friction, err);
    if ((int)friction->law < 0 || friction->law > AM_FRICTION_TABLE)
        return am_fail_field(err, AM_ERR_INPUT, "friction.law",
                             "friction of this law (%s) is no function of the distance slid: it belongs to half-planes "
                             "in partial slip",
                             am_friction_law_name(friction->law));
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

/* Where the line of ramp and step begins and ends. */
static void fall_between(const am_friction *friction, double *from, double *to) {
    bool ramp = friction->law == AM_FRICTION_RAMP;
    *from = ramp ? 0.0 : friction->distance * (1.0 - step_width);
    *to = friction->distance * (ramp ? 2.0 : 1.0 + step_width);
}

double am_friction_at(const am_friction *friction, double slid, double *slope) {
    if (!friction)
        return NAN;
    double d = friction->distance, from, to, fall = friction->fixed - friction->kinetic;
    *slope = 0.0;
    switch (friction->law) {
    case AM_FRICTION_COULOMB:
    case AM_FRICTION_STATIC_KINETIC:
    case AM_FRICTION_GRIFFITH: /* those of half-planes are no functions of the distance slid: am_friction_check */
    case AM_FRICTION_DOUBLE:
    case AM_FRICTION_SHORT:
        return friction->kinetic;
    case AM_FRICTION_EXPONENTIAL:
        *slope = -fall * exp(-slid / d) / d;
        return friction->kinetic + fall * exp(-slid / d);
    case AM_FRICTION_TABLE:
        return table(friction, slid, slope);
    case AM_FRICTION_RAMP:
    case AM_FRICTION_STEP:
        break;
    }
    fall_between(friction, &from, &to);
    if (slid < from)
        return friction->fixed;
    return slid < to ? line(slid, from, friction->fixed, to, friction->kinetic, slope) : friction->kinetic;
}

double am_friction_most(const am_friction *friction) {
    if (!friction)
        return NAN;
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
    if (!friction)
        return NAN;
    return friction->law == AM_FRICTION_TABLE ? friction->coefficient[friction->count - 1] : friction->kinetic;
}

const char *am_friction_law_name(am_friction_law law) {
    static const char *const names[] = {"coulomb", "static-kinetic", "ramp",   "step", "exponential",
                                        "table",   "griffith",       "double", "short"};
    return (size_t)law < sizeof names / sizeof *names ? names[law] : "unknown";
}

/* ---- what lies under the curve ---- */

static double table_work(const am_friction *friction, double slid) {
    const double *x = friction->slip, *y = friction->coefficient;
    double sum = 0.0, slope;
    for (size_t i = 1; i < friction->count && x[i - 1] < slid; i++) {
        double end = fmin(x[i], slid);
        sum += 0.5 * (y[i - 1] + line(end, x[i - 1], y[i - 1], x[i], y[i], &slope)) * (end - x[i - 1]);
    }
    return sum + fmax(0.0, slid - x[friction->count - 1]) * y[friction->count - 1];
}

double am_friction_work(const am_friction *friction, double slid) {
    if (!friction)
        return NAN;
    double d = friction->distance, fall = friction->fixed - friction->kinetic, from, to;
    if (friction->law == AM_FRICTION_TABLE)
        return table_work(friction, slid);
    if (!am_friction_weakens(friction))
        return friction->kinetic * slid;
    if (friction->law == AM_FRICTION_EXPONENTIAL)
        return friction->kinetic * slid - fall * d * expm1(-slid / d);
    fall_between(friction, &from, &to);
    double into = fmin(fmax(slid - from, 0.0), to - from);
    return friction->kinetic * slid + fall * (fmin(slid, from) + into - 0.5 * into * into / (to - from));
}

double am_friction_steepest(const am_friction *friction, double from, double to) {
    if (!friction)
        return NAN;
    double steepest, begin, end;
    am_friction_at(friction, from, &steepest);
    if (friction->law == AM_FRICTION_RAMP || friction->law == AM_FRICTION_STEP) {
        fall_between(friction, &begin, &end);
        if (from <= end && to >= begin)
            steepest = (friction->kinetic - friction->fixed) / (end - begin);
    }
    for (size_t i = 1; friction->law == AM_FRICTION_TABLE && i < friction->count; i++) {
        const double *x = friction->slip + i - 1, *y = friction->coefficient + i - 1;
        if (from <= x[1] && to >= x[0])
            steepest = fmin(steepest, (y[1] - y[0]) / (x[1] - x[0]));
    }
    return steepest;
}

double am_friction_reach(const am_friction *friction) {
    if (!friction)
        return NAN;
    double from, to;
    if (!am_friction_weakens(friction))
        return 0.0;
    if (friction->law == AM_FRICTION_TABLE)
        return friction->slip[friction->count - 1];
    if (friction->law == AM_FRICTION_EXPONENTIAL)
        return 40.0 * friction->distance; /* exp(-40) is below rounding */
    fall_between(friction, &from, &to);
    return to;
}
