/* Slider and base with all that was made of them: analyses take the system, reports the rest. */
#ifndef AMONTONS_MODELS_BLOCKS_H
#define AMONTONS_MODELS_BLOCKS_H
#include "amontons/models.h"
#include "solid/dynamics.h"

/* Parts of it point to each other: it stays where it was made. */
typedef struct am_blocks_rig {
    am_blocks blocks; /* defaults filled in */
    double left;      /* the slider's left end; its middle is x = 0 */
    double base_left;
    double hertz; /* half-width that half-planes would have under P; 0: flat */
    am_solid_mesh mesh;
    am_mesh_rigid rigid;
    am_mesh_support support[3];
    am_mesh_load load[4];
    am_mesh_gravity gravity;
    am_mesh_drive drive;
    am_mesh_contact contact;
    double press[2][2], push[2][2]; /* times and values */
    am_solid_def def;
    am_solid *solid;
    am_solid_dynamics dynamics; /* with modes; its system was given away */
} am_blocks_rig;

am_blocks_rig *am_blocks_rig_create(const am_blocks *blocks, am_error *err);
void am_blocks_rig_free(am_blocks_rig *rig);

/* The rig's system, once: the caller's from then on. */
am_system *am_blocks_rig_system(am_blocks_rig *rig, am_error *err);

/* +1: pushed along x; -1: against it. */
double am_blocks_direction(const am_blocks *blocks);

/* The mesh of what is not rigid. */
am_status am_blocks_mesh_make(am_blocks_rig *rig, am_error *err);

#endif
