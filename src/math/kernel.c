#include "math/kernel.h"

#include <math.h>

/* Partial sums side by side: they fill a vector register, and fix the order of summation. */
enum { LANES = 8 };

#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void rank_one(size_t rows, size_t columns, const double *restrict x, const double *restrict y,
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
ALWAYS void subtract(size_t rows, size_t columns, size_t depth, const double *restrict x, size_t x_stride,
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

ALWAYS void apply(size_t rows, size_t columns, const double *restrict a, size_t stride, const double *restrict x,
                  double *restrict y) {
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

/* Four rows at a time: y is read and written less often. */
ALWAYS void apply_transposed(size_t rows, size_t columns, const double *restrict a, size_t stride,
                             const double *restrict x, double *restrict y) {
    size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const double *restrict r0 = a + i * stride, *restrict r1 = r0 + stride, *restrict r2 = r1 + stride,
                               *restrict r3 = r2 + stride;
        double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        for (size_t j = 0; j < columns; j++)
            y[j] += (x0 * r0[j] + x1 * r1[j]) + (x2 * r2[j] + x3 * r3[j]);
    }
    for (; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            y[j] += x[i] * a[i * stride + j];
}

ALWAYS void add_rows(size_t count, const size_t *restrict row, const double *restrict x, size_t columns,
                     const double *restrict a, size_t stride, double *restrict y) {
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const double *restrict r0 = a + row[i] * stride, *restrict r1 = a + row[i + 1] * stride,
                               *restrict r2 = a + row[i + 2] * stride, *restrict r3 = a + row[i + 3] * stride;
        double x0 = x[i], x1 = x[i + 1], x2 = x[i + 2], x3 = x[i + 3];
        for (size_t j = 0; j < columns; j++)
            y[j] += (x0 * r0[j] + x1 * r1[j]) + (x2 * r2[j] + x3 * r3[j]);
    }
    for (; i < count; i++)
        for (size_t j = 0; j < columns; j++)
            y[j] += x[i] * a[row[i] * stride + j];
}

ALWAYS void apply_measured(size_t rows, size_t columns, const double *restrict a, size_t stride,
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

/* Each loop once for the vectors every machine has, and once for wider ones. */
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE(name, parameters, arguments)                                                                              \
    __attribute__((target("avx2"))) static void name##_wide parameters {                                               \
        name arguments;                                                                                                \
    }
#define CHOOSE(name, arguments)                                                                                        \
    if (__builtin_cpu_supports("avx2"))                                                                                \
        name##_wide arguments;                                                                                         \
    else                                                                                                               \
        name arguments
#else
#define WIDE(name, parameters, arguments)
#define CHOOSE(name, arguments) name arguments
#endif

WIDE(rank_one, (size_t rows, size_t columns, const double *x, const double *y, double *a, size_t stride),
     (rows, columns, x, y, a, stride))
WIDE(subtract,
     (size_t rows, size_t columns, size_t depth, const double *x, size_t x_stride, const double *y, size_t y_stride,
      double *a, size_t a_stride),
     (rows, columns, depth, x, x_stride, y, y_stride, a, a_stride))
WIDE(apply, (size_t rows, size_t columns, const double *a, size_t stride, const double *x, double *y),
     (rows, columns, a, stride, x, y))
WIDE(apply_transposed, (size_t rows, size_t columns, const double *a, size_t stride, const double *x, double *y),
     (rows, columns, a, stride, x, y))
WIDE(add_rows,
     (size_t count, const size_t *row, const double *x, size_t columns, const double *a, size_t stride, double *y),
     (count, row, x, columns, a, stride, y))
WIDE(apply_measured,
     (size_t rows, size_t columns, const double *a, size_t stride, const double *x, double *y, double *size),
     (rows, columns, a, stride, x, y, size))

void am_kernel_rank_one(size_t rows, size_t columns, const double *x, const double *y, double *a, size_t stride) {
    CHOOSE(rank_one, (rows, columns, x, y, a, stride));
}

void am_kernel_subtract(size_t rows, size_t columns, size_t depth, const double *x, size_t x_stride, const double *y,
                        size_t y_stride, double *a, size_t a_stride) {
    CHOOSE(subtract, (rows, columns, depth, x, x_stride, y, y_stride, a, a_stride));
}

void am_kernel_apply(size_t rows, size_t columns, const double *a, size_t stride, const double *x, double *y) {
    CHOOSE(apply, (rows, columns, a, stride, x, y));
}

void am_kernel_apply_transposed(size_t rows, size_t columns, const double *a, size_t stride, const double *x,
                                double *y) {
    CHOOSE(apply_transposed, (rows, columns, a, stride, x, y));
}

void am_kernel_add_rows(size_t count, const size_t *row, const double *x, size_t columns, const double *a,
                        size_t stride, double *y) {
    CHOOSE(add_rows, (count, row, x, columns, a, stride, y));
}

void am_kernel_apply_measured(size_t rows, size_t columns, const double *a, size_t stride, const double *x, double *y,
                              double *size) {
    CHOOSE(apply_measured, (rows, columns, a, stride, x, y, size));
}
