/* Inside of flows: contacts that depend on each other. */
#ifndef AMONTONS_ENGINES_SWITCHING_FLOW_SHARED_H
#define AMONTONS_ENGINES_SWITCHING_FLOW_SHARED_H
#include "engines/switching/flow.h"

/* Make flow->split and ->impulses of a combination with redundant rows. */
am_status am_flow_make_splits(const am_plan *plan, am_flow *flow, am_error *err);

am_quantity_kind am_quantity_kind_of(am_limit_kind kind);

/* row (nx, zero before) = the facet as a function of x. */
void am_flow_facet_row(const am_plan *plan, const am_flow *flow, const am_facet *facet, double *row);

/* Find the slips and gaps that other contacts hold at rest. */
void am_flow_mark_held(const am_plan *plan, am_flow *flow);

/* Is the tangent of a contact independent of `count` directions? It is entered as the next of them, if it is. */
bool am_direction_is_new(const am_plan *plan, size_t contact, double *directions, size_t count);

/* Room for all directions, if some contacts share theirs; otherwise NULL. */
am_status am_directions_room(const am_plan *plan, double **room, am_error *err);

#endif
