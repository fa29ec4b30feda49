#include "results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const am_scalar *scalar_of(const am_result *result, const char *name) {
    const am_scalar *scalar = am_result_find(result, name);
    if (!scalar)
        fail_msg("the summary has no %s", name);
    return scalar;
}

double number(const am_result *result, const char *name) {
    const am_scalar *scalar = scalar_of(result, name);
    if (scalar->kind == AM_SCALAR_TEXT)
        fail_msg("%s is not a number but '%s'", name, scalar->text);
    return scalar->kind == AM_SCALAR_NONE ? NAN : scalar->number;
}

bool flag(const am_result *result, const char *name) {
    const am_scalar *scalar = scalar_of(result, name);
    if (scalar->kind != AM_SCALAR_FLAG)
        fail_msg("%s is neither true nor false", name);
    return scalar->number != 0;
}

const char *text(const am_result *result, const char *name) {
    const am_scalar *scalar = scalar_of(result, name);
    if (scalar->kind != AM_SCALAR_TEXT)
        fail_msg("%s is not a text", name);
    return scalar->text;
}

const am_table *table_of(const am_result *result, const char *name) {
    const am_table *table = am_result_find_table(result, name);
    if (!table)
        fail_msg("there is no table %s", name);
    return table;
}

size_t rows(const am_result *result, const char *table) {
    return am_table_rows(table_of(result, table));
}

static size_t column_of(const am_table *table, size_t row, const char *name, bool text) {
    size_t column = am_table_find_column(table, name);
    if (column == SIZE_MAX || (am_table_column_kind(table, column) == AM_COLUMN_TEXT) != text)
        fail_msg("table %s has no column %s of this kind", am_table_name(table), name);
    if (row >= am_table_rows(table))
        fail_msg("table %s has no row %zu", am_table_name(table), row);
    return column;
}

double cell(const am_table *table, size_t row, const char *column) {
    return am_table_number(table, row, column_of(table, row, column, false));
}

const char *word(const am_table *table, size_t row, const char *column) {
    return am_table_text(table, row, column_of(table, row, column, true));
}

static void mix(uint64_t *hash, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        *hash = (*hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u; /* FNV-1a */
}

static void mix_cell(uint64_t *hash, const am_table *table, size_t row, size_t column) {
    if (am_table_column_kind(table, column) == AM_COLUMN_TEXT) {
        const char *words = am_table_text(table, row, column);
        mix(hash, words, strlen(words));
    } else {
        double value = am_table_number(table, row, column);
        mix(hash, &value, sizeof value);
    }
}

uint64_t tables_hash(const am_result *result) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t t = 0; t < am_result_table_count(result); t++) {
        const am_table *table = am_result_table(result, t);
        for (size_t i = 0; i < am_table_rows(table); i++)
            for (size_t c = 0; c < am_table_columns(table); c++)
                mix_cell(&hash, table, i, c);
    }
    return hash;
}
