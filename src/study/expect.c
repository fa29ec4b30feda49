#include "study/expect.h"
#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glossary.h"
#include "base/text.h"

/* One expectation as the study writes it: a plain value, or a mapping of these. */
typedef struct wish {
    const am_node *value;
    double tolerance, relative, above, below; /* NaN: not given */
} wish;

static const am_field wish_fields[] = {
    AM_FIELD("value", NODE, wish, value, .about = "what it must be"),
    AM_FIELD("tolerance", NUMBER, wish, tolerance, .optional = true, AM_NOT_NEGATIVE,
             .initial = "half a unit of the last digit written", .about = "how far a number may be off"),
    AM_FIELD("relative", NUMBER, wish, relative, .optional = true, AM_NOT_NEGATIVE,
             .about = "the same, as a fraction of the value"),
    AM_FIELD("above", NUMBER, wish, above, .optional = true, .about = "it must be greater than this"),
    AM_FIELD("below", NUMBER, wish, below, .optional = true, .about = "it must be less than this"),
};

static am_status wish_finish(am_reading *reading, const am_node *node, void *record) {
    wish *w = record;
    double number;
    const am_node *value = node->kind == AM_NODE_MAP ? w->value : node;
    if (value && am_node_not_finite(value))
        return am_node_fail(value, reading->err, AM_ERR_INPUT,
                            "an expectation must be a finite number, not '%s'; `null` means that there is none",
                            value->text);
    if (node->kind != AM_NODE_MAP)
        return node->kind == AM_NODE_SCALAR
                   ? AM_OK
                   : am_node_fail(node, reading->err, AM_ERR_INPUT, "an expectation cannot be a list");
    if (!w->value && isnan(w->above) && isnan(w->below))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "an expectation needs 'value', 'above' or 'below'");
    if (w->value && w->value->kind != AM_NODE_SCALAR)
        return am_node_fail(w->value, reading->err, AM_ERR_INPUT, "the value of an expectation must be single");
    bool is_number = w->value && am_node_number(w->value, &number);
    if ((!isnan(w->tolerance) || !isnan(w->relative)) && !is_number)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "a tolerance needs a number as 'value'");
    if ((!isnan(w->above) || !isnan(w->below)) && w->value && !is_number) /* nothing, a flag or a word is neither */
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "'above' and 'below' are about a number, but 'value' is '%s'", w->value->text);
    if (!isnan(w->tolerance) && !isnan(w->relative))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "tolerance and relative cannot both be given");
    return AM_OK;
}

const am_schema am_wish_schema = {
    .name = "expect",
    .title = "an expectation",
    .about = "Names of results with what they must be: `state_changes: 9`, `events[0].t: 3.580010`, `events.rows: 4`, "
             "`events[last].to: open`. Whole numbers, words, true, false and null must match exactly; a number with a "
             "decimal point must agree with all digits written. Or a mapping:",
    .size = sizeof(wish),
    .finish = wish_finish,
    AM_FIELDS(wish_fields),
    .shorthand = "value"};

am_status am_expect_read(am_reading *reading, const am_node *expect) {
    am_status status = AM_OK;
    if (expect->kind != AM_NODE_MAP)
        return am_node_fail(expect, reading->err, AM_ERR_INPUT, "expect must be a mapping of names to values, not %s",
                            am_node_kind_name(expect));
    for (size_t i = 0; status == AM_OK && i < expect->count; i++) {
        wish w = {0};
        const am_node *value = expect->entries[i].value;
        if (am_node_is_null(value)) /* `first_jump: null`: there must be none */
            continue;
        status = am_schema_read(reading, &am_wish_schema, value, &w);
    }
    return status;
}

/* ---- What the result holds under a name ---- */

/* "table[3].column", "table[last].column". False when the name is not a cell that exists. */
static bool find_cell(const am_result *result, const char *name, am_scalar *found) {
    char table_name[256], column[256], row_text[32];
    const char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;
    if (!close || close[1] != '.' || (size_t)(open - name) >= sizeof table_name || (size_t)(close - open) > 30)
        return false;
    snprintf(table_name, sizeof table_name, "%.*s", (int)(open - name), name);
    snprintf(row_text, sizeof row_text, "%.*s", (int)(close - open - 1), open + 1);
    snprintf(column, sizeof column, "%s", close + 2);
    const am_table *table = am_result_find_table(result, table_name);
    size_t index = table ? am_table_find_column(table, column) : SIZE_MAX;
    if (index == SIZE_MAX)
        return false;
    char *end = NULL;
    size_t rows = am_table_rows(table);
    size_t row = strcmp(row_text, "last") == 0 ? rows - 1 : strtoul(row_text, &end, 10);
    if (rows == 0 || row >= rows || (end && (*end || end == row_text)))
        return false;
    *found = (am_scalar){.name = name, .kind = AM_SCALAR_NUMBER};
    if (am_table_column_kind(table, index) == AM_COLUMN_TEXT) {
        found->kind = AM_SCALAR_TEXT;
        found->text = am_table_text(table, row, index);
    } else {
        found->number = am_table_number(table, row, index);
        if (am_table_column_kind(table, index) == AM_COLUMN_FLAG)
            found->kind = isnan(found->number) ? AM_SCALAR_NONE : AM_SCALAR_FLAG;
    }
    return true;
}

