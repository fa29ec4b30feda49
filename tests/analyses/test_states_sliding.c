/* `states` with question sliding: Table 1 of Chatterjee row by row, and the same problem with several contacts. */
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/stability.h"
#include "amontons/states.h"
#include "dense_system.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "uniform.h"

static am_system *build(size_t n, const double *M, const double *K, size_t m, const am_contact_def *contacts,
                        const double *force, double value) {
    am_load_def load = {.direction = force, .function = am_function_constant(value)};
    am_system_def def = am_system_def_default();
    def.n = n;
    def.contact_count = m;
    def.contacts = contacts;
    def.load_count = 1;
    def.loads = &load;
    return dense_system(def, M, NULL, K);
}

/* Two modes of mass 1, lambda = (1, 1), f2 = -1: A = delta_0/m1 = Delta - 1, b = 2 P at the undeformed place. */
static am_system *two_modes(double Delta, double P) {
    static const double M[4] = {1, 0, 0, 1}, K[4] = {1, 0, 0, 0.5}, normal[2] = {-1, -1};
    double tangent[2] = {Delta + 1.0, 0.0}, force[2] = {1.0, 1.0};
    am_contact_def contact = am_contact_def_default();
    contact.normal = normal;
    contact.tangent = tangent;
    contact.friction = 1.0;
    contact.surface_velocity = 2.0;
    return build(2, M, K, 1, &contact, force, P);
}

static am_result *ask(const am_system *system, const double *displacement) {
    am_states_options options = am_states_options_default();
    am_result *result = am_result_create(NULL);
    options.question = AM_STATES_SLIDING;
    options.displacement = displacement;
    GOOD(am_states_run(system, &options, result, NULL, err));
    return result;
}

static const char *text_of(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    assert_non_null(scalar);
    return scalar->kind == AM_SCALAR_TEXT ? scalar->text : "none";
}

