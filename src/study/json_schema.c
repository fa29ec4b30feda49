#include "study/json_schema.h"

#include <string.h>

#include "base/glossary.h"
#include "study/analyses.h"
#include "study/describe.h"
#include "study/models.h"
#include "study/study.h"

#define DRAFT "\"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
#define SINGLE "{\"type\": [\"number\", \"string\", \"boolean\", \"null\"]}"
#define NUMBERS "{\"type\": \"array\", \"items\": {\"type\": \"number\"}}"

/* ---- rows ---- */

static void add_mapping(am_text *out, const am_schema *schema, bool numbers_required);
static void add_any_form(am_text *out, const am_schema *schema);

static const char *prefix_of(const am_schema *schema) {
    for (size_t i = 0; am_model_kinds[i]; i++)
        if (am_model_kinds[i]->schema == schema)
            return "model_";
    for (size_t i = 0; am_analysis_kinds[i]; i++)
        if (am_analysis_kinds[i]->schema == schema)
            return "analysis_";
    return "";
}

static void add_inner(am_text *out, const am_schema *schema) {
    if (am_describe_is_topic(schema))
        am_text_printf(out, "{\"$ref\": \"#/definitions/%s%s\"}", prefix_of(schema), schema->name);
    else
        add_any_form(out, schema);
}

static void add_word_list(am_text *out, const am_word *words) {
    am_text_add(out, "{\"enum\": [");
    for (const am_word *word = words; word->name; word++) {
        am_text_add(out, word == words ? "" : ", ");
        am_describe_string(out, word->name);
    }
    am_text_add(out, "]}");
}

static void add_number(am_text *out, const am_field *field) {
    am_text_add(out, "{\"type\": \"number\"");
    if (field->range == AM_RANGE_POSITIVE)
        am_text_add(out, ", \"exclusiveMinimum\": 0");
    else if (field->range != AM_RANGE_ANY)
        am_text_add(out, ", \"minimum\": 0");
    if (field->range == AM_RANGE_FRACTION)
        am_text_add(out, ", \"maximum\": 1");
    am_text_add(out, "}");
}

static void add_count(am_text *out, const am_field *field) {
    am_text_printf(out, "{\"type\": \"integer\", \"minimum\": %zu", field->least);
    if (field->most > 0)
        am_text_printf(out, ", \"maximum\": %zu", field->most);
    am_text_add(out, "}");
}

static void add_numbers(am_text *out, const am_field *field) {
    am_text_add(out, "{\"type\": \"array\", \"items\": ");
    add_number(out, field);
    if (field->shape > 0)
        am_text_printf(out, ", \"minItems\": %zu, \"maxItems\": %zu", field->shape, field->shape);
    am_text_add(out, "}");
}

static void add_one_or_list(am_text *out, const am_word *words) {
    am_text_add(out, "{\"anyOf\": [");
    for (int list = 0; list < 2; list++) {
        am_text_add(out, list ? ", {\"type\": \"array\", \"items\": " : "");
        if (words)
            add_word_list(out, words);
        else
            am_text_add(out, "{\"type\": [\"string\", \"number\", \"boolean\"]}");
    }
    am_text_add(out, "}]}");
}

/* What a value may be that is no mapping of its own. */
static void add_plain(am_text *out, const am_field *field) {
    switch (field->type) {
    case AM_FIELD_NUMBER:
        add_number(out, field);
        break;
    case AM_FIELD_COUNT:
    case AM_FIELD_DEGREE:
        add_count(out, field);
        break;
    case AM_FIELD_FLAG:
        am_text_add(out, "{\"type\": \"boolean\"}");
        break;
    case AM_FIELD_EITHER:
    case AM_FIELD_WORD:
        add_word_list(out, field->words);
        break;
    case AM_FIELD_TEXT:
        am_text_add(out, "{\"type\": [\"string\", \"number\", \"boolean\"]}");
        break;
    case AM_FIELD_NUMBERS:
    case AM_FIELD_LIST:
    case AM_FIELD_VECTOR:
    case AM_FIELD_ARRAY:
        add_numbers(out, field);
        break;
    case AM_FIELD_WORDS:
    case AM_FIELD_FLAGS:
    case AM_FIELD_TEXTS:
        add_one_or_list(out, field->words);
        break;
    case AM_FIELD_MATRIX:
        am_text_add(out, "{\"anyOf\": [{\"type\": \"array\", \"minItems\": 1, \"items\": {\"anyOf\": [{\"type\": "
                         "\"number\"}, " NUMBERS "]}}, {\"$ref\": \"#/definitions/matrix_file\"}]}");
        break;
    default:
        am_text_add(out, "{}"); /* its owner decides */
    }
}

