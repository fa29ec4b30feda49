/* `path` by load steps (method: incremental): for structures with many contacts. docs/path.md, "Many contacts". */
#ifndef AMONTONS_ANALYSES_PATH_STEPS_H
#define AMONTONS_ANALYSES_PATH_STEPS_H
#include "amontons/path.h"

/* Options and system have been checked. */
am_status am_path_run_steps(const am_system *system, const am_path_options *options, am_result *result,
                            const am_progress *progress, am_error *err);

#endif
