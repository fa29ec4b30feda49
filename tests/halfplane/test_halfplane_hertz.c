/* Hertz, and Cattaneo and Mindlin: every condition of the problem, checked by quadrature of the tractions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "errors.h"
#include "halfplane/power.h"
#include "halfplane/superposition.h"
#include "halfplane_closed.h"
#include "hertz.h"
#include "math/quadrature.h"
#include "near.h"
#include "tractions.h"

static const double modulus = 230.0, radius = 40.0, friction = 0.35, load = 12.0;

static am_hertz hertz_of_load(void) {
    am_hertz hertz;
    GOOD(am_hertz_from_load(modulus, radius, load, &hertz, err));
    return hertz;
}

static double pressure_at(const void *context, double x) {
    return am_hertz_pressure(context, x);
}

static void hertz_carries_the_load_and_closes_the_gap(void **unused) {
    (void)unused;
    am_hertz hertz = hertz_of_load();
    double a = hertz.half_width, edges[] = {-a, a};
    assert_near(integral_between(pressure_at, &hertz, edges, 2), load, 1e-11 * load);
    for (int i = -3; i <= 3; i++) { /* (1.49): slope of the gap, x/R */
        double x = 0.3 * i * a;
        assert_near(hilbert(pressure_at, &hertz, edges, 2, x), 0.5 * modulus * x / radius, 1e-9 * hertz.peak);
    }
    for (int i = 0; i < 4; i++) { /* outside: gap = undeformed gap less what the pressure opens, and it is open */
        double x = a * (1.1 + 0.7 * i), h = 1e-5 * a;
        double slope = x / radius - 2.0 / modulus * hilbert(pressure_at, &hertz, edges, 2, x);
        assert_true(am_hertz_gap(&hertz, x) > 0.0);
        assert_near((am_hertz_gap(&hertz, x + h) - am_hertz_gap(&hertz, x - h)) / (2.0 * h), slope, 1e-7 * a / radius);
    }
    am_hertz same;
    GOOD(am_hertz_from_half_width(modulus, radius, a, &same, err));
    assert_near(same.load, load, 1e-14 * load);
    assert_near(hertz.peak, 2.0 * load / (3.14159265358979323846 * a), 1e-14 * hertz.peak); /* after (1.41) */
}

static double shear_at(const void *context, double x) {
    return am_cattaneo_shear(context, x);
}

static void cattaneo_and_mindlin_satisfy_every_condition(void **unused) {
    (void)unused;
    am_hertz hertz = hertz_of_load();
    double shares[] = {0.05, 0.4, 0.8, 0.99, -0.6};
    for (int k = 0; k < 5; k++) {
        am_cattaneo cattaneo;
        double Q = shares[k] * friction * load, sign = Q > 0.0 ? 1.0 : -1.0;
        GOOD(am_cattaneo_from_load(&hertz, friction, Q, &cattaneo, err));
        double a = hertz.half_width, c = cattaneo.stick, edges[] = {-a, -c, c, a};
        assert_near(c / a, sqrt(1.0 - fabs(shares[k])), 1e-15); /* (1.45) */
        assert_near(cattaneo.slip_width, a - c, 1e-15 * a);
        assert_near(integral_between(shear_at, &cattaneo, edges, 4), Q, 1e-10 * load);
        for (int i = -4; i <= 4; i++) { /* stick: no relative strain, and friction is not exceeded */
            double x = 0.2 * i * c;
            assert_near(hilbert(shear_at, &cattaneo, edges, 4, x), 0.0, 1e-9 * hertz.peak);
            assert_true(sign * am_cattaneo_shear(&cattaneo, x) < friction * am_hertz_pressure(&hertz, x));
            assert_true(am_cattaneo_slip(&cattaneo, x) == 0.0);
        }
        for (int i = 1; i <= 4; i++) { /* slip: at the limit, along Q, with the slope of (1.31) */
            double x = c + 0.2 * i * (a - c), h = 1e-4 * (a - c),
                   slope = 2.0 / modulus * hilbert(shear_at, &cattaneo, edges, 4, x);
            assert_near(am_cattaneo_shear(&cattaneo, -x), sign * friction * am_hertz_pressure(&hertz, x),
                        1e-15 * hertz.peak);
            double difference = am_cattaneo_slip(&cattaneo, x + h) - am_cattaneo_slip(&cattaneo, x - h);
            /* difference quotient: h^2/(x - c)^2 of the slope */
            assert_near(difference / (2.0 * h), slope, 1e-6 * fabs(slope));
            assert_true(sign * am_cattaneo_slip(&cattaneo, x) > 0.0);
        }
    }
}

static void the_parts_are_the_same_traction(void **unused) {
    (void)unused;
    am_hertz hertz = hertz_of_load();
    am_cattaneo cattaneo;
    GOOD(am_cattaneo_from_load(&hertz, friction, 0.7 * friction * load, &cattaneo, err));
    am_traction p = am_hertz_traction(&hertz), q = am_cattaneo_traction(&cattaneo);
    assert_near(am_traction_resultant(&p), load, 1e-14 * load);
    assert_near(am_traction_resultant(&q), 0.7 * friction * load, 1e-14 * load);
    for (int i = -6; i <= 6; i++) {
        double x = 0.19 * i * hertz.half_width;
        assert_near(am_traction_at(&p, x), am_hertz_pressure(&hertz, x), 1e-14 * hertz.peak);
        assert_near(am_traction_at(&q, x), am_cattaneo_shear(&cattaneo, x), 1e-14 * hertz.peak);
        double slip = 2.0 / modulus * (am_traction_displacement(&q, x) - am_traction_displacement(&q, 0.0));
        if (fabs(x) < hertz.half_width)
            assert_near(slip, am_cattaneo_slip(&cattaneo, x), 1e-15 * hertz.half_width);
    }
}

