/* Contacts whose directions depend on each other: how long some split of their forces is admissible. docs/redundant.md
 */
#include "engines/quasistatic/quasistatic.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"

/* ---- one combination ---- */

/* Do the contacts that are held leave no motion along a row? In units in which the stiffness has a unit diagonal. */
static bool row_is_held(const am_path_engine *e, const am_combination *k, const double *row) {
    static const double dependent = 1e-9;
    for (size_t j = 0; j < e->n; j++) {
        double sum = 0.0, size = 0.0, own = fabs(e->K[j * (e->n + 1)]);
        for (size_t i = 0; i < e->n; i++) {
            double stiffness = fabs(e->K[i * (e->n + 1)]);
            sum += row[i] * k->Y[i * e->n + j];
            size += fabs(row[i]) / (stiffness > 0.0 ? sqrt(stiffness) : 1.0);
        }
        if (!(fabs(sum) * (own > 0.0 ? sqrt(own) : 1.0) <= dependent * size))
            return false;
    }
    return true;
}

static am_status is_possible_with(const am_path_engine *e, am_contact_state *state, size_t c, am_contact_state other,
                                  bool *possible, bool *clamps, am_error *err) {
    am_contact_state own = state[c];
    state[c] = other;
    am_status status = am_split_possible(e->system, e->K, state, possible, clamps, err);
    state[c] = own;
    return status;
}

/* A slip or a gap that others hold is another name for stick, if the contact can stick with them. A slip with which it
 * would clamp them is clamping in disguise. */
static am_status find_idle(const am_path_engine *e, am_path_plan *plan, size_t c, am_error *err) {
    const am_combination *k = &plan->k;
    const am_contact_def *contact = &e->system->contact[c];
    bool open = k->state[c] == AM_OPEN, sticks = false, clamps = false, forward = !open, backward = false;
    if (k->state[c] == AM_STICK || !row_is_held(e, k, open ? contact->normal : contact->tangent))
        return AM_OK;
    am_status status = is_possible_with(e, k->state, c, AM_STICK, &sticks, &clamps, err);
    plan->clamps = plan->clamps || (clamps && !open);
    if (!status && open && sticks)
        status = is_possible_with(e, k->state, c, AM_FORWARD, &forward, NULL, err);
    if (!status && open && sticks && !forward)
        status = is_possible_with(e, k->state, c, AM_BACKWARD, &backward, NULL, err);
    if (status || !sticks || !(forward || backward))
        return status;
    if (!plan->idle && !(plan->idle = am_arena_new(&plan->memory, e->m, sizeof *plan->idle, err)))
        return AM_ERR_MEMORY;
    plan->idle[c] = true;
    return AM_OK;
}

am_status am_path_plan_share(am_path_plan *plan, const am_path_engine *e, am_error *err) {
    am_combination *k = &plan->k;
    AM_TRY(am_combination_share(k, e->K, err));
    AM_TRY(am_split_create(e->system, k, AM_SPLIT_KINETIC, NULL, &plan->split, err));
    if (plan->split && plan->split->clamps)
        k->condition = 0.0;
    for (size_t c = 0; c < e->m && k->condition > 0.0 && k->p > 0; c++)
        AM_TRY(find_idle(e, plan, c, err));
    if (plan->split)
        plan->binding = am_arena_new(&plan->memory, e->m, sizeof *plan->binding, err);
    return am_arena_status(&plan->memory);
}

void am_path_plan_clear(am_path_plan *plan) {
    am_combination_clear(&plan->k);
    am_split_free(plan->split);
    am_split_free(plan->rates);
    am_arena_clear(&plan->memory);
    *plan = (am_path_plan){0};
}

/* ---- facets ---- */

double am_path_facet(const am_split *split, const am_facet *facet, const am_path_point *point) {
    double sum = 0.0;
    for (size_t i = 0; i < split->limits; i++) {
        size_t c = split->limit[i].contact;
        sum += facet->weight[i] * am_limit_value(&split->limit[i], point->normal[c], point->tangential[c]);
    }
    return sum;
}

double am_path_facet_size(const am_split *split, const am_facet *facet) {
    double sum = 0.0;
    for (size_t i = 0; i < split->limits; i++)
        sum += facet->weight[i] * am_limit_size(&split->limit[i], 1.0, 1.0);
    return sum;
}

unsigned char am_path_hit_of(am_limit_kind kind) {
    return kind == AM_LIMIT_NORMAL ? AM_HIT_NORMAL : kind == AM_LIMIT_LOWER ? AM_HIT_FORWARD : AM_HIT_BACKWARD;
}

am_contact_state am_path_state_after(const am_facet *facet, size_t contact) {
    for (size_t i = 0; i < facet->members; i++) {
        if (facet->member[i].contact != contact)
            continue;
        am_limit_kind kind = facet->member[i].kind;
        return kind == AM_LIMIT_NORMAL ? AM_OPEN : kind == AM_LIMIT_LOWER ? AM_FORWARD : AM_BACKWARD;
    }
    return AM_STICK;
}

/* ---- the rate problem ---- */

static am_binding binding_of(const am_path_standing *standing) {
    am_binding b = {0};
    b.limit[AM_LIMIT_NORMAL] = standing->origin;
    b.limit[AM_LIMIT_LOWER] = standing->forward;
    b.limit[AM_LIMIT_UPPER] = standing->backward;
    return b;
}

am_status am_path_bind(am_path_engine *e, am_error *err) {
    am_path_plan *plan = e->tried;
    bool same = plan->rates != NULL;
    for (size_t c = 0; c < e->m; c++) {
        am_binding binding = binding_of(&e->standing[c]);
        same = same && memcmp(&binding, &plan->binding[c], sizeof binding) == 0;
        plan->binding[c] = binding;
    }
    if (same)
        return AM_OK;
    am_split_free(plan->rates);
    plan->rates = NULL;
    return am_split_create(e->system, &plan->k, AM_SPLIT_KINETIC, plan->binding, &plan->rates, err);
}

bool am_path_surfaces_contradict(const am_path_engine *e, const am_combination *k) {
    for (size_t j = 0; j < k->redundant; j++)
        for (size_t order = 1; order < e->orders; order++) {
            double sum = 0.0, size = 0.0;
            for (size_t c = 0; c < e->m; c++) {
                double W = k->stick_row[c] != AM_NO_ROW ? k->W[k->stick_row[c] * k->redundant + j] : 0.0;
                double N = k->normal_row[c] != AM_NO_ROW ? k->W[k->normal_row[c] * k->redundant + j] : 0.0;
                sum += W * am_path_surface(e, c, order) - N * am_path_gap(e, c, order);
                size += fabs(W) * am_path_surface_size(e, c, order) + fabs(N) * am_path_gap_size(e, c, order);
            }
            if (fabs(sum) > AM_PATH_SAME_RATE * size)
                return true;
        }
    return false;
}

/* ---- the forces that are shown ---- */

void am_path_share_point(const am_path_engine *e, am_path_point *point) {
    am_path_plan *plan = e->present;
    if (plan && plan->split && memcmp(plan->k.state, e->state, e->m * sizeof *e->state) == 0)
        am_split_choose(plan->split, &plan->k, e->system, point->normal, point->tangential);
}
