/* Analysis `orbit`: transient, closing, and the tables that describe the orbit. */
#include <math.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/analysis.h"
#include "analyses/orbit/orbit_internal.h"
#include "analyses/orbit/section_walk.h"
#include "analyses/tables/dynamic_tables.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "engines/switching/switching.h"
#include "system/capability.h"
#include "system/column_names.h"
#include "system/observer.h"

typedef struct portrait {
    am_arena memory;
    const am_system *system;
    const am_orbit_options *options;
    am_motion *engine;
    am_orbit orbit;
    am_orbit_search search;
    size_t n, m;
    am_orbit_range *displacement, *velocity; /* n each */
    double *q, *v, *N, *T, *second;
    am_contact_state *state; /* m: during the span */
    const am_result *result;
    am_table *switches, *samples;
    size_t next_sample;
} portrait;

static void update_extrema(portrait *p) {
    for (size_t i = 0; i < 2 * p->n; i++)
        am_orbit_include_span(p->engine, i, i < p->n ? &p->displacement[i] : &p->velocity[i - p->n]);
}

/* ---- tables ---- */

static am_status switch_rows(portrait *p, am_error *err) {
    const am_motion *e = p->engine;
    for (size_t i = 0; i < am_motion_switches(e); i++) {
        const am_switch *s = am_motion_switch(e, i);
        const am_event event = {.t = am_motion_time(e) - p->orbit.start,
                                .contact = s->contact,
                                .from = s->from,
                                .to = s->to,
                                .cause = s->cause,
                                .displacement = am_motion_displacement(e),
                                .velocity = am_motion_velocity(e)};
        AM_TRY(am_dynamic_event_row(p->result, p->switches, p->system, &event, err));
    }
    return AM_OK;
}

/* Samples of the span just passed; the last one is the end of the period. */
static am_status sample_rows(portrait *p, bool last, am_error *err) {
    size_t count = p->options->samples;
    double now = am_motion_time(p->engine) - p->orbit.start;
    while (p->samples && p->next_sample < count) {
        double t = count < 2 ? 0.0 : p->orbit.period * (double)p->next_sample / (double)(count - 1);
        if (!(t < now) && !last)
            break;
        am_motion_at(p->engine, p->orbit.start + fmin(t, now), p->q, p->v, p->N, p->T);
        if (p->second)
            am_motion_second_at(p->engine, p->orbit.start + fmin(t, now), p->second);
        const am_sample sample = {t, p->n, p->m, p->q, p->v, p->N, p->T, p->state, p->second};
        AM_TRY(am_dynamic_sample_row(p->result, p->samples, p->system, &sample, err));
        p->next_sample++;
    }
    return AM_OK;
}

static am_status walk_once(portrait *p, am_error *err) {
    am_walk walk;
    AM_TRY(am_walk_begin(&walk, p->engine, &p->search.how, p->orbit.state, err));
    while (!walk.done) {
        am_step_kind kind;
        memcpy(p->state, am_motion_states(p->engine), p->m * sizeof *p->state);
        AM_TRY(am_walk_step(&walk, &kind, err));
        update_extrema(p);
        AM_TRY(sample_rows(p, walk.done, err));
        AM_TRY(switch_rows(p, err));
    }
    return AM_OK;
}

/* ---- running ---- */

static am_status prepare(portrait *p, am_error *err) {
    p->engine = am_motion_create(p->system, true, err);
    if (!p->engine)
        return err->status ? err->status : AM_ERR_MEMORY;
    p->displacement = am_arena_new(&p->memory, p->n, sizeof *p->displacement, err);
    p->velocity = am_arena_new(&p->memory, p->n, sizeof *p->velocity, err);
    AM_ARENA_DOUBLES(&p->memory, p->n, err, &p->q, &p->v);
    AM_ARENA_DOUBLES(&p->memory, p->m, err, &p->N, &p->T);
    p->second = am_columns_have_second(p->system) ? am_arena_doubles(&p->memory, NULL, p->m, err) : NULL;
    p->state = am_arena_new(&p->memory, p->m, sizeof *p->state, err);
    if (am_arena_status(&p->memory))
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < p->n; i++)
        p->displacement[i] = p->velocity[i] = (am_orbit_range){INFINITY, -INFINITY};
    return AM_OK;
}

static void release(portrait *p) {
    am_orbit_clear(&p->orbit);
    am_motion_free(p->engine);
    am_arena_clear(&p->memory);
}

static am_status find(portrait *p, const am_progress *progress, am_error *err) {
    if (p->options->transient == 0)
        return am_orbit_close_guess(p->engine, p->options, &p->orbit, &p->search, err);
    AM_TRY(am_orbit_find(p->engine, p->options, &p->orbit, &p->search, progress, err));
    if (p->search.outcome != AM_ORBIT_PERIODIC)
        return am_fail(err, AM_ERR_LIMIT, "no periodic motion was reached from this start: %s", p->search.sentence);
    return AM_OK;
}

static am_status show_period(portrait *p, const am_result *result, am_error *err) {
    double *ends = am_arena_doubles(&p->memory, NULL, 4 * p->n, err);
    if (!ends)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < p->n; i++) {
        ends[i] = p->displacement[i].least;
        ends[p->n + i] = p->displacement[i].largest;
        ends[2 * p->n + i] = p->velocity[i].least;
        ends[3 * p->n + i] = p->velocity[i].largest;
    }
    const am_period seen = {.period = p->orbit.period,
                            .dissipation = p->orbit.dissipation,
                            .coordinates = p->n,
                            .least = ends,
                            .largest = ends + p->n,
                            .least_velocity = ends + 2 * p->n,
                            .largest_velocity = ends + 3 * p->n};
    return am_observe_period(result, &seen, err);
}

static am_status draw(portrait *p, am_result *result, am_error *err) {
    p->result = result;
    am_orbit_table_orbits(&p->orbit, result);
    am_orbit_table_switches(p->system, result, &p->switches);
    am_orbit_table_multipliers(&p->orbit, result);
    if (p->options->samples > 0)
        am_orbit_table_samples(p->system, result, &p->samples);
    AM_TRY(walk_once(p, err));
    double residual = am_motion_statistics_get(p->engine).energy_residual;
    am_orbit_summarise(p->system, &p->orbit, &p->search, residual, p->displacement, p->velocity, result);
    return show_period(p, result, err);
}

static am_status orbit_run_watched(const am_system *system, const am_orbit_options *options, am_result *result,
                                   const am_progress *progress, am_error *err) {
    am_status known = am_system_check(system, "orbit", err);
    if (known)
        return known;
    am_error own = {0};
    am_error *e = err ? err : &own;
    AM_LOCAL(release)
    portrait p = {.system = system, .options = options, .n = am_system_size(system), .m = am_system_contacts(system)};
    AM_TRY(prepare(&p, e));
    AM_TRY(find(&p, progress, e));
    AM_TRY(am_orbit_check_evidence(&p.orbit, e));
    return draw(&p, result, e);
}

am_status am_orbit_run(const am_system *system, const am_orbit_options *options, am_result *result,
                       const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, orbit_run_watched(system, options, result, progress, err), err);
}
