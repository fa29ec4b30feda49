/* A span: its Taylor series, how far it is exact, and the first quantity that turns negative on it. See docs/motion.md,
 * sections 3 and 4. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/engine.h"
#include "math/dense.h"

/* From so many quantities on a bound common to all of them pays. */
static const size_t many_quantities = 8;

/* Taylor coefficients at x, and the length over which they are exact to rounding:
 * remainder <= |x_24| h^24 / (1 - h rate/25) <= 2 eps |x| for the h chosen here. */
double am_engine_expand(am_motion *e, double limit) {
    size_t nx = e->plan.nx;
    memcpy(e->series, e->x, nx * sizeof *e->x);
    am_flow_expand(&e->plan, e->flow, e->series, e->columns);
    double norm = am_plan_norm(&e->plan, e->x), rest = am_plan_norm(&e->plan, e->series + AM_COEFFICIENTS * nx);
    if (!(rest > 0.0) && !e->sensitivity)
        return limit; /* a polynomial: exact at any length */
    double length = rest > 0.0 ? pow(DBL_EPSILON * norm / rest, 1.0 / AM_COEFFICIENTS) : INFINITY;
    length = fmin(length, 0.5 * (AM_COEFFICIENTS + 1) / e->flow->rate);
    if (e->sensitivity) /* any direction may be disturbed: (length rate)^24/24! must be below rounding for all of them
                         */
        length = fmin(length, 2.0 / e->flow->rate);
    return fmin(length, limit);
}

/* Every span passed adds its own rounding errors: a touch that recurs for ever must not look like a switch one day. */
static double rounding_of(const am_motion *e, size_t q, double scale) {
    return (AM_ROUNDING + 4.0 * (double)e->statistics.spans) * DBL_EPSILON * e->flow->dual[q] * scale;
}

/* One quantity along the span as a polynomial on [0, 1], zeros at its start divided out. Returns its rounding level. */
static double quantity_polynomial(const am_motion *e, size_t q, const double *power, double scale, double *a) {
    const double *row = e->flow->row + q * e->plan.nx, *x = e->series;
    const am_extent *extent = &e->flow->row_extent[q];
    size_t skip = e->fresh ? e->order[q] : 0;
    double sum = 0.0;
    x += skip * e->plan.nx;
    for (size_t k = skip; k < AM_COEFFICIENTS; k++, x += e->plan.nx) {
        bool inputs = e->columns[k] > e->plan.nd;
        a[k - skip] = power[k] * (inputs ? am_extent_dot(extent, row, x) : am_extent_dynamic(extent, row, x));
        sum += fabs(a[k - skip]);
    }
    for (size_t k = AM_COEFFICIENTS - skip; k < AM_COEFFICIENTS; k++)
        a[k] = 0.0;
    if (skip > 0)
        return AM_ROUNDING * DBL_EPSILON * sum;
    return rounding_of(e, q, scale);
}

/* With static friction above kinetic a sliding velocity that only touches zero may end in stick: it must be looked at.
 */
static bool stops_at_touch(const am_motion *e, size_t q) {
    const am_quantity *quantity = &e->flow->quantity[q];
    const am_contact_def *contact = &e->plan.system->contact[quantity->contact];
    return quantity->kind == AM_QUANTITY_SLIDE && contact->static_friction > contact->friction;
}

/* How far each entry of x gets from its start along the span, at most. */
static void measure_reach(const am_motion *e, const double *power, double *reach) {
    size_t nx = e->plan.nx;
    memset(reach, 0, nx * sizeof *reach);
    for (size_t k = 1; k < AM_COEFFICIENTS; k++) {
        const double *x = e->series + k * nx;
        for (size_t i = 0; i < e->columns[k]; i++)
            reach[i] += power[k] * fabs(x[i]);
    }
}

/* Does quantity q stay above the rounding around zero because x does not get far enough? Most contacts of a large
 * structure are that far from a switch, and need no polynomial. */
static bool out_of_reach(const am_motion *e, size_t q, double scale, const double *reach) {
    const am_extent *extent = &e->flow->row_extent[q];
    const double *row = e->flow->row + q * e->plan.nx;
    double value = am_extent_dot(extent, row, e->x), most = rounding_of(e, q, scale);
    for (size_t j = extent->from; j < extent->to; j++)
        most += fabs(row[j]) * reach[j];
    for (size_t j = extent->input_from; j < extent->input_to; j++)
        most += fabs(row[j]) * reach[j];
    return value > most;
}

/* Where does quantity q first turn negative? First the whole band of rounding around zero is tested in one go: almost
 * always the quantity stays above it. */
static void look_at_quantity(am_motion *e, size_t q, const double *power, double scale, am_crossing *first) {
    double a[AM_COEFFICIENTS], below = 0.0, where;
    if ((e->fresh && e->order[q] == AM_NEVER) || !e->flow->row_extent[q].moves)
        return;
    double rounding = quantity_polynomial(e, q, power, scale, a);
    for (size_t k = 1; k < AM_COEFFICIENTS; k++)
        below += fabs(a[k]);
    if (a[0] - below > rounding)
        return;
    double b[AM_COEFFICIENTS], touch;
    am_bernstein_from_power(a, b);
    bool from_above = a[0] > rounding;
    if (from_above && am_bernstein_least(b) >= rounding)
        return;
    double shift = from_above && stops_at_touch(e, q) ? -rounding : rounding;
    if (am_bernstein_search(a, b, shift, &where)) {
        where = am_bernstein_refine(a, shift, where);
        if (where < first->where) {
            first->where = where;
            first->quantity = q;
        }
    } else if (from_above && am_bernstein_search(a, b, -rounding, &touch) && touch < first->where) {
        first->grazes++;
        e->in_band[q] = am_polynomial_at(a, 1.0) <= rounding;
    }
}

am_crossing am_engine_first_crossing(am_motion *e, double length) {
    double power[AM_COEFFICIENTS];
    am_crossing first = {.where = 2.0, .quantity = AM_NEVER};
    power[0] = 1.0;
    for (size_t k = 1; k < AM_COEFFICIENTS; k++)
        power[k] = power[k - 1] * length;
    double scale = am_plan_norm(&e->plan, e->x) + length * am_plan_norm(&e->plan, e->series + e->plan.nx);
    double *reach = e->size_work[0];
    bool many = e->flow->quantities >= many_quantities;
    if (many)
        measure_reach(e, power, reach);
    for (size_t q = 0; q < e->flow->quantities; q++)
        if (!many || (e->fresh && e->order[q] > 0) || !out_of_reach(e, q, scale, reach))
            look_at_quantity(e, q, power, scale, &first);
    return first;
}
