/* The rod: its matrices, the four states of eqs. (34)-(37), its starts and units, and what long runs must keep. */
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
#include "near.h"
#include "steps.h"
#include "uniform.h"

static am_rod with(size_t elements, double alpha) {
    am_rod rod = am_rod_default();
    rod.elements = elements;
    rod.alpha = alpha;
    return rod;
}

static am_system *made(const am_rod *rod) {
    am_error err = {0};
    am_system *system = am_rod_create(rod, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static void matrices_are_those_of_eqs_2_and_3_without_the_dragged_node(void **state) {
    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        am_rod rod = with(n, 0.5);
        am_system *system = made(&rod);
        assert_int_equal(am_system_size(system), n);
        assert_int_equal(am_system_contacts(system), n);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                bool last = i + 1 == n, near = i + 1 == j || j + 1 == i;
                assert_near(am_matrix_at(am_system_mass(system), i, j),
                            (i == j ? (last ? 2 : 4)
                             : near ? 1
                                    : 0) /
                                6.0,
                            1e-16);
                assert_near(am_matrix_at(am_system_stiffness(system), i, j),
                            i == j ? (last ? 1 : 2)
                            : near ? -1
                                   : 0,
                            0);
            }
        am_system_free(system);
    }
}

static void contacts_carry_the_weight_and_move_with_the_ground(void **state) {
    (void)state;
    am_rod rod = with(3, 0.7);
    rod.beta = 2;
    am_system *system = made(&rod);
    for (size_t j = 0; j < 3; j++) {
        const am_contact_def *c = am_system_contact(system, j);
        assert_near(am_function_at(&c->hold, 7), j < 2 ? 1 : 0.5, 0);
        assert_near(c->friction, 2, 0);
        assert_near(c->static_friction, 2.7, 1e-15);
        assert_near(c->surface_velocity, -1, 0);
        assert_near(c->tangent[j], 1, 0);
    }
    assert_string_equal(am_system_name(system, 2), "xi3");
    assert_string_equal(am_system_contact(system, 0)->name, "node 1");
    am_system_free(system);
}

/* ---- the four states, as printed ---- */

typedef struct at_start {
    am_contact_state state[2];
    double acceleration[2], T[2];
} at_start;

static at_start look(const am_rod *rod, const double xi[2], const double rate[2]) {
    at_start seen;
    double before[4], after[4], N[2];
    am_system *system = made(rod);
    am_motion *motion = am_motion_create(system, false, NULL);
    assert_non_null(motion);
    assert_int_equal(am_motion_start(motion, 0, xi, rate, NULL), AM_OK);
    memcpy(seen.state, am_motion_states(motion), sizeof seen.state);
    am_motion_rates(motion, before, after);
    seen.acceleration[0] = after[2];
    seen.acceleration[1] = after[3];
    am_motion_forces(motion, N, seen.T);
    am_motion_free(motion);
    am_system_free(system);
    return seen;
}

/* Sums of a few numbers of order 1 to 10. */
static const double rounding = 1e-13;

static void sliding_obeys_eq_34(void **state) {
    (void)state;
    uint64_t seed = 34;
    am_rod rod = with(2, 0.5);
    for (int i = 0; i < 200; i++) {
        double xi[2] = {uniform(&seed, -2, 2), uniform(&seed, -2, 2)};
        double rate[2] = {uniform(&seed, -0.99, 2), uniform(&seed, -0.99, 2)};
        at_start s = look(&rod, xi, rate);
        assert_int_equal(s.state[0], AM_FORWARD);
        assert_int_equal(s.state[1], AM_FORWARD);
        assert_near(4 * s.acceleration[0] + s.acceleration[1] + 12 * xi[0] - 6 * xi[1], 0, 10 * rounding);
        assert_near(s.acceleration[0] + 2 * s.acceleration[1] - 6 * xi[0] + 6 * xi[1], 0, 10 * rounding);
    }
}

static void free_end_sticking_obeys_eq_35(void **state) {
    (void)state;
    uint64_t seed = 35;
    size_t met = 0;
    am_rod rod = with(2, 0.5);
    rod.beta = 20; /* so that nothing is pushed backwards */
    for (int i = 0; i < 500; i++) {
        double xi[2] = {uniform(&seed, -2, 2), uniform(&seed, -2, 2)};
        double rate[2] = {uniform(&seed, -0.99, 2), -1};
        double acceleration = -3 * xi[0] + 1.5 * xi[1];
        double control = -acceleration / 6 + xi[0] - xi[1] - rod.alpha / 2;
        at_start s = look(&rod, xi, rate);
        assert_int_equal(s.state[1] == AM_STICK, control < 0);
        if (s.state[1] != AM_STICK)
            continue;
        met++;
        assert_int_equal(s.state[0], AM_FORWARD);
        assert_near(s.acceleration[0], acceleration, rounding);
        assert_near(s.acceleration[1], 0, rounding);
        assert_near(-s.T[1] - rod.beta / 2, control + rod.alpha / 2, rounding);
    }
    assert_true(met > 50 && met < 450);
}

