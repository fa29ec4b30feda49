/* Coordinates with neither mass nor damping in the analyses over motions and beside them: a node behind a spring is a spring
 * behind a slider in all of them, and steady sliding has the eigenvalues that a vanishing mass leaves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "near.h"
#include "study_text.h"

/* A mass with a slider behind the spring 2: as a law, and as a node. */
static const char law[] = "  mass: [1]\n  damping: [0.1]\n  stiffness: [1]\n  names: [x]\n"
                          "  contacts: [{name: slider, tangent: [1], law: held, hold: {constant: 1}, friction: 0.5, "
                          "tangential_stiffness: 2}]\n"
                          "  loads: [{direction: [1], sine: {amplitude: 1.5, frequency: 0.9}}]\n";
static const char node[] =
    "  mass: [1, 0]\n  damping: [0.1, 0]\n  stiffness: [[3, -2], [-2, 2]]\n  names: [x, s]\n"
    "  contacts: [{name: slider, tangent: [0, 1], law: held, hold: {constant: 1}, friction: 0.5}]\n"
    "  loads: [{direction: [1, 0], sine: {amplitude: 1.5, frequency: 0.9}}]\n";

static am_run *run(const char *structure, const char *analysis) {
    char text[2048];
    snprintf(text, sizeof text, "title: t\nmodel:\n  kind: structure\n%sanalysis: {kind: %s}\n", structure, analysis);
    return run_text(text);
}

static void assert_same(const am_run *a, const am_run *b, const char *const *names, double tolerance) {
    for (; *names; names++)
        assert_near(scalar(b, *names), scalar(a, *names), tolerance * fmax(1, fabs(scalar(a, *names))));
}

static void orbit_of_a_node_is_that_of_the_law(void **state) {
    (void)state;
    static const char *const names[] = {"period",      "multiplier", "loss_friction", "loss_damping",
                                        "x_amplitude", "x_max",      "switches",      NULL};
    am_run *a = run(law, "orbit, transient: 30"), *b = run(node, "orbit, transient: 30");
    assert_same(a, b, names, 1e-12);
    assert_near(scalar(b, "s_amplitude"), scalar(b, "x_amplitude") - 0.25, 1e-12); /* mu N/k behind */
    am_run_free(a);
    am_run_free(b);
}

static void orbit_is_followed_as_that_of_the_law(void **state) {
    (void)state;
    static const char *const names[] = {"first_bifurcation", "points", "bifurcations", "followed_to", NULL};
    static const char along[] =
        "orbit, transient: 30}\nfollow: {parameter: model.loads.0.sine.frequency, from: 0.9, to: 0.35";
    am_run *a = run(law, along), *b = run(node, along);
    assert_same(a, b, names, 1e-11);
    am_run_free(a);
    am_run_free(b);
}

static void attractors_and_cells_find_the_orbit(void **state) {
    (void)state;
    am_run *a = run(node, "attractors, starts: {count: 6}");
    assert_near(scalar(a, "orbits"), 1, 0);
    assert_near(scalar(a, "failed") + scalar(a, "undecided"), 0, 0);
    am_run *b = run(node, "cells, checks: 20, box: {x: {from: -6, to: 6, count: 7}, v_x: {from: -6, to: 6, count: 7}, "
                          "s: {from: -6, to: 6, count: 5}}");
    assert_near(scalar(b, "orbits"), 1, 0);
    assert_near(scalar(b, "agreement"), 1, 0);
    assert_true(scalar(b, "worst_closing") < 1e-12);
    am_run_free(a);
    am_run_free(b);
}

/* Rigid friction of a node has velocities that jump, whose harmonics fall like 1/h^2: the error of H harmonics falls like
 * 1/H^2 or faster. The response says itself how far it is from the motion closed exactly. */
static void response_of_a_node_tends_to_its_orbit(void **state) {
    (void)state;
    double error[2];
    for (int i = 0; i < 2; i++) {
        char analysis[128];
        snprintf(analysis, sizeof analysis, "response, over: loads.0.sine.frequency, from: 0.9, to: 1.1, harmonics: %d",
                 i == 0 ? 5 : 15);
        am_run *a = run(node, analysis);
        assert_true(scalar(a, "residual") < 1e-8);
        error[i] = scalar(a, "peak_error");
        am_run_free(a);
    }
    assert_true(error[1] < 0.01 && error[1] < 0.3 * error[0]);
}

/* A pad on a belt, coupled by springs to two masses. */
static void stability_is_the_limit_of_a_small_mass(void **state) {
    (void)state;
    static const char pad[] =
        "  damping: [0.1, 0.05, 0, 0]\n"
        "  stiffness: [[4, 0.5, -1, 0], [0.5, 3, 0, -1], [-1, 0, 3, 0.4], [0, -1, 0.4, 2]]\n"
        "  contacts: [{normal: [0, 0, 0, 1], tangent: [0, 0, 1, 0], friction: 0.4, surface_velocity: 1}]\n"
        "  loads: [{direction: [0, 0, 0, 1], constant: -2}]\n  mass: ";
    char with[1024], without[1024];
    snprintf(without, sizeof without, "%s[1, 1.5, 0, 0]\n", pad);
    snprintf(with, sizeof with, "%s[1, 1.5, 1.0e-8, 1.0e-8]\n", pad);
    am_run *a = run(without, "stability"), *b = run(with, "stability");
    /* the mode of the small mass, 1e4 and undamped, is not among the first's */
    const am_table *few = am_result_find_table(am_run_report(a)->result, "eigenvalues"),
                   *all = am_result_find_table(am_run_report(b)->result, "eigenvalues");
    assert_int_equal(am_table_rows(few), 4);
    assert_int_equal(am_table_rows(all), 6);
    for (size_t i = 0; i < 4; i++) {
        double nearest = INFINITY;
        for (size_t j = 0; j < 6; j++)
            nearest = fmin(nearest, hypot(am_table_number(few, i, 0) - am_table_number(all, j, 0),
                                          am_table_number(few, i, 1) - am_table_number(all, j, 1)));
        assert_true(nearest < 1e-7);
    }
    am_run_free(a);
    am_run_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orbit_of_a_node_is_that_of_the_law),
        cmocka_unit_test(orbit_is_followed_as_that_of_the_law),
        cmocka_unit_test(attractors_and_cells_find_the_orbit),
        cmocka_unit_test(response_of_a_node_tends_to_its_orbit),
        cmocka_unit_test(stability_is_the_limit_of_a_small_mass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
