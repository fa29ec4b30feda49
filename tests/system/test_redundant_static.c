/* Contacts whose directions depend on each other in quasi-static analyses: pads in the place of one contact go the same
 * path, and have the same admissible states. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/path.h"
#include "amontons/stability.h"
#include "amontons/states.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "pads.h"
#include "results.h"

/* A structure that has rates everywhere: Coulomb friction, continuous loads. */
static void random_structure(uint64_t seed, plain_system *one, plain_system *many, size_t *whole, double *q) {
    static const size_t sizes[][2] = {{2, 1}, {3, 1}, {4, 2}, {5, 2}, {6, 3}};
    const size_t *size = sizes[seed % 5];
    random_options kinds = random_options_default(size[0], size[1]);
    double v[PLAIN_SIZE];
    kinds.static_kinetic = kinds.restitution = 0;
    kinds.held = 0.5;
    kinds.friction = 0.5;
    random_system(30000 + seed, &kinds, one, q, v);
    one->massless = true;
    random_source source = random_seed(31000 + seed);
    pads_divide(&source, one, 5, many, whole);
}

static am_status run_path(const plain_system *plain, const am_path_options *options, am_result **result) {
    am_error err = {0};
    am_system *system = plain_system_create(plain, &err);
    if (!system)
        fail_msg("%s", err.message);
    *result = am_result_create(NULL);
    am_status status = am_path_run(system, options, *result, NULL, &err);
    am_system_free(system);
    return status;
}

static am_contact_state named(const char **names) {
    static const char *const all[] = {"open", "stick", "forward", "backward"};
    for (int s = 0; s < 4; s++) {
        size_t length = strlen(all[s]);
        if (strncmp(*names, all[s], length) != 0)
            continue;
        *names += length + ((*names)[length] == ',');
        return (am_contact_state)s;
    }
    fail_msg("no states: %s", *names);
    return AM_OPEN;
}

/* "stick,forward" and "stick,stick,backward" where the second has two pads for the first contact, and one that looks
 * the other way for the second. */
static void check_names(const plain_system *one, const plain_system *many, const size_t *whole, const char *single,
                        const char *pads) {
    am_contact_state states[PLAIN_CONTACTS];
    const char *next = single, *other = pads;
    for (size_t c = 0; c < one->m; c++)
        states[c] = named(&next);
    for (size_t p = 0; p < many->m; p++) {
        am_contact_state got = named(&other);
        if (pads_seen(&many->contact[p], &one->contact[whole[p]], one->n, got) != states[whole[p]])
            fail_msg("%s is not %s", pads, single);
    }
}

/* Forces that a table shows add up to those of the single contacts, and keep to the laws. */
static void check_forces(const plain_system *one, const plain_system *many, const size_t *whole, const am_table *single,
                         const am_table *pads, size_t row, double scale) {
    double normal[PLAIN_CONTACTS] = {0}, tangential[PLAIN_CONTACTS] = {0};
    char name[32];
    for (size_t p = 0; p < many->m; p++) {
        const plain_contact *pad = &many->contact[p], *contact = &one->contact[whole[p]];
        double along = 0, square = 0, across = 0, length = 0;
        for (size_t i = 0; i < one->n; i++) {
            along += pad->tangent[i] * contact->tangent[i];
            square += contact->tangent[i] * contact->tangent[i];
            across += pad->normal[i] * contact->normal[i];
            length += contact->normal[i] * contact->normal[i];
        }
        snprintf(name, sizeof name, "N%zu", p + 1);
        double N = cell(pads, row, name);
        snprintf(name, sizeof name, "T%zu", p + 1);
        double T = cell(pads, row, name);
        assert_true(N >= -1e-9 * scale && fabs(T) <= pad->friction * N + 1e-9 * scale);
        normal[whole[p]] += N * across / length;
        tangential[whole[p]] += T * along / square;
    }
    for (size_t c = 0; c < one->m; c++) {
        snprintf(name, sizeof name, "N%zu", c + 1);
        assert_near(normal[c], cell(single, row, name), 1e-9 * scale);
        snprintf(name, sizeof name, "T%zu", c + 1);
        assert_near(tangential[c], cell(single, row, name), 1e-9 * scale);
    }
}

