#include "amontons/result.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/columns.h"
#include "base/dictionary.h"
#include "base/glossary.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/result_reuse.h"
#include "base/text.h"
#include "base/try.h"

typedef struct column {
    char *unit;
    const char *about; /* one sentence, not owned; "" where the column is not described */
    am_column_kind kind;
    double *numbers;     /* NUMBER */
    uint32_t *codes;     /* TEXT */
    am_dictionary words; /* TEXT: 0 is "" */
} column;

struct am_table {
    uint64_t tag;      /* AM_TAG_TABLE */
    am_result *result; /* whose it is */
    char *name;
    am_dictionary names; /* of the columns, in their order */
    column *columns;
    size_t column_count, rows, capacity;
    size_t axes; /* columns in front that are axes */
    size_t shape[AM_TABLE_AXES];
};

struct am_result {
    uint64_t tag;       /* AM_TAG_RESULT */
    am_scalar *scalars; /* names and texts are owned */
    size_t scalar_count, scalar_capacity;
    size_t spare;      /* scalars up to here have their names still from before the result was emptied: all different */
    am_table **tables; /* pointers, so that a table stays where it is when others are added */
    size_t table_count, table_capacity;
    bool selective; /* only these tables are asked for */
    am_result_wish wish;
    const void *observer; /* of samples */
    am_error failure;     /* the first one of filling it; AM_OK: none */
};

/* ---- The first failure ---- */

/* Where a failure is written: into the result, if it is the first. */
static am_error *first_of(am_result *result, am_error *err) {
    return result->failure.status ? err : &result->failure;
}

/* What was written there, for the caller as well. */
static am_status pass_on(const am_error *why, am_status status, am_error *err) {
    if (status && err && why != err)
        *err = *why;
    return status;
}

am_status am_result_status(const am_result *result, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    return pass_on(&result->failure, result->failure.status, err);
}

void am_table_fail(am_table *table, const am_error *why) {
    if (am_is(table, AM_TAG_TABLE) && !table->result->failure.status)
        table->result->failure = *why;
}

am_status am_table_status(const am_table *table, am_error *err) {
    if (!am_is(table, AM_TAG_TABLE))
        return am_misused(err, __func__);
    return am_result_status(table->result, err);
}

/* ---- Result and scalars ---- */

am_result *am_result_create(am_error *err) {
    am_result *result = am_memory_new(1, sizeof *result, err);
    if (result)
        result->tag = AM_TAG_RESULT;
    return result;
}

static void free_column(column *col) {
    am_memory_free(col->unit);
    am_memory_free(col->numbers);
    am_memory_free(col->codes);
    am_dictionary_clear(&col->words);
}

static void free_table(am_table *table) {
    if (!table)
        return;
    for (size_t i = 0; i < table->column_count; i++)
        free_column(&table->columns[i]);
    am_memory_free(table->columns);
    am_dictionary_clear(&table->names);
    am_memory_free(table->name);
    am_object_bury(table, sizeof *table);
}

/* Frees the names that wait to be used again. */
static void drop_spares(am_result *result) {
    for (size_t i = result->scalar_count; i < result->spare; i++)
        am_memory_free((char *)result->scalars[i].name);
    result->spare = 0;
}

void am_result_clear(am_result *result) {
    for (size_t i = 0; i < result->scalar_count; i++) {
        am_memory_free((char *)result->scalars[i].text);
        result->scalars[i].text = NULL;
    }
    for (size_t i = 0; i < result->table_count; i++)
        free_table(result->tables[i]);
    result->spare = result->scalar_count > result->spare ? result->scalar_count : result->spare;
    result->scalar_count = result->table_count = 0;
    result->failure.status = AM_OK;
}

void am_result_free(am_result *result) {
    if (!am_is(result, AM_TAG_RESULT))
        return;
    am_result_clear(result);
    drop_spares(result);
    am_memory_free(result->scalars);
    am_memory_free(result->tables);
    am_object_bury(result, sizeof *result);
}

