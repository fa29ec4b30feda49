/* Analysis `slip` by boundary elements: where slip begins under a punch, the largest load of friction that weakens, and
 * bodies that turn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "amontons/slip.h"
#include "analyses/slip/elements.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "slip_study.h"
#include "study_text.h"

/* ---- The punch ---- */

static void slip_begins_at_the_trailing_corner_where_the_closed_form_says(void **state) {
    (void)state;
    static const double alphas[] = {2.0, 0.75, 0.4};
    for (size_t i = 0; i < 3; i++) {
        char model[128];
        double error[2], alpha = alphas[i];
        snprintf(model, sizeof model, "kind: punch, alpha: %g, P: 3, a: 0.5, f: 0.2, E_star: 7", alpha);
        for (size_t k = 0; k < 2; k++)
            error[k] = slip_answer(model,
                                   k == 0 ? "Q: 0, method: boundary-elements, nodes: 50"
                                          : "Q: 0, method: boundary-elements, nodes: 100",
                                   "Q_onset_over_fP") -
                       alpha / (1.0 + alpha); /* (3.8) */
        /* q/p of the corner's node, in place of that of the corner: of first order */
        assert_near(error[1], 0.0, 1e-3);
        assert_near(error[0] / error[1], 2.0, 0.1);
    }
}

static void friction_that_weakens_begins_to_slip_at_its_first_coefficient(void **state) {
    (void)state;
    /* (3.8) with f_s: alpha_s = alpha f/f_s, over f instead of f_s */
    double alpha = 2.0 / 1.5, wanted = 1.5 * alpha / (1.0 + alpha);
    static const char *const laws[] = {"Q: 0, law: ramp, branch: 0", "Q: 0, law: exponential, branch: 0",
                                       "Q: 0, law: static-kinetic"};
    for (size_t i = 0; i < 3; i++)
        assert_near(slip_answer("kind: punch, alpha: 2, f_s: 0.15, f_d: 0.1, Delta: 0.01", laws[i], "Q_onset_over_fP"),
                    wanted, 2e-3); /* as above */
    assert_near(
        slip_answer("kind: punch, alpha: 2, weakening: [[0, 0.15], [0.02, 0.1]]", "Q: 0, branch: 0", "Q_onset_over_fP"),
        wanted, 2e-3);
}

static void smooth_profiles_slip_from_the_first_load(void **state) {
    (void)state;
    assert_near(slip_answer("kind: profile, R: 4, f_s: 0.15, f_d: 0.1, Delta: 0.02", "Q: 0, nodes: 20, branch: 0",
                            "Q_onset_over_fP"),
                0.0, 0.0);
    assert_near(slip_answer("kind: hertz, f_s: 0.15, f_d: 0.1, Lambda: 0.1", "Q: 0, law: ramp, nodes: 20, branch: 0",
                            "Q_onset_over_fP"),
                0.0, 0.0);
}

static void loads_up_to_the_punchs_maximum_are_carried_and_no_larger_ones(void **state) {
    (void)state;
    /* the maximum is found by putting nodes on the verge, the states by load control */
    const char *model = "kind: punch, alpha: 2, f_s: 0.15, f_d: 0.1, Delta: 0.005, law: ramp";
    am_run *made = ask_slip(model, "Q_over_fP: 0.5, nodes: 60");
    double most = scalar(made, "Q_max_over_fP");
    assert_true(scalar(made, "branch_complete") == 1.0);
    am_run_free(made);
    assert_true(most > 1.0 && most < 1.5);
    char below[64], above[64];
    snprintf(below, sizeof below, "Q_over_fP: %.6f, nodes: 60, branch: 0", most - 0.003);
    snprintf(above, sizeof above, "Q_over_fP: %.6f, nodes: 60, branch: 0", most + 0.003);
    assert_true(slip_answer(model, below, "c_over_a") > 0.02);
    refuse_slip(model, above, "the largest load is");
    /* twice as many nodes: the same to the width of a node times the slope of Q */
    assert_near(slip_answer(model, "Q_over_fP: 0.5, nodes: 120", "Q_max_over_fP"), most, 2e-3);
}

