/* The candidates for the next state of contact: which states the kinematics allow each contact, and whether a combination
 * of them is consistent. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/switching/decide.h"
#include "laws/law.h"

/* ---- candidates ---- */

/* Of a rigid contact N follows from the state of all: what a slider may do is decided by its limits alone. */
static bool rigid_slider_allowed(const am_motion *e, size_t c, am_contact_state state) {
    double stretch = e->x[2 * e->plan.n + e->plan.spring[c]];
    if (state == AM_OPEN)
        return true;
    if (e->mark[c].standing != AM_STANDS_TOUCHING || (state != AM_STICK && e->mark[c].reversed))
        return false;
    return state == AM_STICK ? e->mark[c].slide == 0 : -am_slip_sign(state) * stretch >= 0.0;
}

static bool slider_allowed(const am_mark *mark, am_contact_state state) {
    if (mark->closes) /* its spring is not stretched yet, and where nothing presses yet it may slip at once */
        return state == AM_STICK || mark->unpressed;
    if (state == AM_STICK)
        return mark->slide == 0;
    if (state == AM_OPEN || mark->reversed)
        return false;
    if (mark->before != AM_STICK)
        return state == mark->before;
    return mark->limit == (state == AM_FORWARD ? -1 : 1);
}

static inline bool plain_allowed(const am_motion *e, size_t c, am_contact_state state) {
    const am_mark *mark = &e->mark[c];
    if (state == AM_OPEN)
        return e->plan.system->contact[c].normal_law != AM_HELD;
    return mark->standing == AM_STANDS_TOUCHING && state <= AM_BACKWARD &&
           (mark->slide == 0 || state == (mark->slide > 0 ? AM_FORWARD : AM_BACKWARD));
}

bool am_decide_allows(const am_motion *e, size_t c, am_contact_state state) {
    const am_mark *mark = &e->mark[c];
    if (e->plan.plain[c])
        return plain_allowed(e, c, state);
    bool disc = am_plan_is_disc(&e->plan, c);
    if (disc ? am_slip_sign(state) != 0.0 : state == AM_SWEEP)
        return false; /* in a plane it slips any way */
    if (disc && mark->closes && mark->unpressed && am_spring_pulls(state))
        return (mark->normal & AM_MAY_BE_CLOSED) && (state == AM_SWEEP) == mark->sets_off;
    if (e->plan.system->stop[c] && am_slip_sign(state) != 0.0)
        return false; /* it has no way to slide: closed, it is said to stick */
    if (state == AM_STICK && !am_law_sticks(&e->plan.system->contact[c].speed_friction))
        return false;
    bool compliant = mark->normal != 0, held = e->plan.system->contact[c].normal_law == AM_HELD;
    if (compliant && !am_is_closed(state))
        return (mark->normal & (state == AM_OPEN ? AM_MAY_BE_OPEN : AM_MAY_BE_LAX)) != 0;
    if (state == AM_LAX || (compliant && !(mark->normal & AM_MAY_BE_CLOSED)))
        return false;
    if (e->plan.spring[c] != AM_NO_ROW && e->plan.system->contact[c].normal_law == AM_UNILATERAL)
        return rigid_slider_allowed(e, c, state);
    if (am_plan_creeps(&e->plan, c) && mark->unpressed && am_is_closed(state))
        return true; /* nothing presses: it may do anything */
    if (am_plan_creeps(&e->plan, c) && mark->before == AM_STICK && am_contact_drops(&e->plan.system->contact[c]))
        return state == AM_STICK; /* its friction drops: it jumps before it slips (am_light_break) */
    if (am_plan_is_slider(&e->plan, c))
        return slider_allowed(mark, state);
    if (!am_is_closed(state))
        return state == AM_OPEN && !held;
    if ((!compliant && mark->standing != AM_STANDS_TOUCHING) || (mark->ceases && !e->had_impact))
        return false;
    if (am_slip_sign(state) * mark->heads > 0.0)
        return false;
    return mark->slide == 0 || state == (mark->slide > 0 ? AM_FORWARD : AM_BACKWARD);
}

static size_t list_plain(const am_motion *e, size_t c, am_contact_state *option) {
    am_contact_state present = e->state[c];
    size_t count = 0;
    if (plain_allowed(e, c, present))
        option[count++] = present;
    for (am_contact_state state = AM_STICK; state <= AM_BACKWARD; state++)
        if (state != present && plain_allowed(e, c, state))
            option[count++] = state;
    if (present != AM_OPEN && plain_allowed(e, c, AM_OPEN))
        option[count++] = AM_OPEN;
    return count;
}

