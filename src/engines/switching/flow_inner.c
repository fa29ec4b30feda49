/* What moves inside of contacts: the stretches of springs behind sliders, and the internal variables of laws that
 * remember. And what follows without mass; and how large x is. */
#include <math.h>
#include <string.h>

#include "engines/switching/flow.h"
#include "engines/switching/nonlinear.h"
#include "engines/switching/rows.h"

static bool acts_on_followers(const am_plan *plan, const am_interval *range, const double *row) {
    for (size_t i = range->from; plan->followers > 0 && i < range->to; i++)
        if (plan->massless[i] && row[i] != 0.0)
            return true;
    return false;
}

bool am_plan_is_follower(const am_plan *plan, size_t contact) {
    return acts_on_followers(plan, &plan->tangent[contact], plan->system->contact[contact].tangent);
}

bool am_plan_gap_follows(const am_plan *plan, size_t contact) {
    return acts_on_followers(plan, &plan->normal[contact], plan->system->contact[contact].normal);
}

void am_flow_normal_rate_row(const am_plan *plan, const am_flow *flow, size_t c, double factor, double *row) {
    const am_system *s = plan->system;
    const am_contact_def *contact = &s->contact[c];
    size_t n = plan->n;
    if (contact->normal_law == AM_UNILATERAL || contact->normal_law == AM_HUNT_CROSSLEY) {
        am_flow_rate_row(plan, flow, flow->normal + c * plan->nx, factor, row);
        return;
    }
    for (size_t e = 0; e < s->entries; e++)
        row[plan->nd + s->G[e].column] += factor * s->hold[c * plan->nz + s->G[e].row] * s->G[e].value;
    if (contact->normal_law == AM_KELVIN_VOIGT && s->lifted[c]) {
        am_plan_gap_rate_row(plan, c, -factor * contact->contact_stiffness, row);
        for (size_t j = 0; j < plan->nz; j++)
            row[plan->nd + j] -= factor * contact->contact_damping * s->gap_bend[c * plan->nz + j];
    }
    for (size_t i = plan->normal[c].from; contact->normal_law == AM_KELVIN_VOIGT && i < plan->normal[c].to; i++) {
        row[n + i] -= factor * contact->contact_stiffness * contact->normal[i];
        for (size_t j = 0; contact->contact_damping > 0.0 && j < plan->nx; j++)
            row[j] -= factor * contact->contact_damping * contact->normal[i] * flow->A[i * plan->nx + j];
    }
}

/* A stretch that follows the limit mu N/k, mu N being friction N and what of it is not linear. */
static void fill_slipping_stretch(const am_plan *plan, const am_flow *flow, size_t c, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    double factor = -am_slip_sign(flow->k.state[c]) / contact->tangential_stiffness;
    am_flow_normal_rate_row(plan, flow, c, factor * contact->friction, row);
    for (size_t j = 0; j < plan->forces; j++)
        if (plan->force[j].owner == c &&
            (plan->force[j].kind == AM_FORCE_FRICTION || plan->force[j].kind == AM_FORCE_WEAKENING))
            row[plan->nd + plan->nz + plan->change[j]] += factor;
}

/* Both stretches of a contact that slips in a plane: e' = sliding velocity - lambda e, with lambda = 0 in stick. */
static void fill_plane(const am_plan *plan, am_flow *flow, size_t c, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    size_t nx = plan->nx, rate = plan->nd + plan->nz + am_force_of(plan, AM_FORCE_DISC_RATE, c);
    memcpy(row + plan->n, contact->tangent, plan->n * sizeof *row);
    memcpy(row + nx + plan->n, contact->second_tangent, plan->n * sizeof *row);
    am_plan_surface_row(plan, c, -1.0, row);
    if (flow->k.state[c] == AM_SWEEP)
        row[rate] = row[nx + rate + 1] = -1.0;
}

/* Rates of the stretches: e' = t.v - surface velocity while the slider sticks; e = -T/k = -/+ mu N/k while it slips, after
 * all that stick (whose springs N may depend on); none while the contact is open. */
