/* What lies between two neighbouring points of a curve: folds, branch points, sign changes of tests, values of the
 * parameter, the start again. Everything is looked for in the planes across the chord from one point to the other. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "math/continuation_internal.h"

/* A quantity whose sign change is located; NaN where it is not known. */
typedef struct measure {
    double (*of)(am_continuation *c, am_continuation_station *station, const struct measure *what);
    size_t test;
    double value;  /* of p / p_unit */
    long exponent; /* of determinants */
} measure;

/* ---- points across the chord ---- */

static double set_chord(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b) {
    for (size_t i = 0; i <= c->n; i++)
        c->chord[i] = b->z[i] - a->z[i];
    return am_continuation_norm(c->chord, c->n + 1);
}

/* Along the tangent of the neighbour that is more alike: at a corner the chord does not tell the sense. */
static void orient(const am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                   am_continuation_station *station) {
    double ta = am_dense_dot(station->t, a->t, c->n + 1), tb = am_dense_dot(station->t, b->t, c->n + 1);
    if ((fabs(ta) > fabs(tb) ? ta : tb) >= 0.0)
        return;
    for (size_t i = 0; i <= c->n; i++)
        station->t[i] = -station->t[i];
    station->det = -station->det;
}

/* The point of the curve at `place` of the chord (length), between two that are known; c->trial. */
static bool point_at(am_continuation *c, double length, double place) {
    const am_continuation_station *a = c->low, *b = c->high;
    am_continuation_station *found = c->trial;
    size_t m = c->n + 1;
    if (a->place > b->place) {
        a = c->high;
        b = c->low;
    }
    double width = am_continuation_distance(a->z, b->z, m), share = (place - a->place) / (b->place - a->place),
           off = 0.0;
    am_continuation_hermite(c, a, b, am_continuation_arc(c, a, b), share, found->z, NULL);
    for (size_t i = 0; i < m; i++) {
        c->border[i] = c->chord[i] / length;
        off += (found->z[i] - a->z[i]) * c->border[i];
    }
    for (size_t i = 0; i < m; i++)
        found->z[i] += ((place - a->place) * length - off) * c->border[i];
    am_continuation_effort effort;
    am_continuation_newton how = am_continuation_newton_fine(c, 2.0 * width + 1e-6);
    if (!am_continuation_correct(c, c->border, &how, found, &effort))
        return false;
    if (am_continuation_distance(found->z, a->z, m) > 3.0 * width + 1e-6)
        return false;
    orient(c, a, b, found);
    found->place = place;
    found->s = a->s + am_continuation_arc(c, a, found);
    return true;
}

static void begin(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b) {
    am_continuation_copy(c, c->low, a);
    am_continuation_copy(c, c->high, b);
    c->low->place = 0.0;
    c->high->place = 1.0;
}

static void replace(am_continuation_station **old, am_continuation_station **with) {
    am_continuation_station *margin = *old;
    *old = *with;
    *with = margin;
}

/* ---- sign changes of what is regular on the curve ---- */

/* Chandrupatla's choice: inverse quadratic interpolation where it can be trusted, else the middle. As a share of the
 * way from 1 to 2; 3 is the point left last. */
static double choose_share(double x1, double f1, double x2, double f2, double x3, double f3) {
    double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    if (!(phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi))
        return 0.5;
    return f1 / (f2 - f1) * (f3 / (f2 - f3)) + (x3 - x1) / (x2 - x1) * (f1 / (f3 - f1)) * (f2 / (f3 - f2));
}

/* Newton's method may fail in one plane and succeed in the next. */
static bool point_near(am_continuation *c, double length, double place) {
    static const double shares[] = {0.5, 0.3, 0.7, 0.1, 0.9};
    double low = c->low->place, high = c->high->place;
    if (point_at(c, length, place))
        return true;
    for (size_t i = 0; i < sizeof shares / sizeof *shares && !c->fatal; i++)
        if (point_at(c, length, low + shares[i] * (high - low)))
            return true;
    return false;
}

/* The sign change of a measure between low (f1) and high (f2); c->low is the better end on return. False when it could
 * not be pinned down. */
