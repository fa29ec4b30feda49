/* Sliders behind springs: T = -k e with the stretch e, |T| <= mu N with the N of the instant. A slider has no mass. While
 * it slips the stretch is what its limit asks for, e = -T/k with T = -/+ mu N, and the slider's own velocity is that
 * across the contact less e'. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/switching/rows.h"
#include "engines/switching/switching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "system/friction_pieces.h"

double am_engine_friction(const am_motion *e, size_t c, bool sticks) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    double slope;
    if (contact->speed_friction.law)
        return am_speed_friction_at(&contact->speed_friction, fabs(am_engine_slide(e, c)), NULL);
    if (am_friction_weakens(&contact->weakening))
        return am_friction_at(&contact->weakening, e->x[2 * e->plan.n + e->plan.inner[c]], &slope);
    return sticks ? contact->static_friction : contact->friction;
}

bool am_slider_goes_with_bodies(const am_motion *e, size_t c) {
    const am_speed_friction *use = &e->plan.system->contact[c].speed_friction;
    const am_law *law = use->law ? am_law_named(use->law) : NULL;
    return law && law->alone && law->rate_independent && am_is_closed(e->flow->k.state[c]);
}

/* Normal force of a closed contact, in a flow whose forces are those in x. */
static double normal_in(const am_motion *e, const am_flow *flow, size_t c) {
    if (e->plan.system->contact[c].normal_law == AM_UNILATERAL)
        return am_dense_dot(flow->normal + c * e->plan.nx, e->x, e->plan.nx);
    return am_engine_normal(e, c);
}

static void settle(am_motion *e, size_t c, am_contact_state slip, double N) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    double *stretch = e->x + 2 * e->plan.n + e->plan.spring[c], old = *stretch;
    double mu = am_is_closed(slip) ? am_engine_friction(e, c, false) : 0.0;
    *stretch = -am_slip_sign(slip) * mu * N / contact->tangential_stiffness;
    double loss = 0.5 * contact->tangential_stiffness * (old * old - *stretch * *stretch);
    e->energy.loss_friction += loss;
    e->energy.moved += fabs(loss);
}

void am_slider_limit_row(am_motion *e, const am_flow *flow, size_t c, double *row) {
    const double *T = flow->tangential + c * e->plan.nx, k = e->plan.system->contact[c].tangential_stiffness;
    am_engine_total_row(e, flow, T, row);
    for (size_t i = 0; i < e->plan.nd; i++)
        row[i] *= -1.0 / k;
}

void am_slider_follow_limit(am_motion *e, size_t c) {
    size_t nd = e->plan.nd, columns = e->followed;
    double *row = e->column, *stretch = e->sensitivity + (2 * e->plan.n + e->plan.spring[c]) * columns;
    memset(row, 0, e->plan.nx * sizeof *row);
    if (am_is_closed(e->state[c]))
        am_slider_limit_row(e, e->flow, c, row);
    memset(stretch, 0, columns * sizeof *stretch);
    if (am_plan_is_disc(&e->plan, c))
        memset(stretch + columns, 0, columns * sizeof *stretch);
    for (size_t i = 0; i < nd; i++)
        for (size_t j = 0; row[i] != 0.0 && j < columns; j++)
            stretch[j] += row[i] * e->sensitivity[i * columns + j];
}

/* The slider of a contact whose friction weakens moves by dw in the direction of slip, so that C = w - s (t.q - e) stays as
 * it is, s the sign of slip. With the stretch e = row.(q, v, e, w) of its limit that gives the derivatives of both. `learn`:
 * dC is to be taken from them instead. */
