/* Forces and rates of `march` for a given state of every contact, and the quantities that bound that state. */
#include <math.h>
#include <string.h>

#include "engines/marching/marching.h"
#include "math/dense.h"
#include "math/lu.h"
#include "system/polynomial.h"

/* ---- kinematics ---- */

double am_march_depth(const am_march *m, size_t c, const double *q) {
    const am_contact_def *contact = &m->system->contact[c];
    return -(am_dense_dot(contact->normal, q, m->n) + am_system_gap(m->system, c, m->z));
}

double am_march_approach(const am_march *m, size_t c, const double *v) {
    return -am_dense_dot(m->system->contact[c].normal, v, m->n) - am_system_gap_rate(m->system, c, m->z);
}

double am_march_pressing(const am_march *m, size_t c, const double *a) {
    const am_system *s = m->system;
    double support = s->lifted[c] ? am_dense_dot(s->gap_bend + c * s->nz, m->z, s->nz) : 0.0;
    return -am_dense_dot(s->contact[c].normal, a, m->n) - support;
}

double am_march_slide(const am_march *m, size_t c, const double *v) {
    const am_contact_def *contact = &m->system->contact[c];
    return am_dense_dot(contact->tangent, v, m->n) - am_system_surface(m->system, c, m->z);
}

double am_march_slide_rate(const am_march *m, size_t c, const double *rate) {
    return am_dense_dot(m->system->contact[c].tangent, rate + m->n, m->n) -
           am_dense_dot(m->system->surface_rate + c * m->system->nz, m->z, m->system->nz);
}

bool am_march_has_plane(const am_march *m, size_t c) {
    return m->system->contact[c].second_tangent != NULL;
}

double am_march_slide_across(const am_march *m, size_t c, const double *v) {
    return am_march_has_plane(m, c) ? am_dense_dot(m->system->contact[c].second_tangent, v, m->n) : 0.0;
}

/* ---- normal laws ---- */

double am_march_push(const am_march *m, size_t c, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    double rate = am_march_approach(m, c, y + m->n);
    if (contact->normal_law == AM_HUNT_CROSSLEY)
        return 1.0 + 1.5 * contact->contact_dissipation * rate;
    return am_march_depth(m, c, y) + contact->contact_damping / contact->contact_stiffness * rate;
}

/* k d^e, odd beyond zero: the integrator may look a little further than the switch. */
static double spring(const am_contact_def *contact, double depth, double *slope) {
    double e = contact->contact_exponent, k = contact->contact_stiffness, size = fabs(depth);
    double power = e == 1.0 ? 1.0 : pow(size, e - 1.0);
    if (slope)
        *slope = k * e * power;
    return k * power * depth;
}

double am_march_normal(const am_march *m, size_t c, const double *y, double *by_depth, double *by_rate) {
    const am_contact_def *contact = &m->system->contact[c];
    double depth = am_march_depth(m, c, y), rate = am_march_approach(m, c, y + m->n);
    if (contact->normal_law == AM_KELVIN_VOIGT) {
        if (by_depth)
            *by_depth = contact->contact_stiffness;
        if (by_rate)
            *by_rate = contact->contact_damping;
        return contact->contact_stiffness * depth + contact->contact_damping * rate;
    }
    double slope, elastic = spring(contact, depth, &slope);
    double factor = 1.0 + 1.5 * contact->contact_dissipation * rate;
    if (by_depth)
        *by_depth = slope * factor;
    if (by_rate)
        *by_rate = 1.5 * contact->contact_dissipation * elastic;
    return elastic * factor;
}

double am_march_stored(const am_march *m, size_t c, const double *y) {
    const am_contact_def *contact = &m->system->contact[c];
    double depth = am_march_depth(m, c, y);
    if (!am_contact_is_compliant(contact))
        return 0.0;
    double e = contact->normal_law == AM_HUNT_CROSSLEY ? contact->contact_exponent : 1.0;
    return contact->contact_stiffness * pow(fabs(depth), e + 1.0) / (e + 1.0);
}

