#include "math/cone.h"

#include <math.h>
#include <string.h>

#include "base/try.h"
#include "math/dense.h"
#include "math/friction_disc.h"
#include "math/lu.h"

enum { MOST_ITERATIONS = 100, MOST_HALVINGS = 8, SWEEPS = 10 };

/* How little the last of some sweeps changes; what Newton's method has to reach; by how much its matrix is moved, for
 * contacts that bear the same load in more than one way. All relative. */
static const double still = 1e-13, enough = 1e-11, moved = 1e-12;

am_status am_cone_init(am_cone *s, am_arena *memory, size_t contacts, const unsigned char *tangents, am_error *err) {
    *s = (am_cone){.contacts = contacts};
    s->first = am_arena_new(memory, contacts + 1, sizeof *s->first, err);
    AM_ARENA_ARRAYS(memory, bool, contacts, err, &s->given, &s->active);
    AM_ARENA_DOUBLES(memory, contacts, err, &s->hold, &s->mu);
    AM_TRY(am_arena_status(memory));
    for (size_t c = 0; c < contacts; c++) {
        s->active[c] = true;
        s->first[c] = s->rows;
        s->rows += 1u + tangents[c];
    }
    s->first[contacts] = s->rows;
    s->W = am_arena_doubles(memory, NULL, s->rows * s->rows, err);
    AM_ARENA_DOUBLES(memory, s->rows, err, &s->P, &s->free, &s->defect, &s->shift);
    s->pivot = am_arena_new(memory, s->rows, sizeof *s->pivot, err);
    return am_arena_status(memory);
}

/* u of a row. */
static double rate_of(const am_cone *s, size_t row) {
    double sum = s->free[row];
    const double *W = s->W + row * s->rows;
    for (size_t c = 0; c < s->contacts; c++)
        for (size_t j = s->first[c] + s->given[c]; j < s->first[c + 1]; j++)
            sum += W[j] * s->P[j];
    return sum;
}

/* ---- sweeps ---- */

/* Friction of one contact for its normal force. */
static void rub(am_cone *s, size_t c) {
    size_t k = s->first[c] + 1, rows = s->rows, tangents = s->first[c + 1] - k;
    double most = s->mu[c] * s->P[k - 1], *R = s->P + k;
    const double *W = s->W + k * rows + k;
    if (tangents == 1 && W[0] > 0.0)
        *R = fmax(-most, fmin(most, *R - rate_of(s, k) / W[0]));
    if (tangents < 2)
        return;
    double own[4] = {W[0], W[1], W[rows], W[rows + 1]}, rest[2];
    for (size_t i = 0; i < 2; i++) /* sliding without its own friction */
        rest[i] = rate_of(s, k + i) - own[2 * i] * R[0] - own[2 * i + 1] * R[1];
    am_disc_solve(own, rest, most, R);
}

bool am_cone_sweep(am_cone *s, size_t most_rounds) {
    for (size_t round = 0; round < most_rounds; round++) {
        double change = 0.0, size = 0.0;
        for (size_t c = 0; c < s->contacts; c++) {
            size_t k = s->first[c], count = s->first[c + 1] - k;
            double *P = s->P + k, old[3], mobility = s->W[k * s->rows + k];
            if (!s->active[c])
                continue;
            memcpy(old, P, count * sizeof *P);
            if (s->given[c])
                *P = s->hold[c];
            else
                *P = mobility > 0.0 ? fmax(0.0, *P - rate_of(s, k) / mobility) : 0.0;
            rub(s, c);
            for (size_t i = 0; i < count; i++)
                change = fmax(change, fabs(P[i] - old[i]));
            size = fmax(size, *P);
        }
        if (change <= still * size)
            return true;
    }
    return false;
}

/* ---- equations ---- */

/* Mobility of a contact along its normal, and along its tangents together. */
static void mobilities(const am_cone *s, size_t c, double *normal, double *tangential) {
    size_t k = s->first[c];
    *normal = s->W[k * s->rows + k];
    *tangential = 0.0;
    for (size_t j = k + 1; j < s->first[c + 1]; j++)
        *tangential += s->W[j * s->rows + j];
}

/* y = P_t - u_t/w. */
static void augment(const am_cone *s, size_t c, double w, double *y) {
    y[0] = y[1] = 0.0;
    for (size_t j = s->first[c] + 1, i = 0; j < s->first[c + 1]; j++, i++)
        y[i] = s->P[j] - (w > 0.0 ? rate_of(s, j) / w : 0.0);
}

static double radius(const am_cone *s, size_t c) {
    return s->mu[c] * fmax(s->P[s->first[c]], 0.0);
}

/* What the equations say of a contact's forces, less these. */
static void contact_defect(const am_cone *s, size_t c, double *d) {
    size_t k = s->first[c];
    double along, across, y[2];
    mobilities(s, c, &along, &across);
    if (s->given[c])
        d[0] = s->hold[c] - s->P[k];
    else
        d[0] = along > 0.0 ? fmax(0.0, s->P[k] - rate_of(s, k) / along) - s->P[k] : -s->P[k];
    augment(s, c, across, y);
    am_disc_project(radius(s, c), y);
    for (size_t j = k + 1, i = 0; j < s->first[c + 1]; j++, i++)
        d[1 + i] = y[i] - s->P[j];
}

