/* Coordinates with neither mass nor damping in a motion: they take their places, and where loads jump they go to the next
 * ones at once. In such a jump nothing else moves, and friction acts against the way gone (one step of a path, path.md):
 *
 *     stick    t.q stays,                      |T| <= mu_s N
 *     forward  T = -mu_k N, t.(q - before) >= 0        backward  T = mu_k N, t.(q - before) <= 0
 *     N >= 0 where closed, gap >= 0 where open
 *
 * All combinations are tried: none or several places are reported. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/switching/switching.h"
#include "math/dense.h"

/* ---- places ---- */

/* The work of loads on the way from one x to another. */
static double work_of_loads(const am_motion *e, const double *from, const double *to) {
    double work = 0.0;
    for (size_t l = 0; l < e->plan.lights; l++) {
        size_t i = e->plan.light_at[l];
        work += am_dense_dot(e->plan.system->input + i * e->plan.nz, e->x + e->plan.nd, e->plan.nz) * (to[i] - from[i]);
    }
    return work;
}

void am_light_settle(am_motion *e) {
    double *before = e->x_work[0], stored = am_engine_potential(e);
    memcpy(before, e->x, e->plan.n * sizeof *before);
    am_flow_settle_light(&e->plan, e->flow, e->x);
    double work = work_of_loads(e, before, e->x), loss = stored - am_engine_potential(e) + work;
    e->energy.work_loads += work;
    e->energy.loss_friction += loss;
    e->energy.moved += fabs(work) + fabs(loss);
}

/* out (columns) = row, without inputs, times the derivative. */
static void combine(const am_motion *e, const double *row, double *out) {
    size_t columns = e->followed;
    memset(out, 0, columns * sizeof *out);
    for (size_t i = 0; i < e->plan.nd; i++)
        for (size_t j = 0; row[i] != 0.0 && j < columns; j++)
            out[j] += row[i] * e->sensitivity[i * columns + j];
}

/* Rows of the derivative become those that `rows` give, all from what was before. */
static void project(am_motion *e, const double *rows, size_t first) {
    size_t columns = e->followed;
    for (size_t l = 0; l < e->plan.lights; l++)
        combine(e, rows + l * e->plan.nx, e->terms + l * columns);
    for (size_t l = 0; l < e->plan.lights; l++)
        memcpy(e->sensitivity + (first + e->plan.light_at[l]) * columns, e->terms + l * columns,
               columns * sizeof *e->terms);
}

void am_light_settle_derivative(am_motion *e, const am_flow *flow) {
    if (e->plan.lights > 0)
        project(e, flow->place, 0);
}

void am_light_settle_rates(am_motion *e) {
    if (e->plan.lights > 0)
        project(e, e->flow->pace, e->plan.n);
}

/* ---- jumps ---- */

/* More combinations than this are not tried. */
static const double most_combinations = 65536.0;

static bool takes_part(const am_motion *e, size_t c) {
    return am_plan_leans(&e->plan, c) || am_plan_creeps(&e->plan, c);
}

/* Is it at the limit of static friction, from which friction drops? */
static bool gives_way(const am_motion *e, size_t c) {
    return am_plan_creeps(&e->plan, c) && e->mark[c].limit != 0 && e->mark[c].before == AM_STICK &&
           am_contact_drops(&e->plan.system->contact[c]);
}

/* States that a contact may have in a jump, the present one first; `breaks`: those that give way must slip. One that slides along a coordinate with mass does not
 * slide now, whatever it is called. */
static size_t list_states(const am_motion *e, size_t c, bool breaks, am_contact_state *option) {
    static const am_contact_state all[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_OPEN};
    size_t count = 0;
    if (!takes_part(e, c)) {
        option[0] = e->state[c];
        return 1;
    }
    if (breaks && gives_way(e, c)) {
        option[0] = e->mark[c].limit > 0 ? AM_BACKWARD : AM_FORWARD;
        return 1;
    }
    bool creeps = am_plan_creeps(&e->plan, c), leans = am_plan_leans(&e->plan, c);
    am_contact_state closed = e->plan.system->stop[c] ? AM_STICK : AM_FORWARD;
    for (int present = 1; present >= 0; present--)
        for (size_t s = 0; s < 4; s++) {
            bool possible = all[s] == AM_OPEN ? leans : creeps || all[s] == closed;
            if (possible && (all[s] == e->state[c]) == (present == 1))
                option[count++] = all[s];
        }
    return count;
}

