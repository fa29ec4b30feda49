/* Closed forms and boundary elements, written independently, on problems that both solve. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engines/boundary/bem.h"
#include "errors.h"
#include "halfplane/power.h"
#include "halfplane/punch.h"
#include "halfplane/sinusoid.h"
#include "halfplane/superposition.h"
#include "halfplane_closed.h"
#include "hertz.h"
#include "near.h"
#include "weakening_cylinder.h"

static const double pi = 3.14159265358979323846, friction = 0.4;

static am_bem *create(am_bem_def def) {
    am_error err = {0};
    am_bem *bem = am_bem_create(&def, &err);
    if (!bem)
        fail_msg("%s", err.message);
    return bem;
}

/* ---- Paths of normal and tangential load ---- */

/* Loads in parts of the largest P and of f times it. */
static const double path[][2] = {{0.5, 0.0},  {0.5, 0.35}, {0.9, 0.55}, {0.9, -0.5}, {0.6, -0.25},
                                 {0.95, 0.2}, {0.95, 0.8}, {0.7, 0.25}, {0.8, 0.7},  {0.3, 0.0},
                                 {1.0, -0.6}, {1.0, 0.0},  {0.45, 0.25}};

/* Whether x is a few spacings away from every place where the shear has a root: ends of zones, now and earlier. */
static bool away(const am_superposition *state, double x, double spacing) {
    for (size_t i = 0; i < state->count; i++) {
        double edge = state->profile.kind->half_width(state->profile.data, state->layer[i].top);
        if (fabs(fabs(x) - edge) < 6.0 * spacing)
            return false;
    }
    return true;
}

/* Largest difference of the shear at such nodes, over the largest f p. */
static double difference(const am_bem *bem, const am_superposition *state) {
    am_bem_view v = am_bem_view_of(bem);
    double worst = 0.0, most = 0.0;
    for (size_t i = 0; i < v.nodes; i++) {
        most = fmax(most, friction * v.p[i]);
        if (away(state, v.x[i], v.spacing))
            worst = fmax(worst, fabs(v.q[i] - am_superposition_shear(state, v.x[i])));
    }
    return worst / most;
}

/* The tolerance: order h^(3/2) at roots six spacings away, and first order in the steps. */
static void follow(am_bem *bem, am_profile profile, double P_most, double tolerance) {
    am_superposition state;
    GOOD(am_superposition_start(&state, profile, friction, err));
    for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
        double P0 = state.P, Q0 = state.Q, P1 = path[k][0] * P_most, Q1 = path[k][1] * friction * P_most;
        enum { STEPS = 16 }; /* boundary elements are of first order in them where a zone grows while P changes */
        for (int i = 1; i <= STEPS; i++) {
            am_bem_load load = {.P = P0 + (P1 - P0) * i / STEPS, .Q = Q0 + (Q1 - Q0) * i / STEPS};
            GOOD(am_bem_step(bem, &load, err));
        }
        GOOD(am_superposition_step(&state, P1, Q1, err));
        double worst = difference(bem, &state);
        if (!(worst <= tolerance))
            fail_msg("leg %zu: shear differs by %g of the largest f p", k, worst);
        am_bem_view v = am_bem_view_of(bem);
        size_t middle = v.nodes / 2;
        if (am_superposition_stick(&state) > 20.0 * v.spacing)
            assert_int_equal(v.state[middle], AM_STICK);
    }
    am_superposition_end(&state);
}

static void any_path_under_a_parabola(void **unused) {
    (void)unused;
    am_power power = {1.0, 2.0, 0.5, 2.0};
    am_bem *bem = create((am_bem_def){.profile = {.shape = AM_SLIP_HERTZ, .radius = 1.0},
                                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                                      .modulus = 1.0,
                                      .nodes = 241,
                                      .width = 1.1});
    follow(bem, am_power_profile(&power), am_power_load(&power, 1.0), 2e-3);
    am_bem_free(bem);
}

static void any_path_under_a_cubic(void **unused) {
    (void)unused;
    am_power power = {1.0, 3.0, 0.5, 2.0};
    am_bem *bem = create((am_bem_def){.profile = {.shape = AM_SLIP_POWER, .factor = 0.5, .power = 3.0},
                                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                                      .modulus = 1.0,
                                      .nodes = 241,
                                      .width = 1.1});
    follow(bem, am_power_profile(&power), am_power_load(&power, 1.0), 2e-3);
    am_bem_free(bem);
}

static void any_path_under_a_wave(void **unused) {
    (void)unused;
    am_sinusoid wave = {1.0, 0.1, 2.0, false};
    am_bem *bem = create((am_bem_def){.profile = {.shape = AM_SLIP_WAVE, .amplitude = 0.1, .wavelength = 2.0},
                                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                                      .modulus = 1.0,
                                      .nodes = 240,
                                      .period = 2.0});
    follow(bem, am_sinusoid_profile(&wave), am_sinusoid_load(&wave, 0.8), 2e-3);
    am_bem_free(bem);
}

/* ---- The punch ---- */

