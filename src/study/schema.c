#include "study/schema.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "base/text.h"

am_status am_unknown(am_reading *reading, const am_node *node, const char *what, const char *where, const char *word,
                     size_t count, const char *const *known) {
    AM_LOCAL(am_text_free) am_text text = {0};
    am_text_printf(&text, "unknown %s '%s'%s%s", what, word, *where ? " in " : "", where);
    const char *nearest = am_text_nearest(word, known, count);
    if (nearest)
        am_text_printf(&text, "; did you mean '%s'?", nearest);
    else
        am_text_add(&text, ";");
    am_text_printf(&text, " known %ss:", what);
    for (size_t i = 0; i < count; i++)
        am_text_printf(&text, "%s %s", i ? "," : "", known[i]);
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s", am_text_view(&text));
}

/* "friction:0.3" and "friction: 0,3" between braces: YAML takes them for keys. */
static am_status refuse_slip(am_reading *reading, const am_schema *schema, const am_entry *entry) {
    const char *key = entry->key->text, *colon = strchr(key, ':');
    char name[64];
    double number;
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - key) : 0, key);
    if (!am_node_is_null(entry->value))
        return AM_OK;
    if (colon && am_schema_field(schema, name))
        return am_node_fail(entry->key, reading->err, AM_ERR_INPUT,
                            "unknown key '%s' in %s; a blank is missing behind the colon: write %s: %.60s", key,
                            schema->title, name, colon + 1);
    if (am_node_number(entry->key, &number))
        return am_node_fail(entry->key, reading->err, AM_ERR_INPUT,
                            "unknown key '%s' in %s; a decimal comma? Decimals have a point: 0.25", key, schema->title);
    return AM_OK;
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

/* Two names of one thing: both may be given if they say the same. */
static am_status check_same(am_reading *reading, const am_field *field, const am_node *map) {
    const am_node *given = am_node_get(map, field->name);
    const am_node *other = field->same_as ? am_node_get(map, field->same_as) : NULL;
    double one, two;
    if (!given || !other || !am_node_number(given, &one) || !am_node_number(other, &two) || one == two)
        return AM_OK;
    return am_node_fail(given, reading->err, AM_ERR_INPUT,
                        "%s is another name of %s, which is given too and differs: %g and %g", field->name,
                        field->same_as, one, two);
}

/* Two keys that say the same thing: refused. `names`: those that `field` stands in the place of. */
static am_status check_instead(am_reading *reading, const am_field *field, const am_node *map) {
    const am_node *given = am_node_get(map, field->name);
    for (const char *name = field->instead_of; given && name && *name; name += strspn(name, " ")) {
        char other[64];
        size_t length = strcspn(name, " ");
        if (am_node_get(map, am_text_part(other, sizeof other, name, length)))
            return am_node_fail(given, reading->err, AM_ERR_INPUT, "%s and %s say the same thing; give one of them",
                                other, field->name);
        name += length;
    }
    return AM_OK;
}

static am_status check_keys(am_reading *reading, const am_schema *schema, const am_node *map) {
    for (size_t i = 0; i < map->count; i++) {
        const am_node *key = map->entries[i].key;
        if (am_schema_field(schema, key->text) || (schema->has_kind && strcmp(key->text, "kind") == 0))
            continue;
        AM_TRY(refuse_slip(reading, schema, &map->entries[i]));
        return unknown_key(reading, schema, key);
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (field->required && !am_node_get(map, field->name))
            return am_node_fail(map, reading->err, AM_ERR_INPUT, "%s needs the key '%s': %s", schema->title,
                                field->name, field->about);
        AM_TRY(check_same(reading, field, map));
        AM_TRY(check_instead(reading, field, map));
    }
    return AM_OK;
}

static am_status read_given(am_reading *reading, const am_schema *schema, const am_node *node, void *record);

/* `count` items of the inner schema, with their positions. */
static am_status reserve_records(am_reading *reading, const am_field *field, const am_node *node, am_records *records) {
    *records = (am_records){.count = node->count, .node = node};
    records->items = am_arena_new(reading->pool, node->count, field->inner->size, reading->err);
    records->keys = am_arena_new(reading->pool, node->count, sizeof *records->keys, reading->err);
    records->nodes = am_arena_new(reading->pool, node->count, sizeof *records->nodes, reading->err);
    return records->items && records->keys && records->nodes ? AM_OK : AM_ERR_MEMORY;
}

