/* Does the answer of bodies with modes stand still when modes are added? */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cases.h"
#include "errors.h"
#include "math/sparse.h"
#include "near.h"
#include "results.h"
#include "study/modes_difference.h"
#include "study_text.h"
#include "uniform.h"

/* ---- differences ---- */

enum { MOST_EVENTS = 60, ROWS = 11, CONTACTS = 2 };

static const double span = 10.0;

static am_result *make_result(size_t events, const double *times, const double *forces) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    am_table *list = am_result_add_table(result, "events", &err),
             *samples = am_result_add_table(result, "samples", &err);
    static const char *const columns[] = {"t", "N1", "N2", "T1", "T2"};
    GOOD(am_table_add_column(list, "t", "", AM_COLUMN_NUMBER, err));
    for (size_t i = 0; i < 5; i++)
        GOOD(am_table_add_column(samples, columns[i], "", AM_COLUMN_NUMBER, err));
    for (size_t i = 0; i < events; i++) {
        GOOD(am_table_add_row(list, err));
        am_table_set_number(list, 0, times[i]);
    }
    for (size_t row = 0; row < ROWS; row++) {
        GOOD(am_table_add_row(samples, err));
        am_table_set_number(samples, 0, span * (double)row / (ROWS - 1));
        for (size_t c = 0; c < 2 * CONTACTS; c++)
            am_table_set_number(samples, 1 + c, forces[row * 2 * CONTACTS + c]);
    }
    return result;
}

static size_t random_times(uint64_t *seed, double *times) {
    size_t count = (size_t)uniform(seed, 0.0, MOST_EVENTS);
    for (size_t i = 0; i < count; i++) {
        double t = uniform(seed, 0.0, span);
        size_t k = i;
        for (; k > 0 && times[k - 1] > t; k--)
            times[k] = times[k - 1];
        times[k] = t;
    }
    return count;
}

static double counted(size_t count, const double *times, double until) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += times[i] <= until;
    return sum;
}

/* The largest lead of either at any event, by counting. */
static double lead(const size_t count[2], double times[2][MOST_EVENTS]) {
    double most = 0.0;
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < count[k]; i++) {
            double t = times[k][i];
            most = fmax(most, counted(count[k], times[k], t) - counted(count[1 - k], times[1 - k], t + 0.01 * span));
        }
    size_t all = count[0] > count[1] ? count[0] : count[1];
    return all ? most / (double)all : 0.0;
}

static void test_differences_are_what_counting_and_summing_give(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 200; trial++) {
        double times[2][MOST_EVENTS] = {{0}}, forces[2][ROWS * 2 * CONTACTS], off = 0.0, size = 0.0;
        size_t count[2] = {random_times(&seed, times[0]), random_times(&seed, times[1])};
        if (trial % 4 == 0) { /* nearly the same events */
            count[1] = count[0];
            for (size_t i = 0; i < count[0]; i++)
                times[1][i] = times[0][i] + uniform(&seed, 0.0, 0.015 * span) * (trial % 8 == 0);
        }
        for (size_t i = 0; i < ROWS * 2 * CONTACTS; i++) {
            forces[0][i] = uniform(&seed, -1.0, 1.0);
            forces[1][i] = forces[0][i] + uniform(&seed, -0.1, 0.1);
            off += (forces[1][i] - forces[0][i]) * (forces[1][i] - forces[0][i]);
            size += forces[1][i] * forces[1][i];
        }
        am_result *one = make_result(count[0], times[0], forces[0]),
                  *other = make_result(count[1], times[1], forces[1]);
        am_modes_difference d = {.modes = 10, .others = 20};
        am_modes_compare(one, other, &d);
        assert_near(d.forces, sqrt(off / size), 1e-14);
        assert_near(d.events, trial % 8 ? lead(count, times) : d.events, 1e-15); /* shifted ones may be out of order */
        assert_true(d.events >= 0.0 && d.events <= 1.0);
        if (trial % 8 == 4)
            assert_true(d.events == 0.0);
        am_modes_compare(one, one, &d);
        assert_true(d.forces == 0.0 && d.events == 0.0 && am_modes_agree(&d));
        am_result_free(one);
        am_result_free(other);
    }
}

static void test_a_difference_that_is_not_known_is_no_agreement(void **state) {
    (void)state;
    am_modes_difference d = {0};
    assert_false(am_modes_agree(&d));
    d = (am_modes_difference){.modes = 1, .others = 2, .forces = NAN};
    assert_false(am_modes_agree(&d));
    d = (am_modes_difference){.modes = 1, .others = 2, .failure = "no"};
    assert_false(am_modes_agree(&d));
    d = (am_modes_difference){.modes = 1, .others = 2, .events = NAN}; /* march has no events */
    assert_true(am_modes_agree(&d));
}

