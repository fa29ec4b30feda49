/* One step of `march`, by whichever method: what is common to all. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "engines/marching/marching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/lu.h"
#include "system/generator.h"

/* The size of a quantity that has not moved yet: this part of the largest of its kind. */
static const double least_scale = 1e-6;

/* ---- sizes, in which errors are measured ---- */

/* The fastest time of the structure with its contacts, roughly. */
static double shortest_time(const am_march *m) {
    double most = 0.0;
    if (m->lights > 0)
        return 1.0 / m->pace;
    for (size_t i = 0; i < m->n; i++)
        most = fmax(most, am_dense_size(m->Aq + i * m->n, m->n));
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        if (am_contact_is_compliant(contact))
            most = fmax(most, contact->contact_stiffness * am_dense_dot(contact->normal, m->Bn + c * m->n, m->n));
    }
    return most > 0.0 ? 1.0 / sqrt(most) : 1.0;
}

static void raise_small(double *scale, size_t n) {
    double most = am_dense_largest(scale, n);
    for (size_t i = 0; i < n; i++)
        scale[i] = most > 0.0 ? fmax(scale[i], least_scale * most) : 1.0;
}

/* Where nothing moves, nor begins to: what loads that pass through zero will do. A generator's state does not pass through
 * zero with its function. */
static void scales_of_loads(am_march *m, double time) {
    const am_system *s = m->system;
    for (size_t l = 0; l < s->loads; l++) {
        size_t first = s->load_start[l], size = am_generator_size(&s->load[l].function);
        double state = am_dense_largest(m->z + first, size);
        for (size_t i = 0; i < m->n; i++) {
            double a = state * am_dense_largest(m->Bz + i * s->nz + first, size);
            double v = a * (m->light[i] ? m->settling[i] : time);
            m->scale[i] = fmax(m->scale[i], v * time);
            m->scale[m->n + i] = fmax(m->scale[m->n + i], v);
        }
    }
}

/* Coordinates that springs determine leap to their place. */
static void scale_leaps(am_march *m) {
    for (size_t i = 0; i < m->n && m->lights > 0; i++)
        if (m->reach[i] > 0.0)
            m->scale[m->n + i] = m->reach[i] * m->scale[i];
}

static void first_scales(am_march *m) {
    double time = shortest_time(m);
    for (size_t i = 0; i < m->n; i++) {
        double v = fabs(m->rate[m->n + i]) * (m->light[i] ? m->settling[i] : time);
        m->scale[i] = fmax(m->scale[i], fmax(fabs(m->y[i]), v * time));
        m->scale[m->n + i] = fmax(m->scale[m->n + i], fmax(fabs(m->y[m->n + i]), v));
    }
    if (am_dense_largest(m->scale, 2 * m->n) == 0.0)
        scales_of_loads(m, time);
    raise_small(m->scale, m->n);
    raise_small(m->scale + m->n, m->n);
    scale_leaps(m);
    for (size_t c = 0; c < m->m; c++) /* stretches and deflections are ways along the tangent */
        if (m->inner[c] > 0) {
            double way = 0.0;
            for (size_t i = 0; i < m->n; i++)
                way += fabs(m->system->contact[c].tangent[i]) * m->scale[i];
            for (size_t i = m->inner[c]; i < m->inner[c] + m->inners[c]; i++)
                m->scale[i] = fmax(fabs(m->y[i]), least_scale * way);
            if (m->kind[c] == AM_MARCH_PLANE)
                m->scale[m->inner[c] + 1] = m->scale[m->inner[c]];
        }
}

static void grow_scales(am_march *m) {
    for (size_t i = 0; i < m->size; i++)
        m->scale[i] = fmax(m->scale[i], fabs(m->y[i]));
    scale_leaps(m);
    for (size_t c = 0; c < m->m; c++)
        m->force[c] = fmax(m->force[c], m->system->contact[c].static_friction * fabs(m->normal[c]));
}

/* ---- stepping ---- */

am_status am_march_start(am_march *m, double t, const double *y, bool steady, am_error *err) {
    m->t = m->span_start = m->start = t;
    m->last_moment = INFINITY;
    memcpy(m->y, y, 2 * m->n * sizeof *y);
    memset(m->hit, 0, m->m * AM_MARCH_SLOTS * sizeof *m->hit);
    memset(m->scale, 0, m->size * sizeof *m->scale);
    am_system_inputs(m->system, t, m->z);
    am_march_start_inner(m, steady);
    for (size_t c = 0; c < m->m; c++)
        m->state[c] = AM_OPEN;
    if (am_system_blow(m->system, t, m->row))
        return am_fail(err, AM_ERR_INPUT, "a blow falls at the very start, t = %.15g: begin a little earlier", t);
    am_march_prepare(m, err);
    am_march_rate(m, t, m->y, m->rate);
    first_scales(m);
    if (m->impulses) { /* states follow from the first step */
        memcpy(m->span_state, m->state, m->m * sizeof *m->state);
        return AM_OK;
    }
    AM_TRY(am_march_decide(m, true, AM_CAUSE_LOAD, err));
    first_scales(m);
    memcpy(m->span_state, m->state, m->m * sizeof *m->state);
    memcpy(m->acceleration, m->rate + m->n, m->n * sizeof *m->acceleration);
    m->switches = 0;
    m->restart = true;
    m->relaxed = 0.0; /* nothing was stored before the start */
    return AM_OK;
}

