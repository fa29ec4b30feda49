#include "engines/switching/slow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "engines/switching/rows.h"
#include "math/dense.h"
#include "math/eigen.h"

/* Entries this much faster than all others are worth leaving out of the series. Their motion then follows from the
 * slow one by a fixed point iteration that gains as much in every step. */
static const double gap = 64.0;
enum { MOST_ROUNDS = 40, MOST_ENTRIES = 128 };

/* Work space of the search. */
typedef struct workspace {
    double *F;     /* nx x nx */
    double *rate;  /* nx: of each entry by itself */
    double *Fff;   /* fast x fast, then its inverse */
    double *right; /* fast x slow */
} workspace;

/* How fast each entry is by itself: of a coordinate both as its oscillation; where it is overdamped the velocity as the
 * fast decay c and the displacement as the slow one k/c. Of inputs those that oscillate. */
static void own_rates(const am_plan *plan, const double *F, double *rate) {
    size_t n = plan->n, nx = plan->nx;
    for (size_t i = 0; i < n; i++) {
        const double *row = F + (n + i) * nx;
        double stiff = sqrt(fabs(row[i])), damp = fabs(row[n + i]);
        bool overdamped = damp > 2.0 * stiff;
        rate[n + i] = overdamped ? damp : stiff;
        rate[i] = overdamped ? stiff * stiff / damp : stiff;
    }
    for (size_t e = 0; e < plan->system->entries; e++) {
        size_t i = plan->nd + plan->system->G[e].row, j = plan->nd + plan->system->G[e].column;
        if (F[j * nx + i] != 0.0)
            rate[i] = fabs(F[i * nx + j]);
    }
}

/* The largest rate below a given one; 0 if there is none. */
static double next_below(const double *rate, size_t count, double from) {
    double below = 0.0;
    for (size_t j = 0; j < count; j++)
        if (rate[j] < from)
            below = fmax(below, rate[j]);
    return below;
}

/* The slowest of the fast ones: above the widest gap, or, where there is none and loads are polynomials, all that moves
 * by itself. */
static double find_gap(const double *rate, size_t count) {
    double widest = 1.0, cut = INFINITY, slowest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double below = next_below(rate, count, rate[i]);
        if (rate[i] > 0.0)
            slowest = fmin(slowest, rate[i]);
        if (below > 0.0 && rate[i] > widest * below) {
            widest = rate[i] / below;
            cut = rate[i];
        }
    }
    return widest > gap ? cut : slowest;
}

/* Returns false if there is nothing fast. */
static bool split(const am_plan *plan, const double *rate, am_slow *s) {
    double cut = find_gap(rate, plan->nx);
    s->fast = s->slow = 0;
    for (size_t i = plan->nd; i < plan->nx; i++)
        if (rate[i] >= cut) /* the loads are as fast: no use */
            return false;
    for (size_t i = 0; i < plan->nx; i++)
        if (rate[i] >= cut)
            s->index[s->fast++] = i;
    for (size_t i = 0; i < plan->nx; i++)
        if (rate[i] < cut)
            s->index[s->fast + s->slow++] = i;
    return s->fast > 0;
}

/* T = F_ss + F_sf P */
static void slow_rates(const am_plan *plan, const double *F, am_slow *s) {
    const size_t *f = s->index, *t = s->index + s->fast;
    for (size_t i = 0; i < s->slow; i++) {
        const double *row = F + t[i] * plan->nx;
        for (size_t j = 0; j < s->slow; j++)
            s->T[i * s->slow + j] = row[t[j]];
        for (size_t k = 0; k < s->fast; k++)
            for (size_t j = 0; row[f[k]] != 0.0 && j < s->slow; j++)
                s->T[i * s->slow + j] += row[f[k]] * s->P[k * s->slow + j];
    }
}

