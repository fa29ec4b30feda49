/* Strips of traction that repeat: against uniform pressure, the closed form of waves, and images one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "errors.h"
#include "halfplane/field.h"
#include "halfplane/sinusoid.h"
#include "halfplane_closed.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static void assert_stress_near(am_stress got, am_stress wanted, double tolerance) {
    assert_near(got.xx, wanted.xx, tolerance);
    assert_near(got.zz, wanted.zz, tolerance);
    assert_near(got.xz, wanted.xz, tolerance);
}

static void uniform_tractions_make_uniform_stresses(void **unused) {
    (void)unused;
    /* F = -i t: sigma_xx = sigma_zz = -p, tau_xz = -q everywhere; strips as wide as the period or narrow */
    static const double wide[] = {0.3, 1.3}, narrow[] = {-1.0, -0.9, 0.1, 0.15, 0.4, 0.6},
                        p[] = {2.0, 2.0, 2.0, 2.0, 2.0, 2.0}, q[] = {0.7, 0.7, 0.7, 0.7, 0.7, 0.7};
    am_strips cases[] = {{2, wide, p, q, 2.5}, {6, narrow, p, q, 2.0}, {2, wide, p, q, 1.0}};
    for (int i = 0; i < 3; i++) {
        GOOD(am_strips_check(&cases[i], err));
        for (int k = 0; k < 40; k++) {
            double x = -4.03 + 0.21 * k, z = 0.001 + 0.03 * k * k;
            assert_stress_near(am_strips_stress(&cases[i], x, z), (am_stress){-2.0, -2.0, -0.7}, 1e-10); /* twelve
                                                                                digits of the rest, times sums */
        }
    }
}

static const double points[] = {-0.4, -0.1, 0.3, 0.5}, pressing[] = {0.0, 1.5, 0.4, 0.0},
                    dragging[] = {0.0, -0.5, 0.9, 0.0};

static void repeated_strips_are_the_sum_of_their_images(void **unused) {
    (void)unused;
    enum { IMAGES = 400 };
    double period = 1.7;
    am_strips repeated = {4, points, pressing, dragging, period}, single = {4, points, pressing, dragging, 0.0};
    static const double places[][2] = {{0.0, 0.1}, {0.6, 0.02}, {-0.8, 0.7}, {2.9, 0.3}};
    for (int i = 0; i < 4; i++) {
        am_transform p, q, sum_p = {0}, sum_q = {0}, one_p, one_q;
        am_strips_transform(&repeated, places[i][0], places[i][1], &p, &q);
        for (int n = -IMAGES; n <= IMAGES; n++) {
            am_strips_transform(&single, places[i][0] - n * period, places[i][1], &one_p, &one_q);
            sum_p = am_transform_add(sum_p, 1.0, one_p);
            sum_q = am_transform_add(sum_q, 1.0, one_q);
        }
        /* what is left out: 2 load |zeta|/(pi period^2 IMAGES), 1e-3 at most here, and slopes alike */
        assert_near(cabs(p.value - sum_p.value), 0.0, 1.5e-3);
        assert_near(cabs(q.value - sum_q.value), 0.0, 1.5e-3);
        assert_near(cabs(p.slope - sum_p.slope), 0.0, 1e-3);
        assert_near(cabs(q.slope - sum_q.slope), 0.0, 1e-3);
        /* a period on nothing has changed */
        am_strips_transform(&repeated, places[i][0] + 3.0 * period, places[i][1], &one_p, &one_q);
        assert_near(cabs(p.value - one_p.value), 0.0, 1e-13);
        assert_near(cabs(q.slope - one_q.slope), 0.0, 1e-12);
    }
}

static double wave_error(int count, double a) {
    am_sinusoid wave = {.modulus = 2.0, .amplitude = 0.1, .wavelength = 1.0};
    double x[801], p[801], worst = 0.0;
    for (int i = 0; i < count; i++) {
        x[i] = -a * cos(3.14159265358979323846 * i / (count - 1));
        p[i] = am_sinusoid_pressure(&wave, x[i], a);
    }
    am_strips strips = {(size_t)count, x, p, NULL, 1.0};
    for (int k = 0; k < 30; k++) {
        double at = -0.5 + 0.037 * k, z = 0.05 + 0.01 * k;
        am_transform none = {0}, closed = am_sinusoid_transform(&wave, at, z, a);
        am_stress exact = am_field_stress(z, closed, none), got = am_strips_stress(&strips, at, z);
        worst = fmax(worst, fmax(fabs(got.xx - exact.xx), fmax(fabs(got.zz - exact.zz), fabs(got.xz - exact.xz))));
    }
    return worst;
}

static void waves_sampled_ever_finer_have_the_stresses_of_their_closed_form(void **unused) {
    (void)unused;
    static const double widths[] = {0.1, 0.3, 0.49};
    for (int i = 0; i < 3; i++) {
        double coarse = wave_error(201, widths[i]), fine = wave_error(401, widths[i]);
        assert_true(fine < 1e-4);
        assert_near(coarse / fine, 4.0, 0.2); /* second order */
    }
}

static void points_beyond_a_period_are_refused(void **unused) {
    (void)unused;
    am_strips strips = {4, points, pressing, dragging, 0.8};
    am_error err = {0};
    assert_int_equal(am_strips_check(&strips, &err), AM_ERR_INPUT);
    assert_blames(&err, "period", "must fit into its period");
}

static void boundary_elements_know_the_stresses_below_a_wave(void **unused) {
    (void)unused;
    static const char *const models[] = {"kind: wave, amplitude: 0.1, a: 0.3, f: 0.4",
                                         "kind: wave, amplitude: 0.1, a: 0.48"};
    for (int m = 0; m < 2; m++) {
        char text[2][256];
        const am_table *table[2];
        am_run *made[2];
        for (int i = 0; i < 2; i++) {
            snprintf(text[i], sizeof text[i],
                     "title: t\nmodel: {%s}\nanalysis: {kind: slip, Q_over_fP: 0.6, method: %s, nodes: 100, stress: "
                     "{points: 21, width: 2, depth: 1}}\n",
                     models[m], i == 0 ? "closed-form" : "boundary-elements");
            made[i] = run_text(text[i]);
            table[i] = table_of(am_run_report(made[i])->result, "stress");
        }
        size_t rows_of = am_table_rows(table[0]);
        assert_int_equal(rows_of, am_table_rows(table[1]));
        double largest = scalar(made[0], "tau_max");
        for (size_t i = 0; i < rows_of; i++) {
            /* the maps are over a of their own: elements know it to a part of a node */
            assert_near(cell(table[0], i, "x"), cell(table[1], i, "x"), 2e-3);
            assert_near(cell(table[1], i, "sigma_xx"), cell(table[0], i, "sigma_xx"), 0.03 * largest);
            assert_near(cell(table[1], i, "sigma_zz"), cell(table[0], i, "sigma_zz"), 0.03 * largest);
            assert_near(cell(table[1], i, "tau_xz"), cell(table[0], i, "tau_xz"), 0.03 * largest);
        }
        assert_near(scalar(made[1], "tau_max") / largest, 1.0, 2e-3);
        am_run_free(made[0]);
        am_run_free(made[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_tractions_make_uniform_stresses),
        cmocka_unit_test(repeated_strips_are_the_sum_of_their_images),
        cmocka_unit_test(waves_sampled_ever_finer_have_the_stresses_of_their_closed_form),
        cmocka_unit_test(points_beyond_a_period_are_refused),
        cmocka_unit_test(boundary_elements_know_the_stresses_below_a_wave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
