/* Periodic motions of the structure itself at some values of the parameter: many starts are followed in time until
 * their returns repeat, and the orbit is closed by shooting. Structures that no exact engine follows (friction together
 * with polynomial springs, compliant contacts) are followed roughly instead, and not closed. What is found is sampled
 * over a period; the samples are guesses of harmonic balance, so that neither matters for accuracy. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/motion.h"
#include "analyses/response/rough.h"
#include "analyses/response/search.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/try.h"
#include "engines/smooth/smooth.h"
#include "math/pi.h"

/* Longest orbit looked for and returns waited for. */
enum { MOST_PERIOD = 6, MOST_RETURNS = 4000, SETTLE = 20 };

typedef struct field {
    am_response *r;
    am_response_search *search;
    am_search_value *value;
    size_t index; /* of the value */
    const double *scale;
    const am_system *system;
    double period; /* of the loads */
    double *q, *v; /* n each, one behind the other: a state */
    double *past;  /* (MOST_PERIOD + 1) x 2 n */
    double same;   /* orbits that differ by this part of their size are the same */
} field;

/* The state after so many periods of the loads: the last ones are there. */
static double *past(const field *f, size_t at) {
    return f->past + at % (MOST_PERIOD + 1) * 2 * f->r->n;
}

/* ---- starts ---- */

/* The first start is rest; velocities are measured by the displacements and the frequency of the loads. */
static void choose_start(field *f, size_t start) {
    size_t n = f->r->n;
    double within = f->r->options->isolas.within, omega = two_pi / f->period;
    for (size_t i = 0; i < 2 * n; i++) {
        double unit = 2.0 * am_random_sobol(f->r->options->isolas.seed, start, i) - 1.0;
        f->q[i] = start == 0 ? 0.0 : unit * within * f->scale[i % n] * (i < n ? 1.0 : omega);
    }
}

/* ---- keeping ---- */

/* The same motion, perhaps some periods of the loads later? */
static bool is_same(const am_harvest_orbit *a, const double *samples, size_t returns, size_t n, double same) {
    size_t count = returns * AM_HARVEST_SAMPLES;
    if (a->returns != returns)
        return false;
    for (size_t shift = 0; shift < count; shift += AM_HARVEST_SAMPLES) {
        double distance = 0.0, size = 0.0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < count; k++) {
                double one = a->samples[i * count + k], other = samples[i * count + (k + shift) % count];
                distance = fmax(distance, fabs(one - other));
                size = fmax(size, fabs(one));
            }
        if (distance <= same * size)
            return true;
    }
    return false;
}

static bool is_known(const field *f, const double *samples, size_t returns) {
    for (size_t i = 0; i < f->search->orbits; i++)
        if (f->search->orbit[i].value == f->index && is_same(&f->search->orbit[i], samples, returns, f->r->n, f->same))
            return true;
    return false;
}

/* Place for the samples of an orbit of so many periods of the loads. */
static double *new_samples(const field *f, size_t returns, am_error *err) {
    return am_arena_doubles(&f->search->memory, NULL, f->r->n * returns * AM_HARVEST_SAMPLES, err);
}

static am_status add_orbit(field *f, double *samples, size_t returns, double start, am_error *err) {
    am_response_search *s = f->search;
    if (is_known(f, samples, returns))
        return AM_OK;
    AM_TRY(am_memory_reserve(&s->orbit, &s->orbit_capacity, s->orbits + 1, err));
    s->orbit[s->orbits++] = (am_harvest_orbit){.value = f->index,
                                               .returns = returns,
                                               .start = start,
                                               .period = (double)returns * f->period,
                                               .samples = samples};
    return AM_OK;
}

/* ---- structures with contacts ---- */

