#include "math/substructure.h"

#include <cblas.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/local.h"
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

/* How an interface may be held: springs of these shares of its own stiffness. */
static const double holds[] = {0.0, 0.1, 1.0};

enum { BLOCK = 32, CHECKED = 10, FIRST_MODES = 10, MOST_MODES = 320, ROUNDS = 2 };

struct am_substructure_shapes {
    am_substructure_def def; /* its arrays are copies, its matrices borrowed */
    size_t n, b, inner;
    size_t *place;    /* n: where an inner coordinate stands among them; SIZE_MAX: interface */
    size_t *whole;    /* inner: where it stands among all */
    am_matrix *K, *M; /* inner */
    am_pencil pencil; /* of these, at zero */
    double *statics;  /* b x n: what each interface coordinate moves; NULL: nothing was found yet */
    double *small[4]; /* b x b: stiffness, mass, damping, circulatory that the interface feels then */
    double *fixed;    /* modes with the interface at rest found so far: fixed_count x inner */
    double *squares;  /* of their frequencies */
    size_t fixed_count;
    bool automatic; /* more may be asked for: factors stay */
    am_arena memory;
};

/* One reduction. */
typedef struct work {
    am_substructure_shapes *s;
    am_substructure *sub;
    size_t n, b, inner;
    double *shape;         /* candidates: most x inner */
    double *own;           /* what becomes of them: most x n */
    double *stiff, *y, *z; /* inner, n, n: work */
    size_t shapes, most;
    am_arena memory;
} work;

static void release_matrix(void *matrix) {
    am_matrix_free(matrix);
}

static void scatter(const am_substructure_shapes *s, const double *inner, double *whole) {
    for (size_t i = 0; i < s->inner; i++)
        whole[s->whole[i]] = inner[i];
}

static void gather(const am_substructure_shapes *s, const double *whole, double *inner) {
    for (size_t i = 0; i < s->inner; i++)
        inner[i] = whole[s->whole[i]];
}

/* ---- what the interface does in statics ---- */

static void divide(am_substructure_shapes *s) {
    size_t next = 0;
    for (size_t i = 0; i < s->n; i++)
        s->place[i] = 0;
    for (size_t j = 0; j < s->b; j++)
        s->place[s->def.interface[j]] = SIZE_MAX;
    for (size_t i = 0; i < s->n; i++)
        if (s->place[i] != SIZE_MAX) {
            s->whole[next] = i;
            s->place[i] = next++;
        }
}

static am_status factor(am_substructure_shapes *s, am_error *err) {
    s->K = am_matrix_select(s->def.stiffness, s->place, s->inner, err);
    s->M = s->def.mass ? am_matrix_select(s->def.mass, s->place, s->inner, err)
                       : am_matrix_sparse(s->inner, s->inner, 0, NULL, NULL, NULL, err);
    if (!s->K || !s->M)
        return am_error_status(err);
    AM_TRY(am_pencil_init(&s->pencil, s->K, s->M, err));
    am_error own = {0};
    am_status status = am_pencil_settle(&s->pencil, &own);
    if (status == AM_ERR_INPUT || (!status && s->pencil.shift != 0.0))
        return am_fail_field(err, AM_ERR_INPUT, "interface",
                             "while the interface rests the structure can still move without resistance: the "
                             "interface must hold it, so add coordinates");
    if (status && err)
        *err = own;
    return status;
}

