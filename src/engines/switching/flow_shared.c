/* Flows in which contacts depend on each other: facets stand for the limits of those that share their forces, and what
 * cannot move because others hold it is known. */
#include "base/try.h"
#include "engines/switching/flow.h"

#include <float.h>
#include <math.h>

#include "base/arena.h"
#include "math/dense.h"

/* Directions closer to a dependence than this are dependent, as in system/combination.c. */
static const double dependent = 1e-9;

am_quantity_kind am_quantity_kind_of(am_limit_kind kind) {
    return kind == AM_LIMIT_NORMAL  ? AM_QUANTITY_NORMAL
           : kind == AM_LIMIT_UPPER ? AM_QUANTITY_UPPER
                                    : AM_QUANTITY_LOWER;
}

am_quantity am_quantity_member(const am_quantity *quantity, size_t index) {
    if (quantity->members == 0)
        return *quantity;
    const am_limit *limit = &quantity->member[index];
    return (am_quantity){.contact = limit->contact, .kind = am_quantity_kind_of(limit->kind)};
}

bool am_quantity_involves(const am_quantity *quantity, size_t contact) {
    for (size_t i = 0; i < quantity->members; i++)
        if (quantity->member[i].contact == contact)
            return true;
    return quantity->members == 0 && quantity->contact == contact;
}

/* The sum of the limits of a facet. Entries that are left over where forces cancel are rounding. */
void am_flow_facet_row(const am_plan *plan, const am_flow *flow, const am_facet *facet, double *row) {
    for (size_t j = 0; j < plan->nx; j++) {
        double size = 0.0;
        for (size_t i = 0; i < flow->split->limits; i++) {
            const am_limit *limit = &flow->split->limit[i];
            double N = flow->normal[limit->contact * plan->nx + j], T = flow->tangential[limit->contact * plan->nx + j];
            row[j] += facet->weight[i] * am_limit_value(limit, N, T);
            size += facet->weight[i] * am_limit_size(limit, N, T);
        }
        row[j] = fabs(row[j]) > 64.0 * DBL_EPSILON * size ? row[j] : 0.0;
    }
}

/* Do the contacts that are held leave no motion along a row? Then all of its accelerations vanish, to the accuracy with
 * which directions are told apart (combination.c). */
static bool row_is_held(const am_plan *plan, const am_flow *flow, const double *row, const am_interval *range) {
    const double *Y = flow->k.Y, *free = plan->inverse_mass;
    size_t n = plan->n;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0, size = 0.0;
        for (size_t i = range->from; i < range->to; i++) {
            sum += row[i] * Y[i * n + j];
            size += fabs(row[i]) * sqrt(free[i * n + i]);
        }
        if (!(fabs(sum) <= dependent * size * sqrt(free[j * n + j])))
            return false;
    }
    return true;
}

void am_flow_mark_held(const am_plan *plan, am_flow *flow) {
    for (size_t q = 0; flow->k.p > 0 && q < flow->quantities; q++) {
        am_quantity *quantity = &flow->quantity[q];
        size_t c = quantity->contact;
        const am_contact_def *contact = &plan->system->contact[c];
        if (quantity->kind == AM_QUANTITY_GAP)
            quantity->held = !plan->system->lifted[c] && row_is_held(plan, flow, contact->normal, &plan->normal[c]);
        if (quantity->kind == AM_QUANTITY_SLIDE && !am_plan_is_slider(plan, c))
            quantity->held = row_is_held(plan, flow, contact->tangent, &plan->tangent[c]);
    }
}

