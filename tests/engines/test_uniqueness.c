/* Condition 3.1 for N contacts: verdicts against all determinants, witnesses against the rate problem, critical
 * friction against closed forms; and the stiffness reduced to the contacts, on which all of it stands. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/models.h"
#include "amontons/states.h"
#include "cases.h"
#include "errors.h"
#include "math/p_matrix.h"
#include "near.h"
#include "random_system.h"
#include "results.h"
#include "system/reduced.h"

enum { most = 80 };

/* ---- structures ---- */

typedef struct plain_nodes {
    size_t n;
    double A[most * most], B[most * most], mu[most];
} plain_nodes;

/* C so large that the whole stiffness is positive definite: C = c I with c above |B|^2 / (smallest eigenvalue of A),
 * here by Frobenius norms and a stated lower bound of that eigenvalue. */
static am_system *create(const plain_nodes *p, double lowest, double factor) {
    size_t n = p->n;
    am_error err = {0};
    double *C = calloc(n * n, sizeof *C), norm = 0.0, mu[most];
    am_function zero[most];
    for (size_t e = 0; e < n * n; e++)
        norm += p->B[e] * p->B[e];
    for (size_t i = 0; i < n; i++) {
        C[i * n + i] = 1.0 + 1.1 * norm / lowest;
        mu[i] = factor * p->mu[i];
        zero[i] = am_function_constant(0.0);
    }
    am_nodes def = am_nodes_default();
    am_matrix *a = am_matrix_dense(n, n, p->A, &err), *b = am_matrix_dense(n, n, p->B, &err),
              *c = am_matrix_dense(n, n, C, &err);
    def.count = n;
    def.A = a;
    def.B = b;
    def.C = c;
    def.mu = mu;
    def.tangential = def.normal = zero;
    am_system *system = am_nodes_create(&def, &err);
    if (!system)
        print_error("%s\n", err.message);
    assert_non_null(system);
    am_matrix_free(a);
    am_matrix_free(b);
    am_matrix_free(c);
    free(C);
    return system;
}

/* Example 1 of the paper. */
static const plain_nodes example = {2, {1.0, 0.5, 0.5, 1.0}, {0.5, 0.25, 0.95, 0.95}, {1.0, 1.0}};

/* A = I + something small and symmetric (smallest eigenvalue above 1/2 by Gershgorin), B random. */
static plain_nodes random_nodes(uint64_t seed, size_t n, double coupling) {
    random_source source = random_seed(seed);
    plain_nodes p = {.n = n};
    for (size_t i = 0; i < n; i++) {
        p.mu[i] = random_between(&source, 0.2, 1.0);
        for (size_t j = 0; j <= i; j++)
            p.A[i * n + j] = p.A[j * n + i] =
                i == j ? 1.0 : random_between(&source, -0.5, 0.5) / (double)(n > 1 ? n - 1 : 1);
        for (size_t j = 0; j < n; j++)
            p.B[i * n + j] = coupling * random_between(&source, -1.0, 1.0);
    }
    return p;
}

/* Three contacts that slip in a ring: each one's normal force feels the next one's slip. Of A = I the minor of the ring
 * is 1 + e1 e2 e3 (mu ring)^3 and all smaller ones are 1: for mu ring > 1 just the ring is negative, for the signs
 * whose product is -1. Everything else is weakly coupled. */
static plain_nodes planted_ring(size_t n, const size_t member[3], double ring) {
    random_source source = random_seed(n);
    plain_nodes p = {.n = n};
    for (size_t i = 0; i < n; i++) {
        p.mu[i] = 1.0;
        for (size_t j = 0; j < n; j++) {
            p.A[i * n + j] = i == j ? 1.0 : 0.0;
            p.B[i * n + j] = random_between(&source, -1e-3, 1e-3);
        }
    }
    for (size_t k = 0; k < 3; k++)
        p.B[member[k] * n + member[(k + 1) % 3]] = ring;
    return p;
}

/* ---- independent determinants ---- */

static double determinant(double *a, size_t n) {
    lapack_int pivots[most];
    double value = 1.0;
    if (LAPACKE_dgetrf(LAPACK_ROW_MAJOR, (lapack_int)n, (lapack_int)n, a, (lapack_int)n, pivots) > 0)
        return 0.0;
    for (size_t i = 0; i < n; i++)
        value *= (pivots[i] != (lapack_int)i + 1 ? -1.0 : 1.0) * a[i * n + i];
    return value;
}

