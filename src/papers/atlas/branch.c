#include "papers/atlas/branch.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

bool am_class_same(const am_sites *sites, const double *u, const double *v, double tolerance) {
    size_t n = sites->n;
    double size = 0.0, su = 0.0, sv = 0.0;
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fabs(u[i]));
        su += u[i] * u[i];
        sv += v[i] * v[i];
    }
    tolerance *= size;
    if (fabs(su - sv) > 2.0 * (double)n * size * tolerance)
        return false;
    for (size_t k = 0; k < sites->symmetry_count; k++) {
        const am_site_symmetry *g = &sites->symmetry[k];
        double plus = 0.0, minus = 0.0;
        for (size_t i = 0; i < n && (plus <= tolerance || minus <= tolerance); i++) {
            double image = g->swap && sites->colour[i] ? -v[g->from[i]] : v[g->from[i]];
            plus = fmax(plus, fabs(u[i] - image));
            minus = fmax(minus, fabs(u[i] + image));
        }
        if (plus <= tolerance || minus <= tolerance)
            return true;
    }
    return false;
}

/* ---- Recording ---- */

typedef struct trail {
    am_class *configuration;
    const am_atlas_branch_options *options;
    am_atlas_branch *branch;
    size_t start, crossing;   /* points: where this half began, where p was last at options->at */
    double sense, last_sense; /* of dp/ds there */
    am_atlas_branch_end end;
    bool jumped; /* it came onto a loop that its start is not on: somewhere it went over to another branch */
    double step;
    am_status status;
    am_error *err;
} trail;

static am_status grow(am_atlas_branch *branch, am_error *err) {
    size_t capacity = branch->capacity, wanted = branch->count + 1;
    AM_TRY(am_memory_reserve(&branch->point, &capacity, wanted, err));
    return am_memory_reserve_items(&branch->u, &branch->capacity, wanted, branch->n * sizeof *branch->u, err);
}

static am_atlas_branch_point_kind kind_of(const char *name) {
    static const char *const names[] = {"regular", "start", "value", "fold", "branch-point", "end"};
    for (int k = 0; k < 6; k++)
        if (strcmp(name, names[k]) == 0)
            return (am_atlas_branch_point_kind)k;
    return AM_ATLAS_BRANCH_REGULAR;
}

static am_status record(trail *t, const double *u, double p, am_atlas_branch_point_kind kind, bool located) {
    am_atlas_branch *branch = t->branch;
    AM_TRY(grow(branch, t->err));
    am_atlas_branch_point *point = &branch->point[branch->count];
    *point = (am_atlas_branch_point){.kind = kind,
                                     .located = located,
                                     .p = p,
                                     .energy = am_class_energy(u, t->configuration->sites->n),
                                     .verdict = AM_VERDICT_MARGINAL};
    memcpy(branch->u + branch->count * branch->n, u, branch->n * sizeof *u);
    branch->count++;
    return AM_OK;
}

/* The curve turned into its mirror image between two equal crossings: cut it at the branch point between them. */
static void cut_at_mirror(trail *t) {
    am_atlas_branch *branch = t->branch;
    size_t last = branch->count - 1, best = 0;
    double middle = 0.5 * (double)(t->crossing + last), distance = INFINITY;
    for (size_t k = t->crossing + 1; k < last; k++)
        if (branch->point[k].kind >= AM_ATLAS_BRANCH_FOLD && fabs((double)k - middle) < distance) {
            distance = fabs((double)k - middle);
            best = k;
        }
    if (best == 0) /* not seen: the point where p turns */
        for (size_t k = best = t->crossing + 1; k < last; k++)
            if (fabs(branch->point[k].p - t->options->at) > fabs(branch->point[best].p - t->options->at))
                best = k;
    branch->point[best].kind = AM_ATLAS_BRANCH_BRANCH;
    branch->count = best + 1;
    /* What was located beside it (the fold of the mirrored curve, the same point from the other side) is one with it.
     */
    while (best > t->crossing + 1 && branch->point[best - 1].kind >= AM_ATLAS_BRANCH_FOLD &&
           fabs(branch->point[best - 1].p - branch->point[best].p) <= 1e-6 * fabs(branch->point[best].p)) {
        branch->point[best - 1] = branch->point[best];
        memmove(branch->u + (best - 1) * branch->n, branch->u + best * branch->n, branch->n * sizeof *branch->u);
        branch->count = best--;
    }
}

/* A curve of solutions never comes back to any point but its start. */
static bool met_before(const trail *t, const double *u, double tolerance) {
    const am_atlas_branch *branch = t->branch;
    for (size_t k = t->start + 1; k + 1 < branch->count; k++)
        if (branch->point[k].kind == AM_ATLAS_BRANCH_CROSSING &&
            am_class_same(t->configuration->sites, u, branch->u + k * branch->n, tolerance))
            return true;
    return false;
}

