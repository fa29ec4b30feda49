/* Nonlinear modes: closed forms, the exact motion in time, the forced response at phase resonance, and what any structure
 * must obey (units, energy). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amontons/backbone.h"
#include "amontons/output.h"
#include "cases.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

static const double pi_ = 3.14159265358979323846;

static const am_result *result_of(const am_run *run) {
    return am_run_report(run)->result;
}

static am_run *run_format(const char *format, ...) {
    char text[8192];
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return run_text(text);
}

/* The first row of the amplitude. */
static size_t row_at(const am_table *table, double amplitude) {
    for (size_t i = 0; i < am_table_rows(table); i++)
        if (cell(table, i, "amplitude") == amplitude)
            return i;
    fail_msg("no row has the amplitude %.17g", amplitude);
    return 0;
}

/* ---- closed forms ---- */

/* A mass, a spring, a damper and a slider behind a spring: with one harmonic the describing function of the stop
 * operator, whose loop takes 4 mu N (A - x0). Newton's method stops at 1e-10. */
static void one_slider_has_its_describing_function(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < CASES(8, 3); i++) {
        double m = uniform(&seed, 0.2, 5.0), k = uniform(&seed, 0.2, 5.0), c = uniform(&seed, 0.0, 0.1),
               kt = uniform(&seed, 0.2, 5.0), limit = uniform(&seed, 0.2, 5.0), x0 = limit / kt;
        const double sizes[] = {0.3, 1.01, 1.7, 4.0, 20.0};
        double a[5];
        for (size_t v = 0; v < 5; v++)
            a[v] = sizes[v] * x0 * sqrt(m);
        am_run *run =
            run_format("title: t\nmodel:\n  kind: structure\n  mass: [%.17g]\n  stiffness: [%.17g]\n"
                       "  damping: [%.17g]\n  contacts: [{law: held, hold: {constant: %.17g}, tangent: [1], "
                       "friction: 1, tangential_stiffness: %.17g}]\nanalysis: {kind: backbone, mode: 1, "
                       "from: %.17g, to: %.17g, values: [%.17g, %.17g, %.17g], harmonics: 1, stability: none}\n",
                       m, k, c, limit, kt, a[0], a[4], a[1], a[2], a[3]);
        const am_table *table = table_of(result_of(run), "backbone");
        for (size_t v = 0; v < 5; v++) {
            size_t row = row_at(table, a[v]);
            double A = sizes[v] * x0, theta = A > x0 ? acos(1.0 - 2.0 * x0 / A) : pi_;
            double stiff = kt / pi_ * (theta - 0.5 * sin(2.0 * theta)), loss = A > x0 ? 4.0 * limit * (A - x0) : 0.0;
            double omega = sqrt((k + stiff) / m), xi = (loss / (pi_ * omega * A * A) + c) / m;
            assert_near(cell(table, row, "frequency"), omega, 1e-9 * omega);
            assert_near(cell(table, row, "damping"), 0.5 * xi / omega, 1e-9);
            assert_near(cell(table, row, "loss_nonlinear"), loss, 1e-8 * limit * A);
            assert_near(cell(table, row, "q1_1"), A, 1e-9 * A);
        }
        am_run_free(run);
    }
}

/* A spring that acts on one side: half a period of each frequency, at any amplitude. The harmonics left out move the
 * motion by the truncation, and the frequency less. Rest does not tell whether the spring is open or closed. */
static void the_bilinear_oscillator_has_one_frequency(void **state) {
    (void)state;
    const double stiff[] = {0.5, 5.0, 200.0};
    for (size_t i = 0; i < 3; i++) {
        am_run *run =
            run_format("title: t\nmodel:\n  kind: structure\n  mass: [2]\n  stiffness: [3]\n  contacts: [{law: "
                       "spring, contact_stiffness: %g, normal: [1]}]\nanalysis: {kind: backbone, from: 0.01, "
                       "to: 10, harmonics: 25, stability: none}\n",
                       stiff[i]);
        const am_table *table = table_of(result_of(run), "backbone");
        double w1 = sqrt(1.5), w2 = sqrt((3.0 + stiff[i]) / 2.0), omega = 2.0 * w1 * w2 / (w1 + w2);
        double truncation = number(result_of(run), "truncation");
        assert_true(truncation < 1e-3);
        for (size_t row = 0; row < am_table_rows(table); row++) {
            assert_near(cell(table, row, "frequency"), omega, truncation * omega);
            assert_near(cell(table, row, "damping"), 0.0, 1e-10);
        }
        am_run_free(run);
    }
}

static double complete_elliptic(double m) { /* K(m) by the arithmetic-geometric mean */
    double a = 1.0, g = sqrt(1.0 - m);
    while (fabs(a - g) > 1e-15 * a) {
        double mean = 0.5 * (a + g);
        g = sqrt(a * g);
        a = mean;
    }
    return pi_ / (2.0 * a);
}

