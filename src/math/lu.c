#include "math/lu.h"

#include <cblas.h>
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

/* ---- large matrices with many zeros ----
 *
 * As LAPACK does it, block of columns by block of columns; but rows that have nothing in the block, and columns that have
 * nothing beside it, are left alone. Arrays are seen by columns here. */

enum { BLOCK = 64, GRAIN = 8, SEGMENTS = 64 };

typedef struct segment {
    size_t from, to;
} segment;

/* Are entries (rows from..to) x (columns j..j + width) zero? */
static bool is_zero(const double *a, size_t k, size_t from, size_t to, size_t j, size_t width) {
    for (size_t c = j; c < j + width; c++)
        for (size_t i = from; i < to; i++)
            if (a[c * k + i] != 0.0)
                return false;
    return true;
}

/* What is not zero among the rows below (`rows`) or the columns behind the block j..end, in grains; neighbours together. */
static size_t find_segments(const double *a, size_t k, size_t j, size_t end, bool rows, segment *found) {
    size_t count = 0;
    for (size_t from = end; from < k; from += GRAIN) {
        size_t to = from + GRAIN < k ? from + GRAIN : k;
        if (rows ? is_zero(a, k, from, to, j, end - j) : is_zero(a, k, j, end, from, to - from))
            continue;
        if (count > 0 && (found[count - 1].to == from || count == SEGMENTS))
            found[count - 1].to = to;
        else
            found[count++] = (segment){from, to};
    }
    return count;
}

static void update_behind(double *a, size_t k, size_t j, size_t end) {
    segment rows[SEGMENTS], columns[SEGMENTS];
    size_t row_count = find_segments(a, k, j, end, true, rows),
           column_count = find_segments(a, k, j, end, false, columns);
    int lead = (int)k, width = (int)(end - j);
    for (size_t c = 0; c < column_count; c++) {
        double *top = a + columns[c].from * k + j;
        int across = (int)(columns[c].to - columns[c].from);
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, width, across, 1.0, a + j * k + j,
                    lead, top, lead);
        for (size_t r = 0; r < row_count; r++)
            cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, (int)(rows[r].to - rows[r].from), across, width,
                        -1.0, a + j * k + rows[r].from, lead, top, lead, 1.0, a + columns[c].from * k + rows[r].from,
                        lead);
    }
}

static bool factor_blocks(double *a, size_t k, int *order) {
    for (size_t j = 0; j < k; j += BLOCK) {
        size_t end = j + BLOCK < k ? j + BLOCK : k;
        if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)(k - j), (int)(end - j), a + j * k + j, (int)k, order + j) != 0)
            return false;
        for (size_t i = j; i < end; i++)
            order[i] += (int)j;
        LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, (int)j, a, (int)k, (int)j + 1, (int)end, order, 1);
        LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, (int)(k - end), a + end * k, (int)k, (int)j + 1, (int)end, order, 1);
        update_behind(a, k, j, end);
    }
    return true;
}

static bool is_mostly_zero(const double *a, size_t count) {
    size_t zeros = 0;
    for (size_t i = 0; i < count; i++)
        zeros += a[i] == 0.0;
    return 2 * zeros > count;
}

static bool factor_large(double *a, size_t k, int *order) {
    return is_mostly_zero(a, k * k) ? factor_blocks(a, k, order)
                                    : LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)k, (int)k, a, (int)k, order) == 0;
}

/* LAPACK sees the transpose of a row-major array, hence 'T' in its solves. */
bool am_lu_factor(double *a, size_t k, int *order) {
    double size = am_dense_largest(a, k * k);
    bool done = k < LAPACK_SIZE ? factor_here(a, k, order) : factor_large(a, k, order);
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
