/* Polynomial springs and dampers in the analyses that know them (orbit, march, stability), and what the others say. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/march.h"
#include "amontons/study.h"
#include "dense_system.h"
#include "engines/switching/switching.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const double pi = 3.14159265358979323846;

/* One mass on a spring of stiffness 1, with springs, loads and an analysis as given. */
static const char *mass_with(const char *springs, const char *loads, const char *analysis) {
    static char text[2048];
    snprintf(text, sizeof text,
             "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  polynomials:\n"
             "    - {direction: [1], terms: [%s]}\n%s%s\nanalysis: %s\n",
             springs, *loads ? "  loads:\n    - " : "", loads, analysis);
    return text;
}

/* The message with which a study ends. */
static void says(const char *text, const char *words) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    if (run)
        fail_msg("the study ran: %s", text);
    assert_says(&err, words);
    am_study_free(study);
}

/* ---- orbit ---- */

static const char van_der_pol[] = "{coefficient: -1, velocity: 1}, {coefficient: 1, displacement: 2, velocity: 1}";

static void orbit_of_van_der_pol_is_reached_from_small_and_large_starts(void **state) {
    (void)state;
    const char *analyses[] = {"{kind: orbit, initial: {displacement: [0.01]}}",
                              "{kind: orbit, initial: {displacement: [-7], velocity: [3]}}"};
    for (size_t i = 0; i < 2; i++) {
        am_run *run = run_text(mass_with(van_der_pol, "", analyses[i]));
        assert_near(scalar(run, "period"), 6.66328685932313019, 3e-14);
        assert_near(scalar(run, "q1_max"), 2.00861986087484313, 1e-13); /* known to as many digits */
        assert_near(scalar(run, "trivial_multiplier"), 1.0, 1e-12);
        assert_true(scalar(run, "closing_error") <= 1e-13);
        assert_true(scalar(run, "energy_residual") <= 1e-14);
        am_run_free(run);
    }
}

/* A constant load takes the symmetry away. The samples begin at a maximum, cover one period, and end where they began.
 */
static void samples_of_an_orbit_cover_one_period_from_a_maximum(void **state) {
    (void)state;
    am_run *run = run_text(
        mass_with(van_der_pol, "{direction: [1], constant: 0.4}", "{kind: orbit, initial: {displacement: [0.1]}}"));
    const am_table *samples = table_of(am_run_report(run)->result, "samples");
    size_t count = am_table_rows(samples);
    assert_int_equal(count, 1001);
    assert_near(cell(samples, 0, "q1"), scalar(run, "q1_max"), 1e-13);
    assert_near(cell(samples, 0, "v1"), 0.0, 1e-12);
    assert_near(cell(samples, count - 1, "t"), scalar(run, "period"), 1e-15);
    assert_near(cell(samples, count - 1, "q1"), cell(samples, 0, "q1"), 1e-12);
    assert_int_equal(rows(am_run_report(run)->result, "switches"), 0);
    assert_int_equal(rows(am_run_report(run)->result, "multipliers"), 1);
    am_run_free(run);
}

/* x'' + c x' + x + x^3 = F sin W t in the region of two stable motions: different starts, different orbits, which
 * agree with their closing, with exp(-c T) for the product of multipliers, and with the balance of energy. */
static void forced_duffing_starts_lead_to_one_of_two_orbits(void **state) {
    (void)state;
    const char *analyses[] = {"{kind: orbit}", "{kind: orbit, initial: {displacement: [0], velocity: [-4.5]}}"};
    double amplitude[2];
    for (size_t i = 0; i < 2; i++) {
        am_run *run = run_text(mass_with("{coefficient: 1, displacement: 3}, {coefficient: 0.1, velocity: 1}",
                                         "{direction: [1], sine: {amplitude: 0.5, frequency: 1.8}}", analyses[i]));
        const am_table *multipliers = table_of(am_run_report(run)->result, "multipliers");
        double product = cell(multipliers, 0, "modulus") * cell(multipliers, 1, "modulus");
        assert_near(scalar(run, "period"), 2.0 * pi / 1.8, 1e-15);
        assert_near(product, exp(-0.1 * 2.0 * pi / 1.8), 1e-13);
        assert_true(scalar(run, "energy_residual") <= 1e-14);
        assert_near(scalar(run, "forced"), 1.0, 0.0);
        amplitude[i] = scalar(run, "q1_amplitude");
        am_run_free(run);
    }
    assert_true(amplitude[0] < 0.4 && amplitude[1] > 1.5);
}

