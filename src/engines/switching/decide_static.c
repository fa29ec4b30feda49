/* The law of static friction: a contact at rest whose static coefficient exceeds the kinetic one slips only if it cannot
 * hold; and the search, by pivoting, for what breaks loose. */
#include <math.h>
#include <string.h>

#include "engines/switching/decide.h"
#include "math/dense.h"

/* Contacts that those in e->trial hold at rest stick with them. True if there are any that did not. */
static bool hold_back_others(am_motion *e, const am_flow *flow) {
    bool any = false;
    for (size_t q = 0; q < flow->quantities; q++) {
        const am_quantity *quantity = &flow->quantity[q];
        if (quantity->kind != AM_QUANTITY_SLIDE || !quantity->held || !am_decide_is_idle(e, flow, quantity))
            continue;
        e->trial[quantity->contact] = AM_STICK;
        e->held_back[quantity->contact] = any = true;
    }
    return any;
}

/* Could contact c hold if it stuck while all others stay as in the flow, but for those that cannot slide without it?
 * Only its own inequalities and theirs count. */
static am_status could_hold(am_motion *e, const am_flow *flow, size_t c, bool *holds, am_error *err) {
    am_flow *stuck;
    am_status status;
    *holds = false;
    memset(e->held_back, 0, e->plan.m * sizeof *e->held_back);
    memcpy(e->trial, flow->k.state, e->plan.m * sizeof *e->trial);
    e->trial[c] = AM_STICK;
    e->held_back[c] = true;
    do {
        status = am_engine_flow(e, e->trial, &stuck, err);
        if (status || !stuck->possible)
            return status;
    } while (hold_back_others(e, stuck));
    *holds = true;
    for (size_t b = 0; b < e->plan.m && *holds; b++)
        *holds = !e->held_back[b] || !am_decide_violates(e, stuck, b, e->order_work);
    return AM_OK;
}

am_status am_decide_breaks_static_law(am_motion *e, const am_flow *flow, bool *breaks, am_error *err) {
    am_status status = AM_OK;
    *breaks = false;
    for (size_t c = 0; c < e->plan.m && !status && !*breaks; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        bool slips = flow->k.state[c] == AM_FORWARD || flow->k.state[c] == AM_BACKWARD;
        if (slips && e->mark[c].slide == 0 && am_contact_drops(contact))
            status = could_hold(e, flow, c, breaks, err);
    }
    return status;
}

bool am_decide_change(am_motion *e, const am_quantity *violated) {
    for (size_t i = 0; i < am_quantity_members(violated); i++) {
        am_quantity member = am_quantity_member(violated, i);
        am_contact_state wanted = am_engine_pivot(member.kind, e->mark[member.contact].slide);
        if (wanted == AM_OPEN && (e->mark[member.contact].normal & AM_MAY_BE_LAX))
            wanted = AM_LAX;
        if (!am_decide_allows(e, member.contact, wanted))
            return false;
        e->trial[member.contact] = wanted;
    }
    return true;
}

void am_decide_compose_first(am_motion *e) {
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    am_engine_compose(e);
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (am_contact_drops(contact) && e->mark[c].slide == 0 && am_decide_allows(e, c, AM_STICK))
            e->trial[c] = AM_STICK;
    }
}

bool am_decide_has_static_friction(const am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (e->option_count[c] > 1 && am_contact_drops(contact) && e->mark[c].slide == 0)
            return true;
    }
    return false;
}

