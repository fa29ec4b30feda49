/* What a sweep says about its table, what it refuses before it starts, and that its points are what they are alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "scratch.h"
#include "study_text.h"

static const char *const study = "title: t\n"
                                 "model: {kind: griffin, beta: 1.1, delta_deg: 90}\n"
                                 "analysis: {kind: response, harmonics: 1, stability: none}\n"
                                 "sweep:\n"
                                 "  axes: {model.Omega: [1, 1.2], model.eta: [0, 0.3, 0.9], model.zeta: [0.1, 0.2]}\n"
                                 "  outputs: [peak]\n";

static void ratios_are_outputs_over_those_at_the_first_value_of_the_axis(void **state) {
    (void)state;
    char text_of[600];
    snprintf(text_of, sizeof text_of, "%s  ratio: model.eta\n", study);
    am_run *made = run_text(text_of);
    const am_result *result = am_run_report(made)->result;
    const am_table *all = table_of(result, "sweep"), *ratios = table_of(result, "ratios");
    assert_int_equal(am_table_rows(all), 12);
    assert_int_equal(am_table_rows(ratios), 8); /* the rows of eta = 0 are what divides */
    double least = INFINITY, greatest = 0.0;
    for (size_t i = 0; i < 8; i++) {
        size_t Omega = i / 4, eta = 1 + i / 2 % 2, zeta = i % 2;
        size_t row = Omega * 6 + eta * 2 + zeta, first = Omega * 6 + zeta;
        double ratio = cell(all, row, "peak") / cell(all, first, "peak");
        assert_true(cell(ratios, i, "peak_ratio") == ratio);
        assert_true(cell(ratios, i, "model.Omega") == cell(all, row, "model.Omega"));
        assert_true(cell(ratios, i, "model.eta") == cell(all, row, "model.eta"));
        assert_true(cell(ratios, i, "model.zeta") == cell(all, row, "model.zeta"));
        least = fmin(least, ratio);
        greatest = fmax(greatest, ratio);
    }
    assert_true(scalar(made, "least_peak_ratio") == least);
    assert_true(scalar(made, "greatest_peak_ratio") == greatest);
    assert_true(greatest > 1.1); /* quadrature is worse than constant load, Fig. 8.4 (b) */
    am_run_free(made);
}

static void a_ratio_over_what_is_no_axis_is_refused(void **state) {
    (void)state;
    char text_of[600];
    am_error err = {0};
    snprintf(text_of, sizeof text_of, "%s  ratio: model.beta\n", study);
    assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
    assert_says(&err, "must name one of the axes");
}

static void an_axis_over_a_word_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    const char *text_of = "model: {kind: griffin, beta: 1.1}\nanalysis: {kind: response}\n"
                          "sweep: {axes: {model.kind: [1, 2]}}\n";
    assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
    assert_says(&err, "test.yaml:3:16: model.kind is 'griffin', which is no number");
}

/* A field for any text takes a number for one. */
static void an_axis_over_a_name_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    const char *text_of =
        "model: {kind: structure, mass: [1, 1], stiffness: [1, 2], contacts: [{name: foot, normal: [0, "
        "1], tangent: [1, 0], friction: 0.2}]}\nanalysis: {kind: motion, until: 1}\n"
        "sweep: {axes: {'model.contacts.0.name': [1, 2]}}\n";
    assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
    assert_says(&err, "test.yaml:3:16: model.contacts.0.name is 'foot', which is no number");
}

static void two_axes_over_one_field_are_refused(void **state) {
    (void)state;
    am_error err = {0};
    const char *text_of =
        "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
        "analysis: {kind: motion, until: 1}\n"
        "sweep: {axes: {model.load_rate.1: [-0.8, -0.9], 'model.load_rate[1]': [-0.7, -0.6]}}\n";
    assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
    assert_says(&err, "test.yaml:3:49: model.load_rate.1 and model.load_rate[1] are the same field");
}

