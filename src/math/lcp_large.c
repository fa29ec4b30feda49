#include "base/try.h"
#include "math/lcp_block.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "math/kernel.h"

/* Edges at which folding pays when the set has come to rest; and the most there may be. */
enum { FOLD = 48, WIDEST = 384 };

/* So many that join are too few for a product of matrices; and rows of the inverse that stay in the cache meanwhile. */
enum { FEW = 6, STRIP = 16 };

/* A pivot below this fraction of the largest entry is zero but for rounding. */
static const double singular = 1e-14;

/* Marks of indices while a set is looked at. */
enum { MEMBER = 1, EDGE = 2, LEAVING = 4 };

/* ---- memory ---- */

void am_lcp_large_clear(am_lcp_large *l) {
    am_arena_clear(&l->memory);
    *l = (am_lcp_large){0};
}

static am_status allocate(am_lcp_large *l, am_error *err) {
    size_t n = l->n, capacity = l->capacity, width = l->width;
    l->base = am_arena_new(&l->memory, capacity, sizeof *l->base, err);
    AM_ARENA_ARRAYS(&l->memory, size_t, n, err, &l->place, &l->edge_of, &l->slot);
    l->inverse = am_arena_doubles(&l->memory, NULL, capacity * capacity, err);
    l->order = am_arena_new(&l->memory, capacity, sizeof *l->order, err);
    l->edge = am_arena_new(&l->memory, width, sizeof *l->edge, err);
    AM_ARENA_DOUBLES(&l->memory, width * capacity, err, &l->P, &l->Q, &l->G, &l->H);
    AM_ARENA_DOUBLES(&l->memory, width * width, err, &l->D, &l->schur);
    l->schur_order = am_arena_new(&l->memory, width, sizeof *l->schur_order, err);
    l->mark = am_arena_new(&l->memory, n, sizeof *l->mark, err);
    AM_ARENA_DOUBLES(&l->memory, capacity, err, &l->b, &l->x);
    l->c = am_arena_doubles(&l->memory, NULL, width, err);
    if (!am_arena_status(&l->memory))
        return AM_OK;
    am_lcp_large_clear(l);
    return AM_ERR_MEMORY;
}

/* ---- the inverse ---- */

static void set_base(am_lcp_large *l, size_t count, const size_t *set) {
    for (size_t i = 0; i < l->k; i++)
        l->place[l->base[i]] = 0;
    for (size_t i = 0; i < count; i++) {
        l->base[i] = set[i];
        l->place[set[i]] = i + 1;
    }
    l->k = count;
    l->m = 0;
}

/* LAPACK sees the transpose, whose inverse is the transpose of the inverse. */
static bool begin_anew(am_lcp_large *l, const am_lcp *p, size_t count, const size_t *set) {
    int k = (int)count, stride = (int)l->capacity;
    double size = 0.0;
    set_base(l, count, set);
    l->factored++;
    l->folded = 0;
    l->valid = false;
    l->sign = 1;
    for (size_t i = 0; i < count; i++) {
        double *row = l->inverse + i * l->capacity;
        am_lcp_gather(p, 1, &set[i], count, set, row);
        for (size_t j = 0; j < count; j++)
            size = fabs(row[j]) > size ? fabs(row[j]) : size;
    }
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, k, k, l->inverse, stride, l->order) != 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        double pivot = l->inverse[i * l->capacity + i];
        if (!(fabs(pivot) > singular * size))
            return false;
        l->sign = (l->order[i] != (int)i + 1) != (pivot < 0.0) ? -l->sign : l->sign;
    }
    int work = (int)(l->width * l->capacity);
    l->valid = LAPACKE_dgetri_work(LAPACK_COL_MAJOR, k, l->inverse, stride, l->order, l->G, work) == 0;
    return l->valid;
}

/* ---- edges ---- */

static bool has_left(const am_lcp_large *l, size_t i) {
    return l->place[l->edge[i]] > 0;
}

