/* Which state is each contact in, after something has switched? All contacts are looked at again.
 *
 * With compliant (or held) contacts the normal forces follow from positions and velocities alone. What remains is
 * friction at contacts without sliding: |T| <= mu N with t.q'' = 0, or T = -/+ mu N with t.q'' of the sign that
 * belongs to it. With W = t M^-1 t^T, which is symmetric and not negative, this is the optimality condition of a convex
 * quadratic program in a box: there is always a solution, and accelerations are unique (docs/march.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/try.h"
#include "engines/marching/marching.h"
#include "math/dense.h"
#include "system/friction_pieces.h"
#include "system/generator.h"

/* Friction beyond its limit by less than this part of the largest limit so far is at its limit. (Without mass it is only
 * known to the tolerance.) */
static const double force_rounding = 1e-12;
/* A contact may begin to slip with an acceleration on the wrong side of zero by this part of its terms. */
static const double slip_rounding = 1e-12;

void am_march_describe(const am_march *m, const am_contact_state *state, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t c = 0; c < m->m && used + 1 < size; c++) {
        int wrote = snprintf(text + used, size - used, "%s%s", c > 0 ? "," : "", am_contact_state_name(state[c]));
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

/* ---- normal states ---- */

static bool is_hit(const am_march *m, size_t c, size_t slot) {
    return m->hit[c * AM_MARCH_SLOTS + slot];
}

static am_contact_state slip_state(double slide) {
    return slide >= 0.0 ? AM_FORWARD : AM_BACKWARD;
}

static void open_contact(am_march *m, size_t c) {
    am_march_forget(m, c);
    m->overlap[c] = am_march_depth(m, c, m->y) > 0.0;
    m->trial[c] = AM_OPEN;
}

/* Closed: which way it slides is looked at later. */
static void close_contact(am_march *m, size_t c) {
    m->overlap[c] = false;
    m->trial[c] = slip_state(am_march_slide(m, c, m->y + m->n));
}

static void decide_normal_afresh(am_march *m, size_t c) {
    double depth = am_march_depth(m, c, m->y), rate = am_march_approach(m, c, m->y + m->n);
    bool closed = depth > 0.0 ? am_march_push(m, c, m->y) > 0.0 : depth == 0.0 && rate > 0.0;
    if (!closed)
        open_contact(m, c);
    else if (m->trial[c] == AM_OPEN)
        close_contact(m, c);
}

static void decide_normal_again(am_march *m, size_t c) {
    bool open = m->state[c] == AM_OPEN;
    if (open && m->overlap[c] && is_hit(m, c, 1))
        m->overlap[c] = false; /* parted at last: still open */
    else if (open && is_hit(m, c, 0))
        close_contact(m, c);
    else if (!open && (is_hit(m, c, 0) || is_hit(m, c, 1)))
        open_contact(m, c);
}

/* Surfaces that just touch, at rest to each other: closed if they are being pushed together. Everything else is known
 * by then, except friction at rest, which is left out of the accelerations here. */
static am_status close_touching(am_march *m, am_error *err) {
    bool any = false;
    for (size_t c = 0; c < m->m; c++) {
        m->rest[c] =
            m->trial[c] == AM_OPEN && am_march_depth(m, c, m->y) == 0.0 && am_march_approach(m, c, m->y + m->n) == 0.0;
        any = any || m->rest[c];
    }
    if (!any)
        return AM_OK;
    memcpy(m->state, m->trial, m->m * sizeof *m->state);
    AM_TRY(am_march_prepare(m, err));
    am_march_rate(m, m->t, m->y, m->rate);
    for (size_t c = 0; c < m->m; c++)
        if (m->rest[c] && am_march_pressing(m, c, m->rate + m->n) > 0.0)
            close_contact(m, c);
    return AM_OK;
}

static am_status decide_normal(am_march *m, bool fresh, am_error *err) {
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        m->trial[c] = m->state[c];
        if (contact->normal_law != AM_HELD && fresh)
            decide_normal_afresh(m, c);
        else if (contact->normal_law != AM_HELD)
            decide_normal_again(m, c);
        else if (is_hit(m, c, 0))
            return am_fail(err, AM_ERR_INPUT,
                           "the given normal force of contact '%s' turns negative at t = %.15g: a contact cannot pull",
                           contact->name, m->t);
        else if (fresh && m->trial[c] == AM_OPEN)
            close_contact(m, c);
    }
    return AM_OK;
}

