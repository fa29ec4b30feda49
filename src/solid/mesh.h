/* Plane elastic bodies, divided into finite elements. Lengths, forces and masses in any consistent units; forces are
 * those of the whole thickness. docs/solid.md. */
#ifndef AMONTONS_SOLID_MESH_H
#define AMONTONS_SOLID_MESH_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef enum am_shape { AM_QUAD4, AM_QUAD8, AM_TRIANGLE6 } am_shape;
enum { AM_SHAPE_MOST = 8 }; /* nodes of an element */
size_t am_shape_nodes(am_shape shape);
size_t am_shape_corners(am_shape shape);

typedef struct am_solid_body {
    const char *name; /* of the mesh */
    double modulus, poisson, density, thickness;
    bool plane_stress; /* else plane strain */
} am_solid_body;

/* Nodes counterclockwise: corners, then mid-sides (the first between corners 0 and 1). */
typedef struct am_solid_element {
    am_shape shape;
    size_t body;
    size_t node[AM_SHAPE_MOST];
} am_solid_element;

/* A side of an element on the surface: its ends, so that the body is on the left when walking from the first to the
 * second, then the mid-side (quadratic elements). */
typedef struct am_solid_edge {
    size_t count; /* 2 or 3 nodes */
    size_t node[3];
    size_t element;
} am_solid_edge;

/* A named part of a surface. */
typedef struct am_solid_line {
    const char *name; /* of the mesh */
    size_t body;
    size_t count;
    am_solid_edge *edge; /* in the order of the walk where they hang together */
} am_solid_line;

typedef struct am_solid_mesh {
    am_arena memory; /* of names and edges */
    size_t nodes;
    double *place; /* x, y of each */
    size_t elements;
    am_solid_element *element;
    size_t bodies;
    am_solid_body *body;
    size_t lines;
    am_solid_line *line;
} am_solid_mesh;

/* Modulus, thickness and density (not negative) of a body, and Poisson's ratio: above -1 and at most 1/2, in plane
 * strain at most 0.4999999. */
am_status am_solid_body_check(const am_solid_body *body, am_error *err);

void am_solid_mesh_clear(am_solid_mesh *mesh);

/* Adds a body without elements; its number in *body. `about`: everything but the name is copied from it. */
am_status am_solid_mesh_add_body(am_solid_mesh *mesh, const char *name, const am_solid_body *about, size_t *body,
                                 am_error *err);
/* Adds a line with room for `count` edges (edge[] zeroed, to be filled by the caller). */
am_status am_solid_mesh_add_line(am_solid_mesh *mesh, const char *name, size_t body, size_t count, am_solid_line **line,
                                 am_error *err);

/* SIZE_MAX: there is none of that name. */
size_t am_solid_mesh_find_line(const am_solid_mesh *mesh, const char *name);
size_t am_solid_mesh_find_body(const am_solid_mesh *mesh, const char *name);

/* The places of an element's nodes; its side from corner `side` to the next. */
void am_solid_mesh_places(const am_solid_mesh *mesh, const am_solid_element *element, double (*place)[2]);
am_solid_edge am_solid_mesh_edge(const am_solid_mesh *mesh, size_t element, size_t side);

/* Materials, node numbers, orientation (inverted, degenerate elements are named with their number and places), edges
 * that belong to their element. */
am_status am_solid_mesh_check(const am_solid_mesh *mesh, am_error *err);

#endif