static am_status require_name(const char *name, const char *what, am_error *err) {
    if (!name || name[0] == '\0')
        return am_fail(err, AM_ERR_INPUT, "a %s needs a name", what);
    return AM_OK;
}

/* The scalar of that name, made (as NONE) if it is new. */
static am_scalar *take_scalar(am_result *result, const char *name, am_error *err) {
    if (require_name(name, "summary value", err) != AM_OK)
        return NULL;
    if (result->scalar_count < result->spare && strcmp(result->scalars[result->scalar_count].name, name) == 0) {
        am_scalar *again = &result->scalars[result->scalar_count++]; /* as last time */
        *again = (am_scalar){.name = again->name, .kind = AM_SCALAR_NONE, .number = NAN};
        return again;
    }
    am_scalar *known = (am_scalar *)am_result_find(result, name);
    if (known)
        return known;
    drop_spares(result);
    if (am_memory_reserve(&result->scalars, &result->scalar_capacity, result->scalar_count + 1, err))
        return NULL;
    char *copy = am_memory_text(name, err);
    if (!copy)
        return NULL;
    am_scalar *added = &result->scalars[result->scalar_count++];
    *added = (am_scalar){.name = copy, .kind = AM_SCALAR_NONE, .number = NAN};
    return added;
}

static am_status change_scalar(am_result *result, const char *name, am_scalar_kind kind, double number,
                               const char *text, am_error *err) {
    char *copy = NULL;
    if (kind == AM_SCALAR_TEXT) {
        copy = am_memory_text(text, err);
        if (!copy)
            return AM_ERR_MEMORY;
    }
    am_scalar *scalar = take_scalar(result, name, err);
    if (!scalar) {
        am_memory_free(copy);
        return name && name[0] ? AM_ERR_MEMORY : AM_ERR_INPUT;
    }
    am_memory_free((char *)scalar->text);
    scalar->kind = kind;
    scalar->number = number;
    scalar->text = copy;
    return AM_OK;
}

/* `function`: whose caller it is for. */
static am_status set_scalar(am_result *result, const char *function, const char *name, am_scalar_kind kind,
                            double number, const char *text, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, function);
    am_error *why = first_of(result, err);
    return pass_on(why, change_scalar(result, name, kind, number, text, why), err);
}

am_status am_result_set_number(am_result *result, const char *name, double value, am_error *err) {
    return set_scalar(result, __func__, name, AM_SCALAR_NUMBER, value, NULL, err);
}

am_status am_result_set_count(am_result *result, const char *name, size_t value, am_error *err) {
    return set_scalar(result, __func__, name, AM_SCALAR_COUNT, (double)value, NULL, err);
}

am_status am_result_set_flag(am_result *result, const char *name, bool value, am_error *err) {
    return set_scalar(result, __func__, name, AM_SCALAR_FLAG, value ? 1.0 : 0.0, NULL, err);
}

am_status am_result_set_text(am_result *result, const char *name, const char *value, am_error *err) {
    return set_scalar(result, __func__, name, AM_SCALAR_TEXT, NAN, value, err);
}

am_status am_result_set_none(am_result *result, const char *name, am_error *err) {
    return set_scalar(result, __func__, name, AM_SCALAR_NONE, NAN, NULL, err);
}

void am_result_set_known(am_result *result, const char *name, double value) {
    if (isfinite(value))
        am_result_set_number(result, name, value, NULL);
    else
        am_result_set_none(result, name, NULL);
}

void am_result_set_decided(am_result *result, const char *name, bool decided, bool value) {
    if (decided)
        am_result_set_flag(result, name, value, NULL);
    else
        am_result_set_none(result, name, NULL);
}

void am_result_set_words(am_result *result, const char *name, const char *value) {
    if (value)
        am_result_set_text(result, name, value, NULL);
    else
        am_result_set_none(result, name, NULL);
}

void am_result_set_numbers(am_result *result, const am_named *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        am_result_set_known(result, values[i].name, values[i].value);
}

void am_result_set_counts(am_result *result, const am_named *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isnan(values[i].value))
            am_result_set_none(result, values[i].name, NULL);
        else
            am_result_set_count(result, values[i].name, (size_t)values[i].value, NULL);
}

