/* What contacts do in a period of a balanced motion: against the balance's own energy, closed forms, and the law itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "cases.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

static const double pi_ = 3.14159265358979323846;

static const am_result *result_of(const am_run *run) {
    return am_run_report(run)->result;
}

static am_run *run_format(const char *format, ...) {
    char text[8192];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return run_text(text);
}

/* The balance has the energy from the harmonics of all forces together; the table follows every contact by itself, a
 * Jenkins element as a slider and regularised friction as a rigid one. Both integrals are good to about 1e-12 of the
 * forces. */
static void the_losses_of_contacts_add_up_to_what_the_balance_loses(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (int i = 0; i < CASES(2, 1); i++) {
        am_run *run = run_format(
            "title: t\nmodel:\n  kind: structure\n  mass: [1, %.17g]\n  damping: [[0.1, 0], [0, 0.05]]\n"
            "  stiffness: [[2, -1], [-1, 2]]\n  contacts:\n"
            "    - {tangent: [1, 0], law: held, hold: {constant: %.17g}, tangential_stiffness: %.17g, friction: 1}\n"
            "    - {tangent: [1, -1], law: held, hold: {constant: 0.3}, friction: 0.5, regularisation: %.17g}\n"
            "    - {normal: [0, -1], tangent: [1, 0], gap: 0.1, law: kelvin-voigt, contact_stiffness: 2, "
            "contact_damping: %.17g, friction: 0.3, tangential_stiffness: 0.5}\n"
            "    - {tangent: [0, 1], law: held, hold: {constant: %.17g}, friction: {law: tanh, friction: 1, "
            "velocity: 0.1}}\n"
            "    - {normal: [0, 1], gap: 0.2, law: hunt-crossley, contact_stiffness: 2, contact_dissipation: %.17g}\n"
            "analysis: {kind: backbone, from: 0.1, to: 1, values: [0.5], harmonics: 3, stability: none, "
            "contact_cycles: true}\n",
            uniform(&seed, 0.5, 2.0), uniform(&seed, 0.05, 0.3), uniform(&seed, 0.5, 2.0), uniform(&seed, 0.03, 0.1),
            uniform(&seed, 0.0, 0.2), uniform(&seed, 0.02, 0.2), uniform(&seed, 0.0, 0.3));
        const am_table *backbone = table_of(result_of(run), "backbone"),
                       *cycles = table_of(result_of(run), "contact_cycles");
        size_t found = 0;
        for (size_t row = 0; row < am_table_rows(backbone); row++) {
            double amplitude = cell(backbone, row, "amplitude"), loss = 0.0, size = 0.0;
            size_t contacts = 0;
            for (size_t c = 0; c < am_table_rows(cycles); c++)
                if (cell(cycles, c, "amplitude") == amplitude) {
                    double all =
                        cell(cycles, c, "stick_share") + cell(cycles, c, "slip_share") + cell(cycles, c, "open_share");
                    assert_near(all, 1.0, 1e-12);
                    loss += cell(cycles, c, "loss");
                    size += amplitude * (cell(cycles, c, "N_most") + cell(cycles, c, "T_most"));
                    contacts++;
                }
            if (contacts == 0)
                continue;
            assert_int_equal(contacts, 5);
            assert_near(loss, cell(backbone, row, "loss_nonlinear"), 1e-10 * size);
            found++;
        }
        assert_int_equal(found, 2);
        am_run_free(run);
    }
}

/* One slider moved by A cos: it slips in two of four parts of the period, stick lasts acos(1 - 2 x0/A) twice; its loop
 * takes 4 mu N (A - x0), obeys |T| <= mu N, and in stick T falls by the stiffness. */
