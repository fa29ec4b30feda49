/* Complementarity problems: every solver over every problem, residuals computed here from the definition, solutions
 * against enumeration of all bases, rays against Farkas' lemma. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "counted_allocations.h"
#include "errors.h"
#include "math/lcp.h"
#include "math/lcp_block.h"

/* ---- problems ---- */

typedef struct source {
    uint64_t seed, index;
} source;

static double between(source *s, double low, double high) {
    return low + (high - low) * am_random_unit(s->seed, s->index++, 0);
}

typedef struct problem {
    size_t n;
    double *M, *q, *z;
} problem;

static problem problem_new(size_t n) {
    return (problem){n, calloc(n * n + 1, sizeof(double)), calloc(n + 1, sizeof(double)),
                     calloc(n + 1, sizeof(double))};
}

static void problem_free(problem *p) {
    free(p->M), free(p->q), free(p->z);
}

static void random_q(problem *p, source *s) {
    for (size_t i = 0; i < p->n; i++)
        p->q[i] = between(s, -1, 1);
}

/* a += G G^T / n, G random */
static void add_gram(problem *p, source *s, size_t columns) {
    double *G = calloc(p->n * columns + 1, sizeof *G);
    for (size_t i = 0; i < p->n * columns; i++)
        G[i] = between(s, -1, 1);
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            for (size_t k = 0; k < columns; k++)
                p->M[i * p->n + j] += G[i * columns + k] * G[j * columns + k] / (double)p->n;
    free(G);
}

static void add_skew(problem *p, source *s, double size) {
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < i; j++) {
            double x = between(s, -size, size);
            p->M[i * p->n + j] += x;
            p->M[j * p->n + i] -= x;
        }
}

static void definite(problem *p, source *s) {
    add_gram(p, s, p->n);
    add_skew(p, s, 1);
    for (size_t i = 0; i < p->n; i++)
        p->M[i * p->n + i] += 0.1;
    random_q(p, s);
}

/* Rows dominant after a scaling of columns over five orders: P, far from definite, badly scaled. */
static void dominant(problem *p, source *s) {
    size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += i == j ? 0 : fabs(p->M[i * n + j] = between(s, -1, 1));
        p->M[i * n + i] = 1.05 * sum + 0.01;
    }
    for (size_t j = 0; j < n; j++) {
        double scale = exp(between(s, -6, 6));
        for (size_t i = 0; i < n; i++)
            p->M[i * n + j] *= scale;
    }
    random_q(p, s);
}

/* K-matrices: P with no positive entry off the diagonal. */
static void obstacle(problem *p, source *s) {
    size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        p->M[i * n + i] = 2;
        if (i > 0)
            p->M[i * n + i - 1] = p->M[(i - 1) * n + i] = -1;
    }
    random_q(p, s);
}

static void k_matrix(problem *p, source *s) {
    size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            sum -= i == j ? 0 : (p->M[i * n + j] = -between(s, 0, 1));
        p->M[i * n + i] = sum + 0.05;
    }
    random_q(p, s);
}

/* Positive semidefinite of half the rank; q = w - M z for a random solution, so that there is one. */
static void semidefinite(problem *p, source *s) {
    add_gram(p, s, (p->n + 1) / 2);
    add_skew(p, s, 0.2);
    for (size_t i = 0; i < p->n; i++) {
        bool active = between(s, 0, 1) < 0.5;
        p->z[i] = active ? between(s, 0, 1) : 0;
        p->q[i] = active ? 0 : between(s, 0, 1);
    }
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            p->q[i] -= p->M[i * p->n + j] * p->z[j];
}

/* Optimality conditions of: minimise c.x subject to A x >= b, x >= 0; all data positive, so that an optimum exists. */
static void linear_program(problem *p, source *s) {
    size_t n = p->n, x = n / 2;
    for (size_t i = 0; i < n; i++)
        p->q[i] = i < x ? between(s, 0.1, 1) : -between(s, 0.1, 1);
    for (size_t i = x; i < n; i++)
        for (size_t j = 0; j < x; j++) {
            double a = between(s, 0.1, 1);
            p->M[i * n + j] = a;
            p->M[j * n + i] = -a;
        }
}

