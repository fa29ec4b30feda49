#include "study/coordinates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/try.h"

am_status am_picked_add(am_reading *reading, am_picked *picked, size_t index, double value) {
    if ((picked->count & (picked->count - 1)) == 0) { /* the space doubles */
        size_t capacity = picked->count ? 2 * picked->count : 1;
        size_t *indices = am_arena_new(reading->pool, capacity, sizeof *indices, reading->err);
        double *values = am_arena_new(reading->pool, capacity, sizeof *values, reading->err);
        if (!indices || !values)
            return AM_ERR_MEMORY;
        if (picked->count > 0) {
            memcpy(indices, picked->index, picked->count * sizeof *indices);
            memcpy(values, picked->value, picked->count * sizeof *values);
        }
        picked->index = indices;
        picked->value = values;
    }
    picked->index[picked->count] = index;
    picked->value[picked->count++] = value;
    return AM_OK;
}

/* ---- one of them ---- */

static bool find_name(const char *text, const am_coordinates *c, size_t *index) {
    for (size_t i = 0; c->names && i < c->n; i++)
        if (strcmp(c->names[i], text) == 0) {
            *index = i;
            return true;
        }
    return false;
}

static bool has_labels(const am_coordinates *c) {
    am_label label;
    bool found = c->labels && c->labels->count > 0;
    for (size_t i = 0; c->names && i < c->n && !found; i++)
        found = am_label_parse(c->names[i], &label);
    return found;
}

/* By its label, which may be its name; SIZE_MAX: none. */
static size_t place_of(const am_coordinates *c, am_label label) {
    char words[AM_LABEL_SIZE];
    size_t index = c->labels && c->labels->count > 0 ? am_labels_find(c->labels, label) : SIZE_MAX;
    if (index == SIZE_MAX)
        find_name(am_label_words(label, words), c, &index);
    return index;
}

/* 3, or q3 where there are no names; not where there are labels, among which 3 would be a node. */
static bool find_number(const char *text, const am_coordinates *c, size_t *index) {
    char *end;
    bool q = text[0] == 'q' && !c->names;
    if (!strchr("0123456789", text[q]) || !text[q] || has_labels(c))
        return false;
    unsigned long number = strtoul(text + q, &end, 10);
    *index = number - 1;
    return *end == '\0' && number >= 1 && number <= c->n;
}

static am_status unknown_label(am_reading *reading, const am_node *node, am_label label, const am_coordinates *c) {
    char words[AM_LABEL_SIZE], there[128] = "";
    if (c->clamped && am_labels_find(c->clamped, label) < SIZE_MAX)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "the coordinate %s is clamped (its stiffness in the file is huge) and cannot move",
                            am_label_words(label, words));
    for (int direction = 0; direction <= 6; direction++)
        if (place_of(c, (am_label){label.node, direction}) < SIZE_MAX)
            snprintf(there + strlen(there), sizeof there - strlen(there), "%s%d", there[0] ? ", " : "", direction);
    if (there[0])
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "there is no coordinate %s; the directions of node %ld are %s",
                            am_label_words(label, words), label.node, there);
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "there is no node %ld among the labels, which go from %s",
                        label.node,
                        c->labels && c->labels->count > 0 ? am_label_words(c->labels->label[0], words) : c->names[0]);
}

/* "TIP" or "TIP.3": the directions that its nodes have. */
static am_status find_set(am_reading *reading, const am_node *node, const char *text, const am_coordinates *c,
                          bool *found, am_picked *picked) {
    size_t length = strcspn(text, ". "), before = picked->count;
    const am_set *set = c->sets ? am_sets_find(c->sets, text, length) : NULL;
    const char *word = text + length + strspn(text + length, ". ");
    int only = *word ? am_direction_parse(word, strlen(word)) : -1;
    *found = set != NULL;
    if (!set)
        return AM_OK;
    if (*word && only < 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "'%.40s' is no direction: expected 1 to 6, or x, y, z",
                            word);
    for (size_t i = 0; i < set->count; i++)
        for (int direction = 0; direction <= 6; direction++) {
            size_t index = place_of(c, (am_label){set->node[i], direction});
            if (index < SIZE_MAX && (only < 0 || only == direction))
                AM_TRY(am_picked_add(reading, picked, index, 1.0));
        }
    return picked->count > before
               ? AM_OK
               : am_node_fail(node, reading->err, AM_ERR_INPUT, "none of the %zu nodes of the set %s can move%s%s",
                              set->count, set->name, *word ? " in direction " : "", word);
}

static am_status unknown_name(am_reading *reading, const am_node *node, const char *text, const am_coordinates *c) {
    enum { MOST_SHOWN = 64 };
    return c->names ? am_unknown(reading, node, "coordinate", "", text, c->n < MOST_SHOWN ? c->n : MOST_SHOWN, c->names)
                    : am_node_fail(node, reading->err, AM_ERR_INPUT,
                                   "there is no coordinate '%.60s'; expected a number from 1 to %zu", text, c->n);
}

am_status am_coordinates_find(am_reading *reading, const am_node *node, const char *text, const am_coordinates *c,
                              am_picked *picked) {
    size_t index = 0;
    am_label label;
    bool found = false;
    if (find_name(text, c, &index) || find_number(text, c, &index))
        return am_picked_add(reading, picked, index, 1.0);
    AM_TRY(find_set(reading, node, text, c, &found, picked));
    if (found)
        return AM_OK;
    if (has_labels(c) && am_label_parse(text, &label)) {
        index = place_of(c, label);
        return index < SIZE_MAX ? am_picked_add(reading, picked, index, 1.0) : unknown_label(reading, node, label, c);
    }
    if (has_labels(c))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "'%.60s' is no coordinate; expected a node and a direction such as 51.3%s", text,
                            c->sets ? ", or a set of nodes" : "");
    return unknown_name(reading, node, text, c);
}

