#include "math/arrow.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/lu.h"

/* A group: its front, and which unknowns of the rest it meets. */
typedef struct branch {
    am_lu_front front;
    size_t first;         /* of its unknowns */
    size_t *row, *column; /* front.rows - k and front.columns - k, counted from the first of the rest */
} branch;

struct am_arrow {
    size_t m, rest; /* unknowns; of these, eliminated last */
    double *a;      /* factors of the rest */
    int *order;     /* m: of the rest, then of the groups */
    size_t branches;
    branch *branch;
    double *moved;        /* m */
    am_arena *memory;     /* of these, made when first needed: */
    double *fronts, *own; /* of the groups; the rest of a matrix that is no array */
    size_t fronts_size, own_size;
    size_t *index;       /* of branches: 2 m of each */
    size_t *list, *rows; /* m each */
};

enum { MOST_GROUPS = 64 };

am_arrow *am_arrow_create(am_arena *memory, size_t m, am_error *err) {
    am_arrow *w = am_arena_new(memory, 1, sizeof *w, err);
    if (!w)
        return NULL;
    *w = (am_arrow){.m = m, .memory = memory};
    w->order = am_arena_new(memory, m, sizeof *w->order, err);
    w->branch = am_arena_new(memory, MOST_GROUPS, sizeof *w->branch, err);
    w->moved = am_arena_doubles(memory, NULL, m, err);
    return am_arena_status(memory) ? NULL : w;
}

/* ---- which unknowns of the rest a group meets ---- */

static bool row_is_zero(const double *x, size_t count) {
    return count == 0 || am_dense_largest(x, count) == 0.0;
}

static void find_meetings(const am_arrow *w, const double *a, size_t rest, branch *b) {
    size_t m = w->m, from = b->first, to = from + b->front.k, first = m - rest;
    double *sum = w->moved; /* of each column of the rest */
    memset(sum, 0, rest * sizeof *sum);
    for (size_t i = from; i < to; i++)
        for (size_t j = 0; j < rest; j++)
            sum[j] += fabs(a[i * m + first + j]);
    b->front.columns = b->front.rows = b->front.k;
    for (size_t j = 0; j < rest; j++)
        if (sum[j] != 0.0)
            b->column[b->front.columns++ - b->front.k] = j;
    for (size_t i = 0; i < rest; i++)
        if (!row_is_zero(a + (first + i) * m + from, b->front.k))
            b->row[b->front.rows++ - b->front.k] = i;
}

/* Do unknowns from..to meet no others of groups? */
static bool stands_apart(const double *a, size_t m, size_t from, size_t to, size_t end) {
    for (size_t i = from; i < to; i++)
        if (!row_is_zero(a + i * m, from) || !row_is_zero(a + i * m + to, end - to))
            return false;
    return true;
}

/* The front [D B; C 0] of a group, behind `at` in w->fronts; false: there is no room, or it meets another. */
static bool gather(am_arrow *w, const double *a, size_t rest, branch *b, size_t *at) {
    size_t m = w->m, first = m - rest, from = b->first, k = b->front.k;
    if (!stands_apart(a, m, from, from + k, first))
        return false;
    find_meetings(w, a, rest, b);
    size_t stride = b->front.columns, count = b->front.rows * stride;
    if (*at + count > m * m)
        return false;
    double *to = b->front.a = w->fronts + *at;
    *at += count;
    memset(to + k * stride, 0, (count - k * stride) * sizeof *to);
    for (size_t i = 0; i < k; i++, to += stride) {
        const double *row = a + (from + i) * m;
        memcpy(to, row + from, k * sizeof *to);
        for (size_t j = k; j < stride; j++)
            to[j] = row[first + b->column[j - k]];
    }
    for (size_t i = k; i < b->front.rows; i++, to += stride)
        memcpy(to, a + (first + b->row[i - k]) * m + from, k * sizeof *to);
    return true;
}

static bool eliminate_groups(am_arrow *w, const double *a, const size_t *ends, size_t groups) {
    size_t at = 0, rest = w->m - ends[groups - 1], from = 0;
    for (size_t g = 0; g < groups; from = ends[g++]) {
        branch *b = &w->branch[g];
        b->first = from;
        b->front.k = ends[g] - from;
        b->front.order = w->order + rest + from;
        b->row = w->index + 2 * g * w->m;
        b->column = b->row + w->m;
        if (!gather(w, a, rest, b, &at) || !am_lu_eliminate(&b->front))
            return false;
    }
    return true;
}

/* ---- factors ---- */

/* What the groups leave in the rest. */
static void add_shares(const am_arrow *w, double *a) {
    for (size_t g = 0; g < w->branches; g++) {
        const branch *b = &w->branch[g];
        size_t k = b->front.k, stride = b->front.columns;
        for (size_t i = k; i < b->front.rows; i++) {
            double *row = a + b->row[i - k] * w->rest;
            const double *share = b->front.a + i * stride;
            for (size_t j = k; j < stride; j++)
                row[b->column[j - k]] += share[j];
        }
    }
}

/* S, and what the groups leave in it, at the beginning of a. */
static void assemble(am_arrow *w, double *a) {
    size_t m = w->m, rest = w->rest, first = m - rest;
    for (size_t i = 0; i < rest; i++)
        memmove(a + i * rest, a + (first + i) * m + first, rest * sizeof *a);
    add_shares(w, a);
}

/* So many numbers, and a half more where there were too few. */
static bool reserve_array(am_arrow *w, double **array, size_t *size, size_t count) {
    if (*array && *size >= count)
        return true;
    *size = *array ? count + count / 2 : count;
    *array = am_arena_doubles(w->memory, NULL, *size, NULL);
    return *array != NULL;
}

