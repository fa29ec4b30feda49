#include "study/number_list.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"

typedef struct walk {
    am_number_list *list;
    am_arena *pool;
    am_error *err;
} walk;

am_status am_number_list_add(am_number_list *list, am_arena *pool, const char *path, double value, am_error *err) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        am_listed_number *larger = am_arena_new(pool, capacity, sizeof *larger, err);
        if (!larger)
            return AM_ERR_MEMORY;
        if (list->count > 0)
            memcpy(larger, list->numbers, list->count * sizeof *larger);
        list->numbers = larger;
        list->capacity = capacity;
    }
    list->numbers[list->count++] = (am_listed_number){path, value};
    return AM_OK;
}

/* "path.key"; NULL with err filled. */
static const char *below(walk *w, const char *path, const char *key) {
    size_t front = strlen(path), length = front + (front > 0) + strlen(key);
    char *joined = am_arena_new(w->pool, length + 1, 1, w->err);
    if (joined)
        snprintf(joined, length + 1, "%s%s%s", path, front > 0 ? "." : "", key);
    return joined;
}

/* Keys with points or brackets in them (names that users gave) would make paths with two meanings. */
static bool can_be_named(const char *key) {
    return *key && !strpbrk(key, ".[");
}

static const char *item_below(walk *w, const char *path, size_t item) {
    char key[32];
    snprintf(key, sizeof key, "%zu", item);
    return below(w, path, key);
}

/* Every number of a tree whose rows are known to its owner only: a matrix, a function of time, a law. */
static am_status list_tree(walk *w, const am_node *node, const char *path) {
    double value;
    if (!path)
        return AM_ERR_MEMORY;
    if (node->kind == AM_NODE_SCALAR)
        return am_node_number(node, &value) ? am_number_list_add(w->list, w->pool, path, value, w->err) : AM_OK;
    for (size_t i = 0; i < node->count; i++)
        if (node->kind == AM_NODE_LIST)
            AM_TRY(list_tree(w, node->items[i], item_below(w, path, i)));
        else if (can_be_named(node->entries[i].key->text))
            AM_TRY(list_tree(w, node->entries[i].value, below(w, path, node->entries[i].key->text)));
    return AM_OK;
}

static am_status list_record(walk *w, const am_schema *schema, const am_node *node, const char *path);

static am_status list_given(walk *w, const am_field *field, const am_node *node, const char *path) {
    switch (field->type) {
    case AM_FIELD_FLAG:
    case AM_FIELD_EITHER:
    case AM_FIELD_TEXT:
    case AM_FIELD_WORD:
    case AM_FIELD_WORDS:
    case AM_FIELD_FLAGS:
    case AM_FIELD_TEXTS:
        return AM_OK;
    case AM_FIELD_RECORD:
        return list_record(w, field->inner, node, path);
    case AM_FIELD_RECORDS:
    case AM_FIELD_ITEMS:
    case AM_FIELD_NAMED:
        for (size_t i = 0; i < node->count; i++)
            if (node->kind == AM_NODE_LIST)
                AM_TRY(list_record(w, field->inner, node->items[i], item_below(w, path, i)));
            else if (can_be_named(node->entries[i].key->text))
                AM_TRY(
                    list_record(w, field->inner, node->entries[i].value, below(w, path, node->entries[i].key->text)));
        return AM_OK;
    default:
        return list_tree(w, node, path);
    }
}

/* What a row says it is when left out; NAN: no number. */
static double initial_value(const am_field *field) {
    const am_node words = {.kind = AM_NODE_SCALAR, .text = field->initial};
    double value;
    return field->initial && am_node_number(&words, &value) ? value : NAN;
}

/* Does `row` stand in the place of a key of that name? */
static bool replaces(const am_field *row, const char *name) {
    size_t length = strlen(name);
    for (const char *word = row->instead_of; word && *word; word += strcspn(word, " "), word += strspn(word, " "))
        if (strcspn(word, " ") == length && strncmp(word, name, length) == 0)
            return true;
    return false;
}

/* Does the mapping say by another key what this one would? */
static bool is_said_otherwise(const am_schema *schema, const am_field *field, const am_node *node) {
    for (size_t i = 0; i < node->count; i++) {
        const am_field *given = am_schema_field(schema, node->entries[i].key->text);
        if (given && (replaces(given, field->name) || replaces(field, given->name)))
            return true;
    }
    return false;
}

static am_status list_left_out(walk *w, const am_schema *schema, const am_field *field, const am_node *node,
                               const char *path) {
    const char *own = below(w, path, field->name);
    double value = is_said_otherwise(schema, field, node) ? NAN : initial_value(field);
    return own ? am_number_list_add(w->list, w->pool, own, value, w->err) : AM_ERR_MEMORY;
}

static am_status list_record(walk *w, const am_schema *schema, const am_node *node, const char *path) {
    if (!path)
        return AM_ERR_MEMORY;
    if (node->kind != AM_NODE_MAP) /* a shorthand for one record, or a list of records */
        return list_tree(w, node, path);
    for (size_t i = 0; i < node->count; i++) {
        const am_field *field = am_schema_field(schema, node->entries[i].key->text);
        if (field)
            AM_TRY(list_given(w, field, node->entries[i].value, below(w, path, field->name)));
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        const am_field *field = &schema->fields[i];
        if (field->type == AM_FIELD_NUMBER && !field->same_as && !am_node_get(node, field->name))
            AM_TRY(list_left_out(w, schema, field, node, path));
    }
    return AM_OK;
}

am_status am_number_list_fill(am_number_list *list, am_arena *pool, const am_schema *schema, const am_node *model,
                              am_error *err) {
    walk w = {list, pool, err};
    return list_record(&w, schema, model, "");
}