/* m q'' + k q + b q^3 = 0 with the largest displacement A. */
static void a_cubic_spring_has_the_frequency_of_elliptic_functions(void **state) {
    (void)state;
    const double m = 1.7, k = 0.6, b = 2.3;
    am_run *run = run_format("title: t\nmodel:\n  kind: structure\n  mass: [%g]\n  stiffness: [%g]\n  polynomials: "
                             "[{direction: [1], terms: [{coefficient: %g, displacement: 3}]}]\nanalysis: {kind: "
                             "backbone, from: 0.01, to: 20, tolerance: 1e-8, stability: none}\n",
                             m, k, b);
    const am_table *table = table_of(result_of(run), "backbone");
    for (size_t i = 0; i < am_table_rows(table); i++) {
        double A = cell(table, i, "largest"), square = A * A;
        double omega =
            pi_ * sqrt((k + b * square) / m) / (2.0 * complete_elliptic(b * square / (2.0 * (k + b * square))));
        assert_near(cell(table, i, "frequency"), omega, 1e-8 * omega);
        assert_near(cell(table, i, "xi"), 0.0, 1e-10 * omega);
    }
    am_run_free(run);
}

/* ---- the cantilever with one slider ---- */

enum { ELEMENTS = 14, BEAM = 2 * ELEMENTS };

/* Euler and Bernoulli's elements, clamped at the first node. */
static void fill_beam(double *K, double *M) {
    const double length = 0.71 / ELEMENTS, E = 0.6725 * 210e9, I = 0.06 * 0.05 * 0.05 * 0.05 / 12.0,
                 mass = 7850.0 * 0.05 * 0.06 * length, l = length;
    const double k[4][4] = {{12, 6 * l, -12, 6 * l},
                            {6 * l, 4 * l * l, -6 * l, 2 * l * l},
                            {-12, -6 * l, 12, -6 * l},
                            {6 * l, 2 * l * l, -6 * l, 4 * l * l}};
    const double m[4][4] = {{156, 22 * l, 54, -13 * l},
                            {22 * l, 4 * l * l, 13 * l, -3 * l * l},
                            {54, 13 * l, 156, -22 * l},
                            {-13 * l, -3 * l * l, -22 * l, 4 * l * l}};
    for (int e = 0; e < ELEMENTS; e++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) {
                int row = 2 * e + i - 2, column = 2 * e + j - 2;
                if (row < 0 || column < 0)
                    continue;
                K[row * BEAM + column] += E * I / (l * l * l) * k[i][j];
                M[row * BEAM + column] += mass / 420.0 * m[i][j];
            }
}

static am_system *cantilever(void) {
    static double K[BEAM * BEAM], M[BEAM * BEAM], tangent[BEAM];
    memset(K, 0, sizeof K);
    memset(M, 0, sizeof M);
    fill_beam(K, M);
    tangent[2 * (6 - 2)] = 1.0; /* node 6, across */
    am_contact_def contact = am_contact_def_default();
    contact.tangent = tangent;
    contact.normal_law = AM_HELD;
    contact.hold = am_function_constant(106.0);
    contact.friction = 1.0;
    contact.tangential_stiffness = 1e8;
    am_system_def def = am_system_def_default();
    am_error err = {0};
    am_matrix *stiffness = am_matrix_dense(BEAM, BEAM, K, &err), *mass = am_matrix_dense(BEAM, BEAM, M, &err);
    def.n = BEAM;
    def.mass = mass;
    def.stiffness = stiffness;
    def.contact_count = 1;
    def.contacts = &contact;
    am_system *system = am_system_create(&def, &err);
    am_matrix_free(stiffness);
    am_matrix_free(mass);
    assert_non_null(system);
    return system;
}

/* Stuck at small amplitudes, nearly free at large ones, in between softer and softer with one maximum of damping.
 * Frequencies of both limits by an eigenvalue solver: 707.9551 and 427.0065 radians per second. */
static void a_cantilever_with_one_slider_goes_from_stuck_to_free(void **state) {
    (void)state;
    am_system *system = cantilever();
    am_backbone_options options = am_backbone_options_default();
    am_error err = {0};
    am_result *result = am_result_create(&err);
    options.from = 1e-6;
    options.to = 1.0;
    options.harmonics = 1;
    if (am_backbone_run(system, &options, result, NULL, &err))
        fail_msg("%s", err.message);
    const am_table *table = table_of(result, "backbone");
    size_t count = am_table_rows(table), turns = 0;
    assert_near(cell(table, 0, "frequency"), 707.9551, 1e-4);
    assert_near(cell(table, count - 1, "frequency"), 427.0065, 2e-3); /* friction stiffens by x0/A */
    for (size_t i = 1; i < count; i++) {
        assert_true(cell(table, i, "frequency") <= cell(table, i - 1, "frequency") + 1e-6);
        if (i + 1 < count)
            turns += cell(table, i, "damping") > cell(table, i - 1, "damping") + 1e-12 &&
                     cell(table, i, "damping") >= cell(table, i + 1, "damping");
    }
    assert_int_equal(turns, 1);
    assert_true(number(result, "energy_residual") < 1e-11); /* of all 28 coordinates, of which one was balanced */
    am_result_free(result);
    am_system_free(system);
}

/* ---- random structures ---- */

/* A chain of masses; a slider at the first, a cubic spring at the second, a unilateral spring that a constant load holds
 * closed or open at the last, as asked. */