static void node_1_sticking_obeys_eq_36(void **state) {
    (void)state;
    uint64_t seed = 36;
    size_t met = 0;
    am_rod rod = with(2, 0.5);
    rod.beta = 20; /* so that nothing is pushed backwards */
    for (int i = 0; i < 500; i++) {
        double xi[2] = {uniform(&seed, -2, 2), uniform(&seed, -2, 2)};
        double rate[2] = {-1, uniform(&seed, -0.99, 2)};
        double acceleration = -3 * xi[1] + 3 * xi[0];
        double control = -acceleration / 6 + xi[1] - 2 * xi[0] - rod.alpha;
        at_start s = look(&rod, xi, rate);
        assert_int_equal(s.state[0] == AM_STICK, control < 0);
        if (s.state[0] != AM_STICK)
            continue;
        met++;
        assert_near(s.acceleration[1], acceleration, rounding);
        assert_near(-s.T[0] - rod.beta, control + rod.alpha, rounding);
    }
    assert_true(met > 50 && met < 450);
}

static void both_sticking_obeys_eq_37(void **state) {
    (void)state;
    uint64_t seed = 37;
    size_t met = 0;
    am_rod rod = with(2, 0.5);
    rod.beta = 20; /* so that nothing is pushed backwards */
    for (int i = 0; i < 500; i++) {
        double xi[2] = {uniform(&seed, -2, 2), uniform(&seed, -2, 2)};
        const double rate[2] = {-1, -1};
        double control[2] = {xi[1] - 2 * xi[0] - rod.alpha, xi[0] - xi[1] - rod.alpha / 2};
        at_start s = look(&rod, xi, rate);
        bool both = s.state[0] == AM_STICK && s.state[1] == AM_STICK;
        assert_int_equal(both, control[0] < 0 && control[1] < 0);
        if (!both)
            continue;
        met++;
        assert_near(-s.T[0] - rod.beta, control[0] + rod.alpha, rounding);
        assert_near(-s.T[1] - rod.beta / 2, control[1] + rod.alpha / 2, rounding);
    }
    assert_true(met > 50 && met < 450);
}

/* ---- starts and units ---- */

static void undeformed_at_rest_is_start_41_for_beta_5(void **state) {
    (void)state;
    am_rod rod = with(2, 0.5);
    double xi[2], rate[2];
    am_rod_undeformed(&rod, xi, rate);
    assert_near(xi[0], 7.5, 0);
    assert_near(xi[1], 10, 0);
    assert_near(rate[0], -1, 0);
    assert_near(rate[1], -1, 0);
    at_start s = look(&rod, xi, rate);
    assert_int_equal(s.state[0], AM_STICK);
    assert_int_equal(s.state[1], AM_STICK);
    assert_near(s.T[0], 0, rounding); /* undeformed: friction has nothing to hold */
    assert_near(s.T[1], 0, rounding);
}

static void undeformed_rod_of_any_length_has_no_friction_forces(void **state) {
    (void)state;
    for (size_t n = 1; n <= 12; n++) {
        am_rod rod = with(n, 0.5);
        double xi[12], rate[12], N[12], T[12];
        am_system *system = made(&rod);
        am_motion *motion = am_motion_create(system, false, NULL);
        am_rod_undeformed(&rod, xi, rate);
        assert_int_equal(am_motion_start(motion, 0, xi, rate, NULL), AM_OK);
        am_motion_forces(motion, N, T);
        for (size_t j = 0; j < n; j++) {
            assert_int_equal(am_motion_states(motion)[j], AM_STICK);
            assert_near(T[j], 0, 1e-12); /* displacements up to 360 */
        }
        am_motion_free(motion);
        am_system_free(system);
    }
}