static double minor_of(const plain_nodes *p, double factor, const int *sign) {
    double a[most * most];
    size_t s = 0, e = 0;
    for (size_t i = 0; i < p->n; i++)
        s += sign[i] != 0;
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n && sign[i] != 0; j++)
            if (sign[j] != 0)
                a[e++] = p->A[i * p->n + j] + sign[i] * factor * p->mu[i] * p->B[i * p->n + j];
    return determinant(a, s);
}

/* The smallest of all 3^n - 1 minors (diagonals of A are 1, so that minors are of order 1). */
static double smallest_minor(const plain_nodes *p, double factor) {
    int sign[most];
    size_t total = 1;
    double smallest = INFINITY;
    for (size_t i = 0; i < p->n; i++)
        total *= 3;
    for (size_t k = 1; k < total; k++) {
        size_t rest = k;
        for (size_t i = 0; i < p->n; i++, rest /= 3)
            sign[i] = (int)(rest % 3) - (rest % 3 == 2 ? 3 : 0);
        smallest = fmin(smallest, minor_of(p, factor, sign));
    }
    return smallest;
}

/* ---- independent rate problem ---- */

/* The rates of the witness with a set of slip rates, from eq. (2.1) and Coulomb's law alone. */
static double law_violation(const plain_nodes *p, const am_uniqueness *u, const double *v) {
    double worst = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        double q = u->rates[i], normal = 0.0, scale = fabs(q), e = u->witness[i], motion = 0.0;
        for (size_t j = 0; j < p->n; j++) {
            q += p->A[i * p->n + j] * v[j];
            normal += p->B[i * p->n + j] * v[j];
            scale += fabs(p->A[i * p->n + j] * v[j]) + fabs(p->B[i * p->n + j] * v[j]);
            motion = fmax(motion, fabs(v[j]));
        }
        if (u->witness[i] == 0) {
            worst = fmax(worst, fabs(v[i]) / fmax(motion, DBL_MIN)); /* inside its cone: sticks */
            continue;
        }
        double reserve = e * q + p->mu[i] * normal; /* rate of distance to the limit T = -e mu N */
        worst = fmax(worst, -e * v[i] / fmax(motion, DBL_MIN));
        worst = fmax(worst, -reserve / scale);
        worst = fmax(worst, fmin(fabs(v[i]) / fmax(motion, DBL_MIN), fabs(reserve) / scale));
    }
    return worst;
}

static void assert_two_answers(const plain_nodes *p, const am_uniqueness *u) {
    double difference = 0.0, size = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        difference = fmax(difference, fabs(u->first[i] - u->second[i]));
        size = fmax(size, fmax(fabs(u->first[i]), fabs(u->second[i])));
    }
    assert_true(difference > 0.5 * size && size > 0.0);
    /* Rounding: eps times the condition of matrices of order 1 with determinants above 1e-4. */
    assert_near(law_violation(p, u, u->first), 0.0, 1e-10);
    assert_near(law_violation(p, u, u->second), 0.0, 1e-10);
}

static am_uniqueness test_at(const plain_nodes *p, double factor, size_t budget) {
    am_error err = {0};
    am_uniqueness u;
    am_system *system = create(p, 0.4, factor);
    assert_int_equal(am_uniqueness_test(system, budget, &u, &err), AM_OK);
    am_system_free(system);
    return u;
}

static am_uniqueness_verdict verdict_at(const plain_nodes *p, double factor) {
    am_uniqueness u = test_at(p, factor, 0);
    am_uniqueness_verdict verdict = u.verdict;
    am_uniqueness_clear(&u);
    return verdict;
}

static void critical_of(const plain_nodes *p, double factor[2]) {
    am_error err = {0};
    am_system *system = create(p, 0.4, 1.0);
    assert_int_equal(am_uniqueness_critical(system, 1e6, 0, factor, &err), AM_OK);
    am_system_free(system);
}

/* ---- verdicts ---- */

