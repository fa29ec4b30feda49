#include "math/kernel.h"

#include <math.h>

#include "math/wide.h"

/* Partial sums side by side: they fill a vector register, and fix the order of summation. */
enum { LANES = 8 };

#define ALWAYS static inline __attribute__((always_inline))

AM_WIDE void am_kernel_rank_one(size_t rows, size_t columns, const double *restrict x, const double *restrict y,
                                double *restrict a, size_t stride) {
    for (size_t i = 0; i < rows; i++) {
        double f = x[i], *restrict row = a + i * stride;
        if (f == 0.0)
            continue;
        for (size_t j = 0; j < columns; j++)
            row[j] += f * y[j];
    }
}

/* Four of the depth at a time: a is read and written less often. */
AM_WIDE void am_kernel_subtract(size_t rows, size_t columns, size_t depth, const double *restrict x, size_t x_stride,
                                const double *restrict y, size_t y_stride, double *restrict a, size_t a_stride) {
    for (size_t i = 0; i < rows; i++) {
        double *restrict row = a + i * a_stride;
        const double *restrict f = x + i * x_stride;
        size_t s = 0;
        for (; s + 4 <= depth; s += 4) {
            const double *restrict y0 = y + s * y_stride, *restrict y1 = y0 + y_stride, *restrict y2 = y1 + y_stride,
                                   *restrict y3 = y2 + y_stride;
            double f0 = f[s], f1 = f[s + 1], f2 = f[s + 2], f3 = f[s + 3];
            for (size_t j = 0; j < columns; j++)
                row[j] -= (f0 * y0[j] + f1 * y1[j]) + (f2 * y2[j] + f3 * y3[j]);
        }
        for (; s < depth; s++)
            for (size_t j = 0; j < columns; j++)
                row[j] -= f[s] * y[s * y_stride + j];
    }
}

ALWAYS double add_lanes(const double *sum) {
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

AM_WIDE void am_kernel_apply(size_t rows, size_t columns, const double *restrict a, size_t stride,
                             const double *restrict x, double *restrict y) {
    size_t whole = columns - columns % LANES;
    for (size_t i = 0; i < rows; i++) {
        const double *restrict row = a + i * stride;
        double sum[LANES] = {0};
        for (size_t j = 0; j < whole; j += LANES)
            for (size_t l = 0; l < LANES; l++)
                sum[l] += row[j + l] * x[j + l];
        for (size_t j = whole; j < columns; j++)
            sum[j - whole] += row[j] * x[j];
        y[i] += add_lanes(sum);
    }
}

/* Row i, or row[i] where rows are chosen. Four at a time: y is read and written less often. */
ALWAYS void add_rows(size_t count, const size_t *restrict row, const double *restrict x, size_t columns,
                     const double *restrict a, size_t stride, double *restrict y) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const double *restrict r0 = a + (row ? row[i] : i) * stride,
                               *restrict r1 = a + (row ? row[i + 1] : i + 1) * stride,
                               *restrict r2 = a + (row ? row[i + 2] : i + 2) * stride,
                               *restrict r3 = a + (row ? row[i + 3] : i + 3) * stride;
        double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        for (size_t j = 0; j < columns; j++)
            y[j] += (x0 * r0[j] + x1 * r1[j]) + (x2 * r2[j] + x3 * r3[j]);
    }
    for (; i < count; i++)
        for (size_t j = 0; j < columns; j++)
            y[j] += x[i] * a[(row ? row[i] : i) * stride + j];
}

AM_WIDE void am_kernel_apply_transposed(size_t rows, size_t columns, const double *a, size_t stride, const double *x,
                                        double *y) {
    add_rows(rows, NULL, x, columns, a, stride, y);
}

AM_WIDE void am_kernel_add_rows(size_t count, const size_t *row, const double *x, size_t columns, const double *a,
                                size_t stride, double *y) {
    add_rows(count, row, x, columns, a, stride, y);
}

AM_WIDE void am_kernel_apply_measured(size_t rows, size_t columns, const double *restrict a, size_t stride,
                                      const double *restrict x, double *restrict y, double *restrict size) {
    size_t whole = columns - columns % LANES;
    for (size_t i = 0; i < rows; i++) {
        const double *restrict row = a + i * stride;
        double sum[LANES] = {0}, all[LANES] = {0};
        for (size_t j = 0; j < whole; j += LANES)
            for (size_t l = 0; l < LANES; l++) {
                double term = row[j + l] * x[j + l];
                sum[l] += term;
                all[l] += fabs(term);
            }
        for (size_t j = whole; j < columns; j++) {
            double term = row[j] * x[j];
            sum[j - whole] += term;
            all[j - whole] += fabs(term);
        }
        y[i] += add_lanes(sum);
        size[i] += add_lanes(all);
    }
}

