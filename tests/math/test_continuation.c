/* Curves with known folds, branch points and lengths. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "math/continuation.h"
#include "near.h"
#include "uniform.h"

/* ---- what was handed out ---- */

enum { KEPT = 64, WIDEST = 6 };

typedef struct kept_point {
    char kind[24];
    bool located;
    double x[WIDEST], p, t[WIDEST + 1], s;
    int determinant;
} kept_point;

/* Special points are kept, all points are looked at. */
typedef struct record {
    size_t n, count, seen, stop_after;
    kept_point points[KEPT], last;
    double (*off)(const double *x, double p); /* largest value of this at any point */
    double worst_off, worst_residual, longest;
} record;

static void keep(record *r, kept_point *to, const am_continuation_point *point,
                 const am_continuation_special *special) {
    snprintf(to->kind, sizeof to->kind, "%s", special->kind);
    to->located = special->located;
    memcpy(to->x, point->x, r->n * sizeof *to->x);
    memcpy(to->t, point->tangent, (r->n + 1) * sizeof *to->t);
    to->p = point->p;
    to->s = point->arclength;
    to->determinant = point->determinant;
}

static bool visit(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    record *r = context;
    if (r->seen && !(point->arclength >= r->last.s))
        fail_msg("%s at s = %g comes after s = %g", special->kind, point->arclength, r->last.s);
    if (r->seen)
        r->longest = fmax(r->longest, point->arclength - r->last.s);
    keep(r, &r->last, point, special);
    if (strcmp(special->kind, "regular") != 0 && r->count < KEPT)
        r->points[r->count++] = r->last;
    if (r->off)
        r->worst_off = fmax(r->worst_off, fabs(r->off(point->x, point->p)));
    r->worst_residual = fmax(r->worst_residual, point->residual);
    return ++r->seen != r->stop_after;
}

static size_t count_of(const record *r, const char *kind) {
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += !strcmp(r->points[i].kind, kind);
    return count;
}

/* The i-th of its kind. */
static const kept_point *special(const record *r, const char *kind, size_t i) {
    for (size_t k = 0; k < r->count; k++)
        if (!strcmp(r->points[k].kind, kind) && i-- == 0)
            return r->points + k;
    fail_msg("there is no %s number %zu among %zu special points", kind, i, r->count);
    return NULL;
}

typedef am_status (*equations)(void *context, const double *x, double p, double *F, double *J, double *Fp,
                               am_error *err);

static am_continuation_options between(double from, double least, double most, int direction) {
    am_continuation_options o = am_continuation_options_default();
    o.from = from;
    o.to = direction < 0 ? least : most;
    o.least = least;
    o.most = most;
    o.direction = direction;
    return o;
}

static am_continuation_report follow_problem(const am_continuation_problem *problem, const am_continuation_options *o,
                                             const double *x, record *r) {
    am_continuation_report report;
    am_error error = {0};
    am_continuation *curve = am_continuation_create(problem->n, problem->test_count, &error);
    assert_non_null(curve);
    r->n = problem->n;
    am_status status = am_continuation_follow(curve, problem, o, x, &report, visit, r, &error);
    am_continuation_free(curve);
    if (status)
        fail_msg("%s", error.message);
    assert_int_equal(report.points, r->seen);
    assert_true(report.worst_residual <= o->tolerance);
    assert_true(r->worst_residual == report.worst_residual);
    return report;
}

static am_continuation_report follow(equations evaluate, void *context, size_t n, const am_continuation_options *o,
                                     const double *x, record *r) {
    am_continuation_problem problem = {.n = n, .evaluate = evaluate, .context = context};
    return follow_problem(&problem, o, x, r);
}

/* ---- closed curves ---- */

/* (x / a)^2 + (p / b)^2 = 1 */
static am_status ellipse(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    const double *axes = context;
    (void)err;
    F[0] = x[0] * x[0] / (axes[0] * axes[0]) + p * p / (axes[1] * axes[1]) - 1.0;
    if (J) {
        J[0] = 2.0 * x[0] / (axes[0] * axes[0]);
        Fp[0] = 2.0 * p / (axes[1] * axes[1]);
    }
    return AM_OK;
}

static void test_a_circle_closes_after_two_folds_and_its_whole_length(void **state) {
    (void)state;
    double axes[2] = {1.0, 1.0}, x = 0.8;
    am_continuation_options o = between(0.6, -2.0, 2.0, 1); /* range 4: p / 4 and x / 1 make it an ellipse */
    o.x_scale = 1.0;
    record r = {0};
    am_continuation_report report = follow(ellipse, axes, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_CLOSED);
    assert_int_equal(report.folds, 2);
    assert_int_equal(report.branch_points, 0);
    /* rounding: a fold is located where dp/ds is zero, p is of second order there */
    assert_near(special(&r, "fold", 0)->p, 1.0, 1e-14);
    assert_near(special(&r, "fold", 1)->p, -1.0, 1e-14);
    assert_near(special(&r, "fold", 0)->x[0], 0.0, 1e-12);
    assert_near(special(&r, "fold", 1)->x[0], 0.0, 1e-12);
    assert_true(r.last.p == 0.6 && r.last.x[0] == x);
    /* perimeter of the ellipse of axes 1 and 1/4; steps of 0.01 err by h^4 each */
    assert_near(r.last.s, 4.289210887578417, 1e-6);
}

static void test_axes_of_very_different_length_close_as_well(void **state) {
    (void)state;
    double axes[2] = {1e4, 1e-3}, x = 1e4;
    am_continuation_options o = between(0.0, -2e-3, 2e-3, -1);
    record r = {0};
    am_continuation_report report = follow(ellipse, axes, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_CLOSED);
    assert_int_equal(report.folds, 2);
    assert_near(special(&r, "fold", 0)->p, -1e-3, 1e-17);
    assert_near(special(&r, "fold", 1)->p, 1e-3, 1e-17);
}

static void test_an_isola_smaller_than_the_first_step_is_followed_round(void **state) {
    (void)state;
    double axes[2] = {1e-4, 1e-4}, x = 1e-4;
    am_continuation_options o = between(0.0, -1.0, 1.0, 1);
    o.x_scale = 1.0;
    record r = {0};
    am_continuation_report report = follow(ellipse, axes, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_CLOSED);
    assert_int_equal(report.folds, 2);
    assert_near(special(&r, "fold", 0)->p, 1e-4, 1e-16);
}

/* p = sin a, x = sin 2a, y = cos a: a figure eight in (p, x) */
static am_status eight(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    F[0] = x[0] - 2.0 * p * x[1];
    F[1] = x[1] * x[1] + p * p - 1.0;
    if (J) {
        J[0] = 1.0;
        J[1] = -2.0 * p;
        J[2] = 0.0;
        J[3] = 2.0 * x[1];
        Fp[0] = -2.0 * x[1];
        Fp[1] = 2.0 * p;
    }
    return AM_OK;
}

static void test_a_crossing_in_projection_is_not_the_start(void **state) {
    (void)state;
    double x[2] = {0.0, 1.0};
    am_continuation_options o = between(0.0, -1.5, 1.5, 1);
    o.x_scale = 1.0;
    record r = {0};
    am_continuation_report report = follow(eight, NULL, 2, &o, x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_CLOSED);
    assert_int_equal(report.folds, 2);
    double length = 0.0; /* of the curve, p by 4 (range 3), by the trapezoidal rule: exact to rounding for periods */
    for (int i = 0; i < 4096; i++) {
        double a = 2.0 * 3.14159265358979323846 * i / 4096.0;
        length += sqrt(pow(cos(a) / 4.0, 2.0) + pow(2.0 * cos(2.0 * a), 2.0) + pow(sin(a), 2.0));
    }
    assert_near(r.last.s, length * 2.0 * 3.14159265358979323846 / 4096.0, 1e-5);
}

