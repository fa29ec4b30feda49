#include "math/lu.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

#include "base/spread.h"
#include "math/dense.h"
#include "math/kernel.h"

/* The order up to which nothing is blocked, the columns factored together beyond it, and the order from which LAPACK
 * takes over; that from which threads share what follows a panel of LAPACK's, and how wide that is. */
enum { SMALL = 40, PANEL = 8, LAPACK_SIZE = 400, SHARED_SIZE = 1000, WIDE = 128 };

/* Pivots sought in a part of the rows may be small against the rest: what is left must not outgrow what was there by
 * more than so much, or as many digits of it are lost. */
static const double most_growth = 100.0;

/* A pivot below this fraction of the largest entry of its matrix is zero but for rounding. */
static const double singular = 1e-14;

static void swap_rows(double *restrict x, double *restrict y, size_t n) {
    for (size_t j = 0; j < n; j++) {
        double swap = x[j];
        x[j] = y[j];
        y[j] = swap;
    }
}

/* Columns from..to of an array with rows `stride` apart, all rows from `from` down, laid out column by column while they
 * are worked on: the loops are as long as the columns then, not as short as the rows of a panel. Pivots are sought among
 * the first `candidates` rows. */
static bool factor_panel(const am_lu_front *f, size_t from, size_t to) {
    double column[PANEL][LAPACK_SIZE], top[PANEL], *a = f->a;
    size_t rows = f->rows - from, candidates = f->k - from, width = to - from, stride = f->columns;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < width; j++)
            column[j][i] = a[(from + i) * stride + from + j];
    for (size_t p = 0; p < width; p++) {
        double *own = column[p];
        size_t best = p;
        for (size_t i = p + 1; i < candidates; i++)
            if (fabs(own[i]) > fabs(own[best]))
                best = i;
        f->order[from + p] = (int)(from + best);
        if (own[best] == 0.0)
            return false;
        if (best != p)
            swap_rows(a + (from + p) * stride, a + (from + best) * stride, stride);
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
            a[(from + i) * stride + from + j] = column[j][i];
    return true;
}

static bool eliminate_here(const am_lu_front *f) {
    double *a = f->a;
    size_t stride = f->columns;
    for (size_t from = 0; from < f->k; from += PANEL) {
        size_t to = from + PANEL < f->k ? from + PANEL : f->k, right = f->columns - to;
        if (!factor_panel(f, from, to))
            return false;
        for (size_t p = from + 1; p < to && right > 0; p++)
            am_kernel_subtract(1, right, p - from, a + p * stride + from, stride, a + from * stride + to, stride,
                               a + p * stride + to, stride);
        if (to < f->rows && right > 0)
            am_kernel_subtract(f->rows - to, right, to - from, a + to * stride + from, stride, a + from * stride + to,
                               stride, a + to * stride + to, stride);
    }
    return true;
}

static bool factor_here(double *a, size_t k, int *order) {
    return k <= SMALL ? am_kernel_factor(k, a, order) : eliminate_here(&(am_lu_front){a, k, k, k, order});
}

static bool factor_by_lapack(double *a, size_t k, int *order) {
    return LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)k, (int)k, a, (int)k, order) == 0;
}

/* ---- large arrays: blocks of columns (of the transpose, which LAPACK sees) are independent ---- */

typedef struct stage {
    double *a;
    size_t k, from, to; /* columns of the present panel */
    const int *order;
} stage;

static void *open_worker(void *context, int thread, am_error *err) {
    (void)thread, (void)err;
    return context;
}

/* What the panel does to a block of columns: to its right all of it, to its left the interchange of rows. */
static am_status update_block(void *context, void *worker, size_t index, am_error *err) {
    const stage *s = context;
    size_t first = index * WIDE, end = first + WIDE < s->k ? first + WIDE : s->k;
    int k = (int)s->k, width = (int)(end - first), from = (int)s->from, to = (int)s->to;
    double *block = s->a + first * s->k;
    (void)worker, (void)err;
    if (first == s->from)
        return AM_OK;
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, width, block, k, from + 1, to, s->order, 1);
    if (first < s->from)
        return AM_OK;
    const double *panel = s->a + s->from * s->k;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, to - from, width, 1.0, panel + from, k,
                block + from, k);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k - to, width, to - from, -1.0, panel + to, k, block + from,
                k, 1.0, block + to, k);
    return AM_OK;
}

