/* Is a periodic motion stable? Multipliers of the exact motion next to it (floquet), or Hill's exponents of the
 * balanced equations, a quick look whose convergence is checked. A verdict that cannot be had, or that is not sure, is
 * withheld, and the point says why. Where the number of growing disturbances changes along a branch the place is
 * located and named. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "analyses/response/exact.h"
#include "analyses/response/response_internal.h"
#include "base/memory.h"
#include "base/try.h"
#include "math/pi.h"

typedef struct judge {
    am_response *r;
    am_response_stability method;
    double *re, *im;   /* 2 n + springs: exponents of the motion judged last */
    double *few;       /* the same of Hill's matrix with fewer harmonics: real, then imaginary parts */
    size_t capacity;   /* of re */
    size_t known;      /* how many of re, im count */
    double doubt;      /* of a real part */
    am_closer *exact;  /* floquet */
    bool contracts;    /* all motions of the structure approach each other: only peaks are closed, for their own sake */
    bool locating;     /* a change is being located between two verdicts: they need no further check */
    double *closeness; /* by points: how near the unit circle is, |log of a modulus|, at its least; NAN: not judged */
} judge;

static const char neutral_motion[] = "at a fold or a branch point: a disturbance neither grows nor decays";

/* ---- one motion ---- */

static void withhold(judge *j, am_response_point *point, const char *reason) {
    point->stable = point->unstable = -1;
    point->withheld = am_response_reason(j->r, reason);
}

/* Real parts that are within doubt of zero leave the motion between stable and unstable. */
static void conclude(judge *j, am_response_point *point) {
    bool marginal = false;
    point->unstable = 0;
    for (size_t i = 0; i < j->known; i++) {
        point->unstable += j->re[i] > j->doubt;
        marginal = marginal || fabs(j->re[i]) <= j->doubt;
    }
    point->stable = point->unstable == 0;
    point->withheld = 0;
    point->exponent = j->known ? j->re[0] : -INFINITY;
    point->exponent_im = j->known ? j->im[0] : 0.0;
    if (marginal && point->unstable == 0)
        withhold(j, point,
                 "marginal: a disturbance neither grows nor decays, as far as rounding lets see (an undamped motion, a "
                 "fold, a bifurcation)");
}

/* ---- Hill ---- */

/* Rounding and truncation leave neutral exponents slightly off zero. */
static double neutral(const am_response_point *point) {
    return 1e-7 * point->frequency;
}

/* Exponents must add up to the mean divergence of the flow (Liouville), where forces have no memory: a spurious one
 * among them shows there. */
static const char *doubt_of_sum(const judge *j, const am_response_point *point, double expected, char *text,
                                size_t size) {
    double sum = 0.0;
    for (size_t i = 0; i < 2 * j->r->n; i++)
        sum += j->re[i];
    if (!isfinite(expected) || fabs(sum - expected) <= 0.02 * fmax(fabs(expected), 1e-3 * point->frequency))
        return NULL;
    snprintf(text, size,
             "Hill's matrix has not converged: its exponents add up to %.3g, the structure's damping asks for %.3g; "
             "take more harmonics, or stability: floquet",
             sum, expected);
    return text;
}

/* A disturbance with two thirds of the harmonics must say the same. Where forces have corners the error falls no faster
 * than the number of harmonics rises: what is left is up to twice the difference. */
static const char *doubt_of_few(judge *j, const am_response_point *point, size_t fewer, char *text, size_t size) {
    size_t unstable = 0;
    for (size_t i = 0; i < j->known; i++)
        unstable += j->few[i] > j->doubt;
    if ((int)unstable == point->unstable && 2.0 * fabs(j->few[0] - j->re[0]) <= fmax(fabs(j->re[0]), j->doubt))
        return NULL;
    snprintf(text, size,
             "Hill's matrix has not converged: its largest exponent is %.3g with a disturbance of %zu harmonics, %.3g "
             "with %zu; take more harmonics, or stability: floquet",
             j->re[0], am_balance_degree(j->r->balance), j->few[0], fewer);
    return text;
}

