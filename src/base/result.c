#include "amontons/result.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
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
    char *name, *unit;
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
    column *columns;
    size_t column_count, rows, capacity;
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
static am_status tell(const am_error *said, am_status status, am_error *err) {
    if (status && err && said != err)
        *err = *said;
    return status;
}

am_status am_result_status(const am_result *result, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    return tell(&result->failure, result->failure.status, err);
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

/* Room for one item more in an array that doubles. */
static am_status grow(void **items, size_t count, size_t *capacity, size_t size, am_error *err) {
    if (count < *capacity)
        return AM_OK;
    if (*capacity > SIZE_MAX / 4)
        return am_fail(err, AM_ERR_MEMORY, "out of memory: more than %zu items were needed", count);
    size_t wanted = *capacity < 8 ? 8 : *capacity * 2;
    AM_TRY(am_memory_resize_items(items, wanted, size, err));
    *capacity = wanted;
    return AM_OK;
}

/* ---- Result and scalars ---- */

am_result *am_result_create(am_error *err) {
    am_result *result = am_memory_new(1, sizeof *result, err);
    if (result)
        result->tag = AM_TAG_RESULT;
    return result;
}

static void free_column(column *col) {
    am_memory_free(col->name);
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
    am_memory_free(table->name);
    am_object_bury(table, sizeof *table);
}

/* The names that wait to be used again, away. */
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
    void *scalars = result->scalars;
    am_status status = grow(&scalars, result->scalar_count, &result->scalar_capacity, sizeof *result->scalars, err);
    result->scalars = scalars;
    if (status != AM_OK)
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

static am_status set_scalar(am_result *result, const char *name, am_scalar_kind kind, double number, const char *text,
                            am_error *err) {
    am_error *said = first_of(result, err);
    return tell(said, change_scalar(result, name, kind, number, text, said), err);
}

am_status am_result_set_number(am_result *result, const char *name, double value, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    return set_scalar(result, name, AM_SCALAR_NUMBER, value, NULL, err);
}

am_status am_result_set_count(am_result *result, const char *name, size_t value, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    return set_scalar(result, name, AM_SCALAR_COUNT, (double)value, NULL, err);
}

am_status am_result_set_flag(am_result *result, const char *name, bool value, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    return set_scalar(result, name, AM_SCALAR_FLAG, value ? 1.0 : 0.0, NULL, err);
}

am_status am_result_set_text(am_result *result, const char *name, const char *value, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    return set_scalar(result, name, AM_SCALAR_TEXT, NAN, value, err);
}

am_status am_result_set_none(am_result *result, const char *name, am_error *err) {
    if (!am_is(result, AM_TAG_RESULT))
        return am_misused(err, __func__);
    return set_scalar(result, name, AM_SCALAR_NONE, NAN, NULL, err);
}

size_t am_result_scalar_count(const am_result *result) {
    if (!am_is(result, AM_TAG_RESULT))
        return 0;
    return result->scalar_count;
}

const am_scalar *am_result_scalar(const am_result *result, size_t index) {
    if (!am_is(result, AM_TAG_RESULT))
        return NULL;
    return index < result->scalar_count ? &result->scalars[index] : NULL;
}

const am_scalar *am_result_find(const am_result *result, const char *name) {
    if (!am_is(result, AM_TAG_RESULT))
        return NULL;
    for (size_t i = 0; name && i < result->scalar_count; i++)
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
    void *tables = result->tables;
    am_status status = grow(&tables, result->table_count, &result->table_capacity, sizeof *result->tables, err);
    result->tables = tables;
    if (status != AM_OK)
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
    am_error *said = first_of(result, err);
    am_table *table = make_table(result, name, said);
    if (!table)
        tell(said, AM_ERR_MEMORY, err);
    return table;
}

static am_status fill_column(column *col, const char *name, const char *unit, am_column_kind kind, am_error *err) {
    col->kind = kind;
    col->name = am_memory_text(name, err);
    col->unit = am_memory_text(unit, err);
    if (!col->name || !col->unit)
        return AM_ERR_MEMORY;
    uint32_t code;
    return kind == AM_COLUMN_TEXT ? am_dictionary_code(&col->words, "", &code, err) : AM_OK;
}

static am_status make_column(am_table *table, const char *name, const char *unit, am_column_kind kind, am_error *err) {
    AM_TRY(require_name(name, "column", err));
    if (am_table_find_column(table, name) != SIZE_MAX)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" already has a column \"%s\"", table->name, name);
    if (table->rows > 0)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" has rows: columns are added before them", table->name);
    void *columns = table->columns;
    AM_TRY(am_memory_resize_items(&columns, table->column_count + 1, sizeof *table->columns, err));
    table->columns = columns;
    column *col = &table->columns[table->column_count];
    *col = (column){0};
    am_status status = fill_column(col, name, unit, kind, err);
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
    am_error *said = first_of(table->result, err);
    return tell(said, make_column(table, name, unit, kind, said), err);
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

