/* The top of a resonance at one value of the parameter: uphill along the response curve from a motion near it, until
 * the amplitude's slope changes its sign, then between. */
#include <math.h>
#include <string.h>

#include "analyses/design/design_internal.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/trigonometric.h"

/* Scaled arclengths: 1 is the whole range of frequencies, or a change of the motion by its own size. */
static const double first_step = 0.01, largest_step = 0.05, smallest_step = 1e-9, farthest = 0.5, far_away = 0.2;
static const double narrow_enough = 1e-7; /* one that will do, at a corner where nothing smaller can be solved */
static const double narrow = 2e-10;       /* a bracket this small is a point */
static const double flat = 1e-8;          /* a slope of the amplitude this small, by the amplitude, is none */
static const double corner = 1e-5;        /* slopes that differ by this across a narrow bracket make a corner */
static const double difference = 1e-5;    /* of the amplitude along a direction: exact without condensation */
static const double newton = 1e-11, nearly = 1e-8; /* residual that is wanted, and that will do */
static const double overhang = 1e-3; /* share of the frequency in the tangent below which it is no coordinate */

/* ---- amplitude ---- */

static am_status amplitude_at(am_design *d, const double *z, double p, double *amplitude, am_error *err) {
    AM_TRY(am_balance_unpack(d->balance, z, p, d->signals, err));
    *amplitude = am_design_amplitude(d, d->signals, d->S);
    return AM_OK;
}

/* d amplitude along (scale * direction, along_p). */
static am_status slope_along(am_design *d, const double *z, const double *direction, double along_p, double *slope,
                             am_error *err) {
    double size = fabs(along_p), above = 0.0, below = 0.0;
    for (size_t i = 0; i < d->size; i++)
        size = fmax(size, fabs(direction[i]));
    double h = size > 0.0 ? difference / size : difference;
    for (size_t i = 0; i < d->size; i++)
        d->shifted[i] = z[i] + h * d->scale[i] * direction[i];
    AM_TRY(amplitude_at(d, d->shifted, d->p + h * along_p, &above, err));
    for (size_t i = 0; i < d->size; i++)
        d->shifted[i] = z[i] - h * d->scale[i] * direction[i];
    AM_TRY(amplitude_at(d, d->shifted, d->p - h * along_p, &below, err));
    *slope = (above - below) / (2.0 * h);
    return AM_OK;
}

static am_status measure_largest(am_design *d, const double *z, am_design_peak *peak, am_error *err) {
    AM_TRY(am_balance_unpack(d->balance, z, d->p, d->signals, err));
    double top = -1.0;
    for (size_t c = 0; c < d->n; c++) {
        const double *s = d->signals + c * d->S;
        double most, least, own = hypot(s[1], s[2]);
        if (d->options->coordinate != c && !(d->options->coordinate == SIZE_MAX && own > top))
            continue;
        am_trig_extremes(d->H, s, &most, NULL, &least, NULL);
        peak->largest = fmax(fabs(most), fabs(least));
        top = own;
    }
    return AM_OK;
}

/* ---- motions in a chart ---- */

/* The equations of harmonic balance, and the place in the chart. Newton's method works at fixed p: F_p is not asked. */
static am_status evaluate(void *context, const double *z, double p, double *F, double *J, double *Fp, am_error *err) {
    am_design *d = context;
    size_t m = d->size;
    AM_TRY(am_balance_evaluate(d->balance, z, p, F, J, NULL, err));
    double s = -d->target;
    for (size_t i = 0; i < m; i++)
        s += d->border[i] * (z[i] - d->anchor[i]) / d->scale[i];
    F[m - 1] = s;
    for (size_t i = 0; i < m && J; i++)
        J[(m - 1) * m + i] = d->border[i] / d->scale[i];
    if (Fp)
        memset(Fp, 0, m * sizeof *Fp);
    return AM_OK;
}

