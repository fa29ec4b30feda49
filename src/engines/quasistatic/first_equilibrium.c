/* Finite steps to an equilibrium: the first instant, and what follows a jump. Sticking contacts keep the place that the
 * reference displacements give them, slipping ones end at their limit having moved in their direction, open ones are
 * free. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/quasistatic/quasistatic.h"
#include "math/dense.h"

/* Two equilibria that differ by less than this are one. */
static const double same_equilibrium = 1e-9;

static bool is_shared(const am_path_engine *e, size_t c, am_limit_kind kind) {
    return am_split_shares(e->tried->split, &e->tried->k, c, kind);
}

/* What the limits that contact c shares with others ask it for. */
static am_contact_state shared_state(const am_path_engine *e, size_t c) {
    const am_split *split = e->tried->split;
    const am_path_point *p = &e->candidate[0];
    for (size_t f = 0; split && f < split->facets; f++) {
        const am_facet *facet = &split->facet[f];
        double size = 0.0;
        for (size_t i = 0; i < facet->members; i++) {
            size_t b = facet->member[i].contact;
            size = fmax(size, fmax(fabs(p->normal[b]), fabs(p->tangential[b])));
        }
        size = AM_PATH_SAME_RATE * am_path_facet_size(split, facet) * fmax(e->force_scale, size);
        am_contact_state after = am_path_state_after(facet, c);
        if (after != AM_STICK && !(am_path_facet(split, facet, p) >= -size))
            return after;
    }
    return e->tried->k.state[c];
}

/* What contact c should do instead in the equilibrium e->candidate[0] of combination e->tried; its own state if it
 * keeps all its inequalities. */
static am_contact_state better_state(am_path_engine *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    const am_path_point *p = &e->candidate[0];
    am_contact_state state = e->tried->k.state[c];
    double force = -AM_PATH_SAME_RATE * fmax(e->force_scale, fmax(fabs(p->normal[c]), fabs(p->tangential[c])));
    if (state == AM_OPEN) {
        double size = am_path_gap_size(e, c, 0) + am_path_size(contact->normal, p->q, e->n);
        double gap = am_path_engine_gap(e, c, p->q);
        bool idle = e->tried->idle && e->tried->idle[c] && gap <= AM_PATH_SAME_RATE * size; /* others hold it */
        return gap >= -AM_PATH_SAME_RATE * size && !idle ? AM_OPEN : AM_STICK;
    }
    if (!am_path_held(e, c) && !is_shared(e, c, AM_LIMIT_NORMAL) && !(p->normal[c] >= force))
        return AM_OPEN;
    am_contact_state asked = shared_state(e, c);
    if (asked != state)
        return asked;
    if (state == AM_STICK) {
        bool forward = is_shared(e, c, AM_LIMIT_LOWER) || am_path_reserve(e, p, c, 1.0) >= force;
        bool backward = is_shared(e, c, AM_LIMIT_UPPER) || am_path_reserve(e, p, c, -1.0) >= force;
        return !forward ? AM_FORWARD : !backward ? AM_BACKWARD : AM_STICK;
    }
    double slip = am_dense_dot(contact->tangent, p->q, e->n) - am_dense_dot(contact->tangent, e->reference, e->n);
    double size = am_path_size(contact->tangent, p->q, e->n) + am_path_size(contact->tangent, e->reference, e->n);
    if (e->tried->idle && e->tried->idle[c] && fabs(slip) <= AM_PATH_SAME_RATE * size)
        return AM_STICK; /* others hold it */
    return -am_slip_sign(state) * slip >= -AM_PATH_SAME_RATE * size ? state : AM_STICK;
}

static void solve_step(am_path_engine *e) {
    am_path_solve_total(e, &e->tried->k, e->reference, &e->candidate[0]);
}