static am_status resize_column(column *col, size_t capacity, am_error *err) {
    void *cells = col->kind == AM_COLUMN_TEXT ? (void *)col->codes : (void *)col->numbers;
    size_t size = col->kind == AM_COLUMN_TEXT ? sizeof *col->codes : sizeof *col->numbers;
    am_status status = am_memory_resize_items(&cells, capacity, size, err);
    if (col->kind == AM_COLUMN_TEXT)
        col->codes = cells;
    else
        col->numbers = cells;
    return status;
}

static am_status make_row(am_table *table, am_error *err) {
    if (table->column_count == 0)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" has no columns: rows come after them", table->name);
    if (table->rows == table->capacity) {
        if (table->capacity > SIZE_MAX / 4)
            return am_fail(err, AM_ERR_MEMORY, "out of memory: table \"%s\" has too many rows", table->name);
        size_t capacity = table->capacity < 16 ? 16 : table->capacity * 2;
        for (size_t i = 0; i < table->column_count; i++) {
            AM_TRY(resize_column(&table->columns[i], capacity, err));
        }
        table->capacity = capacity;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        column *col = &table->columns[i];
        if (col->kind == AM_COLUMN_TEXT)
            col->codes[table->rows] = 0;
        else
            col->numbers[table->rows] = NAN;
    }
    table->rows++;
    return AM_OK;
}

am_status am_table_add_row(am_table *table, am_error *err) {
    if (!am_is(table, AM_TAG_TABLE))
        return am_misused(err, __func__);
    am_error *said = first_of(table->result, err);
    return tell(said, make_row(table, said), err);
}

/* Numbers and flags. */
static bool holds_numbers(const am_table *table, size_t index) {
    return index < table->column_count && table->columns[index].kind != AM_COLUMN_TEXT;
}

void am_table_set_number(am_table *table, size_t index, double value) {
    if (!am_is(table, AM_TAG_TABLE))
        return;
    if (table->rows > 0 && holds_numbers(table, index))
        table->columns[index].numbers[table->rows - 1] = value;
}

void am_table_set_flag(am_table *table, size_t index, bool value) {
    if (!am_is(table, AM_TAG_TABLE))
        return;
    am_table_set_number(table, index, value ? 1.0 : 0.0);
}

static am_status change_text(am_table *table, size_t index, const char *value, am_error *err) {
    if (table->rows == 0)
        return am_fail(err, AM_ERR_INPUT, "table \"%s\" has no row to write into", table->name);
    if (index >= table->column_count || table->columns[index].kind != AM_COLUMN_TEXT)
        return am_fail(err, AM_ERR_INPUT, "column %zu of table \"%s\" is not a text column", index, table->name);
    column *col = &table->columns[index];
    return am_dictionary_code(&col->words, value ? value : "", &col->codes[table->rows - 1], err);
}

am_status am_table_set_text(am_table *table, size_t index, const char *value, am_error *err) {
    if (!am_is(table, AM_TAG_TABLE))
        return am_misused(err, __func__);
    am_error *said = first_of(table->result, err);
    return tell(said, change_text(table, index, value, said), err);
}

size_t am_result_table_count(const am_result *result) {
    if (!am_is(result, AM_TAG_RESULT))
        return 0;
    return result->table_count;
}

const am_table *am_result_table(const am_result *result, size_t index) {
    if (!am_is(result, AM_TAG_RESULT))
        return NULL;
    return index < result->table_count ? result->tables[index] : NULL;
}

const am_table *am_result_find_table(const am_result *result, const char *name) {
    if (!am_is(result, AM_TAG_RESULT))
        return NULL;
    for (size_t i = 0; name && i < result->table_count; i++)
        if (strcmp(result->tables[i]->name, name) == 0)
            return result->tables[i];
    return NULL;
}

const char *am_table_name(const am_table *table) {
    if (!am_is(table, AM_TAG_TABLE))
        return "";
    return table->name;
}

