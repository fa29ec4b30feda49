/* The bladed disc: its matrices and loads against its equations, closed forms of the tuned disc against eigenvalues,
 * linear solutions and motions, and the random patterns. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lapacke.h>

#include "amontons/models.h"
#include "amontons/orbit.h"
#include "amontons/study.h"
#include "errors.h"
#include "near.h"
#include "results.h"
#include "study_text.h"
#include "uniform.h"

static const double pi = 3.14159265358979323846;

enum { most = 16, large = 2 * most };

static am_system *made(const am_bladed_disc *disc) {
    am_error err = {0};
    am_system *system = am_bladed_disc_create(disc, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

static am_bladed_disc odd_numbers(size_t sectors) {
    return (am_bladed_disc){.sectors = sectors,
                            .blade_mass = 1.3,
                            .blade_stiffness = 2.1,
                            .disc_mass = 3.7,
                            .disc_stiffness = 0.9,
                            .coupling_stiffness = 5.3,
                            .zeta = 0.013,
                            .damper_stiffness = 0.4,
                            .mu = 0.25,
                            .normal_load = 2.0,
                            .engine_order = 2,
                            .force = 1.7,
                            .Omega = 1.1};
}

static void springs_are_those_of_the_equations(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (size_t N = 2; N <= most; N++) {
        am_bladed_disc d = odd_numbers(N);
        double mistuning[most], q[large], f[large];
        for (size_t j = 0; j < N; j++)
            mistuning[j] = uniform(&seed, -0.3, 0.3);
        d.mistuning = mistuning;
        d.mistuning_count = N;
        am_system *system = made(&d);
        for (size_t i = 0; i < 2 * N; i++)
            q[i] = uniform(&seed, -1, 1);
        const double *x = q, *y = q + N;
        am_matrix_apply(am_system_stiffness(system), q, f);
        for (size_t j = 0; j < N; j++) { /* some ten terms of size 10 */
            double blade = 2.1 * (1 + mistuning[j]) * (x[j] - y[j]);
            assert_near(f[j], blade, 1e-13);
            assert_near(f[N + j], -blade + 0.9 * y[j] - 5.3 * (y[(j + 1) % N] + y[(j + N - 1) % N] - 2 * y[j]), 1e-13);
        }
        am_matrix_apply(am_system_mass(system), q, f);
        for (size_t i = 0; i < 2 * N; i++)
            assert_near(f[i], (i < N ? 1.3 : 3.7) * q[i], 0);
        am_system_free(system);
    }
}

static void dampers_join_neighbouring_blades(void **state) {
    (void)state;
    am_bladed_disc d = odd_numbers(5);
    am_system *system = made(&d);
    assert_int_equal(am_system_contacts(system), 5);
    assert_string_equal(am_system_name(system, 0), "blade1");
    assert_string_equal(am_system_name(system, 9), "disc5");
    for (size_t j = 0; j < 5; j++) {
        const am_contact_def *damper = am_system_contact(system, j);
        for (size_t i = 0; i < 10; i++)
            assert_near(damper->tangent[i], i == (j + 1) % 5 ? 1 : (i == j ? -1 : 0), 0);
        assert_int_equal(damper->normal_law, AM_HELD);
        assert_near(damper->tangential_stiffness, 0.4, 0);
        assert_near(damper->friction, 0.25, 0);
        assert_near(am_function_at(&damper->hold, 3.3), 2.0, 0);
    }
    assert_string_equal(am_system_contact(system, 4)->name, "damper5");
    am_system_free(system);
    d.damper_stiffness = 0;
    system = made(&d);
    assert_int_equal(am_system_contacts(system), 0);
    am_system_free(system);
}

static void centrifugal_load_goes_with_the_square_of_the_speed(void **state) {
    (void)state;
    am_bladed_disc d = odd_numbers(6);
    d.centrifugal = 3.0; /* the shaft turns with 1.1/2 */
    am_system *system = made(&d);
    assert_near(am_function_at(&am_system_contact(system, 0)->hold, 0), 2.0 + 3.0 * 0.55 * 0.55, 1e-15);
    am_system_free(system);
}

