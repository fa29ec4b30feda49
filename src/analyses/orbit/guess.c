/* A start that is a guess of a periodic motion, closed at once: no transient, so that motions that are not stable can be
 * asked for. */
#include <math.h>
#include <string.h>

#include "analyses/orbit/orbit_internal.h"
#include "analyses/orbit/section_walk.h"
#include "base/local.h"
#include "engines/switching/switching.h"

/* A motion that has come back to this part of how far it went has been once around. */
static const double once_around = 0.3;

/* Spans within which it must, and passages that are looked at. */
static const size_t most_spans = 200000, most_passages = 64;

typedef struct passage {
    am_motion *engine;
    const double *guess;
    double *here, *rate; /* dimension each */
    double start;
    double side, farthest;  /* side: how far along the flow of the guess the motion is; farthest: it has been */
    double nearest, period; /* best passage so far, as a part of farthest */
    size_t passages;
} passage;

/* Which side of the guess, seen along its flow; in weighted coordinates. */
static double side_of(const passage *p) {
    const double *w = p->engine->plan.weight;
    double sum = 0.0;
    for (size_t i = 0; i < am_motion_dimension(p->engine); i++)
        sum += w[i] * w[i] * p->rate[i] * (p->here[i] - p->guess[i]);
    return sum;
}

/* Does the span just passed go through the plane across the flow at the guess, in the direction of the flow? */
static bool examine_span(passage *p) {
    enum { LOOKS = 8 };
    am_motion *e = p->engine;
    for (size_t i = 1; i <= LOOKS; i++) {
        double into = (double)i / LOOKS * e->span_length;
        am_engine_evaluate(e, into, p->here, am_motion_dimension(e));
        double side = side_of(p), distance = am_orbit_distance(e, p->here, p->guess);
        p->farthest = fmax(p->farthest, distance);
        if (p->side < 0.0 && side >= 0.0 && p->farthest > 0.0) {
            p->passages++;
            if (distance < p->nearest * p->farthest) {
                p->nearest = distance / p->farthest;
                p->period = am_motion_time(e) - e->span_length + into - p->start;
            }
            if (p->nearest <= once_around)
                return true;
        }
        p->side = side;
    }
    return false;
}

/* The time after which the motion comes back to the guess, about. */
static am_status find_period(am_motion *e, const double *guess, double *work, double start, double *period,
                             am_error *err) {
    size_t d = am_motion_dimension(e);
    passage p = {.engine = e, .guess = guess, .here = work, .rate = work + d, .start = start, .nearest = INFINITY};
    AM_TRY(am_motion_start_state(e, start, guess, err));
    am_motion_rates(e, NULL, p.rate);
    bool found = false;
    for (size_t i = 0; i < most_spans && !found && p.passages < most_passages; i++) {
        am_step_kind kind;
        AM_TRY(am_motion_step(e, am_walk_horizon(e), &kind, err));
        found = examine_span(&p);
    }
    *period = p.period;
    if (!(p.period > 0.0))
        return am_fail(err, AM_ERR_LIMIT,
                       "the motion does not come back to where it starts: it is no guess of a periodic motion");
    return AM_OK;
}

am_status am_orbit_close_guess(am_motion *engine, const am_orbit_options *options, am_orbit *orbit,
                               am_orbit_search *search, am_error *err) {
    const am_orbit_options *o = options;
    size_t d = am_motion_dimension(engine);
    AM_LOCAL_ARENA memory = {0};
    double settled, *guess = am_arena_doubles(&memory, NULL, 3 * d, err);
    *orbit = (am_orbit){0};
    *search = (am_orbit_search){.outcome = AM_ORBIT_UNDECIDED};
    if (!guess)
        return AM_ERR_MEMORY;
    AM_TRY(am_orbit_check_options(o, err));
    AM_TRY(am_motion_start(engine, o->from, o->displacement, o->velocity, err));
    AM_TRY(am_orbit_choose_kind(engine->plan.system, o, &search->how, &settled, err));
    am_orbit_return *how = &search->how;
    memcpy(guess, am_motion_state(engine), d * sizeof *guess);
    if (how->section == AM_SECTION_SWITCH) {
        how->section = AM_SECTION_FREE;
        how->start = fmax(how->start, o->from);
        AM_TRY(find_period(engine, guess, guess + d, how->start, &how->period, err));
    }
    AM_TRY(am_orbit_close(engine, how, guess, orbit, err));
    search->outcome = AM_ORBIT_PERIODIC;
    how->returns = orbit->returns;
    if (how->section == AM_SECTION_FREE)
        how->period = orbit->period;
    return AM_OK;
}
