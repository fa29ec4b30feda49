#include "analyses/stability/sliding_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analyses/stability/sliding.h"
#include "base/local.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/p_matrix.h"

enum { NEWTON_STEPS = 100, BRANCH_STEPS = 4000, SHORTEST = 60 };

/* A step of the branch may turn by this much (radians of its own scaled arc). */
static const double most_turn = 0.2;

typedef struct walk {
    const am_sliding_branch *b;
    size_t r;
    double *jacobian;             /* (r + 1)^2 */
    double *step;                 /* r + 1 */
    double *next, *trial;         /* r + 1: d and s */
    double *here, *tangent, *old; /* r + 1 */
    int *order;
} walk;

/* ---- equations ---- */

/* out = L d - G N(d) - s d0; the size of the largest of its terms. */
static double equation(const walk *w, const double *d, double s, double *out) {
    const am_sliding_branch *b = w->b;
    double size = 0.0;
    for (size_t i = 0; i < w->r; i++) {
        out[i] = -s * b->d0[i];
        size = fmax(size, fabs(out[i]));
    }
    for (size_t j = 0; j < w->r; j++) {
        double N = am_sliding_force(b->contact[j], d[j]);
        for (size_t i = 0; i < w->r; i++) {
            double linear = b->L[i * w->r + j] * d[j], force = b->G[i * w->r + j] * N;
            out[i] += linear - force;
            size = fmax(size, fmax(fabs(linear), fabs(force)));
        }
    }
    return size;
}

/* Rows of L - G N'(d), each `stride` long. */
static void derivative(const walk *w, const double *d, size_t stride, double *out) {
    for (size_t j = 0; j < w->r; j++) {
        double slope = am_sliding_slope(w->b->contact[j], d[j]);
        for (size_t i = 0; i < w->r; i++)
            out[i * stride + j] = w->b->L[i * w->r + j] - w->b->G[i * w->r + j] * slope;
    }
}

static double norm(const double *x, size_t count) {
    return sqrt(am_dense_dot(x, x, count));
}

/* Newton at fixed s with halved steps where the equations get worse. d is changed only on success. */
static bool newton(walk *w, double *d, double s) {
    size_t r = w->r;
    double *x = w->next;
    memcpy(x, d, r * sizeof *x);
    double terms = equation(w, x, s, w->step), size = norm(w->step, r);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        if (!(size > 16.0 * DBL_EPSILON * (double)r * terms)) {
            memcpy(d, x, r * sizeof *x);
            return isfinite(size);
        }
        derivative(w, x, r, w->jacobian);
        if (!am_lu_factor(w->jacobian, r, w->order))
            return false;
        am_lu_solve(w->jacobian, r, w->order, 1, w->step);
        double factor = 1.0, better = size, worth = terms;
        for (int half = 0; half < SHORTEST; half++, factor *= 0.5) {
            double *value = w->old;
            for (size_t i = 0; i < r; i++)
                w->trial[i] = x[i] - factor * w->step[i];
            worth = equation(w, w->trial, s, value);
            better = norm(value, r);
            if (better < size)
                break;
        }
        if (!(better < size)) { /* rounding is all that is left, or nothing helps */
            bool done = size <= 1e-12 * terms;
            if (done)
                memcpy(d, x, r * sizeof *x);
            return done;
        }
        memcpy(x, w->trial, r * sizeof *x);
        memcpy(w->step, w->old, r * sizeof *x);
        size = better;
        terms = worth;
    }
    return false;
}

/* ---- is there only one? ---- */

/* With A = -L^-1 G a P-matrix, d + A N(d) = s L^-1 d0 has exactly one solution, whatever increasing laws N are: of two
 * solutions some contact would have its force and its penetration changed in opposite senses. */
