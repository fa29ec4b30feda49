/* Model `brake`: a brake disc and a pad by finite elements, with as many degrees of freedom as wanted: a large sparse
 * structure with friction contacts. See docs/squeal.md, section 8.
 *
 * Disc: a ring, clamped at its inner radius. Pad: a sector of a ring on top of it, held from above by the caliper
 * (along the axis) and by the abutment (in the plane), with nodes above those of the disc. Every pair of nodes is a
 * contact. Elements are bricks of eight nodes with incompatible bending modes; displacements are radial,
 * circumferential and axial. SI units by default, but any consistent set works. */
#ifndef AMONTONS_BRAKE_H
#define AMONTONS_BRAKE_H
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_brake {
    double outer_radius, inner_radius, thickness; /* disc */
    double modulus, density, poisson;
    double pad_inner_radius, pad_outer_radius, pad_thickness; /* radii: the nearest ones of the disc's nodes */
    double pad_angle;                                         /* of the sector, radians */
    double pad_modulus, pad_density, pad_poisson;
    double caliper_stiffness, abutment_stiffness; /* of all springs behind the pad together */
    bool rigid;                                   /* contacts are rigid instead of springs of the lining */
    double lining_stiffness, lining_damping;      /* of all contact springs together */
    double mass_damping, stiffness_damping;       /* damping = mass_damping M + stiffness_damping K */
    double mu;
    double speed;                                /* of the disc, radians per unit time */
    double force;                                /* that presses the pad on */
    size_t radial, around, through, pad_through; /* elements of the disc in its three directions; layers of the pad */
} am_brake;

/* 10 x 60 x 1 elements, 2 layers of the pad: 4,200 degrees of freedom. */
AM_API am_brake am_brake_default(void);

AM_API size_t am_brake_size(const am_brake *model); /* degrees of freedom */

/* Coordinates disc.1.r, disc.1.c, disc.1.z, ..., pad.1.r, ...; contacts "pair 1", ... */
AM_API am_system *am_brake_create(const am_brake *model, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
