#include "analyses/orbit/tables.h"

#include <math.h>
#include <stdio.h>

#include "base/columns.h"
#include "system/column_names.h"
#include "system/system.h"

/* An orbit whose own check fails is not reported. */
static const double worst_closing = 1e-12, worst_trivial = 1e-8;

am_status am_orbit_check_evidence(const am_orbit *orbit, am_error *err) {
    const am_orbit *o = orbit;
    if (!(o->closing <= worst_closing))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the orbit does not close: it comes back within %.3g of its size, not %.0e", o->closing,
                       worst_closing);
    if (!isnan(o->trivial) && !(fabs(o->trivial - 1.0) <= worst_trivial))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the sensitivities do not pass their check: the multiplier along the orbit is %.15g, not 1",
                       o->trivial);
    return AM_OK;
}

/* ---- tables ---- */

am_status am_orbit_table_switches(const am_system *system, am_result *result, am_table **table, am_error *err) {
    static const am_column columns[] = {{"t", AM_COLUMN_NUMBER},
                                        {"contact", AM_COLUMN_TEXT},
                                        {"from", AM_COLUMN_TEXT},
                                        {"to", AM_COLUMN_TEXT},
                                        {"cause", AM_COLUMN_TEXT}};
    *table = am_result_add_table(result, "switches", err);
    if (!*table)
        return AM_ERR_MEMORY;
    am_status status = am_table_add_columns(*table, columns, 5, err);
    if (!status)
        status = am_columns_event_coordinates(*table, system, err);
    return status ? status : am_columns_event_velocities(*table, system, "", err);
}

/* Where a model gave the coordinates' symbols, velocities are called after them: `vdot` of `v`. */
static am_status add_sample_velocities(am_table *table, const am_system *system, am_error *err) {
    am_status status = AM_OK;
    if (!system->named_by_model)
        return am_columns_velocities(table, system, err);
    for (size_t i = 0; i < system->n && !status; i++) {
        char name[128];
        snprintf(name, sizeof name, "%.100sdot", system->name[i]);
        status = am_table_add_column(table, name, "", AM_COLUMN_NUMBER, err);
    }
    return status;
}

am_status am_orbit_table_samples(const am_system *system, am_result *result, am_table **table, am_error *err) {
    *table = am_result_add_table(result, "samples", err);
    if (!*table)
        return AM_ERR_MEMORY;
    am_status status = am_table_add_column(*table, "t", "", AM_COLUMN_NUMBER, err);
    if (!status)
        status = am_columns_coordinates(*table, system, err);
    if (!status)
        status = add_sample_velocities(*table, system, err);
    if (!status)
        status = am_columns_contacts(*table, system, "N", AM_COLUMN_NUMBER, err);
    if (!status)
        status = am_columns_contacts(*table, system, "T", AM_COLUMN_NUMBER, err);
    return status ? status : am_columns_contacts(*table, system, "state", AM_COLUMN_TEXT, err);
}

am_status am_orbit_table_multipliers(const am_orbit *orbit, am_result *result, am_error *err) {
    static const am_column columns[] = {
        {"real", AM_COLUMN_NUMBER}, {"imaginary", AM_COLUMN_NUMBER}, {"modulus", AM_COLUMN_NUMBER}};
    const am_orbit *o = orbit;
    am_table *table = am_result_add_table(result, "multipliers", err);
    am_status status = table ? am_table_add_columns(table, columns, 3, err) : AM_ERR_MEMORY;
    size_t left_out = o->family + (isnan(o->trivial) ? 0 : 1);
    for (size_t i = 0; i + left_out < o->dimension && !status; i++) {
        status = am_table_add_row(table, err);
        if (status)
            break;
        am_table_set_number(table, 0, o->multiplier_re[i]);
        am_table_set_number(table, 1, o->multiplier_im[i]);
        am_table_set_number(table, 2, hypot(o->multiplier_re[i], o->multiplier_im[i]));
    }
    return status;
}