/* P := F_ff^-1 (P T - F_fs). Returns the largest change, relative to the row. */
static double improve(const am_plan *plan, const workspace *w, am_slow *s) {
    const size_t *f = s->index, *t = s->index + s->fast;
    double change = 0.0;
    for (size_t k = 0; k < s->fast; k++) {
        double *right = w->right + k * s->slow;
        for (size_t j = 0; j < s->slow; j++)
            right[j] = -w->F[f[k] * plan->nx + t[j]];
        for (size_t i = 0; i < s->slow; i++)
            for (size_t j = 0; s->P[k * s->slow + i] != 0.0 && j < s->slow; j++)
                right[j] += s->P[k * s->slow + i] * s->T[i * s->slow + j];
    }
    for (size_t k = 0; k < s->fast; k++) {
        double *row = s->P + k * s->slow, largest = 0.0, moved = 0.0;
        for (size_t j = 0; j < s->slow; j++) {
            double value = 0.0;
            for (size_t l = 0; l < s->fast; l++)
                value += w->Fff[k * s->fast + l] * w->right[l * s->slow + j];
            if (!isfinite(value))
                return NAN;
            moved = fmax(moved, fabs(value - row[j]));
            largest = fmax(largest, fabs(value));
            row[j] = value;
        }
        if (!(moved <= 4.0 * DBL_EPSILON * largest))
            change = fmax(change, moved / largest);
    }
    return change;
}

/* The rows of P differ in size by as much as displacements and velocities do: each converges by itself. */
static am_status find_motion(const am_plan *plan, const workspace *w, am_slow *s, bool *found, am_error *err) {
    double rcond;
    *found = false;
    for (size_t k = 0; k < s->fast; k++)
        for (size_t l = 0; l < s->fast; l++)
            w->Fff[k * s->fast + l] = w->F[s->index[k] * plan->nx + s->index[l]];
    am_status status = am_dense_invert(w->Fff, s->fast, &rcond, err);
    if (status || rcond == 0.0)
        return status;
    for (size_t round = 0; round < MOST_ROUNDS && !*found; round++) {
        slow_rates(plan, w->F, s);
        double change = improve(plan, w, s);
        if (!isfinite(change))
            return AM_OK;
        *found = change == 0.0;
    }
    slow_rates(plan, w->F, s);
    return AM_OK;
}

/* d' = (F_ff - P F_sf) d must not grow; what is undamped turns for ever. Destroys Fff. */
static bool is_stable(const am_plan *plan, const workspace *w, const am_slow *s) {
    const size_t *f = s->index, *t = s->index + s->fast;
    double real[MOST_ENTRIES], imaginary[MOST_ENTRIES], work[AM_EIGENVALUES_WORK * MOST_ENTRIES], doubt;
    for (size_t k = 0; k < s->fast; k++)
        for (size_t l = 0; l < s->fast; l++) {
            double sum = w->F[f[k] * plan->nx + f[l]];
            for (size_t j = 0; j < s->slow; j++)
                sum -= s->P[k * s->slow + j] * w->F[t[j] * plan->nx + f[l]];
            w->Fff[k * s->fast + l] = sum * plan->weight[f[k]] / plan->weight[f[l]];
        }
    if (!am_eigenvalues(w->Fff, s->fast, real, imaginary, work, &doubt))
        return false;
    for (size_t k = 0; k < s->fast; k++)
        if (!(real[k] <= 1e-12 * hypot(real[k], imaginary[k])))
            return false;
    return true;
}

/* Largest row of a matrix over slow entries, weighted, of all that moves. */
static double weighted_norm(const am_plan *plan, const am_flow *flow, const double *a, const size_t *rows, size_t count,
                            const am_slow *s) {
    const double *w = plan->weight;
    const size_t *t = s->index + s->fast;
    double norm = 0.0;
    for (size_t i = 0; i < count; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < s->slow; j++)
            if (w[t[j]] > 0.0 && !am_flow_is_still(plan, flow, t[j]))
                sum += fabs(a[i * s->slow + j]) / w[t[j]];
        norm = fmax(norm, am_flow_is_still(plan, flow, rows[i]) ? 0.0 : w[rows[i]] * sum);
    }
    return norm;
}