static void excitation_is_an_engine_order(void **state) {
    (void)state;
    for (size_t N = 2; N <= most; N++)
        for (size_t order = 0; order <= 2 * N + 1; order++) {
            am_bladed_disc d = odd_numbers(N);
            d.engine_order = order;
            am_system *system = made(&d);
            assert_int_equal(am_system_loads(system), 2 * order % N == 0 ? 1 : 2);
            for (double t = 0; t < 6; t += 0.83)
                for (size_t i = 0; i < 2 * N; i++) {
                    double got = 0, phase = 2 * pi * (double)order * (double)i / (double)N;
                    for (size_t l = 0; l < am_system_loads(system); l++)
                        got += am_system_load(system, l)->direction[i] *
                               am_function_at(&am_system_load(system, l)->function, t);
                    /* phases of up to 200 are rounded to 3e-14 */
                    assert_near(got, i < N ? 1.7 * sin(1.1 * t + phase) : 0, 1e-12);
                }
            am_system_free(system);
        }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void dense(const am_matrix *matrix, double *values) {
    am_matrix_to_dense(matrix, values);
}

/* Stiffness with all dampers stuck: their springs join the structure's. */
static void add_dampers(const am_system *system, double *K) {
    size_t n = am_system_size(system);
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        const am_contact_def *damper = am_system_contact(system, c);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                K[i * n + j] += damper->tangential_stiffness * damper->tangent[i] * damper->tangent[j];
    }
}

static void frequencies_of_nodal_diameters_are_those_of_the_whole_disc(void **state) {
    (void)state;
    for (size_t N = 2; N <= most; N++)
        for (int stuck = 0; stuck < 2; stuck++) {
            am_bladed_disc d = odd_numbers(N);
            double K[large * large], M[large * large], squares[large], closed[large];
            am_system *system = made(&d);
            int n = 2 * (int)N;
            dense(am_system_stiffness(system), K);
            dense(am_system_mass(system), M);
            if (stuck)
                add_dampers(system, K);
            assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, K, n, M, n, squares), 0);
            for (size_t p = 0; p < N; p++)
                am_bladed_disc_frequencies(&d, p, stuck, closed + 2 * p);
            qsort(closed, 2 * N, sizeof *closed, ascending);
            for (int i = 0; i < n; i++) /* squares of up to 10 */
                assert_near(closed[i] * closed[i], squares[i], 1e-13);
            am_system_free(system);
        }
}

static void every_mode_has_the_damping_ratio_zeta(void **state) {
    (void)state;
    am_bladed_disc d = odd_numbers(7);
    double mistuning[7], K[14 * 14], M[14 * 14], C[14 * 14], squares[14];
    am_bladed_disc_mistune(2, 0.1, 7, mistuning);
    d.mistuning = mistuning;
    d.mistuning_count = 7;
    am_system *system = made(&d);
    dense(am_system_stiffness(system), K);
    dense(am_system_mass(system), M);
    dense(am_system_damping(system), C);
    assert_int_equal(LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'U', 14, K, 14, M, 14, squares), 0);
    for (size_t a = 0; a < 14; a++)
        for (size_t b = 0; b < 14; b++) {
            double modal = 0;
            for (size_t i = 0; i < 14; i++)
                for (size_t j = 0; j < 14; j++)
                    modal += K[i * 14 + a] * C[i * 14 + j] * K[j * 14 + b];
            assert_near(modal, a == b ? 2 * 0.013 * sqrt(squares[a]) : 0, 1e-13);
        }
    am_system_free(system);
}

/* The whole disc's linear response (K + i Omega C - Omega^2 M) q = f, f_j = F exp(i phi_j) on the blades. */
static void solve_whole(const am_system *system, const am_bladed_disc *d, bool stuck, double _Complex *q) {
    static double K[large * large], M[large * large], C[large * large];
    static lapack_complex_double Z[large * large];
    lapack_int pivot[large];
    size_t n = am_system_size(system);
    dense(am_system_stiffness(system), K);
    dense(am_system_mass(system), M);
    dense(am_system_damping(system), C);
    if (stuck)
        add_dampers(system, K);
    for (size_t i = 0; i < n * n; i++)
        Z[i] = K[i] - d->Omega * d->Omega * M[i] + I * d->Omega * C[i];
    for (size_t i = 0; i < n; i++)
        q[i] = i < d->sectors ? d->force * cexp(I * 2 * pi * (double)(d->engine_order * i) / (double)d->sectors) : 0;
    assert_int_equal(LAPACKE_zgesv(LAPACK_ROW_MAJOR, (int)n, 1, Z, (int)n, pivot, q, 1), 0);
}

