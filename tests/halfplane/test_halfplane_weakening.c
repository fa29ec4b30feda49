/* Slip-weakening friction: the double Cattaneo-Mindlin solution by quadrature of its tractions, its short-transition
 * limit, and the published maximum. Lengths over a, Q over f_d P, tractions over f_d p0, slip over f_d a^2/R. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "errors.h"
#include "halfplane/griffith.h"
#include "halfplane/power.h"
#include "halfplane_closed.h"
#include "hertz.h"
#include "math/quadrature.h"
#include "math/special.h"
#include "near.h"
#include "tractions.h"
#include "weakening_cylinder.h"

static const double pi = 3.14159265358979323846;

static double shear_at(const void *context, double x) {
    return am_weakening_shear(context, x);
}

static const am_slip_measure measures[] = {AM_SLIP_EDGE, AM_SLIP_INTEGRAL, AM_SLIP_ENERGY};

static void double_solutions_satisfy_every_condition(void **unused) {
    (void)unused;
    double sticks[] = {0.0, 0.1, 0.5, 0.8};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 4; i++) {
            am_weakening weakening = {0.5, measures[m] == AM_SLIP_ENERGY ? 0.005 : 0.02, measures[m]};
            am_weakening_state s = am_weakening_at(&weakening, sticks[i]);
            assert_false(s.truncated);
            double c = s.stick, b = s.transition, edges[] = {-1.0, -b, -c, c, b, 1.0};
            assert_true(c < b && b < 1.0);
            /* P = pi p0 a/2 */
            assert_near(integral_between(shear_at, &s, edges, 6) / (0.5 * pi), s.tangential, 1e-10);
            am_traction parts = am_weakening_traction(&s);
            assert_near(am_traction_resultant(&parts) / (0.5 * pi), s.tangential, 1e-14);
            for (int k = -4; k <= 4 && c > 0.0; k++) {
                assert_near(hilbert(shear_at, &s, edges, 6, 0.2 * k * c), 0.0, 1e-9);
                assert_true(am_weakening_friction(&s, 0.2 * k * c) < 1.5);
            }
            if (c > 0.0)
                assert_near(am_weakening_friction(&s, c), 1.5, 1e-13); /* f_s at the edge of the stick zone */
            double before = 1.5;
            for (int k = 1; k < 8; k++) { /* weakening towards b, dynamic beyond */
                double x = c + 0.125 * k * (b - c), y = b + 0.125 * k * (1.0 - b);
                double now = am_weakening_friction(&s, x);
                assert_true(now < before + 1e-15 && now > 1.0);
                before = now;
                assert_near(am_weakening_friction(&s, y), 1.0, 1e-14);
                /* slip' = (2/E*) Re F with p0 = E* a/(2R): in these units Re F itself */
                double h = 1e-5;
                double slope = (am_weakening_slip(&s, y + h) - am_weakening_slip(&s, y - h)) / (2.0 * h);
                assert_near(slope, hilbert(shear_at, &s, edges, 6, y), 1e-6);
                slope = (am_weakening_slip(&s, x + h) - am_weakening_slip(&s, x - h)) / (2.0 * h);
                assert_near(slope, hilbert(shear_at, &s, edges, 6, x), 1e-5);
            }
        }
}

/* (q - f_d p) du over the transition zone, in the thesis' units of w: 2 R^2/(E* f_d^2 a^3) times
 * f_d p0 f_d a^2/R/a is one. */
static double energy_at(const void *context, double x) {
    const am_weakening_state *s = context;
    double above = am_weakening_shear(s, x) - am_traction_between(x, 1.0, 0.0);
    return above * (1.0 + s->factor) * sqrt((x - s->stick) * (x + s->stick));
}

/* (f - f_d) du, over f_s - f_d = phi f_d */
static double length_at(const void *context, double x) {
    return energy_at(context, x) / sqrt((1.0 - x) * (1.0 + x));
}

