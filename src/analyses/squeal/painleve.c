#include "analyses/squeal/full_problem.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/entries.h"
#include "math/lu.h"
#include "system/system.h"

enum { ALL_MINORS = 10, VALUES = 64 };

/* J M^-1 B = A + mu T: one row for each rigid row of the full problem. */
typedef struct inertia {
    am_arena memory;
    am_sparse *mass; /* its factors */
    size_t count;
    size_t *row;    /* of the full problem */
    bool *sliding;  /* others stick, and belong to every set */
    double *A, *T;  /* count x count */
    double *weight; /* of laws: what their friction changes by with the normal force, over mu; of others 1 */
    double *a, *t, *work;
    int *order;
    size_t *set;
} inertia;

/* Factors of the mass; NULL without error where it is singular. */
static am_status factor_mass(const am_squeal_full *f, am_arena *memory, am_sparse **mass, am_error *err) {
    const am_matrix *M = f->system->M;
    size_t count = am_squeal_entries(M, true);
    bool singular = false;
    int *row, *column;
    AM_ARENA_ARRAYS(memory, int, count, err, &row, &column);
    double *values = am_arena_doubles(memory, NULL, count, err);
    AM_TRY(am_arena_status(memory));
    am_squeal_add_places(M, true, row, column, 0);
    am_squeal_add_values(M, 1.0, values, 0);
    AM_TRY(am_sparse_create(mass, AM_SPARSE_SYMMETRIC, f->n, count, row, column, err));
    AM_TRY(am_sparse_factor(*mass, values, &singular, err));
    if (singular) {
        am_sparse_free(*mass);
        *mass = NULL;
    }
    return AM_OK;
}

static void spread(const am_squeal_list *list, size_t r, double *x) {
    for (size_t e = list->start[r]; e < list->start[r + 1]; e++)
        x[list->index[e]] += list->value[e];
}

static am_status fill(inertia *k, const am_squeal_full *f, am_sparse *mass, double *x, am_error *err) {
    for (size_t j = 0; j < k->count; j++)
        for (int side = 0; side < 2; side++) {
            memset(x, 0, f->n * sizeof *x);
            spread(side ? &f->tangent : &f->normal, k->row[j], x);
            AM_TRY(am_sparse_solve(mass, x, 1, err));
            for (size_t i = 0; i < k->count; i++)
                (side ? k->T : k->A)[i * k->count + j] = am_squeal_list_dot(&f->normal, k->row[i], x);
        }
    return AM_OK;
}

/* det(A + mu T) of the `size` rows in k->set is zero where -1/mu is an eigenvalue of A^-1 T. */
static double least_of_set(inertia *k, size_t size) {
    double least = INFINITY, doubt;
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            k->a[i * size + j] = k->A[k->set[i] * k->count + k->set[j]];
            k->t[j * size + i] =
                k->weight[k->set[j]] * k->T[k->set[i] * k->count + k->set[j]]; /* columns: right-hand sides */
        }
    double largest = am_dense_largest(k->a, size * size);
    if (!am_lu_factor(k->a, size, k->order))
        return INFINITY;
    for (size_t i = 0; i < size; i++) /* contacts that hold one place twice */
        if (!(fabs(k->a[i * size + i]) > 1e-12 * largest))
            return INFINITY;
    am_lu_solve(k->a, size, k->order, size, k->t);
    double *real = k->work, *imaginary = real + size, *work = imaginary + size;
    if (!am_eigenvalues(k->t, size, real, imaginary, work, &doubt)) /* of the transpose: the same */
        return INFINITY;
    for (size_t i = 0; i < size; i++)
        if (imaginary[i] == 0.0 && real[i] < 0.0)
            least = fmin(least, -1.0 / real[i]);
    return least;
}

static double least_of(inertia *k, const bool *chosen) {
    size_t size = 0, sliding = 0;
    for (size_t i = 0; i < k->count; i++)
        if (chosen[i] || !k->sliding[i]) {
            sliding += k->sliding[i];
            k->set[size++] = i;
        }
    return sliding > 0 ? least_of_set(k, size) : INFINITY;
}