/* A list (RECORDS) or a mapping of names (NAMED) of one schema. */
am_status am_read_records(am_reading *reading, const am_field *field, const am_node *node, am_records *records) {
    am_node_kind expected = field->type == AM_FIELD_NAMED ? AM_NODE_MAP : AM_NODE_LIST;
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

static am_status read_scaled(am_reading *reading, const am_field *field, const am_node *node, double *target) {
    AM_TRY(am_read_number(reading, node, field->name, field->range, target));
    if (field->factor)
        *target *= *field->factor;
    return AM_OK;
}

static am_status read_bounded(am_reading *reading, const am_field *field, const am_node *node, void *target) {
    char bounds[AM_COUNT_WORDS];
    size_t count;
    AM_TRY(am_read_count(reading, node, field->name, &count));
    if (!am_count_holds(field, count))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must %s, not %zu", field->name,
                            am_count_words(field, bounds), count);
    if (field->type == AM_FIELD_DEGREE)
        *(unsigned *)target = count < UINT_MAX ? (unsigned)count : UINT_MAX;
    else
        *(size_t *)target = count;
    return AM_OK;
}

static am_status read_inner(am_reading *reading, const am_schema *schema, const am_node *node, void *record);

const double am_row_by_name[1] = {0.0};

/* Numbers where the struct has a pointer (VECTOR) and a count (LIST), or the numbers themselves (ARRAY). */
static am_status read_plain_numbers(am_reading *reading, const am_field *field, const am_node *node, char *record) {
    am_numbers numbers = {0};
    if (field->inner && node->kind == AM_NODE_MAP)
        return read_inner(reading, field->inner, node, record);
    if (field->by_name && node->kind == AM_NODE_MAP) {
        const double *later = am_row_by_name;
        memcpy(record + field->offset, &later, sizeof later);
        return AM_OK;
    }
    if (field->inner && node->kind != AM_NODE_LIST)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a list of numbers or a mapping: %s",
                            field->name, field->about);
    AM_TRY(am_read_numbers(reading, node, field->name, field->range, field->shape, &numbers));
    if (field->type == AM_FIELD_ARRAY) {
        memcpy(record + field->offset, numbers.values, field->shape * sizeof(double));
        return AM_OK;
    }
    memcpy(record + field->offset, &numbers.values, sizeof numbers.values);
    if (field->type == AM_FIELD_LIST)
        memcpy(record + field->counted, &numbers.count, sizeof numbers.count);
    return AM_OK;
}

static am_status read_choice(am_reading *reading, const am_field *field, const am_node *node, void *target) {
    int value;
    AM_TRY(am_read_word(reading, node, field->name, field->words, &value));
    am_field_set_word(field, value, target);
    return AM_OK;
}

/* Of each word whether it is in the list. */
static am_status read_flags(am_reading *reading, const am_field *field, const am_node *node, bool *target) {
    am_words words = {0};
    AM_TRY(am_read_words(reading, node, field->name, field->words, &words));
    for (const am_word *word = field->words; word->name; word++)
        target[word->value] = false;
    for (size_t i = 0; i < words.count; i++)
        target[words.values[i]] = true;
    return AM_OK;
}

static am_status read_items(am_reading *reading, const am_field *field, const am_node *node, char *record) {
    am_records records = {0};
    AM_TRY(am_read_records(reading, field, node, &records));
    memcpy(record + field->offset, &records.items, sizeof records.items);
    memcpy(record + field->counted, &records.count, sizeof records.count);
    return AM_OK;
}

am_status am_schema_finish(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    am_status status = schema->complete ? schema->complete(record, reading->err) : AM_OK;
    if (status != AM_OK)
        am_node_locate(node, reading->err);
    return status == AM_OK && schema->finish ? schema->finish(reading, node, record) : status;
}

static am_status read_inner(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    if (schema->defaults)
        schema->defaults(record);
    AM_TRY(read_given(reading, schema, node, record));
    return am_schema_finish(reading, schema, node, record);
}

static am_status note_field(am_field_notes *notes, const am_field *field, const am_node *node, am_error *err) {
    AM_TRY(am_memory_reserve(&notes->notes, &notes->capacity, notes->count + 1, err));
    notes->notes[notes->count++] = (am_field_note){node, field};
    return AM_OK;
}

