/* What half-planes would do in the place of the blocks. */
#ifndef AMONTONS_MODELS_BLOCKS_HALFPLANE_H
#define AMONTONS_MODELS_BLOCKS_HALFPLANE_H
#include "amontons/result.h"
#include "models/blocks.h"

/* Runs `slip` on half-planes in the place of the blocks: its tables and summary under "halfplane.", and of a curved gap
 * `pressure_error` and `shear_error` of the blocks beside it. */
am_status am_blocks_compare(const am_blocks_rig *rig, am_result *result, am_error *err);

#endif
