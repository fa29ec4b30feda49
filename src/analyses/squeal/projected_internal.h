/* Inside of `squeal`: the lowest real modes of a large structure with its contacts closed, and the structure projected
 * onto them. */
#ifndef AMONTONS_ANALYSES_SQUEAL_PROJECTED_INTERNAL_H
#define AMONTONS_ANALYSES_SQUEAL_PROJECTED_INTERNAL_H
#include "analyses/squeal/projected.h"

/* Fills omega2, modes, across, force, force_rate, residual_force, damping, circulatory and the evidence. Modes with
 * (nearly) one frequency are kept together, so that there may be a few more than asked for. That none was missed is
 * checked by counting (Sylvester's law of inertia). */
am_status am_squeal_modes_find(am_squeal_projected *projected, am_squeal_full *full, size_t modes,
                               const am_progress *progress, am_error *err);

#endif
