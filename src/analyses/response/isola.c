/* Further branches of forced motions. At some values of the parameter all motions that can be had are collected: those
 * of the branches known, those next to exact orbits from many starts in time, and those to which Newton's method leads
 * from random guesses. What lies on no branch is followed both ways: an isola closes by itself. */
#include <math.h>
#include <string.h>

#include "amontons/orbit.h"
#include "analyses/response/further_branches.h"
#include "base/local.h"
#include "base/random.h"
#include "base/whole.h"
#include "math/pi.h"
#include "math/trigonometric.h"

/* Two motions at one value of the parameter are the same when they differ by less than this part of their size. */
static const double same_motion = 1e-5;

/* A motion of the balance this near to an orbit is that orbit with few harmonics; an orbit whose even harmonics are
 * this large is not balanced by odd ones. */
static const double same_orbit = 0.3;

enum { MOST_RESONANCES = 8 };

typedef struct quest {
    am_arena memory;
    am_response *r;
    am_search_value *value;
    double p;
    double *scale;    /* n: largest displacement on the branches known */
    double *signals;  /* n S: of the candidate */
    double *guess;    /* n S */
    double *x;        /* size */
    size_t rounds;    /* periods of the loads in one of the balance */
    double *solution; /* solutions x n S: motions met at p */
    size_t solutions, solution_capacity;
} quest;

/* ---- comparing ---- */

static double size_of(const double *signals, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += signals[i] * signals[i];
    return sqrt(sum);
}

