/* Fixed-step switching, imitated as Vielsack and Kirillowa (1997, section 5) describe it: the motion itself is exact,
 * but the contacts are looked at only at the ends of steps, and a switch takes place at the right end of the last
 * bracket of a few bisections. See docs/switching.md. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/object.h"
#include "base/whole.h"
#include "engines/switching/switching.h"
#include "math/dense.h"

/* More bisections than this no longer change a bracket of doubles. */
enum { MOST_BISECTIONS = 1000 };

am_status am_motion_imitate(am_motion *motion, double step, size_t bisections, am_error *err) {
    if (!am_is(motion, AM_TAG_MOTION))
        return am_misused(err, __func__);
    if (!(step >= 0.0) || !isfinite(step))
        return am_fail_field(err, AM_ERR_INPUT, "switching.step", "the step must be positive, not %g", step);
    if (bisections > MOST_BISECTIONS)
        return am_fail_field(err, AM_ERR_INPUT, "switching.bisections", "at most %d bisections, not %zu",
                             MOST_BISECTIONS, bisections);
    if (step > 0.0 && motion->plan.springs > 0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "switching",
                             "fixed-step switching is not made for contacts with a tangential spring");
    if (step > 0.0 && motion->sensitivity)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, "switching", "fixed-step switching has no derivatives to follow");
    motion->imitation.step = step;
    motion->imitation.bisections = bisections;
    motion->imitation.target = motion->now.t;
    return AM_OK;
}

/* How far quantity q lies below zero at x, relative to its scale; at most 0 where it does not. */
static double depth(const am_motion *e, size_t q, const double *x, double norm) {
    double value = am_dense_dot(e->flow->row + q * e->plan.nx, x, e->plan.nx), scale = e->flow->dual[q] * norm;
    return value < -2.0 * e->zero * scale ? -value / scale : 0.0;
}

static size_t deepest(const am_motion *e, const double *x) {
    double norm = am_plan_norm(&e->plan, x), most = 0.0;
    size_t found = AM_NEVER;
    for (size_t q = 0; q < e->flow->quantities; q++) {
        double d = depth(e, q, x, norm);
        if (d > most) {
            most = d;
            found = q;
        }
    }
    return found;
}

size_t am_engine_overshot(const am_motion *e) {
    return deepest(e, e->x);
}

/* Is anything negative at `length` into the present series? */
static bool negative_on_series(am_motion *e, double length) {
    am_engine_evaluate(e, length, e->imitation.x, e->plan.nx);
    return deepest(e, e->imitation.x) != AM_NEVER;
}

/* The same where the step is longer than a series: span by span, back to the start afterwards. */
static bool negative_far_ahead(am_motion *e, double length) {
    am_imitation *imitation = &e->imitation;
    memcpy(imitation->start, e->x, e->plan.nx * sizeof *e->x);
    for (double rest = length; rest > 0.0;) {
        double part = am_engine_expand(e, rest);
        if (!(part > 0.0))
            break;
        am_engine_evaluate(e, part, imitation->x, e->plan.nd);
        memcpy(e->x, imitation->x, e->plan.nd * sizeof *e->x);
        rest -= part;
        am_system_inputs_at(e->plan.system, am_exact_time_after(e->now, length - rest), e->x + e->plan.nd);
    }
    bool negative = deepest(e, e->x) != AM_NEVER;
    memcpy(e->x, imitation->start, e->plan.nx * sizeof *e->x);
    return negative;
}

typedef bool negative_at(am_motion *e, double length);

/* The right end of the bracket after all bisections. */
static double bisect(am_motion *e, negative_at *negative, double low, double high) {
    for (size_t i = 0; i < e->imitation.bisections; i++) {
        double middle = 0.5 * (low + high);
        if (!(low < middle && middle < high))
            break;
        if (negative(e, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void aim(am_motion *e, double length, bool switches) {
    double t = e->now.t + length;
    e->imitation.target = t > e->now.t ? t : nextafter(e->now.t, INFINITY);
    e->imitation.switches = switches;
}

/* As many steps as the series holds, or one that it does not hold. A break of the loads ends a step. */
void am_engine_set_target(am_motion *e) {
    double step = e->imitation.step, limit = am_exact_time_until(e->now, e->next_break);
    double length = am_engine_expand(e, fmin(limit, 1000.0 * step)); /* motions that are polynomials have no end */
    if (length < step && limit <= step && length >= limit) {         /* the last step before a break */
        aim(e, limit, negative_on_series(e, limit));
        if (e->imitation.switches)
            aim(e, bisect(e, negative_on_series, 0.0, limit), true);
        else
            e->imitation.target = e->next_break.t;
        return;
    }
    if (length < step) {
        double end = fmin(step, limit);
        bool switches = negative_far_ahead(e, end);
        aim(e, switches ? bisect(e, negative_far_ahead, 0.0, end) : end, switches);
        if (!switches && end == limit)
            e->imitation.target = e->next_break.t;
        return;
    }
    size_t steps = am_whole(length / step);
    for (size_t j = 1; j <= steps; j++) {
        if (!negative_on_series(e, (double)j * step))
            continue;
        aim(e, bisect(e, negative_on_series, (double)(j - 1) * step, (double)j * step), true);
        return;
    }
    aim(e, (double)steps * step, false);
}

/* A contact that was sliding the other way sticks, one beyond its limit slips, one that is pulled opens, one that
 * penetrates closes. */
static am_contact_state after(const am_motion *e, const am_quantity *quantity) {
    double slide = am_engine_slide(e, quantity->contact);
    return am_engine_pivot(quantity->kind, (slide > 0.0) - (slide < 0.0));
}

void am_engine_switched(const am_motion *e, am_contact_state *state) {
    double norm = am_plan_norm(&e->plan, e->x);
    memcpy(state, e->state, e->plan.m * sizeof *state);
    for (size_t q = 0; q < e->flow->quantities; q++)
        for (size_t i = 0; depth(e, q, e->x, norm) > 0.0 && i < am_quantity_members(&e->flow->quantity[q]); i++) {
            am_quantity member = am_quantity_member(&e->flow->quantity[q], i);
            state[member.contact] = after(e, &member);
        }
}

/* Move y along `row` until row.y = wanted. */
static void put(const double *row, double wanted, double *y, size_t n) {
    double square = am_dense_dot(row, row, n), off = wanted - am_dense_dot(row, y, n);
    for (size_t i = 0; square > 0.0 && i < n; i++)
        y[i] += row[i] * off / square;
}

/* Without impulses on the rest of the structure, as such programs do: the node that has gone too far is set to rest,
 * the others keep their velocities. */
void am_engine_put_back(am_motion *e) {
    size_t n = e->plan.n;
    double norm = am_plan_norm(&e->plan, e->x);
    for (size_t q = 0; q < e->flow->quantities; q++) {
        const am_quantity *quantity = &e->flow->quantity[q];
        const am_contact_def *contact = &e->plan.system->contact[quantity->contact];
        if (!(depth(e, q, e->x, norm) > 0.0))
            continue;
        if (quantity->kind == AM_QUANTITY_SLIDE)
            put(contact->tangent, am_engine_surface(e, quantity->contact), e->x + n, n);
        else if (quantity->kind == AM_QUANTITY_GAP)
            put(contact->normal, -am_system_gap(e->plan.system, quantity->contact, e->x + e->plan.nd), e->x, n);
    }
}