static bool visit(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    trail *t = context;
    am_atlas_branch *branch = t->branch;
    am_atlas_branch_point_kind kind = kind_of(special->kind);
    double sense = point->tangent[branch->n];
    if (kind == AM_ATLAS_BRANCH_CROSSING && branch->count == t->start + 1 && point->arclength == 0.0)
        return true; /* the start itself */
    t->status = record(t, point->x, point->p, kind, special->located);
    if (t->status)
        return false;
    if (kind == AM_ATLAS_BRANCH_START) {
        t->start = t->crossing = branch->count - 1;
        t->sense = t->last_sense = sense;
    }
    if (kind != AM_ATLAS_BRANCH_CROSSING)
        return true;
    const double tolerance = 1e-6; /* Newton's, times what a solution near a fold magnifies it by */
    const am_sites *sites = t->configuration->sites;
    if (sense * t->last_sense < 0.0 && am_class_same(sites, point->x, branch->u + t->crossing * branch->n, tolerance)) {
        cut_at_mirror(t);
        t->end = AM_ATLAS_BRANCH_MIRRORED;
        return false;
    }
    if (sense * t->sense > 0.0 && am_class_same(sites, point->x, branch->u + t->start * branch->n, tolerance)) {
        t->end = AM_ATLAS_BRANCH_CLOSED;
        return false;
    }
    t->jumped = met_before(t, point->x, tolerance);
    t->crossing = branch->count - 1;
    t->last_sense = sense;
    return !t->jumped;
}

/* ---- Tracing ---- */

static const char jump_sentence[] = "comes so close to another branch that they cannot be told apart";

static am_continuation_options follow_options(const am_atlas_branch_options *given) {
    am_continuation_options options = am_continuation_options_default();
    options.least = given->from;
    options.most = given->to;
    options.largest_step = given->largest_step;
    options.most_points = given->most_points;
    options.close = false;
    options.values = &given->at;
    options.value_count = 1;
    return options;
}

static am_status trace_half(trail *t, am_continuation *curve, int direction, const double *u) {
    am_atlas_branch *branch = t->branch;
    am_continuation_options options = follow_options(t->options);
    am_continuation_problem problem = am_class_problem(t->configuration);
    am_continuation_report report;
    options.from = t->options->at;
    options.to = direction > 0 ? t->options->to : t->options->from;
    options.direction = direction;
    options.largest_step = t->step;
    t->end = AM_ATLAS_BRANCH_UNFINISHED;
    am_status status = am_continuation_follow(curve, &problem, &options, u, &report, visit, t, t->err);
    if (status || t->status)
        return status ? status : t->status;
    branch->steps += report.points;
    branch->worst_residual = fmax(branch->worst_residual, report.worst_residual);
    if (report.end == AM_CONTINUATION_LEFT)
        t->end = AM_ATLAS_BRANCH_LEFT;
    if (t->end == AM_ATLAS_BRANCH_UNFINISHED)
        snprintf(branch->sentence, sizeof branch->sentence, "%s",
                 t->jumped                            ? jump_sentence
                 : report.end == AM_CONTINUATION_FULL ? "more points than allowed"
                                                      : report.sentence);
    return AM_OK;
}

static void reverse(am_atlas_branch *branch, size_t first, size_t last) {
    size_t n = branch->n;
    while (first < last) {
        am_atlas_branch_point point = branch->point[first];
        branch->point[first] = branch->point[last];
        branch->point[last] = point;
        for (size_t i = 0; i < n; i++) {
            double u = branch->u[first * n + i];
            branch->u[first * n + i] = branch->u[last * n + i];
            branch->u[last * n + i] = u;
        }
        first++;
        last--;
    }
}

/* Which points are branch points? */
static am_status list_branch_points(am_atlas_branch *branch, am_error *err) {
    branch->branch_point = am_memory_new(branch->branch_points, sizeof *branch->branch_point, err);
    if (!branch->branch_point)
        return AM_ERR_MEMORY;
    for (size_t k = 0, next = 0; k < branch->count; k++)
        if (branch->point[k].kind == AM_ATLAS_BRANCH_BRANCH)
            branch->branch_point[next++] = k;
    return AM_OK;
}

static void count_specials(am_atlas_branch *branch) {
    branch->folds = branch->branch_points = branch->unlocated = 0;
    for (size_t k = 0; k < branch->count; k++) {
        branch->folds += branch->point[k].kind == AM_ATLAS_BRANCH_FOLD;
        branch->branch_points += branch->point[k].kind == AM_ATLAS_BRANCH_BRANCH;
        branch->unlocated += !branch->point[k].located;
    }
}

/* Both halves with steps of at most t->step (0: chosen). */
static am_status trace_both(trail *t, am_continuation *curve, const double *u) {
    am_atlas_branch *branch = t->branch;
    t->jumped = false;
    am_status status = trace_half(t, curve, 1, u);
    branch->ends[0] = branch->ends[1] = t->end;
    if (status || t->end == AM_ATLAS_BRANCH_CLOSED || t->jumped)
        return status;
    /* The other half, before the first. */
    reverse(branch, 0, branch->count - 1);
    branch->count--; /* the start, which is recorded again */
    status = trace_half(t, curve, -1, u);
    branch->ends[1] = t->end;
    if (!status && t->end == AM_ATLAS_BRANCH_CLOSED) { /* what comes round one way comes round the other way */
        t->jumped = true;
        branch->ends[1] = AM_ATLAS_BRANCH_UNFINISHED;
        snprintf(branch->sentence, sizeof branch->sentence, "%s", jump_sentence);
    }
    return status;
}

