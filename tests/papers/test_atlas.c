/* The atlas of a ring of bistable oscillators: counting against explicit enumeration, solutions against the thesis' own
 * equations (9.8), stability and exact orbits against other methods, and the shape of the first isola. */
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
#include "engines/balance/balance.h"
#include "errors.h"
#include "near.h"
#include "papers/atlas.h"
#include "papers/atlas/branch.h"
#include "results.h"
#include "varied_model.h"

static const double pi = 3.14159265358979323846;

static am_system *make(void *context, double xi1, am_error *err) {
    am_chain chain = *(const am_chain *)context;
    chain.xi1 = xi1;
    return am_chain_create(&chain, err);
}

static am_system *make_coupling(void *context, double coupling, am_error *err) {
    am_chain chain = *(const am_chain *)context;
    chain.coupling = coupling;
    return am_chain_create(&chain, err);
}

/* A ring of N, its sites, and room for its class at xi1 = at. */
typedef struct ring {
    am_chain chain;
    am_model_line line;
    am_sites sites;
    am_configurations configurations;
    am_class room;
} ring;

static void open_ring(ring *r, size_t count, double at) {
    r->chain = am_chain_default();
    r->chain.count = count;
    r->line = (am_model_line){.model = model_of_one("xi1", make, &r->chain), .held = SIZE_MAX};
    GOOD(am_sites_create(&r->line, 0.005, 0.3, &r->sites, err));
    r->configurations = (am_configurations){.sites = &r->sites, .most = count};
    for (size_t i = 0; i < count; i++) {
        double amplitudes[AM_SITES_ROOTS + 1];
        bool fold;
        r->configurations.cycles[i] = (am_site_label)am_sites_cycles(&r->sites, i, at, amplitudes, &fold);
        assert_false(fold);
    }
    GOOD(am_class_create(&r->room, &r->configurations, at, err));
}

static void close_ring(ring *r) {
    am_class_clear(&r->room);
    am_sites_clear(&r->sites);
    varied_model_free(r->line.model);
}

/* ---- Counting ---- */

/* An independent image of a configuration: as complex amplitudes (Gaussian integers), moved around the ring, mirrored
 * and turned by a multiple of 90 degrees; false when the image is not in the class (even sites real, odd imaginary). */
