/* Dense matrices are row-major arrays, sparse ones compressed rows. Both are constant once made. */
#include "amontons/matrix.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/object.h"
#include "math/entries.h"

struct am_matrix {
    uint64_t tag; /* AM_TAG_MATRIX */
    size_t rows, columns;
    double *values;    /* dense: rows*columns; sparse: one per stored entry */
    size_t *row_start; /* sparse: rows + 1; NULL when dense */
    size_t *column;    /* sparse: column of each stored entry, ascending within a row */
};

/* With so many values behind it, in the same piece of memory. */
static am_matrix *new_matrix(size_t rows, size_t columns, size_t count, am_error *err) {
    size_t head = (sizeof(am_matrix) + sizeof(double) - 1) / sizeof(double);
    double *memory = am_memory_new(head + count, sizeof *memory, err);
    am_matrix *a = (am_matrix *)(void *)memory;
    if (a)
        *a = (am_matrix){.tag = AM_TAG_MATRIX, .rows = rows, .columns = columns, .values = memory + head};
    return a;
}

static am_matrix *new_sparse(size_t rows, size_t columns, size_t count, am_error *err) {
    am_matrix *a = new_matrix(rows, columns, count, err);
    if (!a)
        return NULL;
    a->row_start = am_memory_new(rows + 2, sizeof *a->row_start, err);
    a->column = am_memory_new(count, sizeof *a->column, err);
    if (a->row_start && a->column)
        return a;
    am_matrix_free(a);
    return NULL;
}

am_matrix *am_matrix_dense(size_t rows, size_t columns, const double *values, am_error *err) {
    if (columns > 0 && rows > SIZE_MAX / columns) {
        am_fail(err, AM_ERR_INPUT, "a matrix of %zu x %zu entries is too large", rows, columns);
        return NULL;
    }
    if (!values && rows * columns > 0)
        return am_misused_for_nothing(err, __func__);
    for (size_t i = 0; i < rows * columns; i++) {
        if (!isfinite(values[i])) {
            am_fail(err, AM_ERR_INPUT, "entry (%zu, %zu) of a matrix is not a finite number", i / columns + 1,
                    i % columns + 1);
            return NULL;
        }
    }
    am_matrix *a = new_matrix(rows, columns, rows * columns, err);
    if (a && rows * columns > 0)
        memcpy(a->values, values, rows * columns * sizeof *values);
    return a;
}

/* Sort the entries of each row by column (rows are short: insertion) and add up repeated ones. */
static void sort_and_merge_rows(am_matrix *a) {
    size_t kept = 0;
    for (size_t i = 0; i < a->rows; i++) {
        size_t begin = a->row_start[i], end = a->row_start[i + 1], first = kept;
        for (size_t e = begin + 1; e < end; e++) {
            size_t column = a->column[e];
            double value = a->values[e];
            size_t at = e;
            for (; at > begin && a->column[at - 1] > column; at--) {
                a->column[at] = a->column[at - 1];
                a->values[at] = a->values[at - 1];
            }
            a->column[at] = column;
            a->values[at] = value;
        }
        a->row_start[i] = first;
        for (size_t e = begin; e < end; e++) {
            if (kept > first && a->column[kept - 1] == a->column[e]) {
                a->values[kept - 1] += a->values[e];
            } else {
                a->column[kept] = a->column[e];
                a->values[kept++] = a->values[e];
            }
        }
    }
    a->row_start[a->rows] = kept;
}

am_matrix *am_matrix_sparse(size_t rows, size_t columns, size_t count, const size_t *row, const size_t *column,
                            const double *value, am_error *err) {
    if (count > 0 && (!row || !column || !value))
        return am_misused_for_nothing(err, __func__);
    if (rows >= SIZE_MAX / sizeof(size_t)) {
        am_fail(err, AM_ERR_INPUT, "a matrix of %zu rows is too large", rows);
        return NULL;
    }
    for (size_t e = 0; e < count; e++) {
        if (row[e] >= rows || column[e] >= columns || !isfinite(value[e])) {
            am_fail(err, AM_ERR_INPUT, "entry (%zu, %zu) lies outside a %zu x %zu matrix or is not a finite number",
                    row[e] + 1, column[e] + 1, rows, columns);
            return NULL;
        }
    }
    am_matrix *a = new_sparse(rows, columns, count, err);
    if (!a)
        return NULL;
    /* Counting sort by row: row_start[i + 1] first runs as the insertion point of row i. */
    for (size_t e = 0; e < count; e++)
        a->row_start[row[e] + 2]++;
    for (size_t i = 0; i < rows; i++)
        a->row_start[i + 2] += a->row_start[i + 1];
    for (size_t e = 0; e < count; e++) {
        size_t at = a->row_start[row[e] + 1]++;
        a->column[at] = column[e];
        a->values[at] = value[e];
    }
    sort_and_merge_rows(a);
    return a;
}

