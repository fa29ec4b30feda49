/* The boundary of stability of two modes in sliding contact, in closed form (Chatterjee 2006, eqs. 10-14, 30-41): the
 * characteristic polynomial is linear in Delta, so by Routh and Hurwitz the boundary is a polynomial in Delta, whose
 * first root is found with certainty. See docs/threshold.md. */
#ifndef AMONTONS_PAPERS_TWO_MODE_BOUNDARY_H
#define AMONTONS_PAPERS_TWO_MODE_BOUNDARY_H
#include <stdbool.h>

#include "amontons/stability.h"

/* m_i X_i'' + c_i X_i' + (stiffness X)_i = f_i N + preload_i, penetration d = lambda . X, Delta = -f1/(lambda f2) with
 * lambda = lambda2/lambda1. */
typedef struct am_two_mode_boundary {
    double mass[2], damping[2], stiffness[2][2], lambda[2];
    double f2;
    double preload[2]; /* Hunt-Crossley only */
    am_normal_law
        law; /* unilateral: rigid; Kelvin-Voigt: N = K d + D d' (eq. 14); Hunt-Crossley: N = K d (1 + 3/2 alpha d') (eq. 33, beta = 1) */
    double K, D, alpha;
} am_two_mode_boundary;

typedef struct am_boundary_point {
    am_threshold_kind kind;
    double Delta, omega; /* omega: 0 for divergence; NAN for none and painleve */
} am_boundary_point;

/* The characteristic polynomial sum a[k] s^k at a Delta, degree 4 (rigid: 2, a[3] = a[4] = 0), positive leading
 * coefficient where sliding makes sense. False: there is no equilibrium (Hunt-Crossley without penetration). */
bool am_two_mode_polynomial(const am_two_mode_boundary *b, double Delta, double a[5]);

/* The first loss of stability above `from`, up to `to` (may be INFINITY). False when sliding is not stable at `from`.
 */
bool am_two_mode_boundary_first(const am_two_mode_boundary *b, double from, double to, am_boundary_point *point);

#endif
