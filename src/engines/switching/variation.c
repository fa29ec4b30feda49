/* The derivative of the state along a span where forces are not linear: the variational equation, as a series,
 *
 *     dx' = A dx + (columns of the forces) dg,     dg_j = sum over arguments (slope of g_j) d(argument),
 *
 * with the slopes' own series from their tapes. Order k of dg is a sum over the orders of both; where arguments depend
 * on g itself it solves the linear system of the forces (nonlinear.c). */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engines/switching/switching.h"
#include "math/lu.h"
#include "math/wide.h"

/* Rows of one order: of x, of the acting forces, of their arguments. */
static size_t order_size(const am_motion *e) {
    return (e->plan.nd + (1 + e->plan.arguments) * e->plan.forces) * e->followed;
}

static double *state_order(const am_motion *e, size_t k) {
    return e->variation + k * order_size(e);
}

static double *force_order(const am_motion *e, size_t k, size_t a) {
    return state_order(e, k) + (e->plan.nd + a) * e->followed;
}

static double *argument_order(const am_motion *e, size_t k, size_t a, size_t i) {
    return state_order(e, k) + (e->plan.nd + e->plan.forces + a * e->plan.arguments + i) * e->followed;
}

static const double *argument_row(const am_motion *e, size_t a, size_t i) {
    return e->flow->argument + (a * e->plan.arguments + i) * e->plan.nx;
}

static size_t arguments_of(const am_motion *e, size_t a) {
    return e->plan.force[e->flow->acting[a]].formula->arguments;
}

/* Order l of the slope of the acting force a by its argument i. */
static double slope_order(const am_motion *e, size_t a, size_t i, size_t l) {
    size_t j = e->flow->acting[a];
    return e->forces.series[j][am_force_formula(&e->plan, &e->forces, j)->slope[i] * AM_TAPE_ORDERS + l];
}

/* out[0 .. columns) += factor * x[0 .. columns). */
static inline void add(double factor, const double *restrict x, size_t columns, double *restrict out) {
    if (factor == 0.0)
        return;
    for (size_t j = 0; j < columns; j++)
        out[j] += factor * x[j];
}

enum { FOURS = 2 }; /* so many times four columns are added up side by side */

/* out[0 .. 4 FOURS) += sum over l < count of factor[l] x_l; x_l are `stride` apart. */
static inline void add_block(const double *restrict factor, size_t count, const double *restrict x, ptrdiff_t stride,
                             double *restrict out) {
    am_four sum[FOURS];
    memcpy(sum, out, sizeof sum);
    for (size_t l = 0; l < count; l++, x += stride)
        for (int f = 0; f < FOURS; f++)
            sum[f] += AM_FOUR_OF(factor[l]) * *(const am_four *)(const void *)(x + 4 * f);
    memcpy(out, sum, sizeof sum);
}

/* The same for all columns. */
AM_WIDE static void add_many(const double *factor, size_t count, const double *x, ptrdiff_t stride, size_t columns,
                             double *restrict out) {
    size_t c = 0;
    for (; c + 4 * FOURS <= columns; c += 4 * FOURS)
        add_block(factor, count, x + c, stride, out + c);
    for (; c < columns; c++)
        for (size_t l = 0; l < count; l++)
            out[c] += factor[l] * x[(ptrdiff_t)l * stride + (ptrdiff_t)c];
}

static bool is_zero(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (values[i] != 0.0)
            return false;
    return true;
}

/* Is the derivative of argument i of the acting force a wanted? Others' are, where they make a loop. */
static bool is_felt(const am_motion *e, size_t a, size_t i) {
    return e->flow->loops || e->plan.followers > 0 ||
           am_force_formula(&e->plan, &e->forces, e->flow->acting[a])->felt[i];
}

static void vary_arguments(am_motion *e, size_t k) {
    size_t columns = e->followed;
    for (size_t a = 0; a < e->flow->active; a++)
        for (size_t i = 0; i < arguments_of(e, a); i++) {
            if (!is_felt(e, a, i))
                continue;
            double *out = argument_order(e, k, a, i);
            const double *row = argument_row(e, a, i);
            const am_interval *range = &e->flow->argued[a * e->plan.arguments + i];
            memset(out, 0, columns * sizeof *out);
            for (size_t l = range->from; l < range->to && l < e->plan.nd; l++)
                add(row[l], state_order(e, k) + l * columns, columns, out);
        }
}

