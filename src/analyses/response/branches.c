/* Following branches: from the start to both sides, and from branch points. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analyses/response/response_internal.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"

/* ---- recording ---- */

typedef struct recorder {
    am_response *r;
    size_t first;   /* point of this part of the branch */
    bool skip;      /* the start is known already */
    bool met_rest;  /* the motion shrank to nothing and would go on mirrored */
    size_t lost;    /* special points that could not be located */
    bool in_family; /* so many that every point is one: the motions are not isolated */
} recorder;

/* Along a continuous family of motions the equations are singular everywhere, and points seem special at every step. */
enum { MOST_LOST = 30 };

/* Did the motion pass through rest since the last point? */
static bool passed_rest(const recorder *c, const double *x) {
    const am_response *r = c->r;
    double dot = 0.0;
    if (!r->self_excited || r->count <= c->first)
        return false;
    const double *last = r->x + (r->count - 1) * r->size;
    for (size_t i = 0; i + 1 < r->size; i++)
        dot += last[i] * x[i];
    return dot <= 0.0;
}

static bool record(void *context, const am_continuation_point *at, const am_continuation_special *special) {
    recorder *c = context;
    am_response *r = c->r;
    am_response_point point = am_response_point_new(special->kind, special->located, at->p, at->residual);
    point.branch = r->branches;
    if (c->skip) {
        c->skip = false;
        return true;
    }
    r->failure = am_response_measure(r, at->x, at->p, &point, r->err);
    if (r->failure)
        return false;
    bool faint = r->self_excited && point.amplitude < 1e-3 * r->amplitude_so_far &&
                 (!strcmp(special->kind, "branch-point") || !strcmp(special->kind, "fold"));
    if (faint || passed_rest(c, at->x)) {
        c->met_rest = true;
        return false;
    }
    c->lost += !special->located;
    if (c->lost > MOST_LOST) {
        c->in_family = true;
        return false;
    }
    if (am_watch_refused()) { /* the user asked to stop: a result that came meanwhile does not count */
        r->failure = am_fail(r->err, AM_ERR_INTERRUPTED, "interrupted");
        return false;
    }
    r->amplitude_so_far = fmax(r->amplitude_so_far, point.amplitude);
    r->failure = am_response_add(r, &point, at->x, r->err);
    if (!r->failure && r->count % 64 == 0 && !am_progress_report(r->progress, 0.5))
        r->failure = am_fail(r->err, AM_ERR_INTERRUPTED, "interrupted");
    return r->failure == AM_OK;
}

static void add_reports(am_continuation_report *sum, const am_continuation_report *part) {
    sum->end = part->end;
    memcpy(sum->sentence, part->sentence, sizeof sum->sentence);
    sum->points += part->points;
    sum->folds += part->folds;
    sum->branch_points += part->branch_points;
    sum->specials += part->specials;
    sum->unlocated += part->unlocated;
    sum->kinks += part->kinks;
    sum->iterations += part->iterations;
    sum->factorisations += part->factorisations;
    sum->worst_residual = fmax(sum->worst_residual, part->worst_residual);
}

/* The last part ended at rest: put the Hopf point at its end. */
static am_status end_at_rest(am_response *r, am_response_branch *branch, am_error *err) {
    am_response_point point;
    am_error own = {0};
    am_status status = am_response_hopf(r, r->count - 1, &point, &own);
    if (status == AM_ERR_MEMORY)
        return status;
    point.branch = r->branches;
    snprintf(branch->report.sentence, sizeof branch->report.sentence, "the motion shrinks to rest%s%.180s",
             status ? ", at a point that was not located: " : "", status ? own.message : "");
    if (status) {
        point.p = r->point[r->count - 1].p;
        branch->report.unlocated++;
    }
    memset(r->trial, 0, (r->size - 1) * sizeof *r->trial);
    return am_response_add(r, &point, r->trial, err);
}

/* Did the branch leave its range at `to`, and not where it came from? */
static bool left_at_the_end(const am_response *r) {
    const am_response_options *o = r->options;
    double p = r->point[r->count - 1].p;
    return fabs(p - o->to) < fabs(p - o->from);
}

