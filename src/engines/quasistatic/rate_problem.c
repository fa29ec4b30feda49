/* The rate problem: which combination of contact states goes on from here? Each contact stands at zero, one or both of
 * its limits; what it may do next are its choices, and each combination of choices is put to the test. Inequalities
 * that hold as equalities now must not be broken just after: the first coefficient of their series that is not rounding
 * decides (with linear loads that is the rate). */
#include <math.h>
#include <string.h>

#include "amontons/states.h"
#include "base/try.h"
#include "engines/quasistatic/quasistatic.h"
#include "math/dense.h"

/* Two candidates whose rates differ by less than this go on in the same way. */
static const double same_motion = 1e-9;

/* The square of this: so many combinations of states of contacts at their origins are looked at one by one. */
static const size_t few_candidates = 16;

/* ---- what each contact may do ---- */

/* Is a limit of contact c spent? Of those that it shares with others, is one of the facets? */
static bool is_spent(const am_path_engine *e, size_t c, am_limit_kind kind, double value) {
    const am_split *split = e->present->split;
    double zero = AM_PATH_SAME_VALUE * e->force_scale;
    if (!am_split_shares(split, &e->present->k, c, kind))
        return value <= zero;
    for (size_t f = 0; f < split->facets; f++) {
        const am_facet *facet = &split->facet[f];
        for (size_t i = 0; i < facet->members; i++)
            if (facet->member[i].contact == c && facet->member[i].kind == kind &&
                am_path_facet(split, facet, &e->series[0]) <= zero * am_path_facet_size(split, facet))
                return true;
    }
    return false;
}

static am_status classify(am_path_engine *e, am_error *err) {
    const am_path_point *now = &e->series[0];
    AM_TRY(am_path_combination(e, e->state, &e->present, err));
    am_path_share_point(e, &e->series[0]); /* those that part now do so with the forces they have at their limits */
    for (size_t c = 0; c < e->m; c++) {
        am_path_standing *s = &e->standing[c];
        am_choice *choice = &e->choices[c];
        bool open = !am_path_held(e, c) && e->state[c] == AM_OPEN;
        bool closing =
            open && ((e->hit[c] & AM_HIT_GAP) || am_path_engine_gap(e, c, now->q) <= am_path_gap_tolerance(e, c));
        *s = (am_path_standing){0};
        *choice = (am_choice){0};
        if (open && !closing) {
            am_choice_add(choice, AM_OPEN);
            continue;
        }
        s->origin = closing || (e->hit[c] & AM_HIT_NORMAL) || is_spent(e, c, AM_LIMIT_NORMAL, now->normal[c]);
        s->forward = s->origin || (e->hit[c] & AM_HIT_FORWARD) ||
                     is_spent(e, c, AM_LIMIT_LOWER, am_path_reserve(e, now, c, 1.0));
        s->backward = s->origin || (e->hit[c] & AM_HIT_BACKWARD) ||
                      is_spent(e, c, AM_LIMIT_UPPER, am_path_reserve(e, now, c, -1.0));
        am_choice_add(choice, AM_STICK);
        if (s->forward)
            am_choice_add(choice, AM_FORWARD);
        if (s->backward)
            am_choice_add(choice, AM_BACKWARD);
        if (s->origin && !am_path_held(e, c))
            am_choice_add(choice, AM_OPEN);
    }
    return AM_OK;
}

/* ---- one candidate ---- */

/* Coefficient `order` of a quantity (AM_HIT_) of contact c in the candidate. */
static double coefficient(const am_path_engine *e, size_t c, unsigned char what, size_t order) {
    return am_path_quantity(e, &e->candidate[order], c, what, order, -am_slip_sign(e->tried->k.state[c]));
}

/* Is a coefficient zero but for rounding? The sizes that tell are computed only where a cheap bound of them does not.
 */
