/* `response`: curves of period doublings and Neimark-Sacker points over a second number. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "amontons/study.h"
#include "cases.h"
#include "errors.h"
#include "math/pi.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const am_table *curve_of(const am_run *run) {
    return table_of(am_run_report(run)->result, "bifurcation_curve");
}

/* ---- Mathieu's equation with damping ---- */

static const double damping = 0.1;

static double acceleration(double k, double q, double t, double x, double v) {
    return -damping * v - (k + q * sin(2.0 * t)) * x;
}

/* Runge and Kutta's method from (x, v) over the period pi. */
static void integrate(double k, double q, double *x, double *v) {
    enum { STEPS = 1500 };
    double h = pi / STEPS;
    for (int i = 0; i < STEPS; i++) {
        double t = i * h, a[4], u[4], y = *x, w = *v;
        u[0] = w, a[0] = acceleration(k, q, t, y, w);
        u[1] = w + 0.5 * h * a[0], a[1] = acceleration(k, q, t + 0.5 * h, y + 0.5 * h * u[0], u[1]);
        u[2] = w + 0.5 * h * a[1], a[2] = acceleration(k, q, t + 0.5 * h, y + 0.5 * h * u[1], u[2]);
        u[3] = w + h * a[2], a[3] = acceleration(k, q, t + h, y + h * u[2], u[3]);
        *x += h / 6.0 * (u[0] + 2.0 * u[1] + 2.0 * u[2] + u[3]);
        *v += h / 6.0 * (a[0] + 2.0 * a[1] + 2.0 * a[2] + a[3]);
    }
}

/* det(Phi + I) */
static double doubling(double k, double q) {
    double x = 1.0, v = 0.0, y = 0.0, w = 1.0;
    integrate(k, q, &x, &v);
    integrate(k, q, &y, &w);
    return (x + 1.0) * (w + 1.0) - v * y;
}

static const char mathieu[] =
    "model:\n  kind: structure\n  mass: [1]\n  damping: [0.1]\n  stiffness: [2]\n  Omega: 2\n"
    "  varying_stiffness: [{direction: [1], sine: {amplitude: 0.6, multiple: 1}}]\n"
    "  loads: [{direction: [1], sine: {amplitude: 1, multiple: 1}}]\n"
    "analysis: {kind: response, over: stiffness.0, from: 1.6, to: 0.4, harmonics: 9, bifurcations: {along: "
    "varying_stiffness.0.sine.amplitude, from: 0.1, to: 0.9}}\n";

static void doublings_surround_mathieus_tongue(void **state) {
    (void)state;
    am_run *run = run_text(mathieu);
    const am_table *curve = curve_of(run);
    size_t own = 0, tips = 0;
    for (size_t i = 0; i < am_table_rows(curve); i++) {
        double k = cell(curve, i, "stiffness.0"), q = cell(curve, i, "varying_stiffness.0.sine.amplitude");
        assert_string_equal(word(curve, i, "bifurcation"), "period-doubling");
        assert_near(cell(curve, i, "multiplier_re"), -1.0, 1e-8);
        if (i % CASES(5, 25) == 0)
            assert_near(doubling(k, q), 0.0, 1e-8); /* Newton's tolerance, 1e-9 of the slope times the range */
        own += q == 0.6;
        if (!strcmp(word(curve, i, "kind"), "extremum")) {
            tips++;
            assert_near(q, 2.0 * damping, damping * damping * damping); /* by averaging */
        }
    }
    assert_int_equal((int)scalar(run, "bifurcation_curves"), 1); /* both sides of the tongue are one curve */
    assert_int_equal((int)scalar(run, "bifurcation_curves_lost"), 0);
    assert_int_equal(own, 2);
    assert_int_equal(tips, 1);
    am_run_free(run);
}

/* ---- van der Pol's oscillator, forced ---- */

