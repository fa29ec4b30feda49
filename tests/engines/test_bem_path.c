/* Two ways to the same increments: the boundary elements' own steps (transforms, conjugate gradients) and `path`'s
 * incremental engine on the same half-planes given as a structure (full stiffness, pivots). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engines/boundary/bem.h"
#include "engines/quasistatic/incremental.h"
#include "errors.h"
#include "near.h"

enum { BREAKS = 7, STEPS = 4 };
static const double times[BREAKS] = {0, 1, 2, 3, 4, 5, 6};
/* Pressed, dragged, pressed more, dragged back while let go, and on to where part of the contact has opened. */
static const double approaches[BREAKS] = {0.4, 1.2, 1.2, 1.6, 1.3, 1.5, 0.7};
static const double shifts[BREAKS] = {0.0, 0.0, 0.2, 0.25, -0.1, 0.15, 0.15};

static double at(const double *values, double t) {
    size_t i = (size_t)t < BREAKS - 1 ? (size_t)t : BREAKS - 2;
    return values[i] + (t - (double)i) * (values[i + 1] - values[i]);
}

static void compare(const am_path_incremental *path, const am_bem *bem, const am_bem_def *def) {
    am_bem_view v = am_bem_view_of(bem);
    size_t contact = 0;
    double largest = 0.0, h = v.spacing;
    for (size_t i = 0; i < v.nodes; i++)
        largest = fmax(largest, v.p[i]);
    for (size_t i = 0; i < v.nodes; i++) {
        if (def->profile.shape == AM_SLIP_TABLE && isinf(v.gap[i]))
            continue;
        /* Forces to 1e-9 of the largest: both solve to about 1e-12 in displacements, over a spacing. */
        assert_near(path->normal[contact], h * v.p[i], 1e-9 * h * largest);
        assert_near(path->tangential[contact], -h * v.q[i], 1e-9 * h * largest);
        contact++;
    }
    assert_int_equal(contact, path->m);
}

static void follow(am_bem_profile profile, double beta, double period, double width) {
    am_bem_def def = {.profile = profile,
                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = 0.3},
                      .modulus = 1.0,
                      .beta = beta,
                      .nodes = 60,
                      .width = width,
                      .period = period};
    am_error err = {0};
    am_function approach = am_function_table(BREAKS, times, approaches),
                shift = am_function_table(BREAKS, times, shifts);
    am_system *system = am_bem_system(&def, &approach, &shift, &err);
    am_bem *bem = am_bem_create(&def, &err);
    if (!system || !bem)
        fail_msg("%s", err.message);
    am_path_incremental path;
    GOOD(am_path_incremental_init(&path, system, err));
    size_t slipping = 0, opened = 0, closed = 0;
    for (int k = 0; k <= STEPS * (BREAKS - 1); k++) {
        double t = (double)k / STEPS;
        if (k == 0)
            GOOD(am_path_incremental_place(&path, t, NULL, err));
        else
            GOOD(am_path_incremental_step(&path, t, err));
        am_bem_load load = {.normal = AM_BEM_DISPLACEMENT,
                            .P = at(approaches, t),
                            .tangential = AM_BEM_DISPLACEMENT,
                            .Q = at(shifts, t)};
        am_bem_view before = am_bem_view_of(bem);
        unsigned char old[60];
        for (size_t i = 0; i < 60; i++)
            old[i] = before.state[i];
        GOOD(am_bem_step(bem, &load, err));
        compare(&path, bem, &def);
        am_bem_view v = am_bem_view_of(bem);
        for (size_t i = 0; i < v.nodes; i++) {
            slipping += v.state[i] == AM_FORWARD || v.state[i] == AM_BACKWARD;
            opened += old[i] != AM_OPEN && v.state[i] == AM_OPEN;
            closed += old[i] == AM_OPEN && v.state[i] != AM_OPEN;
        }
    }
    assert_true(slipping > 100 && opened > 5 && closed > 10); /* the path has seen it all */
    am_path_incremental_clear(&path);
    am_bem_free(bem);
    am_system_free(system);
}

static void similar_bodies(void **state) {
    (void)state;
    follow((am_bem_profile){.shape = AM_SLIP_HERTZ, .radius = 1.0}, 0.0, 0.0, 1.6);
}

static void dissimilar_bodies(void **state) {
    (void)state;
    follow((am_bem_profile){.shape = AM_SLIP_HERTZ, .radius = 1.0}, 0.3, 0.0, 1.6);
}

static void periodic_dissimilar_bodies(void **state) {
    (void)state;
    follow((am_bem_profile){.shape = AM_SLIP_WAVE, .amplitude = 0.7, .wavelength = 3.0}, -0.2, 3.0, 0.0);
}

static void too_many_nodes_are_no_structure(void **state) {
    (void)state;
    am_bem_def def = {.profile = {.shape = AM_SLIP_HERTZ, .radius = 1.0},
                      .friction = {.law = AM_FRICTION_COULOMB, .kinetic = 0.2},
                      .modulus = 1.0,
                      .nodes = 5000,
                      .width = 1.0};
    am_function zero = am_function_constant(0.0);
    am_error err = {0};
    assert_null(am_bem_system(&def, &zero, &zero, &err));
    assert_int_equal(err.status, AM_ERR_UNSUPPORTED);
    assert_says(&err, "at most 2000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(similar_bodies),
        cmocka_unit_test(dissimilar_bodies),
        cmocka_unit_test(periodic_dissimilar_bodies),
        cmocka_unit_test(too_many_nodes_are_no_structure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
