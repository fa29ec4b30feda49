/* Lemke's method for problems too large for a table of all unknowns: it is run on a part of them, the others being held
 * at z = 0. Indices whose w turns out negative (or falls along a ray) join the part, until none does. */
#include <math.h>
#include <string.h>

#include "math/lcp_internal.h"

/* Beyond this the table no longer fits into a reasonable memory (three tables of 128 MB). */
enum { LARGEST_PART = 4000 };

static am_status grow_part(am_lcp_workspace *ws, size_t k, am_error *err) {
    if (!ws->inner) {
        ws->inner = am_lcp_workspace_create(err);
        if (!ws->inner)
            return AM_ERR_MEMORY;
    }
    if (k <= ws->part_n)
        return AM_OK;
    size_t order = k + k / 2;
    am_arena_clear(&ws->parts);
    ws->part_n = 0;
    ws->part_M = am_arena_doubles(&ws->parts, NULL, order * order, err);
    AM_ARENA_DOUBLES(&ws->parts, order, err, &ws->part_q, &ws->part_z);
    if (am_arena_status(&ws->parts))
        return AM_ERR_MEMORY;
    ws->part_n = order;
    return AM_OK;
}

static size_t list_part(am_lcp_workspace *ws, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (ws->in_part[i])
            ws->part[count++] = i;
    return count;
}

/* z of the whole from that of the part; then the indices that must join. Returns how many. */
static size_t widen(const am_lcp *p, am_lcp_workspace *ws, size_t count, bool ray, double *z) {
    memset(z, 0, p->n * sizeof *z);
    for (size_t i = 0; i < count; i++)
        z[ws->part[i]] = ws->part_z[i];
    am_lcp_complement(p, count, ws->part, z, ws->w);
    double size = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        ws->w[i] -= ray ? p->q[i] : 0.0; /* along a ray: M z alone */
        size = fmax(size, fabs(ws->w[i]));
    }
    size_t joined = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!ws->in_part[i] && !(ws->w[i] >= -1e-13 * size)) {
            ws->in_part[i] = 1;
            joined++;
        }
    return joined;
}

am_status am_lcp_lemke_wide(const am_lcp *p, size_t budget, am_lcp_workspace *ws, double *z, am_lcp_info *info,
                            am_error *err) {
    info->method = AM_LCP_LEMKE;
    info->status = AM_LCP_STALLED;
    info->residual = INFINITY;
    for (size_t i = 0; i < p->n; i++)
        ws->in_part[i] = p->q[i] < 0.0;
    size_t pivots = 0;
    while (pivots < budget) {
        size_t count = list_part(ws, p->n);
        if (count > LARGEST_PART)
            return AM_OK;
        am_status status = grow_part(ws, count, err);
        if (!status)
            status = am_lcp_workspace_grow(ws->inner, count, err);
        if (status)
            return status;
        p->gather(p->data, count, ws->part, count, ws->part, ws->part_M);
        for (size_t i = 0; i < count; i++)
            ws->part_q[i] = p->q[ws->part[i]];
        am_lcp part = am_lcp_dense(count, ws->part_M, ws->part_q);
        am_lcp_info inner = {0};
        status = am_lcp_lemke(&part, budget - pivots, ws->inner, ws->part_z, &inner, err);
        pivots += inner.pivots;
        info->pivots = pivots;
        if (status || inner.status == AM_LCP_STALLED)
            return status;
        bool ray = inner.status == AM_LCP_RAY;
        if (widen(p, ws, count, ray, z) > 0)
            continue;
        info->status = inner.status;
        info->residual = ray ? INFINITY : am_lcp_residual(p, z, ws->work);
        if (!ray && !(info->residual <= AM_LCP_ACCEPT))
            info->status = AM_LCP_STALLED;
        return AM_OK;
    }
    return AM_OK;
}
