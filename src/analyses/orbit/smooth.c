/* Which orbit does a start of a smooth motion lead to? The transient is followed from return to return (forced: of the
 * loads; self-excited: maxima of one coordinate); when its returns repeat, the orbit is closed, and it is accepted once
 * it is stable and the transient comes nearer to it. See docs/smooth.md. */
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/orbit/aperiodic.h"
#include "analyses/orbit/form.h"
#include "analyses/tables/dynamic_tables.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/whole.h"
#include "engines/smooth/rest.h"
#include "engines/smooth/smooth.h"
#include "math/dense.h"
#include "math/pi.h"

/* Returns that agree to this part of the state's size, over the number of returns, are worth an attempt. */
static const double near_enough = 3e-2;

/* A transient this near to its orbit has arrived; returns this near to each other are the same. */
static const double arrived = 1e-9, repeated = 1e-8;

/* Growth by this factor over the state at the start is divergence. */
static const double divergence = 1e12;

/* Steps without a return after which the section is chosen anew; then so many times more; and so many that there is
 * nothing to wait for. Relaxation oscillations take thousands of steps from return to return. */
static const size_t first_patience = 2000, more_patience = 4, last_patience = 2000000;

/* How often a motion without returns is asked whether it comes to rest. */
static const size_t steps_between_looks = 64;

typedef struct recurrence {
    am_arena memory;
    const am_system *system;
    const am_orbit_options *options;
    const am_progress *progress;
    am_smooth *engine;
    am_orbit_search search;
    am_orbit orbit;
    am_smooth_rest *rest;
    size_t n, d, window;           /* window: most_period */
    double *past;                  /* (window + 1) x d: states at the last returns, a ring */
    double *when;                  /* window + 1: their times */
    double *state, *flow, *resume; /* d */
    double scale;                  /* unit of time: period/2 pi */
    double size;                   /* of the start, and of what happens within the first return */
    size_t returns, next_try;
    am_aperiodic aperiodic;
    bool candidate; /* an orbit is closed and waits for the transient to come nearer */
    double candidate_distance;
    size_t candidate_from, candidate_until;
    size_t coordinate; /* self-excited: returns are maxima of this one */
    double settled;    /* when the loads no longer change */
    size_t patience;   /* steps to wait for a return */
    bool ended;
} recurrence;

static double *past(const recurrence *h, size_t index) {
    return h->past + index % (h->window + 1) * h->d;
}

static double when(const recurrence *h, size_t index) {
    return h->when[index % (h->window + 1)];
}

static void note(recurrence *h, double t, const double *state) {
    memcpy(past(h, h->returns), state, h->d * sizeof *state);
    h->when[h->returns % (h->window + 1)] = t;
}

static void no_orbit(recurrence *h, am_orbit_outcome outcome, const char *sentence) {
    h->ended = true;
    h->search.outcome = outcome;
    snprintf(h->search.sentence, sizeof h->search.sentence, "%.255s", sentence);
}

static bool is_forced(const recurrence *h) {
    return h->search.how.section == AM_SECTION_PERIOD;
}

/* ---- closing ---- */

static double size_of(const recurrence *h, const double *state) {
    return am_smooth_size(h->engine, state, NULL, h->scale);
}

/* Number of returns after which the motion repeats, as far as can be seen; 0: none. */
static size_t repeats_after(const recurrence *h) {
    size_t last = h->returns;
    const double *now = past(h, last);
    for (size_t p = 1; p <= h->window && p <= last; p++)
        if (am_smooth_size(h->engine, now, past(h, last - p), h->scale) <= near_enough / (double)p * size_of(h, now))
            return p;
    return 0;
}

static bool repeats_at_once(const recurrence *h) {
    size_t last = h->returns;
    return last >= 2 &&
           am_smooth_size(h->engine, past(h, last), past(h, last - 1), h->scale) <= arrived * size_of(h, past(h, last));
}

/* How far the transient is from the orbit; on a self-excited one, shifts along it do not count. */
static double distance_to_orbit(recurrence *h) {
    const double *now = past(h, h->returns), *there = h->orbit.state;
    for (size_t i = 0; i < h->d; i++)
        h->state[i] = now[i] - there[i];
    if (!is_forced(h)) {
        double along = 0.0, speed = 0.0;
        am_smooth_rate(h->engine, h->orbit.start, there, h->flow);
        for (size_t i = 0; i < h->d; i++) {
            along += h->flow[i] * h->state[i] * (i < h->n ? 1.0 : h->scale * h->scale);
            speed += h->flow[i] * h->flow[i] * (i < h->n ? 1.0 : h->scale * h->scale);
        }
        for (size_t i = 0; i < h->d && speed > 0.0; i++)
            h->state[i] -= along / speed * h->flow[i];
    }
    return size_of(h, h->state);
}

