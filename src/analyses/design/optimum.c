/* The highest peak as a function of the parameter: its least value, and the range in which it stays near it. */
#include <math.h>
#include <stdint.h>

#include "analyses/design/design_internal.h"
#include "base/memory.h"
#include "base/try.h"
#include "math/dense.h"

/* Slopes as d log(peak) over the whole range: what counts as none (stuck dampers), and as a jump. */
static const double no_slope = 1e-6, jump = 1e-4;

/* ---- from the points of the curves ---- */

/* The cubic through two peaks with their slopes. */
static double between(const am_design_peak *a, const am_design_peak *b, double p, double *slope) {
    double width = b->p - a->p, u = (p - a->p) / width, v = 1.0 - u, rise = b->amplitude - a->amplitude;
    double left = a->slope * width, right = b->slope * width;
    *slope = (6.0 * u * v * rise + v * (1.0 - 3.0 * u) * left + u * (3.0 * u - 2.0) * right) / width;
    return a->amplitude + u * u * (3.0 - 2.0 * u) * rise + u * v * v * left - u * u * v * right;
}

/* Height of one curve at p; false outside of it. */
static bool height(const am_design_curve *curve, double p, double *amplitude, double *slope) {
    size_t low = 0, high = curve->count - 1;
    if (p < curve->peak[0].p || p > curve->peak[high].p)
        return false;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (curve->peak[middle].p <= p)
            low = middle;
        else
            high = middle;
    }
    const am_design_peak *a = &curve->peak[low], *b = &curve->peak[high];
    if (p == a->p || low == high) {
        *amplitude = a->amplitude;
        *slope = a->slope;
    } else if (p == b->p) {
        *amplitude = b->amplitude;
        *slope = b->slope;
    } else {
        *amplitude = between(a, b, p, slope);
    }
    return true;
}

double am_design_envelope(const am_design *d, double p, size_t *top, double *slope) {
    const double tie = 1e-9; /* curves that are as high as each other: the first */
    double highest = NAN, own, own_slope;
    for (size_t c = 0; c < d->curve_count; c++)
        if (height(&d->curves[c], p, &own, &own_slope) && !(own <= highest + tie * fabs(highest))) {
            highest = own;
            *slope = own_slope;
            *top = c;
        }
    return highest;
}

/* ---- exactly ---- */

/* The highest peak at p. Curves that are clearly lower are not asked. */
am_status am_design_summit_at(am_design *d, double p, am_design_summit *top, am_error *err) {
    size_t guess;
    double slope, highest = am_design_envelope(d, p, &guess, &slope), own;
    *top = (am_design_summit){.curve = SIZE_MAX};
    for (size_t c = 0; c < d->curve_count; c++) {
        am_design_peak peak;
        if (!height(&d->curves[c], p, &own, &slope) || own < 0.8 * highest)
            continue;
        AM_TRY(am_design_on_curve(d, c, p, &peak, err));
        if (top->curve == SIZE_MAX || peak.amplitude > (1.0 + 1e-9) * top->peak.amplitude)
            *top = (am_design_summit){.curve = c, .peak = peak};
    }
    return top->curve == SIZE_MAX ? am_fail(err, AM_ERR_LIMIT, "no peak is known at %.15g", p) : AM_OK;
}

static am_status add_optimum(am_design *d, const am_design_peak *peak, const char *kind, am_error *err) {
    AM_TRY(am_memory_reserve(&d->optima, &d->optimum_capacity, d->optimum_count + 1, err));
    d->optima[d->optimum_count++] =
        (am_design_optimum){.p = peak->p, .omega = peak->omega, .amplitude = peak->amplitude, .kind = kind};
    return AM_OK;
}

/* The least height between a and b, where the envelope falls and rises: a smooth minimum, or a corner. */
static am_status minimise(am_design *d, double a, double b, am_error *err) {
    am_design_summit low, high, next;
    double range = fabs(d->options->to - d->options->from);
    AM_TRY(am_design_summit_at(d, a, &low, err));
    AM_TRY(am_design_summit_at(d, b, &high, err));
    if (!(low.peak.slope < 0.0) || !(high.peak.slope > 0.0)) {
        const am_design_summit *lower = low.peak.amplitude < high.peak.amplitude ? &low : &high;
        return add_optimum(d, &lower->peak, "minimum", err);
    }
    am_design_maximum valley =
        am_design_maximum_start(a, -low.peak.amplitude, -low.peak.slope, b, -high.peak.amplitude, -high.peak.slope,
                                1e-8 * low.peak.amplitude / range, 1e-9 * range);
    while (!valley.done) {
        double p = am_design_maximum_next(&valley);
        AM_TRY(am_design_summit_at(d, p, &next, err));
        *(am_design_maximum_update(&valley, p, -next.peak.amplitude, -next.peak.slope) < 0 ? &low : &high) = next;
    }
    bool corner = !valley.smooth && (valley.g_low - valley.g_high) * range > jump * low.peak.amplitude;
    const am_design_summit *best = corner ? (low.peak.amplitude > high.peak.amplitude ? &low : &high)
                                          : (fabs(low.peak.slope) < fabs(high.peak.slope) ? &low : &high);
    const char *kind = !corner ? "minimum" : low.curve != high.curve ? "crossing" : "kink";
    return add_optimum(d, &best->peak, kind, err);
}