static bool is_rounding(am_path_engine *e, size_t c, unsigned char what, size_t order, double value) {
    const am_contact_def *contact = &e->system->contact[c];
    bool force = what & (AM_HIT_NORMAL | AM_HIT_FORWARD | AM_HIT_BACKWARD), gap = what == AM_HIT_GAP;
    double surface = what == AM_HIT_STOP ? am_path_surface_size(e, c, order)
                     : gap               ? am_path_gap_size(e, c, order)
                                         : 0.0;
    double bound = force ? am_path_force_bound(e, order)
                         : am_path_row_bound(e, order, gap ? e->normal_sum[c] : e->tangent_sum[c]) + surface;
    if (fabs(value) > AM_PATH_SAME_RATE * bound)
        return false;
    am_path_measure_orders(e, order);
    double size = force ? e->force_size[order]
                        : am_path_size(gap ? contact->normal : contact->tangent, e->q_size[order], e->n) + surface;
    return fabs(value) <= AM_PATH_SAME_RATE * size;
}

/* Is a quantity that is zero now negative just after? */
static bool turns_negative(am_path_engine *e, size_t c, unsigned char what) {
    for (size_t order = 1; order < e->orders; order++) {
        am_path_solve_orders(e, order);
        double value = coefficient(e, c, what, order);
        if (!is_rounding(e, c, what, order, value))
            return !(value > 0.0);
    }
    return false;
}

/* The same of a sum of limits that contacts share. */
static bool facet_turns_negative(am_path_engine *e, const am_split *split, const am_facet *facet) {
    double size = AM_PATH_SAME_RATE * am_path_facet_size(split, facet);
    for (size_t order = 1; order < e->orders; order++) {
        am_path_solve_orders(e, order);
        am_path_measure_orders(e, order);
        double value = am_path_facet(split, facet, &e->candidate[order]);
        if (fabs(value) > size * e->force_size[order])
            return value < 0.0;
    }
    return false;
}

/* What the limits that contact c shares with others ask it for. */
static am_contact_state shared_state(am_path_engine *e, size_t c) {
    const am_split *split = e->tried->rates;
    for (size_t f = 0; split && f < split->facets; f++) {
        am_contact_state after = am_path_state_after(&split->facet[f], c);
        if (after != AM_STICK && facet_turns_negative(e, split, &split->facet[f]))
            return after;
    }
    return e->tried->k.state[c];
}

/* Does a motion never begin? Where others hold the contact it is another name for stick. */
static bool is_idle(am_path_engine *e, size_t c, unsigned char what) {
    if (!e->tried->idle || !e->tried->idle[c])
        return false;
    for (size_t order = 1; order < e->orders; order++) {
        am_path_solve_orders(e, order);
        if (!is_rounding(e, c, what, order, coefficient(e, c, what, order)))
            return false;
    }
    return true;
}

static bool is_shared(const am_path_engine *e, size_t c, am_limit_kind kind) {
    return am_split_shares(e->tried->rates, &e->tried->k, c, kind);
}

/* What contact c should do instead of what candidate `tried` says; its own state if it keeps all its inequalities. */
static am_contact_state better_state(am_path_engine *e, size_t c) {
    const am_path_standing *s = &e->standing[c];
    am_contact_state state = e->tried->k.state[c];
    if (state == AM_OPEN)
        return s->origin && (turns_negative(e, c, AM_HIT_GAP) || is_idle(e, c, AM_HIT_GAP)) ? AM_STICK : AM_OPEN;
    if (s->origin && !is_shared(e, c, AM_LIMIT_NORMAL) && turns_negative(e, c, AM_HIT_NORMAL))
        return AM_OPEN;
    if (state != AM_STICK && (turns_negative(e, c, AM_HIT_STOP) || is_idle(e, c, AM_HIT_STOP)))
        return AM_STICK;
    if (state == AM_STICK && s->forward && !is_shared(e, c, AM_LIMIT_LOWER) && turns_negative(e, c, AM_HIT_FORWARD))
        return AM_FORWARD;
    if (state == AM_STICK && s->backward && !is_shared(e, c, AM_LIMIT_UPPER) && turns_negative(e, c, AM_HIT_BACKWARD))
        return AM_BACKWARD;
    return shared_state(e, c);
}