static am_status certify(walk *w, bool *unique, am_error *err) {
    size_t r = w->r;
    *unique = false;
    am_arena memory = {0};
    double *a = am_arena_new(&memory, 2 * r * r, sizeof *a, err);
    int *choice = am_arena_new(&memory, r, sizeof *choice, err);
    am_status status = am_arena_status(&memory);
    if (!status) {
        memcpy(w->jacobian, w->b->L, r * r * sizeof *a);
        if (am_lu_factor(w->jacobian, r, w->order)) {
            am_p_report report;
            for (size_t j = 0; j < r; j++) {
                for (size_t i = 0; i < r; i++)
                    w->step[i] = -w->b->G[i * r + j];
                am_lu_solve(w->jacobian, r, w->order, 1, w->step);
                for (size_t i = 0; i < r; i++)
                    a[i * r + j] = w->step[i];
            }
            status = am_p_family(a, a + r * r, r, 100000, choice, &report, err);
            *unique = !status && report.verdict == AM_P_YES;
        }
    }
    am_arena_clear(&memory);
    return status;
}

/* ---- along s, while the branch cannot turn ---- */

static bool grow_load(walk *w, double *d) {
    double s = 0.0, step = 1.0;
    for (int tries = 0; s < 1.0 && tries < 400; tries++) {
        double to = fmin(1.0, s + step);
        if (newton(w, d, to)) {
            s = to;
            step *= 2.0;
        } else {
            step *= 0.5;
        }
    }
    return s >= 1.0;
}

/* ---- along the arc, through folds ---- */

/* Lengths are counted in units of the present penetration and the present load, because both may change by many
 * orders of magnitude on the way. */
static void scales(const walk *w, const double *x, double *scale) {
    double d = fmax(am_dense_largest(x, w->r), DBL_MIN), s = fmax(fabs(x[w->r]), DBL_MIN);
    for (size_t i = 0; i < w->r; i++)
        scale[i] = d;
    scale[w->r] = s;
}

/* Rows of the derivative by scaled penetrations and load, each divided by its largest entry (which goes with `right`):
 * close to no load they are tiny, and no less regular for that. */
static void fill_jacobian(walk *w, const double *x, const double *scale, double *right) {
    size_t r = w->r, size = r + 1;
    derivative(w, x, size, w->jacobian);
    for (size_t i = 0; i < r; i++) {
        double *row = w->jacobian + i * size;
        for (size_t j = 0; j < r; j++)
            row[j] *= scale[j];
        row[r] = -w->b->d0[i] * scale[r];
        double largest = am_dense_largest(row, size), factor = largest > 0.0 ? 1.0 / largest : 1.0;
        for (size_t j = 0; j < size; j++)
            row[j] *= factor;
        right[i] *= factor;
    }
}

/* Unit tangent (in scaled lengths) at `here`, continuing the sense of w->old (or upwards in s where there is none). */
static bool find_tangent(walk *w, const double *scale, bool first) {
    size_t r = w->r, size = r + 1;
    memset(w->tangent, 0, size * sizeof *w->tangent);
    fill_jacobian(w, w->here, scale, w->tangent);
    for (size_t j = 0; j < size; j++)
        w->jacobian[r * size + j] = first ? 1.0 : w->old[j] / scale[j];
    w->tangent[r] = 1.0;
    if (!am_lu_factor(w->jacobian, size, w->order))
        return false;
    am_lu_solve(w->jacobian, size, w->order, 1, w->tangent);
    double length = norm(w->tangent, size);
    if (!(length > 0.0) || !isfinite(length))
        return false;
    length = first && w->tangent[r] < 0.0 ? -length : length;
    for (size_t j = 0; j < size; j++)
        w->tangent[j] /= length;
    return true;
}

/* Newton back to the curve in the plane across the tangent. w->next: the predicted point, then the point. */
static bool correct(walk *w, const double *scale, double ahead) {
    size_t r = w->r, size = r + 1;
    for (int step = 0; step < 12; step++) {
        double terms = equation(w, w->next, w->next[r], w->step), distance = -ahead;
        for (size_t j = 0; j < size; j++)
            distance += w->tangent[j] * (w->next[j] - w->here[j]) / scale[j];
        double error = norm(w->step, r);
        if (step > 0 && error <= 1e-13 * (double)size * terms)
            return true;
        w->step[r] = distance;
        fill_jacobian(w, w->next, scale, w->step);
        memcpy(w->jacobian + r * size, w->tangent, size * sizeof *w->tangent);
        if (!am_lu_factor(w->jacobian, size, w->order))
            return false;
        am_lu_solve(w->jacobian, size, w->order, 1, w->step);
        for (size_t j = 0; j < size; j++)
            w->next[j] -= w->step[j] * scale[j];
        if (!isfinite(norm(w->next, size)))
            return false;
    }
    return false;
}

