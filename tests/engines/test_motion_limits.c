/* Where motions end or change their nature: accumulating impacts, no or several consistent states, missing mass. And:
 * an engine that has met a state of contact before allocates nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counted_allocations.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "trajectory.h"
#include "uniform.h"

static trajectory *run(const plain_system *plain, double until, const double *q, const double *v) {
    trajectory *result = malloc(sizeof *result);
    assert_non_null(result);
    trajectory_run(plain, 0, until, q, v, 0, NULL, NULL, result);
    if (result->status != AM_OK)
        print_error("%s\n", result->error.message);
    return result;
}

/* ---- accumulation of impacts ---- */

static plain_system ball(double restitution, double gravity, double friction) {
    plain_system plain = plain_system_new(2, 1);
    plain.contact[0].normal[1] = 1;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].restitution = restitution;
    plain.contact[0].friction = friction;
    plain.loads = 1;
    plain.load[0].direction[1] = -1;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = gravity};
    return plain;
}

/* Falls for sqrt(2h/g), then flights of 2 v e^k / g. */
static double rest_time(double height, double gravity, double restitution) {
    double fall = sqrt(2 * height / gravity);
    return fall + 2 * fall * restitution / (1 - restitution);
}

static const trajectory_event *zeno_event(const trajectory *path) {
    for (size_t i = 0; i < path->count; i++)
        if (path->events[i].cause == AM_CAUSE_ZENO)
            return &path->events[i];
    return NULL;
}

static void ball_comes_to_rest_at_the_limit_of_its_bounces(void **state) {
    (void)state;
    const double restitutions[] = {0.1, 0.5, 0.8, 0.9};
    for (size_t i = 0; i < sizeof restitutions / sizeof *restitutions; i++) {
        double e = restitutions[i], height = 1.3, gravity = 2.1;
        plain_system plain = ball(e, gravity, 0.3);
        double q[2] = {0, height}, v[2] = {0, 0}, end = rest_time(height, gravity, e);
        trajectory *path = run(&plain, end + 1, q, v);
        assert_int_equal(path->status, AM_OK);
        assert_int_equal(path->statistics.zeno, 1);
        assert_int_equal(path->final[0], AM_STICK);
        const trajectory_event *closing = zeno_event(path);
        assert_non_null(closing);
        /* Constant force: the sum of the remaining flights is known exactly, so what is left is rounding. */
        assert_near(closing->t, end, 1e-11 * end);
        assert_true(path->statistics.energy_residual <= 1e-11);
        free(path);
    }
}

/* While it bounces, all normal impulses together balance the weight, so friction takes mu g T off the speed however
 * they are distributed. */
static void bouncing_ball_loses_the_speed_that_its_weight_times_friction_takes(void **state) {
    (void)state;
    double e = 0.6, height = 0.7, gravity = 1.7, mu = 0.2;
    plain_system plain = ball(e, gravity, mu);
    double end = rest_time(height, gravity, e), speed = mu * gravity * end + 1;
    double q[2] = {0, height}, v[2] = {speed, 0};
    trajectory *path = run(&plain, end + 0.5, q, v);
    assert_int_equal(path->status, AM_OK);
    assert_int_equal(path->statistics.zeno, 1);
    assert_int_equal(path->final[0], AM_FORWARD);
    assert_near(path->v[0], speed - mu * gravity * (end + 0.5), 1e-10 * speed);
    free(path);
}

static void ball_on_a_soft_spring_comes_to_rest_too(void **state) {
    (void)state;
    plain_system plain = ball(0.5, 1, 0.3);
    plain.stiffness[0] = plain.stiffness[3] = 1e-8;
    double q[2] = {0, 1}, v[2] = {0, 0}, end = rest_time(1, 1, 0.5);
    trajectory *path = run(&plain, end + 5, q, v);
    assert_int_equal(path->status, AM_OK);
    assert_int_equal(path->statistics.zeno, 1);
    assert_int_equal(path->final[0], AM_STICK);
    assert_non_null(zeno_event(path));
    assert_near(zeno_event(path)->t, end, 1e-6); /* the spring changes gravity by 1e-8 */
    free(path);
}

/* ---- sliders that break loose and hold again at once ---- */

/* The spring (stiffness 1) of a slider whose normal force falls, N = 1 - a t, is relaxed with the velocity w by a mass
 * that nothing stops: slower than the static limit falls, mu_s a > w, and faster than the kinetic one does, w > mu_k a.
 * At the static limit the slider breaks loose, the spring relaxes to the kinetic limit at once, and there the slider
 * holds: until N is gone, for a second time would be (mu_s - mu_k) N/(mu_s a - w) > N/a later. */
