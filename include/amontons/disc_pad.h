/* Model `disc-pad`: a brake disc and one or two pads, each by its modes of vibration, pressed together at several
 * contact springs with friction. See docs/disc_pad.md for the derivation.
 *
 * Disc: annular Kirchhoff plate, clamped at the inner and free at the outer radius; modes by Rayleigh-Ritz in the
 * radius, cos and sin round the circumference, the two of a doublet slightly split. Pad: free Euler-Bernoulli beam
 * along the circumference, held by the caliper (a foundation) and by the abutment (along the sliding). SI units by
 * default, but any consistent set works. */
#ifndef AMONTONS_DISC_PAD_H
#define AMONTONS_DISC_PAD_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_disc {
    double outer_radius, inner_radius, thickness;
    double modulus, density, poisson;
    double damping_ratio; /* of every mode */
    double split;         /* relative difference of the two frequencies of a doublet, >= 0 */
    size_t modes;         /* the lowest ones; default 20 */
} am_disc;

typedef struct am_pad {
    double length, width, thickness; /* length along the circumference */
    double height;                   /* of the neutral line above the friction face */
    double modulus, density;
    double damping_ratio;
    double caliper_stiffness;  /* of the foundation, over the whole length */
    double abutment_stiffness; /* along the sliding */
    size_t modes;              /* of each pad: sliding, lift, tilt, bending 1, 2, ...; default 10 */
} am_pad;

typedef struct am_disc_pad {
    am_disc disc;
    am_pad pad;
    size_t pads;             /* 1, or 2 on both sides of the disc (the default) */
    size_t contacts;         /* contact springs spread over each pad; default 9 */
    double radius;           /* at which the pad acts */
    double lining_stiffness; /* of all contact springs of a pad together */
    double lining_damping;
    double mu;       /* friction */
    double velocity; /* of the disc under the pad */
    double force;    /* that presses each pad on */
} am_disc_pad;

AM_API am_disc_pad am_disc_pad_default(void);

/* Coordinates disc0, disc1c, disc1s, ..., pad1_slide, pad1_lift, pad1_tilt, pad1_bend1, ..., pad2_slide, ...; contacts
 * "pad 1 spring 1", ... Modes are normalised to mass 1. */
AM_API am_system *am_disc_pad_create(const am_disc_pad *model, am_error *err);

/* Frequencies (radians per unit time) of the disc with `diameters` nodal diameters and 0, 1, ... nodal circles, and its
 * shape at `radius` for modal mass 1 (w = shape cos(n theta)), `count` of each. */
AM_API am_status am_disc_modes(const am_disc *disc, size_t diameters, double radius, size_t count, double *frequency,
                               double *shape, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
