/* Model `klarbring`: one mass on an elastic support above a frictional plane (Cho and Barber 1998, Fig. 1). */
#ifndef AMONTONS_KLARBRING_H
#define AMONTONS_KLARBRING_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_klarbring {
    double stiffness[2][2]; /* k, eq. (9): symmetric positive definite */
    double damping[2][2];   /* viscous; default 0 */
    double mass;            /* M; default 1 */
    double friction;        /* f */
    double static_friction; /* 0: equal to friction */
    double restitution;     /* default 0, as in Appendix A */
    double gap;             /* height of the mass above the plane at u = 0; default 0 */
    double load[2];         /* F at t = 0; default 0 */
    double load_rate[2];    /* C of eq. (10) */
    /* Support vibrating harmonically (springs and plane together), s_i = amplitude_i sin(frequency t): in coordinates
     * that move with the support this is the load -M s''. */
    double support_amplitude[2];
    double support_frequency;
    const am_load_def *extra; /* further loads (tables, pulses, impulses), borrowed */
    size_t extra_count;
} am_klarbring;

AM_API am_klarbring am_klarbring_default(void);

/* f* of eq. (21), k11/|k21|; INFINITY when k21 = 0. */
AM_API double am_klarbring_critical_friction(const am_klarbring *def);

/* Unit vector that bisects the sector of load rates with stick, slip and separation (Fig. 2b).
 * AM_ERR_INPUT when f <= f*: there is no such sector. */
AM_API am_status am_klarbring_bisector(const am_klarbring *def, double direction[2], am_error *err);

/* Coordinates u1, u2; contact "plane"; loads 0 and 1 are F1 and F2. */
AM_API am_system *am_klarbring_create(const am_klarbring *def, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
