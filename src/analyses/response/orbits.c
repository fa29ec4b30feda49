/* Motions that jump by themselves: impacts of rigid contacts, and static friction above kinetic without a spring behind
 * the slider. A sum of harmonics has half of a jump where it happens, so the branch is made of exact orbits, followed
 * as `follow` does it (docs/follow.md); harmonics are integrals over each of them. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analyses/follow/point.h"
#include "analyses/orbit/verdict.h"
#include "analyses/response/exact.h"
#include "analyses/response/response_internal.h"
#include "base/local.h"
#include "base/memory.h"
#include "math/pi.h"
#include "math/trigonometric.h"
#include "system/capability.h"
#include "system/system.h"

bool am_response_jumps(const am_system *system) {
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        bool rigid = !(contact->tangential_stiffness > 0.0);
        if (contact->normal_law == AM_UNILATERAL || (rigid && am_contact_drops(contact)) ||
            am_contact_creeps_behind(contact))
            return true;
    }
    return false;
}

/* ---- measuring ---- */

static void judge(am_response *r, am_response_point *point, const am_follow_point *x) {
    const am_orbit *o = &x->orbit;
    am_verdict verdict = am_orbit_verdict(o);
    point->residual = o->closing;
    point->stable = verdict == AM_VERDICT_STABLE;
    if (verdict == AM_VERDICT_MARGINAL) {
        point->stable = -1;
        point->withheld = am_response_reason(r, "the unit circle is within the uncertainty of a multiplier");
    }
    point->multiplier = o->multiplier;
    point->exponent = o->multiplier > 0.0 ? log(o->multiplier) / o->period : NAN;
    point->exact = point->amplitude;
}

/* The harmonics of an orbit into r->trial, and what they measure. */
static am_status measure(am_response *r, const am_follow_point *x, am_response_point *point, am_error *err) {
    AM_LOCAL(am_follow_shut) am_follow_system at = {0};
    AM_TRY(am_follow_open(&r->line, x->p, &at, err));
    point->frequency = two_pi / x->orbit.period;
    AM_TRY(am_timed_harmonics(at.engine, x->how.start, &x->orbit, r->H, r->trial, NULL, r->largest, err));
    point->amplitude = point->largest = point->U = 0.0;
    for (size_t c = 0; c < r->n; c++) {
        double amplitude = hypot(r->trial[c * r->S + 1], r->trial[c * r->S + 2]);
        point->U += 0.5 * r->largest[c] * r->largest[c];
        if (r->options->coordinate == c || (r->options->coordinate == SIZE_MAX && amplitude > point->amplitude)) {
            point->amplitude = amplitude;
            point->largest = r->largest[c];
        }
    }
    judge(r, point, x);
    return AM_OK;
}

am_status am_response_orbit_between(am_response *r, size_t a, size_t b, double share, am_response_point *point,
                                    am_error *err) {
    double p = r->point[a].p + share * (r->point[b].p - r->point[a].p);
    AM_LOCAL(am_follow_clear) am_follow_point x = {0};
    bool second = share > 0.5;
    AM_TRY(am_follow_close_near(&r->line, p, &r->orbit[second ? b : a], &r->orbit[second ? a : b], &x, err));
    *point = am_response_point_new("regular", true, p, x.orbit.closing);
    point->branch = r->point[a].branch;
    point->near = second ? b : a;
    return measure(r, &x, point, err);
}

/* ---- recording ---- */

typedef struct recorder {
    am_response *r;
    am_response_point *special; /* bifurcations, in their order */
    size_t specials, capacity;
} recorder;

static am_status store_orbit(am_response *r, const am_follow_point *x, am_error *err) {
    AM_TRY(am_memory_reserve(&r->orbit, &r->orbit_capacity, r->orbits + 1, err));
    r->orbit[r->orbits] = (am_follow_point){0};
    return am_follow_copy(x, &r->orbit[r->orbits++], err);
}

