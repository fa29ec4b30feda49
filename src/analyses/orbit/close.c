/* Closing an orbit by shooting. See docs/orbit.md for the equations.
 *
 * The section says how often the orbit returns. Newton's method itself works from an instant in the middle of the
 * longest interval without a switch, so that no switch is near the ends and the exact sensitivities of the engine are
 * the derivatives of a smooth map. */
#include "amontons/orbit.h"

#include <math.h>
#include <string.h>

#include "analyses/orbit/newton.h"
#include "analyses/orbit/section_walk.h"
#include "base/local.h"
#include "base/object.h"
#include "base/text.h"
#include "engines/switching/switching.h"
#include "math/pi.h"
#include "system/joints.h"

/* States this near to each other are the same. */
static const double repeated = 1e-8;

/* Without contacts velocities are measured by the period: the frequencies of curved springs are not those of the
 * structure at rest. */
static void weigh(am_shot *s, double period) {
    const am_plan *plan = &s->engine->plan;
    for (size_t i = 0; s->unheld && i < s->n; i++) {
        s->own[i] = sqrt(plan->M[i * s->n + i]);
        s->own[s->n + i] = period / two_pi * s->own[i];
    }
    s->w = s->unheld ? s->own : plan->weight;
}

/* ---- where to shoot from ---- */

/* A guess of the period is improved first: to the time at which the motion comes nearest to where it began. The guess
 * itself is looked at too, and some points of every span. */
static am_status align(am_shot *s, const double *guess, am_error *err) {
    enum { LOOKS = 32 };
    am_motion *e = s->engine;
    double given = s->how->period, nearest = INFINITY;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(e, s->how->start, guess, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(e, s->how->start + 1.3 * given, &kind, err));
        double end = am_motion_time(e) - s->how->start, begin = end - e->span_length;
        for (size_t i = 0; i <= LOOKS && end >= 0.7 * given; i++) {
            double t = i == 0 ? given : begin + (double)i / LOOKS * e->span_length;
            if (t < 0.7 * given || t < begin || t > end)
                continue;
            am_engine_evaluate(e, t - begin, s->trial, s->d);
            double distance = am_shot_size(s, s->trial, guess);
            if (distance < nearest) {
                nearest = distance;
                s->how->period = t;
            }
        }
    }
    return AM_OK;
}

/* One walk along the guess finds the longest interval between switches and the period. Without switches any instant
 * will do. */
static am_status choose_beginning(am_shot *s, const double *guess, am_error *err) {
    am_walk walk;
    double last = s->how->start, longest = -1.0;
    size_t returns = 0;
    bool switches = false;
    weigh(s, s->how->period);
    if (s->how->section == AM_SECTION_FREE)
        AM_TRY(align(s, guess, err));
    if (s->how->from_guess || (s->unheld && am_walk_is_timed(s->how))) { /* as asked, or nothing can switch */
        s->tau = (double)s->how->returns * s->how->period;
        s->begin = s->how->start;
        return AM_OK;
    }
    AM_TRY(am_walk_begin(&walk, s->engine, s->how, guess, err));
    while (!walk.done) {
        am_step_kind kind;
        AM_TRY(am_walk_step(&walk, &kind, err));
        double now = am_motion_time(s->engine);
        switches |= am_motion_switches(s->engine) > 0;
        if (am_motion_switches(s->engine) == 0 && !walk.done)
            continue;
        if (now - last > longest) {
            longest = now - last;
            s->offset = 0.5 * (last + now) - s->how->start;
            s->before = returns;
        }
        last = now;
        returns = walk.returns;
    }
    if (s->smooth && !switches)
        s->offset = 0.0;
    s->tau = am_motion_time(s->engine) - s->how->start;
    if (am_walk_is_timed(s->how))
        s->tau = (double)s->how->returns * s->how->period;
    s->begin = s->how->start + s->offset;
    if (!(s->tau > 0.0))
        return am_fail(err, AM_ERR_LIMIT, "the motion does not leave the section");
    return AM_OK;
}

