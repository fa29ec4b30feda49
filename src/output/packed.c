/* A count of tables; of each: its name, counts of columns and rows, then name, unit, kind and cells of every column.
 * Counts are 64 bits, numbers as the processor has them, a text is its length and its bytes. */
#include "output/packed.h"
#include "base/local.h"

#include <stdint.h>
#include <string.h>

#include "base/result_reuse.h"

/* ---- Packing ---- */

static void put_count(am_text *bytes, size_t count) {
    const uint64_t wide = count;
    am_text_add_bytes(bytes, (const char *)&wide, sizeof wide);
}

static void put_text(am_text *bytes, const char *text) {
    put_count(bytes, strlen(text));
    am_text_add(bytes, text);
}

static void put_column(am_text *bytes, const am_table *table, size_t column) {
    am_column_kind kind = am_table_column_kind(table, column);
    put_text(bytes, am_table_column_name(table, column));
    put_text(bytes, am_table_column_unit(table, column));
    put_count(bytes, kind);
    const double *numbers = am_table_numbers(table, column);
    if (numbers)
        am_text_add_bytes(bytes, (const char *)numbers, am_table_rows(table) * sizeof *numbers);
    for (size_t row = 0; kind == AM_COLUMN_TEXT && row < am_table_rows(table); row++)
        put_text(bytes, am_table_text(table, row, column));
}

am_status am_tables_pack(const am_result *result, am_text *bytes, am_error *err) {
    put_count(bytes, am_result_table_count(result));
    for (size_t t = 0; t < am_result_table_count(result); t++) {
        const am_table *table = am_result_table(result, t);
        put_text(bytes, am_table_name(table));
        put_count(bytes, am_table_columns(table));
        put_count(bytes, am_table_rows(table));
        for (size_t c = 0; c < am_table_columns(table); c++)
            put_column(bytes, table, c);
    }
    return am_text_status(bytes, err);
}

/* ---- Unpacking ---- */

/* What is left to read. */
typedef struct source {
    const char *at;
    size_t left;
    am_arena *memory; /* of texts */
} source;

static bool take(source *from, size_t count, const char **bytes) {
    if (count > from->left)
        return false;
    *bytes = from->at;
    from->at += count;
    from->left -= count;
    return true;
}

static bool take_count(source *from, size_t *count) {
    const char *bytes;
    uint64_t wide;
    if (!take(from, sizeof wide, &bytes))
        return false;
    memcpy(&wide, bytes, sizeof wide);
    *count = (size_t)wide;
    return wide <= SIZE_MAX;
}

/* The next thing is not there. */
static am_status refuse(am_error *err) {
    return am_fail(err, AM_ERR_FILE, "these are no tables");
}

/* A zero inside would end it early. */
static am_status take_text(source *from, const char **text, am_error *err) {
    size_t length;
    const char *bytes;
    if (!take_count(from, &length) || !take(from, length, &bytes) || memchr(bytes, '\0', length))
        return refuse(err);
    *text = am_arena_text(from->memory, bytes, length, err);
    return *text ? AM_OK : AM_ERR_MEMORY;
}

/* Cells wait in their bytes until all columns are known: rows come after columns. */
static am_status take_column(source *from, am_table *table, size_t rows, source *cells, am_error *err) {
    const char *name, *unit, *skipped;
    size_t kind = 0;
    AM_TRY(take_text(from, &name, err));
    AM_TRY(take_text(from, &unit, err));
    if (!take_count(from, &kind) || kind > AM_COLUMN_COUNT)
        return refuse(err);
    AM_TRY(am_table_add_column(table, name, unit, (am_column_kind)kind, err));
    *cells = *from;
    if (kind != AM_COLUMN_TEXT)
        return rows <= from->left / sizeof(double) && take(from, rows * sizeof(double), &skipped) ? AM_OK : refuse(err);
    for (size_t row = 0; row < rows; row++) {
        size_t length;
        if (!take_count(from, &length) || !take(from, length, &skipped))
            return refuse(err);
    }
    return AM_OK;
}

static am_status take_cell(source *cells, am_table *table, size_t row, size_t column, am_error *err) {
    const char *bytes = NULL;
    double number;
    if (am_table_column_kind(table, column) != AM_COLUMN_TEXT) {
        if (!take(cells, sizeof number, &bytes))
            return refuse(err);
        memcpy(&number, bytes, sizeof number);
        am_table_put_number(table, row, column, number);
        return AM_OK;
    }
    const char *text;
    am_arena_reset(cells->memory);
    AM_TRY(take_text(cells, &text, err));
    return am_table_put_text(table, row, column, text, err);
}

static am_status take_table(source *from, am_result *result, am_error *err) {
    const char *name = NULL;
    size_t columns = 0, rows = 0;
    AM_TRY(take_text(from, &name, err));
    am_table *table = am_result_add_table(result, name, err);
    AM_TRY(am_result_status(result, err));
    if (!take_count(from, &columns) || !take_count(from, &rows) || columns > from->left || (columns == 0 && rows > 0))
        return refuse(err);
    AM_LOCAL_MEMORY source *cells = am_memory_new(columns, sizeof *cells, err);
    if (!cells)
        return AM_ERR_MEMORY;
    AM_LOCAL_ARENA memory = {0};
    for (size_t c = 0; c < columns; c++) {
        AM_TRY(take_column(from, table, rows, &cells[c], err));
        cells[c].memory = &memory;
    }
    AM_TRY(am_table_make_rows(table, rows, err));
    for (size_t c = 0; c < columns; c++)
        for (size_t row = 0; row < rows; row++)
            AM_TRY(take_cell(&cells[c], table, row, c, err));
    return AM_OK;
}

am_status am_tables_unpack(const void *bytes, size_t count, am_result *result, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    source from = {bytes, count, &memory};
    size_t tables = 0;
    if (!take_count(&from, &tables))
        return refuse(err);
    for (size_t t = 0; t < tables; t++)
        AM_TRY(take_table(&from, result, err));
    return from.left == 0 ? AM_OK : refuse(err);
}
