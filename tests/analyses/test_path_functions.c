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

/* ---- surfaces that move ---- */

typedef struct drag {
    am_function place, velocity; /* of the surface */
    bool steps;
} drag;

/* Two sliders on surfaces that move as x(t); or, seen from the surfaces, on ones at rest while the ground of their
 * springs moves by -x: a load -K (1, 1) x. */
static am_result *dragged(const drag *d, bool by_surface) {
    static const double stiffness[] = {2, -1, -1, 3}, along[] = {1, 0, 0, 1}, pull[] = {-1, -2};
    am_error err = {0};
    am_contact_def contact[2] = {am_contact_def_default(), am_contact_def_default()};
    for (size_t c = 0; c < 2; c++) {
        contact[c].tangent = along + 2 * c;
        contact[c].normal_law = AM_HELD;
        contact[c].hold = am_function_sine(d->steps ? 0 : 0.2, 0.7, 1);
        contact[c].hold.value = 1;
        contact[c].friction = c ? 0.2 : 0.3;
        if (by_surface)
            contact[c].surface_motion = d->velocity;
    }
    const am_load_def load = {pull, d->place};
    am_system_def def = am_system_def_default();
    def.n = def.contact_count = 2;
    def.contacts = contact;
    def.load_count = !by_surface;
    def.loads = &load;
    am_system *system = dense_system(def, NULL, NULL, stiffness);
    am_path_options options = am_path_options_default();
    options.until = until;
    options.samples = 7;
    if (d->steps) {
        options.method = AM_PATH_INCREMENTAL;
        options.steps = 400;
    }
    am_result *result = am_result_create(&err);
    GOOD(am_path_run(system, &options, result, NULL, err));
    am_system_free(system);
    return result;
}

static double sample(const am_result *result, size_t row, const char *column) {
    const am_table *table = am_result_find_table(result, "samples");
    return am_table_number(table, row, am_table_find_column(table, column));
}

static void check_drag(const drag *d) {
    am_result *outside = dragged(d, true), *inside = dragged(d, false);
    size_t rows = am_table_rows(am_result_find_table(outside, "samples"));
    assert_int_equal(rows, am_table_rows(am_result_find_table(inside, "samples")));
    for (size_t i = 0; i < rows; i++) {
        double t = sample(outside, i, "t"), x = am_function_at(&d->place, t);
        assert_near(sample(inside, i, "t"), t, 1e-12);
        assert_near(sample(outside, i, "q1"), sample(inside, i, "q1") + x, 1e-11); /* corners: rounding over a rate */
        assert_near(sample(outside, i, "q2"), sample(inside, i, "q2") + x, 1e-11);
    }
    assert_near(am_result_find(outside, "loss_friction")->number, am_result_find(inside, "loss_friction")->number,
                1e-12);
    if (!d->steps)
        assert_near(am_result_find(outside, "energy_residual")->number, 0, 1e-13);
    am_result_free(outside);
    am_result_free(inside);
}

/* Sine, ramp of the velocity, linear table of the velocity, spline, chirp and pulse. */
static void a_path_on_surfaces_that_move_is_that_of_a_dragged_ground(void **state) {
    (void)state;
    static const double times[] = {0, 0.7, 1.5, 2.2, 3, 4.1, 5, 6}, values[] = {0, 1.2, -0.4, 1.5, -1.6, 0.3, 0.9, 0};
    double moments[8];
    am_function spline = am_function_table(8, times, values), line = spline;
    GOOD(am_function_spline(&spline, moments, err));
    spline.moments = moments;
    const am_function places[] = {am_function_sine(1.3, 1.7, 0),     am_function_ramp(0, 0.3),      spline, line,
                                  am_function_chirp(1.2, 0.4, 3, 6), am_function_pulse(1.5, 0.5, 4)};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int steps = 0; steps < 2; steps++) {
            drag d = {.place = places[k], .velocity = places[k], .steps = steps};
            if (k == 0)
                d.velocity = am_function_sine(1.3 * 1.7, 1.7, 1.5707963267948966);
            else if (k == 1)
                d.velocity = am_function_constant(0.3);
            else
                d.velocity.derivative = 1;
            check_drag(&d);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_under_a_chirp_is_that_of_its_points),
        cmocka_unit_test(a_path_under_a_spline_is_that_of_its_points),
        cmocka_unit_test(a_path_on_surfaces_that_move_is_that_of_a_dragged_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
