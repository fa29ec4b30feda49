/* Griffin's damper: its system, what it does when stuck, and motions against a stepping of another kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/motion.h"
#include "errors.h"
#include "near.h"
#include "steps.h"

static const double pi = 3.14159265358979323846;

static am_griffin with(double beta, double eta, double delta_deg, double Omega) {
    am_griffin g = am_griffin_default();
    g.beta = beta;
    g.eta = eta;
    g.delta_deg = delta_deg;
    g.Omega = Omega;
    return g;
}

static am_system *made(const am_griffin *g) {
    am_error err = {0};
    am_system *system = am_griffin_create(g, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static void system_is_that_of_fig_8_2(void **state) {
    (void)state;
    am_griffin g = with(1.1, 0.9, 90, 1.3);
    am_system *system = made(&g);
    const am_contact_def *damper = am_system_contact(system, 0);
    assert_near(am_matrix_at(am_system_mass(system), 0, 0), 1, 0);
    assert_near(am_matrix_at(am_system_stiffness(system), 0, 0), 1, 0);
    assert_near(am_matrix_at(am_system_damping(system), 0, 0), 0.2, 1e-16);
    assert_near(damper->tangential_stiffness, 1.5, 0);
    assert_near(damper->friction, 1, 0);
    assert_string_equal(damper->name, "damper");
    for (double t = 0; t < 10; t += 0.9) {
        assert_near(am_function_at(&damper->hold, t), 1.1 * (1 + 0.9 * cos(1.3 * t)), 1e-15);
        assert_near(am_function_at(&am_system_load(system, 0)->function, t), sin(1.3 * t), 1e-15);
    }
    am_system_free(system);
}

static void refused(const am_griffin *g, const char *field, const char *word) {
    am_error err = {0};
    assert_null(am_griffin_create(g, &err));
    assert_blames(&err, field, word);
}

static void faults_are_named(void **state) {
    (void)state;
    const double wrong[] = {0, -1, NAN, INFINITY};
    am_griffin g;
    for (size_t i = 0; i < 4; i++) {
        g = with(1, 0, 0, 0.5);
        g.stiffness_ratio = wrong[i];
        refused(&g, "k_ratio", "positive");
        g = with(wrong[i], 0, 0, 0.5);
        refused(&g, "beta", "positive");
        g = with(1, 0, 0, wrong[i]);
        refused(&g, "Omega", "positive");
    }
    g = with(1, 1, 0, 0.5);
    refused(&g, "eta", "separates");
    g = with(1, 0, INFINITY, 0.5);
    refused(&g, "delta_deg", "number");
    g = with(1, 0, 0, 0.5);
    g.zeta = -0.1;
    refused(&g, "zeta", "zero or positive");
    g = with(0.5, 0.5, 0, 1);
    g.zeta = 0;
    refused(&g, "Omega", "response is unbounded: beta < pi/4");
}

/* ---- motions ---- */

/* Where the mass is at the times `at`, from rest. */
static void follow(const am_griffin *g, size_t count, const double *at, double *v) {
    am_system *system = made(g);
    am_motion *motion = am_motion_create(system, false, NULL);
    const double zero[1] = {0};
    assert_int_equal(am_motion_start(motion, 0, zero, zero, NULL), AM_OK);
    for (size_t i = 0; i < count; i++) {
        run_until(motion, at[i]);
        v[i] = am_motion_displacement(motion)[0];
    }
    am_motion_free(motion);
    am_system_free(system);
}

/* Velocity Verlet with the slider pushed back to its limit after every small step: nothing of the engine enters. */
static void step_through(const am_griffin *g, size_t count, const double *at, double *v) {
    double h = 2e-5, x = 0, w = 0, y = 0, t = 0, delta = g->delta_deg * pi / 180;
    size_t i = 0;
    double F = 0;
    for (size_t n = 0; i < count; n++) {
        t = (double)n * h;
        if (t >= at[i]) {
            v[i] = x - w * (t - at[i]);
            i++;
        }
        double a = sin(g->Omega * t) - 2 * g->zeta * w - x - F;
        x += h * w + 0.5 * h * h * a;
        double N = g->beta * (1 + g->eta * sin(g->Omega * (t + h) + delta));
        F = g->stiffness_ratio * (x - y);
        if (fabs(F) > N) {
            F = F > 0 ? N : -N;
            y = x - F / g->stiffness_ratio;
        }
        double b = sin(g->Omega * (t + h)) - 2 * g->zeta * (w + h * a) - x - F;
        w += 0.5 * h * (a + b);
    }
}

static void motions_are_those_of_a_fine_stepping(void **state) {
    (void)state;
    const double cases[][5] = {/* beta, eta, delta, Omega, stiffness ratio */
                               {0.5, 0, 0, 0.8, 1.5},  {1.1, 0.9, 90, 1.2, 1.5}, {1.1, 0.9, 0, 1.2, 1.5},
                               {0.3, 0.6, 40, 0.3, 5}, {5, 0.9, 90, 1.58, 1.5},  {0.2, 0.95, -130, 2, 0.3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_griffin g = with(cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
        g.stiffness_ratio = cases[i][4];
        double at[12], exact[12], stepped[12];
        for (int k = 0; k < 12; k++)
            at[k] = 3.3 * (k + 1);
        follow(&g, 12, at, exact);
        step_through(&g, 12, at, stepped);
        for (int k = 0; k < 12; k++)
            assert_near(exact[k], stepped[k], 2e-4); /* switches are placed to within a step, h = 2e-5 */
    }
}

static void stuck_damper_is_a_second_spring(void **state) {
    (void)state;
    am_griffin g = with(50, 0.5, 30, 1.4);
    double k = 1 + g.stiffness_ratio - g.Omega * g.Omega, c = 2 * g.zeta * g.Omega, period = 2 * pi / g.Omega;
    double amplitude = 1 / hypot(k, c), phase = atan2(c, k), at[8], v[8];
    for (int i = 0; i < 8; i++)
        at[i] = (100 + i / 8.0) * period; /* the transient is gone: exp(-0.1 * 100 periods) */
    follow(&g, 8, at, v);
    for (int i = 0; i < 8; i++)
        assert_near(v[i], amplitude * sin(g.Omega * at[i] - phase), 1e-12);
}

static void slow_load_on_a_stuck_damper_gives_the_static_deflection_of_fig_8_9(void **state) {
    (void)state;
    am_griffin g = with(1.2, 0, 0, 0.05);
    double at[64], v[64], largest = 0;
    for (int i = 0; i < 64; i++)
        at[i] = (10 + i / 64.0) * 2 * pi / g.Omega;
    follow(&g, 64, at, v);
    for (int i = 0; i < 64; i++)
        largest = fmax(largest, fabs(v[i]));
    assert_near(largest, 0.4, 0.002); /* 1/(1 + k_d/k), and Omega^2/2.5 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(system_is_that_of_fig_8_2),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(motions_are_those_of_a_fine_stepping),
        cmocka_unit_test(stuck_damper_is_a_second_spring),
        cmocka_unit_test(slow_load_on_a_stuck_damper_gives_the_static_deflection_of_fig_8_9),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
