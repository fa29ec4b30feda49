/* The tables that a sweep keeps, inside a part. Thousands of small tables would make a NetCDF file slow: tables of the
 * same columns lie below each other in one (a form), and the table `tables` says whose rows follow whose. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/columns.h"
#include "base/local.h"
#include "study/sweep/part.h"

enum { POINT, WANTED, FORM, ROWS, INDEX_COLUMNS };

static const char *const index_columns[] = {"point", "table", "form", "rows"};

static void name_form(size_t wanted, size_t number, char name[64]) {
    snprintf(name, 64, "table%zu-form%zu", wanted, number);
}

static bool same_columns(const am_table *a, const am_table *b) {
    if (am_table_columns(a) != am_table_columns(b))
        return false;
    for (size_t c = 0; c < am_table_columns(a); c++)
        if (strcmp(am_table_column_name(a, c), am_table_column_name(b, c)) != 0 ||
            strcmp(am_table_column_unit(a, c), am_table_column_unit(b, c)) != 0 ||
            am_table_column_kind(a, c) != am_table_column_kind(b, c))
            return false;
    return true;
}

static am_table *new_like(const am_table *like, const char *name, am_result *into, am_error *err) {
    am_table *table = am_result_add_table(into, name, err);
    am_table_add_like(table, like);
    return am_result_status(into, err) == AM_OK ? table : NULL;
}

/* Rows [begin, begin + count) of one table below those of another with the same columns. */
static am_status copy_rows(const am_table *from, size_t begin, size_t count, am_table *into, am_error *err) {
    for (size_t r = begin; r < begin + count; r++) {
        am_table_add_row(into, err);
        am_table_copy_row(into, 0, from, r);
    }
    return am_table_status(into, err);
}

/* ---- writing ---- */

/* The tables of a part under way. */
typedef struct form {
    am_table *table;
    size_t wanted, number;
} form;

typedef struct forms {
    am_result *part;
    form *items;
    size_t count;
} forms;

/* The form with these columns; NULL when there is no memory for a new one. */
static const form *find_form(forms *f, size_t wanted, const am_table *like, am_error *err) {
    size_t number = 0;
    char name[64];
    for (size_t i = 0; i < f->count; i++) {
        if (f->items[i].wanted == wanted && same_columns(f->items[i].table, like))
            return &f->items[i];
        number += f->items[i].wanted == wanted;
    }
    if (am_memory_resize(&f->items, f->count + 1, err))
        return NULL;
    name_form(wanted, number, name);
    am_table *table = new_like(like, name, f->part, err);
    f->items[f->count] = (form){table, wanted, number};
    return table ? &f->items[f->count++] : NULL;
}

static am_status add_table(forms *f, am_table *index, size_t point, size_t wanted, const am_table *table,
                           am_error *err) {
    const form *into = find_form(f, wanted, table, err);
    if (!into)
        return AM_ERR_MEMORY;
    am_table_add_row(index, err);
    am_table_set_number(index, POINT, (double)point);
    am_table_set_number(index, WANTED, (double)wanted);
    am_table_set_number(index, FORM, (double)into->number);
    am_table_set_number(index, ROWS, (double)am_table_rows(table));
    return copy_rows(table, 0, am_table_rows(table), into->table, err);
}

am_status am_sweep_part_put_tables(const am_sweep_record *record, am_result *part, am_error *err) {
    const am_texts *wanted = &record->sweep->tables;
    forms f = {.part = part};
    if (!record->kept)
        return AM_OK;
    am_table *index = am_result_add_table(part, "tables", err);
    for (size_t c = 0; c < INDEX_COLUMNS; c++)
        am_table_add_column(index, index_columns[c], "", AM_COLUMN_NUMBER, err);
    am_status status = am_result_status(part, err);
    for (size_t i = 0; i < record->pending_count && !status; i++) {
        const am_result *kept = record->kept[record->pending[i]];
        for (size_t t = 0; kept && t < wanted->count && !status; t++) {
            const am_table *table = am_result_find_table(kept, wanted->values[t]);
            if (table)
                status = add_table(&f, index, record->pending[i], t, table, err);
        }
    }
    am_memory_free(f.items);
    return status;
}

/* ---- reading ---- */

static bool is_index(const am_table *table) {
    bool good = table && am_table_columns(table) == INDEX_COLUMNS;
    for (size_t c = 0; good && c < INDEX_COLUMNS; c++)
        good = am_table_column_kind(table, c) == AM_COLUMN_NUMBER &&
               strcmp(am_table_column_name(table, c), index_columns[c]) == 0;
    return good;
}

/* A number of the index that counts something; SIZE_MAX, which is never right, when it does not. */
static size_t counted(const am_table *index, size_t line, size_t column) {
    double number = am_table_number(index, line, column);
    return number >= 0.0 && number < 9007199254740992.0 && number == floor(number) ? (size_t)number : SIZE_MAX;
}

/* One line of the index: the next rows of a form. `read`: how many of each table of the part are used already. */
static am_status take_table(am_sweep_record *record, const am_result *part, const am_table *index, size_t line,
                            size_t *read, am_error *err) {
    const am_texts *wanted = &record->sweep->tables;
    size_t point = counted(index, line, POINT), which = counted(index, line, WANTED),
           number = counted(index, line, FORM), count = counted(index, line, ROWS), at = 0;
    char name[64];
    name_form(which, number, name);
    while (at < am_result_table_count(part) && strcmp(am_table_name(am_result_table(part, at)), name) != 0)
        at++;
    if (point >= record->points || which >= wanted->count || at == am_result_table_count(part) ||
        count > am_table_rows(am_result_table(part, at)) - read[at])
        return am_fail(err, AM_ERR_FILE, "its tables do not fit together");
    const am_table *from = am_result_table(part, at);
    size_t begin = read[at];
    read[at] += count;
    if (record->known[point] != AM_SWEEP_OPEN)
        return AM_OK;
    if (!record->kept[point] && !(record->kept[point] = am_result_create(err)))
        return AM_ERR_MEMORY;
    if (am_result_find_table(record->kept[point], wanted->values[which]))
        return AM_OK;
    am_table *into = new_like(from, wanted->values[which], record->kept[point], err);
    return into ? copy_rows(from, begin, count, into, err) : AM_ERR_MEMORY;
}

am_status am_sweep_part_take_tables(am_sweep_record *record, const am_result *part, am_error *err) {
    const am_table *index = am_result_find_table(part, "tables");
    if (!record->kept)
        return AM_OK;
    if (!is_index(index))
        return am_fail(err, AM_ERR_FILE, "its tables are missing");
    AM_LOCAL_MEMORY size_t *read = am_memory_new(am_result_table_count(part), sizeof *read, err);
    if (!read)
        return AM_ERR_MEMORY;
    for (size_t line = 0; line < am_table_rows(index); line++)
        AM_TRY(take_table(record, part, index, line, read, err));
    return AM_OK;
}
