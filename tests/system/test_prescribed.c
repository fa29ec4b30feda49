/* Prescribed motion of coordinates: the reduced system against the same thing derived by hand, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/motion.h"
#include "errors.h"
#include "near.h"
#include "steps.h"
#include "system/prescribed.h"

/* ---- the rod in absolute coordinates ---- */

enum { most = 8 };

/* Eqs. (1)-(6): all n + 1 nodes, the last end dragged with x0 = t, friction on the others, ground at rest. */
typedef struct absolute_rod {
    am_system_def def;
    double mass[most * most], stiffness[most * most], rows[most][most];
    am_contact_def contacts[most];
} absolute_rod;

static void fill_absolute(absolute_rod *a, size_t n, double alpha, double beta) {
    size_t nodes = n + 1;
    memset(a, 0, sizeof *a);
    for (size_t i = 0; i < nodes; i++)
        for (size_t j = 0; j < nodes; j++) {
            bool end = i == 0 || i == n, near = i + 1 == j || j + 1 == i;
            a->mass[i * nodes + j] = (i == j ? (end ? 2 : 4) : near ? 1 : 0) / 6.0;
            a->stiffness[i * nodes + j] = i == j ? (end ? 1 : 2) : near ? -1 : 0;
        }
    for (size_t j = 0; j < n; j++) {
        a->rows[j][j + 1] = 1;
        a->contacts[j] = am_contact_def_default();
        a->contacts[j].tangent = a->rows[j];
        a->contacts[j].normal_law = AM_HELD;
        a->contacts[j].hold = am_function_constant(j + 1 < n ? 1 : 0.5);
        a->contacts[j].friction = beta;
        a->contacts[j].static_friction = beta + alpha;
    }
    a->def = am_system_def_default();
    a->def.n = nodes;
    a->def.mass = am_matrix_dense(nodes, nodes, a->mass, NULL);
    a->def.stiffness = am_matrix_dense(nodes, nodes, a->stiffness, NULL);
    a->def.contact_count = n;
    a->def.contacts = a->contacts;
}

static void free_absolute(absolute_rod *a) {
    am_matrix_free((am_matrix *)a->def.mass);
    am_matrix_free((am_matrix *)a->def.stiffness);
}

static void rod_with_a_dragged_end_is_the_rod_in_relative_coordinates(void **state) {
    (void)state;
    const double alphas[] = {0.5, 2, 10};
    for (size_t k = 0; k < 3; k++)
        for (size_t n = 1; n <= 4; n++) {
            am_rod rod = {.elements = n, .alpha = alphas[k], .beta = 5};
            absolute_rod whole;
            fill_absolute(&whole, n, rod.alpha, rod.beta);
            am_prescribed dragged = {0, am_function_ramp(0, 1)};
            am_error err = {0};
            am_system *systems[2] = {am_rod_create(&rod, NULL), am_prescribed_create(&whole.def, 1, &dragged, &err)};
            if (!systems[1])
                fail_msg("%s", err.message);
            assert_int_equal(am_system_size(systems[1]), n);
            assert_string_equal(am_system_name(systems[1], 0), "q2");
            am_motion *motions[2] = {am_motion_create(systems[0], false, NULL),
                                     am_motion_create(systems[1], false, NULL)};
            double xi[most], rate[most], zero[most] = {0};
            am_rod_undeformed(&rod, xi, rate);
            assert_int_equal(am_motion_start(motions[0], 0, xi, rate, NULL), AM_OK);
            assert_int_equal(am_motion_start(motions[1], 0, zero, zero, NULL), AM_OK);
            size_t events = 0;
            /* loads of size t round relative to t; the motion itself forgets */
            for (; events < 60 && next_event(motions[0], 60); events++) {
                assert_true(next_event(motions[1], 61));
                double t = am_motion_time(motions[0]);
                assert_near(am_motion_time(motions[1]), t, 1e-10);
                for (size_t j = 0; j < n; j++) {
                    assert_int_equal(am_motion_states(motions[1])[j], am_motion_states(motions[0])[j]);
                    assert_near(am_motion_displacement(motions[1])[j] - t + xi[j],
                                am_motion_displacement(motions[0])[j], 1e-9);
                }
            }
            assert_true(events > 5);
            for (int m = 0; m < 2; m++) {
                am_motion_free(motions[m]);
                am_system_free(systems[m]);
            }
            free_absolute(&whole);
        }
}

