/* Model `two-mode`: two modes of vibration coupled by one sliding contact (Chatterjee 2006, eqs. 10, 11).
 *
 *     m1 X1'' + c1 X1' + k1 X1 + A2 (X1 - beta2 X2) = f1 N + eta1 P
 *     m2 X2'' + c2 X2' + k2 X2 + A1 (X2 - beta1 X1) = f2 N + eta2 P
 *
 * The contact's penetration is lambda1 X1 + lambda2 X2. The factors f hold the direction of the normal force and of
 * friction together. With lambda = lambda2/lambda1, chi = lambda2 f2 and
 *
 *     K_r = k2/k1,  C_r = c2/c1,  m_r = m2/m1,  Delta = -f1/(lambda f2)
 *
 * the characteristic equation of steady sliding is p1 p2 - chi (K_c + s D_c)(p1 - Delta p2) = 0 with
 * p = m s^2 + c s + k of each mode. See docs/two_mode.md. */
#ifndef AMONTONS_TWO_MODE_H
#define AMONTONS_TWO_MODE_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_two_mode {
    double m1, c1, k1;       /* of mode 1; default 1, 0.1, 1 */
    double m_r, C_r, K_r;    /* mode 2 over mode 1; default 1 */
    double lambda1, lambda2; /* constraint, eq. (12); default 1 */
    double f1, f2;           /* contact coupling; default 0, -1 */
    double eta1, eta2, P;    /* preload; default 1 */
    double A1, A2;           /* structural coupling; default 0 */
    double beta1, beta2;     /* of it; default 1 */
    double v_s;              /* velocity of the surface; default 1 */
    am_normal_law contact;   /* AM_UNILATERAL (rigid, the default), AM_KELVIN_VOIGT or AM_HUNT_CROSSLEY */
    double K_c;              /* compliant: stiffness, default 1000 */
    double D_c;              /* Kelvin-Voigt: damping, default 0 */
    double alpha, beta;      /* Hunt-Crossley, eq. (33): damping, default 0, and exponent, default 1 */
} am_two_mode;

AM_API am_two_mode am_two_mode_default(void);

/* Delta = -f1/(lambda f2), and back: sets f1. lambda1, lambda2 and f2 must not be zero. */
AM_API double am_two_mode_delta(const am_two_mode *model);
AM_API am_status am_two_mode_set_delta(am_two_mode *model, double Delta, am_error *err);

/* delta_0 of eq. (17): contact is rigid in a sound way only while it is negative. */
AM_API double am_two_mode_delta_0(const am_two_mode *model);

/* Coordinates X1, X2, contact "contact", sliding backward (sliding velocity t.X' - v_s with t = f - n and n =
 * -(lambda1, lambda2), coefficient of friction 1: friction is part of f). */
AM_API am_system *am_two_mode_create(const am_two_mode *model, am_error *err);

/* Without structural coupling and for chi < 0, Delta > 0: the smallest Delta at which steady sliding on a rigid contact
 * ends, min(1/C_r, 1/K_r, 1/m_r), and how: "flutter", "divergence" or "painleve" (section 2.2.4). */
AM_API double am_two_mode_rigid_limit(const am_two_mode *model, const char **instability);

/* The limit for K_c to infinity at fixed D_c of the Delta at which the contact's own vibration becomes unstable
 * (high-frequency flutter): Delta = (m1 - mu)/m2 with the positive root of
 * |chi| D_c mu^2 + m2 c1 mu - m1 (m2 c1 - m1 c2) = 0. INFINITY where it never does (C_r >= m_r). */
AM_API double am_two_mode_stiff_limit(const am_two_mode *model);

#ifdef __cplusplus
}
#endif
#endif
