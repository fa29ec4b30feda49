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
#include "analyses/response/exact.h"
#include "base/memory.h"
#include "base/try.h"
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

static void conclude(am_backbone_point *point, const am_closed_motion *motion) {
    size_t own = amplitude_multiplier(motion);
    double most = 0.0, doubt = motion->doubt / motion->period + 1e-7 * point->frequency;
    for (size_t i = 0; i < motion->count; i++)
        if (i != own)
            most = fmax(most, hypot(motion->re[i], motion->im[i]));
    if (most > 0.0)
        point->exponent = log(most) / motion->period - 0.5 * point->xi;
    point->stable = !(most > 0.0) || point->exponent <= doubt;
    point->exact = two_pi / motion->period;
}

static const char *copy_reason(am_backbone *b, const char *text) {
    if (!b->reason[0])
        snprintf(b->reason, sizeof b->reason, "%.255s", text);
    return b->reason;
}

static am_status judge(am_backbone *b, am_closer *closer, size_t i, am_error *err) {
    am_backbone_equations *e = &b->equations;
    am_closed_motion motion;
    am_error own = {0};
    am_backbone_unscale(e, b->points + i * (e->size + 1), b->point[i].s, e->x);
    am_status status = am_closer_close(closer, e->x, b->point[i].xi, false, &motion, &own);
    if (status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED)
        return am_fail(err, status, "%s", own.message);
    if (status)
        b->point[i].withheld = copy_reason(b, own.message);
    else
        conclude(&b->point[i], &motion);
    return AM_OK;
}

/* Every how many points are judged, so that verdicts take a few seconds at most; 0: not even one can be. */
static am_status choose_stride(am_backbone *b, am_closer *closer, size_t *stride, am_error *err) {
    static const double most = 3e9, one = 1e9;
    enum { SMALL = 6 };
    double cost;
    *stride = 1;
    if (b->options->stability == AM_BACKBONE_STABILITY_FLOQUET || b->n <= SMALL)
        return AM_OK;
    AM_TRY(am_closer_cost(closer, b->point[0].frequency, b->point[0].xi, &cost, err));
    *stride = cost > one ? 0 : (size_t)ceil(fmax(1.0, (double)b->count * cost / most));
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

static am_status judge_by_multipliers(am_backbone *b, am_error *err) {
    size_t stride = 1;
    am_closer *closer = am_closer_create(&b->line, b->equations.balance, true, err);
    am_status status = closer ? choose_stride(b, closer, &stride, err) : am_error_status(err);
    if (stride != 1)
        leave(b, stride > 0 ? "not judged: exact motions cost more than the mode; stability: floquet judges all points"
                            : "not judged: exact motions of this structure take long to follow in time; stability: "
                              "floquet does it");
    for (size_t i = 0; i < b->count && !status; i++) {
        if (!is_judged(b, i, stride))
            continue;
        b->point[i].withheld = "";
        status = judge(b, closer, i, err);
        if (!status && !am_progress_report(b->progress, 0.5 + 0.5 * (double)i / (double)b->count))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
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
    AM_TRY(judge_by_multipliers(b, err));
    b->judged_by = dissipates ? "contraction" : "floquet";
    for (size_t i = 0; i < b->count && dissipates; i++) {
        b->point[i].stable = 1;
        b->point[i].withheld = "";
    }
    return AM_OK;
}