/* ---- points that share an engine ---- */

#define KLARBRING "model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 0.25, load_rate: [-1, -0.99]}\n"
#define START "initial: {displacement: [0, 0], velocity: [0, 0.3]}"

/* Every output, spans and combinations included, of every point: what the study alone says there. Texts too. */
static void compare_points_with_runs_alone(const char *text_of, const char *const paths[2]) {
    am_run *all = run_text(text_of);
    const am_table *sweep = table_of(am_run_report(all)->result, "sweep");
    size_t compared = 0;
    char *alone_text = strdup(text_of);
    assert_non_null(alone_text);
    *strstr(alone_text, "sweep:") = '\0';
    for (size_t row = 0; row < am_table_rows(sweep); row++) {
        am_error err = {0};
        char values[2][64];
        am_setting settings[2];
        for (size_t a = 0; a < 2; a++) {
            snprintf(values[a], sizeof values[a], "%.17g", cell(sweep, row, paths[a]));
            settings[a] = (am_setting){paths[a], values[a]};
        }
        am_study *single = am_study_parse("test.yaml", alone_text, 2, settings, false, &err);
        am_run *alone = single ? am_study_run(single, NULL, &err) : NULL;
        assert_int_equal(alone == NULL, *word(sweep, row, "failure") != '\0');
        const am_result *result = alone ? am_run_report(alone)->result : NULL;
        for (size_t i = 0; result && i < am_result_scalar_count(result); i++) {
            const am_scalar *own = am_result_scalar(result, i);
            if (own->kind == AM_SCALAR_TEXT) {
                assert_string_equal(word(sweep, row, own->name), own->text);
            } else {
                double there = cell(sweep, row, own->name);
                assert_true(own->kind == AM_SCALAR_NONE ? isnan(there) : there == own->number);
            }
            compared++;
        }
        am_run_free(alone);
        am_study_free(single);
    }
    assert_true(compared > 20 * am_table_rows(sweep) / 2);
    free(alone_text);
    am_run_free(all);
}

static void starts_that_share_an_engine_have_the_bits_of_runs_alone(void **state) {
    (void)state;
    compare_points_with_runs_alone(
        KLARBRING "analysis: {kind: motion, until: 38, max_events: 9, samples: 0, " START "}\n"
                  "sweep: {axes: {analysis.initial.velocity.0: {from: -1, to: 1, count: 7}, "
                  "analysis.initial.velocity.1: [0, 0.4, 0.9]}}\n",
        (const char *const[2]){"analysis.initial.velocity.0", "analysis.initial.velocity.1"});
}

static void other_models_at_every_point_have_the_bits_of_runs_alone(void **state) {
    (void)state;
    compare_points_with_runs_alone(KLARBRING "analysis: {kind: motion, until: 38, samples: 0, " START "}\n"
                                             "sweep: {axes: {model.friction: [0.1, 0.25, 0.4], "
                                             "analysis.initial.velocity.1: [0, 0.4, 0.9]}}\n",
                                   (const char *const[2]){"model.friction", "analysis.initial.velocity.1"});
}

/* Tables that nobody asks for are left out; those that are asked for are not. */
static void tables_that_are_kept_are_those_of_runs_alone(void **state) {
    (void)state;
    am_run *all = run_text(KLARBRING "analysis: {kind: motion, until: 38, samples: 0, " START "}\n"
                                     "also: {short: {kind: motion, until: 1, samples: 3}}\n"
                                     "sweep: {axes: {analysis.initial.velocity.0: [0.2, 0.1]}, outputs: [events], "
                                     "tables: [touches, short.samples, events]}\n"
                                     "figure: {table: touches, x: t, y: t}\n"); /* of the first one kept */
    am_run *alone = run_text(KLARBRING "analysis: {kind: motion, until: 38, samples: 0, "
                                       "initial: {displacement: [0, 0], velocity: [0.2, 0.3]}}\n"
                                       "also: {short: {kind: motion, until: 1, samples: 3}}\n");
    const am_result *kept = am_run_report(all)->result, *result = am_run_report(alone)->result;
    static const char *const names[] = {"touches", "short.samples", "events"};
    assert_int_equal(am_result_table_count(kept), 4);
    assert_true(rows(result, "events") > 0);
    for (size_t t = 0; t < 3; t++) {
        const am_table *many = table_of(kept, names[t]), *one = table_of(result, names[t]);
        assert_true(am_table_rows(many) >= am_table_rows(one));
        for (size_t r = 0; r < am_table_rows(one); r++)
            assert_true(cell(many, r, "t") == cell(one, r, "t"));
    }
    am_run_free(alone);
    am_run_free(all);
}

