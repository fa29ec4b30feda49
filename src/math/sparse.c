#include "math/sparse.h"

#ifndef AMONTONS_WITH_SPARSE

static const char without[] =
    "this needs the factors of a large sparse matrix, and this library was built without MUMPS, which makes them";

bool am_sparse_available(void) {
    return false;
}

am_status am_sparse_create(am_sparse **sparse, am_sparse_kind kind, size_t n, size_t count, int *row, int *column,
                           am_error *err) {
    (void)kind, (void)n, (void)count, (void)row, (void)column;
    *sparse = NULL;
    return am_fail(err, AM_ERR_UNSUPPORTED, "%s", without);
}

void am_sparse_free(am_sparse *sparse) {
    (void)sparse;
}

am_status am_sparse_factor(am_sparse *sparse, double *values, bool *singular, am_error *err) {
    (void)sparse, (void)values, (void)singular;
    return am_fail(err, AM_ERR_UNSUPPORTED, "%s", without);
}

am_status am_sparse_solve(am_sparse *sparse, double *x, size_t count, am_error *err) {
    (void)sparse, (void)x, (void)count;
    return am_fail(err, AM_ERR_UNSUPPORTED, "%s", without);
}

size_t am_sparse_negative(const am_sparse *sparse) {
    (void)sparse;
    return 0;
}

#else

#include <dmumps_c.h>
#include <limits.h>
#include <pthread.h>
#include <zmumps_c.h>

#include "base/memory.h"

/* MUMPS keeps variables of its own between calls: one thread at a time. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

enum { START = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3, COMM_WORLD = -987654 };

struct am_sparse {
    am_sparse_kind kind;
    size_t n;
    union {
        DMUMPS_STRUC_C real;
        ZMUMPS_STRUC_C complex;
    } u;
    bool started, analysed;
};

bool am_sparse_available(void) {
    return true;
}

static bool is_complex(const am_sparse *s) {
    return s->kind == AM_SPARSE_COMPLEX;
}

static MUMPS_INT *controls(am_sparse *s) {
    return is_complex(s) ? s->u.complex.icntl : s->u.real.icntl;
}

static const MUMPS_INT *infos(const am_sparse *s) {
    return is_complex(s) ? s->u.complex.infog : s->u.real.infog;
}

static int call(am_sparse *s, int job) {
    pthread_mutex_lock(&turn);
    if (is_complex(s)) {
        s->u.complex.job = job;
        zmumps_c(&s->u.complex);
    } else {
        s->u.real.job = job;
        dmumps_c(&s->u.real);
    }
    pthread_mutex_unlock(&turn);
    return infos(s)[0];
}

static am_status failure(const am_sparse *s, am_error *err) {
    int code = infos(s)[0];
    if (code == -7 || code == -13 || code == -11 || code == -19)
        return am_fail(err, AM_ERR_MEMORY, "there is not enough memory for the factors of a matrix of order %zu", s->n);
    return am_fail(err, AM_ERR_EVIDENCE, "a matrix of order %zu could not be factored (MUMPS code %d, %d)", s->n, code,
                   infos(s)[1]);
}

static void set_quiet(MUMPS_INT *icntl) {
    for (int i = 0; i < 3; i++)
        icntl[i] = -1; /* no messages anywhere */
    icntl[3] = 0;
    icntl[13] = 40; /* spare workspace in percent */
}

static void set_pattern(am_sparse *s, size_t count, int *row, int *column) {
    if (is_complex(s)) {
        ZMUMPS_STRUC_C *z = &s->u.complex;
        z->n = (MUMPS_INT)s->n, z->nnz = (MUMPS_INT8)count, z->irn = row, z->jcn = column;
    } else {
        DMUMPS_STRUC_C *d = &s->u.real;
        d->n = (MUMPS_INT)s->n, d->nnz = (MUMPS_INT8)count, d->irn = row, d->jcn = column;
    }
}

am_status am_sparse_create(am_sparse **sparse, am_sparse_kind kind, size_t n, size_t count, int *row, int *column,
                           am_error *err) {
    *sparse = NULL;
    if (n > INT_MAX)
        return am_fail(err, AM_ERR_LIMIT, "a sparse matrix of order %zu is too large", n);
    am_sparse *s = am_memory_new(1, sizeof *s, err);
    if (!s)
        return AM_ERR_MEMORY;
    s->kind = kind;
    s->n = n;
    if (is_complex(s)) {
        s->u.complex.par = 1;
        s->u.complex.comm_fortran = COMM_WORLD;
    } else {
        s->u.real.par = 1;
        s->u.real.sym = 2;
        s->u.real.comm_fortran = COMM_WORLD;
    }
    s->started = call(s, START) >= 0;
    if (!s->started) {
        am_status status = failure(s, err);
        am_sparse_free(s);
        return status;
    }
    set_quiet(controls(s));
    set_pattern(s, count, row, column);
    *sparse = s;
    return AM_OK;
}

void am_sparse_free(am_sparse *sparse) {
    if (!sparse)
        return;
    if (sparse->started)
        call(sparse, END);
    am_memory_free(sparse);
}

am_status am_sparse_factor(am_sparse *sparse, double *values, bool *singular, am_error *err) {
    am_sparse *s = sparse;
    *singular = false;
    if (is_complex(s))
        s->u.complex.a = (mumps_double_complex *)(void *)values;
    else
        s->u.real.a = values;
    /* The analysis looks at the values too (which entries can be pivots), so it waits for the first ones. */
    if (!s->analysed && call(s, ANALYSE) < 0) {
        *singular = infos(s)[0] == -6; /* not even structurally regular */
        return *singular ? AM_OK : failure(s, err);
    }
    s->analysed = true;
    am_status status = AM_OK;
    while (!status && call(s, FACTOR) < 0) {
        int code = infos(s)[0];
        *singular = code == -10;
        if (*singular)
            return AM_OK;
        if ((code != -9 && code != -8) || controls(s)[13] > 5000) /* the workspace was too small: double the spare */
            status = failure(s, err);
        controls(s)[13] *= 2;
    }
    return status;
}

am_status am_sparse_solve(am_sparse *sparse, double *x, size_t count, am_error *err) {
    if (is_complex(sparse)) {
        ZMUMPS_STRUC_C *z = &sparse->u.complex;
        z->rhs = (mumps_double_complex *)(void *)x, z->nrhs = (MUMPS_INT)count, z->lrhs = (MUMPS_INT)sparse->n;
    } else {
        DMUMPS_STRUC_C *d = &sparse->u.real;
        d->rhs = x, d->nrhs = (MUMPS_INT)count, d->lrhs = (MUMPS_INT)sparse->n;
    }
    return call(sparse, SOLVE) < 0 ? failure(sparse, err) : AM_OK;
}

size_t am_sparse_negative(const am_sparse *sparse) {
    return (size_t)infos(sparse)[11];
}

#endif
