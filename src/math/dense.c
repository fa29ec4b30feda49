#include "math/dense.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/algebra.h"
#include "math/kernel.h"

double am_dense_largest_row(const double *a, size_t n) {
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = am_dense_size(a + i * n, n);
        largest = !(sum <= largest) ? sum : largest;
    }
    return largest;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void am_dense_sort(double *x, size_t n) {
    if (n > 1) /* of none there may be no array */
        qsort(x, n, sizeof *x, ascending);
}

/* Row j of `rows` becomes column j of the inverse; false: singular. */
static bool invert_here(double *a, size_t n, int *order, double *rows) {
    if (!am_kernel_factor(n, a, order))
        return false;
    for (size_t j = 0; j < n; j++) {
        rows[j * n + j] = 1.0;
        am_kernel_solve(n, a, order, rows + j * n);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            a[i * n + j] = rows[j * n + i];
    return true;
}

static am_status invert_small(double *a, size_t n, double *rcond, am_error *err) {
    double norm = am_dense_largest_row(a, n), *rows = am_memory_new(n * n, sizeof *rows, err);
    int order[AM_ALGEBRA_OWN];
    if (!rows)
        return AM_ERR_MEMORY;
    if (am_dense_is_finite(a, n * n) && invert_here(a, n, order, rows))
        *rcond = 1.0 / (norm * am_dense_largest_row(a, n));
    if (!isfinite(*rcond))
        *rcond = 0.0;
    am_memory_free(rows);
    return AM_OK;
}

/* The matrix is handed to LAPACK as if it were column-major: inverse and transposition commute. */
am_status am_dense_invert(double *a, size_t n, double *rcond, am_error *err) {
    *rcond = 0.0;
    if (n == 0) {
        *rcond = 1.0;
        return AM_OK;
    }
    AM_TRY(am_watch_spend((double)n * (double)n * (double)n, err));
    if (n <= AM_ALGEBRA_OWN)
        return invert_small(a, n, rcond, err);
    lapack_int size = (lapack_int)n;
    lapack_int *pivots = am_memory_new(n, sizeof *pivots, err);
    if (!pivots)
        return AM_ERR_MEMORY;
    double norm = am_dense_largest_row(a, n);
    lapack_int info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, size, size, a, size, pivots);
    if (info == 0)
        info = LAPACKE_dgetri(LAPACK_COL_MAJOR, size, a, size, pivots);
    am_memory_free(pivots);
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while inverting a matrix of order %zu", n);
    if (info == 0)
        *rcond = 1.0 / (norm * am_dense_largest_row(a, n)); /* the inverse is there: nothing needs to be estimated */
    if (!isfinite(*rcond))
        *rcond = 0.0;
    return AM_OK;
}

/* Rows of the row-major lower triangle are columns of LAPACK's upper one: A = U^T U with U = L^T. */
am_status am_dense_definite(double *a, size_t n, size_t *failing, am_error *err) {
    *failing = n;
    if (n == 0)
        return AM_OK;
    AM_TRY(am_watch_spend((double)n * (double)n * (double)n, err));
    lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'U', (lapack_int)n, a, (lapack_int)n);
    if (info < 0) /* LAPACKE looks for NaN before it factors */
        return am_fail(err, AM_ERR_INPUT, "a matrix of order %zu is not made of finite numbers", n);
    if (info > 0) {
        *failing = (size_t)info - 1;
        return AM_OK;
    }
    for (size_t i = 0; i < n; i++) {
        const double *row = a + i * n;
        double diagonal = am_dense_dot(row, row, i + 1); /* a_ii = sum of l_ij^2 */
        if (!(row[i] * row[i] > 4.0 * DBL_EPSILON * (double)n * diagonal)) {
            *failing = i;
            return AM_OK;
        }
    }
    return AM_OK;
}

void am_dense_apply(const double *a, size_t rows, size_t columns, const double *x, double *y) {
    for (size_t i = 0; i < rows; i++)
        y[i] = am_dense_dot(a + i * columns, x, columns);
}

void am_dense_add(const double *a, size_t rows, size_t columns, const double *x, double *y) {
    for (size_t i = 0; i < rows; i++)
        y[i] += am_dense_dot(a + i * columns, x, columns);
}

void am_dense_add_product(const double *a, const double *restrict b, size_t rows, size_t inner, size_t columns,
                          double *restrict out) {
    for (size_t i = 0; i < rows; i++)
        for (size_t l = 0; l < inner; l++)
            for (size_t j = 0; j < columns; j++)
                out[i * columns + j] += a[i * inner + l] * b[l * columns + j];
}

double am_dense_quadratic(const double *a, const double *x, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * am_dense_dot(a + i * n, x, n);
    return sum;
}
