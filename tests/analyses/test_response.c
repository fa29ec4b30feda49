/* Periodic responses: against closed forms, exact motions, and laws they must obey. */
/* ctest: long */
#include <stdio.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/output.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const double PI = 3.14159265358979323846;

static const am_table *table_in(const am_run *made, const char *name) {
    return table_of(am_run_report(made)->result, name);
}

/* Values of a column in the rows of a kind. */
static size_t of_kind(const am_run *made, const char *kind, const char *column, size_t room, double *values) {
    const am_table *special = table_in(made, "special");
    size_t count = 0;
    for (size_t i = 0; i < am_table_rows(special) && count < room; i++)
        if (!strcmp(word(special, i, "kind"), kind))
            values[count++] = cell(special, i, column);
    return count;
}

/* ---- friction ---- */

/* Griffin's describing function: a Jenkins element of stiffness k and limit beta at amplitude A (constant N). */
static void describing_function(double k, double beta, double A, double *stiffness, double *loss) {
    *stiffness = k;
    *loss = 0.0;
    if (k * A <= beta)
        return;
    double turn = acos(1.0 - 2.0 * beta / (k * A));
    *stiffness = k / PI * (turn - 0.5 * sin(2.0 * turn));
    *loss = 4.0 * beta * (A - beta / k) / (PI * A * A);
}

/* A^2 |1 - Omega^2 + k_eq + i (2 zeta Omega + loss)|^2 = 1 at every point; Newton's tolerance is 1e-10. */
static void one_harmonic_obeys_griffins_closed_form(void **state) {
    (void)state;
    static const char *const studies[] = {"0.2", "0.6", "1.1", "4"};
    static const double betas[] = {0.2, 0.6, 1.1, 4.0};
    size_t slipping = 0, sticking = 0;
    for (size_t s = 0; s < 4; s++) {
        char study[512];
        snprintf(study, sizeof study,
                 "title: t\nmodel: {kind: griffin, k_ratio: 1.5, zeta: 0.1, beta: %s}\n"
                 "analysis: {kind: response, harmonics: 1, over: Omega, from: 0.2, to: 3, stability: none}\n",
                 studies[s]);
        am_run *made = run_text(study);
        const am_table *branch = table_in(made, "branch");
        assert_true(am_table_rows(branch) > 20);
        for (size_t i = 0; i < am_table_rows(branch); i++) {
            double Omega = cell(branch, i, "Omega"), A = cell(branch, i, "amplitude"), k, loss;
            describing_function(1.5, betas[s], A, &k, &loss);
            slipping += loss > 0.0;
            sticking += loss == 0.0;
            assert_near(A * hypot(1.0 - Omega * Omega + k, 0.2 * Omega + loss), 1.0, 1e-8);
        }
        assert_near(scalar(made, "reached"), 1.0, 0.0); /* the kinks at the onset of slip were passed */
        am_run_free(made);
    }
    assert_true(slipping > 50 && sticking > 50);
}

static void the_peak_of_figure_8_3_comes_out(void **state) {
    (void)state;
    const char *study =
        "title: t\nmodel: {kind: griffin, k_ratio: 1.5, zeta: 0.1, beta: 0.6, eta: 0.9, delta_deg: 90}\n"
        "analysis: {kind: response, harmonics: %s, over: Omega, from: 0.9, to: 1.3}\n";
    char text[512];
    snprintf(text, sizeof text, study, "1");
    am_run *one = run_text(text);
    snprintf(text, sizeof text, study, "auto");
    am_run *converged = run_text(text);
    assert_near(scalar(one, "peak"), 2.1167, 5e-5); /* four digits are known */
    assert_near(scalar(converged, "peak"), 1.9892, 5e-5);
    assert_near(scalar(converged, "peak"), scalar(converged, "peak_exact"), 1e-6); /* the tolerance of auto */
    assert_near(scalar(converged, "peak_stable"), 1.0, 0.0);
    am_run_free(one);
    am_run_free(converged);
}

/* Where the mean of the damper's force leaves zero the curve has a corner of its own, with a tangent that turns far:
 * the branch must go on to its end, without a branch point. */
