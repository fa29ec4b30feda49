/* What happens at a switch: the next states of contact, and what the switch does to neighbouring motions. Normal forces
 * follow from the state, so that there is no choice in them; rigid contacts at rest share one box-constrained problem
 * with a unique solution (docs/piecewise.md, section 3). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/piecewise/engine.h"
#include "math/dense.h"

/* Values below this part of their terms cannot be told from zero. */
static const double rounding = 1e-12;

static double along(const am_piecewise *e, const double *direction, const double *x) {
    return am_dense_dot(direction, x, e->n);
}

static double depth(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    return -(along(e, contact->normal, e->x) + contact->gap);
}

/* What would push if the contact were closed. */
static double push(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    if (contact->normal_law == AM_HELD)
        return am_dense_dot(e->system->hold + c * e->nz, e->z, e->nz);
    return contact->contact_stiffness * depth(e, c) - contact->contact_damping * along(e, contact->normal, e->x + e->n);
}

static double sliding(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    return along(e, contact->tangent, e->x + e->n) - contact->surface_velocity;
}

static double *slider(const am_piecewise *e, size_t c) {
    return e->x + 2 * e->n + e->slider[c];
}

/* Force of the spring in front of a slider that sticks. */
static double spring_force(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    return -contact->tangential_stiffness * (along(e, contact->tangent, e->x) - *slider(e, c));
}

/* ---- rigid contacts at rest ---- */

static double known_friction(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    if (e->rubbing[c] == AM_RUBS_NOT || !am_piece_closed(e->state[c]))
        return 0.0;
    if (e->state[c] != AM_PIECE_HOLDS)
        return -am_piece_sign(e->state[c]) * contact->friction * push(e, c);
    return e->rubbing[c] == AM_RUBS_SLIDER ? spring_force(e, c)
           : e->rubbing[c] == AM_RUBS_SMOOTHED
               ? -contact->friction * push(e, c) * sliding(e, c) / contact->regularisation
               : 0.0;
}

/* q'' with the rigid contacts at rest free: n, into e->rate. */
static double *free_acceleration(am_piecewise *e) {
    size_t n = e->n;
    double *a = e->rate;
    am_dense_apply(e->Aq, n, n, e->x, a);
    am_dense_add(e->Av, n, n, e->x + n, a);
    am_dense_add(e->Bz, n, e->nz, e->z, a);
    for (size_t c = 0; c < e->m; c++) {
        bool pushes = e->system->contact[c].normal_law != AM_HELD && am_piece_closed(e->state[c]);
        double N = pushes ? push(e, c) : 0.0, T = known_friction(e, c);
        for (size_t i = 0; i < n && (N != 0.0 || T != 0.0); i++)
            a[i] += e->Bn[c * n + i] * N + e->Bt[c * n + i] * T;
    }
    return a;
}

static bool rests(const am_piecewise *e, size_t c) {
    return e->rubbing[c] == AM_RUBS_RIGID && e->state[c] == AM_PIECE_HOLDS;
}

/* Friction that makes T.W T/2 + b.T least in the box |T| <= mu N, by sweeps over the contacts (Gauss and Seidel); W is
 * positive definite, so that they converge to the one solution. A force strictly inside its bounds sticks. */