/* A helix of small pitch: x = cos a, p = sin a, y = pitch a / (2 pi). */
static am_status helix(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    double k = 2.0 * 3.14159265358979323846 / *(double *)context, a = k * x[1];
    (void)err;
    F[0] = x[0] - cos(a);
    F[1] = p - sin(a);
    if (J) {
        J[0] = 1.0;
        J[1] = k * sin(a);
        J[2] = 0.0;
        J[3] = -k * cos(a);
        Fp[0] = 0.0;
        Fp[1] = 1.0;
    }
    return AM_OK;
}

static void test_passing_near_the_start_does_not_close_the_curve(void **state) {
    (void)state;
    double pitch = 1e-4, x[2] = {1.0, 0.0};
    am_continuation_options o = between(0.0, -2.0, 2.0, 1);
    o.x_scale = 1.0;
    o.most_points = 3000;
    record r = {0};
    am_continuation_report report = follow(helix, &pitch, 2, &o, x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_FULL);
    double turns = r.last.x[1] / pitch;
    assert_true(turns > 3.0);
    assert_int_equal(report.folds, (size_t)(2.0 * turns + 0.5)); /* at 1/4, 3/4, ... of a turn */
}

/* ---- branch points ---- */

/* x (p - x^2) */
static am_status pitchfork(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    F[0] = x[0] * (p - x[0] * x[0]);
    if (J) {
        J[0] = p - 3.0 * x[0] * x[0];
        Fp[0] = x[0];
    }
    return AM_OK;
}

static double off_parabola(const double *x, double p) {
    return p - x[0] * x[0];
}

static void test_a_pitchfork_is_located_on_its_straight_branch(void **state) {
    (void)state;
    for (int i = 0; i < 4; i++) {
        static const double steps[] = {0.0, 0.125, 0.1, 0.03}; /* of which some land on the branch point itself */
        double x = 0.0;
        am_continuation_options o = between(-1.0, -1.0, 1.0, 1);
        o.largest_step = o.step = steps[i];
        record r = {0};
        am_continuation_report report = follow(pitchfork, NULL, 1, &o, &x, &r);
        assert_int_equal(report.end, AM_CONTINUATION_LEFT);
        assert_int_equal(report.branch_points, 1);
        assert_int_equal(report.folds, 0);
        assert_int_equal(report.unlocated, 0);
        assert_near(special(&r, "branch-point", 0)->p, 0.0, 1e-10);
        assert_near(special(&r, "branch-point", 0)->x[0], 0.0, 1e-10);
        assert_true(r.last.p == 1.0);
    }
}

static void test_fold_and_branch_point_at_the_same_place_are_both_found(void **state) {
    (void)state;
    double x = -1.0;
    am_continuation_options o = between(1.0, -1.0, 1.0, -1);
    record r = {.off = off_parabola};
    am_continuation_report report = follow(pitchfork, NULL, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_LEFT);
    assert_int_equal(report.branch_points, 1);
    assert_int_equal(report.folds, 1);
    assert_near(special(&r, "branch-point", 0)->x[0], 0.0, 1e-8);
    assert_near(special(&r, "fold", 0)->x[0], 0.0, 1e-8);
    assert_near(r.last.x[0], 1.0, 1e-14);
    assert_true(r.worst_off < 1e-9); /* never on the straight branch but where they meet */
}

/* x (p - x + 0.2 x^2): the branches cross at an angle */
static am_status transcritical(void *context, const double *x, double p, double *F, double *J, double *Fp,
                               am_error *err) {
    (void)context;
    (void)err;
    F[0] = x[0] * (p - x[0] + 0.2 * x[0] * x[0]);
    if (J) {
        J[0] = p - 2.0 * x[0] + 0.6 * x[0] * x[0];
        Fp[0] = x[0];
    }
    return AM_OK;
}

typedef struct switched {
    size_t count;
    double tangents[8 * (WIDEST + 1)];
    record record;
    am_continuation_report report;
} switched;

/* The directions at the first branch point of a record; then the branch along +- one of them. */
static void find_directions(equations evaluate, size_t n, const am_continuation_options *o, const kept_point *at,
                            switched *s) {
    am_continuation_problem problem = {.n = n, .evaluate = evaluate};
    am_continuation_options here = *o;
    here.from = at->p;
    am_continuation *curve = am_continuation_create(n, 0, NULL);
    assert_non_null(curve);
    GOOD(am_continuation_directions(curve, &problem, &here, at->x, at->t, 8, s->tangents, &s->count, err));
    am_continuation_free(curve);
}

static void leave(equations evaluate, size_t n, const am_continuation_options *o, const kept_point *at, size_t line,
                  double sense, switched *s) {
    am_continuation_problem problem = {.n = n, .evaluate = evaluate};
    am_continuation_options here = *o;
    double tangent[WIDEST + 1];
    here.from = at->p;
    for (size_t i = 0; i <= n; i++)
        tangent[i] = sense * s->tangents[line * (n + 1) + i];
    am_continuation *curve = am_continuation_create(n, 0, NULL);
    assert_non_null(curve);
    s->record.n = n;
    GOOD(am_continuation_switch(curve, &problem, &here, at->x, tangent, &s->report, visit, &s->record, err));
    am_continuation_free(curve);
}

static void test_the_other_branch_of_a_transcritical_point_has_the_right_slope(void **state) {
    (void)state;
    double x = 0.0;
    am_continuation_options o = between(-1.0, -1.0, 1.0, 1);
    o.x_scale = 1.0;
    record r = {0};
    follow(transcritical, NULL, 1, &o, &x, &r);
    const kept_point *at = special(&r, "branch-point", 0);
    switched s = {0};
    find_directions(transcritical, 1, &o, at, &s);
    assert_int_equal(s.count, 2);
    assert_near(s.tangents[0] / s.tangents[1], 0.0, 1e-8); /* second differences: 1e-10 */
    assert_near(s.tangents[2] / s.tangents[3], 1.0, 1e-8);
    for (int sense = -1; sense <= 1; sense += 2) {
        memset(&s.record, 0, sizeof s.record);
        leave(transcritical, 1, &o, at, 1, sense, &s);
        assert_int_equal(s.report.end, AM_CONTINUATION_LEFT);
        assert_true(s.record.last.p == sense);
        /* p = x - 0.2 x^2: x = (1 - sqrt(1 - 0.8 p)) / 0.4 */
        assert_near(s.record.last.x[0], (1.0 - sqrt(1.0 - 0.8 * sense)) / 0.4, 1e-10);
        assert_int_equal(s.report.folds + s.report.branch_points, 0);
    }
}

