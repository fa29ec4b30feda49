#include "engines/quasistatic/incremental.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/watch.h"
#include "base/worse.h"
#include "engines/quasistatic/check.h"
#include "engines/quasistatic/incremental_internal.h"
#include "math/dense.h"
#include "math/kernel.h"
#include "system/combination.h"
#include "system/system.h"

/* Forces are computed afresh after this many steps: what rounding adds up to in between stays far below the tolerance
 * of a step, and the product costs as much as a step. */
enum { AFRESH = 64 };

/* A contact this deep in its obstacle, relative to the size of the terms of its gap, touches it. */
static const double touching = 1e-12;

/* ---- creation ---- */

static am_status reserve(am_path_incremental *e, am_error *err) {
    size_t m = e->m;
    am_arena *memory = &e->memory;
    AM_ARENA_DOUBLES(memory, m, err, &e->position, &e->gap, &e->normal, &e->tangential, &e->slip, &e->loss, &e->held,
                     &e->reserve, &e->slid, &e->mu, &e->hold, &e->slope, &e->at, &e->old_mu, &e->old_slope, &e->growth);
    AM_ARENA_DOUBLES(memory, e->p, err, &e->elastic, &e->weld, &e->weld_before, &e->base, &e->force);
    e->x = am_arena_doubles(memory, NULL, 2 * m, err);
    e->motion = am_arena_doubles(memory, NULL, 3 * m, err);
    e->load = am_arena_doubles(memory, NULL, e->system->n, err);
    e->z = am_arena_doubles(memory, NULL, e->system->nz, err);
    e->work = am_arena_doubles(memory, NULL, am_reduced_work(&e->reduced), err);
    AM_ARENA_ARRAYS(memory, am_contact_state, m, err, &e->state, &e->trial);
    e->next = am_arena_new(memory, m, sizeof *e->next, err);
    e->item = am_arena_new(memory, 2 * m, sizeof *e->item, err);
    e->column = am_arena_new(memory, 3 * m, sizeof *e->column, err);
    AM_ARENA_ARRAYS(memory, size_t, m, err, &e->wrong, &e->part);
    e->in_part = am_arena_new(memory, m, sizeof *e->in_part, err);
    e->released = am_arena_new(memory, m, sizeof *e->released, err);
    return am_arena_status(memory);
}

/* Loads of many nodes are mostly zeros. */
static am_status compress_loads(am_path_incremental *e, am_error *err) {
    const am_system *s = e->system;
    size_t count = 0;
    for (size_t i = 0; i < s->n * s->nz; i++)
        count += s->input[i] != 0.0;
    e->load_start = am_arena_new(&e->memory, s->n + 1, sizeof *e->load_start, err);
    e->load_column = am_arena_new(&e->memory, count, sizeof *e->load_column, err);
    e->load_value = am_arena_new(&e->memory, count, sizeof *e->load_value, err);
    if (am_arena_status(&e->memory))
        return AM_ERR_MEMORY;
    count = 0;
    for (size_t i = 0; i < s->n; i++) {
        for (size_t j = 0; j < s->nz; j++)
            if (s->input[i * s->nz + j] != 0.0) {
                e->load_column[count] = j;
                e->load_value[count++] = s->input[i * s->nz + j];
            }
        e->load_start[i + 1] = count;
    }
    return AM_OK;
}

static void find_laws(am_path_incremental *e) {
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        bool weakens = am_friction_weakens(&contact->weakening);
        e->weakens = e->weakens || weakens;
        e->drops = e->drops || (!weakens && contact->static_friction > contact->friction);
        e->planes = e->planes || contact->second_tangent;
    }
}

static am_status init_curved(am_path_incremental *e, am_error *err) {
    find_laws(e);
    AM_TRY(reserve(e, err));
    return am_path_curved_init(e, err);
}

static am_status init_linear(am_path_incremental *e, am_error *err) {
    AM_TRY(am_reduced_init_steps(&e->reduced, e->system, err));
    find_laws(e);
    e->tangent = e->weakens;
    e->p = e->reduced.p;
    AM_TRY(reserve(e, err));
    AM_TRY(compress_loads(e, err));
    if (e->planes)
        AM_TRY(am_path_plane_init(e, err));
    e->pivoting = am_lcp_workspace_create(err);
    if (!e->pivoting)
        return AM_ERR_MEMORY;
    e->block_problem = am_path_moving_block(e);
    return AM_OK;
}