typedef struct chain {
    size_t n;
    bool slider, cubic, layer;
    double scale[3]; /* units of length, mass and time */
    uint64_t seed;
} chain;

static size_t write_chain(const chain *c, char *text, size_t size) {
    uint64_t seed = c->seed;
    double L = c->scale[0], M = c->scale[1], T = c->scale[2], k = M / (T * T), F = M * L / (T * T), force = 0.0;
    double stiff[8], mass[8];
    for (size_t i = 0; i < 8; i++) {
        mass[i] = uniform(&seed, 0.6, 1.6) * M;
        stiff[i] = uniform(&seed, 0.6, 1.6) * k;
    }
    size_t at = (size_t)snprintf(text, size, "title: t\nmodel:\n  kind: structure\n  mass: [");
#define ADD(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
    for (size_t i = 0; i < c->n; i++)
        ADD("%s%.17g", i ? ", " : "", mass[i]);
    for (int part = 0; part < 2; part++) { /* stiffness, and damping in proportion to it */
        ADD("]\n  %s: [", part ? "damping" : "stiffness");
        double share = part ? 0.01 * T : 1.0;
        for (size_t i = 0; i < c->n; i++) {
            ADD("%s[", i ? ", " : "");
            for (size_t j = 0; j < c->n; j++)
                ADD("%s%.17g", j ? ", " : "",
                    share * (i == j                     ? stiff[i] + stiff[i + 1]
                             : i + 1 == j || j + 1 == i ? -stiff[i > j ? i : j]
                                                        : 0.0));
            ADD("]");
        }
    }
    ADD("]\n");
#define DIRECTION(which)                                                                                               \
    for (size_t i = 0; i < c->n; i++)                                                                                  \
    ADD("%s%d", i ? ", " : "[", i == (which)), ADD("%s", i + 1 == c->n ? "]" : "")
    ADD("  contacts:\n");
    if (c->slider) {
        ADD("  - {law: held, hold: {constant: %.17g}, friction: 0.5, tangential_stiffness: %.17g, tangent: ", F,
            uniform(&seed, 0.5, 1.5) * k);
        DIRECTION(0);
        ADD("}\n");
    }
    if (c->layer) {
        force = uniform(&seed, -0.3, 0.3) * F;
        ADD("  - {law: spring, contact_stiffness: %.17g, normal: ", uniform(&seed, 0.5, 1.5) * k);
        DIRECTION(c->n - 1);
        ADD("}\n");
    }
    if (!c->slider && !c->layer)
        at -= strlen("  contacts:\n");
    if (c->cubic) {
        ADD("  polynomials: [{terms: [{coefficient: %.17g, displacement: 3}], direction: ", 0.3 * k / (L * L));
        DIRECTION(1);
        ADD("}]\n");
    }
    if (c->layer) {
        ADD("  loads: [{constant: %.17g, direction: ", force);
        DIRECTION(c->n - 1);
        ADD("}]\n");
    }
    return at;
}

/* Whatever units the study has, the same mode: amplitudes go with length sqrt(mass), frequencies with 1/time. Steps of
 * the curve are free to differ, so only amplitudes asked for are compared, to the tolerance of Newton's method. */
static void units_do_not_matter(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(4, 1); seed++) {
        const double scales[2][3] = {{1.0, 1.0, 1.0}, {3e-4, 7e3, 2e-2}};
        double found[2][4][2];
        for (int u = 0; u < 2; u++) {
            chain c = {.n = 3, .slider = true, .cubic = true, .layer = seed % 2, .seed = 100 + seed};
            memcpy(c.scale, scales[u], sizeof c.scale);
            double unit = c.scale[0] * sqrt(c.scale[1]);
            char text[4096];
            size_t at = write_chain(&c, text, sizeof text);
            snprintf(
                text + at, sizeof text - at,
                "analysis: {kind: backbone, mode: 2, values: [%.17g, %.17g, %.17g, %.17g], harmonics: 5, stability: "
                "none}\n",
                0.2 * unit, 0.7 * unit, 1.5 * unit, 3.0 * unit);
            am_run *run = run_text(text);
            const am_table *table = table_of(result_of(run), "backbone");
            const double sizes[] = {0.2, 0.7, 1.5, 3.0};
            for (size_t v = 0; v < 4; v++) {
                size_t row = row_at(table, sizes[v] * unit);
                found[u][v][0] = cell(table, row, "frequency") * c.scale[2];
                found[u][v][1] = cell(table, row, "damping");
            }
            am_run_free(run);
        }
        for (size_t v = 0; v < 4; v++) {
            assert_near(found[1][v][0], found[0][v][0], 1e-8);
            assert_near(found[1][v][1], found[0][v][1], 1e-8);
        }
    }
}

/* The motion in time of the structure with C - xi M: periodic with this frequency. Where forces are smooth harmonics
 * converge fast, so balance and exact motion agree to 1e-8; where they have corners as fast as harmonics allow. */
