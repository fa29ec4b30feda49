/* Model `nodes`: N contact nodes on an elastic support, loaded slowly. Andersson, Barber and Ahn; see docs/nodes.md.
 *
 *     q = q^w + A v + B^T w,    p = p^w + B v + C w                                            (2.1)
 *
 * v, w: tangential and normal displacements; q, p: contact forces on the structure (p > 0: compression); q^w, p^w:
 * forces if all nodes were welded. The coordinates of the system are v1..vN, w1..wN, its loads -(q^w, p^w). */
#ifndef AMONTONS_NODES_H
#define AMONTONS_NODES_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One step of a loading cycle: constraint O(node, sign) of eq. (2.4) goes from rest to `extreme` and back, one unit of
 * time each way. */
typedef struct am_nodes_advance {
    size_t node;    /* from 0 */
    int sign;       /* +1: limits motion v' > 0 (O+); -1: O- */
    double extreme; /* right-hand side of eq. (2.4) */
} am_nodes_advance;

typedef struct am_nodes {
    size_t count;               /* N */
    const am_matrix *A, *B, *C; /* N x N; [[A, B^T], [B, C]] symmetric positive definite. C may be NULL, since only what
                                 * happens while a node is open depends on it: then B A^-1 B^T + (trace A / N) I */
    const double *mu;           /* N, >= 0 (> 0 with constraints) */
    const double *static_mu;    /* N, >= mu; NULL: equal to mu. With weld forces only */
    am_friction weakening;      /* of all nodes, as of a contact (system.h); default: none. With weld forces only */
    /* Weld forces as functions of time, N each; NULL when the constraints below are given. */
    const am_function *tangential, *normal; /* q^w, p^w */
    /* Or the right-hand sides of eq. (2.4) at rest (N each), and the order in which they advance. */
    const double *rest_minus, *rest_plus;
    size_t advance_count;
    const am_nodes_advance *sequence;
    int cookie;
} am_nodes;

AM_API am_nodes am_nodes_default(void);

/* Coordinates v1..vN, w1..wN, contacts "node 1".."node N". With constraints the loads are the constant weld forces at
 * rest and one periodic table for each constraint that advances, with period 2 advance_count. NULL on failure;
 * err->field names the field ("A", "mu[1]", "constraints.sequence[2]", "weld.normal[0].table.times", ...). */
AM_API am_system *am_nodes_create(const am_nodes *nodes, am_error *err);

/* Row n of constraint O(node, sign), eq. (2.4): a_j + sign mu b_j, N numbers. */
AM_API void am_nodes_row(const am_nodes *nodes, size_t node, int sign, double *row);

/* Where that constraint stands at time t: the right-hand side of eq. (2.4), c_- = mu p^w - q^w or c_+ = -mu p^w - q^w.
 */
AM_API double am_nodes_side(const am_nodes *nodes, size_t node, int sign, double t);

/* The slope angles of eqs. (3.1)-(3.3) of two nodes, in radians. */
AM_API am_status am_nodes_angles(const am_nodes *nodes, double alpha[4], double beta[4], am_error *err);

/* The factor by which a small deviation from the orbit grows in one loading cycle in which every advance makes its node
 * slip, one at a time: eq. (7.1) for two nodes; for N nodes the eigenvalue of largest modulus of the product of the
 * projections I - e_i n_i^T / n_ii (n_i: row of the constraint of node i). Of a complex pair: the modulus. */
AM_API am_status am_nodes_factor(const am_nodes *nodes, double *factor, am_error *err);

/* The orbit itself: the point after each advance (advance_count x N), solved from the corner equations n_i.v = extreme.
 * Whether it can happen is another question. */
AM_API am_status am_nodes_orbit(const am_nodes *nodes, double *points, am_error *err);

/* Does that orbit happen: does every slip go the way its constraint pushes, and do the rest positions leave it alone?
 * `points` as made by am_nodes_orbit. */
AM_API am_status am_nodes_orbit_happens(const am_nodes *nodes, const double *points, bool *happens, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
