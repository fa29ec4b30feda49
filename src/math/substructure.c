#include "math/substructure.h"

#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/try.h"
#include "math/algebra.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/entries.h"
#include "math/pencil.h"

/* Shapes that are a sum of the others but for this part of themselves add nothing. */
static const double same = 1e-8;

/* Shapes of more numbers than this (8 GB) are refused. */
static const double most_numbers = 1e9;

/* Of the largest stiffness of the interface: what is less is rounding of the files. */
static const double rigid_rounding = 1e-9;

enum { BLOCK = 32, CHECKED = 10, FIRST_MODES = 10, MOST_MODES = 320 };

typedef struct work {
    const am_substructure_def *def;
    am_substructure *sub;
    size_t n, b, inner;
    size_t *place;         /* n: where an inner coordinate stands among them; SIZE_MAX: interface */
    size_t *whole;         /* inner: where it stands among all */
    am_matrix *K, *M;      /* inner */
    am_pencil pencil;      /* of these, at zero */
    double *basis;         /* (b + most) x n */
    double *shape;         /* candidates: most x inner */
    double *residual;      /* 2 CHECKED x inner: of modes that are checked, and what they are moved by */
    double *stiff, *y, *z; /* inner, n, n: work */
    size_t shapes, most;
    am_arena memory;
} work;

static void release_matrix(void *matrix) {
    am_matrix_free(matrix);
}

static void scatter(const work *w, const double *inner, double *whole) {
    for (size_t i = 0; i < w->inner; i++)
        whole[w->whole[i]] = inner[i];
}

static void gather(const work *w, const double *whole, double *inner) {
    for (size_t i = 0; i < w->inner; i++)
        inner[i] = whole[w->whole[i]];
}

/* ---- what the interface does in statics ---- */

static void divide(work *w) {
    size_t next = 0;
    for (size_t i = 0; i < w->n; i++)
        w->place[i] = 0;
    for (size_t j = 0; j < w->b; j++)
        w->place[w->def->interface[j]] = SIZE_MAX;
    for (size_t i = 0; i < w->n; i++)
        if (w->place[i] != SIZE_MAX) {
            w->whole[next] = i;
            w->place[i] = next++;
        }
}