static void the_corner_where_the_mean_sets_in_is_passed(void **state) {
    (void)state;
    static const char *const phases[] = {"-9", "-18"};
    for (size_t i = 0; i < 2; i++) {
        char study[512];
        snprintf(
            study, sizeof study,
            "title: t\nmodel: {kind: griffin, k_ratio: 2.038, zeta: 0.1084, beta: 1.924, eta: 0.552, delta_deg: %s}\n"
            "analysis: {kind: response, harmonics: 3, over: Omega, from: 0.5, to: 3, stability: none}\n",
            phases[i]);
        am_run *made = run_text(study);
        double peaks[8] = {NAN};
        assert_near(scalar(made, "reached"), 1.0, 0.0);
        assert_near(scalar(made, "branch_points"), 0.0, 0.0);
        assert_true(scalar(made, "peak") > 1.0); /* the resonance lies behind the corner */
        assert_int_equal(of_kind(made, "peak", "Omega", 8, peaks), 1);
        am_run_free(made);
    }
}

/* The exact orbit by shooting is another method altogether. */
static void enough_harmonics_agree_with_the_exact_motion(void **state) {
    (void)state;
    am_run *balanced = run_text("title: t\nmodel: {kind: griffin, beta: 0.6, Omega: 0.8}\n"
                                "analysis: {kind: response, harmonics: 150, stability: none}\n");
    am_run *exact = run_text("title: t\nmodel: {kind: griffin, beta: 0.6, Omega: 0.8}\nanalysis: {kind: orbit}\n");
    assert_near(scalar(balanced, "peak_largest"), scalar(exact, "v_max"), 1e-8);
    am_run_free(balanced);
    am_run_free(exact);
}

/* The force of rigid friction jumps: the error of the amplitude falls, but only algebraically, by less than two for
 * twice the harmonics. */
static void rigid_friction_converges_algebraically_to_the_exact_motion(void **state) {
    (void)state;
    static const int harmonics[] = {7, 15, 31, 63};
    double before = INFINITY;
    for (size_t i = 0; i < 4; i++) {
        char study[256];
        snprintf(study, sizeof study,
                 "title: t\nmodel: {kind: oscillator, beta: 0.3, Omega: 0.8}\n"
                 "analysis: {kind: response, harmonics: %d}\n",
                 harmonics[i]);
        am_run *made = run_text(study);
        double error = fabs(scalar(made, "peak") - scalar(made, "peak_exact"));
        assert_true(error < before / 1.5);
        assert_true(i == 0 || error > before / 2.5);
        before = error;
        am_run_free(made);
    }
}

/* Den Hartog's solution in closed form: its first harmonic over its largest displacement is the exact motion's own. */
static void the_exact_motion_next_to_a_balanced_one_is_den_hartogs(void **state) {
    (void)state;
    am_run *balanced = run_text("title: t\nmodel: {kind: oscillator, beta: 0.3, Omega: 0.8}\n"
                                "analysis: {kind: response, harmonics: 15}\n");
    am_run *exact = run_text("title: t\nmodel: {kind: oscillator, beta: 0.3, Omega: 0.8}\n"
                             "analysis: {kind: orbit, samples: 4097}\n");
    const am_table *samples = table_in(exact, "samples");
    size_t n = am_table_rows(samples) - 1;
    double c = 0.0, s = 0.0;
    for (size_t i = 0; i < n; i++) { /* the trapezoidal rule: q'' jumps, so its error is the step's cube */
        double theta = 2.0 * PI * (double)i / (double)n, v = cell(samples, i, "v");
        c += 2.0 / (double)n * v * cos(theta);
        s += 2.0 / (double)n * v * sin(theta);
    }
    assert_near(scalar(balanced, "peak_exact"), hypot(c, s), 1e-8);
    am_run_free(balanced);
    am_run_free(exact);
}

/* ---- linear structures ---- */