static am_status settle_rigid(am_piecewise *e, am_error *err) {
    enum { MOST_SWEEPS = 20000 };
    size_t m = e->m, resting = 0;
    for (size_t c = 0; c < m; c++)
        resting += rests(e, c);
    if (resting == 0)
        return AM_OK;
    double *T = am_memory_new(2 * m, sizeof *T, err), *b = T + m;
    if (!T)
        return AM_ERR_MEMORY;
    const double *a = free_acceleration(e);
    for (size_t c = 0; c < m; c++)
        b[c] = along(e, e->system->contact[c].tangent, a);
    bool moves = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && moves; sweep++) {
        moves = false;
        for (size_t c = 0; c < m; c++) {
            if (!rests(e, c))
                continue;
            double w = b[c], most = e->system->contact[c].friction * fmax(push(e, c), 0.0);
            for (size_t d = 0; d < m; d++)
                w += rests(e, d) ? e->W[c * m + d] * T[d] : 0.0;
            double next = fmax(-most, fmin(most, T[c] - w / e->W[c * m + c]));
            moves = moves || fabs(next - T[c]) > 1e-15 * (fabs(next) + most);
            T[c] = next;
        }
    }
    for (size_t c = 0; c < m; c++) { /* T > 0 resists backward slip */
        double most = e->system->contact[c].friction * fmax(push(e, c), 0.0);
        bool at_limit = rests(e, c) && fabs(T[c]) >= most * (1.0 - 1e-13);
        b[c] = at_limit ? (T[c] > 0.0 || (most == 0.0 && b[c] < 0.0) ? -1.0 : 1.0) : 0.0;
    }
    for (size_t c = 0; c < m; c++)
        if (b[c] != 0.0)
            e->state[c] = b[c] > 0.0 ? AM_PIECE_FORWARD : AM_PIECE_BACKWARD;
    am_memory_free(T);
    return moves
               ? am_fail(err, AM_ERR_LIMIT, "the friction forces of contacts at rest were not found at t = %.15g", e->t)
               : AM_OK;
}

/* Velocities of rigid contacts that stick are zero to the last bit: v -= M^-1 t W^-1 (t.v - surface), one contact after
 * the other until nothing moves (they are few, and nearly at rest already). With S the same is done to its columns. */
static void project_rest(am_piecewise *e, double *v, size_t columns, bool derivative) {
    for (int pass = 0; pass < 100; pass++) {
        double largest = 0.0;
        for (size_t c = 0; c < e->m; c++) {
            if (!rests(e, c))
                continue;
            const double *t = e->system->contact[c].tangent;
            for (size_t j = 0; j < columns; j++) {
                double speed = derivative ? 0.0 : -e->system->contact[c].surface_velocity, size = fabs(speed);
                for (size_t i = 0; i < e->n; i++) {
                    speed += t[i] * v[i * columns + j];
                    size += fabs(t[i] * v[i * columns + j]);
                }
                for (size_t i = 0; i < e->n; i++)
                    v[i * columns + j] -= e->Bt[c * e->n + i] * speed / e->W[c * e->m + c];
                largest = fmax(largest, size > 0.0 ? fabs(speed) / size : 0.0);
            }
        }
        if (!(largest > 1e-14))
            return;
    }
}

/* ---- states of one contact ---- */

/* A slider whose contact has just closed, its spring relaxed: where the limit grows from zero it may be slower than the
 * spring's force, mu N' < k_t |t.q'|, and slip begins at once. */
static am_piece close_slider(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    double speed = along(e, contact->tangent, e->x + e->n);
    double grows = -contact->friction * contact->contact_stiffness * along(e, contact->normal, e->x + e->n);
    bool limited = contact->contact_damping > 0.0 || contact->normal_law == AM_HELD;
    if (limited || !(contact->tangential_stiffness * fabs(speed) > grows))
        return AM_PIECE_HOLDS;
    return speed > 0.0 ? AM_PIECE_FORWARD : AM_PIECE_BACKWARD;
}

static am_piece by_speed(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    double speed = sliding(e, c), size = fabs(contact->surface_velocity);
    for (size_t i = 0; i < e->n; i++)
        size += fabs(contact->tangent[i]) * e->size / e->weight[e->n + i];
    double least = e->rubbing[c] == AM_RUBS_SMOOTHED ? contact->regularisation : rounding * size;
    return fabs(speed) <= least ? AM_PIECE_HOLDS : speed > 0.0 ? AM_PIECE_FORWARD : AM_PIECE_BACKWARD;
}

