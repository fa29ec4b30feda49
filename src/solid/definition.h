/* What a condensed solid is made of: bodies, supports, loads, drives and contacts. */
#ifndef AMONTONS_SOLID_DEFINITION_H
#define AMONTONS_SOLID_DEFINITION_H
#include "amontons/mesh.h"
#include "solid/mesh.h"

/* What it points to is borrowed for the life of the solid. */
typedef struct am_solid_def {
    const am_solid_mesh *mesh;
    size_t rigid_count, support_count, load_count, gravity_count, drive_count, contact_count;
    const am_mesh_rigid *rigid;
    const am_mesh_support *support;
    const am_mesh_load *load;
    const am_mesh_gravity *gravity;
    const am_mesh_drive *drive;
    const am_mesh_contact *contact;
    double mass_damping, stiffness_damping; /* dynamics: C = mass_damping M + stiffness_damping K */
} am_solid_def;

#endif
