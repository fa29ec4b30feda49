/* Which orbit does a start lead to? The transient is followed from return to return; when its returns repeat, the orbit
 * is closed, and it is accepted once it is stable and the transient comes nearer to it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/analysis.h"
#include "analyses/orbit/aperiodic.h"
#include "analyses/orbit/contraction.h"
#include "analyses/orbit/endless_sliding.h"
#include "analyses/orbit/orbit_internal.h"
#include "analyses/orbit/section_walk.h"
#include "base/arena.h"
#include "base/object.h"
#include "base/try.h"
#include "base/watch.h"
#include "base/whole.h"
#include "engines/load_period.h"
#include "engines/switching/switching.h"
#include "laws/law.h"

enum { OPTIONS_COOKIE = 0x414d4f52 };

/* Returns that agree to this part of the state's size, over the number of returns, are worth an attempt. */
static const double near_enough = 3e-2;

/* A transient that has come this much nearer to its orbit, by the same switches every time around, will arrive; and this
 * much where there are no contacts, whose grazes could end a basin close by. */
static const double comes_nearer = 1e-2, comes_nearer_smoothly = 0.25;

/* A transient this near to its orbit has arrived. */
static const double arrived = 1e-9, arrived_at_family = 1e-3;

/* Growth by this factor over the state at the start is divergence. */
static const double divergence = 1e12;

/* Events after which the section of a self-excited motion is chosen, and within which it must be met again. */
static const size_t settle_events = 20, most_events_between = 5000;

/* Steps without a switch after which a motion may slide on for long. */
static const size_t quiet_enough = 3;

/* Steps without a switch after which a motion whose forces are not linear is looked at on the maxima of a coordinate;
 * steps without a maximum after which another one is chosen; then so many times more; and so many that there is nothing
 * to wait for. Relaxation oscillations take thousands of steps from return to return. */
static const size_t quiet_long = 256, first_patience = 2000, more_patience = 4, last_patience = 2000000;

/* How often such a motion is asked whether it comes to rest. */
static const size_t steps_between_looks = 64;

/* Below this part of its size the distance from a steady state is none. */
static const double is_there = 1e-13;

/* So often it is looked whether a motion leaves a steady state that is not stable. */
static const size_t many_looks = 16;

am_orbit_options am_orbit_options_default(void) {
    return (am_orbit_options){.transient = 20,
                              .most_returns = 100000,
                              .most_period = 64,
                              .judge = true,
                              .samples = 1001,
                              .cookie = OPTIONS_COOKIE};
}

/* ---- the search ---- */

typedef struct recurrence {
    am_arena memory;
    am_motion *engine;
    const am_orbit_options *options;
    const am_progress *progress;
    am_orbit_search *search;
    size_t d, m;
    size_t window;   /* most_period */
    double *past;    /* (window + 1) x d: states at the last returns, a ring */
    uint64_t *route; /* 2 window: what happened before each of the last returns, a ring */
    double *now;     /* d */
    size_t returns;
    double size;      /* of the start */
    double half_size; /* largest state on the section in the first half of the returns */
    double late_size; /* and in the last quarter: a motion that still grows exceeds the former */
    size_t next_try;  /* return before which nothing is tried */
    am_aperiodic aperiodic;
    bool candidate; /* an orbit is closed and waits for the transient to come nearer */
    bool doubtful;  /* the transient did not come nearer to an orbit that was known: it closes its own */
    double candidate_distance;
    size_t candidate_from, candidate_until; /* returns at which it was closed and is given up */
    size_t stands;                          /* looks that found it in a steady state that is not stable */
    bool energy;                            /* the balance of energy of the orbit is wanted */
    bool moved;                             /* the engine was used to close an orbit and must be put back */
    am_orbit orbit;
    bool ended; /* the outcome is known */
} recurrence;

static double *past(const recurrence *h, size_t index) {
    return h->past + index % (h->window + 1) * h->d;
}

static uint64_t *route(const recurrence *h, size_t index) {
    return h->route + index % (2 * h->window);
}

static am_status no_orbit(recurrence *h, am_orbit_outcome outcome, const char *sentence) {
    h->ended = true;
    h->search->outcome = outcome;
    snprintf(h->search->sentence, sizeof h->search->sentence, "%s", sentence);
    return AM_OK;
}

/* Did the last p returns come about as the p before them did? `newest`: place of the last one in the ring, which is
 * walked backwards without a division at every step. */