static size_t list_all(const am_motion *e, size_t c, am_contact_state *option) {
    static const am_contact_state all[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_SWEEP, AM_OPEN, AM_LAX};
    size_t count = 0;
    if (am_decide_allows(e, c, e->state[c]))
        option[count++] = e->state[c];
    for (size_t s = 0; s < sizeof all / sizeof *all; s++)
        if (all[s] != e->state[c] && (all[s] != AM_SWEEP || e->plan.plane) && (all[s] != AM_LAX || e->plan.compliant) &&
            am_decide_allows(e, c, all[s]))
            option[count++] = all[s];
    return count;
}

/* Possible states of every contact, never more than four, the present one first: of motions that are the same the first
 * found is kept. */
double am_decide_list_options(am_motion *e) {
    double combinations = 1.0;
    for (size_t c = 0; c < e->plan.m; c++) {
        am_contact_state *option = e->options + 4 * c;
        e->option_count[c] = e->plan.plain[c] ? list_plain(e, c, option) : list_all(e, c, option);
        combinations *= (double)e->option_count[c];
    }
    return combinations;
}

/* ---- testing one candidate ---- */

/* Is coordinate i far stiffer than others, and did it keep its velocity until now? Then nothing was summed up for it:
 * it is known as well as an input. */
static bool was_held(const am_motion *e, size_t i) {
    const am_plan *plan = &e->plan;
    return am_plan_frequency_of(plan, i) > plan->slowest && am_extent_is_empty(&e->span_flow->extent[i]);
}

/* The size that the rounding of each entry of x is relative to: the whole norm for q and v, which share their errors,
 * and the value itself for the inputs, which are known in closed form. The whole norm times the stiffness of a stiff
 * coordinate is a large force, of which nothing is felt while the coordinate is held. */
static void start_sizes(const am_motion *e, double *size) {
    size_t n = e->plan.n, ordinary = e->plan.nd - e->plan.inners;
    bool some_stiff = e->plan.slowest < e->plan.frequency && e->span_flow && !e->had_impact;
    for (size_t i = 0; i < ordinary; i++)
        size[i] = e->size / e->plan.weight[i];
    for (size_t i = 0; i < n && some_stiff; i++)
        if (was_held(e, i)) {
            size[i] = fabs(e->x[i]);
            size[n + i] = fabs(e->x[n + i]);
        }
    for (size_t i = ordinary; i < e->plan.nx; i++)
        size[i] = fabs(e->x[i]);
}

/* Value of a quantity's coefficient, or 0 when it cannot be told from rounding, or from what numbers can hold. */
static double significant(const am_extent *extent, const double *row, const double *x, const double *size,
                          double zero) {
    double value = 0.0, scale = 0.0;
    for (size_t j = extent->from; j < extent->to; j++) {
        value += row[j] * x[j];
        scale += fabs(row[j]) * size[j];
    }
    for (size_t j = extent->input_from; j < extent->input_to; j++) {
        value += row[j] * x[j];
        scale += fabs(row[j]) * size[j];
    }
    return fabs(value) > fmax(zero * scale, DBL_MIN) ? value : 0.0;
}

/* A slider that has just come to rest leaves its limit at the rate of its own velocity, which is zero. */
static bool has_come_to_rest(const am_motion *e, size_t c) {
    const am_mark *mark = &e->mark[c];
    if (am_plan_creeps(&e->plan, c))
        return mark->rests && am_slip_sign(mark->before) != 0.0; /* else its velocity may have jumped */
    return mark->before != AM_STICK && mark->slide == 0 && !mark->reversed && !mark->shaken;
}

static size_t known_zeros_of_slide(const am_motion *e, size_t c) {
    const am_mark *mark = &e->mark[c];
    if (mark->slide != 0)
        return 0;
    /* A slider without mass sets off with a velocity of its own; only one that has just come to rest is at zero. */
    bool sprung = e->plan.spring[c] != AM_NO_ROW;
    if (!sprung && am_plan_is_follower(&e->plan, c))
        return mark->rests && (mark->before != AM_STICK || !am_contact_drops(&e->plan.system->contact[c]));
    /* (without mass any other force is another velocity: where friction drops that jumps) */
    if (am_plan_creeps(&e->plan, c))
        return has_come_to_rest(e, c);
    if (sprung && e->plan.system->contact[c].normal_law == AM_UNILATERAL)
        return mark->rests && mark->before != AM_STICK && !mark->reversed && !mark->jumped;
    return sprung && (mark->before == AM_STICK || mark->reversed || mark->shaken || mark->closes || mark->jumped) ? 0
                                                                                                                  : 1;
}

