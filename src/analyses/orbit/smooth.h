/* Analysis `orbit` of smooth motions: structures without contacts, with polynomial springs or dampers. */
#ifndef AMONTONS_ANALYSES_ORBIT_SMOOTH_H
#define AMONTONS_ANALYSES_ORBIT_SMOOTH_H
#include "amontons/orbit.h"

/* As am_orbit_run. */
am_status am_orbit_smooth_run(const am_system *system, const am_orbit_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

#endif
