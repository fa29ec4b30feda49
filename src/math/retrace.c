#include "math/retrace.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/memory.h"
#include "base/try.h"

/* There is no picture where more of the points are lost than this share of them, or an end at a bound of p, or where
 * neighbours stay farther apart than this share of the whole length: what lies between them is not known. */
static const double most_lost = 0.25, widest_hole = 0.1;

/* A picture needs points where neighbours lie farther apart than usual by this factor, and where the curve turns by more
 * than this angle, unless they are as near as this share of the usual distance. */
static const double far = 2.0, sharp = 0.25, near = 0.02;

am_status am_traced_add(am_traced_curve *curve, size_t piece, const double *x, double p, double residual,
                        am_error *err) {
    size_t n = curve->n;
    AM_TRY(am_memory_reserve(&curve->piece, &curve->piece_capacity, curve->count + 1, err));
    AM_TRY(am_memory_reserve_items(&curve->points, &curve->capacity, curve->count + 1, (n + 2) * sizeof(double), err));
    double *point = curve->points + curve->count * (n + 2);
    memcpy(point, x, n * sizeof *x);
    point[n] = p;
    point[n + 1] = residual;
    curve->piece[curve->count++] = piece;
    return AM_OK;
}

void am_traced_clear(am_traced_curve *curve) {
    am_memory_free(curve->points);
    am_memory_free(curve->piece);
    *curve = (am_traced_curve){.n = curve->n};
}

typedef struct retracing {
    am_continuation *workspace;
    const am_continuation_problem *problem;
    am_continuation_options options;
    double range;
    size_t n, lost;
    bool shortened;    /* an end at a bound of p is lost */
    double *direction; /* n + 1 */
    double *trial;     /* n + 2 */
    double *shift;     /* n + 1: by which the last point moved */
} retracing;

static bool is_fatal(am_status status) {
    return status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED;
}

