#include <math.h>
#include <string.h>

#include "analyses/path/path_internal.h"
#include "base/columns.h"
#include "base/local.h"
#include "base/text.h"
#include "base/worse.h"
#include "engines/quasistatic/check.h"
#include "engines/quasistatic/incremental.h"
#include "engines/quasistatic/path_walk.h"
#include "math/p_matrix.h"
#include "system/observer.h"
#include "system/system.h"

/* Cycles repeat when positions differ by less than this fraction of their size: the steps are solved to about 1e-12. */
static const double same_position = 1e-10;

/* Minors looked at before the rates' uniqueness counts as unknown. */
static const size_t uniqueness_budget = 200000;

/* Of each diagonal entry: what holds a structure that floats, in the question of uniqueness. */
static const double floating_part = 1e-9;

/* One walk over the loads. */
typedef struct walk {
    am_arena memory;
    const am_system *system;
    const am_path_options *options;
    am_path_incremental path;
    am_result *result;
    am_table *corners, *samples;
    am_text name;
    am_contact_state *before; /* m */
    double *q, *force;        /* n: coordinates; workspace: p of the reduced stiffness */
    double shift;             /* time shown minus the path's, which begins anew with every cycle */
    double next_sample, interval;
    bool aside; /* what is walked now is no part of the path, and in no table */
    size_t steps, iterations, pivots, corner_count, most_moving, jumps;
    double loss, residual, first_jump;
    double *contact_loss, *contact_slip; /* m */
} walk;

/* ---- tables ---- */

static am_status add_row(walk *w, am_table *table, const char *cause, am_error *err) {
    const am_path_incremental *p = &w->path;
    if (w->aside)
        return AM_OK;
    AM_TRY(am_path_incremental_coordinates(&w->path, w->q, err));
    am_path_row row = {w->shift + p->t, p->state, cause, w->q, p->normal, p->tangential, p->second};
    AM_TRY(am_path_table_add(table, w->system, &row, &w->name, err));
    return table != w->samples ? AM_OK : am_path_show(w->result, w->system, &row, false, err);
}

/* ---- walking ---- */

static double largest_coefficient(const am_system *system, size_t c) {
    const am_contact_def *contact = &system->contact[c];
    return fmax(contact->friction, contact->static_friction);
}

/* A and mu B of Condition 3.1 (docs/uniqueness.md), with the largest coefficients that contacts can have. A structure
 * that floats resists everything but motion as a whole, which the last part of the diagonal stands for. */
static void fill_family(const am_path_incremental *path, double *A, double *coupling) {
    size_t m = path->m;
    for (size_t c = 0; c < m; c++) {
        double mu = largest_coefficient(path->system, c);
        for (size_t d = 0; d < m; d++) {
            A[c * m + d] = path->reduced.A[c * m + d];
            coupling[c * m + d] = mu * path->reduced.B[c * m + d];
        }
        if (path->reduced.floating)
            A[c * m + c] *= 1.0 + floating_part;
    }
}

/* Where rates are known not to be unique, a step must be divided before it is believed: it could hide a jump. Where the
 * question stays open (too many contacts), each step shows for itself that there is one way only. */
static am_status ask_uniqueness(walk *w, am_error *err) {
    size_t m = w->path.m;
    if (w->path.planes) {
        bool tame;
        AM_TRY(am_path_plane_is_tame(&w->path, &tame, err));
        w->path.proportionate = tame ? w->path.proportionate : 0.0;
        return AM_OK;
    }
    AM_LOCAL_ARENA memory = {0};
    double *A = am_arena_new(&memory, m * m, sizeof *A, err),
           *coupling = am_arena_new(&memory, m * m, sizeof *coupling, err);
    int *choice = am_arena_new(&memory, m, sizeof *choice, err);
    am_p_report report = {.verdict = AM_P_BUDGET};
    AM_TRY(am_arena_status(&memory));
    fill_family(&w->path, A, coupling);
    AM_TRY(am_p_family(A, coupling, m, uniqueness_budget, choice, &report, err));
    w->path.prove = report.verdict != AM_P_YES && report.verdict != AM_P_NO;
    if (report.verdict != AM_P_YES && !w->path.prove)
        w->path.proportionate = 0.0;
    return AM_OK;
}