/* Four at a time, in one register or two; what is left over comes one by one. */
enum { QUAD = 4 };
typedef double quad __attribute__((vector_size(QUAD * sizeof(double)), aligned(sizeof(double)), may_alias));

ALWAYS void subtract_multiple(size_t n, double f, const double *restrict x, double *restrict y) {
    size_t i = 0;
    for (; i + QUAD <= n; i += QUAD)
        *(quad *)(void *)(y + i) -= f * *(const quad *)(const void *)(x + i);
    for (; i < n; i++)
        y[i] -= f * x[i];
}

ALWAYS void exchange(size_t n, double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++) {
        double swap = x[i];
        x[i] = y[i];
        y[i] = swap;
    }
}

AM_WIDE bool am_kernel_factor(size_t k, double *a, int *order) {
    for (size_t p = 0; p < k; p++) {
        size_t best = p;
        double most = fabs(a[p * k + p]);
        for (size_t i = p + 1; i < k; i++)
            if (fabs(a[i * k + p]) > most) {
                most = fabs(a[i * k + p]);
                best = i;
            }
        order[p] = (int)best;
        if (most == 0.0)
            return false;
        if (best != p)
            exchange(k, a + p * k, a + best * k);
        const double *top = a + p * k + p;
        double inverse = 1.0 / top[0];
        for (size_t i = p + 1; i < k; i++) {
            double *row = a + i * k + p;
            row[0] *= inverse;
            if (row[0] != 0.0)
                subtract_multiple(k - p - 1, row[0], top + 1, row + 1);
        }
    }
    return true;
}

/* The products of four rows (k apart) with x, which has `quads` times four entries: whole quads are read as they were
 * written, for a processor waits where a vector is put together from numbers just stored. */
ALWAYS void dot_rows(size_t k, size_t quads, const double *a, const double *x, double *sums) {
    quad sum[QUAD] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (size_t q = 0; q < quads; q++) {
        quad v = *(const quad *)(const void *)(x + q * QUAD);
        for (size_t r = 0; r < QUAD; r++)
            sum[r] += *(const quad *)(const void *)(a + r * k + q * QUAD) * v;
    }
    for (size_t r = 0; r < QUAD; r++)
        sums[r] = (sum[r][0] + sum[r][2]) + (sum[r][1] + sum[r][3]);
}

ALWAYS void solve_lower(size_t k, const double *a, double *x) {
    size_t whole = k - k % QUAD;
    for (size_t b = 0; b < whole; b += QUAD) {
        const double *row = a + b * k, *own = row + b;
        double sum[QUAD];
        dot_rows(k, b / QUAD, row, x, sum);
        double x0 = x[b] - sum[0], x1 = x[b + 1] - sum[1] - own[k] * x0;
        double x2 = x[b + 2] - sum[2] - own[2 * k] * x0 - own[2 * k + 1] * x1;
        double x3 = x[b + 3] - sum[3] - own[3 * k] * x0 - own[3 * k + 1] * x1 - own[3 * k + 2] * x2;
        *(quad *)(void *)(x + b) = (quad){x0, x1, x2, x3};
    }
    for (size_t i = whole; i < k; i++)
        for (size_t j = 0; j < i; j++)
            x[i] -= a[i * k + j] * x[j];
}

ALWAYS void solve_upper(size_t k, const double *a, double *x) {
    size_t whole = k - k % QUAD;
    for (size_t i = k; i-- > whole;) {
        for (size_t j = i + 1; j < k; j++)
            x[i] -= a[i * k + j] * x[j];
        x[i] /= a[i * k + i];
    }
    for (size_t b = whole; b > 0;) {
        b -= QUAD;
        const double *row = a + b * k, *own = row + b;
        double sum[QUAD];
        dot_rows(k, (whole - b) / QUAD - 1, own + QUAD, x + b + QUAD, sum);
        for (size_t r = 0; r < QUAD; r++)
            for (size_t j = whole; j < k; j++)
                sum[r] += row[r * k + j] * x[j];
        double x3 = (x[b + 3] - sum[3]) / own[3 * k + 3];
        double x2 = (x[b + 2] - sum[2] - own[2 * k + 3] * x3) / own[2 * k + 2];
        double x1 = (x[b + 1] - sum[1] - own[k + 3] * x3 - own[k + 2] * x2) / own[k + 1];
        double x0 = (x[b] - sum[0] - own[3] * x3 - own[2] * x2 - own[1] * x1) / own[0];
        *(quad *)(void *)(x + b) = (quad){x0, x1, x2, x3};
    }
}

AM_WIDE void am_kernel_solve(size_t k, const double *a, const int *order, double *x) {
    for (size_t p = 0; p < k; p++) {
        double swap = x[p];
        x[p] = x[order[p]];
        x[order[p]] = swap;
    }
    solve_lower(k, a, x);
    solve_upper(k, a, x);
}
