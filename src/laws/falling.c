/* A straight line that falls to a least value: the simplest friction that makes steady sliding unstable. */
#include <math.h>

#include "laws/law.h"

enum { STATIC, SLOPE, LEAST, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [STATIC] = {"static", .required = true, .about = "coefficient at rest"},
    [SLOPE] = {"slope", .required = true, .unit = "time/length", .about = "by which it falls with speed"},
    [LEAST] = {"least", .about = "coefficient at which the fall ends"},
};

static double knot(const am_speed_friction *use, size_t piece) {
    const double *p = use->parameter;
    return piece == 0 && p[SLOPE] > 0.0 ? (p[STATIC] - p[LEAST]) / p[SLOPE] : INFINITY;
}

static am_term coefficient(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v) {
    const double *p = use->parameter;
    if (piece > 0)
        return am_tape_constant(tape, p[LEAST]);
    return am_tape_subtract(tape, am_tape_constant(tape, p[STATIC]), am_tape_scale(tape, v, p[SLOPE]));
}

static am_status check(const am_speed_friction *use, am_error *err) {
    const double *p = use->parameter;
    if (p[LEAST] < p[STATIC])
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "least", "friction falls from static = %g, so that least = %g is too much",
                         p[STATIC], p[LEAST]);
}

const am_law am_law_falling = {
    .name = "falling",
    .about = "mu = static - slope v, but not below least",
    .parameters = COUNT,
    .parameter = parameters,
    .coefficient = coefficient,
    .knot = knot,
    .check = check,
};
