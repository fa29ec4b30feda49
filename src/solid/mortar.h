/* Two surfaces in contact, node by node: mortar integrals with dual functions. docs/solid.md, section 4. */
#ifndef AMONTONS_SOLID_MORTAR_H
#define AMONTONS_SOLID_MORTAR_H
#include "base/arena.h"
#include "solid/mesh.h"

/* What a contact node of the slave line faces: its displacement minus the weighted mean of the other side's,
 *
 *     u_s - sum over k of weight_k u(node_k),      or of a rigid master  u_s - scale (r + rotation x arm),
 *
 * is `scale` times gap and slip. Some nodes of the slave line bear no contact of their own (corners, nodes that are
 * held): their share of it passes to the nearest node of the same edge, whose length grows by it (scale is the quotient
 * length/own), and their displacements are among the u(node_k), with a negative weight. */
typedef struct am_mortar_node {
    size_t node; /* of the mesh */
    double normal[2], tangent[2];
    double length;       /* D: integral of its dual function, and of those that it inherited */
    double own;          /* without the latter */
    double gap;          /* distance of the surfaces along the normal in the beginning */
    double doubt;        /* by how much that may be wrong where curves are made of facets */
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

/* What else decides the displacements of a node of the slave line. */
typedef enum am_mortar_hold {
    AM_MORTAR_FREE,
    AM_MORTAR_LEFT_OUT, /* the node bears no contact */
    AM_MORTAR_PLANE_X, /* it lies on a symmetry plane that holds it along x; the normal is y, and nothing slips there */
    AM_MORTAR_PLANE_Y
} am_mortar_hold;

/* `hold`: of each node of the mesh. AM_ERR_INPUT with a sentence where the surfaces do not face each other, or where
 * all nodes of an edge are left out. It lies in `memory`. */
am_status am_mortar_init(am_mortar *mortar, const am_solid_mesh *mesh, const am_solid_line *slave,
                         const am_mortar_master *master, const am_mortar_hold *hold, am_arena *memory, am_error *err);

#endif