static void test_a_pitchfork_is_left_to_both_sides(void **state) {
    (void)state;
    double x = 0.0;
    am_continuation_options o = between(-1.0, -1.0, 1.0, 1);
    o.x_scale = 1.0;
    record r = {0};
    follow(pitchfork, NULL, 1, &o, &x, &r);
    const kept_point *at = special(&r, "branch-point", 0);
    switched s = {0};
    find_directions(pitchfork, 1, &o, at, &s);
    assert_int_equal(s.count, 2);
    assert_near(s.tangents[3], 0.0, 1e-8); /* upright */
    double sides = 1.0;
    for (int sense = -1; sense <= 1; sense += 2) {
        memset(&s.record, 0, sizeof s.record);
        s.record.off = off_parabola;
        leave(pitchfork, 1, &o, at, 1, sense, &s);
        assert_int_equal(s.report.end, AM_CONTINUATION_LEFT);
        assert_near(fabs(s.record.last.x[0]), 1.0, 1e-12);
        assert_true(s.record.worst_off < 1e-9);
        assert_int_equal(s.report.folds + s.report.branch_points, 0);
        sides *= s.record.last.x[0];
    }
    assert_near(sides, -1.0, 1e-12);
}

/* p x_i + x_i^2 - x_i^3 - 2 sum x: any exchange of the three leaves it as it is (the group D_3). At x = 0, p = 0 two
 * directions of x leave at once; the determinant p^2 (p - 6) keeps its sign. Lines: x ~ (2, -1, -1) a, p = -a. */
static am_status three_alike(void *context, const double *x, double p, double *F, double *J, double *Fp,
                             am_error *err) {
    (void)context;
    (void)err;
    double sum = x[0] + x[1] + x[2];
    for (size_t i = 0; i < 3; i++) {
        F[i] = p * x[i] + x[i] * x[i] - x[i] * x[i] * x[i] - 2.0 * sum;
        if (J) {
            for (size_t j = 0; j < 3; j++)
                J[3 * i + j] = -2.0 + (i == j ? p + 2.0 * x[i] - 3.0 * x[i] * x[i] : 0.0);
            Fp[i] = x[i];
        }
    }
    return AM_OK;
}

static void test_three_masses_alike_part_along_three_lines(void **state) {
    (void)state;
    double x[3] = {0.0, 0.0, 0.0};
    am_continuation_options o = between(-0.5, -0.5, 0.5, 1);
    o.x_scale = 1.0;
    record r = {0};
    am_continuation_report report = follow(three_alike, NULL, 3, &o, x, &r);
    assert_int_equal(report.branch_points, 1); /* seen although the determinant keeps its sign */
    const kept_point *at = special(&r, "branch-point", 0);
    assert_true(at->located);
    assert_near(at->p, 0.0, 1e-9);
    switched s = {0};
    find_directions(three_alike, 3, &o, at, &s);
    assert_int_equal(s.count, 4);
    assert_near(fabs(s.tangents[3]), 1.0, 1e-6); /* first the branch we came along */
    bool met[3] = {false};
    for (size_t l = 1; l < 4; l++) {
        const double *t = s.tangents + 4 * l;
        size_t odd = fabs(t[0]) > fabs(t[1]) ? (fabs(t[0]) > fabs(t[2]) ? 0 : 2) : (fabs(t[1]) > fabs(t[2]) ? 1 : 2);
        met[odd] = true;
        /* the lines come from a sphere of radius 0.004 or less and branches bend: of that order */
        assert_near(t[3] / t[odd], -0.5, 0.02);
        assert_near(t[(odd + 1) % 3] / t[odd], -0.5, 0.02);
        assert_near(t[(odd + 2) % 3] / t[odd], -0.5, 0.02);
    }
    assert_true(met[0] && met[1] && met[2]);
    memset(&s.record, 0, sizeof s.record);
    leave(three_alike, 3, &o, at, 2, 1.0, &s);
    assert_int_equal(s.report.end, AM_CONTINUATION_LEFT);
    assert_true(fabs(s.record.last.x[0]) + fabs(s.record.last.x[1]) > 0.1);
}

/* Two pitchforks at once, and a slave: x (p - x^2), y (p - y^2), z = x y. The group of the square: x, y and both
 * diagonals are branches. */
static am_status square(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    for (size_t i = 0; i < 2; i++)
        F[i] = x[i] * (p - x[i] * x[i]);
    F[2] = x[2] - x[0] * x[1];
    if (J) {
        memset(J, 0, 9 * sizeof *J);
        J[0] = p - 3.0 * x[0] * x[0];
        J[4] = p - 3.0 * x[1] * x[1];
        J[6] = -x[1];
        J[7] = -x[0];
        J[8] = 1.0;
        Fp[0] = x[0];
        Fp[1] = x[1];
        Fp[2] = 0.0;
    }
    return AM_OK;
}

static void test_the_symmetry_of_the_square_gives_four_lines_and_the_old_branch(void **state) {
    (void)state;
    double x[3] = {0.0, 0.0, 0.0};
    am_continuation_options o = between(-0.5, -0.5, 0.5, 1);
    o.x_scale = 1.0;
    record r = {0};
    am_continuation_report report = follow(square, NULL, 3, &o, x, &r);
    assert_int_equal(report.branch_points, 1);
    const kept_point *at = special(&r, "branch-point", 0);
    switched s = {0};
    find_directions(square, 3, &o, at, &s);
    assert_int_equal(s.count, 5);
    size_t axes = 0, diagonals = 0;
    for (size_t l = 1; l < 5; l++) {
        const double *t = s.tangents + 4 * l;
        double small = fmin(fabs(t[0]), fabs(t[1])), large = fmax(fabs(t[0]), fabs(t[1]));
        axes += small < 1e-6 * large;
        diagonals += fabs(small / large - 1.0) < 1e-6;
    }
    assert_int_equal(axes, 2);
    assert_int_equal(diagonals, 2);
}

/* Two curves x = f and x = g of which the product is the equation; f - g = scale (p - r0)(p - r1)(p - r2) */
typedef struct two_curves {
    double r[3], scale;
} two_curves;

static am_status product(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    const two_curves *k = context;
    (void)err;
    double f = sin(p), df = cos(p), a = p - k->r[0], b = p - k->r[1], c = p - k->r[2];
    double g = f - k->scale * a * b * c, dg = df - k->scale * (b * c + a * c + a * b);
    F[0] = (x[0] - f) * (x[0] - g);
    if (J) {
        J[0] = 2.0 * x[0] - f - g;
        Fp[0] = -df * (x[0] - g) - dg * (x[0] - f);
    }
    return AM_OK;
}

static void test_crossings_are_all_found_though_two_lie_in_one_step(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 60; trial++) {
        two_curves k = {.scale = uniform(&seed, 1.0, 3.0)};
        k.r[0] = uniform(&seed, -0.9, -0.3);
        k.r[1] = uniform(&seed, 0.0, 0.5);
        k.r[2] = k.r[1] + uniform(&seed, 0.001, 0.02); /* steps are 0.01 of a range of 2 */
        double x = sin(-1.0);
        am_continuation_options o = between(-1.0, -1.0, 1.0, 1);
        o.x_scale = 1.0;
        record r = {0};
        am_continuation_report report = follow(product, &k, 1, &o, &x, &r);
        assert_int_equal(report.branch_points, 3);
        for (size_t i = 0; i < 3; i++)
            /* two zeros d apart: rounding in the product is amplified by 1 / d, interpolation errs by (h / 50)^4 */
            assert_near(special(&r, "branch-point", i)->p, k.r[i], 1e-7);
        assert_near(r.last.x[0], sin(1.0), 1e-10);
    }
}

/* ---- the chain of chapter 9, eq. (9.8) ---- */

/* Twelve masses in a ring, one harmonic: a_n, b_n and the frequency; b of the sixth mass is zero. */
enum { MASSES = 12, CHAIN = 2 * MASSES + 1 };