/* ---- friction away from rest ---- */

static void decide_regularised(am_march *m, size_t c, bool fresh, double slide) {
    double most = m->system->contact[c].regularisation;
    bool newly = fresh || m->state[c] == AM_OPEN;
    if (newly)
        m->trial[c] = fabs(slide) <= most ? AM_STICK : slip_state(slide);
    else if (m->state[c] == AM_STICK && is_hit(m, c, 2))
        m->trial[c] = AM_BACKWARD;
    else if (m->state[c] == AM_STICK && is_hit(m, c, 3))
        m->trial[c] = AM_FORWARD;
    else if (m->state[c] != AM_STICK && is_hit(m, c, 2))
        m->trial[c] = AM_STICK;
}

/* Is the contact at rest along its tangent, as far as can be told? */
static bool at_rest(const am_march *m, size_t c, bool fresh, double slide) {
    bool was_closed = m->state[c] != AM_OPEN && !fresh;
    if (was_closed && m->state[c] == AM_STICK)
        return true;
    if (was_closed && is_hit(m, c, 2))
        return true;
    if (was_closed && m->armed[c * AM_MARCH_SLOTS + 2])
        return false;
    double speed = 0.0;
    const double *tangent = m->system->contact[c].tangent;
    for (size_t i = 0; i < m->n; i++)
        speed += fabs(tangent[i]) * m->scale[m->n + i];
    return fabs(slide) <= 4.0 * m->tolerance * speed;
}

/* Without stick only the direction changes. Exactly at rest it is decided later, by the acceleration. */
static void decide_drag(am_march *m, size_t c, bool fresh, double slide) {
    if (fresh || m->state[c] == AM_OPEN)
        m->trial[c] = slip_state(slide);
    else if (is_hit(m, c, 2))
        m->trial[c] = m->state[c] == AM_FORWARD ? AM_BACKWARD : AM_FORWARD;
}

static double normal_now(const am_march *m, size_t c) {
    const am_contact_def *contact = &m->system->contact[c];
    double N = contact->normal_law == AM_HELD ? am_dense_dot(m->system->hold + c * m->system->nz, m->z, m->system->nz)
                                              : am_march_normal(m, c, m->y, NULL, NULL);
    return fmax(N, 0.0);
}

/* What holds a slider at most: mu N, static or kinetic, over the stiffness of its spring. */
static double most_stretch(const am_march *m, size_t c, bool sticks) {
    return am_march_coefficient(m, c, sticks, m->y) * normal_now(m, c) / m->system->contact[c].tangential_stiffness;
}

/* Friction that falls faster with slip than the spring relaxes: the slider jumps to where they meet again. */
static void fall_on(am_march *m, size_t c) {
    const am_contact_def *contact = &m->system->contact[c];
    double *slid = &m->y[am_march_slid(m, c)], N = normal_now(m, c), k = contact->tangential_stiffness;
    double meets = am_friction_meets(&contact->weakening, k, N, most_stretch(m, c, false), *slid, 0.0);
    if (!(meets > *slid))
        return;
    *slid = meets;
    am_march_find_corners(m, c, false);
}