static am_status factor(work *w, am_error *err) {
    w->K = am_matrix_select(w->def->stiffness, w->place, w->inner, err);
    w->M = w->def->mass ? am_matrix_select(w->def->mass, w->place, w->inner, err)
                        : am_matrix_sparse(w->inner, w->inner, 0, NULL, NULL, NULL, err);
    if (!w->K || !w->M)
        return am_error_status(err);
    AM_TRY(am_pencil_init(&w->pencil, w->K, w->M, err));
    am_error own = {0};
    am_status status = am_pencil_settle(&w->pencil, &own);
    if (status == AM_ERR_INPUT || (!status && w->pencil.shift != 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "interface",
                             "while the interface rests the structure can still move without resistance: the "
                             "interface must hold it, so add coordinates");
    if (status && err)
        *err = own;
    return status;
}

/* Rows of the basis, each a column of -K_ii^-1 K_ib. */
static am_status find_static_shapes(work *w, am_error *err) {
    double *block = am_arena_doubles(&w->memory, NULL, BLOCK * w->inner, err);
    AM_TRY(am_arena_status(&w->memory));
    for (size_t first = 0; first < w->b; first += BLOCK) {
        size_t count = w->b - first < BLOCK ? w->b - first : BLOCK;
        memset(block, 0, count * w->inner * sizeof *block);
        for (size_t c = 0; c < count; c++) {
            const size_t *columns;
            const double *values;
            size_t at = w->def->interface[first + c];
            size_t entries = am_matrix_row_entries(w->def->stiffness, at, &columns, &values);
            for (size_t e = 0; e < entries; e++) {
                size_t inner = w->place[columns ? columns[e] : e];
                if (inner != SIZE_MAX)
                    block[c * w->inner + inner] = -values[e];
            }
            w->basis[(first + c) * w->n + at] = 1.0;
        }
        if (w->inner > 0)
            AM_TRY(am_pencil_solve(&w->pencil, block, count, err));
        for (size_t c = 0; c < count; c++)
            scatter(w, block + c * w->inner, w->basis + (first + c) * w->n);
    }
    return AM_OK;
}

/* ---- shapes in which the interface rests ---- */

static am_status find_fixed_modes(work *w, size_t modes, double *squares, am_error *err) {
    w->shapes = modes;
    return am_pencil_lowest(&w->pencil, &w->shapes, squares, w->shape, NULL, err);
}

static am_status find_free_modes(work *w, size_t modes, double *squares, am_error *err) {
    am_pencil all;
    double *shape = am_arena_doubles(&w->memory, NULL, modes * w->n, err);
    am_status status = am_arena_status(&w->memory);
    w->shapes = modes;
    if (!status)
        status = am_pencil_init(&all, w->def->stiffness, w->def->mass, err);
    if (status)
        return status;
    status = am_pencil_settle(&all, err);
    if (!status)
        status = am_pencil_lowest(&all, &w->shapes, squares, shape, NULL, err);
    am_pencil_clear(&all);
    for (size_t k = 0; k < w->shapes && !status; k++) {
        double *x = shape + k * w->n;
        for (size_t j = 0; j < w->b; j++) {
            double moved = x[w->def->interface[j]];
            const double *own = w->basis + j * w->n;
            for (size_t i = 0; i < w->n; i++)
                x[i] -= moved * own[i];
        }
        gather(w, x, w->shape + k * w->inner);
    }
    return status;
}

static am_status add_load_shapes(work *w, am_error *err) {
    for (size_t l = 0; l < w->def->load_count; l++) {
        const am_sparse_row *load = &w->def->loads[l];
        double *shape = w->shape + w->shapes * w->inner;
        bool any = false;
        memset(shape, 0, w->inner * sizeof *shape);
        for (size_t e = 0; e < load->count; e++)
            if (w->place[load->index[e]] != SIZE_MAX) {
                shape[w->place[load->index[e]]] += load->value[e];
                any = true;
            }
        if (!any)
            continue;
        AM_TRY(am_pencil_solve(&w->pencil, shape, 1, err));
        w->shapes++;
    }
    return AM_OK;
}

/* Orthogonal in their stiffness, which is positive also where there is no mass; those that add nothing go. */
static void orthogonalise(work *w) {
    size_t kept = 0, n = w->inner;
    for (size_t k = 0; k < w->shapes; k++) {
        double *x = w->shape + kept * n, before = 0.0, left = 0.0;
        if (kept != k)
            memcpy(x, w->shape + k * n, n * sizeof *x);
        for (int pass = 0; pass < 3; pass++) {
            am_matrix_apply(w->K, x, w->stiff);
            left = am_dense_dot(x, w->stiff, n);
            before = pass == 0 ? left : before;
            for (size_t j = 0; j < kept && pass < 2; j++) {
                double share = am_dense_dot(w->shape + j * n, w->stiff, n);
                for (size_t i = 0; i < n; i++)
                    x[i] -= share * w->shape[j * n + i];
            }
        }
        if (!(left > same * same * before))
            continue;
        for (size_t i = 0; i < n; i++)
            x[i] /= sqrt(left);
        kept++;
    }
    w->shapes = kept;
}

/* Both signs of a shape are as good: its largest entry shall be positive (equally large ones: the first). */
static double sign_of(const double *x, size_t n) {
    size_t largest = 0;
    for (size_t i = 1; i < n; i++)
        if (fabs(x[i]) > (1.0 + 1e-6) * fabs(x[largest]))
            largest = i;
    return n > 0 && x[largest] < 0.0 ? -1.0 : 1.0;
}

/* Modes of the span: of mass 1, or where there is none of stiffness 1. Into the basis, the lowest first. */
static am_status diagonalise(work *w, double *stiffness, am_error *err) {
    size_t k = w->shapes, n = w->inner;
    double *M = am_arena_doubles(&w->memory, NULL, k * k, err), *mu = am_arena_doubles(&w->memory, NULL, k, err);
    double *one = am_arena_doubles(&w->memory, NULL, k * k, err);
    AM_TRY(am_arena_status(&w->memory));
    for (size_t j = 0; j < k; j++) {
        am_matrix_apply(w->M, w->shape + j * n, w->stiff);
        for (size_t i = 0; i < k; i++)
            M[i * k + j] = am_dense_dot(w->shape + i * n, w->stiff, n);
        one[j * k + j] = 1.0;
    }
    if (k > 0)
        AM_TRY(am_generalised_eigen(M, one, k, mu, err));
    for (size_t m = 0; m < k; m++) {
        const double *vector = M + (k - 1 - m) * k;
        double inertia = mu[k - 1 - m], *x = w->basis + (w->b + m) * w->n;
        bool heavy = inertia > 1e-14 * mu[k - 1] && inertia > 0.0;
        memset(w->stiff, 0, n * sizeof *w->stiff);
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < n; i++)
                w->stiff[i] += vector[j] * w->shape[j * n + i];
        double scale = sign_of(w->stiff, n) / (heavy ? sqrt(inertia) : 1.0);
        for (size_t i = 0; i < n; i++)
            w->stiff[i] *= scale;
        memset(x, 0, w->n * sizeof *x);
        scatter(w, w->stiff, x);
        stiffness[m] = heavy ? 1.0 / inertia : 1.0;
        w->sub->frequency[m] = heavy ? sqrt(stiffness[m]) : INFINITY;
    }
    return AM_OK;
}

