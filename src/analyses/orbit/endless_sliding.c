#include "analyses/orbit/endless_sliding.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/switching/switching.h"
#include "math/dense.h"

enum {
    MOST_STEPS = 4096, /* of one leap */
    WORTHWHILE = 16    /* steps a leap must have at least */
};

/* Between two looks a sliding velocity may fall below both by at most this part of steady sliding. */
static const double slack = 0.05;

/* M q'' + C q' + K q = F. The modes (K phi = w^2 M phi) keep their amplitudes without damping; with damping the sum of
 * their energies does not grow. */
struct am_endless_sliding {
    am_arena memory;
    size_t n, m;
    bool definite;     /* all frequencies are positive */
    double *shape;     /* n x n: row j is mode j, normalised with M */
    double *momentum;  /* n x n: shape M, takes coordinates to modes */
    double *frequency; /* n */
    double *slide;     /* n x m: sliding velocity of each contact in mode j */
    double *velocity;  /* n: of the modes, now */
    double *offset;    /* n: their distance from equilibrium, times frequency */
    double *rotation;  /* 2n: cosine and sine of a step */
    double *wave;      /* 2n: velocity and offset on the way */
    double *margin;    /* m: sliding velocity between looks, at least, without the modes */
    double *share;     /* 2m: share of the modes at the last look and at this one */
    double *sign;      /* m: of the slip */
    double *state;     /* 2n */
    double *work;      /* 2n */
};

void am_endless_sliding_free(am_endless_sliding *sliding) {
    if (sliding)
        am_arena_clear(&sliding->memory);
    am_memory_free(sliding);
}

static am_status reserve(am_endless_sliding *s, am_error *err) {
    size_t n = s->n, m = s->m;
    am_arena *memory = &s->memory;
    AM_ARENA_DOUBLES(memory, n * n, err, &s->shape, &s->momentum);
    s->slide = am_arena_doubles(memory, NULL, n * m, err);
    AM_ARENA_DOUBLES(memory, n, err, &s->frequency, &s->velocity, &s->offset);
    AM_ARENA_DOUBLES(memory, 2 * n, err, &s->rotation, &s->wave, &s->state, &s->work);
    AM_ARENA_DOUBLES(memory, m, err, &s->margin, &s->sign);
    s->share = am_arena_doubles(memory, NULL, 2 * m, err);
    return am_arena_status(memory);
}

static am_status decompose(am_endless_sliding *s, const am_motion *e, am_error *err) {
    size_t n = s->n;
    double *mass = am_memory_doubles(e->plan.M, n * n, err);
    if (!mass)
        return AM_ERR_MEMORY;
    memcpy(s->shape, e->plan.K, n * n * sizeof *s->shape);
    /* Column-major: eigenvectors come out as our rows. */
    lapack_int info = LAPACKE_dsygv(LAPACK_COL_MAJOR, 1, 'V', 'L', (lapack_int)n, s->shape, (lapack_int)n, mass,
                                    (lapack_int)n, s->frequency);
    am_memory_free(mass);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while computing %zu modes", n);
    s->definite = info == 0 && am_dense_is_symmetric(e->plan.K, n) && am_dense_is_symmetric(e->plan.M, n) &&
                  !e->plan.system->driving;
    for (size_t j = 0; j < n; j++) {
        s->definite = s->definite && s->frequency[j] > 0.0;
        s->frequency[j] = s->frequency[j] > 0.0 ? sqrt(s->frequency[j]) : 0.0;
        for (size_t i = 0; i < n; i++)
            s->momentum[j * n + i] = am_dense_dot(e->plan.M + i * n, s->shape + j * n, n);
        for (size_t c = 0; c < s->m; c++)
            s->slide[j * s->m + c] = am_dense_dot(am_system_contact(e->plan.system, c)->tangent, s->shape + j * n, n);
    }
    return AM_OK;
}

am_endless_sliding *am_endless_sliding_create(const am_motion *engine, am_error *err) {
    am_endless_sliding *s = am_memory_new(1, sizeof *s, err);
    if (!s)
        return NULL;
    s->n = engine->plan.n;
    s->m = engine->plan.m;
    if (reserve(s, err) != AM_OK || decompose(s, engine, err) != AM_OK) {
        am_endless_sliding_free(s);
        return NULL;
    }
    return s;
}

