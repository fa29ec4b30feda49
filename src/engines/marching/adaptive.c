/* Stepping with CVODE. Every step's polynomial is searched for switches: each switching quantity is replaced by the
 * polynomial through its values at Chebyshev points of the step (exact for quantities linear in q and v, whose own
 * degree is at most 8) and its first zero isolated in the Bernstein basis, where a double zero cannot hide between two
 * looks. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/marching/marching.h"
#include "laws/law.h"
#include "math/dense.h"

/* Halvings of a step before a zero counts as isolated. */
enum { DEPTH = 20 };

/* ---- what the integrator asks ---- */

static void rate(void *context, double t, const double *y, double *rate_) {
    am_march_rate(context, t, y, rate_);
}

static void allowed(void *context, const double *y, double *error) {
    const am_march *m = context;
    for (size_t i = 0; i < m->size; i++)
        error[i] = m->tolerance * fmax(fabs(y[i]), m->scale[i]);
    for (size_t c = 0; c < m->m; c++) { /* ages pass through many powers of ten */
        const am_speed_friction *law = &m->system->contact[c].speed_friction;
        for (size_t i = 0; m->kind[c] == AM_MARCH_DRAG && i < m->inners[c]; i++)
            if (!am_law_named(law->law)->memory[i].directed)
                error[m->inner[c] + i] = m->tolerance * fmax(fabs(y[m->inner[c] + i]), DBL_MIN);
    }
}

/* Column j of the derivative of accelerations becomes what sticking contacts leave of it. */
static void project(am_march *m, double *column) {
    size_t n = m->n;
    for (size_t a = 0; a < m->sticks; a++)
        m->drive[a] = -am_dense_dot(m->system->contact[m->stick[a]].tangent, column, n);
    am_march_solve_sticks(m, m->drive);
    for (size_t a = 0; a < m->sticks; a++)
        for (size_t i = 0; i < n; i++)
            column[i] += m->drive[a] * m->Bt[m->stick[a] * n + i];
}

/* The derivatives of contact c's forces and of its internal variable's rate. */
static void add_contact(am_march *m, size_t c, const double *y, double *J) {
    const am_contact_def *contact = &m->system->contact[c];
    size_t n = m->n, size = m->size, inner = m->inner[c], inners = m->inners[c];
    bool compliant = am_contact_is_compliant(contact);
    double by_depth = 0.0, by_rate = 0.0;
    if (m->state[c] == AM_OPEN)
        return;
    if (compliant)
        am_march_normal(m, c, y, &by_depth, &by_rate);
    am_march_friction f = am_march_friction_at(m, c, am_march_slide(m, c, y + n), m->normal[c], y + inner);
    if (m->kind[c] == AM_MARCH_PLANE) {
        am_march_plane_jacobian(m, c, y, J);
        f = (am_march_friction){0};
        inners = 0;
    }
    for (size_t j = 0; j < n; j++) {
        double normal_by_q = -by_depth * contact->normal[j], normal_by_v = -by_rate * contact->normal[j];
        double by_q = f.by_normal * normal_by_q, by_v = f.by_normal * normal_by_v + f.by_slide * contact->tangent[j];
        for (size_t i = 0; i < n; i++) {
            J[n + i + j * size] += m->Bn[c * n + i] * normal_by_q + m->Bt[c * n + i] * by_q;
            J[n + i + (n + j) * size] += m->Bn[c * n + i] * normal_by_v + m->Bt[c * n + i] * by_v;
        }
        for (size_t k = 0; k < inners; k++) {
            J[inner + k + j * size] += f.rate_by_normal[k] * normal_by_q;
            J[inner + k + (n + j) * size] +=
                f.rate_by_normal[k] * normal_by_v + f.rate_by_slide[k] * contact->tangent[j];
        }
    }
    for (size_t k = 0; k < inners; k++) {
        for (size_t i = 0; i < n; i++)
            J[n + i + (inner + k) * size] += m->Bt[c * n + i] * f.by_inner[k];
        for (size_t i = 0; i < inners; i++)
            J[inner + i + (inner + k) * size] += f.rate_by_inner[i][k];
    }
}

