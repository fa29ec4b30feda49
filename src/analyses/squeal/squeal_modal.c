#include "analyses/squeal/squeal_internal.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/squeal/eigenvalue_disc.h"
#include "analyses/squeal/full_problem.h"
#include "analyses/squeal/squeal_report.h"
#include "analyses/squeal/stability_loss.h"
#include "analyses/stability/mode_order.h"
#include "base/arena.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/worse.h"
#include "system/combination.h"
#include "system/observer.h"
#include "system/steady.h"
#include "system/system.h"

enum { CROSSINGS = 24, MOST_ROUNDS = 6 };

/* Real modes worse than this (residual over elastic forces) are not used. */
static const double mode_limit = 1e-3;

/* A crossing on the full problem that is further from where the modes put it, as a part of the range of friction or of
 * the frequency, is another one. */
static const double far = 0.2;

/* Below the lowest crossing, as a part of the range, nothing may grow. */
static const double just_below = 1e-6;

/* An unstable pair of the sweep. */
typedef struct pending {
    size_t mode, value; /* number of the mode; which value of mu */
    am_squeal_pair pair;
} pending;

typedef struct run {
    am_arena memory;
    const am_system *system;
    const am_squeal_options *options;
    am_squeal_full full;
    am_squeal_projected projected;
    am_squeal_workspace work;
    double complex *s;      /* projected.most */
    double complex *before; /* 2 x the same: for numbering */
    size_t *number;         /* the same */
    size_t known;
    am_table *sweep;
    pending *growing; /* unstable pairs of the sweep */
    size_t growing_count, growing_capacity;
    size_t confirmed, unconfirmed;
    double worst_residual, worst_change;
    bool from_stable;
    double last_mu;                           /* of the sweep */
    size_t last_growing;                      /* eigenvalues that grow there */
    am_threshold_kind at_start;               /* what grows from the start, where something does */
    am_squeal_threshold candidate[CROSSINGS]; /* where one more begins to, in the space of the modes */
    size_t candidates;
    am_squeal_crossing *crossing; /* and on the full problem, ascending */
    size_t crossings, crossing_capacity;
    double fails; /* from this friction on rigid contact fails, or contacts part: eigenvalues mean nothing */
    am_threshold_kind fails_as;
    double end;         /* of the range that is looked at: before that, or `to` */
    am_squeal_disc own; /* eigenvalues at the model's own friction */
    struct shape {
        double complex s, *v;
    } shape[AM_SQUEAL_SHAPES]; /* those shown, by mode; v NULL: none */
    double certified_omega;
    size_t certificate_factors;
    const am_progress *progress;
    am_result *result;
} run;

/* ---- confirming ---- */

static double relative_change(const am_squeal_pair *pair) {
    return cabs(pair->s - pair->projected) / cabs(pair->s);
}

static am_status confirm(run *r, double mu, double complex s, bool fresh, am_squeal_pair *pair, am_error *err) {
    return am_squeal_confirm(&r->full, &r->projected, &r->work, mu, s, fresh, pair, err);
}

static void take_stock(run *r, const am_squeal_pair *pair) {
    r->confirmed += pair->confirmed;
    r->unconfirmed += !pair->confirmed;
    if (!pair->confirmed)
        return;
    r->worst_residual = am_worse(r->worst_residual, pair->residual);
    r->worst_change = am_worse(r->worst_change, relative_change(pair));
}

/* ---- certificates ---- */

/* All eigenvalues at mu in a disc; more of them than could be found is an error: nothing can be said then. */
static am_status certify(run *r, double mu, am_squeal_disc *disc, am_error *err) {
    am_squeal_problem problem = {&r->full, &r->projected, &r->work, r->progress, 0.6};
    size_t before = r->full.factors;
    am_status status = am_squeal_disc_find(disc, &problem, mu, err);
    r->certificate_factors += r->full.factors - before;
    if (status)
        return status;
    r->certified_omega = fmin(r->certified_omega, disc->radius);
    if (disc->missing != 0) {
        status = am_fail(err, AM_ERR_EVIDENCE,
                         "at the friction %g the structure has %d eigenvalues more of size below %g than could be "
                         "found: ask for more modes",
                         mu, disc->missing, disc->radius);
        am_squeal_disc_clear(disc);
    }
    return status;
}

