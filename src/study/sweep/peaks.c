/* What a sweep's table says as a whole: the least and greatest of every output, its mean where points were drawn, its
 * peaks along one axis (`over`), and its ratios to what it is at the first value of one (`ratio`). */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "study/sweep/sweep.h"

/* Columns of the table `sweep`: axes, outputs, `failure`. */
static bool is_output(const am_sweep_setting *sweep, const am_table *table, size_t column) {
    return column >= sweep->axes.count && column + 1 < am_table_columns(table) &&
           am_table_column_kind(table, column) != AM_COLUMN_TEXT;
}

static void put(am_result *result, const char *word, const char *name, double value, am_error *err) {
    char full[240];
    snprintf(full, sizeof full, "%s_%.200s", word, name);
    if (isfinite(value))
        am_result_set_number(result, full, value, err);
    else
        am_result_set_none(result, full, err);
}

bool am_sweep_is_drawn(const am_sweep_setting *sweep) {
    const am_sweep_axis *axes = sweep->axes.items;
    for (size_t a = 0; a < sweep->axes.count; a++)
        if (axes[a].draw != AM_SWEEP_GRID)
            return true;
    return false;
}

/* Of one column. */
static void add_extremes(const am_table *table, size_t column, bool mean, am_result *result, am_error *err) {
    const char *name = am_table_column_name(table, column);
    const double *values = am_table_numbers(table, column);
    double least = INFINITY, greatest = -INFINITY, sum = 0.0;
    size_t count = 0;
    for (size_t row = 0; row < am_table_rows(table); row++) {
        if (!isfinite(values[row]))
            continue;
        least = fmin(least, values[row]);
        greatest = fmax(greatest, values[row]);
        sum += values[row];
        count++;
    }
    put(result, "least", name, least, err);
    put(result, "greatest", name, greatest, err);
    if (mean)
        put(result, "mean", name, count ? sum / (double)count : NAN, err);
}

am_status am_sweep_extremes(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    for (size_t column = 0; column < am_table_columns(table); column++)
        if (is_output(sweep, table, column))
            add_extremes(table, column, am_sweep_is_drawn(sweep), result, err);
    return am_result_status(result, err);
}

/* ---- Along one axis ---- */

typedef struct line {
    const am_sweep_setting *sweep;
    const am_table *from;
    am_table *into;       /* its axes and outputs */
    size_t count, stride; /* of the axis: its points, and rows from one to the next */
} line;

/* `ending`: of the names of outputs. */
static void add_columns(const line *l, const char *ending, am_error *err) {
    for (size_t c = 0; c < am_table_columns(l->from); c++) {
        bool output = is_output(l->sweep, l->from, c), ratio = output && *ending;
        char name[200];
        snprintf(name, sizeof name, "%.150s%s", am_table_column_name(l->from, c), output ? ending : "");
        if (output || c < l->sweep->axes.count)
            am_table_add_column(l->into, name, ratio ? "1" : am_table_column_unit(l->from, c),
                                ratio ? AM_COLUMN_NUMBER : am_table_column_kind(l->from, c), err);
    }
}

static line line_along(const am_sweep_setting *sweep, const char *name, const am_table *from) {
    const am_sweep_axis *axes = sweep->axes.items;
    line l = {.sweep = sweep, .from = from, .stride = 1};
    size_t axis = 0;
    while (strcmp(sweep->axes.keys[axis]->text, name) != 0)
        axis++;
    l.count = axes[axis].count;
    for (size_t a = axis + 1; a < sweep->axes.count; a++)
        l.stride *= axes[a].count;
    return l;
}

/* A row, its outputs over those of another (SIZE_MAX: as they are). */
static void add_row(const line *l, size_t row, size_t over, am_error *err) {
    size_t into = 0;
    am_table_add_row(l->into, err);
    for (size_t c = 0; c < am_table_columns(l->from); c++) {
        const double *values = am_table_numbers(l->from, c);
        bool output = is_output(l->sweep, l->from, c);
        if (output || c < l->sweep->axes.count)
            am_table_set_number(l->into, into++, output && over != SIZE_MAX ? values[row] / values[over] : values[row]);
    }
}

/* The row of the greatest measure among the points that start at `row`; SIZE_MAX if all of them failed. */
static size_t greatest_row(const line *l, size_t measure, size_t row) {
    const double *values = am_table_numbers(l->from, measure);
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < l->count; i++) {
        size_t at = row + i * l->stride;
        if (isfinite(values[at]) && (best == SIZE_MAX || values[at] > values[best]))
            best = at;
    }
    return best;
}

am_status am_sweep_peaks(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    line l = line_along(sweep, sweep->over, table);
    size_t measure = sweep->axes.count; /* the first output that is a number decides */
    while (measure < am_table_columns(table) && !is_output(sweep, table, measure))
        measure++;
    if (measure == am_table_columns(table))
        return am_fail_field(err, AM_ERR_INPUT, "sweep.over", "none of the outputs is a number that could have a peak");
    l.into = am_result_add_table(result, "peaks", err);
    add_columns(&l, "", err);
    for (size_t row = 0; row < am_table_rows(table); row++) {
        size_t best = row / l.stride % l.count == 0 ? greatest_row(&l, measure, row) : SIZE_MAX;
        if (best != SIZE_MAX)
            add_row(&l, best, SIZE_MAX, err);
    }
    return am_result_status(result, err);
}

am_status am_sweep_ratios(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    line l = line_along(sweep, sweep->ratio, table);
    l.into = am_result_add_table(result, "ratios", err);
    add_columns(&l, "_ratio", err);
    for (size_t row = 0; row < am_table_rows(table); row++) {
        size_t index = row / l.stride % l.count;
        if (index > 0)
            add_row(&l, row, row - index * l.stride, err);
    }
    for (size_t c = sweep->axes.count; c < am_table_columns(l.into); c++)
        add_extremes(l.into, c, false, result, err);
    return am_result_status(result, err);
}
