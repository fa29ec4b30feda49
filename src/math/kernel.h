/* Loops over medium-sized arrays, in the widest vectors of the machine, on one thread: for sizes at which the threads
 * of a BLAS cost more than they bring. Sums are always taken in the same order, so that results do not depend on the
 * machine. Row-major arrays with rows `stride` apart. */
#ifndef AMONTONS_MATH_KERNEL_H
#define AMONTONS_MATH_KERNEL_H
#include <stdbool.h>
#include <stddef.h>

/* a += x y^T, rows with x = 0 untouched */
void am_kernel_rank_one(size_t rows, size_t columns, const double *x, const double *y, double *a, size_t stride);

/* a -= x y, with x rows x depth and y depth x columns */
void am_kernel_subtract(size_t rows, size_t columns, size_t depth, const double *x, size_t x_stride, const double *y,
                        size_t y_stride, double *a, size_t a_stride);

/* y += A x */
void am_kernel_apply(size_t rows, size_t columns, const double *a, size_t stride, const double *x, double *y);

/* y += A^T x */
void am_kernel_apply_transposed(size_t rows, size_t columns, const double *a, size_t stride, const double *x,
                                double *y);

/* y (columns) += the sum over `count` rows of A, row[i] times x[i] */
void am_kernel_add_rows(size_t count, const size_t *row, const double *x, size_t columns, const double *a,
                        size_t stride, double *y);

/* y += A x; size (rows) += |A| |x| */
void am_kernel_apply_measured(size_t rows, size_t columns, const double *a, size_t stride, const double *x, double *y,
                              double *size);

/* Small square systems (order k, rows k apart), where loops cost more than their sums: factors with row exchanges (row
 * p with row order[p], for p = 0, 1, ...), L with ones on its diagonal below U; false where a pivot is zero. And with
 * these factors x becomes the solution. */
bool am_kernel_factor(size_t k, double *a, int *order);
void am_kernel_solve(size_t k, const double *a, const int *order, double *x);

#endif