static void add_springs(am_march *m, const double *y, double *J) {
    size_t n = m->n, N2 = m->size;
    am_march_springs(m, y, true);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double inverse = m->inverse[i * n + k];
            for (size_t j = 0; inverse != 0.0 && j < n; j++) {
                J[n + i + j * N2] -= inverse * m->gq[k * n + j];
                J[n + i + (n + j) * N2] -= inverse * m->gv[k * n + j];
            }
        }
}

static void jacobian(void *context, double t, const double *y, double *J) {
    am_march *m = context;
    size_t n = m->n, N2 = m->size;
    am_march_rate(m, t, y, m->rate);
    memset(J, 0, N2 * N2 * sizeof *J);
    for (size_t j = 0; j < n; j++) {
        J[j + (n + j) * N2] = 1.0;
        for (size_t i = 0; i < n; i++) {
            J[n + i + j * N2] = m->Aq[i * n + j];
            J[n + i + (n + j) * N2] = m->Av[i * n + j];
        }
    }
    if (m->g)
        add_springs(m, y, J);
    for (size_t c = 0; c < m->m; c++)
        add_contact(m, c, y, J);
    for (size_t j = 0; j < N2 && m->sticks > 0; j++)
        project(m, J + n + j * N2);
}

/* Regularised friction is a strong damper while it sticks, laws without stick are at low speed, and a contact or the
 * structure may have one: a rate of decay well beyond the frequencies is what backward differences are for. Everything else is served better by Adams-Moulton
 * (measured: docs/march.md). */
static bool is_stiff(am_march *m) {
    double decay = 0.0, stiffness = 0.0;
    if (m->lights > 0)
        return true;
    for (size_t i = 0; i < m->n; i++) {
        decay = fmax(decay, am_dense_size(m->Av + i * m->n, m->n));
        stiffness = fmax(stiffness, am_dense_size(m->Aq + i * m->n, m->n));
    }
    if (m->g) { /* polynomial springs: as they are at the start */
        am_march_springs(m, m->y, true);
        for (size_t i = 0; i < m->n; i++) {
            double mobility = am_dense_largest(m->inverse + i * m->n, m->n);
            decay = fmax(decay, mobility * am_dense_size(m->gv + i * m->n, m->n));
            stiffness = fmax(stiffness, mobility * am_dense_size(m->gq + i * m->n, m->n));
        }
    }
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        double mobility = am_dense_dot(contact->normal, m->Bn + c * m->n, m->n);
        if (m->kind[c] == AM_MARCH_REGULARISED || m->kind[c] == AM_MARCH_DRAG)
            return true;
        if (contact->normal_law == AM_KELVIN_VOIGT) {
            decay = fmax(decay, contact->contact_damping * mobility);
            stiffness = fmax(stiffness, contact->contact_stiffness * mobility);
        }
    }
    return decay > 10.0 * sqrt(stiffness);
}

/* Behind a spring a law without stick gives way at any force, ever more easily towards its limit. */
static bool is_steep(const am_march *m) {
    for (size_t c = 0; c < m->m; c++)
        if (m->kind[c] == AM_MARCH_DRAG && am_law_named(m->system->contact[c].speed_friction.law)->alone)
            return true;
    return false;
}

static am_status begin(am_march *m, am_error *err) {
    if (!m->integrator) {
        am_integrator_problem problem = {m->size, is_stiff(m), is_steep(m), m, rate, jacobian, allowed};
        m->integrator = am_integrator_create(&problem, err);
        if (!m->integrator)
            return am_error_status(err);
    }
    return am_integrator_start(m->integrator, m->t, m->y, err);
}

/* ---- the first switch in a step ---- */

typedef struct bracket {
    double from, to; /* of [0, 1] */
} bracket;

/* De Casteljau at 1/2. */
static void split(const double *b, double *left, double *right) {
    size_t k = AM_MARCH_NODES;
    memcpy(right, b, k * sizeof *b);
    for (size_t i = 0; i < k; i++) {
        left[i] = right[0];
        for (size_t j = 0; j + 1 + i < k; j++)
            right[j] = 0.5 * (right[j] + right[j + 1]);
    }
}

