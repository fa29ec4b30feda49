#include "math/propagator.h"
#include "base/try.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/watch.h"
#include "math/algebra.h"
#include "math/dense.h"
#include "math/kernel.h"

/* (1/16)^k/k! is below rounding from the tenth term on. */
enum { TERMS = 10, MOST_LEVELS = 128 };

struct am_propagator {
    am_arena memory;
    size_t n, m;
    double base;
    double *A, *B, *G;
    size_t levels, input_levels;                              /* computed so far */
    double *P[MOST_LEVELS], *Q[MOST_LEVELS], *E[MOST_LEVELS]; /* NULL until first needed; kept when A changes */
    double *work;                                             /* 2 n (n + m) + 2 m m */
};

am_propagator *am_propagator_create(size_t n, size_t m, am_error *err) {
    am_propagator *p = am_memory_new(1, sizeof *p, err);
    if (!p)
        return NULL;
    p->n = n;
    p->m = m;
    p->A = am_arena_doubles(&p->memory, NULL, n * n, err);
    p->B = am_arena_doubles(&p->memory, NULL, n * m, err);
    p->G = am_arena_doubles(&p->memory, NULL, m * m, err);
    p->work = am_arena_doubles(&p->memory, NULL, 2 * n * (n + m) + 2 * m * m, err);
    if (!am_arena_status(&p->memory))
        return p;
    am_propagator_free(p);
    return NULL;
}

void am_propagator_free(am_propagator *p) {
    if (!p)
        return;
    am_arena_clear(&p->memory);
    am_memory_free(p);
}

void am_propagator_set(am_propagator *p, const double *A, double base) {
    memcpy(p->A, A, p->n * p->n * sizeof *A);
    p->base = base;
    p->levels = p->input_levels = 0;
}

void am_propagator_set_inputs(am_propagator *p, const double *B, const double *G) {
    memcpy(p->B, B, p->n * p->m * sizeof *B);
    memcpy(p->G, G, p->m * p->m * sizeof *G);
    p->input_levels = 0;
}

double am_propagator_length(const am_propagator *p, size_t level) {
    return ldexp(p->base, (int)level);
}

static void multiply_here(const double *A, const double *B, double *C, size_t r, size_t k, size_t c, bool add) {
    if (!add)
        memset(C, 0, r * c * sizeof *C);
    for (size_t i = 0; i < r; i++)
        am_kernel_apply_transposed(k, c, B, c, A + i * k, C + i * c);
}

/* C (r x c) = A (r x k) B (k x c) [+ C] */
static void multiply(const double *A, const double *B, double *C, size_t r, size_t k, size_t c, bool add) {
    if (r == 0 || k == 0 || c == 0)
        return;
    if (r <= AM_ALGEBRA_OWN && k <= AM_ALGEBRA_OWN && c <= AM_ALGEBRA_OWN) {
        multiply_here(A, B, C, r, k, c, add);
        return;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)r, (int)c, (int)k, 1.0, A, (int)k, B, (int)c,
                add ? 1.0 : 0.0, C, (int)c);
}

/* S (n x columns) becomes exp(A length) S, for a length of at most the base, by its series. work: 2 n columns */
static void advance(const double *A, size_t n, double length, double *S, size_t columns, double *work) {
    size_t size = n * columns;
    double *term = work, *next = work + size;
    memcpy(term, S, size * sizeof *S);
    for (int k = 1; k <= TERMS; k++) {
        multiply(A, term, next, n, n, columns, false);
        for (size_t i = 0; i < size; i++)
            S[i] += next[i] *= length / k;
        double *swap = term;
        term = next;
        next = swap;
    }
}

/* out (n x n) = exp(A length). work: 2 n n */
static void exponential(const double *A, size_t n, double length, double *out, double *work) {
    memset(out, 0, n * n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i * n + i] = 1.0;
    advance(A, n, length, out, n, work);
}

