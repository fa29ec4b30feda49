/* Periodic motions of the structure itself at some values of the parameter: many starts are followed in time until
 * their returns repeat, and the orbit is closed by shooting. What is found is sampled over a period; the samples are
 * guesses of harmonic balance. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/orbit/section_walk.h"
#include "analyses/response/exact.h"
#include "analyses/response/further_branches.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/try.h"
#include "engines/switching/switching.h"
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
    double *q, *v; /* n each, one behind the other: a start */
    size_t d;      /* of a state in time, springs of sliders included */
    double *past;  /* (MOST_PERIOD + 1) x d */
} field;

/* The state after so many periods of the loads: the last ones are there. */
static double *past(const field *f, size_t at) {
    return f->past + at % (MOST_PERIOD + 1) * f->d;
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
static bool is_same(const am_harvest_orbit *a, const double *samples, size_t returns, size_t n) {
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
        if (distance <= 1e-6 * size)
            return true;
    }
    return false;
}

static bool is_known(const field *f, const double *samples, size_t returns) {
    for (size_t i = 0; i < f->search->orbits; i++)
        if (f->search->orbit[i].value == f->index && is_same(&f->search->orbit[i], samples, returns, f->r->n))
            return true;
    return false;
}

/* Place for the samples of an orbit of so many periods of the loads. */
static double *new_samples(const field *f, size_t returns, am_error *err) {
    return am_arena_doubles(&f->search->memory, NULL, f->r->n * returns * AM_HARVEST_SAMPLES, err);
}

static am_status add_orbit(field *f, double *samples, size_t returns, am_error *err) {
    am_response_search *s = f->search;
    if (is_known(f, samples, returns))
        return AM_OK;
    AM_TRY(am_memory_reserve(&s->orbit, &s->orbit_capacity, s->orbits + 1, err));
    s->orbit[s->orbits++] = (am_harvest_orbit){
        .value = f->index, .returns = returns, .period = (double)returns * f->period, .samples = samples};
    return AM_OK;
}

/* ---- one start ---- */

static am_status sample(const field *f, am_motion *engine, const am_orbit *orbit, size_t count, double *samples,
                        am_error *err) {
    size_t n = f->r->n, next = 0;
    double length = (double)orbit->returns * f->period;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(engine, 0.0, orbit->state, err));
    while (kind != AM_STEP_END && next < count) {
        AM_TRY(am_motion_step(engine, length, &kind, err));
        for (; next < count; next++) {
            double t = length * (double)next / (double)count;
            if (t > am_motion_time(engine))
                break;
            am_motion_at(engine, t, f->q, NULL, NULL, NULL);
            for (size_t i = 0; i < n; i++)
                samples[i * count + next] = f->q[i];
        }
    }
    return AM_OK;
}

static am_status add_closed(field *f, am_motion *engine, const am_orbit *orbit, am_error *err) {
    double *samples = new_samples(f, orbit->returns, err);
    if (!samples)
        return AM_ERR_MEMORY;
    AM_TRY(sample(f, engine, orbit, orbit->returns * AM_HARVEST_SAMPLES, samples, err));
    return add_orbit(f, samples, orbit->returns, err);
}

/* After how many periods of the loads the last state is nearly one of the states before; 0: none. */
static size_t nearly_repeats(const field *f, const am_motion *engine, size_t at) {
    double size = am_orbit_size(engine, past(f, at));
    for (size_t p = 1; p <= MOST_PERIOD && p <= at; p++)
        if (am_orbit_distance(engine, past(f, at), past(f, at - p)) <= 1e-2 / (double)p * size)
            return p;
    return 0;
}

/* A transient that nearly repeats is closed: any orbit nearby will do, stable or not. */
static am_status close_transient(field *f, am_motion *engine, const double *state, size_t returns, bool *closed,
                                 am_error *err) {
    const am_orbit_return how = {.section = AM_SECTION_PERIOD, .period = f->period, .returns = returns};
    am_orbit orbit = {0};
    am_error own = {0};
    am_status status = am_orbit_close(engine, &how, state, &orbit, &own);
    *closed = status == AM_OK;
    if (*closed)
        status = add_closed(f, engine, &orbit, err);
    else if (am_status_is_fatal(status))
        am_fail(err, status, "%s", own.message);
    else /* the loads repeat: the transient goes on as if it began here */
        status = am_motion_start_state(engine, 0.0, state, err);
    am_orbit_clear(&orbit);
    return status;
}

static am_status run_start(field *f, am_motion *engine, am_error *err) {
    size_t wait = SETTLE;
    bool closed = false;
    AM_TRY(am_motion_start(engine, 0.0, f->q, f->v, err));
    for (size_t at = 0; at <= MOST_RETURNS && !closed; at++) {
        memcpy(past(f, at), am_motion_state(engine), f->d * sizeof *f->past);
        size_t returns = at < wait ? 0 : nearly_repeats(f, engine, at);
        if (returns) {
            wait = at + at / 2;
            AM_TRY(close_transient(f, engine, past(f, at), returns, &closed, err));
        }
        if (!closed)
            AM_TRY(am_engine_run_until(engine, am_motion_time(engine) + f->period, err));
    }
    f->value->lost += !closed;
    return AM_OK;
}

/* ---- one value ---- */

static am_status run_starts(field *f, am_motion *engine, am_error *err) {
    const am_response_options *o = f->r->options;
    am_status status = AM_OK;
    for (size_t i = 0; i < o->isolas.starts && !status; i++) {
        am_error own = {0};
        choose_start(f, i);
        f->value->starts++;
        status = run_start(f, engine, &own);
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

static am_status reserve_past(field *f, const am_motion *engine, am_error *err) {
    if (f->d == 0)
        f->past = am_arena_doubles(&f->search->memory, NULL, (MOST_PERIOD + 1) * am_motion_dimension(engine), err);
    f->d = am_motion_dimension(engine);
    return am_arena_status(&f->search->memory);
}

/* A structure that cannot be followed in time has no starts; the summary says why. */
static am_status harvest_system(field *f, am_error *err) {
    am_error own = {0};
    AM_LOCAL(am_motion_free_at) am_motion *engine = am_motion_create(f->system, false, &own);
    am_status status = engine ? AM_OK : own.status;
    if (!status)
        status = reserve_past(f, engine, err);
    if (!status)
        status = run_starts(f, engine, err);
    else if (status == AM_ERR_MEMORY)
        am_fail(err, status, "%s", own.message);
    else {
        snprintf(f->search->untimed, sizeof f->search->untimed, "%.255s", own.message);
        status = AM_OK;
    }
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
            double t = orbit->period * (double)k / (double)count;
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