static bool applies(const am_endless_sliding *s, const am_motion *e, bool also_open) {
    if (!s->definite || e->plan.springs > 0 || e->plan.forces > 0)
        return false;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = am_system_contact(e->plan.system, c);
        bool slips = e->state[c] == AM_FORWARD || e->state[c] == AM_BACKWARD;
        bool held = contact->normal_law == AM_HELD;
        if (e->plan.system->drawn[c] || e->plan.system->lifted[c])
            return false;
        if (!(held && slips) && !(also_open && !held && e->state[c] == AM_OPEN))
            return false;
    }
    return true;
}

/* Modes now. Equilibrium from the present acceleration: M q'' + C v = -K (q - balance), in modes -w^2 (eta - eta0). */
static void measure(am_endless_sliding *s, const am_motion *e) {
    size_t n = s->n;
    const double *v = e->x + n;
    for (size_t i = 0; i < n; i++)
        s->work[i] = am_dense_dot(e->flow->A + i * e->plan.nx, e->x, e->plan.nx);
    for (size_t i = 0; e->plan.damped && i < n; i++)
        s->work[n + i] = am_dense_dot(e->plan.C + i * n, v, n);
    for (size_t j = 0; j < n; j++) {
        double force = am_dense_dot(s->momentum + j * n, s->work, n);
        if (e->plan.damped)
            force += am_dense_dot(s->shape + j * n, s->work + n, n);
        s->velocity[j] = am_dense_dot(s->momentum + j * n, v, n);
        s->offset[j] = -force / s->frequency[j];
    }
}

/* ---- for ever ---- */

/* Largest |row.v| (or |row.q - row.balance|) the modes can ever make. */
static double largest_swing(const am_endless_sliding *s, const double *row, bool velocity, bool damped) {
    double sum = 0.0, squares = 0.0, energy = 0.0;
    for (size_t j = 0; j < s->n; j++) {
        double part = fabs(am_dense_dot(row, s->shape + j * s->n, s->n)) / (velocity ? 1.0 : s->frequency[j]);
        double amplitude = hypot(s->velocity[j], s->offset[j]);
        sum += part * amplitude;
        squares += part * part;
        energy += amplitude * amplitude;
    }
    return damped ? sqrt(squares * energy) : sum;
}

/* Gap at equilibrium. */
static double resting_gap(const am_endless_sliding *s, const am_motion *e, const am_contact_def *contact) {
    double gap = am_dense_dot(contact->normal, e->x, s->n) + contact->gap;
    for (size_t j = 0; j < s->n; j++)
        gap -= am_dense_dot(contact->normal, s->shape + j * s->n, s->n) * s->offset[j] / s->frequency[j];
    return gap;
}

bool am_endless_sliding_lasts(am_endless_sliding *sliding, const am_motion *engine) {
    const am_motion *e = engine;
    if (!applies(sliding, e, true))
        return false;
    measure(sliding, e);
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = am_system_contact(e->plan.system, c);
        bool open = e->state[c] == AM_OPEN;
        double middle = open                        ? resting_gap(sliding, e, contact)
                        : e->state[c] == AM_FORWARD ? -contact->surface_velocity
                                                    : contact->surface_velocity;
        const double *row = open ? contact->normal : contact->tangent;
        if (!(middle > largest_swing(sliding, row, !open, e->plan.damped) * (1.0 + 1e-9)))
            return false;
    }
    return true;
}

/* ---- leaps ---- */

/* Sliding velocities are g = drift + sum of slide_j u_j, u_j a harmonic of amplitude a_j: |g''| <= B = sum |slide_j|
 * w_j^2 a_j. So between two looks h apart g is at least the smaller of the two less B h^2/8. The step h makes that
 * `slack` of the slowest drift. Returns h; 0 if no leap is possible. */
static double choose_step(am_endless_sliding *s, const am_motion *e) {
    double worst = 0.0;
    for (size_t c = 0; c < s->m; c++) {
        double drift = am_system_contact(e->plan.system, c)->surface_velocity, bend = 0.0;
        s->sign[c] = e->state[c] == AM_FORWARD ? 1.0 : -1.0;
        for (size_t j = 0; j < s->n; j++) {
            double w = s->frequency[j];
            bend += fabs(s->slide[j * s->m + c]) * w * w * hypot(s->velocity[j], s->offset[j]);
        }
        s->margin[c] = -s->sign[c] * drift;
        if (!(s->margin[c] > 0.0))
            return 0.0; /* steady sliding would go the other way */
        worst = fmax(worst, bend / s->margin[c]);
    }
    double step = fmin(sqrt(8.0 * slack / worst), 1.0 / s->frequency[s->n - 1]);
    for (size_t c = 0; c < s->m; c++)
        s->margin[c] *= 1.0 - slack - 1e-9;
    return isfinite(step) ? step : 0.0;
}