static bool turned(size_t n, const int *u, size_t shift, bool mirror, int quarter, int *image) {
    static const int unit[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (size_t i = 0; i < n; i++) {
        size_t from = mirror ? (shift + n - i) % n : (shift + i) % n;
        int re = from % 2 ? 0 : u[from], im = from % 2 ? u[from] : 0;
        int x = re * unit[quarter][0] - im * unit[quarter][1], y = re * unit[quarter][1] + im * unit[quarter][0];
        if ((i % 2 ? x : y) != 0)
            return false;
        image[i] = i % 2 ? y : x;
    }
    return true;
}

static size_t code(size_t n, const int *u) {
    size_t value = 0;
    for (size_t i = 0; i < n; i++)
        value = 5 * value + (size_t)(u[i] + 2);
    return value;
}

static void decode(size_t n, size_t value, int *u) {
    for (size_t i = n; i > 0; i--, value /= 5)
        u[i - 1] = (int)(value % 5) - 2;
}

static void mark_class(size_t n, size_t value, char *seen) {
    int u[8], image[8];
    decode(n, value, u);
    for (size_t shift = 0; shift < n; shift++)
        for (int mirror = 0; mirror < 2; mirror++)
            for (int quarter = 0; quarter < 4; quarter++)
                if (turned(n, u, shift, mirror, quarter, image))
                    seen[code(n, image)] = 1;
}

static size_t active_of(size_t n, size_t value) {
    int u[8];
    size_t active = 0;
    decode(n, value, u);
    for (size_t i = 0; i < n; i++)
        active += u[i] != 0;
    return active;
}

static void classes_counted_by_burnside_are_those_of_explicit_enumeration(void **state) {
    (void)state;
    for (size_t n = 2; n <= 8; n += 2) {
        ring r;
        size_t all = 1, classes[9] = {0}, configurations[9] = {0};
        long double counted[AM_SITES_MOST + 1], counted_classes[AM_SITES_MOST + 1];
        for (size_t i = 0; i < n; i++)
            all *= 5;
        char *seen = calloc(all, 1);
        assert_non_null(seen);
        for (size_t value = 0; value < all; value++) {
            size_t active = active_of(n, value);
            configurations[active]++;
            if (seen[value])
                continue;
            classes[active]++;
            mark_class(n, value, seen);
        }
        free(seen);
        open_ring(&r, n, 0.15);
        am_configurations_count(&r.configurations, counted, counted_classes);
        for (size_t a = 0; a <= n; a++) { /* whole numbers, exactly */
            assert_true(counted[a] == (long double)configurations[a]);
            assert_true(counted_classes[a] == (long double)classes[a]);
        }
        close_ring(&r);
    }
}

typedef struct tally {
    size_t n, classes, configurations;
    const am_sites *sites;
    bool canonical;
    double last; /* of the representative before, as a number in base 5 */
} tally;

static bool add_up(void *context, const am_site_label *labels, size_t multiplicity) {
    tally *t = context;
    am_site_label canonical[AM_SITES_MOST];
    double value = 0;
    am_configuration_canonical(t->sites, labels, canonical);
    for (size_t i = 0; i < t->n; i++)
        value = 5 * value + labels[i] + 2;
    t->canonical = t->canonical && memcmp(labels, canonical, t->n) == 0 && value < t->last;
    t->last = value;
    t->classes++;
    t->configurations += multiplicity;
    return true;
}

static void listed_representatives_are_canonical_different_and_as_many_as_burnside_says(void **state) {
    (void)state;
    ring r;
    open_ring(&r, 8, 0.15);
    tally t = {.n = 8, .sites = &r.sites, .canonical = true, .last = INFINITY};
    long double configurations[AM_SITES_MOST + 1], classes[AM_SITES_MOST + 1], total = 0;
    assert_true(am_configurations_list(&r.configurations, add_up, &t));
    am_configurations_count(&r.configurations, configurations, classes);
    for (size_t a = 0; a <= 8; a++)
        total += classes[a];
    assert_true(t.canonical);
    assert_true(total == (long double)t.classes);
    assert_int_equal(t.configurations, 390625); /* 5^8 */
    close_ring(&r);
}

static void the_twelve_mass_ring_has_5097110_classes_of_244140625_configurations(void **state) {
    (void)state;
    ring r;
    open_ring(&r, 12, 0.15);
    long double configurations[AM_SITES_MOST + 1], classes[AM_SITES_MOST + 1], total = 0, number = 0;
    am_configurations_count(&r.configurations, configurations, classes);
    for (size_t a = 0; a <= 12; a++) {
        total += configurations[a];
        number += classes[a];
    }
    assert_int_equal(r.sites.symmetry_count, 24);
    assert_true(total == 244140625.0L); /* 5^12 */
    assert_true(number == 5097110.0L);  /* rest included; a little more than 5^12/48 = 5086263.02 */
    close_ring(&r);
}

/* ---- Solutions ---- */

/* Largest residual of eqs. (9.8), with a_n and b_n as they stand in the thesis. */
static double residual_9_8(const am_chain *c, double xi1, double rho, const double *a, const double *b) {
    double q2 = 2 * xi1, q3 = 2 * c->xi3 * pow(c->omega0 * c->x0, 2), q4 = 2 * c->xi5 * pow(c->omega0 * c->x0, 4);
    double worst = 0;
    for (size_t n = 0, N = c->count; n < N; n++) {
        size_t next = (n + 1) % N, before = (n + N - 1) % N;
        double A2 = a[n] * a[n] + b[n] * b[n];
        double first = 0.625 * q4 * pow(rho, 5) * A2 * A2 * b[n] - 0.75 * q3 * pow(rho, 3) * A2 * b[n] +
                       rho * (q2 * b[n] - rho * a[n]) + a[n] * (1 + 2 * c->coupling) -
                       c->coupling * (a[before] + a[next]);
        double second = 0.625 * q4 * pow(rho, 5) * A2 * A2 * a[n] - 0.75 * q3 * pow(rho, 3) * A2 * a[n] +
                        rho * (q2 * a[n] + rho * b[n]) - b[n] * (1 + 2 * c->coupling) +
                        c->coupling * (b[before] + b[next]);
        worst = fmax(worst, fmax(fabs(first), fabs(second)));
    }
    return worst;
}

static void every_class_of_eight_masses_solves_equations_9_8(void **state) {
    (void)state;
    ring r;
    open_ring(&r, 8, 0.15);
    uint64_t seed = 7;
    for (int trial = 0; trial < 500; trial++) {
        am_site_label labels[8], found[8];
        double u[8], w[16], a[8], b[8];
        for (size_t i = 0; i < 8; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            labels[i] = (am_site_label)((int)((seed >> 33) % 5) - 2);
        }
        assert_true(am_class_solve(&r.room, labels, u));
        am_class_phasors(&r.room, u, w);
        for (size_t i = 0; i < 8; i++) { /* a cos + b sin = Re((a - i b) exp) */
            a[i] = w[2 * i];
            b[i] = -w[2 * i + 1];
        }
        /* amplitudes 0.3, terms up to 0.3: a few hundred roundings */
        assert_near(residual_9_8(&r.chain, 0.15, sqrt(1 + 2 * r.chain.coupling), a, b), 0, 1e-14);
        am_class_labels(&r.room, u, found);
        assert_memory_equal(found, labels, sizeof labels);
    }
    close_ring(&r);
}

/* All solutions of the class for two masses, eq. by eq.: f(u1) = 2 eta u2 (the ring of two has two springs), f(u2) =
 * -2 eta u1, found as sign changes of f(f(u)/(2 eta)) + 2 eta u on a fine grid. */
static double force(const am_chain *c, double xi1, double u) {
    double rho2 = 1 + 2 * c->coupling, s = rho2 * u * u * pow(c->omega0 * c->x0, 2);
    return sqrt(rho2) * u * (2 * xi1 - 1.5 * c->xi3 * s + 1.25 * c->xi5 * s * s);
}

static size_t count_solutions_of_two(const am_chain *c, double xi1) {
    const int steps = 400000;
    size_t count = 0;
    double before = 0, eta = c->coupling;
    for (int k = 0; k <= steps; k++) {
        double u = -0.35 + 0.7 * (k + 0.5) / steps, other = force(c, xi1, u) / (2 * eta);
        double value = force(c, xi1, other) + 2 * eta * u;
        if (k > 0 && value * before < 0)
            count++;
        before = value;
    }
    return count;
}

static void where_the_list_is_complete_two_masses_have_25_solutions_and_no_more(void **state) {
    (void)state;
    ring r;
    open_ring(&r, 2, 0.15);
    assert_true(am_sites_complete(&r.sites, 0.15));
    assert_int_equal(count_solutions_of_two(&r.chain, 0.15), 25);
    /* where couplings are strong against the small cycle's force the proof fails, and solutions are fewer indeed */
    assert_false(am_sites_complete(&r.sites, 0.03));
    assert_true(count_solutions_of_two(&r.chain, 0.03) < 25);
    close_ring(&r);
}

/* ---- Stability ---- */

static void one_harmonic_exponents_are_those_of_hills_method_with_one_harmonic(void **state) {
    (void)state;
    static const am_site_label patterns[4][4] = {{2, 0, 0, 0}, {2, 2, 0, 0}, {2, 0, -2, 0}, {2, 2, 0, -2}};
    ring r;
    open_ring(&r, 4, 0.15);
    am_balance_options options = {.degree = 1, .parity = AM_PARITY_ODD, .self_excited = true};
    am_error err = {0};
    am_balance *balance = am_balance_create(&r.line, 0.1, 0.2, &options, &err);
    assert_non_null(balance);
    double *x = calloc(am_balance_size(balance), sizeof *x);
    for (size_t k = 0; k < 4; k++) {
        double u[4], w[8], signals[12], re[8], im[8], exponent;
        am_verdict verdict;
        assert_true(am_class_solve(&r.room, patterns[k], u));
        am_class_phasors(&r.room, u, w);
        for (size_t i = 0; i < 4; i++) {
            signals[3 * i] = 0;
            signals[3 * i + 1] = w[2 * i];
            signals[3 * i + 2] = -w[2 * i + 1];
        }
        double omega = am_sites_omega(&r.sites, 0.15);
        GOOD(am_balance_pack(balance, signals, omega, 0.15, x, err));
        GOOD(am_balance_hill(balance, x, 0.15, SIZE_MAX, re, im, err));
        GOOD(am_class_stability(&r.room, w, omega, 0.15, &exponent, &verdict, err));
        assert_near(exponent, re[0], 1e-10); /* two eigenvalue problems of order 16, rounding alone */
        assert_int_equal(verdict, re[0] < 0 ? AM_VERDICT_STABLE : AM_VERDICT_UNSTABLE);
    }
    free(x);
    am_balance_free(balance);
    close_ring(&r);
}

static void what_is_surely_unstable_has_an_exponent_with_positive_real_part(void **state) {
    (void)state;
    ring r;
    open_ring(&r, 6, 0.15);
    uint64_t seed = 11;
    size_t sure = 0;
    for (int trial = 0; trial < 100; trial++) {
        am_site_label labels[6];
        double u[6], w[12], exponent;
        am_verdict verdict;
        for (size_t i = 0; i < 6; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            labels[i] = (am_site_label)((int)((seed >> 33) % 5) - 2);
        }
        assert_true(am_class_solve(&r.room, labels, u));
        am_class_phasors(&r.room, u, w);
        if (!am_class_surely_unstable(&r.room, w, am_sites_omega(&r.sites, 0.15), 0.15))
            continue;
        sure++;
        GOOD(am_class_stability(&r.room, w, am_sites_omega(&r.sites, 0.15), 0.15, &exponent, &verdict, err));
        assert_int_equal(verdict, AM_VERDICT_UNSTABLE);
    }
    assert_true(sure > 70); /* of 91 expected with a small cycle in them, 100 (1 - (3/5)^6) = 95 */
    close_ring(&r);
}

/* On the first isola there are stable points, points with a mass on its small cycle, and points with neighbours a
 * quarter of a period apart, whose unstable exponent is small and belongs to no mass alone. */
static void verdicts_along_a_branch_are_those_of_all_exponents_at_each_point(void **state) {
    (void)state;
    ring r;
    open_ring(&r, 6, 0.15);
    const am_site_label labels[6] = {2};
    const am_atlas_branch_options options = {.from = 0.005, .to = 0.25, .at = 0.15, .most_points = 20000};
    am_error err = {0};
    am_continuation *curve = am_continuation_create(6, 0, &err);
    am_atlas_branch branch;
    double u[6];
    size_t counts[3] = {0};
    assert_true(am_class_solve(&r.room, labels, u));
    GOOD(am_atlas_branch_trace(&r.room, curve, &options, u, &branch, err));
    GOOD(am_atlas_branch_judge(&r.room, &branch, err));
    for (size_t k = 0; k < branch.count; k++) {
        double w[12], exponent, p = branch.point[k].p;
        am_verdict verdict;
        am_class_phasors(&r.room, branch.u + 6 * k, w);
        GOOD(am_class_stability(&r.room, w, am_sites_omega(&r.sites, p), p, &exponent, &verdict, err));
        assert_int_equal(branch.point[k].verdict, verdict);
        assert_true(verdict == AM_VERDICT_MARGINAL || (verdict == AM_VERDICT_STABLE) == (exponent < 0.0));
        counts[verdict]++;
    }
    assert_true(counts[AM_VERDICT_STABLE] > 20);
    assert_true(counts[AM_VERDICT_UNSTABLE] > 200);
    am_atlas_branch_clear(&branch);
    am_continuation_free(curve);
    close_ring(&r);
}

/* ---- Branches ---- */

static am_atlas_options options_of(double at) {
    am_atlas_options options = am_atlas_options_default();
    options.from = 0.005;
    options.to = 0.25;
    options.at = at;
    return options;
}

static am_result *atlas_of(const am_chain *chain, const am_atlas_options *options, const am_progress *progress) {
    am_chain own = *chain;
    VARIED_MODEL *varied = model_of_one("xi1", make, &own);
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_non_null(result);
    if (am_atlas_run(varied, options, result, progress, &err) != AM_OK)
        fail_msg("%s", err.message);
    return result;
}

static void a_single_oscillator_turns_back_at_9_xi3_squared_over_40_xi5(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 1;
    am_atlas_options options = options_of(0.15);
    am_result *result = atlas_of(&chain, &options, NULL);
    const am_table *special = table_of(result, "special");
    assert_int_equal(rows(result, "branches"), 1); /* small and large cycle are one branch */
    assert_string_equal(word(special, 0, "kind"), "fold");
    assert_near(cell(special, 0, "xi1"), 0.2025, 1e-9); /* located to the continuation's tolerance */
    assert_int_equal(number(result, "classes"), 2);
    am_result_free(result);
}

static void the_isola_of_one_and_three_masses_is_closed_with_four_folds(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    am_atlas_options options = options_of(0.15);
    const char *patterns[] = {"+L"};
    options.patterns = patterns;
    options.pattern_count = 1;
    am_result *result = atlas_of(&chain, &options, NULL);
    const am_table *branches = table_of(result, "branches");
    assert_int_equal(rows(result, "branches"), 1);
    assert_near(cell(branches, 0, "closed"), 1.0, 0.0);
    assert_int_equal(cell(branches, 0, "folds"), 4);
    assert_int_equal(cell(branches, 0, "least_active"), 1);
    assert_int_equal(cell(branches, 0, "most_active"), 3);
    assert_near(number(result, "first_fold"), 0.04916, 5e-6); /* as given, in four digits */
    /* between four folds it passes 0.15 four times: twice with one mass in motion, twice with three */
    const char *patterns_passed = word(branches, 0, "patterns");
    size_t passed = 1;
    for (const char *bar = patterns_passed; (bar = strstr(bar, " | ")); bar += 3)
        passed++;
    assert_int_equal(passed, 4);
    assert_int_equal(strncmp(patterns_passed, "+L 0", 4), 0);
    assert_int_equal(number(result, "unlocated"), 0);
    am_result_free(result);
}

static void at_a_fold_of_a_branch_the_equations_9_8_are_singular(void **state) {
    (void)state;
    ring r;
    open_ring(&r, 12, 0.15);
    const am_site_label labels[12] = {2};
    const am_atlas_branch_options options = {.from = 0.005, .to = 0.25, .at = 0.15, .most_points = 20000};
    am_error err = {0};
    am_continuation *curve = am_continuation_create(12, 0, &err);
    am_atlas_branch branch;
    double u[12];
    assert_true(am_class_solve(&r.room, labels, u));
    GOOD(am_atlas_branch_trace(&r.room, curve, &options, u, &branch, err));
    size_t folds = 0;
    for (size_t k = 0; k < branch.count; k++) {
        double w[24], a[12], b[12];
        am_class_phasors(&r.room, branch.u + 12 * k, w);
        for (size_t i = 0; i < 12; i++) {
            a[i] = w[2 * i];
            b[i] = -w[2 * i + 1];
        }
        assert_near(residual_9_8(&r.chain, branch.point[k].p, sqrt(1 + 2 * r.chain.coupling), a, b), 0, 1e-9);
        if (branch.point[k].kind != AM_ATLAS_BRANCH_FOLD)
            continue;
        folds++;
        /* dp/ds = 0: on both sides the parameter lies on the same side */
        double before = branch.point[k - 1].p - branch.point[k].p, after = branch.point[k + 1].p - branch.point[k].p;
        assert_true(before * after > 0);
    }
    assert_int_equal(folds, 4);
    am_atlas_branch_clear(&branch);
    am_continuation_free(curve);
    close_ring(&r);
}

static void the_connecting_branch_ends_on_both_branch_points_of_the_isola(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    am_atlas_options options = options_of(0.15);
    const char *patterns[] = {"+L"};
    options.patterns = patterns;
    options.pattern_count = 1;
    options.connect = true;
    options.stability = false;
    am_result *result = atlas_of(&chain, &options, NULL);
    const am_table *connections = table_of(result, "connections"), *branches = table_of(result, "branches");
    assert_int_equal(rows(result, "branches"), 2);
    assert_string_equal(word(branches, 1, "ends"), "branch-point, branch-point");
    assert_int_equal(cell(branches, 1, "most_active"), 2); /* solutions localised on two masses: Fig. 9.10 */
    assert_int_equal(rows(result, "connections"), 2);
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(cell(connections, k, "with"), 2);
        assert_string_equal(word(connections, k, "ends"), "with");
    }
    am_result_free(result);
}

