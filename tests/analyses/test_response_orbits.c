/* `response` of structures whose velocities or friction jump by themselves: its branch is made of exact orbits. A load F
 * sin w t gives -pi F a to a motion whose first harmonic is a cos w t + b sin w t, and the losses of a period must be
 * just that; `orbit` counts them span by span. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "cases.h"
#include "errors.h"
#include "math/pi.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "study_text.h"

static const am_table *table_in(const am_run *made, const char *name) {
    return table_of(am_run_report(made)->result, name);
}

/* A mass, or a block on a floor that it may leave, or one that strikes a stop. */
static const char *const contacts[] = {
    "{tangent: [1], law: held, hold: {constant: 1}, friction: 0.3, static_friction: 0.5}",
    "{tangent: [1], law: held, hold: {constant: 1, sine: {amplitude: 0.3, multiple: 2}}, friction: 0.2, "
    "static_friction: 0.35}",
    "{normal: [1], law: unilateral, gap: 0.2, restitution: 0.4}",
    "{normal: [1], law: unilateral, gap: 0.1, restitution: 0.3, restitution_law: poisson}",
};
enum { CONTACTS = sizeof contacts / sizeof *contacts };

static void write_study(char *text, size_t size, const char *contact, double damping, double F, double w,
                        const char *analysis) {
    snprintf(text, size,
             "title: t\nmodel:\n  kind: structure\n  mass: [1]\n  damping: [%.17g]\n  stiffness: [1]\n  Omega: %.17g\n"
             "  contacts: [%s]\n  loads: [{direction: [1], sine: {amplitude: %.17g, multiple: 1}}]\n"
             "analysis: {kind: %s}\n",
             damping, w, contact, F, analysis);
}

static void the_load_gives_what_a_period_loses(void **state) {
    (void)state;
    random_source source = random_seed(31);
    for (size_t k = 0; k < CASES(24, 8); k++) {
        double damping = random_between(&source, 0.05, 0.3), F = random_between(&source, 0.6, 1.2);
        double w = random_between(&source, 0.4, 2.0);
        char text[2048], analysis[128];
        snprintf(analysis, sizeof analysis, "response, over: Omega, from: %.17g, to: %.17g, harmonics: 3", w,
                 w * 1.0001);
        write_study(text, sizeof text, contacts[k % CONTACTS], damping, F, w, "orbit");
        am_run *orbit = run_text(text);
        write_study(text, sizeof text, contacts[k % CONTACTS], damping, F, w, analysis);
        am_run *response = run_text(text);
        const am_table *branch = table_in(response, "branch");
        double a = cell(branch, 0, "q1_1") * cos(one_degree * cell(branch, 0, "q1_phase_deg"));
        double lost = scalar(orbit, "loss_friction") + scalar(orbit, "loss_damping") + scalar(orbit, "loss_impact");
        double periods = scalar(orbit, "returns"); /* of a longer orbit the first harmonic is not the load's */
        if (periods == 1.0)
            assert_near(-pi * F * a, lost, 1e-10 * F); /* closing errors and rounding of some hundred spans */
        assert_near(cell(branch, 0, "largest"), fmax(scalar(orbit, "q1_max"), -scalar(orbit, "q1_min")), 1e-12);
        assert_near(cell(branch, 0, "multiplier"), scalar(orbit, "multiplier"), 1e-9);
        am_run_free(orbit);
        am_run_free(response);
    }
}

