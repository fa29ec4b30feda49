/* What shows how good a balance is: the harmonics it left out, and what its contacts do. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/pi.h"
#include "math/trigonometric.h"

static am_status make_finer(am_balance *b, am_error *err) {
    if (b->finer_curve)
        return AM_OK;
    am_balance_options options = {.degree = b->odd ? 2 * b->H + 1 : 2 * b->H,
                                  .parity = b->odd ? AM_PARITY_ODD : AM_PARITY_ALL,
                                  .self_excited = b->self_excited,
                                  .free_omega = b->free_omega,
                                  .whole = b->whole,
                                  .omega = b->fixed_omega,
                                  .control_count = b->levers,
                                  .controls = b->control};
    if (!b->finer)
        b->finer = am_balance_create(&b->line, b->from, b->to, &options, err);
    if (!b->finer)
        return err && err->status ? err->status : AM_ERR_LIMIT;
    for (size_t i = 0; i < b->levers; i++)
        b->finer->lever[i].unit = b->lever[i].unit;
    b->finer->recalls = b->recalls;
    for (size_t c = 0; c < b->contacts; c++)
        memcpy(b->finer->joint[c].relaxed, b->joint[c].relaxed, sizeof b->joint[c].relaxed);
    b->finer_curve = am_continuation_create(b->finer->size, am_balance_problem(b).test_count, err);
    return b->finer_curve ? AM_OK : AM_ERR_MEMORY;
}

/* Blocks of both have the same order. */
void am_balance_refine(const am_balance *b, const am_balance *finer, const double *x, double *fine) {
    memset(fine, 0, finer->size * sizeof *fine);
    for (size_t c = 0; c < b->r + b->multipliers; c++)
        memcpy(fine + c * finer->kept, x + c * b->kept, b->kept * sizeof *x);
    if (b->free_omega)
        fine[finer->size - 1] = x[b->size - 1];
    memcpy(fine + finer->size - b->levers, x + b->size - b->levers, b->levers * sizeof *x);
}

/* Forces of harmonic h on the coordinates of balance that nothing balances yet. A multiplier left at zero stands for
 * the friction force minus its residual, along its tangent. */
static void left_over(const am_balance *finer, const double *F, size_t at, double complex *force) {
    for (size_t c = 0; c < finer->r; c++)
        force[c] = F[c * finer->kept + at] - I * F[c * finer->kept + at + 1];
    for (size_t j = 0; j < finer->contacts; j++) {
        const am_balance_joint *joint = &finer->joint[j];
        if (joint->friction != AM_FRICTION_RIGID)
            continue;
        const double *own = F + joint->multiplier.index[0] * finer->kept + at;
        double complex f = own[0] - I * own[1];
        for (size_t i = 0; i < joint->tangent.count; i++)
            force[joint->tangent.index[i]] -= joint->tangent.value[i] * f;
    }
}

am_status am_balance_left_over(const am_balance *b, am_balance *finer, const double *fine, double p, double *missing,
                               am_error *err) {
    double omega = am_balance_omega(finer, fine, p), sum = 0.0;
    am_arena memory = {0};
    double *F = am_arena_doubles(&memory, NULL, finer->size, err);
    double complex *force = am_arena_new(&memory, finer->r, sizeof *force, err);
    am_status status = am_arena_status(&memory);
    if (!status)
        status = am_balance_evaluate(finer, fine, p, F, NULL, NULL, err);
    for (size_t at = b->kept; at < finer->kept && !status; at += 2) {
        left_over(finer, F, at, force);
        status = am_balance_answer(finer, (finer->coefficient[at] + 1) / 2, omega, force, err);
        for (size_t c = 0; c < finer->r; c++)
            sum += creal(force[c] * conj(force[c]));
    }
    *missing = sqrt(sum);
    am_arena_clear(&memory);
    return status;
}

/* The finer balance; omega is held where the caller's own condition would fix it. */
typedef struct held {
    am_balance *finer;
    double omega;
} held;

static am_status evaluate_held(void *context, const double *x, double p, double *F, double *J, double *Fp,
                               am_error *err) {
    held *h = context;
    am_balance *b = h->finer;
    am_status status = am_balance_evaluate(b, x, p, F, J, Fp, err);
    if (!status && b->free_omega && !b->self_excited) {
        F[b->size - 1] = x[b->size - 1] - h->omega;
        if (J)
            J[b->size * b->size - 1] = 1.0;
    }
    return status;
}

/* Distance of two motions, or the size of the first: over all coordinates, condensed ones included (the directions of
 * nonlinear forces alone may be at rest). `a` has the harmonics of its balance, `b` at least as many. */
