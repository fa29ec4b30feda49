/* Eigenpairs of general matrices: those of small order by our own iteration, the others by LAPACK's. */
#include <float.h>
#include <string.h>

#include "math/eigen.h"
#include "math/eigen_small.h"
#include "near.h"
#include "random_system.h"

enum { MOST = AM_EIGEN_SMALL };

typedef struct pairs {
    double real[MOST], imaginary[MOST], cosine[MOST], vectors[MOST * MOST], norm;
} pairs;

static pairs solve(const double *a, size_t n) {
    pairs p;
    assert_true(am_eigen_small(a, n, p.real, p.imaginary, p.cosine, p.vectors, &p.norm));
    return p;
}

/* Full, with many zeros, with small whole numbers (multiple and defective eigenvalues), and the form of a vibrating
 * structure. */
static void fill(random_source *source, size_t kind, double *a, size_t n) {
    for (size_t i = 0; i < n * n; i++) {
        double x = random_between(source, -1.0, 1.0);
        bool upper = kind == 3 && i / n < n / 2;
        a[i] = kind == 2                                 ? (double)random_index(source, 3) - 1.0
               : upper                                   ? (i % n == i / n + n / 2 ? 3.0 : 0.0)
               : kind == 1 && random_chance(source, 0.5) ? 0.0
                                                         : x;
    }
}

static double size_of(const double *a, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n * n; i++)
        sum += a[i] * a[i];
    return sqrt(sum);
}

/* |A v - lambda v|, v of length 1. */
static double residual(const double *a, size_t n, const pairs *p, size_t k) {
    const double *x = p->vectors + k * n, *y = p->imaginary[k] != 0.0 ? x + n : NULL;
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double re = -p->real[k] * x[i] + (y ? p->imaginary[k] * y[i] : 0.0);
        double im = -p->imaginary[k] * x[i] - (y ? p->real[k] * y[i] : 0.0);
        for (size_t j = 0; j < n; j++) {
            re += a[i * n + j] * x[j];
            im += y ? a[i * n + j] * y[j] : 0.0;
        }
        sum += re * re + im * im;
    }
    return sqrt(sum);
}

/* The iteration is backward stable: what is left is the order times eps times the size of the matrix; 4 for the
 * constant (1.5e-15 is the worst of half a million). */
static void small_eigenpairs_satisfy_their_equation(void **state) {
    (void)state;
    random_source source = random_seed(11);
    for (size_t trial = 0; trial < 4000; trial++) {
        double a[MOST * MOST], trace = 0.0, sum = 0.0;
        size_t n = 1 + random_index(&source, MOST);
        fill(&source, trial % 4, a, n);
        pairs p = solve(a, n);
        double tolerance = 4.0 * (double)n * DBL_EPSILON * size_of(a, n);
        for (size_t k = 0; k < n; k++) {
            trace += a[k * n + k];
            sum += p.real[k];
            if (p.imaginary[k] >= 0.0)
                assert_near(residual(a, n, &p, k), 0.0, tolerance);
            if (p.imaginary[k] > 0.0) {
                assert_true(k + 1 < n && p.real[k + 1] == p.real[k] && p.imaginary[k + 1] == -p.imaginary[k]);
                k++;
                trace += a[k * n + k];
                sum += p.real[k];
            }
        }
        assert_near(sum, trace, tolerance);
    }
}

/* With one more row and column, which have an eigenvalue of their own, LAPACK does the work. */
static void small_eigenvalues_are_those_of_lapack(void **state) {
    (void)state;
    random_source source = random_seed(12);
    for (size_t trial = 0; trial < 600; trial++) {
        const size_t n = MOST, m = MOST + 1;
        double a[MOST * MOST], wide[(MOST + 1) * (MOST + 1)] = {0.0};
        am_eigen small, large;
        fill(&source, trial % 2 == 0 ? 0 : 3, a, n);
        for (size_t i = 0; i < n; i++)
            memcpy(wide + i * m, a + i * n, n * sizeof *a);
        wide[m * m - 1] = 100.0;
        assert_int_equal(am_eigen_init(&small, a, n, 0.0, NULL), AM_OK);
        assert_int_equal(am_eigen_init(&large, wide, m, 0.0, NULL), AM_OK);
        for (size_t k = 0; k < n; k++) {
            size_t nearest = 0;
            double best = INFINITY;
            for (size_t j = 0; j < m; j++) {
                double apart = hypot(small.real[k] - large.real[j], small.imaginary[k] - large.imaginary[j]);
                nearest = apart < best ? j : nearest;
                best = fmin(best, apart);
            }
            assert_near(best, 0.0, small.uncertainty[k] + large.uncertainty[nearest]);
            /* The same doubt, but for the larger norm on the other side (100 and below 10) and its order. */
            double ratio = large.uncertainty[nearest] / small.uncertainty[k];
            assert_true(ratio > 1.0 && ratio < 150.0);
        }
        am_eigen_clear(&small);
        am_eigen_clear(&large);
    }
}

