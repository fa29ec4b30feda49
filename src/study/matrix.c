/* Matrices in a study: a list of rows, a diagonal, or a file. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "study/attached.h"
#include "study/files.h"
#include "study/schema.h"
#include "study/shelf.h"

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
            if (am_node_number(row->items[j], &values[i * columns + j]))
                continue;
            snprintf(item, sizeof item, "%s[%zu][%zu]", name, i, j);
            return am_read_number(reading, row->items[j], item, AM_RANGE_ANY, values);
        }
    }
    return AM_OK;
}

static am_status fill_diagonal(am_reading *reading, const am_node *node, const char *name, double *values) {
    for (size_t i = 0; i < node->count; i++)
        AM_TRY(am_read_item(reading, node, i, name, AM_RANGE_ANY, &values[i * node->count + i]));
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

typedef struct file_setting {
    const char *file, *name;
    int format;
} file_setting;

static const am_word format_words[] = {
    {"auto", AM_IMPORT_ANY, "found from what is in the file"},
    {"abaqus", AM_IMPORT_ABAQUS, "node, direction, node, direction, value (*MATRIX GENERATE: matrix input, labels)"},
    {"coordinate", AM_IMPORT_COORDINATE, "row, column, value (CalculiX .sti and .mas; Abaqus coordinate)"},
    {"nastran-dmig", AM_IMPORT_DMIG, "DMIG of a punch file"},
    {"harwell-boeing", AM_IMPORT_HARWELL_BOEING, "assembled real matrices (Ansys)"},
    {"matlab", AM_IMPORT_MATLAB, "MATLAB 5 to 7.3"},
    {"matrix-market", AM_IMPORT_MATRIX_MARKET, "Matrix Market"},
    {"csv", AM_IMPORT_CSV, "the rows, with commas, semicolons or blanks between the numbers (ending .csv)"},
    {NULL, 0, NULL}};

static const am_field file_fields[] = {
    AM_FIELD("file", TEXT, file_setting, file, .required = true,
             .about = "a file of matrices, relative to the study file"),
    AM_FIELD("format", WORD, file_setting, format, .words = format_words, .initial = "auto", .about = "of the file"),
    AM_FIELD("name", TEXT, file_setting, name, .initial = "by what it is",
             .about = "of the matrix, in a file with several (KAAX, M)"),
};

const am_schema am_matrix_file_schema = {
    .name = "matrix_file",
    .title = "a matrix",
    .about = "A matrix in a file of another program (docs/import.md): Abaqus, CalculiX, Nastran, Ansys, MATLAB, Matrix "
             "Market, CSV.",
    .size = sizeof(file_setting),
    AM_FIELDS(file_fields)};

static am_import_role role_of(const char *name) {
    for (int role = AM_IMPORT_STIFFNESS; role < AM_IMPORT_ROLES; role++)
        if (strcmp(am_import_role_name((am_import_role)role), name) == 0)
            return (am_import_role)role;
    return AM_IMPORT_UNKNOWN;
}

/* The one that is named, or the one that is what it is asked for. */
static size_t find_part(am_reading *reading, const am_node *node, const am_import *import, const char *wanted,
                        const char *name) {
    size_t part = wanted ? SIZE_MAX : am_import_part(import, role_of(name));
    const char *names[AM_IMPORT_PARTS];
    for (size_t i = 0; i < import->count; i++) {
        names[i] = import->part[i].name;
        if (wanted && strcmp(wanted, names[i]) == 0)
            part = i;
    }
    if (part == SIZE_MAX && wanted)
        am_unknown(reading, am_node_get(node, "name"), "matrix", import->path, wanted, import->count, names);
    else if (part == SIZE_MAX)
        am_node_fail(node, reading->err, AM_ERR_INPUT, "which of its %zu matrices is the %s? Say it: name: %s",
                     import->count, name, names[0]);
    return part;
}

static am_matrix *read_file(am_reading *reading, const am_node *node, const char *name) {
    file_setting setting = {0};
    if (am_schema_read(reading, &am_matrix_file_schema, node, &setting) != AM_OK)
        return NULL;
    const char *path = am_files_path(reading, am_node_get(node, "file"), setting.file);
    am_import *import = path ? am_shelf_read(reading, path, (am_import_format)setting.format) : NULL;
    if (!import && path) {
        snprintf(reading->err->field, sizeof reading->err->field, "file");
        am_node_locate(node, reading->err);
    }
    size_t part = import ? find_part(reading, node, import, setting.name, name) : SIZE_MAX;
    return part < SIZE_MAX ? import->part[part].matrix : NULL;
}

am_status am_read_matrix(am_reading *reading, const am_node *node, const char *name, size_t order, am_matrix **value) {
    if (node->kind == AM_NODE_SCALAR)
        return am_node_fail(
            node, reading->err, AM_ERR_INPUT,
            "%s must be a matrix ([[1, 0], [0, 1]], a diagonal [1, 1] or {file: name.mtx}, or name.csv), not %s", name,
            am_node_kind_name(node));
    bool inline_rows = node->kind == AM_NODE_LIST;
    am_matrix *matrix = am_attached_find(reading->files, node);
    if (!matrix)
        matrix = inline_rows ? read_inline(reading, node, name) : read_file(reading, node, name);
    if (!matrix)
        return reading->err->status;
    if (inline_rows) /* others belong to their file, or to the study */
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
