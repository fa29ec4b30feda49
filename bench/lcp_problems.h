/* Random linear complementarity problems with P-matrices, the same for every program that includes this file, and a
 * residual that none of them computes itself. */
#ifndef AMONTONS_BENCH_LCP_PROBLEMS_H
#define AMONTONS_BENCH_LCP_PROBLEMS_H
#include <lapacke.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* definite: G G^T/n + I/10 + a skew part of the same size
 * dominant: rows dominated by their diagonal, then columns scaled by up to e^2 either way: not definite
 * cayley:   (I - X)^-1 (I + X), where the rows of |X| add up to 0.98: not definite and not dominant */
enum { LCP_DEFINITE, LCP_DOMINANT, LCP_CAYLEY, LCP_FAMILIES };

typedef struct lcp_problem {
    size_t n;
    double *M, *q; /* row-major */
} lcp_problem;

static inline uint64_t lcp_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double lcp_between(uint64_t *state, double low, double high) {
    return low + (high - low) * ((double)(lcp_random(state) >> 11) * 0x1p-53);
}

static inline void *lcp_memory(size_t count, size_t size) {
    void *made = calloc(count, size);
    if (!made)
        exit(3);
    return made;
}

static inline void lcp_definite(uint64_t *state, size_t n, double *M, double *G) {
    for (size_t i = 0; i < n * n; i++)
        G[i] = lcp_between(state, -1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j ? 0.1 : 0, skew = i == j ? 0 : lcp_between(state, -1, 1);
            for (size_t k = 0; k < n; k++)
                sum += G[i * n + k] * G[j * n + k] / (double)n;
            M[i * n + j] = sum + skew;
            M[j * n + i] = sum - skew;
        }
}

static inline void lcp_dominant(uint64_t *state, size_t n, double *M, double *scale) {
    for (size_t i = 0; i < n; i++)
        scale[i] = exp(lcp_between(state, -2, 2));
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += i == j ? 0 : fabs(M[i * n + j] = lcp_between(state, -1, 1));
        M[i * n + i] = sum * 1.05 + 0.01;
        for (size_t j = 0; j < n; j++)
            M[i * n + j] *= scale[j];
    }
}

static inline void lcp_cayley(uint64_t *state, size_t n, double *M, double *left) {
    int *order = lcp_memory(n, sizeof *order);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += fabs(M[i * n + j] = lcp_between(state, -1, 1));
        for (size_t j = 0; j < n; j++) {
            double x = 0.98 * M[i * n + j] / sum, one = i == j ? 1 : 0;
            left[i * n + j] = one - x;
            M[i * n + j] = one + x;
        }
    }
    LAPACKE_dgesv(LAPACK_ROW_MAJOR, (int)n, (int)n, left, (int)n, order, M, (int)n);
    free(order);
}

/* Problem number `index` of a family. */
static inline lcp_problem lcp_problem_new(int family, size_t n, size_t index) {
    uint64_t state = 1000003u * (uint64_t)family + 1009u * n + 7919u * 1000003u * index;
    lcp_problem p = {n, lcp_memory(n * n, sizeof(double)), lcp_memory(n, sizeof(double))};
    double *work = lcp_memory(n * n, sizeof *work);
    (family == LCP_DEFINITE ? lcp_definite : family == LCP_DOMINANT ? lcp_dominant : lcp_cayley)(&state, n, p.M, work);
    for (size_t i = 0; i < n; i++)
        p.q[i] = lcp_between(&state, -1, 1);
    free(work);
    return p;
}

static inline void lcp_problem_free(lcp_problem *p) {
    free(p->M), free(p->q);
}

/* The largest |min(z_i / Z, w_i / W)|, w = M z + q, Z = max |z|, W = max of |q_i| + sum |M_ij z_j|; NaN stays NaN. */
static inline double lcp_problem_residual(const lcp_problem *p, const double *z) {
    double Z = 0, W = 0, worst = 0;
    double *w = lcp_memory(p->n, sizeof *w);
    for (size_t i = 0; i < p->n; i++) {
        double size = fabs(w[i] = p->q[i]);
        for (size_t j = 0; j < p->n; j++) {
            w[i] += p->M[i * p->n + j] * z[j];
            size += fabs(p->M[i * p->n + j] * z[j]);
        }
        W = fmax(W, size), Z = fmax(Z, fabs(z[i]));
    }
    for (size_t i = 0; i < p->n; i++) {
        double a = Z > 0 ? z[i] / Z : 0, b = w[i] / W, least = fabs(a < b ? a : b);
        worst = least <= worst ? worst : least;
    }
    free(w);
    return worst;
}

/* One solve is as short as a microsecond: the monotonic clock is the one that costs little enough to time it. */
static inline double lcp_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A solver under test: 0 when it says that it found the solution z of the problem numbered `index`. */
typedef int lcp_solver(void *self, size_t index, const lcp_problem *problem, double *z);

enum { LCP_FAILS_ABOVE_E = -8 }; /* a "solution" with a residual above 1e-8 is none */

/* Solves every problem once per pass, all problems in turn, so that no program gets to know one by heart. Of every
 * problem the best pass counts. Prints a JSON object. */
static inline void lcp_measure(const lcp_problem *problems, size_t count, int passes, lcp_solver *solve, void *self,
                               const char *name) {
    double *best = lcp_memory(count, sizeof *best), worst = 0, *z = lcp_memory(problems[0].n, sizeof *z);
    size_t failures = 0;
    for (int pass = 0; pass <= passes; pass++) /* the first one warms up, and is checked */
        for (size_t i = 0; i < count; i++) {
            memset(z, 0, problems[i].n * sizeof *z);
            double before = lcp_now();
            int failed = solve(self, i, &problems[i], z);
            double seconds = lcp_now() - before;
            best[i] = pass <= 1 || seconds < best[i] ? seconds : best[i];
            if (pass > 0)
                continue;
            double residual = lcp_problem_residual(&problems[i], z);
            bool wrong = failed || !(residual <= pow(10, LCP_FAILS_ABOVE_E));
            failures += wrong;
            worst = !wrong && residual > worst ? residual : worst;
        }
    printf("{\"name\": \"%s\", \"n\": %zu, \"failures\": %zu, \"residual\": %.3g, \"seconds\": [", name, problems[0].n,
           failures, worst);
    for (size_t i = 0; i < count; i++)
        printf("%s%.4g", i ? ", " : "", best[i]);
    printf("]}\n");
    free(best), free(z);
}

#endif