static void project_slid(am_motion *e, size_t c, bool learn) {
    size_t n = e->plan.n, columns = e->followed, inner = 2 * n + e->plan.inner[c], spring = 2 * n + e->plan.spring[c];
    const double *tangent = e->plan.system->contact[c].tangent, sign = -am_slip_sign(e->flow->k.state[c]);
    double *row = e->column, *kept = e->slid_kept + c * columns, *d = e->sensitivity;
    am_slider_limit_row(e, e->flow, c, row);
    for (size_t j = 0; j < columns; j++) {
        double moved = 0.0, other = 0.0;
        for (size_t i = 0; i < n; i++)
            moved += sign * tangent[i] * d[i * columns + j];
        if (learn) {
            kept[j] = d[inner * columns + j] - moved + sign * d[spring * columns + j];
            continue;
        }
        for (size_t i = 0; i < e->plan.nd; i++)
            other += i != inner ? row[i] * d[i * columns + j] : 0.0;
        double slid = (kept[j] + moved - sign * other) / (1.0 + sign * row[inner]);
        d[inner * columns + j] = slid;
        d[spring * columns + j] = other + row[inner] * slid;
    }
}

/* Where the limit is no linear function of the state its rate is known only to what its law allows: one has no series
 * where surfaces meet, others jump at corners. So stretch and derivatives are taken from the limit itself. The forces in x
 * must be those of the pieces that hold. */
static bool is_on_curved_limit(const am_motion *e, size_t c) {
    return am_slip_sign(e->flow->k.state[c]) != 0.0 && am_slider_is_curved(&e->plan.system->contact[c]);
}

/* Does its friction fall from here on? Behind the end of the fall w stays where it is. */
static bool still_weakens(const am_motion *e, size_t c) {
    size_t j = am_force_of(&e->plan, AM_FORCE_WEAKENING, c);
    return j != AM_NO_ROW && e->forces.piece[j] + 1 < e->plan.force[j].pieces;
}

void am_sliders_project_derivative(am_motion *e, bool learn) {
    for (size_t c = 0; e->plan.springs > 0 && c < e->plan.m; c++)
        if (is_on_curved_limit(e, c) && still_weakens(e, c))
            project_slid(e, c, learn);
        else if (is_on_curved_limit(e, c))
            am_slider_follow_limit(e, c);
}

void am_sliders_project(am_motion *e) {
    bool any = false;
    for (size_t c = 0; e->plan.springs > 0 && c < e->plan.m; c++) {
        size_t spring = 2 * e->plan.n + e->plan.spring[c];
        if (!is_on_curved_limit(e, c))
            continue;
        e->x[spring] = -am_dense_dot(e->flow->tangential + c * e->plan.nx, e->x, e->plan.nx) /
                       e->plan.system->contact[c].tangential_stiffness;
        e->series[spring] = e->x[spring];
        any = true;
    }
    if (!any || !e->sensitivity)
        return;
    am_engine_load_again(e);
    am_sliders_project_derivative(e, e->fresh);
}

const double *am_slider_trigger_row(const am_motion *e, size_t q) {
    const am_quantity *quantity = &e->flow->quantity[q];
    const double *row = e->flow->row + q * e->plan.nx, *knot = row;
    double value = am_extent_dot(&e->flow->row_extent[q], row, e->x), nearest = INFINITY;
    if (quantity->kind != AM_QUANTITY_SLIDE || !is_on_curved_limit(e, quantity->contact) ||
        value >= -am_engine_rounding(e, e->flow->dual[q]))
        return row;
    for (size_t a = 0; a < e->flow->active; a++) {
        const am_force *force = &e->plan.force[e->flow->acting[a]];
        if (force->kind != AM_FORCE_FRICTION && force->kind != AM_FORCE_WEAKENING)
            continue;
        const double *argument = am_force_argument(&e->plan, e->flow, a, 0);
        double at = am_dense_dot(argument, e->x, e->plan.nx);
        for (size_t p = 0; p + 1 < force->pieces; p++)
            if (fabs(at - force->knot[p]) < nearest) {
                nearest = fabs(at - force->knot[p]);
                knot = argument;
            }
    }
    return knot;
}

/* ---- starts ---- */

