/* Moreau and Jean's scheme for rigid contacts: velocities jump, impulses are sums over a step, and no switch is looked
 * for. With theta = 1/2 and S = M + h/2 C + h^2/4 (K + A),
 *
 *     S (v1 - v0) = h [ (F0 + F1)/2 - C v0 - (K + A)(q0 + h/2 v0) ] + sum of n P + t R,     q1 = q0 + h (v0 + v1)/2,
 *
 * and for contacts that would be closed at the middle of the step:
 *
 *     0 <= P,   u = n.v1 + e n.v0 >= 0 (e only if n.v0 < 0),   P u = 0,   R in -mu P sign(t.v1 - surface velocity);
 *
 * a support that moves adds its velocity at either end of the step to n.v1 and n.v0; with two tangents R is a vector,
 * opposite to the sliding velocity, and |R| <= mu P.
 *
 * Forces that are no impulses (smooth.c) act with their value in the middle of the step, by Newton's method: they are
 * linearised about the last v1, and the impulses are found again.
 *
 * A slider behind a spring k with the stretch e, R = -h k e1 and e1 = e0 + h/2 (s0 + s1) in stick, obeys the same law with
 * s1 + s0 + 2 e0/h + 2 R/(h^2 k) in place of its sliding velocity s1. Friction that weakens has its coefficient at the
 * distance slid before the step; where static friction is above kinetic, contacts at rest hold with the first, and those
 * that cannot slide with the second in the same step.
 *
 * Coordinates without mass (l, all others o) obey Euler's implicit rule, q1_l = q0_l + h v1_l, since the velocity before
 * says nothing of them:
 *
 *     0 = h [ F1_l - C_lo v1_o - C_ll v1_l - (K + A)_lo (q0 + h (v0 + v1)/2)_o - (K + A)_ll (q0 + h v1)_l ] + impulses,
 *
 * and the others feel them at q0_l + h/2 v1_l and with v1_l, so that S stays symmetric. They bounce off nothing. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/marching/impulses.h"
#include "math/dense.h"
#include "math/lcp.h"
#include "math/lu.h"

/* Sweeps over all contacts before pivoting or Newton's method takes over. */
enum { MOST_SWEEPS = 2000 };
/* Rounds of Newton's method for forces that are no impulses, which end where velocities change by no more than this part
 * of the largest (steep friction magnifies the rounding of speeds). */
enum { MOST_ROUNDS = 300 };
static const double at_rest = 1e-10;
/* Friction within this part of its limit is at it. */
static const double at_limit = 1e-9;

void am_march_impulses_free(am_march_impulses *i) {
    if (!i)
        return;
    am_lcp_workspace_free(i->workspace);
    am_memory_free(i->M);
}

/* A normal and one or two tangents of every contact. */
static am_status make_cone(am_march *march, am_error *err) {
    am_march_impulses *i = march->impulses;
    am_arena *memory = &march->memory;
    unsigned char *tangents = am_arena_new(memory, march->m, sizeof *tangents, err);
    i->row = am_arena_new(memory, 3 * march->m, sizeof *i->row, err);
    AM_TRY(am_arena_status(memory));
    for (size_t c = 0, k = 0; c < march->m; c++) {
        const am_contact_def *contact = &march->system->contact[c];
        bool plane = am_march_has_plane(march, c);
        i->planes = i->planes || plane;
        tangents[c] = plane ? 2 : 1;
        i->row[k++] = contact->normal;
        i->row[k++] = contact->tangent;
        if (plane)
            i->row[k++] = contact->second_tangent;
    }
    AM_TRY(am_cone_init(&i->cone, memory, march->m, tangents, err));
    for (size_t c = 0; c < march->m; c++)
        i->cone.given[c] = am_march_is_pressed(march, c);
    return AM_OK;
}

