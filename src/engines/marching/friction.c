/* Friction of `march` for a given state of every contact, written once for all methods: the force, its slopes, and the
 * rate of what moves inside of the contact (docs/march.md). */
#include <float.h>
#include <math.h>

#include "engines/marching/marching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "system/friction_pieces.h"

/* Rounds of Newton's method for one internal variable at the end of a step. */
enum { INNER_ROUNDS = 50 };

/* ---- what a contact is ---- */

static bool weakens(const am_contact_def *contact) {
    return am_friction_weakens(&contact->weakening);
}

static am_march_kind kind_of(const am_contact_def *contact) {
    return !am_law_sticks(&contact->speed_friction) ? AM_MARCH_DRAG
           : contact->tangential_stiffness > 0.0    ? (contact->second_tangent ? AM_MARCH_PLANE : AM_MARCH_SPRING)
           : contact->regularisation > 0.0          ? AM_MARCH_REGULARISED
                                                    : AM_MARCH_HELD_FAST;
}

static bool is_directed(const am_contact_def *contact) {
    return am_law_named(contact->speed_friction.law)->memory[0].directed;
}

void am_march_plan_friction(am_march *m) {
    m->size = 2 * m->n;
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        const am_speed_friction *law = &contact->speed_friction;
        m->kind[c] = kind_of(contact);
        if (m->kind[c] == AM_MARCH_SPRING || weakens(contact) || am_law_memories(law) > 0)
            m->inner[c] = m->size++;
        if (m->kind[c] == AM_MARCH_PLANE) {
            m->inner[c] = m->size;
            m->size += 2;
        }
        if (m->kind[c] != AM_MARCH_DRAG)
            continue;
        const double w = am_law_named(law->law)->memory[0].start ? 1.0 : 0.0;
        am_drag behind = am_law_drag_at(law, -DBL_EPSILON, 1.0, &w);
        m->forward_only[c] = !isfinite(behind.force.value) || !isfinite(behind.rate[0].value);
    }
}

static double normal_of(const am_march *m, size_t c, const double *y) {
    if (m->system->contact[c].normal_law == AM_HELD)
        return am_dense_dot(m->system->hold + c * m->system->nz, m->z, m->system->nz);
    return fmax(am_march_normal(m, c, y, NULL, NULL), 0.0);
}

void am_march_start_inner(am_march *m, bool steady) {
    const double *stretch = m->stretch, *memory = stretch ? stretch + am_system_springs(m->system) : NULL;
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        double slide = am_march_slide(m, c, m->y + m->n), sign = slide >= 0.0 ? 1.0 : -1.0, value = 0.0;
        if (m->inner[c] == 0)
            continue;
        if (memory && am_contact_memories(contact) > 0)
            value = *memory++;
        if (steady && (m->kind[c] == AM_MARCH_SPRING || m->kind[c] == AM_MARCH_PLANE))
            value = sign * contact->friction * normal_of(m, c, m->y) / contact->tangential_stiffness;
        if (m->kind[c] == AM_MARCH_DRAG) {
            const am_speed_friction *use = &contact->speed_friction;
            const am_law_memory *law = &am_law_named(use->law)->memory[0];
            value = law->start ? law->start(use, fabs(slide)) : value;
            if (steady)
                value = (law->directed ? sign : 1.0) * law->steady(use, fabs(slide), normal_of(m, c, m->y));
        }
        bool plane = m->kind[c] == AM_MARCH_PLANE, springs = stretch && contact->tangential_stiffness > 0.0;
        m->y[m->inner[c]] = springs && !steady ? *stretch : value;
        if (plane)
            m->y[m->inner[c] + 1] = springs && !steady ? stretch[1] : 0.0;
        stretch += springs ? 1 + plane : 0;
        m->corner[c] = m->method == AM_MARCH_ADAPTIVE ? am_march_corner_after(m, c, value) : INFINITY;
    }
}