static void a_linear_disc_answers_as_its_closed_form(void **state) {
    (void)state;
    am_run *made = run_text("title: t\nmodel: {kind: bladed-disc, sectors: 6, engine_order: 2, damper_stiffness: 0}\n"
                            "analysis: {kind: response, harmonics: 1, over: Omega, from: 0.7, to: 1.1}\n");
    const am_table *branch = table_in(made, "branch");
    am_bladed_disc disc = am_bladed_disc_default();
    disc.sectors = 6;
    disc.engine_order = 2;
    disc.damper_stiffness = 0.0;
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        double blade, plate;
        disc.Omega = cell(branch, i, "Omega");
        am_bladed_disc_amplitudes(&disc, false, &blade, &plate);
        assert_near(cell(branch, i, "blade1_1"), blade, 1e-8 * blade); /* Newton's tolerance over the damping */
        assert_near(cell(branch, i, "disc4_1"), plate, 1e-8 * blade);
    }
    am_run_free(made);
}

/* With one harmonic Fig. 8.3 lacks the hump near Omega = 0.5, where the second meets the resonance. */
static void the_truncation_of_a_branch_is_that_of_its_worst_motions(void **state) {
    (void)state;
    static const char study[] = "title: t\nmodel: {kind: griffin, k_ratio: 1.5, zeta: 0.1, beta: 0.6, eta: 0.9, "
                                "delta_deg: 90, Omega: %.17g}\n"
                                "analysis: {kind: response, harmonics: 1, tolerance: 2, stability: none%s}\n";
    char text[512];
    double worst = 0.0;
    for (double Omega = 0.4; Omega < 0.6; Omega += 0.04) {
        snprintf(text, sizeof text, study, Omega, "");
        am_run *one = run_text(text);
        worst = fmax(worst, scalar(one, "truncation"));
        am_run_free(one);
    }
    snprintf(text, sizeof text, study, 1.0, ", over: Omega, from: 0.3, to: 2.2");
    am_run *branch = run_text(text);
    assert_true(worst > 1.0);
    assert_true(scalar(branch, "truncation") > 0.9 * worst); /* one place in 192 is looked at, the worst of 16 taken */
    am_run_free(branch);
}

/* ---- self-excited motions ---- */

static void the_single_oscillator_folds_at_the_closed_form(void **state) {
    (void)state;
    double hopf = NAN;
    am_run *made = run_text("title: t\nmodel: {kind: chain, count: 1, xi3: 0.3, xi5: 0.1, xi1: 0.15}\n"
                            "analysis: {kind: response, harmonics: 1, over: xi1, from: -0.4, to: 0.6, start: {pattern: "
                            "[1]}}\n");
    assert_near(scalar(made, "folds"), 1.0, 0.0);
    assert_near(scalar(made, "first_fold"), 9.0 * 0.09 / (40.0 * 0.1), 1e-10); /* Newton's tolerance */
    assert_int_equal(of_kind(made, "hopf", "xi1", 1, &hopf), 1);
    assert_near(hopf, 0.0, 1e-10);
    am_run_free(made);
}

/* Exact orbits exist below the converged fold and not above it. */
static void the_converged_fold_is_that_of_the_exact_orbits(void **state) {
    (void)state;
    am_run *made = run_text("title: t\nmodel: {kind: chain, count: 1, xi3: 0.3, xi5: 0.1, xi1: 0.18}\n"
                            "analysis: {kind: response, over: xi1, from: 0.15, to: 0.25, start: {pattern: [1]}}\n");
    double fold = scalar(made, "first_fold");
    assert_near(fold, 0.20238, 5e-6);
    assert_true(scalar(made, "truncation") < 1e-6);
    for (int side = 0; side < 2; side++) {
        char study[256];
        snprintf(study, sizeof study,
                 "title: t\nmodel: {kind: chain, count: 1, xi3: 0.3, xi5: 0.1, xi1: %.12f}\n"
                 "analysis: {kind: orbit, initial: {displacement: [0.3], velocity: [0]}}\n",
                 fold + (side ? 2e-4 : -2e-4));
        am_study *text = read_text(study);
        am_error err = {0};
        am_run *orbit = am_study_run(text, NULL, &err);
        const am_scalar *period = orbit ? am_result_find(am_run_report(orbit)->result, "period") : NULL;
        bool moves = period && period->kind == AM_SCALAR_NUMBER && period->number > 0.0;
        assert_true(moves == (side == 0));
        am_run_free(orbit);
        am_study_free(text);
    }
    am_run_free(made);
}

