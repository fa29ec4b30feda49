/* Which state of contact follows an event? Every combination the kinematics allow is tried: it is consistent when, in
 * its own flow, the first derivative that does not vanish of every quantity is positive. That is the acceleration-level
 * complementarity problem and, where it is degenerate, the problems of all higher derivatives at once. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "engines/switching/engine.h"
#include "laws/law.h"
#include "math/dense.h"

/* More combinations than this are not enumerated: one solution is searched by pivoting. Where only held contacts have a
 * choice far fewer are enough: with Coulomb's law the accelerations minimise a strictly convex function and are unique
 * anyway. Of a structure with more than so many coordinates fewer are tried, as each costs the cube of their number:
 * never more than some hundredths of a second for one decision. */
static const double most_combinations = 4096.0, most_held_combinations = 81.0, few_coordinates = 16.0;

static double most_of(double n) {
    double more = fmax(1.0, n / few_coordinates);
    return fmax(most_held_combinations, most_combinations / (more * more * more));
}

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

static bool allowed(const am_motion *e, size_t c, am_contact_state state) {
    const am_mark *mark = &e->mark[c];
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
    if (e->plan.spring[c] != AM_NO_ROW)
        return slider_allowed(mark, state);
    if (!am_is_closed(state))
        return state == AM_OPEN && !held;
    if (!compliant && mark->standing != AM_STANDS_TOUCHING)
        return false;
    return mark->slide == 0 || state == (mark->slide > 0 ? AM_FORWARD : AM_BACKWARD);
}

/* Possible states of every contact, the present one first: of motions that are the same the first found is kept. */
static double list_options(am_motion *e) {
    static const am_contact_state all[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_SWEEP, AM_OPEN, AM_LAX};
    double combinations = 1.0;
    for (size_t c = 0; c < e->plan.m; c++) {
        am_contact_state *option = e->options + 4 * c; /* never more than four are allowed */
        size_t count = 0;
        if (allowed(e, c, e->state[c]))
            option[count++] = e->state[c];
        for (size_t s = 0; s < sizeof all / sizeof *all; s++)
            if (all[s] != e->state[c] && (all[s] != AM_SWEEP || e->plan.plane) &&
                (all[s] != AM_LAX || e->plan.compliant) && allowed(e, c, all[s]))
                option[count++] = all[s];
        e->option_count[c] = count;
        combinations *= (double)count;
    }
    return combinations;
}

bool am_engine_next_combination(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        if (++e->digit[c] < e->option_count[c])
            return true;
        e->digit[c] = 0;
    }
    return false;
}

void am_engine_compose(am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++)
        e->trial[c] = e->options[4 * c + e->digit[c]];
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

/* Value of a quantity's coefficient, or 0 when it cannot be told from rounding. */
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
    return fabs(value) > zero * scale ? value : 0.0;
}

/* A slider that has just come to rest leaves its limit at the rate of its own velocity, which is zero. */
static bool has_come_to_rest(const am_mark *mark) {
    return mark->before != AM_STICK && mark->slide == 0 && !mark->reversed;
}

static size_t known_zeros_of_slide(const am_motion *e, size_t c) {
    const am_mark *mark = &e->mark[c];
    if (mark->slide != 0)
        return 0;
    if (am_plan_is_follower(&e->plan, c))
        return mark->rests; /* without mass any other force is another velocity */
    /* A slider without mass sets off with a velocity of its own; only one that has just come to rest is at zero. */
    bool sprung = e->plan.spring[c] != AM_NO_ROW;
    if (sprung && e->plan.system->contact[c].normal_law == AM_UNILATERAL)
        return mark->rests && mark->before != AM_STICK && !mark->reversed && !mark->jumped;
    return sprung && (mark->before == AM_STICK || mark->reversed || mark->closes || mark->jumped) ? 0 : 1;
}