/* Why the exponents of a motion are not to be trusted; NULL: they are. */
static const char *doubt_of_hill(judge *j, const double *x, const am_response_point *point, char *text, size_t size,
                                 am_error *err) {
    am_response *r = j->r;
    size_t H = am_balance_degree(r->balance), step = am_balance_odd(r->balance) ? 2 : 1, fewer = 2 * H / 3;
    double expected;
    fewer = fewer + step > H && H > step ? H - step : fewer;
    if (am_balance_divergence(r->balance, x, point->p, &expected, err))
        return err->message;
    const char *reason = doubt_of_sum(j, point, expected, text, size);
    if (reason || fewer < 1 || fewer == H)
        return reason ? reason : "one harmonic cannot check Hill's matrix: take more harmonics, or stability: floquet";
    if (am_balance_hill(r->balance, x, point->p, fewer, j->few, j->few + 2 * r->n, err))
        return err->message;
    return doubt_of_few(j, point, fewer, text, size);
}

static am_status judge_by_hill(judge *j, const double *x, am_response_point *point, am_error *err) {
    char text[256];
    am_error own = {0};
    AM_TRY(am_balance_hill(j->r->balance, x, point->p, SIZE_MAX, j->re, j->im, err));
    j->known = 2 * j->r->n - (j->r->self_excited ? 1 : 0); /* the trivial one is the last */
    j->doubt = neutral(point);
    conclude(j, point);
    if (j->locating)
        return AM_OK;
    const char *reason = doubt_of_hill(j, x, point, text, sizeof text, &own);
    if (am_status_is_fatal(own.status))
        return am_fail(err, own.status, "%s", own.message);
    if (reason)
        withhold(j, point, reason);
    return AM_OK;
}

/* ---- does the exact motion belong to the balanced one? ---- */

static bool is_singular(const am_response_point *point) {
    return !strcmp(point->kind, "fold") || !strcmp(point->kind, "branch-point");
}

/* Next to a fold two exact motions are near, and their fold is not quite where the balance has it. They are told apart
 * by their index, (-1)^(multipliers above 1): that of the balanced motion is the sign of its determinant. */
static am_status check_motion(judge *j, const double *x, const am_response_point *point, const am_closed_motion *motion,
                              am_error *err) {
    am_response *r = j->r;
    int index;
    AM_TRY(am_balance_index(r->balance, r->curve, x, point->p, &index, err));
    if (index == 0)
        return am_fail(err, AM_ERR_LIMIT, "%s", neutral_motion);
    if (index == -motion->index)
        return am_fail(err, AM_ERR_LIMIT,
                       "the exact motion that closes next to this one lies on the other side of a fold or branch "
                       "point, which is not quite where the balance has it: more harmonics tell");
    return AM_OK;
}

/* ---- Floquet ---- */

/* Multipliers as exponents, largest first. */
static void use_motion(judge *j, const am_closed_motion *motion, am_response_point *point) {
    double largest = 0.0;
    j->known = 0;
    for (size_t i = 0; i < motion->count && j->known < j->capacity; i++) {
        double size = hypot(motion->re[i], motion->im[i]);
        largest = fmax(largest, size);
        if (!(size > 0.0))
            continue;
        j->re[j->known] = log(size) / motion->period;
        j->im[j->known++] = atan2(motion->im[i], motion->re[i]) / motion->period;
    }
    j->doubt = fmax(motion->doubt, 1e-9) / motion->period;
    conclude(j, point);
    point->multiplier = largest;
}

static am_status judge_by_floquet(judge *j, const double *x, am_response_point *point, am_error *err) {
    am_response *r = j->r;
    am_closed_motion motion;
    /* what the first harmonic really is costs a further run: it is told at peaks, or everywhere on request */
    bool measured = !strcmp(point->kind, "peak") || r->options->stability == AM_RESPONSE_STABILITY_FLOQUET ||
                    r->options->from == r->options->to;
    if (is_singular(point))
        return am_fail(err, AM_ERR_LIMIT, "%s", neutral_motion);
    AM_TRY(am_closer_close(j->exact, x, point->p, measured, &motion, err));
    AM_TRY(check_motion(j, x, point, &motion, err));
    use_motion(j, &motion, point);
    if (!measured)
        return AM_OK;
    point->exact = 0.0;
    for (size_t i = 0; i < r->n; i++)
        if (r->options->coordinate == i || r->options->coordinate == SIZE_MAX)
            point->exact = fmax(point->exact, motion.first[i]);
    return AM_OK;
}