static void slower_weakening_carries_more_up_to_the_static_friction(void **state) {
    (void)state;
    static const double lengths[] = {0.005, 0.02, 0.1, 10.0};
    double before = 1.0;
    for (size_t i = 0; i < 4; i++) {
        char model[128];
        snprintf(model, sizeof model, "kind: punch, alpha: 2, f_s: 0.15, f_d: 0.1, Delta: %g", lengths[i]);
        double most = slip_answer(model, "Q: 0, law: ramp, nodes: 40", "Q_max_over_fP");
        assert_true(most > before && most < 1.5);
        before = most;
    }
    /* nothing weakens: Coulomb's law with f_s, Q/(f_s P) = 1/(1 + L/(2 alpha_s)) (3.24) with a stick zone L of a node
     * or two, 1/40 each */
    assert_near(before, 1.5, 1.5 / 40.0);
}

static bool note_largest(void *context, const am_bem *bem) {
    double *peaks = context, Q = am_bem_view_of(bem).Q; /* the last one, the first maximum */
    if (peaks[1] == 0.0 && Q < peaks[0])
        peaks[1] = peaks[0];
    peaks[0] = Q;
    return true;
}

static void a_maximum_that_is_passed_by_later_is_none(void **state) {
    (void)state;
    /* alpha = 1: Q has a first maximum, from which slip jumps, and grows beyond it up to the leading corner */
    am_bem_def def = {.profile = {.shape = AM_SLIP_PUNCH, .half_width = 1.0},
                      .friction = {.law = AM_FRICTION_RAMP, .kinetic = 0.1, .fixed = 0.15, .distance = 0.005},
                      .modulus = 1.0,
                      .nodes = 80};
    am_error err = {0};
    am_bem *bem = am_bem_create(&def, &err);
    assert_non_null(bem);
    am_bem_load load = {.P = 1.0, .free_tilt = true, .height = 5.0};
    assert_int_equal(am_bem_step(bem, &load, &err), AM_OK);
    load.Q = 0.059; /* slip begins at 0.06 */
    assert_int_equal(am_bem_step(bem, &load, &err), AM_OK);
    double peaks[2] = {0.0, 0.0};
    am_bem_limit limit;
    assert_int_equal(am_bem_follow(bem, &load, -1, 0.97, 200, &limit, note_largest, peaks, &err), AM_OK);
    assert_true(peaks[1] > 0.06 && peaks[1] < 0.07);
    assert_false(limit.found);
    assert_true(limit.Q > 0.1);
    assert_near(limit.Q, am_bem_view_of(bem).Q, 0.0);
    am_bem_free(bem);
}

static void a_punch_that_tips_over_does_so_whatever_the_law(void **state) {
    (void)state;
    am_run *made = ask_slip("kind: punch, alpha: 0.4, f_s: 0.15, f_d: 0.1, Delta: 0.005", "Q_over_fP: 0.5, nodes: 40");
    assert_near(scalar(made, "Q_max_over_fP"), 0.8, 1e-15); /* 2 alpha */
    assert_true(scalar(made, "tips_over") == 1.0);
    am_run_free(made);
    refuse_slip("kind: punch, alpha: 0.4, f_s: 0.15, f_d: 0.1, Delta: 0.005, law: ramp", "Q_over_fP: 0.9", "tips over");
}

/* ---- Bodies that turn ---- */

static void a_flat_with_ever_smaller_roundings_becomes_the_punch_that_turns(void **state) {
    (void)state;
    /* alpha = 2, Q/fP = 0.75: stick zone 4/3 a, slip of 2/3 a at the trailing end (3.24), tilt 2P/(pi E* a) Q/(alpha f
     * P) */
    double wanted = 2.0 * 0.05 / 3.14159265358979323846 * 0.375, tilt[2], c[2], l = 0.0;
    for (size_t i = 0; i < 2; i++) {
        char model[128];
        snprintf(model, sizeof model, "kind: profile, flat: 1, R: %g, P: 0.05, f: 0.5, tilts: true, h: 0.5",
                 i == 0 ? 0.1 : 0.01);
        am_run *made = ask_slip(model, "Q_over_fP: 0.75, nodes: 200");
        tilt[i] = scalar(made, "tilt") / wanted - 1.0;
        c[i] = scalar(made, "c") - 2.0 / 3.0;
        l = scalar(made, "l");
        assert_true(scalar(made, "equilibrium_residual") < 1e-12);
        am_run_free(made);
    }
    assert_true(fabs(tilt[0]) < 0.1 && fabs(tilt[1]) < 0.3 * fabs(tilt[0])); /* with the width of the rounded part */
    assert_true(fabs(c[0]) < 0.06 && fabs(c[1]) < 0.3 * fabs(c[0]));
    assert_near(l, 2.0 / 3.0, 0.03);
}

#define LOPSIDED "[-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2]"

