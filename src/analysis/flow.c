#include "analysis/flow.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/finality.h"
#include "base/memory.h"
#include "math/dense.h"

/* ---- plan ---- */

/* How strongly a force input acts, as an acceleration of each coordinate: M^-1 times the loads' columns and the
 * tangents of held contacts, times the weights of velocities. */
static void weigh_inputs(am_plan *plan) {
    const double *inverse = plan->inverse_mass;
    const am_system *s = plan->system;
    size_t n = plan->n, nz = plan->nz;
    const double *wv = plan->weight + n;
    double *wz = plan->weight + plan->nd;
    for (size_t j = 0; j < nz; j++) {
        for (size_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (size_t l = 0; l < n; l++) {
                double force = fabs(s->input[l * nz + j]);
                for (size_t c = 0; c < s->m; c++)
                    force += s->contact[c].friction * fabs(s->contact[c].tangent[l] * s->hold[c * nz + j]);
                sum += fabs(inverse[i * n + l]) * force;
            }
            wz[j] = fmax(wz[j], wv[i] * sum / plan->frequency);
        }
    }
    /* What a held normal force does to the stretch of a slipping spring. */
    for (size_t c = 0; c < s->m; c++)
        for (size_t j = 0; plan->spring[c] != AM_NO_ROW && j < nz; j++)
            wz[j] = fmax(wz[j], plan->weight[2 * n + plan->spring[c]] * s->contact[c].friction *
                                    fabs(s->hold[c * nz + j]) / s->contact[c].tangential_stiffness);
    /* A slope enters through the value it changes: z_row' = value z_column must not add to the norm either. */
    for (size_t e = 0; e < s->entries; e++) {
        const am_generator_entry *g = &s->G[e];
        wz[g->column] = fmax(wz[g->column], wz[g->row] * fabs(g->value) / fmax(plan->frequency, fabs(g->value)));
    }
}

/* What the springs behind the sliders add to the stiffness while their contacts stick. */
static double sprung_stiffness(const am_system *s, size_t i, size_t j) {
    double sum = 0.0;
    for (size_t c = 0; c < s->m; c++)
        sum += s->contact[c].tangential_stiffness * s->contact[c].tangent[i] * s->contact[c].tangent[j];
    return sum;
}

/* A stretch is weighed as the displacement along its tangent. */
static void weigh_springs(am_plan *plan) {
    for (size_t c = 0; c < plan->m; c++) {
        if (plan->spring[c] == AM_NO_ROW)
            continue;
        double reach = 0.0;
        for (size_t i = 0; i < plan->n; i++)
            reach += fabs(plan->system->contact[c].tangent[i]) / plan->weight[i];
        plan->weight[2 * plan->n + plan->spring[c]] = 1.0 / reach;
    }
}

/* Weights that measure everything in the unit sqrt(mass) * displacement: q by sqrt(M_ii), v by sqrt(M_ii)/frequency,
 * inputs by the displacement they would cause. The frequency is a bound of the structure's own, from the weighted norm
 * of M^-1 K and M^-1 C. */
static am_status weigh(am_plan *plan, am_error *err) {
    size_t n = plan->n;
    double rcond, stiff = 0.0, damp = 0.0;
    double *inverse = plan->inverse_mass;
    memcpy(inverse, plan->M, n * n * sizeof *inverse);
    am_status status = am_dense_invert(inverse, n, &rcond, err);
    if (!status && rcond == 0.0)
        status = am_fail(err, AM_ERR_UNSUPPORTED, "the mass matrix cannot be inverted: some direction has no mass");
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        plan->weight[i] = sqrt(plan->M[i * n + i]);
    for (size_t i = 0; i < n; i++) {
        double k = 0.0, c = 0.0;
        for (size_t j = 0; j < n; j++) {
            double scale = plan->weight[i] / plan->weight[j], mk = 0.0, mc = 0.0;
            for (size_t l = 0; l < n; l++) {
                mk += inverse[i * n + l] * (plan->K[l * n + j] + sprung_stiffness(plan->system, l, j));
                mc += inverse[i * n + l] * plan->C[l * n + j];
            }
            k += scale * fabs(mk);
            c += scale * fabs(mc);
        }
        stiff = fmax(stiff, k);
        damp = fmax(damp, c);
    }
    plan->frequency = fmax(sqrt(stiff), damp);
    if (!(plan->frequency > 0.0))
        plan->frequency = 1.0; /* a free mass: any time unit does */
    for (size_t i = 0; i < n; i++)
        plan->weight[n + i] = plan->weight[i] / plan->frequency;
    weigh_springs(plan);
    weigh_inputs(plan);
    return AM_OK;
}