static void write_van_der_pol(double Omega, double force, const char *analysis, char *text, size_t size) {
    snprintf(text, size,
             "model:\n  kind: structure\n  mass: [1]\n  damping: [-0.3]\n  stiffness: [1]\n"
             "  polynomials: [{direction: [1], terms: [{coefficient: 0.3, displacement: 2, velocity: 1}]}]\n"
             "  Omega: %.17g\n  loads: [{direction: [1], sine: {amplitude: %.17g, multiple: 1}}]\n"
             "analysis: {kind: response, %s}\n",
             Omega, force, analysis);
}

/* det Phi = exp(integral of 0.3 (1 - x^2)): a pair on the unit circle has the mean square 1. */
static double mean_square(double Omega, double force) {
    char study[1024];
    write_van_der_pol(Omega, force, "harmonics: 21, stability: none", study, sizeof study);
    am_run *run = run_text(study);
    const am_table *shape = table_of(am_run_report(run)->result, "shape");
    double sum = 0.0;
    for (size_t h = 0; h < am_table_rows(shape); h++)
        sum += 0.5 * (pow(cell(shape, h, "q1_cos"), 2.0) + pow(cell(shape, h, "q1_sin"), 2.0));
    am_run_free(run);
    return sum;
}

static void tori_are_born_where_the_mean_square_is_one(void **state) {
    char study[1024];
    size_t checked = 0, strong = 0;
    (void)state;
    write_van_der_pol(1.5, 1.5,
                      "over: Omega, from: 1.2, to: 2.5, harmonics: 9, bifurcations: {along: loads.0.sine.amplitude, "
                      "from: 0.8, to: 2}",
                      study, sizeof study);
    am_run *run = run_text(study);
    const am_table *curve = curve_of(run);
    for (size_t i = 0; i < am_table_rows(curve); i++) {
        const char *kind = word(curve, i, "kind");
        double re = cell(curve, i, "multiplier_re");
        assert_near(hypot(re, cell(curve, i, "multiplier_im")), 1.0, 1e-8);
        if (!strcmp(kind, "resonance-1:3") || !strcmp(kind, "resonance-1:4")) {
            assert_near(re, kind[12] == '3' ? -0.5 : 0.0, 1e-7);
            strong++;
        }
        if (i % CASES(20, 60) != 0)
            continue;
        assert_near(mean_square(cell(curve, i, "Omega"), cell(curve, i, "loads.0.sine.amplitude")), 1.0, 1e-7);
        checked++;
    }
    assert_true(checked > 1);
    assert_int_equal(strong, 2);
    assert_true(scalar(run, "bifurcation_error") < 1e-8);
    assert_true(strstr(word(curve, 0, "why"), "left its range") != NULL);
    am_run_free(run);
}

/* ---- under control ---- */

static am_run *run_format(const char *format, ...) {
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return run_text(text);
}

static const char *find_words(const char *text, const char *words) {
    const char *at = strstr(text, words);
    assert_non_null(at);
    return at;
}

/* An amplitude that is kept does not move Mathieu's tongue; along it the load is the one that keeps it. */
static void doublings_under_control_are_those_of_the_structure(void **state) {
    (void)state;
    const char *tail = find_words(mathieu, "bifurcations");
    am_run *run = run_format("%.*scontrol: [{coordinate: q1, amplitude: 0.5, by: loads.0.sine.amplitude}], %s",
                             (int)(tail - mathieu), mathieu, tail);
    const am_table *curve = curve_of(run);
    assert_true(am_table_rows(curve) > 20);
    assert_int_equal((int)scalar(run, "bifurcation_curves"), 1);
    for (size_t i = 0; i < am_table_rows(curve); i += CASES(10, 50)) {
        double k = cell(curve, i, "stiffness.0"), q = cell(curve, i, "varying_stiffness.0.sine.amplitude");
        assert_near(doubling(k, q), 0.0, 1e-8);
        am_run *there = run_format("model:\n  kind: structure\n  mass: [1]\n  damping: [0.1]\n  stiffness: [%.17g]\n"
                                   "  varying_stiffness: [{direction: [1], sine: {amplitude: %.17g, frequency: 2}}]\n"
                                   "  loads: [{direction: [1], sine: {amplitude: %.17g, frequency: 2}}]\n"
                                   "analysis: {kind: response, harmonics: 11, stability: none}\n",
                                   k, q, cell(curve, i, "loads.0.sine.amplitude"));
        assert_near(scalar(there, "peak"), 0.5, 1e-8);
        am_run_free(there);
    }
    am_run_free(run);
}

