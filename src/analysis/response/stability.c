/* Is a periodic motion stable? Hill's exponents of the balanced equations, or Floquet's multipliers of the exact motion
 * next to it: by shooting through every switch where contacts stick and slip, by Taylor series where springs are
 * polynomials. Where the number of growing disturbances changes along a branch the place is located and named. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/response/exact.h"
#include "analysis/response/form.h"
#include "base/memory.h"

typedef struct judge {
    am_response *r;
    am_response_stability method;
    double *re, *im; /* 2 n: exponents of the motion judged last */
    double *first;   /* n: amplitudes of the exact motion's first harmonic */
    size_t known;    /* how many of re, im count */
    size_t largest;  /* order of Hill's matrix, at most */
} judge;

/* ---- one motion ---- */

/* Rounding and truncation leave neutral exponents slightly off zero. */
static double neutral(const am_response_point *point) {
    return 1e-7 * point->frequency;
}

static void conclude(judge *j, am_response_point *point) {
    point->unstable = 0;
    for (size_t i = 0; i < j->known; i++)
        point->unstable += j->re[i] > neutral(point);
    point->stable = point->unstable == 0;
    point->exponent = j->known ? j->re[0] : -INFINITY;
    point->exponent_im = j->known ? j->im[0] : 0.0;
}

static am_status judge_by_hill(judge *j, const double *x, am_response_point *point, am_error *err) {
    am_status status = am_balance_hill(j->r->balance, x, point->p, j->largest, j->re, j->im, err);
    if (status)
        return status;
    j->known = 2 * j->r->n - (j->r->self_excited ? 1 : 0); /* the trivial one is the last */
    conclude(j, point);
    return AM_OK;
}

/* Multipliers as exponents, largest first. */
static void use_orbit(judge *j, const am_orbit *orbit, am_response_point *point) {
    j->known = 0;
    for (size_t i = 0; i < orbit->dimension && j->known < 2 * j->r->n; i++) {
        double size = hypot(orbit->multiplier_re[i], orbit->multiplier_im[i]);
        if (!(size > 0.0))
            continue;
        j->re[j->known] = log(size) / orbit->period;
        j->im[j->known++] = atan2(orbit->multiplier_im[i], orbit->multiplier_re[i]) / orbit->period;
    }
    conclude(j, point);
    point->multiplier = orbit->multiplier;
}

static am_status judge_by_floquet(judge *j, const double *x, am_response_point *point, am_error *err) {
    am_response *r = j->r;
    am_orbit orbit;
    am_status status = am_response_close(r->family, r->balance, r->self_excited, x, point->p, &orbit, j->first, err);
    if (status)
        return status;
    use_orbit(j, &orbit, point);
    point->exact = 0.0;
    for (size_t i = 0; i < r->n; i++)
        if (r->options->coordinate == i || r->options->coordinate == SIZE_MAX)
            point->exact = fmax(point->exact, j->first[i]);
    am_orbit_clear(&orbit);
    return AM_OK;
}

/* A verdict that cannot be had leaves the point without one; only memory and interruption are errors. */
static am_status judge_point(judge *j, const double *x, am_response_point *point, am_error *err) {
    am_error own = {0};
    am_status status = j->method == AM_RESPONSE_STABILITY_HILL ? judge_by_hill(j, x, point, &own)
                                                               : judge_by_floquet(j, x, point, &own);
    if (status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED)
        return am_fail(err, status, "%s", own.message);
    return AM_OK;
}

/* ---- changes along a branch ---- */

/* How the leading exponent crosses: complex ones turn (Neimark-Sacker), half the frequency doubles the period. Among
 * odd harmonics what breaks the symmetry turns once in a period, as well as truncation lets see. */
static const char *crossing(const am_response_point *point, bool odd) {
    double omega = point->frequency, turns = fabs(point->exponent_im);
    if (fabs(turns - 0.5 * omega) < 0.01 * omega)
        return "period-doubling";
    if (odd && fabs(turns - omega) < 0.03 * omega)
        return "branch-point";
    return turns > 1e-6 * omega ? "neimark-sacker" : "branch-point";
}

/* Between a and b (or next to them) lies a fold or branch point that explains a change. */
static bool explained(const am_response *r, size_t a, size_t b) {
    for (size_t i = a; i <= b; i++)
        if (!strcmp(r->point[i].kind, "fold") || !strcmp(r->point[i].kind, "branch-point"))
            return true;
    return false;
}

