/* Measured friction: points of speed and coefficient, linear between them and constant beyond. */
#include <math.h>

#include "laws/law.h"

/* Piece 0 ends at the first speed, which may be zero; after the last there is one more. */
static double knot(const am_speed_friction *use, size_t piece) {
    size_t first = use->speed[0] > 0.0 ? 0 : 1;
    return piece + first < use->points ? use->speed[piece + first] : INFINITY;
}

static am_term coefficient(am_tape *tape, const am_speed_friction *use, size_t piece, am_term v) {
    size_t end = piece + (use->speed[0] > 0.0 ? 0 : 1);
    if (end == 0 || end == use->points)
        return am_tape_constant(tape, use->coefficient[end == 0 ? 0 : end - 1]);
    const double *x = use->speed + end, *y = use->coefficient + end;
    double slope = (y[0] - y[-1]) / (x[0] - x[-1]);
    return am_tape_add(tape, am_tape_constant(tape, y[-1] - slope * x[-1]), am_tape_scale(tape, v, slope));
}

const am_law am_law_table = {
    .name = "table",
    .about = "mu linear between points of `velocity` and `values`, constant beyond",
    .table = true,
    .coefficient = coefficient,
    .knot = knot,
};