/* Rows, each a column of -K_ii^-1 K_ib. */
static am_status find_statics(am_substructure_shapes *s, am_error *err) {
    AM_LOCAL_MEMORY double *block = am_memory_new(BLOCK * s->inner, sizeof *block, err);
    if (!block)
        return AM_ERR_MEMORY;
    for (size_t first = 0; first < s->b; first += BLOCK) {
        size_t count = s->b - first < BLOCK ? s->b - first : BLOCK;
        memset(block, 0, count * s->inner * sizeof *block);
        for (size_t c = 0; c < count; c++) {
            const size_t *columns;
            const double *values;
            size_t at = s->def.interface[first + c];
            size_t entries = am_matrix_row_entries(s->def.stiffness, at, &columns, &values);
            for (size_t e = 0; e < entries; e++) {
                size_t inner = s->place[columns ? columns[e] : e];
                if (inner != SIZE_MAX)
                    block[c * s->inner + inner] = -values[e];
            }
            s->statics[(first + c) * s->n + at] = 1.0;
        }
        if (s->inner > 0)
            AM_TRY(am_pencil_solve(&s->pencil, block, count, err));
        for (size_t c = 0; c < count; c++)
            scatter(s, block + c * s->inner, s->statics + (first + c) * s->n);
    }
    return AM_OK;
}

static void symmetrise(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            a[i * n + j] = a[j * n + i] = 0.5 * (a[i * n + j] + a[j * n + i]);
}

/* out[i][j] = x_i . A y_j, the vectors being rows of n numbers, those of `out` of `stride`. */
static am_status project(const am_matrix *a, const double *x, size_t x_count, const double *y, size_t y_count,
                         double *out, size_t stride, am_error *err) {
    size_t n = am_matrix_rows(a);
    AM_LOCAL_MEMORY double *block = am_memory_new(BLOCK * n, sizeof *block, err);
    if (!block)
        return AM_ERR_MEMORY;
    am_algebra_settle();
    for (size_t first = 0; first < y_count && x_count > 0; first += BLOCK) {
        size_t count = y_count - first < BLOCK ? y_count - first : BLOCK;
        for (size_t c = 0; c < count; c++)
            am_matrix_apply(a, y + (first + c) * n, block + c * n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)x_count, (int)count, (int)n, 1.0, x, (int)n, block,
                    (int)n, 0.0, out + first, (int)stride);
    }
    return AM_OK;
}

/* A body that nothing but its contacts holds moves freely. Files of 13 digits give such a motion a stiffness that is
 * rounding, of either sign: negative ones, which statics would run away from, become zero. */
static am_status settle_rigid(double *K, size_t b, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    double *A = am_arena_doubles(&memory, K, b * b, err), *one = am_arena_doubles(&memory, NULL, b * b, err);
    double *values = am_arena_doubles(&memory, NULL, b, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t i = 0; i < b; i++)
        one[i * b + i] = 1.0;
    if (b > 0)
        AM_TRY(am_generalised_eigen(A, one, b, values, err));
    for (size_t k = 0; k < b && values[k] < 0.0; k++) {
        if (values[k] < -rigid_rounding * values[b - 1])
            continue; /* too large for rounding: the structure really has a negative stiffness */
        for (size_t i = 0; i < b; i++)
            for (size_t j = 0; j < b; j++)
                K[i * b + j] -= values[k] * A[k * b + i] * A[k * b + j];
    }
    return AM_OK;
}

/* K_bb + K_bi (statics): rows of the interface alone. */
static am_status condense_stiffness(am_substructure_shapes *s, am_error *err) {
    for (size_t i = 0; i < s->b; i++) {
        const size_t *columns;
        const double *values;
        size_t entries = am_matrix_row_entries(s->def.stiffness, s->def.interface[i], &columns, &values);
        for (size_t j = 0; j < s->b; j++) {
            const double *x = s->statics + j * s->n;
            double sum = 0.0;
            for (size_t e = 0; e < entries; e++)
                sum += values[e] * x[columns ? columns[e] : e];
            s->small[0][i * s->b + j] = sum;
        }
    }
    symmetrise(s->small[0], s->b);
    return settle_rigid(s->small[0], s->b, err);
}

static const am_matrix *whole_matrix(const am_substructure_def *def, size_t which) {
    return which == 0 ? def->stiffness : which == 1 ? def->mass : which == 2 ? def->damping : def->circulatory;
}

