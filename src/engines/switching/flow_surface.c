/* Surfaces that contacts stick to, and supports that they stay on: what their motion demands of the structure. */
#include <math.h>

#include "engines/switching/flow.h"

/* What the constraint of a contact that sticks demands, J y = c, as a row over z: the acceleration of its surface, or its
 * velocity where the coordinate that sticks has no mass and y is q'. NULL: nothing. */
static const double *demand_of(const am_plan *plan, size_t c) {
    const am_system *s = plan->system;
    bool follows = plan->followers > 0 && plan->massless[plan->tangent[c].from];
    return follows ? s->surface + c * plan->nz : s->drawn[c] ? s->surface_rate + c * plan->nz : NULL;
}

/* The same of one that is closed: n.q'' = -gap''. */
static const double *lift_of(const am_plan *plan, size_t c) {
    return plan->system->lifted[c] ? plan->system->gap_bend + c * plan->nz : NULL;
}

void am_flow_add_demands(const am_plan *plan, const am_flow *flow, const double *answer, double *out) {
    for (size_t c = 0; c < plan->m; c++) {
        size_t r = flow->k.stick_row[c], closed = flow->k.normal_row[c];
        const double *demand = r != AM_NO_ROW ? demand_of(plan, c) : NULL;
        const double *lift = closed != AM_NO_ROW ? lift_of(plan, c) : NULL;
        for (size_t j = 0; demand && j < plan->nz; j++)
            out[plan->nd + j] += answer[r] * demand[j];
        for (size_t j = 0; lift && j < plan->nz; j++)
            out[plan->nd + j] -= answer[closed] * lift[j];
    }
}

bool am_flow_surfaces_agree(const am_plan *plan, const am_combination *k) {
    for (size_t d = 0; d < k->redundant; d++)
        for (size_t j = 0; j < plan->nz; j++) {
            double sum = 0.0, size = 0.0;
            for (size_t c = 0; c < plan->m; c++) {
                bool demands = k->stick_row[c] != AM_NO_ROW && plan->system->drawn[c];
                bool lifts = k->normal_row[c] != AM_NO_ROW && plan->system->lifted[c];
                double part = demands ? k->W[k->stick_row[c] * k->redundant + d] * demand_of(plan, c)[j] : 0.0;
                double push = lifts ? -k->W[k->normal_row[c] * k->redundant + d] * lift_of(plan, c)[j] : 0.0;
                sum += part + push;
                size += fabs(part) + fabs(push);
            }
            if (fabs(sum) > 1e-12 * size)
                return false;
        }
    return true;
}