/* x'' + 0.02 x' + x + x^3 = 2 sin 4 t: beside the small motion with the load's period there is one that takes three. */
static void subharmonic_orbit_takes_three_periods_of_the_load(void **state) {
    (void)state;
    am_run *run = run_text("model:\n  kind: structure\n  mass: [1]\n  damping: [0.02]\n  stiffness: [1]\n"
                           "  polynomials:\n    - {direction: [1], terms: [{coefficient: 1, displacement: 3}]}\n"
                           "  loads:\n    - {direction: [1], sine: {amplitude: 2, frequency: 4}}\n"
                           "analysis: {kind: orbit, initial: {displacement: [0.6], velocity: [0.6]}}\n");
    assert_near(scalar(run, "returns"), 3.0, 0.0);
    assert_near(scalar(run, "period"), 3.0 * 2.0 * pi / 4.0, 1e-14);
    am_run_free(run);
}

/* Two of van der Pol's oscillators with a damper between them that feeds their difference: started alike they stay
 * alike, on the orbit of one, though any difference would grow. */
static void symmetric_start_leads_to_an_orbit_that_is_called_unstable(void **state) {
    (void)state;
    am_run *run = run_text("model:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [1, 1]\n  polynomials:\n"
                           "    - {direction: [1, 0], terms: [{coefficient: -1, velocity: 1}, {coefficient: 1, "
                           "displacement: 2, velocity: 1}]}\n"
                           "    - {direction: [0, 1], terms: [{coefficient: -1, velocity: 1}, {coefficient: 1, "
                           "displacement: 2, velocity: 1}]}\n"
                           "    - {direction: [1, -1], terms: [{coefficient: -0.05, velocity: 1}]}\n"
                           "analysis: {kind: orbit, initial: {displacement: [1, 1]}}\n");
    assert_near(scalar(run, "period"), 6.66328685932313019, 3e-14);
    assert_near(scalar(run, "stable"), 0.0, 0.0);
    assert_true(scalar(run, "multiplier") > 1.1);
    am_run_free(run);
}

static void motions_that_rest_grow_or_never_begin_are_reported_as_such(void **state) {
    (void)state;
    says(mass_with("{coefficient: 0.1, velocity: 1}, {coefficient: 1, displacement: 3}",
                   "{direction: [1], constant: 0.5}", "{kind: orbit, initial: {displacement: [2]}}"),
         "comes to rest: vibrations about its equilibrium die out, the slowest at the rate 0.05");
    says(mass_with(van_der_pol, "", "{kind: orbit}"), "at rest in an equilibrium that is not stable");
    says(mass_with("{coefficient: -0.2, velocity: 3}", "", "{kind: orbit, initial: {displacement: [1]}}"),
         "grows beyond what numbers can hold");
    says(mass_with(van_der_pol, "{direction: [1], ramp: {rate: 1}}", "{kind: orbit}"), "grows for ever");
}

/* So much damping that nothing swings: the slowest rate is that of s^2 + c s + 1 = 0. */
static void motions_that_creep_to_rest_are_seen_to_rest(void **state) {
    (void)state;
    for (double c = 2.5; c < 100.0; c *= 1.7) {
        char springs[128], words[128];
        snprintf(springs, sizeof springs, "{coefficient: %.17g, velocity: 1}, {coefficient: 1, displacement: 3}", c);
        snprintf(words, sizeof words,
                 "comes to rest: vibrations about its equilibrium die out, the slowest at the rate %.3g",
                 2.0 / (c + sqrt(c * c - 4.0)));
        says(mass_with(springs, "", "{kind: orbit, initial: {displacement: [2]}}"), words);
    }
}

