/* Inside of `squeal`: structures small enough to use all of their coordinates. Every spectrum is that of the analysis
 * `stability`, and the critical friction that of its `threshold`, so that there is nothing to project and nothing to
 * confirm. See docs/squeal.md, section 2. */
#ifndef AMONTONS_ANALYSES_SQUEAL_WHOLE_H
#define AMONTONS_ANALYSES_SQUEAL_WHOLE_H
#include "amontons/stability.h"

/* The system with another coefficient of friction: mu is the largest one, the others keep their ratio to it (where no
 * friction is given at all, every contact counts alike). Borrows everything but the contacts. */
typedef struct am_squeal_scaled am_squeal_scaled;

am_squeal_scaled *am_squeal_scaled_create(const am_system *system, am_error *err);
void am_squeal_scaled_free(am_squeal_scaled *scaled);
double am_squeal_scaled_reference(const am_squeal_scaled *scaled); /* mu of the model itself */
const am_system *am_squeal_scaled_at(am_squeal_scaled *scaled, double mu);

/* Is this the way to go? Up to so many coordinates, or where as many modes are asked for as there are. Not where a
 * direction has no inertia. */
am_status am_squeal_whole_fits(const am_system *system, const am_squeal_options *options, bool *fits, am_error *err);

am_status am_squeal_whole_run(const am_system *system, const am_squeal_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

#endif
