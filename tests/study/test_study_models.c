/* The models rod, oscillator, griffin and prescribed motion as a study names them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/study.h"
#include "models/forced.h"
#include "near.h"
#include "results.h"
#include "study/study.h"
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
    refused("model: {kind: rod, elements: 0, alpha: 1}\n" MOTION, "test.yaml:1:30", "between 1 and 1000, not 0");
    refused("model: {kind: rod, elements: 2}\n" MOTION, "test.yaml:1:8", "needs the key 'alpha'");
    refused("model: {kind: rod, alpha: -1}\n" MOTION, "test.yaml:1:27", "alpha must be positive");
    refused("model: {kind: rod, alpha: 1, physical: {density: 1, modulus: 1, length: 1, friction: 1, epsilon: 1, "
            "velocity: 1}}\n" MOTION,
            "test.yaml:1:27", "physical and alpha say the same thing");
    refused("model: {kind: rod, physical: {density: 1, modulus: 1, length: 1, friction: 1, epsilon: 1}}\n" MOTION,
            "test.yaml:1:30", "velocity");
    refused("model: {kind: oscillator, beta: 0.5, Omega: 0.5, eta: 1}\n" MOTION, "test.yaml:1:55", "separates");
    refused("model: {kind: oscillator, beta: 0.5, Omega: 1}\n" MOTION, "test.yaml:1:45",
            "response is unbounded: beta < pi/4");
    refused("model: {kind: oscillator, beta: 0.5}\n" MOTION, "test.yaml:1:8", "Omega");
    refused("model: {kind: griffin, beta: 0.5, Omega: 1, zeta: 0}\n" MOTION, "test.yaml:1:42", "unbounded");
    refused("model: {kind: griffin, beta: 0.5, Omega: 1, xi: 0}\n" MOTION, "test.yaml:1:45", "unknown key 'xi'");
    refused("model: {kind: griffin, beta: 0.5, k_ratio: 2, stiffness_ratio: 3}\n" MOTION, "test.yaml:1:64",
            "another name of k_ratio");
    refused("model: {kind: griffin, beta: 0.5, k_ratio: 0}\n" MOTION, "test.yaml:1:44", "k_ratio must be positive");
}

static void griffin_knows_both_names_of_its_stiffness_and_a_frequency(void **state) {
    (void)state;
    static const char *const texts[] = {"k_ratio: 0.7", "stiffness_ratio: 0.7", "k_ratio: 0.7, stiffness_ratio: 0.70",
                                        "Omega: 1"};
    for (size_t i = 0; i < 4; i++) {
        char text[200];
        snprintf(text, sizeof text, "model: {kind: griffin, beta: 0.5, %s}\n" MOTION, texts[i]);
        am_study *study = read_text(text);
        const am_system *system = study->made.system;
        assert_near(am_system_contact(system, 0)->tangential_stiffness, i < 3 ? 0.7 : 1.5, 0);
        assert_near(am_system_load(system, 0)->function.frequency, 1, 0);
        am_study_free(study);
    }
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
    assert_near(scalar(run, "dissipation_ratio"), c.dissipation, 0);
    assert_near(scalar(run, "dissipation"), 0.7 * c.dissipation, 1e-16);
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

/* The general engine follows the sines, and closes on the cycle of the closed form. */
static void cycles_of_the_oscillator_repeat_with_the_closed_forms_dissipation(void **state) {
    (void)state;
    am_run *run = run_text("model: {kind: oscillator, beta: 0.7, Omega: 0.25, eta: 0.5, delta_deg: 60}\n"
                           "analysis: {kind: path, cycles: until-repeat}\n");
    am_oscillator o = {.beta = 0.7, .eta = 0.5, .delta_deg = 60, .Omega = 0.25};
    am_oscillator_cycle c = am_oscillator_quasistatic(&o);
    assert_near(scalar(run, "period_cycles"), 1, 0);
    assert_near(scalar(run, "dissipation_ratio"), c.dissipation, 1e-12);
    assert_near(scalar(run, "dissipation"), 0.7 * c.dissipation, 1e-12);
    assert_near(scalar(run, "v_max"), c.v_peak, 0);
    assert_near(scalar(run, "stops"), 2, 0);
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
    assert_near(lost / 100, scalar(few, "dissipation"), 1e-11); /* losses of 200 summed */
    am_run_free(few);
    am_run_free(more);
}

/* Griffin's damper sticks for ever: the motion is a sine, W = pi c Omega v_a^2 with c = 2 zeta is lost to the dashpot,
 * nothing to friction. */