/* Put the structure into combination e->trial with the equilibrium e->chosen[0]. */
static void settle(am_path_engine *e) {
    am_path_copy(e, &e->series[0], &e->chosen[0]);
    for (size_t c = 0; c < e->m; c++) {
        e->state[c] = e->trial[c];
        e->stuck[c] = am_dense_dot(e->system->contact[c].tangent, e->series[0].q, e->n);
        e->since[c] = e->t;
        e->hit[c] = 0;
    }
    am_path_note_scales(e, &e->series[0]);
}

static bool same_as_chosen(am_path_engine *e) {
    bool forces = !e->tried->split && !e->chosen_shares; /* they may differ where the equilibrium does not */
    return am_path_same_point(e, &e->candidate[0], &e->chosen[0], forces, same_equilibrium,
                              am_path_largest(e->reference, e->n), e->force_scale);
}

static bool stays_put(const am_path_engine *e) {
    double scale;
    return am_path_distance(e->candidate[0].q, e->reference, e->n, &scale) <= AM_PATH_SAME_RATE * scale;
}

static void choose(am_path_engine *e) {
    am_path_copy(e, &e->chosen[0], &e->candidate[0]);
}

/* An equilibrium, one step from the reference. */
static const am_path_test equilibrium = {solve_step, better_state, stays_put, same_as_chosen, choose};

/* All combinations of e->choices. `wanted` (m) is taken first if it is admissible; else, when `stay`, one that does not
 * move. */
static am_status enumerate(am_path_engine *e, size_t total, const am_contact_state *wanted, bool stay, bool *found,
                           am_error *err) {
    am_path_rank rank;
    bool differ;
    AM_TRY(am_path_enumerate(e, &equilibrium, total, wanted, stay, &rank, &differ, err));
    *found = rank != AM_PATH_NONE;
    if (!*found)
        return AM_OK;
    if (differ && rank == AM_PATH_FIRST)
        return am_path_fail_with_names(e, &equilibrium, total, AM_ERR_SEVERAL_STATES, "several equilibria are possible",
                                       err);
    settle(e);
    return AM_OK;
}

/* The contacts as they stand: closed ones stuck. */
static void as_they_stand(am_path_engine *e) {
    for (size_t c = 0; c < e->m; c++) {
        bool open = !am_path_held(e, c) && am_path_engine_gap(e, c, e->reference) > am_path_gap_tolerance(e, c);
        e->trial[c] = open ? AM_OPEN : AM_STICK;
    }
}

static void take_candidate(am_path_engine *e) {
    choose(e);
    settle(e);
}

static am_status step(am_path_engine *e, const am_contact_state *wanted, bool stay, bool *found, am_error *err) {
    bool passes, satisfied;
    *found = false;
    if (stay && !wanted) { /* most often the first guess is right */
        as_they_stand(e);
        AM_TRY(am_path_try(e, &equilibrium, &passes, err));
        if (passes && stays_put(e)) {
            take_candidate(e);
            *found = true;
            return AM_OK;
        }
    }
    size_t total = am_candidates_count(e->choices, e->m);
    if (total > 0)
        return enumerate(e, total, wanted, stay, found, err);
    as_they_stand(e);
    AM_TRY(am_path_pivot(e, &equilibrium, NULL, found, &satisfied, err));
    if (*found) {
        take_candidate(e);
        e->unchecked++;
    }
    return AM_OK;
}

am_status am_path_step(am_path_engine *engine, const am_contact_state *wanted, bool stay, bool *found, am_error *err) {
    am_status status = step(engine, wanted, stay, found, err);
    return status || !*found ? status : am_path_combination(engine, engine->state, &engine->present, err);
}

void am_path_allow_all(const am_path_engine *e, size_t c) {
    am_choice *choice = &e->choices[c];
    *choice = (am_choice){0};
    am_choice_add(choice, AM_STICK);
    am_choice_add(choice, AM_FORWARD);
    am_choice_add(choice, AM_BACKWARD);
    if (!am_path_held(e, c))
        am_choice_add(choice, AM_OPEN);
}

