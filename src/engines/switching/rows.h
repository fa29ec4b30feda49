/* Rows over the state x of a flow that follow from others. */
#ifndef AMONTONS_ENGINES_SWITCHING_ROWS_H
#define AMONTONS_ENGINES_SWITCHING_ROWS_H
#include "engines/switching/flow_types.h"

/* row += factor times the rate of another row over x, `of`. Rows of A after those of the velocities must be there as far
 * as `of` has entries for them. */
void am_flow_rate_row(const am_plan *plan, const am_flow *flow, const double *of, double factor, double *row);

/* row (nx, zero before) = the sliding velocity in the direction of slip, of a slider behind a spring its own. */
void am_flow_slide_row(const am_plan *plan, const am_flow *flow, size_t contact, double *row);

/* F (nx x nx, zero before) of a linear flow, x' = F x with the inputs. */
void am_flow_matrix(const am_plan *plan, const am_flow *flow, double *F);

#endif
