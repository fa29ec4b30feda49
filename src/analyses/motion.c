/* am_motion_run: the engine from start to end, written down as tables and a summary. */
#include "analyses/motion.h"
#include "analyses/analysis.h"

#include <math.h>
#include <string.h>

#include "analyses/tables/dynamic_tables.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/result_reuse.h"
#include "base/watch.h"
#include "engines/quasistatic/equilibrium.h"
#include "engines/switching/switching.h"
#include "system/column_names.h"
#include "system/joints.h"

enum { OPTIONS_COOKIE = 0x414d4d4f };

/* A result whose energy does not balance to this is not given out: rounding alone stays far below. */
static const double worst_residual = 1e-9;

/* Steps after which the proof that the last state stays is given up. */
static const size_t most_proof_steps = 100000;

am_motion_options am_motion_options_default(void) {
    return (am_motion_options){.samples = 1001,
                               .max_events = 1000000,
                               .max_spans = 20000000,
                               .energy = true,
                               .record_from = -INFINITY,
                               .cookie = OPTIONS_COOKIE};
}

typedef struct recorder {
    am_arena memory;
    const am_motion_options *options;
    am_motion *engine;
    const am_result *result;
    size_t n, m;
    am_table *events, *touches, *samples, *section; /* NULL: nobody wants it */
    double record_from;                             /* not before the start */
    size_t next_sample, next_section;
    am_contact_state *state; /* m: during the span just passed */
    double *q, *v, *N, *T;   /* n, n, m, m */
    double *second;          /* m: forces along second tangents; NULL: there are none */
    double first_lift_off;
    /* in the recorded part: changes from stick to slip, the first and last of them, the extreme times between two */
    size_t slips;
    double first_slip, last_slip, least_interval, most_interval;
} recorder;

/* ---- tables ---- */

static am_status make_tables(recorder *r, const am_system *system, am_result *result, am_error *err) {
    const am_motion_options *o = r->options;
    if (am_result_wants(result, "events")) {
        r->events = am_dynamic_events(result, system, err);
        am_columns_event_velocities(r->events, system, "_before");
    }
    if (am_result_wants(result, "touches")) {
        r->touches = am_result_describe_table(result, "touches", "t contact during");
        am_columns_event_coordinates(r->touches, system);
    }
    r->result = result;
    if (o->samples > 0 && am_result_wants(result, "samples"))
        r->samples = am_dynamic_samples(result, system, err);
    if (o->section_interval > 0.0 && am_result_wants(result, "section"))
        r->section = am_dynamic_section(result, system, err);
    return am_result_status(result, err);
}

/* ---- rows ---- */

static am_status event_row(recorder *r, const am_switch *s, am_contact_state from, am_contact_state to, am_cause cause,
                           am_error *err) {
    const am_motion *e = r->engine;
    if (!r->events)
        return AM_OK;
    am_motion_forces(e, r->N, r->T);
    if (r->second)
        am_motion_second_at(e, am_motion_time(e), r->second);
    const am_event event = {.t = am_motion_time(e),
                            .contact = s->contact,
                            .from = from,
                            .to = to,
                            .cause = cause,
                            .displacement = am_motion_displacement(e),
                            .velocity = am_motion_velocity(e),
                            .normal = r->N,
                            .tangential = r->T,
                            .second = r->second,
                            .velocity_before = am_motion_had_impact(e) ? am_motion_velocity_before(e) : NULL};
    return am_dynamic_event_row(r->result, r->events, e->plan.system, &event, err);
}

/* A contact of zero duration is two changes, as in Appendix A, and a row of `touches`. So is a slip of zero duration,
 * of a slider whose spring relaxes from the static limit to the kinetic one and holds there. */