/* `motion` needs mass in every direction; name one that has none. */
static am_status check_mass(const am_plan *plan, am_error *err) {
    size_t n = plan->n;
    double *a = am_memory_doubles(plan->M, n * n, err);
    double *values = am_memory_new(n, sizeof *values, err);
    am_status status = a && values ? am_dense_symmetric_eigenvalues(a, n, values, err) : AM_ERR_MEMORY;
    for (size_t i = 0; !status && i < n; i++)
        if (plan->M[i * n + i] == 0.0)
            status = am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                                   "coordinate %s has no mass: motion needs mass in every direction (use path for "
                                   "quasi-static evolution, or add mass)",
                                   am_system_name(plan->system, i));
    if (!status && !(values[0] > 1e-13 * values[n - 1]))
        status =
            am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                          "some direction has no mass (smallest eigenvalue of the mass matrix: %g): motion needs mass "
                          "in every direction",
                          values[0]);
    am_memory_free(a);
    am_memory_free(values);
    return status;
}

am_status am_plan_init(am_plan *plan, const am_system *system, am_error *err) {
    size_t n = system->n;
    *plan = (am_plan){.system = system, .n = n, .m = system->m, .nz = system->nz};
    plan->spring = am_memory_new(system->m, sizeof *plan->spring, err);
    if (!plan->spring)
        return AM_ERR_MEMORY;
    for (size_t c = 0; c < system->m; c++)
        plan->spring[c] = system->contact[c].tangential_stiffness > 0.0 ? plan->springs++ : AM_NO_ROW;
    plan->nd = 2 * n + plan->springs;
    plan->nx = plan->nd + plan->nz;
    for (size_t k = 0; k < AM_ORDERS; k++)
        plan->inverse_order[k] = 1.0 / (double)(k + 1);
    plan->M = am_memory_new(n * n, sizeof(double), err);
    plan->C = am_memory_new(n * n, sizeof(double), err);
    plan->K = am_memory_new(n * n, sizeof(double), err);
    plan->inverse_mass = am_memory_new(n * n, sizeof(double), err);
    plan->weight = am_memory_new(plan->nx, sizeof(double), err);
    bool complete = plan->M && plan->C && plan->K && plan->inverse_mass && plan->weight;
    am_status status = complete ? AM_OK : AM_ERR_MEMORY;
    if (!status) {
        am_matrix_to_dense(system->M, plan->M);
        am_matrix_to_dense(system->C, plan->C);
        am_matrix_to_dense(system->K, plan->K);
        plan->damped = am_matrix_largest(system->C) > 0.0;
        status = check_mass(plan, err);
    }
    if (!status)
        status = weigh(plan, err);
    if (status)
        am_plan_clear(plan);
    return status;
}

void am_plan_clear(am_plan *plan) {
    am_memory_free(plan->spring);
    am_memory_free(plan->M);
    am_memory_free(plan->C);
    am_memory_free(plan->K);
    am_memory_free(plan->inverse_mass);
    am_memory_free(plan->weight);
    *plan = (am_plan){0};
}

double am_plan_norm(const am_plan *plan, const double *x) {
    double norm = 0.0;
    for (size_t i = 0; i < plan->nx; i++) {
        double size = plan->weight[i] * fabs(x[i]);
        norm = size > norm ? size : norm; /* a NaN is found elsewhere; fmax is a call */
    }
    return norm;
}

/* ---- building one flow ---- */

/* out (nx) = coefficients of response . (F - C v - K q - springs of sticking contacts), with F the loads and the
 * friction of held contacts that slip. */
