/* A curve of peaks along the parameter: predicted from the last points, corrected by the search for the top. */
#include <math.h>
#include <string.h>

#include "analyses/design/design_internal.h"
#include "base/memory.h"
#include "base/try.h"

/* Distance between predicted and found peak, in scaled unknowns: what is aimed at, and from which a step is refused. */
static const double aimed = 0.01, refused = 0.08;
static const double bent = 2e-3, shortest_chord = 1e-3; /* curves are drawn by their points: chords may be so far off */
static const double smallest = 1e-7; /* step, by the way to go: the peak ends where shorter ones would be needed */

am_status am_design_add(am_design_curve *curve, size_t size, const am_design_peak *peak, const double *z_and_way,
                        am_error *err) {
    size_t capacity = curve->capacity;
    AM_TRY(am_memory_reserve(&curve->peak, &capacity, curve->count + 1, err));
    AM_TRY(am_memory_reserve_items(&curve->z, &curve->capacity, curve->count + 1, 2 * size * sizeof *curve->z, err));
    curve->peak[curve->count] = *peak;
    memcpy(curve->z + 2 * size * curve->count++, z_and_way, 2 * size * sizeof *z_and_way);
    return AM_OK;
}

static void reverse(am_design_curve *curve, size_t size, double *spare) {
    size_t bytes = 2 * size * sizeof *spare;
    for (size_t i = 0, j = curve->count; i + 1 < j; i++) {
        j--;
        am_design_peak kept = curve->peak[i];
        curve->peak[i] = curve->peak[j];
        curve->peak[j] = kept;
        memcpy(spare, curve->z + 2 * size * i, bytes);
        memcpy(curve->z + 2 * size * i, curve->z + 2 * size * j, bytes);
        memcpy(curve->z + 2 * size * j, spare, bytes);
    }
}

/* Weights of the parabola (or line) through the last points of the curve, newest first. */
static size_t weigh(const am_design_curve *curve, double p, double *weight) {
    size_t known = curve->count < 3 ? curve->count : 3;
    for (size_t i = 0; i < known; i++) {
        double p_i = curve->peak[curve->count - 1 - i].p;
        weight[i] = 1.0;
        for (size_t j = 0; j < known; j++)
            if (j != i)
                weight[i] *= (p - curve->peak[curve->count - 1 - j].p) / (p_i - curve->peak[curve->count - 1 - j].p);
    }
    return known;
}

static void predict(const am_design_curve *curve, size_t size, double p, double *z) {
    double weight[3];
    size_t known = weigh(curve, p, weight), last = curve->count - 1;
    memcpy(z + size, curve->z + 2 * size * last + size, size * sizeof *z); /* the way of the response curve */
    memset(z, 0, size * sizeof *z);
    for (size_t i = 0; i < known; i++)
        for (size_t k = 0; k < size; k++)
            z[k] += weight[i] * curve->z[2 * size * (last - i) + k];
}

