/* Model `oscillator`: a mass on a spring with Coulomb friction under a tangential and a varying normal load (Papangelo
 * 2017, chapter 7).
 *
 * Dimensionless: mass 1, stiffness 1, Q = sin(Omega t), f N = beta (1 + eta sin(Omega t + delta)). Displacements are in
 * Q1/k, time in 1/omega_n. */
#ifndef AMONTONS_OSCILLATOR_H
#define AMONTONS_OSCILLATOR_H
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_oscillator {
    double beta;      /* f N0/Q1, > 0 */
    double eta;       /* N1/N0, 0 <= eta < 1 (eta >= 1 lets the contact separate: refused) */
    double delta_deg; /* phase of the normal load against the tangential one */
    double Omega;     /* omega_d/omega_n, > 0 */
    double xi;        /* viscous damping ratio c/(2 sqrt(k m)); default 0 */
} am_oscillator;

AM_API am_oscillator am_oscillator_default(void);
/* Coordinate v, contact "plane" (held, friction 1, N = beta (1 + ...)). Refuses Omega = 1 without damping for beta <
 * pi/4: the response is unbounded. */
AM_API am_system *am_oscillator_create(const am_oscillator *oscillator, am_error *err);

/* ---- closed forms ---- */

/* Quasi-static steady cycle, in Q1/k, omega_d Q1/k and f N0 Q1/k (eqs. 7.8, 7.12, 7.13, B.11-B.14, B.21, B.22, B.24
 * and B.28, with B.8, B.10, B.24, B.28 corrected). Omega and xi play no part. */
typedef struct am_oscillator_cycle {
    double v_max, v_min;                /* ends of the cycle */
    double v_peak;                      /* the larger of |v_max| and |v_min| */
    double v_amplitude;                 /* (v_max - v_min)/2 */
    double vdot_forward, vdot_backward; /* largest speeds in the two directions */
    double dissipation;
    double backward_from, backward_to, forward_from, forward_to; /* omega_d t of slip, each `from` in [0, 2 pi) */
    bool shakedown; /* no slip in the steady state: v stays where the path from v = 0 leaves it, the times are NAN */
} am_oscillator_cycle;
AM_API am_oscillator_cycle am_oscillator_quasistatic(const am_oscillator *oscillator);

/* Quasi-static motion from v at time `from` (0 <= ... in 1/omega_n): where the mass stands at time t >= from, exactly,
 * however many cycles lie between; *state (may be NULL) is the state of contact just after t. */
AM_API double am_oscillator_quasistatic_at(const am_oscillator *oscillator, double from, double v, double t,
                                           am_contact_state *state);

/* The answer of analysis `path` for this model: tables `corners` and `samples` from `from` to `until` (in 1/omega_n),
 * with the columns, and `corners`, `final_state`, energies (in Q1^2/k) and residuals in the summary, of am_path_run;
 * and of the steady cycle `v_max` (largest |v|), `v_min`, `v_amplitude`, `vdot_max`, `dissipation` (an energy, in
 * Q1^2/k), `dissipation_ratio` (the same in f N0 Q1/k), `shakedown`, `beta_cr` and `stops` (per cycle). */
AM_API am_status am_oscillator_path(const am_oscillator *oscillator, double from, double until, double v,
                                    size_t samples, am_result *result, am_error *err);

/* beta_cr of eq. (7.36): above it the structure shakes down. */
AM_API double am_oscillator_shakedown_limit(double eta, double delta_deg);

/* Den Hartog's and Hong-Liu's steady response without stops, eta = 0, xi = 0 (eqs. 7.16, 7.17 with the corrected sign):
 * exact where it exists. Returns false where it does not (the motion would stop, or is unbounded). vdot_max in omega_d
 * Q1/k. Either pointer may be NULL. */
AM_API bool am_oscillator_zero_stop(double beta, double Omega, double *v_max, double *vdot_max);

#ifdef __cplusplus
}
#endif
#endif
