#include "math/trigonometric.h"
#include "math/pi.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* ---- values ---- */

double am_trig_value(size_t degree, const double *s, double theta) {
    if (degree == 0)
        return s[0];
    double c1 = cos(theta), s1 = sin(theta), c = c1, sine = s1, value = s[0];
    for (size_t h = 1; h <= degree; h++) {
        double next = c * c1 - sine * s1;
        value += s[2 * h - 1] * c + s[2 * h] * sine;
        sine = c * s1 + sine * c1;
        c = next;
    }
    return value;
}

void am_trig_derivative(size_t degree, const double *s, double *rate) {
    rate[0] = 0;
    for (size_t h = 1; h <= degree; h++) {
        double a = s[2 * h - 1], b = s[2 * h];
        rate[2 * h - 1] = (double)h * b;
        rate[2 * h] = -(double)h * a;
    }
}

void am_trig_basis(size_t degree, double theta, double *c, double *s) {
    c[0] = 1;
    s[0] = 0;
    if (degree == 0)
        return;
    c[1] = cos(theta);
    s[1] = sin(theta);
    /* From h and h + 1 to 2h and 2h + 1 and so on: the error grows with the depth of the products, not with h. */
    for (size_t h = 2; h <= degree; h++) {
        size_t i = h / 2, j = h - i;
        c[h] = c[i] * c[j] - s[i] * s[j];
        s[h] = s[i] * c[j] + c[i] * s[j];
    }
}

/* ---- the search for sign changes ---- */

enum { BLOCK = 8, DEPTH = 60 };

/* A signal (order 0) or its rate (order 1), and what bounds it. */
typedef struct wave {
    size_t degree, order;
    const double *s;
    double curvature; /* of the second derivative: sum of h^2 |c_h| */
    double noise;     /* values this small have no sign */
    double shortest;  /* intervals in which the curvature can do no more than that */
} wave;

static inline void coefficients(const wave *w, size_t h, double *a, double *b) {
    double x = w->s[2 * h - 1], y = w->s[2 * h];
    *a = w->order ? (double)h * y : x;
    *b = w->order ? -(double)h * x : y;
}

/* False for a signal that has no sign anywhere (zero, or not finite). */
static bool wave_of(size_t degree, const double *s, size_t order, wave *w) {
    *w = (wave){.degree = degree, .order = order, .s = s};
    double size = order ? 0 : fabs(s[0]);
    for (size_t h = 1; h <= degree; h++) {
        double a, b, n = (double)h;
        coefficients(w, h, &a, &b);
        double square = a * a + b * b; /* hypot only where it is needed: it is slow */
        double amplitude = square > DBL_MIN && square < DBL_MAX ? sqrt(square) : hypot(a, b);
        size += n * amplitude;
        w->curvature += n * n * amplitude;
    }
    w->noise = 4 * DBL_EPSILON * size;
    w->shortest = sqrt(2 * w->noise / w->curvature);
    return isfinite(w->curvature) && isfinite(size) && w->curvature > 0;
}

/* The sum and its slope at theta. */
static inline double wave_sum(const wave *w, double theta, double *rate) {
    double c1 = cos(theta), s1 = sin(theta), c = c1, sine = s1, value = w->order ? 0 : w->s[0], slope = 0;
    for (size_t h = 1; h <= w->degree; h++) {
        double a, b, next = c * c1 - sine * s1;
        coefficients(w, h, &a, &b);
        value += a * c + b * sine;
        slope += (double)h * (b * c - a * sine);
        sine = c * s1 + sine * c1;
        c = next;
    }
    *rate = slope;
    return value;
}

double am_trig_value_rate(size_t degree, const double *s, double theta, double *rate) {
    wave w = {.degree = degree, .s = s};
    *rate = 0;
    return degree == 0 ? s[0] : wave_sum(&w, theta, rate);
}

static double wave_value(const wave *w, double theta, double *rate) {
    return w->order ? wave_sum(w, theta, rate) : am_trig_value_rate(w->degree, w->s, theta, rate);
}

/* Values at BLOCK points by Horner's rule in exp(i theta), side by side. */
static void wave_block(const wave *w, double from, double step, double values[BLOCK]) {
    double c[BLOCK], s[BLOCK], re[BLOCK] = {0}, im[BLOCK] = {0};
    for (size_t k = 0; k < BLOCK; k++) {
        c[k] = cos(from + (double)k * step);
        s[k] = sin(from + (double)k * step);
    }
    for (size_t h = w->degree; h >= 1; h--) {
        double a, b;
        coefficients(w, h, &a, &b);
        for (size_t k = 0; k < BLOCK; k++) {
            double x = re[k] + a, y = im[k] - b;
            re[k] = x * c[k] - y * s[k];
            im[k] = x * s[k] + y * c[k];
        }
    }
    for (size_t k = 0; k < BLOCK; k++)
        values[k] = re[k] + (w->order ? 0 : w->s[0]);
}

