/* Where no continuous way on exists: stop with the candidates, let the contact at its limit go, or let the structure
 * move until it rests. */
#include <math.h>
#include <string.h>

#include "amontons/motion.h"
#include "base/local.h"
#include "engines/quasistatic/quasistatic.h"
#include "math/dense.h"

am_status am_path_engine_no_state(const am_path_engine *engine, am_error *err) {
    const am_path_engine *e = engine;
    am_text tried = {0}, contacts = {0};
    size_t total = am_candidates_count(e->choices, e->m);
    for (size_t i = 0; i < total && i < 16; i++) {
        am_candidates_get(e->choices, e->m, i, e->trial);
        am_text_add(&tried, i > 0 ? ", " : "");
        am_candidates_name(&tried, e->trial, e->m);
    }
    if (total > 16)
        am_text_printf(&tried, " and %zu more", total - 16);
    for (size_t c = 0; c < e->m; c++)
        if (e->choices[c].count > 1)
            am_text_printf(&contacts, "%s%s", contacts.length > 0 ? ", " : "", e->system->contact[c].name);
    am_status status = am_text_status(&tried, err);
    if (!status)
        status = am_text_status(&contacts, err);
    if (!status)
        status = am_fail(err, AM_ERR_NO_STATE,
                         "at t = %.10g no contact state goes on continuously from the limit reached at %s; tried: %s",
                         e->t, contacts.length > 0 ? am_text_view(&contacts) : "no contact", am_text_view(&tried));
    am_text_free(&tried);
    am_text_free(&contacts);
    return status;
}

/* ---- letting go ---- */

am_status am_path_engine_release(am_path_engine *engine, am_error *err) {
    am_path_engine *e = engine;
    bool hit = false, any = false, found;
    for (size_t c = 0; c < e->m; c++)
        hit = hit || (e->hit[c] & (AM_HIT_FORWARD | AM_HIT_BACKWARD));
    /* The contact that came to its limit lets go; where a load has turned instead, those that stand at theirs do. */
    for (size_t c = 0; c < e->m; c++) {
        bool limit = !e->standing[c].origin && (e->standing[c].forward || e->standing[c].backward);
        bool lets_go = !am_path_held(e, c) && (hit ? (e->hit[c] & (AM_HIT_FORWARD | AM_HIT_BACKWARD)) != 0 : limit);
        e->trial[c] = lets_go ? AM_OPEN : e->state[c];
        any = any || lets_go;
        e->choices[c] = (am_choice){0};
        am_choice_add(&e->choices[c], e->trial[c]);
    }
    if (!any)
        return am_path_engine_no_state(e, err);
    memcpy(e->reference, e->series[0].q, e->n * sizeof *e->reference);
    /* First with all others as they are, then with whatever they may do. */
    am_status status = am_path_step(e, NULL, false, &found, err);
    if (status || found)
        return status;
    for (size_t c = 0; c < e->m; c++)
        if (e->choices[c].state[0] != AM_OPEN || e->state[c] == AM_OPEN)
            am_path_allow_all(e, c);
    status = am_path_step(e, NULL, false, &found, err);
    if (status || found)
        return status;
    return am_fail(err, AM_ERR_NO_STATE,
                   "at t = %.10g the contact at its limit lets go, but no equilibrium exists without it", e->t);
}

/* ---- letting it move ---- */

/* The loads go on by this fraction of the largest force: what tips the structure over its limit. */
static const double nudge = 1e-6;

/* Steps of the motion after which it is given up. */
static const size_t most_steps = 100000;

/* Steps before a motion that hardly moves counts as one at rest: it begins from rest. */
static const size_t least_steps = 200;

typedef struct frozen {
    am_arena memory;
    am_contact_def *contacts; /* m */
    am_load_def load;
    double *force;             /* n */
    am_matrix *mass, *damping; /* NULL: the system's own */
    am_system *system;
} frozen;

