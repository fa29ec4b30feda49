/* Model `chain`: oscillators that are bistable by a damper of the fifth degree, coupled to their neighbours by weak
 * springs (Papangelo 2017, chapter 9, eqs. 9.2-9.4), dimensionless, time in 1/omega0, displacement in x0:
 *
 *     x_n'' + q2 x_n' - q3 x_n'^3 + q4 x_n'^5 + (1 + mistuning_n) x_n - eta (x_(n+1) + x_(n-1) - 2 x_n) = 0
 *     q2 = 2 xi1,  q3 = 2 xi3 omega0^2 x0^2,  q4 = 2 xi5 omega0^4 x0^4
 *
 * See docs/chain.md. */
#ifndef AMONTONS_CHAIN_H
#define AMONTONS_CHAIN_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_chain_ends {
    AM_CHAIN_CYCLIC, /* the last mass is the first one's neighbour: eq. (9.3) with its indices taken modulo N. So two
                      * masses have two springs between them, and a single one none */
    AM_CHAIN_OPEN    /* the first and the last mass have one neighbour */
} am_chain_ends;

enum { AM_CHAIN_MOST = 1000 };

typedef struct am_chain {
    size_t count;            /* N, 1 to AM_CHAIN_MOST; default 12 */
    double coupling;         /* eta_Delta = k_Delta/k >= 0; default 0.01 */
    double xi1, xi3, xi5;    /* c_i/(2 sqrt(k m)), of any sign; default 0.15, 0.3, 0.1 */
    double omega0, x0;       /* scales of time and displacement, > 0; default 2 pi, 1 */
    am_chain_ends ends;      /* default AM_CHAIN_CYCLIC */
    size_t mistuning_count;  /* 0 (none) or N */
    const double *mistuning; /* relative change of each mass' grounded stiffness, above -1 */
} am_chain;

AM_API am_chain am_chain_default(void);

/* Coordinates x1..xN, one polynomial damper "damper n" per mass, which has all terms of velocity (so that xi1 may be
 * negative), no contacts, no loads. */
AM_API am_system *am_chain_create(const am_chain *chain, am_error *err);

/* Frequency of the linear tuned chain's mode with p waves around the ring (eq. 9.10, which prints omega where its
 * square is meant): omega_p^2 = 1 + 2 eta (1 - cos(2 pi p/N)); with open ends p half waves, cos(pi p/N). */
AM_API double am_chain_frequency(const am_chain *chain, size_t p);

/* Amplitudes A of a single oscillator's cycles of angular frequency rho (1 when it is uncoupled) by one harmonic:
 * 2 xi1 - (3/4) q3 rho^2 A^2 + (5/8) q4 rho^4 A^4 = 0. NAN where there is no such cycle. */
typedef struct am_chain_cycles {
    double unstable; /* the small one, when xi3 and xi5 are positive */
    double stable;   /* the large one */
} am_chain_cycles;

AM_API am_chain_cycles am_chain_amplitudes(const am_chain *chain, double rho);

/* xi1 at which both cycles meet, 9 xi3^2/(40 xi5) (one harmonic); NAN unless xi3 and xi5 are positive. */
AM_API double am_chain_fold(const am_chain *chain);

#ifdef __cplusplus
}
#endif
#endif
