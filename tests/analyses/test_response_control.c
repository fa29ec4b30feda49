/* `response` under control: amplitudes and phases that are kept, by loads and frequencies that are found. */
#include <math.h>
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
#include "uniform.h"

/* The structure's own numbers, where the branch starts, are far from what control makes of them. */
static am_run *respond(const char *structure, const char *analysis) {
    char study[24000];
    snprintf(study, sizeof study, "model:\n  kind: structure\n%sanalysis: {kind: response, %s}\n", structure, analysis);
    return run_text(study);
}

static const am_table *branch_of(const am_run *run) {
    return table_of(am_run_report(run)->result, "branch");
}

/* Row of the first value that was asked for. */
static size_t value_row(const am_table *branch) {
    for (size_t i = 0; i < am_table_rows(branch); i++)
        if (!strcmp(word(branch, i, "kind"), "value"))
            return i;
    fail_msg("the value was not met");
    return 0;
}

typedef struct oscillator {
    double m, c, k, cubic; /* mass, damping, stiffness, cubic spring */
    double k_d, L;         /* Jenkins element: spring and limit; 0: none */
    double amplitude, Omega;
} oscillator;

static oscillator draw(uint64_t *seed) {
    return (oscillator){.m = uniform(seed, 0.5, 2.0),
                        .c = uniform(seed, 0.02, 0.2),
                        .k = uniform(seed, 1.0, 4.0),
                        .cubic = uniform(seed, 0.2, 2.0),
                        .k_d = uniform(seed, 0.5, 2.0),
                        .L = uniform(seed, 0.1, 0.2),
                        .amplitude = uniform(seed, 0.7, 1.5),
                        .Omega = uniform(seed, 0.6, 2.0)};
}

static const char *write_oscillator(const oscillator *o, double force, char *text, size_t size) {
    int at = snprintf(text, size,
                      "  names: [x]\n  mass: [%.17g]\n  damping: [%.17g]\n  stiffness: [%.17g]\n  Omega: 0.5\n"
                      "  loads: [{direction: [1], sine: {amplitude: %.17g, multiple: 1, phase_deg: 0}}]\n"
                      "  polynomials: [{direction: [1], terms: [{coefficient: %.17g, displacement: 3}]}]\n",
                      o->m, o->c, o->k, force, o->cubic);
    if (o->k_d > 0.0)
        snprintf(text + at, size - (size_t)at,
                 "  contacts: [{tangent: [1], law: held, hold: {constant: 1}, friction: %.17g, tangential_stiffness: "
                 "%.17g}]\n",
                 o->L, o->k_d);
    return text;
}

/* The force of one harmonic: linear structure, cubic spring, and Griffin's describing function of a Jenkins element. */
static double force_of(const oscillator *o, double A, double Omega) {
    double stiff = o->k + 0.75 * o->cubic * A * A - o->m * Omega * Omega, loss = o->c * Omega, limit = o->L / o->k_d;
    if (o->k_d > 0.0 && A > limit) {
        double phi = acos(1.0 - 2.0 * limit / A);
        stiff += o->k_d / pi * (phi - 0.5 * sin(2.0 * phi));
        loss += 4.0 * o->L / (pi * A) * (1.0 - limit / A);
    } else {
        stiff += o->k_d;
    }
    return A * hypot(stiff, loss);
}

/* ---- closed forms ---- */

static void check_constant_amplitude(const oscillator *o) {
    char structure[1024], analysis[512];
    snprintf(
        analysis, sizeof analysis,
        "over: Omega, from: 0.5, to: 2.5, values: [%.17g], harmonics: 1, tolerance: 100, stability: none, control: "
        "[{coordinate: x, amplitude: %.17g, by: loads.0.sine.amplitude}]",
        o->Omega, o->amplitude);
    am_run *run = respond(write_oscillator(o, 0.3, structure, sizeof structure), analysis);
    const am_table *branch = branch_of(run);
    for (size_t i = 0; i < am_table_rows(branch); i += 7) {
        double wanted = force_of(o, o->amplitude, cell(branch, i, "Omega"));
        assert_near(cell(branch, i, "x_1"), o->amplitude, 1e-9 * o->amplitude); /* Newton's tolerance is 1e-10 */
        assert_near(cell(branch, i, "loads.0.sine.amplitude"), wanted, 1e-8 * o->k * o->amplitude);
    }
    assert_near(cell(branch, value_row(branch), "loads.0.sine.amplitude"), force_of(o, o->amplitude, o->Omega),
                1e-8 * o->k * o->amplitude);
    assert_int_equal((int)scalar(run, "folds"), 0); /* one force for every frequency */
    assert_true(scalar(run, "control_error") < 1e-9);
    am_run_free(run);
}

