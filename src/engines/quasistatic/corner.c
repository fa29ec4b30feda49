/* The next corner: where is an inequality of the present combination first broken? While loads are linear every
 * inequality is too, and a division answers; otherwise each is a polynomial over a span on which its series is exact to
 * rounding, and the Bernstein basis finds its first zero for certain. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/quasistatic/quasistatic.h"
#include "math/dense.h"

typedef struct corner {
    double after; /* time from now; NAN: it cannot be said, the numbers are too large */
    double limit; /* not beyond */
} corner;

static void note_crossing(am_path_engine *e, corner *next, size_t c, unsigned char what, double when) {
    if (isnan(next->after) || when > next->limit || when > next->after)
        return;
    if (when < next->after) {
        memset(e->hit, 0, e->m * sizeof *e->hit);
        e->spent = AM_NO_ROW;
    }
    next->after = when;
    e->hit[c] |= what;
}

/* When does the polynomial a(s) + tolerance turn negative on [0, limit]? Zeros at its start are divided out: the rate
 * problem has decided there, and left the first coefficient that is not rounding (`noise`, per order) positive. */
static double first_crossing(const am_path_engine *e, const corner *next, const double *a, const double *noise,
                             double tolerance) {
    double scaled[AM_COEFFICIENTS] = {0.0}, where, power = 1.0, drop = 0.0;
    size_t skip = 0;
    if (a[0] <= tolerance)
        for (skip = 1; skip < e->orders && fabs(a[skip]) <= noise[skip];)
            skip++;
    if (skip >= e->orders)
        return INFINITY;
    for (size_t k = skip; k < e->orders; k++, power = fmin(power * next->limit, DBL_MAX)) {
        scaled[k - skip] = a[k] * power;
        drop += k > skip ? fabs(scaled[k - skip]) : 0.0;
    }
    double shift = skip > 0 ? 0.0 : tolerance;
    if (scaled[0] - drop > 0.0)
        return INFINITY;
    if (scaled[0] + shift < 0.0)
        return 0.0;
    if (!am_bernstein_first_negative(scaled, shift, &where))
        return INFINITY;
    return next->limit * (shift > 0.0 ? am_bernstein_refine(scaled, shift, where) : where);
}

/* The same where a is linear. A value that stays above -tolerance does not turn at all. */
static double linear_crossing(const corner *next, double value, double rate, double tolerance) {
    if (!(rate < 0.0) || value + rate * next->limit >= -tolerance)
        return INFINITY;
    return value > 0.0 ? value / -rate : 0.0;
}

static double crossing_of(const am_path_engine *e, const corner *next, const double *a, const double *noise,
                          double tolerance) {
    return e->orders == 2 ? linear_crossing(next, a[0], a[1], tolerance) : first_crossing(e, next, a, noise, tolerance);
}

/* A gap, a normal force or the distance to a limit of friction. */
static void examine(am_path_engine *e, corner *next, size_t c, unsigned char what) {
    const am_contact_def *contact = &e->system->contact[c];
    double a[AM_COEFFICIENTS], noise[AM_COEFFICIENTS];
    bool gap = what == AM_HIT_GAP;
    for (size_t k = 0; k < e->orders; k++) {
        a[k] = am_path_quantity(e, &e->series[k], c, what, k, 0.0);
        if (e->orders > 2)
            noise[k] =
                AM_PATH_SAME_RATE * (gap ? am_path_size(contact->normal, e->q_size[k], e->n) + am_path_gap_size(e, c, k)
                                         : e->force_size[k]);
    }
    note_crossing(
        e, next, c, what,
        crossing_of(e, next, a, noise, gap ? am_path_gap_tolerance(e, c) : AM_PATH_SAME_VALUE * e->force_scale));
}

/* The sliding velocity, which is constant while loads are linear. */
static void examine_slide(am_path_engine *e, corner *next, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    double a[AM_COEFFICIENTS] = {0.0}, noise[AM_COEFFICIENTS] = {0.0}, sign = -am_slip_sign(e->state[c]);
    for (size_t k = 1; k < e->orders; k++) {
        a[k - 1] = (double)k * am_path_slide(e, &e->series[k], c, k, sign);
        noise[k - 1] = (double)k * AM_PATH_SAME_RATE * am_path_size(contact->tangent, e->q_size[k], e->n);
    }
    note_crossing(e, next, c, AM_HIT_STOP, first_crossing(e, next, a, noise, noise[0]));
}

