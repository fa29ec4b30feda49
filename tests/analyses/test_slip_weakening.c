/* Analysis `slip` with friction that weakens: the double solution of every profile beside boundary elements, the
 * friction it implies, tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "amontons/slip.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "slip_study.h"
#include "study_text.h"

static const am_table *table(const am_run *made, const char *name) {
    return table_of(am_run_report(made)->result, name);
}

/* ---- The double solution of powers and waves ---- */

static void double_solutions_and_ramps_agree_within_a_hundredth_of_a(void **state) {
    (void)state;
    static const char *const models[] = {
        "kind: power, k: 1, C: 0.5, f_s: 0.15, f_d: 0.1, Delta: 0.002, measure: integral",
        "kind: power, k: 3, C: 0.5, f_s: 0.15, f_d: 0.1, Delta: 0.002, measure: integral",
        "kind: power, k: 4, C: 0.5, f_s: 0.15, f_d: 0.1, Delta: 0.002",
        "kind: wave, amplitude: 0.1, a: 0.2, f_s: 0.15, f_d: 0.1, Delta: 0.0003",
        "kind: wave, amplitude: 0.1, a: 0.45, f_s: 0.15, f_d: 0.1, Delta: 0.0003, measure: integral"};
    for (size_t i = 0; i < 5; i++) {
        am_run *closed = ask_slip(models[i], "Q_over_fP: 0.7, law: double"),
               *ramp = ask_slip(models[i], "Q_over_fP: 0.7, law: ramp, branch: 0");
        /* the same energy, another form of the law */
        assert_near(scalar(ramp, "c_over_a"), scalar(closed, "c_over_a"), 0.01);
        assert_true(scalar(closed, "b_over_a") < 0.98); /* a zone that ends inside the contact */
        assert_true(scalar(closed, "equilibrium_residual") < 1e-8);
        assert_true(scalar(closed, "stick_residual") < 1e-8);
        assert_true(scalar(closed, "friction_residual") < 1e-8);
        /* without weakening the stick zone is smaller, with all of f_s larger */
        am_run *coulomb = ask_slip(models[i], "Q_over_fP: 0.7, law: coulomb");
        assert_true(scalar(coulomb, "c_over_a") < scalar(closed, "c_over_a") - 0.01);
        am_run_free(coulomb);
        am_run_free(ramp);
        am_run_free(closed);
    }
}

static void double_solutions_and_ramps_carry_the_same_largest_load(void **state) {
    (void)state;
    const char *model = "kind: power, k: 4, f_s: 0.15, f_d: 0.1, Delta: 0.002, measure: integral";
    double closed = slip_answer(model, "Q_over_fP: 0.5, law: double", "Q_max_over_fP");
    double elements = slip_answer(model, "Q_over_fP: 0.5, law: ramp", "Q_max_over_fP");
    assert_true(closed > 1.05);
    assert_near(elements, closed, 1e-3); /* nodes a hundredth of a apart; the maximum is flat */
    double limit = slip_answer(model, "Q_over_fP: 0.5, law: short", "Q_max_over_fP");
    assert_near(limit, closed, 2e-3); /* a zone of 0.05 a */
}

static void a_power_of_two_is_a_cylinder(void **state) {
    (void)state;
    const char *cylinder = "kind: hertz, R: 2, E_star: 3, P: 0.4, f_s: 0.3, f_d: 0.2, Delta: 0.003";
    const char *power = "kind: power, k: 2, C: 0.25, E_star: 3, P: 0.4, f_s: 0.3, f_d: 0.2, Delta: 0.003";
    static const char *const names[] = {"c_over_a", "b_over_a", "Q_max_over_fP", "slip_max", "a"};
    static const char *const laws[] = {"Q_over_fP: 0.9, law: double", "Q_over_fP: 0.9, law: short"};
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < 5; i++)
            assert_near(slip_answer(power, laws[l], names[i]), slip_answer(cylinder, laws[l], names[i]),
                        1e-11); /* rounding */
}

