/* The forms of the analysis, and what they share. `err` is never NULL here. */
#ifndef AMONTONS_ANALYSES_ATTRACTORS_FORMS_H
#define AMONTONS_ANALYSES_ATTRACTORS_FORMS_H
#include "amontons/attractors.h"
#include "analyses/attractors/starts.h"

/* Which contact state lasts for ever: loads that become constant or linear, surfaces at rest. */
am_status am_attractors_final(const am_system *system, const am_attractors_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

/* Which periodic motions attract. */
am_status am_attractors_orbits(const am_system *system, const am_attractors_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* Which limit cycles of a slow periodic load attract: structures without mass. */
am_status am_attractors_cycles(const am_system *system, const am_attractors_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

/* Starts that a map lists when the work was stopped: up to the last one that was followed. Of more than so many nothing
 * is kept, for writing them would take longer than who stopped it waits. */
enum { AM_ATTRACTORS_MOST_KEPT = 400000 };

/* One column per side of the starts: a coordinate's name, or v1, v2, ..., or the name of an axis; and its values. */
void am_attractors_add_sides(am_table *table, const am_system *system, const am_starts *starts);

#endif