/* How many returns a stable orbit needs to attract to half the distance, with room to spare. */
static size_t patience(const am_orbit *orbit) {
    double halving = orbit->multiplier < 1.0 && orbit->multiplier > 0.5 ? log(0.5) / log(orbit->multiplier) : 1.0;
    return orbit->returns * (size_t)fmin(1e6, 10.0 + 4.0 * halving);
}

static void accept(recurrence *h) {
    h->candidate = false;
    h->ended = true;
    h->search.outcome = AM_ORBIT_PERIODIC;
    h->search.how.returns = h->orbit.returns;
}

static void drop_candidate(recurrence *h) {
    am_orbit_clear(&h->orbit);
    h->candidate = false;
    h->next_try = h->returns + 1 + h->returns / 4; /* attempts are dear */
}

/* The smallest number of load periods after which the closed orbit repeats. */
static size_t least_returns(recurrence *h, size_t p) {
    for (size_t r = 1; r < p; r++)
        if (p % r == 0 &&
            !am_smooth_flow(h->engine, h->orbit.start, h->orbit.state, (double)r * h->search.how.period, h->state, NULL,
                            NULL) &&
            am_smooth_size(h->engine, h->state, h->orbit.state, h->scale) <= repeated * size_of(h, h->orbit.state))
            return r;
    return p;
}

static am_status close_forced(recurrence *h, size_t p, am_error *err) {
    const am_orbit_return *how = &h->search.how;
    am_status status =
        am_smooth_close(h->engine, (double)p * how->period, false, how->start, past(h, h->returns), &h->orbit, err);
    size_t least = status ? p : least_returns(h, p);
    if (least < p) {
        am_orbit_clear(&h->orbit);
        status = am_smooth_close(h->engine, (double)least * how->period, false, how->start, past(h, h->returns),
                                 &h->orbit, err);
    }
    h->orbit.returns = least;
    return status;
}

static am_status close_self_excited(recurrence *h, size_t p, am_error *err) {
    double period = when(h, h->returns) - when(h, h->returns - p);
    double start = isfinite(h->settled) ? h->settled + period : 0.0; /* loads rest: any time will do, 0 is exact */
    AM_TRY(am_smooth_close(h->engine, period, true, start, past(h, h->returns), &h->orbit, err));
    h->orbit.returns = am_whole(fmax(1.0, round((double)p * h->orbit.period / period)));
    return AM_OK;
}

static am_status try_to_close(recurrence *h, size_t p, am_error *err) {
    am_error own = {0};
    am_status status = is_forced(h) ? close_forced(h, p, &own) : close_self_excited(h, p, &own);
    if (status == AM_ERR_MEMORY) {
        *err = own;
        return status;
    }
    /* A motion that has arrived at an orbit that is not stable has a symmetry to thank for it: that is reported. */
    double distance = status ? INFINITY : distance_to_orbit(h);
    if (!status && distance <= arrived * size_of(h, h->orbit.state)) {
        accept(h);
        return AM_OK;
    }
    if (status || !h->orbit.stable) {
        drop_candidate(h);
        return AM_OK;
    }
    h->candidate = true;
    h->candidate_distance = distance;
    h->candidate_from = h->returns;
    h->candidate_until = h->returns + patience(&h->orbit);
    return AM_OK;
}

/* The orbit passes the section several times: the transient is compared when it has gone around as a whole. */
static void watch_candidate(recurrence *h) {
    if ((h->returns - h->candidate_from) % h->orbit.returns != 0)
        return;
    double distance = distance_to_orbit(h);
    if (distance <= 0.25 * h->candidate_distance || distance <= arrived * size_of(h, h->orbit.state))
        accept(h);
    else if (h->returns >= h->candidate_until)
        drop_candidate(h);
}