static void the_force_of_a_constant_amplitude_is_that_of_the_closed_form(void **state) {
    uint64_t seed = 7;
    (void)state;
    for (int i = 0; i < CASES(12, 3); i++) {
        oscillator o = draw(&seed);
        if (i % 3 == 0)
            o.cubic = 1e-300; /* linear */
        if (i % 3 < 2)
            o.k_d = 0.0;
        check_constant_amplitude(&o);
    }
}

/* Of the displacement of a linear structure: at Omega^2 = k/m - (c/m)^2/2. */
static void the_least_force_of_a_linear_oscillator_is_located(void **state) {
    char structure[1024];
    const oscillator o = {.m = 1.3, .c = 0.3, .k = 2.1, .cubic = 1e-300};
    (void)state;
    am_run *run = respond(write_oscillator(&o, 0.3, structure, sizeof structure),
                          "over: Omega, from: 0.5, to: 2.5, harmonics: 1, tolerance: 1, stability: none, control: "
                          "[{coordinate: x, amplitude: 0.7, by: loads.0.sine.amplitude}]");
    double at = sqrt(o.k / o.m - 0.5 * o.c * o.c / (o.m * o.m));
    assert_near(scalar(run, "control_least_at"), at, 1e-8);
    assert_near(scalar(run, "control_least"), force_of(&o, 0.7, at), 1e-10);
    am_run_free(run);
}

/* In quadrature springs carry inertia and the load what is lost: c Omega A and the slider's loss. */
static void phase_resonance_lies_where_springs_carry_inertia(void **state) {
    uint64_t seed = 3;
    (void)state;
    for (int i = 0; i < CASES(8, 3); i++) {
        char structure[1024];
        oscillator o = draw(&seed);
        o.k_d *= i % 2;
        if (i % 4 == 0)
            o.cubic = 1e-300;
        am_run *run = respond(write_oscillator(&o, 0.3, structure, sizeof structure),
                              "over: loads.0.sine.amplitude, from: 0.3, to: 1, harmonics: 1, tolerance: 10, stability: "
                              "none, control: [{coordinate: x, lag_deg: 90, by: Omega}]");
        const am_table *branch = branch_of(run);
        for (size_t k = 0; k < am_table_rows(branch); k += 5) {
            double A = cell(branch, k, "x_1"), Omega = cell(branch, k, "Omega"), limit = o.L / o.k_d;
            double phi = acos(1.0 - 2.0 * limit / A), slider = o.k_d == 0.0 ? 0.0
                                                               : A > limit  ? o.k_d / pi * (phi - 0.5 * sin(2.0 * phi))
                                                                            : o.k_d;
            assert_near(o.m * Omega * Omega, o.k + 0.75 * o.cubic * A * A + slider, 1e-7);
            assert_near(force_of(&o, A, Omega), cell(branch, k, "loads.0.sine.amplitude"), 1e-8);
            assert_near(fabs(cell(branch, k, "x_phase_deg")), 180.0, 1e-6); /* sin lags by 90, and x by 90 more */
        }
        am_run_free(run);
    }
}

static void a_lag_may_be_any(void **state) {
    const oscillator o = {.m = 1.3, .c = 0.3, .k = 2.1, .cubic = 0.4};
    char structure[1024], analysis[512];
    (void)state;
    for (double lag = 15.0; lag < 180.0; lag += 50.0) {
        snprintf(analysis, sizeof analysis,
                 "over: loads.0.sine.amplitude, from: 0.3, to: 0.6, harmonics: 1, tolerance: 10, stability: none, "
                 "control: [{coordinate: x, lag_deg: %g, by: Omega}]",
                 lag);
        am_run *run = respond(write_oscillator(&o, 0.3, structure, sizeof structure), analysis);
        const am_table *branch = branch_of(run);
        size_t last = am_table_rows(branch) - 1;
        double A = cell(branch, last, "x_1"), Omega = cell(branch, last, "Omega");
        double stiff = o.k + 0.75 * o.cubic * A * A - o.m * Omega * Omega;
        assert_near(atan2(o.c * Omega, stiff), lag * one_degree, 1e-8);
        am_run_free(run);
    }
}

