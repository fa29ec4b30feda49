/* The matrices of meshed bodies in the coordinates y of an expansion: entries of one triangle, as MUMPS takes them. */
#ifndef AMONTONS_SOLID_ASSEMBLY_H
#define AMONTONS_SOLID_ASSEMBLY_H
#include "solid/expansion.h"

typedef struct am_assembly {
    size_t n;               /* coordinates */
    size_t count, capacity; /* entries; repeated ones add up */
    int *row, *column;      /* from 1, row >= column */
    double *value;
} am_assembly;

/* Stiffness with the springs of drives. */
am_status am_assembly_stiffness(am_assembly *assembly, const am_solid_def *def, const am_expansion *expansion,
                                const am_mortar *mortar, am_error *err);
/* Mass, rigid bodies included. After the coordinates y come the bubbles' own motions, element by element
 * (am_element_inertia; am_assembly_bubbles of them), which have the stiffness 1. */
am_status am_assembly_mass(am_assembly *assembly, const am_solid_def *def, const am_expansion *expansion,
                           const am_mortar *mortar, am_error *err);
size_t am_assembly_bubbles(const am_solid_mesh *mesh);
void am_assembly_clear(am_assembly *assembly);

/* y = A x */
void am_assembly_apply(const am_assembly *assembly, const double *x, double *y);

/* The load vectors (n): of a load or a weight, per unit of its function. forces is added to. */
am_status am_assembly_load(const am_solid_def *def, const am_expansion *expansion, size_t load, double *forces,
                           am_error *err);
void am_assembly_gravity(const am_solid_def *def, const am_expansion *expansion, size_t gravity, double *forces);
/* What a weight does to the bubbles' own motions (am_assembly_bubbles of them). */
am_status am_assembly_bubble_forces(const am_solid_def *def, size_t gravity, double *forces, am_error *err);

#endif
