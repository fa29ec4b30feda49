/* The chain of bistable oscillators: its equations, and its closed forms against eigenvalues and the equations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <lapacke.h>

#include "amontons/models.h"
#include "errors.h"
#include "near.h"
#include "system/system.h"
#include "uniform.h"

static const double pi = 3.14159265358979323846;

enum { most = 13 };

static am_system *made(const am_chain *chain) {
    am_error err = {0};
    am_system *system = am_chain_create(chain, &err);
    if (!system)
        fail_msg("%s", err.message);
    return system;
}

/* Eq. (9.3) written out with its indices: what all forces but inertia add up to on mass n. */
static double restoring(const am_chain *c, const double *x, const double *v, size_t n) {
    size_t N = c->count;
    double q2 = 2 * c->xi1, q3 = 2 * c->xi3 * pow(c->omega0 * c->x0, 2), q4 = 2 * c->xi5 * pow(c->omega0 * c->x0, 4);
    double coupling = 0;
    if (n + 1 < N || c->ends == AM_CHAIN_CYCLIC)
        coupling += x[(n + 1) % N] - x[n];
    if (n > 0 || c->ends == AM_CHAIN_CYCLIC)
        coupling += x[(n + N - 1) % N] - x[n];
    double own = c->mistuning_count ? 1 + c->mistuning[n] : 1;
    return q2 * v[n] - q3 * pow(v[n], 3) + q4 * pow(v[n], 5) + own * x[n] - c->coupling * coupling;
}

static void forces_are_those_of_equation_9_3(void **state) {
    (void)state;
    static const double mistuning[most] = {0.1, -0.2, 0.05, 0, 0.3, -0.1, 0.2, 0.01, -0.02, 0.4, -0.5, 0.6, 0.7};
    uint64_t seed = 3;
    for (size_t N = 1; N <= most; N++)
        for (int ends = 0; ends < 2; ends++) {
            am_chain chain = am_chain_default();
            double x[most], v[most], Kx[most], Mx[most], g[most];
            chain.count = N;
            chain.coupling = 0.3;
            chain.xi1 = -0.07;
            chain.omega0 = 1.3;
            chain.x0 = 0.8;
            chain.ends = ends ? AM_CHAIN_OPEN : AM_CHAIN_CYCLIC;
            chain.mistuning = mistuning;
            chain.mistuning_count = N % 2 ? N : 0;
            am_system *system = made(&chain);
            for (size_t i = 0; i < N; i++) {
                x[i] = uniform(&seed, -1, 1);
                v[i] = uniform(&seed, -1, 1);
            }
            am_matrix_apply(am_system_stiffness(system), x, Kx);
            am_matrix_apply(am_system_mass(system), x, Mx);
            am_system_polynomial_force(system, x, v, g, NULL, NULL);
            for (size_t i = 0; i < N; i++) {
                assert_near(Kx[i] + g[i], restoring(&chain, x, v, i), 1e-14); /* a dozen terms of size 1 */
                assert_near(Mx[i], x[i], 0);
            }
            assert_near(am_matrix_largest(am_system_damping(system)), 0, 0);
            am_system_free(system);
        }
}