/* The first point: so little load that one Newton step from d = 0 nearly does it. */
static bool first_point(walk *w) {
    for (double s = 1e-6; s > 1e-200; s *= 1e-3) {
        memset(w->here, 0, w->r * sizeof *w->here);
        if (newton(w, w->here, s) && am_dense_largest(w->here, w->r) > 0.0) {
            w->here[w->r] = s;
            return true;
        }
    }
    return false;
}

/* Where a step began, and what it looked like from there. */
typedef struct passage {
    double *from, *scale, *tangent, *guess; /* r + 1 each */
    double top;                             /* largest s met */
} passage;

/* A step of given length from w->here along w->tangent to w->next: does it follow the curve? */
static bool try_step(walk *w, const double *scale, double ahead) {
    size_t size = w->r + 1;
    double apart = 0.0;
    for (size_t j = 0; j < size; j++)
        w->next[j] = w->here[j] + ahead * w->tangent[j] * scale[j];
    if (!correct(w, scale, ahead))
        return false;
    for (size_t j = 0; j < size; j++) {
        double off = (w->next[j] - w->here[j]) / scale[j] - ahead * w->tangent[j];
        apart += off * off;
    }
    return sqrt(apart) <= most_turn * ahead;
}

/* The point `ahead` of where the step began, in w->here. */
static bool go(walk *w, const passage *p, double ahead) {
    size_t bytes = (w->r + 1) * sizeof *w->here;
    memcpy(w->here, p->from, bytes);
    memcpy(w->tangent, p->tangent, bytes);
    if (!try_step(w, p->scale, ahead))
        return false;
    memcpy(w->here, w->next, bytes);
    return true;
}

