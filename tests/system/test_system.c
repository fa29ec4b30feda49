/* Structures: what is refused and under which name, what is filled in, and that everything is copied. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/system.h"
#include "errors.h"
#include "near.h"
#include "system/capability.h"
#include "system/system.h"

/* A good definition of two degrees of freedom, one contact and two loads, whose parts may be spoilt. */
typedef struct sample {
    double mass[4], damping[4], stiffness[4];
    double normal[2], tangent[2], direction[2][2];
    double times[3], values[3];
    am_contact_def contact[2];
    am_load_def load[2];
    am_system_def def;
} sample;

static void good(sample *s) {
    *s = (sample){.mass = {2, 0, 0, 1},
                  .damping = {0.1, 0, 0, 0.1},
                  .stiffness = {3, 1, 1, 2},
                  .normal = {0, 1},
                  .tangent = {1, 0},
                  .direction = {{1, 0}, {0, 1}},
                  .times = {0, 1, 2},
                  .values = {0, 1, 0}};
    for (size_t c = 0; c < 2; c++) {
        s->contact[c] = am_contact_def_default();
        s->contact[c].normal = s->normal;
        s->contact[c].tangent = s->tangent;
        s->contact[c].friction = 0.3;
    }
    s->load[0] = (am_load_def){s->direction[0], am_function_ramp(0, 1)};
    s->load[1] = (am_load_def){s->direction[1], am_function_table(3, s->times, s->values)};
    s->def = am_system_def_default();
    s->def.n = 2;
    s->def.contact_count = 1;
    s->def.contacts = s->contact;
    s->def.load_count = 2;
    s->def.loads = s->load;
}

/* Matrices are made from the arrays now, so that tests can spoil these. */
static am_system *create(sample *s, am_error *err) {
    am_matrix *M = am_matrix_dense(2, 2, s->mass, NULL), *C = am_matrix_dense(2, 2, s->damping, NULL);
    am_matrix *K = am_matrix_dense(2, 2, s->stiffness, NULL);
    assert_non_null(M);
    assert_non_null(C);
    assert_non_null(K);
    s->def.mass = M;
    s->def.damping = C;
    s->def.stiffness = K;
    am_system *system = am_system_create(&s->def, err);
    am_matrix_free(M);
    am_matrix_free(C);
    am_matrix_free(K);
    return system;
}

static void refused(sample *s, const char *field) {
    am_error err = {0};
    am_system *system = create(s, &err);
    if (system || err.status != AM_ERR_INPUT || strcmp(err.field, field) != 0 || !err.message[0]) {
        print_error("wanted '%s', got '%s': %s\n", field, err.field, system ? "accepted" : err.message);
        fail();
    }
}

static void accepted(sample *s) {
    am_error err = {0};
    am_system *system = create(s, &err);
    if (!system)
        print_error("%s: %s\n", err.field, err.message);
    assert_non_null(system);
    am_system_free(system);
}

/* ---- matrices ---- */

static void the_sample_itself_is_good(void **state) {
    (void)state;
    sample s;
    good(&s);
    accepted(&s);
}

static void an_uninitialised_definition_is_caught(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.def.cookie = 0;
    am_error err = {0};
    assert_null(create(&s, &err));
    assert_int_equal(err.status, AM_ERR_INPUT);
    assert_says(&err, "am_system_def_default");
}

static void a_system_needs_stiffness_and_a_degree_of_freedom(void **state) {
    (void)state;
    am_system_def def = am_system_def_default();
    am_error err = {0};
    assert_null(am_system_create(&def, &err));
    assert_string_equal(err.field, "stiffness");
    def.n = 2;
    assert_null(am_system_create(&def, &err));
    assert_string_equal(err.field, "stiffness");
    assert_int_equal(err.status, AM_ERR_INPUT);
}

