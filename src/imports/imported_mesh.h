/* A mesh: nodes with their places, and cells. From an input deck (Abaqus, CalculiX: *NODE, *ELEMENT), a table with the
 * columns node, x, y, z, or a mesh of Gmsh; sets of nodes come with them (*NSET, the column `set`, physical groups). */
#ifndef AMONTONS_IMPORTS_IMPORTED_MESH_H
#define AMONTONS_IMPORTS_IMPORTED_MESH_H
#include <stdbool.h>

#include "imports/sets.h"

typedef struct am_import_mesh_node {
    long number;
    double place[3];
} am_import_mesh_node;

/* Shapes by VTK's numbers, nodes in VTK's order. */
typedef enum am_cell_shape {
    AM_CELL_LINE = 3,
    AM_CELL_TRIANGLE = 5,
    AM_CELL_QUAD = 9,
    AM_CELL_TETRA = 10,
    AM_CELL_HEXAHEDRON = 12,
    AM_CELL_WEDGE = 13,
    AM_CELL_PYRAMID = 14,
    AM_CELL_LINE_3 = 21,
    AM_CELL_TRIANGLE_6 = 22,
    AM_CELL_QUAD_8 = 23,
    AM_CELL_TETRA_10 = 24,
    AM_CELL_HEXAHEDRON_20 = 25,
    AM_CELL_WEDGE_15 = 26,
    AM_CELL_PYRAMID_13 = 27,
    AM_CELL_QUAD_9 = 28
} am_cell_shape;

size_t am_cell_nodes(am_cell_shape shape);

typedef struct am_import_mesh_cell {
    am_cell_shape shape;
    size_t first; /* of its nodes in `corner` */
} am_import_mesh_cell;

/* Begins as {0}. */
typedef struct am_import_mesh {
    size_t count, capacity;
    am_import_mesh_node *node; /* ascending numbers, once it was sorted */
    size_t cell_count, cell_capacity;
    am_import_mesh_cell *cell;
    size_t corner_count, corner_capacity;
    long *corner; /* numbers of nodes; once it was sorted their indices */
} am_import_mesh;

enum { AM_CELL_MOST_NODES = 20 };
am_status am_import_mesh_add_node(am_import_mesh *grid, long number, const double place[3], am_error *err);
am_status am_import_mesh_add_cell(am_import_mesh *grid, am_cell_shape shape, const long *nodes, am_error *err);

/* Once all are there. AM_ERR_INPUT: a node twice, a cell with a node that there is not. */
am_status am_import_mesh_sort(am_import_mesh *grid, const char *path, am_error *err);
size_t am_import_mesh_find(const am_import_mesh *grid, long number); /* its index; SIZE_MAX: none */
void am_import_mesh_clear(am_import_mesh *grid);

/* What a file holds, by its content; both must be empty. Sorted. "path:line: ..." for what is wrong. */
am_status am_import_mesh_read(am_import_mesh *grid, am_sets *sets, const char *path, am_error *err);
am_status am_import_mesh_read_gmsh(am_import_mesh *grid, am_sets *sets, const char *path, am_error *err);

/* Flat pieces of a surface: 3 or 4 nodes, or the 2 of an edge. */
typedef struct am_import_mesh_face {
    size_t count, node[4]; /* indices of nodes */
} am_import_mesh_face;

typedef struct am_import_mesh_faces {
    size_t count, capacity;
    am_import_mesh_face *face; /* am_memory_free */
} am_import_mesh_faces;

/* The faces (in the plane: edges) all of whose nodes are members, each once: cells of the surface where there are such,
 * otherwise sides of solids. Those of order 2 are divided, so that every node gets its share. */
am_status am_import_mesh_find_faces(const am_import_mesh *grid, const bool *member, bool plane,
                                    am_import_mesh_faces *faces, am_error *err);

#endif
