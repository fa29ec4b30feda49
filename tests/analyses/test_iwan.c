/* Iwan joints: the density divided into sliders, first loading and Masing's loops against the closed forms (Segalman 2005),
 * and one joint in several analyses. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/laws.h"
#include "amontons/output.h"
#include "amontons/study.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

enum { MOST = 60 };

/* ---- the paper's formulas ---- */

typedef struct joint {
    double F_S, K_T, chi, beta, ratio;
    size_t sliders;
} joint;

static joint random_joint(uint64_t *seed) {
    return (joint){.F_S = uniform(seed, 0.5, 20.0),
                   .K_T = uniform(seed, 0.5, 20.0),
                   .chi = uniform(seed, -0.9, 0.3),
                   .beta = uniform(seed, 0.0, 1.0) < 0.2 ? 0.0 : uniform(seed, 0.0, 3.0),
                   .ratio = uniform(seed, 1.0, 1.4),
                   .sliders = 2 + (size_t)uniform(seed, 0.0, 40.0)};
}

static double phi_max(const joint *j) {
    return j->F_S * (1.0 + j->beta) / (j->K_T * (j->beta + (j->chi + 1.0) / (j->chi + 2.0)));
}

static double density_R(const joint *j) {
    return j->F_S * (j->chi + 1.0) / (pow(phi_max(j), j->chi + 2.0) * (j->beta + (j->chi + 1.0) / (j->chi + 2.0)));
}

/* Force on first loading. */
static double force_at(const joint *j, double u) {
    if (u >= phi_max(j))
        return j->F_S;
    return j->K_T * u - density_R(j) * pow(u, j->chi + 2.0) / ((j->chi + 1.0) * (j->chi + 2.0));
}

/* Lost in one cycle between -u and u. */
static double loss_of(const joint *j, double u) {
    return 4.0 * density_R(j) * pow(u, j->chi + 3.0) / ((j->chi + 2.0) * (j->chi + 3.0));
}

static size_t intervals(const joint *j) {
    return j->sliders - (j->beta > 0.0);
}

static double interval_end(const joint *j, size_t end) {
    double part = 0.0, whole = 0.0;
    for (size_t i = 0; i < intervals(j); i++) {
        whole += pow(j->ratio, (double)i);
        part += i < end ? pow(j->ratio, (double)i) : 0.0;
    }
    return phi_max(j) * part / whole;
}

static am_iwan iwan_of(const joint *j) {
    am_iwan iwan = am_iwan_default();
    iwan.density = AM_IWAN_SEGALMAN;
    iwan.F_S = j->F_S, iwan.K_T = j->K_T, iwan.chi = j->chi, iwan.beta = j->beta;
    iwan.sliders = j->sliders, iwan.ratio = j->ratio;
    return iwan;
}

/* ---- dividing ---- */

static void test_divided_density_is_exact_at_the_ends_of_intervals(void **state) {
    (void)state;
    uint64_t seed = 19;
    for (int trial = 0; trial < 200; trial++) {
        joint j = random_joint(&seed);
        am_iwan iwan = iwan_of(&j);
        double f[MOST], k[MOST];
        GOOD(am_iwan_check(&iwan, err));
        assert_int_equal(am_iwan_sliders(&iwan), j.sliders);
        am_iwan_divide(&iwan, f, k);
        for (size_t end = 1; end <= intervals(&j); end++)
            for (int inside = 0; inside < 2; inside++) {
                double from = interval_end(&j, end - 1), to = interval_end(&j, end), sum = 0.0;
                double u = inside ? from + (to - from) * uniform(&seed, 0.0, 1.0) : to;
                for (size_t i = 0; i < j.sliders; i++)
                    sum += fmin(f[i], k[i] * u);
                /* the promise of laws.h, and roundings of some sixty terms */
                double bound = inside ? 0.25 * k[end - 1] * (to - from) : 0.0, rounding = 1e-13 * j.F_S;
                assert_near(sum, force_at(&j, u) + 0.5 * bound, 0.5 * bound + rounding);
            }
    }
}