/* ---- rates ---- */

/* Evenly shared forces give the right motion where friction at rest and in motion is the same: what one contact cannot
 * bear the others take, at the same limit. With static friction above kinetic the first contact at its limit would let
 * go although others could still take its part. */
static am_status check_shared(const am_march *m, am_error *err) {
    for (size_t a = 0; a < m->sticks; a++) {
        const am_contact_def *contact = &m->system->contact[m->stick[a]];
        if (contact->static_friction > contact->friction) /* at once, or with slip */
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "at t = %.15g contacts stick that cannot slide independently of each other, and static "
                           "friction of '%s' is above kinetic: how they share their forces decides when they slip, and "
                           "march shares evenly; use the analysis motion, or one contact that bears what they bear "
                           "together",
                           m->t, contact->name);
    }
    return AM_OK;
}

void am_march_list_sticks(am_march *m) {
    m->sticks = 0;
    for (size_t c = 0; c < m->m; c++)
        if (am_march_is_fast(m, c))
            m->stick[m->sticks++] = c;
}

/* Contacts on coordinates without mass are far more mobile than others; those are told from singular ones in units of
 * their own (powers of two, which round nothing). */
static void choose_units(am_march *m) {
    for (size_t a = 0; a < m->sticks; a++) {
        int exponent = 0;
        double own = m->W[m->stick[a] * (m->m + 1)];
        if (m->lights > 0 && own > 0.0)
            frexp(sqrt(own), &exponent);
        m->unit[a] = ldexp(1.0, exponent);
    }
}

am_status am_march_prepare(am_march *m, am_error *err) {
    am_march_list_sticks(m);
    size_t k = m->sticks;
    choose_units(m);
    for (int attempt = 0; attempt < 2 && k > 0; attempt++) {
        double trace = 0.0;
        for (size_t a = 0; a < k; a++)
            for (size_t b = 0; b < k; b++)
                m->factor[a * k + b] = m->W[m->stick[a] * m->m + m->stick[b]] / (m->unit[a] * m->unit[b]);
        for (size_t a = 0; a < k; a++)
            trace += m->factor[a * k + a];
        m->shared = attempt == 1;
        for (size_t a = 0; a < k && m->shared; a++)
            m->factor[a * k + a] += 1e-8 * trace;
        if (am_lu_factor(m->factor, k, m->pivot))
            return m->shared ? check_shared(m, err) : AM_OK;
    }
    return k == 0 ? AM_OK
                  : am_fail(err, AM_ERR_UNSUPPORTED,
                            "at t = %.15g contacts stick whose tangents move nothing: their friction cannot be found",
                            m->t);
}

static void solve_in_units(const am_march *m, double *x) {
    for (size_t a = 0; a < m->sticks; a++)
        x[a] /= m->unit[a];
    am_lu_solve(m->factor, m->sticks, m->pivot, 1, x);
    for (size_t a = 0; a < m->sticks; a++)
        x[a] /= m->unit[a];
}

/* Contacts that cannot slide independently of each other share their force: the least forces that hold them, by
 * Tikhonov's method, whose first iterate leaves 1e-8 of the right side unbalanced and whose second 1e-16. */
void am_march_solve_sticks(am_march *m, double *x) {
    size_t k = m->sticks;
    if (m->shared)
        memcpy(m->side, x, k * sizeof *x);
    solve_in_units(m, x);
    if (!m->shared)
        return;
    for (size_t a = 0; a < k; a++)
        for (size_t b = 0; b < k; b++)
            m->side[a] -= m->W[m->stick[a] * m->m + m->stick[b]] * x[b];
    solve_in_units(m, m->side);
    for (size_t a = 0; a < k; a++)
        x[a] += m->side[a];
}

static void add_row(double *sum, const double *row, double factor, size_t n) {
    for (size_t i = 0; i < n; i++)
        sum[i] += factor * row[i];
}

