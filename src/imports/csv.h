/* Tables of numbers in CSV files, read strictly: what is not understood is refused where it stands. */
#ifndef AMONTONS_IMPORTS_CSV_H
#define AMONTONS_IMPORTS_CSV_H
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_csv {
    size_t rows, columns;
    double *values; /* row-major; am_csv_free */
    size_t *line;   /* rows: where each stands, from 1 */
    char *heading;  /* the line of names; NULL: there was none */
} am_csv;

/* Rows of finite numbers with commas, semicolons or blanks between them, all of one length; one line of names may stand
 * before them. Empty lines and those that begin with # are passed over, and so is a byte-order mark; lines end as on
 * Unix or on Windows. Anything else (quotes, nan, an empty cell, a zero character, two numbers without anything between
 * them, a comma and a semicolon in one line) is AM_ERR_INPUT with "file:line:column: ...". */
am_status am_csv_read(const char *path, am_csv *table, am_error *err);

/* The same of bytes in memory, which end with a zero behind `length`; `name` is the file's in messages. */
am_status am_csv_parse(const char *name, const char *bytes, size_t length, am_csv *table, am_error *err);

/* The column (from 0) under a name; table->columns: there is none of it. */
size_t am_csv_column(const am_csv *table, const char *name);

void am_csv_free(am_csv *table);

#endif