am_matrix *am_matrix_copy(const am_matrix *matrix, am_error *err) {
    if (!am_is(matrix, AM_TAG_MATRIX))
        return am_misused_for_nothing(err, __func__);
    if (!matrix->row_start)
        return am_matrix_dense(matrix->rows, matrix->columns, matrix->values, err);
    size_t count = matrix->row_start[matrix->rows];
    am_matrix *a = new_sparse(matrix->rows, matrix->columns, count, err);
    if (!a)
        return NULL;
    memcpy(a->row_start, matrix->row_start, (matrix->rows + 1) * sizeof *a->row_start);
    if (count > 0) {
        memcpy(a->column, matrix->column, count * sizeof *a->column);
        memcpy(a->values, matrix->values, count * sizeof *a->values);
    }
    return a;
}

void am_matrix_free(am_matrix *matrix) {
    if (!am_is(matrix, AM_TAG_MATRIX))
        return;
    am_memory_free(matrix->row_start);
    am_memory_free(matrix->column);
    am_object_bury(matrix, sizeof *matrix);
}

size_t am_matrix_rows(const am_matrix *matrix) {
    return am_is(matrix, AM_TAG_MATRIX) ? matrix->rows : 0;
}

size_t am_matrix_columns(const am_matrix *matrix) {
    return am_is(matrix, AM_TAG_MATRIX) ? matrix->columns : 0;
}

bool am_matrix_is_sparse(const am_matrix *matrix) {
    return am_is(matrix, AM_TAG_MATRIX) && matrix->row_start;
}

