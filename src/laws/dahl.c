/* Dahl's model: a spring of microscopic stiffness whose force tends to Coulomb's with the distance slid (Dahl 1968). */
#include "laws/law.h"

enum { STIFFNESS, FRICTION, COUNT, SPRING = COUNT, COUNT_BEHIND };

extern const am_law am_law_dahl, am_law_dahl_behind;

static const am_law_parameter parameters[COUNT] = {
    [STIFFNESS] = {"stiffness", .positive = true, .required = true, .unit = "force/length",
                   .about = "of the contact before it slides"},
    [FRICTION] = {"friction", .positive = true, .required = true, .about = "coefficient of sliding"},
};

static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w[0], use->parameter[STIFFNESS]);
}

/* z' = v (1 - F/(friction N)) */
static am_term rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term part = am_tape_divide(tape, am_tape_scale(tape, at->w[0], p[STIFFNESS] / p[FRICTION]), at->N);
    return am_tape_subtract(tape, at->v, am_tape_multiply(tape, at->v, part));
}

static double steady(const am_speed_friction *use, double v, double N) {
    (void)v;
    return use->parameter[FRICTION] * N / use->parameter[STIFFNESS];
}

/* ---- behind a spring k ---- */

static const am_law_parameter parameters_behind[COUNT_BEHIND] = {
    [STIFFNESS] = {"stiffness", .positive = true, .required = true},
    [FRICTION] = {"friction", .positive = true, .required = true},
    [SPRING] = {"tangential_stiffness", .positive = true, .required = true},
};

static am_term pull(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w[0], use->parameter[SPRING]);
}

/* The slider's own speed v - w' bends the contact, F' = stiffness (v - w') g with g = 1 - F/(friction N), and F = k w:
 * w' = v g/(g + k/stiffness). */
static am_term stretch_rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term part = am_tape_divide(tape, am_tape_scale(tape, at->w[0], p[SPRING] / p[FRICTION]), at->N);
    am_term left = am_tape_subtract(tape, am_tape_constant(tape, 1.0), part);
    am_term both = am_tape_add(tape, left, am_tape_constant(tape, p[SPRING] / p[STIFFNESS]));
    return am_tape_multiply(tape, at->v, am_tape_divide(tape, left, both));
}

static double steady_stretch(const am_speed_friction *use, double v, double N) {
    (void)v;
    return use->parameter[FRICTION] * N / use->parameter[SPRING];
}

const am_law am_law_dahl_behind = {
    .name = "dahl behind a spring",
    .about = "F = k w, w' = v g/(g + k/stiffness), g = 1 - F sign(v)/(friction N)",
    .parameters = COUNT_BEHIND,
    .parameter = parameters_behind,
    .drag = pull,
    .memory = {{.rate = stretch_rate, .directed = true, .steady = steady_stretch}},
    .alone = &am_law_dahl,
    .rate_independent = true,
};

const am_law am_law_dahl = {
    .name = "dahl",
    .about = "F = stiffness z, z' = v (1 - F sign(v)/(friction N))",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .memory = {{.rate = rate, .directed = true, .steady = steady}},
    .behind = &am_law_dahl_behind,
    .rate_independent = true,
};