static void solve_rates(am_path_engine *e) {
    e->solved = e->measured = 1;
    am_path_solve_orders(e, 1);
}

/* ---- several candidates ---- */

/* Do the coefficients of the candidate and of the chosen one agree, but for rounding? */
static bool same_coefficient(const am_path_engine *e, size_t order) {
    bool forces = !e->tried->split && !e->chosen_shares; /* shared forces may differ where the motion does not */
    return am_path_same_point(e, &e->candidate[order], &e->chosen[order], forces, same_motion,
                              am_path_largest(e->q_size[order], e->n), e->force_size[order]);
}

static bool same_motion_as_chosen(am_path_engine *e) {
    am_path_solve_orders(e, e->orders - 1);
    am_path_measure_orders(e, e->orders - 1);
    for (size_t order = 1; order < e->orders; order++)
        if (!same_coefficient(e, order))
            return false;
    return true;
}

static void choose(am_path_engine *e) {
    am_path_solve_orders(e, e->orders - 1);
    for (size_t order = 1; order < e->orders; order++)
        am_path_copy(e, &e->chosen[order], &e->candidate[order]);
}

static bool is_unchanged(const am_path_engine *e) {
    return memcmp(e->trial, e->state, e->m * sizeof *e->trial) == 0;
}

static const am_path_test rate_problem = {solve_rates, better_state, is_unchanged, same_motion_as_chosen, choose};

/* In exact arithmetic the new combination agrees with the old one here. The point stays the old one's: where a contact
 * has stuck is known better than where a near-singular slip begins. */
static void check_continuity(am_path_engine *e) {
    double scale;
    am_path_solve_total(e, &e->tried->k, NULL, &e->candidate[0]);
    e->continuity = fmax(e->continuity, am_path_distance(e->candidate[0].q, e->series[0].q, e->n, &scale));
}

/* Take the combination in e->trial, whose series (all orders) is given. */
static am_status take(am_path_engine *e, const am_path_point *series, am_error *err) {
    for (size_t c = 0; c < e->m; c++) {
        if (e->trial[c] == AM_STICK && e->state[c] != AM_STICK) {
            e->stuck[c] = am_dense_dot(e->system->contact[c].tangent, e->series[0].q, e->n);
            e->since[c] = e->t;
        }
        e->state[c] = e->trial[c];
        e->hit[c] = 0;
    }
    for (size_t order = 1; order < e->orders; order++)
        am_path_copy(e, &e->series[order], &series[order]);
    if (memcmp(e->tried->k.state, e->state, e->m * sizeof *e->state) != 0) {
        AM_TRY(am_path_combination(e, e->state, &e->tried, err));
        e->measured = 1;
    }
    e->present = e->tried;
    e->indeterminate |= e->present->split != NULL;
    if (e->evidence)
        check_continuity(e);
    return AM_OK;
}

static am_status take_candidate(am_path_engine *e, am_error *err) {
    am_path_solve_orders(e, e->orders - 1);
    return take(e, e->candidate, err);
}

/* All combinations: the named start wins, then the unchanged state, then the first in order of preference. */
static am_status enumerate(am_path_engine *e, size_t total, const am_contact_state *start, bool *found, am_error *err) {
    am_path_rank rank;
    bool differ;
    AM_TRY(am_path_enumerate(e, &rate_problem, total, start, true, &rank, &differ, err));
    *found = rank != AM_PATH_NONE;
    if (!*found)
        return AM_OK;
    if (start && rank != AM_PATH_WANTED)
        return am_path_fail_with_names(
            e, &rate_problem, total, AM_ERR_INPUT,
            "the contact states named as start do not go on under these load rates; what does", err);
    if (differ && !start)
        return am_path_fail_with_names(e, &rate_problem, total, AM_ERR_SEVERAL_STATES,
                                       "several contact states go on under these load rates", err);
    return take(e, e->chosen, err);
}

/* ---- many candidates ---- */

