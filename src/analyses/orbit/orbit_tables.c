#include "analyses/orbit/orbit_internal.h"
#include "analyses/orbit/section_walk.h"
#include "analyses/orbit/verdict.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/columns.h"
#include "engines/switching/switching.h"
#include "system/column_names.h"
#include "system/system.h"

/* An orbit whose own check fails is not reported. One that is strongly unstable carries its roundings so much farther,
 * and so does one whose disturbances grow and die out again on the way. */
static const double worst_closing = 1e-12, worst_roundings = 256.0, worst_trivial = 1e-8, worst_trivial_carried = 1e-6;

am_status am_orbit_check_evidence(const am_orbit *orbit, am_error *err) {
    const am_orbit *o = orbit;
    double worst = fmax(worst_closing, DBL_EPSILON * fmax(worst_roundings * o->multiplier, o->carried));
    if (!(o->closing <= worst))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the orbit does not close: it comes back within %.3g of its size, not %.0e", o->closing, worst);
    double trivial = fmax(worst_trivial, fmin(worst_trivial_carried, DBL_EPSILON * o->carried));
    if (!isnan(o->trivial) && !(fabs(o->trivial - 1.0) <= trivial))
        return am_fail(err, AM_ERR_EVIDENCE,
                       "the sensitivities do not pass their check: the multiplier along the orbit is %.15g, not 1",
                       o->trivial);
    return AM_OK;
}

/* ---- exact extrema ---- */

static void include(am_orbit_range *r, double value) {
    r->least = fmin(r->least, value);
    r->largest = fmax(r->largest, value);
}

/* Range of the polynomial a on [0, 1]. */
static void include_polynomial(am_orbit_range *r, const double *a) {
    double where[AM_MOST_TURNS], below = 0.0;
    for (size_t k = 1; k < AM_COEFFICIENTS; k++)
        below += fabs(a[k]);
    if (a[0] + below <= r->largest && a[0] - below >= r->least)
        return;
    include(r, a[0]);
    size_t turns = am_polynomial_turns(a, where);
    for (size_t i = 0; i < turns; i++)
        include(r, am_polynomial_at(a, where[i]));
    include(r, am_polynomial_at(a, 1.0));
}

void am_orbit_include_span(const am_motion *engine, size_t i, am_orbit_range *range) {
    double a[AM_COEFFICIENTS], power = 1.0;
    for (size_t k = 0; k < AM_COEFFICIENTS; k++, power *= engine->span_length)
        a[k] = power * engine->series[k * engine->plan.nx + i];
    include_polynomial(range, a);
}

/* ---- tables ---- */

void am_orbit_table_switches(const am_system *system, am_result *result, am_table **table) {
    *table = am_result_describe_table(result, "switches", "t contact from to cause");
    am_columns_event_coordinates(*table, system);
    am_columns_event_velocities(*table, system, "");
}

/* Where a model gave the coordinates' symbols, velocities are called after them: `vdot` of `v`. */
static void add_sample_velocities(am_table *table, const am_system *system) {
    if (!system->named_by_model)
        am_columns_velocities(table, system);
    for (size_t i = 0; system->named_by_model && i < system->n; i++) {
        char name[128];
        snprintf(name, sizeof name, "%.100sdot", system->name[i]);
        am_table_describe_as(table, "<symbol>dot", name);
    }
}

void am_orbit_table_samples(const am_system *system, am_result *result, am_table **table) {
    *table = am_result_describe_table(result, "samples", "t");
    am_columns_coordinates(*table, system);
    add_sample_velocities(*table, system);
    am_columns_forces(*table, system);
    am_columns_joints(*table, system, "state");
}

void am_orbit_table_multipliers(const am_orbit *orbit, am_result *result) {
    const am_orbit *o = orbit;
    am_table *table = am_result_describe_table(result, "multipliers", "real imaginary modulus");
    size_t left_out = o->family + (isnan(o->trivial) ? 0 : 1);
    for (size_t i = 0; i + left_out < o->dimension; i++)
        am_table_add_numbers(table, AM_NUMBERS(o->multiplier_re[i], o->multiplier_im[i],
                                               hypot(o->multiplier_re[i], o->multiplier_im[i])));
}

void am_orbit_table_orbits(const am_orbit *orbit, am_result *result) {
    am_table *table =
        am_result_describe_table(result, "orbits", "orbit period sequence multiplier stable share dissipation");
    am_table_add_numbers(
        table, AM_NUMBERS(1.0, orbit->period, orbit->multiplier, am_orbit_stable(orbit), 1.0, orbit->dissipation));
    am_table_set_text(table, 2, orbit->sequence, NULL);
}

/* ---- summary ---- */

static void set_ranges(const am_system *system, const am_orbit_range *displacement, const am_orbit_range *velocity,
                       am_result *result) {
    for (size_t i = 0; i < am_system_size(system); i++) {
        const char *coordinate = am_system_name(system, i);
        const am_orbit_range *q = &displacement[i], *v = &velocity[i];
        const am_named values[] = {{"_max", q->largest},
                                   {"_min", q->least},
                                   {"_amplitude", 0.5 * (q->largest - q->least)},
                                   {"dot_max", fmax(fabs(v->least), fabs(v->largest))}};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            char name[160];
            snprintf(name, sizeof name, "%.120s%s", coordinate, values[k].name);
            am_result_set_number(result, name, values[k].value, NULL);
        }
    }
}

void am_orbit_summarise(const am_system *system, const am_orbit *orbit, const am_orbit_search *search,
                        double energy_residual, const am_orbit_range *displacement, const am_orbit_range *velocity,
                        am_result *result) {
    const am_orbit *o = orbit;
    am_result_set_numbers(result, AM_NAMED({"period", o->period}, {"multiplier", o->multiplier},
                                           {"trivial_multiplier", o->trivial}, {"closing_error", o->closing},
                                           {"energy_residual", energy_residual}, {"dissipation", o->dissipation},
                                           {"loss_friction", o->dissipation}, {"loss_damping", o->loss_damping},
                                           {"loss_impact", o->loss_impact}));
    am_result_set_counts(result, AM_NAMED({"returns", o->returns}, {"stops", o->stops}, {"switches", o->switches},
                                          {"family", o->family}, {"transient_returns", search->returns}));
    am_verdict verdict = am_orbit_verdict(o);
    am_result_set_decided(result, "stable", verdict != AM_VERDICT_MARGINAL, verdict == AM_VERDICT_STABLE);
    am_result_set_flag(result, "forced", !am_orbit_is_self_excited(&search->how), NULL);
    am_result_set_flag(result, "shakedown", o->shakedown, NULL);
    am_result_set_flag(result, "indeterminate_forces", o->indeterminate, NULL);
    am_result_set_text(result, "sequence", o->sequence, NULL);
    set_ranges(system, displacement, velocity, result);
}
