#include "math/lcp_block.h"
#include "base/try.h"

#include <cblas.h>
#include <string.h>

#include "math/kernel.h"
#include "math/lu.h"

/* Up to this order factoring anew beats any border. */
enum { SMALL = 28 };

/* From this size on factors grow and shrink with the set; and the size at which they no longer do. */
enum { LARGE = 256, NOT_LARGE = 192 };

/* ---- memory ---- */

void am_lcp_block_clear(am_lcp_block *b) {
    am_arena_clear(&b->indices);
    am_arena_clear(&b->factors);
    am_lcp_large_clear(&b->large);
    *b = (am_lcp_block){0};
}

void am_lcp_block_forget(am_lcp_block *b) {
    b->valid = b->large.valid = false;
}

/* Room for a problem of n indices. */
static am_status grow_indices(am_lcp_block *b, size_t n, am_error *err) {
    if (n <= b->n)
        return AM_OK;
    am_lcp_block_clear(b);
    AM_ARENA_ARRAYS(&b->indices, size_t, n, err, &b->base, &b->place, &b->slot, &b->edge_of);
    b->order = am_arena_new(&b->indices, n, sizeof *b->order, err);
    b->wanted = am_arena_new(&b->indices, n, sizeof *b->wanted, err);
    b->y = am_arena_doubles(&b->indices, NULL, n, err);
    if (am_arena_status(&b->indices))
        return AM_ERR_MEMORY;
    b->n = n;
    return AM_OK;
}

/* How wide a border pays for a base of this size: a new base costs k^3/1.5, an edge about 2 k^2, and the later solves
 * lose accuracy with every edge. */
static size_t widest(size_t k) {
    size_t width = k / 6;
    return k <= SMALL ? 0 : width > 96 ? 96 : width;
}

/* Room for a base of k: generously, so that a set that grows step by step does not allocate at each. */
static am_status grow_base(am_lcp_block *b, size_t k, am_error *err) {
    if (k <= b->capacity)
        return AM_OK;
    size_t capacity = k + k / 4 + SMALL;
    capacity = capacity > b->n ? b->n : capacity;
    size_t width = widest(capacity);
    am_arena_clear(&b->factors);
    b->capacity = 0;
    b->lu = am_arena_doubles(&b->factors, NULL, capacity * capacity, err);
    AM_ARENA_DOUBLES(&b->factors, capacity * width, err, &b->C, &b->R);
    b->schur = am_arena_doubles(&b->factors, NULL, width * width, err);
    b->edge = am_arena_new(&b->factors, width, sizeof *b->edge, err);
    b->edge_order = am_arena_new(&b->factors, width, sizeof *b->edge_order, err);
    b->c = am_arena_doubles(&b->factors, NULL, width, err);
    if (am_arena_status(&b->factors))
        return AM_ERR_MEMORY;
    b->capacity = capacity;
    return AM_OK;
}

/* ---- the base ---- */

void am_lcp_gather(const am_lcp *p, size_t rows, const size_t *row, size_t columns, const size_t *column,
                   double *block) {
    if (!p->M) {
        p->gather(p->data, rows, row, columns, column, block);
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        const double *from = p->M + row[i] * p->n;
        double *to = block + i * columns;
        for (size_t j = 0; j < columns; j++)
            to[j] = from[column[j]];
    }
}

static am_status factor_base(am_lcp_block *b, const am_lcp *p, bool *regular, am_error *err) {
    for (size_t i = 0; i < b->k; i++)
        b->place[b->base[i]] = 0;
    b->valid = false;
    b->m = 0;
    AM_TRY(grow_base(b, b->count, err));
    b->k = b->count;
    for (size_t i = 0; i < b->k; i++) {
        b->base[i] = b->set[i];
        b->place[b->base[i]] = i + 1;
        b->slot[i] = i;
    }
    am_lcp_gather(p, b->k, b->base, b->k, b->base, b->lu);
    *regular = b->valid = am_lu_factor(b->lu, b->k, b->order);
    b->factored++;
    return AM_OK;
}

/* ---- the border ---- */

/* Edges are the indices in which base and set differ. Mark them; 1: joined, 2: left. Returns how many. */
static size_t mark_edges(am_lcp_block *b) {
    size_t edges = 0;
    for (size_t i = 0; i < b->k; i++)
        b->wanted[b->base[i]] = 2;
    for (size_t i = 0; i < b->count; i++)
        b->wanted[b->set[i]] = b->place[b->set[i]] > 0 ? 0 : 1;
    for (size_t i = 0; i < b->k; i++)
        edges += b->wanted[b->base[i]] == 2;
    for (size_t i = 0; i < b->count; i++)
        edges += b->wanted[b->set[i]] == 1;
    return edges;
}

static void unmark_edges(am_lcp_block *b) {
    for (size_t i = 0; i < b->k; i++)
        b->wanted[b->base[i]] = 0;
    for (size_t i = 0; i < b->count; i++)
        b->wanted[b->set[i]] = 0;
}

/* Keep the edges that are still wanted. */
static void select_edges(am_lcp_block *b) {
    size_t kept = 0;
    for (size_t i = 0; i < b->m; i++) {
        if (!b->wanted[b->edge[i]])
            continue;
        b->wanted[b->edge[i]] = 0;
        if (kept != i) {
            b->edge[kept] = b->edge[i];
            memcpy(b->C + kept * b->k, b->C + i * b->k, b->k * sizeof *b->C);
            memcpy(b->R + kept * b->k, b->R + i * b->k, b->k * sizeof *b->R);
        }
        kept++;
    }
    b->m = kept;
}

