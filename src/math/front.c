#include "math/front.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"

/* As in lu.c: what is left must not outgrow what was there by more than so much, and a pivot below this fraction of the
 * largest entry is zero but for rounding. */
static const double most_growth = 100.0, singular = 1e-14;

/* A row with more entries is full: BLAS is some ten times as quick with what stands close together. */
static size_t few(size_t k) {
    return k / 16;
}

size_t am_front_most_entries(size_t k, size_t below) {
    return few(k) * below;
}

void am_front_take_row(am_front *f, size_t row, const double *values) {
    size_t count = 0;
    for (size_t l = 0; l < f->k; l++)
        count += values[l] != 0.0;
    am_front_entry *to = f->entry + f->first[row];
    f->first[row + 1] = f->first[row] + (count > few(f->k) ? 0 : count);
    f->largest = fmax(f->largest, am_dense_largest(values, f->k));
    if (count > few(f->k)) {
        memcpy(f->C + f->full * f->k, values, f->k * sizeof *values);
        f->full_row[f->full++] = row;
        return;
    }
    for (size_t l = 0; l < f->k; l++)
        if (values[l] != 0.0)
            *to++ = (am_front_entry){l, values[l]};
}

/* Seen by columns the array is [D B]^T, and D^T = P L U: what stands below becomes B^T U^-1 L^-1 P^T = (D^-1 B)^T. */
static bool solve_for_columns(const am_front *f) {
    int k = (int)f->k, lead = (int)f->columns, beside = (int)(f->columns - f->k);
    double *down = f->a + k;
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k, k, f->a, lead, f->order) != 0)
        return false;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, beside, k, 1.0, f->a, lead, down,
                lead);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasUnit, beside, k, 1.0, f->a, lead, down, lead);
    for (size_t i = f->k; i-- > 0;)
        if (f->order[i] - 1 != (int)i)
            cblas_dswap(beside, down + i * f->columns, 1, down + (size_t)(f->order[i] - 1) * f->columns, 1);
    return true;
}

bool am_front_eliminate(am_front *f) {
    size_t beside = f->columns - f->k;
    double size = fmax(f->largest, am_dense_largest(f->a, f->k * f->columns));
    f->largest = size;
    if (f->k == 0)
        return true;
    if (!solve_for_columns(f))
        return false;
    for (size_t i = 0; i < f->k; i++)
        if (!(fabs(f->a[i * (f->columns + 1)]) > singular * size))
            return false;
    if (f->full > 0 && beside > 0)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)f->full, (int)beside, (int)f->k, -1.0, f->C,
                    (int)f->k, f->a + f->k, (int)f->columns, 0.0, f->share, (int)beside);
    return true;
}

static bool add_row(const am_front *f, const double *share, const size_t *column, double *to) {
    size_t beside = f->columns - f->k;
    for (size_t j = 0; j < beside; j++)
        to[column[j]] += share[j];
    return am_dense_largest(share, beside) <= most_growth * f->largest;
}

bool am_front_add_share(const am_front *f, const size_t *row, const size_t *column, double *a, size_t stride,
                        double *work) {
    size_t beside = f->columns - f->k;
    bool fine = true;
    for (size_t i = 0; i < f->full && f->k > 0; i++)
        fine = add_row(f, f->share + i * beside, column, a + row[f->full_row[i]] * stride) && fine;
    for (size_t i = 0; i < f->below; i++) {
        if (f->first[i] == f->first[i + 1])
            continue;
        memset(work, 0, beside * sizeof *work);
        for (size_t e = f->first[i]; e < f->first[i + 1]; e++) {
            const double *x = f->a + f->entry[e].at * f->columns + f->k, value = f->entry[e].value;
            for (size_t j = 0; j < beside; j++)
                work[j] -= value * x[j];
        }
        fine = add_row(f, work, column, a + row[i] * stride) && fine;
    }
    return fine;
}

void am_front_forward(const am_front *f, double *x, const size_t *row, double *rest) {
    if (f->k == 0)
        return;
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', (int)f->k, 1, f->a, (int)f->columns, f->order, x, (int)f->k);
    for (size_t i = 0; i < f->full; i++)
        rest[row[f->full_row[i]]] -= am_dense_dot(f->C + i * f->k, x, f->k);
    for (size_t i = 0; i < f->below; i++)
        for (size_t e = f->first[i]; e < f->first[i + 1]; e++)
            rest[row[i]] -= f->entry[e].value * x[f->entry[e].at];
}

void am_front_backward(const am_front *f, double *x, const double *met) {
    for (size_t i = 0; i < f->k; i++)
        x[i] -= am_dense_dot(f->a + i * f->columns + f->k, met, f->columns - f->k);
}

int am_front_sign(const am_front *f) {
    int sign = 1;
    for (size_t i = 0; i < f->k; i++) {
        sign = f->order[i] - 1 != (int)i ? -sign : sign; /* LAPACK counts from one */
        sign = f->a[i * (f->columns + 1)] < 0.0 ? -sign : sign;
    }
    return sign;
}
