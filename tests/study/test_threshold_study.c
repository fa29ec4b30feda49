/* `threshold:` in study files: what is refused and where, what runs, alone and in a sweep. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/study.h"
#include "near.h"

#define TWO_MODE "model: {kind: two-mode, K_r: 0.5, C_r: 0.2, contact: {kind: kelvin-voigt, K_c: 1000, D_c: 0}}\n"

static am_run *run_text(const char *text) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    if (!study)
        fail_msg("refused: %s", err.message);
    am_run *made = am_study_run(study, NULL, &err);
    if (!made)
        fail_msg("failed: %s", err.message);
    am_study_free(study);
    return made;
}

static const am_scalar *scalar(const am_run *made, const char *name) {
    const am_scalar *found = am_result_find(am_run_report(made)->result, name);
    if (!found)
        fail_msg("there is no result %s", name);
    return found;
}

static void a_threshold_needs_no_more_than_its_name(void **state) {
    (void)state;
    am_run *made = run_text(TWO_MODE "analysis: {kind: stability, threshold: Delta}\n");
    assert_near(scalar(made, "critical")->number, 0.19975, 5e-6); /* the five digits */
    assert_string_equal(scalar(made, "instability")->text, "flutter");
    assert_true(scalar(made, "omega")->number > 10);
    assert_near(scalar(made, "growth_at_critical")->number, 0, 1e-12);
    am_run_free(made);
}

static void the_general_search_gives_what_the_closed_form_gives(void **state) {
    (void)state;
    /* f1 = Delta for lambda = 1, f2 = -1: the same number by another name, which the model has no closed form for */
    am_run *one = run_text(TWO_MODE "analysis: {kind: stability, threshold: Delta}\n");
    am_run *two = run_text(TWO_MODE "analysis: {kind: stability, threshold: model.f1, from: 0, to: 1}\n");
    assert_near(scalar(one, "critical")->number, scalar(two, "critical")->number, 1e-11);
    assert_near(scalar(one, "omega")->number, scalar(two, "omega")->number, 1e-8);
    assert_true(scalar(two, "spectra")->number > scalar(one, "spectra")->number);
    am_run_free(one);
    am_run_free(two);
}

/* N = K_c d^1.5 and d = a + b N: a = P (eta1/k1 + eta2/k2) = 1.5, b = Delta - 1/k2. The two equilibria meet where
 * 1 = 1.5 K_c b sqrt(d) and d = 3 a. Close to that both lie in one step of the branch, and the lower one is the answer.
 */
static void hunt_crossley_contact_diverges_where_its_equilibria_meet(void **state) {
    (void)state;
    am_run *made =
        run_text("model: {kind: two-mode, K_r: 2, C_r: 0.1, c1: 0.4, contact: {kind: hunt-crossley, K_c: 1000, "
                 "alpha: 1.6, beta: 1.5}}\n"
                 "analysis: {kind: stability, threshold: Delta}\n");
    assert_near(scalar(made, "critical")->number, 0.5 + 1.0 / (1500.0 * sqrt(4.5)),
                1e-14); /* rounding of numbers below one */
    assert_string_equal(scalar(made, "instability")->text, "divergence");
    am_run_free(made);
}

static void a_stable_range_has_no_threshold(void **state) {
    (void)state;
    static const char *const names[] = {"Delta", "f1"};
    for (size_t i = 0; i < 2; i++) {
        char text[300];
        strcpy(text, TWO_MODE "analysis: {kind: stability, to: 0.15, threshold: ");
        strcat(strcat(text, names[i]), "}\n");
        am_run *made = run_text(text);
        assert_int_equal(scalar(made, "critical")->kind, AM_SCALAR_NONE);
        assert_int_equal(scalar(made, "omega")->kind, AM_SCALAR_NONE);
        assert_string_equal(scalar(made, "instability")->text, "none");
        am_run_free(made);
    }
}

static void the_search_may_go_down(void **state) {
    (void)state;
    /* At Delta = 0.5 much contact damping stabilises; below which does it not? Then Delta = 0.5 is the threshold. */
    am_run *made = run_text("model: {kind: two-mode, K_r: 0.5, C_r: 0.2, Delta: 0.5, contact: {kind: kelvin-voigt}}\n"
                            "analysis: {kind: stability, threshold: contact.D_c, from: 10, to: 0}\n");
    double D_c = scalar(made, "critical")->number;
    char text[300];
    am_run_free(made);
    assert_true(D_c > 0 && D_c < 10);
    snprintf(text, sizeof text,
             "model: {kind: two-mode, K_r: 0.5, C_r: 0.2, contact: {kind: kelvin-voigt, D_c: %.17g}}\n"
             "analysis: {kind: stability, threshold: Delta}\n",
             D_c);
    made = run_text(text);
    assert_near(scalar(made, "critical")->number, 0.5, 1e-10);
    am_run_free(made);
}