am_status am_march_impulses_create(am_march *march, am_error *err) {
    size_t n = march->n, m = march->m;
    am_arena *memory = &march->memory;
    am_march_impulses *i = march->impulses = am_arena_new(memory, 1, sizeof *i, err);
    if (!i)
        return AM_ERR_MEMORY;
    AM_TRY(make_cone(march, err));
    i->S = am_arena_doubles(memory, NULL, n * n, err);
    i->Y = am_arena_doubles(memory, NULL, i->cone.rows * n, err);
    i->v = am_arena_doubles(memory, NULL, n, err);
    i->z = am_arena_doubles(memory, NULL, march->system->nz, err);
    AM_ARENA_DOUBLES(memory, 4 * m, err, &i->q, &i->x);
    i->order = am_arena_new(memory, n, sizeof *i->order, err);
    i->smooth = am_march_has_smooth(march);
    i->after = am_arena_doubles(memory, NULL, n, err);
    i->middle = am_arena_doubles(memory, NULL, 2 * n, err);
    AM_ARENA_DOUBLES(memory, m, err, &i->drag, &i->press);
    i->inner = am_arena_doubles(memory, NULL, AM_MARCH_INNER * m, err);
    i->workspace = am_lcp_workspace_create(err);
    return i->workspace ? am_arena_status(memory) : AM_ERR_MEMORY;
}

double am_march_worst_residual(const am_march *march) {
    return march->impulses->residual;
}

void am_march_mean_forces(am_march *march) {
    const am_march_impulses *i = march->impulses;
    for (size_t c = 0; c < march->m; c++) {
        const double *P = i->cone.P + i->cone.first[c];
        march->normal[c] = i->h > 0.0 ? P[0] / i->h : 0.0;
        march->tangential[c] = i->h > 0.0 ? P[1] / i->h + i->drag[c] : 0.0;
        if (march->second)
            march->second[c] = i->h > 0.0 && am_march_has_plane(march, c) ? P[2] / i->h : 0.0;
    }
}

/* ---- matrices of a step ---- */

static bool has_spring(const am_march *m, size_t c) {
    return m->kind[c] == AM_MARCH_SPRING || m->kind[c] == AM_MARCH_PLANE;
}

/* The part of the velocity at the end in that by which a coordinate moves in a step. */
static double part(const am_march *m, size_t i) {
    return m->light[i] ? 1.0 : 0.5;
}

/* And in that by which a contact slides. */
static double part_of_tangent(const am_march *m, size_t c) {
    for (size_t i = 0; i < m->n && m->lights > 0; i++)
        if (m->light[i] && m->system->contact[c].tangent[i] != 0.0)
            return 1.0;
    return 0.5;
}

/* The slope of a force that is no impulse over the velocity j at the end. */
static double smooth_slope(const am_march *m, double h, size_t i, size_t j) {
    double share = part(m, j);
    return share * m->gv[i * m->n + j] + share * share * h * m->gq[i * m->n + j];
}

static bool factor(am_march *m, double h) {
    am_march_impulses *s = m->impulses;
    size_t n = m->n, rows = s->cone.rows;
    if (s->h == h && !s->smooth)
        return true;
    for (size_t i = 0; i < n * n; i++)
        s->S[i] = m->M[i] + fmax(part(m, i / n), part(m, i % n)) * h * m->C[i] +
                  part(m, i / n) * part(m, i % n) * h * h * (m->K[i] + (m->A ? m->A[i] : 0.0));
    for (size_t i = 0; i < n * n && s->smooth; i++)
        s->S[i] += smooth_slope(m, h, i / n, i % n) * h;
    if (!am_lu_factor(s->S, n, s->order))
        return false;
    for (size_t k = 0; k < rows; k++) {
        memcpy(s->Y + k * n, s->row[k], n * sizeof *s->Y);
        am_lu_solve(s->S, n, s->order, 1, s->Y + k * n);
    }
    for (size_t a = 0; a < rows; a++)
        for (size_t b = 0; b < rows; b++)
            s->cone.W[a * rows + b] = am_dense_dot(s->row[a], s->Y + b * n, n);
    for (size_t c = 0; c < m->m; c++)
        for (size_t k = s->cone.first[c] + 1; k < s->cone.first[c + 1] && has_spring(m, c); k++)
            s->cone.W[k * (rows + 1)] += /* its compliance, over a step */
                1.0 / (part_of_tangent(m, c) * h * h * m->system->contact[c].tangential_stiffness);
    s->h = h;
    return true;
}