/* Its column is still to be solved for. */
static void add_edge(am_lcp_block *b, const am_lcp *p, size_t index) {
    double *column = b->C + b->m * b->k, *row = b->R + b->m * b->k;
    b->wanted[index] = 0;
    if (b->place[index] > 0) {
        memset(column, 0, b->k * sizeof *column);
        column[b->place[index] - 1] = 1.0;
        memcpy(row, column, b->k * sizeof *row);
    } else {
        am_lcp_gather(p, b->k, b->base, 1, &index, column);
        am_lcp_gather(p, 1, &index, b->k, b->base, row);
    }
    b->edge[b->m++] = index;
}

/* D - R M_00^{-1} C, factored. */
static bool factor_border(am_lcp_block *b, const am_lcp *p) {
    size_t m = b->m;
    if (m == 0)
        return true;
    memset(b->schur, 0, m * m * sizeof *b->schur);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            if (b->place[b->edge[i]] == 0 && b->place[b->edge[j]] == 0)
                am_lcp_gather(p, 1, &b->edge[i], 1, &b->edge[j], &b->schur[i * m + j]);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)m, (int)b->k, -1.0, b->R, (int)b->k, b->C,
                (int)b->k, 1.0, b->schur, (int)m);
    return am_lu_factor(b->schur, m, b->edge_order);
}

/* Where each member of the set is: in the base or on the border. */
static void place_members(am_lcp_block *b) {
    for (size_t i = 0; i < b->m; i++)
        b->edge_of[b->edge[i]] = i;
    for (size_t i = 0; i < b->count; i++) {
        size_t index = b->set[i];
        b->slot[i] = b->place[index] > 0 ? b->place[index] - 1 : b->k + b->edge_of[index];
    }
}

static am_status set_large(am_lcp_block *b, const am_lcp *p, size_t count, const size_t *set, bool fresh, bool *regular,
                           am_error *err) {
    size_t factored = b->large.factored;
    am_status status = am_lcp_large_set(&b->large, p, count, set, fresh, regular, err);
    b->factored += b->large.factored - factored;
    return status;
}

am_status am_lcp_block_set(am_lcp_block *b, const am_lcp *p, size_t count, const size_t *set, bool fresh, bool *regular,
                           am_error *err) {
    b->is_large = count >= (b->is_large ? NOT_LARGE : LARGE);
    if (b->is_large)
        return set_large(b, p, count, set, fresh, regular, err);
    AM_TRY(grow_indices(b, p->n, err));
    b->set = set;
    b->count = count;
    *regular = true;
    if (fresh || !b->valid || b->k <= SMALL)
        return factor_base(b, p, regular, err);
    size_t edges = mark_edges(b);
    if (edges > widest(b->k)) {
        unmark_edges(b);
        return factor_base(b, p, regular, err);
    }
    size_t before = b->m;
    select_edges(b);
    size_t kept = b->m;
    for (size_t i = 0; i < b->k; i++)
        if (b->wanted[b->base[i]])
            add_edge(b, p, b->base[i]);
    for (size_t i = 0; i < count; i++)
        if (b->wanted[set[i]])
            add_edge(b, p, set[i]);
    am_lu_solve(b->lu, b->k, b->order, b->m - kept, b->C + kept * b->k);
    place_members(b);
    if ((kept != before || b->m != kept) && !factor_border(b, p))
        return factor_base(b, p, regular, err);
    return AM_OK;
}

void am_lcp_block_solve(am_lcp_block *b, const double *right, double *x) {
    size_t k = b->k, m = b->m;
    if (b->is_large) {
        am_lcp_large_solve(&b->large, right, x);
        return;
    }
    if (m == 0) {
        for (size_t i = 0; i < b->count; i++)
            b->y[b->slot[i]] = right[i];
        am_lu_solve(b->lu, k, b->order, 1, b->y);
        for (size_t i = 0; i < b->count; i++)
            x[i] = b->y[b->slot[i]];
        return;
    }
    memset(b->y, 0, k * sizeof *b->y);
    memset(b->c, 0, m * sizeof *b->c);
    for (size_t i = 0; i < b->count; i++)
        if (b->slot[i] < k)
            b->y[b->slot[i]] = right[i];
        else
            b->c[b->slot[i] - k] = right[i];
    am_lu_solve(b->lu, k, b->order, 1, b->y);
    for (size_t i = 0; i < m; i++)
        b->c[i] = -b->c[i];
    am_kernel_apply(m, k, b->R, k, b->y, b->c);
    am_lu_solve(b->schur, m, b->edge_order, 1, b->c); /* minus the unknowns of the border */
    am_kernel_apply_transposed(m, k, b->C, k, b->c, b->y);
    for (size_t i = 0; i < b->count; i++)
        x[i] = b->slot[i] < k ? b->y[b->slot[i]] : -b->c[b->slot[i] - k];
}

/* det [M_00 e; e^T 0] = -det of M_00 without the row and column of e. */
int am_lcp_block_sign(const am_lcp_block *b) {
    if (b->is_large)
        return am_lcp_large_sign(&b->large);
    int sign = am_lu_sign(b->lu, b->k, b->order);
    if (b->m > 0)
        sign *= am_lu_sign(b->schur, b->m, b->edge_order);
    for (size_t i = 0; i < b->m; i++)
        sign = b->place[b->edge[i]] > 0 ? -sign : sign;
    return sign;
}
