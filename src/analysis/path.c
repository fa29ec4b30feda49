/* Quasi-static evolution, exact corner to corner: docs/path.md. The engine finds the corners; here they are strung
 * together, sampled, balanced and reported. */
#include "amontons/path.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/path_engine.h"
#include "base/memory.h"
#include "math/dense.h"
#include "system/system.h"

enum { PATH_COOKIE = 0x414d5041 };

am_path_options am_path_options_default(void) {
    return (am_path_options){.on_jump = AM_JUMP_STOP, .samples = 201, .cookie = PATH_COOKIE};
}

/* ---- checking ---- */

static am_status check_function(const am_function *f, const char *what, const char *field, am_error *err) {
    switch (f->kind) {
    case AM_FUNCTION_CONSTANT:
    case AM_FUNCTION_RAMP:
        return AM_OK;
    case AM_FUNCTION_TABLE:
        if (f->period > 0.0 && f->values[0] != f->values[f->count - 1])
            return am_fail_field(err, AM_ERR_UNSUPPORTED, field,
                                 "%s repeats a table that ends at %g and begins at %g: it jumps, and `path` follows "
                                 "continuous loads; make both values equal",
                                 what, f->values[f->count - 1], f->values[0]);
        return AM_OK;
    case AM_FUNCTION_SINE:
    case AM_FUNCTION_PULSE:
        return am_fail_field(
            err, AM_ERR_UNSUPPORTED, field,
            "%s is a %s: `path` follows loads that are constant, ramps or piecewise-linear tables so far; "
            "smooth loads come later (a fine table does meanwhile)",
            what, am_function_kind_name(f->kind));
    case AM_FUNCTION_IMPULSE:
        return am_fail_field(err, AM_ERR_UNSUPPORTED, field,
                             "%s is an impulse, which has no quasi-static meaning; use `motion`", what);
    }
    return am_fail_field(err, AM_ERR_INPUT, field, "%s has an unknown kind of function", what);
}

static am_status check_system(const am_system *system, am_error *err) {
    char what[64], field[64];
    for (size_t l = 0; l < system->loads; l++) {
        snprintf(what, sizeof what, "load %zu", l + 1);
        snprintf(field, sizeof field, "loads[%zu].function", l);
        am_status status = check_function(&system->load[l].function, what, field, err);
        if (status)
            return status;
    }
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (contact->static_friction > contact->friction)
            return am_fail(
                err, AM_ERR_UNSUPPORTED,
                "friction of %s drops from %g to %g when it slips: every slip then begins with a jump that only "
                "dynamics can follow; use `motion`, or equal coefficients",
                contact->name, contact->static_friction, contact->friction);
        if (contact->normal_law != AM_HELD)
            continue;
        snprintf(what, sizeof what, "the held normal force of contact %zu", c + 1);
        snprintf(field, sizeof field, "contacts[%zu].hold", c);
        am_status status = check_function(&contact->hold, what, field, err);
        if (status)
            return status;
    }
    return AM_OK;
}

static am_status check_options(const am_system *system, const am_path_options *options, am_error *err) {
    if (!options || options->cookie != PATH_COOKIE)
        return am_fail(err, AM_ERR_INPUT, "options of `path` must come from am_path_options_default()");
    if (!isfinite(options->from) || !isfinite(options->until) || !(options->until > options->from))
        return am_fail_field(err, AM_ERR_INPUT, "until",
                             "the end time %g must be finite and later than the start time %g", options->until,
                             options->from);
    for (size_t i = 0; options->displacement && i < system->n; i++)
        if (!isfinite(options->displacement[i]))
            return am_fail_field(err, AM_ERR_INPUT, "displacement", "%s is not a finite number", system->name[i]);
    for (size_t c = 0; options->start && c < system->m; c++)
        if ((int)options->start[c] < 0 || options->start[c] > AM_BACKWARD)
            return am_fail_field(err, AM_ERR_INPUT, "start", "unknown contact state of %s", system->contact[c].name);
    if (options->on_jump != AM_JUMP_STOP && options->on_jump != AM_JUMP_RELEASE)
        return am_fail_field(err, AM_ERR_INPUT, "on_jump", "unknown way to deal with jumps");
    return AM_OK;
}

