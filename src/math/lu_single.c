#include "math/lu_single.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>

#include "base/spread.h"
#include "math/dense.h"

/* Columns of a panel, and the order from which threads share what follows one. */
enum { WIDE = 128, SHARED_SIZE = 1000 };

/* A pivot below this fraction of the largest entry is zero but for rounding, and so is an entry as small as the other
 * (which would be slow, too: there are fewer digits down there). */
static const double singular = 1e-6, least = 1e-30;

typedef struct stage {
    float *a;
    size_t k, from, to; /* columns of the present panel, of the transpose that LAPACK sees */
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
    float *block = s->a + first * s->k;
    (void)worker, (void)err;
    if (first == s->from)
        return AM_OK;
    LAPACKE_slaswp_work(LAPACK_COL_MAJOR, width, block, k, from + 1, to, s->order, 1);
    if (first < s->from)
        return AM_OK;
    const float *panel = s->a + s->from * s->k;
    cblas_strsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, to - from, width, 1.0f, panel + from, k,
                block + from, k);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, k - to, width, to - from, -1.0f, panel + to, k, block + from,
                k, 1.0f, block + to, k);
    return AM_OK;
}

/* Blocks are the same whatever the number of threads, and so are all sums. */
static bool factor_shared(float *a, size_t k, int *order) {
    am_error refusal = {0};
    for (size_t from = 0; from < k; from += WIDE) {
        size_t to = from + WIDE < k ? from + WIDE : k, left = k - from;
        if (LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, (int)left, (int)(to - from), a + from * k + from, (int)k,
                                order + from) != 0)
            return false;
        for (size_t i = from; i < to; i++)
            order[i] += (int)from;
        stage s = {a, k, from, to, order};
        const am_spread all = {.count = (k + WIDE - 1) / WIDE,
                               .chunk = 1,
                               .threads = am_spread_threads(0.5 * (double)left * (double)left * WIDE),
                               .context = &s,
                               .open = open_worker,
                               .item = update_block};
        if (am_spread_run(&all, &refusal))
            return false;
    }
    return true;
}

bool am_lu_factor_single(const double *a, size_t k, float *factors, int *order) {
    double largest = am_dense_largest(a, k * k);
    for (size_t i = 0; i < k * k; i++)
        factors[i] = fabs(a[i]) > least * largest ? (float)a[i] : 0.0f;
    bool done = largest < 1e30 && largest > 1e-7 &&
                (k < SHARED_SIZE ? LAPACKE_sgetrf_work(LAPACK_COL_MAJOR, (int)k, (int)k, factors, (int)k, order) == 0
                                 : factor_shared(factors, k, order));
    for (size_t i = 0; done && i < k; i++)
        done = fabs((double)factors[i * k + i]) > singular * largest; /* false for NaN */
    return done;
}

/* Right sides of any size become numbers of the size of one. */
void am_lu_solve_single(const float *factors, size_t k, const int *order, double *x, float *work) {
    double size = am_dense_largest(x, k);
    if (!(size > 0.0))
        return;
    for (size_t i = 0; i < k; i++)
        work[i] = (float)(x[i] / size);
    LAPACKE_sgetrs_work(LAPACK_COL_MAJOR, 'T', (int)k, 1, factors, (int)k, order, work, (int)k);
    for (size_t i = 0; i < k; i++)
        x[i] = size * (double)work[i];
}

int am_lu_sign_single(const float *factors, size_t k, const int *order) {
    int sign = 1;
    for (size_t i = 0; i < k; i++) {
        sign = order[i] - 1 != (int)i ? -sign : sign; /* LAPACK counts from one */
        sign = factors[i * k + i] < 0.0f ? -sign : sign;
    }
    return sign;
}
