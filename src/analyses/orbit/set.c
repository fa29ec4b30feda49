#include "analyses/orbit/set.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/orbit/section_walk.h"
#include "base/memory.h"
#include "engines/switching/switching.h"
#include "math/pi.h"

/* Two orbits are the same when their periods agree to the first and one state of each to the second: both are closed to
 * rounding, and a multiplier as near to 1 as 1 - 1e-6 makes 1e-12 an error of 1e-6 times that. */
static const double same_period = 1e-9, same_state = 1e-7;

/* ---- symmetry ---- */

/* f(t + T/2) = -f(t) for a sine without mean whose period divides T/2 into an odd number of halves. */
static bool is_odd_term(const am_function *f, double period) {
    if (f->kind == AM_FUNCTION_CONSTANT)
        return f->value == 0.0;
    if (f->kind != AM_FUNCTION_SINE || f->value != 0.0)
        return false;
    double cycles = fabs(f->frequency) * period / two_pi;
    return fabs(cycles - round(cycles)) < 1e-9 && fmod(round(cycles), 2.0) == 1.0;
}

static bool is_even_term(const am_function *f, double period) {
    if (f->kind == AM_FUNCTION_CONSTANT)
        return true;
    double cycles = fabs(f->frequency) * period / two_pi;
    return f->kind == AM_FUNCTION_SINE && fabs(cycles - round(cycles)) < 1e-9 && fmod(round(cycles), 2.0) == 0.0;
}

static bool all_terms(const am_function *function, double period, bool (*is)(const am_function *, double)) {
    for (const am_function *f = function; f; f = f->plus)
        if (!is(f, period))
            return false;
    return true;
}

bool am_orbit_mirrors(const am_system *system) {
    double period = am_orbit_load_period(system);
    if (!(period > 0.0))
        return false;
    for (size_t l = 0; l < am_system_loads(system); l++)
        if (!is_odd_term(&am_system_load(system, l)->function, period))
            return false;
    for (size_t v = 0; v < am_system_varyings(system); v++)
        if (!all_terms(&am_system_varying(system, v)->stiffness, period, is_even_term))
            return false;
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        const am_contact_def *contact = am_system_contact(system, c);
        if (contact->normal_law != AM_HELD || contact->surface_velocity != 0.0 ||
            !all_terms(&contact->hold, period, is_even_term) ||
            !all_terms(&contact->surface_motion, period, is_odd_term))
            return false;
        for (size_t i = 0; contact->normal && i < am_system_size(system); i++)
            if (contact->normal[i] != 0.0)
                return false; /* a normal force that acts on the structure does not change its sign */
    }
    return true;
}

/* ---- the set ---- */

am_status am_orbit_set_init(am_orbit_set *set, const am_system *system, am_error *err) {
    *set = (am_orbit_set){.engine = am_motion_create(system, true, err), .mirror = am_orbit_mirrors(system)};
    if (!set->engine)
        return err ? err->status : AM_ERR_MEMORY;
    set->d = am_motion_dimension(set->engine);
    return AM_OK;
}

static void clear_member(am_orbit_member *member) {
    am_orbit_clear(&member->orbit);
    am_memory_free(member->mark);
    am_memory_free(member->states);
}

void am_orbit_set_clear(am_orbit_set *set) {
    for (size_t i = 0; i < set->count; i++)
        clear_member(&set->member[i]);
    am_memory_free(set->member);
    am_motion_free(set->engine);
    *set = (am_orbit_set){0};
}

/* ---- equality ---- */

static bool same_section_mark(const am_orbit_mark *mark, const am_orbit_return *how) {
    if (how->section == AM_SECTION_MAXIMUM)
        return mark->contact == how->coordinate;
    return how->section == AM_SECTION_PERIOD ||
           (mark->contact == how->contact && mark->from == how->from && mark->to == how->to);
}

/* Motions that differ in where a contact sticks for good are one family. */
static bool same_family(const am_orbit *a, const am_orbit *b) {
    return a->family > 0 && a->family == b->family && strcmp(a->sequence, b->sequence) == 0;
}

static bool is_same(const am_orbit_set *set, const am_orbit_member *member, const am_orbit *orbit,
                    const am_orbit_return *how) {
    if (how->section != member->how.section ||
        !(fabs(orbit->period - member->orbit.period) <= same_period * member->orbit.period))
        return false;
    if (same_family(orbit, &member->orbit))
        return true;
    for (size_t k = 0; k < member->marks; k++)
        if (same_section_mark(&member->mark[k], how) &&
            am_orbit_distance(set->engine, orbit->state, member->states + k * set->d) <= same_state * member->size)
            return true;
    return false;
}

/* ---- a new member ---- */

