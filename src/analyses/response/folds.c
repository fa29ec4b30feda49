/* Folds in two parameters. A fold of a branch over p is a motion x whose equations are singular there; with a second
 * number s of the structure the folds form curves,
 *
 *     F(x, p; s) = 0,   J(x, p; s) v = 0,   v.v = 1,      unknowns x, v, p along s,
 *
 * followed by pseudo-arclength through extrema of s. There an isola is born (or dies), or it meets another branch, or
 * two folds annihilate each other in a cusp. Where a curve comes back to the structure's own s it has found a fold that
 * may belong to a branch not known yet. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyses/response/further_branches.h"
#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/lu.h"

/* Where the equations of a fold degenerate (symmetry), events follow each other without end: a curve stops after so
 * many that could not be located. */
enum { MOST_UNDECIDED = 3 };

typedef struct track {
    am_arena memory;
    am_response *r;
    double second; /* that the balance is of; NAN: of none */
    am_balance *balance;
    am_continuation *curve; /* of 2 n + 1 unknowns */
    am_continuation *plain; /* of n: to leave a fold */
    size_t n, m;            /* size of x; 2 n + 1 */
    double X, P;            /* units of x and of p: unknowns are x/X, v, p/P */
    double own;             /* the structure's value of the second number */
    double step;            /* by which the second number is moved for differences */
    double *x, *F, *J, *Fp, *J_other, *Fp_other, *F_other, *moved;
    double *start;    /* m */
    double *border;   /* (n + 1)^2 */
    int *order;       /* n + 1 */
    double *crossing; /* crossings x m: folds at the structure's own value, of all curves */
    size_t crossings, crossing_capacity;

    size_t points;     /* of the present curve */
    bool skip;         /* the start of the second part is known */
    size_t undecided;  /* events of this part that were seen and not located */
    am_status failure; /* inside a visit */
    am_error *err;
    double *escape; /* n: a point beyond a fold */
    double escape_p;
    size_t escaped;
} track;

/* ---- the structure in two parameters ---- */

static am_balance *make_balance(track *t, double second, am_error *err) {
    const am_response_options *o = t->r->options;
    am_model_line line = t->r->line;
    am_balance_options options = {.degree = t->r->H,
                                  .parity = am_balance_odd(t->r->balance) ? AM_PARITY_ODD : AM_PARITY_ALL,
                                  .self_excited = t->r->self_excited,
                                  .omega = o->omega,
                                  .control_count = o->control_count,
                                  .controls = o->controls};
    line.value = second;
    am_balance *balance = am_balance_create(&line, o->from, o->to, &options, err);
    if (balance)
        am_balance_copy_control_units(balance, t->r->balance);
    return balance;
}

static am_status set_second(track *t, double second, am_error *err) {
    if (second == t->second)
        return AM_OK;
    t->balance->line.value = second;
    am_status status = am_balance_renew(t->balance, err);
    t->second = status ? NAN : second;
    return status;
}

/* ---- the equations of a fold ---- */

static void place(const track *t, const double *y, double shift) {
    for (size_t i = 0; i < t->n; i++)
        t->x[i] = t->X * (y[i] + shift * y[t->n + i]);
}

/* F and J v (in units of F), at the present second number. */
static am_status fold_rows(track *t, const double *y, double *rows, double *Fp, am_error *err) {
    size_t n = t->n;
    place(t, y, 0.0);
    AM_TRY(am_balance_evaluate(t->balance, t->x, t->P * y[2 * n], rows, t->J, Fp, err));
    for (size_t i = 0; i < n; i++)
        rows[n + i] = t->X * am_dense_dot(t->J + i * n, y + n, n);
    return AM_OK;
}

/* (J v)_x = (J_x v): how J changes along v; (J v)_p = how F_p does. Central differences: their error slows Newton's
 * method down and turns no solution. */
