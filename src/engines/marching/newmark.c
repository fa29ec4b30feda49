/* Newmark's average acceleration (gamma 1/2, beta 1/4) with a fixed step and Newton's method in every step: contacts
 * are looked at only at the ends of steps. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/marching/marching.h"
#include "math/dense.h"
#include "math/lu.h"

/* Rounds of Newton's method; from the second number on only one contact at a time may change its state, and from the
 * first on steep friction without stick is approached with care. */
enum { SWIFT = 12, TOGETHER = 40, MOST_ROUNDS = 400 };

static const double newton_rounding = 1e-12, sharing = 1e-10;

/* y at the end of the step from the acceleration there. */
static void advance(const am_march *m, double h, const double *from, const double *a, double *y) {
    for (size_t i = 0; i < m->n; i++) {
        y[i] = from[i] + h * from[m->n + i] + 0.25 * h * h * (m->acceleration[i] + a[i]);
        y[m->n + i] = from[m->n + i] + 0.5 * h * (m->acceleration[i] + a[i]);
    }
}

static void add_outer(double *S, size_t size, const double *column, const double *row, double factor, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            S[i * size + j] += factor * column[i] * row[j];
}

/* Friction that rises steeply from rest and then hardly at all makes Newton's steps jump across rest for ever. The line
 * from rest to the present point is above it in between: its slope leads there from one side. */
static double slope_to_rest(const am_march *m, size_t c, double h, double slide, double N, double force) {
    size_t place = m->inner[c];
    double inner[AM_MARCH_INNER];
    return (force - am_march_friction_ahead(m, c, h, 0.0, N, m->span_y + place, m->inner_rate + place, inner).force) /
           slide;
}

/* Contact c's part of the matrix and of the residual (forces with a minus sign). Its internal variable is eliminated. */
static void add_contact(am_march *m, size_t c, double h, bool careful, const double *y, double *S, size_t size,
                        double *residual) {
    const am_contact_def *contact = &m->system->contact[c];
    size_t n = m->n, nz = m->system->nz, place = m->inner[c];
    double by_depth = 0.0, by_rate = 0.0, slide = am_march_slide(m, c, y + n), inner[AM_MARCH_INNER], N;
    bool compliant = am_contact_is_compliant(contact);
    if (m->state[c] == AM_OPEN)
        return;
    N = compliant ? am_march_normal(m, c, y, &by_depth, &by_rate) : am_dense_dot(m->system->hold + c * nz, m->z, nz);
    m->normal[c] = N;
    am_march_friction f = am_march_friction_ahead(m, c, h, slide, N, m->span_y + place, m->inner_rate + place, inner);
    if (careful && m->kind[c] == AM_MARCH_DRAG && slide != 0.0)
        f.by_slide = fmin(f.by_slide, slope_to_rest(m, c, h, slide, N, f.force));
    for (size_t i = 0; i < n; i++)
        residual[i] -= (compliant ? contact->normal[i] * N : 0.0) + contact->tangent[i] * f.force;
    double slope = 0.25 * h * h * by_depth + 0.5 * h * by_rate; /* dN/da = -slope n */
    for (size_t i = 0; i < n; i++)
        m->row[i] = (compliant ? contact->normal[i] : 0.0) + f.by_normal * contact->tangent[i];
    if (compliant)
        add_outer(S, size, m->row, contact->normal, slope, n);
    if (f.by_slide != 0.0)
        add_outer(S, size, contact->tangent, contact->tangent, -0.5 * h * f.by_slide, n);
    if (!am_march_is_fast(m, c))
        m->tangential[c] = f.force;
    memcpy(m->y + place, inner, m->inners[c] * sizeof *inner);
}

