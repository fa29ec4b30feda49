#include "base/glossary.h"

#include <string.h>

static const am_glossary_entry entries[] = {
#include "base/glossary.inc"
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