static bool came_the_same_way(const recurrence *h, size_t newest, size_t p) {
    size_t size = 2 * h->window, one = newest, other = newest >= p ? newest - p : newest + size - p;
    for (size_t i = 0; i < p; i++) {
        if (h->route[one] != h->route[other])
            return false;
        one = one > 0 ? one - 1 : size - 1;
        other = other > 0 ? other - 1 : size - 1;
    }
    return true;
}

/* Number of returns after which the motion repeats, as far as can be seen; 0: none. */
static size_t repeats_after(const recurrence *h, double *distance) {
    size_t last = h->returns; /* index of the present return */
    size_t newest = last % (2 * h->window);
    for (size_t p = 1; p <= h->window && 2 * p <= last; p++) {
        if (!came_the_same_way(h, newest, p))
            continue;
        *distance = am_orbit_distance(h->engine, past(h, last), past(h, last - p));
        if (*distance <= near_enough / (double)p * am_orbit_size(h->engine, past(h, last)))
            return p;
    }
    return 0;
}

/* Sticking forgets: a motion may be on its orbit after one or two returns. */
static bool repeats_at_once(const recurrence *h) {
    size_t last = h->returns;
    return last >= 2 && *route(h, last) == *route(h, last - 1) &&
           am_orbit_distance(h->engine, past(h, last), past(h, last - 1)) <=
               arrived * am_orbit_size(h->engine, past(h, last));
}

static void accept(recurrence *h, am_orbit *orbit) {
    *orbit = h->orbit;
    h->orbit = (am_orbit){0};
    h->candidate = false;
    h->ended = true;
    h->search->outcome = AM_ORBIT_PERIODIC;
}

static void drop_candidate(recurrence *h) {
    am_orbit_clear(&h->orbit);
    h->candidate = false;
    h->doubtful = h->doubtful || h->search->known;
    h->next_try = h->returns + 1 + h->returns / 4; /* attempts are dear */
}

static double distance_to_candidate(const recurrence *h) {
    return am_orbit_distance(h->engine, past(h, h->returns), h->orbit.state);
}

/* With a family there is no single orbit to approach, and where slip dies out the approach never ends. */
static bool has_arrived(const recurrence *h) {
    double near = h->orbit.family > 0 ? arrived_at_family : arrived;
    return distance_to_candidate(h) <= near * am_orbit_size(h->engine, past(h, h->returns)) || h->orbit.shakedown;
}

/* A motion that has arrived at an orbit that is not stable has a symmetry to thank for it: that is reported. */
static bool has_arrived_exactly(const recurrence *h) {
    return distance_to_candidate(h) <= arrived * am_orbit_size(h->engine, past(h, h->returns));
}

static double near_enough_to_believe(const recurrence *h) {
    return h->m > 0 ? comes_nearer : comes_nearer_smoothly;
}

/* How many returns a stable orbit needs to attract so much, with room to spare. */
static size_t patience(const recurrence *h) {
    const am_orbit *orbit = &h->orbit;
    double rounds = orbit->multiplier > 0.0 ? log(near_enough_to_believe(h)) / log(orbit->multiplier) : 1.0;
    return orbit->returns * (size_t)fmin(1e6, 10.0 + 2.0 * rounds);
}

/* The look around the orbit (contraction.c) takes some hundred rounds. It is worth that only where the motion itself
 * would take long to come so much nearer. */
static bool worth_a_look(const recurrence *h) {
    return h->m > 0 && h->orbit.multiplier > 0.0 && log(comes_nearer) / log(h->orbit.multiplier) > 4.0 * (double)h->d;
}

/* How far away the orbit of a motion may be that came so near to itself. */
static double furthest(const recurrence *h, double distance) {
    return 10.0 * distance / (1.0 - h->orbit.multiplier) + arrived * am_orbit_size(h->engine, h->orbit.state);
}

/* An orbit that is known need not be closed again. */
static bool recognise(recurrence *h, size_t p, double distance) {
    const am_orbit_options *o = h->options;
    am_orbit_return *how = &h->search->how;
    h->search->known = !h->doubtful && o->known && o->known(o->context, how, past(h, h->returns), &h->orbit);
    if (h->search->known && !(p % h->orbit.returns == 0 && distance_to_candidate(h) <= furthest(h, distance))) {
        am_orbit_clear(&h->orbit);
        h->search->known = false;
    }
    return h->search->known;
}