/* The first interval in which the polynomial turns negative. All coefficients not negative: it does not. */
static bool first_negative(am_march *m, const double *b, bracket in, int depth, bracket *found) {
    double left[AM_MARCH_NODES], right[AM_MARCH_NODES], middle = 0.5 * (in.from + in.to);
    bool any = false;
    for (size_t i = 0; i < AM_MARCH_NODES; i++)
        any = any || !(b[i] >= 0.0);
    if (!any)
        return false;
    if (b[0] < 0.0 || depth == 0) {
        bool crosses = b[0] < 0.0 || b[AM_MARCH_NODES - 1] < 0.0;
        m->statistics.touches += !crosses;
        *found = b[0] < 0.0 ? (bracket){in.from, in.from} : in;
        return crosses;
    }
    split(b, left, right);
    return first_negative(m, left, (bracket){in.from, middle}, depth - 1, found) ||
           first_negative(m, right, (bracket){middle, in.to}, depth - 1, found);
}

/* A quantity that has not left zero since the last switch is only believed once it is beyond what counts as zero. */
static double shift_of(const am_march *m, size_t c, size_t slot) {
    return m->armed[c * AM_MARCH_SLOTS + slot] ? 0.0 : am_march_noise(m, c, slot);
}

static double shifted_at(am_march *m, size_t c, size_t slot, double t) {
    double value = 0.0, *y = m->nodes; /* the points are no longer needed */
    am_integrator_at(m->integrator, t, y);
    if (slot >= 2 || m->system->contact[c].normal_law == AM_HELD || m->system->lifted[c])
        am_march_rate(m, t, y, m->rate);
    am_march_quantity(m, c, slot, y, &value);
    return value + shift_of(m, c, slot);
}

/* The earliest time in (from, to] at which the quantity is negative, to rounding of time. The polynomial that gave the
 * bracket is only as exact as rounding: the bracket is widened until the quantity itself changes sign in it, or the
 * step has no more to give (it then has only touched zero). */
static bool refine(am_march *m, size_t c, size_t slot, double from, double to, double start, double end, double *when) {
    double width = fmax(to - from, 1e-6 * (end - start)), low = shifted_at(m, c, slot, from);
    double high = shifted_at(m, c, slot, to);
    for (; !(low > 0.0) && from > start; width *= 4.0) {
        from = fmax(start, from - width);
        low = shifted_at(m, c, slot, from);
    }
    for (; !(high <= 0.0) && to < end; width *= 4.0) {
        to = fmin(end, to + width);
        high = shifted_at(m, c, slot, to);
    }
    *when = low > 0.0 ? to : from;
    if (!(high <= 0.0) && low > 0.0)
        return false;
    for (int i = 0; i < 200 && low > 0.0; i++) {
        double middle = 0.5 * (from + to);
        if (i % 3 != 2 && low - high > 0.0)
            middle = from + (to - from) * low / (low - high);
        if (!(middle > from) || !(middle < to))
            middle = 0.5 * (from + to);
        if (!(middle > from) || !(middle < to))
            break;
        double value = shifted_at(m, c, slot, middle);
        if (value > 0.0) {
            from = middle;
            low = value;
        } else {
            to = middle;
            high = value;
        }
    }
    *when = low > 0.0 ? to : from;
    return true;
}

/* Values of all quantities at the points of the step; INFINITY at the first: there is none. */
static void sample_quantities(am_march *m, double start, double end) {
    size_t N2 = m->size;
    bool forces =
        m->sticks > 0; /* only reserves of friction, sliders' velocities, given forces and supports need them */
    for (size_t c = 0; c < m->m; c++)
        forces = forces || m->system->contact[c].normal_law == AM_HELD || m->kind[c] == AM_MARCH_SPRING ||
                 m->system->lifted[c];
    for (size_t k = 0; k < AM_MARCH_NODES; k++) {
        double t = start + (end - start) * m->node_at[k], *y = m->nodes + k * N2;
        if (k + 1 == AM_MARCH_NODES)
            t = end;
        am_integrator_at(m->integrator, t, y);
        if (forces)
            am_march_rate(m, t, y, m->rate);
        for (size_t c = 0; c < m->m; c++)
            for (size_t slot = 0; slot < AM_MARCH_SLOTS; slot++) {
                double *value = m->value + (c * AM_MARCH_SLOTS + slot) * AM_MARCH_NODES;
                if ((k > 0 && isinf(value[0])) || !am_march_quantity(m, c, slot, y, &value[k]))
                    value[k] = INFINITY;
            }
    }
}

