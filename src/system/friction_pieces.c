#include "system/friction_pieces.h"

#include <float.h>
#include <math.h>

#include "laws/law.h"
#include "system/system.h"

double am_friction_knot(const am_friction *friction, size_t piece) {
    double reach = am_friction_reach(friction);
    if (friction->law == AM_FRICTION_TABLE)
        return piece + 1 < friction->count ? friction->slip[piece + 1] : INFINITY;
    if (friction->law ==
        AM_FRICTION_STEP) /* flat at first: it begins to fall as far before `distance` as it ends behind */
        return piece == 0 ? 2.0 * friction->distance - reach : piece == 1 ? reach : INFINITY;
    return piece == 0 ? reach : INFINITY;
}

am_term am_friction_record(am_tape *tape, const am_friction *friction, size_t piece, am_term slid) {
    double from = piece > 0 ? am_friction_knot(friction, piece - 1) : 0.0, to = am_friction_knot(friction, piece),
           slope;
    if (!isfinite(to))
        return am_tape_constant(tape, am_friction_last(friction));
    if (friction->law == AM_FRICTION_EXPONENTIAL) {
        am_term decay = am_tape_exp(tape, am_tape_scale(tape, slid, -1.0 / friction->distance));
        return am_tape_add(tape, am_tape_constant(tape, friction->kinetic),
                           am_tape_scale(tape, decay, friction->fixed - friction->kinetic));
    }
    double middle = am_friction_at(friction, 0.5 * (from + to), &slope); /* a line: any of its points will do */
    return am_tape_add(tape, am_tape_constant(tape, middle - slope * 0.5 * (from + to)),
                       am_tape_scale(tape, slid, slope));
}

double am_friction_meets(const am_friction *friction, double k, double N, double E, double w0, double excess) {
    double slope, from = w0, here = excess;
    size_t piece = 0;
    while (am_friction_knot(friction, piece) <= (1.0 + 16.0 * DBL_EPSILON) * w0) /* as near as in nonlinear.c */
        piece++;
    for (;; piece++) {
        double to = am_friction_knot(friction, piece);
        if (!isfinite(to))
            return from + here / k; /* mu is constant from there on */
        double there = k * (E + w0 - to) - am_friction_at(friction, to, &slope) * N;
        if (from == w0 && here == 0.0 && friction->law != AM_FRICTION_EXPONENTIAL && !(there > 0.0))
            return w0;
        if (there > 0.0) {
            from = to;
            here = there;
            continue;
        }
        if (friction->law != AM_FRICTION_EXPONENTIAL)
            return from + (to - from) * here / (here - there);
        /* h is concave, and rises from w0 or nowhere: its top lies where mu' N = -k */
        double fall = (friction->fixed - friction->kinetic) * N / (k * friction->distance);
        double top = friction->distance * log(fall);
        for (from = fmax(top, w0); (top > w0 || here > 0.0) && to - from > DBL_EPSILON * to;) {
            double middle = 0.5 * (from + to);
            if (middle <= from || middle >= to)
                break;
            (k * (E + w0 - middle) - am_friction_at(friction, middle, &slope) * N > 0.0 ? &from : &to)[0] = middle;
        }
        return from;
    }
}

size_t am_contact_memories(const am_contact_def *contact) {
    return am_friction_weakens(&contact->weakening) ? 1 : am_law_memories(&contact->speed_friction);
}

size_t am_system_memories(const am_system *system) {
    size_t count = 0;
    for (size_t c = 0; c < system->m; c++)
        count += am_contact_memories(&system->contact[c]);
    return count;
}