static void small_and_full_loads_keep_their_digits(void **unused) {
    (void)unused;
    am_hertz hertz = hertz_of_load();
    am_cattaneo cattaneo;
    double Q = 1e-13 * friction * load;
    GOOD(am_cattaneo_from_load(&hertz, friction, Q, &cattaneo, err));
    /* a - c = a e/2; in the middle q = f p0 e/2 */
    assert_near(cattaneo.slip_width / (0.5e-13 * hertz.half_width), 1.0, 1e-12);
    assert_near(am_cattaneo_shear(&cattaneo, 0.0) / (0.5e-13 * friction * hertz.peak), 1.0, 1e-12);
    assert_near(am_cattaneo_yield(&cattaneo) /
                    (0.5e-26 * 0.25 * friction * hertz.half_width * hertz.half_width / radius),
                1.0, 1e-12);
    GOOD(am_cattaneo_from_load(&hertz, friction, friction * load, &cattaneo, err));
    assert_near(cattaneo.stick, 0.0, 0.0);
    assert_near(am_cattaneo_slip(&cattaneo, hertz.half_width),
                0.5 * friction * hertz.half_width * hertz.half_width / radius, 1e-15);
    assert_near(am_cattaneo_shear(&cattaneo, 0.0), friction * hertz.peak, 1e-14 * hertz.peak);
    GOOD(am_cattaneo_from_load(&hertz, friction, 0.0, &cattaneo, err));
    assert_near(cattaneo.stick, hertz.half_width, 0.0);
    assert_near(am_cattaneo_shear(&cattaneo, 0.3 * hertz.half_width), 0.0, 0.0);
}

/* f p times slip */
static double rubbing_at(const void *context, double x) {
    const am_cattaneo *cattaneo = context;
    return cattaneo->friction * am_hertz_pressure(&cattaneo->hertz, x) * am_cattaneo_slip(cattaneo, x);
}

static void a_cycle_loses_what_is_rubbed_away(void **unused) {
    (void)unused;
    am_hertz hertz = hertz_of_load();
    double shares[] = {0.02, 0.3, 0.9, 1.0};
    for (int k = 0; k < 4; k++) {
        double amplitude = shares[k] * friction * load, energy, general;
        am_cattaneo cattaneo;
        GOOD(am_cattaneo_from_load(&hertz, friction, amplitude, &cattaneo, err));
        GOOD(am_cattaneo_dissipation(&hertz, friction, 2.0 * amplitude, &energy, err));
        /* twice a cycle, on both sides, f p times twice the slip of first loading to the amplitude */
        double direct = 8.0 * am_quadrature_ends(rubbing_at, &cattaneo, cattaneo.stick, hertz.half_width);
        assert_near(energy / direct, 1.0, 1e-11);
        am_power power = {modulus, 2.0, 0.5 / radius, 1.0};
        am_profile profile = am_power_profile(&power);
        GOOD(am_superposition_dissipation(&profile, friction, load, 2.0 * amplitude, &general, err));
        assert_near(general / energy, 1.0, 1e-11);
    }
}

static void small_cycles_lose_the_cube_of_their_amplitude(void **unused) {
    (void)unused;
    assert_near(am_superposition_loss(1e-6) / (1e-18 / 3.0), 1.0, 1e-6);
    assert_near(am_superposition_loss(0.5 - 1e-12), am_superposition_loss(0.5 + 1e-12), 1e-11); /* slope below 1 */
    assert_near(am_superposition_loss(1.0), 1.0, 0.0);
}

static void loads_beyond_sliding_are_refused(void **unused) {
    (void)unused;
    am_hertz hertz = hertz_of_load();
    am_cattaneo cattaneo;
    am_error err = {0};
    assert_int_equal(am_cattaneo_from_load(&hertz, friction, 4.3, &cattaneo, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "Q exceeds f P: the contact slides as a whole; the largest load is 4.2");
    assert_int_equal(am_cattaneo_from_load(&hertz, 0.0, 0.1, &cattaneo, &err), AM_ERR_INPUT);
    assert_blames(&err, "f", "positive coefficient of friction");
    assert_int_equal(am_cattaneo_from_load(&hertz, friction, NAN, &cattaneo, &err), AM_ERR_INPUT);
    assert_int_equal(am_hertz_from_load(modulus, radius, 0.0, &hertz, &err), AM_ERR_INPUT);
    assert_blames(&err, "P", "never touch");
    assert_int_equal(am_hertz_from_load(modulus, -1.0, 1.0, &hertz, &err), AM_ERR_INPUT);
    assert_blames(&err, "R", "positive");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hertz_carries_the_load_and_closes_the_gap),
        cmocka_unit_test(cattaneo_and_mindlin_satisfy_every_condition),
        cmocka_unit_test(the_parts_are_the_same_traction),
        cmocka_unit_test(small_and_full_loads_keep_their_digits),
        cmocka_unit_test(a_cycle_loses_what_is_rubbed_away),
        cmocka_unit_test(small_cycles_lose_the_cube_of_their_amplitude),
        cmocka_unit_test(loads_beyond_sliding_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