am_status am_orbit_table_orbits(const am_orbit *orbit, am_result *result, am_error *err) {
    static const am_column columns[] = {{"orbit", AM_COLUMN_NUMBER},      {"period", AM_COLUMN_NUMBER},
                                        {"sequence", AM_COLUMN_TEXT},     {"multiplier", AM_COLUMN_NUMBER},
                                        {"stable", AM_COLUMN_FLAG},       {"share", AM_COLUMN_NUMBER},
                                        {"dissipation", AM_COLUMN_NUMBER}};
    am_table *table = am_result_add_table(result, "orbits", err);
    am_status status = table ? am_table_add_columns(table, columns, 7, err) : AM_ERR_MEMORY;
    if (!status)
        status = am_table_add_row(table, err);
    if (status)
        return status;
    am_table_set_number(table, 0, 1.0);
    am_table_set_number(table, 1, orbit->period);
    am_table_set_number(table, 3, orbit->multiplier);
    am_table_set_number(table, 5, 1.0);
    am_table_set_number(table, 6, orbit->dissipation);
    am_table_set_flag(table, 4, orbit->stable);
    return am_table_set_text(table, 2, orbit->sequence, err);
}

/* ---- summary ---- */

static am_status set_ranges(const am_system *system, const am_orbit_range *displacement, const am_orbit_range *velocity,
                            am_result *result, am_error *err) {
    am_status status = AM_OK;
    for (size_t i = 0; i < am_system_size(system) && !status; i++) {
        const char *coordinate = am_system_name(system, i);
        const am_orbit_range *q = &displacement[i], *v = &velocity[i];
        const struct {
            const char *suffix;
            double value;
        } values[] = {{"_max", q->largest},
                      {"_min", q->least},
                      {"_amplitude", 0.5 * (q->largest - q->least)},
                      {"dot_max", fmax(fabs(v->least), fabs(v->largest))}};
        for (size_t k = 0; k < sizeof values / sizeof *values && !status; k++) {
            char name[160];
            snprintf(name, sizeof name, "%.120s%s", coordinate, values[k].suffix);
            status = am_result_set_number(result, name, values[k].value, err);
        }
    }
    return status;
}

static am_status set_counts(const am_orbit *orbit, const am_orbit_search *search, am_result *result, am_error *err) {
    const struct {
        const char *name;
        size_t value;
    } counts[] = {{"returns", orbit->returns},
                  {"stops", orbit->stops},
                  {"switches", orbit->switches},
                  {"family", orbit->family},
                  {"transient_returns", search->returns}};
    am_status status = AM_OK;
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !status; i++)
        status = am_result_set_count(result, counts[i].name, counts[i].value, err);
    return status;
}

am_status am_orbit_summarise(const am_system *system, const am_orbit *orbit, const am_orbit_search *search,
                             double energy_residual, const am_orbit_range *displacement, const am_orbit_range *velocity,
                             am_result *result, am_error *err) {
    const am_orbit *o = orbit;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"period", o->period},
                   {"multiplier", o->multiplier},
                   {"trivial_multiplier", o->trivial},
                   {"closing_error", o->closing},
                   {"energy_residual", energy_residual},
                   {"dissipation", o->dissipation},
                   {"loss_friction", o->dissipation},
                   {"loss_damping", o->loss_damping},
                   {"loss_impact", o->loss_impact}};
    am_status status = AM_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; i++)
        status = isnan(numbers[i].value) ? am_result_set_none(result, numbers[i].name, err)
                                         : am_result_set_number(result, numbers[i].name, numbers[i].value, err);
    if (!status)
        status = set_counts(orbit, search, result, err);
    if (!status)
        status = am_result_set_flag(result, "stable", o->stable, err);
    if (!status)
        status = am_result_set_flag(result, "forced", search->how.section == AM_SECTION_PERIOD, err);
    if (!status)
        status = am_result_set_flag(result, "shakedown", o->shakedown, err);
    if (!status)
        status = am_result_set_flag(result, "indeterminate_forces", o->indeterminate, err);
    if (!status)
        status = am_result_set_text(result, "sequence", o->sequence, err);
    return status ? status : set_ranges(system, displacement, velocity, result, err);
}