static void a_curve_along_a_second_number_has_its_corners(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: two-mode, K_r: 1.5, contact: {kind: kelvin-voigt, D_c: 0.3}}\n"
                            "analysis: {kind: stability, threshold: Delta, to: 2, along: {parameter: C_r, from: 0.1, "
                            "to: 3, step: 0.05}}\n");
    const am_table *corners = am_result_find_table(am_run_report(made)->result, "corners");
    const am_table *curve = am_result_find_table(am_run_report(made)->result, "threshold");
    assert_non_null(corners);
    assert_non_null(curve);
    assert_int_equal(am_table_rows(corners), 2);
    assert_string_equal(am_table_text(corners, 0, am_table_find_column(corners, "name")), "flutter-divergence");
    assert_string_equal(am_table_text(corners, 1, am_table_find_column(corners, "name")), "double-zero");
    assert_true(am_table_number(curve, 0, am_table_find_column(curve, "C_r")) == 0.1);
    assert_true(am_table_number(curve, am_table_rows(curve) - 1, am_table_find_column(curve, "C_r")) == 3.0);
    assert_true(scalar(made, "reached")->number == 1);
    am_run_free(made);
}

static void a_curve_may_begin_where_the_model_ends(void **state) {
    (void)state;
    /* A contact damping below zero is refused; the curve starts at zero, and steeply. */
    am_run *made = run_text("model: {kind: two-mode, K_r: 0.5, C_r: 0.2, contact: {kind: kelvin-voigt}}\n"
                            "analysis: {kind: stability, threshold: Delta, to: 2, along: {parameter: contact.D_c, "
                            "from: 0, to: 5}}\n");
    am_run *end = run_text("model: {kind: two-mode, K_r: 0.5, C_r: 0.2, contact: {kind: kelvin-voigt, D_c: 5}}\n"
                           "analysis: {kind: stability, threshold: Delta}\n");
    const am_table *curve = am_result_find_table(am_run_report(made)->result, "threshold");
    assert_true(scalar(made, "reached")->number == 1);
    assert_near(am_table_number(curve, am_table_rows(curve) - 1, 0), scalar(end, "critical")->number, 1e-11);
    am_run_free(made);
    am_run_free(end);
}

/* A number inside a record of a model that is read once, and the same number in a list of one that is read again for
 * every value. Both systems are the same but for rounding. */
static void numbers_anywhere_in_the_model_have_thresholds(void **state) {
    (void)state;
    am_run *record = run_text(
        "model: {kind: two-mode, K_r: 0.5, C_r: 0.2, Delta: 0.6, contact: {kind: kelvin-voigt, K_c: 1000, D_c: 1}}\n"
        "analysis: {kind: stability, threshold: contact.D_c, from: 100, to: 0.01}\n");
    am_run *list = run_text(
        "model:\n  kind: structure\n  mass: [[1, 0], [0, 1]]\n  damping: [[0.1, 0], [0, 0.02]]\n"
        "  stiffness: [[1, 0], [0, 0.5]]\n"
        "  contacts: [{tangent: [1.6, 0], normal: [-1, -1], surface_velocity: 1, friction: 1, law: kelvin-voigt,\n"
        "              contact_stiffness: 1000, contact_damping: 1}]\n"
        "  loads: [{direction: [1, 1], constant: {value: 1}}]\n"
        "analysis: {kind: stability, threshold: 'contacts[0].contact_damping', from: 100, to: 0.01}\n");
    double critical = scalar(record, "critical")->number;
    assert_string_equal(scalar(record, "instability")->text, "flutter");
    assert_near(scalar(list, "critical")->number, critical, 1e-10 * critical);
    assert_true(critical > 0.01 && critical < 100);
    am_run_free(record);
    am_run_free(list);
}

