/* Friction smoothed at rest by a hyperbolic tangent: no stick, but creep. */
#include <math.h>

#include "laws/law.h"

enum { FRICTION, VELOCITY, COUNT };

extern const am_law am_law_tanh, am_law_tanh_behind;

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

/* ---- behind a spring ---- */

enum { SPRING = COUNT, COUNT_BEHIND };

static const am_law_parameter parameters_behind[COUNT_BEHIND] = {
    [FRICTION] = {"friction", .positive = true, .required = true},
    [VELOCITY] = {"velocity", .positive = true, .required = true},
    [SPRING] = {"tangential_stiffness", .positive = true, .required = true},
};

/* Friction is flat where tanh is near one, and says nothing of the speed any more. Beyond 15.6 times `velocity`, where
 * 1 - tanh^2 is this small, it rises along its tangent instead. */
static const double flattest = 0x1p-33;

/* F = k w is also friction N tanh(s'/velocity) with the slider's own speed s': w' = v - s'. */
static am_term stretch_rate(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    const double *p = use->parameter;
    (void)piece;
    am_term part = am_tape_divide(tape, am_tape_scale(tape, at->w[0], p[SPRING] / p[FRICTION]), at->N);
    return am_tape_subtract(tape, at->v, am_tape_scale(tape, am_tape_atanh(tape, part, flattest), p[VELOCITY]));
}

static am_term pull(am_tape *tape, const am_speed_friction *use, size_t piece, const am_drag_terms *at) {
    (void)piece;
    return am_tape_scale(tape, at->w[0], use->parameter[SPRING]);
}

static double steady_stretch(const am_speed_friction *use, double v, double N) {
    const double *p = use->parameter;
    return p[FRICTION] * N * tanh(v / p[VELOCITY]) / p[SPRING];
}

const am_law am_law_tanh_behind = {
    .name = "tanh behind a spring",
    .about = "F = k w, w' = v - velocity atanh(F/(friction N))",
    .parameters = COUNT_BEHIND,
    .parameter = parameters_behind,
    .drag = pull,
    .memory = {{.rate = stretch_rate, .directed = true, .steady = steady_stretch}},
    .alone = &am_law_tanh,
};

const am_law am_law_tanh = {
    .name = "tanh",
    .about = "F = friction N tanh(v/velocity), without stick",
    .parameters = COUNT,
    .parameter = parameters,
    .drag = drag,
    .behind = &am_law_tanh_behind,
};