/* Ties everywhere: entries of q from {-1, 0}, equal rows in blocks. */
static void degenerate(problem *p, source *s) {
    size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        p->q[i] = between(s, 0, 1) < 0.5 ? -1 : 0;
        for (size_t j = 0; j < n; j++)
            p->M[i * n + j] = (i == j ? 2 : 0) + (i / 2 == j / 2 ? 1 : 0);
    }
}

/* q = -M z: at the solution every w vanishes, some z too. */
static void vertex(problem *p, source *s) {
    add_gram(p, s, p->n);
    add_skew(p, s, 0.3);
    for (size_t i = 0; i < p->n; i++) {
        p->M[i * p->n + i] += 0.1;
        p->z[i] = between(s, 0, 1) < 0.5 ? between(s, 0, 1) : 0;
    }
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = 0; j < p->n; j++)
            p->q[i] -= p->M[i * p->n + j] * p->z[j];
}

/* Murty's matrix, for which least-index pivoting takes 2^n steps. */
static void murty(problem *p, source *s) {
    (void)s;
    for (size_t i = 0; i < p->n; i++) {
        p->q[i] = -1;
        p->M[i * p->n + i] = 1;
        for (size_t j = i + 1; j < p->n; j++)
            p->M[i * p->n + j] = 2;
    }
}

/* Fathi's: the symmetric product of it with its transpose. */
static void fathi(problem *p, source *s) {
    (void)s;
    for (size_t i = 0; i < p->n; i++) {
        p->q[i] = -1;
        for (size_t j = 0; j < p->n; j++) {
            size_t least = i < j ? i : j;
            p->M[i * p->n + j] = i == j ? 4.0 * (double)i + 1 : 4.0 * (double)least + 2;
        }
    }
}

/* Contact nodes on an elastic support: K of order 2 N, sparse coupling, friction mu. */
static double *support(source *s, size_t N) {
    size_t n = 2 * N;
    double *K = calloc(n * n, sizeof *K);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double near = 1 / (1 + fabs((double)(i % N) - (double)(j % N)));
            K[i * n + j] = K[j * n + i] = i == j ? 2 + 0.1 * (double)N : between(s, -0.3, 0.3) * near;
        }
    return K;
}

/* The rate problem with all nodes at a limit of friction: rows A + mu E B, Condition 3.1. */
static void friction_rate(problem *p, source *s) {
    size_t N = p->n;
    double *K = support(s, N), mu = 0.5;
    for (size_t i = 0; i < N; i++)
        p->z[i] = between(s, 0, 1) < 0.5 ? -1 : 1;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            p->M[i * N + j] = p->z[i] * (K[i * 2 * N + j] + p->z[i] * mu * K[(N + i) * 2 * N + j]) * p->z[j];
    random_q(p, s);
    free(K);
}

/* Solve A x = b (k x k, destroyed) by elimination; false when singular. */
static bool eliminate(size_t k, double *A, double *b) {
    for (size_t p = 0; p < k; p++) {
        size_t best = p;
        for (size_t i = p + 1; i < k; i++)
            best = fabs(A[i * k + p]) > fabs(A[best * k + p]) ? i : best;
        if (A[best * k + p] == 0)
            return false;
        for (size_t j = 0; j < k; j++) {
            double swap = A[p * k + j];
            A[p * k + j] = A[best * k + j], A[best * k + j] = swap;
        }
        double swap = b[p];
        b[p] = b[best], b[best] = swap;
        for (size_t i = 0; i < k; i++) {
            if (i == p)
                continue;
            double f = A[i * k + p] / A[p * k + p];
            for (size_t j = p; j < k; j++)
                A[i * k + j] -= f * A[p * k + j];
            b[i] -= f * b[p];
        }
    }
    for (size_t p = 0; p < k; p++)
        b[p] /= A[p * k + p];
    return true;
}

/* A step of the total problem in terms of forces: (p, q+, q-, gamma) against (w, v + gamma, -v + gamma,
 * mu p - q+ - q-), v and w from the compliance of the support. Copositive, so that it has a solution for every mu. */