/* ---- The friction a double solution implies ---- */

static void the_implied_friction_encloses_delta(void **state) {
    (void)state;
    /* a/c = 8, b/c = 1.2: what the quadrature of sqrt((b^2 - x^2)/(a^2 - x^2)) sqrt(x^2 - c^2) gives */
    am_run *thin = ask_slip("kind: hertz, f_s: 0.15, f_d: 0.1, measure: integral", "c_over_a: 0.125, b_over_a: 0.15");
    assert_near(scalar(thin, "friction_area"), 1.0, 1e-5); /* 400 trapezoids */
    assert_near(scalar(thin, "slip_at_b_over_Delta"), 1.6652470240766457, 1e-9);
    const am_table *friction = table(thin, "friction");
    double before = 0.15 + 1e-12, slip = -1.0;
    for (size_t i = 0; i < am_table_rows(friction); i++) {
        assert_true(cell(friction, i, "slip") > slip);
        assert_true(cell(friction, i, "f") <= before);
        assert_near(cell(friction, i, "f_normalised"), (cell(friction, i, "f") - 0.1) / 0.05, 1e-12);
        slip = cell(friction, i, "slip");
        before = cell(friction, i, "f") + 1e-12;
    }
    assert_near(cell(friction, 0, "f"), 0.15, 1e-15);
    assert_near(before, 0.1, 1e-11);
    /* the state belongs to the slip length it implies */
    char model[128];
    snprintf(model, sizeof model, "kind: hertz, f_s: 0.15, f_d: 0.1, measure: integral, Delta: %.17g",
             scalar(thin, "Delta"));
    assert_near(slip_answer(model, "c_over_a: 0.125", "b_over_a"), 0.15, 1e-10);
    am_run_free(thin);
}

/* ---- Tables ---- */

static void a_table_through_the_ramp_is_the_ramp(void **state) {
    (void)state;
    static const struct {
        const char *table, *ramp;
    } models[] = {
        {"kind: hertz, weakening: [[0, 0.15], [0.005, 0.1]]", "kind: hertz, f_s: 0.15, f: 0.1, Delta: 0.0025"},
        {"kind: power, k: 3, weakening: [[0, 0.15], [0.001, 0.14], [0.005, 0.1]]",
         "kind: power, k: 3, f_s: 0.15, f: 0.1, Delta: 0.0025"},
        {"kind: wave, amplitude: 0.1, weakening: [[0, 0.15], [0.001, 0.1]]",
         "kind: wave, amplitude: 0.1, f_s: 0.15, f: 0.1, Delta: 0.0005, law: ramp"},
        {"kind: punch, alpha: 2, weakening: [[0, 0.15], [0.05, 0.1]]",
         "kind: punch, alpha: 2, f_s: 0.15, f: 0.1, Delta: 0.025"},
        {"kind: profile, R: 4, weakening: [[0, 0.15], [0.05, 0.1]]",
         "kind: profile, R: 4, f_s: 0.15, f: 0.1, Delta: 0.025, law: ramp"}};
    static const char *const names[] = {"c_over_a", "Q", "slip_max", "f"};
    for (size_t i = 0; i < 5; i++) {
        const char *analysis = "Q_over_fP: 0.8, nodes: 40, branch: 0";
        am_run *table_made = ask_slip(models[i].table, analysis),
               *ramp = ask_slip(models[i].ramp, "Q_over_fP: 0.8, nodes: 40, branch: 0, law: ramp");
        for (size_t n = 0; n < 4; n++)
            assert_near(scalar(table_made, names[n]), scalar(ramp, names[n]), 1e-9); /* iterations end at 1e-10 */
        am_run_free(ramp);
        am_run_free(table_made);
    }
}

