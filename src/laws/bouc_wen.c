/* Smooth hysteresis between force and displacement (Bouc 1967, Wen 1976). The normal force plays no part. */
#include <math.h>

#include "laws/law.h"

enum { STIFFNESS, A, BETA, GAMMA, POWER, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [STIFFNESS] = {"stiffness", .positive = true, .required = true, .unit = "force/length", .about = "factor of z"},
    [A] = {"A", .positive = true, .initial = 1.0, .about = "rate of z per speed at z = 0"},
    [BETA] = {"beta", .positive = true, .required = true, .unit = "length^-n", .about = "closes the loop"},
    [GAMMA] = {"gamma", .any = true, .required = true, .unit = "length^-n", .about = "rounds or sharpens it"},
    [POWER] = {"n", .positive = true, .initial = 1.0, .about = "how abruptly it yields, at least 1"},
};

/* At v >= 0: z' = A v - beta v |z|^(n-1) z - gamma v |z|^n. Piece 0 is z < 0. */
static am_term rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter, sign = piece == 0 ? -1.0 : 1.0;
    am_term size = am_tape_power(tape, am_tape_scale(tape, at->w, sign), p[POWER]);
    am_term part = am_tape_scale(tape, size, sign * p[BETA] + p[GAMMA]);
    return am_tape_multiply(tape, at->v, am_tape_subtract(tape, am_tape_constant(tape, p[A]), part));
}

static double knot(const am_speed_friction *use, size_t piece) {
    (void)use;
    return piece == 0 ? 0.0 : INFINITY;
}

static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w, use->parameter[STIFFNESS]);
}

static double steady(const am_speed_friction *use, double v, double N) {
    const double *p = use->parameter;
    (void)v;
    (void)N;
    return pow(p[A] / (p[BETA] + p[GAMMA]), 1.0 / p[POWER]);
}

/* Otherwise z has no bound, or the loop gives energy away. */
static am_status check(const am_speed_friction *use, am_error *err) {
    const double *p = use->parameter;
    if (!(p[POWER] >= 1.0))
        return am_fail_field(err, AM_ERR_INPUT, "n", "n of friction law bouc-wen must be at least 1, but is %g",
                             p[POWER]);
    if (!(p[GAMMA] > -p[BETA] && p[GAMMA] <= p[BETA]))
        return am_fail_field(
            err, AM_ERR_INPUT, "gamma",
            "gamma of friction law bouc-wen must lie between -beta and beta = %g, but is %g: otherwise "
            "its force has no bound, or gives energy away",
            p[BETA], p[GAMMA]);
    return AM_OK;
}

const am_law am_law_bouc_wen = {
    .name = "bouc-wen",
    .about = "F = stiffness z, z' = A v - beta |v| |z|^(n-1) z - gamma v |z|^n",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .rate = rate,
    .directed = true,
    .rate_independent = true,
    .steady = steady,
    .knot = knot,
    .check = check,
};
