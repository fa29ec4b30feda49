/* Model `bladed-disc`: a ring of sectors, each a blade on a piece of the disc, with underplatform dampers between
 * neighbouring blades, under an engine-order excitation. With x_j of blade j and y_j of its piece of the disc, j =
 * 0..N-1 modulo N:
 *
 *     m_b x_j'' + k_b (1 + delta_j) (x_j - y_j) + damping = F sin(Omega t + 2 pi EO j/N) + T_(j-1) - T_j
 *     m_d y_j'' - k_b (1 + delta_j) (x_j - y_j) + k_g y_j - k_c (y_(j+1) + y_(j-1) - 2 y_j) + damping = 0
 *
 * T_j is the force of damper j: a spring k_d in series with a slider, |T_j| <= mu N, on the stretch x_(j+1) - x_j.
 * Blades and dampers are numbered from 1 in names. See docs/bladed_disc.md. */
#ifndef AMONTONS_BLADED_DISC_H
#define AMONTONS_BLADED_DISC_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { AM_BLADED_DISC_MOST = 500 };

typedef struct am_bladed_disc {
    size_t sectors;                     /* N, 2 to AM_BLADED_DISC_MOST; default 12 */
    double blade_mass, blade_stiffness; /* m_b, k_b > 0; default 1: frequencies in those of a clamped blade */
    double disc_mass;                   /* m_d > 0; default 4 */
    double disc_stiffness;              /* k_g >= 0, to the ground; default 1 */
    double coupling_stiffness;          /* k_c >= 0, to the next piece of the disc; default 4 */
    double zeta;             /* damping ratio of every mode of the structure without dampers; default 0.005 */
    double damper_stiffness; /* k_d; 0: no dampers; default 0.1 */
    double mu;               /* friction of the dampers; default 0.3 */
    double normal_load;      /* on each damper; default 5 */
    double centrifugal;      /* mass of a damper times its radius: adds centrifugal (Omega/EO)^2 to the normal
                              * load, Omega/EO being the speed of the shaft; default 0 */
    size_t engine_order;     /* EO; default 3 */
    double force;            /* F >= 0 on each blade; default 1 */
    double Omega;            /* > 0; default 1 */
    size_t mistuning_count;  /* 0 (none) or N */
    const double *mistuning; /* delta_j > -1: relative change of each blade's stiffness */
} am_bladed_disc;

AM_API am_bladed_disc am_bladed_disc_default(void);

/* Coordinates blade1..bladeN, disc1..discN; contacts damper1..damperN (held, with tangential_stiffness), damper j
 * between blades j and j + 1; two loads (one when all blades move with or against each other). */
AM_API am_system *am_bladed_disc_create(const am_bladed_disc *disc, am_error *err);

/* A random pattern: `count` independent normal numbers of mean 0 and standard deviation `deviation`, the same for the
 * same seed and proportional to `deviation`. */
AM_API void am_bladed_disc_mistune(size_t seed, double deviation, size_t count, double *mistuning);

/* The nodal diameter that the engine order excites: EO up to N/2, folded back beyond. */
AM_API size_t am_bladed_disc_nodal_diameter(const am_bladed_disc *disc);

/* The two natural frequencies of a nodal diameter, ascending, of the tuned disc without its dampers, or with all of
 * them stuck. */
AM_API void am_bladed_disc_frequencies(const am_bladed_disc *disc, size_t nodal_diameter, bool stuck, double omega[2]);

/* Amplitudes of all blades and of all pieces of the tuned disc, without dampers or with all of them stuck. */
AM_API void am_bladed_disc_amplitudes(const am_bladed_disc *disc, bool stuck, double *blade, double *piece);

#ifdef __cplusplus
}
#endif
#endif
