/* Forces in Moreau and Jean's scheme that are no impulses: polynomial springs and dampers, stiffness that varies, layers
 * that give way (kelvin-voigt, hunt-crossley), laws without stick and regularised friction. They act with their value in
 * the middle of the step, q = q0 + h/4 (v0 + v1), v = (v0 + v1)/2, and with the mean of the inputs at its ends.
 * Coordinates without mass count as they are at its end. */
#include <math.h>
#include <string.h>

#include "engines/marching/impulses.h"
#include "math/dense.h"

bool am_march_is_pressed(const am_march *m, size_t c) {
    const am_contact_def *contact = &m->system->contact[c];
    return contact->normal_law == AM_HELD || am_contact_is_compliant(contact);
}

bool am_march_is_viscous(const am_march *m, size_t c) {
    return m->kind[c] == AM_MARCH_DRAG || m->kind[c] == AM_MARCH_REGULARISED;
}

bool am_march_seeks_speed(const am_march *m, size_t c) {
    const am_contact_def *contact = &m->system->contact[c];
    bool light = false;
    for (size_t i = 0; i < m->n; i++)
        light = light || (contact->tangent[i] != 0.0 && am_matrix_at(m->system->M, i, i) == 0.0);
    return light && contact->speed_friction.law && !am_march_is_viscous(m, c);
}

bool am_march_has_smooth(const am_march *m) {
    bool smooth = m->system->polynomials > 0 || m->system->varyings > 0;
    for (size_t c = 0; c < m->m; c++)
        smooth = smooth || am_contact_is_compliant(&m->system->contact[c]) || am_march_is_viscous(m, c) ||
                 am_march_seeks_speed(m, c);
    return smooth;
}

static void add_outer(double *A, const double *row, double factor, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] += factor * row[i] * row[j];
}

/* A layer pushes while it overlaps and its force is positive. */
static void press(am_march *m, size_t c) {
    am_march_impulses *s = m->impulses;
    const double *normal = m->system->contact[c].normal;
    double by_depth, by_rate, N = am_march_normal(m, c, s->middle, &by_depth, &by_rate);
    bool pushes = am_march_depth(m, c, s->middle) > 0.0 && N > 0.0;
    s->press[c] = pushes ? N : 0.0;
    if (!pushes)
        return;
    for (size_t i = 0; i < m->n; i++)
        m->g[i] -= N * normal[i];
    add_outer(m->gq, normal, by_depth, m->n);
    add_outer(m->gv, normal, by_rate, m->n);
}

/* In which state a law without stick, or a regularised one, slides with this velocity. */
static am_contact_state sliding_state(const am_march *m, size_t c, double slide) {
    if (m->kind[c] == AM_MARCH_REGULARISED && fabs(slide) <= m->system->contact[c].regularisation)
        return AM_STICK;
    return slide >= 0.0 ? AM_FORWARD : AM_BACKWARD;
}

/* What the law remembers, w = w0 + h/2 w' in the middle, is eliminated; a rigid contact presses with the mean force of
 * the impulses found last. */
static void rub(am_march *m, size_t c, double h) {
    am_march_impulses *s = m->impulses;
    const am_contact_def *contact = &m->system->contact[c];
    am_contact_state kept = m->state[c];
    static const double still[AM_MARCH_INNER];
    const double *from = m->y + m->inner[c];
    double slide = am_march_slide(m, c, s->middle + m->n), *inner = s->inner + AM_MARCH_INNER * c;
    double N = contact->normal_law == AM_HELD ? am_dense_dot(m->system->hold + c * m->system->nz, m->z, m->system->nz)
               : am_contact_is_compliant(contact) ? s->press[c]
                                                  : s->cone.P[s->cone.first[c]] / h;
    s->drag[c] = 0.0;
    memcpy(inner, from, m->inners[c] * sizeof *inner);
    if (!(N > 0.0))
        return;
    m->state[c] = sliding_state(m, c, slide);
    am_march_friction f = am_march_friction_ahead(m, c, h, slide, N, from, still, inner);
    m->state[c] = kept;
    s->drag[c] = f.force;
    for (size_t i = 0; i < m->n; i++)
        m->g[i] -= f.force * contact->tangent[i];
    add_outer(m->gv, contact->tangent, -f.by_slide, m->n);
}

void am_march_smooth_forces(am_march *m, double h) {
    am_march_impulses *s = m->impulses;
    size_t n = m->n;
    const double *v = m->y + n;
    double *end = m->z;
    for (size_t i = 0; i < n; i++) {
        s->middle[i] = m->y[i] + (m->light[i] ? h * s->after[i] : 0.25 * h * (v[i] + s->after[i]));
        s->middle[n + i] = m->light[i] ? s->after[i] : 0.5 * (v[i] + s->after[i]);
    }
    m->z = s->z;
    am_march_springs(m, s->middle, true);
    for (size_t c = 0; c < m->m; c++) {
        if (am_contact_is_compliant(&m->system->contact[c]))
            press(m, c);
        if (am_march_is_viscous(m, c))
            rub(m, c, h);
    }
    m->z = end;
}
