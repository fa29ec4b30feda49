/* Where a branch starts: forced motions from rest, by Newton's method or in time; self-excited ones from a pattern of
 * coordinates that vibrate. */
#include <math.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/response/exact.h"
#include "analyses/response/response_internal.h"
#include "base/local.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/pi.h"

/* A motion in time that has not repeated after so many periods of the loads is no start. */
static const size_t most_returns = 2000;

/* One coordinate vibrating alone with one harmonic: q = A cos(theta), everything else at rest. */
typedef struct alone {
    am_response *r;
    size_t coordinate;
    double p, omega, mass;
    double *x, *F;
} alone;

/* Damping of the coordinate's first harmonic per unit of amplitude; omega is brought to its resonance on the way. */
static am_status damping(alone *a, double amplitude, double *value, am_error *err) {
    am_balance *b = a->r->balance;
    size_t cosine = b->odd ? 0 : 1, at = a->coordinate * b->kept + cosine;
    for (int i = 0; i < 30; i++) {
        memset(a->x, 0, b->size * sizeof *a->x);
        a->x[at] = amplitude;
        a->x[b->size - 1] = a->omega;
        AM_TRY(am_balance_evaluate(b, a->x, a->p, a->F, NULL, NULL, err));
        double change = a->F[at] / (amplitude * a->mass), square = a->omega * a->omega + change;
        if (!(square > 0.0))
            break;
        a->omega = sqrt(square);
        if (fabs(change) < 1e-13 * square)
            break;
    }
    *value = a->F[at + 1] / amplitude;
    return AM_OK;
}

/* A cycle between two amplitudes with damping of different signs. */
static am_status bisect(alone *a, double low, double high, double at_low, double *amplitude, am_error *err) {
    for (int i = 0; i < 60; i++) {
        double middle = sqrt(low * high), value;
        AM_TRY(damping(a, middle, &value, err));
        if ((value > 0.0) == (at_low > 0.0))
            low = middle;
        else
            high = middle;
    }
    *amplitude = sqrt(low * high);
    return AM_OK;
}

/* The smallest or the largest cycle of the coordinate alone. */
static am_status find_cycle(alone *a, bool small, double *amplitude, am_error *err) {
    enum { DECADES = 8, PER_DECADE = 12 };
    double before = 0.0, size_before = 0.0;
    *amplitude = 0.0;
    for (int i = -DECADES * PER_DECADE; i <= DECADES * PER_DECADE; i++) {
        double size = pow(10.0, (double)i / PER_DECADE), value;
        AM_TRY(damping(a, size, &value, err));
        if (size_before > 0.0 && (value > 0.0) != (before > 0.0)) {
            AM_TRY(bisect(a, size_before, size, before, amplitude, err));
            if (small)
                return AM_OK;
        }
        before = value;
        size_before = size;
    }
    return AM_OK;
}

static am_status place_site(am_response *r, double p, size_t c, double *signals, double *omega, am_error *err) {
    const am_response_site *site = &r->options->sites[c];
    am_balance *b = r->balance;
    double m = b->numbers[b->at_M + c * b->n + c], k = b->numbers[b->at_K + c * b->n + c], amplitude;
    if (!(m > 0.0 && k > 0.0))
        return am_fail(err, AM_ERR_UNSUPPORTED, "a coordinate of the start's pattern has no mass or no stiffness");
    alone a = {.r = r, .coordinate = c, .p = p, .omega = sqrt(k / m), .mass = m, .x = r->trial, .F = r->start};
    AM_TRY(find_cycle(&a, site->small, &amplitude, err));
    if (!(amplitude > 0.0))
        return am_fail(err, AM_ERR_LIMIT,
                       "coordinate %zu has no cycle of its own at this value of the parameter: nothing to start from; "
                       "begin where it vibrates by itself",
                       c + 1);
    signals[c * r->S + 1] = site->amplitude * amplitude * cos(site->phase);
    signals[c * r->S + 2] = site->amplitude * amplitude * sin(site->phase);
    *omega = a.omega;
    return AM_OK;
}

/* The frequency of the whole pattern: Rayleigh's quotient. Neighbours that move together do not stretch what couples
 * them. */
static double frequency_of(const am_response *r, const double *signals) {
    const am_balance *b = r->balance;
    double above = 0.0, below = 0.0;
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++) {
            const double *s = signals + i * r->S, *t = signals + j * r->S;
            double product = s[1] * t[1] + s[2] * t[2];
            above += product * b->numbers[b->at_K + i * b->n + j];
            below += product * b->numbers[b->at_M + i * b->n + j];
        }
    return above > 0.0 && below > 0.0 ? sqrt(above / below) : 0.0;
}