static void response_row(const am_plan *plan, const am_flow *flow, const double *response, const double *force,
                         double *out) {
    size_t n = plan->n, nz = plan->nz;
    memset(out, 0, plan->nx * sizeof *out);
    for (size_t i = 0; i < n; i++) { /* row by row: each matrix is read in the order it is stored */
        const double r = response[i], *K = plan->K + i * n, *C = plan->C + i * n, *F = force + i * nz;
        if (r == 0.0)
            continue;
        for (size_t j = 0; j < n; j++)
            out[j] -= r * K[j];
        for (size_t j = 0; plan->damped && j < n; j++)
            out[n + j] -= r * C[j];
        for (size_t j = 0; j < nz; j++)
            out[plan->nd + j] += r * F[j];
    }
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        if (plan->spring[c] != AM_NO_ROW && flow->k.state[c] == AM_STICK)
            out[2 * n + plan->spring[c]] = -contact->tangential_stiffness * am_dense_dot(response, contact->tangent, n);
    }
}

/* force (n x nz) = input + tangent * (-/+ mu N) of every held contact that slips. */
static void applied_force(const am_plan *plan, const am_contact_state *state, double *force) {
    const am_system *s = plan->system;
    memcpy(force, s->input, plan->n * plan->nz * sizeof *force);
    for (size_t c = 0; c < plan->m; c++) {
        double mu = am_slip_sign(state[c]) * s->contact[c].friction;
        if (s->contact[c].normal_law != AM_HELD || mu == 0.0)
            continue;
        for (size_t i = 0; i < plan->n; i++)
            for (size_t j = 0; j < plan->nz; j++)
                force[i * plan->nz + j] += mu * s->contact[c].tangent[i] * s->hold[c * plan->nz + j];
    }
}

static void fill_forces(const am_plan *plan, am_flow *flow, const double *force) {
    const am_system *s = plan->system;
    size_t n = plan->n, nx = plan->nx;
    for (size_t c = 0; c < plan->m; c++) {
        double *N = flow->normal + c * nx, *T = flow->tangential + c * nx;
        double mu = am_slip_sign(flow->k.state[c]) * s->contact[c].friction;
        if (flow->k.normal_row[c] != AM_NO_ROW)
            response_row(plan, flow, flow->k.L + flow->k.normal_row[c] * n, force, N);
        else if (s->contact[c].normal_law == AM_HELD)
            memcpy(N + plan->nd, s->hold + c * plan->nz, plan->nz * sizeof *N);
        if (flow->k.stick_row[c] != AM_NO_ROW)
            response_row(plan, flow, flow->k.L + flow->k.stick_row[c] * n, force, T);
        else if (plan->spring[c] != AM_NO_ROW && flow->k.state[c] == AM_STICK)
            T[2 * n + plan->spring[c]] = -s->contact[c].tangential_stiffness;
        else
            for (size_t j = 0; j < nx; j++)
                T[j] = mu * N[j];
    }
}

/* Rates of the stretches: e' = t.v - surface velocity while the slider sticks; e = -T/k = -/+ mu N/k while it slips. */
static void fill_stretches(const am_plan *plan, am_flow *flow) {
    const am_system *s = plan->system;
    for (size_t c = 0; c < plan->m; c++) {
        if (plan->spring[c] == AM_NO_ROW)
            continue;
        const am_contact_def *contact = &s->contact[c];
        double *row = flow->A + (plan->n + plan->spring[c]) * plan->nx;
        if (flow->k.state[c] == AM_STICK) {
            memcpy(row + plan->n, contact->tangent, plan->n * sizeof *row);
            row[plan->nd] = -contact->surface_velocity;
            continue;
        }
        double factor = -am_slip_sign(flow->k.state[c]) * contact->friction / contact->tangential_stiffness;
        for (size_t e = 0; e < s->entries; e++)
            row[plan->nd + s->G[e].column] += factor * s->hold[c * plan->nz + s->G[e].row] * s->G[e].value;
    }
}

