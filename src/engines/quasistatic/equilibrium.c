#include "engines/quasistatic/equilibrium.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/worse.h"
#include "engines/quasistatic/check.h"
#include "engines/quasistatic/incremental.h"
#include "engines/quasistatic/path_walk.h"
#include "laws/law.h"
#include "system/friction_pieces.h"
#include "system/sliders.h"
#include "system/system.h"

/* A point of either engine; contacts m each. */
typedef struct found {
    const double *q; /* with sliders and depths behind the structure's own */
    const am_contact_state *state;
    const double *normal, *tangential, *second; /* second may be NULL */
    const double *slid;                         /* may be NULL */
} found;

/* What friction remembers at the end of a path, which knows distances slid, and laws whose force is linear in their
 * deflection. */
static double remembered(const am_contact_def *contact, const found *at, size_t c) {
    double w = 0.0;
    if (am_friction_weakens(&contact->weakening))
        return at->slid ? at->slid[c] : 0.0;
    return at->state[c] == AM_OPEN
               ? 0.0
               : -at->tangential[c] / am_law_drag_at(&contact->speed_friction, 1.0, 1.0, &w).force.by_w[0];
}

/* What the path found, seen from the structure itself: T = -k stretch. */
static am_status take(am_equilibrium *e, const am_system *system, const found *at, am_error *err) {
    size_t n = system->n, m = system->m, spring = 2 * n;
    size_t memory = spring + am_system_springs(system);
    e->state = am_arena_doubles(&e->memory, NULL, memory + am_system_memories(system), err);
    AM_ARENA_DOUBLES(&e->memory, m, err, &e->normal, &e->tangential, &e->second);
    e->contact = am_arena_new(&e->memory, m, sizeof *e->contact, err);
    AM_TRY(am_arena_status(&e->memory));
    memcpy(e->state, at->q, n * sizeof *at->q);
    for (size_t c = 0; c < m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double k = contact->tangential_stiffness;
        e->contact[c] = at->state[c];
        e->normal[c] = at->normal[c];
        e->tangential[c] = at->tangential[c];
        e->second[c] = contact->second_tangent && at->second ? at->second[c] : 0.0;
        if (k > 0.0) {
            e->state[spring++] = -e->tangential[c] / k;
            if (contact->second_tangent)
                e->state[spring++] = -e->second[c] / k;
        }
        if (am_contact_memories(contact) > 0)
            e->state[memory++] = remembered(contact, at, c);
    }
    return AM_OK;
}

/* ---- by load steps ---- */