static void the_isola_of_one_and_three_masses_closes_with_four_folds(void **state) {
    (void)state;
    if (CASES(0, 1))
        skip(); /* numbers; under the sanitizers test_response_isola goes the same ways with fewer masses */
    am_run *made =
        run_text("title: t\nmodel: {kind: chain, count: 12, coupling: 0.01, xi1: 0.15, xi3: 0.3, xi5: 0.1}\n"
                 "analysis: {kind: response, harmonics: 1, over: xi1, start: {pattern: [0, 0, 0, 0, 0, 1, 0, 0, "
                 "0, 0, 0, 0]}}\n");
    double folds[8] = {NAN};
    assert_near(scalar(made, "closed"), 1.0, 0.0);
    assert_int_equal(of_kind(made, "fold", "xi1", 8, folds), 4);
    assert_near(folds[0], 0.04916, 5e-6); /* five digits are known */
    assert_near(scalar(made, "branch_points"), 4.0, 0.0);
    assert_near(scalar(made, "unlocated"), 0.0, 0.0);
    am_run_free(made);
}

/* ---- stability ---- */

/* Forced van der Pol oscillator with little damping mu: the slow flow loses stability by a pair where A^2 = 2. The
 * corrections are of the order of mu. */
static void the_forced_van_der_pol_oscillator_turns_quasi_periodic(void **state) {
    (void)state;
    am_run *made =
        run_text("title: t\nmodel:\n  kind: structure\n  mass: [[1]]\n  stiffness: [[1]]\n"
                 "  polynomials: [{direction: [1], terms: [{coefficient: -0.02, velocity: 1}, {coefficient: 0.02, "
                 "displacement: 2, velocity: 1}]}]\n"
                 "  loads: [{direction: [1], sine: {amplitude: 0.04, frequency: 1}}]\n"
                 "analysis: {kind: response, harmonics: 5, over: model.loads.0.sine.frequency, from: 1, to: 1.1}\n");
    double amplitude = NAN;
    assert_int_equal(of_kind(made, "neimark-sacker", "amplitude", 1, &amplitude), 1);
    assert_near(amplitude * amplitude, 2.0, 0.02);
    am_run_free(made);
}

/* Where Hill's method sees a multiplier of -1 the exact motion has it. */
static void a_period_doubling_has_the_multiplier_minus_one(void **state) {
    (void)state;
    const char *model = "model:\n  kind: structure\n  mass: [[1]]\n  damping: [[0.1]]\n  stiffness: [[1]]\n"
                        "  polynomials: [{direction: [1], terms: [{coefficient: -1, displacement: 2}]}]\n"
                        "  loads: [{direction: [1], sine: {amplitude: 0.11, frequency: %.15g}}]\n";
    char study[1024], with[768];
    double where = NAN;
    snprintf(with, sizeof with, model, 1.2);
    snprintf(study, sizeof study,
             "title: t\n%sanalysis: {kind: response, harmonics: 9, over: model.loads.0.sine.frequency, from: 1.3, to: "
             "0.7}\n",
             with);
    am_run *made = run_text(study);
    assert_int_equal(of_kind(made, "period-doubling", "loads.0.sine.frequency", 1, &where), 1);
    snprintf(with, sizeof with, model, where);
    snprintf(study, sizeof study, "title: t\n%sanalysis: {kind: response, harmonics: 9, stability: floquet}\n", with);
    am_run *exact = run_text(study);
    const am_table *branch = table_in(exact, "branch");
    assert_near(cell(branch, 0, "multiplier"), 1.0, 1e-4); /* the truncation of nine harmonics */
    am_run_free(made);
    am_run_free(exact);
}

