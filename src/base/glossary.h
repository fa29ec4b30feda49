/* Every name that a summary or a table may have, described once (docs/quantities.md). */
#ifndef AMONTONS_BASE_GLOSSARY_H
#define AMONTONS_BASE_GLOSSARY_H
#include <stdbool.h>
#include <stddef.h>

typedef enum am_glossary_section { AM_GLOSSARY_SUMMARY, AM_GLOSSARY_TABLES, AM_GLOSSARY_COLUMNS } am_glossary_section;

typedef struct am_glossary_entry {
    am_glossary_section section;
    const char *name;  /* <i>: a number, <q>: a coordinate, <v>: its velocity, <c>: a contact, <number>: of the model,
                        * <output>: a name of the summary. "table.column": what it means in this table only */
    const char *unit;  /* or the type: "count", "flag", "text"; of tables: what their rows are */
    const char *about; /* one sentence; of tables "" */
    const char *where; /* analyses that have it; tables that have the column */
} am_glossary_entry;

size_t am_glossary_size(void);
const am_glossary_entry *am_glossary_entry_at(size_t index);

/* Is the word in a list "one, two, three"? */
bool am_glossary_lists(const char *list, const char *word);

/* The value of a summary with this name, whatever analysis returns it; NULL: none has exactly this name. */
const am_glossary_entry *am_glossary_find_summary(const char *name);

/* The column of a table, by its name here; NULL: there is none. */
const am_glossary_entry *am_glossary_find_column(const char *table, const char *column);

/* The name of a column without the table in front of it, if that is `table`. */
const char *am_glossary_column(const am_glossary_entry *entry, const char *table);

#endif
