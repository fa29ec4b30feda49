#include "study/number_table.h"
#include "base/try.h"
#include "study/files.h"

#include <stdio.h>
#include <string.h>

#include "imports/csv.h"

static const size_t most_bytes = (size_t)1 << 30;

/* ---- CSV ---- */

static am_status read_csv(am_reading *reading, const char *path, am_number_table *table) {
    am_csv file;
    AM_TRY(am_csv_read(path, &file, reading->err));
    size_t count = file.rows * file.columns;
    double *values = am_arena_new(reading->pool, count, sizeof *values, reading->err);
    if (values) {
        memcpy(values, file.values, count * sizeof *values);
        *table = (am_number_table){file.rows, file.columns, values, NULL};
    }
    am_csv_free(&file);
    return values ? AM_OK : AM_ERR_MEMORY;
}

/* ---- Matrix Market, inline rows ---- */

static am_status read_matrix_file(am_reading *reading, const char *path, am_number_table *table) {
    am_matrix *matrix = am_matrix_read(path, reading->err);
    if (!matrix)
        return reading->err->status;
    size_t rows = am_matrix_rows(matrix), columns = am_matrix_columns(matrix);
    double *values = rows <= most_bytes / 8 / columns
                         ? am_arena_new(reading->pool, rows * columns, sizeof *values, reading->err)
                         : NULL;
    if (values) {
        am_matrix_to_dense(matrix, values);
        *table = (am_number_table){rows, columns, values, NULL};
    }
    am_matrix_free(matrix);
    return values ? AM_OK : am_fail(reading->err, AM_ERR_MEMORY, "%s: the table is too large", path);
}

typedef struct table_file {
    const char *file;
} table_file;

static const am_field file_fields[] = {
    AM_FIELD("file", TEXT, table_file, file, .required = true,
             .about = "a Matrix Market (or, of a table, CSV) file, relative to the study file"),
};

static const am_schema file_schema = {.name = "file", .size = sizeof(table_file), AM_FIELDS(file_fields)};

const char *am_read_file_name(am_reading *reading, const am_node *node, const char *title) {
    am_schema schema = file_schema;
    table_file record = {0};
    schema.title = title;
    return am_schema_read(reading, &schema, node, &record) == AM_OK
               ? am_files_path(reading, am_node_get(node, "file"), record.file)
               : NULL;
}

static am_status read_file(am_reading *reading, const am_node *node, am_number_table *table) {
    const char *path = am_read_file_name(reading, node, "a table");
    if (!path)
        return reading->err->status;
    size_t length = strlen(path);
    bool market = length > 4 && strcmp(path + length - 4, ".mtx") == 0;
    am_status status = market ? read_matrix_file(reading, path, table) : read_csv(reading, path, table);
    if (status != AM_OK && status != AM_ERR_MEMORY) {
        snprintf(reading->err->field, sizeof reading->err->field, "file");
        am_node_locate(node, reading->err);
    }
    return status;
}

static am_status read_rows(am_reading *reading, const am_node *node, const char *name, am_number_table *table) {
    bool single = node->count > 0 && node->items[0]->kind == AM_NODE_SCALAR;
    size_t rows = single ? 1 : node->count;
    size_t columns = single ? node->count : node->count > 0 ? node->items[0]->count : 0;
    if (columns == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s is empty; expected rows of numbers", name);
    double *values = am_arena_new(reading->pool, rows * columns, sizeof *values, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        am_numbers row = {0};
        AM_TRY(am_read_numbers(reading, single ? node : node->items[i], name, AM_RANGE_ANY, columns, &row));
        memcpy(values + i * columns, row.values, columns * sizeof *values);
    }
    *table = (am_number_table){rows, columns, values, NULL};
    return AM_OK;
}

am_status am_read_table(am_reading *reading, const am_node *node, const char *name, am_number_table *table) {
    if (node->kind == AM_NODE_SCALAR)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s must be a table ([[1, 0], [0, 1]], or {file: name.csv} or name.mtx), not %s", name,
                            am_node_kind_name(node));
    am_status status =
        node->kind == AM_NODE_LIST ? read_rows(reading, node, name, table) : read_file(reading, node, table);
    table->node = node;
    return status;
}

/* ---- One for all, or one for each ---- */

am_status am_read_each(am_reading *reading, const am_node *node, const char *name, const char *what, am_range range,
                       double initial, size_t count, const double **values) {
    double *each = am_arena_new(reading->pool, count, sizeof *each, reading->err);
    am_number_table table = {0};
    bool list = node && node->kind != AM_NODE_SCALAR;
    if (!each)
        return AM_ERR_MEMORY;
    *values = each;
    if (node && !list)
        AM_TRY(am_read_number(reading, node, name, range, &initial));
    if (list)
        AM_TRY(am_read_table(reading, node, name, &table));
    if (list && (table.rows * table.columns != count || (table.rows != 1 && table.columns != 1)))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "%s must be one number, or one per %s: %zu in a row or a column, not %zu x %zu", name, what,
                            count, table.rows, table.columns);
    for (size_t i = 0; i < count; i++) {
        each[i] = list ? table.values[i] : initial;
        if (list && !am_range_holds(range, each[i]))
            return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be %s, but is %g", name,
                                am_range_words(range), each[i]);
    }
    return AM_OK;
}
