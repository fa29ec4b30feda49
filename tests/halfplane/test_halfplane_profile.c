/* Power laws and sinusoids under normal load: the pressure against the gap it closes, by quadrature, and against other
 * formulas for it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "errors.h"
#include "halfplane/power.h"
#include "halfplane/sinusoid.h"
#include "hertz.h"
#include "math/quadrature.h"
#include "math/special.h"
#include "near.h"
#include "tractions.h"

static const double pi = 3.14159265358979323846;

/* ---- Power laws ---- */

static double bump_at(const void *context, double t) {
    const double *k = context;
    return pow(t, *k);
}

static void the_shape_equals_gauss_function(void **unused) {
    (void)unused;
    double powers[] = {1.0, 1.2, 2.0, 2.5, 3.0, 4.0, 5.0, 7.7, 30.0}, places[] = {0.4, 0.6, 0.9, 0.999};
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 4; j++) {
            double k = powers[i], s = places[j], z = (1.0 - s) * (1.0 + s);
            double wanted = sqrt(z) * am_special_hypergeometric(1.0, 1.0 - 0.5 * k, 1.5, z);
            /* the series of the high power alternates: its terms grow to 1e4 times the sum */
            assert_near(am_power_shape(k, s) / wanted, 1.0, k > 8.0 ? 1e-11 : 1e-13);
        }
}

/* (5.50) as printed, from which p = E* C k a^(k-1) r/2: without meaning for odd k. */
static double printed_shape(double k, double s) {
    double gauss = am_special_hypergeometric(1.0, 1.0 - 0.5 * k, 0.5 * (3.0 - k), s * s);
    return (tgamma(0.5 * (k - 1.0)) / tgamma(0.5 * k) * gauss * sqrt((1.0 - s) * (1.0 + s)) +
            sqrt(pi) * pow(s, k - 1.0) * tan(0.5 * k * pi)) /
           sqrt(pi);
}

static void the_printed_pressure_is_right_away_from_odd_powers(void **unused) {
    (void)unused;
    double powers[] = {1.5, 2.0, 2.4, 3.6, 4.0, 6.0, 7.5};
    for (int i = 0; i < 7; i++)
        for (int j = 1; j < 10; j++) {
            double k = powers[i], s = 0.1 * j;
            am_power power = {1.7, k, 0.3, 1.0};
            double wanted = 0.5 * 1.7 * 0.3 * k * pow(2.0, k - 1.0) * printed_shape(k, s);
            assert_near(am_power_pressure(&power, 2.0 * s, 2.0) / wanted, 1.0, 1e-11); /* its two terms cancel */
        }
}

static void odd_powers_are_elementary(void **unused) {
    (void)unused;
    double places[] = {1e-12, 1e-3, 0.2, 0.7, 0.99, 1.0 - 1e-9};
    for (int j = 0; j < 6; j++) {
        double s = places[j], root = sqrt((1.0 - s) * (1.0 + s)), angle = asinh(root / s);
        assert_near(am_power_shape(1.0, s), angle, 4e-15 * angle); /* wedge */
        /* beyond: rounding of exp(u), u up to 28 */
        double third = 0.5 * (root + s * s * angle);
        assert_near(am_power_shape(3.0, s), third, 2e-14 * third);
        assert_near(am_power_shape(5.0, s), 0.25 * (root + 3.0 * s * s * third), 2e-14 * root);
    }
    assert_near(am_power_shape(3.0, 0.0), 0.5, 0.0);
    assert_true(isinf(am_power_shape(1.0, 0.0)));
    /* a power just beside an odd one, where the two terms of the printed formula are 1e6 times their sum */
    assert_near(am_power_shape(3.000001, 0.3), am_power_shape(3.0, 0.3), 1e-6);
}

typedef struct pressed {
    am_power power;
    double a;
} pressed;

static double power_pressure_at(const void *context, double x) {
    const pressed *p = context;
    return am_power_pressure(&p->power, x, p->a);
}

static void power_laws_carry_their_load_and_close_their_gap(void **unused) {
    (void)unused;
    double powers[] = {1.0, 1.5, 2.0, 3.0, 4.0, 6.3};
    for (int i = 0; i < 6; i++) {
        double k = powers[i], a = 0.8;
        pressed p = {{2.0, k, 0.6, 1.0}, a};
        GOOD(am_power_check(&p.power, err));
        double load = am_power_load(&p.power, a), edges[] = {-a, 0.0, a};
        /* the wedge has a logarithm in the middle, which costs digits */
        double tolerance = k < 2.0 ? 1e-5 : 1e-9;
        assert_near(integral_between(power_pressure_at, &p, edges, 3) / load, 1.0, tolerance);
        assert_near(am_power_half_width(&p.power, load), a, 1e-14);
        for (int j = 1; j < 5; j++) {
            double x = 0.19 * j * a, slope = 0.6 * k * pow(x, k - 1.0);
            assert_near(hilbert(power_pressure_at, &p, edges, 3, x), 0.5 * 2.0 * slope, 2.0 * tolerance);
            am_transform t = am_power_transform(&p.power, x, 0.0, a);
            assert_near(creal(t.value), 0.5 * 2.0 * slope, 1e-13);
            assert_near(cimag(t.value), -am_power_pressure(&p.power, x, a), 1e-13);
        }
    }
}

