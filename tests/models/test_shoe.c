/* Model shoe: Chatterjee 2006, section 4. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "amontons/models.h"
#include "amontons/stability.h"

static void close_to(double got, double wanted, double tolerance) {
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("got %.17g, wanted %.17g within %g\n", got, wanted, tolerance);
        fail();
    }
}

static am_spectrum spectrum_of(am_system *system) {
    am_error err = {0};
    am_spectrum spectrum = {0};
    am_stability_options options = am_stability_options_default();
    if (!system || am_stability_spectrum(system, &options, &spectrum, &err) != AM_OK)
        fail_msg("failed: %s", err.message);
    am_system_free(system);
    return spectrum;
}

/* Is re + i im among the eigenvalues? */
static bool has(const am_spectrum *spectrum, double re, double im, double tolerance) {
    for (size_t i = 0; i < spectrum->count; i++)
        if (fabs(spectrum->real[i] - re) <= tolerance && fabs(fabs(spectrum->imaginary[i]) - fabs(im)) <= tolerance)
            return true;
    return false;
}

static am_shoe sample(void) {
    am_shoe shoe = am_shoe_default();
    shoe.h = 2.5;
    shoe.l = 0.8;
    shoe.l_p = 0.6;
    shoe.r = 1.3;
    shoe.c2 = 0.3;
    shoe.xi_c = 0.05;
    shoe.P = 2;
    return shoe;
}

/* Y and theta are a two-mode system, X hangs on it and has no influence (after eq. 9). */
static void the_shoe_is_the_two_mode_system_and_a_mass_on_a_spring(void **state) {
    (void)state;
    am_shoe shoe = sample();
    am_two_mode pair = am_two_mode_default();
    pair.m1 = shoe.r * shoe.r;
    pair.m_r = 1 / pair.m1;
    pair.c1 = shoe.c1;
    pair.C_r = shoe.c2 / shoe.c1;
    pair.k1 = shoe.k1;
    pair.K_r = shoe.k2 / shoe.k1;
    pair.lambda1 = shoe.l;
    pair.eta1 = shoe.l_p;
    pair.P = shoe.P;
    pair.f1 = shoe.mu * shoe.h - shoe.l;
    pair.contact = AM_HUNT_CROSSLEY;
    pair.K_c = shoe.K_c;
    pair.alpha = shoe.xi_c / 1.5;
    am_spectrum whole = spectrum_of(am_shoe_create(&shoe, NULL)), part = spectrum_of(am_two_mode_create(&pair, NULL));
    assert_int_equal(whole.count, 6);
    assert_int_equal(part.count, 4);
    for (size_t i = 0; i < 4; i++) /* eigenvalues up to 40: rounding of a 6 x 6 problem */
        assert_true(has(&whole, part.real[i], part.imaginary[i], 1e-10));
    assert_true(has(&whole, -shoe.c0 / 2, sqrt(1 - shoe.c0 * shoe.c0 / 4), 1e-10));
    close_to(am_shoe_delta(&shoe), am_two_mode_delta(&pair), 1e-14);
    am_spectrum_clear(&whole);
    am_spectrum_clear(&part);
}

static void the_threshold_of_figure_10_lies_at_2_66567(void **state) {
    (void)state;
    am_shoe shoe = am_shoe_default();
    shoe.c2 = 0.3;
    for (int beyond = 0; beyond < 2; beyond++) {
        shoe.h = beyond ? 2.66568 : 2.66566;
        am_spectrum spectrum = spectrum_of(am_shoe_create(&shoe, NULL));
        assert_int_equal(spectrum.real[0] > 0, beyond);
        close_to(fabs(spectrum.imaginary[0]), 1.11788, 1e-4);
        am_spectrum_clear(&spectrum);
    }
}

/* Corrected sign of eq. (42): the surface drags the shoe along, X_eq = +mu N. */
static void friction_drags_the_shoe_along(void **state) {
    (void)state;
    am_shoe shoe = sample();
    am_system *system = am_shoe_create(&shoe, NULL);
    am_stability_options options = am_stability_options_default();
    am_result *result = am_result_create(NULL);
    am_error err = {0};
    assert_int_equal(am_stability_run(system, &options, result, NULL, &err), AM_OK);
    double N = am_result_find(result, "N1")->number, X = am_result_find(result, "q1")->number;
    double Y = am_result_find(result, "q2")->number, theta = am_result_find(result, "q3")->number;
    assert_true(N > 0);
    close_to(X, shoe.mu * N, 1e-12 * N);
    close_to(shoe.k2 * Y, shoe.P - N, 1e-11 * N);                                              /* eq. (7) */
    close_to(shoe.k1 * theta, shoe.l_p * shoe.P + (shoe.mu * shoe.h - shoe.l) * N, 1e-11 * N); /* eq. (8) */
    close_to(N, shoe.K_c * (Y + shoe.l * theta), 1e-9 * N); /* the penetration is a small difference */
    am_result_free(result);
    am_system_free(system);
}

static void faults_are_named(void **state) {
    (void)state;
    static const struct {
        const char *field;
        size_t offset;
        double value;
    } faults[] = {{"h", offsetof(am_shoe, h), -1},       {"k2", offsetof(am_shoe, k2), 0},
                  {"c0", offsetof(am_shoe, c0), -0.1},   {"K_c", offsetof(am_shoe, K_c), 0},
                  {"xi_c", offsetof(am_shoe, xi_c), -1}, {"v_s", offsetof(am_shoe, v_s), 0},
                  {"mu", offsetof(am_shoe, mu), NAN},    {"beta", offsetof(am_shoe, beta), 0.9}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        am_shoe wrong = sample();
        am_error err = {0};
        memcpy((char *)&wrong + faults[i].offset, &faults[i].value, sizeof(double));
        assert_null(am_shoe_create(&wrong, &err));
        assert_int_equal(err.status, AM_ERR_INPUT);
        assert_string_equal(err.field, faults[i].field);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shoe_is_the_two_mode_system_and_a_mass_on_a_spring),
        cmocka_unit_test(the_threshold_of_figure_10_lies_at_2_66567),
        cmocka_unit_test(friction_drags_the_shoe_along),
        cmocka_unit_test(faults_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