/* How far along the step its load has an extreme. */
static double locate_fold(walk *w, const passage *p, double ahead) {
    double low = 0.0, high = ahead;
    bool rises = p->tangent[w->r] > 0.0;
    for (int half = 0; half < SHORTEST; half++) {
        double middle = 0.5 * (low + high);
        if (!go(w, p, middle))
            break;
        for (size_t j = 0; j <= w->r; j++)
            w->old[j] = p->tangent[j] * p->scale[j];
        if (!find_tangent(w, p->scale, false))
            break;
        if ((w->tangent[w->r] > 0.0) == rises)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* An equilibrium lies between two places of the step, one below the load and one beyond: it is found along the arc,
 * because at a fixed load Newton's method may end on the other side of a fold. */
static void note_crossing(walk *w, const passage *p, double low, double high, double *d,
                          am_sliding_branch_report *report) {
    size_t r = w->r;
    if (!go(w, p, high))
        return;
    bool beyond = w->here[r] >= 1.0;
    memcpy(p->guess, w->here, r * sizeof *d);
    for (int half = 0; half < SHORTEST && high - low > DBL_EPSILON * high; half++) {
        double middle = 0.5 * (low + high);
        if (!go(w, p, middle))
            break;
        if ((w->here[r] >= 1.0) == beyond) {
            high = middle;
            memcpy(p->guess, w->here, r * sizeof *d);
        } else {
            low = middle;
        }
    }
    memcpy(w->tangent, p->guess, r * sizeof *d); /* free by now */
    double moved = 0.0, size = am_dense_largest(p->guess, r);
    if (newton(w, w->tangent, 1.0))
        for (size_t i = 0; i < r; i++)
            moved = fmax(moved, fabs(w->tangent[i] - p->guess[i]));
    else
        moved = size;
    if (report->equilibria == 0)
        memcpy(d, moved <= 1e-6 * size ? w->tangent : p->guess, r * sizeof *d);
    report->equilibria++;
}

/* The step from p->from to w->here, `ahead` long, is taken, and w->tangent is the one at its end: note where it folds
 * and where it passes the load. Leaves w as it found it. */
static void examine_passage(walk *w, const passage *p, double ahead, double *saved, double *d,
                            am_sliding_branch_report *report) {
    size_t r = w->r, bytes = (r + 1) * sizeof *saved;
    double fold = 0.0, at = NAN;
    bool begins = p->from[r] >= 1.0, ends = w->here[r] >= 1.0;
    memcpy(saved, w->here, bytes);
    memcpy(saved + r + 1, w->tangent, bytes);
    if ((p->tangent[r] > 0.0) != (w->tangent[r] > 0.0)) {
        at = locate_fold(w, p, ahead);
        fold = go(w, p, at) ? w->here[r] : fmax(p->from[r], saved[r]);
        if (isnan(report->fold))
            report->fold = fold;
    }
    bool turns = isfinite(at) && begins == ends && (fold >= 1.0) != begins;
    if (turns) {
        note_crossing(w, p, 0.0, at, d, report);
        note_crossing(w, p, at, ahead, d, report);
    } else if (begins != ends) {
        bool after = isfinite(at) && (fold >= 1.0) == begins;
        note_crossing(w, p, after ? at : 0.0, isfinite(at) && !after ? at : ahead, d, report);
    }
    memcpy(w->here, saved, bytes);
    memcpy(w->tangent, saved + r + 1, bytes);
}

static bool leaves(const walk *w, const passage *p) {
    double s = w->here[w->r];
    return s > 1e30 || s < 1e-2 * fmin(1.0, p->top);
}

static void follow(walk *w, passage *p, double *saved, double *d, am_sliding_branch_report *report) {
    size_t size = w->r + 1, bytes = size * sizeof *p->from;
    double ahead = 0.05, taken = 0.0;
    for (int step = 0; step < BRANCH_STEPS && !leaves(w, p); step++) {
        double *scale = saved + 2 * size;
        scales(w, w->here, scale);
        for (size_t j = 0; j < size; j++)
            w->old[j] = p->tangent[j] * p->scale[j];
        if (!find_tangent(w, scale, step == 0))
            return;
        if (step > 0)
            examine_passage(w, p, taken, saved, d, report);
        memcpy(p->from, w->here, bytes);
        memcpy(p->tangent, w->tangent, bytes);
        memcpy(p->scale, scale, bytes);
        int halved = 0;
        while (!try_step(w, p->scale, ahead) && halved++ < SHORTEST)
            ahead *= 0.5;
        if (halved > SHORTEST)
            return;
        memcpy(w->here, w->next, bytes);
        p->top = fmax(p->top, w->here[w->r]);
        taken = ahead;
        ahead = fmin(0.1, 1.5 * ahead);
    }
}

static am_status through_folds(walk *w, double *d, am_sliding_branch_report *report, am_error *err) {
    size_t size = w->r + 1;
    AM_LOCAL_MEMORY double *memory = am_memory_new(7 * size, sizeof *memory, err);
    if (!memory)
        return AM_ERR_MEMORY;
    passage p = {.from = memory, .scale = memory + size, .tangent = memory + 2 * size, .guess = memory + 3 * size};
    if (first_point(w)) {
        p.top = w->here[w->r];
        follow(w, &p, memory + 4 * size, d, report);
    }
    return AM_OK;
}

am_status am_sliding_branch_solve(const am_sliding_branch *branch, double *d, am_sliding_branch_report *report,
                                  am_error *err) {
    size_t r = branch->r, size = r + 1;
    am_arena memory = {0};
    walk w = {.b = branch, .r = r};
    *report = (am_sliding_branch_report){.fold = NAN};
    w.jacobian = am_arena_doubles(&memory, NULL, size * size, err);
    w.order = am_arena_new(&memory, size, sizeof *w.order, err);
    double **const vectors[] = {&w.step, &w.next, &w.trial, &w.here, &w.tangent, &w.old};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = am_arena_doubles(&memory, NULL, size, err);
    am_status status = am_arena_status(&memory);
    if (!status) {
        memset(d, 0, r * sizeof *d);
        status = certify(&w, &report->unique, err);
        if (!status && report->unique)
            report->equilibria = grow_load(&w, d) ? 1 : 0;
        else if (!status)
            status = through_folds(&w, d, report, err);
    }
    am_arena_clear(&memory);
    return status;
}