void am_result_take_text(am_result *result, const char *name, am_text *text) {
    if (am_text_status(text, first_of(result, NULL)) == AM_OK)
        am_result_set_text(result, name, am_text_view(text), NULL);
    am_text_free(text);
}

size_t am_result_scalar_count(const am_result *result) {
    return am_is(result, AM_TAG_RESULT) ? result->scalar_count : 0;
}

const am_scalar *am_result_scalar(const am_result *result, size_t index) {
    return index < am_result_scalar_count(result) ? &result->scalars[index] : NULL;
}

const am_scalar *am_result_find(const am_result *result, const char *name) {
    for (size_t i = 0; name && i < am_result_scalar_count(result); i++)
        if (strcmp(result->scalars[i].name, name) == 0)
            return &result->scalars[i];
    return NULL;
}

/* ---- Tables ---- */

static am_table *make_table(am_result *result, const char *name, am_error *err) {
    if (require_name(name, "table", err) != AM_OK)
        return NULL;
    if (am_result_find_table(result, name)) {
        am_fail(err, AM_ERR_INPUT, "there is already a table \"%s\"", name);
        return NULL;
    }
    if (am_memory_reserve(&result->tables, &result->table_capacity, result->table_count + 1, err))
        return NULL;
    am_table *table = am_memory_new(1, sizeof *table, err);
    if (!table)
        return NULL;
    table->tag = AM_TAG_TABLE;
    table->result = result;
    table->name = am_memory_text(name, err);
    if (!table->name) {
        free_table(table);
        return NULL;
    }
    result->tables[result->table_count++] = table;
    return table;
}

am_table *am_result_add_table(am_result *result, const char *name, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused_for_nothing(err, __func__);
    am_error *why = first_of(result, err);
    am_table *table = make_table(result, name, why);
    if (!table)
        pass_on(why, AM_ERR_MEMORY, err);
    return table;
}

/* The name comes last: a table has as many as columns. */
static am_status fill_column(column *col, am_dictionary *names, const char *name, const char *unit, am_column_kind kind,
                             am_error *err) {
    uint32_t code;
    col->kind = kind;
    col->unit = am_memory_text(unit, err);
    if (!col->unit)
        return AM_ERR_MEMORY;
    if (kind == AM_COLUMN_TEXT)
        AM_TRY(am_dictionary_code(&col->words, "", &code, err));
    return am_dictionary_code(names, name, &code, err);
}

static am_status make_column(am_table *table, const char *name, const char *unit, am_column_kind kind, am_error *err) {
    AM_TRY(require_name(name, "column", err));
    if (am_table_find_column(table, name) != SIZE_MAX)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" already has a column \"%s\"", table->name, name);
    if (table->rows > 0)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" has rows: columns are added before them", table->name);
    AM_TRY(am_memory_resize(&table->columns, table->column_count + 1, err));
    column *col = &table->columns[table->column_count];
    *col = (column){0};
    am_status status = fill_column(col, &table->names, name, unit, kind, err);
    if (status != AM_OK) {
        free_column(col);
        return status;
    }
    table->capacity = 0; /* the new column has no storage yet */
    table->column_count++;
    return AM_OK;
}

am_status am_table_add_column(am_table *table, const char *name, const char *unit, am_column_kind kind, am_error *err) {
    if (!am_is(table, AM_TAG_TABLE))
        return am_misused(err, __func__);
    am_error *why = first_of(table->result, err);
    return pass_on(why, make_column(table, name, unit, kind, why), err);
}

/* ---- Columns that are described (base/glossary.h) ---- */

static am_column_kind kind_of(const char *unit) {
    return strcmp(unit, "count") == 0  ? AM_COLUMN_COUNT
           : strcmp(unit, "flag") == 0 ? AM_COLUMN_FLAG
           : strcmp(unit, "text") == 0 ? AM_COLUMN_TEXT
                                       : AM_COLUMN_NUMBER;
}