static am_status brief_rows(recorder *r, const am_switch *s, am_error *err) {
    bool touch = s->from == AM_OPEN;
    AM_TRY(event_row(r, s, s->from, s->during, s->cause, err));
    AM_TRY(event_row(r, s, s->during, s->to, touch ? AM_CAUSE_LIFT_OFF : AM_CAUSE_STOP, err));
    if (!r->touches || !touch)
        return AM_OK;
    am_table_add_row(r->touches, NULL);
    am_table_set_number(r->touches, 0, am_motion_time(r->engine));
    am_table_set_text(r->touches, 1, am_system_contact_name(r->engine->plan.system, s->contact), NULL);
    am_table_set_text(r->touches, 2, am_contact_state_name(s->during), NULL);
    am_table_set_numbers(r->touches, 3, am_motion_displacement(r->engine), r->n);
    return am_table_status(r->touches, err);
}

static void count_slip(recorder *r, const am_switch *s) {
    double t = am_motion_time(r->engine);
    if (s->together || s->from != AM_STICK || (s->to != AM_FORWARD && s->to != AM_BACKWARD))
        return;
    if (r->slips++ == 0) {
        r->first_slip = t;
    } else {
        r->least_interval = fmin(r->least_interval, t - r->last_slip);
        r->most_interval = fmax(r->most_interval, t - r->last_slip);
    }
    r->last_slip = t;
}

static am_status record_events(recorder *r, am_error *err) {
    bool recorded = am_motion_time(r->engine) >= r->record_from;
    for (size_t i = 0; i < am_motion_switches(r->engine); i++) {
        const am_switch *s = am_motion_switch(r->engine, i);
        bool touch = s->from == AM_OPEN && s->to == AM_OPEN;
        if (recorded) {
            AM_TRY(s->from == s->to ? brief_rows(r, s, err) : event_row(r, s, s->from, s->to, s->cause, err));
            count_slip(r, s);
        }
        bool leaves = s->to == AM_OPEN && (touch || s->from != AM_OPEN);
        if (leaves && isnan(r->first_lift_off))
            r->first_lift_off = am_motion_time(r->engine);
    }
    return AM_OK;
}

static am_status sample_row(recorder *r, double t, am_error *err) {
    const am_sample sample = {t, r->n, r->m, r->q, r->v, r->N, r->T, r->state, r->second};
    if (r->second)
        am_motion_second_at(r->engine, t, r->second);
    return am_dynamic_sample_row(r->result, r->samples, r->engine->plan.system, &sample, err);
}

/* All samples inside the span just passed; at its end the state after a possible event counts. */
static am_status record_samples(recorder *r, am_error *err) {
    double now = am_motion_time(r->engine);
    while (r->samples && r->next_sample < r->options->samples) {
        double t = am_dynamic_sample_time(r->record_from, r->options->until, r->next_sample, r->options->samples);
        if (!(t < now))
            break;
        am_motion_at(r->engine, t, r->q, r->v, r->N, r->T);
        AM_TRY(sample_row(r, t, err));
        r->next_sample++;
    }
    return AM_OK;
}

static void section_row(recorder *r, double t, const double *q, const double *v) {
    am_table_add_numbers(r->section, &t, 1);
    am_table_set_numbers(r->section, am_table_set_numbers(r->section, 1, q, r->n), v, r->n);
}

/* All points of the section inside the span just passed; the one at the end of the run is taken there. */
static void record_section(recorder *r, bool at_end) {
    const am_motion_options *o = r->options;
    double now = am_motion_time(r->engine);
    while (r->section) {
        double t = o->section_from + (double)r->next_section * o->section_interval;
        if (at_end ? t > now : !(t < now))
            break;
        if (at_end) {
            section_row(r, t, am_motion_displacement(r->engine), am_motion_velocity(r->engine));
        } else if (t >= o->from) {
            am_motion_at(r->engine, t, r->q, r->v, NULL, NULL);
            section_row(r, t, r->q, r->v);
        }
        r->next_section++;
    }
}