/* ---- attractors ---- */

/* 0.3 x' - x'^3 + x'^5/2: rest and a large cycle attract, a small cycle divides their basins. One harmonic has them at
 * a^2 = (3/4 -+ sqrt(3)/4)/(5/8). */
static void attractors_of_a_bistable_oscillator_are_rest_and_a_cycle(void **state) {
    (void)state;
    am_run *run =
        run_text("model:\n  kind: structure\n  mass: [1]\n  damping: [0.3]\n  stiffness: [1]\n  polynomials:\n"
                 "    - {direction: [1], terms: [{coefficient: -1, velocity: 3}, {coefficient: 0.5, velocity: "
                 "5}]}\n"
                 "analysis: {kind: attractors, starts: {count: 12, box: {q1: [-1.2, 1.2], v1: [-1.2, 1.2]}}, "
                 "search_unstable: true, borders: 1}\n");
    assert_near(scalar(run, "orbits"), 1.0, 0.0);
    assert_near(scalar(run, "unstable_orbits"), 1.0, 0.0);
    assert_near(scalar(run, "undecided") + scalar(run, "failed") + scalar(run, "aperiodic"), 0.0, 0.0);
    assert_true(scalar(run, "final") >= 1.0); /* those that rest */
    const am_table *orbits = table_of(am_run_report(run)->result, "orbits");
    assert_true(cell(orbits, 0, "multiplier") < 1.0 && cell(orbits, 1, "multiplier") > 1.0);
    am_run_free(run);
}

/* ---- march ---- */

static am_system *bistable(double damping) {
    static const double one = 1.0;
    const am_polynomial_term term[] = {{-1.0, 0, 3}, {0.5, 0, 5}, {0.4, 3, 0}, {0.1, 2, 1}};
    am_polynomial_def spring = {.direction = &one, .term_count = 4, .terms = term};
    am_load_def load = {.direction = &one, .function = am_function_sine(0.3, 1.1, 0.2)};
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.polynomial_count = 1;
    def.polynomials = &spring;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, &one, &damping, &one);
}

