/* What a condensed solid is made of: bodies, supports, loads, drives and contacts. */
#ifndef AMONTONS_SOLID_DEFINITION_H
#define AMONTONS_SOLID_DEFINITION_H
#include "amontons/system.h"
#include "solid/mesh.h"

/* A rigid body with a straight surface; it has no elements. Where its surface is walked from `from` to `to` it is on
 * the left, like a meshed body. */
typedef struct am_solid_rigid {
    const char *name;
    double from[2], to[2];
    bool fixed[3];        /* x, y, rotation about the middle of the surface */
    double mass, inertia; /* dynamics; about the middle of the surface */
} am_solid_rigid;

/* Where something acts: a line of the mesh or a rigid body by name; the whole line, or with `point` the place on it
 * nearest to `at` (of a rigid body: the place `at` itself). */
typedef struct am_solid_place {
    const char *name;
    bool point;
    double at[2];
} am_solid_place;

typedef struct am_solid_support {
    am_solid_place place;
    bool fixed[2]; /* x, y */
} am_solid_support;

/* A force, spread evenly over the line or at the point. */
typedef struct am_solid_load {
    am_solid_place place;
    double force[2]; /* in all, per unit of the function */
    am_function function;
} am_solid_load;

/* A weight: every body feels this acceleration. */
typedef struct am_solid_gravity {
    double acceleration[2];
    am_function function;
} am_solid_gravity;

/* A prescribed displacement along `direction`: of every node of the place (stiffness 0), or of the far end of a spring
 * that acts on the mean displacement of the place. */
typedef struct am_solid_drive {
    const char *name;
    am_solid_place place;
    double direction[2]; /* of length 1; without a spring along x or y */
    double stiffness;
    am_function function;
} am_solid_drive;

/* `slave` and `master` face each other. The slave's nodes are the contacts; it is the finer or the softer side. */
typedef struct am_solid_contact {
    const char *name;
    const char *slave;  /* line */
    const char *master; /* line or rigid body; NULL: a rigid wall along the slave line itself */
    am_friction friction;
    double gap;               /* added to the geometric one */
    double curvature, centre; /* added: curvature (x - centre)^2/2, x along the tangent */
    bool flush;               /* the geometric gap is taken as zero (surfaces that are meant to coincide) */
} am_solid_contact;

/* What it points to is borrowed for the life of the solid. */
typedef struct am_solid_def {
    const am_solid_mesh *mesh;
    size_t rigid_count, support_count, load_count, gravity_count, drive_count, contact_count;
    const am_solid_rigid *rigid;
    const am_solid_support *support;
    const am_solid_load *load;
    const am_solid_gravity *gravity;
    const am_solid_drive *drive;
    const am_solid_contact *contact;
    double mass_damping, stiffness_damping; /* dynamics: C = mass_damping M + stiffness_damping K */
} am_solid_def;

#endif