static am_status record_last(recorder *r, am_error *err) {
    record_section(r, true);
    if (!r->samples || r->next_sample >= r->options->samples)
        return AM_OK;
    memcpy(r->q, am_motion_displacement(r->engine), r->n * sizeof *r->q);
    memcpy(r->v, am_motion_velocity(r->engine), r->n * sizeof *r->v);
    memcpy(r->state, am_motion_states(r->engine), r->m * sizeof *r->state);
    am_motion_forces(r->engine, r->N, r->T);
    return sample_row(r, am_motion_time(r->engine), err);
}

/* ---- running ---- */

static am_status follow(recorder *r, const am_progress *progress, am_error *err) {
    const am_motion_options *o = r->options;
    for (size_t step = 0;; step++) {
        am_step_kind kind;
        memcpy(r->state, am_motion_states(r->engine), r->m * sizeof *r->state);
        AM_TRY(am_motion_step(r->engine, o->until, &kind, err));
        if (kind == AM_STEP_END)
            return record_last(r, err);
        AM_TRY(record_samples(r, err));
        record_section(r, false);
        if (kind == AM_STEP_EVENT)
            AM_TRY(record_events(r, err));
        if (r->engine->statistics.events > o->max_events)
            return am_fail(err, AM_ERR_LIMIT,
                           "more than %zu events before t = %.15g; raise max_events if that is meant", o->max_events,
                           am_motion_time(r->engine));
        double done = (am_motion_time(r->engine) - o->from) / (o->until - o->from);
        if (step % 64 == 63 && !am_progress_report(progress, done))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted at t = %.15g", am_motion_time(r->engine));
    }
}

/* Does the last state stay for ever? Go on until that is proved, or contradicted by an event. */
static am_status prove_final(recorder *r, am_result *result, am_error *err) {
    am_motion *e = r->engine;
    bool decided = false, final = false, exact = !(r->options->switching_step > 0.0); /* what the proof is about */
    if (exact)
        am_motion_seek_final(e, true);
    for (size_t step = 0; exact && !decided && step < most_proof_steps; step++) {
        am_step_kind kind;
        double until = step == 0 ? e->now.t : e->final_time; /* the first call only asks for the time of the proof */
        am_status status = am_motion_step(e, until, &kind, err);
        if (status == AM_ERR_MEMORY)
            return status;
        if (status || !isfinite(e->final_time))
            break;
        final = kind == AM_STEP_FINAL;
        decided = final || am_motion_switches(e) > 0;
    }
    am_result_set_decided(result, "final_for_good", decided, final);
    return AM_OK;
}

/* How often contacts set off, and whether the switches are exact. */
static void summarise_slips(const recorder *r, am_result *result) {
    const am_motion_options *o = r->options;
    bool several = r->slips > 1, exact = !(o->switching_step > 0.0);
    double mean = several ? (r->last_slip - r->first_slip) / (double)(r->slips - 1) : NAN;
    am_result_set_count(result, "slips", r->slips, NULL);
    am_result_set_numbers(result,
                          AM_NAMED({"slip_interval", mean}, {"slip_interval_min", several ? r->least_interval : NAN},
                                   {"slip_interval_max", several ? r->most_interval : NAN}));
    am_result_set_flag(result, "exact", exact, NULL);
    if (exact)
        return;
    am_result_set_number(result, "switching_step", o->switching_step, NULL);
    am_result_set_count(result, "switching_bisections", o->switching_bisections, NULL);
}

static void name_states(const recorder *r, am_result *result, const char *key) {
    am_text text = {0};
    am_joints_name(&text, r->engine->plan.system, am_motion_states(r->engine));
    am_result_take_text(result, key, &text);
}