static void the_motion_in_time_is_the_same(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(4, 2); seed++) {
        bool smooth = seed % 2 == 0;
        chain c = {.n = smooth ? 2 : 4, .slider = !smooth, .cubic = true, .scale = {1.0, 1.0, 1.0}, .seed = seed};
        char text[4096];
        size_t at = write_chain(&c, text, sizeof text);
        snprintf(text + at, sizeof text - at,
                 "analysis: {kind: backbone, mode: %d, from: 0.2, to: 1.5, harmonics: %d, most_points: 6}\n",
                 seed % 3 == 0 ? 2 : 1, smooth ? 25 : 41);
        am_run *run = run_text(text);
        assert_true(number(result_of(run), "frequency_known_to") < (smooth ? 1e-8 : 1e-5));
        assert_true(number(result_of(run), "truncation") < (smooth ? 1e-8 : 1e-5));
        assert_true(number(result_of(run), "stability_withheld") == 0.0);
        assert_true(number(result_of(run), "energy_residual") < 1e-12);
        am_run_free(run);
    }
}

/* Two motions of a structure with sliders under given normal forces never part: all of its modes are stable, though the
 * exponents alone, in which xi stands for the decay, may come out above zero. */
static void friction_under_given_normal_forces_is_stable(void **state) {
    (void)state;
    am_run *run =
        run_text("title: t\nmodel:\n  kind: structure\n  mass: [1, 1, 1, 1, 1, 1, 1, 1]\n  stiffness:\n"
                 "  - [2, -1, 0, 0, 0, 0, 0, 0]\n  - [-1, 2, -1, 0, 0, 0, 0, 0]\n  - [0, -1, 2, -1, 0, 0, 0, 0]\n"
                 "  - [0, 0, -1, 2, -1, 0, 0, 0]\n  - [0, 0, 0, -1, 2, -1, 0, 0]\n  - [0, 0, 0, 0, -1, 2, -1, 0]\n"
                 "  - [0, 0, 0, 0, 0, -1, 2, -1]\n  - [0, 0, 0, 0, 0, 0, -1, 1]\n"
                 "  contacts: [{tangent: {q8: 1}, law: held, hold: {constant: 1}, friction: 1, "
                 "tangential_stiffness: 0.5}]\n"
                 "analysis: {kind: backbone, mode: 1, from: 9.6, to: 9.8, harmonics: 7}\n");
    const am_result *result = result_of(run);
    const am_table *table = table_of(result, "backbone");
    double largest = -INFINITY;
    assert_string_equal(am_result_find(result, "stability")->text, "contraction");
    assert_true(number(result, "unstable_points") == 0.0 && number(result, "stability_withheld") == 0.0);
    for (size_t row = 0; row < am_table_rows(table); row++) {
        assert_true(cell(table, row, "stable") == 1.0);
        largest = fmax(largest, cell(table, row, "exponent"));
    }
    assert_true(largest > 1e-6);
    am_run_free(run);
}

/* Structures of more coordinates are judged at as many points as a few seconds allow, and those say what they would say if
 * all were judged. */
static void a_longer_chain_is_judged_by_itself(void **state) {
    (void)state;
    const chain c = {.n = 7, .cubic = true, .scale = {1.0, 1.0, 1.0}, .seed = 3};
    am_run *run[2];
    for (int all = 0; all < 2; all++) {
        char text[8192];
        size_t at = write_chain(&c, text, sizeof text);
        snprintf(text + at, sizeof text - at,
                 "analysis: {kind: backbone, mode: 1, from: 0.8, to: 1, harmonics: 5, stability: %s}\n",
                 all ? "floquet" : "auto");
        run[all] = run_text(text);
    }
    const am_table *own = table_of(result_of(run[0]), "backbone"), *every = table_of(result_of(run[1]), "backbone");
    assert_int_equal(am_table_rows(own), am_table_rows(every));
    size_t judged = 0;
    for (size_t row = 0; row < am_table_rows(own); row++)
        if (!isnan(cell(own, row, "stable"))) {
            judged++;
            assert_true(cell(own, row, "stable") == cell(every, row, "stable"));
            assert_true(cell(own, row, "exponent") == cell(every, row, "exponent"));
        }
    assert_true(judged > 0);
    am_run_free(run[0]);
    am_run_free(run[1]);
}

/* Two equal masses on springs that harden, and on them a crowd of light ones, n in all: 1e3 times as fast and a millionth of
 * the mass. */
static am_system *pair_with_crowd(size_t n) {
    const double coupling = 0.04, light = 1e-6, stiff = 1.0;
    double *K = calloc(n * n, sizeof *K), *M = calloc(n * n, sizeof *M), *rows = calloc(2 * n, sizeof *rows);
    const am_polynomial_term cubic = {.coefficient = 0.5, .displacement = 3};
    am_polynomial_def spring[2];
    for (size_t i = 0; i < n; i++) {
        size_t on = i < 2 ? 1 - i : i % 2;
        double k = i < 2 ? coupling : stiff;
        K[i * n + i] += i < 2 ? 1.0 + k : k;
        K[i * n + on] -= k;
        if (i >= 2) {
            K[on * n + i] -= k;
            K[on * n + on] += k;
        }
        M[i * n + i] = i < 2 ? 1.0 : light;
    }
    for (size_t i = 0; i < 2; i++) {
        rows[i * n + i] = 1.0;
        spring[i] = (am_polynomial_def){.direction = rows + i * n, .term_count = 1, .terms = &cubic};
    }
    am_matrix *stiffness = am_matrix_dense(n, n, K, NULL), *mass = am_matrix_dense(n, n, M, NULL);
    am_system_def def = am_system_def_default();
    def.n = n;
    def.stiffness = stiffness;
    def.mass = mass;
    def.polynomial_count = 2;
    def.polynomials = spring;
    am_system *system = am_system_create(&def, NULL);
    am_matrix_free(stiffness);
    am_matrix_free(mass);
    free(K);
    free(M);
    free(rows);
    assert_non_null(system);
    return system;
}

