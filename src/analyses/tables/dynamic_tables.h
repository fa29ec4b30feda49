/* The tables `events` and `samples` of an analysis of motion: the same columns whatever computed them; and the check of
 * their times. */
#ifndef AMONTONS_ANALYSES_TABLES_DYNAMIC_TABLES_H
#define AMONTONS_ANALYSES_TABLES_DYNAMIC_TABLES_H
#include "amontons/motion.h"
#include "amontons/observer.h"
#include "engines/quasistatic/equilibrium.h"

/* Names of columns: see system/column_names.h. NULL on failure.
 *
 *   events   t, contact, from, to, cause, coordinates, velocities, N, T of the contacts
 *   samples  t, coordinates, velocities, N, T, state of the contacts
 *   section  t, coordinates, velocities */
am_table *am_dynamic_events(am_result *result, const am_system *system, am_error *err);
am_table *am_dynamic_samples(am_result *result, const am_system *system, am_error *err);
am_table *am_dynamic_section(am_result *result, const am_system *system, am_error *err);

/* A change of contact, into the table (`events`, or `switches`, which ends with the velocities) and to the observer of the
 * result. */
am_status am_dynamic_event_row(const am_result *result, am_table *events, const am_system *system,
                               const am_event *event, am_error *err);

/* The motion at one instant, into the table `samples` of the result and to its observer. */
am_status am_dynamic_sample_row(const am_result *result, am_table *samples, const am_system *system,
                                const am_sample *sample, am_error *err);

/* When sample `index` of `count` is taken: evenly from `from` to `until`; a single one at the end. */
static inline double am_dynamic_sample_time(double from, double until, size_t index, size_t count) {
    return count < 2 || index + 1 == count ? until : from + (until - from) * (double)index / (double)(count - 1);
}

/* How good the preload is that a motion began with: `preload_steps`, `preload_error`. */
void am_dynamic_report_preload(am_result *result, const am_equilibrium *preload);

/* Does the time run forwards, and do the tables begin before it ends? */
am_status am_dynamic_check_times(double from, double until, double record_from, am_error *err);

#endif
