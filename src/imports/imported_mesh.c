#include "imports/imported_mesh.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"

size_t am_cell_nodes(am_cell_shape shape) {
    static const unsigned char nodes[29] = {
        [AM_CELL_LINE] = 2,       [AM_CELL_TRIANGLE] = 3,    [AM_CELL_QUAD] = 4,      [AM_CELL_TETRA] = 4,
        [AM_CELL_HEXAHEDRON] = 8, [AM_CELL_WEDGE] = 6,       [AM_CELL_PYRAMID] = 5,   [AM_CELL_LINE_3] = 3,
        [AM_CELL_TRIANGLE_6] = 6, [AM_CELL_QUAD_8] = 8,      [AM_CELL_TETRA_10] = 10, [AM_CELL_HEXAHEDRON_20] = 20,
        [AM_CELL_WEDGE_15] = 15,  [AM_CELL_PYRAMID_13] = 13, [AM_CELL_QUAD_9] = 9};
    return nodes[shape];
}

static int cell_dimension(am_cell_shape shape) {
    switch (shape) {
    case AM_CELL_LINE:
    case AM_CELL_LINE_3:
        return 1;
    case AM_CELL_TRIANGLE:
    case AM_CELL_QUAD:
    case AM_CELL_TRIANGLE_6:
    case AM_CELL_QUAD_8:
    case AM_CELL_QUAD_9:
        return 2;
    default:
        return 3;
    }
}

am_status am_import_mesh_add_node(am_import_mesh *grid, long number, const double place[3], am_error *err) {
    AM_TRY(am_memory_reserve(&grid->node, &grid->capacity, grid->count + 1, err));
    grid->node[grid->count++] = (am_import_mesh_node){number, {place[0], place[1], place[2]}};
    return AM_OK;
}

am_status am_import_mesh_add_cell(am_import_mesh *grid, am_cell_shape shape, const long *nodes, am_error *err) {
    size_t count = am_cell_nodes(shape);
    AM_TRY(am_memory_reserve(&grid->cell, &grid->cell_capacity, grid->cell_count + 1, err));
    AM_TRY(am_memory_reserve(&grid->corner, &grid->corner_capacity, grid->corner_count + count, err));
    grid->cell[grid->cell_count++] = (am_import_mesh_cell){shape, grid->corner_count};
    memcpy(grid->corner + grid->corner_count, nodes, count * sizeof *nodes);
    grid->corner_count += count;
    return AM_OK;
}

static int compare_nodes(const void *one, const void *other) {
    long a = ((const am_import_mesh_node *)one)->number, b = ((const am_import_mesh_node *)other)->number;
    return (a > b) - (a < b);
}

am_status am_import_mesh_sort(am_import_mesh *grid, const char *path, am_error *err) {
    if (grid->count > 0)
        qsort(grid->node, grid->count, sizeof *grid->node, compare_nodes);
    size_t kept = 0;
    for (size_t i = 0; i < grid->count; i++) {
        const am_import_mesh_node *node = &grid->node[i], *last = kept > 0 ? &grid->node[kept - 1] : NULL;
        if (!last || last->number != node->number)
            grid->node[kept++] = *node;
        else if (memcmp(last->place, node->place, sizeof node->place) != 0)
            return am_fail(err, AM_ERR_INPUT, "%s: there are two nodes %ld at different places", path, node->number);
    }
    grid->count = kept;
    for (size_t k = 0; k < grid->corner_count; k++) {
        size_t index = am_import_mesh_find(grid, grid->corner[k]);
        if (index == SIZE_MAX)
            return am_fail(err, AM_ERR_INPUT, "%s: an element has the node %ld, whose place the file does not tell",
                           path, grid->corner[k]);
        grid->corner[k] = (long)index;
    }
    return AM_OK;
}

size_t am_import_mesh_find(const am_import_mesh *grid, long number) {
    am_import_mesh_node wanted = {.number = number};
    const am_import_mesh_node *found =
        grid->count > 0 ? bsearch(&wanted, grid->node, grid->count, sizeof wanted, compare_nodes) : NULL;
    return found ? (size_t)(found - grid->node) : SIZE_MAX;
}

void am_import_mesh_clear(am_import_mesh *grid) {
    am_memory_free(grid->node);
    am_memory_free(grid->cell);
    am_memory_free(grid->corner);
    *grid = (am_import_mesh){0};
}

/* ---- faces ---- */

/* A side of a cell: what it is, and which of the cell's nodes it has. */
typedef struct side {
    am_cell_shape shape;
    unsigned char node[9];
} side;

enum { MOST_SIDES = 6 };

