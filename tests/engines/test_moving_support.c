/* Supports that move along the normal of a contact: a ball on a shaken table in closed form, lift-off, velocities of the
 * support that jump, and random structures against the same motion in the frame of the support. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "errors.h"
#include "math/pi.h"
#include "near.h"
#include "random_system.h"
#include "shaken.h"
#include "system/prescribed.h"

static const double g = 9.81;

/* Height of a ball and of its table: the second is given. */
static am_system *ball_on(am_function table, double restitution) {
    double mass[4] = {1, 0, 0, 0}, zero[4] = {0}, normal[2] = {1, -1}, down[2] = {-1, 0};
    am_contact_def contact = am_contact_def_default();
    contact.normal = normal;
    contact.restitution = restitution;
    am_load_def weight = {down, am_function_constant(g)};
    am_prescribed prescribed = {1, table};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.mass = am_matrix_dense(2, 2, mass, NULL);
    def.stiffness = am_matrix_dense(2, 2, zero, NULL);
    def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &weight;
    am_error err = {0};
    am_system *system = am_prescribed_create(&def, 1, &prescribed, &err);
    if (!system)
        fail_msg("%s: %s", err.field, err.message);
    am_matrix_free((am_matrix *)def.mass);
    am_matrix_free((am_matrix *)def.stiffness);
    return system;
}

static am_motion *started(const am_system *system, double t, const double *q, const double *v) {
    am_motion *motion = am_motion_create(system, true, NULL);
    am_error err = {0};
    if (am_motion_start(motion, t, q, v, &err))
        fail_msg("%s: %s", err.field, err.message);
    return motion;
}

/* To the next event. */
static am_step_kind to_event(am_motion *motion, double until) {
    am_step_kind kind = AM_STEP_SPAN;
    am_error err = {0};
    while (kind == AM_STEP_SPAN)
        if (am_motion_step(motion, until, &kind, &err))
            fail_msg("%s", err.message);
    return kind;
}

static void finish(am_motion *motion, am_system *system) {
    assert_true(am_motion_statistics_get(motion).energy_residual <= 1e-12);
    am_motion_free(motion);
    am_system_free(system);
}

/* Height above the table a time after it was left. */
static double above(const double *flight, double a, double w, double t) {
    double s = t - flight[0];
    return flight[1] + flight[2] * s - 0.5 * g * s * s - a * sin(w * t);
}

/* When a flight (time, height, velocity) ends: by steps that no arc of the table fits between, then by halving. */
static double landing(const double *flight, double a, double w) {
    double step = 1e-3 / w, low = flight[0] + step, high;
    while (above(flight, a, w, low + step) > 0)
        low += step;
    high = low + step;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        *(above(flight, a, w, middle) > 0 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

static void ball_bounces_on_a_shaken_table(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        random_source r = random_seed(seed);
        double a = random_between(&r, 0.01, 0.1), w = random_between(&r, 5, 15), e = random_between(&r, 0.6, 0.95);
        double flight[3] = {0, random_between(&r, 0.5, 1), 0};
        am_system *system = ball_on(am_function_sine(a, w, 0), e);
        am_motion *motion = started(system, 0, &flight[1], &flight[2]);
        for (int i = 0; i < 4; i++) {
            double t = landing(flight, a, w), speed = a * w * cos(w * t);
            double before = flight[2] - g * (t - flight[0]);
            assert_int_equal(to_event(motion, 100), AM_STEP_EVENT);
            assert_true(am_motion_had_impact(motion));
            assert_near(am_motion_time(motion), t, 1e-9); /* each impact multiplies errors, by a w^2/g or so */
            memcpy(flight, (double[3]){t, a * sin(w * t), speed - e * (before - speed)}, sizeof flight);
            assert_near(am_motion_velocity(motion)[0], flight[2], 1e-8);
        }
        finish(motion, system);
    }
}

/* v+ = -v- = g T/2, so that (1 + e) s' = (1 - e) g T/2 at each impact; stable with this amplitude. */
static void ball_repeats_the_orbit_of_one_period(void **state) {
    (void)state;
    double w = 20, e = 0.7, T = two_pi / w, speed = (1 - e) / (1 + e) * g * T / 2, a = 1.1 * speed / w;
    double phase = acos(speed / (a * w)), start = phase / w, q = a * sin(phase), v = g * T / 2;
    am_system *system = ball_on(am_function_sine(a, w, 0), e);
    am_motion *motion = started(system, start, &q, &v);
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(to_event(motion, 100), AM_STEP_EVENT);
        assert_near(am_motion_time(motion), start + i * T, 1e-11);
        assert_near(am_motion_velocity(motion)[0], v, 1e-11);
    }
    finish(motion, system);
}

static void mass_leaves_a_table_that_falls_faster_than_it(void **state) {
    (void)state;
    double a = 0.05, w = 20, q = 0, v = a * w, leaves = asin(g / (a * w * w)) / w, N;
    am_system *system = ball_on(am_function_sine(a, w, 0), 0);
    am_motion *motion = started(system, 0, &q, &v);
    am_step_kind kind;
    assert_int_equal(am_motion_step(motion, 0.5 * leaves, &kind, NULL), AM_OK);
    double t = am_motion_time(motion);
    am_motion_forces(motion, &N, NULL);
    assert_near(N, g - a * w * w * sin(w * t), 1e-12);
    assert_int_equal(to_event(motion, 1), AM_STEP_EVENT);
    if (am_motion_states(motion)[0] != AM_OPEN) /* it begins on the table */
        assert_int_equal(to_event(motion, 1), AM_STEP_EVENT);
    assert_int_equal(am_motion_states(motion)[0], AM_OPEN);
    assert_near(am_motion_time(motion), leaves, 1e-13);
    assert_near(am_motion_displacement(motion)[0], a * sin(w * leaves), 1e-13);
    finish(motion, system);
}

