/* Every name that a summary or a table may have, described once (docs/quantities.md). */
#ifndef AMONTONS_BASE_GLOSSARY_H
#define AMONTONS_BASE_GLOSSARY_H
#include <stdbool.h>
#include <stddef.h>

typedef enum am_glossary_section { AM_GLOSSARY_SUMMARY, AM_GLOSSARY_TABLES, AM_GLOSSARY_COLUMNS } am_glossary_section;

/* What a value of a summary is for: a counter of the work done, evidence that it was done well, or what was asked. */
typedef enum am_glossary_use { AM_GLOSSARY_ANSWER, AM_GLOSSARY_COUNTER, AM_GLOSSARY_EVIDENCE } am_glossary_use;

typedef struct am_glossary_entry {
    am_glossary_section section;
    const char *name; /* <i>: a number, <q>: a coordinate, <symbol>: one that the model named, <v>: its velocity, <c>: a
                        * contact, <number>: of the model, <output>: a name of the summary. "table.column": what it means
                        * in this table only */
    const char *unit; /* or the type: "count", "flag", "text"; of tables: what their rows are */
    const char *about; /* one sentence; of tables "" */
    const char *where; /* analyses that have it ("path", or "path of oscillator" for one model); tables that have the
                        * column ("samples", or "branch of atlas or slip" where others have the table without it). With
                        * certain settings only: "stability with threshold", "stability without threshold" */
    am_glossary_use use;
} am_glossary_entry;

size_t am_glossary_size(void);
const am_glossary_entry *am_glossary_entry_at(size_t index);

/* Is the word in a list "one, two of path or orbit, three"? With `of`: two of what? NULL: any. */
bool am_glossary_lists(const char *list, const char *word, const char *of);

/* What follows the word in such a list, " of path or orbit, three"; NULL: it is not there. */
const char *am_glossary_after(const char *list, const char *word);

/* The settings with which the word of the list holds, "one or two"; *without: it holds where none of them is there. NULL:
 * it always does. */
const char *am_glossary_settings(const char *list, const char *word, bool *without);

/* What a value of a summary is, by its name in a result ("x_max", "rough.greatest_period"), and its unit, or its type.
 * NULL and "": nothing is known of it. */
const am_glossary_entry *am_glossary_find_summary(const char *name, const char **unit);

/* The column of a table, by its name here; NULL: there is none. */
const am_glossary_entry *am_glossary_find_column(const char *table, const char *column);

/* The table of that name, with or without the prefix of an analysis; NULL: there is none. */
const am_glossary_entry *am_glossary_find_table(const char *name);

/* The name of a column without the table in front of it, if that is `table`. */
const char *am_glossary_column(const am_glossary_entry *entry, const char *table);

#endif