static void tuned_response_is_a_travelling_wave_of_the_closed_form(void **state) {
    (void)state;
    for (size_t N = 2; N <= most; N += 3)
        for (size_t order = 0; order <= N; order++)
            for (int stuck = 0; stuck < 2; stuck++) {
                am_bladed_disc d = odd_numbers(N);
                double _Complex q[large];
                double blade, piece;
                d.engine_order = order;
                am_system *system = made(&d);
                solve_whole(system, &d, stuck, q);
                am_bladed_disc_amplitudes(&d, stuck, &blade, &piece);
                for (size_t j = 0; j < N; j++) { /* condition of the matrices: below 1e3 */
                    assert_near(cabs(q[j]), blade, 1e-12 * blade);
                    assert_near(cabs(q[N + j]), piece, 1e-12 * blade);
                }
                am_system_free(system);
            }
}

/* An orbit of the system in time (another engine, another way of writing the loads) has these amplitudes. */
static void check_orbit(const am_bladed_disc *d, bool stuck) {
    double _Complex q[large];
    am_error err = {0};
    am_system *system = made(d);
    am_result *result = am_result_create(NULL);
    am_orbit_options options = am_orbit_options_default();
    options.samples = 0;
    if (am_orbit_run(system, &options, result, NULL, &err) != AM_OK)
        fail_msg("%s", err.message);
    solve_whole(system, d, stuck, q);
    for (size_t i = 0; i < am_system_size(system); i++) {
        char name[48];
        snprintf(name, sizeof name, "%s_amplitude", am_system_name(system, i));
        assert_near(number(result, name), cabs(q[i]), 1e-9 * cabs(q[0])); /* the orbit closes to 1e-10 */
    }
    am_result_free(result);
    am_system_free(system);
}

static void mistuned_disc_with_dampers_away_or_stuck_vibrates_as_the_linear_solution(void **state) {
    (void)state;
    double mistuning[4];
    am_bladed_disc d = odd_numbers(4);
    am_bladed_disc_mistune(7, 0.05, 4, mistuning);
    d.mistuning = mistuning;
    d.mistuning_count = 4;
    d.engine_order = 1;
    d.zeta = 0.1;
    d.normal_load = 1e4;
    check_orbit(&d, true);
    d.damper_stiffness = 0;
    check_orbit(&d, false);
}

/* The tuned disc of two sectors under EO = 1: the blades move against each other, so both dampers are stretched by
 * twice the displacement of a blade and pull at it together: one damper to the ground whose tangent is 2. */
static void slipping_disc_of_two_sectors_is_one_sector(void **state) {
    (void)state;
    am_run *disc = run_text("model: {kind: bladed-disc, sectors: 2, engine_order: 1, Omega: 1.1, zeta: 0.05, mu: 0.5, "
                            "normal_load: 0.6, damper_stiffness: 0.3}\n"
                            "analysis: {kind: orbit}\n");
    am_bladed_disc d = am_bladed_disc_default();
    d.sectors = 2;
    d.zeta = 0.05;
    am_system *whole = made(&d);
    const am_matrix *C = am_system_damping(whole), *K = am_system_stiffness(whole);
    double c[4], k[4];
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) { /* antisymmetric motions */
            c[2 * i + j] = am_matrix_at(C, 2 * i, 2 * j) - am_matrix_at(C, 2 * i, 2 * j + 1);
            k[2 * i + j] = am_matrix_at(K, 2 * i, 2 * j) - am_matrix_at(K, 2 * i, 2 * j + 1);
        }
    am_system_free(whole);
    char text[900];
    snprintf(text, sizeof text,
             "model: {kind: structure, mass: [1, 4], damping: [[%.17g, %.17g], [%.17g, %.17g]],\n"
             "  stiffness: [[%.17g, %.17g], [%.17g, %.17g]],\n"
             "  contacts: [{law: held, tangent: [2, 0], friction: 0.5, hold: {constant: 0.6}, tangential_stiffness: "
             "0.3}],\n"
             "  loads: [{direction: [1, 0], sine: {amplitude: 1, frequency: 1.1}}]}\nanalysis: {kind: orbit}\n",
             c[0], c[1], c[2], c[3], k[0], k[1], k[2], k[3]);
    am_run *sector = run_text(text);
    assert_true(scalar(sector, "switches") >= 2); /* it slips */
    /* both orbits close to 1e-12; the multipliers are below one */
    assert_near(scalar(disc, "blade1_amplitude"), scalar(sector, "q1_amplitude"), 1e-9);
    assert_near(scalar(disc, "disc2_amplitude"), scalar(sector, "q2_amplitude"), 1e-9);
    assert_near(scalar(disc, "nodal_diameter"), 1, 0);
    am_run_free(sector);
    am_run_free(disc);
}