void am_sliders_admit(am_motion *e) {
    static const double little = 0.1;
    for (size_t c = 0; e->plan.springs > 0 && c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        double *stretch = e->x + 2 * e->plan.n + e->plan.spring[c];
        if (!am_slider_is_curved(contact) || contact->normal_law == AM_UNILATERAL || am_plan_is_disc(&e->plan, c) ||
            *stretch == 0.0)
            continue;
        double most = am_engine_friction(e, c, true) * am_engine_normal(e, c) / contact->tangential_stiffness;
        if (most > 0.0 && fabs(*stretch) > most && fabs(*stretch) <= (1.0 + little) * most)
            *stretch = copysign(most, *stretch);
    }
}

/* Where static friction is above kinetic, at exactly the kinetic force and moving on in its direction, a slider slips
 * (slider_at_start in switching.c). */
static am_status start_slider(am_motion *e, size_t c, am_error *err) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    size_t spring = 2 * e->plan.n + e->plan.spring[c];
    double k = contact->tangential_stiffness, T = -k * e->x[spring], rounding = 0.0;
    if (T == 0.0)
        return AM_OK;
    e->state[c] = T < 0.0 ? AM_FORWARD : AM_BACKWARD;
    AM_TRY(am_flow_get(e->cache, e->state, &e->flow, err));
    if (e->flow->possible)
        am_engine_load(e);
    double limit = e->flow->possible ? contact->friction * normal_in(e, e->flow, c) : 0.0;
    double near = am_engine_rounding(e, k / e->plan.weight[spring]) + 1e-12 * limit;
    bool slips = limit > 0.0 && fabs(fabs(T) - limit) <= near;
    if (!slips || !(am_engine_slider_velocity(e, c, &rounding) > rounding))
        e->state[c] = AM_STICK;
    return AM_OK;
}

am_status am_sliders_start(am_motion *e, am_error *err) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (e->plan.spring[c] != AM_NO_ROW && contact->normal_law != AM_HELD && am_contact_drops(contact) &&
            e->state[c] == AM_STICK)
            AM_TRY(start_slider(e, c, err));
    }
    return am_flow_get(e->cache, e->state, &e->flow, err);
}

/* ---- jumps ---- */

/* What becomes of a disturbance at a jump: d of the stretch in the direction of slip, of w and of N. */
typedef struct jump {
    double stretch_by_normal, stretch_by_stretch, stretch_by_slid, slid_by_normal, slid_by_stretch, slid_by_slid;
} jump;

static void disturb(const jump *map, double sign, double normal, double *stretch, double *slid) {
    double E = sign * *stretch, w = slid ? *slid : 0.0;
    *stretch = sign * (map->stretch_by_normal * normal + map->stretch_by_stretch * E + map->stretch_by_slid * w);
    if (slid)
        *slid = map->slid_by_normal * normal + map->slid_by_stretch * E + map->slid_by_slid * w;
}

/* The derivative goes through it, and x' before the event too (am_engine_sensitivity_impact). */
static void carry_derivative(am_motion *e, size_t c, double sign, const jump *map) {
    size_t nd = e->plan.nd, nx = e->plan.nx, columns = e->followed, spring = 2 * e->plan.n + e->plan.spring[c];
    size_t inner = e->plan.inner[c] == AM_NO_ROW ? 0 : 2 * e->plan.n + e->plan.inner[c];
    double *row = e->column, *total = row + nx, rate;
    am_engine_load(e); /* other flows have been tried since */
    memset(row, 0, nx * sizeof *row);
    am_flow_normal_rate_row(&e->plan, e->flow, c, 1.0, row);
    rate = am_dense_dot(row, e->x, nx);
    disturb(map, sign, rate, &e->rate_before[spring], inner ? &e->rate_before[inner] : NULL);
    am_engine_total_row(e, e->flow, e->flow->normal + c * nx, total);
    for (size_t j = 0; j < columns; j++) {
        double normal = 0.0;
        for (size_t i = 0; i < nd; i++)
            normal += total[i] * e->sensitivity[i * columns + j];
        disturb(map, sign, normal, &e->sensitivity[spring * columns + j],
                inner ? &e->sensitivity[inner * columns + j] : NULL);
    }
}