/* A verdict that cannot be had leaves the point without one; only memory and interruption are errors. */
static am_status judge_point(judge *j, const double *x, am_response_point *point, am_error *err) {
    am_error own = {0};
    if (j->r->self_excited && !(point->amplitude > 0.0)) {
        withhold(j, point, "at rest: not a periodic motion");
        return AM_OK;
    }
    am_status status = j->method == AM_RESPONSE_STABILITY_HILL ? judge_by_hill(j, x, point, &own)
                                                               : judge_by_floquet(j, x, point, &own);
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (status)
        withhold(j, point, own.message);
    return AM_OK;
}

static am_status judge_index(judge *j, size_t i, am_error *err) {
    am_response *r = j->r;
    if (!isnan(j->closeness[i]))
        return AM_OK;
    const am_response_point before = r->point[i];
    am_status status = judge_point(j, r->x + i * r->size, &r->point[i], err);
    j->closeness[i] = INFINITY;
    for (size_t k = 0; k < j->known && r->point[i].unstable >= 0; k++)
        j->closeness[i] = fmin(j->closeness[i], fabs(j->re[k]) * 2.0 * pi / r->point[i].frequency);
    if (!status && !am_progress_report(r->progress, 0.5 + 0.45 * (double)i / (double)r->count))
        status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    if (status == AM_ERR_INTERRUPTED)
        r->point[i] = before; /* whatever was found of it while it was not wanted any more */
    return status;
}

/* ---- along a branch ---- */

/* Between two judged motions nothing is taken to have crossed the unit circle if both have as many growing disturbances
 * and the nearest multiplier did not move by more than twice its distance from the circle from one to the other. */
static bool is_settled(const judge *j, size_t a, size_t b) {
    const am_response_point *first = &j->r->point[a], *last = &j->r->point[b];
    double near = fmin(j->closeness[a], j->closeness[b]), moved = fabs(j->closeness[a] - j->closeness[b]);
    return first->unstable >= 0 && first->unstable == last->unstable && 2.0 * near > moved;
}

/* All motions between two judged ones: judged themselves, or the same as both ends. */
static am_status judge_between(judge *j, size_t a, size_t b, am_error *err) {
    am_response *r = j->r;
    if (b <= a + 1)
        return AM_OK;
    if (is_settled(j, a, b)) {
        for (size_t i = a + 1; i < b; i++) {
            r->point[i].stable = r->point[a].stable;
            r->point[i].unstable = r->point[a].unstable;
            r->point[i].withheld = 0;
        }
        return AM_OK;
    }
    size_t middle = a + (b - a) / 2;
    AM_TRY(judge_index(j, middle, err));
    AM_TRY(judge_between(j, a, middle, err));
    return judge_between(j, middle, b, err);
}

/* Special points, and the last ones on either side of a fold, are judged themselves. */
static bool is_special(const am_response_point *point) {
    return strcmp(point->kind, "regular") != 0;
}

