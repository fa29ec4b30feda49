/* The walk along a curve: predictor, step control, corners, what is handed out. */
#include "math/continuation.h"
#include "base/try.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "math/continuation_internal.h"
#include "math/dense.h"

/* Steps: the distance between predicted and corrected point that is aimed at (absolute, and by the step), and from
 * which a step is refused (by the step). */
static const double aimed_distance = 3e-5, aimed_share = 0.005, aimed_softness = 0.01, refused_share = 0.2;

/* Below this gap rounding (eps / gap in the points, some ten times more in what is predicted from them) is of the size
 * of the gap: care would only shorten the steps for nothing. */
static const double blurred_gap = 1e-6;

/* So many times a step is aimed at a corner before it is halved as others are. */
enum { most_corners = 4 };

/* So many branch points that cannot be located, one after the other, are none. */
enum { most_doubtful = 20 };

/* Below this share of the step that was wanted, a corner explains a large distance. */
static const double corner_share = 1.0 / 256.0;

typedef struct walk {
    am_continuation *c;
    const am_continuation_options *options;
    am_continuation_report *report;
    am_continuation_visit visit;
    void *visitor;
    double *values; /* sorted */
    size_t value_count;
    double least, most, largest;
    double step;          /* wanted next */
    double furthest;      /* p of the point farthest from the start */
    double last_distance; /* from predictor to point, of the last step, by its length... */
    double last_step;     /* ...which was this */
    double corner;        /* where the last trial suggests one, in its step; NAN: it does not... */
    double turn;          /* ...and by how much its direction was not the predicted one */
    double soft_before;   /* how far off along the null vector the last trial of this step was; 0: none */
    size_t doubtful;      /* branch points in a row that could not be located */
    bool kept;            /* the last step had to be shortened: do not grow */
    bool turned;          /* a corner lies between here and next */
    bool blind;           /* the start is a branch point: its signs mean nothing */
    bool away;            /* has left the neighbourhood of its start */
    bool ended;
} walk;

am_continuation_options am_continuation_options_default(void) {
    return (am_continuation_options){.to = 1.0, .tolerance = 1e-10, .most_points = 10000, .close = true};
}

/* ---- handing out ---- */

__attribute__((format(printf, 3, 4))) static void end(walk *w, am_continuation_end why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->report->sentence, sizeof w->report->sentence, format, arguments);
    va_end(arguments);
    w->report->end = why;
    w->ended = true;
}

static void count(walk *w, const am_continuation_station *station, const char *kind, bool located) {
    am_continuation_report *r = w->report;
    bool ordinary = !strcmp(kind, "regular") || !strcmp(kind, "start") || !strcmp(kind, "end");
    r->points++;
    r->specials += !ordinary;
    r->unlocated += !located;
    r->folds += !ordinary && !strcmp(kind, "fold");
    r->branch_points += !ordinary && !strcmp(kind, "branch-point");
    if (!(station->residual <= r->worst_residual))
        r->worst_residual = station->residual;
}

/* Signs at random: along a family of solutions the determinant is rounding. */
static void notice_family(walk *w, const char *kind, bool located, double p) {
    if (strcmp(kind, "branch-point") != 0)
        return;
    w->doubtful = located ? 0 : w->doubtful + 1;
    if (w->doubtful < most_doubtful || w->ended)
        return;
    end(w, AM_CONTINUATION_FAILED,
        "near %.8g the solutions are not isolated: the equations hold along more than a curve there", p);
}

static void report_point(walk *w, am_continuation_station *station, const char *kind, bool located) {
    am_continuation *c = w->c;
    count(w, station, kind, located);
    double first = w->options->from, p = station->z[c->n] * c->p_unit;
    notice_family(w, kind, located, p);
    if (w->report->points == 1 || fabs(p - first) > fabs(w->furthest - first))
        w->furthest = p;
    if (!w->visit)
        return;
    am_continuation_unscale(c, station->z, c->out_x);
    am_continuation_unscale(c, station->t, c->out_t);
    c->out_t[c->n] = station->t[c->n] * c->p_unit;
    am_continuation_point point = {.x = c->out_x,
                                   .p = p,
                                   .tangent = c->out_t,
                                   .tests = station->tests,
                                   .arclength = station->s,
                                   .residual = station->residual,
                                   .determinant = (station->det > 0.0) - (station->det < 0.0)};
    am_continuation_special special = {.kind = kind, .located = located};
    if (!w->visit(w->visitor, &point, &special) && !w->ended)
        end(w, AM_CONTINUATION_STOPPED, "stopped at %g", point.p);
}