/* "table.rows" */
static bool find_rows(const am_result *result, const char *name, am_scalar *found) {
    char table_name[256];
    size_t length = strlen(name), tail = strlen(".rows");
    if (length <= tail || length >= sizeof table_name || strcmp(name + length - tail, ".rows") != 0)
        return false;
    snprintf(table_name, sizeof table_name, "%.*s", (int)(length - tail), name);
    const am_table *table = am_result_find_table(result, table_name);
    if (!table)
        return false;
    *found = (am_scalar){.name = name, .kind = AM_SCALAR_COUNT, .number = (double)am_table_rows(table)};
    return true;
}

static bool find_value(const am_result *result, const char *name, am_scalar *found) {
    const am_scalar *scalar = am_result_find(result, name);
    if (scalar) {
        *found = *scalar;
        return true;
    }
    return find_rows(result, name, found) || find_cell(result, name, found);
}

static am_status unknown_name(am_reading *reading, const am_node *key, const am_result *result) {
    const char *open = strchr(key->text, '[');
    size_t scalars = am_result_scalar_count(result), tables = am_result_table_count(result);
    const char **names = am_arena_new(reading->pool, scalars + tables, sizeof *names, reading->err);
    if (!names)
        return AM_ERR_MEMORY;
    char table[256];
    const char *end = open ? open : strstr(key->text, ".rows");
    snprintf(table, sizeof table, "%.*s", end ? (int)(end - key->text) : 0, key->text);
    const am_table *found = am_result_find_table(result, table);
    const am_glossary_entry *known = found ? NULL : am_glossary_find_table(table);
    if (known)
        return am_node_fail(key, reading->err, AM_ERR_INPUT, "expect: there is no '%s': no table '%s' came out (%s)",
                            key->text, table, known->unit);
    if (open && found)
        return am_node_fail(key, reading->err, AM_ERR_INPUT,
                            "expect: there is no cell '%s' in the results: %s has %zu row%s", key->text, table,
                            am_table_rows(found), am_table_rows(found) == 1 ? "" : "s");
    if (open)
        return am_node_fail(
            key, reading->err, AM_ERR_INPUT,
            "expect: there is no cell '%s' in the results; expected table[row].column with a row from 0 or "
            "'last'",
            key->text);
    for (size_t i = 0; i < scalars; i++)
        names[i] = am_result_scalar(result, i)->name;
    for (size_t i = 0; i < tables; i++) {
        char rows[300];
        int length = snprintf(rows, sizeof rows, "%s.rows", am_table_name(am_result_table(result, i)));
        names[scalars + i] = am_arena_text(reading->pool, rows, (size_t)length, reading->err);
        if (!names[scalars + i])
            return AM_ERR_MEMORY;
    }
    return am_unknown(reading, key, "result", "expect", key->text, scalars + tables, names);
}

/* ---- Comparing ---- */

/* Half a unit of the last digit written; 0 for a whole number. "3.580010" accepts what rounds to it. */
static double digits_tolerance(const char *text) {
    const char *point = strchr(text, '.'), *exponent = strpbrk(text, "eE");
    if (!point && !exponent)
        return 0;
    long digits = 0;
    if (point)
        for (const char *p = point + 1; *p && p != exponent; p++)
            digits++;
    long power = exponent ? strtol(exponent + 1, NULL, 10) : 0;
    return 0.5 * pow(10.0, (double)(power - digits));
}

static bool match_number(const wish *w, const am_node *value, double got, double *tolerance) {
    double wanted = 0;
    bool ok = isfinite(got);
    if (!isnan(w->above))
        ok = ok && got > w->above;
    if (!isnan(w->below))
        ok = ok && got < w->below;
    if (!value)
        return ok;
    if (!am_node_number(value, &wanted))
        return false;
    *tolerance = !isnan(w->tolerance)  ? w->tolerance
                 : !isnan(w->relative) ? w->relative * fabs(wanted)
                                       : digits_tolerance(value->text);
    return ok && fabs(got - wanted) <= *tolerance;
}

