/* Inside of `orbit`: what a search (find_orbit.c) and a guess (guess.c) share. */
#ifndef AMONTONS_ANALYSES_ORBIT_ORBIT_INTERNAL_H
#define AMONTONS_ANALYSES_ORBIT_ORBIT_INTERNAL_H
#include "amontons/orbit.h"

/* ---- tables and summary ---- */

typedef struct am_orbit_range {
    double least, largest;
} am_orbit_range;

/* Extend a range by what entry i of (q, v) does along the span just passed. */
void am_orbit_include_span(const am_motion *engine, size_t i, am_orbit_range *range);

/* An orbit whose own check fails is not reported: AM_ERR_EVIDENCE. */
am_status am_orbit_check_evidence(const am_orbit *orbit, am_error *err);

void am_orbit_table_orbits(const am_orbit *orbit, am_result *result);
void am_orbit_table_multipliers(const am_orbit *orbit, am_result *result);

/* Empty tables, to be filled row by row. */
void am_orbit_table_switches(const am_system *system, am_result *result, am_table **table);
void am_orbit_table_samples(const am_system *system, am_result *result, am_table **table);

/* displacement, velocity: ranges of every coordinate over one period. */
void am_orbit_summarise(const am_system *system, const am_orbit *orbit, const am_orbit_search *search,
                        double energy_residual, const am_orbit_range *displacement, const am_orbit_range *velocity,
                        am_result *result);

/* ---- what kind of orbit is asked for ---- */

am_status am_orbit_check_options(const am_orbit_options *options, am_error *err);

/* Forced or self-excited, the period, and the time of the section. *settled: after it only repeating loads change. */
am_status am_orbit_choose_kind(const am_system *system, const am_orbit_options *options, am_orbit_return *how,
                               double *settled, am_error *err);

/* Close the orbit next to the start itself (transient 0), be it stable or not. Where no load repeats, its period is the
 * time after which the motion from there comes back. */
am_status am_orbit_close_guess(am_motion *engine, const am_orbit_options *options, am_orbit *orbit,
                               am_orbit_search *search, am_error *err);

#endif
