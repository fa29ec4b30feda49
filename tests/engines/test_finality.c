/* A state of contact that is claimed to last for ever does: nothing happens however long one waits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "engines/switching/switching.h"
#include "near.h"
#include "random_system.h"

typedef enum verdict { CLAIMED, OPEN_ENDED, PARADOX } verdict;

/* Run until a claim is made, or the time is over. */
static verdict seek(am_motion *motion, const double *q, const double *v, double patience) {
    am_step_kind kind = AM_STEP_SPAN;
    am_motion_seek_final(motion, true);
    am_status status = am_motion_start(motion, 0, q, v, NULL);
    while (!status && kind != AM_STEP_END && kind != AM_STEP_FINAL)
        status = am_motion_step(motion, patience, &kind, NULL);
    am_motion_seek_final(motion, false);
    if (status)
        return PARADOX;
    return kind == AM_STEP_FINAL ? CLAIMED : OPEN_ENDED;
}

/* True if nothing happens until `until`. */
static bool stays_quiet(am_motion *motion, double until) {
    am_step_kind kind = AM_STEP_SPAN;
    while (kind != AM_STEP_END) {
        if (am_motion_step(motion, until, &kind, NULL) != AM_OK || kind == AM_STEP_EVENT) {
            print_error("at t = %.17g, of contact %zu\n", am_motion_time(motion),
                        am_motion_switches(motion) ? am_motion_switch(motion, 0)->contact : 0);
            return false;
        }
    }
    return true;
}

/* Loads that repeat become ramps, held forces constant, and surfaces rest: what a final state can be proved for. */
static void make_provable(random_source *source, plain_system *plain, double fastest) {
    for (size_t l = 1; l < plain->loads; l++)
        if (plain->load[l].function.kind == AM_FUNCTION_SINE)
            plain->load[l].function =
                (am_function){.kind = AM_FUNCTION_RAMP, .rate = random_between(source, -fastest, fastest)};
    for (size_t c = 0; c < plain->m; c++) {
        plain->contact[c].surface_velocity = 0;
        if (plain->contact[c].normal_law == AM_HELD)
            plain->contact[c].hold = (am_function){.kind = AM_FUNCTION_RAMP, .value = 1, .rate = 0.01};
    }
}

typedef struct tally {
    size_t claimed, open_ended, paradox;
    size_t state[4]; /* claims by the state of the first contact */
} tally;

/* Claims of one random structure, checked for up to a hundred times the time it took to make them. */
static void try_structure(uint64_t seed, const random_options *kinds, tally *count) {
    plain_system plain;
    double q[PLAIN_SIZE], v[PLAIN_SIZE];
    random_source source = random_seed(seed + 77777);
    random_system(seed, kinds, &plain, q, v);
    make_provable(&source, &plain, seed % 3 == 0 ? 2 : 0.15);
    am_system *system = plain_system_create(&plain, NULL);
    assert_non_null(system);
    am_motion *motion = am_motion_create(system, false, NULL);
    assert_non_null(motion);
    verdict verdict = seek(motion, q, v, 1000);
    count->claimed += verdict == CLAIMED;
    count->open_ended += verdict == OPEN_ENDED;
    count->paradox += verdict == PARADOX;
    if (verdict == CLAIMED) {
        double t = am_motion_time(motion);
        count->state[am_motion_states(motion)[0]]++;
        if (!stays_quiet(motion, t + fmin(100 * (t + 10), 4000))) {
            print_error("seed %llu: final was claimed at t = %.17g\n", (unsigned long long)seed, t);
            fail();
        }
    }
    am_motion_free(motion);
    am_system_free(system);
}

static tally try_structures(const random_options *kinds, uint64_t first, size_t count) {
    tally all = {0};
    for (uint64_t seed = first; seed < first + count; seed++)
        try_structure(seed, kinds, &all);
    return all;
}

static void claims_for_one_contact_are_never_contradicted(void **state) {
    (void)state;
    random_options kinds = random_options_default(2, 1);
    kinds.belt = 0;
    tally all = try_structures(&kinds, 1000, 300);
    assert_true(all.claimed > 100); /* otherwise little was tested */
    assert_true(all.state[AM_OPEN] > 5 && all.state[AM_STICK] > 5);
    assert_true(all.state[AM_FORWARD] + all.state[AM_BACKWARD] > 5);
}

static void claims_after_tables_and_pulses_are_never_contradicted(void **state) {
    (void)state;
    random_options kinds = random_options_default(3, 1);
    kinds.belt = 0;
    kinds.piecewise = true;
    tally all = try_structures(&kinds, 2000, 200);
    assert_true(all.claimed > 50);
}

static void claims_for_two_contacts_are_never_contradicted(void **state) {
    (void)state;
    random_options kinds = random_options_default(4, 2);
    kinds.belt = 0;
    tally all = try_structures(&kinds, 3000, 300);
    assert_true(all.claimed > 50);
}

static void claims_with_damping_are_never_contradicted(void **state) {
    (void)state;
    random_options kinds = random_options_default(4, 2);
    kinds.belt = 0;
    kinds.damped = 1;
    tally all = try_structures(&kinds, 4000, 200);
    assert_true(all.claimed > 50);
}

/* ---- what is known in closed form ---- */