static void the_parabola_is_hertz(void **unused) {
    (void)unused;
    am_hertz hertz;
    GOOD(am_hertz_from_load(3.0, 5.0, 0.7, &hertz, err));
    am_power power = {3.0, 2.0, 0.1, 1.0};
    double a = hertz.half_width;
    assert_near(am_power_half_width(&power, 0.7), a, 1e-14 * a);
    am_traction traction = am_hertz_traction(&hertz);
    for (int i = -7; i <= 7; i++) {
        double x = 0.31 * i * a;
        assert_near(am_power_pressure(&power, x, a), am_hertz_pressure(&hertz, x), 1e-14 * hertz.peak);
        double depths[] = {0.0, 0.2, 1.0, 4.0};
        for (int j = 0; j < 4; j++) {
            am_transform got = am_power_transform(&power, x, depths[j] * a, a);
            am_transform wanted = am_traction_transform(&traction, x, depths[j] * a);
            assert_near(cabs(got.value - wanted.value), 0.0, 1e-13 * hertz.peak);
            if (j > 0)
                assert_near(cabs(got.slope - wanted.slope), 0.0, 1e-12 * hertz.peak / a);
        }
        assert_near(am_power_slip(&power, x, 0.3 * a),
                    fabs(x) > 0.3 * a ? am_traction_growth(fabs(x), 0.3 * a) / 5.0 : 0.0, 1e-14 * a * a);
    }
}

typedef struct kernel {
    pressed p;
    double complex zeta;
    int imaginary;
} kernel;

static double transform_at(const void *context, double xi) {
    const kernel *k = context;
    double complex value = am_power_pressure(&k->p.power, xi, k->p.a) / (pi * (k->zeta - xi));
    return k->imaginary ? cimag(value) : creal(value);
}

static void transforms_of_power_laws_equal_integrals(void **unused) {
    (void)unused;
    double powers[] = {1.5, 3.0, 4.5}, places[][2] = {{0.1, 0.3}, {-0.7, 0.4}, {1.4, 0.2}, {-2.5, 3.0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            double x = places[j][0], z = places[j][1], a = 0.9, edges[] = {-a, 0.0, a}, h = 1e-4;
            kernel k = {{{1.0, powers[i], 1.0, 1.0}, a}, x + z * I, 0};
            am_transform got = am_power_transform(&k.p.power, x, z, a);
            double real = integral_between(transform_at, &k, edges, 3);
            k.imaginary = 1;
            double imaginary = integral_between(transform_at, &k, edges, 3);
            double tolerance = powers[i] < 2.0 ? 1e-5 : 1e-8; /* the kink of the pressure in the middle */
            assert_near(creal(got.value), real, tolerance);
            assert_near(cimag(got.value), imaginary, tolerance);
            double complex right = am_power_transform(&k.p.power, x + h, z, a).value,
                           left = am_power_transform(&k.p.power, x - h, z, a).value;
            assert_near(cabs((right - left) / (2.0 * h) - got.slope), 0.0, 1e-6); /* h^2 times third derivatives */
        }
}

/* (2/(pi E*)) P'(s) acosh(x/s) */
typedef struct slipping {
    am_power power;
    double x;
} slipping;

static double slip_rate_at(const void *context, double s) {
    const slipping *l = context;
    double rate = l->power.exponent * am_power_load(&l->power, s) / s;
    return 2.0 / (pi * l->power.modulus) * rate * acosh(l->x / s);
}

static void slip_is_the_sum_over_wider_flats(void **unused) {
    (void)unused;
    double powers[] = {1.0, 1.5, 3.0, 8.0, 20.0}, inner[] = {1e-3, 0.2, 0.6};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            slipping l = {{1.3, powers[i], 0.4, 1.0}, 0.85};
            double wanted = am_quadrature_ends(slip_rate_at, &l, inner[j], l.x);
            assert_near(am_power_slip(&l.power, l.x, inner[j]) / wanted, 1.0, 1e-11);
        }
    /* next to the stick zone: (2 P'(c)/(pi E*)) (2/3) sqrt(2 c) e^(3/2)/c, e = x - c small */
    am_power power = {1.3, 3.0, 0.4, 1.0};
    double c = 0.5, e = 0x1p-26;
    double rate = 3.0 * am_power_load(&power, c) / c;
    double wanted = 2.0 * rate / (pi * 1.3) * (2.0 / 3.0) * sqrt(2.0 / c) * e * sqrt(e);
    assert_near(am_power_slip(&power, c + e, c) / wanted, 1.0, 1e-6); /* e/c to first order */
    double zero = 3.0;                                                /* sliding: c = 0 */
    double whole = am_quadrature_ends(bump_at, &zero, 0.0, 1.0);
    assert_near(whole, 0.25, 1e-15);
    double full = am_power_slip(&power, 0.8, 0.0), nearly = am_power_slip(&power, 0.8, 1e-9);
    assert_near(nearly / full, 1.0, 1e-12);
}

