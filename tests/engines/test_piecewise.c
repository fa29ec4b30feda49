/* The engine of piecewise linear motions: what it keeps from one structure to the next, and its multipliers against
 * those of `orbit`, which follows the same motions by other means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/orbit.h"
#include "amontons/stability.h"
#include "cases.h"
#include "dense_system.h"
#include "engines/piecewise/piecewise.h"
#include "errors.h"
#include "near.h"
#include "random_system.h"
#include "results.h"

/* Two coordinates, a slider behind a spring whose normal force swings with the load. */
typedef struct rig {
    double mass[4], damping[4], stiffness[4], circulatory[4], tangent[2], direction[2];
    am_contact_def contact;
    am_load_def load;
} rig;

static const double frequency = 1.1;

static void draw(random_source *source, rig *r) {
    random_definite(source, 2, 0.6, 0.5, r->mass);
    random_definite(source, 2, 0.15, 0.1, r->damping);
    random_definite(source, 2, 0.8, 1.0, r->stiffness);
    for (size_t i = 0; i < 4; i++)
        r->circulatory[i] = random_between(source, -0.05, 0.05);
    for (size_t i = 0; i < 2; i++) {
        r->tangent[i] = random_between(source, 0.5, 1.0);
        r->direction[i] = random_between(source, 0.5, 1.0);
    }
    r->contact = am_contact_def_default();
    r->contact.normal_law = AM_HELD;
    /* An amplitude of exactly one half of the time: one is a number like any other. */
    r->contact.hold = am_function_sine(random_chance(source, 0.5) ? 1.0 : random_between(source, 0.5, 1.5), frequency,
                                       random_between(source, 0.0, 6.0));
    r->contact.hold.value = 2.0;
    r->contact.friction = random_between(source, 0.2, 0.5);
    r->contact.tangential_stiffness = random_between(source, 0.5, 2.0);
    r->load.function = am_function_sine(random_between(source, 2.0, 4.0), frequency, 0.0);
}

static am_system *build(const rig *r, bool circulatory) {
    am_system_def def = am_system_def_default();
    am_contact_def contact = r->contact;
    am_load_def load = r->load;
    am_matrix *around = circulatory ? am_matrix_dense(2, 2, r->circulatory, NULL) : NULL;
    contact.tangent = r->tangent;
    load.direction = r->direction;
    def.n = 2;
    def.contact_count = def.load_count = 1;
    def.contacts = &contact;
    def.loads = &load;
    def.circulatory = around;
    am_system *system = dense_system(def, r->mass, r->damping, r->stiffness);
    am_matrix_free(around);
    return system;
}

static const double two_pi = 6.28318530717958647692;

/* The orbit's numbers: state, then multipliers. False: none closes from rest. */
static bool close_orbit(am_piecewise *engine, const am_system *system, double *numbers, size_t *count) {
    const double guess[5] = {0};
    am_piecewise_orbit orbit;
    am_error err = {0};
    GOOD(am_piecewise_set(engine, system, err));
    if (am_piecewise_close(engine, two_pi / frequency, guess, &(am_piecewise_question){0}, &orbit, &err))
        return false;
    memcpy(numbers, orbit.state, orbit.dimension * sizeof *numbers);
    for (size_t i = 0; i < orbit.count; i++) {
        numbers[orbit.dimension + 2 * i] = orbit.re[i];
        numbers[orbit.dimension + 2 * i + 1] = orbit.im[i];
    }
    *count = orbit.dimension + 2 * orbit.count;
    return true;
}

static am_piecewise *new_engine(void) {
    am_error err = {0};
    am_piecewise *engine = am_piecewise_create(&err);
    assert_non_null(engine);
    return engine;
}

