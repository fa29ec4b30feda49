/* Does the answer of bodies with modes stand still when modes are added? */
/* ctest: long */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cases.h"
#include "errors.h"
#include "math/sparse.h"
#include "near.h"
#include "results.h"
#include "study/modes_difference.h"
#include "study_text.h"
#include "uniform.h"

/* ---- differences ---- */

/* What the tables of a result say of it. */
static am_contact_record record_of(const am_result *result) {
    const am_table *samples = am_result_find_table(result, "samples"), *events = am_result_find_table(result, "events");
    am_contact_record r = {.samples = am_table_rows(samples), .events = am_table_rows(events)};
    size_t N = am_table_find_column(samples, "N1"), T = am_table_find_column(samples, "T1");
    assert_true(N != SIZE_MAX && T != SIZE_MAX && T > N);
    r.joints = T - N;
    r.t = am_memory_new(r.samples, sizeof *r.t, NULL);
    r.force = am_memory_new(r.samples * r.joints * 2, sizeof *r.force, NULL);
    r.event = am_memory_new(r.events, sizeof *r.event, NULL);
    for (size_t i = 0; i < r.samples; i++) {
        r.t[i] = am_table_number(samples, i, 0);
        for (size_t j = 0; j < r.joints; j++) {
            r.force[2 * (i * r.joints + j)] = am_table_number(samples, i, N + j);
            r.force[2 * (i * r.joints + j) + 1] = am_table_number(samples, i, T + j);
        }
    }
    for (size_t i = 0; i < r.events; i++)
        r.event[i] = am_table_number(events, i, 0);
    return r;
}

static am_modes_difference difference_of(am_run *one, am_run *other) {
    am_modes_difference d = {.modes = 1, .others = 2};
    am_contact_record a = record_of(am_run_report(one)->result), b = record_of(am_run_report(other)->result);
    am_modes_compare(&a, &b, &d);
    am_contact_record_clear(&a);
    am_contact_record_clear(&b);
    return d;
}

static void test_a_difference_that_is_not_known_is_no_agreement(void **state) {
    (void)state;
    am_modes_difference d = {0};
    assert_false(am_modes_agree(&d));
    d = (am_modes_difference){.modes = 1, .others = 2, .forces = NAN};
    assert_false(am_modes_agree(&d));
    d = (am_modes_difference){.modes = 1, .others = 2, .failure = "no"};
    assert_false(am_modes_agree(&d));
    d = (am_modes_difference){.modes = 1, .others = 2, .events = NAN}; /* nobody counted them */
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
        am_modes_difference d = difference_of(settled, whole);
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
    am_run *made = pull("10", 0.1, 2000, 0.01, 14.0), *finer = pull("20, modes_check: false", 0.1, 2000, 0.01, 14.0);
    am_modes_difference d = difference_of(made, finer); /* what was seen while it ran is what the tables say */
    assert_true(d.events > 0.0 && d.event_count[0] > 0);
    assert_near(scalar(made, "modes_difference"), d.forces, 1e-12 * d.forces);
    assert_near(scalar(made, "modes_events_difference"), d.events, 1e-12);
    am_run_free(finer);
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
