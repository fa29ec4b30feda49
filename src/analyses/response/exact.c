#include "analyses/response/exact.h"
#include "base/arena.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engines/piecewise/piecewise.h"
#include "engines/smooth/smooth.h"
#include "math/lu.h"
#include "math/pi.h"

struct am_closer {
    am_arena memory;
    am_model_line line;
    am_balance *balance;
    bool self_excited;
    size_t n, dimension;
    am_piecewise *pieces;
    double *guess, *state; /* dimension, 2 n */
    double *first;         /* n */
    double *cosine, *sine; /* n */
    double *derivative;    /* (2 n)^2 */
    int *pivots;           /* 2 n */
    am_orbit smooth;       /* of the motion closed last */
};

am_closer *am_closer_create(const am_model_line *line, am_balance *balance, bool self_excited, am_error *err) {
    am_closer *e = am_memory_new(1, sizeof *e, err);
    if (!e)
        return NULL;
    size_t n = am_balance_coordinates(balance);
    *e = (am_closer){.line = *line, .balance = balance, .self_excited = self_excited, .n = n};
    e->dimension = 2 * n + am_balance_springs(balance);
    e->pieces = am_piecewise_create(err);
    e->guess = am_arena_doubles(&e->memory, NULL, e->dimension, err);
    AM_ARENA_DOUBLES(&e->memory, 2 * n, err, &e->state, &e->cosine);
    e->sine = e->cosine + n;
    e->first = am_arena_doubles(&e->memory, NULL, n, err);
    e->derivative = am_arena_doubles(&e->memory, NULL, 4 * n * n, err);
    e->pivots = am_arena_new(&e->memory, 2 * n, sizeof *e->pivots, err);
    if (e->pieces && !am_arena_status(&e->memory))
        return e;
    am_closer_free(e);
    return NULL;
}

void am_closer_free(am_closer *exact) {
    if (!exact)
        return;
    am_piecewise_free(exact->pieces);
    am_orbit_clear(&exact->smooth);
    am_arena_clear(&exact->memory);
    am_memory_free(exact);
}

/* Newton's method may have gone to another motion: all the more if its corrections grew on the way. */
static am_status check_near(const am_closer *e, const double *state, double omega, bool strayed, am_error *err) {
    const double *guess = e->guess, most = strayed ? 0.2 : 0.5;
    double distance = 0.0, size = 0.0;
    for (size_t i = 0; i < 2 * e->n; i++) {
        double unit = i < e->n ? 1.0 : omega;
        distance = fmax(distance, fabs(state[i] - guess[i]) / unit);
        size = fmax(size, hypot(guess[i % e->n], guess[e->n + i % e->n] / omega));
    }
    return distance <= most * size
               ? AM_OK
               : am_fail(err, AM_ERR_LIMIT,
                         "the exact motion next to this one is another one (farther away than %g of its size): more "
                         "harmonics may tell",
                         most);
}

/* ---- linear between switches ---- */

static am_status close_pieces(am_closer *e, const am_system *system, double omega, bool measure,
                              am_closed_motion *motion, am_error *err) {
    am_piecewise_orbit orbit;
    const am_piecewise_question question = {
        .self_excited = e->self_excited, .odd = am_balance_odd(e->balance), .measure = measure};
    AM_TRY(am_piecewise_set(e->pieces, system, err));
    AM_TRY(am_piecewise_close(e->pieces, 2.0 * pi / omega, e->guess, &question, &orbit, err));
    AM_TRY(check_near(e, orbit.state, omega, orbit.strayed, err));
    *motion = (am_closed_motion){.period = orbit.period,
                                 .count = orbit.count,
                                 .re = orbit.re,
                                 .im = orbit.im,
                                 .doubt = orbit.doubt,
                                 .index = orbit.index,
                                 .switches = orbit.switches,
                                 .first = orbit.first};
    return AM_OK;
}

/* ---- polynomial springs ---- */