static bool grows(const run *r, double complex s) {
    return am_squeal_projected_grows(&r->projected, s);
}

/* ---- the model's own friction ---- */

/* The coordinate that moves most. */
static size_t largest_coordinate(const run *r) {
    size_t best = 0;
    for (size_t i = 1; i < r->full.n; i++)
        if (cabs(r->work.v[i]) > (1.0 + AM_SHAPE_TIE) * cabs(r->work.v[best]))
            best = i;
    return best;
}

typedef struct nominal_rows {
    am_table *table;
    size_t rows, unstable;
    double complex worst;
} nominal_rows;

/* The shape of an eigenvalue into work->v, on the full problem: from what the modes have of it, or from nothing where that
 * leads to another one. */
static am_status find_shape(run *r, const am_squeal_pair *pair, am_squeal_pair *found, am_error *err) {
    am_squeal_workspace *work = &r->work;
    double mu = r->full.reference;
    *found = (am_squeal_pair){0};
    if (!isnan(creal(pair->projected)))
        AM_TRY(am_squeal_confirm(&r->full, &r->projected, work, mu, pair->projected, true, found, err));
    if (found->confirmed && cabs(found->s - pair->s) <= 1e-3 * cabs(pair->s))
        return AM_OK;
    AM_TRY(am_squeal_inverse_iteration(&r->full, work, mu, pair->s, err));
    return am_squeal_refine(&r->full, work, mu, pair->s, false, found, err);
}

/* Nearer to one direction than to any across it: less than 45 degrees apart. */
static bool is_along(const double complex *a, const double complex *b, size_t n) {
    double complex both = 0.0;
    double aa = 0.0, bb = 0.0;
    for (size_t i = 0; i < n; i++) {
        both += conj(a[i]) * b[i];
        aa += creal(conj(a[i]) * a[i]);
        bb += creal(conj(b[i]) * b[i]);
    }
    return creal(conj(both) * both) > 0.5 * aa * bb;
}

/* Modes that come together have a plane of shapes, and each search ends at the same one: the second is taken across the
 * first, unless it is none (where friction has made both one mode). Eigenvalues this near leave their shapes no more than
 * half the digits, so a residual of as much is a solution. */
static am_status part_from_shown(run *r, size_t mode, double complex s, am_error *err) {
    static const double together = 1e-6, enough = 1e-6;
    double complex *own = r->shape[mode - 1].v;
    for (size_t k = 0; k < mode - 1; k++) {
        double left;
        if (!r->shape[k].v || !(cabs(r->shape[k].s - s) <= together * cabs(s)) ||
            !is_along(r->shape[k].v, own, r->full.n))
            continue;
        AM_TRY(am_squeal_second_vector(&r->full, &r->work, r->full.reference, s, r->shape[k].v, &left, err));
        if (left <= enough)
            memcpy(own, r->work.v, r->full.size * sizeof *own);
        else
            memcpy(r->work.v, own, r->full.size * sizeof *own);
        break;
    }
    return AM_OK;
}

/* Kept beside what is to be shown: later ones must differ. */
static am_status record_shape(run *r, size_t mode, double complex s, am_error *err) {
    struct shape *shape = &r->shape[mode - 1];
    shape->s = s;
    shape->v = am_arena_new(&r->work.memory, r->full.size, sizeof *shape->v, err);
    if (!shape->v)
        return AM_ERR_MEMORY;
    memcpy(shape->v, r->work.v, r->full.size * sizeof *shape->v);
    return part_from_shown(r, mode, s, err);
}