static void friction_step(problem *p, source *s) {
    size_t N = p->n / 4, n = p->n;
    double *K = support(s, N), *work = calloc(4 * N * N, sizeof *work), *F = calloc(2 * N, sizeof *F), mu = 1.2;
    for (size_t j = 0; j < 2 * N; j++) { /* column j of the compliance: 0..N-1 tangential, then normal */
        memcpy(work, K, 4 * N * N * sizeof *K);
        memset(F, 0, 2 * N * sizeof *F);
        F[j] = 1;
        assert_true(eliminate(2 * N, work, F));
        double weld = j < N ? between(s, -1, 1) : between(s, -0.3, 1.5);
        for (size_t i = 0; i < N; i++) {
            double v = F[i], w = F[N + i];
            if (j < N) {
                p->M[i * n + N + j] = w, p->M[i * n + 2 * N + j] = -w;
                p->M[(N + i) * n + N + j] = p->M[(2 * N + i) * n + 2 * N + j] = v;
                p->M[(N + i) * n + 2 * N + j] = p->M[(2 * N + i) * n + N + j] = -v;
            } else {
                p->M[i * n + j - N] = w;
                p->M[(N + i) * n + j - N] = v, p->M[(2 * N + i) * n + j - N] = -v;
            }
            p->q[i] -= weld * w, p->q[N + i] -= weld * v, p->q[2 * N + i] += weld * v;
        }
    }
    for (size_t i = 0; i < N; i++) {
        p->M[(N + i) * n + 3 * N + i] = p->M[(2 * N + i) * n + 3 * N + i] = 1;
        p->M[(3 * N + i) * n + i] = mu;
        p->M[(3 * N + i) * n + N + i] = p->M[(3 * N + i) * n + 2 * N + i] = -1;
    }
    free(K), free(work), free(F);
}

/* The optimality conditions of a program without feasible point: x >= 1 and x <= 1/2 among the rows. */
static void no_feasible_point(problem *p, source *s) {
    linear_program(p, s);
    size_t n = p->n, x = n / 2, last = n - 1;
    for (size_t j = 0; j < x; j++) { /* - sum of x >= 1 */
        p->M[last * n + j] = -1;
        p->M[j * n + last] = 1;
    }
    p->q[last] = -1;
}

/* Semidefinite with M y = 0 and q.y < 0 for y = (1, ..., 1). */
static void null_space(problem *p, source *s) {
    size_t n = p->n;
    for (size_t i = 0; i < n; i++) {
        p->q[i] = -between(s, 0.5, 1);
        for (size_t j = 0; j < n; j++)
            p->M[i * n + j] = i == j ? (double)n - 1 : -1;
    }
}

/* ---- the table ---- */

typedef struct family {
    const char *name;
    void (*fill)(problem *p, source *s);
    size_t sizes[8]; /* up to the first 0 */
    bool p_matrix;   /* just one solution */
    bool solvable;
    double tolerance; /* of the residual: rounding of a few hundred terms, times the growth of the family's pivots */
} family;

static const family families[] = {
    {"definite + skew", definite, {1, 2, 3, 5, 8, 10, 50, 200}, true, true, 1e-13},
    {"dominant rows", dominant, {1, 2, 3, 5, 8, 10, 50, 200}, true, true, 1e-13},
    {"obstacle", obstacle, {1, 2, 3, 7, 10, 60, 200}, true, true, 1e-13},
    {"K-matrix", k_matrix, {1, 2, 3, 7, 10, 60, 200}, true, true, 1e-13},
    {"semidefinite", semidefinite, {2, 3, 5, 10, 40, 120}, false, true, 1e-12},
    {"linear program", linear_program, {2, 4, 6, 10, 40, 120}, false, true, 1e-12},
    {"degenerate", degenerate, {2, 4, 6, 10, 50, 120}, true, true, 1e-13},
    {"vertex", vertex, {1, 2, 4, 8, 10, 50, 120}, true, true, 1e-13},
    {"murty", murty, {1, 2, 5, 10, 20, 40}, true, true, 1e-13},
    {"fathi", fathi, {1, 2, 5, 10, 20, 40}, true, true, 1e-13},
    {"friction, rates", friction_rate, {1, 2, 3, 6, 8, 10, 60}, true, true, 1e-13},
    {"friction, step", friction_step, {4, 8, 12, 24, 80, 160}, false, true, 1e-13},
    {"infeasible program", no_feasible_point, {2, 4, 6, 10, 40}, false, false, 0},
    {"null space", null_space, {2, 3, 10, 40}, false, false, 0},
};
enum { FAMILIES = sizeof families / sizeof *families, SEEDS = 12 };