static void table_that_starts_at_once_strikes(void **state) {
    (void)state;
    const double times[3] = {0, 1, 20}, up[3] = {0, 0, 19}, down[3] = {0, 0, -190};
    double q = 0, v = 0;
    for (int falls = 0; falls < 2; falls++) {
        am_system *system = ball_on(am_function_table(3, times, falls ? down : up), 0.5);
        am_motion *motion = started(system, 0, &q, &v);
        while (am_motion_time(motion) < 1)
            to_event(motion, 1.0625);
        to_event(motion, 1.0625);
        double s = 0.0625, first = falls ? 0 : 1.5;
        assert_near(am_motion_time(motion), 1.0625, 1e-15);
        assert_near(am_motion_velocity(motion)[0], first - g * s, 1e-13);
        assert_near(am_motion_displacement(motion)[0], first * s - 0.5 * g * s * s, 1e-13);
        assert_int_equal(am_motion_states(motion)[0], AM_OPEN);
        finish(motion, system);
    }
}

/* ---- in the frame of the support ---- */

static void run_to(am_motion *motion, double t) {
    while (to_event(motion, t) != AM_STEP_END)
        ;
}

static void check_shaken(uint64_t seed) {
    shaken s = shaken_by_lot(seed);
    double rest[2] = {0, 0.2}, slow[2] = {0.1, 0}, rate, up = shaken_support(&s, 0, &rate);
    double here[2] = {0, 0.2 + up}, fast[2] = {0.1, rate};
    am_system *frame = shaken_system(&s, true), *moving = shaken_system(&s, false);
    am_motion *a = started(frame, 0, rest, slow), *b = started(moving, 0, here, fast);
    for (double t = 0.5; t <= 6; t += 0.5) {
        run_to(a, t);
        run_to(b, t);
        double shift[2] = {0}, speed[2] = {0}, N, M;
        shift[1] = shaken_support(&s, t, &speed[1]);
        for (size_t i = 0; i < 2; i++) { /* curved laws by tolerances, and impacts multiply what is off */
            assert_near(am_motion_displacement(b)[i], am_motion_displacement(a)[i] + shift[i], 1e-9);
            assert_near(am_motion_velocity(b)[i], am_motion_velocity(a)[i] + speed[i], 1e-8);
        }
        am_motion_forces(a, &N, NULL);
        am_motion_forces(b, &M, NULL);
        assert_near(N, M, 1e-7);
        assert_int_equal(am_motion_states(a)[0], am_motion_states(b)[0]);
    }
    am_motion_statistics in_frame = am_motion_statistics_get(a), shown = am_motion_statistics_get(b);
    assert_int_equal(shown.zeno, in_frame.zeno);
    if (shown.zeno == 0) /* the last of impacts without end depends on rounding */
        assert_int_equal(shown.state_changes, in_frame.state_changes);
    /* losses of curved laws are integrated by points: as exactly as in the frame, where nothing moves */
    assert_true(shown.energy_residual <= fmax(1e-12, 2 * in_frame.energy_residual));
    assert_true(shown.work_surface != 0);
    am_motion_free(a);
    am_system_free(frame);
    am_motion_free(b);
    am_system_free(moving);
}

static void shaken_structures_move_as_in_the_frame_of_their_support(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) /* every law, with and without a spring, both restitutions */
        check_shaken(seed);
}

/* The same disturbances lead to the same ones: the two frames differ by what does not depend on the start. */
static void derivatives_are_those_in_the_frame_of_the_support(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        shaken s = shaken_by_lot(seed);
        double rest[2] = {0, 0.2}, slow[2] = {0.1, 0}, rate, up = shaken_support(&s, 0, &rate);
        double here[2] = {0, 0.2 + up}, fast[2] = {0.1, rate}, largest = 0;
        am_system *system[2] = {shaken_system(&s, true), shaken_system(&s, false)};
        am_motion *motion[2];
        for (size_t i = 0; i < 2; i++) {
            motion[i] = am_motion_create(system[i], true, NULL);
            assert_int_equal(am_motion_follow_sensitivity(motion[i], true, NULL), AM_OK);
            assert_int_equal(am_motion_start(motion[i], 0, i ? here : rest, i ? fast : slow, NULL), AM_OK);
            run_to(motion[i], 4);
        }
        size_t size = am_motion_dimension(motion[0]) * am_motion_dimension(motion[0]);
        const double *a = am_motion_sensitivity(motion[0]), *b = am_motion_sensitivity(motion[1]);
        for (size_t i = 0; i < size; i++)
            largest = fmax(largest, fabs(a[i]));
        for (size_t i = 0; i < size; i++) /* to rounding; hops below 1e-8 of a period are taken as one */
            assert_near(b[i], a[i], (am_motion_statistics_get(motion[0]).zeno ? 1e-7 : 1e-12) * fmax(1, largest));
        for (size_t i = 0; i < 2; i++) {
            am_motion_free(motion[i]);
            am_system_free(system[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_bounces_on_a_shaken_table),
        cmocka_unit_test(ball_repeats_the_orbit_of_one_period),
        cmocka_unit_test(mass_leaves_a_table_that_falls_faster_than_it),
        cmocka_unit_test(table_that_starts_at_once_strikes),
        cmocka_unit_test(shaken_structures_move_as_in_the_frame_of_their_support),
        cmocka_unit_test(derivatives_are_those_in_the_frame_of_the_support),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