static void matrices_of_the_wrong_size_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"mass", "damping", "stiffness"};
    const double ones[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (size_t which = 0; which < 3; which++)
        for (size_t shape = 0; shape < 2; shape++) {
            am_matrix *right = am_matrix_dense(2, 2, (const double[]){1, 0, 0, 1}, NULL);
            am_matrix *wrong = am_matrix_dense(shape == 0 ? 3 : 2, 3, ones, NULL);
            am_system_def def = am_system_def_default();
            am_error err = {0};
            def.n = 2;
            def.mass = which == 0 ? wrong : right;
            def.damping = which == 1 ? wrong : right;
            def.stiffness = which == 2 ? wrong : right;
            assert_null(am_system_create(&def, &err));
            assert_blames(&err, names[which], "expected 2 x 2");
            am_matrix_free(right);
            am_matrix_free(wrong);
        }
}

static void mass_and_stiffness_must_be_symmetric(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.mass[1] = 0.1;
    refused(&s, "mass");
    good(&s);
    s.stiffness[1] = 1.1;
    refused(&s, "stiffness");
    good(&s);
    s.stiffness[1] = 1 + 1e-14; /* rounding of whoever assembled it */
    accepted(&s);
}

static void gyroscopic_damping_is_accepted(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.damping[1] = 5;
    s.damping[2] = -5;
    accepted(&s);
}

/* What a quasi-static question does not know of such a structure; "": everything is known. */
static const char *strange_to_shakedown(sample *s, am_error *err) {
    *err = (am_error){0};
    am_system *system = create(s, err);
    assert_non_null(system);
    am_status known = am_system_check(system, "shakedown", err), moves = am_system_check(system, "motion", NULL);
    assert_int_equal(moves, AM_OK);
    am_system_free(system);
    return known ? err->message : "";
}

static void negative_damping_and_stiffness_are_accepted_and_refused_where_a_structure_must_rest(void **state) {
    (void)state;
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        sample s;
        am_error err;
        good(&s);
        assert_string_equal(strange_to_shakedown(&s, &err), "");
        s.damping[diagonal ? 0 : 1] = -0.5; /* a negative entry, or an indefinite matrix */
        assert_string_equal(strange_to_shakedown(&s, &err), "");
        if (diagonal)
            s.stiffness[3] = -1;
        else
            s.stiffness[1] = s.stiffness[2] = 2.5; /* 3 * 2 < 2.5^2 */
        assert_non_null(strstr(strange_to_shakedown(&s, &err), "stiffness of this structure is negative"));
    }
}

static void indefinite_masses_are_refused_and_semidefinite_matrices_accepted(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.stiffness[1] = s.stiffness[2] = -3;
    s.stiffness[3] = 3; /* a spring between two masses: free to float together */
    accepted(&s);
    good(&s);
    s.mass[3] = 0;
    accepted(&s);
    s.mass[3] = -1e-3;
    refused(&s, "mass");
    good(&s);
    s.mass[1] = s.mass[2] = 1.5;
    refused(&s, "mass");
    good(&s);
    memset(s.stiffness, 0, sizeof s.stiffness);
    accepted(&s);
}

/* Eigenvalues 6 and -6e-12, a thousand times what rounding of two numbers can do to zero. */
static void an_eigenvalue_of_minus_1e_12_of_the_largest_is_negative(void **state) {
    (void)state;
    sample s;
    am_error err;
    good(&s);
    for (size_t i = 0; i < 4; i++)
        s.stiffness[i] = 3.0;
    assert_string_equal(strange_to_shakedown(&s, &err), "");
    s.stiffness[3] = 3.0 - 12e-12;
    assert_non_null(strstr(strange_to_shakedown(&s, &err), "negative"));
    good(&s);
    for (size_t i = 0; i < 4; i++)
        s.mass[i] = 3.0;
    s.mass[3] = 3.0 - 12e-12;
    refused(&s, "mass");
}

/* A hundred masses in a row, free at both ends: the smallest eigenvalue is zero, computed as rounding of either sign.
 */