/* P and Q of edges first..end, which have left, are columns and rows of the inverse. Row by row, because columns are
 * far from each other in memory. */
static void copy_edges(am_lcp_large *l, size_t first, size_t end) {
    for (size_t j = 0; j < l->k && first < end; j++)
        for (size_t i = first; i < end; i++)
            l->P[i * l->capacity + j] = l->inverse[j * l->capacity + l->place[l->edge[i]] - 1];
    for (size_t i = first; i < end; i++)
        memcpy(l->Q + i * l->capacity, l->inverse + (l->place[l->edge[i]] - 1) * l->capacity, l->k * sizeof *l->Q);
}

/* The same as the products in solve_edges; but the inverse comes from memory once, not to be packed. */
static void solve_few(am_lcp_large *l, size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++)
        memset(l->Q + i * l->capacity, 0, l->k * sizeof *l->Q);
    for (size_t row = 0; row < l->k; row += STRIP) {
        size_t rows = l->k - row < STRIP ? l->k - row : STRIP;
        const double *strip = l->inverse + row * l->capacity;
        for (size_t i = first * l->capacity; i < (first + count) * l->capacity; i += l->capacity) {
            memset(l->P + i + row, 0, rows * sizeof *l->P);
            am_kernel_apply(rows, l->k, strip, l->capacity, l->G + i, l->P + i + row);
            am_kernel_apply_transposed(rows, l->k, strip, l->capacity, l->H + i + row, l->Q + i);
        }
    }
}

/* P and Q of edges first.. that have joined. */
static void solve_edges(am_lcp_large *l, const am_lcp *p, size_t first, size_t count) {
    int k = (int)l->k, stride = (int)l->capacity;
    if (count == 0)
        return;
    for (size_t i = first; i < first + count; i++) {
        am_lcp_gather(p, l->k, l->base, 1, &l->edge[i], l->G + i * l->capacity);
        am_lcp_gather(p, 1, &l->edge[i], l->k, l->base, l->H + i * l->capacity);
    }
    if (count <= FEW) {
        solve_few(l, first, count);
        return;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, k, k, 1.0, l->G + first * l->capacity, stride,
                l->inverse, stride, 0.0, l->P + first * l->capacity, stride);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)count, k, k, 1.0, l->H + first * l->capacity, stride,
                l->inverse, stride, 0.0, l->Q + first * l->capacity, stride);
}

/* Rows and columns of D for edges first..all; those from `joined` on have joined, the others left. */
static void fill_D(am_lcp_large *l, const am_lcp *p, size_t first, size_t joined, size_t all) {
    int added = (int)(all - joined), k = (int)l->k, stride = (int)l->capacity, width = (int)l->width;
    for (size_t j = first; j < all; j++)
        for (size_t i = 0; i < all; i++) {
            double *row = l->D + i * l->width + j, *column = l->D + j * l->width + i;
            size_t at = l->place[l->edge[j]];
            *row = at > 0 ? -l->Q[i * l->capacity + at - 1] : 0.0;
            *column = at > 0 ? -l->P[i * l->capacity + at - 1] : 0.0;
            if (at == 0 && !has_left(l, i)) {
                am_lcp_gather(p, 1, &l->edge[i], 1, &l->edge[j], row);
                am_lcp_gather(p, 1, &l->edge[j], 1, &l->edge[i], column);
            }
        }
    if (added == 0)
        return;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)all, added, k, -1.0, l->Q, stride,
                l->G + joined * l->capacity, stride, 1.0, l->D + joined, width);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, added, (int)joined, k, -1.0, l->H + joined * l->capacity,
                stride, l->P, stride, 1.0, l->D + joined * l->width, width);
}

