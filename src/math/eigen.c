#include "math/eigen.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/watch.h"
#include "math/algebra.h"
#include "math/dense.h"
#include "math/eigen_small.h"

static am_status lapack_failure(lapack_int info, const char *what, size_t n, am_error *err) {
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while computing the %s of a matrix of order %zu", what, n);
    return am_fail(err, AM_ERR_EVIDENCE, "the %s of a matrix of order %zu did not converge", what, n);
}

static am_status check_finite(const double *a, size_t count, size_t n, am_error *err) {
    if (am_dense_is_finite(a, count))
        return AM_OK;
    return am_fail(err, AM_ERR_LIMIT, "numbers of a matrix of order %zu are beyond what can be computed with", n);
}

static void transpose(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double swap = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = swap;
        }
}

/* The computed eigenvalues are exact for a matrix within about n eps |A| of the given one. That moves a simple
 * eigenvalue by n eps |A| / s, with s the cosine between its left and right eigenvector, and one of a defective pair by
 * at most about sqrt(n eps) |A|. The factor 10 is for the constants behind both. */
static void estimate_uncertainty(am_eigen *e, const double *cosine, double norm) {
    double backward = 10.0 * (double)e->n * DBL_EPSILON;
    for (size_t j = 0; j < e->n; j++) {
        double defective = sqrt(backward), simple = cosine[j] > backward ? backward / cosine[j] : 1.0;
        e->uncertainty[j] = norm * fmin(defective, simple);
    }
}

static am_status solve_large(am_eigen *e, double *a, double terms, am_error *err) {
    size_t n = e->n;
    lapack_int size = (lapack_int)n, low, high, info = 0;
    double *work = am_memory_new(3 * n + n * n, sizeof *work, err), norm = 0.0;
    if (!work)
        return AM_ERR_MEMORY;
    double *scale = work, *cosine = work + n, *conditions = work + 2 * n, *left = work + 3 * n;
    if (n > 0) {
        transpose(a, n); /* LAPACK's eigenvectors then come out as our rows */
        info = LAPACKE_dgeevx(LAPACK_COL_MAJOR, 'B', 'V', 'V', 'E', size, a, size, e->real, e->imaginary, left, size,
                              e->vectors, size, &low, &high, scale, &norm, cosine, conditions);
    }
    if (info == 0)
        estimate_uncertainty(e, cosine, fmax(norm, terms));
    am_memory_free(work);
    return info == 0 ? AM_OK : lapack_failure(info, "eigenvalues", n, err);
}

am_status am_eigen_init(am_eigen *eigen, double *a, size_t n, double terms, am_error *err) {
    double cosine[AM_EIGEN_SMALL], norm;
    *eigen = (am_eigen){.n = n};
    am_algebra_settle();
    AM_TRY(am_watch_spend(10.0 * (double)n * (double)n * (double)n, err));
    AM_TRY(check_finite(a, n * n, n, err));
    double *p = eigen->memory = am_memory_new(3 * n + n * n, sizeof *p, err);
    if (!p)
        return AM_ERR_MEMORY;
    eigen->real = p;
    eigen->imaginary = p + n;
    eigen->uncertainty = p + 2 * n;
    eigen->vectors = p + 3 * n;
    am_status status = AM_OK;
    if (n <= AM_EIGEN_SMALL && am_eigen_small(a, n, p, eigen->imaginary, cosine, eigen->vectors, &norm))
        estimate_uncertainty(eigen, cosine, fmax(norm, terms));
    else
        status = solve_large(eigen, a, terms, err);
    if (status != AM_OK)
        am_eigen_clear(eigen);
    return status;
}

void am_eigen_clear(am_eigen *eigen) {
    am_memory_free(eigen->memory);
    *eigen = (am_eigen){0};
}

am_status am_eigen_pairs_init(am_eigen_pairs *pairs, double *a, size_t n, am_error *err) {
    *pairs = (am_eigen_pairs){.n = n};
    am_algebra_settle();
    AM_TRY(am_watch_spend(20.0 * (double)n * (double)n * (double)n, err));
    AM_TRY(check_finite(a, n * n, n, err));
    double *p = pairs->memory = am_memory_new(2 * n + 2 * n * n, sizeof *p, err);
    if (!p)
        return AM_ERR_MEMORY;
    pairs->real = p;
    pairs->imaginary = p + n;
    pairs->right = p + 2 * n;
    pairs->left = pairs->right + n * n;
    transpose(a, n);
    lapack_int size = (lapack_int)n, info = LAPACKE_dgeev(LAPACK_COL_MAJOR, 'V', 'V', size, a, size, p, p + n,
                                                          pairs->left, size, pairs->right, size);
    if (info == 0)
        return AM_OK;
    am_eigen_pairs_clear(pairs);
    return lapack_failure(info, "eigenvalues", n, err);
}

