#include "math/cholesky.h"

#include <math.h>
#include <string.h>

bool am_cholesky_factor(double *a, size_t n) {
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * n;
        for (size_t k = 0; k < j; k++) {
            const double *before = a + k * n;
            for (size_t i = j; i < n; i++)
                column[i] -= before[j] * before[i];
        }
        if (!(column[j] > 0.0))
            return false;
        double root = sqrt(column[j]);
        for (size_t i = j; i < n; i++)
            column[i] /= root;
    }
    return true;
}

static void solve_one(const double *a, size_t n, double *x) {
    for (size_t j = 0; j < n; j++) {
        x[j] /= a[j * n + j];
        for (size_t i = j + 1; i < n; i++)
            x[i] -= a[j * n + i] * x[j];
    }
    for (size_t j = n; j-- > 0;) {
        for (size_t i = j + 1; i < n; i++)
            x[j] -= a[j * n + i] * x[i];
        x[j] /= a[j * n + j];
    }
}

void am_cholesky_solve(const double *a, size_t n, size_t count, double *x) {
    for (size_t c = 0; c < count; c++)
        solve_one(a, n, x + c * n);
}

double am_cholesky_rcond(const double *a, size_t n, double norm, double *work) {
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;
        memset(work, 0, n * sizeof *work);
        work[j] = 1.0;
        solve_one(a, n, work);
        for (size_t i = 0; i < n; i++)
            sum += fabs(work[i]);
        largest = sum > largest ? sum : largest;
    }
    return largest > 0.0 && norm > 0.0 ? 1.0 / (largest * norm) : 0.0;
}