static void a_damper_that_sticks_for_ever_loses_nothing_to_friction(void **state) {
    (void)state;
    const double zetas[] = {0.02, 0.1, 0.3}, frequencies[] = {0.6, 1.5748, 2.3};
    for (size_t i = 0; i < 9; i++) {
        char study[256];
        double zeta = zetas[i % 3], Omega = frequencies[i / 3];
        snprintf(study, sizeof study,
                 "model: {kind: griffin, k_ratio: 1.5, zeta: %g, beta: 40, Omega: %g, eta: 0.9, delta_deg: 90}\n"
                 "analysis: {kind: orbit, samples: 0}\n",
                 zeta, Omega);
        am_run *run = run_text(study);
        double a = scalar(run, "v_amplitude"), viscous = 6.283185307179586 * zeta * Omega * a * a;
        assert_near(scalar(run, "shakedown"), 1, 0);
        assert_near(scalar(run, "dissipation"), 0, 1e-15 * viscous);
        assert_near(scalar(run, "loss_friction"), 0, 1e-15 * viscous);
        assert_near(scalar(run, "loss_damping"), viscous, 1e-11 * viscous); /* closed to 1e-12 */
        am_run_free(run);
    }
}

static void summary_of_forced_models_is_in_the_units_of_the_thesis(void **state) {
    (void)state;
    am_result *result = am_result_create(NULL);
    am_forced_cycle cycle = {.beta = 0.5, .Omega = 0.25};
    assert_int_equal(am_forced_report(&cycle, result, NULL), AM_OK); /* nothing seen: nothing done */
    assert_int_equal(am_result_scalar_count(result), 0);
    const double least = -0.4, largest = 0.3, slowest = -2, fastest = 1.5;
    am_period period = {.dissipation = 3};
    assert_int_equal(am_forced_see_period(&cycle, &period, NULL), AM_OK); /* a path: its energy only */
    assert_int_equal(am_forced_report(&cycle, result, NULL), AM_OK);
    assert_int_equal(am_result_scalar_count(result), 1);
    period = (am_period){1, 3, 1, &least, &largest, &slowest, &fastest};
    assert_int_equal(am_forced_see_period(&cycle, &period, NULL), AM_OK);
    assert_int_equal(am_forced_report(&cycle, result, NULL), AM_OK);
    assert_near(number(result, "v_max"), 0.4, 0);
    assert_near(number(result, "vdot_max"), 8, 0);
    assert_near(number(result, "dissipation_ratio"), 6, 0);
    assert_near(number(result, "loss_factor"), 3 / (0.5 * 0.35 * 0.35), 1e-15);
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
    refused(PLAIN "    - {coordinate: q1.5, ramp: 1}\n" MOTION, "test.yaml:6:20", "number from 1 to 2");
    refused(PLAIN "    - {coordinate: q1}\n" MOTION, "test.yaml:6:7", "no function of time");
    refused(PLAIN "    - {coordinate: q1, ramp: 1}\n    - {coordinate: 1, ramp: 1}\n" MOTION, "test.yaml:7:20",
            "twice");
    refused(PLAIN "    - {coordinate: q1, table: {times: [0, 1], values: [0, 1], period: 1}}\n" MOTION,
            "test.yaml:6:", "this one jumps");
    refused(PLAIN "    - {coordinate: q1, impulse: {amplitude: 1}}\n" MOTION, "test.yaml:6:", "a blow is a force");
}

/* ---- polynomial springs and the chain ---- */

#define SPRUNG "model:\n  kind: structure\n  stiffness: [[2, -1], [-1, 2]]\n  mass: [1, 1]\n  polynomials:\n"
#define STABILITY "analysis: {kind: stability}\n"

/* What `show` prints is read again and is the same system, to the last digit. */
static void assert_shown_as_it_is(const char *text) {
    am_error err = {0};
    am_study *first = read_text(text);
    char *once = am_study_show(first, &err);
    assert_non_null(once);
    am_study *second = read_text(once);
    char *twice = am_study_show(second, &err);
    assert_string_equal(once, twice);
    const am_system *a = first->made.system, *b = second->made.system;
    assert_int_equal(am_system_polynomials(a), am_system_polynomials(b));
    for (size_t p = 0; p < am_system_polynomials(a); p++) {
        const am_polynomial_def *x = am_system_polynomial(a, p), *y = am_system_polynomial(b, p);
        assert_string_equal(x->name, y->name);
        assert_memory_equal(x->direction, y->direction, am_system_size(a) * sizeof *x->direction);
        assert_int_equal(x->term_count, y->term_count);
        for (size_t i = 0; i < x->term_count; i++) {
            assert_near(x->terms[i].coefficient, y->terms[i].coefficient, 0);
            assert_int_equal(x->terms[i].displacement, y->terms[i].displacement);
            assert_int_equal(x->terms[i].velocity, y->terms[i].velocity);
        }
    }
    am_output_text_free(once);
    am_output_text_free(twice);
    am_study_free(first);
    am_study_free(second);
}

