/* Steps of a smooth motion: as long as its series is exact to rounding. See docs/smooth.md. */
#include "engines/smooth/smooth.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "engines/smooth/smooth_internal.h"
#include "math/dense.h"
#include "system/system.h"

enum { ORDER = AM_SMOOTH_ORDER, COEFFICIENTS = AM_SMOOTH_COEFFICIENTS };

/* Orders whose terms say how large the motion is within a step: at a start from rest the first ones vanish. */
enum { LEADING = 6 };

/* What the last term of a step may be: half a rounding. Derivatives serve Newton's method and multipliers; a hundred
 * roundings in them are nothing, and save a fifth of the steps. */
static const double motion_rounding = 0.5 * DBL_EPSILON, derivative_rounding = 64.0 * DBL_EPSILON;

/* The defect (series against equations of motion) at the end of a step is about ORDER^2 times its error; what rounding
 * leaves of it is far below this part of the motion's size. A larger one means that the last coefficients were small
 * by accident. */
static const double worst_defect = 1e-12;

static const size_t most_steps = 20000000, most_halvings = 60;

double am_smooth_time(const am_smooth *engine) {
    return engine->t;
}

const double *am_smooth_state(const am_smooth *engine) {
    return engine->x;
}

double am_smooth_step_start(const am_smooth *engine) {
    return engine->step_start;
}

/* ---- how long a step may be ---- */

/* The longest h for which the term j of the series, with its derivative, is rounding against the leading terms:
 * j c_j h^j <= rounding * max over k of s_k h^k. */
static double reach(double last, size_t j, const double *leading, double rounding) {
    double longest = 0.0;
    if (!(last > 0.0))
        return INFINITY;
    for (size_t k = 0; k < LEADING; k++)
        if (leading[k] > 0.0)
            longest = fmax(longest, pow(rounding * leading[k] / ((double)j * last), 1.0 / (double)(j - k)));
    return longest;
}

static double weighted_largest(const am_smooth *e, const double *values) {
    double largest = 0.0;
    for (size_t i = 0; i < e->n; i++) {
        double size = e->weight[i] * fabs(values[i]);
        largest = size > largest ? size : largest;
    }
    return largest;
}

static double motion_reach(const am_smooth *e) {
    double leading[LEADING];
    for (size_t k = 0; k < LEADING; k++)
        leading[k] = weighted_largest(e, e->q + k * e->n);
    return fmin(reach(weighted_largest(e, e->q + (ORDER - 1) * e->n), ORDER - 1, leading, motion_rounding),
                reach(weighted_largest(e, e->q + ORDER * e->n), ORDER, leading, motion_rounding));
}

/* Columns from..to of one order of W. */
static double block_largest(const am_smooth *e, size_t k, size_t from, size_t to) {
    double largest = 0.0;
    for (size_t i = 0; i < e->n; i++) {
        const double *row = e->w + (i * COEFFICIENTS + k) * e->columns;
        if (e->equal_weights)
            largest = fmax(largest, am_dense_largest(row + from, to - from));
        for (size_t c = from; c < to && !e->equal_weights; c++) {
            double size = e->weight[i] / e->weight[c - from] * fabs(row[c]);
            largest = size > largest ? size : largest;
        }
    }
    return largest;
}

/* Derivatives by displacements and by velocities have different units: each by itself. */
static double derivative_reach(const am_smooth *e) {
    double longest = INFINITY, leading[LEADING];
    for (size_t from = 0; from <= e->n; from += e->n) {
        for (size_t k = 0; k < LEADING; k++)
            leading[k] = block_largest(e, k, from, from + e->n);
        longest = fmin(longest,
                       reach(block_largest(e, ORDER - 1, from, from + e->n), ORDER - 1, leading, derivative_rounding));
        longest = fmin(longest, reach(block_largest(e, ORDER, from, from + e->n), ORDER, leading, derivative_rounding));
    }
    return longest;
}

/* ---- one step ---- */

