/* Which state of contact follows an event? Every combination the kinematics allow is tried: it is consistent when, in its own flow, the
 * first derivative that does not vanish of every quantity is positive. That is the acceleration-level complementarity problem and, where
 * it is degenerate, the problems of all higher derivatives at once. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/engine.h"
#include "math/dense.h"

/* More combinations than this are not enumerated: one solution is searched by pivoting and uniqueness stays unchecked. */
static const size_t most_combinations = 4096;

double am_engine_rounding(const am_motion *e, double dual)
{
    return AM_ROUNDING * DBL_EPSILON * dual * am_plan_norm(&e->plan, e->x);
}

double am_engine_gap_rate(const am_motion *e, size_t contact)
{
    return am_dense_dot(e->plan.system->contact[contact].normal, e->x + e->plan.n, e->plan.n);
}

double am_engine_slide(const am_motion *e, size_t contact)
{
    const am_contact_def *c = &e->plan.system->contact[contact];
    return am_dense_dot(c->tangent, e->x + e->plan.n, e->plan.n) - c->surface_velocity;
}

static int sign_of(double value, double rounding)
{
    return value > rounding ? 1 : value < -rounding ? -1 : 0;
}

/* An open contact stands apart unless its gap has vanished; then its rate decides. */
static am_standing_kind standing_of_open(const am_motion *e, size_t c, bool vanished)
{
    const am_contact_def *contact = &e->plan.system->contact[c];
    double gap = am_dense_dot(contact->normal, e->x, e->plan.n) + contact->gap;
    if (!vanished && gap > am_engine_rounding(e, e->gap_dual[c]))
        return AM_STANDS_APART;
    int rate = sign_of(am_engine_gap_rate(e, c), am_engine_rounding(e, e->rate_dual[c]));
    return rate > 0 ? AM_STANDS_APART : rate < 0 ? AM_STANDS_CLOSING : AM_STANDS_TOUCHING;
}

void am_engine_mark(am_motion *e, const am_quantity *trigger)
{
    for (size_t c = 0; c < e->plan.m; c++) {
        am_mark *mark = &e->mark[c];
        bool vanished = trigger && trigger->contact == c;
        *mark = (am_mark){.standing = AM_STANDS_TOUCHING, .during = e->state[c], .before = e->state[c]};
        if (e->state[c] == AM_OPEN)
            mark->standing = standing_of_open(e, c, vanished && trigger->kind == AM_QUANTITY_GAP);
        bool at_rest = e->state[c] == AM_STICK || (vanished && trigger->kind == AM_QUANTITY_SLIDE);
        if (!at_rest)
            mark->slide = sign_of(am_engine_slide(e, c), am_engine_rounding(e, e->slide_dual[c]));
    }
}

/* ---- candidates ---- */

static void add_option(am_motion *e, size_t c, am_contact_state state)
{
    for (size_t o = 0; o < e->option_count[c]; o++)
        if (e->options[4 * c + o] == state)
            return;
    e->options[4 * c + e->option_count[c]++] = state;
}

static bool allowed(const am_motion *e, size_t c, am_contact_state state)
{
    const am_mark *mark = &e->mark[c];
    bool held = e->plan.system->contact[c].normal_law == AM_HELD;
    if (state == AM_OPEN)
        return !held;
    if (mark->standing != AM_STANDS_TOUCHING)
        return false;
    return mark->slide == 0 || state == (mark->slide > 0 ? AM_FORWARD : AM_BACKWARD);
}

/* Possible states of every contact, the present one first: of motions that are the same the first found is kept. */
static double list_options(am_motion *e)
{
    static const am_contact_state all[] = {AM_STICK, AM_FORWARD, AM_BACKWARD, AM_OPEN};
    double combinations = 1.0;
    for (size_t c = 0; c < e->plan.m; c++) {
        e->option_count[c] = 0;
        if (allowed(e, c, e->state[c]))
            add_option(e, c, e->state[c]);
        for (size_t s = 0; s < 4; s++)
            if (allowed(e, c, all[s]))
                add_option(e, c, all[s]);
        combinations *= (double)e->option_count[c];
    }
    return combinations;
}

/* ---- testing one candidate ---- */

/* |x|, with a floor for the rounding that q and v have collected. */
static void start_sizes(const am_motion *e, double *size)
{
    double floor_norm = am_plan_norm(&e->plan, e->x);
    for (size_t i = 0; i < e->plan.nx; i++)
        size[i] = fabs(e->x[i]) + (i < 2 * e->plan.n ? floor_norm / e->plan.weight[i] : 0.0);
}

