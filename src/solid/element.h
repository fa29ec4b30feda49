/* One finite element: stiffness, mass, stresses; free of locking as Poisson's ratio comes close to 1/2 in plane strain,
 * and in bending. docs/solid.md, section 2. */
#ifndef AMONTONS_SOLID_ELEMENT_H
#define AMONTONS_SOLID_ELEMENT_H
#include "solid/mesh.h"

enum {
    AM_ELEMENT_SIZE = 2 * AM_SHAPE_MOST,
    AM_ELEMENT_MOVING = AM_ELEMENT_SIZE + 2 /* with the bubble's own motion */
};

/* Displacements, forces: x, y of each node in turn; size k = 2 am_shape_nodes. stiffness: k x k; mass: k x k,
 * consistent for bubbles that follow the nodes as in statics, may be NULL. AM_ERR_INPUT where the
 * element is inverted or degenerate (Jacobian not positive at a point of integration or at a node), or the material
 * impossible. */
am_status am_element_matrices(am_shape shape, const double (*place)[2], const am_solid_body *body, double *stiffness,
                              double *mass, am_error *err);

/* Inertia moves the bubble of a quadratic element away from where statics puts it. How far are unknowns of their own,
 * zeta, measured so that their stiffness is 1 and couples with nothing: with the nodes' displacements u
 *
 *     energy of strain = (u.K u + zeta.zeta)/2,      kinetic energy = (u', zeta').M (u', zeta')/2.
 *
 * mass: (k + am_element_bubbles) squared; its first k rows and columns are those of am_element_matrices. */
size_t am_element_bubbles(am_shape shape); /* 2; 0 for four nodes, whose inner modes have no inertia */
am_status am_element_inertia(am_shape shape, const double (*place)[2], const am_solid_body *body, double *mass,
                             am_error *err);

/* What is wrong with the places of the nodes (inverted, degenerate, folded, a mid-side far from the middle), as the
 * end of a sentence; NULL: nothing. */
const char *am_element_flaw(am_shape shape, const double (*place)[2]);

/* Of the polygon of the corners; negative: they run clockwise. */
double am_element_area(const double (*place)[2], size_t corners);

/* Forces of a uniform acceleration field (k): the mass times it, those on the bubble included. */
void am_element_body_force(am_shape shape, const double (*place)[2], const am_solid_body *body,
                           const double acceleration[2], double *force);

/* Stresses xx, yy, xy, zz at points in the element's own coordinates (quadrilaterals: -1..1 squared; triangle: area
 * coordinates (xi, eta) of the second and the third corner), from the displacements (k). */
typedef struct am_element_stress_result {
    double xx, yy, xy, zz;
} am_element_stress_result;
void am_element_stresses(am_shape shape, const double (*place)[2], const am_solid_body *body,
                         const double *displacement, size_t count, const double (*at)[2],
                         am_element_stress_result *stress);
void am_element_add_stress(am_element_stress_result *sum, double weight, const am_element_stress_result *stress);

/* The element's own coordinates of its nodes. */
void am_element_node_place(am_shape shape, size_t node, double *xi, double *eta);

/* Shape functions along an edge of `count` nodes (ends, mid-side) at s in -1..1, and their derivatives. */
void am_edge_shape(size_t count, double s, double shape[3], double slope[3]);

/* The place on an edge there, and its derivative by s. */
void am_edge_place(const am_solid_mesh *mesh, const am_solid_edge *edge, double s, double place[2], double slope[2]);

#endif
