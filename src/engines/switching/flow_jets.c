/* Jets: all orders of a rate or a quantity at once, as linear functions of x, of small structures. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/switching/flow.h"

/* Up to so many rows of A and contacts jets are made. */
static const size_t most_jet_rows = 4, most_jet_contacts = 8;

bool am_flow_wants_jets(const am_plan *plan) {
    return plan->rows <= most_jet_rows && plan->m <= most_jet_contacts;
}

/* next = row A/(k + 1), with A of all of x: q' = v, the rows of the flow, z' = G z. */
static void next_of_jet(const am_plan *plan, const am_flow *flow, const double *row, size_t k, double *next) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    memset(next, 0, nx * sizeof *next);
    for (size_t i = 0; i < n; i++)
        next[n + i] += row[i];
    for (size_t i = 0; i < plan->rows; i++)
        for (size_t j = 0; row[n + i] != 0.0 && j < nx; j++)
            next[j] += row[n + i] * flow->A[i * nx + j];
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        next[nd + g->column] += row[nd + g->row] * g->value;
    }
    for (size_t j = 0; j < nx; j++)
        next[j] *= plan->inverse_order[k];
}

/* Does column j of the orders have an entry at a place of the given parity? */
static bool has_parity(const double *orders, size_t nx, size_t j, size_t parity) {
    for (size_t k = parity; k < AM_COEFFICIENTS; k += 2)
        if (orders[k * nx + j] != 0.0)
            return true;
    return false;
}

/* The column that shares its place with column j: without damping the even orders depend on some entries of x and the
 * odd ones on others. Itself if there is none. */
static size_t partner_of(const double *orders, size_t nx, size_t j, const bool *taken) {
    for (size_t l = 0; l < nx && !has_parity(orders, nx, j, 1); l++)
        if (!taken[l] && has_parity(orders, nx, l, 1) && !has_parity(orders, nx, l, 0))
            return l;
    return j;
}

/* Work space for jets. */
typedef struct jet_work {
    double *orders; /* AM_ORDERS x nx */
    bool *taken;    /* nx */
} jet_work;

/* The jet of `row` from order `first` on. Returns how many columns it took. */
static size_t make_jet(const am_plan *plan, const am_flow *flow, const double *row, size_t first, const jet_work *work,
                       double *coefficient, size_t *column, am_jet *jet) {
    size_t nx = plan->nx, count = 0;
    const double *orders = work->orders + first * nx;
    memcpy(work->orders, row, nx * sizeof *row);
    memset(work->taken, 0, nx * sizeof *work->taken);
    for (size_t k = 0; k < AM_COEFFICIENTS; k++)
        next_of_jet(plan, flow, work->orders + k * nx, k, work->orders + (k + 1) * nx);
    for (int parity = 0; parity < 2; parity++) /* what has even places first: it may find a partner */
        for (size_t j = 0; j < nx; j++) {
            if (work->taken[j] || !has_parity(orders, nx, j, (size_t)parity))
                continue;
            size_t partner = partner_of(orders, nx, j, work->taken);
            work->taken[j] = work->taken[partner] = true;
            column[2 * count] = j;
            column[2 * count + 1] = partner;
            for (size_t k = 0; k < AM_COEFFICIENTS; k++)
                coefficient[count * AM_COEFFICIENTS + k] = orders[k * nx + column[2 * count + k % 2]];
            count++;
        }
    *jet = (am_jet){.count = count, .column = column, .coefficient = coefficient};
    return count;
}

/* The weighted norm of all of x of the last order, as a map of x. */
static double last_order_norm(const am_plan *plan, const am_flow *flow) {
    const double *w = plan->weight;
    double norm = 0.0;
    for (size_t i = 0; i < plan->rows; i++) {
        const am_jet *jet = &flow->rate_jet[i];
        double rate = 0.0, before = 0.0;
        for (size_t j = 0; j < jet->count; j++) {
            const double *c = jet->coefficient + (j + 1) * AM_COEFFICIENTS - 2;
            size_t even = jet->column[2 * j], odd = jet->column[2 * j + 1];
            before += w[even] > 0.0 ? fabs(c[0]) / w[even] : 0.0;
            rate += w[odd] > 0.0 ? fabs(c[1]) / w[odd] : 0.0;
        }
        norm = fmax(norm, w[plan->n + i] * rate);
        if (i < plan->n)
            norm = fmax(norm, w[i] * before * plan->inverse_order[AM_DEGREE]);
    }
    return norm;
}

/* Each coefficient from a jet has a rounding error of its own, relative to what x could cause. Where x causes far less
 * (near equilibrium, or in slow motions of a stiff structure) a span may be long, and the errors would grow with its
 * powers. So jets serve up to the length at which the last order reaches rounding for whatever x, and a little more:
 * the powers of errors then sum up to a few roundings. Beyond it the orders are computed one from the other, which
 * keeps their errors together. */
