#include "math/sparse.h"

#ifndef AMONTONS_WITH_SPARSE

static const char without[] =
    "this needs the factors of a large sparse matrix, and this library was built without MUMPS, which makes them; "
    "install MUMPS and ARPACK (Debian: libmumps-seq-dev, libarpack2-dev) and build again";

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

am_status am_sparse_keep(am_sparse *sparse, size_t count, int *kept, double *schur, am_error *err) {
    (void)sparse, (void)count, (void)kept, (void)schur;
    return am_fail(err, AM_ERR_UNSUPPORTED, "%s", without);
}

am_status am_sparse_condense(am_sparse *sparse, const double *load, double *felt, am_error *err) {
    (void)sparse, (void)load, (void)felt;
    return am_fail(err, AM_ERR_UNSUPPORTED, "%s", without);
}

am_status am_sparse_expand(am_sparse *sparse, const double *load, const double *place, double *x, am_error *err) {
    (void)sparse, (void)load, (void)place, (void)x;
    return am_fail(err, AM_ERR_UNSUPPORTED, "%s", without);
}

size_t am_sparse_negative(const am_sparse *sparse) {
    (void)sparse;
    return 0;
}

void am_sparse_determinant(const am_sparse *sparse, double *log_size, double *argument) {
    (void)sparse;
    *log_size = *argument = 0.0;
}

#else

#include <dmumps_c.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <zmumps_c.h>

#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/algebra.h"

/* MUMPS keeps variables of its own between calls: one thread at a time. */
static pthread_mutex_t mumps_lock = PTHREAD_MUTEX_INITIALIZER;

enum { DETERMINANT = 32 }; /* control 33 of MUMPS */
enum { START = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3, COMM_WORLD = -987654 };

struct am_sparse {
    am_sparse_kind kind;
    size_t n;
    union {
        DMUMPS_STRUC_C real;
        ZMUMPS_STRUC_C complex;
    } u;
    bool started, analysed;
    size_t kept;     /* unknowns that are not eliminated */
    double *schur;   /* borrowed */
    double *reduced; /* kept: their part of a load, or their places */
    double *work;    /* n */
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
    pthread_mutex_lock(&mumps_lock);
    if (is_complex(s)) {
        s->u.complex.job = job;
        zmumps_c(&s->u.complex);
    } else {
        s->u.real.job = job;
        dmumps_c(&s->u.real);
    }
    pthread_mutex_unlock(&mumps_lock);
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
    controls(s)[DETERMINANT] = is_complex(s);
    set_pattern(s, count, row, column);
    *sparse = s;
    return AM_OK;
}

void am_sparse_free(am_sparse *sparse) {
    if (!sparse)
        return;
    if (sparse->started)
        call(sparse, END);
    am_memory_free(sparse->reduced);
    am_memory_free(sparse->work);
    am_memory_free(sparse);
}

/* MUMPS fills one triangle. */
static void complete_schur(am_sparse *s) {
    for (size_t i = 0; i < s->kept; i++)
        for (size_t j = 0; j < i; j++)
            s->schur[j * s->kept + i] = s->schur[i * s->kept + j];
}

am_status am_sparse_factor(am_sparse *sparse, double *values, bool *singular, am_error *err) {
    am_sparse *s = sparse;
    *singular = false;
    am_algebra_settle();
    am_status status = am_watch_spend(1e3 * (double)s->n, err);
    if (status)
        return status;
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
    while (!status && call(s, FACTOR) < 0) {
        int code = infos(s)[0];
        *singular = code == -10;
        if (*singular)
            return AM_OK;
        if ((code != -9 && code != -8) || controls(s)[13] > 5000) /* the workspace was too small: double the spare */
            status = failure(s, err);
        controls(s)[13] *= 2;
    }
    if (!status && s->schur)
        complete_schur(s);
    return status;
}

am_status am_sparse_solve(am_sparse *sparse, double *x, size_t count, am_error *err) {
    AM_TRY(am_watch_spend(1e2 * (double)sparse->n * (double)count, err));
    if (is_complex(sparse)) {
        ZMUMPS_STRUC_C *z = &sparse->u.complex;
        z->rhs = (mumps_double_complex *)(void *)x, z->nrhs = (MUMPS_INT)count, z->lrhs = (MUMPS_INT)sparse->n;
    } else {
        DMUMPS_STRUC_C *d = &sparse->u.real;
        d->rhs = x, d->nrhs = (MUMPS_INT)count, d->lrhs = (MUMPS_INT)sparse->n;
    }
    return call(sparse, SOLVE) < 0 ? failure(sparse, err) : AM_OK;
}

/* ---- condensation ---- */

enum { KEEP = 18, REDUCE = 25 }; /* controls 19 and 26 of MUMPS */

am_status am_sparse_keep(am_sparse *sparse, size_t count, int *kept, double *schur, am_error *err) {
    DMUMPS_STRUC_C *d = &sparse->u.real;
    sparse->reduced = am_memory_new(count, sizeof *sparse->reduced, err);
    sparse->work = am_memory_new(sparse->n, sizeof *sparse->work, err);
    if (!sparse->reduced || !sparse->work)
        return AM_ERR_MEMORY;
    sparse->kept = count;
    sparse->schur = schur;
    controls(sparse)[KEEP] = 1;
    d->size_schur = (MUMPS_INT)count;
    d->listvar_schur = kept;
    d->schur = schur;
    d->redrhs = sparse->reduced;
    d->lredrhs = (MUMPS_INT)count;
    return AM_OK;
}

am_status am_sparse_condense(am_sparse *sparse, const double *load, double *felt, am_error *err) {
    memcpy(sparse->work, load, sparse->n * sizeof *load);
    controls(sparse)[REDUCE] = 1;
    am_status status = am_sparse_solve(sparse, sparse->work, 1, err);
    controls(sparse)[REDUCE] = 0;
    if (!status)
        memcpy(felt, sparse->reduced, sparse->kept * sizeof *felt);
    return status;
}

am_status am_sparse_expand(am_sparse *sparse, const double *load, const double *place, double *x, am_error *err) {
    memcpy(x, load, sparse->n * sizeof *x);
    controls(sparse)[REDUCE] = 1; /* MUMPS keeps the eliminated unknowns' part of the load for what follows */
    am_status status = am_sparse_solve(sparse, x, 1, err);
    if (!status) {
        memcpy(sparse->reduced, place, sparse->kept * sizeof *place);
        controls(sparse)[REDUCE] = 2;
        status = am_sparse_solve(sparse, x, 1, err);
    }
    controls(sparse)[REDUCE] = 0;
    return status;
}

size_t am_sparse_negative(const am_sparse *sparse) {
    return (size_t)infos(sparse)[11];
}

/* MUMPS gives it as a number times a power of two. */
void am_sparse_determinant(const am_sparse *sparse, double *log_size, double *argument) {
    const double *parts = sparse->u.complex.rinfog + 11;
    *log_size = log(hypot(parts[0], parts[1])) + infos(sparse)[33] * log(2.0);
    *argument = atan2(parts[1], parts[0]);
}

#endif