static bool locate_sign(am_continuation *c, double length, const measure *what, double f1, double f2) {
    double span = fabs(f1 - f2), share = f1 / (f1 - f2), x3 = 0.0, f3 = 0.0;
    double size = 1.0 + am_continuation_norm(c->low->z, c->n + 1);
    double least = fmax(2e-15 * size / length, 4.0 * DBL_EPSILON);
    bool found = false;
    for (int i = 0; i < 120; i++) {
        double x1 = c->low->place, x2 = c->high->place, width = fabs(x2 - x1), edge = 0.5 * least / width;
        found = width <= 2.0 * least || fabs(f1) <= 1e-15 * span || fabs(f2) <= 1e-15 * span ||
                (width * length <= c->smallest && fabs(f1 - f2) > 0.25 * span); /* a corner */
        if (found)
            break;
        share = i ? choose_share(x1, f1, x2, f2, x3, f3) : share;
        share = share < edge ? edge : share > 1.0 - edge ? 1.0 - edge : share;
        if (!point_near(c, length, x1 + share * (x2 - x1)))
            break;
        double f = what->of(c, c->trial, what);
        if (isnan(f))
            break;
        if ((f < 0.0) == (f1 < 0.0)) {
            x3 = x1;
            f3 = f1;
        } else {
            x3 = x2;
            f3 = f2;
            f2 = f1;
            replace(&c->high, &c->low);
        }
        f1 = f;
        replace(&c->low, &c->trial);
    }
    if (fabs(f2) < fabs(f1))
        replace(&c->low, &c->high);
    return found;
}

static double measure_fold(am_continuation *c, am_continuation_station *station, const measure *what) {
    (void)what;
    return station->t[c->n];
}

static double measure_test(am_continuation *c, am_continuation_station *station, const measure *what) {
    return am_continuation_test(c, station) ? station->tests[what->test] : NAN;
}

static double measure_value(am_continuation *c, am_continuation_station *station, const measure *what) {
    return station->z[c->n] - what->value;
}

/* How far a point is from the start (its likeness nearest to the start, where solutions come in families), and how far
 * along the tangent there. */
static double from_start(am_continuation *c, const am_continuation_station *station, double *along) {
    size_t n = c->n;
    const double *z = station->z;
    if (c->problem->align) {
        am_continuation_unscale(c, c->start->z, c->out_x);
        am_continuation_unscale(c, z, c->x);
        c->problem->align(c->problem->context, c->out_x, c->x, c->aligned);
        am_continuation_scale(c, c->aligned, z[n] * c->p_unit, c->aligned);
        z = c->aligned;
    }
    *along = 0.0;
    for (size_t i = 0; i <= n; i++)
        *along += (z[i] - c->start->z[i]) * c->start->t[i];
    return am_continuation_distance(z, c->start->z, n + 1);
}

double am_continuation_from_start(am_continuation *c, const am_continuation_station *station) {
    double along;
    return from_start(c, station, &along);
}

static double measure_start(am_continuation *c, am_continuation_station *station, const measure *what) {
    (void)what;
    double along;
    from_start(c, station, &along);
    return along;
}

/* ---- breaks ---- */

static am_continuation_break *add_break(am_continuation *c, am_continuation_mark mark,
                                        const am_continuation_station *at, bool located) {
    if (c->break_count == c->break_capacity)
        return NULL;
    am_continuation_break *b = c->breaks + c->break_count++;
    b->mark = mark;
    b->located = located;
    am_continuation_copy(c, b->station, at);
    return b;
}

static bool opposite(double a, double b) {
    return !isnan(a) && !isnan(b) && (a < 0.0) != (b < 0.0);
}

/* The p-component of a pitchfork's tangent at its branch point is zero but for rounding. */
static bool starts_flat(const am_continuation *c, const am_continuation_station *a) {
    return a->det == 0.0 && fabs(a->t[c->n]) < 1e-3;
}

static void search_tests(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                         double length) {
    for (size_t i = 0; c->problem->tests && i < c->test_count; i++) {
        double fa = a->tests[i], fb = b->tests[i];
        if (!opposite(fa, fb))
            continue;
        begin(c, a, b);
        measure what = {.of = measure_test, .test = i};
        bool located = locate_sign(c, length, &what, fa, fb);
        am_continuation_break *found = add_break(c, AM_TAG_TEST, c->low, located);
        if (found)
            found->test = i;
    }
}

/* ---- branch points ---- */

/* No point is computed nearer to a branch point than this share of the chord: the matrix is singular there, and what is
 * wanted lies on the curve between two good neighbours. */