/* The same where coordinates have no mass, with the arguments as unknowns (loops.c). */
static void vary_by_arguments(am_motion *e, size_t k) {
    size_t columns = e->followed, F = e->flow->active;
    for (size_t a = 0; a < F; a++) {
        const am_formula *f = am_force_formula(&e->plan, &e->forces, e->flow->acting[a]);
        memset(force_order(e, k, a), 0, columns * sizeof(double));
        for (size_t i = 0; i < f->arguments; i++)
            for (size_t l = 1; l <= k; l++)
                add(slope_order(e, a, i, l), argument_order(e, k - l, a, i), columns, force_order(e, k, a));
    }
    for (size_t c = 0; e->flow->loops && c < columns; c++) {
        for (size_t u = 0; u < F * e->plan.arguments; u++) {
            size_t a = u / e->plan.arguments, i = u % e->plan.arguments;
            e->forces.side[u] = i < arguments_of(e, a) ? argument_order(e, k, a, i)[c] : 0.0;
            for (size_t b = 0; b < F; b++)
                e->forces.side[u] += am_force_loop(&e->plan, e->flow, a, i, b) * force_order(e, k, b)[c];
        }
        am_loops_solve_arguments(e->flow, &e->forces);
        for (size_t u = 0; u < F * e->plan.arguments; u++)
            if (u % e->plan.arguments < arguments_of(e, u / e->plan.arguments))
                argument_order(e, k, u / e->plan.arguments, u % e->plan.arguments)[c] = e->forces.side[u];
    }
    for (size_t a = 0; a < F; a++)
        for (size_t i = 0; i < arguments_of(e, a); i++)
            add(slope_order(e, a, i, 0), argument_order(e, k, a, i), columns, force_order(e, k, a));
}