static void frozen_clear(frozen *f) {
    am_system_free(f->system);
    am_matrix_free(f->mass);
    am_matrix_free(f->damping);
    am_arena_clear(&f->memory);
}

static am_matrix *multiple_of_identity(size_t n, double value, am_error *err) {
    double *dense = am_memory_new(n * n, sizeof *dense, err);
    if (!dense)
        return NULL;
    for (size_t i = 0; i < n; i++)
        dense[i * n + i] = value;
    am_matrix *matrix = am_matrix_dense(n, n, dense, err);
    am_memory_free(dense);
    return matrix;
}

/* Without a mass and a damping of its own the structure moves in a medium: M = k I, C = 2 k I with k not below the
 * largest eigenvalue of K, so that every mode is overdamped. */
static am_status freeze_inertia(const am_path_engine *e, frozen *f, am_error *err) {
    double k = 0.0;
    if (am_matrix_largest(e->system->M) > 0.0 && am_matrix_largest(e->system->C) > 0.0)
        return AM_OK;
    for (size_t i = 0; i < e->n; i++) {
        double row = 0.0;
        for (size_t j = 0; j < e->n; j++)
            row += fabs(e->K[i * e->n + j]);
        k = fmax(k, row);
    }
    f->mass = multiple_of_identity(e->n, k, err);
    f->damping = f->mass ? multiple_of_identity(e->n, 2.0 * k, err) : NULL;
    return f->damping ? AM_OK : AM_ERR_MEMORY;
}

/* How much later the loads are a nudge further on. */
static am_status nudge_time(const am_path_engine *e, double *later, am_error *err) {
    double rate = fmax(am_path_largest(e->force[1], e->n), am_path_largest(e->held[1], e->m));
    for (size_t c = 0; c < e->m; c++) /* what a support that moves would do to the stiffest of springs */
        rate = fmax(rate, fabs(am_path_gap(e, c, 1)) * am_path_largest(e->K, e->n * e->n));
    if (!(rate > 0.0))
        return am_fail(err, AM_ERR_NO_STATE, "at t = %.10g the loads stand still: nothing tells which way to move",
                       e->t);
    *later = nudge * (e->force_scale > 0.0 ? e->force_scale / rate : 1.0);
    return AM_OK;
}

/* The same structure under the loads of this instant and a nudge more, for good. */
static am_status freeze(const am_path_engine *e, frozen *f, double *later, am_error *err) {
    AM_TRY(nudge_time(e, later, err));
    AM_TRY(freeze_inertia(e, f, err));
    f->contacts = am_arena_new(&f->memory, e->m, sizeof *f->contacts, err);
    f->force = am_arena_doubles(&f->memory, NULL, e->n, err);
    if (am_arena_status(&f->memory))
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < e->n; i++)
        f->force[i] = e->force[0][i] + *later * e->force[1][i];
    for (size_t c = 0; c < e->m; c++) {
        am_contact_def *contact = &f->contacts[c];
        *contact = am_system_contact_again(e->system, c);
        if (contact->surface_velocity != 0.0 || e->system->drawn[c])
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "at t = %.10g the structure would have to move to its next equilibrium, but the surface "
                           "at %s moves too: it has none; use `motion`",
                           e->t, contact->name);
        contact->gap = am_path_gap(e, c, 0) + *later * am_path_gap(e, c, 1);
        contact->gap_motion = am_function_constant(0.0);
        if (contact->normal_law != AM_HELD)
            continue;
        double N = e->held[0][c] + *later * e->held[1][c]; /* e->force contains it; here the contact brings it */
        contact->hold = am_function_constant(N);
        for (size_t i = 0; contact->normal && i < e->n; i++)
            f->force[i] -= N * contact->normal[i];
    }
    f->load = (am_load_def){f->force, am_function_constant(1.0)};
    am_system_def def = am_system_def_default();
    def.n = e->n;
    def.mass = f->mass ? f->mass : e->system->M;
    def.damping = f->damping ? f->damping : e->system->C;
    def.stiffness = e->system->K;
    def.contact_count = e->m;
    def.contacts = f->contacts;
    def.load_count = 1;
    def.loads = &f->load;
    f->system = am_system_create(&def, err);
    return f->system ? AM_OK : AM_ERR_MEMORY;
}

