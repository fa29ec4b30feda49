#include "papers/atlas/detune.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/balance/balance.h"

struct am_detune {
    am_arena memory;
    const am_system *system;
    size_t n;
    double mean; /* of K_nn */
    double *stiffness, *signals, *x, *guess;
    am_model *model; /* of the structures in between */
    am_balance *balance;
    am_continuation *curve;
};

/* ---- The structures in between: K_nn = mean + t (K_nn - mean) ---- */

static am_system *make(void *context, const double *numbers, am_error *err) {
    am_detune *d = context;
    const double t = numbers[0];
    const am_system *s = d->system;
    size_t n = d->n, count = am_system_polynomials(s);
    am_polynomial_def *polynomials = am_memory_new(count, sizeof *polynomials, err);
    am_matrix_to_dense(am_system_stiffness(s), d->stiffness);
    for (size_t i = 0; i < n; i++)
        d->stiffness[i * n + i] = d->mean + t * (d->stiffness[i * n + i] - d->mean);
    am_matrix *stiffness = polynomials ? am_matrix_dense(n, n, d->stiffness, err) : NULL;
    am_system *made = NULL;
    if (stiffness) {
        am_system_def def = am_system_def_default();
        for (size_t k = 0; k < count; k++)
            polynomials[k] = *am_system_polynomial(s, k);
        def.n = n;
        def.mass = am_system_mass(s);
        def.damping = am_system_damping(s);
        def.stiffness = stiffness;
        def.polynomial_count = count;
        def.polynomials = polynomials;
        made = am_system_create(&def, err);
    }
    am_matrix_free(stiffness);
    am_memory_free(polynomials);
    return made;
}

am_detune *am_detune_create(const am_system *system, am_error *err) {
    am_detune *d = am_memory_new(1, sizeof *d, err);
    if (!d)
        return NULL;
    size_t n = am_system_size(system);
    *d = (am_detune){.system = system, .n = n};
    for (size_t i = 0; i < n; i++)
        d->mean += am_matrix_at(am_system_stiffness(system), i, i) / (double)n;
    d->stiffness = am_arena_doubles(&d->memory, NULL, n * n, err);
    d->signals = am_arena_doubles(&d->memory, NULL, 3 * n, err);
    const char *const name = "t";
    const am_model_def def = {.count = 1, .names = &name, .make = make, .context = d};
    d->model = d->signals ? am_model_create(&def, err) : NULL;
    const am_model_line line = {.model = d->model, .held = SIZE_MAX};
    const am_balance_options options = {.degree = 1, .parity = AM_PARITY_ODD, .self_excited = true};
    d->balance = d->model ? am_balance_create(&line, 0.0, 1.0, &options, err) : NULL;
    size_t size = d->balance ? am_balance_size(d->balance) : 0;
    AM_ARENA_DOUBLES(&d->memory, size, err, &d->x, &d->guess);
    d->curve = d->balance && d->guess ? am_continuation_create(size, 0, err) : NULL;
    if (d->curve)
        return d;
    am_detune_free(d);
    return NULL;
}

void am_detune_free(am_detune *detune) {
    if (!detune)
        return;
    am_continuation_free(detune->curve);
    am_balance_free(detune->balance);
    am_model_free(detune->model);
    am_arena_clear(&detune->memory);
    am_memory_free(detune);
}

/* ---- On the way ---- */

static double size_of(const double *x, size_t count) {
    double size = 0.0;
    for (size_t i = 0; i < count; i++)
        size = fmax(size, fabs(x[i]));
    return size;
}

/* From t = 0 to 1 in steps that shrink where Newton's method fails or goes far. */
static am_status walk(am_detune *d, bool *locks, am_error *err) {
    const double smallest = 1e-3, leash = 0.25;
    size_t size = am_balance_size(d->balance);
    double reached = 0.0, step = 0.25, scale = size_of(d->x, size - 1);
    am_continuation_problem problem = am_balance_problem(d->balance);
    while (reached < 1.0 && step >= smallest) {
        double t = fmin(1.0, reached + step), moved = 0.0, residual;
        memcpy(d->guess, d->x, size * sizeof *d->x);
        am_status status = am_continuation_solve(d->curve, &problem, t, 1e-10, d->guess, &residual, err);
        if (am_status_is_fatal(status))
            return status;
        for (size_t i = 0; i + 1 < size; i++)
            moved = fmax(moved, fabs(d->guess[i] - d->x[i]));
        if (status == AM_OK && moved <= leash * scale) {
            memcpy(d->x, d->guess, size * sizeof *d->x);
            reached = t;
            step *= 2.0;
        } else {
            step *= 0.5;
        }
        *err = (am_error){0};
    }
    *locks = reached >= 1.0;
    return AM_OK;
}

am_status am_detune_climb(am_detune *d, double *w, double *omega, bool *locks, am_error *err) {
    for (size_t i = 0; i < d->n; i++) { /* Re((a - i b) exp) = a cos + b sin */
        d->signals[3 * i] = 0.0;
        d->signals[3 * i + 1] = w[2 * i];
        d->signals[3 * i + 2] = -w[2 * i + 1];
    }
    am_status status = am_balance_pack(d->balance, d->signals, *omega, 0.0, d->x, err);
    if (!status)
        status = walk(d, locks, err);
    if (status || !*locks)
        return status;
    status = am_balance_unpack(d->balance, d->x, 1.0, d->signals, err);
    *omega = am_balance_omega(d->balance, d->x, 1.0);
    for (size_t i = 0; i < d->n && !status; i++) {
        w[2 * i] = d->signals[3 * i + 1];
        w[2 * i + 1] = -d->signals[3 * i + 2];
    }
    return status;
}
