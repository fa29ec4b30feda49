#include "study/node.h"
#include "base/try.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imports/labels.h"

am_node *am_node_new(am_arena *pool, am_node_kind kind, const am_node *like, am_error *err) {
    am_node *node = am_arena_new(pool, 1, sizeof *node, err);
    if (!node)
        return NULL;
    node->kind = kind;
    node->text = "";
    node->origin = "study";
    if (like) {
        node->origin = like->origin;
        node->line = like->line;
        node->column = like->column;
    }
    return node;
}

bool am_node_is_from_command(const am_node *node) {
    return node->line == 0;
}

/* Room for one more item of `size` bytes; a pool cannot shrink, so the old array is left behind. */
static am_status reserve(am_arena *pool, am_node *node, void **array, size_t size, am_error *err) {
    if (node->count < node->capacity)
        return AM_OK;
    size_t capacity = node->capacity ? 2 * node->capacity : 4;
    void *bigger = am_arena_new(pool, capacity, size, err);
    if (!bigger)
        return AM_ERR_MEMORY;
    if (node->count > 0)
        memcpy(bigger, *array, node->count * size);
    *array = bigger;
    node->capacity = capacity;
    return AM_OK;
}

am_status am_node_append(am_arena *pool, am_node *list, am_node *item, am_error *err) {
    void *array = list->items;
    AM_TRY(reserve(pool, list, &array, sizeof *list->items, err));
    list->items = array;
    list->items[list->count++] = item;
    return AM_OK;
}

am_status am_node_put(am_arena *pool, am_node *map, am_node *key, am_node *value, am_error *err) {
    void *array = map->entries;
    AM_TRY(reserve(pool, map, &array, sizeof *map->entries, err));
    map->entries = array;
    map->entries[map->count++] = (am_entry){key, value};
    return AM_OK;
}

/* Texts are shared: they never change and live in the tree's pool, which outlives its copies. */
am_node *am_node_copy(am_arena *pool, const am_node *node, am_error *err) {
    am_node *copy = am_node_new(pool, node->kind, node, err);
    if (!copy)
        return NULL;
    copy->text = node->text;
    copy->quoted = node->quoted;
    copy->numeric = node->numeric;
    copy->number = node->number;
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < node->count; i++) {
        am_node *child = am_node_copy(pool, node->kind == AM_NODE_LIST ? node->items[i] : node->entries[i].value, err);
        if (!child)
            return NULL;
        status = node->kind == AM_NODE_LIST ? am_node_append(pool, copy, child, err)
                                            : am_node_put(pool, copy, node->entries[i].key, child, err);
    }
    return status == AM_OK ? copy : NULL;
}

am_node *am_node_get(const am_node *map, const char *key) {
    if (!map || map->kind != AM_NODE_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++) {
        const char *text = map->entries[i].key->text;
        if (text[0] == key[0] && strcmp(text, key) == 0) /* most keys differ from the first letter on */
            return map->entries[i].value;
    }
    return NULL;
}

const am_node *am_node_at(const am_node *map, const char *key) {
    const am_node *value = am_node_get(map, key);
    return value ? value : map;
}

/* As far as a path begins with the label of a coordinate, "51.3" or "node 51 z", the longest one; 0: it does not. */
static size_t label_length(const char *path, am_label *label) {
    char text[64];
    size_t most = path[strcspn(path, "0123456789")] ? strnlen(path, sizeof text - 1) : 0; /* a label has a number */
    memcpy(text, path, most);
    for (size_t length = most; length > 0; length--) {
        if (path[length] && path[length] != '.')
            continue;
        text[length] = '\0';
        if (am_label_parse(text, label) && label->direction > 0)
            return length;
    }
    return 0;
}

/* The entry of the coordinate that `path` begins with, in whatever words either says it. */
static am_entry *match_label(const am_node *map, const char *path, const char **rest) {
    am_label wanted, label;
    size_t length = label_length(path, &wanted);
    for (size_t i = 0; length > 0 && i < map->count; i++)
        if (am_label_parse(map->entries[i].key->text, &label) && label.node == wanted.node &&
            label.direction == wanted.direction) {
            *rest = path + length + (path[length] == '.');
            return &map->entries[i];
        }
    return NULL;
}

/* The entry with the longest key that `path` begins with, up to a separator; NULL if none. *rest: what is left. */
static am_entry *match_key(const am_node *map, const char *path, const char **rest) {
    am_entry *best = NULL;
    size_t best_length = 0;
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->entries[i].key->text;
        size_t length = strlen(key);
        if (length == 0 || strncmp(path, key, length) != 0 || (path[length] && !strchr(".[", path[length])))
            continue;
        if (length > best_length) {
            best = &map->entries[i];
            best_length = length;
        }
    }
    if (best)
        *rest = path + best_length + (path[best_length] == '.');
    return best ? best : match_label(map, path, rest);
}