/* ---- other analyses ---- */

/* A chain of masses with a slider and a cubic spring. The rest is condensed, and where it is long, to modes. */
static const char *write_chain(size_t n, uint64_t *seed, double force, char *text, size_t size) {
    double k[40];
    size_t at = 0;
    for (size_t i = 0; i <= n; i++)
        k[i] = (double)(n * n) * uniform(seed, 0.03, 0.06);
    at += (size_t)snprintf(text + at, size - at, "  stiffness: [");
    for (size_t i = 0; i < n * n; i++) {
        size_t r = i / n, c = i % n;
        double entry = r == c ? k[r] + k[r + 1] : r == c + 1 ? -k[r] : c == r + 1 ? -k[c] : 0.0;
        at += (size_t)snprintf(text + at, size - at, "%s%.17g%s", c == 0 ? "[" : "", entry,
                               c + 1 < n   ? ", "
                               : r + 1 < n ? "], "
                                           : "]]\n");
    }
    for (size_t line = 0; line < 2; line++) {
        at += (size_t)snprintf(text + at, size - at, line ? "  damping: [" : "  mass: [");
        for (size_t i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, size - at, "%g%s", line ? 0.03 : 1.0, i + 1 < n ? ", " : "]\n");
    }
    snprintf(text + at, size - at,
             "  polynomials: [{direction: {q1: 1}, terms: [{coefficient: 0.7, displacement: 3}]}]\n"
             "  contacts: [{tangent: {q1: 1, q2: -1}, law: held, hold: {constant: 1}, friction: 0.1, "
             "tangential_stiffness: 0.8}]\n"
             "  Omega: 0.3\n"
             "  loads: [{direction: {q5: 1}, sine: {amplitude: %.17g, multiple: 1}}]\n",
             force);
    return text;
}

/* The amplitude nearest to `wanted` that the structure has at this force and frequency. */
static double nearest(size_t n, uint64_t seed, double force, double Omega, double wanted) {
    char structure[20000], analysis[512];
    snprintf(analysis, sizeof analysis,
             "over: Omega, from: 0.2, to: 1.2, values: [%.17g], harmonics: 3, stability: none", Omega);
    am_run *run = respond(write_chain(n, &seed, force, structure, sizeof structure), analysis);
    const am_table *branch = branch_of(run);
    double best = NAN;
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        double amplitude = cell(branch, i, "q4_1");
        if (!strcmp(word(branch, i, "kind"), "value") && !(fabs(amplitude - wanted) > fabs(best - wanted)))
            best = amplitude;
    }
    am_run_free(run);
    return best;
}

static void a_controlled_motion_is_one_under_the_force_that_was_found(void **state) {
    uint64_t seed = 11;
    (void)state;
    for (int i = 0; i < CASES(4, 1); i++) {
        char structure[20000];
        uint64_t same = seed;
        size_t n = i % 2 == 0 ? 20 : 6;
        am_run *run =
            respond(write_chain(n, &seed, 0.2, structure, sizeof structure),
                    "over: Omega, from: 0.3, to: 1, values: [0.55, 0.6, 0.72], harmonics: 3, stability: none, "
                    "control: [{coordinate: q4, amplitude: 1.5, by: loads.0.sine.amplitude}]");
        const am_table *branch = branch_of(run);
        for (size_t k = 0; k < am_table_rows(branch); k++) {
            if (strcmp(word(branch, k, "kind"), "value"))
                continue;
            double force = cell(branch, k, "loads.0.sine.amplitude");
            assert_near(cell(branch, k, "q4_1"), 1.5, 1e-9);
            assert_near(nearest(n, same, force, cell(branch, k, "Omega"), 1.5), 1.5,
                        1e-8); /* Newton's 1e-10, near folds */
        }
        am_run_free(run);
    }
}