static am_status search(const am_plan *plan, const am_flow *flow, const workspace *w, am_slow *s, bool *found,
                        am_error *err) {
    am_status status = find_motion(plan, w, s, found, err);
    if (status || !*found)
        return status;
    *found = is_stable(plan, w, s);
    s->rate = weighted_norm(plan, flow, s->T, s->index + s->fast, s->slow, s);
    s->lead = fmax(1.0, weighted_norm(plan, flow, s->P, s->index, s->fast, s));
    return AM_OK;
}

static am_status reserve(am_arena *memory, size_t nx, am_slow **made, am_error *err) {
    am_slow *s = *made = am_arena_new(memory, 1, sizeof *s, err);
    if (!s)
        return AM_ERR_MEMORY;
    s->index = am_arena_new(memory, nx, sizeof *s->index, err);
    AM_ARENA_DOUBLES(memory, nx * nx, err, &s->P, &s->T);
    AM_ARENA_DOUBLES(memory, nx, err, &s->value, &s->next);
    return am_arena_status(memory);
}

am_status am_slow_seek(const am_plan *plan, am_flow *flow, am_error *err) {
    size_t nx = plan->nx;
    am_arena memory = {0};
    am_slow *s = NULL;
    bool found = false;
    if (nx > MOST_ENTRIES)
        return AM_OK;
    workspace w = {.F = am_arena_doubles(&memory, NULL, nx * nx, err),
                   .rate = am_arena_doubles(&memory, NULL, nx, err),
                   .Fff = am_arena_doubles(&memory, NULL, nx * nx, err),
                   .right = am_arena_doubles(&memory, NULL, nx * nx, err)};
    am_status status = am_arena_status(&memory);
    if (!status)
        status = reserve(&flow->slow_memory, nx, &s, err);
    if (!status) {
        am_flow_matrix(plan, flow, w.F);
        own_rates(plan, w.F, w.rate);
        if (split(plan, w.rate, s))
            status = search(plan, flow, &w, s, &found, err);
    }
    am_arena_clear(&memory);
    if (!found)
        am_arena_clear(&flow->slow_memory);
    flow->slow = found ? s : NULL;
    return status;
}

/* P s of one fast entry. */
static double followed(const am_slow *slow, size_t k, const double *x) {
    const double *row = slow->P + k * slow->slow;
    const size_t *t = slow->index + slow->fast;
    double sum = 0.0;
    for (size_t j = 0; j < slow->slow; j++)
        sum += row[j] * x[t[j]];
    return sum;
}

double am_slow_distance(const am_plan *plan, const am_slow *slow, const double *x) {
    double distance = 0.0;
    for (size_t k = 0; k < slow->fast; k++)
        distance = fmax(distance, plan->weight[slow->index[k]] * fabs(x[slow->index[k]] - followed(slow, k, x)));
    return distance;
}

void am_slow_expand(const am_plan *plan, am_slow *slow, double *series) {
    size_t nx = plan->nx;
    const size_t *t = slow->index + slow->fast;
    for (size_t k = 0; k < slow->fast; k++)
        series[slow->index[k]] = followed(slow, k, series);
    for (size_t j = 0; j < slow->slow; j++)
        slow->value[j] = series[t[j]];
    for (size_t order = 0; order < AM_COEFFICIENTS; order++) {
        double *x = series + (order + 1) * nx;
        am_dense_apply(slow->T, slow->slow, slow->slow, slow->value, slow->next);
        for (size_t j = 0; j < slow->slow; j++)
            x[t[j]] = slow->value[j] = plan->inverse_order[order] * slow->next[j];
        for (size_t k = 0; k < slow->fast; k++)
            x[slow->index[k]] = followed(slow, k, x);
    }
}