/* M as access functions instead of an array. */
static void table_gather(const void *data, size_t rows, const size_t *row, size_t columns, const size_t *column,
                         double *block) {
    const problem *p = data;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            block[i * columns + j] = p->M[row[i] * p->n + column[j]];
}

static void table_apply(const void *data, size_t columns, const size_t *column, const double *z, double *y) {
    const problem *p = data;
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < p->n; i++)
            y[i] += p->M[i * p->n + column[k]] * z[column[k]];
}

static am_lcp by_functions(const problem *p) {
    return (am_lcp){.n = p->n, .q = p->q, .data = p, .gather = table_gather, .apply = table_apply};
}

enum { SOLVERS = 5 };
static const char *const solver_name[SOLVERS] = {"automatic", "lemke", "newton", "newton by functions",
                                                 "lemke by functions"};

static am_lcp_info solve(const problem *p, int solver, am_lcp_workspace *workspace, double *z) {
    am_lcp lcp = solver < 3 ? am_lcp_dense(p->n, p->M, p->q) : by_functions(p);
    am_lcp_options options = {.method = solver == 3   ? AM_LCP_NEWTON
                                        : solver == 4 ? AM_LCP_LEMKE
                                                      : (am_lcp_method)solver};
    am_lcp_info info;
    am_error err = {0};
    if (am_lcp_solve(&lcp, &options, workspace, z, &info, &err))
        fail_msg("%s", err.message);
    return info;
}

/* The same quantity as am_lcp_residual, by plain loops over the definition. */
static double residual_here(const problem *p, const double *z) {
    double Z = 0, W = 0, worst = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < p->n; i++) {
            long double w = p->q[i], size = fabs(p->q[i]);
            for (size_t j = 0; j < p->n; j++) {
                w += (long double)p->M[i * p->n + j] * z[j];
                size += fabsl((long double)p->M[i * p->n + j] * z[j]);
            }
            if (pass == 0) {
                Z = fmax(Z, fabs(z[i]));
                W = fmax(W, (double)size);
            } else {
                double a = Z > 0 ? z[i] / Z : z[i], b = W > 0 ? (double)w / W : (double)w;
                double r = fabs(a < b ? a : b);
                worst = r <= worst ? worst : r; /* NaN stays */
            }
        }
    return worst;
}

static bool farkas(const problem *p, const double *y) {
    double product = 0;
    for (size_t j = 0; j < p->n; j++) {
        double sum = 0;
        for (size_t i = 0; i < p->n; i++)
            sum += p->M[i * p->n + j] * y[i];
        product += p->q[j] * y[j];
        if (!(y[j] >= 0) || !(sum <= 1e-10))
            return false;
    }
    return product < -1e-6;
}

static void for_every_problem(void (*check)(const family *f, problem *p, am_lcp_workspace *workspace)) {
    am_lcp_workspace *workspace = am_lcp_workspace_create(NULL);
    for (size_t f = 0; f < FAMILIES; f++)
        for (size_t k = 0; k < 8 && families[f].sizes[k]; k++)
            for (size_t seed = 0; seed < (families[f].sizes[k] > 60 ? 2 : SEEDS); seed++) {
                problem p = problem_new(families[f].sizes[k]);
                source s = {.seed = 100 * f + k, .index = seed << 32};
                families[f].fill(&p, &s);
                check(&families[f], &p, workspace);
                problem_free(&p);
            }
    am_lcp_workspace_free(workspace);
}