static am_piece closed_state(const am_piecewise *e, size_t c) {
    switch (e->rubbing[c]) {
    case AM_RUBS_NOT:
        break;
    case AM_RUBS_SLIDER:
        return close_slider(e, c);
    case AM_RUBS_RIGID:
    case AM_RUBS_SMOOTHED:
        return by_speed(e, c);
    }
    return AM_PIECE_HOLDS;
}

static am_piece open_state(const am_piecewise *e, size_t c) {
    bool damped = e->system->contact[c].contact_damping > 0.0;
    return damped && depth(e, c) > 0.0 ? AM_PIECE_OVERLAP : AM_PIECE_APART;
}

static am_piece next_state(const am_piecewise *e, const am_bound *trigger) {
    size_t c = trigger->contact;
    switch (trigger->kind) {
    case AM_BOUND_GAP:
    case AM_BOUND_RECOVER:
        return closed_state(e, c);
    case AM_BOUND_DEPTH:
        return AM_PIECE_APART;
    case AM_BOUND_PUSH:
        return open_state(e, c);
    case AM_BOUND_UPPER: /* T > mu N, or a sliding velocity beyond the one that saturates */
        return e->rubbing[c] == AM_RUBS_SMOOTHED ? AM_PIECE_FORWARD : AM_PIECE_BACKWARD;
    case AM_BOUND_LOWER:
        return e->rubbing[c] == AM_RUBS_SMOOTHED ? AM_PIECE_BACKWARD : AM_PIECE_FORWARD;
    case AM_BOUND_SLIDE:
        break;
    }
    return AM_PIECE_HOLDS;
}

/* ---- neighbouring motions ---- */

am_status am_piece_catch_up(am_piecewise *e, am_error *err) {
    double length = e->t - e->piece_start;
    e->piece_start = e->t;
    return e->derivative && length > 0.0 ? am_propagator_apply(e->flow->propagator, length, e->S, e->nd, e->matrix, err)
                                         : AM_OK;
}

static void add_outer(const am_piecewise *e, double factor, const double *column, const double *row) {
    for (size_t i = 0; i < e->nd; i++)
        for (size_t j = 0; j < e->nd; j++)
            e->S[i * e->nd + j] += factor * column[i] * row[j];
}

/* How much earlier or later neighbours switch: -(c S)/(c x'). Into e->row. */
static am_status write_shift(am_piecewise *e, const am_bound *trigger, am_error *err) {
    size_t nd = e->nd;
    double speed = am_piece_dot(e, trigger->rate);
    memset(e->row, 0, nd * sizeof *e->row);
    for (size_t i = 0; i < nd; i++)
        for (size_t j = 0; trigger->row[i] != 0.0 && j < nd; j++)
            e->row[j] -= trigger->row[i] * e->S[i * nd + j];
    for (size_t j = 0; j < nd; j++)
        e->row[j] /= speed;
    return speed != 0.0 ? AM_OK
                        : am_fail(err, AM_ERR_LIMIT,
                                  "a contact switches without passing its limit at t = %.15g (it grazes): its "
                                  "neighbours cannot be judged",
                                  e->t);
}

/* A slider that comes to rest at the end of slip (its spring at the limit), or with a contact that closes (relaxed). */
static void rest_slider(am_piecewise *e, const am_piece_flow *before, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    size_t n = e->n, nd = e->nd, at = 2 * n + e->slider[c];
    const double *N = before->normal + c * e->nx;
    double lag = am_piece_sign(before->state[c]) * contact->friction / contact->tangential_stiffness;
    e->x[at] = along(e, contact->tangent, e->x) - lag * am_piece_dot(e, N);
    if (!e->derivative)
        return;
    double *row = e->S + at * nd, drift = 0.0;
    memset(row, 0, nd * sizeof *row);
    for (size_t i = 0; i < nd; i++) {
        double factor = (i < n ? contact->tangent[i] : 0.0) - lag * N[i];
        for (size_t j = 0; factor != 0.0 && j < nd; j++)
            row[j] += factor * e->S[i * nd + j];
    }
    for (size_t i = 0; i < e->nz; i++)
        for (size_t j = 0; N[nd + i] != 0.0 && j < e->nz; j++)
            drift -= lag * N[nd + i] * e->G[i * e->nz + j] * e->z[j];
    for (size_t j = 0; j < nd; j++)
        row[j] += drift * e->row[j];
}