static const struct {
    am_cell_shape shape;
    size_t count;
    side side[MOST_SIDES];
} sides_of[] = {
    {AM_CELL_TRIANGLE, 3, {{AM_CELL_LINE, {0, 1}}, {AM_CELL_LINE, {1, 2}}, {AM_CELL_LINE, {2, 0}}}},
    {AM_CELL_QUAD, 4, {{AM_CELL_LINE, {0, 1}}, {AM_CELL_LINE, {1, 2}}, {AM_CELL_LINE, {2, 3}}, {AM_CELL_LINE, {3, 0}}}},
    {AM_CELL_TRIANGLE_6, 3, {{AM_CELL_LINE_3, {0, 1, 3}}, {AM_CELL_LINE_3, {1, 2, 4}}, {AM_CELL_LINE_3, {2, 0, 5}}}},
    {AM_CELL_QUAD_8,
     4,
     {{AM_CELL_LINE_3, {0, 1, 4}},
      {AM_CELL_LINE_3, {1, 2, 5}},
      {AM_CELL_LINE_3, {2, 3, 6}},
      {AM_CELL_LINE_3, {3, 0, 7}}}},
    {AM_CELL_QUAD_9,
     4,
     {{AM_CELL_LINE_3, {0, 1, 4}},
      {AM_CELL_LINE_3, {1, 2, 5}},
      {AM_CELL_LINE_3, {2, 3, 6}},
      {AM_CELL_LINE_3, {3, 0, 7}}}},
    {AM_CELL_TETRA,
     4,
     {{AM_CELL_TRIANGLE, {0, 1, 2}},
      {AM_CELL_TRIANGLE, {0, 1, 3}},
      {AM_CELL_TRIANGLE, {1, 2, 3}},
      {AM_CELL_TRIANGLE, {0, 2, 3}}}},
    {AM_CELL_TETRA_10,
     4,
     {{AM_CELL_TRIANGLE_6, {0, 1, 2, 4, 5, 6}},
      {AM_CELL_TRIANGLE_6, {0, 1, 3, 4, 8, 7}},
      {AM_CELL_TRIANGLE_6, {1, 2, 3, 5, 9, 8}},
      {AM_CELL_TRIANGLE_6, {0, 2, 3, 6, 9, 7}}}},
    {AM_CELL_HEXAHEDRON,
     6,
     {{AM_CELL_QUAD, {0, 1, 2, 3}},
      {AM_CELL_QUAD, {4, 5, 6, 7}},
      {AM_CELL_QUAD, {0, 1, 5, 4}},
      {AM_CELL_QUAD, {1, 2, 6, 5}},
      {AM_CELL_QUAD, {2, 3, 7, 6}},
      {AM_CELL_QUAD, {3, 0, 4, 7}}}},
    {AM_CELL_HEXAHEDRON_20,
     6,
     {{AM_CELL_QUAD_8, {0, 1, 2, 3, 8, 9, 10, 11}},
      {AM_CELL_QUAD_8, {4, 5, 6, 7, 12, 13, 14, 15}},
      {AM_CELL_QUAD_8, {0, 1, 5, 4, 8, 17, 12, 16}},
      {AM_CELL_QUAD_8, {1, 2, 6, 5, 9, 18, 13, 17}},
      {AM_CELL_QUAD_8, {2, 3, 7, 6, 10, 19, 14, 18}},
      {AM_CELL_QUAD_8, {3, 0, 4, 7, 11, 16, 15, 19}}}},
    {AM_CELL_WEDGE,
     5,
     {{AM_CELL_TRIANGLE, {0, 1, 2}},
      {AM_CELL_TRIANGLE, {3, 4, 5}},
      {AM_CELL_QUAD, {0, 1, 4, 3}},
      {AM_CELL_QUAD, {1, 2, 5, 4}},
      {AM_CELL_QUAD, {2, 0, 3, 5}}}},
    {AM_CELL_WEDGE_15,
     5,
     {{AM_CELL_TRIANGLE_6, {0, 1, 2, 6, 7, 8}},
      {AM_CELL_TRIANGLE_6, {3, 4, 5, 9, 10, 11}},
      {AM_CELL_QUAD_8, {0, 1, 4, 3, 6, 13, 9, 12}},
      {AM_CELL_QUAD_8, {1, 2, 5, 4, 7, 14, 10, 13}},
      {AM_CELL_QUAD_8, {2, 0, 3, 5, 8, 12, 11, 14}}}},
    {AM_CELL_PYRAMID,
     5,
     {{AM_CELL_QUAD, {0, 1, 2, 3}},
      {AM_CELL_TRIANGLE, {0, 1, 4}},
      {AM_CELL_TRIANGLE, {1, 2, 4}},
      {AM_CELL_TRIANGLE, {2, 3, 4}},
      {AM_CELL_TRIANGLE, {3, 0, 4}}}},
    {AM_CELL_PYRAMID_13,
     5,
     {{AM_CELL_QUAD_8, {0, 1, 2, 3, 5, 6, 7, 8}},
      {AM_CELL_TRIANGLE_6, {0, 1, 4, 5, 10, 9}},
      {AM_CELL_TRIANGLE_6, {1, 2, 4, 6, 11, 10}},
      {AM_CELL_TRIANGLE_6, {2, 3, 4, 7, 12, 11}},
      {AM_CELL_TRIANGLE_6, {3, 0, 4, 8, 9, 12}}}},
};