static void the_loop_of_a_slider_is_a_parallelogram(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < CASES(6, 2); i++) {
        double kt = uniform(&seed, 0.5, 3.0), limit = uniform(&seed, 0.2, 2.0), x0 = limit / kt,
               A = x0 * uniform(&seed, 1.1, 6.0);
        am_run *run = run_format("title: t\nmodel:\n  kind: structure\n  mass: [1]\n  stiffness: [1]\n  contacts: "
                                 "[{name: s, law: held, hold: {constant: %.17g}, tangent: [1], friction: 1, "
                                 "tangential_stiffness: %.17g}]\nanalysis: {kind: backbone, from: %.17g, to: %.17g, "
                                 "harmonics: 1, stability: none, contact_cycles: true, hysteresis: [s]}\n",
                                 limit, kt, 0.5 * A, A);
        const am_table *cycles = table_of(result_of(run), "contact_cycles"),
                       *loop = table_of(result_of(run), "hysteresis");
        size_t last = am_table_rows(loop) - 1;
        assert_int_equal(am_table_rows(cycles), 1);
        assert_near(cell(cycles, 0, "loss"), 4.0 * limit * (A - x0), 1e-9 * limit * A);
        assert_near(cell(cycles, 0, "stick_share"), acos(1.0 - 2.0 * x0 / A) / pi_, 1e-9);
        assert_string_equal(am_table_text(cycles, 0, am_table_find_column(cycles, "state")), "slip");
        double area = 0.0, most = 0.0;
        for (size_t row = 0; row < last; row++) {
            double du = cell(loop, row + 1, "u") - cell(loop, row, "u"),
                   dT = cell(loop, row + 1, "T") - cell(loop, row, "T");
            assert_true(cell(loop, row + 1, "theta_deg") > cell(loop, row, "theta_deg"));
            assert_true(fabs(cell(loop, row, "T")) <= limit * (1.0 + 1e-12));
            most = fmax(most, fabs(dT + kt * du) < 1e-9 * limit ? fabs(dT) : 0.0);
            area -= 0.5 * (cell(loop, row + 1, "T") + cell(loop, row, "T")) * du;
        }
        assert_true(most > 0.0);
        assert_near(area, 4.0 * limit * (A - x0), 0.02 * limit * A); /* the points of a polygon */
        assert_near(cell(loop, last, "u"), cell(loop, 0, "u"), 1e-12 * A);
        am_run_free(run);
    }
}

/* Forced, with two tangents and a contact that lifts off: at the peak and at the value asked for. */
static void a_response_tells_its_contacts_at_the_peak_and_at_values(void **state) {
    (void)state;
    am_run *run = run_text(
        "title: t\nmodel:\n  kind: structure\n  mass: [1, 1, 1]\n  stiffness: [[1, 0, 0], [0, 1.2, 0], [0, 0, 2]]\n"
        "  damping: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]]\n  Omega: 1\n  contacts:\n"
        "    - {name: foot, normal: [0, 0, -1], tangents: [[1, 0, 0], [0, 1, 0]], law: spring, contact_stiffness: 3, "
        "tangential_stiffness: 1, friction: 0.4}\n"
        "    - {name: far, normal: [0, 0, -1], gap: 100, law: spring, contact_stiffness: 1}\n"
        "  loads: [{direction: [1, 0.5, 0.8], sine: {amplitude: 0.5, multiple: 1}}, {direction: [0, 0, 1], constant: "
        "0.3}]\n"
        "analysis: {kind: response, over: Omega, from: 0.8, to: 1.6, values: [1.5], harmonics: 3, stability: none, "
        "contact_cycles: true, hysteresis: [foot]}\n");
    const am_table *cycles = table_of(result_of(run), "contact_cycles"), *loop = table_of(result_of(run), "hysteresis");
    size_t state_column = am_table_find_column(cycles, "state");
    assert_int_equal(am_table_rows(cycles), 4);
    assert_near(cell(cycles, 0, "Omega"), number(result_of(run), "peak_at"), 0.0);
    assert_near(cell(cycles, 2, "Omega"), 1.5, 1e-12);
    for (size_t row = 0; row < 4; row += 2) {
        assert_true(cell(cycles, row, "loss") > 0.0);
        assert_string_equal(am_table_text(cycles, row, state_column),
                            cell(cycles, row, "open_share") > 0.0 ? "lift-off" : "slip");
        assert_string_equal(am_table_text(cycles, row + 1, state_column), "open");
    }
    for (size_t row = 0; row < am_table_rows(loop); row++)
        assert_true(hypot(cell(loop, row, "T"), cell(loop, row, "T2")) <= 0.4 * cell(loop, row, "N") + 1e-12);
    am_run_free(run);
}