static double distance(const am_design *d, const double *a, const double *b) {
    size_t m = d->size;
    double sum = 0.0, size = 0.0, frequency = (a[m - 1] - b[m - 1]) / (d->most - d->least);
    for (size_t i = 0; i + 1 < m; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt((size > 0.0 ? sum / size : sum) + frequency * frequency);
}

/* The next value of the parameter: a check is not stepped over. */
static double next_value(const am_design *d, double p, double step, double end) {
    double next = fabs(end - p) <= fabs(step) * 1.0000001 ? end : p + step;
    for (size_t i = 0; i < d->checks; i++) {
        double ahead = (d->check[i] - p) * (step > 0.0 ? 1.0 : -1.0);
        if (ahead > 1e-12 * fabs(d->options->to - d->options->from) && ahead < fabs(next - p))
            next = d->check[i];
    }
    return next;
}

typedef struct walk {
    am_design *d;
    am_design_curve *curve;
    double end, step, largest;
    double *z, *predicted; /* 2 size each */
} walk;

/* One step. *ended: the curve goes no further. */
static am_status advance(walk *w, bool *ended, am_error *err) {
    am_design *d = w->d;
    size_t m = d->size;
    double p = w->curve->peak[w->curve->count - 1].p, range = fabs(d->options->to - d->options->from);
    am_design_peak peak;
    am_error own = {0};
    double next = next_value(d, p, w->step, w->end), far = INFINITY;
    predict(w->curve, m, next, w->predicted);
    memcpy(w->z, w->predicted, 2 * m * sizeof *w->z);
    am_status status = am_design_peak_at(d, next, w->z, w->z + m, &peak, &own);
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (!status)
        far = distance(d, w->predicted, w->z);
    if (!(far <= refused)) {
        w->step = 0.25 * (next - p);
        *ended = fabs(w->step) < smallest * range;
        return AM_OK;
    }
    /* A chord of the curve with these slopes at its ends lies this far off, by the height. */
    double bend = fabs((next - p) * (peak.slope - w->curve->peak[w->curve->count - 1].slope)) / (8.0 * peak.amplitude);
    if (bend > bent && fabs(next - p) > shortest_chord * range) {
        w->step = 0.5 * (next - p);
        return AM_OK;
    }
    double growth = fmin(far > 0.0 ? sqrt(aimed / far) : 2.0, bend > 0.0 ? sqrt(0.7 * bent / bend) : 2.0);
    w->step =
        (w->step > 0.0 ? 1.0 : -1.0) * fmin(fmin(growth, 2.0) * fmax(fabs(next - p), 0.5 * fabs(w->step)), w->largest);
    *ended = next == w->end;
    return am_design_add(w->curve, m, &peak, w->z, err);
}

static am_status follow_to(am_design *d, size_t index, double end, am_error *err) {
    const am_design_options *o = d->options;
    double range = fabs(o->to - o->from), largest = o->largest_step > 0.0 ? o->largest_step : range / 40.0;
    walk w = {.d = d, .curve = &d->curves[index], .end = end, .z = d->work, .predicted = d->work + 2 * d->size};
    double p = w.curve->peak[w.curve->count - 1].p;
    bool ended = end == p;
    w.largest = largest;
    w.step = (end > p ? 1.0 : -1.0) * fmin(largest, 1e-3 * range);
    while (!ended && w.curve->count < o->most_points) {
        AM_TRY(advance(&w, &ended, err));
        p = w.curve->peak[w.curve->count - 1].p;
        if (!am_progress_report(d->progress, fabs(p - o->from) / range))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    return AM_OK;
}

am_status am_design_follow(am_design *d, size_t index, am_error *err) {
    const am_design_options *o = d->options;
    d->curvature = 0.0;
    AM_TRY(follow_to(d, index, fmin(o->from, o->to), err));
    reverse(&d->curves[index], d->size, d->work);
    d->curvature = 0.0;
    return follow_to(d, index, fmax(o->from, o->to), err);
}

am_status am_design_on_curve(am_design *d, size_t index, double p, am_design_peak *peak, am_error *err) {
    const am_design_curve *curve = &d->curves[index];
    double *z_and_way = d->work;
    size_t m = d->size, i = 0;
    while (i + 2 < curve->count && curve->peak[i + 1].p <= p)
        i++;
    const double *a = curve->z + 2 * m * i, *b = i + 1 < curve->count ? a + 2 * m : a;
    double width = i + 1 < curve->count ? curve->peak[i + 1].p - curve->peak[i].p : 1.0;
    double share = (p - curve->peak[i].p) / width;
    for (size_t k = 0; k < m; k++)
        z_and_way[k] = a[k] + share * (b[k] - a[k]);
    memcpy(z_and_way + m, (share < 0.5 ? a : b) + m, m * sizeof *a);
    d->curvature = 0.0;
    return am_design_peak_at(d, p, z_and_way, z_and_way + m, peak, err);
}