static void table_1_row_by_row(void **state) {
    (void)state;
    const struct {
        double Delta, P;
        const char *conditions, *answer;
        bool no_contact;
        double N; /* NaN: no contact solution */
        const char *layer;
        bool painleve;
    } rows[] = {{0.5, -1, "A < 0, b < 0", "one", true, NAN, "none", false},
                {0.5, 0, "A < 0, b = 0", "one", true, NAN, "none", false},
                {0.5, 1, "A < 0, b > 0", "one", false, 4, "stable", false},
                {1.5, -1, "A > 0, b < 0", "two", true, 4, "unstable", true},
                {1.5, 0, "A > 0, b = 0", "one", true, NAN, "none", true},
                {1.5, 1, "A > 0, b > 0", "none", false, NAN, "none", true},
                {1.0, -1, "A = 0, b < 0", "one", true, NAN, "none", true},
                {1.0, 0, "A = 0, b = 0", "infinitely many", true, NAN, "none", true},
                {1.0, 1, "A = 0, b > 0", "none", false, NAN, "none", true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        am_system *system = two_modes(rows[i].Delta, rows[i].P);
        am_result *result = ask(system, NULL);
        assert_string_equal(text_of(result, "conditions"), rows[i].conditions);
        assert_string_equal(text_of(result, "answer"), rows[i].answer);
        assert_near(number(result, "no_contact"), rows[i].no_contact ? 1.0 : 0.0, 0.0);
        if (isnan(rows[i].N))
            assert_true(isnan(number(result, "contact_N")));
        else
            assert_near(number(result, "contact_N"), rows[i].N, 1e-14);
        assert_string_equal(text_of(result, "contact_boundary_layer"), rows[i].layer);
        assert_near(number(result, "painleve"), rows[i].painleve ? 1.0 : 0.0, 0.0);
        assert_near(number(result, "contact_A"), rows[i].Delta - 1.0, 1e-15);
        assert_near(number(result, "contact_b"), 2.0 * rows[i].P, 1e-15);
        am_result_free(result);
        am_system_free(system);
    }
}

/* b of eq. 24 at another place of the constraint: (delta_5 - delta_2 X2)/m1, delta_2 = k2 - k1 here. */
static void b_depends_on_where_the_modes_are(void **state) {
    (void)state;
    am_system *system = two_modes(0.5, 1.0);
    const double place[2] = {-0.3, 0.3};
    am_result *result = ask(system, place);
    assert_near(number(result, "contact_b"), 2.0 - (0.5 - 1.0) * 0.3, 1e-14);
    am_result_free(result);
    am_system_free(system);
}

/* A compliant contact beside the rigid one pushes with k d + c d' and drags with its friction: as a load of that size
 * does. */
static void compliant_contacts_push_like_loads(void **state) {
    (void)state;
    static const double normal[3] = {0, 1, 0}, tangent[3] = {1, 0, 0};
    uint64_t seed = 81;
    for (size_t trial = 0; trial < 30; trial++) {
        double M[9] = {0}, K[9] = {0}, n[3], t[3], q[3], v[3] = {0}, push[3], depth = 0, rate = 0;
        am_contact_def contact[2] = {am_contact_def_default(), am_contact_def_default()};
        for (size_t i = 0; i < 3; i++) {
            M[4 * i] = uniform(&seed, 0.5, 2);
            K[4 * i] = uniform(&seed, 0.5, 2);
            n[i] = uniform(&seed, -1, 1);
            t[i] = uniform(&seed, -1, 1);
            q[i] = i == 1 ? 0.0 : uniform(&seed, -0.5, 0.5); /* on the rigid surface, along which it may move */
            v[i] = i == 1 ? 0.0 : uniform(&seed, -0.1, 0.1);
            depth -= n[i] * q[i];
            rate -= n[i] * v[i];
        }
        contact[0].normal = normal;
        contact[0].tangent = tangent;
        contact[0].friction = 0.3;
        contact[0].surface_velocity = 5.0;
        contact[1].normal = n;
        contact[1].tangent = t;
        contact[1].normal_law = AM_KELVIN_VOIGT;
        contact[1].contact_stiffness = uniform(&seed, 1, 5);
        contact[1].contact_damping = uniform(&seed, 0, 0.5);
        contact[1].gap = uniform(&seed, -0.3, 0.3); /* closed or open */
        contact[1].friction = uniform(&seed, 0, 0.5);
        contact[1].surface_velocity = trial % 2 ? 5.0 : -5.0;
        depth -= contact[1].gap;
        double N =
            depth > 0 ? fmax(0.0, contact[1].contact_stiffness * depth + contact[1].contact_damping * rate) : 0.0;
        for (size_t i = 0; i < 3; i++)
            push[i] = n[i] + (trial % 2 ? 1.0 : -1.0) * contact[1].friction * t[i];
        am_states_options options = am_states_options_default();
        am_result *result[2];
        options.question = AM_STATES_SLIDING;
        options.displacement = q;
        options.velocity = v;
        for (size_t k = 0; k < 2; k++) {
            am_system *system = k ? build(3, M, K, 1, contact, push, N) : build(3, M, K, 2, contact, normal, 0.0);
            result[k] = am_result_create(NULL);
            GOOD(am_states_run(system, &options, result[k], NULL, err));
            am_system_free(system);
        }
        assert_near(number(result[0], "contact_b"), number(result[1], "contact_b"),
                    1e-13 * (1.0 + fabs(number(result[1], "contact_b"))));
        am_result_free(result[0]);
        am_result_free(result[1]);
    }
}

/* ---- several contacts ---- */

enum { N = 5, CONTACTS = 3 };

static uint64_t seed = 24;

/* The solutions by trying all sets, with the accelerations from the whole bordered system instead of A and b:
 * M a - sum of b_c N_c = F, n_c a = 0 in the set. */
static size_t count_solutions(const double *M, double n[CONTACTS][N], double push[CONTACTS][N], const double *F) {
    size_t count = 0;
    for (size_t set = 0; set < 1 << CONTACTS; set++) {
        double a[(N + CONTACTS) * (N + CONTACTS)] = {0}, x[N + CONTACTS] = {0};
        lapack_int order[N + CONTACTS];
        size_t size = N + CONTACTS;
        for (size_t i = 0; i < N; i++) {
            x[i] = F[i];
            for (size_t j = 0; j < N; j++)
                a[i * size + j] = M[i * N + j];
            for (size_t c = 0; c < CONTACTS; c++) {
                a[i * size + N + c] = -push[c][i];
                a[(N + c) * size + i] = set >> c & 1 ? n[c][i] : 0.0;
            }
        }
        for (size_t c = 0; c < CONTACTS; c++)
            if (!(set >> c & 1))
                a[(N + c) * size + N + c] = 1.0; /* N = 0 */
        assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)size, 1, a, (int)size, order, x, 1), 0);
        bool fine = true;
        for (size_t c = 0; c < CONTACTS; c++) {
            double opening = 0.0;
            for (size_t i = 0; i < N; i++)
                opening += n[c][i] * x[i];
            fine = fine && (set >> c & 1 ? x[N + c] > 0.0 : opening >= 0.0);
        }
        count += fine ? 1 : 0;
    }
    return count;
}