static double *add_quantity(am_flow *flow, size_t contact, am_quantity_kind kind, size_t nx) {
    flow->quantity[flow->quantities] = (am_quantity){contact, kind};
    return flow->row + nx * flow->quantities++;
}

static void fill_quantities(const am_plan *plan, am_flow *flow) {
    size_t n = plan->n, nx = plan->nx;
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        const double *N = flow->normal + c * nx, *T = flow->tangential + c * nx;
        am_contact_state state = flow->k.state[c];
        if (state == AM_OPEN) {
            double *row = add_quantity(flow, c, AM_QUANTITY_GAP, nx);
            memcpy(row, contact->normal, n * sizeof *row);
            row[plan->nd] = contact->gap;
            continue;
        }
        memcpy(add_quantity(flow, c, AM_QUANTITY_NORMAL, nx), N, nx * sizeof *N);
        if (state == AM_STICK) {
            double *upper = add_quantity(flow, c, AM_QUANTITY_UPPER, nx);
            double *lower = add_quantity(flow, c, AM_QUANTITY_LOWER, nx);
            for (size_t j = 0; j < nx; j++) {
                upper[j] = contact->static_friction * N[j] - T[j];
                lower[j] = contact->static_friction * N[j] + T[j];
            }
        } else {
            double sign = -am_slip_sign(state), *row = add_quantity(flow, c, AM_QUANTITY_SLIDE, nx);
            for (size_t i = 0; i < n; i++)
                row[n + i] = sign * contact->tangent[i];
            row[plan->nd] = -sign * contact->surface_velocity;
            if (plan->spring[c] != AM_NO_ROW) { /* the slider's own velocity */
                const double *rate = flow->A + (n + plan->spring[c]) * nx;
                for (size_t j = 0; j < nx; j++)
                    row[j] -= sign * rate[j];
            }
        }
    }
}

static am_extent extent_of(const am_plan *plan, const double *row) {
    size_t nd = plan->nd, nx = plan->nx;
    am_extent e = {.from = 0, .to = nd, .input_from = nd, .input_to = nx};
    while (e.to > e.from && row[e.to - 1] == 0.0)
        e.to--;
    while (e.from < e.to && row[e.from] == 0.0)
        e.from++;
    while (e.input_to > e.input_from && row[e.input_to - 1] == 0.0)
        e.input_to--;
    while (e.input_from < e.input_to && row[e.input_from] == 0.0)
        e.input_from++;
    e.moves = e.to > e.from || e.input_to > nd + 1;
    return e;
}

/* Norms in the plan's weights. The constant input z[0] carries no remainder, so gaps and belts are left out of `dual`.
 */
static void measure(const am_plan *plan, am_flow *flow) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    const double *w = plan->weight;
    for (size_t e = 0; e < (n + plan->springs) * nx; e++)
        flow->size_of_A[e] = fabs(flow->A[e]);
    for (size_t i = 0; i < n + plan->springs; i++)
        flow->extent[i] = extent_of(plan, flow->A + i * nx);
    for (size_t q = 0; q < flow->quantities; q++)
        flow->row_extent[q] = extent_of(plan, flow->row + q * nx);
    flow->rate = plan->frequency;
    for (size_t i = 0; i < n + plan->springs; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < nx; j++)
            if (flow->A[i * nx + j] != 0.0)
                sum += w[n + i] * fabs(flow->A[i * nx + j]) / w[j];
        flow->rate = fmax(flow->rate, sum);
    }
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        double ratio = w[nd + g->column] > 0.0 ? w[nd + g->row] / w[nd + g->column] : 0.0;
        flow->rate = fmax(flow->rate, fabs(g->value) * ratio);
    }
    for (size_t q = 0; q < flow->quantities; q++) {
        flow->dual[q] = 0.0;
        for (size_t j = 0; j < nx; j++)
            if (j != nd && w[j] > 0.0)
                flow->dual[q] += fabs(flow->row[q * nx + j]) / w[j];
    }
}

