/* Closing a periodic orbit of a smooth motion by shooting, and its Floquet multipliers. See docs/smooth.md.
 *
 *     (Phi - 1) y + f(end) dT = x - end,      f(x).y = 0        (forced: no dT, no second equation)
 *
 * Phi is the derivative the engine carries. It is the dear part, so each one is used for several steps while they
 * still shorten the error tenfold. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/smooth/smooth_internal.h"
#include "math/dense.h"
#include "math/lu.h"
#include "math/pi.h"
#include "math/shooting.h"

/* What an orbit must close to, relative to the largest state on it; a strongly unstable one, to so many roundings of
 * what its derivative makes of one. */
static const double worst_closing = 1e-12, worst_roundings = 64.0;

/* From here on another derivative is not worth its price, and from the second on nothing is gained at all. */
static const double as_good_as_closed = 64.0 * DBL_EPSILON, closed = 4.0 * DBL_EPSILON;

/* Singular values below this part of the largest belong to a family of orbits; where an orbit does not close without
 * these directions, only those below the second. */
static const double neutral = 1e-9, truly_neutral = 1e-13;

/* States this near to each other are the same. */
static const double repeated = 1e-8;

/* An orbit so much smaller than the guess is no orbit: the guess led to rest. */
static const double rest = 1e-6;

/* One step changes the period by no more than this part of it. */
static const double most_stretch = 0.25;

/* Nor the state by more than this part of the orbit's size: where almost every state almost closes (little damping, a
 * family nearby), the weak directions are left alone until the others are right. */
static const double longest_step = 0.3;

/* A derivative is used again while steps with it shorten the error to this part. */
static const double still_good = 0.3;

static const size_t most_iterations = 40, most_halvings = 12, most_reuses = 8;

typedef struct closing {
    am_smooth *engine;
    size_t d;
    bool free_period;
    double start, tau, scale;                   /* scale: the unit of time of the weights */
    double *x, *end, *trial, *f0, *f1, *weight; /* d */
    double *phi;                                /* d x d: in weighted coordinates */
    double *matrix, *kept;                      /* (d + 1)^2 */
    double *step, *right, *values;              /* d + 1 */
    am_multiplier *multiplier;                  /* d */
    int *order;                                 /* d + 1 */
    double *work;                               /* d x d */
    double size, residual, speed, speed_of_guess;
    double neutral, weakest; /* threshold of a family; the smallest singular value above it */
    size_t family;
    double step_length, speed_of_step;
} closing;

static am_status reserve(closing *c, am_error *err) {
    size_t d = c->d;
    am_arena *memory = &c->engine->closing_memory;
    am_arena_reset(memory);
    double **const vectors[] = {&c->x, &c->end, &c->trial, &c->f0, &c->f1, &c->weight};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = am_arena_doubles(memory, NULL, d, err);
    c->phi = am_arena_doubles(memory, NULL, d * d, err);
    c->work = am_arena_doubles(memory, NULL, d * d, err);
    c->matrix = am_arena_doubles(memory, NULL, (d + 1) * (d + 1), err);
    c->kept = am_arena_doubles(memory, NULL, (d + 1) * (d + 1), err);
    c->step = am_arena_doubles(memory, NULL, d + 1, err);
    c->right = am_arena_doubles(memory, NULL, d + 1, err);
    c->values = am_arena_doubles(memory, NULL, d + 1, err);
    c->multiplier = am_arena_new(memory, d, sizeof *c->multiplier, err);
    c->order = am_arena_new(memory, d + 1, sizeof *c->order, err);
    return am_arena_status(memory);
}

/* ---- shooting ---- */

static double weighted_norm(const closing *c, const double *vector) {
    double sum = 0.0;
    for (size_t i = 0; i < c->d; i++)
        sum += c->weight[i] * c->weight[i] * vector[i] * vector[i];
    return sqrt(sum);
}