/* Each solution has one continuation to each side: where the list is complete, branches share them out without rest. A
 * branch that jumps to another one breaks the sum. */
static void branches_share_out_all_classes_each_to_one_of_them(void **state) {
    (void)state;
    for (size_t n = 2; n <= 6; n += 2) {
        am_chain chain = am_chain_default();
        chain.count = n;
        am_atlas_options options = options_of(0.15);
        options.stability = false;
        am_result *result = atlas_of(&chain, &options, NULL);
        const am_table *branches = table_of(result, "branches"), *solutions = table_of(result, "solutions");
        double crossings = 0;
        for (size_t k = 0; k < am_table_rows(branches); k++)
            crossings += cell(branches, k, "crossings");
        for (size_t k = 0; k < am_table_rows(solutions); k++)
            assert_true(cell(solutions, k, "branch") >= 1);
        assert_true(flag(result, "exhaustive"));
        assert_int_equal(crossings, number(result, "classes"));
        assert_int_equal(number(result, "unfinished"), 0);
        am_result_free(result);
    }
}

static void assert_same_tables(const am_result *x, const am_result *y, const char *const *names, size_t count) {
    for (size_t t = 0; t < count; t++) {
        const am_table *a = table_of(x, names[t]), *b = table_of(y, names[t]);
        assert_int_equal(am_table_rows(a), am_table_rows(b));
        for (size_t i = 0; i < am_table_rows(a); i++)
            for (size_t j = 0; j < am_table_columns(a); j++)
                if (am_table_column_kind(a, j) != AM_COLUMN_TEXT) {
                    double p = am_table_number(a, i, j), q = am_table_number(b, i, j);
                    assert_memory_equal(&p, &q, sizeof p);
                } else {
                    assert_string_equal(am_table_text(a, i, j), am_table_text(b, i, j));
                }
    }
}

