#include "study/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* ---- CSV ---- */

static const size_t most_bytes = (size_t)1 << 30;

typedef struct csv {
    const char *path;
    size_t line, rows, columns, count, capacity;
    double *values;
} csv;

static am_status keep(csv *c, double value, am_error *err) {
    if (c->count == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 256;
        void *grown = c->values;
        am_status status = am_memory_resize(&grown, capacity, sizeof *c->values, err);
        if (status)
            return status;
        c->values = grown;
        c->capacity = capacity;
    }
    c->values[c->count++] = value;
    return AM_OK;
}

static const char *skip(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
        p++;
    return p;
}

/* One line of numbers. *words: it begins with something else. */
static am_status read_line(csv *c, const char *p, const char *end, bool *words, am_error *err) {
    size_t columns = 0;
    *words = false;
    for (p = skip(p, end); p < end; columns++) {
        double value = 0.0;
        size_t length = am_text_parse_number(p, &value);
        if (length == 0 && columns == 0) {
            *words = true;
            return AM_OK;
        }
        if (length == 0 || p + length > end || !isfinite(value))
            return am_fail(err, AM_ERR_INPUT, "%s:%zu: column %zu is not a finite number", c->path, c->line,
                           columns + 1);
        am_status status = keep(c, value, err);
        if (status)
            return status;
        p = skip(p + length, end);
        bool separated = p < end && (*p == ',' || *p == ';');
        p = skip(p + separated, end);
        if (separated && p == end)
            return am_fail(err, AM_ERR_INPUT, "%s:%zu: a number is missing at the end of the line", c->path, c->line);
    }
    if (c->rows > 0 && columns != c->columns)
        return am_fail(err, AM_ERR_INPUT, "%s:%zu: %zu numbers where the first row has %zu", c->path, c->line, columns,
                       c->columns);
    c->columns = columns;
    c->rows++;
    return AM_OK;
}

static am_status read_lines(csv *c, const char *text, am_error *err) {
    for (const char *p = text; *p;) {
        const char *end = p + strcspn(p, "\n"), *first = skip(p, end);
        bool words = false;
        c->line++;
        am_status status = first == end || *first == '#' ? AM_OK : read_line(c, p, end, &words, err);
        if (status)
            return status;
        if (words && (c->rows > 0 || c->columns > 0))
            return am_fail(err, AM_ERR_INPUT, "%s:%zu: expected numbers", c->path, c->line);
        p = *end ? end + 1 : end;
    }
    if (c->rows == 0)
        return am_fail(err, AM_ERR_INPUT, "%s: there are no numbers in this file", c->path);
    return AM_OK;
}