static void solutions_of_random_contacts_are_all_found(void **state) {
    (void)state;
    size_t seen[9] = {0};
    for (int trial = 0; trial < 400; trial++) {
        double M[N * N], K[N * N] = {0}, n[CONTACTS][N], t[CONTACTS][N], push[CONTACTS][N], F[N], g[N * N];
        am_contact_def contacts[CONTACTS];
        for (size_t i = 0; i < N * N; i++)
            g[i] = uniform(&seed, -1.0, 1.0);
        for (size_t i = 0; i < N; i++) {
            F[i] = uniform(&seed, -1.0, 1.0);
            K[i * N + i] = 1.0;
            for (size_t j = 0; j < N; j++) {
                M[i * N + j] = i == j ? 0.2 : 0.0;
                for (size_t k = 0; k < N; k++)
                    M[i * N + j] += g[i * N + k] * g[j * N + k];
            }
        }
        for (size_t c = 0; c < CONTACTS; c++) {
            contacts[c] = am_contact_def_default();
            contacts[c].friction = uniform(&seed, 0.0, trial % 2 == 0 ? 3.0 : 0.2);
            contacts[c].surface_velocity = trial % 3 == 0 ? -1.0 : 1.0;
            double mu = contacts[c].surface_velocity > 0.0 ? contacts[c].friction : -contacts[c].friction;
            for (size_t i = 0; i < N; i++) {
                n[c][i] = uniform(&seed, -1.0, 1.0);
                t[c][i] = uniform(&seed, -1.0, 1.0);
                push[c][i] = n[c][i] + mu * t[c][i];
            }
            contacts[c].normal = n[c];
            contacts[c].tangent = t[c];
        }
        am_system *system = build(N, M, K, CONTACTS, contacts, F, 1.0);
        am_result *result = ask(system, NULL);
        size_t expected = count_solutions(M, n, push, F);
        seen[expected]++;
        assert_near(number(result, "solutions"), (double)expected, 0.0);
        assert_true(number(result, "lcp_residual") <= 1e-10);
        if (number(result, "unique_for_all") == 1.0)
            assert_int_equal(expected, 1);
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(seen[0] > 5 && seen[1] > 100 && seen[2] > 5);
}

/* Many masses on separate contacts: too many sets to try, but each decides for itself. */
static void many_contacts_are_solved_by_pivoting(void **state) {
    (void)state;
    enum { MANY = 20 };
    double M[MANY * 2 * MANY * 2] = {0}, K[MANY * 2 * MANY * 2] = {0}, rows[2 * MANY][2 * MANY] = {{0}}, F[2 * MANY];
    am_contact_def contacts[MANY];
    for (size_t i = 0; i < 2 * MANY; i++) {
        M[i * 2 * MANY + i] = K[i * 2 * MANY + i] = 1.0;
        rows[i][i] = 1.0;
        F[i] = i < MANY ? (i % 3 == 0 ? 1.0 : -2.0) : 0.0;
    }
    for (size_t c = 0; c < MANY; c++) {
        contacts[c] = am_contact_def_default();
        contacts[c].normal = rows[c];
        contacts[c].tangent = rows[MANY + c];
        contacts[c].friction = 0.5;
        contacts[c].surface_velocity = 1.0;
    }
    am_system *system = build(2 * MANY, M, K, MANY, contacts, F, 1.0);
    am_result *result = ask(system, NULL);
    const am_table *table = am_result_find_table(result, "solutions");
    assert_string_equal(text_of(result, "answer"), "one");
    assert_int_equal(am_table_rows(table), MANY);
    for (size_t c = 0; c < MANY; c++)
        assert_near(am_table_number(table, c, 3), c % 3 == 0 ? 0.0 : 2.0, 1e-14);
    am_result_free(result);
    am_system_free(system);
}

/* The same place held twice: the sum of the forces is decided, their shares are not. */
static void contacts_that_hold_the_same_place_share_in_infinitely_many_ways(void **state) {
    (void)state;
    static const double unit[4] = {1, 0, 0, 1}, n[2] = {0, 1}, t[2] = {1, 0}, force[2] = {0, -3};
    am_contact_def contacts[2];
    for (size_t c = 0; c < 2; c++) {
        contacts[c] = am_contact_def_default();
        contacts[c].normal = n;
        contacts[c].tangent = t;
        contacts[c].friction = 0.3;
        contacts[c].surface_velocity = 1.0;
    }
    am_system *system = build(2, unit, unit, 2, contacts, force, 1.0);
    am_result *result = ask(system, NULL);
    assert_string_equal(text_of(result, "answer"), "infinitely many");
    am_result_free(result);
    am_system_free(system);
    system = build(2, unit, unit, 2, contacts, force, -1.0); /* pulled apart: one answer */
    result = ask(system, NULL);
    assert_string_equal(text_of(result, "answer"), "one");
    am_result_free(result);
    am_system_free(system);
}

/* Two contacts whose friction feeds each other: A = -[1, -mu; mu, 1], eigenvalues -1 +- i mu. The answer is unique for
 * every b, and yet stiff contacts tend to it only with damping above mu/sqrt(1 + mu^2) of the boundary layer. */
static am_system *crosswise(double mu, am_normal_law law, double stiffness, double damping) {
    static const double unit[4] = {1, 0, 0, 1}, n[2][2] = {{1, 0}, {0, 1}}, t[2][2] = {{0, 1}, {-1, 0}};
    static const double force[2] = {-1, -1};
    am_contact_def contacts[2];
    for (size_t c = 0; c < 2; c++) {
        contacts[c] = am_contact_def_default();
        contacts[c].normal = n[c];
        contacts[c].tangent = t[c];
        contacts[c].friction = mu;
        contacts[c].surface_velocity = 1.0;
        contacts[c].normal_law = law;
        contacts[c].contact_stiffness = stiffness;
        contacts[c].contact_damping = damping;
    }
    return build(2, unit, unit, 2, contacts, force, 1.0);
}

static void the_boundary_layer_is_the_fast_motion_of_stiff_contacts(void **state) {
    (void)state;
    const double mu = 0.5, critical = mu / sqrt(1.0 + mu * mu), fast = 1e5;
    am_system *system = crosswise(mu, AM_UNILATERAL, 0.0, 0.0);
    am_result *result = ask(system, NULL);
    const am_table *table = am_result_find_table(result, "solutions");
    assert_near(number(result, "unique_for_all"), 1.0, 0.0);
    assert_near(cell(table, 0, "N"), (1.0 + mu) / (1.0 + mu * mu), 1e-14);
    assert_string_equal(word(table, 0, "boundary_layer"), "stable with damping");
    assert_near(cell(table, 0, "damping"), critical, 1e-14);
    am_result_free(result);
    am_system_free(system);
    for (int side = -1; side <= 1; side += 2) {
        am_error err = {0};
        am_spectrum spectrum;
        am_stability_options options = am_stability_options_default();
        system = crosswise(mu, AM_KELVIN_VOIGT, fast * fast, (1.0 + 1e-3 * side) * critical * fast);
        if (am_stability_spectrum(system, &options, &spectrum, &err))
            fail_msg("%s", err.message);
        assert_int_equal(spectrum.real[0] > spectrum.uncertainty[0], side < 0);
        /* at the threshold s = i |l|/sqrt(|Re l|) */
        assert_near(fabs(spectrum.imaginary[0]) / fast, sqrt(1.0 + mu * mu), 1e-2);
        am_spectrum_clear(&spectrum);
        am_system_free(system);
    }
}

static void assert_refused(const am_system *system, const am_states_options *options, am_status status,
                           const char *word) {
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_states_run(system, options, result, NULL, &err), status);
    assert_says(&err, word);
    am_result_free(result);
}

