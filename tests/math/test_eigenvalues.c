/* Eigenvalues without vectors, against those with vectors and against a spectrum that is known. */
#include <string.h>

#include "errors.h"
#include "math/eigen.h"
#include "near.h"
#include "random_system.h"

enum { MOST = 48 };

/* The nearest of the given eigenvalues. */
static double distance_to(double re, double im, size_t n, const double *real, const double *imaginary) {
    double least = INFINITY;
    for (size_t k = 0; k < n; k++)
        least = fmin(least, hypot(re - real[k], im - imaginary[k]));
    return least;
}

static void they_are_those_that_come_with_vectors_and_no_doubt_is_larger(void **state) {
    (void)state;
    random_source source = random_seed(3);
    for (size_t n = 1; n <= MOST; n += n < 4 ? 1 : 11) {
        double a[MOST * MOST], copy[MOST * MOST], real[MOST], imaginary[MOST], work[AM_EIGENVALUES_WORK * MOST], doubt;
        for (size_t i = 0; i < n * n; i++)
            copy[i] = a[i] = random_between(&source, -1.0, 1.0);
        am_eigen eigen;
        GOOD(am_eigen_init(&eigen, copy, n, 0.0, err));
        assert_true(am_eigenvalues(a, n, real, imaginary, work, &doubt));
        for (size_t k = 0; k < n; k++) {
            /* rounding times the condition of eigenvalues of random matrices, some hundreds */
            assert_near(distance_to(eigen.real[k], eigen.imaginary[k], n, real, imaginary), 0.0, 1e-11);
            assert_near(distance_to(real[k], imaginary[k], n, eigen.real, eigen.imaginary), 0.0, 1e-11);
            assert_true(eigen.uncertainty[k] <= doubt);
        }
        am_eigen_clear(&eigen);
    }
}

/* A Jordan block is the worst there is: an error of eps moves its double eigenvalue by sqrt(eps). Hidden by a rotation,
 * so that it cannot be read off. */
static void a_defective_pair_is_within_the_doubt(void **state) {
    (void)state;
    const double c = 0.6, s = 0.8, J[2][2] = {{2.0, 1.0}, {0.0, 2.0}}, Q[2][2] = {{c, -s}, {s, c}};
    double a[4], real[2], imaginary[2], work[2 * AM_EIGENVALUES_WORK], doubt;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            a[2 * i + j] = 0.0;
            for (size_t k = 0; k < 2; k++)
                for (size_t l = 0; l < 2; l++)
                    a[2 * i + j] += Q[i][k] * J[k][l] * Q[j][l];
        }
    assert_true(am_eigenvalues(a, 2, real, imaginary, work, &doubt));
    assert_true(doubt < 1e-6); /* |A| sqrt(20 eps), |A| about 3 */
    for (size_t k = 0; k < 2; k++)
        assert_true(hypot(real[k] - 2.0, imaginary[k]) <= doubt);
}

static void a_matrix_with_a_nan_has_none(void **state) {
    (void)state;
    double a[9] = {1.0, 2.0, 3.0, 4.0, NAN, 6.0, 7.0, 8.0, 9.0}, real[3], imaginary[3], work[3 * AM_EIGENVALUES_WORK];
    double doubt;
    assert_false(am_eigenvalues(a, 3, real, imaginary, work, &doubt));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_those_that_come_with_vectors_and_no_doubt_is_larger),
        cmocka_unit_test(a_defective_pair_is_within_the_doubt),
        cmocka_unit_test(a_matrix_with_a_nan_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
