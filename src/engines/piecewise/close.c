/* Periodic motions closed by Newton's method on the state after one period, with the exact derivative; their
 * multipliers. Sliders and rigid contacts that stick for good may rest anywhere near: what they conserve is held fixed,
 * and its multipliers, 1, are left out. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/piecewise/engine.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/lu.h"
#include "math/pi.h"

/* A motion that closes to this part of its size is exact after the correction that is known already; its derivative is
 * off by about as much. */
static const double closed_enough = 1e-9;

/* Where only the verdict is asked for, a motion that closes less well does, too, if no multiplier is as near to the
 * unit circle as this error could have moved it. */
static const double nearly_closed = 2e-6, amplification = 1e4;

typedef struct closing {
    am_piecewise *e;
    double period;
    bool self_excited;
    bool quick;   /* only the verdict is asked for */
    double error; /* of the last run, relative to the motion's size */
    bool same;    /* the motion ends in the states it began in */
    double step;  /* the last correction, relative to the motion's size */
    bool strayed; /* a correction was longer than the one before */
} closing;

/* ---- what is conserved ---- */

/* Rows l with l.x the same for ever, orthonormal, into e->matrix from `at` on. */
static size_t gather_conserved(am_piecewise *e, double *rows) {
    size_t n = e->n, nd = e->nd, count = 0;
    for (size_t c = 0; c < e->m; c++) {
        if (!e->held_on[c] || (e->rubbing[c] != AM_RUBS_SLIDER && e->rubbing[c] != AM_RUBS_RIGID) || count == nd)
            continue;
        if (e->rubbing[c] == AM_RUBS_RIGID && e->system->contact[c].surface_velocity != 0.0)
            continue; /* carried along for ever: no periodic motion */
        double *row = rows + count * nd;
        memset(row, 0, nd * sizeof *row);
        if (e->rubbing[c] == AM_RUBS_SLIDER)
            row[2 * n + e->slider[c]] = 1.0;
        else
            memcpy(row, e->system->contact[c].tangent, n * sizeof *row);
        double before = sqrt(am_dense_dot(row, row, nd));
        for (int pass = 0; pass < 2; pass++)
            for (size_t k = 0; k < count; k++) {
                double dot = am_dense_dot(row, rows + k * nd, nd);
                for (size_t i = 0; i < nd; i++)
                    row[i] -= dot * rows[k * nd + i];
            }
        double size = sqrt(am_dense_dot(row, row, nd));
        if (!(size > 1e-9 * before))
            continue;
        for (size_t i = 0; i < nd; i++)
            row[i] /= size;
        count++;
    }
    return count;
}

/* S becomes S - L^T L: where L S = L, the multipliers 1 of these rows become 0 and all others stay. */
static size_t deflate(am_piecewise *e, double *rows) {
    size_t nd = e->nd, count = gather_conserved(e, rows);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < nd; i++)
            for (size_t j = 0; j < nd; j++)
                e->S[i * nd + j] -= rows[k * nd + i] * rows[k * nd + j];
    return count;
}

/* ---- one run ---- */

static void measure_closing(closing *c) {
    am_piecewise *e = c->e;
    double distance = 0.0;
    memcpy(e->end, e->x, e->nd * sizeof *e->end);
    for (size_t i = 0; i < e->nd; i++)
        distance = fmax(distance, e->weight[i] * fabs(e->end[i] - e->start[i]));
    c->error = e->size > 0.0 ? distance / e->size : 0.0;
    c->same = memcmp(e->state, e->start_state, e->m * sizeof *e->state) == 0;
}

/* From e->start with the states `start_state` over one period. The states that the motion really begins in are kept. */
static am_status run(closing *c, bool derivative, am_error *err) {
    am_piecewise *e = c->e;
    memcpy(e->x, e->start, e->nd * sizeof *e->x);
    memcpy(e->state, e->start_state, e->m * sizeof *e->state);
    AM_TRY(am_piece_run(e, c->period, derivative, err));
    measure_closing(c);
    return AM_OK;
}

/* ---- Newton's method ---- */

/* (1 - S) dx = end - start; self-excited: with the change of the period, (1 - S) dx - f dT = end - start, and no step
 * along the motion, f0.dx = 0. Into e->step. */
