/* Inside of model `mesh`: all that is made on the way to its system. */
#ifndef AMONTONS_MODELS_MESH_H
#define AMONTONS_MODELS_MESH_H
#include "amontons/mesh.h"
#include "solid/dynamics.h"

/* Parts of it point to each other: it stays where it was made. */
typedef struct am_mesh_rig {
    am_solid_mesh mesh;
    am_solid_def def;
    am_solid *solid;
    am_solid_dynamics dynamics; /* with modes; its system was given away */
} am_mesh_rig;

/* The system, which is the caller's; NULL with err filled, as am_mesh_create. `rig` is empty before, and to be cleared
 * after, failures included; what `mesh` points to must live as long. */
am_system *am_mesh_rig_init(am_mesh_rig *rig, const am_mesh *mesh, am_error *err);
am_system *am_mesh_rig_create(am_mesh_rig *rig, const am_mesh *mesh,
                              am_error *err); /* the same of a C program's mesh */
void am_mesh_rig_clear(am_mesh_rig *rig);

#endif