/* Inputs at the end of the step, and their mean. */
static void take_inputs(am_march *m, double end) {
    double *mean = m->impulses->z;
    am_system_inputs(m->system, m->t, mean);
    am_system_inputs(m->system, end, m->z);
    for (size_t j = 0; j < m->system->nz; j++)
        mean[j] = 0.5 * (mean[j] + m->z[j]);
}

/* Velocities without contact impulses. */
static void fly(am_march *m, double h) {
    am_march_impulses *s = m->impulses;
    size_t n = m->n, nz = m->system->nz;
    const double *q = m->y, *v = m->y + n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n && (i == 0 || m->lights > 0); j++)
            m->row[j] = q[j] + part(m, i) * h * v[j];
        double force = am_dense_dot(m->system->input + i * nz, m->light[i] ? m->z : s->z, nz) -
                       am_dense_dot(m->C + i * n, v, n) - am_dense_dot(m->K + i * n, m->row, n);
        if (m->A)
            force -= am_dense_dot(m->A + i * n, m->row, n);
        for (size_t j = 0; j < n && s->smooth; j++)
            force += smooth_slope(m, h, i, j) * (s->after[j] - v[j]);
        s->v[i] = h * (s->smooth ? force - m->g[i] : force);
    }
    am_lu_solve(s->S, n, s->order, 1, s->v);
    for (size_t i = 0; i < n; i++)
        s->v[i] += v[i];
}

/* Sliding velocity along a row as the step begins, on a surface that moves with its mean velocity. */
static double slide_before(const am_march *m, size_t c, size_t row) {
    double along = am_dense_dot(m->impulses->row[row], m->y + m->n, m->n);
    if (row > m->impulses->cone.first[c] + 1) /* surfaces move along the first tangent */
        return along;
    return along + am_system_surface(m->system, c, m->z) - 2.0 * am_system_surface(m->system, c, m->impulses->z);
}

/* The velocity with which a contact strikes, of what has mass. */
static double strike(const am_march *m, size_t c) {
    const double *normal = m->system->contact[c].normal, *v = m->y + m->n;
    double sum = am_dense_dot(normal, v, m->n);
    for (size_t i = 0; i < m->n && m->lights > 0; i++)
        sum -= m->light[i] ? normal[i] * v[i] : 0.0;
    return sum;
}

/* Which contacts take part, and what they would do without impulses. */
static void find_free_rates(am_march *m, double h) {
    am_march_impulses *s = m->impulses;
    am_cone *cone = &s->cone;
    size_t n = m->n, nz = m->system->nz;
    const double *v = m->y + n;
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        double lift = am_system_gap_rate(m->system, c, m->z), gap = am_system_gap(m->system, c, m->z);
        double rate = am_dense_dot(contact->normal, s->v, n) + lift;
        double before = strike(m, c) + 2.0 * am_system_gap_rate(m->system, c, s->z) - lift;
        gap = am_dense_dot(contact->normal, m->y, n) + 2.0 * am_system_gap(m->system, c, s->z) - gap;
        bool held = contact->normal_law == AM_HELD;
        bool layer = am_contact_is_compliant(contact);
        cone->hold[c] = held ? h * am_dense_dot(m->system->hold + c * nz, s->z, nz) : layer ? h * s->press[c] : 0.0;
        cone->active[c] = held || layer || gap + 0.5 * h * rate <= 0.0;
        size_t first = cone->first[c];
        bool strikes = m->state[c] == AM_OPEN && before < 0.0;
        cone->free[first] = rate + (before < 0.0 ? contact->restitution * before : 0.0);
        for (size_t k = first + 1; k < cone->first[c + 1]; k++) {
            double surface = k == first + 1 ? am_system_surface(m->system, c, m->z) : 0.0;
            cone->free[k] = am_dense_dot(s->row[k], s->v, n) - surface;
            if (strikes)
                cone->free[k] += contact->tangential_restitution * (am_dense_dot(s->row[k], v, n) - surface);
        }
        for (size_t k = first + 1; k < cone->first[c + 1] && has_spring(m, c); k++)
            cone->free[k] += part_of_tangent(m, c) == 1.0
                                 ? m->y[m->inner[c] + k - first - 1] / h
                                 : slide_before(m, c, k) + 2.0 * m->y[m->inner[c] + k - first - 1] / h;
        cone->mu[c] = contact->friction;
        if (m->state[c] == AM_STICK || m->statistics.steps == 0 || am_friction_weakens(&contact->weakening))
            cone->mu[c] = am_march_coefficient(m, c, true, m->y);
        if (am_march_is_viscous(m, c)) /* a force of its own */
            cone->mu[c] = 0.0;
        else if (contact->speed_friction.law) /* at the speed with which the step begins */
            cone->mu[c] = am_speed_friction_at(
                &contact->speed_friction, fabs(am_march_slide(m, c, am_march_seeks_speed(m, c) ? s->after : v)), NULL);
        for (size_t k = first; k < cone->first[c + 1] && !cone->active[c]; k++)
            cone->P[k] = 0.0;
    }
}

