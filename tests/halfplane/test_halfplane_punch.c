/* The punch loaded above the interface: equilibrium of forces and moments, stick, slip, lift-off and the singularity,
 * all by quadrature of its tractions, and the printed formulas. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "errors.h"
#include "halfplane/punch.h"
#include "halfplane_closed.h"
#include "near.h"
#include "tractions.h"

static const double pi = 3.14159265358979323846;

static am_punch punch_at(double alpha, double share, double toughness) {
    am_punch punch;
    GOOD(am_punch_from_load(alpha, share, toughness, &punch, err));
    return punch;
}

static void slip_lengths_are_the_published_ones(void **unused) {
    (void)unused;
    assert_near(punch_at(2.0, 0.75, 0.0).slip_length, 2.0 / 3.0, 1e-15);
    assert_near(punch_at(0.75, 0.5, 0.0).slip_length, 0.5, 1e-15);
    assert_near(punch_at(0.75, 0.8, 0.0).slip_length, 2.0 - 0.4 * 14.0 / 15.0, 1e-15); /* 1.62667 */
}

static void slip_starts_where_stated_and_lift_off_is_continuous(void **unused) {
    (void)unused;
    double alphas[] = {0.125, 0.25, 0.5, 0.75, 0.99, 1.0, 2.0, 4.0};
    for (int i = 0; i < 8; i++) {
        double alpha = alphas[i], e = 1e-9;
        am_punch_limits limits;
        GOOD(am_punch_limits_of(alpha, 0.0, &limits, err));
        assert_near(limits.onset, alpha / (1.0 + alpha), 1e-15); /* (3.8) */
        assert_near(limits.maximum, fmin(1.0, 2.0 * alpha), 1e-15);
        assert_int_equal(limits.tips_over, alpha <= 0.5);
        assert_near(punch_at(alpha, limits.onset, 0.0).slip_length, 0.0, 1e-15);
        double slope = 2.0 * alpha / (limits.onset * limits.onset); /* of (3.24) */
        assert_near(punch_at(alpha, limits.onset + e, 0.0).slip_length, slope * e,
                    1e-15 + slope * 10.0 * e * e / limits.onset);
        if (alpha < 1.0) {
            am_punch before = punch_at(alpha, alpha * (1.0 - e), 0.0), after = punch_at(alpha, alpha * (1.0 + e), 0.0);
            assert_near(before.slip_length, 2.0 * alpha, 10.0 * e);
            assert_near(after.slip_length, before.slip_length, 20.0 * e);
            assert_near(after.tilt, before.tilt, 10.0 * e);
            assert_near(after.contact, 1.0, 10.0 * e);
            for (int j = -4; j < 5; j++)
                assert_near(am_traction_at(&after.shear, 0.2 * j - 1.0), am_traction_at(&before.shear, 0.2 * j - 1.0),
                            1e-4);
        }
    }
}

static double traction_at(const void *context, double x) {
    return am_traction_at(context, x);
}

/* Everything the problem asks for, at one load. Tractions are over P/(pi a) and f P/(pi a). */
static void assert_solves(const am_punch *punch, int griffith) {
    double trailing = -2.0 * punch->contact, edge = punch->stick_edge, share = punch->share;
    double edges[3] = {trailing, edge, 0.0};
    const double *used = edge > trailing + 1e-12 ? edges : edges + 1;
    size_t count = edge > trailing + 1e-12 ? 3 : 2;
    double whole[] = {trailing, 0.0};
    assert_near(integral_between(traction_at, &punch->pressure, whole, 2) / pi, 1.0, 1e-9);
    assert_near(integral_between(traction_at, &punch->shear, used, count) / pi, share, 1e-9);
    assert_near(am_traction_resultant(&punch->pressure) / pi, 1.0, 1e-14);
    assert_near(am_traction_resultant(&punch->shear) / pi, share, 1e-14);
    /* moment about the middle, 1 from the corner: Q h = P a Q~/(2 alpha) */
    assert_near(am_traction_moment(&punch->pressure) / pi + 1.0, 0.5 * share / punch->alpha, 1e-13);
    for (int i = 1; i < 8; i++) { /* the face of the punch is flat, and tilted */
        double x = trailing + 0.12 * i * 2.0 * punch->contact;
        assert_near(hilbert(traction_at, &punch->pressure, whole, 2, x), -punch->tilt, 1e-8 / punch->contact);
        assert_true(am_traction_at(&punch->pressure, x) > 0.0);
    }
    for (int i = 1; i < 8; i++) { /* stick */
        double x = edge - 0.12 * i * edge;
        assert_near(hilbert(traction_at, &punch->shear, used, count, x), 0.0, 1e-7);
        if (!griffith)
            assert_true(am_traction_at(&punch->shear, x) <= am_traction_at(&punch->pressure, x) * (1.0 + 1e-12));
        assert_near(am_punch_slip(punch, x), 0.0, 0.0);
    }
    for (int i = 1; i < 8 && count == 3; i++) { /* slip, along Q */
        double x = trailing + 0.12 * i * (edge - trailing), h = 1e-4 * (edge - trailing);
        assert_near(am_traction_at(&punch->shear, x), am_traction_at(&punch->pressure, x), 1e-12);
        double slope = (am_punch_slip(punch, x + h) - am_punch_slip(punch, x - h)) / (2.0 * h);
        assert_near(slope, hilbert(traction_at, &punch->shear, used, count, x), 1e-5 * fmax(1.0, fabs(slope)));
        assert_true(am_punch_slip(punch, x) > 0.0 && slope < 0.0);
    }
}

