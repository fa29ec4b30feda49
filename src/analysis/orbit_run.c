/* Analysis `orbit`: transient, closing, and the tables that describe the orbit. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analysis/engine.h"
#include "analysis/orbit_walk.h"
#include "base/columns.h"
#include "base/memory.h"

/* An orbit whose own check fails is not reported. */
static const double worst_closing = 1e-12, worst_trivial = 1e-8;

/* Pieces of a span in which a coordinate is taken to have at most one extremum: a span is about a third of the shortest
 * period. */
enum { PIECES = 16 };

/* Ranges over one period. */
typedef struct range {
    double least, largest;
} range;

typedef struct portrait {
    const am_system *system;
    const am_orbit_options *options;
    am_motion *engine;
    am_orbit orbit;
    am_orbit_search search;
    size_t n, m;
    range *displacement, *velocity; /* n each */
    double *q, *v, *N, *T;
    am_contact_state *state; /* m: during the span */
    am_table *switches, *samples;
    size_t next_sample;
} portrait;

/* ---- exact extrema ---- */

static double polynomial(const double *a, double s) {
    double value = a[AM_DEGREE];
    for (size_t k = AM_DEGREE; k-- > 0;)
        value = value * s + a[k];
    return value;
}

static void include(range *r, double value) {
    r->least = fmin(r->least, value);
    r->largest = fmax(r->largest, value);
}

/* A zero of the derivative b between low and high, where its sign changes. */
static double turning_point(const double *b, double low, double high) {
    bool rises = polynomial(b, low) < 0.0;
    for (size_t i = 0; i < 60 && high - low > DBL_EPSILON; i++) {
        double middle = 0.5 * (low + high);
        if ((polynomial(b, middle) < 0.0) == rises)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Range of the polynomial a on [0, 1]. Its value at a turning point is exact to second order in the place of it. */
static void include_polynomial(range *r, const double *a) {
    double b[AM_COEFFICIENTS], below = 0.0;
    for (size_t k = 1; k < AM_COEFFICIENTS; k++) {
        b[k - 1] = (double)k * a[k];
        below += fabs(a[k]);
    }
    b[AM_DEGREE] = 0.0;
    if (a[0] + below <= r->largest && a[0] - below >= r->least)
        return;
    include(r, a[0]);
    double before = b[0];
    for (size_t i = 1; i <= PIECES; i++) {
        double s = (double)i / PIECES, here = polynomial(b, s);
        if ((before < 0.0) != (here < 0.0))
            include(r, polynomial(a, turning_point(b, s - 1.0 / PIECES, s)));
        before = here;
    }
    include(r, polynomial(a, 1.0));
}

/* The span just passed. */
static void look_for_extrema(portrait *p) {
    const am_motion *e = p->engine;
    double a[AM_COEFFICIENTS];
    for (size_t i = 0; i < 2 * p->n; i++) {
        double power = 1.0;
        for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= e->span_length)
            a[k] = power * e->series[k * e->plan.nx + i];
        include_polynomial(i < p->n ? &p->displacement[i] : &p->velocity[i - p->n], a);
    }
}

/* ---- tables ---- */

static am_status add_numbered(am_table *table, const char *before, size_t count, am_column_kind kind, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 1; i <= count && !status; i++) {
        char name[48];
        snprintf(name, sizeof name, "%s%zu", before, i);
        status = am_table_add_column(table, name, "", kind, err);
    }
    return status;
}

static am_status make_switches(portrait *p, am_result *result, am_error *err) {
    static const am_column columns[] = {{"t", AM_COLUMN_NUMBER},
                                        {"contact", AM_COLUMN_NUMBER},
                                        {"from", AM_COLUMN_TEXT},
                                        {"to", AM_COLUMN_TEXT},
                                        {"cause", AM_COLUMN_TEXT}};
    p->switches = am_result_add_table(result, "switches", err);
    if (!p->switches)
        return AM_ERR_MEMORY;
    am_status status = am_table_add_columns(p->switches, columns, 5, err);
    if (!status)
        status = add_numbered(p->switches, "q", p->n, AM_COLUMN_NUMBER, err);
    return status ? status : add_numbered(p->switches, "v", p->n, AM_COLUMN_NUMBER, err);
}