static am_status try_to_close(recurrence *h, size_t p, double distance, am_orbit *orbit, am_error *err) {
    am_error own = {0};
    h->search->how.returns = p;
    h->moved = true; /* and the orbit found may have fewer returns than p */
    h->engine->with_energy = h->energy;
    am_status status = recognise(h, p, distance)
                           ? AM_OK
                           : am_orbit_close(h->engine, &h->search->how, past(h, h->returns), &h->orbit, &own);
    h->engine->with_energy = false;
    if (status == AM_ERR_MEMORY) {
        if (err)
            *err = own;
        return status;
    }
    if (status || (!h->orbit.stable && !has_arrived_exactly(h))) {
        drop_candidate(h);
        return AM_OK;
    }
    h->search->how.returns = h->orbit.returns;
    bool near = distance_to_candidate(h) <= furthest(h, distance), captured = false;
    if (!has_arrived(h) && near && worth_a_look(h))
        status = am_orbit_captures(h->engine, &h->search->how, &h->orbit, past(h, h->returns), &captured, err);
    if (status)
        return status;
    if (has_arrived(h) || captured) {
        accept(h, orbit);
    } else if (near) {
        h->candidate = true;
        h->candidate_distance = distance_to_candidate(h);
        h->candidate_from = h->returns;
        h->candidate_until = h->returns + patience(h);
    } else {
        drop_candidate(h);
    }
    return AM_OK;
}

/* An orbit whose multiplier is next to one takes longer to come to than anybody waits, and next to a grazing switch the
 * distance falls with a root of time only. The transient approaches it, and not another one, if in many times around by
 * the same switches the distance has fallen as the multiplier says, or to a quarter. */
static bool approaches(const recurrence *h, size_t rounds) {
    enum { MANY = 1024 };
    if (rounds < MANY || !(h->orbit.multiplier > 0.0) || !(h->candidate_distance > 0.0))
        return false;
    double fallen = log(distance_to_candidate(h) / h->candidate_distance);
    double told = (double)rounds * log(h->orbit.multiplier);
    return fabs(fallen - told) <= 0.05 * fabs(told) || fallen <= log(0.25);
}

/* The orbit passes the section several times: the transient is compared when it has gone around as a whole. */
static am_status watch_candidate(recurrence *h, am_orbit *orbit, am_error *err) {
    size_t rounds = (h->returns - h->candidate_from) / h->orbit.returns;
    bool captured = false;
    if ((h->returns - h->candidate_from) % h->orbit.returns != 0)
        return AM_OK;
    if (!came_the_same_way(h, h->returns % (2 * h->window), h->orbit.returns) && !has_arrived(h)) {
        drop_candidate(h);
        return AM_OK;
    }
    if (worth_a_look(h) && (rounds % 16 == 0 || (rounds & (rounds - 1)) == 0)) {
        h->moved = true;
        AM_TRY(am_orbit_captures(h->engine, &h->search->how, &h->orbit, past(h, h->returns), &captured, err));
    }
    if (captured || distance_to_candidate(h) <= near_enough_to_believe(h) * h->candidate_distance || has_arrived(h) ||
        (worth_a_look(h) && approaches(h, rounds)))
        accept(h, orbit);
    else if (h->returns >= h->candidate_until)
        drop_candidate(h);
    return AM_OK;
}

/* Distance to the nearest of the last returns, as a part of the state. */
static double nearest_return(const recurrence *h) {
    double nearest = INFINITY, size = am_orbit_size(h->engine, past(h, h->returns));
    for (size_t p = 1; p <= h->window && p <= h->returns; p++)
        nearest = fmin(nearest, am_orbit_distance(h->engine, past(h, h->returns), past(h, h->returns - p)));
    return size > 0.0 ? nearest / size : 0.0;
}

/* Now and then: is it shown that the motion will not repeat? */
static am_status ask_whether_aperiodic(recurrence *h, am_error *err) {
    char text[256];
    am_exponent exponent;
    if (am_aperiodic_looks(&h->aperiodic, h->returns))
        am_aperiodic_note(&h->aperiodic, h->returns, nearest_return(h));
    if (h->candidate || !am_aperiodic_is_due(&h->aperiodic, h->returns))
        return AM_OK;
    h->moved = true;
    AM_TRY(am_exponent_find(h->engine, &h->search->how, past(h, h->returns), &exponent, err));
    if (am_aperiodic_judge(&h->aperiodic, h->returns, &exponent, text, sizeof text))
        return no_orbit(h, AM_ORBIT_APERIODIC, text);
    return AM_OK;
}