static am_status chain(void *context, const double *x, double xi1, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    const double coupling = 0.01, w2 = 4.0 * 3.14159265358979323846 * 3.14159265358979323846;
    const double *a = x, *b = x + MASSES, r = x[2 * MASSES];
    double k3 = 0.75 * 0.6 * w2 * r * r * r, k5 = 0.625 * 0.2 * w2 * w2 * pow(r, 5.0);
    if (J)
        memset(J, 0, CHAIN * CHAIN * sizeof *J);
    for (size_t i = 0; i < MASSES; i++) {
        size_t p = (i + MASSES - 1) % MASSES, s = (i + 1) % MASSES;
        double u = a[i] * a[i] + b[i] * b[i], d = k5 * u * u - k3 * u + 2.0 * r * xi1;
        double stiff = 1.0 + 2.0 * coupling - r * r;
        F[i] = d * b[i] + stiff * a[i] - coupling * (a[p] + a[s]);
        F[MASSES + i] = d * a[i] - stiff * b[i] + coupling * (b[p] + b[s]);
        if (!J)
            continue;
        double *A = J + i * CHAIN, *B = J + (MASSES + i) * CHAIN, du = 2.0 * (2.0 * k5 * u - k3);
        double dr = (5.0 * k5 * u * u - 3.0 * k3 * u) / r + 2.0 * xi1;
        A[i] = du * a[i] * b[i] + stiff;
        A[MASSES + i] = d + du * b[i] * b[i];
        A[p] -= coupling;
        A[s] -= coupling;
        A[2 * MASSES] = dr * b[i] - 2.0 * r * a[i];
        B[i] = d + du * a[i] * a[i];
        B[MASSES + i] = du * a[i] * b[i] - stiff;
        B[MASSES + p] += coupling;
        B[MASSES + s] += coupling;
        B[2 * MASSES] = dr * a[i] + 2.0 * r * b[i];
        Fp[i] = 2.0 * r * b[i];
        Fp[MASSES + i] = 2.0 * r * a[i];
    }
    F[2 * MASSES] = b[5];
    if (J) {
        J[2 * MASSES * CHAIN + MASSES + 5] = 1.0;
        Fp[2 * MASSES] = 0.0;
    }
    return AM_OK;
}

typedef struct chain_record {
    size_t count;
    double p[16], x[16][CHAIN], t[16][CHAIN + 1];
    char kind[16];
} chain_record;

static bool visit_chain(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    chain_record *r = context;
    if (r->count < 16 && (!strcmp(special->kind, "fold") || !strcmp(special->kind, "branch-point"))) {
        r->kind[r->count] = special->kind[0];
        r->p[r->count] = point->p;
        memcpy(r->x[r->count], point->x, sizeof r->x[0]);
        memcpy(r->t[r->count++], point->tangent, sizeof r->t[0]);
    }
    return true;
}

/* One mass on its large cycle, its neighbours 90 degrees apart. */
static void start_chain(am_continuation *curve, const am_continuation_problem *problem, double *x) {
    memset(x, 0, CHAIN * sizeof *x);
    x[5] = 0.277;
    x[MASSES + 4] = x[MASSES + 6] = 0.014;
    x[2 * MASSES] = sqrt(1.02);
    GOOD(am_continuation_solve(curve, problem, 0.1, 1e-12, x, NULL, err));
}

static void test_the_isola_of_one_and_three_masses_closes_with_four_folds(void **state) {
    (void)state;
    am_continuation_problem problem = {.n = CHAIN, .evaluate = chain};
    am_continuation *curve = am_continuation_create(CHAIN, 0, NULL);
    double x[CHAIN];
    start_chain(curve, &problem, x);
    for (int k = 0; k < 3; k++) {
        static const double steps[] = {0.0, 0.003, 0.1}; /* none may change what is found */
        am_continuation_options o = between(0.1, -0.1, 0.25, 1);
        am_continuation_report report;
        chain_record r = {0};
        o.largest_step = steps[k];
        GOOD(am_continuation_follow(curve, &problem, &o, x, &report, visit_chain, &r, err));
        assert_int_equal(report.end, AM_CONTINUATION_CLOSED);
        assert_int_equal(report.folds, 4);
        assert_int_equal(report.branch_points, 4);
        assert_int_equal(report.unlocated, 0);
        double least = INFINITY;
        for (size_t i = 0; i < r.count; i++)
            least = r.kind[i] == 'f' && r.p[i] > 0.03 && r.p[i] < least ? r.p[i] : least;
        assert_near(least, 0.04916, 5e-6); /* as many digits as are known */
    }
    am_continuation_free(curve);
}

/* On the subspace of neighbours 90 degrees apart with the symmetry of the sixth mass, a branch point breaks the mirror:
 * the connecting branch of Fig. 9.10 leaves at one hairpin of the isola and comes back at the other. */
static void test_a_branch_connects_the_two_hairpins_of_the_isola(void **state) {
    (void)state;
    am_continuation_problem problem = {.n = CHAIN, .evaluate = chain};
    am_continuation *curve = am_continuation_create(CHAIN, 0, NULL);
    double x[CHAIN], tangents[8 * (CHAIN + 1)];
    size_t count;
    start_chain(curve, &problem, x);
    am_continuation_options o = between(0.1, -0.1, 0.25, 1);
    am_continuation_report report;
    chain_record isola = {0}, branch = {0};
    GOOD(am_continuation_follow(curve, &problem, &o, x, &report, visit_chain, &isola, err));
    size_t first = 0; /* the branch point next to the fold at small damping */
    while (first < isola.count && !(isola.kind[first] == 'b' && isola.p[first] < 0.02))
        first++;
    assert_true(first < isola.count);
    o.from = isola.p[first];
    GOOD(am_continuation_directions(curve, &problem, &o, isola.x[first], isola.t[first], 8, tangents, &count, err));
    assert_int_equal(count, 2);
    GOOD(am_continuation_switch(curve, &problem, &o, isola.x[first], tangents + CHAIN + 1, &report, visit_chain,
                                &branch, err));
    assert_int_equal(report.end, AM_CONTINUATION_CLOSED);
    assert_int_equal(report.branch_points, 1);
    size_t other = 0;
    while (other < isola.count && !(isola.kind[other] == 'b' && fabs(isola.p[other] - 0.04916) < 1e-5))
        other++;
    assert_true(other < isola.count);
    for (size_t i = 0; i < branch.count; i++)
        if (branch.kind[i] == 'b')
            for (size_t j = 0; j < CHAIN; j++)
                /* each branch point is known to about 1e-9 along its null vector */
                assert_near(branch.x[i][j], isola.x[other][j], 1e-7);
    am_continuation_free(curve);
}

/* ---- folds of known polynomials ---- */

/* p = q(x), q' = scale (x - r0) ... (x - r3) */
typedef struct quintic {
    double c[6];
} quintic;