/* "0", "0.x", "[0]", "[0].x": the index, and what is left; false when there is no index. */
static bool match_index(const char *path, size_t *index, const char **rest) {
    bool bracket = *path == '[';
    const char *digits = path + bracket;
    if (!isdigit((unsigned char)*digits))
        return false;
    char *end;
    unsigned long value = strtoul(digits, &end, 10);
    if (bracket && *end++ != ']')
        return false;
    if (*end && !strchr(".[", *end))
        return false;
    *index = value;
    *rest = end + (*end == '.');
    return true;
}

/* One step along a path: where the child is kept, or NULL. */
static am_node **step(am_node *node, const char *path, const char **rest) {
    size_t index;
    if (node->kind == AM_NODE_MAP) {
        am_entry *entry = match_key(node, path, rest);
        return entry ? &entry->value : NULL;
    }
    if (node->kind == AM_NODE_LIST && match_index(path, &index, rest) && index < node->count)
        return &node->items[index];
    return NULL;
}

am_node *am_node_find(am_node *root, const char *path) {
    am_node *node = root;
    while (node && *path) {
        am_node **child = step(node, path, &path);
        node = child ? *child : NULL;
    }
    return node;
}

/* A load writes its function's fields below the kind ("sine: {amplitude: ...}"), where the builder says
 * "function.amplitude". */
static am_node *find_below(const am_node *map, const char *path, const char **rest) {
    for (size_t i = 0; i < map->count; i++) {
        am_node **child = NULL;
        if (map->entries[i].value->kind == AM_NODE_MAP)
            child = step(map->entries[i].value, path, rest);
        if (child)
            return *child;
    }
    return NULL;
}

const am_node *am_node_nearest(const am_node *root, const char *field) {
    am_node *node = (am_node *)root; /* only looked at */
    while (*field) {
        am_node **child = step(node, field, &field);
        am_node *next = child ? *child : NULL;
        if (!next && strncmp(field, "function.", 9) == 0) {
            field += 9;
            continue;
        }
        if (!next && node->kind == AM_NODE_MAP)
            next = find_below(node, field, &field);
        if (!next)
            break;
        node = next;
    }
    return node;
}

static am_status set_in_list(am_node *list, const char *path, am_node *value, am_node **next, const char **rest,
                             am_error *err) {
    size_t index;
    if (!match_index(path, &index, rest))
        return am_node_fail(value, err, AM_ERR_INPUT, "'%s' does not number an item of a list; expected 0 to %zu", path,
                            list->count ? list->count - 1 : 0);
    if (index >= list->count)
        return am_node_fail(value, err, AM_ERR_INPUT, "there is no item %zu in a list of %zu (items count from 0)",
                            index, list->count);
    if (!**rest)
        list->items[index] = value;
    *next = list->items[index];
    return AM_OK;
}

/* A key that is not there yet: its value, or a map on the way to it. */
static am_status add_key(am_arena *pool, am_node *map, const char *path, am_node *value, am_node **next,
                         const char **rest, am_error *err) {
    am_label label;
    size_t labelled = label_length(path, &label), length = labelled ? labelled : strcspn(path, ".");
    if (length == 0)
        return am_node_fail(value, err, AM_ERR_INPUT, "'%s' is not a path of names separated by points", path);
    am_node *key = am_node_new(pool, AM_NODE_SCALAR, value, err);
    if (!key || !(key->text = am_arena_text(pool, path, length, err)))
        return AM_ERR_MEMORY;
    *rest = path + length + (path[length] == '.');
    *next = **rest ? am_node_new(pool, AM_NODE_MAP, value, err) : value;
    return *next ? am_node_put(pool, map, key, *next, err) : AM_ERR_MEMORY;
}

static am_status set_in_map(am_arena *pool, am_node *map, const char *path, am_node *value, am_node **next,
                            const char **rest, am_error *err) {
    am_entry *entry = match_key(map, path, rest);
    if (!entry)
        return add_key(pool, map, path, value, next, rest, err);
    if (!**rest)
        entry->value = value;
    *next = entry->value;
    return AM_OK;
}

