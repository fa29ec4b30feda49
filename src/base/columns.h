/* Several columns of a table at once. */
#ifndef AMONTONS_BASE_COLUMNS_H
#define AMONTONS_BASE_COLUMNS_H
#include "amontons/result.h"

typedef struct am_column { /* without a unit */
    const char *name;
    am_column_kind kind;
} am_column;

am_status am_table_add_columns(am_table *table, const am_column *columns, size_t count, am_error *err);

#endif
