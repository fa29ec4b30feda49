/* The slip-displacement diagram: lines cut off at the box, what they exclude, the figure and its animation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "amontons/study.h"
#include "base/memory.h"
#include "near.h"
#include "output/file.h"
#include "output/slip.h"
#include "study_text.h"
#include "uniform.h"

/* ---- Geometry ---- */

static const am_slip_box box = {{-1, -2}, {3, 1}};

static double area(double corners[][2], size_t count) {
    double twice = 0;
    for (size_t i = 0; i < count; i++) {
        const double *a = corners[i], *b = corners[(i + 1) % count];
        twice += a[0] * b[1] - a[1] * b[0];
    }
    return twice / 2;
}

static void both_sides_of_a_line_fill_the_box(void **state) {
    (void)state;
    uint64_t seed = 9;
    size_t cut = 0;
    for (size_t trial = 0; trial < 2000; trial++) {
        am_slip_line plus = {.sign = 1, .normal = {uniform(&seed, -1, 1), uniform(&seed, -1, 1)}}, minus = plus;
        double below[AM_SLIP_MOST_CORNERS][2], above[AM_SLIP_MOST_CORNERS][2], ends[2][2];
        double side = uniform(&seed, -4, 4);
        minus.sign = -1;
        size_t few = am_slip_excluded(&box, &plus, side, below), many = am_slip_excluded(&box, &minus, side, above);
        assert_true(few <= AM_SLIP_MOST_CORNERS && many <= AM_SLIP_MOST_CORNERS);
        assert_near(area(below, few) + area(above, many), 12, 1e-12); /* rounding of corners of size 3 */
        for (size_t i = 0; i < few; i++)
            assert_true(plus.normal[0] * below[i][0] + plus.normal[1] * below[i][1] <= side + 1e-12);
        bool crosses = am_slip_clip(&box, plus.normal, side, ends);
        assert_int_equal(crosses, few > 0 && many > 0);
        cut += crosses;
        for (size_t i = 0; i < 2 && crosses; i++) {
            assert_near(plus.normal[0] * ends[i][0] + plus.normal[1] * ends[i][1], side, 1e-12);
            double border = fmin(fmin(fabs(ends[i][0] + 1), fabs(ends[i][0] - 3)),
                                 fmin(fabs(ends[i][1] + 2), fabs(ends[i][1] - 1)));
            assert_near(border, 0, 1e-12);
        }
    }
    assert_in_range(cut, 500, 1900);
}

/* ---- A study and its files ---- */

#define MODEL                                                                                                          \
    "model: {kind: nodes, A: [[1, 0.5], [0.5, 1]], B: [[0.5, 0.25], [0.95, 0.95]], mu: 1, constraints: {rest_minus: "  \
    "[1.6, 0.8], rest_plus: [-3, -6], sequence: [[\"1+\", 0.75], [\"2+\", 3.4], [\"1-\", -0.25], [\"2-\", 0.4]]}}\n"
#define CYCLES "analysis: {kind: path, start: [-1, -0.9], cycles: until-repeat}\n"

static char *file_of(const am_run *run, const char *name) {
    char folder[] = AMONTONS_BINARY_DIR "/test_slip-XXXXXX";
    am_error err = {0};
    char **files = NULL, *text = NULL;
    assert_non_null(mkdtemp(folder));
    if (am_output_folder(am_run_report(run), folder, &files, &err) != AM_OK)
        fail_msg("%s", err.message);
    for (char **file = files; *file; file++) {
        char *path = am_output_path(folder, *file, NULL);
        if (strcmp(*file, name) == 0)
            text = am_output_read(path, 1 << 24, NULL);
        unlink(path);
        am_memory_free(path);
    }
    am_output_files_free(files);
    rmdir(folder);
    return text;
}

static size_t occurrences(const char *text, const char *words) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

static void the_figure_has_every_line_once_at_rest_and_once_at_its_extreme(void **state) {
    (void)state;
    am_run *run = run_text(MODEL CYCLES "figure: {kind: slip, x_range: [-9, 9], y_range: [-9, 9], curves: [{table: "
                                        "samples, x: v1, y: v2}, {table: cycle, x: v1, y: v2}, {table: orbit, x: v1, "
                                        "y: v2}]}\n");
    char *script = file_of(run, "figure.gp");
    assert_non_null(script);
    static const char *const names[] = {"1-", "1+", "2-", "2+"};
    for (size_t i = 0; i < 4; i++) {
        char words[32];
        snprintf(words, sizeof words, "# %s at rest", names[i]);
        assert_int_equal(occurrences(script, words), 1);
        snprintf(words, sizeof words, "# %s extreme", names[i]);
        assert_int_equal(occurrences(script, words), 1);
        snprintf(words, sizeof words, "# excluded by %s", names[i]);
        assert_int_equal(occurrences(script, words), 1);
    }
    assert_int_equal(occurrences(script, "title 'excluded'"), 1);
    assert_int_equal(occurrences(script, "title 'at rest'"), 1);
    static const char *const colours[] = {"#009e73", "#0072b2", "#d55e00", "#cc79a7"}; /* of constraints alone */
    for (size_t i = 0; i < 4; i++)
        for (const char *at = strstr(script, "'samples.csv'"); at && at < strstr(script, "NaN with lines"); at++)
            assert_int_not_equal(strncmp(at, colours[i], 7), 0);
    assert_int_equal(occurrences(script, "'samples.csv'"), 1);
    assert_int_equal(occurrences(script, "'cycle.csv'"), 1);
    assert_int_equal(occurrences(script, "'orbit.csv'"), 1);
    am_memory_free(script);
    am_run_free(run);
}

