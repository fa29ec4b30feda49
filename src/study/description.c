/* The rows of all schemas and all quantities as one JSON document, for programs: stubs and completion follow from it. */
#include "amontons/study.h"
#include "base/character.h"
#include "base/glossary.h"
#include "study/analyses.h"
#include "study/describe.h"
#include "study/models.h"

void am_describe_string(am_text *out, const char *text) {
    am_text_add(out, "\"");
    for (size_t length; *text; text += length) {
        unsigned character = am_character(text, &length);
        if (character < ' ' || character == 0x7f)
            am_text_printf(out, "\\u%04x", character);
        else if (character == AM_CHARACTER_UNKNOWN)
            am_text_add(out, "\xef\xbf\xbd");
        else if (character == '"' || character == '\\')
            am_text_printf(out, "\\%c", (int)character);
        else
            am_text_add_bytes(out, text, length);
    }
    am_text_add(out, "\"");
}

static void add_member(am_text *out, const char *name, const char *text) {
    if (!text)
        return;
    am_text_printf(out, ", \"%s\": ", name);
    am_describe_string(out, text);
}

static const char *type_name(am_field_type type) {
    static const char *const names[] = {
        [AM_FIELD_NUMBER] = "number",  [AM_FIELD_COUNT] = "count",     [AM_FIELD_DEGREE] = "count",
        [AM_FIELD_FLAG] = "flag",      [AM_FIELD_EITHER] = "word",     [AM_FIELD_TEXT] = "text",
        [AM_FIELD_WORD] = "word",      [AM_FIELD_NUMBERS] = "numbers", [AM_FIELD_LIST] = "numbers",
        [AM_FIELD_VECTOR] = "numbers", [AM_FIELD_ARRAY] = "numbers",   [AM_FIELD_WORDS] = "words",
        [AM_FIELD_FLAGS] = "words",    [AM_FIELD_TEXTS] = "texts",     [AM_FIELD_MATRIX] = "matrix",
        [AM_FIELD_RECORD] = "mapping", [AM_FIELD_RECORDS] = "list",    [AM_FIELD_ITEMS] = "list",
        [AM_FIELD_NAMED] = "named",    [AM_FIELD_NODE] = "any",        [AM_FIELD_LATER] = "any"};
    return names[type];
}

static void add_rows(am_text *out, const am_schema *schema);

static void add_words(am_text *out, const am_word *words) {
    if (!words)
        return;
    am_text_add(out, ", \"words\": {");
    for (const am_word *word = words; word->name; word++) {
        am_text_add(out, word == words ? "" : ", ");
        am_describe_string(out, word->name);
        am_text_add(out, ": ");
        am_describe_string(out, word->about ? word->about : "");
    }
    am_text_add(out, "}");
}

static void add_row(am_text *out, const am_field *field) {
    am_text_add(out, "{\"name\": ");
    am_describe_string(out, field->name);
    add_member(out, "type", type_name(field->type));
    add_member(out, "unit", field->unit);
    add_member(out, "default", field->initial);
    add_member(out, "about", field->about);
    add_member(out, "same_as", field->same_as);
    if (field->required)
        am_text_add(out, ", \"required\": true");
    if (field->range != AM_RANGE_ANY)
        add_member(out, "range", am_range_words(field->range));
    add_words(out, field->words);
    if (field->inner && am_describe_is_topic(field->inner))
        add_member(out, "topic", field->inner->name);
    else if (field->inner)
        add_rows(out, field->inner);
    am_text_add(out, "}");
}

static void add_rows(am_text *out, const am_schema *schema) {
    am_text_add(out, ", \"rows\": [");
    for (size_t i = 0; i < schema->field_count; i++) {
        am_text_add(out, i ? ",\n  " : "\n  ");
        add_row(out, &schema->fields[i]);
    }
    am_text_add(out, "]");
}

static void add_schema(void *context, const am_schema *schema, am_topic_kind kind) {
    static const char *const kinds[] = {
        [AM_TOPIC_MODEL] = "model", [AM_TOPIC_ANALYSIS] = "analysis", [AM_TOPIC_OTHER] = "topic"};
    am_text *out = context;
    am_text_add(out, am_text_view(out)[out->length - 1] == '[' ? "\n" : ",\n");
    am_text_add(out, "{\"name\": ");
    am_describe_string(out, schema->name);
    add_member(out, "kind", kinds[kind]);
    add_member(out, "about", schema->about);
    add_member(out, "shorthand", schema->shorthand);
    add_rows(out, schema);
    am_text_add(out, "}");
}

static void add_quantity(am_text *out, const am_glossary_entry *entry) {
    static const char *const sections[] = {
        [AM_GLOSSARY_SUMMARY] = "summary", [AM_GLOSSARY_TABLES] = "table", [AM_GLOSSARY_COLUMNS] = "column"};
    am_text_add(out, "{\"name\": ");
    am_describe_string(out, entry->name);
    add_member(out, "section", sections[entry->section]);
    add_member(out, "unit", entry->unit);
    add_member(out, "about", entry->about);
    add_member(out, "where", entry->where);
    am_text_add(out, "}");
}

char *am_study_description(am_error *err) {
    am_text out = {0};
    am_text_add(&out, "{\"schemas\": [");
    am_describe_each_topic(add_schema, &out);
    am_text_add(&out, "],\n\"quantities\": [");
    for (size_t i = 0; i < am_glossary_size(); i++) {
        am_text_add(&out, i ? ",\n" : "\n");
        add_quantity(&out, am_glossary_entry_at(i));
    }
    am_text_add(&out, "]}\n");
    return am_text_take(&out, err);
}
