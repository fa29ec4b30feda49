#include "math/pencil.h"

#include <math.h>
#include <string.h>

#include "base/try.h"
#include "math/arnoldi.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/entries.h"
#include "math/lu.h"

/* Up to this order LAPACK; and beyond it up to a larger one where there is no MUMPS. */
enum { FEW = 300, MANY = 3000 };

static double diagonal_sum(const am_matrix *a, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(am_matrix_at(a, i, i));
    return sum;
}

/* The entries of one triangle, counted from 1: where to, if anywhere, and how many. */
static size_t collect(const am_matrix *a, int *row, int *column, double *values) {
    size_t count = 0;
    for (size_t i = 0; i < am_matrix_rows(a); i++) {
        const size_t *columns;
        const double *value;
        size_t entries = am_matrix_row_entries(a, i, &columns, &value);
        for (size_t e = 0; e < entries; e++) {
            size_t j = columns ? columns[e] : e;
            if (j > i || value[e] == 0.0)
                continue;
            if (values) {
                row[count] = (int)i + 1;
                column[count] = (int)j + 1;
                values[count] = value[e];
            }
            count++;
        }
    }
    return count;
}

am_status am_pencil_init(am_pencil *pencil, const am_matrix *stiffness, const am_matrix *mass, am_error *err) {
    size_t n = am_matrix_rows(stiffness);
    *pencil = (am_pencil){.stiffness = stiffness, .mass = mass, .n = n};
    am_pencil *p = pencil;
    double stiff = diagonal_sum(stiffness, n), heavy = diagonal_sum(mass, n);
    p->scale = heavy > 0.0 ? stiff / heavy : 0.0;
    p->dense = n <= FEW || (!am_sparse_available() && n <= MANY);
    p->work = am_arena_doubles(&p->memory, NULL, n, err);
    if (p->dense) {
        p->factors = am_arena_doubles(&p->memory, NULL, n * n, err);
        p->values = am_arena_doubles(&p->memory, NULL, n * n, err);
        p->order = am_arena_new(&p->memory, n, sizeof *p->order, err);
        return am_arena_status(&p->memory);
    }
    p->stiff_count = collect(stiffness, NULL, NULL, NULL);
    p->count = p->stiff_count + collect(mass, NULL, NULL, NULL);
    AM_ARENA_ARRAYS(&p->memory, int, p->count, err, &p->row, &p->column);
    p->factors = am_arena_doubles(&p->memory, NULL, p->count, err); /* K and M */
    p->values = am_arena_doubles(&p->memory, NULL, p->count, err);  /* K and -s M */
    AM_TRY(am_arena_status(&p->memory));
    collect(stiffness, p->row, p->column, p->factors);
    collect(mass, p->row + p->stiff_count, p->column + p->stiff_count, p->factors + p->stiff_count);
    return am_sparse_create(&p->sparse, AM_SPARSE_SYMMETRIC, n, p->count, p->row, p->column, err);
}

void am_pencil_clear(am_pencil *pencil) {
    am_sparse_free(pencil->sparse);
    am_arena_clear(&pencil->memory);
    *pencil = (am_pencil){0};
}

/* ---- factors ---- */

/* K - s M into `values`. */
static void fill_dense(am_pencil *p) {
    size_t n = p->n;
    am_matrix_to_dense(p->mass, p->factors);
    am_matrix_to_dense(p->stiffness, p->values);
    for (size_t i = 0; i < n * n; i++)
        p->values[i] -= p->shift * p->factors[i];
}

static am_status factor_dense(am_pencil *p, bool *singular, am_error *err) {
    size_t n = p->n, failing = 0;
    fill_dense(p);
    memcpy(p->factors, p->values, n * n * sizeof *p->factors);
    AM_TRY(am_dense_definite(p->factors, n, &failing, err));
    p->below = failing < n;
    memcpy(p->factors, p->values, n * n * sizeof *p->factors);
    *singular = !am_lu_factor(p->factors, n, p->order);
    return AM_OK;
}

am_status am_pencil_factor(am_pencil *pencil, double shift, bool *singular, am_error *err) {
    am_pencil *p = pencil;
    p->shift = shift;
    if (p->dense)
        return factor_dense(p, singular, err);
    for (size_t i = 0; i < p->count; i++)
        p->values[i] = i < p->stiff_count ? p->factors[i] : -shift * p->factors[i];
    AM_TRY(am_sparse_factor(p->sparse, p->values, singular, err));
    p->below = am_sparse_negative(p->sparse);
    return AM_OK;
}

am_status am_pencil_solve(am_pencil *pencil, double *x, size_t count, am_error *err) {
    if (!pencil->dense)
        return am_sparse_solve(pencil->sparse, x, count, err);
    am_lu_solve(pencil->factors, pencil->n, pencil->order, count, x);
    return AM_OK;
}

/* Does the factored matrix let something move that rounding alone holds? */
static am_status is_free(am_pencil *p, bool *free, am_error *err) {
    double *x = p->work, before = 0.0, after = 0.0;
    double *y = am_arena_doubles(&p->memory, NULL, p->n, err);
    AM_TRY(am_arena_status(&p->memory));
    for (size_t i = 0; i < p->n; i++)
        y[i] = sin(1.0 + 1.7 * (double)i);
    am_matrix_apply(p->mass, y, x);
    before = am_dense_dot(y, x, p->n);
    AM_TRY(am_pencil_solve(p, x, 1, err));
    am_matrix_apply(p->mass, x, y);
    after = am_dense_dot(x, y, p->n);
    *free = before > 0.0 && !(sqrt(after / before) * p->scale < 1e12); /* about what rounding leaves of zero */
    return AM_OK;
}

