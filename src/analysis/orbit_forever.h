/* Proof that a sliding motion never changes its state of contact again. See docs/orbit.md, section 6. */
#ifndef AMONTONS_ANALYSIS_ORBIT_FOREVER_H
#define AMONTONS_ANALYSIS_ORBIT_FOREVER_H
#include "amontons/motion.h"

/* *final: proved for the present state, whose loads must be constant from now on. Only motions in which every contact
 * is open, or held and slipping, without springs behind sliders, are looked at; others are left undecided (false). */
am_status am_orbit_slides_for_ever(const am_motion *engine, bool *final, am_error *err);

#endif
