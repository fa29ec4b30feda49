/* Reading of single values: numbers, words, lists, matrices. */
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/local.h"
#include "base/text.h"
#include "study/number_hint.h"
#include "study/schema.h"

static bool looks_like_number(const char *text) {
    double value;
    size_t length = am_text_parse_number(text, &value);
    return length > 0 && text[length] == '\0';
}

bool am_node_number(const am_node *node, double *value) {
    if (node->kind != AM_NODE_SCALAR || node->quoted)
        return false;
    if (node->numeric) {
        *value = node->number;
        return isfinite(*value);
    }
    size_t length = am_text_parse_number(node->text, value);
    return length > 0 && node->text[length] == '\0' && isfinite(*value);
}

static bool names_no_finite_number(const char *text) {
    static const char *const names[] = {".nan", "nan", ".inf", "inf", "infinity"};
    char lower[16] = "";
    const char *p = text + (*text == '+' || *text == '-');
    for (size_t i = 0; p[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char)tolower((unsigned char)p[i]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(lower, names[i]) == 0)
            return true;
    return looks_like_number(text);
}

bool am_node_not_finite(const am_node *node) {
    double value;
    return node->kind == AM_NODE_SCALAR && !node->quoted && !am_node_number(node, &value) &&
           (node->numeric || names_no_finite_number(node->text));
}

static am_status not_a_number(am_reading *reading, const am_node *node, const char *name) {
    char digits[AM_TEXT_NUMBER_SIZE];
    if (node->kind != AM_NODE_SCALAR || am_node_is_null(node))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a number, not %s", name,
                            am_node_kind_name(node));
    if (am_node_not_finite(node))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a finite number, not '%s'", name,
                            am_node_words(node, digits));
    char hint[AM_NUMBER_HINT];
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a number such as 0.25, not the text '%.60s'%s",
                        name, node->text, am_number_hint(name, node->text, node->quoted, hint));
}

am_status am_read_number(am_reading *reading, const am_node *node, const char *name, am_range range, double *value) {
    char digits[AM_TEXT_NUMBER_SIZE];
    double number;
    if (!am_node_number(node, &number))
        return not_a_number(reading, node, name);
    if (!am_range_holds(range, number))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be %s, not %s", name, am_range_words(range),
                            am_node_words(node, digits));
    *value = number;
    return AM_OK;
}

/* Its own name is for a message alone: lists may have a million items. */
am_status am_read_item(am_reading *reading, const am_node *list, size_t index, const char *name, am_range range,
                       double *value) {
    char item[128];
    if (am_node_number(list->items[index], value) && am_range_holds(range, *value))
        return AM_OK;
    snprintf(item, sizeof item, "%s[%zu]", name, index);
    return am_read_number(reading, list->items[index], item, range, value);
}

am_status am_read_count(am_reading *reading, const am_node *node, const char *name, size_t *value) {
    char digits[AM_TEXT_NUMBER_SIZE];
    double number;
    if (!am_node_number(node, &number))
        return not_a_number(reading, node, name);
    if (!(number >= 0) || number > 9007199254740992.0 || number != floor(number))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a whole number, zero or positive, not %s",
                            name, am_node_words(node, digits));
    *value = (size_t)number;
    return AM_OK;
}

am_status am_read_flag(am_reading *reading, const am_node *node, const char *name, bool *value) {
    char digits[AM_TEXT_NUMBER_SIZE];
    bool yes = am_node_is_text(node, "true"), no = am_node_is_text(node, "false");
    if ((yes || no) && node->quoted)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be true or false, without quotes", name);
    if (!yes && !no && node->kind == AM_NODE_SCALAR && !am_node_is_null(node))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be true or false, not '%.60s'", name,
                            am_node_words(node, digits));
    if (!yes && !no)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be true or false, not %s", name,
                            am_node_kind_name(node));
    *value = yes;
    return AM_OK;
}

am_status am_read_text(am_reading *reading, const am_node *node, const char *name, const char **value) {
    if (node->kind != AM_NODE_SCALAR || am_node_is_null(node))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a text, not %s", name,
                            am_node_kind_name(node));
    *value = node->text;
    if (node->numeric) {
        char *digits = am_arena_new(reading->pool, AM_TEXT_NUMBER_SIZE, 1, reading->err);
        if (!digits)
            return AM_ERR_MEMORY;
        *value = am_node_words(node, digits);
    }
    return AM_OK;
}