/* The modes' share of the sliding velocities. */
static void share_of_modes(const am_endless_sliding *s, double *restrict share) {
    size_t m = s->m;
    for (size_t c = 0; c < m; c++)
        share[c] = 0.0;
    for (size_t j = 0; j < s->n; j++) {
        const double u = s->wave[j], *restrict slide = s->slide + j * m;
        for (size_t c = 0; c < m; c++)
            share[c] += slide[c] * u;
    }
}

static void rotate_waves(const am_endless_sliding *s) {
    size_t n = s->n;
    double *restrict u = s->wave, *restrict o = s->wave + n;
    const double *restrict cosine = s->rotation, *restrict sine = s->rotation + n;
    for (size_t j = 0; j < n; j++) {
        double turned = u[j] * cosine[j] - o[j] * sine[j];
        o[j] = o[j] * cosine[j] + u[j] * sine[j];
        u[j] = turned;
    }
}

static bool all_slip(const am_endless_sliding *s, const double *share) {
    bool all = true;
    for (size_t c = 0; c < s->m; c++)
        all &= s->margin[c] + s->sign[c] * share[c] > 0.0;
    return all;
}

/* Steps of length h up to which all contacts provably slip. */
static size_t count_steps(am_endless_sliding *s, double h) {
    size_t n = s->n, steps = 0;
    memcpy(s->wave, s->velocity, n * sizeof *s->wave);
    memcpy(s->wave + n, s->offset, n * sizeof *s->wave);
    for (size_t j = 0; j < n; j++) {
        s->rotation[j] = cos(s->frequency[j] * h);
        s->rotation[n + j] = sin(s->frequency[j] * h);
    }
    share_of_modes(s, s->share);
    if (!all_slip(s, s->share))
        return 0;
    for (; steps < MOST_STEPS; steps++) {
        rotate_waves(s);
        share_of_modes(s, s->share);
        if (!all_slip(s, s->share))
            break;
    }
    return steps;
}

/* x + the change of every mode over a time; offsets are times frequency. */
static void move(const am_endless_sliding *s, double time, const double *velocity, const double *offset, double *x) {
    size_t n = s->n;
    for (size_t j = 0; j < n; j++) {
        double w = s->frequency[j], cosine = cos(w * time), sine = sin(w * time);
        double du = velocity[j] * cosine - offset[j] * sine - velocity[j];
        double dq = (offset[j] * cosine + velocity[j] * sine - offset[j]) / w;
        for (size_t i = 0; i < n; i++) {
            x[i] += s->shape[j * n + i] * dq;
            x[n + i] += s->shape[j * n + i] * du;
        }
    }
}

static void move_direction(am_endless_sliding *s, double time, double *direction) {
    size_t n = s->n;
    for (size_t j = 0; j < n; j++) {
        s->wave[j] = am_dense_dot(s->momentum + j * n, direction + n, n);
        s->wave[n + j] = s->frequency[j] * am_dense_dot(s->momentum + j * n, direction, n);
    }
    move(s, time, s->wave, s->wave + n, direction);
}

am_status am_endless_sliding_leap(am_endless_sliding *sliding, am_motion *engine, double *direction, double *passed,
                                  am_error *err) {
    am_endless_sliding *s = sliding;
    *passed = 0.0;
    if (engine->plan.damped || !applies(s, engine, false))
        return AM_OK;
    measure(s, engine);
    double h = choose_step(s, engine);
    size_t steps = h > 0.0 ? count_steps(s, h) : 0;
    if (steps < WORTHWHILE)
        return AM_OK;
    *passed = (double)steps * h;
    memcpy(s->state, engine->x, 2 * s->n * sizeof *s->state);
    move(s, *passed, s->velocity, s->offset, s->state);
    if (direction)
        move_direction(s, *passed, direction);
    return am_motion_start_state(engine, engine->now.t + *passed, s->state, err);
}
