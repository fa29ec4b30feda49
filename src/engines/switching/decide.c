/* Which state of contact follows an event? Every combination the kinematics allow is tried: it is consistent when, in
 * its own flow, the first derivative that does not vanish of every quantity is positive. That is the acceleration-level
 * complementarity problem and, where it is degenerate, the problems of all higher derivatives at once. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "engines/switching/decide.h"
#include "laws/law.h"
#include "system/capability.h"

/* More combinations than this are not enumerated: one solution is searched by pivoting. Where only held contacts have a
 * choice far fewer are enough: with Coulomb's law the accelerations minimise a strictly convex function and are unique
 * anyway. Of a structure with more than so many coordinates fewer are tried, as each costs the cube of their number:
 * never more than some hundredths of a second for one decision. */
static const double most_combinations = 4096.0, most_held_combinations = 81.0, few_coordinates = 16.0;

static double most_of(double n) {
    double more = fmax(1.0, n / few_coordinates);
    return fmax(most_held_combinations, most_combinations / (more * more * more));
}

/* ---- messages ---- */

void am_engine_describe(const am_motion *e, const am_contact_state *state, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < e->plan.m && used + 1 < size; c++) {
        int wrote = snprintf(text + used, size - used, "%s%s", c > 0 ? "," : "",
                             am_contact_state_name(am_state_shown(state[c])));
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

/* The combinations that were tried, as many as fit: those whose forces have values, or the others. */
static void describe_options(am_motion *e, bool valued, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    memset(e->digit, 0, e->plan.m * sizeof *e->digit);
    do {
        char name[256];
        am_engine_compose(e);
        if (am_decide_has_values(e, e->trial) != valued)
            continue;
        am_engine_describe(e, e->trial, name, sizeof name);
        if (used + strlen(name) + 8 > size) {
            snprintf(text + used, size - used, "; ...");
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", name);
    } while (am_engine_next_combination(e));
}

/* A contact at rest whose law is for sliding alone: m, there is none. */
static size_t find_restless(const am_motion *e) {
    size_t c = 0;
    while (c < e->plan.m) {
        const am_speed_friction *use = &e->plan.system->contact[c].speed_friction;
        if (!am_law_sticks(use) && e->mark[c].slide == 0 && !am_law_holds_at_rest(use))
            break;
        c++;
    }
    return c;
}

/* From the start on: the study says so. Later: the motion came to it. */
static am_status fail_restless(const am_motion *e, size_t c, am_error *err) {
    const am_contact_def *contact = &e->plan.system->contact[c];
    const char *instead = am_law_named(contact->speed_friction.law)->not_at_rest;
    if (e->now.t == e->begun)
        return am_fail_contact(err, e->plan.system, c, "friction",
                               "contact '%s' does not slide at the start, and its friction (law %s) has no value at "
                               "rest: %s",
                               contact->name, contact->speed_friction.law, instead);
    return am_fail(err, AM_ERR_NO_STATE,
                   "at t = %.15g contact '%s' does not slide, and its friction (law %s) has no value at rest: %s",
                   e->now.t, contact->name, contact->speed_friction.law, instead);
}

static am_status fail_none(am_motion *e, am_error *err) {
    char contacts[160], before[160], tried[400], jumping[400];
    size_t restless = find_restless(e);
    describe_options(e, true, tried, sizeof tried);
    jumping[0] = '\0';
    if (e->plan.followers > 0)
        describe_options(e, false, jumping, sizeof jumping);
    if (tried[0] == '\0')
        return am_engine_fail_jump(e, err);
    if (restless < e->plan.m)
        return fail_restless(e, restless, err);
    describe_contacts(e, contacts, sizeof contacts);
    am_engine_describe(e, e->state, before, sizeof before);
    if (jumping[0] != '\0')
        return am_fail(
            err, AM_ERR_LIMIT,
            "no state of contact is consistent at t = %.15g (contact %s, before: %s): %s violates an "
            "inequality, and in %s the velocity of a coordinate without mass would have to jump, for friction "
            "falls as fast with it as damping rises, or faster; give the coordinate a mass, or more damping",
            e->now.t, contacts, before, tried, jumping);
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
    am_decide_first_violation(e, e->flow, e->order);
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
        AM_TRY(am_decide_breaks_static_law(e, found[i], &breaks, err));
        if (!breaks)
            lawful[kept++] = found[i];
    }
    if (kept > 0) {
        memcpy(found, lawful, kept * sizeof *found);
        *count = kept;
    }
    return AM_OK;
}

/* Does a contact that is closed open in this flow, and forget what its spring or its friction holds? */
static bool forgets(const am_motion *e, const am_flow *flow) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const double *held = e->x + 2 * e->plan.n;
        bool spring = e->plan.spring[c] != AM_NO_ROW && held[e->plan.spring[c]] != 0.0;
        bool inner =
            e->plan.memories[c] > 0 && am_force_inner_is_directed(&e->plan, c, 0) && held[e->plan.inner[c]] != 0.0;
        if ((spring || inner) && am_is_closed(e->mark[c].before) && !am_is_closed(flow->k.state[c]))
            return true;
    }
    return false;
}