static void a_slider_that_cannot_slide_on_relaxes_and_holds(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < 20; trial++) {
        double mu_k = uniform(&seed, 0.1, 0.5), mu_s = mu_k * uniform(&seed, 1.1, 2.0), a = uniform(&seed, 0.1, 0.5);
        double w = a * (mu_k + uniform(&seed, 0.1, 0.9) * (mu_s - mu_k));
        double wanted = uniform(&seed, 0.2, 0.8) / a, first = mu_s - (mu_s * a - w) * wanted, N = 1 - a * wanted;
        plain_system plain = plain_system_new(1, 1);
        plain.mass[0] = 0x1p60;
        plain.stiffness[0] = 1;
        plain.contact[0].normal[0] = 0x1p-1000; /* its force does nothing */
        plain.contact[0].tangent[0] = 1;
        plain.contact[0].normal_law = AM_HELD;
        plain.contact[0].hold = am_function_ramp(1, -a);
        plain.contact[0].friction = mu_k;
        plain.contact[0].static_friction = mu_s;
        plain.contact[0].tangential_stiffness = 1;
        am_system *system = plain_system_create(&plain, NULL);
        am_motion *motion = am_motion_create(system, true, NULL);
        assert_non_null(motion);
        assert_int_equal(am_motion_follow_sensitivity(motion, true, NULL), AM_OK);
        const double start[3] = {0, -w, first};
        assert_int_equal(am_motion_start_state(motion, 0, start, NULL), AM_OK);
        am_step_kind kind = AM_STEP_SPAN;
        while (kind == AM_STEP_SPAN)
            assert_int_equal(am_motion_step(motion, 0.9 / a, &kind, NULL), AM_OK);
        assert_int_equal(kind, AM_STEP_EVENT);
        assert_int_equal(am_motion_switches(motion), 1);
        const am_switch *s = am_motion_switch(motion, 0);
        assert_true(s->from == AM_STICK && s->during == AM_FORWARD && s->to == AM_STICK && s->cause == AM_CAUSE_SLIP);
        double steep = 1 / (mu_s * a - w); /* how far rounding of the limit moves the event */
        assert_near(am_motion_time(motion), wanted, 1e-15 * steep);
        assert_near(am_motion_state(motion)[2], mu_k * N, 1e-15 * steep);
        /* t* = (mu_s - e0)/(mu_s a - w), then e = mu_k (1 - a t*) - w (t - t*) */
        assert_near(am_motion_sensitivity(motion)[2 * 3 + 2], (mu_k * a - w) * steep, 1e-14 * steep);
        for (kind = AM_STEP_SPAN; kind == AM_STEP_SPAN;)
            assert_int_equal(am_motion_step(motion, 0.9 / a, &kind, NULL), AM_OK);
        assert_int_equal(kind, AM_STEP_END);
        am_motion_statistics statistics = am_motion_statistics_get(motion);
        assert_int_equal(statistics.state_changes, 2);
        assert_near(statistics.loss_friction, 0.5 * (mu_s * mu_s - mu_k * mu_k) * N * N, 1e-14 * steep);
        assert_true(statistics.energy_residual <= 1e-12);
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* ---- the clock ---- */

/* An oscillator on a belt, omega = 1: at t = 1e17 the next number after t is 16 later. */
static void time_that_cannot_tell_a_step_is_said_instead_of_stepping_for_ever(void **state) {
    (void)state;
    plain_system plain = ball(0, 1, 0.3);
    plain.stiffness[0] = plain.stiffness[3] = 1;
    plain.contact[0].surface_velocity = 5;
    double q[2] = {0, 0}, v[2] = {0, 0};
    trajectory *path = malloc(sizeof *path);
    assert_non_null(path);
    trajectory_run(&plain, 1e17, 2e17, q, v, 0, NULL, NULL, path);
    assert_int_equal(path->status, AM_ERR_LIMIT);
    assert_non_null(strstr(path->error.message, "rounding of time"));
    free(path);
}

/* ---- no or several consistent states ---- */

/* Sliding backward with n.M^-1 (n + mu t) < 0: a contact force would accelerate the point downward. */
static plain_system paradox(double load) {
    plain_system plain = plain_system_new(2, 1);
    plain.mass[1] = plain.mass[2] = 0.8;
    plain.contact[0].normal[1] = 1;
    plain.contact[0].tangent[0] = 1;
    plain.contact[0].friction = 2;
    plain.loads = 1;
    plain.load[0].direction[1] = load;
    plain.load[0].function = (am_function){.kind = AM_FUNCTION_CONSTANT, .value = 1};
    return plain;
}

static void start_paradox(double load, double t, am_status *status, am_error *err) {
    plain_system plain = paradox(load);
    memset(err, 0, sizeof *err);
    am_system *system = plain_system_create(&plain, err);
    assert_non_null(system);
    am_motion *motion = am_motion_create(system, true, err);
    assert_non_null(motion);
    double q[2] = {0, 0}, v[2] = {-1, 0};
    *status = am_motion_start(motion, t, q, v, err);
    am_motion_free(motion);
    am_system_free(system);
}

static void pressed_into_the_paradox_no_state_is_found_and_said(void **state) {
    (void)state;
    am_error err;
    am_status status;
    start_paradox(-1, 3.25, &status, &err);
    assert_int_equal(status, AM_ERR_NO_STATE);
    assert_says(&err, "3.25");
    assert_says(&err, "contact");
    assert_says(&err, "open");
    assert_says(&err, "backward");
}

static void pulled_out_of_the_paradox_both_states_are_named(void **state) {
    (void)state;
    am_error err;
    am_status status;
    start_paradox(1, 3.25, &status, &err);
    assert_int_equal(status, AM_ERR_SEVERAL_STATES);
    assert_says(&err, "3.25");
    assert_says(&err, "contact");
    assert_says(&err, "open");
    assert_says(&err, "backward");
}

/* ---- missing mass ---- */

static void massless_direction_without_a_spring_is_refused_by_name(void **state) {
    (void)state;
    plain_system plain = ball(0, 1, 0.3);
    plain.stiffness[0] = 1;
    plain.mass[3] = 0;
    am_error err = {0};
    am_system *system = plain_system_create(&plain, &err);
    assert_non_null(system);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_null(motion);
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
    assert_says(&err, "nothing determines coordinate q2");
    am_system_free(system);
}

/* Singular without a zero on the diagonal: two coordinates share one mass. */
static void mass_without_full_rank_is_refused(void **state) {
    (void)state;
    plain_system plain = ball(0, 1, 0.3);
    plain.stiffness[0] = plain.stiffness[3] = 1;
    for (size_t i = 0; i < 4; i++)
        plain.mass[i] = 1;
    am_error err = {0};
    am_system *system = plain_system_create(&plain, &err);
    assert_non_null(system);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_null(motion);
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
    assert_says(&err, "mass");
    am_system_free(system);
}

/* ---- allocation ---- */

static size_t drive(am_motion *motion, const double *q, const double *v, double until) {
    size_t events = 0;
    am_step_kind kind = AM_STEP_SPAN;
    assert_int_equal(am_motion_start(motion, 0, q, v, NULL), AM_OK);
    while (kind != AM_STEP_END) {
        assert_int_equal(am_motion_step(motion, until, &kind, NULL), AM_OK);
        events += kind == AM_STEP_EVENT;
    }
    return events;
}

static void warm_engine_allocates_nothing(void **state) {
    (void)state;
    size_t events = 0;
    random_options kinds = random_options_default(6, 3);
    kinds.restitution = 0;
    for (uint64_t seed = 500; seed < 520; seed++) {
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE];
        kinds.piecewise = seed % 2;
        random_system(seed, &kinds, &plain, q, v);
        trajectory *trial = run(&plain, 20, q, v);
        am_status status = trial->status;
        free(trial);
        if (status != AM_OK)
            continue; /* paradoxes are another test's subject */
        am_system *system = plain_system_create(&plain, NULL);
        am_motion *motion = am_motion_create(system, true, NULL);
        assert_non_null(motion);
        size_t cold = drive(motion, q, v, 20);
        allocations = 0;
        size_t warm = drive(motion, q, v, 20);
        size_t counted = allocations;
        am_motion_free(motion);
        am_system_free(system);
        assert_int_equal(warm, cold);
        assert_int_equal(counted, 0);
        events += warm;
    }
    assert_true(events > 200);
}