/* A = [0 1; 0 -d]: right vectors (1, 0) and (1, -d), left ones (d, 1) and (0, 1); nothing needs to be computed, so the
 * eigenvalues are exact: a structure that drifts does so without growing. */
static void eigenvalues_that_can_be_read_off_are_exact(void **state) {
    (void)state;
    const double d = 0.1, a[4] = {0.0, 1.0, 0.0, -d};
    pairs p = solve(a, 2);
    size_t zero = p.real[0] == 0.0 ? 0 : 1;
    assert_true(p.real[zero] == 0.0 && p.imaginary[zero] == 0.0);
    assert_true(p.real[1 - zero] == -d && p.imaginary[1 - zero] == 0.0);
    for (size_t k = 0; k < 2; k++) /* a few roundings */
        assert_near(p.cosine[k], d / sqrt(1.0 + d * d), 1e-15);
}

/* Two equal pairs of frequencies in one chain of vectors: their cosine is nothing but rounding, and the eigenvalues are
 * known to its square root. */
static void defective_pairs_are_found_to_the_root_of_rounding(void **state) {
    (void)state;
    const double a[16] = {0, 1, 1, 0, -1, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1, 0};
    double copy[16];
    am_eigen e;
    memcpy(copy, a, sizeof a);
    assert_int_equal(am_eigen_init(&e, copy, 4, 0.0, NULL), AM_OK);
    for (size_t k = 0; k < 4; k++) {
        assert_near(e.real[k], 0.0, e.uncertainty[k]);
        assert_near(fabs(e.imaginary[k]), 1.0, e.uncertainty[k]);
        assert_true(e.uncertainty[k] < 1e-6); /* sqrt(40 eps) is 1e-7, the matrix of size 2 */
    }
    am_eigen_clear(&e);
}

/* A nilpotent matrix has one direction, to which substitution must not run away; no matrix at all has all of them. */
static void multiple_zeros_have_finite_vectors(void **state) {
    (void)state;
    double a[MOST * MOST] = {0.0};
    for (size_t chain = 0; chain < 2; chain++) {
        for (size_t i = 0; chain == 1 && i + 1 < MOST; i++)
            a[i * MOST + i + 1] = 1.0;
        pairs p = solve(a, MOST);
        for (size_t k = 0; k < MOST; k++) {
            assert_true(p.real[k] == 0.0 && p.imaginary[k] == 0.0);
            assert_near(residual(a, MOST, &p, k), 0.0, 1e-15);
            if (chain == 0)
                assert_near(p.cosine[k], 1.0, 1e-15);
        }
    }
}

/* Multiplying by a power of two changes no digit. */
static void eigenvalues_do_not_depend_on_units(void **state) {
    (void)state;
    random_source source = random_seed(13);
    for (size_t trial = 0; trial < 200; trial++) {
        double a[MOST * MOST], b[MOST * MOST], unit = ldexp(1.0, trial % 2 == 0 ? 70 : -70);
        size_t n = 1 + random_index(&source, MOST);
        fill(&source, trial % 4, a, n);
        for (size_t i = 0; i < n * n; i++)
            b[i] = unit * a[i];
        pairs p = solve(a, n), q = solve(b, n);
        for (size_t k = 0; k < n; k++)
            assert_true(q.real[k] == unit * p.real[k] && q.imaginary[k] == unit * p.imaginary[k] &&
                        q.cosine[k] == p.cosine[k]);
    }
}

/* Beyond the range in which squares are safe LAPACK scales. */
static void extreme_units_are_left_to_lapack(void **state) {
    (void)state;
    const double units[] = {1e-120, 1e120};
    for (size_t i = 0; i < 2; i++) {
        double a[4] = {0.0, 4.0 * units[i], -units[i], 0.0};
        pairs p;
        am_eigen e;
        assert_false(am_eigen_small(a, 2, p.real, p.imaginary, p.cosine, p.vectors, &p.norm));
        assert_int_equal(am_eigen_init(&e, a, 2, 0.0, NULL), AM_OK);
        assert_near(e.imaginary[0] / units[i], 2.0, 1e-14); /* rounding */
        am_eigen_clear(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_eigenpairs_satisfy_their_equation),
        cmocka_unit_test(small_eigenvalues_are_those_of_lapack),
        cmocka_unit_test(eigenvalues_that_can_be_read_off_are_exact),
        cmocka_unit_test(defective_pairs_are_found_to_the_root_of_rounding),
        cmocka_unit_test(multiple_zeros_have_finite_vectors),
        cmocka_unit_test(eigenvalues_do_not_depend_on_units),
        cmocka_unit_test(extreme_units_are_left_to_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