/* How many derivatives of a quantity vanish because of what the marks say: noise left in them is not looked at. */
static inline size_t known_zeros(const am_motion *e, const am_quantity *quantity) {
    const am_mark *mark = &e->mark[quantity->contact];
    bool compliant = mark->normal != 0;
    size_t apart = mark->standing == AM_STANDS_APART ? 0 : mark->standing == AM_STANDS_TOUCHING ? 2 : 1;
    if (apart == 2 && compliant && am_plan_gap_follows(&e->plan, quantity->contact))
        apart = 1; /* without mass the rate of the gap is what forces make it */
    if (e->plan.plain[quantity->contact] && quantity->kind != AM_QUANTITY_GAP)
        return quantity->kind == AM_QUANTITY_SLIDE && mark->slide == 0;
    if (mark->ceases && !e->had_impact && quantity->kind == AM_QUANTITY_GAP)
        return 3; /* no force, no acceleration */
    switch (quantity->kind) {
    case AM_QUANTITY_GAP:
    case AM_QUANTITY_OVERLAP:
        return !compliant && mark->standing == AM_STANDS_CLOSING ? 2 : apart;
    case AM_QUANTITY_NORMAL:
    case AM_QUANTITY_LAX:
        if (!compliant)
            return mark->released && !e->had_impact;
        return am_contact_is_damped(&e->plan.system->contact[quantity->contact]) ? mark->released : apart;
    case AM_QUANTITY_UPPER:
    case AM_QUANTITY_LOWER:
        if ((mark->closes && e->plan.spring[quantity->contact] != AM_NO_ROW) ||
            (mark->unpressed && am_plan_creeps(&e->plan, quantity->contact)))
            return mark->unpressed; /* neither the spring nor the limit has a force yet */
        if (mark->limit != (quantity->kind == AM_QUANTITY_UPPER ? 1 : -1))
            return 0;
        return has_come_to_rest(e, quantity->contact) && !mark->jumped ? 2 : 1;
    case AM_QUANTITY_DISC: /* a difference of squares */
        return mark->closes                             ? 2 * mark->unpressed
               : mark->limit == 0                       ? 0
               : has_come_to_rest(e, quantity->contact) ? 2
                                                        : 1;
    case AM_QUANTITY_SLIDE:
        break;
    }
    return known_zeros_of_slide(e, quantity->contact);
}

/* Is the motion unique with one contact of the flow in another state? */
static bool is_possible_with(am_motion *e, const am_flow *flow, size_t c, am_contact_state state) {
    am_flow *other;
    am_error own = {0};
    memcpy(e->instead, flow->k.state, e->plan.m * sizeof *e->instead);
    e->instead[c] = state;
    return !am_flow_get(e->cache, e->instead, &other, &own) && other->possible;
}

/* Slip at rest, or a gap that is closed, in a flow in which others hold the contact: another name for stick, and not
 * one to be used, for the forces of all of them decide together how long they hold. But where contacts would clamp each
 * other, or where the motion would depend on how they share their normal forces, it is left as it is. */
bool am_decide_is_idle(am_motion *e, const am_flow *flow, const am_quantity *quantity) {
    size_t c = quantity->contact;
    const am_mark *mark = &e->mark[c];
    if (mark->standing != AM_STANDS_TOUCHING || am_quantity_is_sharp(&e->plan, quantity))
        return false;
    if (quantity->kind == AM_QUANTITY_SLIDE)
        return mark->slide == 0 && is_possible_with(e, flow, c, AM_STICK);
    bool slips = is_possible_with(e, flow, c, AM_FORWARD) || is_possible_with(e, flow, c, AM_BACKWARD);
    return slips && is_possible_with(e, flow, c, AM_STICK);
}

/* The present x, in a flow in which coordinates with neither mass nor damping may stand and move otherwise. */
static void take_state(const am_motion *e, const am_flow *flow, double *x) {
    memcpy(x, e->x, e->plan.nx * sizeof *x);
    if (e->plan.lights > 0)
        am_flow_settle_light(&e->plan, flow, x);
}

