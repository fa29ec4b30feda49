/* Quasi-static evolution: docs/path.md. Here options are checked, a run is put together and reported; in
 * engines/quasistatic/ the engine (quasistatic.h) finds the corners, the walk (path_walk.h) strings them together, and
 * path_cycle.h closes cycles. */
#include "amontons/path.h"

#include <math.h>

#include "amontons/states.h"
#include "analyses/analysis.h"
#include "analyses/path/path_internal.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/object.h"
#include "base/watch.h"
#include "base/worse.h"
#include "engines/quasistatic/check.h"
#include "engines/quasistatic/incremental.h"
#include "engines/quasistatic/path_cycle.h"
#include "system/observer.h"
#include "system/sliders.h"

enum { PATH_COOKIE = 0x414d5041 };

/* Cycles of a transient whose samples are kept. */
static const size_t most_sampled_cycles = 1000;

/* Minors looked at for `unique`: some hundredths of a second. */
static const size_t uniqueness_budget = 200000;

am_path_options am_path_options_default(void) {
    return (am_path_options){.on_jump = AM_JUMP_STOP,
                             .samples = 201,
                             .most_cycles = 10000,
                             .most_period = 64,
                             .method = AM_PATH_EXACT,
                             .steps = 200,
                             .cookie = PATH_COOKIE};
}

/* ---- checking ---- */

static bool wants_cycles(const am_path_options *o) {
    return o->until_repeat || o->cycles > 0;
}

static am_status check_time(const am_path_options *o, am_error *err) {
    if (wants_cycles(o) && isfinite(o->from))
        return AM_OK;
    if (!isfinite(o->from) || !isfinite(o->until) || !(o->until > o->from))
        return am_fail_field(err, AM_ERR_INPUT, "until",
                             "the end time %g must be finite and later than the start time %g", o->until, o->from);
    return AM_OK;
}

/* Displacements to begin with that are finite and leave every gap open or closed. */
static am_status check_place(const am_system *system, double t, const double *q, am_error *err) {
    for (size_t i = 0; i < system->n; i++)
        if (!isfinite(q[i]))
            return am_fail_field(err, AM_ERR_INPUT, "displacement", "%s is not a finite number", system->name[i]);
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double gap = am_system_gap_at(system, c, t), size = fabs(gap);
        for (size_t i = 0; contact->normal_law == AM_UNILATERAL && i < system->n; i++) {
            gap += contact->normal[i] * q[i];
            size += fabs(contact->normal[i] * q[i]);
        }
        if (contact->normal_law == AM_UNILATERAL && gap < -1e-12 * size)
            return am_fail_field(err, AM_ERR_INPUT, "displacement",
                                 "the start penetrates %s by %g; its gap must not be negative", contact->name, -gap);
    }
    return AM_OK;
}

static am_status check_options(const am_system *system, const am_path_options *options, am_error *err) {
    AM_TRY(am_options_check(options->cookie, PATH_COOKIE, "path", err));
    AM_TRY(check_time(options, err));
    if (options->displacement)
        AM_TRY(check_place(system, options->from, options->displacement, err));
    for (size_t c = 0; options->position && c < system->m; c++)
        if (!isfinite(options->position[c]))
            return am_fail_field(err, AM_ERR_INPUT, "start", "the position of %s is not a finite number",
                                 system->contact[c].name);
    for (size_t c = 0; options->start && c < system->m; c++)
        if ((int)options->start[c] < 0 || options->start[c] > AM_BACKWARD)
            return am_fail_field(err, AM_ERR_INPUT, "start", "unknown contact state of %s", system->contact[c].name);
    if ((int)options->on_jump < 0 || options->on_jump > AM_JUMP_DYNAMICS)
        return am_fail_field(err, AM_ERR_INPUT, "on_jump", "unknown way to deal with jumps");
    if (options->method == AM_PATH_INCREMENTAL && options->steps == 0)
        return am_fail_field(err, AM_ERR_INPUT, "steps", "an incremental path needs at least one step");
    if (options->method == AM_PATH_INCREMENTAL && options->on_jump == AM_JUMP_DYNAMICS)
        return am_fail_field(err, AM_ERR_INPUT, "on_jump",
                             "an incremental path goes on from the next equilibrium it finds (release); only the exact "
                             "one lets the structure move");
    if (wants_cycles(options) && (options->most_cycles == 0 || options->most_period == 0))
        return am_fail_field(err, AM_ERR_INPUT, "most_cycles", "at least one cycle must be allowed");
    return AM_OK;
}