/* ---- any structure: the prescribed motion put in by brute force ---- */

typedef struct plain {
    am_system_def def;
    am_matrix *M, *C, *K;
} plain;

static plain three(void) {
    static const double m[9] = {2, 0.3, 0.1, 0.3, 1, 0.2, 0.1, 0.2, 1.5};
    static const double c[9] = {0.4, -0.1, 0.05, -0.1, 0.3, -0.1, 0.05, -0.1, 0.2};
    static const double k[9] = {3, -1, 0.5, -1, 4, -2, 0.5, -2, 3};
    plain p = {am_system_def_default(), am_matrix_dense(3, 3, m, NULL), am_matrix_dense(3, 3, c, NULL),
               am_matrix_dense(3, 3, k, NULL)};
    p.def.n = 3;
    p.def.mass = p.M;
    p.def.damping = p.C;
    p.def.stiffness = p.K;
    return p;
}

static void free_plain(plain *p) {
    am_matrix_free(p->M);
    am_matrix_free(p->C);
    am_matrix_free(p->K);
}

/* F of a system at t. */
static void force_at(const am_system *system, double t, double *force) {
    size_t n = am_system_size(system);
    memset(force, 0, n * sizeof *force);
    for (size_t l = 0; l < am_system_loads(system); l++) {
        const am_load_def *load = am_system_load(system, l);
        for (size_t i = 0; i < n; i++)
            force[i] += load->direction[i] * am_function_at(&load->function, t);
    }
}

static void columns_of_a_moving_coordinate_become_loads(void **state) {
    (void)state;
    const am_function motions[] = {am_function_constant(0.7), am_function_ramp(0.2, -0.4),
                                   am_function_sine(0.3, 2.5, 0.4)};
    static const double direction[3] = {0.1, 5, -0.2}, lost[3] = {0, 1, 0};
    for (size_t k = 0; k < 3; k++) {
        plain p = three();
        am_load_def loads[2] = {{lost, am_function_constant(9)}, {direction, am_function_ramp(1, 0.5)}};
        p.def.loads = loads;
        p.def.load_count = 2;
        am_function x = motions[k];
        if (k == 2)
            x.value = 0.25;
        am_prescribed moved = {1, x};
        am_error err = {0};
        am_system *system = am_prescribed_create(&p.def, 1, &moved, &err);
        if (!system)
            fail_msg("%s", err.message);
        assert_int_equal(am_system_size(system), 2);
        assert_near(am_matrix_at(am_system_mass(system), 0, 1), 0.1, 0);
        assert_near(am_matrix_at(am_system_stiffness(system), 1, 1), 3, 0);
        assert_near(am_matrix_at(am_system_damping(system), 1, 0), 0.05, 0);
        for (double t = 0; t < 5; t += 0.37) {
            double h = 1e-4, force[2], at = am_function_at(&x, t);
            double later = am_function_at(&x, t + h), earlier = am_function_at(&x, t - h);
            double rate = (later - earlier) / (2 * h), acceleration = (later - 2 * at + earlier) / (h * h);
            const size_t kept[2] = {0, 2};
            force_at(system, t, force);
            for (size_t i = 0; i < 2; i++) {
                double wanted = direction[kept[i]] * (1 + 0.5 * t) - am_matrix_at(p.K, kept[i], 1) * at -
                                am_matrix_at(p.C, kept[i], 1) * rate - am_matrix_at(p.M, kept[i], 1) * acceleration;
                assert_near(force[i], wanted, 1e-7); /* differences: h^2, and rounding/h^2 */
            }
        }
        am_system_free(system);
        free_plain(&p);
    }
}

static void all_but_one_coordinate_may_be_prescribed(void **state) {
    (void)state;
    plain p = three();
    am_prescribed two[2] = {{2, am_function_constant(1)}, {0, am_function_constant(-1)}};
    am_system *system = am_prescribed_create(&p.def, 2, two, NULL);
    assert_non_null(system);
    double force;
    force_at(system, 3, &force);
    assert_near(force, -(-1 * -1.0 + -2 * 1.0), 1e-15);
    am_system_free(system);
    free_plain(&p);
}

