/* What model `blocks` adds to a result: the slip front, and the balance of its loads. */
#ifndef AMONTONS_MODELS_BLOCKS_REPORT_H
#define AMONTONS_MODELS_BLOCKS_REPORT_H
#include "amontons/observer.h"
#include "models/blocks.h"

/* Borrows the rig. `fields`: the report has the deformed mesh and its stresses too.
 *
 * The report, of what was seen: table `fronts` (one row for each sample from t = 0 on) and summary `Q`, `P`, `Q_over_P`,
 * `l_over_L`, `onset_Q_over_P`, `equilibrium_residual`, with a radius also `contact_half_width` and `stick_half_width`;
 * what am_blocks_report_pull adds to a motion under a spring, what am_solid_report adds, and what am_blocks_compare
 * adds where the blocks ask for it. */
am_status am_blocks_watch_open(am_blocks_rig *rig, bool fields, am_model_watch *watch, am_error *err);

/* Runs `slip` on half-planes in the place of the blocks: its tables and summary under "halfplane.", and of a curved gap
 * `pressure_error` and `shear_error` of the blocks beside it, from the last sample and its tangential load Q. */
am_status am_blocks_compare(const am_blocks_rig *rig, const am_sample *last, double Q, am_result *result,
                            am_error *err);

#endif