static void other_laws_of_a_table_have_its_ends_and_its_area(void **state) {
    (void)state;
    /* above 0.1: 0.05 x 0.002 + 0.05 x 0.004/2 = 0.05 x 0.004 */
    const char *model = "kind: hertz, weakening: [[0, 0.15], [0.002, 0.15], [0.006, 0.1]]";
    assert_near(slip_answer(model, "Q_over_fP: 0.8, law: double", "Delta"), 0.004, 1e-15);
    assert_near(slip_answer(model, "Q_over_fP: 0.8, law: double", "c_over_a"),
                slip_answer("kind: hertz, f_s: 0.15, f: 0.1, Delta: 0.004", "Q_over_fP: 0.8", "c_over_a"), 1e-12);
    double elements = slip_answer(model, "Q_over_fP: 0.8, branch: 0", "c_over_a");
    assert_near(elements, slip_answer(model, "Q_over_fP: 0.8, law: double", "c_over_a"), 0.01);
}

/* ---- Laws as steep as the mesh ---- */

static void steep_steps_are_followed_with_the_nodes_that_are_advised(void **state) {
    (void)state;
    const char *model = "kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.03";
    am_run *made = ask_slip(model, "Q_over_fP: 0.5, law: step, nodes: 134");
    assert_true(scalar(made, "nodes_advised") == 134.0); /* 4/Lambda */
    assert_true(scalar(made, "branch_complete") == 1.0);
    /* the same energy, another form of the law */
    assert_near(scalar(made, "Q_max_over_fP"), slip_answer(model, "Q_over_fP: 0.5", "Q_max_over_fP"), 2e-3);
    am_run_free(made);
}

/* ---- Refusals ---- */

static void senseless_transitions_and_tables_are_refused(void **state) {
    (void)state;
    const char *hertz = "kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.05";
    refuse_slip(hertz, "c_over_a: 0.5, b_over_a: 0.4", "c_over_a < b_over_a <= 1");
    refuse_slip(hertz, "Q_over_fP: 0.5, b_over_a: 0.4", "give c_over_a as well");
    refuse_slip(hertz, "c_over_a: 0.5, b_over_a: 0.7, law: short", "only the double solution has a transition zone");
    refuse_slip("kind: hertz, f_s: 0.15, f_d: 0.1", "Q_over_fP: 0.5", "needs the slip Delta");
    refuse_slip("kind: power, k: 3, f_s: 0.15, f_d: 0.1, Delta: 0.01, law: double", "Q_over_fP: 1.6",
                "the largest load is");
    refuse_slip("kind: hertz, weakening: [[0, 0.15], [0.1, 0.1]], f: 0.1", "Q: 0", "say the same thing");
    refuse_slip("kind: hertz, weakening: [[0.1, 0.15], [0.2, 0.1]]", "Q: 0", "starts at 0 and increases");
    refuse_slip("kind: hertz, weakening: [[0, 0.15, 1], [0.1, 0.1, 1]]", "Q: 0", "two columns");
    refuse_slip("kind: hertz, weakening: [[0, 0.15], [0.1, -0.1]]", "Q: 0", "must be positive");
    refuse_slip("kind: hertz, weakening: [[0, 0.15]]", "Q: 0", "at least 2 points");
    refuse_slip("kind: hertz, law: table", "Q: 0", "law table needs its points");
    refuse_slip("kind: hertz", "Q: 0, law: table", "law table needs its points");
    refuse_slip("kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.02", "Q_over_fP: 0.5, law: step, nodes: 50",
                "take nodes: 201 or more");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_solutions_and_ramps_agree_within_a_hundredth_of_a),
        cmocka_unit_test(double_solutions_and_ramps_carry_the_same_largest_load),
        cmocka_unit_test(a_power_of_two_is_a_cylinder),
        cmocka_unit_test(the_implied_friction_encloses_delta),
        cmocka_unit_test(a_table_through_the_ramp_is_the_ramp),
        cmocka_unit_test(other_laws_of_a_table_have_its_ends_and_its_area),
        cmocka_unit_test(steep_steps_are_followed_with_the_nodes_that_are_advised),
        cmocka_unit_test(senseless_transitions_and_tables_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
