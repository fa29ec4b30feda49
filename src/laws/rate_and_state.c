/* Friction of rock: it rises with speed and with the age theta of the contacts, and sliding renews them (Dieterich 1979,
 * Ruina 1983; the regularised form: Rice, Lapusta, Ranjith 2001). */

#include "laws/law.h"

enum { F0, RATE, STATE, V0, DISTANCE, EVOLUTION, FORM, COUNT };
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

/* log: N (f0 + a ln(v/V0) + b ln(V0 theta/Dc)); asinh: N a asinh(v/(2 V0) exp((f0 + b ln(V0 theta/Dc))/a)) */
static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term age = am_tape_log(tape, am_tape_scale(tape, at->w, p[V0] / p[DISTANCE]));
    am_term held = am_tape_add(tape, am_tape_constant(tape, p[F0]), am_tape_scale(tape, age, p[STATE]));
    am_term mu;
    if (p[FORM] == LOG) {
        am_term speed = am_tape_log(tape, am_tape_scale(tape, at->v, 1.0 / p[V0]));
        mu = am_tape_add(tape, held, am_tape_scale(tape, speed, p[RATE]));
    } else {
        am_term strength = am_tape_exp(tape, am_tape_scale(tape, held, 1.0 / p[RATE]));
        am_term part = am_tape_multiply(tape, am_tape_scale(tape, at->v, 0.5 / p[V0]), strength);
        mu = am_tape_scale(tape, am_tape_asinh(tape, part), p[RATE]);
    }
    return am_tape_multiply(tape, mu, at->N);
}

static am_term rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term renewed = am_tape_scale(tape, am_tape_multiply(tape, at->v, at->w), 1.0 / p[DISTANCE]);
    if (p[EVOLUTION] == SLIP)
        return am_tape_scale(tape, am_tape_entropy(tape, renewed), -1.0);
    return am_tape_subtract(tape, am_tape_constant(tape, 1.0), renewed);
}

static double steady(const am_speed_friction *use, double v, double N) {
    (void)N;
    return use->parameter[DISTANCE] / v;
}

/* A contact at rest is as old as one that slides with V0. */
static double start(const am_speed_friction *use, double v) {
    return use->parameter[DISTANCE] / (v > 0.0 ? v : use->parameter[V0]);
}

const am_law am_law_rate_and_state = {
    .name = "rate-and-state",
    .about = "mu = a asinh(v/(2 V0) exp((f0 + b ln(V0 theta/Dc))/a)), or with form log f0 + a ln(v/V0) + b ln(V0 "
             "theta/Dc)",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .rate = rate,
    .steady = steady,
    .start = start,
};
