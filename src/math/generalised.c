#include "math/generalised.h"

#include <lapacke.h>

#include "base/try.h"
#include "base/watch.h"
#include "math/algebra.h"
#include "math/dense.h"

am_status am_generalised_eigen(double *a, double *b, size_t n, double *values, am_error *err) {
    lapack_int size = (lapack_int)n;
    am_algebra_settle();
    AM_TRY(am_watch_spend(10.0 * (double)n * (double)n * (double)n, err));
    if (!am_dense_is_finite(a, n * n) || !am_dense_is_finite(b, n * n))
        return am_fail(err, AM_ERR_LIMIT, "numbers of a matrix of order %zu are beyond what can be computed with", n);
    /* Column-major vectors are rows to us. */
    lapack_int info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', size, a, size, b, size, values);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory");
    if (info != 0)
        return am_fail(err, AM_ERR_EVIDENCE, "the eigenvalues of a symmetric problem could not be computed");
    return AM_OK;
}
