/* Lemke's method for one load step, where Newton's does not settle. The contacts that may move are the part; all others
 * stick. In terms of forces, with F the compliance of the part (Stewart and Trinkle's form),
 *
 *     N       against  gap                = F_nn N + F_nt T + ...
 *     l+, l-  against  +-slip + gamma     T = l+ - l-
 *     gamma   against  mu N - l+ - l-
 *
 * which is copositive: a solution exists for every friction and Lemke's method finds it. Contacts outside the part that
 * turn out to violate their law join it. */
#include <lapacke.h>
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "engines/quasistatic/incremental_internal.h"
#include "system/combination.h"

/* The table of a part of this many contacts takes about a gigabyte. */
enum { LARGEST_PART = 1500 };

/* Parts tried before giving up: each is larger than the last. */
enum { MOST_PARTS = 50 };

typedef struct part {
    size_t contacts; /* in this part */
    size_t normals;  /* that can open */
    size_t rows;     /* contacts + normals */
    size_t n;        /* unknowns */
    double unit;     /* compliance that makes displacements and forces comparable */
} part;

static void list_part(am_path_incremental *e, part *k) {
    *k = (part){0};
    for (size_t c = 0; c < e->m; c++)
        if (e->in_part[c]) {
            e->part[k->contacts++] = c;
            k->normals += e->reduced.normal_row[c] != AM_NO_ROW;
        }
    k->rows = k->contacts + k->normals;
    k->n = k->normals + 3 * k->contacts;
}

static am_status grow(am_path_incremental *e, const part *k, am_error *err) {
    if (k->contacts <= e->most_parts)
        return AM_OK;
    size_t most = k->contacts + k->contacts / 2;
    am_arena *memory = &e->part_memory;
    am_arena_clear(memory);
    e->part_F = am_arena_doubles(memory, NULL, 4 * most * most, err);
    e->part_M = am_arena_doubles(memory, NULL, 16 * most * most, err);
    AM_ARENA_DOUBLES(memory, 4 * most, err, &e->part_q, &e->part_z);
    e->most_parts = am_arena_status(memory) ? 0 : most;
    return am_arena_status(memory);
}

/* Row i of the part in the reduced stiffness: tangents, then normals. */
static void list_rows(const am_path_incremental *e, const part *k, size_t *rows) {
    size_t count = k->contacts;
    for (size_t i = 0; i < k->contacts; i++) {
        rows[i] = e->part[i];
        if (e->reduced.normal_row[e->part[i]] != AM_NO_ROW)
            rows[count++] = e->reduced.normal_row[e->part[i]];
    }
}

/* F = (stiffness of the part)^-1. */
static bool invert(am_path_incremental *e, part *k, const size_t *rows) {
    double *F = e->part_F;
    lapack_int size = (lapack_int)k->rows;
    for (size_t i = 0; i < k->rows; i++)
        for (size_t j = 0; j < k->rows; j++)
            F[i * k->rows + j] = e->reduced.stiffness[rows[i] * e->p + rows[j]] * (i == j ? 1.0 + e->weak : 1.0);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', size, F, size) ||
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', size, F, size))
        return false;
    for (size_t j = 0; j < k->rows; j++)
        for (size_t i = 0; i < j; i++)
            F[i * k->rows + j] = F[j * k->rows + i]; /* the upper triangle by columns is the lower one by rows */
    for (size_t i = 0; i < k->rows; i++)
        k->unit += F[i * k->rows + i] / (double)k->rows;
    return true;
}

/* Displacements of the part's row i by unit forces N, l+, l-, in the order of the unknowns. */
static void fill_response(const am_path_incremental *e, const part *k, size_t i, double sign, double *to) {
    const double *F = e->part_F + i * k->rows;
    double factor = sign / k->unit;
    for (size_t j = 0; j < k->normals; j++)
        to[j] = factor * F[k->contacts + j];
    for (size_t j = 0; j < k->contacts; j++) {
        to[k->normals + j] = factor * F[j];
        to[k->normals + k->contacts + j] = -factor * F[j];
    }
}

static void fill_problem(am_path_incremental *e, const part *k, const size_t *rows) {
    size_t n = k->n, plus = k->normals, minus = plus + k->contacts, gamma = minus + k->contacts;
    double *M = e->part_M, *q = e->part_q;
    memset(M, 0, n * n * sizeof *M);
    for (size_t i = 0; i < k->rows; i++) {
        double away = 0.0; /* displacement without contact forces */
        for (size_t j = 0; j < k->rows; j++)
            away -= e->part_F[i * k->rows + j] * e->force[rows[j]] / k->unit;
        if (i >= k->contacts) {
            fill_response(e, k, i, 1.0, M + (i - k->contacts) * n);
            q[i - k->contacts] = away;
            continue;
        }
        fill_response(e, k, i, 1.0, M + (plus + i) * n);
        fill_response(e, k, i, -1.0, M + (minus + i) * n);
        M[(plus + i) * n + gamma + i] = M[(minus + i) * n + gamma + i] = 1.0;
        q[plus + i] = away;
        q[minus + i] = -away;
    }
    for (size_t i = 0, normal = 0; i < k->contacts; i++) {
        size_t c = e->part[i];
        double mu = e->mu[c];
        M[(gamma + i) * n + plus + i] = M[(gamma + i) * n + minus + i] = -1.0;
        q[gamma + i] = e->reduced.normal_row[c] == AM_NO_ROW ? mu * e->held[c] : 0.0;
        if (e->reduced.normal_row[c] != AM_NO_ROW)
            M[(gamma + i) * n + normal++] = mu;
    }
}

