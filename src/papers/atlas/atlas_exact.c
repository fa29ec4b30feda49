#include "papers/atlas/atlas_exact.h"

#include <math.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/orbit/orbit_internal.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/balance.h"
#include "math/pi.h"
#include "math/trigonometric.h"

enum { MOST_STAGES = 16 };

struct am_exact {
    am_arena memory;
    size_t n, stages;
    double at;
    am_balance *balance[MOST_STAGES]; /* degrees 3, 5, ... */
    am_continuation *curve[MOST_STAGES];
    am_motion *motion;
    double *signals, *next, *x, *state;
    double *other; /* n x 2 */
};

am_exact *am_exact_create(const am_model_line *line, double at, double span, size_t n, size_t harmonics,
                          am_error *err) {
    am_exact *e = am_memory_new(1, sizeof *e, err);
    if (!e)
        return NULL;
    e->n = n;
    e->at = at;
    bool sound = true;
    size_t largest = 0;
    for (size_t degree = 3; degree <= harmonics && e->stages < MOST_STAGES && sound; degree += 2) {
        am_balance_options options = {.degree = degree, .parity = AM_PARITY_ODD, .self_excited = true};
        am_balance *balance = am_balance_create(line, at - span, at + span, &options, err);
        e->balance[e->stages] = balance;
        size_t size = balance ? am_balance_size(balance) : 1;
        e->curve[e->stages++] = balance ? am_continuation_create(size, 0, err) : NULL;
        sound = balance && e->curve[e->stages - 1];
        largest = size > largest ? size : largest;
    }
    if (sound) {
        size_t length = e->n * am_trig_size(harmonics > 3 ? harmonics : 3);
        AM_ARENA_DOUBLES(&e->memory, length, err, &e->signals, &e->next);
        e->x = am_arena_doubles(&e->memory, NULL, largest + 1, err);
        AM_ARENA_DOUBLES(&e->memory, 2 * e->n, err, &e->state, &e->other);
        sound = !am_arena_status(&e->memory);
    }
    if (sound)
        return e;
    am_exact_free(e);
    return NULL;
}

am_status am_exact_engage(am_exact *exact, const am_system *system, am_error *err) {
    exact->motion = am_motion_create(system, false, err);
    return exact->motion ? AM_OK : am_error_status(err);
}

void am_exact_free(am_exact *exact) {
    if (!exact)
        return;
    for (size_t k = 0; k < exact->stages; k++) {
        am_balance_free(exact->balance[k]);
        am_continuation_free(exact->curve[k]);
    }
    am_motion_free(exact->motion);
    am_arena_clear(&exact->memory);
    am_memory_free(exact);
}

/* How far w' (n x 2) is from w when its time is shifted to fit best. */
static void compare(size_t n, const double *w, const double *other, am_atlas_exact *found) {
    double re = 0.0, im = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        re += w[2 * i] * other[2 * i] + w[2 * i + 1] * other[2 * i + 1];
        im += w[2 * i] * other[2 * i + 1] - w[2 * i + 1] * other[2 * i];
        size = fmax(size, hypot(w[2 * i], w[2 * i + 1]));
    }
    double shift = atan2(im, re);
    found->phase_change = found->amplitude_change = 0.0;
    for (size_t i = 0; i < n; i++) {
        double before = hypot(w[2 * i], w[2 * i + 1]), after = hypot(other[2 * i], other[2 * i + 1]);
        found->amplitude_change = fmax(found->amplitude_change, fabs(after - before) / size);
        if (before < 0.2 * size || after == 0.0)
            continue;
        double phase = atan2(other[2 * i + 1], other[2 * i]) - atan2(w[2 * i + 1], w[2 * i]) - shift;
        found->phase_change = fmax(found->phase_change, fabs(remainder(phase, 2.0 * pi)));
    }
}

/* Does what was found still look like the one-harmonic motion? Neighbours that were a quarter of a period apart must be
 * nearer to that than to being in phase, and no site may have changed its cycle. */
static bool alike(const am_atlas_exact *found) {
    return found->amplitude_change < 0.2 && found->phase_change < 0.25 * pi;
}

static void widen(am_exact *e, size_t degree, size_t next) {
    for (size_t i = 0; i < e->n; i++) {
        double *to = e->next + i * am_trig_size(next);
        memset(to, 0, am_trig_size(next) * sizeof *to);
        memcpy(to, e->signals + i * am_trig_size(degree), am_trig_size(degree) * sizeof *to);
    }
}

