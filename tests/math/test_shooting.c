/* Closing steps and multipliers of matrices whose answers are known by construction: reflections, which are exact to
 * rounding, hide a diagonal or a triangle. */
#include <stdbool.h>

#include "cases.h"
#include "errors.h"
#include "math/shooting.h"
#include "near.h"
#include "uniform.h"

enum { MOST = 8, TRIALS = CASES(2000, 200) };

/* A reflection of n coordinates that is symmetric and its own inverse. */
static void reflection(uint64_t *seed, size_t n, double h[MOST * MOST]) {
    double v[MOST], norm = 0.0;
    for (size_t i = 0; i < n; i++) {
        v[i] = uniform(seed, -1.0, 1.0);
        norm += v[i] * v[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            h[i * n + j] = (i == j ? 1.0 : 0.0) - 2.0 * v[i] * v[j] / norm;
}

static void multiply(size_t n, const double *a, const double *b, double *ab) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            ab[i * n + j] = 0.0;
            for (size_t k = 0; k < n; k++)
                ab[i * n + j] += a[i * n + k] * b[k * n + j];
        }
}

/* Moduli that differ by 0.2, and from 1 by 0.05, so that rounding moves no eigenvalue by more than some hundred units of 1e-16. */
static void the_multipliers_are_those_across_the_flow(void **state) {
    (void)state;
    uint64_t seed = 18;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        size_t d = 2 + trial % (MOST - 1), family = trial % 3 == 0;
        bool free_period = trial % 2;
        double h[MOST * MOST], b[MOST * MOST] = {0}, half[MOST * MOST], phi[MOST * MOST], work[MOST * MOST], f[MOST];
        am_multiplier m[MOST];
        double trivial = 0.0, wanted[MOST] = {0};
        size_t count = 0;
        reflection(&seed, d, h);
        for (size_t i = 0; i < d; i++) {
            bool neutral = (free_period && i == 0) || (family && i == d - 1);
            b[i * d + i] = neutral ? 1.0 : (uniform(&seed, 0.0, 1.0) < 0.5 ? -1.0 : 1.0) * (2.05 - 0.2 * (double)i);
            for (size_t j = i + 1; j < d; j++)
                b[i * d + j] = uniform(&seed, -0.1, 0.1);
            if (!neutral)
                wanted[count++] = b[i * d + i]; /* falling modulus */
            f[i] = h[i * d];                    /* H e1: B leaves e1 alone */
        }
        multiply(d, h, b, half);
        multiply(d, half, h, phi);
        GOOD(am_multipliers_find(phi, d, free_period ? f : NULL, family, work, m, d, &trivial, err));
        if (free_period)
            assert_near(trivial, 1.0, 1e-13);
        else
            assert_true(isnan(trivial));
        for (size_t i = 0; i < d; i++) {
            assert_near(m[i].re, wanted[i], 1e-11);
            assert_near(m[i].im, 0.0, 1e-11);
        }
    }
}

/* A = H diag(s) G with some s = 0: of all solutions the one without a part in the null space. */
static void the_step_is_the_shortest_and_counts_the_family(void **state) {
    (void)state;
    uint64_t seed = 19;
    for (size_t trial = 0; trial < TRIALS; trial++) {
        size_t n = 1 + trial % MOST, null = trial % 3 % n, rank = 0;
        double h[MOST * MOST], g[MOST * MOST], s[MOST * MOST] = {0}, half[MOST * MOST], a[MOST * MOST], values[MOST];
        double x[MOST], right[MOST] = {0}, in_g[MOST];
        reflection(&seed, n, h);
        reflection(&seed, n, g);
        for (size_t i = 0; i < n; i++) {
            s[i * n + i] = i < n - null ? uniform(&seed, 0.1, 2.0) : 0.0;
            x[i] = uniform(&seed, -1.0, 1.0);
        }
        multiply(n, h, s, half);
        multiply(n, half, g, a);
        for (size_t i = 0; i < n; i++) {
            in_g[i] = 0.0;
            for (size_t j = 0; j < n; j++) {
                right[i] += a[i * n + j] * x[j];
                in_g[i] += g[i * n + j] * x[j];
            }
        }
        GOOD(am_shooting_step(a, n, 1e-8, right, values, &rank, err));
        assert_int_equal(rank, n - null);
        for (size_t i = 0; i < n; i++) {
            double shortest = 0.0; /* G^T (what is not of the null space) */
            for (size_t j = 0; j < n - null; j++)
                shortest += g[j * n + i] * in_g[j];
            assert_near(right[i], shortest, 1e-12); /* condition at most 20 */
        }
    }
}

static void numbers_that_are_none_are_refused(void **state) {
    (void)state;
    double a[] = {NAN, 0.0, 0.0, 1.0}, right[] = {1.0, 1.0}, values[2];
    size_t rank = 7;
    am_error err = {0};
    assert_int_equal(am_shooting_step(a, 2, 1e-8, right, values, &rank, &err), AM_ERR_LIMIT);
    assert_says(&err, "grows beyond all bounds");
    assert_int_equal(rank, 0);
    double zero[4] = {0}, anything[] = {3.0, 4.0};
    GOOD(am_shooting_step(zero, 2, 1e-8, anything, values, &rank, err));
    assert_true(anything[0] == 0.0 && anything[1] == 0.0 && rank == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_multipliers_are_those_across_the_flow),
        cmocka_unit_test(the_step_is_the_shortest_and_counts_the_family),
        cmocka_unit_test(numbers_that_are_none_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