/* ---- the names of outputs and tables ---- */

static void count_points(void *context, size_t done, size_t all, size_t failed) {
    (void)all;
    (void)failed;
    *(size_t *)context = done;
}

static bool go_on(void *context, double fraction) {
    (void)context;
    (void)fraction;
    return true;
}

/* A study that is refused once a first point has told what there is. */
static void refused(const char *text_of, const char *says) {
    am_error err = {0};
    size_t entered = 0;
    am_progress progress = {.report = go_on, .count = count_points, .context = &entered, .threads = 1};
    am_study *made = read_text(text_of);
    assert_null(am_study_run(made, &progress, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, says);
    assert_int_equal(entered, 0);
    am_study_free(made);
}

#define SHORT "analysis: {kind: motion, until: 0.1, samples: 0}\n"
#define FRICTIONS "  axes: {model.friction: {from: 0.1, to: 0.4, count: 20}}\n"

/* Motions have such a table where samples are asked for. */
static void a_table_that_there_is_not_is_refused_after_the_first_point(void **state) {
    (void)state;
    refused(KLARBRING "analysis: {kind: path, until: 0.1}\nsweep:\n" FRICTIONS "  tables: [samples, contacts]\n",
            "test.yaml:5:21: unknown table 'contacts' in sweep; known tables: ");
    refused(KLARBRING SHORT "also: {b: {kind: path, until: 0.1}}\nsweep:\n" FRICTIONS "  tables: b.contacts\n",
            "test.yaml:6:11: unknown table 'b.contacts' in sweep; ");
}

static void an_output_that_there_is_not_is_refused_after_the_first_point(void **state) {
    (void)state;
    refused(KLARBRING SHORT "sweep:\n" FRICTIONS "  outputs: [impacts, drops]\n",
            "test.yaml:5:22: unknown output 'drops' in sweep; ");
    refused(KLARBRING SHORT "sweep:\n" FRICTIONS "  outputs: [impacts, 'slps*']\n",
            "test.yaml:5:22: unknown output 'slps*' in sweep; ");
}

/* On any machine: 30 outputs of each of ten motions for 1e8 points. */
static void a_sweep_that_memory_cannot_hold_is_refused_with_its_size(void **state) {
    (void)state;
#define MOTION(name) #name ": {kind: motion, until: 0.1}, "
    static const char text_of[] = KLARBRING SHORT "also: {" MOTION(a) MOTION(b) MOTION(c) MOTION(d) MOTION(e) MOTION(f)
        MOTION(g) MOTION(h) MOTION(i) "}\nsweep: {axes: {model.friction: {from: 0.1, to: 0.4, count: 100000000}}}\n";
    refused(text_of,
            "test.yaml:4:15: 100000000 points with 320 outputs need about 515 GB of memory, 5149 bytes for each");
    refused(text_of, "List the `outputs` that are wanted");
}

/* The first points fail; which of the others is the first to succeed does not depend on the threads. */
static void points_that_fail_before_any_succeeds_are_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    static const char text_of[] =
        KLARBRING "analysis: {kind: motion, until: 38, max_events: 9, samples: 0, " START "}\n"
                  "sweep: {axes: {analysis.until: {from: 300, to: 1, count: 40}}, tables: [touches]}\n";
    am_run *one = run_text(text_of);
    assert_true(scalar(one, "failed") >= 10 && scalar(one, "failed") < 40);
    assert_true(*word(table_of(am_run_report(one)->result, "sweep"), 9, "failure") != '\0');
    for (int threads = 2; threads <= 5; threads++) {
        am_progress progress = {.threads = threads};
        am_error err = {0};
        am_study *made = read_text(text_of);
        am_run *several = am_study_run(made, &progress, &err);
        if (!several)
            fail_msg("%s", err.message);
        assert_same_results(am_run_report(several)->result, am_run_report(one)->result);
        am_run_free(several);
        am_study_free(made);
    }
    am_run_free(one);
}

