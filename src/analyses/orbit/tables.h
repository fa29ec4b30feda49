/* Tables and summary of an orbit, the same for switching (run.c) and smooth (smooth.c) motions. */
#ifndef AMONTONS_ANALYSES_ORBIT_TABLES_H
#define AMONTONS_ANALYSES_ORBIT_TABLES_H
#include "amontons/orbit.h"

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

#endif
