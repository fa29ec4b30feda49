/* Matrices in a study: a list of rows, a diagonal, or a Matrix Market file. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "study/files.h"
#include "study/schema.h"
#include "study/table.h"

static void release_matrix(void *matrix) {
    am_matrix_free(matrix);
}

/* Rows of numbers, into `values` (row-major, as many columns as the first row). */
static am_status fill_rows(am_reading *reading, const am_node *node, const char *name, size_t columns, double *values) {
    for (size_t i = 0; i < node->count; i++) {
        const am_node *row = node->items[i];
        if (row->kind != AM_NODE_LIST)
            return am_node_fail(row, reading->err, AM_ERR_INPUT, "%s: row %zu must be a list of numbers, not %s", name,
                                i + 1, am_node_kind_name(row));
        if (row->count != columns)
            return am_node_fail(row, reading->err, AM_ERR_INPUT,
                                "%s: row %zu has %zu numbers where the first row has %zu", name, i + 1, row->count,
                                columns);
        for (size_t j = 0; j < columns; j++) {
            char item[128];
            snprintf(item, sizeof item, "%s[%zu][%zu]", name, i, j);
            AM_TRY(am_read_number(reading, row->items[j], item, AM_RANGE_ANY, &values[i * columns + j]));
        }
    }
    return AM_OK;
}

static am_status fill_diagonal(am_reading *reading, const am_node *node, const char *name, double *values) {
    for (size_t i = 0; i < node->count; i++) {
        char item[128];
        snprintf(item, sizeof item, "%s[%zu]", name, i);
        AM_TRY(am_read_number(reading, node->items[i], item, AM_RANGE_ANY, &values[i * node->count + i]));
    }
    return AM_OK;
}

static am_matrix *read_inline(am_reading *reading, const am_node *node, const char *name) {
    if (node->count == 0) {
        am_node_fail(node, reading->err, AM_ERR_INPUT, "%s is an empty list; expected the rows of a matrix", name);
        return NULL;
    }
    bool diagonal = node->items[0]->kind == AM_NODE_SCALAR;
    size_t columns = diagonal ? node->count : node->items[0]->count;
    if (columns == 0 || node->count > 100000000 / columns) {
        am_node_fail(node, reading->err, AM_ERR_INPUT, "%s has an impossible shape, %zu x %zu", name, node->count,
                     columns);
        return NULL;
    }
    double *values = am_memory_new(node->count * columns, sizeof *values, reading->err);
    if (!values)
        return NULL;
    am_status status =
        diagonal ? fill_diagonal(reading, node, name, values) : fill_rows(reading, node, name, columns, values);
    am_matrix *matrix = status == AM_OK ? am_matrix_dense(node->count, columns, values, reading->err) : NULL;
    if (status == AM_OK && !matrix)
        am_node_locate(node, reading->err);
    am_memory_free(values);
    return matrix;
}

static am_matrix *read_file(am_reading *reading, const am_node *node) {
    const char *path = am_read_file_name(reading, node, "a matrix");
    am_matrix *matrix = path ? am_matrix_read(path, reading->err) : NULL;
    if (!path)
        return NULL;
    if (!matrix) {
        snprintf(reading->err->field, sizeof reading->err->field, "file");
        am_node_locate(node, reading->err);
    }
    return matrix;
}

am_status am_read_matrix(am_reading *reading, const am_node *node, const char *name, size_t order, am_matrix **value) {
    if (node->kind == AM_NODE_SCALAR)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s must be a matrix ([[1, 0], [0, 1]], a diagonal [1, 1] or {file: name.mtx}), not %s",
                            name, am_node_kind_name(node));
    am_matrix *matrix = node->kind == AM_NODE_LIST ? read_inline(reading, node, name) : read_file(reading, node);
    if (!matrix)
        return reading->err->status;
    AM_TRY(am_arena_own(reading->pool, matrix, release_matrix, reading->err));
    size_t rows = am_matrix_rows(matrix), columns = am_matrix_columns(matrix);
    if (rows != columns)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be square; it has %zu rows and %zu columns",
                            name, rows, columns);
    if (order > 0 && rows != order)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be %zu x %zu; it is %zu x %zu", name, order,
                            order, rows, columns);
    *value = matrix;
    return AM_OK;
}