/* At the ends of the axis, too: a grid may begin where a structure is impossible. */
static void points_whose_structure_is_refused_fail_alone(void **state) {
    (void)state;
    am_run *made =
        run_text("model: {kind: klarbring, stiffness: [[1, 1], [1, 2]], friction: 1.25, load_rate: bisector}\n"
                 "analysis: {kind: motion, until: 8, samples: 0}\n"
                 "sweep: {axes: {model.friction: [0.5, 1.25, 0.75]}, outputs: [state_changes]}\n");
    const am_table *sweep = table_of(am_run_report(made)->result, "sweep");
    assert_int_equal((int)scalar(made, "failed"), 2);
    for (size_t row = 0; row < 3; row++) {
        const char *failure = word(sweep, row, "failure");
        assert_int_equal(strstr(failure, "does not exceed its critical value 1") != NULL, row != 1);
        assert_int_equal(*failure == '\0', row == 1);
    }
    am_run_free(made);
}

static void a_value_that_no_point_could_have_is_refused_before_anything_runs(void **state) {
    (void)state;
    am_error err = {0};
    const char *text_of = KLARBRING "analysis: {kind: motion, until: 8}\n"
                                    "sweep: {axes: {model.friction: [0.25, 0.5, -1]}}\n";
    assert_null(am_study_parse("test.yaml", text_of, 0, NULL, false, &err));
    assert_says(&err, "friction must be zero or positive, not -1");
}

static void a_number_may_stand_where_auto_does(void **state) {
    (void)state;
    am_study *made = read_text("model: {kind: griffin, beta: 1.1}\n"
                               "analysis: {kind: response, harmonics: auto, stability: none}\n"
                               "sweep: {axes: {analysis.harmonics: [1, 3]}, outputs: [peak]}\n");
    am_study_free(made);
}

static bool stop_at_once(void *context, double fraction) {
    (void)fraction;
    ++*(size_t *)context;
    return false;
}

/* Each point takes long: whoever waits for its end sees one that has succeeded. */
static void a_sweep_can_be_stopped_inside_a_point(void **state) {
    (void)state;
    am_error err = {0};
    size_t asked = 0;
    am_progress progress = {.report = stop_at_once, .context = &asked, .threads = 1};
    am_study *made = read_text("model: {kind: oscillator, beta: 0.5, Omega: 0.5}\n"
                               "analysis: {kind: motion, until: 1.0e+5, samples: 0}\n"
                               "sweep: {axes: {model.beta: [0.3, 0.4, 0.5]}, outputs: [events]}\n");
    assert_null(am_study_run(made, &progress, &err));
    assert_int_equal(err.status, AM_ERR_INTERRUPTED);
    assert_says(&err, "interrupted before any point of the sweep succeeded");
    assert_true(asked > 0);
    am_study_free(made);
}

static void a_sweep_all_of_whose_points_fail_says_why_the_first_did(void **state) {
    (void)state;
    am_error err = {0};
    am_progress progress = {.threads = 3};
    am_study *made = read_text(KLARBRING "analysis: {kind: motion, until: 38, max_events: 1, samples: 0}\n"
                                         "sweep: {axes: {analysis.until: [38, 40, 42, 44, 46, 48]}}\n");
    assert_null(am_study_run(made, &progress, &err));
    assert_int_equal(err.status, AM_ERR_EVIDENCE);
    assert_says(&err, "every point of the sweep failed (6); the first because: more than 1 events");
    am_study_free(made);
}

