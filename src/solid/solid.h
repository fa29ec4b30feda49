/* Meshed bodies, supports, loads and contacts, condensed onto the contacts: the way from finite elements to a `system`
 * whose coordinates are the slips and gaps of contact nodes. docs/solid.md, sections 4 to 6. */
#ifndef AMONTONS_SOLID_SOLID_H
#define AMONTONS_SOLID_SOLID_H
#include "solid/definition.h"

typedef struct am_solid am_solid;

/* Checks, assembles, factors, condenses. AM_ERR_INPUT with a sentence for bodies that can move freely even when all
 * contacts stick (the rigid motion is named), lines and bodies that do not exist, contact lines that do not face each
 * other. AM_ERR_UNSUPPORTED without MUMPS. */
am_status am_solid_create(am_solid **solid, const am_solid_def *def, am_error *err);
void am_solid_free(am_solid *solid);

/* One contact node. */
typedef struct am_solid_node {
    size_t contact; /* which of the definition's */
    size_t node;    /* of the mesh */
    double place[2];
    double normal[2], tangent[2]; /* normal: from the master to the slave; the tangent: 90 degrees clockwise from it */
    double arc;                   /* length along the slave line from its lower end along the tangent */
    double area;                  /* D: pressure is N / area */
    double gap;                   /* in the beginning */
} am_solid_node;

size_t am_solid_contacts(const am_solid *solid); /* contact nodes, m */
const am_solid_node *am_solid_node_at(const am_solid *solid, size_t contact);
size_t am_solid_unknowns(const am_solid *solid); /* that were eliminated or kept, in all */

/* Coordinates v1..vm, w1..wm; contacts in order; no mass. Prescribed displacements became loads. */
am_system *am_solid_system(const am_solid *solid, am_error *err);

/* Displacements of all nodes of the mesh (2 each) from the coordinates of the system at time t. `rigid` (3 each: x, y,
 * rotation) and `drive` (forces of the drives, along their direction) may be NULL. */
am_status am_solid_displacements(am_solid *solid, const double *q, double t, double *displacement, double *rigid,
                                 double *drive, am_error *err);

#endif