static double branch_margin(double length) {
    double margin = 2e-5 / length;
    return margin < 2e-3 ? 2e-3 : margin > 0.05 ? 0.05 : margin;
}

/* Where the determinant is zero, by inverse interpolation through the last points (Neville). */
static double zero_of(const double *x, const double *f, int count) {
    double p[4];
    for (int i = 0; i < count; i++)
        p[i] = x[i];
    for (int k = 1; k < count; k++)
        for (int i = 0; i + k < count; i++)
            p[i] = (f[i + k] * p[i] - f[i] * p[i + 1]) / (f[i + k] - f[i]);
    return p[0];
}

/* A point on the curve between low and high by interpolation, its residual measured. */
static void interpolate(am_continuation *c, double place) {
    am_continuation_station *found = c->trial;
    const am_continuation_station *a = c->low, *b = c->high;
    double share = (place - a->place) / (b->place - a->place);
    share = share > 0.0 ? share < 1.0 ? share : 1.0 : 0.0; /* at a corner low and high may be the same place */
    am_continuation_hermite(c, a, b, am_continuation_arc(c, a, b), share, found->z, found->t);
    am_continuation_normalise(found->t, c->n + 1);
    found->det = found->gap = 0.0;
    found->exponent = a->exponent;
    found->place = place;
    found->s = a->s + am_continuation_arc(c, a, found);
    found->residual = INFINITY;
    if (am_continuation_evaluate(c, found->z, true)) {
        am_continuation_factor(c, found->t); /* for the weights */
        found->residual = am_continuation_residual(c);
    }
}

typedef struct zero_search {
    double x[4], f[4]; /* the last points, the newest first */
    int count;
} zero_search;

static void remember(zero_search *s, double x, double f) {
    for (int i = s->count < 4 ? s->count : 3; i > 0; i--) {
        s->x[i] = s->x[i - 1];
        s->f[i] = s->f[i - 1];
    }
    s->x[0] = x;
    s->f[0] = f;
    s->count = s->count < 4 ? s->count + 1 : 4;
}

/* By the points known; the secant, or the middle, when they do not agree. */
static double guess_zero(const am_continuation *c, const zero_search *s, double fa, double fb, bool middle) {
    double a = c->low->place, b = c->high->place, x = zero_of(s->x, s->f, s->count);
    if (middle)
        return 0.5 * (a + b);
    return x > a && x < b ? x : a + (b - a) * fa / (fa - fb);
}

/* What vanishes: the determinant; the gap, with a sign by the reference; dp/ds, where a fold and a branch point fall
 * together. */
typedef enum vanishing { VANISHING_DET, VANISHING_GAP, VANISHING_RISE } vanishing;

typedef struct singularity {
    vanishing what;
    long exponent; /* by which determinants are measured */
} singularity;

static double depth(const am_continuation *c, const am_continuation_station *at, singularity s) {
    if (s.what == VANISHING_DET)
        return am_continuation_det(at, s.exponent);
    return s.what == VANISHING_RISE ? at->t[c->n] : at->gap / am_dense_dot(at->v, c->reference, c->n + 1);
}

static void take_reference(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b) {
    memcpy(c->reference, a->gap < b->gap ? a->v : b->v, (c->n + 1) * sizeof *c->reference);
}

/* The points of the walk are only as exact as its tolerance; those next to a branch point must be better. */
static void refine_ends(am_continuation *c, double length) {
    if (c->low->place == 0.0 && point_at(c, length, 0.0))
        replace(&c->low, &c->trial);
    if (c->high->place == 1.0 && point_at(c, length, 1.0))
        replace(&c->high, &c->trial);
}

/* Two more points just outside low and high, for the interpolation. */
static void ask_neighbours(am_continuation *c, double length, double margin, singularity what, zero_search *s) {
    double a = c->low->place, b = c->high->place;
    s->count = 0;
    if (point_at(c, length, a - margin))
        remember(s, c->trial->place, depth(c, c->trial, what));
    if (point_at(c, length, b + margin))
        remember(s, c->trial->place, depth(c, c->trial, what));
    remember(s, a, depth(c, c->low, what));
    remember(s, b, depth(c, c->high, what));
}

/* Where to look next: near the zero, not on it, on the side where less is known. */
static double choose_place(double zero, double a, double b, double margin) {
    double left = zero - a, right = b - zero;
    double place = left < margin || (right >= margin && left <= right) ? zero + margin : zero - margin;
    return place <= a ? a + 0.5 * left : place >= b ? b - 0.5 * right : place;
}

