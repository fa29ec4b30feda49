/* The derivative of the state with respect to the start, through switches and impacts, against differences of exact
 * runs; and sliders behind springs (Jenkins elements) against closed forms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "steps.h"

/* ---- sensitivities ---- */

/* Central differences of runs started h apart have an error of order h^2 and rounding/h: with h = 1e-6 about 1e-9 where
 * no switch is near a graze. Columns along which the start leaves a constraint (gap, stick) are not free and are left
 * out by the caller. */
static double worst_difference(const am_system *system, const double *start, double until, const bool *free_column) {
    am_error err = {0};
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    size_t nd = am_motion_dimension(motion);
    assert_int_equal(am_motion_follow_sensitivity(motion, true, &err), AM_OK);
    assert_int_equal(am_motion_start_state(motion, 0, start, &err), AM_OK);
    run_until(motion, until);
    double *exact = malloc(nd * nd * sizeof *exact), moved[32], ends[2][32], worst = 0, scale = 1;
    memcpy(exact, am_motion_sensitivity(motion), nd * nd * sizeof *exact);
    assert_int_equal(am_motion_follow_sensitivity(motion, false, &err), AM_OK);
    for (size_t i = 0; i < nd * nd; i++)
        scale = fmax(scale, fabs(exact[i]));
    for (size_t j = 0; j < nd; j++) {
        const double h = 1e-6;
        if (!free_column[j])
            continue;
        for (int side = 0; side < 2; side++) {
            memcpy(moved, start, nd * sizeof *moved);
            moved[j] += side ? h : -h;
            assert_int_equal(am_motion_start_state(motion, 0, moved, &err), AM_OK);
            run_until(motion, until);
            memcpy(ends[side], am_motion_state(motion), nd * sizeof(double));
        }
        for (size_t i = 0; i < nd; i++)
            worst = fmax(worst, fabs((ends[1][i] - ends[0][i]) / (2 * h) - exact[i * nd + j]) / scale);
    }
    free(exact);
    am_motion_free(motion);
    return worst;
}

typedef struct block {
    double friction, static_friction, restitution, belt, spring, weight, sine, frequency, gap;
} block;

/* A mass on springs in two directions above a plane, or (spring > 0) with a slider behind a spring. */
static am_system *make_block(const block *b) {
    static const double axis[2][2] = {{1, 0}, {0, 1}};
    const double mass[4] = {1, 0.2, 0.2, 1.5}, stiffness[4] = {2, 0.3, 0.3, 3}, damping[4] = {0.1, 0, 0, 0.05};
    am_contact_def contact = am_contact_def_default();
    contact.normal = axis[1];
    contact.tangent = axis[0];
    contact.gap = b->gap;
    contact.friction = b->friction;
    contact.static_friction = b->static_friction;
    contact.restitution = b->restitution;
    contact.surface_velocity = b->belt;
    if (b->spring > 0) {
        contact.normal_law = AM_HELD;
        contact.normal = NULL;
        contact.tangential_stiffness = b->spring;
        contact.hold = am_function_sine(0.4 * b->weight, 0.7 * b->frequency, 0.3);
        contact.hold.value = b->weight;
    }
    am_load_def loads[2] = {{axis[1], am_function_constant(-b->weight)},
                            {axis[0], am_function_sine(b->sine, b->frequency, 0.1)}};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    return dense_system(def, mass, damping, stiffness);
}

static void check_block(const block *b, const double *start, double until, const bool *free_column) {
    am_system *system = make_block(b);
    double worst = worst_difference(system, start, until, free_column);
    assert_near(worst, 0, 1e-7); /* second-order differences: h^2 times third derivatives, and rounding 1e-14/h */
    am_system_free(system);
}

static void slip_and_stick_are_followed(void **state) {
    (void)state;
    block b = {.friction = 0.3, .weight = 2, .sine = 1.7, .frequency = 0.9};
    check_block(&b, (double[]){0.1, 0, 0.4, 0}, 20, (bool[]){true, false, true, false});
}