/* Factors and what follows from them alone; once. */
static am_status open_shapes(am_substructure_shapes *s, am_error *err) {
    if (s->statics)
        return AM_OK;
    AM_ARENA_ARRAYS(&s->memory, size_t, s->n, err, &s->place, &s->whole);
    double *statics = am_arena_doubles(&s->memory, NULL, s->b * s->n, err);
    for (size_t which = 0; which < 4; which++)
        s->small[which] = am_arena_doubles(&s->memory, NULL, s->b * s->b, err);
    AM_TRY(am_arena_status(&s->memory));
    divide(s);
    if (s->inner > 0)
        AM_TRY(factor(s, err));
    s->statics = statics;
    AM_TRY(find_statics(s, err));
    AM_TRY(condense_stiffness(s, err));
    for (size_t which = 1; which < 4; which++)
        if (whole_matrix(&s->def, which))
            AM_TRY(project(whole_matrix(&s->def, which), statics, s->b, statics, s->b, s->small[which], s->b, err));
    return AM_OK;
}

/* All that was found goes; the definition stays. */
static void close_shapes(am_substructure_shapes *s) {
    am_pencil_clear(&s->pencil);
    am_matrix_free(s->K);
    am_matrix_free(s->M);
    am_memory_free(s->fixed);
    am_memory_free(s->squares);
    am_arena_clear(&s->memory);
    s->K = s->M = NULL;
    s->statics = s->fixed = s->squares = NULL;
    s->fixed_count = 0;
}

/* ---- shapes in which the interface rests ---- */

/* More of them, those that are known already staying. */
static am_status extend_fixed(am_substructure_shapes *s, size_t modes, am_error *err) {
    if (modes <= s->fixed_count)
        return AM_OK;
    double *fixed = am_memory_new(modes * s->inner, sizeof *fixed, err);
    double *squares = am_memory_new(modes, sizeof *squares, err);
    size_t known = s->fixed_count, count = modes;
    if (known > 0 && fixed && squares) {
        memcpy(fixed, s->fixed, known * s->inner * sizeof *fixed);
        memcpy(squares, s->squares, known * sizeof *squares);
    }
    am_status status =
        fixed && squares ? am_pencil_more(&s->pencil, known, &count, squares, fixed, err) : AM_ERR_MEMORY;
    am_memory_free(status ? fixed : s->fixed);
    am_memory_free(status ? squares : s->squares);
    if (status)
        return status;
    s->fixed = fixed;
    s->squares = squares;
    s->fixed_count = count;
    return AM_OK;
}

static am_status find_fixed_modes(work *w, size_t modes, double *highest, am_error *err) {
    am_substructure_shapes *s = w->s;
    AM_TRY(extend_fixed(s, modes, err));
    w->shapes = modes < s->fixed_count ? modes : s->fixed_count;
    if (w->shapes > 0) {
        memcpy(w->shape, s->fixed, w->shapes * w->inner * sizeof *w->shape);
        *highest = sqrt(fmax(s->squares[w->shapes - 1], 0.0));
    }
    return AM_OK;
}

static am_status find_free_modes(work *w, size_t modes, double *highest, am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    AM_LOCAL(am_pencil_clear) am_pencil all = {0};
    double *shape = am_arena_doubles(&memory, NULL, modes * w->n, err);
    double *squares = am_arena_doubles(&memory, NULL, modes, err);
    AM_TRY(am_arena_status(&memory));
    w->shapes = modes;
    AM_TRY(am_pencil_init(&all, w->s->def.stiffness, w->s->def.mass, err));
    AM_TRY(am_pencil_settle(&all, err));
    AM_TRY(am_pencil_lowest(&all, &w->shapes, squares, shape, NULL, err));
    for (size_t k = 0; k < w->shapes; k++) {
        double *x = shape + k * w->n;
        for (size_t j = 0; j < w->b; j++) {
            double moved = x[w->s->def.interface[j]];
            const double *own = w->s->statics + j * w->n;
            for (size_t i = 0; i < w->n; i++)
                x[i] -= moved * own[i];
        }
        gather(w->s, x, w->shape + k * w->inner);
    }
    if (w->shapes > 0)
        *highest = sqrt(fmax(squares[w->shapes - 1], 0.0));
    return AM_OK;
}