am_status am_path_incremental_init(am_path_incremental *path, const am_system *system, am_error *err) {
    am_path_incremental *e = path;
    *e = (am_path_incremental){.system = system, .m = system->m, .proportionate = 50.0};
    AM_TRY(am_path_check_steps(system, err));
    am_status status = am_path_is_curved(system) ? init_curved(e, err) : init_linear(e, err);
    if (status)
        am_path_incremental_clear(e);
    return status;
}

void am_path_incremental_clear(am_path_incremental *path) {
    am_reduced_clear(&path->reduced);
    am_lcp_block_clear(&path->block);
    am_lcp_workspace_free(path->pivoting);
    am_arena_clear(&path->memory);
    am_arena_clear(&path->part_memory);
    *path = (am_path_incremental){0};
}

/* ---- forces ---- */

/* Weld forces and held normal forces at t. */
static void load_at(am_path_incremental *e, double t) {
    const am_system *s = e->system;
    am_system_inputs(s, t, e->z);
    for (size_t i = 0; i < s->n; i++) {
        double sum = 0.0;
        for (size_t j = e->load_start[i]; j < e->load_start[i + 1]; j++)
            sum += e->load_value[j] * e->z[e->load_column[j]];
        e->load[i] = sum;
    }
    am_reduced_weld_rows(&e->reduced, e->load, e->weld, e->work);
    for (size_t c = 0; c < e->m; c++) {
        size_t row = e->reduced.normal_row[c];
        e->held[c] = 0.0;
        if (row == AM_NO_ROW) /* a held force is the output of its own generator */
            for (size_t j = s->hold_start[c], end = c + 1 < e->m ? s->hold_start[c + 1] : s->nz; j < end; j++)
                e->held[c] += s->hold[c * s->nz + j] * e->z[j];
        if (row == AM_NO_ROW)
            e->held[c] += s->hold[c * s->nz] * e->z[0];
    }
    for (size_t i = 0; i < e->p; i++)
        e->scale = fmax(e->scale, fabs(e->weld[i]));
}

/* Displacements of the rows at the present point. */
static void fill_places(const am_path_incremental *e, double *place) {
    for (size_t c = 0; c < e->m; c++) {
        size_t row = e->reduced.normal_row[c];
        place[c] = e->position[c];
        if (row != AM_NO_ROW)
            place[row] = e->gap[c] - am_system_gap_at(e->system, c, e->t);
        if (e->reduced.second_row[c] != AM_NO_ROW)
            place[e->reduced.second_row[c]] = e->place_across[c];
    }
}

/* stiffness times displacements, from the definition. */
static void apply_stiffness(const am_path_incremental *e, const double *place, double *elastic) {
    memset(elastic, 0, e->p * sizeof *elastic);
    am_kernel_apply(e->p, e->p, e->reduced.stiffness, e->p, place, elastic);
}

static void compute_afresh(am_path_incremental *e) {
    fill_places(e, e->base);
    memcpy(e->force, e->elastic, e->p * sizeof *e->force);
    apply_stiffness(e, e->base, e->elastic);
    for (size_t i = 0; i < e->p && e->scale > 0.0; i++)
        e->drift = fmax(e->drift, fabs(e->force[i] - e->elastic[i]) / e->scale);
    e->since = 0;
}

/* ---- one step ---- */

void am_path_prepare(am_path_incremental *e, double t, double length) {
    load_at(e, t);
    for (size_t i = 0; i < e->p; i++)
        e->base[i] = e->weld[i] + e->elastic[i];
    for (size_t c = 0; c < e->m; c++) {
        double carried = am_system_carried(e->system, c, t - length, t);
        double lifted = am_system_gap_at(e->system, c, t - length) - am_system_gap_at(e->system, c, t);
        if (carried != 0.0)
            am_kernel_add_rows(1, &c, &carried, e->p, e->reduced.stiffness, e->p, e->base);
        if (lifted != 0.0) /* open or closed: gaps are counted from the support */
            am_kernel_add_rows(1, &e->reduced.normal_row[c], &lifted, e->p, e->reduced.stiffness, e->p, e->base);
    }
}

