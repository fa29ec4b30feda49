/* Load steps of structures with contacts that slip in a plane. What the contacts move in a step, u, and their forces f are
 *
 *     f = base + K u,
 *
 * K being the reduced stiffness and `base` the forces if nothing moved. Gaps, and friction opposite to the slip of the
 * step (backward Euler) with |T| <= mu N at its end, are the equations
 *
 *     N = max(0, N - k (gap + u_n)),     T = the point of the disc |T| <= mu N next to T - k u_t
 *
 * with k the entries of K on the diagonal (Alart and Curnier 1991). Displacements are the unknowns, as bodies that soft
 * springs alone hold have no compliance in which what contacts do to each other could be seen. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/quasistatic/incremental_internal.h"
#include "math/dense.h"
#include "math/friction_disc.h"
#include "math/lu.h"
#include "system/combination.h"
#include "system/system.h"

enum { MOST_ITERATIONS = 150, MOST_HALVINGS = 8, SWEEPS = 10 };

/* A contact whose friction is this much below its limit sticks; what Newton's method has to reach. Both relative. */
static const double sticking = 1e-10, enough = 1e-11;

/* The rows of a contact in the reduced stiffness; normal AM_NO_ROW: its normal force is given. */
typedef struct rows {
    size_t normal, tangent[2], tangents;
} rows;

static rows rows_of(const am_path_incremental *e, size_t c) {
    size_t second = e->reduced.second_row[c];
    return (rows){e->reduced.normal_row[c], {c, second}, second == AM_NO_ROW ? 1 : 2};
}

/* ---- creation ---- */

am_status am_path_plane_init(am_path_incremental *e, am_error *err) {
    if (e->weakens || e->drops)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "some contacts of this structure slip in a plane (two tangents) and friction of others falls: "
                       "load steps know either; `motion` knows both");
    if (e->reduced.floating)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the stiffness is singular: only its contacts hold the structure, and some of them slip in a "
                       "plane (two tangents). A support or a soft spring on the body that floats would hold it");
    AM_ARENA_DOUBLES(&e->memory, e->m, err, &e->place_across, &e->second, &e->across);
    AM_ARENA_DOUBLES(&e->memory, e->p, err, &e->moved, &e->defect, &e->shift);
    e->slopes = am_arena_doubles(&e->memory, NULL, e->p * e->p, err);
    e->order = am_arena_new(&e->memory, e->p, sizeof *e->order, err);
    return am_arena_status(&e->memory);
}

/* ---- one way only? ---- */

/* Where contacts slip in directions d_c, motions x and the forces that they must keep satisfy x.(K + sum of mu d_c N_c) x,
 * N_c the row of the contact's normal: positive for all directions if K, scaled to a unit diagonal, exceeds the norm of
 * all mu N_c. Then one solution only, and no jump. */
am_status am_path_plane_is_tame(const am_path_incremental *e, bool *tame, am_error *err) {
    size_t p = e->p, failing = p;
    double *K = am_memory_doubles(e->reduced.stiffness, p * p, err), norm = 0.0;
    if (!K)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            K[i * p + j] /= sqrt(e->reduced.stiffness[i * (p + 1)] * e->reduced.stiffness[j * (p + 1)]);
    for (size_t c = 0; c < e->m; c++) {
        size_t row = e->reduced.normal_row[c];
        if (row == AM_NO_ROW)
            continue;
        double tangential = e->reduced.stiffness[c * (p + 1)];
        if (e->reduced.second_row[c] != AM_NO_ROW)
            tangential = fmin(tangential, e->reduced.stiffness[e->reduced.second_row[c] * (p + 1)]);
        double mu = e->system->contact[c].friction * sqrt(e->reduced.stiffness[row * (p + 1)] / tangential);
        norm += mu * mu * am_dense_dot(K + row * p, K + row * p, p);
    }
    for (size_t i = 0; i < p; i++)
        K[i * (p + 1)] -= sqrt(norm);
    am_status status = am_dense_definite(K, p, &failing, err);
    *tame = failing == p;
    am_memory_free(K);
    return status;
}

/* ---- the equations ---- */

static double own_stiffness(const am_path_incremental *e, size_t row) {
    return e->reduced.stiffness[row * (e->p + 1)];
}

/* Of both tangents together. */
static double tangential_stiffness(const am_path_incremental *e, const rows *at) {
    double k = own_stiffness(e, at->tangent[0]);
    return at->tangents > 1 ? fmax(k, own_stiffness(e, at->tangent[1])) : k;
}

static double force_at(const am_path_incremental *e, size_t row) {
    return e->base[row] + am_dense_dot(e->reduced.stiffness + row * e->p, e->moved, e->p);
}

static double normal_force(const am_path_incremental *e, size_t c, const rows *at) {
    return at->normal == AM_NO_ROW ? e->held[c] : e->force[at->normal];
}

