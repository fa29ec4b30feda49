/* Lemke's method. The problem is widened by a variable z0 >= 0 that makes w = M z + d z0 + q feasible; complementary
 * pivots drive z0 to zero. The table holds the variables in the basis as affine functions of those outside:
 *
 *     basic = constant + table * nonbasic,    variables: w_j = j, z_j = n + j, z0 = 2 n.
 *
 * Ties of the ratio test are broken lexicographically (rows of the inverse basis), so that degenerate problems cannot
 * cycle. Rows and columns are scaled by powers of two so that the diagonal is of order one. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "base/watch.h"
#include "math/dense.h"
#include "math/kernel.h"
#include "math/lcp_internal.h"

static const size_t none = (size_t)-1;

/* An entry of the entering column below this fraction of the largest does not limit it. */
static const double small_entry = 1e-12;

/* Ratios that differ by less are tied. */
static const double same_ratio = 1e-12;

/* z0 below this fraction of q is zero but for rounding: in degenerate problems rounding may keep it in the basis. A
 * path that ends on a ray is doubted sooner; the residual decides in the end. */
static const double gone = 1e-14, nearly_gone = 1e-9;

/* The second, careful run computes the table afresh after this many pivots. */
enum { REFRESH = 12 };

typedef struct lemke {
    const am_lcp *p;
    am_lcp_workspace *ws;
    size_t n, stride;
    size_t pivots;
    size_t entering; /* column */
    double q_size;   /* largest scaled |q| */
} lemke;

static double *row_of(const lemke *l, size_t row) {
    return l->ws->table + row * l->stride;
}

static double *constant_of(const lemke *l, size_t row) {
    return row_of(l, row) + l->n + 1;
}

static size_t complement_of(const lemke *l, size_t variable) {
    return variable < l->n ? variable + l->n : variable - l->n;
}

/* ---- the table ---- */

/* A power of two near 1/sqrt(|diagonal|): exact, and a problem in other units becomes nearly the same table. */
static double scale_of(double diagonal) {
    int exponent;
    if (!(fabs(diagonal) > 0.0))
        return 1.0;
    frexp(diagonal, &exponent);
    return ldexp(1.0, -(int)floor(0.5 * exponent)); /* rounded alike on both sides of zero */
}

static void first_table(lemke *l) {
    am_lcp_workspace *ws = l->ws;
    size_t n = l->n;
    l->q_size = 0.0;
    for (size_t i = 0; i < n; i++)
        ws->scale[i] = scale_of(l->p->M[i * n + i]);
    for (size_t i = 0; i < n; i++) {
        const double *from = l->p->M + i * n;
        double *row = row_of(l, i), s = ws->scale[i];
        for (size_t j = 0; j < n; j++)
            row[j] = s * from[j] * ws->scale[j];
        row[n] = 1.0;
        row[n + 1] = s * l->p->q[i];
        l->q_size = fmax(l->q_size, fabs(row[n + 1]));
        ws->basic[i] = i;
        ws->nonbasic[i] = n + i;
        ws->place[i] = i;
        ws->place[n + i] = n + i;
    }
    ws->nonbasic[n] = 2 * n;
    ws->place[2 * n] = n + n;
}

/* The column of a variable in  w - M z - d z0 = q  (scaled). */
static void equation_column(const lemke *l, size_t variable, double *column) {
    size_t n = l->n;
    const double *s = l->ws->scale;
    for (size_t i = 0; i < n; i++)
        column[i] = variable < n        ? (i == variable ? 1.0 : 0.0)
                    : variable == 2 * n ? -1.0
                                        : -s[i] * l->p->M[i * n + variable - n] * s[variable - n];
}

/* The table of the present basis from the data: B basic = q - N nonbasic. False when B is singular. */
static bool refresh_table(lemke *l) {
    am_lcp_workspace *ws = l->ws;
    size_t n = l->n;
    for (size_t j = 0; j < n; j++)
        equation_column(l, ws->basic[j], ws->basis + j * n); /* column-major */
    for (size_t j = 0; j <= n; j++) {
        double *column = ws->outside + j * n;
        equation_column(l, ws->nonbasic[j], column);
        for (size_t i = 0; i < n; i++)
            column[i] = -column[i];
    }
    for (size_t i = 0; i < n; i++)
        ws->outside[(n + 1) * n + i] = ws->scale[i] * l->p->q[i];
    if (LAPACKE_dgesv_work(LAPACK_COL_MAJOR, (int)n, (int)n + 2, ws->basis, (int)n, ws->order, ws->outside, (int)n))
        return false;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n + 2; j++)
            row_of(l, i)[j] = ws->outside[j * n + i];
    return true;
}

