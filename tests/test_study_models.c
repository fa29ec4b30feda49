/* The models rod, oscillator, griffin and prescribed motion as a study names them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/oscillator.h"
#include "amontons/study.h"
#include "near.h"
#include "results.h"
#include "study/model_forced.h"
#include "study_text.h"

#define MOTION "analysis: {kind: motion, until: 20}\n"

static void refused(const char *text, const char *position, const char *words) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    if (study)
        fail_msg("accepted:\n%s", text);
    assert_int_equal(err.status, AM_ERR_INPUT);
    if (!strstr(err.message, position) || !strstr(err.message, words))
        fail_msg("of\n%s\nit says '%s', not '%s ... %s'", text, err.message, position, words);
}

static void faults_of_the_new_models_are_found_where_they_stand(void **state) {
    (void)state;
    refused("model: {kind: rod, elements: 0, alpha: 1}\n" MOTION, "test.yaml:1:30", "1 to 1000 elements, not 0");
    refused("model: {kind: rod, elements: 2}\n" MOTION, "test.yaml:1:8", "needs the key 'alpha'");
    refused("model: {kind: rod, alpha: -1}\n" MOTION, "test.yaml:1:27", "alpha must be positive");
    refused("model: {kind: rod, alpha: 1, physical: {density: 1, modulus: 1, length: 1, friction: 1, epsilon: 1, "
            "velocity: 1}}\n" MOTION,
            "test.yaml:1:27", "cannot both be given");
    refused("model: {kind: rod, physical: {density: 1, modulus: 1, length: 1, friction: 1, epsilon: 1}}\n" MOTION,
            "test.yaml:1:30", "velocity");
    refused("model: {kind: oscillator, beta: 0.5, Omega: 0.5, eta: 1}\n" MOTION, "test.yaml:1:55", "separates");
    refused("model: {kind: oscillator, beta: 0.5, Omega: 1}\n" MOTION, "test.yaml:1:45",
            "response is unbounded: beta < pi/4");
    refused("model: {kind: oscillator, beta: 0.5}\n" MOTION, "test.yaml:1:8", "Omega");
    refused("model: {kind: griffin, beta: 0.5, Omega: 1, zeta: 0}\n" MOTION, "test.yaml:1:42", "unbounded");
    refused("model: {kind: griffin, beta: 0.5, Omega: 1, xi: 0}\n" MOTION, "test.yaml:1:45", "unknown key 'xi'");
}

static void rod_in_physical_units_reports_them(void **state) {
    (void)state;
    am_run *run = run_text("model: {kind: rod, elements: 2, physical: {density: 4, modulus: 16, length: 6, friction: "
                           "0.5, epsilon: 0.2, velocity: 0.1, gravity: 10}}\n" MOTION);
    assert_near(scalar(run, "time_unit"), 1.5, 1e-15); /* 3 sqrt(4/16) */
    assert_near(scalar(run, "length_unit"), 0.15, 1e-15);
    assert_near(scalar(run, "beta"), 75, 1e-12);
    assert_near(scalar(run, "alpha"), 15, 1e-12);
    am_run_free(run);
}

static void path_of_the_oscillator_is_its_closed_form(void **state) {
    (void)state;
    am_run *run = run_text("model: {kind: oscillator, beta: 0.7, Omega: 0.25, eta: 0.5, delta_deg: 60}\n"
                           "analysis: {kind: path, from: 1, until: 80, initial: {displacement: [0.4]}, samples: 37}\n");
    am_oscillator o = {.beta = 0.7, .eta = 0.5, .delta_deg = 60, .Omega = 0.25};
    am_oscillator_cycle c = am_oscillator_quasistatic(&o);
    assert_near(scalar(run, "v_max"), c.v_peak, 0);
    assert_near(scalar(run, "v_amplitude"), c.v_amplitude, 0);
    assert_near(scalar(run, "dissipation"), c.dissipation, 0);
    assert_near(scalar(run, "vdot_max"), fmax(c.vdot_forward, c.vdot_backward), 0);
    assert_near(scalar(run, "stops"), 2, 0);
    assert_near(scalar(run, "energy_residual"), 0, 1e-13);
    assert_near(scalar(run, "complementarity_residual"), 0, 1e-13);
    const am_table *samples = am_result_find_table(am_run_report(run)->result, "samples");
    assert_int_equal(am_table_rows(samples), 37);
    size_t t = am_table_find_column(samples, "t"), v = am_table_find_column(samples, "v");
    for (size_t row = 0; row < 37; row++) {
        double at = am_table_number(samples, row, t);
        assert_near(at, 1 + 79.0 * (double)row / 36, 1e-12);
        assert_near(am_table_number(samples, row, v), am_oscillator_quasistatic_at(&o, 1, 0.4, at, NULL), 1e-13);
    }
    am_run_free(run);
}