static void check_residual(const family *f, problem *p, am_lcp_workspace *workspace) {
    for (int solver = 0; f->solvable && solver < SOLVERS; solver++) {
        am_lcp_info info = solve(p, solver, workspace, p->z);
        double residual = residual_here(p, p->z);
        if (info.status != AM_LCP_SOLVED || !(residual <= f->tolerance) || !(info.residual <= f->tolerance))
            fail_msg("%s, n = %zu, %s: status %d, residual %g, by its own account %g", f->name, p->n,
                     solver_name[solver], (int)info.status, residual, info.residual);
    }
}

static void every_solver_solves_every_solvable_problem_to_rounding(void **state) {
    (void)state;
    for_every_problem(check_residual);
}

static void check_ray(const family *f, problem *p, am_lcp_workspace *workspace) {
    for (int solver = 0; !f->solvable && solver < SOLVERS; solver++) {
        am_lcp_info info = solve(p, solver, workspace, p->z);
        if (info.status != AM_LCP_RAY || !farkas(p, p->z) || (solver < 3 && !info.infeasible))
            fail_msg("%s, n = %zu, %s: status %d, proof %d, accepted here %d", f->name, p->n, solver_name[solver],
                     (int)info.status, (int)info.infeasible, (int)farkas(p, p->z));
    }
}

static void every_solver_ends_infeasible_semidefinite_problems_on_a_ray_that_proves_it(void **state) {
    (void)state;
    for_every_problem(check_ray);
}

/* The best of all 2^n bases: that with the smallest residual. */
static double enumerate(const problem *p, double *best) {
    double least = INFINITY, A[100], b[10], z[10];
    for (size_t mask = 0; mask < (size_t)1 << p->n; mask++) {
        size_t set[10], k = 0;
        for (size_t i = 0; i < p->n; i++)
            if (mask >> i & 1)
                set[k++] = i;
        for (size_t i = 0; i < k; i++) {
            b[i] = -p->q[set[i]];
            for (size_t j = 0; j < k; j++)
                A[i * k + j] = p->M[set[i] * p->n + set[j]];
        }
        if (!eliminate(k, A, b))
            continue;
        memset(z, 0, sizeof z);
        for (size_t i = 0; i < k; i++)
            z[set[i]] = b[i];
        double residual = residual_here(p, z);
        if (residual < least) {
            least = residual;
            memcpy(best, z, p->n * sizeof *z);
        }
    }
    return least;
}

static void check_enumeration(const family *f, problem *p, am_lcp_workspace *workspace) {
    if (!f->p_matrix || p->n > 10)
        return;
    double best[10], size = 0, z[10];
    double least = enumerate(p, best);
    if (!(least <= 1e-12)) /* rounding, with the growth of an elimination */
        fail_msg("%s, n = %zu: no basis solves the problem (%g)", f->name, p->n, least);
    for (size_t i = 0; i < p->n; i++)
        size = fmax(size, fabs(best[i]));
    for (int solver = 0; solver < SOLVERS; solver++) {
        solve(p, solver, workspace, z);
        for (size_t i = 0; i < p->n; i++)
            if (!(fabs(z[i] - best[i]) <= 1e-10 * size)) /* rounding times a condition number of 1e4 or so */
                fail_msg("%s, n = %zu, %s: z%zu = %.17g, enumeration %.17g", f->name, p->n, solver_name[solver], i + 1,
                         z[i], best[i]);
    }
}

static void solutions_of_p_matrices_agree_with_all_bases_enumerated(void **state) {
    (void)state;
    for_every_problem(check_enumeration);
}

static void check_agreement(const family *f, problem *p, am_lcp_workspace *workspace) {
    if (!f->p_matrix || p->n <= 10)
        return;
    double *other = calloc(p->n, sizeof *other), size = 0;
    solve(p, 0, workspace, p->z);
    for (size_t i = 0; i < p->n; i++)
        size = fmax(size, p->z[i]);
    for (int solver = 1; solver < SOLVERS; solver++) {
        solve(p, solver, workspace, other);
        for (size_t i = 0; i < p->n; i++)
            if (!(fabs(p->z[i] - other[i]) <= 1e-9 * size)) /* rounding times a condition number of 1e5 */
                fail_msg("%s, n = %zu, %s differs: z%zu = %.17g, automatic %.17g", f->name, p->n, solver_name[solver],
                         i + 1, other[i], p->z[i]);
    }
    free(other);
}