/* ---- springs that are not linear, or vary ---- */

void am_march_springs(am_march *m, const double *y, bool derivatives) {
    if (derivatives) {
        memset(m->gq, 0, m->n * m->n * sizeof *m->gq);
        memset(m->gv, 0, m->n * m->n * sizeof *m->gv);
    }
    am_system_polynomial_force(m->system, y, y + m->n, m->g, derivatives ? m->gq : NULL, derivatives ? m->gv : NULL);
    am_system_varying_force(m->system, m->z, y, m->g, derivatives ? m->gq : NULL);
}

double am_march_springs_stored(const am_march *m, const double *y) {
    double sum = 0.0;
    for (size_t p = 0; p < m->system->polynomials; p++) {
        const am_polynomial_def *spring = &m->system->polynomial[p];
        sum += am_polynomial_stored(spring, am_dense_dot(spring->direction, y, m->n));
    }
    return sum;
}

double am_march_springs_lost(const am_march *m, const double *y) {
    double sum = 0.0;
    for (size_t p = 0; p < m->system->polynomials; p++) {
        const am_polynomial_def *spring = &m->system->polynomial[p];
        sum += am_polynomial_lost(spring, am_dense_dot(spring->direction, y, m->n),
                                  am_dense_dot(spring->direction, y + m->n, m->n));
    }
    return sum;
}

/* ---- friction ---- */

/* Friction that keeps the sticking contacts from sliding: t.q'' is the acceleration of the surface. */
static void hold_once(am_march *m, double *acceleration) {
    size_t k = m->sticks, n = m->n, nz = m->system->nz;
    for (size_t a = 0; a < k; a++)
        m->drive[a] = am_dense_dot(m->system->surface_rate + m->stick[a] * nz, m->z, nz) -
                      am_dense_dot(m->system->contact[m->stick[a]].tangent, acceleration, n);
    am_march_solve_sticks(m, m->drive);
    for (size_t a = 0; a < k; a++) {
        m->tangential[m->stick[a]] += m->drive[a];
        add_row(acceleration, m->Bt + m->stick[a] * n, m->drive[a], n);
    }
}

/* Without mass accelerations are so large that what is left of them is their rounding: it is taken away once more. */
static void hold(am_march *m, double *acceleration) {
    for (size_t a = 0; a < m->sticks; a++)
        m->tangential[m->stick[a]] = 0.0;
    hold_once(m, acceleration);
    if (m->lights > 0)
        hold_once(m, acceleration);
}

/* The stretch before a slider that slips follows its limit, e = -T/k; the slider goes the rest of the way. */
static void follow_limits(const am_march *m, const double *y, double *rate) {
    for (size_t c = 0; c < m->m; c++) {
        if (m->kind[c] == AM_MARCH_PLANE)
            am_march_plane_rate(m, c, y, rate);
        if (m->kind[c] != AM_MARCH_SPRING || m->state[c] == AM_OPEN || m->state[c] == AM_STICK)
            continue;
        double sign = m->state[c] == AM_FORWARD ? 1.0 : -1.0;
        double own = am_march_own_velocity(m, c, sign, false, y, rate);
        rate[m->inner[c]] = am_march_slide(m, c, y + m->n) - sign * own;
        if (m->inners[c] > 1)
            rate[m->inner[c] + 1] = own;
    }
}

/* T = -/+ mu N of a contact that slips. */
static void add_coulomb(am_march *m, size_t c, double *acceleration) {
    double mu = m->system->contact[c].friction;
    if (m->state[c] == AM_OPEN || m->system->stop[c])
        return;
    m->tangential[c] = (m->state[c] == AM_BACKWARD ? mu : -mu) * m->normal[c];
    if (m->tangential[c] != 0.0)
        add_row(acceleration, m->Bt + c * m->n, m->tangential[c], m->n);
}

