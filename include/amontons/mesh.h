/* Model `mesh`: plane elastic bodies meshed by Gmsh, in contact with each other or with rigid bodies, condensed onto their
 * contact nodes. docs/mesh.md, docs/solid.md. Lengths, forces, masses and times in any consistent units; forces are those
 * of the whole thickness. What an am_mesh points to is borrowed while am_mesh_create runs. */
#ifndef AMONTONS_MESH_H
#define AMONTONS_MESH_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/observer.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The material of a body: a physical surface of the mesh, by its name. */
typedef struct am_mesh_body {
    const char *name;
    double modulus;    /* > 0 */
    double poisson;    /* above -1, at most 1/2; in plane strain at most 0.4999999 */
    double density;    /* not negative; dynamics and gravity need it */
    double thickness;  /* > 0 */
    bool plane_stress; /* else plane strain */
} am_mesh_body;

/* A rigid body with a straight surface; it has no elements. Where its surface is walked from `from` to `to` it is on
 * the left, like a meshed body. */
typedef struct am_mesh_rigid {
    const char *name;
    double from[2], to[2];
    bool fixed[3];        /* x, y, rotation about the middle of the surface */
    double mass, inertia; /* dynamics; about the middle of the surface */
} am_mesh_rigid;

/* Where something acts: a line of the mesh or a rigid body by name; the whole line, or with `point` the place on it
 * nearest to `at` (of a rigid body: the place `at` itself). */
typedef struct am_mesh_place {
    const char *name;
    bool point;
    double at[2];
} am_mesh_place;

typedef struct am_mesh_support {
    am_mesh_place place;
    bool fixed[2]; /* x, y */
} am_mesh_support;

/* A force, spread evenly over the line or at the point. */
typedef struct am_mesh_load {
    am_mesh_place place;
    double force[2]; /* in all, per unit of the function */
    am_function function;
} am_mesh_load;

/* A weight: every body feels this acceleration. */
typedef struct am_mesh_gravity {
    double acceleration[2];
    am_function function;
} am_mesh_gravity;

/* A prescribed displacement along `direction`: of every node of the place (stiffness 0), or of the far end of a spring
 * that acts on the mean displacement of the place. */
typedef struct am_mesh_drive {
    const char *name;
    am_mesh_place place;
    double direction[2]; /* of length 1; without a spring along x or y */
    double stiffness;
    am_function function;
} am_mesh_drive;

/* `slave` and `master` face each other. The slave's nodes are the contacts; it is the finer or the softer side. */
typedef struct am_mesh_contact {
    const char *name;
    const char *slave;  /* line */
    const char *master; /* line or rigid body; NULL: a rigid wall along the slave line itself */
    am_friction friction;
    double gap;               /* added to the geometric one */
    double curvature, centre; /* added: curvature (x - centre)^2/2, x along the tangent */
    bool flush;               /* the geometric gap is taken as zero (surfaces that are meant to coincide) */
} am_mesh_contact;

typedef struct am_mesh {
    const char *file; /* of Gmsh: .msh of format 2.2 or 4.1 */
    const char *text; /* what such a file holds, instead; one of the two */
    size_t body_count, contact_count, support_count, load_count, gravity_count, drive_count, rigid_count;
    const am_mesh_body *bodies; /* one for each body of the mesh */
    const am_mesh_contact *contacts;
    const am_mesh_support *supports;
    const am_mesh_load *loads;
    const am_mesh_gravity *gravity;
    const am_mesh_drive *drives;
    const am_mesh_rigid *rigid;
    size_t modes; /* beside the slips and gaps of the contact nodes, with mass; 0 (default): without mass */
    double mass_damping, stiffness_damping; /* with mass: C = mass_damping M + stiffness_damping K */
    int cookie;
} am_mesh;

AM_API am_mesh am_mesh_default(void);

/* Coordinates v1..vm (slips) and w1..wm (gaps) of the contact nodes, then amplitudes of modes. NULL on failure, with
 * err->field "file", "bodies[1]", "loads[0].force", ...: files that cannot be read, lines and bodies that are not there,
 * elements that are turned inside out, bodies that can move freely even when all contacts stick, contact lines that do
 * not face each other. AM_ERR_UNSUPPORTED without MUMPS. */
AM_API am_system *am_mesh_create(const am_mesh *mesh, am_error *err);

/* The same, and forces of contacts and drives and tractions of what was seen (docs/solid.md); `fields`: the deformed mesh
 * and its stresses too. What `mesh` points to is borrowed until the watch is released. */
AM_API am_system *am_mesh_create_watched(const am_mesh *mesh, bool fields, am_model_watch *watch, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