static am_status go_to_beginning(am_shot *s, const double *guess, am_error *err) {
    AM_TRY(am_motion_start_state(s->engine, s->how->start, guess, err));
    AM_TRY(am_engine_run_until(s->engine, s->begin, err));
    memcpy(s->x, am_motion_state(s->engine), s->d * sizeof *s->x);
    memcpy(s->state, am_motion_states(s->engine), s->m * sizeof *s->state);
    return AM_OK;
}

/* ---- describing ---- */

/* From the beginning of the shot on to the section. */
static am_status go_to_section(am_shot *s, am_orbit *orbit, am_error *err) {
    size_t missing = s->how->returns - s->before, seen = 0;
    bool timed = am_walk_is_timed(s->how);
    double until = timed ? s->how->start + s->tau : s->begin + 1.5 * s->tau;
    am_step_kind kind = AM_STEP_SPAN;
    if (s->unheld && timed) { /* without contacts the shot begins at the section itself */
        memcpy(orbit->state, s->x, s->d * sizeof *orbit->state);
        return AM_OK;
    }
    AM_TRY(am_walk_start(s->engine, s->how, s->begin, s->x, err));
    while (kind != AM_STEP_END && (timed || seen < missing)) {
        AM_TRY(am_motion_step(s->engine, until, &kind, err));
        if (!timed)
            seen += am_walk_at_section(s->engine, s->how);
    }
    if (!timed && seen < missing)
        return am_fail(err, AM_ERR_LIMIT, "the periodic motion near the guess does not pass the section");
    memcpy(orbit->state, am_motion_state(s->engine), s->d * sizeof *orbit->state);
    memcpy(orbit->contact, am_motion_states(s->engine), s->m * sizeof *orbit->contact);
    return AM_OK;
}

static void add_states(am_text *text, am_motion *engine) {
    am_text_add(text, text->length > 0 ? " " : "");
    am_joints_name(text, engine->plan.system, am_motion_states(engine));
}

static am_status add_times(const am_shot *s, am_orbit *orbit, size_t *capacity, am_error *err) {
    size_t more = am_motion_switches(s->engine);
    AM_TRY(am_memory_reserve(&orbit->switch_times, capacity, orbit->switches + more, err));
    for (size_t i = 0; i < more; i++)
        if (!am_motion_switch(s->engine, i)->together)
            orbit->switch_times[orbit->switches++] = am_motion_time(s->engine) - s->how->start;
    return AM_OK;
}

/* Walk once around: switches, sequence, stops, losses, and a second look at how well the orbit closes. */
static am_status walk_around(am_shot *s, am_orbit *orbit, am_text *sequence, am_error *err) {
    am_walk walk;
    size_t capacity = 0;
    bool slid = false;
    if (s->unheld && am_walk_is_timed(s->how) && !s->engine->with_energy) { /* the last shot was this walk */
        orbit->carried = s->carried;
        orbit->closing = s->residual;
        orbit->dissipation = orbit->loss_damping = orbit->loss_impact = NAN;
        return AM_OK;
    }
    AM_TRY(am_walk_begin(&walk, s->engine, s->how, orbit->state, err));
    bool stuck = am_orbit_all_stick(am_motion_states(s->engine), s->m);
    add_states(sequence, s->engine);
    orbit->shakedown = stuck;
    while (!walk.done) {
        am_step_kind kind;
        AM_TRY(am_walk_step(&walk, &kind, err));
        if (am_motion_switches(s->engine) == 0)
            continue;
        bool sticks = am_orbit_all_stick(am_motion_states(s->engine), s->m);
        orbit->stops += sticks && !stuck;
        stuck = sticks;
        slid = true;
        AM_TRY(add_times(s, orbit, &capacity, err));
        add_states(sequence, s->engine);
    }
    orbit->shakedown = orbit->shakedown && !slid;
    orbit->carried = s->carried;
    orbit->closing = fmax(s->residual, am_shot_apart(s, am_motion_state(s->engine), orbit->state, s->size));
    double period = am_motion_time(s->engine) - s->how->start;
    if (!(fabs(period - s->tau) <= 1e-9 * s->tau))
        return am_fail(err, AM_ERR_LIMIT, "the periodic motion near the guess does not pass the section");
    const am_motion_statistics statistics = am_motion_statistics_get(s->engine);
    orbit->indeterminate = statistics.indeterminate;
    orbit->dissipation = s->engine->with_energy ? statistics.loss_friction : NAN;
    orbit->loss_damping = s->engine->with_energy ? statistics.loss_damping : NAN;
    orbit->loss_impact = s->engine->with_energy ? statistics.loss_impact : NAN;
    return AM_OK;
}