static void the_papers_example_is_unique_at_its_friction(void **state) {
    (void)state;
    am_uniqueness u = test_at(&example, 1.0, 0);
    assert_int_equal(u.verdict, AM_UNIQUE);
    assert_int_equal(u.examined, 8);    /* 3^2 - 1 */
    assert_near(u.margin, 0.05, 1e-15); /* a22 - mu b22 */
    am_uniqueness_clear(&u);
}

/* (3.4) and (3.5) as polynomials in mu: the smallest positive root of any of them. */
static void the_critical_friction_of_two_nodes_is_the_root_of_3_4_and_3_5(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < CASES(60, 6); seed++) {
        plain_nodes p = seed ? random_nodes(seed, 2, 2.0) : example;
        p.mu[0] = p.mu[1] = 1.0;
        const double *a = p.A, *b = p.B;
        double lowest = fmin(a[0] / fabs(b[0]), a[3] / fabs(b[3]));
        for (int k = 0; k < 4; k++) {
            double e1 = k & 1 ? 1 : -1, e2 = k & 2 ? 1 : -1;
            double c0 = a[0] * a[3] - a[1] * a[2], c2 = e1 * e2 * (b[0] * b[3] - b[1] * b[2]);
            double c1 = e1 * (b[0] * a[3] - b[1] * a[2]) + e2 * (a[0] * b[3] - a[1] * b[2]);
            double root = c1 * c1 - 4.0 * c0 * c2;
            if (root < 0.0)
                continue;
            double q = -0.5 * (c1 + copysign(sqrt(root), c1));
            if (q / c2 > 0.0)
                lowest = fmin(lowest, q / c2);
            if (c0 / q > 0.0)
                lowest = fmin(lowest, c0 / q);
        }
        double factor[2];
        critical_of(&p, factor);
        /* Roots of quadratics with coefficients of order 1: rounding times their condition. */
        assert_near(factor[1], lowest, 1e-11 * lowest);
        assert_near(factor[0], lowest, 1e-9 * lowest);
    }
}

static void verdicts_agree_with_all_determinants_of_random_systems(void **state) {
    (void)state;
    size_t count[2] = {0, 0};
    for (uint64_t seed = 1; seed <= CASES(300, 40); seed++) {
        size_t n = 1 + seed % 6;
        random_source source = random_seed(1000 + seed);
        plain_nodes p = random_nodes(seed, n, random_between(&source, 0.5, 4.0) / sqrt((double)n));
        double smallest = smallest_minor(&p, 1.0);
        if (fabs(smallest) < 1e-9)
            continue;
        am_uniqueness u = test_at(&p, 1.0, 0);
        assert_int_equal(u.verdict, smallest > 0.0 ? AM_UNIQUE : AM_NOT_UNIQUE);
        count[smallest > 0.0]++;
        if (u.verdict == AM_NOT_UNIQUE) {
            assert_near(u.minor, minor_of(&p, 1.0, u.witness), 1e-12 * (1.0 + fabs(u.minor)));
            assert_true(u.minor < 0.0);
            assert_two_answers(&p, &u);
        }
        am_uniqueness_clear(&u);
    }
    assert_true(count[0] > CASES(50, 5) && count[1] > CASES(50, 5)); /* both verdicts occur */
}

static void the_ring_planted_among_twelve_is_the_witness(void **state) {
    (void)state;
    const size_t member[3] = {2, 7, 10};
    plain_nodes p = planted_ring(12, member, 1.05);
    am_uniqueness u = test_at(&p, 1.0, 0);
    assert_int_equal(u.verdict, AM_NOT_UNIQUE);
    for (size_t i = 0; i < p.n; i++)
        assert_int_equal(u.witness[i] != 0, i == 2 || i == 7 || i == 10);
    assert_int_equal(u.witness[2] * u.witness[7] * u.witness[10], -1);
    assert_near(u.minor, 1.0 - 1.05 * 1.05 * 1.05, 0.02); /* the rest is coupled with 1e-3 */
    assert_two_answers(&p, &u);
    am_uniqueness_clear(&u);
    assert_int_equal(verdict_at(&p, 0.93), AM_UNIQUE); /* (0.93 * 1.05)^3 < 1 by 7 percent; the rest takes 1 */
}