am_status am_march_blow(am_march *m, double t, am_error *err) {
    size_t n = m->n;
    m->blown = am_system_blow(m->system, t, m->row);
    if (!m->blown)
        return AM_OK;
    memcpy(m->before, m->y + n, n * sizeof *m->before);
    memcpy(m->square, m->M, n * n * sizeof *m->square);
    for (size_t i = 0; i < n; i++) /* those without mass take no blow */
        m->square[i * (n + 1)] = m->light[i] ? 1.0 : m->square[i * (n + 1)];
    if (!am_lu_factor(m->square, n, m->order))
        return am_fail(err, AM_ERR_UNSUPPORTED, "the mass matrix is singular");
    am_lu_solve(m->square, n, m->order, 1, m->row);
    for (size_t i = 0; i < n; i++)
        m->y[n + i] += m->row[i];
    return AM_OK;
}

/* A corner of a law is passed without an event. */
static bool is_event(const am_march *m) {
    for (size_t i = 0; i < m->m * AM_MARCH_SLOTS; i++)
        if (m->hit[i] && i % AM_MARCH_SLOTS != AM_MARCH_CORNER)
            return true;
    return false;
}

am_status am_march_settle(am_march *m, am_error *err) {
    am_status status = AM_OK;
    if (m->method != AM_MARCH_ADAPTIVE) {
        am_march_list_changes(m, AM_CAUSE_FOLLOW);
        if (m->impulses && m->statistics.steps == 1)
            m->switches = 0; /* the states of the start, which only the first step tells */
        m->statistics.events += m->switches > 0;
        return AM_OK;
    }
    if (m->pending == AM_MARCH_NOTHING)
        return AM_OK;
    m->last_moment = INFINITY;
    m->restart = true;
    if (m->pending == AM_MARCH_SWITCH) {
        m->statistics.events += is_event(m);
        return am_march_decide(m, false, AM_CAUSE_FOLLOW, err);
    }
    memset(m->hit, 0, m->m * AM_MARCH_SLOTS * sizeof *m->hit);
    status = am_march_blow(m, m->t, err);
    if (!status)
        status = am_march_decide(m, m->blown, AM_CAUSE_LOAD, err);
    m->statistics.events += !status && m->switches > 0;
    return status;
}

double am_march_step_end(const am_march *m, double until) {
    double end = m->start + (double)(m->statistics.steps + 1) * m->step;
    return end > until - 1e-9 * m->step ? until : end;
}

/* Where the law of a slider behind a spring has no value at rest, a spring that is relaxed stays so while the bodies go more
 * slowly than the slider would on either side. */
static am_status check_at_rest(const am_march *m, am_error *err) {
    for (size_t c = 0; c < m->m; c++) {
        const am_speed_friction *use = &m->system->contact[c].speed_friction;
        if (!m->leaps[c] || m->state[c] == AM_OPEN)
            continue;
        double w[AM_MARCH_INNER] = {0.0}, N = fmax(m->normal[c], am_march_least_normal(m, c));
        memcpy(w + 1, m->y + m->inner[c] + 1, (m->inners[c] - 1) * sizeof *w);
        bool relaxed = fabs(m->y[m->inner[c]]) <= m->tolerance * m->scale[m->inner[c]];
        if (relaxed && am_law_drag_at(use, fabs(am_march_slide(m, c, m->y + m->n)), N, w).rate[0].value < 0.0)
            return am_fail(err, AM_ERR_LIMIT,
                           "at t = %.15g the spring of contact '%s' is relaxed and its bodies hardly slide, where its "
                           "friction (law %s) has no value: %s",
                           m->t, m->system->contact[c].name, am_law_named(use->law)->alone->name,
                           am_law_named(use->law)->alone->not_at_rest);
    }
    return AM_OK;
}

am_status am_march_step(am_march *m, double until, am_error *err) {
    m->span_start = m->t;
    m->switches = 0;
    m->blown = m->hop = false;
    m->pending = AM_MARCH_NOTHING;
    memcpy(m->span_state, m->state, m->m * sizeof *m->state);
    memcpy(m->span_y, m->y, m->size * sizeof *m->y);
    AM_TRY(am_watch_spend(10.0 * (double)(m->n + m->m) * (double)(m->n + m->m), err));
    AM_TRY(m->method == AM_MARCH_ADAPTIVE  ? am_march_step_adaptive(m, until, err)
           : m->method == AM_MARCH_NEWMARK ? am_march_step_newmark(m, until, err)
                                           : am_march_step_moreau(m, until, err));
    m->statistics.steps++;
    for (size_t i = 0; i < m->size; i++)
        if (!isfinite(m->y[i]))
            return am_fail(err, AM_ERR_EVIDENCE, "the motion grows beyond all numbers at t = %.15g", m->t);
    grow_scales(m);
    return check_at_rest(m, err);
}

/* Average acceleration: q quadratic and v linear in a step, as what moves inside of contacts. */
static void interpolate(const am_march *m, double t, double *y) {
    double h = m->t - m->span_start, s = h > 0.0 ? (t - m->span_start) / h : 1.0;
    for (size_t i = 0; i < m->n; i++) {
        double v1 = m->y[m->n + i], v0 = m->light[i] ? v1 : m->span_y[m->n + i];
        y[i] = m->span_y[i] + (m->y[i] - m->span_y[i]) * s - 0.5 * h * s * (1.0 - s) * (v1 - v0);
        y[m->n + i] = v0 + (v1 - v0) * s;
    }
    for (size_t i = 2 * m->n; i < m->size; i++)
        y[i] = m->span_y[i] + (m->y[i] - m->span_y[i]) * s;
}

void am_march_at(const am_march *m, double t, double *y) {
    if (m->method == AM_MARCH_ADAPTIVE && !m->hop)
        am_integrator_at(m->integrator, t, y);
    else
        interpolate(m, t, y);
}
