/* Friction smoothed at rest by a hyperbolic tangent: no stick, but creep. */
#include "laws/law.h"

enum { FRICTION, VELOCITY, COUNT };

static const am_law_parameter parameters[COUNT] = {
    [FRICTION] = {"friction", .required = true, .about = "coefficient at high speed"},
    [VELOCITY] = {"velocity", .positive = true, .required = true, .unit = "length/time",
                  .about = "over which friction rises"},
};

static am_term drag(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term part = am_tape_tanh(tape, am_tape_scale(tape, at->v, 1.0 / p[VELOCITY]));
    return am_tape_multiply(tape, am_tape_scale(tape, part, p[FRICTION]), at->N);
}

const am_law am_law_tanh = {
    .name = "tanh",
    .about = "F = friction N tanh(v/velocity), without stick",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
};