/* Factors of [J; border] in scaled unknowns, rows by their size; Fp too when asked for. */
static am_status factor(am_design *d, const double *z, double *Fp, am_error *err) {
    size_t m = d->size;
    AM_TRY(am_balance_evaluate(d->balance, z, d->p, d->F, d->matrix, Fp, err));
    for (size_t i = 0; i + 1 < m; i++) {
        double *row = d->matrix + i * m, sum = 0.0;
        for (size_t j = 0; j < m; j++) {
            row[j] *= d->scale[j];
            sum += fabs(row[j]);
        }
        d->weight[i] = sum > 0.0 ? sum : 1.0;
        for (size_t j = 0; j < m; j++)
            row[j] /= d->weight[i];
    }
    memcpy(d->matrix + (m - 1) * m, d->border, m * sizeof *d->border);
    return am_lu_factor(d->matrix, m, d->order)
               ? AM_OK
               : am_fail(err, AM_ERR_LIMIT, "two response curves meet at frequency %.15g", z[m - 1]);
}

/* The station at s from the guess in its z: Newton's method, then tangent and rise in this chart. */
static am_status solve(am_design *d, am_design_station *at, double s, am_error *err) {
    am_continuation_problem problem = {.n = d->size, .evaluate = evaluate, .context = d};
    size_t m = d->size;
    double length;
    d->target = s;
    am_status status = am_continuation_solve(d->curve, &problem, d->p, newton, at->z, &at->residual, err);
    if (status == AM_ERR_LIMIT && at->residual <= nearly)
        status = AM_OK; /* at a corner Newton's method goes to and fro between both sides of it */
    if (!status && !(at->z[m - 1] > 0.0))
        status = am_fail(err, AM_ERR_LIMIT, "the frequency of the response went to %g", at->z[m - 1]);
    if (!status)
        status = factor(d, at->z, NULL, err);
    if (status)
        return status;
    memset(at->tangent, 0, m * sizeof *at->tangent);
    at->tangent[m - 1] = 1.0;
    am_lu_solve(d->matrix, m, d->order, 1, at->tangent);
    length = sqrt(am_dense_dot(at->tangent, at->tangent, m));
    if (!(length > 0.0) || !isfinite(length))
        return am_fail(err, AM_ERR_LIMIT, "the response curve has no direction at frequency %.15g", at->z[m - 1]);
    for (size_t i = 0; i < m; i++)
        at->tangent[i] /= length;
    status = slope_along(d, at->z, at->tangent, 0.0, &at->rise, err);
    return status ? status : amplitude_at(d, at->z, d->p, &at->amplitude, err);
}

/* A chart that begins at a station, along its tangent: by frequency alone, in which tangents of any two sides of a
 * corner agree, unless the curve hangs over. */
static void see_from(am_design *d, const am_design_station *at, bool by_frequency) {
    size_t m = d->size;
    memcpy(d->anchor, at->z, m * sizeof *d->anchor);
    memcpy(d->border, at->tangent, m * sizeof *d->border);
    if (by_frequency) {
        memset(d->border, 0, m * sizeof *d->border);
        d->border[m - 1] = at->tangent[m - 1] < 0.0 ? -1.0 : 1.0;
    }
}

static bool hangs_over(const am_design *d, const am_design_station *at) {
    return !(fabs(at->tangent[d->size - 1]) > overhang);
}

/* The rise by s in the present chart: tangents are of unit length, s is the distance along the border. */
static double rise_in_chart(const am_design *d, const am_design_station *at) {
    return at->rise / am_dense_dot(at->tangent, d->border, d->size);
}

static double place_in_chart(const am_design *d, const am_design_station *at) {
    double s = 0.0;
    for (size_t i = 0; i < d->size; i++)
        s += d->border[i] * (at->z[i] - d->anchor[i]) / d->scale[i];
    return s;
}

static void copy_station(const am_design *d, am_design_station *to, const am_design_station *from) {
    am_design_station kept = *to;
    *to = *from;
    to->z = kept.z;
    to->tangent = kept.tangent;
    memcpy(to->z, from->z, d->size * sizeof *to->z);
    memcpy(to->tangent, from->tangent, d->size * sizeof *to->tangent);
}

static void swap(am_design_station **a, am_design_station **b) {
    am_design_station *kept = *a;
    *a = *b;
    *b = kept;
}

static void reverse_direction(const am_design *d, am_design_station *at) {
    for (size_t i = 0; i < d->size; i++)
        at->tangent[i] = -at->tangent[i];
    at->rise = -at->rise;
}