static void a_mirrored_body_turns_the_other_way(void **state) {
    (void)state;
    am_run *one =
        ask_slip("kind: profile, x: " LOPSIDED ", gap: [4, 2.2, 1, 0.3, 0, 0.1, 0.6, 1.5, 3], P: 0.5, tilts: true, M: "
                 "0.02",
                 "Q: 0, nodes: 60");
    am_run *other =
        ask_slip("kind: profile, x: " LOPSIDED ", gap: [3, 1.5, 0.6, 0.1, 0, 0.3, 1, 2.2, 4], P: 0.5, tilts: true, "
                 "M: -0.02",
                 "Q: 0, nodes: 60");
    assert_true(fabs(scalar(one, "tilt")) > 1e-3);
    assert_near(scalar(one, "tilt"), -scalar(other, "tilt"), 1e-10); /* iterations end at rounding */
    assert_near(scalar(one, "approach"), scalar(other, "approach"), 1e-10);
    const am_table *p = table_of(am_run_report(one)->result, "tractions"),
                   *r = table_of(am_run_report(other)->result, "tractions");
    size_t n = am_table_rows(p);
    assert_int_equal(n, am_table_rows(r));
    double load = 0.0, moment = 0.0, h = cell(p, 1, "x") - cell(p, 0, "x");
    for (size_t i = 0; i < n; i++) {
        assert_near(cell(p, i, "p"), cell(r, n - 1 - i, "p"), 1e-9);
        assert_near(cell(p, i, "x"), -cell(r, n - 1 - i, "x"), 1e-12);
        load += h * cell(p, i, "p");
        moment += h * cell(p, i, "x") * cell(p, i, "p");
    }
    assert_near(load, 0.5, 1e-12);
    assert_near(moment, 0.02, 1e-12);
    am_run_free(other);
    am_run_free(one);
}

static void a_load_at_a_height_is_a_moment(void **state) {
    (void)state;
    /* similar bodies: shear does not move the pressures */
    am_run *high = ask_slip("kind: profile, R: 4, P: 0.1, tilts: true, h: 0.4", "Q: 0.03, nodes: 60");
    am_run *turned = ask_slip("kind: profile, R: 4, P: 0.1, tilts: true, M: 0.012", "Q: 0.03, nodes: 60");
    assert_true(scalar(high, "tilt") > 1e-3);
    assert_near(scalar(high, "tilt"), scalar(turned, "tilt"), 2e-5); /* other nodes: their strips differ */
    assert_near(scalar(high, "c_over_a"), scalar(turned, "c_over_a"), 2e-3);
    am_run_free(turned);
    am_run_free(high);
    refuse_slip("kind: profile, R: 4, h: 1", "Q: 0", "tilts: true");
    refuse_slip("kind: profile, R: 4, M: 1", "Q: 0", "tilts: true");
}

static void what_the_elements_refuse_is_refused_in_their_words(void **state) {
    (void)state;
    am_slip_contact contact = {
        .shape = AM_SLIP_PUNCH, .law = AM_FRICTION_COULOMB, .f = 0.1, .P = 1.0, .half_width = 1.0, .height = 1.0};
    am_bem_def few = {.profile = {.shape = AM_SLIP_PUNCH, .half_width = 1.0},
                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = 0.1},
                      .modulus = 1.0,
                      .nodes = 4}; /* at least 8 */
    am_error err = {0}, direct = {0};
    double onset = NAN;
    assert_null(am_bem_create(&few, &direct));
    assert_int_equal(am_slip_elements_onset(&contact, &few, &onset, &err), direct.status);
    assert_string_equal(err.message, direct.message);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_elements_refuse_is_refused_in_their_words),
        cmocka_unit_test(slip_begins_at_the_trailing_corner_where_the_closed_form_says),
        cmocka_unit_test(friction_that_weakens_begins_to_slip_at_its_first_coefficient),
        cmocka_unit_test(smooth_profiles_slip_from_the_first_load),
        cmocka_unit_test(loads_up_to_the_punchs_maximum_are_carried_and_no_larger_ones),
        cmocka_unit_test(slower_weakening_carries_more_up_to_the_static_friction),
        cmocka_unit_test(a_maximum_that_is_passed_by_later_is_none),
        cmocka_unit_test(a_punch_that_tips_over_does_so_whatever_the_law),
        cmocka_unit_test(a_flat_with_ever_smaller_roundings_becomes_the_punch_that_turns),
        cmocka_unit_test(a_mirrored_body_turns_the_other_way),
        cmocka_unit_test(a_load_at_a_height_is_a_moment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