/* The first orders of a flow at the present x; only where its forces are not all linear. Most decisions need few. */
static double *expand_trial(am_motion *e, const am_flow *flow, size_t place, size_t orders) {
    double *series = e->trial_series[place];
    take_state(e, flow, series);
    am_forces_choose(&e->plan, flow, &e->forces, series, 2.0 * e->zero * e->size);
    am_flow_expand_orders(&e->plan, flow, &e->forces, series, &e->trial_written[place], 0, orders);
    return series;
}

bool am_decide_has_values(am_motion *e, const am_contact_state *state) {
    am_flow *flow;
    am_error own = {0};
    if (e->plan.followers == 0 || am_flow_get(e->cache, state, &flow, &own) || !flow->possible || !flow->stepwise)
        return true;
    return isfinite(am_dense_size(expand_trial(e, flow, 0, 1), e->plan.nx));
}

/* A slider that slips must come from above its limit: of a rigid contact, whose normal force may jump, it is known only
 * now whether the spring pulls as hard as friction does in this flow, or harder (then it jumps). */
static bool spring_is_too_weak(const am_motion *e, const am_flow *flow, size_t c, const double *x, const double *size) {
    const double *row = flow->tangential + c * e->plan.nx;
    size_t spring = 2 * e->plan.n + e->plan.spring[c];
    double k = e->plan.system->contact[c].tangential_stiffness, pull = k * x[spring], scale = k * size[spring];
    double sign = -am_slip_sign(flow->k.state[c]);
    if (sign == 0.0 || e->plan.system->contact[c].normal_law != AM_UNILATERAL || e->mark[c].jumped)
        return false;
    for (size_t j = 0; j < e->plan.nx; j++) {
        pull += row[j] * x[j];
        scale += fabs(row[j]) * size[j];
    }
    return sign * pull < -2.0 * e->zero * scale;
}

/* The order of each quantity's first derivative that does not vanish; AM_VIOLATED where it is negative, AM_NEVER where all
 * vanish. Stops at the first violation of the contact (AM_NEVER: of any contact, AM_NEVER - 1: at none) and returns its
 * quantity. */
static size_t violation(am_motion *e, const am_flow *flow, size_t contact, size_t *order) {
    size_t nx = e->plan.nx, columns = nx, open = flow->quantities;
    double *x = e->x_work[0], *next = e->x_work[1], *size = e->size_work[0], *next_size = e->size_work[1];
    double zero = e->zero;
    take_state(e, flow, x);
    start_sizes(e, size);
    for (size_t q = 0; q < flow->quantities; q++) {
        order[q] = flow->quantity[q].held && am_decide_is_idle(e, flow, &flow->quantity[q]) ? AM_VIOLATED : AM_NEVER;
        if (flow->quantity[q].kind == AM_QUANTITY_GAP && e->mark[flow->quantity[q].contact].waits) {
            order[q] = 0; /* by how little it may close is for the search along the span to say */
            open--;
            continue;
        }
        if (order[q] == AM_NEVER)
            continue;
        if (contact == AM_NEVER || flow->quantity[q].contact == contact)
            return q;
        open--;
    }
    if (flow->stepwise) {
        x = expand_trial(e, flow, 0, 1);
        am_forces_size(&e->plan, flow, &e->forces, x, size);
        am_flow_follow_size(&e->plan, flow, &e->forces, size);
        if (flow->quantities > 0 && !isfinite(am_dense_size(x, nx)))
            return order[0] = AM_VIOLATED, (size_t)0; /* its laws have no values here */
    }
    for (size_t q = 0; e->plan.springs > 0 && q < flow->quantities; q++) {
        size_t c = flow->quantity[q].contact;
        if (flow->quantity[q].kind != AM_QUANTITY_SLIDE || e->plan.spring[c] == AM_NO_ROW || order[q] != AM_NEVER ||
            am_plan_is_disc(&e->plan, c) || !spring_is_too_weak(e, flow, c, x, size))
            continue;
        order[q] = AM_VIOLATED;
        if (contact == AM_NEVER || contact == c)
            return q;
        open--;
    }
    for (size_t k = 0; k <= AM_DEGREE && open > 0; k++) {
        for (size_t q = 0; q < flow->quantities; q++) {
            if (order[q] != AM_NEVER || k < known_zeros(e, &flow->quantity[q]))
                continue;
            bool sharp = am_engine_turns(e, &flow->quantity[q]) ||
                         (k == 0 && e->plan.forces > 0 && am_quantity_is_sharp(&e->plan, &flow->quantity[q]));
            double value = significant(&flow->row_extent[q], flow->row + q * nx, x, size, sharp ? 0.0 : zero);
            if (value == 0.0)
                continue;
            order[q] = value < 0.0 ? AM_VIOLATED : k;
            if (value < 0.0 && (contact == AM_NEVER || am_quantity_involves(&flow->quantity[q], contact)))
                return q;
            open--;
        }
        if (open == 0)
            break; /* nothing left to decide: the next order would be for nobody */
        double *swap = x;
        if (flow->stepwise) {
            x += nx;
            if (k < AM_DEGREE)
                am_flow_expand_orders(&e->plan, flow, &e->forces, e->trial_series[0], &e->trial_written[0], k + 1,
                                      k + 2);
        } else {
            columns = am_flow_next_order(&e->plan, flow, x, columns, k, next);
            x = next, next = swap;
        }
        am_flow_next_size(&e->plan, flow, size, k, next_size);
        if (flow->stepwise) {
            am_forces_size(&e->plan, flow, &e->forces, x, next_size);
            am_flow_follow_size(&e->plan, flow, &e->forces, next_size);
        }
        swap = size, size = next_size, next_size = swap;
    }
    return AM_NEVER;
}