static am_status show_shape(run *r, size_t mode, const am_squeal_pair *pair, am_error *err) {
    size_t n = r->full.n;
    if (!am_observes_shapes(r->result) || mode > AM_SQUEAL_SHAPES)
        return AM_OK;
    AM_LOCAL_MEMORY double *parts = am_memory_new(2 * n, sizeof *parts, err);
    am_squeal_pair found;
    AM_TRY(parts ? find_shape(r, pair, &found, err) : AM_ERR_MEMORY);
    AM_TRY(record_shape(r, mode, found.s, err));
    for (size_t i = 0; i < n; i++) {
        parts[i] = creal(r->work.v[i]);
        parts[n + i] = cimag(r->work.v[i]);
    }
    const am_vibration shape = {mode, creal(found.s), cimag(found.s), NAN, n, parts, parts + n};
    return am_observe_shape(r->result, &shape, err);
}

static am_status squeal_row(run *r, nominal_rows *to, const am_squeal_pair *pair, am_error *err) {
    const am_squeal_row row = {.mode = ++to->rows,
                               .s = pair->s,
                               .projected = pair->projected,
                               .grows = grows(r, pair->s),
                               .residual = pair->residual,
                               .coordinate = grows(r, pair->s) ? am_system_name(r->system, pair->largest) : NULL};
    to->unstable += row.grows;
    to->worst = creal(pair->s) > creal(to->worst) ? pair->s : to->worst;
    am_squeal_add_row(to->table, AM_SQUEAL_SQUEAL, &row);
    return show_shape(r, row.mode, pair, err);
}

/* The eigenvalue of the disc that began as s in the space of the modes. */
static const am_squeal_pair *find_pair(const am_squeal_disc *disc, double complex s) {
    for (size_t i = 0; i < disc->count; i++)
        if (disc->pair[i].projected == s)
            return &disc->pair[i];
    return NULL;
}

/* An eigenvalue of the modes outside of the disc: on the full problem where it grows. */
static am_status beyond(run *r, double complex s, am_squeal_pair *pair, am_error *err) {
    *pair = (am_squeal_pair){.projected = s, .s = s, .residual = NAN};
    AM_TRY(grows(r, s) ? confirm(r, r->full.reference, s, true, pair, err) : AM_OK);
    if (grows(r, s)) {
        take_stock(r, pair);
        pair->s = pair->confirmed ? pair->s : s;
        pair->largest = largest_coordinate(r);
    }
    return AM_OK;
}

/* The modes in their order, then what they do not have. */
static am_status nominal(run *r, am_error *err) {
    nominal_rows to = {.table = am_squeal_add_table(r->result, AM_SQUEAL_SQUEAL), .worst = -INFINITY};
    size_t count = 0;
    if (r->full.reference >= r->fails || !am_squeal_friction_holds(&r->full, r->full.reference)) {
        am_squeal_report_nominal(r->result, r->full.reference, 0, false, NAN, NAN);
        return AM_OK;
    }
    if (r->options->certify)
        AM_TRY(certify(r, r->full.reference, &r->own, err));
    AM_TRY(am_squeal_projected_eigenvalues(&r->projected, r->full.reference, r->s, &count, err));
    for (size_t i = 0; i < count; i++) {
        am_squeal_pair pair;
        const am_squeal_pair *known = find_pair(&r->own, r->s[i]);
        bool counted = am_squeal_disc_is_in_cluster(&r->own, r->s[i]);
        if (!known && !counted && cabs(r->s[i]) < r->own.radius) /* became another one's double, or went outside */
            continue;
        if (known && grows(r, known->s))
            take_stock(r, known);
        if (!known)
            AM_TRY(beyond(r, r->s[i], &pair, err));
        AM_TRY(squeal_row(r, &to, known ? known : &pair, err));
    }
    for (size_t i = 0; i < r->own.count; i++)
        if (isnan(creal(r->own.pair[i].projected)))
            AM_TRY(squeal_row(r, &to, &r->own.pair[i], err));
    am_squeal_report_nominal(r->result, r->full.reference, to.unstable, to.unstable == 0, creal(to.worst),
                             cimag(to.worst));
    return AM_OK;
}

static void modes_table(run *r) {
    am_table *table = am_squeal_add_table(r->result, AM_SQUEAL_MODES);
    for (size_t i = 0; i < r->projected.p; i++)
        am_squeal_add_mode(table, i + 1, sqrt(fmax(r->projected.omega2[i], 0.0)));
}