static void numbers_do_not_depend_on_the_threads(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 6;
    am_atlas_options options = options_of(0.15);
    options.most = 2;
    const am_progress one = {.threads = 1}, three = {.threads = 3};
    am_result *a = atlas_of(&chain, &options, &one), *b = atlas_of(&chain, &options, &three);
    static const char *const tables[] = {"solutions", "branches", "branch", "special", "connections", "counts"};
    assert_same_tables(a, b, tables, sizeof tables / sizeof *tables);
    am_result_free(a);
    am_result_free(b);
}

static void counting_without_a_list_gives_the_same_counts(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 6;
    am_atlas_options options = options_of(0.15);
    options.follow = AM_ATLAS_FOLLOW_NONE;
    am_result *listed = atlas_of(&chain, &options, NULL);
    options.most_solutions = 10;
    am_result *counted = atlas_of(&chain, &options, NULL);
    assert_int_equal(number(listed, "listed"), number(listed, "classes"));
    assert_int_equal(number(counted, "listed"), 0);
    static const char *const names[] = {"classes", "configurations", "solved", "survive", "stable_count", "marginal"};
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(number(counted, names[k]), number(listed, names[k]));
    am_result_free(listed);
    am_result_free(counted);
}

/* ---- Going on after an interruption ---- */