/* ---- the small matrices ---- */

/* B A B^T, B the rows of the basis. */
static am_status project(work *w, const am_matrix *a, size_t size, double *small, am_error *err) {
    double *block = am_arena_doubles(&w->memory, NULL, BLOCK * w->n, err);
    AM_TRY(am_arena_status(&w->memory));
    am_algebra_settle();
    for (size_t first = 0; first < size; first += BLOCK) { /* small[i][j] = b_i . A b_j */
        size_t count = size - first < BLOCK ? size - first : BLOCK;
        for (size_t c = 0; c < count; c++)
            am_matrix_apply(a, w->basis + (first + c) * w->n, block + c * w->n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)size, (int)count, (int)w->n, 1.0, w->basis, (int)w->n,
                    block, (int)w->n, 0.0, small + first, (int)size);
    }
    return AM_OK;
}

static void symmetrise(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i] = 0.5 * (a[i * n + j] + a[j * n + i]);
}

/* A body that nothing but its contacts holds moves freely. Files of 13 digits give such a motion a stiffness that is
 * rounding, of either sign: negative ones, which statics would run away from, become zero. */
static am_status settle_rigid(work *w, size_t size, double *K, am_error *err) {
    size_t b = w->b;
    double *A = am_arena_doubles(&w->memory, NULL, b * b, err), *one = am_arena_doubles(&w->memory, NULL, b * b, err);
    double *values = am_arena_doubles(&w->memory, NULL, b, err);
    AM_TRY(am_arena_status(&w->memory));
    for (size_t i = 0; i < b; i++) {
        memcpy(A + i * b, K + i * size, b * sizeof *A);
        one[i * b + i] = 1.0;
    }
    if (b > 0)
        AM_TRY(am_generalised_eigen(A, one, b, values, err));
    for (size_t k = 0; k < b && values[k] < 0.0; k++) {
        if (values[k] < -rigid_rounding * values[b - 1])
            continue; /* too large for rounding: the structure really has a negative stiffness */
        for (size_t i = 0; i < b; i++)
            for (size_t j = 0; j < b; j++)
                K[i * size + j] -= values[k] * A[k * b + i] * A[k * b + j];
    }
    return AM_OK;
}

