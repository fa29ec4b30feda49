/* `squeal` of structures above the size where all coordinates are used: what it says against the dense spectrum of all
 * of them (`stability`), for random chains; and eigenvalues that were put where the modes cannot see them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amontons/stability.h"
#include "cases.h"
#include "random_system.h"
#include "results.h"

enum { MOST = 160, CONTACTS = 4 };

/* A chain; `hidden`: its last two coordinates hang on springs far stiffer than the modes reach, which a circulatory
 * matrix takes away again, so that they move slowly in the full problem only. */
typedef struct chain {
    size_t n, m;
    double M[MOST], C[MOST * MOST], K[MOST * MOST], G[MOST * MOST], dense[MOST * MOST];
    double normal[CONTACTS][MOST], tangent[CONTACTS][MOST];
    am_contact_def contact[CONTACTS];
    bool circulatory;
    double reference;
} chain;

static void random_chain(random_source *source, size_t n, chain *s) {
    double k = 0.0;
    *s = (chain){.n = n};
    for (size_t i = 0; i < n; i++) {
        s->M[i] = random_between(source, 0.5, 2.0);
        s->K[i * n + i] += 5.0 + 20.0 * (double)i / (double)n;
        for (size_t to = i + 1; to < n && to <= i + 2; to++) {
            k = random_between(source, 20.0, 200.0);
            s->K[i * n + i] += k, s->K[to * n + to] += k;
            s->K[i * n + to] -= k, s->K[to * n + i] -= k;
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            s->C[i * n + j] = 1e-4 * s->K[i * n + j] + (i == j ? 1e-3 * s->M[i] : 0.0);
}

/* Two coordinates each, along and across. */
static void add_contact(random_source *source, chain *s, size_t along, size_t across, am_normal_law law) {
    am_contact_def *contact = &s->contact[s->m];
    *contact = am_contact_def_default();
    s->normal[s->m][across] = -1.0;
    s->tangent[s->m][along] = random_between(source, 0.5, 2.0);
    contact->friction = random_between(source, 0.2, 0.5);
    contact->surface_velocity = random_chance(source, 0.5) ? 1.0 : -1.0;
    contact->normal_law = law;
    contact->contact_stiffness = law == AM_KELVIN_VOIGT ? random_between(source, 50.0, 500.0) : 0.0;
    contact->contact_damping = law == AM_KELVIN_VOIGT && random_chance(source, 0.5) ? 0.02 : 0.0;
    s->reference = fmax(s->reference, contact->friction);
    s->m++;
}

static am_matrix *dense(size_t n, const double *a) {
    am_matrix *matrix = am_matrix_dense(n, n, a, NULL);
    assert_non_null(matrix);
    return matrix;
}

static am_system *make(chain *s, double mu) {
    am_contact_def contacts[CONTACTS];
    am_error err = {0};
    size_t n = s->n;
    for (size_t c = 0; c < s->m; c++) {
        contacts[c] = s->contact[c];
        contacts[c].normal = s->normal[c], contacts[c].tangent = s->tangent[c];
        contacts[c].friction *= mu / s->reference;
    }
    for (size_t i = 0; i < n * n; i++)
        s->dense[i] = i % (n + 1) == 0 ? s->M[i / (n + 1)] : 0.0;
    am_matrix *M = dense(n, s->dense), *C = dense(n, s->C), *K = dense(n, s->K), *G = dense(n, s->G);
    am_system_def def = am_system_def_default();
    def.n = n, def.contact_count = s->m, def.contacts = contacts;
    def.mass = M, def.damping = C, def.stiffness = K, def.circulatory = s->circulatory ? G : NULL;
    am_system *system = am_system_create(&def, &err);
    if (!system)
        fail_msg("%s", err.message);
    am_matrix_free(M);
    am_matrix_free(C);
    am_matrix_free(K);
    am_matrix_free(G);
    return system;
}

/* Eigenvalues of size below `radius` and imaginary part >= 0 that grow by more than rounding; *growth: the fastest. One
 * where rigid contact fails. */
static size_t growing_below(chain *s, double mu, double radius, double *growth) {
    am_error err = {0};
    am_spectrum spectrum;
    am_stability_options options = am_stability_options_default();
    am_system *system = make(s, mu);
    size_t count = 0;
    if (am_stability_spectrum(system, &options, &spectrum, &err))
        fail_msg("%s", err.message);
    *growth = -INFINITY;
    if (spectrum.painleve)
        count = 1;
    for (size_t i = 0; i < spectrum.count && !spectrum.painleve; i++) {
        if (!(hypot(spectrum.real[i], spectrum.imaginary[i]) < radius) || spectrum.imaginary[i] < 0.0)
            continue;
        count += spectrum.real[i] > spectrum.uncertainty[i];
        *growth = fmax(*growth, spectrum.real[i]);
    }
    am_spectrum_clear(&spectrum);
    am_system_free(system);
    return count;
}

static am_result *squeal(chain *s, double mu, double to, size_t modes) {
    am_error err = {0};
    am_system *system = make(s, mu);
    am_squeal_options options = am_squeal_options_default();
    am_result *result = am_result_create(&err);
    options.modes = modes, options.to = to, options.count = 41, options.confirm = false;
    if (am_squeal_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    assert_string_equal(text(result, "method"), "modes");
    assert_true(flag(result, "certified"));
    assert_true(number(result, "certificate_factors") > 0.0);
    am_system_free(system);
    return result;
}

/* How many rows of the table `squeal` grow and lie in the disc that is certified. */
static size_t listed_below(const am_result *result, double radius, double *growth) {
    const am_table *table = table_of(result, "squeal");
    size_t count = 0;
    *growth = -INFINITY;
    for (size_t row = 0; row < am_table_rows(table); row++) {
        double re = cell(table, row, "real"), im = cell(table, row, "imaginary");
        if (hypot(re, im) < radius) {
            count += cell(table, row, "unstable") == 1.0;
            *growth = fmax(*growth, re);
        }
    }
    return count;
}

/* The verdicts at the model's own friction and over the range. Eigenvalues of both agree to rounding times the
 * condition of the chain, 1e-8. A hundred-thousandth to either side of `critical` what grows is not what the dense
 * problem says within rounding. */
static bool compare(uint64_t seed, chain *s, double to, const am_result *result) {
    double radius = number(result, "certified_omega"), mine, theirs, critical = number(result, "critical");
    size_t listed = listed_below(result, radius, &mine), dense_count = growing_below(s, s->reference, radius, &theirs);
    if (listed != dense_count || !(fabs(mine - theirs) <= 1e-8 * radius))
        fail_msg("%llu: %zu grow, the fastest by %g; not %zu, by %g", (unsigned long long)seed, listed, mine,
                 dense_count, theirs);
    const am_table *crossings = table_of(result, "crossings");
    for (size_t row = 0; row < am_table_rows(crossings); row++)
        assert_true(cell(crossings, row, "mu") >= 0.0 && cell(crossings, row, "mu") <= to);
    if (isnan(critical)) {
        size_t at_end = growing_below(s, to, radius, &theirs);
        if (flag(result, "stable_at_start") && at_end > 0)
            fail_msg("%llu: nothing is said to grow, but %zu do at %g", (unsigned long long)seed, at_end, to);
        return false;
    }
    size_t before = growing_below(s, critical * (1.0 - 1e-5), radius, &theirs);
    size_t after = growing_below(s, critical * (1.0 + 1e-5), INFINITY, &theirs);
    bool rigid_fails = strcmp(text(result, "instability"), "painleve") == 0 && isinf(theirs);
    if (before != 0 || after == 0 || rigid_fails != (strcmp(text(result, "instability"), "painleve") == 0))
        fail_msg("%llu: %zu grow below the critical friction %.9g, %zu above", (unsigned long long)seed, before,
                 critical, after);
    return true;
}

static void random_chains_squeal_as_the_dense_problem_says(void **state) {
    (void)state;
    static chain s;
    size_t critical = 0;
    for (uint64_t seed = 1; seed <= CASES(6, 2); seed++) {
        random_source source = random_seed(seed);
        random_chain(&source, 101 + random_index(&source, MOST - 101), &s);
        for (size_t c = 0; c < CONTACTS; c++) {
            size_t place = 5 + random_index(&source, s.n / 2);
            add_contact(&source, &s, place, place + 1 + random_index(&source, 3),
                        seed % 3 == 2 && c < 2 ? AM_UNILATERAL : AM_KELVIN_VOIGT);
        }
        for (size_t i = 0; seed % 6 == 1 && i < s.n * s.n; i++) /* nothing is damped */
            s.C[i] = 0.0;
        for (size_t c = 0; seed % 6 == 1 && c < s.m; c++)
            s.contact[c].contact_damping = 0.0;
        if (seed % 4 == 0) /* gyroscopic coupling */
            for (size_t i = 0; i + 1 < s.n; i++)
                s.C[i * s.n + i + 1] += 0.2, s.C[(i + 1) * s.n + i] -= 0.2;
        if (seed % 5 == 0) /* falling friction */
            s.C[6 * s.n + 6] -= 0.05;
        am_result *result = squeal(&s, s.reference, 1.5, 24);
        critical += compare(seed, &s, 1.5, result);
        am_result_free(result);
    }
    assert_true(critical > 0);
}

/* Blocks on rigid contacts, J M^-1 B = 1/m1 + 1/m2 (1 - mu t): one fails at mu t = 1 + m2/m1. Where the friction of
 * each of two acts on the other's block, none fails alone, and both together where mu^2 times the product of t/m2 is
 * that of 1/m1 + 1/m2. Nothing else can happen before, because what the blocks hang on is damped and far below. */
static void rigid_contact_fails_where_its_inertia_says(void **state) {
    (void)state;
    static const size_t first[2] = {20, 40}, second[2] = {60, 80};
    for (size_t variant = 0; variant < 3; variant++) {
        static chain s;
        random_source source = random_seed(5);
        bool crossed = variant == 2;
        double limit = INFINITY, product = 1.0;
        random_chain(&source, 110, &s);
        for (size_t c = 0; c < (variant ? 2 : 1); c++) {
            size_t acts_on = second[crossed ? 1 - c : c];
            double t = 1.5 + 0.3 * (double)c;
            add_contact(&source, &s, 20, 30, AM_UNILATERAL);
            memset(s.normal[c], 0, sizeof s.normal[c]);
            memset(s.tangent[c], 0, sizeof s.tangent[c]);
            s.normal[c][first[c]] = s.normal[c][second[c]] = -1.0;
            s.tangent[c][acts_on] = t;
            s.contact[c].surface_velocity = 1.0, s.contact[c].friction = s.reference = 0.1;
            product *= (1.0 / s.M[first[c]] + 1.0 / s.M[second[c]]) * s.M[acts_on] / t;
            limit = crossed ? sqrt(product) : fmin(limit, (1.0 + s.M[second[c]] / s.M[first[c]]) / t);
        }
        am_result *result = squeal(&s, 0.1, 1.2 * limit, 20);
        const am_table *crossings = table_of(result, "crossings");
        size_t last = am_table_rows(crossings) - 1;
        assert_string_equal(word(crossings, last, "kind"), "painleve");
        assert_true(fabs(cell(crossings, last, "mu") - limit) <= 1e-12 * limit);
        compare(5, &s, 1.2 * limit, result);
        am_result_free(result);
    }
}

/* Two coordinates of the stiffness a and b in the full problem, which the real modes do not have. */
static void hide(chain *s, double a, double b, double turn) {
    size_t n = s->n, i = n - 2, j = n - 1;
    const double stiff = 1e7;
    for (size_t k = 0; k < n; k++)
        s->K[i * n + k] = s->K[k * n + i] = s->K[j * n + k] = s->K[k * n + j] = 0.0;
    for (size_t k = 0; k < n; k++)
        s->C[i * n + k] = s->C[k * n + i] = s->C[j * n + k] = s->C[k * n + j] = 0.0;
    s->M[i] = s->M[j] = 1.0;
    s->C[i * n + i] = s->C[j * n + j] = 0.02;
    s->K[i * n + i] = s->K[j * n + j] = stiff;
    s->G[i * n + i] = a - stiff, s->G[j * n + j] = b - stiff;
    s->G[i * n + j] = turn, s->G[j * n + i] = -turn;
    s->circulatory = true;
}

/* (s^2 + c s + a)(s^2 + c s + b) = -turn^2: flutter once turn > |a - b|/2 and a little more for the damping. */
static void a_growing_pair_outside_of_the_modes_is_found(void **state) {
    (void)state;
    static chain s;
    random_source source = random_seed(77);
    random_chain(&source, 120, &s);
    hide(&s, 10.0, 10.4, 0.8);
    add_contact(&source, &s, 20, 22, AM_KELVIN_VOIGT);
    am_result *result = squeal(&s, 0.01, 0.02, 20);
    double growth, theirs, radius = number(result, "certified_omega");
    assert_false(flag(result, "stable"));
    assert_false(flag(result, "stable_at_start"));
    assert_string_equal(text(result, "instability"), "flutter");
    assert_int_equal(listed_below(result, radius, &growth), 1);
    assert_int_equal(growing_below(&s, 0.01, radius, &theirs), 1);
    assert_true(fabs(growth - theirs) <= 1e-8 * radius);
    am_result_free(result);
}

/* The same two, coupled by a contact of the stiffness k = 4 with the normal (1, 0.4) and friction on the second: their
 * stiffness is [a + k, 0.4 k; 0.4 k - mu k, b + 0.16 k - 0.4 mu k], and flutter begins a little above mu = 0.4, where
 * the product of the off-diagonal entries turns negative. Along the range of friction the modes see nothing of it. */
static void a_threshold_outside_of_the_modes_is_found(void **state) {
    (void)state;
    static chain s;
    random_source source = random_seed(78);
    random_chain(&source, 120, &s);
    hide(&s, 10.0, 14.0, 0.0);
    add_contact(&source, &s, 20, 22, AM_KELVIN_VOIGT);
    s.contact[0].friction = 1e-4; /* far from anything */
    size_t n = s.n;
    s.contact[1] = s.contact[0];
    s.contact[1].contact_stiffness = 4.0, s.contact[1].contact_damping = 0.0, s.contact[1].friction = 0.2;
    s.contact[1].surface_velocity = 1.0;
    s.m = 2;
    memset(s.normal[1], 0, sizeof s.normal[1]);
    memset(s.tangent[1], 0, sizeof s.tangent[1]);
    s.normal[1][n - 2] = -1.0, s.normal[1][n - 1] = -0.4;
    s.tangent[1][n - 1] = 1.0;
    s.reference = 0.2;
    am_result *result = squeal(&s, s.reference, 1.5, 20);
    assert_true(compare(78, &s, 1.5, result));
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_chains_squeal_as_the_dense_problem_says),
                                       cmocka_unit_test(rigid_contact_fails_where_its_inertia_says),
                                       cmocka_unit_test(a_growing_pair_outside_of_the_modes_is_found),
                                       cmocka_unit_test(a_threshold_outside_of_the_modes_is_found)};
    return am_squeal_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
