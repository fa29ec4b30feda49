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
#include "system/capability.h"
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

/* x and y of a body on springs from the support (which moves along y), one contact with friction on it. */
typedef struct shaken {
    double m[2], kx, ky, kxy, c, a, w;
    am_contact_def contact;
} shaken;

static const am_normal_law laws[] = {AM_UNILATERAL, AM_KELVIN_VOIGT, AM_HUNT_CROSSLEY};

static shaken drawn_by_lot(uint64_t seed) {
    random_source r = random_seed(seed);
    shaken s = {.m = {random_between(&r, 0.5, 2), random_between(&r, 0.5, 2)},
                .kx = random_between(&r, 1, 4),
                .ky = random_between(&r, 1, 4),
                .kxy = random_between(&r, -0.5, 0.5),
                .c = random_between(&r, 0, 0.2),
                .a = random_between(&r, 0.2, 0.6),
                .w = random_between(&r, 1, 4),
                .contact = am_contact_def_default()};
    s.contact.normal_law = laws[seed % 3];
    s.contact.restitution = laws[seed % 3] == AM_UNILATERAL ? random_between(&r, 0, 0.6) : 0;
    s.contact.restitution_law = seed % 2 ? AM_POISSON : AM_NEWTON;
    s.contact.friction = random_between(&r, 0.1, 0.5);
    s.contact.gap = -random_between(&r, 0, 0.1);
    s.contact.tangential_stiffness = seed % 4 == 1 ? 3 : 0;
    s.contact.contact_stiffness = laws[seed % 3] == AM_UNILATERAL ? 0 : random_between(&r, 5, 20);
    s.contact.contact_damping = laws[seed % 3] == AM_KELVIN_VOIGT ? random_between(&r, 0, 0.5) : 0;
    s.contact.contact_exponent = laws[seed % 3] == AM_HUNT_CROSSLEY ? 1.5 : 1;
    s.contact.contact_dissipation = laws[seed % 3] == AM_HUNT_CROSSLEY ? 0.2 : 0;
    return s;
}

/* Coordinates x, y and, unless it is the frame, that of the support. */
static am_system *system_of(const shaken *s, bool in_frame) {
    size_t n = in_frame ? 2 : 3;
    double M[9] = {0}, K[9] = {0}, C[9] = {0}, normal[3] = {0, 1, -1}, tangent[3] = {1, 0, 0}, y[3] = {0, 1, 0},
           x[3] = {1, 0, 0};
    const double k[9] = {s->kx, s->kxy, -s->kxy, s->kxy, s->ky, -s->ky, -s->kxy, -s->ky, s->ky};
    const double c[9] = {s->c, 0, 0, 0, s->c, -s->c, 0, -s->c, s->c};
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            M[i * n + j] = i == j && i < 2 ? s->m[i] : 0;
            K[i * n + j] = k[3 * i + j];
            C[i * n + j] = c[3 * i + j];
        }
    am_contact_def contact = s->contact;
    contact.normal = normal;
    contact.tangent = tangent;
    am_load_def loads[3] = {{y, am_function_constant(-1)},
                            {x, am_function_sine(0.7, 1.3, 0.4)},
                            {y, am_function_sine(s->m[1] * s->a * s->w * s->w, s->w, 0)}}; /* -m s'' */
    am_prescribed support = {2, am_function_sine(s->a, s->w, 0)};
    am_system_def def = am_system_def_default();
    def.n = n;
    def.mass = am_matrix_dense(n, n, M, NULL);
    def.stiffness = am_matrix_dense(n, n, K, NULL);
    def.damping = am_matrix_dense(n, n, C, NULL);
    def.contact_count = 1;
    def.contacts = &contact;
    def.loads = loads;
    def.load_count = in_frame ? 3 : 2;
    am_error err = {0};
    am_system *system = am_prescribed_create(&def, in_frame ? 0 : 1, &support, &err);
    if (!system)
        fail_msg("%s: %s", err.field, err.message);
    am_matrix_free((am_matrix *)def.mass);
    am_matrix_free((am_matrix *)def.stiffness);
    am_matrix_free((am_matrix *)def.damping);
    return system;
}

static void run_to(am_motion *motion, double t) {
    while (to_event(motion, t) != AM_STEP_END)
        ;
}

static void check_shaken(uint64_t seed) {
    shaken s = drawn_by_lot(seed);
    double rest[2] = {0, 0.2}, here[2] = {0, 0.2}, slow[2] = {0.1, 0}, fast[2] = {0.1, s.a * s.w};
    am_system *frame = system_of(&s, true), *moving = system_of(&s, false);
    am_motion *a = started(frame, 0, rest, slow), *b = started(moving, 0, here, fast);
    for (double t = 0.5; t <= 6; t += 0.5) {
        run_to(a, t);
        run_to(b, t);
        double shift[2] = {0, s.a * sin(s.w * t)}, speed[2] = {0, s.a * s.w * cos(s.w * t)}, N, M;
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

static void others_refuse_it(void **state) {
    (void)state;
    am_system *system = ball_on(am_function_sine(1, 1, 0), 0);
    am_error err = {0};
    am_motion *motion = am_motion_create(system, false, NULL);
    assert_int_equal(am_motion_follow_sensitivity(motion, true, &err), AM_ERR_UNSUPPORTED);
    am_motion_free(motion);
    assert_int_equal(am_system_check(system, "motion", &err), AM_OK);
    for (const am_capability *row = am_capabilities; row->analysis; row++)
        if (strcmp(row->analysis, "motion") != 0)
            assert_int_equal(am_system_check(system, row->analysis, &err), AM_ERR_UNSUPPORTED);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_bounces_on_a_shaken_table),
        cmocka_unit_test(ball_repeats_the_orbit_of_one_period),
        cmocka_unit_test(mass_leaves_a_table_that_falls_faster_than_it),
        cmocka_unit_test(table_that_starts_at_once_strikes),
        cmocka_unit_test(shaken_structures_move_as_in_the_frame_of_their_support),
        cmocka_unit_test(others_refuse_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