/* Blocks are the same whatever the number of threads, and so are all sums. */
static bool factor_shared(double *a, size_t k, int *order) {
    am_error refusal = {0};
    for (size_t from = 0; from < k; from += WIDE) {
        size_t to = from + WIDE < k ? from + WIDE : k, left = k - from;
        if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, (int)left, (int)(to - from), a + from * k + from, (int)k,
                                order + from) != 0)
            return false;
        for (size_t i = from; i < to; i++)
            order[i] += (int)from;
        stage s = {a, k, from, to, order};
        const am_spread all = {.count = (k + WIDE - 1) / WIDE,
                               .chunk = 1,
                               .threads = am_spread_threads((double)left * (double)left * WIDE),
                               .context = &s,
                               .open = open_worker,
                               .item = update_block};
        if (am_spread_run(&all, &refusal))
            return false;
    }
    return true;
}

static bool factor_any(double *a, size_t k, int *order) {
    return k < LAPACK_SIZE   ? factor_here(a, k, order)
           : k < SHARED_SIZE ? factor_by_lapack(a, k, order)
                             : factor_shared(a, k, order);
}

/* LAPACK sees the transpose of a row-major array, hence 'T' in its solves. */
bool am_lu_factor(double *a, size_t k, int *order) {
    double size = am_dense_largest(a, k * k);
    bool done = factor_any(a, k, order);
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

/* ---- some unknowns of many ---- */

/* Seen by columns the array is F = A^T. With P D' = L U, D' its first k rows and columns, what stands below becomes
 * B' U^-1, what stands beside L^-1 P C', and S' - (B' U^-1)(L^-1 P C') is left. */
static bool eliminate_large(const am_lu_front *f) {
    int k = (int)f->k, lead = (int)f->columns, below = (int)(f->columns - f->k), beside = (int)(f->rows - f->k);
    double *down = f->a + k, *across = f->a + f->k * f->columns;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k, k, f->a, lead, f->order) != 0)
        return false;
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, beside, across, lead, 1, k, f->order, 1);
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, k, beside, 1.0, f->a, lead, across,
                lead);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, below, k, 1.0, f->a, lead, down,
                lead);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, below, beside, k, -1.0, down, lead, across, lead, 1.0,
                across + k, lead);
    return true;
}

static bool is_large(const am_lu_front *f) {
    return f->rows >= LAPACK_SIZE || f->columns >= LAPACK_SIZE;
}

bool am_lu_eliminate(const am_lu_front *f) {
    double size = 0.0, left = 0.0;
    for (size_t i = 0; i < f->rows; i++)
        size = fmax(size, am_dense_largest(f->a + i * f->columns, i < f->k ? f->columns : f->k));
    if (!(is_large(f) ? eliminate_large(f) : eliminate_here(f)))
        return false;
    for (size_t i = f->k; i < f->rows; i++)
        left = fmax(left, am_dense_largest(f->a + i * f->columns + f->k, f->columns - f->k));
    for (size_t i = 0; i < f->k; i++)
        if (!(fabs(f->a[i * (f->columns + 1)]) > singular * size))
            return false;
    return left <= most_growth * size;
}

void am_lu_forward(const am_lu_front *f, double *x, double *rest) {
    size_t k = f->k, stride = f->columns;
    if (is_large(f)) {
        cblas_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, (int)k, f->a, (int)stride, x, 1);
    } else {
        for (size_t p = 0; p < k; p++) {
            double swap = x[p];
            x[p] = x[f->order[p]];
            x[f->order[p]] = swap;
        }
        for (size_t p = 1; p < k; p++)
            x[p] -= am_dense_dot(f->a + p * stride, x, p);
    }
    for (size_t i = k; i < f->rows; i++)
        rest[i - k] -= am_dense_dot(f->a + i * stride, x, k);
}

void am_lu_backward(const am_lu_front *f, double *x, const double *rest) {
    size_t k = f->k, stride = f->columns;
    for (size_t i = 0; i < k; i++)
        x[i] -= am_dense_dot(f->a + i * stride + k, rest, stride - k);
    if (!is_large(f)) {
        for (size_t i = k; i-- > 0;)
            x[i] = (x[i] - am_dense_dot(f->a + i * stride + i + 1, x + i + 1, k - i - 1)) / f->a[i * stride + i];
        return;
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasUnit, (int)k, f->a, (int)stride, x, 1);
    LAPACKE_dlaswp_work(LAPACK_COL_MAJOR, 1, x, (int)k, 1, (int)k, f->order, -1);
}

int am_lu_front_sign(const am_lu_front *f) {
    int sign = 1, first = is_large(f) ? 1 : 0; /* LAPACK counts from one */
    for (size_t i = 0; i < f->k; i++) {
        sign = f->order[i] - first != (int)i ? -sign : sign;
        sign = f->a[i * (f->columns + 1)] < 0.0 ? -sign : sign;
    }
    return sign;
}