static void all_solvers_find_the_one_solution_of_large_p_matrices(void **state) {
    (void)state;
    for_every_problem(check_agreement);
}

static void check_warm(const family *f, problem *p, am_lcp_workspace *workspace) {
    if (!f->p_matrix || !f->solvable || f->fill == degenerate || f->fill == vertex)
        return; /* there the set of positive entries is not unique */
    solve(p, 0, workspace, p->z);
    double *z = calloc(p->n, sizeof *z);
    for (int variant = 0; variant < 2; variant++) {
        am_lcp lcp = variant ? by_functions(p) : am_lcp_dense(p->n, p->M, p->q);
        am_lcp_options options = {.warm = p->z};
        am_lcp_info info;
        assert_int_equal(am_lcp_solve(&lcp, &options, workspace, z, &info, NULL), AM_OK);
        assert_int_equal(info.status, AM_LCP_SOLVED);
        assert_true(info.steps <= 1);
        assert_int_equal(info.pivots, 0);
        options.same_matrix = true; /* the first round lets the tables grow */
        for (int solver = 0; solver < 3; solver++) {
            options.method = (am_lcp_method)solver;
            am_lcp_solve(&lcp, &options, workspace, z, &info, NULL);
        }
        size_t before = allocations;
        for (int solver = 0; solver < 3; solver++) {
            options.method = (am_lcp_method)solver;
            am_lcp_solve(&lcp, &options, workspace, z, &info, NULL);
        }
        assert_int_equal(allocations, before);
    }
    free(z);
}

static void a_warm_start_at_the_solution_takes_one_step_and_a_warm_workspace_allocates_nothing(void **state) {
    (void)state;
    for_every_problem(check_warm);
}

/* ---- single problems ---- */

static am_lcp_info solve_small(size_t n, const double *M, const double *q, am_lcp_method method, double *z) {
    am_lcp_workspace *workspace = am_lcp_workspace_create(NULL);
    am_lcp lcp = am_lcp_dense(n, M, q);
    am_lcp_options options = {.method = method};
    am_lcp_info info;
    assert_int_equal(am_lcp_solve(&lcp, &options, workspace, z, &info, NULL), AM_OK);
    am_lcp_workspace_free(workspace);
    return info;
}

static void an_empty_problem_and_one_unknown_are_solved(void **state) {
    (void)state;
    double z[1] = {7};
    for (int method = 0; method < 3; method++) {
        assert_int_equal(solve_small(0, NULL, NULL, (am_lcp_method)method, z).status, AM_LCP_SOLVED);
        assert_int_equal(solve_small(1, (double[]){4}, (double[]){-8}, (am_lcp_method)method, z).status, AM_LCP_SOLVED);
        assert_true(z[0] == 2);
        assert_int_equal(solve_small(1, (double[]){4}, (double[]){3}, (am_lcp_method)method, z).status, AM_LCP_SOLVED);
        assert_true(z[0] == 0);
        am_lcp_info info = solve_small(1, (double[]){-1}, (double[]){-1}, (am_lcp_method)method, z);
        assert_int_equal(info.status, AM_LCP_RAY);
        assert_true(info.infeasible);
    }
}

/* w1 = z2 - 1, w2 = 1: feasible (z2 = 1), but z2 w2 = 0 fails. A ray proves nothing here, and must not pretend to. */
static void a_ray_of_a_feasible_problem_is_no_proof(void **state) {
    (void)state;
    double z[2];
    for (int method = 0; method < 3; method++) {
        am_lcp_info info = solve_small(2, (double[]){0, 1, 0, 0}, (double[]){-1, 1}, (am_lcp_method)method, z);
        assert_int_equal(info.status, AM_LCP_RAY);
        assert_false(info.infeasible);
    }
}

/* Example 1 of Andersson, Barber and Ahn: node 1 slips forward while node 2 slips backward. Nodal Gauss-Seidel (each
 * node's own problem in turn) multiplies an error by -(0.75 * 0.45)/(1.5 * 0.05) = -4.5 in each round. */