bool am_direction_is_new(const am_plan *plan, size_t contact, double *directions, size_t count) {
    const double *tangent = plan->system->contact[contact].tangent;
    double *row = directions + count * plan->n, before = 0.0;
    for (size_t i = 0; i < plan->n; i++) {
        row[i] = tangent[i] / plan->weight[i];
        before += row[i] * row[i];
    }
    for (int twice = 0; twice < 2; twice++)
        for (size_t d = 0; d < count; d++) {
            double share = am_dense_dot(directions + d * plan->n, row, plan->n);
            for (size_t i = 0; i < plan->n; i++)
                row[i] -= share * directions[d * plan->n + i];
        }
    double left = sqrt(am_dense_dot(row, row, plan->n));
    for (size_t i = 0; i < plan->n && left > 0.0; i++)
        row[i] /= left;
    return left > dependent * sqrt(before);
}

/* Does a contact slide along a coordinate that no other slides along? Then no other shares its direction. */
static bool has_own_coordinate(const am_plan *plan, size_t c, const size_t *users) {
    for (size_t i = plan->tangent[c].from; i < plan->tangent[c].to; i++)
        if (plan->system->contact[c].tangent[i] != 0.0 && users[i] == 1)
            return true;
    return false;
}

am_status am_plan_shared_directions(const am_plan *plan, am_arena *memory, double **directions, am_error *err) {
    size_t size = (plan->n + 1) * plan->n, count = 0;
    am_arena trial = {0};
    size_t *users = am_arena_new(&trial, plan->n, sizeof *users, err);
    double *tried = am_arena_doubles(&trial, NULL, size, err);
    am_status status = am_arena_status(&trial);
    bool shared = false;
    for (size_t c = 0; c < plan->m && !status; c++)
        for (size_t i = plan->tangent[c].from; i < plan->tangent[c].to; i++)
            users[i] += plan->system->contact[c].tangent[i] != 0.0;
    for (size_t c = 0; c < plan->m && !status && !shared; c++)
        if (!plan->system->stop[c] && !has_own_coordinate(plan, c, users))
            shared = !am_direction_is_new(plan, c, tried, count++);
    am_arena_clear(&trial);
    *directions = shared ? am_arena_doubles(memory, NULL, size, err) : NULL;
    return status ? status : am_arena_status(memory);
}

static bool kinetic_differs(const am_system *system) {
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].normal_law == AM_UNILATERAL &&
            system->contact[c].static_friction != system->contact[c].friction)
            return true;
    return false;
}

/* Limits that weaken with slip are no fixed multiples of normal forces, which facets are made of. */
static am_status check_shared(const am_plan *plan, const am_flow *flow, am_error *err) {
    for (size_t c = 0; c < plan->m; c++)
        if (flow->k.normal_row[c] != AM_NO_ROW && plan->spring[c] != AM_NO_ROW)
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "the rigid contact '%s' has a slider behind a spring, and touches together with contacts "
                           "whose directions depend on each other: how they share their forces is not known then",
                           plan->system->contact[c].name);
    for (size_t c = 0; c < plan->m; c++)
        if (flow->k.stick_row[c] != AM_NO_ROW && am_friction_weakens(&plan->system->contact[c].weakening))
            return am_fail(
                err, AM_ERR_UNSUPPORTED,
                "friction at '%s' weakens with slip, and it is stuck together with contacts whose directions "
                "depend on each other: how they share their forces is known for constant coefficients only",
                plan->system->contact[c].name);
    return AM_OK;
}

am_status am_flow_make_splits(const am_plan *plan, am_flow *flow, am_error *err) {
    AM_TRY(check_shared(plan, flow, err));
    AM_TRY(am_split_create(plan->system, &flow->k, AM_SPLIT_STATIC, NULL, &flow->split, err));
    if (kinetic_differs(plan->system))
        AM_TRY(am_split_create(plan->system, &flow->k, AM_SPLIT_KINETIC, NULL, &flow->impulses, err));
    return AM_OK;
}

void am_flow_forces(const am_plan *plan, const am_flow *flow, const double *x, double *normal, double *tangential) {
    am_dense_apply(flow->normal, plan->m, plan->nx, x, normal);
    am_dense_apply(flow->tangential, plan->m, plan->nx, x, tangential);
    if (flow->split)
        am_split_choose(flow->split, &flow->k, plan->system, normal, tangential);
}
