/* Griffith friction for any profile: every condition by quadrature, limits against closed forms, and where the thesis'
 * isolated flat fails under a wave. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "errors.h"
#include "halfplane/griffith.h"
#include "halfplane/power.h"
#include "halfplane/sinusoid.h"
#include "halfplane/superposition.h"
#include "halfplane_closed.h"
#include "hertz.h"
#include "math/root.h"
#include "near.h"
#include "tractions.h"

static const double pi = 3.14159265358979323846, friction = 0.3;

typedef struct loaded {
    am_griffith griffith;
    double c;
} loaded;

static double shear_at(const void *context, double x) {
    const loaded *l = context;
    return am_griffith_shear(&l->griffith, l->c, x);
}

/* lambda = 0: isolated */
static void assert_solves(const loaded *l, double lambda, double energy, double tolerance) {
    const am_griffith *g = &l->griffith;
    const am_profile *profile = &g->profile;
    double a = g->half_width, c = l->c, E = profile->kind->modulus(profile->data), edges[] = {-a, -c, 0.0, c, a};
    double scale = g->load / a;
    assert_near(integral_between(shear_at, l, edges, 5), am_griffith_tangential(g, c), tolerance * g->load);
    for (int i = 1; i < 6; i++) {
        double x = c * (0.17 * i - 0.02);
        assert_near(hilbert_periodic(shear_at, l, edges, 5, lambda, x), 0.0, tolerance * scale);
        assert_near(am_griffith_slip(g, c, x), 0.0, 0.0);
    }
    for (int i = 1; i < 6; i++) {
        double x = c + 0.17 * i * (a - c), h = 1e-4 * (a - c);
        assert_near(shear_at(l, -x), friction * profile->kind->pressure(profile->data, x, a), 1e-13 * scale);
        double slope = (am_griffith_slip(g, c, x + h) - am_griffith_slip(g, c, x - h)) / (2.0 * h);
        double wanted = 2.0 / E * hilbert_periodic(shear_at, l, edges, 5, lambda, x);
        assert_near(slope / wanted, 1.0, 1e-5);
        assert_true(am_griffith_slip(g, c, x) > 0.0);
        am_transform t = am_griffith_transform(g, c, x, 0.0);
        assert_near(2.0 / E * creal(t.value) / wanted, 1.0, 1e-6);
    }
    double e = 1e-10 * c; /* strength of the singularity; the regular part is sqrt(e) smaller */
    assert_near(shear_at(l, c - e) * sqrt(2.0 * pi * e) / sqrt(2.0 * E * energy), 1.0, 1e-3);
}

static void power_laws_satisfy_every_condition(void **unused) {
    (void)unused;
    double powers[] = {1.0, 2.0, 3.0, 4.0, 6.5}, ratios[] = {0.2, 0.6, 0.9};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            am_power power = {2.0, powers[i], 0.4, 1.0};
            double energy = 1e-3;
            loaded l;
            GOOD(am_griffith_from_load(am_power_profile(&power), friction, am_power_load(&power, 0.7), energy,
                                       &l.griffith, err));
            l.c = 0.7 * ratios[j];
            /* the wedge has a logarithm in the middle */
            assert_solves(&l, 0.0, energy, powers[i] < 2.0 ? 1e-4 : 1e-7);
        }
}

static void waves_satisfy_every_condition_with_the_periodic_flat(void **unused) {
    (void)unused;
    double widths[] = {0.1, 0.3, 0.45, 0.5}, ratios[] = {0.3, 0.7, 0.95};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            am_sinusoid wave = {2.0, 0.05, 3.0, false};
            double a = 3.0 * widths[i], energy = 1e-4;
            loaded l;
            GOOD(am_griffith_from_load(am_sinusoid_profile(&wave), friction, am_sinusoid_load(&wave, a), energy,
                                       &l.griffith, err));
            l.c = l.griffith.half_width * ratios[j];
            assert_solves(&l, 3.0, energy, 1e-7);
        }
}