static void simultaneous_slip_is_solved_where_nodal_gauss_seidel_diverges(void **state) {
    (void)state;
    const double M[4] = {1.5, -0.75, 0.45, 0.05}, q[2] = {-0.75, -0.5};
    double z[2] = {1.001, 1};
    for (int round = 0; round < 1000; round++) {
        z[0] = fmax(0, -(q[0] + M[1] * z[1]) / M[0]);
        z[1] = fmax(0, -(q[1] + M[2] * z[0]) / M[3]);
    }
    double work[4];
    am_lcp lcp = am_lcp_dense(2, M, q);
    assert_true(am_lcp_residual(&lcp, z, work) > 0.05);
    for (int method = 0; method < 3; method++) {
        assert_int_equal(solve_small(2, M, q, (am_lcp_method)method, z).status, AM_LCP_SOLVED);
        assert_true(fabs(z[0] - 1) <= 1e-14 && fabs(z[1] - 1) <= 1e-14); /* a few roundings */
    }
}

/* Indices come and go; the bordered factors give what new ones give: solution (rounding times the condition number,
 * some hundreds, and the growth of the Schur complement) and sign of the determinant. */
static void bordered_factors_follow_the_set(void **state) {
    (void)state;
    const size_t sizes[2] = {120, 500}; /* own loops; LAPACK */
    for (int k = 0; k < 2; k++) {
        size_t n = sizes[k], bordered = 0, negative = 0;
        problem p = problem_new(n);
        source s = {.seed = 900 + (uint64_t)k};
        for (size_t i = 0; i < n * n; i++) /* of either sign of determinant */
            p.M[i] = between(&s, -1, 1) + (i % (n + 1) == 0 ? (i / n % 3 ? 8 : -8) : 0);
        am_lcp lcp = am_lcp_dense(n, p.M, p.q);
        am_lcp_block block = {0}, fresh = {0};
        size_t *set = calloc(n, sizeof *set);
        double *b = calloc(n, sizeof *b), *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
        unsigned char *in = calloc(n, 1);
        for (size_t i = 0; i < n; i++)
            in[i] = between(&s, 0, 1) < 0.7;
        for (int round = 0; round < 30; round++) {
            for (int change = 0; change < 4; change++) {
                size_t i = (size_t)between(&s, 0, (double)n);
                in[i] = !in[i];
            }
            size_t count = 0;
            bool regular, regular_fresh;
            for (size_t i = 0; i < n; i++)
                if (in[i])
                    set[count++] = i;
            for (size_t i = 0; i < count; i++)
                b[i] = between(&s, -1, 1);
            assert_int_equal(am_lcp_block_set(&block, &lcp, count, set, false, &regular, NULL), AM_OK);
            assert_int_equal(am_lcp_block_set(&fresh, &lcp, count, set, true, &regular_fresh, NULL), AM_OK);
            assert_true(regular && regular_fresh);
            am_lcp_block_solve(&block, b, x);
            am_lcp_block_solve(&fresh, b, y);
            double size = 0, difference = 0;
            for (size_t i = 0; i < count; i++) {
                size = fmax(size, fabs(y[i]));
                difference = fabs(x[i] - y[i]) <= difference ? difference : fabs(x[i] - y[i]);
            }
            if (!(difference <= 1e-10 * size))
                fail_msg("n = %zu, round %d: the solutions differ by %g", n, round, difference / size);
            assert_int_equal(am_lcp_block_sign(&block), am_lcp_block_sign(&fresh));
            bordered += am_lcp_block_bordered(&block);
            negative += am_lcp_block_sign(&fresh) < 0;
        }
        assert_true(bordered > 15 && negative > 0 && negative < 30);
        am_lcp_block_clear(&block), am_lcp_block_clear(&fresh);
        free(set), free(b), free(x), free(y), free(in);
        problem_free(&p);
    }
}