/* Fast coordinates take long to follow in time: then the motions of the lowest modes are judged. They say what the two
 * masses say without their crowd, whose mass of 4e-5 moves frequencies by half of that and growth, the root of a difference
 * of two squares of them, by up to a hundredth of itself. */
static void fast_coordinates_leave_the_verdict_to_the_lowest_modes(void **state) {
    (void)state;
    const double values[] = {0.35, 0.55};
    am_result *result[2];
    am_backbone_options options = am_backbone_options_default();
    options.mode = 2;
    options.from = 0.3;
    options.to = 0.6;
    options.harmonics = 3;
    options.tolerance = 0.1;
    options.values = values;
    options.value_count = 2;
    for (size_t i = 0; i < 2; i++) {
        am_system *system = pair_with_crowd(i ? 40 : 2);
        result[i] = am_result_create(NULL);
        GOOD(am_backbone_run(system, &options, result[i], NULL, err));
        am_system_free(system);
    }
    assert_string_equal(am_result_find(result[0], "stability")->text, "floquet");
    assert_string_equal(am_result_find(result[1], "stability")->text, "modes");
    const am_table *few = table_of(result[0], "backbone"), *many = table_of(result[1], "backbone");
    for (size_t v = 0; v < 2; v++) {
        size_t one = row_at(few, values[v]), other = row_at(many, values[v]);
        assert_true(cell(few, one, "stable") == (v == 0)); /* what is in phase grows from a^2 = 8 coupling/3 k3 on */
        assert_true(cell(many, other, "stable") == (v == 0));
        assert_near(cell(many, other, "exponent"), cell(few, one, "exponent"),
                    0.01 * fabs(cell(few, one, "exponent")) + 1e-7);
    }
    am_result_free(result[0]);
    am_result_free(result[1]);
}

/* A slider in the plane that constant loads have stretched beside both directions of motion: it sticks as they left it,
 * with the frequency of the stuck structure, then slips, and in the end it is free. */
static void a_slider_in_the_plane_recalls_its_preload(void **state) {
    (void)state;
    am_run *run = run_text(
        "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  names: [x, y]\n  stiffness: [[1, 0.1], [0.1, 1.7]]\n"
        "  contacts: [{tangents: [[1, 0], [0, 1]], law: held, hold: {constant: 1}, friction: 1, tangential_stiffness: "
        "2}]\n"
        "  preload: [{direction: {x: 1}, constant: 0.9}, {direction: {y: 1}, constant: 0.4}]\n"
        "analysis: {kind: backbone, mode: 1, from: 0.4, to: 100, harmonics: 3, stability: none}\n");
    const am_table *table = table_of(result_of(run), "backbone");
    size_t last = am_table_rows(table) - 1;
    double stuck = sqrt(0.5 * (6.7 - sqrt(0.49 + 0.04))), freely = sqrt(0.5 * (2.7 - sqrt(0.49 + 0.04)));
    assert_true(am_result_find(result_of(run), "reached")->number == 1.0);
    assert_near(cell(table, 0, "frequency"), stuck, 1e-9);
    assert_near(cell(table, last, "frequency"), freely, 0.01);
    am_run_free(run);
}

/* A preload in line with the motion leaves a slider in the plane the limits, the path and the mean of one on a line. */
static void a_preload_in_line_with_the_motion_slips_along_it(void **state) {
    (void)state;
    static const char *const tangents[] = {"tangent: [1, 0]", "tangents: [[1, 0], [0, 1]]"};
    am_run *run[2];
    for (int i = 0; i < 2; i++)
        run[i] =
            run_format("title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  names: [x, y]\n  stiffness: [1, 5]\n"
                       "  contacts: [{%s, law: held, hold: {constant: 1}, friction: 1, tangential_stiffness: 2}]\n"
                       "  preload: [{direction: {x: 1}, constant: 3}]\n"
                       "analysis: {kind: backbone, mode: 1, values: [0.5, 2, 20], harmonics: 5, stability: none}\n",
                       tangents[i]);
    for (int k = 0; k < 3; k++) {
        static const double values[] = {0.5, 2.0, 20.0};
        const am_table *line = table_of(result_of(run[0]), "backbone"), *both = table_of(result_of(run[1]), "backbone");
        size_t a = row_at(line, values[k]), b = row_at(both, values[k]);
        assert_near(cell(both, b, "frequency"), cell(line, a, "frequency"), 1e-8);
        assert_near(cell(both, b, "damping"), cell(line, a, "damping"), 1e-8);
    }
    am_run_free(run[1]);
    am_run_free(run[0]);
}

