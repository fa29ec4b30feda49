/* The tables `events` and `samples` of an analysis of motion: the same columns whatever computed them; and the check of
 * their times. */
#ifndef AMONTONS_ANALYSES_DYNAMIC_TABLES_H
#define AMONTONS_ANALYSES_DYNAMIC_TABLES_H
#include "amontons/result.h"
#include "amontons/system.h"

/* Names of columns: see system/column_names.h. NULL on failure.
 *
 *   events   t, contact, from, to, cause, coordinates, velocities, N, T of the contacts
 *   samples  t, coordinates, velocities, N, T, state of the contacts
 *   section  t, coordinates, velocities */
am_table *am_dynamic_events(am_result *result, const am_system *system, am_error *err);
am_table *am_dynamic_samples(am_result *result, const am_system *system, am_error *err);
am_table *am_dynamic_section(am_result *result, const am_system *system, am_error *err);

/* Consecutive numbers of the last row, from `column` on. Returns the column after them. */
size_t am_dynamic_set(am_table *table, size_t column, const double *values, size_t count);

/* Does the time run forwards, and do the tables begin before it ends? */
am_status am_dynamic_check_times(double from, double until, double record_from, am_error *err);

#endif
