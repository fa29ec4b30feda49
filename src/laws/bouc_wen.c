/* Smooth hysteresis between force and displacement (Bouc 1967, Wen 1976). The normal force plays no part. */
#include <math.h>

#include "laws/law.h"

enum { STIFFNESS, A, BETA, GAMMA, POWER, COUNT, SPRING = COUNT, COUNT_BEHIND };

extern const am_law am_law_bouc_wen, am_law_bouc_wen_behind;

static const am_law_parameter parameters[COUNT] = {
    [STIFFNESS] = {"stiffness", .positive = true, .required = true, .unit = "force/length", .about = "factor of z"},
    [A] = {"A", .positive = true, .initial = 1.0, .about = "rate of z per speed at z = 0"},
    [BETA] = {"beta", .positive = true, .required = true, .unit = "length^-n", .about = "closes the loop"},
    [GAMMA] = {"gamma", .any = true, .required = true, .unit = "length^-n", .about = "rounds or sharpens it"},
    [POWER] = {"n", .positive = true, .initial = 1.0, .about = "how abruptly it yields, at least 1"},
};

/* At v >= 0: z'/v = A - beta |z|^(n-1) z - gamma |z|^n. Piece 0 is z < 0. */
static am_term rate_per_speed(am_tape *tape, const am_speed_friction *use, size_t piece, am_term z) {
    const double *p = use->parameter, sign = piece == 0 ? -1.0 : 1.0;
    am_term size = am_tape_power(tape, am_tape_scale(tape, z, sign), p[POWER]);
    am_term part = am_tape_scale(tape, size, sign * p[BETA] + p[GAMMA]);
    return am_tape_subtract(tape, am_tape_constant(tape, p[A]), part);
}

static am_term rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    return am_tape_multiply(tape, at->v, rate_per_speed(tape, use, piece, at->w[0]));
}

static double knot(const am_speed_friction *use, size_t piece) {
    (void)use;
    return piece == 0 ? 0.0 : INFINITY;
}

static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w[0], use->parameter[STIFFNESS]);
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

/* ---- behind a spring k ---- */

static const am_law_parameter parameters_behind[COUNT_BEHIND] = {
    [STIFFNESS] = {"stiffness", .positive = true, .required = true},
    [A] = {"A", .positive = true, .required = true},
    [BETA] = {"beta", .positive = true, .required = true},
    [GAMMA] = {"gamma", .any = true, .required = true},
    [POWER] = {"n", .positive = true, .required = true},
    [SPRING] = {"tangential_stiffness", .positive = true, .required = true},
};

static am_term pull(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w[0], use->parameter[SPRING]);
}

/* F = k w = stiffness z, and z' = (v - w') g with the slider's own speed: w' = v g/(g + k/stiffness). In steady sliding
 * g = 0, and unloading it is above A. */
static am_term stretch_rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    double ratio = use->parameter[SPRING] / use->parameter[STIFFNESS];
    am_term g = rate_per_speed(tape, use, piece, am_tape_scale(tape, at->w[0], ratio));
    am_term both = am_tape_add(tape, g, am_tape_constant(tape, ratio));
    return am_tape_multiply(tape, at->v, am_tape_divide(tape, g, both));
}

static double steady_stretch(const am_speed_friction *use, double v, double N) {
    return steady(use, v, N) * use->parameter[STIFFNESS] / use->parameter[SPRING];
}

const am_law am_law_bouc_wen_behind = {
    .name = "bouc-wen behind a spring",
    .about = "F = k w, w' = v g/(g + k/stiffness), g = z'/v of bouc-wen at z = F/stiffness",
    .parameters = COUNT_BEHIND,
    .parameter = parameters_behind,
    .drag = pull,
    .memory = {{.rate = stretch_rate, .directed = true, .steady = steady_stretch}},
    .knot = knot,
    .check = check,
    .alone = &am_law_bouc_wen,
    .rate_independent = true,
};

const am_law am_law_bouc_wen = {
    .name = "bouc-wen",
    .about = "F = stiffness z, z' = A v - beta |v| |z|^(n-1) z - gamma v |z|^n",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .memory = {{.rate = rate, .directed = true, .steady = steady}},
    .behind = &am_law_bouc_wen_behind,
    .rate_independent = true,
    .knot = knot,
    .check = check,
};