/* Once around from `from`: end, residual, size; with the derivative, phi. */
static am_status shoot(closing *c, const double *from, double tau, bool derivative, am_error *err) {
    am_smooth *e = c->engine;
    size_t d = c->d;
    double until = c->start + tau;
    if (derivative && am_smooth_reserve_derivative(e, err))
        return AM_ERR_MEMORY;
    am_status status = AM_OK;
    c->size = am_smooth_size(e, from, NULL, c->scale);
    am_smooth_start(e, c->start, from, derivative);
    while (am_smooth_time(e) < until && !status) {
        status = am_smooth_step(e, until, err);
        c->size = fmax(c->size, am_smooth_size(e, e->x, NULL, c->scale));
    }
    if (status)
        return status;
    memcpy(c->end, e->x, d * sizeof *c->end);
    for (size_t i = 0; derivative && i < d; i++)
        for (size_t j = 0; j < d; j++)
            c->phi[i * d + j] = c->weight[i] / c->weight[j] * e->phi[i * e->columns + j];
    c->residual = c->size > 0.0 ? am_smooth_size(e, c->end, from, c->scale) / c->size : 0.0;
    if (c->free_period) {
        am_smooth_rate(e, c->start, from, c->f0);
        am_smooth_rate(e, until, c->end, c->f1);
        c->speed = weighted_norm(c, c->f0);
    }
    return AM_OK;
}

/* ---- linear equations ---- */

static size_t order_of(const closing *c) {
    return c->d + c->free_period;
}

/* The matrix at the orbit just shot; rows and columns of the period in units of the speed. */
static void fill_matrix(closing *c) {
    size_t d = c->d, order = order_of(c);
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j < d; j++)
            c->kept[i * order + j] = c->phi[i * d + j] - (i == j ? 1.0 : 0.0);
        if (c->free_period) {
            c->kept[i * order + d] = c->speed > 0.0 ? c->weight[i] * c->f1[i] / c->speed : 0.0;
            c->kept[d * order + i] = c->speed > 0.0 ? c->weight[i] * c->f0[i] / c->speed : 0.0;
        }
    }
    if (c->free_period)
        c->kept[d * order + d] = 0.0;
}

/* The shortest solution for the error at `from` and c->end: into c->right. Singular values below `weak` are left out.
 */
static am_status solve_above(closing *c, double weak, const double *from, am_error *err) {
    size_t order = order_of(c);
    memcpy(c->matrix, c->kept, order * order * sizeof *c->matrix);
    for (size_t i = 0; i < c->d; i++)
        c->right[i] = c->weight[i] * (from[i] - c->end[i]);
    if (c->free_period)
        c->right[c->d] = 0.0;
    size_t rank = 0;
    am_status status = am_shooting_step(c->matrix, order, weak, c->right, c->values, &rank, err);
    c->family = order - rank;
    c->weakest = rank > 0 ? c->values[rank - 1] : 1.0;
    return status;
}

/* Small singular values are a family. */
static am_status solve(closing *c, const double *from, am_error *err) {
    return solve_above(c, c->neutral, from, err);
}

static double length(const closing *c) {
    return sqrt(am_dense_dot(c->right, c->right, order_of(c)));
}

/* ---- Newton ---- */

/* x + part * step into trial; returns the period there. */
static double move(closing *c, double part) {
    for (size_t i = 0; i < c->d; i++)
        c->trial[i] = c->x[i] + part * c->step[i] / c->weight[i];
    return c->free_period && c->speed_of_step > 0.0 ? c->tau + part * c->step[c->d] / c->speed_of_step : c->tau;
}

static void take(closing *c, double tau) {
    memcpy(c->x, c->trial, c->d * sizeof *c->x);
    c->tau = tau;
}

/* The whole step, shortened where it would change the period too much. */
static double first_part(const closing *c) {
    double change = c->free_period && c->speed_of_step > 0.0 ? fabs(c->step[c->d]) / c->speed_of_step : 0.0;
    return change > most_stretch * c->tau ? most_stretch * c->tau / change : 1.0;
}