/* Flat pieces with every node at a corner of one. */
static const struct {
    am_cell_shape shape;
    size_t count;
    struct {
        unsigned char count, node[4];
    } piece[5];
} pieces_of[] = {
    {AM_CELL_LINE, 1, {{2, {0, 1}}}},
    {AM_CELL_LINE_3, 2, {{2, {0, 2}}, {2, {2, 1}}}},
    {AM_CELL_TRIANGLE, 1, {{3, {0, 1, 2}}}},
    {AM_CELL_TRIANGLE_6, 4, {{3, {0, 3, 5}}, {3, {3, 1, 4}}, {3, {5, 4, 2}}, {3, {3, 4, 5}}}},
    {AM_CELL_QUAD, 1, {{4, {0, 1, 2, 3}}}},
    {AM_CELL_QUAD_8, 5, {{3, {0, 4, 7}}, {3, {4, 1, 5}}, {3, {5, 2, 6}}, {3, {6, 3, 7}}, {4, {4, 5, 6, 7}}}},
    {AM_CELL_QUAD_9, 4, {{4, {0, 4, 8, 7}}, {4, {4, 1, 5, 8}}, {4, {8, 5, 2, 6}}, {4, {7, 8, 6, 3}}}},
};

/* One face, if all its nodes are members. */
static am_status add_face(const long *corner, const side *s, const bool *member, am_import_mesh_faces *faces,
                          am_error *err) {
    for (size_t v = 0; v < am_cell_nodes(s->shape); v++)
        if (!member[corner[s->node[v]]])
            return AM_OK;
    size_t shape = 0;
    while (pieces_of[shape].shape != s->shape)
        shape++;
    for (size_t p = 0; p < pieces_of[shape].count; p++) {
        am_import_mesh_face face = {.count = pieces_of[shape].piece[p].count};
        for (size_t v = 0; v < face.count; v++)
            face.node[v] = (size_t)corner[s->node[pieces_of[shape].piece[p].node[v]]];
        AM_TRY(am_memory_reserve(&faces->face, &faces->capacity, faces->count + 1, err));
        faces->face[faces->count++] = face;
    }
    return AM_OK;
}

static am_status add_sides(const am_import_mesh *grid, const am_import_mesh_cell *cell, const bool *member,
                           am_import_mesh_faces *faces, am_error *err) {
    for (size_t k = 0; k < sizeof sides_of / sizeof *sides_of; k++)
        for (size_t s = 0; sides_of[k].shape == cell->shape && s < sides_of[k].count; s++)
            AM_TRY(add_face(grid->corner + cell->first, &sides_of[k].side[s], member, faces, err));
    return AM_OK;
}

static int compare_sizes(const void *one, const void *other) {
    size_t a = *(const size_t *)one, b = *(const size_t *)other;
    return (a > b) - (a < b);
}

static int compare_faces(const void *one, const void *other) {
    am_import_mesh_face a = *(const am_import_mesh_face *)one, b = *(const am_import_mesh_face *)other;
    if (a.count != b.count)
        return a.count < b.count ? -1 : 1;
    qsort(a.node, a.count, sizeof *a.node, compare_sizes);
    qsort(b.node, b.count, sizeof *b.node, compare_sizes);
    for (size_t v = 0; v < a.count; v++)
        if (a.node[v] != b.node[v])
            return a.node[v] < b.node[v] ? -1 : 1;
    return 0;
}

am_status am_import_mesh_find_faces(const am_import_mesh *grid, const bool *member, bool plane,
                                    am_import_mesh_faces *faces, am_error *err) {
    static const side whole = {.node = {0, 1, 2, 3, 4, 5, 6, 7, 8}};
    int dimension = plane ? 1 : 2;
    size_t kept = 0;
    for (size_t c = 0; c < grid->cell_count; c++) {
        side own = whole;
        own.shape = grid->cell[c].shape;
        if (cell_dimension(own.shape) == dimension)
            AM_TRY(add_face(grid->corner + grid->cell[c].first, &own, member, faces, err));
    }
    for (size_t c = 0; c < grid->cell_count && faces->count == 0; c++)
        if (cell_dimension(grid->cell[c].shape) == dimension + 1)
            AM_TRY(add_sides(grid, &grid->cell[c], member, faces, err));
    if (faces->count > 0)
        qsort(faces->face, faces->count, sizeof *faces->face, compare_faces);
    for (size_t f = 0; f < faces->count; f++)
        if (kept == 0 || compare_faces(&faces->face[kept - 1], &faces->face[f]) != 0)
            faces->face[kept++] = faces->face[f];
    faces->count = kept;
    return AM_OK;
}
