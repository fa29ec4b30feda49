/* What a smooth motion does on its way: extremes, work and losses. */
#include <float.h>
#include <math.h>

#include "engines/smooth/smooth_internal.h"
#include "math/dense.h"
#include "math/quadrature.h"
#include "system/polynomial.h"
#include "system/system.h"

enum { ORDER = AM_SMOOTH_ORDER, COEFFICIENTS = AM_SMOOTH_COEFFICIENTS };

/* Pieces of a step in which an entry of the state is taken to have at most one extremum: a step is a fraction of the
 * radius of convergence. */
enum { PIECES = 8 };

/* ---- extremes ---- */

static double polynomial(const double *a, double s) {
    double value = a[ORDER];
    for (size_t k = ORDER; k-- > 0;)
        value = value * s + a[k];
    return value;
}

/* A zero of b between low and high, where its sign changes. */
static double turning_point(const double *b, double low, double high) {
    bool rises = polynomial(b, low) < 0.0;
    for (size_t i = 0; i < 60 && high - low > DBL_EPSILON; i++) {
        double middle = 0.5 * (low + high);
        if ((polynomial(b, middle) < 0.0) == rises)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

static void include(double *least, double *largest, double value) {
    *least = fmin(*least, value);
    *largest = fmax(*largest, value);
}

/* Range of the polynomial a on [0, 1]. Its value at a turning point is exact to second order in the place of it. */
static void include_polynomial(const double *a, double *least, double *largest) {
    double b[COEFFICIENTS], below = 0.0;
    for (size_t k = 1; k < COEFFICIENTS; k++) {
        b[k - 1] = (double)k * a[k];
        below += fabs(a[k]);
    }
    b[ORDER] = 0.0;
    if (a[0] + below <= *largest && a[0] - below >= *least)
        return;
    include(least, largest, a[0]);
    double before = b[0];
    for (size_t i = 1; i <= PIECES; i++) {
        double s = (double)i / PIECES, here = polynomial(b, s);
        if ((before < 0.0) != (here < 0.0))
            include(least, largest, polynomial(a, turning_point(b, s - 1.0 / PIECES, s)));
        before = here;
    }
    include(least, largest, polynomial(a, 1.0));
}

/* ---- work ---- */

double am_smooth_energy(am_smooth *engine, const double *state) {
    const am_system *s = engine->system;
    size_t n = engine->n;
    double *force = engine->work;
    am_matrix_apply(s->M, state + n, force);
    double energy = 0.5 * am_dense_dot(force, state + n, n);
    am_matrix_apply(s->K, state, force);
    energy += 0.5 * am_dense_dot(force, state, n);
    for (size_t p = 0; p < engine->springs; p++)
        energy += am_polynomial_stored(&s->polynomial[p], am_dense_dot(s->polynomial[p].direction, state, n));
    return energy;
}

/* Add the powers at (t, state), times `weight`. */
static void add_powers(am_smooth *e, double t, const double *state, double weight, am_smooth_balance *balance) {
    const am_system *s = e->system;
    size_t n = e->n;
    double *force = e->work, *z = e->work + 4 * n;
    const double *v = state + n;
    am_system_inputs(s, t, z);
    am_dense_apply(s->input, n, s->nz, z, force);
    double loads = weight * am_dense_dot(force, v, n), twist = 0.0;
    am_matrix_apply(s->C, v, force);
    double lost = am_dense_dot(force, v, n);
    for (size_t p = 0; p < e->springs; p++)
        lost += am_polynomial_lost(&s->polynomial[p], am_dense_dot(s->polynomial[p].direction, state, n),
                                   am_dense_dot(s->polynomial[p].direction, state + n, n));
    if (s->circulatory) {
        am_matrix_apply(s->circulatory, state, force);
        twist = -weight * am_dense_dot(force, v, n);
    }
    balance->work_loads += loads;
    balance->work_circulatory += twist;
    balance->loss += weight * lost;
    balance->moved += fabs(loads) + fabs(twist) + fabs(weight * lost);
}

static void note_step(am_smooth *e, double time_scale, am_smooth_balance *balance) {
    double a[COEFFICIENTS], *state = e->work + 2 * e->n;
    for (size_t i = 0; balance->least && i < 2 * e->n; i++) {
        am_smooth_polynomial(e, i, a);
        include_polynomial(a, &balance->least[i], &balance->largest[i]);
    }
    for (size_t g = 0; g < AM_QUADRATURE_POINTS; g++) {
        double node, weight = 0.5 * am_quadrature_point(g, &node) * e->length;
        double t = e->step_start + 0.5 * (1.0 + node) * e->length;
        am_smooth_at(e, t, state);
        add_powers(e, t, state, weight, balance);
    }
    balance->work_loads += e->blow_work;
    balance->moved += fabs(e->blow_work);
    balance->size = fmax(balance->size, am_smooth_size(e, e->x, NULL, time_scale));
}

am_status am_smooth_energy_balance(am_smooth *engine, double t0, const double *state, double duration,
                                   double time_scale, am_smooth_balance *balance, am_error *err) {
    am_smooth *e = engine;
    double until = t0 + duration;
    *balance = (am_smooth_balance){.least = balance->least, .largest = balance->largest};
    for (size_t i = 0; balance->least && i < 2 * e->n; i++)
        balance->least[i] = balance->largest[i] = state[i];
    balance->size = am_smooth_size(e, state, NULL, time_scale);
    balance->moved = fabs(am_smooth_energy(e, state));
    am_status status = AM_OK;
    am_smooth_start(e, t0, state, false);
    while (e->t < until && !status) {
        status = am_smooth_step(e, until, err);
        if (!status)
            note_step(e, time_scale, balance);
    }
    return status;
}