/* State a time s after the beginning of the step. */
static void evaluate(const am_smooth *e, double s, double *state) {
    size_t n = e->n;
    for (size_t i = 0; i < n; i++) {
        double q = e->q[ORDER * n + i], v = (double)ORDER * q;
        for (size_t k = ORDER; k-- > 1;) {
            q = q * s + e->q[k * n + i];
            v = v * s + (double)k * e->q[k * n + i];
        }
        state[i] = q * s + e->q[i];
        state[n + i] = v;
    }
}

static double second_derivative(const am_smooth *e, size_t i, double s) {
    double a = 0.0;
    for (size_t k = ORDER; k > 1; k--)
        a = a * s + (double)(k * (k - 1)) * e->q[k * e->n + i];
    return a;
}

/* Inputs at the end of the step. Those of a break belong to the time after it: before it, their series. */
static void inputs_after(const am_smooth *e, double h, bool ends_at_break, double *z) {
    size_t nz = e->system->nz;
    if (!ends_at_break) {
        am_system_inputs(e->system, e->t + h, z);
        return;
    }
    for (size_t i = 0; i < nz; i++) {
        z[i] = e->z[ORDER * nz + i];
        for (size_t k = ORDER; k-- > 0;)
            z[i] = z[i] * h + e->z[k * nz + i];
    }
}

/* Do the equations of motion hold at the end of the step? state: there. */
static bool passes_check(am_smooth *e, double h, bool ends_at_break, const double *state) {
    double *a = e->work, *z = e->work + 4 * e->n, error = 0.0, size = 0.0;
    inputs_after(e, h, ends_at_break, z);
    am_smooth_acceleration(e, z, state, a);
    for (size_t i = 0; i < e->n; i++) {
        double s = second_derivative(e, i, h), w = e->weight[i];
        error = fmax(error, w * h * h * fabs(s - a[i]));
        size = fmax(size, w * fmax(fmax(fabs(e->q[i]), h * fabs(e->q[e->n + i])), h * h * fabs(s)));
    }
    return error <= worst_defect * size;
}

/* Horner's rule for all columns side by side. */
static void evaluate_derivative(am_smooth *e, double h) {
    size_t width = e->columns;
    for (size_t i = 0; i < e->n; i++) {
        const double *w = e->w + i * COEFFICIENTS * width;
        double *restrict q = e->phi + i * width, *restrict v = e->phi + (e->n + i) * width;
        for (size_t c = 0; c < width; c++) {
            q[c] = w[ORDER * width + c];
            v[c] = (double)ORDER * q[c];
        }
        for (size_t k = ORDER; k-- > 1;) {
            const double *restrict row = w + k * width;
            double factor = (double)k;
            for (size_t c = 0; c < width; c++) {
                q[c] = q[c] * h + row[c];
                v[c] = v[c] * h + factor * row[c];
            }
        }
        for (size_t c = 0; c < width; c++)
            q[c] = q[c] * h + w[c];
    }
}

static bool is_finite(const double *values, size_t count) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(values[i]);
    return isfinite(sum);
}

static void strike(am_smooth *e) {
    double *impulse = e->work, *jump = e->work + e->n;
    e->blow_work = 0.0;
    if (!e->at_break || !am_system_blow(e->system, e->t, impulse))
        return;
    am_dense_apply(e->inverse_mass, e->n, e->n, impulse, jump);
    for (size_t i = 0; i < e->n; i++) {
        e->blow_work += impulse[i] * (e->x[e->n + i] + 0.5 * jump[i]);
        e->x[e->n + i] += jump[i];
    }
}

static am_status too_far(const am_smooth *e, am_error *err) {
    return am_fail(err, AM_ERR_LIMIT, "the motion grows beyond all bounds near t = %.6g", e->t);
}