/* Value of a quantity's coefficient, or 0 when it cannot be told from rounding. */
static double significant(const double *row, const double *x, const double *size, size_t nx)
{
    double value = 0.0, scale = 0.0;
    for (size_t j = 0; j < nx; j++) {
        value += row[j] * x[j];
        scale += fabs(row[j]) * size[j];
    }
    return fabs(value) > AM_ROUNDING * DBL_EPSILON * scale ? value : 0.0;
}

/* The lowest-numbered quantity whose first derivative that does not vanish is negative; AM_NEVER if the flow is consistent.
 * order[q]: how many derivatives of q vanish. */
static size_t first_violation(am_motion *e, const am_flow *flow, size_t *order)
{
    size_t nx = e->plan.nx, columns = nx, open = flow->quantities;
    double *x = e->x_work[0], *next = e->x_work[1], *size = e->size_work[0], *next_size = e->size_work[1];
    memcpy(x, e->x, nx * sizeof *x);
    start_sizes(e, size);
    for (size_t q = 0; q < flow->quantities; q++)
        order[q] = AM_NEVER;
    for (size_t k = 0; k <= AM_DEGREE && open > 0; k++) {
        for (size_t q = 0; q < flow->quantities; q++) {
            if (order[q] != AM_NEVER)
                continue;
            double value = significant(flow->row + q * nx, x, size, nx);
            if (value == 0.0)
                continue;
            if (value < 0.0)
                return q;
            order[q] = k;
            open--;
        }
        columns = am_flow_next_order(&e->plan, flow, x, columns, k, next);
        am_flow_next_size(&e->plan, flow, size, k, next_size);
        double *swap = x;
        x = next, next = swap;
        swap = size, size = next_size, next_size = swap;
    }
    return AM_NEVER;
}

/* Do two flows give the same motion from here? All derivatives are compared. */
static bool same_motion(am_motion *e, const am_flow *a, const am_flow *b)
{
    size_t nx = e->plan.nx, n = e->plan.n;
    double *xa = e->x_work[0], *xb = e->x_work[1], *size = e->size_work[0], *next = e->size_work[1];
    memcpy(xa, e->x, nx * sizeof *xa);
    memcpy(xb, e->x, nx * sizeof *xb);
    start_sizes(e, size);
    for (size_t k = 0; k <= AM_DEGREE; k++) {
        am_flow_next_order(&e->plan, a, xa, nx, k, next);
        memcpy(xa, next, nx * sizeof *xa);
        am_flow_next_order(&e->plan, b, xb, nx, k, next);
        memcpy(xb, next, nx * sizeof *xb);
        am_flow_next_size(&e->plan, a, size, k, next);
        memcpy(size, next, nx * sizeof *size);
        for (size_t i = 0; i < 2 * n; i++)
            if (fabs(xa[i] - xb[i]) > AM_ROUNDING * DBL_EPSILON * size[i])
                return false;
    }
    return true;
}

/* With static above kinetic friction, a contact at rest slips only if it cannot hold: a slips where b sticks -> b wins. */
static bool holds_instead(const am_motion *e, const am_contact_state *slips, const am_contact_state *sticks)
{
    for (size_t c = 0; c < e->plan.m; c++) {
        if (slips[c] == sticks[c])
            continue;
        const am_contact_def *contact = &e->plan.system->contact[c];
        bool slipping = slips[c] == AM_FORWARD || slips[c] == AM_BACKWARD;
        if (!slipping || sticks[c] != AM_STICK || !(contact->static_friction > contact->friction))
            return false;
    }
    return true;
}

/* ---- messages ---- */

