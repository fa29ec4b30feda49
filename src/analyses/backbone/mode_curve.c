/* The start of a nonlinear mode, where it is still linear, and the way from there along the amplitude. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/backbone/backbone_internal.h"
#include "base/local.h"
#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/dense.h"

/* ---- the start ---- */

/* A motion whose equations are met no better than by this share of their size is none. */
static const double blurred = 1e-7;

enum { MOST_LINES = 8 };     /* that meet at a branch point */
enum { LEAST_DECADES = 12 }; /* below the first amplitude asked for: a limit of slip is met before */

/* The linear mode as y, into `mode`. */
static am_status take_linear_mode(am_backbone *b, am_backbone_equations *e, double *mode, am_error *err) {
    double omega, xi, share;
    size_t last = e->size - 1, wanted = b->options->mode - 1;
    AM_TRY(am_balance_mode(e->balance, 0.0, wanted, mode, e->rest, &omega, &xi, &share, err));
    if (!(share > 1e-7) && !b->whole) { /* condensed coordinates would carry all of the mode */
        size_t harmonics = am_balance_degree(e->balance);
        b->whole = true;
        am_backbone_equations_close(e);
        AM_TRY(am_backbone_equations_open(b, b->options->parity, harmonics, e, err));
        last = e->size - 1;
        AM_TRY(am_balance_mode(e->balance, 0.0, wanted, mode, e->rest, &omega, &xi, &share, err));
    }
    b->linear_frequency = omega;
    b->linear_damping = 0.5 * xi / omega;
    e->omega = omega;
    e->unit = sqrt(am_dense_dot(mode, mode, last));
    for (size_t i = 0; i < last; i++)
        mode[i] /= e->unit;
    mode[last] = 1.0;
    mode[last + 1] = xi / omega;
    return AM_OK;
}

/* How far the motion y is from the linear mode: its shape, and its frequency. */
static void compare(const am_backbone_equations *e, const double *mode, const double *y, double *shape,
                    double *frequency) {
    *shape = 0.0;
    for (size_t i = 0; i + 1 < e->size; i++)
        *shape += (y[i] - mode[i]) * (y[i] - mode[i]);
    *shape = sqrt(*shape);
    *frequency = fabs(y[e->size - 1] - 1.0);
}

/* Of Newton's method: the place at rest has rounding, of which a small motion beside it sees more. */
static double tolerance_at(const am_backbone_equations *e, double s) {
    double rounding = DBL_EPSILON * am_dense_largest(e->rest, e->size) / (exp(s) * e->unit);
    return fmax(1e-10, 100.0 * rounding);
}

static am_status solve_at(am_backbone_equations *e, double s, double *y, am_error *err) {
    double tolerance = tolerance_at(e, s);
    if (tolerance > blurred)
        return am_fail(err, AM_ERR_LIMIT, "the amplitude %g is lost in the digits of the displacements at rest",
                       exp(s));
    am_backbone_phase(e, y, s);
    AM_TRY(am_continuation_solve(e->curve, &e->problem, s, tolerance, y, NULL, err));
    return y[e->size - 1] > 0.0 ? AM_OK : am_fail(err, AM_ERR_LIMIT, "the frequency went to zero");
}

/* Newton's method from the linear mode at ever smaller amplitudes, until what it finds is that mode: y at *s. A
 * structure that is nonlinear at any amplitude (a spring that opens at rest) comes as near as it can. */
static am_status leave_linear_mode(am_backbone *b, am_backbone_equations *e, const double *mode, double *y, double *s,
                                   am_error *err) {
    am_error own = {0};
    bool found = false;
    for (int i = 0; i <= LEAST_DECADES; i++) {
        double at = log(b->from) - (double)i * log(10.0), shape, frequency;
        memcpy(b->trial, mode, (e->size + 1) * sizeof *mode);
        am_status status = solve_at(e, at, b->trial, &own);
        if (status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED)
            return am_fail(err, status, "%s", own.message);
        if (status && found && !(tolerance_at(e, at) <= blurred))
            break;
        if (status)
            continue;
        found = true;
        *s = at;
        memcpy(y, b->trial, (e->size + 1) * sizeof *y);
        compare(e, mode, y, &shape, &frequency);
        if (shape < 0.1 && frequency < 0.02)
            break;
    }
    return found ? AM_OK
                 : am_fail(err, AM_ERR_LIMIT, "mode %zu could not be followed from its linear limit: %s",
                           b->options->mode, own.message);
}

