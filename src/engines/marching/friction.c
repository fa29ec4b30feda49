/* Friction of `march` for a given state of every contact, written once for all methods: the force, its slopes, and the
 * rate of what moves inside of the contact (docs/march.md). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "engines/marching/marching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "system/friction_pieces.h"

/* Rounds of Newton's method for one internal variable at the end of a step. */
enum { INNER_ROUNDS = 100 };

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

static const am_law_memory *memory_of(const am_contact_def *contact, size_t i) {
    return &am_law_named(contact->speed_friction.law)->memory[i];
}

/* Stretches first. */
static size_t count_inner(const am_contact_def *contact, am_march_kind kind) {
    return am_contact_memories(contact) + (kind == AM_MARCH_SPRING) + 2 * (kind == AM_MARCH_PLANE);
}

void am_march_plan_friction(am_march *m) {
    m->size = 2 * m->n;
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        const am_speed_friction *law = &contact->speed_friction;
        m->kind[c] = kind_of(contact);
        m->inners[c] = count_inner(contact, m->kind[c]);
        m->inner[c] = m->inners[c] > 0 ? m->size : 0;
        m->size += m->inners[c];
        m->constant[c] = m->kind[c] == AM_MARCH_HELD_FAST && !law->law && m->inners[c] == 0;
        if (m->kind[c] != AM_MARCH_DRAG)
            continue;
        m->leaps[c] = am_law_leaps(law);
        double w[AM_MARCH_INNER];
        for (size_t i = 0; i < AM_MARCH_INNER; i++)
            w[i] = memory_of(contact, i)->start ? 1.0 : 0.0;
        am_drag behind = am_law_drag_at(law, -DBL_EPSILON, 1.0, w);
        m->forward_only[c] = !isfinite(behind.force.value) || !isfinite(behind.rate[0].value);
    }
}

static double normal_of(const am_march *m, size_t c, const double *y) {
    if (m->system->contact[c].normal_law == AM_HELD)
        return am_dense_dot(m->system->hold + c * m->system->nz, m->z, m->system->nz);
    return fmax(am_march_normal(m, c, y, NULL, NULL), 0.0);
}

/* What friction without stick remembers: ages begin at the speed of the start, deflections as they were. */
static void start_law(const am_march *m, size_t c, bool steady, double slide, double *inner) {
    const am_contact_def *contact = &m->system->contact[c];
    double settled[AM_LAW_MEMORIES];
    if (steady)
        am_law_settled(&contact->speed_friction, fabs(slide), normal_of(m, c, m->y), settled);
    for (size_t i = 0; i < m->inners[c]; i++) {
        const am_law_memory *law = memory_of(contact, i);
        inner[i] = law->start ? law->start(&contact->speed_friction, fabs(slide)) : inner[i];
        if (steady)
            inner[i] = (law->directed && slide < 0.0 ? -1.0 : 1.0) * settled[i];
    }
}

void am_march_start_inner(am_march *m, bool steady) {
    const double *stretch = m->stretch, *memory = stretch ? stretch + am_system_springs(m->system) : NULL;
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        double slide = am_march_slide(m, c, m->y + m->n), sign = slide >= 0.0 ? 1.0 : -1.0;
        double *inner = m->y + m->inner[c];
        bool plane = m->kind[c] == AM_MARCH_PLANE, spring = plane || m->kind[c] == AM_MARCH_SPRING;
        for (size_t i = 0; i < m->inners[c]; i++)
            inner[i] = 0.0;
        for (size_t i = 0; memory && i < am_contact_memories(contact); i++)
            inner[m->inners[c] - am_contact_memories(contact) + i] = *memory++;
        for (size_t i = 0; stretch && contact->tangential_stiffness > 0.0 && i < (size_t)1 + plane; i++)
            inner[i] = *stretch++;
        if (steady && plane)
            inner[1] = 0.0;
        if (steady && spring)
            inner[0] =
                sign * am_march_coefficient(m, c, false, m->y) * normal_of(m, c, m->y) / contact->tangential_stiffness;
        if (m->kind[c] == AM_MARCH_DRAG)
            start_law(m, c, steady, slide, inner);
        am_march_find_corners(m, c, false);
    }
}

