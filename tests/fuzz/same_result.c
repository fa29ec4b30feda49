#include "same_result.h"

#include <math.h>
#include <string.h>

/* The same bits; one NaN is as good as another. */
static bool same_number(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool same_column(const am_table *a, const am_table *b, size_t column) {
    am_column_kind kind = am_table_column_kind(a, column);
    bool same = kind == am_table_column_kind(b, column) &&
                strcmp(am_table_column_name(a, column), am_table_column_name(b, column)) == 0 &&
                strcmp(am_table_column_unit(a, column), am_table_column_unit(b, column)) == 0;
    for (size_t row = 0; same && row < am_table_rows(a); row++)
        same = kind == AM_COLUMN_TEXT ? strcmp(am_table_text(a, row, column), am_table_text(b, row, column)) == 0
                                      : same_number(am_table_number(a, row, column), am_table_number(b, row, column));
    return same;
}

static bool same_table(const am_table *a, const am_table *b) {
    bool same = strcmp(am_table_name(a), am_table_name(b)) == 0 && am_table_columns(a) == am_table_columns(b) &&
                am_table_rows(a) == am_table_rows(b);
    for (size_t column = 0; same && column < am_table_columns(a); column++)
        same = same_column(a, b, column);
    return same;
}

bool fuzz_same_tables_by_name(const am_result *a, const am_result *b) {
    bool same = am_result_table_count(a) == am_result_table_count(b);
    for (size_t i = 0; same && i < am_result_table_count(a); i++) {
        const am_table *table = am_result_table(a, i), *other = am_result_find_table(b, am_table_name(table));
        same = other && same_table(table, other);
    }
    return same;
}

bool fuzz_same_tables(const am_result *a, const am_result *b) {
    bool same = am_result_table_count(a) == am_result_table_count(b);
    for (size_t i = 0; same && i < am_result_table_count(a); i++)
        same = same_table(am_result_table(a, i), am_result_table(b, i));
    return same;
}

static bool same_scalar(const am_scalar *a, const am_scalar *b) {
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind &&
           (a->kind == AM_SCALAR_NONE   ? true
            : a->kind == AM_SCALAR_TEXT ? strcmp(a->text, b->text) == 0
                                        : same_number(a->number, b->number));
}

bool fuzz_same_result(const am_result *a, const am_result *b) {
    bool same = am_result_scalar_count(a) == am_result_scalar_count(b);
    for (size_t i = 0; same && i < am_result_scalar_count(a); i++)
        same = same_scalar(am_result_scalar(a, i), am_result_scalar(b, i));
    return same && fuzz_same_tables(a, b);
}