/* The same where the stretch becomes that of the limit in another flow; e->column: how that changes with the state. */
static void carry_limit(am_motion *e, const am_flow *flow, size_t c) {
    size_t nd = e->plan.nd, nx = e->plan.nx, columns = e->followed, spring = 2 * e->plan.n + e->plan.spring[c];
    double *limit = e->column, *row = limit + nx, *of = row + nx, k = e->plan.system->contact[c].tangential_stiffness;
    for (size_t j = 0; j < nx; j++)
        of[j] = -flow->tangential[c * nx + j] / k;
    memset(row, 0, nx * sizeof *row);
    am_flow_rate_row(&e->plan, flow, of, 1.0, row);
    double rate = am_dense_dot(row, e->x, nx);
    for (size_t j = 0; j < columns; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < nd; i++)
            sum += limit[i] * e->sensitivity[i * columns + j];
        e->sensitivity[spring * columns + j] = sum;
    }
    e->rate_before[spring] = rate;
}

/* How hard a slider behind its limit would still be pulled after sliding to w: k (E + w0 - w) - mu(w) N, N of the present
 * flow. */
static double overload(am_motion *e, size_t c, double sign, double all, double w) {
    double k = e->plan.system->contact[c].tangential_stiffness;
    e->x[2 * e->plan.n + e->plan.inner[c]] = w;
    am_engine_load(e);
    return k * (all - w) + sign * am_dense_dot(e->flow->tangential + c * e->plan.nx, e->x, e->plan.nx);
}

/* What that does to the derivative: (1 + L_w) dw = dE + dw0 - L.(the rest), E = L(x) being the stretch at the limit; and to
 * x' before the event, of which L.x' is the rate of L after it less what accelerations have changed. */
static void carry_slide(am_motion *e, size_t c, double sign) {
    size_t nd = e->plan.nd, nx = e->plan.nx, columns = e->followed, spring = 2 * e->plan.n + e->plan.spring[c];
    size_t inner = 2 * e->plan.n + e->plan.inner[c];
    double *limit = e->column, *row = limit + nx, *of = row + nx, k = e->plan.system->contact[c].tangential_stiffness;
    if (!still_weakens(e, c))
        return;
    for (size_t j = 0; j < nx; j++)
        of[j] = -e->flow->tangential[c * nx + j] / k;
    memset(row, 0, nx * sizeof *row);
    am_flow_rate_row(&e->plan, e->flow, of, 1.0, row);
    double after = am_dense_dot(row, e->x, nx);
    am_engine_rate(e, e->flow, of);
    am_slider_limit_row(e, e->flow, c, limit);
    for (size_t i = 0; i < nd; i++)
        after -= limit[i] * (of[i] - (i == inner ? 0.0 : e->rate_before[i]));
    double part = 1.0 / (1.0 + sign * limit[inner]);
    e->rate_before[inner] = part * (sign * e->rate_before[spring] + e->rate_before[inner] - sign * after);
    for (size_t j = 0; j < columns; j++) {
        double sum = 0.0, *slid = &e->sensitivity[inner * columns + j];
        for (size_t i = 0; i < nd; i++)
            sum += i == inner ? 0.0 : limit[i] * e->sensitivity[i * columns + j];
        *slid = part * (sign * e->sensitivity[spring * columns + j] + *slid - sign * sum);
    }
}

/* Where the normal force of a rigid contact falls at once, a slider whose friction weakens slides to where the spring meets
 * friction again: E + w0 = w + mu(w) N/k, solved by halving and by secants. */
static void slide_on(am_motion *e, size_t c, double sign) {
    double *slid = e->x + 2 * e->plan.n + e->plan.inner[c], from = *slid;
    double all = sign * e->x[2 * e->plan.n + e->plan.spring[c]] + from, to = all;
    double here = overload(e, c, sign, all, from), there = overload(e, c, sign, all, to);
    double scale = e->plan.system->contact[c].tangential_stiffness * fabs(all);
    if (!(here > 64.0 * DBL_EPSILON * scale) || !(there < 0.0)) {
        overload(e, c, sign, all, from);
        return;
    }
    for (int step = 0; step < 200 && to - from > 2.0 * DBL_EPSILON * to; step++) {
        double w = step % 3 == 2 ? 0.5 * (from + to) : from + (to - from) * here / (here - there);
        double value = overload(e, c, sign, all, w);
        if (value > 0.0)
            from = w, here = value;
        else
            to = w, there = value;
        if (value == 0.0)
            break;
    }
    overload(e, c, sign, all, to);
    if (e->sensitivity && e->span_flow)
        carry_slide(e, c, sign);
}

