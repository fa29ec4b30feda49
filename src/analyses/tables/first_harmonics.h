/* Columns of the first harmonics of a motion, one coordinate after the other. */
#ifndef AMONTONS_ANALYSES_TABLES_FIRST_HARMONICS_H
#define AMONTONS_ANALYSES_TABLES_FIRST_HARMONICS_H
#include <stdbool.h>

#include "amontons/result.h"
#include "amontons/system.h"

/* <coordinate>_1, its amplitude; with `phases` <coordinate>_phase_deg behind each. */
void am_table_describe_first_harmonics(am_table *table, const am_system *system, bool phases);

#endif
