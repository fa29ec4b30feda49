/* Bristles that bend, break away and lift with speed (Canudas de Wit, Olsson, Astrom, Lischinsky 1995). */
#include <math.h>

#include "laws/law.h"

enum { SIGMA0, SIGMA1, SIGMA2, STATIC, KINETIC, VELOCITY, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [SIGMA0] = {"sigma0", .positive = true, .required = true, .unit = "force/length", .about = "stiffness of bristles"},
    [SIGMA1] = {"sigma1", .unit = "force time/length", .about = "damping of bristles"},
    [SIGMA2] = {"sigma2", .unit = "force time/length", .about = "viscous friction"},
    [STATIC] = {"static", .positive = true, .required = true, .about = "coefficient at rest"},
    [KINETIC] = {"kinetic", .positive = true, .required = true, .about = "coefficient it falls to"},
    [VELOCITY] = {"velocity", .positive = true, .required = true, .unit = "length/time",
                  .about = "over which it falls"},
};

/* v - sigma0 v z/(N mu(v)), mu = kinetic + (static - kinetic) exp(-(v/velocity)^2) */
static am_term rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term square = am_tape_power(tape, am_tape_scale(tape, at->v, 1.0 / p[VELOCITY]), 2.0);
    am_term fall = am_tape_scale(tape, am_tape_exp(tape, am_tape_scale(tape, square, -1.0)), p[STATIC] - p[KINETIC]);
    am_term limit = am_tape_multiply(tape, am_tape_add(tape, am_tape_constant(tape, p[KINETIC]), fall), at->N);
    am_term part = am_tape_divide(tape, am_tape_scale(tape, at->w[0], p[SIGMA0]), limit);
    return am_tape_subtract(tape, at->v, am_tape_multiply(tape, at->v, part));
}

static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    am_term bend = am_tape_scale(tape, at->w[0], p[SIGMA0]);
    if (p[SIGMA1] > 0.0)
        bend = am_tape_add(tape, bend, am_tape_scale(tape, rate(tape, use, piece, at), p[SIGMA1]));
    return am_tape_add(tape, bend, am_tape_scale(tape, at->v, p[SIGMA2]));
}

static double steady(const am_speed_friction *use, double v, double N) {
    const double *p = use->parameter;
    double part = v / p[VELOCITY];
    return N * (p[KINETIC] + (p[STATIC] - p[KINETIC]) * exp(-part * part)) / p[SIGMA0];
}

const am_law am_law_lugre = {
    .name = "lugre",
    .about = "F = sigma0 z + sigma1 z' + sigma2 v, z' = v - sigma0 |v| z/(N (kinetic + (static - kinetic) "
             "exp(-(v/velocity)^2)))",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .memory = {{.rate = rate, .directed = true, .steady = steady}},
    .not_behind = "falls with the speed of its slider, which without mass would have to jump (put a coordinate between "
                  "spring and contact, with mass or damping, or make sigma0 softer)",
};