/* ---- rest and steady sliding ---- */

static bool any_slips(const recurrence *h) {
    for (size_t c = 0; c < h->m; c++)
        if (am_slip_sign(am_motion_states(h->engine)[c]) != 0.0)
            return true;
    return false;
}

/* Is it proved that the motion comes to rest, or to steady sliding? Or does it stand in a state that is not stable? */
static am_status detect_rest(recurrence *h, am_error *err) {
    am_steady_state steady;
    char text[256];
    AM_TRY(am_engine_find_steady(h->engine, &steady, err));
    double size = fmax(h->size, am_orbit_size(h->engine, am_motion_state(h->engine)));
    const char *where = any_slips(h) ? "steady sliding" : "rest";
    if (steady.lasts) {
        snprintf(text, sizeof text,
                 "the motion comes to %s: vibrations about its equilibrium die out, the slowest at the rate %.3g; no "
                 "contact switches any more (proved)",
                 where, -steady.growth);
        if (h->m == 0)
            snprintf(text, sizeof text,
                     "the motion comes to rest: vibrations about its equilibrium die out, the slowest at the rate "
                     "%.3g (proved)",
                     -steady.growth);
        return no_orbit(h, AM_ORBIT_FINAL, text);
    }
    if (!steady.exists || !(steady.distance <= is_there * size))
        return AM_OK;
    if (steady.growth < -steady.uncertainty) {
        snprintf(
            text, sizeof text,
            "the motion is within %.1g of %s, where small disturbances decay (rate %.3g), but that it stays is not "
            "proved: a limit of a contact, or a corner of a law, is that near",
            steady.distance, where, -steady.growth);
        return no_orbit(h, AM_ORBIT_UNDECIDED, text);
    }
    if (h->m > 0 && ++h->stands < many_looks) /* rounding may still push it out of there */
        return AM_OK;
    snprintf(text, sizeof text,
             "the structure is %s in an equilibrium that is not stable (growth rate %.3g): start it elsewhere",
             any_slips(h) ? "sliding steadily" : "at rest", steady.growth);
    return no_orbit(h, h->m > 0 ? AM_ORBIT_UNDECIDED : AM_ORBIT_FINAL, text);
}

static am_status examine_return(recurrence *h, uint64_t what, am_orbit *orbit, am_error *err) {
    h->returns++;
    *route(h, h->returns) = what;
    memcpy(past(h, h->returns), am_motion_state(h->engine), h->d * sizeof(double));
    if (h->options->at_return &&
        h->options->at_return(h->options->context, &h->search->how, past(h, h->returns), h->returns))
        return no_orbit(h, AM_ORBIT_STOPPED, "stopped on request");
    double size = am_orbit_size(h->engine, am_motion_state(h->engine));
    if (size > divergence * h->size)
        return no_orbit(h, AM_ORBIT_DIVERGENT, "the motion grows without end");
    if (2 * h->returns <= h->options->most_returns)
        h->half_size = fmax(h->half_size, size);
    else if (4 * h->returns > 3 * h->options->most_returns)
        h->late_size = fmax(h->late_size, size);
    am_status status = ask_whether_aperiodic(h, err);
    if (status || h->ended)
        return status;
    if (h->candidate)
        return watch_candidate(h, orbit, err);
    if (h->returns < h->next_try || (h->returns < h->options->transient && !repeats_at_once(h)))
        return AM_OK;
    double distance = 0.0;
    h->next_try = h->returns + 1 + h->returns / 32;
    if (h->search->how.section == AM_SECTION_MAXIMUM) {
        AM_TRY(detect_rest(h, err));
        if (h->ended)
            return AM_OK;
    }
    size_t p = repeats_after(h, &distance);
    return p > 0 ? try_to_close(h, p, distance, orbit, err) : AM_OK;
}

