/* Maps with fewer points: the picture is that of the whole grid wherever an edge was seen, from a fraction of the
 * points, and the same points whatever was known before. The maps are closed forms, put into the book of a sweep
 * without a study. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "study/sweep/refine_grid.h"

typedef struct place {
    double x, y, z; /* in [0, 1] */
} place;

/* What a point of a map comes to: a number, or a text, or a failure. */
typedef struct value {
    double number;
    const char *text, *failure;
} value;

typedef value field(place at);

typedef struct map {
    size_t axes, counts[3], coarse;
    double tolerance;
    field *of;
    /* for the book */
    am_sweep_axis items[3];
    am_sweep_setting sweep;
    am_sweep_record book;
} map;

static place place_of(const map *m, size_t point) {
    double at[3] = {0.0, 0.0, 0.0};
    for (size_t a = m->axes; a-- > 0; point /= m->counts[a])
        at[a] = m->counts[a] > 1 ? (double)(point % m->counts[a]) / (double)(m->counts[a] - 1) : 0.0;
    return (place){at[0], at[1], at[2]};
}

static void enter(map *m, size_t point) {
    value v = m->of(place_of(m, point));
    am_result *result = am_result_create(NULL);
    assert_non_null(result);
    assert_int_equal(m->book.known[point], AM_SWEEP_OPEN); /* no point is asked for twice */
    if (v.text)
        GOOD(am_result_set_text(result, "label", v.text, err));
    else
        GOOD(am_result_set_number(result, "label", v.number, err));
    GOOD(am_result_set_number(result, "height", place_of(m, point).x, err));
    GOOD(am_sweep_record_enter(&m->book, point, result, v.failure, err));
    am_result_free(result);
}

static void open_map(map *m) {
    static const char *const names[] = {"label", "height"};
    for (size_t a = 0; a < m->axes; a++)
        m->items[a] = (am_sweep_axis){.from = 0, .to = 1, .count = m->counts[a]};
    m->sweep.axes.count = m->axes;
    m->sweep.axes.items = m->items;
    m->sweep.refine = (am_sweep_refine){"label", m->coarse ? m->coarse : 16, m->tolerance};
    GOOD(am_sweep_record_init(&m->book, &m->sweep, err));
    GOOD(am_sweep_record_name(&m->book, 2, names, err));
}

static void refine(map *m) {
    am_refinement r;
    GOOD(am_refinement_init(&r, &m->book, err));
    while (r.point_count > 0) {
        for (size_t i = 0; i < r.point_count; i++)
            if (m->book.known[r.points[i]] == AM_SWEEP_OPEN)
                enter(m, r.points[i]);
        GOOD(am_refinement_next(&r, err));
    }
    am_refinement_clear(&r);
}

/* Share of the points that were computed. */
static double share(const map *m) {
    return (double)m->book.done / (double)m->book.points;
}

/* Every point is known, and says what it would have come to; numbers within `tolerance`. */
static void check_picture(const map *m, double tolerance) {
    for (size_t p = 0; p < m->book.points; p++) {
        place at = place_of(m, p);
        value v = m->of(at);
        const am_sweep_cell c = am_sweep_record_cell(&m->book, p, 0);
        const char *failure = am_sweep_record_failure(&m->book, p);
        assert_int_not_equal(m->book.known[p], AM_SWEEP_OPEN);
        if ((failure != NULL) != (v.failure != NULL))
            fail_msg("at (%g, %g, %g): %s", at.x, at.y, at.z, v.failure ? "should have failed" : "should not fail");
        if (v.failure) {
            assert_string_equal(failure, v.failure);
        } else if (v.text) {
            assert_non_null(c.text);
            assert_string_equal(c.text, v.text);
        } else {
            assert_near(c.number, v.number, tolerance);
        }
        if (!v.failure)
            assert_near(am_sweep_record_cell(&m->book, p, 1).number, at.x,
                        1e-12); /* linear: filled in proportion, to rounding */
    }
}