static void read_column(const lemke *l, size_t c) {
    const double *from = l->ws->table + c;
    for (size_t i = 0; i < l->n; i++)
        l->ws->column[i] = from[i * l->stride];
}

/* Exchange the variable of row r with that of column c (already read). */
static void pivot(lemke *l, size_t r, size_t c) {
    am_lcp_workspace *ws = l->ws;
    size_t n = l->n, width = n + 2;
    double *restrict pivot_row = row_of(l, r), *restrict column = ws->column, inverse = 1.0 / column[r];
    for (size_t j = 0; j < width; j++)
        pivot_row[j] *= -inverse;
    pivot_row[c] = inverse;
    column[r] = 0.0;
    for (size_t i = 0; i < n; i++)
        ws->table[i * l->stride + c] = i == r ? inverse : 0.0;
    memcpy(ws->outside, pivot_row, width * sizeof *pivot_row);
    am_kernel_rank_one(n, width, column, ws->outside, ws->table, l->stride);
    size_t in = ws->nonbasic[c], out = ws->basic[r];
    ws->basic[r] = in;
    ws->nonbasic[c] = out;
    ws->place[in] = r;
    ws->place[out] = n + c;
    l->pivots++;
}

/* ---- the ratio test ---- */

/* Entry (row, j) of the inverse basis. */
static double inverse_entry(const lemke *l, size_t row, size_t j) {
    size_t at = l->ws->place[j];
    return at < l->n ? (at == row ? 1.0 : 0.0) : -row_of(l, row)[at - l->n];
}

/* Of the tied rows the lexicographically smallest of inverse basis / -column. */
static size_t break_tie(const lemke *l, size_t count) {
    size_t *tied = l->ws->tied;
    for (size_t j = 0; j < l->n && count > 1; j++) {
        double least = INFINITY;
        for (size_t i = 0; i < count; i++)
            least = fmin(least, inverse_entry(l, tied[i], j) / -l->ws->column[tied[i]]);
        double edge = least + same_ratio * fmax(1.0, fabs(least));
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (inverse_entry(l, tied[i], j) / -l->ws->column[tied[i]] <= edge)
                tied[kept++] = tied[i];
        count = kept;
    }
    return tied[0];
}

/* The first row: z0 must just lift the lowest constant. */
static size_t first_row(lemke *l) {
    double least = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < l->n; i++) {
        least = fmin(least, *constant_of(l, i));
        l->ws->column[i] = -1.0;
    }
    for (size_t i = 0; i < l->n; i++)
        if (*constant_of(l, i) <= least + same_ratio * fabs(least))
            l->ws->tied[count++] = i;
    return break_tie(l, count);
}

/* The row that limits the entering column (read before), or `none`. */
static size_t limiting_row(lemke *l) {
    am_lcp_workspace *ws = l->ws;
    double least = INFINITY, size = am_dense_largest(ws->column, l->n);
    double edge = -small_entry * size;
    for (size_t i = 0; i < l->n; i++)
        if (ws->column[i] < edge) {
            double constant = *constant_of(l, i), ratio = constant > 0.0 ? constant / -ws->column[i] : 0.0;
            least = ratio < least ? ratio : least;
        }
    if (least == INFINITY)
        return none;
    size_t count = 0;
    double most = least * (1.0 + same_ratio) + 1e-16 * l->q_size / size;
    for (size_t i = 0; i < l->n; i++)
        if (ws->column[i] < edge && *constant_of(l, i) <= most * -ws->column[i]) {
            if (ws->basic[i] == 2 * l->n)
                return i; /* z0 may go: done */
            ws->tied[count++] = i;
        }
    return break_tie(l, count);
}

/* ---- the path ---- */

/* The value of z0 while it is in the basis. */
static double artificial(const lemke *l) {
    size_t at = l->ws->place[2 * l->n];
    return at < l->n ? *constant_of(l, at) : 0.0;
}