/* Types have no unit. */
static const char *unit_of(const char *unit) {
    return kind_of(unit) == AM_COLUMN_NUMBER ? unit : "";
}

/* A column `name` that means what the entry says. */
static void add_described(am_table *table, const am_glossary_entry *entry, const char *unit, const char *name) {
    if (am_table_add_column(table, name, unit_of(unit), kind_of(unit), NULL) == AM_OK)
        table->columns[table->column_count - 1].about = entry->about;
}

void am_table_describe_as(am_table *table, const char *key, const char *name) {
    if (!am_is(table, AM_TAG_TABLE) || table->result->failure.status)
        return;
    const am_glossary_entry *entry = am_glossary_find_column(table->name, key);
    if (entry)
        add_described(table, entry, entry->unit, name);
    else
        am_fail(&table->result->failure, AM_ERR_INPUT, "column \"%s\" of table \"%s\" is not described", key,
                table->name);
}

void am_table_describe_output(am_table *table, const char *name, bool between) {
    const char *unit;
    const am_glossary_entry *entry = am_glossary_find_summary(name, &unit);
    am_column_kind kind = entry ? kind_of(unit) : AM_COLUMN_TEXT;
    if (kind == AM_COLUMN_NUMBER || (kind != AM_COLUMN_TEXT && !between))
        add_described(table, entry, unit, name);
    else
        am_table_add_column(table, name, "", AM_COLUMN_NUMBER, NULL);
}

const char *am_result_scalar_unit(const am_result *result, size_t index) {
    const am_scalar *scalar = am_result_scalar(result, index);
    const char *unit = "";
    if (scalar && (scalar->kind == AM_SCALAR_NUMBER || scalar->kind == AM_SCALAR_NONE))
        am_glossary_find_summary(scalar->name, &unit);
    return unit_of(unit);
}

const char *am_result_scalar_about(const am_result *result, size_t index) {
    const am_scalar *scalar = am_result_scalar(result, index);
    const char *unit;
    const am_glossary_entry *entry = scalar ? am_glossary_find_summary(scalar->name, &unit) : NULL;
    return entry ? entry->about : "";
}

void am_table_describe(am_table *table, const char *names) {
    char name[64];
    for (const char *at = names; *at;) {
        size_t length = strcspn(at, " "), kept = length < sizeof name ? length : sizeof name - 1;
        memcpy(name, at, kept);
        name[kept] = '\0';
        am_table_describe_as(table, name, name);
        at += length + strspn(at + length, " ");
    }
}

am_table *am_result_describe_table(am_result *result, const char *name, const char *columns) {
    am_table *table = am_result_add_table(result, name, NULL);
    am_table_describe(table, columns);
    return table;
}

/* ---- Rows ---- */

static am_status resize_column(column *col, size_t capacity, am_error *err) {
    return col->kind == AM_COLUMN_TEXT ? am_memory_resize(&col->codes, capacity, err)
                                       : am_memory_resize(&col->numbers, capacity, err);
}

static void empty_cell(column *col, size_t row) {
    if (col->kind == AM_COLUMN_TEXT)
        col->codes[row] = 0;
    else
        col->numbers[row] = NAN;
}

static am_status make_row(am_table *table, am_error *err) {
    if (table->column_count == 0 && table->result->failure.status) /* there was no memory for them */
        return am_result_status(table->result, err);
    if (table->column_count == 0)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" has no columns: rows come after them", table->name);
    size_t capacity = table->capacity < 16 ? 16 : table->capacity * (table->capacity < 1024 ? 4 : 2); /* no overflow */
    for (size_t i = 0; table->rows == table->capacity && i < table->column_count; i++)
        AM_TRY(resize_column(&table->columns[i], capacity, err));
    if (table->rows == table->capacity)
        table->capacity = capacity;
    for (size_t i = 0; i < table->column_count; i++)
        empty_cell(&table->columns[i], table->rows);
    table->rows++;
    return AM_OK;
}