/* Of the interface K_bb + K_bi (statics): rows of the interface alone. It does not feel the modes, nor they each other. */
static void fill_stiffness(work *w, size_t size, const double *modal, double *K) {
    for (size_t i = 0; i < w->b; i++) {
        const size_t *columns;
        const double *values;
        size_t entries = am_matrix_row_entries(w->def->stiffness, w->def->interface[i], &columns, &values);
        for (size_t j = 0; j < w->b; j++) {
            const double *x = w->basis + j * w->n;
            double sum = 0.0;
            for (size_t e = 0; e < entries; e++)
                sum += values[e] * x[columns ? columns[e] : e];
            K[i * size + j] = sum;
        }
    }
    symmetrise(K, size);
    for (size_t m = 0; m < w->shapes; m++)
        K[(w->b + m) * (size + 1)] = modal[m];
}

static am_status own_matrix(am_substructure *sub, size_t which, size_t size, const double *values, am_error *err) {
    sub->matrix[which] = am_matrix_dense(size, size, values, err);
    return sub->matrix[which] ? am_arena_own(&sub->memory, sub->matrix[which], release_matrix, err)
                              : am_error_status(err);
}

static am_status fill(work *w, const double *modal, am_error *err) {
    am_substructure *sub = w->sub;
    const am_matrix *whole[4] = {NULL, w->def->mass, w->def->damping, w->def->circulatory};
    size_t size = w->b + w->shapes;
    double *small = am_arena_doubles(&w->memory, NULL, size * size, err);
    sub->load = am_arena_doubles(&sub->memory, NULL, w->def->load_count * size, err);
    if (am_arena_status(&w->memory) || am_arena_status(&sub->memory))
        return AM_ERR_MEMORY;
    sub->size = size;
    fill_stiffness(w, size, modal, small);
    AM_TRY(settle_rigid(w, size, small, err));
    AM_TRY(own_matrix(sub, 0, size, small, err));
    for (size_t which = 1; which < 4; which++) {
        if (!whole[which])
            continue;
        AM_TRY(project(w, whole[which], size, small, err));
        if (am_matrix_asymmetry(whole[which]) == 0.0) /* to the last bit, then, as its products are not */
            symmetrise(small, size);
        AM_TRY(own_matrix(sub, which, size, small, err));
    }
    for (size_t l = 0; l < w->def->load_count; l++)
        for (size_t i = 0; i < size; i++) {
            const am_sparse_row *load = &w->def->loads[l];
            double sum = 0.0;
            for (size_t e = 0; e < load->count; e++)
                sum += load->value[e] * w->basis[i * w->n + load->index[e]];
            sub->load[l * size + i] = sum;
        }
    return AM_OK;
}

/* ---- how good they are ---- */

/* K x - omega^2 M x inside, of a mode of the small structure. */
static void leave_residual(work *w, double square, const double *amplitude, double *residual) {
    memset(w->y, 0, w->n * sizeof *w->y);
    for (size_t j = 0; j < w->sub->size; j++)
        for (size_t i = 0; i < w->n; i++)
            w->y[i] += amplitude[j] * w->basis[j * w->n + i];
    am_matrix_apply(w->def->stiffness, w->y, w->z);
    gather(w, w->z, residual);
    am_matrix_apply(w->def->mass, w->y, w->z);
    gather(w, w->z, w->stiff);
    for (size_t i = 0; i < w->inner; i++)
        residual[i] -= square * w->stiff[i];
}

/* Of modes x of the small structure, x.M x = 1, the residual r = K x - omega^2 M x is what a step of inverse iteration
 * with the interface at rest would remove: omega^2 falls by r.K_ii^-1 r to first order. All at once, as the factors are
 * read once for a block. The largest relative error. */