/* A linear function of x, 0 where rounding may have made it. */
static double value_of(const am_motion *e, const double *row, const double *x, double dual) {
    double value = am_dense_dot(row, x, e->plan.nx);
    return fabs(value) > am_engine_rounding(e, dual) ? value : 0.0;
}

static double slide_of(const am_motion *e, size_t c, const double *x) {
    const am_interval *range = &e->plan.tangent[c];
    const double *tangent = e->plan.system->contact[c].tangent;
    double way = am_range_dot(range, tangent, x) - am_range_dot(range, tangent, e->x), dual = 0.0;
    for (size_t i = range->from; i < range->to; i++)
        dual += fabs(tangent[i]) / e->plan.weight[i];
    return fabs(way) > am_engine_rounding(e, dual) ? way : 0.0;
}

/* Does a contact break its law with x in the places of this flow, as quantity q says? */
static bool is_violated(const am_motion *e, const am_flow *flow, size_t q, const double *x) {
    size_t c = flow->quantity[q].contact;
    am_quantity_kind kind = flow->quantity[q].kind;
    bool creeps = am_plan_creeps(&e->plan, c);
    if (!takes_part(e, c))
        return false;
    if (kind == AM_QUANTITY_SLIDE)
        return creeps && -am_slip_sign(flow->k.state[c]) * slide_of(e, c, x) < 0.0;
    return (creeps || kind == AM_QUANTITY_GAP || kind == AM_QUANTITY_NORMAL) &&
           value_of(e, flow->row + q * e->plan.nx, x, flow->dual[q]) < 0.0;
}

static bool is_admissible(const am_motion *e, const am_flow *flow, const double *x) {
    for (size_t q = 0; q < flow->quantities; q++)
        if (is_violated(e, flow, q, x))
            return false;
    return true;
}

static bool same_place(const am_motion *e, const double *a, const double *b) {
    for (size_t l = 0; l < e->plan.lights; l++) {
        size_t i = e->plan.light_at[l];
        if (fabs(a[i] - b[i]) > 16.0 * am_engine_rounding(e, 1.0 / e->plan.weight[i]))
            return false;
    }
    return true;
}

/* Static friction: where several places are possible, the one that is reached by breaking loose. All contacts hold; those
 * that cannot slip with kinetic friction, which may overload others, and so on. *reached stays NULL where that comes to no
 * end. */
static am_status break_loose(am_motion *e, bool breaks, am_flow **reached, am_error *err) {
    double *x = e->x_work[0];
    for (size_t c = 0; c < e->plan.m; c++) {
        bool first = !takes_part(e, c) || e->state[c] == AM_OPEN || (breaks && gives_way(e, c));
        bool creeps = am_plan_creeps(&e->plan, c);
        e->trial[c] = first ? e->options[4 * c] : creeps ? AM_STICK : e->state[c];
    }
    for (size_t round = 0; round < 4 * e->plan.m + 8; round++) {
        am_flow *flow;
        bool changed = false;
        AM_TRY(am_engine_flow(e, e->trial, &flow, err));
        if (!flow->possible)
            return AM_OK;
        memcpy(x, e->x, e->plan.nx * sizeof *x);
        am_flow_settle_light(&e->plan, flow, x);
        for (size_t q = 0; q < flow->quantities; q++) {
            if (!is_violated(e, flow, q, x))
                continue;
            e->trial[flow->quantity[q].contact] = am_engine_pivot(flow->quantity[q].kind, 0);
            changed = true;
        }
        if (!changed) {
            *reached = flow;
            return AM_OK;
        }
    }
    return AM_OK;
}

static am_status fail_jump(const am_motion *e, const am_flow *a, const am_flow *b, am_error *err) {
    char first[128], second[128];
    if (!a)
        return am_fail(err, AM_ERR_NO_STATE,
                       "at t = %.15g coordinates with neither mass nor damping have no place: no state of contact is "
                       "in balance with the loads",
                       e->now.t);
    am_engine_describe(e, a->k.state, first, sizeof first);
    am_engine_describe(e, b->k.state, second, sizeof second);
    return am_fail(
        err, AM_ERR_SEVERAL_STATES,
        "at t = %.15g coordinates with neither mass nor damping jump, and may come to rest in several places "
        "(states of contact on the way: %s or %s): without inertia nothing says which",
        e->now.t, first, second);
}