/* The limits of contacts that share their forces are spent together. */
static void examine_facet(am_path_engine *e, corner *next, size_t f) {
    const am_split *split = e->present->split;
    const am_facet *facet = &split->facet[f];
    double a[AM_COEFFICIENTS], noise[AM_COEFFICIENTS], size = am_path_facet_size(split, facet);
    for (size_t k = 0; k < e->orders; k++) {
        a[k] = am_path_facet(split, facet, &e->series[k]);
        noise[k] = AM_PATH_SAME_RATE * size * e->force_size[k];
    }
    double when = crossing_of(e, next, a, noise, AM_PATH_SAME_VALUE * size * e->force_scale);
    bool first = when < next->after && when <= next->limit;
    for (size_t i = 0; i < facet->members; i++)
        note_crossing(e, next, facet->member[i].contact, am_path_hit_of(facet->member[i].kind), when);
    if (first)
        e->spent = f;
}

static bool is_shared(const am_path_engine *e, size_t c, am_limit_kind kind) {
    return am_split_shares(e->present->split, &e->present->k, c, kind);
}

static void examine_contact(am_path_engine *e, corner *next, size_t c) {
    if (e->state[c] == AM_OPEN) {
        examine(e, next, c, AM_HIT_GAP);
        return;
    }
    if ((!am_path_held(e, c) || e->orders > 2) && !is_shared(e, c, AM_LIMIT_NORMAL))
        examine(e, next, c, AM_HIT_NORMAL);
    if (e->state[c] != AM_STICK) {
        if (e->orders > 2)
            examine_slide(e, next, c);
        return;
    }
    if (!is_shared(e, c, AM_LIMIT_LOWER))
        examine(e, next, c, AM_HIT_FORWARD);
    if (!is_shared(e, c, AM_LIMIT_UPPER))
        examine(e, next, c, AM_HIT_BACKWARD);
}

/* How large everything gets on the way. */
static void note_scales_ahead(am_path_engine *e, double length) {
    double power = 1.0;
    memset(e->candidate[0].q, 0, e->n * sizeof *e->candidate[0].q);
    memset(e->candidate[0].normal, 0, e->m * sizeof *e->candidate[0].normal);
    memset(e->candidate[0].tangential, 0, e->m * sizeof *e->candidate[0].tangential);
    if (e->orders == 2) { /* the ends are the extremes */
        am_path_engine_at(e, e->t + length, &e->candidate[0]);
        for (size_t i = 0; i < e->n; i++)
            e->force_scale = fmax(e->force_scale, fabs(e->force[0][i] + e->force[1][i] * length));
        am_path_note_scales(e, &e->candidate[0]);
        return;
    }
    for (size_t k = 0; k < e->orders; k++, power *= length) {
        for (size_t i = 0; i < e->n; i++)
            e->candidate[0].q[i] += power * fabs(e->series[k].q[i]);
        for (size_t c = 0; c < e->m; c++) {
            e->candidate[0].normal[c] += power * fabs(e->series[k].normal[c]);
            e->candidate[0].tangential[c] += power * fabs(e->series[k].tangential[c]);
        }
    }
    am_path_note_scales(e, &e->candidate[0]);
}

/* How far the series is exact: its remainder is (length frequency)^24 / 24! of the loads' size, below rounding for a
 * product of 2. */
static double exact_length(const am_path_engine *e) {
    return e->orders > 2 ? 2.0 / e->fastest : INFINITY;
}

double am_path_engine_next_corner(am_path_engine *engine, double limit, bool *is_corner) {
    am_path_engine *e = engine;
    if (e->orders > 2) /* linear loads need no sizes here */
        am_path_measure_orders(e, e->orders - 1);
    double end = fmin(limit, e->t + exact_length(e));
    corner next = {.after = INFINITY, .limit = end - e->t};
    note_scales_ahead(e, next.limit);
    memset(e->hit, 0, e->m * sizeof *e->hit);
    e->spent = AM_NO_ROW;
    for (size_t c = 0; c < e->m; c++)
        examine_contact(e, &next, c);
    for (size_t f = 0; e->present->split && f < e->present->split->facets; f++)
        examine_facet(e, &next, f);
    if (isnan(next.after))
        return NAN;
    /* A corner that rounding alone keeps apart from the end of the interval is at its end. */
    if (next.limit - next.after <= AM_PATH_SAME_VALUE * fmax(next.limit, fabs(end)))
        next.after = next.limit;
    *is_corner = next.after <= next.limit || end >= limit;
    return next.after < next.limit ? e->t + next.after : end;
}
