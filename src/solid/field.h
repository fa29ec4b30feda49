/* Displacements and stresses at the nodes of a mesh. docs/mesh.md, section 4. */
#ifndef AMONTONS_SOLID_FIELD_H
#define AMONTONS_SOLID_FIELD_H
#include "amontons/result.h"
#include "base/arena.h"
#include "solid/element.h"

/* A point is a node as part of a body: a node that two bodies share makes two points, because stresses jump there. */
typedef struct am_solid_point {
    size_t node, body;
    am_element_stress_result stress; /* the mean of what the body's elements say */
} am_solid_point;

typedef struct am_solid_field {
    am_arena memory;
    size_t points;
    am_solid_point *point;
    size_t *of_element; /* AM_SHAPE_MOST each: the points of its nodes */
} am_solid_field;

/* From the displacements of all nodes, x and y of each in turn. */
am_status am_solid_field_init(am_solid_field *field, const am_solid_mesh *mesh, const double *displacement,
                              am_error *err);
void am_solid_field_clear(am_solid_field *field);

/* von Mises' equivalent stress. */
double am_solid_mises(const am_element_stress_result *stress);

/* Table `mesh_nodes`: x, y, ux, uy, sxx, syy, sxy, szz, mises of every point; and `mesh_elements`: body, shape
 * (quad4, quad8, triangle6), n1..n8: the rows of its nodes in mesh_nodes from 1, corners first (empty where there are
 * fewer). */
am_status am_solid_field_tables(const am_solid_mesh *mesh, const double *displacement, am_result *result,
                                am_error *err);

#endif
