/* Maxima of a coordinate: where motions without switches return to. A span that reaches one ends there. */
#include "engines/switching/switching.h"

/* Pieces of a span in which a velocity is taken to change its sign at most once: a span is a fraction of the radius of
 * convergence. */
enum { PIECES = 8, HALVINGS = 60 };

void am_engine_watch(am_motion *e, size_t coordinate) {
    e->watched = coordinate + 1;
    e->watch_armed = e->at_maximum = false;
}

/* The zero of a between low, where it is positive, and high, where it is not. */
static double downward_zero(const double *a, double low, double high) {
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (am_polynomial_at(a, middle) > 0.0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

bool am_engine_first_maximum(am_motion *e, double length, double *where) {
    double a[AM_COEFFICIENTS], power = 1.0;
    const double *velocity = e->series + e->plan.n + e->watched - 1;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= length)
        a[k] = power * velocity[k * e->plan.nx];
    double before = a[0];
    for (size_t i = 1; i <= PIECES; i++) {
        double place = (double)i / PIECES, here = am_polynomial_at(a, place);
        if (e->watch_armed && before > 0.0 && !(here > 0.0)) {
            *where = length * downward_zero(a, place - 1.0 / PIECES, place);
            e->watch_armed = false; /* not again before the coordinate has gone back */
            return true;
        }
        e->watch_armed |= here < 0.0;
        before = here;
    }
    return false;
}