static void free_chains_are_semidefinite_whatever_rounding_says(void **state) {
    (void)state;
    enum { N = 100 };
    size_t row[3 * N], column[3 * N], count = 0;
    double value[3 * N];
    for (size_t i = 0; i + 1 < N; i++) {
        double k = 1e6 * (1 + (double)(i % 7));
        row[count] = column[count] = i;
        value[count++] = k + (i > 0 ? 1e6 * (1 + (double)((i - 1) % 7)) : 0);
        row[count] = i;
        column[count] = i + 1;
        value[count++] = -k;
        row[count] = i + 1;
        column[count] = i;
        value[count++] = -k;
    }
    row[count] = column[count] = N - 1;
    value[count++] = 1e6 * (1 + (double)((N - 2) % 7));
    am_matrix *K = am_matrix_sparse(N, N, count, row, column, value, NULL);
    assert_non_null(K);
    am_system_def def = am_system_def_default();
    def.n = N;
    def.stiffness = K;
    am_error err = {0};
    am_system *system = am_system_create(&def, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    assert_true(am_matrix_is_sparse(am_system_stiffness(system)));
    am_system_free(system);
    am_matrix_free(K);
}

/* ---- contacts ---- */

static void wrong_contacts_are_refused_by_name(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY}, nothing[] = {0, 0}, odd[] = {0, NAN};
    sample s;
    for (size_t b = 0; b < 2; b++) {
        good(&s);
        s.contact[0].gap = bad[b];
        refused(&s, "contacts[0].gap");
        good(&s);
        s.contact[0].surface_velocity = bad[b];
        refused(&s, "contacts[0].surface_velocity");
        good(&s);
        s.contact[0].friction = bad[b];
        refused(&s, "contacts[0].friction");
        good(&s);
        s.contact[0].static_friction = bad[b];
        refused(&s, "contacts[0].static_friction");
        good(&s);
        s.contact[0].restitution = bad[b];
        refused(&s, "contacts[0].restitution");
    }
    good(&s);
    s.contact[0].friction = -0.1;
    refused(&s, "contacts[0].friction");
    good(&s);
    s.contact[0].static_friction = 0.2;
    refused(&s, "contacts[0].static_friction");
    s.contact[0].static_friction = -0.2;
    refused(&s, "contacts[0].static_friction");
    good(&s);
    s.contact[0].restitution = -0.1;
    refused(&s, "contacts[0].restitution");
    s.contact[0].restitution = 1.1;
    refused(&s, "contacts[0].restitution");
    good(&s);
    s.contact[0].tangent = NULL;
    refused(&s, "contacts[0].tangent");
    s.contact[0].tangent = nothing;
    refused(&s, "contacts[0].tangent");
    s.contact[0].tangent = odd;
    refused(&s, "contacts[0].tangent");
    good(&s);
    s.contact[0].normal = NULL;
    refused(&s, "contacts[0].normal");
    s.contact[0].normal = nothing;
    refused(&s, "contacts[0].normal");
    s.contact[0].normal = odd;
    refused(&s, "contacts[0].normal");
    good(&s);
    s.def.contact_count = 2;
    s.contact[1].friction = -1;
    refused(&s, "contacts[1].friction");
    good(&s);
    s.contact[0].normal_law = (am_normal_law)7;
    refused(&s, "contacts[0].normal_law");
}

static void held_contacts_need_a_normal_force_that_is_a_function(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.contact[0].normal_law = AM_HELD;
    s.contact[0].hold = am_function_impulse(1, 0);
    refused(&s, "contacts[0].hold");
    s.contact[0].hold = am_function_sine(1, -1, 0);
    refused(&s, "contacts[0].hold.frequency");
    s.contact[0].hold = am_function_table(3, s.times, NULL);
    refused(&s, "contacts[0].hold.times");
    s.contact[0].hold = am_function_constant(1);
    s.contact[0].normal = NULL; /* pressed by something that does not act on the structure */
    accepted(&s);
}