/* What the loss over many cycles must tend to: the steady cycle's. */
static void path_loses_a_cycles_dissipation_in_a_cycle(void **state) {
    (void)state;
    am_run *few = run_text("model: {kind: oscillator, beta: 0.6, Omega: 1.7, eta: 0.8, delta_deg: -35}\n"
                           "analysis: {kind: path, until: 40}\n");
    am_run *more = run_text("model: {kind: oscillator, beta: 0.6, Omega: 1.7, eta: 0.8, delta_deg: -35}\n"
                            "analysis: {kind: path, until: 409.59913579761985}\n"); /* 100 periods later */
    double lost = scalar(more, "loss_friction") - scalar(few, "loss_friction");
    assert_near(lost / 100, 0.6 * scalar(few, "dissipation"), 1e-11); /* losses of 200 summed */
    am_run_free(few);
    am_run_free(more);
}

static void summary_of_forced_models_is_in_the_units_of_the_thesis(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    assert_int_equal(am_forced_report(0.5, 0.25, result, NULL), AM_OK); /* nothing there: nothing done */
    assert_int_equal(am_result_scalar_count(result), 0);
    am_result_set_number(result, "v_max", 0.3, NULL);
    am_result_set_number(result, "v_min", -0.4, NULL);
    am_result_set_number(result, "vdot_max", 2, NULL);
    am_result_set_number(result, "dissipation", 3, NULL);
    assert_int_equal(am_forced_report(0.5, 0.25, result, NULL), AM_OK);
    assert_near(number(result, "v_max"), 0.4, 0);
    assert_near(number(result, "v_min"), -0.4, 0);
    assert_near(number(result, "vdot_max"), 8, 0);
    assert_near(number(result, "dissipation"), 6, 0);
    am_result_free(result);
}

#define ROD_MATRICES                                                                                                   \
    "mass: [[0.3333333333333333, 0.16666666666666666, 0], [0.16666666666666666, 0.6666666666666666, "                  \
    "0.16666666666666666], [0, 0.16666666666666666, 0.3333333333333333]],\n"                                           \
    "  stiffness: [[1, -1, 0], [-1, 2, -1], [0, -1, 1]], names: [x0, x1, x2],\n"                                       \
    "  contacts: [{law: held, tangent: [0, 1, 0], friction: 5, static_friction: 5.5, hold: {constant: 1}},\n"          \
    "             {law: held, tangent: [0, 0, 1], friction: 5, static_friction: 5.5, hold: {constant: 0.5}}]"

static void structure_with_a_dragged_end_is_the_rod(void **state) {
    (void)state;
    static const char *const ends[] = {"x0", "1"};
    am_run *rod =
        run_text("model: {kind: rod, alpha: 0.5}\nanalysis: {kind: motion, until: 20, initial: {displacement: "
                 "[7.5, 10], velocity: [-1, -1]}}\n");
    for (size_t i = 0; i < 2; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 "model: {kind: structure, " ROD_MATRICES ",\n  prescribed: [{coordinate: %s, ramp: 1}]}\n" MOTION,
                 ends[i]);
        am_run *dragged = run_text(text);
        assert_near(scalar(dragged, "state_changes"), scalar(rod, "state_changes"), 0);
        const am_table *a = am_result_find_table(am_run_report(rod)->result, "samples");
        const am_table *b = am_result_find_table(am_run_report(dragged)->result, "samples");
        size_t xi = am_table_find_column(a, "xi2"), x = am_table_find_column(b, "x2");
        for (size_t row = 0; row < am_table_rows(a); row++) /* loads and places of size 20 */
            assert_near(am_table_number(b, row, x) - am_table_number(b, row, 0) + 10, am_table_number(a, row, xi),
                        1e-11);
        am_run_free(dragged);
    }
    am_run_free(rod);
}

