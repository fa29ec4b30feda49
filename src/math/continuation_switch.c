/* Branch points: which branches meet there, and leaving along another one. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "math/continuation_internal.h"
#include "math/lu.h"

/* Singular values of [J F_p] (rows weighted, columns scaled) below this are zero at a located branch point. */
static const double null_level = 1e-6;

/* Two directions nearer than this (cosine) are one: branches bend on the way to the sphere. */
static const double same_line = 0.995;

typedef struct crossing {
    am_continuation *c;
    size_t n, m, null_count; /* dimension of the null space */
    am_arena memory;
    double *z, *tangent; /* m each, scaled */
    double *right;       /* m x m: singular vectors, one after the other; the last null_count span the null space */
    double *left;        /* n x n, column-major: row j belongs to singular value j */
    double *weight;      /* n, of the rows at z */
    double *basis;       /* null_count x m, orthonormal, the first along the tangent */
    double *u, *product, *other;
    double *lines; /* capacity x m: directions found */
    size_t capacity, count;
} crossing;

static am_status make_arrays(crossing *k, am_error *err) {
    size_t n = k->n, m = k->m;
    AM_ARENA_DOUBLES(&k->memory, m, err, &k->z, &k->tangent, &k->u, &k->product, &k->other);
    AM_ARENA_DOUBLES(&k->memory, m * m, err, &k->right, &k->basis);
    k->left = am_arena_doubles(&k->memory, NULL, n * n, err);
    k->weight = am_arena_doubles(&k->memory, NULL, n, err);
    k->lines = am_arena_doubles(&k->memory, NULL, k->capacity * m, err);
    return am_arena_status(&k->memory);
}

/* ---- null space ---- */

/* LAPACK sees the transpose of [J F_p]. */
static am_status decompose(crossing *k, am_error *err) {
    am_continuation *c = k->c;
    int n = (int)k->n, m = (int)k->m, capacity = 8 * m + 64;
    double *values = am_arena_doubles(&k->memory, NULL, k->n + (size_t)capacity, err);
    AM_TRY(am_arena_status(&k->memory));
    if (!am_continuation_need_array(c))
        return am_fail(err, AM_ERR_MEMORY, "%s", c->refusal.message);
    memcpy(k->weight, c->weight, k->n * sizeof *k->weight);
    for (size_t i = 0; i < k->n; i++) {
        for (size_t j = 0; j < k->n; j++)
            c->A[i * k->m + j] = c->J[i * k->n + j] * (c->x_unit / k->weight[i]);
        c->A[i * k->m + k->n] = c->Fp[i] * (c->p_unit / k->weight[i]);
    }
    int info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'A', 'A', m, n, c->A, m, values, k->right, m, k->left, n,
                                   values + n, capacity);
    size_t small = 0;
    while (small < k->n && values[k->n - 1 - small] <= null_level * values[0])
        small++;
    k->null_count = 1 + (small > 0 ? small : 1);
    return info == 0 ? AM_OK : am_fail(err, AM_ERR_EVIDENCE, "the null space at the branch point was not found");
}

/* Takes from v what lies along the first `count` vectors of the basis; what is left, normalised. */
static bool orthogonalise(const crossing *k, size_t count, double *v) {
    for (int round = 0; round < 2; round++)
        for (size_t b = 0; b < count; b++) {
            const double *q = k->basis + b * k->m;
            double along = am_dense_dot(q, v, k->m);
            for (size_t i = 0; i < k->m; i++)
                v[i] -= along * q[i];
        }
    return am_continuation_normalise(v, k->m) > 1e-3;
}

/* The tangent first (what of it lies in the null space), then the null vectors without it; the one that is nearly
 * along the tangent drops out. */
static void make_basis(crossing *k) {
    size_t m = k->m, first = m - k->null_count, count = 1;
    double *t = k->basis;
    memset(t, 0, m * sizeof *t);
    for (size_t j = first; j < m; j++) {
        const double *v = k->right + j * m;
        double along = am_dense_dot(v, k->tangent, m);
        for (size_t i = 0; i < m; i++)
            t[i] += along * v[i];
    }
    if (am_continuation_normalise(t, m) < 0.1)
        memcpy(t, k->right + first * m, m * sizeof *t);
    size_t worst = first;
    for (size_t j = first; j < m; j++)
        if (fabs(am_dense_dot(k->right + j * m, t, m)) > fabs(am_dense_dot(k->right + worst * m, t, m)))
            worst = j;
    for (size_t j = first; j < m; j++) {
        double *v = k->basis + count * m;
        if (j == worst)
            continue;
        memcpy(v, k->right + j * m, m * sizeof *v);
        count += orthogonalise(k, count, v);
    }
    k->null_count = count;
}

/* ---- directions found ---- */