/* Loads and held forces both enter the equations; a held force acts along its normal. */
static void held_forces_act_along_their_normal(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.normal[0] = 0.5;
    s.contact[0].normal_law = AM_HELD;
    s.contact[0].hold = am_function_sine(2, 3, 0.1);
    s.contact[0].hold.value = 5;
    am_system *system = create(&s, NULL);
    assert_non_null(system);
    for (int i = 0; i < 20; i++) {
        double t = 0.11 * i, z[16], force[2] = {0, 0}, N = 0;
        assert_true(system->nz <= 16);
        am_system_inputs(system, t, z);
        for (size_t j = 0; j < system->nz; j++) {
            force[0] += system->input[j] * z[j];
            force[1] += system->input[system->nz + j] * z[j];
            N += system->hold[j] * z[j];
        }
        double wanted = 5 + 2 * sin(3 * t + 0.1);
        assert_near(N, wanted, 1e-14);
        assert_near(force[0], t + 0.5 * wanted, 1e-14);
        assert_near(force[1], am_function_at(&s.load[1].function, t) + wanted, 1e-14);
    }
    assert_near(am_system_next_break(system, 0.5), 1, 0); /* of the table */
    am_system_free(system);
}

/* ---- loads ---- */

static void wrong_loads_are_refused_by_name(void **state) {
    (void)state;
    const double nothing[] = {0, 0}, odd[] = {INFINITY, 0}, falling[] = {0, 2, 1};
    sample s;
    good(&s);
    s.load[1].direction = NULL;
    refused(&s, "loads[1].direction");
    s.load[1].direction = nothing;
    refused(&s, "loads[1].direction");
    s.load[1].direction = odd;
    refused(&s, "loads[1].direction");
    good(&s);
    s.load[1].function.times = falling;
    refused(&s, "loads[1].function.times");
    good(&s);
    s.load[0].function.rate = NAN;
    refused(&s, "loads[0].function.rate");
    s.load[0].function = am_function_pulse(1, 0, 0);
    refused(&s, "loads[0].function.duration");
}

static void blows_of_one_instant_add_up(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.load[0].function = am_function_impulse(2, 1);
    s.load[1].function = am_function_impulse(-3, 1);
    s.direction[1][0] = 0.5;
    am_system *system = create(&s, NULL);
    assert_non_null(system);
    double impulse[2];
    assert_false(am_system_blow(system, 0.5, impulse));
    assert_near(am_system_next_break(system, 0), 1, 0);
    assert_true(am_system_blow(system, 1, impulse));
    assert_near(impulse[0], 2 - 1.5, 0);
    assert_near(impulse[1], -3, 0);
    am_system_free(system);
}

/* ---- what is filled in, and copied ---- */

static void what_is_left_out_is_filled_in(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.def.contact_count = 2;
    s.contact[1].name = "heel";
    s.contact[1].static_friction = 0.5;
    const double values[] = {1, 0, 0, 1};
    am_matrix *K = am_matrix_dense(2, 2, values, NULL);
    s.def.stiffness = K;
    am_system *system = am_system_create(&s.def, NULL); /* neither mass nor damping */
    am_matrix_free(K);
    assert_non_null(system);
    assert_int_equal(am_system_size(system), 2);
    assert_int_equal(am_system_contacts(system), 2);
    assert_int_equal(am_system_loads(system), 2);
    assert_near(am_matrix_largest(am_system_mass(system)), 0, 0);
    assert_near(am_matrix_largest(am_system_damping(system)), 0, 0);
    assert_int_equal(am_matrix_rows(am_system_mass(system)), 2);
    assert_string_equal(am_system_name(system, 0), "q1");
    assert_string_equal(am_system_name(system, 1), "q2");
    assert_string_equal(am_system_contact(system, 0)->name, "contact 1");
    assert_string_equal(am_system_contact(system, 1)->name, "heel");
    assert_near(am_system_contact(system, 0)->static_friction, 0.3, 0);
    assert_near(am_system_contact(system, 1)->static_friction, 0.5, 0);
    am_system_free(system);
}