/* The trapezoidal rule converges exponentially for smooth periodic motions. */
static am_status integrate_smooth(am_closer *e, am_smooth *engine, am_error *err) {
    enum { SAMPLES = 256 };
    const am_orbit *orbit = &e->smooth;
    double step = orbit->period / SAMPLES, omega = 2.0 * pi / orbit->period;
    memcpy(e->state, orbit->state, 2 * e->n * sizeof *e->state);
    memset(e->cosine, 0, 2 * e->n * sizeof *e->cosine); /* and the sines behind */
    for (int k = 0; k < SAMPLES; k++) {
        double c = cos(omega * k * step), s = sin(omega * k * step);
        for (size_t i = 0; i < e->n; i++) {
            e->cosine[i] += step * c * e->state[i];
            e->sine[i] += step * s * e->state[i];
        }
        AM_TRY(am_smooth_flow(engine, orbit->start + k * step, e->state, step, e->state, NULL, err));
    }
    for (size_t i = 0; i < e->n; i++)
        e->first[i] = 2.0 / orbit->period * hypot(e->cosine[i], e->sine[i]);
    return AM_OK;
}

/* Among motions with x(T/2) = -x(0), minus the state after half a period is the map whose fixed points they are; a
 * shift in time f is no disturbance: S f = f, and S - f f^T/|f|^2. */
static am_status find_odd_index(am_closer *e, am_smooth *engine, int *index, am_error *err) {
    const am_orbit *orbit = &e->smooth;
    size_t d = 2 * e->n;
    double *S = e->derivative, *f = e->cosine, square = 0.0; /* and the sines behind: 2 n */
    AM_TRY(am_smooth_flow(engine, orbit->start, orbit->state, 0.5 * orbit->period, e->state, S, err));
    am_smooth_rate(engine, orbit->start, orbit->state, f);
    for (size_t i = 0; i < d; i++)
        square += f[i] * f[i];
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++)
            S[i * d + k] = -S[i * d + k] - (e->self_excited ? f[i] * f[k] / square : 0.0);
    *index = am_lu_index(S, d, e->pivots);
    return AM_OK;
}

static am_status find_index(am_closer *e, am_smooth *engine, am_closed_motion *motion, am_error *err) {
    int index = 1;
    for (size_t i = 0; i < motion->count; i++) {
        if (hypot(motion->re[i] - 1.0, motion->im[i]) <= motion->doubt)
            return AM_OK; /* a fold: not known */
        index = motion->im[i] == 0.0 && motion->re[i] > 1.0 ? -index : index;
    }
    motion->index = index;
    return am_balance_odd(e->balance) ? find_odd_index(e, engine, &motion->index, err) : AM_OK;
}

static am_status close_smooth(am_closer *e, const am_system *system, double omega, bool measure,
                              am_closed_motion *motion, am_error *err) {
    am_orbit_clear(&e->smooth);
    am_smooth *engine = am_smooth_create(system, err);
    am_status status = engine
                           ? am_smooth_close(engine, 2.0 * pi / omega, e->self_excited, 0.0, e->guess, &e->smooth, err)
                           : am_error_status(err);
    if (!status)
        status = check_near(e, e->smooth.state, omega, false, err);
    if (!status && measure)
        status = integrate_smooth(e, engine, err);
    if (!status) {
        const am_orbit *orbit = &e->smooth;
        *motion = (am_closed_motion){.period = orbit->period,
                                     .count = orbit->dimension - orbit->family - (e->self_excited ? 1 : 0),
                                     .re = orbit->multiplier_re,
                                     .im = orbit->multiplier_im,
                                     .doubt = am_smooth_uncertainty(engine),
                                     .first = e->first};
        status = find_index(e, engine, motion, err);
    }
    am_smooth_free(engine);
    return status;
}

am_status am_closer_close(am_closer *e, const double *x, double p, bool measure, am_closed_motion *motion,
                          am_error *err) {
    double omega = am_balance_omega(e->balance, x, p);
    AM_TRY(am_balance_state(e->balance, x, p, e->guess, err));
    const am_system *system;
    AM_TRY(am_model_line_at(&e->line, p, &system, err));
    bool smooth = am_system_contacts(system) == 0 && am_system_polynomials(system) > 0;
    return smooth ? close_smooth(e, system, omega, measure, motion, err)
                  : close_pieces(e, system, omega, measure, motion, err);
}