static void refuse(const am_chain *chain, const am_atlas_options *options, const char *words) {
    am_chain own = *chain;
    VARIED_MODEL *varied = model_of_one("xi1", make, &own);
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_not_equal(am_atlas_run(varied, options, result, NULL, &err), AM_OK);
    assert_says(&err, words);
    am_result_free(result);
}

typedef struct drawer {
    char bytes[4000000];
    size_t count, saves, loads;
    size_t enough;      /* saves after which the run is stopped; 0: none */
    double first, last; /* what the progress said */
    bool told;
} drawer;

static am_status load(void *context, const void **bytes, size_t *count, am_error *err) {
    drawer *d = context;
    (void)err;
    d->loads++;
    *bytes = d->count ? d->bytes : NULL;
    *count = d->count;
    return AM_OK;
}

static am_status save(void *context, const void *bytes, size_t count, am_error *err) {
    drawer *d = context;
    (void)err;
    assert_true(count <= sizeof d->bytes);
    memcpy(d->bytes, bytes, count);
    d->count = count;
    d->saves++;
    return AM_OK;
}

/* Stops once something has been saved. */
static bool stop_after_a_save(void *context, double fraction) {
    (void)fraction;
    return ((drawer *)context)->saves == 0;
}

static void an_interrupted_run_goes_on_and_ends_as_an_undisturbed_one(void **state) {
    (void)state;
    static drawer kept;
    am_chain chain = am_chain_default();
    chain.count = 6;
    VARIED_MODEL *varied = model_of_one("xi1", make, &chain);
    am_atlas_options options = options_of(0.15);
    options.follow = AM_ATLAS_FOLLOW_NONE;
    am_result *whole = atlas_of(&chain, &options, NULL);
    const am_atlas_store store = {.load = load, .save = save, .context = &kept};
    options.store = &store;
    const am_progress impatient = {.report = stop_after_a_save, .context = &kept, .threads = 1};
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_atlas_run(varied, &options, result, &impatient, &err), AM_ERR_INTERRUPTED);
    am_result_free(result);
    assert_int_equal(kept.saves, 1);
    result = atlas_of(&chain, &options, NULL);
    assert_int_equal(kept.saves, 2); /* 734 classes in batches of 512: one was left */
    const am_table *a = table_of(whole, "solutions"), *b = table_of(result, "solutions");
    assert_int_equal(am_table_rows(a), am_table_rows(b));
    for (size_t k = 0; k < am_table_rows(a); k++) {
        double x = cell(a, k, "exponent"), y = cell(b, k, "exponent");
        assert_memory_equal(&x, &y, sizeof x);
        double stable = cell(a, k, "stable"), again = cell(b, k, "stable"); /* NaN: marginal */
        assert_memory_equal(&stable, &again, sizeof stable);
    }
    am_result_free(result);
    am_result_free(whole);
    options.most = 5;
    refuse(&chain, &options, "belongs to another study");
    kept.count = 7;
    refuse(&chain, &options, "no file of an atlas");
}

