/* Real linear systems: small ones in our own loops, blocked ones, LAPACK's. */
#include <string.h>

#include "base/watch.h"
#include "errors.h"
#include "math/lu.h"
#include "math/lu_single.h"
#include "near.h"
#include "random_system.h"

enum { MOST = 500 };

static void fill(random_source *source, double *a, size_t count) {
    for (size_t i = 0; i < count; i++)
        a[i] = random_between(source, -1.0, 1.0);
}

/* Residuals are rounding (1e-16) times the order times the growth of the factors, which stays below a hundred for
 * random matrices. All lengths of what is left over beside blocks of four occur, and all three ways to factor. */
static void solutions_solve_their_equations(void **state) {
    (void)state;
    static double a[MOST * MOST], lu[MOST * MOST], b[2 * MOST], x[2 * MOST];
    static int order[MOST];
    random_source source = random_seed(5);
    for (size_t n = 1; n <= MOST; n += n < 70 ? 1 : 57) {
        fill(&source, a, n * n);
        fill(&source, b, 2 * n);
        memcpy(lu, a, n * n * sizeof *a);
        memcpy(x, b, 2 * n * sizeof *x);
        assert_true(am_lu_factor(lu, n, order));
        am_lu_solve(lu, n, order, 2, x);
        for (size_t j = 0; j < 2; j++)
            for (size_t i = 0; i < n; i++) {
                double sum = -b[j * n + i], size = 1.0;
                for (size_t k = 0; k < n; k++) {
                    sum += a[i * n + k] * x[j * n + k];
                    size = fmax(size, fabs(x[j * n + k]));
                }
                assert_near(sum, 0.0, 1e-14 * (double)n * size);
            }
    }
}

/* With 24 bits the error is 6e-8 times the order times growth and condition (below some thousand for these); a few
 * corrections by the same factors remove it. The sign of the determinant is that of the factors with all digits. */
static void half_the_digits_are_enough_to_refine(void **state) {
    (void)state;
    static double a[MOST * MOST], lu[MOST * MOST], b[MOST], x[MOST], miss[MOST];
    static float factors[MOST * MOST], work[MOST];
    static int order[MOST];
    random_source source = random_seed(12);
    for (size_t n = 3; n <= MOST; n += 71) {
        fill(&source, a, n * n);
        fill(&source, b, n);
        for (size_t i = 0; i < n; i++)
            a[i * n + i] += 4.0;
        memcpy(lu, a, n * n * sizeof *a);
        assert_true(am_lu_factor(lu, n, order));
        int sign = am_lu_sign(lu, n, order);
        assert_true(am_lu_factor_single(a, n, factors, order));
        assert_int_equal(am_lu_sign_single(factors, n, order), sign);
        memset(x, 0, sizeof x);
        double last = INFINITY, size = 0.0;
        for (int round = 0; round < 8; round++) {
            for (size_t i = 0; i < n; i++) {
                miss[i] = b[i];
                for (size_t j = 0; j < n; j++)
                    miss[i] -= a[i * n + j] * x[j];
            }
            am_lu_solve_single(factors, n, order, miss, work);
            last = 0.0;
            for (size_t i = 0; i < n; i++) {
                x[i] += miss[i];
                last = fmax(last, fabs(miss[i]));
                size = fmax(size, fabs(x[i]));
            }
            assert_true(round == 0 || last <= 0.05 * size);
        }
        assert_true(last <= 1e-12 * size);
    }
    memset(a, 0, sizeof a);
    assert_false(am_lu_factor_single(a, 20, factors, order));
    a[0] = NAN;
    assert_false(am_lu_factor_single(a, 20, factors, order));
}

/* Zeros are skipped: the answer must be that of the full matrix. A tridiagonal matrix whose solution is known: second
 * differences of the parabola i (n + 1 - i) are -2. */
static void sparse_matrices_are_solved_as_well(void **state) {
    (void)state;
    for (size_t n = 2; n <= 40; n++) {
        double a[40 * 40] = {0}, x[40];
        int order[40];
        for (size_t i = 0; i < n; i++) {
            a[i * n + i] = 2.0;
            if (i > 0)
                a[i * n + i - 1] = a[(i - 1) * n + i] = -1.0;
            x[i] = 2.0;
        }
        assert_true(am_lu_factor(a, n, order));
        am_lu_solve(a, n, order, 1, x);
        for (size_t i = 0; i < n; i++) /* rounding times the condition number, below n^2 */
            assert_near(x[i], (double)((i + 1) * (n - i)), 1e-12 * (double)(n * n));
    }
}

/* The same for large ones: blocks on the diagonal that only the last unknowns couple, in order and scattered, beside the
 * same matrix with its zeros replaced by numbers that are lost in rounding. */