static void begin_from_present(am_path_engine *e) {
    for (size_t c = 0; c < e->m; c++)
        e->trial[c] = am_choice_allows(&e->choices[c], e->state[c]) ? e->state[c] : e->choices[c].state[0];
}

/* Ask whether the rate problem of the closed contacts is unique (Condition 3.1) while those in e->apart are open. */
static am_status ask_uniqueness(am_path_engine *e, am_error *err) {
    am_uniqueness test = {0};
    am_error own = {0};
    am_status status = am_uniqueness_test_open(e->system, e->apart, 0, &test, &own);
    e->unique = !status && test.verdict == AM_UNIQUE ? AM_PATH_PROVEN : AM_PATH_NOT_PROVEN;
    am_uniqueness_clear(&test);
    if (!status || status == AM_ERR_UNSUPPORTED) /* that one says: cannot be reduced to its contacts */
        return AM_OK;
    if (err)
        *err = own;
    return status;
}

/* Is it, in combination e->tried? Each combination remembers the answer, and the engine that of the last set of open
 * contacts. */
static am_status is_unique(am_path_engine *e, bool *unique, am_error *err) {
    am_path_plan *plan = e->tried;
    bool same = e->unique != AM_PATH_NOT_ASKED;
    am_status status = AM_OK;
    if (plan->unique == AM_PATH_NOT_ASKED) {
        for (size_t c = 0; c < e->m; c++) {
            bool open = plan->k.state[c] == AM_OPEN;
            same = same && e->apart[c] == open;
            e->apart[c] = open;
        }
        status = same ? AM_OK : ask_uniqueness(e, err);
        plan->unique = e->unique;
    }
    *unique = !status && plan->unique == AM_PATH_PROVEN;
    return status;
}

/* With given normal forces the rates make a convex function least (the stiffness is symmetric, and friction does not
 * depend on the motion): there is one solution where that function is strictly convex even if all slip that may. */
static am_status held_are_unique(am_path_engine *e, bool *unique, am_error *err) {
    am_path_plan *plan;
    for (size_t c = 0; c < e->m; c++) {
        const am_choice *choice = &e->choices[c];
        if (choice->count > 1 && !am_path_held(e, c))
            return AM_OK;
        e->trial[c] = choice->state[choice->count - 1];
    }
    AM_TRY(am_path_combination(e, e->trial, &plan, err));
    *unique = plan->k.condition > 0.0;
    return AM_OK;
}

/* Contacts at their origin may do anything, and no condition says that there is one solution. With few of them, all
 * they may do is looked at; what the others do then follows by pivoting. */
static size_t list_origins(am_path_engine *e, size_t *combinations) {
    size_t count = 0;
    *combinations = 1;
    for (size_t c = 0; c < e->m; c++) {
        e->origin[c] = e->standing[c].origin;
        count += e->origin[c];
        if (e->origin[c] && *combinations <= AM_CANDIDATES_BUDGET)
            *combinations *= e->choices[c].count;
    }
    return count;
}

static void set_origins(am_path_engine *e, size_t index) {
    for (size_t c = 0; c < e->m; c++) {
        if (!e->origin[c])
            continue;
        e->trial[c] = e->choices[c].state[index % e->choices[c].count];
        index /= e->choices[c].count;
    }
}

static am_status too_many(const am_path_engine *e, am_error *err) {
    return am_fail(
        err, AM_ERR_UNSUPPORTED,
        "at t = %.10g the %zu contacts have more than %zu combinations of states to choose from, too many to look at "
        "each of them, and a search from the present ones finds none that goes on",
        e->t, e->m, AM_CANDIDATES_BUDGET);
}

/* For every state of the contacts at their origin the one solution of the others. *complete: none can have been missed.
 */