/* Numbers between two marks, separated by ; or , */
static size_t read_numbers(const char *at, const char *after, double *values, size_t room) {
    const char *from = strstr(at, after);
    size_t count = 0;
    assert_non_null(from);
    for (from += strlen(after); *from != '"' && count < room;) {
        char *end;
        values[count++] = strtod(from, &end);
        from = *end == ';' || *end == ',' ? end + 1 : end;
    }
    return count;
}

static void the_animation_moves_everything_on_one_clock_and_returns(void **state) {
    (void)state;
    am_run *run = run_text(MODEL CYCLES "figure: {kind: slip}\n");
    char *svg = file_of(run, "animation.svg");
    assert_non_null(svg);
    assert_true(strlen(svg) < 40000); /* corners only: small enough to send around */
    assert_null(strstr(svg, "<script"));
    assert_int_equal(occurrences(svg, "<animateTransform"), 5); /* four lines and the point */
    assert_int_equal(occurrences(svg, "dur=\"12s\""), 5);       /* sixteen units of time */
    static double values[4000], times[2000];
    for (const char *at = svg; (at = strstr(at, "<animateTransform")) != NULL; at++) {
        size_t pairs = read_numbers(at, "values=\"", values, 4000) / 2,
               count = read_numbers(at, "keyTimes=\"", times, 2000);
        assert_int_equal(pairs, count);
        assert_near(times[0], 0, 0);
        assert_near(times[count - 1], 1, 0);
        for (size_t i = 1; i < count; i++)
            assert_true(times[i] >= times[i - 1]);
        for (size_t i = 0; i < 2; i++) /* the cycle closes, to the hundredth of a pixel that is written */
            assert_near(values[i], values[2 * (count - 1) + i], 0.011);
    }
    am_memory_free(svg);
    am_run_free(run);
}

/* The point must never be drawn on the wrong side of a line: at every instant of `lines`. */
static void no_instant_shows_the_point_beyond_a_line(void **state) {
    (void)state;
    am_run *run = run_text(MODEL CYCLES);
    const am_table *lines = am_result_find_table(am_run_report(run)->result, "lines");
    assert_non_null(lines);
    static const double row[4][2] = {{0.5, 0.25}, {1.5, 0.75}, {-0.45, 0.05}, {1.45, 1.95}};
    size_t touching = 0;
    for (size_t i = 0; i < am_table_rows(lines); i++) {
        double v1 = am_table_number(lines, i, 1), v2 = am_table_number(lines, i, 2);
        for (size_t c = 0; c < 4; c++) {
            double room = (c % 2 ? 1 : -1) * (row[c][0] * v1 + row[c][1] * v2 - am_table_number(lines, i, 3 + c));
            assert_true(room > -1e-12); /* rounding of corners */
            touching += room < 1e-12;
        }
    }
    assert_true(touching > 8); /* it is pushed */
    am_run_free(run);
}

static void weld_forces_have_a_diagram_too(void **state) {
    (void)state;
    am_run *run =
        run_text("model: {kind: nodes, A: [[1, 0.5], [0.5, 1]], B: [[0.1, 0], [0, 0.1]], mu: 0.5, weld: {tangential: "
                 "[{table: {times: [0, 1, 3, 4], values: [0, 1, -1, 0], period: 4}}, 0], normal: [1, 1]}}\n"
                 "analysis: {kind: path, until: 8}\nfigure: {kind: slip}\n");
    const am_result *result = am_run_report(run)->result;
    const am_table *constraints = am_result_find_table(result, "constraints");
    assert_int_equal(am_table_rows(constraints), 4);
    assert_null(am_result_find(result, "R"));                     /* no order of advances is known */
    assert_near(am_table_number(constraints, 0, 3), 1.5, 1e-12);  /* O-1 at rest: mu p - q = 0.5 + 1 */
    assert_near(am_table_number(constraints, 0, 4), -0.5, 1e-12); /* and its extreme: 0.5 - 1 */
    char *svg = file_of(run, "animation.svg");
    assert_non_null(svg);
    am_memory_free(svg);
    am_run_free(run);
}

static void refused(const char *text, const char *words) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    assert_null(run);
    assert_int_equal(err.status, AM_ERR_INPUT);
    if (!strstr(err.message, words) || !strstr(err.message, "test.yaml:"))
        fail_msg("'%s' does not say '%s'", err.message, words);
    am_study_free(study);
}

static void a_diagram_of_anything_else_is_refused(void **state) {
    (void)state;
    refused("model: {kind: klarbring, stiffness: [[1, 0], [0, 1]], friction: 0.5, load_rate: [1, -1]}\n"
            "analysis: {kind: path, until: 1}\nfigure: {kind: slip}\n",
            "drawn of a path of model nodes with two nodes");
    refused(MODEL CYCLES "figure: {kind: slip, curves: [{table: samples, x: v1, y: v2, colour: red}]}\n",
            "six hexadecimal digits");
    refused(MODEL CYCLES "figure: {kind: slip, table: nothing}\n", "unknown table 'nothing'");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_a_line_fill_the_box),
        cmocka_unit_test(the_figure_has_every_line_once_at_rest_and_once_at_its_extreme),
        cmocka_unit_test(the_animation_moves_everything_on_one_clock_and_returns),
        cmocka_unit_test(no_instant_shows_the_point_beyond_a_line),
        cmocka_unit_test(weld_forces_have_a_diagram_too),
        cmocka_unit_test(a_diagram_of_anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
