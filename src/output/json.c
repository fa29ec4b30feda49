/* The JSON document of a report. cJSON builds the document and writes all text; numbers are handed to it as text of our
 * own, because its number writer accepts 15 digits when they are within a rounding of the value, and a table's rows as
 * one piece, because a tree node per cell would cost more than the table. */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "amontons/output.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/text.h"
#include "output/names.h"
#include "output/provenance.h"

/* Adds `item` (NULL: it could not be made) to an object; the object owns it afterwards, or it is gone. */
static bool put(cJSON *object, const char *name, cJSON *item) {
    if (!item)
        return false;
    if (object && cJSON_AddItemToObject(object, name, item))
        return true;
    cJSON_Delete(item);
    return false;
}

static bool append(cJSON *array, cJSON *item) {
    if (!item)
        return false;
    if (array && cJSON_AddItemToArray(array, item))
        return true;
    cJSON_Delete(item);
    return false;
}

static cJSON *make_text(const char *text) {
    return text ? cJSON_CreateString(text) : cJSON_CreateNull();
}

static cJSON *make_number(double value) {
    if (!isfinite(value))
        return cJSON_CreateNull();
    return cJSON_CreateRaw(AM_NUMBER(value));
}

static cJSON *make_scalar(const am_scalar *scalar) {
    switch (scalar->kind) {
    case AM_SCALAR_NUMBER:
    case AM_SCALAR_COUNT:
        return make_number(scalar->number);
    case AM_SCALAR_FLAG:
        return cJSON_CreateBool(scalar->number != 0);
    case AM_SCALAR_TEXT:
        return make_text(scalar->text);
    case AM_SCALAR_NONE:
        break;
    }
    return cJSON_CreateNull();
}

/* The values by their names, and the unit of each. */
static bool put_summary(cJSON *document, const am_result *result) {
    cJSON *summary = cJSON_CreateObject(), *units = cJSON_CreateObject();
    bool done = put(document, "summary", summary);
    done = put(document, "summary_units", units) && done;
    for (size_t i = 0; done && result && i < am_result_scalar_count(result); i++) {
        const am_scalar *scalar = am_result_scalar(result, i);
        done = put(summary, scalar->name, make_scalar(scalar)) &&
               put(units, scalar->name, make_text(am_result_scalar_unit(result, i)));
    }
    return done;
}

/* ---- Tables ---- */

static bool add_escaped(am_text *text, const char *cell) {
    cJSON *item = cJSON_CreateStringReference(cell);
    char *printed = item ? cJSON_PrintUnformatted(item) : NULL;
    am_text_add(text, printed);
    bool done = printed != NULL;
    cJSON_free(printed);
    cJSON_Delete(item);
    return done;
}

static bool add_cell(am_text *text, const am_table *table, size_t row, size_t column) {
    if (am_table_column_kind(table, column) == AM_COLUMN_TEXT)
        return add_escaped(text, am_table_text(table, row, column));
    double value = am_table_number(table, row, column);
    if (!isfinite(value))
        am_text_add(text, "null");
    else if (am_table_column_kind(table, column) == AM_COLUMN_FLAG)
        am_text_add(text, value != 0.0 ? "true" : "false");
    else
        am_text_number(text, value);
    return true;
}

/* One line per row. */
static cJSON *make_rows(const am_table *table) {
    am_text text = {0};
    bool done = true;
    am_text_add(&text, "[");
    for (size_t row = 0; done && row < am_table_rows(table); row++) {
        am_text_add(&text, row > 0 ? ",\n\t\t\t\t[" : "\n\t\t\t\t[");
        for (size_t i = 0; done && i < am_table_columns(table); i++) {
            if (i > 0)
                am_text_add(&text, ", ");
            done = add_cell(&text, table, row, i);
        }
        am_text_add(&text, "]");
    }
    am_text_add(&text, "]");
    cJSON *rows = done && am_text_status(&text, NULL) == AM_OK ? cJSON_CreateRaw(text.data) : NULL;
    am_text_free(&text);
    return rows;
}

static const char *const type_names[] = {
    [AM_COLUMN_NUMBER] = "number", [AM_COLUMN_TEXT] = "label", [AM_COLUMN_FLAG] = "flag", [AM_COLUMN_COUNT] = "count"};

const char *am_output_column_type(am_column_kind kind) {
    return type_names[kind];
}

static bool put_table(cJSON *tables, const am_table *table) {
    cJSON *object = cJSON_CreateObject();
    if (!put(tables, am_table_name(table), object))
        return false;
    cJSON *columns = cJSON_CreateArray(), *units = cJSON_CreateArray(), *types = cJSON_CreateArray();
    bool done = put(object, "columns", columns);
    done = put(object, "units", units) && done;
    done = put(object, "types", types) && done;
    for (size_t i = 0; done && i < am_table_columns(table); i++)
        done = append(columns, make_text(am_table_column_name(table, i))) &&
               append(units, make_text(am_table_column_unit(table, i))) &&
               append(types, make_text(am_output_column_type(am_table_column_kind(table, i))));
    return done && put(object, "rows", make_rows(table));
}