/* ---- a run ---- */

typedef struct run {
    const am_system *system;
    const am_path_options *options;
    am_result *result;
    am_path_walk walk;
    am_path_balance balance;
    am_path_record record;
} run;

static am_status place(run *r, am_error *err) {
    const am_path_options *o = r->options;
    AM_TRY(o->position ? am_path_engine_place_at(&r->walk.engine, o->from, o->position, err)
                       : am_path_engine_place(&r->walk.engine, o->from, o->displacement, o->start, err));
    return am_path_walk_start(&r->walk, o->start, err);
}

static am_status follow(run *r, const am_progress *progress, am_error *err) {
    const am_path_options *o = r->options;
    am_path_record_spread(&r->record, o->from, o->until, o->samples);
    AM_TRY(place(r, err));
    AM_TRY(am_path_walk_to(&r->walk, o->until, progress, err));
    return am_path_record_point(&r->record, &r->walk.engine, err);
}

/* ---- cycles ---- */

static am_status load_cycle(const run *r, am_path_cycle_options *how, am_error *err) {
    const am_path_options *o = r->options;
    *how = (am_path_cycle_options){.from = o->from,
                                   .most_cycles = o->until_repeat ? o->most_cycles : o->cycles,
                                   .most_period = o->most_period,
                                   .all = !o->until_repeat};
    return am_path_check_cycle(r->system, &how->length, err);
}

/* The closed period once more, into a table of its own. */
static am_status show_cycle(run *r, const am_path_cycle_options *how, const am_path_cycle *cycle, am_error *err) {
    am_path_walk *w = &r->walk;
    double length = (double)cycle->period * how->length;
    am_path_record_into(&r->record, r->system, r->result, "cycle");
    am_path_record_spread(&r->record, how->from, how->from + length, r->options->samples);
    r->record.shift = 0.0;
    am_path_count count = am_path_walk_leave_count(w);
    am_status status = am_path_record_corner(&r->record, &w->engine, "load", err);
    for (size_t i = 0; i < cycle->period && !status; i++)
        status = am_path_cycle_walk(w, how, err);
    am_path_walk_take_up_count(w, count);
    return status;
}

static void report_contacts(const run *r, const am_path_cycle *cycle) {
    am_table *table = am_result_describe_table(r->result, "contacts", "contact slip dissipation remembers");
    for (size_t c = 0; c < cycle->m; c++) {
        bool remembers = cycle->state[c] == AM_STICK && cycle->slip[c] == 0.0;
        am_table_add_numbers(table, AM_NUMBERS(cycle->slip[c], cycle->loss[c], remembers));
        am_table_set_text(table, 0, am_system_contact_name(r->system, c), NULL);
    }
}

static void report_multipliers(const run *r, const am_path_cycle *cycle) {
    am_table *table = am_result_describe_table(r->result, "multipliers", "real imaginary");
    for (size_t i = 0; i < cycle->m; i++)
        am_table_add_numbers(table, AM_NUMBERS(cycle->multiplier_real[i], cycle->multiplier_imaginary[i]));
}

/* The multiplier that decides: the largest one of a direction that is not remembered (those have modulus one; none is
 * larger, for no path comes to such a cycle). A real one keeps its sign. */
static double deciding_multiplier(const am_path_cycle *cycle) {
    size_t at = cycle->memory < cycle->m ? cycle->memory : cycle->m - 1;
    if (cycle->m == 0)
        return NAN;
    double real = cycle->multiplier_real[at], imaginary = cycle->multiplier_imaginary[at];
    return imaginary == 0.0 ? real : hypot(real, imaginary);
}

/* length: of a cycle of the loads */
static void report_repeating(const run *r, const am_path_cycle *cycle, double length) {
    am_result *result = r->result;
    double slip = 0.0, multiplier = deciding_multiplier(cycle);
    for (size_t c = 0; c < cycle->m; c++)
        slip += cycle->slip[c];
    am_result_set_number(result, "period", (double)cycle->period * length, NULL);
    am_result_set_count(result, "period_cycles", cycle->period, NULL);
    am_result_set_count(result, "cycles_to_repeat", cycle->cycles, NULL);
    am_result_set_number(result, "dissipation", cycle->dissipation, NULL);
    am_result_set_number(result, "work_per_period", cycle->work_loads, NULL);
    am_result_set_flag(result, "shakedown", slip == 0.0, NULL);
    am_result_set_number(result, "closing_error", cycle->closing, NULL);
    am_result_set_known(result, "multiplier", multiplier);
    am_result_set_decided(result, "stable", !isnan(multiplier), fabs(multiplier) < 1.0);
    am_result_set_count(result, "memory", cycle->memory, NULL);
    report_contacts(r, cycle);
    report_multipliers(r, cycle);
}