static void the_isolated_flat_lets_the_stick_zone_of_a_wave_slip(void **unused) {
    (void)unused;
    double worst[2];
    for (int narrow = 0; narrow < 2; narrow++) {
        am_sinusoid wave = {2.0, 0.05, 3.0, true};
        double a = narrow ? 0.06 : 1.35;
        loaded l;
        GOOD(am_griffith_from_load(am_sinusoid_profile(&wave), friction, am_sinusoid_load(&wave, a), 1e-4, &l.griffith,
                                   err));
        l.c = 0.8 * a;
        double edges[] = {-a, -l.c, 0.0, l.c, a};
        double x = 0.7 * l.c, strain = hilbert_periodic(shear_at, &l, edges, 5, 3.0, x);
        double singular =
            am_griffith_tangential(&l.griffith, l.c) - friction * (l.griffith.load - am_sinusoid_load(&wave, l.c));
        worst[narrow] = fabs(strain) / (singular * am_flat_traction(0.0, l.c));
    }
    assert_true(worst[0] > 0.2);                     /* wide contacts: of the order of the traction */
    assert_true(worst[1] < 2e-3 && worst[1] > 1e-5); /* narrow ones, c/lambda = 0.016: of second order in it */
}

static void limits_of_power_laws_are_the_closed_forms(void **unused) {
    (void)unused;
    double powers[] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, criticals[] = {0.05, 0.4, 0.8, 1.3};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++) {
            double k = powers[i], critical = criticals[j], a = 0.7;
            am_power power = {2.0, k, 0.4, 1.0};
            /* the energy of that c_c, from (5.45) turned round */
            double gammas = tgamma(0.5 * (k + 1.0)) / tgamma(0.5 * k);
            double root = k * 0.4 * gammas * pow(critical * a, k - 0.5) * friction, energy = 2.0 * 2.0 * root * root;
            assert_near(am_griffith_power_critical(2.0, k, 0.4, friction, energy), critical * a, 1e-13);
            am_griffith griffith;
            am_griffith_limits limits;
            double load = am_power_load(&power, a), limit = friction * load;
            GOOD(am_griffith_from_load(am_power_profile(&power), friction, load, energy, &griffith, err));
            limits = am_griffith_limits_of(&griffith);
            assert_near(limits.onset / limit, am_griffith_power_onset(k, critical), 1e-12 * limits.onset / limit);
            assert_near(am_griffith_power_onset(k, critical), 2.0 * k * pow(critical, k - 0.5),
                        1e-14 * limits.onset / limit);
            for (int m = 0; m <= 10; m++)
                assert_near(am_griffith_tangential(&griffith, 0.1 * m * a) / limit,
                            am_griffith_power_share(k, critical, 0.1 * m), 1e-12 * (1.0 + limits.onset / limit));
            if (critical < 1.0) {
                assert_near(limits.maximum / limit, 1.0 + (2.0 * k - 1.0) * pow(critical, k),
                            1e-12 * limits.maximum / limit);
                assert_near(limits.critical / a, critical, 1e-6); /* the square root of rounding at a level maximum */
                assert_false(limits.jumps || limits.slides_at_once);
            } else {
                assert_true(limits.slides_at_once);
                assert_near(limits.largest, limits.onset, 0.0);
            }
        }
}

/* Steep profiles hardly change Q where it is largest: for k = 50 and c_c = a/4 by 1e-28 of f P. */
static void limits_are_found_for_the_steepest_and_the_flattest_profiles_and_all_energies(void **unused) {
    (void)unused;
    enum { CASES = 400, SEED = 11 };
    for (int i = 0; i < CASES; i++) {
        double k = pow(50.0, am_random_unit(SEED, (uint64_t)i, 0)),
               a = 0.1 + 3.0 * am_random_unit(SEED, (uint64_t)i, 1);
        double critical = pow(10.0, -4.0 * am_random_unit(SEED, (uint64_t)i, 2)) * (i % 8 == 0 ? 3.0 : 1.0);
        am_power power = {2.0, k, 0.4, 1.0};
        double gammas = exp(lgamma(0.5 * (k + 1.0)) - lgamma(0.5 * k));
        double root = k * 0.4 * gammas * pow(critical * a, k - 0.5) * friction, energy = 4.0 * root * root;
        if (!(energy > 1e-290))
            continue; /* no double is so small */
        am_griffith griffith;
        double load = am_power_load(&power, a), limit = friction * load;
        GOOD(am_griffith_from_load(am_power_profile(&power), friction, load, energy, &griffith, err));
        am_griffith_limits l = am_griffith_limits_of(&griffith);
        assert_int_equal(l.slides_at_once, critical >= 1.0);
        assert_false(l.jumps);
        if (critical >= 1.0) {
            assert_near(l.largest, l.onset, 0.0);
            continue;
        }
        /* the slopes of logarithms are right to 1e-11; powers lose k digits in the last place */
        assert_near(l.critical / (critical * a), 1.0, 1e-10);
        assert_near(l.maximum / limit, am_griffith_power_maximum(k, critical), 1e-12 * l.maximum / limit);
        assert_near(l.onset / limit, am_griffith_power_onset(k, critical), 1e-12 * l.onset / limit);
        double share = l.onset / limit + 0.7 * (l.maximum - l.onset) / limit, c, ratio;
        GOOD(am_griffith_stick(&griffith, share * limit, &c, err));
        GOOD(am_griffith_power_stick(k, critical, share, &ratio, err));
        assert_near(am_griffith_power_share(k, critical, c / a), share, 1e-12 * share);
        assert_near(am_griffith_power_share(k, critical, ratio), share, 1e-12 * share);
    }
}

