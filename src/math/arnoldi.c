#include "math/arnoldi.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"

#ifndef AMONTONS_WITH_SPARSE

bool am_arnoldi_available(void) {
    return false;
}

am_status am_arnoldi_lowest(const am_arnoldi_problem *problem, size_t count, double *values, double *vectors,
                            const am_progress *progress, am_error *err) {
    (void)problem, (void)count, (void)values, (void)vectors, (void)progress;
    return am_fail(err, AM_ERR_UNSUPPORTED,
                   "this needs the modes of a large structure, and this library was built without ARPACK, which finds "
                   "them; install MUMPS and ARPACK (Debian: libmumps-seq-dev, libarpack2-dev) and build again");
}

#else

#include <arpack.h>
#include <pthread.h>

/* ARPACK keeps variables of its own between calls: one problem at a time. */
static pthread_mutex_t arpack_lock = PTHREAD_MUTEX_INITIALIZER;

/* Estimated relative error of the inverted eigenvalues at which ARPACK stops; callers polish the vectors. */
static const double tolerance = 1e-13;

enum { MOST_RESTARTS = 300, SHIFT_INVERT = 3 };

typedef struct lanczos {
    const am_arnoldi_problem *problem;
    int n, count, basis;
    int ido, info, iparam[11], ipntr[11], lworkl;
    double *resid, *v, *workd, *workl, *product;
    int *select;
    am_arena memory;
} lanczos;

bool am_arnoldi_available(void) {
    return true;
}

static am_status prepare(lanczos *l, const am_arnoldi_problem *problem, size_t count, am_error *err) {
    size_t n = problem->n, basis = 2 * count + 1 > count + 20 ? 2 * count + 1 : count + 20;
    if (count == 0 || count >= n || n > INT_MAX / 8)
        return am_fail(err, AM_ERR_INPUT, "%zu modes of a structure of %zu degrees of freedom cannot be computed",
                       count, n);
    if (basis > n)
        basis = n;
    size_t lworkl = basis * (basis + 8);
    *l = (lanczos){.problem = problem, .n = (int)n, .count = (int)count, .basis = (int)basis, .lworkl = (int)lworkl};
    AM_ARENA_DOUBLES(&l->memory, n, err, &l->resid, &l->product);
    l->v = am_arena_doubles(&l->memory, NULL, n * basis, err);
    l->workd = am_arena_doubles(&l->memory, NULL, 3 * n, err);
    l->workl = am_arena_doubles(&l->memory, NULL, lworkl, err);
    l->select = am_arena_new(&l->memory, basis, sizeof *l->select, err);
    if (am_arena_status(&l->memory))
        return AM_ERR_MEMORY;
    l->iparam[0] = 1; /* exact shifts */
    l->iparam[2] = MOST_RESTARTS;
    l->iparam[3] = 1;
    l->iparam[6] = SHIFT_INVERT;
    l->info = 1; /* the start is ours, the same on every machine: quasi-random numbers of the golden ratio */
    for (size_t i = 0; i < n; i++) {
        double ignored;
        l->resid[i] = modf((double)(i + 1) * 0.61803398874989485, &ignored) - 0.5;
    }
    return AM_OK;
}

/* One answer to ARPACK's questions. */
static am_status answer(const lanczos *l, am_error *err) {
    const am_arnoldi_problem *p = l->problem;
    double *x = l->workd + l->ipntr[0] - 1, *y = l->workd + l->ipntr[1] - 1;
    if (l->ido == 2) {
        p->mass(p->context, x, y);
        return AM_OK;
    }
    if (l->ido == 1)
        return p->solve(p->context, l->workd + l->ipntr[2] - 1, y, err);
    p->mass(p->context, x, l->product); /* ido = -1: the product is not there yet */
    return p->solve(p->context, l->product, y, err);
}

static am_status iterate(lanczos *l, const am_progress *progress, am_error *err) {
    am_status status = AM_OK;
    for (size_t step = 0; !status; step++) {
        dsaupd_c(&l->ido, "G", l->n, "LM", l->count, tolerance, l->resid, l->basis, l->v, l->n, l->iparam, l->ipntr,
                 l->workd, l->workl, l->lworkl, &l->info);
        if (l->ido == 99)
            break;
        status = answer(l, err);
        double part = (double)step / (4.0 * l->basis); /* about as many solves as that are usual */
        if (!status && step % 16 == 0 && !am_progress_report(progress, part < 1.0 ? 0.4 * part : 0.4))
            status = am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    if (!status && (l->info != 0 || l->iparam[4] < l->count))
        status = am_fail(err, AM_ERR_EVIDENCE,
                         "only %d of %d modes were found (ARPACK code %d); has every part of the structure mass?",
                         l->iparam[4] > 0 ? l->iparam[4] : 0, l->count, l->info);
    return status;
}

/* ARPACK hands out values ascending in the inverted sense; sort, and give every vector unit modal mass. */
static void order(lanczos *l, double *values, double *vectors) {
    size_t n = (size_t)l->n, count = (size_t)l->count;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && values[j - 1] > values[j]; j--) {
            double value = values[j];
            values[j] = values[j - 1];
            values[j - 1] = value;
            memcpy(l->workd, vectors + j * n, n * sizeof *vectors);
            memcpy(vectors + j * n, vectors + (j - 1) * n, n * sizeof *vectors);
            memcpy(vectors + (j - 1) * n, l->workd, n * sizeof *vectors);
        }
    for (size_t i = 0; i < count; i++) {
        l->problem->mass(l->problem->context, vectors + i * n, l->workd);
        double size = sqrt(am_dense_dot(vectors + i * n, l->workd, n));
        for (size_t k = 0; k < n && size > 0.0; k++)
            vectors[i * n + k] /= size;
    }
}

am_status am_arnoldi_lowest(const am_arnoldi_problem *problem, size_t count, double *values, double *vectors,
                            const am_progress *progress, am_error *err) {
    lanczos l = {0};
    am_status status = prepare(&l, problem, count, err);
    if (!status) {
        pthread_mutex_lock(&arpack_lock);
        status = iterate(&l, progress, err);
        if (!status) {
            dseupd_c(1, "A", l.select, values, vectors, l.n, problem->shift, "G", l.n, "LM", l.count, tolerance,
                     l.resid, l.basis, l.v, l.n, l.iparam, l.ipntr, l.workd, l.workl, l.lworkl, &l.info);
            if (l.info != 0)
                status = am_fail(err, AM_ERR_EVIDENCE, "the modes could not be computed (ARPACK code %d)", l.info);
        }
        pthread_mutex_unlock(&arpack_lock);
        if (!status)
            order(&l, values, vectors);
    }
    am_arena_clear(&l.memory);
    return status;
}

#endif
