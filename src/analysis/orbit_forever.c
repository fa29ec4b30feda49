#include "analysis/orbit_forever.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analysis/engine.h"
#include "base/memory.h"
#include "math/dense.h"

/* The structure is free apart from constant forces: M q'' + C q' + K q = F. Its modes (K phi = w^2 M phi) keep their
 * amplitudes without damping; with damping the sum of their energies does not grow. */
typedef struct modes {
    size_t n;
    double *shape;     /* n x n: row j is mode j, normalised with M */
    double *frequency; /* n */
    double *amplitude; /* n: of the velocity of the mode */
    double *balance;   /* n: position of equilibrium */
    double *work;      /* n */
} modes;

static bool applies(const am_motion *e) {
    if (e->plan.springs > 0)
        return false;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = am_system_contact(e->plan.system, c);
        bool slips = e->state[c] == AM_FORWARD || e->state[c] == AM_BACKWARD;
        bool held = contact->normal_law == AM_HELD;
        if (!(held && slips) && !(!held && e->state[c] == AM_OPEN))
            return false;
    }
    return true;
}

static am_status decompose(modes *k, const am_motion *e, am_error *err) {
    size_t n = k->n;
    double *mass = am_memory_doubles(e->plan.M, n * n, err);
    if (!mass)
        return AM_ERR_MEMORY;
    memcpy(k->shape, e->plan.K, n * n * sizeof *k->shape);
    /* Column-major: eigenvectors come out as our rows. */
    lapack_int info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', (lapack_int)n, k->shape, (lapack_int)n, mass,
                                    (lapack_int)n, k->frequency);
    am_memory_free(mass);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while computing %zu modes", n);
    for (size_t j = 0; j < n; j++)
        k->frequency[j] = info == 0 && k->frequency[j] > 0.0 ? sqrt(k->frequency[j]) : 0.0;
    return AM_OK;
}

/* Equilibrium from the present acceleration: M q'' = -K (q - balance) - C v, so in modes eta'' = -w^2 (eta - eta0) -
 * ...
 */
static void measure(modes *k, const am_motion *e) {
    size_t n = k->n, nx = e->plan.nx;
    const double *q = e->x, *v = e->x + n;
    memset(k->balance, 0, n * sizeof *k->balance);
    for (size_t j = 0; j < n; j++) {
        const double *shape = k->shape + j * n;
        double position = 0.0, velocity = 0.0, force = 0.0;
        for (size_t i = 0; i < n; i++) {
            double momentum = am_dense_dot(e->plan.M + i * n, v, n), acceleration = 0.0;
            acceleration = am_dense_dot(e->flow->A + i * nx, e->x, nx);
            k->work[i] = acceleration;
            velocity += shape[i] * momentum;
            position += shape[i] * am_dense_dot(e->plan.M + i * n, q, n);
        }
        for (size_t i = 0; i < n; i++)
            force += shape[i] * (am_dense_dot(e->plan.M + i * n, k->work, n) + am_dense_dot(e->plan.C + i * n, v, n));
        double w = k->frequency[j], offset = -force / (w * w); /* eta - eta0 */
        k->amplitude[j] = hypot(velocity, w * offset);
        for (size_t i = 0; i < n; i++)
            k->balance[i] += shape[i] * (position - offset);
    }
}

/* Largest |row.v| (or |row.q - row.balance|) the modes can ever make. */
static double reach(const modes *k, const double *row, bool velocity, bool damped) {
    double sum = 0.0, squares = 0.0, energy = 0.0;
    for (size_t j = 0; j < k->n; j++) {
        double part = fabs(am_dense_dot(row, k->shape + j * k->n, k->n)) / (velocity ? 1.0 : k->frequency[j]);
        sum += part * k->amplitude[j];
        squares += part * part;
        energy += k->amplitude[j] * k->amplitude[j];
    }
    return damped ? sqrt(squares * energy) : sum;
}

static bool stays(const modes *k, const am_motion *e) {
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = am_system_contact(e->plan.system, c);
        if (e->state[c] == AM_OPEN) {
            double middle = am_dense_dot(contact->normal, k->balance, k->n) + contact->gap;
            if (!(middle > reach(k, contact->normal, false, e->plan.damped) * (1.0 + 1e-9)))
                return false;
            continue;
        }
        double drift = e->state[c] == AM_FORWARD ? -contact->surface_velocity : contact->surface_velocity;
        if (!(drift > reach(k, contact->tangent, true, e->plan.damped) * (1.0 + 1e-9)))
            return false;
    }
    return true;
}

am_status am_orbit_slides_for_ever(const am_motion *engine, bool *final, am_error *err) {
    size_t n = engine->plan.n;
    *final = false;
    if (!applies(engine))
        return AM_OK;
    modes k = {.n = n};
    double *memory = am_memory_new(n * n + 4 * n, sizeof *memory, err);
    if (!memory)
        return AM_ERR_MEMORY;
    k.shape = memory;
    k.frequency = memory + n * n;
    k.amplitude = k.frequency + n;
    k.balance = k.amplitude + n;
    k.work = k.balance + n;
    am_status status = decompose(&k, engine, err);
    bool definite = !status;
    for (size_t j = 0; j < n && definite; j++)
        definite = k.frequency[j] > 0.0;
    if (definite) {
        measure(&k, engine);
        *final = stays(&k, engine);
    }
    am_memory_free(memory);
    return status;
}