static am_status walk_init(walk *w, const am_system *system, const am_path_options *options, am_result *result,
                           am_error *err) {
    *w = (walk){.system = system, .options = options, .result = result};
    AM_TRY(am_path_incremental_init(&w->path, system, err));
    if (!w->path.curved) /* each of its steps asks for itself */
        AM_TRY(ask_uniqueness(w, err));
    w->path.let_jump = options->on_jump == AM_JUMP_RELEASE;
    size_t n = system->n, m = system->m;
    w->q = am_arena_doubles(&w->memory, NULL, n, err);
    AM_ARENA_DOUBLES(&w->memory, m, err, &w->contact_loss, &w->contact_slip);
    w->force = am_arena_doubles(&w->memory, NULL, w->path.p, err);
    w->before = am_arena_new(&w->memory, m, sizeof *w->before, err);
    w->corners = am_path_table_create(result, "corners", system, true);
    w->samples = am_path_table_create(result, "samples", system, false);
    return am_arena_status(&w->memory);
}

static void walk_clear(walk *w) {
    am_path_incremental_clear(&w->path);
    am_arena_clear(&w->memory);
    am_text_free(&w->name);
}

static am_status place(walk *w, am_error *err) {
    const am_path_options *o = w->options;
    AM_TRY(o->position ? am_path_incremental_stand(&w->path, o->from, o->position, err)
                       : am_path_incremental_place(&w->path, o->from, o->displacement, err));
    w->residual = w->path.last.residual;
    return add_row(w, w->corners, "start", err);
}

static am_status one_step(walk *w, double to, am_error *err) {
    am_path_incremental *p = &w->path;
    memcpy(w->before, p->state, p->m * sizeof *w->before);
    if (w->shift + p->t >= w->next_sample) {
        AM_TRY(add_row(w, w->samples, NULL, err));
        w->next_sample += w->interval;
    }
    AM_TRY(am_path_incremental_step(p, to, err));
    w->steps++;
    if (p->last.jumps > 0 && w->jumps == 0)
        w->first_jump = w->shift + p->last.jump_time;
    w->jumps += p->last.jumps;
    w->iterations += p->last.iterations;
    w->pivots += p->last.pivots;
    w->most_moving = p->last.moving > w->most_moving ? p->last.moving : w->most_moving;
    w->residual = am_worse(w->residual, p->last.residual);
    w->loss += p->last.dissipation;
    for (size_t c = 0; c < p->m; c++) {
        w->contact_loss[c] += p->loss[c];
        w->contact_slip[c] += fabs(p->slip[c]);
    }
    if (memcmp(w->before, p->state, p->m * sizeof *w->before) == 0)
        return AM_OK;
    w->corner_count++;
    return add_row(w, w->corners, "step", err);
}

/* From the present time to `until` in equal steps; a break of a load is never stepped over. */
static am_status steps_to(walk *w, double until, const am_progress *progress, am_error *err) {
    double from = w->path.t, before = from, length = until - from;
    size_t count = w->options->steps, done = 0;
    for (size_t i = 1; i <= count; i++) {
        double to = i == count ? until : from + length * ((double)i / (double)count);
        while (w->path.t < to) {
            double next = am_system_next_break(w->system, w->path.t);
            AM_TRY(one_step(w, next < to ? next : to, err));
            if (++done % AM_PATH_MEASURED == 0) {
                AM_TRY(am_path_check_pace(done, w->path.t - before, w->path.t, until, err));
                before = w->path.t;
            }
        }
        if (progress && !am_progress_report(progress, (double)i / (double)count))
            return am_fail(err, AM_ERR_INTERRUPTED, "stopped at t = %.10g, before the end at t = %.10g", w->path.t,
                           until);
    }
    return AM_OK;
}