static void free_flow(am_flow *flow) {
    if (!flow)
        return;
    am_combination_clear(&flow->k);
    am_memory_free(flow->A);
    am_memory_free(flow->size_of_A);
    am_memory_free(flow->extent);
    am_memory_free(flow->normal);
    am_memory_free(flow->tangential);
    am_memory_free(flow->quantity);
    am_memory_free(flow->row);
    am_memory_free(flow->row_extent);
    am_memory_free(flow->dual);
    am_finality_free(flow->finality);
    am_memory_free(flow);
}

static am_status fill_flow(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t n = plan->n, m = plan->m, nx = plan->nx;
    double *force = am_memory_new(n * plan->nz, sizeof *force, err);
    flow->A = am_memory_new((n + plan->springs) * nx, sizeof(double), err);
    flow->size_of_A = am_memory_new((n + plan->springs) * nx, sizeof(double), err);
    flow->extent = am_memory_new(n + plan->springs, sizeof *flow->extent, err);
    flow->normal = am_memory_new(m * nx, sizeof(double), err);
    flow->tangential = am_memory_new(m * nx, sizeof(double), err);
    flow->quantity = am_memory_new(3 * m, sizeof *flow->quantity, err);
    flow->row = am_memory_new(3 * m * nx, sizeof(double), err);
    flow->row_extent = am_memory_new(3 * m, sizeof *flow->row_extent, err);
    flow->dual = am_memory_new(3 * m, sizeof(double), err);
    bool complete = force && flow->A && flow->size_of_A && flow->extent && flow->normal && flow->tangential &&
                    flow->quantity && flow->row && flow->row_extent && flow->dual;
    if (complete) {
        applied_force(plan, flow->k.state, force);
        for (size_t i = 0; i < n; i++)
            response_row(plan, flow, flow->k.Y + i * n, force, flow->A + i * nx);
        fill_stretches(plan, flow);
        fill_forces(plan, flow, force);
        fill_quantities(plan, flow);
        measure(plan, flow);
    }
    am_memory_free(force);
    return complete ? AM_OK : AM_ERR_MEMORY;
}

static am_status build_flow(const am_plan *plan, const am_contact_state *state, am_flow **made, am_error *err) {
    am_flow *flow = am_memory_new(1, sizeof *flow, err);
    if (!flow)
        return AM_ERR_MEMORY;
    am_status status = am_combination_init(&flow->k, plan->system, plan->M, state, err);
    flow->possible = !status && flow->k.condition > 0.0;
    if (flow->possible)
        status = fill_flow(plan, flow, err);
    if (status) {
        free_flow(flow);
        return status;
    }
    *made = flow;
    return AM_OK;
}

/* ---- expanding ---- */

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

/* The inputs of all orders. Entries without a derivative are never written: they stay zero from the beginning. Returns
 * the number of orders in which some input is not zero. */
static size_t expand_inputs(const am_plan *plan, double *series) {
    const am_generator_entry *G = plan->system->G, *end = G + plan->system->entries;
    size_t nx = plan->nx, orders = 1;
    double *z = series + plan->nd;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, z += nx) {
        double *next = z + nx, factor = plan->inverse_order[k];
        bool any = false;
        for (const am_generator_entry *g = G; g < end;) { /* they are sorted by rows */
            size_t row = g->row;
            double sum = 0.0;
            for (; g < end && g->row == row; g++) {
                sum += factor * g->value * z[g->column];
                any |= z[g->column] != 0.0;
            }
            next[row] = sum;
        }
        orders += any && orders == k + 1;
    }
    return orders;
}

/* All orders. Once the inputs have no further derivatives only the dynamic part of the rows counts. */
void am_flow_expand(const am_plan *plan, const am_flow *flow, double *restrict series, size_t *columns) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx, with_inputs = expand_inputs(plan, series);
    const double *x = series;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, x += nx) {
        const double *row = flow->A, factor = plan->inverse_order[k];
        const am_extent *extent = flow->extent;
        double *next = series + (k + 1) * nx;
        bool inputs = k < with_inputs;
        columns[k] = inputs ? nx : nd;
        for (size_t i = n; i < nd; i++, row += nx, extent++) {
            double sum = am_extent_dynamic(extent, row, x);
            if (inputs)
                sum = am_extent_inputs(extent, row, x, sum);
            next[i] = factor * sum;
            if (i < 2 * n)
                next[i - n] = factor * x[i];
        }
    }
}