static void move_edge(am_lcp_large *l, size_t from, size_t to, size_t all) {
    l->edge[to] = l->edge[from];
    memcpy(l->P + to * l->capacity, l->P + from * l->capacity, l->k * sizeof *l->P);
    memcpy(l->Q + to * l->capacity, l->Q + from * l->capacity, l->k * sizeof *l->Q);
    memcpy(l->D + to * l->width, l->D + from * l->width, all * sizeof *l->D);
    for (size_t j = 0; j < all; j++)
        l->D[j * l->width + to] = l->D[j * l->width + from];
}

/* Keep the edges that the marked set still needs, and mark them; the last takes the place of one that goes. Returns how
 * many went. */
static size_t select_edges(am_lcp_large *l) {
    size_t before = l->m;
    for (size_t i = 0; i < l->m;) {
        bool member = l->mark[l->edge[i]] & MEMBER;
        if (member != has_left(l, i)) {
            l->mark[l->edge[i++]] |= EDGE;
        } else {
            if (i + 1 < l->m)
                move_edge(l, l->m - 1, i, l->m);
            l->m--;
        }
    }
    return before - l->m;
}

/* New edges of the marked set: members of the base that have left, then those that join, from *joined on. Returns the
 * number of all edges; beyond the width they are only counted. */
static size_t list_edges(am_lcp_large *l, size_t count, const size_t *set, size_t *joined) {
    size_t all = l->m;
    for (size_t i = 0; i < l->k; i++)
        if (!l->mark[l->base[i]] && all++ < l->width)
            l->edge[all - 1] = l->base[i];
    *joined = all;
    for (size_t i = 0; i < count; i++)
        if (l->place[set[i]] == 0 && !(l->mark[set[i]] & EDGE) && all++ < l->width)
            l->edge[all - 1] = set[i];
    return all;
}

static bool factor_schur(am_lcp_large *l) {
    int m = (int)l->m;
    double size = 0.0;
    for (size_t i = 0; i < l->m; i++)
        for (size_t j = 0; j < l->m; j++) {
            double entry = l->schur[i * l->m + j] = l->D[i * l->width + j];
            size = fabs(entry) > size ? fabs(entry) : size;
        }
    if (m > 0 && LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, m, m, l->schur, m, l->schur_order) != 0)
        return false;
    for (size_t i = 0; i < l->m; i++)
        if (!(fabs(l->schur[i * l->m + i]) > singular * size))
            return false;
    return true;
}

/* ---- folding ---- */

/* The factors of schur become its inverse. */
static bool invert_schur(am_lcp_large *l) {
    int m = (int)l->m, work = (int)(l->width * l->capacity);
    return LAPACKE_dgetri_work(LAPACK_COL_MAJOR, m, l->schur, m, l->schur_order, l->G, work) == 0;
}

/* The inverse of the base when the edges are taken into account. G := schur^{-1} Q, H := (P schur^{-1})^T. */
static void update_inverse(am_lcp_large *l) {
    int m = (int)l->m, k = (int)l->k, stride = (int)l->capacity;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, k, m, 1.0, l->schur, m, l->Q, stride, 0.0, l->G, stride);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, k, m, 1.0, l->schur, m, l->P, stride, 0.0, l->H, stride);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, k, k, m, 1.0, l->P, stride, l->G, stride, 1.0, l->inverse,
                stride);
}

/* Rows and columns of the edges that have joined, behind those of the base. */
static void append_members(am_lcp_large *l, size_t count, const size_t *joined) {
    size_t old = l->k;
    for (size_t j = 0; j < old; j++)
        for (size_t i = 0; i < count; i++)
            l->inverse[j * l->capacity + old + i] = -l->H[joined[i] * l->capacity + j];
    for (size_t i = 0; i < count; i++) {
        double *row = l->inverse + (old + i) * l->capacity;
        for (size_t j = 0; j < old; j++)
            row[j] = -l->G[joined[i] * l->capacity + j];
        for (size_t j = 0; j < count; j++)
            row[old + j] = l->schur[joined[i] * l->m + joined[j]];
        l->base[l->k++] = l->edge[joined[i]];
        l->place[l->edge[joined[i]]] = l->k;
    }
}