/* u2 = c t + cos t - c sin t swings by sqrt(1 + c^2) about its line. */
static void separation_is_final_once_the_line_has_left_the_swing_behind(void **state) {
    (void)state;
    double rates[] = {0.01, 0.3, 2};
    for (size_t i = 0; i < 3; i++) {
        double c = rates[i];
        am_klarbring k = am_klarbring_default();
        k.friction = 0.3;
        k.load_rate[1] = c;
        am_system *system = am_klarbring_create(&k, NULL);
        am_motion *motion = am_motion_create(system, false, NULL);
        assert_non_null(motion);
        const double q[2] = {0, 1};
        am_motion_seek_final(motion, true);
        assert_int_equal(am_motion_start(motion, 0, q, NULL, NULL), AM_OK);
        assert_near(motion->final_time, sqrt(1 + c * c) / c, 1e-13 / c);
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* From rest under a ramp u1' = r (1 - cos wt): zero once per period, for ever. */
static void slip_that_touches_zero_for_ever_is_final(void **state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        am_klarbring k = am_klarbring_default();
        k.stiffness[0][1] = k.stiffness[1][0] = 0.4;
        k.friction = 0.3;
        k.load_rate[0] = sign;
        k.load_rate[1] = -0.7;
        am_system *system = am_klarbring_create(&k, NULL);
        am_motion *motion = am_motion_create(system, false, NULL);
        assert_non_null(motion);
        assert_int_equal(seek(motion, NULL, NULL, 100), CLAIMED);
        assert_int_equal(am_motion_statistics_get(motion).state_changes, 0);
        assert_int_equal(am_motion_states(motion)[0], sign > 0 ? AM_FORWARD : AM_BACKWARD);
        assert_true(stays_quiet(motion, 3000)); /* about five hundred periods: the rounding of all of them adds up */
        assert_true(am_motion_statistics_get(motion).grazes > 400);
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* At rest, held by friction, nothing grows: final at once. Pushed harder and harder, never. */
static void stick_under_constant_loads_is_final_and_under_a_growing_push_is_not(void **state) {
    (void)state;
    for (int growing = 0; growing <= 1; growing++) {
        am_klarbring k = am_klarbring_default();
        k.friction = 0.5;
        k.load[0] = 0.4;
        k.load[1] = -1;
        k.load_rate[0] = growing ? 1e-3 : 0;
        am_system *system = am_klarbring_create(&k, NULL);
        am_motion *motion = am_motion_create(system, false, NULL);
        assert_non_null(motion);
        assert_int_equal(seek(motion, NULL, NULL, 50), growing ? OPEN_ENDED : CLAIMED);
        assert_int_equal(am_motion_states(motion)[0], AM_STICK);
        am_motion_free(motion);
        am_system_free(system);
    }
}

/* Coming down again: u2 = 1 + t - ... - the load turns at its last break, so nothing may be claimed before. */
static void nothing_is_claimed_while_a_load_has_a_break_ahead(void **state) {
    (void)state;
    static const double times[] = {0, 100, 200}, values[] = {5, 5, -5}, up[] = {0, 1};
    am_load_def pull = {up, am_function_table(3, times, values)};
    am_klarbring k = am_klarbring_default();
    k.friction = 0.3;
    k.extra = &pull;
    k.extra_count = 1;
    am_system *system = am_klarbring_create(&k, NULL);
    am_motion *motion = am_motion_create(system, false, NULL);
    assert_non_null(motion);
    const double q[2] = {0, 5};
    assert_int_equal(seek(motion, q, NULL, 1000), CLAIMED);
    assert_true(am_motion_time(motion) >= 200);
    assert_int_equal(am_motion_states(motion)[0], AM_STICK);
    am_motion_free(motion);
    am_system_free(system);
}

/* Damping wears the swing down, so the claim comes although a swing of the first size would reach the surface. */
static void damping_lets_separation_become_final(void **state) {
    (void)state;
    am_klarbring k = am_klarbring_default();
    k.friction = 0.3;
    k.load[1] = 1;
    k.restitution = 0.9;
    k.damping[0][0] = k.damping[1][1] = 0.05;
    am_system *system = am_klarbring_create(&k, NULL);
    am_motion *motion = am_motion_create(system, false, NULL);
    assert_non_null(motion);
    const double q[2] = {0, 3};
    assert_int_equal(seek(motion, q, NULL, 1000), CLAIMED);
    assert_int_equal(am_motion_states(motion)[0], AM_OPEN);
    assert_true(am_motion_time(motion) > 1 && am_motion_time(motion) < 100);
    assert_true(stays_quiet(motion, 10000));
    am_motion_free(motion);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(separation_is_final_once_the_line_has_left_the_swing_behind),
        cmocka_unit_test(slip_that_touches_zero_for_ever_is_final),
        cmocka_unit_test(stick_under_constant_loads_is_final_and_under_a_growing_push_is_not),
        cmocka_unit_test(nothing_is_claimed_while_a_load_has_a_break_ahead),
        cmocka_unit_test(damping_lets_separation_become_final),
        cmocka_unit_test(claims_for_one_contact_are_never_contradicted),
        cmocka_unit_test(claims_after_tables_and_pulses_are_never_contradicted),
        cmocka_unit_test(claims_for_two_contacts_are_never_contradicted),
        cmocka_unit_test(claims_with_damping_are_never_contradicted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