static void physical_data_give_alpha_and_beta_of_eqs_30_and_31(void **state) {
    (void)state;
    am_rod_physical p = am_rod_physical_default();
    assert_near(p.gravity, 9.81, 0);
    p.elements = 4;
    p.density = 7850;
    p.modulus = 2.1e11;
    p.length = 2;
    p.friction = 0.3;
    p.epsilon = 0.1;
    p.velocity = 1e-4;
    am_rod rod;
    double time, length;
    assert_int_equal(am_rod_from_physical(&p, &rod, &time, &length, NULL), AM_OK);
    double L = 0.5, slowness = sqrt(7850 / 2.1e11);
    assert_int_equal(rod.elements, 4);
    assert_near(time, L * slowness, 1e-18);
    assert_near(length, L * slowness * 1e-4, 1e-22);
    assert_near(rod.beta, slowness * 0.3 * 9.81 * L / 1e-4, 1e-13);
    assert_near(rod.alpha, 0.1 * rod.beta, 1e-14);
    assert_int_equal(am_rod_from_physical(&p, &rod, NULL, NULL, NULL), AM_OK);
}

static void refused_physical(am_rod_physical p, const char *field) {
    am_rod rod;
    am_error err = {0};
    assert_int_equal(am_rod_from_physical(&p, &rod, NULL, NULL, &err), AM_ERR_INPUT);
    assert_string_equal(err.field, field);
    assert_true(err.message[0] != '\0');
}

static void physical_faults_are_named(void **state) {
    (void)state;
    const am_rod_physical good = {.elements = 2, 1, 1, 1, 1, 1, 1, 1};
    const double wrong[] = {0, -1, NAN, INFINITY};
    am_rod rod;
    assert_int_equal(am_rod_from_physical(&good, &rod, NULL, NULL, NULL), AM_OK);
    for (size_t i = 0; i < 4; i++) {
        am_rod_physical p = good;
        p.density = wrong[i];
        refused_physical(p, "density");
        p = good;
        p.modulus = wrong[i];
        refused_physical(p, "modulus");
        p = good;
        p.length = wrong[i];
        refused_physical(p, "length");
        p = good;
        p.friction = wrong[i];
        refused_physical(p, "friction");
        p = good;
        p.epsilon = wrong[i];
        refused_physical(p, "epsilon");
        p = good;
        p.velocity = wrong[i];
        refused_physical(p, "velocity");
        p = good;
        p.gravity = wrong[i];
        refused_physical(p, "gravity");
    }
    am_rod_physical p = good;
    p.elements = 0;
    refused_physical(p, "elements");
    p = good;
    p.velocity = 1e-320; /* beta overflows */
    refused_physical(p, "velocity");
}