static void coordinates_and_dampers_are_numbered_from_one(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    am_system *system = made(&chain);
    assert_int_equal(am_system_size(system), 12);
    assert_int_equal(am_system_polynomials(system), 12);
    assert_string_equal(am_system_name(system, 0), "x1");
    assert_string_equal(am_system_name(system, 11), "x12");
    assert_string_equal(am_system_polynomial(system, 11)->name, "damper 12");
    am_system_free(system);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void natural_frequencies_are_the_square_roots_of_equation_9_10(void **state) {
    (void)state;
    for (size_t N = 1; N <= most; N++)
        for (int ends = 0; ends < 2; ends++) {
            am_chain chain = am_chain_default();
            double K[most * most], squares[most], closed[most];
            chain.count = N;
            chain.coupling = 0.37;
            chain.ends = ends ? AM_CHAIN_OPEN : AM_CHAIN_CYCLIC;
            am_system *system = made(&chain);
            am_matrix_to_dense(am_system_stiffness(system), K);
            assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', (int)N, K, (int)N, squares), 0);
            for (size_t p = 0; p < N; p++) /* p and N - p are the two modes of one number of waves */
                closed[p] = am_chain_frequency(&chain, p);
            qsort(closed, N, sizeof *closed, ascending);
            for (size_t p = 0; p < N; p++)
                assert_near(closed[p] * closed[p], squares[p], 1e-14);
            am_system_free(system);
        }
    am_chain chain = am_chain_default();
    for (size_t p = 0; p <= 6; p++) /* the thesis' formula gives the square */
        assert_near(pow(am_chain_frequency(&chain, p), 2), 1 + 0.02 * (1 - cos(2 * pi * (double)p / 12)), 1e-15);
    assert_near(am_chain_frequency(&chain, 6), sqrt(1.04), 1e-15);
}

/* Mean power of the damper over a cycle x = A cos(rho t), by the rectangle rule, exact for trigonometric polynomials of
 * degree below the number of points. */
static double mean_power(const am_chain *chain, double amplitude, double rho) {
    enum { points = 16 };
    am_system *system = made(chain);
    double power = 0, x[1], v[1], g[1];
    for (int i = 0; i < points; i++) {
        double phase = 2 * pi * i / points;
        x[0] = amplitude * cos(phase);
        v[0] = -amplitude * rho * sin(phase);
        am_system_polynomial_force(system, x, v, g, NULL, NULL);
        power += g[0] * v[0] / points;
    }
    am_system_free(system);
    return power;
}

static am_chain single(double xi1, double xi3, double xi5) {
    am_chain chain = am_chain_default();
    chain.count = 1;
    chain.xi1 = xi1;
    chain.xi3 = xi3;
    chain.xi5 = xi5;
    return chain;
}

/* Relative to the power of the linear part the balance is exact to rounding; slightly larger motions gain or lose. */
static void check_cycle(const am_chain *chain, double amplitude, double rho, double sign) {
    double scale = chain->xi1 * pow(rho * amplitude, 2);
    assert_near(mean_power(chain, amplitude, rho) / scale, 0, 1e-12);
    assert_true(sign * mean_power(chain, 1.001 * amplitude, rho) > 0);
    assert_true(sign * mean_power(chain, 0.999 * amplitude, rho) < 0);
}

static void cycles_of_one_harmonic_neither_gain_nor_lose_energy(void **state) {
    (void)state;
    for (double rho = 0.7; rho < 1.5; rho += 0.35)
        for (double xi1 = 0.0125; xi1 < 0.2; xi1 += 0.0375) {
            am_chain chain = single(xi1, 0.3, 0.1);
            am_chain_cycles cycles = am_chain_amplitudes(&chain, rho);
            assert_true(cycles.unstable < cycles.stable);
            check_cycle(&chain, cycles.unstable, rho, -1); /* a larger motion gains energy */
            check_cycle(&chain, cycles.stable, rho, 1);
        }
}

static void cycles_that_do_not_exist_are_nan(void **state) {
    (void)state;
    am_chain before = single(-0.1, 0.3, 0.1), beyond = single(0.21, 0.3, 0.1), linear = single(0.1, 0, 0);
    am_chain supercritical = single(-0.1, -0.3, 0.1), unbounded = single(0.1, 0.3, 0);
    assert_true(isnan(am_chain_amplitudes(&before, 1).unstable)); /* rest is unstable itself */
    check_cycle(&before, am_chain_amplitudes(&before, 1).stable, 1, 1);
    assert_true(isnan(am_chain_amplitudes(&beyond, 1).unstable) && isnan(am_chain_amplitudes(&beyond, 1).stable));
    assert_true(isnan(am_chain_amplitudes(&linear, 1).unstable) && isnan(am_chain_amplitudes(&linear, 1).stable));
    assert_true(isnan(am_chain_amplitudes(&supercritical, 1).unstable));
    check_cycle(&supercritical, am_chain_amplitudes(&supercritical, 1).stable, 1, 1);
    assert_true(isnan(am_chain_amplitudes(&unbounded, 1).stable));
    check_cycle(&unbounded, am_chain_amplitudes(&unbounded, 1).unstable, 1, -1);
}

static void small_cycles_keep_their_digits(void **state) {
    (void)state;
    am_chain chain = single(1e-14, 0.3, 0.1); /* A^2 = (8/3) xi1/q3 to first order, the next is 1e-14 smaller */
    double q3 = 0.6 * 4 * pi * pi;
    assert_near(am_chain_amplitudes(&chain, 1).unstable / sqrt(8.0 / 3.0 * 1e-14 / q3), 1, 1e-13);
}

static void cycles_meet_at_the_fold(void **state) {
    (void)state;
    am_chain chain = am_chain_default();
    assert_near(am_chain_fold(&chain), 0.2025, 1e-16);
    chain.xi1 = am_chain_fold(&chain) * (1 - 1e-10); /* the distance goes with the root of that of xi1: 1e-5 */
    am_chain_cycles cycles = am_chain_amplitudes(&chain, 1);
    assert_true(cycles.stable > cycles.unstable);
    assert_near(cycles.stable / cycles.unstable, 1, 2e-5);
    chain.xi1 = am_chain_fold(&chain) * (1 + 1e-10);
    assert_true(isnan(am_chain_amplitudes(&chain, 1).stable));
    chain.xi5 = 0;
    assert_true(isnan(am_chain_fold(&chain)));
}

static void refused(const am_chain *chain, const char *field, const char *words) {
    am_error err = {0};
    assert_null(am_chain_create(chain, &err));
    assert_blames(&err, field, words);
}

static void chains_without_physical_meaning_are_refused(void **state) {
    (void)state;
    static const double soft[3] = {0, -1, 0};
    am_chain chain = am_chain_default();
    chain.count = 0;
    refused(&chain, "count", "between 1 and 1000");
    chain = am_chain_default();
    chain.coupling = -0.01;
    refused(&chain, "coupling", "zero or positive");
    chain = am_chain_default();
    chain.xi1 = NAN;
    refused(&chain, "xi1", "finite");
    chain = am_chain_default();
    chain.xi5 = INFINITY;
    refused(&chain, "xi5", "finite");
    chain = am_chain_default();
    chain.omega0 = 0;
    refused(&chain, "omega0", "positive");
    chain = am_chain_default();
    chain.x0 = -1;
    refused(&chain, "x0", "positive");
    chain = am_chain_default();
    chain.mistuning = soft;
    chain.mistuning_count = 3;
    refused(&chain, "mistuning", "one number per mass: 12, not 3");
    chain.count = 3;
    refused(&chain, "mistuning[1]", "no positive stiffness left");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_equation_9_3),
        cmocka_unit_test(coordinates_and_dampers_are_numbered_from_one),
        cmocka_unit_test(natural_frequencies_are_the_square_roots_of_equation_9_10),
        cmocka_unit_test(cycles_of_one_harmonic_neither_gain_nor_lose_energy),
        cmocka_unit_test(cycles_that_do_not_exist_are_nan),
        cmocka_unit_test(small_cycles_keep_their_digits),
        cmocka_unit_test(cycles_meet_at_the_fold),
        cmocka_unit_test(chains_without_physical_meaning_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
