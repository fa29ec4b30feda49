/* Small problems of meshed bodies: assembled in a band, with prescribed displacements, solved by Cholesky. */
#ifndef AMONTONS_TESTS_SOLID_SUPPORT_H
#define AMONTONS_TESTS_SOLID_SUPPORT_H
#include "solid/block_mesh.h"
#include "solid/element.h"
#include "solid/mesh.h"

/* A rectangle from the origin, columns x rows cells of equal size. */
am_solid_mesh solid_rectangle(am_shape shape, const am_solid_body *body, double width, double height, size_t columns,
                              size_t rows);

/* Moves every inner corner by up to `part` of the distance to its neighbours (the same way for the same mesh) and puts
 * mid-sides back into the middle of their straight sides. */
void solid_distort(am_solid_mesh *mesh, double part);

bool solid_on_boundary(const am_solid_mesh *mesh, size_t node); /* of the rectangle that holds all nodes */

typedef struct solid_problem {
    size_t n, band;
    double *stiffness, *mass; /* rows of band + 1 entries, the last on the diagonal */
    double *force;
    bool *fixed;
    double *displacement; /* in: of the fixed ones; out: all */
} solid_problem;

solid_problem solid_assemble(const am_solid_mesh *mesh);
void solid_solve(solid_problem *problem);              /* the matrix is kept */
double solid_lowest_frequency(solid_problem *problem); /* its square, fixed ones at rest; inverse iteration */
void solid_problem_free(solid_problem *problem);

void solid_places(const am_solid_mesh *mesh, size_t element, double place[AM_SHAPE_MOST][2]);
void solid_gather(const am_solid_mesh *mesh, size_t element, const double *all, double *own);

#endif
