/* The expansion of an impact by Poisson's restitution: the contacts give back the part e of the normal impulses P_C of
 * the compression, and more where surfaces would else pass through each other,
 *
 *     P = e P_C + p,   p >= 0,  n.v+ >= 0, one of them zero,   |Q| <= mu P, Q opposing t.v+ + e_t t.v-
 *
 * (Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996, chapter 8; their tangential law stores
 * impulses, this one turns the sliding velocity v- of before the impact as Newton's law does). One linear
 * complementarity problem in (p, Q+, Q-, slack of sliding) of every contact that takes part, by Lemke's method; its
 * states are then solved as linear equations. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "engines/switching/switching.h"
#include "math/dense.h"
#include "math/lcp.h"
#include "math/lu.h"

typedef struct expansion {
    am_arena memory;
    size_t k;                /* contacts that take part */
    size_t *contact;         /* k */
    double *W;               /* 2k x 2k: rates of their normals and tangents by their impulses */
    double *rate;            /* 2k: gap rates and sliding velocities (with what restitution asks for) before it */
    double *given;           /* k: e P_C */
    double *impulse;         /* 2k: P and Q */
    double *moving;          /* n */
    double *A, *right;       /* 2k x 2k, 2k */
    int *order;              /* 2k */
    double *problem, *q, *z; /* 4k x 4k, 4k, 4k */
} expansion;

static const double *row_of(const am_motion *e, const expansion *x, size_t r) {
    const am_contact_def *contact = &e->plan.system->contact[x->contact[r / 2]];
    return r % 2 ? contact->tangent : contact->normal;
}

static double friction_of(const am_motion *e, const expansion *x, size_t a) {
    return am_impact_rubs(e, x->contact[a]) ? e->plan.system->contact[x->contact[a]].friction : 0.0;
}

static am_status allocate(const am_motion *e, expansion *x, am_error *err) {
    *x = (expansion){0};
    for (size_t c = 0; c < e->plan.m; c++)
        x->k += am_impact_takes_part(e, c);
    size_t k = x->k, size = 2 * k;
    x->contact = am_arena_new(&x->memory, k, sizeof *x->contact, err);
    AM_ARENA_DOUBLES(&x->memory, size * size, err, &x->W, &x->A);
    AM_ARENA_DOUBLES(&x->memory, size, err, &x->rate, &x->impulse, &x->right);
    x->given = am_arena_doubles(&x->memory, NULL, k, err);
    x->moving = am_arena_doubles(&x->memory, NULL, e->plan.n, err);
    x->order = am_arena_new(&x->memory, size, sizeof *x->order, err);
    x->problem = am_arena_doubles(&x->memory, NULL, 4 * size * size, err);
    AM_ARENA_DOUBLES(&x->memory, 2 * size, err, &x->q, &x->z);
    return am_arena_status(&x->memory);
}

/* lambda: impulses of the compression; v: velocities before it, after: after it; which: what surfaces do. */
static void fill(const am_motion *e, expansion *x, const am_combination *k, const double *lambda, const double *v,
                 const double *after, am_belt which) {
    size_t n = e->plan.n, rows = 2 * x->k, a = 0;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &e->plan.system->contact[c];
        if (!am_impact_takes_part(e, c))
            continue;
        bool strikes = e->mark[c].standing == AM_STANDS_CLOSING;
        double belt = am_engine_belt(e, c, which);
        double slide = am_dense_dot(contact->tangent, after, n) - belt;
        if (strikes)
            slide += contact->tangential_restitution * (am_dense_dot(contact->tangent, v, n) - belt);
        x->contact[a] = c;
        x->rate[2 * a] = am_dense_dot(contact->normal, after, n) + am_engine_raise(e, c, which);
        x->rate[2 * a + 1] = slide;
        x->given[a++] =
            strikes && k->normal_row[c] != AM_NO_ROW ? contact->restitution * lambda[k->normal_row[c]] : 0.0;
    }
    for (size_t b = 0; b < rows; b++) {
        am_dense_apply(e->plan.inverse_mass, n, n, row_of(e, x, b), x->moving);
        for (size_t r = 0; r < rows; r++)
            x->W[r * rows + b] = am_dense_dot(row_of(e, x, r), x->moving, n);
    }
}