/* Force appropriation: the loads xi M q' of one harmonic hold the mode at its own frequency. `response` finds the same
 * motion, 90 degrees behind; of one harmonic the two are the same equations. */
static void forced_at_phase_resonance_the_structure_moves_in_its_mode(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= CASES(6, 2); seed++) {
        chain c = {.n = 4, .slider = true, .cubic = seed % 2, .scale = {1.0, 1.0, 1.0}, .seed = 40 + seed};
        char text[8192];
        size_t at = write_chain(&c, text, sizeof text);
        snprintf(text + at, sizeof text - at,
                 "analysis: {kind: backbone, mode: %d, values: [0.5, 2], harmonics: 1, stability: none}\n",
                 1 + (int)(seed % 2));
        am_run *run = run_text(text);
        const am_table *table = table_of(result_of(run), "backbone");
        size_t row = row_at(table, 2.0);
        double omega = cell(table, row, "frequency"), xi = cell(table, row, "xi"), mass[4], amplitude[4], phase[4];
        uint64_t again = c.seed;
        at += (size_t)snprintf(text + at, sizeof text - at, "  Omega: %.17g\n  loads:\n", omega);
        for (size_t i = 0; i < 4; i++) {
            char name[32];
            mass[i] = uniform(&again, 0.6, 1.6);
            uniform(&again, 0.0, 1.0); /* the spring */
            snprintf(name, sizeof name, "q%zu_1", i + 1);
            amplitude[i] = cell(table, row, name);
            snprintf(name, sizeof name, "q%zu_phase_deg", i + 1);
            phase[i] = cell(table, row, name) * pi_ / 180.0;
            /* A cos(theta - phase) has the rate -omega A sin(theta - phase) */
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "  - {direction: [%d, %d, %d, %d], sine: {amplitude: ", i == 0, i == 1, i == 2,
                                   i == 3);
            at += (size_t)snprintf(text + at, sizeof text - at, "%.17g, multiple: 1, phase: %.17g}}\n",
                                   -xi * mass[i] * omega * amplitude[i], -phase[i]);
        }
        snprintf(text + at, sizeof text - at, "analysis: {kind: response, harmonics: 1, stability: none}\n");
        am_run *forced = run_text(text);
        const am_table *branch = table_of(result_of(forced), "branch");
        for (size_t i = 0; i < 4; i++) {
            char name[32];
            snprintf(name, sizeof name, "q%zu_1", i + 1);
            assert_near(cell(branch, 0, name), amplitude[i], 1e-7);
        }
        am_run_free(forced);
        am_run_free(run);
    }
}

/* The forced response near the mode, from the mode alone, beside `response`: the load is not spread like the mode, and
 * damping is a few percent, so peaks agree within a few percent (the theory's own error, of the order of zeta). */
static void the_mode_predicts_the_forced_peak(void **state) {
    (void)state;
    const char *model =
        "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[2, -1], [-1, 3]]\n"
        "  damping: [[0.02, -0.01], [-0.01, 0.03]]\n  contacts: [{law: held, hold: {constant: 1}, tangent: "
        "[1, 0], friction: 0.5, tangential_stiffness: 1}]\n  Omega: 1\n"
        "  loads: [{direction: [0, 1], sine: {amplitude: 1, multiple: 1}}]\n";
    am_run *run =
        run_format("%sanalysis: {kind: backbone, from: 0.1, to: 100, harmonics: 7, forces: [1, 2], stability: "
                   "none}\n",
                   model);
    am_run *forced =
        run_format("%sanalysis: {kind: response, over: Omega, from: 0.7, to: 1.6, harmonics: 7, coordinate: "
                   "q1, stability: none}\n",
                   model);
    const am_table *table = table_of(result_of(run), "forced");
    double peak = number(result_of(forced), "peak"), predicted = NAN, at = NAN;
    for (size_t i = 0; i < am_table_rows(table); i++)
        if (!strcmp(word(table, i, "kind"), "peak") && cell(table, i, "force") == 1.0) {
            predicted = cell(table, i, "q1_1");
            at = cell(table, i, "frequency");
        }
    assert_near(predicted, peak, 0.03 * peak);
    assert_near(at, number(result_of(forced), "peak_frequency"), 0.01);
    am_run_free(run);
    am_run_free(forced);
}

/* A linear structure with damping in proportion to its stiffness: the mode is the linear one, the other disturbance
 * decays like the other mode, and the forced response of one coordinate is exact. */