static void test_uniform_density_from_zero_is_segalmans_without_exponent_and_end(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int trial = 0; trial < 50; trial++) {
        joint j = random_joint(&seed);
        j.chi = j.beta = 0.0;
        am_iwan power = iwan_of(&j), uniform_one = power;
        uniform_one.density = AM_IWAN_UNIFORM;
        uniform_one.width = 2.0;
        double f[2][MOST], k[2][MOST];
        am_iwan_divide(&power, f[0], k[0]);
        am_iwan_divide(&uniform_one, f[1], k[1]);
        for (size_t i = 0; i < j.sliders; i++) { /* differences of squares of nearly equal thresholds */
            assert_near(f[1][i], f[0][i], 1e-13 * j.F_S);
            assert_near(k[1][i], k[0][i], 1e-13 * j.K_T);
        }
    }
}

static void test_narrow_uniform_density_is_one_slider(void **state) {
    (void)state;
    am_iwan iwan = am_iwan_default();
    iwan.density = AM_IWAN_UNIFORM;
    iwan.F_S = 3.0, iwan.K_T = 5.0, iwan.width = 0.01;
    double f[MOST], k[MOST];
    am_iwan_divide(&iwan, f, k);
    for (size_t i = 0; i < iwan.sliders; i++)
        assert_near(f[i] / k[i], 0.6, 0.6 * 0.005 * (1.0 + 1e-12));
}

/* ---- loops ---- */

static const char *contact_text(const joint *j) {
    static char text[512];
    snprintf(
        text, sizeof text,
        "{name: joint, tangent: [1], friction: {law: iwan, F_S: %.17g, K_T: %.17g, chi: %.17g, beta: %.17g, sliders: "
        "%zu, ratio: %.17g}}",
        j->F_S, j->K_T, j->chi, j->beta, j->sliders, j->ratio);
    return text;
}

static am_run *run_joint(const char *contact, const char *rest) {
    char text[4096];
    snprintf(text, sizeof text, "model: {kind: structure, names: [x], contacts: [%s], %s}\n", contact, rest);
    return run_text(text);
}

/* The last row of a table. */
static double last(const am_run *run, const char *table, const char *column) {
    const am_table *t = table_of(am_run_report(run)->result, table);
    return cell(t, am_table_rows(t) - 1, column);
}

static void test_path_loads_and_unloads_as_masing_says(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < CASES(20, 5); trial++) {
        joint j = random_joint(&seed);
        j.sliders = j.sliders < 5 ? 5 : j.sliders;
        size_t most = 1 + (size_t)uniform(&seed, 1.0, (double)intervals(&j) - 1.0);
        double u = interval_end(&j, most), back = interval_end(&j, 1 + (size_t)uniform(&seed, 0.0, (double)most - 1.0));
        char rest[512];
        snprintf(rest, sizeof rest,
                 "stiffness: [0], loads: [{direction: [1], table: {times: [0, 1, 2], values: [0, %.17g, %.17g]}}]}\n"
                 "analysis: {kind: path, until: 2, samples: 3",
                 force_at(&j, u), force_at(&j, u) - 2.0 * force_at(&j, back));
        am_run *run = run_joint(contact_text(&j), rest);
        const am_table *samples = table_of(am_run_report(run)->result, "samples");
        double flat = force_at(&j, u) / (j.K_T * u), softest = fmax(1.0, 1.0 / (1.0 - flat));
        /* roundings of forces, divided by the stiffness that is left */
        double left = (force_at(&j, 1.0001 * u) - force_at(&j, u)) / (0.0001 * u);
        double rounding = 1e-12 * phi_max(&j) * fmax(softest, j.K_T / left);
        size_t turn = 0;
        while (cell(samples, turn, "t") < 1.0)
            turn++;
        assert_near(cell(samples, turn, "x"), u, rounding);
        assert_near(last(run, "samples", "x"), u - 2.0 * back, 2.0 * rounding);
        assert_near(cell(samples, turn, "T_joint"), -force_at(&j, u), 1e-12 * j.F_S);
        am_run_free(run);
    }
}