static am_status summarise(recorder *r, am_result *result, am_error *err) {
    const am_motion_statistics s = am_motion_statistics_get(r->engine);
    double kept = r->options->energy ? 0.0 : NAN; /* NaN: no balance of energy was kept */
    am_result_set_counts(
        result, AM_NAMED({"state_changes", (double)s.state_changes}, {"finite_changes", (double)s.finite_changes},
                         {"touches", (double)s.touches}, {"grazes", (double)s.grazes}, {"impacts", (double)s.impacts},
                         {"zeno", (double)s.zeno}, {"events", (double)s.events}, {"spans", (double)s.spans},
                         {"implicit_spans", (double)s.implicit_spans}, {"combinations", (double)s.combinations},
                         {"unchecked_decisions", (double)s.unchecked}, {"static_choices", (double)s.static_choices}));
    am_result_set_numbers(result,
                          AM_NAMED({"t_end", am_motion_time(r->engine)}, {"kinetic_energy", s.kinetic},
                                   {"potential_energy", s.potential}, {"work_loads", kept + s.work_loads},
                                   {"work_surface", kept + s.work_surface}, {"loss_friction", kept + s.loss_friction},
                                   {"loss_damping", kept + s.loss_damping}, {"loss_impact", kept + s.loss_impact},
                                   {"energy_residual", kept + s.energy_residual},
                                   {"complementarity_residual", s.complementarity}));
    if (r->options->energy && am_system_circulatory(r->engine->plan.system))
        am_result_set_number(result, "work_circulatory", s.work_circulatory, NULL);
    am_result_set_flag(result, "indeterminate_forces", s.indeterminate, NULL);
    am_result_set_known(result, "first_lift_off", r->first_lift_off);
    name_states(r, result, "final_state");
    summarise_slips(r, result);
    bool exact = !(r->options->switching_step > 0.0); /* what is wrong on purpose has nothing to prove */
    if (exact &&
        ((r->options->energy && !(s.energy_residual <= worst_residual)) || !(s.complementarity <= worst_residual)))
        return am_fail(
            err, AM_ERR_EVIDENCE,
            "the motion does not pass its own check: energy balance off by %g of the energy moved, inequalities "
            "by %g of their scale",
            s.energy_residual, s.complementarity);
    return AM_OK;
}

/* Rows of a table somebody could still hold in memory. */
static const double most_rows = 1e7;

static am_status check_section(const am_motion_options *o, am_error *err) {
    if (!isfinite(o->section_interval) || o->section_interval < 0.0 || !isfinite(o->section_from))
        return am_fail_field(err, AM_ERR_INPUT, "section.interval",
                             "the interval of the section must be positive, not %g", o->section_interval);
    if (o->section_interval > 0.0 && (o->until - o->section_from) / o->section_interval > most_rows)
        return am_fail_field(err, AM_ERR_INPUT, "section.interval",
                             "an interval of %g gives more than %g points before t = %g", o->section_interval,
                             most_rows, o->until);
    return AM_OK;
}

static am_status check(const am_motion_options *o, am_error *err) {
    AM_TRY(am_options_check(o->cookie, OPTIONS_COOKIE, "motion", err));
    AM_TRY(am_dynamic_check_times(o->from, o->until, o->record_from, err));
    if ((o->rest || o->preloaded) && (o->displacement || o->velocity || (o->rest && o->preloaded)))
        return am_fail_field(err, AM_ERR_INPUT, "initial",
                             "the start is at rest, preloaded, or a given displacement and velocity");
    return check_section(o, err);
}

/* An engine that has run before, as it was when it was new: only the flows are kept, which do not depend on the runs.
 */
static void renew(am_motion *e, bool energy) {
    e->with_energy = energy;
    am_motion_seek_final(e, false);
    e->flow = e->span_flow = NULL;
    e->met_indeterminate = false;
    am_flow_cache_renew(e->cache, e->most_flows);
    memset(e->series, 0, AM_ORDERS * e->plan.nx * sizeof *e->series);
    memset(&e->written, 0, sizeof e->written);
}

