/* `ratio:` of a sweep: every output over what it is at the first value of one axis, all other axes being the same; a
 * row for each of its other values. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "study/sweep/sweep.h"

typedef struct ratios {
    const am_sweep_setting *sweep;
    const am_table *from;
    am_table *into;
    size_t count, stride; /* of the axis: its points, and rows from one to the next */
} ratios;

static bool is_output(const ratios *r, size_t column) {
    return column >= r->sweep->axes.count && column + 1 < am_table_columns(r->from) &&
           am_table_column_kind(r->from, column) != AM_COLUMN_TEXT;
}

static am_status add_columns(ratios *r, am_error *err) {
    for (size_t c = 0; c < am_table_columns(r->from); c++) {
        char name[200];
        snprintf(name, sizeof name, "%.150s%s", am_table_column_name(r->from, c), is_output(r, c) ? "_ratio" : "");
        if (c < r->sweep->axes.count || is_output(r, c))
            am_table_add_column(r->into, name, is_output(r, c) ? "1" : am_table_column_unit(r->from, c),
                                AM_COLUMN_NUMBER, err);
    }
    return am_table_status(r->into, err);
}

static am_status add_row(ratios *r, size_t row, am_error *err) {
    size_t into = 0, first = row - row / r->stride % r->count * r->stride;
    am_table_add_row(r->into, err);
    for (size_t c = 0; c < am_table_columns(r->from); c++) {
        double value = am_table_number(r->from, row, c);
        if (c < r->sweep->axes.count)
            am_table_set_number(r->into, into++, value);
        else if (is_output(r, c))
            am_table_set_number(r->into, into++, value / am_table_number(r->from, first, c));
    }
    return am_table_status(r->into, err);
}

/* Least and greatest of every ratio: least_x_ratio, greatest_x_ratio. */
static am_status add_extremes(const ratios *r, am_result *result, am_error *err) {
    for (size_t c = r->sweep->axes.count; c < am_table_columns(r->into); c++) {
        double least = INFINITY, greatest = -INFINITY;
        char name[240];
        for (size_t row = 0; row < am_table_rows(r->into); row++) {
            double value = am_table_number(r->into, row, c);
            least = isfinite(value) ? fmin(least, value) : least;
            greatest = isfinite(value) ? fmax(greatest, value) : greatest;
        }
        snprintf(name, sizeof name, "least_%.200s", am_table_column_name(r->into, c));
        if (isfinite(least))
            am_result_set_number(result, name, least, err);
        else
            am_result_set_none(result, name, err);
        snprintf(name, sizeof name, "greatest_%.200s", am_table_column_name(r->into, c));
        if (isfinite(greatest))
            am_result_set_number(result, name, greatest, err);
        else
            am_result_set_none(result, name, err);
    }
    return am_result_status(result, err);
}

am_status am_sweep_ratios(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    const am_sweep_axis *axes = sweep->axes.items;
    ratios r = {.sweep = sweep, .from = table, .stride = 1};
    size_t axis = 0;
    while (strcmp(sweep->axes.keys[axis]->text, sweep->ratio) != 0)
        axis++;
    r.count = axes[axis].count;
    for (size_t a = axis + 1; a < sweep->axes.count; a++)
        r.stride *= axes[a].count;
    r.into = am_result_add_table(result, "ratios", err);
    am_status status = r.into ? add_columns(&r, err) : AM_ERR_MEMORY;
    for (size_t row = 0; status == AM_OK && row < am_table_rows(table); row++)
        if (row / r.stride % r.count > 0)
            status = add_row(&r, row, err);
    return status == AM_OK ? add_extremes(&r, result, err) : status;
}
