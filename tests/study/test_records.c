/* Records: functions of time from columns of a CSV file, and what is wrong with a file, said with its line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "scratch.h"
#include "study_text.h"

enum { POINTS = 3000 };

static double record_time[POINTS], record_value[POINTS];

/* Steps that vary, values that are a walk. */
static void draw_record(void) {
    random_source random = random_seed(11);
    for (size_t i = 0; i < POINTS; i++) {
        record_time[i] = i > 0 ? record_time[i - 1] + random_between(&random, 0.005, 0.015) : 0;
        record_value[i] = i > 0 ? 0.95 * record_value[i - 1] + random_between(&random, -0.3, 0.3) : 0;
    }
}

static void write_record(const char *name, const char *heading) {
    FILE *file = fopen(in_scratch(name), "w");
    assert_non_null(file);
    fprintf(file, "# a record\n%s", heading);
    for (size_t i = 0; i < POINTS; i++)
        fprintf(file, "%.17g, %zu, %.17g\n", record_time[i], i, record_value[i] / 3);
    fclose(file);
}

/* A block that is shaken by the function, on a surface that moves by it. */
static am_run *run_function(const char *function, am_error *err) {
    size_t size = 2 * strlen(function) + 1000;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(
        text, size,
        "model: {kind: structure, mass: [1], stiffness: [4], contacts: [{tangent: [1], law: held, hold: {constant: "
        "1}, friction: 0.2, surface_velocity: {%s}}], loads: [{direction: [1], %s}]}\nanalysis: {kind: motion, "
        "until: 31, samples: 0}\n",
        function, function);
    am_study *study = am_study_parse(in_scratch("study.yaml"), text, 0, NULL, false, err);
    am_run *run = study ? am_study_run(study, NULL, err) : NULL;
    am_study_free(study);
    free(text);
    return run;
}

static char *inline_table(const char *interpolation) {
    size_t size = 60 * POINTS, used = 0;
    char *text = malloc(size);
    assert_non_null(text);
    used += (size_t)snprintf(text, size, "table: {interpolation: %s, times: [", interpolation);
    for (size_t i = 0; i < POINTS; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", i ? ", " : "", record_time[i]);
    used += (size_t)snprintf(text + used, size - used, "], values: [");
    for (size_t i = 0; i < POINTS; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%.17g", i ? ", " : "", record_value[i] / 3);
    snprintf(text + used, size - used, "], scale: 3}");
    return text;
}

static void a_record_from_a_file_is_the_table_it_holds(void **state) {
    (void)state;
    static const char *const files[] = {
        "table: {file: record.csv, time: 't [s]', value: acceleration, scale: 3, interpolation: linear}",
        "table: {file: record.csv, value: 3, scale: 3, interpolation: cubic}",
        "table: {file: plain.csv, time: 1, value: 3, scale: 3, interpolation: cubic}",
    };
    draw_record();
    write_record("record.csv", "t [s], number, acceleration\n");
    write_record("plain.csv", "");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        am_error err = {0};
        char *table = inline_table(i == 0 ? "linear" : "cubic");
        am_run *one = run_function(files[i], &err), *other = run_function(table, &err);
        if (!one || !other)
            fail_msg("%s", err.message);
        assert_true(scalar(one, "state_changes") > 20);
        assert_near(scalar(one, "loss_friction"), scalar(other, "loss_friction"), 0); /* the same numbers */
        assert_near(scalar(one, "work_surface"), scalar(other, "work_surface"), 0);
        assert_near(scalar(one, "energy_residual"), 0, 1e-13);
        am_run_free(one);
        am_run_free(other);
        free(table);
    }
}

static void equal_steps_need_no_column_of_times(void **state) {
    (void)state;
    am_error err = {0};
    write_scratch("values.csv", "0\n1\n0.5\n-2\n0\n");
    am_run *one = run_function("table: {file: values.csv, step: 0.5}", &err);
    am_run *other = run_function("table: {times: [0, 0.5, 1, 1.5, 2], values: [0, 1, 0.5, -2, 0]}", &err);
    am_run *third = run_function("table: {step: 0.5, values: [0, 1, 0.5, -2, 0]}", &err);
    if (!one || !other || !third)
        fail_msg("%s", err.message);
    assert_near(scalar(one, "loss_friction"), scalar(other, "loss_friction"), 0);
    assert_near(scalar(third, "loss_friction"), scalar(other, "loss_friction"), 0);
    am_run_free(one);
    am_run_free(other);
    am_run_free(third);
}

static void what_is_wrong_with_a_file_is_said_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *content, *function, *words;
    } cases[] = {
        {"t, a\n0, 1\n# note\n1, 2\n1, 3\n", "table: {file: bad.csv}",
         "bad.csv:5:1: the times of a record must increase, but 1 comes after 1"},
        {"t, a\n0, 1\n1, x\n", "table: {file: bad.csv}", "bad.csv:3:4: 'x' stands where a finite number was expected"},
        {"t, a\n0, 1\n1, 2\n", "table: {file: bad.csv, value: b}", "value: there is no column 'b' in the file"},
        {"0, 1\n1, 2\n", "table: {file: bad.csv, time: t}", "which has no heading"},
        {"0, 1\n1, 2\n", "table: {file: bad.csv, value: 3}", "the file has 2 columns, not 3"},
        {"1\n2\n", "table: {file: bad.csv}", "give the key 'step'"},
        {"0, 1\n1, 2\n", "table: {file: none.csv}", "none.csv"},
        {"0, 1\n1, 2\n", "table: {file: bad.csv, times: [0, 1]}", "say the same thing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        write_scratch("bad.csv", cases[i].content);
        assert_null(run_function(cases[i].function, &err));
        assert_int_equal(err.status == AM_ERR_INPUT || err.status == AM_ERR_FILE, 1);
        assert_says(&err, cases[i].words);
        assert_says(&err, "study.yaml:1:");
    }
}