/* What friction takes is the force at the end of the step times slip; of a law that weakens, the area under it. */
static void note_slip(am_path_incremental *e, size_t c, double slide, bool jumped) {
    const am_friction *law = am_path_weakening(e, c);
    bool plane = e->reduced.second_row[c] != AM_NO_ROW;
    double before = e->slid[c], loss = -e->tangential[c] * slide - (plane ? e->second[c] * e->across[c] : 0.0);
    if (law) {
        e->slid[c] += fabs(slide);
        loss = e->normal[c] * (am_friction_work(law, e->slid[c]) - am_friction_work(law, before));
    }
    if (jumped)
        return;
    e->slip[c] += plane ? hypot(slide, e->across[c]) : slide;
    e->loss[c] += loss;
    e->last.dissipation += loss;
}

/* Along the second tangent. Returns how far. */
static double move_across(am_path_incremental *e, size_t c) {
    e->place_across[c] += e->across[c];
    e->second[c] = e->trial[c] == AM_OPEN ? 0.0 : e->force[e->reduced.second_row[c]];
    return fabs(e->across[c]);
}

/* The accepted iterate becomes the present point. What friction takes in a jump is not known: the way is missing. */
static void accept(am_path_incremental *e, double t, double length, bool jumped) {
    am_path_increment *last = &e->last;
    double moved = 0.0, violation = 0.0;
    last->moving = 0;
    for (size_t i = 0, c = 0; c < e->m; c++) {
        am_contact_state state = e->trial[c];
        size_t row = e->reduced.normal_row[c];
        double carried = am_system_carried(e->system, c, t - length, t), slide = 0.0, rise = 0.0;
        if (state != AM_STICK)
            slide = e->x[i++];
        if (state == AM_OPEN)
            rise = e->x[i++];
        else if (row != AM_NO_ROW)
            rise = -e->gap[c];
        e->position[c] += carried + slide;
        e->gap[c] = state == AM_OPEN ? fmax(0.0, e->gap[c] + rise) : 0.0;
        e->tangential[c] = state == AM_OPEN ? 0.0 : e->force[c];
        if (e->reduced.second_row[c] != AM_NO_ROW)
            moved = fmax(moved, move_across(e, c));
        e->normal[c] = row == AM_NO_ROW ? e->held[c] : state == AM_OPEN ? 0.0 : fmax(0.0, e->force[row]);
        e->state[c] = state;
        last->moving += state != AM_STICK;
        if (am_path_slides(state))
            note_slip(e, c, slide, jumped);
        moved = fmax(moved, fmax(fabs(carried + slide), fabs(rise)));
        double by = am_path_law_violation(e, c);
        violation = by <= violation ? violation : by; /* NaN stays */
    }
    for (size_t i = 0; i < e->p; i++) {
        e->elastic[i] = e->force[i] - e->weld[i];
        e->scale = fmax(e->scale, fabs(e->force[i]));
    }
    violation /= e->scale > 0.0 ? e->scale : 1.0;
    last->residual = violation <= last->residual ? last->residual : violation;
    last->moved = fmax(last->moved, moved);
    e->t = t;
    if (++e->since >= AFRESH)
        compute_afresh(e);
}

am_status am_path_try_step(am_path_incremental *e, double t, am_error *err) {
    const double least = 500.0; /* what a step takes besides: loads, energy */
    AM_TRY(am_watch_spend(least + (double)e->m * (double)e->m, err));
    am_path_prepare(e, t, t - e->t);
    return am_path_incremental_solve(e, t, err);
}