/* Static friction says nothing where a motion does not stop: the balance of Coulomb's law has the same. */
static void without_stops_it_is_the_balance(void **state) {
    (void)state;
    static const char *const laws[] = {"friction: 0.2, static_friction: 0.21", "friction: 0.2"};
    double peak[2], at[2];
    for (size_t i = 0; i < 2; i++) {
        char text[2048], contact[128];
        snprintf(contact, sizeof contact, "{tangent: [1], law: held, hold: {constant: 1}, %s}", laws[i]);
        write_study(text, sizeof text, contact, 0.1, 1.0, 0.9,
                    i == 0 ? "response, over: Omega, from: 0.9, to: 1.1"
                           : "response, over: Omega, from: 0.9, to: 1.1, harmonics: 41");
        am_run *run = run_text(text);
        peak[i] = scalar(run, "peak_exact");
        at[i] = scalar(run, "peak_at");
        am_run_free(run);
    }
    /* the balance has its peak where its amplitude is greatest, which 41 harmonics know to 1e-4 or so: the amplitude
     * is flat there */
    assert_near(at[0], at[1], 1e-3);
    assert_near(peak[0], peak[1], 1e-5);
}

/* A mass on a belt that sticks to it: with D = (static - kinetic) N/k and v the belt's speed, it slips for 2 pi - 2
 * atan(D w/v) over w and is carried for 2 D/v (m = k = N = 1). */
static void stick_slip_has_its_period(void **state) {
    (void)state;
    am_run *run = run_text("title: t\nmodel:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n"
                           "  contacts: [{name: belt, tangent: [1], law: held, hold: {constant: 1}, friction: 0.3, "
                           "static_friction: 0.5, surface_velocity: 0.1}]\n"
                           "analysis: {kind: response, over: contacts.0.surface_velocity, from: 0.1, to: 0.2}\n");
    const am_table *branch = table_in(run, "branch");
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        double v = cell(branch, i, "contacts.0.surface_velocity"), D = 0.2;
        assert_near(two_pi / cell(branch, i, "frequency"), two_pi - 2.0 * atan(D / v) + 2.0 * D / v, 1e-12);
    }
    assert_string_equal(am_result_find(am_run_report(run)->result, "method")->text, "orbits");
    am_run_free(run);
}

/* Friction that falls with the speed stops and lets go at every turn: 96 harmonics leave out 1e-4 and more, and Newton's
 * method may find no start. The load gives what a period loses all the same, to the closing errors. */
static void where_harmonics_do_not_converge_the_branch_is_made_of_orbits(void **state) {
    (void)state;
    random_source source = random_seed(32);
    for (size_t k = 0; k < CASES(3, 1); k++) {
        double N = random_between(&source, 0.5, 0.9), F = random_between(&source, 0.5, 0.8);
        double w = random_between(&source, 0.2, 0.4);
        char text[2048], contact[256];
        snprintf(contact, sizeof contact,
                 "{tangent: [1], law: held, hold: {constant: %.17g}, friction: {law: stribeck, static: 0.5, kinetic: "
                 "0.2, velocity: 0.2}}",
                 N);
        write_study(text, sizeof text, contact, 0.1, F, w, "orbit");
        am_run *orbit = run_text(text);
        write_study(text, sizeof text, contact, 0.1, F, w, "response");
        am_run *response = run_text(text);
        const am_table *branch = table_in(response, "branch");
        assert_string_equal(am_result_find(am_run_report(response)->result, "method")->text, "orbits");
        double a = cell(branch, 0, "q1_1") * cos(one_degree * cell(branch, 0, "q1_phase_deg"));
        assert_true(scalar(orbit, "returns") == 1.0);
        assert_near(-pi * F * a, scalar(orbit, "loss_friction") + scalar(orbit, "loss_damping"), 1e-10 * F);
        am_run_free(orbit);
        am_run_free(response);
    }
}

static void what_belongs_to_the_balance_is_refused(void **state) {
    (void)state;
    static const char *const asked[] = {"branches: true", "isolas: {count: 3}", "parity: odd", "frequency: 0.35",
                                        "stability: hill"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        char text[2048], analysis[128];
        snprintf(analysis, sizeof analysis, "response, over: Omega, from: 0.7, to: 0.8, %s", asked[i]);
        write_study(text, sizeof text, contacts[0], 0.1, 1.0, 0.7, analysis);
        am_study *study = read_text(text);
        am_error err = {0};
        assert_null(am_study_run(study, NULL, &err));
        assert_non_null(strstr(err.message, "exact orbits"));
        am_study_free(study);
    }
}

