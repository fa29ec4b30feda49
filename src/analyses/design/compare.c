/* Two structures side by side: where is the peak of one lower than that of the other, and by how much? */
#include <math.h>

#include "analyses/design/design_internal.h"
#include "base/try.h"

typedef struct pair {
    am_design *d, *r;
} pair;

/* Logarithm of the ratio and its slope, exactly. */
static am_status exact(const pair *both, double p, double *value, double *slope, am_error *err) {
    am_design_summit own, other;
    AM_TRY(am_design_summit_at(both->d, p, &own, err));
    AM_TRY(am_design_summit_at(both->r, p, &other, err));
    *value = log(own.peak.amplitude / other.peak.amplitude);
    *slope = own.peak.slope / own.peak.amplitude - other.peak.slope / other.peak.amplitude;
    return AM_OK;
}

/* The same from the points of the curves; NAN where one of them is not known. */
static double roughly(const pair *both, double p, double *slope) {
    size_t top;
    double own_slope = NAN, other_slope = NAN, own = am_design_envelope(both->d, p, &top, &own_slope),
           other = am_design_envelope(both->r, p, &top, &other_slope);
    *slope = own_slope / own - other_slope / other;
    return log(own / other);
}

static void note(am_design_ratio *ratio, double p, double value) {
    if (!(value >= ratio->least)) {
        ratio->least = value;
        ratio->least_at = p;
    }
    if (!(value <= ratio->greatest)) {
        ratio->greatest = value;
        ratio->greatest_at = p;
    }
}

/* Where a peak is lost, there is no ratio. */
static am_status forgive(am_status status) {
    return status == AM_ERR_LIMIT ? AM_OK : status;
}

/* A top (sign 1) or bottom (sign -1) between a and b. */
static am_status locate(const pair *both, double a, double b, double sign, am_design_ratio *ratio, am_error *err) {
    double f_a, f_b, g_a, g_b, f, g, range = fabs(both->d->options->to - both->d->options->from);
    am_status status = exact(both, a, &f_a, &g_a, err);
    if (!status)
        status = exact(both, b, &f_b, &g_b, err);
    if (status)
        return forgive(status);
    note(ratio, a, f_a);
    note(ratio, b, f_b);
    if (!(sign * g_a > 0.0) || !(sign * g_b < 0.0))
        return AM_OK;
    am_design_maximum maximum =
        am_design_maximum_start(a, sign * f_a, sign * g_a, b, sign * f_b, sign * g_b, 1e-8 / range, 1e-9 * range);
    while (!maximum.done) {
        double p = am_design_maximum_next(&maximum);
        status = exact(both, p, &f, &g, err);
        if (status)
            return forgive(status);
        note(ratio, p, f);
        am_design_maximum_update(&maximum, p, sign * f, sign * g);
    }
    return AM_OK;
}

/* Where the slope changes its sign. Where it is within rounding of zero (both stuck) there is nothing to locate. */
static am_status search(const pair *both, const double *values, size_t count, am_design_ratio *ratio, am_error *err) {
    double none = 1e-6 / fabs(both->d->options->to - both->d->options->from), value, slope, before = 0.0;
    am_status status = AM_OK;
    for (size_t i = 0; i < count && !status; i++) {
        if (i > 0 && values[i] == values[i - 1])
            continue;
        value = roughly(both, values[i], &slope);
        if (!isfinite(value) || !isfinite(slope))
            continue;
        if (i == 0 || i + 1 == count) {
            status = exact(both, values[i], &value, &slope, err);
            if (!status)
                note(ratio, values[i], value);
            status = forgive(status);
        }
        if (!status && i > 0 && before > none && slope <= none)
            status = locate(both, values[i - 1], values[i], 1.0, ratio, err);
        if (!status && i > 0 && before < -none && slope >= -none)
            status = locate(both, values[i - 1], values[i], -1.0, ratio, err);
        before = slope;
    }
    return status;
}

am_status am_design_compare(am_design *d, am_design *r, am_design_ratio *ratio, am_error *err) {
    const pair both = {.d = d, .r = r};
    double *own, *other;
    size_t n, m;
    AM_TRY(am_design_values(d, &own, &n, err));
    AM_TRY(am_design_values(r, &other, &m, err));
    double *values = am_arena_doubles(&d->memory, NULL, n + m, err);
    AM_TRY(am_arena_status(&d->memory));
    for (size_t i = 0, a = 0, b = 0; i < n + m; i++)
        values[i] = b == m || (a < n && own[a] <= other[b]) ? own[a++] : other[b++];
    *ratio = (am_design_ratio){.least = INFINITY, .greatest = -INFINITY};
    AM_TRY(search(&both, values, n + m, ratio, err));
    ratio->least = exp(ratio->least);
    ratio->greatest = exp(ratio->greatest);
    return AM_OK;
}