/* Newton's method inside [low, high], where s falls from `sign` through zero. */
static double polish(const wave *w, int sign, double low, double value_low, double high, double value_high) {
    double before = sign * value_low, after = sign * value_high;
    if (!(before > 0))
        return low;
    double x = low + (high - low) * (before / (before - after));
    for (int i = 0; i < 100 && low < high; i++) {
        double rate, value = wave_value(w, x, &rate), step = value / rate, next = x - step;
        if (sign * value > 0)
            low = x;
        else
            high = x;
        if (!(next >= low && next <= high)) {
            next = low + (high - low) / 2;
            if (next == low || next == high)
                return next;
        } else if (w->curvature * step * step <= 0.5 * DBL_EPSILON * fabs(rate) || next == x) {
            return next; /* what Newton's method leaves is below rounding */
        }
        x = next;
    }
    return x;
}

/* s at both ends at least before, after >= 0: it stays above the parabola of the largest curvature through them, which
 * stays above zero if sqrt(before) + sqrt(after) > width sqrt(curvature/2). */
static bool stays_clear(const wave *w, double before, double after, double width) {
    double a = before > 0 ? before : 0, b = after > 0 ? after : 0, drop = w->curvature * width * width / 2;
    return a + b > drop || a + b + 2 * sqrt(a) * sqrt(b) > drop;
}

/* Where a walk is, and the sign s has there. */
typedef struct place {
    double theta, value;
    int sign;
} place;

/* From the place to (theta, value): true at a sign change, and the place then is just behind it, at a point up to which
 * there is no other. */
static bool advance(const wave *w, place *at, double theta, double value, double *change) {
    double ends[DEPTH], values[DEPTH];
    size_t depth = 1;
    ends[0] = theta;
    values[0] = value;
    while (depth > 0) {
        double end = ends[depth - 1], width = end - at->theta;
        double before = at->sign * at->value, after = at->sign * values[depth - 1];
        bool last = depth == DEPTH || width <= w->shortest, changed = after < -w->noise;
        /* A chord steeper than the curvature can undo: s is monotone. */
        if (changed && (last || before - after > w->curvature * width * width / 2)) {
            *change = polish(w, at->sign, at->theta, at->value, end, values[depth - 1]);
            *at = (place){end, values[depth - 1], -at->sign};
            return true;
        }
        if (!changed && (last || stays_clear(w, before, after, width))) {
            at->theta = end;
            at->value = values[--depth];
            continue;
        }
        double rate;
        ends[depth] = at->theta + width / 2;
        values[depth] = wave_value(w, ends[depth], &rate);
        depth++;
    }
    return false;
}

/* Points from zero on, a step apart, with values given or computed by blocks. */
typedef struct grid {
    wave w;
    double step;
    size_t count;         /* of given values, which repeat */
    const double *values; /* NULL: computed */
    size_t first;         /* of the block */
    double block[BLOCK];
    bool filled;
} grid;

static double grid_value(grid *g, size_t k) {
    if (g->values)
        return g->values[k < g->count ? k : k - g->count]; /* at most once around */
    if (!g->filled || k < g->first || k >= g->first + BLOCK) {
        g->first = k;
        g->filled = true;
        wave_block(&g->w, (double)k * g->step, g->step, g->block);
    }
    return g->block[k - g->first];
}

static double grid_point(const grid *g, size_t k) {
    return (double)k * g->step;
}

/* Once around, from a point where s clearly has a sign: the number of changes is even, whatever rounding does. */
typedef struct tour {
    grid g;
    size_t next, end;
    place at;
} tour;

static bool tour_begin(tour *t) {
    size_t n = t->g.count, best = 0;
    double largest = -1;
    for (size_t k = 0; k < n && (k % BLOCK || k < BLOCK || largest <= 64 * t->g.w.noise); k++)
        if (fabs(grid_value(&t->g, k)) > largest) {
            largest = fabs(grid_value(&t->g, k));
            best = k;
        }
    if (!(largest > t->g.w.noise))
        return false;
    double value = grid_value(&t->g, best);
    t->at = (place){grid_point(&t->g, best), value, value > 0 ? 1 : -1};
    t->next = best + 1;
    t->end = best + n;
    return true;
}