static bool add_line(crossing *k, const double *direction) {
    for (size_t i = 0; i < k->count; i++)
        if (fabs(am_dense_dot(k->lines + i * k->m, direction, k->m)) > same_line)
            return false;
    if (k->count == k->capacity)
        return false;
    memcpy(k->lines + k->count++ * k->m, direction, k->m * sizeof *direction);
    return true;
}

/* ---- one null vector besides the tangent: the algebraic bifurcation equation ---- */

/* w^T [J F_p] at z + e u, w the last left singular vector. */
static bool left_product(crossing *k, const double *u, double e, double *out) {
    am_continuation *c = k->c;
    size_t n = k->n, m = k->m;
    double *z = c->trial->z;
    for (size_t i = 0; i < m; i++)
        z[i] = k->z[i] + e * u[i];
    if (!am_continuation_evaluate(c, z, true) || !am_continuation_need_array(c))
        return false;
    memset(out, 0, m * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        double w = k->left[n - 1 + i * n] / k->weight[i];
        for (size_t j = 0; j < n; j++)
            out[j] += w * c->J[i * n + j] * c->x_unit;
        out[n] += w * c->Fp[i] * c->p_unit;
    }
    return true;
}

/* w^T F''[u, v] for the two vectors of the basis. */
static bool second_form(crossing *k, const double *u, const double *v0, const double *v1, double form[2]) {
    static const double e = 1e-5;
    if (!left_product(k, u, e, k->product) || !left_product(k, u, -e, k->other))
        return false;
    for (size_t i = 0; i < k->m; i++)
        k->product[i] = (k->product[i] - k->other[i]) / (2.0 * e);
    form[0] = am_dense_dot(k->product, v0, k->m);
    form[1] = am_dense_dot(k->product, v1, k->m);
    return true;
}

static void add_combination(crossing *k, double a, double b) {
    double size = hypot(a, b);
    for (size_t i = 0; i < k->m; i++)
        k->u[i] = (a * k->basis[i] + b * k->basis[k->m + i]) / size;
    add_line(k, k->u);
}

/* c11 a^2 + 2 c12 a b + c22 b^2 = 0, the tangent being nearly (1, 0). False when the form says nothing. */
static bool quadratic_directions(crossing *k) {
    const double *q0 = k->basis, *q1 = k->basis + k->m;
    double row0[2], row1[2];
    if (!second_form(k, q0, q0, q1, row0) || !second_form(k, q1, q0, q1, row1))
        return false;
    double c11 = row0[0], c12 = 0.5 * (row0[1] + row1[0]), c22 = row1[1];
    double size = fmax(fabs(c11), fmax(fabs(c12), fabs(c22))), inside = c12 * c12 - c11 * c22;
    if (size < 1e-6 || fabs(c12) < 1e-4 * size || !(inside > 0.0))
        return false;
    double sum = -c12 - copysign(sqrt(inside), c12); /* roots a/b: the one that loses no digits first */
    add_combination(k, c22, sum == 0.0 ? 1.0 : sum);
    add_combination(k, sum, c11);
    if (k->count == 2 && fabs(am_dense_dot(k->lines, q0, k->m)) < fabs(am_dense_dot(k->lines + k->m, q0, k->m)))
        for (size_t i = 0; i < k->m; i++) {
            double swap = k->lines[i];
            k->lines[i] = k->lines[k->m + i];
            k->lines[k->m + i] = swap;
        }
    return k->count == 2;
}

/* ---- solutions on a small sphere around the branch point ---- */

/* Newton's method for F(z) = 0, |z - z0| = radius, from z0 + radius u; u becomes the direction found. */
static bool meet_sphere(crossing *k, double radius, double *u) {
    am_continuation *c = k->c;
    size_t n = k->n, m = k->m;
    for (int i = 0; i < 40 && !c->fatal; i++) {
        double size = am_continuation_norm(u, m);
        for (size_t j = 0; j < m; j++) {
            c->border[j] = u[j] / size;
            c->trial->z[j] = k->z[j] + radius * u[j];
        }
        if (!am_continuation_evaluate(c, c->trial->z, true) || !am_continuation_factor(c, c->border))
            return false;
        double residual = am_continuation_residual(c);
        for (size_t j = 0; j < n; j++)
            c->delta[j] = -c->F[j] / c->weight[j];
        c->delta[n] = radius * (1.0 - size * size) / (2.0 * size);
        am_continuation_lu_solve(c, c->delta);
        double step = am_continuation_norm(c->delta, m) / radius, most = step > 0.3 ? 0.3 / step : 1.0;
        for (size_t j = 0; j < m; j++)
            u[j] += most * c->delta[j] / radius;
        if (step <= 1e-7 && residual <= c->tolerance)
            return true;
    }
    return false;
}