static void energy_and_length_are_the_integrals_they_stand_for(void **unused) {
    (void)unused;
    double sticks[] = {0.0, 1e-3, 0.3, 0.6, 0.9}, excesses[] = {0.1, 0.5, 5.0}, amounts[] = {1e-4, 0.002, 0.01};
    int seen = 0;
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 45; i++) {
            am_weakening w = {excesses[i % 3], amounts[i / 3 % 3], measures[m]};
            am_weakening_state s = am_weakening_at(&w, sticks[i / 9]);
            if (s.truncated)
                continue;
            seen++;
            double energy = am_quadrature_ends(energy_at, &s, s.stick, s.transition);
            double length = am_quadrature_ends(length_at, &s, s.stick, s.transition) / w.excess;
            /* thin zones: b - c = 1e-4 is known to 1e-12 of itself, and shear less f_d p cancels by b - c */
            assert_near(am_weakening_energy(&w, s.stick, s.transition) / energy, 1.0, 1e-8);
            assert_near(am_weakening_length(&w, s.stick, s.transition) / length, 1.0, 1e-8);
            double asked = m == 0   ? energy / (w.excess * sqrt((1.0 - s.stick) * (1.0 + s.stick)))
                           : m == 1 ? length
                                    : energy;
            assert_near(asked / w.amount, 1.0, 1e-8);
        }
    assert_true(seen > 100);
}

/* (4.23) with its sign turned, in units of w. */
static double printed_energy(double phi, double c, double b) {
    double K, E, r = sqrt((1.0 - c * c) / (b * b - c * c));
    am_special_elliptic(c / b, &K, &E);
    return phi * b / 3.0 * r * (1.0 + phi * r) * ((b * b + c * c) * E - 2.0 * c * c * K);
}

static void the_printed_energy_is_right_in_size(void **unused) {
    (void)unused;
    double pairs[][2] = {{0.01, 0.5}, {0.2, 0.3}, {0.5, 0.7}, {0.6, 0.61}, {0.1, 0.99}};
    am_weakening w = {0.7, 1.0, AM_SLIP_ENERGY};
    for (int i = 0; i < 5; i++) {
        double c = pairs[i][0], b = pairs[i][1];
        /* its bracket cancels like (b - c)^2 */
        assert_near(am_weakening_energy(&w, c, b) / printed_energy(0.7, c, b), 1.0,
                    1e-15 / pow(1.0 - c / b, 2.0) + 1e-14);
    }
    /* (4.27): a thin zone has W = pi E* (f_s - f_d)^2 (a^2 - c^2) d/(16 R^2) */
    double d = 1e-6, c = 0.4;
    assert_near(am_weakening_energy(&w, c, c + d) / (pi / 8.0 * 0.49 * (1.0 - c * c) * d), 1.0, 1e-2); /* sqrt(d) */
}

static void the_published_maximum_of_the_short_limit(void **unused) {
    (void)unused;
    double critical, maximum;
    am_weakening_short_limits(0.1, &critical, &maximum);
    assert_near(maximum, 1.2919, 5e-5);
    for (int i = 0; i <= 1000; i++)
        assert_true(am_weakening_short_tangential(0.1, i / 1000.0) <= maximum);
    am_weakening_short_limits(0.0, &critical, &maximum);
    assert_near(maximum, 1.0, 0.0);
    assert_near(critical, 0.0, 0.0);
}

static void short_transitions_tend_to_their_limit(void **unused) {
    (void)unused;
    double psi = 0.1, error[2];
    for (int i = 0; i < 2; i++) {
        double lambda = i == 0 ? 4e-4 : 1e-4, phi = sqrt(psi / lambda);
        am_weakening w = {phi, phi * lambda, AM_SLIP_EDGE};
        assert_near(am_weakening_lambda(&w), lambda, 1e-15);
        assert_near(am_weakening_psi(&w), psi, 1e-15);
        am_weakening_state s = am_weakening_at(&w, 0.5);
        error[i] = fabs(s.tangential - am_weakening_short_tangential(psi, 0.5));
        assert_true(error[i] < lambda); /* a zone of width lambda or so */
        assert_near(am_weakening_shear(&s, 0.2), am_weakening_short_shear(psi, 0.5, 0.2), 4.0 * lambda);
        assert_near(am_weakening_slip(&s, 0.8), am_weakening_short_slip(psi, 0.5, 0.8), 4.0 * lambda);
        double critical, maximum;
        am_weakening_short_limits(psi, &critical, &maximum);
        assert_near(am_weakening_limits_of(&w).maximum, maximum, lambda);
        assert_true(am_weakening_short_reach(&w, 0.5) < 1e-3);
    }
    assert_true(error[1] < 0.3 * error[0]); /* of first order */
}

typedef struct short_state {
    double psi, stick;
} short_state;

static double short_shear_at(const void *context, double x) {
    const short_state *s = context;
    return am_weakening_short_shear(s->psi, s->stick, x);
}

