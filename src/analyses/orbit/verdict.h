/* Is a periodic motion stable, as far as rounding lets one tell? */
#ifndef AMONTONS_ANALYSES_ORBIT_VERDICT_H
#define AMONTONS_ANALYSES_ORBIT_VERDICT_H
#include "amontons/orbit.h"

typedef enum am_verdict { AM_VERDICT_STABLE, AM_VERDICT_UNSTABLE, AM_VERDICT_MARGINAL } am_verdict;

/* MARGINAL: the unit circle is within the uncertainty of the largest multiplier. */
static inline am_verdict am_orbit_verdict(const am_orbit *orbit) {
    if (orbit->multiplier < 1.0 - orbit->uncertainty)
        return AM_VERDICT_STABLE;
    return orbit->multiplier > 1.0 + orbit->uncertainty ? AM_VERDICT_UNSTABLE : AM_VERDICT_MARGINAL;
}

#endif
