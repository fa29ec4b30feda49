/* Follow the branch of every chosen solution once. */
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"
#include "papers/atlas/atlas_internal.h"

/* Branches traced side by side before they are compared: fixed, so that the result does not depend on the threads. */
enum { ROUND = 32 };

/* A start: a solution of the list, or one that was met at a branch point. */
typedef struct start {
    size_t solution; /* SIZE_MAX: met */
    const double *u;
} start;

typedef struct am_round {
    am_atlas_branch_options options;
    size_t count;
    start from[ROUND];
    am_atlas_branch traced[ROUND]; /* without points: not needed, as it seemed */
    atomic_bool done[ROUND];
} am_round;

/* ---- Which branch passes where ---- */

static bool is_crossing(const am_atlas_branch *branch, size_t k) {
    return branch->point[k].kind == AM_ATLAS_BRANCH_CROSSING || branch->point[k].kind == AM_ATLAS_BRANCH_START;
}

/* Are two solutions at `at`, with their energies, the same? */
static bool same(const am_atlas *a, const double *u, double energy, const double *v, double other_energy) {
    const double tolerance = 1e-6;
    return fabs(other_energy - energy) <= 8.0 * tolerance * energy && am_class_same(&a->sites, v, u, tolerance);
}

/* The branch that passes through u at `at`. */
static size_t branch_through(const am_atlas *a, const double *u) {
    double energy = am_class_energy(u, a->sites.n);
    for (size_t k = 0; k < a->crossing_count; k++) {
        const am_atlas_crossing *c = &a->crossing[k];
        if (same(a, u, energy, a->branch[c->branch].u + c->point * a->sites.n, c->energy))
            return c->branch;
    }
    return SIZE_MAX;
}

static bool passes(const am_atlas *a, const am_atlas_branch *branch, const double *u) {
    double energy = am_class_energy(u, a->sites.n);
    for (size_t k = 0; k < branch->count; k++)
        if (is_crossing(branch, k) && same(a, u, energy, branch->u + k * branch->n, branch->point[k].energy))
            return true;
    return false;
}

/* ---- Tracing ---- */

/* A start on a branch that another thread or this one has just finished needs no second one, most likely; merging has
 * the last word, so that the result does not depend on who was first. */
static am_status trace(am_atlas *a, am_atlas_worker *worker, size_t index, void *context, am_error *err) {
    am_round *r = context;
    const double *u = r->from[index].u;
    for (size_t j = 0; j < index; j++)
        if (atomic_load_explicit(&r->done[j], memory_order_acquire) && passes(a, &r->traced[j], u))
            return AM_OK;
    am_status status =
        am_atlas_branch_trace(&worker->configuration, worker->curve, &r->options, u, &r->traced[index], err);
    atomic_store_explicit(&r->done[index], !status, memory_order_release);
    return status;
}

/* A solution lies on one branch: one that passes another's solution has gone over to it somewhere. */
static bool trespasses(const am_atlas *a, const am_atlas_branch *branch) {
    for (size_t k = 0; k < branch->count; k++)
        if (is_crossing(branch, k) && branch_through(a, branch->u + k * branch->n) != SIZE_MAX)
            return true;
    return false;
}

static am_status add_crossings(am_atlas *a, size_t b, am_error *err) {
    const am_atlas_branch *branch = &a->branch[b];
    for (size_t k = 0; k < branch->count; k++) {
        if (!is_crossing(branch, k))
            continue;
        AM_TRY(am_memory_reserve(&a->crossing, &a->crossing_capacity, a->crossing_count + 1, err));
        a->crossing[a->crossing_count++] = (am_atlas_crossing){branch->point[k].energy, b, k};
    }
    return AM_OK;
}

am_status am_atlas_reserve_branch(am_atlas *a, am_error *err) {
    return am_memory_reserve(&a->branch, &a->branch_capacity, a->branch_count + 1, err);
}

static am_status add_branch(am_atlas *a, am_atlas_branch *branch, am_error *err) {
    AM_TRY(am_atlas_reserve_branch(a, err));
    a->branch[a->branch_count++] = *branch;
    *branch = (am_atlas_branch){0};
    return add_crossings(a, a->branch_count - 1, err);
}