/* The load keeps a phase by its frequency while tori are followed along the stiffness. */
static void tori_are_born_there_under_control_too(void **state) {
    static const char oscillator[] =
        "model:\n  kind: structure\n  mass: [1]\n  damping: [-0.3]\n  stiffness: [%.17g]\n"
        "  polynomials: [{direction: [1], terms: [{coefficient: 0.3, displacement: 2, velocity: 1}]}]\n"
        "  Omega: %.17g\n  loads: [{direction: [1], sine: {amplitude: %.17g, multiple: 1}}]\n";
    char text[1024];
    size_t checked = 0;
    (void)state;
    snprintf(text, sizeof text, oscillator, 1.0, 2.2, 6.0);
    am_run *run =
        run_format("%sanalysis: {kind: response, harmonics: 9, over: loads.0.sine.amplitude, from: 6, to: 0.5, "
                   "control: [{coordinate: q1, lag_deg: 188, by: Omega}], bifurcations: {along: stiffness.0, "
                   "from: 0.9, to: 1.1}}\n",
                   text);
    const am_table *curve = curve_of(run);
    for (size_t i = 0; i < am_table_rows(curve); i += CASES(8, 40), checked++) {
        snprintf(text, sizeof text, oscillator, cell(curve, i, "stiffness.0"), cell(curve, i, "Omega"),
                 cell(curve, i, "loads.0.sine.amplitude"));
        am_run *there = run_format("%sanalysis: {kind: response, harmonics: 21, stability: none}\n", text);
        const am_table *shape = table_of(am_run_report(there)->result, "shape");
        double sum = 0.0, lag = 188.0 * pi / 180.0, angle = 0.5 * pi + lag; /* of sin: a quarter of a period */
        for (size_t h = 0; h < am_table_rows(shape); h++) {
            double a = cell(shape, h, "q1_cos"), b = cell(shape, h, "q1_sin");
            sum += 0.5 * (a * a + b * b);
            if (cell(shape, h, "harmonic") == 1.0)
                assert_near(b * cos(angle) - a * sin(angle), 0.0, 1e-7);
        }
        assert_near(sum, 1.0, 1e-7);
        am_run_free(there);
    }
    assert_true(checked > 1);
    am_run_free(run);
}

/* ---- what is refused ---- */

static void refuse(const char *analysis, const char *words) {
    char study[1024];
    am_error err = {0};
    write_van_der_pol(1.5, 1.5, analysis, study, sizeof study);
    am_study *made = am_study_parse("/test.yaml", study, 0, NULL, false, &err);
    am_run *run = made ? am_study_run(made, NULL, &err) : NULL;
    if (run)
        fail_msg("'%s' was not refused", analysis);
    assert_says(&err, words);
    am_study_free(made);
}

static void what_curves_of_bifurcations_need_is_said(void **state) {
    (void)state;
    refuse(
        "over: Omega, from: 1, to: 2, stability: none, bifurcations: {along: loads.0.sine.amplitude, from: 1, to: 2}",
        "stability: none");
    refuse("over: Omega, from: 1, to: 2, bifurcations: {along: loads.0.sine.amplitude, from: 2, to: 3}",
           "own value, 1.5");
    refuse("over: Omega, from: 1, to: 2, bifurcations: {along: Omega, from: 1, to: 3}", "another number");
    refuse("bifurcations: {along: Omega, from: 1, to: 3}", "needs `over:`");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doublings_surround_mathieus_tongue),
        cmocka_unit_test(tori_are_born_where_the_mean_square_is_one),
        cmocka_unit_test(doublings_under_control_are_those_of_the_structure),
        cmocka_unit_test(tori_are_born_there_under_control_too),
        cmocka_unit_test(what_curves_of_bifurcations_need_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
