/* The Taylor series of a motion in one flow. */
#include <math.h>
#include <string.h>

#include "engines/switching/flow.h"
#include "engines/switching/nonlinear.h"

/* next = factor G z; false if z has no derivative. */
static bool next_inputs(const am_plan *plan, const double *z, double factor, double *next) {
    bool any = false;
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        next[g->row] += factor * g->value * z[g->column];
        any |= z[g->column] != 0.0;
    }
    return any;
}

size_t am_flow_next_order(const am_plan *plan, const am_flow *flow, const double *restrict x, size_t columns, size_t k,
                          double *restrict next) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    const double *row = flow->A;
    const am_extent *extent = flow->extent;
    double factor = plan->inverse_order[k];
    bool inputs = columns > nd;
    for (size_t i = 0; i < n; i++)
        next[i] = factor * x[n + i];
    for (size_t i = n; i < nd; i++, row += nx, extent++)
        next[i] = factor * (inputs ? am_extent_dot(extent, row, x) : am_extent_dynamic(extent, row, x));
    for (size_t j = nd; j < nx; j++)
        next[j] = 0.0;
    return inputs && next_inputs(plan, x + nd, factor, next + nd) ? nx : nd;
}

/* A sine is two states, each the rate of the other but for a factor: it has all orders or none. `before`: orders that
 * were written there. Returns in how many it is. */
static size_t expand_pair(const am_plan *plan, const am_generator_entry *g, size_t before, double *z) {
    double *first = z + g[0].row, *second = z + g[1].row, a = *first, b = *second;
    const double a_rate = g[0].value, b_rate = g[1].value;
    size_t nx = plan->nx, orders = a != 0.0 || b != 0.0 ? AM_ORDERS : 1;
    for (size_t k = 0; k + 1 < (orders > before ? orders : before); k++) {
        double factor = plan->inverse_order[k], next = 0.0 + factor * a_rate * b; /* 0.0: never -0.0 */
        b = 0.0 + factor * b_rate * a;
        a = next;
        *(first += nx) = a;
        *(second += nx) = b;
    }
    return orders;
}

/* Other states, each a function of one: up to where they and what was written before end; constants and ramps have two
 * orders. */
static size_t expand_chains(const am_plan *plan, const am_generator_entry *G, const am_generator_entry *end,
                            size_t before, double *z) {
    size_t nx = plan->nx, orders = 1;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, z += nx) {
        double *next = z + nx, factor = plan->inverse_order[k];
        bool any = false;
        for (const am_generator_entry *g = G; g < end; g++) {
            next[g->row] = 0.0 + factor * g->value * z[g->column];
            any |= z[g->column] != 0.0;
        }
        if (!any && k + 1 >= before)
            break;
        orders += any && orders == k + 1;
    }
    return orders;
}

static bool is_pair(const am_generator_entry *g, const am_generator_entry *end) {
    return g + 1 < end && g[0].row == g[1].column && g[0].column == g[1].row;
}

/* The inputs of all orders. No state has more than one entry of G in its row, and no function has both pairs and
 * others. Entries without a derivative are never written: they stay zero from the beginning. */
static void expand_inputs(const am_plan *plan, double *series, am_written *written) {
    const am_generator_entry *g = plan->system->G, *end = g + plan->system->entries;
    size_t orders = 1, before = written->orders;
    while (g < end) {
        const am_generator_entry *first = g;
        bool pair = is_pair(g, end);
        for (g += pair ? 2 : 1; !pair && g < end && !is_pair(g, end); g++)
            ;
        size_t reached = pair ? expand_pair(plan, first, before, series + plan->nd)
                              : expand_chains(plan, first, g, before, series + plan->nd);
        orders = reached > orders ? reached : orders;
    }
    written->orders = orders;
}