static void report_aperiodic(const run *r, const am_path_cycle *cycle) {
    static const char *const unknown[] = {"period",      "period_cycles", "cycles_to_repeat",
                                          "dissipation", "shakedown",     "closing_error"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        am_result_set_none(r->result, unknown[i], NULL);
    am_result_set_known(r->result, "exponent_per_cycle", cycle->exponent);
}

static am_status run_cycles(run *r, am_path_cycle *cycle, const am_progress *progress, am_error *err) {
    am_path_cycle_options how;
    const am_path_options *o = r->options;
    AM_TRY(load_cycle(r, &how, err));
    size_t sampled = how.most_cycles < most_sampled_cycles ? how.most_cycles : most_sampled_cycles;
    size_t count = o->until_repeat ? sampled * (o->samples > 1 ? o->samples - 1 : 0) + 1 : o->samples;
    am_path_record_spread(&r->record, how.from, how.from + (double)sampled * how.length, count);
    AM_TRY(place(r, err));
    AM_TRY(am_path_cycle_find(&r->walk, &how, cycle, progress, err));
    AM_TRY(am_path_record_point(&r->record, &r->walk.engine, err));
    if (cycle->repeats)
        AM_TRY(show_cycle(r, &how, cycle, err));
    am_result_set_flag(r->result, "repeats", cycle->repeats, NULL);
    am_result_set_count(r->result, "cycles", cycle->cycles, NULL);
    am_result_set_number(r->result, "load_period", how.length, NULL);
    if (!cycle->repeats) {
        report_aperiodic(r, cycle);
        return AM_OK;
    }
    report_repeating(r, cycle, how.length);
    const am_period seen = {.period = (double)cycle->period * how.length, .dissipation = cycle->dissipation};
    return am_observe_period(r->result, &seen, err);
}

static am_status follow_cycles(run *r, const am_progress *progress, am_error *err) {
    AM_LOCAL(am_path_cycle_clear) am_path_cycle cycle = {0};
    AM_TRY(am_path_cycle_init(&cycle, r->system->m, err));
    return run_cycles(r, &cycle, progress, err);
}

/* ---- report ---- */

static void report_energy(const run *r) {
    const am_path_balance *b = &r->balance;
    am_result_set_numbers(r->result,
                          AM_NAMED({"energy_stored", b->stored}, {"work_loads", b->work_loads},
                                   {"work_surface", b->work_surface}, {"loss_friction", b->loss_friction},
                                   {"loss_jump", b->loss_jump}, {"energy_residual", b->residual},
                                   {"equilibrium_residual", b->equilibrium}, {"complementarity_residual", b->laws},
                                   {"continuity_residual", am_path_engine_continuity(&r->walk.engine)}));
}

/* Condition 3.1: is the rate problem of closed contacts uniquely solvable whatever the loads do? */
static am_status report_uniqueness(const run *r, am_error *err) {
    am_uniqueness test = {0};
    am_error own = {0};
    am_status status = am_uniqueness_test(r->system, uniqueness_budget, &test, &own);
    bool known = !status && test.verdict != AM_UNIQUENESS_UNDECIDED, unique = test.verdict == AM_UNIQUE;
    am_uniqueness_clear(&test);
    if (status && status != AM_ERR_UNSUPPORTED) {
        if (err)
            *err = own;
        return status;
    }
    am_result_set_decided(r->result, "unique", known, unique);
    return AM_OK;
}

static am_status report(run *r, am_error *err) {
    const am_path_walk *w = &r->walk;
    am_result_set_counts(r->result, AM_NAMED({"corners", w->corners}, {"jumps", w->jumps}));
    am_result_set_known(r->result, "first_jump", w->jumps > 0 ? w->first_jump : NAN);
    am_result_set_count(r->result, "dynamic_choices", w->choices, NULL);
    am_path_set_state(r->result, r->system, w->engine.state);
    am_result_set_count(r->result, "unchecked_decisions", w->engine.unchecked, NULL);
    am_result_set_flag(r->result, "indeterminate_forces", w->engine.indeterminate, NULL);
    AM_TRY(report_uniqueness(r, err));
    report_energy(r);
    /* Rounding leaves 1e-12 and less unless a combination is nearly singular; beyond 1e-8 digits that matter are gone.
     */
    const am_path_balance *b = &r->balance;
    double continuity = am_path_engine_continuity(&w->engine);
    double worst = am_worse(am_worse(b->residual, continuity), am_worse(b->equilibrium, b->laws));
    if (!(worst <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the path does not pass its own check: energy %.3g, equilibrium %.3g, contact laws %.3g, "
                       "continuity %.3g",
                       b->residual, b->equilibrium, b->laws, continuity);
    return AM_OK;
}

static am_status run_init(run *r, const am_system *system, const am_path_options *options, am_result *result,
                          am_error *err) {
    *r = (run){.system = system, .options = options, .result = result};
    AM_TRY(am_path_walk_init(&r->walk, system, options->on_jump, err));
    AM_TRY(am_path_balance_init(&r->balance, &r->walk.engine, err));
    AM_TRY(am_path_record_init(&r->record, system, result, err));
    r->walk.balance = &r->balance;
    r->walk.observer = &r->record.observer;
    return AM_OK;
}

static void run_clear(run *r) {
    am_path_walk_clear(&r->walk);
    am_path_balance_clear(&r->balance);
    am_path_record_clear(&r->record);
}

/* The path until it was stopped. */
static void report_part(const run *r, am_error *err) {
    am_fail(err, AM_ERR_INTERRUPTED, "interrupted at t = %.10g", r->walk.engine.t);
    am_result_set_counts(r->result, AM_NAMED({"corners", r->walk.corners}, {"jumps", r->walk.jumps}));
    am_path_set_state(r->result, r->system, r->walk.engine.state);
    report_energy(r); /* nothing is claimed of a part */
    am_watch_mark(r->result);
}

static am_status run_path(const am_system *system, const am_path_options *options, am_result *result,
                          const am_progress *progress, am_error *err) {
    run r;
    am_status status = run_init(&r, system, options, result, err);
    if (!status)
        status = wants_cycles(options) ? follow_cycles(&r, progress, err) : follow(&r, progress, err);
    if (status == AM_ERR_INTERRUPTED)
        report_part(&r, err);
    if (!status)
        status = report(&r, err);
    run_clear(&r);
    return status;
}

static am_status run_either(const am_system *system, const am_path_options *options, am_result *result,
                            const am_progress *progress, am_error *err) {
    am_result_set_text(result, "method", options->method == AM_PATH_INCREMENTAL ? "incremental" : "exact", NULL);
    return options->method == AM_PATH_INCREMENTAL ? am_path_run_steps(system, options, result, progress, err)
                                                  : run_path(system, options, result, progress, err);
}

/* Springs of contacts become part of the structure, their sliders and depths coordinates. */
static am_status run_with_sliders(const am_system *system, const am_path_options *options, am_result *result,
                                  const am_progress *progress, am_error *err) {
    am_path_options expanded_options = *options;
    AM_LOCAL(am_system_free_at) am_system *expanded = am_sliders_expand(system, err);
    AM_LOCAL_MEMORY double *q = expanded ? am_memory_new(expanded->n, sizeof *q, err) : NULL;
    if (!q)
        return AM_ERR_MEMORY;
    am_sliders_relaxed(system, options->from, options->displacement, q);
    expanded_options.displacement = q;
    return run_either(expanded, &expanded_options, result, progress, err);
}

static am_status path_run_watched(const am_system *system, const am_path_options *options, am_result *result,
                                  const am_progress *progress, am_error *err) {
    AM_TRY(check_options(system, options, err));
    AM_TRY(options->method == AM_PATH_INCREMENTAL ? am_path_check_steps(system, err) : am_path_check(system, err));
    bool springs = options->method != AM_PATH_INCREMENTAL && am_system_springs(system) > 0; /* steps know sliders */
    bool curved = options->method == AM_PATH_INCREMENTAL && am_path_is_curved(system);      /* and these layers */
    return !curved && (springs || am_sliders_pads(system) > 0)
               ? run_with_sliders(system, options, result, progress, err)
               : run_either(system, options, result, progress, err);
}

am_status am_path_run(const am_system *system, const am_path_options *options, am_result *result,
                      const am_progress *progress, am_error *err) {
    am_watch watch;
    AM_TRY(am_analysis_begin(&watch, am_is(system, AM_TAG_SYSTEM) && options, result, progress, __func__, err));
    return am_analysis_end(&watch, result, path_run_watched(system, options, result, progress, err), err);
}