static void static_friction_is_followed(void **state) {
    (void)state;
    block b = {.friction = 0.3, .static_friction = 0.5, .weight = 2, .sine = 1.7, .frequency = 0.9};
    check_block(&b, (double[]){0.1, 0, 0.4, 0}, 20, (bool[]){true, false, true, false});
}

static void impacts_are_followed(void **state) {
    (void)state;
    block b = {.friction = 0.3, .weight = 2, .sine = 1.7, .frequency = 0.9, .gap = 0.5};
    check_block(&b, (double[]){0.1, 0.2, 0.4, 0.3}, 6, (bool[]){true, true, true, true});
}

static void bounces_are_followed(void **state) {
    (void)state;
    block b = {.friction = 0.3, .restitution = 0.6, .weight = 1, .sine = 1.2, .frequency = 0.9, .gap = 0.5};
    check_block(&b, (double[]){0.1, 0.2, 0.4, 0.3}, 3, (bool[]){true, true, true, true});
}

static void belts_are_followed(void **state) {
    (void)state;
    block b = {.friction = 0.3, .static_friction = 0.4, .weight = 2, .belt = 0.3, .sine = 0.2, .frequency = 0.3};
    check_block(&b, (double[]){0.1, 0, 0.2, 0}, 15, (bool[]){true, false, true, false});
}

static void sliders_behind_springs_are_followed(void **state) {
    (void)state;
    block b = {.friction = 0.3, .weight = 2, .sine = 1.7, .frequency = 0.9, .spring = 1.5};
    check_block(&b, (double[]){0.1, -0.6, 0.4, 0, 0.05}, 20, (bool[]){true, true, true, true, true});
}

static void sliders_with_static_friction_are_followed(void **state) {
    (void)state;
    block b = {.friction = 0.3, .static_friction = 0.36, .weight = 2, .sine = 1.7, .frequency = 0.9, .spring = 1.5};
    check_block(&b, (double[]){0.1, -0.6, 0.4, 0, 0.05}, 20, (bool[]){true, true, true, true, true});
}

/* ---- sliders ---- */

/* A stiff spring behind the slider becomes a rigid slider. While stuck the mass trembles on it with an amplitude of
 * v/sqrt(k/m), so the difference falls with 1/sqrt(stiffness): by 10 for a factor of 100. */
static void a_stiff_spring_is_a_rigid_slider(void **state) {
    (void)state;
    double ends[3];
    const double springs[3] = {0, 1e3, 1e5};
    for (int i = 0; i < 3; i++) {
        block b = {.friction = 0.3, .weight = 2, .sine = 1.7, .frequency = 0.9, .spring = 1};
        am_error err = {0};
        am_system *sprung = make_block(&b);
        am_contact_def contact = *am_system_contact(sprung, 0);
        contact.tangential_stiffness = springs[i];
        am_system_def def = am_system_def_default();
        def.n = 2;
        def.mass = am_system_mass(sprung);
        def.stiffness = am_system_stiffness(sprung);
        def.damping = am_system_damping(sprung);
        def.contact_count = 1;
        def.contacts = &contact;
        contact.normal = NULL; /* the held force does not act on q */
        def.load_count = 2;
        am_load_def loads[2] = {*am_system_load(sprung, 0), *am_system_load(sprung, 1)};
        def.loads = loads;
        am_system *system = am_system_create(&def, &err);
        assert_non_null(system);
        am_motion *motion = am_motion_create(system, true, &err);
        assert_non_null(motion);
        assert_int_equal(am_motion_start(motion, 0, (double[]){0.1, -0.6}, (double[]){0.4, 0}, &err), AM_OK);
        run_until(motion, 10);
        ends[i] = am_motion_displacement(motion)[0];
        assert_near(am_motion_statistics_get(motion).energy_residual, 0, 1e-12); /* rounding of some hundred spans */
        am_motion_free(motion);
        am_system_free(system);
        am_system_free(sprung);
    }
    double coarse = fabs(ends[1] - ends[0]), fine = fabs(ends[2] - ends[0]);
    if (!(fine < coarse / 5 && coarse < 0.1))
        print_error("coarse %g, fine %g\n", coarse, fine);
    assert_true(fine < coarse / 5 && coarse < 0.1);
}