static void fill_stretches(const am_plan *plan, am_flow *flow, bool slips) {
    const am_system *s = plan->system;
    for (size_t c = 0; c < plan->m; c++) {
        am_contact_state state = flow->k.state[c];
        if (plan->spring[c] == AM_NO_ROW || !am_is_closed(state) || slips == am_spring_pulls(state))
            continue;
        double *row = flow->A + (plan->n + plan->spring[c]) * plan->nx;
        if (slips) {
            fill_slipping_stretch(plan, flow, c, row);
        } else if (am_plan_is_disc(plan, c)) {
            fill_plane(plan, flow, c, row);
        } else {
            memcpy(row + plan->n, s->contact[c].tangent, plan->n * sizeof *row);
            am_plan_surface_row(plan, c, -1.0, row);
        }
    }
}

/* Rates of internal variables: none while the contact is open. */
static void fill_memories(const am_plan *plan, am_flow *flow) {
    for (size_t j = 0; plan->inners > 0 && j < plan->forces; j++) {
        size_t c = plan->force[j].owner, i = plan->force[j].along;
        if (plan->force[j].kind == AM_FORCE_RATE && am_force_acts(plan, j, flow->k.state))
            flow->A[(plan->n + plan->inner[c] + i) * plan->nx + plan->nd + plan->nz + j] =
                am_force_inner_sign(plan, c, i, flow->k.state);
    }
}

void am_flow_fill_inner(const am_plan *plan, am_flow *flow) {
    fill_stretches(plan, flow, false);
    fill_stretches(plan, flow, true);
    fill_memories(plan, flow);
}

/* ---- coordinates without mass ---- */

size_t am_flow_carrier(const am_plan *plan, const am_flow *flow, size_t coordinate, double *factor) {
    for (size_t a = 0; a < flow->active; a++) {
        const am_force *force = &plan->force[flow->acting[a]];
        if (force->kind != AM_FORCE_DRAG)
            continue;
        am_interval range = plan->tangent[force->owner];
        if (range.from != coordinate || range.to != coordinate + 1)
            continue;
        *factor = -am_slip_sign(flow->k.state[force->owner]) * force->direction[coordinate];
        return a;
    }
    return AM_NO_ROW;
}

/* A row of A has no entries in the columns of velocities that follow. */
void am_flow_follow(const am_plan *plan, const am_flow *flow, const am_force_work *work, size_t k, double *x) {
    for (size_t i = 0; i < plan->n; i++) {
        double factor;
        if (!plan->massless[i])
            continue;
        size_t a = am_flow_carrier(plan, flow, i, &factor);
        if (a == AM_NO_ROW) {
            x[plan->n + i] = am_dense_dot(flow->A + i * plan->nx, x, plan->nx);
            continue;
        }
        size_t j = flow->acting[a], c = plan->force[j].owner;
        double speed = work->series[j][am_force_formula(plan, work, j)->argument[1] * AM_TAPE_ORDERS + k];
        double surface = am_dense_dot(plan->system->surface + c * plan->nz, x + plan->nd, plan->nz);
        x[plan->n + i] = speed / factor + surface / plan->force[j].direction[i];
    }
}

/* ---- sizes ---- */

void am_flow_next_size(const am_plan *plan, const am_flow *flow, const double *x, size_t k, double *next) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    double factor = plan->inverse_order[k];
    for (size_t i = 0; i < n; i++)
        next[i] = factor * x[n + i];
    for (size_t i = n; i < nd; i++)
        next[i] = factor * am_extent_size(&flow->extent[i - n], flow->A + (i - n) * nx, x);
    for (size_t j = nd; j < nx; j++)
        next[j] = 0.0;
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        next[nd + g->row] += factor * fabs(g->value) * x[nd + g->column];
    }
}

double am_flow_norm(const am_plan *plan, const am_flow *flow, const double *x) {
    double norm = 0.0;
    if (!flow->weight)
        return am_plan_norm(plan, x);
    for (size_t i = 0; i < plan->nx; i++)
        norm = fmax(norm, flow->weight[i] * fabs(x[i]));
    return norm;
}