static am_status sample_switched(const field *f, am_motion *engine, const am_orbit *orbit, double start, size_t count,
                                 double *samples, am_error *err) {
    size_t n = f->r->n, next = 0;
    double length = (double)orbit->returns * f->period;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(engine, start, orbit->state, err));
    while (kind != AM_STEP_END && next < count) {
        AM_TRY(am_motion_step(engine, start + length, &kind, err));
        for (; next < count; next++) {
            double t = start + length * (double)next / (double)count;
            if (t > am_motion_time(engine))
                break;
            am_motion_at(engine, t, f->q, NULL, NULL, NULL);
            for (size_t i = 0; i < n; i++)
                samples[i * count + next] = f->q[i];
        }
    }
    return AM_OK;
}

static am_status add_switched(field *f, am_motion *engine, const am_orbit *orbit, double start, am_error *err) {
    double *samples = new_samples(f, orbit->returns, err);
    if (!samples)
        return AM_ERR_MEMORY;
    AM_TRY(sample_switched(f, engine, orbit, start, orbit->returns * AM_HARVEST_SAMPLES, samples, err));
    return add_orbit(f, samples, orbit->returns, start, err);
}

static am_status start_switched(field *f, am_motion *engine, am_error *err) {
    am_orbit_options options = am_orbit_options_default();
    am_orbit orbit = {0};
    am_orbit_search found;
    options.displacement = f->q;
    options.velocity = f->v;
    options.period = f->period;
    options.most_returns = MOST_RETURNS;
    options.most_period = MOST_PERIOD;
    am_status status = am_orbit_find(engine, &options, &orbit, &found, NULL, err);
    if (!status && found.outcome == AM_ORBIT_PERIODIC)
        status = add_switched(f, engine, &orbit, found.how.start, err);
    else if (!status)
        f->value->lost++;
    am_orbit_clear(&orbit);
    return status;
}

/* ---- smooth structures ---- */

static am_status sample_smooth(const field *f, am_smooth *engine, const am_orbit *orbit, size_t count, double *samples,
                               am_error *err) {
    size_t n = f->r->n, next = 0;
    am_smooth_start(engine, 0.0, orbit->state, false);
    while (next < count) {
        AM_TRY(am_smooth_step(engine, orbit->period, err));
        for (; next < count; next++) {
            double t = orbit->period * (double)next / (double)count;
            if (t > am_smooth_time(engine))
                break;
            am_smooth_at(engine, t, f->q);
            for (size_t i = 0; i < n; i++)
                samples[i * count + next] = f->q[i];
        }
    }
    return AM_OK;
}

static am_status keep_smooth(field *f, am_smooth *engine, const am_orbit *orbit, size_t returns, am_error *err) {
    double *samples = new_samples(f, returns, err);
    if (!samples)
        return AM_ERR_MEMORY;
    AM_TRY(sample_smooth(f, engine, orbit, returns * AM_HARVEST_SAMPLES, samples, err));
    return add_orbit(f, samples, returns, 0.0, err);
}

/* After how many periods of the loads the last state is nearly one of the states before; 0: none. */
static size_t nearly_repeats(const field *f, am_smooth *engine, size_t at) {
    const double *now = past(f, at);
    double scale = f->period / two_pi, size = am_smooth_size(engine, now, NULL, scale);
    for (size_t p = 1; p <= MOST_PERIOD && p <= at; p++)
        if (am_smooth_size(engine, now, past(f, at - p), scale) <= 1e-2 / (double)p * size)
            return p;
    return 0;
}

/* A transient that nearly repeats is closed: any orbit nearby will do, stable or not. */
static am_status start_smooth(field *f, am_smooth *engine, am_error *err) {
    size_t n = f->r->n, wait = SETTLE;
    memcpy(f->past, f->q, 2 * n * sizeof *f->q);
    for (size_t at = 1; at <= MOST_RETURNS; at++) {
        double *now = past(f, at);
        AM_TRY(am_smooth_flow(engine, 0.0, past(f, at - 1), f->period, now, NULL, err));
        size_t p = at < wait ? 0 : nearly_repeats(f, engine, at);
        am_orbit orbit = {0};
        am_error own = {0};
        if (p == 0)
            continue;
        am_status closed = am_smooth_close(engine, (double)p * f->period, false, 0.0, now, &orbit, &own);
        am_status status = closed ? AM_OK : keep_smooth(f, engine, &orbit, p, err);
        am_orbit_clear(&orbit);
        if (closed == AM_ERR_MEMORY)
            return am_fail(err, closed, "%s", own.message);
        if (!closed)
            return status;
        wait = at + at / 2;
    }
    f->value->lost++;
    return AM_OK;
}

