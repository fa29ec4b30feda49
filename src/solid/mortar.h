/* Two surfaces in contact, node by node: mortar integrals with dual functions. docs/solid.md, section 4. */
#ifndef AMONTONS_SOLID_MORTAR_H
#define AMONTONS_SOLID_MORTAR_H
#include "solid/mesh.h"

/* What a contact node of the slave line faces: its displacement minus the weighted mean of the other side's,
 *
 *     u_s - sum over k of weight_k u(node_k),      or of a rigid master  u_s - (r + rotation x arm),
 *
 * is gap and slip. */
typedef struct am_mortar_node {
    size_t node; /* of the mesh */
    double normal[2], tangent[2];
    double length;       /* D: integral of its dual function */
    double gap;          /* weighted mean of the distance of the surfaces along the normal */
    double arm[2];       /* rigid master: weighted mean of the opposite places */
    size_t first, count; /* of its weights */
} am_mortar_node;

typedef struct am_mortar_weight {
    size_t node; /* of the mesh */
    double value;
} am_mortar_weight;

typedef struct am_mortar {
    size_t nodes;
    am_mortar_node *node; /* in the order of the tangent */
    size_t weights;
    am_mortar_weight *weight;
    size_t partial; /* edges of the slave that the master covers in part: they bear nothing */
} am_mortar;

/* The other side: a line of the mesh, a straight rigid surface, or (both NULL) a rigid wall along the slave itself. */
typedef struct am_mortar_master {
    const am_solid_line *line;
    const double (*rigid)[2]; /* its two ends, body on the left */
    const char *name;         /* for messages */
} am_mortar_master;

/* AM_ERR_INPUT with a sentence where the surfaces do not face each other. */
am_status am_mortar_init(am_mortar *mortar, const am_solid_mesh *mesh, const am_solid_line *slave,
                         const am_mortar_master *master, am_error *err);
void am_mortar_clear(am_mortar *mortar);

#endif