static void run_map(map *m, double tolerance) {
    open_map(m);
    refine(m);
    check_picture(m, tolerance);
}

/* ---- maps ---- */

static value beyond(place at) {
    return (value){.text = at.x > 0.3137 ? "right" : "left"};
}

static value disc(place at) {
    return (value){.number = hypot(at.x - 0.47, at.y - 0.53) < 0.31 ? 7.25 : -1.5};
}

static value ball(place at) {
    return (value){.number = hypot(hypot(at.x - 0.47, at.y - 0.53), at.z - 0.4) < 0.31};
}

/* A winding strip, narrower than the coarse cells. */
static value strip(place at) {
    return (value){.number = fabs(at.y - 0.5 - 0.2 * sin(9.0 * at.x)) < 0.009};
}

/* A region with arms into its neighbours, all of one edge. */
static value gear(place at) {
    double angle = atan2(at.y - 0.5, at.x - 0.5), radius = hypot(at.x - 0.5, at.y - 0.5);
    return (value){.number = radius < 0.12 + 0.3 * pow(fabs(cos(9.5 * angle)), 9.0)};
}

static value slope(place at) {
    return (value){.number = at.x * at.x + 0.5 * at.y + (at.y > 0.7001 ? 4.0 : 0.0)};
}

static value partly_failing(place at) {
    if (at.x + at.y > 1.0301)
        return (value){.failure = "there is nothing beyond the diagonal"};
    return (value){.number = at.y > 0.2501};
}

static value without_number(place at) {
    return (value){.number = at.x > 0.6001 ? NAN : 3.0};
}

/* ---- tests ---- */

static void an_edge_on_one_axis_is_found_by_bisection(void **state) {
    (void)state;
    map m = {.axes = 1, .counts = {2001}, .of = beyond};
    run_map(&m, 0.0);
    assert_true(m.book.done <= 126 + 5 * 8); /* the coarse grid, and a few points for each of four halvings */
    am_sweep_record_clear(&m.book);
}

static void a_disc_is_the_same_as_on_the_whole_grid(void **state) {
    (void)state;
    map m = {.axes = 2, .counts = {401, 333}, .of = disc};
    run_map(&m, 0.0);
    assert_true(share(&m) < 0.1);
    am_sweep_record_clear(&m.book);
}

static void a_ball_is_the_same_as_on_the_whole_grid(void **state) {
    (void)state;
    map m = {.axes = 3, .counts = {65, 49, 70}, .coarse = 8, .of = ball};
    run_map(&m, 0.0);
    assert_true(share(&m) < 0.4); /* a surface in 65^3: three layers of cells on both sides of it */
    am_sweep_record_clear(&m.book);
}

static void a_strip_narrower_than_the_coarse_cells_is_followed_from_where_it_is_seen(void **state) {
    (void)state;
    map m = {.axes = 2, .counts = {513, 513}, .of = strip};
    run_map(&m, 0.0);
    assert_true(share(&m) < 0.1);
    am_sweep_record_clear(&m.book);
}

static void arms_between_the_coarse_lines_are_followed(void **state) {
    (void)state;
    map m = {.axes = 2, .counts = {300, 300}, .coarse = 32, .of = gear};
    run_map(&m, 0.0);
    assert_true(share(&m) < 0.35);
    am_sweep_record_clear(&m.book);
}

static void numbers_are_filled_within_the_tolerance(void **state) {
    (void)state;
    map m = {.axes = 2, .counts = {201, 301}, .tolerance = 0.15, .of = slope};
    run_map(&m, 0.15); /* monotone: inside a cell no value lies outside those of its corners */
    assert_true(share(&m) < 0.3);
    am_sweep_record_clear(&m.book);
}

static void failing_points_are_a_region_of_their_own(void **state) {
    (void)state;
    map m = {.axes = 2, .counts = {257, 257}, .of = partly_failing};
    run_map(&m, 0.0);
    assert_true(share(&m) < 0.2);
    assert_true(m.book.failed > 0 && m.book.failed < m.book.done);
    am_sweep_record_clear(&m.book);
}