/* Q_0 = sum of base^k/k! Y_k with Y_1 = B, Y_(k+1) = A Y_k + B G^k: order k of x' = A x + B z is A^k x + Y_k z. */
static void first_inputs(am_propagator *p) {
    size_t n = p->n, m = p->m;
    double *Y = p->work, *next = Y + n * m, *BG = next + n * m, *other = BG + n * m, factor = p->base;
    memcpy(Y, p->B, n * m * sizeof *Y);
    memcpy(BG, p->B, n * m * sizeof *Y);
    memset(p->Q[0], 0, n * m * sizeof *Y);
    for (int k = 1; k <= TERMS; k++) {
        for (size_t i = 0; i < n * m; i++)
            p->Q[0][i] += factor * Y[i];
        factor *= p->base / (k + 1);
        multiply(BG, p->G, other, n, m, m, false);
        memcpy(BG, other, n * m * sizeof *BG);
        memcpy(next, BG, n * m * sizeof *next);
        multiply(p->A, Y, next, n, n, m, true);
        double *swap = Y;
        Y = next;
        next = swap;
    }
    exponential(p->G, m, p->base, p->E[0], p->work);
}

static am_status reserve_level(am_propagator *p, size_t k, am_error *err) {
    size_t n = p->n, m = p->m;
    if (p->E[k])
        return AM_OK;
    p->P[k] = am_arena_doubles(&p->memory, NULL, n * n, err);
    p->Q[k] = am_arena_doubles(&p->memory, NULL, n * m, err);
    p->E[k] = am_arena_doubles(&p->memory, NULL, m * m, err);
    return am_arena_status(&p->memory);
}

am_status am_propagator_reserve(am_propagator *p, size_t level, am_error *err) {
    size_t n = p->n, m = p->m;
    if (level >= MOST_LEVELS)
        return am_fail(err, AM_ERR_LIMIT, "the structure's fastest and slowest times are too far apart");
    for (; p->levels <= level; p->levels++) {
        size_t k = p->levels;
        AM_TRY(am_watch_spend((double)n * (double)n * (double)n, err));
        AM_TRY(reserve_level(p, k, err));
        if (k == 0)
            exponential(p->A, n, p->base, p->P[0], p->work);
        else
            multiply(p->P[k - 1], p->P[k - 1], p->P[k], n, n, n, false);
    }
    for (; p->input_levels <= level; p->input_levels++) {
        size_t k = p->input_levels;
        if (k == 0) {
            first_inputs(p);
            continue;
        }
        multiply(p->P[k - 1], p->Q[k - 1], p->Q[k], n, n, m, false);
        multiply(p->Q[k - 1], p->E[k - 1], p->Q[k], n, m, m, true);
        multiply(p->E[k - 1], p->E[k - 1], p->E[k], m, m, m, false);
    }
    return AM_OK;
}

void am_propagator_step(const am_propagator *p, size_t level, const double *x, const double *z, double *out) {
    am_dense_apply(p->P[level], p->n, p->n, x, out);
    am_dense_add(p->Q[level], p->n, p->m, z, out);
}

void am_propagator_series(const am_propagator *p, const double *x, const double *z, size_t count, double *series) {
    size_t n = p->n, m = p->m;
    double *input = p->work, *next = input + m;
    memcpy(series, x, n * sizeof *x);
    memcpy(input, z, m * sizeof *z);
    for (size_t k = 1; k < count; k++) {
        double *order = series + k * n;
        am_dense_apply(p->A, n, n, order - n, order);
        am_dense_add(p->B, n, m, input, order);
        for (size_t i = 0; i < n; i++)
            order[i] /= (double)k;
        am_dense_apply(p->G, m, m, input, next);
        for (size_t j = 0; j < m; j++)
            input[j] = next[j] / (double)k;
    }
}

am_status am_propagator_apply(am_propagator *p, double length, double *S, size_t columns, double *work, am_error *err) {
    size_t n = p->n, size = n * columns, level = 0;
    double whole = floor(length / p->base), rest = length - whole * p->base;
    for (; whole >= 1.0; whole = floor(0.5 * whole), level++) {
        AM_TRY(am_propagator_reserve(p, level, err));
        if (fmod(whole, 2.0) == 1.0) {
            multiply(p->P[level], S, work, n, n, columns, false);
            memcpy(S, work, size * sizeof *S);
        }
    }
    if (rest > 0.0)
        advance(p->A, n, rest, S, columns, work);
    return AM_OK;
}
