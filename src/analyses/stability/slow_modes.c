/* With lambda = sigma + 1/theta slow modes are the large theta of
 *
 *     theta^2 K' x + theta C' x + M x = 0,    K' = K + sigma C + sigma^2 M,    C' = C + 2 sigma M,
 *
 * of which nothing is lost however fast other modes are. x is in units in which K' has ones on its diagonal. What rounding
 * does to an eigenvalue follows from its left vector: of symmetric matrices x itself, of others the vector of the
 * transposed ones. */
#include "analyses/stability/slow_modes.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/try.h"
#include "math/dense.h"

typedef struct turned {
    size_t k;
    double unit, terms;                       /* of theta; sizes of what was added up */
    double *stiff, *inverse, *damping, *mass; /* k x k */
    double *scale, *sum, *next, *row;         /* k */
    double *moved;                            /* 2 k: by how much rounding of the entries moves each theta */
} turned;

bool am_modes_symmetric(const double *a, size_t k) {
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            if (!(fabs(a[i * k + j] - a[j * k + i]) <= 16.0 * DBL_EPSILON * sqrt(fabs(a[i * k + i] * a[j * k + j]))))
                return false;
    return true;
}

/* Below all frequencies, and not so far that those of springs that hold are lost beside it. */
static double choose_sigma(const am_linearised *r) {
    size_t k = r->k;
    double square = INFINITY;
    for (size_t i = 0; i < k; i++)
        square = fmin(square, fabs(r->K[i * k + i] / r->M[i * k + i]));
    return 0.01 * sqrt(square);
}

/* False: springs that push, or hold nothing, have no such units. */
static bool invert_pencil(const am_linearised *r, double sigma, turned *t) {
    size_t k = t->k;
    for (size_t i = 0; i < k * k; i++) {
        t->stiff[i] = r->K[i] + sigma * (r->C[i] + sigma * r->M[i]);
        t->damping[i] = r->C[i] + 2.0 * sigma * r->M[i];
    }
    for (size_t i = 0; i < k; i++) {
        if (!(t->stiff[i * k + i] > 0.0))
            return false;
        t->scale[i] = 1.0 / sqrt(t->stiff[i * k + i]);
    }
    for (size_t i = 0; i < k * k; i++) {
        double both = t->scale[i / k] * t->scale[i % k];
        t->stiff[i] *= both;
        t->damping[i] *= both;
        t->mass[i] = both * r->M[i];
    }
    memcpy(t->inverse, t->stiff, k * k * sizeof *t->stiff);
    return true;
}

/* out = |a| in */
static void add_sizes(const double *a, size_t k, const double *in, double *out) {
    for (size_t i = 0; i < k; i++) {
        out[i] = 0.0;
        for (size_t j = 0; j < k; j++)
            out[i] += fabs(a[i * k + j]) * in[j];
    }
}

static void find_unit(turned *t) {
    for (size_t i = 0; i < t->k; i++)
        t->sum[i] = 1.0;
    add_sizes(t->mass, t->k, t->sum, t->next);
    add_sizes(t->inverse, t->k, t->next, t->sum);
    t->unit = sqrt(am_dense_largest(t->sum, t->k));
}

/* (x, theta x/unit) */
static void fill_matrix(const turned *t, double *a) {
    size_t k = t->k, size = 2 * k;
    for (size_t i = 0; i < k; i++) {
        a[i * size + k + i] = t->unit;
        for (size_t l = 0; l < k; l++) {
            double f = t->inverse[i * k + l];
            for (size_t j = 0; j < k; j++) {
                a[(k + i) * size + j] -= f * t->mass[l * k + j] / t->unit;
                a[(k + i) * size + k + j] -= f * t->damping[l * k + j];
            }
        }
    }
}

/* ---- what rounding of the entries does ---- */

/* The part of the vector of eigenvalue j that has most of its digits: x, or theta x/unit where theta is large. */
static void find_vector(const turned *t, const am_eigen *e, size_t j, const double **re, const double **im) {
    size_t first = e->imaginary[j] < 0.0 ? j - 1 : j, half = hypot(e->real[j], e->imaginary[j]) > t->unit ? t->k : 0;
    *re = e->vectors + first * e->n + half;
    *im = e->imaginary[j] != 0.0 ? *re + e->n : NULL;
}

typedef struct vector {
    const double *re, *im; /* im NULL: real */
} vector;

/* y.a x of complex vectors, without conjugation. */
static double complex product_of(const double *a, size_t k, vector y, vector x) {
    double complex sum = 0.0;
    for (size_t i = 0; i < k; i++) {
        double p = am_dense_dot(a + i * k, x.re, k), q = x.im ? am_dense_dot(a + i * k, x.im, k) : 0.0;
        sum += (y.re[i] + I * (y.im ? y.im[i] : 0.0)) * (p + I * q);
    }
    return sum;
}

static double size_at(vector v, size_t i) {
    return hypot(v.re[i], v.im ? v.im[i] : 0.0);
}

/* By how much it moves theta, to first order, with the left vector y: rounding of an entry of K', whose inverse acts on
 * M x and C' x, comes with |y| |K'| |K'^-1| (|M| + |theta| |C'|) |x|. */