static void impossible_places_are_refused_with_a_sentence(void **state) {
    (void)state;
    am_states_options options = am_states_options_default();
    am_system *system = two_modes(0.5, 1.0);
    const double inside[2] = {0.1, 0.0}, approaching[2] = {1.0, 0.0}, with_surface[2] = {2.0 / 1.5, -2.0 / 1.5};
    options.question = AM_STATES_SLIDING;
    options.displacement = inside;
    assert_refused(system, &options, AM_ERR_INPUT, "overlaps");
    options.displacement = NULL;
    options.velocity = approaching;
    assert_refused(system, &options, AM_ERR_INPUT, "impact");
    options.velocity = with_surface; /* t.q' = 1.5 q1' = 2 = the surface's */
    assert_refused(system, &options, AM_ERR_INPUT, "does not slide");
    am_system_free(system);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compliant_contacts_push_like_loads),
        cmocka_unit_test(table_1_row_by_row),
        cmocka_unit_test(b_depends_on_where_the_modes_are),
        cmocka_unit_test(solutions_of_random_contacts_are_all_found),
        cmocka_unit_test(many_contacts_are_solved_by_pivoting),
        cmocka_unit_test(contacts_that_hold_the_same_place_share_in_infinitely_many_ways),
        cmocka_unit_test(the_boundary_layer_is_the_fast_motion_of_stiff_contacts),
        cmocka_unit_test(impossible_places_are_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
