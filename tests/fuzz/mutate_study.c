/* Mutations of studies that stay studies most of the time (libFuzzer's custom mutator): a number becomes another
 * number, a word another word of the schemas, a field comes, goes or moves, a block is taken from another study. Bytes
 * are changed blindly in a tenth of the cases. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "study/schema.h"
#include "vocabulary.h"

/* Of libFuzzer, where it is there. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
                                 uint8_t *out, size_t most, unsigned seed);

typedef struct editor {
    char *text;
    size_t size, most;
    uint64_t random;
} editor;

typedef struct part {
    size_t at, length;
} part;

static size_t below(editor *e, size_t count) { /* xorshift */
    e->random ^= e->random << 13;
    e->random ^= e->random >> 7;
    e->random ^= e->random << 17;
    return count > 0 ? (size_t)(e->random >> 11) % count : 0;
}

/* Puts other text in the place of a part; nothing happens where there is no room. */
static void replace(editor *e, part old, const char *text, size_t length) {
    if (e->size - old.length + length > e->most)
        return;
    memmove(e->text + old.at + length, e->text + old.at + old.length, e->size - old.at - old.length);
    memcpy(e->text + old.at, text, length);
    e->size += length - old.length;
}

/* ---- what a text consists of ---- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool begins_number(const editor *e, size_t at) {
    char c = e->text[at];
    bool first = at == 0 || !(is_word(e->text[at - 1]) || strchr("+-.", e->text[at - 1]));
    return first && (isdigit((unsigned char)c) ||
                     (strchr("-.", c) && c && at + 1 < e->size && isdigit((unsigned char)e->text[at + 1])));
}

static bool begins_word(const editor *e, size_t at) {
    return isalpha((unsigned char)e->text[at]) && (at == 0 || !is_word(e->text[at - 1]));
}

static bool begins_mapping(const editor *e, size_t at) {
    return e->text[at] == '{';
}

static bool begins_item(const editor *e, size_t at) {
    return e->text[at] == ',';
}

static bool begins_line(const editor *e, size_t at) {
    return at == 0 || e->text[at - 1] == '\n';
}

/* A random place with a property; false: there is none. */
static bool find(editor *e, bool (*begins)(const editor *, size_t), size_t *at) {
    size_t count = 0;
    *at = 0;
    for (size_t i = 0; i < e->size; i++)
        if (begins(e, i) && below(e, ++count) == 0) /* each with the same chance */
            *at = i;
    return count > 0;
}

static size_t span(const editor *e, size_t at, const char *more) {
    size_t length = 0;
    while (at + length < e->size && (is_word(e->text[at + length]) || strchr(more, e->text[at + length])) &&
           e->text[at + length])
        length++;
    return length;
}

static size_t line_length(const editor *e, size_t at) {
    const char *end = memchr(e->text + at, '\n', e->size - at);
    return end ? (size_t)(end - (e->text + at)) + 1 : e->size - at;
}

/* ---- changes ---- */

static size_t write_number(editor *e, char *text, size_t room) {
    static const char *const special[] = {
        "0", "1",    "-1",   "2",   "0.5", "1e-8", "1e8", "1e300", "-1e300", "1e308", "1e-300", "3",   "4",        "5",
        "7", "-0.0", "1e15", "0.1", "10",  "90",   "180", "0.99",  "1e-3",   "1000",  "5e-324", "1.5", "6.2831853"};
    if (below(e, 2) == 0)
        return (size_t)snprintf(text, room, "%s", special[below(e, sizeof special / sizeof *special)]);
    return (size_t)snprintf(text, room, "%g", ((double)below(e, 4001) - 1000.0) / (below(e, 2) ? 100.0 : 1000.0));
}

static void change_number(editor *e) {
    char text[64];
    size_t at;
    if (!find(e, begins_number, &at))
        return;
    size_t length = write_number(e, text, sizeof text);
    replace(e, (part){at, span(e, at, "+-.")}, text, length);
}

/* A little more or less of it, so that most studies stay what they are: whole numbers stay whole. */
static void vary_number(editor *e) {
    char text[64], old[64];
    size_t at;
    if (!find(e, begins_number, &at))
        return;
    size_t length = span(e, at, "+-.");
    if (length >= sizeof old)
        return;
    memcpy(old, e->text + at, length);
    old[length] = '\0';
    double value = strtod(old, NULL);
    bool whole = !strpbrk(old, ".eE");
    if (whole)
        value += (double)below(e, 5) - 2.0;
    else
        value *= 0.5 + (double)below(e, 1501) / 1000.0;
    int written = snprintf(text, sizeof text, whole ? "%.0f" : "%.6g", value);
    replace(e, (part){at, length}, text, (size_t)written);
}

static const char *any_word(editor *e) {
    const fuzz_vocabulary *all = fuzz_words();
    size_t which = below(e, all->kinds + all->fields + all->words);
    if (which < all->kinds)
        return all->kind[which];
    which -= all->kinds;
    return which < all->fields ? all->field[which]->name : all->word[which - all->fields];
}

