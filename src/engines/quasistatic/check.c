/* What a quasi-static path can follow. */
#include "engines/quasistatic/check.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>

#include "amontons/orbit.h"
#include "laws/law.h"
#include "system/capability.h"
#include "system/system.h"

static am_status check_function(const am_function *f, const char *what, const char *field, am_error *err) {
    if (f->kind == AM_FUNCTION_IMPULSE)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, field,
                             "%s is an impulse, which has no quasi-static meaning; use `motion`", what);
    if (f->derivative > 0)
        return am_fail_field(err, AM_ERR_UNSUPPORTED, field,
                             "%s is a derivative of a motion, a force of damping or inertia, which has no quasi-static "
                             "meaning; leave mass and damping out",
                             what);
    if (f->kind == AM_FUNCTION_TABLE && f->period > 0.0 && f->values[0] != f->values[f->count - 1])
        return am_fail_field(err, AM_ERR_UNSUPPORTED, field,
                             "%s repeats a table that ends at %g and begins at %g: it jumps, and `path` follows "
                             "continuous loads; make both values equal",
                             what, f->values[f->count - 1], f->values[0]);
    return AM_OK;
}

/* Every function of time must repeat with the load cycle. */
static am_status check_repeats(const am_function *f, const char *what, const char *field, am_error *err) {
    bool changes = f->kind == AM_FUNCTION_RAMP ? f->rate != 0.0
                                               : f->kind == AM_FUNCTION_PULSE || f->kind == AM_FUNCTION_CHIRP ||
                                                     (f->kind == AM_FUNCTION_TABLE && !(f->period > 0.0));
    if (!changes)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field,
                         "%s is a %s that does not repeat, and cycles are asked for: give a table a `period`, or use a "
                         "sine",
                         what, am_function_kind_name(f->kind));
}

typedef am_status (*function_check)(const am_function *f, const char *what, const char *field, am_error *err);

/* A sum of functions that belongs to contact c. */
static am_status check_sum(const am_function *sum, function_check check, const char *what, size_t c, const char *key,
                           am_error *err) {
    char sentence[64], field[64];
    snprintf(sentence, sizeof sentence, "%s of contact %zu", what, c + 1);
    snprintf(field, sizeof field, "contacts[%zu].%s", c, key);
    for (const am_function *f = sum; f; f = f->plus)
        AM_TRY(check(f, sentence, field, err));
    return AM_OK;
}

/* The same check for all loads, held normal forces, surfaces and gaps. */
static am_status check_functions(const am_system *system, function_check check, am_error *err) {
    char what[64], field[64];
    for (size_t l = 0; l < system->loads; l++) {
        snprintf(what, sizeof what, "load %zu", l + 1);
        snprintf(field, sizeof field, "loads[%zu].function", l);
        AM_TRY(check(&system->load[l].function, what, field, err));
    }
    for (size_t c = 0; c < system->m; c++)
        if (system->contact[c].normal_law == AM_HELD)
            AM_TRY(check_sum(&system->contact[c].hold, check, "the held normal force", c, "hold", err));
    for (size_t c = 0; c < system->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (check == check_repeats) /* else it need not: its place is continuous, whatever its velocity does */
            AM_TRY(
                check_sum(&contact->surface_motion, check, "the velocity of the surface", c, "surface_velocity", err));
        AM_TRY(check_sum(&contact->gap_motion, check, "the gap", c, "gap", err));
    }
    return AM_OK;
}

bool am_path_is_curved(const am_system *system) {
    bool curves = system->polynomials > 0 || system->varyings > 0;
    for (size_t c = 0; c < system->m; c++)
        curves = curves || system->contact[c].normal_law == AM_HUNT_CROSSLEY ||
                 am_law_is_rate_independent(&system->contact[c].speed_friction);
    return curves;
}

static am_status check_curved(const am_system *system, am_error *err) {
    for (size_t c = 0; c < system->m && am_path_is_curved(system); c++) {
        const am_contact_def *contact = &system->contact[c];
        if (contact->second_tangent)
            return am_fail_contact(err, system, c, "tangents",
                                   "the contact '%s' slips in a plane (two tangents), beside springs that are not "
                                   "linear: `path` follows one or the other; `motion` both",
                                   contact->name);
    }
    return AM_OK;
}

am_status am_path_check_steps(const am_system *system, am_error *err) {
    AM_TRY(am_system_check(system, "path with method: incremental", err));
    AM_TRY(check_curved(system, err));
    return check_functions(system, check_function, err);
}

am_status am_path_check(const am_system *system, am_error *err) {
    AM_TRY(am_system_check(system, "path with method: exact", err));
    return check_functions(system, check_function, err);
}

am_status am_path_check_cycle(const am_system *system, double *length, am_error *err) {
    AM_TRY(check_functions(system, check_repeats, err));
    *length = am_orbit_load_period(system);
    if (isnan(*length))
        return am_fail(err, AM_ERR_INPUT,
                       "the loads repeat, but not together: their periods have no common multiple below 1000 times the "
                       "first");
    if (!(*length > 0.0))
        return am_fail(err, AM_ERR_INPUT, "no load repeats: there are no cycles; give `until` instead");
    return AM_OK;
}
