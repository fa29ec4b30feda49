#include "engines/switching/flow.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/switching/nonlinear.h"
#include "engines/switching/rows.h"
#include "laws/law.h"
#include "math/dense.h"
/* ---- building one flow ---- */

void am_plan_normal_row(const am_plan *plan, size_t c, double factor, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    size_t n = plan->n;
    if (contact->normal_law == AM_HELD)
        for (size_t j = 0; j < plan->nz; j++)
            row[plan->nd + j] += factor * plan->system->hold[c * plan->nz + j];
    if (contact->normal_law == AM_HUNT_CROSSLEY)
        row[plan->nd + plan->nz + am_force_of(plan, AM_FORCE_PUSH, c)] += factor;
    if (contact->normal_law != AM_KELVIN_VOIGT)
        return;
    for (size_t i = plan->normal[c].from; i < plan->normal[c].to; i++) {
        row[i] -= factor * contact->contact_stiffness * contact->normal[i];
        row[n + i] -= factor * contact->contact_damping * contact->normal[i];
    }
    am_plan_gap_row(plan, c, -factor * contact->contact_stiffness, row);
    am_plan_gap_rate_row(plan, c, -factor * contact->contact_damping, row);
}

/* out (nx, zero before) = coefficients of response . (F - C v - K q - springs of sticking contacts), with F the loads
 * and the friction of held contacts that slip. */
static void response_row(const am_plan *plan, const am_flow *flow, const double *response, const double *force,
                         double *out) {
    size_t n = plan->n, nz = plan->nz;
    for (size_t i = 0; i < n; i++) { /* row by row: each matrix is read in the order it is stored */
        const double r = response[i], *K = plan->K + i * n, *C = plan->D + i * n, *F = force + i * nz;
        if (r == 0.0)
            continue;
        for (size_t j = plan->stiff[i].from; j < plan->stiff[i].to; j++)
            out[j] -= r * K[j];
        for (size_t j = plan->damp[i].from; j < plan->damp[i].to; j++)
            out[n + j] -= r * C[j];
        for (size_t j = 0; j < nz; j++)
            out[plan->nd + j] += r * F[j];
    }
    for (size_t c = 0; c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        if (plan->spring[c] == AM_NO_ROW || !am_spring_pulls(flow->k.state[c]))
            continue;
        out[2 * n + plan->spring[c]] = -contact->tangential_stiffness * am_dense_dot(response, contact->tangent, n);
        if (am_plan_is_disc(plan, c))
            out[2 * n + plan->spring[c] + 1] =
                -contact->tangential_stiffness * am_dense_dot(response, contact->second_tangent, n);
    }
    for (size_t c = 0; plan->compliant && c < plan->m; c++) {
        const am_contact_def *contact = &plan->system->contact[c];
        if (contact->normal_law != AM_KELVIN_VOIGT || !am_is_closed(flow->k.state[c]))
            continue; /* curved laws are among the forces below */
        double mu = am_slip_sign(flow->k.state[c]) * contact->friction;
        am_plan_normal_row(
            plan, c, am_dense_dot(response, contact->normal, n) + mu * am_dense_dot(response, contact->tangent, n),
            out);
    }
    for (size_t j = 0; j < plan->forces; j++)
        if (am_force_acts(plan, j, flow->k.state))
            out[plan->nd + nz + j] = am_force_response(plan, j, flow->k.state, response);
    if (plan->lights > 0)
        am_flow_lean(plan, flow, response, out);
}

/* force (n x nz) = input + tangent * (-/+ mu N) of every held contact that slips. */
static void applied_force(const am_plan *plan, const am_contact_state *state, double *force) {
    const am_system *s = plan->system;
    memcpy(force, s->input, plan->n * plan->nz * sizeof *force);
    for (size_t c = 0; c < plan->m; c++) {
        double mu = am_slip_sign(state[c]) * s->contact[c].friction;
        if (s->contact[c].normal_law != AM_HELD || mu == 0.0)
            continue;
        for (size_t i = plan->tangent[c].from; i < plan->tangent[c].to; i++)
            for (size_t j = 0; j < plan->nz; j++)
                force[i * plan->nz + j] += mu * s->contact[c].tangent[i] * s->hold[c * plan->nz + j];
    }
}

