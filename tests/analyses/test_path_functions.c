/* Quasi-static paths under chirps and splines: those under the same functions given by thousands of points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "amontons/path.h"
#include "amontons/system.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "results.h"

enum { POINTS = 6000 };
static const double until = 6;

/* Two sliders, coupled. */
static am_result *follow(am_function function) {
    static const double stiffness[] = {2, -1, -1, 3}, along[] = {1, 0, 0, 1}, direction[] = {1, 0.3};
    am_error err = {0};
    am_contact_def contact[2] = {am_contact_def_default(), am_contact_def_default()};
    for (size_t c = 0; c < 2; c++) {
        contact[c].tangent = along + 2 * c;
        contact[c].normal_law = AM_HELD;
        contact[c].hold = am_function_constant(1);
        contact[c].friction = c ? 0.2 : 0.3;
    }
    const am_load_def load = {direction, function};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 2;
    def.contacts = contact;
    def.load_count = 1;
    def.loads = &load;
    am_system *system = dense_system(def, NULL, NULL, stiffness);
    am_path_options options = am_path_options_default();
    options.until = until;
    am_result *result = am_result_create(&err);
    GOOD(am_path_run(system, &options, result, NULL, err));
    am_system_free(system);
    return result;
}

/* A chord lies below its arc by f'' h^2/8, h = 1e-3: some 1e-6 of the forces, and less of what they do over a path. */
static void check_against_points(am_function function) {
    double *times = malloc(POINTS * sizeof *times), *values = malloc(POINTS * sizeof *values);
    assert_true(times && values);
    for (size_t i = 0; i < POINTS; i++) {
        times[i] = until * (double)i / (POINTS - 1);
        values[i] = am_function_at(&function, times[i]);
    }
    am_result *exact = follow(function), *points = follow(am_function_table(POINTS, times, values));
    assert_true(am_table_rows(am_result_find_table(exact, "corners")) > 8);
    assert_int_equal(am_table_rows(am_result_find_table(exact, "corners")),
                     am_table_rows(am_result_find_table(points, "corners")));
    assert_near(am_result_find(exact, "loss_friction")->number, am_result_find(points, "loss_friction")->number, 2e-6);
    assert_near(am_result_find(exact, "energy_residual")->number, 0, 1e-13);
    am_result_free(exact);
    am_result_free(points);
    free(times);
    free(values);
}

static void a_path_under_a_chirp_is_that_of_its_points(void **state) {
    (void)state;
    am_function sine = am_function_sine(0.3, 4, 1), chirp = am_function_chirp(1.5, 0.5, 3, 6);
    check_against_points(chirp);
    sine.plus = &chirp;
    check_against_points(sine);
}

static void a_path_under_a_spline_is_that_of_its_points(void **state) {
    (void)state;
    static const double times[] = {0, 0.7, 1.5, 2.2, 3, 4.1, 5, 6}, values[] = {0, 1.2, -0.4, 1.5, -1.6, 0.3, 0.9, 0};
    double moments[8];
    am_function spline = am_function_table(8, times, values);
    GOOD(am_function_spline(&spline, moments, err));
    spline.moments = moments;
    check_against_points(spline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_under_a_chirp_is_that_of_its_points),
        cmocka_unit_test(a_path_under_a_spline_is_that_of_its_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
