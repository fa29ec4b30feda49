/* Inside of `squeal`: structures too large for all of their coordinates. Real modes once, a small problem for every
 * coefficient of friction, what it finds confirmed on the full problem. See docs/squeal.md. */
#ifndef AMONTONS_ANALYSES_SQUEAL_LARGE_H
#define AMONTONS_ANALYSES_SQUEAL_LARGE_H
#include "amontons/stability.h"

am_status am_squeal_large_run(const am_system *system, const am_squeal_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

#endif