/* Newton's step for (a, T of sticking contacts) in the present states; a is changed. False: singular. */
static bool newton_step(am_march *m, double h, bool careful, double *a, const double *y, double *change) {
    size_t n = m->n, nz = m->system->nz, k = m->sticks, size = n + k;
    double *S = m->square, *r = m->side;
    memset(S, 0, size * size * sizeof *S);
    for (size_t i = 0; i < n; i++) {
        double circulatory = m->A ? am_dense_dot(m->A + i * n, y, n) : 0.0;
        r[i] = am_dense_dot(m->M + i * n, a, n) + am_dense_dot(m->C + i * n, y + n, n) +
               am_dense_dot(m->K + i * n, y, n) + circulatory - am_dense_dot(m->system->input + i * nz, m->z, nz);
        for (size_t j = 0; j < n; j++)
            S[i * size + j] = m->M[i * n + j] + 0.5 * h * m->C[i * n + j] +
                              0.25 * h * h * (m->K[i * n + j] + (m->A ? m->A[i * n + j] : 0.0));
    }
    if (m->g) {
        am_march_springs(m, y, true);
        for (size_t i = 0; i < n; i++) {
            r[i] += m->g[i];
            for (size_t j = 0; j < n; j++)
                S[i * size + j] += 0.25 * h * h * m->gq[i * n + j] + 0.5 * h * m->gv[i * n + j];
        }
    }
    for (size_t c = 0; c < m->m; c++)
        add_contact(m, c, h, careful, y, S, size, r);
    for (size_t s = 0; s < k; s++) {
        const am_contact_def *contact = &m->system->contact[m->stick[s]];
        r[n + s] = 2.0 / h * am_march_slide(m, m->stick[s], y + n);
        /* Contacts that cannot slide independently share their friction: the least bit of compliance decides. */
        S[(n + s) * size + n + s] = -sharing * m->W[m->stick[s] * m->m + m->stick[s]];
        for (size_t i = 0; i < n; i++)
            S[(n + s) * size + i] = S[i * size + n + s] = contact->tangent[i];
    }
    if (!am_lu_factor(S, size, m->order))
        return false;
    am_lu_solve(S, size, m->order, 1, r);
    *change = am_dense_largest(r, n);
    for (size_t i = 0; i < n; i++)
        a[i] -= r[i];
    for (size_t s = 0; s < k; s++)
        m->tangential[m->stick[s]] = r[n + s]; /* found beside the step, not changed by it */
    return true;
}

/* A slider behind a spring sticks where its spring, stretched by all the way of the step, stays within the limit. */
static am_contact_state wanted_slider(const am_march *m, size_t c, double h, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    size_t place = m->inner[c];
    double slide = am_march_slide(m, c, y + m->n),
           pull = contact->tangential_stiffness * (m->span_y[place] + 0.5 * h * (m->inner_rate[place] + slide));
    double N = fmax(m->normal[c], 0.0);
    bool slipped = m->span_state[c] == AM_FORWARD || m->span_state[c] == AM_BACKWARD;
    bool weakens = am_friction_weakens(&contact->weakening); /* as far as it had slid before the step */
    double limit = am_march_coefficient(m, c, !slipped, weakens ? m->span_y : y);
    if (fabs(pull) <= limit * N)
        return AM_STICK;
    return pull > 0.0 ? AM_FORWARD : AM_BACKWARD;
}

/* The state that contact c should have at y. */
static am_contact_state wanted(const am_march *m, size_t c, double h, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    double slide = am_march_slide(m, c, y + m->n);
    bool compliant = am_contact_is_compliant(contact);
    am_contact_state sign = slide >= 0.0 ? AM_FORWARD : AM_BACKWARD;
    if (compliant && !(am_march_depth(m, c, y) > 0.0 && am_march_push(m, c, y) > 0.0))
        return AM_OPEN;
    if (m->kind[c] == AM_MARCH_REGULARISED)
        return fabs(slide) <= contact->regularisation ? AM_STICK : slide > 0.0 ? AM_FORWARD : AM_BACKWARD;
    if (m->system->stop[c])
        return AM_STICK;
    if (m->kind[c] == AM_MARCH_SPRING)
        return m->state[c] == AM_OPEN ? AM_STICK : wanted_slider(m, c, h, y);
    if (m->state[c] == AM_OPEN || m->kind[c] == AM_MARCH_DRAG || !(contact->static_friction > 0.0))
        return sign;
    if (m->state[c] != AM_STICK)
        return sign == m->state[c] ? sign : AM_STICK;
    if (fabs(m->tangential[c]) <= am_march_coefficient(m, c, true, y) * fmax(m->normal[c], 0.0))
        return AM_STICK;
    return m->tangential[c] > 0.0 ? AM_BACKWARD : AM_FORWARD;
}