static void move_entries(double *row, size_t count, const size_t *from, const size_t *to) {
    for (size_t i = 0; i < count; i++)
        row[to[i]] = row[from[i]];
}

/* Members at the end take the places, ascending, of those that have left. */
static void remove_members(am_lcp_large *l, size_t count, const size_t *left) {
    size_t k = l->k - count, moves = 0, *from = l->edge_of, next_left = count;
    for (size_t source = l->k; source-- > k;) /* the last first, so that targets are met in order too */
        if (next_left > 0 && left[next_left - 1] == source)
            next_left--;
        else
            from[moves++] = source;
    for (size_t i = 0; i < l->k; i++)
        move_entries(l->inverse + i * l->capacity, moves, from, left);
    for (size_t i = 0; i < l->m; i++) {
        move_entries(l->P + i * l->capacity, moves, from, left);
        move_entries(l->Q + i * l->capacity, moves, from, left);
    }
    for (size_t i = 0; i < count; i++)
        l->place[l->base[left[i]]] = 0;
    for (size_t j = 0; j < moves; j++) {
        memcpy(l->inverse + left[j] * l->capacity, l->inverse + from[j] * l->capacity, k * sizeof *l->inverse);
        l->base[left[j]] = l->base[from[j]];
    }
    l->k = k;
    for (size_t i = 0; i < k; i++)
        l->place[l->base[i]] = i + 1;
}

/* Base := present set, without edges; schur must be factored. */
static bool fold(am_lcp_large *l) {
    size_t joined = 0, left = 0, *joined_edge = l->slot, *left_place = l->slot + l->m;
    int sign = am_lcp_large_sign(l);
    if (l->m == 0)
        return true;
    if (!invert_schur(l))
        return false;
    for (size_t i = 0; i < l->m; i++)
        if (has_left(l, i))
            l->mark[l->edge[i]] |= LEAVING;
        else
            joined_edge[joined++] = i;
    for (size_t i = 0; i < l->k; i++)
        if (l->mark[l->base[i]] & LEAVING) {
            l->mark[l->base[i]] &= (unsigned char)~LEAVING;
            left_place[left++] = i;
        }
    remove_members(l, left, left_place);
    update_inverse(l);
    append_members(l, joined, joined_edge);
    l->sign = sign;
    l->folded += l->m;
    l->m = 0;
    return true;
}

/* ---- the set ---- */

/* Move what is known to larger memory. */
static void take_over(am_lcp_large *l, const am_lcp_large *from) {
    set_base(l, from->k, from->base);
    for (size_t i = 0; i < from->k; i++)
        memcpy(l->inverse + i * l->capacity, from->inverse + i * from->capacity, from->k * sizeof *l->inverse);
    l->sign = from->sign;
    l->folded = from->folded;
    l->valid = true;
}

/* Room for `count` members and as many edges as pay; generously, so that a set that grows step by step does not
 * allocate at each, and mostly never again. */
static am_status grow(am_lcp_large *l, size_t n, size_t count, am_error *err) {
    size_t members = count + count / 2 > n / 4 ? count + count / 2 : n / 4;
    size_t width = members / 4 < WIDEST ? members / 4 : WIDEST;
    am_lcp_large larger = {.n = n, .width = width, .factored = l->factored};
    larger.capacity = members + width < n ? members + width : n;
    am_status status = allocate(&larger, err);
    if (!status && l->valid && n == l->n && fold(l))
        take_over(&larger, l);
    if (!status) {
        am_lcp_large_clear(l);
        *l = larger;
    }
    return status;
}

