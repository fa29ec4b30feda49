#include "analyses/response/rough.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "math/dense.h"
#include "system/system.h"

struct am_rough {
    am_arena memory;
    const am_system *system;
    size_t n, m, samples, steps; /* steps: of each sample */
    double period, smoothing;    /* sliding velocity below which rigid friction is smooth */
    double *inverse;             /* M^-1 */
    double *C, *K;               /* n x n, circulatory forces in K */
    double *force;               /* n */
    double *rate[4], *trial;     /* 2 n each */
    double *before;              /* n: q at the beginning of a step */
    const double *stretch;       /* m: the springs there */
};

/* ---- forces ---- */

static double clip(double value, double limit) {
    return fmax(-limit, fmin(limit, value));
}

static double normal_force(const am_contact_def *c, double t, const double *q, const double *v, size_t n) {
    if (c->normal_law == AM_HELD)
        return am_function_at(&c->hold, t);
    double depth = -(am_dense_dot(c->normal, q, n) + c->gap), speed = -am_dense_dot(c->normal, v, n);
    return depth > 0.0 ? fmax(0.0, c->contact_stiffness * depth + c->contact_damping * speed) : 0.0;
}

/* Stretch of a spring behind a slider when q has moved on from `before`. */
static double stretched(const am_rough *r, size_t contact, const double *q, double N) {
    const am_contact_def *c = am_system_contact(r->system, contact);
    double moved = am_dense_dot(c->tangent, q, r->n) - am_dense_dot(c->tangent, r->before, r->n);
    return clip(r->stretch[contact] + moved, c->friction * N / c->tangential_stiffness);
}

static void add_contact(am_rough *r, size_t contact, double t, const double *q, const double *v) {
    const am_contact_def *c = am_system_contact(r->system, contact);
    size_t n = r->n;
    double N = normal_force(c, t, q, v, n), T;
    if (c->tangential_stiffness > 0.0) {
        T = -c->tangential_stiffness * stretched(r, contact, q, N);
    } else {
        double slide = am_dense_dot(c->tangent, v, n) - c->surface_velocity;
        double width = c->regularisation > 0.0 ? c->regularisation : r->smoothing;
        T = -c->friction * N * clip(slide / width, 1.0);
    }
    for (size_t i = 0; i < n; i++)
        r->force[i] += c->normal[i] * N + c->tangent[i] * T;
}

static void find_rate(am_rough *r, double t, const double *y, double *rate) {
    size_t n = r->n;
    const double *q = y, *v = y + n;
    memset(r->force, 0, n * sizeof *r->force);
    am_system_polynomial_force(r->system, q, v, r->force, NULL, NULL);
    for (size_t i = 0; i < n; i++)
        r->force[i] = -r->force[i] - am_dense_dot(r->C + i * n, v, n) - am_dense_dot(r->K + i * n, q, n);
    for (size_t l = 0; l < am_system_loads(r->system); l++) {
        const am_load_def *load = am_system_load(r->system, l);
        double value = am_function_at(&load->function, t);
        for (size_t i = 0; i < n; i++)
            r->force[i] += load->direction[i] * value;
    }
    for (size_t c = 0; c < r->m; c++)
        add_contact(r, c, t, q, v);
    memcpy(rate, v, n * sizeof *rate);
    am_dense_apply(r->inverse, n, n, r->force, rate + n);
}

/* ---- stepping ---- */