static am_status judge_branch(judge *j, size_t first, size_t count, size_t stride, am_error *err) {
    const am_response_point *point = j->r->point;
    size_t last = SIZE_MAX; /* judged last on this side of a fold */
    for (size_t i = first; i < first + count; i++) {
        bool at_end = i + 1 == first + count || is_singular(&point[i + 1]);
        if (last != SIZE_MAX && i - last < stride && !at_end && !is_special(&point[i]))
            continue;
        AM_TRY(judge_index(j, i, err));
        if (last != SIZE_MAX && !is_singular(&point[i]))
            AM_TRY(judge_between(j, last, i, err));
        last = is_singular(&point[i]) ? SIZE_MAX : i;
    }
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

/* Among odd harmonics a multiplier 1 may be one that the balance does not see: a disturbance that turns once in a
 * period, as Hill's exponents tell it. Otherwise the determinant of the balance has a zero of its own nearby. */
static bool breaks_symmetry(judge *j, const am_response_point *point, const double *x) {
    am_response *r = j->r;
    double turning = INFINITY, resting = INFINITY, *re = j->few, *im = re + 2 * r->n;
    am_error own = {0};
    if (!am_balance_odd(r->balance) || am_balance_hill(r->balance, x, point->p, SIZE_MAX, re, im, &own))
        return false;
    for (size_t i = 0; i < 2 * r->n; i++) {
        double turns = fabs(im[i]) / point->frequency;
        if (fabs(turns - 1.0) < 0.03)
            turning = fmin(turning, fabs(re[i]));
        else if (turns < 0.03 && !(r->self_excited && i + 1 == 2 * r->n))
            resting = fmin(resting, fabs(re[i]));
    }
    return turning < resting;
}

/* Bisection by the number of growing disturbances, until p moves by no more than rounding, or the verdict is marginal:
 * then the bifurcation is there. */
static am_status locate_change(judge *j, size_t a, size_t b, am_error *err) {
    am_response *r = j->r;
    double low = 0.0, high = 1.0, width = fabs(r->point[b].p - r->point[a].p);
    double enough = fmax(1e-15, 1e-10 * fabs(r->options->to - r->options->from) / fmax(width, 1e-300));
    int before = r->point[a].unstable;
    am_response_point point = r->point[b], found = r->point[b];
    bool located = true;
    j->locating = true;
    for (int i = 0; i < 40 && located && high - low > enough; i++) {
        am_error own = {0};
        double share = 0.5 * (low + high);
        located = am_response_between(r, a, b, share, &point, &own) == AM_OK;
        if (located)
            AM_TRY(judge_point(j, r->trial, &point, err));
        if (located && point.unstable < 0) { /* as near as can be told, or no verdict */
            located = isfinite(point.exponent) && fabs(point.exponent) <= j->doubt;
            break;
        }
        if (located && point.unstable == before)
            low = share;
        else if (located)
            high = share, found = point;
    }
    j->locating = false;
    found.kind = crossing(found.unstable > before ? &found : &r->point[a], am_balance_odd(r->balance));
    if (!strcmp(found.kind, "branch-point") && !breaks_symmetry(j, &r->point[b], r->x + b * r->size))
        return AM_OK; /* a real exponent: the determinant's business, which found nothing here */
    found.located = located;
    am_error own = {0};
    if (am_response_between(r, a, b, high, &point, &own))
        memcpy(r->trial, r->x + b * r->size, r->size * sizeof *r->x);
    return am_response_add(r, &found, r->trial, err);
}

/* Both ends of a change must have been judged themselves: neighbours of points that were filled in are not. */
static am_status find_changes(judge *j, size_t index, am_error *err) {
    am_response *r = j->r;
    const am_response_branch branch = r->branch[index];
    size_t last = SIZE_MAX; /* the last point with a verdict */
    for (size_t i = branch.first; i < branch.first + branch.count; i++) {
        if (r->point[i].unstable < 0)
            continue;
        if (last != SIZE_MAX && r->point[i].unstable != r->point[last].unstable && !explained(r, last, i))
            AM_TRY(locate_change(j, last, i, err));
        last = i;
    }
    return AM_OK;
}

/* ---- the whole ---- */

static am_response_stability choose(const am_response *r) {
    bool automatic = r->options->stability == AM_RESPONSE_STABILITY_AUTO;
    return automatic ? AM_RESPONSE_STABILITY_FLOQUET : r->options->stability;
}

/* The instructions of one exact motion, measured. */
static double cost_of_exact(const am_response *r) {
    double d = 2.0 * (double)r->n + (double)am_balance_springs(r->balance);
    return 2e6 + 15e3 * d * d * d;
}

/* The same of a point of the branch. */
static double cost_of_point(const am_response *r) {
    double size = (double)r->size;
    return 1.3 * size * size * size + 12e3 * size + 1e5;
}

/* Does a single exact motion take half a minute or more? */
static bool is_out_of_reach(const am_response *r) {
    return r->options->stability == AM_RESPONSE_STABILITY_AUTO && cost_of_exact(r) > 1e11;
}

/* Every how many points are judged at first, unless all are asked for: so that verdicts cost about as much as the
 * branch. 0: an exact motion costs as much as a branch, or those of the branch minutes, and only peaks are judged. */
static size_t choose_stride(const am_response *r) {
    static const double most = 24.0, too_much = 5000.0, too_long = 4e11;
    double cost = ceil(cost_of_exact(r) / cost_of_point(r));
    if (r->options->stability != AM_RESPONSE_STABILITY_AUTO || r->options->from == r->options->to || !(cost > 1.0))
        return 1;
    size_t stride = (size_t)fmin(cost, most);
    return cost > too_much || cost_of_exact(r) * (double)(r->count / stride) > too_long ? 0 : stride;
}

static bool is_on_branch(const am_response *r, size_t i) {
    for (size_t b = 0; b < r->branches; b++)
        if (i >= r->branch[b].first && i < r->branch[b].first + r->branch[b].count)
            return i != r->peak;
    return false;
}

/* What is said of points that are not judged themselves: all of them, or all but peaks. */
static void leave_points(judge *j, bool peaks) {
    am_response *r = j->r;
    for (size_t i = 0; i < r->count; i++) {
        if (!peaks && !is_on_branch(r, i))
            continue;
        r->point[i].stable = 1;
        r->point[i].unstable = 0;
        r->point[i].withheld = 0;
        if (!j->contracts)
            withhold(j, &r->point[i],
                     "not judged: exact motions cost far more than the branch; stability: floquet judges all points, "
                     "hill is a quick look");
    }
}

/* The balance of a structure that contracts has no folds but those of too few harmonics: nothing is said of them. */
static am_status find_contraction(judge *j, am_error *err) {
    am_response *r = j->r;
    if (r->options->stability != AM_RESPONSE_STABILITY_AUTO || r->options->from == r->options->to)
        return AM_OK;
    AM_TRY(am_balance_contracts(r->balance, &j->contracts, err));
    for (size_t i = 0; i < r->count; i++)
        j->contracts = j->contracts && !is_singular(&r->point[i]);
    return AM_OK;
}

static am_status judge_all(judge *j, am_error *err) {
    am_response *r = j->r;
    AM_TRY(find_contraction(j, err));
    size_t stride = j->contracts ? 0 : choose_stride(r), count = r->count, branches = r->branches;
    for (size_t i = 0; i < count; i++)
        j->closeness[i] = NAN;
    for (size_t b = 0; b < branches && stride > 0; b++)
        AM_TRY(judge_branch(j, r->branch[b].first, r->branch[b].count, stride, err));
    if (stride == 0)
        leave_points(j, is_out_of_reach(r));
    for (size_t i = 0; i < count; i++) /* peaks lie behind the branches */
        if (r->point[i].unstable < 0 && r->point[i].withheld == 0)
            AM_TRY(judge_index(j, i, err));
    if (j->contracts)
        r->judged_by = "contraction";
    for (size_t b = 0; b < branches; b++)
        AM_TRY(find_changes(j, b, err));
    return AM_OK;
}

am_status am_response_verdicts(am_response *r, am_error *err) {
    judge j = {.r = r, .method = choose(r), .capacity = 2 * r->n + am_balance_springs(r->balance)};
    if (j.method == AM_RESPONSE_STABILITY_NONE)
        return AM_OK;
    r->judged_by = j.method == AM_RESPONSE_STABILITY_HILL ? "hill" : "floquet";
    j.re = am_memory_new(2 * j.capacity + 4 * r->n + r->count, sizeof *j.re, err);
    j.exact = am_closer_create(&r->line, r->balance, r->self_excited, err);
    am_status status = j.re && j.exact ? AM_OK : AM_ERR_MEMORY;
    if (!status) {
        j.im = j.re + j.capacity;
        j.few = j.im + j.capacity;
        j.closeness = j.few + 4 * r->n;
        status = judge_all(&j, err);
    }
    am_closer_free(j.exact);
    am_memory_free(j.re);
    return status;
}