static void rows_of_contacts_pass_on_velocity_and_place(void **state) {
    (void)state;
    plain p = three();
    static const double tangent[3] = {1, -2, 0}, normal[3] = {0, 0.5, 1};
    am_contact_def contact = am_contact_def_default();
    contact.tangent = tangent;
    contact.normal = normal;
    contact.friction = 0.3;
    contact.gap = 0.1;
    contact.surface_velocity = 0.25;
    p.def.contacts = &contact;
    p.def.contact_count = 1;
    am_prescribed rest = {1, am_function_constant(3)};
    am_system *system = am_prescribed_create(&p.def, 1, &rest, NULL);
    assert_non_null(system);
    assert_near(am_system_contact(system, 0)->gap, 1.6, 1e-15);
    assert_near(am_system_contact(system, 0)->surface_velocity, 0.25, 0);
    assert_near(am_system_contact(system, 0)->normal[1], 1, 0);
    am_system_free(system);
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    am_prescribed moving = {1, am_function_ramp(0, 3)};
    system = am_prescribed_create(&p.def, 1, &moving, NULL);
    assert_non_null(system); /* t.q' + t_p 3 - 0.25, a constant again */
    assert_true(am_system_contact(system, 0)->surface_motion.value == 0 &&
                !am_system_contact(system, 0)->surface_motion.plus);
    assert_near(am_system_contact(system, 0)->surface_velocity, 0.25 + 6, 1e-15);
    am_system_free(system);
    free_plain(&p);
}

/* A support that moves by any function, shaking masses through springs, dampers, coupled mass and a contact: in the
 * coordinates of the whole, the equations of the masses that remain hold at every instant. */
static void a_support_moves_by_any_function(void **state) {
    (void)state;
    static const double times[5] = {0.2, 1, 1.7, 2.5, 4}, values[5] = {0, 0.5, -0.3, 0.2, 0};
    static const double along[3] = {1, -1, 0};
    double moments[5];
    am_function table = am_function_table(5, times, values), pulse = am_function_pulse(0.4, 0.5, 2),
                chirp = am_function_chirp(0.3, 1, 4, 3), ramp = am_function_ramp(0.1, 0.2);
    assert_int_equal(am_function_spline(&table, moments, NULL), AM_OK);
    table.moments = moments;
    chirp.start = -1;
    table.plus = &pulse, pulse.plus = &chirp, chirp.plus = &ramp;
    plain p = three();
    am_contact_def contact = am_contact_def_default();
    contact.tangent = along;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 0.3;
    contact.surface_velocity = 0.25;
    p.def.contacts = &contact;
    p.def.contact_count = 1;
    am_prescribed moved = {1, table};
    am_error err = {0};
    am_system *system = am_prescribed_create(&p.def, 1, &moved, &err);
    if (!system)
        fail_msg("%s", err.message);
    for (double t = 0.03; t < 5; t += 0.31) {
        const size_t kept[2] = {0, 2};
        double h = 1e-4, force[2], at = am_function_at(&table, t);
        double later = am_function_at(&table, t + h), earlier = am_function_at(&table, t - h);
        double rate = (later - earlier) / (2 * h), acceleration = (later - 2 * at + earlier) / (h * h);
        force_at(system, t, force);
        for (size_t i = 0; i < 2; i++)
            assert_near(force[i],
                        -am_matrix_at(p.K, kept[i], 1) * at - am_matrix_at(p.C, kept[i], 1) * rate -
                            am_matrix_at(p.M, kept[i], 1) * acceleration,
                        1e-6); /* differences: h^2, and rounding/h^2 */
        const am_contact_def *made = am_system_contact(system, 0);
        assert_near(made->surface_velocity + am_function_at(&made->surface_motion, t), 0.25 + rate, 1e-7);
    }
    am_system_free(system);
    free_plain(&p);
}

