#include "engines/quasistatic/equilibrium.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "engines/quasistatic/incremental.h"
#include "system/sliders.h"
#include "system/system.h"

/* What the path found, seen from the structure itself: T = -k stretch. */
static am_status take(am_equilibrium *e, const am_system *system, am_path_incremental *path, am_error *err) {
    size_t n = system->n, m = system->m, spring = 2 * n;
    double *q = am_arena_doubles(&e->memory, NULL, path->system->n, err); /* with sliders and depths */
    double *work = am_arena_doubles(&e->memory, NULL, path->p, err);
    e->state = am_arena_doubles(&e->memory, NULL, 2 * n + am_system_springs(system), err);
    AM_ARENA_DOUBLES(&e->memory, m, err, &e->normal, &e->tangential, &e->second);
    e->contact = am_arena_new(&e->memory, m, sizeof *e->contact, err);
    AM_TRY(am_arena_status(&e->memory));
    AM_TRY(am_path_incremental_coordinates(path, q, err));
    memcpy(e->state, q, n * sizeof *q);
    for (size_t c = 0; c < m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double k = contact->tangential_stiffness;
        e->contact[c] = path->state[c];
        e->normal[c] = path->normal[c];
        e->tangential[c] = path->tangential[c];
        e->second[c] = contact->second_tangent && path->second ? path->second[c] : 0.0;
        if (k > 0.0) {
            e->state[spring++] = -e->tangential[c] / k;
            if (contact->second_tangent)
                e->state[spring++] = -e->second[c] / k;
        }
    }
    e->residual = am_path_incremental_residual(path, work);
    return AM_OK;
}

/* From t in `steps` steps to the end. */
static am_status walk(am_equilibrium *e, const am_system *system, const am_system *expanded, double t, size_t steps,
                      am_error *err) {
    AM_LOCAL_MEMORY double *stand = am_memory_new(expanded->n, sizeof *stand, err);
    if (!stand)
        return AM_ERR_MEMORY;
    if (expanded != system)
        am_sliders_relaxed(system, t, NULL, stand);
    AM_LOCAL(am_path_incremental_clear) am_path_incremental path = {0};
    AM_TRY(am_path_incremental_init(&path, expanded, err));
    AM_TRY(am_path_incremental_place(&path, t, stand, err));
    for (size_t k = 1; k <= steps; k++)
        AM_TRY(am_path_incremental_step(&path, t + (double)k / (double)steps, err));
    return take(e, system, &path, err);
}

static am_status find(am_equilibrium *e, const am_system *system, double t, size_t steps, am_error *err) {
    *e = (am_equilibrium){0};
    if (am_path_is_curved(system) || am_sliders_pads(system) == 0)
        return walk(e, system, system, t, steps, err);
    am_system *expanded = am_sliders_expand(system, err);
    am_status status = expanded ? walk(e, system, expanded, t, steps, err) : am_error_status(err);
    am_system_free(expanded);
    return status;
}

static am_status report(am_equilibrium *e, am_status status, const char *what, double t, const am_error *why,
                        am_error *err) {
    if (!status)
        return AM_OK;
    am_equilibrium_clear(e);
    return am_fail_field(err, status, "initial", "%s at t = %g: %.380s", what, t, why->message);
}

am_status am_equilibrium_rest(am_equilibrium *equilibrium, const am_system *system, double t, am_error *err) {
    am_error why = {0};
    am_status status = find(equilibrium, system, t, 0, &why);
    return report(equilibrium, status, "the structure has no rest to start from", t, &why, err);
}

/* The same structure with its constant loads as ramps that reach their values at 1, and everything else at rest. */
static am_system *ramped(const am_system *system, double t, am_arena *memory, am_error *err) {
    am_contact_def *contacts = am_arena_new(memory, system->m, sizeof *contacts, err);
    am_load_def *loads = am_arena_new(memory, system->loads, sizeof *loads, err);
    if (am_arena_status(memory))
        return NULL;
    am_system_def def = am_system_definition(system, contacts);
    def.load_count = def.varying_count = 0;
    def.loads = loads;
    for (size_t l = 0; l < system->loads; l++)
        if (system->load[l].function.kind == AM_FUNCTION_CONSTANT)
            loads[def.load_count++] =
                (am_load_def){system->load[l].direction, am_function_ramp(0.0, system->load[l].function.value)};
    for (size_t c = 0; c < system->m; c++) {
        contacts[c].surface_velocity = 0.0;
        contacts[c].gap += am_function_at(&contacts[c].gap_motion, t);
        contacts[c].surface_motion = contacts[c].gap_motion = am_function_constant(0.0);
        if (contacts[c].normal_law == AM_HELD)
            contacts[c].hold = am_function_constant(am_function_at(&contacts[c].hold, t));
    }
    return am_system_create(&def, err);
}

am_status am_equilibrium_preload(am_equilibrium *equilibrium, const am_system *system, double t, size_t steps,
                                 am_error *err) {
    am_arena memory = {0};
    am_error why = {0};
    am_system *own = ramped(system, t, &memory, &why);
    am_status status = own ? find(equilibrium, own, 0.0, steps, &why) : am_error_status(&why);
    am_system_free(own);
    am_arena_clear(&memory);
    return report(equilibrium, status, "the preload finds no equilibrium", t, &why, err);
}

void am_equilibrium_clear(am_equilibrium *equilibrium) {
    am_arena_clear(&equilibrium->memory);
    *equilibrium = (am_equilibrium){0};
}
