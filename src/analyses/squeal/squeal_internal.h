/* Inside of `squeal`: its two ways. See docs/squeal.md. */
#ifndef AMONTONS_ANALYSES_SQUEAL_SQUEAL_INTERNAL_H
#define AMONTONS_ANALYSES_SQUEAL_SQUEAL_INTERNAL_H
#include "amontons/stability.h"

/* Of so many modes at the model's own friction shapes are shown to who looks on. */
enum { AM_SQUEAL_SHAPES = 50 };

/* Structures small enough to use all of their coordinates. Every spectrum is that of the analysis
 * `stability`, and the critical friction that of its `threshold`, so that there is nothing to project and nothing to
 * confirm (docs/squeal.md, section 2).
 *
 * Is this the way to go? Up to so many coordinates, or where as many modes are asked for as there are. Not where a
 * direction has no inertia. */
am_status am_squeal_direct_fits(const am_system *system, const am_squeal_options *options, bool *fits, am_error *err);

am_status am_squeal_direct_run(const am_system *system, const am_squeal_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* Structures too large for that: real modes once, a small problem for every coefficient of friction, what it finds
 * confirmed on the full problem. */
am_status am_squeal_modal_run(const am_system *system, const am_squeal_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

/* What it refuses of a structure. */
am_status am_squeal_check(const am_system *system, am_error *err);

#endif
