#include "math/definite.h"

#include <float.h>
#include <lapacke.h>

#include "base/try.h"
#include "base/watch.h"
#include "math/dense.h"

/* Rows of the row-major lower triangle are columns of LAPACK's upper one: A = U^T U with U = L^T. */
am_status am_definite_test(double *a, size_t n, size_t *failing, am_error *err) {
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