/* The multiplier of constraint r. */
static void reaction_row(const am_plan *plan, const am_flow *flow, size_t r, const double *force, double *out) {
    response_row(plan, flow, flow->k.L + r * plan->n, force, out);
    am_flow_add_demands(plan, flow, flow->k.Lc + r * flow->k.p, out);
}

static void fill_forces(const am_plan *plan, am_flow *flow, const double *force) {
    const am_system *s = plan->system;
    size_t n = plan->n, nx = plan->nx;
    for (size_t c = 0; c < plan->m; c++) {
        double *N = flow->normal + c * nx, *T = flow->tangential + c * nx;
        double mu = am_slip_sign(flow->k.state[c]) * s->contact[c].friction;
        bool leans = am_plan_leans(plan, c), creeps = am_plan_creeps(plan, c); /* light.c has those */
        if (flow->k.normal_row[c] != AM_NO_ROW && !leans)
            reaction_row(plan, flow, flow->k.normal_row[c], force, N);
        else if (am_is_closed(flow->k.state[c]) && !leans)
            am_plan_normal_row(plan, c, 1.0, N);
        if (creeps && flow->k.stick_row[c] != AM_NO_ROW)
            continue;
        if (flow->k.stick_row[c] != AM_NO_ROW)
            reaction_row(plan, flow, flow->k.stick_row[c], force, T);
        else if (plan->spring[c] != AM_NO_ROW && am_spring_pulls(flow->k.state[c]))
            T[2 * n + plan->spring[c]] = -s->contact[c].tangential_stiffness;
        else
            for (size_t j = 0; j < nx; j++)
                T[j] = mu * N[j];
    }
    for (size_t j = 0; j < plan->forces; j++)
        if (plan->force[j].kind == AM_FORCE_FRICTION || plan->force[j].kind == AM_FORCE_DRAG ||
            plan->force[j].kind == AM_FORCE_WEAKENING)
            flow->tangential[plan->force[j].owner * nx + plan->nd + plan->nz + j] +=
                am_slip_sign(flow->k.state[plan->force[j].owner]);
}

/* Sum of |row|/weight over [from, to), entries without weight left out. */
static double dual_part(const double *row, const double *weight, size_t from, size_t to) {
    double sum = 0.0;
    for (size_t j = from; j < to; j++)
        if (row[j] != 0.0 && weight[j] > 0.0)
            sum += fabs(row[j]) / weight[j];
    return sum;
}

/* The fastest oscillation among the inputs: a pair of entries that turn into each other. */
static double fastest_input(const am_system *s) {
    double fastest = 0.0;
    for (size_t e = 0; e < s->entries; e++)
        for (size_t f = 0; f < s->entries; f++)
            if (s->G[f].row == s->G[e].column && s->G[f].column == s->G[e].row)
                fastest = fmax(fastest, fabs(s->G[e].value));
    return fastest;
}

/* Is entry j the constant input, or of a coordinate that keeps its velocity? Such have no orders above the first, and
 * no part in a remainder. */
bool am_flow_is_still(const am_plan *plan, const am_flow *flow, size_t j) {
    return j == plan->nd || (j < 2 * plan->n && am_extent_is_empty(&flow->extent[j % plan->n]));
}

/* Sum of |row|/weight over all that moves in [from, to). */
static double moving_part(const am_plan *plan, const am_flow *flow, const double *w, const double *row, size_t from,
                          size_t to) {
    double sum = 0.0;
    for (size_t j = from; j < to; j++)
        if (row[j] != 0.0 && w[j] > 0.0 && !am_flow_is_still(plan, flow, j))
            sum += fabs(row[j]) / w[j];
    return sum;
}

/* The plan's weights suit a structure whose fastest coordinates move. Where contacts hold them (nodes of a fine mesh)
 * the rows of the others may have a norm far below that of q' = v, `frequency`, which alone would end the spans. With
 * velocities that weigh `lift` times as much q' = v has the norm frequency/lift, and the rows S lift + D, with S from
 * displacements and D from velocities: both are the same at the lift returned. */