static double distance(const double *a, size_t S, const double *other, size_t other_S, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (other ? other_S : S); k++) {
            double one = k < S ? a[i * S + k] : 0.0, two = other ? other[i * other_S + k] : 0.0;
            sum += (one - two) * (one - two);
        }
    return sqrt(sum);
}

/* How far the motion moves when the next harmonics join; INFINITY where Newton's method loses it (next to a fold, which
 * moves with them). */
static am_status measure_move(am_balance *b, double *fine, double p, const double *signals, double *finer_signals,
                              double *moved, am_error *err) {
    am_balance *finer = b->finer;
    held h = {finer, am_balance_omega(finer, fine, p)};
    am_continuation_problem problem = am_balance_problem(finer);
    am_error own = {0};
    if (problem.advance) {
        memset(finer->phase, 0, finer->size * sizeof *finer->phase);
        problem.advance(problem.context, fine, p);
    }
    if (finer->free_omega) {
        problem.evaluate = evaluate_held;
        problem.context = &h;
    }
    am_status status = am_continuation_solve(b->finer_curve, &problem, p, 1e-9, fine, NULL, &own);
    if (status == AM_ERR_MEMORY)
        return am_fail(err, status, "%s", own.message);
    *moved = INFINITY;
    if (status)
        return AM_OK;
    status = am_balance_unpack(finer, fine, p, finer_signals, err);
    *moved = status ? INFINITY : distance(signals, b->S, finer_signals, finer->S, b->n);
    return status;
}

/* The motion with the finer unknowns, its signals, its size, and what the next harmonics of its forces do. */
static am_status prepare(am_balance *b, const double *x, double p, double *fine, double *signals, double *size,
                         double *missing, am_error *err) {
    AM_TRY(am_balance_unpack(b, x, p, signals, err));
    *size = distance(signals, b->S, NULL, 0, b->n);
    am_balance_refine(b, b->finer, x, fine);
    return am_balance_left_over(b, b->finer, fine, p, missing, err);
}

static am_status measure(am_balance *b, const double *x, double p, bool solve, double *fine, double *signals,
                         double *truncation, am_error *err) {
    double size = 0.0, missing = 0.0, moved = 0.0;
    AM_TRY(prepare(b, x, p, fine, signals, &size, &missing, err));
    if (solve)
        AM_TRY(measure_move(b, fine, p, signals, signals + b->n * b->S, &moved, err));
    if (!(moved <= 0.5 * size)) /* it went to another motion */
        moved = missing;
    *truncation = size > 0.0 ? fmax(missing, moved) / size : 0.0;
    return AM_OK;
}

static am_status truncation_of(am_balance *b, const double *x, double p, bool solve, double *truncation,
                               am_error *err) {
    AM_TRY(make_finer(b, err));
    size_t m = b->finer->size;
    double *fine = am_memory_new(m + b->n * (b->S + b->finer->S), sizeof *fine, err);
    am_status status = fine ? measure(b, x, p, solve, fine, fine + m, truncation, err) : AM_ERR_MEMORY;
    am_memory_free(fine);
    return status;
}

am_status am_balance_truncation(am_balance *b, const double *x, double p, double *truncation, am_error *err) {
    return truncation_of(b, x, p, true, truncation, err);
}

am_status am_balance_least_truncation(am_balance *b, const double *x, double p, double *truncation, am_error *err) {
    return truncation_of(b, x, p, false, truncation, err);
}

/* ---- energy ---- */

/* Work in a period of forces (fa cos + fb sin) of harmonic h on a motion a cos + b sin, over pi. */
static double work_of(double h, double fa, double fb, double a, double b) {
    return h * (fa * b - fb * a);
}

/* Springs and contacts do what the linear structure leaves over: F - (Z u - load). The condensed load of a free motion
 * has no harmonics but the mean, which does no work. */
static double nonlinear_work(const am_balance *b, const double *x, const double *F) {
    double sum = 0.0;
    for (size_t at = b->coefficient[0] == 0; at < b->kept; at += 2) {
        size_t h = (b->coefficient[at] + 1) / 2;
        for (size_t i = 0; i < b->r; i++) {
            const double *own = x + i * b->kept + at, *f = F + i * b->kept + at;
            double complex linear = 0.0;
            for (size_t j = 0; j < b->r; j++) {
                const double *u = x + j * b->kept + at;
                linear += b->Z[(h * b->r + i) * b->r + j] * (u[0] - I * u[1]);
            }
            sum += work_of((double)h, f[0] - creal(linear), f[1] + cimag(linear), own[0], own[1]);
        }
    }
    return sum;
}