static void coulomb_friction_is_solved_in_all_three_regimes(void **unused) {
    (void)unused;
    double cases[][2] = {{2.0, 0.3},   {2.0, 0.75}, {4.0, 0.95},  {1.0, 0.7},   {0.75, 0.5}, {0.75, 0.8},
                         {0.75, 0.97}, {0.25, 0.3}, {0.25, 0.45}, {0.125, 0.2}, {0.5, 0.9}};
    for (int i = 0; i < 11; i++) {
        am_punch punch = punch_at(cases[i][0], cases[i][1], 0.0);
        assert_solves(&punch, 0);
        assert_near(am_punch_intensity(&punch) * (punch.slip_length > 0.0), 0.0, 1e-14);
    }
}

/* (A.5), and (A.16) with W~ for its W. */
static double printed_length(double alpha, double Q, double W) {
    if (Q <= alpha) {
        double ratio = alpha * W / Q, root = sqrt(1.0 - 2.0 / alpha * pow(Q / W, 2.0) + 2.0 / alpha * Q / (W * W));
        return 2.0 * (1.0 - alpha * (1.0 / Q - 1.0) - ratio * ratio * (1.0 + root));
    }
    double root = sqrt((2.0 * alpha - Q) * (2.0 * alpha * (W * W + 1.0) - Q * (2.0 * alpha + W * W)));
    return Q / alpha - (2.0 - Q / alpha) * (1.0 + 4.0 * W * W + 2.0 / alpha * (W * root - Q * (alpha + W * W)));
}

static void griffith_friction_is_solved_and_has_its_singularity(void **unused) {
    (void)unused;
    double cases[][3] = {{2.0, 0.8, 0.1},   {2.0, 1.02, 0.2},  {0.75, 0.6, 0.1}, {0.75, 0.85, 0.1},
                         {0.75, 0.95, 0.3}, {0.25, 0.4, 0.05}, {4.0, 1.05, 0.2}, {0.3, 0.59, 0.1}};
    for (int i = 0; i < 8; i++) {
        double alpha = cases[i][0], share = cases[i][1], W = cases[i][2], e = 1e-9;
        am_punch punch = punch_at(alpha, share, W);
        assert_true(punch.slip_length > 1e-3);
        assert_solves(&punch, 1);
        /* K_II = sqrt(2 E* W) is sqrt(2 pi) W~ in these units */
        assert_near(am_punch_intensity(&punch), sqrt(2.0 * pi) * W, 1e-13);
        double jump =
            am_traction_at(&punch.shear, punch.stick_edge + e) - am_traction_at(&punch.pressure, punch.stick_edge + e);
        assert_near(jump * sqrt(2.0 * pi * e), sqrt(2.0 * pi) * W, 1e-3);
        assert_near(punch.slip_length, printed_length(alpha, share, W), 1e-12);
    }
}

static void griffith_becomes_coulomb_as_the_energy_vanishes(void **unused) {
    (void)unused;
    double cases[][2] = {{2.0, 0.75}, {0.75, 0.5}, {0.75, 0.8}, {0.25, 0.3}};
    for (int i = 0; i < 4; i++) {
        double plain = punch_at(cases[i][0], cases[i][1], 0.0).slip_length;
        double near = punch_at(cases[i][0], cases[i][1], 1e-9).slip_length;
        assert_near(near, plain, 2e-8); /* of first order in W~ */
        assert_near(near, printed_length(cases[i][0], cases[i][1], 1e-6), 2e-5);
    }
}