am_status am_table_add_row(am_table *table, am_error *err) {
    if (!am_is(table, AM_TAG_TABLE))
        return am_misused(err, __func__);
    am_error *why = first_of(table->result, err);
    return pass_on(why, make_row(table, why), err);
}

/* NULL: there is no such column, or it holds texts. */
static column *find_numbers(const am_table *table, size_t index) {
    bool found = index < table->column_count && table->columns[index].kind != AM_COLUMN_TEXT;
    return found ? &table->columns[index] : NULL;
}

void am_table_put_number(am_table *table, size_t row, size_t index, double value) {
    column *col = find_numbers(table, index);
    if (col && row < table->rows)
        col->numbers[row] = value;
}

size_t am_table_set_numbers(am_table *table, size_t first, const double *values, size_t count) {
    if (!am_is(table, AM_TAG_TABLE) || table->rows == 0 || first >= table->column_count)
        return first + count;
    const column *col = table->columns + first;
    size_t row = table->rows - 1, left = table->column_count - first, end = count < left ? count : left;
    for (size_t i = 0; i < end; i++)
        if (col[i].numbers)
            col[i].numbers[row] = values[i];
    return first + count;
}

void am_table_set_number(am_table *table, size_t index, double value) {
    if (am_is(table, AM_TAG_TABLE))
        am_table_put_number(table, table->rows - 1, index, value);
}

void am_table_set_flag(am_table *table, size_t index, bool value) {
    am_table_set_number(table, index, value ? 1.0 : 0.0);
}

void am_table_add_numbers(am_table *table, const double *numbers, size_t count) {
    if (am_table_add_row(table, NULL) != AM_OK)
        return;
    const column *end = table->columns + table->column_count;
    for (const column *col = table->columns; col < end && count > 0; col++)
        if (col->kind != AM_COLUMN_TEXT) {
            col->numbers[table->rows - 1] = *numbers++;
            count--;
        }
}

static am_status change_text(am_table *table, size_t row, size_t index, const char *value, am_error *err) {
    if (row >= table->rows)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" has no row to write into", table->name);
    if (index >= table->column_count || table->columns[index].kind != AM_COLUMN_TEXT)
        return am_fail(err, AM_ERR_INPUT, "column %zu of table \"%s\" is not a text column", index, table->name);
    column *col = &table->columns[index];
    return am_dictionary_code(&col->words, value ? value : "", &col->codes[row], err);
}

am_status am_table_put_text(am_table *table, size_t row, size_t index, const char *value, am_error *err) {
    am_error *why = first_of(table->result, err);
    return pass_on(why, change_text(table, row, index, value, why), err);
}

am_status am_table_set_text(am_table *table, size_t index, const char *value, am_error *err) {
    if (!am_is(table, AM_TAG_TABLE))
        return am_misused(err, __func__);
    return am_table_put_text(table, table->rows - 1, index, value, err);
}

/* ---- Reading tables ---- */

size_t am_result_table_count(const am_result *result) {
    return am_is(result, AM_TAG_RESULT) ? result->table_count : 0;
}

const am_table *am_result_table(const am_result *result, size_t index) {
    return index < am_result_table_count(result) ? result->tables[index] : NULL;
}

const am_table *am_result_find_table(const am_result *result, const char *name) {
    for (size_t i = 0; name && i < am_result_table_count(result); i++)
        if (strcmp(result->tables[i]->name, name) == 0)
            return result->tables[i];
    return NULL;
}

const char *am_table_name(const am_table *table) {
    return am_is(table, AM_TAG_TABLE) ? table->name : "";
}

size_t am_table_columns(const am_table *table) {
    return am_is(table, AM_TAG_TABLE) ? table->column_count : 0;
}

size_t am_table_rows(const am_table *table) {
    return am_is(table, AM_TAG_TABLE) ? table->rows : 0;
}

const char *am_table_column_name(const am_table *table, size_t index) {
    return index < am_table_columns(table) ? am_dictionary_word(&table->names, (uint32_t)index) : "";
}

const char *am_table_column_unit(const am_table *table, size_t index) {
    return index < am_table_columns(table) ? table->columns[index].unit : "";
}

