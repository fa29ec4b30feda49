#include "study/schema.h"
#include "base/try.h"

#include <string.h>

#include "base/text.h"

const am_field *am_schema_field(const am_schema *schema, const char *name) {
    for (size_t i = 0; i < schema->field_count; i++)
        if (schema->fields[i].name[0] == name[0] && strcmp(schema->fields[i].name, name) == 0)
            return &schema->fields[i];
    return NULL;
}

am_status am_unknown(am_reading *reading, const am_node *node, const char *what, const char *where, const char *word,
                     size_t count, const char *const *known) {
    am_text text = {0};
    am_text_printf(&text, "unknown %s '%s'%s%s", what, word, *where ? " in " : "", where);
    const char *nearest = am_text_nearest(word, known, count);
    if (nearest)
        am_text_printf(&text, "; did you mean '%s'?", nearest);
    else
        am_text_add(&text, ";");
    am_text_printf(&text, " known %ss:", what);
    for (size_t i = 0; i < count; i++)
        am_text_printf(&text, "%s %s", i ? "," : "", known[i]);
    am_status status = am_node_fail(node, reading->err, AM_ERR_INPUT, "%s", am_text_view(&text));
    am_text_free(&text);
    return status;
}

static am_status unknown_key(am_reading *reading, const am_schema *schema, const am_node *key) {
    const char **names = am_arena_new(reading->pool, schema->field_count + 1, sizeof *names, reading->err);
    if (!names)
        return AM_ERR_MEMORY;
    size_t count = 0;
    if (schema->has_kind)
        names[count++] = "kind";
    for (size_t i = 0; i < schema->field_count; i++)
        names[count++] = schema->fields[i].name;
    return am_unknown(reading, key, "key", schema->title, key->text, count, names);
}

static am_status check_keys(am_reading *reading, const am_schema *schema, const am_node *map) {
    for (size_t i = 0; i < map->count; i++) {
        const am_node *key = map->entries[i].key;
        if (!am_schema_field(schema, key->text) && !(schema->has_kind && strcmp(key->text, "kind") == 0))
            return unknown_key(reading, schema, key);
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (field->required && !am_node_get(map, field->name))
            return am_node_fail(map, reading->err, AM_ERR_INPUT, "%s needs the key '%s': %s", schema->title,
                                field->name, field->about);
    }
    return AM_OK;
}

/* Room for `count` items of the inner schema, with their positions. */
static am_status reserve_records(am_reading *reading, const am_field *field, const am_node *node, am_records *records) {
    *records = (am_records){.count = node->count, .node = node};
    records->items = am_arena_new(reading->pool, node->count, field->inner->size, reading->err);
    records->keys = am_arena_new(reading->pool, node->count, sizeof *records->keys, reading->err);
    records->nodes = am_arena_new(reading->pool, node->count, sizeof *records->nodes, reading->err);
    return records->items && records->keys && records->nodes ? AM_OK : AM_ERR_MEMORY;
}

/* A list (RECORDS) or a mapping of names (NAMED) of one schema. */
static am_status read_records(am_reading *reading, const am_field *field, const am_node *node, am_records *records) {
    am_node_kind expected = field->type == AM_FIELD_RECORDS ? AM_NODE_LIST : AM_NODE_MAP;
    if (node->kind != expected)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be %s, not %s", field->name,
                            expected == AM_NODE_LIST ? "a list" : "a mapping of names", am_node_kind_name(node));
    am_status status = reserve_records(reading, field, node, records);
    for (size_t i = 0; status == AM_OK && i < node->count; i++) {
        if (expected == AM_NODE_MAP)
            records->keys[i] = node->entries[i].key;
        records->nodes[i] = expected == AM_NODE_MAP ? node->entries[i].value : node->items[i];
        char *item = (char *)records->items + i * field->inner->size;
        status = am_schema_read(reading, field->inner, records->nodes[i], item);
    }
    return status;
}

static am_status read_field(am_reading *reading, const am_field *field, const am_node *node, void *target) {
    switch (field->type) {
    case AM_FIELD_NUMBER:
        return am_read_number(reading, node, field->name, field->range, target);
    case AM_FIELD_COUNT:
        return am_read_count(reading, node, field->name, target);
    case AM_FIELD_FLAG:
        return am_read_flag(reading, node, field->name, target);
    case AM_FIELD_TEXT:
        return am_read_text(reading, node, field->name, target);
    case AM_FIELD_WORD:
        return am_read_word(reading, node, field->name, field->words, target);
    case AM_FIELD_NUMBERS:
        return am_read_numbers(reading, node, field->name, field->range, field->shape, target);
    case AM_FIELD_WORDS:
        return am_read_words(reading, node, field->name, field->words, target);
    case AM_FIELD_TEXTS:
        return am_read_texts(reading, node, field->name, target);
    case AM_FIELD_MATRIX:
        return am_read_matrix(reading, node, field->name, field->shape, target);
    case AM_FIELD_RECORD:
        return am_schema_read(reading, field->inner, node, target);
    case AM_FIELD_RECORDS:
    case AM_FIELD_NAMED:
        return read_records(reading, field, node, target);
    case AM_FIELD_NODE:
        memcpy(target, &node, sizeof node);
        return AM_OK;
    }
    return AM_OK;
}

static am_status read_fields(am_reading *reading, const am_schema *schema, const am_node *map, void *record) {
    am_status status = check_keys(reading, schema, map);
    for (size_t i = 0; status == AM_OK && i < map->count; i++) {
        const am_field *field = am_schema_field(schema, map->entries[i].key->text);
        if (field)
            status = read_field(reading, field, map->entries[i].value, (char *)record + field->offset);
    }
    return status;
}

am_status am_schema_read_fields(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    if (schema->defaults)
        schema->defaults(record);
    if (node->kind == AM_NODE_MAP)
        return read_fields(reading, schema, node, record);
    if (schema->shorthand && !am_node_is_null(node)) {
        const am_field *field = am_schema_field(schema, schema->shorthand);
        return read_field(reading, field, node, (char *)record + field->offset);
    }
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a mapping (key: value), not %s", schema->title,
                        am_node_kind_name(node));
}

am_status am_schema_read(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    AM_TRY(am_schema_read_fields(reading, schema, node, record));
    if (schema->finish)
        AM_TRY(schema->finish(reading, node, record));
    return AM_OK;
}

bool am_schema_is_plain(const am_schema *schema, const am_node *node) {
    if (node->kind != AM_NODE_MAP)
        return node->kind == AM_NODE_SCALAR;
    for (size_t i = 0; i < node->count; i++) {
        const am_field *field = am_schema_field(schema, node->entries[i].key->text);
        bool inner = field && field->type == AM_FIELD_RECORD;
        bool alone = !field || field->type == AM_FIELD_NUMBER || field->type == AM_FIELD_COUNT ||
                     field->type == AM_FIELD_FLAG || field->type == AM_FIELD_WORD;
        if (!(inner ? am_schema_is_plain(field->inner, node->entries[i].value) : alone))
            return false;
    }
    return true;
}