static am_status make_samples(portrait *p, am_result *result, am_error *err) {
    if (p->options->samples == 0)
        return AM_OK;
    p->samples = am_result_add_table(result, "samples", err);
    if (!p->samples)
        return AM_ERR_MEMORY;
    am_status status = am_table_add_column(p->samples, "t", "", AM_COLUMN_NUMBER, err);
    for (size_t i = 0; i < p->n && !status; i++)
        status = am_table_add_column(p->samples, am_system_name(p->system, i), "", AM_COLUMN_NUMBER, err);
    for (size_t i = 0; i < p->n && !status; i++) {
        char name[128];
        snprintf(name, sizeof name, "%.100sdot", am_system_name(p->system, i));
        status = am_table_add_column(p->samples, name, "", AM_COLUMN_NUMBER, err);
    }
    if (!status)
        status = add_numbered(p->samples, "N", p->m, AM_COLUMN_NUMBER, err);
    if (!status)
        status = add_numbered(p->samples, "T", p->m, AM_COLUMN_NUMBER, err);
    return status ? status : add_numbered(p->samples, "state", p->m, AM_COLUMN_TEXT, err);
}

static size_t set_numbers(am_table *table, size_t column, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        am_table_set_number(table, column + i, values[i]);
    return column + count;
}

static am_status switch_rows(portrait *p, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < am_motion_switches(p->engine) && !status; i++) {
        const am_switch *s = am_motion_switch(p->engine, i);
        status = am_table_add_row(p->switches, err);
        if (status)
            break;
        am_table_set_number(p->switches, 0, am_motion_time(p->engine) - p->orbit.start);
        am_table_set_number(p->switches, 1, (double)(s->contact + 1));
        status = am_table_set_text(p->switches, 2, am_contact_state_name(s->from), err);
        if (!status)
            status = am_table_set_text(p->switches, 3, am_contact_state_name(s->to), err);
        if (!status)
            status = am_table_set_text(p->switches, 4, am_cause_name(s->cause), err);
        size_t column = set_numbers(p->switches, 5, am_motion_displacement(p->engine), p->n);
        set_numbers(p->switches, column, am_motion_velocity(p->engine), p->n);
    }
    return status;
}

static am_status sample_row(portrait *p, double t, am_error *err) {
    am_status status = am_table_add_row(p->samples, err);
    if (status)
        return status;
    am_table_set_number(p->samples, 0, t);
    size_t column = set_numbers(p->samples, 1, p->q, p->n);
    column = set_numbers(p->samples, column, p->v, p->n);
    column = set_numbers(p->samples, column, p->N, p->m);
    column = set_numbers(p->samples, column, p->T, p->m);
    for (size_t c = 0; c < p->m && !status; c++)
        status = am_table_set_text(p->samples, column + c, am_contact_state_name(p->state[c]), err);
    return status;
}

/* Samples of the span just passed; the last one is the end of the period. */
static am_status sample_rows(portrait *p, bool last, am_error *err) {
    size_t count = p->options->samples;
    double now = am_motion_time(p->engine) - p->orbit.start;
    am_status status = AM_OK;
    while (p->samples && p->next_sample < count && !status) {
        double t = count < 2 ? 0.0 : p->orbit.period * (double)p->next_sample / (double)(count - 1);
        if (!(t < now) && !last)
            break;
        am_motion_at(p->engine, p->orbit.start + fmin(t, now), p->q, p->v, p->N, p->T);
        status = sample_row(p, t, err);
        p->next_sample++;
    }
    return status;
}