/* ---- a run ---- */

typedef struct balance {
    double stored_first, stored;
    double work_loads, work_surface, loss_friction, loss_jump;
    double moved; /* sum of absolute amounts */
    double residual;
} balance;

typedef struct run {
    const am_system *system;
    const am_path_options *options;
    am_path_engine engine;
    am_result *result;
    am_table *corners, *samples;
    am_text name;
    am_contact_state *before; /* m */
    am_path_point shown;      /* what is being put into a table */
    double *memory;           /* of shown and work */
    double *work;             /* n */
    size_t next_sample;
    bool due; /* a row of `samples` is due at the beginning of the next stretch */
    size_t corner_count, jump_count, stalled;
    double first_jump;
    double equilibrium, complementarity;
    balance energy;
} run;

/* ---- tables ---- */

static am_status add_columns(const run *r, am_table *table, bool with_cause, am_error *err) {
    am_status status = am_table_add_column(table, "t", "", AM_COLUMN_NUMBER, err);
    if (!status)
        status = am_table_add_column(table, "state", "", AM_COLUMN_TEXT, err);
    if (!status && with_cause)
        status = am_table_add_column(table, "cause", "", AM_COLUMN_TEXT, err);
    for (size_t i = 0; i < r->system->n && !status; i++)
        status = am_table_add_column(table, r->system->name[i], "", AM_COLUMN_NUMBER, err);
    for (size_t i = 0; i < 2 * r->system->m && !status; i++) {
        char name[32];
        snprintf(name, sizeof name, "%c%zu", i < r->system->m ? 'N' : 'T', i % r->system->m + 1);
        status = am_table_add_column(table, name, "", AM_COLUMN_NUMBER, err);
    }
    return status;
}

/* One row: time, state, cause (NULL: the table has none), displacements and forces. */
static am_status add_row(run *r, am_table *table, double t, const am_contact_state *state, const char *cause,
                         const am_path_point *p, am_error *err) {
    size_t column = 0, n = r->system->n, m = r->system->m;
    am_status status = am_table_add_row(table, err);
    if (status)
        return status;
    am_text_clear(&r->name);
    am_candidates_name(&r->name, state, m);
    status = am_text_status(&r->name, err);
    am_table_set_number(table, column++, t);
    if (!status)
        status = am_table_set_text(table, column++, am_text_view(&r->name), err);
    if (!status && cause)
        status = am_table_set_text(table, column++, cause, err);
    for (size_t i = 0; i < n; i++)
        am_table_set_number(table, column++, p->q[i]);
    for (size_t c = 0; c < m; c++)
        am_table_set_number(table, column++, p->normal[c]);
    for (size_t c = 0; c < m; c++)
        am_table_set_number(table, column++, p->tangential[c]);
    return status;
}

static double sample_time(const run *r, size_t index) {
    const am_path_options *o = r->options;
    if (index >= o->samples)
        return INFINITY;
    if (index + 1 == o->samples && index > 0)
        return o->until;
    return o->from + (o->until - o->from) * ((double)index / (double)(o->samples > 1 ? o->samples - 1 : 1));
}

static am_status sample_at(run *r, double t, am_error *err) {
    const am_path_engine *e = &r->engine;
    double since = t - e->t;
    for (size_t i = 0; i < e->n; i++)
        r->shown.q[i] = e->now.q[i] + since * e->rate.q[i];
    for (size_t c = 0; c < e->m; c++) {
        r->shown.normal[c] = e->now.normal[c] + since * e->rate.normal[c];
        r->shown.tangential[c] = e->now.tangential[c] + since * e->rate.tangential[c];
    }
    return add_row(r, r->samples, t, e->state, NULL, &r->shown, err);
}