static bool tour_next(tour *t, double *change) {
    double sure = 0.500001 * t->g.w.curvature * t->g.step * t->g.step; /* stays_clear without a doubt */
    for (; t->next <= t->end; t->next++) {
        double point = grid_point(&t->g, t->next);
        if (point <= t->at.theta)
            continue;
        double value = grid_value(&t->g, t->next), before = t->at.sign * t->at.value, after = t->at.sign * value;
        if (before > 0 && after > 0 && before + after > sure) {
            t->at.theta = point;
            t->at.value = value;
        } else if (advance(&t->g.w, &t->at, point, value, change)) {
            return true;
        }
    }
    return false;
}

static tour tour_of(const wave *w) {
    size_t n = 8 * w->degree;
    return (tour){.g = {.w = *w, .step = two_pi / (double)n, .count = n}};
}

static void reverse(double *x, size_t from, size_t to) {
    for (; from + 1 < to; from++, to--) {
        double swap = x[from];
        x[from] = x[to - 1];
        x[to - 1] = swap;
    }
}

/* The changes of a tour, moved into [0, 2 pi) and in order; *sign: at 0. */
static size_t tour_collect(tour *t, double *theta, int *sign) {
    size_t most = 2 * t->g.w.degree, count = 0, wrapped = 0;
    double change, snap = 4 * DBL_EPSILON * two_pi;
    *sign = t->at.sign;
    while (count < most && tour_next(t, &change)) {
        bool wrap = change >= two_pi - snap;
        wrapped += wrap;
        theta[count++] = wrap ? fmax(change - two_pi, 0) : change;
    }
    reverse(theta, 0, count - wrapped);
    reverse(theta, count - wrapped, count);
    reverse(theta, 0, count);
    if (wrapped % 2)
        *sign = -*sign;
    return count;
}

size_t am_trig_changes_sampled(size_t degree, const double *s, size_t count, const double *values, double *theta,
                               int *sign) {
    wave w;
    *sign = s[0] > 0 ? 1 : s[0] < 0 ? -1 : 0;
    if (!wave_of(degree, s, 0, &w))
        return 0;
    tour t = {.g = {.w = w, .step = two_pi / (double)count, .count = count, .values = values}};
    return tour_begin(&t) ? tour_collect(&t, theta, sign) : 0;
}

static double within_period(double theta) {
    return theta < 0 ? theta + two_pi : theta < two_pi ? theta : theta - two_pi;
}

void am_trig_extremes(size_t degree, const double *s, double *largest, double *where_largest, double *smallest,
                      double *where_smallest) {
    double top = am_trig_value(degree, s, 0), bottom = top, top_at = 0, bottom_at = 0, theta;
    wave rate;
    if (degree == 1 && hypot(s[1], s[2]) > 0) { /* mean and amplitude */
        top = s[0] + hypot(s[1], s[2]);
        bottom = s[0] - hypot(s[1], s[2]);
        top_at = within_period(atan2(s[2], s[1]));
        bottom_at = within_period(top_at + 0.5 * two_pi);
    } else if (wave_of(degree, s, 1, &rate)) {
        tour t = tour_of(&rate);
        if (tour_begin(&t))
            while (tour_next(&t, &theta)) {
                double value = am_trig_value(degree, s, theta), where = within_period(theta);
                if (value > top) {
                    top = value;
                    top_at = where;
                }
                if (value < bottom) {
                    bottom = value;
                    bottom_at = where;
                }
            }
    }
    if (largest)
        *largest = top;
    if (where_largest)
        *where_largest = top_at;
    if (smallest)
        *smallest = bottom;
    if (where_smallest)
        *where_smallest = bottom_at;
}

static bool is_odd(size_t degree, const double *s) {
    bool odd = s[0] == 0.0;
    for (size_t h = 2; h <= degree && odd; h += 2)
        odd = s[2 * h - 1] == 0.0 && s[2 * h] == 0.0;
    return odd;
}

double am_trig_largest_sampled(size_t degree, const double *s, size_t count, const double *rates) {
    double most = fabs(am_trig_value(degree, s, 0.0)), theta;
    wave rate;
    if (degree == 1)
        return fabs(s[0]) + hypot(s[1], s[2]);
    if (!wave_of(degree, s, 1, &rate))
        return most;
    tour t = {.g = {.w = rate, .step = two_pi / (double)count, .count = count, .values = rates}};
    if (!tour_begin(&t))
        return most;
    if (count % 2 == 0 && is_odd(degree, s)) /* half a period later everything comes again, mirrored */
        t.end = t.next - 1 + count / 2;
    while (tour_next(&t, &theta))
        most = fmax(most, fabs(am_trig_value(degree, s, theta)));
    return most;
}
