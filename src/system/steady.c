#include "system/steady.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "system/capability.h"

static double steady_speed(const am_system *system, size_t c, const double *velocity) {
    const am_contact_def *contact = &system->contact[c];
    double along = velocity ? am_dense_dot(contact->tangent, velocity, system->n) : 0.0;
    return fabs(along - contact->surface_velocity);
}

/* Of laws without stick, in steady sliding: what they remember has settled. */
static am_drag settled(const am_speed_friction *use, double v, double N) {
    double w[AM_LAW_MEMORIES];
    am_law_settled(use, v, N, w);
    return am_law_drag_at(use, v, N, w);
}

/* F = mu N + rest there. */
static double steady_drag(const am_speed_friction *use, double v, double *rest) {
    double once = settled(use, v, 1.0).force.value, twice = settled(use, v, 2.0).force.value;
    *rest = 2.0 * once - twice;
    return twice - once;
}

static am_status add_rest(am_steady_sliding *steady, size_t c, double force, am_error *err) {
    am_system *view = &steady->view;
    double *along = am_arena_doubles(&steady->memory, view->contact[c].tangent, view->n, err);
    if (!along)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < view->n; i++)
        along[i] *= force;
    view->load[view->loads++] = (am_load_def){.direction = along, .function = am_function_constant(1.0)};
    return AM_OK;
}

static am_status settle(am_steady_sliding *steady, size_t c, am_contact_state state, double v, am_error *err) {
    am_contact_def *own = &steady->view.contact[c];
    double rest = 0.0, sign = state == AM_FORWARD ? -1.0 : state == AM_BACKWARD ? 1.0 : 0.0;
    if (am_law_sticks(&own->speed_friction))
        own->friction = am_speed_friction_at(&own->speed_friction, v, NULL);
    else
        own->friction = steady_drag(&own->speed_friction, v, &rest);
    own->static_friction = own->friction;
    return rest != 0.0 ? add_rest(steady, c, sign * rest, err) : AM_OK;
}

am_status am_steady_sliding_init(am_steady_sliding *steady, const am_system *system, const am_contact_state *state,
                                 const double *velocity, am_error *err) {
    bool depends = false;
    *steady = (am_steady_sliding){.system = system};
    for (size_t c = 0; c < system->m; c++)
        depends |= system->contact[c].speed_friction.law != NULL;
    if (!depends)
        return AM_OK;
    steady->view = *system;
    steady->view.contact = am_arena_new(&steady->memory, system->m, sizeof *system->contact, err);
    steady->view.load = am_arena_new(&steady->memory, system->loads + system->m, sizeof *system->load, err);
    am_status status = am_arena_status(&steady->memory);
    if (!status) {
        memcpy(steady->view.contact, system->contact, system->m * sizeof *system->contact);
        memcpy(steady->view.load, system->load, system->loads * sizeof *system->load);
    }
    for (size_t c = 0; c < system->m && !status; c++) {
        am_contact_state slides = system->contact[c].surface_velocity > 0.0 ? AM_BACKWARD : AM_FORWARD;
        if (system->contact[c].speed_friction.law)
            status = settle(steady, c, state ? state[c] : slides, steady_speed(system, c, velocity), err);
    }
    steady->system = &steady->view;
    if (status)
        am_steady_sliding_clear(steady);
    return status;
}

void am_steady_sliding_clear(am_steady_sliding *steady) {
    am_arena_clear(&steady->memory);
    *steady = (am_steady_sliding){0};
}

/* By how much friction of a law without stick is varied. */
static double drag_factor(const am_contact_def *contact) {
    double rest, mu = steady_drag(&contact->speed_friction, fabs(contact->surface_velocity), &rest);
    return mu > 0.0 ? contact->friction / mu : 1.0;
}

size_t am_steady_memories(const am_contact_def *contact) {
    size_t memories = am_law_memories(&contact->speed_friction);
    return memories > 0 && drag_factor(contact) != 0.0 ? memories : 0;
}

am_drag am_steady_slope(const am_contact_def *contact, double normal) {
    am_drag slope = {.force.by_N = contact->friction};
    const am_speed_friction *use = &contact->speed_friction;
    double v = fabs(contact->surface_velocity);
    if (!use->law)
        return slope;
    if (am_law_sticks(use)) {
        double mu = am_speed_friction_at(use, v, &slope.force.by_v);
        slope.force.by_v *= normal * (mu > 0.0 ? contact->friction / mu : 1.0);
        return slope;
    }
    double factor = drag_factor(contact);
    if (factor == 0.0)
        return (am_drag){0};
    am_drag at = settled(use, v, factor * normal);
    at.force.by_N *= factor;
    for (size_t i = 0; i < AM_LAW_MEMORIES; i++)
        at.rate[i].by_N *= factor;
    return at;
}

am_across am_steady_across(const am_contact_def *contact, double normal) {
    double limit = contact->friction * normal, v = fabs(contact->surface_velocity), k = contact->tangential_stiffness;
    if (!contact->second_tangent || !(limit > 0.0))
        return (am_across){0};
    return k > 0.0 ? (am_across){.stiffness = k, .decay = v * k / limit} : (am_across){.damping = limit / v};
}

/* Friction in a plane: it turns, whatever its law. */
static am_status check_across(const am_contact_def *contact, bool known, am_error *err) {
    if (known && contact->surface_velocity != 0.0)
        return AM_OK;
    return am_fail(err, AM_ERR_UNSUPPORTED,
                   "friction of contact '%s' turns in its plane (two tangents) by what its normal force and the speed "
                   "of its surface say, and these are known only in steady sliding against a moving surface under "
                   "constant loads",
                   contact->name);
}

am_status am_steady_check(const am_system *system, size_t c, bool known, const am_drag *f, am_error *err) {
    const am_contact_def *contact = &system->contact[c];
    if (contact->second_tangent)
        return check_across(contact, known, err);
    if (!known)
        return am_fail_contact(err, system, c, "friction",
                               "friction of contact '%s' depends on the sliding speed (law %s): its slope acts with "
                               "the normal force of steady sliding, which is not known in this state or under these "
                               "loads",
                               contact->name, contact->speed_friction.law);
    if (!isfinite(f->force.by_N + f->rate[0].by_N + f->rate[1].by_N))
        return am_fail_contact(err, system, c, "friction",
                               "what friction of contact '%s' remembers (law %s) changes with its normal force, and "
                               "nothing presses it",
                               contact->name, contact->speed_friction.law);
    return AM_OK;
}

double am_steady_friction(const am_contact_def *contact, double normal) {
    return am_law_sticks(&contact->speed_friction) ? contact->friction : am_steady_slope(contact, normal).force.by_N;
}
