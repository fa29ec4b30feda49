/* One period of a motion: steps by matrix exponentials, as long as nothing can have switched within them, down to the
 * length on which the motion is a short series and the first switch is isolated by its polynomial. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/piecewise/engine.h"
#include "math/bernstein.h"
#include "math/dense.h"

#define NOTHING ((size_t)-1)

/* Steps in a period, at least; after a switch they begin at the base length and double, so that fast decays show. */
static const double least_steps = 64.0;

typedef struct walk {
    am_piecewise *e;
    double end, stop; /* of the period; of the present stretch without breaks of loads */
    double top;       /* longest step */
    size_t level;
    double lowered_until; /* before this time steps do not grow: something may switch */
    bool fresh;           /* a switch was just passed */
    double idle_since;    /* time of the last switches... */
    size_t idle;          /* ...and their number */
} walk;

static void evaluate_bounds(am_piecewise *e) {
    for (size_t b = 0; b < e->flow->bounds; b++) {
        e->value[b] = am_piece_dot(e, e->flow->bound[b].row);
        e->slope[b] = am_piece_dot(e, e->flow->bound[b].rate);
    }
}

/* ---- the first harmonic ---- */

/* Integral of q exp(-i omega t) over a step from values, rates and accelerations at both ends (Hermite; the error is
 * h^7/100800 of the sixth derivative). `sign` 1 at the start, -1 at the end. */
static void add_to_harmonic(am_piecewise *e, double h, double sign) {
    size_t n = e->n;
    double c = cos(e->omega * e->t), s = sin(e->omega * e->t), w = e->omega;
    am_piece_rate(e, e->flow, e->rate);
    for (size_t i = 0; i < n; i++) {
        double q = e->x[i], v = e->x[n + i], a = e->rate[n + i];
        /* f = q (c - i s), f' = (v - i w q)(c - i s), f'' = (a - w^2 q - 2 i w v)(c - i s) */
        double re = 0.5 * h * q + sign * 0.1 * h * h * v + h * h * h / 120.0 * (a - w * w * q);
        double im = -sign * 0.1 * h * h * w * q - h * h * h / 60.0 * w * v;
        e->cosine[i] += re * c + im * s;
        e->sine[i] += re * s - im * c;
    }
}

/* The motion on trial becomes the present one, and the other way round. */
static void exchange(am_piecewise *e) {
    double *x = e->x, *z = e->z;
    e->x = e->trial;
    e->z = e->trial_z;
    e->trial = x;
    e->trial_z = z;
}

static void measure(am_piecewise *e) {
    for (size_t i = 0; i < e->nd; i++) {
        double size = e->weight[i] * fabs(e->x[i]);
        e->size = size > e->size ? size : e->size;
    }
}

/* To the state and the inputs on trial. */
static void move_to(am_piecewise *e, double length) {
    if (e->omega > 0.0)
        add_to_harmonic(e, length, 1.0);
    exchange(e);
    e->t += length;
    if (e->omega > 0.0)
        add_to_harmonic(e, length, -1.0);
    measure(e);
}

/* ---- is a step safe? ---- */

/* `value`, `slope` are those at the end; the engine's those at the start. The two tangents lie below a convex dip. */
static bool is_safe(am_piecewise *e, size_t b, double length, double value, double slope, double size) {
    double v0 = e->value[b], s0 = e->slope[b];
    if (e->disarmed[b])
        return value > -1e-10 * size;
    if (value < 0.0)
        return false;
    if (!(s0 < 0.0 && slope > 0.0))
        return true;
    double where = (value - v0 - slope * length) / (s0 - slope);
    return v0 + s0 * where > 0.0;
}

/* One step of the present level; false (and nothing moved) if something may switch within it. */
static bool try_step(walk *w, double length) {
    am_piecewise *e = w->e;
    am_propagator_step(e->flow->propagator, w->level, e->x, e->z, e->trial);
    am_system_inputs(e->system, e->t + length, e->trial_z);
    exchange(e); /* look from the end of the step */
    bool safe = true;
    for (size_t b = 0; b < e->flow->bounds && safe; b++) {
        const am_bound *bound = &e->flow->bound[b];
        safe = is_safe(e, b, length, am_piece_dot(e, bound->row), am_piece_dot(e, bound->rate),
                       e->disarmed[b] ? am_piece_scale(e, bound) : 0.0);
    }
    exchange(e);
    return safe;
}

/* Bounds that began at zero and have left it are believed from now on. */
static void arm(am_piecewise *e) {
    for (size_t b = 0; b < e->flow->bounds; b++)
        if (e->disarmed[b] && e->value[b] > 1e-12 * am_piece_scale(e, &e->flow->bound[b]))
            e->disarmed[b] = false;
}

/* ---- the shortest steps ---- */

/* The polynomial of a bound over the present series, scaled to [0, 1]. Just behind a switch what begins at zero begins
 * there exactly, with a rate of zero where it has none. */
static void bound_polynomial(const am_piecewise *e, size_t b, double length, bool fresh, double a[AM_COEFFICIENTS]) {
    const double *row = e->flow->bound[b].row;
    double scale = 1.0;
    memset(a, 0, AM_COEFFICIENTS * sizeof *a);
    for (size_t k = 0; k < AM_PIECE_ORDERS; k++, scale *= length)
        a[k] = scale * (am_dense_dot(row, e->series + k * e->nd, e->nd) +
                        am_dense_dot(row + e->nd, e->input_series + k * e->nz, e->nz));
    for (size_t k = 0; k < (fresh ? e->zeros[b] : 0u); k++)
        a[k] = 0.0;
    if (e->disarmed[b] || a[0] < 0.0)
        a[0] = 0.0;
}