const char *am_table_column_about(const am_table *table, size_t index) {
    return index < am_table_columns(table) && table->columns[index].about ? table->columns[index].about : "";
}

am_column_kind am_table_column_kind(const am_table *table, size_t index) {
    return index < am_table_columns(table) ? table->columns[index].kind : AM_COLUMN_NUMBER;
}

size_t am_table_find_column(const am_table *table, const char *name) {
    return name && am_is(table, AM_TAG_TABLE) ? am_dictionary_find(&table->names, name) : SIZE_MAX;
}

const double *am_table_numbers(const am_table *table, size_t index) {
    const column *col = am_table_rows(table) > 0 ? find_numbers(table, index) : NULL;
    return col ? col->numbers : NULL;
}

double am_table_number(const am_table *table, size_t row, size_t index) {
    const double *numbers = am_table_numbers(table, index);
    return numbers && row < table->rows ? numbers[row] : NAN;
}

const char *am_table_text(const am_table *table, size_t row, size_t index) {
    if (row >= am_table_rows(table) || index >= table->column_count || table->columns[index].kind != AM_COLUMN_TEXT)
        return "";
    const column *col = &table->columns[index];
    return am_dictionary_word(&col->words, col->codes[row]);
}

/* ---- Tables alike ---- */

void am_table_add_like(am_table *table, const am_table *like) {
    for (size_t i = 0; i < am_table_columns(like); i++) {
        const column *col = &like->columns[i];
        if (am_table_add_column(table, am_table_column_name(like, i), col->unit, col->kind, NULL) == AM_OK)
            table->columns[table->column_count - 1].about = col->about;
    }
}

void am_table_copy_row(am_table *table, size_t first, const am_table *from, size_t row) {
    for (size_t i = 0; i < am_table_columns(from); i++) {
        const char *name = am_table_column_name(from, i);
        bool beside = strcmp(am_table_column_name(table, first + i), name) == 0;
        size_t into = beside ? first + i : am_table_find_column(table, name);
        if (into == SIZE_MAX || table->columns[into].kind != from->columns[i].kind)
            continue;
        if (from->columns[i].kind == AM_COLUMN_TEXT)
            am_table_set_text(table, into, am_table_text(from, row, i), NULL);
        else
            am_table_set_number(table, into, am_table_number(from, row, i));
    }
}

/* ---- Absorbing ---- */

/* Is this what "<prefix>.<name>" means, or the name alone? */
static bool is_named(const char *full, const char *prefix, const char *name) {
    size_t length = prefix ? strlen(prefix) : 0;
    if (length == 0)
        return strcmp(full, name) == 0;
    return strncmp(full, prefix, length) == 0 && full[length] == '.' && strcmp(full + length + 1, name) == 0;
}

static am_status refuse_clashes(const am_result *into, const am_result *from, const char *prefix, am_error *err) {
    for (size_t i = 0; i < into->scalar_count; i++)
        for (size_t k = 0; k < from->scalar_count; k++)
            if (is_named(into->scalars[i].name, prefix, from->scalars[k].name))
                return am_fail(err, AM_ERR_INPUT, "there is already a summary value \"%s\"", into->scalars[i].name);
    for (size_t i = 0; i < into->table_count; i++)
        for (size_t k = 0; k < from->table_count; k++)
            if (is_named(into->tables[i]->name, prefix, from->tables[k]->name))
                return am_fail(err, AM_ERR_INPUT, "there is already a table \"%s\"", into->tables[i]->name);
    return AM_OK;
}

static am_status add_prefix(const char *prefix, char **name, am_error *err) {
    am_text text = {0};
    if (!prefix || !prefix[0])
        return AM_OK;
    am_text_printf(&text, "%s.%s", prefix, *name);
    char *longer = am_text_take(&text, err);
    if (!longer)
        return AM_ERR_MEMORY;
    am_memory_free(*name);
    *name = longer;
    return AM_OK;
}