/* Once more with smaller steps; what still goes over to another branch is kept and counted. */
static am_status trace_with_care(am_atlas *a, am_round *r, size_t k, am_error *err) {
    am_atlas_branch_options options = r->options;
    am_atlas_worker *worker = &a->worker[0];
    if (r->traced[k].count == 0)
        AM_TRY(
            am_atlas_branch_trace(&worker->configuration, worker->curve, &options, r->from[k].u, &r->traced[k], err));
    bool bad = trespasses(a, &r->traced[k]);
    for (double step = 0.0025; bad && step > 1e-4; step *= 0.25) {
        options.largest_step = step;
        am_atlas_branch_clear(&r->traced[k]);
        AM_TRY(
            am_atlas_branch_trace(&worker->configuration, worker->curve, &options, r->from[k].u, &r->traced[k], err));
        bad = trespasses(a, &r->traced[k]);
    }
    a->doubtful += bad;
    return AM_OK;
}

/* Keep the new ones among the traced branches. */
static am_status merge(am_atlas *a, am_round *r, am_error *err) {
    am_status status = AM_OK;
    for (size_t k = 0; k < r->count; k++) {
        size_t known = status ? 0 : branch_through(a, r->from[k].u);
        if (!status && known == SIZE_MAX) {
            status = trace_with_care(a, r, k, err);
            known = a->branch_count;
            if (!status)
                status = add_branch(a, &r->traced[k], err);
        }
        am_atlas_branch_clear(&r->traced[k]); /* what was not kept */
        if (!status && r->from[k].solution != SIZE_MAX)
            a->solution[r->from[k].solution].branch = known;
    }
    r->count = 0;
    return status;
}

static am_status judge(am_atlas *a, am_atlas_worker *worker, size_t index, void *context, am_error *err) {
    return am_atlas_branch_judge(&worker->configuration, &a->branch[*(const size_t *)context + index], err);
}

/* Stability is looked at where branches are kept: many starts lie on one branch. */
static am_status run_round(am_atlas *a, am_round *r, am_error *err) {
    double done = a->done, share = a->share, part = a->options->stability ? 0.5 : 1.0;
    size_t known = a->branch_count;
    for (size_t k = 0; k < r->count; k++) {
        r->traced[k] = (am_atlas_branch){0};
        atomic_init(&r->done[k], false);
    }
    a->share = part * share;
    am_status status = am_atlas_spread(a, r->count, trace, r, err);
    if (status) {
        for (size_t k = 0; k < r->count; k++)
            am_atlas_branch_clear(&r->traced[k]);
        return status;
    }
    status = merge(a, r, err);
    a->done = done + part * share;
    a->share = share - part * share;
    return status || !a->options->stability ? status : am_atlas_spread(a, a->branch_count - known, judge, &known, err);
}

static bool wanted(const am_atlas *a, const am_atlas_solution *s) {
    if (!s->survives || s->active == 0)
        return false;
    return a->options->follow == AM_ATLAS_FOLLOW_ALL ||
           (a->options->follow == AM_ATLAS_FOLLOW_STABLE && s->verdict == AM_VERDICT_STABLE);
}

static am_atlas_branch_options branch_options(const am_atlas *a) {
    const am_atlas_options *o = a->options;
    return (am_atlas_branch_options){.from = fmin(o->from, o->to),
                                     .to = fmax(o->from, o->to),
                                     .at = o->at,
                                     .largest_step = o->step,
                                     .most_points = o->most_points};
}

/* The next starts: wanted solutions from *next on that no known branch passes. */
static void gather(am_atlas *a, am_round *r, size_t *next) {
    for (; *next < a->count && r->count < ROUND; ++*next) {
        am_atlas_solution *s = &a->solution[*next];
        const double *u = a->u + *next * a->sites.n;
        if (!wanted(a, s))
            continue;
        s->branch = branch_through(a, u);
        if (s->branch == SIZE_MAX)
            r->from[r->count++] = (start){*next, u};
    }
}

static am_status follow_listed(am_atlas *a, am_error *err) {
    am_round r = {.options = branch_options(a)};
    double first = a->done, share = a->share;
    am_status status = AM_OK;
    size_t next = a->traced.next;
    for (size_t b = 0; b < a->branch_count && !status; b++) /* of an earlier run */
        status = add_crossings(a, b, err);
    while (!status && next < a->count && a->branch_count < a->options->most_branches) {
        size_t begin = next;
        gather(a, &r, &next);
        a->done = first + share * (double)begin / (double)a->count;
        a->share = share * (double)(next - begin) / (double)a->count;
        status = run_round(a, &r, err);
        if (!status && am_watch_refused()) /* the user asked to stop: what came of the branch does not count */
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted while branches were followed");
        if (status)
            break;
        a->traced = (am_atlas_traced){next, a->branch_count, a->doubtful, a->traced.saved};
        status = am_atlas_remember_branches(a, false, err);
    }
    a->done = first + share;
    if (status && status != AM_ERR_INTERRUPTED)
        return status;
    am_error ignored = {0};
    am_status kept = am_atlas_remember_branches(a, true, status ? &ignored : err);
    return status ? status : kept;
}

