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

enum { MOST = 120, CONTACTS = 4 };

/* A chain; `hidden`: its last two coordinates hang on springs far stiffer than the modes reach, which a circulatory
 * matrix takes away again, so that they move slowly in the full problem only. */
typedef struct chain {
    size_t n, m;
    double M[MOST], C[MOST * MOST], K[MOST * MOST], G[MOST * MOST], dense[MOST * MOST];
    double normal[CONTACTS][MOST], tangent[CONTACTS][MOST], second[CONTACTS][MOST], push[MOST];
    am_contact_def contact[CONTACTS];
    bool circulatory, pressed;
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

/* Which parameters of a law are coefficients of friction. */
static bool is_coefficient(const char *law, size_t i) {
    static const struct {
        const char *law;
        unsigned places;
    } all[] = {{"stribeck", 0x13}, {"hyperbolic", 0x3}, {"falling", 0x7}, {"polynomial", 0xf},
               {"tanh", 0x1},      {"dahl", 0x2},       {"lugre", 0x18},  {"rate-and-state", 0x7}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (strcmp(law, all[k].law) == 0)
            return all[k].places >> i & 1;
    return false;
}

static am_matrix *dense(size_t n, const double *a) {
    am_matrix *matrix = am_matrix_dense(n, n, a, NULL);
    assert_non_null(matrix);
    return matrix;
}

static am_system *make(chain *s, double mu) {
    am_contact_def contacts[CONTACTS];
    double values[CONTACTS][3];
    am_error err = {0};
    size_t n = s->n;
    for (size_t c = 0; c < s->m; c++) {
        contacts[c] = s->contact[c];
        contacts[c].normal = s->normal[c], contacts[c].tangent = s->tangent[c];
        contacts[c].friction *= mu / s->reference;
        contacts[c].second_tangent = contacts[c].second_tangent ? s->second[c] : NULL;
        am_speed_friction *use = &contacts[c].speed_friction;
        for (size_t i = 0; i < AM_LAW_PARAMETERS && use->law; i++)
            use->parameter[i] *= is_coefficient(use->law, i) ? mu / s->reference : 1.0;
        for (size_t i = 0; i < use->points; i++)
            values[c][i] = use->coefficient[i] * mu / s->reference;
        use->coefficient = values[c];
    }
    am_load_def push = {.direction = s->push, .function = am_function_constant(1.0)};
    for (size_t i = 0; i < n * n; i++)
        s->dense[i] = i % (n + 1) == 0 ? s->M[i / (n + 1)] : 0.0;
    am_matrix *M = dense(n, s->dense), *C = dense(n, s->C), *K = dense(n, s->K), *G = dense(n, s->G);
    am_system_def def = am_system_def_default();
    def.n = n, def.contact_count = s->m, def.contacts = contacts;
    def.mass = M, def.damping = C, def.stiffness = K, def.circulatory = s->circulatory ? G : NULL;
    def.load_count = s->pressed, def.loads = &push;
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
 * where rigid contact fails, or contacts part. */
static size_t growing_below(chain *s, double mu, double radius, double *growth) {
    am_error err = {0};
    am_spectrum spectrum;
    am_stability_options options = am_stability_options_default();
    am_system *system = make(s, mu);
    size_t count = 0;
    if (am_stability_spectrum(system, &options, &spectrum, &err))
        fail_msg("%s", err.message);
    *growth = -INFINITY;
    bool fails = spectrum.painleve || !spectrum.closed;
    if (fails)
        count = 1;
    for (size_t i = 0; i < spectrum.count && !fails; i++) {
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
 * condition of the chain, 1e-8. A hundred-thousandth to either side of `critical` (near no
 * friction of a tenth: by less than that growth is nothing beyond rounding) what grows is not what the dense problem says
 * within rounding. */
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
    double step = 1e-5 * fmax(critical, 0.1);
    size_t before = growing_below(s, critical - step, radius, &theirs);
    size_t after = growing_below(s, critical + step, INFINITY, &theirs);
    const char *kind = text(result, "instability");
    bool fails = strcmp(kind, "painleve") == 0 || strcmp(kind, "lift-off") == 0;
    if (before != 0 || after == 0 || isinf(theirs) != fails)
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

/* ---- every law of friction ---- */

enum { COULOMB, STRIBECK, HYPERBOLIC, FALLING, POLYNOMIAL, TABLE, TANH, DAHL, LUGRE, RATE_AND_STATE, LAWS };

/* Takes the place of Coulomb's law of a contact; returns its coefficient at the speed v. */
static double draw_law(random_source *r, int kind, double v, am_speed_friction *use) {
    static const char *const names[] = {NULL,    "stribeck", "hyperbolic", "falling", "polynomial",
                                        "table", "tanh",     "dahl",       "lugre",   "rate-and-state"};
    static const double speeds[] = {0.0, 0.5, 2.0}, coefficients[] = {0.5, 0.4, 0.2};
    double high = random_between(r, 0.4, 0.6), low = random_between(r, 0.2, 0.3), a = random_between(r, 0.2, 2.0);
    const double parameters[LAWS][AM_LAW_PARAMETERS] = {[STRIBECK] = {high, low, a, 1.5, 0.02},
                                                        [HYPERBOLIC] = {high, low, a},
                                                        [FALLING] = {high, 0.1 * a, 0.1},
                                                        [POLYNOMIAL] = {high, -0.02 * a, 0.01, 0.002},
                                                        [TANH] = {high, a},
                                                        [DAHL] = {20.0 * a, high},
                                                        [LUGRE] = {20.0 * a, 0.05, 0.02, high, low, a},
                                                        [RATE_AND_STATE] = {high, 0.02, 0.04, 0.1 * a, 0.5 * a}};
    if (kind == COULOMB)
        return NAN;
    use->law = names[kind];
    memcpy(use->parameter, parameters[kind], sizeof parameters[kind]);
    if (kind == TABLE)
        use->points = 3, use->speed = speeds, use->coefficient = coefficients;
    switch (kind) {
    case TANH:
        return high * tanh(v / a);
    case DAHL:
        return high;
    case LUGRE:
        return low + (high - low) * exp(-v * v / (a * a));
    case RATE_AND_STATE: /* theta = Dc/v */
        return 0.02 * asinh(v / (0.2 * a) * exp((high + 0.04 * log(0.1 * a / v)) / 0.02));
    default:
        return am_speed_friction_at(use, v, NULL);
    }
}

static bool has_spring(uint64_t seed, int law) {
    return (law == TANH || law == DAHL || law == RATE_AND_STATE) && seed % 3 == 0;
}

/* Layers, rigid contacts and given normal forces, all pressed by loads. Each has a friction of its own; some turn in a
 * plane, rigid or behind springs. */
static void draw_contacts(random_source *source, uint64_t seed, chain *s) {
    static const am_normal_law laws[] = {AM_KELVIN_VOIGT, AM_HELD, AM_KELVIN_VOIGT, AM_UNILATERAL};
    double most = 0.0;
    s->pressed = true;
    for (size_t c = 0; c < CONTACTS; c++) {
        size_t place = 5 + 12 * c + random_index(source, 6);
        am_contact_def *contact = &s->contact[c];
        add_contact(source, s, place, place + 2, laws[(seed + c) % 4]);
        double speed = random_between(source, 0.3, 1.5);
        contact->surface_velocity *= speed;
        double own = draw_law(source, (int)((seed + 3 * c) % LAWS), speed, &contact->speed_friction);
        contact->friction = isnan(own) ? contact->friction : 0.0;
        if (has_spring(seed, (int)((seed + 3 * c) % LAWS)))
            contact->tangential_stiffness = 40.0;
        most = fmax(most, isnan(own) ? contact->friction : own);
        s->push[place + 2] += random_between(source, 10.0, 30.0);
        if (contact->normal_law == AM_HELD)
            contact->hold = am_function_constant(random_between(source, 1.0, 3.0));
        if (isnan(own) && seed % 2) {
            contact->second_tangent = s->second[c];
            s->second[c][place + 1] = 1.0;
            contact->tangential_stiffness = seed % 4 == 1 ? 30.0 : 0.0;
        }
    }
    s->reference = most;
}

/* Every eigenvalue that the dense problem has in the disc, but for memories that nothing feeds (real, stable), is in the
 * table, and every one of the table in the disc is one of the dense problem: to rounding times the condition, 1e-8. */
static void eigenvalues_agree(uint64_t seed, chain *s, const am_result *result) {
    am_error err = {0};
    am_spectrum spectrum;
    am_stability_options options = am_stability_options_default();
    am_system *system = make(s, s->reference);
    const am_table *table = table_of(result, "squeal");
    double radius = number(result, "certified_omega");
    if (am_stability_spectrum(system, &options, &spectrum, &err))
        fail_msg("%s", err.message);
    for (size_t row = 0; row < am_table_rows(table); row++) {
        double re = cell(table, row, "real"), im = cell(table, row, "imaginary"), nearest = INFINITY;
        for (size_t i = 0; i < spectrum.count; i++)
            nearest = fmin(nearest, hypot(spectrum.real[i] - re, spectrum.imaginary[i] - im));
        bool counted = isnan(cell(table, row, "residual")); /* among decays that are not told apart */
        if (hypot(re, im) < radius && !counted && !(nearest <= 1e-8 * radius))
            fail_msg("%llu: %.12g + %.12gi is off by %g", (unsigned long long)seed, re, im, nearest);
    }
    for (size_t i = 0; i < spectrum.count; i++) {
        double re = spectrum.real[i], im = spectrum.imaginary[i], nearest = INFINITY;
        if (!(hypot(re, im) < 0.999 * radius) || im < 0.0 || (im == 0.0 && re < 0.0))
            continue;
        for (size_t row = 0; row < am_table_rows(table); row++)
            nearest = fmin(nearest, hypot(cell(table, row, "real") - re, cell(table, row, "imaginary") - im));
        if (!(nearest <= 1e-8 * radius))
            fail_msg("%llu: %.12g + %.12gi is missing (%g)", (unsigned long long)seed, re, im, nearest);
    }
    am_spectrum_clear(&spectrum);
    am_system_free(system);
}

static void chains_with_every_law_of_friction_squeal_as_the_dense_problem_says(void **state) {
    (void)state;
    static chain s;
    size_t critical = 0;
    for (uint64_t seed = 1; seed <= CASES(6, 2); seed++) {
        random_source source = random_seed(900 + seed);
        random_chain(&source, 101 + random_index(&source, 10), &s);
        draw_contacts(&source, seed, &s);
        am_result *result = squeal(&s, s.reference, 1.5, 20);
        eigenvalues_agree(seed, &s, result);
        critical += compare(seed, &s, 1.5, result);
        am_result_free(result);
    }
    assert_true(critical > 0);
}

/* Ages that many contacts forget at one rate, V/Dc, lie too close to each other to be told apart: they are counted. */
static void memories_that_forget_alike_are_counted(void **state) {
    (void)state;
    static chain s;
    random_source source = random_seed(31);
    random_chain(&source, 103, &s);
    draw_contacts(&source, 1, &s);
    s.reference = 0.3 + 0.02 * log(1.0 / 0.1) - 0.04 * log(1.0 / 0.1);
    for (size_t c = 0; c < s.m; c++) {
        am_contact_def *contact = &s.contact[c];
        contact->normal_law = AM_KELVIN_VOIGT, contact->contact_stiffness = 200.0, contact->second_tangent = NULL;
        contact->friction = contact->tangential_stiffness = 0.0, contact->surface_velocity = 1.0;
        contact->speed_friction = (am_speed_friction){"rate-and-state", {0.3, 0.02, 0.04, 0.1, 0.2}, 0, NULL, NULL};
    }
    am_result *result = squeal(&s, s.reference, 1.5, 20);
    size_t together = 0;
    const am_table *table = table_of(result, "squeal");
    for (size_t row = 0; row < am_table_rows(table); row++)
        together += fabs(cell(table, row, "real") + 5.0) < 0.5 && cell(table, row, "imaginary") == 0.0;
    assert_int_equal(together, CONTACTS);
    eigenvalues_agree(31, &s, result);
    assert_true(compare(31, &s, 1.5, result));
    am_result_free(result);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_that_forget_alike_are_counted),
        cmocka_unit_test(chains_with_every_law_of_friction_squeal_as_the_dense_problem_says),
        cmocka_unit_test(random_chains_squeal_as_the_dense_problem_says),
        cmocka_unit_test(rigid_contact_fails_where_its_inertia_says),
        cmocka_unit_test(a_growing_pair_outside_of_the_modes_is_found),
        cmocka_unit_test(a_threshold_outside_of_the_modes_is_found)};
    return am_squeal_available() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