/* Each number of the structure is changed alone: exponentials that are kept must not be those of the one before. */
static void an_engine_that_is_used_again_forgets_the_structure_before(void **state) {
    (void)state;
    enum { NUMBERS = 19 };
    size_t compared = 0;
    for (size_t seed = 0; seed < CASES(4, 2); seed++) {
        random_source source = random_seed(500 + seed);
        rig first, r;
        draw(&source, &first);
        am_piecewise *used = new_engine();
        for (size_t k = 0; k < NUMBERS; k++) {
            double base_numbers[16], again[16], fresh[16];
            size_t count, other;
            r = first;
            double *const number[NUMBERS] = {&r.mass[0],
                                             &r.mass[3],
                                             &r.damping[0],
                                             &r.damping[1],
                                             &r.damping[2],
                                             &r.damping[3],
                                             &r.stiffness[0],
                                             &r.stiffness[3],
                                             &r.circulatory[0],
                                             &r.circulatory[1],
                                             &r.circulatory[2],
                                             &r.circulatory[3],
                                             &r.tangent[0],
                                             &r.tangent[1],
                                             &r.direction[1],
                                             &r.contact.hold.amplitude,
                                             &r.contact.friction,
                                             &r.contact.tangential_stiffness,
                                             &r.load.function.amplitude};
            am_system *base = build(&first, true);
            bool known = close_orbit(used, base, base_numbers, &count);
            *number[k] *= 1.05;
            am_system *system = build(&r, true);
            am_piecewise *new = new_engine();
            bool found = close_orbit(new, system, fresh, &other);
            assert_int_equal(close_orbit(used, system, again, &count), found);
            if (found) {
                bool differs = !known;
                for (size_t i = 0; i < other && known; i++)
                    differs = differs || base_numbers[i] != fresh[i];
                assert_true(differs); /* every number plays a part */
                assert_int_equal(count, other);
                for (size_t i = 0; i < count; i++)
                    assert_near(again[i], fresh[i], 0.0); /* the same operations: the same bits */
            }
            compared += known && found;
            am_piecewise_free(new);
            am_system_free(system);
            am_system_free(base);
        }
        am_piecewise_free(used);
    }
    assert_true(compared >= CASES(60, 30)); /* of 76: most orbits close from rest */
}

static int larger_first(const void *a, const void *b) {
    const double *x = a, *y = b;
    return *x > *y ? -1 : *x < *y;
}

/* `orbit` starts from rest, lets the motion settle and closes it with the time engine of rigid switches. */
static void multipliers_are_those_of_orbit_where_the_normal_force_swings(void **state) {
    (void)state;
    size_t compared = 0;
    for (size_t seed = 0; seed < CASES(24, 4); seed++) {
        random_source source = random_seed(900 + seed);
        rig r;
        draw(&source, &r);
        am_system *system = build(&r, false);
        am_piecewise *engine = new_engine();
        double numbers[16], here[8], there[8];
        size_t count;
        am_error err = {0};
        am_result *result = am_result_create(&err);
        am_orbit_options options = am_orbit_options_default();
        options.samples = 0;
        GOOD(am_orbit_run(system, &options, result, NULL, err));
        if (close_orbit(engine, system, numbers, &count) && number(result, "returns") == 1.0) {
            size_t multipliers = (count - 5) / 2, known = rows(result, "multipliers");
            for (size_t i = 0; i < multipliers; i++)
                here[i] = hypot(numbers[5 + 2 * i], numbers[6 + 2 * i]);
            for (size_t i = 0; i < known; i++)
                there[i] = hypot(cell(table_of(result, "multipliers"), i, "real"),
                                 cell(table_of(result, "multipliers"), i, "imaginary"));
            qsort(here, multipliers, sizeof *here, larger_first);
            qsort(there, known, sizeof *there, larger_first);
            for (size_t i = 0; i < 2; i++)
                assert_near(here[i], there[i], 1e-5); /* the engine closes to 1e-9 of the size or so */
            compared += number(result, "switches") > 0.0;
        }
        am_result_free(result);
        am_piecewise_free(engine);
        am_system_free(system);
    }
    assert_true(compared >= CASES(16, 2));
}