/* ---- which states ---- */

static void fill_problem(const am_motion *e, expansion *x) {
    size_t k = x->k, rows = 2 * k, size = 4 * k;
    double *M = x->problem;
    memset(M, 0, size * size * sizeof *M);
    for (size_t a = 0; a < k; a++) {
        double normal = x->rate[2 * a], slide = x->rate[2 * a + 1], mu = friction_of(e, x, a);
        for (size_t b = 0; b < k; b++) {
            normal += x->W[2 * a * rows + 2 * b] * x->given[b];
            slide += x->W[(2 * a + 1) * rows + 2 * b] * x->given[b];
            for (size_t i = 0; i < 3; i++)
                for (size_t j = 0; j < 3; j++) {
                    double sign = (i == 2 ? -1.0 : 1.0) * (j == 2 ? -1.0 : 1.0);
                    M[(4 * a + i) * size + 4 * b + j] = sign * x->W[(2 * a + (i > 0)) * rows + 2 * b + (j > 0)];
                }
        }
        M[(4 * a + 1) * size + 4 * a + 3] = M[(4 * a + 2) * size + 4 * a + 3] = 1.0;
        M[(4 * a + 3) * size + 4 * a] = mu;
        M[(4 * a + 3) * size + 4 * a + 1] = M[(4 * a + 3) * size + 4 * a + 2] = -1.0;
        x->q[4 * a] = normal;
        x->q[4 * a + 1] = slide;
        x->q[4 * a + 2] = -slide;
        x->q[4 * a + 3] = mu * x->given[a];
    }
    for (size_t a = 0; a < k; a++) /* without friction, or a stop: tangential unknowns are zero by themselves */
        for (size_t i = 4 * a + 1; friction_of(e, x, a) == 0.0 && i < 4 * a + 4; i++) {
            for (size_t j = 0; j < size; j++)
                M[i * size + j] = M[j * size + i] = 0.0;
            M[i * (size + 1)] = x->q[i] = 1.0;
        }
}

/* Entries outside the last basis are exactly zero: further impulses of a contact that leaves, the slack of one that
 * holds. */
static void take_states(am_motion *e, const expansion *x) {
    for (size_t a = 0; a < x->k; a++) {
        const double *z = x->z + 4 * a;
        bool holds = friction_of(e, x, a) > 0.0 && !(z[3] > 0.0);
        am_contact_state slips = friction_of(e, x, a) > 0.0 ? (z[1] < z[2] ? AM_FORWARD : AM_BACKWARD)
                                                            : (x->rate[2 * a + 1] > 0.0 ? AM_FORWARD : AM_BACKWARD);
        e->expansion[x->contact[a]] = z[0] > 0.0 ? AM_STICK : AM_OPEN;
        e->expansion_slip[x->contact[a]] = holds ? AM_STICK : slips;
    }
}

static am_status find_states(am_motion *e, expansion *x, am_error *err) {
    am_lcp_workspace *workspace = am_lcp_workspace_create(err);
    if (!workspace)
        return AM_ERR_MEMORY;
    fill_problem(e, x);
    am_lcp problem = am_lcp_dense(4 * x->k, x->problem, x->q);
    am_lcp_options options = {.method = AM_LCP_LEMKE};
    am_lcp_info info;
    am_status status = am_lcp_solve(&problem, &options, workspace, x->z, &info, err);
    if (!status && info.status != AM_LCP_SOLVED)
        status = am_fail(err, AM_ERR_NO_STATE, "the expansion of the impact at t = %.15g has no solution", e->now.t);
    am_lcp_workspace_free(workspace);
    if (!status)
        take_states(e, x);
    return status;
}

/* ---- impulses in known states ---- */