static void the_ring_planted_among_forty_is_found(void **state) {
    (void)state;
    const size_t member[3] = {5, 38, 21};
    plain_nodes p = planted_ring(40, member, 1.1);
    am_uniqueness u = test_at(&p, 1.0, 0);
    assert_int_equal(u.verdict, AM_NOT_UNIQUE);
    for (size_t i = 0; i < p.n; i++)
        assert_int_equal(u.witness[i] != 0, i == 5 || i == 38 || i == 21);
    assert_two_answers(&p, &u);
    am_uniqueness_clear(&u);
}

static void forty_contacts_with_little_friction_are_unique_and_with_much_are_not(void **state) {
    (void)state;
    plain_nodes p = random_nodes(7, 40, 0.2);
    am_uniqueness u = test_at(&p, 0.2, 0);
    assert_int_equal(u.verdict, AM_UNIQUE);
    assert_true(u.margin > 0.0);
    am_uniqueness_clear(&u);
    plain_nodes strong = p;
    for (size_t i = 0; i < p.n; i++)
        strong.mu[i] *= 4.0;
    u = test_at(&strong, 1.0, 0);
    assert_int_equal(u.verdict, AM_NOT_UNIQUE);
    assert_true(minor_of(&strong, 1.0, u.witness) < 0.0);
    assert_two_answers(&strong, &u);
    am_uniqueness_clear(&u);
}

static void what_a_small_budget_cannot_decide_is_undecided(void **state) {
    (void)state;
    plain_nodes p = random_nodes(7, 40, 0.2);
    double factor[2];
    critical_of(&p, factor);
    assert_true(0.0 < factor[0] && factor[0] < factor[1] && factor[1] < 4.0);
    assert_int_equal(verdict_at(&p, factor[0]), AM_UNIQUE);
    assert_int_equal(verdict_at(&p, 1.001 * factor[1]), AM_NOT_UNIQUE);
    am_uniqueness u = test_at(&p, 0.5 * (factor[0] + factor[1]), 2000);
    assert_int_equal(u.verdict, AM_UNIQUENESS_UNDECIDED);
    assert_false(u.at_rounding);
    am_uniqueness_clear(&u);
}

/* 36 contacts in three groups that do not feel each other: 3^36 minors, but only 3 * 3^12 that matter. */
static void groups_that_do_not_feel_each_other_are_decided_one_by_one(void **state) {
    (void)state;
    plain_nodes all = {.n = 36};
    double lowest = INFINITY, factor[2];
    for (size_t g = 0; g < 3; g++) {
        plain_nodes p = random_nodes(20 + g, 12, 0.6);
        critical_of(&p, factor);
        assert_near(factor[0], factor[1], 1e-9 * factor[1]);
        lowest = fmin(lowest, factor[1]);
        for (size_t i = 0; i < 12; i++) {
            all.mu[3 * i + g] = p.mu[i];
            for (size_t j = 0; j < 12; j++) {
                all.A[(3 * i + g) * 36 + 3 * j + g] = p.A[i * 12 + j];
                all.B[(3 * i + g) * 36 + 3 * j + g] = p.B[i * 12 + j];
            }
        }
    }
    assert_int_equal(verdict_at(&all, 0.999 * lowest), AM_UNIQUE);
    assert_int_equal(verdict_at(&all, 1.001 * lowest), AM_NOT_UNIQUE);
}

static void the_critical_factor_separates_unique_from_not_unique(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(12, 2); seed++) {
        plain_nodes p = random_nodes(seed, 3 + seed % 6, 0.8);
        double factor[2];
        critical_of(&p, factor);
        assert_true(isfinite(factor[1]));
        assert_near(factor[0], factor[1], 1e-9 * factor[1]);
        assert_int_equal(verdict_at(&p, (1.0 - 1e-6) * factor[1]), AM_UNIQUE);
        assert_int_equal(verdict_at(&p, (1.0 + 1e-6) * factor[1]), AM_NOT_UNIQUE);
    }
}