/* ---- corners of laws ---- */

size_t am_march_slid(const am_march *m, size_t c) {
    return m->inner[c] + (m->kind[c] == AM_MARCH_SPRING);
}

static double slid_corner_after(const am_march *m, size_t c, double slid) {
    const am_friction *weakening = &m->system->contact[c].weakening;
    size_t piece = 0;
    while (am_friction_knot(weakening, piece) <= slid)
        piece++;
    return am_friction_knot(weakening, piece);
}

bool am_march_bends_along(const am_march *m, size_t c, const double *y, double *value) {
    const am_contact_def *contact = &m->system->contact[c];
    bool slid = weakens(contact), speed = m->kind[c] == AM_MARCH_SPRING && contact->speed_friction.law;
    if (slid || speed)
        *value = slid ? y[am_march_slid(m, c)] : am_march_slide(m, c, y + m->n);
    return slid || speed;
}

/* The least corner of mu(|v|) above v. */
static double speed_corner_above(const am_speed_friction *law, double v) {
    size_t pieces = am_law_pieces(law);
    if (v >= 0.0)
        return am_law_knot(law, am_law_piece_at(law, v));
    for (size_t p = pieces - 1; p-- > 0;)
        if (-am_law_knot(law, p) > v)
            return -am_law_knot(law, p);
    return 0.0;
}

/* Behind a corner just passed the next one counts, whatever rounding says of the place. */
void am_march_find_corners(am_march *m, size_t c, bool passed) {
    const am_contact_def *contact = &m->system->contact[c];
    double at = 0.0, *low = &m->corner_below[c], *high = &m->corner[c];
    if (m->method != AM_MARCH_ADAPTIVE || !am_march_bends_along(m, c, m->y, &at)) {
        *low = -INFINITY;
        *high = INFINITY;
        return;
    }
    bool up = passed && fabs(at - *high) <= fabs(at - *low);
    double bound = up ? *high : passed ? *low : at;
    if (weakens(contact)) {
        *low = -INFINITY;
        *high = slid_corner_after(m, c, bound);
        if (passed)
            m->y[am_march_slid(m, c)] = fmax(at, bound);
        return;
    }
    const am_speed_friction *law = &contact->speed_friction;
    if (passed && !up) { /* downwards: what lies below mirrors what lies above */
        *high = bound;
        *low = -speed_corner_above(law, -bound);
        return;
    }
    *high = speed_corner_above(law, bound);
    *low = -speed_corner_above(law, -*high);
    if (!isfinite(*high))
        *low = am_law_pieces(law) > 1 ? am_law_knot(law, am_law_pieces(law) - 2) : 0.0;
}

bool am_march_rubs(const am_march *m, size_t c) {
    return m->system->contact[c].static_friction > 0.0 || m->kind[c] == AM_MARCH_DRAG;
}

bool am_march_is_fast(const am_march *m, size_t c) {
    return m->state[c] == AM_STICK && m->kind[c] == AM_MARCH_HELD_FAST && !m->system->stop[c];
}

