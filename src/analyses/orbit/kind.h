/* What kind of orbit is asked for: shared by the searches of switching and of smooth motions. */
#ifndef AMONTONS_ANALYSES_ORBIT_KIND_H
#define AMONTONS_ANALYSES_ORBIT_KIND_H
#include "amontons/orbit.h"

am_status am_orbit_check_options(const am_orbit_options *options, am_error *err);

/* Forced or self-excited, the period, and the time of the section. *settled: after it only repeating loads change. */
am_status am_orbit_choose_kind(const am_system *system, const am_orbit_options *options, am_orbit_return *how,
                               double *settled, am_error *err);

#endif