/* ---- values of p between two stations ---- */

static double parameter(const am_continuation *c, const am_continuation_station *a) {
    return a->z[c->n] * c->p_unit;
}

/* A curve that leaves the range through its own start has come back the way it went: a solution that is isolated lies on
 * one curve. That happens where equations jump, or have no slope, and Newton's method finds only the way back. */
static bool is_start(const am_continuation *c, const am_continuation_station *a) {
    double size = am_continuation_norm(c->start->z, c->n + 1);
    return am_continuation_distance(a->z, c->start->z, c->n + 1) <= 1e-8 * size;
}

static void stop_at_bound(walk *w, const am_continuation_station *a, const am_continuation_station *b, double bound) {
    am_continuation *c = w->c;
    bool found = am_continuation_hit(c, a, b, bound, c->spare);
    if (found && is_start(c, c->spare))
        end(w, AM_CONTINUATION_FAILED,
            "the curve turned at %.8g and came back to its start on itself: what lies beyond "
            "was not found",
            w->furthest);
    else
        end(w, AM_CONTINUATION_LEFT, "the parameter left its range at %g", bound);
    report_point(w, c->spare, "end", found);
}

static size_t first_above(const walk *w, double p) {
    size_t low = 0, high = w->value_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (w->values[middle] > p)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void hit_value(walk *w, const am_continuation_station *a, const am_continuation_station *b, double value) {
    bool found = am_continuation_hit(w->c, a, b, value, w->c->spare);
    report_point(w, w->c->spare, "value", found);
}

/* Between two neighbouring stations (no fold between them) p is monotonic. A value at a was met on the way to a. */
static void pass_values(walk *w, const am_continuation_station *a, const am_continuation_station *b) {
    double from = parameter(w->c, a), to = parameter(w->c, b);
    if (to > from)
        for (size_t i = first_above(w, from); !w->ended && i < w->value_count; i++) {
            if (w->values[i] > to || w->values[i] > w->most)
                break;
            hit_value(w, a, b, w->values[i]);
        }
    else
        for (size_t i = first_above(w, from); !w->ended && i-- > 0;) {
            if (w->values[i] < to || w->values[i] < w->least)
                break;
            if (w->values[i] < from)
                hit_value(w, a, b, w->values[i]);
        }
    if (!w->ended && to > from && to >= w->most)
        stop_at_bound(w, a, b, w->most);
    else if (!w->ended && to < from && to <= w->least)
        stop_at_bound(w, a, b, w->least);
}

/* ---- what lies between here and next ---- */

static const char *kind_of(const am_continuation *c, const am_continuation_break *found) {
    switch (found->mark) {
    case AM_TAG_FOLD:
        return "fold";
    case AM_TAG_BRANCH:
        return "branch-point";
    case AM_TAG_CLOSED:
        return "end";
    default:
        return c->problem->test_names ? c->problem->test_names[found->test] : "test";
    }
}

static void pass_break(walk *w, am_continuation_break *found) {
    am_continuation *c = w->c;
    if (found->mark == AM_TAG_CLOSED) {
        end(w, AM_CONTINUATION_CLOSED, "the curve closes on its start");
    } else {
        am_continuation_test_or_nan(c, found->station);
    }
    report_point(w, found->station, kind_of(c, found), found->located);
}

static bool closing(walk *w) {
    am_continuation *c = w->c;
    if (!w->options->close)
        return false;
    w->away = w->away ||
              am_continuation_from_start(c, c->here) > 2.0 * am_continuation_distance(c->here->z, c->next->z, c->n + 1);
    return w->away;
}

static void pass_interval(walk *w) {
    am_continuation *c = w->c;
    const am_continuation_station *a = c->here;
    am_continuation_search_rest(c, c->here, c->next, closing(w));
    for (size_t i = 0; i < c->break_count && !w->ended; i++) {
        pass_values(w, a, c->breaks[i].station);
        if (!w->ended)
            pass_break(w, c->breaks + i);
        a = c->breaks[i].station;
    }
    if (!w->ended)
        pass_values(w, a, c->next);
    if (!w->ended)
        report_point(w, c->next, "regular", true);
}

/* ---- steps ---- */

/* A hundredth (or what was asked for) of the range of p and of the size of x, whichever is longer along the tangent. */
static double longest_step(const walk *w) {
    const am_continuation *c = w->c;
    if (w->options->largest_step > 0.0)
        return w->options->largest_step;
    double size = am_continuation_norm(c->here->z, c->n), p = c->here->t[c->n], x2 = 1.0 - p * p;
    size = size > 1.0 ? size : 1.0;
    return w->largest / sqrt(p * p + (x2 > 0.0 ? x2 : 0.0) / (size * size));
}

/* The cubic through the last four points, continued, and its direction. Points are known better than tangents where the
 * matrix is nearly singular: by eps / gap, tangents by eps / gap^2. */
static void continue_points(const am_continuation *c, double step, double *z, double *direction) {
    const am_continuation_station *p[4] = {c->here, c->before, c->earlier, c->earliest};
    double x[4], value[4], slope[4];
    for (int i = 0; i < 4; i++)
        x[i] = p[i]->s - c->here->s;
    for (int i = 0; i < 4; i++) {
        double below = 1.0, above = 1.0, change = 0.0;
        for (int j = 0; j < 4; j++) {
            if (j == i)
                continue;
            below *= x[i] - x[j];
            above *= step - x[j];
            change += 1.0 / (step - x[j]); /* step > x: ahead of all of them */
        }
        value[i] = above / below;
        slope[i] = value[i] * change;
    }
    for (size_t k = 0; k <= c->n; k++) {
        z[k] = direction[k] = 0.0;
        for (int i = 0; i < 4; i++) {
            z[k] += value[i] * p[i]->z[k];
            direction[k] += slope[i] * p[i]->z[k];
        }
    }
}

/* Has the curve been smooth for so many points, in steps to which this one is not a leap? */
static bool smooth(const am_continuation *c, double step, int count) {
    const am_continuation_station *p[4] = {c->here, c->before, c->earlier, c->earliest};
    if (c->past < count)
        return false;
    for (int i = 0; i < count; i++)
        if (am_dense_dot(p[i]->t, p[i + 1]->t, c->n + 1) < 0.9 || p[i]->s - p[i + 1]->s < 0.3 * step)
            return false;
    return true;
}

/* A cubic, through points alone or by tangents too; the tangent alone after a corner or at the start. */
static void predict(walk *w, double step, double *z, double *border) {
    am_continuation *c = w->c;
    size_t m = c->n + 1;
    const am_continuation_station *a = c->before, *b = c->here;
    bool points = b->gap < step && smooth(c, step, 3);
    if (points || smooth(c, step, 1)) {
        if (points)
            continue_points(c, step, z, border);
        else
            am_continuation_hermite(c, a, b, b->s - a->s, 1.0 + step / (b->s - a->s), z, border);
        am_continuation_normalise(border, m);
        if (am_dense_dot(border, b->t, m) > 0.8)
            return;
    }
    memcpy(border, b->t, m * sizeof *border);
    for (size_t i = 0; i < m; i++)
        z[i] = b->z[i] + step * b->t[i];
}

/* Do the two tangent lines meet between the points? Then a corner (or a bend) explains the way from here to next. */
static bool corner_explains(const am_continuation *c, double step) {
    size_t m = c->n + 1;
    const double *a = c->here->t, *b = c->next->t;
    double ab = am_dense_dot(a, b, m), da = 0.0, db = 0.0, rest = 0.0, det = 1.0 - ab * ab;
    for (size_t i = 0; i < m; i++) {
        double d = c->next->z[i] - c->here->z[i];
        da += d * a[i];
        db += d * b[i];
    }
    if (det < 1e-6)
        return false;
    double u = (da - ab * db) / det, v = (db - ab * da) / det;
    for (size_t i = 0; i < m; i++) {
        double d = c->next->z[i] - c->here->z[i] - u * a[i] - v * b[i];
        rest += d * d;
    }
    return u >= -0.05 * step && v >= -0.05 * step && sqrt(rest) <= 0.1 * step;
}

/* Is the corrected point on the same branch as far as can be told? */
static bool plausible(walk *w, double step, double wanted, const am_continuation_effort *effort, double distance,
                      double softness) {
    am_continuation *c = w->c;
    double share = distance / step;
    bool small = step <= corner_share * wanted || step <= 64.0 * c->smallest;
    if (c->next->gap < 0.02 * c->here->gap && step > corner_share * wanted)
        return false; /* on a branch point the tangent is anything: step over it */
    if (share > refused_share)
        return small && share < 4.0 && (corner_explains(c, step) || step <= 64.0 * c->smallest);
    /* Newton's method was not sure of itself, or the point is far worse than the last step promised: another branch
     * may be near. A corner looks like that too, whatever the step. */
    double ratio = step / w->last_step, promised = w->last_distance * ratio * ratio * ratio;
    bool strange = share > 1e-3 && share > 30.0 * promised;
    return !(strange || softness > 0.3 || effort->contraction > 0.2) || step <= wanted / 64.0;
}

/* Other branches are near where the matrix is nearly singular: in the direction of its null vector, at a distance of
 * the order of its gap. How far the predictor was off in that direction, by the gap. */
static double soft_distance(const walk *w) {
    const am_continuation *c = w->c;
    double off = 0.0;
    if (c->next->gap < blurred_gap)
        return 0.0;
    for (size_t i = 0; i <= c->n; i++)
        off += (c->next->z[i] - c->guess[i]) * c->next->v[i];
    return fabs(off) * c->next->gap > c->rounding ? fabs(off) / c->next->gap : 0.0;
}

/* Half the step and as far off as before: what was taken for a distance is rounding, divided by the gap. */
static double learn_rounding(walk *w, double softness) {
    am_continuation *c = w->c;
    double gap = c->next->gap, off = softness * gap;
    if (softness > 0.0 && w->soft_before > 0.0 && off > 0.4 * w->soft_before && off * gap < 1e-11) {
        c->rounding = 2.0 * off * gap;
        softness = 0.0;
    }
    w->soft_before = off;
    return softness;
}

/* Steps change by powers of 2^(1/16) only. A step that followed the distances themselves would hand their rounding on
 * to the next distance, and some dozen steps later the points, and in the end their number, would be those of the
 * rounding. */
static double on_a_rung(double factor) {
    return exp2(floor(16.0 * log2(factor)) / 16.0);
}

static double next_step(const walk *w, double step, int iterations, double distance, double softness) {
    double aim = aimed_share * step < aimed_distance ? aimed_share * step : aimed_distance;
    double worse = fmax(distance / aim, softness / aimed_softness);
    double factor = worse > 0.125 ? pow(worse, -1.0 / 3.0) : 2.0;
    factor = factor < 0.5 ? 0.5 : on_a_rung(factor);
    if (iterations > 6 && factor > 0.6)
        factor = 0.6;
    if (w->kept && factor > 1.0)
        factor = 1.0;
    return step * factor;
}

/* Branch points between here and next are looked for before the step is accepted: a determinant that changes its sign
 * without passing zero betrays a jump to another branch. */
static bool one_branch(walk *w, double step, double wanted) {
    am_continuation *c = w->c;
    c->next->s = c->here->s + am_continuation_arc(c, c->here, c->next);
    if (w->blind)
        c->here->det = 0.0; /* the signs at a branch point mean nothing */
    bool settle = step <= wanted / 64.0 || step <= 64.0 * c->smallest;
    return am_continuation_search_branches(c, c->past > 0 ? c->before : NULL, c->here, c->next, settle) || settle;
}

/* A curve that turns at u leaves its continuation along a straight line, by step - u times the change of its direction,
 * both measured normal to the predicted direction. Is the way from the guess to c->next that line? */
static void suspect_corner(walk *w, double step) {
    const am_continuation *c = w->c;
    const double *b = c->border, *t = c->next->t;
    double along = am_dense_dot(b, t, c->n + 1), turn = 0.0, off = 0.0, both = 0.0;
    for (size_t i = 0; i <= c->n; i++) {
        double d = t[i] / along - b[i], e = c->next->z[i] - c->guess[i];
        turn += d * d;
        off += e * e;
        both += d * e;
    }
    bool straight = along > 0.0 && both > 0.9 * sqrt(turn * off) && both < turn * step;
    w->corner = straight ? step - both / turn : NAN;
    w->turn = along > 0.0 ? sqrt(turn) : INFINITY;
}

/* One trial with this step: c->next, or false. */
static bool try_step(walk *w, double step, double wanted) {
    am_continuation *c = w->c;
    am_continuation_effort effort;
    w->corner = NAN;
    predict(w, step, c->next->z, c->border);
    memcpy(c->guess, c->next->z, (c->n + 1) * sizeof *c->guess);
    am_continuation_newton how = am_continuation_newton_step(c, 4.0 * step);
    if (!am_continuation_correct(c, c->border, &how, c->next, &effort))
        return false;
    double distance = am_continuation_distance(c->guess, c->next->z, c->n + 1),
           softness = learn_rounding(w, soft_distance(w));
    suspect_corner(w, step);
    if (!plausible(w, step, wanted, &effort, distance, softness) || !one_branch(w, step, wanted) ||
        !am_continuation_test(c, c->next))
        return false;
    w->last_distance = distance / step;
    w->last_step = step;
    w->step = next_step(w, step, effort.iterations, distance, softness);
    return true;
}

/* ---- corners that turn too far for the tangent of this side ---- */

static void choose_direction(const am_continuation *c, int round, unsigned *seed, double *direction) {
    size_t m = c->n + 1;
    double own = round < 9 ? 1.0 : 0.0;
    for (size_t i = 0; i < m; i++)
        direction[i] = round == 0 ? 0.0 : am_continuation_scatter(seed);
    am_continuation_normalise(direction, m);
    for (size_t i = 0; i < m; i++)
        direction[i] += own * c->here->t[i];
}

/* Leave along the tangent `way`, both senses; not back where the curve came from. Where a curve turns a corner the
 * determinant keeps its sign, however sharp the corner is, and changes it on the way back: only where no such way is
 * found (a branch point may sit on the corner) the angle has to tell. */
static bool leave_along(walk *w, const double *way, double step, bool same_sign) {
    am_continuation *c = w->c;
    size_t m = c->n + 1;
    for (int sense = 1; sense >= -1; sense -= 2) {
        am_continuation_effort effort;
        for (size_t i = 0; i < m; i++) {
            c->border[i] = sense * way[i];
            c->next->z[i] = c->guess[i] = c->here->z[i] + step * c->border[i];
        }
        am_continuation_newton how = am_continuation_newton_step(c, step);
        if (!am_continuation_correct(c, c->border, &how, c->next, &effort))
            continue;
        double distance = am_continuation_distance(c->guess, c->next->z, m), back = 0.0, size = 0.0;
        for (size_t i = 0; i < m; i++) {
            double d = c->next->z[i] - c->here->z[i];
            back -= d * c->here->t[i];
            size += d * d;
        }
        bool onward = same_sign ? c->next->det * c->here->det > 0.0 : back <= 0.98 * sqrt(size);
        if (distance <= 0.3 * step && onward && am_continuation_test(c, c->next))
            return true;
    }
    return false;
}

/* Looks at the Jacobian a little further on, in several directions, for the tangent of the other side. */
static bool search_around(walk *w, double least, bool same_sign) {
    am_continuation *c = w->c;
    size_t m = c->n + 1;
    unsigned seed = 1u;
    for (double step = 4.0 * least; step < 1e-3; step *= 32.0)
        for (int round = 0; round < 17 && !c->fatal; round++) {
            choose_direction(c, round, &seed, c->delta);
            for (size_t i = 0; i < m; i++)
                c->trial->z[i] = c->here->z[i] + step * c->delta[i];
            if (!am_continuation_evaluate(c, c->trial->z, true) || !am_continuation_factor(c, c->delta) ||
                !am_continuation_tangent(c, c->trial) || !leave_along(w, c->trial->t, step, same_sign))
                continue;
            one_branch(w, step, INFINITY);
            w->step = step;
            w->last_distance = 1.0;
            w->last_step = step;
            w->report->kinks++;
            return true;
        }
    return false;
}

/* ---- the walk ---- */

static void report_stuck(walk *w) {
    am_continuation *c = w->c;
    double p = parameter(c, c->here);
    if (c->refused)
        end(w, AM_CONTINUATION_FAILED, "the branch ends at %.8g: %.200s", p, c->refusal.message);
    else
        end(w, AM_CONTINUATION_FAILED,
            "Newton's method does not converge beyond %.8g, even with steps of %.2g of the range", p, c->smallest);
}

/* A step that passes the suspected corner by so little that the point is near where it was expected; or the share of
 * the wanted step from which on that is not asked (`plausible`). */
static double step_beyond(const walk *w, double wanted) {
    double off = fmin(3e-4 * w->corner, 0.1 * w->c->next->gap);
    return fmax(w->corner + off / w->turn, wanted / 64.0);
}

/* Was it a corner? Where a curve only bends more than predicted, the change of direction shrinks with the step, to
 * `share` of what it was at least, and begins in the midst of it. */
static bool is_corner(const walk *w, double step, double turn, double share) {
    return w->turn > 0.5 * turn && (w->corner > 0.9 * step || w->turn > 0.5 * (1.0 + share) * turn);
}

/* The step was short for the sake of a corner. Beyond it the curve is another one, of which only the tangent is known. */
static void leave_corner(walk *w, double wanted) {
    w->turned = true;
    w->report->kinks++;
    w->step = wanted;
    w->kept = false;
    w->last_distance = INFINITY; /* nothing is promised */
    w->last_step = 1.0;
}

/* A step that Newton's method accepts, from c->here to c->next. */
static bool make_step(walk *w) {
    am_continuation *c = w->c;
    double longest = longest_step(w), wanted = w->step < longest ? w->step : longest;
    double turn = 0.0; /* at a corner that is suspected */
    int corners = 0;
    bool shortened = false;
    w->soft_before = 0.0;
    wanted = wanted > c->smallest ? wanted : c->smallest;
    for (double step = wanted, last = 0.0; step >= c->smallest && !c->fatal;) {
        if (try_step(w, step, wanted)) {
            w->kept = shortened;
            if (turn > 0.0 && is_corner(w, step, turn, step / last))
                leave_corner(w, wanted);
            return true;
        }
        shortened = true;
        last = step;
        step *= 0.5;
        turn = isnan(w->corner) ? 0.0 : w->turn;
        if (turn > 0.0 && corners++ < most_corners && step_beyond(w, wanted) < 0.9 * last)
            step = step_beyond(w, wanted);
    }
    w->kept = true;
    bool was_refused = c->refused;
    am_error refusal = c->refusal;
    if (!c->fatal && (search_around(w, c->smallest, true) || search_around(w, c->smallest, false)))
        return true;
    if (!c->fatal) {
        c->refused = was_refused;
        c->refusal = refusal;
        report_stuck(w);
    }
    return false;
}

static void shift_stations(am_continuation *c) {
    am_continuation_station *free = c->earliest;
    c->earliest = c->earlier;
    c->earlier = c->before;
    c->before = c->here;
    c->here = c->next;
    c->next = free;
    c->past = c->past < 3 ? c->past + 1 : 3;
}

static void advance(walk *w) {
    am_continuation *c = w->c;
    if (!c->problem->advance)
        return;
    am_continuation_unscale(c, c->here->z, c->x);
    c->problem->advance(c->problem->context, c->x, parameter(c, c->here));
}

static void walk_on(walk *w) {
    am_continuation *c = w->c;
    while (!w->ended && !c->fatal) {
        if (w->report->points >= w->options->most_points) {
            end(w, AM_CONTINUATION_FULL, "%zu points were computed, at %.8g", w->report->points, parameter(c, c->here));
            return;
        }
        advance(w);
        if (!make_step(w))
            return;
        w->blind = false;
        pass_interval(w);
        shift_stations(c);
        c->past = w->turned ? 0 : c->past;
        w->turned = false;
    }
}

static am_status sort_values(walk *w, am_error *err) {
    const am_continuation_options *o = w->options;
    w->value_count = o->values ? o->value_count : 0;
    w->values = am_memory_doubles(o->values, w->value_count, err);
    if (!w->values)
        return AM_ERR_MEMORY;
    am_dense_sort(w->values, w->value_count);
    return AM_OK;
}

static void report_start(walk *w) {
    am_continuation *c = w->c;
    double p = parameter(c, c->here);
    report_point(w, c->here, "start", true);
    for (size_t i = 0; i < w->value_count && !w->ended; i++)
        if (w->values[i] == p)
            report_point(w, c->here, "value", true);
    double rise = c->here->t[c->n];
    if (!w->ended && ((p >= w->most && rise > 0.0) || (p <= w->least && rise < 0.0)))
        end(w, AM_CONTINUATION_LEFT, "the first step already leaves the range at %g", p);
}

am_status am_continuation_walk(am_continuation *c, const am_continuation_options *o, bool from_branch_point,
                               am_continuation_report *report, am_continuation_visit visit, void *visitor,
                               am_error *err) {
    walk w = {.c = c, .options = o, .report = report, .visit = visit, .visitor = visitor, .blind = from_branch_point};
    bool own = o->least < o->most;
    w.least = own ? o->least : fmin(o->from, o->to);
    w.most = own ? o->most : fmax(o->from, o->to);
    w.largest = 0.01;
    AM_TRY(sort_values(&w, err));
    c->settling = false;
    c->past = 0;
    c->start->s = 0.0;
    w.last_distance = INFINITY; /* nothing is promised */
    w.last_step = 1.0;
    am_continuation_test_or_nan(c, c->start);
    am_continuation_copy(c, c->here, c->start);
    w.step = o->step > 0.0 ? o->step : 0.2 * longest_step(&w);
    report_start(&w);
    walk_on(&w);
    am_memory_free(w.values);
    report->iterations = c->iterations;
    report->factorisations = c->factorisations;
    if (c->fatal && err)
        *err = c->refusal;
    return c->fatal;
}

/* ---- the start ---- */

/* The border that finds the tangent is first p, then the tangent itself; at a fold any other will do. */
static bool start_tangent(am_continuation *c, am_continuation_station *start) {
    size_t n = c->n, m = n + 1;
    memset(c->border, 0, m * sizeof *c->border);
    c->border[n] = 1.0;
    if (!am_continuation_evaluate(c, start->z, true))
        return false;
    if (!am_continuation_factor(c, c->border)) {
        unsigned seed = 7u;
        for (size_t i = 0; i < m; i++)
            c->border[i] = am_continuation_scatter(&seed);
        if (!am_continuation_factor(c, c->border))
            return false;
    }
    start->residual = am_continuation_residual(c);
    if (!am_continuation_take_probe(c, start->z) || !am_continuation_tangent(c, start))
        return false;
    memcpy(c->border, start->t, m * sizeof *c->border);
    return am_continuation_factor(c, c->border) && am_continuation_tangent(c, start);
}

am_status am_continuation_follow(am_continuation *c, const am_continuation_problem *problem,
                                 const am_continuation_options *o, const double *x, am_continuation_report *report,
                                 am_continuation_visit visit, void *visitor, am_error *err) {
    memset(report, 0, sizeof *report);
    AM_TRY(am_continuation_take(c, problem, o, x, err));
    double residual;
    am_continuation_scale(c, x, o->from, c->start->z);
    if (!am_continuation_settle(c, c->start, &residual))
        return am_continuation_unsolved(c, o->from, residual, err);
    if (!start_tangent(c, c->start)) {
        if (c->fatal || c->refused)
            return am_continuation_unsolved(c, o->from, INFINITY, err);
        return am_fail(err, AM_ERR_LIMIT,
                       "the start at %g is a branch point or not isolated: the direction of the curve is not defined "
                       "there",
                       o->from);
    }
    double towards = o->direction ? (double)o->direction : o->to - o->from;
    if (towards * c->start->t[c->n] < 0.0) {
        for (size_t i = 0; i <= c->n; i++)
            c->start->t[i] = -c->start->t[i];
        c->start->det = -c->start->det; /* the border has turned too */
    }
    return am_continuation_walk(c, o, false, report, visit, visitor, err);
}