double am_march_coefficient(const am_march *m, size_t c, bool sticks, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    double slope;
    if (weakens(contact))
        return am_friction_at(&contact->weakening, y[am_march_slid(m, c)], &slope);
    if (m->kind[c] == AM_MARCH_SPRING && contact->speed_friction.law) /* at the speed across the spring */
        return am_speed_friction_at(&contact->speed_friction, fabs(am_march_slide(m, c, y + m->n)), &slope);
    return sticks ? contact->static_friction : contact->friction;
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

/* Speeds that are next to nothing. */
static double least_speed(const am_march *m, size_t c) {
    double speed = 0.0;
    for (size_t i = 0; i < m->n; i++)
        speed += fabs(m->system->contact[c].tangent[i]) * m->scale[m->n + i];
    return 100.0 * m->tolerance * speed;
}

/* Friction that follows the way behind a spring is written for a slider that goes with the bodies. Where N is next to
 * nothing a step may lead to a stretch at which it would go the other way, and from there on it would never slip: such a
 * step is too long. Where the bodies turn while N falls they come to that stretch themselves, and it stays. */
static void stay_within(const am_march *m, size_t c, double speed, am_sloped *rate) {
    const am_law *law = am_law_named(m->system->contact[c].speed_friction.law);
    bool beyond = law->alone && law->rate_independent && speed * (speed - rate->value) < 0.0;
    if (!beyond || m->method != AM_MARCH_ADAPTIVE)
        return;
    *rate = (am_sloped){.value = fabs(speed) > least_speed(m, c) ? NAN : 0.0};
}

/* The law is written for slip towards positive speeds; the other direction follows by symmetry. It may be asked a little
 * beyond zero, up to where the switch is found. */
static am_march_friction drag(const am_march *m, size_t c, double sign, double slide, double N, const double *inner) {
    const am_contact_def *contact = &m->system->contact[c];
    double speed = sign * slide, turn[AM_MARCH_INNER], w[AM_MARCH_INNER] = {0};
    for (size_t i = 0; i < AM_MARCH_INNER; i++)
        turn[i] = memory_of(contact, i)->directed ? sign : 1.0;
    for (size_t i = 0; i < m->inners[c]; i++)
        w[i] = turn[i] * inner[i];
    am_drag d = am_law_drag_at(&contact->speed_friction, m->forward_only[c] ? fmax(speed, DBL_MIN) : speed,
                               fmax(N, am_march_least_normal(m, c)), w);
    stay_within(m, c, speed, &d.rate[0]);
    am_march_friction f = {
        .force = -sign * d.force.value, .by_slide = -d.force.by_v, .by_normal = -sign * d.force.by_N};
    for (size_t i = 0; i < m->inners[c]; i++) {
        f.by_inner[i] = -sign * turn[i] * d.force.by_w[i];
        f.rate[i] = turn[i] * d.rate[i].value;
        f.rate_by_slide[i] = turn[i] * sign * d.rate[i].by_v;
        f.rate_by_normal[i] = turn[i] * d.rate[i].by_N;
        for (size_t j = 0; j < m->inners[c]; j++)
            f.rate_by_inner[i][j] = turn[i] * turn[j] * d.rate[i].by_w[j];
    }
    return f;
}

/* Friction that weakens, after the distance slid: its coefficient and the slope of that. Beyond a corner the piece goes
 * on. */
static double weakened(const am_march *m, size_t c, double slid, double *slope) {
    double at = fmin(fmax(slid, 0.0), nextafter(m->corner[c], 0.0));
    double mu = am_friction_at(&m->system->contact[c].weakening, at, slope);
    return mu + *slope * (slid - at);
}

double am_march_relaxation(const am_march *m, size_t c, double N, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    double slope = 0.0;
    if (weakens(contact))
        weakened(m, c, y[am_march_slid(m, c)], &slope);
    return 1.0 + slope * N / contact->tangential_stiffness;
}

/* T = -/+ mu N, with a coefficient that is constant, depends on speed (across the spring, if there is one), or falls with
 * the distance slid. */
static am_march_friction slip(const am_march *m, size_t c, double sign, double slide, double N, const double *inner) {
    const am_contact_def *contact = &m->system->contact[c];
    bool spring = m->kind[c] == AM_MARCH_SPRING;
    double mu = contact->friction, slope = 0.0;
    am_march_friction f = {0};
    if (contact->speed_friction.law) {
        double along = spring ? fabs(slide) : fmax(sign * slide, 0.0);
        mu = am_speed_friction_at(&contact->speed_friction, along, &slope);
        f.by_slide = spring && sign * slide < 0.0 ? slope * N : -slope * N;
    } else if (weakens(contact)) {
        double slid = inner[spring];
        mu = weakened(m, c, slid, &slope);
        f.by_inner[spring] = -sign * slope * N;
        if (!spring && isfinite(slid_corner_after(m, c, fmin(slid, nextafter(m->corner[c], 0.0))))) {
            f.rate[0] = sign * slide; /* beyond the last corner nothing depends on it */
            f.rate_by_slide[0] = sign;
        }
    }
    f.force = -sign * mu * N;
    f.by_normal = -sign * mu;
    return f;
}

am_march_friction am_march_friction_at(const am_march *m, size_t c, double slide, double N, const double *inner) {
    const am_contact_def *contact = &m->system->contact[c];
    double sign = m->state[c] == AM_BACKWARD ? -1.0 : 1.0, k = contact->tangential_stiffness;
    if (m->state[c] == AM_OPEN || m->system->stop[c])
        return (am_march_friction){0};
    if (m->kind[c] == AM_MARCH_DRAG)
        return drag(m, c, sign, slide, N, inner);
    if (m->state[c] != AM_STICK && m->kind[c] != AM_MARCH_PLANE)
        return slip(m, c, sign, slide, N, inner);
    if (m->kind[c] == AM_MARCH_SPRING || m->kind[c] == AM_MARCH_PLANE)
        return (am_march_friction){.force = -k * *inner, .by_inner = {-k}, .rate = {slide}, .rate_by_slide = {1.0}};
    if (m->kind[c] == AM_MARCH_REGULARISED) {
        double part = contact->friction / contact->regularisation;
        return (am_march_friction){.force = -part * N * slide, .by_slide = -part * N, .by_normal = -part * slide};
    }
    return (am_march_friction){0};
}

/* A slider that slips: its spring is stretched as its limit has it, and what was too much of the way of the step it has
 * slid itself: to where the spring meets friction again, if that weakens. */
static am_march_friction slip_ahead(const am_march *m, size_t c, double h, double slide, double N, const double *from,
                                    const double *from_rate, double *inner) {
    const am_contact_def *contact = &m->system->contact[c];
    double k = contact->tangential_stiffness, sign = m->state[c] == AM_BACKWARD ? -1.0 : 1.0, slope = 0.0;
    double stretch = sign * (from[0] + 0.5 * h * (from_rate[0] + slide));
    if (weakens(contact)) {
        double excess = k * stretch - am_friction_at(&contact->weakening, from[1], &slope) * N;
        inner[1] =
            N > 0.0 && excess > 0.0 ? am_friction_meets(&contact->weakening, k, N, stretch, from[1], excess) : from[1];
        am_friction_at(&contact->weakening, inner[1], &slope);
    }
    am_march_friction f = am_march_friction_at(m, c, slide, N, inner);
    if (weakens(contact)) { /* k d(stretch) - k dw = mu dN + mu' N dw */
        double part = 1.0 / (k + slope * N);
        f.by_normal += f.by_inner[1] * sign * f.force / fmax(N, DBL_MIN) * part;
        f.by_slide += f.by_inner[1] * sign * k * part * 0.5 * h;
    }
    inner[0] = -f.force / k;
    return f;
}

/* A law that follows the way, behind a spring: is this stretch beyond the one from which its slider would have to jump? The
 * formula has its slider go backwards there, faster than the bodies. */
static bool slider_runs_away(double slide, const am_march_friction *f) {
    return slide * (slide - f->rate[0]) < 0.0;
}

/* The stretch of such a spring at the end of a step lies between none, or the one that there was, and where it would be had
 * the slider rested. On the way the formula has a pole, and beyond that another solution, in which friction stays above
 * its limit for good: Newton's method keeps to this bracket, in which the stretch that is too long counts as such. */
typedef struct stretch_bracket {
    bool wanted;
    double low, high; /* the residual is positive at one and negative at the other, in the direction of slip */
    double sign;
} stretch_bracket;

static stretch_bracket bracket_stretch(const am_march *m, size_t c, double h, double slide, double base) {
    const am_law *law = am_law_named(m->system->contact[c].speed_friction.law);
    double sign = slide < 0.0 ? -1.0 : 1.0;
    return (stretch_bracket){.wanted = m->kind[c] == AM_MARCH_DRAG && law->alone && law->rate_independent,
                             .low = fmin(sign * base, 0.0),
                             .high = sign * (base + 0.5 * h * slide),
                             .sign = sign};
}

/* Newton's stretch, or the middle where it leaves the bracket. */
static double keep_between(stretch_bracket *b, double stretch, double residual, bool beyond, double newton) {
    double at = b->sign * stretch, next = b->sign * newton;
    if (beyond || b->sign * residual < 0.0)
        b->high = fmin(b->high, at);
    else
        b->low = fmax(b->low, at);
    bool inside = !beyond && next >= b->low && next <= b->high;
    return inside ? newton : b->sign * 0.5 * (b->low + b->high);
}

/* w = from + h/2 (from_rate + w'(s, N, w)), by Newton's method; J w_s = h/2 w'_s. */
am_march_friction am_march_friction_ahead(const am_march *m, size_t c, double h, double slide, double N,
                                          const double *from, const double *from_rate, double *inner) {
    size_t count = m->inners[c];
    memcpy(inner, from, count * sizeof *inner);
    if (m->kind[c] == AM_MARCH_SPRING && m->state[c] != AM_STICK && m->state[c] != AM_OPEN)
        return slip_ahead(m, c, h, slide, N, from, from_rate, inner);
    am_march_friction f = am_march_friction_at(m, c, slide, N, inner);
    if (count == 0 || m->state[c] == AM_OPEN)
        return f;
    double J[AM_MARCH_INNER][AM_MARCH_INNER], by[3][AM_MARCH_INNER];
    stretch_bracket bracket = bracket_stretch(m, c, h, slide, from[0] + 0.5 * h * from_rate[0]);
    bool moves = true;
    for (size_t round = 0; round <= INNER_ROUNDS; round++) {
        for (size_t i = 0; i < AM_MARCH_INNER; i++) {
            by[0][i] = i < count ? from[i] + 0.5 * h * (from_rate[i] + f.rate[i]) - inner[i] : 0.0;
            by[1][i] = 0.5 * h * f.rate_by_slide[i];
            by[2][i] = 0.5 * h * f.rate_by_normal[i];
            for (size_t j = 0; j < AM_MARCH_INNER; j++)
                J[i][j] = (i == j ? 1.0 : 0.0) - 0.5 * h * f.rate_by_inner[i][j];
        }
        double det = J[0][0] * J[1][1] - J[0][1] * J[1][0], residual = by[0][0];
        for (size_t k = 0; k < 3; k++) {
            double first = by[k][0], second = by[k][1];
            by[k][0] = (J[1][1] * first - J[0][1] * second) / det;
            by[k][1] = (J[0][0] * second - J[1][0] * first) / det;
        }
        if (!moves || round == INNER_ROUNDS)
            break;
        if (bracket.wanted)
            by[0][0] =
                keep_between(&bracket, inner[0], residual, slider_runs_away(slide, &f), inner[0] + by[0][0]) - inner[0];
        moves = false;
        for (size_t i = 0; i < count; i++) {
            inner[i] += by[0][i];
            moves = moves || fabs(by[0][i]) > 4.0 * DBL_EPSILON * fabs(inner[i]);
        }
        f = am_march_friction_at(m, c, slide, N, inner);
    }
    for (size_t i = 0; i < count; i++) {
        f.by_slide += f.by_inner[i] * by[1][i];
        f.by_normal += f.by_inner[i] * by[2][i];
    }
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

/* With k e = sign mu N: e' = sign (mu N' + mu' w' N)/k, where mu falls with the distance slid, w' = s'; or sign (mu N' +
 * mu'(v) v' N)/k, with the speed across the spring. s' = v - e'. */
double am_march_own_velocity(const am_march *m, size_t c, double sign, bool sticks, const double *y,
                             const double *rate) {
    const am_contact_def *contact = &m->system->contact[c];
    double slide = am_march_slide(m, c, y + m->n), slope;
    double change = am_march_coefficient(m, c, sticks, y) * am_march_normal_rate(m, c, y, rate);
    if (contact->speed_friction.law) {
        am_speed_friction_at(&contact->speed_friction, fabs(slide), &slope);
        change += (slide < 0.0 ? -slope : slope) * m->normal[c] * am_march_slide_rate(m, c, rate);
    }
    return (sign * slide - change / contact->tangential_stiffness) / am_march_relaxation(m, c, m->normal[c], y);
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
    for (size_t i = 0; m->kind[c] == AM_MARCH_DRAG && i < m->inners[c]; i++)
        if (memory_of(&m->system->contact[c], i)->directed)
            m->y[m->inner[c] + i] = 0.0;
}
