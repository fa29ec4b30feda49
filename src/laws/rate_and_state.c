/* Friction of rock: it rises with speed and with the age theta of the contacts, and sliding renews them (Dieterich 1979,
 * Ruina 1983; the regularised form: Rice, Lapusta, Ranjith 2001). */

#include <math.h>

#include "laws/law.h"

extern const am_law am_law_rate_and_state, am_law_rate_and_state_behind;

enum { F0, RATE, STATE, V0, DISTANCE, EVOLUTION, FORM, COUNT, SPRING = COUNT, COUNT_BEHIND };
enum { AGING, SLIP };
enum { ASINH, LOG };

static const char *const evolutions[] = {"aging", "slip", NULL}, *const forms[] = {"asinh", "log", NULL};

static const am_law_parameter parameters[COUNT] = {
    [F0] = {"f0", .positive = true, .required = true, .about = "coefficient of steady sliding at V0"},
    [RATE] = {"a", .positive = true, .required = true, .about = "growth with the logarithm of speed"},
    [STATE] = {"b", .required = true, .about = "growth with the logarithm of age"},
    [V0] = {"V0", .positive = true, .required = true, .unit = "length/time", .about = "reference speed"},
    [DISTANCE] = {"Dc", .positive = true, .required = true, .unit = "length", .about = "slip that renews the contacts"},
    [EVOLUTION] = {"evolution", .choices = evolutions,
                   .about = "of theta: 1 - v theta/Dc, or -v theta/Dc ln(v theta/Dc)"},
    [FORM] = {"form", .choices = forms, .about = "asinh: regular at rest; log: for sliding that never stops"},
};

/* f0 + b ln(V0 theta/Dc) */
static am_term strength(am_tape *tape, const double *p, am_term theta) {
    am_term age = am_tape_log(tape, am_tape_scale(tape, theta, p[V0] / p[DISTANCE]));
    return am_tape_add(tape, am_tape_constant(tape, p[F0]), am_tape_scale(tape, age, p[STATE]));
}

/* log: N (f0 + a ln(v/V0) + b ln(V0 theta/Dc)); asinh: N a asinh(v/(2 V0) exp((f0 + b ln(V0 theta/Dc))/a)) */
static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term held = strength(tape, p, at->w[0]), mu;
    if (p[FORM] == LOG) {
        am_term speed = am_tape_log(tape, am_tape_scale(tape, at->v, 1.0 / p[V0]));
        mu = am_tape_add(tape, held, am_tape_scale(tape, speed, p[RATE]));
    } else {
        am_term grip = am_tape_exp(tape, am_tape_scale(tape, held, 1.0 / p[RATE]));
        am_term part = am_tape_multiply(tape, am_tape_scale(tape, at->v, 0.5 / p[V0]), grip);
        mu = am_tape_scale(tape, am_tape_asinh(tape, part), p[RATE]);
    }
    return am_tape_multiply(tape, mu, at->N);
}

/* theta' at the speed v of the slip */
static am_term ageing(am_tape *tape, const double *p, am_term v, am_term theta) {
    am_term renewed = am_tape_scale(tape, am_tape_multiply(tape, v, theta), 1.0 / p[DISTANCE]);
    if (p[EVOLUTION] == SLIP)
        return am_tape_scale(tape, am_tape_entropy(tape, renewed), -1.0);
    return am_tape_subtract(tape, am_tape_constant(tape, 1.0), renewed);
}

static am_term rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return ageing(tape, use->parameter, at->v, at->w[0]);
}

static double steady(const am_speed_friction *use, double v, double N) {
    (void)N;
    return use->parameter[DISTANCE] / v;
}

/* A contact at rest is as old as one that slides with V0. */
static double start(const am_speed_friction *use, double v) {
    return use->parameter[DISTANCE] / (v > 0.0 ? v : use->parameter[V0]);
}

/* ---- behind a spring k: w = (stretch, theta) ---- */