static am_status add_mark(const am_orbit_set *set, am_orbit_member *member, am_orbit_mark mark, double sign,
                          am_error *err) {
    size_t capacity = member->mark_capacity, size = set->d * sizeof *member->states;
    AM_TRY(am_memory_reserve(&member->mark, &capacity, member->marks + 1, err));
    AM_TRY(am_memory_reserve_items(&member->states, &member->mark_capacity, member->marks + 1, size, err));
    member->mark[member->marks] = mark;
    for (size_t i = 0; i < set->d; i++)
        member->states[member->marks * set->d + i] = sign * am_motion_state(set->engine)[i];
    member->marks++;
    return AM_OK;
}

static am_status mark_switches(const am_orbit_set *set, am_orbit_member *member, am_error *err) {
    if (set->engine->at_maximum)
        return add_mark(set, member, (am_orbit_mark){.contact = member->how.coordinate}, 1.0, err);
    for (size_t i = 0; i < am_motion_switches(set->engine); i++) {
        const am_switch *s = am_motion_switch(set->engine, i);
        AM_TRY(add_mark(set, member, (am_orbit_mark){s->contact, s->from, s->to}, 1.0, err));
    }
    return AM_OK;
}

/* Once around a self-excited orbit. *returns: after how many returns it is back at its first state, when that is less
 * than a whole period. */
static am_status walk_switches(const am_orbit_set *set, am_orbit_member *member, size_t *returns, am_error *err) {
    am_walk walk;
    size_t seen = 0;
    AM_TRY(am_walk_begin(&walk, set->engine, &member->how, member->orbit.state, err));
    while (!walk.done) {
        am_step_kind kind;
        AM_TRY(am_walk_step(&walk, &kind, err));
        if (am_motion_switches(set->engine) == 0 && !set->engine->at_maximum)
            continue;
        AM_TRY(mark_switches(set, member, err));
        member->size = fmax(member->size, am_orbit_size(set->engine, am_motion_state(set->engine)));
        bool returned = walk.returns > seen;
        seen = walk.returns;
        if (returned && member->how.returns % seen == 0 && *returns > seen &&
            am_orbit_distance(set->engine, am_motion_state(set->engine), member->orbit.state) <=
                same_state * member->size)
            *returns = seen;
    }
    return AM_OK;
}

/* The phases of the section, and with a mirror the images of the states half a period later. */
static am_status walk_periods(const am_orbit_set *set, am_orbit_member *member, size_t *returns, am_error *err) {
    const am_orbit_return *how = &member->how;
    AM_TRY(am_motion_start_state(set->engine, how->start, member->orbit.state, err));
    bool own_image = false;
    for (size_t k = 0; k < how->returns; k++) {
        double begin = how->start + (double)k * how->period;
        member->size = fmax(member->size, am_orbit_size(set->engine, am_motion_state(set->engine)));
        if (k > 0 && how->returns % k == 0 && *returns > k &&
            am_orbit_distance(set->engine, am_motion_state(set->engine), member->orbit.state) <=
                same_state * member->size)
            *returns = k;
        AM_TRY(add_mark(set, member, (am_orbit_mark){0}, 1.0, err));
        AM_TRY(am_engine_run_until(set->engine, begin + 0.5 * how->period, err));
        if (set->mirror)
            AM_TRY(add_mark(set, member, (am_orbit_mark){0}, -1.0, err));
        if (set->mirror)
            own_image |= am_orbit_distance(set->engine, member->states + (member->marks - 1) * set->d,
                                           member->orbit.state) <= same_state * member->size;
        AM_TRY(am_engine_run_until(set->engine, begin + how->period, err));
    }
    member->images = set->mirror && !own_image ? 2 : 1;
    return AM_OK;
}

/* Close the orbit again with its balance of energy, go around it, and do so with fewer returns if it repeats earlier. */
static am_status make_member(const am_orbit_set *set, am_orbit_member *member, const double *state, am_error *err) {
    for (;;) {
        size_t returns = member->how.returns;
        am_status status = am_orbit_close(set->engine, &member->how, state, &member->orbit, err);
        if (status)
            return status;
        member->marks = 0;
        member->size = am_orbit_size(set->engine, member->orbit.state);
        member->images = 1;
        status = member->how.section == AM_SECTION_PERIOD ? walk_periods(set, member, &returns, err)
                                                          : walk_switches(set, member, &returns, err);
        if (status || returns >= member->how.returns)
            return status;
        member->how.returns = returns;
        am_orbit_clear(&member->orbit);
    }
}

