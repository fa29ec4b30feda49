/* Paths of loads as studies write them. */
#include <math.h>
#include <stdio.h>

#include "amontons/slip.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "slip_study.h"
#include "study_text.h"

static const double PI = 3.14159265358979323846;

static void check_corners(const am_run *made, size_t count, const double (*corners)[2]) {
    const am_table *t = table_of(am_run_report(made)->result, "path");
    assert_int_equal(am_table_rows(t), 40 * count);
    for (size_t i = 0; i < count; i++) {
        assert_near(cell(t, 40 * i + 39, "P"), corners[i][0], 1e-14);
        assert_near(cell(t, 40 * i + 39, "Q"), corners[i][1], 1e-14);
        assert_near(cell(t, 40 * i + 39, "leg"), (double)(i + 1), 0.0);
    }
}

static void loads_are_named_in_several_ways_and_stay_where_left_out(void **state) {
    (void)state;
    am_run *made = ask_slip("kind: hertz, P: 2, f: 0.3",
                            "path: [{P_over_P0: 0.5}, {P: 3, Q: 0.2}, {Q_over_fP: -0.5}, {P: 2.5}, {Q_over_fP0: 0.5}]");
    const double corners[][2] = {{1.0, 0.0}, {3.0, 0.2}, {3.0, -0.45}, {2.5, -0.45}, {2.5, 0.3}};
    check_corners(made, 5, corners);
    assert_near(scalar(made, "P"), 2.5, 1e-14);
    assert_near(scalar(made, "Q_over_fP"), 0.4, 1e-14);
    am_run_free(made);
}

/* The first time round, Q rises at the path's P; later at the P that the cycle leaves behind. */
static void cycles_go_on_from_where_they_are(void **state) {
    (void)state;
    am_run *made = ask_slip("kind: hertz, P: 1, f: 0.5",
                            "cycle: [{Q: 0.2}, {P: 0.8}, {Q: -0.2}, {P: 1.2}], cycles: 2, method: closed-form");
    const double corners[][2] = {{1.0, 0.0}, {1.0, 0.2}, {0.8, 0.2},  {0.8, -0.2}, {1.2, -0.2},
                                 {1.2, 0.2}, {0.8, 0.2}, {0.8, -0.2}, {1.2, -0.2}};
    check_corners(made, 9, corners);
    assert_true(scalar(made, "loss_per_cycle") > 0.0);
    am_run_free(made);
    made = ask_slip("kind: hertz, P: 1, f: 0.5", "cycle: [{Q: 0.2}, {P: 0.8}, {Q: -0.2}, {P: 1.2}]");
    check_corners(made, 5, corners);
    am_run_free(made);
}

/* P over n of a slip zone that spreads while P is linear in n: the loss of docs/halfplane.md, section 4, by Simpson. */
static double leg_loss(double P0, double P1, double n0, double n1) {
    enum { PARTS = 2000 };
    double sum = 0.0;
    for (int i = 0; i <= PARTS; i++) {
        double t = (double)i / PARTS, P = P0 + t * (P1 - P0), n = n0 + t * (n1 - n0);
        sum += (P * log(P / n) - (P - n)) * (i == 0 || i == PARTS ? 1.0 : i % 2 ? 4.0 : 2.0);
    }
    return sum * fabs(n1 - n0) / (3.0 * PARTS);
}

/* Four corners of an oscillation, P a quarter ahead: a diamond. With q = 0.8, p = 0.6 (over P0) the slip zone reaches
 * from P to n = 1 - (q - p)/2, 1 - q forward and n = 1 - (q + p)/2, 1 - q backward. */
static void an_oscillation_of_four_corners_is_a_diamond(void **state) {
    (void)state;
    double wanted = 2.0 * 0.25 / PI *
                    (leg_loss(1.0, 1.6, 1.0, 0.9) + leg_loss(1.6, 1.0, 0.9, 0.2) + leg_loss(1.0, 0.4, 1.0, 0.3) +
                     leg_loss(0.4, 1.0, 0.3, 0.2));
    am_run *made =
        ask_slip("kind: hertz, P: 1", "oscillation: {P_over_P0: 0.6, Q_over_fP0: 0.8, corners: 4}, cycles: 3");
    assert_near(scalar(made, "loss_per_cycle"), wanted, 1e-10); /* Simpson's rule, the integrands are smooth */
    am_run_free(made);
    made = ask_slip(
        "kind: hertz, P: 1",
        "cycle: [{P: 1.6, Q: 0}, {P: 1, Q_over_fP0: 0.8}, {P: 0.4, Q: 0}, {P: 1, Q_over_fP0: -0.8}], cycles: 3");
    assert_near(scalar(made, "loss_per_cycle"), wanted, 1e-10);
    am_run_free(made);
}

/* At constant P a sine of Q is what its extremes are. */
static void a_sine_of_Q_alone_loses_what_its_extremes_do(void **state) {
    (void)state;
    am_run *made = ask_slip("kind: hertz, P: 1", "oscillation: {Q_over_fP0: 0.8}, cycles: 2");
    assert_near(scalar(made, "loss_per_cycle"), 2.0 * 0.25 / PI * (1.0 - 0.04 + 0.4 * log(0.2)), 1e-11);
    am_run_free(made);
}