static am_status walk_once(portrait *p, am_error *err) {
    am_walk walk;
    am_status status = am_walk_begin(&walk, p->engine, &p->search.how, p->orbit.state, err);
    while (!status && !walk.done) {
        am_step_kind kind;
        memcpy(p->state, am_motion_states(p->engine), p->m * sizeof *p->state);
        status = am_walk_step(&walk, &kind, err);
        if (status)
            break;
        look_for_extrema(p);
        status = sample_rows(p, walk.done, err);
        if (!status)
            status = switch_rows(p, err);
    }
    return status;
}

static am_status multipliers_table(const portrait *p, am_result *result, am_error *err) {
    static const am_column columns[] = {
        {"real", AM_COLUMN_NUMBER}, {"imaginary", AM_COLUMN_NUMBER}, {"modulus", AM_COLUMN_NUMBER}};
    const am_orbit *o = &p->orbit;
    am_table *table = am_result_add_table(result, "multipliers", err);
    am_status status = table ? am_table_add_columns(table, columns, 3, err) : AM_ERR_MEMORY;
    size_t left_out = o->family + (isnan(o->trivial) ? 0 : 1);
    for (size_t i = 0; i + left_out < o->dimension && !status; i++) {
        status = am_table_add_row(table, err);
        if (status)
            break;
        am_table_set_number(table, 0, o->multiplier_re[i]);
        am_table_set_number(table, 1, o->multiplier_im[i]);
        am_table_set_number(table, 2, hypot(o->multiplier_re[i], o->multiplier_im[i]));
    }
    return status;
}

static am_status orbits_table(const portrait *p, am_result *result, am_error *err) {
    static const am_column columns[] = {{"orbit", AM_COLUMN_NUMBER},      {"period", AM_COLUMN_NUMBER},
                                        {"sequence", AM_COLUMN_TEXT},     {"multiplier", AM_COLUMN_NUMBER},
                                        {"stable", AM_COLUMN_TEXT},       {"share", AM_COLUMN_NUMBER},
                                        {"dissipation", AM_COLUMN_NUMBER}};
    am_table *table = am_result_add_table(result, "orbits", err);
    am_status status = table ? am_table_add_columns(table, columns, 7, err) : AM_ERR_MEMORY;
    if (!status)
        status = am_table_add_row(table, err);
    if (status)
        return status;
    am_table_set_number(table, 0, 1.0);
    am_table_set_number(table, 1, p->orbit.period);
    am_table_set_number(table, 3, p->orbit.multiplier);
    am_table_set_number(table, 5, 1.0);
    am_table_set_number(table, 6, p->orbit.dissipation);
    status = am_table_set_text(table, 2, p->orbit.sequence, err);
    return status ? status : am_table_set_text(table, 4, p->orbit.stable ? "true" : "false", err);
}

/* ---- summary ---- */

static am_status set_ranges(const portrait *p, am_result *result, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < p->n && !status; i++) {
        const char *coordinate = am_system_name(p->system, i);
        const range *q = &p->displacement[i], *v = &p->velocity[i];
        const struct {
            const char *suffix;
            double value;
        } values[] = {{"_max", q->largest},
                      {"_min", q->least},
                      {"_amplitude", 0.5 * (q->largest - q->least)},
                      {"dot_max", fmax(fabs(v->least), fabs(v->largest))}};
        for (size_t k = 0; k < sizeof values / sizeof *values && !status; k++) {
            char name[160];
            snprintf(name, sizeof name, "%.120s%s", coordinate, values[k].suffix);
            status = am_result_set_number(result, name, values[k].value, err);
        }
    }
    return status;
}

static am_status set_counts(const portrait *p, am_result *result, am_error *err) {
    const struct {
        const char *name;
        size_t value;
    } counts[] = {{"returns", p->orbit.returns},
                  {"stops", p->orbit.stops},
                  {"switches", p->orbit.switches},
                  {"family", p->orbit.family},
                  {"transient_returns", p->search.returns}};
    am_status status = AM_OK;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !status; i++)
        status = am_result_set_count(result, counts[i].name, counts[i].value, err);
    return status;
}