am_status am_atlas_branch_trace(am_class *configuration, am_continuation *curve, const am_atlas_branch_options *options,
                                const double *u, am_atlas_branch *branch, am_error *err) {
    *branch = (am_atlas_branch){.n = configuration->sites->n};
    trail t = {.configuration = configuration,
               .options = options,
               .branch = branch,
               .step = options->largest_step,
               .err = err};
    am_status status = trace_both(&t, curve, u);
    for (double step = 0.0025; !status && t.jumped && step > 1e-4; step *= 0.25) {
        branch->count = 0;
        branch->sentence[0] = '\0';
        branch->refined++;
        t.step = step;
        status = trace_both(&t, curve, u);
    }
    if (!status) {
        count_specials(branch);
        status = list_branch_points(branch, err);
    }
    if (status)
        am_atlas_branch_clear(branch);
    return status;
}

am_status am_atlas_branch_restore(am_atlas_branch *branch, const am_atlas_branch_point *points, const double *u,
                                  am_error *err) {
    size_t count = branch->count, length = count * branch->n;
    branch->capacity = count;
    branch->branch_point = NULL;
    branch->point = am_memory_new(count, sizeof *branch->point, err);
    branch->u = am_memory_new(length, sizeof *branch->u, err);
    am_status status = branch->point && branch->u ? AM_OK : AM_ERR_MEMORY;
    if (!status) {
        memcpy(branch->point, points, count * sizeof *points);
        memcpy(branch->u, u, length * sizeof *u);
        count_specials(branch);
        status = list_branch_points(branch, err);
    }
    if (status)
        am_atlas_branch_clear(branch);
    return status;
}

/* ---- Stability ---- */

am_status am_atlas_branch_judge(am_class *configuration, am_atlas_branch *branch, am_error *err) {
    am_class_mode mode = {.known = false};
    am_status status = AM_OK;
    for (size_t k = 0; k < branch->count && !status; k++) {
        am_atlas_branch_point *point = &branch->point[k];
        double w[2 * AM_SITES_MOST];
        am_class_phasors(configuration, branch->u + k * branch->n, w);
        status = am_class_judge(configuration, w, am_sites_omega(configuration->sites, point->p), point->p, &mode,
                                &point->verdict, err);
    }
    return status;
}

/* ---- Other branches at a branch point ---- */

enum { MOST_DIRECTIONS = 8 };

/* Takes the first solution at options->at. */
typedef struct first_crossing {
    size_t n;
    double *u;
    bool found;
} first_crossing;

static bool take_crossing(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    first_crossing *c = context;
    if (kind_of(special->kind) != AM_ATLAS_BRANCH_CROSSING || point->arclength == 0.0)
        return true;
    memcpy(c->u, point->x, c->n * sizeof *c->u);
    c->found = true;
    return false;
}

am_status am_atlas_branch_leave(am_class *made, am_continuation *curve, const am_atlas_branch_options *options,
                                const am_atlas_branch *branch, size_t k, size_t most, double *solutions, size_t *count,
                                am_error *err) {
    size_t n = branch->n, directions = 0, next = k + 1 < branch->count ? k + 1 : k, before = k > 0 ? k - 1 : k;
    double along[AM_SITES_MOST + 1], tangents[MOST_DIRECTIONS * (AM_SITES_MOST + 1)];
    am_continuation_problem problem = am_class_problem(made);
    am_continuation_options o = follow_options(options);
    o.from = o.to = branch->point[k].p;
    *count = 0;
    for (size_t i = 0; i < n; i++)
        along[i] = branch->u[next * n + i] - branch->u[before * n + i];
    along[n] = branch->point[next].p - branch->point[before].p;
    am_status status = am_continuation_directions(curve, &problem, &o, branch->u + k * n, along, MOST_DIRECTIONS,
                                                  tangents, &directions, err);
    for (size_t d = 1; d < directions && !status; d++)
        for (int sense = 0; sense < 2 && *count < most && !status; sense++) {
            double *tangent = tangents + d * (n + 1);
            first_crossing c = {.n = n, .u = solutions + *count * n};
            am_continuation_report report;
            for (size_t i = 0; i <= n && sense > 0; i++)
                tangent[i] = -tangent[i];
            status = am_continuation_switch(curve, &problem, &o, branch->u + k * n, tangent, &report, take_crossing, &c,
                                            err);
            *count += c.found;
        }
    if (status != AM_ERR_MEMORY && status != AM_ERR_INTERRUPTED) {
        *err = (am_error){0}; /* a branch that cannot be entered is only not followed */
        status = AM_OK;
    }
    return status;
}

void am_atlas_branch_clear(am_atlas_branch *branch) {
    am_memory_free(branch->point);
    am_memory_free(branch->u);
    am_memory_free(branch->branch_point);
    *branch = (am_atlas_branch){0};
}