static bool stop_after_enough(void *context, double fraction) {
    drawer *d = context;
    d->first = d->told ? d->first : fraction;
    d->told = true;
    d->last = fraction;
    return d->enough == 0 || d->saves < d->enough;
}

static void a_run_interrupted_between_branches_traces_only_those_that_are_left(void **state) {
    (void)state;
    static drawer kept;
    static const char *const tables[] = {"solutions", "branches", "branch", "special", "connections"};
    am_chain chain = am_chain_default();
    chain.count = 6;
    VARIED_MODEL *varied = model_of_one("xi1", make, &chain);
    am_atlas_options options = options_of(0.15);
    options.most = 3; /* 78 classes: three rounds of at most 32 branches */
    options.stability = false;
    am_result *whole = atlas_of(&chain, &options, NULL);
    const am_atlas_store store = {.load = load, .save = save, .context = &kept};
    options.store = &store;
    kept.enough = 2; /* solutions; branches of the first round */
    const am_progress impatient = {.report = stop_after_enough, .context = &kept, .threads = 1};
    am_error err = {0};
    am_result *result = am_result_create(&err);
    assert_int_equal(am_atlas_run(varied, &options, result, &impatient, &err), AM_ERR_INTERRUPTED);
    am_result_free(result);
    double stopped = kept.last;
    kept.enough = 0;
    kept.told = false;
    result = atlas_of(&chain, &options, &impatient);
    assert_true(stopped > 0.35);             /* 0.3 is where tracing begins */
    assert_near(kept.first, stopped, 1e-12); /* the same sum: not a step of the work is done again */
    assert_same_tables(whole, result, tables, sizeof tables / sizeof *tables);
    am_result_free(result);
    kept.told = false;
    result = atlas_of(&chain, &options, &impatient);
    assert_false(kept.told); /* nothing was left to do */
    assert_same_tables(whole, result, tables, sizeof tables / sizeof *tables);
    am_result_free(result);
    options.stability = true; /* solutions stay, branches do not */
    kept.told = false;
    result = atlas_of(&chain, &options, &impatient);
    assert_near(kept.first, 0.3, 1e-12);
    assert_near(cell(table_of(result, "branch"), 0, "stable"), 1.0, 0.0);
    am_result_free(result);
    kept.count -= 8;
    refuse(&chain, &options, "is damaged");
    am_result_free(whole);
}

/* ---- Exact orbits ---- */

/* Frequency of the ring's motion after a long time, by the classical method of order four: an orbit that attracts. */
static double integrated_frequency(const am_chain *c, double xi1, const double *u) {
    enum { N = 4 };
    const double h = 0.02;
    double x[N], v[N], first = 0, last = 0, q2 = 2 * xi1;
    double q3 = 2 * c->xi3 * pow(c->omega0 * c->x0, 2), q4 = 2 * c->xi5 * pow(c->omega0 * c->x0, 4);
    int turns = 0;
    for (size_t i = 0; i < N; i++) {
        x[i] = u[i];
        v[i] = 0;
    }
    for (long step = 0; step < 60000; step++) {
        double kx[4][N], kv[4][N], before = x[0];
        for (int s = 0; s < 4; s++) {
            const double part = s == 0 ? 0 : s < 3 ? 0.5 * h : h;
            double y[N], z[N];
            for (size_t i = 0; i < N; i++) {
                y[i] = x[i] + (s ? part * kx[s - 1][i] : 0);
                z[i] = v[i] + (s ? part * kv[s - 1][i] : 0);
            }
            for (size_t i = 0; i < N; i++) {
                kx[s][i] = z[i];
                kv[s][i] = -q2 * z[i] + q3 * pow(z[i], 3) - q4 * pow(z[i], 5) - y[i] +
                           c->coupling * (y[(i + 1) % N] + y[(i + N - 1) % N] - 2 * y[i]);
            }
        }
        for (size_t i = 0; i < N; i++) {
            x[i] += h / 6 * (kx[0][i] + 2 * kx[1][i] + 2 * kx[2][i] + kx[3][i]);
            v[i] += h / 6 * (kv[0][i] + 2 * kv[1][i] + 2 * kv[2][i] + kv[3][i]);
        }
        if (step > 20000 && before < 0 && x[0] >= 0) {
            last = (double)step * h - h * before / (x[0] - before);
            if (turns++ == 0)
                first = last;
        }
    }
    return 2 * pi * (turns - 1) / (last - first);
}

