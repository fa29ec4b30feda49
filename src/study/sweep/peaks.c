/* What a sweep's table says as a whole: the least and greatest of every output, its mean where points were drawn, and
 * its peaks along one axis. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "study/sweep/sweep.h"

/* Columns of the table `sweep`: axes, outputs, `failure`. */
static size_t first_output(const am_sweep_setting *sweep) {
    return sweep->axes.count;
}

static bool is_output(const am_sweep_setting *sweep, const am_table *table, size_t column) {
    return column >= first_output(sweep) && column + 1 < am_table_columns(table) &&
           am_table_column_kind(table, column) != AM_COLUMN_TEXT;
}

static am_status put(am_result *result, const char *word, const char *name, double value, am_error *err) {
    char full[200];
    snprintf(full, sizeof full, "%s_%.150s", word, name);
    return isfinite(value) ? am_result_set_number(result, full, value, err) : am_result_set_none(result, full, err);
}

static bool is_drawn(const am_sweep_setting *sweep) {
    const am_sweep_axis *axes = sweep->axes.items;
    for (size_t a = 0; a < sweep->axes.count; a++)
        if (axes[a].draw != AM_SWEEP_GRID)
            return true;
    return false;
}

am_status am_sweep_extremes(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    for (size_t column = 0; column < am_table_columns(table); column++) {
        double least = INFINITY, greatest = -INFINITY, sum = 0.0;
        size_t count = 0;
        if (!is_output(sweep, table, column))
            continue;
        for (size_t row = 0; row < am_table_rows(table); row++) {
            double value = am_table_number(table, row, column);
            if (!isfinite(value))
                continue;
            least = fmin(least, value);
            greatest = fmax(greatest, value);
            sum += value;
            count++;
        }
        put(result, "least", am_table_column_name(table, column), least, err);
        put(result, "greatest", am_table_column_name(table, column), greatest, err);
        if (is_drawn(sweep))
            put(result, "mean", am_table_column_name(table, column), count ? sum / (double)count : NAN, err);
    }
    return am_result_status(result, err);
}

/* ---- Peaks ---- */

typedef struct peaks {
    const am_sweep_setting *sweep;
    const am_table *from;
    am_table *into;
    size_t measure;       /* column of the output that decides */
    size_t count, stride; /* of the axis that is gone through: its points, and rows from one to the next */
} peaks;

static bool is_kept(const peaks *p, size_t column) {
    return column < p->sweep->axes.count || is_output(p->sweep, p->from, column);
}

/* The row of the greatest measure among the points that start at `row`; SIZE_MAX if all of them failed. */
static size_t greatest_row(const peaks *p, size_t row) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < p->count; i++) {
        size_t at = row + i * p->stride;
        double value = am_table_number(p->from, at, p->measure);
        if (isfinite(value) && (best == SIZE_MAX || value > am_table_number(p->from, best, p->measure)))
            best = at;
    }
    return best;
}

static am_status add_row(peaks *p, size_t row, am_error *err) {
    size_t into = 0, best = greatest_row(p, row);
    if (best == SIZE_MAX)
        return AM_OK;
    am_table_add_row(p->into, err);
    for (size_t c = 0; c < am_table_columns(p->from); c++)
        if (is_kept(p, c))
            am_table_set_number(p->into, into++, am_table_number(p->from, best, c));
    return am_table_status(p->into, err);
}

static am_status add_columns(peaks *p, am_error *err) {
    for (size_t c = 0; c < am_table_columns(p->from); c++)
        if (is_kept(p, c))
            am_table_add_column(p->into, am_table_column_name(p->from, c), am_table_column_unit(p->from, c),
                                am_table_column_kind(p->from, c), err);
    return am_table_status(p->into, err);
}

am_status am_sweep_peaks(const am_sweep_setting *sweep, const am_table *table, am_result *result, am_error *err) {
    const am_sweep_axis *axes = sweep->axes.items;
    peaks p = {.sweep = sweep, .from = table, .measure = sweep->axes.count, .stride = 1};
    size_t axis = 0;
    while (strcmp(sweep->axes.keys[axis]->text, sweep->over) != 0)
        axis++;
    while (p.measure < am_table_columns(table) && !is_output(sweep, table, p.measure))
        p.measure++;
    if (p.measure == am_table_columns(table))
        return am_fail_field(err, AM_ERR_INPUT, "sweep.over", "none of the outputs is a number that could have a peak");
    p.count = axes[axis].count;
    for (size_t a = axis + 1; a < sweep->axes.count; a++)
        p.stride *= axes[a].count;
    p.into = am_result_add_table(result, "peaks", err);
    AM_TRY(p.into ? add_columns(&p, err) : AM_ERR_MEMORY);
    for (size_t row = 0; row < am_table_rows(table); row++)
        if (row / p.stride % p.count == 0)
            AM_TRY(add_row(&p, row, err));
    return AM_OK;
}
