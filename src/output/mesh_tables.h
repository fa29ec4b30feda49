/* A mesh in the tables of a result. */
#ifndef AMONTONS_OUTPUT_MESH_TABLES_H
#define AMONTONS_OUTPUT_MESH_TABLES_H
#include "amontons/result.h"

/* The tables `mesh_nodes` and `mesh_elements` of a result (am_solid_field_tables), and where their columns are. */
enum { AM_MESH_MOST_NODES = 8 };
typedef struct am_mesh_tables {
    const am_table *nodes, *elements;
    size_t x, y, ux, uy, sxx, syy, sxy, szz, mises;
    size_t body, shape, n[AM_MESH_MOST_NODES];
} am_mesh_tables;

typedef struct am_mesh_cell {
    size_t corners, count;           /* `count` nodes: corners, then perhaps mid-sides */
    size_t node[AM_MESH_MOST_NODES]; /* rows of mesh_nodes, from 0 */
} am_mesh_cell;

bool am_mesh_tables_there(const am_result *result);

/* AM_ERR_INPUT: a table or column is missing, or is not of the kind it should be. */
am_status am_mesh_tables_find(am_mesh_tables *tables, const am_result *result, am_error *err);

/* Row `row` of mesh_elements. AM_ERR_INPUT: an unknown shape, or a node that mesh_nodes does not have. */
am_status am_mesh_cell_read(const am_mesh_tables *tables, size_t row, am_mesh_cell *cell, am_error *err);

#endif