/* The bound that turns negative first within `length`, and at which part of it; NOTHING: none. */
static size_t first_crossing(am_piecewise *e, double length, bool fresh, double *where) {
    size_t which = NOTHING;
    *where = 1.0;
    for (size_t b = 0; b < e->flow->bounds; b++) {
        double a[AM_COEFFICIENTS], at;
        bound_polynomial(e, b, length, fresh, a);
        if (am_bernstein_first_negative(a, 0.0, &at) && !(at >= *where)) {
            *where = at;
            which = b;
        }
    }
    return which;
}

/* Series of the motion and of the inputs about now. */
static void expand(am_piecewise *e) {
    size_t nz = e->nz;
    am_propagator_series(e->flow->propagator, e->x, e->z, AM_PIECE_ORDERS, e->series);
    memcpy(e->input_series, e->z, nz * sizeof *e->z);
    for (size_t k = 1; k < AM_PIECE_ORDERS; k++) {
        double *z = e->input_series + k * nz;
        am_dense_apply(e->G, nz, nz, z - nz, z);
        for (size_t j = 0; j < nz; j++)
            z[j] /= (double)k;
    }
}

static void evaluate_series(am_piecewise *e, double length, double *x) {
    size_t nd = e->nd;
    memcpy(x, e->series + (AM_PIECE_ORDERS - 1) * nd, nd * sizeof *x);
    for (size_t k = AM_PIECE_ORDERS - 1; k-- > 0;)
        for (size_t i = 0; i < nd; i++)
            x[i] = x[i] * length + e->series[k * nd + i];
}

static am_status pass_switch(walk *w, size_t which, am_error *err) {
    am_piecewise *e = w->e;
    enum { MOST_IDLE = 64 };
    if (e->t > w->idle_since) {
        w->idle_since = e->t;
        w->idle = 0;
    }
    if (++w->idle > MOST_IDLE + 8 * e->m)
        return am_fail(err, AM_ERR_LIMIT, "contacts switch without end at t = %.15g", e->t);
    am_bound trigger = e->flow->bound[which];
    w->fresh = true;
    w->level = 0;
    w->lowered_until = e->t;
    return am_piece_switch(e, &trigger, err);
}

/* A step of at most the base length: the first switch in it, or its end. */
static am_status creep(walk *w, double length, am_error *err) {
    am_piecewise *e = w->e;
    double where;
    expand(e);
    size_t which = first_crossing(e, length, w->fresh, &where);
    if (isnan(where))
        return am_fail(err, AM_ERR_LIMIT, "the motion grows beyond what numbers can hold near t = %.15g", e->t);
    evaluate_series(e, where * length, e->trial);
    am_system_inputs(e->system, e->t + where * length, e->trial_z);
    move_to(e, where * length);
    if (which != NOTHING)
        return pass_switch(w, which, err);
    evaluate_bounds(e);
    arm(e);
    w->fresh = false;
    return AM_OK;
}

/* ---- the period ---- */

static am_status next_step(walk *w, am_error *err) {
    am_piecewise *e = w->e;
    am_propagator *p = e->flow->propagator;
    double left = w->stop - e->t, base = am_propagator_length(p, 0);
    while (w->level > 0 && am_propagator_length(p, w->level) > left)
        w->level--;
    AM_TRY(am_propagator_reserve(p, w->level, err));
    double length = am_propagator_length(p, w->level);
    if (w->fresh || base > left)
        return creep(w, fmin(base, left), err);
    if (!try_step(w, length)) {
        if (w->level == 0)
            return creep(w, length, err);
        w->lowered_until = fmax(w->lowered_until, e->t + length);
        w->level--;
        return AM_OK;
    }
    move_to(e, length);
    evaluate_bounds(e);
    arm(e);
    if (e->t >= w->lowered_until && am_propagator_length(p, w->level + 1) <= w->top)
        w->level++;
    return AM_OK;
}

/* The loads' rates jump: friction behind springs may stop, and steps begin anew. */
static am_status pass_break(walk *w, am_error *err) {
    am_system_inputs(w->e->system, w->e->t, w->e->z);
    w->level = 0;
    return am_piece_switch(w->e, NULL, err);
}

static bool is_bounded(const am_piecewise *e) {
    return isfinite(e->size) && e->size < 1e100;
}

am_status am_piece_run(am_piecewise *e, double period, bool derivative, am_error *err) {
    walk w = {.e = e, .end = period, .top = period / least_steps, .idle_since = -1.0, .fresh = true};
    e->t = e->piece_start = 0.0;
    e->derivative = derivative;
    e->switches = 0;
    e->size = 0.0;
    memset(e->cosine, 0, e->n * sizeof *e->cosine);
    memset(e->sine, 0, e->n * sizeof *e->sine);
    am_system_inputs(e->system, 0.0, e->z);
    measure(e);
    am_status status = am_piece_begin(e, err);
    memcpy(e->start_state, e->state, e->m * sizeof *e->state);
    while (!status && e->t < w.end) {
        double next = am_system_next_break(e->system, e->t);
        w.stop = fmin(w.end, next);
        while (!status && e->t < w.stop && is_bounded(e)) {
            status = am_watch_spend((double)AM_PIECE_ORDERS * (double)e->nd * (double)e->nd, err);
            if (!status)
                status = next_step(&w, err);
            if (w.stop - e->t <= 1e-15 * period)
                e->t = w.stop;
        }
        if (!status && !is_bounded(e))
            status = am_fail(err, AM_ERR_LIMIT, "the motion grows beyond all bounds");
        if (!status && w.stop < w.end)
            status = pass_break(&w, err);
    }
    return status ? status : am_piece_catch_up(e, err);
}