/* Where the branch is made of exact orbits the table follows them once more; `orbit` has the losses of a period from the
 * energy of the whole structure, impacts included. Two coordinates, a stop or a floor, a slider that breaks loose, and a
 * slider behind a spring. */
static void the_losses_of_contacts_add_up_to_what_an_orbit_loses(void **state) {
    (void)state;
    static const char *const contacts[] = {
        "{normal: [-1, 0], gap: 0.3, restitution: %.17g}",
        "{normal: [-1, 0], tangent: [0, 1], gap: 0.2, restitution: %.17g, friction: 0.3}",
        "{normal: [-1, 0], tangent: [0, 1], gap: 0.2, restitution: %.17g, restitution_law: poisson, friction: 0.2}",
        "{normal: [-1, 0], gap: 0.4, restitution: %.17g}\n    - {tangent: [0, 1], law: held, hold: {constant: 1}, "
        "friction: 0.1, tangential_stiffness: 0.7}",
        "{tangent: [1, 0], law: held, hold: {constant: 1}, friction: 0.2, static_friction: 0.3, surface_velocity: "
        "%.17g}",
    };
    uint64_t seed = 22;
    for (size_t i = 0; i < CASES(10, 5); i++) {
        char contact[512], model[2048];
        double w = uniform(&seed, 0.6, 1.6);
        snprintf(contact, sizeof contact, contacts[i % 5], uniform(&seed, 0.0, 0.7));
        snprintf(model, sizeof model,
                 "title: t\nmodel:\n  kind: structure\n  mass: [1, %.17g]\n  damping: [[0.2, 0], [0, 0.3]]\n"
                 "  stiffness: [[2, -1], [-1, 2]]\n  Omega: %.17g\n  contacts:\n    - %s\n  loads: [{direction: [1, "
                 "0.4], sine: {amplitude: %.17g, multiple: 1}}]\n",
                 uniform(&seed, 0.5, 2.0), w, contact, uniform(&seed, 0.5, 1.5));
        am_run *orbit = run_format("%sanalysis: {kind: orbit}\n", model);
        am_run *response = run_format("%sanalysis: {kind: response, over: Omega, from: %.17g, to: %.17g, values: "
                                      "[%.17g], harmonics: 3, contact_cycles: true}\n",
                                      model, w, w * 1.001, w);
        const am_table *cycles = table_of(result_of(response), "contact_cycles");
        double loss = 0.0, whole = number(result_of(orbit), "loss_friction") + number(result_of(orbit), "loss_impact");
        size_t rows = 0, contact_count = i % 5 == 3 ? 2 : 1;
        for (size_t row = 0; row < am_table_rows(cycles); row++)
            if (cell(cycles, row, "Omega") == w && rows < contact_count) { /* the peak may be the value, too */
                loss += cell(cycles, row, "loss");
                rows++;
                assert_near(cell(cycles, row, "stick_share") + cell(cycles, row, "slip_share") +
                                cell(cycles, row, "open_share"),
                            1.0, 1e-12);
            }
        assert_int_equal(rows, contact_count);
        assert_true(whole > 0.0);
        assert_string_equal(text(result_of(response), "method"), "orbits");
        assert_near(loss, whole, 1e-10 * whole); /* closing errors of two orbits */
        am_run_free(orbit);
        am_run_free(response);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_losses_of_contacts_add_up_to_what_the_balance_loses),
        cmocka_unit_test(the_loop_of_a_slider_is_a_parallelogram),
        cmocka_unit_test(a_response_tells_its_contacts_at_the_peak_and_at_values),
        cmocka_unit_test(the_losses_of_contacts_add_up_to_what_an_orbit_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