static am_status unknown_word(am_reading *reading, const am_node *node, const char *name, const am_word *words) {
    AM_LOCAL(am_text_free) am_text text = {0};
    const char *names[32] = {NULL};
    size_t count = 0;
    for (; words[count].name && count < 32; count++)
        names[count] = words[count].name;
    char digits[AM_TEXT_NUMBER_SIZE];
    const char *word = am_node_words(node, digits), *nearest = am_text_nearest(word, names, count);
    am_text_printf(&text, "%s cannot be '%.60s'; ", name, word);
    if (nearest)
        am_text_printf(&text, "did you mean '%s'? ", nearest);
    am_text_add(&text, "expected one of:");
    for (size_t i = 0; i < count; i++)
        am_text_printf(&text, "%s %s", i ? "," : "", names[i]);
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s", am_text_view(&text));
}

am_status am_read_word(am_reading *reading, const am_node *node, const char *name, const am_word *words, int *value) {
    if (node->kind != AM_NODE_SCALAR || am_node_is_null(node))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a word, not %s", name,
                            am_node_kind_name(node));
    for (const am_word *word = words; word->name; word++)
        if (strcmp(word->name, node->text) == 0) {
            *value = word->value;
            return AM_OK;
        }
    return unknown_word(reading, node, name, words);
}

/* How many items a list has. A single value may stand for one of words or texts. */
static am_status count_items(am_reading *reading, const am_node *node, const char *name, const char *of, bool single,
                             size_t *count) {
    bool one = single && node->kind == AM_NODE_SCALAR && !am_node_is_null(node);
    *count = one ? 1 : node->count;
    if (one || node->kind == AM_NODE_LIST)
        return AM_OK;
    return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must be a list of %s, not %s", name, of,
                        am_node_kind_name(node));
}

static const am_node *item_of(const am_node *node, size_t index) {
    return node->kind == AM_NODE_SCALAR ? node : node->items[index];
}

am_status am_read_numbers(am_reading *reading, const am_node *node, const char *name, am_range range, size_t shape,
                          am_numbers *value) {
    size_t count;
    AM_TRY(count_items(reading, node, name, "numbers", false, &count));
    if (shape > 0 && count != shape)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "%s must have %zu numbers, not %zu", name, shape, count);
    double *numbers = am_arena_new(reading->pool, count, sizeof *numbers, reading->err);
    *value = (am_numbers){count, numbers, node};
    for (size_t i = 0; numbers && i < count; i++)
        AM_TRY(am_read_item(reading, node, i, name, range, &numbers[i]));
    return numbers ? AM_OK : AM_ERR_MEMORY;
}

am_status am_read_words(am_reading *reading, const am_node *node, const char *name, const am_word *words,
                        am_words *value) {
    size_t count;
    AM_TRY(count_items(reading, node, name, "words", true, &count));
    int *found = am_arena_new(reading->pool, count, sizeof *found, reading->err);
    *value = (am_words){count, found, node};
    for (size_t i = 0; found && i < count; i++)
        AM_TRY(am_read_word(reading, item_of(node, i), name, words, &found[i]));
    return found ? AM_OK : AM_ERR_MEMORY;
}

am_status am_read_texts(am_reading *reading, const am_node *node, const char *name, am_texts *value) {
    size_t count;
    AM_TRY(count_items(reading, node, name, "texts", true, &count));
    const char **found = am_arena_new(reading->pool, count, sizeof *found, reading->err);
    *value = (am_texts){count, found, node};
    for (size_t i = 0; found && i < count; i++)
        AM_TRY(am_read_text(reading, item_of(node, i), name, &found[i]));
    return found ? AM_OK : AM_ERR_MEMORY;
}

const char *const *am_texts_keep(am_arena *pool, size_t count, const char *const *texts, am_error *err) {
    const char **copies = am_arena_new(pool, count, sizeof *copies, err);
    for (size_t i = 0; copies && i < count; i++) {
        copies[i] = texts[i];
        if (am_arena_keep(pool, &copies[i], err) != AM_OK)
            return NULL;
    }
    return copies;
}