/* Halve the step until the orbit closes better, or until the correction that would follow is shorter (Deuflhard's
 * natural test, for narrow valleys). The derivative stays that at x. */
static am_status improve(closing *c, double *before, bool *better, am_error *err) {
    double part = first_part(c);
    size_t tries = *before <= worst_closing ? 1 : most_halvings;
    *better = false;
    for (size_t i = 0; i < tries && !*better; i++, part *= 0.5) {
        am_error own = {0};
        double tau = move(c, part);
        am_status status = shoot(c, c->trial, tau, false, &own);
        bool good = !status && c->residual < *before;
        if (!status && !good && *before > worst_closing) {
            size_t family = c->family;
            status = solve(c, c->trial, &own);
            good = !status && length(c) <= (1.0 - 0.5 * part) * c->step_length;
            c->family = family;
        }
        if (status == AM_ERR_MEMORY) {
            if (err)
                *err = own;
            return status;
        }
        if (status || !good)
            continue;
        *better = true;
        take(c, tau);
    }
    return AM_OK;
}

/* The next step with the derivative of the last one: by its factors, or by singular values next to a family. */
static am_status solve_again(closing *c, bool factored, am_error *err) {
    if (!factored)
        return solve(c, c->x, err);
    for (size_t i = 0; i < c->d; i++)
        c->right[i] = c->weight[i] * (c->x[i] - c->end[i]);
    if (c->free_period)
        c->right[c->d] = 0.0;
    am_lu_solve(c->matrix, order_of(c), c->order, 1, c->right);
    return AM_OK;
}

/* More steps with the same derivative. */
static am_status reuse(closing *c, am_error *err) {
    size_t order = order_of(c);
    am_status status = AM_OK;
    memcpy(c->matrix, c->kept, order * order * sizeof *c->matrix);
    bool factored = c->family == 0 && am_lu_factor(c->matrix, order, c->order);
    for (size_t i = 0; i < most_reuses && c->residual > closed && !status; i++) {
        double before = c->residual, tau;
        status = solve_again(c, factored, err);
        if (status)
            break;
        memcpy(c->step, c->right, order * sizeof *c->step);
        tau = move(c, 1.0);
        if (!(tau > 0.0) || shoot(c, c->trial, tau, false, NULL) || !(c->residual <= still_good * before))
            break;
        take(c, tau);
    }
    return status;
}

/* Into c->step, not longer than may be trusted. */
static am_status newton_step(closing *c, am_error *err) {
    am_status status = solve(c, c->x, err);
    for (double weak = 1e-6; weak < 1.0 && !status; weak *= 10.0) {
        if (sqrt(am_dense_dot(c->right, c->right, c->d)) <= longest_step * c->size)
            break;
        status = solve_above(c, weak, c->x, err);
    }
    memcpy(c->step, c->right, order_of(c) * sizeof *c->step);
    c->step_length = length(c);
    return status;
}

static am_status newton(closing *c, am_error *err) {
    am_status status = shoot(c, c->x, c->tau, true, err);
    bool better = true;
    for (size_t i = 0; i < most_iterations && !status && better && c->residual > as_good_as_closed; i++) {
        double before = c->residual;
        fill_matrix(c);
        c->speed_of_step = c->speed;
        status = newton_step(c, err);
        if (status)
            break;
        status = improve(c, &before, &better, err);
        if (!status && better && c->residual <= still_good * before)
            status = reuse(c, err);
        if (!status)
            status = shoot(c, c->x, c->tau, true, err);
        if (c->residual <= worst_closing && c->residual > 0.25 * before)
            break; /* rounding is reached */
    }
    return status;
}

/* What the orbit can be expected to close to. */
static double allowed(const closing *c) {
    return fmax(worst_closing,
                worst_roundings * DBL_EPSILON * sqrt(am_dense_dot(c->phi, c->phi, c->d * c->d) / (double)c->d));
}