static void prescribed_motions_are_refused_where_they_stand(void **state) {
    (void)state;
#define PLAIN                                                                                                          \
    "model:\n  kind: structure\n  stiffness: [[2, -1], [-1, 2]]\n  mass: [[1, 0.1], [0.1, 1]]\n  prescribed:\n"
    refused(PLAIN "    - {coordinate: q3, ramp: 1}\n" MOTION, "test.yaml:6:20", "number from 1 to 2");
    refused(PLAIN "    - {coordinate: 0, ramp: 1}\n" MOTION, "test.yaml:6:20", "number from 1 to 2");
    refused(PLAIN "    - {coordinate: 1.5, ramp: 1}\n" MOTION, "test.yaml:6:20", "number from 1 to 2");
    refused(PLAIN "    - {coordinate: q1}\n" MOTION, "test.yaml:6:7", "no function of time");
    refused(PLAIN "    - {coordinate: q1, ramp: 1}\n    - {coordinate: 1, ramp: 1}\n" MOTION, "test.yaml:7:20",
            "twice");
    refused(PLAIN "    - {coordinate: q1, table: {times: [0, 1], values: [0, 1]}}\n" MOTION,
            "test.yaml:6:", "derivatives");
    refused(PLAIN "    - {coordinate: q1, impulse: {amplitude: 1}}\n" MOTION, "test.yaml:6:", "a blow is a force");
}

/* ---- families of curves, extremes and peaks of sweeps ---- */

#define SWEEP                                                                                                          \
    "model: {kind: oscillator, beta: 1, Omega: 1}\nanalysis: {kind: path, until: 20, samples: 2}\n"                    \
    "sweep:\n  axes: {model.delta_deg: [0, 60, 90], model.eta: [0, 0.25, 0.5, 0.75]}\n  outputs: [beta_cr, v_max]\n"

static void family_has_a_curve_for_each_number_of_its_column(void **state) {
    (void)state;
    am_run *run = run_text(SWEEP "figure: {x: model.eta, y: beta_cr, by: model.delta_deg}\n");
    const am_figure *figure = am_run_report(run)->figure;
    const double values[] = {0, 60, 90};
    assert_int_equal(figure->curve_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(figure->curves[i].by, "model.delta_deg");
        assert_near(figure->curves[i].value, values[i], 0);
    }
    assert_string_equal(figure->curves[1].label, "delta_deg = 60");
    am_run_free(run);
}

static void sweep_tells_the_extremes_and_the_peaks_along_an_axis(void **state) {
    (void)state;
    am_run *run = run_text(SWEEP "  over: model.eta\n");
    const am_table *peaks = am_result_find_table(am_run_report(run)->result, "peaks");
    assert_near(scalar(run, "least_beta_cr"), 1, 1e-15);
    assert_near(scalar(run, "greatest_beta_cr"), 1 / sqrt(1 - 0.5625), 1e-15);
    assert_non_null(peaks);
    assert_int_equal(am_table_rows(peaks), 3);
    assert_near(cell(peaks, 2, "model.delta_deg"), 90, 0);
    assert_near(cell(peaks, 2, "model.eta"), 0.75, 0);
    assert_near(cell(peaks, 1, "beta_cr"), am_oscillator_shakedown_limit(0.75, 60), 0);
    am_run_free(run);
    run = run_text(SWEEP "  over: model.delta_deg\n"); /* the slower axis */
    peaks = am_result_find_table(am_run_report(run)->result, "peaks");
    assert_int_equal(am_table_rows(peaks), 4);
    assert_near(cell(peaks, 3, "beta_cr"), am_oscillator_shakedown_limit(0.75, 90), 0);
    am_run_free(run);
    refused(SWEEP "  over: model.beta\n", "test.yaml:6:9", "over must name one of two or more axes");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_new_models_are_found_where_they_stand),
        cmocka_unit_test(rod_in_physical_units_reports_them),
        cmocka_unit_test(path_of_the_oscillator_is_its_closed_form),
        cmocka_unit_test(path_loses_a_cycles_dissipation_in_a_cycle),
        cmocka_unit_test(summary_of_forced_models_is_in_the_units_of_the_thesis),
        cmocka_unit_test(structure_with_a_dragged_end_is_the_rod),
        cmocka_unit_test(prescribed_motions_are_refused_where_they_stand),
        cmocka_unit_test(family_has_a_curve_for_each_number_of_its_column),
        cmocka_unit_test(sweep_tells_the_extremes_and_the_peaks_along_an_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