static void a_minor_that_rounding_hides_is_never_called_positive(void **state) {
    (void)state;
    /* A22 = mu b22 up to the rounding of mu = 1/0.95 */
    am_uniqueness u = test_at(&example, 1.0 / 0.95, 0);
    assert_int_equal(u.verdict, AM_UNIQUENESS_UNDECIDED);
    assert_true(u.at_rounding);
    assert_int_equal(u.witness[0], 0);
    assert_int_equal(u.witness[1], -1);
    am_uniqueness_clear(&u);
    /* a hair above and below it is decided */
    assert_int_equal(verdict_at(&example, (1.0 - 1e-12) / 0.95), AM_UNIQUE);
    assert_int_equal(verdict_at(&example, (1.0 + 1e-12) / 0.95), AM_NOT_UNIQUE);
}

static void without_friction_or_coupling_there_is_no_critical_friction(void **state) {
    (void)state;
    plain_nodes p = random_nodes(3, 5, 0.0);
    double factor[2];
    critical_of(&p, factor);
    assert_true(isinf(factor[0]) && isinf(factor[1]));
    assert_int_equal(verdict_at(&p, 100.0), AM_UNIQUE);
    p = random_nodes(3, 5, 3.0);
    assert_int_equal(verdict_at(&p, 0.0), AM_UNIQUE);
}

static void one_contact_has_klarbrings_critical_friction(void **state) {
    (void)state;
    am_error err = {0};
    for (int k = 0; k < 5; k++) {
        am_klarbring def = am_klarbring_default();
        double coupling = -1.2 + 0.55 * k, factor[2];
        def.stiffness[0][0] = 1.0;
        def.stiffness[0][1] = def.stiffness[1][0] = coupling;
        def.stiffness[1][1] = 2.0;
        def.friction = 0.3;
        am_system *system = am_klarbring_create(&def, &err);
        assert_non_null(system);
        assert_int_equal(am_uniqueness_critical(system, 1e6, 0, factor, &err), AM_OK);
        double wanted = am_klarbring_critical_friction(&def) / 0.3;
        assert_near(factor[1], wanted, 1e-13 * wanted);
        am_system_free(system);
    }
}

/* Section 5.1: with two positive and two negative angles every C1 orbit attracts. */
static void with_two_positive_and_two_negative_angles_deviations_shrink(void **state) {
    (void)state;
    size_t balanced = 0, repelling = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        plain_nodes p = random_nodes(seed, 2, 1.5);
        random_source source = random_seed(seed);
        p.A[1] = p.A[2] = random_between(&source, -0.8, 0.8);
        am_error err = {0};
        am_system *system = create(&p, 0.2, 1.0);
        am_states_options options = am_states_options_default();
        am_result *result = am_result_create(&err);
        assert_int_equal(am_states_run(system, &options, result, NULL, &err), AM_OK);
        const char *names[4] = {"beta1", "beta2", "beta3", "beta4"};
        double R = 1.0;
        int positive = 0;
        for (int i = 0; i < 4; i++) {
            double beta = number(result, names[i]);
            positive += beta > 0.0;
            R *= tan(beta);
        }
        bool unique = flag(result, "unique");
        assert_true(!unique || (positive > 0 && positive < 4));
        if (unique && positive == 2) {
            assert_true(fabs(R) < 1.0);
            balanced++;
        }
        repelling += unique && fabs(R) > 1.0;
        am_result_free(result);
        am_system_free(system);
    }
    assert_true(balanced > 50 && repelling > 0); /* the others need not shrink */
}

/* ---- contacts apart ---- */