am_status am_coordinates_one(am_reading *reading, const am_node *node, const char *text, const am_coordinates *c,
                             size_t *index) {
    am_picked picked = {0};
    AM_TRY(am_coordinates_find(reading, node, text, c, &picked));
    if (picked.count != 1)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "'%.60s' names %zu coordinates; expected one", text,
                            picked.count);
    *index = picked.index[0];
    return AM_OK;
}

/* ---- in the midst of names ---- */

/* The one coordinate that a text names otherwise than by its name; SIZE_MAX: none, or several. */
static size_t spelled_otherwise(am_reading *reading, const char *text, const am_coordinates *c) {
    am_error unused = {0};
    am_reading apart = *reading;
    const am_node nowhere = {.origin = ""};
    am_picked picked = {0};
    size_t index;
    apart.err = &unused;
    bool other = (strchr(text, ' ') || strchr(text, '.')) && !find_name(text, c, &index);
    bool one = other && am_coordinates_find(&apart, &nowhere, text, c, &picked) == AM_OK && picked.count == 1;
    return one ? picked.index[0] : SIZE_MAX;
}

/* It stands between underscores or points: v_51.z, free.51.z_1. */
const char *am_coordinates_spell(am_reading *reading, const am_coordinates *c, const char *text) {
    size_t length = strlen(text);
    char part[128];
    if (!c->names || !has_labels(c) || !strpbrk(text, " ."))
        return text;
    for (size_t i = 0; i < length; i++)
        for (size_t j = length; (i == 0 || strchr("_.", text[i - 1])) && j > i; j--) {
            if ((text[j] && text[j] != '_') || j - i >= sizeof part)
                continue;
            snprintf(part, sizeof part, "%.*s", (int)(j - i), text + i);
            size_t index = spelled_otherwise(reading, part, c);
            if (index == SIZE_MAX)
                continue;
            size_t size = length + strlen(c->names[index]) + 1;
            char *spelled = am_arena_new(reading->pool, size, 1, reading->err);
            if (spelled)
                snprintf(spelled, size, "%.*s%s%s", (int)i, text, c->names[index], text + j);
            return spelled;
        }
    return text;
}

/* ---- rows and lists ---- */

static int compare(const void *one, const void *other) {
    size_t a = *(const size_t *)one, b = *(const size_t *)other;
    return (a > b) - (a < b);
}

static am_status read_mapping(am_reading *reading, const am_node *node, const char *name,
                              const am_coordinates *coordinates, am_picked *picked) {
    for (size_t i = 0; i < node->count; i++) {
        size_t first = picked->count;
        double value;
        char item[128], digits[AM_TEXT_NUMBER_SIZE];
        const am_node *key = node->entries[i].key;
        AM_TRY(am_coordinates_find(reading, key, am_node_words(key, digits), coordinates, picked));
        snprintf(item, sizeof item, "%s of %s", name, am_node_words(key, digits));
        AM_TRY(am_read_number(reading, node->entries[i].value, item, AM_RANGE_ANY, &value));
        for (size_t k = first; k < picked->count; k++)
            picked->value[k] = value;
    }
    return AM_OK;
}

am_status am_coordinates_row(am_reading *reading, const am_node *node, const char *name,
                             const am_coordinates *coordinates, am_picked *picked) {
    am_numbers numbers = {0};
    *picked = (am_picked){0};
    if (node->kind == AM_NODE_MAP)
        return read_mapping(reading, node, name, coordinates, picked);
    if (node->kind == AM_NODE_LIST && node->count != coordinates->n)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must have one number per coordinate: %zu, not %zu",
                            name, coordinates->n, node->count);
    AM_TRY(am_read_numbers(reading, node, name, AM_RANGE_ANY, 0, &numbers));
    for (size_t i = 0; i < numbers.count; i++)
        if (numbers.values[i] != 0.0)
            AM_TRY(am_picked_add(reading, picked, i, numbers.values[i]));
    return AM_OK;
}

am_status am_coordinates_list(am_reading *reading, const am_node *node, const char *name,
                              const am_coordinates *coordinates, am_picked *picked) {
    am_texts texts = {0};
    *picked = (am_picked){0};
    AM_TRY(am_read_texts(reading, node, name, &texts));
    for (size_t i = 0; i < texts.count; i++)
        AM_TRY(am_coordinates_find(reading, node->kind == AM_NODE_LIST ? node->items[i] : node, texts.values[i],
                                   coordinates, picked));
    size_t kept = 0;
    if (picked->count > 0)
        qsort(picked->index, picked->count, sizeof *picked->index, compare);
    for (size_t k = 0; k < picked->count; k++)
        if (kept == 0 || picked->index[kept - 1] != picked->index[k])
            picked->index[kept++] = picked->index[k];
    picked->count = kept;
    return AM_OK;
}

double *am_picked_row(am_reading *reading, const am_picked *picked, size_t n) {
    double *row = am_arena_new(reading->pool, n, sizeof *row, reading->err);
    for (size_t k = 0; row && k < picked->count; k++)
        row[picked->index[k]] += picked->value[k];
    return row;
}
