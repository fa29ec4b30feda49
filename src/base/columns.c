#include "base/columns.h"

am_status am_table_add_columns(am_table *table, const am_column *columns, size_t count, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = am_table_add_column(table, columns[i].name, "", columns[i].kind, err);
    return status;
}