/* ---- steady sliding itself ---- */

static void report_contacts(const run *r, bool known, bool loaded) {
    am_table *table = am_squeal_add_table(r->result, AM_SQUEAL_CONTACTS);
    double least = INFINITY;
    for (size_t k = 0; k < r->full.m; k++) {
        size_t c = r->full.contact[k];
        double force = known ? creal(r->work.v[r->full.n + k]) : NAN;
        least = fmin(least, force);
        am_squeal_add_contact(table, r->system, c, r->full.state[c], force);
    }
    am_squeal_report_closed(r->result, known && loaded && r->full.m > 0 ? least : NAN);
}

/* P(0, mu) v = (F, gaps). The spectrum does not depend on it, but whether the contacts are pressed together does. */
static am_status steady(run *r, am_error *err) {
    double complex *v = r->work.v;
    bool singular = true, loaded = false;
    memset(v, 0, r->full.size * sizeof *v);
    bool known = am_squeal_full_loads(&r->full, r->full.reference, v);
    for (size_t i = 0; i < r->full.size; i++)
        loaded = loaded || v[i] != 0.0;
    AM_TRY(known ? am_squeal_full_factor(&r->full, 0.0, r->full.reference, &singular, err) : AM_OK);
    known = known && !singular;
    if (known)
        AM_TRY(am_squeal_full_solve(&r->full, v, 1, err));
    r->full.factored = false; /* of no use to eigenpairs */
    report_contacts(r, known, loaded);
    return AM_OK;
}

/* ---- all values of friction ---- */

static am_status sweep_row(run *r, size_t value, double mu, size_t i, bool grows, am_error *err) {
    double complex s = r->s[i];
    const am_squeal_row row = {.mu = mu, .mode = r->number[i], .s = s, .grows = grows};
    am_squeal_add_row(r->sweep, AM_SQUEAL_SWEEP, &row);
    if (!grows || !r->options->confirm)
        return AM_OK;
    AM_TRY(am_memory_reserve(&r->growing, &r->growing_capacity, r->growing_count + 1, err));
    r->growing[r->growing_count++] = (pending){r->number[i], value, {.mu = mu, .projected = s, .s = s}};
    return AM_OK;
}

static am_status sweep_value(run *r, size_t value, double mu, am_error *err) {
    am_squeal_source source = am_squeal_projected_source(&r->projected);
    size_t count = 0, growing = 0;
    AM_TRY(am_squeal_projected_eigenvalues(&r->projected, mu, r->s, &count, err));
    am_squeal_follow(r->s, count, r->projected.most, r->before, &r->known, r->number);
    for (size_t i = 0; i < count; i++) {
        bool grows = am_squeal_projected_grows(&r->projected, r->s[i]);
        growing += grows;
        AM_TRY(sweep_row(r, value, mu, i, grows, err));
    }
    if (value == 0) {
        double complex worst = 0.0;
        am_squeal_growth(r->s, count, 1, &worst);
        r->from_stable = growing == 0;
        r->at_start = cimag(worst) == 0.0 ? AM_THRESHOLD_DIVERGENCE : AM_THRESHOLD_FLUTTER;
    }
    for (size_t rank = r->last_growing + 1; rank <= growing && value > 0; rank++)
        if (r->candidates < CROSSINGS)
            AM_TRY(am_squeal_locate(&source, r->last_mu, mu, rank, r->s, &r->candidate[r->candidates++], err));
    r->last_mu = mu;
    r->last_growing = growing;
    return AM_OK;
}