/* Both methods judge the same motions alike, away from their borders. */
static void hill_and_floquet_agree(void **state) {
    (void)state;
    const char *study =
        "title: t\nmodel: {kind: chain, count: 3, coupling: 0.02, xi1: 0.12}\n"
        "analysis: {kind: response, harmonics: 7, over: xi1, from: 0.02, to: 0.19, start: {pattern: [1, "
        "-1, 0]}, stability: %s, values: [0.05, 0.08, 0.11, 0.14, 0.17]}\n";
    char text[512];
    snprintf(text, sizeof text, study, "hill");
    am_run *hill = run_text(text);
    snprintf(text, sizeof text, study, "floquet");
    am_run *floquet = run_text(text);
    const am_table *a = table_in(hill, "branch"), *b = table_in(floquet, "branch");
    size_t compared = 0;
    assert_int_equal(am_table_rows(a), am_table_rows(b));
    for (size_t i = 0; i < am_table_rows(a); i++) {
        double exponent = cell(a, i, "exponent"), other = cell(b, i, "exponent");
        if (strcmp(word(a, i, "kind"), "value") || isnan(other))
            continue;
        compared++;
        assert_near(exponent, other, 1e-4); /* truncation of seven harmonics */
        assert_near(cell(b, i, "exact"), cell(b, i, "amplitude"), 1e-4 * cell(b, i, "amplitude"));
    }
    assert_true(compared >= 3);
    am_run_free(hill);
    am_run_free(floquet);
}

/* ---- what once went wrong ---- */

/* The mean of a damper that is about to slip has a sharp corner there; the curve goes on in both senses. */
static void onset_of_slip_is_passed_both_ways(void **state) {
    (void)state;
    const char *study =
        "title: t\nmodel: {kind: griffin, k_ratio: 1.5, zeta: 0.1, beta: 0.6, eta: 0.9, delta_deg: 90}\n"
        "analysis: {kind: response, harmonics: 7, over: beta, from: %s, stability: none}\n";
    for (int back = 0; back < 2; back++) {
        char text[512];
        snprintf(text, sizeof text, study, back ? "15, to: 0.01" : "0.01, to: 15");
        am_run *made = run_text(text);
        assert_near(scalar(made, "folds") + scalar(made, "branch_points"), 0.0, 0.0);
        assert_near(scalar(made, "peak_at"), 0.01, 0.0);
        assert_near(scalar(made, "peak"), 4.93648, 1e-5);
        am_run_free(made);
    }
}

/* A normal load that grows with the square of the speed follows no straight line and moves the onset of slip: at every
 * speed the response is that of the load it has there, and the walk does not stall at the onset. */
static void a_centrifugal_load_is_the_load_at_each_speed(void **state) {
    (void)state;
    am_run *made = run_text("title: t\nmodel: {kind: bladed-disc, sectors: 4, engine_order: 1, normal_load: 0, "
                            "centrifugal: 3.4}\nanalysis: {kind: response, harmonics: 3, over: Omega, from: 0.8, to: "
                            "1.2, stability: none, values: [0.94, 0.97, 1.01, 1.08]}\n");
    const am_table *branch = table_in(made, "branch");
    size_t values = 0;
    assert_true(am_table_rows(branch) < 2000);
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        if (strcmp(word(branch, i, "kind"), "value"))
            continue;
        char text[512];
        double Omega = cell(branch, i, "Omega");
        snprintf(text, sizeof text,
                 "title: t\nmodel: {kind: bladed-disc, sectors: 4, engine_order: 1, normal_load: %.17g, Omega: %.17g}\n"
                 "analysis: {kind: response, harmonics: 3, stability: none}\n",
                 3.4 * Omega * Omega, Omega);
        am_run *one = run_text(text);
        double amplitude = scalar(one, "peak");
        assert_near(cell(branch, i, "amplitude"), amplitude,
                    1e-8 * amplitude); /* Newton's tolerance over the damping */
        am_run_free(one);
        values++;
    }
    assert_int_equal(values, 4);
    am_run_free(made);
}

/* Dampers of a tuned disc begin to slip several at a time. An unnoticeable mistuning takes them apart, and must not
 * change how disturbances decay. */