static void functions_of_time_are_shown_as_they_were_read(void **state) {
    (void)state;
    assert_shown_as_it_is(
        "model:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [1, 2]\n  varying_stiffness:\n    - {direction: [1, "
        "-1], "
        "constant: 0.3, sine: {amplitude: 0.3, frequency: 1.4, phase_deg: 90}, chirp: {amplitude: 0.1, from: 1, to: 3, "
        "duration: 7, start: -1}}\n  contacts:\n    - {tangent: [1, 0], law: held, friction: 0.3, hold: {constant: 1, "
        "sine: "
        "[{amplitude: 0.2, frequency: 3}, {amplitude: 0.1, frequency: 5}]}, surface_velocity: {constant: 0.2, table: "
        "{times: [0, 1, 3], values: [0, 1, 0], interpolation: cubic, scale: 0.3}}}\n  loads:\n    - {direction: [0, "
        "1], "
        "pulse: {amplitude: 1, duration: 2, derivative: 1}, table: {step: 0.5, values: [0, 1, 0], derivative: "
        "2}}\n" MOTION);
}

static void polynomial_springs_are_shown_as_they_were_read(void **state) {
    (void)state;
    assert_shown_as_it_is(SPRUNG
                          "    - {direction: [1, -1], terms: [{coefficient: 0.3, displacement: 3}, {coefficient: "
                          "-0.1, velocity: 1}]}\n"
                          "    - {name: 'odd: #name', direction: [0, 0.1], terms: [{coefficient: 1.0e-7, displacement: "
                          "4, velocity: 5}]}\n" STABILITY);
    assert_shown_as_it_is("model: {kind: chain, count: 3, coupling: 0.1, xi1: -0.05, ends: open, mistuning: [0.1, 0, "
                          "-0.2]}\n" STABILITY);
}

static void polynomial_springs_have_the_terms_a_study_gives(void **state) {
    (void)state;
    am_study *study = read_text(SPRUNG "    - {direction: [1, -1], terms: [{coefficient: 0.3, displacement: 3}, "
                                       "{coefficient: -0.1, velocity: 1, displacement: 2}]}\n" STABILITY);
    const am_polynomial_def *spring = am_system_polynomial(study->made.system, 0);
    assert_int_equal(am_system_polynomials(study->made.system), 1);
    assert_string_equal(spring->name, "spring 1");
    assert_near(spring->direction[1], -1, 0);
    assert_int_equal(spring->term_count, 2);
    assert_near(spring->terms[0].coefficient, 0.3, 0);
    assert_int_equal(spring->terms[0].displacement, 3);
    assert_int_equal(spring->terms[0].velocity, 0);
    assert_near(spring->terms[1].coefficient, -0.1, 0);
    assert_int_equal(spring->terms[1].displacement, 2);
    assert_int_equal(spring->terms[1].velocity, 1);
    am_study_free(study);
}