static double horner(const double *c, int degree, double x) {
    double sum = 0.0;
    for (int i = degree; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

static double slope(const double *c, int degree, double x) {
    double sum = 0.0;
    for (int i = degree; i > 0; i--)
        sum = sum * x + i * c[i];
    return sum;
}

static am_status polynomial(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    const quintic *q = context;
    (void)err;
    F[0] = horner(q->c, 5, x[0]) - p;
    if (J) {
        J[0] = slope(q->c, 5, x[0]);
        Fp[0] = -1.0;
    }
    return AM_OK;
}

static quintic with_folds(const double *r) {
    double d[5] = {1.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < 4; k++)
        for (int i = 4; i >= 0; i--)
            d[i] = (i ? d[i - 1] : 0.0) - r[k] * d[i];
    quintic q = {{0.0}};
    for (int i = 0; i < 5; i++)
        q.c[i + 1] = 5.0 * d[i] / (i + 1);
    return q;
}

static void test_folds_of_random_polynomials_are_the_zeros_of_their_slope(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int trial = 0; trial < 60; trial++) {
        double roots[4], x = -1.2, at = -1.0;
        for (int i = 0; i < 4; i++)
            roots[i] = at += uniform(&seed, 0.05, 0.45);
        quintic q = with_folds(roots);
        double from = horner(q.c, 5, -1.2), to = horner(q.c, 5, roots[3] + 0.6);
        am_continuation_options o = between(from, fmin(from, to) - 3.0, fmax(from, to) + 3.0, 1);
        o.x_scale = 1.0;
        record r = {0};
        am_continuation_report report = follow(polynomial, &q, 1, &o, &x, &r);
        assert_int_equal(report.end, AM_CONTINUATION_LEFT);
        assert_int_equal(report.folds, 4);
        assert_int_equal(report.branch_points, 0);
        for (size_t i = 0; i < 4; i++)
            /* rounding over the curvature of p at the fold, which is 0.01 and more */
            assert_near(special(&r, "fold", i)->x[0], roots[i], 1e-11);
    }
}

static void test_values_of_the_parameter_are_hit_exactly_and_as_often_as_the_polynomial_has_roots(void **state) {
    (void)state;
    double roots[4] = {-0.6, -0.2, 0.25, 0.7};
    quintic q = with_folds(roots);
    double x = -1.3, from = horner(q.c, 5, x), turn = horner(q.c, 5, roots[1]);
    double values[] = {0.05, turn * (1.0 + 1e-9), from, turn * (1.0 - 1e-9), -0.1, 0.0};
    am_continuation_options o = between(from, from - 0.1, horner(q.c, 5, 1.3), 1);
    o.values = values;
    o.value_count = 6;
    o.x_scale = 1.0;
    record r = {0};
    am_continuation_report report = follow(polynomial, &q, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_LEFT);
    assert_int_equal(report.unlocated, 0);
    size_t wanted = 0;
    for (size_t v = 0; v < 6; v++) {
        size_t count = 0, hits = 0;
        double last = 0.0;
        for (int i = 0; i <= 260000; i++) { /* sign changes on a fine grid of x */
            double f = horner(q.c, 5, -1.3 + i * 1e-5) - values[v];
            count += i > 0 && (last < 0.0) != (f < 0.0);
            last = f;
        }
        count += values[v] == from; /* the start itself */
        for (size_t i = 0; i < r.count; i++)
            hits += !strcmp(r.points[i].kind, "value") && r.points[i].p == values[v];
        assert_int_equal(hits, count);
        wanted += count;
    }
    assert_int_equal(count_of(&r, "value"), wanted);
    for (size_t i = 0; i < r.count; i++)
        assert_near(horner(q.c, 5, r.points[i].x[0]), r.points[i].p, 1e-14);
    assert_true(r.last.p == o.most);
}

/* ---- corners ---- */

/* p = steepness |x| */
static am_status corner(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    double k = *(double *)context;
    (void)err;
    F[0] = k * fabs(x[0]) - p;
    if (J) {
        J[0] = x[0] < 0.0 ? -k : k;
        Fp[0] = -1.0;
    }
    return AM_OK;
}

static void test_corners_of_any_angle_are_passed_and_are_folds(void **state) {
    (void)state;
    static const double steepness[] = {0.01, 0.3, 1.0, 3.0, 20.0, 300.0};
    for (int i = 0; i < 6; i++) {
        double k = steepness[i], x = -0.5;
        am_continuation_options o = between(0.5 * k, -k, 1.0 * k, -1);
        o.x_scale = 1.0;
        o.least = -1.0;
        o.most = 1.0 * k > 0.5 ? 1.0 * k : 0.5;
        record r = {0};
        am_continuation_report report = follow(corner, &k, 1, &o, &x, &r);
        assert_int_equal(report.end, AM_CONTINUATION_LEFT);
        assert_int_equal(report.folds, 1);
        assert_int_equal(report.branch_points, 0);
        assert_near(special(&r, "fold", 0)->x[0], 0.0, 1e-7); /* some smallest steps of 1e-9 */
        assert_near(r.last.x[0], o.most / k, 1e-9 * o.most / k);
    }
}

/* x = slope p, with one slope above p = 0 and another below it */
static am_status roof(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    const double *slope = context, k = slope[p < 0.0];
    (void)err;
    F[0] = x[0] - 0.5 - k * p;
    if (J) {
        J[0] = 1.0;
        Fp[0] = -k;
    }
    return AM_OK;
}

/* However sharp the corner is in the scales of the walk, the parameter goes on: neither a fold nor the way back. */
static void test_the_ridge_of_a_roof_is_no_fold(void **state) {
    (void)state;
    static const double steepness[] = {0.05, 0.2, 0.5, 1.0, 5.0, 50.0};
    for (int i = 0; i < 36; i++) {
        double slope[2] = {-steepness[i / 6], steepness[i % 6]}, x = 0.5 + 13.0 * slope[0];
        if (i / 6 == 0 && i % 6 >= 4)
            continue; /* needles of a hundred to one and more */
        am_continuation_options o = between(13.0, -2.0, 13.0, -1);
        record r = {0};
        am_continuation_report report = follow(roof, slope, 1, &o, &x, &r);
        assert_int_equal(report.end, AM_CONTINUATION_LEFT);
        assert_int_equal(report.folds + report.branch_points, 0);
        assert_near(r.last.p, -2.0, 0.0);
        assert_near(r.last.x[0], 0.5 - 2.0 * slope[1], 1e-8 * (1.0 + slope[1])); /* Newton's tolerance */
    }
}

/* Slip begins at x = 0.3 and 0.6: y = max(0, x - 0.3), z = max(0, x - 0.6) take part of the load. */
static am_status onset(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    F[0] = x[0] + 40.0 * x[1] - 60.0 * x[2] - p;
    F[1] = x[1] - fmax(0.0, x[0] - 0.3);
    F[2] = x[2] - fmax(0.0, x[0] - 0.6);
    if (J) {
        double rows[9] = {1.0, 40.0, -60.0, x[0] > 0.3 ? -1.0 : 0.0, 1.0, 0.0, x[0] > 0.6 ? -1.0 : 0.0, 0.0, 1.0};
        memcpy(J, rows, sizeof rows);
        Fp[0] = -1.0;
        Fp[1] = Fp[2] = 0.0;
    }
    return AM_OK;
}

static double off_onset(const double *x, double p) {
    return x[0] + 40.0 * fmax(0.0, x[0] - 0.3) - 60.0 * fmax(0.0, x[0] - 0.6) - p;
}

static void test_onset_of_slip_does_not_stall_the_walk(void **state) {
    (void)state;
    double x[3] = {0.0, 0.0, 0.0};
    am_continuation_options o = between(0.0, -20.0, 20.0, 1);
    o.x_scale = 1.0;
    record r = {.off = off_onset};
    am_continuation_report report = follow(onset, NULL, 3, &o, x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_LEFT);
    assert_int_equal(report.folds, 1); /* the second slope is 41, the third -19 */
    assert_near(special(&r, "fold", 0)->x[0], 0.6, 1e-7);
    assert_true(r.worst_off < 1e-9);
    assert_true(report.iterations < 4 * report.points + 400); /* two corners cost no more than some hundred */
    assert_near(r.last.x[0], (0.6 + 40.0 * 0.3 + 20.0) / 19.0 + 0.6, 1e-10);
}

/* Slopes that change by turns at p = 1, 2, ..., CORNERS, as where one slider after the other begins to slip. */
enum { CORNERS = 40 };

static double polygon_at(double p, double *slope) {
    double x = 0.1 * p;
    *slope = 0.1;
    for (int i = 1; i <= CORNERS && p > i; i++) {
        double turn = (i % 2 ? 0.05 : -0.05) * (1.0 + 0.3 * sin(7.0 * i));
        x += turn * (p - i);
        *slope += turn;
    }
    return x;
}

static am_status polygon(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    double slope;
    (void)context;
    (void)err;
    F[0] = x[0] - polygon_at(p, &slope);
    if (J) {
        J[0] = 1.0;
        Fp[0] = -slope;
    }
    return AM_OK;
}

static double off_polygon(const double *x, double p) {
    double slope;
    return x[0] - polygon_at(p, &slope);
}

static void test_a_corner_costs_a_few_points(void **state) {
    (void)state;
    double x = 0.0;
    am_continuation_options o = between(0.0, -1.0, CORNERS + 1.0, 1);
    record r = {.off = off_polygon};
    am_continuation_report report = follow(polygon, NULL, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_LEFT);
    assert_int_equal(report.folds + report.branch_points, 0);
    assert_true(r.worst_off < 1e-9);
    assert_true(report.points < 10 * CORNERS && report.iterations < 15 * CORNERS); /* halving takes 37 and 83 of each */
}

/* ---- tests of the caller, phase, ends ---- */

static am_status tangent_test(void *context, const double *x, double p, const double *tangent, double *tests,
                              am_error *err) {
    (void)context;
    (void)err;
    tests[0] = x[0] * x[0] - 0.25;
    tests[1] = p < 0.0 ? NAN : p - 0.5;
    tests[2] = tangent[0] > 0.0 ? 1.0 : -1.0; /* jumps where x has its largest and smallest value */
    return AM_OK;
}

static void test_signs_of_tests_are_located_under_their_names(void **state) {
    (void)state;
    static const char *const names[] = {"quarter", "half", "top"};
    double axes[2] = {1.0, 1.0}, x = 0.8;
    am_continuation_problem problem = {
        .n = 1, .evaluate = ellipse, .tests = tangent_test, .test_count = 3, .test_names = names, .context = axes};
    am_continuation_options o = between(0.6, -2.0, 2.0, 1);
    o.x_scale = 1.0;
    record r = {0};
    am_continuation_report report = follow_problem(&problem, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_CLOSED);
    assert_int_equal(report.unlocated, 0);
    assert_int_equal(count_of(&r, "quarter"), 4);
    assert_int_equal(count_of(&r, "half"), 2);
    assert_int_equal(count_of(&r, "top"), 2);
    for (size_t i = 0; i < 4; i++)
        assert_near(fabs(special(&r, "quarter", i)->x[0]), 0.5, 1e-14);
    for (size_t i = 0; i < 2; i++) {
        assert_near(special(&r, "half", i)->p, 0.5, 1e-14);
        assert_near(fabs(special(&r, "top", i)->x[0]), 1.0, 1e-12); /* of second order in the smallest step */
    }
}

/* A self-excited motion (a, b) = r (cos, sin) of a phase nobody fixes: (r - 1)^2 + p^2 = 1/4. The phase condition lets
 * the phase turn by 3 dp r on the way, so that it comes back turned by 3 times the area of the loop. */
typedef struct drifting {
    double a, b, p;
} drifting;

static am_status drift(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    const drifting *k = context;
    (void)err;
    double r = hypot(x[0], x[1]), twist = 3.0 * (p - k->p);
    F[0] = (r - 1.0) * (r - 1.0) + p * p - 0.25;
    F[1] = k->a * x[1] - k->b * x[0] - twist * r * hypot(k->a, k->b) * r;
    if (J) {
        J[0] = 2.0 * (r - 1.0) * x[0] / r;
        J[1] = 2.0 * (r - 1.0) * x[1] / r;
        J[2] = -k->b - twist * 2.0 * x[0] * hypot(k->a, k->b);
        J[3] = k->a - twist * 2.0 * x[1] * hypot(k->a, k->b);
        Fp[0] = 2.0 * p;
        Fp[1] = -3.0 * r * hypot(k->a, k->b) * r;
    }
    return AM_OK;
}

static void drift_on(void *context, const double *x, double p) {
    *(drifting *)context = (drifting){x[0], x[1], p};
}

static void turn_back(void *context, const double *start, const double *x, double *aligned) {
    (void)context;
    double size = hypot(x[0], x[1]) / hypot(start[0], start[1]);
    aligned[0] = size * start[0];
    aligned[1] = size * start[1];
}

static void test_a_motion_that_comes_back_with_another_phase_closes(void **state) {
    (void)state;
    for (int aligned = 0; aligned < 2; aligned++) {
        drifting k = {1.5, 0.0, 0.0};
        double x[2] = {1.5, 0.0};
        am_continuation_problem problem = {
            .n = 2, .evaluate = drift, .advance = drift_on, .align = aligned ? turn_back : NULL, .context = &k};
        am_continuation_options o = between(0.0, -1.0, 1.0, 1);
        o.most_points = 2000;
        record r = {0};
        am_continuation_report report = follow_problem(&problem, &o, x, &r);
        assert_int_equal(report.end, aligned ? AM_CONTINUATION_CLOSED : AM_CONTINUATION_FULL);
        if (aligned)
            assert_int_equal(report.folds, 2);
        else
            assert_true(report.folds > 2);
    }
}

static am_status guarded(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    if (x[0] > 0.75)
        return am_fail(err, AM_ERR_INPUT, "the blade touches its neighbour");
    F[0] = x[0] - p * p;
    if (J) {
        J[0] = 1.0;
        Fp[0] = -2.0 * p;
    }
    return AM_OK;
}

static void test_a_refused_region_ends_the_branch_with_its_sentence(void **state) {
    (void)state;
    double x = 0.01;
    am_continuation_options o = between(0.1, 0.0, 2.0, 1);
    record r = {0};
    am_continuation_report report = follow(guarded, NULL, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_FAILED);
    assert_non_null(strstr(report.sentence, "the blade touches its neighbour"));
    assert_non_null(strstr(report.sentence, "0.866025"));
    assert_true(report.points > 10);
    assert_near(r.last.x[0], 0.75, 1e-8); /* as near as the smallest step */
    assert_true(r.last.x[0] <= 0.75);
}

static am_status breaking_off(void *context, const double *x, double p, double *F, double *J, double *Fp,
                              am_error *err) {
    if (p > 0.5)
        return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    return guarded(context, x, p, F, J, Fp, err);
}

static void test_an_interruption_is_passed_on_at_once(void **state) {
    (void)state;
    double x = 0.0;
    am_continuation_problem problem = {.n = 1, .evaluate = breaking_off};
    am_continuation_options o = between(0.0, 0.0, 2.0, 1);
    am_continuation_report report;
    am_error error = {0};
    am_continuation *curve = am_continuation_create(1, 0, NULL);
    assert_int_equal(am_continuation_follow(curve, &problem, &o, &x, &report, NULL, NULL, &error), AM_ERR_INTERRUPTED);
    assert_string_equal(error.message, "interrupted");
    am_continuation_free(curve);
}

static void test_the_visitor_ends_the_branch(void **state) {
    (void)state;
    double axes[2] = {1.0, 1.0}, x = 0.8;
    am_continuation_options o = between(0.6, -2.0, 2.0, 1);
    record r = {.stop_after = 7};
    am_continuation_report report = follow(ellipse, axes, 1, &o, &x, &r);
    assert_int_equal(report.end, AM_CONTINUATION_STOPPED);
    assert_int_equal(report.points, 7);
}

static void test_steps_stay_below_the_largest(void **state) {
    (void)state;
    double axes[2] = {1.0, 1.0}, x = 0.8;
    am_continuation_options o = between(0.6, -2.0, 2.0, 1);
    o.largest_step = 0.003;
    record r = {0};
    follow(ellipse, axes, 1, &o, &x, &r);
    assert_true(r.longest <= 0.00301); /* an arc is longer than its chord */
    assert_true(r.longest > 0.0025);
}

static void test_wrong_options_are_refused_in_words(void **state) {
    (void)state;
    double axes[2] = {1.0, 1.0}, x = 0.8;
    am_continuation_problem problem = {.n = 1, .evaluate = ellipse, .context = axes};
    am_continuation_report report;
    am_error error = {0};
    am_continuation *curve = am_continuation_create(1, 0, NULL);
    am_continuation_options outside = between(0.6, 1.0, 2.0, 1), same = between(0.6, 0.0, 0.0, 1),
                            far = between(5, 0, 9, 1);
    same.to = same.from;
    assert_int_equal(am_continuation_follow(curve, &problem, &outside, &x, &report, NULL, NULL, &error), AM_ERR_INPUT);
    assert_says(&error, "outside its range");
    assert_int_equal(am_continuation_follow(curve, &problem, &same, &x, &report, NULL, NULL, &error), AM_ERR_INPUT);
    assert_says(&error, "same value");
    assert_int_equal(am_continuation_follow(curve, &problem, &far, &x, &report, NULL, NULL, &error), AM_ERR_LIMIT);
    assert_says(&error, "no solution was found at 5");
    assert_null(am_continuation_create(0, 0, &error));
    assert_says(&error, "at least one unknown");
    am_continuation_free(curve);
}

/* The same equation twice: a surface of solutions. */
static am_status twice(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    for (size_t i = 0; i < 2; i++) {
        F[i] = x[0] * x[0] + x[1] * x[1] - 1.0 - p;
        if (J) {
            J[2 * i] = 2.0 * x[0];
            J[2 * i + 1] = 2.0 * x[1];
            Fp[i] = -1.0;
        }
    }
    return AM_OK;
}

static void test_solutions_that_are_not_isolated_are_refused(void **state) {
    (void)state;
    am_continuation_problem problem = {.n = 2, .evaluate = twice};
    am_continuation_options o = between(0.0, -0.5, 0.5, 1);
    am_continuation *curve = am_continuation_create(2, 0, NULL);
    am_continuation_report report;
    am_error error = {0};
    double x[2] = {0.6, 0.8};
    assert_int_equal(am_continuation_follow(curve, &problem, &o, x, &report, NULL, NULL, &error), AM_ERR_LIMIT);
    assert_says(&error, "not isolated");
    am_continuation_free(curve);
}

/* ---- Newton's method ---- */

static am_status flat(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    F[0] = atan(x[0] - p);
    F[1] = atan(50.0 * (x[1] - x[0]));
    if (J) {
        double a = x[0] - p, b = 50.0 * (x[1] - x[0]);
        J[0] = 1.0 / (1.0 + a * a);
        J[1] = 0.0;
        J[2] = -50.0 / (1.0 + b * b);
        J[3] = 50.0 / (1.0 + b * b);
        Fp[0] = -J[0];
        Fp[1] = 0.0;
    }
    return AM_OK;
}

static void test_damping_solves_where_full_steps_run_away(void **state) {
    (void)state;
    am_continuation_problem problem = {.n = 2, .evaluate = flat};
    am_continuation *curve = am_continuation_create(2, 0, NULL);
    uint64_t seed = 3;
    for (int i = 0; i < 50; i++) {
        double p = uniform(&seed, -1.0, 1.0), x[2] = {uniform(&seed, -6.0, 6.0), uniform(&seed, -6.0, 6.0)}, residual;
        GOOD(am_continuation_solve(curve, &problem, p, 1e-12, x, &residual, err));
        assert_near(x[0], p, 1e-10);
        assert_near(x[1], p, 1e-10);
        assert_true(residual <= 1e-12);
    }
    am_continuation_free(curve);
}

static am_status rootless(void *context, const double *x, double p, double *F, double *J, double *Fp, am_error *err) {
    (void)context;
    (void)err;
    F[0] = x[0] * x[0] + p;
    if (J) {
        J[0] = 2.0 * x[0];
        Fp[0] = 1.0;
    }
    return AM_OK;
}

static void test_where_there_is_no_solution_the_residual_is_told(void **state) {
    (void)state;
    am_continuation_problem problem = {.n = 1, .evaluate = rootless};
    am_continuation *curve = am_continuation_create(1, 0, NULL);
    double x = 0.7, residual;
    am_error error = {0};
    assert_int_equal(am_continuation_solve(curve, &problem, 0.5, 1e-10, &x, &residual, &error), AM_ERR_LIMIT);
    assert_says(&error, "residual");
    assert_true(residual > 1e-3);
    x = 0.0; /* singular at the guess, solvable beside it */
    assert_int_equal(am_continuation_solve(curve, &problem, -0.25, 1e-12, &x, &residual, &error), AM_OK);
    assert_near(fabs(x), 0.5, 1e-10);
    am_continuation_free(curve);
}

/* ---- rounding ---- */

/* A chain of springs that harden, each with a corner of its own (a stop at one end): C x + h x^3 + k max(x - stop, 0)
 * = p f, every equation with an error of a few roundings, as another order of summation would make it. */
typedef struct stops {
    double coupling, hardening, stiffness[WIDEST], stop[WIDEST], load[WIDEST];
    uint64_t noise;
} stops;

static am_status chain_with_stops(void *context, const double *x, double p, double *F, double *J, double *Fp,
                                  am_error *err) {
    (void)err;
    stops *s = context;
    for (size_t i = 0; i < WIDEST; i++) {
        double left = i > 0 ? x[i - 1] : 0.0, right = i + 1 < WIDEST ? x[i + 1] : 0.0;
        double own = x[i] + s->hardening * x[i] * x[i] * x[i], beyond = fmax(x[i] - s->stop[i], 0.0);
        double sum = own + s->coupling * (2.0 * x[i] - left - right) + s->stiffness[i] * beyond - p * s->load[i];
        F[i] = sum + uniform(&s->noise, -4e-16, 4e-16) * (fabs(own) + fabs(p * s->load[i]));
        for (size_t j = 0; J && j < WIDEST; j++)
            J[i * WIDEST + j] = i == j ? 1.0 + 3.0 * s->hardening * x[i] * x[i] + 2.0 * s->coupling +
                                             (beyond > 0.0 ? s->stiffness[i] : 0.0)
                                : i + 1 == j || j + 1 == i ? -s->coupling
                                                           : 0.0;
        if (Fp)
            Fp[i] = -s->load[i];
    }
    return AM_OK;
}

static void test_the_number_of_points_does_not_depend_on_rounding(void **state) {
    (void)state;
    uint64_t seed = 5;
    size_t points = 0;
    for (int member = 0; member < 40; member++) {
        stops s = {.coupling = uniform(&seed, 0.1, 2.0), .hardening = uniform(&seed, -0.02, 0.5)};
        for (size_t i = 0; i < WIDEST; i++) {
            s.stiffness[i] = uniform(&seed, 0.5, 20.0);
            s.stop[i] = uniform(&seed, 0.1, 1.5);
            s.load[i] = uniform(&seed, 0.2, 1.0);
        }
        am_continuation_report first = {0};
        for (uint64_t noise = 1; noise <= 4; noise++) {
            am_continuation_options o = between(0.0, 0.0, 4.0, 1);
            double x[WIDEST] = {0};
            s.noise = noise;
            record r = {.n = WIDEST};
            am_continuation_report report = follow(chain_with_stops, &s, WIDEST, &o, x, &r);
            assert_int_equal(report.end, AM_CONTINUATION_LEFT);
            if (noise == 1)
                first = report;
            assert_int_equal(report.points, first.points);
            assert_int_equal(report.kinks, first.kinks);
        }
        points += first.points;
    }
    assert_true(points > 40 * 40);
}

/* ---- an order of elimination ---- */

enum { MANY = 402 };

/* Parabolas x_i^2 = a_i - x_(i+1), x_(i+1) = p: pairs that only p connects. */
static am_status evaluate_pairs(void *context, const double *x, double p, double *F, double *J, double *Fp,
                                am_error *err) {
    (void)context, (void)err;
    if (J)
        memset(J, 0, MANY * MANY * sizeof *J);
    for (size_t i = 0; i < MANY; i += 2) {
        double a = 1.0 + 1e-3 * (double)i;
        F[i] = x[i] * x[i] + x[i + 1] - a;
        F[i + 1] = x[i + 1] - p;
        if (!J)
            continue;
        J[i * MANY + i] = 2.0 * x[i];
        J[i * MANY + i + 1] = J[(i + 1) * MANY + i + 1] = 1.0;
        Fp[i] = 0.0;
        Fp[i + 1] = -1.0;
    }
    return AM_OK;
}

static size_t odd_ones_first(const void *arranger, const double *J, size_t *order, size_t *ends) {
    (void)arranger, (void)J;
    ends[0] = MANY / 2;
    for (size_t i = 0; i < MANY / 2; i++) {
        order[i] = 2 * i + 1;
        order[MANY / 2 + i] = MANY - 2 - 2 * i;
    }
    return 1;
}

typedef struct pairs {
    double worst, last;
    int determinant;
} pairs;

static bool visit_pairs(void *context, const am_continuation_point *point, const am_continuation_special *special) {
    pairs *r = context;
    (void)special;
    for (size_t i = 0; i < MANY; i += 2) {
        double x = sqrt(1.0 + 1e-3 * (double)i - point->p);
        r->worst = fmax(r->worst, fabs(fabs(point->x[i]) - x));
    }
    r->last = point->p;
    r->determinant = point->determinant;
    return true;
}

/* The same curve, the same sign of its determinant, in whatever order unknowns are eliminated. */
static void test_the_order_of_elimination_changes_nothing(void **state) {
    (void)state;
    pairs found[2] = {{0}};
    for (int arranged = 0; arranged < 2; arranged++) {
        am_error error = {0};
        am_continuation *curve = am_continuation_create(MANY, 0, &error);
        am_continuation_problem problem = {
            .n = MANY, .evaluate = evaluate_pairs, .arrange = arranged ? odd_ones_first : NULL};
        am_continuation_options o = am_continuation_options_default();
        am_continuation_report report;
        double *x = calloc(MANY, sizeof *x);
        o.to = 0.9;
        o.largest_step = 0.3;
        for (size_t i = 0; i < MANY; i += 2)
            x[i] = sqrt(1.0 + 1e-3 * (double)i);
        GOOD(am_continuation_follow(curve, &problem, &o, x, &report, visit_pairs, &found[arranged], err));
        assert_int_equal(report.end, AM_CONTINUATION_LEFT);
        free(x);
        am_continuation_free(curve);
    }
    for (int k = 0; k < 2; k++)
        assert_near(found[k].worst, 0.0, 1e-7); /* the tolerance of Newton's method, 1e-10, over the least slope */
    assert_near(found[0].last, found[1].last, 1e-12);
    assert_int_equal(found[0].determinant, found[1].determinant);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_circle_closes_after_two_folds_and_its_whole_length),
        cmocka_unit_test(test_axes_of_very_different_length_close_as_well),
        cmocka_unit_test(test_an_isola_smaller_than_the_first_step_is_followed_round),
        cmocka_unit_test(test_a_crossing_in_projection_is_not_the_start),
        cmocka_unit_test(test_passing_near_the_start_does_not_close_the_curve),
        cmocka_unit_test(test_a_pitchfork_is_located_on_its_straight_branch),
        cmocka_unit_test(test_fold_and_branch_point_at_the_same_place_are_both_found),
        cmocka_unit_test(test_the_other_branch_of_a_transcritical_point_has_the_right_slope),
        cmocka_unit_test(test_a_pitchfork_is_left_to_both_sides),
        cmocka_unit_test(test_three_masses_alike_part_along_three_lines),
        cmocka_unit_test(test_the_symmetry_of_the_square_gives_four_lines_and_the_old_branch),
        cmocka_unit_test(test_crossings_are_all_found_though_two_lie_in_one_step),
        cmocka_unit_test(test_the_isola_of_one_and_three_masses_closes_with_four_folds),
        cmocka_unit_test(test_a_branch_connects_the_two_hairpins_of_the_isola),
        cmocka_unit_test(test_folds_of_random_polynomials_are_the_zeros_of_their_slope),
        cmocka_unit_test(test_values_of_the_parameter_are_hit_exactly_and_as_often_as_the_polynomial_has_roots),
        cmocka_unit_test(test_corners_of_any_angle_are_passed_and_are_folds),
        cmocka_unit_test(test_the_ridge_of_a_roof_is_no_fold),
        cmocka_unit_test(test_the_number_of_points_does_not_depend_on_rounding),
        cmocka_unit_test(test_onset_of_slip_does_not_stall_the_walk),
        cmocka_unit_test(test_a_corner_costs_a_few_points),
        cmocka_unit_test(test_signs_of_tests_are_located_under_their_names),
        cmocka_unit_test(test_a_motion_that_comes_back_with_another_phase_closes),
        cmocka_unit_test(test_a_refused_region_ends_the_branch_with_its_sentence),
        cmocka_unit_test(test_an_interruption_is_passed_on_at_once),
        cmocka_unit_test(test_the_visitor_ends_the_branch),
        cmocka_unit_test(test_steps_stay_below_the_largest),
        cmocka_unit_test(test_wrong_options_are_refused_in_words),
        cmocka_unit_test(test_solutions_that_are_not_isolated_are_refused),
        cmocka_unit_test(test_damping_solves_where_full_steps_run_away),
        cmocka_unit_test(test_where_there_is_no_solution_the_residual_is_told),
        cmocka_unit_test(test_the_order_of_elimination_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