am_status am_pencil_settle(am_pencil *pencil, am_error *err) {
    bool singular = false;
    AM_TRY(am_pencil_factor(pencil, 0.0, &singular, err));
    if (!singular && pencil->below == 0)
        AM_TRY(is_free(pencil, &singular, err));
    for (double shift = 1e-9; (singular || pencil->below > 0) && shift < 1e4; shift *= 10.0)
        if (pencil->scale > 0.0)
            AM_TRY(am_pencil_factor(pencil, -shift * pencil->scale, &singular, err));
    if (singular || pencil->below > 0)
        return am_fail(err, AM_ERR_INPUT,
                       "stiffness and mass have a common direction in which nothing resists: a coordinate without "
                       "stiffness and mass, or a part that is not connected");
    return AM_OK;
}

/* ---- frequencies ---- */

static am_status answer(void *context, const double *x, double *y, am_error *err) {
    am_pencil *p = context;
    memcpy(y, x, p->n * sizeof *y);
    AM_TRY(am_pencil_solve(p, y, 1, err));
    for (int pass = 0; pass < 2 && p->known > 0; pass++) { /* y - X X^T M y, twice for the last digits */
        am_matrix_apply(p->mass, y, p->work);
        for (size_t k = 0; k < p->known; k++) {
            const double *shape = p->known_shapes + k * p->n;
            double share = am_dense_dot(shape, p->work, p->n);
            for (size_t i = 0; i < p->n; i++)
                y[i] -= share * shape[i];
        }
    }
    return AM_OK;
}

static void weigh(void *context, const double *x, double *y) {
    am_matrix_apply(((const am_pencil *)context)->mass, x, y);
}

/* M x = mu (K - s M) x: the largest mu = 1/(omega^2 - s) are found best, and M may be singular. */
static am_status lowest_dense(am_pencil *p, size_t *count, double *squares, double *shapes, am_error *err) {
    size_t n = p->n, found = 0;
    am_arena memory = {0};
    double *mass = am_arena_doubles(&memory, NULL, n * n, err), *mu = am_arena_doubles(&memory, NULL, n, err);
    am_status status = am_arena_status(&memory);
    if (!status) {
        fill_dense(p);
        memcpy(mass, p->factors, n * n * sizeof *mass);
        status = am_generalised_eigen(mass, p->values, n, mu, err);
    }
    for (; !status && found < *count && found < n && mu[n - 1 - found] > 1e-14 * mu[n - 1]; found++) {
        const double *shape = mass + (n - 1 - found) * n;
        squares[found] = p->shift + 1.0 / mu[n - 1 - found];
        for (size_t i = 0; i < n; i++)
            shapes[found * n + i] = shape[i] / sqrt(mu[n - 1 - found]);
    }
    am_arena_clear(&memory);
    *count = found;
    if (status)
        return status;
    bool singular; /* the factors were overwritten */
    return am_pencil_factor(p, p->shift, &singular, err);
}

/* The quotient of Rayleigh is twice as exact as the shape. */
static void polish(am_pencil *p, size_t count, double *squares, const double *shapes, double *other) {
    for (size_t k = 0; k < count; k++) {
        const double *x = shapes + k * p->n;
        am_matrix_apply(p->stiffness, x, p->work);
        am_matrix_apply(p->mass, x, other);
        squares[k] = am_dense_dot(x, p->work, p->n) / am_dense_dot(x, other, p->n);
    }
}

/* Those above the first `known`, or (small ones) all anew. */
static am_status find_lowest(am_pencil *p, size_t known, size_t *count, double *squares, double *shapes,
                             const am_progress *progress, am_error *err) {
    if (*count == 0 || !(p->scale > 0.0)) {
        *count = 0;
        return AM_OK;
    }
    double *other = am_arena_doubles(&p->memory, NULL, p->n, err);
    AM_TRY(am_arena_status(&p->memory));
    if (p->dense) {
        known = 0;
        AM_TRY(lowest_dense(p, count, squares, shapes, err));
    } else {
        am_arnoldi_problem problem = {p->n, p->shift, answer, weigh, p};
        *count = *count < p->n / 2 ? *count : p->n / 2;
        if (*count <= known)
            return AM_OK;
        p->known = known;
        p->known_shapes = shapes;
        am_status status =
            am_arnoldi_lowest(&problem, *count - known, squares + known, shapes + known * p->n, progress, err);
        p->known = 0;
        AM_TRY(status);
    }
    polish(p, *count - known, squares + known, shapes + known * p->n, other);
    return AM_OK;
}

am_status am_pencil_lowest(am_pencil *pencil, size_t *count, double *squares, double *shapes,
                           const am_progress *progress, am_error *err) {
    return find_lowest(pencil, 0, count, squares, shapes, progress, err);
}

am_status am_pencil_more(am_pencil *pencil, size_t known, size_t *count, double *squares, double *shapes,
                         am_error *err) {
    return find_lowest(pencil, known, count, squares, shapes, NULL, err);
}

size_t am_pencil_rigid(const am_pencil *pencil, size_t count, const double *squares) {
    size_t rigid = 0;
    for (size_t k = 0; k < count; k++) {
        double size = fabs(squares[k]);
        if (!(size < 1e-8 * pencil->scale))
            break;
        if (k + 1 < count ? squares[k + 1] > 1e4 * size : size < 1e-12 * pencil->scale)
            rigid = k + 1;
    }
    return rigid;
}