/* The first ones along the basis, then sums and differences, then scattered. */
static void choose_start(const crossing *k, size_t round, unsigned *seed, double *u) {
    size_t d = k->null_count;
    memset(u, 0, k->m * sizeof *u);
    for (size_t b = 0; b < d; b++) {
        double a = round < 2 * d ? (round / 2 == b ? (round % 2 ? -1.0 : 1.0) : 0.0) : am_continuation_scatter(seed);
        for (size_t i = 0; i < k->m; i++)
            u[i] += a * k->basis[b * k->m + i];
    }
    am_continuation_normalise(u, k->m);
}

static double share_in_null_space(const crossing *k, const double *u) {
    double sum = 0.0;
    for (size_t b = 0; b < k->null_count; b++) {
        double along = am_dense_dot(k->basis + b * k->m, u, k->m);
        sum += along * along;
    }
    return sqrt(sum);
}

static void sphere_directions(crossing *k) {
    static const double radii[] = {4e-3, 3e-2, 4e-4};
    add_line(k, k->basis);
    for (size_t r = 0; r < sizeof radii / sizeof *radii && k->count < 2; r++) {
        unsigned seed = 11u;
        size_t rounds = 24 * k->null_count * k->null_count;
        for (size_t i = 0; i < rounds && k->count < k->capacity && !k->c->fatal; i++) {
            choose_start(k, i, &seed, k->u);
            if (meet_sphere(k, radii[r], k->u) && share_in_null_space(k, k->u) > 0.9)
                add_line(k, k->u);
        }
    }
    for (size_t b = 1; b < k->null_count && k->count < 2; b++)
        add_line(k, k->basis + b * k->m);
}

/* ---- the contract ---- */

static void take_point(const crossing *k, const double *x, double p, const double *tangent) {
    const am_continuation *c = k->c;
    am_continuation_scale(c, x, p, k->z);
    am_continuation_scale(c, tangent, tangent[k->n], k->tangent);
    am_continuation_normalise(k->tangent, k->m);
}

static am_status refused(const am_continuation *c, double p, am_error *err) {
    if (c->fatal) {
        if (err)
            *err = c->refusal;
        return c->fatal;
    }
    return am_fail(err, AM_ERR_LIMIT, "the branch point at %g: %s", p, c->refusal.message);
}

static void list_lines(const crossing *k, double *tangents, size_t *count) {
    const am_continuation *c = k->c;
    *count = k->count;
    for (size_t l = 0; l < k->count; l++) {
        const double *line = k->lines + l * k->m;
        double sense = am_dense_dot(line, k->tangent, k->m) < 0.0 ? -1.0 : 1.0;
        for (size_t i = 0; i < k->n; i++)
            tangents[l * k->m + i] = sense * line[i] * c->x_unit;
        tangents[l * k->m + k->n] = sense * line[k->n] * c->p_unit;
    }
}

static am_status find_directions(crossing *k, const am_continuation_options *o, am_error *err) {
    am_continuation *c = k->c;
    if (!am_continuation_weigh(c, k->z))
        return refused(c, o->from, err);
    AM_TRY(decompose(k, err));
    make_basis(k);
    if (k->null_count != 2 || !quadratic_directions(k)) {
        k->count = 0;
        sphere_directions(k);
    }
    return c->fatal ? refused(c, o->from, err) : AM_OK;
}

am_status am_continuation_directions(am_continuation *c, const am_continuation_problem *problem,
                                     const am_continuation_options *o, const double *x, const double *tangent,
                                     size_t capacity, double *tangents, size_t *count, am_error *err) {
    *count = 0;
    if (capacity < 2)
        return am_fail(err, AM_ERR_INPUT, "directions at a branch point need room for at least two of them");
    AM_TRY(am_continuation_take(c, problem, o, x, err));
    crossing k = {.c = c, .n = c->n, .m = c->n + 1, .capacity = capacity};
    am_status status = make_arrays(&k, err);
    if (!status) {
        take_point(&k, x, o->from, tangent);
        status = find_directions(&k, o, err);
    }
    if (!status)
        list_lines(&k, tangents, count);
    am_arena_clear(&k.memory);
    return status;
}

am_status am_continuation_switch(am_continuation *c, const am_continuation_problem *problem,
                                 const am_continuation_options *o, const double *x, const double *tangent,
                                 am_continuation_report *report, am_continuation_visit visit, void *visitor,
                                 am_error *err) {
    memset(report, 0, sizeof *report);
    AM_TRY(am_continuation_take(c, problem, o, x, err));
    am_continuation_station *start = c->start;
    crossing k = {.c = c, .n = c->n, .m = c->n + 1, .z = start->z, .tangent = start->t};
    take_point(&k, x, o->from, tangent);
    if (!am_continuation_weigh(c, start->z))
        return refused(c, o->from, err);
    start->residual = am_continuation_residual(c);
    start->det = start->gap = 0.0;
    memset(start->v, 0, (c->n + 1) * sizeof *start->v);
    start->exponent = 0;
    return am_continuation_walk(c, o, true, report, visit, visitor, err);
}