/* *found: the flow in whose places they are after the jump. */
static am_status find_place(am_motion *e, bool breaks, am_flow **found, am_error *err) {
    double combinations = 1.0, *x = e->x_work[0], *other = e->x_work[1];
    bool any_static = false;
    am_flow *second = NULL, *reached = NULL;
    *found = NULL;
    for (size_t c = 0; c < e->plan.m; c++) {
        e->option_count[c] = list_states(e, c, breaks, e->options + 4 * c);
        combinations *= (double)e->option_count[c];
        any_static |= takes_part(e, c) && am_contact_drops(&e->plan.system->contact[c]);
    }
    if (combinations > most_combinations)
        return am_fail(err, AM_ERR_LIMIT,
                       "at t = %.15g loads jump on coordinates with neither mass nor damping, and %g combinations of "
                       "contact states are too many to try (let the loads rise in a finite time)",
                       e->now.t, combinations);
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    do {
        am_flow *flow;
        am_engine_compose(e);
        AM_TRY(am_engine_flow(e, e->trial, &flow, err));
        if (!flow->possible)
            continue;
        memcpy(x, e->x, e->plan.nx * sizeof *x);
        am_flow_settle_light(&e->plan, flow, x);
        if (!is_admissible(e, flow, x))
            continue;
        if (!*found) {
            *found = flow;
            memcpy(other, x, e->plan.nx * sizeof *x);
            continue;
        }
        if (!same_place(e, x, other))
            second = flow;
    } while (am_engine_next_combination(e));
    if (*found && !second)
        return AM_OK;
    if (*found && any_static)
        AM_TRY(break_loose(e, breaks, &reached, err));
    if (!reached)
        return fail_jump(e, *found, second, err);
    e->statistics.static_choices++;
    *found = reached;
    return AM_OK;
}

/* x' before the event goes with the coordinates too (am_engine_sensitivity_after). */
static void carry_derivative(am_motion *e, const am_flow *flow) {
    double *rate = e->terms; /* am_light_settle_derivative needs it after this */
    const am_system *s = e->plan.system;
    for (size_t l = 0; l < e->plan.lights; l++) {
        const double *place = flow->place + l * e->plan.nx;
        rate[l] = am_dense_dot(place, e->rate_before, e->plan.nd);
        for (size_t g = 0; g < s->entries; g++)
            rate[l] += place[e->plan.nd + s->G[g].row] * s->G[g].value * e->x[e->plan.nd + s->G[g].column];
    }
    for (size_t l = 0; l < e->plan.lights; l++)
        e->rate_before[e->plan.light_at[l]] = rate[l];
    am_light_settle_derivative(e, flow);
}

static am_status jump(am_motion *e, bool breaks, am_error *err) {
    am_flow *found;
    AM_TRY(find_place(e, breaks, &found, err));
    if (e->sensitivity)
        carry_derivative(e, found);
    e->flow = found;
    memcpy(e->state, found->k.state, e->plan.m * sizeof *e->state);
    am_light_settle(e);
    am_engine_measure(e);
    return AM_OK;
}

am_status am_light_jump(am_motion *e, am_error *err) {
    double *x = e->x_work[0];
    memcpy(x, e->x, e->plan.nx * sizeof *x);
    am_flow_settle_light(&e->plan, e->flow, x);
    return same_place(e, x, e->x) && is_admissible(e, e->flow, x) ? AM_OK : jump(e, false, err);
}

am_status am_light_break(am_motion *e, bool *any, am_error *err) {
    for (size_t c = 0; c < e->plan.m; c++)
        *any |= gives_way(e, c);
    return *any ? jump(e, true, err) : AM_OK;
}

am_status am_light_start(am_motion *e, am_error *err) {
    am_flow *found;
    for (size_t c = 0; c < e->plan.m; c++)
        e->state[c] = e->plan.system->contact[c].normal_law == AM_HELD ? AM_FORWARD : AM_OPEN;
    for (size_t c = 0; c < e->plan.m; c++)
        if (am_plan_creeps(&e->plan, c) && e->plan.system->contact[c].normal_law == AM_HELD)
            e->state[c] = AM_STICK;
    AM_TRY(find_place(e, false, &found, err));
    am_flow_settle_light(&e->plan, found, e->x);
    e->flow = found;
    memcpy(e->state, found->k.state, e->plan.m * sizeof *e->state);
    am_engine_measure(e);
    return AM_OK;
}