static double limit_of(const am_path_incremental *e, size_t c, const rows *at) {
    return e->system->contact[c].friction * fmax(normal_force(e, c, at), 0.0);
}

static bool is_pressed(const am_path_incremental *e, size_t c, const rows *at) {
    size_t row = at->normal;
    return e->force[row] - own_stiffness(e, row) * (e->gap[c] + e->moved[row]) > 0.0;
}

/* y = T - k u; its length. */
static double augment(const am_path_incremental *e, const rows *at, double *y) {
    double k = tangential_stiffness(e, at);
    y[1] = 0.0;
    for (size_t i = 0; i < at->tangents; i++)
        y[i] = e->force[at->tangent[i]] - k * e->moved[at->tangent[i]];
    return hypot(y[0], y[1]);
}

/* What the equations of a contact are off by, as forces. */
static void contact_defect(am_path_incremental *e, size_t c) {
    rows at = rows_of(e, c);
    double y[2], limit = limit_of(e, c, &at), length = augment(e, &at, y);
    if (at.normal != AM_NO_ROW)
        e->defect[at.normal] = is_pressed(e, c, &at) ? own_stiffness(e, at.normal) * (e->gap[c] + e->moved[at.normal])
                                                     : e->force[at.normal];
    for (size_t i = 0; i < at.tangents; i++) {
        size_t row = at.tangent[i];
        e->defect[row] = length > limit ? e->force[row] - limit * y[i] / length : e->force[row] - y[i];
    }
}

/* All of them; the square of their length. */
static double all_defects(am_path_incremental *e) {
    for (size_t row = 0; row < e->p; row++)
        e->force[row] = force_at(e, row);
    for (size_t c = 0; c < e->m; c++)
        contact_defect(e, c);
    return am_dense_dot(e->defect, e->defect, e->p);
}

/* The largest of them, over the largest force. */
static double residual_of(const am_path_incremental *e) {
    double size = e->scale, most = am_dense_largest(e->defect, e->p);
    for (size_t c = 0; c < e->m; c++) {
        rows at = rows_of(e, c);
        size = fmax(size, normal_force(e, c, &at));
    }
    return most > 0.0 ? most / fmax(size, am_dense_largest(e->force, e->p)) : 0.0;
}

/* ---- Newton's method ---- */

/* In slip T = mu N y/|y|. */
static void slip_rows(am_path_incremental *e, size_t c, const rows *at, const double *y, double length) {
    size_t p = e->p;
    double over = limit_of(e, c, at) / length, k = tangential_stiffness(e, at), mu = e->system->contact[c].friction;
    bool presses = at->normal != AM_NO_ROW && e->force[at->normal] > 0.0;
    for (size_t i = 0; i < at->tangents; i++) {
        double *row = e->slopes + at->tangent[i] * p;
        memcpy(row, e->reduced.stiffness + at->tangent[i] * p, p * sizeof *row);
        for (size_t j = 0; j < at->tangents && at->tangents > 1; j++) { /* a direction that turns */
            double turn = over * ((i == j) - y[i] * y[j] / (length * length));
            for (size_t l = 0; l < p; l++)
                row[l] -= turn * e->reduced.stiffness[at->tangent[j] * p + l];
            row[at->tangent[j]] += turn * k;
        }
        for (size_t l = 0; l < p && presses; l++)
            row[l] -= mu * y[i] / length * e->reduced.stiffness[at->normal * p + l];
    }
}

static void contact_slopes(am_path_incremental *e, size_t c) {
    rows at = rows_of(e, c);
    size_t p = e->p;
    double y[2], length = augment(e, &at, y);
    if (at.normal != AM_NO_ROW && is_pressed(e, c, &at))
        e->slopes[at.normal * (p + 1)] = own_stiffness(e, at.normal);
    else if (at.normal != AM_NO_ROW)
        memcpy(e->slopes + at.normal * p, e->reduced.stiffness + at.normal * p, p * sizeof *e->slopes);
    if (length > limit_of(e, c, &at)) {
        slip_rows(e, c, &at, y, length);
        return;
    }
    for (size_t i = 0; i < at.tangents; i++)
        e->slopes[at.tangent[i] * (p + 1)] = tangential_stiffness(e, &at);
}

/* Factors of the derivative, its rows in one unit; false: it has none. */
static bool factor(am_path_incremental *e) {
    memset(e->slopes, 0, e->p * e->p * sizeof *e->slopes);
    for (size_t c = 0; c < e->m; c++)
        contact_slopes(e, c);
    for (size_t row = 0; row < e->p; row++) {
        double *slopes = e->slopes + row * e->p, scale = 1.0 / own_stiffness(e, row);
        for (size_t l = 0; l < e->p; l++)
            slopes[l] *= scale;
    }
    return am_lu_factor(e->slopes, e->p, e->order);
}

static double go(am_path_incremental *e, double part) {
    for (size_t row = 0; row < e->p; row++)
        e->moved[row] -= part * e->shift[row];
    return all_defects(e);
}