/* ---- what an engine keeps ---- */

/* The state at the end of a run from t = 0. False where the motion has no unique continuation. */
static bool run_engine(am_motion *motion, const double *q, const double *v, double until, double *end) {
    am_step_kind kind = AM_STEP_SPAN;
    am_status status = am_motion_start(motion, 0, q, v, NULL);
    while (!status && kind != AM_STEP_END)
        status = am_motion_step(motion, until, &kind, NULL);
    memcpy(end, am_motion_state(motion), am_motion_dimension(motion) * sizeof *end);
    return status == AM_OK;
}

/* Series of the spans before are left in an engine: sines of pulses, where the next start may have a constant load. */
static void used_engine_gives_the_numbers_of_a_fresh_one(void **state) {
    (void)state;
    size_t compared = 0;
    for (uint64_t seed = 700; seed < 740; seed++) {
        random_options kinds = seed % 2 ? random_options_default(2, 1) : random_options_default(6, 3);
        plain_system plain;
        double q[PLAIN_SIZE], v[PLAIN_SIZE], used[2 * PLAIN_SIZE], fresh[2 * PLAIN_SIZE];
        kinds.piecewise = true;
        random_system(seed, &kinds, &plain, q, v);
        am_system *system = plain_system_create(&plain, NULL);
        am_motion *engine = am_motion_create(system, true, NULL), *other = am_motion_create(system, true, NULL);
        assert_non_null(engine);
        assert_non_null(other);
        run_engine(engine, q, v, 5.5, used); /* left somewhere in the middle of the loads */
        for (size_t i = 0; i < plain.n; i++)
            v[i] *= 0.75;
        if (run_engine(engine, q, v, 12, used) && run_engine(other, q, v, 12, fresh)) {
            assert_memory_equal(used, fresh, 2 * plain.n * sizeof *used);
            compared++;
        }
        am_motion_free(other);
        am_motion_free(engine);
        am_system_free(system);
    }
    assert_true(compared > 20);
}

