/* The hyperbola that fits rosin under a bow (Smith and Woodhouse 2000): friction falls steeply at first, slowly later. */
#include "laws/law.h"

enum { STATIC, KINETIC, VELOCITY, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [STATIC] = {"static", .required = true, .about = "coefficient at rest"},
    [KINETIC] = {"kinetic", .required = true, .about = "coefficient at high speed"},
    [VELOCITY] = {"velocity", .positive = true, .required = true, .unit = "length/time",
                  .about = "at which half of the fall has passed"},
};

static am_term coefficient(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v) {
    const double *p = use->parameter;
    (void)piece;
    am_term whole = am_tape_add(tape, am_tape_constant(tape, 1.0), am_tape_scale(tape, v, 1.0 / p[VELOCITY]));
    am_term fall = am_tape_divide(tape, am_tape_constant(tape, p[STATIC] - p[KINETIC]), whole);
    return am_tape_add(tape, am_tape_constant(tape, p[KINETIC]), fall);
}

const am_law am_law_hyperbolic = {
    .name = "hyperbolic",
    .about = "mu = kinetic + (static - kinetic)/(1 + v/velocity)",
    .parameters = COUNT,
    .parameter = parameters,
    .coefficient = coefficient,
};