void am_march_rate(am_march *m, double t, const double *y, double *rate) {
    size_t n = m->n, nz = m->system->nz;
    const double *v = y + n;
    double *a = rate + n;
    m->statistics.rates++;
    am_system_inputs(m->system, fmin(t, m->last_moment), m->z);
    memmove(rate, v, n * sizeof *rate);
    am_dense_apply(m->Aq, n, n, y, a);
    am_dense_add(m->Av, n, n, v, a);
    am_dense_add(m->Bz, n, nz, m->z, a);
    if (m->g) {
        am_march_springs(m, y, false);
        for (size_t i = 0; i < n; i++)
            a[i] -= am_dense_dot(m->inverse + i * n, m->g, n);
    }
    memset(rate + 2 * n, 0, (m->size - 2 * n) * sizeof *rate);
    if (m->impulses) {
        for (size_t i = 2 * n; i < m->size && m->t > m->span_start; i++)
            rate[i] = (m->y[i] - m->span_y[i]) / (m->t - m->span_start);
        am_march_mean_forces(m);
        return;
    }
    for (size_t c = 0; c < m->m; c++) {
        bool held = m->system->contact[c].normal_law == AM_HELD;
        m->normal[c] = m->tangential[c] = 0.0;
        if (held)
            m->normal[c] = am_dense_dot(m->system->hold + c * nz, m->z, nz);
        else if (m->state[c] != AM_OPEN)
            m->normal[c] = am_march_normal(m, c, y, NULL, NULL);
        if (m->method == AM_MARCH_NEWMARK) /* closed at the end of a step, perhaps not yet within it */
            m->normal[c] = fmax(m->normal[c], 0.0);
        if (!held && m->normal[c] != 0.0) /* the push of a held contact is one of the inputs */
            add_row(a, m->Bn + c * n, m->normal[c], n);
        if (am_march_is_fast(m, c))
            continue;
        if (m->constant[c]) {
            add_coulomb(m, c, a);
            continue;
        }
        am_march_friction f = am_march_friction_at(m, c, am_march_slide(m, c, v), m->normal[c], y + m->inner[c]);
        m->tangential[c] = f.force;
        for (size_t i = 0; i < m->inners[c]; i++)
            rate[m->inner[c] + i] = f.rate[i];
        if (m->tangential[c] != 0.0)
            add_row(a, m->Bt + c * n, m->tangential[c], n);
        if (m->kind[c] != AM_MARCH_PLANE)
            continue;
        m->second[c] = m->state[c] == AM_OPEN ? 0.0 : -m->system->contact[c].tangential_stiffness * y[m->inner[c] + 1];
        add_row(a, m->Bs + c * n, m->second[c], n);
    }
    if (m->sticks > 0)
        hold(m, a);
    follow_limits(m, y, rate);
}

/* ---- switching quantities ---- */

static bool normal_quantity(const am_march *m, size_t c, size_t slot, const double *y, double *value) {
    const am_contact_def *contact = &m->system->contact[c];
    bool crossley = contact->normal_law == AM_HUNT_CROSSLEY, open = m->state[c] == AM_OPEN;
    if (contact->normal_law == AM_HELD) { /* its force is given: it only must not pull */
        *value = m->normal[c];
        return slot == 0;
    }
    if (slot == 0 && open) {
        *value = m->overlap[c] ? -am_march_push(m, c, y) : -am_march_depth(m, c, y);
        return true;
    }
    if (slot == 0) {
        *value = am_march_push(m, c, y);
        return !crossley || contact->contact_dissipation > 0.0;
    }
    *value = am_march_depth(m, c, y);
    return open ? m->overlap[c] : crossley;
}