static am_status second_derivatives(track *t, const double *y, double *jacobian, am_error *err) {
    const double h = 1e-5;
    size_t n = t->n, m = t->m;
    double p = t->P * y[2 * n];
    place(t, y, h);
    AM_TRY(am_balance_evaluate(t->balance, t->x, p, t->F_other, t->J_other, t->Fp_other, err));
    for (size_t i = 0; i < n; i++) {
        double *row = jacobian + (n + i) * m;
        for (size_t j = 0; j < n; j++)
            row[j] = t->X * t->J_other[i * n + j] / (2.0 * h);
        row[2 * n] = t->P * t->Fp_other[i] / (2.0 * h);
    }
    place(t, y, -h);
    AM_TRY(am_balance_evaluate(t->balance, t->x, p, t->F_other, t->J_other, t->Fp_other, err));
    for (size_t i = 0; i < n; i++) {
        double *row = jacobian + (n + i) * m;
        for (size_t j = 0; j < n; j++)
            row[j] -= t->X * t->J_other[i * n + j] / (2.0 * h);
        row[2 * n] -= t->P * t->Fp_other[i] / (2.0 * h);
    }
    return AM_OK;
}

static am_status fill_jacobian(track *t, const double *y, double *jacobian, am_error *err) {
    size_t n = t->n, m = t->m;
    memset(jacobian, 0, m * m * sizeof *jacobian);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            jacobian[i * m + j] = t->X * t->J[i * n + j];
            jacobian[(n + i) * m + n + j] = t->X * t->J[i * n + j];
        }
        jacobian[i * m + 2 * n] = t->P * t->Fp[i];
        jacobian[2 * n * m + n + i] = 2.0 * y[n + i];
    }
    return second_derivatives(t, y, jacobian, err);
}

/* Differences in the second number, from one side where the structure refuses the other. */
static am_status difference_second(track *t, const double *y, double second, const double *rows, double *slope,
                                   am_error *err) {
    size_t n = t->n;
    am_error own = {0};
    bool above = !set_second(t, second + t->step, &own) && !fold_rows(t, y, slope, NULL, &own);
    bool below = !set_second(t, second - t->step, &own) && !fold_rows(t, y, t->moved, NULL, &own);
    if (own.status == AM_ERR_MEMORY)
        return am_fail(err, AM_ERR_MEMORY, "%s", own.message);
    AM_TRY(set_second(t, second, err));
    if (!above && !below)
        return am_fail(err, AM_ERR_LIMIT, "%s", own.message);
    for (size_t i = 0; i < 2 * n; i++) {
        double high = above ? slope[i] : rows[i], low = below ? t->moved[i] : rows[i];
        slope[i] = (high - low) / (above && below ? 2.0 * t->step : t->step);
    }
    slope[2 * n] = 0.0;
    return AM_OK;
}

static am_status evaluate(void *context, const double *y, double second, double *rows, double *jacobian, double *slope,
                          am_error *err) {
    track *t = context;
    size_t n = t->n;
    AM_TRY(set_second(t, second, err));
    AM_TRY(fold_rows(t, y, rows, jacobian ? t->Fp : NULL, err));
    rows[2 * n] = am_dense_dot(y + n, y + n, n) - 1.0;
    if (jacobian)
        AM_TRY(fill_jacobian(t, y, jacobian, err));
    return !slope ? AM_OK : difference_second(t, y, second, rows, slope, err);
}

/* v and -v are the same fold. */
static void align(void *context, const double *start, const double *y, double *aligned) {
    const track *t = context;
    bool turned = am_dense_dot(start + t->n, y + t->n, t->n) < 0.0;
    for (size_t i = 0; i < t->m; i++)
        aligned[i] = turned && i >= t->n && i < 2 * t->n ? -y[i] : y[i];
}

/* ---- what an extremum of the second number is ---- */

/* Second derivative of the equations along (dx, dp), weighed with w, by differences. */
static am_status bend(track *t, const double *y, const double *w, const double *direction, double *value,
                      am_error *err) {
    const double h = 1e-3;
    size_t n = t->n;
    *value = 0.0;
    for (int side = -1; side <= 1; side++) {
        for (size_t i = 0; i < n; i++)
            t->x[i] = t->X * (y[i] + h * side * direction[i]);
        double p = t->P * (y[2 * n] + h * side * direction[n]);
        AM_TRY(am_balance_evaluate(t->balance, t->x, p, t->F_other, NULL, NULL, err));
        *value += (side ? 1.0 : -2.0) * am_dense_dot(w, t->F_other, n) / (h * h);
    }
    return AM_OK;
}