void am_eigen_pairs_clear(am_eigen_pairs *pairs) {
    am_memory_free(pairs->memory);
    *pairs = (am_eigen_pairs){0};
}

am_status am_null_space(double *a, size_t rows, size_t n, double *basis, size_t *count, am_error *err) {
    *count = n;
    for (size_t i = 0; i < n * n; i++)
        basis[i] = i % (n + 1) == 0 ? 1.0 : 0.0;
    if (rows == 0 || n == 0)
        return AM_OK;
    AM_TRY(am_watch_spend(10.0 * (double)rows * (double)n * (double)n, err));
    AM_TRY(check_finite(a, rows * n, n, err));
    size_t least = rows < n ? rows : n;
    AM_LOCAL_MEMORY double *work = am_memory_new(2 * least + n * n, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    /* Row-major a is column-major a^T = U s V^T: the left singular vectors of a^T are the right ones of a. */
    double *values = work, *other = work + least, *vectors = work + 2 * least, unused;
    lapack_int info = LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'N', (lapack_int)n, (lapack_int)rows, a, (lapack_int)n,
                                     values, vectors, (lapack_int)n, &unused, 1, other);
    if (info == 0) {
        size_t rank = 0;
        while (rank < least && values[rank] > 1e-12 * values[0])
            rank++;
        *count = n - rank;
        memcpy(basis, vectors + rank * n, *count * n * sizeof *basis);
    }
    return info == 0 ? AM_OK : lapack_failure(info, "singular values", n, err);
}

am_status am_least_squares(double *a, size_t n, double *b, double threshold, am_error *err) {
    lapack_int size = (lapack_int)n, rank;
    AM_TRY(check_finite(a, n * n, n, err));
    AM_TRY(check_finite(b, n, n, err));
    AM_LOCAL_MEMORY double *singular = am_memory_new(n, sizeof *singular, err);
    if (!singular)
        return AM_ERR_MEMORY;
    lapack_int info =
        n > 0 ? LAPACKE_dgelsd(LAPACK_ROW_MAJOR, size, size, 1, a, size, b, 1, singular, threshold, &rank) : 0;
    return info == 0 ? AM_OK : lapack_failure(info, "least squares", n, err);
}

am_status am_generalised_eigen(double *a, double *b, size_t n, double *values, am_error *err) {
    lapack_int size = (lapack_int)n;
    am_algebra_settle();
    AM_TRY(am_watch_spend(10.0 * (double)n * (double)n * (double)n, err));
    AM_TRY(check_finite(a, n * n, n, err));
    AM_TRY(check_finite(b, n * n, n, err));
    /* Column-major vectors are rows to us. */
    lapack_int info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', size, a, size, b, size, values);
    return info == 0 ? AM_OK : lapack_failure(info, "eigenvalues", n, err);
}

/* LAPACK sees the transpose, which has the same eigenvalues. The larger of both norms stands for that of either. */
static double norm_of(const double *a, size_t n, double *columns) {
    double largest = 0.0;
    for (size_t j = 0; j < n; j++)
        columns[j] = 0.0;
    for (size_t i = 0; i < n; i++) {
        double row = 0.0;
        for (size_t j = 0; j < n; j++) {
            double size = fabs(a[i * n + j]);
            row += size;
            columns[j] += size;
        }
        largest = fmax(largest, row);
    }
    for (size_t j = 0; j < n; j++)
        largest = fmax(largest, columns[j]);
    return largest;
}

bool am_eigenvalues(double *a, size_t n, double *real, double *imaginary, double *work, double *doubt) {
    lapack_int size = (lapack_int)n, low, high;
    double *scale = work, *tau = work + n, *workspace = work + 2 * n, unused;
    *doubt = 0.0;
    if (n == 0)
        return true;
    if (!isfinite(norm_of(a, n, scale))) /* LAPACK would complain aloud */
        return false;
    if (LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'B', size, a, size, &low, &high, scale) != 0)
        return false;
    /* A defective pair is off by about the root of the backward error n eps |A|: estimate_uncertainty. */
    *doubt = norm_of(a, n, scale) * sqrt(10.0 * (double)n * DBL_EPSILON);
    return isfinite(*doubt) &&
           LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, size, low, high, a, size, tau, workspace, size) == 0 &&
           LAPACKE_dhseqr_work(LAPACK_COL_MAJOR, 'E', 'N', size, low, high, a, size, real, imaginary, &unused, 1,
                               workspace, size) == 0;
}

am_status am_dense_symmetric_eigenvalues(double *a, size_t n, double *values, am_error *err) {
    if (n == 0)
        return AM_OK;
    AM_TRY(am_watch_spend((double)n * (double)n * (double)n, err));
    AM_TRY(check_finite(a, n * n, n, err));
    lapack_int info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)n, a, (lapack_int)n, values);
    return info == 0 ? AM_OK : lapack_failure(info, "eigenvalues", n, err);
}