/* Sliders of contacts that changed: those that begin to move, or whose contact opens, are forgotten. */
static void reset_sliders(am_piecewise *e, const am_piece_flow *before) {
    for (size_t c = 0; c < e->m; c++) {
        if (e->slider[c] == AM_NO_SLIDER || e->state[c] == before->state[c])
            continue;
        if (e->state[c] == AM_PIECE_HOLDS) {
            rest_slider(e, before, c);
            continue;
        }
        *slider(e, c) = 0.0;
        memset(e->S + (2 * e->n + e->slider[c]) * e->nd, 0, e->nd * sizeof *e->S);
    }
}

/* ---- the switch ---- */

/* A bound of a contact that has just come into its state begins at zero where the old one ended; slip of a rigid
 * contact begins without acceleration, and the reserve of a slider that comes to rest without a rate. */
static bool begins_slowly(const am_piecewise *e, const am_bound *bound, const am_bound *trigger) {
    size_t c = bound->contact;
    if (!trigger || trigger->contact != c)
        return false;
    if (e->rubbing[c] == AM_RUBS_RIGID)
        return bound->kind == AM_BOUND_SLIDE && (trigger->kind == AM_BOUND_UPPER || trigger->kind == AM_BOUND_LOWER);
    return e->rubbing[c] == AM_RUBS_SLIDER && trigger->kind == AM_BOUND_SLIDE &&
           (bound->kind == AM_BOUND_UPPER || bound->kind == AM_BOUND_LOWER);
}

static void disarm(am_piecewise *e, const am_piece_flow *before, const am_bound *trigger) {
    for (size_t b = 0; b < e->flow->bounds; b++) {
        const am_bound *bound = &e->flow->bound[b];
        size_t c = bound->contact;
        e->value[b] = am_piece_dot(e, bound->row);
        e->slope[b] = am_piece_dot(e, bound->rate);
        bool new = e->flow->state[c] != before->state[c] || (trigger && trigger->contact == c);
        e->disarmed[b] = fabs(e->value[b]) <= (new ? 1e-9 : rounding) * am_piece_scale(e, bound);
        bool slow = begins_slowly(e, bound, trigger) || fabs(e->slope[b]) <= rounding * am_piece_rate_scale(e, bound);
        e->zeros[b] = !e->disarmed[b] ? 0 : slow ? 2 : 1;
    }
}

/* Accelerations that jump may stop sliders at once. True if one was stopped. */
static bool stop_sliders(am_piecewise *e, const am_bound *trigger) {
    bool any = false;
    for (size_t b = 0; b < e->flow->bounds; b++) {
        const am_bound *bound = &e->flow->bound[b];
        size_t c = bound->contact;
        if (bound->kind != AM_BOUND_SLIDE || e->rubbing[c] != AM_RUBS_SLIDER || (trigger && trigger->contact == c))
            continue;
        if (am_piece_dot(e, bound->row) < -1e-9 * am_piece_scale(e, bound)) {
            e->state[c] = AM_PIECE_HOLDS;
            any = true;
        }
    }
    return any;
}

/* The flow of the present states, in which no slider is stopped any more. */
static am_status enter_flow(am_piecewise *e, const am_bound *trigger, am_error *err) {
    e->flow = am_piece_flow_get(e, err);
    while (e->flow && stop_sliders(e, trigger)) {
        reset_sliders(e, e->flow);
        e->flow = am_piece_flow_get(e, err);
    }
    return e->flow ? AM_OK : am_error_status(err);
}

