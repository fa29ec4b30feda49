#include "base/glossary.h"

#include <stdlib.h>
#include <string.h>

static const am_glossary_entry entries[] = {
#include "base/glossary.inc"
};

/* "table column" and its entry, in order. */
typedef struct place {
    const char *key;
    size_t entry;
} place;

static const place columns[] = {
#include "base/glossary_columns.inc"
};

size_t am_glossary_size(void) {
    return sizeof entries / sizeof *entries;
}

const am_glossary_entry *am_glossary_entry_at(size_t index) {
    return &entries[index];
}

/* Is the word in "one or two or three", which ends with a comma or the text? */
static bool is_alternative(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list;; at += strlen(" or ")) {
        size_t own = strcspn(at, " ,");
        if (own == length && strncmp(at, word, length) == 0)
            return true;
        at += own;
        if (strncmp(at, " or ", strlen(" or ")) != 0)
            return false;
    }
}

const char *am_glossary_after(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; at; at = strstr(at, ", ")) {
        at += at == list ? 0 : strlen(", ");
        if (strncmp(at, word, length) == 0 && strchr(" ,", at[length])) /* or its end */
            return at + length;
    }
    return NULL;
}

bool am_glossary_lists(const char *list, const char *word, const char *of) {
    const char *rest = am_glossary_after(list, word);
    bool some = rest && of && strncmp(rest, " of ", strlen(" of ")) == 0;
    return some ? is_alternative(rest + strlen(" of "), of) : rest != NULL;
}

const char *am_glossary_settings(const char *list, const char *word, bool *without) {
    const char *rest = am_glossary_after(list, word), *end = rest ? rest + strcspn(rest, ",") : NULL;
    const char *with = rest ? strstr(rest, " with") : NULL;
    if (!with || with >= end)
        return NULL;
    with += strlen(" with");
    *without = strncmp(with, "out ", strlen("out ")) == 0;
    return with + (*without ? strlen("out ") : strlen(" "));
}

const char *am_glossary_column(const am_glossary_entry *entry, const char *table) {
    size_t length = strlen(table);
    bool own = strncmp(entry->name, table, length) == 0 && entry->name[length] == '.';
    return own ? entry->name + length + 1 : entry->name;
}

typedef struct wanted {
    const char *table, *column;
    size_t length; /* of the table's name */
} wanted;

static int by_key(const void *key, const void *item) {
    const wanted *want = key;
    const char *known = ((const place *)item)->key;
    int order = strncmp(want->table, known, want->length);
    if (order == 0)
        order = ' ' - (int)(unsigned char)known[want->length];
    return order ? order : strcmp(want->column, known + want->length + 1);
}

const am_glossary_entry *am_glossary_find_table(const char *name) {
    const char *dot = strrchr(name, '.'), *own = dot ? dot + 1 : name;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (entries[i].section == AM_GLOSSARY_TABLES && strcmp(entries[i].name, own) == 0)
            return &entries[i];
    return NULL;
}

const am_glossary_entry *am_glossary_find_column(const char *table, const char *column) {
    const wanted key = {table, column, strlen(table)};
    const place *found = bsearch(&key, columns, sizeof columns / sizeof *columns, sizeof *columns, by_key);
    return found ? &entries[found->entry] : NULL;
}

/* ---- values of a summary ---- */

/* Where the pattern of an entry ("greatest_<output>_ratio") fits a name of `length` letters: what stands for the word in
 * brackets is *inside, of *inner letters; without a word all of it is NULL. */
static bool fits(const char *pattern, const char *name, size_t length, const char **inside, size_t *inner) {
    size_t head = strcspn(pattern, "<");
    const char *tail = pattern[head] ? strchr(pattern, '>') + 1 : pattern + head;
    size_t rest = strlen(tail);
    bool number = strncmp(pattern + head, "<i>", 3) == 0;
    *inside = pattern[head] ? name + head : NULL;
    if (!*inside)
        return length == head && strncmp(name, pattern, length) == 0;
    if (length <= head + rest || strncmp(name, pattern, head) != 0 || strncmp(name + length - rest, tail, rest) != 0)
        return false;
    *inner = length - head - rest;
    if (strncmp(pattern + head, "<output>", 8) == 0)
        return true;
    return number ? strspn(*inside, "0123456789") >= *inner : !memchr(*inside, '.', *inner);
}

/* Of several patterns that fit, the one with most letters of its own. */
static const am_glossary_entry *find_summary(const char *name, size_t length, const char **unit) {
    const am_glossary_entry *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < am_glossary_size(); i++) {
        const char *inside, *own_unit = entries[i].unit;
        size_t inner = 0;
        bool begins = entries[i].name[0] == name[0] || entries[i].name[0] == '<'; /* asked first: most do not */
        if (!begins || entries[i].section != AM_GLOSSARY_SUMMARY ||
            !fits(entries[i].name, name, length, &inside, &inner))
            continue;
        bool of_output = inside && strcmp(own_unit, "that of the output") == 0;
        if ((best && length - inner <= most) || (of_output && !find_summary(inside, inner, &own_unit)))
            continue;
        best = &entries[i];
        most = length - inner;
        *unit = own_unit;
    }
    const char *dot = memchr(name, '.', length);
    size_t prefix = dot ? (size_t)(dot - name) + 1 : 0;
    return best || !dot ? best : find_summary(name + prefix, length - prefix, unit);
}

const am_glossary_entry *am_glossary_find_summary(const char *name, const char **unit) {
    *unit = "";
    return find_summary(name, strlen(name), unit);
}