static const am_law_parameter parameters_behind[COUNT_BEHIND] = {
    [F0] = {"f0", .positive = true, .required = true},
    [RATE] = {"a", .positive = true, .required = true},
    [STATE] = {"b", .required = true},
    [V0] = {"V0", .positive = true, .required = true},
    [DISTANCE] = {"Dc", .positive = true, .required = true},
    [EVOLUTION] = {"evolution", .choices = evolutions},
    [FORM] = {"form", .choices = forms},
    [SPRING] = {"tangential_stiffness", .positive = true, .required = true},
};

static am_term pull(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w[0], use->parameter[SPRING]);
}

/* The slider's own speed s', which the stretch drives: k w = N a asinh(s'/(2 V0) exp(held/a)), so that
 * s' = V0 (exp((k w/N - held)/a) - exp((-k w/N - held)/a)). No power is larger than s' itself. Form log has the first of
 * them alone. The slider moves as its spring pulls, whichever way the bodies do: piece 0 is w < 0. */
static am_term slider_speed(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    am_term held = am_tape_scale(tape, strength(tape, p, at->w[1]), 1.0 / p[RATE]);
    am_term drive = am_tape_divide(tape, am_tape_scale(tape, at->w[0], p[SPRING] / p[RATE]), at->N);
    am_term along = am_tape_exp(tape, am_tape_subtract(tape, drive, held));
    am_term against = am_tape_exp(tape, am_tape_scale(tape, am_tape_add(tape, drive, held), -1.0));
    if (p[FORM] == LOG)
        return am_tape_scale(tape, piece == 0 ? against : along, piece == 0 ? -p[V0] : p[V0]);
    return am_tape_scale(tape, am_tape_subtract(tape, along, against), p[V0]);
}

static am_term stretch_rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    return am_tape_subtract(tape, at->v, slider_speed(tape, use, piece, at));
}

static am_term age_rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    am_term speed = slider_speed(tape, use, piece, at);
    return ageing(tape, use->parameter, piece == 0 ? am_tape_scale(tape, speed, -1.0) : speed, at->w[1]);
}

static double side_of_spring(const am_speed_friction *use, size_t piece) {
    (void)use;
    return piece == 0 ? 0.0 : INFINITY;
}

static double steady_stretch(const am_speed_friction *use, double v, double N) {
    const double *p = use->parameter;
    double held = (p[F0] + p[STATE] * log(p[V0] / v)) / p[RATE], power = log(0.5 * v / p[V0]) + held;
    if (p[FORM] == LOG) /* friction does not push along */
        return N * p[RATE] * fmax(0.0, log(v / p[V0]) + held) / p[SPRING];
    return N * p[RATE] * (power < 30.0 ? asinh(exp(power)) : power + log(2.0)) / p[SPRING];
}

const am_law am_law_rate_and_state_behind = {
    .name = "rate-and-state behind a spring",
    .about = "F = k w, w' = v - s', s' = 2 V0 sinh(F/(N a)) exp(-(f0 + b ln(V0 theta/Dc))/a), theta' with |s'|",
    .parameters = COUNT_BEHIND,
    .parameter = parameters_behind,
    .drag = pull,
    .memory = {{.rate = stretch_rate, .directed = true, .steady = steady_stretch},
               {.rate = age_rate, .steady = steady, .start = start}},
    .knot = side_of_spring,
    .alone = &am_law_rate_and_state,
};

const am_law am_law_rate_and_state = {
    .name = "rate-and-state",
    .about = "mu = a asinh(v/(2 V0) exp((f0 + b ln(V0 theta/Dc))/a)), or with form log f0 + a ln(v/V0) + b ln(V0 "
             "theta/Dc)",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .memory = {{.rate = rate, .steady = steady, .start = start}},
    .behind = &am_law_rate_and_state_behind,
    .not_at_rest = "form log is for sliding that never stops, form asinh holds at rest too",
};