static am_status refuse_recurrence(recurrence *h) {
    char text[256];
    if (h->late_size > 1.5 * h->half_size) {
        snprintf(text, sizeof text,
                 "the motion does not repeat: its size still grows after %zu returns (at most %.3g in the first half "
                 "of them, "
                 "%.3g in the last quarter)",
                 h->returns, h->half_size, h->late_size);
        return no_orbit(h, AM_ORBIT_DIVERGENT, text);
    }
    snprintf(text, sizeof text,
             "the motion does not repeat within %zu returns (orbits of up to %zu returns were looked for): it may be "
             "aperiodic, or approach its orbit very slowly; raise most_returns or most_period",
             h->returns, h->window);
    return no_orbit(h, AM_ORBIT_UNDECIDED, text);
}

static am_status report(const recurrence *h, am_error *err) {
    if (h->returns % 64 == 0 && !am_progress_report(h->progress, (double)h->returns / (double)h->options->most_returns))
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted after %zu returns", h->returns);
    return AM_OK;
}

/* An engine that cannot hold the numbers any more has diverged; other failures are the caller's. */
static am_status judge_failure(recurrence *h, am_status status, am_error *err) {
    if (status != AM_ERR_LIMIT)
        return status;
    char text[256];
    bool grows = am_orbit_size(h->engine, am_motion_state(h->engine)) > divergence * h->size;
    snprintf(text, sizeof text, "%.255s", err ? err->message : "a limit was reached");
    if (err)
        *err = (am_error){0};
    return no_orbit(h, grows ? AM_ORBIT_DIVERGENT : AM_ORBIT_UNDECIDED, text);
}

/* ---- forced ---- */

static am_status run_until(am_motion *engine, double until, uint64_t *what, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(engine, until, &kind, err));
        *what = am_walk_mix_switches(engine, *what);
    }
    return AM_OK;
}

/* Every period starts anew at the same time of the loads, so that their phase is exact however long it takes. */
static am_status run_period(recurrence *h, am_orbit *orbit, am_error *err) {
    const am_orbit_return *how = &h->search->how;
    uint64_t what = 0;
    memcpy(h->now, past(h, h->returns), h->d * sizeof(double));
    h->search->time += how->period;
    AM_TRY(am_motion_start_state(h->engine, how->start, h->now, err));
    AM_TRY(run_until(h->engine, how->start + how->period, &what, err));
    AM_TRY(examine_return(h, what, orbit, err));
    return report(h, err);
}

static am_status find_forced(recurrence *h, am_orbit *orbit, am_error *err) {
    am_orbit_return *how = &h->search->how;
    uint64_t what = 0;
    am_status status = run_until(h->engine, how->start, &what, err);
    memcpy(past(h, 0), am_motion_state(h->engine), h->d * sizeof(double));
    while (!status && !h->ended) {
        if (h->returns >= h->options->most_returns)
            return refuse_recurrence(h);
        status = run_period(h, orbit, err);
    }
    return status ? judge_failure(h, status, err) : AM_OK;
}

/* ---- self-excited ---- */

typedef struct roaming {
    size_t events;   /* since the last return or the choice of the section */
    size_t quiet;    /* steps since the last switch */
    size_t longest;  /* steps without a switch after which there seem to be none */
    size_t lone;     /* steps since the last return, where returns are maxima */
    size_t patience; /* steps to wait for one */
    double settled;  /* when the loads no longer change */
    double clock;    /* time at the last look */
    bool section_chosen;
    am_endless_sliding *sliding; /* made when it is first needed */
    bool armed;                  /* the next switch at the section is a return, not the arrival there */
    bool trembles;               /* a contact without stick turns too often for its turns to be returns */
    uint64_t what;
} roaming;

/* The section is a switch that ends a slip in stick, if there is one: such a state restarts exactly. */
static void choose_section(recurrence *h, roaming *r) {
    am_orbit_return *how = &h->search->how;
    bool any = r->events > 10 * settle_events;
    for (size_t i = 0; i < am_motion_switches(h->engine) && !r->section_chosen; i++) {
        const am_switch *s = am_motion_switch(h->engine, i);
        bool stops = s->to == AM_STICK && s->from != AM_OPEN;
        if (r->events < settle_events || !(stops || any))
            continue;
        how->contact = s->contact;
        how->from = s->from;
        how->to = s->to;
        r->section_chosen = true;
        r->events = 0;
    }
}

static void forget_section(recurrence *h, roaming *r) {
    r->section_chosen = false;
    r->events = 0;
    h->returns = 0;
    h->next_try = 0;
    h->aperiodic = am_aperiodic_begin(h->options->judge);
    am_orbit_clear(&h->orbit);
    h->candidate = false;
}

