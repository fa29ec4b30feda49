/* Inside of flows: contacts that depend on each other (flow_shared.c). */
#ifndef AMONTONS_ENGINES_SWITCHING_FLOW_INTERNAL_H
#define AMONTONS_ENGINES_SWITCHING_FLOW_INTERNAL_H
#include "engines/switching/flow.h"

/* Make flow->split and ->impulses of a combination with redundant rows. */
am_status am_flow_make_splits(const am_plan *plan, am_flow *flow, am_error *err);

/* row (nx, zero before) = the facet as a function of x. */
void am_flow_facet_row(const am_plan *plan, const am_flow *flow, const am_facet *facet, double *row);

/* Find the slips and gaps that other contacts hold at rest. */
void am_flow_mark_held(const am_plan *plan, am_flow *flow);

#endif