/* All rows of `samples` from the present time up to, but without, `to`. */
static am_status sample_stretch(run *r, double to, am_error *err) {
    am_status status = AM_OK;
    if (r->due && sample_time(r, r->next_sample) > r->engine.t)
        status = sample_at(r, r->engine.t, err);
    r->due = false;
    for (; !status && sample_time(r, r->next_sample) < to; r->next_sample++)
        status = sample_at(r, sample_time(r, r->next_sample), err);
    return status;
}

/* ---- evidence ---- */

static double stored_energy(run *r) {
    am_matrix_apply(r->system->K, r->engine.now.q, r->work);
    return 0.5 * am_dense_dot(r->engine.now.q, r->work, r->engine.n);
}

static void balance_stretch(run *r, double to) {
    const am_path_engine *e = &r->engine;
    double length = to - e->t, work = 0.0;
    for (size_t i = 0; i < e->n; i++) /* exact: the force is linear, the velocity constant */
        work += length * e->rate.q[i] * (e->force[i] + 0.5 * length * e->force_rate[i]);
    r->energy.work_loads += work;
    r->energy.moved += fabs(work);
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &r->system->contact[c];
        double mean = e->now.tangential[c] + 0.5 * length * e->rate.tangential[c];
        double slip = am_dense_dot(contact->tangent, e->rate.q, e->n) - contact->surface_velocity;
        double surface = length * mean * contact->surface_velocity;
        r->energy.work_surface += surface;
        r->energy.moved += fabs(surface);
        if (e->state[c] != AM_FORWARD && e->state[c] != AM_BACKWARD)
            continue;
        r->energy.loss_friction -= length * mean * slip;
        r->energy.moved += fabs(length * mean * slip);
    }
}

static void close_balance(run *r) {
    balance *b = &r->energy;
    b->stored = stored_energy(r);
    double open = b->stored - b->stored_first - b->work_loads - b->work_surface + b->loss_friction + b->loss_jump;
    double scale = fmax(b->moved, fmax(b->stored, b->stored_first));
    if (scale > 0.0)
        b->residual = fmax(b->residual, fabs(open) / scale);
}

static void note_worst(double *worst, double value, double scale) {
    if (scale > 0.0 && !(value / scale <= *worst))
        *worst = value / scale;
}

/* Equilibrium and contact laws of the present point, from the definitions alone. */
static void check_point(run *r) {
    const am_path_engine *e = &r->engine;
    am_matrix_apply(r->system->K, e->now.q, r->work);
    for (size_t i = 0; i < e->n; i++)
        r->work[i] -= e->force[i];
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &r->system->contact[c];
        bool held = contact->normal_law == AM_HELD; /* its normal force is among the loads already */
        double N = e->now.normal[c], T = e->now.tangential[c], mu = contact->friction;
        for (size_t i = 0; i < e->n; i++)
            r->work[i] -= (held ? 0.0 : contact->normal[i] * N) + contact->tangent[i] * T;
        note_worst(&r->complementarity, fmax(-N, fabs(T) - mu * N), e->force_scale);
        double gap = am_path_engine_gap(e, c, e->now.q), size = fabs(contact->gap);
        for (size_t i = 0; i < e->n; i++)
            size += fabs(contact->normal[i]) * e->q_scale[i];
        if (!held)
            note_worst(&r->complementarity, e->state[c] == AM_OPEN ? -gap : fabs(gap), size);
    }
    for (size_t i = 0; i < e->n; i++)
        note_worst(&r->equilibrium, fabs(r->work[i]), e->force_scale);
}

/* ---- corners ---- */

static const char *cause_of(const am_path_engine *e) {
    unsigned char all = 0;
    for (size_t c = 0; c < e->m; c++)
        all |= e->hit[c];
    return all & AM_HIT_GAP                           ? "touch_down"
           : all & AM_HIT_NORMAL                      ? "lift_off"
           : all & (AM_HIT_FORWARD | AM_HIT_BACKWARD) ? "slip"
                                                      : "load";
}

