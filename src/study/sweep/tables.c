/* `tables:` of a sweep: a table of every point, one below the other, with the point's values of the axes in front. */
#include <stdint.h>

#include "study/sweep/grid.h"
#include "study/sweep/sweep.h"

/* The table of the first point that has it; NULL: none has. */
static const am_table *first_of(const char *name, am_result *const *points, size_t count) {
    for (size_t p = 0; p < count; p++) {
        const am_table *table = points[p] ? am_result_find_table(points[p], name) : NULL;
        if (table)
            return table;
    }
    return NULL;
}

static am_status unknown(const am_node *at, const char *name, am_result *const *points, size_t count,
                         am_reading *reading) {
    const am_result *first = NULL;
    for (size_t p = 0; p < count && !first; p++)
        first = points[p];
    size_t known = first ? am_result_table_count(first) : 0;
    const char **names = am_arena_new(reading->pool, known + 1, sizeof *names, reading->err);
    if (!names)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < known; i++)
        names[i] = am_table_name(am_result_table(first, i));
    return am_unknown(reading, at, "table", "sweep", name, known, names);
}

static am_status add_columns(const am_sweep_setting *sweep, const am_table *like, am_table *into, am_error *err) {
    for (size_t a = 0; a < sweep->axes.count; a++)
        am_table_add_column(into, sweep->axes.keys[a]->text, "parameter", AM_COLUMN_NUMBER, err);
    for (size_t c = 0; c < am_table_columns(like); c++)
        am_table_add_column(into, am_table_column_name(like, c), am_table_column_unit(like, c),
                            am_table_column_kind(like, c), err);
    return am_table_status(into, err);
}

/* Columns are found by name: what a point leaves out stays empty. */
static am_status copy_row(const am_table *from, size_t row, am_table *into, size_t axes, am_error *err) {
    for (size_t c = axes; c < am_table_columns(into); c++) {
        size_t column = am_table_find_column(from, am_table_column_name(into, c));
        if (column == SIZE_MAX || am_table_column_kind(from, column) != am_table_column_kind(into, c))
            continue;
        if (am_table_column_kind(into, c) == AM_COLUMN_TEXT)
            am_table_set_text(into, c, am_table_text(from, row, column), err);
        else
            am_table_set_number(into, c, am_table_number(from, row, column));
    }
    return am_table_status(into, err);
}

static am_status copy_point(const am_sweep_setting *sweep, size_t point, const am_table *from, am_table *into,
                            am_error *err) {
    for (size_t row = 0; row < am_table_rows(from); row++) {
        am_table_add_row(into, err);
        for (size_t a = 0; a < sweep->axes.count; a++)
            am_table_set_number(into, a, am_grid_value(sweep, point, a));
        copy_row(from, row, into, sweep->axes.count, err);
    }
    return am_table_status(into, err);
}

am_status am_sweep_tables(am_reading *reading, const am_sweep_setting *sweep, am_result *const *points, size_t count,
                          am_result *result) {
    am_status status = AM_OK;
    for (size_t t = 0; status == AM_OK && t < sweep->tables.count; t++) {
        const char *name = sweep->tables.values[t];
        const am_node *list = sweep->tables.node;
        const am_table *like = first_of(name, points, count);
        if (!like)
            return unknown(list->kind == AM_NODE_LIST ? list->items[t] : list, name, points, count, reading);
        am_table *into = am_result_add_table(result, name, reading->err);
        status = into ? add_columns(sweep, like, into, reading->err) : AM_ERR_MEMORY;
        for (size_t p = 0; status == AM_OK && p < count; p++) {
            const am_table *from = points[p] ? am_result_find_table(points[p], name) : NULL;
            if (from)
                status = copy_point(sweep, p, from, into, reading->err);
        }
    }
    return status;
}
