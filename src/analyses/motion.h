/* am_motion_run again and again on one system. */
#ifndef AMONTONS_ANALYSES_MOTION_H
#define AMONTONS_ANALYSES_MOTION_H
#include "amontons/motion.h"
#include "base/local.h"

/* The same as am_motion_run, to the last bit, with the engine and its flows left in *kept (NULL before the first run)
 * for the next run on this system: am_motion_free in the end. */
am_status am_motion_run_kept(const am_system *system, const am_motion_options *options, am_motion **kept,
                             am_result *result, const am_progress *progress, am_error *err);

AM_LOCAL_POINTER(am_motion, am_motion_free)

#endif