static double apart(const am_design *d, const double *a, const double *b) {
    double sum = 0.0;
    for (size_t i = 0; i < d->size; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]) / (d->scale[i] * d->scale[i]);
    return sqrt(sum);
}

/* ---- at a frequency ---- */

static am_status solve_at(am_design *d, am_design_station *at, double omega, am_error *err) {
    size_t m = d->size;
    memset(d->border, 0, m * sizeof *d->border);
    d->border[m - 1] = 1.0;
    memcpy(d->anchor, at->z, m * sizeof *d->anchor);
    d->anchor[m - 1] = at->z[m - 1] = omega;
    am_status status = solve(d, at, 0.0, err);
    at->z[m - 1] = omega;
    return status;
}

/* ---- what a peak is ---- */

/* d amplitude/d p at a fixed place of the present chart. */
static am_status slope_by_parameter(am_design *d, const am_design_station *at, double *slope, am_error *err) {
    size_t m = d->size;
    AM_TRY(factor(d, at->z, d->Fp, err));
    for (size_t i = 0; i + 1 < m; i++)
        d->move[i] = -d->Fp[i] / d->weight[i];
    d->move[m - 1] = 0.0;
    am_lu_solve(d->matrix, m, d->order, 1, d->move);
    return slope_along(d, at->z, d->move, 1.0, slope, err);
}

static am_status describe(am_design *d, const am_design_station *at, am_design_kind kind, double condition,
                          am_design_peak *peak, am_error *err) {
    *peak = (am_design_peak){.p = d->p,
                             .omega = at->z[d->size - 1],
                             .amplitude = at->amplitude,
                             .slope = NAN,
                             .condition = condition,
                             .residual = at->residual,
                             .kind = kind};
    AM_TRY(kind == AM_DESIGN_KINK ? AM_OK : slope_by_parameter(d, at, &peak->slope, err));
    return measure_largest(d, at->z, peak, err);
}

/* ---- between two stations ---- */

static void guess_between(const am_design *d, double s, double s_low, double s_high, double *z) {
    double share = (s - s_low) / (s_high - s_low);
    for (size_t i = 0; i < d->size; i++)
        z[i] = d->low->z[i] + share * (d->high->z[i] - d->low->z[i]);
}

/* low rises towards high, high falls. Both are seen from low. */
static am_status between(am_design *d, am_design_peak *peak, am_design_station **found, am_error *err) {
    bool by_frequency = !hangs_over(d, d->low) && !hangs_over(d, d->high) &&
                        d->low->tangent[d->size - 1] * d->high->tangent[d->size - 1] > 0.0;
    see_from(d, d->low, by_frequency);
    double s_high = place_in_chart(d, d->high), sign = s_high < 0.0 ? -1.0 : 1.0, size = d->low->amplitude;
    if (sign < 0.0) /* growing s leads uphill */
        for (size_t i = 0; i < d->size; i++)
            d->border[i] = -d->border[i];
    am_design_maximum summit =
        am_design_maximum_start(0.0, d->low->amplitude, rise_in_chart(d, d->low), fabs(s_high), d->high->amplitude,
                                rise_in_chart(d, d->high), flat * size, narrow);
    am_status status = AM_OK;
    double g_first = summit.g_low, g_last = summit.g_high, width = summit.high, far = apart(d, d->low->z, d->high->z);
    while (!summit.done && !status) {
        double s = am_design_maximum_next(&summit);
        guess_between(d, s, summit.low, summit.high, d->next->z);
        status = solve(d, d->next, s, err);
        if (!status && apart(d, d->low->z, d->next->z) > 3.0 * far)
            status = am_fail(err, AM_ERR_LIMIT, "the response jumps near frequency %.15g", d->next->z[d->size - 1]);
        if (status == AM_ERR_LIMIT && summit.high - summit.low < narrow_enough) {
            status = AM_OK; /* both sides of a corner are known */
            break;
        }
        if (status)
            break;
        if (am_design_maximum_update(&summit, s, d->next->amplitude, rise_in_chart(d, d->next)) < 0)
            swap(&d->low, &d->next);
        else
            swap(&d->high, &d->next);
    }
    if (status)
        return status;
    bool low = fabs(summit.g_low) < fabs(summit.g_high),
         kink = !summit.smooth && summit.g_low - summit.g_high > corner * size;
    if (kink)
        low = summit.f_low >= summit.f_high;
    else if (width > 1e-7)
        d->curvature = (g_last - g_first) / width / size;
    *found = low ? d->low : d->high;
    double condition = kink ? summit.high - summit.low : fabs(low ? summit.g_low : summit.g_high) / size;
    return describe(d, *found, kink ? AM_DESIGN_KINK : AM_DESIGN_SMOOTH, condition, peak, err);
}