/* Values that are to be hit are, and peaks lie between points. */
static void values_and_peaks_are_located(void **state) {
    (void)state;
    char text[2048];
    write_study(text, sizeof text, contacts[0], 0.1, 1.0, 0.7,
                "response, over: Omega, from: 0.7, to: 1.3, values: [0.8123], largest_step: 0.05");
    am_run *run = run_text(text);
    const am_table *special = table_in(run, "special");
    size_t values = 0;
    for (size_t i = 0; i < am_table_rows(special); i++)
        if (!strcmp(am_table_text(special, i, am_table_find_column(special, "kind")), "value")) {
            assert_true(cell(special, i, "Omega") == 0.8123);
            values++;
        }
    assert_int_equal(values, 1);
    double peak = scalar(run, "peak"), at = scalar(run, "peak_at");
    const am_table *branch = table_in(run, "branch");
    for (size_t i = 0; i < am_table_rows(branch); i++)
        assert_true(cell(branch, i, "amplitude") <= peak);
    am_run_free(run);
    for (int side = -1; side <= 1; side += 2) { /* on both sides of it amplitudes are smaller */
        char analysis[128];
        snprintf(analysis, sizeof analysis, "response, over: Omega, from: %.17g, to: %.17g", at + 1e-4 * side,
                 at + 2e-4 * side);
        write_study(text, sizeof text, contacts[0], 0.1, 1.0, at, analysis);
        run = run_text(text);
        assert_true(cell(table_in(run, "branch"), 0, "amplitude") < peak);
        am_run_free(run);
    }
}

/* Of a rigid contact behind a spring, or a layer, the spring's stretch is part of the orbit that a branch begins with. */
static void a_branch_begins_with_the_orbit_that_was_found(void **state) {
    (void)state;
    static const char *const structure =
        "title: t\nmodel:\n  kind: structure\n  mass: [0.98, 1.64]\n  stiffness: [[0.86, 0.24], [0.24, 1.85]]\n"
        "  damping: [[0.11, 0.025], [0.025, 0.066]]\n  contacts:\n    - {normal: [1, 0], tangent: [0, 1], law: "
        "unilateral, friction: {law: polynomial, static: 0.43, linear: -0.19, quadratic: 0.068, cubic: 0.031}, "
        "tangential_stiffness: 9}\n  loads:\n    - {direction: [1, 0], sine: {amplitude: 1.29, frequency: 1.8, phase: "
        "4.14, value: -1.28}}\n    - {direction: [0, 1], sine: {amplitude: 1.15, frequency: 1.8, phase: 0.26, value: "
        "-1.37}}\nanalysis: {kind: %s}\n";
    char text[2048];
    snprintf(text, sizeof text, structure, "orbit");
    am_run *orbit = run_text(text);
    snprintf(text, sizeof text, structure, "response");
    am_run *response = run_text(text);
    assert_near(scalar(response, "peak_largest"), -scalar(orbit, "q2_min"), 1e-12);
    assert_near(cell(table_in(response, "branch"), 0, "multiplier"), scalar(orbit, "multiplier"), 1e-9);
    am_run_free(orbit);
    am_run_free(response);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_load_gives_what_a_period_loses),
        cmocka_unit_test(without_stops_it_is_the_balance),
        cmocka_unit_test(stick_slip_has_its_period),
        cmocka_unit_test(what_belongs_to_the_balance_is_refused),
        cmocka_unit_test(values_and_peaks_are_located),
        cmocka_unit_test(a_branch_begins_with_the_orbit_that_was_found),
        cmocka_unit_test(where_harmonics_do_not_converge_the_branch_is_made_of_orbits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