static void the_short_limit_satisfies_every_condition(void **unused) {
    (void)unused;
    double sticks[] = {0.1, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        short_state s = {0.07, sticks[i]};
        double c = sticks[i], edges[] = {-1.0, -c, c, 1.0};
        assert_near(integral_between(short_shear_at, &s, edges, 4) / (0.5 * pi), am_weakening_short_tangential(0.07, c),
                    1e-10);
        for (int k = -4; k <= 4; k++)
            assert_near(hilbert(short_shear_at, &s, edges, 4, 0.2 * k * c), 0.0, 1e-8);
        double x = c + 0.5 * (1.0 - c), h = 1e-5;
        assert_near((am_weakening_short_slip(0.07, c, x + h) - am_weakening_short_slip(0.07, c, x - h)) / (2.0 * h),
                    hilbert(short_shear_at, &s, edges, 4, x), 1e-6);
        /* K_II^2 = 2 E* W with W = (f_s - f_d) p(c) Delta (4.32): 4 psi sqrt(1 - c^2) in these units */
        double e = 1e-10 * c, intensity = short_shear_at(&s, c - e) * sqrt(2.0 * pi * e);
        assert_near(intensity / sqrt(4.0 * 0.07 * sqrt(1.0 - c * c)), 1.0, 1e-3);
    }
}

static void griffith_friction_with_the_same_energy_is_the_same(void **unused) {
    (void)unused;
    double modulus = 3.0, radius = 5.0, dynamic = 0.2, psi = 0.06, c_over_a = 0.55;
    am_hertz hertz;
    GOOD(am_hertz_from_load(modulus, radius, 0.8, &hertz, err));
    double a = hertz.half_width, c = c_over_a * a;
    /* W = (f_s - f_d) p(c) Delta with psi = (f_s - f_d) R Delta/(f_d^2 a^2) */
    double energy = psi * dynamic * dynamic * a * a / radius * am_hertz_pressure(&hertz, c);
    am_power power = {modulus, 2.0, 0.5 / radius, 1.0};
    am_griffith griffith;
    GOOD(am_griffith_from_load(am_power_profile(&power), dynamic, 0.8, energy, &griffith, err));
    assert_near(am_griffith_tangential(&griffith, c) / (dynamic * 0.8), am_weakening_short_tangential(psi, c_over_a),
                1e-13);
    for (int i = 0; i < 5; i++)
        assert_near(am_griffith_shear(&griffith, c, 0.19 * i * a) / (dynamic * hertz.peak),
                    am_weakening_short_shear(psi, c_over_a, 0.19 * i), 1e-12);
    assert_near(am_griffith_slip(&griffith, c, 0.9 * a) / (dynamic * a * a / radius),
                am_weakening_short_slip(psi, c_over_a, 0.9), 1e-13);
}

static void loads_lead_to_stable_states(void **unused) {
    (void)unused;
    for (int m = 0; m < 3; m++) {
        am_weakening w = {0.5, 0.02, measures[m]};
        am_weakening_limits limits = am_weakening_limits_of(&w);
        double before = 1.0 + 1e-12;
        for (int i = 0; i <= 20; i++) {
            am_weakening_state s;
            double Q = limits.maximum * i / 20.0;
            GOOD(am_weakening_from_load(&w, Q, &s, err));
            assert_near(s.tangential, Q, 1e-12);
            assert_true(s.stick < before && s.stick >= limits.critical - 1e-12);
            before = s.stick;
        }
    }
}

static void the_case_of_figure_4_2(void **unused) {
    (void)unused;
    /* f_s = 0.15, f_d = 0.1, Lambda = 0.05: R Delta/a^2 = 0.0025 */
    am_weakening w;
    am_weakening_state s, other;
    GOOD(am_weakening_from_length(0.15, 0.1, 2.0, 0.5, 0.0025 * 0.25 / 2.0, AM_SLIP_EDGE, &w, err));
    assert_near(am_weakening_lambda(&w), 0.05, 1e-15);
    GOOD(am_weakening_from_load(&w, 0.8, &s, err));
    w.measure = AM_SLIP_INTEGRAL;
    GOOD(am_weakening_from_load(&w, 0.8, &other, err));
    assert_near(s.stick, other.stick, 3e-3); /* the two readings of Delta differ by less than the figure shows */
    double plain = sqrt(1.0 - 0.8), limit;   /* Cattaneo and Mindlin with f_d, and the short limit */
    GOOD(am_weakening_short_stick(am_weakening_psi(&w), 0.8, &limit, err));
    assert_true(s.stick > plain && s.stick < limit && s.transition > limit);
    assert_near(am_weakening_short_tangential(am_weakening_psi(&w), limit), 0.8, 1e-13);
}