/* A contact that is pressed does not open by itself, even if it could stay open once what pressed it was forgotten: such
 * candidates are dropped, unless that would leave none. */
static void remember(const am_motion *e, am_flow **found, size_t *count) {
    size_t kept = 0;
    am_flow *lasting[MOST_FOUND];
    for (size_t i = 0; i < *count; i++)
        if (!forgets(e, found[i]))
            lasting[kept++] = found[i];
    if (kept > 0) {
        memcpy(found, lasting, kept * sizeof *found);
        *count = kept;
    }
}

/* Candidates 0 and `other` differ: where the law of static friction left them both, the one that is reached by breaking
 * loose stands and becomes found[0]. */
static am_status settle(am_motion *e, am_flow **found, size_t count, size_t other, am_error *err) {
    for (int together = 1; together >= 0 && am_decide_has_static_friction(e); together--) {
        am_flow *reached = NULL;
        AM_TRY(am_decide_break_from_rest(e, together, &reached, err));
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
        if (!status && flow->possible && am_decide_first_violation(e, flow, e->order_work) == AM_NEVER &&
            count < MOST_FOUND) {
            found[count++] = last = flow;
            memcpy(e->order, e->order_work, flow->quantities * sizeof *e->order);
        }
    } while (!status && am_engine_next_combination(e));
    if (!status && count == 0)
        return fail_none(e, err);
    if (!status && count > 1)
        remember(e, found, &count);
    if (!status && count > 1)
        status = apply_static_law(e, found, &count, err);
    for (size_t i = 1; i < count && !status; i++) {
        if (am_decide_same_motion(e, found[0], found[i]))
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
    AM_TRY(am_decide_break_loose(e, &reached, err));
    if (reached) {
        e->statistics.unchecked += !choice_is_held(e, true);
        return accept(e, reached->k.state, err);
    }
    am_decide_compose_first(e);
    for (size_t step = 0; step < 200 + 20 * e->plan.m; step++) {
        am_flow *flow;
        AM_TRY(am_engine_flow(e, e->trial, &flow, err));
        if (!flow->possible)
            break;
        size_t violated = am_decide_first_violation(e, flow, e->order_work);
        if (violated == AM_NEVER) {
            e->statistics.unchecked += !choice_is_held(e, true);
            return accept(e, e->trial, err);
        }
        if (!am_decide_change(e, &flow->quantity[violated]))
            break;
    }
    *done = false;
    return AM_OK;
}

static am_status decide(am_motion *e, am_error *err) {
    e->forces.folded = false;
    double combinations = am_decide_list_options(e), most = most_of((double)e->plan.n);
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

/* Sliders that slipped until now, with static friction, on rigid contacts or on coordinates without mass, go on if they can.
 * If not, they may hold: their normal forces may have grown at once, or their velocities have jumped. True if there are
 * any. */
static bool stop_sliders(am_motion *e) {
    bool any = false;
    for (size_t c = 0; c < e->plan.m; c++)
        if ((is_rigid_slider(e, c) || am_plan_creeps(&e->plan, c)) && e->mark[c].slide != 0) {
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
        am_decide_list_violations(e, flow, e->order_work);
        for (size_t q = 0; q < flow->quantities; q++) {
            const am_quantity *quantity = &flow->quantity[q];
            bool slides = quantity->kind == AM_QUANTITY_SLIDE && is_rigid_slider(e, quantity->contact);
            others += e->order_work[q] == AM_VIOLATED && !slides;
            back += e->order_work[q] == AM_VIOLATED && slides;
        }
        if (others > 0 || back == 0)
            continue;
        for (size_t q = 0; q < flow->quantities; q++) {
            size_t c = flow->quantity[q].contact;
            if (e->order_work[q] != AM_VIOLATED || !am_slider_jump_rigid(e, flow, c))
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
    if (status == AM_ERR_NO_STATE && stop_sliders(e))
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
