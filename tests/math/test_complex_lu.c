/* Complex linear systems. */
#include "math/complex_lu.h"
#include "near.h"
#include "random_system.h"

enum { MOST = 12, LARGE = 130 }; /* which LAPACK factors */

/* Residuals are rounding times the growth of the factors, which random matrices of this order keep below a hundred. */
static void solutions_solve_their_equations_also_transposed(void **state) {
    (void)state;
    random_source source = random_seed(11);
    for (size_t n = 1; n <= LARGE; n = n == MOST ? LARGE : n + 1)
        for (int transposed = 0; transposed < 2; transposed++) {
            static double complex a[LARGE * LARGE], lu[LARGE * LARGE], b[2 * LARGE], x[2 * LARGE];
            int pivots[LARGE];
            for (size_t i = 0; i < n * n; i++)
                lu[i] = a[i] = random_between(&source, -1.0, 1.0) + I * random_between(&source, -1.0, 1.0);
            for (size_t i = 0; i < 2 * n; i++)
                x[i] = b[i] = random_between(&source, -1.0, 1.0) + I * random_between(&source, -1.0, 1.0);
            assert_true(am_complex_lu_factor(lu, n, pivots));
            am_complex_lu_solve(lu, n, pivots, transposed == 1, 2, x);
            for (size_t j = 0; j < 2; j++)
                for (size_t i = 0; i < n; i++) {
                    double complex sum = -b[j * n + i];
                    for (size_t k = 0; k < n; k++)
                        sum += (transposed ? a[i * n + k] : a[k * n + i]) * x[j * n + k];
                    double size = 1.0;
                    for (size_t k = 0; k < n; k++)
                        size = fmax(size, cabs(x[j * n + k]));
                    assert_near(cabs(sum), 0.0, 1e-13 * (double)(n / MOST + 1) * size);
                }
        }
}

static void singular_matrices_are_refused(void **state) {
    (void)state;
    double complex a[4] = {1.0, 2.0 * I, 2.0, 4.0 * I}, not_a_number[1] = {NAN};
    int pivots[2];
    assert_false(am_complex_lu_factor(a, 2, pivots));
    assert_false(am_complex_lu_factor(not_a_number, 1, pivots));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_solve_their_equations_also_transposed),
        cmocka_unit_test(singular_matrices_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