double am_march_corner_after(const am_march *m, size_t c, double slid) {
    const am_friction *weakening = &m->system->contact[c].weakening;
    size_t piece = 0;
    while (am_friction_weakens(weakening) && am_friction_knot(weakening, piece) <= slid)
        piece++;
    return am_friction_weakens(weakening) ? am_friction_knot(weakening, piece) : INFINITY;
}

bool am_march_rubs(const am_march *m, size_t c) {
    return m->system->contact[c].static_friction > 0.0 || m->kind[c] == AM_MARCH_DRAG;
}

bool am_march_is_fast(const am_march *m, size_t c) {
    return m->state[c] == AM_STICK && m->kind[c] == AM_MARCH_HELD_FAST && !m->system->stop[c];
}

double am_march_static(const am_march *m, size_t c, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    double slope;
    return weakens(contact) ? am_friction_at(&contact->weakening, y[m->inner[c]], &slope) : contact->static_friction;
}

/* ---- forces ---- */

/* Laws divide by N, and what they remember settles in no time where N vanishes: below this N is constant for them, so
 * that steps find their way past a lift-off. The impulse that is wrong then, this force for the time in which N passes it,
 * is of the order of the tolerance. */
double am_march_least_normal(const am_march *m, size_t c) {
    const am_contact_def *contact = &m->system->contact[c];
    double depth = 0.0;
    if (contact->normal_law == AM_HELD)
        return DBL_MIN;
    for (size_t i = 0; i < m->n; i++)
        depth += fabs(contact->normal[i]) * m->scale[i];
    double exponent = contact->normal_law == AM_HUNT_CROSSLEY ? contact->contact_exponent : 1.0;
    return fmax(sqrt(m->tolerance) * contact->contact_stiffness * pow(depth, exponent), DBL_MIN);
}

/* The law is written for slip towards positive speeds; the other direction follows by symmetry. It may be asked a little
 * beyond zero, up to where the switch is found. */
static am_march_friction drag(const am_march *m, size_t c, double sign, double slide, double N, double inner) {
    const am_speed_friction *use = &m->system->contact[c].speed_friction;
    double speed = sign * slide, turn = is_directed(&m->system->contact[c]) ? sign : 1.0, w = turn * inner;
    am_drag d = am_law_drag_at(use, m->forward_only[c] ? fmax(speed, DBL_MIN) : speed,
                               fmax(N, am_march_least_normal(m, c)), &w);
    return (am_march_friction){.force = -sign * d.force.value,
                               .by_slide = -d.force.by_v,
                               .by_normal = -sign * d.force.by_N,
                               .by_inner = -sign * turn * d.force.by_w[0],
                               .rate = turn * d.rate[0].value,
                               .rate_by_slide = turn * sign * d.rate[0].by_v,
                               .rate_by_normal = turn * d.rate[0].by_N,
                               .rate_by_inner = d.rate[0].by_w[0]};
}

/* T = -/+ mu N, with a coefficient that is constant, depends on speed, or falls with the distance slid. */
static am_march_friction slip(const am_march *m, size_t c, double sign, double slide, double N, double inner) {
    const am_contact_def *contact = &m->system->contact[c];
    double mu = contact->friction, slope = 0.0;
    am_march_friction f = {0};
    if (contact->speed_friction.law) {
        mu = am_speed_friction_at(&contact->speed_friction, fmax(sign * slide, 0.0), &slope);
        f.by_slide = -slope * N;
    } else if (weakens(contact)) {
        double at = fmin(fmax(inner, 0.0), nextafter(m->corner[c], 0.0)); /* beyond a corner the piece goes on */
        mu = am_friction_at(&contact->weakening, at, &slope);
        mu += slope * (inner - at);
        f.by_inner = -sign * slope * N;
        if (isfinite(am_march_corner_after(m, c, at))) { /* beyond the last nothing depends on it */
            f.rate = sign * slide;
            f.rate_by_slide = sign;
        }
    }
    f.force = -sign * mu * N;
    f.by_normal = -sign * mu;
    return f;
}