/* A slider behind a spring: force and normal force say all, but at the limit (settle_sliders). */
static void decide_slider(am_march *m, size_t c) {
    double stretch = m->y[m->inner[c]], holds = most_stretch(m, c, true);
    bool closes = m->state[c] == AM_OPEN, slipped = !closes && m->state[c] != AM_STICK;
    bool gives_way = !slipped && (is_hit(m, c, 2) || is_hit(m, c, 3) || fabs(stretch) > holds);
    if (gives_way)
        m->trial[c] = is_hit(m, c, 2) || (!is_hit(m, c, 3) && stretch > 0.0) ? AM_FORWARD : AM_BACKWARD;
    else if (!slipped)
        m->trial[c] = AM_STICK;
    if (!slipped && !gives_way)
        return;
    if (am_friction_weakens(&m->system->contact[c].weakening))
        fall_on(m, c);
    am_march_set_stretch(m, c, (m->trial[c] == AM_FORWARD ? 1.0 : -1.0) * most_stretch(m, c, false));
    if (slipped && is_hit(m, c, 2))
        m->trial[c] = AM_STICK;
}

/* The same in a plane, where the stretch has a length and a direction. */
static void decide_plane(am_march *m, size_t c) {
    double length = am_march_plane_length(m, c, m->y), most = most_stretch(m, c, false);
    bool slipped = m->state[c] == AM_FORWARD, gives_way = !slipped && (is_hit(m, c, 2) || length > most);
    if (slipped || gives_way)
        am_march_plane_stretch(m, c, most);
    m->trial[c] = gives_way || (slipped && !is_hit(m, c, 2)) ? AM_FORWARD : AM_STICK;
}

static void decide_sliding(am_march *m, bool fresh) {
    for (size_t c = 0; c < m->m; c++) {
        double slide = am_march_slide(m, c, m->y + m->n);
        const am_contact_def *contact = &m->system->contact[c];
        m->rest[c] = false;
        m->wish[c] = 0;
        if (m->trial[c] == AM_OPEN)
            continue;
        if (m->kind[c] == AM_MARCH_REGULARISED) {
            decide_regularised(m, c, fresh, slide);
        } else if (m->kind[c] == AM_MARCH_DRAG) {
            decide_drag(m, c, fresh, slide);
        } else if (m->kind[c] == AM_MARCH_SPRING) {
            decide_slider(m, c);
        } else if (m->kind[c] == AM_MARCH_PLANE) {
            decide_plane(m, c);
        } else if (!(contact->static_friction > 0.0)) {
            m->trial[c] = m->system->stop[c] ? AM_STICK : slip_state(slide);
        } else if (at_rest(m, c, fresh, slide)) {
            bool was_closed = m->state[c] != AM_OPEN && !fresh, stuck = m->state[c] == AM_STICK;
            m->rest[c] = true;
            if (was_closed && stuck)
                m->wish[c] = is_hit(m, c, 2) ? 1 : is_hit(m, c, 3) ? -1 : 0;
            else if (was_closed && !is_hit(m, c, 2)) /* has only just begun to slip */
                m->wish[c] = m->state[c] == AM_FORWARD ? 1 : -1;
            m->trial[c] = m->wish[c] > 0 ? AM_FORWARD : m->wish[c] < 0 ? AM_BACKWARD : AM_STICK;
        } else if (fresh || m->state[c] == AM_OPEN) {
            m->trial[c] = slip_state(slide);
        }
    }
}

/* ---- friction at rest ---- */

/* The state that contact c should rather have, in the solution just computed for `state`. */
static am_contact_state better(const am_march *m, size_t c) {
    const am_contact_def *contact = &m->system->contact[c];
    double N = fmax(m->normal[c], 0.0), T = m->tangential[c];
    if (m->state[c] == AM_STICK) {
        double rounding = m->lights > 0 ? am_march_noise(m, c, 2) : force_rounding * m->force[c];
        if (fabs(T) <= am_march_coefficient(m, c, true, m->y) * N + rounding)
            return AM_STICK;
        return T > 0.0 ? AM_BACKWARD : AM_FORWARD;
    }
    double sign = m->state[c] == AM_FORWARD ? 1.0 : -1.0;
    double w = am_march_slide_rate(m, c, m->rate);
    double unit = m->W[c * m->m + c] * am_dense_largest(m->force, m->m);
    for (size_t i = 0; i < m->n; i++)
        unit += fabs(contact->tangent[i]) * m->row[i];
    return sign * w >= -slip_rounding * unit ? m->state[c] : AM_STICK;
}

