/* Model `shoe`: a brake shoe with a tangential, a normal and a torsional spring, pressed on a moving surface
 * (Chatterjee 2006, sections 2.1 and 4), dimensionless, eqs. (6)-(8):
 *
 *     X'' + c0 X' + X = F
 *     Y'' + c2 Y' + k2 Y = P - N
 *     r^2 theta'' + c1 theta' + k1 theta = l_p P + h F - l N
 *
 * with N = K_c d^beta (1 + xi_c d') of the penetration d = Y + l theta and F = +mu N sgn(v_s - X' - h theta'), the
 * corrected sign of eq. (42). See docs/shoe.md. */
#ifndef AMONTONS_SHOE_H
#define AMONTONS_SHOE_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_shoe {
    double h;       /* height of the shoe's centre above the contact; required > 0 */
    double l, l_p;  /* lever arms of normal force and preload; default 1 */
    double r;       /* radius of gyration; default 1 */
    double k1, c1;  /* torsion; default 1, 0.1 */
    double k2, c2;  /* normal; default 0.5, 0.1 */
    double c0;      /* tangential damping (the stiffness is 1); default 0.1 */
    double mu;      /* friction; default 0.5 */
    double K_c;     /* contact stiffness; default 1000 */
    double xi_c;    /* contact damping, 1.5 alpha x0 omega0; default 1e-5 */
    double beta;    /* exponent of the contact's force; default 1 */
    double v_s;     /* velocity of the surface; default 10 */
    double P;       /* preload; default 1 */
    double epsilon; /* eps_c of eq. (42): regularisation of friction; default 0, Coulomb's law itself */
} am_shoe;

AM_API am_shoe am_shoe_default(void);

/* Coordinates X, Y, theta, contact "surface", which steady sliding leaves backward. */
AM_API am_system *am_shoe_create(const am_shoe *shoe, am_error *err);

/* Y and theta as a two-mode system: Delta = l (mu h - l). */
AM_API double am_shoe_delta(const am_shoe *shoe);

#ifdef __cplusplus
}
#endif
#endif