/* ---- blocks ---- */

static am_run *pull(const char *modes, double speed, double stiffness, double damping, double until) {
    char text[700];
    snprintf(text, sizeof text,
             "model: {kind: blocks, slider: {density: 1.2e-3}, base: {density: 1.2e-3}, control: spring, stiffness: "
             "%.17g, speed: %.17g, f: 0.35, f_s: 0.5, modes: %s, stiffness_damping: %.17g, mesh: {size: 28, element: "
             "quad4, growth: 3}}\n"
             "analysis: {kind: motion, until: %.17g, initial: rest, samples: 401}\n",
             stiffness, speed, modes, damping, until);
    return run_text(text);
}

/* What `auto` settles on, against all modes that the mesh has (126 coordinates inside, as the solver gives them). Where
 * doublings change a hundredth at most, all of them change a few of that. */
static void test_auto_stands_where_all_modes_lead(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < CASES(2, 1); trial++) {
        double speed = uniform(&seed, 0.08, 0.12), stiffness = uniform(&seed, 800, 1500);
        double damping = uniform(&seed, 0.004, 0.008);
        am_run *settled = pull("auto", speed, stiffness, damping, 11.0);
        assert_true(flag(am_run_report(settled)->result, "modes_converged"));
        assert_near(scalar(settled, "modes_difference"), 0.0, 0.01);
        assert_near(scalar(settled, "modes_events_difference"), 0.0, 0.05);
        assert_true(scalar(settled, "events") > 0);
        am_run *whole = pull("124, modes_check: false", speed, stiffness, damping, 11.0);
        am_modes_difference d = {.modes = 1, .others = 2};
        am_modes_compare(am_run_report(settled)->result, am_run_report(whole)->result, &d);
        assert_near(d.forces, 0.0, 0.03);
        assert_near(d.events, 0.0, 0.1);
        am_run_free(settled);
        am_run_free(whole);
    }
}

/* Ten modes of a slider whose answer needs more: said, with a sentence and without failing; the answer is that of ten.
 */
static void test_a_number_that_is_too_small_is_said(void **state) {
    (void)state;
    am_run *made = pull("10", 0.1, 2000, 0.01, 14.0);
    assert_false(flag(am_run_report(made)->result, "modes_converged"));
    assert_near(scalar(made, "modes_used"), 10, 0);
    assert_near(scalar(made, "modes_compared"), 20, 0);
    assert_true(scalar(made, "modes_difference") > 0.01);
    const am_scalar *verdict = am_result_find(am_run_report(made)->result, "modes_verdict");
    assert_non_null(strstr(verdict->text, "not to be trusted with 10 modes; modes: auto"));
    am_run_free(made);
}

/* While everything sticks a few modes are as good as many; and without modes_check nobody asks. */
static void test_what_stands_still_says_so(void **state) {
    (void)state;
    am_run *made = pull("10", 0.1, 1000, 0.02, 2.0);
    assert_true(flag(am_run_report(made)->result, "modes_converged"));
    am_run_free(made);
    made = pull("10, modes_check: false", 0.1, 1000, 0.02, 2.0);
    assert_null(am_result_find(am_run_report(made)->result, "modes_converged"));
    assert_near(scalar(made, "modes"), 12, 0); /* two of the loads */
    am_run_free(made);
}

static void test_auto_needs_an_analysis_that_goes_through_time(void **state) {
    (void)state;
    am_error err = {0};
    assert_null(am_study_parse("test.yaml",
                               "model: {kind: blocks, slider: {density: 1e-3}, base: {density: 1e-3}, modes: auto, "
                               "mesh: {size: 35}}\nanalysis: {kind: stability, state: forward}\n",
                               0, NULL, false, &err));
    assert_says(&err, "modes: auto is for analyses that go through time");
    assert_null(am_study_parse("test.yaml", "model: {kind: blocks, modes: many}\nanalysis: {kind: motion, until: 1}\n",
                               0, NULL, false, &err));
    assert_says(&err, "modes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_differences_are_what_counting_and_summing_give),
        cmocka_unit_test(test_a_difference_that_is_not_known_is_no_agreement),
        cmocka_unit_test(test_auto_stands_where_all_modes_lead),
        cmocka_unit_test(test_a_number_that_is_too_small_is_said),
        cmocka_unit_test(test_what_stands_still_says_so),
        cmocka_unit_test(test_auto_needs_an_analysis_that_goes_through_time),
    };
    if (!am_sparse_available())
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