static void slip_that_begins_at_several_dampers_at_once_is_judged_as_one_after_the_other(void **state) {
    (void)state;
    static const double speeds[] = {0.974, 0.99, 1.02};
    for (size_t i = 0; i < 3; i++) {
        double multiplier[2], exact[2];
        for (int mistuned = 0; mistuned < 2; mistuned++) {
            char text[512];
            snprintf(text, sizeof text,
                     "title: t\nmodel: {kind: bladed-disc, sectors: 4, engine_order: 1, Omega: %.17g%s}\n"
                     "analysis: {kind: response, harmonics: 7, stability: floquet}\n",
                     speeds[i], mistuned ? ", mistuning: [1.0e-7, -2.0e-7, 3.0e-7, -1.0e-7]" : "");
            am_run *made = run_text(text);
            multiplier[mistuned] = cell(table_in(made, "branch"), 0, "multiplier");
            exact[mistuned] = cell(table_in(made, "branch"), 0, "exact");
            am_run_free(made);
        }
        assert_near(multiplier[0], multiplier[1], 1e-5); /* the mistuning over the damping */
        assert_near(exact[0], exact[1], 1e-5 * exact[0]);
    }
}

/* Twelve dampers that stop almost at once: none of them may be left without a state. */
static void the_exact_motion_of_a_tuned_disc_is_found_at_its_peak(void **state) {
    (void)state;
    if (CASES(0, 1))
        skip(); /* numbers; under the sanitizers other peaks of this test have an exact motion, too */
    am_run *made = run_text("title: t\nmodel: {kind: bladed-disc, sectors: 12, engine_order: 3, normal_load: 5}\n"
                            "analysis: {kind: response, harmonics: 7, over: Omega, from: 0.95, to: 1.05}\n");
    assert_near(scalar(made, "peak_exact"), scalar(made, "peak"), 1e-5 * scalar(made, "peak")); /* truncation */
    assert_near(scalar(made, "peak_stable"), 1.0, 0.0);
    am_run_free(made);
}

/* Between the folds one motion is unstable. */
static void sliders_beside_springs_are_unstable_between_their_folds(void **state) {
    (void)state;
    am_run *made =
        run_text("title: t\nmodel:\n  kind: structure\n  mass: [[1]]\n  damping: [[0.05]]\n  stiffness: [[1]]\n"
                 "  polynomials: [{direction: [1], terms: [{coefficient: 0.3, displacement: 3}]}]\n"
                 "  contacts: [{tangent: [1], law: held, friction: 1, hold: {constant: 0.02}, "
                 "tangential_stiffness: 0.5}]\n"
                 "  loads: [{direction: [1], sine: {amplitude: 0.2, frequency: 1}}]\n"
                 "analysis: {kind: response, harmonics: 3, over: model.loads.0.sine.frequency, from: 0.6, to: "
                 "2.4}\n");
    const am_table *branch = table_in(made, "branch");
    double folds[4] = {NAN};
    assert_int_equal(of_kind(made, "fold", "loads.0.sine.frequency", 4, folds), 2);
    size_t passed = 0, judged[3][2] = {{0}}, withheld = 0;
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        passed += !strcmp(word(branch, i, "kind"), "fold");
        if (strcmp(word(branch, i, "kind"), "regular"))
            continue;
        double stable = cell(branch, i, "stable");
        if (isnan(stable)) { /* three harmonics have their folds a little beside the exact ones */
            assert_non_null(strstr(word(branch, i, "withheld"), "motion"));
            withheld++;
            continue;
        }
        judged[passed][stable == 1.0]++;
    }
    assert_true(judged[0][0] == 0 && judged[1][1] == 0 && judged[2][0] == 0);
    assert_true(judged[0][1] > 10 && judged[1][0] > 10 && judged[2][1] > 10);
    assert_near(scalar(made, "stability_withheld"), (double)withheld, 5.0); /* special points besides */
    am_run_free(made);
}

/* Rigid friction under a varying normal load: Newton's method finds nothing at the first frequency with three
 * harmonics, but the branch goes there. */
static void a_branch_begins_elsewhere_where_its_first_value_gives_no_start(void **state) {
    (void)state;
    am_run *made =
        run_text("title: t\nmodel: {kind: oscillator, beta: 0.3, Omega: 0.8, eta: 0.6, xi: 0.05}\n"
                 "analysis: {kind: response, harmonics: 3, over: Omega, from: 0.2, to: 2, stability: none}\n");
    const am_table *branch = table_in(made, "branch");
    size_t last = am_table_rows(branch) - 1;
    assert_near(cell(branch, 0, "Omega"), 0.2, 0.0);
    assert_near(cell(branch, last, "Omega"), 2.0, 0.0);
    for (size_t i = 1; i <= last; i++)
        assert_true(cell(branch, i, "Omega") >= cell(branch, i - 1, "Omega"));
    am_run_free(made);
}