/* How much of its static limit a sticking contact would need; of contacts that share their forces, all together. */
static double load_of(am_motion *e, const am_flow *flow, size_t q) {
    const am_quantity *quantity = &flow->quantity[q];
    size_t nx = e->plan.nx, c = quantity->contact;
    double *x = e->x_work[0];
    memcpy(x, e->x, nx * sizeof *x);
    if (e->plan.forces > 0)
        am_forces_at(&e->plan, flow, &e->forces, x);
    if (quantity->members > 0) {
        double lacks = -am_dense_dot(flow->row + q * nx, x, nx), limit = 0.0;
        for (size_t i = 0; i < quantity->members; i++)
            limit +=
                quantity->member[i].mu * fabs(am_dense_dot(flow->normal + quantity->member[i].contact * nx, x, nx));
        return limit > 0.0 ? 1.0 + lacks / limit : INFINITY;
    }
    double N = am_dense_dot(flow->normal + c * nx, x, nx), T = am_dense_dot(flow->tangential + c * nx, x, nx);
    double limit = e->plan.system->contact[c].static_friction * N;
    return limit > 0.0 ? fabs(T) / limit : INFINITY;
}

static bool is_break(const am_quantity *quantity) {
    return quantity->kind == AM_QUANTITY_UPPER || quantity->kind == AM_QUANTITY_LOWER;
}

/* Among the violated quantities: the one of the contact that breaks first if only one may, otherwise AM_NEVER. Contacts
 * that do not break (stop, open, close) come before all others. */
static size_t first_to_break(am_motion *e, const am_flow *flow, bool together) {
    size_t first = AM_NEVER;
    double most = -1.0;
    for (size_t q = 0; q < flow->quantities && !together; q++) {
        if (e->order_work[q] != AM_VIOLATED)
            continue;
        double load = is_break(&flow->quantity[q]) ? load_of(e, flow, q) : INFINITY;
        if (load > most) {
            most = load;
            first = q;
        }
    }
    return first;
}

/* Is something other than a friction limit violated? */
static bool others_are_violated(const am_motion *e, const am_flow *flow) {
    for (size_t q = 0; q < flow->quantities; q++)
        if (e->order_work[q] == AM_VIOLATED && !is_break(&flow->quantity[q]))
            return true;
    return false;
}

/* Pivot from "all contacts at rest hold" until nothing is violated. Contacts stop, open and close first: a limit counts
 * only when all that can hold do. *reached stays NULL if this comes to no end. */
am_status am_decide_break_from_rest(am_motion *e, bool together, am_flow **reached, am_error *err) {
    am_decide_compose_first(e);
    for (size_t round = 0; round < 4 * e->plan.m + 8; round++) {
        am_flow *flow;
        bool changed = false;
        am_status status = am_engine_flow(e, e->trial, &flow, err);
        if (status || !flow->possible)
            return status;
        am_decide_list_violations(e, flow, e->order_work);
        size_t only = first_to_break(e, flow, together);
        bool wait = others_are_violated(e, flow);
        for (size_t q = 0; q < flow->quantities; q++) {
            if (e->order_work[q] != AM_VIOLATED || (only != AM_NEVER && q != only))
                continue;
            if (wait && is_break(&flow->quantity[q]))
                continue;
            if (!am_decide_change(e, &flow->quantity[q]))
                return AM_OK;
            changed = true;
        }
        if (!changed) {
            *reached = flow;
            return AM_OK;
        }
    }
    return AM_OK;
}

/* Where several states satisfy the law of static friction, what happens is told by how they are reached: all contacts
 * at rest hold; those that cannot break loose together and slip with kinetic friction; that may overload others, and so
 * on. Where that contradicts itself (together they would not move), or leaves one slipping that could hold now that the
 * others slip, the one that is overloaded most breaks alone. */
am_status am_decide_break_loose(am_motion *e, am_flow **reached, am_error *err) {
    am_flow *together = NULL, *alone = NULL;
    bool breaks = false;
    am_status status = am_decide_break_from_rest(e, true, &together, err);
    if (!status && together)
        status = am_decide_breaks_static_law(e, together, &breaks, err);
    if (!status && (!together || breaks))
        status = am_decide_break_from_rest(e, false, &alone, err);
    if (!status && alone && together)
        status = am_decide_breaks_static_law(e, alone, &breaks, err);
    *reached = together && (!alone || breaks) ? together : alone;
    return status;
}
