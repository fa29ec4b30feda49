/* Products with Toeplitz matrices by Fourier transform, and linear systems known by their products. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "errors.h"
#include "math/convolution.h"
#include "math/gmres.h"
#include "near.h"

enum { MOST = 70, SEED = 7 };

static double unit(uint64_t index, size_t dimension) {
    return 2.0 * am_random_unit(SEED, index, dimension) - 1.0;
}

static void products_are_those_of_the_matrix(void **state) {
    (void)state;
    for (size_t n = 1; n <= MOST; n++) {
        am_convolution c;
        GOOD(am_convolution_init(&c, n, 2 * n - 1, err));
        double even[MOST], odd[MOST], z[2 * MOST], y[2 * MOST];
        for (size_t k = 0; k < n; k++) {
            even[k] = unit(n, 4 * k);
            odd[k] = unit(n, 4 * k + 1);
            z[2 * k] = unit(n, 4 * k + 2);
            z[2 * k + 1] = unit(n, 4 * k + 3);
        }
        am_convolution_set(&c, even, odd, n);
        am_convolution_apply(&c, z, y);
        for (size_t i = 0; i < n; i++) {
            double p = 0.0, q = 0.0;
            for (size_t j = 0; j < n; j++) {
                size_t k = i > j ? i - j : j - i;
                double a = even[k], b = i == j ? 0.0 : i > j ? odd[k] : -odd[k];
                p += a * z[2 * j] - b * z[2 * j + 1];
                q += a * z[2 * j + 1] + b * z[2 * j];
            }
            double rounding = 1e-14 * (double)n; /* sums of 2 n terms below 1 */
            assert_near(y[2 * i], p, rounding);
            assert_near(y[2 * i + 1], q, rounding);
        }
        am_convolution_clear(&c);
    }
}

static void the_inverse_undoes_a_product_that_wraps_around(void **state) {
    (void)state;
    enum { N = 64 };
    am_convolution c;
    GOOD(am_convolution_init(&c, N, N, err));
    double even[N / 2 + 1], z[2 * N], y[2 * N];
    for (size_t k = 0; k <= N / 2; k++)
        even[k] = pow(0.5, (double)k); /* eigenvalues between 1/3 and 3 */
    for (size_t k = 0; k < 2 * N; k++)
        z[k] = unit(0, k);
    am_convolution_set(&c, even, NULL, N / 2 + 1);
    am_convolution_apply(&c, z, y);
    assert_true(fabs(y[0] - z[0]) > 1e-3);
    am_convolution_invert(&c);
    am_convolution_apply(&c, y, y);
    for (size_t k = 0; k < 2 * N; k++)
        assert_near(y[k], z[k], 1e-13); /* rounding, condition 9 */
    am_convolution_clear(&c);
}

/* ---- GMRES ---- */

enum { ORDER = 40 };

static void dense_product(void *context, const double *x, double *y) {
    const double *a = context;
    for (size_t i = 0; i < ORDER; i++) {
        y[i] = 0.0;
        for (size_t j = 0; j < ORDER; j++)
            y[i] += a[i * ORDER + j] * x[j];
    }
}

static void divide_by_diagonal(void *context, const double *x, double *y) {
    const double *a = context;
    for (size_t i = 0; i < ORDER; i++)
        y[i] = x[i] / a[i * ORDER + i];
}

/* Indefinite, neither symmetric nor normal. */
static void fill(double *a) {
    for (size_t i = 0; i < ORDER; i++)
        for (size_t j = 0; j < ORDER; j++)
            a[i * ORDER + j] = unit(i, j) + (i == j ? (i % 2 ? 12.0 : -9.0) : 0.0);
}

static void gmres_solves_an_indefinite_system_with_and_without_restarts(void **state) {
    (void)state;
    static double a[ORDER * ORDER];
    double wanted[ORDER], b[ORDER];
    fill(a);
    for (size_t i = 0; i < ORDER; i++)
        wanted[i] = unit(100, i);
    dense_product(a, wanted, b);
    am_gmres_problem problem = {.n = ORDER, .apply = dense_product, .precondition = divide_by_diagonal, .context = a};
    for (size_t width = 15; width <= ORDER; width += 25) {
        am_gmres gmres;
        double x[ORDER] = {0};
        size_t products = 0;
        GOOD(am_gmres_init(&gmres, ORDER, width, err));
        double residual = am_gmres_solve(&gmres, &problem, b, 1e-13, 1000, x, &products);
        assert_true(residual <= 1e-13);
        assert_true(products > 2 && products < 1000);
        for (size_t i = 0; i < ORDER; i++)
            assert_near(x[i], wanted[i], 1e-11); /* residual times a condition below 10, and |b| about 60 */
        am_gmres_clear(&gmres);
    }
}

static void gmres_tells_the_residual_it_stopped_at(void **state) {
    (void)state;
    static double a[ORDER * ORDER];
    double b[ORDER], x[ORDER] = {0}, y[ORDER], r = 0.0, size = 0.0;
    fill(a);
    for (size_t i = 0; i < ORDER; i++)
        b[i] = unit(200, i);
    am_gmres_problem problem = {.n = ORDER, .apply = dense_product, .precondition = divide_by_diagonal, .context = a};
    am_gmres gmres;
    GOOD(am_gmres_init(&gmres, ORDER, ORDER, err));
    double told = am_gmres_solve(&gmres, &problem, b, 1e-13, 8, x, NULL);
    dense_product(a, x, y);
    for (size_t i = 0; i < ORDER; i++) {
        r += (b[i] - y[i]) * (b[i] - y[i]);
        size += b[i] * b[i];
    }
    assert_true(told > 1e-13);
    assert_near(told, sqrt(r / size), 1e-14); /* rounding */
    am_gmres_clear(&gmres);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_matrix),
        cmocka_unit_test(the_inverse_undoes_a_product_that_wraps_around),
        cmocka_unit_test(gmres_solves_an_indefinite_system_with_and_without_restarts),
        cmocka_unit_test(gmres_tells_the_residual_it_stopped_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