/* ---- impulses ---- */

/* What sweeps over contacts in planes do not find. */
static am_status by_newton(am_march *m, am_error *err) {
    bool found;
    AM_TRY(am_cone_newton(&m->impulses->cone, &m->memory, &found, err));
    return found ? AM_OK
                 : am_fail(err, AM_ERR_NO_STATE,
                           "no impulses were found that satisfy the contact laws in the step from t = %.15g (the best "
                           "miss them by %.3g of the largest): rigid contact may have no solution there (Painlevé)",
                           m->t, am_cone_residual(&m->impulses->cone));
}

/* The cone of lines as a linear complementarity problem in (P, R+, R-, slack of sliding) of every active contact, for Lemke's
 * method. */
static am_status pivot(am_march *m, am_error *err) {
    am_march_impulses *s = m->impulses;
    am_cone *cone = &s->cone;
    size_t rows = cone->rows, size = 4 * m->m;
    am_lcp_info info;
    if (!s->M)
        s->M = am_memory_new(size * size, sizeof *s->M, err);
    if (!s->M)
        return AM_ERR_MEMORY;
    memset(s->M, 0, size * size * sizeof *s->M);
    for (size_t a = 0; a < m->m; a++) {
        bool held = cone->given[a];
        for (size_t b = 0; b < m->m && cone->active[a]; b++) {
            bool pushes = !cone->given[b];
            if (!cone->active[b])
                continue;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double sign = (i == 2 ? -1.0 : 1.0) * (j == 2 ? -1.0 : 1.0);
                    double w = cone->W[(cone->first[a] + (i > 0)) * rows + cone->first[b] + (j > 0)];
                    if ((i == 0 && held) || (j == 0 && !pushes))
                        w = 0.0;
                    s->M[(4 * a + (size_t)i) * size + 4 * b + (size_t)j] = sign * w;
                }
        }
        s->M[(4 * a + 1) * size + 4 * a + 3] = s->M[(4 * a + 2) * size + 4 * a + 3] = 1.0;
        s->M[(4 * a + 3) * size + 4 * a] = held ? 0.0 : cone->mu[a];
        s->M[(4 * a + 3) * size + 4 * a + 1] = s->M[(4 * a + 3) * size + 4 * a + 2] = -1.0;
        s->q[4 * a] = !cone->active[a] || held ? 1.0 : cone->free[cone->first[a]];
        s->q[4 * a + 1] = cone->active[a] ? cone->free[cone->first[a] + 1] : 1.0;
        s->q[4 * a + 2] = cone->active[a] ? -cone->free[cone->first[a] + 1] : 1.0;
        s->q[4 * a + 3] = held ? cone->mu[a] * cone->hold[a] : 0.0;
    }
    am_lcp problem = am_lcp_dense(size, s->M, s->q);
    am_lcp_options options = {.method = AM_LCP_LEMKE};
    AM_TRY(am_lcp_solve(&problem, &options, s->workspace, s->x, &info, err));
    if (info.status != AM_LCP_SOLVED)
        return am_fail(err, AM_ERR_NO_STATE,
                       "no impulses satisfy the contact laws in the step from t = %.15g: rigid contact may have no "
                       "solution there (Painlevé)",
                       m->t);
    for (size_t c = 0; c < m->m; c++) {
        double *P = cone->P + cone->first[c];
        P[0] = cone->given[c] ? cone->hold[c] : s->x[4 * c];
        P[1] = s->x[4 * c + 1] - s->x[4 * c + 2];
    }
    return AM_OK;
}