static void give_up(recurrence *h) {
    char text[256];
    snprintf(text, sizeof text,
             "the motion does not repeat within %zu returns (orbits of up to %zu returns were looked for): it may be "
             "aperiodic, or approach its orbit very slowly; raise most_returns or most_period",
             h->returns, h->window);
    no_orbit(h, AM_ORBIT_UNDECIDED, text);
}

/* ---- rest ---- */

/* Self-excited motions may die out instead. */
static am_status look_for_rest(recurrence *h, double t, const double *state, am_error *err) {
    char text[256];
    bool rests = false;
    AM_TRY(am_smooth_rest_test(h->rest, t, state, h->scale, h->size, &rests, text, sizeof text, err));
    if (rests)
        no_orbit(h, AM_ORBIT_FINAL, text);
    return AM_OK;
}

/* ---- is it aperiodic? ---- */

/* A disturbance carried along a forced motion, period by period. */
typedef struct journey {
    recurrence *h;
    double *state, *direction, *next, *derivative; /* d, d, d, d x d */
} journey;

static am_status go_once(void *context, double *growth, double *time, am_error *err) {
    journey *j = context;
    const am_orbit_return *how = &j->h->search.how;
    size_t d = j->h->d;
    AM_TRY(am_smooth_flow(j->h->engine, how->start, j->state, how->period, j->next, j->derivative, err));
    memcpy(j->state, j->next, d * sizeof *j->state);
    am_dense_apply(j->derivative, d, d, j->direction, j->next);
    double size = size_of(j->h, j->next);
    if (!(size > 0.0) || !isfinite(size))
        return am_fail(err, AM_ERR_LIMIT, "the disturbance is forgotten, or grows beyond all bounds, in one period");
    for (size_t i = 0; i < d; i++)
        j->direction[i] = j->next[i] / size;
    *growth = log(size);
    *time = how->period;
    return AM_OK;
}

static am_status find_exponent(recurrence *h, am_exponent *exponent, am_error *err) {
    am_error own = {0};
    size_t d = h->d;
    double *memory = am_memory_new(3 * d + d * d, sizeof *memory, err);
    if (!memory)
        return AM_ERR_MEMORY;
    journey j = {
        .h = h, .state = memory, .direction = memory + d, .next = memory + 2 * d, .derivative = memory + 3 * d};
    memcpy(j.state, past(h, h->returns), d * sizeof *j.state);
    for (size_t i = 0; i < d; i++)
        j.direction[i] = 1.0;
    *exponent = (am_exponent){.value = NAN, .error = NAN};
    if (am_exponent_estimate(go_once, &j, exponent, &own))
        *exponent = (am_exponent){.value = NAN, .error = NAN}; /* a motion that ends has no exponent */
    am_memory_free(memory);
    return AM_OK;
}

static double nearest_return(const recurrence *h) {
    double nearest = INFINITY, size = size_of(h, past(h, h->returns));
    for (size_t p = 1; p <= h->window && p <= h->returns; p++)
        nearest = fmin(nearest, am_smooth_size(h->engine, past(h, h->returns), past(h, h->returns - p), h->scale));
    return size > 0.0 ? nearest / size : 0.0;
}

static am_status ask_whether_aperiodic(recurrence *h, am_error *err) {
    char text[256];
    am_exponent exponent;
    if (am_aperiodic_looks(&h->aperiodic, h->returns))
        am_aperiodic_note(&h->aperiodic, h->returns, nearest_return(h));
    if (h->candidate || !am_aperiodic_is_due(&h->aperiodic, h->returns))
        return AM_OK;
    AM_TRY(find_exponent(h, &exponent, err));
    if (am_aperiodic_judge(&h->aperiodic, h->returns, &exponent, text, sizeof text))
        no_orbit(h, AM_ORBIT_APERIODIC, text);
    return AM_OK;
}

/* ---- returns ---- */

static am_status look_at_return(recurrence *h, double t, const double *state, am_error *err) {
    h->returns++;
    note(h, t, state);
    if (h->returns % 64 == 0 && !am_progress_report(h->progress, (double)h->returns / (double)h->options->most_returns))
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted after %zu returns", h->returns);
    double size = size_of(h, state);
    if (size > divergence * h->size) {
        no_orbit(h, AM_ORBIT_DIVERGENT, "the motion grows without end");
        return AM_OK;
    }
    AM_TRY(is_forced(h) ? ask_whether_aperiodic(h, err) : AM_OK);
    if (h->ended)
        return AM_OK;
    if (h->candidate) {
        watch_candidate(h);
        return AM_OK;
    }
    if (!is_forced(h) && (h->returns & (h->returns - 1)) == 0)
        AM_TRY(look_for_rest(h, t, past(h, h->returns), err));
    if (h->ended || h->returns < h->next_try || (h->returns < h->options->transient && !repeats_at_once(h)))
        return AM_OK;
    h->next_try = h->returns + 1 + h->returns / 32;
    if (!is_forced(h))
        AM_TRY(look_for_rest(h, t, past(h, h->returns), err));
    size_t p = h->ended ? 0 : repeats_after(h);
    return p > 0 ? try_to_close(h, p, err) : AM_OK;
}