static void add_value(am_text *out, const am_field *field) {
    switch (field->type) {
    case AM_FIELD_RECORD:
        add_inner(out, field->inner);
        return;
    case AM_FIELD_RECORDS:
    case AM_FIELD_ITEMS:
        am_text_add(out, "{\"type\": \"array\", \"items\": ");
        add_inner(out, field->inner);
        am_text_add(out, "}");
        return;
    case AM_FIELD_NAMED:
        am_text_add(out, "{\"type\": \"object\", \"additionalProperties\": ");
        add_inner(out, field->inner);
        am_text_add(out, "}");
        return;
    default:
        break;
    }
    bool several = field->inner || field->by_name;
    if (several)
        am_text_add(out, "{\"anyOf\": [");
    add_plain(out, field);
    if (field->by_name)
        am_text_add(out, ", {\"type\": \"object\", \"additionalProperties\": {\"type\": \"number\"}}");
    if (field->inner) {
        am_text_add(out, ", ");
        add_inner(out, field->inner);
    }
    if (several)
        am_text_add(out, "]}");
}

/* The value with what people read about it. */
static void add_row(am_text *out, const am_field *field) {
    am_text about = {0};
    am_text_add(&about, field->about);
    if (field->unit)
        am_text_printf(&about, " [%s]", field->unit);
    if (!field->required && field->initial)
        am_text_printf(&about, "; default %s", field->initial);
    am_describe_string(out, field->name);
    am_text_add(out, ": {\"description\": ");
    am_describe_string(out, am_text_view(&about));
    am_text_add(out, ", \"allOf\": [");
    add_value(out, field);
    am_text_add(out, "]}");
    out->status = out->status ? out->status : about.status;
    am_text_free(&about);
}

/* Keys that must be there. Numbers of a model may be missing: a threshold begins its search without. */
static void add_required(am_text *out, const am_schema *schema, bool others, bool numbers) {
    const char *comma = "";
    am_text_add(out, "\"required\": [");
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (!field->required || !(field->type == AM_FIELD_NUMBER ? numbers : others))
            continue;
        am_text_add(out, comma);
        am_describe_string(out, field->name);
        comma = ", ";
    }
    am_text_add(out, "]");
}

static void add_mapping(am_text *out, const am_schema *schema, bool numbers_required) {
    am_text_add(out, "{\"type\": \"object\", \"description\": ");
    am_describe_string(out, schema->about);
    am_text_add(out, ", ");
    add_required(out, schema, true, numbers_required);
    am_text_add(out, ", \"additionalProperties\": false, \"properties\": {");
    if (schema->has_kind) {
        am_text_add(out, "\"kind\": {\"const\": ");
        am_describe_string(out, schema->name);
        am_text_add(out, "}");
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        am_text_add(out, i || schema->has_kind ? ",\n  " : "\n  ");
        add_row(out, &schema->fields[i]);
    }
    am_text_add(out, "}}");
}

/* The mapping, or what stands for it. */
static void add_any_form(am_text *out, const am_schema *schema) {
    const am_field *shorthand = schema->shorthand ? am_schema_field(schema, schema->shorthand) : NULL;
    bool forms = shorthand || schema->several;
    if (forms)
        am_text_add(out, "{\"anyOf\": [");
    add_mapping(out, schema, strcmp(prefix_of(schema), "model_") != 0);
    if (shorthand) {
        am_text_add(out, ", ");
        if (shorthand->type == AM_FIELD_NODE)
            am_text_add(out, SINGLE);
        else
            add_value(out, shorthand);
    }
    if (schema->several)
        am_text_add(out, ", {\"type\": \"array\", \"items\": {\"type\": \"object\"}}");
    if (forms)
        am_text_add(out, "]}");
}

