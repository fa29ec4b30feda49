/* What varies in time beside loads, in `response`: stiffness and surfaces. Closed forms of the parametric oscillator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "amontons/output.h"
#include "math/pi.h"
#include "near.h"
#include "results.h"
#include "study_text.h"

static const am_table *table_in(const am_run *made, const char *name) {
    return table_of(am_run_report(made)->result, name);
}

/* x'' + c x' + (1 + e sin(2 w t)) x = F sin w t: one harmonic a cos + b sin has
 * (1 - w^2) a + c w b + e/2 b = 0,  (1 - w^2) b - c w a + e/2 a = F. */
static void one_harmonic_of_a_forced_parametric_oscillator_is_its_closed_form(void **state) {
    (void)state;
    const double c = 0.2, e = 0.3, F = 0.7;
    am_run *run =
        run_text("title: t\nmodel:\n  kind: structure\n  mass: [1]\n  damping: [0.2]\n  stiffness: [1]\n"
                 "  Omega: 1\n  loads: [{direction: [1], sine: {amplitude: 0.7, multiple: 1}}]\n"
                 "  varying_stiffness: [{direction: [1], sine: {amplitude: 0.3, multiple: 2}}]\n"
                 "analysis: {kind: response, harmonics: 1, stability: none, over: Omega, from: 0.6, to: 1.6}\n");
    const am_table *branch = table_in(run, "branch");
    assert_true(am_table_rows(branch) > 20);
    for (size_t i = 0; i < am_table_rows(branch); i++) {
        double w = cell(branch, i, "Omega"), d = 1.0 - w * w, up = 0.5 * e + c * w, down = 0.5 * e - c * w;
        double determinant = d * d - up * down;
        double a = -up * F / determinant, b = d * F / determinant;
        /* The balance is solved to 1e-10 of its forces, over a determinant of some hundredths at the least. */
        assert_near(cell(branch, i, "amplitude"), hypot(a, b), 1e-7 * hypot(a, b));
    }
    am_run_free(run);
}

/* The determinant of Hill's equations of x'' + c x' + (1 + e sin w t) x = 0 for motions of twice the period,
 * x = sum of c_n exp(i (n + 1/2) w t): a band of three, each row divided by 1 + ((n + 1/2) w)^2. */
static double hill(double w, double c, double e) {
    double complex before = 1.0, now = 1.0;
    for (int n = -10; n < 10; n++) {
        double f = (n + 0.5) * w, last = f - w;
        double complex next = (1.0 - f * f + I * c * f) / (1.0 + f * f) * now;
        if (n > -10)
            next -= 0.25 * e * e / ((1.0 + f * f) * (1.0 + last * last)) * before;
        before = now;
        now = next;
    }
    return creal(now);
}

/* The edges of the first tongue, between which the oscillator at rest is pumped up. */
static void mathieus_tongue_ends_where_hills_determinant_vanishes(void **state) {
    (void)state;
    const double between[3] = {1.7, 2.0, 2.4};
    am_run *run = run_text("title: t\nmodel:\n  kind: structure\n  mass: [1]\n  damping: [0.1]\n  stiffness: [1]\n"
                           "  Omega: 2\n  varying_stiffness: [{direction: [1], sine: {amplitude: 0.4, multiple: 1}}]\n"
                           "analysis: {kind: response, harmonics: 2, over: Omega, from: 1.5, to: 2.5}\n");
    const am_table *special = table_in(run, "special");
    size_t found = 0;
    for (size_t i = 0; i < am_table_rows(special); i++) {
        if (strcmp(word(special, i, "kind"), "period-doubling") != 0)
            continue;
        double low = between[found], high = between[found + 1];
        for (int k = 0; k < 60; k++) {
            double middle = 0.5 * (low + high);
            if (hill(middle, 0.1, 0.4) * hill(low, 0.1, 0.4) > 0.0)
                low = middle;
            else
                high = middle;
        }
        assert_near(cell(special, i, "Omega"), low, 1e-8); /* bisected until verdicts are within their rounding */
        found++;
    }
    assert_int_equal(found, 2);
    am_run_free(run);
}

/* A mass in a frame that moves feels the frame's acceleration as a load: friction on a surface that moves as V sin w t
 * does the same as friction on one at rest, with the load -m V w cos w t and the spring moved along. */