static void hertz_is_as_printed(void **unused) {
    (void)unused;
    double modulus = 3.0, radius = 5.0, W = 2e-4; /* the thesis' W, the energy over f^2 */
    am_hertz hertz;
    GOOD(am_hertz_from_load(modulus, radius, 0.9, &hertz, err));
    am_power power = {modulus, 2.0, 0.5 / radius, 1.0};
    am_griffith griffith;
    GOOD(am_griffith_from_load(am_power_profile(&power), friction, 0.9, W * friction * friction, &griffith, err));
    double a = hertz.half_width, critical = radius * cbrt(2.0 * W / (pi * modulus * radius)); /* (5.33) */
    assert_near(am_griffith_power_critical(modulus, 2.0, 0.5 / radius, friction, W * friction * friction), critical,
                1e-14);
    for (int i = 1; i < 10; i++) {
        double c = 0.1 * i * a, ratio = critical / c;
        double share = 1.0 - c * c / (a * a) * (1.0 - 4.0 * pow(ratio, 1.5)); /* (5.35) */
        assert_near(am_griffith_tangential(&griffith, c) / (friction * 0.9), share, 1e-13);
        double x = 0.6 * c, root = sqrt(1.0 - 0.36);
        double printed = sqrt(1.0 - x * x / (a * a)) - c / a * root + 2.0 * pow(critical / a, 1.5) * sqrt(a / c) / root;
        assert_near(am_griffith_shear(&griffith, c, x) / (friction * hertz.peak), printed, 1e-13); /* (5.41) */
    }
}

static double adhesive_load(const void *context, double a) {
    const double *v = context; /* E*, R, W */
    return sqrt(2.0 * pi * v[0] * a * v[2]) - 0.25 * pi * v[0] * a * a / v[1];
}

static void pull_off_is_the_least_load_of_the_adhesive_cylinder(void **unused) {
    (void)unused;
    double v[] = {3.0, 5.0, 2e-4};
    double a = am_root_highest(adhesive_load, v, 0.0, 1.0);
    assert_near(am_griffith_pull_off(v[0], v[1], v[2]), -adhesive_load(v, a), 1e-14);
    assert_true(am_griffith_pull_off(v[0], v[1], v[2]) < 0.0); /* (5.21) lacks the sign */
}

static void stick_zones_shrink_from_the_onset_to_the_maximum(void **unused) {
    (void)unused;
    double powers[] = {1.0, 2.0, 3.0, 6.0};
    for (int i = 0; i < 4; i++) {
        double k = powers[i], critical = 0.3, onset = am_griffith_power_onset(k, critical),
               most = am_griffith_power_maximum(k, critical), before = 1.0 + 1e-9, ratio;
        for (int j = 1; j <= 20; j++) {
            double share = onset + (most - onset) * j / 20.0;
            GOOD(am_griffith_power_stick(k, critical, share, &ratio, err));
            assert_true(ratio < before && ratio >= critical);
            assert_near(am_griffith_power_share(k, critical, ratio), share, 1e-13);
            before = ratio;
        }
        assert_near(ratio, critical, 1e-15);
        GOOD(am_griffith_power_stick(k, critical, 0.999 * onset, &ratio, err));
        assert_near(ratio, 1.0, 0.0);
    }
    double ratio; /* without energy: Cattaneo and Mindlin */
    GOOD(am_griffith_power_stick(2.0, 0.0, 0.75, &ratio, err));
    assert_near(ratio, 0.5, 1e-15);
    am_power power = {2.0, 3.0, 0.4, 1.0};
    am_griffith griffith;
    double load = am_power_load(&power, 0.7), c;
    GOOD(am_griffith_from_load(am_power_profile(&power), friction, load, 1e-24, &griffith, err));
    GOOD(am_griffith_stick(&griffith, 0.6 * friction * load, &c, err));
    assert_near(c, 0.7 * cbrt(0.4), 1e-10); /* sqrt(1e-24) over loads of order 0.1 */
}