/* Isolated zeros of all quantities; the earliest end of their brackets gives the switch. */
static bool find_switch(am_march *m, double start, double end, double *when) {
    bool any = false;
    *when = end;
    sample_quantities(m, start, end);
    for (size_t c = 0; c < m->m; c++)
        for (size_t slot = 0; slot < AM_MARCH_SLOTS; slot++) {
            const double *value = m->value + (c * AM_MARCH_SLOTS + slot) * AM_MARCH_NODES;
            double b[AM_MARCH_NODES], shift = shift_of(m, c, slot);
            bracket found;
            if (isinf(value[0]))
                continue;
            am_dense_apply(m->to_bernstein, AM_MARCH_NODES, AM_MARCH_NODES, value, b);
            for (size_t i = 0; i < AM_MARCH_NODES; i++)
                b[i] += shift;
            if (!first_negative(m, b, (bracket){0.0, 1.0}, DEPTH, &found))
                continue;
            double from = start + (end - start) * found.from, to = start + (end - start) * found.to;
            double t;
            if (!refine(m, c, slot, from, fmin(to, end), start, end, &t)) {
                m->statistics.touches++;
                continue;
            }
            if (!any || t < *when)
                *when = t;
            any = true;
            m->hit[c * AM_MARCH_SLOTS + slot] = true; /* a candidate: the earliest stand */
            m->value[(c * AM_MARCH_SLOTS + slot) * AM_MARCH_NODES] = t;
        }
    return any;
}

/* Those of the quantities found that have turned negative by the time of the first. */
static void select_first(am_march *m, double when) {
    for (size_t i = 0; i < m->m * AM_MARCH_SLOTS; i++)
        m->hit[i] = m->hit[i] && m->value[i * AM_MARCH_NODES] <= when;
}

/* ---- one step ---- */

static void clear_hits(am_march *m) {
    memset(m->hit, 0, m->m * AM_MARCH_SLOTS * sizeof *m->hit);
}

static void arm_more(am_march *m) {
    for (size_t c = 0; c < m->m; c++)
        for (size_t slot = 0; slot < AM_MARCH_SLOTS; slot++) {
            bool *armed = &m->armed[c * AM_MARCH_SLOTS + slot];
            double value;
            if (!*armed && m->system->contact[c].normal_law == AM_HELD && slot == 0)
                continue;
            if (!*armed && am_march_quantity(m, c, slot, m->y, &value))
                *armed = value > 2.0 * am_march_noise(m, c, slot);
        }
}

/* The last time that is not yet that of the break: within rounding of it inputs are those after it. */
static double just_before(const am_march *m, double next) {
    double back = DBL_EPSILON * fabs(next);
    while (am_system_next_break(m->system, next - back) > next)
        back *= 2.0;
    return next - back;
}

am_status am_march_step_adaptive(am_march *m, double until, am_error *err) {
    double next = am_system_next_break(m->system, m->t), stop = fmin(until, next), end = m->t, when;
    bool breaks = next <= until;
    m->last_moment = breaks ? just_before(m, next) : INFINITY;
    if (m->restart && stop - m->t <= 16.0 * DBL_EPSILON * fmax(fabs(stop), fabs(m->t))) {
        m->hop = true; /* too short to begin: a switch just before a break or the end */
        m->t = stop;
        m->pending = breaks ? AM_MARCH_BREAK : AM_MARCH_NOTHING;
        return AM_OK;
    }
    AM_TRY(m->restart ? begin(m, err) : AM_OK);
    AM_TRY(am_integrator_step(m->integrator, stop, &end, err));
    m->restart = false;
    clear_hits(m);
    if (find_switch(m, m->t, end, &when)) {
        select_first(m, when);
        m->pending = AM_MARCH_SWITCH;
        end = when;
    } else if (breaks && end >= stop) {
        m->pending = AM_MARCH_BREAK;
    }
    m->t = end;
    am_integrator_at(m->integrator, end, m->y);
    am_march_rate(m, end, m->y, m->rate);
    if (m->pending != AM_MARCH_SWITCH)
        arm_more(m);
    return AM_OK;
}