static void the_exact_orbit_of_one_moving_mass_is_where_time_integration_ends(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 4;
    am_atlas_options options = options_of(0.15);
    const char *patterns[] = {"+L"};
    options.patterns = patterns;
    options.pattern_count = 1;
    options.follow = AM_ATLAS_FOLLOW_NONE;
    options.exact = true;
    am_result *result = atlas_of(&chain, &options, NULL);
    const am_table *solutions = table_of(result, "solutions");
    const double start[4] = {0.26, 0, 0, 0};
    assert_near(cell(solutions, 0, "exact_exists"), 1.0, 0.0);
    assert_near(cell(solutions, 0, "exact_stable"), 1.0, 0.0);
    /* step 0.02 in a method of order four: phase errors of 1e-8, zeros by a straight line 1e-5 of a step */
    assert_near(cell(solutions, 0, "exact_frequency"), integrated_frequency(&chain, 0.15, start), 1e-6);
    assert_near(number(result, "worst_closing"), 0, 1e-12);
    am_result_free(result);
}

static void neighbours_a_quarter_period_apart_are_no_exact_orbit(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 4;
    am_atlas_options options = options_of(0.15);
    const char *patterns[] = {"+L +L"};
    options.patterns = patterns;
    options.pattern_count = 1;
    options.follow = AM_ATLAS_FOLLOW_NONE;
    options.exact = true;
    am_result *result = atlas_of(&chain, &options, NULL);
    assert_near(cell(table_of(result, "solutions"), 0, "exact_exists"), 0.0, 0.0);
    assert_int_equal(number(result, "exact_count"), 0);
    am_result_free(result);
}

/* ---- Detuned chains ---- */

/* Largest residual of the one-harmonic equations of an open or mistuned chain, in complex numbers. */
static double residual_of(const am_chain *c, double omega, const double *A, const double *phase) {
    double worst = 0;
    for (size_t n = 0, N = c->count; n < N; n++) {
        double q3 = 2 * c->xi3 * pow(c->omega0, 2), q4 = 2 * c->xi5 * pow(c->omega0, 4), V = omega * A[n];
        double D = 2 * c->xi1 - 0.75 * q3 * V * V + 0.625 * q4 * pow(V, 4);
        double own = 1 + (c->mistuning_count ? c->mistuning[n] : 0) - omega * omega, re, im;
        double x = A[n] * cos(phase[n]), y = A[n] * sin(phase[n]);
        re = own * x - omega * D * y;
        im = own * y + omega * D * x;
        for (int side = -1; side <= 1; side += 2) {
            bool edge = (side < 0 && n == 0) || (side > 0 && n + 1 == N);
            if (edge && c->ends == AM_CHAIN_OPEN)
                continue;
            size_t m = (n + N + (size_t)side) % N;
            re += c->coupling * (x - A[m] * cos(phase[m]));
            im += c->coupling * (y - A[m] * sin(phase[m]));
        }
        worst = fmax(worst, hypot(re, im));
    }
    return worst;
}

static size_t check_detuned(const am_chain *chain, size_t symmetries) {
    am_atlas_options options = options_of(chain->xi1);
    options.follow = AM_ATLAS_FOLLOW_NONE;
    options.only_largest = true;
    options.most = 3;
    am_result *result = atlas_of(chain, &options, NULL);
    const am_table *solutions = table_of(result, "solutions");
    assert_int_equal(number(result, "symmetries"), symmetries);
    assert_false(flag(result, "tuned"));
    assert_false(flag(result, "exhaustive"));
    size_t survive = 0;
    for (size_t k = 0; k < am_table_rows(solutions); k++) {
        double A[6], phase[6];
        char name[32];
        if (cell(solutions, k, "survives") != 1.0)
            continue;
        survive++;
        for (size_t i = 0; i < 6; i++) {
            snprintf(name, sizeof name, "A_x%zu", i + 1);
            A[i] = cell(solutions, k, name);
            snprintf(name, sizeof name, "phase_x%zu", i + 1);
            phase[i] = cell(solutions, k, name) * pi / 180;
        }
        /* Newton's tolerance is 1e-10 of forces of about 0.3 */
        assert_near(residual_of(chain, cell(solutions, k, "frequency"), A, phase), 0, 1e-10);
    }
    assert_int_equal(number(result, "survive"), survive);
    am_result_free(result);
    return survive;
}

