#include "math/complex_lu.h"

#include <lapacke.h>
#include <math.h>

/* Plain loops while matrices have some tens of rows, where the threads of a BLAS cost more than they bring; LAPACK from
 * this order on. */
enum { LAPACK_SIZE = 128 };

static double size_of(double complex z) {
    return fabs(creal(z)) + fabs(cimag(z));
}

static void swap_rows(double complex *a, size_t n, size_t i, size_t j) {
    for (size_t k = 0; k < n && i != j; k++) {
        double complex kept = a[k * n + i];
        a[k * n + i] = a[k * n + j];
        a[k * n + j] = kept;
    }
}

/* Products of finite numbers, without C's care for infinities in complex multiplication. */
static double complex times(double complex x, double complex y) {
    double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    return (a * c - b * d) + I * (a * d + b * c);
}

bool am_complex_lu_factor(double complex *a, size_t n, int *pivots) {
    if (n >= LAPACK_SIZE)
        return LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, (int)n, (int)n, a, (int)n, pivots) == 0 &&
               isfinite(size_of(a[n * n - 1]));
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (size_of(a[k * n + i]) > size_of(a[k * n + best]))
                best = i;
        if (!(size_of(a[k * n + best]) > 0.0) || !isfinite(size_of(a[k * n + best])))
            return false;
        pivots[k] = (int)best;
        swap_rows(a, n, k, best);
        double complex inverse = 1.0 / a[k * n + k];
        for (size_t i = k + 1; i < n; i++)
            a[k * n + i] = times(a[k * n + i], inverse);
        for (size_t j = k + 1; j < n; j++) {
            double complex factor = a[j * n + k];
            for (size_t i = k + 1; i < n && factor != 0.0; i++)
                a[j * n + i] -= times(a[k * n + i], factor);
        }
        a[k * n + k] = inverse; /* solving divides by the pivot, so its inverse is kept */
    }
    return true;
}

static void interchange(double complex *x, size_t k, int with) {
    double complex kept = x[k];
    x[k] = x[with];
    x[with] = kept;
}

static void solve_one(const double complex *a, size_t n, const int *pivots, double complex *x) {
    for (size_t k = 0; k < n; k++)
        interchange(x, k, pivots[k]);
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++)
            x[i] -= times(a[k * n + i], x[k]);
    for (size_t k = n; k-- > 0;) {
        x[k] = times(x[k], a[k * n + k]);
        for (size_t i = 0; i < k; i++)
            x[i] -= times(a[k * n + i], x[k]);
    }
}

static void solve_transposed(const double complex *a, size_t n, const int *pivots, double complex *x) {
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < k; i++)
            x[k] -= times(a[k * n + i], x[i]);
        x[k] = times(x[k], a[k * n + k]);
    }
    for (size_t k = n; k-- > 0;)
        for (size_t i = k + 1; i < n; i++)
            x[k] -= times(a[k * n + i], x[i]);
    for (size_t k = n; k-- > 0;)
        interchange(x, k, pivots[k]);
}

void am_complex_lu_solve(const double complex *a, size_t n, const int *pivots, bool transposed, size_t count,
                         double complex *b) {
    if (n >= LAPACK_SIZE && count > 0)
        LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, transposed ? 'T' : 'N', (int)n, (int)count, a, (int)n, pivots, b, (int)n);
    for (size_t j = 0; n < LAPACK_SIZE && j < count; j++)
        if (transposed)
            solve_transposed(a, n, pivots, b + j * n);
        else
            solve_one(a, n, pivots, b + j * n);
}