/* One way along the curve; `tangent` NULL: from r->start by direction. */
static am_status follow_part(am_response *r, am_response_branch *branch, int direction, const double *x,
                             const double *tangent, bool skip, am_error *err) {
    am_continuation_report report = {0};
    am_continuation_options options = r->follow;
    recorder c = {.r = r, .first = r->count, .skip = skip};
    if (skip && r->count > branch->first)
        c.first = r->count - 1;
    options.direction = direction;
    r->failure = AM_OK;
    r->err = err;
    am_status status =
        tangent ? am_continuation_switch(r->curve, &r->problem, &options, x, tangent, &report, record, &c, err)
                : am_continuation_follow(r->curve, &r->problem, &options, x, &report, record, &c, err);
    status = r->failure ? r->failure : status;
    if (status && status != AM_ERR_INTERRUPTED)
        return status;
    add_reports(&branch->report, &report);
    if (status) { /* what there is of the branch may be kept */
        branch->report.end = AM_CONTINUATION_STOPPED;
        snprintf(branch->report.sentence, sizeof branch->report.sentence, "interrupted");
        return status;
    }
    branch->closed |= report.end == AM_CONTINUATION_CLOSED;
    branch->reached |= report.end == AM_CONTINUATION_LEFT && r->count > 0 && left_at_the_end(r);
    if (c.in_family)
        snprintf(branch->report.sentence, sizeof branch->report.sentence,
                 "beyond %.9g the motions are not isolated: they form a continuous family", r->point[r->count - 1].p);
    return c.met_rest && r->count > c.first ? end_at_rest(r, branch, err) : AM_OK;
}

static void reverse(am_response *r, size_t first) {
    for (size_t i = first, j = r->count; i + 1 < j; i++) {
        j--;
        am_response_point swap = r->point[i];
        r->point[i] = r->point[j];
        r->point[j] = swap;
        memcpy(r->trial, r->x + i * r->size, r->size * sizeof *r->x);
        memcpy(r->x + i * r->size, r->x + j * r->size, r->size * sizeof *r->x);
        memcpy(r->x + j * r->size, r->trial, r->size * sizeof *r->x);
    }
}

/* The branch from x both ways, in order; `other`: the opposite tangent (NULL: the directions are +-direction). Where
 * the first way is interrupted it is in order as well. */
static am_status follow_both_ways(am_response *r, am_response_branch *branch, int direction, const double *x,
                                  const double *tangent, const double *other, am_error *err) {
    am_status status = follow_part(r, branch, direction, x, tangent, false, err);
    if ((status && status != AM_ERR_INTERRUPTED) || branch->closed || r->count <= branch->first)
        return status;
    reverse(r, branch->first);
    return status ? status : follow_part(r, branch, -direction, x, other, true, err);
}

static am_status new_branch(am_response *r, am_response_branch **branch, size_t parent, am_error *err) {
    AM_TRY(am_memory_reserve(&r->branch, &r->branch_capacity, r->branches + 1, err));
    *branch = &r->branch[r->branches];
    **branch = (am_response_branch){.first = r->count, .parent = parent};
    return AM_OK;
}

/* No parameter varies: one motion. */
static am_status record_only(am_response *r, am_response_branch *branch, am_error *err) {
    am_response_point point = am_response_point_new("regular", true, r->follow.from, 0.0);
    AM_TRY(am_continuation_solve(r->curve, &r->problem, point.p, r->follow.tolerance, r->start, &point.residual, err));
    AM_TRY(am_response_measure(r, r->start, point.p, &point, err));
    branch->reached = true;
    branch->report.points = 1;
    branch->report.worst_residual = point.residual;
    return am_response_add(r, &point, r->start, err);
}

static am_status follow_first(am_response *r, am_error *err) {
    am_response_branch *branch;
    const am_response_options *o = r->options;
    bool both = o->from != o->to && r->follow.from != o->from;
    am_status status = new_branch(r, &branch, SIZE_MAX, err);
    if (status)
        return status;
    int onward = o->to > o->from ? 1 : -1;
    if (o->from == o->to)
        status = record_only(r, branch, err);
    else if (both)
        status = follow_both_ways(r, branch, -onward, r->start, NULL, NULL, err);
    else
        status = follow_part(r, branch, onward, r->start, NULL, false, err);
    branch->count = r->count - branch->first;
    r->branches++;
    return status;
}

/* ---- branches that leave ---- */

static bool same_event(const am_response_point *a, const am_response_point *b, double range) {
    return !strcmp(a->kind, b->kind) && fabs(a->p - b->p) < 1e-6 * range &&
           fabs(a->U - b->U) <= 1e-5 * fmax(fabs(a->U), fabs(b->U));
}

static bool is_event(const am_response_point *a) {
    return !strcmp(a->kind, "fold") || !strcmp(a->kind, "branch-point") || !strcmp(a->kind, "hopf");
}

/* Is every special point of the last branch one of an older branch, too? Then it is that branch, or its mirror image.
 */