static am_status newton_step(closing *c, am_error *err) {
    am_piecewise *e = c->e;
    size_t nd = e->nd, order = nd + (c->self_excited ? 1 : 0);
    double *a = e->matrix, *scale = e->weight;
    memset(a, 0, order * order * sizeof *a);
    for (size_t i = 0; i < nd; i++) {
        for (size_t j = 0; j < nd; j++)
            a[i * order + j] = ((i == j ? 1.0 : 0.0) - e->S[i * nd + j]) * scale[i] / scale[j];
        e->step[i] = (e->end[i] - e->start[i]) * scale[i];
    }
    if (c->self_excited) {
        double size = 0.0;
        for (size_t i = 0; i < nd; i++)
            size = fmax(size, fabs(e->rate[i] * scale[i]));
        for (size_t i = 0; i < nd; i++) {
            a[i * order + nd] = -e->rate[i] * scale[i] * c->period;
            a[nd * order + i] = e->rate_before[i] * scale[i] / size;
        }
        e->step[nd] = 0.0;
    }
    if (!am_lu_factor(a, order, e->pivots))
        return am_fail(err, AM_ERR_LIMIT, "the motion is not isolated: neighbouring motions repeat as well");
    am_lu_solve(a, order, e->pivots, 1, e->step);
    double step = am_dense_largest(e->step, nd) / fmax(e->size, DBL_MIN);
    c->strayed = c->strayed || (step > c->step && step > nearly_closed);
    c->step = step;
    for (size_t i = 0; i < nd; i++)
        e->step[i] /= scale[i];
    return AM_OK;
}

/* The states the motion ends in are those of a motion; a slider that sticks there but not at the start is taken over.
 */
static void adopt_states(am_piecewise *e) {
    for (size_t c = 0; c < e->m; c++)
        if (e->slider[c] != AM_NO_SLIDER && e->state[c] == AM_PIECE_HOLDS && e->start_state[c] != AM_PIECE_HOLDS) {
            size_t at = 2 * e->n + e->slider[c];
            e->start[at] = e->end[at];
            e->step[at] = 0.0;
        }
    memcpy(e->start_state, e->state, e->m * sizeof *e->state);
}

static void move_start(closing *c, double share) {
    am_piecewise *e = c->e;
    for (size_t i = 0; i < e->nd; i++)
        e->start[i] += share * e->step[i];
    if (c->self_excited)
        c->period *= 1.0 + share * e->step[e->nd];
}

/* Rates at the end and at the start, for motions whose period is unknown. */
static void find_rates(closing *c) {
    am_piecewise *e = c->e;
    am_piece_rate(e, e->flow, e->rate);
    memcpy(e->rate_before, e->rate, e->nd * sizeof *e->rate); /* the same when the motion is closed */
}

/* ---- multipliers ---- */

static void sort_by_modulus(double *re, double *im, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && hypot(re[j], im[j]) > hypot(re[j - 1], im[j - 1]) * (1.0 + 1e-15); j--) {
            double r = re[j], m = im[j];
            re[j] = re[j - 1], im[j] = im[j - 1];
            re[j - 1] = r, im[j - 1] = m;
        }
}

/* S as it is left by the last run, times `sign`, in one unit, into e->matrix. A shift in time is no disturbance:
 * S f = f, and S - f f^T/|f|^2. */
static void place_derivative(closing *c, double sign) {
    am_piecewise *e = c->e;
    size_t nd = e->nd;
    double square = c->self_excited ? am_dense_dot(e->rate, e->rate, nd) : INFINITY;
    for (size_t i = 0; i < nd; i++)
        for (size_t j = 0; j < nd; j++)
            e->matrix[i * nd + j] =
                (sign * e->S[i * nd + j] - (c->self_excited ? e->rate[i] * e->rate[j] / square : 0.0)) * e->weight[i] /
                e->weight[j];
}

/* Multipliers, the trivial one left out; re, im by decreasing modulus. */
static am_status find_multipliers(closing *c, double *doubt, am_error *err) {
    am_piecewise *e = c->e;
    size_t nd = e->nd;
    place_derivative(c, 1.0);
    if (!am_eigenvalues(e->matrix, nd, e->re, e->im, e->matrix + nd * nd, doubt))
        return am_fail(err, AM_ERR_EVIDENCE, "the multipliers of the exact motion were not found");
    sort_by_modulus(e->re, e->im, nd);
    return AM_OK;
}

static bool is_far_from_circle(closing *c) {
    const am_piecewise *e = c->e;
    double doubt;
    if (find_multipliers(c, &doubt, NULL))
        return false;
    for (size_t i = 0; i < e->nd; i++)
        if (!(fabs(hypot(e->re[i], e->im[i]) - 1.0) > amplification * c->error))
            return false;
    return true;
}

/* Next to a fold Newton's equations are nearly singular, and rounding keeps the error from falling further. */
static bool is_closed(closing *c, bool late) {
    if (!c->same || !(c->error <= nearly_closed))
        return false;
    return c->error <= (late ? 100.0 : 1.0) * closed_enough || (c->quick && is_far_from_circle(c));
}