/* A motion the engine cannot follow has diverged. */
static am_status judge_failure(recurrence *h, am_status status, am_error *err) {
    if (status != AM_ERR_LIMIT)
        return status;
    no_orbit(h, AM_ORBIT_DIVERGENT, err->message);
    *err = (am_error){0};
    return AM_OK;
}

/* Every period starts anew at the same time of the loads, so that their phase is exact however long it takes. */
static am_status find_forced(recurrence *h, am_error *err) {
    const am_orbit_return *how = &h->search.how;
    am_status status =
        am_smooth_flow(h->engine, h->options->from, h->state, how->start - h->options->from, h->flow, NULL, err);
    if (!status)
        note(h, how->start, h->flow);
    if (!status && h->options->transient == 0) { /* the start is a guess, closed at once, be it stable or not */
        AM_TRY(close_forced(h, 1, err));
        accept(h);
        return AM_OK;
    }
    while (!status && !h->ended) {
        if (h->returns >= h->options->most_returns) {
            give_up(h);
            break;
        }
        status = am_smooth_flow(h->engine, how->start, past(h, h->returns), how->period, h->flow, NULL, err);
        /* A start at zero is no measure: what the loads do within the first period is one too. */
        if (!status && h->returns == 0)
            h->size = fmax(h->size, size_of(h, h->flow));
        if (!status)
            status = look_at_return(h, how->start, h->flow, err);
    }
    return status ? judge_failure(h, status, err) : AM_OK;
}

/* ---- the section of self-excited motions ---- */

/* The coordinate that moves fastest, in units of kinetic energy. */
static size_t fastest(const recurrence *h) {
    const double *v = am_smooth_state(h->engine) + h->n;
    size_t best = 0;
    double most = -1.0;
    for (size_t i = 0; i < h->n; i++) {
        double energy = am_matrix_at(am_system_mass(h->system), i, i) * v[i] * v[i];
        if (energy > most) {
            most = energy;
            best = i;
        }
    }
    return best;
}

static double polynomial(const double *a, double s) {
    double value = a[AM_SMOOTH_ORDER];
    for (size_t k = AM_SMOOTH_ORDER; k-- > 0;)
        value = value * s + a[k];
    return value;
}

/* The first maximum of the coordinate in the step just made, in parts of it; false: none. */
static bool next_maximum(const recurrence *h, double *place) {
    enum { PIECES = 8 };
    double a[AM_SMOOTH_COEFFICIENTS];
    am_smooth_polynomial(h->engine, h->n + h->coordinate, a);
    for (size_t i = 0; i < PIECES; i++) {
        double low = (double)i / PIECES, high = (double)(i + 1) / PIECES;
        if (!(polynomial(a, low) > 0.0) || polynomial(a, high) > 0.0)
            continue;
        for (size_t halving = 0; halving < 60; halving++) {
            double middle = 0.5 * (low + high);
            if (polynomial(a, middle) > 0.0)
                low = middle;
            else
                high = middle;
        }
        *place = high;
        return true;
    }
    return false;
}

static void choose_section(recurrence *h) {
    h->coordinate = fastest(h);
    h->returns = h->next_try = 0;
    am_orbit_clear(&h->orbit);
    h->candidate = false;
}

/* A return within the step just made: a step is a small part of a period, two do not fit. */
static am_status return_in_step(recurrence *h, bool *first, am_error *err) {
    double begin = am_smooth_step_start(h->engine), length = am_smooth_time(h->engine) - begin, place = 0.0;
    am_status status = AM_OK;
    if (begin < h->settled || !next_maximum(h, &place))
        return AM_OK;
    double t = begin + place * length;
    am_smooth_at(h->engine, t, h->state);
    if (*first) {
        note(h, t, h->state);
        *first = false;
        return AM_OK;
    }
    h->scale = (t - when(h, h->returns)) / two_pi;
    double after = am_smooth_time(h->engine);
    memcpy(h->resume, am_smooth_state(h->engine), h->d * sizeof *h->resume);
    status = look_at_return(h, t, h->state, err);
    am_smooth_start(h->engine, after, h->resume, false);
    return status;
}

