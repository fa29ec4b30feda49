/* Klarbring's mass: critical friction, the sector of three states, mirror symmetry, faults by name. */
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
#include "amontons/states.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"

static am_klarbring with(double k11, double k21, double k22, double friction) {
    am_klarbring k = am_klarbring_default();
    k.stiffness[0][0] = k11;
    k.stiffness[0][1] = k.stiffness[1][0] = k21;
    k.stiffness[1][1] = k22;
    k.friction = friction;
    return k;
}

static void critical_friction_is_k11_over_the_size_of_k21(void **state) {
    (void)state;
    am_klarbring k = with(3, 2, 5, 0.1);
    assert_near(am_klarbring_critical_friction(&k), 1.5, 0);
    k = with(3, -2, 5, 0.1);
    assert_near(am_klarbring_critical_friction(&k), 1.5, 0);
    k = with(3, 0, 5, 0.1);
    assert_true(isinf(am_klarbring_critical_friction(&k)));
}

/* ---- the bisector ---- */

/* How many states does the quasi-static rate problem admit under these rates? */
static size_t states_under(const am_klarbring *k, const double rates[2]) {
    am_system *system = am_klarbring_create(k, NULL);
    am_result *result = am_result_create(NULL);
    assert_non_null(system);
    assert_non_null(result);
    am_states_options options = am_states_options_default();
    options.rates = rates;
    assert_int_equal(am_states_run(system, &options, result, NULL, NULL), AM_OK);
    const am_scalar *admissible = am_result_find(result, "admissible");
    assert_non_null(admissible);
    size_t count = 0;
    if (admissible->text)
        for (int s = 0; s < 4; s++)
            count += strstr(admissible->text, am_contact_state_name((am_contact_state)s)) != NULL;
    am_result_free(result);
    am_system_free(system);
    return count;
}

/* The angle from the bisector at which the number of states changes, found without any formula for it. */
static double half_width(const am_klarbring *k, const double direction[2], double sign) {
    double low = 0, high = 1.5;
    for (int i = 0; i < 50; i++) {
        double angle = 0.5 * (low + high), c = cos(angle), s = sign * sin(angle);
        const double rates[2] = {c * direction[0] - s * direction[1], s * direction[0] + c * direction[1]};
        if (states_under(k, rates) == 3)
            low = angle;
        else
            high = angle;
    }
    return low;
}