bool am_atlas_keep_traced(am_atlas *a) {
    size_t kept = a->traced.branches;
    if (kept == 0)
        return false;
    while (a->branch_count > kept)
        am_atlas_branch_clear(&a->branch[--a->branch_count]);
    for (size_t i = 0; i < a->count; i++)
        if (a->solution[i].branch != SIZE_MAX && (i >= a->traced.next || a->solution[i].branch >= kept))
            a->solution[i].branch = SIZE_MAX;
    size_t crossings = 0;
    for (size_t i = 0; i < a->crossing_count; i++)
        if (a->crossing[i].branch < kept)
            a->crossing[crossings++] = a->crossing[i];
    a->crossing_count = crossings;
    a->doubtful = a->traced.doubtful;
    a->connection_count = 0;
    a->part = true;
    return true;
}

/* ---- Branches that leave at branch points ---- */

enum { MET = 8 }; /* solutions at `at` met from one branch point, at most */

/* Branch points that no known branch shares, of branches from `first` on. */
typedef struct am_leaving {
    am_arena memory;
    am_atlas_branch_options options;
    size_t count, capacity;
    size_t (*place)[2]; /* branch, point */
    double *met;        /* count x MET x n */
    size_t *met_count;
} am_leaving;

static am_status leave(am_atlas *a, am_atlas_worker *worker, size_t index, void *context, am_error *err) {
    am_leaving *l = context;
    const size_t *place = l->place[index];
    return am_atlas_branch_leave(&worker->configuration, worker->curve, &l->options, &a->branch[place[0]], place[1],
                                 MET, l->met + index * MET * a->sites.n, &l->met_count[index], err);
}

static am_status collect(const am_atlas *a, size_t first, am_leaving *l, am_error *err) {
    for (size_t b = first; b < a->branch_count; b++)
        for (size_t i = 0; i < a->branch[b].branch_points; i++) {
            size_t k = a->branch[b].branch_point[i];
            if (am_atlas_shared(a, b, k))
                continue;
            AM_TRY(am_memory_reserve(&l->place, &l->capacity, l->count + 1, err));
            l->place[l->count][0] = b;
            l->place[l->count++][1] = k;
        }
    l->met = am_arena_doubles(&l->memory, NULL, l->count * MET * a->sites.n, err);
    l->met_count = am_arena_new(&l->memory, l->count, sizeof *l->met_count, err);
    return am_arena_status(&l->memory);
}

static am_status trace_met(am_atlas *a, const am_leaving *l, am_error *err) {
    am_round r = {.options = l->options};
    for (size_t i = 0; i < l->count; i++)
        for (size_t m = 0; m < l->met_count[i] && a->branch_count < a->options->most_branches; m++) {
            const double *u = l->met + (i * MET + m) * a->sites.n;
            if (branch_through(a, u) == SIZE_MAX)
                r.from[r.count++] = (start){SIZE_MAX, u};
            AM_TRY(r.count == ROUND ? run_round(a, &r, err) : AM_OK);
        }
    return run_round(a, &r, err);
}

/* Generation by generation, until no new branch is found or there are enough. */
static am_status follow_met(am_atlas *a, am_error *err) {
    size_t first = 0;
    am_status status = AM_OK;
    while (!status && first < a->branch_count && a->branch_count < a->options->most_branches) {
        am_leaving l = {.options = branch_options(a)};
        size_t known = a->branch_count;
        status = collect(a, first, &l, err);
        if (!status)
            status = am_atlas_spread(a, l.count, leave, &l, err);
        if (!status)
            status = trace_met(a, &l, err);
        am_memory_free(l.place);
        am_arena_clear(&l.memory);
        first = known;
    }
    return status;
}

am_status am_atlas_follow_branches(am_atlas *a, am_error *err) {
    if (a->options->follow == AM_ATLAS_FOLLOW_NONE || !a->listed)
        return AM_OK;
    a->share *= a->options->connect ? 0.5 : 1.0;
    AM_TRY(follow_listed(a, err));
    a->share = 0.0; /* nobody knows how much is left */
    AM_TRY(a->options->connect ? follow_met(a, err) : AM_OK);
    return am_atlas_connect(a, err);
}