/* The last sample of a march, and its energy residual. */
static void march_to(const am_system *system, am_march_options options, double until, double *q, double *residual) {
    static const double displacement = 0.8, velocity = 0.5;
    am_error err = {0};
    am_result *result = am_result_create(&err);
    options.until = until;
    options.displacement = &displacement;
    options.velocity = &velocity;
    options.samples = 2;
    options.check = AM_MARCH_CHECK_NO;
    if (am_march_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    *q = cell(table_of(result, "samples"), 1, "q1");
    *residual = number(result, "energy_residual");
    am_result_free(result);
}

/* The state a time after 0, by the engine of `motion`. */
static void move_on(am_motion *engine, double time, double *x) {
    GOOD(am_motion_start_state(engine, 0.0, x, err));
    GOOD(am_engine_run_until(engine, time, err));
    memcpy(x, am_motion_state(engine), 2 * sizeof *x);
}

/* The adaptive method keeps each step's error at its tolerance; a few hundred steps add up to some hundred of it. */
static void march_agrees_with_the_series(void **state) {
    (void)state;
    am_system *system = bistable(0.2);
    am_motion *engine = am_motion_create(system, false, NULL);
    double x[2] = {0.8, 0.5}, q, residual;
    am_march_options options = am_march_options_default();
    options.tolerance = 1e-11;
    options.until = 30.0;
    if (am_march_available(AM_MARCH_ADAPTIVE)) {
        move_on(engine, 30.0, x);
        march_to(system, options, 30.0, &q, &residual);
        assert_near(q, x[0], 1e-8);
        assert_true(residual <= 1e-8);
    } else { /* a build without SUNDIALS says so */
        am_result *result = am_result_create(NULL);
        assert_int_equal(am_march_run(system, &options, result, NULL, NULL), AM_ERR_UNSUPPORTED);
        am_result_free(result);
    }
    am_motion_free(engine);
    am_system_free(system);
}

/* Half the step, a quarter of the error. */
static void newmark_converges_to_the_series_with_second_order(void **state) {
    (void)state;
    am_system *system = bistable(0.2);
    am_motion *engine = am_motion_create(system, false, NULL);
    double x[2] = {0.8, 0.5}, q, residual, error[2];
    am_march_options options = am_march_options_default();
    options.method = AM_MARCH_NEWMARK;
    move_on(engine, 10.0, x);
    for (size_t i = 0; i < 2; i++) {
        options.step = i == 0 ? 0.01 : 0.005;
        march_to(system, options, 10.0, &q, &residual);
        error[i] = fabs(q - x[0]);
    }
    assert_true(error[0] > 0.0 && error[0] < 1e-3);
    assert_near(error[0] / error[1], 4.0, 0.1);
    am_motion_free(engine);
    am_system_free(system);
}

/* A block on a belt held by a cubic spring: contacts and springs at once, by both methods. */
static void march_follows_springs_and_contacts_together(void **state) {
    (void)state;
    const char *text = "model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n"
                       "  contacts:\n    - {tangent: [1], law: held, hold: {constant: 1}, friction: 0.3, "
                       "static_friction: 0.5, surface_velocity: 0.2}\n"
                       "  polynomials:\n    - {direction: [1], terms: [{coefficient: 0.5, displacement: 3}]}\n"
                       "analysis: {kind: march, until: 20, %s}\n";
    char studies[2][1024];
    snprintf(studies[0], sizeof studies[0], text, "tolerance: 1e-10");
    snprintf(studies[1], sizeof studies[1], text, "method: newmark, step: 0.001");
    double last[2];
    for (size_t i = am_march_available(AM_MARCH_ADAPTIVE) ? 0 : 1; i < 2; i++) {
        am_run *run = run_text(studies[i]);
        const am_table *samples = table_of(am_run_report(run)->result, "samples");
        last[i] = cell(samples, am_table_rows(samples) - 1, "q1");
        assert_true(scalar(run, "sticks") >= 1.0);
        am_run_free(run);
    }
    /* Newmark locates switches to a step of 1e-3 at speeds of 0.2, a handful of them. */
    if (am_march_available(AM_MARCH_ADAPTIVE))
        assert_near(last[0], last[1], 2e-3);
}

/* ---- stability ---- */

/* x + x^3 = F rests at x0; small vibrations have the stiffness 1 + 3 x0^2 and the damping c + 2 x0^2 of the terms
 * 0.1 x' + 2 x^2 x'. */
static void stability_takes_the_tangents_of_springs_at_the_equilibrium(void **state) {
    (void)state;
    const double x0 = 0.7, c = 0.1 + 2.0 * x0 * x0, k = 1.0 + 3.0 * x0 * x0;
    char load[128];
    snprintf(load, sizeof load, "{direction: [1], constant: %.17g}", x0 + x0 * x0 * x0);
    am_run *run = run_text(mass_with("{coefficient: 1, displacement: 3}, {coefficient: 0.1, velocity: 1}, "
                                     "{coefficient: 2, displacement: 2, velocity: 1}",
                                     load, "{kind: stability}"));
    assert_near(scalar(run, "q1"), x0, 1e-14);
    assert_near(scalar(run, "growth_rate"), -0.5 * c, 1e-13);
    assert_near(scalar(run, "frequency"), sqrt(k - 0.25 * c * c), 1e-13);
    am_run_free(run);
}

/* The linear part of a negative damper is what makes rest unstable: (1 -+ i sqrt 3)/2 for van der Pol. */
static void stability_of_rest_is_lost_to_the_linear_part_of_a_damper(void **state) {
    (void)state;
    am_run *run = run_text(mass_with(van_der_pol, "", "{kind: stability}"));
    assert_near(scalar(run, "growth_rate"), 0.5, 1e-14);
    assert_near(scalar(run, "frequency"), sqrt(0.75), 1e-14);
    am_run_free(run);
}

/* Steady sliding on a curved spring: a block dragged by a belt, k x + x^3 = mu N. The held force 1, mu = 0.3. */
static void stability_of_sliding_uses_the_spring_where_friction_holds_it(void **state) {
    (void)state;
    am_run *run = run_text("model:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n"
                           "  contacts:\n    - {tangent: [1], law: held, hold: {constant: 1}, friction: 0.3, "
                           "surface_velocity: 1}\n"
                           "  polynomials:\n    - {direction: [1], terms: [{coefficient: 1, displacement: 3}]}\n"
                           "analysis: {kind: stability}\n");
    double x = 0.3;
    for (int i = 0; i < 50; i++)
        x -= (x + x * x * x - 0.3) / (1.0 + 3.0 * x * x);
    assert_near(scalar(run, "q1"), x, 1e-14);
    assert_near(scalar(run, "frequency"), sqrt(1.0 + 3.0 * x * x), 1e-13);
    am_run_free(run);
}

/* ---- the others ---- */

/* None of them may go on as if the springs were not there. */
static void analyses_of_linear_structures_refuse_springs(void **state) {
    (void)state;
    const char *analyses[] = {"{kind: path, until: 1, method: exact}", "{kind: states}",
                              "{kind: states, question: uniqueness}", "{kind: shakedown}", "{kind: twofold}"};
    for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "model:\n  kind: structure\n  mass: [1, 1, 1, 1]\n  stiffness: [2, 2, 2, 2]\n  contacts:\n"
                 "    - {normal: [1, 0, 0, 0], tangent: [0, 1, 0, 0], friction: 0.3}\n"
                 "    - {normal: [0, 0, 1, 0], tangent: [0, 0, 0, 1], friction: 0.3}\n"
                 "  loads:\n    - {direction: [-1, 0.2, -1, 0.1], constant: 1}\n"
                 "    - {direction: [0, 1, 0, 1], sine: {amplitude: 0.1, frequency: 0.7}}\n"
                 "  polynomials:\n    - {direction: [1, 0, 0, 0], terms: [{coefficient: 1, displacement: 3}]}\n"
                 "analysis: %s\n",
                 analyses[i]);
        says(text, "polynomial");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orbit_of_van_der_pol_is_reached_from_small_and_large_starts),
        cmocka_unit_test(samples_of_an_orbit_cover_one_period_from_a_maximum),
        cmocka_unit_test(forced_duffing_starts_lead_to_one_of_two_orbits),
        cmocka_unit_test(subharmonic_orbit_takes_three_periods_of_the_load),
        cmocka_unit_test(symmetric_start_leads_to_an_orbit_that_is_called_unstable),
        cmocka_unit_test(motions_that_rest_grow_or_never_begin_are_reported_as_such),
        cmocka_unit_test(motions_that_creep_to_rest_are_seen_to_rest),
        cmocka_unit_test(attractors_of_a_bistable_oscillator_are_rest_and_a_cycle),
        cmocka_unit_test(march_agrees_with_the_series),
        cmocka_unit_test(newmark_converges_to_the_series_with_second_order),
        cmocka_unit_test(march_follows_springs_and_contacts_together),
        cmocka_unit_test(stability_takes_the_tangents_of_springs_at_the_equilibrium),
        cmocka_unit_test(stability_of_rest_is_lost_to_the_linear_part_of_a_damper),
        cmocka_unit_test(stability_of_sliding_uses_the_spring_where_friction_holds_it),
        cmocka_unit_test(analyses_of_linear_structures_refuse_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