/* ---- fast coordinates that contacts hold ---- */

/* A slow structure of two masses, damped, under a ramp and a sine. With a third coordinate, coupled to them, whose mass
 * is almost nothing and whose damper and spring are stiff, and which a contact holds where it is, it moves the same. */
static plain_system slow_with_fast(uint64_t *seed, bool fast) {
    plain_system plain = plain_system_new(fast ? 3 : 2, fast ? 1 : 0);
    double numbers[10];
    size_t n = plain.n;
    for (size_t i = 0; i < 10; i++)
        numbers[i] = uniform(seed, 0.2, 1.0);
    const double K[4] = {1.0 + numbers[0], -numbers[1], -numbers[1], 1.5 + numbers[2]};
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            plain.stiffness[i * n + j] = K[2 * i + j];
            plain.damping[i * n + j] = 0.05 * numbers[3] * K[2 * i + j];
        }
    if (fast) {
        double mass = 1e-9 * numbers[4], rate = 1e5 * numbers[5];
        plain.mass[8] = mass;
        plain.damping[8] = mass * rate;
        plain.stiffness[8] = mass * rate * rate * numbers[6];
        plain.contact[0].tangent[2] = 1.0;
        plain.contact[0].normal[2] = 1.0; /* the given normal force pushes along it, less than friction can hold */
        plain.contact[0].normal_law = AM_HELD;
        plain.contact[0].hold = am_function_constant(1e3);
        plain.contact[0].friction = 2.0;
    }
    plain.loads = 2;
    plain.load[0].direction[0] = 1.0;
    plain.load[0].function = am_function_ramp(0.1, 0.3 * numbers[7]);
    plain.load[1].direction[1] = 1.0;
    plain.load[1].function = am_function_sine(numbers[8], 2.0 * numbers[9], 0.3);
    return plain;
}

/* Spans are as long as the slow structure allows: with the fast coordinate's own they would be ten thousand times as
 * many. Displacements agree to rounding of a few hundred spans. */
static void coordinates_that_contacts_hold_do_not_shorten_spans(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int trial = 0; trial < 10; trial++) {
        uint64_t again = seed;
        plain_system with = slow_with_fast(&seed, true), without = slow_with_fast(&again, false);
        const double q[3] = {0.3, -0.2, 0.0}, v[3] = {0.1, 0.4, 0.0};
        trajectory *one = run(&with, 40.0, q, v), *other = run(&without, 40.0, q, v);
        assert_int_equal(one->status, AM_OK);
        for (size_t i = 0; i < 2; i++) {
            assert_near(one->q[i], other->q[i], 1e-12);
            assert_near(one->v[i], other->v[i], 1e-12);
        }
        assert_true(one->q[2] == 0.0 && one->statistics.events == 0);
        assert_true(one->statistics.spans <= 3 * other->statistics.spans);
        free(one);
        free(other);
    }
}

static void counting_of_allocations_works(void **state) {
    (void)state;
    allocations = 0;
    plain_system plain = ball(0, 1, 0.3);
    am_system *system = plain_system_create(&plain, NULL);
    assert_true(allocations > 0);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ball_comes_to_rest_at_the_limit_of_its_bounces),
        cmocka_unit_test(bouncing_ball_loses_the_speed_that_its_weight_times_friction_takes),
        cmocka_unit_test(ball_on_a_soft_spring_comes_to_rest_too),
        cmocka_unit_test(a_slider_that_cannot_slide_on_relaxes_and_holds),
        cmocka_unit_test(time_that_cannot_tell_a_step_is_said_instead_of_stepping_for_ever),
        cmocka_unit_test(pressed_into_the_paradox_no_state_is_found_and_said),
        cmocka_unit_test(pulled_out_of_the_paradox_both_states_are_named),
        cmocka_unit_test(massless_direction_without_a_spring_is_refused_by_name),
        cmocka_unit_test(mass_without_full_rank_is_refused),
        cmocka_unit_test(coordinates_that_contacts_hold_do_not_shorten_spans),
        cmocka_unit_test(counting_of_allocations_works),
        cmocka_unit_test(warm_engine_allocates_nothing),
        cmocka_unit_test(used_engine_gives_the_numbers_of_a_fresh_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