/* ---- cycles ---- */

typedef struct history {
    size_t length, count;
    size_t places;    /* positions along all tangents */
    double *position; /* length x places */
    double *slid;     /* length x m: what the contacts' laws still know of their slip */
} history;

/* The distance slid as far as the law of a contact cares: beyond its reach nothing changes any more. */
static double remembered(const walk *w, size_t c) {
    return fmin(w->path.slid[c], am_friction_reach(&w->system->contact[c].weakening));
}

/* First tangents, then second ones where there are any. */
static double place_of(const walk *w, size_t i) {
    return i < w->path.m ? w->path.position[i] : w->path.place_across[i - w->path.m];
}

/* How many cycles ago the contacts stood where they stand now; 0: never. */
static size_t repetition(const history *h, const walk *w, size_t most_period) {
    size_t m = w->path.m;
    for (size_t back = 1; back <= most_period && back <= h->count && back <= h->length; back++) {
        size_t row = (h->count - back) % h->length;
        const double *then = h->position + row * h->places, *slid = h->slid + row * m;
        double off = 0.0, size = 0.0;
        bool same_law = true;
        for (size_t i = 0; i < h->places; i++) {
            off = fmax(off, fabs(place_of(w, i) - then[i]));
            size = fmax(size, fabs(then[i]));
        }
        for (size_t c = 0; c < m; c++) {
            same_law = same_law && fabs(remembered(w, c) - slid[c]) <=
                                       same_position * am_friction_reach(&w->system->contact[c].weakening);
        }
        if (off <= same_position * size && same_law)
            return back;
    }
    return 0;
}

static void note(history *h, const walk *w) {
    size_t row = h->count++ % h->length;
    for (size_t i = 0; i < h->places; i++)
        h->position[row * h->places + i] = place_of(w, i);
    for (size_t c = 0; c < w->path.m; c++)
        h->slid[row * w->path.m + c] = remembered(w, c);
}

typedef struct outcome {
    size_t period, cycles;
    double dissipation;
} outcome;

static am_status one_cycle(walk *w, double length, am_error *err) {
    AM_TRY(steps_to(w, w->options->from + length, NULL, err));
    w->shift += length;
    w->path.t = w->options->from; /* an instant with the same loads: thousands of cycles do not drift */
    return AM_OK;
}

static am_status cycles(walk *w, double length, history *h, outcome *o, const am_progress *progress, am_error *err) {
    const am_path_options *options = w->options;
    size_t most = options->until_repeat ? options->most_cycles : options->cycles;
    for (size_t k = 1; k <= most; k++) {
        note(h, w);
        AM_TRY(one_cycle(w, length, err));
        size_t period = repetition(h, w, options->most_period);
        if (o->period == 0) {
            o->cycles = k;
            o->period = period;
        }
        if (o->period > 0 && options->until_repeat)
            return AM_OK;
        if (progress && !am_progress_report(progress, (double)k / (double)most))
            return am_fail(err, AM_ERR_INTERRUPTED, "stopped after %zu cycles of the load", k);
    }
    return AM_OK;
}

/* One more period for its own slips and losses. It is no part of the path, whose counts and time stay as they are. */
static am_status measure_period(walk *w, double length, outcome *o, am_error *err) {
    const walk path = *w;
    am_status status = AM_OK;
    memset(w->contact_loss, 0, w->path.m * sizeof *w->contact_loss);
    memset(w->contact_slip, 0, w->path.m * sizeof *w->contact_slip);
    w->aside = true;
    for (size_t i = 0; i < o->period && !status; i++)
        status = one_cycle(w, length, err);
    o->dissipation = w->loss - path.loss;
    w->aside = false;
    w->shift = path.shift;
    w->next_sample = path.next_sample;
    w->corner_count = path.corner_count;
    w->jumps = path.jumps;
    w->loss = path.loss;
    return status;
}

