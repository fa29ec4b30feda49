/* Springs of contacts as coordinates: what the quasi-static analyses, which know no other kind of contact than a rigid
 * one fixed to coordinates, make of a structure with Jenkins elements and with contacts on springs of their own. */
#ifndef AMONTONS_SYSTEM_SLIDERS_H
#define AMONTONS_SYSTEM_SLIDERS_H
#include "amontons/system.h"

/* The same structure without springs in series: each slider is a massless coordinate of its own ("slider 1", ...),
 * after the n of the system, and the spring k between t.q and the slider s part of the stiffness, k (t.q - s)^2/2. So is
 * the depth p to which a spring towards the normal is pressed in (law kelvin-voigt without its damping), after the
 * sliders: a rigid contact with the gap n.q + gap + p, and K_c p^2/2. A stop gets a coordinate that nothing moves, for its
 * tangent. Tables leave those two kinds out. */
am_system *am_sliders_expand(const am_system *system, am_error *err);

/* How many coordinates it takes for springs towards the normal and for stops. */
size_t am_sliders_pads(const am_system *system);

/* The stiffness with sliders alone (n + sliders squared, zero before), row by row. */
void am_sliders_stiffness(const am_system *system, double *K);

/* Displacements of the expanded system with relaxed springs: s = t.q, and p the overlap at q. q NULL: zero. */
void am_sliders_relaxed(const am_system *system, double t, const double *q, double *expanded);

#endif