static void no_number_is_a_value_of_its_own(void **state) {
    (void)state;
    map m = {.axes = 1, .counts = {513}, .of = without_number};
    open_map(&m);
    refine(&m);
    for (size_t p = 0; p < 513; p++)
        assert_true(isnan(am_sweep_record_cell(&m.book, p, 0).number) == (place_of(&m, p).x > 0.6001));
    assert_true(share(&m) < 0.15);
    am_sweep_record_clear(&m.book);
}

static void a_map_smaller_than_a_coarse_cell_is_computed_whole_where_it_changes(void **state) {
    (void)state;
    map m = {.axes = 2, .counts = {9, 7}, .coarse = 64, .of = beyond};
    run_map(&m, 0.0);
    am_sweep_record_clear(&m.book);
    map one = {.axes = 2, .counts = {1, 33}, .of = partly_failing};
    run_map(&one, 0.0);
    am_sweep_record_clear(&one.book);
}

/* docs/sweep.md, "What it can miss". */
static void an_island_that_no_coarse_point_meets_is_not_seen(void **state) {
    (void)state;
    map m = {.axes = 2, .counts = {9, 7}, .coarse = 64, .of = disc};
    open_map(&m);
    refine(&m);
    assert_int_equal(m.book.done, 4);
    am_sweep_record_clear(&m.book);
}

static void what_was_known_before_changes_nothing(void **state) {
    (void)state;
    map whole = {.axes = 2, .counts = {200, 200}, .of = gear}, resumed = whole;
    run_map(&whole, 0.0);
    open_map(&resumed);
    srand(5);
    for (size_t p = 0; p < whole.book.points; p++) /* a part of the points that a run asks for, fine ones too */
        if (whole.book.known[p] == AM_SWEEP_DONE && rand() % 3 == 0)
            enter(&resumed, p);
    assert_true(resumed.book.done > 100);
    refine(&resumed);
    assert_int_equal(resumed.book.done, whole.book.done);
    assert_memory_equal(resumed.book.known, whole.book.known, whole.book.points);
    assert_memory_equal(resumed.book.columns[0].numbers, whole.book.columns[0].numbers,
                        whole.book.points * sizeof(double));
    am_sweep_record_clear(&resumed.book);
    am_sweep_record_clear(&whole.book);
}

/* ---- in a study ---- */

#define STUDY                                                                                                          \
    "model: {kind: oscillator, beta: 0.5, Omega: 0.5}\n"                                                               \
    "analysis: {kind: orbit, samples: 0}\n"                                                                            \
    "sweep:\n"                                                                                                         \
    "  axes: {model.beta: {from: 0.3, to: 0.9, count: 33}, model.Omega: {from: 0.62, to: 1.5, count: 33}}\n"           \
    "  outputs: [stops, v_max]\n"

static am_run *run_study(const char *text, int threads) {
    am_error err = {0};
    am_progress progress = {.threads = threads};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    am_run *made = study ? am_study_run(study, &progress, &err) : NULL;
    if (!made)
        fail_msg("%s", err.message);
    am_study_free(study);
    return made;
}

static void a_refined_map_of_stops_is_the_full_map(void **state) {
    (void)state;
    am_run *full = run_study(STUDY, 1), *fine = run_study(STUDY "  refine: {output: stops, coarse: 8}\n", 2);
    const am_table *all = am_result_find_table(am_run_report(full)->result, "sweep"),
                   *few = am_result_find_table(am_run_report(fine)->result, "sweep");
    size_t stops = am_table_find_column(all, "stops"), evaluated = am_table_find_column(few, "evaluated"), count = 0;
    assert_int_equal(am_table_rows(few), am_table_rows(all));
    for (size_t row = 0; row < am_table_rows(all); row++) {
        assert_true(am_table_number(few, row, stops) == am_table_number(all, row, stops));
        count += am_table_number(few, row, evaluated) != 0.0;
    }
    const am_scalar *told = am_result_find(am_run_report(fine)->result, "evaluated");
    assert_true(told && told->number == (double)count);
    assert_true(count < 33 * 33 / 2); /* the edges are long for so few points; large maps need a tenth and less */
    am_run_free(full);
    am_run_free(fine);
}

