/* The linear modes of a structure with its contacts as they are at small amplitudes.
 *
 * At rest under constant loads (the mean of the balance alone) the derivative of the balance with respect to the first
 * harmonic is Z_1 + D, D = K_c + i omega C_c being what springs and contacts add: friction behind springs is stuck,
 * springs are open or closed. So the modes are those of (K + K_c) f = omega^2 M f, and with f^T M f = 1 the damping
 * takes no energy from the mode when xi = f^T (C + C_c) f. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"
#include "math/eigen.h"

typedef struct resting {
    am_balance *b;
    double p, omega; /* any frequency: at rest nothing depends on it */
    double *x;       /* size */
    double *F, *J;   /* size, size^2 */
} resting;

/* ---- rest ---- */

static am_status evaluate_rest(void *context, const double *mean, double p, double *F, double *J, double *Fp,
                               am_error *err) {
    resting *s = context;
    am_balance *b = s->b;
    size_t count = b->r + b->multipliers;
    memset(s->x, 0, b->size * sizeof *s->x);
    s->x[b->size - 1] = s->omega;
    for (size_t i = 0; i < count; i++)
        s->x[i * b->kept] = mean[i];
    AM_TRY(am_balance_evaluate(b, s->x, s->p, s->F, J ? s->J : NULL, NULL, err));
    for (size_t i = 0; i < count; i++) {
        F[i] = s->F[i * b->kept];
        for (size_t j = 0; j < count && J; j++)
            J[i * count + j] = s->J[i * b->kept * b->size + j * b->kept];
        if (Fp)
            Fp[i] = 0.0;
    }
    (void)p;
    return AM_OK;
}

static am_status find_rest(resting *s, double *rest, am_error *err) {
    am_balance *b = s->b;
    size_t count = b->r + b->multipliers;
    am_error own = {0};
    memset(rest, 0, b->size * sizeof *rest);
    if (b->odd) /* no mean at all */
        return AM_OK;
    for (size_t c = 0; c < b->contacts; c++)
        if (b->joint[c].friction == AM_FRICTION_RIGID)
            return am_fail_field(
                err, AM_ERR_UNSUPPORTED, "contacts",
                "friction without a spring behind its slider sticks at small amplitudes at a place "
                "that constant forces and springs do not tell: give contact %zu a tangential_stiffness",
                c + 1);
    am_arena memory = {0};
    double *mean = am_arena_doubles(&memory, NULL, count, err);
    am_continuation *curve = am_continuation_create(count, 0, err);
    am_continuation_problem problem = {.n = count, .evaluate = evaluate_rest, .context = s};
    am_status status = curve ? am_arena_status(&memory) : AM_ERR_MEMORY;
    for (size_t c = 0; c < b->r && !status; c++)
        for (size_t i = 0; i < b->n && b->recalls; i++)
            mean[c] += b->Q[i * b->n + c] * b->rest[i];
    if (!status)
        status = am_continuation_solve(curve, &problem, s->p, 1e-12, mean, NULL, &own);
    for (size_t i = 0; i < count && !status; i++)
        rest[i * b->kept] = mean[i];
    am_continuation_free(curve);
    am_arena_clear(&memory);
    return own.status
               ? am_fail(err, own.status, "the structure finds no rest under its constant loads: %s", own.message)
               : status;
}

/* ---- modes ---- */

/* K (n x n) += real, C += imaginary part over omega of Q D Q^T, D the derivative at rest without the structure's own. */
static void add_contacts(const resting *s, double *K, double *C) {
    const am_balance *b = s->b;
    size_t n = b->n, r = b->r, at = b->coefficient[0] == 0;
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < r; j++) {
            const double *entry = s->J + (i * b->kept + at) * b->size + j * b->kept + at;
            double complex z = b->Z[(r + i) * r + j], more = entry[0] - creal(z) + I * (entry[1] - cimag(z));
            if (cabs(more) <= 1e-12 * cabs(z)) /* rounding */
                continue;
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++) {
                    double weight = b->Q[k * n + i] * b->Q[l * n + j];
                    K[k * n + l] += weight * creal(more);
                    C[k * n + l] += weight * cimag(more) / s->omega;
                }
        }
}

/* Rigid friction holds its contact: a spring so stiff that it moves the others' frequencies by a millionth at most. */
static void hold_rigid(const am_balance *b, double *K) {
    size_t n = b->n;
    double stiff = 1e6 * am_dense_largest(b->numbers + b->at_K, n * n);
    for (size_t c = 0; c < b->contacts; c++) {
        const am_balance_row *t = &b->joint[c].tangent;
        if (b->joint[c].friction != AM_FRICTION_RIGID)
            continue;
        for (size_t i = 0; i < t->count; i++)
            for (size_t j = 0; j < t->count; j++)
                for (size_t k = 0; k < n; k++)
                    for (size_t l = 0; l < n; l++)
                        K[k * n + l] +=
                            stiff * t->value[i] * t->value[j] * b->Q[k * n + t->index[i]] * b->Q[l * n + t->index[j]];
    }
}

/* Frequencies squared, ascending, and modes as rows of K, each with f^T M f = 1. Where some directions have no mass, of
 * M f = K f/omega^2; the modes that have none stand last, with an infinite frequency. */