static void a_surface_that_moves_is_a_load_in_its_own_frame(void **state) {
    (void)state;
    static const char *const friction[] = {"friction: 0.3", "friction: 0.3, tangential_stiffness: 2",
                                           "friction: {law: dahl, stiffness: 5, friction: 0.3}"};
    for (size_t i = 0; i < sizeof friction / sizeof *friction; i++) {
        char text[2][1024];
        /* x = z + s, s = -(V/w) cos w t: M z'' + C z' + K z = F - M s'' - C s' - K s */
        const double V = 0.4, w = 0.8, c = 0.1, k = 1.5;
        const char *start = "title: t\nmodel:\n  kind: structure\n  mass: [1]\n  damping: [0.1]\n  stiffness: [1.5]\n";
        const char *end = "analysis: {kind: response, harmonics: 15, stability: none}\n";
        snprintf(
            text[0], sizeof text[0],
            "%s  contacts: [{tangent: [1], law: held, hold: {constant: 1}, %s, surface_velocity: {sine: {amplitude: "
            "%.17g, frequency: %.17g}}}]\n  loads: [{direction: [1], sine: {amplitude: 1, frequency: %.17g}}]\n%s",
            start, friction[i], V, w, w, end);
        double sine = 1.0 - c * V, cosine = -V * w + k * V / w;
        snprintf(text[1], sizeof text[1],
                 "%s  contacts: [{tangent: [1], law: held, hold: {constant: 1}, %s}]\n  loads: [{direction: [1], sine: "
                 "{amplitude: %.17g, frequency: %.17g, phase: %.17g}}]\n%s",
                 start, friction[i], hypot(sine, cosine), w, atan2(cosine, sine), end);
        double a[2], b[2];
        for (size_t j = 0; j < 2; j++) {
            am_run *run = run_text(text[j]);
            a[j] = cell(table_in(run, "shape"), 1, "q1_cos");
            b[j] = cell(table_in(run, "shape"), 1, "q1_sin");
            am_run_free(run);
        }
        assert_near(a[0], a[1] - V / w, 1e-9); /* both balances are solved to 1e-10 */
        assert_near(b[0], b[1], 1e-9);
    }
}

/* The first harmonic of x over the last period of a motion, by the trapezoidal rule. */
static double first_harmonic(const am_table *samples, double period) {
    double complex sum = 0.0;
    size_t count = am_table_rows(samples) - 1; /* the last is the first again */
    for (size_t i = 0; i < count; i++)
        sum += cell(samples, i, "q1") * cexp(-2.0 * I * pi * cell(samples, i, "t") / period);
    return 2.0 * cabs(sum) / (double)count;
}

/* One that jumps where it begins again, a spline, and its derivative. */
static void tables_repeat_as_they_do_in_orbits(void **state) {
    (void)state;
    static const char *const tables[] = {
        "times: [0, 1, 2], values: [0, 3, 1], period: 4",
        "times: [0.5, 1, 2, 3.5, 4.5], values: [1, 3, 0, -2, 1], "
        "period: 4, interpolation: cubic",
        "times: [0.5, 1, 2, 3.5, 4.5], values: [1, 3, 0, -2, 1], period: 4, interpolation: cubic, derivative: 1"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char text[2][1024];
        for (int k = 0; k < 2; k++)
            snprintf(text[k], sizeof text[k],
                     "title: t\nmodel:\n  kind: structure\n  mass: [1]\n  damping: [0.3]\n  stiffness: [2]\n"
                     "  loads: [{direction: [1], table: {%s}}]\nanalysis: {kind: %s}\n",
                     tables[i],
                     k ? "response, harmonics: 20, stability: none, over: stiffness.0, from: 2, to: 2.1" : "orbit");
        am_run *orbit = run_text(text[0]), *response = run_text(text[1]);
        /* x bends in corners at the points of the table: the rule has an error of order 4 at least, 1001 points a
         * period */
        assert_near(cell(table_in(response, "branch"), 0, "q1_1"), first_harmonic(table_in(orbit, "samples"), 4.0),
                    1e-9);
        am_run_free(orbit);
        am_run_free(response);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_harmonic_of_a_forced_parametric_oscillator_is_its_closed_form),
        cmocka_unit_test(mathieus_tongue_ends_where_hills_determinant_vanishes),
        cmocka_unit_test(a_surface_that_moves_is_a_load_in_its_own_frame),
        cmocka_unit_test(tables_repeat_as_they_do_in_orbits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