/* The last state of contact is the first one again: it is not repeated in the sequence. */
static void drop_last(am_text *sequence, const am_orbit *orbit) {
    char *last = orbit->switches > 0 && sequence->data ? strrchr(sequence->data, ' ') : NULL;
    if (last)
        *last = '\0';
}

static am_status describe(am_shot *s, am_orbit *orbit, am_error *err) {
    AM_LOCAL(am_text_free) am_text sequence = {0};
    AM_TRY(go_to_section(s, orbit, err));
    AM_TRY(walk_around(s, orbit, &sequence, err));
    AM_TRY(am_text_status(&sequence, err));
    drop_last(&sequence, orbit);
    orbit->sequence = am_memory_text(am_text_view(&sequence), err);
    return orbit->sequence ? AM_OK : AM_ERR_MEMORY;
}

static am_status prepare_orbit(const am_shot *s, am_orbit *orbit, am_error *err) {
    *orbit = (am_orbit){.returns = s->how->returns, .start = s->how->start, .dimension = s->d};
    orbit->state = am_memory_new(s->d, sizeof(double), err);
    orbit->contact = am_memory_new(s->m, sizeof *orbit->contact, err);
    orbit->multiplier_re = am_memory_new(s->d, sizeof(double), err);
    orbit->multiplier_im = am_memory_new(s->d, sizeof(double), err);
    return orbit->state && orbit->contact && orbit->multiplier_re && orbit->multiplier_im ? AM_OK : AM_ERR_MEMORY;
}

static am_status check(const am_motion *engine, const am_orbit_return *how, am_error *err) {
    if (how->returns < 1)
        return am_fail(err, AM_ERR_INPUT, "an orbit must have at least one return");
    if (am_walk_is_timed(how) && !(how->period > 0.0 && isfinite(how->period)))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period must be positive, not %g", how->period);
    if (how->section == AM_SECTION_MAXIMUM && how->coordinate >= engine->plan.n)
        return am_fail_field(err, AM_ERR_INPUT, "section", "there is no coordinate %zu", how->coordinate + 1);
    if (how->section == AM_SECTION_SWITCH && how->contact >= engine->plan.m)
        return am_fail_field(err, AM_ERR_INPUT, "section", "there is no contact %zu", how->contact + 1);
    if (how->section == AM_SECTION_AUTO || (how->from_guess && !am_walk_is_timed(how)))
        return am_fail_field(err, AM_ERR_INPUT, "section", "say whether the section is a period or a switch");
    return AM_OK;
}

/* Without contacts every direction is admissible. */
static am_status solve_orbit(am_shot *s, const double *guess, am_orbit *orbit, am_error *err) {
    AM_TRY(choose_beginning(s, guess, err));
    AM_TRY(go_to_beginning(s, guess, err));
    weigh(s, s->tau);
    AM_TRY(am_shot_close(s, err));
    orbit->period = s->tau;
    s->how->period = s->tau / (double)s->how->returns;
    return am_shot_multipliers(s, orbit, err);
}

static am_status close_orbit(am_shot *s, const double *guess, am_orbit *orbit, am_error *err) {
    bool energy = s->engine->with_energy;
    AM_TRY(am_shot_reserve(s, err));
    AM_TRY(prepare_orbit(s, orbit, err));
    s->engine->with_energy = false; /* the balance of energy is needed only for the description */
    am_status status = solve_orbit(s, guess, orbit, err);
    am_motion_follow_sensitivity(s->engine, false, NULL);
    s->engine->with_energy = energy;
    return status ? status : describe(s, orbit, err);
}

