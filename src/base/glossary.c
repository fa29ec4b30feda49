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

bool am_glossary_lists(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
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

const am_glossary_entry *am_glossary_find_column(const char *table, const char *column) {
    const wanted key = {table, column, strlen(table)};
    const place *found = bsearch(&key, columns, sizeof columns / sizeof *columns, sizeof *columns, by_key);
    return found ? &entries[found->entry] : NULL;
}

const am_glossary_entry *am_glossary_find_summary(const char *name) {
    for (size_t i = 0; i < am_glossary_size(); i++)
        if (entries[i].section == AM_GLOSSARY_SUMMARY && strcmp(entries[i].name, name) == 0)
            return &entries[i];
    return NULL;
}