/* ---- Waves: W~ = sqrt(2 W lambda/(pi E* Delta^2)) with the thesis' W ---- */

static am_griffith wave_griffith(const am_sinusoid *wave, double width, double tilde) {
    double W = tilde * tilde * pi * wave->modulus * wave->amplitude * wave->amplitude / (2.0 * wave->wavelength);
    am_griffith griffith;
    GOOD(am_griffith_from_load(am_sinusoid_profile(wave), friction, am_sinusoid_load(wave, width * wave->wavelength),
                               W * friction * friction, &griffith, err));
    return griffith;
}

static void waves_follow_the_printed_curve_and_the_periodic_one(void **unused) {
    (void)unused;
    double tilde = 0.5, width = 0.4, C, A = sin(pi * width);
    for (int isolated = 0; isolated < 2; isolated++) {
        am_sinusoid wave = {2.0, 0.05, 3.0, isolated};
        am_griffith griffith = wave_griffith(&wave, width, tilde);
        double limit = friction * griffith.load;
        for (int i = 1; i <= 10; i++) {
            double c = 0.1 * i * griffith.half_width;
            C = pi * c / 3.0;
            double singular = isolated ? sqrt(c / 3.0) : sqrt(tan(C) / pi); /* (5.56), and what it should be */
            double wanted = 1.0 - (sin(C) * sin(C) - tilde * singular) / (A * A);
            assert_near(am_griffith_tangential(&griffith, c) / limit, wanted, 1e-12);
        }
        am_griffith_limits limits;
        limits = am_griffith_limits_of(&griffith);
        C = pi * limits.critical / 3.0;
        if (isolated) /* (5.59) */
            assert_near(sqrt(limits.critical / 3.0) * sin(2.0 * C), tilde / (2.0 * pi), 1e-6);
        else
            assert_near(4.0 * sqrt(pi) * pow(sin(C), 1.5) * pow(cos(C), 2.5), tilde, 1e-5);
        assert_true(limits.maximum > limits.least);
    }
}

/* With x = pi c/lambda, Q = f [P(a) - A sin^2 x] + B sqrt(tan x); dQ/dx = 0 is B = 2 f A sin(2x) cos^2 x sqrt(tan x).
 */
static double wave_slope(const void *context, double x) {
    const double *ratio = context; /* B over f A */
    return 2.0 * sin(2.0 * x) * cos(x) * cos(x) * sqrt(tan(x)) - *ratio;
}

static void the_maximum_of_a_wave_is_where_its_slope_vanishes(void **unused) {
    (void)unused;
    am_sinusoid wave = {2.0, 0.05, 3.0, false};
    for (int i = 1; i < 10; i++) {
        am_griffith griffith = wave_griffith(&wave, 0.4, 0.15 * i);
        double x = 0.3, tangent = tan(x), sine = sin(x), c = x * wave.wavelength / pi;
        double all = am_sinusoid_load(&wave, 0.25 * wave.wavelength) / 0.5; /* A */
        double slipping = friction * (griffith.load - all * sine * sine);
        double ratio = (am_griffith_tangential(&griffith, c) - slipping) / sqrt(tangent) / (friction * all);
        double root = am_root_between(wave_slope, &ratio, 1e-9, 0.5); /* the first one: its maximum is at 0.63 */
        am_griffith_limits limits = am_griffith_limits_of(&griffith);
        /* the slope is differenced by five points: 1e-11, where three would leave 1e-8 */
        assert_near(limits.critical / (root * wave.wavelength / pi), 1.0, 3e-10);
    }
}

