#include "math/gmres.h"

#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "math/dense.h"

am_status am_gmres_init(am_gmres *gmres, size_t n, size_t width, am_error *err) {
    *gmres = (am_gmres){.n = n, .width = width};
    gmres->basis = am_arena_doubles(&gmres->memory, NULL, (width + 1) * n, err);
    gmres->hessenberg = am_arena_doubles(&gmres->memory, NULL, (width + 1) * (width + 1), err);
    AM_ARENA_DOUBLES(&gmres->memory, width + 1, err, &gmres->cosine, &gmres->sine, &gmres->rhs);
    gmres->work = am_arena_doubles(&gmres->memory, NULL, 2 * n, err);
    am_status status = am_arena_status(&gmres->memory);
    if (status)
        am_gmres_clear(gmres);
    return status;
}

void am_gmres_clear(am_gmres *gmres) {
    am_arena_clear(&gmres->memory);
    *gmres = (am_gmres){0};
}

static double norm(const double *x, size_t n) {
    return sqrt(am_dense_dot(x, x, n));
}

static void add(double factor, const double *x, double *y, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] += factor * x[i];
}

/* The next column of the Hessenberg matrix, by Gram and Schmidt twice, turned by the rotations so far and one more. */
static void next_column(am_gmres *g, size_t k) {
    size_t n = g->n, width = g->width + 1;
    double *v = g->basis + (k + 1) * n, *H = g->hessenberg;
    for (size_t i = 0; i <= k; i++)
        H[i * width + k] = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i <= k; i++) {
            double dot = am_dense_dot(g->basis + i * n, v, n);
            H[i * width + k] += dot;
            add(-dot, g->basis + i * n, v, n);
        }
    double below = norm(v, n);
    for (size_t j = 0; j < n && below > 0.0; j++)
        v[j] /= below;
    for (size_t i = 0; i < k; i++) {
        double a = H[i * width + k], b = H[(i + 1) * width + k];
        H[i * width + k] = g->cosine[i] * a + g->sine[i] * b;
        H[(i + 1) * width + k] = g->cosine[i] * b - g->sine[i] * a;
    }
    double diagonal = H[k * width + k], radius = hypot(diagonal, below);
    g->cosine[k] = radius > 0.0 ? diagonal / radius : 1.0;
    g->sine[k] = radius > 0.0 ? below / radius : 0.0;
    H[k * width + k] = radius;
    g->rhs[k + 1] = -g->sine[k] * g->rhs[k];
    g->rhs[k] *= g->cosine[k];
}

/* x += preconditioner times the best combination of the first k vectors. */
static void update(am_gmres *g, const am_gmres_problem *problem, size_t k, double *x) {
    size_t n = g->n, width = g->width + 1;
    double *sum = g->work, *step = g->work + n;
    memset(sum, 0, n * sizeof *sum);
    for (size_t i = k; i-- > 0;) {
        double y = g->rhs[i];
        for (size_t j = i + 1; j < k; j++)
            y -= g->hessenberg[i * width + j] * g->rhs[j];
        g->rhs[i] = g->hessenberg[i * width + i] > 0.0 ? y / g->hessenberg[i * width + i] : 0.0;
        add(g->rhs[i], g->basis + i * n, sum, n);
    }
    problem->precondition(problem->context, sum, step);
    add(1.0, step, x, n);
}

double am_gmres_solve(am_gmres *gmres, const am_gmres_problem *problem, const double *b, double tolerance, size_t most,
                      double *x, size_t *products) {
    size_t n = gmres->n, used = 0;
    double scale = norm(b, n), *r = gmres->basis, residual = INFINITY;
    if (!(scale > 0.0)) {
        memset(x, 0, n * sizeof *x);
        return scale;
    }
    for (;;) {
        problem->apply(problem->context, x, r);
        used++;
        for (size_t i = 0; i < n; i++)
            r[i] = b[i] - r[i];
        double size = norm(r, n), before = residual;
        residual = size / scale;
        /* A restart that did not halve the residual has met rounding. */
        if (!(residual > tolerance) || used >= most || !(residual < 0.5 * before) || am_watch_stopped(1e2 * (double)n))
            break;
        for (size_t i = 0; i < n; i++)
            r[i] /= size;
        memset(gmres->rhs, 0, (gmres->width + 1) * sizeof *gmres->rhs);
        gmres->rhs[0] = size;
        size_t k = 0;
        while (k < gmres->width && used < most && !am_watch_stopped(1e2 * (double)n) &&
               fabs(gmres->rhs[k]) > 0.5 * tolerance * scale) {
            problem->precondition(problem->context, gmres->basis + k * n, gmres->work);
            problem->apply(problem->context, gmres->work, gmres->basis + (k + 1) * n);
            used++;
            next_column(gmres, k++);
        }
        update(gmres, problem, k, x);
    }
    if (products)
        *products += used;
    return residual;
}