/* Solve [J F_s; v 0] (or its transpose) with the right side in `side` (n + 1). At a birth or merger w.F_s is not zero,
 * so that F_s is a border that makes J regular. */
static bool solve_bordered(track *t, const double *y, const double *slope, bool transposed, double *side) {
    size_t n = t->n, k = n + 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            t->border[i * k + j] = t->X * (transposed ? t->J[j * n + i] : t->J[i * n + j]);
        t->border[i * k + n] = transposed ? y[n + i] : slope[i];
        t->border[n * k + i] = transposed ? slope[i] : y[n + i];
    }
    t->border[n * k + n] = 0.0;
    if (!am_lu_factor(t->border, k, t->order))
        return false;
    am_lu_solve(t->border, k, t->order, 1, side);
    return true;
}

/* The branches next to the point: with the null vectors (v, 0) and (u, 1) of [J F_p] (scaled) and the left one w, they
 * solve a quadratic form = s - s_0. Definite: an ellipse, an isola of no size. Indefinite: two branches that cross. */
static am_status classify_crossing(track *t, const double *y, double second, const char **kind, am_error *err) {
    size_t n = t->n, k = n + 1;
    double *rows = t->moved + 2 * t->m, *slope = rows + t->m, *w = slope + t->m, *d = w + k, *u = d + k;
    double form[4];
    AM_TRY(evaluate(t, y, second, rows, NULL, slope, err));
    AM_TRY(fold_rows(t, y, rows, t->Fp, err));
    memset(w, 0, k * sizeof *w);
    w[n] = 1.0;
    for (size_t i = 0; i < n; i++)
        u[i] = -t->P * t->Fp[i];
    u[n] = 0.0;
    *kind = "extremum";
    if (!solve_bordered(t, y, slope, true, w) || !solve_bordered(t, y, slope, false, u))
        return AM_OK;
    u[n] = 1.0;
    double size = am_dense_largest(u, k);
    for (size_t i = 0; i < k; i++)
        u[i] /= size;
    static const double share[4][2] = {{1.0, 0.0}, {0.0, 1.0}, {1.0, 1.0}, {1.0, -1.0}};
    for (size_t f = 0; f < 4; f++) {
        for (size_t i = 0; i <= n; i++)
            d[i] = share[f][0] * (i < n ? y[n + i] : 0.0) + share[f][1] * u[i];
        AM_TRY(bend(t, y, w, d, &form[f], err));
    }
    double mixed = 0.25 * (form[2] - form[3]);
    *kind = form[0] * form[1] > mixed * mixed ? "isola-birth" : "merger";
    return AM_OK;
}

/* At a cusp the curve goes on along v alone: p rests as well as s. */
static am_status classify(track *t, const am_continuation_point *at, const char **kind, am_error *err) {
    double dp = fabs(at->tangent[2 * t->n]), dx = 0.0;
    for (size_t i = 0; i < t->n; i++)
        dx = fmax(dx, fabs(at->tangent[i]));
    if (dp <= 1e-4 * dx) {
        *kind = "cusp";
        return AM_OK;
    }
    return classify_crossing(t, at->x, at->p, kind, err);
}

/* ---- recording ---- */

static am_status add_point(am_response_search *s, const am_fold_point *point, am_error *err) {
    AM_TRY(am_memory_reserve(&s->fold, &s->fold_capacity, s->folds + 1, err));
    s->fold[s->folds++] = *point;
    return AM_OK;
}

static bool same_fold(const track *t, const double *x, double p, const double *y) {
    double distance = 0.0, size = 0.0;
    for (size_t i = 0; i < t->n; i++) {
        distance = fmax(distance, fabs(x[i] - t->X * y[i]));
        size = fmax(size, fabs(x[i]));
    }
    double range = fabs(t->r->options->to - t->r->options->from);
    return fabs(p - t->P * y[2 * t->n]) <= 1e-6 * range && distance <= 1e-3 * size;
}