static void report_contacts(const walk *w) {
    am_table *table = am_result_describe_table(w->result, "contacts", "contact slip dissipation");
    for (size_t c = 0; c < w->path.m; c++) {
        am_table_add_numbers(table, AM_NUMBERS(w->contact_slip[c], w->contact_loss[c]));
        am_table_set_text(table, 0, am_system_contact_name(w->system, c), NULL);
    }
}

static void report_cycles(const walk *w, const outcome *o, double length) {
    am_result *r = w->result;
    double slip = 0.0;
    for (size_t c = 0; c < w->path.m; c++)
        slip += w->contact_slip[c];
    am_result_set_flag(r, "repeats", o->period > 0, NULL);
    am_result_set_number(r, "load_period", length, NULL);
    am_result_set_count(r, "cycles", o->cycles, NULL);
    if (o->period == 0)
        return;
    am_result_set_number(r, "period", (double)o->period * length, NULL);
    am_result_set_count(r, "period_cycles", o->period, NULL);
    am_result_set_count(r, "cycles_to_repeat", o->cycles, NULL);
    am_result_set_number(r, "dissipation", o->dissipation, NULL);
    am_result_set_flag(r, "shakedown", slip == 0.0, NULL);
    report_contacts(w);
}

static am_status run_cycles(walk *w, const am_progress *progress, am_error *err) {
    double length;
    outcome o = {0};
    history h = {.length = w->options->most_period + 1, .places = w->path.m * (w->path.planes ? 2 : 1)};
    AM_TRY(am_path_check_cycle(w->system, &length, err));
    h.position = am_arena_doubles(&w->memory, NULL, h.length * h.places, err);
    h.slid = am_arena_doubles(&w->memory, NULL, h.length * w->path.m, err);
    if (am_arena_status(&w->memory))
        return AM_ERR_MEMORY;
    w->interval = w->options->samples > 1 ? length / (double)(w->options->samples - 1) : length;
    AM_TRY(cycles(w, length, &h, &o, progress, err));
    if (o.period > 0)
        AM_TRY(measure_period(w, length, &o, err));
    report_cycles(w, &o, length);
    const am_period seen = {.period = (double)o.period * length, .dissipation = o.dissipation};
    return o.period > 0 ? am_observe_period(w->result, &seen, err) : AM_OK;
}

/* ---- report ---- */

static am_status report(walk *w, am_error *err) {
    am_result *r = w->result;
    am_result_set_counts(r, AM_NAMED({"corners", w->corner_count}, {"steps", w->steps}, {"iterations", w->iterations},
                                     {"pivots", w->pivots}, {"most_moving", w->most_moving}, {"jumps", w->jumps}));
    am_path_set_state(r, w->system, w->path.state);
    double last = am_path_incremental_residual(&w->path, w->force), worst = am_worse(w->residual, last);
    am_result_set_numbers(r, AM_NAMED({"first_jump", w->jumps > 0 ? w->first_jump : NAN}, {"loss_friction", w->loss},
                                      {"complementarity_residual", worst}));
    if (!(worst <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE, "the path does not pass its own check: contact laws %.3g", worst);
    return AM_OK;
}

static am_status run_steps(walk *w, const am_progress *progress, am_error *err) {
    const am_path_options *o = w->options;
    bool cycle = o->until_repeat || o->cycles > 0;
    w->next_sample = o->from;
    if (!cycle && o->samples > 1)
        w->interval = (o->until - o->from) / (double)(o->samples - 1);
    AM_TRY(place(w, err));
    AM_TRY(cycle ? run_cycles(w, progress, err) : steps_to(w, o->until, progress, err));
    AM_TRY(add_row(w, w->samples, NULL, err));
    return report(w, err);
}

am_status am_path_run_steps(const am_system *system, const am_path_options *options, am_result *result,
                            const am_progress *progress, am_error *err) {
    AM_LOCAL(walk_clear) walk w = {0};
    AM_TRY(walk_init(&w, system, options, result, err));
    return run_steps(&w, progress, err);
}