/* Massless loading of the slider alone: a mass so heavy that it moves uniformly drags a spring over a held slider. The
 * stretch grows until k e = mu N, then stays; friction work is mu N times the slip. */
static void a_slider_slips_at_its_limit(void **state) {
    (void)state;
    const double one[1] = {1}, mass[1] = {1e6}, zero[1] = {0};
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(2);
    contact.friction = 0.25;
    contact.tangential_stiffness = 4;
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = dense_system(def, mass, NULL, zero);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_int_equal(am_motion_start(motion, 0, NULL, one, &err), AM_OK);
    run_until(motion, 1);
    /* Slip begins when the stretch reaches 0.125, at t = 0.125 up to the deceleration, 1e-8 relative for this mass. */
    assert_near(am_motion_state(motion)[2], 0.125, 1e-15);
    assert_near(am_motion_statistics_get(motion).loss_friction, 0.5 * (1 - 0.125), 1e-6);
    assert_int_equal(am_motion_states(motion)[0], AM_FORWARD);
    am_motion_free(motion);
    am_system_free(system);
}

static void energy_closes_with_sliders(void **state) {
    (void)state;
    for (int i = 0; i < 40; i++) {
        random_source source = random_seed((uint64_t)(100 + i));
        block b = {.friction = random_between(&source, 0.05, 0.6),
                   .weight = random_between(&source, 0.5, 3),
                   .sine = random_between(&source, 0.5, 4),
                   .frequency = random_between(&source, 0.2, 3),
                   .belt = random_chance(&source, 0.3) ? random_between(&source, -0.5, 0.5) : 0,
                   .spring = random_between(&source, 0.1, 20)};
        b.static_friction = random_chance(&source, 0.5) ? 1.2 * b.friction : 0;
        am_error err = {0};
        am_system *system = make_block(&b);
        am_motion *motion = am_motion_create(system, true, &err);
        assert_int_equal(am_motion_start(motion, 0, (double[]){0.1, -0.6}, (double[]){0.4, 0}, &err), AM_OK);
        run_until(motion, 60);
        am_motion_statistics s = am_motion_statistics_get(motion);
        assert_true(s.events > 3);
        assert_near(s.energy_residual, 0, 1e-11);
        assert_near(s.complementarity, 0, 1e-11);
        am_motion_free(motion);
        am_system_free(system);
    }
}

static void a_spring_stretched_beyond_its_limit_is_refused(void **state) {
    (void)state;
    block b = {.friction = 0.3, .weight = 2, .sine = 1.7, .frequency = 0.9, .spring = 1.5};
    am_error err = {0};
    am_system *system = make_block(&b);
    am_motion *motion = am_motion_create(system, false, &err);
    assert_int_equal(am_motion_start_state(motion, 0, (double[]){0, 0, 0, 0, 10}, &err), AM_ERR_INPUT);
    assert_says(&err, "more than friction can hold");
    am_motion_free(motion);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slip_and_stick_are_followed),
        cmocka_unit_test(static_friction_is_followed),
        cmocka_unit_test(impacts_are_followed),
        cmocka_unit_test(bounces_are_followed),
        cmocka_unit_test(belts_are_followed),
        cmocka_unit_test(sliders_behind_springs_are_followed),
        cmocka_unit_test(sliders_with_static_friction_are_followed),
        cmocka_unit_test(a_stiff_spring_is_a_rigid_slider),
        cmocka_unit_test(a_slider_slips_at_its_limit),
        cmocka_unit_test(energy_closes_with_sliders),
        cmocka_unit_test(a_spring_stretched_beyond_its_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