/* ---- along the range ---- */

am_status am_design_values(am_design *d, double **values, size_t *count, am_error *err) {
    size_t all = 0, kept = 0;
    for (size_t c = 0; c < d->curve_count; c++)
        all += d->curves[c].count;
    double *v = *values = am_arena_doubles(&d->memory, NULL, all, err);
    AM_TRY(am_arena_status(&d->memory));
    for (size_t c = 0; c < d->curve_count; c++)
        for (size_t i = 0; i < d->curves[c].count; i++)
            v[kept++] = d->curves[c].peak[i].p;
    am_dense_sort(v, all);
    kept = 0;
    for (size_t i = 0; i < all; i++)
        if (kept == 0 || v[i] > v[kept - 1])
            v[kept++] = v[i];
    *count = kept;
    return AM_OK;
}

/* -1 falls, 0 neither, 1 rises */
static int tendency(const am_design *d, double p, double *height_there) {
    size_t top;
    double slope = 0.0, range = fabs(d->options->to - d->options->from);
    *height_there = am_design_envelope(d, p, &top, &slope);
    double relative = slope * range / *height_there;
    return relative > no_slope ? 1 : relative < -no_slope ? -1 : 0;
}

static am_status optimum_at_value(am_design *d, double p, const char *kind, am_error *err) {
    am_design_summit top;
    AM_TRY(am_design_summit_at(d, p, &top, err));
    return add_optimum(d, &top.peak, kind, err);
}

static am_status find_minima(am_design *d, const double *values, size_t count, am_error *err) {
    double own, least = INFINITY, here = values[0];
    am_status status = AM_OK;
    int before = tendency(d, values[0], &own);
    if (before > 0)
        status = optimum_at_value(d, values[0], "end", err);
    for (size_t i = 0; i < count && !status; i++) {
        int now = tendency(d, values[i], &own);
        if (i > 0 && before < 0 && now >= 0)
            status = minimise(d, values[i - 1], values[i], err);
        if (status == AM_ERR_LIMIT) /* a peak is lost there: the points of the curves have to do */
            status = AM_OK;
        if (own < least) {
            least = own;
            here = values[i];
        }
        before = now;
    }
    if (!status && before < 0)
        status = optimum_at_value(d, values[count - 1], "end", err);
    if (!status && d->optimum_count == 0)
        status = optimum_at_value(d, here, here == values[0] || here == values[count - 1] ? "end" : "minimum", err);
    return status;
}

/* ---- robust range ---- */

/* The value between inside (below the level) and outside where the envelope has the level. */
static am_status meet_level(am_design *d, double level, double inside, double outside, double *p, am_error *err) {
    am_design_summit top;
    double f_inside, f_outside, range = fabs(d->options->to - d->options->from);
    AM_TRY(am_design_summit_at(d, inside, &top, err));
    f_inside = top.peak.amplitude - level;
    AM_TRY(am_design_summit_at(d, outside, &top, err));
    f_outside = top.peak.amplitude - level;
    int side = 0;
    for (int i = 0; i < 60 && fabs(outside - inside) > 1e-10 * range; i++) {
        double share = f_inside < 0.0 && f_outside > 0.0 && i % 5 < 4 ? f_inside / (f_inside - f_outside) : 0.5;
        *p = inside + share * (outside - inside);
        AM_TRY(am_design_summit_at(d, *p, &top, err));
        double f = top.peak.amplitude - level;
        if (fabs(f) <= 1e-11 * level)
            return AM_OK;
        if (f < 0.0) {
            inside = *p;
            f_inside = f;
            f_outside *= side < 0 ? 0.5 : 1.0;
            side = -1;
        } else {
            outside = *p;
            f_outside = f;
            f_inside *= side > 0 ? 0.5 : 1.0;
            side = 1;
        }
    }
    *p = inside;
    return AM_OK;
}

/* From the optimum in one direction until the envelope exceeds the level. */
static am_status find_bound(am_design *d, const double *values, size_t count, int way, double *bound, am_error *err) {
    double best = d->optima[d->best].p, level = (1.0 + d->options->robust) * d->optima[d->best].amplitude;
    double inside = best, slope;
    size_t top;
    for (size_t k = 0; k < count; k++) {
        double p = values[way > 0 ? k : count - 1 - k];
        if ((p - best) * way <= 0.0)
            continue;
        if (am_design_envelope(d, p, &top, &slope) > level)
            return meet_level(d, level, inside, p, bound, err);
        inside = p;
    }
    *bound = inside;
    d->robust_open = true;
    return AM_OK;
}

am_status am_design_optimise(am_design *d, am_error *err) {
    double *values;
    size_t count;
    AM_TRY(am_design_values(d, &values, &count, err));
    AM_TRY(find_minima(d, values, count, err));
    for (size_t i = 1; i < d->optimum_count; i++)
        if (d->optima[i].amplitude < d->optima[d->best].amplitude)
            d->best = i;
    AM_TRY(find_bound(d, values, count, -1, &d->robust_from, err));
    return find_bound(d, values, count, 1, &d->robust_to, err);
}
