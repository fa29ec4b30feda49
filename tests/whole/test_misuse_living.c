/* Living objects of the right kind, asked for what they do not have: an index beyond the last, a motion that was never
 * started or whose start failed, work that was stopped before anything moved. */
#include <math.h>
#include <stdlib.h>

#include "amontons/amontons.h"
#include "base/watch.h"
#include "errors.h"

static const size_t beyond[] = {1, 2, 7, (size_t)1 << 40, SIZE_MAX / 8, SIZE_MAX - 1, SIZE_MAX};
enum { BEYOND = sizeof beyond / sizeof *beyond };

static am_system *oscillator(void) {
    am_oscillator model = am_oscillator_default();
    model.beta = 0.5;
    model.Omega = 0.7;
    am_system *system = am_oscillator_create(&model, NULL);
    assert_non_null(system);
    return system;
}

static void an_entry_outside_of_a_matrix_is_no_number(void **state) {
    (void)state;
    const size_t row[] = {0}, column[] = {0};
    const double value[] = {3.0};
    am_matrix *matrices[] = {am_matrix_dense(1, 1, value, NULL), am_matrix_sparse(1, 1, 1, row, column, value, NULL)};
    for (size_t i = 0; i < 2; i++) {
        assert_true(am_matrix_at(matrices[i], 0, 0) == 3.0);
        for (size_t k = 0; k < BEYOND; k++) {
            assert_true(isnan(am_matrix_at(matrices[i], beyond[k], 0)));
            assert_true(isnan(am_matrix_at(matrices[i], 0, beyond[k])));
        }
        am_matrix_free(matrices[i]);
    }
}

static void what_a_structure_does_not_have_is_nothing(void **state) {
    (void)state;
    am_system *system = oscillator();
    assert_string_equal(am_system_name(system, 0), "v");
    assert_non_null(am_system_contact(system, 0));
    for (size_t k = 0; k < BEYOND; k++) {
        assert_string_equal(am_system_name(system, beyond[k]), "");
        assert_null(am_system_contact(system, beyond[k]));
        assert_null(am_system_load(system, am_system_loads(system) - 1 + beyond[k]));
        assert_null(am_system_polynomial(system, am_system_polynomials(system) + beyond[k] - 1));
    }
    am_system_free(system);
}

/* Nothing is known of it, and it does not move. */
static void assert_without_start(am_motion *motion) {
    double q[1] = {0}, v[1] = {0}, normal[1] = {0}, tangential[1] = {0}, rate[2] = {0};
    am_step_kind kind;
    am_error err = {0};
    assert_int_equal(am_motion_step(motion, 1.0, &kind, &err), AM_ERR_INPUT);
    assert_says(&err, "the motion has no start");
    am_motion_at(motion, 0.5, q, v, NULL, tangential);
    am_motion_forces(motion, normal, NULL);
    am_motion_rates(motion, NULL, rate);
    assert_true(isnan(q[0]) && isnan(v[0]) && isnan(normal[0]) && isnan(tangential[0]) && isnan(rate[0]));
    assert_null(am_motion_switch(motion, 0));
    am_motion_statistics_get(motion);
}

static void a_motion_without_a_start_does_not_move(void **state) {
    (void)state;
    am_error err = {0};
    am_step_kind kind;
    const double q[] = {NAN}, there[] = {0.1};
    am_system *system = oscillator();
    for (int energy = 0; energy < 2; energy++) {
        am_motion *motion = am_motion_create(system, energy, NULL);
        am_motion_seek_final(motion, energy);
        assert_without_start(motion);
        assert_int_equal(am_motion_start(motion, 0.0, q, NULL, &err), AM_ERR_INPUT);
        assert_without_start(motion);
        assert_int_equal(am_motion_start_state(motion, 0.0, NULL, &err), AM_ERR_INPUT);
        GOOD(am_motion_start(motion, 0.0, there, NULL, err));
        GOOD(am_motion_step(motion, 1.0, &kind, err));
        assert_null(am_motion_switch(motion, am_motion_switches(motion)));
        assert_int_equal(am_motion_start(motion, INFINITY, there, NULL, &err), AM_ERR_INPUT);
        assert_without_start(motion); /* not that of before either */
        am_motion_free(motion);
    }
    am_system_free(system);
}

static void a_method_that_does_not_exist_is_refused(void **state) {
    (void)state;
    am_error err = {0};
    am_system *system = oscillator();
    am_result *result = am_result_create(NULL);
    am_march_options options = am_march_options_default();
    options.until = 1.0;
    options.step = 0.1;
    options.method = (am_march_method)(AM_MARCH_MOREAU_JEAN + 1);
    assert_int_equal(am_march_run(system, &options, result, NULL, &err), AM_ERR_INPUT);
    assert_says(&err, "there is no method");
    am_result_free(result);
    am_system_free(system);
}

/* ---- stopped before anything moved ---- */

static bool not_wanted(void *context, double fraction) {
    (void)context, (void)fraction;
    return false;
}

/* Masses in a row, so many that the first decision is more than a million operations. */
static am_system *long_row(size_t n) {
    double *diagonal = calloc(n * n, sizeof *diagonal), *direction = calloc(2 * n, sizeof *direction);
    am_contact_def contact = am_contact_def_default();
    am_system_def def = am_system_def_default();
    for (size_t i = 0; i < n; i++)
        diagonal[i * n + i] = 1.0;
    direction[0] = direction[n + 1] = 1.0;
    contact.normal = direction;
    contact.tangent = direction + n;
    contact.friction = 0.25;
    am_matrix *matrix = am_matrix_dense(n, n, diagonal, NULL);
    def.n = n;
    def.mass = def.stiffness = matrix;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = am_system_create(&def, NULL);
    assert_non_null(system);
    am_matrix_free(matrix);
    free(diagonal);
    free(direction);
    return system;
}

static void a_motion_that_is_stopped_before_its_start_leaves_no_part(void **state) {
    (void)state;
    am_error err = {0};
    am_progress progress = {.report = not_wanted, .threads = 1};
    am_system *system = long_row(150);
    am_result *result = am_result_create(NULL);
    am_motion_options options = am_motion_options_default();
    options.until = 1.0;
    assert_int_equal(am_motion_run(system, &options, result, &progress, &err), AM_ERR_INTERRUPTED);
    assert_false(am_watch_marked(result));
    am_result_free(result);
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_entry_outside_of_a_matrix_is_no_number),
        cmocka_unit_test(what_a_structure_does_not_have_is_nothing),
        cmocka_unit_test(a_motion_without_a_start_does_not_move),
        cmocka_unit_test(a_method_that_does_not_exist_is_refused),
        cmocka_unit_test(a_motion_that_is_stopped_before_its_start_leaves_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