double am_matrix_at(const am_matrix *matrix, size_t row, size_t column) {
    if (!am_is(matrix, AM_TAG_MATRIX) || row >= matrix->rows || column >= matrix->columns)
        return NAN;
    if (!matrix->row_start)
        return matrix->values[row * matrix->columns + column];
    size_t low = matrix->row_start[row], high = matrix->row_start[row + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (matrix->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < matrix->row_start[row + 1] && matrix->column[low] == column ? matrix->values[low] : 0.0;
}

void am_matrix_apply(const am_matrix *matrix, const double *x, double *y) {
    if (!am_is(matrix, AM_TAG_MATRIX) || !x || !y)
        return;
    for (size_t i = 0; i < matrix->rows; i++) {
        double sum = 0.0;
        if (matrix->row_start) {
            for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
                sum += matrix->values[e] * x[matrix->column[e]];
        } else {
            for (size_t j = 0; j < matrix->columns; j++)
                sum += matrix->values[i * matrix->columns + j] * x[j];
        }
        y[i] = sum;
    }
}

void am_matrix_to_dense(const am_matrix *matrix, double *values) {
    if (!am_is(matrix, AM_TAG_MATRIX) || !values)
        return;
    size_t size = matrix->rows * matrix->columns;
    if (!matrix->row_start) {
        if (size > 0)
            memcpy(values, matrix->values, size * sizeof *values);
        return;
    }
    for (size_t i = 0; i < size; i++)
        values[i] = 0.0;
    for (size_t i = 0; i < matrix->rows; i++)
        for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
            values[i * matrix->columns + matrix->column[e]] = matrix->values[e];
}

static size_t stored(const am_matrix *matrix) {
    return matrix->row_start ? matrix->row_start[matrix->rows] : matrix->rows * matrix->columns;
}

double am_matrix_largest(const am_matrix *matrix) {
    if (!am_is(matrix, AM_TAG_MATRIX))
        return NAN;
    double largest = 0.0;
    for (size_t e = 0; e < stored(matrix); e++)
        largest = fmax(largest, fabs(matrix->values[e]));
    return largest;
}

double am_matrix_asymmetry(const am_matrix *matrix) {
    if (!am_is(matrix, AM_TAG_MATRIX))
        return NAN;
    double largest = 0.0;
    for (size_t i = 0; i < matrix->rows; i++) {
        if (matrix->row_start) {
            for (size_t e = matrix->row_start[i]; e < matrix->row_start[i + 1]; e++)
                largest = fmax(largest, fabs(matrix->values[e] - am_matrix_at(matrix, matrix->column[e], i)));
        } else {
            for (size_t j = 0; j < i; j++)
                largest = fmax(largest, fabs(am_matrix_at(matrix, i, j) - am_matrix_at(matrix, j, i)));
        }
    }
    return largest;
}

size_t am_matrix_row_entries(const am_matrix *matrix, size_t row, const size_t **columns, const double **values) {
    if (!matrix->row_start) {
        *columns = NULL;
        *values = matrix->values + row * matrix->columns;
        return matrix->columns;
    }
    *columns = matrix->column + matrix->row_start[row];
    *values = matrix->values + matrix->row_start[row];
    return matrix->row_start[row + 1] - matrix->row_start[row];
}

am_matrix *am_matrix_select(const am_matrix *matrix, const size_t *place, size_t n, am_error *err) {
    size_t count = 0, all = stored(matrix);
    size_t *row = am_memory_new(2 * all, sizeof *row, err), *column = row ? row + all : NULL;
    double *value = am_memory_new(all, sizeof *value, err);
    am_matrix *selected = NULL;
    for (size_t i = 0; row && value && i < matrix->rows; i++) {
        const size_t *columns;
        const double *values;
        size_t entries = place[i] < SIZE_MAX ? am_matrix_row_entries(matrix, i, &columns, &values) : 0;
        for (size_t e = 0; e < entries; e++) {
            size_t to = place[columns ? columns[e] : e];
            if (to == SIZE_MAX || values[e] == 0.0)
                continue;
            row[count] = place[i];
            column[count] = to;
            value[count++] = values[e];
        }
    }
    if (row && value)
        selected = am_matrix_sparse(n, n, count, row, column, value, err);
    am_memory_free(row);
    am_memory_free(value);
    return selected;
}

/* ---- sums ---- */

static am_matrix *dense_sum(size_t count, const am_matrix *const *matrices, const double *weights, am_matrix *sum) {
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; matrices[k] && i < sum->rows; i++) {
            const size_t *columns;
            const double *values;
            size_t stored = am_matrix_row_entries(matrices[k], i, &columns, &values);
            for (size_t e = 0; e < stored; e++)
                sum->values[i * sum->columns + (columns ? columns[e] : e)] += weights[k] * values[e];
        }
    return sum;
}

static am_matrix *sparse_sum(size_t count, const am_matrix *const *matrices, const double *weights, am_matrix *sum) {
    size_t at = 0;
    for (size_t i = 0; i < sum->rows; i++) {
        sum->row_start[i] = at;
        for (size_t k = 0; k < count; k++) {
            const size_t *columns;
            const double *values;
            size_t stored = matrices[k] ? am_matrix_row_entries(matrices[k], i, &columns, &values) : 0;
            for (size_t e = 0; e < stored; e++, at++) {
                sum->column[at] = columns[e];
                sum->values[at] = weights[k] * values[e];
            }
        }
    }
    sum->row_start[sum->rows] = at;
    sort_and_merge_rows(sum);
    return sum;
}

am_matrix *am_matrix_weighted_sum(size_t count, const am_matrix *const *matrices, const double *weights,
                                  am_error *err) {
    const am_matrix *first = NULL;
    size_t stored = 0;
    bool sparse = true;
    for (size_t k = 0; k < count; k++)
        if (matrices[k]) {
            first = matrices[k];
            sparse = sparse && first->row_start;
            stored += sparse ? first->row_start[first->rows] : 0;
        }
    if (!first)
        return am_misused_for_nothing(err, __func__);
    am_matrix *sum = sparse ? new_sparse(first->rows, first->columns, stored, err)
                            : new_matrix(first->rows, first->columns, first->rows * first->columns, err);
    if (!sum)
        return NULL;
    return sparse ? sparse_sum(count, matrices, weights, sum) : dense_sum(count, matrices, weights, sum);
}