static am_status iterate(closing *c, am_error *err) {
    enum { MOST = 25, MOST_HALVINGS = 5 };
    am_piecewise *e = c->e;
    double best = INFINITY, first_period = c->period;
    int halvings = 0;
    for (int i = 0; i < MOST; i++) {
        AM_TRY(run(c, true, err));
        deflate(e, e->matrix);
        if (c->self_excited)
            find_rates(c);
        if (c->error > 2.0 * best && halvings < MOST_HALVINGS && i > 1) { /* too far: half the way back */
            halvings++;
            for (size_t k = 0; k <= e->nd; k++)
                e->step[k] *= 0.5;
            move_start(c, -1.0);
            continue;
        }
        best = fmin(best, c->error);
        halvings = 0;
        bool closed = is_closed(c, i > MOST / 2);
        AM_TRY(newton_step(c, err));
        if (closed) {
            move_start(c, 1.0);
            return AM_OK;
        }
        adopt_states(e);
        move_start(c, 1.0);
        if (!(c->period > 0.5 * first_period && c->period < 2.0 * first_period))
            break;
    }
    return am_fail(err, AM_ERR_LIMIT, "no exact motion closes next to this one (the last one misses itself by %.2g)",
                   best);
}

/* Among motions with x(T/2) = -x(0), minus the state after half a period is the map whose fixed points they are. */
static am_status take_half(closing *c, am_error *err) {
    am_piecewise *e = c->e;
    closing half = *c;
    half.period *= 0.5;
    AM_TRY(run(&half, true, err));
    deflate(e, e->matrix);
    if (c->self_excited)
        find_rates(c);
    place_derivative(c, -1.0);
    return AM_OK;
}

/* After the multipliers. */
static am_status find_index(closing *c, bool odd, am_piecewise_orbit *orbit, am_error *err) {
    am_piecewise *e = c->e;
    for (size_t i = 0; i < e->nd; i++)
        if (hypot(e->re[i] - 1.0, e->im[i]) <= orbit->doubt)
            return AM_OK; /* a fold: not known */
    place_derivative(c, 1.0);
    AM_TRY(odd ? take_half(c, err) : AM_OK);
    orbit->index = am_lu_index(e->matrix, e->nd, e->pivots);
    return AM_OK;
}

/* ---- the whole ---- */

static void place_guess(am_piecewise *e, const double *guess) {
    size_t n = e->n;
    const double *stretch = guess + 2 * n;
    memcpy(e->start, guess, 2 * n * sizeof *guess);
    for (size_t c = 0; c < e->m; c++) {
        const am_contact_def *contact = &e->system->contact[c];
        e->start_state[c] = AM_PIECE_APART; /* to be found */
        if (e->slider[c] != AM_NO_SLIDER)
            e->start[2 * n + e->slider[c]] = am_dense_dot(contact->tangent, guess, n) - *stretch;
        stretch += contact->tangential_stiffness > 0.0;
    }
}

static am_status find_first_harmonic(closing *c, am_error *err) {
    am_piecewise *e = c->e;
    e->omega = 2.0 * pi / c->period;
    am_status status = run(c, false, err);
    for (size_t i = 0; i < e->n && !status; i++)
        e->first[i] = 2.0 / c->period * hypot(e->cosine[i], e->sine[i]);
    return status;
}

am_status am_piecewise_close(am_piecewise *e, double period, const double *guess, const am_piecewise_question *question,
                             am_piecewise_orbit *orbit, am_error *err) {
    closing c = {.e = e,
                 .period = period,
                 .self_excited = question->self_excited,
                 .quick = !question->measure,
                 .step = INFINITY};
    *orbit = (am_piecewise_orbit){0};
    e->omega = 0.0;
    place_guess(e, guess);
    AM_TRY(iterate(&c, err));
    orbit->family = gather_conserved(e, e->matrix);
    orbit->switches = e->switches;
    AM_TRY(find_multipliers(&c, &orbit->doubt, err));
    orbit->count = e->nd - orbit->family - (question->self_excited ? 1 : 0);
    orbit->re = e->re;
    orbit->im = e->im;
    orbit->doubt += c.error;
    AM_TRY(find_index(&c, question->odd, orbit, err));
    AM_TRY(question->measure ? find_first_harmonic(&c, err) : AM_OK);
    orbit->period = c.period;
    orbit->dimension = e->nd;
    orbit->state = e->start;
    orbit->closing = c.error;
    orbit->strayed = c.strayed;
    orbit->first = e->first;
    return AM_OK;
}