static double least_of_all(inertia *k, bool *chosen) {
    double least = INFINITY;
    if (k->count <= ALL_MINORS) {
        for (size_t bits = 1; bits < (size_t)1 << k->count; bits++) {
            for (size_t i = 0; i < k->count; i++)
                chosen[i] = bits >> i & 1;
            least = fmin(least, least_of(k, chosen));
        }
        return least;
    }
    for (size_t i = 0; i < k->count; i++)
        chosen[i] = true;
    least = least_of(k, chosen);
    for (size_t i = 0; i < k->count; i++)
        for (size_t j = 0; j <= i; j++) {
            memset(chosen, 0, k->count * sizeof *chosen);
            chosen[i] = chosen[j] = true;
            least = fmin(least, least_of(k, chosen));
        }
    return least;
}

/* Fills the weights at mu; do they differ from what they were? */
static bool weigh(inertia *k, am_squeal_full *f, double mu) {
    bool differ = false;
    am_squeal_friction_set(f, mu);
    for (size_t i = 0; i < k->count; i++) {
        double before = k->weight[i], now = f->rub[k->row[i]].law ? f->rub[k->row[i]].slope.force.by_N / mu : 1.0;
        k->weight[i] = now;
        differ = differ || fabs(now - before) > 1e-12 * fabs(now);
    }
    return differ;
}

/* Fails it at mu? */
static bool fails(inertia *k, am_squeal_full *f, double mu, bool *chosen) {
    weigh(k, f, mu);
    return least_of_all(k, chosen) <= mu;
}

/* Friction that takes part with a share of its own at every mu: the first of some values that fails, halved. */
static double search(inertia *k, am_squeal_full *f, double to, bool *chosen) {
    double low = 0.0, high = INFINITY;
    for (int i = 1; i <= VALUES && isinf(high); i++) {
        double mu = to * (double)i / VALUES;
        if (fails(k, f, mu, chosen))
            high = mu;
        else
            low = mu;
    }
    for (int half = 0; half < 60 && isfinite(high); half++) {
        double middle = 0.5 * (low + high);
        *(fails(k, f, middle, chosen) ? &high : &low) = middle;
    }
    return high;
}

static am_status list_rows(inertia *k, const am_squeal_full *f, am_error *err) {
    size_t c = f->rigid;
    AM_ARENA_ARRAYS(&k->memory, size_t, c, err, &k->row, &k->set);
    k->weight = am_arena_doubles(&k->memory, NULL, c, err);
    k->order = am_arena_new(&k->memory, c, sizeof *k->order, err);
    k->sliding = am_arena_new(&k->memory, 2 * c, sizeof *k->sliding, err);
    AM_ARENA_DOUBLES(&k->memory, c * c, err, &k->A, &k->T, &k->a, &k->t);
    k->work = am_arena_doubles(&k->memory, NULL, (2 + AM_EIGENVALUES_WORK) * c, err);
    AM_TRY(am_arena_status(&k->memory));
    for (size_t r = 0; r < f->m; r++)
        if (isinf(f->stiffness[r])) {
            k->sliding[k->count] = f->tangent.start[r + 1] > f->tangent.start[r];
            k->row[k->count++] = r;
        }
    return AM_OK;
}

static void inertia_clear(inertia *k) {
    am_sparse_free(k->mass);
    am_arena_clear(&k->memory);
}

am_status am_squeal_painleve(am_squeal_full *full, double to, double *mu, am_error *err) {
    *mu = INFINITY;
    if (full->rigid == 0)
        return AM_OK;
    AM_LOCAL(inertia_clear) inertia k = {0};
    AM_TRY(list_rows(&k, full, err));
    AM_TRY(factor_mass(full, &k.memory, &k.mass, err));
    if (!k.mass)
        return AM_OK;
    double *x = am_arena_doubles(&k.memory, NULL, full->n, err);
    AM_TRY(x ? fill(&k, full, k.mass, x, err) : AM_ERR_MEMORY);
    weigh(&k, full, 0.5 * to);
    *mu = weigh(&k, full, to) ? search(&k, full, to, k.sliding + k.count) : least_of_all(&k, k.sliding + k.count);
    return AM_OK;
}