/* Restarting sets the clock and the count of roundings back; only where that cannot change the motion. */
static am_status restart(recurrence *h, roaming *r, am_error *err) {
    const am_orbit_return *how = &h->search->how;
    bool maximum = how->section == AM_SECTION_MAXIMUM;
    if ((maximum || how->to != AM_STICK) && !h->moved)
        return AM_OK;
    h->moved = false;
    memcpy(h->now, past(h, h->returns), h->d * sizeof(double));
    AM_TRY(am_walk_start(h->engine, how, how->start, h->now, err));
    r->armed = maximum || am_motion_states(h->engine)[how->contact] != how->from;
    return AM_OK;
}

/* ---- maxima ---- */

/* The coordinate that moves fastest, in units of kinetic energy. */
static size_t fastest(const recurrence *h) {
    const double *v = am_motion_velocity(h->engine);
    size_t n = h->engine->plan.n, best = 0;
    double most = -1.0;
    for (size_t i = 0; i < n; i++) {
        double energy = h->engine->plan.M[i * n + i] * v[i] * v[i];
        if (energy > most) {
            most = energy;
            best = i;
        }
    }
    return best;
}

/* No contact switches: returns are maxima of one coordinate, from the next one on. */
static void choose_maximum(recurrence *h, roaming *r) {
    forget_section(h, r);
    h->search->how.section = AM_SECTION_MAXIMUM;
    h->search->how.coordinate = fastest(h);
    r->lone = 0;
    am_engine_watch(h->engine, h->search->how.coordinate);
}

/* Friction without stick may tremble: it turns any number of times in a period, by next to nothing. Maxima of the motion
 * are better returns then, whatever switches in between. */
static bool trembles(const recurrence *h) {
    const am_orbit_return *how = &h->search->how;
    const am_contact_def *contact = am_system_contact(h->engine->plan.system, how->contact);
    return !am_law_sticks(&contact->speed_friction) && how->from != AM_OPEN && how->to != AM_OPEN &&
           h->returns >= 4 * h->window && !h->candidate;
}

/* Nothing returns: does the motion come to rest, or is another coordinate the one to look at? */
static am_status wait_for_maximum(recurrence *h, roaming *r, am_error *err) {
    r->lone++;
    if (r->lone % steps_between_looks == 0 && am_motion_time(h->engine) >= r->settled)
        AM_TRY(detect_rest(h, err));
    if (h->ended || r->lone <= r->patience)
        return AM_OK;
    if (r->patience >= last_patience)
        return no_orbit(h, AM_ORBIT_UNDECIDED,
                        "no coordinate swings to and fro any more, and no equilibrium was found in which the "
                        "structure could rest");
    r->patience *= more_patience;
    choose_maximum(h, r);
    return AM_OK;
}

static am_status examine_maximum(recurrence *h, roaming *r, am_orbit *orbit, am_error *err) {
    if (am_motion_time(h->engine) < r->settled)
        return AM_OK;
    r->lone = 0;
    if (!r->section_chosen) {
        r->section_chosen = true;
        memcpy(past(h, 0), am_motion_state(h->engine), h->d * sizeof(double));
        return AM_OK;
    }
    if ((h->returns & (h->returns + 1)) == 0)
        AM_TRY(detect_rest(h, err));
    if (h->ended)
        return AM_OK;
    AM_TRY(examine_return(h, 0, orbit, err));
    AM_TRY(h->ended ? AM_OK : restart(h, r, err));
    return report(h, err);
}

/* Now and then, when nothing switches: is it proved that nothing will? */
static am_status ask_whether_final(recurrence *h, roaming *r) {
    if (r->quiet < 100 || (r->quiet & (r->quiet - 1)) != 0)
        return AM_OK;
    am_motion_seek_final(h->engine, true);
    if (!am_endless_sliding_lasts(r->sliding, h->engine))
        return AM_OK;
    return no_orbit(h, AM_ORBIT_FINAL,
                    any_slips(h) ? "the motion slides for ever: no contact will stick or turn again (proved)"
                                 : "no contact will change its state again (proved)");
}