/* ---- Sinusoids ---- */

typedef struct waved {
    am_sinusoid wave;
    double a, depth;
} waved;

static double wave_pressure_at(const void *context, double x) {
    const waved *w = context;
    return am_sinusoid_pressure(&w->wave, x, w->a);
}

static void waves_carry_their_load_and_close_their_gap(void **unused) {
    (void)unused;
    double widths[] = {0.05, 0.25, 0.4, 0.5};
    for (int i = 0; i < 4; i++) {
        double lambda = 2.5, a = widths[i] * lambda;
        waved w = {{7.0, 0.03, lambda, false}, a, 0.0};
        GOOD(am_sinusoid_check(&w.wave, err));
        double load = am_sinusoid_load(&w.wave, a), edges[] = {-a, a};
        double scale = pi * 7.0 * 0.03 / lambda;
        assert_near(integral_between(wave_pressure_at, &w, edges, 2) / load, 1.0, 1e-11);
        assert_near(load / lambda, scale * pow(sin(pi * widths[i]), 2.0), 1e-15);              /* (5.55) */
        assert_near(am_sinusoid_half_width(&w.wave, load), a, widths[i] < 0.5 ? 1e-14 : 1e-7); /* asin at 1 */
        for (int j = -2; j <= 2; j++) {
            double x = 0.37 * j * a, slope = 2.0 * pi * 0.03 / lambda * sin(2.0 * pi * x / lambda);
            assert_near(hilbert_periodic(wave_pressure_at, &w, edges, 2, lambda, x), 0.5 * 7.0 * slope, 1e-9 * scale);
            am_transform t = am_sinusoid_transform(&w.wave, x + 3.0 * lambda, 0.0, a);
            assert_near(creal(t.value), 0.5 * 7.0 * slope, 1e-13);
            assert_near(cimag(t.value), -am_sinusoid_pressure(&w.wave, x, a), 1e-13);
        }
    }
}

static void narrow_contacts_of_a_wave_are_hertz(void **unused) {
    (void)unused;
    am_sinusoid wave = {7.0, 0.03, 2.5, false};
    double a = 1e-3, radius = 2.5 * 2.5 / (4.0 * pi * pi * 0.03);
    am_hertz hertz;
    GOOD(am_hertz_from_half_width(7.0, radius, a, &hertz, err));
    assert_near(am_sinusoid_load(&wave, a) / hertz.load, 1.0, 1e-5); /* (pi a/lambda)^2 */
    assert_near(am_sinusoid_pressure(&wave, 0.4 * a, a) / am_hertz_pressure(&hertz, 0.4 * a), 1.0, 1e-5);
    assert_near(am_sinusoid_slip(&wave, 0.9 * a, 0.5 * a) / (am_traction_growth(0.9 * a, 0.5 * a) / radius), 1.0, 1e-5);
}

static void wave_stresses_are_in_equilibrium_and_become_uniform(void **unused) {
    (void)unused;
    am_sinusoid wave = {7.0, 0.03, 2.5, false};
    am_transform none = {0.0, 0.0};
    double a = 0.7, h = 1e-4, places[][2] = {{0.1, 0.3}, {0.8, 0.15}, {-1.1, 0.5}};
    for (int flat = 0; flat < 2; flat++) {
        am_transform (*transform)(const void *, double, double, double) =
            flat ? am_sinusoid_flat_transform : am_sinusoid_transform;
        for (int i = 0; i < 3; i++) {
            double x = places[i][0], z = places[i][1];
            am_stress east = am_field_stress(z, transform(&wave, x + h, z, a), none),
                      west = am_field_stress(z, transform(&wave, x - h, z, a), none),
                      down = am_field_stress(z + h, transform(&wave, x, z + h, a), none),
                      up = am_field_stress(z - h, transform(&wave, x, z - h, a), none);
            assert_near((east.xx - west.xx + down.xz - up.xz) / (2.0 * h), 0.0, 1e-5); /* h^2 */
            assert_near((east.xz - west.xz + down.zz - up.zz) / (2.0 * h), 0.0, 1e-5);
        }
        double load = flat ? 1.0 : am_sinusoid_load(&wave, a), depths[] = {30.0, 1e4};
        for (int j = 0; j < 2; j++) {
            am_stress deep = am_field_stress(depths[j], transform(&wave, 0.4, depths[j], a), none);
            assert_near(deep.zz, -load / 2.5, 1e-12);
            assert_near(deep.xz, 0.0, 1e-12);
        }
    }
}