static double entries_move(turned *t, double complex theta, vector y, vector x) {
    size_t k = t->k;
    double size = cabs(theta), terms = 0.0;
    for (size_t i = 0; i < k; i++)
        t->sum[i] = size_at(x, i);
    add_sizes(t->damping, k, t->sum, t->row);
    add_sizes(t->mass, k, t->sum, t->next);
    for (size_t i = 0; i < k; i++)
        t->row[i] = size * t->row[i] + t->next[i];
    add_sizes(t->inverse, k, t->row, t->next);
    add_sizes(t->stiff, k, t->next, t->row);
    for (size_t i = 0; i < k; i++)
        terms += size_at(y, i) * t->row[i];
    return terms / cabs(2.0 * theta * product_of(t->stiff, k, y, x) + product_of(t->damping, k, y, x));
}

/* The left vector of theta_j is among those of the transposed matrices whose theta is as near as rounding leaves it; of
 * several the one that gives the least, as the others are orthogonal to what belongs to theta_j. */
static double least_move(turned *t, const am_eigen *e, const am_eigen *left, size_t j) {
    double complex theta = e->real[j] + I * fabs(e->imaginary[j]);
    double found = INFINITY;
    vector x, y;
    find_vector(t, e, j, &x.re, &x.im);
    if (!left)
        return entries_move(t, theta, x, x);
    for (size_t i = 0; i < left->n; i++) {
        double apart = cabs(left->real[i] + I * fabs(left->imaginary[i]) - theta);
        if (!(apart <= 10.0 * (e->uncertainty[j] + left->uncertainty[i])))
            continue;
        find_vector(t, left, i, &y.re, &y.im);
        found = fmin(found, entries_move(t, theta, y, x));
    }
    return found;
}

/* ---- and back ---- */

/* theta becomes lambda; the pair changes places, so that the one with positive imaginary part stays first. */
static void restore_eigenvalues(turned *t, const am_eigen *left, am_slow_modes *slow) {
    am_eigen *e = &slow->eigen;
    slow->rounding = INFINITY;
    for (size_t j = 0; j < e->n; j++)
        t->moved[j] = least_move(t, e, left, j);
    for (size_t j = 0; j < e->n; j++) {
        e->uncertainty[j] += 10.0 * DBL_EPSILON * t->moved[j];
        slow->rounding = fmin(slow->rounding, e->uncertainty[j]);
    }
    for (size_t j = 0; j < e->n; j++) {
        double *x = e->vectors + j * e->n, size = hypot(e->real[j], e->imaginary[j]), square = size * size;
        double sign = e->imaginary[j] < 0.0 ? -1.0 : 1.0;
        for (size_t i = 0; i < t->k; i++)
            x[i] = sign * t->scale[i] * x[size > t->unit ? t->k + i : i];
        e->uncertainty[j] = 2.0 * e->uncertainty[j] < size ? e->uncertainty[j] / square : INFINITY;
        e->real[j] = slow->sigma + e->real[j] / square;
        e->imaginary[j] /= square;
    }
}

static void transpose(double *a, size_t k) {
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            double swap = a[i * k + j];
            a[i * k + j] = a[j * k + i];
            a[j * k + i] = swap;
        }
}

/* Eigenvalues of the transposed matrices, with their vectors; `a` is zero. */
static am_status find_left(turned *t, double *a, am_eigen *left, am_error *err) {
    double *const all[] = {t->stiff, t->inverse, t->damping, t->mass};
    for (size_t i = 0; i < 4; i++)
        transpose(all[i], t->k);
    fill_matrix(t, a);
    for (size_t i = 0; i < 4; i++)
        transpose(all[i], t->k);
    return am_eigen_init(left, a, 2 * t->k, 0.0, err);
}

am_status am_slow_modes_init(am_slow_modes *slow, const am_linearised *linearised, am_error *err) {
    size_t k = linearised->k;
    AM_LOCAL_ARENA memory = {0};
    AM_LOCAL(am_eigen_clear) am_eigen left = {0};
    turned t = {.k = k};
    double *a = am_arena_doubles(&memory, NULL, 4 * k * k, err), rcond;
    AM_ARENA_DOUBLES(&memory, k * k, err, &t.stiff, &t.inverse, &t.damping, &t.mass);
    AM_ARENA_DOUBLES(&memory, k, err, &t.scale, &t.sum, &t.next, &t.row);
    t.moved = am_arena_doubles(&memory, NULL, 2 * k, err);
    AM_TRY(am_arena_status(&memory));
    *slow = (am_slow_modes){.sigma = choose_sigma(linearised)};
    bool symmetric = am_modes_symmetric(linearised->K, k) && am_modes_symmetric(linearised->M, k) &&
                     am_modes_symmetric(linearised->C, k);
    if (!(slow->sigma > 0.0) || !invert_pencil(linearised, slow->sigma, &t))
        return AM_OK;
    AM_TRY(am_dense_invert(t.inverse, k, &rcond, err));
    if (!(rcond > 0.0))
        return AM_OK;
    find_unit(&t);
    if (!symmetric)
        AM_TRY(find_left(&t, a, &left, err));
    memset(a, 0, 4 * k * k * sizeof *a);
    fill_matrix(&t, a);
    AM_TRY(am_eigen_init(&slow->eigen, a, 2 * k, 0.0, err));
    restore_eigenvalues(&t, symmetric ? NULL : &left, slow);
    return AM_OK;
}

void am_slow_modes_clear(am_slow_modes *slow) {
    am_eigen_clear(&slow->eigen);
}
