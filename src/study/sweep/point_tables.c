/* `tables:` of a sweep: a table of every point, one below the other, with the point's values of the axes in front. */
#include "base/columns.h"
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

static void copy_point(const am_sweep_setting *sweep, size_t point, const am_table *from, am_table *into) {
    for (size_t row = 0; row < am_table_rows(from); row++) {
        am_table_add_row(into, NULL);
        for (size_t a = 0; a < sweep->axes.count; a++)
            am_table_set_number(into, a, am_grid_value(sweep, point, a));
        am_table_copy_row(into, sweep->axes.count, from, row);
    }
}

am_status am_sweep_tables(am_reading *reading, const am_sweep_setting *sweep, am_result *const *points, size_t count,
                          am_result *result) {
    for (size_t t = 0; t < sweep->tables.count; t++) {
        const char *name = sweep->tables.values[t];
        const am_node *list = sweep->tables.node;
        const am_table *like = first_of(name, points, count);
        if (!like)
            return unknown(list->kind == AM_NODE_LIST ? list->items[t] : list, name, points, count, reading);
        am_table *into = am_result_add_table(result, name, reading->err);
        for (size_t a = 0; a < sweep->axes.count; a++)
            am_table_add_column(into, sweep->axes.keys[a]->text, "parameter", AM_COLUMN_NUMBER, reading->err);
        am_table_add_like(into, like);
        for (size_t p = 0; p < count && am_result_status(result, NULL) == AM_OK; p++) {
            const am_table *from = points[p] ? am_result_find_table(points[p], name) : NULL;
            if (from)
                copy_point(sweep, p, from, into);
        }
    }
    return am_result_status(result, reading->err);
}