/* Where nothing goes on: stop, or let go and note the point before and after. */
static am_status jump(run *r, am_error *err) {
    am_path_engine *e = &r->engine;
    if (r->options->on_jump == AM_JUMP_STOP)
        return am_path_engine_no_state(e, err);
    am_status status = add_row(r, r->corners, e->t, e->state, "jump", &e->now, err);
    if (!status)
        status = add_row(r, r->samples, e->t, e->state, NULL, &e->now, err);
    if (status)
        return status;
    double stored = stored_energy(r);
    memcpy(r->shown.q, e->now.q, e->n * sizeof *r->shown.q);
    status = am_path_engine_release(e, err);
    if (status)
        return status;
    double work = 0.0;
    for (size_t i = 0; i < e->n; i++)
        work += e->force[i] * (e->now.q[i] - r->shown.q[i]);
    double loss = work - (stored_energy(r) - stored);
    r->energy.work_loads += work;
    r->energy.loss_jump += loss;
    r->energy.moved += fabs(work) + fabs(loss);
    if (r->jump_count++ == 0)
        r->first_jump = e->t;
    r->corner_count++;
    r->due = true;
    check_point(r);
    return add_row(r, r->corners, e->t, e->state, "jump", &e->now, err);
}

/* Decide how to go on from the present time; a change of state becomes a corner. */
static am_status decide(run *r, const char *cause, const am_contact_state *start, am_error *err) {
    am_path_engine *e = &r->engine;
    bool found = false;
    for (int jumps = 0; !found; jumps++) {
        memcpy(r->before, e->state, e->m * sizeof *r->before);
        am_status status = am_path_engine_decide(e, start, &found, err);
        if (status)
            return status;
        if (found)
            break;
        if (jumps > 0 || start)
            return am_path_engine_no_state(e, err);
        status = jump(r, err);
        if (status)
            return status;
        cause = "load";
    }
    bool first = am_table_rows(r->corners) == 0;
    if (!first && memcmp(r->before, e->state, e->m * sizeof *r->before) == 0)
        return AM_OK;
    r->corner_count += first ? 0 : 1;
    r->due = true;
    return add_row(r, r->corners, e->t, e->state, cause, &e->now, err);
}

/* A path that changes state again and again without getting on has met something this method cannot resolve. */
static am_status check_progress(run *r, double to, am_error *err) {
    r->stalled = to > r->engine.t ? 0 : r->stalled + 1;
    if (r->stalled > 16 + 4 * r->engine.m)
        return am_fail(err, AM_ERR_LIMIT, "at t = %.10g the contact states keep changing without the path getting on",
                       r->engine.t);
    return AM_OK;
}

/* One stretch: to the next corner or break, and the decision there. */
static am_status stretch(run *r, am_error *err) {
    am_path_engine *e = &r->engine;
    double limit = fmin(am_system_next_break(r->system, e->t), r->options->until);
    double to = am_path_engine_reach(e, limit);
    am_status status = check_progress(r, to, err);
    if (!status)
        status = sample_stretch(r, to, err);
    if (status)
        return status;
    balance_stretch(r, to);
    status = am_path_engine_advance(e, to, err);
    if (status)
        return status;
    check_point(r);
    close_balance(r);
    if (to >= r->options->until)
        return AM_OK;
    return decide(r, cause_of(e), NULL, err);
}

static am_status follow(run *r, const am_progress *progress, am_error *err) {
    const am_path_options *o = r->options;
    am_path_engine *e = &r->engine;
    am_status status = am_path_engine_place(e, o->from, o->displacement, o->start, err);
    if (status)
        return status;
    r->energy.stored_first = stored_energy(r);
    check_point(r);
    status = decide(r, "start", o->start, err);
    while (!status && e->t < o->until) {
        status = stretch(r, err);
        if (!status && !am_progress_report(progress, (e->t - o->from) / (o->until - o->from)))
            status =
                am_fail(err, AM_ERR_INTERRUPTED, "stopped at t = %.10g, before the end at t = %.10g", e->t, o->until);
    }
    return status ? status : add_row(r, r->samples, e->t, e->state, NULL, &e->now, err);
}