/* Bisection by the number of growing disturbances, down to rounding of p. */
static am_status locate_change(judge *j, size_t a, size_t b, am_error *err) {
    am_response *r = j->r;
    double low = 0.0, high = 1.0;
    int before = r->point[a].unstable;
    am_response_point point = r->point[b], found = r->point[b];
    am_status status = AM_OK;
    bool located = true;
    for (int i = 0; i < 40 && located && !status; i++) {
        am_error own = {0};
        double share = 0.5 * (low + high);
        located = am_response_between(r, a, b, share, &point, &own) == AM_OK;
        if (located)
            status = judge_point(j, r->trial, &point, err);
        located = located && point.unstable >= 0;
        if (located && point.unstable == before)
            low = share;
        else if (located)
            high = share, found = point;
    }
    if (status)
        return status;
    bool odd = am_balance_odd(r->balance);
    found.kind = crossing(found.unstable > before ? &found : &r->point[a], odd);
    if (!strcmp(found.kind, "branch-point") && !odd)
        return AM_OK; /* a real exponent: the determinant's business, which found nothing here */
    found.located = located;
    am_error own = {0};
    if (am_response_between(r, a, b, high, &point, &own))
        memcpy(r->trial, r->x + b * r->size, r->size * sizeof *r->x);
    return am_response_add(r, &found, r->trial, err);
}

static am_status look_for_changes(judge *j, size_t index, am_error *err) {
    am_response *r = j->r;
    const am_response_branch branch = r->branch[index];
    am_status status = AM_OK;
    for (size_t i = branch.first + 1; i < branch.first + branch.count && !status; i++) {
        const am_response_point *a = &r->point[i - 1], *b = &r->point[i];
        int change = b->unstable - a->unstable;
        if (a->unstable >= 0 && b->unstable >= 0 && change != 0 && !explained(r, i - 1, i))
            status = locate_change(j, i - 1, i, err);
    }
    return status;
}

/* ---- the whole ---- */

/* Hill's matrix has twice the unknowns; beyond this order shooting is cheaper. Shooting itself, with many coordinates
 * and contacts, takes longer than the branch: then only what is special is judged, unless floquet was asked for. */
enum { LARGEST_HILL = 120, MANY_COORDINATES = 8 };

static bool is_wanted(const am_response *r, const am_response_point *point) {
    if (r->self_excited && !(point->amplitude > 0.0))
        return false; /* rest */
    return r->options->stability != AM_RESPONSE_STABILITY_AUTO || r->n < MANY_COORDINATES || r->smooth ||
           !strcmp(point->kind, "peak");
}

static am_response_stability choose(const am_response *r) {
    if (r->options->stability != AM_RESPONSE_STABILITY_AUTO)
        return r->options->stability;
    if (r->mixed)
        return AM_RESPONSE_STABILITY_HILL; /* nothing exact is at hand */
    return r->smooth && 2 * r->size <= LARGEST_HILL ? AM_RESPONSE_STABILITY_HILL : AM_RESPONSE_STABILITY_FLOQUET;
}

am_status am_response_verdicts(am_response *r, am_error *err) {
    bool automatic = r->options->stability == AM_RESPONSE_STABILITY_AUTO;
    judge j = {.r = r, .method = choose(r), .largest = automatic ? LARGEST_HILL : SIZE_MAX};
    if (j.method == AM_RESPONSE_STABILITY_NONE)
        return AM_OK;
    j.re = am_memory_new(2 * r->n, sizeof *j.re, err);
    j.im = am_memory_new(2 * r->n, sizeof *j.im, err);
    j.first = am_memory_new(r->n, sizeof *j.first, err);
    am_status status = j.re && j.im && j.first ? AM_OK : AM_ERR_MEMORY;
    for (size_t i = 0; i < r->count && !status; i++) {
        if (is_wanted(r, &r->point[i]))
            status = judge_point(&j, r->x + i * r->size, &r->point[i], err);
        if (!status && i % 16 == 0 && !am_progress_report(r->progress, 0.5 + 0.45 * (double)i / (double)r->count))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    size_t branches = r->branches;
    for (size_t i = 0; i < branches && !status; i++)
        status = look_for_changes(&j, i, err);
    am_memory_free(j.re);
    am_memory_free(j.im);
    am_memory_free(j.first);
    return status;
}