/* Nothing returns: does the motion come to rest, or is another coordinate the one to look at? */
static am_status wait_for_return(recurrence *h, size_t *quiet, bool *first, am_error *err) {
    if (*quiet > 0 && *quiet % steps_between_looks == 0 && am_smooth_time(h->engine) >= h->settled) {
        memcpy(h->resume, am_smooth_state(h->engine), h->d * sizeof *h->resume);
        AM_TRY(look_for_rest(h, am_smooth_time(h->engine), h->resume, err));
    }
    if (h->ended || *quiet <= h->patience)
        return AM_OK;
    if (h->patience >= last_patience)
        no_orbit(h, AM_ORBIT_UNDECIDED,
                 "no coordinate swings to and fro any more, and no equilibrium was found in which the structure could "
                 "rest");
    choose_section(h);
    h->patience *= more_patience;
    *first = true;
    *quiet = 0;
    return AM_OK;
}

static am_status roam(recurrence *h, am_error *err) {
    size_t quiet = 0, steps = 0;
    bool first = true;
    am_status status = AM_OK;
    choose_section(h);
    h->patience = first_patience;
    while (!status && !h->ended) {
        size_t before = h->returns;
        status = am_smooth_step(h->engine, am_smooth_time(h->engine) + 100.0 * h->scale, err);
        if (status)
            break;
        if (steps++ < steps_between_looks)
            h->size = fmax(h->size, size_of(h, am_smooth_state(h->engine)));
        status = return_in_step(h, &first, err);
        quiet = h->returns > before ? 0 : quiet + 1;
        if (!status && !h->ended)
            status = wait_for_return(h, &quiet, &first, err);
        if (!status && !h->ended && h->returns >= h->options->most_returns)
            give_up(h);
    }
    return status ? judge_failure(h, status, err) : AM_OK;
}

static am_status find_self_excited(recurrence *h, am_error *err) {
    double from = h->options->from;
    memcpy(h->resume, h->state, h->d * sizeof *h->resume);
    AM_TRY(from >= h->settled ? look_for_rest(h, from, h->resume, err) : AM_OK);
    if (h->ended)
        return AM_OK;
    am_smooth_start(h->engine, from, h->resume, false);
    return roam(h, err);
}

/* ---- the orbit found ---- */

/* Where on a self-excited orbit a period begins: at a maximum of the coordinate of the section. */
static am_status go_to_section(recurrence *h, am_error *err) {
    am_smooth *e = h->engine;
    double until = h->orbit.start + 1.5 * h->orbit.period, place;
    am_smooth_start(e, h->orbit.start, h->orbit.state, false);
    while (am_smooth_time(e) < until) {
        AM_TRY(am_smooth_step(e, until, err));
        if (next_maximum(h, &place)) {
            double begin = am_smooth_step_start(e), t = begin + place * (am_smooth_time(e) - begin);
            am_smooth_at(e, t, h->orbit.state);
            h->orbit.start = t;
            break;
        }
    }
    return AM_OK;
}

static am_status add_samples(recurrence *h, const am_result *result, am_table *table, am_error *err) {
    const am_orbit *o = &h->orbit;
    size_t count = h->options->samples, next = 0;
    double until = o->start + o->period;
    am_smooth_start(h->engine, o->start, o->state, false);
    while (next < count) {
        bool last = am_smooth_time(h->engine) >= until;
        double t = count < 2 ? 0.0 : o->period * (double)next / (double)(count - 1);
        if (o->start + t > am_smooth_time(h->engine) && !last) {
            AM_TRY(am_smooth_step(h->engine, until, err));
            continue;
        }
        am_smooth_at(h->engine, o->start + t, h->state);
        if (next == 0)
            memcpy(h->state, o->state, h->d * sizeof *h->state);
        const am_sample sample = {.t = t, .coordinates = h->n, .displacement = h->state, .velocity = h->state + h->n};
        AM_TRY(am_dynamic_sample_row(result, table, h->system, &sample, err));
        next++;
    }
    return AM_OK;
}