static double find_lift(const am_plan *plan, const am_flow *flow, double *frequency) {
    static const double most = 1e6;
    const double *w = plan->weight;
    size_t n = plan->n;
    double S = 0.0, D = 0.0;
    *frequency = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double *row = flow->A + i * plan->nx;
        if (am_extent_is_empty(&flow->extent[i]))
            continue;
        *frequency = fmax(*frequency, am_plan_frequency_of(plan, i));
        S = fmax(S,
                 w[n + i] * (moving_part(plan, flow, w, row, 0, n) + moving_part(plan, flow, w, row, 2 * n, plan->nd)));
        D = fmax(D, w[n + i] * moving_part(plan, flow, w, row, n, 2 * n));
    }
    double root = D + sqrt(D * D + 4.0 * S * *frequency);
    return root > 0.0 ? fmin(most, 2.0 * *frequency / root) : 1.0;
}

/* Weights of its own for such a flow; none is smaller than the plan's, so that a remainder bounded in them is bounded
 * in those. Where little is gained it stays with the plan's. */
static am_status weigh_slow_flow(const am_plan *plan, am_flow *flow, am_error *err) {
    static const double worth = 5.0;
    double frequency, lift = find_lift(plan, flow, &frequency);
    if (!(lift > worth))
        return AM_OK;
    flow->weight = am_arena_doubles(&flow->memory, plan->weight, plan->nx, err);
    if (!flow->weight)
        return AM_ERR_MEMORY;
    double *w = flow->weight, *wz = w + plan->nd;
    frequency /= lift;
    for (size_t i = plan->n; i < 2 * plan->n; i++)
        w[i] *= lift;
    for (size_t j = 0; j < plan->nz; j++) /* the displacement that an input would cause */
        wz[j] *= lift * lift;
    for (size_t e = 0; e < plan->system->entries; e++) { /* as in the plan: slopes must not add to the norm */
        const am_generator_entry *g = &plan->system->G[e];
        wz[g->column] = fmax(wz[g->column], wz[g->row] * fabs(g->value) / fmax(frequency, fabs(g->value)));
    }
    return AM_OK;
}

/* The norm of A, of all that moves. */
static double rate_of(const am_plan *plan, const am_flow *flow) {
    size_t n = plan->n, nd = plan->nd;
    const double *w = flow->weight ? flow->weight : plan->weight;
    double rate = 0.0;
    /* Nothing but the inputs: 2^24/24! is below rounding, so that oscillations may turn by 2 radians (the length that
     * follows from the rate is 12.5/rate); and the others are polynomials. */
    if (flow->moving.from == flow->moving.to && plan->rows == n)
        return 6.25 * fastest_input(plan->system);
    for (size_t i = 0; i < plan->rows; i++) {
        if (am_extent_is_empty(&flow->extent[i]))
            continue;
        if (i < n)
            rate = fmax(rate, w[i] / w[n + i]);
        rate = fmax(rate, w[n + i] * moving_part(plan, flow, w, flow->A + i * plan->nx, 0, plan->nx));
    }
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        double ratio = w[nd + g->column] > 0.0 ? w[nd + g->row] / w[nd + g->column] : 0.0;
        rate = fmax(rate, fabs(g->value) * ratio);
    }
    return rate;
}

bool am_quantity_is_sharp(const am_plan *plan, const am_quantity *quantity) {
    return quantity->kind == AM_QUANTITY_SLIDE &&
           !am_law_sticks(&plan->system->contact[quantity->contact].speed_friction);
}

/* Norms in the plan's weights. The constant input z[0] carries no remainder, so gaps and belts are left out of `dual`.
 */
static void measure(const am_plan *plan, am_flow *flow) {
    size_t nd = plan->nd, nx = plan->nx;
    const double *w = plan->weight;
    flow->rate = rate_of(plan, flow);
    for (size_t q = 0; q < flow->quantities; q++) {
        const am_extent *extent = &flow->row_extent[q];
        size_t inputs = extent->input_from > nd ? extent->input_from : nd + 1;
        flow->dual[q] = dual_part(flow->row + q * nx, w, extent->from, extent->to) +
                        dual_part(flow->row + q * nx, w, inputs, extent->input_to);
        if (am_quantity_is_sharp(plan, &flow->quantity[q]))
            flow->dual[q] = 0.0;
    }
}