static void transitions_wider_than_the_contact_leave_static_friction(void **unused) {
    (void)unused;
    am_weakening w = {0.5, 0.02, AM_SLIP_EDGE};
    am_weakening_limits limits = am_weakening_limits_of(&w);
    am_weakening_state below = am_weakening_at(&w, limits.truncation - 1e-9),
                       above = am_weakening_at(&w, limits.truncation + 1e-9);
    assert_true(above.truncated && !below.truncated);
    assert_near(below.tangential, above.tangential, 1e-7);
    assert_near(below.transition, 1.0, 1e-7);
    am_weakening_state s = am_weakening_at(&w, 0.5 * (1.0 + limits.truncation));
    assert_near(s.tangential, 1.5 * (1.0 - s.stick * s.stick), 1e-15);
    assert_near(am_weakening_shear(&s, 0.3), 1.5 * am_traction_between(0.3, 1.0, s.stick), 1e-15);
    /* so slow a weakening that all slip is under f_s */
    w.amount = 0.51;
    limits = am_weakening_limits_of(&w);
    assert_near(limits.maximum, 1.5, 0.0);
    assert_near(limits.critical, 0.0, 0.0);
    /* the largest chi with a transition inside: (1 + phi)/3 at c = 0 (b = 1) */
    w.amount = 0.499;
    assert_false(am_weakening_at(&w, 0.0).truncated);
}

static void apparent_friction_is_below_the_static_one(void **unused) {
    (void)unused;
    double chis[] = {0.001, 0.01, 0.1};
    for (int i = 0; i < 3; i++) {
        double before = 1.0;
        for (int k = 1; k <= 5; k++) { /* Fig. 4.6: grows with f_s/f_d, never reaches it */
            am_weakening w = {0.4 * k, chis[i], AM_SLIP_EDGE};
            double maximum = am_weakening_limits_of(&w).maximum;
            assert_true(maximum > before && maximum < 1.0 + 0.4 * k);
            before = maximum;
        }
    }
}

static void bad_laws_and_loads_are_refused(void **unused) {
    (void)unused;
    am_weakening w;
    am_weakening_state s;
    am_error err = {0};
    double stick;
    assert_int_equal(am_weakening_from_length(0.1, 0.1, 1.0, 1.0, 0.1, AM_SLIP_EDGE, &w, &err), AM_ERR_INPUT);
    assert_blames(&err, "f_s", "static friction above the dynamic one");
    assert_int_equal(am_weakening_from_length(0.2, 0.1, 1.0, 1.0, 0.0, AM_SLIP_EDGE, &w, &err), AM_ERR_INPUT);
    assert_blames(&err, "Delta", "must be positive");
    assert_int_equal(am_weakening_from_length(0.2, 0.0, 1.0, 1.0, 0.1, AM_SLIP_EDGE, &w, &err), AM_ERR_INPUT);
    assert_blames(&err, "f_d", "positive");
    w = (am_weakening){0.5, 0.02, AM_SLIP_EDGE};
    assert_int_equal(am_weakening_from_load(&w, 1.6, &s, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "slides as a whole; the largest load is 1.0");
    assert_int_equal(am_weakening_short_stick(0.1, 1.3, &stick, &err), AM_ERR_INPUT);
    assert_says(&err, "largest load is 1.29187 f_d P");
    assert_int_equal(am_weakening_short_stick(0.1, -0.1, &stick, &err), AM_ERR_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_solutions_satisfy_every_condition),
        cmocka_unit_test(energy_and_length_are_the_integrals_they_stand_for),
        cmocka_unit_test(the_printed_energy_is_right_in_size),
        cmocka_unit_test(the_published_maximum_of_the_short_limit),
        cmocka_unit_test(short_transitions_tend_to_their_limit),
        cmocka_unit_test(the_short_limit_satisfies_every_condition),
        cmocka_unit_test(griffith_friction_with_the_same_energy_is_the_same),
        cmocka_unit_test(loads_lead_to_stable_states),
        cmocka_unit_test(the_case_of_figure_4_2),
        cmocka_unit_test(transitions_wider_than_the_contact_leave_static_friction),
        cmocka_unit_test(apparent_friction_is_below_the_static_one),
        cmocka_unit_test(bad_laws_and_loads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
