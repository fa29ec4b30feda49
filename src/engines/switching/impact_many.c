/* The impulses of an impact of many contacts as one linear complementarity problem in (P, Q+, Q-, slack of sliding) of
 * every contact that takes part, by Lemke's method: which state has each of them while the impulses act? */
#include "engines/switching/switching.h"

#include "base/memory.h"
#include "math/dense.h"
#include "math/lcp.h"

typedef struct many {
    size_t k;          /* contacts that take part */
    size_t *contact;   /* k */
    double *W;         /* 2k x 2k: rates of their normals and tangents by their impulses */
    double *M, *q, *z; /* the problem, 4k */
    double *moving;    /* n: velocities by one impulse */
} many;

static am_status allocate(many *w, size_t n, am_error *err) {
    size_t k = w->k, size = 4 * k;
    w->contact = am_memory_new(k, sizeof *w->contact, err);
    w->W = am_memory_new(4 * k * k + size * size + 2 * size + n, sizeof *w->W, err);
    if (!w->contact || !w->W)
        return AM_ERR_MEMORY;
    w->M = w->W + 4 * k * k;
    w->q = w->M + size * size;
    w->z = w->q + size;
    w->moving = w->z + size;
    return AM_OK;
}

static const double *row_of(const am_motion *e, const many *w, size_t r) {
    const am_contact_def *contact = &e->plan.system->contact[w->contact[r / 2]];
    return r % 2 ? contact->tangent : contact->normal;
}

static void fill_rates(am_motion *e, many *w) {
    size_t n = e->plan.n, rows = 2 * w->k;
    for (size_t b = 0; b < rows; b++) {
        am_dense_apply(e->plan.inverse_mass, n, n, row_of(e, w, b), w->moving);
        for (size_t a = 0; a < rows; a++)
            w->W[a * rows + b] = am_dense_dot(row_of(e, w, a), w->moving, n);
    }
}

/* Without friction the tangential part of contact a would be degenerate through and through (its impulses lie between 0
 * and 0): its unknowns become zero by themselves and are felt by nobody. */
static void leave_out_friction(many *w, size_t a) {
    size_t size = 4 * w->k;
    for (size_t i = 4 * a + 1; i < 4 * a + 4; i++) {
        for (size_t j = 0; j < size; j++)
            w->M[i * size + j] = w->M[j * size + i] = 0.0;
        w->M[i * (size + 1)] = w->q[i] = 1.0;
    }
}

/* Of contact i: rates without impulses, with what restitution asks for. */
static void fill_problem(am_motion *e, many *w, bool elastic) {
    size_t rows = 2 * w->k, size = 4 * w->k;
    for (size_t a = 0; a < w->k; a++) {
        size_t c = w->contact[a];
        const am_contact_def *contact = &e->plan.system->contact[c];
        bool bounces = elastic && e->mark[c].standing == AM_STANDS_CLOSING;
        double rate = am_engine_gap_rate(e, c), slide = am_engine_slide(e, c);
        slide += bounces ? contact->tangential_restitution * slide : 0.0;
        for (size_t b = 0; b < w->k; b++)
            for (size_t i = 0; i < 3; i++)
                for (size_t j = 0; j < 3; j++) {
                    double sign = (i == 2 ? -1.0 : 1.0) * (j == 2 ? -1.0 : 1.0);
                    w->M[(4 * a + i) * size + 4 * b + j] = sign * w->W[(2 * a + (i > 0)) * rows + 2 * b + (j > 0)];
                }
        w->M[(4 * a + 1) * size + 4 * a + 3] = w->M[(4 * a + 2) * size + 4 * a + 3] = 1.0;
        w->M[(4 * a + 3) * size + 4 * a] = contact->friction;
        w->M[(4 * a + 3) * size + 4 * a + 1] = w->M[(4 * a + 3) * size + 4 * a + 2] = -1.0;
        w->q[4 * a] = rate + (bounces ? contact->restitution * rate : 0.0);
        w->q[4 * a + 1] = slide;
        w->q[4 * a + 2] = -slide;
    }
    for (size_t a = 0; a < w->k; a++)
        if (e->plan.system->contact[w->contact[a]].friction == 0.0 || !am_impact_rubs(e, w->contact[a]))
            leave_out_friction(w, a);
}

/* The sliding velocity of contact a after the impulses. */
static double slide_after(const am_motion *e, const many *w, size_t a) {
    const double *row = w->W + (2 * a + 1) * 2 * w->k;
    double slide = am_engine_slide(e, w->contact[a]); /* without friction: nothing turns it */
    for (size_t b = 0; b < w->k; b++)
        slide += row[2 * b] * w->z[4 * b] + row[2 * b + 1] * (w->z[4 * b + 1] - w->z[4 * b + 2]);
    return slide;
}

/* Entries outside the last basis are exactly zero: the impulse of a contact that opens, the sliding speed (the slack,
 * z[3]) of one that holds. */
static am_contact_state state_of(const am_motion *e, const many *w, size_t a) {
    const double *z = w->z + 4 * a;
    if (!(z[0] > 0.0))
        return AM_OPEN;
    if (!am_impact_rubs(e, w->contact[a]))
        return AM_STICK;
    if (e->plan.system->contact[w->contact[a]].friction == 0.0)
        return slide_after(e, w, a) > 0.0 ? AM_FORWARD : AM_BACKWARD;
    return !(z[3] > 0.0) ? AM_STICK : z[1] < z[2] ? AM_FORWARD : AM_BACKWARD;
}

static am_status solve(am_motion *e, many *w, bool elastic, bool *solved, am_error *err) {
    am_lcp_workspace *workspace = am_lcp_workspace_create(err);
    if (!workspace)
        return AM_ERR_MEMORY;
    fill_rates(e, w);
    fill_problem(e, w, elastic);
    am_lcp problem = am_lcp_dense(4 * w->k, w->M, w->q);
    am_lcp_options options = {.method = AM_LCP_LEMKE};
    am_lcp_info info;
    am_status status = am_lcp_solve(&problem, &options, workspace, w->z, &info, err);
    *solved = !status && info.status == AM_LCP_SOLVED;
    am_lcp_workspace_free(workspace);
    for (size_t a = 0; a < w->k && *solved; a++)
        e->trial[w->contact[a]] = state_of(e, w, a);
    return status;
}

am_status am_impact_states(am_motion *e, bool elastic, bool *solved, am_error *err) {
    many w = {0};
    *solved = false;
    for (size_t c = 0; c < e->plan.m; c++)
        w.k += am_impact_takes_part(e, c);
    am_status status = allocate(&w, e->plan.n, err);
    for (size_t c = 0, i = 0; c < e->plan.m && !status; c++)
        if (am_impact_takes_part(e, c))
            w.contact[i++] = c;
    if (!status)
        status = solve(e, &w, elastic, solved, err);
    am_memory_free(w.contact);
    am_memory_free(w.W);
    return status;
}