/* Loss per cycle of a load of the amplitude F. */
static double path_loss(const joint *j, double force) {
    char rest[512];
    snprintf(
        rest, sizeof rest,
        "stiffness: [0], loads: [{direction: [1], table: {times: [0, 1, 3, 4], values: [0, %.17g, %.17g, 0], period: "
        "4}}]}\nanalysis: {kind: path, cycles: until-repeat",
        force, -force);
    am_run *run = run_joint(contact_text(j), rest);
    double loss = scalar(run, "dissipation");
    am_run_free(run);
    return loss;
}

static void test_loss_of_small_cycles_grows_with_the_power_three_and_chi(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int trial = 0; trial < CASES(6, 2); trial++) {
        joint j = random_joint(&seed);
        j.sliders = 40, j.ratio = 1.15;
        double f[MOST], k[MOST], loss[2];
        am_iwan iwan = iwan_of(&j);
        am_iwan_divide(&iwan, f, k);
        for (int size = 0; size < 2; size++) {
            double u = interval_end(&j, size ? 30 : 15), sum = 0.0, excess = 0.0;
            for (size_t i = 0; i < (size ? 30u : 15u); i++) {
                double length = interval_end(&j, i + 1) - interval_end(&j, i);
                sum += 4.0 * f[i] * (u - f[i] / k[i]);
                excess +=
                    k[i] * length * length; /* D = 8 times the integral of F - 4 u F, and F is at most k h/4 off */
            }
            loss[size] = path_loss(&j, force_at(&j, u));
            assert_near(loss[size], sum, 1e-10 * sum); /* roundings of u, where the joint is soft */
            assert_near(loss[size], loss_of(&j, u) + 0.5 * excess, 0.5 * excess + 1e-10 * sum);
        }
        double slope = log(loss[1] / loss[0]) / log(interval_end(&j, 30) / interval_end(&j, 15));
        assert_near(slope, 3.0 + j.chi, 0.02); /* the excess above is about one percent of the smaller cycle */
    }
}

/* ---- in time ---- */

static double orbit_value(const joint *j, double damping, double amplitude, double omega, const char *name) {
    char rest[512];
    snprintf(
        rest, sizeof rest,
        "mass: [1], damping: [%.17g], stiffness: [0], loads: [{direction: [1], sine: {amplitude: %.17g, frequency: "
        "%.17g}}]}\nanalysis: {kind: orbit",
        damping, amplitude, omega);
    am_run *run = run_joint(contact_text(j), rest);
    double value = scalar(run, name);
    am_run_free(run);
    return value;
}

static void test_slow_orbits_lose_what_the_path_loses(void **state) {
    (void)state;
    uint64_t seed = 23;
    for (int trial = 0; trial < CASES(4, 1); trial++) {
        joint j = random_joint(&seed);
        j.sliders = 12, j.beta += 0.2;
        double omega = sqrt(j.K_T), force = 0.6 * j.F_S, quiet = path_loss(&j, force), off[2];
        for (int slow = 0; slow < 2; slow++)
            off[slow] = fabs(
                orbit_value(&j, 0.02 * omega, force, omega * (slow ? 0.004 : 0.016), "loss_friction") / quiet - 1.0);
        /* damping enters with the frequency, inertia with its square: a quarter of the frequency leaves a quarter at
         * most */
        assert_true(off[0] < 0.02 && off[1] <= 0.26 * off[0]);
    }
}