static am_status find_error(work *w, size_t count, const double *squares, const double *amplitudes, double *most,
                            am_error *err) {
    double *residual = w->residual, *moved = residual + CHECKED * w->inner;
    for (size_t k = 0; k < count; k++)
        leave_residual(w, squares[k], amplitudes + k * w->sub->size, residual + k * w->inner);
    memcpy(moved, residual, count * w->inner * sizeof *moved);
    if (w->inner > 0 && count > 0)
        AM_TRY(am_pencil_solve(&w->pencil, moved, count, err));
    for (size_t k = 0; k < count; k++) {
        double taken = am_dense_dot(residual + k * w->inner, moved + k * w->inner, w->inner);
        *most = fmax(*most, 0.5 * taken / squares[k]);
    }
    return AM_OK;
}

/* The lowest ten frequencies of the structure, or (a number of modes was given) those below half the highest mode. */
static am_status check(work *w, double highest, am_error *err) {
    am_substructure *sub = w->sub;
    size_t count = CHECKED + 6 < sub->size ? CHECKED + 6 : sub->size;
    double squares[CHECKED + 6];
    am_pencil small;
    if (!w->def->mass)
        return AM_OK;
    double *shapes = am_arena_doubles(&w->memory, NULL, count * sub->size, err);
    AM_TRY(am_arena_status(&w->memory));
    am_status status = am_pencil_init(&small, sub->matrix[0], sub->matrix[1], err);
    if (!status)
        status = am_pencil_settle(&small, err);
    if (!status)
        status = am_pencil_lowest(&small, &count, squares, shapes, NULL, err);
    size_t rigid = status ? 0 : am_pencil_rigid(&small, count, squares);
    sub->error = 0.0;
    sub->checked = 0;
    while (!status && rigid + sub->checked < count && sub->checked < CHECKED) {
        if (!w->def->automatic && sub->checked > 0 && squares[rigid + sub->checked] > 0.25 * highest * highest)
            break;
        sub->checked++;
    }
    if (!status)
        status = find_error(w, sub->checked, squares + rigid, shapes + rigid * sub->size, &sub->error, err);
    am_pencil_clear(&small);
    return status;
}

/* ---- all of it ---- */

static am_status attempt(work *w, size_t modes, am_error *err) {
    am_substructure *sub = w->sub;
    double *stiffness = am_arena_doubles(&w->memory, NULL, w->most, err);
    double *squares = am_arena_doubles(&w->memory, NULL, modes, err);
    AM_TRY(am_arena_status(&w->memory));
    if (w->inner > 0 && modes > 0)
        AM_TRY(w->def->free_modes ? find_free_modes(w, modes, squares, err) : find_fixed_modes(w, modes, squares, err));
    else
        w->shapes = 0;
    if (!w->def->automatic && w->shapes < modes)
        return am_fail_field(err, AM_ERR_INPUT, "modes", "the structure has only %zu modes of %zu coordinates inside",
                             w->shapes, w->inner);
    sub->own = w->shapes;
    double highest = w->shapes > 0 ? sqrt(fmax(squares[w->shapes - 1], 0.0)) : INFINITY;
    AM_TRY(add_load_shapes(w, err));
    orthogonalise(w);
    AM_TRY(diagonalise(w, stiffness, err));
    sub->modes = w->shapes;
    AM_TRY(fill(w, stiffness, err));
    return check(w, highest, err);
}