am_status am_piece_switch(am_piecewise *e, const am_bound *trigger, am_error *err) {
    const am_piece_flow *before = e->flow;
    AM_TRY(am_piece_catch_up(e, err));
    memset(e->row, 0, e->nd * sizeof *e->row);
    if (e->derivative && trigger) {
        AM_TRY(write_shift(e, trigger, err));
        am_piece_rate(e, before, e->rate_before);
        add_outer(e, 1.0, e->rate_before, e->row);
    }
    if (trigger)
        e->state[trigger->contact] = next_state(e, trigger);
    AM_TRY(settle_rigid(e, err));
    reset_sliders(e, before);
    project_rest(e, e->x + e->n, 1, false);
    AM_TRY(enter_flow(e, trigger, err));
    if (e->derivative && trigger) {
        am_piece_rate(e, e->flow, e->rate);
        add_outer(e, -1.0, e->rate, e->row);
    }
    for (size_t c = 0; c < e->m; c++)
        e->held_on[c] = e->held_on[c] && e->state[c] == AM_PIECE_HOLDS;
    e->switches += trigger != NULL;
    disarm(e, before, trigger);
    return AM_OK;
}

/* ---- the start ---- */

/* A state that was taken over from an earlier motion must fit the present x. */
static am_piece starting_state(const am_piecewise *e, size_t c) {
    const am_contact_def *contact = &e->system->contact[c];
    am_piece old = e->state[c];
    bool held = contact->normal_law == AM_HELD, closed = held || (depth(e, c) > 0.0 && push(e, c) > 0.0);
    if (!closed)
        return open_state(e, c);
    if (e->rubbing[c] == AM_RUBS_NOT)
        return AM_PIECE_HOLDS;
    if (e->rubbing[c] == AM_RUBS_SLIDER) {
        double T = spring_force(e, c), most = contact->friction * push(e, c);
        if (am_piece_sign(old) != 0.0)
            return old;
        return fabs(T) < most * (1.0 - 1e-12) ? AM_PIECE_HOLDS : T < 0.0 ? AM_PIECE_FORWARD : AM_PIECE_BACKWARD;
    }
    return e->rubbing[c] == AM_RUBS_RIGID && old == AM_PIECE_HOLDS ? old : by_speed(e, c);
}

/* The derivative begins as the identity, without what is forgotten or held at rest. */
static void begin_derivative(am_piecewise *e) {
    size_t nd = e->nd;
    memset(e->S, 0, nd * nd * sizeof *e->S);
    for (size_t i = 0; i < nd; i++)
        e->S[i * nd + i] = 1.0;
    for (size_t c = 0; c < e->m; c++)
        if (e->slider[c] != AM_NO_SLIDER && e->state[c] != AM_PIECE_HOLDS)
            e->S[(2 * e->n + e->slider[c]) * (nd + 1)] = 0.0;
    project_rest(e, e->S + e->n * nd, nd, true);
}

am_status am_piece_begin(am_piecewise *e, am_error *err) {
    for (size_t c = 0; c < e->m; c++)
        e->state[c] = starting_state(e, c);
    project_rest(e, e->x + e->n, 1, false);
    AM_TRY(settle_rigid(e, err));
    for (size_t c = 0; c < e->m; c++) {
        if (e->slider[c] != AM_NO_SLIDER && e->state[c] != AM_PIECE_HOLDS)
            *slider(e, c) = 0.0;
        e->held_on[c] = e->state[c] == AM_PIECE_HOLDS;
    }
    bool derivative = e->derivative;
    e->derivative = false;
    AM_TRY(enter_flow(e, NULL, err));
    e->derivative = derivative;
    if (e->derivative)
        begin_derivative(e);
    disarm(e, e->flow, NULL);
    return AM_OK;
}
