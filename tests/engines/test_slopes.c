/* The derivative of a motion with respect to numbers of its model, through switches and impacts, against differences of
 * exact runs of structures whose numbers differ. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/motion.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "steps.h"

enum { MASS, STIFFNESS, FRICTION, DROP, RESTITUTION, BELT, SPRING, WEIGHT, SINE, FREQUENCY, GAP, NUMBERS };
static const char *const names[NUMBERS] = {"mass",   "stiffness", "friction", "drop",      "restitution", "belt",
                                           "spring", "weight",    "sine",     "frequency", "gap"};

/* A mass on springs in two directions above a plane; with a spring behind its slider it is held. `context`: which. */
static am_system *make(void *context, const double *p, am_error *err) {
    static const double axis[2][2] = {{1, 0}, {0, 1}};
    const double mass[4] = {p[MASS], 0.2, 0.2, 1.5}, stiffness[4] = {p[STIFFNESS], 0.3, 0.3, 3};
    const double damping[4] = {0.1, 0, 0, 0.05};
    am_contact_def contact = am_contact_def_default();
    contact.normal = axis[1];
    contact.tangent = axis[0];
    contact.gap = p[GAP];
    contact.friction = p[FRICTION];
    contact.static_friction = p[FRICTION] + p[DROP];
    contact.restitution = p[RESTITUTION];
    contact.surface_velocity = p[BELT];
    if (*(const bool *)context) {
        contact.normal_law = AM_HELD;
        contact.normal = NULL;
        contact.tangential_stiffness = p[SPRING];
        contact.hold = am_function_sine(0.4 * p[WEIGHT], 0.7 * p[FREQUENCY], 0.3);
        contact.hold.value = p[WEIGHT];
    }
    am_load_def loads[2] = {{axis[1], am_function_constant(-p[WEIGHT])},
                            {axis[0], am_function_sine(p[SINE], p[FREQUENCY], 0.1)}};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 2;
    def.loads = loads;
    am_matrix *const matrices[3] = {am_matrix_dense(2, 2, mass, NULL), am_matrix_dense(2, 2, damping, NULL),
                                    am_matrix_dense(2, 2, stiffness, NULL)};
    def.mass = matrices[0], def.damping = matrices[1], def.stiffness = matrices[2];
    am_system *system = am_system_create(&def, err);
    for (size_t i = 0; i < 3; i++)
        am_matrix_free(matrices[i]);
    return system;
}

enum { MOST = 8 };

/* State at the end, and the time of the last event. */
typedef struct outcome {
    double state[MOST], last;
    size_t events;
} outcome;

static outcome run(bool slider, const double *p, const double *start, double until) {
    am_error err = {0};
    am_system *system = make(&slider, p, &err);
    am_motion *motion = am_motion_create(system, false, &err);
    outcome o = {.last = 0};
    assert_int_equal(am_motion_start_state(motion, 0, start, &err), AM_OK);
    while (next_event(motion, until)) {
        o.last = am_motion_time(motion);
        o.events++;
    }
    memcpy(o.state, am_motion_state(motion), am_motion_dimension(motion) * sizeof *o.state);
    am_motion_free(motion);
    am_system_free(system);
    return o;
}

/* Differences of fourth order; neighbours have the same events. Error of order h^4, and roundings of 1e-15/h that the
 * motion makes up to 1e3 times larger. */
static size_t check(bool slider, const double *p, const double *start, double until) {
    static const double place[4] = {-2, -1, 1, 2}, weight[4] = {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};
    am_error err = {0};
    size_t all[NUMBERS];
    double slopes[MOST * NUMBERS], events[NUMBERS] = {0};
    for (size_t i = 0; i < NUMBERS; i++)
        all[i] = i;
    const am_model_def def = {.count = NUMBERS, .names = names, .values = p, .make = make, .context = &slider};
    am_model *model = am_model_create(&def, &err);
    am_motion *motion = am_motion_create(am_model_system(model, &err), false, &err);
    assert_int_equal(am_motion_follow_numbers(motion, model, all, NUMBERS, &err), AM_OK);
    assert_int_equal(am_motion_number_slopes(motion, slopes, NULL, &err), AM_ERR_INPUT);
    assert_non_null(strstr(err.message, "has no start"));
    assert_int_equal(am_motion_start_state(motion, 0, start, &err), AM_OK);
    size_t nd = am_motion_dimension(motion), passed = 0;
    while (next_event(motion, until)) {
        assert_int_equal(am_motion_number_slopes(motion, NULL, events, &err), AM_OK);
        passed++;
    }
    assert_int_equal(am_motion_number_slopes(motion, slopes, NULL, &err), AM_OK);
    for (size_t i = 0; i < NUMBERS; i++) {
        double h = 1e-4 * fmax(fabs(p[i]), 0.1), moved[NUMBERS], wanted[MOST] = {0}, when = 0, size = 1;
        if (p[i] == 0 && (i == DROP || i == RESTITUTION || i == GAP || i == BELT))
            continue; /* another kind of structure on the other side of zero */
        memcpy(moved, p, sizeof moved);
        for (size_t k = 0; k < 4; k++) {
            moved[i] = p[i] + place[k] * h;
            outcome o = run(slider, moved, start, until);
            assert_int_equal(o.events, passed);
            for (size_t j = 0; j < nd; j++)
                wanted[j] += weight[k] * o.state[j] / h;
            when += weight[k] * o.last / h;
        }
        for (size_t j = 0; j < nd; j++)
            size = fmax(size, fabs(wanted[j]));
        for (size_t j = 0; j < nd; j++)
            assert_near(slopes[j * NUMBERS + i], wanted[j], 1e-8 * size);
        assert_near(events[i], when, 1e-8 * fmax(1, fabs(when)));
    }
    am_motion_free(motion);
    am_model_free(model);
    return passed;
}