static bool friction_quantity(const am_march *m, size_t c, size_t slot, const double *y, double *value) {
    const am_contact_def *contact = &m->system->contact[c];
    double sign = slot == 2 ? 1.0 : -1.0;
    if (!am_march_rubs(m, c) || m->state[c] == AM_OPEN)
        return false;
    if (m->kind[c] == AM_MARCH_PLANE)
        return am_march_plane_quantity(m, c, slot, y, value);
    if (m->state[c] == AM_STICK) {
        *value = m->kind[c] == AM_MARCH_REGULARISED
                     ? contact->regularisation + sign * am_march_slide(m, c, y + m->n)
                     : am_march_coefficient(m, c, true, y) * m->normal[c] + sign * m->tangential[c];
        return true;
    }
    sign = m->state[c] == AM_FORWARD ? 1.0 : -1.0;
    if (slot == 3) { /* friction falls as fast as the spring relaxes: the slider jumps */
        *value = m->kind[c] == AM_MARCH_SPRING ? am_march_relaxation(m, c, m->normal[c], y) : 0.0;
        return m->kind[c] == AM_MARCH_SPRING && m->inners[c] > 1;
    }
    *value = m->kind[c] == AM_MARCH_SPRING ? am_march_own_velocity(m, c, sign, false, y, m->rate)
                                           : sign * am_march_slide(m, c, y + m->n) - contact->regularisation;
    return true;
}

bool am_march_quantity(const am_march *m, size_t c, size_t slot, const double *y, double *value) {
    if (slot == AM_MARCH_CORNER) {
        double low = m->corner_below[c], high = m->corner[c], at = 0.0;
        bool below = isfinite(low), above = isfinite(high);
        if (!(below || above) || !am_march_bends_along(m, c, y, &at))
            return false;
        *value = below && above ? (at - low) * (high - at) / (high - low) : above ? high - at : at - low;
        return true;
    }
    return slot < 2 ? normal_quantity(m, c, slot, y, value) : friction_quantity(m, c, slot, y, value);
}

static double scale_of(const am_march *m, const double *row, const double *scale) {
    double sum = 0.0;
    for (size_t i = 0; i < m->n; i++)
        sum += fabs(row[i]) * scale[i];
    return sum;
}

double am_march_noise(const am_march *m, size_t c, size_t slot) {
    const am_contact_def *contact = &m->system->contact[c];
    double tolerance = 4.0 * m->tolerance;
    if (slot == AM_MARCH_CORNER) /* a distance slid only grows, a velocity may come back */
        return isfinite(m->corner_below[c]) ? tolerance * scale_of(m, contact->tangent, m->scale + m->n) : 0.0;
    if (slot < 2) {
        if (contact->normal_law == AM_HELD)
            return 0.0;
        double length = scale_of(m, contact->normal, m->scale), speed = scale_of(m, contact->normal, m->scale + m->n);
        bool is_depth = slot == 1 || (m->state[c] == AM_OPEN && !m->overlap[c]);
        if (is_depth)
            return tolerance * length;
        if (contact->normal_law == AM_HUNT_CROSSLEY)
            return tolerance * (1.0 + 1.5 * contact->contact_dissipation * speed);
        return tolerance * (length + contact->contact_damping / contact->contact_stiffness * speed);
    }
    if (m->state[c] == AM_STICK && m->kind[c] != AM_MARCH_REGULARISED) {
        bool springs = m->kind[c] == AM_MARCH_SPRING || m->kind[c] == AM_MARCH_PLANE;
        double least = springs ? contact->static_friction * am_march_least_normal(m, c) : 0.0;
        return tolerance * fmax(m->force[c], least); /* a slider that has just met its surface has no force yet */
    }
    if (slot == 3 && m->kind[c] == AM_MARCH_SPRING) /* 1 + mu' N/k */
        return tolerance;
    double speed = scale_of(m, contact->tangent, m->scale + m->n);
    if (m->kind[c] == AM_MARCH_PLANE)
        speed += scale_of(m, contact->second_tangent, m->scale + m->n) + fabs(m->rate[m->inner[c] + 1]);
    if (m->kind[c] == AM_MARCH_SPRING || m->kind[c] == AM_MARCH_PLANE)
        speed += fabs(m->rate[m->inner[c]]);
    return tolerance * speed;
}