/* Edges that are too many are folded in. False when they still are. */
static bool fold_excess(am_lcp_large *l, size_t count, const size_t *set, size_t *joined, size_t *all) {
    for (size_t i = 0; i < l->m; i++)
        l->mark[l->edge[i]] &= MEMBER;
    if (!factor_schur(l) || !fold(l))
        return false;
    *all = list_edges(l, count, set, joined);
    return *all <= l->width;
}

/* From the present base to the marked set. False when beginning anew is better. */
static bool follow(am_lcp_large *l, const am_lcp *p, size_t count, const size_t *set) {
    size_t gone = select_edges(l), joined, all = list_edges(l, count, set, &joined), before = l->m;
    if (gone == 0 && all == before)
        return before < FOLD || fold(l);
    if (all > l->width && !fold_excess(l, count, set, &joined, &all))
        return false;
    copy_edges(l, l->m, joined);
    solve_edges(l, p, joined, all - joined);
    fill_D(l, p, l->m, joined, all);
    l->m = all;
    return factor_schur(l);
}

static void place_members(am_lcp_large *l, size_t count, const size_t *set) {
    for (size_t i = 0; i < l->m; i++)
        l->edge_of[l->edge[i]] = i;
    for (size_t i = 0; i < count; i++)
        l->slot[i] = l->place[set[i]] > 0 ? l->place[set[i]] - 1 : l->k + l->edge_of[set[i]];
    l->count = count;
}

am_status am_lcp_large_set(am_lcp_large *l, const am_lcp *p, size_t count, const size_t *set, bool fresh, bool *regular,
                           am_error *err) {
    bool tight = p->n > l->n || count > l->capacity || (count + l->width > l->capacity && l->capacity < l->n);
    AM_TRY(tight ? grow(l, p->n, count, err) : AM_OK);
    for (size_t i = 0; i < count; i++)
        l->mark[set[i]] = MEMBER;
    *regular = !fresh && l->valid && follow(l, p, count, set);
    for (size_t i = 0; i < l->m; i++)
        l->mark[l->edge[i]] = 0;
    for (size_t i = 0; i < count; i++)
        l->mark[set[i]] = 0;
    for (size_t i = 0; i < l->k; i++)
        l->mark[l->base[i]] = 0;
    if (!*regular)
        *regular = begin_anew(l, p, count, set);
    place_members(l, count, set);
    return AM_OK;
}

void am_lcp_large_solve(am_lcp_large *l, const double *right, double *x) {
    memset(l->b, 0, l->k * sizeof *l->b);
    memset(l->x, 0, l->k * sizeof *l->x);
    memset(l->c, 0, l->m * sizeof *l->c);
    for (size_t i = 0; i < l->count; i++)
        if (l->slot[i] < l->k)
            l->b[l->slot[i]] = right[i];
        else
            l->c[l->slot[i] - l->k] = -right[i];
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)l->k, (int)l->k, 1.0, l->inverse, (int)l->capacity, l->b, 1, 0.0,
                l->x, 1);
    if (l->m > 0) {
        am_kernel_apply(l->m, l->k, l->Q, l->capacity, l->b, l->c);
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', (int)l->m, 1, l->schur, (int)l->m, l->schur_order, l->c, (int)l->m);
        am_kernel_apply_transposed(l->m, l->k, l->P, l->capacity, l->c, l->x); /* c: minus the unknowns of the edges */
    }
    for (size_t i = 0; i < l->count; i++)
        x[i] = l->slot[i] < l->k ? l->x[l->slot[i]] : -l->c[l->slot[i] - l->k];
}

/* det [M_00 e; e^T 0] = -det of M_00 without the row and column of e. */
int am_lcp_large_sign(const am_lcp_large *l) {
    int sign = l->sign;
    for (size_t i = 0; i < l->m; i++) {
        sign = has_left(l, i) ? -sign : sign;
        sign = (l->schur_order[i] != (int)i + 1) != (l->schur[i * l->m + i] < 0.0) ? -sign : sign;
    }
    return sign;
}