am_status am_balance_losses(am_balance *b, const double *x, double p, double *nonlinear, double *damping,
                            am_error *err) {
    double *signals = am_memory_new(b->n * b->S, sizeof *signals, err), omega = am_balance_omega(b, x, p), sum = 0.0;
    if (!signals)
        return AM_ERR_MEMORY;
    am_status status = am_balance_evaluate(b, x, p, b->work, NULL, NULL, err);
    if (!status) {
        *nonlinear = pi * nonlinear_work(b, x, b->work);
        status = am_balance_unpack(b, x, p, signals, err);
    }
    const double *C = b->numbers + b->at_C;
    for (size_t i = 0; i < b->n && !status; i++)
        for (size_t j = 0; j < b->n; j++)
            for (size_t h = 1; h <= b->H; h++) {
                const double *s = signals + i * b->S + 2 * h - 1, *t = signals + j * b->S + 2 * h - 1;
                sum += (double)(h * h) * C[i * b->n + j] * (s[0] * t[0] + s[1] * t[1]);
            }
    *damping = pi * omega * sum;
    am_memory_free(signals);
    return status;
}

/* ---- the state at theta = 0 ---- */

size_t am_balance_contacts(const am_balance *b) {
    return b->contacts;
}

static bool remembers(const am_balance *b, size_t contact) {
    return b->joint[contact].worn > 0.0 || (b->joint[contact].law && am_element_law_remembers(b->joint[contact].law));
}

size_t am_balance_worn(const am_balance *b) {
    size_t count = 0;
    for (size_t c = 0; c < b->contacts; c++)
        count += b->joint[c].worn > 0.0;
    return count;
}

size_t am_balance_springs(const am_balance *b) {
    size_t count = 0;
    for (size_t c = 0; c < b->contacts; c++)
        count += (am_balance_contact_numbers(b, c)[SPRING] > 0.0 ? 1u + b->joint[c].plane : 0u) + remembers(b, c);
    return count;
}

/* With q + exp(lambda t) r(t), det J(lambda) is positive for large lambda, where lambda^2 M outweighs all else, and
 * changes its sign at every real exponent on the way down to lambda = 0. Self-excited: det J(lambda) is about lambda
 * times minus the bordered determinant, whose column is J'(0) times the shift in time (docs/response.md). */
am_status am_balance_index(am_balance *b, am_continuation *curve, const double *x, double p, int *index,
                           am_error *err) {
    am_continuation_problem problem = am_balance_problem(b);
    if (problem.advance)
        problem.advance(problem.context, x, p);
    b->hold = b->levers > 0; /* the motion as it is under its own load, without control */
    am_status status = am_continuation_sign(curve, &problem, x, p, index, err);
    b->hold = false;
    *index = b->self_excited ? -*index : *index;
    return status;
}

am_status am_balance_state(am_balance *b, const double *x, double p, double *state, am_error *err) {
    double *signals = am_memory_new(b->n * b->S, sizeof *signals, err), omega = am_balance_omega(b, x, p);
    am_status status = signals ? am_balance_unpack(b, x, p, signals, err) : AM_ERR_MEMORY;
    for (size_t i = 0; i < b->n && !status; i++) {
        state[i] = am_trig_value(b->H, signals + i * b->S, 0.0);
        am_trig_derivative(b->H, signals + i * b->S, b->force);
        state[b->n + i] = omega * am_trig_value(b->H, b->force, 0.0);
    }
    size_t at = 2 * b->n;
    for (size_t c = 0; c < b->contacts && !status; c++) {
        if (!(am_balance_contact_numbers(b, c)[SPRING] > 0.0))
            continue;
        state[at] = 0.0;
        if (b->joint[c].plane)
            state[at + 1] = 0.0;
        if (b->joint[c].friction == AM_FRICTION_JENKINS)
            status = am_balance_stretch(b, x, p, c, &state[at], err);
        if (b->joint[c].friction == AM_FRICTION_SLIDER)
            status = am_balance_remembered(b, x, p, c, &state[at], err);
        at += 1 + b->joint[c].plane;
    }
    for (size_t c = 0; c < b->contacts && !status; c++)
        if (b->joint[c].worn > 0.0)
            state[at++] = b->joint[c].worn;
        else if (remembers(b, c))
            status = am_balance_remembered(b, x, p, c, &state[at++], err);
    am_memory_free(signals);
    return status;
}