static void test_response_and_orbit_have_one_amplitude(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < CASES(5, 1); trial++) {
        joint j = random_joint(&seed);
        j.sliders = 10, j.beta += 0.3;
        double omega = sqrt(j.K_T) * uniform(&seed, 0.5, 0.8), force = uniform(&seed, 0.1, 0.3) * j.F_S;
        char rest[512];
        snprintf(rest, sizeof rest,
                 "mass: [1], damping: [%.17g], stiffness: [0], loads: [{direction: [1], sine: {amplitude: %.17g, "
                 "frequency: %.17g}}]}\nanalysis: {kind: response",
                 0.02 * sqrt(j.K_T), force, omega);
        am_run *run = run_joint(contact_text(&j), rest);
        double amplitude = scalar(run, "peak_largest");
        am_run_free(run);
        /* the tolerance of response: what harmonics left out may move */
        assert_near(amplitude, orbit_value(&j, 0.02 * sqrt(j.K_T), force, omega, "x_amplitude"), 2e-6 * amplitude);
    }
}

/* A contact that presses with 2.5 is the same joint, whether the force is given or comes from a spring and its load. */
static void test_sliders_of_a_compliant_contact_share_its_normal_force(void **state) {
    (void)state;
    const char *law = "friction: {law: iwan, density: uniform, F_S: 0.4, K_T: 3, width: 1.5, sliders: 6}";
    const char *normal[] = {"law: held, hold: {constant: 2.5}", "normal: [0, 1], law: spring, contact_stiffness: 40"};
    double x[2], T[2];
    for (int compliant = 0; compliant < 2; compliant++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "model: {kind: structure, names: [x, y], mass: [1, 1], stiffness: [0.3, 1], contacts: [{name: joint, "
                 "tangent: [1, 0], %s, %s}], loads: [{direction: [1, 0], sine: {amplitude: 1, frequency: 0.8}}, "
                 "{direction: [0, -1], constant: 2.5625}]}\n"
                 "analysis: {kind: motion, until: 20, samples: 2, initial: {displacement: [0, %s]}}\n",
                 normal[compliant], law, compliant ? "-0.0625" : "-2.5625");
        am_run *run = run_text(text);
        x[compliant] = last(run, "samples", "x");
        T[compliant] = last(run, "samples", "T_joint");
        assert_near(last(run, "samples", "N_joint"), 2.5, 1e-11);
        am_run_free(run);
    }
    assert_near(x[1], x[0], 1e-10); /* twenty units of time of roundings */
    assert_near(T[1], T[0], 1e-10);
}

/* ---- names, messages, writing ---- */

static void test_tables_show_one_joint_and_its_sliders_by_number(void **state) {
    (void)state;
    am_run *run = run_joint("{tangent: [1], friction: {law: iwan, density: table, strength: [0.1, 0.2], stiffness: [1, "
                            "1]}}, {name: brake, tangent: [1], law: held, hold: {constant: 1}, friction: 0.05}",
                            "mass: [1], stiffness: [1], loads: [{direction: [1], sine: {amplitude: 1, frequency: "
                            "0.5}}]}\nanalysis: {kind: motion, until: 1.5, samples: 2");
    const am_table *samples = table_of(am_run_report(run)->result, "samples"),
                   *events = table_of(am_run_report(run)->result, "events");
    assert_string_equal(word(samples, 0, "state1"), "stick");
    assert_string_equal(word(events, 0, "contact"), "brake");
    assert_string_equal(word(events, 1, "contact"), "contact 1_1");
    assert_true(isfinite(cell(samples, 1, "T_brake")) && isfinite(cell(samples, 1, "T1")));
    assert_string_equal(text(am_run_report(run)->result, "initial_state"), "stick,stick");
    assert_string_equal(text(am_run_report(run)->result, "final_state"), "1 forward 1 stick,forward");
    am_run_free(run);
}