static am_status start_pattern(am_response *r, double p, am_error *err) {
    double sum = 0.0, residual;
    size_t active = 0;
    AM_TRY(am_balance_set(r->balance, p, err));
    if (r->balance->condensed)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "a pattern can start structures only whose coordinates all carry "
                       "springs");
    memset(r->signals, 0, r->n * r->S * sizeof *r->signals);
    for (size_t c = 0; c < r->n; c++) {
        double omega = 0.0;
        if (r->options->sites[c].amplitude == 0.0)
            continue;
        AM_TRY(place_site(r, p, c, r->signals, &omega, err));
        sum += omega;
        active++;
    }
    if (active == 0)
        return am_fail(err, AM_ERR_INPUT, "the pattern of the start is at rest everywhere");
    double omega = frequency_of(r, r->signals);
    AM_TRY(am_balance_pack(r->balance, r->signals, omega > 0.0 ? omega : sum / (double)active, p, r->start, err));
    return am_continuation_solve(r->curve, &r->problem, p, r->follow.tolerance, r->start, &residual, err);
}

/* Newton's method likes rest, a solution of every self-excited structure. */
static am_status check_moving(const am_response *r, am_error *err) {
    double size = 0.0;
    for (size_t i = 0; i + 1 < r->size; i++)
        size += r->start[i] * r->start[i];
    return size > 0.0 && isfinite(size) && r->start[r->size - 1] > 0.0
               ? AM_OK
               : am_fail(err, AM_ERR_LIMIT, "the pattern of the start leads to rest, not to a periodic motion");
}

/* Where Newton's method finds no way from rest, with contacts that lift off or stop at every turn, the motion that sets in
 * by itself is near a balanced one: rest is followed in time until it repeats with the period of the balance. */
static am_status start_in_time(am_response *r, double p, am_error *err) {
    const am_system *system;
    AM_TRY(am_model_line_at(&r->line, p, &system, err));
    AM_LOCAL(am_motion_free_at) am_motion *engine = NULL;
    AM_LOCAL(am_orbit_clear) am_orbit orbit = {0};
    AM_LOCAL_ARENA memory = {0};
    double *friction = am_arena_doubles(&memory, NULL, am_system_contacts(system) * r->S, err);
    am_orbit_options options = am_orbit_options_default();
    am_orbit_search search = {0};
    options.most_returns = most_returns;
    options.most_period = 1;
    AM_TRY(am_arena_status(&memory));
    engine = am_motion_create(system, false, err);
    if (!engine)
        return am_error_status(err);
    AM_TRY(am_orbit_find(engine, &options, &orbit, &search, NULL, err));
    double omega = am_balance_omega(r->balance, r->start, p);
    if (search.outcome != AM_ORBIT_PERIODIC || !(fabs(orbit.period * omega / two_pi - 1.0) < 1e-9))
        return am_fail(err, AM_ERR_LIMIT, "no motion from rest repeats with the period of the loads");
    AM_TRY(am_timed_harmonics(engine, search.how.start, &orbit, r->H, r->signals, friction, NULL, err));
    AM_TRY(am_balance_pack(r->balance, r->signals, omega, p, r->start, err));
    am_balance_pack_friction(r->balance, friction, r->start);
    return am_continuation_solve(r->curve, &r->problem, p, r->follow.tolerance, r->start, NULL, err);
}

/* By Newton's method, in time, and with loads that grow slowly. The first reason tells most. */
static am_status start_forced(am_response *r, double p, am_error *err) {
    am_error own = {0};
    am_status first = am_balance_start(r->balance, r->curve, p, r->follow.tolerance, r->start, NULL, err);
    if (first != AM_ERR_LIMIT)
        return first;
    am_status status = start_in_time(r, p, &own);
    if (status && !am_status_is_fatal(status))
        status = am_balance_start_slowly(r->balance, r->curve, p, r->follow.tolerance, r->start, NULL, &own);
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (status)
        return first;
    if (err)
        *err = (am_error){0};
    return AM_OK;
}

am_status am_response_start(am_response *r, double p, am_error *err) {
    if (!r->self_excited)
        return start_forced(r, p, err);
    if (r->options->site_count != r->n)
        return am_fail_field(err, AM_ERR_INPUT, "start",
                             "no load repeats, so the motion must excite itself: say which coordinates vibrate at the "
                             "start, one entry for each of %zu (start: {pattern: [...]})",
                             r->n);
    AM_TRY(start_pattern(r, p, err));
    return check_moving(r, err);
}