static double distance_of(const double *a, const double *b, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Of a and of b a part of a period later. */
static double shifted_distance(const am_response *r, const double *a, const double *b, double angle) {
    double sum = 0.0;
    for (size_t i = 0; i < r->n; i++) {
        const double *one = a + i * r->S, *other = b + i * r->S;
        sum += (one[0] - other[0]) * (one[0] - other[0]);
        for (size_t h = 1; h <= r->H; h++) {
            double c = cos((double)h * angle), s = sin((double)h * angle);
            double even = one[2 * h - 1] - (c * other[2 * h - 1] + s * other[2 * h]);
            double odd = one[2 * h] - (c * other[2 * h] - s * other[2 * h - 1]);
            sum += even * even + odd * odd;
        }
    }
    return sqrt(sum);
}

/* A subharmonic motion is the same when it comes some periods of the loads later. */
static bool met_before(const quest *q, const double *signals) {
    size_t count = q->r->n * q->r->S;
    double size = size_of(signals, count);
    for (size_t i = 0; i < q->solutions; i++) {
        const double *other = q->solution + i * count;
        double allowed = same_motion * fmax(size, size_of(other, count));
        for (size_t k = 0; k < q->rounds; k++)
            if (shifted_distance(q->r, signals, other, two_pi * (double)k / (double)q->rounds) <= allowed)
                return true;
    }
    return false;
}

/* How many periods of the loads the period of the balance has. */
static am_status count_rounds(quest *q, am_error *err) {
    const am_system *system;
    AM_TRY(am_model_line_at(&q->r->line, q->p, &system, err));
    double loads = am_orbit_load_period(system), omega = q->r->options->omega;
    q->rounds = omega > 0.0 && loads > 0.0 ? am_whole(fmax(1.0, round(two_pi / omega / loads))) : 1;
    return AM_OK;
}

static am_status remember(quest *q, const double *signals, am_error *err) {
    size_t count = q->r->n * q->r->S;
    AM_TRY(am_memory_reserve_items(&q->solution, &q->solution_capacity, q->solutions + 1, count * sizeof *q->solution,
                                   err));
    memcpy(q->solution + q->solutions++ * count, signals, count * sizeof *signals);
    return AM_OK;
}

/* ---- motions of branches at one value ---- */

/* Points whose place is another's: where the parameter did not move. */
static bool crosses(const am_response *r, size_t i, double p) {
    double a = r->point[i].p - p, b = r->point[i + 1].p - p;
    return a != b && ((a <= 0.0 && b >= 0.0) || (a >= 0.0 && b <= 0.0));
}

/* The motions of the branch at q->p, those not met before, by interpolation and Newton's method. */
static am_status collect(quest *q, const am_response_branch *branch, am_error *err) {
    am_response *r = q->r;
    for (size_t i = branch->first; i + 1 < branch->first + branch->count; i++) {
        am_response_point point;
        am_error own = {0};
        double share = (q->p - r->point[i].p) / (r->point[i + 1].p - r->point[i].p);
        if (!crosses(r, i, q->p))
            continue;
        am_status solved = am_response_between(r, i, i + 1, share, &point, &own);
        if (am_status_is_fatal(solved))
            return am_fail(err, solved, "%s", own.message);
        if (solved)
            continue;
        AM_TRY(am_balance_unpack(r->balance, r->trial, q->p, q->signals, err));
        if (!met_before(q, q->signals))
            AM_TRY(remember(q, q->signals, err));
    }
    return AM_OK;
}

static am_status collect_all(quest *q, size_t branches, am_error *err) {
    for (size_t b = 0; b < branches; b++)
        AM_TRY(collect(q, &q->r->branch[b], err));
    return AM_OK;
}

static am_status open_quest(quest *q, am_response *r, am_error *err) {
    size_t count = r->n * r->S;
    *q = (quest){.r = r};
    AM_ARENA_DOUBLES(&q->memory, count, err, &q->signals, &q->guess);
    q->scale = am_arena_doubles(&q->memory, NULL, r->n, err);
    q->x = am_arena_doubles(&q->memory, NULL, r->size, err);
    return am_arena_status(&q->memory);
}

static void close_quest(quest *q) {
    am_memory_free(q->solution);
    am_arena_clear(&q->memory);
}

/* ---- a new branch ---- */

/* Next to folds the interpolation of a branch may miss a motion of its own. So a branch that was followed from what
 * seemed new is compared with the older ones at several of its points: most of them known makes it one of those. */
static am_status compare_branch(quest *q, size_t index, bool *repetition, am_error *err) {
    enum { PROBES = 7 };
    am_response *r = q->r;
    const am_response_branch branch = r->branch[index];
    size_t known = 0, tried = 0;
    for (size_t k = 0; k < PROBES && branch.count > 0; k++) {
        size_t i = branch.first + (2 * k + 1) * branch.count / (2 * PROBES);
        if (i >= branch.first + branch.count)
            continue;
        q->p = r->point[i].p;
        q->solutions = 0;
        AM_TRY(count_rounds(q, err));
        AM_TRY(collect_all(q, index, err));
        AM_TRY(am_balance_unpack(r->balance, r->x + i * r->size, q->p, q->guess, err));
        tried++;
        known += met_before(q, q->guess);
    }
    *repetition = 2 * known > tried;
    return AM_OK;
}

static am_status is_repetition(am_response *r, size_t index, bool *repetition, am_error *err) {
    AM_LOCAL(close_quest) quest q = {0};
    AM_TRY(open_quest(&q, r, err));
    return compare_branch(&q, index, repetition, err);
}

am_status am_response_adopt(am_response *r, double p, const double *x, bool *kept, am_error *err) {
    size_t index = r->branches;
    bool repetition = false;
    am_status status = am_response_follow_new(r, p, x, err);
    *kept = false;
    if (am_status_is_fatal(status))
        return status;
    if (status || r->branches == index) { /* a motion that cannot be followed at all */
        if (err)
            *err = (am_error){0};
        return AM_OK;
    }
    status = is_repetition(r, index, &repetition, err);
    if (repetition) {
        r->count = r->branch[index].first;
        r->branches = index;
    }
    *kept = !repetition;
    return status;
}

/* ---- one candidate ---- */

/* Newton's method from the guess in q->x; the motion is followed when it is new. */
static am_status consider(quest *q, bool *solved, am_error *err) {
    am_response *r = q->r;
    am_error own = {0};
    double residual;
    bool kept = false;
    q->value->guesses++;
    am_status status = am_continuation_solve(r->curve, &r->problem, q->p, r->follow.tolerance, q->x, &residual, &own);
    *solved = status == AM_OK;
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (status)
        return AM_OK;
    q->value->converged++;
    status = am_balance_unpack(r->balance, q->x, q->p, q->signals, err);
    if (status || met_before(q, q->signals))
        return status;
    status = remember(q, q->signals, err);
    q->value->found++;
    if (status || r->branches >= r->options->most_branches)
        return status;
    size_t index = r->branches, before;
    status = am_response_adopt(r, q->p, q->x, &kept, err);
    if (!status && !kept)
        q->value->found--, q->value->known++;
    before = q->solutions;
    if (!status && kept)
        status = collect(q, &r->branch[index], err);
    q->value->found += q->solutions - before; /* the other motions of the same branch */
    return status;
}

/* ---- guesses ---- */

/* Orbits whose period does not fit, or whose harmonics the balance leaves out, are counted and not balanced. */
static am_status try_orbit(quest *q, const am_harvest_orbit *orbit, double omega, am_error *err) {
    am_response *r = q->r;
    size_t count = r->n * r->S;
    bool solved = false;
    if (!am_response_harvest_signals(r, orbit, omega, q->guess)) {
        q->value->subharmonic++;
        return AM_OK;
    }
    AM_TRY(am_balance_pack(r->balance, q->guess, omega, q->p, q->x, err));
    AM_TRY(consider(q, &solved, err));
    if (solved)
        AM_TRY(am_balance_unpack(r->balance, q->x, q->p, q->signals, err));
    if (!solved || distance_of(q->signals, q->guess, count) > same_orbit * size_of(q->guess, count))
        q->value->unmatched++;
    return AM_OK;
}

static am_status try_orbits(quest *q, size_t index, double omega, am_error *err) {
    am_response_search *s = q->r->search;
    q->value->orbits = q->value->subharmonic = q->value->unmatched = 0;
    for (size_t i = 0; i < s->orbits; i++)
        if (s->orbit[i].value == index) {
            q->value->orbits++;
            AM_TRY(try_orbit(q, &s->orbit[i], omega, err));
        }
    return AM_OK;
}

/* First harmonics of any size and phase in every coordinate, added to the guess. */
static void add_first_harmonics(quest *q, size_t guess) {
    const am_response_isolas *o = &q->r->options->isolas;
    for (size_t i = 0; i < q->r->n; i++) {
        double size = o->within * q->scale[i] * am_random_sobol(o->seed + 1, guess, 2 + 2 * i);
        double phase = two_pi * am_random_sobol(o->seed + 1, guess, 3 + 2 * i);
        q->guess[i * q->r->S + 1] += size * cos(phase);
        q->guess[i * q->r->S + 2] += size * sin(phase);
    }
}

/* A motion met before, as large as another one may be, and shifted in time. */
static void reshape(quest *q, const double *shape, size_t guess) {
    const am_response *r = q->r;
    const am_response_isolas *o = &r->options->isolas;
    double angle = two_pi * am_random_sobol(o->seed + 1, guess, 1), share = am_random_sobol(o->seed + 1, guess, 0);
    double largest = 0.0, size = 0.0;
    for (size_t i = 0; i < r->n; i++) {
        largest = fmax(largest, hypot(shape[i * r->S + 1], shape[i * r->S + 2]));
        size = fmax(size, q->scale[i]);
    }
    double factor = largest > 1e-6 * size ? o->within * share * size / largest : o->within * share;
    for (size_t i = 0; i < r->n; i++) {
        const double *s = shape + i * r->S;
        double *g = q->guess + i * r->S;
        g[1] = factor * (s[1] * cos(angle) + s[2] * sin(angle));
        g[2] = factor * (s[2] * cos(angle) - s[1] * sin(angle));
    }
}

/* A third of the guesses each: motions met before, made larger or smaller; anything; both together. */
static void choose_guess(quest *q, size_t guess) {
    size_t count = q->r->n * q->r->S;
    const double *shape = q->solutions > 0 ? q->solution + guess / 3 % q->solutions * count : NULL;
    memset(q->guess, 0, count * sizeof *q->guess);
    if (shape && guess % 3 == 0)
        reshape(q, shape, guess);
    else if (shape && guess % 3 == 1)
        memcpy(q->guess, shape, count * sizeof *shape);
    if (!shape || guess % 3 != 0)
        add_first_harmonics(q, guess);
}

static am_status try_guesses(quest *q, double omega, am_error *err) {
    am_response *r = q->r;
    for (size_t i = 0; i < r->options->isolas.guesses; i++) {
        bool solved;
        choose_guess(q, i);
        AM_TRY(am_balance_pack(r->balance, q->guess, omega, q->p, q->x, err));
        AM_TRY(consider(q, &solved, err));
        if (i % 16 == 0 && !am_progress_report(r->progress, 0.5))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted while other motions were sought");
    }
    return AM_OK;
}

/* ---- the search ---- */

/* How far the branches known move each coordinate; one that rests takes the others' size. */
static am_status measure_scale(quest *q, am_error *err) {
    am_response *r = q->r;
    double largest = 0.0;
    for (size_t k = 0; k < r->count; k++) {
        AM_TRY(am_balance_unpack(r->balance, r->x + k * r->size, r->point[k].p, r->signals, err));
        for (size_t i = 0; i < r->n; i++) {
            double most, least;
            am_trig_extremes(r->H, r->signals + i * r->S, &most, NULL, &least, NULL);
            q->scale[i] = fmax(q->scale[i], fmax(fabs(most), fabs(least)));
            largest = fmax(largest, q->scale[i]);
        }
    }
    for (size_t i = 0; i < r->n; i++)
        if (!(q->scale[i] > 1e-6 * largest))
            q->scale[i] = largest;
    return AM_OK;
}

static am_status search_at(quest *q, size_t index, am_error *err) {
    am_response *r = q->r;
    q->value = &r->search->value[index];
    q->p = q->value->p;
    q->solutions = 0;
    q->value->guesses = q->value->converged = q->value->found = 0;
    AM_TRY(count_rounds(q, err));
    AM_TRY(collect_all(q, r->branches, err));
    q->value->known = q->solutions;
    AM_TRY(am_balance_unpack(r->balance, r->x, q->p, q->signals, err)); /* the balance stands at p now */
    double omega = am_balance_omega(r->balance, r->x, q->p);
    AM_TRY(try_orbits(q, index, omega, err));
    return try_guesses(q, omega, err);
}

/* Isolas like to stand above resonances: where nobody says where to look, the largest motions of the branches known are
 * looked at too. */
static am_status add_resonances(am_response *r, am_error *err) {
    am_response_search *s = r->search;
    size_t spread = s->values;
    for (size_t b = 0; b < r->branches; b++)
        for (size_t i = r->branch[b].first + 1; i + 1 < r->branch[b].first + r->branch[b].count; i++) {
            const am_response_point *point = &r->point[i];
            if (s->values >= spread + MOST_RESONANCES || !(point->largest > (point - 1)->largest) ||
                !(point->largest >= (point + 1)->largest))
                continue;
            AM_TRY(am_memory_resize(&s->value, s->values + 1, err));
            s->value[s->values++] = (am_search_value){.p = point->p};
        }
    return AM_OK;
}

static am_status search_all(quest *q, am_error *err) {
    am_response *r = q->r;
    AM_TRY(measure_scale(q, err));
    if (!r->search->harvested && !r->options->isolas.at)
        AM_TRY(add_resonances(r, err));
    if (!r->search->harvested)
        AM_TRY(am_response_harvest(r, q->scale, err));
    for (size_t i = 0; i < r->search->values; i++)
        AM_TRY(search_at(q, i, err));
    return AM_OK;
}

am_status am_response_isolas_find(am_response *r, am_error *err) {
    AM_LOCAL(close_quest) quest q = {0};
    AM_TRY(open_quest(&q, r, err));
    return search_all(&q, err);
}
