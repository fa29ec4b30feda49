#include "solid/block_mesh.h"
#include "base/try.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/watch.h"

/* Places in a block are counted in halves of elements, from the lower left corner: even numbers are corners of
 * elements.
 */
typedef struct grid {
    am_shape shape;
    size_t columns, rows; /* cells */
    size_t node, element; /* the first ones of this block in the mesh */
    size_t body;
} grid;

static size_t cell_elements(am_shape shape) {
    return shape == AM_TRIANGLE6 ? 2 : 1;
}

/* Four nodes: corners only. Eight: all but the centres of cells. Triangles: all, the centre is the middle of the
 * diagonal. */
static size_t node_at(const grid *g, size_t i, size_t j) {
    size_t full = 2 * g->columns + 1, half = g->columns + 1;
    switch (g->shape) {
    case AM_QUAD4:
        return g->node + j / 2 * half + i / 2;
    case AM_QUAD8:
        return g->node + j / 2 * (full + half) + (j % 2 ? full + i / 2 : i);
    default:
        return g->node + j * full + i;
    }
}

static bool has_node(am_shape shape, size_t i, size_t j) {
    return shape == AM_TRIANGLE6 || (i % 2 == 0 && j % 2 == 0) || (shape == AM_QUAD8 && !(i % 2 && j % 2));
}

static double place_of(const am_block_division *d, size_t i) {
    return i % 2 ? 0.5 * (d->at[i / 2] + d->at[i / 2 + 1]) : d->at[i / 2];
}

static am_status add_nodes(am_solid_mesh *mesh, const grid *g, const am_block_division *x, const am_block_division *y,
                           am_error *err) {
    size_t last = node_at(g, 2 * g->columns, 2 * g->rows);
    AM_TRY(am_memory_resize(&mesh->place, 2 * (last + 1), err));
    for (size_t j = 0; j <= 2 * g->rows && !am_watch_stopped(20.0 * (double)g->columns); j++)
        for (size_t i = 0; i <= 2 * g->columns; i++)
            if (has_node(g->shape, i, j)) {
                double *place = mesh->place + 2 * node_at(g, i, j);
                place[0] = place_of(x, i);
                place[1] = place_of(y, j);
            }
    mesh->nodes = last + 1;
    return AM_OK;
}

/* Corners of the elements of a cell, in halves. Triangles: diagonals run through the corners of the block and are
 * mirrored at its middle lines, so that no corner belongs to one triangle alone and symmetric problems stay symmetric.
 */
static void corners_of(const grid *g, size_t column, size_t row, size_t which, size_t corner[4][2]) {
    static const size_t quad[4][2] = {{0, 0}, {2, 0}, {2, 2}, {0, 2}};
    static const size_t rising[2][3] = {{0, 1, 2}, {0, 2, 3}}, falling[2][3] = {{0, 1, 3}, {1, 2, 3}};
    bool left = 2 * column + 1 < g->columns, low = 2 * row + 1 < g->rows;
    for (size_t a = 0; a < am_shape_corners(g->shape); a++) {
        size_t c = g->shape != AM_TRIANGLE6 ? a : left == low ? rising[which][a] : falling[which][a];
        corner[a][0] = 2 * column + quad[c][0];
        corner[a][1] = 2 * row + quad[c][1];
    }
}

