/* The same bodies with their mass, by the method of Craig and Bampton: slips and gaps of the contact nodes, and amplitudes
 * of shapes in which all contacts rest. docs/solid.md, section 7. */
#ifndef AMONTONS_SOLID_DYNAMICS_H
#define AMONTONS_SOLID_DYNAMICS_H
#include "base/arena.h"
#include "solid/solid.h"

typedef struct am_solid_dynamics {
    am_arena memory;
    size_t modes;      /* amplitudes: modes asked for, and shapes of loads */
    double *frequency; /* modes: radians per unit of time, ascending, while all contacts stick */
    size_t inner;      /* eliminated coordinates and the bubbles' own motions */
    double *shape;     /* modes x inner; mass 1 */
    /* By how much (relative) frequencies of the structure sliding freely on its contacts may be wrong: the largest
     * among the lowest ten, or those of them below half of the highest mode asked for. */
    double frequency_error;
    double highest_frequency; /* of the modes asked for; 0: none were */
    size_t size;              /* coordinates of the system */
    double *pull;             /* drives x size: what a unit of displacement of a drive's far end does to the system */
    am_system *system;
} am_solid_dynamics;

/* The solid stays with the caller. AM_ERR_INPUT when `modes` is more than there are, when a body has no density, or a
 * drive no spring (a prescribed displacement would need its acceleration); AM_ERR_LIMIT for contacts and meshes whose
 * shapes do not fit into a reasonable memory. */
am_status am_solid_dynamics_init(am_solid_dynamics *dynamics, am_solid *solid, size_t modes, am_error *err);
void am_solid_dynamics_clear(am_solid_dynamics *dynamics);

/* Displacements of all nodes of the mesh (2 each) from the coordinates of the system. */
am_status am_solid_dynamics_displacements(const am_solid_dynamics *dynamics, am_solid *solid, const double *q,
                                          double *displacement, am_error *err);

/* Force in the spring of a drive, along its direction: stiffness times (far end - place). */
double am_solid_dynamics_force(const am_solid_dynamics *dynamics, const am_solid_def *def, size_t drive,
                               const double *q, double t);

#endif