/* ---- studies ---- */

static void add_topic(void *context, const am_schema *schema, am_topic_kind kind) {
    am_text *out = context;
    (void)kind;
    if (schema == &am_study_schema)
        return;
    am_text_add(out, ",\n");
    am_text_printf(out, "\"%s%s\": ", prefix_of(schema), schema->name);
    add_any_form(out, schema);
}

/* A mapping whose `kind` chooses the rest. `numbers`: only that its required numbers are there. */
static void add_choice(am_text *out, bool models, bool numbers) {
    size_t count = 0;
    am_text_add(out, "{\"type\": \"object\", \"required\": [\"kind\"], \"properties\": {\"kind\": {\"enum\": [");
    for (; models ? am_model_kinds[count] != NULL : am_analysis_kinds[count] != NULL; count++) {
        am_text_add(out, count ? ", " : "");
        am_describe_string(out, (models ? am_model_kinds[count]->schema : am_analysis_kinds[count]->schema)->name);
    }
    am_text_add(out, "]}}, \"allOf\": [");
    for (size_t i = 0; i < count; i++) {
        const am_schema *schema = models ? am_model_kinds[i]->schema : am_analysis_kinds[i]->schema;
        am_text_printf(
            out,
            "%s\n  {\"if\": {\"required\": [\"kind\"], \"properties\": {\"kind\": {\"const\": \"%s\"}}}, \"then\": ",
            i ? "," : "", schema->name);
        if (numbers) {
            am_text_add(out, "{");
            add_required(out, schema, false, true);
            am_text_add(out, "}}");
        } else {
            am_text_printf(out, "{\"$ref\": \"#/definitions/%s%s\"}}", prefix_of(schema), schema->name);
        }
    }
    am_text_add(out, "]}");
}

/* Those rows of the study that have an owner elsewhere. */
static const char *form_of(const char *key) {
    static const char *const forms[][2] = {
        {"model", "{\"$ref\": \"#/definitions/model\"}"},
        {"analysis", "{\"$ref\": \"#/definitions/analysis\"}"},
        {"also", "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/definitions/analysis\"}}"},
        {"expect", "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/definitions/expect\"}}"},
        {"full", "{\"type\": \"object\"}"}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i][0], key) == 0)
            return forms[i][1];
    return NULL;
}

char *am_json_schema_of_studies(am_error *err) {
    am_text out = {0};
    am_text_add(&out, "{" DRAFT "\"title\": \"Amontons study\", \"type\": \"object\", \"description\": ");
    am_describe_string(&out, am_study_schema.about);
    am_text_add(&out, ", ");
    add_required(&out, &am_study_schema, true, true);
    am_text_add(&out, ", \"additionalProperties\": false, \"properties\": {");
    for (size_t i = 0; i < am_study_schema.field_count; i++) {
        const am_field *field = &am_study_schema.fields[i];
        const char *form = form_of(field->name);
        am_text_add(&out, i ? ",\n" : "\n");
        if (!form) {
            add_row(&out, field);
            continue;
        }
        am_text_printf(&out, "\"%s\": {\"description\": ", field->name);
        am_describe_string(&out, field->about);
        am_text_printf(&out, ", \"allOf\": [%s]}", form);
    }
    am_text_add(&out, "},\n\"if\": {\"properties\": {\"analysis\": {\"type\": \"object\", \"required\": "
                      "[\"threshold\"]}}}, \"then\": {}, \"else\": {\"properties\": {\"model\": ");
    add_choice(&out, true, true);
    am_text_add(&out, "}},\n\"definitions\": {\n\"model\": ");
    add_choice(&out, true, false);
    am_text_add(&out, ",\n\"analysis\": ");
    add_choice(&out, false, false);
    am_describe_each_topic(add_topic, &out);
    am_text_add(&out, "}}\n");
    return am_text_take(&out, err);
}