/* Between low and high, where `what` has different signs; c->trial. False when it was not found. */
static bool locate_branch(am_continuation *c, double length, singularity what) {
    double margin = branch_margin(length), fa = depth(c, c->low, what), fb = depth(c, c->high, what),
           span = fabs(fa - fb);
    zero_search s = {.count = 0};
    remember(&s, c->low->place, fa);
    remember(&s, c->high->place, fb);
    for (int i = 0, failures = 0; i < 80; i++) {
        double a = c->low->place, b = c->high->place, width = b - a;
        bool jump = width < 4.0 * margin && fabs(fa - fb) > 0.25 * span;
        if (jump && !c->settle)
            return false;
        double zero = guess_zero(c, &s, fa, fb, jump || i > 12);
        if (jump ? width * length <= c->smallest : zero - a <= 2.0 * margin && b - zero <= 2.0 * margin)
            break;
        if (!point_at(c, length, jump ? zero : choose_place(zero, a, b, margin))) {
            margin *= 2.0;
            if (++failures > 8 || c->fatal)
                return false;
            continue;
        }
        double f = depth(c, c->trial, what);
        if (what.what == VANISHING_GAP && fabs(f) > fmax(fabs(fa), fabs(fb)))
            return false; /* through infinity: the reference fails */
        remember(&s, c->trial->place, f);
        if ((f < 0.0) == (fa < 0.0)) {
            fa = f;
            replace(&c->low, &c->trial);
        } else {
            fb = f;
            replace(&c->high, &c->trial);
        }
    }
    refine_ends(c, length);
    if (c->high->place - c->low->place > margin)
        ask_neighbours(c, length, margin, what, &s);
    interpolate(c, guess_zero(c, &s, depth(c, c->low, what), depth(c, c->high, what), false));
    return c->high->place - c->low->place <= 0.25 || length <= 1e-5;
}

static bool try_branch(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                       double length, vanishing which) {
    singularity what = {.what = which, .exponent = a->exponent};
    take_reference(c, a, b);
    am_continuation_copy(c, c->low, a);
    am_continuation_copy(c, c->high, b);
    double before = fmax(fabs(depth(c, a, what)), fabs(depth(c, b, what)));
    if (!locate_branch(c, length, what) || !(c->trial->residual <= fmax(1e-8, c->tolerance)))
        return false; /* neighbours on different branches have nothing between them */
    double after = fmax(fabs(depth(c, c->low, what)), fabs(depth(c, c->high, what)));
    return which == VANISHING_DET || after <= 0.5 * before; /* the gap changes sign where its reference fails, too */
}

/* The gap is nearly linear, the determinant a product of many factors: the gap is tried first. But only the determinant
 * proves that there is something to be found. */
static bool add_branch(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                       double length, bool certain) {
    if (!certain && am_dense_dot(a->t, b->t, c->n + 1) < 0.9)
        return true; /* a corner: the gap and its direction jump there, too */
    bool located = am_dense_dot(a->v, b->v, c->n + 1) < 0.0 && try_branch(c, a, b, length, VANISHING_GAP);
    if (!located && certain)
        located = try_branch(c, a, b, length, VANISHING_DET);
    if (located || certain)
        add_break(c, AM_TAG_BRANCH, located ? c->trial : c->low, located);
    return located || !certain;
}

/* ---- where the determinant has the same sign at both ends: one branch point where two directions leave at once
 * (symmetry), or two branch points in one step ---- */

/* The lowest point of the parabola through three points (x0 < x1 < x2, f > 0); whether it lies between x1 and x2, well
 * below both. */
static bool dips(const double x[3], const double f[3], double *place) {
    double d01 = (f[1] - f[0]) / (x[1] - x[0]), d12 = (f[2] - f[1]) / (x[2] - x[1]);
    double bend = (d12 - d01) / (x[2] - x[0]);
    if (!(bend > 0.0))
        return false;
    *place = 0.5 * (x[0] + x[1] - d01 / bend);
    double least = f[0] + (*place - x[0]) * (d01 + bend * (*place - x[1]));
    return *place > x[1] && *place < x[2] && least < 0.3 * fmin(f[1], f[2]);
}

