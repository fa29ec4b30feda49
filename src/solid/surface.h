/* A line of the mesh as a surface: its places, its normals, where it turns corners, and how it bulges between nodes
 * that were put on a curve. docs/solid.md, section 4. */
#ifndef AMONTONS_SOLID_SURFACE_H
#define AMONTONS_SOLID_SURFACE_H
#include "base/arena.h"
#include "solid/mesh.h"

typedef struct am_surface {
    const am_solid_mesh *mesh;
    const am_solid_line *line;
    size_t *next;        /* edges: the one that begins where this one ends; SIZE_MAX: none */
    size_t *before;      /* the one that ends where this one begins */
    bool *corner;        /* edges: the line turns a corner where this one ends */
    double (*normal)[2]; /* 3 for each edge: outward, at its nodes; continuous along the line but at corners */
    double *sag;         /* edges: how far the curve lies outside of the edge at its middle; 0 of straight lines */
} am_surface;

/* It lies in `memory`. */
am_status am_surface_init(am_surface *surface, const am_solid_mesh *mesh, const am_solid_line *line, am_arena *memory,
                          am_error *err);

/* The place with the parameter s, -1 to 1, of an edge, and its derivative with respect to s. */
void am_surface_place(const am_surface *surface, size_t edge, double s, double place[2], double slope[2]);

/* The outward normal there, of length 1. */
void am_surface_normal(const am_surface *surface, size_t edge, double s, double normal[2]);

/* Parameter of node i of an edge. */
double am_surface_parameter(size_t i);

/* Node i of the edge lies at a corner. */
bool am_surface_at_corner(const am_surface *surface, size_t edge, size_t i);

#endif