/* ---- one flow ---- */

void am_flow_free(am_flow *flow) {
    if (!flow)
        return;
    am_combination_clear(&flow->k);
    am_split_free(flow->split);
    am_split_free(flow->impulses);
    am_arena_clear(&flow->memory);
    am_arena_clear(&flow->jet_memory);
    am_arena_clear(&flow->finality_memory);
    am_arena_clear(&flow->slow_memory);
    am_arena_clear(&flow->stride_memory);
    am_memory_free(flow);
}

static am_status reserve_rows(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t m = plan->m, nx = plan->nx;
    size_t most = 4 * m + (flow->split ? flow->split->facets : 0);
    am_arena *memory = &flow->memory;
    flow->A = am_arena_doubles(memory, NULL, (plan->rows) * nx, err);
    AM_ARENA_ARRAYS(memory, am_extent, plan->rows, err, &flow->extent, &flow->later);
    AM_ARENA_DOUBLES(memory, m * nx, err, &flow->normal, &flow->tangential);
    flow->quantity = am_arena_new(memory, most, sizeof *flow->quantity, err);
    flow->row = am_arena_doubles(memory, NULL, most * nx, err);
    flow->row_extent = am_arena_new(memory, most, sizeof *flow->row_extent, err);
    flow->dual = am_arena_doubles(memory, NULL, most, err);
    flow->screen = am_arena_new(memory, most, sizeof *flow->screen, err);
    return am_arena_status(memory);
}

static am_status fill_flow(const am_plan *plan, am_flow *flow, am_error *err) {
    double *force = am_memory_new(plan->n * plan->nz, sizeof *force, err);
    am_status status = force ? reserve_rows(plan, flow, err) : AM_ERR_MEMORY;
    if (!status) {
        applied_force(plan, flow->k.state, force);
        if (plan->lights > 0)
            status = am_flow_fill_light(plan, flow, force, err);
    }
    if (!status) {
        for (size_t i = 0; i < plan->n; i++) {
            if (plan->light[i])
                continue;
            response_row(plan, flow, flow->k.Y + i * plan->n, force, flow->A + i * plan->nx);
            am_flow_add_demands(plan, flow, flow->k.Yc + i * flow->k.p, flow->A + i * plan->nx);
        }
        if (plan->lights > 0)
            am_flow_accelerate_light(plan, flow);
        fill_forces(plan, flow, force);
        am_flow_fill_inner(plan, flow);
        flow->stepwise = plan->followers > 0;
        status = plan->forces > 0 ? am_forces_fill(plan, flow, err) : AM_OK;
        am_flow_fill_quantities(plan, flow);
        if (!status)
            status = weigh_slow_flow(plan, flow, err);
    }
    if (!status)
        measure(plan, flow);
    am_memory_free(force);
    return status;
}

am_status am_flow_build(const am_plan *plan, const am_contact_state *state, am_flow **made, am_error *err) {
    am_flow *flow = am_memory_new(1, sizeof *flow, err);
    if (!flow)
        return AM_ERR_MEMORY;
    am_status status = am_combination_init(&flow->k, plan->held, plan->E, state, err);
    if (!status)
        status = am_combination_share(&flow->k, plan->E, err);
    if (!status && flow->k.redundant > 0)
        status = am_flow_make_splits(plan, flow, err);
    flow->possible = !status && flow->k.condition > 0.0 && !(flow->split && flow->split->clamps) &&
                     am_flow_surfaces_agree(plan, &flow->k);
    if (flow->possible)
        status = fill_flow(plan, flow, err);
    if (status) {
        am_flow_free(flow);
        return status;
    }
    *made = flow;
    return AM_OK;
}

double am_flow_bytes(const am_plan *plan) {
    double rates = (double)plan->rows, contacts = (double)plan->m, nx = (double)plan->nx;
    double border = (double)(plan->n + 2 * plan->m);
    double jets = am_flow_wants_jets(plan) ? AM_COEFFICIENTS * (rates + 3.0 * contacts) : 0.0;
    return 8.0 * ((rates + 5.0 * contacts + jets) * nx + 2.0 * border * border);
}
