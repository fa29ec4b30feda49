/* The tables `events` and `samples` of an analysis of motion: the same columns whatever computed them; and the check of
 * their times. */
#ifndef AMONTONS_ANALYSES_DYNAMIC_TABLES_H
#define AMONTONS_ANALYSES_DYNAMIC_TABLES_H
#include "amontons/result.h"
#include "amontons/system.h"

/* name1, name2, ...: `count` columns named prefix, number, suffix. */
am_status am_dynamic_numbered(am_table *table, const char *prefix, const char *suffix, size_t count,
                              am_column_kind kind, am_error *err);

/* `t`, `contact`, `from`, `to`, `cause`, `q1`.., `v1`.., `N1`.., `T1`... NULL on failure. */
am_table *am_dynamic_events(am_result *result, const am_system *system, am_error *err);

/* `t`, coordinates by name, `v1`.., `N1`.., `T1`.., `state1`... NULL on failure. Where a coordinate is called `v1`,
 * velocities are `d` and the coordinate's name. */
am_table *am_dynamic_samples(am_result *result, const am_system *system, am_error *err);

/* `t`, coordinates by name, `v1`... NULL on failure. */
am_table *am_dynamic_section(am_result *result, const am_system *system, am_error *err);

/* Consecutive numbers of the last row, from `column` on. Returns the column after them. */
size_t am_dynamic_set(am_table *table, size_t column, const double *values, size_t count);

/* Does the time run forwards, and do the tables begin before it ends? */
am_status am_dynamic_check_times(double from, double until, double record_from, am_error *err);

#endif