static am_status find_modes(const am_balance *b, double *K, double *M, double *squares, double *row, am_error *err) {
    size_t n = b->n;
    const double *mass = b->numbers + b->at_M;
    double *kept = row + n;
    for (size_t i = 0; i < n * n; i++)
        kept[i] = 0.5 * (K[i] + K[i % n * n + i / n]);
    memcpy(K, kept, n * n * sizeof *K);
    memcpy(M, mass, n * n * sizeof *M);
    am_error own = {0};
    if (am_generalised_eigen(K, M, n, squares, &own) == AM_OK)
        return AM_OK;
    if (own.status == AM_ERR_MEMORY)
        return am_fail(err, own.status, "%s", own.message);
    memcpy(M, kept, n * n * sizeof *M);
    memcpy(K, mass, n * n * sizeof *K);
    AM_TRY(am_generalised_eigen(K, M, n, squares, err));
    for (size_t i = 0; i < n; i++) { /* the largest 1/omega^2 first */
        size_t other = n - 1 - i;
        for (size_t k = 0; k < n && i < other; k++) {
            double swap = K[i * n + k];
            K[i * n + k] = K[other * n + k];
            K[other * n + k] = swap;
        }
    }
    for (size_t i = 0; 2 * i < n; i++) {
        double low = squares[i], high = squares[n - 1 - i];
        squares[i] = high;
        squares[n - 1 - i] = low;
    }
    for (size_t i = 0; i < n; i++) {
        bool moves = squares[i] > 1e-14 * squares[0];
        for (size_t k = 0; k < n && moves; k++)
            K[i * n + k] /= sqrt(squares[i]);
        squares[i] = moves ? 1.0 / squares[i] : INFINITY;
    }
    return AM_OK;
}

/* Into the coordinates of balance: u = Q^-1 f, whose first r columns are orthonormal and orthogonal to the others.
 * Returns how much of the mode they have. */
static double pack_mode(const am_balance *b, const double *mode, double *x) {
    size_t n = b->n, at = b->coefficient[0] == 0;
    memset(x, 0, b->size * sizeof *x);
    for (size_t c = 0; c < b->r; c++)
        for (size_t i = 0; i < n; i++)
            x[c * b->kept + at] += b->Q[i * n + c] * mode[i];
    return sqrt(am_dense_dot(x, x, b->size) / am_dense_dot(mode, mode, n));
}

static am_status take_mode(resting *s, size_t mode, double *K, double *C, double *M, double *row, double *x,
                           double *omega, double *xi, double *share, am_error *err) {
    am_balance *b = s->b;
    size_t n = b->n;
    double *squares = row + n + n * n;
    memcpy(K, b->numbers + b->at_K, n * n * sizeof *K);
    memcpy(C, b->numbers + b->at_C, n * n * sizeof *C);
    AM_TRY(am_balance_evaluate(b, s->x, s->p, s->F, s->J, NULL, err));
    add_contacts(s, K, C);
    hold_rigid(b, K);
    AM_TRY(find_modes(b, K, M, squares, row, err));
    size_t count = n;
    while (count > 0 && !isfinite(squares[count - 1])) /* no mass */
        count--;
    count -= count < b->multipliers ? count : b->multipliers; /* held */
    if (mode >= count)
        return am_fail_field(
            err, AM_ERR_INPUT, "mode", "there is no mode %zu; the structure has %zu%s", mode + 1, count,
            b->multipliers > 0 ? " beside what friction without a spring behind its slider holds" : "");
    if (!(squares[mode] > 1e-12 * fabs(squares[count - 1])))
        return am_fail_field(err, AM_ERR_INPUT, "mode",
                             "mode %zu does not vibrate: nothing pulls it back%s; higher modes may", mode + 1,
                             squares[mode] < 0.0 ? " (its stiffness is negative)" : "");
    *omega = sqrt(squares[mode]);
    *xi = am_dense_quadratic(C, K + mode * n, n);
    *share = pack_mode(b, K + mode * n, x);
    return AM_OK;
}

am_status am_balance_mode(am_balance *b, double p, size_t mode, double *x, double *rest, double *omega, double *xi,
                          double *share, am_error *err) {
    size_t n = b->n;
    am_arena memory = {0};
    resting s = {.b = b, .p = p, .omega = 1.0};
    AM_TRY(am_balance_set(b, p, err));
    double stiff = am_dense_largest(b->numbers + b->at_K, n * n), heavy = am_dense_largest(b->numbers + b->at_M, n * n);
    if (stiff > 0.0 && heavy > 0.0)
        s.omega = 0.7309 * sqrt(stiff / heavy); /* no resonance of the condensed part, most likely */
    AM_ARENA_DOUBLES(&memory, b->size, err, &s.x, &s.F);
    s.J = am_arena_doubles(&memory, NULL, b->size * b->size, err);
    double *K, *C, *M, *row = am_arena_doubles(&memory, NULL, n * n + 2 * n, err);
    AM_ARENA_DOUBLES(&memory, n * n, err, &K, &C, &M);
    am_status status = am_arena_status(&memory);
    if (!status)
        status = find_rest(&s, rest, err);
    if (!status) {
        memcpy(s.x, rest, b->size * sizeof *rest);
        s.x[b->size - 1] = s.omega;
        status = take_mode(&s, mode, K, C, M, row, x, omega, xi, share, err);
    }
    am_arena_clear(&memory);
    return status;
}