static void large_matrices_with_blocks_of_zeros_are_those_without(void **state) {
    (void)state;
    enum { N = 430, BLOCKS = 5, EDGE = 30, WIDTH = (N - EDGE) / BLOCKS };
    static double a[N * N], full[N * N], x[N], other[N];
    static int order[N], other_order[N];
    random_source source = random_seed(11);
    for (int scattered = 0; scattered < 2; scattered++) {
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                size_t u = scattered ? (i * 7) % N : i, v = scattered ? (j * 7) % N : j;
                bool coupled = u / WIDTH == v / WIDTH || u >= N - EDGE || v >= N - EDGE;
                a[i * N + j] = coupled ? random_between(&source, -1.0, 1.0) : 0.0;
                full[i * N + j] = coupled ? a[i * N + j] : 1e-30;
            }
        fill(&source, x, N);
        memcpy(other, x, sizeof x);
        assert_true(am_lu_factor(a, N, order) && am_lu_factor(full, N, other_order));
        assert_int_equal(am_lu_sign(a, N, order), am_lu_sign(full, N, other_order));
        am_lu_solve(a, N, order, 1, x);
        am_lu_solve(full, N, other_order, 1, other);
        double size = 1.0;
        for (size_t i = 0; i < N; i++)
            size = fmax(size, fabs(x[i]));
        for (size_t i = 0; i < N; i++) /* rounding times a condition number of some thousands */
            assert_near(x[i], other[i], 1e-11 * size);
    }
}

/* Threads share what is large: the same bits however many, and a solution. The sign of
 * the determinant turns where two rows of different panels are exchanged. */
static void large_matrices_are_factored_by_threads(void **state) {
    (void)state;
    enum { N = 1100 };
    static double a[N * N], one[N * N], two[N * N], b[N], x[N];
    static int order[2][N];
    random_source source = random_seed(12);
    fill(&source, a, N * N);
    fill(&source, b, N);
    for (int threads = 1; threads <= 2; threads++) {
        const am_progress progress = {.threads = threads};
        am_watch watch;
        double *lu = threads == 1 ? one : two;
        memcpy(lu, a, sizeof a);
        am_watch_begin(&watch, &progress);
        assert_true(am_lu_factor(lu, N, order[threads - 1]));
        GOOD(am_watch_end(&watch, AM_OK, err));
    }
    assert_memory_equal(one, two, sizeof one);
    assert_memory_equal(order[0], order[1], sizeof order[0]);
    memcpy(x, b, sizeof b);
    am_lu_solve(one, N, order[0], 1, x);
    double size = 1.0;
    for (size_t i = 0; i < N; i++)
        size = fmax(size, fabs(x[i]));
    for (size_t i = 0; i < N; i++) {
        double sum = -b[i];
        for (size_t k = 0; k < N; k++)
            sum += a[i * N + k] * x[k];
        assert_near(sum, 0.0, 1e-14 * N * size);
    }
    memcpy(two, a, sizeof a);
    memcpy(two, a + (N - 1) * N, N * sizeof *a);
    memcpy(two + (N - 1) * N, a, N * sizeof *a);
    assert_true(am_lu_factor(two, N, order[1]));
    assert_int_equal(am_lu_sign(two, N, order[1]), -am_lu_sign(one, N, order[0]));
}

/* Exchanging two rows turns the sign of the determinant. */
static void signs_follow_exchanges_of_rows(void **state) {
    (void)state;
    random_source source = random_seed(6);
    for (size_t n = 2; n <= 48; n++) {
        double a[48 * 48], other[48 * 48];
        int order[48], other_order[48];
        fill(&source, a, n * n);
        memcpy(other, a, n * n * sizeof *a);
        memcpy(other, a + n, n * sizeof *a);
        memcpy(other + n, a, n * sizeof *a);
        assert_true(am_lu_factor(a, n, order) && am_lu_factor(other, n, other_order));
        assert_int_equal(am_lu_sign(a, n, order), -am_lu_sign(other, n, other_order));
    }
}

static void singular_matrices_are_refused(void **state) {
    (void)state;
    for (size_t n = 2; n <= 60; n += 29) {
        double a[60 * 60];
        int order[60];
        for (size_t i = 0; i < n * n; i++)
            a[i] = (double)(i / n + 1) * (1.0 + (double)(i % n)); /* of rank one */
        assert_false(am_lu_factor(a, n, order));
        for (size_t i = 0; i < n * n; i++)
            a[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
        a[n * n - 1] = NAN;
        assert_false(am_lu_factor(a, n, order));
        a[n * n - 1] = 1.0;
        a[1] = INFINITY;
        assert_false(am_lu_factor(a, n, order));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_solve_their_equations),
        cmocka_unit_test(half_the_digits_are_enough_to_refine),
        cmocka_unit_test(sparse_matrices_are_solved_as_well),
        cmocka_unit_test(large_matrices_with_blocks_of_zeros_are_those_without),
        cmocka_unit_test(large_matrices_are_factored_by_threads),
        cmocka_unit_test(signs_follow_exchanges_of_rows),
        cmocka_unit_test(singular_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