/* Contacts that held with static friction and cannot: they slide. How many. */
static size_t release(am_march *m) {
    am_cone *cone = &m->impulses->cone;
    size_t count = 0;
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        const double *P = cone->P + cone->first[c];
        bool holds = am_contact_drops(contact) && cone->mu[c] == contact->static_friction;
        if (!holds || !(P[0] > 0.0) || fabs(P[1]) < cone->mu[c] * P[0] * (1.0 - at_limit))
            continue;
        cone->mu[c] = contact->friction;
        count++;
    }
    return count;
}

static am_status find_impulses(am_march *m, am_error *err) {
    am_march_impulses *s = m->impulses;
    do
        if (!am_cone_sweep(&s->cone, MOST_SWEEPS))
            AM_TRY(s->planes ? by_newton(m, err) : pivot(m, err));
    while (release(m) > 0);
    s->residual = fmax(s->residual, am_cone_residual(&s->cone));
    return AM_OK;
}

static am_contact_state state_of(const am_march *m, size_t c) {
    const am_cone *cone = &m->impulses->cone;
    bool plane = am_march_has_plane(m, c);
    const double *own = cone->P + cone->first[c];
    double P = own[0], R = own[1], most = cone->mu[c] * P;
    double slide = am_march_slide(m, c, m->y + m->n);
    if (m->system->contact[c].normal_law != AM_HELD && !(P > 0.0))
        return AM_OPEN;
    if (m->kind[c] == AM_MARCH_REGULARISED && fabs(slide) <= m->system->contact[c].regularisation)
        return AM_STICK;
    if (m->system->stop[c] || (plane ? hypot(R, own[2]) : fabs(R)) < most * (1.0 - at_limit))
        return AM_STICK;
    if (plane)
        return AM_FORWARD;
    return (most > 0.0 ? R < 0.0 : slide >= 0.0) ? AM_FORWARD : AM_BACKWARD;
}

/* What has moved inside of contacts. */
static void move_inner(am_march *m, double h) {
    const am_cone *cone = &m->impulses->cone;
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        if (m->inner[c] == 0)
            continue;
        double *inner = &m->y[m->inner[c]], stretched = 0.0;
        double last = am_march_slide(m, c, m->y + m->n);
        double first = part_of_tangent(m, c) == 1.0 ? last : am_march_slide(m, c, m->span_y + m->n);
        for (size_t k = cone->first[c] + 1; has_spring(m, c) && k < cone->first[c + 1]; k++) {
            double *stretch = &inner[k - cone->first[c] - 1], now = -cone->P[k] / (h * contact->tangential_stiffness);
            stretched += now - *stretch;
            *stretch = now;
        }
        for (size_t i = 0; m->kind[c] == AM_MARCH_DRAG && i < m->inners[c]; i++)
            inner[i] += 2.0 * (m->impulses->inner[AM_MARCH_INNER * c + i] - inner[i]);
        bool slips = m->state[c] == AM_FORWARD || m->state[c] == AM_BACKWARD;
        if (slips && am_friction_weakens(&contact->weakening))
            m->y[am_march_slid(m, c)] +=
                has_spring(m, c) ? fabs(0.5 * h * (first + last) - stretched) : 0.5 * h * (fabs(first) + fabs(last));
        if (m->state[c] == AM_OPEN)
            am_march_forget(m, c);
    }
}

/* One round: impulses, and the velocities after them. By how much these change, of the largest; the part `share` of that
 * is taken. */
