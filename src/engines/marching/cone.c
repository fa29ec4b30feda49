/* The cone of friction in Moreau and Jean's scheme: how well impulses obey it, and Newton's method for those that
 * sweeps do not find. With steps 1/w along the rates u of a contact its laws are
 *
 *     P = max(0, P - u_n/w_n),     R = the point of the disc |R| <= mu P next to R - u_t/w_t
 *
 * (Alart and Curnier 1991), which Newton's method solves where it is smooth: in stick, in slip, and apart. Where it finds
 * no way down sweeps lead on to other states. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "engines/marching/impulses.h"
#include "math/dense.h"
#include "math/disc.h"
#include "math/lu.h"

enum { MOST_ITERATIONS = 100, MOST_HALVINGS = 8, SWEEPS = 10 };

/* What Newton's method has to reach, relative to the largest impulse; its matrix is moved by the second, for contacts
 * that bear the same load in more than one way. */
static const double enough = 1e-11, shift = 1e-12;

/* Mobility of a contact along its normal, and along its tangents together. */
static void mobilities(const am_march_impulses *s, size_t c, double *normal, double *tangential) {
    size_t k = s->first[c];
    *normal = s->W[k * s->rows + k];
    *tangential = 0.0;
    for (size_t j = k + 1; j < s->first[c + 1]; j++)
        *tangential += s->W[j * s->rows + j];
}

/* What a contact's laws say of its impulses, less these: normal, then tangents. */
static void defect(const am_march *m, size_t c, double *d) {
    const am_march_impulses *s = m->impulses;
    size_t k = s->first[c], tangents = s->first[c + 1] - k - 1;
    double along, across, y[2] = {0};
    mobilities(s, c, &along, &across);
    if (m->system->contact[c].normal_law == AM_HELD)
        d[0] = s->hold[c] - s->P[k];
    else
        d[0] = along > 0.0 ? fmax(0.0, s->P[k] - am_march_impulse_rate(s, k) / along) - s->P[k] : -s->P[k];
    for (size_t j = 0; j < tangents; j++)
        y[j] = s->P[k + 1 + j] - (across > 0.0 ? am_march_impulse_rate(s, k + 1 + j) / across : 0.0);
    am_disc_project(s->mu[c] * fmax(s->P[k], 0.0), y);
    for (size_t j = 0; j < tangents; j++)
        d[1 + j] = y[j] - s->P[k + 1 + j];
}

double am_march_impulse_residual(const am_march *m) {
    const am_march_impulses *s = m->impulses;
    double most = 0.0, size = 0.0;
    for (size_t c = 0; c < m->m; c++) {
        double d[3] = {0};
        if (!s->active[c])
            continue;
        defect(m, c, d);
        most = fmax(most, fmax(fabs(d[0]), hypot(d[1], d[2])));
        size = fmax(size, s->P[s->first[c]]);
    }
    return most > 0.0 ? most / size : 0.0;
}

double am_march_worst_residual(const am_march *march) {
    return march->impulses->residual;
}

/* ---- Newton's method ---- */

static double all_defects(const am_march *m) {
    am_march_impulses *s = m->impulses;
    for (size_t c = 0; c < m->m; c++)
        if (s->active[c])
            defect(m, c, s->q + s->first[c]);
        else
            memset(s->q + s->first[c], 0, (s->first[c + 1] - s->first[c]) * sizeof *s->q);
    return am_dense_dot(s->q, s->q, s->rows);
}

/* A row of the matrix gets the derivative of a rate, times a factor. */
static void add_rate(am_march_impulses *s, size_t row, size_t rate, double factor) {
    for (size_t j = 0; j < s->rows; j++)
        if (s->acts[j])
            s->M[row * s->rows + j] += factor * s->W[rate * s->rows + j];
}