static void the_punch_in_full_contact_lifted_and_near_tip_over(void **unused) {
    (void)unused;
    double cases[][2] = {{2.0, 0.75}, {0.75, 0.8}, {0.25, 0.4}};
    for (int k = 0; k < 3; k++) {
        double alpha = cases[k][0], share = cases[k][1];
        am_punch punch;
        GOOD(am_punch_from_load(alpha, share, 0.0, &punch, err));
        am_bem *bem = create((am_bem_def){.profile = {.shape = AM_SLIP_PUNCH, .half_width = 1.0},
                                          .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                                          .modulus = 1.0,
                                          .nodes = 400});
        enum { STEPS = 40 };
        for (int i = 0; i <= STEPS; i++) {
            double Q = friction * share * i / STEPS;
            am_bem_load load = {.P = 1.0, .Q = Q, .free_tilt = true, .M = Q / (2.0 * friction * alpha)};
            GOOD(am_bem_step(bem, &load, err));
        }
        am_bem_view v = am_bem_view_of(bem);
        assert_near(fabs(v.tilt) / (2.0 / pi * punch.tilt), 1.0, 0.01); /* first order in the spacing, 1/200 */
        double trailing = 1.0 - 2.0 * punch.contact, edge = 1.0 + punch.stick_edge;
        int compared = 0;
        for (size_t i = 0; i < v.nodes; i++) {
            double x = v.x[i];
            if (fabs(x - edge) < 0.06 || fabs(x - trailing) < 0.06 || x > 0.94)
                continue;
            compared++;
            assert_near(v.p[i], am_traction_at(&punch.pressure, x - 1.0) / pi, 0.02 / punch.contact);
            assert_near(v.q[i], friction * am_traction_at(&punch.shear, x - 1.0) / pi, 0.02 * friction / punch.contact);
            if (x > trailing && x < edge)
                assert_near(v.slip[i] / (2.0 * friction / pi), am_punch_slip(&punch, x - 1.0),
                            0.03 * am_punch_slip(&punch, trailing - 1.0));
        }
        assert_true(compared > 200);
        am_bem_free(bem);
    }
}

/* ---- Weakening, and stresses below boundary elements ---- */

static void the_double_solution_is_close_to_a_ramp(void **unused) {
    (void)unused;
    /* Fig. 4.2; E* = R = a = 1 */
    am_bem *bem = create(
        (am_bem_def){.profile = {.shape = AM_SLIP_HERTZ, .radius = 1.0},
                     .friction = {.law = AM_FRICTION_RAMP, .kinetic = 0.1, .fixed = 0.15, .distance = 0.05 * 0.05},
                     .modulus = 1.0,
                     .nodes = 441,
                     .width = 1.1});
    double P = 0.25 * pi;
    am_bem_load load = {.P = P};
    GOOD(am_bem_step(bem, &load, err));
    load.Q = 0.8 * 0.1 * P;
    GOOD(am_bem_step(bem, &load, err));
    am_bem_view v = am_bem_view_of(bem);
    for (int measure = 0; measure < 2; measure++) {
        am_weakening w;
        am_weakening_state s;
        GOOD(am_weakening_from_length(0.15, 0.1, 1.0, 1.0, 0.0025, measure ? AM_SLIP_INTEGRAL : AM_SLIP_EDGE, &w, err));
        GOOD(am_weakening_from_load(&w, 0.8, &s, err));
        double worst_outside = 0.0;
        for (size_t i = 0; i < v.nodes; i++) {
            double x = fabs(v.x[i]), wanted = 0.1 * 0.5 * am_weakening_shear(&s, x);
            if (x < s.stick - 0.03 || x > s.transition + 0.03)
                worst_outside = fmax(worst_outside, fabs(v.q[i] - wanted));
        }
        assert_true(worst_outside < 0.02 * 0.1 * 0.5); /* the laws differ in shape: two percent of f_d p0 */
        size_t edge = v.nodes / 2;
        while (v.state[edge] == AM_STICK)
            edge++;
        assert_near(v.x[edge], s.stick, 0.01); /* one percent of a */
    }
    am_bem_free(bem);
}

static void stresses_below_boundary_elements_are_those_of_the_closed_form(void **unused) {
    (void)unused;
    am_hertz hertz;
    am_cattaneo cattaneo;
    GOOD(am_hertz_from_half_width(1.0, 1.0, 1.0, &hertz, err));
    GOOD(am_cattaneo_from_load(&hertz, friction, 0.6 * friction * hertz.load, &cattaneo, err));
    am_bem *bem = create((am_bem_def){.profile = {.shape = AM_SLIP_HERTZ, .radius = 1.0},
                                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = friction},
                                      .modulus = 1.0,
                                      .nodes = 441,
                                      .width = 1.1});
    am_bem_load load = {.P = hertz.load};
    GOOD(am_bem_step(bem, &load, err));
    load.Q = cattaneo.tangential;
    GOOD(am_bem_step(bem, &load, err));
    am_bem_view v = am_bem_view_of(bem);
    am_strips strips = {v.nodes, v.x, v.p, v.q, 0.0};
    am_traction p = am_hertz_traction(&hertz), q = am_cattaneo_traction(&cattaneo);
    double places[][2] = {{0.0, 0.786}, {0.9, 0.05}, {-0.5, 0.2}, {1.3, 0.1}, {-2.0, 1.0}};
    for (int i = 0; i < 5; i++) {
        am_stress got = am_strips_stress(&strips, places[i][0], places[i][1]),
                  wanted = am_traction_stress(&p, &q, places[i][0], places[i][1]);
        /* pieces of 1/200: order 3/2 at the edges, where the second point is ten of them away */
        assert_near(got.xx, wanted.xx, 5e-4 * hertz.peak);
        assert_near(got.zz, wanted.zz, 5e-4 * hertz.peak);
        assert_near(got.xz, wanted.xz, 5e-4 * hertz.peak);
    }
    am_bem_free(bem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_path_under_a_parabola),
        cmocka_unit_test(any_path_under_a_cubic),
        cmocka_unit_test(any_path_under_a_wave),
        cmocka_unit_test(the_punch_in_full_contact_lifted_and_near_tip_over),
        cmocka_unit_test(the_double_solution_is_close_to_a_ramp),
        cmocka_unit_test(stresses_below_boundary_elements_are_those_of_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