static am_status decide_by_pivoting(am_path_engine *e, size_t combinations, bool *found, bool *complete, bool *differ,
                                    am_error *err) {
    bool convex = false;
    *found = *differ = false;
    *complete = true;
    AM_TRY(held_are_unique(e, &convex, err));
    for (size_t i = 0; i < combinations; i++) {
        bool settled, satisfied, unique = convex;
        begin_from_present(e);
        set_origins(e, i);
        AM_TRY(am_path_pivot(e, &rate_problem, e->origin, &settled, &satisfied, err));
        AM_TRY(settled && !convex ? is_unique(e, &unique, err) : AM_OK);
        *complete = *complete && settled && unique;
        if (!settled || !satisfied)
            continue;
        if (*found) {
            *differ = *differ || !same_motion_as_chosen(e);
            continue;
        }
        *found = true;
        e->chosen_shares = e->tried->split != NULL;
        choose(e);
        memcpy(e->best, e->trial, e->m * sizeof *e->best);
    }
    return AM_OK;
}

/* Beyond all enumeration: a solution found by pivoting from the present states is taken, and that is noted. */
static am_status decide_unchecked(am_path_engine *e, bool *found, am_error *err) {
    bool settled, satisfied;
    begin_from_present(e);
    AM_TRY(am_path_pivot(e, &rate_problem, NULL, &settled, &satisfied, err));
    if (!settled)
        return too_many(e, err);
    e->unchecked++;
    *found = true;
    return take_candidate(e, err);
}

static am_status decide_freely(am_path_engine *e, size_t total, bool *found, am_error *err) {
    bool complete = false, differ = false;
    size_t combinations, origins = list_origins(e, &combinations);
    if (origins == 0 || combinations <= few_candidates * few_candidates) {
        AM_TRY(decide_by_pivoting(e, combinations, found, &complete, &differ, err));
    }
    if (!complete || differ) { /* names are wanted, or certainty */
        *found = false;
        return total > 0 ? enumerate(e, total, NULL, found, err) : decide_unchecked(e, found, err);
    }
    if (!*found)
        return AM_OK;
    memcpy(e->trial, e->best, e->m * sizeof *e->trial);
    return take(e, e->chosen, err);
}

/* A held contact must be pressed. */
static am_status check_held(am_path_engine *e, am_error *err) {
    for (size_t c = 0; c < e->m; c++) {
        if (!am_path_held(e, c) || e->held[0][c] > AM_PATH_SAME_VALUE * e->force_scale)
            continue;
        double first = 0.0;
        for (size_t k = 1; k < e->orders && first == 0.0; k++)
            first = e->held[k][c];
        if (first < 0.0)
            return am_fail(err, AM_ERR_INPUT,
                           "the held normal force of %s becomes negative after t = %.10g; a held contact must be "
                           "pressed at all times",
                           e->system->contact[c].name, e->t);
    }
    return AM_OK;
}

am_status am_path_engine_decide(am_path_engine *engine, const am_contact_state *start, bool *found, am_error *err) {
    am_path_engine *e = engine;
    *found = false;
    AM_TRY(check_held(e, err));
    AM_TRY(classify(e, err));
    size_t total = am_candidates_count(e->choices, e->m);
    if (!start && total != 1)
        return decide_freely(e, total, found, err);
    return total == 0 ? too_many(e, err) : enumerate(e, total, start, found, err);
}

am_status am_path_engine_decide_like(am_path_engine *engine, const double *rates, bool *found, am_error *err) {
    am_path_engine *e = engine;
    AM_TRY(classify(e, err));
    size_t total = am_candidates_count(e->choices, e->m), best = 0;
    double least = INFINITY;
    *found = false;
    for (size_t i = 0; i < total; i++) {
        bool admissible;
        double scale;
        AM_TRY(am_path_try_index(e, &rate_problem, i, &admissible, err));
        if (!admissible)
            continue;
        double off = am_path_distance(e->candidate[1].q, rates, e->n, &scale);
        if (off <= 0.01 * scale && off < least) {
            least = off;
            best = i;
            *found = true;
        }
    }
    if (!*found)
        return AM_OK;
    bool admissible;
    AM_TRY(am_path_try_index(e, &rate_problem, best, &admissible, err));
    return take_candidate(e, err);
}