/* Nothing has switched for some steps: go on to where something may. */
static am_status wait_for_switch(recurrence *h, roaming *r, am_error *err) {
    if (r->quiet < quiet_enough || am_motion_time(h->engine) < r->settled)
        return AM_OK;
    if (!r->sliding)
        r->sliding = am_endless_sliding_create(h->engine, err);
    if (!r->sliding)
        return err->status;
    AM_TRY(ask_whether_final(h, r));
    double passed = 0.0;
    if (!h->ended && r->quiet % quiet_enough == 0)
        AM_TRY(am_endless_sliding_leap(r->sliding, h->engine, NULL, &passed, err));
    h->search->time += passed;
    return AM_OK;
}

static am_status roam(recurrence *h, roaming *r, am_orbit *orbit, am_error *err) {
    am_step_kind kind;
    r->clock = am_motion_time(h->engine);
    am_status status = am_motion_step(h->engine, am_walk_horizon(h->engine), &kind, err);
    am_motion_seek_final(h->engine, false);
    if (status)
        return status;
    h->search->time += am_motion_time(h->engine) - r->clock;
    if (kind == AM_STEP_FINAL)
        return no_orbit(h, AM_ORBIT_FINAL, "no contact will change its state again (proved)");
    bool by_maxima = h->search->how.section == AM_SECTION_MAXIMUM;
    if (am_motion_switches(h->engine) == 0 || r->trembles) {
        r->quiet++;
        if (by_maxima)
            return h->engine->at_maximum ? examine_maximum(h, r, orbit, err) : wait_for_maximum(h, r, err);
        if (r->quiet > r->longest && h->engine->flow->active > 0)
            choose_maximum(h, r);
        if (r->quiet > 200000)
            return no_orbit(h, AM_ORBIT_UNDECIDED,
                            "no contact changes its state any more, but that it stays so is not proved");
        return wait_for_switch(h, r, err);
    }
    if (by_maxima) { /* contacts switch after all: that makes a better section */
        forget_section(h, r);
        h->search->how.section = AM_SECTION_SWITCH;
        r->longest *= 2; /* or the next long pause would end the search for that one, and so on for ever */
    }
    r->quiet = 0;
    r->events++;
    r->what = am_walk_mix_switches(h->engine, r->what);
    if (am_motion_time(h->engine) < r->settled && !r->section_chosen)
        return AM_OK;
    bool here = r->section_chosen && am_walk_at_section(h->engine, &h->search->how) && r->armed;
    r->armed = true;
    if (!r->section_chosen) {
        choose_section(h, r);
        if (!r->section_chosen)
            return AM_OK;
        memcpy(past(h, 0), am_motion_state(h->engine), h->d * sizeof(double));
        r->what = 0;
    } else if (here) {
        status = examine_return(h, r->what, orbit, err);
        r->what = 0;
        r->events = 0;
        if (!status && !h->ended)
            status = restart(h, r, err);
        if (!status)
            status = report(h, err);
        if (!status && !h->ended && trembles(h)) {
            choose_maximum(h, r);
            r->trembles = true;
        }
    } else if (r->events > most_events_between) {
        forget_section(h, r);
    }
    return status;
}

static am_status find_self_excited(recurrence *h, double settled, am_orbit *orbit, am_error *err) {
    roaming r = {.settled = settled, .patience = first_patience, .longest = quiet_long};
    am_status status = AM_OK;
    if (am_motion_time(h->engine) >= settled)
        status = h->m == 0 ? detect_rest(h, err) : AM_OK;
    if (h->m == 0)
        choose_maximum(h, &r);
    while (!status && !h->ended) {
        status = roam(h, &r, orbit, err);
        if (!status && !h->ended && h->returns >= h->options->most_returns)
            refuse_recurrence(h);
    }
    am_endless_sliding_free(r.sliding);
    return status ? judge_failure(h, status, err) : AM_OK;
}

/* ---- checking and starting ---- */

am_status am_orbit_check_options(const am_orbit_options *options, am_error *err) {
    const am_orbit_options *o = options;
    AM_TRY(am_options_check(o->cookie, OPTIONS_COOKIE, "orbit", err));
    if (!isfinite(o->from))
        return am_fail_field(err, AM_ERR_INPUT, "from", "the start time must be finite");
    if (!(o->period >= 0.0) || !isfinite(o->period))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period of the loads must be positive, not %g",
                             o->period);
    if (o->most_period < 1 || o->most_period > 1000000)
        return am_fail_field(err, AM_ERR_INPUT, "most_period", "most_period must lie between 1 and 1000000");
    return AM_OK;
}