/* Only memory and interruptions end the run: a motion that is not found is a finding. */
static am_status finding(am_status status, am_error *err) {
    if (am_status_is_fatal(status))
        return status;
    if (err)
        *err = (am_error){0};
    return AM_OK;
}

/* Up the ladder of harmonics; *degree is where the signals stand. */
static am_status climb(am_exact *e, const double *w, size_t *degree, double *omega, am_atlas_exact *found,
                       am_error *err) {
    for (size_t k = 0; k < e->stages; k++) {
        size_t next = am_balance_degree(e->balance[k]);
        double residual;
        widen(e, *degree, next);
        am_status status = am_balance_pack(e->balance[k], e->next, *omega, e->at, e->x, err);
        am_continuation_problem problem = am_balance_problem(e->balance[k]);
        if (!status)
            status = am_continuation_solve(e->curve[k], &problem, e->at, 1e-10, e->x, &residual, err);
        if (!status)
            status = am_balance_unpack(e->balance[k], e->x, e->at, e->signals, err);
        if (status)
            return finding(status, err);
        *degree = next;
        *omega = am_balance_omega(e->balance[k], e->x, e->at);
        for (size_t i = 0; i < e->n; i++) { /* x = a cos + b sin = Re((a - i b) exp(i omega t)) */
            e->other[2 * i] = e->signals[i * am_trig_size(next) + 1];
            e->other[2 * i + 1] = -e->signals[i * am_trig_size(next) + 2];
        }
        compare(e->n, w, e->other, found);
        if (!alike(found)) /* another motion, or rest */
            return AM_OK;
        found->harmonics = next;
    }
    return AM_OK;
}

/* Signals at time zero as a state. */
static void fill_state(am_exact *e, size_t degree, double omega) {
    for (size_t i = 0; i < e->n; i++) {
        const double *s = e->signals + i * am_trig_size(degree);
        double q = s[0], v = 0.0;
        for (size_t h = 1; h <= degree; h++) {
            q += s[2 * h - 1];
            v += (double)h * omega * s[2 * h];
        }
        e->state[i] = q;
        e->state[e->n + i] = v;
    }
}

/* Half the squared peaks, eq. (9.13) of the thesis, over the closed orbit: at every peak a velocity vanishes. */
static am_status measure(am_exact *e, const am_orbit *orbit, am_atlas_exact *found, am_error *err) {
    double peak[64] = {0};
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(e->motion, orbit->start, orbit->state, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(e->motion, orbit->start + orbit->period, &kind, err));
        for (size_t i = 0; i < e->n; i++) {
            am_orbit_range range = {-peak[i], peak[i]};
            am_orbit_include_span(e->motion, i, &range);
            peak[i] = fmax(range.largest, -range.least);
        }
    }
    found->energy = 0.0;
    for (size_t i = 0; i < e->n; i++)
        found->energy += 0.5 * peak[i] * peak[i];
    return AM_OK;
}

am_status am_exact_find(am_exact *e, const double *w, double omega, am_atlas_exact *found, am_error *err) {
    size_t degree = 1;
    *found = (am_atlas_exact){.tried = true,
                              .harmonics = 1,
                              .multiplier = NAN,
                              .omega = NAN,
                              .energy = NAN,
                              .closing = NAN,
                              .phase_change = NAN,
                              .amplitude_change = NAN,
                              .verdict = AM_VERDICT_MARGINAL};
    for (size_t i = 0; i < e->n; i++) {
        e->signals[3 * i] = 0.0;
        e->signals[3 * i + 1] = w[2 * i];
        e->signals[3 * i + 2] = -w[2 * i + 1];
    }
    am_status status = climb(e, w, &degree, &omega, found, err);
    if (status || found->harmonics < degree || (e->stages > 0 && degree == 1))
        return status;
    am_orbit orbit;
    fill_state(e, degree, omega);
    const am_orbit_return how = {.section = AM_SECTION_FREE, .period = 2.0 * pi / omega, .returns = 1};
    status = am_orbit_close(e->motion, &how, e->state, &orbit, err);
    if (status)
        return finding(status, err);
    for (size_t i = 0; i < e->n; i++) {
        e->other[2 * i] = orbit.state[i];
        e->other[2 * i + 1] = -orbit.state[e->n + i] / omega;
    }
    am_atlas_exact near = *found;
    compare(e->n, w, e->other, &near);
    found->exists = alike(&near);
    found->verdict = am_orbit_verdict(&orbit);
    found->multiplier = orbit.multiplier;
    found->omega = 2.0 * pi / orbit.period;
    found->closing = orbit.closing;
    status = finding(measure(e, &orbit, found, err), err);
    am_orbit_clear(&orbit);
    return status;
}