/* Sizes of the terms that accelerations are made of. */
static void measure_terms(am_march *m) {
    size_t n = m->n;
    for (size_t i = 0; i < n; i++) {
        m->row[i] = fabs(m->rate[n + i]);
        for (size_t j = 0; j < n; j++)
            m->row[i] += fabs(m->Aq[i * n + j] * m->y[j]) + fabs(m->Av[i * n + j] * m->y[n + j]);
    }
}

static am_status fail_cycle(const am_march *m, am_error *err) {
    char names[200], text[300];
    size_t used = 0;
    names[0] = '\0';
    for (size_t c = 0; c < m->m && used + 1 < sizeof names; c++) {
        if (!m->rest[c])
            continue;
        int wrote = snprintf(names + used, sizeof names - used, "%s'%s'", used ? ", " : "", m->system->contact[c].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    am_march_describe(m, m->state, text, sizeof text);
    return am_fail(err, AM_ERR_NO_STATE,
                   "no state of contact was found to be consistent at t = %.15g (contacts at rest: %s); the last "
                   "candidate was %s",
                   m->t, names, text);
}

/* Forces and accelerations of the candidate `state`, and the sizes that tell zero from rounding. */
static am_status try_state(am_march *m, am_error *err) {
    AM_TRY(am_march_prepare(m, err));
    am_march_rate(m, m->t, m->y, m->rate);
    for (size_t c = 0; c < m->m; c++)
        m->force[c] = fmax(m->force[c], m->system->contact[c].static_friction * fabs(m->normal[c]));
    measure_terms(m);
    return AM_OK;
}

/* Change every contact that should be in another state, at first; then, since that may go in circles, only the first
 * of them, which cannot (W has no negative principal minors). */
static am_status settle_once(am_march *m, size_t resting, am_error *err) {
    size_t together = 2 * resting + 8, most = together + 200 + 50 * resting;
    for (size_t round = 0; round < most; round++) {
        bool changed = false;
        AM_TRY(try_state(m, err));
        for (size_t c = 0; c < m->m; c++) { /* the whole candidate is judged before anything is changed */
            m->trial[c] = m->rest[c] ? better(m, c) : m->state[c];
        }
        for (size_t c = 0; c < m->m && !(changed && round >= together); c++) {
            changed = changed || m->trial[c] != m->state[c];
            m->state[c] = m->trial[c];
        }
        if (!changed)
            return AM_OK;
    }
    return fail_cycle(m, err);
}

/* Could contact c hold after all, all others doing what they do? `load`: which part of its limit it would bear. */
static am_status could_hold(am_march *m, size_t c, bool *holds, double *load, am_error *err) {
    am_contact_state slips = m->state[c];
    *holds = false;
    if (!m->rest[c] || slips == AM_STICK || m->wish[c] != 0 || !am_contact_drops(&m->system->contact[c]))
        return AM_OK;
    m->state[c] = AM_STICK;
    am_status status = try_state(m, err);
    if (!status) {
        *holds = better(m, c) == AM_STICK;
        *load = fabs(m->tangential[c]) / (m->system->contact[c].static_friction * m->normal[c]);
    }
    m->state[c] = slips;
    return status;
}

/* Static friction above kinetic: the search releases contacts together, of which one may only have been overloaded
 * because another had not begun to slip. A contact at rest slips only if it cannot hold (docs/motion.md, section 5).
 * The one that would bear least of its limit holds again. */
static am_status hold_again(am_march *m, bool *changed, am_error *err) {
    size_t best = m->m;
    double least = INFINITY;
    for (size_t c = 0; c < m->m; c++) {
        bool holds;
        double load = 0.0;
        AM_TRY(could_hold(m, c, &holds, &load, err));
        if (holds && load < least) {
            best = c;
            least = load;
        }
    }
    *changed = best < m->m;
    if (*changed)
        m->state[best] = AM_STICK;
    return try_state(m, err);
}

/* Every contact that holds again may release others, which may hold again: as often as there are contacts. */
static am_status settle_rest(am_march *m, am_error *err) {
    size_t resting = 0;
    for (size_t c = 0; c < m->m; c++)
        resting += m->rest[c];
    memcpy(m->state, m->trial, m->m * sizeof *m->state);
    am_status status = settle_once(m, resting, err);
    bool changed = resting > 0;
    for (size_t again = 0; !status && changed && again < resting; again++) {
        status = hold_again(m, &changed, err);
        if (!status && changed)
            status = settle_once(m, resting, err);
    }
    return status;
}

/* At its limit a slider in a plane slips if it moves along its stretch. */
static void settle_plane(am_march *m, size_t c) {
    double most = most_stretch(m, c, false), length = am_march_plane_length(m, c, m->y);
    if (m->state[c] == AM_STICK && length < most * (1.0 - force_rounding))
        return;
    bool moves = length > 0.0 && am_march_plane_speed(m, c, m->y, m->rate) > 0.0; /* a stretch has to begin first */
    m->state[c] = moves ? AM_FORWARD : AM_STICK;
}

/* Accelerations are known, and are the same whether a slider at its limit slips or sticks: its own velocity decides. A
 * law without stick has no force at rest that would depend on the direction: the acceleration says where it goes. */
static void settle_sliders(am_march *m) {
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        double slide = am_march_slide(m, c, m->y + m->n);
        if (m->state[c] == AM_OPEN)
            continue;
        if (m->kind[c] == AM_MARCH_DRAG && slide == 0.0)
            m->state[c] = slip_state(am_march_slide_rate(m, c, m->rate));
        if (m->kind[c] == AM_MARCH_PLANE)
            settle_plane(m, c);
        if (m->kind[c] != AM_MARCH_SPRING)
            continue;
        double stretch = m->y[m->inner[c]];
        bool slips = m->state[c] != AM_STICK;
        am_contact_state way = slips ? m->state[c] : stretch != 0.0 ? slip_state(stretch) : slip_state(slide);
        double sign = way == AM_FORWARD ? 1.0 : -1.0, most = most_stretch(m, c, !slips);
        if (!slips && (fabs(stretch) < most * (1.0 - force_rounding) || (am_contact_drops(contact) && most > 0.0)))
            continue;
        m->state[c] = am_march_own_velocity(m, c, sign, !slips, m->y, m->rate) > 0.0 ? way : AM_STICK;
    }
}

/* Sliding velocities of sticking contacts become exactly zero: v -= M^-1 t^T W^-1 (t.v - surface velocity). */
static void stop_sticking(am_march *m) {
    double *v = m->y + m->n;
    if (m->sticks == 0)
        return;
    for (size_t a = 0; a < m->sticks; a++)
        m->drive[a] = -am_march_slide(m, m->stick[a], v);
    am_march_solve_sticks(m, m->drive);
    for (size_t a = 0; a < m->sticks; a++)
        for (size_t i = 0; i < m->n; i++)
            v[i] += m->drive[a] * m->Bt[m->stick[a] * m->n + i];
}

/* ---- what has changed ---- */

static am_cause cause_of(const am_march *m, size_t c, am_contact_state from, am_cause cause) {
    bool normal = is_hit(m, c, 0) || is_hit(m, c, 1), friction = is_hit(m, c, 2) || is_hit(m, c, 3);
    if (m->method != AM_MARCH_ADAPTIVE) /* nothing is known but the states at the ends of the step */
        return m->state[c] == AM_OPEN ? AM_CAUSE_LIFT_OFF
               : from == AM_OPEN      ? AM_CAUSE_IMPACT
               : from == AM_STICK     ? AM_CAUSE_SLIP
                                      : AM_CAUSE_STOP;
    if (cause == AM_CAUSE_LOAD)
        return AM_CAUSE_LOAD;
    if (normal && from == AM_OPEN)
        return am_march_depth(m, c, m->y) > 0.0 && !(am_march_approach(m, c, m->y + m->n) > 0.0) ? AM_CAUSE_TOUCH_DOWN
                                                                                                 : AM_CAUSE_IMPACT;
    if (normal)
        return AM_CAUSE_LIFT_OFF;
    if (friction)
        return from == AM_STICK ? AM_CAUSE_SLIP : AM_CAUSE_STOP;
    return AM_CAUSE_FOLLOW;
}

void am_march_list_changes(am_march *m, am_cause cause) {
    m->switches = 0;
    for (size_t c = 0; c < m->m; c++) {
        am_contact_state from = m->span_state[c];
        bool slides = from != AM_OPEN && m->state[c] != AM_OPEN;
        if (m->state[c] == from || (slides && !am_march_rubs(m, c)))
            continue; /* without friction the direction of sliding is no state */
        m->change[m->switches++] = (am_march_switch){.contact = c,
                                                     .from = from,
                                                     .to = m->state[c],
                                                     .cause = cause_of(m, c, from, cause),
                                                     .approach = am_march_approach(m, c, m->y + m->n)};
    }
}

static void arm(am_march *m, bool fresh) {
    for (size_t c = 0; c < m->m; c++)
        for (size_t slot = 0; slot < AM_MARCH_SLOTS; slot++) {
            bool *armed = &m->armed[c * AM_MARCH_SLOTS + slot];
            bool parted = slot < 2 && (is_hit(m, c, 0) || is_hit(m, c, 1)); /* even if it was open before */
            bool kept = !fresh && m->state[c] == m->span_state[c] && *armed && !parted && !is_hit(m, c, slot);
            double value = 0.0;
            bool exists = am_march_quantity(m, c, slot, m->y, &value);
            *armed = exists && (kept || value > 2.0 * am_march_noise(m, c, slot));
        }
}

/* A surface whose velocity jumps leaves behind what stuck to it. */
static bool surfaces_jump(const am_march *m) {
    for (size_t c = 0; c < m->m; c++)
        if (m->state[c] == AM_STICK && m->system->drawn[c] &&
            am_functions_jump(&m->system->contact[c].surface_motion, m->t) != 0.0)
            return true;
    return false;
}

/* The inputs at this instant. Does the velocity of a support jump in it? A damper then pushes at once, or lets go. */
static bool supports_strike(am_march *m) {
    bool strike = false;
    for (size_t c = 0; c < m->m; c++)
        m->drive[c] = am_system_gap_rate(m->system, c, m->z);
    am_system_inputs(m->system, m->t, m->z);
    for (size_t c = 0; c < m->m; c++) {
        double before = m->drive[c], after = am_system_gap_rate(m->system, c, m->z);
        strike = strike || fabs(after - before) > force_rounding * (fabs(before) + fabs(after));
    }
    return strike;
}

am_status am_march_decide(am_march *m, bool fresh, am_cause cause, am_error *err) {
    bool strike = supports_strike(m);
    fresh = fresh || (cause == AM_CAUSE_LOAD && (strike || surfaces_jump(m)));
    for (size_t c = 0; c < m->m; c++)
        if (is_hit(m, c, AM_MARCH_CORNER))
            am_march_find_corners(m, c, true);
        else if (fresh || cause == AM_CAUSE_LOAD) /* velocities may have jumped */
            am_march_find_corners(m, c, false);
    am_status status = decide_normal(m, fresh, err);
    if (!status && fresh)
        status = close_touching(m, err);
    if (status)
        return status;
    decide_sliding(m, fresh);
    AM_TRY(settle_rest(m, err));
    settle_sliders(m);
    stop_sticking(m);
    am_march_rate(m, m->t, m->y, m->rate);
    am_march_list_changes(m, cause);
    arm(m, fresh);
    return AM_OK;
}
