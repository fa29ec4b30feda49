/* Rows of A for what moves inside of contacts: the stretches of springs behind sliders, and the internal variables of laws
 * that remember. */
#include <string.h>

#include "engines/switching/flow.h"
#include "engines/switching/nonlinear.h"

/* The rate of a stretch that follows the limit mu N/k: the row of the stretch itself, differentiated along the flow. */
static void fill_slipping_stretch(const am_plan *plan, const am_flow *flow, size_t c, double *row) {
    const am_system *s = plan->system;
    const am_contact_def *contact = &s->contact[c];
    size_t n = plan->n;
    double factor = -am_slip_sign(flow->k.state[c]) * contact->friction / contact->tangential_stiffness;
    for (size_t e = 0; e < s->entries; e++)
        row[plan->nd + s->G[e].column] += factor * s->hold[c * plan->nz + s->G[e].row] * s->G[e].value;
    for (size_t i = plan->normal[c].from; contact->normal_law == AM_KELVIN_VOIGT && i < plan->normal[c].to; i++) {
        row[n + i] -= factor * contact->contact_stiffness * contact->normal[i];
        for (size_t j = 0; contact->contact_damping > 0.0 && j < plan->nx; j++)
            row[j] -= factor * contact->contact_damping * contact->normal[i] * flow->A[i * plan->nx + j];
    }
}

/* Rates of the stretches: e' = t.v - surface velocity while the slider sticks; e = -T/k = -/+ mu N/k while it slips; none
 * while the contact is open. */
static void fill_stretches(const am_plan *plan, am_flow *flow) {
    const am_system *s = plan->system;
    for (size_t c = 0; c < plan->m; c++) {
        if (plan->spring[c] == AM_NO_ROW)
            continue;
        const am_contact_def *contact = &s->contact[c];
        double *row = flow->A + (plan->n + plan->spring[c]) * plan->nx;
        if (flow->k.state[c] == AM_STICK) {
            memcpy(row + plan->n, contact->tangent, plan->n * sizeof *row);
            am_plan_surface_row(plan, c, -1.0, row);
            continue;
        }
        if (am_is_closed(flow->k.state[c]))
            fill_slipping_stretch(plan, flow, c, row);
    }
}

/* Rates of internal variables: none while the contact is open. */
static void fill_memories(const am_plan *plan, am_flow *flow) {
    for (size_t j = 0; plan->inners > 0 && j < plan->forces; j++) {
        size_t c = plan->force[j].owner;
        if (plan->force[j].kind == AM_FORCE_RATE && am_force_acts(plan, j, flow->k.state))
            flow->A[(plan->n + plan->inner[c]) * plan->nx + plan->nd + plan->nz + j] =
                am_force_inner_sign(plan, c, flow->k.state);
    }
}

void am_flow_fill_inner(const am_plan *plan, am_flow *flow) {
    fill_stretches(plan, flow);
    fill_memories(plan, flow);
}