static void polynomial_springs_are_refused_where_they_stand(void **state) {
    (void)state;
#define SPRING(text) SPRUNG "    - {" text "}\n" STABILITY
    refused(SPRING("terms: [{coefficient: 1, velocity: 1}]"), "test.yaml:6:7", "needs the key 'direction'");
    refused(SPRING("direction: [1, 0]"), "test.yaml:6:7", "needs the key 'terms'");
    refused(SPRING("direction: [1, 0], terms: []"), "test.yaml:6:34", "at least one term");
    refused(SPRING("direction: [1], terms: [{coefficient: 1, velocity: 1}]"), "test.yaml:6:19",
            "one number per coordinate: 2, not 1");
    refused(SPRING("direction: [0, 0], terms: [{coefficient: 1, velocity: 1}]"), "test.yaml:6:19", "direction");
    refused(SPRING("direction: [1, 0], terms: [{velocity: 1}]"), "test.yaml:6:35", "needs the key 'coefficient'");
    refused(SPRING("direction: [1, 0], terms: [{coefficient: 1}]"), "test.yaml:6:35", "add up to 1 to 9, not 0 + 0");
    refused(SPRING("direction: [1, 0], terms: [{coefficient: 1, displacement: 10}]"), "test.yaml:6:66",
            "add up to 1 to 9, not 10 + 0");
    refused(SPRING("direction: [1, 0], terms: [{coefficient: 1, displacement: 5, velocity: 5}]"), "test.yaml:6:79",
            "add up to 1 to 9, not 5 + 5");
    refused(SPRING("direction: [1, 0], terms: [{coefficient: 1, velocity: 4294967297}]"), "test.yaml:6:62",
            "not 0 + 4294967297");
    refused(SPRING("direction: [1, 0], terms: [{coefficient: 1, velocity: 1.5}]"), "test.yaml:6:62", "whole number");
    refused(SPRING("direction: [1, 0], terms: [{coefficient: .inf, velocity: 1}]"), "test.yaml:6:49", "coefficient");
    refused(SPRING("direction: [1, 0], terms: [{coefficient: 1, velocty: 1}]"), "test.yaml:6:52",
            "did you mean 'velocity'?");
    refused(SPRUNG "    - {direction: [1, 0], terms: [{coefficient: 1, velocity: 1}]}\n  prescribed: [{coordinate: q1, "
                   "ramp: 1}]\n" STABILITY,
            "test.yaml:7:", "rest at zero");
    refused(SPRUNG "    - {direction: [1, 0], terms: [{coefficient: 1, velocity: 1}]}\n  prescribed: [{coordinate: q1, "
                   "constant: 0}]\n" STABILITY,
            "test.yaml:6:19", "no influence");
}

static void spring_to_a_coordinate_that_rests_is_one_to_the_ground(void **state) {
    (void)state;
    am_study *study = read_text(SPRUNG "    - {direction: [-1, 2], terms: [{coefficient: 1, velocity: 1}]}\n"
                                       "  prescribed: [{coordinate: q1, constant: 0}]\n" STABILITY);
    assert_int_equal(am_system_size(study->made.system), 1);
    assert_near(am_system_polynomial(study->made.system, 0)->direction[0], 2, 0);
    am_study_free(study);
}

static void faults_of_a_chain_are_found_where_they_stand(void **state) {
    (void)state;
    refused("model: {kind: chain, count: 0}\n" STABILITY, "test.yaml:1:29", "between 1 and 1000, not 0");
    refused("model: {kind: chain, coupling: -1}\n" STABILITY, "test.yaml:1:32", "coupling");
    refused("model: {kind: chain, ends: closed}\n" STABILITY, "test.yaml:1:28", "expected one of: cyclic, open");
    refused("model: {kind: chain, count: 3, mistuning: [0, 1]}\n" STABILITY, "test.yaml:1:43", "one number per mass");
    refused("model: {kind: chain, count: 2, mistuning: [0, -1]}\n" STABILITY, "test.yaml:1:47", "mass 2");
    refused("model: {kind: chain, xi2: 1}\n" STABILITY, "test.yaml:1:22", "unknown key 'xi2'");
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
    assert_string_equal(figure->curves[1].label, "delta = 60°");
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
        cmocka_unit_test(griffin_knows_both_names_of_its_stiffness_and_a_frequency),
        cmocka_unit_test(rod_in_physical_units_reports_them),
        cmocka_unit_test(path_of_the_oscillator_is_its_closed_form),
        cmocka_unit_test(cycles_of_the_oscillator_repeat_with_the_closed_forms_dissipation),
        cmocka_unit_test(path_loses_a_cycles_dissipation_in_a_cycle),
        cmocka_unit_test(a_damper_that_sticks_for_ever_loses_nothing_to_friction),
        cmocka_unit_test(summary_of_forced_models_is_in_the_units_of_the_thesis),
        cmocka_unit_test(structure_with_a_dragged_end_is_the_rod),
        cmocka_unit_test(prescribed_motions_are_refused_where_they_stand),
        cmocka_unit_test(functions_of_time_are_shown_as_they_were_read),
        cmocka_unit_test(polynomial_springs_are_shown_as_they_were_read),
        cmocka_unit_test(polynomial_springs_have_the_terms_a_study_gives),
        cmocka_unit_test(polynomial_springs_are_refused_where_they_stand),
        cmocka_unit_test(spring_to_a_coordinate_that_rests_is_one_to_the_ground),
        cmocka_unit_test(faults_of_a_chain_are_found_where_they_stand),
        cmocka_unit_test(family_has_a_curve_for_each_number_of_its_column),
        cmocka_unit_test(sweep_tells_the_extremes_and_the_peaks_along_an_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