static void a_wave_in_full_contact_has_no_edge_to_slip_from(void **unused) {
    (void)unused;
    am_sinusoid periodic = {2.0, 0.05, 3.0, false}, isolated = {2.0, 0.05, 3.0, true};
    am_griffith right = wave_griffith(&periodic, 0.5, 0.1), printed = wave_griffith(&isolated, 0.5, 0.1);
    am_griffith_limits limits, printed_limits;
    limits = am_griffith_limits_of(&right);
    printed_limits = am_griffith_limits_of(&printed);
    double limit = friction * right.load;
    assert_true(limits.onset > 1e3 * limit);                           /* grows without bound as c comes to a */
    assert_near(printed_limits.onset / limit, 0.1 * sqrt(0.5), 1e-12); /* (5.58) */
    assert_true(printed_limits.jumps && limits.jumps);
    assert_false(printed_limits.slides_at_once);                     /* it jumps to a smaller stick zone */
    assert_near(limits.maximum / printed_limits.maximum, 1.0, 1e-3); /* the maximum is little affected */
    double c;
    GOOD(am_griffith_stick(&printed, 0.5 * limit, &c, err));
    assert_true(c < printed_limits.widest);
    assert_near(am_griffith_tangential(&printed, c), 0.5 * limit, 1e-12 * limit);
    GOOD(am_griffith_stick(&right, 0.5 * limit, &c, err));
    assert_near(c, right.half_width, 0.0);
}

static void tough_waves_slide_at_once(void **unused) {
    (void)unused;
    am_sinusoid wave = {2.0, 0.05, 3.0, false};
    am_griffith_limits limits;
    am_griffith griffith = wave_griffith(&wave, 0.4, 1.95); /* 1.888 is the largest W~ with a maximum at all */
    limits = am_griffith_limits_of(&griffith);
    assert_true(limits.slides_at_once);
    assert_near(limits.largest, limits.onset, 0.0);
    griffith = wave_griffith(&wave, 0.4, 1.8);
    limits = am_griffith_limits_of(&griffith);
    assert_true(limits.critical < limits.widest && limits.widest < griffith.half_width);
}

static void loads_beyond_the_maximum_are_refused(void **unused) {
    (void)unused;
    am_error err = {0};
    double ratio, c;
    assert_int_equal(am_griffith_power_stick(2.0, 0.4, 1.5, &ratio, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "the contact slides as a whole; the largest load is 1.48 f P");
    assert_int_equal(am_griffith_power_stick(2.0, 0.0, 1.5, &ratio, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "Q exceeds f P");
    am_power power = {2.0, 2.0, 0.4, 1.0};
    am_griffith griffith;
    assert_int_equal(am_griffith_from_load(am_power_profile(&power), friction, 0.0, 1.0, &griffith, &err),
                     AM_ERR_INPUT);
    assert_blames(&err, "P", "never touch");
    assert_int_equal(am_griffith_from_load(am_power_profile(&power), friction, 1.0, -1.0, &griffith, &err),
                     AM_ERR_INPUT);
    assert_blames(&err, "W", "negative");
    assert_int_equal(am_griffith_from_load(am_power_profile(&power), friction, 1.0, 1e-3, &griffith, &err), AM_OK);
    assert_int_equal(am_griffith_stick(&griffith, 5.0, &c, &err), AM_ERR_INPUT);
    assert_blames(&err, "Q", "largest load");
    am_sinusoid wave = {2.0, 0.05, 3.0, false};
    assert_int_equal(am_griffith_from_load(am_sinusoid_profile(&wave), friction, 1.0, 1e-3, &griffith, &err),
                     AM_ERR_INPUT);
    assert_blames(&err, "P", "whole period");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power_laws_satisfy_every_condition),
        cmocka_unit_test(waves_satisfy_every_condition_with_the_periodic_flat),
        cmocka_unit_test(the_isolated_flat_lets_the_stick_zone_of_a_wave_slip),
        cmocka_unit_test(limits_of_power_laws_are_the_closed_forms),
        cmocka_unit_test(limits_are_found_for_the_steepest_and_the_flattest_profiles_and_all_energies),
        cmocka_unit_test(hertz_is_as_printed),
        cmocka_unit_test(pull_off_is_the_least_load_of_the_adhesive_cylinder),
        cmocka_unit_test(stick_zones_shrink_from_the_onset_to_the_maximum),
        cmocka_unit_test(waves_follow_the_printed_curve_and_the_periodic_one),
        cmocka_unit_test(the_maximum_of_a_wave_is_where_its_slope_vanishes),
        cmocka_unit_test(a_wave_in_full_contact_has_no_edge_to_slip_from),
        cmocka_unit_test(tough_waves_slide_at_once),
        cmocka_unit_test(loads_beyond_the_maximum_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