/* Where friction falls faster with slip than the spring relaxes. False where N would change on the way. */
static bool fall_on(am_motion *e, size_t c, double sign, double E) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    double *slid = e->x + 2 * e->plan.n + e->plan.inner[c], w0 = *slid, N = normal_in(e, e->flow, c);
    double end = am_friction_meets(&contact->weakening, contact->tangential_stiffness, N, E, w0, 0.0);
    if (!(end > w0))
        return false;
    *slid = fmin(end, am_friction_reach(&contact->weakening));
    am_engine_load(e);
    if (!(fabs(normal_in(e, e->flow, c) - N) <= 1e-12 * fabs(N))) {
        *slid = w0;
        return false;
    }
    if (e->sensitivity && e->span_flow)
        carry_slide(e, c, sign);
    return true;
}

/* Of a rigid contact N follows from the state of all: it is that of the flow, in which this slider slips. */
bool am_slider_jump_rigid(am_motion *e, am_flow *flow, size_t c) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    am_contact_state slip = flow->k.state[c];
    am_flow *present = e->flow;
    double sign = -am_slip_sign(slip), k = contact->tangential_stiffness;
    e->flow = flow;
    am_engine_load(e);
    double E = sign * e->x[2 * e->plan.n + e->plan.spring[c]];
    bool jumps = k * E > am_engine_friction(e, c, false) * normal_in(e, flow, c);
    if (am_friction_weakens(&contact->weakening)) {
        if (jumps)
            slide_on(e, c, sign);
        else
            jumps = fall_on(e, c, sign, E);
    } else if (jumps && e->sensitivity) {
        am_slider_limit_row(e, flow, c, e->column);
        carry_limit(e, flow, c);
    }
    if (jumps)
        settle(e, c, slip, normal_in(e, flow, c));
    e->flow = present;
    am_engine_load(e);
    return jumps;
}

/* Friction that weakens, from `excess` above its limit: the slider goes to where the spring meets friction again. */
static bool weaken_to_limit(am_motion *e, size_t c, am_contact_state slip, double excess) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    double k = contact->tangential_stiffness, sign = -am_slip_sign(slip), N = am_engine_normal(e, c), slope;
    double *slid = e->x + 2 * e->plan.n + e->plan.inner[c];
    double stretch = sign * e->x[2 * e->plan.n + e->plan.spring[c]];
    double end = am_friction_meets(&contact->weakening, k, N, stretch, *slid, excess);
    if (!(end > *slid))
        return false;
    double mu = am_friction_at(&contact->weakening, end, &slope), part = 1.0 / (k + slope * N);
    *slid = fmin(end, am_friction_reach(&contact->weakening));
    /* k dE - k d(slid) = mu' N (dw + d(slid)) + mu dN */
    jump map = {mu * part, 1.0 - k * part, slope * N * part, -mu * part, k * part, 1.0 - slope * N * part};
    if (*slid < end) /* behind the end of the fall w stays where it is */
        map.slid_by_normal = map.slid_by_stretch = map.slid_by_slid = 0.0;
    if (e->sensitivity)
        carry_derivative(e, c, sign, &map);
    settle(e, c, slip, N);
    return true;
}

bool am_slider_jump(am_motion *e, size_t c, am_contact_state slip) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    if (am_friction_weakens(&contact->weakening))
        return weaken_to_limit(e, c, slip, 0.0);
    if (!am_contact_drops(contact))
        return false;
    jump map = {.stretch_by_normal = contact->friction / contact->tangential_stiffness};
    if (e->sensitivity)
        carry_derivative(e, c, -am_slip_sign(slip), &map);
    settle(e, c, slip, am_engine_normal(e, c));
    return true;
}