static am_status iterate(closing *c, am_error *err) {
    c->neutral = neutral;
    am_status status = newton(c, err);
    if (!status && !(c->residual <= allowed(c)) && c->family > 0) {
        c->neutral = truly_neutral;
        status = newton(c, err);
    }
    if (status)
        return status;
    if (!(c->residual <= allowed(c)))
        return am_fail(err, AM_ERR_LIMIT,
                       "no periodic motion was found near the guess: it closes to %.3g of its size, not to %.0e",
                       c->residual, allowed(c));
    if (c->free_period && !(c->speed > rest * c->speed_of_guess))
        return am_fail(err, AM_ERR_LIMIT, "the guess leads to rest, not to a periodic motion");
    fill_matrix(c);
    return solve(c, c->x, err); /* the family at the orbit itself */
}

/* ---- multipliers ---- */

/* How far the modulus of the largest multiplier may be off: rounding in the eigenvalues of the derivative, and the
 * place of the orbit, known to its closing error over the weakest singular value of Newton's equations. */
static double uncertainty_of(const closing *c, const am_multiplier *m, double norm) {
    const double curvature = 10.0;
    return m->uncertainty + curvature * fmax(1.0, hypot(m->re, m->im)) * c->residual / c->weakest +
           100.0 * DBL_EPSILON * norm;
}

static am_status find_multipliers(closing *c, am_orbit *orbit, am_error *err) {
    size_t d = c->d;
    double norm = sqrt(am_dense_dot(c->phi, c->phi, d * d) / (double)d);
    am_multiplier *m = c->multiplier;
    for (size_t i = 0; i < d && c->free_period; i++)
        c->trial[i] = c->weight[i] * c->f0[i] / c->speed;
    AM_TRY(am_multipliers_find(c->phi, d, c->free_period ? c->trial : NULL, c->family, c->work, m, d, &orbit->trivial,
                               err));
    for (size_t i = 0; i < d; i++) {
        orbit->multiplier_re[i] = m[i].re;
        orbit->multiplier_im[i] = m[i].im;
    }
    orbit->family = c->family;
    orbit->multiplier = hypot(m[0].re, m[0].im);
    c->engine->uncertainty = uncertainty_of(c, &m[0], norm);
    orbit->stable = am_smooth_verdict(c->engine, orbit) == AM_VERDICT_STABLE;
    return AM_OK;
}

double am_smooth_uncertainty(const am_smooth *engine) {
    return engine->uncertainty;
}

am_verdict am_smooth_verdict(const am_smooth *engine, const am_orbit *orbit) {
    if (orbit->multiplier < 1.0 - engine->uncertainty)
        return AM_VERDICT_STABLE;
    return orbit->multiplier > 1.0 + engine->uncertainty ? AM_VERDICT_UNSTABLE : AM_VERDICT_MARGINAL;
}

/* ---- the orbit ---- */

/* Does the orbit close earlier already? Returns the number of times it goes round. */
static size_t times_around(closing *c) {
    static const size_t primes[] = {2, 3, 5, 7};
    for (size_t i = 0; i < sizeof primes / sizeof *primes && c->free_period; i++) {
        double part = c->tau / (double)primes[i];
        if (!am_smooth_flow(c->engine, c->start, c->x, part, c->trial, NULL, NULL) &&
            am_smooth_size(c->engine, c->trial, c->x, c->scale) <= repeated * c->size)
            return primes[i];
    }
    return 1;
}

static am_status iterate_to_least_period(closing *c, am_error *err) {
    am_status status = iterate(c, err);
    for (size_t times = 2; times > 1 && !status;) {
        times = times_around(c);
        if (times > 1) {
            c->tau /= (double)times;
            status = iterate(c, err);
        }
    }
    return status;
}