/* ---- report ---- */

static am_status report_energy(const run *r, am_error *err) {
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"energy_stored", r->energy.stored},
                   {"work_loads", r->energy.work_loads},
                   {"work_surface", r->energy.work_surface},
                   {"loss_friction", r->energy.loss_friction},
                   {"loss_jump", r->energy.loss_jump},
                   {"energy_residual", r->energy.residual},
                   {"equilibrium_residual", r->equilibrium},
                   {"complementarity_residual", r->complementarity},
                   {"continuity_residual", am_path_engine_continuity(&r->engine)}};
    am_status status = AM_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = am_result_set_number(r->result, numbers[i].name, numbers[i].value, err);
    return status;
}

static am_status report(run *r, am_error *err) {
    am_text_clear(&r->name);
    am_candidates_name(&r->name, r->engine.state, r->engine.m);
    am_status status = am_text_status(&r->name, err);
    if (!status)
        status = am_result_set_count(r->result, "corners", r->corner_count, err);
    if (!status)
        status = am_result_set_count(r->result, "jumps", r->jump_count, err);
    if (!status)
        status = r->jump_count > 0 ? am_result_set_number(r->result, "first_jump", r->first_jump, err)
                                   : am_result_set_none(r->result, "first_jump", err);
    if (!status)
        status = am_result_set_text(r->result, "final_state", am_text_view(&r->name), err);
    if (!status)
        status = report_energy(r, err);
    /* Rounding leaves 1e-12 and less unless a combination is nearly singular; beyond 1e-8 digits that matter are gone.
     */
    double worst =
        fmax(fmax(r->energy.residual, am_path_engine_continuity(&r->engine)), fmax(r->equilibrium, r->complementarity));
    if (!status && !(worst <= 1e-8))
        status = am_fail(err, AM_ERR_EVIDENCE,
                         "the path does not pass its own check: energy %.3g, equilibrium %.3g, contact laws %.3g, "
                         "continuity %.3g",
                         r->energy.residual, r->equilibrium, r->complementarity, am_path_engine_continuity(&r->engine));
    return status;
}

static am_status run_init(run *r, const am_system *system, const am_path_options *options, am_result *result,
                          am_error *err) {
    *r = (run){.system = system, .options = options, .result = result};
    am_status status = am_path_engine_init(&r->engine, system, err);
    if (status)
        return status;
    r->memory = am_memory_new(2 * (system->n + system->m), sizeof *r->memory, err);
    r->before = am_memory_new(system->m, sizeof *r->before, err);
    if (!r->memory || !r->before)
        return AM_ERR_MEMORY;
    r->work = r->memory;
    r->shown = (am_path_point){r->memory + system->n, r->memory + 2 * system->n, r->memory + 2 * system->n + system->m};
    r->corners = am_result_add_table(result, "corners", err);
    r->samples = r->corners ? am_result_add_table(result, "samples", err) : NULL;
    if (!r->samples)
        return err && err->status ? err->status : AM_ERR_MEMORY;
    status = add_columns(r, r->corners, true, err);
    return status ? status : add_columns(r, r->samples, false, err);
}

static void run_clear(run *r) {
    am_path_engine_clear(&r->engine);
    am_memory_free(r->memory);
    am_memory_free(r->before);
    am_text_free(&r->name);
}

am_status am_path_run(const am_system *system, const am_path_options *options, am_result *result,
                      const am_progress *progress, am_error *err) {
    am_status status = check_options(system, options, err);
    if (!status && am_system_has_springs(system))
        status = am_fail(err, AM_ERR_UNSUPPORTED,
                         "path does not know springs in series with a slider (tangential_stiffness)");
    if (!status)
        status = check_system(system, err);
    if (status)
        return status;
    run r;
    status = run_init(&r, system, options, result, err);
    if (!status)
        status = follow(&r, progress, err);
    if (!status)
        status = report(&r, err);
    run_clear(&r);
    return status;
}