static void the_number_may_be_left_out_of_the_model(void **state) {
    (void)state;
    /* h is required by the model; the value of the issue for C_r = 3, k2 = 0.5 */
    am_run *made = run_text("model: {kind: shoe, k2: 0.5, c2: 0.3}\n"
                            "analysis: {kind: stability, threshold: h}\n");
    assert_near(scalar(made, "critical")->number, 2.66567, 5e-6);
    assert_near(scalar(made, "omega")->number, 1.11788, 5e-6);
    am_run_free(made);
}

static void a_sweep_gives_a_surface(void **state) {
    (void)state;
    am_run *made = run_text("model: {kind: two-mode, contact: rigid}\n"
                            "analysis: {kind: stability, threshold: Delta}\n"
                            "sweep: {axes: {model.K_r: [0.5, 1.5, 2.5], model.C_r: [0.5, 2]}, outputs: [critical, "
                            "instability]}\n");
    static const double K_r[] = {0.5, 1.5, 2.5}, C_r[] = {0.5, 2};
    const am_table *table = am_result_find_table(am_run_report(made)->result, "sweep");
    for (size_t i = 0; i < 6; i++) {
        double most = fmax(1, fmax(K_r[i / 2], C_r[i % 2])); /* Fig. 2c */
        assert_near(am_table_number(table, i, 2), 1 / most, 1e-14);
        assert_string_equal(am_table_text(table, i, 3), most == 1            ? "painleve"
                                                        : most == K_r[i / 2] ? "divergence"
                                                                             : "flutter");
    }
    am_run_free(made);
}

static void mistakes_are_refused_where_they_stand(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {TWO_MODE "analysis: {kind: stability, threshold: Dleta}\n",
         "test.yaml:2:40: unknown key 'Dleta' in model two-mode; did you mean 'Delta'?"},
        {TWO_MODE "analysis: {kind: stability, threshold: contact.D, to: 1}\n", "test.yaml:2:40: unknown key 'D'"},
        {TWO_MODE "analysis: {kind: stability, from: 1}\n", "test.yaml:2:35: from needs `threshold:`"},
        {TWO_MODE "analysis: {kind: stability, threshold: Delta, from: 1, to: 1}\n",
         "test.yaml:2:60: from and to are the same"},
        {TWO_MODE "analysis: {kind: stability, threshold: m1, from: -1, to: 1}\n",
         "test.yaml:2:40: m1 must be positive"},
        {TWO_MODE "analysis: {kind: stability, threshold: Delta, along: {parameter: Delta, from: 0, to: 1}}\n",
         "test.yaml:2:66: the curve needs a number other than the threshold's own"},
        {TWO_MODE "analysis: {kind: stability, threshold: Delta, along: {parameter: C_r, from: 0}}\n",
         "along needs the key 'to'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_error err = {0};
        am_study *study = am_study_parse("test.yaml", cases[i].text, 0, NULL, false, &err);
        if (study)
            fail_msg("accepted:\n%s", cases[i].text);
        if (!strstr(err.message, cases[i].message))
            fail_msg("of\n%s\nit says '%s', not '%s'", cases[i].text, err.message, cases[i].message);
        assert_int_equal(err.status, AM_ERR_INPUT);
    }
}

static void an_unstable_reference_fails_with_its_growth(void **state) {
    (void)state;
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", TWO_MODE "analysis: {kind: stability, threshold: Delta, from: 0.5}\n",
                                     0, NULL, false, &err);
    assert_non_null(study);
    assert_null(am_study_run(study, NULL, &err));
    assert_non_null(strstr(err.message, "steady sliding is unstable already at Delta = 0.5"));
    am_study_free(study);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_threshold_needs_no_more_than_its_name),
        cmocka_unit_test(the_general_search_gives_what_the_closed_form_gives),
        cmocka_unit_test(hunt_crossley_contact_diverges_where_its_equilibria_meet),
        cmocka_unit_test(a_stable_range_has_no_threshold),
        cmocka_unit_test(the_search_may_go_down),
        cmocka_unit_test(a_curve_along_a_second_number_has_its_corners),
        cmocka_unit_test(a_curve_may_begin_where_the_model_ends),
        cmocka_unit_test(numbers_anywhere_in_the_model_have_thresholds),
        cmocka_unit_test(the_number_may_be_left_out_of_the_model),
        cmocka_unit_test(a_sweep_gives_a_surface),
        cmocka_unit_test(mistakes_are_refused_where_they_stand),
        cmocka_unit_test(an_unstable_reference_fails_with_its_growth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
