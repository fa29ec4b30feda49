/* Model `mesh` in pieces: what its lists hold. */
#ifndef AMONTONS_STUDY_MODELS_MESH_H
#define AMONTONS_STUDY_MODELS_MESH_H
#include "solid/solid.h"
#include "study/functions.h"
#include "study/models/solid_friction.h"
#include "study/models/solid_modes.h"

typedef struct am_mesh_body_setting {
    const char *name;
    am_solid_body body;
    int plane;
} am_mesh_body_setting;

typedef struct am_mesh_support_setting {
    const char *line;
    am_numbers at;
    bool x, y;
} am_mesh_support_setting;

typedef struct am_mesh_load_setting {
    const char *line;
    am_numbers at, force;
    am_function_setting function;
} am_mesh_load_setting;

typedef struct am_mesh_drive_setting {
    const char *name, *line;
    am_numbers at, direction;
    double stiffness;
    am_function_setting function;
} am_mesh_drive_setting;

typedef struct am_mesh_gravity_setting {
    am_numbers acceleration;
    am_function_setting function;
} am_mesh_gravity_setting;

typedef struct am_mesh_rigid_setting {
    const char *name;
    am_numbers from, to;
    am_words fixed;
    double mass, inertia;
} am_mesh_rigid_setting;

typedef struct am_mesh_contact_setting {
    const char *name, *slave, *master;
    am_friction_setting friction;
    double gap, curvature, centre;
    bool flush;
} am_mesh_contact_setting;

extern const am_schema am_mesh_body_schema, am_mesh_support_schema, am_mesh_load_schema, am_mesh_drive_schema,
    am_mesh_gravity_schema, am_mesh_rigid_schema, am_mesh_contact_schema;

typedef struct am_mesh_setting {
    const char *file, *text;
    am_records bodies, supports, loads, drives, rigid, contacts;
    am_mesh_gravity_setting gravity; /* without acceleration: none */
    am_modes_setting modes;
    double mass_damping, stiffness_damping;
    bool fields;
    struct am_mesh_rig **rig; /* made by build, for report */
} am_mesh_setting;

#endif