/* Nothing in the system forces it: the dampers switch one after the other, in pairs at the same instant. */
static void slipping_tuned_disc_is_a_travelling_wave(void **state) {
    (void)state;
    am_run *disc =
        run_text("model: {kind: bladed-disc, sectors: 4, engine_order: 1, Omega: 0.95, normal_load: 1, zeta: "
                 "0.03}\nanalysis: {kind: orbit}\n");
    assert_true(scalar(disc, "switches") >= 16); /* slip and stop, forward and backward, four dampers */
    for (size_t j = 2; j <= 4; j++) {
        char name[32];
        snprintf(name, sizeof name, "blade%zu_amplitude", j);
        assert_near(scalar(disc, name), scalar(disc, "blade1_amplitude"), 1e-9); /* the orbit closes to 1e-12 */
    }
    am_run_free(disc);
}

static void nodal_diameters_fold_back_at_half_the_sectors(void **state) {
    (void)state;
    static const size_t even[] = {0, 1, 2, 3, 2, 1, 0, 1}, odd[] = {0, 1, 2, 3, 3, 2, 1, 0};
    am_bladed_disc d = am_bladed_disc_default();
    for (size_t order = 0; order < 8; order++) {
        d.engine_order = order;
        d.sectors = 6;
        assert_int_equal(am_bladed_disc_nodal_diameter(&d), even[order]);
        d.sectors = 7;
        assert_int_equal(am_bladed_disc_nodal_diameter(&d), odd[order]);
    }
}

static void a_free_ring_has_a_rigid_motion(void **state) {
    (void)state;
    am_bladed_disc d = am_bladed_disc_default();
    double omega[2];
    d.disc_stiffness = 0;
    am_bladed_disc_frequencies(&d, 0, true, omega);
    assert_near(omega[0], 0, 0);
    assert_near(omega[1], sqrt(1.25), 1e-15); /* blade and disc against each other: k (1/m_b + 1/m_d) */
    am_system_free(made(&d));
}

/* Sums over 100000 numbers: the mean has a standard error of 1/316, the variance one of sqrt(2)/316, the share beyond
 * two deviations (0.0455) one of 0.00066; four of each. */
static void random_patterns_are_normal_and_repeat(void **state) {
    (void)state;
    enum { count = 100000 };
    double *a = test_malloc(count * sizeof *a), *b = test_malloc(count * sizeof *b), mean = 0, square = 0, beyond = 0;
    am_bladed_disc_mistune(3, 1, count, a);
    for (size_t i = 0; i < count; i++) {
        mean += a[i] / count;
        square += a[i] * a[i] / count;
        beyond += (fabs(a[i]) > 2) / (double)count;
    }
    assert_near(mean, 0, 0.0127);
    assert_near(square, 1, 0.0179);
    assert_near(beyond, 0.0455, 0.0027);
    am_bladed_disc_mistune(3, 0.25, count, b);
    for (size_t i = 0; i < count; i++)
        assert_near(b[i], 0.25 * a[i], 1e-15);
    am_bladed_disc_mistune(4, 1, count, b);
    assert_true(a[0] != b[0]);
    test_free(a);
    test_free(b);
}

static void refused(const am_bladed_disc *disc, const char *field, const char *words) {
    am_error err = {0};
    assert_null(am_bladed_disc_create(disc, &err));
    assert_blames(&err, field, words);
}

static void discs_without_physical_meaning_are_refused(void **state) {
    (void)state;
    static const double soft[3] = {0, 0, -1.5};
    am_bladed_disc d = odd_numbers(1);
    refused(&d, "sectors", "between 2 and 500, not 1");
    d = odd_numbers(6);
    d.blade_mass = 0;
    refused(&d, "blade_mass", "must be positive");
    d = odd_numbers(6);
    d.zeta = -0.01;
    refused(&d, "zeta", "zero or positive");
    d = odd_numbers(6);
    d.normal_load = NAN;
    refused(&d, "normal_load", "normal load on each damper");
    d = odd_numbers(6);
    d.Omega = 0;
    refused(&d, "Omega", "must be positive");
    d = odd_numbers(6);
    d.centrifugal = 1;
    d.engine_order = 0;
    refused(&d, "centrifugal", "speed of the shaft");
    d = odd_numbers(3);
    d.mistuning = soft;
    d.mistuning_count = 2;
    refused(&d, "mistuning", "one number per blade: 3, not 2");
    d.mistuning_count = 3;
    refused(&d, "mistuning[2]", "blade 3 has no positive stiffness left");
}