static am_status allocate(work *w, size_t modes, am_error *err) {
    const am_substructure_def *def = w->def;
    w->most = modes + def->load_count;
    double numbers = (double)(w->b + 2 * w->most + 2 * BLOCK) * (double)w->n;
    if (numbers > most_numbers)
        return am_fail_field(err, AM_ERR_INPUT, "interface",
                             "%zu interface coordinates and %zu modes of %zu coordinates need %.1f GB for their shapes",
                             w->b, modes, w->n, 8e-9 * numbers);
    w->basis = am_arena_doubles(&w->memory, NULL, (w->b + w->most) * w->n, err);
    w->shape = am_arena_doubles(&w->memory, NULL, w->most * w->inner, err);
    w->residual = am_arena_doubles(&w->memory, NULL, 2 * CHECKED * w->inner, err);
    w->sub->frequency = am_arena_doubles(&w->sub->memory, NULL, w->most, err);
    return am_arena_status(&w->memory) ? AM_ERR_MEMORY : am_arena_status(&w->sub->memory);
}

/* Every try finds its modes anew: where the error is far off the next one takes more than half as many again. It falls
 * with the fourth power of the highest frequency, and that at most as fast as the number of modes rises. */
static size_t more_modes(const work *w, size_t modes, size_t capacity) {
    double factor = fmin(fmax(pow(w->sub->error / w->def->tolerance, 0.25), 1.5), 4.0);
    size_t next = (size_t)(factor * (double)modes);
    return next < capacity ? next : capacity;
}

static am_status try_modes(work *w, am_error *err) {
    const am_substructure_def *def = w->def;
    size_t first = def->automatic ? FIRST_MODES : def->modes, last = def->automatic ? MOST_MODES : def->modes;
    if (!def->mass)
        first = last = 0;
    last = last < w->inner ? last : w->inner;
    if (!def->automatic && last < first)
        return am_fail_field(err, AM_ERR_INPUT, "modes", "the structure has %zu coordinates inside: fewer modes",
                             w->inner);
    first = first < last ? first : last;
    /* The most that may be tried decide about memory, one try after the other needs no more. */
    size_t capacity = last;
    while (def->automatic && capacity > first && (double)(w->b + 2 * capacity) * (double)w->n > 0.5 * most_numbers)
        capacity /= 2;
    AM_TRY(allocate(w, capacity, err));
    AM_TRY(find_static_shapes(w, err));
    for (size_t modes = first;; modes = more_modes(w, modes, capacity)) {
        AM_TRY(attempt(w, modes, err));
        if (!def->automatic || w->sub->error <= def->tolerance || modes >= w->inner || !def->mass)
            return AM_OK;
        if (modes >= capacity)
            return am_fail_field(err, AM_ERR_INPUT, "modes",
                                 "with %zu modes the lowest frequencies are still wrong by about %.2g, more than the "
                                 "tolerance %.2g",
                                 modes, w->sub->error, def->tolerance);
    }
}

static am_status prepare(work *w, am_error *err) {
    AM_ARENA_ARRAYS(&w->memory, size_t, w->n, err, &w->place, &w->whole);
    AM_ARENA_DOUBLES(&w->memory, w->n, err, &w->stiff, &w->y, &w->z);
    AM_TRY(am_arena_status(&w->memory));
    divide(w);
    return w->inner > 0 ? factor(w, err) : AM_OK;
}

am_status am_substructure_init(am_substructure *sub, const am_substructure_def *def, am_error *err) {
    *sub = (am_substructure){0};
    size_t n = am_matrix_rows(def->stiffness);
    work w = {.def = def, .sub = sub, .n = n, .b = def->interface_count, .inner = n - def->interface_count};
    am_status status = prepare(&w, err);
    if (!status)
        status = try_modes(&w, err);
    if (!status && def->keep) {
        sub->shape = am_arena_doubles(&sub->memory, w.basis, sub->size * n, err);
        status = am_arena_status(&sub->memory);
    }
    am_pencil_clear(&w.pencil);
    am_matrix_free(w.K);
    am_matrix_free(w.M);
    am_arena_clear(&w.memory);
    if (status)
        am_substructure_clear(sub);
    return status;
}

void am_substructure_clear(am_substructure *sub) {
    am_arena_clear(&sub->memory);
    *sub = (am_substructure){0};
}