/* Velocities of coordinates without mass. */
static void vary_followers(am_motion *e, size_t k) {
    size_t n = e->plan.n, columns = e->followed, first = e->plan.nd + e->plan.nz;
    for (size_t i = 0; i < n; i++) {
        const double *row = e->flow->A + i * e->plan.nx;
        double *out = state_order(e, k) + (n + i) * columns, factor;
        if (!e->plan.massless[i])
            continue;
        memset(out, 0, columns * sizeof *out);
        size_t a = am_flow_carrier(&e->plan, e->flow, i, &factor);
        if (a != AM_NO_ROW) {
            add(1.0 / factor, argument_order(e, k, a, 1), columns, out);
            continue;
        }
        for (size_t l = 0; l < e->plan.nd; l++)
            if (l != n + i)
                add(row[l], state_order(e, k) + l * columns, columns, out);
        for (size_t b = 0; b < e->flow->active; b++)
            add(row[first + e->flow->acting[b]], force_order(e, k, b), columns, out);
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
        for (size_t i = 0; i < f->arguments; i++) {
            const double *slope = e->forces.series[j] + f->slope[i] * AM_TAPE_ORDERS;
            if (f->felt[i] && !is_zero(slope, k + 1))
                add_many(slope, k + 1, argument_order(e, k, a, i), -(ptrdiff_t)order_size(e), columns, out);
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
        for (size_t i = 0; i < arguments_of(e, a); i++)
            for (size_t b = 0; b < F; b++)
                add(argument_row(e, a, i)[first + e->flow->acting[b]], force_order(e, k, b), columns,
                    argument_order(e, k, a, i));
}

AM_WIDE static void vary_state(am_motion *e, size_t k) {
    size_t n = e->plan.n, nd = e->plan.nd, nx = e->plan.nx, columns = e->followed, first = nd + e->plan.nz;
    const double factor = e->plan.inverse_order[k], *x = state_order(e, k);
    double *next = state_order(e, k + 1);
    for (size_t i = 0; i < n * columns; i++)
        next[i] = factor * x[n * columns + i];
    for (size_t i = n; i < nd; i++) {
        memset(next + i * columns, 0, columns * sizeof *next);
        const double *row = e->flow->A + (i - n) * nx;
        const am_extent *extent = &e->flow->extent[i - n];
        for (size_t l = extent->from; l < extent->to; l++)
            add(factor * row[l], x + l * columns, columns, next + i * columns);
        for (size_t a = 0; a < e->flow->active; a++)
            add(factor * row[first + e->flow->acting[a]], force_order(e, k, a), columns, next + i * columns);
    }
}

/* fmax of what is no NAN in the first place, without a call. */
static inline double larger(double a, double b) {
    return b > a ? b : a;
}

/* The largest entry of the rows [from, to) of an order, in the weights given (NULL: 1). */
static double size_of(const am_motion *e, size_t k, size_t from, size_t to, const double *weight) {
    double size = 0.0;
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < e->followed; j++)
            size = larger(size, (weight ? weight[i] : 1.0) * fabs(state_order(e, k)[i * e->followed + j]));
    return size;
}

/* Derivatives below this have died out, whatever their unit: z of a contact that slides on forgets where it began like
 * exp(-stiffness slip/(mu N)), down to what numbers can hold. */
static const double died_out = 1e-250;

/* The length over which these rows are exact to rounding. */
static double exact_length(const am_motion *e, size_t from, size_t to, const double *weight) {
    double length = INFINITY, size = size_of(e, 0, from, to, weight);
    for (size_t k = AM_COEFFICIENTS - 1; k <= AM_COEFFICIENTS; k++) {
        double last = size_of(e, k, from, to, weight);
        if (last > 0.0 && size > died_out)
            length = fmin(length, pow(DBL_EPSILON * size / last, 1.0 / (double)k));
    }
    return length;
}

double am_engine_vary(am_motion *e) {
    memcpy(state_order(e, 0), e->sensitivity, e->plan.nd * e->followed * sizeof *e->sensitivity);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++) {
        vary_arguments(e, k);
        if (e->plan.followers > 0) {
            vary_by_arguments(e, k);
            vary_followers(e, k);
        } else {
            vary_forces(e, k);
        }
        vary_state(e, k);
    }
    double length = exact_length(e, 0, e->plan.nd, e->plan.weight);
    for (size_t c = 0; e->plan.inners > 0 && c < e->plan.m; c++)
        for (size_t i = 0; i < e->plan.memories[c]; i++) {
            size_t age = 2 * e->plan.n + e->plan.inner[c] + i;
            if (!am_force_inner_is_directed(&e->plan, c,
                                            i)) /* ages have a unit of their own, deflections are in the norm */
                length = fmin(length, exact_length(e, age, age + 1, NULL));
        }
    return length;
}

void am_engine_vary_write(am_motion *e, size_t row, size_t column, const double *orders) {
    for (size_t k = 0; k < AM_ORDERS; k++)
        state_order(e, k)[row * e->followed + column] = orders[k];
}

void am_engine_vary_to(am_motion *e, double length) {
    size_t count = e->plan.nd * e->followed;
    memcpy(e->sensitivity, state_order(e, AM_COEFFICIENTS), count * sizeof *e->sensitivity);
    for (size_t k = AM_COEFFICIENTS; k-- > 0;) {
        const double *restrict order = state_order(e, k);
        for (size_t i = 0; i < count; i++)
            e->sensitivity[i] = e->sensitivity[i] * length + order[i];
    }
    for (size_t i = 0; i < e->plan.nd; i++)
        for (size_t j = 0; j < e->followed && e->followed == e->plan.nd; j++)
            e->carried =
                larger(e->carried, e->plan.weight[i] / e->plan.weight[j] * fabs(e->sensitivity[i * e->followed + j]));
}

void am_engine_vary_followers(am_motion *e) {
    size_t n = e->plan.n, rows = n * e->followed;
    if (e->plan.followers == 0)
        return;
    memcpy(state_order(e, 0), e->sensitivity, e->plan.nd * e->followed * sizeof *e->sensitivity);
    vary_arguments(e, 0);
    vary_by_arguments(e, 0);
    vary_followers(e, 0);
    memcpy(e->sensitivity + rows, state_order(e, 0) + rows, rows * sizeof *e->sensitivity);
}