static am_status prepare_engine(recorder *r, const am_system *system, am_motion **kept, am_error *err) {
    if (*kept)
        renew(*kept, r->options->energy);
    else
        *kept = am_motion_create(system, r->options->energy, err);
    r->engine = *kept;
    if (!r->engine)
        return err->status ? err->status : AM_ERR_MEMORY;
    am_motion_limit(r->engine, r->options->max_spans);
    return am_motion_imitate(r->engine, r->options->switching_step, r->options->switching_bisections, err);
}

static am_status prepare(recorder *r, const am_system *system, am_result *result, am_error *err) {
    r->state = am_arena_new(&r->memory, r->m, sizeof *r->state, err);
    AM_ARENA_DOUBLES(&r->memory, r->n, err, &r->q, &r->v);
    AM_ARENA_DOUBLES(&r->memory, r->m, err, &r->N, &r->T);
    r->second = am_columns_have_second(system) ? am_arena_doubles(&r->memory, NULL, r->m, err) : NULL;
    AM_TRY(am_arena_status(&r->memory));
    return make_tables(r, system, result, err);
}

static am_status start_at_rest(recorder *r, const am_system *system, am_result *result, am_error *err) {
    const am_motion_options *o = r->options;
    am_equilibrium e;
    AM_TRY(o->rest ? am_equilibrium_rest(&e, system, o->from, err) : am_equilibrium_preload(&e, system, o->from, err));
    if (o->preloaded)
        am_dynamic_report_preload(result, &e);
    am_status status = am_motion_start_state(r->engine, o->from, e.state, err);
    am_equilibrium_clear(&e);
    return status;
}

static am_status start(recorder *r, const am_system *system, am_result *result, am_error *err) {
    const am_motion_options *o = r->options;
    AM_TRY(o->rest || o->preloaded ? start_at_rest(r, system, result, err)
                                   : am_motion_start(r->engine, o->from, o->displacement, o->velocity, err));
    name_states(r, result, "initial_state");
    return AM_OK;
}

/* The motion until it was stopped, with its balance of energy as it stands. */
static void report_part(recorder *r, am_result *result, am_error *err) {
    am_error unheard = {0}; /* nothing is claimed of a part */
    am_fail(err, AM_ERR_INTERRUPTED, "interrupted at t = %.15g", am_motion_time(r->engine));
    record_last(r, &unheard);
    summarise(r, result, &unheard);
    am_result_set_none(result, "final_for_good", &unheard);
    am_watch_mark(result);
}

static am_status answer(recorder *r, const am_system *system, am_motion **kept, am_result *result,
                        const am_progress *progress, am_error *err) {
    AM_TRY(prepare_engine(r, system, kept, err));
    AM_TRY(prepare(r, system, result, err));
    AM_TRY(start(r, system, result, err));
    AM_TRY(follow(r, progress, err));
    AM_TRY(summarise(r, result, err));
    return prove_final(r, result, err);
}

am_status am_motion_run_kept(const am_system *system, const am_motion_options *options, am_motion **kept,
                             am_result *result, const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    AM_TRY(check(options, e));
    recorder r = {.options = options,
                  .n = am_system_size(system),
                  .m = am_system_contacts(system),
                  .record_from = fmax(options->from, options->record_from),
                  .first_lift_off = NAN,
                  .least_interval = INFINITY};
    am_status status = answer(&r, system, kept, result, progress, e);
    if (status == AM_ERR_INTERRUPTED && r.engine && am_engine_started(r.engine))
        report_part(&r, result, e);
    am_arena_clear(&r.memory);
    return status ? status : am_result_status(result, e);
}

static am_status motion_run_watched(const am_system *system, const am_motion_options *options, am_result *result,
                                    const am_progress *progress, am_error *err) {
    AM_LOCAL(am_motion_free_at) am_motion *engine = NULL;
    return am_motion_run_kept(system, options, &engine, result, progress, err);
}

am_status am_motion_run(const am_system *system, const am_motion_options *options, am_result *result,
                        const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, motion_run_watched(system, options, result, progress, err), err);
}
