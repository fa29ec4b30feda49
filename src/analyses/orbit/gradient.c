/* How a periodic motion changes with numbers p of its model. With the derivative S of the motion over one period with
 * respect to its start x0, and s with respect to p,
 *
 *     (1 - S) dx0 = s + x'(T) dT,
 *
 * dT known from the loads where they set the period, and else an unknown, beside x'(0).dx0 = 0. The instant of x0 lies in
 * the middle of the longest interval without a switch. Walking on with s(0) = dx0 gives what becomes of the times of
 * switches, and of the extremes: at a turn the derivative of the value is that of the state. */
#include <math.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/orbit/section_walk.h"
#include "base/local.h"
#include "base/object.h"
#include "engines/switching/slopes.h"
#include "math/bernstein.h"
#include "math/dense.h"
#include "math/lu.h"

typedef struct gradient {
    am_arena memory;
    am_motion *engine;
    const am_orbit *orbit;
    const am_orbit_return *how;
    const am_orbit_slopes *out;
    size_t count, n, d, nx;
    double begun;          /* time of x0 */
    double *x0, *rate;     /* d each: the state there, x' there */
    double *start, *times; /* d x count: dx0; count: dT */
    double *x, *columns;   /* nx, count x nx: before the present step */
    double *work, *column; /* nx each */
    double *seen;          /* 2 n: least and largest values so far */
} gradient;

static void release(gradient *g) {
    am_slopes_follow(g->engine, NULL, NULL, 0, NULL);
    am_engine_follow(g->engine, false, NULL);
    am_arena_clear(&g->memory);
}

static am_status reserve(gradient *g, am_error *err) {
    AM_ARENA_DOUBLES(&g->memory, g->d, err, &g->x0, &g->rate);
    AM_ARENA_DOUBLES(&g->memory, g->nx, err, &g->x, &g->work, &g->column);
    g->columns = am_arena_doubles(&g->memory, NULL, g->count * g->nx, err);
    g->start = am_arena_doubles(&g->memory, NULL, g->count * (g->d + 1), err);
    g->times = am_arena_doubles(&g->memory, NULL, g->count, err);
    g->seen = am_arena_doubles(&g->memory, NULL, 2 * g->n, err);
    return am_arena_status(&g->memory);
}

/* The middle of the longest interval without a switch. */
static double middle(const am_orbit *orbit) {
    double from = 0.0, best = 0.0, longest = -1.0;
    for (size_t i = 0; i <= orbit->switches; i++) {
        double to = i < orbit->switches ? orbit->switch_times[i] : orbit->period;
        if (to - from > longest) {
            longest = to - from;
            best = 0.5 * (from + to);
        }
        from = to;
    }
    return best;
}

static am_status go_to_middle(gradient *g, am_error *err) {
    g->begun = g->orbit->start + middle(g->orbit);
    AM_TRY(am_motion_start_state(g->engine, g->orbit->start, g->orbit->state, err));
    AM_TRY(am_engine_run_until(g->engine, g->begun, err));
    memcpy(g->x0, am_motion_state(g->engine), g->d * sizeof *g->x0);
    return AM_OK;
}

/* ---- dx0 and dT ---- */

static bool is_forced(const gradient *g) {
    return g->how->section == AM_SECTION_PERIOD;
}

static am_status solve(gradient *g, am_error *err) {
    size_t d = g->d, size = is_forced(g) ? d : d + 1;
    double *matrix = am_arena_doubles(&g->memory, NULL, size * size, err), *end;
    int *order = am_arena_new(&g->memory, size, sizeof *order, err);
    if (!matrix || !order)
        return AM_ERR_MEMORY;
    AM_TRY(am_motion_start_state(g->engine, g->begun, g->x0, err));
    am_motion_rates(g->engine, NULL, g->rate);
    AM_TRY(am_engine_run_until(g->engine, g->begun + g->orbit->period, err));
    AM_TRY(am_slopes_status(g->engine, err));
    const double *S = am_motion_sensitivity(g->engine);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            matrix[i * size + j] = (i == j) - S[i * d + j];
    for (size_t i = 0; size > d && i < d; i++) {
        matrix[i * size + d] = -g->rate[i];
        matrix[d * size + i] = g->engine->plan.weight[i] * g->engine->plan.weight[i] * g->rate[i];
    }
    if (g->orbit->family > 0 || !am_lu_factor(matrix, size, order))
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the orbit is not alone: it belongs to a family, or others begin here; its derivatives are not "
                       "determined");
    for (size_t i = 0; i < g->count; i++) {
        double load = am_orbit_load_period(g->engine->plan.system);
        g->times[i] = size == d ? am_slopes_of(g->engine, i, am_orbit_load_period) * (g->orbit->period / load) : 0.0;
        end = g->start + i * (d + 1);
        memcpy(end, am_slopes_column(g->engine, i), d * sizeof *end);
        for (size_t j = 0; j < d; j++)
            end[j] += g->times[i] * g->rate[j];
        end[d] = 0.0;
        am_lu_solve(matrix, size, order, 1, end);
        if (size > d)
            g->times[i] = end[d];
        if (g->out->period)
            g->out->period[i] = g->times[i];
    }
    return AM_OK;
}

/* ---- once around ---- */

