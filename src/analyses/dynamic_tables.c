#include "analyses/dynamic_tables.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/columns.h"

am_status am_dynamic_numbered(am_table *table, const char *prefix, const char *suffix, size_t count,
                              am_column_kind kind, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < count && !status; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%zu%s", prefix, i + 1, suffix);
        status = am_table_add_column(table, name, "", kind, err);
    }
    return status;
}

/* Does a coordinate bear the name that its velocity, or another one's, would have? */
static bool names_clash(const am_table *table, const am_system *system) {
    char name[64];
    for (size_t i = 0; i < am_system_size(system); i++) {
        snprintf(name, sizeof name, "v%zu", i + 1);
        if (am_table_find_column(table, name) != SIZE_MAX)
            return true;
    }
    return false;
}

/* v1, v2, ...; where coordinates are called so, the velocity of v1 is dv1, that of w1 dw1. */
static am_status add_velocities(am_table *table, const am_system *system, am_error *err) {
    size_t n = am_system_size(system);
    am_status status = AM_OK;
    if (!names_clash(table, system))
        return am_dynamic_numbered(table, "v", "", n, AM_COLUMN_NUMBER, err);
    for (size_t i = 0; i < n && !status; i++) {
        char name[256];
        snprintf(name, sizeof name, "d%.250s", am_system_name(system, i));
        status = am_table_add_column(table, name, "", AM_COLUMN_NUMBER, err);
    }
    return status;
}

/* Velocities, and forces of the contacts. */
static am_status add_velocities_and_forces(am_table *table, const am_system *system, am_error *err) {
    size_t m = am_system_contacts(system);
    am_status status = add_velocities(table, system, err);
    if (!status)
        status = am_dynamic_numbered(table, "N", "", m, AM_COLUMN_NUMBER, err);
    return status ? status : am_dynamic_numbered(table, "T", "", m, AM_COLUMN_NUMBER, err);
}

static am_status add_time_and_coordinates(am_table *table, const am_system *system, am_error *err) {
    am_status status = am_table_add_column(table, "t", "", AM_COLUMN_NUMBER, err);
    for (size_t i = 0; i < am_system_size(system) && !status; i++)
        status = am_table_add_column(table, am_system_name(system, i), "", AM_COLUMN_NUMBER, err);
    return status;
}

am_table *am_dynamic_events(am_result *result, const am_system *system, am_error *err) {
    static const am_column first[] = {{"t", AM_COLUMN_NUMBER},
                                      {"contact", AM_COLUMN_NUMBER},
                                      {"from", AM_COLUMN_TEXT},
                                      {"to", AM_COLUMN_TEXT},
                                      {"cause", AM_COLUMN_TEXT}};
    am_table *table = am_result_add_table(result, "events", err);
    if (!table)
        return NULL;
    am_status status = am_table_add_columns(table, first, sizeof first / sizeof *first, err);
    if (!status)
        status = am_dynamic_numbered(table, "q", "", am_system_size(system), AM_COLUMN_NUMBER, err);
    if (!status)
        status = add_velocities_and_forces(table, system, err);
    return status ? NULL : table;
}

am_table *am_dynamic_samples(am_result *result, const am_system *system, am_error *err) {
    am_table *table = am_result_add_table(result, "samples", err);
    if (!table)
        return NULL;
    am_status status = add_time_and_coordinates(table, system, err);
    if (!status)
        status = add_velocities_and_forces(table, system, err);
    if (!status)
        status = am_dynamic_numbered(table, "state", "", am_system_contacts(system), AM_COLUMN_TEXT, err);
    return status ? NULL : table;
}

am_table *am_dynamic_section(am_result *result, const am_system *system, am_error *err) {
    am_table *table = am_result_add_table(result, "section", err);
    if (!table)
        return NULL;
    am_status status = add_time_and_coordinates(table, system, err);
    if (!status)
        status = add_velocities(table, system, err);
    return status ? NULL : table;
}

size_t am_dynamic_set(am_table *table, size_t column, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        am_table_set_number(table, column + i, values[i]);
    return column + count;
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
