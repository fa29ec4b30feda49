/* Springs in series with sliders as coordinates: what the quasi-static analyses, which know no other kind of contact
 * than one fixed to coordinates, make of a structure with Jenkins elements. */
#ifndef AMONTONS_SYSTEM_SLIDERS_H
#define AMONTONS_SYSTEM_SLIDERS_H
#include "amontons/system.h"

/* The same structure without springs in series: each slider is a massless coordinate of its own ("slider 1", ...),
 * after the n of the system, and the spring k between t.q and the slider s part of the stiffness, k (t.q - s)^2/2. */
am_system *am_sliders_expand(const am_system *system, am_error *err);

/* The stiffness of that system (n + sliders squared, zero before), row by row. */
void am_sliders_stiffness(const am_system *system, double *K);

/* Displacements of the expanded system (n + sliders) with relaxed springs: s = t.q. q NULL: zero. */
void am_sliders_relaxed(const am_system *system, const double *q, double *expanded);

#endif