static void a_linear_structure_keeps_its_mode(void **state) {
    (void)state;
    const double b = 0.02, w1 = 1.0, w2 = 3.0; /* squares of the frequencies of [[2, -1], [-1, 2]] */
    am_run *run =
        run_format("title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[2, -1], [-1, 2]]\n"
                   "  damping: [[%g, %g], [%g, %g]]\nanalysis: {kind: backbone, from: 0.1, to: 2, harmonics: 3, "
                   "most_points: 20}\n",
                   2 * b, -b, -b, 2 * b);
    const am_table *table = table_of(result_of(run), "backbone");
    for (size_t i = 0; i < am_table_rows(table); i++) {
        assert_near(cell(table, i, "frequency"), sqrt(w1), 1e-9);
        assert_near(cell(table, i, "xi"), b * w1, 1e-9);
        assert_near(cell(table, i, "exponent"), -0.5 * b * w2, 1e-9);
        assert_near(cell(table, i, "stable"), 1.0, 0.0);
    }
    am_run_free(run);
    run = run_text(
        "title: t\nmodel:\n  kind: structure\n  mass: [2]\n  stiffness: [3]\n  damping: [0.4]\n  loads: "
        "[{direction: [1], sine: {amplitude: 0.7, frequency: 9}}]\nanalysis: {kind: backbone, from: 0.01, to: 5, "
        "harmonics: 1, forces: [0.5, 3]}\n");
    table = table_of(result_of(run), "forced");
    assert_true(am_table_rows(table) > 100);
    for (size_t i = 0; i < am_table_rows(table); i++) {
        double A = cell(table, i, "q1_1"), w = cell(table, i, "frequency"), f = 0.7 * cell(table, i, "force");
        bool peak = !strcmp(word(table, i, "kind"), "peak"); /* placed by a line between two points */
        assert_near(hypot(3.0 - 2.0 * w * w, 0.4 * w) * A, f, (peak ? 1e-2 : 1e-9) * f);
    }
    am_run_free(run);
}

/* ---- internal resonance ---- */

/* Two masses with a cubic spring (Kerschen et al. 2009): the first mode turns back at its 1:3 resonance with the second,
 * and loses stability there. */
static void internal_resonance_turns_the_mode_back(void **state) {
    (void)state;
    am_run *run = run_text("title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[2, -1], [-1, 2]]\n"
                           "  polynomials: [{direction: [1, 0], terms: [{coefficient: 0.5, displacement: 3}]}]\n"
                           "analysis: {kind: backbone, from: 55, to: 100, harmonics: 9, most_points: 120}\n");
    const am_result *result = result_of(run);
    assert_int_equal(number(result, "folds"), 1);
    assert_int_equal(rows(result, "resonances"), 1);
    assert_true(number(result, "unstable_points") > 0.0);
    const am_table *table = table_of(result, "backbone");
    assert_near(cell(table, 0, "stable"), 1.0, 0.0);
    for (size_t i = 0; i < am_table_rows(table); i++)
        assert_near(cell(table, i, "damping"), 0.0, 1e-12);
    am_run_free(run);
}

/* ---- refusals ---- */

static void expect_refusal(const char *more, const char *analysis, const char *wanted) {
    char text[2048];
    am_error err = {0};
    snprintf(text, sizeof text,
             "title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[1, -1], [-1, 1]]\n%sanalysis: {kind: "
             "backbone, %s}\n",
             more, analysis);
    am_study *study = am_study_parse("/test.yaml", text, 0, NULL, false, &err);
    am_run *run = study ? am_study_run(study, NULL, &err) : NULL;
    if (run || !strstr(err.message, wanted))
        fail_msg("expected '%s', not '%s'", wanted, err.message);
    am_run_free(run);
    am_study_free(study);
}

/* Two equal masses on springs 1 + g q^2, joined by c, with one harmonic A1, A2: opposed as (1 + 2 c + 3/8 g a^2) = omega^2; from
 * a^2 = 8 c/(3 g) on one of them may move more, A1 A2 = -4 c/(3 g), with omega^2 = 1 + c + 3/4 g a^2. */
static void a_mode_of_equal_masses_becomes_local_at_a_branch_point(void **state) {
    const double c = 0.1, g = 0.3;
    (void)state;
    am_run *run = run_format("title: t\nmodel:\n  kind: structure\n  mass: [1, 1]\n  stiffness: [[%g, %g], [%g, %g]]\n"
                             "  polynomials:\n    - {direction: [1, 0], terms: [{coefficient: %g, displacement: 3}]}\n"
                             "    - {direction: [0, 1], terms: [{coefficient: %g, displacement: 3}]}\nanalysis: {kind: "
                             "backbone, mode: 2, from: 0.5, to: 4, harmonics: 1, branches: true, stability: none}\n",
                             1.0 + c, -c, -c, 1.0 + c, g, g);
    const am_table *table = table_of(result_of(run), "backbone"), *special = table_of(result_of(run), "resonances");
    size_t local = 0;
    for (size_t i = 0; i < am_table_rows(table); i++) {
        double a = cell(table, i, "amplitude"), square = 1.0 + 2.0 * c + 0.375 * g * a * a;
        if (cell(table, i, "branch") > 1.0) {
            square = 1.0 + c + 0.75 * g * a * a;
            assert_near(cell(table, i, "q1_1") * cell(table, i, "q2_1"), 4.0 * c / (3.0 * g), 1e-8);
            local++;
        }
        assert_near(cell(table, i, "frequency"), sqrt(square), 1e-9);
    }
    assert_true(local > 5);
    assert_int_equal(number(result_of(run), "branches"), 2);
    assert_int_equal(rows(result_of(run), "resonances"), 1);
    assert_near(cell(special, 0, "amplitude"), sqrt(8.0 * c / (3.0 * g)), 1e-8); /* where a branch is found to 1e-10 */
    am_run_free(run);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    expect_refusal("", "from: 1, to: 2", "mode 1 does not vibrate");
    expect_refusal("", "mode: 3, from: 1, to: 2", "there is no mode 3; the structure has 2");
    expect_refusal("", "mode: 0, from: 1, to: 2", "modes are counted from 1");
    expect_refusal("", "mode: 2, from: 2, to: 1", "must go up");
    expect_refusal("", "mode: 2", "needs its range");
    expect_refusal("", "mode: 2, from: 1, to: 2, values: [3]", "outside the range");
    expect_refusal("", "mode: 2, from: 1, to: 2, forces: [1]", "no load is a sine");
    expect_refusal(
        "  contacts: [{name: pad, law: held, hold: {constant: 2, sine: {amplitude: 1, frequency: 1}}, tangent: "
        "[1, 0], friction: 1, tangential_stiffness: 1}]\n",
        "mode: 2, from: 1, to: 2", "the normal force of 'pad' varies in time");
}