static am_status close_as_asked(am_motion *engine, const am_orbit_return *how, const double *guess, am_orbit *orbit,
                                am_error *err) {
    am_orbit_return own = *how;
    am_shot s = {.engine = engine,
                 .how = &own,
                 .d = am_motion_dimension(engine),
                 .n = engine->plan.n,
                 .m = engine->plan.m,
                 .smooth = engine->plan.m == 0 || how->section == AM_SECTION_FREE || how->section == AM_SECTION_MAXIMUM,
                 .unheld = am_walk_is_unheld(engine),
                 .sparing = engine->plan.forces > 0,
                 .free_period = am_orbit_is_self_excited(how)};
    am_status status = close_orbit(&s, guess, orbit, err);
    am_arena_clear(&s.memory);
    if (status)
        am_orbit_clear(orbit);
    return status;
}

/* The smallest number of returns after which the closed orbit repeats. */
static am_status least_returns(am_motion *engine, const am_orbit_return *how, const am_orbit *orbit, size_t *least,
                               am_error *err) {
    *least = how->returns;
    for (size_t r = 1; r < how->returns && *least == how->returns; r++) {
        am_orbit_return shorter = *how;
        am_walk walk;
        shorter.returns = r;
        if (how->returns % r != 0)
            continue;
        AM_TRY(am_walk_begin(&walk, engine, &shorter, orbit->state, err));
        while (!walk.done) {
            am_step_kind kind;
            AM_TRY(am_walk_step(&walk, &kind, err));
        }
        double size = am_orbit_size(engine, orbit->state);
        if (am_orbit_distance(engine, am_motion_state(engine), orbit->state) <= repeated * size)
            *least = r;
    }
    return AM_OK;
}

/* Does an orbit without a section close earlier already? Returns the number of times it goes round. */
static size_t times_around(am_motion *engine, const am_orbit *orbit) {
    static const size_t primes[] = {2, 3, 5, 7};
    double size = am_orbit_size(engine, orbit->state);
    for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
        if (!am_motion_start_state(engine, orbit->start, orbit->state, NULL) &&
            !am_engine_run_until(engine, orbit->start + orbit->period / (double)primes[i], NULL) &&
            am_orbit_distance(engine, am_motion_state(engine), orbit->state) <= repeated * size)
            return primes[i];
    return 1;
}

static am_status close_once_around(am_motion *engine, const am_orbit_return *how, am_orbit *orbit, am_error *err) {
    am_status status = AM_OK;
    for (size_t times = 2; times > 1 && !status;) {
        bool energy = engine->with_energy;
        engine->with_energy = false;
        times = times_around(engine, orbit);
        engine->with_energy = energy;
        if (times > 1) {
            am_orbit_return shorter = *how;
            am_orbit once = {0};
            shorter.period = orbit->period / (double)times;
            status = close_as_asked(engine, &shorter, orbit->state, &once, err);
            am_orbit_clear(orbit);
            *orbit = once;
        }
    }
    return status;
}

am_status am_orbit_close(am_motion *engine, const am_orbit_return *how, const double *guess, am_orbit *orbit,
                         am_error *err) {
    if (!am_is(engine, AM_TAG_MOTION) || !how || !orbit)
        return am_misused(err, __func__);
    *orbit = (am_orbit){0};
    AM_TRY(check(engine, how, err));
    size_t least = how->returns;
    bool energy = engine->with_energy;
    am_motion_seek_final(engine, false);
    am_motion_follow_sensitivity(engine, false, NULL);
    engine->strides = true;
    am_status status = close_as_asked(engine, how, guess, orbit, err);
    if (!status && how->section == AM_SECTION_FREE)
        status = close_once_around(engine, how, orbit, err);
    engine->with_energy = false;
    if (!status)
        status = least_returns(engine, how, orbit, &least, err);
    engine->with_energy = energy;
    if (!status && least < how->returns) {
        am_orbit_return shorter = *how;
        am_orbit once = {0};
        shorter.returns = least;
        status = close_as_asked(engine, &shorter, orbit->state, &once, err);
        am_orbit_clear(orbit);
        *orbit = once;
    }
    engine->strides = false;
    if (status)
        am_orbit_clear(orbit);
    return status;
}

void am_orbit_clear(am_orbit *orbit) {
    if (!orbit)
        return;
    am_memory_free(orbit->state);
    am_memory_free(orbit->contact);
    am_memory_free(orbit->sequence);
    am_memory_free(orbit->switch_times);
    am_memory_free(orbit->multiplier_re);
    am_memory_free(orbit->multiplier_im);
    *orbit = (am_orbit){0};
}