static am_status prepare_orbit(const closing *c, am_orbit *orbit, am_error *err) {
    *orbit = (am_orbit){.returns = 1, .start = c->start, .dimension = c->d};
    orbit->state = am_memory_new(c->d, sizeof(double), err);
    orbit->contact = am_memory_new(0, sizeof *orbit->contact, err);
    orbit->sequence = am_memory_text("", err);
    orbit->multiplier_re = am_memory_new(c->d, sizeof(double), err);
    orbit->multiplier_im = am_memory_new(c->d, sizeof(double), err);
    return orbit->state && orbit->contact && orbit->sequence && orbit->multiplier_re && orbit->multiplier_im
               ? AM_OK
               : AM_ERR_MEMORY;
}

static am_status fill_orbit(closing *c, am_orbit *orbit, am_error *err) {
    am_smooth_balance balance = {0};
    orbit->period = c->tau;
    orbit->closing = c->residual;
    memcpy(orbit->state, c->x, c->d * sizeof *orbit->state);
    am_status status = find_multipliers(c, orbit, err);
    if (!status)
        status = am_smooth_energy_balance(c->engine, c->start, c->x, c->tau, c->scale, &balance, err);
    orbit->dissipation = orbit->loss_impact = 0.0; /* there are no contacts */
    orbit->loss_damping = balance.loss;
    return status;
}

/* A guess of the period is improved first: to the time at which the motion comes nearest to where it began. The guess
 * itself is looked at too, and some points of every step. */
static void align(closing *c) {
    enum { LOOKS = 8 };
    am_smooth *e = c->engine;
    double guess = c->start + c->tau, from = c->start + 0.7 * c->tau, until = c->start + 1.3 * c->tau;
    double nearest = INFINITY, given = c->tau;
    am_smooth_start(e, c->start, c->x, false);
    while (am_smooth_time(e) < until && !am_smooth_step(e, until, NULL))
        for (size_t i = 0; i <= LOOKS && am_smooth_time(e) >= from; i++) {
            double begins = am_smooth_step_start(e), ends = am_smooth_time(e);
            double t = i == 0 ? guess : begins + (double)i / LOOKS * (ends - begins);
            if (t < from || t < begins || t > ends)
                continue;
            am_smooth_at(e, t, c->trial);
            double distance = am_smooth_size(e, c->trial, c->x, c->scale);
            if (distance < nearest) {
                nearest = distance;
                c->tau = i == 0 ? given : t - c->start;
            }
        }
}

static void begin(closing *c, const double *guess) {
    const am_smooth *e = c->engine;
    c->scale = c->tau / two_pi;
    memcpy(c->x, guess, c->d * sizeof *c->x);
    for (size_t i = 0; i < e->n; i++) {
        c->weight[i] = e->weight[i];
        c->weight[e->n + i] = c->scale * e->weight[i];
    }
    if (c->free_period) {
        am_smooth_rate(c->engine, c->start, guess, c->f0);
        c->speed_of_guess = weighted_norm(c, c->f0);
        align(c);
    }
}

am_status am_smooth_close(am_smooth *engine, double period_guess, bool self_excited, double start,
                          const double *guess_state, am_orbit *orbit, am_error *err) {
    *orbit = (am_orbit){0};
    if (!(period_guess > 0.0) || !isfinite(period_guess) || !isfinite(start))
        return am_fail_field(err, AM_ERR_INPUT, "period", "the period of an orbit must be positive, not %g",
                             period_guess);
    closing c = {
        .engine = engine, .d = 2 * engine->n, .free_period = self_excited, .start = start, .tau = period_guess};
    am_status status = reserve(&c, err);
    if (!status)
        begin(&c, guess_state);
    if (!status)
        status = prepare_orbit(&c, orbit, err);
    if (!status)
        status = iterate_to_least_period(&c, err);
    if (!status)
        status = fill_orbit(&c, orbit, err);
    if (status)
        am_orbit_clear(orbit);
    return status;
}
