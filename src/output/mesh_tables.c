#include "output/mesh_tables.h"

#include <stdint.h>
#include <string.h>

#include "base/try.h"

bool am_mesh_tables_there(const am_result *result) {
    return result && am_result_find_table(result, "mesh_nodes") && am_result_find_table(result, "mesh_elements");
}

static am_status find_column(const am_table *table, const char *name, am_column_kind kind, size_t *column,
                             am_error *err) {
    *column = am_table_find_column(table, name);
    if (*column == SIZE_MAX)
        return am_fail(err, AM_ERR_INPUT, "table %s has no column '%s'", am_table_name(table), name);
    if ((am_table_column_kind(table, *column) == AM_COLUMN_TEXT) != (kind == AM_COLUMN_TEXT))
        return am_fail(err, AM_ERR_INPUT, "column '%s' of table %s must hold %s", name, am_table_name(table),
                       kind == AM_COLUMN_TEXT ? "words" : "numbers");
    return AM_OK;
}

am_status am_mesh_tables_find(am_mesh_tables *tables, const am_result *result, am_error *err) {
    if (!am_mesh_tables_there(result))
        return am_fail(err, AM_ERR_INPUT, "the result has no mesh: there are no tables mesh_nodes and mesh_elements");
    tables->nodes = am_result_find_table(result, "mesh_nodes");
    tables->elements = am_result_find_table(result, "mesh_elements");
    struct {
        const char *name;
        size_t *column;
    } const numbers[] = {{"x", &tables->x},     {"y", &tables->y},     {"ux", &tables->ux},
                         {"uy", &tables->uy},   {"sxx", &tables->sxx}, {"syy", &tables->syy},
                         {"sxy", &tables->sxy}, {"szz", &tables->szz}, {"mises", &tables->mises}};
    AM_TRY(find_column(tables->elements, "body", AM_COLUMN_TEXT, &tables->body, err));
    AM_TRY(find_column(tables->elements, "shape", AM_COLUMN_TEXT, &tables->shape, err));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        AM_TRY(find_column(tables->nodes, numbers[i].name, AM_COLUMN_NUMBER, numbers[i].column, err));
    for (size_t k = 0; k < AM_MESH_MOST_NODES; k++) {
        const char name[] = {'n', (char)('1' + (char)k), '\0'};
        AM_TRY(find_column(tables->elements, name, AM_COLUMN_NUMBER, &tables->n[k], err));
    }
    return AM_OK;
}

static am_status read_shape(const char *shape, size_t row, am_mesh_cell *cell, am_error *err) {
    static const struct {
        const char *name;
        size_t corners, count;
    } shapes[] = {{"quad4", 4, 4}, {"quad8", 4, 8}, {"triangle6", 3, 6}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (strcmp(shape, shapes[i].name) == 0) {
            cell->corners = shapes[i].corners;
            cell->count = shapes[i].count;
            return AM_OK;
        }
    return am_fail(err, AM_ERR_INPUT, "element %zu of table mesh_elements has the unknown shape '%s'", row + 1, shape);
}

am_status am_mesh_cell_read(const am_mesh_tables *tables, size_t row, am_mesh_cell *cell, am_error *err) {
    am_status status = read_shape(am_table_text(tables->elements, row, tables->shape), row, cell, err);
    for (size_t k = 0; status == AM_OK && k < cell->count; k++) {
        double node = am_table_number(tables->elements, row, tables->n[k]);
        if (!(node >= 1 && node <= (double)am_table_rows(tables->nodes)))
            return am_fail(err, AM_ERR_INPUT, "element %zu of table mesh_elements has a node that mesh_nodes does not",
                           row + 1);
        cell->node[k] = (size_t)node - 1;
    }
    return status;
}