am_march_friction am_march_friction_at(const am_march *m, size_t c, double slide, double N, double inner) {
    const am_contact_def *contact = &m->system->contact[c];
    double sign = m->state[c] == AM_BACKWARD ? -1.0 : 1.0, k = contact->tangential_stiffness;
    if (m->state[c] == AM_OPEN || m->system->stop[c])
        return (am_march_friction){0};
    if (m->kind[c] == AM_MARCH_DRAG)
        return drag(m, c, sign, slide, N, inner);
    if (m->state[c] != AM_STICK && m->kind[c] != AM_MARCH_PLANE)
        return slip(m, c, sign, slide, N, inner);
    if (m->kind[c] == AM_MARCH_SPRING || m->kind[c] == AM_MARCH_PLANE)
        return (am_march_friction){.force = -k * inner, .by_inner = -k, .rate = slide, .rate_by_slide = 1.0};
    if (m->kind[c] == AM_MARCH_REGULARISED) {
        double part = contact->friction / contact->regularisation;
        return (am_march_friction){.force = -part * N * slide, .by_slide = -part * N, .by_normal = -part * slide};
    }
    return (am_march_friction){0};
}

/* w = from + h/2 (from_rate + w'(s, N, w)); of a slider that slips the stretch is what its limit makes it. */
am_march_friction am_march_friction_ahead(const am_march *m, size_t c, double h, double slide, double N, double from,
                                          double from_rate, double *inner) {
    double value = from;
    am_march_friction f = am_march_friction_at(m, c, slide, N, value);
    if (m->inner[c] == 0 || m->state[c] == AM_OPEN) {
        *inner = from;
        return f;
    }
    if (m->kind[c] == AM_MARCH_SPRING && m->state[c] != AM_STICK) {
        *inner = -f.force / m->system->contact[c].tangential_stiffness;
        return f;
    }
    for (size_t round = 0; round < INNER_ROUNDS; round++) {
        double slope = 1.0 - 0.5 * h * f.rate_by_inner;
        double step = (from + 0.5 * h * (from_rate + f.rate) - value) / slope;
        value += step;
        f = am_march_friction_at(m, c, slide, N, value);
        if (!(fabs(step) > 4.0 * DBL_EPSILON * fabs(value)))
            break;
    }
    double share = 0.5 * h / (1.0 - 0.5 * h * f.rate_by_inner);
    f.by_slide += f.by_inner * share * f.rate_by_slide;
    f.by_normal += f.by_inner * share * f.rate_by_normal;
    *inner = value;
    return f;
}

/* ---- sliders behind springs ---- */

double am_march_normal_rate(const am_march *m, size_t c, const double *y, const double *rate) {
    double by_depth, by_rate;
    if (m->state[c] == AM_OPEN)
        return 0.0;
    if (m->system->contact[c].normal_law == AM_HELD)
        return am_dense_dot(m->hold_rate + c * m->system->nz, m->z, m->system->nz);
    am_march_normal(m, c, y, &by_depth, &by_rate);
    return by_depth * am_march_approach(m, c, y + m->n) + by_rate * am_march_pressing(m, c, rate + m->n);
}

double am_march_own_velocity(const am_march *m, size_t c, double sign, double coefficient, const double *y) {
    return sign * am_march_slide(m, c, y + m->n) -
           coefficient * am_march_normal_rate(m, c, y, m->rate) / m->system->contact[c].tangential_stiffness;
}

void am_march_set_stretch(am_march *m, size_t c, double stretch) {
    double *old = &m->y[m->inner[c]];
    m->relaxed += 0.5 * m->system->contact[c].tangential_stiffness * (*old * *old - stretch * stretch);
    *old = stretch;
}

void am_march_forget(am_march *m, size_t c) {
    if (m->kind[c] == AM_MARCH_SPRING)
        am_march_set_stretch(m, c, 0.0);
    else if (m->kind[c] == AM_MARCH_PLANE)
        am_march_plane_stretch(m, c, 0.0);
    else if (m->kind[c] == AM_MARCH_DRAG && m->inner[c] > 0 && is_directed(&m->system->contact[c]))
        m->y[m->inner[c]] = 0.0;
}