static bool change_states(am_march *m, double h, const double *y, bool one) {
    bool changed = false;
    for (size_t c = 0; c < m->m; c++)
        m->trial[c] = wanted(m, c, h, y);
    for (size_t c = 0; c < m->m && !(changed && one); c++) {
        changed = changed || m->trial[c] != m->state[c];
        m->state[c] = m->trial[c];
    }
    return changed;
}

static am_status solve_step(am_march *m, double h, const double *from, double *a, am_error *err) {
    double speed = am_dense_largest(m->scale + m->n, m->n);
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        double change = 0.0;
        AM_TRY(am_watch_spend((double)m->n * (double)m->n * (double)m->n, err));
        am_march_list_sticks(m);
        advance(m, h, from, a, m->y);
        if (!newton_step(m, h, round >= SWIFT, a, m->y, &change))
            break;
        advance(m, h, from, a, m->y);
        bool moved = change_states(m, h, m->y, round >= TOGETHER);
        if (!moved && (change <= newton_rounding * am_dense_largest(a, m->n) || h * change <= newton_rounding * speed))
            return AM_OK;
    }
    return am_fail(err, AM_ERR_EVIDENCE, "Newmark's method finds no end of step from t = %.15g: %s; try a smaller step",
                   m->span_start, m->m > 0 ? "contacts change state without end" : "Newton's method does not converge");
}

/* A blow in the step falls at its beginning. */
am_status am_march_blow_within(am_march *m, double end, am_error *err) {
    double t = m->t;
    for (;;) {
        t = am_system_next_break(m->system, t);
        if (!(t <= end))
            return AM_OK;
        am_status status = am_march_blow(m, t, err);
        if (!status)
            status = am_watch_spend(1e2, err);
        if (status || m->blown)
            return status;
    }
}

/* Rates of internal variables as the step begins. A slider that comes to rest in it has moved on with its contact. */
static void begin_inner(am_march *m) {
    am_march_rate(m, m->t, m->y, m->rate);
    memcpy(m->inner_rate, m->rate, m->size * sizeof *m->rate);
    for (size_t c = 0; c < m->m; c++)
        if (m->kind[c] == AM_MARCH_SPRING)
            m->inner_rate[m->inner[c]] = m->state[c] == AM_OPEN ? 0.0 : am_march_slide(m, c, m->y + m->n);
}

/* Contacts that end the step open have not moved inside. */
static void end_inner(am_march *m) {
    for (size_t c = 0; c < m->m; c++)
        if (m->inner[c] > 0 && m->state[c] == AM_OPEN) {
            memcpy(m->y + m->inner[c], m->span_y + m->inner[c], m->inners[c] * sizeof *m->y);
            am_march_forget(m, c);
        }
}

am_status am_march_step_newmark(am_march *m, double until, am_error *err) {
    double end = am_march_step_end(m, until);
    double h = end - m->t, *a = m->rate + m->n;
    AM_TRY(am_march_blow_within(m, end, err));
    memcpy(m->span_y, m->y, m->size * sizeof *m->y);
    if (m->size > 2 * m->n)
        begin_inner(m);
    memcpy(a, m->acceleration, m->n * sizeof *a);
    memset(m->normal, 0, m->m * sizeof *m->normal);
    memset(m->tangential, 0, m->m * sizeof *m->tangential);
    am_system_inputs(m->system, end, m->z);
    AM_TRY(solve_step(m, h, m->span_y, a, err));
    end_inner(m);
    m->t = end;
    memcpy(m->acceleration, a, m->n * sizeof *a);
    bool changed = memcmp(m->state, m->span_state, m->m * sizeof *m->state) != 0;
    AM_TRY(am_march_prepare(m, err));
    am_march_rate(m, end, m->y, m->rate);
    if (changed || m->blown) /* accelerations jump: what the step's own equation says would swing to and fro */
        memcpy(m->acceleration, m->rate + m->n, m->n * sizeof *a);
    return AM_OK;
}