void am_smooth_start(am_smooth *engine, double t, const double *state, bool derivative) {
    am_smooth *e = engine;
    size_t n = e->n;
    e->t = e->step_start = t;
    e->length = 0.0;
    e->at_break = true;
    memmove(e->x, state, 2 * n * sizeof *state);
    e->derivative = derivative && e->phi;
    if (!e->derivative)
        return;
    memset(e->phi, 0, 2 * n * e->columns * sizeof *e->phi);
    for (size_t i = 0; i < 2 * n; i++)
        e->phi[i * e->columns + i] = 1.0;
}

am_status am_smooth_step(am_smooth *engine, double until, am_error *err) {
    am_smooth *e = engine;
    am_status wanted = am_watch_spend(1e3 * (double)e->n * (double)e->n, err);
    if (wanted)
        return wanted;
    strike(e);
    am_smooth_expand(e);
    double next = am_system_next_break(e->system, e->t), limit = fmin(until, next), left = limit - e->t;
    double h = motion_reach(e);
    if (e->derivative)
        h = fmin(h, derivative_reach(e));
    if (h >= left)
        h = left;
    else if (2.0 * h > left)
        h = 0.5 * left;
    if (!is_finite(e->q, COEFFICIENTS * e->n) || !(h > DBL_EPSILON * fabs(e->t)))
        return too_far(e, err);
    evaluate(e, h, e->x);
    for (size_t i = 0; i < most_halvings && !passes_check(e, h, h == left && limit == next, e->x); i++) {
        h *= 0.5;
        evaluate(e, h, e->x);
    }
    if (e->derivative)
        evaluate_derivative(e, h);
    if (!is_finite(e->x, 2 * e->n))
        return too_far(e, err);
    e->step_start = e->t;
    e->length = h;
    e->at_break = h == left && limit == next;
    e->t = h == left ? limit : e->t + h;
    return AM_OK;
}

void am_smooth_at(const am_smooth *engine, double t, double *state) {
    evaluate(engine, fmin(fmax(t - engine->step_start, 0.0), engine->length), state);
}

void am_smooth_polynomial(const am_smooth *engine, size_t i, double coefficients[AM_SMOOTH_COEFFICIENTS]) {
    const am_smooth *e = engine;
    double power = 1.0;
    bool velocity = i >= e->n;
    coefficients[ORDER] = 0.0;
    for (size_t k = 0; k + velocity < COEFFICIENTS; k++, power *= e->length)
        coefficients[k] = power * (velocity ? (double)(k + 1) * e->q[(k + 1) * e->n + i - e->n] : e->q[k * e->n + i]);
}

am_status am_smooth_flow(am_smooth *engine, double t0, const double *state, double duration, double *out,
                         double *derivative, am_error *err) {
    am_smooth *e = engine;
    if (!(duration >= 0.0) || !isfinite(t0 + duration))
        return am_fail(err, AM_ERR_INPUT, "a motion cannot be followed for a time of %g", duration);
    if (derivative && am_smooth_reserve_derivative(e, err))
        return AM_ERR_MEMORY;
    double until = t0 + duration;
    am_status status = AM_OK;
    am_smooth_start(e, t0, state, derivative != NULL);
    for (size_t steps = 0; e->t < until && !status; steps++)
        status = steps < most_steps ? am_smooth_step(e, until, err)
                                    : am_fail(err, AM_ERR_LIMIT, "the motion takes too many steps near t = %.6g", e->t);
    if (status)
        return status;
    memcpy(out, e->x, 2 * e->n * sizeof *out);
    for (size_t i = 0; derivative && i < 2 * e->n; i++)
        memcpy(derivative + i * 2 * e->n, e->phi + i * e->columns, 2 * e->n * sizeof *derivative);
    return AM_OK;
}

double am_smooth_size(const am_smooth *engine, const double *a, const double *b, double time_scale) {
    const am_smooth *e = engine;
    double size = 0.0;
    for (size_t i = 0; i < 2 * e->n; i++) {
        double weight = i < e->n ? e->weight[i] : time_scale * e->weight[i - e->n];
        size = fmax(size, weight * fabs(b ? a[i] - b[i] : a[i]));
    }
    return size;
}