/* One contact after the other, each for where the others are: the normal first, then the tangents. */
static double sweep(am_path_incremental *e) {
    for (size_t c = 0; c < e->m * SWEEPS; c++) {
        rows at = rows_of(e, c % e->m);
        size_t n = at.normal, t = at.tangent[0], s = at.tangent[at.tangents - 1], p = e->p;
        const double *K = e->reduced.stiffness;
        if (n != AM_NO_ROW) {
            double pressed = force_at(e, n) - own_stiffness(e, n) * (e->gap[c % e->m] + e->moved[n]);
            e->moved[n] = pressed > 0.0 ? -e->gap[c % e->m] : e->moved[n] - force_at(e, n) / own_stiffness(e, n);
            e->force[n] = force_at(e, n);
        }
        double a = K[t * p + t], b = at.tangents > 1 ? K[t * p + s] : 0.0, d = at.tangents > 1 ? K[s * p + s] : a;
        double over = 1.0 / (a * d - b * b), W[4] = {over * d, -over * b, -over * b, over * a}, T[2] = {0.0, 0.0};
        double stuck[2] = {force_at(e, t) - a * e->moved[t], 0.0}, slip[2];
        if (at.tangents > 1) {
            stuck[0] -= b * e->moved[s];
            stuck[1] = force_at(e, s) - b * e->moved[t] - d * e->moved[s];
        }
        for (size_t i = 0; i < 2; i++)
            slip[i] = -W[2 * i] * stuck[0] - W[2 * i + 1] * stuck[1];
        am_disc_solve(W, slip, limit_of(e, c % e->m, &at), T);
        for (size_t i = 0; i < at.tangents; i++)
            e->moved[at.tangent[i]] = slip[i] + W[2 * i] * T[0] + W[2 * i + 1] * T[1];
    }
    return all_defects(e);
}

static bool solve_step(am_path_incremental *e) {
    memset(e->moved, 0, e->p * sizeof *e->moved);
    double size = all_defects(e);
    for (int i = 0; i < MOST_ITERATIONS && residual_of(e) > enough; i++) {
        double part = 1.0, before = size;
        memcpy(e->shift, e->defect, e->p * sizeof *e->shift);
        for (size_t row = 0; row < e->p; row++)
            e->shift[row] /= own_stiffness(e, row);
        if (!factor(e)) {
            size = sweep(e);
            continue;
        }
        am_lu_solve(e->slopes, e->p, e->order, 1, e->shift);
        size = go(e, part);
        for (int k = 0; k < MOST_HALVINGS && !(size < before); k++) {
            size = go(e, -0.5 * part);
            part *= 0.5;
        }
        if (size < before)
            continue;
        go(e, -part); /* no way down */
        size = sweep(e);
    }
    return residual_of(e) <= enough;
}

/* ---- one step ---- */

static am_contact_state state_of(const am_path_incremental *e, size_t c) {
    rows at = rows_of(e, c);
    double limit = limit_of(e, c, &at), T = e->force[at.tangent[0]];
    bool plane = at.tangents > 1;
    if (at.normal != AM_NO_ROW && !is_pressed(e, c, &at))
        return AM_OPEN;
    if (limit > 0.0 && (plane ? hypot(T, e->force[at.tangent[1]]) : fabs(T)) < limit * (1.0 - sticking))
        return AM_STICK;
    if (plane)
        return AM_FORWARD;
    return (limit > 0.0 ? T < 0.0 : e->moved[at.tangent[0]] >= 0.0) ? AM_FORWARD : AM_BACKWARD;
}

/* States and motions as other solutions of a step leave them. */
static void read_solution(am_path_incremental *e) {
    size_t count = 0;
    for (size_t c = 0; c < e->m; c++) {
        rows at = rows_of(e, c);
        e->trial[c] = state_of(e, c);
        e->across[c] = 0.0;
        if (e->trial[c] == AM_STICK)
            continue;
        e->x[count++] = e->moved[at.tangent[0]];
        if (at.tangents > 1)
            e->across[c] = e->moved[at.tangent[1]];
        if (e->trial[c] == AM_OPEN)
            e->x[count++] = e->moved[at.normal];
    }
}

am_status am_path_plane_solve(am_path_incremental *e, double t, am_error *err) {
    bool found = solve_step(e);
    double residual = residual_of(e);
    if (!found)
        return am_fail(
            err, AM_ERR_NO_STATE,
            "no forces of the contacts were found at t = %.10g that satisfy their laws: the best miss them by "
            "%.3g of the largest",
            t, residual);
    e->last.residual = fmax(e->last.residual, residual);
    read_solution(e);
    if (!factor(e) || am_lu_sign(e->slopes, e->p, e->order) >= 0)
        return AM_OK;
    return am_fail(
        err, AM_ERR_SEVERAL_STATES,
        "the load step to t = %.10g has at least three solutions: friction is beyond the limit of uniqueness, "
        "and the one found lies between two others",
        t);
}