static am_status read_field(am_reading *reading, const am_field *field, const am_node *node, char *record) {
    void *target = record + field->offset;
    if (reading->notes)
        AM_TRY(note_field(reading->notes, field, node, reading->err));
    switch (field->type) {
    case AM_FIELD_NUMBER:
        if (field->inner && node->kind == AM_NODE_MAP)
            return read_inner(reading, field->inner, node, record);
        return read_scaled(reading, field, node, target);
    case AM_FIELD_COUNT:
    case AM_FIELD_DEGREE:
        return read_bounded(reading, field, node, target);
    case AM_FIELD_FLAG:
        return am_read_flag(reading, node, field->name, target);
    case AM_FIELD_TEXT:
        return am_read_text(reading, node, field->name, target);
    case AM_FIELD_WORD:
    case AM_FIELD_EITHER:
        return read_choice(reading, field, node, target);
    case AM_FIELD_NUMBERS:
        if (field->by_name && node->kind == AM_NODE_MAP) {
            *(am_numbers *)target = (am_numbers){0, am_row_by_name, node};
            return AM_OK;
        }
        return am_read_numbers(reading, node, field->name, field->range, field->shape, target);
    case AM_FIELD_LIST:
    case AM_FIELD_VECTOR:
    case AM_FIELD_ARRAY:
        return read_plain_numbers(reading, field, node, record);
    case AM_FIELD_WORDS:
        return am_read_words(reading, node, field->name, field->words, target);
    case AM_FIELD_FLAGS:
        return read_flags(reading, field, node, target);
    case AM_FIELD_TEXTS:
        return am_read_texts(reading, node, field->name, target);
    case AM_FIELD_MATRIX:
        return am_read_matrix(reading, node, field->name, field->shape, target);
    case AM_FIELD_RECORD:
        return node->kind == AM_NODE_LIST && field->inner->several
                   ? field->inner->several(reading, field->inner, node, target)
                   : read_inner(reading, field->inner, node, target);
    case AM_FIELD_RECORDS:
    case AM_FIELD_NAMED:
        return am_read_records(reading, field, node, target);
    case AM_FIELD_ITEMS:
        return read_items(reading, field, node, record);
    case AM_FIELD_NODE:
        memcpy(target, &node, sizeof node);
        return AM_OK;
    case AM_FIELD_LATER:
        return AM_OK;
    }
    return AM_OK;
}

static am_status read_given(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    if (node->kind != AM_NODE_MAP && (!schema->shorthand || am_node_is_null(node)))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a mapping (key: value), not %s",
                            schema->title, am_node_kind_name(node));
    if (node->kind != AM_NODE_MAP)
        return read_field(reading, am_schema_field(schema, schema->shorthand), node, record);
    AM_TRY(check_keys(reading, schema, node));
    for (size_t i = 0; i < node->count; i++) {
        const am_field *field = am_schema_field(schema, node->entries[i].key->text);
        if (field)
            AM_TRY(read_field(reading, field, node->entries[i].value, record));
    }
    return AM_OK;
}

am_status am_schema_read_fields(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    if (schema->defaults)
        schema->defaults(record);
    else
        am_schema_defaults(schema, record);
    return read_given(reading, schema, node, record);
}

am_status am_schema_read(am_reading *reading, const am_schema *schema, const am_node *node, void *record) {
    AM_TRY(am_schema_read_fields(reading, schema, node, record));
    return am_schema_finish(reading, schema, node, record);
}

bool am_schema_is_plain(const am_schema *schema, const am_node *node) {
    if (node->kind != AM_NODE_MAP)
        return node->kind == AM_NODE_SCALAR;
    for (size_t i = 0; i < node->count; i++) {
        const am_field *field = am_schema_field(schema, node->entries[i].key->text);
        bool inner = field && field->type == AM_FIELD_RECORD;
        bool alone = !field || (field->type == AM_FIELD_NUMBER && node->entries[i].value->kind == AM_NODE_SCALAR) ||
                     field->type == AM_FIELD_COUNT || field->type == AM_FIELD_FLAG || field->type == AM_FIELD_WORD ||
                     field->type == AM_FIELD_EITHER;
        if (!(inner ? am_schema_is_plain(field->inner, node->entries[i].value) : alone))
            return false;
    }
    return true;
}