/* Rigid friction sticks and slips: while it sticks, its force follows from the accelerations. */
static void motions_with_rigid_friction_are_those_of_orbit(void **state) {
    (void)state;
    size_t compared = 0;
    for (size_t seed = 0; seed < CASES(24, 4); seed++) {
        random_source source = random_seed(1300 + seed);
        rig r;
        draw(&source, &r);
        r.contact.tangential_stiffness = 0.0;
        r.contact.friction *= 2.0; /* stops */
        am_system *system = build(&r, false);
        am_piecewise *engine = new_engine();
        double numbers[16];
        size_t count;
        am_error err = {0};
        am_result *result = am_result_create(&err);
        am_orbit_options options = am_orbit_options_default();
        options.samples = 2;
        GOOD(am_orbit_run(system, &options, result, NULL, err));
        if (close_orbit(engine, system, numbers, &count) && number(result, "returns") == 1.0 &&
            number(result, "stops") > 0.0) {
            static const char *const names[] = {"q1", "q2", "v1", "v2"};
            const am_table *samples = table_of(result, "samples");
            assert_near(cell(samples, 0, "t"), 0.0, 0.0);
            for (size_t i = 0; i < 4; i++)
                assert_near(numbers[i], cell(samples, 0, names[i]), 1e-6); /* the engine closes to 1e-9 or so */
            double largest = 0.0;
            for (size_t i = 4; i < count; i += 2)
                largest = fmax(largest, hypot(numbers[i], numbers[i + 1]));
            assert_near(largest, number(result, "multiplier"), 1e-5);
            compared++;
        }
        am_result_free(result);
        am_piecewise_free(engine);
        am_system_free(system);
    }
    assert_true(compared >= CASES(6, 1));
}

/* Without contacts the motion is linear, and its multipliers are exp(lambda T) of the eigenvalues that `stability`
 * finds, circulatory forces included. */
static void multipliers_of_linear_motions_are_those_of_eigenvalues(void **state) {
    (void)state;
    for (size_t seed = 0; seed < 20; seed++) {
        random_source source = random_seed(1700 + seed);
        rig r;
        draw(&source, &r);
        for (size_t i = 0; i < 4; i++)
            r.circulatory[i] *= 6.0; /* of the size of the damping forces */
        am_system_def def = am_system_def_default();
        am_load_def load = r.load;
        am_matrix *around = am_matrix_dense(2, 2, r.circulatory, NULL);
        load.direction = r.direction;
        def.n = 2;
        def.load_count = 1;
        def.loads = &load;
        def.circulatory = around;
        am_system *system = dense_system(def, r.mass, r.damping, r.stiffness);
        def.load_count = 0;
        am_system *still = dense_system(def, r.mass, r.damping, r.stiffness);
        am_piecewise *engine = new_engine();
        am_stability_options options = am_stability_options_default();
        am_spectrum spectrum = {0};
        double numbers[16], here[4], there[4];
        size_t count;
        GOOD(am_stability_spectrum(still, &options, &spectrum, err));
        assert_true(close_orbit(engine, system, numbers, &count));
        assert_int_equal(count, 12);
        for (size_t i = 0; i < 4; i++) {
            here[i] = hypot(numbers[4 + 2 * i], numbers[5 + 2 * i]);
            there[i] = exp(spectrum.real[i] * two_pi / frequency);
        }
        qsort(here, 4, sizeof *here, larger_first);
        qsort(there, 4, sizeof *there, larger_first);
        for (size_t i = 0; i < 4; i++)
            assert_near(here[i], there[i], 1e-11);
        am_spectrum_clear(&spectrum);
        am_piecewise_free(engine);
        am_system_free(still);
        am_system_free(system);
        am_matrix_free(around);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_engine_that_is_used_again_forgets_the_structure_before),
        cmocka_unit_test(multipliers_are_those_of_orbit_where_the_normal_force_swings),
        cmocka_unit_test(multipliers_of_linear_motions_are_those_of_eigenvalues),
        cmocka_unit_test(motions_with_rigid_friction_are_those_of_orbit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
