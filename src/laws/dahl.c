/* Dahl's model: a spring of microscopic stiffness whose force tends to Coulomb's with the distance slid (Dahl 1968). */
#include "laws/law.h"

enum { STIFFNESS, FRICTION, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [STIFFNESS] = {"stiffness", .positive = true, .required = true, .unit = "force/length",
                   .about = "of the contact before it slides"},
    [FRICTION] = {"friction", .positive = true, .required = true, .about = "coefficient of sliding"},
};

static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w, use->parameter[STIFFNESS]);
}

/* z' = v (1 - F/(friction N)) */
static am_term rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term part = am_tape_divide(tape, am_tape_scale(tape, at->w, p[STIFFNESS] / p[FRICTION]), at->N);
    return am_tape_subtract(tape, at->v, am_tape_multiply(tape, at->v, part));
}

static double steady(const am_speed_friction *use, double v, double N) {
    (void)v;
    return use->parameter[FRICTION] * N / use->parameter[STIFFNESS];
}

const am_law am_law_dahl = {
    .name = "dahl",
    .about = "F = stiffness z, z' = v (1 - F sign(v)/(friction N))",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .rate = rate,
    .directed = true,
    .rate_independent = true,
    .steady = steady,
};
