/* The time course of all functions of a system together. Their common period is public: am_orbit_load_period. */
#ifndef AMONTONS_ENGINES_LOAD_PERIOD_H
#define AMONTONS_ENGINES_LOAD_PERIOD_H
#include "amontons/system.h"

/* The time after which only repeating functions change: -INFINITY where all repeat, INFINITY where one never does. */
double am_loads_settled(const am_system *system);

#endif