static void pads_go_the_path_of_one_contact(void **state) {
    (void)state;
    size_t compared = 0, corners = 0, refused = 0, shared = 0;
    for (uint64_t seed = 0; seed < CASES(300, 40); seed++) {
        plain_system one, many;
        size_t whole[PLAIN_CONTACTS];
        double q[PLAIN_SIZE];
        am_path_options options = am_path_options_default();
        am_result *single, *pads;
        random_structure(seed, &one, &many, whole, q);
        options.until = 8;
        options.samples = 41;
        options.displacement = q;
        am_status status = run_path(&one, &options, &single), other = run_path(&many, &options, &pads);
        if (status != other)
            fail_msg("structure %zu: %d, with pads %d", (size_t)seed, (int)status, (int)other);
        if (!status && pads_divided(&one, &many)) {
            const am_table *a = table_of(single, "corners"), *b = table_of(pads, "corners");
            compared++;
            corners += rows(single, "corners");
            shared += flag(pads, "indeterminate_forces");
            assert_int_equal(rows(pads, "corners"), rows(single, "corners"));
            for (size_t i = 0; i < rows(single, "corners"); i++) {
                assert_near(cell(b, i, "t"), cell(a, i, "t"), 1e-9);
                assert_string_equal(word(b, i, "cause"), word(a, i, "cause"));
                check_names(&one, &many, whole, word(a, i, "state"), word(b, i, "state"));
                check_forces(&one, &many, whole, a, b, i, 10);
            }
            assert_near(number(pads, "loss_friction"), number(single, "loss_friction"), 1e-8);
            assert_false(flag(single, "indeterminate_forces"));
        }
        refused += status != AM_OK;
        am_result_free(single);
        am_result_free(pads);
    }
    print_message("%zu paths compared with %zu corners, %zu with shared forces; %zu end without a state\n", compared,
                  corners, shared, refused);
    assert_true(compared > CASES(150, 15) && corners > 2 * compared && shared > compared / 3);
}

/* Two masses on springs under a common load that repeats: after some cycles they have forgotten the start, or
 * remember it. */
static void pads_have_the_cycles_of_one_contact(void **state) {
    (void)state;
    size_t compared = 0, repeats = 0;
    for (uint64_t seed = 0; seed < CASES(80, 12); seed++) {
        random_source source = random_seed(33000 + seed);
        plain_system one = plain_system_new(2, 2), many;
        size_t whole[PLAIN_CONTACTS];
        one.massless = true;
        for (size_t i = 0; i < 2; i++) {
            one.stiffness[3 * i] = random_between(&source, 1.5, 3);
            one.stiffness[2 - i] = -1;
            one.contact[i].tangent[i] = one.contact[i].normal[i] = 1;
            one.contact[i].normal_law = AM_HELD;
            one.contact[i].friction = random_between(&source, 0.2, 0.6);
            one.contact[i].hold = (am_function){.kind = AM_FUNCTION_RAMP, .value = 1};
            one.load[0].direction[i] = random_between(&source, -1, 1);
        }
        one.loads = 1;
        one.load[0].function = (am_function){.kind = AM_FUNCTION_SINE,
                                             .value = random_between(&source, -0.5, 0.5),
                                             .amplitude = random_between(&source, 0.5, 3),
                                             .frequency = 1};
        pads_divide(&source, &one, 5, &many, whole);
        am_path_options options = am_path_options_default();
        am_result *single, *pads;
        options.until_repeat = true;
        options.most_cycles = 200;
        am_status status = run_path(&one, &options, &single);
        assert_int_equal(run_path(&many, &options, &pads), status);
        if (!status && pads_divided(&one, &many)) {
            compared++;
            repeats += flag(single, "repeats");
            assert_int_equal(flag(pads, "repeats"), flag(single, "repeats"));
            assert_int_equal(flag(pads, "shakedown"), flag(single, "shakedown"));
            /* how near is near enough is measured along the rows, which are longer or shorter */
            assert_near(number(pads, "cycles_to_repeat"), number(single, "cycles_to_repeat"), 2);
            assert_near(number(pads, "dissipation"), number(single, "dissipation"), 1e-10);
            assert_near(number(pads, "multiplier"), number(single, "multiplier"), 1e-9);
        }
        am_result_free(single);
        am_result_free(pads);
    }
    assert_true(compared > CASES(40, 6) && repeats > compared / 2);
}

/* ---- states ---- */