static void study_refused(const char *text, const char *position, const char *words) {
    am_error err = {0};
    am_study *study = am_study_parse("test.yaml", text, 0, NULL, false, &err);
    if (study)
        fail_msg("accepted:\n%s", text);
    if (!strstr(err.message, position) || !strstr(err.message, words))
        fail_msg("of\n%s\nit says '%s', not '%s ... %s'", text, err.message, position, words);
}

#define ORBIT "analysis: {kind: orbit}\n"

static void faults_are_found_where_they_stand(void **state) {
    (void)state;
    study_refused("model: {kind: bladed-disc, sectors: 1}\n" ORBIT, "test.yaml:1:37", "between 2 and 500");
    study_refused("model: {kind: bladed-disc, sectors: 3, mistuning: [0, 1]}\n" ORBIT, "test.yaml:1:51",
                  "one number per blade: 3, not 2");
    study_refused("model: {kind: bladed-disc, sectors: 3, mistuning: []}\n" ORBIT, "test.yaml:1:51", "3, not 0");
    study_refused("model: {kind: bladed-disc, sectors: 3, mistuning: [0, 1, -1]}\n" ORBIT, "test.yaml:1:58", "blade 3");
    study_refused("model: {kind: bladed-disc, mistuning: 0.1}\n" ORBIT, "test.yaml:1:39", "{deviation, seed}");
    study_refused("model: {kind: bladed-disc, mistuning: {seed: 1}}\n" ORBIT, "test.yaml:1:39", "'deviation'");
    study_refused("model: {kind: bladed-disc, mistuning: {deviation: 0.1, sed: 1}}\n" ORBIT, "test.yaml:1:56",
                  "did you mean 'seed'?");
    study_refused("model: {kind: bladed-disc, mistuning: {deviation: 5}}\n" ORBIT, "test.yaml:1:39", "above -1");
    study_refused("model: {kind: bladed-disc, mu: -1}\n" ORBIT, "test.yaml:1:32", "mu must");
}

static void a_study_draws_the_pattern_of_its_seed(void **state) {
    (void)state;
    double pattern[3];
    char list[300];
    am_bladed_disc_mistune(9, 0.03, 3, pattern);
    snprintf(list, sizeof list,
             "model: {kind: bladed-disc, sectors: 3, engine_order: 1, mistuning: [%.17g, %.17g, %.17g]}\n" ORBIT,
             pattern[0], pattern[1], pattern[2]);
    am_study *a = read_text(list);
    am_study *b = read_text("model: {kind: bladed-disc, sectors: 3, engine_order: 1, mistuning: {deviation: 0.03, "
                            "seed: 9}}\n" ORBIT);
    am_error err = {0};
    char *first = am_study_show(a, &err), *second = am_study_show(b, &err);
    assert_string_equal(first, second);
    am_output_text_free(first);
    am_output_text_free(second);
    am_study_free(a);
    am_study_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_those_of_the_equations),
        cmocka_unit_test(dampers_join_neighbouring_blades),
        cmocka_unit_test(centrifugal_load_goes_with_the_square_of_the_speed),
        cmocka_unit_test(excitation_is_an_engine_order),
        cmocka_unit_test(frequencies_of_nodal_diameters_are_those_of_the_whole_disc),
        cmocka_unit_test(every_mode_has_the_damping_ratio_zeta),
        cmocka_unit_test(tuned_response_is_a_travelling_wave_of_the_closed_form),
        cmocka_unit_test(mistuned_disc_with_dampers_away_or_stuck_vibrates_as_the_linear_solution),
        cmocka_unit_test(slipping_disc_of_two_sectors_is_one_sector),
        cmocka_unit_test(slipping_tuned_disc_is_a_travelling_wave),
        cmocka_unit_test(nodal_diameters_fold_back_at_half_the_sectors),
        cmocka_unit_test(a_free_ring_has_a_rigid_motion),
        cmocka_unit_test(random_patterns_are_normal_and_repeat),
        cmocka_unit_test(discs_without_physical_meaning_are_refused),
        cmocka_unit_test(faults_are_found_where_they_stand),
        cmocka_unit_test(a_study_draws_the_pattern_of_its_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