static void everything_is_copied(void **state) {
    (void)state;
    sample s;
    char first[] = "left", second[] = "up", contact[] = "toe";
    const char *names[] = {first, second};
    good(&s);
    s.def.names = names;
    s.contact[0].name = contact;
    s.contact[0].normal_law = AM_HELD;
    s.contact[0].hold = am_function_table(3, s.times, s.values);
    am_system *system = create(&s, NULL);
    assert_non_null(system);
    memset(&s, 0xff, sizeof s); /* every number becomes NaN, every pointer wild */
    strcpy(first, "xxxx");
    strcpy(second, "xx");
    strcpy(contact, "xxx");
    assert_near(am_matrix_at(am_system_mass(system), 0, 0), 2, 0);
    assert_near(am_matrix_at(am_system_damping(system), 1, 1), 0.1, 0);
    assert_near(am_matrix_at(am_system_stiffness(system), 0, 1), 1, 0);
    assert_string_equal(am_system_name(system, 0), "left");
    assert_string_equal(am_system_name(system, 1), "up");
    const am_contact_def *c = am_system_contact(system, 0);
    assert_string_equal(c->name, "toe");
    assert_near(c->normal[1], 1, 0);
    assert_near(c->tangent[0], 1, 0);
    assert_near(am_function_at(&c->hold, 0.5), 0.5, 0);
    assert_near(am_system_load(system, 0)->direction[0], 1, 0);
    assert_near(am_function_at(&am_system_load(system, 0)->function, 3), 3, 0);
    assert_near(am_function_at(&am_system_load(system, 1)->function, 1.5), 0.5, 0);
    am_system_free(system);
}

static void states_have_names(void **state) {
    (void)state;
    assert_string_equal(am_contact_state_name(AM_OPEN), "open");
    assert_string_equal(am_contact_state_name(AM_STICK), "stick");
    assert_string_equal(am_contact_state_name(AM_FORWARD), "forward");
    assert_string_equal(am_contact_state_name(AM_BACKWARD), "backward");
    assert_string_equal(am_contact_state_name((am_contact_state)42), "unknown");
}

static void refusals_without_err_are_fine(void **state) {
    (void)state;
    sample s;
    good(&s);
    s.load[1].function = am_function_pulse(1, 0, 0);
    assert_null(create(&s, NULL));
    am_system_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_itself_is_good),
        cmocka_unit_test(an_uninitialised_definition_is_caught),
        cmocka_unit_test(a_system_needs_stiffness_and_a_degree_of_freedom),
        cmocka_unit_test(matrices_of_the_wrong_size_are_refused),
        cmocka_unit_test(mass_and_stiffness_must_be_symmetric),
        cmocka_unit_test(gyroscopic_damping_is_accepted),
        cmocka_unit_test(negative_damping_and_stiffness_are_accepted_and_refused_where_a_structure_must_rest),
        cmocka_unit_test(indefinite_masses_are_refused_and_semidefinite_matrices_accepted),
        cmocka_unit_test(an_eigenvalue_of_minus_1e_12_of_the_largest_is_negative),
        cmocka_unit_test(free_chains_are_semidefinite_whatever_rounding_says),
        cmocka_unit_test(wrong_contacts_are_refused_by_name),
        cmocka_unit_test(held_contacts_need_a_normal_force_that_is_a_function),
        cmocka_unit_test(held_forces_act_along_their_normal),
        cmocka_unit_test(wrong_loads_are_refused_by_name),
        cmocka_unit_test(blows_of_one_instant_add_up),
        cmocka_unit_test(what_is_left_out_is_filled_in),
        cmocka_unit_test(everything_is_copied),
        cmocka_unit_test(states_have_names),
        cmocka_unit_test(refusals_without_err_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