/* Masses that move alike do not feel what couples them: each moves as it does alone. */
static void a_long_ring_starts_in_phase(void **state) {
    (void)state;
    char text[512], pattern[128] = "1";
    for (int i = 1; i < 24; i++)
        strcat(pattern, ", 1");
    snprintf(text, sizeof text,
             "title: t\nmodel: {kind: chain, count: 24, coupling: 0.01, xi1: 0.15, omega0: 1}\n"
             "analysis: {kind: response, harmonics: 1, stability: none, start: {pattern: [%s]}}\n",
             pattern);
    am_run *ring = run_text(text);
    am_run *alone = run_text("title: t\nmodel: {kind: chain, count: 1, xi1: 0.15, omega0: 1}\n"
                             "analysis: {kind: response, harmonics: 1, stability: none, start: {pattern: [1]}}\n");
    assert_near(scalar(ring, "peak"), scalar(alone, "peak"), 1e-9 * scalar(alone, "peak")); /* Newton's tolerance */
    assert_near(scalar(ring, "peak_frequency"), scalar(alone, "peak_frequency"), 1e-9);
    am_run_free(ring);
    am_run_free(alone);
}

/* Odd harmonics cannot follow the motions that leave a symmetric one, but they see where: all harmonics have their
 * branch point there. A single mass with damping has no Neimark-Sacker points, the product of its multipliers being
 * below one. */
static void broken_symmetry_is_a_branch_point_to_odd_harmonics_too(void **state) {
    (void)state;
    static const char *const how[] = {"parity: all, stability: none", "parity: odd, stability: hill",
                                      "parity: odd, stability: floquet"};
    double where[3];
    for (int i = 0; i < 3; i++) {
        char text[768];
        snprintf(text, sizeof text,
                 "title: t\nmodel: {kind: structure, mass: [[1]], damping: [[0.05]], stiffness: [[1]], polynomials: "
                 "[{direction: [1], terms: [{coefficient: 1, displacement: 3}]}], loads: [{direction: [1], sine: "
                 "{amplitude: 0.3, frequency: 2}}]}\n"
                 "analysis: {kind: response, harmonics: 9, over: model.loads.0.sine.amplitude, from: 17, to: 20, %s}\n",
                 how[i]);
        am_run *made = run_text(text);
        assert_near(scalar(made, "neimark_sackers"), 0.0, 0.0);
        assert_int_equal(of_kind(made, "branch-point", "loads.0.sine.amplitude", 1, &where[i]), 1);
        am_run_free(made);
    }
    assert_near(where[1], where[0], 2e-3); /* truncation of nine harmonics, which Hill's method feels most */
    assert_near(where[2], where[0], 1e-3);
}

/* ---- bad input ---- */

static void refuses(const char *model, const char *analysis, const char *words) {
    char study[1024];
    am_error err = {0};
    snprintf(study, sizeof study, "title: t\nmodel: %s\nanalysis: %s\n", model, analysis);
    am_study *made = am_study_parse("test.yaml", study, 0, NULL, false, &err);
    am_run *run = made ? am_study_run(made, NULL, &err) : NULL;
    if (run)
        fail_msg("accepted: %s", analysis);
    assert_says(&err, words);
    am_run_free(run);
    am_study_free(made);
}