/* The derivative at a limit mu N/k to which the spring relaxes: how it changes with the state, and with time (for x' before
 * the event: what N' is now, less what accelerations have changed). */
static void carry_relaxed(am_motion *e, size_t c, double sign) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    size_t n = e->plan.n, nd = e->plan.nd, nx = e->plan.nx, columns = e->followed, spring = 2 * n + e->plan.spring[c];
    double *row = e->column, *work = row + nx, *now = work + nx, k = contact->tangential_stiffness, slope = 0.0;
    double v = am_engine_slide(e, c), mu = am_engine_friction(e, c, false);
    if (contact->speed_friction.law)
        am_speed_friction_at(&contact->speed_friction, fabs(v), &slope);
    double by_speed = copysign(slope, v) * am_engine_normal(e, c) / k;
    memset(work, 0, nx * sizeof *work);
    am_flow_normal_rate_row(&e->plan, e->flow, c, mu / k, work);
    double rate = am_dense_dot(work, e->x, nx);
    am_engine_rate(e, e->flow, now);
    am_engine_total_row(e, e->flow, e->flow->normal + c * nx, row);
    for (size_t i = 0; i < nd; i++)
        rate += (row[i] *= mu / k) * (e->rate_before[i] - now[i]);
    for (size_t i = 0; i < n; i++) {
        row[n + i] += by_speed * contact->tangent[i];
        rate += by_speed * contact->tangent[i] * e->rate_before[n + i];
    }
    e->rate_before[spring] = sign * (rate - by_speed * am_engine_belt(e, c, AM_BELT_ACCELERATES));
    for (size_t j = 0; j < columns; j++) {
        double sum = 0.0;
        for (size_t i = 0; i < nd; i++)
            sum += row[i] * e->sensitivity[i * columns + j];
        e->sensitivity[spring * columns + j] = sign * sum;
    }
}

/* By how much the spring pulls harder than friction of the normal force N, and what of that is rounding. */
static double excess_of(const am_motion *e, size_t c, bool sticks, double N, double *rounding) {
    size_t spring = 2 * e->plan.n + e->plan.spring[c];
    double k = e->plan.system->contact[c].tangential_stiffness;
    *rounding = am_engine_rounding(e, k / e->plan.weight[spring]);
    double pull = am_plan_is_disc(&e->plan, c) ? am_disc_pull(e, c) : k * fabs(e->x[spring]);
    return pull - am_engine_friction(e, c, sticks) * N;
}

bool am_slider_is_slack(const am_motion *e, size_t c) {
    double rounding, excess = excess_of(e, c, false, am_engine_normal(e, c), &rounding);
    return excess < -rounding;
}

bool am_slider_relax(am_motion *e, size_t c, am_contact_state *slip) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    size_t spring = 2 * e->plan.n + e->plan.spring[c];
    double N = am_engine_normal(e, c), rounding, excess = excess_of(e, c, e->state[c] == AM_STICK, N, &rounding);
    bool disc = am_plan_is_disc(&e->plan, c);
    if (!(N > 0.0) || !(excess > rounding))
        return false; /* (where nothing presses any more it opens) */
    *slip = disc ? AM_SWEEP : e->x[spring] > 0.0 ? AM_FORWARD : AM_BACKWARD;
    am_engine_load(e);
    if (disc)
        am_disc_settle(e, c, AM_SWEEP);
    else if (am_friction_weakens(&contact->weakening))
        weaken_to_limit(e, c, *slip, excess);
    else {
        if (e->sensitivity)
            carry_relaxed(e, c, -am_slip_sign(*slip));
        settle(e, c, *slip, N);
    }
    am_engine_measure(e);
    return true;
}

void am_engine_settle_stretch(am_motion *e, size_t c, am_contact_state slip) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    if (contact->normal_law == AM_UNILATERAL && am_is_closed(slip) && am_friction_weakens(&contact->weakening))
        slide_on(e, c, -am_slip_sign(slip));
    settle(e, c, slip, am_is_closed(slip) ? normal_in(e, e->flow, c) : 0.0);
}