static am_status summarise(recurrence *h, am_result *result, am_error *err) {
    const am_orbit *o = &h->orbit;
    am_arena memory = {0};
    double *least = am_arena_new(&memory, h->d, sizeof *least, err);
    double *largest = am_arena_new(&memory, h->d, sizeof *largest, err);
    am_orbit_range *range = am_arena_new(&memory, h->d, sizeof *range, err);
    am_status status = am_arena_status(&memory);
    am_smooth_balance balance = {.least = least, .largest = largest};
    if (!status)
        status = am_smooth_energy_balance(h->engine, o->start, o->state, o->period, o->period / two_pi, &balance, err);
    if (!status) {
        memcpy(h->flow, am_smooth_state(h->engine), h->d * sizeof *h->flow);
        double gain = am_smooth_energy(h->engine, h->flow) - am_smooth_energy(h->engine, o->state);
        double residual = fabs(gain - balance.work_loads - balance.work_circulatory + balance.loss);
        for (size_t i = 0; i < h->d; i++)
            range[i] = (am_orbit_range){least[i], largest[i]};
        am_orbit_summarise(h->system, o, &h->search, balance.moved > 0.0 ? residual / balance.moved : 0.0, range,
                           range + h->n, result);
    }
    am_arena_clear(&memory);
    return status;
}

static am_status draw(recurrence *h, am_result *result, am_error *err) {
    am_table *switches, *samples = NULL;
    AM_TRY(is_forced(h) ? AM_OK : go_to_section(h, err));
    am_orbit_table_orbits(&h->orbit, result);
    am_orbit_table_switches(h->system, result, &switches);
    am_orbit_table_multipliers(&h->orbit, result);
    if (h->options->samples > 0)
        am_orbit_table_samples(h->system, result, &samples);
    if (samples)
        AM_TRY(add_samples(h, result, samples, err));
    return summarise(h, result, err);
}

/* ---- running ---- */

static am_status prepare(recurrence *h, am_error *err) {
    h->engine = am_smooth_create(h->system, err);
    if (!h->engine)
        return err->status ? err->status : AM_ERR_MEMORY;
    h->rest = am_smooth_rest_create(h->engine, err);
    h->past = am_arena_doubles(&h->memory, NULL, (h->window + 1) * h->d, err);
    h->when = am_arena_doubles(&h->memory, NULL, h->window + 1, err);
    AM_ARENA_DOUBLES(&h->memory, h->d, err, &h->state, &h->flow, &h->resume);
    if (!h->rest || am_arena_status(&h->memory))
        return AM_ERR_MEMORY;
    if (h->options->displacement)
        memcpy(h->state, h->options->displacement, h->n * sizeof *h->state);
    if (h->options->velocity)
        memcpy(h->state + h->n, h->options->velocity, h->n * sizeof *h->state);
    h->scale = is_forced(h) ? h->search.how.period / two_pi : am_smooth_rest_time_scale(h->rest, h->state);
    h->size = size_of(h, h->state);
    return AM_OK;
}

static void release(recurrence *h) {
    am_orbit_clear(&h->orbit);
    am_smooth_rest_free(h->rest);
    am_smooth_free(h->engine);
    am_arena_clear(&h->memory);
}

am_status am_orbit_smooth_run(const am_system *system, const am_orbit_options *options, am_result *result,
                              const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    recurrence h = {.system = system,
                    .options = options,
                    .progress = progress,
                    .n = am_system_size(system),
                    .d = 2 * am_system_size(system),
                    .window = options->most_period,
                    .aperiodic = am_aperiodic_begin(options->judge)};
    am_status status = am_orbit_check_options(options, e);
    if (!status)
        status = am_orbit_choose_kind(system, options, &h.search.how, &h.settled, e);
    if (!status)
        status = prepare(&h, e);
    if (!status)
        status = is_forced(&h) ? find_forced(&h, e) : find_self_excited(&h, e);
    h.search.returns = h.returns;
    if (!status && h.search.outcome != AM_ORBIT_PERIODIC)
        status = am_fail(e, AM_ERR_LIMIT, "no periodic motion was reached from this start: %s", h.search.sentence);
    if (!status)
        status = am_orbit_check_evidence(&h.orbit, e);
    if (!status)
        status = draw(&h, result, e);
    release(&h);
    return status;
}
