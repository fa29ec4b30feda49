/* One disturbance is carried along by the exact derivative of the motion (saltation included) and normalised at every
 * return. On a self-excited motion it is looked at on the section, where each neighbour arrives at its own time: a mere
 * shift along the motion, which neither grows nor decays, is thereby left out. The growth is added up in batches; their
 * scatter is the error of the mean. */
#include "analyses/orbit/exponent.h"

#include <math.h>
#include <string.h>

#include "analyses/orbit/endless_sliding.h"
#include "analyses/orbit/section_walk.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/switching/switching.h"

enum {
    BATCHES = 20,
    SETTLE = 30,         /* returns in which the disturbance turns into the fastest direction */
    SHORTEST_BATCH = 15, /* returns */
    LONGEST_BATCH = 240,
    QUIET = 3 /* steps without a switch before a leap is tried */
};

/* Standard errors by which an exponent differs from zero. With 20 batches chance does that once in 140 times each way.
 */
static const double sure = 3.0;

/* A contraction by this exponent's power over the time looked at would have been seen. */
static const double visible = 10.0;

typedef struct journey {
    am_motion *engine;
    const am_orbit_return *how;
    am_endless_sliding *sliding; /* NULL: no leaps */
    size_t d;
    double *state, *direction, *rate; /* d each */
} journey;

int am_exponent_sign(const am_exponent *exponent) {
    if (exponent->value > sure * exponent->error)
        return 1;
    return exponent->value < -sure * exponent->error ? -1 : 0;
}

bool am_exponent_is_zero(const am_exponent *exponent) {
    return am_exponent_sign(exponent) == 0 && sure * exponent->error * exponent->time < visible;
}

/* A long slide is passed in one leap; the direction goes with it. */
static am_status leap(journey *j, am_walk *walk, am_error *err) {
    double passed;
    if (!j->sliding || walk->quiet < QUIET || walk->quiet % QUIET != 0)
        return AM_OK;
    memcpy(j->direction, am_motion_sensitivity(j->engine), j->d * sizeof *j->direction);
    AM_TRY(am_endless_sliding_leap(j->sliding, j->engine, j->direction, &passed, err));
    if (!(passed > 0.0))
        return AM_OK;
    memcpy(j->engine->sensitivity, j->direction, j->d * sizeof *j->direction);
    walk->until = am_walk_horizon(j->engine);
    return AM_OK;
}

/* The neighbour's deviation when it is on the section itself, share earlier or later: at the same switch, or where the
 * velocity of the coordinate at its maximum vanishes. */
static void put_on_section(journey *j) {
    const am_motion *e = j->engine;
    size_t velocity = e->plan.n + j->how->coordinate;
    am_motion_rates(e, NULL, j->rate);
    double share =
        j->how->section == AM_SECTION_SWITCH ? e->event_share[0] : e->sensitivity[velocity] / j->rate[velocity];
    for (size_t i = 0; i < j->d; i++)
        j->direction[i] = e->sensitivity[i] - j->rate[i] * share;
}

/* To the next return. */
static am_status go_once(void *context, double *growth, double *time, am_error *err) {
    journey *j = context;
    am_walk walk;
    am_orbit_return once = *j->how;
    once.returns = 1;
    AM_TRY(am_walk_begin(&walk, j->engine, &once, j->state, err));
    memcpy(j->engine->sensitivity, j->direction, j->d * sizeof *j->direction);
    while (!walk.done) {
        am_step_kind kind;
        AM_TRY(am_walk_step(&walk, &kind, err));
        if (!walk.done)
            AM_TRY(leap(j, &walk, err));
    }
    memcpy(j->state, am_motion_state(j->engine), j->d * sizeof *j->state);
    memcpy(j->direction, am_motion_sensitivity(j->engine), j->d * sizeof *j->direction);
    if (!am_walk_is_timed(j->how))
        put_on_section(j);
    double size = am_orbit_size(j->engine, j->direction);
    if (!(size > 0.0) || !isfinite(size))
        return am_fail(err, AM_ERR_LIMIT, "the disturbance is forgotten, or grows beyond all bounds, in one return");
    for (size_t i = 0; i < j->d; i++)
        j->direction[i] /= size;
    *growth = log(size);
    *time = am_motion_time(j->engine) - once.start;
    return AM_OK;
}

typedef struct batches {
    double growth[BATCHES], time[BATCHES];
} batches;

static am_status run_batch(am_exponent_step *step, void *context, size_t returns, double *growth, double *time,
                           am_error *err) {
    *growth = *time = 0.0;
    for (size_t k = 0; k < returns; k++) {
        double more = 0.0, longer = 0.0;
        AM_TRY(step(context, &more, &longer, err));
        *growth += more;
        *time += longer;
    }
    return AM_OK;
}

/* Mean and error of a ratio of sums. */
static void judge(const batches *all, am_exponent *exponent) {
    double growth = 0.0, time = 0.0, squares = 0.0;
    for (size_t b = 0; b < BATCHES; b++) {
        growth += all->growth[b];
        time += all->time[b];
    }
    exponent->value = growth / time;
    exponent->time = time;
    for (size_t b = 0; b < BATCHES; b++) {
        double rest = all->growth[b] - exponent->value * all->time[b];
        squares += rest * rest;
    }
    exponent->error = sqrt(squares * BATCHES / (BATCHES - 1.0)) / time;
}

/* Every attempt is twice as long as the last one, which serves to turn the disturbance. */
static am_status exponent_estimate(am_exponent_step *step, void *context, am_exponent *exponent, am_error *err) {
    double growth, time;
    batches all;
    AM_TRY(run_batch(step, context, SETTLE, &growth, &time, err));
    for (size_t length = SHORTEST_BATCH; length <= LONGEST_BATCH; length *= 2) {
        for (size_t b = 0; b < BATCHES; b++)
            AM_TRY(run_batch(step, context, length, &all.growth[b], &all.time[b], err));
        judge(&all, exponent);
        exponent->returns = BATCHES * length;
        if (am_exponent_sign(exponent) != 0)
            break;
    }
    return AM_OK;
}

am_status am_exponent_find(am_motion *engine, const am_orbit_return *how, const double *state, am_exponent *exponent,
                           am_error *err) {
    am_error own = {0};
    size_t d = am_motion_dimension(engine);
    journey j = {.engine = engine, .how = how, .d = d};
    *exponent = (am_exponent){.value = NAN, .error = NAN};
    double *memory = am_memory_new(3 * d, sizeof *memory, &own);
    am_status status = memory ? am_engine_follow_one(engine, &own) : AM_ERR_MEMORY;
    if (!status && how->section == AM_SECTION_SWITCH) {
        j.sliding = am_endless_sliding_create(engine, &own);
        status = j.sliding ? AM_OK : own.status;
    }
    if (!status) {
        j.state = memory;
        j.direction = memory + d;
        j.rate = memory + 2 * d;
        memcpy(j.state, state, d * sizeof *state);
        for (size_t i = 0; i < d; i++)
            j.direction[i] = 1.0 / engine->plan.weight[i];
        status = exponent_estimate(go_once, &j, exponent, &own);
    }
    am_motion_follow_sensitivity(engine, false, NULL);
    am_endless_sliding_free(j.sliding);
    am_memory_free(memory);
    if (status && status != AM_ERR_MEMORY) {
        *exponent = (am_exponent){.value = NAN, .error = NAN}; /* a motion that ends has no exponent */
        return AM_OK;
    }
    if (status && err)
        *err = own;
    return status;
}
