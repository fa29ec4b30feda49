/* Columns of a table by their names: type, unit and meaning are those of docs/quantities.md, where everything that results
 * may hold is described once. Failures are remembered by the result (am_result_status). */
#ifndef AMONTONS_BASE_COLUMNS_H
#define AMONTONS_BASE_COLUMNS_H
#include "amontons/result.h"

/* A table with these columns; names are separated by blanks. NULL: the result remembers why. */
am_table *am_result_describe_table(am_result *result, const char *name, const char *columns);

/* Further columns. A NULL table is one that could not be made. */
void am_table_describe(am_table *table, const char *names);

/* A column that is described as `key`, a pattern ("<q>", "<number>"), under a name of its own. */
void am_table_describe_as(am_table *table, const char *key, const char *name);

/* A column of numbers, counts or flags that were values of a summary with this name ("variant.period" is a period).
 * `between`: some are filled in between others, so that counts and flags are mere numbers. */
void am_table_describe_output(am_table *table, const char *name, bool between);

/* Columns with the names, units and kinds that another table has. */
void am_table_add_like(am_table *table, const am_table *like);

/* A row of another table into the last row, where columns have its names and kinds; usually from column `first` on. */
void am_table_copy_row(am_table *table, size_t first, const am_table *from, size_t row);

/* A failure beside the table that makes it useless: its result remembers it, if it is the first. */
void am_table_fail(am_table *table, const am_error *why);

#endif