static bool met_crossing(const track *t, const double *x, double p) {
    for (size_t i = 0; i < t->crossings; i++)
        if (same_fold(t, x, p, t->crossing + i * t->m))
            return true;
    return false;
}

static am_status add_crossing(track *t, const double *y, am_error *err) {
    place(t, y, 0.0);
    if (met_crossing(t, t->x, t->P * y[2 * t->n]))
        return AM_OK;
    AM_TRY(am_memory_reserve_items(&t->crossing, &t->crossing_capacity, t->crossings + 1, t->m * sizeof *t->crossing,
                                   err));
    memcpy(t->crossing + t->crossings++ * t->m, y, t->m * sizeof *y);
    return AM_OK;
}

static am_status measure(track *t, const double *y, am_fold_point *point, am_error *err) {
    am_response other = *t->r; /* measured with the numbers of this second value */
    am_response_point measured = {0};
    other.balance = t->balance;
    AM_TRY(set_second(t, point->second, err));
    place(t, y, 0.0);
    AM_TRY(am_response_measure(&other, t->x, point->p, &measured, err));
    point->amplitude = measured.amplitude;
    for (size_t i = 0; i < am_response_listed_controls(t->r); i++)
        point->control[i] = am_balance_control_value(t->balance, t->x, i);
    return AM_OK;
}

static am_status note(track *t, const am_continuation_point *at, const am_continuation_special *special,
                      am_error *err) {
    am_fold_point point = {.curve = t->r->search->curves,
                           .p = t->P * at->x[2 * t->n],
                           .second = at->p,
                           .residual = at->residual,
                           .kind = special->kind,
                           .located = special->located};
    if (!special->located) {
        point.kind = "undecided";
        t->undecided++;
    } else if (!strcmp(special->kind, "fold")) {
        AM_TRY(classify(t, at, &point.kind, err));
    }
    if (at->p == t->own)
        AM_TRY(add_crossing(t, at->x, err));
    AM_TRY(measure(t, at->x, &point, err));
    AM_TRY(add_point(t->r->search, &point, err));
    t->points++;
    return AM_OK;
}

static bool visit(void *context, const am_continuation_point *at, const am_continuation_special *special) {
    track *t = context;
    const am_response_options *o = t->r->options;
    double p = t->P * at->x[2 * t->n];
    if (t->skip) { /* the start of the second part is the end of the first one, reversed */
        t->skip = false;
        return true;
    }
    if (!strcmp(special->kind, "value") && at->arclength == 0.0)
        return true; /* the start once more */
    bool left = p < fmin(o->from, o->to) || p > fmax(o->from, o->to);
    if (left || t->undecided >= MOST_UNDECIDED)
        return false;
    t->failure = note(t, at, special, t->err);
    if (!t->failure && !am_progress_report(t->r->progress, 0.5))
        t->failure = am_fail(t->err, AM_ERR_INTERRUPTED, "interrupted while folds were followed");
    return t->failure == AM_OK;
}

static void reverse(am_response_search *s, size_t first) {
    for (size_t i = first, j = s->folds; i + 1 < j; i++) {
        am_fold_point swap = s->fold[--j];
        s->fold[j] = s->fold[i];
        s->fold[i] = swap;
    }
}

/* ---- one curve ---- */

am_continuation_options am_response_curve_options(const am_response_folds *f, const double *own, int direction) {
    am_continuation_options options = am_continuation_options_default();
    options.from = *own;
    options.to = direction > 0 ? fmax(f->from, f->to) : fmin(f->from, f->to);
    options.least = fmin(f->from, f->to);
    options.most = fmax(f->from, f->to);
    options.direction = direction;
    options.values = own;
    options.value_count = 1;
    options.most_points = f->most_points;
    return options;
}

static am_status follow_part(track *t, int direction, am_continuation_report *report, am_error *err) {
    const am_response_folds *f = &t->r->options->fold_curves;
    am_continuation_problem problem = {.n = t->m, .evaluate = evaluate, .align = align, .context = t};
    am_continuation_options options = am_response_curve_options(f, &t->own, direction);
    options.x_scale = 1.0;
    t->undecided = 0;
    t->failure = AM_OK;
    t->err = err;
    am_status status = am_continuation_follow(t->curve, &problem, &options, t->start, report, visit, t, err);
    return t->failure ? t->failure : status;
}

