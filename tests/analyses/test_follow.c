/* Following orbits along a parameter: located bifurcations against closed forms and independent runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/orbit.h"
#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "varied_model.h"

static am_system *oscillator(void *context, double Omega, am_error *err) {
    am_oscillator o = am_oscillator_default();
    o.beta = *(const double *)context;
    o.Omega = Omega;
    return am_oscillator_create(&o, err);
}

static am_system *rod(void *context, double alpha, am_error *err) {
    (void)context;
    am_rod r = am_rod_default();
    r.alpha = alpha;
    return am_rod_create(&r, err);
}

static am_result *run(am_model *model, double from, double to, const am_orbit_options *first) {
    am_error err = {0};
    am_follow_options options = am_follow_options_default();
    options.from = from;
    options.to = to;
    options.first = first;
    am_result *result = am_result_create(&err);
    const double before = am_model_value(model, 0);
    am_status status = am_follow_run(model, &options, result, NULL, &err);
    assert_true(am_model_value(model, 0) == before); /* it has its own value again */
    if (status)
        print_error("%s\n", err.message);
    assert_int_equal(status, AM_OK);
    return result;
}

/* Hong and Liu's motion without stops exists above a frequency that their formula tells. */
static double zero_stop_border(double beta) {
    double low = 0.3, high = 0.95, v, w;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        if (am_oscillator_zero_stop(beta, middle, &v, &w))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void the_first_stop_appears_where_the_closed_form_ends(void **state) {
    (void)state;
    const double betas[] = {0.4, 0.51, 0.6};
    for (size_t i = 0; i < 3; i++) {
        double beta = betas[i];
        VARIED_MODEL *model = model_of_one("parameter", oscillator, &beta);
        am_result *result = run(model, 0.9, 0.45, NULL);
        const am_table *table = am_result_find_table(result, "bifurcations");
        assert_true(am_table_rows(table) >= 1);
        assert_string_equal(am_table_text(table, 0, 1), "crossing-sliding");
        assert_near(am_table_number(table, 0, 0), zero_stop_border(beta), 1e-8); /* located to 1e-9 of the way */
        am_result_free(result);
    }
}

static void every_point_of_a_branch_is_the_orbit_found_from_rest(void **state) {
    (void)state;
    double beta = 0.51;
    am_error err = {0};
    VARIED_MODEL *model = model_of_one("parameter", oscillator, &beta);
    am_result *result = run(model, 0.9, 0.1, NULL);
    const am_table *branch = am_result_find_table(result, "branch");
    for (size_t row = 0; row < am_table_rows(branch); row += 7) {
        am_system *system = oscillator(&beta, am_table_number(branch, row, 0), &err);
        am_motion *engine = am_motion_create(system, true, &err);
        am_orbit_options options = am_orbit_options_default();
        am_orbit orbit = {0};
        am_orbit_search search;
        assert_int_equal(am_orbit_find(engine, &options, &orbit, &search, NULL, &err), AM_OK);
        assert_int_equal(search.outcome, AM_ORBIT_PERIODIC);
        assert_near(am_table_number(branch, row, 1), orbit.period, 1e-12 * orbit.period);
        assert_near(am_table_number(branch, row, 7), orbit.dissipation,
                    1e-10 * orbit.dissipation); /* closed to 1e-12 */
        assert_near(am_table_number(branch, row, 6), (double)orbit.switches, 0);
        am_orbit_clear(&orbit);
        am_motion_free(engine);
        am_system_free(system);
    }
    am_result_free(result);
}

/* On either side of a located change the orbits found independently have the numbers of switches the table says. */
static void stops_multiply_one_after_the_other_towards_low_frequencies(void **state) {
    (void)state;
    double beta = 0.51;
    VARIED_MODEL *model = model_of_one("parameter", oscillator, &beta);
    am_result *result = run(model, 0.9, 0.04, NULL);
    const am_table *table = am_result_find_table(result, "bifurcations");
    const char *const what[] = {"2 switches become 4",   "4 switches become 8",   "8 switches become 12",
                                "12 switches become 16", "16 switches become 20", "20 switches become 24"};
    assert_int_equal(am_table_rows(table), 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(am_table_text(table, i, 3), what[i]);
        assert_string_equal(am_table_text(table, i, 1), i == 0 ? "crossing-sliding" : "adding-sliding");
    }
    assert_near(number(result, "worst_closing"), 0, 1e-12);
    am_result_free(result);
}

static void the_rod_loses_stability_where_a_multiplier_passes_minus_one(void **state) {
    (void)state;
    am_orbit_options first = am_orbit_options_default();
    const double q[2] = {0, 0}, v[2] = {0.5, -1}; /* start (42): motion a */
    first.displacement = q;
    first.velocity = v;
    VARIED_MODEL *model = model_of_one("parameter", rod, NULL);
    am_result *result = run(model, 0.5, 3.1, &first);
    const am_table *branch = am_result_find_table(result, "branch"),
                   *table = am_result_find_table(result, "bifurcations");
    assert_near(am_table_number(branch, 0, 1), 2.2365, 5e-5); /* as printed below Fig. 2 */
    size_t flips = 0;
    for (size_t i = 0; i < am_table_rows(table); i++) {
        if (strcmp(am_table_text(table, i, 1), "flip") != 0)
            continue;
        flips++;
        double where = am_table_number(table, i, 0);
        for (size_t row = 0; row < am_table_rows(branch); row++) /* stable before, unstable after */
            assert_int_equal(am_table_number(branch, row, 5) == 1.0, am_table_number(branch, row, 0) < where);
    }
    assert_int_equal(flips, 1);
    am_result_free(result);
}

static void a_parameter_that_stays_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    double beta = 0.5;
    VARIED_MODEL *model = model_of_one("parameter", oscillator, &beta);
    am_follow_options options = am_follow_options_default();
    options.from = options.to = 0.5;
    am_result *result = am_result_create(&err);
    assert_int_equal(am_follow_run(model, &options, result, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, "to");
    am_result_free(result);
}

/* ---- in a study ---- */

#define STUDY "model: {kind: oscillator, beta: 0.51, Omega: 0.9}\n"

static void refused(const char *text, const char *complaint) {
    am_error err = {0};
    assert_null(am_study_parse("s.yaml", text, 0, NULL, false, &err));
    if (!strstr(err.message, complaint))
        print_error("%s\n", err.message);
    assert_says(&err, complaint);
}

static void a_study_follows_its_orbit(void **state) {
    (void)state;
    am_error err = {0};
    const char *text = STUDY "analysis: {kind: orbit}\n"
                             "follow: {parameter: model.Omega, from: 0.9, to: 0.5}\n"
                             "figure: {x: model.Omega, y: multiplier}\n"
                             "expect: {bifurcations: 1, first_kind: crossing-sliding}\n";
    am_study *study = am_study_parse("s.yaml", text, 0, NULL, false, &err);
    assert_non_null(study);
    am_run *run = am_study_run(study, NULL, &err);
    assert_non_null(run);
    assert_true(am_run_met(run));
    am_run_free(run);
    am_study_free(study);
}

static void a_study_that_cannot_be_followed_is_refused(void **state) {
    (void)state;
    refused(STUDY "analysis: {kind: motion, until: 3}\nfollow: {parameter: model.Omega, from: 0.9, to: 0.5}\n",
            "s.yaml:3:9: follow needs `analysis: {kind: orbit}`, not motion");
    refused(STUDY "analysis: {kind: orbit}\nfollow: {parameter: analysis.from, from: 0.9, to: 0.5}\n",
            "s.yaml:3:21: 'analysis.from' cannot be followed");
    refused(STUDY "analysis: {kind: orbit}\nfollow: {parameter: model.Omga, from: 0.9, to: 0.5}\n", "'Omga'");
    refused(STUDY "analysis: {kind: orbit}\nfollow: {parameter: model.Omega, from: 0.9, to: -0.5}\n", "Omega");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_stop_appears_where_the_closed_form_ends),
        cmocka_unit_test(every_point_of_a_branch_is_the_orbit_found_from_rest),
        cmocka_unit_test(stops_multiply_one_after_the_other_towards_low_frequencies),
        cmocka_unit_test(the_rod_loses_stability_where_a_multiplier_passes_minus_one),
        cmocka_unit_test(a_parameter_that_stays_is_refused),
        cmocka_unit_test(a_study_follows_its_orbit),
        cmocka_unit_test(a_study_that_cannot_be_followed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
