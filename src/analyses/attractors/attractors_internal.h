/* The forms of the analysis, and what they share. `err` is never NULL here. */
#ifndef AMONTONS_ANALYSES_ATTRACTORS_ATTRACTORS_INTERNAL_H
#define AMONTONS_ANALYSES_ATTRACTORS_ATTRACTORS_INTERNAL_H
#include "amontons/attractors.h"
#include "analyses/attractors/starts.h"

/* How motions of this system end: in states of contact that stay, on orbits, or (without mass) on cycles of a path. */
typedef enum am_attractors_form { AM_ATTRACTORS_FINAL, AM_ATTRACTORS_ORBITS, AM_ATTRACTORS_CYCLES } am_attractors_form;
am_attractors_form am_attractors_form_of(const am_system *system);

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

/* An empty map of the starts. One column per side: a coordinate's name, or v1, v2, ..., or the name of an axis. Then
 * these columns, of which the first is the fate in words. */
am_table *am_attractors_add_map(am_result *result, const char *name, const char *columns, const am_system *system,
                                const am_starts *starts);

/* The row of start number `index`, up to its fate. */
void am_attractors_add_start(am_table *map, const am_starts *starts, size_t index, const char *fate);

#endif