/* The value of coordinate c after a part of the span just passed, if it is an extreme so far. `moves`: the instant is
 * that of an event. */
static void consider(gradient *g, size_t c, double value, double part, bool moves) {
    for (size_t side = 0; side < 2; side++) {
        double *best = &g->seen[2 * c + side], *slopes = side ? g->out->largest_slopes : g->out->least_slopes;
        if (side ? !(value > *best) : !(value < *best))
            continue;
        *best = value;
        for (size_t i = 0; slopes && i < g->count; i++) {
            memcpy(g->work, g->x, g->nx * sizeof *g->work);
            memcpy(g->column, g->columns + i * g->nx, g->nx * sizeof *g->column);
            am_slopes_carry(g->engine, g->engine->span_flow, i, part, g->work, g->column);
            slopes[c * g->count + i] = g->column[c] + (moves ? g->work[g->n + c] * am_slopes_event(g->engine, i) : 0.0);
        }
    }
}

static void update_extremes(gradient *g, bool event) {
    const am_motion *e = g->engine;
    for (size_t c = 0; c < g->n; c++) {
        double a[AM_COEFFICIENTS], where[AM_MOST_TURNS], power = 1.0;
        for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= e->span_length)
            a[k] = power * e->series[k * g->nx + c];
        size_t turns = am_polynomial_turns(a, where);
        for (size_t i = 0; i < turns; i++)
            if (where[i] < 1.0)
                consider(g, c, am_polynomial_at(a, where[i]), where[i] * e->span_length, false);
        consider(g, c, am_polynomial_at(a, 1.0), e->span_length, event);
    }
}

/* Which of the orbit's switches has just passed: the one at this time. */
static void note_event(gradient *g) {
    double T = g->orbit->period, t = am_motion_time(g->engine) - g->orbit->start, near = 1e-9 * T;
    for (size_t k = 0; g->out->switch_slopes && k < g->orbit->switches; k++)
        for (double turn = 0.0; turn <= 1.0; turn++)
            if (fabs(g->orbit->switch_times[k] + turn * T - t) < near)
                for (size_t i = 0; i < g->count; i++)
                    g->out->switch_slopes[k * g->count + i] = am_slopes_event(g->engine, i) - turn * g->times[i];
}

static void keep(gradient *g) {
    memcpy(g->x, g->engine->x, g->nx * sizeof *g->x);
    for (size_t i = 0; i < g->count; i++)
        memcpy(g->columns + i * g->nx, am_slopes_column(g->engine, i), g->nx * sizeof *g->columns);
}

static am_status walk(gradient *g, am_error *err) {
    am_step_kind kind = AM_STEP_SPAN;
    for (size_t c = 0; c < g->n; c++) {
        g->seen[2 * c] = INFINITY;
        g->seen[2 * c + 1] = -INFINITY;
    }
    AM_TRY(am_motion_start_state(g->engine, g->begun, g->x0, err));
    for (size_t i = 0; i < g->count; i++)
        memcpy(am_slopes_column(g->engine, i), g->start + i * (g->d + 1), g->d * sizeof *g->start);
    while (kind != AM_STEP_END) {
        keep(g);
        AM_TRY(am_motion_step(g->engine, g->begun + g->orbit->period, &kind, err));
        AM_TRY(am_slopes_status(g->engine, err));
        update_extremes(g, kind == AM_STEP_EVENT);
        if (kind == AM_STEP_EVENT)
            note_event(g);
    }
    for (size_t c = 0; c < g->n; c++) {
        if (g->out->least)
            g->out->least[c] = g->seen[2 * c];
        if (g->out->largest)
            g->out->largest[c] = g->seen[2 * c + 1];
    }
    return AM_OK;
}

/* Of a self-excited orbit times count from its section, the last of its switches. */
static void count_from_section(const gradient *g) {
    size_t last = g->orbit->switches;
    if (is_forced(g) || !g->out->switch_slopes || last == 0)
        return;
    for (size_t i = 0; i < g->count; i++) {
        double section = g->out->switch_slopes[(last - 1) * g->count + i] - g->times[i];
        for (size_t k = 0; k < last; k++)
            g->out->switch_slopes[k * g->count + i] -= section;
    }
}

am_status am_orbit_gradient(am_motion *engine, const am_orbit *orbit, const am_orbit_return *how, am_model *model,
                            const size_t *numbers, size_t count, const am_orbit_slopes *slopes, am_error *err) {
    if (!am_is(engine, AM_TAG_MOTION) || !am_is(model, AM_TAG_MODEL) || !orbit || !orbit->state || !how || !numbers ||
        count == 0 || !slopes || orbit->dimension != engine->plan.nd)
        return am_misused(err, __func__);
    am_error own = {0}, *e = err ? err : &own;
    AM_LOCAL(release)
    gradient g = {.engine = engine, .orbit = orbit, .how = how, .out = slopes, .count = count, .n = engine->plan.n};
    g.d = engine->plan.nd;
    g.nx = engine->plan.nx;
    AM_TRY(reserve(&g, e));
    AM_TRY(go_to_middle(&g, e));
    AM_TRY(am_slopes_follow(engine, model, numbers, count, e));
    AM_TRY(solve(&g, e));
    AM_TRY(walk(&g, e));
    count_from_section(&g);
    return AM_OK;
}