static bool is_known(const am_response *r, const am_response_branch *branch) {
    double range = fabs(r->options->to - r->options->from);
    size_t events = 0;
    for (size_t i = branch->first; i < branch->first + branch->count; i++) {
        bool known = false;
        if (!is_event(&r->point[i]))
            continue;
        events++;
        for (size_t j = 0; j < branch->first && !known; j++)
            known = is_event(&r->point[j]) && same_event(&r->point[i], &r->point[j], range);
        if (!known)
            return false;
    }
    return events > 1;
}

static am_status follow_side(am_response *r, size_t from, const double *x, const double *tangent, am_error *err) {
    am_response_branch *branch;
    AM_TRY(new_branch(r, &branch, r->point[from].branch, err));
    double *opposite = r->tangents + 8 * (r->size + 1);
    am_continuation_options kept = r->follow;
    r->follow.from = r->point[from].p;
    for (size_t i = 0; i <= r->size; i++)
        opposite[i] = -tangent[i];
    am_status status = follow_both_ways(r, branch, 0, x, tangent, opposite, err);
    r->follow = kept;
    branch->count = r->count - branch->first;
    if (status == AM_ERR_LIMIT) { /* nothing leaves in this direction */
        r->count = branch->first;
        return AM_OK;
    }
    if (!status && (branch->count < 3 || is_known(r, branch)))
        r->count = branch->first;
    else
        r->branches++;
    return status;
}

static am_status follow_from_point(am_response *r, size_t from, am_error *err) {
    size_t count = 0, n = r->size;
    am_error own = {0};
    double *x = r->tangents + 9 * (n + 1), *tangent = r->tangents + 10 * (n + 1);
    am_continuation_options options = r->follow;
    options.from = r->point[from].p;
    memcpy(x, r->x + from * n, n * sizeof *x);
    /* the branch's own direction, from the neighbours of the point */
    const am_response_branch *own_branch = &r->branch[r->point[from].branch];
    size_t next = from + 1 < own_branch->first + own_branch->count ? from + 1 : from - 1;
    for (size_t i = 0; i < n; i++)
        tangent[i] = r->x[next * n + i] - x[i];
    tangent[n] = r->point[next].p - r->point[from].p;
    if (r->problem.advance)
        r->problem.advance(r->problem.context, x, options.from);
    am_status status =
        am_continuation_directions(r->curve, &r->problem, &options, x, tangent, 8, r->tangents, &count, &own);
    if (status == AM_ERR_MEMORY)
        return am_fail(err, AM_ERR_MEMORY, "%s", own.message);
    status = AM_OK;
    for (size_t i = 1; i < count && !status && r->branches < r->options->most_branches; i++)
        status = follow_side(r, from, x, r->tangents + i * (n + 1), err);
    return status;
}

am_status am_response_follow(am_response *r, am_error *err) {
    AM_TRY(follow_first(r, err));
    for (size_t i = 0; r->tangents && i < r->count && r->branches < r->options->most_branches; i++)
        if (!strcmp(r->point[i].kind, "branch-point") && r->point[i].located)
            AM_TRY(follow_from_point(r, i, err));
    return AM_OK;
}

/* ---- branches found by a search ---- */

am_status am_response_follow_new(am_response *r, double p, const double *x, am_error *err) {
    am_response_branch *branch;
    am_continuation_options kept = r->follow;
    AM_TRY(new_branch(r, &branch, SIZE_MAX, err));
    branch->found = true;
    r->follow.from = p;
    r->amplitude_so_far = 0.0;
    am_status status = follow_both_ways(r, branch, 1, x, NULL, NULL, err);
    r->follow = kept;
    branch->count = r->count - branch->first;
    if (!status && branch->count > 0)
        r->branches++;
    else
        r->count = branch->first;
    return status;
}

/* ---- between two points ---- */

am_status am_response_between(am_response *r, size_t a, size_t b, double share, am_response_point *point,
                              am_error *err) {
    if (r->exact)
        return am_response_orbit_between(r, a, b, share, point, err);
    size_t n = r->size;
    double p = r->point[a].p + share * (r->point[b].p - r->point[a].p), residual;
    for (size_t i = 0; i < n; i++)
        r->trial[i] = r->x[a * n + i] + share * (r->x[b * n + i] - r->x[a * n + i]);
    if (r->problem.advance)
        r->problem.advance(r->problem.context, r->x + a * n, p);
    AM_TRY(am_continuation_solve(r->curve, &r->problem, p, r->follow.tolerance, r->trial, &residual, err));
    *point = r->point[a];
    point->kind = "regular";
    point->p = p;
    point->residual = residual;
    return am_response_measure(r, r->trial, p, point, err);
}