static bool match(const wish *w, const am_node *value, const am_scalar *got, double *tolerance) {
    bool none = got->kind == AM_SCALAR_NONE || (got->kind == AM_SCALAR_NUMBER && isnan(got->number));
    if (value && am_node_is_null(value))
        return none;
    if (got->kind == AM_SCALAR_TEXT)
        return value && isnan(w->above) && isnan(w->below) && strcmp(value->text, got->text) == 0;
    if (got->kind == AM_SCALAR_FLAG && value && (am_node_is_text(value, "true") || am_node_is_text(value, "false")))
        return am_node_is_text(value, got->number != 0 ? "true" : "false"); /* 1 and 0 are numbers, as in CSV */
    return !none && match_number(w, value, got->number, tolerance);
}

static void write_got(am_text *text, const am_scalar *got) {
    if (got->kind == AM_SCALAR_TEXT)
        am_text_add(text, got->text);
    else if (got->kind == AM_SCALAR_FLAG)
        am_text_add(text, got->number != 0 ? "true" : "false");
    else if (got->kind == AM_SCALAR_NONE || isnan(got->number))
        am_text_add(text, "null");
    else
        am_text_number(text, got->number);
}

static void write_wanted(am_text *text, const wish *w, const am_node *value) {
    if (value)
        am_text_add(text, am_node_is_null(value) ? "null" : value->text);
    if (!isnan(w->above)) {
        am_text_add(text, value ? ", above " : "above ");
        am_text_number(text, w->above);
    }
    if (!isnan(w->below)) {
        am_text_add(text, value || !isnan(w->above) ? ", below " : "below ");
        am_text_number(text, w->below);
    }
}

static const char *pool_text(am_reading *reading, am_text *text) {
    const char *kept = NULL;
    if (am_text_status(text, reading->err) == AM_OK)
        kept = am_arena_text(reading->pool, am_text_view(text), strlen(am_text_view(text)), reading->err);
    am_text_free(text);
    return kept;
}

/* A result that does not exist: it is nothing, whatever was expected, and the study is wrong. */
static am_status fail_unknown(am_reading *reading, const am_node *key, const am_result *result, am_error *mistake) {
    am_error own = {0};
    am_reading apart = *reading;
    apart.err = &own;
    am_status status = unknown_name(&apart, key, result);
    if (status != AM_ERR_INPUT) {
        *reading->err = own;
        return status;
    }
    if (mistake->status == AM_OK)
        *mistake = own;
    return AM_OK;
}

static am_status compare_one(am_reading *reading, const am_entry *entry, const am_result *result,
                             am_expectation *expectation, am_error *mistake) {
    wish w = {NULL, NAN, NAN, NAN, NAN};
    am_scalar got = {.kind = AM_SCALAR_NONE};
    const am_node *value = entry->value;
    am_text wanted_text = {0}, got_text = {0};
    if (!am_node_is_null(value)) {
        AM_TRY(am_schema_read(reading, &am_wish_schema, value, &w));
        value = w.value;
    }
    bool found = find_value(result, entry->key->text, &got);
    am_status failed = found ? AM_OK : fail_unknown(reading, entry->key, result, mistake);
    if (failed != AM_OK)
        return failed;
    *expectation = (am_expectation){.name = entry->key->text};
    expectation->ok = found && match(&w, value, &got, &expectation->tolerance);
    write_wanted(&wanted_text, &w, value);
    write_got(&got_text, &got);
    expectation->wanted = pool_text(reading, &wanted_text);
    expectation->got = pool_text(reading, &got_text);
    if (!expectation->wanted || !expectation->got)
        return AM_ERR_MEMORY;
    return am_arena_keep(reading->pool, &expectation->name, reading->err);
}

am_status am_expect_compare(am_reading *reading, const am_node *expect, const am_result *result, size_t *count,
                            am_expectation **expectations, am_error *mistake) {
    am_status status = AM_OK;
    *expectations = am_arena_new(reading->pool, expect->count, sizeof **expectations, reading->err);
    if (!*expectations)
        return AM_ERR_MEMORY;
    for (size_t i = 0; status == AM_OK && i < expect->count; i++)
        status = compare_one(reading, &expect->entries[i], result, &(*expectations)[i], mistake);
    *count = expect->count;
    return status;
}