static void rigid_contacts_stick_and_slip(void **state) {
    (void)state;
    const double p[NUMBERS] = {1, 2, 0.3, 0, 0, 0, 1, 2, 1.7, 0.9, 0};
    assert_true(check(false, p, (double[]){0.1, 0, 0.4, 0}, 20) >= 2);
    const double dropping[NUMBERS] = {1, 2, 0.3, 0.2, 0, 0, 1, 2, 1.7, 0.9, 0};
    assert_true(check(false, dropping, (double[]){0.1, 0, 0.4, 0}, 20) >= 2);
}

static void belts_carry(void **state) {
    (void)state;
    const double p[NUMBERS] = {1, 2, 0.3, 0.1, 0, 0.3, 1, 2, 0.2, 0.3, 0};
    assert_true(check(false, p, (double[]){0.1, 0, 0.2, 0}, 15) >= 2);
}

static void impacts_and_bounces(void **state) {
    (void)state;
    const double p[NUMBERS] = {1, 2, 0.3, 0, 0, 0, 1, 2, 1.7, 0.9, 0.5};
    assert_true(check(false, p, (double[]){0.1, 0.2, 0.4, 0.3}, 6) >= 2);
    const double bouncing[NUMBERS] = {1, 2, 0.3, 0, 0.6, 0.2, 1, 1, 1.2, 0.9, 0.5};
    assert_true(check(false, bouncing, (double[]){0.1, 0.2, 0.4, 0.3}, 6) >= 2);
}

static void sliders_behind_springs(void **state) {
    (void)state;
    const double p[NUMBERS] = {1, 2, 0.3, 0, 0, 0, 1.5, 2, 1.7, 0.9, 0};
    assert_true(check(true, p, (double[]){0.1, -0.6, 0.4, 0, 0.05}, 20) >= 2);
    const double dropping[NUMBERS] = {1, 2, 0.3, 0.06, 0, 0, 1.5, 2, 1.7, 0.9, 0};
    assert_true(check(true, dropping, (double[]){0.1, -0.6, 0.4, 0, 0.05}, 20) >= 2);
}

static void random_sliders(void **state) {
    (void)state;
    size_t events = 0;
    for (uint64_t seed = 1; seed <= CASES(20, 3); seed++) {
        random_source source = random_seed(seed);
        const double low[NUMBERS] = {0.8, 1, 0.2, 0, 0, 0, 1, 1.5, 1.2, 0.6, 0};
        const double high[NUMBERS] = {1.5, 3, 0.4, 0, 0, 0, 3, 2.5, 2.0, 1.2, 0};
        double p[NUMBERS];
        for (size_t i = 0; i < NUMBERS; i++)
            p[i] = random_between(&source, low[i], high[i]);
        events += check(true, p, (double[]){random_between(&source, -0.3, 0.3), -0.6, 0.4, 0, 0.05}, 12);
    }
    assert_true(events >= CASES(60, 9));
}

static void what_has_no_derivative_says_so(void **state) {
    (void)state;
    bool slider = false;
    am_error err = {0};
    const double p[NUMBERS] = {1, 2, 0.3, 0, 0, 0, 1, 2, 1.7, 0.9, 0};
    const am_model_def def = {.count = NUMBERS, .names = names, .values = p, .make = make, .context = &slider};
    am_model *model = am_model_create(&def, &err);
    am_motion *motion = am_motion_create(am_model_system(model, &err), false, &err);
    assert_int_equal(am_motion_number_slopes(motion, NULL, NULL, &err), AM_ERR_INPUT);
    assert_int_equal(am_motion_follow_numbers(motion, model, (size_t[]){NUMBERS}, 1, &err), AM_ERR_INPUT);
    assert_int_equal(am_motion_follow_numbers(motion, NULL, (size_t[]){0}, 1, &err), AM_ERR_INPUT);
    am_motion_free(motion);
    am_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_contacts_stick_and_slip),
        cmocka_unit_test(belts_carry),
        cmocka_unit_test(impacts_and_bounces),
        cmocka_unit_test(sliders_behind_springs),
        cmocka_unit_test(random_sliders),
        cmocka_unit_test(what_has_no_derivative_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