/* ---- any structure, roughly ---- */

/* Distance of two states, velocities measured by the frequency of the loads; b NULL: the size of a. */
static double rough_distance(const field *f, const double *a, const double *b) {
    size_t n = f->r->n;
    double largest = 0.0;
    for (size_t i = 0; i < 2 * n; i++)
        largest = fmax(largest, fabs(a[i] - (b ? b[i] : 0.0)) * (i < n ? 1.0 : f->period / two_pi));
    return largest;
}

static am_status keep_rough(field *f, am_rough *engine, double *state, size_t returns, am_error *err) {
    double *samples = new_samples(f, returns, err);
    if (!samples)
        return AM_ERR_MEMORY;
    for (size_t k = 0; k < returns; k++)
        AM_TRY(am_rough_period(engine, state, samples + k * AM_HARVEST_SAMPLES, returns * AM_HARVEST_SAMPLES, err));
    return add_orbit(f, samples, returns, 0.0, err);
}

static am_status start_rough(field *f, am_rough *engine, double *state, am_error *err) {
    enum { MOST_ROUGH_RETURNS = 1000 };
    size_t n = f->r->n;
    memset(state, 0, am_rough_dimension(engine) * sizeof *state);
    memcpy(state, f->q, 2 * n * sizeof *state);
    for (size_t at = 0; at < MOST_ROUGH_RETURNS; at++) {
        double size = rough_distance(f, state, NULL);
        for (size_t p = 1; p <= MOST_PERIOD && p <= at && at >= SETTLE; p++)
            if (rough_distance(f, state, past(f, at - p)) <= 1e-4 / (double)p * size)
                return keep_rough(f, engine, state, p, err);
        memcpy(past(f, at), state, 2 * n * sizeof *state);
        AM_TRY(am_rough_period(engine, state, NULL, 0, err));
    }
    f->value->lost++;
    return AM_OK;
}

/* ---- one value ---- */

typedef struct engines { /* one of them */
    am_motion *switched;
    am_smooth *smooth;
    am_rough *rough;
    double *state; /* of the rough one */
} engines;

static am_status start_any(field *f, const engines *e, am_error *err) {
    return e->smooth     ? start_smooth(f, e->smooth, err)
           : e->switched ? start_switched(f, e->switched, err)
                         : start_rough(f, e->rough, e->state, err);
}

static am_status run_starts(field *f, const engines *e, am_error *err) {
    const am_response_options *o = f->r->options;
    am_status status = AM_OK;
    for (size_t i = 0; i < o->isolas.starts && !status; i++) {
        am_error own = {0};
        choose_start(f, i);
        f->value->starts++;
        status = start_any(f, e, &own);
        if (status && status != AM_ERR_MEMORY && status != AM_ERR_INTERRUPTED) { /* this motion cannot go on */
            f->value->lost++;
            status = AM_OK;
        }
        double share = ((double)f->index + (double)i / (double)o->isolas.starts) / (double)f->search->values;
        if (!status && !am_progress_report(f->r->progress, 0.4 * share))
            status = am_fail(&own, AM_ERR_INTERRUPTED, "interrupted while other motions were sought");
        if (status)
            return am_fail(err, status, "%s", own.message);
    }
    return AM_OK;
}