am_status am_orbit_choose_kind(const am_system *system, const am_orbit_options *options, am_orbit_return *how,
                               double *settled, am_error *err) {
    const am_orbit_options *o = options;
    double period = o->period > 0.0 ? o->period : am_orbit_load_period(system);
    *settled = am_loads_settled(system);
    if (*settled == INFINITY)
        return am_fail(err, AM_ERR_UNSUPPORTED, "a load grows for ever: there is no periodic motion to find");
    if (isnan(period))
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the loads have no common period (none below 1000 times the first one's): the motion cannot be "
                       "periodic");
    if (o->period > 0.0 && am_orbit_load_period(system) > 0.0 && !am_is_whole(o->period / am_orbit_load_period(system)))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the loads repeat after %.15g, not after %.15g",
                             am_orbit_load_period(system), o->period);
    how->section = o->section == AM_SECTION_AUTO ? (period > 0.0 ? AM_SECTION_PERIOD : AM_SECTION_SWITCH) : o->section;
    how->returns = 1;
    if (how->section == AM_SECTION_SWITCH && am_orbit_load_period(system) > 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "section",
                             "the loads repeat: orbits return with their period, not with a switch");
    if (how->section == AM_SECTION_SWITCH && am_system_contacts(system) == 0 && am_system_polynomials(system) == 0)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "nothing repeats: no load has a period, and there is no contact that could switch");
    if (how->section == AM_SECTION_SWITCH) {
        how->start = isfinite(*settled) ? nextafter(*settled, INFINITY) : 0.0; /* loads rest: 0 is exact */
        return AM_OK;
    }
    if (!(period > 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "period", "no load repeats; give the period to look for");
    how->period = period;
    how->start = o->from;
    if (*settled > o->from)
        how->start += ceil((*settled - o->from) / period) * period;
    return AM_OK;
}

static am_status prepare(recurrence *h, am_error *err) {
    h->past = am_arena_new(&h->memory, (h->window + 1) * h->d, sizeof *h->past, err);
    h->route = am_arena_new(&h->memory, 2 * h->window, sizeof *h->route, err);
    h->now = am_arena_new(&h->memory, h->d, sizeof *h->now, err);
    return am_arena_status(&h->memory);
}

static am_status orbit_find_watched(am_motion *engine, const am_orbit_options *options, am_orbit *orbit,
                                    am_orbit_search *search, const am_progress *progress, am_error *err) {
    am_error own = {0};
    am_error *e = err ? err : &own;
    double settled;
    *orbit = (am_orbit){0};
    *search = (am_orbit_search){.outcome = AM_ORBIT_UNDECIDED};
    AM_TRY(am_orbit_check_options(options, e));
    AM_TRY(am_orbit_choose_kind(engine->plan.system, options, &search->how, &settled, e));
    recurrence h = {.engine = engine,
                    .options = options,
                    .progress = progress,
                    .search = search,
                    .d = am_motion_dimension(engine),
                    .m = engine->plan.m,
                    .window = options->most_period,
                    .aperiodic = am_aperiodic_begin(options->judge)};
    bool energy = engine->with_energy;
    engine->with_energy = false; /* am_orbit_close needs it in the end: see try_to_close */
    h.energy = energy;
    am_status status = prepare(&h, e);
    am_motion_seek_final(engine, false);
    if (!status)
        status = am_motion_follow_sensitivity(engine, false, e);
    if (!status)
        status = am_motion_start(engine, options->from, options->displacement, options->velocity, e);
    if (!status) {
        /* A start at zero is no measure: what the loads do within a time scale is one too. */
        h.size = am_plan_norm(&engine->plan, engine->x);
        status = search->how.section == AM_SECTION_PERIOD ? find_forced(&h, orbit, e)
                                                          : find_self_excited(&h, settled, orbit, e);
    }
    search->returns = h.returns;
    engine->with_energy = energy;
    am_motion_seek_final(engine, false);
    am_orbit_clear(&h.orbit);
    am_arena_clear(&h.memory);
    return status;
}

am_status am_orbit_find(am_motion *engine, const am_orbit_options *options, am_orbit *orbit, am_orbit_search *search,
                        const am_progress *progress, am_error *err) {
    if (!am_is(engine, AM_TAG_MOTION) || !options || !orbit || !search)
        return am_misused(err, __func__);
    am_watch watch;
    am_watch_begin(&watch, progress);
    return am_watch_end(&watch, orbit_find_watched(engine, options, orbit, search, progress, err), err);
}