am_status am_node_set(am_arena *pool, am_node *root, const char *path, am_node *value, am_error *err) {
    am_node *node = root;
    if (!*path)
        return am_node_fail(value, err, AM_ERR_INPUT, "the path is empty; expected for example model.friction");
    while (*path) {
        am_node *next = NULL;
        const char *rest = "";
        am_status status = AM_OK;
        if (node->kind == AM_NODE_MAP)
            status = set_in_map(pool, node, path, value, &next, &rest, err);
        else if (node->kind == AM_NODE_LIST)
            status = set_in_list(node, path, value, &next, &rest, err);
        else
            status = am_node_fail(value, err, AM_ERR_INPUT, "there is nothing named '%s' inside a single value", path);
        if (status != AM_OK)
            return status;
        node = next;
        path = rest;
    }
    return AM_OK;
}

am_node *am_node_of_number(am_arena *pool, double number, const am_node *like, am_error *err) {
    am_node *node = am_node_new(pool, AM_NODE_SCALAR, like, err);
    if (node) {
        node->numeric = true;
        node->number = number;
    }
    return node;
}

const char *am_node_words(const am_node *node, char digits[AM_TEXT_NUMBER_SIZE]) {
    if (!node->numeric)
        return node->text;
    am_text_format_number(node->number, digits);
    return digits;
}

bool am_node_is_text(const am_node *node, const char *text) {
    return node && node->kind == AM_NODE_SCALAR && strcmp(node->text, text) == 0;
}

bool am_node_is_null(const am_node *node) {
    if (node->kind != AM_NODE_SCALAR || node->quoted || node->numeric)
        return false;
    return !*node->text || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0;
}

const char *am_node_kind_name(const am_node *node) {
    if (node->kind == AM_NODE_LIST)
        return "a list";
    if (node->kind == AM_NODE_MAP)
        return "a mapping";
    return am_node_is_null(node) ? "nothing" : node->quoted ? "a text" : "a single value";
}

static void print_position(const am_node *node, char *buffer, size_t size) {
    if (node->line > 0)
        snprintf(buffer, size, "%s:%d:%d", node->origin, node->line, node->column);
    else
        snprintf(buffer, size, "%s", node->origin);
}

am_status am_node_fail(const am_node *node, am_error *err, am_status status, const char *format, ...) {
    char message[sizeof err->message], position[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    print_position(node, position, sizeof position);
    return am_fail(err, status, "%s: %s", position, message);
}

void am_node_locate(const am_node *root, am_error *err) {
    if (!err || am_status_is_fatal(err->status))
        return;
    char message[sizeof err->message], position[512];
    snprintf(message, sizeof message, "%s", err->message);
    print_position(am_node_nearest(root, err->field), position, sizeof position);
    snprintf(err->message, sizeof err->message, "%s: %.*s", position, (int)(sizeof err->message - strlen(position) - 3),
             message);
}

/* Does the message begin with the position of this node? */
static bool is_blamed(const am_node *node, const char *message) {
    char position[512];
    print_position(node, position, sizeof position);
    size_t length = strlen(position);
    return strncmp(message, position, length) == 0 && strncmp(message + length, ": ", 2) == 0;
}

/* A mapping that is written in lines begins where its first key does: which of both the message means, it says. */
static bool names_first_key(const am_node *node, const char *message) {
    if (node->kind != AM_NODE_MAP || node->count == 0 || !is_blamed(node->entries[0].key, message))
        return false;
    char quoted[sizeof((am_error *)NULL)->field];
    snprintf(quoted, sizeof quoted, "'%s'", node->entries[0].key->text);
    return strstr(message, quoted) != NULL;
}

/* The outermost node that is blamed, or whose key is; `path` is that of `node`. */
static bool find_blamed(const am_node *node, const char *message, char *path, size_t length, size_t size) {
    if (is_blamed(node, message) && !names_first_key(node, message))
        return true;
    for (size_t i = 0; i < node->count && length + 2 < size; i++) {
        bool list = node->kind == AM_NODE_LIST;
        const am_node *key = list ? NULL : node->entries[i].key;
        const char *dot = length > 0 ? "." : "";
        int more = list ? snprintf(path + length, size - length, "%s%zu", dot, i)
                        : snprintf(path + length, size - length, "%s%s", dot, key->text);
        bool fits = more >= 0 && length + (size_t)more < size;
        if (fits && (key && is_blamed(key, message)))
            return true;
        const am_node *value = list ? node->items[i] : node->entries[i].value;
        if (fits && find_blamed(value, message, path, length + (size_t)more, size))
            return true;
        path[length] = '\0';
    }
    return false;
}

void am_node_name_field(const am_node *root, am_error *err) {
    char path[sizeof err->field] = "";
    if (err->status != AM_ERR_MEMORY && find_blamed(root, err->message, path, 0, sizeof path))
        memcpy(err->field, path, sizeof path);
}