/* c->spare: a point between a and b where the gap has changed its sign. */
static bool find_change(am_continuation *c, const am_continuation_station *before, const am_continuation_station *a,
                        const am_continuation_station *b, double length) {
    singularity gap = {.what = VANISHING_GAP};
    double step = b->s - a->s, x[3] = {(before->s - a->s) / step, 0.0, 1.0}, place;
    double f[3] = {depth(c, before, gap), depth(c, a, gap), depth(c, b, gap)}, sign = f[1] < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++)
        f[i] *= sign;
    if (!(f[0] > 0.0))
        return false;
    am_continuation_copy(c, c->low, a);
    am_continuation_copy(c, c->high, b);
    for (int i = 0; i < 4 && dips(x, f, &place); i++) {
        if (!point_at(c, length, place))
            return false;
        am_continuation_copy(c, c->spare, c->trial);
        double here = sign * depth(c, c->spare, gap);
        if (here < 0.0)
            return true;
        x[0] = 0.0;
        f[0] = sign * depth(c, a, gap);
        x[1] = place;
        f[1] = here;
    }
    return false;
}

static bool search_even(am_continuation *c, const am_continuation_station *before, const am_continuation_station *a,
                        const am_continuation_station *b, double length) {
    if (am_dense_dot(a->t, b->t, c->n + 1) < 0.5)
        return true; /* a corner: the null vector may turn with it */
    if (am_dense_dot(a->v, b->v, c->n + 1) < 0.0)
        return add_branch(c, a, b, length, false);
    take_reference(c, a, b);
    if (before && before->det * a->det > 0.0 && length > 1e-6 && find_change(c, before, a, b, length)) {
        bool certain = c->spare->det * a->det < 0.0;
        bool first = add_branch(c, a, c->spare, length, certain);
        return add_branch(c, c->spare, b, length, certain) && first;
    }
    return true;
}

bool am_continuation_search_branches(am_continuation *c, const am_continuation_station *before,
                                     const am_continuation_station *a, const am_continuation_station *b, bool settle) {
    am_continuation_station first = *a, last = *b;
    double length = set_chord(c, a, b);
    c->break_count = 0;
    c->settle = settle;
    first.place = 0.0;
    last.place = 1.0;
    if (!(length > 0.0) || a->det * b->det == 0.0)
        return true;
    return a->det * b->det < 0.0 ? add_branch(c, &first, &last, length, true)
                                 : search_even(c, before, &first, &last, length);
}

/* A fold next to a branch point (the branch that leaves a pitchfork) cannot be computed there, but like it. */
static bool fold_at_branch(am_continuation *c, double length) {
    double place = c->low->place, margin = 4.0 * branch_margin(length);
    for (size_t i = 0; i < c->break_count; i++)
        if (c->breaks[i].mark == AM_TAG_BRANCH && fabs(c->breaks[i].station->place - place) <= margin)
            return true;
    return false;
}

static void search_folds(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                         double length) {
    double fa = a->t[c->n], fb = b->t[c->n];
    if (!opposite(fa, fb) || starts_flat(c, a))
        return;
    begin(c, a, b);
    measure what = {.of = measure_fold};
    bool located = locate_sign(c, length, &what, fa, fb);
    if (fold_at_branch(c, length)) {
        begin(c, a, b);
        located = locate_branch(c, length, (singularity){.what = VANISHING_RISE});
        if (located)
            replace(&c->low, &c->trial);
    }
    add_break(c, AM_TAG_FOLD, c->low, located);
}

/* ---- the start again ---- */

/* A branch that began at a branch point ends there: the point is not met again. */
static void drop_breaks_near(am_continuation *c, double place) {
    size_t kept = 0;
    for (size_t i = 0; i < c->break_count; i++) {
        bool same = c->breaks[i].mark != AM_TAG_TEST && fabs(c->breaks[i].station->place - place) < 1e-2;
        am_continuation_break swap = c->breaks[kept];
        c->breaks[kept] = c->breaks[i];
        c->breaks[i] = swap;
        kept += !same;
    }
    c->break_count = kept;
}