void am_engine_describe(const am_motion *e, const am_contact_state *state, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < e->plan.m && used + 1 < size; c++) {
        int wrote = snprintf(text + used, size - used, "%s%s", c > 0 ? "," : "", am_contact_state_name(state[c]));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* Names of the contacts that had a choice. */
static void describe_contacts(const am_motion *e, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < e->plan.m && used + 1 < size; c++) {
        if (e->option_count[c] < 2)
            continue;
        int wrote = snprintf(text + used, size - used, "%s'%s'", used > 0 ? ", " : "", e->plan.system->contact[c].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static am_status fail_none(const am_motion *e, double tried, am_error *err)
{
    char contacts[256], before[256];
    describe_contacts(e, contacts, sizeof contacts);
    am_engine_describe(e, e->state, before, sizeof before);
    return am_fail(err, AM_ERR_NO_STATE,
                   "no state of contact is consistent at t = %.15g (contact %s; before: %s; all %.0f candidates "
                   "violate an inequality): a Painlevé paradox, which rigid contact cannot resolve",
                   e->t, contacts, before, tried);
}

static am_status fail_several(const am_motion *e, const am_contact_state *a, const am_contact_state *b, am_error *err)
{
    char contacts[256], first[256], second[256];
    describe_contacts(e, contacts, sizeof contacts);
    am_engine_describe(e, a, first, sizeof first);
    am_engine_describe(e, b, second, sizeof second);
    return am_fail(err, AM_ERR_SEVERAL_STATES,
                   "several states of contact are consistent at t = %.15g (contact %s): candidates %s and %s lead to "
                   "different motions",
                   e->t, contacts, first, second);
}

/* ---- searching ---- */

static am_status accept(am_motion *e, const am_contact_state *state, am_error *err)
{
    am_status status = am_flow_get(e->cache, state, &e->flow, err);
    if (status)
        return status;
    memmove(e->state, state, e->plan.m * sizeof *state);
    first_violation(e, e->flow, e->order);
    return AM_OK;
}

/* Next combination; false after the last. */
static bool next_combination(am_motion *e)
{
    for (size_t c = 0; c < e->plan.m; c++) {
        if (++e->digit[c] < e->option_count[c])
            return true;
        e->digit[c] = 0;
    }
    return false;
}

static void compose(am_motion *e)
{
    for (size_t c = 0; c < e->plan.m; c++)
        e->trial[c] = e->options[4 * c + e->digit[c]];
}

/* A second consistent candidate: which of both stands? False: they differ and neither yields. */
static bool settle(am_motion *e, am_flow **chosen, am_flow *flow)
{
    if (same_motion(e, *chosen, flow) || holds_instead(e, flow->k.state, (*chosen)->k.state))
        return true;
    if (!holds_instead(e, (*chosen)->k.state, flow->k.state))
        return false;
    *chosen = flow;
    return true;
}

static am_status enumerate(am_motion *e, double combinations, am_error *err)
{
    am_flow *chosen = NULL;
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    do {
        am_flow *flow;
        compose(e);
        am_status status = am_flow_get(e->cache, e->trial, &flow, err);
        if (status)
            return status;
        if (!flow->possible || first_violation(e, flow, e->order_work) != AM_NEVER)
            continue;
        if (!chosen)
            chosen = flow;
        else if (!settle(e, &chosen, flow))
            return fail_several(e, chosen->k.state, flow->k.state, err);
    } while (next_combination(e));
    return chosen ? accept(e, chosen->k.state, err) : fail_none(e, combinations, err);
}

/* The state that a violated quantity asks for (least-index principal pivoting). */
static am_contact_state pivot(const am_motion *e, const am_quantity *violated)
{
    int slide = e->mark[violated->contact].slide;
    switch (violated->kind) {
    case AM_QUANTITY_GAP:
        return slide > 0 ? AM_FORWARD : slide < 0 ? AM_BACKWARD : AM_STICK;
    case AM_QUANTITY_NORMAL:
        return AM_OPEN;
    case AM_QUANTITY_UPPER:
        return AM_BACKWARD;
    case AM_QUANTITY_LOWER:
        return AM_FORWARD;
    case AM_QUANTITY_SLIDE:
        break;
    }
    return AM_STICK;
}

static am_status search(am_motion *e, double combinations, am_error *err)
{
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    compose(e);
    for (size_t step = 0; step < 200 + 20 * e->plan.m; step++) {
        am_flow *flow;
        am_status status = am_flow_get(e->cache, e->trial, &flow, err);
        if (status)
            return status;
        if (!flow->possible)
            break;
        size_t violated = first_violation(e, flow, e->order_work);
        if (violated == AM_NEVER) {
            e->statistics.unchecked++;
            return accept(e, e->trial, err);
        }
        const am_quantity *quantity = &flow->quantity[violated];
        am_contact_state wanted = pivot(e, quantity);
        if (!allowed(e, quantity->contact, wanted))
            break;
        e->trial[quantity->contact] = wanted;
    }
    return fail_none(e, combinations, err);
}

am_status am_engine_decide(am_motion *e, am_error *err)
{
    double combinations = list_options(e);
    return combinations <= (double)most_combinations ? enumerate(e, combinations, err) : search(e, combinations, err);
}