/* The null vector at a fold is the direction of the branch there, which its neighbours show. */
static bool set_start(track *t, size_t i) {
    const am_response *r = t->r;
    const am_response_branch *branch = &r->branch[r->point[i].branch];
    size_t n = t->n, last = branch->first + branch->count - 1;
    if (i <= branch->first || i >= last)
        return false;
    const double *before = r->x + (i - 1) * n, *here = before + n, *after = here + n;
    double length = 0.0;
    for (size_t k = 0; k < n; k++)
        length += (after[k] - before[k]) * (after[k] - before[k]);
    if (!(length > 0.0))
        return false;
    for (size_t k = 0; k < n; k++) {
        t->start[k] = here[k] / t->X;
        t->start[n + k] = (after[k] - before[k]) / sqrt(length);
    }
    t->start[2 * n] = r->point[i].p / t->P;
    if (r->self_excited && r->problem.advance)
        r->problem.advance(t->balance, here, r->point[i].p);
    return true;
}

/* A curve that cannot be begun is counted, with the reason of the first. */
static am_status lose(track *t, size_t i, const char *why) {
    am_response_search *s = t->r->search;
    if (s->lost_curves++ == 0)
        snprintf(s->lost, sizeof s->lost, "the fold at %.8g: %.200s", t->r->point[i].p, why);
    return AM_OK;
}

/* A branch point in the same place: more than one null vector. */
static bool is_degenerate(const am_response *r, size_t i) {
    double range = fabs(r->options->to - r->options->from);
    for (size_t k = i > 2 ? i - 2 : 0; k <= i + 2 && k < r->count; k++)
        if (!strcmp(r->point[k].kind, "branch-point") && fabs(r->point[k].p - r->point[i].p) <= 1e-7 * range)
            return true;
    return false;
}

static am_status follow_curve(track *t, size_t i, am_error *err) {
    am_response_search *s = t->r->search;
    am_continuation_report report = {0};
    am_error own = {0};
    size_t first = s->folds;
    if (!t->r->point[i].located)
        return lose(t, i, "it was not located");
    if (is_degenerate(t->r, i))
        return lose(t, i, "it is a branch point as well: the curve of such folds is not that of simple ones");
    if (!set_start(t, i))
        return lose(t, i, "it lies at the end of its branch");
    t->skip = false;
    am_status status = follow_part(t, 1, &report, &own);
    bool closed = report.end == AM_CONTINUATION_CLOSED;
    if (!status && !closed) {
        reverse(s, first);
        t->skip = s->folds > first;
        status = follow_part(t, -1, &report, &own);
        closed = report.end == AM_CONTINUATION_CLOSED;
    }
    if (am_status_is_fatal(status))
        return am_fail(err, status, "%s", own.message);
    if (s->folds == first)
        return lose(t, i, own.message);
    s->curves++;
    s->closed_curves += closed;
    return AM_OK;
}

/* ---- branches that the folds lead to ---- */

static bool escape(void *context, const am_continuation_point *at, const am_continuation_special *special) {
    track *t = context;
    if (!strcmp(special->kind, "start"))
        return true;
    memcpy(t->escape, at->x, t->n * sizeof *t->escape);
    t->escape_p = at->p;
    return ++t->escaped < 3;
}

static bool is_known_fold(const track *t, const double *y) {
    const am_response *r = t->r;
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->point[i].kind, "fold") && same_fold(t, r->x + i * r->size, r->point[i].p, y))
            return true;
    return false;
}

/* From the fold a few steps along the null vector, then both ways from there: so the fold itself is seen as one. */
static am_status adopt(track *t, const double *y, am_error *err) {
    am_response *r = t->r;
    am_continuation_options options = r->follow;
    am_continuation_report report;
    am_error own = {0};
    bool kept;
    double *tangent = t->moved;
    options.from = t->P * y[2 * t->n];
    place(t, y, 0.0);
    for (size_t i = 0; i < t->n; i++)
        tangent[i] = t->X * y[t->n + i];
    tangent[t->n] = 0.0;
    t->escaped = 0;
    am_status status = am_continuation_switch(t->plain, &r->problem, &options, t->x, tangent, &report, escape, t, &own);
    if (status == AM_ERR_MEMORY)
        return am_fail(err, status, "%s", own.message);
    return status || t->escaped == 0 ? AM_OK : am_response_adopt(r, t->escape_p, t->escape, &kept, err);
}