static char *load(const char *path, am_error *err) {
    char block[65536];
    size_t got;
    am_text text = {0};
    FILE *file = fopen(path, "rb");
    if (!file) {
        am_fail(err, AM_ERR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
        return NULL;
    }
    am_text_add(&text, "");
    while (text.length <= most_bytes && (got = fread(block, 1, sizeof block, file)) > 0)
        am_text_add_bytes(&text, block, got);
    am_status status = ferror(file) ? am_fail(err, AM_ERR_FILE, "%s: cannot be read: %s", path, strerror(errno))
                       : text.length > most_bytes
                           ? am_fail(err, AM_ERR_INPUT, "%s: the file is larger than a table may be", path)
                           : AM_OK;
    fclose(file);
    char *bytes = status == AM_OK ? am_text_take(&text, err) : NULL;
    am_text_free(&text);
    return bytes;
}

static am_status read_csv(am_reading *reading, const char *path, am_number_table *table) {
    csv c = {.path = path};
    char *text = load(path, reading->err);
    am_status status = text ? read_lines(&c, text, reading->err) : reading->err->status;
    double *values = status == AM_OK ? am_pool_new(reading->pool, c.count, sizeof *values, reading->err) : NULL;
    if (values) {
        memcpy(values, c.values, c.count * sizeof *values);
        *table = (am_number_table){c.rows, c.columns, values, NULL};
    } else if (status == AM_OK) {
        status = AM_ERR_MEMORY;
    }
    am_memory_free(c.values);
    am_memory_free(text);
    return status;
}

/* ---- Matrix Market, inline rows ---- */

static am_status read_matrix_file(am_reading *reading, const char *path, am_number_table *table) {
    am_matrix *matrix = am_matrix_read(path, reading->err);
    if (!matrix)
        return reading->err->status;
    size_t rows = am_matrix_rows(matrix), columns = am_matrix_columns(matrix);
    double *values = rows <= most_bytes / 8 / columns
                         ? am_pool_new(reading->pool, rows * columns, sizeof *values, reading->err)
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

static const am_field table_file_fields[] = {
    {"file", AM_FIELD_TEXT, offsetof(table_file, file), .required = true,
     .about = "a CSV or Matrix Market file, relative to the study file"},
};

static const am_schema table_file_schema = {
    .name = "table", .title = "a table", .size = sizeof(table_file), AM_FIELDS(table_file_fields)};

static am_status read_file(am_reading *reading, const am_node *node, am_number_table *table) {
    table_file record = {0};
    char path[4096];
    am_status status = am_schema_read(reading, &table_file_schema, node, &record);
    if (status != AM_OK)
        return status;
    bool bare = record.file[0] == '/' || strcmp(reading->folder, ".") == 0;
    int length = snprintf(path, sizeof path, "%s%s%s", bare ? "" : reading->folder, bare ? "" : "/", record.file);
    if (length < 0 || (size_t)length >= sizeof path)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "the name of the file is too long");
    bool market = length > 4 && strcmp(path + length - 4, ".mtx") == 0;
    status = market ? read_matrix_file(reading, path, table) : read_csv(reading, path, table);
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
    double *values = am_pool_new(reading->pool, rows * columns, sizeof *values, reading->err);
    if (!values)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < rows; i++) {
        am_numbers row = {0};
        am_status status = am_read_numbers(reading, single ? node : node->items[i], name, AM_RANGE_ANY, columns, &row);
        if (status != AM_OK)
            return status;
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

static am_status check_range(am_reading *reading, const am_node *node, const char *name, am_range range, double value) {
    bool sound = range == AM_RANGE_ANY || (range == AM_RANGE_POSITIVE && value > 0.0) ||
                 (range == AM_RANGE_NOT_NEGATIVE && value >= 0.0) ||
                 (range == AM_RANGE_FRACTION && value >= 0.0 && value <= 1.0);
    if (sound)
        return AM_OK;
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be %s, but is %g", name,
                        range == AM_RANGE_POSITIVE       ? "positive"
                        : range == AM_RANGE_NOT_NEGATIVE ? "zero or positive"
                                                         : "from 0 to 1",
                        value);
}

am_status am_read_each(am_reading *reading, const am_node *node, const char *name, const char *what, am_range range,
                       double initial, size_t count, const double **values) {
    double *each = am_pool_new(reading->pool, count, sizeof *each, reading->err);
    am_number_table table = {0};
    am_status status = each ? AM_OK : AM_ERR_MEMORY;
    *values = each;
    if (status == AM_OK && node && node->kind == AM_NODE_SCALAR)
        status = am_read_number(reading, node, name, range, &initial);
    for (size_t i = 0; status == AM_OK && i < count; i++)
        each[i] = initial;
    if (status != AM_OK || !node || node->kind == AM_NODE_SCALAR)
        return status;
    status = am_read_table(reading, node, name, &table);
    if (status == AM_OK && (table.rows * table.columns != count || (table.rows != 1 && table.columns != 1)))
        status = am_node_fail(node, reading->err, AM_ERR_INPUT,
                              "%s must be one number, or one per %s: %zu in a row or a column, not %zu x %zu", name,
                              what, count, table.rows, table.columns);
    for (size_t i = 0; status == AM_OK && i < count; i++) {
        each[i] = table.values[i];
        status = check_range(reading, node, name, range, each[i]);
    }
    return status;
}