am_status am_path_take_step(am_path_incremental *e, double t, bool jumped, am_error *err) {
    accept(e, t, t - e->t, jumped);
    if (!(e->last.residual <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE, "at t = %.10g the contact laws are violated by %.3g of the largest force",
                       t, e->last.residual);
    return AM_OK;
}

static void begin_step(am_path_incremental *e) {
    e->last = (am_path_increment){0};
    memset(e->slip, 0, e->m * sizeof *e->slip);
    memset(e->loss, 0, e->m * sizeof *e->loss);
}

am_status am_path_incremental_step(am_path_incremental *path, double t, am_error *err) {
    am_path_incremental *e = path;
    if (!(t > e->t))
        return am_fail(err, AM_ERR_INPUT, "a step from t = %.10g must lead to a later time, not to %.10g", e->t, t);
    begin_step(e);
    if (e->curved)
        return am_path_curved_step(e, t, err);
    am_status status = AM_OK;
    double aim = t;
    while (!status && e->t < t)
        status = am_path_advance(e, t, &aim, err);
    if (status)
        load_at(e, e->t); /* the forces belong to where the path stands */
    return status;
}

/* The first equilibrium: a step that takes no time, from where the contacts stand. */
static am_status settle(am_path_incremental *e, double t, am_error *err) {
    memset(e->slid, 0, e->m * sizeof *e->slid);
    memset(e->normal, 0, e->m * sizeof *e->normal);
    e->t = t;
    e->scale = 0.0;
    compute_afresh(e);
    e->drift = 0.0;
    begin_step(e);
    am_status status = am_path_try_step(e, t, err);
    if (!status && e->lost)
        status = am_path_incremental_fall(e, t, err);
    return status ? status : am_path_take_step(e, t, false, err);
}

am_status am_path_incremental_place(am_path_incremental *path, double t, const double *q, am_error *err) {
    am_path_incremental *e = path;
    size_t n = e->system->n;
    if (e->curved) {
        begin_step(e);
        return am_path_curved_place(e, t, q, err);
    }
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        bool held = contact->normal_law == AM_HELD;
        e->position[c] = q ? am_dense_dot(contact->tangent, q, n) : 0.0;
        if (contact->second_tangent)
            e->place_across[c] = q ? am_dense_dot(contact->second_tangent, q, n) : 0.0;
        e->state[c] = AM_STICK;
        e->gap[c] = held ? 0.0 : am_system_gap_at(e->system, c, t);
        double size = fabs(e->gap[c]);
        for (size_t i = 0; i < n && q && !held; i++) {
            e->gap[c] += contact->normal[i] * q[i];
            size += fabs(contact->normal[i] * q[i]);
        }
        if (e->gap[c] < -touching * size)
            return am_fail(err, AM_ERR_INPUT, "at the start %s lies %.6g inside its obstacle", contact->name,
                           -e->gap[c]);
        if (e->gap[c] > touching * size)
            e->state[c] = AM_OPEN;
        else
            e->gap[c] = 0.0;
    }
    return settle(e, t, err);
}

am_status am_path_incremental_stand(am_path_incremental *path, double t, const double *position, am_error *err) {
    am_path_incremental *e = path;
    if (e->curved)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "springs of the structure are not linear, and where its contacts stand does not say where it "
                       "is: give `initial` with its displacement instead of `start`");
    for (size_t c = 0; c < e->m; c++) {
        e->position[c] = position[c];
        if (e->planes)
            e->place_across[c] = 0.0;
        e->gap[c] = 0.0;
        e->state[c] = AM_STICK;
    }
    return settle(e, t, err);
}

/* ---- what is asked for afterwards ---- */

am_status am_path_incremental_coordinates(am_path_incremental *path, double *q, am_error *err) {
    am_path_incremental *e = path;
    if (e->curved) {
        am_path_curved_coordinates(e, q);
        return AM_OK;
    }
    fill_places(e, e->motion); /* free for the moment */
    return am_reduced_place(&e->reduced, e->load, e->motion, q, e->work, err);
}

double am_path_incremental_residual(const am_path_incremental *path, double *work) {
    const am_path_incremental *e = path;
    double worst = 0.0;
    if (e->curved)
        return am_path_curved_residual(e);
    for (size_t i = 0; i < e->p; i++) { /* row by row, so that nothing of the path's own is used */
        double sum = e->weld[i];
        for (size_t c = 0; c < e->m; c++) {
            size_t row = e->reduced.normal_row[c], second = e->reduced.second_row[c];
            sum += e->reduced.stiffness[i * e->p + c] * e->position[c];
            if (second != AM_NO_ROW)
                sum += e->reduced.stiffness[i * e->p + second] * e->place_across[c];
            if (row != AM_NO_ROW)
                sum += e->reduced.stiffness[i * e->p + row] * (e->gap[c] - am_system_gap_at(e->system, c, e->t));
        }
        work[i] = sum;
    }
    for (size_t c = 0; c < e->m; c++) {
        size_t row = e->reduced.normal_row[c], second = e->reduced.second_row[c];
        worst = am_worse(worst, fabs(work[c] - e->tangential[c]));
        if (second != AM_NO_ROW)
            worst = am_worse(worst, fabs(work[second] - e->second[c]));
        if (row != AM_NO_ROW)
            worst = am_worse(worst, fabs(work[row] - e->normal[c]));
        worst = am_worse(worst, am_path_law_violation(e, c));
        if (isnan(work[c]))
            return NAN;
    }
    return e->scale > 0.0 ? worst / e->scale : worst;
}