static void motions_of_open_and_mistuned_chains_solve_their_equations(void **state) {
    (void)state;
    static const double mistuning[6] = {0.001, -0.0005, 0.0002, 0.0007, -0.001, 0.0003};
    am_chain chain = am_chain_default();
    chain.count = 6;
    chain.ends = AM_CHAIN_OPEN;
    assert_true(check_detuned(&chain, 4) >= 3); /* reflection and sign; any single mass locks with itself */
    chain.ends = AM_CHAIN_CYCLIC;
    chain.mistuning = mistuning;
    chain.mistuning_count = 6;
    assert_true(check_detuned(&chain, 2) >= 6); /* the sign alone */
}

/* ---- What is refused ---- */

static void what_has_no_quadrature_class_is_refused_with_the_reason(void **state) {
    (void)state;
    const double mistuning[6] = {0, 0.01, 0, 0, 0, 0};
    am_chain chain = am_chain_default();
    am_atlas_options options = options_of(0.15);
    chain.count = 5;
    refuse(&chain, &options, "odd number of oscillators");
    chain.count = 6;
    chain.ends = AM_CHAIN_OPEN;
    refuse(&chain, &options, "different frequencies");
    chain.ends = AM_CHAIN_CYCLIC;
    chain.mistuning = mistuning;
    chain.mistuning_count = 6;
    refuse(&chain, &options, "follow: none");
}

static void values_that_make_no_sense_are_refused(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 6;
    am_atlas_options options = options_of(0.22);
    refuse(&chain, &options, "no oscillator has a cycle");
    options = options_of(0.2025 - 1e-13);
    refuse(&chain, &options, "meet");
    options = options_of(0.3);
    refuse(&chain, &options, "not between");
    options = options_of(0.15);
    options.least = 7;
    refuse(&chain, &options, "cannot move");
    options = options_of(0.15);
    const char *patterns[] = {"+L 0 M"};
    options.patterns = patterns;
    options.pattern_count = 1;
    refuse(&chain, &options, "is no pattern");
    patterns[0] = "0 0 0 0 0 0 +L";
    refuse(&chain, &options, "more words");
    patterns[0] = "+3";
    refuse(&chain, &options, "does not have");
    options = options_of(0.15);
    options.harmonics = 4;
    refuse(&chain, &options, "odd");
}

static void coupling_can_be_followed_too_and_ends_where_it_vanishes(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    chain.count = 4;
    VARIED_MODEL *varied = model_of_one("coupling", make_coupling, &chain);
    am_atlas_options options = options_of(0.01);
    options.from = 0.0;
    options.to = 0.012;
    options.most = 1;
    am_error err = {0};
    am_result *result = am_result_create(&err);
    GOOD(am_atlas_run(varied, &options, result, NULL, err));
    /* without coupling the amplitude is that of the single oscillator */
    const am_table *points = table_of(result, "branch");
    double A = am_chain_amplitudes(&chain, 1.0).stable;
    bool met = false;
    for (size_t k = 0; k < am_table_rows(points); k++)
        if (cell(points, k, "coupling") == 0.0 && cell(points, k, "branch") == 1)
            met = met || fabs(cell(points, k, "U") - 0.5 * A * A) < 1e-9; /* the continuation's tolerance */
    assert_true(met);
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_counted_by_burnside_are_those_of_explicit_enumeration),
        cmocka_unit_test(listed_representatives_are_canonical_different_and_as_many_as_burnside_says),
        cmocka_unit_test(the_twelve_mass_ring_has_5097110_classes_of_244140625_configurations),
        cmocka_unit_test(every_class_of_eight_masses_solves_equations_9_8),
        cmocka_unit_test(where_the_list_is_complete_two_masses_have_25_solutions_and_no_more),
        cmocka_unit_test(one_harmonic_exponents_are_those_of_hills_method_with_one_harmonic),
        cmocka_unit_test(what_is_surely_unstable_has_an_exponent_with_positive_real_part),
        cmocka_unit_test(verdicts_along_a_branch_are_those_of_all_exponents_at_each_point),
        cmocka_unit_test(a_single_oscillator_turns_back_at_9_xi3_squared_over_40_xi5),
        cmocka_unit_test(the_isola_of_one_and_three_masses_is_closed_with_four_folds),
        cmocka_unit_test(at_a_fold_of_a_branch_the_equations_9_8_are_singular),
        cmocka_unit_test(the_connecting_branch_ends_on_both_branch_points_of_the_isola),
        cmocka_unit_test(branches_share_out_all_classes_each_to_one_of_them),
        cmocka_unit_test(numbers_do_not_depend_on_the_threads),
        cmocka_unit_test(counting_without_a_list_gives_the_same_counts),
        cmocka_unit_test(an_interrupted_run_goes_on_and_ends_as_an_undisturbed_one),
        cmocka_unit_test(a_run_interrupted_between_branches_traces_only_those_that_are_left),
        cmocka_unit_test(the_exact_orbit_of_one_moving_mass_is_where_time_integration_ends),
        cmocka_unit_test(neighbours_a_quarter_period_apart_are_no_exact_orbit),
        cmocka_unit_test(motions_of_open_and_mistuned_chains_solve_their_equations),
        cmocka_unit_test(what_has_no_quadrature_class_is_refused_with_the_reason),
        cmocka_unit_test(values_that_make_no_sense_are_refused),
        cmocka_unit_test(coupling_can_be_followed_too_and_ends_where_it_vanishes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
