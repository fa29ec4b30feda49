#include "math/wave.h"
#include "math/pi.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double am_wave_at(const am_wave *wave, double s) {
    double f = wave->constant + wave->slope * s;
    for (size_t j = 0; j < wave->count; j++)
        f += wave->cosine[j] * cos(wave->frequency[j] * s) + wave->sine[j] * sin(wave->frequency[j] * s);
    return f;
}

static double amplitude(const am_wave *w, size_t j) {
    return hypot(w->cosine[j], w->sine[j]);
}

/* Size of the terms: rounding of values is a few units of it. */
static double size_of(const am_wave *w, double length) {
    double size = fabs(w->constant) + fabs(w->slope) * length;
    for (size_t j = 0; j < w->count; j++)
        size += amplitude(w, j);
    return size;
}

typedef struct search {
    const am_wave *wave;
    double least, where;
} search;

static void note_value(search *found, double s, double value) {
    if (value < found->least) {
        found->least = value;
        found->where = s;
    }
}

/* ---- one wave ----
 *
 * f = constant + slope s + R cos(x), x = frequency s - angle. Its valleys have R sin x = slope / frequency and cos x <
 * 0: one in each cycle, all on a line of the same slope, so that the first or the last one in the interval is lowest.
 */
static void one_wave(search *found, size_t j, double length) {
    const am_wave *w = found->wave;
    double R = amplitude(w, j), frequency = w->frequency[j], angle = atan2(w->sine[j], w->cosine[j]);
    double steep = w->slope / frequency;
    if (!(fabs(steep) < R))
        return; /* rises or falls all the way: the ends are looked at by the caller */
    double valley = 0.5 * two_pi - asin(steep / R);
    double depth = w->constant - sqrt((R - steep) * (R + steep));
    double first = ceil(-(angle + valley) / two_pi), last = floor((frequency * length - angle - valley) / two_pi);
    for (double k = first; k <= last; k = k < last ? last : k + 1.0) {
        double s = (angle + valley + two_pi * k) / frequency;
        note_value(found, fmin(fmax(s, 0.0), length), depth + w->slope * s);
    }
}

/* ---- several waves ---- */

enum { DEEPEST = 128, MOST = 2000000 };

typedef struct piece {
    double middle, half, lower; /* f >= lower on [middle - half, middle + half] */
} piece;

/* f(m + x) >= f(m) + f'(m) x - bound x^2 / 2 */
static piece measure(search *found, double middle, double half, double bound) {
    const am_wave *w = found->wave;
    double f = w->constant + w->slope * middle, rate = w->slope;
    for (size_t j = 0; j < w->count; j++) {
        double c = cos(w->frequency[j] * middle), s = sin(w->frequency[j] * middle);
        f += w->cosine[j] * c + w->sine[j] * s;
        rate += w->frequency[j] * (w->sine[j] * c - w->cosine[j] * s);
    }
    note_value(found, middle, f);
    return (piece){middle, half, f - fabs(rate) * half - 0.5 * bound * half * half};
}

/* Halve whatever may still hold something lower than the least value found by more than `tolerance`; depth first, the
 * more promising half first. Returns a lower bound of what was left out. */
static double halve(search *found, double from, double to, double bound, double tolerance, size_t *effort) {
    piece stack[DEEPEST];
    size_t count = 0;
    double left_out = INFINITY;
    stack[count++] = measure(found, 0.5 * (from + to), 0.5 * (to - from), bound);
    while (count > 0) {
        piece p = stack[--count];
        if (!(p.lower < found->least - tolerance))
            continue;
        if (count + 2 > DEEPEST || *effort >= MOST || p.half <= DBL_EPSILON * (fabs(p.middle) + p.half)) {
            left_out = fmin(left_out, p.lower);
            continue;
        }
        *effort += 2;
        piece a = measure(found, p.middle - 0.5 * p.half, 0.5 * p.half, bound);
        piece b = measure(found, p.middle + 0.5 * p.half, 0.5 * p.half, bound);
        bool first = a.lower < b.lower;
        stack[count++] = first ? b : a;
        stack[count++] = first ? a : b;
    }
    return left_out;
}

static double several_waves(search *found, double length) {
    const am_wave *w = found->wave;
    double bound = 0.0, fastest = 0.0, left_out = INFINITY;
    for (size_t j = 0; j < w->count; j++) {
        bound += amplitude(w, j) * w->frequency[j] * w->frequency[j];
        fastest = fmax(fastest, w->frequency[j]);
    }
    double tolerance = 4.0 * DBL_EPSILON * size_of(w, length);
    /* Eight pieces to the shortest wave: nearly all are discarded at once when the least of them is known. */
    double wanted = fmin(ceil(8.0 * fastest * length / two_pi) + 1.0, 1e6);
    size_t pieces = (size_t)wanted, effort = 0;
    for (size_t k = 0; k < pieces; k++) {
        double s = length * (((double)k + 0.5) / wanted);
        note_value(found, s, am_wave_at(w, s));
    }
    for (size_t k = 0; k < pieces; k++)
        left_out = fmin(left_out, halve(found, length * ((double)k / wanted), length * ((double)(k + 1) / wanted),
                                        bound, tolerance, &effort));
    return fmax(tolerance, found->least - left_out);
}

double am_wave_least(const am_wave *wave, double length, double *where, double *error) {
    search found = {wave, INFINITY, 0.0};
    size_t present = 0, only = 0;
    note_value(&found, 0.0, am_wave_at(wave, 0.0));
    note_value(&found, length, am_wave_at(wave, length));
    for (size_t j = 0; j < wave->count; j++)
        if (amplitude(wave, j) > 0.0) {
            present++;
            only = j;
        }
    *error = 4.0 * DBL_EPSILON * size_of(wave, length);
    if (present == 1)
        one_wave(&found, only, length);
    else if (present > 1)
        *error = several_waves(&found, length);
    *where = found.where;
    return found.least;
}