static am_lcp_status follow(lemke *l, size_t budget, bool careful) {
    am_lcp_workspace *ws = l->ws;
    size_t c = l->n, r = first_row(l);
    read_column(l, c);
    for (;;) {
        size_t left = ws->basic[r];
        pivot(l, r, c);
        if (left == 2 * l->n || artificial(l) <= gone * l->q_size)
            return AM_LCP_SOLVED;
        if (l->pivots >= budget || am_watch_stopped((double)l->n * (double)l->n) ||
            (careful && l->pivots % REFRESH == 0 && !refresh_table(l)))
            return AM_LCP_STALLED;
        c = ws->place[complement_of(l, left)] - l->n;
        read_column(l, c);
        r = limiting_row(l);
        l->entering = c;
        if (r == none)
            return artificial(l) <= nearly_gone * l->q_size ? AM_LCP_SOLVED : AM_LCP_RAY;
    }
}

static void read_solution(const lemke *l, double *z) {
    const am_lcp_workspace *ws = l->ws;
    for (size_t j = 0; j < l->n; j++) {
        size_t at = ws->place[l->n + j];
        z[j] = at < l->n ? fmax(0.0, *constant_of(l, at)) * ws->scale[j] : 0.0;
    }
}

/* z from the data, given which of its entries count. */
static am_status polish(const lemke *l, double *z, double *residual, am_error *err) {
    am_lcp_workspace *ws = l->ws;
    size_t count = 0;
    bool regular;
    for (size_t j = 0; j < l->n; j++)
        if (ws->place[l->n + j] < l->n) {
            ws->right[count] = -l->p->q[j];
            ws->set[count++] = j;
        }
    am_status status = am_lcp_block_set(&ws->block, l->p, count, ws->set, true, &regular, err);
    if (status || !regular)
        return status;
    am_lcp_block_solve(&ws->block, ws->right, ws->right);
    memset(ws->trial, 0, l->n * sizeof *z);
    for (size_t i = 0; i < count; i++)
        ws->trial[ws->set[i]] = fmax(0.0, ws->right[i]);
    double better = am_lcp_residual(l->p, ws->trial, ws->work);
    if (better < *residual) {
        *residual = better;
        memcpy(z, ws->trial, l->n * sizeof *z);
    }
    return AM_OK;
}

/* The direction in which the path goes to infinity, in the units of z. */
static void read_ray(const lemke *l, double *z) {
    const am_lcp_workspace *ws = l->ws;
    double size = 0.0;
    for (size_t j = 0; j < l->n; j++) {
        size_t at = ws->place[l->n + j];
        z[j] = at < l->n ? fmax(0.0, ws->column[at]) * ws->scale[j] : at - l->n == l->entering ? ws->scale[j] : 0.0;
        size = fmax(size, z[j]);
    }
    for (size_t j = 0; j < l->n && size > 0.0; j++)
        z[j] /= size;
}

static am_status run(lemke *l, size_t budget, bool careful, double *z, am_lcp_info *info, am_error *err) {
    l->pivots = 0;
    first_table(l);
    info->method = AM_LCP_LEMKE;
    info->status = follow(l, budget, careful);
    info->pivots += l->pivots;
    if (info->status == AM_LCP_RAY) {
        read_ray(l, z);
        info->infeasible = am_lcp_proves_infeasible(l->p, z, l->ws->work);
        info->residual = INFINITY;
        return AM_OK;
    }
    read_solution(l, z);
    info->residual = am_lcp_residual(l->p, z, l->ws->work);
    if (info->status == AM_LCP_SOLVED && !(info->residual <= 1e-14))
        AM_TRY(polish(l, z, &info->residual, err));
    if (info->status == AM_LCP_SOLVED && !(info->residual <= AM_LCP_ACCEPT))
        info->status = AM_LCP_STALLED;
    return AM_OK;
}

am_status am_lcp_lemke(const am_lcp *p, size_t budget, am_lcp_workspace *ws, double *z, am_lcp_info *info,
                       am_error *err) {
    lemke l = {.p = p, .ws = ws, .n = p->n, .stride = p->n + 2};
    AM_TRY(am_lcp_workspace_grow_table(ws, p->n, err));
    AM_TRY(run(&l, budget, false, z, info, err));
    /* Rounding may have spoilt a plain run: a ray without proof, or a solution that is none, is looked at again. */
    bool doubtful = info->status == AM_LCP_STALLED || (info->status == AM_LCP_RAY && !info->infeasible);
    if (doubtful && l.pivots < budget)
        AM_TRY(run(&l, budget, true, z, info, err));
    return AM_OK;
}