static void change_word(editor *e) {
    size_t at;
    if (!find(e, begins_word, &at))
        return;
    const char *word = any_word(e);
    replace(e, (part){at, span(e, at, "")}, word, strlen(word));
}

/* `name: value` with a value of its type. */
static size_t write_field(editor *e, char *text, size_t room) {
    const fuzz_vocabulary *all = fuzz_words();
    const am_field *field = all->field[below(e, all->fields)];
    char number[64];
    size_t words = 0;
    while (field->words && field->words[words].name)
        words++;
    write_number(e, number, sizeof number);
    const char *value = words > 0                            ? field->words[below(e, words)].name
                        : field->example && below(e, 2) == 0 ? field->example
                        : field->type == AM_FIELD_FLAG       ? (below(e, 2) ? "true" : "false")
                        : field->type == AM_FIELD_TEXT       ? any_word(e)
                                                             : number;
    int length = field->type == AM_FIELD_NUMBERS ? snprintf(text, room, "%s: [%s, %s]", field->name, value, number)
                                                 : snprintf(text, room, "%s: %s", field->name, value);
    return (size_t)length < room ? (size_t)length : room - 1;
}

static void add_field(editor *e) {
    char text[512], whole[600];
    size_t at = 0, indent = 0;
    write_field(e, text, sizeof text);
    if (below(e, 2) == 0 && find(e, begins_mapping, &at)) {
        snprintf(whole, sizeof whole, "%s, ", text);
        at++;
    } else {
        if (!find(e, begins_line, &at))
            return;
        while (at + indent < e->size && e->text[at + indent] == ' ' && indent < 20)
            indent++;
        snprintf(whole, sizeof whole, "%*s%s\n", (int)indent, "", text);
    }
    replace(e, (part){at, 0}, whole, strlen(whole));
}

static void remove_item(editor *e) {
    size_t at, length = 1, depth = 0;
    if (!find(e, begins_item, &at))
        return;
    for (; at + length < e->size; length++) { /* to the next comma or bracket outside of brackets */
        char c = e->text[at + length];
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
    }
    replace(e, (part){at, length}, "", 0);
}

static void remove_line(editor *e) {
    size_t at;
    if (find(e, begins_line, &at))
        replace(e, (part){at, line_length(e, at)}, "", 0);
}

static void copy_line(editor *e) {
    char line[512];
    size_t from, to;
    if (!find(e, begins_line, &from) || !find(e, begins_line, &to))
        return;
    size_t length = line_length(e, from);
    if (length > sizeof line)
        return;
    memcpy(line, e->text + from, length);
    replace(e, (part){to, 0}, line, length);
}

static void mutate_once(editor *e) {
    static void (*const changes[])(editor *) = {vary_number,   vary_number,   vary_number, vary_number, vary_number,
                                                vary_number,   vary_number,   vary_number, vary_number, vary_number,
                                                change_number, change_number, change_word, add_field,   remove_item,
                                                remove_line,   copy_line};
    size_t which = below(e, 18);
    if (which < sizeof changes / sizeof *changes)
        changes[which](e);
    else if (LLVMFuzzerMutate)
        e->size = LLVMFuzzerMutate((uint8_t *)e->text, e->size, e->most);
}

static uint64_t start(unsigned seed) {
    return (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    editor e = {(char *)data, size, most, start(seed)};
    if (size == 0)
        return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : 0;
    do
        mutate_once(&e);
    while (below(&e, 2) == 0);
    return e.size;
}

/* ---- a block of another study ---- */

/* Blocks begin with a line that is not indented. */
static bool begins_block(const editor *e, size_t at) {
    return begins_line(e, at) && isalpha((unsigned char)e->text[at]);
}

static part block_at(const editor *e, size_t at) {
    part block = {at, line_length(e, at)};
    while (at + block.length < e->size && !begins_block(e, at + block.length))
        block.length += line_length(e, at + block.length);
    return block;
}

/* The block of the same name, or the end. */
static part block_like(const editor *e, const char *name, size_t length) {
    for (size_t at = 0; at < e->size; at++)
        if (begins_block(e, at) && e->size - at >= length && memcmp(e->text + at, name, length) == 0)
            return block_at(e, at);
    return (part){e->size, 0};
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t first_size, const uint8_t *second, size_t second_size,
                                 uint8_t *out, size_t most, unsigned seed) {
    editor into = {(char *)out, first_size < most ? first_size : most, most, start(seed)};
    editor from = {(char *)(uintptr_t)second, second_size, second_size, start(seed) + 1};
    size_t at;
    memcpy(out, first, into.size);
    if (second_size == 0 || !find(&from, begins_block, &at))
        return into.size;
    part block = block_at(&from, at);
    replace(&into, block_like(&into, from.text + at, span(&from, at, "")), from.text + block.at, block.length);
    return into.size;
}