/* What one unit of an unknown adds to (P, Q) of its contact: Q follows P where it slips. */
static void unit_impulse(const am_motion *e, const expansion *x, size_t a, bool normal, double *P, double *Q) {
    am_contact_state slip = e->expansion_slip[x->contact[a]];
    *P = normal ? 1.0 : 0.0;
    *Q = normal ? am_slip_sign(slip) * friction_of(e, x, a) : 1.0;
}

/* P and Q of all: p of contacts that stay closed (rows 2a), Q of those that hold (rows 2a + 1), from n.v+ = 0 and the
 * sliding velocity asked for. */
static void solve_states(const am_motion *e, expansion *x) {
    size_t rows = 2 * x->k, count = 0, unknown[2 * 64];
    for (size_t a = 0; a < x->k; a++) {
        unit_impulse(e, x, a, true, &x->impulse[2 * a], &x->impulse[2 * a + 1]);
        x->impulse[2 * a] *= x->given[a];
        x->impulse[2 * a + 1] *= x->given[a];
    }
    for (size_t r = 0; r < rows && count < sizeof unknown / sizeof *unknown; r++) {
        size_t c = x->contact[r / 2];
        if (r % 2 ? e->expansion_slip[c] == AM_STICK : e->expansion[c] != AM_OPEN)
            unknown[count++] = r;
    }
    for (size_t i = 0; i < count; i++) {
        const double *row = x->W + unknown[i] * rows;
        x->right[i] = -x->rate[unknown[i]] - am_dense_dot(row, x->impulse, rows);
        for (size_t j = 0; j < count; j++) {
            double P, Q;
            size_t b = unknown[j] / 2;
            unit_impulse(e, x, b, unknown[j] % 2 == 0, &P, &Q);
            x->A[i * count + j] = row[2 * b] * P + row[2 * b + 1] * Q;
        }
    }
    if (count == 0 || !am_lu_factor(x->A, count, x->order))
        return;
    am_lu_solve(x->A, count, x->order, 1, x->right);
    for (size_t j = 0; j < count; j++) {
        double P, Q;
        unit_impulse(e, x, unknown[j] / 2, unknown[j] % 2 == 0, &P, &Q);
        x->impulse[unknown[j] / 2 * 2] += x->right[j] * P;
        x->impulse[unknown[j] / 2 * 2 + 1] += x->right[j] * Q;
    }
}

static void apply(const am_motion *e, expansion *x, double *v) {
    size_t n = e->plan.n;
    memset(x->moving, 0, n * sizeof *x->moving);
    for (size_t r = 0; r < 2 * x->k; r++)
        for (size_t i = 0; i < n; i++)
            x->moving[i] += x->impulse[r] * row_of(e, x, r)[i];
    am_dense_add(e->plan.inverse_mass, n, n, x->moving, v);
}

am_status am_impact_expand(am_motion *e, const am_combination *k, double *v, am_error *err) {
    expansion x;
    am_status status = allocate(e, &x, err);
    if (!status && x.k > 64)
        status = am_fail(err, AM_ERR_LIMIT, "Poisson's restitution: at most 64 contacts may strike at once");
    if (!status) {
        fill(e, &x, k, e->lambda, e->x + e->plan.n, v, AM_BELT_MOVES);
        status = find_states(e, &x, err);
    }
    if (!status) {
        solve_states(e, &x);
        apply(e, &x, v);
    }
    for (size_t r = 0; r < 2 * x.k && !status; r++)
        e->impulse[2 * x.contact[r / 2] + r % 2] += x.impulse[r];
    am_arena_clear(&x.memory);
    return status;
}

void am_impact_expand_map(am_motion *e, const am_combination *k, const double *lambda, const double *v, am_belt belt,
                          double *v_after) {
    expansion x;
    bool reserved = allocate(e, &x, NULL) == AM_OK;
    for (size_t i = 0; !reserved && i < e->plan.n; i++)
        v_after[i] = NAN; /* no derivative is not one of zero */
    if (reserved) {
        fill(e, &x, k, lambda, v, v_after, belt);
        solve_states(e, &x);
        apply(e, &x, v_after);
    }
    am_arena_clear(&x.memory);
}