/* A structure without the open contacts is another structure: reduce that one instead. */
static void open_contacts_are_as_if_they_were_not_there(void **state) {
    (void)state;
    am_error err = {0};
    size_t count[2] = {0, 0};
    for (uint64_t seed = 1; seed <= CASES(60, 10); seed++) {
        enum { n = 6 };
        random_source source = random_seed(seed);
        double K[n * n], R[n * n], rows[6][n];
        am_contact_def contact[3];
        for (size_t e = 0; e < n * n; e++)
            R[e] = random_between(&source, -1.0, 1.0);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                K[i * n + j] = i == j ? 0.3 : 0.0;
                for (size_t k = 0; k < n; k++)
                    K[i * n + j] += R[i * n + k] * R[j * n + k];
            }
        for (size_t r = 0; r < 6; r++)
            for (size_t i = 0; i < n; i++)
                rows[r][i] = (double)(i == r) + (seed % 2 ? 0.0 : random_between(&source, -0.15, 0.15));
        for (size_t c = 0; c < 3; c++) {
            contact[c] = am_contact_def_default();
            contact[c].tangent = rows[2 * c];
            contact[c].normal = rows[2 * c + 1];
            contact[c].friction = 0.3 + 0.08 * (double)seed;
        }
        am_matrix *matrix = am_matrix_dense(n, n, K, &err);
        am_system_def def = am_system_def_default();
        def.n = n;
        def.stiffness = matrix;
        def.contacts = contact;
        def.contact_count = 3;
        am_system *all = am_system_create(&def, &err);
        def.contact_count = 2; /* without the last */
        am_system *fewer = am_system_create(&def, &err);
        assert_true(all && fewer);
        const bool open[3] = {false, false, true};
        am_uniqueness with, without;
        assert_int_equal(am_uniqueness_test_open(all, open, 0, &with, &err), AM_OK);
        assert_int_equal(am_uniqueness_test(fewer, 0, &without, &err), AM_OK);
        assert_int_equal(with.verdict, without.verdict);
        assert_int_equal(with.contacts, 3);
        /* Rounding times the condition of both reductions, below 1e5. */
        assert_near(with.margin, without.margin, 1e-9 * (1.0 + fabs(without.margin)));
        assert_int_equal(with.witness[0], without.witness[0]);
        assert_int_equal(with.witness[1], without.witness[1]);
        assert_int_equal(with.witness[2], 0);
        count[with.verdict == AM_UNIQUE]++;
        am_uniqueness_clear(&with);
        am_uniqueness_clear(&without);
        am_system_free(all);
        am_system_free(fewer);
        am_matrix_free(matrix);
    }
    assert_true(count[0] > CASES(5, 1) && count[1] > CASES(5, 1));
}

/* ---- `states` ---- */

static void states_of_many_nodes_report_verdict_witness_and_critical_friction(void **state) {
    (void)state;
    am_error err = {0};
    const size_t member[3] = {0, 2, 3};
    plain_nodes p = planted_ring(4, member, 2.0);
    am_system *system = create(&p, 0.4, 1.0);
    am_states_options options = am_states_options_default();
    am_result *result = am_result_create(&err);
    assert_int_equal(am_states_run(system, &options, result, NULL, &err), AM_OK);
    assert_false(flag(result, "unique"));
    assert_string_equal(text(result, "uniqueness"), "not unique");
    assert_non_null(strchr(text(result, "witness"), '4'));
    assert_null(strchr(text(result, "witness"), '2'));
    assert_near(number(result, "mu_critical"), 0.5, 2e-3); /* 1/ring, coupled with 1e-3 */
    assert_int_equal(rows(result, "two_answers"), 3);
    am_result_free(result);
    am_system_free(system);
}

static void states_of_too_many_nodes_say_undecided(void **state) {
    (void)state;
    am_error err = {0};
    plain_nodes p = random_nodes(7, 40, 0.2);
    double factor[2];
    critical_of(&p, factor);
    am_system *system = create(&p, 0.4, 0.5 * (factor[0] + factor[1]));
    am_states_options options = am_states_options_default();
    options.budget = 2000;
    am_result *result = am_result_create(&err);
    assert_int_equal(am_states_run(system, &options, result, NULL, &err), AM_OK);
    assert_int_equal(am_result_find(result, "unique")->kind, AM_SCALAR_NONE);
    assert_string_equal(text(result, "uniqueness"), "undecided");
    assert_non_null(strstr(text(result, "undecided_because"), "40 contacts are too many"));
    am_result_free(result);
    am_system_free(system);
}

/* ---- the reduced stiffness ---- */

enum { order = 7 };

typedef struct oblique {
    double K[order * order], row[5][order]; /* tangents 0-2, normals 3-4: the third contact is held */
    am_system *system;
} oblique;

