/* Tables of numbers in a study: inline rows, or a CSV or Matrix Market file; and values that are one number for all or
 * one for each. */
#ifndef AMONTONS_STUDY_NUMBER_TABLE_H
#define AMONTONS_STUDY_NUMBER_TABLE_H
#include "study/schema.h"

typedef struct am_number_table {
    size_t rows, columns;
    const double *values; /* row-major, in the pool */
    const am_node *node;
} am_number_table;

/* [[1, 2], [3, 4]], [1, 2] (one row), or {file: name} with the ending .mtx or any other (CSV: see imports/csv.h). */
am_status am_read_table(am_reading *reading, const am_node *node, const char *name, am_number_table *table);

/* The path of {file: name}; NULL with err filled. `title`: what it is, for messages. */
const char *am_read_file_name(am_reading *reading, const am_node *node, const char *title);

/* `count` numbers: a single one stands for all; a list, or a file with one row or one column, has one for each. NULL
 * node: all `initial`. `what` is what is counted ("mode", "contact"). */
am_status am_read_each(am_reading *reading, const am_node *node, const char *name, const char *what, am_range range,
                       double initial, size_t count, const double **values);

#endif