static am_status adopt_crossings(track *t, size_t first, am_error *err) {
    for (size_t i = first; i < t->crossings && t->r->branches < t->r->options->most_branches; i++)
        if (!is_known_fold(t, t->crossing + i * t->m))
            AM_TRY(adopt(t, t->crossing + i * t->m, err));
    return AM_OK;
}

/* ---- the whole ---- */

/* Over the whole range of the second number the structure must keep its symmetry and its parts. */
static am_status check_ends(track *t, am_error *err) {
    const am_response_folds *f = &t->r->options->fold_curves;
    const double ends[] = {f->from, f->to};
    for (size_t i = 0; i < 2; i++) {
        am_error own = {0};
        am_balance *end = make_balance(t, ends[i], &own);
        if (!end)
            return am_fail_field(err, own.status, "folds", "folds cannot be followed as far as %.15g: %.180s", ends[i],
                                 own.message);
        size_t size = am_balance_size(end);
        am_balance_free(end);
        if (size != t->n)
            return am_fail_field(err, AM_ERR_INPUT, "folds",
                                 "the number that folds are followed along changes which parts the structure has");
    }
    return AM_OK;
}

static am_status open_track(track *t, am_error *err) {
    size_t n = t->n, m = t->m;
    AM_ARENA_DOUBLES(&t->memory, n, err, &t->x, &t->Fp, &t->Fp_other, &t->F_other, &t->escape);
    AM_ARENA_DOUBLES(&t->memory, n * n, err, &t->J, &t->J_other);
    t->moved = am_arena_doubles(&t->memory, NULL, 6 * m + 3 * (n + 1), err);
    t->start = am_arena_doubles(&t->memory, NULL, m, err);
    t->border = am_arena_doubles(&t->memory, NULL, (n + 1) * (n + 1), err);
    t->order = am_arena_new(&t->memory, n + 1, sizeof *t->order, err);
    AM_TRY(am_arena_status(&t->memory));
    t->curve = am_continuation_create(m, 0, err);
    t->plain = am_continuation_create(n, t->r->problem.test_count, err);
    AM_TRY(t->curve && t->plain ? check_ends(t, err) : AM_ERR_MEMORY);
    t->balance = make_balance(t, t->own, err);
    return t->balance ? AM_OK : err->status;
}

static am_status track_all(track *t, am_error *err) {
    const am_response *r = t->r;
    AM_TRY(open_track(t, err));
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->point[i].kind, "fold") || met_crossing(t, r->x + i * r->size, r->point[i].p))
            continue;
        size_t before = t->crossings;
        AM_TRY(follow_curve(t, i, err));
        AM_TRY(adopt_crossings(t, before, err));
    }
    return AM_OK;
}

/* The norm of the largest x: its unit. */
static double largest_motion(const am_response *r) {
    double largest = 0.0;
    for (size_t i = 0; i < r->count; i++)
        largest = fmax(largest, am_dense_dot(r->x + i * r->size, r->x + i * r->size, r->size));
    return largest > 0.0 ? sqrt(largest) : 1.0;
}

am_status am_response_folds_track(am_response *r, am_error *err) {
    const am_response_folds *f = &r->options->fold_curves;
    track t = {.r = r, .second = r->line.value, .n = r->size, .m = 2 * r->size + 1, .own = r->line.value};
    t.P = fabs(r->options->to - r->options->from);
    t.X = largest_motion(r);
    t.step = 1e-6 * fabs(f->to - f->from);
    am_status status = track_all(&t, err);
    am_balance_free(t.balance);
    am_continuation_free(t.curve);
    am_continuation_free(t.plain);
    am_memory_free(t.crossing);
    am_arena_clear(&t.memory);
    return status;
}
