/* Newton's method on min(z, w) = 0. The active set S holds the indices where z counts; a step solves M_SS z_S = -q_S,
 * then every index whose sign is wrong changes sides. Far from the solution such steps may cycle. The safeguard is that
 * of Kostreva, Judice and Pires: after a few steps without fewer wrong signs only the last wrong index changes sides
 * (Murty), which for P-matrices never repeats a set, until there are fewer wrong signs than ever. */
#include <math.h>
#include <string.h>

#include "base/watch.h"
#include "math/dense.h"
#include "math/lcp_internal.h"

/* Whole steps allowed without progress before single changes. */
enum { PATIENCE = 3 };

/* Changes of set before pivoting takes over. */
enum { MOST_STEPS = 100 };

/* z below this fraction of the largest is zero but for rounding. */
static const double zero = 1e-14;

/* Equations that should vanish and do not, beyond this fraction of w: the factors have lost too many digits. */
static const double inaccurate = 1e-9;

typedef struct sweep {
    size_t wrong; /* indices on the wrong side */
    double noise; /* largest |w| where it should vanish */
    double size;  /* largest |w| and |q| */
} sweep;

static size_t list_set(const unsigned char *in_set, size_t n, size_t *set) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (in_set[i])
            set[count++] = i;
    return count;
}

static void start_set(const am_lcp *p, const am_lcp_options *options, unsigned char *in_set) {
    for (size_t i = 0; i < p->n; i++)
        in_set[i] = options->warm ? options->warm[i] > 0.0 : p->q[i] < 0.0;
}

/* z on the set, w everywhere. */
static void evaluate(const am_lcp *p, am_lcp_workspace *ws, size_t count, double *z) {
    for (size_t i = 0; i < count; i++)
        ws->right[i] = -p->q[ws->set[i]];
    am_lcp_block_solve(&ws->block, ws->right, ws->right);
    memset(z, 0, p->n * sizeof *z);
    for (size_t i = 0; i < count; i++)
        z[ws->set[i]] = ws->right[i];
    am_lcp_complement(p, count, ws->set, z, ws->w);
}

/* One correction with the same factors. */
static void refine(const am_lcp *p, am_lcp_workspace *ws, size_t count, double *z) {
    for (size_t i = 0; i < count; i++)
        ws->right[i] = -ws->w[ws->set[i]];
    am_lcp_block_solve(&ws->block, ws->right, ws->right);
    for (size_t i = 0; i < count; i++)
        z[ws->set[i]] += ws->right[i];
    am_lcp_complement(p, count, ws->set, z, ws->w);
}

static sweep judge(const am_lcp *p, am_lcp_workspace *ws, const double *z) {
    sweep s = {0};
    for (size_t i = 0; i < p->n; i++) {
        double w = fabs(ws->w[i]);
        s.size = fmax(s.size, fmax(w, fabs(p->q[i])));
        if (ws->in_set[i])
            s.noise = fmax(s.noise, w);
    }
    double z_zero = -zero * am_dense_largest(z, p->n), w_zero = -fmax(4.0 * s.noise, zero * s.size);
    for (size_t i = 0; i < p->n; i++)
        if (ws->in_set[i] ? !(z[i] >= z_zero) : !(ws->w[i] >= w_zero))
            ws->wrong[s.wrong++] = i;
    return s;
}

/* Change sides: all wrong indices, or the last of them. */
static void flip(am_lcp_workspace *ws, const sweep *s, bool all) {
    for (size_t i = all ? 0 : s->wrong - 1; i < s->wrong; i++)
        ws->in_set[ws->wrong[i]] = !ws->in_set[ws->wrong[i]];
}

/* The signs are right: what remains is rounding. */
static double settle(const am_lcp *p, am_lcp_workspace *ws, size_t count, double *z) {
    for (int tries = 0;; tries++) {
        memcpy(ws->trial, z, p->n * sizeof *z);
        for (size_t i = 0; i < p->n; i++)
            ws->trial[i] = fmax(ws->trial[i], 0.0);
        double residual = am_lcp_residual(p, ws->trial, ws->work);
        if (residual <= 0.01 * AM_LCP_ACCEPT || tries == 2) {
            memcpy(z, ws->trial, p->n * sizeof *z);
            return residual;
        }
        refine(p, ws, count, z);
    }
}

/* One Newton step: z and w of the present set, accurate enough to tell signs. */
static am_status step(const am_lcp *p, am_lcp_workspace *ws, size_t count, double *z, sweep *s, bool *regular,
                      am_error *err) {
    am_status status = am_lcp_block_set(&ws->block, p, count, ws->set, false, regular, err);
    if (status || !*regular)
        return status;
    evaluate(p, ws, count, z);
    *s = judge(p, ws, z);
    if (s->noise <= inaccurate * s->size)
        return AM_OK;
    if (am_lcp_block_bordered(&ws->block)) {
        status = am_lcp_block_set(&ws->block, p, count, ws->set, true, regular, err);
        if (status || !*regular)
            return status;
        evaluate(p, ws, count, z);
    }
    refine(p, ws, count, z);
    *s = judge(p, ws, z);
    return AM_OK;
}

am_status am_lcp_newton(const am_lcp *p, const am_lcp_options *options, am_lcp_workspace *ws, double *z,
                        am_lcp_info *info, am_error *err) {
    size_t best = p->n + 1;
    int patience = PATIENCE;
    info->method = AM_LCP_NEWTON;
    info->status = AM_LCP_STALLED;
    start_set(p, options, ws->in_set);
    for (info->steps = 1; info->steps <= MOST_STEPS; info->steps++) {
        sweep s;
        bool regular;
        size_t count = list_set(ws->in_set, p->n, ws->set);
        am_status status = am_watch_spend((double)count * (double)count * (double)(count + p->n), err);
        if (!status)
            status = step(p, ws, count, z, &s, &regular, err);
        if (status || !regular)
            return status; /* singular: pivoting decides */
        if (s.wrong == 0) {
            info->residual = settle(p, ws, count, z);
            info->status = info->residual <= AM_LCP_ACCEPT ? AM_LCP_SOLVED : AM_LCP_STALLED;
            return AM_OK;
        }
        bool slow = patience == 0 || (info->steps >= 4 && s.wrong > p->n / 10);
        if (slow && p->M && options->method == AM_LCP_AUTOMATIC)
            return AM_OK; /* pivoting costs less from here on */
        patience = s.wrong < best ? PATIENCE : patience > 0 ? patience - 1 : 0;
        best = s.wrong < best ? s.wrong : best;
        flip(ws, &s, patience > 0);
    }
    return AM_OK;
}
