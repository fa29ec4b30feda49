/* The items of the lists of model `mesh`, as structs of amontons/mesh.h. */
#ifndef AMONTONS_STUDY_MODELS_MESH_H
#define AMONTONS_STUDY_MODELS_MESH_H
#include "study/schema.h"

extern const am_schema am_mesh_body_schema, am_mesh_support_schema, am_mesh_load_schema, am_mesh_drive_schema,
    am_mesh_gravity_schema, am_mesh_rigid_schema, am_mesh_contact_schema;

#endif
