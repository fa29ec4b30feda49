/* Columns of a table by their names: type, unit and meaning are those of docs/quantities.md, where everything that results
 * may hold is described once. Failures are remembered by the result (am_result_status). */
#ifndef AMONTONS_BASE_COLUMNS_H
#define AMONTONS_BASE_COLUMNS_H
#include "amontons/result.h"
#include "base/local.h"
#include "base/text.h"

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

/* A new row: these numbers, counts and flags, in the order of the columns that hold such; texts are set afterwards. */
void am_table_add_numbers(am_table *table, const double *numbers, size_t count);

/* Numbers into columns of the last row from `first` on; the next column. */
size_t am_table_set_numbers(am_table *table, size_t first, const double *values, size_t count);

/* So many numbers, as two arguments. */
#define AM_NUMBERS(...) (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double)

/* A failure beside the table that makes it useless: its result remembers it, if it is the first. */
void am_table_fail(am_table *table, const am_error *why);

/* ---- Summaries ---- */

/* A number; none where the value is not finite. */
void am_result_set_known(am_result *result, const char *name, double value);

/* A text; none where it is NULL. */
void am_result_set_words(am_result *result, const char *name, const char *value);

/* A flag; none where it is not decided. */
void am_result_set_decided(am_result *result, const char *name, bool decided, bool value);

/* Several values at once: such numbers, or counts (NaN: none). */
typedef struct am_named {
    const char *name;
    double value;
} am_named;
void am_result_set_numbers(am_result *result, const am_named *values, size_t count);
void am_result_set_counts(am_result *result, const am_named *values, size_t count);

/* So many values with their names, as two arguments: AM_NAMED({"steps", steps}, {"jumps", jumps}). */
#define AM_NAMED(...) (const am_named[]){__VA_ARGS__}, sizeof((const am_named[]){__VA_ARGS__}) / sizeof(am_named)

/* A text that was written until now, which is freed; its failure is the result's. */
void am_result_take_text(am_result *result, const char *name, am_text *text);

AM_LOCAL_POINTER(am_result, am_result_free)

#endif