/* The start with half the harmonics is the next best guess. */
static am_status find_start(am_backbone *b, am_backbone_equations *e, double *mode, double *y, double *s,
                            am_error *err) {
    am_error own = {0};
    size_t H = am_balance_degree(e->balance);
    AM_TRY(take_linear_mode(b, e, mode, err));
    am_status status = leave_linear_mode(b, e, mode, y, s, &own);
    if (status != AM_ERR_LIMIT || H == 1)
        return status ? am_fail(err, status, "%s", own.message) : AM_OK;
    am_backbone_equations coarse;
    am_arena memory = {0};
    double *other = am_arena_doubles(&memory, NULL, e->size + 1, err);
    AM_TRY(am_arena_status(&memory));
    status =
        am_backbone_equations_open(b, am_balance_odd(e->balance) ? AM_PARITY_ODD : AM_PARITY_ALL, H / 2, &coarse, err);
    if (!status)
        status = find_start(b, &coarse, mode, other, s, err);
    if (!status) {
        am_balance_refine(coarse.balance, e->balance, other, y);
        y[e->size] = other[coarse.size];
        status = solve_at(e, *s, y, err);
    }
    am_backbone_equations_close(&coarse);
    am_arena_clear(&memory);
    return status;
}

am_status am_backbone_linear_mode(am_backbone *b, am_error *err) {
    return take_linear_mode(b, &b->equations, b->first, err);
}

am_status am_backbone_start(am_backbone *b, am_error *err) {
    return find_start(b, &b->equations, b->first, b->y, &b->start, err);
}

/* ---- the curve ---- */

am_status am_backbone_add(am_backbone *b, const am_continuation_point *at, const am_continuation_special *special,
                          am_error *err) {
    size_t N = b->equations.size + 1, capacity = b->capacity;
    AM_TRY(am_memory_reserve(&b->point, &capacity, b->count + 1, err));
    AM_TRY(am_memory_reserve_items(&b->points, &b->capacity, b->count + 1, N * sizeof *b->points, err));
    double xi = am_backbone_unscale(&b->equations, at->x, at->p, b->equations.x);
    b->point[b->count] = (am_backbone_point){.kind = special->kind,
                                             .located = special->located,
                                             .branch = b->branches + 1,
                                             .s = at->p,
                                             .amplitude = exp(at->p),
                                             .frequency = b->equations.x[N - 2],
                                             .xi = xi,
                                             .residual = at->residual,
                                             .stable = -1,
                                             .exponent = NAN,
                                             .exact = NAN,
                                             .modal_force = NAN,
                                             .withheld = ""};
    memcpy(b->points + b->count++ * N, at->x, N * sizeof *at->x);
    return AM_OK;
}

static bool record(void *context, const am_continuation_point *at, const am_continuation_special *special) {
    am_backbone *b = context;
    b->failure = am_backbone_add(b, at, special, b->err);
    double share = (at->p - log(b->from)) / log(b->to / b->from);
    if (!b->failure && b->count % 16 == 0 && !am_progress_report(b->progress, 0.5 * fmin(fmax(share, 0.0), 1.0)))
        b->failure = am_fail(b->err, AM_ERR_INTERRUPTED, "interrupted");
    return b->failure == AM_OK;
}

static bool record_last(void *context, const am_continuation_point *at, const am_continuation_special *special) {
    am_backbone *b = context;
    (void)special;
    memcpy(b->y, at->x, (b->equations.size + 1) * sizeof *b->y);
    return true;
}

static am_continuation_options options_of(const am_backbone_equations *e, double from, double to) {
    am_continuation_options o = am_continuation_options_default();
    o.tolerance = tolerance_at(e, from);
    o.from = from;
    o.to = to;
    o.x_scale = 1.0;
    o.close = false;
    return o;
}

/* From where the mode is linear to the first amplitude that is asked for. At a corner, where slip begins, Newton's method
 * may find only the way back; whether it does depends on where steps end, so shorter ones are tried then. */
static am_status approach(am_backbone *b, am_error *err) {
    static const double largest_step[] = {0.0, 7e-3, 5e-3, 3.5e-3, 2.5e-3, 1.8e-3}; /* 0: as everywhere, at most 0.01 */
    static const size_t tries = sizeof largest_step / sizeof *largest_step;
    am_backbone_equations *e = &b->equations;
    am_continuation_report report = {.end = AM_CONTINUATION_FAILED};
    double to = log(b->from);
    if (!(b->start < to))
        return AM_OK;
    am_continuation_options o = options_of(e, b->start, to);
    AM_LOCAL_ARENA memory = {0};
    double *first = am_arena_doubles(&memory, b->y, e->size + 1, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t i = 0; i < tries && report.end == AM_CONTINUATION_FAILED; i++) {
        o.largest_step = largest_step[i];
        memcpy(b->first, first, (e->size + 1) * sizeof *first);
        AM_TRY(am_continuation_follow(e->curve, &e->problem, &o, b->first, &report, record_last, b, err));
    }
    return report.end == AM_CONTINUATION_LEFT
               ? AM_OK
               : am_fail(err, AM_ERR_LIMIT,
                         "mode %zu could not be followed from small amplitudes to %g: %s; begin at a smaller one",
                         b->options->mode, b->from, report.sentence);
}

/* Amplitudes that were asked for are told as they were given. */
static void restore(am_backbone *b, double amplitude) {
    for (size_t i = 0; i < b->count; i++)
        if (fabs(b->point[i].s - log(amplitude)) <= 1e-14 * fmax(1.0, fabs(log(amplitude))))
            b->point[i].amplitude = amplitude;
}

