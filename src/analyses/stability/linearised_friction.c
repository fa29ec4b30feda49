/* Friction about steady sliding, F against the slip at the speed v: with the sign s of T = s F (backward +1), dv = -s
 * t.dq', so that dT = -F_v t.dq' + s F_N dN + s F_w dw. The part of dN is in linearised.c, with the contacts. In a plane
 * there is a part across the slip as well (system/steady.h). */

#include <math.h>
#include <string.h>

#include "analyses/stability/linearised.h"
#include "base/arena.h"
#include "base/try.h"
#include "math/dense.h"
#include "system/capability.h"
#include "system/combination.h"
#include "system/steady.h"
#include "system/system.h"

static bool slides(am_contact_state state) {
    return state == AM_FORWARD || state == AM_BACKWARD;
}

/* to += factor W^T t (Z^T t)^T. */
static void add_along(am_linearised *r, const double *tangent, double factor, double *to) {
    double *push = r->work, *slide = r->work + r->rows;
    am_dense_apply(r->W, r->rows, r->n, tangent, push);
    am_dense_apply(r->Z, r->k, r->n, tangent, slide);
    for (size_t i = 0; i < r->rows; i++)
        for (size_t j = 0; j < r->k; j++)
            to[i * r->k + j] += factor * push[i] * slide[j];
}

/* w' = r_v dv + r_N dN + r_w dw with dN = -(slope n.q + rate n.q') of a compliant contact (rigid ones: reactions.c), for all that its law remembers,
 * as they are in forward slip: of the other sign a deflection is one backwards. */
static void add_inner(am_linearised *r, const am_contact_def *contact, const am_sliding *s, size_t c,
                      const am_drag *f) {
    size_t k = r->k, count = am_steady_memories(contact);
    double sign = am_slip_sign(s->state[c]);
    for (size_t w = 0; w < count; w++) {
        size_t own = r->filled + w;
        for (size_t by = 0; by < count; by++)
            r->decay[own * r->inner + r->filled + by] = f->rate[w].by_w[by];
        am_dense_apply(r->W, r->rows, r->n, contact->tangent, r->P + own * r->rows);
        for (size_t i = 0; i < r->rows; i++)
            r->P[own * r->rows + i] *= -sign * f->force.by_w[w];
        for (size_t i = 0; i < k; i++) {
            double along = am_dense_dot(r->Z + i * r->n, contact->tangent, r->n);
            double pressed = f->rate[w].by_N * am_dense_dot(r->Z + i * r->n, contact->normal, r->n);
            r->Q[own * k + i] = -s->slope[c] * pressed;
            r->V[own * k + i] = -sign * f->rate[w].by_v * along - s->rate[c] * pressed;
        }
    }
    r->filled += count;
}

/* Friction that turns with the slip. */
static am_status add_across(am_linearised *r, const am_system *system, const am_sliding *s, size_t c, am_error *err) {
    const am_contact_def *contact = &system->contact[c];
    size_t k = r->k;
    if (contact->friction == 0.0)
        return AM_OK;
    AM_TRY(am_steady_check(system, c, s->known, NULL, err));
    am_across f = am_steady_across(contact, s->normal[c]);
    add_along(r, contact->second_tangent, f.damping, r->C);
    if (!(f.stiffness > 0.0))
        return AM_OK;
    size_t own = r->filled++;
    r->decay[own * r->inner + own] = -f.decay;
    for (size_t i = 0; i < r->rows; i++)
        r->P[own * r->rows + i] = f.stiffness * am_dense_dot(r->W + i * r->n, contact->second_tangent, r->n);
    am_dense_apply(r->Z, k, r->n, contact->second_tangent, r->V + own * k);
    return AM_OK;
}

/* How many w a contact brings. */
static size_t count_inner(const am_contact_def *contact, am_contact_state state) {
    if (!slides(state))
        return 0;
    bool turns = contact->second_tangent && contact->tangential_stiffness > 0.0 && contact->friction > 0.0;
    return turns ? 1 : am_steady_memories(contact);
}

/* With all forces known: the rows below those of W become parts of w'. */
static void follow_reactions(am_linearised *r, const am_system *system, const am_sliding *s) {
    for (size_t c = 0, w = 0; c < s->m && r->reaction; c++) {
        size_t count = count_inner(&system->contact[c], s->state[c]), row = r->reaction[c];
        am_drag slope = row > 0 ? am_steady_slope(&system->contact[c], s->normal[c]) : (am_drag){0};
        for (size_t i = 0; i < count; i++, w++)
            if (row > 0)
                am_reactions_follow(r, w, row, slope.rate[i].by_N);
    }
    for (size_t w = 0; w < r->inner; w++)
        memmove(r->P + w * r->k, r->P + w * r->rows, r->k * sizeof *r->P);
    r->rows = r->k;
}

am_status am_linearised_friction(am_linearised *r, const am_system *system, const am_sliding *s, am_error *err) {
    for (size_t c = 0; c < s->m; c++)
        r->inner += count_inner(&system->contact[c], s->state[c]);
    AM_ARENA_DOUBLES(&r->memory, r->inner * r->k, err, &r->Q, &r->V, &r->A);
    r->P = am_arena_doubles(&r->memory, NULL, r->inner * r->rows, err);
    r->decay = am_arena_doubles(&r->memory, NULL, r->inner * r->inner, err);
    AM_TRY(am_arena_status(&r->memory));
    for (size_t c = 0; c < s->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        if (s->state[c] == AM_STICK && contact->tangential_stiffness > 0.0)
            add_along(r, contact->tangent, contact->tangential_stiffness, r->K);
        if (s->state[c] == AM_STICK && contact->tangential_stiffness > 0.0 && contact->second_tangent)
            add_along(r, contact->second_tangent, contact->tangential_stiffness, r->K);
        if (contact->second_tangent && slides(s->state[c]))
            AM_TRY(add_across(r, system, s, c, err));
        if (!contact->speed_friction.law || !slides(s->state[c]))
            continue;
        am_drag f = am_steady_slope(contact, s->normal[c]);
        AM_TRY(am_steady_check(system, c, s->known, &f, err));
        add_along(r, contact->tangent, f.force.by_v, r->C);
        add_inner(r, contact, s, c, &f);
    }
    follow_reactions(r, system, s);
    return AM_OK;
}