/* How many derivatives of a quantity vanish because of what the marks say: noise left in them is not looked at. */
static inline size_t known_zeros(const am_motion *e, const am_quantity *quantity) {
    const am_mark *mark = &e->mark[quantity->contact];
    bool compliant = mark->normal != 0;
    size_t apart = mark->standing == AM_STANDS_APART ? 0 : mark->standing == AM_STANDS_TOUCHING ? 2 : 1;
    switch (quantity->kind) {
    case AM_QUANTITY_GAP:
    case AM_QUANTITY_OVERLAP:
        return !compliant && mark->standing == AM_STANDS_CLOSING ? 2 : apart;
    case AM_QUANTITY_NORMAL:
    case AM_QUANTITY_LAX:
        if (!compliant)
            return 0;
        return am_contact_is_damped(&e->plan.system->contact[quantity->contact]) ? mark->released : apart;
    case AM_QUANTITY_UPPER:
    case AM_QUANTITY_LOWER:
        if (mark->closes && e->plan.spring[quantity->contact] != AM_NO_ROW)
            return mark->unpressed; /* neither the spring nor the limit has a force yet */
        if (mark->limit != (quantity->kind == AM_QUANTITY_UPPER ? 1 : -1))
            return 0;
        return has_come_to_rest(mark) && !mark->jumped ? 2 : 1;
    case AM_QUANTITY_DISC: /* a difference of squares */
        return mark->closes ? 2 * mark->unpressed : mark->limit == 0 ? 0 : has_come_to_rest(mark) ? 2 : 1;
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
static bool is_idle(am_motion *e, const am_flow *flow, const am_quantity *quantity) {
    size_t c = quantity->contact;
    const am_mark *mark = &e->mark[c];
    if (mark->standing != AM_STANDS_TOUCHING || am_quantity_is_sharp(&e->plan, quantity))
        return false;
    if (quantity->kind == AM_QUANTITY_SLIDE)
        return mark->slide == 0 && is_possible_with(e, flow, c, AM_STICK);
    bool slips = is_possible_with(e, flow, c, AM_FORWARD) || is_possible_with(e, flow, c, AM_BACKWARD);
    return slips && is_possible_with(e, flow, c, AM_STICK);
}

/* The first orders of a flow at the present x; only where its forces are not all linear. Most decisions need few. */
static double *expand_trial(am_motion *e, const am_flow *flow, size_t place, size_t orders) {
    double *series = e->trial_series[place];
    memcpy(series, e->x, e->plan.nx * sizeof *series);
    am_forces_choose(&e->plan, flow, &e->forces, series, 2.0 * e->zero * e->size);
    am_flow_expand_orders(&e->plan, flow, &e->forces, series, &e->trial_written[place], 0, orders);
    return series;
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

/* Mark of a violated quantity among the orders. */
#define VIOLATED ((size_t)-2)

/* The order of each quantity's first derivative that does not vanish; VIOLATED where it is negative, AM_NEVER where all
 * vanish. Stops at the first violation of the contact (AM_NEVER: of any contact, AM_NEVER - 1: at none) and returns its
 * quantity. */
static size_t violation(am_motion *e, const am_flow *flow, size_t contact, size_t *order) {
    size_t nx = e->plan.nx, columns = nx, open = flow->quantities;
    double *x = e->x_work[0], *next = e->x_work[1], *size = e->size_work[0], *next_size = e->size_work[1];
    double zero = e->zero;
    memcpy(x, e->x, nx * sizeof *x);
    start_sizes(e, size);
    for (size_t q = 0; q < flow->quantities; q++) {
        order[q] = flow->quantity[q].held && is_idle(e, flow, &flow->quantity[q]) ? VIOLATED : AM_NEVER;
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
            return order[0] = VIOLATED, (size_t)0; /* its laws have no values here */
    }
    for (size_t q = 0; e->plan.springs > 0 && q < flow->quantities; q++) {
        size_t c = flow->quantity[q].contact;
        if (flow->quantity[q].kind != AM_QUANTITY_SLIDE || e->plan.spring[c] == AM_NO_ROW || order[q] != AM_NEVER ||
            am_plan_is_disc(&e->plan, c) || !spring_is_too_weak(e, flow, c, x, size))
            continue;
        order[q] = VIOLATED;
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
            order[q] = value < 0.0 ? VIOLATED : k;
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
static void list_violations(am_motion *e, const am_flow *flow, size_t *order) {
    violation(e, flow, AM_NEVER - 1, order);
}

static size_t first_violation(am_motion *e, const am_flow *flow, size_t *order) {
    return violation(e, flow, AM_NEVER, order);
}

static bool violates(am_motion *e, const am_flow *flow, size_t contact, size_t *order) {
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
static bool same_motion(am_motion *e, const am_flow *a, const am_flow *b) {
    size_t nx = e->plan.nx;
    if (differ_in_turns(e, a, b))
        return true;
    double *xa = e->x_work[0], *xb = e->x_work[1], *size_a = e->size_work[0], *size_b = e->size_work[1];
    memcpy(xa, e->x, nx * sizeof *xa);
    memcpy(xb, e->x, nx * sizeof *xb);
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

/* Contacts that those in e->trial hold at rest stick with them. True if there are any that did not. */
static bool hold_back_others(am_motion *e, const am_flow *flow) {
    bool any = false;
    for (size_t q = 0; q < flow->quantities; q++) {
        const am_quantity *quantity = &flow->quantity[q];
        if (quantity->kind != AM_QUANTITY_SLIDE || !quantity->held || !is_idle(e, flow, quantity))
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
        *holds = !e->held_back[b] || !violates(e, stuck, b, e->order_work);
    return AM_OK;
}

/* The law of static friction: a contact at rest whose static coefficient exceeds the kinetic one slips only if it
 * cannot hold. */
static am_status breaks_static_law(am_motion *e, const am_flow *flow, bool *breaks, am_error *err) {
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

/* ---- messages ---- */

void am_engine_describe(const am_motion *e, const am_contact_state *state, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < e->plan.m && used + 1 < size; c++) {
        int wrote = snprintf(text + used, size - used, "%s%s", c > 0 ? "," : "", am_contact_state_name(state[c]));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* Names of the contacts that had a choice. */
static void describe_contacts(const am_motion *e, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < e->plan.m && used + 1 < size; c++) {
        if (e->option_count[c] < 2)
            continue;
        int wrote = snprintf(text + used, size - used, "%s'%s'", used > 0 ? ", " : "", e->plan.system->contact[c].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* The combinations that were tried, as many as fit. */
static void describe_options(am_motion *e, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    do {
        char name[256];
        am_engine_compose(e);
        am_engine_describe(e, e->trial, name, sizeof name);
        if (used + strlen(name) + 8 > size) {
            snprintf(text + used, size - used, "; ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", name);
    } while (am_engine_next_combination(e));
}

static am_status fail_none(am_motion *e, am_error *err) {
    char contacts[160], before[160], tried[400];
    describe_contacts(e, contacts, sizeof contacts);
    am_engine_describe(e, e->state, before, sizeof before);
    describe_options(e, tried, sizeof tried);
    return am_fail(err, AM_ERR_NO_STATE,
                   "no state of contact is consistent at t = %.15g (contact %s, before: %s): each of the candidates %s "
                   "violates an inequality. This is a Painlevé paradox, which rigid contact cannot resolve",
                   e->now.t, contacts, before, tried);
}

/* The search does not try all of them: it proves nothing. */
static am_status fail_search(am_motion *e, am_error *err) {
    char before[160];
    am_engine_describe(e, e->state, before, sizeof before);
    return am_fail(err, AM_ERR_NO_STATE,
                   "no consistent state of contact was found at t = %.15g (before: %s): the combinations are too many "
                   "to try all of them, and a search by pivoting came to no end. `march` does not decide at instants "
                   "and may pass this one",
                   e->now.t, before);
}

static am_status fail_several(const am_motion *e, const am_contact_state *a, const am_contact_state *b, am_error *err) {
    char contacts[160], first[256], second[256];
    describe_contacts(e, contacts, sizeof contacts);
    am_engine_describe(e, a, first, sizeof first);
    am_engine_describe(e, b, second, sizeof second);
    return am_fail(err, AM_ERR_SEVERAL_STATES,
                   "several states of contact are consistent at t = %.15g (contact %s): candidates %s and %s lead to "
                   "different motions",
                   e->now.t, contacts, first, second);
}

/* ---- searching ---- */

static am_status accept(am_motion *e, const am_contact_state *state, am_error *err) {
    AM_TRY(am_engine_flow(e, state, &e->flow, err));
    memmove(e->state, state, e->plan.m * sizeof *state);
    first_violation(e, e->flow, e->order);
    return AM_OK;
}

am_contact_state am_engine_pivot(am_quantity_kind violated, int slide) {
    switch (violated) {
    case AM_QUANTITY_GAP:
    case AM_QUANTITY_LAX:
        return slide > 0 ? AM_FORWARD : slide < 0 ? AM_BACKWARD : AM_STICK;
    case AM_QUANTITY_NORMAL:
    case AM_QUANTITY_OVERLAP:
        return AM_OPEN;
    case AM_QUANTITY_UPPER:
        return AM_BACKWARD;
    case AM_QUANTITY_LOWER:
        return AM_FORWARD;
    case AM_QUANTITY_DISC:
        return AM_SWEEP;
    case AM_QUANTITY_SLIDE:
        break;
    }
    return AM_STICK;
}

/* What is violated asks its contacts for another state. False if one of them may not have it. */
static bool change_violated(am_motion *e, const am_quantity *violated) {
    for (size_t i = 0; i < am_quantity_members(violated); i++) {
        am_quantity member = am_quantity_member(violated, i);
        am_contact_state wanted = am_engine_pivot(member.kind, e->mark[member.contact].slide);
        if (wanted == AM_OPEN && (e->mark[member.contact].normal & AM_MAY_BE_LAX))
            wanted = AM_LAX;
        if (!allowed(e, member.contact, wanted))
            return false;
        e->trial[member.contact] = wanted;
    }
    return true;
}

/* Begin with the present states, but with stick wherever the law of static friction prefers it. */
static void compose_first(am_motion *e) {
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    am_engine_compose(e);
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (am_contact_drops(contact) && e->mark[c].slide == 0 && allowed(e, c, AM_STICK))
            e->trial[c] = AM_STICK;
    }
}

/* Has a contact at rest a choice that depends on how it came to rest? */
static bool has_static_friction(const am_motion *e) {
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
        if (e->order_work[q] != VIOLATED)
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
        if (e->order_work[q] == VIOLATED && !is_break(&flow->quantity[q]))
            return true;
    return false;
}

/* Pivot from "all contacts at rest hold" until nothing is violated. Contacts stop, open and close first: a limit counts
 * only when all that can hold do. *reached stays NULL if this comes to no end. */
static am_status break_from_rest(am_motion *e, bool together, am_flow **reached, am_error *err) {
    compose_first(e);
    for (size_t round = 0; round < 4 * e->plan.m + 8; round++) {
        am_flow *flow;
        bool changed = false;
        am_status status = am_engine_flow(e, e->trial, &flow, err);
        if (status || !flow->possible)
            return status;
        list_violations(e, flow, e->order_work);
        size_t only = first_to_break(e, flow, together);
        bool wait = others_are_violated(e, flow);
        for (size_t q = 0; q < flow->quantities; q++) {
            if (e->order_work[q] != VIOLATED || (only != AM_NEVER && q != only))
                continue;
            if (wait && is_break(&flow->quantity[q]))
                continue;
            if (!change_violated(e, &flow->quantity[q]))
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
static am_status break_loose(am_motion *e, am_flow **reached, am_error *err) {
    am_flow *together = NULL, *alone = NULL;
    bool breaks = false;
    am_status status = break_from_rest(e, true, &together, err);
    if (!status && together)
        status = breaks_static_law(e, together, &breaks, err);
    if (!status && (!together || breaks))
        status = break_from_rest(e, false, &alone, err);
    if (!status && alone && together)
        status = breaks_static_law(e, alone, &breaks, err);
    *reached = together && (!alone || breaks) ? together : alone;
    return status;
}

/* Is this candidate the other one but for contacts that it calls sticking and the other slipping? */
static bool sticks_where_other_slips(const am_motion *e, const am_flow *flow, const am_flow *other) {
    size_t differences = 0;
    for (size_t c = 0; c < e->plan.m; c++) {
        if (flow->k.state[c] == other->k.state[c])
            continue;
        if (flow->k.state[c] != AM_STICK || other->k.state[c] == AM_OPEN)
            return false;
        differences++;
    }
    return differences > 0;
}

/* Of candidates with one motion, the one that names all contacts that rest: the first one in which contacts share their
 * forces, and where one slips at rest for ever the one in which it sticks. */
static am_flow *most_at_rest(const am_motion *e, am_flow **found, size_t count) {
    am_flow *best = found[0];
    for (size_t i = 0; i < count; i++)
        if (found[i]->split)
            return found[i];
    for (size_t i = 1; i < count; i++)
        if (sticks_where_other_slips(e, found[i], best))
            best = found[i];
    return best;
}

/* Consistent candidates, as many as are ever told apart. */
enum { MOST_FOUND = 32 };

/* Drop candidates that break the law of static friction, unless that would leave none. */
static am_status apply_static_law(am_motion *e, am_flow **found, size_t *count, am_error *err) {
    size_t kept = 0;
    am_flow *lawful[MOST_FOUND];
    for (size_t i = 0; i < *count; i++) {
        bool breaks;
        AM_TRY(breaks_static_law(e, found[i], &breaks, err));
        if (!breaks)
            lawful[kept++] = found[i];
    }
    if (kept > 0) {
        memcpy(found, lawful, kept * sizeof *found);
        *count = kept;
    }
    return AM_OK;
}

/* Candidates 0 and `other` differ: where the law of static friction left them both, the one that is reached by breaking
 * loose stands and becomes found[0]. */
static am_status settle(am_motion *e, am_flow **found, size_t count, size_t other, am_error *err) {
    for (int together = 1; together >= 0 && has_static_friction(e); together--) {
        am_flow *reached = NULL;
        AM_TRY(break_from_rest(e, together, &reached, err));
        for (size_t i = 0; i < count && reached; i++) {
            if (found[i] != reached)
                continue;
            found[0] = reached;
            e->statistics.static_choices++;
            return AM_OK;
        }
    }
    return fail_several(e, found[0]->k.state, found[other]->k.state, err);
}

/* Try all combinations; every consistent one must give the motion of the first. */
static am_status enumerate(am_motion *e, am_error *err) {
    am_flow *found[MOST_FOUND], *last = NULL;
    size_t count = 0;
    am_status status = AM_OK;
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    do {
        am_flow *flow;
        am_engine_compose(e);
        status = am_engine_flow(e, e->trial, &flow, err);
        if (!status && flow->possible && first_violation(e, flow, e->order_work) == AM_NEVER && count < MOST_FOUND) {
            found[count++] = last = flow;
            memcpy(e->order, e->order_work, flow->quantities * sizeof *e->order);
        }
    } while (!status && am_engine_next_combination(e));
    if (!status && count == 0)
        return fail_none(e, err);
    if (!status && count > 1)
        status = apply_static_law(e, found, &count, err);
    for (size_t i = 1; i < count && !status; i++) {
        if (same_motion(e, found[0], found[i]))
            continue;
        status = settle(e, found, count, i, err);
        count = 1;
    }
    am_flow *chosen = status ? NULL : most_at_rest(e, found, count);
    if (status || chosen != last)
        return status ? status : accept(e, chosen->k.state, err);
    e->flow = last; /* its orders are still at hand */
    memcpy(e->state, last->k.state, e->plan.m * sizeof *e->state);
    return AM_OK;
}

/* A paradox does not depend on what counts as zero. One number, say the force of a contact that lifts off, is measured
 * in every candidate on another scale: as N where it is closed, as an acceleration where it is open. Next to what
 * counts as zero it may be one in one of them and none in another, and then both seem consistent, or neither. So none
 * and several are verdicts only if they stand with more, and with less, counted as zero. */
static am_status enumerate_surely(am_motion *e, am_error *err) {
    static const double doubts[] = {16.0, 256.0, 1.0 / 16.0};
    const double zero = e->zero;
    am_status status = enumerate(e, err);
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++) {
        am_error other = {0};
        if (status != AM_ERR_NO_STATE && status != AM_ERR_SEVERAL_STATES)
            break;
        e->zero = doubts[i] * zero;
        am_status again = enumerate(e, &other);
        if (again == AM_ERR_NO_STATE || again == AM_ERR_SEVERAL_STATES)
            continue;
        status = again;
        if (err)
            *err = other;
    }
    e->zero = zero;
    return status;
}

/* Is every contact that has a choice held, and (with `coulomb`) without static friction above the kinetic one? */
static bool choice_is_held(const am_motion *e, bool coulomb) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (e->option_count[c] < 2)
            continue;
        if (contact->normal_law != AM_HELD || (coulomb && am_contact_drops(contact)))
            return false;
    }
    return true;
}

/* *done: a state was found. */
static am_status search(am_motion *e, bool *done, am_error *err) {
    am_flow *reached = NULL;
    *done = true;
    AM_TRY(break_loose(e, &reached, err));
    if (reached) {
        e->statistics.unchecked += !choice_is_held(e, true);
        return accept(e, reached->k.state, err);
    }
    compose_first(e);
    for (size_t step = 0; step < 200 + 20 * e->plan.m; step++) {
        am_flow *flow;
        AM_TRY(am_engine_flow(e, e->trial, &flow, err));
        if (!flow->possible)
            break;
        size_t violated = first_violation(e, flow, e->order_work);
        if (violated == AM_NEVER) {
            e->statistics.unchecked += !choice_is_held(e, true);
            return accept(e, e->trial, err);
        }
        if (!change_violated(e, &flow->quantity[violated]))
            break;
    }
    *done = false;
    return AM_OK;
}

static am_status decide(am_motion *e, am_error *err) {
    double combinations = list_options(e), most = most_of((double)e->plan.n);
    bool done = false;
    if (combinations <= (choice_is_held(e, false) ? most_held_combinations : most))
        return enumerate_surely(e, err);
    am_status status = search(e, &done, err);
    if (status || done)
        return status;
    return combinations <= most ? enumerate_surely(e, err) : fail_search(e, err);
}

/* Sliders at their limit, which can neither hold nor slide on from there. With static friction: the limit falls faster
 * than the spring relaxes (so they break loose), but at the kinetic limit slower. The spring relaxes to that limit, where
 * the slider holds again. With friction that weakens: it falls faster with slip than the spring relaxes. True if there
 * were any. */
static bool relax_sliders(am_motion *e) {
    bool any = false;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        am_mark *mark = &e->mark[c];
        bool drops = am_contact_drops(contact);
        if (e->plan.spring[c] == AM_NO_ROW || contact->normal_law == AM_UNILATERAL || mark->limit == 0 ||
            (mark->before != AM_STICK && drops))
            continue;
        am_contact_state slip = mark->limit > 0 ? AM_BACKWARD : AM_FORWARD;
        if (!am_slider_jump(e, c, slip))
            continue;
        mark->during = slip;
        mark->limit = drops ? 0 : mark->limit;
        mark->reversed = false;
        mark->relaxed = mark->before == AM_STICK;
        mark->jumped = any = true;
    }
    if (any)
        am_engine_measure(e);
    return any;
}

static bool is_rigid_slider(const am_motion *e, size_t c) {
    return e->plan.spring[c] != AM_NO_ROW && e->plan.system->contact[c].normal_law == AM_UNILATERAL;
}

/* Sliders that slipped until now, on rigid contacts with static friction, go on if they can. If not, they may hold: their
 * normal forces may have grown at once. True if there are any. */
static bool stop_rigid(am_motion *e) {
    bool any = false;
    for (size_t c = 0; c < e->plan.m; c++)
        if (is_rigid_slider(e, c) && e->mark[c].slide != 0) {
            e->mark[c].slide = 0;
            any = true;
        }
    return any;
}

/* Sliders of rigid contacts, whose normal forces follow from the states of all: the first combination in which nothing is
 * violated but that sliders which have jumped would go back says which of them do, and how far. There they hold. */
static am_status relax_rigid(am_motion *e, bool *any, am_error *err) {
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    do {
        am_flow *flow;
        size_t others = 0, back = 0;
        am_engine_compose(e);
        AM_TRY(am_engine_flow(e, e->trial, &flow, err));
        if (!flow->possible)
            continue;
        list_violations(e, flow, e->order_work);
        for (size_t q = 0; q < flow->quantities; q++) {
            const am_quantity *quantity = &flow->quantity[q];
            bool slides = quantity->kind == AM_QUANTITY_SLIDE && is_rigid_slider(e, quantity->contact);
            others += e->order_work[q] == VIOLATED && !slides;
            back += e->order_work[q] == VIOLATED && slides;
        }
        if (others > 0 || back == 0)
            continue;
        for (size_t q = 0; q < flow->quantities; q++) {
            size_t c = flow->quantity[q].contact;
            if (e->order_work[q] != VIOLATED || !am_slider_jump_rigid(e, flow, c))
                continue;
            e->mark[c].during = flow->k.state[c];
            e->mark[c].reversed = false;
            e->mark[c].relaxed = e->mark[c].before == AM_STICK;
            e->mark[c].jumped = *any = true;
        }
    } while (!*any && am_engine_next_combination(e));
    if (*any)
        am_engine_measure(e);
    return AM_OK;
}

am_status am_engine_decide(am_motion *e, am_error *err) {
    am_error again = {0};
    am_status status = decide(e, err);
    if (status == AM_ERR_NO_STATE && stop_rigid(e))
        status = decide(e, err);
    if (status != AM_ERR_NO_STATE)
        return status;
    bool relaxed = relax_sliders(e);
    for (size_t c = 0; !relaxed && c < e->plan.m; c++)
        if (is_rigid_slider(e, c)) {
            AM_TRY(relax_rigid(e, &relaxed, &again));
            break;
        }
    if (!relaxed)
        return status;
    status = decide(e, &again);
    if (err)
        *err = again;
    return status;
}
