#include "analyses/tables/dynamic_tables.h"

#include <math.h>

#include "base/columns.h"
#include "system/column_names.h"
#include "system/observer.h"

am_table *am_dynamic_events(am_result *result, const am_system *system, am_error *err) {
    am_table *table = am_result_describe_table(result, "events", "t contact from to cause");
    am_columns_event_coordinates(table, system);
    am_columns_event_velocities(table, system, "");
    am_columns_forces(table, system);
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

am_table *am_dynamic_samples(am_result *result, const am_system *system, am_error *err) {
    am_table *table = am_result_describe_table(result, "samples", "t");
    am_columns_coordinates(table, system);
    am_columns_velocities(table, system);
    am_columns_forces(table, system);
    am_columns_joints(table, system, "state");
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

am_table *am_dynamic_section(am_result *result, const am_system *system, am_error *err) {
    am_table *table = am_result_describe_table(result, "section", "t");
    am_columns_coordinates(table, system);
    am_columns_velocities(table, system);
    return am_result_status(result, err) == AM_OK ? table : NULL;
}

am_status am_dynamic_event_row(const am_result *result, am_table *events, const am_system *system,
                               const am_event *event, am_error *err) {
    const char *const texts[] = {am_system_contact_name(system, event->contact), am_contact_state_name(event->from),
                                 am_contact_state_name(event->to), am_cause_name(event->cause)};
    am_table_add_row(events, NULL);
    AM_TRY(am_result_status(result, err));
    am_table_set_number(events, 0, event->t);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        am_table_set_text(events, 1 + i, texts[i], NULL);
    size_t n = am_system_size(system);
    size_t column =
        am_table_set_numbers(events, am_table_set_numbers(events, 5, event->displacement, n), event->velocity, n);
    if (event->normal)
        column = am_columns_set_forces(events, column, system, event->normal, event->tangential, event->second);
    if (event->velocity_before)
        am_table_set_numbers(events, column, event->velocity_before, n);
    return am_observe_event(result, event, err);
}

am_status am_dynamic_sample_row(const am_result *result, am_table *samples, const am_system *system,
                                const am_sample *sample, am_error *err) {
    size_t n = sample->coordinates;
    AM_TRY(am_table_add_row(samples, err));
    am_table_set_number(samples, 0, sample->t);
    size_t column =
        am_table_set_numbers(samples, am_table_set_numbers(samples, 1, sample->displacement, n), sample->velocity, n);
    column = am_columns_set_forces(samples, column, system, sample->normal, sample->tangential, sample->second);
    am_columns_set_states(samples, column, system, sample->state);
    return am_observe(result, sample, err);
}

void am_dynamic_report_preload(am_result *result, const am_equilibrium *preload) {
    am_result_set_count(result, "preload_steps", preload->steps, NULL);
    am_result_set_number(result, "preload_error", preload->error, NULL);
}

am_status am_dynamic_check_times(double from, double until, double record_from, am_error *err) {
    if (!isfinite(from) || !isfinite(until) || !(until > from))
        return am_fail_field(err, AM_ERR_INPUT, "until", "the end time %g must lie after the start time %g", until,
                             from);
    if (!(record_from < until))
        return am_fail_field(err, AM_ERR_INPUT, "record_from", "tables must begin (record_from: %g) before the end %g",
                             record_from, until);
    return AM_OK;
}