static void bisector_halves_the_sector_of_three_states_for_both_signs_of_coupling(void **state) {
    (void)state;
    const double cases[][4] = {{1, 1, 2, 1.25}, {1, -1, 2, 1.25}, {2, 1.5, 3, 4}, {2, -1.5, 3, 4}, {1, -0.9, 1, 1.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        am_klarbring k = with(cases[i][0], cases[i][1], cases[i][2], cases[i][3]);
        double direction[2];
        assert_int_equal(am_klarbring_bisector(&k, direction, NULL), AM_OK);
        assert_near(hypot(direction[0], direction[1]), 1, 1e-15);
        assert_int_equal(states_under(&k, direction), 3);
        double left = half_width(&k, direction, 1), right = half_width(&k, direction, -1);
        assert_true(left > 1e-3);
        assert_near(left, right, 1e-9); /* `states` keeps a little distance from the borders of sectors */
    }
}

static void bisector_of_the_mirrored_support_is_the_mirrored_one(void **state) {
    (void)state;
    am_klarbring k = with(2, 1.7, 3, 2), mirror = with(2, -1.7, 3, 2);
    double direction[2], image[2];
    assert_int_equal(am_klarbring_bisector(&k, direction, NULL), AM_OK);
    assert_int_equal(am_klarbring_bisector(&mirror, image, NULL), AM_OK);
    assert_near(image[0], -direction[0], 0);
    assert_near(image[1], direction[1], 0);
}

static void without_a_sector_there_is_nothing_to_bisect(void **state) {
    (void)state;
    const double frictions[] = {0, 0.9, 1};
    for (size_t i = 0; i < 3; i++) {
        am_klarbring k = with(1, 1, 2, frictions[i]);
        double direction[2];
        am_error err = {0};
        assert_int_equal(am_klarbring_bisector(&k, direction, &err), AM_ERR_INPUT);
        assert_string_equal(err.field, "load_rate");
        assert_says(&err, "critical");
    }
}

/* ---- the system ---- */

static void the_system_is_the_one_of_the_paper(void **state) {
    (void)state;
    am_klarbring k = with(2, 0.5, 3, 0.4);
    k.damping[0][0] = 0.1;
    k.mass = 7;
    k.gap = 0.25;
    k.load[0] = 1;
    k.load_rate[1] = -2;
    k.support_amplitude[1] = 0.5;
    k.support_frequency = 3;
    am_system *system = am_klarbring_create(&k, NULL);
    assert_non_null(system);
    assert_int_equal(am_system_size(system), 2);
    assert_string_equal(am_system_name(system, 0), "u1");
    assert_string_equal(am_system_name(system, 1), "u2");
    assert_near(am_matrix_at(am_system_mass(system), 1, 1), 7, 0);
    assert_near(am_matrix_at(am_system_mass(system), 0, 1), 0, 0);
    assert_near(am_matrix_at(am_system_damping(system), 0, 0), 0.1, 0);
    assert_near(am_matrix_at(am_system_stiffness(system), 1, 0), 0.5, 0);
    const am_contact_def *plane = am_system_contact(system, 0);
    assert_string_equal(plane->name, "plane");
    assert_near(plane->gap, 0.25, 0);
    assert_near(plane->normal[1], 1, 0);
    assert_near(plane->tangent[0], 1, 0);
    assert_near(plane->static_friction, 0.4, 0);
    assert_int_equal(am_system_loads(system), 3); /* F1, F2 and the one component of the support that moves */
    assert_near(am_function_at(&am_system_load(system, 0)->function, 5), 1, 0);
    assert_near(am_function_at(&am_system_load(system, 1)->function, 5), -10, 0);
    /* -M s'' with s = 0.5 sin 3t */
    assert_near(am_function_at(&am_system_load(system, 2)->function, 0.2), 7 * 9 * 0.5 * sin(0.6), 1e-14 * 31.5);
    am_system_free(system);
}

static void refused(const am_klarbring *k, const char *field) {
    am_error err = {0};
    am_system *system = am_klarbring_create(k, &err);
    assert_null(system);
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_string_equal(err.field, field);
    assert_true(err.message[0] != '\0');
}

static void faults_are_named_as_fields_of_this_model(void **state) {
    (void)state;
    const am_klarbring good = with(1, 0.5, 1, 0.3);
    am_klarbring k = good;
    const double masses[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < 4; i++) {
        k.mass = masses[i];
        refused(&k, "mass");
    }
    k = with(1, 1, 1, 0.3); /* semidefinite */
    refused(&k, "stiffness");
    k = with(-1, 0, 1, 0.3);
    refused(&k, "stiffness");
    k = with(1, NAN, 1, 0.3);
    refused(&k, "stiffness");
    k = good;
    k.stiffness[0][1] = 0.4;
    refused(&k, "stiffness");
    k = good;
    k.friction = -0.1;
    refused(&k, "friction");
    k.friction = NAN;
    refused(&k, "friction");
    k = good;
    k.static_friction = 0.2;
    refused(&k, "static_friction");
    k = good;
    k.restitution = 1.1;
    refused(&k, "restitution");
    k = good;
    k.gap = INFINITY;
    refused(&k, "gap");
    k = good;
    k.support_frequency = -1;
    refused(&k, "support.frequency");
}

static void faults_of_extra_loads_are_numbered_among_these(void **state) {
    (void)state;
    static const double axis[] = {1, 0}, nothing[] = {0, 0};
    am_load_def extra[2] = {{axis, am_function_constant(1)}, {axis, am_function_pulse(1, 0, -2)}};
    am_klarbring k = with(1, 0.5, 1, 0.3);
    k.support_amplitude[0] = k.support_amplitude[1] = 1;
    k.support_frequency = 1;
    k.extra = extra;
    k.extra_count = 2;
    refused(&k, "loads[1].function.duration");
    extra[0].direction = nothing;
    refused(&k, "loads[0].direction");
}

static void faults_of_loads_and_damping_that_are_not_numbers_are_refused(void **state) {
    (void)state;
    am_klarbring k = with(1, 0.5, 1, 0.3);
    k.load_rate[1] = NAN;
    am_error err = {0};
    assert_null(am_klarbring_create(&k, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    k = with(1, 0.5, 1, 0.3);
    k.damping[1][0] = NAN;
    assert_null(am_klarbring_create(&k, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    k = with(1, 0.5, 1, 0.3);
    k.support_amplitude[0] = NAN;
    k.support_frequency = 1;
    assert_null(am_klarbring_create(&k, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
}

/* ---- mirror symmetry ---- */

static am_contact_state mirrored(am_contact_state s) {
    return s == AM_FORWARD ? AM_BACKWARD : s == AM_BACKWARD ? AM_FORWARD : s;
}

/* Both motions side by side until `until`, or until neither can go on; returns how many events were compared. */
static size_t compare_events(am_motion *motion, am_motion *image, const double v[2], double until) {
    const double origin[2] = {0, 0}, other[2] = {-v[0], v[1]};
    size_t events = 0;
    am_status status = am_motion_start(motion, 0, origin, v, NULL);
    assert_int_equal(am_motion_start(image, 0, origin, other, NULL), status);
    while (status == AM_OK) {
        am_step_kind kind, image_kind;
        assert_int_equal(am_motion_states(image)[0], mirrored(am_motion_states(motion)[0]));
        /* The same arithmetic up to signs: rounding, amplified by what the events in between amplify. */
        assert_near(am_motion_time(image), am_motion_time(motion), 1e-9);
        assert_near(am_motion_displacement(image)[0], -am_motion_displacement(motion)[0], 1e-9 * (1 + until));
        assert_near(am_motion_displacement(image)[1], am_motion_displacement(motion)[1], 1e-9 * (1 + until));
        status = am_motion_step(motion, until, &kind, NULL);
        assert_int_equal(am_motion_step(image, until, &image_kind, NULL), status);
        assert_int_equal(kind, image_kind);
        if (kind == AM_STEP_END)
            break;
        events += kind == AM_STEP_EVENT;
    }
    return events;
}

static void turning_the_sign_of_the_coupling_swaps_forward_and_backward(void **state) {
    (void)state;
    size_t events = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        random_source source = random_seed(seed);
        double k11 = random_between(&source, 0.5, 2), k22 = random_between(&source, 0.5, 2);
        am_klarbring k =
            with(k11, random_between(&source, -0.9, 0.9) * sqrt(k11 * k22), k22, random_between(&source, 0.1, 1.5));
        k.restitution = seed % 4 == 0 ? 0.5 : 0;
        k.static_friction = seed % 5 == 0 ? 1.3 * k.friction : 0;
        for (size_t i = 0; i < 2; i++) {
            k.load[i] = random_between(&source, -1, i == 0 ? 1 : 0);
            k.load_rate[i] = random_between(&source, -1, i == 0 ? 1 : 0.2);
        }
        am_klarbring mirror = k;
        mirror.stiffness[0][1] = mirror.stiffness[1][0] = -k.stiffness[0][1];
        mirror.load[0] = -k.load[0];
        mirror.load_rate[0] = -k.load_rate[0];
        am_system *system = am_klarbring_create(&k, NULL), *other = am_klarbring_create(&mirror, NULL);
        am_motion *motion = am_motion_create(system, true, NULL), *image = am_motion_create(other, true, NULL);
        assert_non_null(motion);
        assert_non_null(image);
        const double v[2] = {random_between(&source, -2, 2), random_between(&source, 0, 2)};
        events += compare_events(motion, image, v, 25);
        am_motion_free(motion);
        am_motion_free(image);
        am_system_free(system);
        am_system_free(other);
    }
    assert_true(events > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(critical_friction_is_k11_over_the_size_of_k21),
        cmocka_unit_test(bisector_halves_the_sector_of_three_states_for_both_signs_of_coupling),
        cmocka_unit_test(bisector_of_the_mirrored_support_is_the_mirrored_one),
        cmocka_unit_test(without_a_sector_there_is_nothing_to_bisect),
        cmocka_unit_test(the_system_is_the_one_of_the_paper),
        cmocka_unit_test(faults_are_named_as_fields_of_this_model),
        cmocka_unit_test(faults_of_extra_loads_are_numbered_among_these),
        cmocka_unit_test(faults_of_loads_and_damping_that_are_not_numbers_are_refused),
        cmocka_unit_test(turning_the_sign_of_the_coupling_swaps_forward_and_backward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