/* The right answer, and the wrong ones. */
static void the_residual_knows_right_from_wrong(void **state) {
    (void)state;
    const double M[4] = {2, 1, 1, 2}, q[2] = {-1, 1};
    double work[4];
    am_lcp lcp = am_lcp_dense(2, M, q);
    assert_true(am_lcp_residual(&lcp, (double[]){0.5, 0}, work) == 0);
    assert_true(am_lcp_residual(&lcp, (double[]){0.6, 0}, work) > 0.05);  /* w1 > 0 with z1 > 0 */
    assert_true(am_lcp_residual(&lcp, (double[]){0.4, 0}, work) > 0.05);  /* w1 < 0 */
    assert_true(am_lcp_residual(&lcp, (double[]){0.5, -1}, work) > 0.05); /* z2 < 0 */
    assert_true(isnan(am_lcp_residual(&lcp, (double[]){NAN, 0}, work)));
}

static void scaling_of_units_changes_nothing(void **state) {
    (void)state;
    am_lcp_workspace *workspace = am_lcp_workspace_create(NULL);
    problem p = problem_new(20), scaled = problem_new(20);
    source s = {.seed = 77};
    definite(&p, &s);
    for (int solver = 0; solver < SOLVERS; solver++) {
        solve(&p, solver, workspace, p.z);
        for (size_t i = 0; i < 20; i++) { /* z in other units, w in the inverse ones: powers of two are exact */
            scaled.q[i] = ldexp(p.q[i], 40);
            for (size_t j = 0; j < 20; j++)
                scaled.M[i * 20 + j] = ldexp(p.M[i * 20 + j], 80);
        }
        solve(&scaled, solver, workspace, scaled.z);
        for (size_t i = 0; i < 20; i++)
            assert_true(ldexp(scaled.z[i], 40) == p.z[i]);
    }
    problem_free(&p), problem_free(&scaled);
    am_lcp_workspace_free(workspace);
}

/* A path longer than the budget is given up, and says so. */
static void a_spent_budget_is_reported(void **state) {
    (void)state;
    am_lcp_workspace *workspace = am_lcp_workspace_create(NULL);
    problem p = problem_new(30);
    source s = {.seed = 5};
    definite(&p, &s);
    am_lcp lcp = am_lcp_dense(p.n, p.M, p.q);
    am_lcp_options options = {.method = AM_LCP_LEMKE, .budget = 3};
    am_lcp_info info;
    assert_int_equal(am_lcp_solve(&lcp, &options, workspace, p.z, &info, NULL), AM_OK);
    assert_int_equal(info.status, AM_LCP_STALLED);
    problem_free(&p);
    am_lcp_workspace_free(workspace);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
    (void)state;
    am_lcp_workspace *workspace = am_lcp_workspace_create(NULL);
    double M[4] = {1, 0, 0, 1}, q[2] = {-1, NAN}, z[2];
    am_lcp lcp = am_lcp_dense(2, M, q);
    am_lcp_info info;
    am_error err = {0};
    assert_int_equal(am_lcp_solve(&lcp, NULL, workspace, z, &info, &err), AM_ERR_INPUT);
    assert_says(&err, "finite");
    q[1] = 1, M[2] = INFINITY;
    assert_int_equal(am_lcp_solve(&lcp, NULL, workspace, z, &info, &err), AM_ERR_INPUT);
    am_lcp_workspace_free(workspace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_solver_solves_every_solvable_problem_to_rounding),
        cmocka_unit_test(every_solver_ends_infeasible_semidefinite_problems_on_a_ray_that_proves_it),
        cmocka_unit_test(solutions_of_p_matrices_agree_with_all_bases_enumerated),
        cmocka_unit_test(all_solvers_find_the_one_solution_of_large_p_matrices),
        cmocka_unit_test(a_warm_start_at_the_solution_takes_one_step_and_a_warm_workspace_allocates_nothing),
        cmocka_unit_test(an_empty_problem_and_one_unknown_are_solved),
        cmocka_unit_test(a_ray_of_a_feasible_problem_is_no_proof),
        cmocka_unit_test(simultaneous_slip_is_solved_where_nodal_gauss_seidel_diverges),
        cmocka_unit_test(bordered_factors_follow_the_set),
        cmocka_unit_test(the_residual_knows_right_from_wrong),
        cmocka_unit_test(scaling_of_units_changes_nothing),
        cmocka_unit_test(a_spent_budget_is_reported),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