static am_status find_impulses_once(am_march *m, double h, double share, double *change, am_error *err) {
    am_march_impulses *s = m->impulses;
    size_t n = m->n;
    double most = 0.0, size = 0.0;
    if (s->smooth)
        am_march_smooth_forces(m, h);
    if (!factor(m, h))
        return am_fail(err, AM_ERR_UNSUPPORTED, "the matrix of a step of %g is singular", h);
    fly(m, h);
    find_free_rates(m, h);
    AM_TRY(find_impulses(m, err));
    for (size_t i = 0; i < n; i++) {
        double after = s->v[i];
        for (size_t c = 0; c < m->m; c++)
            for (size_t k = s->cone.first[c] + s->cone.given[c]; k < s->cone.first[c + 1]; k++)
                after += s->Y[k * n + i] * s->cone.P[k];
        most = fmax(most, fabs(after - s->after[i]));
        size = fmax(size, fmax(fabs(after), fabs(s->after[i])));
        s->after[i] = share == 1.0 ? after : s->after[i] + share * (after - s->after[i]);
    }
    *change = size > 0.0 ? most / size : 0.0;
    return AM_OK;
}

static am_status find_velocities(am_march *m, double h, am_error *err) {
    double change = INFINITY, share = 1.0;
    memcpy(m->impulses->after, m->y + m->n, m->n * sizeof *m->y);
    for (size_t round = 0; round < MOST_ROUNDS; round++) {
        double before = change;
        AM_TRY(find_impulses_once(m, h, share, &change, err));
        if (!m->impulses->smooth || change <= at_rest)
            return AM_OK;
        share = change >= before ? 0.5 * share : fmin(1.0, 1.5 * share); /* steep friction leads from side to side */
    }
    return am_fail(
        err, AM_ERR_LIMIT,
        "in the step from t = %.15g forces and impulses do not come to rest (velocities still change by %.3g "
        "of the largest after %d rounds): a smaller step may do",
        m->t, change, MOST_ROUNDS);
}

/* A coordinate with neither mass nor damping that does not begin in balance leaps there in the first step, however short that
 * is. What friction remembers depends on the way, which one step does not resolve. */
static am_status check_leap(const am_march *m, double h, am_error *err) {
    double size = am_dense_largest(m->y, m->n);
    for (size_t c = 0; c < m->m && m->lights > 0 && m->statistics.steps == 1; c++)
        for (size_t i = 0; i < m->n; i++) {
            double first = m->span_y[m->n + i], second = m->y[m->n + i];
            bool goes_on = fabs(second) > 0.1 * fabs(first) && first * second > 0.0;
            if (m->inners[c] > 0 && m->reach[i] > 0.0 && m->system->contact[c].tangent[i] != 0.0 && !goes_on &&
                fabs(h * first) > fmin(10.0 * h * m->pace, 0.05) * size)
                return am_fail_field(err, AM_ERR_UNSUPPORTED, "initial",
                                     "coordinate %s, which has neither mass nor damping, does not begin in balance: it "
                                     "leaps by %g in the first step, and what the friction of contact '%s' remembers "
                                     "depends on the way; begin at rest (initial: rest) or in balance, or take the "
                                     "adaptive method, which follows it",
                                     am_system_name(m->system, i), h * m->span_y[m->n + i], m->system->contact[c].name);
        }
    return AM_OK;
}

am_status am_march_step_moreau(am_march *m, double until, am_error *err) {
    am_march_impulses *s = m->impulses;
    size_t n = m->n;
    double end = am_march_step_end(m, until);
    am_status status = am_march_blow_within(m, end, err);
    if (status)
        return status;
    memcpy(m->span_y, m->y, m->size * sizeof *m->y);
    double h = end - m->t;
    if (fabs(h - m->step) <= 1e-9 * m->step)
        h = m->step; /* the same but for rounding of time: factors are kept */
    take_inputs(m, end);
    AM_TRY(find_velocities(m, h, err));
    double *v = m->y + n;
    for (size_t i = 0; i < n; i++) {
        m->y[i] += m->light[i] ? h * s->after[i] : 0.5 * h * (v[i] + s->after[i]);
        v[i] = s->after[i];
    }
    m->t = end;
    for (size_t c = 0; c < m->m; c++)
        m->state[c] = state_of(m, c);
    move_inner(m, h);
    am_march_mean_forces(m);
    return check_leap(m, h, err);
}