/* Without memory everything is factored as a whole. */
static bool reserve_index(am_arrow *w) {
    if (!w->index)
        w->index = am_arena_new(w->memory, 2 * w->m * MOST_GROUPS, sizeof *w->index, NULL);
    if (!w->list)
        AM_ARENA_ARRAYS(w->memory, size_t, w->m, NULL, &w->list, &w->rows);
    return w->index && w->list && w->rows;
}

static bool reserve(am_arrow *w) {
    return reserve_index(w) && reserve_array(w, &w->fronts, &w->fronts_size, w->m * w->m);
}

bool am_arrow_factor(am_arrow *w, double *a, const size_t *ends, size_t groups) {
    bool apart = groups > 0 && groups <= MOST_GROUPS && reserve(w) && eliminate_groups(w, a, ends, groups);
    w->branches = apart ? groups : 0;
    w->rest = apart ? w->m - ends[groups - 1] : w->m;
    w->a = a;
    if (apart)
        assemble(w, a);
    return am_lu_factor(a, w->rest, w->order);
}

/* ---- factors of what is no array ---- */

/* Sizes of the fronts, one after the other. */
static size_t plan_fronts(am_arrow *w, const am_arrow_source *source, const size_t *ends) {
    size_t total = 0, from = 0;
    for (size_t g = 0; g < w->branches; from = ends[g++]) {
        branch *b = &w->branch[g];
        size_t columns = 0, rows = 0;
        b->row = w->index + 2 * g * w->m;
        b->column = b->row + w->m;
        source->meet(source->context, g, b->column, &columns, b->row, &rows);
        b->first = from;
        b->front.k = ends[g] - from;
        b->front.columns = b->front.k + columns;
        b->front.rows = b->front.k + rows;
        b->front.order = w->order + w->rest + from;
        total += b->front.rows * b->front.columns;
    }
    return total;
}

static void fill_front(am_arrow *w, const am_arrow_source *source, const branch *b) {
    size_t k = b->front.k, stride = b->front.columns, count = b->front.rows - k, first = w->m - w->rest;
    double *below = b->front.a + k * stride;
    for (size_t j = 0; j < stride; j++)
        w->list[j] = j < k ? b->first + j : first + b->column[j - k];
    source->block(source->context, k, w->list, stride, w->list, b->front.a, stride);
    memset(below, 0, count * stride * sizeof *below);
    for (size_t i = 0; i < count; i++)
        w->rows[i] = first + b->row[i];
    source->block(source->context, count, w->rows, k, w->list, below, stride);
}

am_arrow_verdict am_arrow_factor_source(am_arrow *w, const am_arrow_source *source, const size_t *ends, size_t groups) {
    if (groups == 0 || groups > MOST_GROUPS || !reserve_index(w))
        return AM_ARROW_NOT_APART;
    w->branches = groups;
    w->rest = w->m - ends[groups - 1];
    size_t at = 0, total = plan_fronts(w, source, ends), first = w->m - w->rest;
    if (!reserve_array(w, &w->fronts, &w->fronts_size, total) ||
        !reserve_array(w, &w->own, &w->own_size, w->rest * w->rest))
        return AM_ARROW_NOT_APART;
    for (size_t g = 0; g < groups; g++) {
        branch *b = &w->branch[g];
        b->front.a = w->fronts + at;
        at += b->front.rows * b->front.columns;
        fill_front(w, source, b);
        if (!am_lu_eliminate(&b->front))
            return AM_ARROW_NOT_APART;
    }
    for (size_t j = 0; j < w->rest; j++)
        w->list[j] = first + j;
    source->block(source->context, w->rest, w->list, w->rest, w->list, w->own, w->rest);
    w->a = w->own;
    add_shares(w, w->own);
    return am_lu_factor(w->own, w->rest, w->order) ? AM_ARROW_FACTORED : AM_ARROW_SINGULAR;
}

/* ---- using them ---- */

void am_arrow_solve(const am_arrow *w, double *x) {
    double *rest = x + (w->m - w->rest), *met = w->moved;
    for (size_t g = 0; g < w->branches; g++) {
        const branch *b = &w->branch[g];
        size_t count = b->front.rows - b->front.k;
        memset(met, 0, count * sizeof *met);
        am_lu_forward(&b->front, x + b->first, met);
        for (size_t i = 0; i < count; i++)
            rest[b->row[i]] += met[i];
    }
    am_lu_solve(w->a, w->rest, w->order, 1, rest);
    for (size_t g = 0; g < w->branches; g++) {
        const branch *b = &w->branch[g];
        for (size_t j = 0; j < b->front.columns - b->front.k; j++)
            met[j] = rest[b->column[j]];
        am_lu_backward(&b->front, x + b->first, met);
    }
}

int am_arrow_sign(const am_arrow *w) {
    int sign = am_lu_sign(w->a, w->rest, w->order);
    for (size_t g = 0; g < w->branches; g++)
        sign *= am_lu_front_sign(&w->branch[g].front);
    return sign;
}

double am_arrow_pivot(const am_arrow *w, size_t i) {
    for (size_t g = 0; g < w->branches; g++) {
        const branch *b = &w->branch[g];
        if (i < b->first + b->front.k)
            return b->front.a[(i - b->first) * (b->front.columns + 1)];
    }
    size_t k = i - (w->m - w->rest);
    return w->a[k * (w->rest + 1)];
}