/* A start below the support is refused whatever the friction: the study is wrong, and checking it finds that. Where one
 * point can begin the others are failures, and a failure on the way is none of the study. */
static void a_sweep_all_of_whose_points_are_refused_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *analysis, *axis;
        am_status begun, run;
    } cases[] = {
        {"until: 38, initial: {displacement: [0, -5]}", "model.friction: [0.1, 0.2]", AM_ERR_INPUT, AM_ERR_INPUT},
        {"until: 1, initial: {displacement: [0, -5]}", "analysis.initial.displacement.1: [-5, 0]", AM_OK, AM_OK},
        {"until: 38, max_events: 1", "model.friction: [0.1, 0.2]", AM_OK, AM_ERR_EVIDENCE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[500];
        am_error err = {0};
        snprintf(text, sizeof text, KLARBRING "analysis: {kind: motion, %s}\nsweep: {axes: {%s}}\n", cases[i].analysis,
                 cases[i].axis);
        am_study *made = read_text(text);
        assert_int_equal(am_study_begin(made, &err), cases[i].begun);
        if (cases[i].begun != AM_OK)
            assert_says(&err, "every point of the sweep failed (2); the first because: ");
        am_run *run = am_study_run(made, NULL, &err);
        assert_int_equal(run ? AM_OK : err.status, cases[i].run);
        am_run_free(run);
        am_study_free(made);
    }
}

/* Rows are for the run to make: an expectation without one is not met, status 1, and checking passes it, however short
 * the run is; a figure of what is not there is refused by both. */
static void a_row_that_a_short_run_does_not_make_is_no_mistake(void **state) {
    (void)state;
    am_error err = {0};
    am_study *made = read_text(KLARBRING "analysis: {kind: motion, until: 1.0e-3, samples: 2}\n"
                                         "expect: {'events[0].t': 1}\n");
    assert_int_equal(am_study_begin(made, &err), AM_OK);
    am_run *run = am_study_run(made, NULL, &err);
    assert_non_null(run);
    assert_false(am_run_met(run));
    am_run_free(run);
    am_study_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_a_short_run_does_not_make_is_no_mistake),
        cmocka_unit_test(a_sweep_all_of_whose_points_are_refused_is_refused),
        cmocka_unit_test(ratios_are_outputs_over_those_at_the_first_value_of_the_axis),
        cmocka_unit_test(a_ratio_over_what_is_no_axis_is_refused),
        cmocka_unit_test(an_axis_over_a_word_is_refused),
        cmocka_unit_test(an_axis_over_a_name_is_refused),
        cmocka_unit_test(two_axes_over_one_field_are_refused),
        cmocka_unit_test(starts_that_share_an_engine_have_the_bits_of_runs_alone),
        cmocka_unit_test(other_models_at_every_point_have_the_bits_of_runs_alone),
        cmocka_unit_test(tables_that_are_kept_are_those_of_runs_alone),
        cmocka_unit_test(a_table_that_there_is_not_is_refused_after_the_first_point),
        cmocka_unit_test(an_output_that_there_is_not_is_refused_after_the_first_point),
        cmocka_unit_test(a_sweep_that_memory_cannot_hold_is_refused_with_its_size),
        cmocka_unit_test(points_that_fail_before_any_succeeds_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(points_whose_structure_is_refused_fail_alone),
        cmocka_unit_test(a_value_that_no_point_could_have_is_refused_before_anything_runs),
        cmocka_unit_test(a_number_may_stand_where_auto_does),
        cmocka_unit_test(a_sweep_can_be_stopped_inside_a_point),
        cmocka_unit_test(a_sweep_all_of_whose_points_fail_says_why_the_first_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