static void step(am_rough *r, double t, double h, double *state) {
    static const double part[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    size_t n = r->n;
    memcpy(r->before, state, n * sizeof *state);
    r->stretch = state + 2 * n;
    for (size_t s = 0; s < 4; s++) {
        for (size_t i = 0; i < 2 * n; i++)
            r->trial[i] = state[i] + (s ? part[s] * h * r->rate[s - 1][i] : 0.0);
        find_rate(r, t + part[s] * h, r->trial, r->rate[s]);
    }
    for (size_t s = 0; s < 4; s++)
        for (size_t i = 0; i < 2 * n; i++)
            state[i] += h / 6.0 * weight[s] * r->rate[s][i];
    for (size_t c = 0; c < r->m; c++) {
        const am_contact_def *contact = am_system_contact(r->system, c);
        if (contact->tangential_stiffness > 0.0)
            state[2 * n + c] = stretched(r, c, state, normal_force(contact, t + h, state, state + n, n));
    }
}

am_status am_rough_period(am_rough *r, double *state, double *out, size_t stride, am_error *err) {
    size_t total = r->samples * r->steps;
    double h = r->period / (double)total;
    for (size_t k = 0; k < total; k++) {
        for (size_t i = 0; out && k % r->steps == 0 && i < r->n; i++)
            out[i * stride + k / r->steps] = state[i];
        step(r, (double)k * h, h, state);
    }
    double size = am_dense_size(state, 2 * r->n + r->m);
    return isfinite(size) ? AM_OK : am_fail(err, AM_ERR_LIMIT, "the motion grows beyond all bounds");
}

/* ---- making ---- */

/* A bound of the largest eigenvalue of M^-1 A: the largest sum of a row. A is destroyed. */
static double largest_rate(const am_rough *r, const double *A) {
    size_t n = r->n;
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < n; j++) {
            double entry = 0.0;
            for (size_t k = 0; k < n; k++)
                entry += r->inverse[i * n + k] * A[k * n + j];
            sum += fabs(entry);
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

static void add_dyad(double *A, const double *row, double factor, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] += factor * row[i] * row[j];
}

/* Stiffness and damping with all contacts closed and stuck decide on the step. */
static double fastest(const am_rough *r, double *stiffness, double *damping) {
    size_t n = r->n;
    memcpy(stiffness, r->K, n * n * sizeof *stiffness);
    memcpy(damping, r->C, n * n * sizeof *damping);
    for (size_t c = 0; c < r->m; c++) {
        const am_contact_def *contact = am_system_contact(r->system, c);
        double width = contact->regularisation > 0.0 ? contact->regularisation : r->smoothing;
        bool held = contact->normal_law == AM_HELD;
        if (!held) {
            add_dyad(stiffness, contact->normal, contact->contact_stiffness, n);
            add_dyad(damping, contact->normal, contact->contact_damping, n);
        }
        if (contact->tangential_stiffness > 0.0)
            add_dyad(stiffness, contact->tangent, contact->tangential_stiffness, n);
        else if (held)
            add_dyad(damping, contact->tangent,
                     contact->friction * (fabs(contact->hold.value) + fabs(contact->hold.amplitude)) / width, n);
    }
    return sqrt(largest_rate(r, stiffness)) + largest_rate(r, damping);
}

static am_status plan(am_rough *r, double *work, am_error *err) {
    enum { MOST_STEPS = 64 };
    size_t n = r->n;
    double rcond;
    am_matrix_to_dense(am_system_mass(r->system), r->inverse);
    am_matrix_to_dense(am_system_damping(r->system), r->C);
    am_matrix_to_dense(am_system_stiffness(r->system), r->K);
    const am_matrix *circulatory = am_system_circulatory(r->system);
    for (size_t i = 0; circulatory && i < n * n; i++)
        r->K[i] += am_matrix_at(circulatory, i / n, i % n);
    am_status status = am_dense_invert(r->inverse, n, &rcond, err);
    if (status || !(rcond > 1e-14))
        return status == AM_ERR_MEMORY
                   ? status
                   : am_fail(err, AM_ERR_UNSUPPORTED, "motions in time need mass in every direction");
    double steps = ceil(fastest(r, work, work + n * n) * r->period / (double)r->samples);
    if (!(steps <= MOST_STEPS))
        return am_fail(err, AM_ERR_UNSUPPORTED, "the structure is too stiff for starts in time");
    r->steps = steps > 1.0 ? (size_t)steps : 1;
    return AM_OK;
}

static am_status check_laws(const am_system *system, am_error *err) {
    for (size_t c = 0; c < am_system_contacts(system); c++) {
        am_normal_law law = am_system_contact(system, c)->normal_law;
        if (law != AM_HELD && law != AM_KELVIN_VOIGT)
            return am_fail(err, AM_ERR_UNSUPPORTED, "starts in time know held and Kelvin-Voigt contacts here");
    }
    return AM_OK;
}

am_rough *am_rough_create(const am_system *system, double period, size_t samples, double speed, am_error *err) {
    if (check_laws(system, err))
        return NULL;
    am_rough *r = am_memory_new(1, sizeof *r, err);
    if (!r)
        return NULL;
    size_t n = am_system_size(system);
    r->system = system;
    r->n = n;
    r->m = am_system_contacts(system);
    r->samples = samples;
    r->period = period;
    r->smoothing = 0.01 * speed;
    double *work;
    AM_ARENA_DOUBLES(&r->memory, n * n, err, &r->inverse, &r->C, &r->K);
    AM_ARENA_DOUBLES(&r->memory, n, err, &r->force, &r->before);
    AM_ARENA_DOUBLES(&r->memory, 2 * n, err, &r->trial, &r->rate[0], &r->rate[1], &r->rate[2], &r->rate[3]);
    AM_ARENA_DOUBLES(&r->memory, 2 * n * n, err, &work);
    if (!am_arena_status(&r->memory) && !plan(r, work, err))
        return r;
    am_rough_free(r);
    return NULL;
}

void am_rough_free(am_rough *r) {
    if (!r)
        return;
    am_arena_clear(&r->memory);
    am_memory_free(r);
}

size_t am_rough_dimension(const am_rough *r) {
    return 2 * r->n + r->m;
}
