/* Sliders behind springs in a plane (docs/laws.md, section 6). With the stretches e in R^2 the force is T = -k e, within
 * |T| <= mu N. In stick e' = v; in slip the slider moves along e,
 *
 *     e' = v - lambda e,     lambda = (e.v - (mu/k)^2 N N')/|e|^2,
 *
 * which keeps |k e| = mu N. Where next to nothing presses e has no direction: |e| counts as no less than what the least
 * normal force makes it. */
#include <math.h>
#include <string.h>

#include "engines/marching/marching.h"
#include "math/dense.h"

static double coefficient_over_stiffness(const am_march *m, size_t c) {
    return m->system->contact[c].friction / m->system->contact[c].tangential_stiffness;
}

static double least_square(const am_march *m, size_t c, double square) {
    double least = coefficient_over_stiffness(m, c) * am_march_least_normal(m, c);
    return fmax(square, least * least);
}

double am_march_plane_length(const am_march *m, size_t c, const double *y) {
    return hypot(y[m->inner[c]], y[m->inner[c] + 1]);
}

/* |e|^2 lambda, with N and N' of the accelerations in `rate`. */
static double drive(const am_march *m, size_t c, const double *y, const double *rate) {
    const double *e = y + m->inner[c], *v = y + m->n;
    double part = coefficient_over_stiffness(m, c);
    return e[0] * am_march_slide(m, c, v) + e[1] * am_march_slide_across(m, c, v) -
           part * part * m->normal[c] * am_march_normal_rate(m, c, y, rate);
}

void am_march_plane_rate(const am_march *m, size_t c, const double *y, double *rate) {
    const double *e = y + m->inner[c], *v = y + m->n;
    double lambda = 0.0, *to = rate + m->inner[c];
    if (m->state[c] == AM_OPEN)
        return;
    if (m->state[c] != AM_STICK)
        lambda = drive(m, c, y, rate) / least_square(m, c, e[0] * e[0] + e[1] * e[1]);
    to[0] = am_march_slide(m, c, v) - lambda * e[0];
    to[1] = am_march_slide_across(m, c, v) - lambda * e[1];
}

double am_march_plane_speed(const am_march *m, size_t c, const double *y, const double *rate) {
    double length = am_march_plane_length(m, c, y);
    return drive(m, c, y, rate) / sqrt(least_square(m, c, length * length));
}

bool am_march_plane_quantity(const am_march *m, size_t c, size_t slot, const double *y, double *value) {
    const am_contact_def *contact = &m->system->contact[c];
    double pull = contact->tangential_stiffness * am_march_plane_length(m, c, y);
    double limit = contact->friction * fmax(m->normal[c], 0.0);
    double size = fmax(m->force[c], contact->friction * am_march_least_normal(m, c));
    if (m->state[c] == AM_STICK) /* smooth where e passes zero */
        *value = (limit * limit - pull * pull) / (2.0 * size);
    else
        *value = am_march_plane_speed(m, c, y, m->rate);
    return slot == 2 && size > 0.0;
}

void am_march_plane_stretch(am_march *m, size_t c, double length) {
    double *e = m->y + m->inner[c], before = hypot(e[0], e[1]), part = before > 0.0 ? length / before : 0.0;
    m->relaxed += 0.5 * m->system->contact[c].tangential_stiffness * before * before * (1.0 - part * part);
    e[0] *= part;
    e[1] *= part;
}

/* Derivatives but for those of N N'. */
void am_march_plane_jacobian(const am_march *m, size_t c, const double *y, double *J) {
    const am_contact_def *contact = &m->system->contact[c];
    const double *const tangent[] = {contact->tangent, contact->second_tangent}, *e = y + m->inner[c];
    const double *const moves[] = {m->Bt + c * m->n, m->Bs + c * m->n};
    size_t n = m->n, size = m->size, at = m->inner[c];
    bool slips = m->state[c] != AM_STICK;
    double square = e[0] * e[0] + e[1] * e[1], over = slips ? least_square(m, c, square) : 1.0;
    double lambda = slips ? drive(m, c, y, m->rate) / over : 0.0;
    double v[] = {am_march_slide(m, c, y + n), am_march_slide_across(m, c, y + n)};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < n; k++)
            J[n + k + (at + i) * size] -= contact->tangential_stiffness * moves[i][k];
        for (size_t j = 0; j < 2; j++) {
            double by_v = (i == j) - (slips ? e[i] * e[j] / over : 0.0);
            for (size_t k = 0; k < n; k++)
                J[at + i + (n + k) * size] += by_v * tangent[j][k];
            if (slips)
                J[at + i + (at + j) * size] -=
                    lambda * (i == j) + e[i] * (v[j] - (square == over ? 2.0 * lambda * e[j] : 0.0)) / over;
        }
    }
}