/* In slip R = mu P y/|y|, y = R - u/w. */
static void slip_rows(am_march_impulses *s, size_t c, const double *y, double length, double w) {
    size_t k = s->first[c], t = k + 1, count = s->first[c + 1] - t;
    double radius = s->mu[c] * fmax(s->P[k], 0.0);
    for (size_t i = 0; i < count; i++) {
        double *row = s->M + (t + i) * s->rows;
        row[t + i] += 1.0;
        row[k] -= s->mu[c] * y[i] / length;
        for (size_t j = 0; j < count && count > 1; j++) { /* a direction that turns */
            double turn = radius / length * ((i == j) - y[i] * y[j] / (length * length));
            row[t + j] -= turn;
            add_rate(s, t + i, t + j, turn / w);
        }
    }
}

static void contact_rows(const am_march *m, size_t c) {
    am_march_impulses *s = m->impulses;
    size_t k = s->first[c], t = k + 1, count = s->first[c + 1] - t;
    double along, across, y[2] = {0};
    bool held = m->system->contact[c].normal_law == AM_HELD;
    mobilities(s, c, &along, &across);
    if (s->active[c] && !held && along > 0.0 && s->P[k] - am_march_impulse_rate(s, k) / along > 0.0)
        add_rate(s, k, k, 1.0 / along);
    else
        s->M[k * s->rows + k] += 1.0;
    for (size_t i = 0; i < count && across > 0.0; i++)
        y[i] = s->P[t + i] - am_march_impulse_rate(s, t + i) / across;
    double length = hypot(y[0], y[1]);
    for (size_t i = 0; i < count && (!s->active[c] || !(across > 0.0)); i++)
        s->M[(t + i) * s->rows + t + i] += 1.0;
    if (!s->active[c] || !(across > 0.0))
        return;
    if (length > s->mu[c] * fmax(s->P[k], 0.0))
        slip_rows(s, c, y, length, across);
    else
        for (size_t i = 0; i < count; i++)
            add_rate(s, t + i, t + i, 1.0 / across);
}

/* s->x: the step. */
static bool newton_step(const am_march *m) {
    am_march_impulses *s = m->impulses;
    memset(s->M, 0, s->rows * s->rows * sizeof *s->M);
    for (size_t c = 0; c < m->m; c++)
        contact_rows(m, c);
    for (size_t k = 0; k < s->rows; k++)
        s->M[k * s->rows + k] += shift;
    memcpy(s->x, s->q, s->rows * sizeof *s->x);
    if (!am_lu_factor(s->M, s->rows, s->pivot))
        return false;
    am_lu_solve(s->M, s->rows, s->pivot, 1, s->x);
    return true;
}

static void move(am_march_impulses *s, double part) {
    for (size_t k = 0; k < s->rows; k++)
        s->P[k] += part * s->x[k];
}

am_status am_march_newton_impulses(am_march *m, am_error *err) {
    am_march_impulses *s = m->impulses;
    if (!s->M)
        s->M = am_memory_new(16 * m->m * m->m, sizeof *s->M, err);
    if (!s->M)
        return AM_ERR_MEMORY;
    double size = all_defects(m);
    for (int i = 0; i < MOST_ITERATIONS && am_march_impulse_residual(m) > enough; i++) {
        double part = 1.0, before = size;
        if (!newton_step(m))
            break;
        move(s, part);
        size = all_defects(m);
        for (int k = 0; k < MOST_HALVINGS && !(size < before); k++) {
            move(s, -0.5 * part);
            part *= 0.5;
            size = all_defects(m);
        }
        if (size < before)
            continue;
        move(s, -part); /* no way down */
        am_march_sweep(m, SWEEPS);
        size = all_defects(m);
    }
    double residual = am_march_impulse_residual(m);
    if (residual <= enough)
        return AM_OK;
    return am_fail(
        err, AM_ERR_NO_STATE,
        "no impulses were found that satisfy the contact laws in the step from t = %.15g (the best miss them "
        "by %.3g of the largest): rigid contact may have no solution there (Painlevé)",
        m->t, residual);
}
