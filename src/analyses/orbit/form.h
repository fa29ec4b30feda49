/* Inside of `orbit`: what the searches of switching (find.c) and of smooth motions (smooth.c) share. */
#ifndef AMONTONS_ANALYSES_ORBIT_FORM_H
#define AMONTONS_ANALYSES_ORBIT_FORM_H
#include "amontons/orbit.h"

/* ---- tables and summary ---- */

typedef struct am_orbit_range {
    double least, largest;
} am_orbit_range;

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

/* am_orbit_run of smooth motions: structures without contacts, with polynomial springs or dampers. */
am_status am_orbit_smooth_run(const am_system *system, const am_orbit_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

#endif