static am_status record_orbit(void *context, const am_follow_point *x, am_error *err) {
    recorder *c = context;
    am_response *r = c->r;
    am_response_point point = am_response_point_new("regular", true, x->p, x->orbit.closing);
    if (r->count >= r->options->most_points)
        return am_fail(err, AM_ERR_LIMIT, "the branch has more than %zu points (most_points)", r->count);
    point.branch = r->branches;
    AM_TRY(measure(r, x, &point, err));
    point.near = r->orbits;
    AM_TRY(store_orbit(r, x, err));
    return am_response_add(r, &point, r->trial, err);
}

/* In the words of `special`. */
static const char *kind_of(const char *kind) {
    static const char *const words[][2] = {{"flip", "period-doubling"}, {"Neimark-Sacker", "neimark-sacker"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(kind, words[i][0]) == 0)
            return words[i][1];
    return kind;
}

/* A fold is next to the last orbit; of other bifurcations the place alone is known. */
static am_status record_bifurcation(void *context, double p, const char *kind, size_t contact, const char *what,
                                    am_error *err) {
    recorder *c = context;
    am_response *r = c->r;
    (void)contact, (void)what;
    AM_TRY(am_memory_reserve(&c->special, &c->capacity, c->specials + 1, err));
    am_response_point *point = &c->special[c->specials++];
    bool fold = strcmp(kind, "fold") == 0 && r->count > 0;
    *point = fold ? r->point[r->count - 1] : am_response_point_new("", true, p, 0.0);
    point->stable = -1;
    point->withheld = am_response_reason(r, "orbits differ on either side of a bifurcation");
    if (!fold)
        point->amplitude = point->largest = point->U = point->frequency = NAN;
    point->branch = r->branches;
    point->kind = kind_of(kind);
    point->p = p;
    return AM_OK;
}

/* ---- the branch ---- */

static am_status new_branch(am_response *r, am_error *err) {
    AM_TRY(am_memory_reserve(&r->branch, &r->branch_capacity, r->branches + 1, err));
    r->branch[r->branches] = (am_response_branch){.first = r->count, .parent = SIZE_MAX};
    return AM_OK;
}

static void end_branch(am_response *r, const am_follow_end *end, double to) {
    am_response_branch *branch = &r->branch[r->branches++];
    branch->count = r->count - branch->first;
    branch->reached = branch->count > 0 && end->p == to;
    branch->report.end =
        branch->reached || strcmp(end->why, "left the range") == 0 ? AM_CONTINUATION_LEFT : AM_CONTINUATION_FAILED;
    if (branch->report.end == AM_CONTINUATION_FAILED)
        snprintf(branch->report.sentence, sizeof branch->report.sentence, "%.250s", end->why);
    for (size_t i = branch->first; i < r->count; i++)
        branch->report.worst_residual = fmax(branch->report.worst_residual, r->point[i].residual);
}

static am_status follow_way(recorder *c, double from, double to, am_error *err) {
    am_response *r = c->r;
    am_follow_options options = am_follow_options_default();
    const am_follow_watch watch = {record_orbit, record_bifurcation, c};
    am_follow_end end = {0};
    options.number = r->options->number;
    options.from = from;
    options.to = to;
    options.step = r->options->largest_step;
    options.through_folds = true;
    AM_TRY(new_branch(r, err));
    am_status status = am_follow_branch(&r->line, &options, &watch, r->progress, &end, err);
    end_branch(r, &end, to);
    return status;
}

/* Orbits at the values that are to be hit, between two orbits of a branch. */
static am_status add_value(am_response *r, const am_response_branch *branch, double value, am_error *err) {
    for (size_t i = branch->first; i + 1 < branch->first + branch->count; i++) {
        double a = r->point[i].p, b = r->point[i + 1].p;
        if (a == b || !((value - a) * (value - b) <= 0.0) || (value == b && i + 2 < branch->first + branch->count))
            continue;
        am_response_point point;
        AM_TRY(am_response_orbit_between(r, i, i + 1, (value - a) / (b - a), &point, err));
        point.kind = "value";
        point.p = value;
        AM_TRY(am_response_add(r, &point, r->trial, err));
    }
    return AM_OK;
}

static am_status add_specials(recorder *c, am_error *err) {
    am_response *r = c->r;
    for (size_t i = 0; i < r->n * r->S; i++)
        r->trial[i] = NAN;
    for (size_t i = 0; i < c->specials; i++)
        AM_TRY(am_response_add(r, &c->special[i], r->trial, err));
    for (size_t b = 0; b < r->branches; b++)
        for (size_t v = 0; v < r->options->value_count; v++)
            AM_TRY(add_value(r, &r->branch[b], r->options->values[v], err));
    return AM_OK;
}

/* What belongs to the balance, and has no meaning for orbits: the field, and what to do instead. NULL: nothing. */
static const char *asks_for(const am_response_options *o, const char **instead) {
    const struct {
        bool asked;
        const char *field, *instead;
    } unknown[] = {
        {o->isolas.count > 0, "isolas", "`attractors` finds motions that coexist"},
        {o->fold_curves.number != SIZE_MAX, "folds", "a sweep over the second number has its folds"},
        {o->control_count > 0, "control",
         "control keeps harmonics of a balance: give the slider a tangential_stiffness, or a compliant layer"},
        {o->bifurcation_curves.number != SIZE_MAX, "bifurcations",
         "`follow` lists them, and a sweep over the second number has their curve"},
        {o->branches, "branches", "`attractors` finds motions that coexist"},
        {o->omega > 0.0, "frequency", "orbits of several periods of the loads are found where they attract"},
        {o->site_count > 0, "start", "the branch begins with the motion that is reached from rest"},
        {o->stability == AM_RESPONSE_STABILITY_HILL, "stability", "multipliers of orbits are exact (floquet)"},
        {o->parity == AM_PARITY_ODD, "parity", "orbits have all their harmonics"},
    };
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        if (unknown[i].asked) {
            *instead = unknown[i].instead;
            return unknown[i].field;
        }
    return NULL;
}

bool am_response_orbits_can(const am_response *r) {
    const char *instead;
    return !r->self_excited && !asks_for(r->options, &instead);
}

static am_status check(const am_response_options *o, am_error *err) {
    const char *instead, *field = asks_for(o, &instead);
    return field ? am_fail_field(err, AM_ERR_UNSUPPORTED, field,
                                 "velocities or friction of this structure jump by themselves (impacts, static "
                                 "friction without a spring behind the slider), or friction without stick stands "
                                 "behind a spring and ages or may open: its branch is made of exact orbits, without "
                                 "a balance; leave this out: %s",
                                 instead)
                 : AM_OK;
}

static am_status follow(recorder *c, am_error *err) {
    am_response *r = c->r;
    const am_response_options *o = r->options;
    double start = isfinite(o->at) ? o->at : o->from;
    if (start != o->to || start == o->from)
        AM_TRY(follow_way(c, start, o->to, err));
    return start != o->from ? follow_way(c, start, o->from, err) : AM_OK;
}

am_status am_response_orbits(am_response *r, am_error *err) {
    const am_response_options *o = r->options;
    const am_system *system;
    AM_TRY(check(o, err));
    AM_TRY(am_model_line_at(&r->line, isfinite(o->at) ? o->at : o->from, &system, err));
    AM_TRY(am_system_check(system, "response", err));
    r->exact = true;
    r->n = am_system_size(system);
    AM_TRY(am_response_set_harmonics(r, o->harmonics > 0 ? o->harmonics : o->most_harmonics, err));
    r->size = r->n * r->S;
    r->peak = SIZE_MAX;
    r->truncation = r->truncation_at = r->peak_truncation = NAN; /* nothing is left out */
    r->judged_by = "floquet";
    AM_ARENA_DOUBLES(&r->memory, r->size, err, &r->signals, &r->trial);
    r->largest = am_arena_doubles(&r->memory, NULL, r->n, err);
    AM_TRY(am_arena_status(&r->memory));
    recorder c = {.r = r};
    am_status status = follow(&c, err);
    if (!status)
        status = am_response_peaks(r, err);
    if (!status)
        status = add_specials(&c, err);
    am_memory_free(c.special);
    return status;
}

void am_response_forget_orbits(am_response *r) {
    for (size_t i = 0; i < r->orbits; i++)
        am_follow_clear(&r->orbit[i]);
    am_memory_free(r->orbit);
}
