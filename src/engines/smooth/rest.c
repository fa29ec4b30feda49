#include "engines/smooth/rest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/smooth/smooth_internal.h"
#include "math/eigen.h"
#include "math/lu.h"

/* A motion has come to rest when vibrations about a stable equilibrium are this part of what they were when first
 * looked at; below the second part of its size it is there. */
static const double died_out = 1e-3, is_there = 1e-13;

static const size_t most_iterations = 50;

struct am_smooth_rest {
    am_arena memory;
    am_smooth *engine;
    size_t n, d;
    double *q, *state, *rate; /* d each */
    double *jacobian;         /* d x d */
    double *matrix;           /* n x n */
    int *order;               /* n */
    double *known;            /* n: the equilibrium looked at */
    bool knows;
    double farthest; /* distance from it, at looks */
};

am_smooth_rest *am_smooth_rest_create(am_smooth *engine, am_error *err) {
    size_t n = engine->n, d = 2 * n;
    am_smooth_rest *r = am_memory_new(1, sizeof *r, err);
    if (!r)
        return NULL;
    *r = (am_smooth_rest){.engine = engine, .n = n, .d = d};
    r->q = am_arena_doubles(&r->memory, NULL, d, err);
    r->state = am_arena_doubles(&r->memory, NULL, d, err);
    r->rate = am_arena_doubles(&r->memory, NULL, d, err);
    r->jacobian = am_arena_doubles(&r->memory, NULL, d * d, err);
    r->matrix = am_arena_doubles(&r->memory, NULL, n * n, err);
    r->order = am_arena_new(&r->memory, n, sizeof *r->order, err);
    r->known = am_arena_doubles(&r->memory, NULL, n, err);
    if (!am_arena_status(&r->memory))
        return r;
    am_smooth_rest_free(r);
    return NULL;
}

void am_smooth_rest_free(am_smooth_rest *rest) {
    if (!rest)
        return;
    am_arena_clear(&rest->memory);
    am_memory_free(rest);
}

double am_smooth_rest_time_scale(am_smooth_rest *rest, const double *state) {
    size_t n = rest->n, d = rest->d;
    const double *w = rest->engine->weight;
    double stiff = 0.0, damp = 0.0;
    am_smooth_jacobian(rest->engine, state, rest->jacobian);
    for (size_t i = 0; i < n; i++) {
        double k = 0.0, c = 0.0;
        for (size_t j = 0; j < n; j++) {
            k += w[i] / w[j] * fabs(rest->jacobian[(n + i) * d + j]);
            c += w[i] / w[j] * fabs(rest->jacobian[(n + i) * d + n + j]);
        }
        stiff = fmax(stiff, k);
        damp = fmax(damp, c);
    }
    double frequency = fmax(sqrt(stiff), damp);
    return frequency > 0.0 && isfinite(frequency) ? 1.0 / frequency : 1.0;
}

/* One step of Newton's method for q'' = 0 at q' = 0; its size, or INFINITY where there is none. */
static double approach(am_smooth_rest *r, double t) {
    size_t n = r->n, d = r->d;
    double size = 0.0;
    am_smooth_rate(r->engine, t, r->state, r->rate);
    am_smooth_jacobian(r->engine, r->state, r->jacobian);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            r->matrix[i * n + j] = r->jacobian[(n + i) * d + j];
    if (!am_lu_factor(r->matrix, n, r->order))
        return INFINITY;
    am_lu_solve(r->matrix, n, r->order, 1, r->rate + n);
    for (size_t i = 0; i < n; i++) {
        r->state[i] -= r->rate[n + i];
        size = fmax(size, r->engine->weight[i] * fabs(r->rate[n + i]));
    }
    return size;
}

bool am_smooth_rest_equilibrium(am_smooth_rest *rest, double t, const double *state, double *q) {
    am_smooth_rest *r = rest;
    memcpy(r->state, state, r->n * sizeof *r->state);
    memset(r->state + r->n, 0, r->n * sizeof *r->state);
    double before = INFINITY;
    for (size_t i = 0; i < most_iterations; i++) {
        double step = approach(r, t), size = am_smooth_size(r->engine, r->state, NULL, 0.0);
        if (!isfinite(step))
            return false;
        if (step <= 4.0 * DBL_EPSILON * size || (step <= 1e-12 * size && step >= before) || step == 0.0) {
            memcpy(q, r->state, r->n * sizeof *q);
            return true;
        }
        before = step;
    }
    return false;
}

/* The largest real part of the eigenvalues at the equilibrium in r->state, and what rounding may do to it. */
static am_status slowest(am_smooth_rest *r, double *real, double *uncertainty, am_error *err) {
    am_eigen eigen = {0};
    am_smooth_jacobian(r->engine, r->state, r->jacobian);
    am_status status = am_eigen_init(&eigen, r->jacobian, r->d, 0.0, err);
    *real = -INFINITY;
    *uncertainty = 0.0;
    for (size_t i = 0; i < r->d && !status; i++)
        if (eigen.real[i] > *real) {
            *real = eigen.real[i];
            *uncertainty = eigen.uncertainty[i];
        }
    am_eigen_clear(&eigen);
    return status;
}

/* The same equilibrium as at the last look? If not, measuring begins anew. */
static void compare(am_smooth_rest *r, double distance) {
    double moved = 0.0;
    for (size_t i = 0; i < r->n && r->knows; i++)
        moved = fmax(moved, r->engine->weight[i] * fabs(r->known[i] - r->q[i]));
    if (!r->knows || moved > 1e-6 * am_smooth_size(r->engine, r->q, NULL, 0.0))
        r->farthest = 0.0;
    memcpy(r->known, r->q, r->n * sizeof *r->known);
    r->knows = true;
    r->farthest = fmax(r->farthest, distance);
}

am_status am_smooth_rest_test(am_smooth_rest *rest, double t, const double *state, double scale, double size,
                              bool *rests, char *sentence, size_t length, am_error *err) {
    am_smooth_rest *r = rest;
    *rests = false;
    if (!am_smooth_rest_equilibrium(r, t, state, r->q))
        return AM_OK;
    memset(r->q + r->n, 0, r->n * sizeof *r->q);
    double distance = am_smooth_size(r->engine, state, r->q, scale), real, uncertainty;
    bool arrived = distance <= is_there * size || distance == 0.0;
    compare(r, distance);
    if (!arrived && !(distance <= died_out * r->farthest))
        return AM_OK;
    am_status status = slowest(r, &real, &uncertainty, err);
    if (status || (!arrived && !(real < -uncertainty)))
        return status;
    *rests = true;
    if (real < -uncertainty)
        snprintf(sentence, length,
                 "the motion comes to rest: vibrations about its equilibrium die out, the slowest at the rate %.3g",
                 -real);
    else
        snprintf(sentence, length,
                 "the structure is at rest in an equilibrium that is not stable (growth rate %.3g): start it elsewhere",
                 real);
    return AM_OK;
}
