/* What the elements share: shape functions, points of integration, and the elimination of what lies inside. */
#ifndef AMONTONS_SOLID_ELEMENT_INTERNAL_H
#define AMONTONS_SOLID_ELEMENT_INTERNAL_H
#include "solid/element.h"

enum {
    AM_ELEMENT_SHAPES = 9,                      /* of nodes and inside, at most */
    AM_ELEMENT_ALL = 2 * AM_ELEMENT_SHAPES + 3, /* unknowns with those inside, at most */
    AM_ELEMENT_POINTS = 12                      /* of integration, at most */
};

/* Points of integration: xi, eta, weight (triangle: the weights sum to 1/2). Returns how many. */
size_t am_element_points(am_shape shape, double point[AM_ELEMENT_POINTS][3]);

/* The shape functions of the nodes, then the bubble of quadratic elements; slopes along xi and eta. Returns how many.
 */
size_t am_element_shapes(am_shape shape, double xi, double eta, double value[AM_ELEMENT_SHAPES],
                         double slope[AM_ELEMENT_SHAPES][2]);

/* Everything at one point of the element. */
typedef struct am_element_point {
    size_t shapes;
    double value[AM_ELEMENT_SHAPES];
    double gradient[AM_ELEMENT_SHAPES][2]; /* along x and y */
    double inverse[2][2];                  /* d(xi, eta)_d / d(x, y)_r */
    double jacobian;
    double place[2];
} am_element_point;
am_element_point am_element_at(am_shape shape, const double (*place)[2], double xi, double eta);

/* Stress from strain in the plane: xx = along e_xx + across e_yy, xy = shear gamma. */
typedef struct am_elasticity {
    double along, across, shear;
} am_elasticity;
am_elasticity am_elasticity_of(const am_solid_body *body);

/* The element before what lies inside is eliminated. Unknowns: those of the nodes; pressures; those of the inner
 * shapes. Lower triangles of row-major matrices. */
typedef struct am_element_whole {
    size_t nodes, shapes, pressures;
    size_t nodal, all; /* number of unknowns of the nodes, and with those inside */
    double stiffness[AM_ELEMENT_ALL][AM_ELEMENT_ALL], mass[AM_ELEMENT_ALL][AM_ELEMENT_ALL];
} am_element_whole;

void am_element_whole_begin(am_element_whole *whole, size_t nodes, size_t shapes, size_t pressures);
size_t am_element_unknown(const am_element_whole *whole, size_t shape); /* x of this shape; y is the next */

/* Adds weight B^T D B, and density N^T N for the shapes with inertia (the first `inert`). */
void am_element_add_stiffness(am_element_whole *whole, const am_element_point *point, am_elasticity law, double weight);
void am_element_add_mass(am_element_whole *whole, const am_element_point *point, size_t inert, double weight);

/* Expresses the unknowns inside by those of the nodes: no force acts on them, and their inertia moves with the nodes.
 * Afterwards the first `nodal` rows are those of the element; the others serve am_element_recover. */
void am_element_eliminate(am_element_whole *whole);
/* unknown[nodal .. all) from unknown[0 .. nodal). */
void am_element_recover(const am_element_whole *whole, double *unknown);
/* Stress at a point from the gradients of all unknowns; without the mean stress of pressures. */
am_element_stress_result am_element_strain_stress(const am_element_whole *whole, const am_element_point *point,
                                                  am_elasticity law, const am_solid_body *body, const double *unknown);
/* How the inner unknowns answer a unit force on one of them while the nodes rest. */
void am_element_answer(const am_element_whole *whole, size_t unknown, double answer[AM_ELEMENT_ALL]);

/* The elements themselves: filled and eliminated. */
void am_element_quad4(const double (*place)[2], const am_solid_body *body, am_element_whole *whole);
void am_element_mixed(am_shape shape, const double (*place)[2], const am_solid_body *body, am_element_whole *whole);
/* The same, and the mass with the bubble's own motion (am_element_inertia). */
void am_element_mixed_inertia(am_shape shape, const double (*place)[2], const am_solid_body *body,
                              am_element_whole *whole, double *mass);
void am_element_quad4_stress(const double (*place)[2], const am_solid_body *body, const double *displacement,
                             size_t count, const double (*at)[2], am_element_stress_result *stress);
void am_element_mixed_stress(am_shape shape, const double (*place)[2], const am_solid_body *body,
                             const double *displacement, size_t count, const double (*at)[2],
                             am_element_stress_result *stress);

#endif