size_t am_table_columns(const am_table *table) {
    if (!am_is(table, AM_TAG_TABLE))
        return 0;
    return table->column_count;
}

size_t am_table_rows(const am_table *table) {
    if (!am_is(table, AM_TAG_TABLE))
        return 0;
    return table->rows;
}

const char *am_table_column_name(const am_table *table, size_t index) {
    if (!am_is(table, AM_TAG_TABLE))
        return "";
    return index < table->column_count ? table->columns[index].name : "";
}

const char *am_table_column_unit(const am_table *table, size_t index) {
    if (!am_is(table, AM_TAG_TABLE))
        return "";
    return index < table->column_count ? table->columns[index].unit : "";
}

am_column_kind am_table_column_kind(const am_table *table, size_t index) {
    if (!am_is(table, AM_TAG_TABLE))
        return (am_column_kind)0;
    return index < table->column_count ? table->columns[index].kind : AM_COLUMN_NUMBER;
}

size_t am_table_find_column(const am_table *table, const char *name) {
    if (!am_is(table, AM_TAG_TABLE))
        return 0;
    for (size_t i = 0; name && i < table->column_count; i++)
        if (strcmp(table->columns[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

const char *am_table_column_about(const am_table *table, size_t index) {
    if (!am_is(table, AM_TAG_TABLE))
        return "";
    return index < table->column_count && table->columns[index].about ? table->columns[index].about : "";
}

double am_table_number(const am_table *table, size_t row, size_t index) {
    if (!am_is(table, AM_TAG_TABLE))
        return NAN;
    return row < table->rows && holds_numbers(table, index) ? table->columns[index].numbers[row] : NAN;
}

const double *am_table_numbers(const am_table *table, size_t index) {
    if (!am_is(table, AM_TAG_TABLE))
        return NULL;
    return table->rows > 0 && holds_numbers(table, index) ? table->columns[index].numbers : NULL;
}

const char *am_table_text(const am_table *table, size_t row, size_t index) {
    if (!am_is(table, AM_TAG_TABLE))
        return "";
    if (row >= table->rows || index >= table->column_count || table->columns[index].kind != AM_COLUMN_TEXT)
        return "";
    const column *col = &table->columns[index];
    return am_dictionary_word(&col->words, col->codes[row]);
}

/* ---- Absorbing ---- */

static char *prefixed(const char *prefix, const char *name, am_error *err) {
    am_text text = {0};
    if (prefix && prefix[0])
        am_text_printf(&text, "%s.", prefix);
    am_text_add(&text, name);
    return am_text_take(&text, err);
}

static void free_names(char **names, size_t count) {
    for (size_t i = 0; names && i < count; i++)
        am_memory_free(names[i]);
    am_memory_free(names);
}

/* The names everything in `from` will have: scalars first, then tables. NULL on failure. */
static char **new_names(const am_result *from, const char *prefix, am_error *err) {
    size_t count = from->scalar_count + from->table_count;
    char **names = am_memory_new(count, sizeof *names, err);
    for (size_t i = 0; names && i < count; i++) {
        bool scalar = i < from->scalar_count;
        const char *name = scalar ? from->scalars[i].name : from->tables[i - from->scalar_count]->name;
        names[i] = prefixed(prefix, name, err);
        if (!names[i]) {
            free_names(names, count);
            return NULL;
        }
    }
    return names;
}

static am_status refuse_clashes(const am_result *into, const am_result *from, char **names, am_error *err) {
    for (size_t i = 0; i < from->scalar_count; i++)
        if (am_result_find(into, names[i]))
            return am_fail(err, AM_ERR_INPUT, "there is already a summary value \"%s\"", names[i]);
    for (size_t i = 0; i < from->table_count; i++)
        if (am_result_find_table(into, names[from->scalar_count + i]))
            return am_fail(err, AM_ERR_INPUT, "there is already a table \"%s\"", names[from->scalar_count + i]);
    return AM_OK;
}

static am_status reserve_items(void **items, size_t needed, size_t *capacity, size_t size, am_error *err) {
    if (needed <= *capacity)
        return AM_OK;
    AM_TRY(am_memory_resize_items(items, needed, size, err));
    *capacity = needed;
    return AM_OK;
}

static am_status reserve_for(am_result *into, const am_result *from, am_error *err) {
    void *scalars = into->scalars, *tables = into->tables;
    am_status status = reserve_items(&scalars, into->scalar_count + from->scalar_count, &into->scalar_capacity,
                                     sizeof *into->scalars, err);
    into->scalars = scalars;
    if (status != AM_OK)
        return status;
    status =
        reserve_items(&tables, into->table_count + from->table_count, &into->table_capacity, sizeof *into->tables, err);
    into->tables = tables;
    return status;
}

/* Cannot fail: room and names are there. The names change hands. */
static void move_all(am_result *into, am_result *from, char **names) {
    for (size_t i = 0; i < from->scalar_count; i++) {
        am_scalar scalar = from->scalars[i];
        am_memory_free((char *)scalar.name);
        scalar.name = names[i];
        into->scalars[into->scalar_count++] = scalar;
    }
    for (size_t i = 0; i < from->table_count; i++) {
        am_table *table = from->tables[i];
        am_memory_free(table->name);
        table->name = names[from->scalar_count + i];
        table->result = into;
        into->tables[into->table_count++] = table;
    }
    from->scalar_count = 0;
    from->table_count = 0;
}

am_status am_result_absorb(am_result *into, am_result *from, const char *prefix, am_error *err) {
    if (!am_is(into, AM_TAG_RESULT) || !am_is(from, AM_TAG_RESULT))
        return am_misused(err, __func__);
    if (into == from)
        return am_fail(err, AM_ERR_INPUT, "a result cannot absorb itself");
    if (from->failure.status)
        return am_result_status(from, err);
    size_t count = from->scalar_count + from->table_count;
    drop_spares(from);
    drop_spares(into);
    char **names = new_names(from, prefix, err);
    if (!names)
        return AM_ERR_MEMORY;
    am_status status = refuse_clashes(into, from, names, err);
    if (status == AM_OK)
        status = reserve_for(into, from, err);
    if (status != AM_OK) {
        free_names(names, count);
        return status;
    }
    move_all(into, from, names);
    am_memory_free(names);
    return AM_OK;
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

/* Is this what "<prefix>.<name>" means, or the name alone? */
static bool is_named(const char *full, const char *prefix, const char *name) {
    size_t length = prefix ? strlen(prefix) : 0;
    if (length == 0)
        return strcmp(full, name) == 0;
    return strncmp(full, prefix, length) == 0 && full[length] == '.' && strcmp(full + length + 1, name) == 0;
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
        void *tables = into->tables;
        am_status status = grow(&tables, into->table_count, &into->table_capacity, sizeof *into->tables, err);
        into->tables = tables;
        if (status != AM_OK)
            return status;
        from->tables[i]->result = into;
        into->tables[into->table_count++] = from->tables[i];
        from->tables[i] = from->tables[--from->table_count];
        break;
    }
    return AM_OK;
}

/* ---- Tables whose rows are known all at once ---- */

void am_table_adopt(am_table *table, size_t index, double **numbers) {
    if (!holds_numbers(table, index) || !*numbers)
        return;
    am_memory_free(table->columns[index].numbers);
    table->columns[index].numbers = *numbers;
    *numbers = NULL;
}

static am_status make_rows(am_table *table, size_t rows, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < table->column_count && status == AM_OK; i++) {
        column *col = &table->columns[i];
        bool number = col->kind != AM_COLUMN_TEXT, empty = !(number ? (void *)col->numbers : (void *)col->codes);
        if (empty)
            status = resize_column(col, rows, err);
        for (size_t r = 0; empty && status == AM_OK && r < rows; r++) {
            if (number)
                col->numbers[r] = NAN;
            else
                col->codes[r] = 0;
        }
    }
    if (status == AM_OK)
        table->rows = table->capacity = rows;
    return status;
}

am_status am_table_lay(am_table *table, size_t rows, am_error *err) {
    am_error *said = first_of(table->result, err);
    return tell(said, make_rows(table, rows, said), err);
}

void am_table_put_number(am_table *table, size_t row, size_t index, double value) {
    if (row < table->rows && holds_numbers(table, index))
        table->columns[index].numbers[row] = value;
}

am_status am_table_put_text(am_table *table, size_t row, size_t index, const char *value, am_error *err) {
    am_error *said = first_of(table->result, err);
    if (row >= table->rows || index >= table->column_count || table->columns[index].kind != AM_COLUMN_TEXT)
        return tell(
            said,
            am_fail(said, AM_ERR_INPUT, "table \"%s\" has no text in row %zu, column %zu", table->name, row, index),
            err);
    column *col = &table->columns[index];
    return tell(said, am_dictionary_code(&col->words, value, &col->codes[row], said), err);
}