/* Of a period that ends where it begins, but for the last digit of its file. */
static void a_record_that_closes_but_for_rounding_repeats(void **state) {
    (void)state;
    am_error err = {0};
    am_run *one = run_function("table: {times: [0, 1, 2, 3], values: [0.1, 1, -1, 0.1], period: 3, "
                               "interpolation: cubic}",
                               &err);
    am_run *other = run_function("table: {times: [0, 1, 2, 3], values: [0.1, 1, -1, 0.10000000000000002], period: 3, "
                                 "interpolation: cubic}",
                                 &err);
    if (!one || !other)
        fail_msg("%s", err.message);
    assert_near(scalar(one, "loss_friction"), scalar(other, "loss_friction"), 0);
    am_run_free(one);
    am_run_free(other);
}

/* The acceleration of the surface jumps at every point, and what sticks to it has that of the time before. */
static void march_sticks_to_the_surface_of_a_record_as_motion_does(void **state) {
    (void)state;
    static const char *const analyses[] = {"motion, until: 5, samples: 2",
                                           "march, until: 5, samples: 2, tolerance: 1.0e-10"};
    am_run *made[2];
    for (size_t i = 0; i < 2; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  damping: [0.2, 0.2]\n"
            "  stiffness: [[2, 0.1], [0.1, 3]]\n  contacts:\n  - {normal: [0, -1], tangent: [1, 0], friction: 0.3, "
            "law: kelvin-voigt, contact_stiffness: 50, contact_damping: 1, surface_velocity: {constant: 0.2, "
            "table: {times: [0, 1, 2, 3], values: [0, 0.3, -0.2, 0], period: 4.833219467061219}}}\n"
            "  loads: [{direction: [0, 1], constant: 2}, {direction: [1, 0], sine: {amplitude: 1, frequency: 1.3, "
            "phase: 0.3}}]\nanalysis: {kind: %s}\n",
            analyses[i]);
        made[i] = run_text(text);
    }
    assert_near(scalar(made[1], "loss_friction"), scalar(made[0], "loss_friction"), 1e-7);
    assert_near(scalar(made[1], "work_surface"), scalar(made[0], "work_surface"), 1e-7);
    am_run_free(made[0]);
    am_run_free(made[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_from_a_file_is_the_table_it_holds),
        cmocka_unit_test(equal_steps_need_no_column_of_times),
        cmocka_unit_test(march_sticks_to_the_surface_of_a_record_as_motion_does),
        cmocka_unit_test(a_record_that_closes_but_for_rounding_repeats),
        cmocka_unit_test(what_is_wrong_with_a_file_is_said_with_its_line),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