static void refused(const am_system_def *def, size_t count, const am_prescribed *prescribed, const char *field,
                    const char *word) {
    am_error err = {0};
    assert_null(am_prescribed_create(def, count, prescribed, &err));
    assert_blames(&err, field, word);
}

static void what_cannot_be_prescribed_is_refused_by_name(void **state) {
    (void)state;
    plain p = three();
    static const double times[2] = {0, 1}, values[2] = {0, 1};
    static const double alone[3] = {0, 1, 0}, both[3] = {1, 1, 0};
    am_prescribed wrong[3] = {{7, am_function_constant(1)}};
    refused(&p.def, 1, wrong, "prescribed[0].coordinate", "no such coordinate");
    wrong[0] = wrong[1] = (am_prescribed){1, am_function_constant(1)};
    refused(&p.def, 2, wrong, "prescribed[1].coordinate", "twice");
    for (size_t i = 0; i < 3; i++)
        wrong[i] = (am_prescribed){i, am_function_constant(1)};
    refused(&p.def, 3, wrong, "prescribed[0].coordinate", "nothing is left");
    wrong[0] = (am_prescribed){1, am_function_table(2, times, values)};
    wrong[0].function.period = 1;
    refused(&p.def, 1, wrong, "prescribed[0].function", "this one jumps");
    wrong[0].function = am_function_impulse(1, 0);
    refused(&p.def, 1, wrong, "prescribed[0].function", "blow");
    wrong[0].function = am_function_sine(1, -1, 0);
    am_error err = {0};
    assert_null(am_prescribed_create(&p.def, 1, wrong, &err));
    assert_non_null(strstr(err.field, "prescribed[0].function."));
    am_contact_def contact = am_contact_def_default();
    contact.tangent = alone;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(1);
    contact.friction = 1;
    p.def.contacts = &contact;
    p.def.contact_count = 1;
    wrong[0].function = am_function_constant(1);
    refused(&p.def, 1, wrong, "contacts[0].tangent", "leave it out");
    contact.tangent = both;
    wrong[0].function = am_function_table(2, times, values);
    wrong[0].function.period = 1;
    refused(&p.def, 1, wrong, "prescribed[0].function", "this one jumps");
    contact.normal_law = AM_UNILATERAL;
    contact.normal = both;
    contact.tangent = NULL;
    refused(&p.def, 1, wrong, "prescribed[0].function", "depends on this coordinate");
    contact.normal = alone;
    refused(&p.def, 1, wrong, "contacts[0].normal", "leave it out");
    contact.tangent = contact.normal = both;
    contact.friction = -1; /* faults of the rest keep their names */
    wrong[0].function = am_function_constant(1);
    refused(&p.def, 1, wrong, "contacts[0].friction", "");
    free_plain(&p);
}

static void table_moves_a_coordinate_that_only_springs_couple(void **state) {
    (void)state;
    static const double times[2] = {0, 1}, values[2] = {0, 2}, k[4] = {1, -1, -1, 3}, m[4] = {1, 0, 0, 1};
    am_system_def def = am_system_def_default();
    def.n = 2;
    def.stiffness = am_matrix_dense(2, 2, k, NULL);
    def.mass = am_matrix_dense(2, 2, m, NULL);
    am_prescribed moved = {0, am_function_table(2, times, values)};
    am_system *system = am_prescribed_create(&def, 1, &moved, NULL);
    assert_non_null(system);
    double force;
    force_at(system, 0.5, &force);
    assert_near(force, 1, 1e-15);
    am_system_free(system);
    am_matrix_free((am_matrix *)def.stiffness);
    am_matrix_free((am_matrix *)def.mass);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rod_with_a_dragged_end_is_the_rod_in_relative_coordinates),
        cmocka_unit_test(columns_of_a_moving_coordinate_become_loads),
        cmocka_unit_test(all_but_one_coordinate_may_be_prescribed),
        cmocka_unit_test(rows_of_contacts_pass_on_velocity_and_place),
        cmocka_unit_test(a_support_moves_by_any_function),
        cmocka_unit_test(what_cannot_be_prescribed_is_refused_by_name),
        cmocka_unit_test(table_moves_a_coordinate_that_only_springs_couple),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