static void oblique_create(oblique *o, double spring) {
    am_error err = {0};
    random_source source = random_seed(5);
    double R[order * order];
    am_contact_def contact[3];
    for (size_t e = 0; e < order * order; e++)
        R[e] = random_between(&source, -1.0, 1.0);
    for (size_t i = 0; i < order; i++)
        for (size_t j = 0; j < order; j++) {
            o->K[i * order + j] = i == j ? 0.5 : 0.0;
            for (size_t k = 0; k < order; k++)
                o->K[i * order + j] += R[i * order + k] * R[j * order + k];
        }
    for (size_t r = 0; r < 5; r++)
        for (size_t i = 0; i < order; i++)
            o->row[r][i] = random_between(&source, -1.0, 1.0);
    for (size_t c = 0; c < 3; c++) {
        contact[c] = am_contact_def_default();
        contact[c].tangent = o->row[c];
        contact[c].normal = c < 2 ? o->row[3 + c] : NULL;
        contact[c].friction = 0.3;
    }
    contact[2].normal_law = AM_HELD;
    contact[2].hold = am_function_constant(1.0);
    contact[2].tangential_stiffness = spring;
    am_matrix *K = am_matrix_dense(order, order, o->K, &err);
    am_system_def def = am_system_def_default();
    def.n = order;
    def.stiffness = K;
    def.contact_count = 3;
    def.contacts = contact;
    o->system = am_system_create(&def, &err);
    assert_non_null(o->system);
    am_matrix_free(K);
}

/* K q = F + sum (t T + n N) (+ spring) with forces from the reduced stiffness, put back into the structure itself. */
static void check_reduced(double spring) {
    oblique o;
    oblique_create(&o, spring);
    am_reduced r;
    am_error err = {0};
    assert_int_equal(am_reduced_init(&r, o.system, &err), AM_OK);
    random_source source = random_seed(9);
    double load[order], v[3], w[3], tangential[3], normal[3], q[order],
        *work = malloc(am_reduced_work(&r) * sizeof *work);
    for (size_t i = 0; i < order; i++)
        load[i] = random_between(&source, -1.0, 1.0);
    for (size_t c = 0; c < 3; c++) {
        v[c] = random_between(&source, -1.0, 1.0);
        w[c] = c < 2 ? random_between(&source, -1.0, 1.0) : 0.0;
    }
    am_reduced_weld(&r, load, tangential, normal, work);
    assert_int_equal(am_reduced_coordinates(&r, load, v, w, q, work, &err), AM_OK);
    double residual[order];
    for (size_t i = 0; i < order; i++) {
        residual[i] = -load[i];
        for (size_t j = 0; j < order; j++)
            residual[i] += o.K[i * order + j] * q[j];
    }
    for (size_t c = 0; c < 3; c++) {
        double T = tangential[c], N = normal[c], along = 0.0, away = 0.0;
        for (size_t d = 0; d < 3; d++) {
            T += r.A[c * 3 + d] * v[d] + r.B[d * 3 + c] * w[d];
            N += r.B[c * 3 + d] * v[d] + r.C[c * 3 + d] * w[d];
        }
        for (size_t i = 0; i < order; i++) {
            along += o.row[c][i] * q[i];
            away += c < 2 ? o.row[3 + c][i] * q[i] : 0.0;
            residual[i] -= o.row[c][i] * T + (c < 2 ? o.row[3 + c][i] * N : 0.0);
        }
        /* Rounding times the condition of a stiffness of order 7: below 1e3. */
        if (c < 2 || spring == 0.0)
            assert_near(along, v[c], 1e-11);
        else
            assert_near(-spring * (along - v[c]), T, 1e-10);
        assert_near(away, w[c], 1e-11);
    }
    assert_near(normal[2], 0.0, 0.0);
    for (size_t i = 0; i < order; i++)
        assert_near(residual[i], 0.0, 1e-10);
    free(work);
    am_reduced_clear(&r);
    am_system_free(o.system);
}

static void the_reduced_stiffness_balances_the_structure(void **state) {
    (void)state;
    check_reduced(0.0);
}

static void a_slider_behind_a_spring_is_reduced_too(void **state) {
    (void)state;
    check_reduced(2.5);
}

static void nodes_are_reduced_without_rounding(void **state) {
    (void)state;
    plain_nodes p = random_nodes(3, 5, 1.0);
    am_system *system = create(&p, 0.4, 1.0);
    am_reduced r;
    assert_int_equal(am_reduced_init(&r, system, NULL), AM_OK);
    assert_memory_equal(r.A, p.A, 25 * sizeof(double));
    assert_memory_equal(r.B, p.B, 25 * sizeof(double));
    am_reduced_clear(&r);
    am_system_free(system);
}