static void test_what_show_writes_is_the_same_study(void **state) {
    (void)state;
    const char *const laws[] = {"F_S: 1, K_T: 3, chi: -0.4, beta: 0.5, sliders: 7",
                                "density: uniform, F_S: 1, K_T: 3, width: 1.2",
                                "density: table, strength: [0.1, 0.4], stiffness: [1, 2]"};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++) {
        char study[1024];
        snprintf(
            study, sizeof study,
            "model: {kind: structure, mass: [1, 1], stiffness: [1, 1], contacts: [{normal: [0, 1], tangent: [1, 0], "
            "law: spring, contact_stiffness: 7, preload: 1, friction: {law: iwan, %s}}], loads: [{direction: [1, 0], "
            "sine: {amplitude: 1, frequency: 0.5}}]}\nanalysis: {kind: motion, until: 5, samples: 9}\n",
            laws[i]);
        am_run *run = run_text(study);
        uint64_t hash = tables_hash(am_run_report(run)->result);
        am_run_free(run);
        am_study *read = read_text(study);
        am_error err = {0};
        char *shown = am_study_show(read, &err);
        assert_non_null(shown);
        assert_non_null(strstr(shown, "law: iwan"));
        run = run_text(shown);
        assert_true(tables_hash(am_run_report(run)->result) == hash);
        am_run_free(run);
        free(shown);
        am_study_free(read);
    }
}

static void assert_refused(const char *contact, const char *words) {
    char study[1024];
    am_error err = {0};
    snprintf(study, sizeof study,
             "model: {kind: structure, stiffness: [1], contacts: [%s]}\nanalysis: {kind: path, until: 1}\n", contact);
    assert_null(am_study_parse("test.yaml", study, 0, NULL, false, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, words);
    assert_says(&err, "test.yaml:1:");
}

static void test_parameters_that_are_not_physical_are_refused(void **state) {
    (void)state;
    assert_refused("{tangent: [1], friction: {law: iwan, F_S: 1, K_T: 1, chi: -1, beta: 0}}",
                   "chi of an Iwan joint must be above -1");
    assert_refused("{tangent: [1], friction: {law: iwan, F_S: 1, K_T: 1, chi: -0.5}}", "needs the key 'beta'");
    assert_refused("{tangent: [1], friction: {law: iwan, F_S: 0, K_T: 1, chi: 0, beta: 0}}", "F_S must be positive");
    assert_refused("{tangent: [1], friction: {law: iwan, density: uniform, F_S: 1, K_T: 1, width: 3}}", "at most 2");
    assert_refused("{tangent: [1], friction: {law: iwan, density: uniform, F_S: 1, K_T: 1, chi: 0}}",
                   "chi is not for an Iwan joint with density: uniform");
    assert_refused("{tangent: [1], friction: {law: iwan, density: table, strength: [1, 2], stiffness: [1]}}",
                   "as many as strength");
    assert_refused("{tangent: [1], tangential_stiffness: 2, friction: {law: iwan, F_S: 1, K_T: 1, chi: 0, beta: 0}}",
                   "leave tangential_stiffness out");
    assert_refused("{tangent: [1], friction: {law: iwan, F_S: 1, K_T: 1, chi: 0, beta: 0, betta: 1}}", "betta");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_divided_density_is_exact_at_the_ends_of_intervals),
        cmocka_unit_test(test_uniform_density_from_zero_is_segalmans_without_exponent_and_end),
        cmocka_unit_test(test_narrow_uniform_density_is_one_slider),
        cmocka_unit_test(test_path_loads_and_unloads_as_masing_says),
        cmocka_unit_test(test_loss_of_small_cycles_grows_with_the_power_three_and_chi),
        cmocka_unit_test(test_slow_orbits_lose_what_the_path_loses),
        cmocka_unit_test(test_response_and_orbit_have_one_amplitude),
        cmocka_unit_test(test_sliders_of_a_compliant_contact_share_its_normal_force),
        cmocka_unit_test(test_tables_show_one_joint_and_its_sliders_by_number),
        cmocka_unit_test(test_what_show_writes_is_the_same_study),
        cmocka_unit_test(test_parameters_that_are_not_physical_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