static const double jet_reach = 1.15;

static void limit_jets(const am_plan *plan, am_flow *flow) {
    double norm = last_order_norm(plan, flow);
    flow->jet_length = norm > 0.0 ? jet_reach * pow(DBL_EPSILON / norm, 1.0 / AM_COEFFICIENTS) : INFINITY;
    flow->jet_power = norm > 0.0 ? pow(jet_reach, AM_COEFFICIENTS) * DBL_EPSILON / norm : INFINITY;
}

static am_status reserve_jets(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t rates = plan->rows, jets = rates + flow->quantities;
    am_arena *memory = &flow->jet_memory;
    flow->rate_jet = am_arena_new(memory, rates, sizeof *flow->rate_jet, err);
    flow->quantity_jet = am_arena_new(memory, flow->quantities, sizeof *flow->quantity_jet, err);
    flow->jet_coefficients = am_arena_doubles(memory, NULL, jets * plan->nx * AM_COEFFICIENTS, err);
    flow->jet_columns = am_arena_new(memory, 2 * jets * plan->nx, sizeof(size_t), err);
    return am_arena_status(memory);
}

static am_status fill_jets(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t n = plan->n, rates = plan->rows, nx = plan->nx, used = 0;
    am_arena memory = {0};
    jet_work work = {.orders = am_arena_doubles(&memory, NULL, AM_ORDERS * nx, err),
                     .taken = am_arena_new(&memory, nx, sizeof(bool), err)};
    double *unit = am_arena_doubles(&memory, NULL, nx, err);
    am_status status = am_arena_status(&memory);
    if (!status)
        status = reserve_jets(plan, flow, err);
    for (size_t i = 0; !status && i < rates + flow->quantities; i++) {
        am_jet *jet = i < rates ? &flow->rate_jet[i] : &flow->quantity_jet[i - rates];
        const double *row = i < rates ? unit : flow->row + (i - rates) * nx;
        memset(unit, 0, nx * sizeof *unit);
        if (i < rates)
            unit[n + i] = 1.0;
        used += make_jet(plan, flow, row, i < rates ? 1 : 0, &work, flow->jet_coefficients + used * AM_COEFFICIENTS,
                         flow->jet_columns + 2 * used, jet);
    }
    am_arena_clear(&memory);
    if (!status) {
        limit_jets(plan, flow);
        return AM_OK;
    }
    am_arena_clear(&flow->jet_memory);
    flow->rate_jet = NULL;
    return status;
}

am_status am_flow_ready(const am_plan *plan, am_flow *flow, am_error *err) {
    return flow->rate_jet || flow->stepwise || !am_flow_wants_jets(plan) ? AM_OK : fill_jets(plan, flow, err);
}

double am_flow_last_order(const am_plan *plan, const am_flow *flow, const double *x) {
    const double *w = plan->weight;
    size_t n = plan->n;
    double norm = 0.0;
    for (size_t i = 0; i < plan->rows; i++) {
        const am_jet *jet = &flow->rate_jet[i];
        const double *c = jet->coefficient + AM_COEFFICIENTS - 2;
        double before = 0.0, last = 0.0;
        for (size_t j = 0; j < jet->count; j++, c += AM_COEFFICIENTS) {
            before += c[0] * x[jet->column[2 * j]];
            last += c[1] * x[jet->column[2 * j + 1]];
        }
        last = w[n + i] * fabs(last);
        before = i < n ? w[i] * fabs(before) * plan->inverse_order[AM_DEGREE] : 0.0;
        norm = last > norm ? last : norm;
        norm = before > norm ? before : norm;
    }
    return norm;
}

/* All orders at once. */
void am_flow_expand_jets(const am_plan *plan, const am_flow *flow, double *restrict series) {
    size_t n = plan->n, nx = plan->nx;
    double rate[AM_COEFFICIENTS];
    for (size_t i = flow->moving.from; i < flow->moving.to; i++) {
        double *velocity = series + nx + n + i, *displacement = series + 2 * nx + i;
        am_jet_at(&flow->rate_jet[i], series, rate);
        for (size_t k = 0; k < AM_DEGREE; k++, velocity += nx, displacement += nx) {
            *velocity = rate[k];
            *displacement = plan->inverse_order[k + 1] * rate[k];
        }
        *velocity = rate[AM_DEGREE];
    }
    for (size_t i = n; i < plan->rows; i++) {
        am_jet_at(&flow->rate_jet[i], series, rate);
        for (size_t k = 0; k < AM_COEFFICIENTS; k++)
            series[(k + 1) * nx + n + i] = rate[k];
    }
}