static am_status summarise(const portrait *p, am_result *result, am_error *err) {
    const am_orbit *o = &p->orbit;
    const double residual = am_motion_statistics_get(p->engine).energy_residual;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"period", o->period},         {"multiplier", o->multiplier}, {"trivial_multiplier", o->trivial},
                   {"closing_error", o->closing}, {"energy_residual", residual}, {"dissipation", o->dissipation}};
    am_status status = AM_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = isnan(numbers[i].value) ? am_result_set_none(result, numbers[i].name, err)
                                         : am_result_set_number(result, numbers[i].name, numbers[i].value, err);
    if (!status)
        status = set_counts(p, result, err);
    if (!status)
        status = am_result_set_flag(result, "stable", o->stable, err);
    if (!status)
        status = am_result_set_flag(result, "forced", p->search.how.section == AM_SECTION_PERIOD, err);
    if (!status)
        status = am_result_set_flag(result, "shakedown", o->shakedown, err);
    if (!status)
        status = am_result_set_text(result, "sequence", o->sequence, err);
    return status ? status : set_ranges(p, result, err);
}

static am_status check_evidence(const portrait *p, am_error *err) {
    const am_orbit *o = &p->orbit;
    if (!(o->closing <= worst_closing))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the orbit does not close: it comes back within %.3g of its size, not %.0e", o->closing,
                       worst_closing);
    if (!isnan(o->trivial) && !(fabs(o->trivial - 1.0) <= worst_trivial))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the sensitivities do not pass their check: the multiplier along the orbit is %.15g, not 1",
                       o->trivial);
    return AM_OK;
}

/* ---- running ---- */

static am_status prepare(portrait *p, am_error *err) {
    p->engine = am_motion_create(p->system, true, err);
    if (!p->engine)
        return err->status ? err->status : AM_ERR_MEMORY;
    p->displacement = am_memory_new(p->n, sizeof *p->displacement, err);
    p->velocity = am_memory_new(p->n, sizeof *p->velocity, err);
    p->q = am_memory_new(p->n, sizeof(double), err);
    p->v = am_memory_new(p->n, sizeof(double), err);
    p->N = am_memory_new(p->m, sizeof(double), err);
    p->T = am_memory_new(p->m, sizeof(double), err);
    p->state = am_memory_new(p->m, sizeof *p->state, err);
    if (!p->displacement || !p->velocity || !p->q || !p->v || !p->N || !p->T || !p->state)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < p->n; i++)
        p->displacement[i] = p->velocity[i] = (range){INFINITY, -INFINITY};
    return AM_OK;
}

static void release(portrait *p) {
    am_orbit_clear(&p->orbit);
    am_motion_free(p->engine);
    am_memory_free(p->displacement);
    am_memory_free(p->velocity);
    am_memory_free(p->q);
    am_memory_free(p->v);
    am_memory_free(p->N);
    am_memory_free(p->T);
    am_memory_free(p->state);
}

static am_status find(portrait *p, const am_progress *progress, am_error *err) {
    am_status status = am_orbit_find(p->engine, p->options, &p->orbit, &p->search, progress, err);
    if (!status && p->search.outcome != AM_ORBIT_PERIODIC)
        status = am_fail(err, AM_ERR_LIMIT, "no periodic motion was reached from this start: %s", p->search.sentence);
    return status;
}

static am_status draw(portrait *p, am_result *result, am_error *err) {
    am_status status = orbits_table(p, result, err);
    if (!status)
        status = make_switches(p, result, err);
    if (!status)
        status = multipliers_table(p, result, err);
    if (!status)
        status = make_samples(p, result, err);
    if (!status)
        status = walk_once(p, err);
    return status ? status : summarise(p, result, err);
}

am_status am_orbit_run(const am_system *system, const am_orbit_options *options, am_result *result,
                       const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    portrait p = {.system = system, .options = options, .n = am_system_size(system), .m = am_system_contacts(system)};
    am_status status = prepare(&p, e);
    if (!status)
        status = find(&p, progress, e);
    if (!status)
        status = check_evidence(&p, e);
    if (!status)
        status = draw(&p, result, e);
    release(&p);
    return status;
}