static double wave_flat_at(const void *context, double x) {
    const waved *w = context;
    return am_sinusoid_flat(&w->wave, x, w->a);
}

static void the_periodic_flat_does_not_strain_what_it_holds_and_the_isolated_one_does(void **unused) {
    (void)unused;
    double lambda = 2.5, a = 0.8, edges[] = {-0.8, 0.8};
    waved periodic = {{7.0, 0.03, lambda, false}, a, 0.0}, isolated = {{7.0, 0.03, lambda, true}, a, 0.0};
    assert_near(integral_between(wave_flat_at, &periodic, edges, 2), 1.0, 1e-10);
    assert_near(integral_between(wave_flat_at, &isolated, edges, 2), 1.0, 1e-10);
    double worst = 0.0;
    for (int j = -4; j <= 4; j++) {
        double x = 0.19 * j * a;
        assert_near(hilbert_periodic(wave_flat_at, &periodic, edges, 2, lambda, x), 0.0, 1e-9);
        worst = fmax(worst, fabs(hilbert_periodic(wave_flat_at, &isolated, edges, 2, lambda, x)));
    }
    assert_true(worst > 0.1 * am_flat_traction(0.0, a)); /* of the order of the traction itself */
    /* intensity, and the drop outside */
    for (int k = 0; k < 2; k++) {
        const waved *w = k ? &isolated : &periodic;
        double e = 1e-8, intensity = am_sinusoid_flat_intensity(&w->wave, a);
        assert_near(am_sinusoid_flat(&w->wave, a - e, a) * sqrt(2.0 * pi * e) / intensity, 1.0, 1e-6);
    }
    for (int j = 1; j < 4; j++) {
        double x = a + 0.1 * j, h = 1e-5;
        double slope =
            (am_sinusoid_flat_drop(&periodic.wave, x + h, a) - am_sinusoid_flat_drop(&periodic.wave, x - h, a)) /
            (2.0 * h);
        assert_near(slope, 2.0 / 7.0 * hilbert_periodic(wave_flat_at, &periodic, edges, 2, lambda, x), 1e-7);
    }
}

static void bad_profiles_are_refused(void **unused) {
    (void)unused;
    am_error err = {0};
    assert_int_equal(am_power_check(&(am_power){1.0, 0.5, 1.0, 1.0}, &err), AM_ERR_INPUT);
    assert_blames(&err, "k", "between 1 (a wedge)");
    assert_int_equal(am_power_check(&(am_power){1.0, 2.0, -1.0, 1.0}, &err), AM_ERR_INPUT);
    assert_blames(&err, "C", "convex");
    assert_int_equal(am_power_check(&(am_power){0.0, 2.0, 1.0, 1.0}, &err), AM_ERR_INPUT);
    assert_blames(&err, "E_star", "positive");
    assert_int_equal(am_sinusoid_check(&(am_sinusoid){1.0, 0.1, 0.0, false}, &err), AM_ERR_INPUT);
    assert_blames(&err, "wavelength", "positive");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shape_equals_gauss_function),
        cmocka_unit_test(the_printed_pressure_is_right_away_from_odd_powers),
        cmocka_unit_test(odd_powers_are_elementary),
        cmocka_unit_test(power_laws_carry_their_load_and_close_their_gap),
        cmocka_unit_test(the_parabola_is_hertz),
        cmocka_unit_test(transforms_of_power_laws_equal_integrals),
        cmocka_unit_test(slip_is_the_sum_over_wider_flats),
        cmocka_unit_test(waves_carry_their_load_and_close_their_gap),
        cmocka_unit_test(narrow_contacts_of_a_wave_are_hertz),
        cmocka_unit_test(wave_stresses_are_in_equilibrium_and_become_uniform),
        cmocka_unit_test(the_periodic_flat_does_not_strain_what_it_holds_and_the_isolated_one_does),
        cmocka_unit_test(bad_profiles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