static void search_start(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                         double length) {
    double fa, fb, da = from_start(c, a, &fa), db = from_start(c, b, &fb), along;
    if (!(fa < 0.0 && fb >= 0.0) || da > 1.5 * length || db > 1.5 * length)
        return;
    begin(c, a, b);
    measure what = {.of = measure_start};
    bool located = locate_sign(c, length, &what, fa, fb);
    bool singular = c->start->det == 0.0;
    if (!located && singular) { /* Newton's method fails near the branch point */
        begin(c, a, b);
        interpolate(c, fa / (fa - fb));
        replace(&c->low, &c->trial);
    } else if (!located) {
        return;
    }
    double size = 1.0 + am_continuation_norm(c->start->z, c->n + 1);
    double blur = singular ? fmax(1e-2 * length, 1e-6) : fmin(fmax(1e-6, 1e-12 / c->start->gap), 1e-4);
    if (from_start(c, c->low, &along) > blur * size)
        return;
    if (singular)
        drop_breaks_near(c, c->low->place);
    am_continuation_break *found = add_break(c, AM_TAG_CLOSED, c->start, true);
    if (found) {
        found->station->place = c->low->place;
        found->station->s = c->low->s;
    }
}

/* ---- all of it ---- */

static void sort_breaks(am_continuation *c, double from, double to) {
    for (size_t i = 1; i < c->break_count; i++)
        for (size_t j = i; j > 0 && c->breaks[j].station->place < c->breaks[j - 1].station->place; j--) {
            am_continuation_break swap = c->breaks[j];
            c->breaks[j] = c->breaks[j - 1];
            c->breaks[j - 1] = swap;
        }
    for (size_t i = 0; i < c->break_count; i++) { /* lengths computed from different neighbours */
        double s = c->breaks[i].station->s;
        c->breaks[i].station->s = from = fmin(fmax(s, from), to);
    }
}

void am_continuation_search_rest(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                                 bool closing) {
    double length = set_chord(c, a, b);
    if (!(length > 0.0))
        return;
    c->settle = true;
    search_folds(c, a, b, length);
    search_tests(c, a, b, length);
    if (closing)
        search_start(c, a, b, length);
    sort_breaks(c, a->s, b->s);
}

/* ---- values of p ---- */

/* The share of the way at which the cubic of a and b has p = value, by bisection. */
static double share_of_value(const am_continuation *c, const am_continuation_station *a,
                             const am_continuation_station *b, double length, double value) {
    size_t n = c->n;
    double low = 0.0, high = 1.0, rise = b->z[n] - a->z[n], ta = length * a->t[n], tb = length * b->t[n];
    for (int i = 0; i < 50; i++) {
        double u = 0.5 * (low + high), v = u - 1.0;
        double p = a->z[n] + u * u * (3.0 - 2.0 * u) * rise + ta * u * v * v + tb * u * u * v;
        if ((p < value) == (rise > 0.0))
            low = u;
        else
            high = u;
    }
    return 0.5 * (low + high);
}

/* At fixed p, from the cubic. */
static bool hit_exactly(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                        double value, am_continuation_station *found) {
    size_t n = c->n, m = n + 1;
    double length = am_continuation_arc(c, a, b), width = am_continuation_distance(a->z, b->z, m);
    am_continuation_hermite(c, a, b, length, share_of_value(c, a, b, length, value), found->z, NULL);
    found->z[n] = value;
    memset(c->border, 0, m * sizeof *c->border);
    c->border[n] = 1.0;
    memcpy(c->guess, found->z, m * sizeof *c->guess);
    am_continuation_effort effort;
    am_continuation_newton how = am_continuation_newton_fine(c, width + 1e-6);
    if (!am_continuation_correct(c, c->border, &how, found, &effort) ||
        am_continuation_distance(c->guess, found->z, m) > 0.5 * width + 1e-6)
        return false;
    orient(c, a, b, found);
    return true;
}

bool am_continuation_hit(am_continuation *c, const am_continuation_station *a, const am_continuation_station *b,
                         double p, am_continuation_station *found) {
    double value = p / c->p_unit, fa = a->z[c->n] - value, fb = b->z[c->n] - value;
    bool located = hit_exactly(c, a, b, value, found);
    if (!located) {
        double length = set_chord(c, a, b);
        begin(c, a, b);
        measure what = {.of = measure_value, .value = value};
        located = opposite(fa, fb) && length > 0.0 && locate_sign(c, length, &what, fa, fb);
        am_continuation_copy(c, found, located ? c->low : fabs(fa) < fabs(fb) ? a : b);
        if (located)
            found->z[c->n] = value;
    }
    found->s = fmin(a->s + am_continuation_arc(c, a, found), b->s);
    am_continuation_test_or_nan(c, found);
    return located;
}