double am_cone_residual(const am_cone *s) {
    double most = 0.0, size = 0.0;
    for (size_t c = 0; c < s->contacts; c++) {
        double d[3] = {0};
        if (!s->active[c])
            continue;
        contact_defect(s, c, d);
        most = fmax(most, fmax(fabs(d[0]), hypot(d[1], d[2])));
        size = fmax(size, s->P[s->first[c]]);
    }
    return most > 0.0 ? most / size : 0.0;
}

static double all_defects(am_cone *s) {
    memset(s->defect, 0, s->rows * sizeof *s->defect);
    for (size_t c = 0; c < s->contacts; c++)
        if (s->active[c])
            contact_defect(s, c, s->defect + s->first[c]);
    return am_dense_dot(s->defect, s->defect, s->rows);
}

/* ---- Newton's method ---- */

/* A row of the matrix gets the derivative of a rate, times a factor. */
static void add_rate(am_cone *s, size_t row, size_t rate, double factor) {
    for (size_t c = 0; c < s->contacts; c++)
        for (size_t j = s->first[c] + s->given[c]; j < s->first[c + 1]; j++)
            s->M[row * s->rows + j] += factor * s->W[rate * s->rows + j];
}

/* In slip P_t = mu P_n y/|y|. */
static void slip_rows(am_cone *s, size_t c, const double *y, double length, double w) {
    size_t k = s->first[c], t = k + 1, count = s->first[c + 1] - t;
    for (size_t i = 0; i < count; i++) {
        double *row = s->M + (t + i) * s->rows;
        row[t + i] += 1.0;
        row[k] -= s->mu[c] * y[i] / length;
        for (size_t j = 0; j < count && count > 1; j++) { /* a direction that turns */
            double turn = radius(s, c) / length * ((i == j) - y[i] * y[j] / (length * length));
            row[t + j] -= turn;
            add_rate(s, t + i, t + j, turn / w);
        }
    }
}

static void contact_rows(am_cone *s, size_t c) {
    size_t k = s->first[c], t = k + 1, count = s->first[c + 1] - t;
    double along, across, y[2];
    mobilities(s, c, &along, &across);
    bool rubs = s->active[c] && across > 0.0;
    if (s->active[c] && !s->given[c] && along > 0.0 && s->P[k] - rate_of(s, k) / along > 0.0)
        add_rate(s, k, k, 1.0 / along);
    else
        s->M[k * s->rows + k] += 1.0;
    augment(s, c, across, y);
    double length = hypot(y[0], y[1]);
    if (rubs && length > radius(s, c)) {
        slip_rows(s, c, y, length, across);
        return;
    }
    for (size_t i = 0; i < count; i++)
        if (rubs)
            add_rate(s, t + i, t + i, 1.0 / across);
        else
            s->M[(t + i) * s->rows + t + i] += 1.0;
}

/* Factors of Newton's matrix; false: it has none. */
static bool factor(am_cone *s) {
    memset(s->M, 0, s->rows * s->rows * sizeof *s->M);
    for (size_t c = 0; c < s->contacts; c++)
        contact_rows(s, c);
    for (size_t k = 0; k < s->rows; k++)
        s->M[k * s->rows + k] += moved;
    return am_lu_factor(s->M, s->rows, s->pivot);
}

static am_status reserve(am_cone *s, am_arena *memory, am_error *err) {
    if (!s->M)
        s->M = am_arena_doubles(memory, NULL, s->rows * s->rows, err);
    return s->M ? AM_OK : AM_ERR_MEMORY;
}

static void move(am_cone *s, double part) {
    for (size_t k = 0; k < s->rows; k++)
        s->P[k] += part * s->shift[k];
}

am_status am_cone_newton(am_cone *s, am_arena *memory, bool *found, am_error *err) {
    AM_TRY(reserve(s, memory, err));
    double size = all_defects(s);
    for (int i = 0; i < MOST_ITERATIONS && am_cone_residual(s) > enough; i++) {
        double part = 1.0, before = size;
        if (!factor(s))
            break;
        memcpy(s->shift, s->defect, s->rows * sizeof *s->shift);
        am_lu_solve(s->M, s->rows, s->pivot, 1, s->shift);
        move(s, part);
        size = all_defects(s);
        for (int k = 0; k < MOST_HALVINGS && !(size < before); k++) {
            move(s, -0.5 * part);
            part *= 0.5;
            size = all_defects(s);
        }
        if (size < before)
            continue;
        move(s, -part); /* no way down */
        am_cone_sweep(s, SWEEPS);
        size = all_defects(s);
    }
    *found = am_cone_residual(s) <= enough;
    return AM_OK;
}
