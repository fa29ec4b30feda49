/* Results of many runs, one after another: emptied instead of made anew, and filled with what is asked for alone. */
#ifndef AMONTONS_BASE_RESULT_REUSE_H
#define AMONTONS_BASE_RESULT_REUSE_H
#include "amontons/result.h"

/* Empties it. Scalars that are set again in the same order cost no search and no memory. */
void am_result_clear(am_result *result);

/* Which tables are needed: "<prefix>.<name>" means the table `name` of this result. Borrowed. */
typedef struct am_result_wish {
    size_t count;
    const char *const *tables;
    const char *prefix; /* NULL or "": none */
} am_result_wish;

/* Before an analysis runs. NULL: all tables are wanted, as in a new result. */
void am_result_select(am_result *result, const am_result_wish *wish);

/* The observer while the result is filled (system/observer.h); borrowed, NULL: none. */
void am_result_set_observer(am_result *result, const void *observer);
const void *am_result_get_observer(const am_result *result);

/* An analysis may leave out a table that is not wanted. */
bool am_result_wants(const am_result *result, const char *table);

/* Moves a table; nothing happens if there is none. The order of those that stay may change. */
am_status am_result_move_table(am_result *into, am_result *from, const char *name, am_error *err);

/* ---- Tables whose rows are known all at once: columns first ---- */

/* The numbers of a whole column, as many as there will be rows, belong to the table from now on; *numbers is NULL then.
 * NULL before: nothing happens. */
void am_table_adopt(am_table *table, size_t column, double **numbers);

/* All rows of an empty table; NaN and "" in columns that were not adopted. */
am_status am_table_make_rows(am_table *table, size_t rows, am_error *err);

/* The first columns are the axes of the table: `shape` (as many counts) says that its rows form a grid over them, the
 * last axis fastest. Axes whose count is 0 are drawn: together they are one dimension, a sample, in the place of the first
 * of them. A table without axes has 0 of them. */
enum { AM_TABLE_AXES = 8 };
void am_table_set_axes(am_table *table, size_t axes, const size_t *shape);
size_t am_table_axes(const am_table *table, const size_t **shape);

void am_table_put_number(am_table *table, size_t row, size_t column, double value);
am_status am_table_put_text(am_table *table, size_t row, size_t column, const char *value, am_error *err);

#endif