static void refinements_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *sweep, *says;
    } cases[] = {
        {"sweep: {axes: {model.beta: [0.1, 0.2]}, refine: {}}\n", "output"},
        {"sweep: {axes: {model.beta: [0.1, 0.2]}, refine: {output: stops, coarse: 12}}\n", "power of two"},
        {"sweep: {axes: {model.beta: [0.1, 0.2]}, refine: {output: stops, tolerance: -1}}\n", "tolerance"},
        {"sweep: {axes: {model.beta: [0.1, 0.2]}, outputs: [v_max], refine: {output: stops}}\n",
         "must be one of the outputs"},
        {"sweep: {axes: {model.beta: [0.1, 0.2]}, tables: [orbits], refine: {output: stops}}\n", "leaves points out"},
        {"sweep: {axes: {model.beta: {from: 0.1, to: 0.2, count: 4, draw: sobol}}, refine: {output: stops}}\n",
         "model.beta is drawn"},
        {"sweep: {axes: {model.beta: [0.1], model.Omega: [1], model.eta: [0], model.delta_deg: [0]}, refine: stops}\n",
         "at most 3 axes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1000];
        am_error err = {0};
        snprintf(text, sizeof text,
                 "model: {kind: oscillator, beta: 0.5, Omega: 0.5}\nanalysis: {kind: orbit, samples: 0}\n%s",
                 cases[i].sweep);
        am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
        assert_null(study);
        assert_says(&err, "test.yaml:3:");
        assert_says(&err, cases[i].says);
    }
}

static void a_pattern_among_the_outputs_covers_the_one_refined(void **state) {
    (void)state;
    am_run *made = run_study("model: {kind: oscillator, beta: 0.5, Omega: 0.5}\n"
                             "analysis: {kind: orbit, samples: 0}\n"
                             "sweep: {axes: {model.beta: [0.4, 0.5, 0.6]}, outputs: ['st*'], refine: stops}\n",
                             1);
    assert_non_null(am_result_find(am_run_report(made)->result, "evaluated"));
    am_run_free(made);
}

static void an_output_that_there_is_not_is_named(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml",
                                     "model: {kind: oscillator, beta: 0.5, Omega: 0.5}\n"
                                     "analysis: {kind: orbit, samples: 0}\n"
                                     "sweep: {axes: {model.beta: [0.4, 0.5, 0.6]}, refine: stps}\n",
                                     0, NULL, false, &err);
    assert_non_null(study);
    assert_null(am_study_run(study, NULL, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "test.yaml:3:54: unknown output 'stps' in refine of the sweep; did you mean 'stops'?");
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_on_one_axis_is_found_by_bisection),
        cmocka_unit_test(a_disc_is_the_same_as_on_the_whole_grid),
        cmocka_unit_test(a_ball_is_the_same_as_on_the_whole_grid),
        cmocka_unit_test(a_strip_narrower_than_the_coarse_cells_is_followed_from_where_it_is_seen),
        cmocka_unit_test(arms_between_the_coarse_lines_are_followed),
        cmocka_unit_test(numbers_are_filled_within_the_tolerance),
        cmocka_unit_test(failing_points_are_a_region_of_their_own),
        cmocka_unit_test(no_number_is_a_value_of_its_own),
        cmocka_unit_test(a_map_smaller_than_a_coarse_cell_is_computed_whole_where_it_changes),
        cmocka_unit_test(an_island_that_no_coarse_point_meets_is_not_seen),
        cmocka_unit_test(what_was_known_before_changes_nothing),
        cmocka_unit_test(a_refined_map_of_stops_is_the_full_map),
        cmocka_unit_test(refinements_that_make_no_sense_are_refused),
        cmocka_unit_test(a_pattern_among_the_outputs_covers_the_one_refined),
        cmocka_unit_test(an_output_that_there_is_not_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
