/* Model `rod`: an elastic rod of n elements dragged over a rough plane (Vielsack and Kirillowa 1997).
 *
 * Dimensionless, in the relative coordinates of eq. (32): xi = 0 is steady sliding, time in units of L sqrt(rho/E), the
 * ground moves with velocity -1. Consistent mass matrix (1/6) tridiag(1, 4, 1) with 2 at the free end, stiffness
 * tridiag(-1, 2, -1) with 1 there. Every node j has a held contact with normal force w_j (1, at the free end 1/2),
 * kinetic friction beta and static friction (1 + epsilon) beta; a constant load beta w_j makes xi = 0 the equilibrium
 * of sliding. alpha = epsilon beta, eq. (30), is the only parameter while no node slides backwards. */
#ifndef AMONTONS_ROD_H
#define AMONTONS_ROD_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

#define AM_ROD_MOST_ELEMENTS 1000

typedef struct am_rod {
    size_t elements; /* n, 1 to AM_ROD_MOST_ELEMENTS; default 2 */
    double alpha;    /* eq. (30), > 0 */
    double beta;     /* sqrt(rho/E) mu g L / v; default 5 (start (41) is the undeformed rod at rest for beta = 5) */
} am_rod;

/* Physical data, converted to the above (and a scale for time and length). */
typedef struct am_rod_physical {
    size_t elements;
    double density, modulus, length, friction, epsilon, velocity,
        gravity; /* rho, E, L_s (whole rod), mu, epsilon, v, g (default 9.81) */
} am_rod_physical;

AM_API am_rod am_rod_default(void);
AM_API am_rod_physical am_rod_physical_default(void);
/* AM_ERR_INPUT with the field at fault. time_unit = L sqrt(rho/E), length_unit = time_unit * v (may be NULL). */
AM_API am_status am_rod_from_physical(const am_rod_physical *physical, am_rod *rod, double *time_unit,
                                      double *length_unit, am_error *err);

/* Coordinates xi1..xin, contacts "node 1".."node n". */
AM_API am_system *am_rod_create(const am_rod *rod, am_error *err);

/* The rod undeformed and at rest on the ground (n numbers each): start (41) for two elements and beta = 5. */
AM_API void am_rod_undeformed(const am_rod *rod, double *displacement, double *velocity);

#ifdef __cplusplus
}
#endif
#endif