/* r->trial by Newton's method, in the plane normal to r->direction; true when it arrived, inside of the range. */
static am_status correct(retracing *r, bool *arrived, am_error *err) {
    am_error own = {0};
    size_t n = r->n;
    if (r->problem->advance)
        r->problem->advance(r->problem->context, r->trial, r->trial[n]);
    am_status status = am_continuation_adjust(r->workspace, r->problem, &r->options, r->direction, r->trial,
                                              &r->trial[n], &r->trial[n + 1], &own);
    if (is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    double rounding = 1e-12 * r->range;
    *arrived =
        status == AM_OK && r->trial[n] >= r->options.least - rounding && r->trial[n] <= r->options.most + rounding;
    return AM_OK;
}

static bool is_at_bound(const retracing *r, double p) {
    return fmin(fabs(p - r->options.least), fabs(p - r->options.most)) <= 1e-9 * r->range;
}

/* From point `from` to point `to`; along p where one of them lies on a bound of p and the curve ends. */
static void take_direction(const retracing *r, const am_traced_curve *curve, size_t from, size_t to, bool bound) {
    const double *a = am_traced_point(curve, from), *b = am_traced_point(curve, to);
    for (size_t i = 0; i <= r->n; i++)
        r->direction[i] = bound || from == to ? (double)(i == r->n) : b[i] - a[i];
}

/* Point i between its neighbours: from where it was, from there moved as the point before it has moved, and that along x
 * alone. */
static am_status correct_point(retracing *r, const am_traced_curve *curve, size_t before, size_t i, size_t behind,
                               am_traced_curve *found, am_error *err) {
    const double *point = am_traced_point(curve, i);
    size_t n = r->n;
    bool arrived = false, end = before == i || behind == i, bound = end && is_at_bound(r, point[n]);
    for (int attempt = 0; attempt < 3 && !arrived; attempt++) {
        take_direction(r, curve, before, behind, bound || attempt == 2);
        for (size_t j = 0; j <= n; j++)
            r->trial[j] = point[j] + (attempt > 0 && !(bound && j == n) ? r->shift[j] : 0.0);
        AM_TRY(correct(r, &arrived, err));
    }
    r->lost += !arrived;
    r->shortened |= bound && !arrived;
    if (!arrived)
        return AM_OK;
    for (size_t j = 0; j <= n; j++)
        r->shift[j] = r->trial[j] - point[j];
    return am_traced_add(found, curve->piece[i], r->trial, r->trial[n], r->trial[n + 1], err);
}

/* About `most` points, spread by their number, so that they stay dense where they are dense; with both ends of each
 * piece. */
static am_status choose(const am_traced_curve *curve, size_t most, am_traced_curve *chosen, am_error *err) {
    for (size_t i = 0; i < curve->count; i++) {
        const double *point = am_traced_point(curve, i);
        bool first = i == 0 || curve->piece[i - 1] != curve->piece[i];
        bool last = i + 1 == curve->count || curve->piece[i + 1] != curve->piece[i];
        if (first || last || (i + 1) * most / curve->count != i * most / curve->count)
            AM_TRY(am_traced_add(chosen, curve->piece[i], point, point[curve->n], point[curve->n + 1], err));
    }
    return AM_OK;
}

static am_status correct_all(retracing *r, const am_traced_curve *chosen, am_traced_curve *found, am_error *err) {
    for (size_t i = 0; i < chosen->count; i++) {
        size_t before = i > 0 && chosen->piece[i - 1] == chosen->piece[i] ? i - 1 : i;
        size_t behind = i + 1 < chosen->count && chosen->piece[i + 1] == chosen->piece[i] ? i + 1 : i;
        AM_TRY(correct_point(r, chosen, before, i, behind, found, err));
    }
    return AM_OK;
}

/* In the scaled arclength. */
static double distance(const retracing *r, const am_traced_curve *curve, size_t i) {
    const double *a = am_traced_point(curve, i), *b = am_traced_point(curve, i + 1);
    double square = 0.0, along = (b[r->n] - a[r->n]) / r->range;
    for (size_t j = 0; j < r->n; j++)
        square += (b[j] - a[j]) * (b[j] - a[j]);
    return hypot(sqrt(square) / r->options.x_scale, along);
}

static bool joins(const am_traced_curve *curve, size_t i) {
    return i + 1 < curve->count && curve->piece[i] == curve->piece[i + 1];
}

/* New points on the way from point i to the next one. */
static am_status fill_gap(retracing *r, const am_traced_curve *curve, size_t i, size_t parts, am_traced_curve *filled,
                          am_error *err) {
    const double *a = am_traced_point(curve, i), *b = am_traced_point(curve, i + 1);
    for (size_t k = 1; k < parts; k++) {
        bool arrived;
        for (size_t j = 0; j <= r->n; j++)
            r->trial[j] = a[j] + (b[j] - a[j]) * (double)k / (double)parts;
        take_direction(r, curve, i, i + 1, false);
        AM_TRY(correct(r, &arrived, err));
        if (arrived)
            AM_TRY(am_traced_add(filled, curve->piece[i], r->trial, r->trial[r->n], r->trial[r->n + 1], err));
    }
    return AM_OK;
}

/* The angle between the ways to and from point i. */
static double turn_at(const retracing *r, const am_traced_curve *curve, size_t i) {
    if (i == 0 || !joins(curve, i - 1) || !joins(curve, i))
        return 0.0;
    const double *a = am_traced_point(curve, i - 1), *b = am_traced_point(curve, i), *c = am_traced_point(curve, i + 1);
    double product = 0.0, lengths = distance(r, curve, i - 1) * distance(r, curve, i);
    for (size_t j = 0; j <= r->n; j++) {
        double unit = j < r->n ? r->options.x_scale : r->range;
        product += (b[j] - a[j]) * (c[j] - b[j]) / (unit * unit);
    }
    return lengths > 0.0 ? acos(fmin(1.0, fmax(-1.0, product / lengths))) : 0.0;
}

/* How many parts the way from point i to the next one should have. */
static size_t parts_of(const retracing *r, const am_traced_curve *curve, size_t i, double usual) {
    enum { MOST_PARTS = 6 };
    double gap = joins(curve, i) ? distance(r, curve, i) : 0.0;
    if (gap > far * usual)
        return (size_t)fmin(MOST_PARTS, ceil(gap / (far * usual)));
    return gap > near * usual && fmax(turn_at(r, curve, i), turn_at(r, curve, i + 1)) > sharp ? 2 : 1;
}

static am_status fill_gaps(retracing *r, const am_traced_curve *curve, size_t most, am_traced_curve *filled,
                           am_error *err) {
    double length = 0.0;
    size_t left = most > curve->count ? most - curve->count : 0;
    for (size_t i = 0; i < curve->count; i++)
        length += joins(curve, i) ? distance(r, curve, i) : 0.0;
    left += most / 4;
    for (size_t i = 0; i < curve->count; i++) {
        const double *a = am_traced_point(curve, i);
        AM_TRY(am_traced_add(filled, curve->piece[i], a, a[r->n], a[r->n + 1], err));
        size_t parts = parts_of(r, curve, i, length / (double)curve->count);
        if (parts - 1 > left)
            continue;
        left -= parts - 1;
        AM_TRY(fill_gap(r, curve, i, parts, filled, err));
    }
    return AM_OK;
}

static double largest_norm(const am_traced_curve *curve) {
    double most = 0.0;
    for (size_t i = 0; i < curve->count; i++) {
        const double *x = am_traced_point(curve, i);
        double square = 0.0;
        for (size_t j = 0; j < curve->n; j++)
            square += x[j] * x[j];
        most = fmax(most, sqrt(square));
    }
    return most > 0.0 && isfinite(most) ? most : 1.0;
}

static bool has_hole(const retracing *r, const am_traced_curve *curve) {
    double length = 0.0, widest = 0.0;
    for (size_t i = 0; i < curve->count; i++) {
        double gap = joins(curve, i) ? distance(r, curve, i) : 0.0;
        length += gap;
        widest = fmax(widest, gap);
    }
    return curve->count < 3 || !(widest <= widest_hole * length);
}

static am_status retrace(retracing *r, const am_traced_curve *curve, size_t most, am_traced_curve *filled,
                         am_error *err) {
    AM_LOCAL(am_traced_clear) am_traced_curve chosen = {.n = r->n}, found = {.n = r->n};
    AM_LOCAL_MEMORY double *work = am_memory_new(3 * r->n + 4, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    r->direction = work;
    r->shift = work + r->n + 1;
    r->trial = work + 2 * r->n + 2;
    AM_TRY(choose(curve, most, &chosen, err));
    AM_TRY(correct_all(r, &chosen, &found, err));
    if (r->shortened || (double)r->lost > most_lost * (double)chosen.count)
        return AM_OK;
    return fill_gaps(r, &found, most, filled, err);
}

/* From `from` into `to`, which is another curve or the same. */
static am_status try_from(retracing *r, const am_traced_curve *from, size_t most, am_traced_curve *to, bool *found,
                          am_error *err) {
    am_traced_curve filled = {.n = r->n};
    r->lost = 0;
    r->shortened = false;
    r->options.x_scale = largest_norm(from);
    am_status status = retrace(r, from, most, &filled, err);
    *found = status == AM_OK && !has_hole(r, &filled);
    am_traced_clear(*found ? to : &filled);
    if (*found)
        *to = filled;
    return status;
}

am_status am_traced_draw(const am_traced_curve *followed, am_traced_curve *drawn, am_continuation *workspace,
                         const am_continuation_problem *problem, const am_continuation_options *options, size_t most,
                         bool *found, size_t *lost, am_error *err) {
    retracing r = {.workspace = workspace, .problem = problem, .options = *options, .n = followed->n};
    if (!(r.options.least < r.options.most)) {
        r.options.least = fmin(options->from, options->to);
        r.options.most = fmax(options->from, options->to);
    }
    r.range = r.options.most - r.options.least;
    *found = false;
    if (drawn->count > 0)
        AM_TRY(try_from(&r, drawn, most, drawn, found, err));
    if (!*found)
        AM_TRY(try_from(&r, followed, most, drawn, found, err));
    *lost = r.lost;
    return AM_OK;
}