/* ---- results ---- */

/* Values of a summary by their names; names with a word in <...> are left to the rest. */
static void add_quantities(am_text *out) {
    for (size_t i = 0; i < am_glossary_size(); i++) {
        const am_glossary_entry *entry = am_glossary_entry_at(i);
        if (entry->section != AM_GLOSSARY_SUMMARY || strchr(entry->name, '<'))
            continue;
        const char *type = strcmp(entry->unit, "flag") == 0   ? "boolean"
                           : strcmp(entry->unit, "text") == 0 ? "string"
                                                              : "number";
        am_describe_string(out, entry->name);
        am_text_printf(out, ": {\"type\": [\"%s\", \"null\"], \"description\": ", type);
        am_describe_string(out, entry->about);
        am_text_add(out, "},\n");
    }
}

char *am_json_schema_of_results(am_error *err) {
    am_text out = {0};
    am_text_add(&out, "{" DRAFT "\"title\": \"What amontons prints with --json\", \"anyOf\": [\n"
                      "{\"required\": [\"error\"], \"not\": {\"required\": [\"summary\"]}},\n"
                      "{\"required\": [\"study\", \"analysis\", \"seconds\", \"summary\", \"summary_units\", "
                      "\"expect\", \"files\"]},\n"
                      "{\"required\": [\"coordinates\", \"frequencies\", \"warnings\", \"files\", \"rigid_motions\", "
                      "\"labels\"]}],\n\"properties\": {\n"
                      "\"study\": {\"type\": \"string\"}, \"title\": {\"type\": \"string\"}, \"source\": {\"type\": "
                      "\"string\"}, \"analysis\": {\"type\": \"string\"}, \"fingerprint\": {\"type\": \"string\"}, "
                      "\"seconds\": {\"type\": \"number\"},\n\"summary\": {\"type\": \"object\", \"properties\": {");
    add_quantities(&out);
    am_text_add(
        &out,
        "\"interrupted\": {\"const\": true}}, \"additionalProperties\": " SINGLE "},\n"
        "\"summary_units\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}},\n"
        "\"tables\": {\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\", \"required\": "
        "[\"columns\", "
        "\"units\", \"types\", \"rows\"], \"properties\": {\"columns\": {\"type\": \"array\", \"items\": {\"type\": "
        "\"string\"}}, \"units\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, \"types\": {\"type\": "
        "\"array\", \"items\": {\"enum\": [\"number\", \"count\", \"flag\", \"label\"]}}, \"rows\": {\"type\": "
        "\"array\", \"items\": {\"type\": \"array\", \"items\": " SINGLE "}}}}},\n"
        "\"expect\": {\"type\": \"array\", \"items\": {\"type\": \"object\", \"required\": [\"name\", \"wanted\", "
        "\"got\", \"ok\"], \"properties\": {\"name\": {\"type\": \"string\"}, \"ok\": {\"type\": \"boolean\"}}}},\n"
        "\"files\": {\"type\": \"array\"}, \"provenance\": {\"type\": \"object\"},\n"
        "\"coordinates\": {\"type\": \"integer\"}, \"rigid_motions\": {\"type\": \"integer\"}, "
        "\"frequencies\": " NUMBERS
        ", \"warnings\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, \"labels\": {\"type\": "
        "\"boolean\"},\n"
        "\"error\": {\"type\": \"object\", \"additionalProperties\": false, \"required\": [\"message\", \"file\", "
        "\"line\", \"column\", \"field\", \"status\"], \"properties\": {\"message\": {\"type\": \"string\"}, \"file\": "
        "{\"type\": [\"string\", \"null\"]}, \"line\": {\"type\": [\"integer\", \"null\"]}, \"column\": {\"type\": "
        "[\"integer\", \"null\"]}, \"field\": {\"type\": [\"string\", \"null\"], \"description\": \"its path in the "
        "study\"}, \"status\": {\"enum\": [1, 2, 3, 130]}}}}}\n");
    return am_text_take(&out, err);
}
