#include "math/lcp.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "math/kernel.h"
#include "math/lcp_internal.h"

/* Up to this size pivoting on the whole table is as fast as anything. */
enum { PIVOT_SIZE = 30 };

am_lcp am_lcp_dense(size_t n, const double *M, const double *q) {
    return (am_lcp){.n = n, .M = M, .q = q};
}

/* ---- workspace ---- */

am_lcp_workspace *am_lcp_workspace_create(am_error *err) {
    return am_memory_new(1, sizeof(am_lcp_workspace), err);
}

void am_lcp_workspace_free(am_lcp_workspace *ws) {
    if (!ws)
        return;
    am_arena_clear(&ws->memory);
    am_arena_clear(&ws->tables);
    am_arena_clear(&ws->parts);
    am_lcp_block_clear(&ws->block);
    am_lcp_workspace_free(ws->inner);
    am_memory_free(ws);
}

am_status am_lcp_workspace_grow(am_lcp_workspace *ws, size_t n, am_error *err) {
    if (n <= ws->n)
        return AM_OK;
    am_arena *memory = &ws->memory;
    am_arena_clear(memory);
    ws->n = 0;
    ws->work = am_arena_doubles(memory, NULL, 2 * n, err);
    AM_ARENA_DOUBLES(memory, n, err, &ws->w, &ws->trial, &ws->right);
    AM_ARENA_ARRAYS(memory, size_t, n, err, &ws->set, &ws->wrong, &ws->part);
    AM_ARENA_ARRAYS(memory, unsigned char, n, err, &ws->in_set, &ws->in_part);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    ws->n = n;
    return AM_OK;
}

am_status am_lcp_workspace_grow_table(am_lcp_workspace *ws, size_t n, am_error *err) {
    if (n <= ws->table_n)
        return AM_OK;
    am_arena *memory = &ws->tables;
    am_arena_clear(memory);
    ws->table_n = 0;
    AM_ARENA_DOUBLES(memory, n * (n + 2), err, &ws->table, &ws->outside);
    ws->basis = am_arena_doubles(memory, NULL, n * n, err);
    AM_ARENA_DOUBLES(memory, n, err, &ws->column, &ws->scale);
    AM_ARENA_ARRAYS(memory, size_t, n, err, &ws->basic, &ws->tied);
    ws->nonbasic = am_arena_new(memory, n + 1, sizeof *ws->nonbasic, err);
    ws->place = am_arena_new(memory, 2 * n + 1, sizeof *ws->place, err);
    ws->order = am_arena_new(memory, n, sizeof *ws->order, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    ws->table_n = n;
    return AM_OK;
}

/* ---- residuals ---- */

/* w = q + M z and the sizes of the sums, both from the definition. */
static void measure_dense(const am_lcp *p, const double *z, double *w, double *size) {
    for (size_t i = 0; i < p->n; i++) {
        w[i] = p->q[i];
        size[i] = fabs(p->q[i]);
    }
    am_kernel_apply_measured(p->n, p->n, p->M, p->n, z, w, size);
}

/* The same column by column; the size is that of the partial sums met on the way. */
static void measure_columns(const am_lcp *p, const double *z, double *w, double *size) {
    memcpy(w, p->q, p->n * sizeof *w);
    for (size_t i = 0; i < p->n; i++)
        size[i] = fabs(w[i]);
    for (size_t j = 0; j < p->n; j++)
        if (z[j] != 0.0) {
            p->apply(p->data, 1, &j, z, w);
            for (size_t i = 0; i < p->n; i++)
                size[i] = fmax(size[i], fabs(w[i]));
        }
}

double am_lcp_residual(const am_lcp *p, const double *z, double *work) {
    double *w = work, *size = work + p->n, worst = 0.0;
    if (p->M)
        measure_dense(p, z, w, size);
    else
        measure_columns(p, z, w, size);
    double z_scale = am_dense_largest(z, p->n), w_scale = am_dense_largest(size, p->n);
    z_scale = z_scale > 0.0 ? 1.0 / z_scale : 1.0;
    w_scale = w_scale > 0.0 ? 1.0 / w_scale : 1.0;
    for (size_t i = 0; i < p->n; i++) {
        double a = z[i] * z_scale, b = w[i] * w_scale;
        if (!isfinite(a) || !isfinite(b))
            return NAN;
        double r = fabs(a < b ? a : b);
        worst = r > worst ? r : worst;
    }
    return worst;
}

bool am_lcp_proves_infeasible(const am_lcp *p, const double *y, double *work) {
    double product = 0.0, product_size = 0.0, y_size = am_dense_largest(y, p->n), M_size = 0.0;
    memset(work, 0, p->n * sizeof *work);
    for (size_t i = 0; i < p->n; i++) {
        if (!(y[i] >= 0.0))
            return false;
        product += p->q[i] * y[i];
        product_size += fabs(p->q[i] * y[i]);
        for (size_t j = 0; y[i] != 0.0 && j < p->n; j++) {
            work[j] += p->M[i * p->n + j] * y[i];
            M_size = fmax(M_size, fabs(p->M[i * p->n + j]));
        }
    }
    for (size_t j = 0; j < p->n; j++)
        if (!(work[j] <= 1e-12 * M_size * y_size))
            return false;
    return product < -1e-12 * product_size;
}

void am_lcp_complement(const am_lcp *p, size_t count, const size_t *set, const double *z, double *w) {
    memcpy(w, p->q, p->n * sizeof *w);
    if (p->M) {
        if (count > 0)
            am_kernel_apply(p->n, p->n, p->M, p->n, z, w);
        return;
    }
    p->apply(p->data, count, set, z, w);
}

/* ---- the one entrance ---- */

/* Pivoting first where it is fast, Newton first elsewhere and where a start is known; pivoting has the last word. */
static am_status solve_by(const am_lcp *p, const am_lcp_options *o, am_lcp_workspace *ws, double *z, am_lcp_info *info,
                          am_error *err) {
    bool small = p->M && p->n <= PIVOT_SIZE && !o->warm;
    if (o->method == AM_LCP_NEWTON || (o->method == AM_LCP_AUTOMATIC && !small)) {
        am_status status = am_lcp_newton(p, o, ws, z, info, err);
        if (status || info->status == AM_LCP_SOLVED)
            return status;
    }
    size_t steps = info->steps, budget = o->budget > 0 ? o->budget : 1000 + 50 * p->n;
    am_status status =
        p->M ? am_lcp_lemke(p, budget, ws, z, info, err) : am_lcp_lemke_wide(p, budget, ws, z, info, err);
    info->steps = steps;
    return status;
}

am_status am_lcp_solve(const am_lcp *p, const am_lcp_options *options, am_lcp_workspace *ws, double *z,
                       am_lcp_info *info, am_error *err) {
    static const am_lcp_options usual = {0};
    const am_lcp_options *o = options ? options : &usual;
    *info = (am_lcp_info){.method = o->method};
    if (!am_dense_is_finite(p->q, p->n) || (p->M && !am_dense_is_finite(p->M, p->n * p->n)))
        return am_fail(err, AM_ERR_INPUT, "a complementarity problem holds a number that is not finite");
    AM_TRY(am_lcp_workspace_grow(ws, p->n, err));
    if (!o->same_matrix)
        am_lcp_block_forget(&ws->block);
    bool trivial = true;
    for (size_t i = 0; i < p->n && trivial; i++)
        trivial = p->q[i] >= 0.0;
    if (trivial) {
        memset(z, 0, p->n * sizeof *z);
        return AM_OK;
    }
    return solve_by(p, o, ws, z, info, err);
}