/* In phase resonance the force of a softening oscillator is c omega A with m omega^2 = k - 3/4 b A^2: it is greatest at
 * A^2 = 2 k/(3 b), where the branch turns back. */
static void folds_are_followed_under_control(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < CASES(3, 1); i++) {
        double m = uniform(&seed, 0.5, 2.0), k = uniform(&seed, 0.5, 2.0), c = uniform(&seed, 0.05, 0.2),
               b = uniform(&seed, 0.2, 1.0), most = c * k / sqrt(3.0 * b * m);
        char text[1024];
        snprintf(text, sizeof text,
                 "model:\n  kind: structure\n  mass: [%.17g]\n  stiffness: [%.17g]\n  damping: [%.17g]\n  Omega: "
                 "%.17g\n  polynomials: [{direction: [1], terms: [{coefficient: %.17g, displacement: 3}]}]\n"
                 "  loads: [{direction: [1], sine: {amplitude: %.17g, multiple: 1}}]\n"
                 "analysis: {kind: response, harmonics: 1, tolerance: 1000, over: loads.0.sine.amplitude, from: %.17g, "
                 "to: %.17g, stability: none, control: [{coordinate: q1, lag_deg: 90, by: Omega}], folds: {along: "
                 "stiffness.0, from: %.17g, to: %.17g}}\n",
                 m, k, c, sqrt(k / m), -b, 0.2 * most, 0.2 * most, 2.0 * most, 0.7 * k, 1.3 * k);
        am_run *run = run_text(text);
        const am_table *curve = table_of(am_run_report(run)->result, "fold_curve");
        assert_int_equal((int)scalar(run, "fold_curves"), 1);
        assert_true(am_table_rows(curve) > 5);
        for (size_t row = 0; row < am_table_rows(curve); row++) {
            double stiff = cell(curve, row, "stiffness.0"), omega = sqrt(0.5 * stiff / m);
            assert_near(cell(curve, row, "loads.0.sine.amplitude"), c * stiff / sqrt(3.0 * b * m), 1e-8 * most);
            assert_near(cell(curve, row, "Omega"), omega, 1e-7 * omega);
            assert_near(cell(curve, row, "amplitude"), sqrt(2.0 * stiff / (3.0 * b)), 1e-6);
        }
        am_run_free(run);
    }
}

/* The exact motion is closed with the force that control found. */
static void the_exact_motion_has_the_amplitude_that_is_kept(void **state) {
    const oscillator o = {.m = 1.0, .c = 0.1, .k = 1.0, .cubic = 0.5, .k_d = 0.7, .L = 0.2};
    char structure[1024];
    (void)state;
    am_run *run = respond(write_oscillator(&o, 0.3, structure, sizeof structure),
                          "over: Omega, from: 0.8, to: 1.6, largest_step: 0.1, harmonics: auto, tolerance: 1e-4, "
                          "stability: floquet, control: [{coordinate: x, amplitude: 1, by: loads.0.sine.amplitude}]");
    const am_table *branch = branch_of(run);
    size_t known = 0;
    for (size_t i = 0; i < am_table_rows(branch); i++)
        if (!isnan(cell(branch, i, "exact"))) {
            assert_near(cell(branch, i, "exact"), 1.0, 2e-3); /* the tolerance, grown near the folds of a given force */
            known++;
        }
    assert_true(2 * known > am_table_rows(branch));
    am_run_free(run);
}

/* How the force grows with the amplitude, at 1. */
static double slope_of(const oscillator *o, double Omega) {
    return force_of(o, 1.0 + 1e-6, Omega) - force_of(o, 1.0 - 1e-6, Omega);
}

