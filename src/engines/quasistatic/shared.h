/* Inside of the path engine: contacts whose directions depend on each other. */
#ifndef AMONTONS_ENGINES_QUASISTATIC_SHARED_H
#define AMONTONS_ENGINES_QUASISTATIC_SHARED_H
#include "engines/quasistatic/engine.h"

/* Of a plan whose combination was made: solve it where rows depend on each other, find how forces may be shared and
 * which contacts rest because others do. */
am_status am_path_plan_share(am_path_plan *plan, const am_path_engine *engine, am_error *err);
void am_path_plan_clear(am_path_plan *plan);

/* The facet's value at a point, or its coefficient; and how large the rounding of forces of size 1 makes it. */
double am_path_facet(const am_split *split, const am_facet *facet, const am_path_point *point);
double am_path_facet_size(const am_split *split, const am_facet *facet);

/* The AM_HIT_ flag of a limit that is spent. */
unsigned char am_path_hit_of(am_limit_kind kind);

/* The state that a spent facet asks a contact for: stick where it has no part in it. */
am_contact_state am_path_state_after(const am_facet *facet, size_t contact);

/* Make the split of e->tried for rates known: only limits that contacts stand at count (e->standing). */
am_status am_path_bind(am_path_engine *engine, am_error *err);

/* Do contacts that stick together stand on surfaces that move apart? */
bool am_path_surfaces_contradict(const am_path_engine *engine, const am_combination *combination);

/* The forces of the present combination at a point, as they are shown: those of an admissible split. */
void am_path_share_point(const am_path_engine *engine, am_path_point *point);

#endif