/* ---- uphill ---- */

static double wanted_step(const am_design *d, const am_design_station *at) {
    double step = d->curvature < 0.0 ? 1.1 * fabs(at->rise) / (at->amplitude * -d->curvature) + 1e-7 : first_step;
    return fmin(step, largest_step);
}

/* The last step left the frequencies: is the top at their end, or before it? */
static am_status examine_bound(am_design *d, double bound, am_design_peak *peak, am_design_station **found,
                               am_error *err) {
    double share = (bound - d->here->z[d->size - 1]) / (d->next->z[d->size - 1] - d->here->z[d->size - 1]);
    for (size_t i = 0; i < d->size; i++)
        d->next->z[i] = d->here->z[i] + share * (d->next->z[i] - d->here->z[i]);
    AM_TRY(solve_at(d, d->next, bound, err));
    bool outward = bound == d->most ? d->next->rise >= 0.0 : d->next->rise <= 0.0;
    *found = d->next;
    if (outward)
        return describe(d, d->next, AM_DESIGN_END, 0.0, peak, err);
    if (d->here->tangent[d->size - 1] < 0.0) /* oriented like the other one */
        reverse_direction(d, d->next);
    copy_station(d, d->low, d->here);
    copy_station(d, d->high, d->next);
    return between(d, peak, found, err);
}

static bool has_left(const am_design *d, const am_design_station *at, double *bound) {
    double omega = at->z[d->size - 1];
    *bound = omega > d->most ? d->most : d->least;
    return omega > d->most || omega < d->least;
}

/* From here to next, by frequency; where that fails or leads to another branch the curve may hang over: by arclength.
 */
static am_status step_along(am_design *d, double step, am_error *err) {
    am_status status = AM_ERR_LIMIT;
    for (int by_frequency = hangs_over(d, d->here) ? 0 : 1; by_frequency >= 0; by_frequency--) {
        see_from(d, d->here, by_frequency == 1);
        for (size_t i = 0; i < d->size; i++)
            d->next->z[i] = d->here->z[i] + step * d->scale[i] * d->here->tangent[i];
        status = solve(d, d->next, step * (by_frequency ? fabs(d->here->tangent[d->size - 1]) : 1.0), err);
        if (am_status_is_fatal(status))
            return status;
        if (!status && apart(d, d->here->z, d->next->z) > 10.0 * fabs(step))
            status = am_fail(err, AM_ERR_LIMIT, "the response jumps near frequency %.15g", d->here->z[d->size - 1]);
        if (!status)
            break;
    }
    return status;
}

static am_status climb(am_design *d, am_design_peak *peak, am_design_station **found, am_error *err) {
    double step = wanted_step(d, d->here), way = 0.0, bound, sign = d->here->rise < 0.0 ? -1.0 : 1.0;
    for (int tries = 0; tries < 200; tries++) {
        if (fabs(d->here->rise) <= flat * d->here->amplitude) {
            *found = d->here;
            return describe(d, d->here, AM_DESIGN_SMOOTH, fabs(d->here->rise) / d->here->amplitude, peak, err);
        }
        am_status status = step_along(d, sign * step, err);
        if (am_status_is_fatal(status))
            return status;
        if (status || (d->next->rise * sign > 0.0 && d->next->amplitude < d->here->amplitude)) {
            step *= 0.25; /* lost, or over a top and through a valley */
            if (step < smallest_step)
                return status ? status : am_fail(err, AM_ERR_LIMIT, "the amplitude has no slope here");
            continue;
        }
        if (has_left(d, d->next, &bound))
            return examine_bound(d, bound, peak, found, err);
        if (!(d->next->rise * sign > 0.0)) {
            copy_station(d, d->low, d->here);
            copy_station(d, d->high, d->next);
            return between(d, peak, found, err);
        }
        way += step;
        if (way > farthest)
            break;
        double drop = d->here->rise - d->next->rise;
        double guess = drop * sign > 0.0 ? 1.2 * step * d->next->rise / drop : 2.0 * step;
        step = fmin(fmin(fmax(guess, 0.25 * step), 3.0 * step), largest_step);
        swap(&d->here, &d->next);
    }
    return am_fail(err, AM_ERR_LIMIT, "no peak is near frequency %.15g", d->here->z[d->size - 1]);
}

