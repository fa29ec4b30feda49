#include "engines/switching/rows.h"

#include <string.h>

#include "system/generator.h"

void am_flow_rate_row(const am_plan *plan, const am_flow *flow, const double *of, double factor, double *row) {
    const am_system *s = plan->system;
    size_t n = plan->n, nd = plan->nd, first = nd + plan->nz;
    for (size_t i = 0; i < n; i++)
        row[n + i] += factor * of[i];
    for (size_t i = 0; i < plan->rows; i++) {
        const double *A = flow->A + i * plan->nx, share = factor * of[n + i];
        if (share != 0.0 && i < n && plan->massless[i]) /* A gives the velocity itself */
            am_flow_rate_row(plan, flow, A, share, row);
        for (size_t j = 0; share != 0.0 && (i >= n || !plan->massless[i]) && j < plan->nx; j++)
            row[j] += share * A[j];
    }
    for (const am_generator_entry *g = s->G, *end = g + s->entries; g < end; g++)
        row[nd + g->column] += factor * of[nd + g->row] * g->value;
    for (size_t j = 0; j < plan->forces; j++)
        if (of[first + j] != 0.0)
            row[first + plan->change[j]] += factor * of[first + j];
}

void am_flow_slide_row(const am_plan *plan, const am_flow *flow, size_t c, double *row) {
    const am_contact_def *contact = &plan->system->contact[c];
    size_t n = plan->n;
    double sign = -am_slip_sign(flow->k.state[c]);
    for (size_t i = plan->tangent[c].from; i < plan->tangent[c].to; i++)
        row[n + i] = sign * contact->tangent[i];
    am_plan_surface_row(plan, c, -sign, row);
    if (plan->spring[c] == AM_NO_ROW)
        return;
    const double *rate = flow->A + (n + plan->spring[c]) * plan->nx; /* the slider's own velocity */
    for (size_t j = 0; j < plan->nx; j++)
        row[j] -= sign * rate[j];
}

void am_flow_matrix(const am_plan *plan, const am_flow *flow, double *F) {
    size_t n = plan->n, nd = plan->nd, nx = plan->nx;
    for (size_t i = 0; i < n; i++)
        F[i * nx + n + i] = 1.0;
    memcpy(F + n * nx, flow->A, plan->rows * nx * sizeof *F);
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        F[(nd + g->row) * nx + nd + g->column] += g->value;
    }
}
