/* Do disturbances of a nonlinear mode grow? Multipliers of the exact motion next to it, with xi held, closed by
 * shooting.
 *
 * Two disturbances belong to the mode itself: a shift in time, and another amplitude, whose multiplier says how damping
 * changes with amplitude. They are left out. Of the others M y'' + (C - xi M) y' lets each grow faster by xi/2 than the
 * structure itself, whose mode decays by xi/2; so log|multiplier|/T - xi/2 is how fast they grow in the structure. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/backbone/backbone_internal.h"
#include "analyses/backbone/few_modes.h"
#include "analyses/response/exact.h"
#include "base/local.h"
#include "math/pi.h"

/* The real positive multiplier nearest to 1: another amplitude. */
static size_t amplitude_multiplier(const am_closed_motion *motion) {
    size_t best = SIZE_MAX;
    double nearest = INFINITY;
    for (size_t i = 0; i < motion->count; i++) {
        double distance = hypot(motion->re[i] - 1.0, motion->im[i]);
        if (motion->re[i] > 0.0 && distance < nearest && fabs(motion->im[i]) <= 1e-3) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

/* Of a growth. */
static double doubt_of(const am_backbone_point *point, const am_closed_motion *motion) {
    return motion->doubt / motion->period + 1e-7 * point->frequency;
}

/* How fast the disturbance that grows most does; -INFINITY: there is none. */
static double growth_of(const am_backbone_point *point, const am_closed_motion *motion) {
    size_t own = amplitude_multiplier(motion);
    double most = 0.0;
    for (size_t i = 0; i < motion->count; i++)
        if (i != own)
            most = fmax(most, hypot(motion->re[i], motion->im[i]));
    return log(most) / motion->period - 0.5 * point->xi;
}

static void conclude(am_backbone_point *point, const am_closed_motion *motion) {
    double growth = growth_of(point, motion);
    if (isfinite(growth))
        point->exponent = growth;
    point->stable = growth <= doubt_of(point, motion);
}

static const char *copy_reason(am_backbone *b, const char *text) {
    if (!b->reason[0])
        snprintf(b->reason, sizeof b->reason, "%.255s", text);
    return b->reason;
}

/* The exact motion next to point i; none near: the point says why, and *found is false. */
static am_status close_motion(am_backbone *b, am_closer *closer, size_t i, am_closed_motion *motion, bool *found,
                              am_error *err) {
    am_backbone_equations *e = &b->equations;
    am_error own = {0};
    am_backbone_unscale(e, b->points + i * (e->size + 1), b->point[i].s, e->x);
    am_status status = am_closer_close(closer, e->x, b->point[i].xi, false, motion, &own);
    *found = status == AM_OK;
    if (status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED)
        return am_fail(err, status, "%s", own.message);
    if (status)
        b->point[i].withheld = copy_reason(b, own.message);
    return AM_OK;
}

static am_status judge(am_backbone *b, am_closer *closer, size_t i, am_error *err) {
    am_closed_motion motion;
    bool found;
    AM_TRY(close_motion(b, closer, i, &motion, &found, err));
    if (found) {
        conclude(&b->point[i], &motion);
        b->point[i].exact = two_pi / motion.period;
    }
    return AM_OK;
}

static const double most_cost = 3e9, most_of_one = 1e9; /* instructions */

/* Every how many points are judged, so that verdicts take a few seconds at most; 0: not even one can be. */
static am_status choose_stride(am_backbone *b, am_closer *closer, size_t *stride, am_error *err) {
    enum { SMALL = 6 };
    double cost;
    *stride = 1;
    if (b->options->stability == AM_BACKBONE_STABILITY_FLOQUET || b->n <= SMALL)
        return AM_OK;
    AM_TRY(am_closer_cost(closer, b->point[0].frequency, b->point[0].xi, &cost, err));
    *stride = cost > most_of_one ? 0 : (size_t)ceil(fmax(1.0, (double)b->count * cost / most_cost));
    return AM_OK;
}

static void leave(am_backbone *b, const char *why) {
    for (size_t i = 0; i < b->count; i++)
        b->point[i].withheld = copy_reason(b, why);
}

/* Values that were asked for, and the last amplitude, are judged whatever the stride. */
static bool is_judged(const am_backbone *b, size_t i, size_t stride) {
    return stride > 0 && (i % stride == 0 || i + 1 == b->own || !strcmp(b->point[i].kind, "value"));
}

static am_status report(am_backbone *b, size_t i, am_error *err) {
    return am_progress_report(b->progress, 0.5 + 0.5 * (double)i / (double)b->count)
               ? AM_OK
               : am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
}

/* ---- in a few modes ---- */

/* Two numbers of modes, the second twice the first: what both say is not for lack of modes. */
typedef struct pair {
    am_pencil pencil;
    am_few_modes few, more;
} pair;

static void clear_pair(pair *p) {
    am_few_modes_clear(&p->few);
    am_few_modes_clear(&p->more);
    am_pencil_clear(&p->pencil);
}

/* The growth must be the same but for a tenth of itself, or for what counts as none. */
static am_status judge_twice(am_backbone *b, pair *p, size_t i, am_error *err) {
    am_backbone_point *point = &b->point[i];
    am_closed_motion motion;
    bool found;
    AM_TRY(close_motion(b, p->few.closer, i, &motion, &found, err));
    if (!found)
        return AM_OK;
    double first = growth_of(point, &motion), doubt = doubt_of(point, &motion);
    AM_TRY(close_motion(b, p->more.closer, i, &motion, &found, err));
    if (!found)
        return AM_OK;
    double second = growth_of(point, &motion), room = fmax(doubt, doubt_of(point, &motion));
    if (fabs(second - first) <= fmax(10.0 * room, 0.1 * fabs(second)) && (first <= room) == (second <= room))
        conclude(point, &motion);
    else
        point->withheld = copy_reason(b, "not judged: with more modes disturbances grow differently; stability: "
                                         "floquet judges with all coordinates");
    return AM_OK;
}

/* Modes up to twice the highest harmonic, and twice as many. */
static am_status find_pair(am_backbone *b, pair *p, am_error *err) {
    double highest = 2.0 * (double)b->H * b->linear_frequency;
    size_t count = 0, most = b->n / 2;
    for (size_t i = 0; i < b->n; i++)
        if (!(am_matrix_at(am_system_mass(b->system), i, i) > 0.0))
            return am_fail(err, AM_ERR_LIMIT, "coordinates without mass are in no mode");
    AM_TRY(am_pencil_init(&p->pencil, am_system_stiffness(b->system), am_system_mass(b->system), err));
    AM_TRY(am_pencil_settle(&p->pencil, err));
    AM_TRY(am_few_modes_count(&p->pencil, highest, most, &count, err));
    if (count == most)
        return am_fail(err, AM_ERR_LIMIT, "most modes are as slow as the harmonics");
    count = count < 3 ? 3 : count;
    AM_TRY(am_few_modes_init(&p->few, b, &p->pencil, count, err));
    return am_few_modes_init(&p->more, b, &p->pencil, 2 * count, err);
}

/* *judged: false where modes do not help. */
static am_status judge_by_modes(am_backbone *b, bool *judged, am_error *err) {
    AM_LOCAL(clear_pair) pair p = {0};
    am_error own = {0};
    double few, more;
    *judged = false;
    am_status status = find_pair(b, &p, &own);
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (status)
        return AM_OK;
    AM_TRY(am_closer_cost(p.few.closer, b->point[0].frequency, b->point[0].xi, &few, err));
    AM_TRY(am_closer_cost(p.more.closer, b->point[0].frequency, b->point[0].xi, &more, err));
    if (few + more > most_of_one)
        return AM_OK;
    size_t stride = (size_t)ceil(fmax(1.0, (double)b->count * (few + more) / most_of_one));
    if (stride > 1)
        leave(b,
              "not judged: motions of its lowest modes cost more than the mode; stability: floquet judges all points");
    for (size_t i = 0; i < b->count; i++) {
        if (!is_judged(b, i, stride))
            continue;
        b->point[i].withheld = "";
        AM_TRY(judge_twice(b, &p, i, err));
        AM_TRY(report(b, i, err));
    }
    b->judged_by = "modes";
    *judged = true;
    return AM_OK;
}

/* ---- with all coordinates ---- */

static am_status judge_by_multipliers(am_backbone *b, bool proved, am_error *err) {
    size_t stride = 1;
    bool judged = false;
    am_closer *closer = am_closer_create(&b->line, b->equations.balance, true, err);
    am_status status = closer ? choose_stride(b, closer, &stride, err) : am_error_status(err);
    b->judged_by = "floquet";
    if (!status && stride == 0 && !proved)
        status = judge_by_modes(b, &judged, err);
    if (stride != 1 && !judged)
        leave(b, stride > 0 ? "not judged: exact motions cost more than the mode; stability: floquet judges all points"
                            : "not judged: exact motions of this structure take long to follow in time; stability: "
                              "floquet does it");
    for (size_t i = 0; i < b->count && !status && !judged; i++) {
        if (!is_judged(b, i, stride))
            continue;
        b->point[i].withheld = "";
        status = judge(b, closer, i, err);
        if (!status)
            status = report(b, i, err);
    }
    am_closer_free(closer);
    return status;
}

/* In a structure that only takes energy from the difference of two motions nothing grows, whatever the multipliers say
 * with the energy of xi, which is counted as if every disturbance were a free vibration. */
am_status am_backbone_verdicts(am_backbone *b, am_error *err) {
    bool dissipates = false;
    if (b->options->stability == AM_BACKBONE_STABILITY_NONE)
        return AM_OK;
    AM_TRY(am_balance_dissipates(b->equations.balance, 0.0, &dissipates, err));
    AM_TRY(judge_by_multipliers(b, dissipates, err));
    b->judged_by = dissipates ? "contraction" : b->judged_by;
    for (size_t i = 0; i < b->count && dissipates; i++) {
        b->point[i].stable = 1;
        b->point[i].withheld = "";
    }
    return AM_OK;
}