/* All violations at once. */
void am_decide_list_violations(am_motion *e, const am_flow *flow, size_t *order) {
    violation(e, flow, AM_NEVER - 1, order);
}

size_t am_decide_first_violation(am_motion *e, const am_flow *flow, size_t *order) {
    return violation(e, flow, AM_NEVER, order);
}

bool am_decide_violates(am_motion *e, const am_flow *flow, size_t contact, size_t *order) {
    return violation(e, flow, contact, order) != AM_NEVER;
}

/* x and the size of its rounding to the next order of a flow; series: its orders, NULL of a linear one. */
static void derive(const am_motion *e, const am_flow *flow, const double *series, size_t k, double *x, double *size,
                   double *work) {
    size_t nx = e->plan.nx;
    if (!series)
        am_flow_next_order(&e->plan, flow, x, nx, k, work);
    memcpy(x, series ? series + (k + 1) * nx : work, nx * sizeof *x);
    am_flow_next_size(&e->plan, flow, size, k, work);
    if (series) {
        am_forces_size(&e->plan, flow, &e->forces, x, work);
        am_flow_follow_size(&e->plan, flow, &e->forces, work);
    }
    memcpy(size, work, nx * sizeof *size);
}

/* Do two flows differ in nothing but the directions of contacts at rest that turn without stopping? Their friction is
 * continuous at rest: these are two texts of one equation of motion, whose solution is unique. */
static bool differ_in_turns(const am_motion *e, const am_flow *a, const am_flow *b) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_quantity slide = {.contact = c, .kind = AM_QUANTITY_SLIDE};
        bool turned = am_is_closed(a->k.state[c]) && am_is_closed(b->k.state[c]) && e->mark[c].slide == 0 &&
                      am_engine_turns(e, &slide);
        if (a->k.state[c] != b->k.state[c] && !turned)
            return false;
    }
    return true;
}

/* Do two flows give the same motion from here? All derivatives are compared. The rounding is that of both: a slider's
 * spring that keeps its stretch by its law in one of them keeps it in the other as well as the structure stands still.
 */
bool am_decide_same_motion(am_motion *e, const am_flow *a, const am_flow *b) {
    size_t nx = e->plan.nx;
    if (differ_in_turns(e, a, b))
        return true;
    double *xa = e->x_work[0], *xb = e->x_work[1], *size_a = e->size_work[0], *size_b = e->size_work[1];
    take_state(e, a, xa);
    take_state(e, b, xb);
    start_sizes(e, size_a);
    memcpy(size_b, size_a, nx * sizeof *size_b);
    const double *series_a = a->stepwise ? expand_trial(e, a, 0, AM_COEFFICIENTS) : NULL;
    const double *series_b = b->stepwise ? expand_trial(e, b, 1, AM_COEFFICIENTS) : NULL;
    for (size_t k = 0; k + (series_a != NULL || series_b != NULL) <= AM_DEGREE; k++) {
        derive(e, a, series_a, k, xa, size_a, e->size_work[2]);
        derive(e, b, series_b, k, xb, size_b, e->size_work[2]);
        for (size_t i = 0; i < e->plan.nd; i++)
            if (fabs(xa[i] - xb[i]) > e->zero * fmax(size_a[i], size_b[i]))
                return false;
    }
    return true;
}