void am_flow_next_size(const am_plan *plan, const am_flow *flow, const double *x, size_t k, double *next) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    double factor = plan->inverse_order[k];
    for (size_t i = 0; i < n; i++)
        next[i] = factor * x[n + i];
    for (size_t i = n; i < nd; i++)
        next[i] = factor * am_extent_dot(&flow->extent[i - n], flow->size_of_A + (i - n) * nx, x);
    for (size_t j = nd; j < nx; j++)
        next[j] = 0.0;
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        next[nd + g->row] += factor * fabs(g->value) * x[nd + g->column];
    }
}

/* ---- cache: open addressing over the states themselves, at most half full ---- */

struct am_flow_cache {
    const am_plan *plan;
    size_t slots, count;
    am_flow **slot;
};

am_flow_cache *am_flow_cache_create(const am_plan *plan, am_error *err) {
    am_flow_cache *cache = am_memory_new(1, sizeof *cache, err);
    if (!cache)
        return NULL;
    *cache = (am_flow_cache){.plan = plan, .slots = 16};
    cache->slot = am_memory_new(cache->slots, sizeof(am_flow *), err);
    if (!cache->slot) {
        am_memory_free(cache);
        return NULL;
    }
    return cache;
}

void am_flow_cache_free(am_flow_cache *cache) {
    if (!cache)
        return;
    for (size_t i = 0; i < cache->slots; i++)
        free_flow(cache->slot[i]);
    am_memory_free(cache->slot);
    am_memory_free(cache);
}

/* The slot that holds the combination, or the free one where it belongs (FNV-1a, linear probing). */
static am_flow **find_slot(const am_flow_cache *cache, const am_contact_state *state) {
    uint64_t hash = 14695981039346656037u;
    for (size_t c = 0; c < cache->plan->m; c++)
        hash = (hash ^ (uint64_t)state[c]) * 1099511628211u;
    for (size_t i = (size_t)hash & (cache->slots - 1);; i = (i + 1) & (cache->slots - 1)) {
        am_flow *flow = cache->slot[i];
        if (!flow || memcmp(flow->k.state, state, cache->plan->m * sizeof *state) == 0)
            return &cache->slot[i];
    }
}

static am_status grow(am_flow_cache *cache, am_error *err) {
    am_flow **old = cache->slot, **larger = am_memory_new(2 * cache->slots, sizeof *larger, err);
    size_t slots = cache->slots;
    if (!larger)
        return AM_ERR_MEMORY;
    cache->slot = larger;
    cache->slots = 2 * slots;
    for (size_t i = 0; i < slots; i++)
        if (old[i])
            *find_slot(cache, old[i]->k.state) = old[i];
    am_memory_free(old);
    return AM_OK;
}

am_status am_flow_get(am_flow_cache *cache, const am_contact_state *state, am_flow **flow, am_error *err) {
    am_flow **slot = find_slot(cache, state);
    if (!*slot) {
        am_status status = 2 * (cache->count + 1) > cache->slots ? grow(cache, err) : AM_OK;
        slot = find_slot(cache, state);
        if (!status)
            status = build_flow(cache->plan, state, slot, err);
        if (status)
            return status;
        cache->count++;
    }
    *flow = *slot;
    return AM_OK;
}

void am_flow_cache_trim(am_flow_cache *cache, size_t most, const am_flow *keep) {
    if (cache->count <= most)
        return;
    am_flow *kept = NULL;
    for (size_t i = 0; i < cache->slots; i++) {
        if (cache->slot[i] && cache->slot[i] == keep)
            kept = cache->slot[i];
        else
            free_flow(cache->slot[i]);
        cache->slot[i] = NULL;
    }
    cache->count = 0;
    if (kept) {
        *find_slot(cache, kept->k.state) = kept;
        cache->count = 1;
    }
}

size_t am_flow_count(const am_flow_cache *cache) {
    return cache->count;
}