static void refused(am_rod rod, const char *field) {
    am_error err = {0};
    assert_null(am_rod_create(&rod, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_string_equal(err.field, field);
    assert_true(err.message[0] != '\0');
}

static void faults_are_named(void **state) {
    (void)state;
    const double wrong[] = {0, -1, NAN, INFINITY};
    refused(with(0, 0.5), "elements");
    refused(with(AM_ROD_MOST_ELEMENTS + 1, 0.5), "elements");
    refused(am_rod_default(), "alpha");
    for (size_t i = 0; i < 4; i++) {
        refused(with(2, wrong[i]), "alpha");
        am_rod rod = with(2, 0.5);
        rod.beta = wrong[i];
        refused(rod, "beta");
    }
}

/* ---- motions ---- */

static am_motion *started(const am_system *system, const double *xi, const double *rate) {
    am_error err = {0};
    am_motion *motion = am_motion_create(system, false, &err);
    assert_non_null(motion);
    if (am_motion_start(motion, 0, xi, rate, &err) != AM_OK)
        fail_msg("%s", err.message);
    return motion;
}

static void start_42_leads_to_the_first_motion_of_fig_2(void **state) {
    (void)state;
    const double xi[2] = {0, 0}, rate[2] = {0.5, -1};
    am_rod rod = with(2, 0.5);
    am_system *system = made(&rod);
    am_motion *motion = started(system, xi, rate);
    double stuck = 0, slid = 0, last = 0;
    while (next_event(motion, 3000)) {
        double t = am_motion_time(motion);
        if (am_motion_states(motion)[1] == AM_STICK)
            slid = t - last;
        else
            stuck = t - last;
        last = t;
        assert_int_equal(am_motion_states(motion)[0], AM_FORWARD);
    }
    assert_near(stuck, 0.21458, 5e-6);       /* the digits of section 5 */
    assert_near(stuck + slid, 2.2365, 5e-5); /* T_a of Fig. 2 */
    am_motion_free(motion);
    am_system_free(system);
}

static void alpha_is_the_only_parameter_while_nothing_slides_backwards(void **state) {
    (void)state;
    am_rod rods[2] = {with(2, 1.3), with(2, 1.3)};
    rods[1].beta = 40;
    const double xi[2] = {2, 1}, rate[2] = {0.5, 0.2};
    am_system *systems[2] = {made(&rods[0]), made(&rods[1])};
    am_motion *motions[2] = {started(systems[0], xi, rate), started(systems[1], xi, rate)};
    for (int i = 0; i < 60; i++) {
        for (int k = 0; k < 2; k++)
            assert_true(next_event(motions[k], 1e6));
        /* friction forces of 5 and 40 round differently; the motion is attracted, so differences do not grow */
        assert_near(am_motion_time(motions[0]), am_motion_time(motions[1]), 1e-10);
        for (int j = 0; j < 2; j++)
            assert_int_equal(am_motion_states(motions[0])[j], am_motion_states(motions[1])[j]);
    }
    for (int k = 0; k < 2; k++) {
        am_motion_free(motions[k]);
        am_system_free(systems[k]);
    }
}

/* The document's rule (29) looks at one node at a time; with a consistent mass matrix accelerations jump at a switch
 * and can push a node that sticks elsewhere over its limit at the same instant. */
static void no_stuck_node_is_beyond_its_limit_right_after_a_switch(void **state) {
    (void)state;
    const size_t sizes[] = {3, 4, 5, 10};
    size_t followers = 0;
    uint64_t seed = 29;
    for (size_t k = 0; k < 4; k++) {
        size_t n = sizes[k];
        am_rod rod = with(n, 1.0);
        am_system *system = made(&rod);
        for (int start = 0; start < 5; start++) {
            double xi[10], rate[10], N[10], T[10];
            for (size_t j = 0; j < n; j++) {
                xi[j] = uniform(&seed, -3, 3);
                rate[j] = uniform(&seed, -1, 1);
            }
            am_motion *motion = started(system, xi, rate);
            for (int event = 0; event < 400 && next_event(motion, 1e4); event++) {
                am_motion_forces(motion, N, T);
                for (size_t j = 0; j < n; j++) {
                    double limit = (rod.alpha + rod.beta) * N[j];
                    if (am_motion_states(motion)[j] == AM_STICK)
                        assert_true(fabs(T[j]) <= limit * (1 + 1e-12));
                    else
                        assert_near(fabs(T[j]), rod.beta * N[j], 1e-12);
                }
                for (size_t s = 0; s < am_motion_switches(motion); s++)
                    followers += am_motion_switch(motion, s)->cause == AM_CAUSE_FOLLOW;
            }
            am_motion_free(motion);
        }
        am_system_free(system);
    }
    assert_true(followers > 0); /* otherwise nothing was put to the test */
}

/* One node stops while the other is at rest: each could hold if the other slipped. The law of static friction decides,
 * and says so. */
static void nodes_that_could_hold_for_each_other_are_decided(void **state) {
    (void)state;
    am_error err = {0};
    am_rod rod = am_rod_default();
    rod.alpha = 0.5;
    am_system *system = am_rod_create(&rod, &err);
    am_motion *motion = am_motion_create(system, true, &err);
    assert_non_null(motion);
    const double xi[2] = {-0.8396364285862798, -1.1702602180546657}, v[2] = {-1.7581327233734725, -1.0654454406229719};
    am_step_kind kind = AM_STEP_SPAN;
    assert_int_equal(am_motion_start(motion, 0, xi, v, &err), AM_OK);
    while (kind != AM_STEP_END)
        assert_int_equal(am_motion_step(motion, 50, &kind, &err), AM_OK);
    assert_int_equal(am_motion_statistics_get(motion).static_choices, 1);
    am_motion_free(motion);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_could_hold_for_each_other_are_decided),
        cmocka_unit_test(matrices_are_those_of_eqs_2_and_3_without_the_dragged_node),
        cmocka_unit_test(contacts_carry_the_weight_and_move_with_the_ground),
        cmocka_unit_test(sliding_obeys_eq_34),
        cmocka_unit_test(free_end_sticking_obeys_eq_35),
        cmocka_unit_test(node_1_sticking_obeys_eq_36),
        cmocka_unit_test(both_sticking_obeys_eq_37),
        cmocka_unit_test(undeformed_at_rest_is_start_41_for_beta_5),
        cmocka_unit_test(undeformed_rod_of_any_length_has_no_friction_forces),
        cmocka_unit_test(physical_data_give_alpha_and_beta_of_eqs_30_and_31),
        cmocka_unit_test(physical_faults_are_named),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(start_42_leads_to_the_first_motion_of_fig_2),
        cmocka_unit_test(alpha_is_the_only_parameter_while_nothing_slides_backwards),
        cmocka_unit_test(no_stuck_node_is_beyond_its_limit_right_after_a_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