/* A new path: nothing that was met on another one may decide what is rounding here. */
static void begin(am_path_engine *e, double t) {
    memset(e->q_scale, 0, e->n * sizeof *e->q_scale);
    e->force_scale = e->continuity = 0.0;
    am_path_load(e, t);
}

static am_status check_pressed(const am_path_engine *e, am_error *err) {
    for (size_t c = 0; c < e->m; c++)
        if (am_path_held(e, c) && e->held[0][c] < 0.0)
            return am_fail(err, AM_ERR_INPUT, "the held normal force of %s is negative at the start",
                           e->system->contact[c].name);
    return AM_OK;
}

/* Where loads and contact forces cancel, displacements are rounding: what rounding it is, the terms tell that they were
 * added up from. */
static am_status note_terms(am_path_engine *e, am_error *err) {
    am_path_plan *plan;
    AM_TRY(am_path_combination(e, e->state, &plan, err));
    am_path_solve_total(e, &plan->k, NULL, &e->candidate[0]);
    am_path_note_terms(e, &plan->k);
    return AM_OK;
}

am_status am_path_engine_place(am_path_engine *engine, double t, const double *q, const am_contact_state *start,
                               am_error *err) {
    am_path_engine *e = engine;
    bool found;
    begin(e, t);
    for (size_t i = 0; i < e->n; i++) {
        e->reference[i] = q ? q[i] : 0.0;
        e->q_scale[i] = fmax(e->q_scale[i], fabs(e->reference[i]));
    }
    for (size_t c = 0; c < e->m; c++)
        am_path_allow_all(e, c);
    AM_TRY(check_pressed(e, err));
    AM_TRY(am_path_step(e, start, true, &found, err));
    if (found)
        return note_terms(e, err);
    return am_fail(err, AM_ERR_NO_STATE, "at t = %.10g no equilibrium exists from the displacements given as start", t);
}

/* The contact laws at a start that was given as positions of stuck contacts. */
static am_status check_start(const am_path_engine *e, am_error *err) {
    const am_path_point *p = &e->chosen[0];
    double zero = AM_PATH_SAME_RATE * e->force_scale;
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        double N = p->normal[c], T = p->tangential[c];
        if (N < -zero)
            return am_fail_field(err, AM_ERR_INPUT, "start",
                                 "the start presses %s with %.6g: it would have to be pulled to stay closed; give a "
                                 "start at which every contact is pressed",
                                 contact->name, N);
        if (fabs(T) > contact->friction * N + zero)
            return am_fail_field(err, AM_ERR_INPUT, "start",
                                 "the start violates friction at %s: the tangential force would be %.6g, friction "
                                 "allows %.6g",
                                 contact->name, T, contact->friction * N);
    }
    return AM_OK;
}

am_status am_path_engine_place_at(am_path_engine *engine, double t, const double *v, am_error *err) {
    am_path_engine *e = engine;
    begin(e, t);
    AM_TRY(check_pressed(e, err));
    for (size_t c = 0; c < e->m; c++) {
        e->trial[c] = AM_STICK;
        e->stuck[c] = v[c];
        e->since[c] = t;
    }
    AM_TRY(am_path_combination(e, e->trial, &e->tried, err));
    if (e->tried->k.condition <= 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "start",
                             "the tangential positions of the contacts do not fix the structure: give the start as "
                             "displacements (initial)");
    am_path_solve_total(e, &e->tried->k, NULL, &e->chosen[0]);
    am_path_note_scales(e, &e->chosen[0]);
    am_path_note_terms(e, &e->tried->k);
    if (e->tried->split)
        am_split_choose(e->tried->split, &e->tried->k, e->system, e->chosen[0].normal, e->chosen[0].tangential);
    AM_TRY(check_start(e, err));
    settle(e);
    e->present = e->tried;
    return AM_OK;
}