static am_status sweep(run *r, am_error *err) {
    const am_squeal_options *o = r->options;
    r->sweep = am_squeal_add_table(r->result, AM_SQUEAL_SWEEP);
    if (r->fails <= o->from) { /* from the start */
        r->at_start = r->fails_as;
        return AM_OK;
    }
    r->last_mu = -INFINITY;
    for (size_t i = 0; i < o->count; i++) {
        double mu = o->from + (o->to - o->from) * (double)i / (double)(o->count - 1);
        if (mu > r->end && r->last_mu >= r->end)
            break;
        AM_TRY(sweep_value(r, i, fmin(mu, r->end), err));
        if (!am_progress_report(r->progress, 0.5 + 0.1 * (double)(i + 1) / (double)o->count))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    return AM_OK;
}

/* ---- every unstable pair on the full problem ---- */

/* Mode by mode along mu: neighbours share factors. */
static int by_mode(const void *left, const void *right) {
    const pending *a = left, *b = right;
    if (a->mode != b->mode)
        return a->mode < b->mode ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static int by_value(const void *left, const void *right) {
    const pending *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->mode > b->mode) - (a->mode < b->mode);
}

/* Two pairs of the modes may not become one: the one that moved further is tried again from factors of its own, and
 * is not confirmed when that does not help. */
static am_status separate(run *r, pending *a, pending *b, am_error *err) {
    if (!a->pair.confirmed || !b->pair.confirmed || cabs(a->pair.s - b->pair.s) > 1e-6 * cabs(a->pair.s))
        return AM_OK;
    am_squeal_pair *moved = relative_change(&a->pair) > relative_change(&b->pair) ? &a->pair : &b->pair;
    AM_TRY(confirm(r, moved->mu, moved->projected, true, moved, err));
    if (cabs(a->pair.s - b->pair.s) <= 1e-6 * cabs(a->pair.s))
        moved->confirmed = false;
    return AM_OK;
}

static void unstable_table(run *r) {
    am_table *table = am_squeal_add_table(r->result, AM_SQUEAL_UNSTABLE);
    for (size_t i = 0; i < r->growing_count; i++) {
        const am_squeal_pair *pair = &r->growing[i].pair;
        take_stock(r, pair);
        const am_squeal_row row = {.mu = pair->mu,
                                   .mode = r->growing[i].mode,
                                   .s = pair->s,
                                   .projected = pair->projected,
                                   .confirmed = pair->confirmed,
                                   .residual = pair->residual};
        am_squeal_add_row(table, AM_SQUEAL_UNSTABLE, &row);
    }
}

static am_status confirm_all(run *r, am_error *err) {
    size_t count = r->growing_count;
    if (count > 0)
        qsort(r->growing, count, sizeof *r->growing, by_mode);
    for (size_t i = 0; i < count; i++) {
        am_squeal_pair *pair = &r->growing[i].pair;
        AM_TRY(confirm(r, pair->mu, pair->projected, false, pair, err));
        if (!am_progress_report(r->progress, 0.6 + 0.4 * (double)i / (double)count))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    if (count > 0)
        qsort(r->growing, count, sizeof *r->growing, by_value);
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count && r->growing[j].value == r->growing[i].value; j++)
            AM_TRY(separate(r, &r->growing[i], &r->growing[j], err));
    unstable_table(r);
    return AM_OK;
}

/* ---- the critical friction ---- */

/* Newton's method on the full problem may end far from where the modes put a crossing: then it is another one, and the
 * candidate is dropped. So is one outside the range. */
static bool belongs(const run *r, const am_squeal_threshold *candidate, const am_squeal_pair *pair) {
    double range = r->options->to - r->options->from, omega = cimag(candidate->s);
    return pair->confirmed && pair->mu >= r->options->from && pair->mu <= r->end &&
           fabs(pair->mu - candidate->mu) <= far * range && fabs(cimag(pair->s) - omega) <= far * omega;
}

/* `projected_mu` NaN: the modes do not have it. */
static am_squeal_crossing crossing_of(am_threshold_kind kind, const am_squeal_pair *pair, double projected_mu,
                                      double projected_omega) {
    return (am_squeal_crossing){.kind = kind,
                                .mu = pair->mu,
                                .omega = kind == AM_THRESHOLD_DIVERGENCE ? 0.0 : cimag(pair->s),
                                .projected_mu = projected_mu,
                                .projected_omega = projected_omega,
                                .residual = pair->residual,
                                .confirmed = true};
}

static am_status record_crossing(run *r, am_squeal_crossing crossing, am_error *err) {
    for (size_t i = 0; i < r->crossings; i++) /* two candidates may be one */
        if (fabs(r->crossing[i].mu - crossing.mu) <= 1e-9 &&
            fabs(r->crossing[i].omega - crossing.omega) <= 1e-6 * crossing.omega)
            return AM_OK;
    AM_TRY(am_memory_reserve(&r->crossing, &r->crossing_capacity, r->crossings + 1, err));
    r->crossing[r->crossings++] = crossing;
    return AM_OK;
}

static am_status confirm_crossings(run *r, am_error *err) {
    for (size_t i = 0; i < r->candidates; i++) {
        const am_squeal_threshold *t = &r->candidate[i];
        am_squeal_pair pair;
        AM_TRY(am_squeal_confirm_crossing(&r->full, &r->projected, &r->work, t->kind, t->mu, t->s, &pair, err));
        if (belongs(r, t, &pair))
            AM_TRY(record_crossing(r, crossing_of(t->kind, &pair, t->mu, cimag(t->s)), err));
    }
    return AM_OK;
}

/* ---- what the modes do not show ---- */

/* An eigenvalue that grows at mu where none should, followed to smaller friction: to where it begins to, or to the
 * start of the range. */
typedef struct trail {
    double mu;
    am_squeal_pair pair; /* there; its vector is in the workspace */
} trail;

static am_status step_to(run *r, trail *t, double mu, bool *came, am_error *err) {
    am_squeal_pair pair;
    AM_TRY(am_squeal_refine(&r->full, &r->work, mu, t->pair.s, false, &pair, err));
    *came = pair.confirmed && cabs(pair.s - t->pair.s) <= far * cabs(t->pair.s);
    if (*came)
        *t = (trail){mu, pair};
    return AM_OK;
}

/* Newton's method for the place where the eigenvalue last seen is on the axis; *kept: it lies where it must. */
static am_status cross(run *r, const trail *last, double calm, double growing, bool *kept, am_error *err) {
    double complex s = last->pair.s;
    am_threshold_kind kind = fabs(cimag(s)) <= 1e-6 * cabs(s) ? AM_THRESHOLD_DIVERGENCE : AM_THRESHOLD_FLUTTER;
    am_squeal_pair pair;
    AM_TRY(am_squeal_refine_crossing(&r->full, &r->projected, &r->work, kind, last->mu, s, &pair, err));
    *kept = pair.confirmed && pair.mu >= calm && pair.mu <= growing && fabs(cimag(pair.s) - cimag(s)) <= far * cabs(s);
    return *kept ? record_crossing(r, crossing_of(kind, &pair, NAN, NAN), err) : AM_OK;
}

/* Between a friction at which the eigenvalue does not grow and one at which it does: halved, until Newton's method
 * finds the place (with damping), or to rounding (without it growth begins like a root, where two eigenvalues meet). */
static am_status narrow(run *r, trail growing, double calm, am_error *err) {
    bool kept = false;
    for (int step = 0; step < 60 && growing.mu - calm > 1e-10 * growing.mu; step++) {
        double middle = 0.5 * (growing.mu + calm);
        trail t = growing;
        bool came = false;
        AM_TRY(am_squeal_inverse_iteration(&r->full, &r->work, growing.mu, growing.pair.s, err));
        AM_TRY(step_to(r, &t, middle, &came, err));
        if (came && r->projected.damped)
            AM_TRY(cross(r, &t, calm, growing.mu, &kept, err));
        if (kept)
            return AM_OK;
        if (came && grows(r, t.pair.s))
            growing = t;
        else
            calm = middle;
    }
    am_threshold_kind kind = cimag(growing.pair.s) == 0.0 ? AM_THRESHOLD_DIVERGENCE
                             : r->projected.damped        ? AM_THRESHOLD_FLUTTER
                                                          : AM_THRESHOLD_COALESCENCE;
    return record_crossing(r, crossing_of(kind, &growing.pair, NAN, NAN), err);
}

static am_status trace(run *r, const am_squeal_disc *disc, const am_squeal_pair *pair, am_error *err) {
    double from = r->options->from, stride = (disc->mu - from) / 16.0, least = 1e-7 * (r->options->to - from);
    trail t = {disc->mu, *pair};
    while (t.mu > from) {
        double next = fmax(t.mu - stride, from);
        trail growing = t;
        bool came = false;
        AM_TRY(am_squeal_inverse_iteration(&r->full, &r->work, t.mu, t.pair.s, err));
        AM_TRY(step_to(r, &t, next, &came, err));
        if (came && !grows(r, t.pair.s))
            return narrow(r, growing, next, err);
        stride *= came ? 1.2 : 0.5;
        if (stride < least) /* the pair meets another one here */
            return narrow(r, growing, next, err);
    }
    if (r->from_stable) {
        r->from_stable = false;
        r->at_start = cimag(t.pair.s) == 0.0 ? AM_THRESHOLD_DIVERGENCE : AM_THRESHOLD_FLUTTER;
    }
    return AM_OK;
}

/* Everything in a disc that grows though it should not yet. */
static am_status trace_all(run *r, const am_squeal_disc *disc, bool *any, am_error *err) {
    for (size_t i = 0; i < disc->count; i++)
        if (grows(r, disc->pair[i].s)) {
            *any = true;
            AM_TRY(trace(r, disc, &disc->pair[i], err));
        }
    return AM_OK;
}

static double lowest_crossing(const run *r) {
    double lowest = INFINITY;
    for (size_t i = 0; i < r->crossings; i++)
        lowest = fmin(lowest, r->crossing[i].mu);
    return lowest;
}

/* Nothing grows just below the lowest crossing (or at the end of the range), nor at the model's own friction if it lies
 * below: what does is followed down to where it begins, which is the lowest crossing then. */
static am_status certify_range(run *r, am_error *err) {
    const am_squeal_options *o = r->options;
    am_status status = AM_OK;
    bool any = false;
    if (r->own.mu >= o->from && r->own.mu <= r->end && r->own.mu < lowest_crossing(r))
        status = trace_all(r, &r->own, &any, err);
    for (int round = 0; round < MOST_ROUNDS && !status && r->from_stable; round++) {
        am_squeal_disc disc;
        double lowest = lowest_crossing(r), mu = isinf(lowest) ? r->end : lowest - just_below * (o->to - o->from);
        if (mu <= o->from)
            return AM_OK;
        any = false;
        status = certify(r, mu, &disc, err);
        if (status)
            break;
        status = trace_all(r, &disc, &any, err);
        am_squeal_disc_clear(&disc);
        if (!any)
            return status;
    }
    if (!status && r->from_stable)
        status =
            am_fail(err, AM_ERR_EVIDENCE,
                    "below every friction at which something begins to grow, something grows already: ask for more "
                    "modes");
    return status;
}

static am_status critical(run *r, am_error *err) {
    AM_TRY(confirm_crossings(r, err));
    if (r->options->certify)
        AM_TRY(certify_range(r, err));
    if (r->fails > r->options->from && r->fails <= r->options->to)
        AM_TRY(record_crossing(r,
                               (am_squeal_crossing){.kind = r->fails_as,
                                                    .mu = r->fails,
                                                    .omega = NAN,
                                                    .projected_mu = NAN,
                                                    .projected_omega = NAN,
                                                    .residual = NAN,
                                                    .confirmed = true},
                               err));
    am_squeal_report_crossings(r->result, r->crossing, r->crossings, r->from_stable ? NULL : &r->at_start);
    return AM_OK;
}

/* ---- all of it ---- */

static void evidence(const run *r) {
    const am_squeal_projected *q = &r->projected;
    const am_squeal_evidence e = {.method = "modes",
                                  .modes = q->p,
                                  .modes_asked = r->options->modes,
                                  .degrees_of_freedom = q->n,
                                  .contact_rows = q->m,
                                  .highest_omega = sqrt(fmax(q->omega2[q->p - 1], 0.0)),
                                  .mode_residual = q->mode_residual,
                                  .orthogonality = q->orthogonality,
                                  .interpolation_error = q->interpolation_error,
                                  .confirmed = r->confirmed,
                                  .unconfirmed = r->unconfirmed,
                                  .eigen_residual = r->confirmed > 0 ? r->worst_residual : NAN,
                                  .largest_change = r->confirmed > 0 ? r->worst_change : NAN,
                                  .certified = r->options->certify,
                                  .certified_omega = r->options->certify ? r->certified_omega : NAN,
                                  .certificate_factors = r->certificate_factors,
                                  .uncertified_why = r->options->certify ? NULL : "it was not asked for"};
    am_squeal_report_evidence(r->result, &e);
}

/* The first of the values of friction at which a contact whose friction has a law is not pressed, halved. */
static double find_lift_off(run *r) {
    const am_squeal_options *o = r->options;
    double low = o->from, high = am_squeal_friction_holds(&r->full, low) ? INFINITY : low;
    for (size_t i = 1; i < o->count && isinf(high); i++) {
        double mu = o->from + (o->to - o->from) * (double)i / (double)(o->count - 1);
        if (am_squeal_friction_holds(&r->full, mu))
            low = mu;
        else
            high = mu;
    }
    for (int half = 0; half < 60 && isfinite(high) && low < high; half++) {
        double middle = 0.5 * (low + high);
        *(am_squeal_friction_holds(&r->full, middle) ? &low : &high) = middle;
    }
    return high;
}

static am_status find_end(run *r, am_error *err) {
    const am_squeal_options *o = r->options;
    r->fails_as = AM_THRESHOLD_PAINLEVE;
    AM_TRY(am_squeal_painleve(&r->full, fmax(o->to, r->full.reference), &r->fails, err));
    double parts = r->full.laws ? find_lift_off(r) : INFINITY;
    if (parts < r->fails) {
        r->fails = parts;
        r->fails_as = AM_THRESHOLD_LIFT_OFF;
    }
    r->end = r->fails <= o->to ? r->fails - just_below * (o->to - o->from) : o->to;
    return AM_OK;
}

static am_status prepare(run *r, am_error *err) {
    AM_TRY(am_squeal_full_init(&r->full, r->system, r->options->state, err));
    AM_TRY(find_end(r, err));
    double from = fmin(r->options->from, r->full.reference), to = r->end;
    if (r->full.reference < r->fails)
        to = fmax(to, r->full.reference);
    AM_TRY(am_squeal_projected_init(&r->projected, &r->full, r->options->modes, from, to, r->progress, err));
    if (!(r->projected.mode_residual < mode_limit))
        return am_fail(err, AM_ERR_EVIDENCE, "the real modes leave a residual of %g of their elastic forces",
                       r->projected.mode_residual);
    AM_TRY(am_squeal_workspace_init(&r->work, &r->full, r->projected.p, err));
    size_t most = r->projected.most;
    r->s = am_arena_new(&r->memory, most, sizeof *r->s, err);
    r->before = am_arena_new(&r->memory, 2 * most, sizeof *r->before, err);
    r->number = am_arena_new(&r->memory, most, sizeof *r->number, err);
    return am_arena_status(&r->memory);
}

static am_status answer(run *r, am_error *err) {
    AM_TRY(prepare(r, err));
    modes_table(r);
    AM_TRY(steady(r, err));
    AM_TRY(nominal(r, err));
    AM_TRY(sweep(r, err));
    AM_TRY(confirm_all(r, err));
    AM_TRY(critical(r, err));
    evidence(r);
    return AM_OK;
}

am_status am_squeal_modal_run(const am_system *system, const am_squeal_options *options, am_result *result,
                              const am_progress *progress, am_error *err) {
    am_steady_sliding steady;
    AM_TRY(am_steady_sliding_init(&steady, system, options->state, NULL, err));
    run r = {.system = steady.system,
             .options = options,
             .certified_omega = INFINITY,
             .result = result,
             .progress = progress};
    am_status status = answer(&r, err);
    am_memory_free(r.growing);
    am_memory_free(r.crossing);
    am_squeal_disc_clear(&r.own);
    am_arena_clear(&r.memory);
    am_arena_clear(&r.work.memory);
    am_squeal_projected_clear(&r.projected);
    am_squeal_full_clear(&r.full);
    am_steady_sliding_clear(&steady);
    return status;
}