/* A slider that never slips is a spring from where the preload left it: the mean of the motion, which a stop on one side
 * moves, feels it like the linear spring that it is compared with. One tangent and two are different code. */
static void a_slider_that_sticks_remembers_where_it_was(void **state) {
    static const char *const tangents[] = {"tangent: [1, 0]", "tangents: [[1, 0], [0, 1]]"};
    static const char analysis[] =
        "loads: [{direction: [1, 0], constant: 0.15}]}\nanalysis: {kind: backbone, mode: 1, from: 1e-3, to: 1, "
        "values: [0.3, 0.8], harmonics: 9, stability: none, tolerance: 0.1}\n";
    static const char stop[] = "{normal: [-1, 0], gap: 0.1, law: spring, contact_stiffness: 4}";
    (void)state;
    for (size_t two = 0; two < 2; two++) {
        am_run *run = run_format("title: t\nmodel: {kind: structure, mass: [1, 1], stiffness: [3, %d], contacts: [%s, "
                                 "{%s, law: held, hold: {constant: 1000}, friction: 1, tangential_stiffness: 2}], %s",
                                 two ? 7 : 9, stop, tangents[two], analysis);
        am_run *linear =
            run_format("title: t\nmodel: {kind: structure, mass: [1, 1], stiffness: [5, 9], contacts: [%s], "
                       "%s",
                       stop, analysis);
        const am_table *table = table_of(result_of(run), "backbone"), *wanted = table_of(result_of(linear), "backbone");
        for (int i = 0; i < 2; i++) {
            double at = i == 0 ? 0.3 : 0.8;
            size_t row = row_at(table, at), other = row_at(wanted, at);
            assert_true(cell(wanted, other, "frequency") > 1.02 * sqrt(5.0)); /* the stop is met */
            assert_near(cell(table, row, "frequency"), cell(wanted, other, "frequency"), 1e-9);
            assert_near(cell(table, row, "largest"), cell(wanted, other, "largest"), 1e-8);
        }
        am_run_free(run);
        am_run_free(linear);
    }
}

/* Where the digits of the place of rest hide a small motion, Newton's method is asked for no more than they tell. */
static void small_motions_beside_a_large_rest_are_found(void **state) {
    (void)state;
    am_run *run = run_text("title: t\nmodel: {kind: structure, mass: [1, 1], stiffness: [[2, -1], [-1, 2]], contacts: "
                           "[{tangent: [1, 0], law: held, hold: {constant: 1}, friction: 1, tangential_stiffness: 1}], "
                           "loads: [{direction: [1, 1], constant: 1000}]}\n"
                           "analysis: {kind: backbone, from: 1e-3, to: 1e-2, harmonics: 3, stability: none}\n");
    assert_near(number(result_of(run), "linear_frequency"), number(result_of(run), "least_frequency"), 1e-3);
    assert_true(number(result_of(run), "residual") < 1e-7);
    am_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_slider_has_its_describing_function),
        cmocka_unit_test(the_bilinear_oscillator_has_one_frequency),
        cmocka_unit_test(a_cubic_spring_has_the_frequency_of_elliptic_functions),
        cmocka_unit_test(a_cantilever_with_one_slider_goes_from_stuck_to_free),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(the_motion_in_time_is_the_same),
        cmocka_unit_test(a_slider_in_the_plane_recalls_its_preload),
        cmocka_unit_test(a_preload_in_line_with_the_motion_slips_along_it),
        cmocka_unit_test(friction_under_given_normal_forces_is_stable),
        cmocka_unit_test(a_longer_chain_is_judged_by_itself),
        cmocka_unit_test(fast_coordinates_leave_the_verdict_to_the_lowest_modes),
        cmocka_unit_test(forced_at_phase_resonance_the_structure_moves_in_its_mode),
        cmocka_unit_test(the_mode_predicts_the_forced_peak),
        cmocka_unit_test(a_linear_structure_keeps_its_mode),
        cmocka_unit_test(internal_resonance_turns_the_mode_back),
        cmocka_unit_test(a_mode_of_equal_masses_becomes_local_at_a_branch_point),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_slider_that_sticks_remembers_where_it_was),
        cmocka_unit_test(small_motions_beside_a_large_rest_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
