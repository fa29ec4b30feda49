/* The derivative of the state along a span where forces are not linear: the variational equation, as a series,
 *
 *     dx' = A dx + (columns of the forces) dg,     dg_j = sum over arguments (slope of g_j) d(argument),
 *
 * with the slopes' own series from their tapes. Order k of dg is a sum over the orders of both; where arguments depend
 * on g itself it solves the linear system of the forces (nonlinear.c). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/switching/engine.h"
#include "math/lu.h"

/* Rows of one order: of x, of the acting forces, of their arguments. */
static size_t order_size(const am_motion *e) {
    return (e->plan.nd + (1 + AM_FORCE_ARGUMENTS) * e->plan.forces) * e->followed;
}

static double *state_order(const am_motion *e, size_t k) {
    return e->variation + k * order_size(e);
}

static double *force_order(const am_motion *e, size_t k, size_t a) {
    return state_order(e, k) + (e->plan.nd + a) * e->followed;
}

static double *argument_order(const am_motion *e, size_t k, size_t a, size_t i) {
    return state_order(e, k) + (e->plan.nd + e->plan.forces + a * AM_FORCE_ARGUMENTS + i) * e->followed;
}

static const double *argument_row(const am_motion *e, size_t a, size_t i) {
    return e->flow->argument + (a * AM_FORCE_ARGUMENTS + i) * e->plan.nx;
}

/* out[0 .. columns) += factor * x[0 .. columns). */
static void add(double factor, const double *restrict x, size_t columns, double *restrict out) {
    for (size_t j = 0; factor != 0.0 && j < columns; j++)
        out[j] += factor * x[j];
}

static void vary_arguments(am_motion *e, size_t k) {
    size_t columns = e->followed;
    for (size_t a = 0; a < e->flow->active; a++)
        for (size_t i = 0; i < AM_FORCE_ARGUMENTS; i++) {
            double *out = argument_order(e, k, a, i);
            const double *row = argument_row(e, a, i);
            memset(out, 0, columns * sizeof *out);
            for (size_t l = 0; l < e->plan.nd; l++)
                add(row[l], state_order(e, k) + l * columns, columns, out);
        }
}

/* Order k of the forces, from the orders of slopes and arguments; a force's own share in its arguments follows. */
static void vary_forces(am_motion *e, size_t k) {
    size_t columns = e->followed, F = e->flow->active, first = e->plan.nd + e->plan.nz;
    for (size_t a = 0; a < F; a++) {
        size_t j = e->flow->acting[a];
        const am_formula *f = &e->plan.force[j].formula[e->forces.piece[j]];
        double *out = force_order(e, k, a);
        memset(out, 0, columns * sizeof *out);
        for (size_t i = 0; i < AM_FORCE_ARGUMENTS; i++) {
            const double *slope = e->forces.series[j] + f->slope[i] * AM_TAPE_ORDERS;
            for (size_t l = 0; l <= k; l++)
                add(slope[l], argument_order(e, k - l, a, i), columns, out);
        }
    }
    for (size_t c = 0; e->flow->loops && c < columns; c++) {
        for (size_t a = 0; a < F; a++)
            e->forces.side[a] = force_order(e, k, a)[c];
        am_lu_solve(e->forces.matrix, F, e->forces.pivot, 1, e->forces.side);
        for (size_t a = 0; a < F; a++)
            force_order(e, k, a)[c] = e->forces.side[a];
    }
    for (size_t a = 0; e->flow->loops && a < F; a++)
        for (size_t i = 0; i < AM_FORCE_ARGUMENTS; i++)
            for (size_t b = 0; b < F; b++)
                add(argument_row(e, a, i)[first + e->flow->acting[b]], force_order(e, k, b), columns,
                    argument_order(e, k, a, i));
}

static void vary_state(am_motion *e, size_t k) {
    size_t n = e->plan.n, nd = e->plan.nd, nx = e->plan.nx, columns = e->followed, first = nd + e->plan.nz;
    const double factor = e->plan.inverse_order[k], *x = state_order(e, k);
    double *next = state_order(e, k + 1);
    memset(next, 0, nd * columns * sizeof *next);
    for (size_t i = 0; i < n; i++)
        add(factor, x + (n + i) * columns, columns, next + i * columns);
    for (size_t i = n; i < nd; i++) {
        const double *row = e->flow->A + (i - n) * nx;
        const am_extent *extent = &e->flow->extent[i - n];
        for (size_t l = extent->from; l < extent->to; l++)
            add(factor * row[l], x + l * columns, columns, next + i * columns);
        for (size_t a = 0; a < e->flow->active; a++)
            add(factor * row[first + e->flow->acting[a]], force_order(e, k, a), columns, next + i * columns);
    }
}

/* The largest entry of an order, in the weights of the rows. */
static double size_of(const am_motion *e, size_t k) {
    double size = 0.0;
    for (size_t i = 0; i < e->plan.nd; i++)
        for (size_t j = 0; j < e->followed; j++)
            size = fmax(size, e->plan.weight[i] * fabs(state_order(e, k)[i * e->followed + j]));
    return size;
}

double am_engine_vary(am_motion *e) {
    double length = INFINITY;
    memcpy(state_order(e, 0), e->sensitivity, e->plan.nd * e->followed * sizeof *e->sensitivity);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        vary_arguments(e, k);
        vary_forces(e, k);
        vary_state(e, k);
    }
    double size = size_of(e, 0);
    for (size_t k = AM_COEFFICIENTS - 1; k <= AM_COEFFICIENTS; k++) {
        double last = size_of(e, k);
        if (last > 0.0)
            length = fmin(length, pow(DBL_EPSILON * size / last, 1.0 / (double)k));
    }
    return length;
}

void am_engine_vary_to(am_motion *e, double length) {
    size_t count = e->plan.nd * e->followed;
    memcpy(e->sensitivity, state_order(e, AM_COEFFICIENTS), count * sizeof *e->sensitivity);
    for (size_t k = AM_COEFFICIENTS; k-- > 0;) {
        const double *restrict order = state_order(e, k);
        for (size_t i = 0; i < count; i++)
            e->sensitivity[i] = e->sensitivity[i] * length + order[i];
    }
}
