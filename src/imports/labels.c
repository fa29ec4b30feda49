#include "imports/labels.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/lines.h"
#include "base/memory.h"
#include "base/try.h"

const char *am_label_words(am_label label, char words[AM_LABEL_SIZE]) {
    if (label.direction > 0)
        snprintf(words, AM_LABEL_SIZE, "%ld.%d", label.node, label.direction);
    else
        snprintf(words, AM_LABEL_SIZE, "%ld", label.node);
    return words;
}

int am_direction_parse(const char *word, size_t length) {
    static const struct {
        const char *name;
        int direction;
    } names[] = {{"x", 1},  {"y", 2},  {"z", 3},  {"ux", 1},   {"uy", 2},   {"uz", 3},
                 {"rx", 4}, {"ry", 5}, {"rz", 6}, {"rotx", 4}, {"roty", 5}, {"rotz", 6}};
    if (length == 1 && word[0] >= '0' && word[0] <= '9')
        return word[0] - '0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && strncasecmp(names[i].name, word, length) == 0)
            return names[i].direction;
    return -1;
}

bool am_label_parse(const char *text, am_label *label) {
    static const char between[] = " \t,.";
    char *end;
    text += strspn(text, " \t");
    if (strncasecmp(text, "node", 4) == 0)
        text += 4 + strspn(text + 4, " \t");
    if (!isdigit((unsigned char)text[*text == '-']))
        return false;
    label->node = strtol(text, &end, 10);
    text = end + strspn(end, between);
    size_t length = strcspn(text, between);
    label->direction = length > 0 ? am_direction_parse(text, length) : 0;
    if (length > 0 ? text == end : end[strspn(end, " \t")] != '\0') /* "51x", "51." */
        return false;
    text += length;
    return label->direction >= 0 && text[strspn(text, " \t")] == '\0';
}

/* ---- rows by labels ---- */

static size_t slot_of(const am_labels *labels, am_label label) {
    uint64_t hash = ((uint64_t)label.node * 16 + (uint64_t)label.direction) * 0x9E3779B97F4A7C15u;
    return (size_t)(hash >> 20) & (labels->slot_count - 1);
}

static bool same(am_label one, am_label other) {
    return one.node == other.node && one.direction == other.direction;
}

/* Where it is, or would be. */
static size_t seek(const am_labels *labels, am_label label) {
    size_t slot = slot_of(labels, label);
    while (labels->slots[slot] && !same(labels->label[labels->slots[slot] - 1], label))
        slot = (slot + 1) & (labels->slot_count - 1);
    return slot;
}

static am_status rehash(am_labels *labels, size_t slots, am_error *err) {
    uint32_t *fresh = am_memory_new(slots, sizeof *fresh, err);
    if (!fresh)
        return AM_ERR_MEMORY;
    am_memory_free(labels->slots);
    labels->slots = fresh;
    labels->slot_count = slots;
    for (size_t i = 0; i < labels->count; i++)
        labels->slots[seek(labels, labels->label[i])] = (uint32_t)i + 1;
    return AM_OK;
}

am_status am_labels_row(am_labels *labels, am_label label, size_t *row, bool *added, am_error *err) {
    if (labels->slot_count < 2 * (labels->count + 1))
        AM_TRY(rehash(labels, labels->slot_count ? 2 * labels->slot_count : 64, err));
    size_t slot = seek(labels, label);
    bool fresh = labels->slots[slot] == 0;
    if (fresh) {
        AM_TRY(am_memory_reserve(&labels->label, &labels->capacity, labels->count + 1, err));
        labels->label[labels->count++] = label;
        labels->slots[slot] = (uint32_t)labels->count;
    }
    if (added)
        *added = fresh;
    *row = labels->slots[slot] - 1;
    return AM_OK;
}

size_t am_labels_find(const am_labels *labels, am_label label) {
    return labels->slot_count ? (size_t)labels->slots[seek(labels, label)] - 1 : SIZE_MAX; /* 0 - 1: SIZE_MAX */
}

typedef struct placed {
    am_label label;
    uint32_t row;
} placed;

static int compare(const void *one, const void *other) {
    const am_label *a = &((const placed *)one)->label, *b = &((const placed *)other)->label;
    return a->node != b->node ? (a->node > b->node) - (a->node < b->node) : a->direction - b->direction;
}

am_status am_labels_sort(am_labels *labels, uint32_t *place, am_error *err) {
    placed *sorted = am_memory_new(labels->count, sizeof *sorted, err);
    if (!sorted)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < labels->count; i++)
        sorted[i] = (placed){labels->label[i], (uint32_t)i};
    qsort(sorted, labels->count, sizeof *sorted, compare);
    for (size_t i = 0; i < labels->count; i++) {
        labels->label[i] = sorted[i].label;
        place[sorted[i].row] = (uint32_t)i;
    }
    am_memory_free(sorted);
    return labels->slot_count ? rehash(labels, labels->slot_count, err) : AM_OK;
}

am_status am_labels_copy(am_labels *copy, const am_labels *labels, am_error *err) {
    *copy = (am_labels){0};
    for (size_t i = 0; i < labels->count; i++) {
        size_t row;
        AM_TRY(am_labels_row(copy, labels->label[i], &row, NULL, err));
    }
    return AM_OK;
}

bool am_labels_equal(const am_labels *one, const am_labels *other) {
    bool equal = one->count == other->count;
    for (size_t i = 0; equal && i < one->count; i++)
        equal = same(one->label[i], other->label[i]);
    return equal;
}

void am_labels_clear(am_labels *labels) {
    am_memory_free(labels->label);
    am_memory_free(labels->slots);
    *labels = (am_labels){0};
}

/* ---- files ---- */

/* Three words: the first is the number of the row. */
static const char *without_number(const char *text, size_t row, bool *wrong) {
    static const char between[] = " \t,";
    const char *first = text + strspn(text, between), *second = first + strcspn(first, between);
    const char *third = second + strspn(second, between);
    third += strcspn(third, between);
    *wrong = false;
    if (third[strspn(third, between)] == '\0')
        return text;
    *wrong = strtoul(first, NULL, 10) != row + 1;
    return second;
}

static am_status read_line(am_labels *labels, const am_lines *lines, am_error *err) {
    am_label label;
    bool wrong, added;
    size_t row;
    const char *text = without_number(lines->text, labels->count, &wrong);
    if (wrong)
        return am_lines_wrong(lines, err, "expected the label of row %zu, 'row node direction'", labels->count + 1);
    if (!am_label_parse(text, &label))
        return am_lines_wrong(lines, err, "'%.60s' is no label; expected node and direction, such as 51.3",
                              lines->text);
    AM_TRY(am_labels_row(labels, label, &row, &added, err));
    char words[AM_LABEL_SIZE];
    return added ? AM_OK
                 : am_lines_wrong(lines, err, "%s is the label of row %zu already", am_label_words(label, words),
                                  row + 1);
}

am_status am_labels_read(am_labels *labels, const char *path, am_error *err) {
    am_lines lines;
    bool more = true;
    am_status status = am_lines_open(&lines, path, "a file of labels", err);
    *labels = (am_labels){0};
    while (!status && more) {
        status = am_lines_next(&lines, &more, err);
        if (!status && more && strpbrk(lines.text, "0123456789"))
            status = read_line(labels, &lines, err);
    }
    if (!status && labels->count == 0)
        status = am_lines_wrong(&lines, err, "the file has no labels; expected lines such as 51.3");
    labels->lines = lines.line;
    am_lines_close(&lines);
    if (status)
        am_labels_clear(labels);
    return status;
}
