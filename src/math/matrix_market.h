/* The entries of a Matrix Market file, one by one with their lines, for who must know where each one stands. */
#ifndef AMONTONS_MATH_MATRIX_MARKET_H
#define AMONTONS_MATH_MATRIX_MARKET_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_market_head {
    bool coordinate; /* otherwise an array */
    bool symmetric, skew;
    size_t rows, columns, lines; /* lines: of the file so far */
} am_market_head;

typedef struct am_market_entry {
    size_t row, column; /* from 0; of symmetric matrices the lower triangle alone */
    double value;
    size_t line;
    const char *number; /* the value as it is written */
} am_market_entry;

typedef am_status (*am_market_visit)(void *context, const am_market_entry *entry, am_error *err);

/* Messages start with "path:line:". */
am_status am_matrix_market_entries(const char *path, am_market_head *head, am_market_visit visit, void *context,
                                   am_error *err);

#endif