/* ---- the whole ---- */

static void set_scales(am_design *d, const double *z) {
    size_t m = d->size;
    double size = sqrt(am_dense_dot(z, z, m - 1));
    for (size_t i = 0; i + 1 < m; i++)
        d->scale[i] = size > 0.0 ? size : 1.0;
    d->scale[m - 1] = d->most - d->least;
}

/* A motion next to the guess z: at its frequency, or, where that fails or leads far away, across the way. */
static am_status first_station(am_design *d, const double *z, const double *way, am_error *err) {
    size_t m = d->size;
    double omega = fmin(fmax(z[m - 1], d->least), d->most), length = 0.0;
    memcpy(d->here->z, z, m * sizeof *z);
    am_status status = solve_at(d, d->here, omega, err);
    bool far = !status && apart(d, d->here->z, z) > far_away;
    if (am_status_is_fatal(status) || (!status && !far) || omega == d->least || omega == d->most)
        return status;
    for (size_t i = 0; i < m; i++) {
        d->border[i] = way[i] / d->scale[i];
        length += d->border[i] * d->border[i];
    }
    for (size_t i = 0; i < m; i++)
        d->border[i] /= sqrt(length);
    memcpy(d->anchor, z, m * sizeof *z);
    memcpy(d->here->z, z, m * sizeof *z);
    return solve(d, d->here, 0.0, err);
}

static am_status find_peak(am_design *d, double p, const double *z, const double *way, am_design_peak *peak,
                           am_design_station **found, am_error *err) {
    double bound;
    d->p = p;
    set_scales(d, z);
    AM_TRY(first_station(d, z, way, err));
    if (has_left(d, d->here, &bound)) /* a steep guess */
        AM_TRY(solve_at(d, d->here, bound, err));
    double omega = d->here->z[d->size - 1], uphill = d->here->rise * d->here->tangent[d->size - 1];
    if ((omega == d->least && uphill <= 0.0) || (omega == d->most && uphill >= 0.0)) {
        *found = d->here;
        return describe(d, d->here, AM_DESIGN_END, 0.0, peak, err);
    }
    return climb(d, peak, found, err);
}

/* Differences along the curve of peaks: at a corner the peak stays at the corner, whose place moves with p. */
static am_status slope_of_kink(am_design *d, const double *z, const double *way, am_design_peak *peak, am_error *err) {
    const am_design_options *o = d->options;
    double h = 1e-5 * fabs(o->to - o->from), least = fmin(o->from, o->to), most = fmax(o->from, o->to);
    double left = fmax(peak->p - h, least), right = fmin(peak->p + h, most);
    am_design_peak before = *peak, after = *peak;
    am_design_station *found;
    am_status status = left < peak->p ? find_peak(d, left, z, way, &before, &found, err) : AM_OK;
    if (status == AM_ERR_LIMIT)
        before = *peak;
    else if (status)
        return status;
    status = right > peak->p ? find_peak(d, right, z, way, &after, &found, err) : AM_OK;
    if (status == AM_ERR_LIMIT && before.p < peak->p) {
        after = *peak; /* one side has to do */
        status = AM_OK;
    }
    peak->slope = (after.amplitude - before.amplitude) / (after.p - before.p);
    return status;
}

am_status am_design_peak_at(am_design *d, double p, double *z, double *way, am_design_peak *peak, am_error *err) {
    am_design_station *found;
    AM_TRY(find_peak(d, p, z, way, peak, &found, err));
    memcpy(z, found->z, d->size * sizeof *z);
    for (size_t i = 0; i < d->size; i++)
        way[i] = found->tangent[i] * d->scale[i];
    return peak->kind == AM_DESIGN_KINK ? slope_of_kink(d, z, way, peak, err) : AM_OK;
}