/* What other coordinates have left there is removed. */
static void prepare_series(const am_plan *plan, const am_interval *moving, double *series, am_written *written) {
    size_t n = plan->n, nx = plan->nx, count = written->to - written->from;
    if (count > 0 && (written->from < moving->from || written->to > moving->to))
        for (double *x = series + nx; x <= series + AM_COEFFICIENTS * nx; x += nx) {
            memset(x + written->from, 0, count * sizeof *x);
            memset(x + n + written->from, 0, count * sizeof *x);
        }
    written->from = moving->from;
    written->to = moving->to;
    memcpy(series + nx, series + n, n * sizeof *series); /* q' = v */
}

/* next[n + i] = factor (A x)_i for the rows i in `rows`. */
static inline void next_rates(const am_plan *plan, const double *A, const am_extent *extent, const am_interval *rows,
                              bool inputs, double factor, const double *restrict x, double *restrict next) {
    for (size_t i = rows->from; i < rows->to; i++) {
        const double *row = A + i * plan->nx;
        double sum = am_extent_dynamic(&extent[i], row, x);
        if (inputs)
            sum = am_extent_inputs(&extent[i], row, x, sum);
        next[plan->n + i] = factor * sum;
    }
}

/* Order by order. */
static void expand_rows(const am_plan *plan, const am_flow *flow, am_force_work *work, double *restrict series,
                        size_t with_inputs, size_t from, size_t to) {
    size_t n = plan->n, nx = plan->nx;
    const am_interval moving = flow->moving, others = {n, plan->rows};
    for (size_t k = from; k < to; k++) {
        const double *x = series + k * nx, factor = plan->inverse_order[k];
        const am_extent *extent = k < 2 ? flow->extent : flow->later;
        double *next = series + (k + 1) * nx;
        if (flow->active > 0)
            am_forces_order(plan, flow, work, k, series + k * nx);
        if (plan->followers > 0)
            am_flow_follow(plan, flow, work, k, series + k * nx);
        next_rates(plan, flow->A, extent, &moving, k < with_inputs, factor, x, next);
        next_rates(plan, flow->A, extent, &others, k < with_inputs, factor, x, next);
        for (size_t i = moving.from; i < moving.to; i++)
            next[i] = factor * x[n + i];
    }
}

/* What forces that act no more have left in the higher orders. */
static void remove_forces(const am_plan *plan, double *series) {
    for (size_t k = 1; k <= AM_COEFFICIENTS; k++)
        memset(series + k * plan->nx + plan->nd + plan->nz, 0, plan->forces * sizeof *series);
}

/* All orders. Once the inputs have no further derivatives only the dynamic part of the rows counts. */
static void begin_series(const am_plan *plan, const am_flow *flow, double *restrict series, am_written *written) {
    expand_inputs(plan, series, written);
    prepare_series(plan, &flow->moving, series, written);
    if (written->forces && flow->active == 0)
        remove_forces(plan, series);
    written->forces = flow->active > 0;
    if (written->forces)
        written->orders = AM_ORDERS;
}

void am_flow_expand(const am_plan *plan, const am_flow *flow, bool by_jets, am_force_work *work,
                    double *restrict series, am_written *written) {
    begin_series(plan, flow, series, written);
    if (by_jets)
        am_flow_expand_jets(plan, flow, series);
    else
        expand_rows(plan, flow, work, series, written->orders, 0, AM_COEFFICIENTS);
}

void am_flow_expand_orders(const am_plan *plan, const am_flow *flow, am_force_work *work, double *restrict series,
                           am_written *written, size_t from, size_t to) {
    if (from == 0)
        begin_series(plan, flow, series, written);
    expand_rows(plan, flow, work, series, written->orders, from, to);
}

void am_flow_follow_size(const am_plan *plan, const am_flow *flow, const am_force_work *work, double *size) {
    for (size_t i = 0; i < plan->n && plan->followers > 0; i++) {
        double factor;
        if (!plan->massless[i])
            continue;
        size_t a = am_flow_carrier(plan, flow, i, &factor);
        double yield = a == AM_NO_ROW || !flow->loops ? 1.0 : work->yield[a * flow->arguments + 1];
        size[plan->n + i] = yield * am_extent_size(&flow->extent[i], flow->A + i * plan->nx, size);
    }
}