static void assert_irreducible(const double *K, size_t n, const double *tangent, const double *normal,
                               const char *word) {
    am_error err = {0};
    am_contact_def contact = am_contact_def_default();
    am_uniqueness u;
    contact.tangent = tangent;
    contact.normal = normal;
    am_matrix *matrix = am_matrix_dense(n, n, K, &err);
    am_system_def def = am_system_def_default();
    def.n = n;
    def.stiffness = matrix;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = am_system_create(&def, &err);
    assert_non_null(system);
    assert_int_equal(am_uniqueness_test(system, 0, &u, &err), AM_ERR_UNSUPPORTED);
    assert_says(&err, word);
    am_system_free(system);
    am_matrix_free(matrix);
}

static void structures_that_cannot_be_reduced_are_refused_with_a_sentence(void **state) {
    (void)state;
    const double loose[9] = {1, -1, 0, -1, 1, 0, 0, 0, 1}, tight[4] = {2, 0, 0, 1};
    const double along[3] = {1, 0, 0}, away[3] = {0, 0, 1};
    assert_irreducible(loose, 3, along, away, "moves freely");
    assert_irreducible(tight, 2, along, along, "depend on each other");
    const double semi[4] = {1, 1, 1, 1}, first[2] = {1, 0}, second[2] = {0, 1};
    assert_irreducible(semi, 2, first, second, "moves freely"); /* rows are coordinates: nothing is inverted */
}

/* Rows far apart in units: verdicts do not depend on them. */
static void verdicts_do_not_depend_on_units(void **state) {
    (void)state;
    plain_nodes p = random_nodes(11, 6, 0.9);
    double factor[2];
    critical_of(&p, factor);
    for (int side = -1; side <= 1; side += 2) {
        double middle[36], half[36];
        int choice[6];
        am_p_report report;
        for (size_t i = 0; i < 6; i++)
            for (size_t j = 0; j < 6; j++) {
                double unit = pow(10.0, 4.0 * (double)i - 9.0) * pow(10.0, 7.0 - 3.0 * (double)j);
                middle[i * 6 + j] = unit * p.A[i * 6 + j];
                half[i * 6 + j] = unit * (1.0 + 1e-4 * side) * factor[1] * p.mu[i] * p.B[i * 6 + j];
            }
        assert_int_equal(am_p_family(middle, half, 6, 0, choice, &report, NULL), AM_OK);
        assert_int_equal(report.verdict, side < 0 ? AM_P_YES : AM_P_NO);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_example_is_unique_at_its_friction),
        cmocka_unit_test(the_critical_friction_of_two_nodes_is_the_root_of_3_4_and_3_5),
        cmocka_unit_test(verdicts_agree_with_all_determinants_of_random_systems),
        cmocka_unit_test(the_ring_planted_among_twelve_is_the_witness),
        cmocka_unit_test(the_ring_planted_among_forty_is_found),
        cmocka_unit_test(forty_contacts_with_little_friction_are_unique_and_with_much_are_not),
        cmocka_unit_test(what_a_small_budget_cannot_decide_is_undecided),
        cmocka_unit_test(groups_that_do_not_feel_each_other_are_decided_one_by_one),
        cmocka_unit_test(the_critical_factor_separates_unique_from_not_unique),
        cmocka_unit_test(a_minor_that_rounding_hides_is_never_called_positive),
        cmocka_unit_test(without_friction_or_coupling_there_is_no_critical_friction),
        cmocka_unit_test(one_contact_has_klarbrings_critical_friction),
        cmocka_unit_test(with_two_positive_and_two_negative_angles_deviations_shrink),
        cmocka_unit_test(open_contacts_are_as_if_they_were_not_there),
        cmocka_unit_test(states_of_many_nodes_report_verdict_witness_and_critical_friction),
        cmocka_unit_test(states_of_too_many_nodes_say_undecided),
        cmocka_unit_test(the_reduced_stiffness_balances_the_structure),
        cmocka_unit_test(a_slider_behind_a_spring_is_reduced_too),
        cmocka_unit_test(nodes_are_reduced_without_rounding),
        cmocka_unit_test(structures_that_cannot_be_reduced_are_refused_with_a_sentence),
        cmocka_unit_test(verdicts_do_not_depend_on_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
