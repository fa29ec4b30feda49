/* Surfaces that meet: nodes of a mesh become pairs by their places, and pairs become contacts. docs/import.md.
 *
 *     am_interface *interface = am_interface_create(&def, &err);
 *     am_system_def system = am_system_def_default();
 *     ...
 *     system.contacts = am_interface_contacts(interface, n, coordinate, &mesh, &err);
 *     system.contact_count = am_interface_count(interface);
 *
 * A contact's normal points from `to` into the body of `from`: gap = n.(u_from - u_to) + gap0. */
#ifndef AMONTONS_INTERFACE_H
#define AMONTONS_INTERFACE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Nodes of a mesh; `place` has x, y, z of each. */
typedef struct am_interface_nodes {
    size_t count;
    const long *number;
    const double *place;
} am_interface_nodes;

/* A flat piece of the surface: 3 or 4 nodes round it, or the 2 ends of an edge in the plane, as indices of `from`. */
typedef struct am_interface_face {
    size_t count, node[4];
} am_interface_face;

typedef struct am_interface_def {
    am_interface_nodes from;
    am_interface_nodes to; /* count 0: the ground */
    double tolerance;      /* that the nodes of a pair may be apart; 0: 1e-6 of the size of the surface */
    const double *normal;  /* 3 numbers, the same for all pairs; NULL: that of the faces, or where there are none of the
                             * plane in which all nodes of `from` lie */
    const double *inside;  /* 3 numbers for each node of `from`, from it into its body: the sign of a normal that is not
                             * given */
    bool plane;            /* nodes move in x and y alone: one tangent, edges for faces */
    bool frictionless;     /* contacts without tangents */
    const double *tangent; /* 3 numbers: the only direction of friction, or the first one; its part across the normal
                             * counts. NULL: in the plane the one there is, in space two: the first along the x axis, or
                             * where the normal is near it along the y axis */
    const double *second_tangent; /* 3 numbers: its part across the normal and the first counts */
    size_t face_count;
    const am_interface_face *faces;
    bool per_area;          /* contact_stiffness, contact_damping, tangential_stiffness and hold are per unit of area */
    bool gap_of_mesh;       /* the distance of a pair along its normal is added to the gap */
    am_contact_def contact; /* what the contacts have in common; name and rows are not looked at */
} am_interface_def;

AM_API am_interface_def am_interface_def_default(void);

typedef struct am_interface_pair {
    long from, to;   /* nodes; to: 0 against the ground */
    double area;     /* of its part of the surface; 0 where there are no faces */
    double distance; /* from `to` to `from` along the normal */
    double normal[3];
    double tangent[2][3]; /* zero where there is none */
} am_interface_pair;

typedef struct am_interface am_interface;

/* NULL on failure: AM_ERR_INPUT with the nodes that have no partner, or more than one; err->field is a member. */
AM_API am_interface *am_interface_create(const am_interface_def *def, am_error *err);
AM_API void am_interface_free(am_interface *interface);
AM_API size_t am_interface_count(const am_interface *interface);
AM_API const am_interface_pair *am_interface_pair_at(const am_interface *interface, size_t pair); /* NULL: beyond */

/* The contact of a pair, without its rows: "pair 51-1051", or "node 51" against the ground. */
AM_API const am_contact_def *am_interface_contact(const am_interface *interface, size_t pair);

/* The coordinate of a node in direction 1 (x), 2 (y) or 3 (z); SIZE_MAX: it does not move. */
typedef size_t am_coordinate_of(const void *mesh, long node, int direction);

/* What stands in a row of a pair's contact (0: normal, 1 and 2: tangents): coordinates and values, how many there are. */
AM_API size_t am_interface_row(const am_interface *interface, size_t pair, size_t row, am_coordinate_of *coordinate,
                               const void *mesh, size_t index[6], double value[6]);

/* The contacts with rows of n coordinates, kept until the next call; NULL on failure. AM_ERR_INPUT: neither node of a pair
 * can move. */
AM_API const am_contact_def *am_interface_contacts(am_interface *interface, size_t n, am_coordinate_of *coordinate,
                                                   const void *mesh, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