static bool find(const am_orbit_set *set, const am_orbit *orbit, const am_orbit_return *how, size_t *index) {
    for (size_t i = 0; i < set->count; i++)
        if (is_same(set, &set->member[i], orbit, how)) {
            *index = i;
            return true;
        }
    return false;
}

static am_status append(am_orbit_set *set, const am_orbit_member *member, am_error *err) {
    AM_TRY(am_memory_reserve(&set->member, &set->capacity, set->count + 1, err));
    set->member[set->count++] = *member;
    return AM_OK;
}

/* Motions without switches are compared at the maxima of one coordinate, whichever they were found by: the one that
 * moves with the most energy. */
static am_status move_to_common_section(const am_orbit_set *set, const am_orbit *orbit, am_orbit_return *how,
                                        double *state, am_error *err) {
    const am_motion *e = set->engine;
    size_t n = e->plan.n;
    double most = -1.0, end = how->start + orbit->period;
    am_step_kind kind = AM_STEP_SPAN;
    AM_TRY(am_motion_start_state(set->engine, how->start, orbit->state, err));
    while (kind != AM_STEP_END) {
        AM_TRY(am_motion_step(set->engine, end, &kind, err));
        for (size_t i = 0; i < n; i++) {
            double energy = e->plan.M[i * n + i] * e->x[n + i] * e->x[n + i];
            if (energy > most * (1.0 + 1e-6)) {
                most = energy;
                how->coordinate = i;
            }
        }
    }
    AM_TRY(am_walk_start(set->engine, how, how->start, orbit->state, err));
    end += orbit->period;
    for (kind = AM_STEP_SPAN; kind != AM_STEP_END && !e->at_maximum;)
        AM_TRY(am_motion_step(set->engine, end, &kind, err));
    memcpy(state, am_motion_state(e), set->d * sizeof *state);
    end = am_motion_time(e) + (1.0 + 1e-6) * orbit->period;
    how->returns = 0;
    for (kind = AM_STEP_SPAN; kind != AM_STEP_END; how->returns += e->at_maximum)
        AM_TRY(am_motion_step(set->engine, end, &kind, err));
    return how->returns > 0 ? AM_OK : am_fail(err, AM_ERR_LIMIT, "the periodic motion has no maximum");
}

am_status am_orbit_set_add(am_orbit_set *set, const am_orbit *orbit, const am_orbit_return *how, size_t *index,
                           am_error *err) {
    if (find(set, orbit, how, index))
        return AM_OK;
    am_orbit_member member = {.how = *how};
    member.how.returns = orbit->returns;
    double *state = am_memory_doubles(orbit->state, set->d, err);
    am_status status = state ? AM_OK : AM_ERR_MEMORY;
    if (!status && how->section == AM_SECTION_MAXIMUM)
        status = move_to_common_section(set, orbit, &member.how, state, err);
    if (!status)
        status = make_member(set, &member, state, err);
    am_memory_free(state);
    bool known = !status && find(set, &member.orbit, &member.how, index); /* after reduction to one period */
    if (!status && !known) {
        *index = set->count;
        status = append(set, &member, err);
    }
    if (status || known)
        clear_member(&member);
    return status;
}

/* Images pass the section too, but are other motions. */
static size_t count_returns(const am_orbit_member *member, const am_orbit_return *how) {
    size_t count = 0;
    if (how->section == AM_SECTION_PERIOD)
        return member->orbit.returns;
    for (size_t k = 0; k < member->marks; k++)
        count += same_section_mark(&member->mark[k], how);
    return count;
}

bool am_orbit_set_nearest(const am_orbit_set *set, const am_orbit_return *how, const double *state,
                          am_orbit_passage *passage) {
    double nearest = INFINITY;
    for (size_t i = 0; i < set->count; i++) {
        const am_orbit_member *member = &set->member[i];
        if (!member->orbit.stable || member->orbit.family > 0 || member->orbit.shakedown ||
            how->section != member->how.section)
            continue;
        for (size_t k = 0; k < member->marks; k++) {
            const double *at = member->states + k * set->d;
            double distance = am_orbit_distance(set->engine, at, state);
            if (!same_section_mark(&member->mark[k], how) || !(distance < nearest))
                continue;
            nearest = distance;
            *passage = (am_orbit_passage){i, count_returns(member, how), at};
        }
    }
    return nearest < INFINITY;
}

void am_orbit_set_order(const am_orbit_set *set, size_t *order) {
    for (size_t i = 0; i < set->count; i++) {
        size_t at = i;
        const am_orbit *mine = &set->member[i].orbit;
        for (; at > 0; at--) {
            const am_orbit *ahead = &set->member[order[at - 1]].orbit;
            bool before = mine->stable != ahead->stable ? mine->stable : mine->period < ahead->period;
            if (!before)
                break;
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}