static bool put_tables(cJSON *document, const am_result *result) {
    cJSON *tables = cJSON_CreateObject();
    if (!put(document, "tables", tables))
        return false;
    for (size_t i = 0; result && i < am_result_table_count(result); i++)
        if (!put_table(tables, am_result_table(result, i)))
            return false;
    return true;
}

/* ---- Expectations and files ---- */

/* What a study wrote as text, as the JSON value it stands for. */
static cJSON *make_value(const char *text) {
    if (!text)
        return cJSON_CreateNull();
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return cJSON_CreateBool(text[0] == 't');
    if (strcmp(text, "null") == 0)
        return cJSON_CreateNull();
    double value = 0.0;
    size_t length = am_text_parse_number(text, &value);
    return length > 0 && text[length] == '\0' && isfinite(value) ? make_number(value) : cJSON_CreateString(text);
}

static bool put_expectations(cJSON *document, const am_report *report) {
    cJSON *array = cJSON_CreateArray();
    bool done = put(document, "expect", array);
    for (size_t i = 0; done && i < report->expectation_count; i++) {
        const am_expectation *expectation = &report->expectations[i];
        cJSON *object = cJSON_CreateObject();
        done = append(array, object) && put(object, "name", make_text(expectation->name)) &&
               put(object, "wanted", make_value(expectation->wanted)) &&
               put(object, "got", make_value(expectation->got)) && put(object, "ok", cJSON_CreateBool(expectation->ok));
    }
    return done;
}

static bool put_files(cJSON *document, size_t file_count, const char *const *files) {
    cJSON *array = cJSON_CreateArray();
    bool done = put(document, "files", array);
    for (size_t i = 0; done && i < file_count; i++)
        done = append(array, make_text(files[i]));
    return done;
}

/* ---- Provenance ---- */

static bool put_facts(cJSON *object, const am_facts *facts) {
    bool done = true;
    for (size_t i = 0; done && i < facts->count; i++)
        done = put(object, facts->facts[i].name, make_text(facts->facts[i].value));
    return done;
}

static bool put_inputs(cJSON *object, const am_provenance *provenance) {
    cJSON *inputs = cJSON_CreateArray();
    bool done = put(object, "inputs", inputs);
    for (size_t i = 0; done && provenance && i < provenance->input_count; i++) {
        const am_input *input = &provenance->inputs[i];
        cJSON *item = cJSON_CreateObject();
        done = append(inputs, item) && put(item, "name", make_text(input->name)) &&
               put(item, "path", make_text(input->path)) && put(item, "sha256", make_text(input->sum));
    }
    return done;
}

static bool put_provenance(cJSON *document, const am_provenance *provenance) {
    am_facts run = {0}, libraries = {0};
    cJSON *object = cJSON_CreateObject(), *versions = cJSON_CreateObject();
    bool done = put(document, "provenance", object);
    done = done && am_facts_of_run(&run, provenance, NULL) == AM_OK && put_facts(object, &run) &&
           put_inputs(object, provenance);
    done = put(done ? object : NULL, "libraries", versions) && am_facts_of_libraries(&libraries, NULL) == AM_OK &&
           put_facts(versions, &libraries);
    am_facts_clear(&run);
    am_facts_clear(&libraries);
    return done;
}

char *am_output_json(const am_report *report, bool with_tables, size_t file_count, const char *const *files,
                     am_error *err) {
    if (!report)
        return am_misused_for_nothing(err, __func__);
    cJSON *document = cJSON_CreateObject();
    bool done = put(document, "study", make_text(report->study)) && put(document, "title", make_text(report->title)) &&
                put(document, "source", make_text(report->source)) &&
                put(document, "analysis", make_text(report->analysis)) &&
                (!report->fingerprint || put(document, "fingerprint", make_text(report->fingerprint))) &&
                put(document, "seconds", make_number(report->seconds)) && put_summary(document, report->result) &&
                (!with_tables || put_tables(document, report->result)) && put_expectations(document, report) &&
                put_files(document, file_count, files) && (with_tables || put_provenance(document, report->provenance));
    char *printed = done ? cJSON_Print(document) : NULL;
    cJSON_Delete(document);
    char *text = printed ? am_memory_text(printed, err) : NULL; /* memory of the library, whatever cJSON uses */
    if (!printed)
        am_fail(err, AM_ERR_MEMORY, "out of memory: the results do not fit into one JSON document");
    cJSON_free(printed);
    return text;
}

void am_output_text_free(char *text) {
    am_memory_free(text);
}