static void pads_have_the_regions_of_one_contact(void **state) {
    (void)state;
    size_t compared = 0, regions = 0;
    for (uint64_t seed = 0; seed < CASES(200, 30); seed++) {
        plain_system one, many;
        size_t whole[PLAIN_CONTACTS];
        double q[PLAIN_SIZE];
        random_structure(seed, &one, &many, whole, q);
        am_standing standing[2][PLAIN_CONTACTS] = {{0}};
        random_source source = random_seed(32000 + seed);
        for (size_t c = 0; c < one.m; c++) {
            one.contact[c].surface_velocity = 0;
            standing[0][c] = (am_standing)random_index(&source, one.contact[c].normal_law == AM_HELD ? 4 : 5);
        }
        for (size_t p = 0; p < many.m; p++) {
            am_standing its = standing[0][whole[p]];
            am_contact_state seen = its == AM_STANDING_FORWARD ? AM_FORWARD : AM_BACKWARD;
            many.contact[p].surface_velocity = 0;
            if (its == AM_STANDING_FORWARD || its == AM_STANDING_BACKWARD)
                its = pads_seen(&many.contact[p], &one.contact[whole[p]], one.n, seen) == AM_FORWARD
                          ? AM_STANDING_FORWARD
                          : AM_STANDING_BACKWARD;
            standing[1][p] = its;
        }
        am_result *results[2];
        const plain_system *plain[] = {&one, &many};
        for (int i = 0; i < 2; i++) {
            am_system *system = plain_system_create(plain[i], NULL);
            am_states_options options = am_states_options_default();
            options.question = AM_STATES_SECTORS;
            options.standing = standing[i];
            results[i] = am_result_create(NULL);
            GOOD(am_states_run(system, &options, results[i], NULL, err));
            am_system_free(system);
        }
        const am_table *a = table_of(results[0], "regions"), *b = table_of(results[1], "regions");
        assert_int_equal(rows(results[1], "regions"), rows(results[0], "regions"));
        for (size_t i = 0; i < rows(results[0], "regions"); i++) {
            size_t found = 0;
            for (size_t j = 0; j < rows(results[1], "regions"); j++) {
                double off = fabs(cell(a, i, "from_deg") - cell(b, j, "from_deg")) +
                             fabs(cell(a, i, "to_deg") - cell(b, j, "to_deg"));
                if (!(off <= 1e-7))
                    continue;
                found++;
            }
            assert_true(found > 0);
            regions++;
        }
        assert_int_equal(flag(results[1], "unique"), flag(results[0], "unique"));
        assert_int_equal(flag(results[1], "complete"), flag(results[0], "complete"));
        compared += pads_divided(&one, &many);
        am_result_free(results[0]);
        am_result_free(results[1]);
    }
    assert_true(compared > CASES(120, 15) && regions > compared);
}

/* ---- stability ---- */

static am_result *run_stability(const plain_system *plain, const am_contact_state *states, am_status *status) {
    am_error err = {0};
    am_system *system = plain_system_create(plain, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_stability_options options = am_stability_options_default();
    am_result *result = am_result_create(NULL);
    options.state = states;
    *status = am_stability_run(system, &options, result, NULL, &err);
    am_system_free(system);
    return result;
}

/* Real parts and frequencies in any order. */
static void check_eigenvalues(const am_result *single, const am_result *pads) {
    const am_table *a = table_of(single, "eigenvalues"), *b = table_of(pads, "eigenvalues");
    assert_int_equal(rows(pads, "eigenvalues"), rows(single, "eigenvalues"));
    for (size_t i = 0; i < rows(single, "eigenvalues"); i++) {
        double least = INFINITY;
        for (size_t j = 0; j < rows(pads, "eigenvalues"); j++)
            least = fmin(least, hypot(cell(a, i, "real") - cell(b, j, "real"),
                                      cell(a, i, "imaginary") - cell(b, j, "imaginary")));
        assert_true(least <= 1e-6); /* of double eigenvalues half of the digits are lost */
    }
}

static void pads_have_the_spectrum_of_one_contact(void **state) {
    (void)state;
    size_t compared = 0, known = 0;
    for (uint64_t seed = 0; seed < CASES(200, 30); seed++) {
        plain_system one, many;
        size_t whole[PLAIN_CONTACTS];
        double q[PLAIN_SIZE];
        am_contact_state states[2][PLAIN_CONTACTS];
        am_status status, other;
        random_structure(seed, &one, &many, whole, q);
        one.massless = many.massless = false;
        one.loads = many.loads = 1; /* the constant one */
        random_source source = random_seed(34000 + seed);
        for (size_t c = 0; c < one.m; c++) {
            states[0][c] = (am_contact_state)(1 + random_index(&source, 3));
            one.contact[c].hold.amplitude = 0;
        }
        for (size_t p = 0; p < many.m; p++) {
            many.contact[p].hold.amplitude = 0;
            states[1][p] = pads_seen(&many.contact[p], &one.contact[whole[p]], one.n, states[0][whole[p]]);
        }
        am_result *single = run_stability(&one, states[0], &status), *pads = run_stability(&many, states[1], &other);
        assert_int_equal(other, status);
        if (!status && pads_divided(&one, &many)) {
            compared++;
            assert_string_equal(text(pads, "kind"), text(single, "kind"));
            check_eigenvalues(single, pads);
            if (am_result_find(single, "q1")) {
                known++;
                assert_near(number(pads, "q1"), number(single, "q1"), 1e-9 * (1 + fabs(number(single, "q1"))));
            }
        }
        am_result_free(single);
        am_result_free(pads);
    }
    print_message("%zu spectra compared, %zu with an equilibrium\n", compared, known);
    assert_true(compared > CASES(100, 15) && known > compared / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pads_go_the_path_of_one_contact),
        cmocka_unit_test(pads_have_the_cycles_of_one_contact),
        cmocka_unit_test(pads_have_the_regions_of_one_contact),
        cmocka_unit_test(pads_have_the_spectrum_of_one_contact),
    };
    return cmocka_run_group_tests_name("redundant_static", tests, NULL, NULL);
}
