/* Is a periodic motion stable, as far as rounding lets one tell? */
#ifndef AMONTONS_ANALYSES_ORBIT_VERDICT_H
#define AMONTONS_ANALYSES_ORBIT_VERDICT_H
#include <math.h>

#include "amontons/orbit.h"

typedef enum am_verdict { AM_VERDICT_STABLE, AM_VERDICT_UNSTABLE, AM_VERDICT_MARGINAL } am_verdict;

/* MARGINAL: the unit circle is within the uncertainty of the largest multiplier. */
static inline am_verdict am_orbit_verdict(const am_orbit *orbit) {
    if (orbit->multiplier < 1.0 - orbit->uncertainty)
        return AM_VERDICT_STABLE;
    return orbit->multiplier > 1.0 + orbit->uncertainty ? AM_VERDICT_UNSTABLE : AM_VERDICT_MARGINAL;
}

/* Of a table's column `stable`: 1, 0, or NaN where neither is known. */
static inline double am_orbit_stable(const am_orbit *orbit) {
    am_verdict verdict = am_orbit_verdict(orbit);
    return verdict == AM_VERDICT_MARGINAL ? NAN : verdict == AM_VERDICT_STABLE;
}

#endif
