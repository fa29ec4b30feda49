/* The friction oscillator: its system, and every closed form against a second, independent way to the same number. */
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
#include "amontons/path.h"
#include "errors.h"
#include "near.h"
#include "steps.h"
#include "uniform.h"

static const double pi = 3.14159265358979323846;

static am_oscillator with(double beta, double eta, double delta_deg, double Omega) {
    am_oscillator o = am_oscillator_default();
    o.beta = beta;
    o.eta = eta;
    o.delta_deg = delta_deg;
    o.Omega = Omega;
    return o;
}

static am_system *made(const am_oscillator *oscillator) {
    am_error err = {0};
    am_system *system = am_oscillator_create(oscillator, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

/* ---- the system ---- */

static void system_is_eq_7_37_in_units_of_the_static_deflection(void **state) {
    (void)state;
    am_oscillator o = with(0.6, 0.3, 40, 1.7);
    o.xi = 0.15;
    am_system *system = made(&o);
    assert_near(am_matrix_at(am_system_mass(system), 0, 0), 1, 0);
    assert_near(am_matrix_at(am_system_stiffness(system), 0, 0), 1, 0);
    assert_near(am_matrix_at(am_system_damping(system), 0, 0), 0.3, 0);
    assert_string_equal(am_system_name(system, 0), "v");
    const am_contact_def *plane = am_system_contact(system, 0);
    assert_string_equal(plane->name, "plane");
    assert_near(plane->friction, 1, 0);
    for (double t = 0; t < 10; t += 0.7) {
        assert_near(am_function_at(&am_system_load(system, 0)->function, t), sin(1.7 * t), 1e-15);
        assert_near(am_function_at(&plane->hold, t), 0.6 * (1 + 0.3 * sin(1.7 * t + 40 * pi / 180)), 1e-15);
    }
    am_system_free(system);
}

static void refused(const am_oscillator *o, const char *field, const char *word) {
    am_error err = {0};
    assert_null(am_oscillator_create(o, &err));
    assert_blames(&err, field, word);
}

static void faults_are_named(void **state) {
    (void)state;
    const double wrong[] = {0, -1, NAN, INFINITY};
    am_oscillator o;
    for (size_t i = 0; i < 4; i++) {
        o = with(wrong[i], 0, 0, 0.5);
        refused(&o, "beta", "positive");
        o = with(0.5, 0, 0, wrong[i]);
        refused(&o, "Omega", "positive");
    }
    o = with(0.5, 1, 0, 0.5);
    refused(&o, "eta", "separates");
    o = with(0.5, 1.5, 0, 0.5);
    refused(&o, "eta", "separates");
    o = with(0.5, -0.1, 0, 0.5);
    refused(&o, "eta", "zero or positive");
    o = with(0.5, NAN, 0, 0.5);
    refused(&o, "eta", "zero or positive");
    o = with(0.5, 0, NAN, 0.5);
    refused(&o, "delta_deg", "finite");
    o = with(0.5, 0, 0, 0.5);
    o.xi = -0.1;
    refused(&o, "xi", "zero or positive");
    o = with(0.5, 0, 0, 0.5);
    o.xi = NAN;
    refused(&o, "xi", "zero or positive");
}

static void resonance_without_damping_is_refused_below_pi_over_4_only(void **state) {
    (void)state;
    am_oscillator o = with(0.78, 0.9, 90, 1);
    refused(&o, "Omega", "response is unbounded: beta < pi/4");
    const double bounded[][3] = {{0.79, 1, 0}, {0.78, 1, 0.01}, {0.78, 1.0001, 0}};
    for (size_t i = 0; i < 3; i++) {
        o = with(bounded[i][0], 0.9, 90, bounded[i][1]);
        o.xi = bounded[i][2];
        am_system_free(made(&o));
    }
}

/* ---- running it ---- */

typedef struct steady {
    double v_max, v_min, speed, slip, dissipation;
    size_t stops;
} steady;

/* What happens in the cycles `from` to `to` of a motion from rest. Extremes of v are where it stops; speeds are sampled
 * `samples` times a span, which is short against the period. */
static steady watch(const am_oscillator *o, double from, double to, int samples) {
    am_system *system = made(o);
    am_motion *motion = am_motion_create(system, true, NULL);
    assert_non_null(motion);
    const double zero[1] = {0};
    double period = 2 * pi / o->Omega, begin = from * period, end = to * period;
    am_step_kind kind;
    assert_int_equal(am_motion_start(motion, 0, zero, zero, NULL), AM_OK);
    run_until(motion, begin);
    double v = am_motion_displacement(motion)[0];
    double before = am_motion_statistics_get(motion).loss_friction;
    steady s = {.v_max = v, .v_min = v};
    am_contact_state last = am_motion_states(motion)[0];
    do {
        kind = next_step(motion, end);
        double a = am_motion_span_start(motion), b = am_motion_time(motion);
        s.slip += fabs(am_motion_displacement(motion)[0] - v);
        v = am_motion_displacement(motion)[0];
        s.v_max = fmax(s.v_max, v);
        s.v_min = fmin(s.v_min, v);
        for (int i = 0; i < samples; i++) {
            double speed;
            am_motion_at(motion, a + (b - a) * i / samples, NULL, &speed, NULL, NULL);
            s.speed = fmax(s.speed, fabs(speed));
        }
        am_contact_state now = am_motion_states(motion)[0];
        s.stops += now == AM_STICK && last != AM_STICK;
        last = now;
    } while (kind != AM_STEP_END);
    s.dissipation = am_motion_statistics_get(motion).loss_friction - before;
    am_motion_free(motion);
    am_system_free(system);
    return s;
}

static void stops_of_fig_7_3(void **state) {
    (void)state;
    const struct {
        double Omega;
        size_t stops;
    } cases[] = {{0.05, 10}, {0.09, 6}, {0.47, 2}, {0.76, 0}};
    for (size_t i = 0; i < 4; i++) {
        am_oscillator o = with(0.51, 0, 0, cases[i].Omega);
        steady s = watch(&o, 40.3, 41.3, 0); /* a whole cycle that begins between stops */
        assert_int_equal(s.stops, cases[i].stops);
    }
}

/* ---- motion without stops: eqs. (7.16), (7.17) ---- */

static void motion_without_stops_is_den_hartogs_below_and_above_resonance(void **state) {
    (void)state;
    const double points[][2] = {{0.1, 0.8}, {0.3, 0.85}, {0.51, 0.76}, {0.5, 0.9}, {0.7, 0.97}, {0.1, 1.2},
                                {0.3, 1.3}, {0.5, 1.3},  {0.6, 1.45},  {0.7, 1.1}, {0.2, 3},    {0.45, 2}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        am_oscillator o = with(points[i][0], 0, 0, points[i][1]);
        double peak = 0, speed = 0;
        if (!am_oscillator_zero_stop(o.beta, o.Omega, &peak, &speed))
            fail_msg("beta %g, Omega %g has no motion without stops", o.beta, o.Omega);
        steady s = watch(&o, 4000, 4001, 2000);
        assert_int_equal(s.stops, 0);
        /* what is left of the transient after 4000 cycles, and the spacing of samples of the velocity */
        assert_near(s.v_max, peak, 1e-9 * (1 + peak));
        assert_near(-s.v_min, peak, 1e-9 * (1 + peak));
        assert_near(s.speed / o.Omega, speed, 1e-6 * speed);
    }
}

static void motion_stops_where_the_formula_says_so(void **state) {
    (void)state;
    uint64_t seed = 75;
    int with_stops = 0, without = 0;
    for (int i = 0; i < 60; i++) {
        am_oscillator o = with(uniform(&seed, 0.05, 0.95), 0, 0, uniform(&seed, 0.4, 1.5));
        bool free_of_stops = am_oscillator_zero_stop(o.beta, o.Omega, NULL, NULL);
        steady s = watch(&o, 400.3, 401.3, 0);
        assert_int_equal(s.stops == 0, free_of_stops);
        with_stops += !free_of_stops;
        without += free_of_stops;
    }
    assert_true(with_stops > 10 && without > 10);
}

/* Velocity and acceleration of forward slip from the minimum at t = 0, derived in docs/oscillator.md. */
typedef struct forward_slip {
    double beta, Omega, A, phi;
} forward_slip;

static double displacement_at(const forward_slip *f, double t) {
    double half = pi / f->Omega / 2;
    return -f->beta - f->A * sin(f->Omega * t + f->phi) + f->beta * cos(t - half) / cos(half);
}

static double acceleration_at(const forward_slip *f, double t) {
    double half = pi / f->Omega / 2;
    return f->A * f->Omega * f->Omega * sin(f->Omega * t + f->phi) - f->beta * cos(t - half) / cos(half);
}

/* (7.17), with Delta_1, the displacement at the largest velocity, found where the acceleration vanishes. The printed
 * plus before the second root holds below resonance only. */
static void hong_and_lius_velocity_needs_the_sign_of_1_minus_omega_squared(void **state) {
    (void)state;
    const double points[][2] = {{0.3, 0.85}, {0.5, 0.9}, {0.5, 1.3}, {0.6, 1.45}};
    for (size_t i = 0; i < 4; i++) {
        double beta = points[i][0], Omega = points[i][1], peak, speed;
        assert_true(am_oscillator_zero_stop(beta, Omega, &peak, &speed));
        double A = 1 / (1 - Omega * Omega), T = pi / Omega;
        forward_slip f = {beta, Omega, A, atan2(peak / A, beta * tan(T / 2) / Omega / A)};
        assert_near(displacement_at(&f, 0), -peak, 1e-13 * peak);
        double a = 0, b = T; /* starts with positive acceleration, ends with negative */
        for (int k = 0; k < 200; k++)
            *(acceleration_at(&f, (a + b) / 2) > 0 ? &a : &b) = (a + b) / 2;
        double delta = displacement_at(&f, a), inner = beta - beta * A - Omega * Omega * delta * A;
        double first = fabs(A) * Omega * sqrt(1 - (beta + delta) * (beta + delta));
        double second = sqrt(2 * beta * beta / (1 + cos(T)) - inner * inner);
        assert_near((first + (Omega < 1 ? 1 : -1) * second) / Omega, speed, 1e-9 * speed);
        assert_true(Omega < 1 || fabs((first + second) / Omega - speed) > 0.01 * speed);
    }
}

/* ---- the quasi-static cycle ---- */

/* A play operator stepped finely: the mass is pushed by whichever limit it meets. Nothing of the closed forms enters.
 */
typedef struct stepped {
    double v_max, v_min, forward, backward, dissipation;
} stepped;

static stepped step_through(const am_oscillator *o, int steps) {
    double delta = o->delta_deg * pi / 180, v = 0;
    stepped s = {-INFINITY, INFINITY, 0, 0, 0};
    for (int i = 0; i < 3 * steps; i++) {
        double theta = 2 * pi * i / steps, h = 2 * pi / steps;
        double N = 1 + o->eta * sin(theta + delta);
        double lower = sin(theta) - o->beta * N, upper = sin(theta) + o->beta * N;
        double next = v < lower ? lower : v > upper ? upper : v;
        if (i >= 2 * steps) {
            s.v_max = fmax(s.v_max, next);
            s.v_min = fmin(s.v_min, next);
            s.forward = fmax(s.forward, (next - v) / h);
            s.backward = fmax(s.backward, (v - next) / h);
            s.dissipation += N * fabs(next - v);
        }
        v = next;
    }
    return s;
}

static void quasistatic_cycle_is_that_of_a_finely_stepped_one(void **state) {
    (void)state;
    uint64_t seed = 7;
    int steps = 200000, cycles = 0, at_rest = 0;
    for (int i = 0; i < 40; i++) {
        am_oscillator o = with(uniform(&seed, 0.05, 1.3), uniform(&seed, 0, 0.99), uniform(&seed, -180, 180), 1);
        am_oscillator_cycle c = am_oscillator_quasistatic(&o);
        stepped s = step_through(&o, steps);
        double h = 2 * pi / steps; /* steps miss a turning point by h^2, a speed and a part of the work by h */
        assert_near(c.v_max, s.v_max, 4 * h * h);
        assert_near(c.v_min, s.v_min, 4 * h * h);
        assert_near(c.v_amplitude, (s.v_max - s.v_min) / 2, 4 * h * h);
        assert_near(c.v_peak, fmax(fabs(s.v_max), fabs(s.v_min)), 4 * h * h);
        assert_near(c.vdot_forward, s.forward, 4 * h);
        assert_near(c.vdot_backward, s.backward, 4 * h);
        assert_near(c.dissipation, s.dissipation, 10 * h);
        assert_int_equal(c.shakedown, s.v_max - s.v_min < 1e-12); /* sines of the same angle, cycles apart */
        cycles += !c.shakedown;
        at_rest += c.shakedown;
    }
    assert_true(cycles > 10 && at_rest > 3);
}

static void quasistatic_cycle_reduces_to_the_printed_special_cases(void **state) {
    (void)state;
    for (double beta = 0.05; beta < 0.99; beta += 0.1) {
        am_oscillator o = with(beta, 0, 0, 1); /* eqs. (7.8), (7.12), (7.13) */
        am_oscillator_cycle c = am_oscillator_quasistatic(&o);
        assert_near(c.v_peak, 1 - beta, 1e-15);
        assert_near(c.vdot_forward, beta <= 0.5 ? 1 : 2 * sqrt(beta * (1 - beta)), 1e-14);
        assert_near(c.dissipation, 4 * (1 - beta), 1e-14);
        for (double eta = 0.1; eta < 0.95; eta += 0.2) {
            o = with(beta, eta, 0, 1); /* eqs. (7.27)-(7.30) */
            c = am_oscillator_quasistatic(&o);
            assert_near(c.v_peak, 1 - beta * (1 - eta), 1e-14);
            assert_near(c.v_amplitude, 1 - beta, 1e-14);
            assert_near(fmax(c.vdot_forward, c.vdot_backward),
                        beta <= 1 / (2 + eta) ? 1 + beta * eta : 2 * sqrt(beta * (1 - beta) * (1 + eta)), 1e-14);
            assert_near(c.dissipation, 4 * (1 - beta) * (1 - beta * eta * eta) / (1 - beta * beta * eta * eta), 1e-13);
            o = with(beta, eta, 90, 1); /* eqs. (7.31)-(7.33) */
            c = am_oscillator_quasistatic(&o);
            double R = sqrt(1 + beta * beta * eta * eta);
            assert_near(c.v_peak, R - beta, 1e-14);
            assert_near(c.vdot_forward, beta <= 1 / sqrt(4 - eta * eta) ? R : 2 * sqrt(beta * R - beta * beta), 1e-13);
            assert_near(c.vdot_backward, c.vdot_forward, 1e-13);
            assert_near(c.dissipation, 4 * (R - beta) / (R * R), 1e-13);
        }
    }
}

/* The printed (B.24) and (B.28) have a plus before the second cosine; with it they miss the integral. */
static void printed_sign_of_the_dissipation_formulas_misses_the_integral(void **state) {
    (void)state;
    double beta = 0.6, eta = 0.7, delta = 35 * pi / 180;
    am_oscillator o = with(beta, eta, 35, 1);
    am_oscillator_cycle c = am_oscillator_quasistatic(&o);
    double R = sqrt(1 + beta * beta * eta * eta - 2 * beta * eta * cos(delta));
    double a = atan2(beta * eta * sin(delta), 1 - beta * eta * cos(delta)), f = c.forward_from, s = c.forward_to;
    double integral = 0;
    int steps = 200000;
    for (int i = 0; i < steps; i++) {
        double theta = f + (s - f) * (i + 0.5) / steps;
        integral += (1 + eta * sin(theta + delta)) * R * cos(theta - a) * (s - f) / steps;
    }
    double g = sin(f - a), drift = 2 * (s - f) * sin(a + delta);
    double first = cos(2 * f - a + delta), last = cos(2 * s - a + delta);
    assert_near(R * (1 - g + eta / 4 * (first - last + drift)), integral, 1e-9); /* midpoint rule: (s - f)^2/steps^2 */
    assert_true(fabs(R * (1 - g + eta / 4 * (first + last + drift)) - integral) > 1e-2);
}

static double table_value(const am_table *table, size_t row, const char *column) {
    size_t index = am_table_find_column(table, column);
    assert_true(index != SIZE_MAX);
    return am_table_number(table, row, index);
}

/* The general engine for quasi-static paths takes piecewise-linear loads: the same sines as fine tables. */
static void quasistatic_motion_is_that_of_the_general_path(void **state) {
    (void)state;
    enum { points = 4001 };
    static double times[points], force[points], normal[points];
    const double cases[][3] = {{0.4, 0.6, 50}, {0.8, 0.9, -120}, {0.95, 0.5, 90}, {1.1, 0.3, 10}};
    for (size_t k = 0; k < 4; k++) {
        am_oscillator o = with(cases[k][0], cases[k][1], cases[k][2], 1);
        double until = 6 * pi, delta = o.delta_deg * pi / 180;
        for (int i = 0; i < points; i++) {
            times[i] = until * i / (points - 1);
            force[i] = sin(times[i]);
            normal[i] = o.beta * (1 + o.eta * sin(times[i] + delta));
        }
        const double one[1] = {1};
        am_contact_def contact = am_contact_def_default();
        contact.tangent = one;
        contact.normal_law = AM_HELD;
        contact.hold = am_function_table(points, times, normal);
        contact.friction = 1;
        am_load_def load = {one, am_function_table(points, times, force)};
        am_system_def def = am_system_def_default();
        def.n = 1;
        def.stiffness = am_matrix_dense(1, 1, one, NULL);
        def.contact_count = def.load_count = 1;
        def.contacts = &contact;
        def.loads = &load;
        am_system *system = am_system_create(&def, NULL);
        assert_non_null(system);
        am_path_options options = am_path_options_default();
        options.until = until;
        am_result *result = am_result_create(NULL);
        am_error err = {0};
        if (am_path_run(system, &options, result, NULL, &err) != AM_OK)
            fail_msg("%s", err.message);
        const am_table *samples = am_result_find_table(result, "samples");
        assert_true(am_table_rows(samples) > 100);
        for (size_t row = 0; row < am_table_rows(samples); row++) {
            double t = table_value(samples, row, "t");
            double v = am_oscillator_quasistatic_at(&o, 0, 0, t, NULL);
            assert_near(table_value(samples, row, "q1"), v, 1e-5); /* chords of a sine: (until/points)^2/8 */
        }
        am_result_free(result);
        am_system_free(system);
        am_matrix_free((am_matrix *)def.stiffness);
    }
}

static void quasistatic_motion_of_many_cycles_is_the_steady_one(void **state) {
    (void)state;
    am_oscillator o = with(0.7, 0.5, 60, 0.25);
    am_oscillator_cycle c = am_oscillator_quasistatic(&o);
    double period = 2 * pi / o.Omega;
    am_contact_state s;
    double t = (c.forward_to + 1e-3) / o.Omega;
    for (int cycle = 2; cycle < 2000; cycle += 37) {
        assert_near(am_oscillator_quasistatic_at(&o, 0.3, 5, t + cycle * period, &s), c.v_max, 1e-15);
        assert_int_equal(s, AM_STICK);
    }
    am_oscillator_quasistatic_at(&o, 0, 0, (c.forward_to - 1e-3) / o.Omega + 10 * period, &s);
    assert_int_equal(s, AM_FORWARD);
    am_oscillator_quasistatic_at(&o, 0, 0, (c.backward_from + 1e-3) / o.Omega + 10 * period, &s);
    assert_int_equal(s, AM_BACKWARD);
    /* a start outside the limits is put at the nearer one */
    assert_near(am_oscillator_quasistatic_at(&o, 0, 9, 0, NULL), 0.7 * (1 + 0.5 * sin(pi / 3)), 1e-15);
}

static void slow_motion_tends_to_the_quasistatic_displacement_but_not_to_its_velocity(void **state) {
    (void)state;
    am_oscillator o = with(0.4, 0, 0, 0.004);
    am_oscillator_cycle c = am_oscillator_quasistatic(&o);
    steady s = watch(&o, 2, 3, 200);
    assert_near(s.v_max, c.v_peak, 0.01);
    assert_true(s.speed / o.Omega > 1.5 * c.vdot_forward); /* "between 1.5 and 2" of Fig. 7.7 */
    assert_true(s.speed / o.Omega < 2.0 * c.vdot_forward);
}

/* ---- shakedown ---- */

static void shakedown_limit_is_where_the_quasistatic_amplitude_vanishes(void **state) {
    (void)state;
    for (double eta = 0; eta < 0.99; eta += 0.13)
        for (double delta = -180; delta <= 180; delta += 30) {
            double low = 0.5, high = 20;
            for (int i = 0; i < 100; i++) { /* B.14 as printed, by bisection */
                double b = 0.5 * (low + high), x = 1 + b * b * eta * eta, y = 2 * b * eta * cos(delta * pi / 180);
                if (sqrt(x - y) + sqrt(x + y) > 2 * b)
                    low = b;
                else
                    high = b;
            }
            assert_near(am_oscillator_shakedown_limit(eta, delta), low, 1e-12 * low);
        }
    assert_true(isinf(am_oscillator_shakedown_limit(1, 90)));
    assert_near(am_oscillator_shakedown_limit(0.7, 0), 1, 1e-15);
}

static void moving_mass_shakes_down_above_the_limit_and_slips_for_ever_below(void **state) {
    (void)state;
    const double cases[][3] = {{0.5, 90, 0.3}, {0.8, 60, 0.7}, {0.6, 30, 1.3}, {0.3, 120, 2}};
    for (size_t i = 0; i < 4; i++) {
        double limit = am_oscillator_shakedown_limit(cases[i][0], cases[i][1]);
        am_oscillator o = with(1.02 * limit, cases[i][0], cases[i][1], cases[i][2]);
        assert_true(am_oscillator_quasistatic(&o).shakedown);
        double early = watch(&o, 0, 10, 0).slip, late = watch(&o, 400, 410, 0).slip;
        assert_true(late <= 1e-3 * early); /* slip dies algebraically: a rule is needed */
        o.beta = 0.98 * limit;
        assert_false(am_oscillator_quasistatic(&o).shakedown);
        double lasting = watch(&o, 300, 310, 0).slip;
        assert_true(lasting > 1e-4);
        assert_near(watch(&o, 400, 410, 0).slip, lasting, 1e-6 * lasting);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(system_is_eq_7_37_in_units_of_the_static_deflection),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(resonance_without_damping_is_refused_below_pi_over_4_only),
        cmocka_unit_test(stops_of_fig_7_3),
        cmocka_unit_test(motion_without_stops_is_den_hartogs_below_and_above_resonance),
        cmocka_unit_test(motion_stops_where_the_formula_says_so),
        cmocka_unit_test(hong_and_lius_velocity_needs_the_sign_of_1_minus_omega_squared),
        cmocka_unit_test(quasistatic_cycle_is_that_of_a_finely_stepped_one),
        cmocka_unit_test(quasistatic_cycle_reduces_to_the_printed_special_cases),
        cmocka_unit_test(printed_sign_of_the_dissipation_formulas_misses_the_integral),
        cmocka_unit_test(quasistatic_motion_is_that_of_the_general_path),
        cmocka_unit_test(quasistatic_motion_of_many_cycles_is_the_steady_one),
        cmocka_unit_test(slow_motion_tends_to_the_quasistatic_displacement_but_not_to_its_velocity),
        cmocka_unit_test(shakedown_limit_is_where_the_quasistatic_amplitude_vanishes),
        cmocka_unit_test(moving_mass_shakes_down_above_the_limit_and_slips_for_ever_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