static am_status open_rough(field *f, engines *e, am_error *err) {
    double largest = 0.0;
    for (size_t i = 0; i < f->r->n; i++)
        largest = fmax(largest, f->scale[i]);
    e->rough = am_rough_create(f->system, f->period, AM_HARVEST_SAMPLES, largest * two_pi / f->period, err);
    e->state = e->rough ? am_arena_doubles(&f->search->memory, NULL, am_rough_dimension(e->rough), err) : NULL;
    f->search->rough = e->rough != NULL;
    f->same = 1e-2;
    return e->state ? AM_OK : err->status;
}

/* The exact engine where there is one, the rough one otherwise. */
static am_status open_engines(field *f, engines *e, am_error *err) {
    am_error own = {0};
    f->same = 1e-6;
    if (am_system_contacts(f->system) > 0)
        e->switched = am_motion_create(f->system, false, &own);
    else
        e->smooth = am_smooth_create(f->system, &own);
    if (e->switched || e->smooth)
        return AM_OK;
    return own.status == AM_ERR_MEMORY ? am_fail(err, AM_ERR_MEMORY, "%s", own.message) : open_rough(f, e, err);
}

/* A structure that no engine follows has no starts in time; the summary says why. */
static am_status harvest_system(field *f, am_error *err) {
    engines e = {0};
    am_error own = {0};
    am_status status = open_engines(f, &e, &own);
    if (!status)
        status = run_starts(f, &e, err);
    else if (status == AM_ERR_MEMORY)
        am_fail(err, status, "%s", own.message);
    else {
        snprintf(f->search->untimed, sizeof f->search->untimed, "%.255s", own.message);
        status = AM_OK;
    }
    am_motion_free(e.switched);
    am_smooth_free(e.smooth);
    am_rough_free(e.rough);
    return status;
}

static am_status harvest_value(field *f, am_error *err) {
    AM_TRY(am_model_line_at(&f->r->line, f->value->p, &f->system, err));
    f->period = am_orbit_load_period(f->system);
    return f->period > 0.0 ? harvest_system(f, err) : AM_OK;
}

am_status am_response_harvest(am_response *r, const double *scale, am_error *err) {
    am_response_search *s = r->search;
    field f = {.r = r, .search = s, .scale = scale};
    f.q = am_arena_doubles(&s->memory, NULL, 2 * r->n, err);
    f.past = am_arena_doubles(&s->memory, NULL, (MOST_PERIOD + 1) * 2 * r->n, err);
    AM_TRY(am_arena_status(&s->memory));
    f.v = f.q + r->n;
    for (f.index = 0; f.index < s->values; f.index++) {
        f.value = &s->value[f.index];
        AM_TRY(harvest_value(&f, err));
    }
    s->harvested = true;
    return AM_OK;
}

/* ---- Fourier coefficients ---- */

bool am_response_harvest_signals(const am_response *r, const am_harvest_orbit *orbit, double omega, double *signals) {
    size_t count = orbit->returns * AM_HARVEST_SAMPLES;
    double rounds = two_pi / omega / orbit->period, whole = round(rounds), own = two_pi / orbit->period;
    if (whole < 1.0 || fabs(rounds - whole) > 1e-6 * whole)
        return false;
    memset(signals, 0, r->n * r->S * sizeof *signals);
    for (size_t j = 0; (double)j * whole <= (double)r->H && 4 * j < count; j++)
        for (size_t k = 0; k < count; k++) {
            double t = orbit->start + orbit->period * (double)k / (double)count;
            double weight = (j ? 2.0 : 1.0) / (double)count, angle = (double)j * own * t;
            double c = weight * cos(angle), s = weight * sin(angle);
            size_t h = j * (size_t)whole;
            for (size_t i = 0; i < r->n; i++) {
                double q = orbit->samples[i * count + k];
                signals[i * r->S + (h ? 2 * h - 1 : 0)] += c * q;
                if (h)
                    signals[i * r->S + 2 * h] += s * q;
            }
        }
    return true;
}