/* What is stable under control need not be so without: between the folds of a given force it is not. */
static void motions_between_the_folds_of_a_given_force_are_unstable_without_control(void **state) {
    const oscillator o = {.m = 1.0, .c = 0.05, .k = 1.0, .cubic = 1.0};
    char structure[1024];
    (void)state;
    am_run *run = respond(write_oscillator(&o, 0.1, structure, sizeof structure),
                          "over: Omega, from: 1, to: 2, harmonics: 3, control: [{coordinate: x, amplitude: 1, by: "
                          "loads.0.sine.amplitude}]");
    const am_table *branch = branch_of(run);
    size_t unstable = 0, judged = 0;
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        /* beyond resonance, where dF/dA < 0; with one harmonic the change is a little elsewhere */
        double Omega = cell(branch, i, "Omega"), stable = cell(branch, i, "stable");
        bool rises = slope_of(&o, Omega - 0.02) > 0.0;
        if (isnan(stable) || rises != (slope_of(&o, Omega + 0.02) > 0.0))
            continue;
        judged++;
        unstable += stable == 0.0;
        assert_int_equal((int)stable, rises);
    }
    assert_true(unstable > 10 && judged > unstable + 10);
    am_run_free(run);
}

/* Damping in proportion to mass, exciters at both masses: the force that keeps both in quadrature is alpha M q', and the
 * motion is the mode, which the extended periodic motion concept has with xi = alpha. */
static void check_mode(const am_table *branch, size_t row, const char *loads, size_t harmonics) {
    double x = cell(branch, row, "x_1"), y = cell(branch, row, "y_1"), a = sqrt(x * x + 2.0 * y * y);
    char study[2048];
    snprintf(study, sizeof study,
             "model:\n%sanalysis: {kind: backbone, mode: 1, from: %.17g, to: %.17g, values: [%.17g], harmonics: %zu, "
             "stability: none}\n",
             loads, 0.5 * a, 1.5 * a, a, harmonics);
    am_run *run = run_text(study);
    const am_table *backbone = table_of(am_run_report(run)->result, "backbone");
    size_t at = value_row(backbone);
    assert_near(cell(branch, row, "Omega"), cell(backbone, at, "frequency"), 1e-8);
    assert_near(cell(backbone, at, "damping"), 0.5 * 0.05 / cell(backbone, at, "frequency"), 1e-8);
    assert_near(cell(branch, row, "purity"), 1.0, 1e-9);
    am_run_free(run);
}

static const char two_masses[] = "  kind: structure\n  names: [x, y]\n  mass: [1, 2]\n  damping: [0.05, 0.1]\n"
                                 "  stiffness: [[2, -1], [-1, 3]]\n"
                                 "  polynomials: [{direction: [1, 0], terms: [{coefficient: 0.5, displacement: 3}]}]\n";

static void appropriated_exciters_isolate_the_mode_of_backbone(void **state) {
    char study[2048];
    (void)state;
    snprintf(
        study, sizeof study,
        "model:\n%s  Omega: 0.9\n"
        "  loads: [{direction: [1, 0], sine: {amplitude: 0.02, multiple: 1}}, "
        "{direction: [0, 1], sine: {amplitude: 0, multiple: 1}}]\n"
        "analysis: {kind: response, over: loads.0.sine.amplitude, from: 0.02, to: 0.08, harmonics: 1, tolerance: 10,"
        " stability: none, control: [{coordinate: x, lag_deg: 90, by: Omega, load: 0}, "
        "{coordinate: y, lag_deg: 90, by: loads.1.sine.amplitude, load: 0}]}\n",
        two_masses);
    am_run *run = run_text(study);
    const am_table *branch = branch_of(run);
    size_t last = am_table_rows(branch) - 1;
    check_mode(branch, 0, two_masses, 1);
    check_mode(branch, last, two_masses, 1);
    /* the force is alpha Omega M X */
    double Omega = cell(branch, last, "Omega");
    assert_near(cell(branch, last, "loads.1.sine.amplitude"), 0.05 * Omega * 2.0 * cell(branch, last, "y_1"), 1e-8);
    am_run_free(run);
}