/* Names first, since there may be no memory for them. */
static am_status move_all(am_result *into, am_result *from, const char *prefix, am_error *err) {
    for (size_t i = 0; i < from->scalar_count; i++)
        AM_TRY(add_prefix(prefix, (char **)&from->scalars[i].name, err));
    for (size_t i = 0; i < from->table_count; i++)
        AM_TRY(add_prefix(prefix, &from->tables[i]->name, err));
    for (size_t i = 0; i < from->scalar_count; i++)
        into->scalars[into->scalar_count++] = from->scalars[i];
    for (size_t i = 0; i < from->table_count; i++) {
        from->tables[i]->result = into;
        into->tables[into->table_count++] = from->tables[i];
    }
    from->scalar_count = from->table_count = 0;
    return AM_OK;
}

am_status am_result_absorb(am_result *into, am_result *from, const char *prefix, am_error *err) {
    if (!am_is(into, AM_TAG_RESULT) || !am_is(from, AM_TAG_RESULT))
        return am_misused(err, __func__);
    if (into == from)
        return am_fail(err, AM_ERR_INPUT, "a result cannot absorb itself");
    AM_TRY(am_result_status(from, err));
    size_t scalars = into->scalar_count + from->scalar_count, tables = into->table_count + from->table_count;
    drop_spares(from);
    drop_spares(into);
    AM_TRY(refuse_clashes(into, from, prefix, err));
    AM_TRY(am_memory_reserve(&into->scalars, &into->scalar_capacity, scalars, err));
    AM_TRY(am_memory_reserve(&into->tables, &into->table_capacity, tables, err));
    return move_all(into, from, prefix, err);
}

/* ---- Asking for some tables only ---- */

void am_result_set_observer(am_result *result, const void *observer) {
    if (am_is(result, AM_TAG_RESULT))
        result->observer = observer;
}

const void *am_result_get_observer(const am_result *result) {
    return result->observer;
}

void am_result_select(am_result *result, const am_result_wish *wish) {
    result->selective = wish != NULL;
    if (wish)
        result->wish = *wish;
}

bool am_result_wants(const am_result *result, const char *table) {
    for (size_t i = 0; result->selective && i < result->wish.count; i++)
        if (is_named(result->wish.tables[i], result->wish.prefix, table))
            return true;
    return !result->selective;
}

am_status am_result_move_table(am_result *into, am_result *from, const char *name, am_error *err) {
    for (size_t i = 0; i < from->table_count; i++) {
        if (strcmp(from->tables[i]->name, name) != 0)
            continue;
        AM_TRY(am_memory_reserve(&into->tables, &into->table_capacity, into->table_count + 1, err));
        from->tables[i]->result = into;
        into->tables[into->table_count++] = from->tables[i];
        from->tables[i] = from->tables[--from->table_count];
        break;
    }
    return AM_OK;
}

/* ---- Tables whose rows are known all at once ---- */

void am_table_adopt(am_table *table, size_t index, double **numbers) {
    column *col = find_numbers(table, index);
    if (!col || !*numbers)
        return;
    am_memory_free(col->numbers);
    col->numbers = *numbers;
    *numbers = NULL;
}

static am_status make_rows(am_table *table, size_t rows, am_error *err) {
    for (size_t i = 0; i < table->column_count; i++) {
        column *col = &table->columns[i];
        bool adopted = col->numbers != NULL;
        if (!adopted)
            AM_TRY(resize_column(col, rows, err));
        for (size_t r = 0; !adopted && r < rows; r++)
            empty_cell(col, r);
    }
    table->rows = table->capacity = rows;
    return AM_OK;
}

am_status am_table_make_rows(am_table *table, size_t rows, am_error *err) {
    am_error *why = first_of(table->result, err);
    return pass_on(why, make_rows(table, rows, why), err);
}

void am_table_set_axes(am_table *table, size_t axes, const size_t *shape) {
    table->axes = axes <= AM_TABLE_AXES ? axes : 0;
    memcpy(table->shape, shape, table->axes * sizeof *shape);
}

size_t am_table_axes(const am_table *table, const size_t **shape) {
    *shape = table->shape;
    return table->axes;
}