static am_status take_step(am_equilibrium *e, const am_system *system, am_path_incremental *path, am_error *err) {
    double *q = am_arena_doubles(&e->memory, NULL, path->system->n, err);
    double *work = am_arena_doubles(&e->memory, NULL, path->p, err);
    AM_TRY(am_arena_status(&e->memory));
    AM_TRY(am_path_incremental_coordinates(path, q, err));
    e->residual = am_path_incremental_residual(path, work);
    return take(e, system, &(found){q, path->state, path->normal, path->tangential, path->second, path->slid}, err);
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
    e->steps = steps;
    return take_step(e, system, &path, err);
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

/* The largest difference of displacements, stretches or what friction remembers, as a part of the largest displacement. */
static double difference(const am_system *system, const am_equilibrium *one, const am_equilibrium *other) {
    double apart = 0.0, size = 0.0;
    for (size_t i = 0; i < 2 * system->n + am_system_springs(system) + am_system_memories(system); i++) {
        apart = fmax(apart, fabs(one->state[i] - other->state[i]));
        size = fmax(size, fabs(other->state[i]));
    }
    return size > 0.0 ? apart / size : 0.0;
}

/* More steps until that changes nothing any more, twice: contacts that close, or stop slipping, do so within a step. The numbers
 * of steps have no common divisors, or a contact could close at the end of a step of both. */
static am_status converge(am_equilibrium *e, const am_system *system, am_error *err) {
    static const size_t steps[] = {101, 163, 263, 431, 691, 1117, 1811};
    const double settled = 1e-6;
    double before = INFINITY, last = INFINITY;
    AM_TRY(find(e, system, 0.0, steps[0], err));
    for (size_t k = 1; k < sizeof steps / sizeof *steps && !(fmax(before, last) <= settled); k++) {
        am_equilibrium finer;
        am_status status = find(&finer, system, 0.0, steps[k], err);
        before = last;
        last = status ? INFINITY : difference(system, e, &finer);
        am_equilibrium_clear(e);
        *e = finer;
        AM_TRY(status);
    }
    e->error = fmax(before, last);
    return AM_OK;
}

/* ---- corner to corner ---- */

/* A corner costs a combination of states, solved once: about as many corners as contacts, three of them each. */
static const double most_work = 3e9;

static am_status follow_corners(am_equilibrium *e, const am_system *system, const am_system *expanded, am_error *err) {
    double size = (double)(expanded->n + 2 * expanded->m);
    if (!(3.0 * (double)system->m * size * size * size <= most_work))
        return am_fail(err, AM_ERR_LIMIT, "too many contacts");
    AM_LOCAL_MEMORY double *stand = am_memory_new(expanded->n, sizeof *stand, err);
    AM_LOCAL(am_path_balance_clear) am_path_balance balance = {0};
    AM_LOCAL(am_path_walk_clear) am_path_walk path = {0};
    if (!stand)
        return AM_ERR_MEMORY;
    if (expanded != system)
        am_sliders_relaxed(system, 0.0, NULL, stand);
    AM_TRY(am_path_walk_init(&path, expanded, AM_JUMP_STOP, err));
    AM_TRY(am_path_balance_init(&balance, &path.engine, err));
    path.balance = &balance;
    AM_TRY(am_path_engine_place(&path.engine, 0.0, stand, NULL, err));
    AM_TRY(am_path_walk_start(&path, NULL, err));
    AM_TRY(am_path_walk_to(&path, 1.0, NULL, err));
    am_path_point *end = &path.engine.series[0];
    am_path_share_point(&path.engine, end);
    e->residual = am_worse(balance.equilibrium, balance.laws);
    e->error = am_worse(am_worse(balance.residual, e->residual), am_path_engine_continuity(&path.engine));
    if (!(e->error <= 1e-8))
        return am_fail(err, AM_ERR_EVIDENCE, "the path does not pass its own check");
    return take(e, system, &(found){end->q, path.engine.state, end->normal, end->tangential, NULL, NULL}, err);
}

static am_status follow(am_equilibrium *e, const am_system *system, am_error *err) {
    *e = (am_equilibrium){0};
    AM_TRY(am_path_check(system, err));
    if (am_system_springs(system) == 0 && am_sliders_pads(system) == 0)
        return follow_corners(e, system, system, err);
    am_system *expanded = am_sliders_expand(system, err);
    am_status status = expanded ? follow_corners(e, system, expanded, err) : am_error_status(err);
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

/* Where corners cannot be followed (a law, a jump, too many contacts), load steps say what there is. */
static am_status settle(am_equilibrium *e, const am_system *system, am_error *err) {
    am_error why = {0};
    am_status status = follow(e, system, &why);
    if (!status)
        return AM_OK;
    am_equilibrium_clear(e);
    return status == AM_ERR_MEMORY || status == AM_ERR_INTERRUPTED ? am_fail(err, status, "%s", why.message)
                                                                   : converge(e, system, err);
}

am_status am_equilibrium_preload(am_equilibrium *equilibrium, const am_system *system, double t, am_error *err) {
    am_arena memory = {0};
    am_error why = {0};
    *equilibrium = (am_equilibrium){0};
    am_system *own = ramped(system, t, &memory, &why);
    am_status status = own ? settle(equilibrium, own, &why) : am_error_status(&why);
    am_system_free(own);
    am_arena_clear(&memory);
    return report(equilibrium, status, "the preload finds no equilibrium", t, &why, err);
}

void am_equilibrium_clear(am_equilibrium *equilibrium) {
    am_arena_clear(&equilibrium->memory);
    *equilibrium = (am_equilibrium){0};
}
