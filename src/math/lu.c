#include "math/lu.h"

#include <lapacke.h>
#include <math.h>

#include "math/dense.h"
#include "math/kernel.h"

/* The order up to which nothing is blocked, the columns factored together beyond it, and the order from which LAPACK
 * takes over. */
enum { SMALL = 40, PANEL = 8, LAPACK_SIZE = 400 };

/* A pivot below this fraction of the largest entry of its matrix is zero but for rounding. */
static const double singular = 1e-14;

static void swap_rows(double *restrict x, double *restrict y, size_t n) {
    for (size_t j = 0; j < n; j++) {
        double swap = x[j];
        x[j] = y[j];
        y[j] = swap;
    }
}

/* Columns from..to, all rows from `from` down, laid out column by column while they are worked on: the loops are as
 * long as the columns then, not as short as the rows of a panel. */
static bool factor_panel(double *a, size_t k, size_t from, size_t to, int *order) {
    double column[PANEL][LAPACK_SIZE], top[PANEL];
    size_t rows = k - from, width = to - from;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < width; j++)
            column[j][i] = a[(from + i) * k + from + j];
    for (size_t p = 0; p < width; p++) {
        double *own = column[p];
        size_t best = p;
        for (size_t i = p + 1; i < rows; i++)
            if (fabs(own[i]) > fabs(own[best]))
                best = i;
        order[from + p] = (int)(from + best);
        if (own[best] == 0.0)
            return false;
        if (best != p)
            swap_rows(a + (from + p) * k, a + (from + best) * k, k);
        for (size_t j = 0; j < width; j++) {
            double pivot = column[j][best];
            column[j][best] = column[j][p];
            column[j][p] = pivot;
            top[j] = -pivot;
        }
        double inverse = 1.0 / own[p];
        for (size_t i = p + 1; i < rows; i++)
            own[i] *= inverse;
        if (p + 1 < width)
            am_kernel_rank_one(width - p - 1, rows - p - 1, top + p + 1, own + p + 1, column[p + 1] + p + 1,
                               LAPACK_SIZE);
    }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < width; j++)
            a[(from + i) * k + from + j] = column[j][i];
    return true;
}

static bool factor_here(double *a, size_t k, int *order) {
    if (k <= SMALL)
        return am_kernel_factor(k, a, order);
    for (size_t from = 0; from < k; from += PANEL) {
        size_t to = from + PANEL < k ? from + PANEL : k;
        if (!factor_panel(a, k, from, to, order))
            return false;
        for (size_t p = from + 1; p < to && to < k; p++)
            am_kernel_subtract(1, k - to, p - from, a + p * k + from, k, a + from * k + to, k, a + p * k + to, k);
        if (to < k)
            am_kernel_subtract(k - to, k - to, to - from, a + to * k + from, k, a + from * k + to, k, a + to * k + to,
                               k);
    }
    return true;
}

/* LAPACK sees the transpose of a row-major array, hence 'T' in its solves. */
bool am_lu_factor(double *a, size_t k, int *order) {
    double size = am_dense_largest(a, k * k);
    bool done = k < LAPACK_SIZE ? factor_here(a, k, order)
                                : LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)k, (int)k, a, (int)k, order) == 0;
    for (size_t i = 0; done && i < k; i++)
        done = fabs(a[i * k + i]) > singular * size; /* false for NaN */
    return done;
}

void am_lu_solve(const double *a, size_t k, const int *order, size_t count, double *x) {
    if (k >= LAPACK_SIZE && count > 0)
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', (int)k, (int)count, a, (int)k, order, x, (int)k);
    for (size_t i = 0; k < LAPACK_SIZE && i < count; i++)
        am_kernel_solve(k, a, order, x + i * k);
}

int am_lu_sign(const double *a, size_t k, const int *order) {
    int sign = 1, first = k < LAPACK_SIZE ? 0 : 1; /* LAPACK counts from one */
    for (size_t i = 0; i < k; i++) {
        sign = order[i] - first != (int)i ? -sign : sign;
        sign = a[i * k + i] < 0.0 ? -sign : sign;
    }
    return sign;
}

int am_lu_index(double *S, size_t k, int *order) {
    for (size_t i = 0; i < k * k; i++)
        S[i] = (i % (k + 1) == 0 ? 1.0 : 0.0) - S[i];
    return am_lu_factor(S, k, order) ? am_lu_sign(S, k, order) : 0;
}
