/* Model `griffin`: a damped mass with a massless Coulomb damper behind a spring (Papangelo 2017, chapter 8, Fig. 8.2).
 *
 * Dimensionless: mass 1, stiffness 1, Q = sin(Omega t), f N = beta (1 + eta sin(Omega t + delta)), damper spring k_d/k,
 * damping 2 zeta. */
#ifndef AMONTONS_GRIFFIN_H
#define AMONTONS_GRIFFIN_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_griffin {
    double stiffness_ratio; /* k_d/k, `k_ratio` of a study; default 1.5 */
    double zeta;            /* c/(2 sqrt(k m)); default 0.1 */
    double beta;            /* f N0/Q1 > 0 */
    double eta, delta_deg;  /* N1/N0, below 1, and phase of the normal load; default 0 */
    double Omega;           /* omega_d/omega_n; default 1 */
} am_griffin;

AM_API am_griffin am_griffin_default(void);
/* Coordinate v, contact "damper" (held, with tangential_stiffness k_d/k). */
AM_API am_system *am_griffin_create(const am_griffin *griffin, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
