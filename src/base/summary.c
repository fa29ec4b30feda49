#include "base/summary.h"

#include <math.h>

am_status am_summary_numbers(am_result *result, size_t count, const am_summary_number *numbers, am_error *err) {
    for (size_t i = 0; i < count; i++)
        if (isfinite(numbers[i].value))
            am_result_set_number(result, numbers[i].name, numbers[i].value, err);
        else
            am_result_set_none(result, numbers[i].name, err);
    return am_result_status(result, err);
}

am_status am_table_add_numbers(am_table *table, size_t first, size_t count, const double *values, am_error *err) {
    am_status status = am_table_add_row(table, err);
    for (size_t i = 0; i < count && status == AM_OK; i++)
        am_table_set_number(table, first + i, values[i]);
    return status;
}