static am_status add_load_shapes(work *w, am_error *err) {
    const am_substructure_shapes *s = w->s;
    for (size_t l = 0; l < s->def.load_count; l++) {
        const am_sparse_row *load = &s->def.loads[l];
        double *shape = w->shape + w->shapes * w->inner;
        bool any = false;
        memset(shape, 0, w->inner * sizeof *shape);
        for (size_t e = 0; e < load->count; e++)
            if (s->place[load->index[e]] != SIZE_MAX) {
                shape[s->place[load->index[e]]] += load->value[e];
                any = true;
            }
        if (!any)
            continue;
        AM_TRY(am_pencil_solve(&w->s->pencil, shape, 1, err));
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
            am_matrix_apply(w->s->K, x, w->stiff);
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

/* Modes of the span: of mass 1, or where there is none of stiffness 1. The lowest first. */
static am_status diagonalise(work *w, double *stiffness, am_error *err) {
    size_t k = w->shapes, n = w->inner;
    AM_LOCAL_ARENA memory = {0};
    double *M = am_arena_doubles(&memory, NULL, k * k, err), *mu = am_arena_doubles(&memory, NULL, k, err);
    double *one = am_arena_doubles(&memory, NULL, k * k, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t j = 0; j < k; j++) {
        am_matrix_apply(w->s->M, w->shape + j * n, w->stiff);
        for (size_t i = 0; i < k; i++)
            M[i * k + j] = am_dense_dot(w->shape + i * n, w->stiff, n);
        one[j * k + j] = 1.0;
    }
    if (k > 0)
        AM_TRY(am_generalised_eigen(M, one, k, mu, err));
    for (size_t m = 0; m < k; m++) {
        const double *vector = M + (k - 1 - m) * k;
        double inertia = mu[k - 1 - m], *x = w->own + m * w->n;
        bool heavy = inertia > 1e-14 * mu[k - 1] && inertia > 0.0;
        memset(w->stiff, 0, n * sizeof *w->stiff);
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < n; i++)
                w->stiff[i] += vector[j] * w->shape[j * n + i];
        double scale = sign_of(w->stiff, n) / (heavy ? sqrt(inertia) : 1.0);
        for (size_t i = 0; i < n; i++)
            w->stiff[i] *= scale;
        memset(x, 0, w->n * sizeof *x);
        scatter(w->s, w->stiff, x);
        stiffness[m] = heavy ? 1.0 / inertia : 1.0;
        w->sub->frequency[m] = heavy ? sqrt(stiffness[m]) : INFINITY;
    }
    return AM_OK;
}

/* ---- the small matrices ---- */

static am_status own_matrix(am_substructure *sub, size_t which, size_t size, const double *values, am_error *err) {
    sub->matrix[which] = am_matrix_dense(size, size, values, err);
    return sub->matrix[which] ? am_arena_own(&sub->memory, sub->matrix[which], release_matrix, err)
                              : am_error_status(err);
}

/* Of the interface what it is without modes; the interface does not feel them, nor they each other. */
static am_status fill_stiffness(work *w, const double *modal, double *small, size_t size, am_error *err) {
    memset(small, 0, size * size * sizeof *small);
    for (size_t i = 0; i < w->b; i++)
        memcpy(small + i * size, w->s->small[0] + i * w->b, w->b * sizeof *small);
    for (size_t m = 0; m < w->shapes; m++)
        small[(w->b + m) * (size + 1)] = modal[m];
    return own_matrix(w->sub, 0, size, small, err);
}

static am_status fill_projected(work *w, size_t which, double *small, size_t size, am_error *err) {
    const am_substructure_shapes *s = w->s;
    const am_matrix *whole = whole_matrix(&s->def, which);
    size_t b = w->b;
    double *corner = small + b * size + b;
    for (size_t i = 0; i < b; i++)
        memcpy(small + i * size, s->small[which] + i * b, b * sizeof *small);
    AM_TRY(project(whole, s->statics, b, w->own, w->shapes, small + b, size, err));
    AM_TRY(project(whole, w->own, w->shapes, w->own, w->shapes, corner, size, err));
    if (am_matrix_asymmetry(whole) == 0.0) { /* to the last bit, then, as its products are not */
        for (size_t m = b; m < size; m++)
            for (size_t j = 0; j < b; j++)
                small[m * size + j] = small[j * size + m];
        symmetrise(small, size);
    } else
        AM_TRY(project(whole, w->own, w->shapes, s->statics, b, small + b * size, size, err));
    return own_matrix(w->sub, which, size, small, err);
}

static double load_on(const am_sparse_row *load, const double *x) {
    double sum = 0.0;
    for (size_t e = 0; e < load->count; e++)
        sum += load->value[e] * x[load->index[e]];
    return sum;
}

static am_status fill(work *w, const double *modal, am_error *err) {
    am_substructure *sub = w->sub;
    const am_substructure_def *def = &w->s->def;
    size_t size = w->b + w->shapes;
    AM_LOCAL_MEMORY double *small = am_memory_new(size * size, sizeof *small, err);
    sub->load = am_arena_doubles(&sub->memory, NULL, def->load_count * size, err);
    AM_TRY(am_arena_status(&sub->memory));
    if (!small)
        return AM_ERR_MEMORY;
    sub->size = size;
    AM_TRY(fill_stiffness(w, modal, small, size, err));
    for (size_t which = 1; which < 4; which++)
        if (whole_matrix(def, which))
            AM_TRY(fill_projected(w, which, small, size, err));
    for (size_t l = 0; l < def->load_count; l++)
        for (size_t i = 0; i < size; i++)
            sub->load[l * size + i] =
                load_on(&def->loads[l], i < w->b ? w->s->statics + i * w->n : w->own + (i - w->b) * w->n);
    return AM_OK;
}

/* The small structure of the shapes there are. */
static am_status assemble(work *w, am_error *err) {
    AM_LOCAL_MEMORY double *stiffness = am_memory_new(w->most, sizeof *stiffness, err);
    if (!stiffness)
        return AM_ERR_MEMORY;
    orthogonalise(w);
    AM_TRY(diagonalise(w, stiffness, err));
    w->sub->modes = w->shapes;
    return fill(w, stiffness, err);
}

/* ---- modes of the small structure ---- */

typedef struct small_modes {
    size_t count, rigid; /* those without stiffness come first */
    double *squares, *shapes;
    am_arena memory;
} small_modes;

static void clear_small(small_modes *m) {
    am_arena_clear(&m->memory);
}

/* `count` of the lowest that are not rigid, or as many as there are; each interface coordinate stands on a spring of
 * `share` of what it takes to move it alone. */
static am_status find_small(work *w, double share, size_t count, small_modes *m, am_error *err) {
    am_substructure *sub = w->sub;
    size_t n = sub->size;
    m->count = count + 6 < n ? count + 6 : n;
    m->squares = am_arena_doubles(&m->memory, NULL, m->count, err);
    m->shapes = am_arena_doubles(&m->memory, NULL, m->count * n, err);
    double *K = am_arena_doubles(&m->memory, NULL, n * n, err);
    AM_TRY(am_arena_status(&m->memory));
    am_matrix_to_dense(sub->matrix[0], K);
    for (size_t i = 0; i < w->b; i++)
        K[i * (n + 1)] *= 1.0 + share;
    AM_LOCAL(am_pencil_clear) am_pencil pencil = {0};
    am_matrix *stiffness = am_matrix_dense(n, n, K, err);
    am_status status = stiffness ? am_pencil_init(&pencil, stiffness, sub->matrix[1], err) : am_error_status(err);
    if (!status)
        status = am_pencil_settle(&pencil, err);
    if (!status)
        status = am_pencil_lowest(&pencil, &m->count, m->squares, m->shapes, NULL, err);
    m->rigid = status ? 0 : am_pencil_rigid(&pencil, m->count, m->squares);
    am_matrix_free(stiffness);
    return status;
}

/* All coordinates in a mode of the small structure, into y. */
static void expand(work *w, const double *amplitude) {
    memset(w->y, 0, w->n * sizeof *w->y);
    for (size_t j = 0; j < w->sub->size; j++) {
        const double *x = j < w->b ? w->s->statics + j * w->n : w->own + (j - w->b) * w->n;
        for (size_t i = 0; i < w->n; i++)
            w->y[i] += amplitude[j] * x[i];
    }
}

/* K x - omega^2 M x inside, of a mode of the small structure. */
static void leave_residual(work *w, double square, const double *amplitude, double *residual) {
    expand(w, amplitude);
    am_matrix_apply(w->s->def.stiffness, w->y, w->z);
    gather(w->s, w->z, residual);
    am_matrix_apply(w->s->def.mass, w->y, w->z);
    gather(w->s, w->z, w->stiff);
    for (size_t i = 0; i < w->inner; i++)
        residual[i] -= square * w->stiff[i];
}

/* ---- how good they are ---- */

/* Of modes x of the small structure, x.M x = 1, the residual r = K x - omega^2 M x is what a step of inverse iteration
 * with the interface at rest would remove: omega^2 falls by r.K_ii^-1 r to first order. All at once, as the factors are
 * read once for a block. The largest relative error. */
static am_status find_error(work *w, const small_modes *m, size_t count, double *most, am_error *err) {
    size_t n = w->inner;
    AM_LOCAL_MEMORY double *residual = am_memory_new(2 * count * n, sizeof *residual, err);
    if (!residual)
        return AM_ERR_MEMORY;
    double *moved = residual + count * n;
    for (size_t k = 0; k < count; k++)
        leave_residual(w, m->squares[m->rigid + k], m->shapes + (m->rigid + k) * w->sub->size, residual + k * n);
    memcpy(moved, residual, count * n * sizeof *moved);
    if (n > 0 && count > 0)
        AM_TRY(am_pencil_solve(&w->s->pencil, moved, count, err));
    for (size_t k = 0; k < count; k++) {
        double taken = am_dense_dot(residual + k * n, moved + k * n, n);
        *most = fmax(*most, 0.5 * taken / m->squares[m->rigid + k]);
    }
    return AM_OK;
}

/* The lowest ten frequencies of the structure, or (a number of modes was given) those below half the highest mode. */
static am_status check_at(work *w, double share, double highest, am_error *err) {
    am_substructure *sub = w->sub;
    AM_LOCAL(clear_small) small_modes m = {0};
    size_t checked = 0;
    AM_TRY(find_small(w, share, CHECKED, &m, err));
    while (m.rigid + checked < m.count && checked < CHECKED) {
        if (checked > 0 && m.squares[m.rigid + checked] > 0.25 * highest * highest)
            break;
        checked++;
    }
    sub->checked = checked > sub->checked ? checked : sub->checked;
    return find_error(w, &m, checked, &sub->error, err);
}

/* Modes of both kinds have those of the free structure among them, and tell nothing by them alone: where the interface
 * is held neither fast nor not at all they are worst. */
static am_status check(work *w, am_substructure_modes kind, double highest, am_error *err) {
    w->sub->error = 0.0;
    w->sub->checked = 0;
    if (!w->s->def.mass)
        return AM_OK;
    for (size_t i = 0; i < (kind == AM_MODES_BOTH && w->b > 0 ? sizeof holds / sizeof *holds : 1); i++)
        AM_TRY(check_at(w, holds[i], highest, err));
    return AM_OK;
}

/* ---- modes of both kinds ---- */

/* A mode of the free structure is x_i = (statics) x_b + omega^2 K_ii^-1 (M x)_i: of modes of the small structure the
 * second part joins the shapes, all from the same factors. It is a step of inverse iteration, and two are enough for
 * frequencies of many digits. */
static am_status add_corrections(work *w, size_t fixed, size_t count, am_error *err) {
    AM_LOCAL(clear_small) small_modes m = {0};
    double highest;
    AM_TRY(find_small(w, 0.0, count, &m, err));
    AM_TRY(find_fixed_modes(w, fixed, &highest, err));
    count = m.count - m.rigid < count ? m.count - m.rigid : count;
    double *shape = w->shape + w->shapes * w->inner;
    for (size_t k = 0; k < count; k++) {
        expand(w, m.shapes + (m.rigid + k) * w->sub->size);
        am_matrix_apply(w->s->def.mass, w->y, w->z);
        gather(w->s, w->z, shape + k * w->inner);
    }
    w->shapes += count;
    return count > 0 ? am_pencil_solve(&w->s->pencil, shape, count, err) : AM_OK;
}

static am_status find_both_modes(work *w, size_t modes, double *highest, am_error *err) {
    size_t fixed = modes < w->inner ? (modes + 1) / 2 : modes;
    AM_TRY(find_fixed_modes(w, fixed, highest, err));
    for (size_t round = 0; round < ROUNDS && fixed < modes; round++) {
        AM_TRY(assemble(w, err));
        AM_TRY(add_corrections(w, fixed, modes - fixed, err));
    }
    return AM_OK;
}

/* ---- all of it ---- */

static am_status allocate(work *w, size_t modes, am_error *err) {
    const am_substructure_shapes *s = w->s;
    w->most = modes + s->def.load_count;
    double numbers = (double)(w->b + 2 * w->most + 2 * BLOCK) * (double)w->n;
    if (numbers > most_numbers)
        return am_fail_field(err, AM_ERR_INPUT, "interface",
                             "%zu interface coordinates and %zu modes of %zu coordinates need %.1f GB for their shapes",
                             w->b, modes, w->n, 8e-9 * numbers);
    w->own = am_arena_doubles(&w->memory, NULL, w->most * w->n, err);
    w->shape = am_arena_doubles(&w->memory, NULL, w->most * w->inner, err);
    AM_ARENA_DOUBLES(&w->memory, w->n, err, &w->stiff, &w->y, &w->z);
    w->sub->frequency = am_arena_doubles(&w->sub->memory, NULL, w->most, err);
    return am_arena_status(&w->memory) ? AM_ERR_MEMORY : am_arena_status(&w->sub->memory);
}

/* All coordinates, for each of the small ones. */
static am_status hand_over(work *w, am_error *err) {
    am_substructure *sub = w->sub;
    sub->shape = am_arena_doubles(&sub->memory, NULL, sub->size * w->n, err);
    AM_TRY(am_arena_status(&sub->memory));
    memcpy(sub->shape, w->s->statics, w->b * w->n * sizeof *sub->shape);
    memcpy(sub->shape + w->b * w->n, w->own, w->shapes * w->n * sizeof *sub->shape);
    return AM_OK;
}

static void clear_work(work *w) {
    am_arena_clear(&w->memory);
}

static am_status attempt(am_substructure_shapes *s, am_substructure *sub, const am_substructure_choice *choice,
                         size_t modes, am_error *err) {
    AM_LOCAL(clear_work) work w = {.s = s, .sub = sub, .n = s->n, .b = s->b, .inner = s->inner};
    am_status (*const find[])(work *, size_t, double *, am_error *) = {find_fixed_modes, find_free_modes,
                                                                       find_both_modes};
    double highest = INFINITY;
    AM_TRY(allocate(&w, modes, err));
    if (w.inner > 0 && modes > 0)
        AM_TRY(find[choice->kind](&w, modes, &highest, err));
    if (!choice->automatic && w.shapes < modes)
        return am_fail_field(err, AM_ERR_INPUT, "modes", "the structure has only %zu modes of %zu coordinates inside",
                             w.shapes, w.inner);
    sub->own = w.shapes;
    AM_TRY(add_load_shapes(&w, err));
    AM_TRY(assemble(&w, err));
    AM_TRY(check(&w, choice->kind, choice->automatic ? INFINITY : highest, err));
    return choice->keep ? hand_over(&w, err) : AM_OK;
}

/* Where the error is far off the next try takes more than half as many again. It falls with the fourth power of the
 * highest frequency, and that at most as fast as the number of modes rises. */
static size_t more_modes(const am_substructure *sub, double tolerance, size_t modes, size_t capacity) {
    double factor = fmin(fmax(pow(sub->error / tolerance, 0.25), 1.5), 4.0);
    size_t next = (size_t)(factor * (double)modes);
    return next < capacity ? next : capacity;
}

static am_status try_modes(am_substructure_shapes *s, am_substructure *sub, const am_substructure_choice *choice,
                           am_error *err) {
    bool automatic = choice->automatic;
    size_t few = choice->kind == AM_MODES_BOTH ? 2 * FIRST_MODES : FIRST_MODES;
    size_t first = automatic ? few : choice->modes, last = automatic ? MOST_MODES : choice->modes;
    if (!s->def.mass)
        first = last = 0;
    last = last < s->inner ? last : s->inner;
    if (!automatic && last < first)
        return am_fail_field(err, AM_ERR_INPUT, "modes", "the structure has %zu coordinates inside: fewer modes",
                             s->inner);
    first = first < last ? first : last;
    while (automatic && last > first && (double)(s->b + 2 * last) * (double)s->n > 0.5 * most_numbers)
        last /= 2;
    AM_TRY(open_shapes(s, err));
    for (size_t modes = first;; modes = more_modes(sub, choice->tolerance, modes, last)) {
        am_arena_clear(&sub->memory);
        *sub = (am_substructure){0};
        AM_TRY(attempt(s, sub, choice, modes, err));
        if (!automatic || sub->error <= choice->tolerance || modes >= s->inner || !s->def.mass)
            return AM_OK;
        if (modes >= last)
            return am_fail_field(err, AM_ERR_INPUT, "modes",
                                 "with %zu modes the lowest frequencies are still wrong by about %.2g, more than the "
                                 "tolerance %.2g",
                                 modes, sub->error, choice->tolerance);
    }
}

am_status am_substructure_reduce(am_substructure *sub, am_substructure_shapes *shapes,
                                 const am_substructure_choice *choice, am_error *err) {
    *sub = (am_substructure){0};
    shapes->automatic = shapes->automatic || choice->automatic;
    am_status status = try_modes(shapes, sub, choice, err);
    if (status)
        am_substructure_clear(sub);
    if (status || !shapes->automatic)
        close_shapes(shapes);
    return status;
}

/* ---- what reductions share ---- */

static void copy_loads(am_arena *memory, am_substructure_def *def, am_error *err) {
    const am_sparse_row *from = def->loads;
    am_sparse_row *loads = am_arena_new(memory, def->load_count, sizeof *loads, err);
    for (size_t l = 0; loads && l < def->load_count; l++) {
        size_t *index = am_arena_new(memory, from[l].count, sizeof *index, err);
        if (index && from[l].count > 0)
            memcpy(index, from[l].index, from[l].count * sizeof *index);
        loads[l] = (am_sparse_row){from[l].count, index, am_arena_doubles(memory, from[l].value, from[l].count, err)};
    }
    def->loads = loads;
}

am_status am_substructure_shapes_create(am_substructure_shapes **shapes, am_arena *memory,
                                        const am_substructure_def *def, am_error *err) {
    am_substructure_shapes *s = am_arena_new(memory, 1, sizeof *s, err);
    size_t *interface = am_arena_new(memory, def->interface_count, sizeof *interface, err);
    if (!s || !interface)
        return AM_ERR_MEMORY;
    if (def->interface_count > 0)
        memcpy(interface, def->interface, def->interface_count * sizeof *interface);
    s->def = *def;
    s->def.interface = interface;
    copy_loads(memory, &s->def, err);
    s->n = am_matrix_rows(def->stiffness);
    s->b = def->interface_count;
    s->inner = s->n - s->b;
    *shapes = s;
    return am_arena_status(memory);
}

void am_substructure_shapes_clear(am_substructure_shapes *shapes) {
    if (shapes)
        close_shapes(shapes);
}

void am_substructure_clear(am_substructure *sub) {
    am_arena_clear(&sub->memory);
    *sub = (am_substructure){0};
}