static void the_maximum_is_where_two_states_meet(void **unused) {
    (void)unused;
    double cases[][2] = {{2.0, 0.3}, {2.0, 1.6}, {0.75, 0.2}, {0.75, 1.0}, {4.0, 1.0}, {1.2, 0.5}};
    for (int i = 0; i < 6; i++) {
        double alpha = cases[i][0], W = cases[i][1], highest = 0.0, at = 0.0;
        am_punch_limits limits;
        GOOD(am_punch_limits_of(alpha, W, &limits, err));
        for (int k = 1; k <= 4000; k++) { /* every stick width, stable or not */
            am_punch punch;
            GOOD(am_punch_from_stick(alpha, 2.0 * k / 4000.0, W, &punch, err));
            if (punch.share > highest) {
                highest = punch.share;
                at = 2.0 * k / 4000.0;
            }
        }
        assert_near(limits.maximum, highest, 1e-6); /* a parabola seen on a grid of 1/2000 */
        assert_near(limits.sliding_at, at, 1e-3);
        am_punch first;
        GOOD(am_punch_from_stick(alpha, 2.0, W, &first, err));
        assert_near(first.share, limits.onset, 1e-13);
        if (!limits.slides_at_once && limits.maximum > limits.onset) {
            am_punch last = punch_at(alpha, limits.maximum, W);
            assert_near(-last.stick_edge, limits.sliding_at * last.contact, 1e-6); /* a square root's foot */
        }
    }
}

static void states_by_load_and_by_stick_width_agree(void **unused) {
    (void)unused;
    double cases[][3] = {{2.0, 0.8, 0.0}, {0.75, 0.9, 0.0}, {0.75, 0.9, 0.2}, {0.25, 0.45, 0.1}, {3.0, 1.01, 0.2}};
    for (int i = 0; i < 5; i++) {
        am_punch by_load = punch_at(cases[i][0], cases[i][1], cases[i][2]), by_stick;
        double stick = -by_load.stick_edge / by_load.contact;
        GOOD(am_punch_from_stick(cases[i][0], stick, cases[i][2], &by_stick, err));
        assert_near(by_stick.share, cases[i][1], 1e-13);
    }
}

static void very_tough_interfaces_slide_at_once(void **unused) {
    (void)unused;
    am_punch_limits limits;
    GOOD(am_punch_limits_of(4.0, 3.0, &limits, err));
    assert_true(limits.slides_at_once);
    assert_near(limits.maximum, limits.onset, 0.0);
    am_punch stuck = punch_at(4.0, limits.onset * 0.999, 3.0);
    assert_near(stuck.stick_edge, -2.0 * stuck.contact, 1e-15); /* all that touches sticks, though it lifts */
    assert_true(stuck.contact < 1.0);
    assert_solves(&stuck, 1);
}

static void loads_beyond_the_largest_are_refused_by_name(void **unused) {
    (void)unused;
    am_punch punch;
    am_error err = {0};
    assert_int_equal(am_punch_from_load(2.0, 1.01, 0.0, &punch, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "Q exceeds f P: the contact slides as a whole; the largest load is 1 f P");
    assert_int_equal(am_punch_from_load(0.25, 0.5, 0.0, &punch, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "tips over");
    assert_int_equal(am_punch_from_load(0.25, 3.0, 0.0, &punch, &err), AM_ERR_INPUT);
    assert_says(&err, "largest load is 0.5 f P");
    assert_int_equal(am_punch_from_load(0.0, 0.5, 0.0, &punch, &err), AM_ERR_INPUT);
    assert_blames(&err, "alpha", "positive");
    assert_int_equal(am_punch_from_load(1.0, NAN, 0.0, &punch, &err), AM_ERR_INPUT);
    assert_int_equal(am_punch_from_load(1.0, 0.5, -1.0, &punch, &err), AM_ERR_INPUT);
    assert_blames(&err, "W", "negative");
    assert_int_equal(am_punch_from_stick(0.2, 0.5, 0.3, &punch, &err), AM_ERR_INPUT);
    assert_blames(&err, "stick", "tips over before its stick zone becomes as small as 0.5");
    assert_int_equal(am_punch_from_stick(0.2, 2.5, 0.3, &punch, &err), AM_ERR_INPUT);
    /* exactly at sliding the answer is still one */
    assert_int_equal(am_punch_from_load(2.0, 1.0, 0.0, &punch, &err), AM_OK);
    assert_near(punch.slip_length, 2.0, 1e-15);
    assert_near(am_traction_at(&punch.shear, 0.3), am_traction_at(&punch.pressure, 0.3), 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slip_lengths_are_the_published_ones),
        cmocka_unit_test(slip_starts_where_stated_and_lift_off_is_continuous),
        cmocka_unit_test(coulomb_friction_is_solved_in_all_three_regimes),
        cmocka_unit_test(griffith_friction_is_solved_and_has_its_singularity),
        cmocka_unit_test(griffith_becomes_coulomb_as_the_energy_vanishes),
        cmocka_unit_test(the_maximum_is_where_two_states_meet),
        cmocka_unit_test(states_by_load_and_by_stick_width_agree),
        cmocka_unit_test(very_tough_interfaces_slide_at_once),
        cmocka_unit_test(loads_beyond_the_largest_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