/* The branch that was followed just now counts from here on. */
static am_status end_branch(am_backbone *b, const am_continuation_report *report, am_error *err) {
    AM_TRY(am_memory_reserve(&b->reports, &b->report_capacity, b->branches + 1, err));
    b->reports[b->branches++] = *report;
    return AM_OK;
}

am_continuation_options am_backbone_curve_options(const am_backbone *b) {
    am_continuation_options o = options_of(&b->equations, log(b->from), log(b->to));
    o.most_points = b->options->most_points;
    o.values = b->logarithms;
    o.value_count = b->options->value_count;
    return o;
}

/* ---- branches ---- */

static bool near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

/* Does the branch that begins at `first` end where another one ends, or passes? A motion and its mirror image are one. */
static bool is_known(const am_backbone *b, size_t first) {
    const am_backbone_point *last = &b->point[b->count - 1];
    for (size_t i = 0; i < first; i++) {
        const am_backbone_point *p = &b->point[i];
        if (strcmp(p->kind, "end") == 0 && strcmp(last->kind, "end") == 0 &&
            near(p->amplitude, last->amplitude, 1e-9) && near(p->frequency, last->frequency, 1e-7) &&
            fabs(p->xi - last->xi) <= 1e-7 * p->frequency)
            return true;
    }
    return false;
}

/* One way along a direction that leaves the branch point. */
static am_status follow_side(am_backbone *b, const double *y, double s, const double *tangent, am_error *err) {
    am_backbone_equations *e = &b->equations;
    am_continuation_options o = am_backbone_curve_options(b);
    am_continuation_report report = {0};
    am_error own = {0};
    size_t first = b->count;
    o.least = o.from;
    o.most = o.to;
    o.from = s;
    b->failure = AM_OK;
    b->err = err;
    am_backbone_phase(e, y, s);
    am_status status = am_continuation_switch(e->curve, &e->problem, &o, y, tangent, &report, record, b, &own);
    if (b->failure)
        return b->failure;
    if (status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED)
        return am_fail(err, status, "%s", own.message);
    if (status || b->count < first + 3 || is_known(b, first)) {
        b->count = first; /* nothing leaves in this direction, or what is known */
        return AM_OK;
    }
    return end_branch(b, &report, err);
}

/* All that leaves the branch point but the branch it was found on. */
static am_status follow_from(am_backbone *b, size_t at, double *lines, am_error *err) {
    am_backbone_equations *e = &b->equations;
    size_t N = e->size + 1, count = 0,
           other = at + 1 < b->count && b->point[at + 1].branch == b->point[at].branch ? at + 1 : at - 1;
    double s = b->point[at].s, *tangent = lines + MOST_LINES * (N + 1), *y = tangent + N + 1;
    am_continuation_options o = am_backbone_curve_options(b);
    am_error own = {0};
    memcpy(y, b->points + at * N, N * sizeof *y);
    for (size_t i = 0; i < N; i++)
        tangent[i] = b->points[other * N + i] - y[i];
    tangent[N] = b->point[other].s - s;
    o.from = s;
    am_backbone_phase(e, y, s);
    am_status status =
        am_continuation_directions(e->curve, &e->problem, &o, y, tangent, MOST_LINES, lines, &count, &own);
    if (status == AM_ERR_MEMORY)
        return am_fail(err, status, "%s", own.message);
    for (size_t k = 1; k < count && !status; k++)
        for (int way = 0; way < 2 && b->branches < b->options->most_branches; way++) {
            AM_TRY(follow_side(b, y, s, lines + k * (N + 1), err));
            for (size_t i = 0; i <= N; i++)
                lines[k * (N + 1) + i] = -lines[k * (N + 1) + i];
        }
    return AM_OK;
}

static am_status follow_branches(am_backbone *b, am_error *err) {
    size_t N = b->equations.size + 1;
    AM_LOCAL_MEMORY double *lines = am_memory_new((MOST_LINES + 2) * (N + 1), sizeof *lines, err);
    if (!lines)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < b->count && b->branches < b->options->most_branches; i++)
        if (strcmp(b->point[i].kind, "branch-point") == 0 && b->point[i].located)
            AM_TRY(follow_from(b, i, lines, err));
    return AM_OK;
}

am_status am_backbone_follow(am_backbone *b, am_error *err) {
    am_backbone_equations *e = &b->equations;
    am_continuation_report report = {0};
    AM_TRY(approach(b, err));
    am_continuation_options o = am_backbone_curve_options(b);
    b->failure = AM_OK;
    b->err = err;
    am_status status = am_continuation_follow(e->curve, &e->problem, &o, b->y, &report, record, b, err);
    AM_TRY(b->failure ? b->failure : status);
    AM_TRY(end_branch(b, &report, err));
    b->own = b->count;
    if (b->options->branches)
        AM_TRY(follow_branches(b, err));
    restore(b, b->from);
    restore(b, b->to);
    for (size_t v = 0; v < b->options->value_count; v++)
        restore(b, b->options->values[v]);
    return AM_OK;
}
