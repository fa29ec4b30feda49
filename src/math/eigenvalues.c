#include "math/eigenvalues.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>

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
    double *scale = work, *tau = work + n, *room = work + 2 * n, unused;
    *doubt = 0.0;
    if (n == 0)
        return true;
    if (!isfinite(norm_of(a, n, scale))) /* LAPACK would complain aloud */
        return false;
    if (LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'B', size, a, size, &low, &high, scale) != 0)
        return false;
    /* A defective pair is off by about the root of the backward error n eps |A|; see estimate_uncertainty in eigen.c */
    *doubt = norm_of(a, n, scale) * sqrt(10.0 * (double)n * DBL_EPSILON);
    return isfinite(*doubt) && LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, size, low, high, a, size, tau, room, size) == 0 &&
           LAPACKE_dhseqr_work(LAPACK_COL_MAJOR, 'E', 'N', size, low, high, a, size, real, imaginary, &unused, 1, room,
                               size) == 0;
}