static void bad_questions_get_sentences(void **state) {
    (void)state;
    const char *griffin = "{kind: griffin, beta: 0.6}", *chain = "{kind: chain, count: 3}";
    refuses(griffin, "{kind: response, harmonics: 0, over: Omega, from: 0.5, to: 2}", "at least 1");
    refuses(griffin, "{kind: response, harmonics: few, over: Omega, from: 0.5, to: 2}", "expected auto");
    refuses(griffin, "{kind: response, over: Omega, from: 0, to: 2}", "Omega");
    refuses(griffin, "{kind: response, over: Omeg, from: 0.5, to: 2}", "Omeg");
    refuses(griffin, "{kind: response, over: Omega}", "needs its range");
    refuses(griffin, "{kind: response, over: eta, from: 0.5, to: 1.5}", "eta");
    refuses(griffin, "{kind: response, from: 0.5, to: 1.5}", "needs `over:`");
    refuses(griffin, "{kind: response, coordinate: w}", "coordinate");
    refuses(griffin, "{kind: response, over: Omega, from: 0.5, to: 2, values: [1, 3]}", "the value 3");
    refuses("{kind: bladed-disc, sectors: 4, engine_order: 1}", "{kind: response, over: engine_order, from: 1, to: 2}",
            "whole number");
    refuses(chain, "{kind: response, over: count, from: 2, to: 4, start: {pattern: [1, 0, 0]}}", "cannot be followed");
    refuses(chain, "{kind: response, over: xi1, from: 0.1, to: 0.2}", "pattern");
    refuses(chain, "{kind: response, over: xi1, start: {pattern: [1, 0]}}", "3 coordinates");
    refuses(chain, "{kind: response, over: xi1, start: {pattern: [1, 0, x]}}", "'x'");
    refuses(chain, "{kind: response, over: xi1, start: {pattern: [0, 0, 0]}}", "at rest");
    refuses("{kind: chain, count: 1, xi1: 0.3}", "{kind: response, over: xi1, start: {pattern: [1]}}", "no cycle");
    refuses("{kind: klarbring, stiffness: [[1, 0], [0, 1]], mass: 1, friction: 0.2, loads: [{direction: [1, 0], sine: "
            "{amplitude: 1, frequency: 1}}]}",
            "{kind: response}", "its size still grows"); /* without damping, at its own frequency */
    refuses("{kind: structure, mass: [[1]], stiffness: [[1]], loads: [{direction: [1], sine: {amplitude: 1, frequency: "
            "1}}], contacts: [{tangent: [1], law: held, friction: 0.3, tangential_stiffness: 1, hold: {sine: "
            "{value: 1, amplitude: 2, frequency: 1}}}]}",
            "{kind: response, harmonics: 3}", "stay pressed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_harmonic_obeys_griffins_closed_form),
        cmocka_unit_test(the_peak_of_figure_8_3_comes_out),
        cmocka_unit_test(the_corner_where_the_mean_sets_in_is_passed),
        cmocka_unit_test(enough_harmonics_agree_with_the_exact_motion),
        cmocka_unit_test(rigid_friction_converges_algebraically_to_the_exact_motion),
        cmocka_unit_test(the_exact_motion_next_to_a_balanced_one_is_den_hartogs),
        cmocka_unit_test(a_linear_disc_answers_as_its_closed_form),
        cmocka_unit_test(the_truncation_of_a_branch_is_that_of_its_worst_motions),
        cmocka_unit_test(the_single_oscillator_folds_at_the_closed_form),
        cmocka_unit_test(the_converged_fold_is_that_of_the_exact_orbits),
        cmocka_unit_test(the_isola_of_one_and_three_masses_closes_with_four_folds),
        cmocka_unit_test(the_forced_van_der_pol_oscillator_turns_quasi_periodic),
        cmocka_unit_test(a_period_doubling_has_the_multiplier_minus_one),
        cmocka_unit_test(hill_and_floquet_agree),
        cmocka_unit_test(onset_of_slip_is_passed_both_ways),
        cmocka_unit_test(a_centrifugal_load_is_the_load_at_each_speed),
        cmocka_unit_test(slip_that_begins_at_several_dampers_at_once_is_judged_as_one_after_the_other),
        cmocka_unit_test(the_exact_motion_of_a_tuned_disc_is_found_at_its_peak),
        cmocka_unit_test(sliders_beside_springs_are_unstable_between_their_folds),
        cmocka_unit_test(a_branch_begins_elsewhere_where_its_first_value_gives_no_start),
        cmocka_unit_test(a_long_ring_starts_in_phase),
        cmocka_unit_test(broken_symmetry_is_a_branch_point_to_odd_harmonics_too),
        cmocka_unit_test(bad_questions_get_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