static void senseless_paths_are_refused(void **state) {
    (void)state;
    refuse_slip("kind: hertz", "path: [{Q: 0.1}]", "the first corner of a path needs its normal load");
    refuse_slip("kind: hertz", "path: []", "at least one corner");
    refuse_slip("kind: hertz", "path: [{P: 1, P_over_P0: 2}]", "P and P_over_P0 say the same thing");
    refuse_slip("kind: hertz", "path: [{P: 1, Q_over_fP: 0.1, Q_over_fP0: 0.2}]", "say the same thing");
    refuse_slip("kind: hertz", "path: [{P: 1}], Q: 0.1", "leave Q, Q_over_fP and c_over_a out");
    refuse_slip("kind: hertz", "oscillation: {Q_over_fP0: 0.2}, c_over_a: 0.1", "leave Q, Q_over_fP and c_over_a out");
    refuse_slip("kind: hertz", "path: [{P: 1}], cycles: 2", "there is none");
    refuse_slip("kind: hertz", "oscillation: {Q_over_fP0: 0.2, corners: 2}", "between 3 and 1000, not 2");
    refuse_slip("kind: hertz", "oscillation: {Q_over_fP0: 0.2}, cycle: [{Q: 0}]", "say the same thing");
    refuse_slip("kind: hertz", "cycle: [{Q_over_fP0: 0.2}], cycles: 0", "at least once");
    refuse_slip("kind: hertz", "cycle: [{Q_over_fP0: 0.2}, {Q_over_fP: -1}]", "leg 3 of the path: Q reaches f P");
    refuse_slip("kind: hertz, beta: 0.1", "path: [{P: 1}], method: closed-form", "take boundary-elements");
    refuse_slip("kind: hertz, W: 0.1", "path: [{P: 1}]", "for P and then Q");
    refuse_slip("kind: hertz", "cycles: 2", "or a path");
}

/* What is written of the surfaces at every step bears the loads of that step, within the limit of friction, which it
 * reaches where the state says that it slips. `weight`: of a place, for the integral over the surface. */
static void check_profiles(const am_run *made, double f, double (*weight)(double x, size_t places), double tolerance) {
    const am_table *path = table_of(am_run_report(made)->result, "path");
    const am_table *all = table_of(am_run_report(made)->result, "profiles");
    size_t steps = am_table_rows(path), places = am_table_rows(all) / steps, slipping = 0;
    assert_int_equal(am_table_rows(all), steps * places);
    for (size_t i = 0; i < steps; i++) {
        double P = 0.0, Q = 0.0;
        for (size_t k = i * places; k < (i + 1) * places; k++) {
            double p = cell(all, k, "p"), q = cell(all, k, "q"), x = cell(all, k, "x");
            const char *word_ = word(all, k, "state");
            bool slips = strcmp(word_, "forward") == 0 || strcmp(word_, "backward") == 0;
            assert_int_equal((size_t)cell(all, k, "path_row"), i + 1);
            P += p * weight(x, places);
            Q += q * weight(x, places);
            assert_true(fabs(q) <= f * p + 1e-9);
            assert_true(strcmp(word_, "open") != 0 || (p == 0.0 && q == 0.0));
            assert_true(!slips || fabs(q - (word_[0] == 'f' ? f : -f) * p) <= 1e-9);
            slipping += slips;
        }
        assert_near(P, cell(path, i, "P"), tolerance);
        assert_near(Q, cell(path, i, "Q"), tolerance);
    }
    assert_in_range(slipping, steps, steps * places - 1);
}

static double widest;

/* x = -w cos(t), at even t; where the contact is narrower its ends fall between places: of order P places^-3/2, 1e-4. */
static double closed_weight(double x, size_t places) {
    return PI / (double)places * sqrt(widest * widest - x * x);
}

/* Linear between nodes, a twentieth of the half-width under the largest load apart, and nothing at the ends. */
static double element_weight(double x, size_t places) {
    (void)x, (void)places;
    return widest / 20.0;
}

static void profiles_bear_the_loads_of_every_step(void **state) {
    static const char loads[] = "path: [{P: 1}, {Q: 0.3}, {P: 1.5, Q: -0.2}, {P: 0.7}, {Q: 0.1}], profiles:";
    char question[256];
    (void)state;
    am_slip_contact contact = am_slip_contact_default(AM_SLIP_HERTZ);
    contact.P = 1.5;
    widest = am_slip_half_width(&contact);
    snprintf(question, sizeof question, "%s 400, method: closed-form", loads);
    am_run *made = ask_slip("kind: hertz, P: 1, f: 0.5", question);
    check_profiles(made, 0.5, closed_weight, 5e-4);
    am_run_free(made);
    snprintf(question, sizeof question, "%s 2000, method: boundary-elements, nodes: 20, steps: 8", loads);
    made = ask_slip("kind: hertz, P: 1, f: 0.5", question);
    check_profiles(made, 0.5, element_weight, 1e-9);
    am_run_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles_bear_the_loads_of_every_step),
        cmocka_unit_test(loads_are_named_in_several_ways_and_stay_where_left_out),
        cmocka_unit_test(cycles_go_on_from_where_they_are),
        cmocka_unit_test(an_oscillation_of_four_corners_is_a_diamond),
        cmocka_unit_test(a_sine_of_Q_alone_loses_what_its_extremes_do),
        cmocka_unit_test(senseless_paths_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