static void fill_element(const grid *g, size_t column, size_t row, size_t which, am_solid_element *element) {
    size_t corner[4][2], corners = am_shape_corners(g->shape);
    corners_of(g, column, row, which, corner);
    *element = (am_solid_element){.shape = g->shape, .body = g->body};
    for (size_t a = 0; a < corners; a++) {
        const size_t *from = corner[a], *to = corner[(a + 1) % corners];
        element->node[a] = node_at(g, from[0], from[1]);
        if (g->shape != AM_QUAD4)
            element->node[corners + a] = node_at(g, (from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    }
}

static am_status add_elements(am_solid_mesh *mesh, const grid *g, am_error *err) {
    size_t each = cell_elements(g->shape), count = g->columns * g->rows * each;
    AM_TRY(am_memory_resize(&mesh->element, mesh->elements + count, err));
    for (size_t row = 0; row < g->rows && !am_watch_stopped(50.0 * (double)g->columns); row++)
        for (size_t column = 0; column < g->columns; column++)
            for (size_t which = 0; which < each; which++)
                fill_element(g, column, row, which, &mesh->element[mesh->elements++]);
    return AM_OK;
}

/* The side between two corners: of the one element of the cell that has it. */
static am_solid_edge edge_between(const am_solid_mesh *mesh, const grid *g, size_t cell, size_t from, size_t to) {
    size_t each = cell_elements(g->shape), corners = am_shape_corners(g->shape);
    am_solid_edge edge = {0};
    for (size_t e = g->element + cell * each; e < g->element + (cell + 1) * each; e++)
        for (size_t a = 0; a < corners && !edge.count; a++) {
            am_solid_edge side = am_solid_mesh_edge(mesh, e, a);
            edge = side.node[0] == from && side.node[1] == to ? side : edge;
        }
    return edge;
}

/* Side 0: bottom, then counterclockwise. */
static am_status add_line(am_solid_mesh *mesh, const grid *g, const char *name, int side, am_error *err) {
    static const char *const ending[4] = {"bottom", "right", "top", "left"};
    size_t length = strlen(name) + sizeof ".bottom", count = side % 2 ? g->rows : g->columns;
    char *full = am_memory_new(length, 1, err);
    if (!full)
        return AM_ERR_MEMORY;
    (void)snprintf(full, length, "%s.%s", name, ending[side]);
    am_solid_line *line;
    am_status status = am_solid_mesh_add_line(mesh, full, g->body, count, &line, err);
    am_memory_free(full);
    for (size_t n = 0; n < count && !status; n++) {
        size_t k = side < 2 ? n : count - 1 - n; /* the cell along the side, from the left or from below */
        size_t column = side == 1 ? g->columns - 1 : side == 3 ? 0 : k;
        size_t row = side == 0 ? 0 : side == 2 ? g->rows - 1 : k;
        size_t i = 2 * column, j = 2 * row; /* lower left corner of the cell; its corners counterclockwise: */
        size_t corner[4] = {node_at(g, i, j), node_at(g, i + 2, j), node_at(g, i + 2, j + 2), node_at(g, i, j + 2)};
        line->edge[n] = edge_between(mesh, g, row * g->columns + column, corner[side], corner[(side + 1) % 4]);
    }
    return status;
}

static am_status check_places(const char *name, const char *along, const am_block_division *d, am_error *err) {
    if (d->count < 2)
        return am_fail(err, AM_ERR_INPUT, "block '%s' needs at least one element along %s", name, along);
    for (size_t i = 1; i < d->count; i++)
        if (!(d->at[i] > d->at[i - 1]))
            return am_fail(err, AM_ERR_INPUT, "block '%s': the places of its elements along %s must increase", name,
                           along);
    return AM_OK;
}

/* Factors of more would take more memory than machines have. */
static const double most_cells = 1e6;

am_status am_block_mesh_add(am_solid_mesh *mesh, const char *name, const am_solid_body *about, am_shape shape,
                            const am_block_division *x, const am_block_division *y, am_error *err) {
    AM_TRY(check_places(name, "x", x, err));
    AM_TRY(check_places(name, "y", y, err));
    if ((double)(x->count - 1) * (double)(y->count - 1) > most_cells)
        return am_fail(err, AM_ERR_INPUT,
                       "block '%s' would have %zu x %zu elements, more than the %.0f that can be worked with: take "
                       "larger elements, or a smaller block",
                       name, x->count - 1, y->count - 1, most_cells);
    grid g = {shape, x->count - 1, y->count - 1, mesh->nodes, mesh->elements, 0};
    AM_TRY(am_solid_mesh_add_body(mesh, name, about, &g.body, err));
    AM_TRY(add_nodes(mesh, &g, x, y, err));
    AM_TRY(add_elements(mesh, &g, err));
    for (int side = 0; side < 4; side++)
        AM_TRY(add_line(mesh, &g, name, side, err));
    return AM_OK;
}