/* Is what is left of the motion nothing, on the scale of the displacements? The unit of time is that of the fastest
 * mode (overdamped), or the structure's own. */
static bool has_come_to_rest(const am_path_engine *e, const am_motion *motion) {
    const double *q = am_motion_displacement(motion), *v = am_motion_velocity(motion);
    return am_path_largest(v, e->n) <= 1e-13 * fmax(am_path_largest(q, e->n), am_path_largest(e->q_scale, e->n));
}

/* Follow the motion until its state of contact lasts for ever, or until it rests; its displacements become the
 * reference. */
static am_status move_to_rest(am_path_engine *e, const am_system *system, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    am_motion *motion = am_motion_create(system, false, err);
    if (!motion)
        return AM_ERR_MEMORY;
    memset(e->reference, 0, e->n * sizeof *e->reference);
    am_motion_seek_final(motion, true);
    am_status status = am_motion_start(motion, 0.0, e->series[0].q, e->reference, err);
    bool rests = false;
    for (size_t i = 0; !status && i < most_steps && kind != AM_STEP_FINAL && !rests; i++) {
        status = am_motion_step(motion, 1e9, &kind, err);
        rests = i >= least_steps && has_come_to_rest(e, motion);
    }
    if (!status && kind != AM_STEP_FINAL && !rests)
        status =
            am_fail(err, AM_ERR_LIMIT,
                    "at t = %.10g the structure jumps, and its motion does not come to rest under these loads", e->t);
    if (!status) {
        memcpy(e->reference, am_motion_displacement(motion), e->n * sizeof *e->reference);
        memcpy(e->trial, am_motion_states(motion), e->m * sizeof *e->trial);
    }
    am_motion_free(motion);
    return status;
}

/* Settle where the motion has ended. The nudge is taken back: in the states found, or, should one of them be a matter
 * of the nudge, in others. */
static am_status settle_at_rest(am_path_engine *e, am_error *err) {
    bool found = false;
    for (size_t c = 0; c < e->m; c++) {
        e->choices[c] = (am_choice){0};
        am_choice_add(&e->choices[c], e->trial[c]);
    }
    am_status status = am_path_step(e, NULL, false, &found, err);
    for (size_t c = 0; c < e->m && !found; c++)
        am_path_allow_all(e, c);
    if (!status && !found)
        status = am_path_step(e, NULL, true, &found, err);
    if (status || found)
        return status;
    return am_fail(err, AM_ERR_NO_STATE, "at t = %.10g the structure jumps, but no equilibrium exists where it rests",
                   e->t);
}

static am_status move(am_path_engine *e, double *later, am_error *err) {
    AM_LOCAL(frozen_clear) frozen f = {0};
    AM_TRY(freeze(e, &f, later, err));
    return move_to_rest(e, f.system, err);
}

am_status am_path_engine_move(am_path_engine *engine, am_error *err) {
    double later = 0.0;
    am_status status = move(engine, &later, err);
    return status ? status : settle_at_rest(engine, err);
}

am_status am_path_engine_choose(am_path_engine *engine, bool *jumped, am_error *err) {
    am_path_engine *e = engine;
    double later = 0.0;
    bool found = false;
    *jumped = false;
    AM_TRY(move(e, &later, err));
    for (size_t i = 0; i < e->n; i++) /* the rates it has moved with */
        e->reference[i] = (e->reference[i] - e->series[0].q[i]) / later;
    am_status status = am_path_engine_decide_like(e, e->reference, &found, err);
    if (status || found)
        return status;
    for (size_t i = 0; i < e->n; i++)
        e->reference[i] = e->series[0].q[i] + later * e->reference[i];
    *jumped = true;
    return settle_at_rest(e, err);
}