/* States from the solution: what is zero in it is exactly zero. */
static void read_states(am_path_incremental *e, const part *k) {
    const double *z = e->part_z, *gamma = z + k->normals + 2 * k->contacts;
    for (size_t c = 0; c < e->m; c++)
        e->trial[c] = AM_STICK;
    for (size_t i = 0, normal = 0; i < k->contacts; i++) {
        size_t c = e->part[i];
        bool held = e->reduced.normal_row[c] == AM_NO_ROW, pressed = held || z[normal] > 0.0;
        normal += !held;
        if (!pressed)
            e->trial[c] = AM_OPEN;
        else if (gamma[i] > 0.0)
            e->trial[c] = z[k->normals + i] > 0.0 ? AM_BACKWARD : AM_FORWARD;
    }
}

/* Forces when the contacts stand where they stood, those of the part closed. */
static void stand_still(am_path_incremental *e) {
    memcpy(e->force, e->base, e->p * sizeof *e->force);
    for (size_t c = 0; c < e->m; c++)
        if (e->gap[c] > 0.0)
            for (size_t i = 0; i < e->p; i++)
                e->force[i] -= e->reduced.stiffness[e->reduced.normal_row[c] * e->p + i] * e->gap[c];
}

static am_status solve_part(am_path_incremental *e, double t, am_error *err) {
    part k;
    list_part(e, &k);
    if (k.contacts > LARGEST_PART)
        return am_fail(
            err, AM_ERR_LIMIT,
            "at t = %.10g Newton's method does not settle and %zu contacts are too many for pivoting (at most "
            "%d); take smaller load steps",
            t, k.contacts, LARGEST_PART);
    AM_TRY(grow(e, &k, err));
    size_t *rows = e->column;
    list_rows(e, &k, rows);
    if (!invert(e, &k, rows))
        return am_fail(err, AM_ERR_EVIDENCE, "the stiffness of the contacts is not positive definite");
    stand_still(e);
    fill_problem(e, &k, rows);
    am_lcp problem = am_lcp_dense(k.n, e->part_M, e->part_q);
    am_lcp_info info;
    am_status status =
        am_lcp_solve(&problem, &(am_lcp_options){.method = AM_LCP_LEMKE}, e->pivoting, e->part_z, &info, err);
    e->last.pivots += info.pivots;
    if (status)
        return status;
    if (info.status == AM_LCP_RAY)
        return am_fail(
            err, AM_ERR_NO_STATE,
            "no states of the contacts are consistent at t = %.10g: pivoting over %zu contacts ended on a ray", t,
            k.contacts);
    if (info.status != AM_LCP_SOLVED)
        return am_fail(err, AM_ERR_LIMIT, "at t = %.10g neither Newton's method nor %zu pivots find the contact states",
                       t, info.pivots);
    read_states(e, &k);
    return AM_OK;
}

/* Contacts that moved, or that ask to, may move. */
static size_t widen(am_path_incremental *e, size_t wrong) {
    size_t joined = 0;
    for (size_t i = 0; i < wrong; i++) {
        joined += !e->in_part[e->wrong[i]];
        e->in_part[e->wrong[i]] = 1;
    }
    return joined;
}

/* The first part: contacts that moved before, that move in the last iterate, or that cannot stick. */
static am_status first_part(am_path_incremental *e, size_t *wrong, am_error *err) {
    bool regular;
    for (size_t c = 0; c < e->m; c++) {
        e->in_part[c] = e->trial[c] != AM_STICK || e->state[c] != AM_STICK || e->gap[c] > 0.0;
        e->trial[c] = AM_STICK;
    }
    AM_TRY(am_path_evaluate(e, &regular, err));
    *wrong = am_path_find_violations(e);
    widen(e, *wrong);
    return AM_OK;
}

am_status am_path_incremental_pivot(am_path_incremental *e, double t, am_error *err) {
    size_t wrong;
    am_status status = first_part(e, &wrong, err);
    if (status || wrong == 0)
        return status;
    for (int tries = 0; tries < MOST_PARTS; tries++) {
        bool regular;
        AM_TRY(solve_part(e, t, err));
        AM_TRY(am_path_evaluate(e, &regular, err));
        if (!regular)
            break;
        wrong = am_path_find_violations(e);
        if (wrong == 0)
            return AM_OK;
        if (widen(e, wrong) == 0)
            break;
    }
    return am_fail(err, AM_ERR_LIMIT, "the contact states at t = %.10g could not be told apart from rounding", t);
}