/* With the third harmonic appropriated as well the mode is isolated with it. */
static void higher_harmonics_of_the_force_can_be_appropriated(void **state) {
    char study[4096];
    (void)state;
    snprintf(
        study, sizeof study,
        "model:\n%s  Omega: 1.02\n"
        "  loads: [{direction: [1, 0], sine: {amplitude: 0.04, multiple: 1}}, "
        "{direction: [0, 1], sine: {amplitude: 0.04, multiple: 1}}, "
        "{direction: [1, 0], sine: {amplitude: 0.001, multiple: 3}}, "
        "{direction: [0, 1], sine: {amplitude: -0.00015, multiple: 3}}]\n"
        "analysis: {kind: response, over: loads.0.sine.amplitude, from: 0.04, to: 0.05, harmonics: 3, tolerance: 10,"
        " stability: none, control: [{coordinate: x, lag_deg: 90, by: Omega, load: 0}, "
        "{coordinate: y, lag_deg: 90, by: loads.1.sine.amplitude, load: 0}, "
        "{coordinate: x, harmonic: 3, lag_deg: 90, by: loads.2.sine.amplitude, load: 2}, "
        "{coordinate: y, harmonic: 3, lag_deg: -90, by: loads.3.sine.amplitude, load: 2}]}\n",
        two_masses);
    am_run *run = run_text(study);
    const am_table *branch = branch_of(run);
    check_mode(branch, am_table_rows(branch) - 1, two_masses, 3);
    am_run_free(run);
}

/* ---- what is refused ---- */

static void refuse(const char *control, const char *words) {
    const oscillator o = {.m = 1.0, .c = 0.05, .k = 1.0, .cubic = 1.0, .k_d = 1.0, .L = 0.1};
    char structure[1024], study[4096];
    am_error err = {0};
    snprintf(study, sizeof study,
             "model:\n  kind: structure\n%sanalysis: {kind: response, over: Omega, from: 0.5, to: 2, harmonics: 3, "
             "control: [%s]}\n",
             write_oscillator(&o, 0.1, structure, sizeof structure), control);
    am_study *made = am_study_parse("/test.yaml", study, 0, NULL, false, &err);
    am_run *run = made ? am_study_run(made, NULL, &err) : NULL;
    if (run)
        fail_msg("'%s' was not refused", control);
    assert_says(&err, words);
    am_run_free(run);
    am_study_free(made);
}

static void what_control_cannot_do_is_said(void **state) {
    (void)state;
    refuse("{coordinate: x, amplitude: 1, by: stiffness.0}", "it changes the structure itself");
    refuse("{coordinate: x, amplitude: 1, by: contacts.0.friction}", "it changes the structure itself");
    refuse("{coordinate: x, by: loads.0.sine.amplitude}", "needs one of `amplitude`");
    refuse("{coordinate: x, amplitude: 1, lag_deg: 90, by: loads.0.sine.amplitude}", "needs one of `amplitude`");
    refuse("{coordinate: x, amplitude: -1, by: loads.0.sine.amplitude}", "positive");
    refuse("{coordinate: y, amplitude: 1, by: loads.0.sine.amplitude}", "unknown coordinate 'y'");
    refuse("{coordinate: x, amplitude: 1, by: Omega}", "varied already");
    refuse("{coordinate: x, amplitude: 1, by: loads.0.sine.phase_deg}", "straight lines");
    refuse("{coordinate: x, amplitude: 1, by: loads.1.sine.amplitude}", "loads.1");
    refuse("{coordinate: x, lag_deg: 90, load: 1, by: loads.0.sine.amplitude}", "there are 1 loads");
    refuse("{coordinate: x, lag_deg: 90, harmonic: 3, by: loads.0.sine.amplitude}", "none has the harmonic 3");
    refuse("{coordinate: x, amplitude: 1, harmonic: 2, by: loads.0.sine.amplitude}", "odd ones only");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_of_a_constant_amplitude_is_that_of_the_closed_form),
        cmocka_unit_test(the_least_force_of_a_linear_oscillator_is_located),
        cmocka_unit_test(phase_resonance_lies_where_springs_carry_inertia),
        cmocka_unit_test(a_lag_may_be_any),
        cmocka_unit_test(folds_are_followed_under_control),
        cmocka_unit_test(a_controlled_motion_is_one_under_the_force_that_was_found),
        cmocka_unit_test(the_exact_motion_has_the_amplitude_that_is_kept),
        cmocka_unit_test(motions_between_the_folds_of_a_given_force_are_unstable_without_control),
        cmocka_unit_test(appropriated_exciters_isolate_the_mode_of_backbone),
        cmocka_unit_test(higher_harmonics_of_the_force_can_be_appropriated),
        cmocka_unit_test(what_control_cannot_do_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
