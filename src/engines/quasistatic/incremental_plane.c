/* Load steps of structures with contacts that slip in a plane. The contacts' forces f and what they move, from where
 * everything stood (but for what surfaces carry along), are
 *
 *     u = W (f - base),     W = stiffness^-1,
 *
 * with `base` the forces if nothing moved. So a step is the problem of math/cone.h: gaps and slips u, friction opposite to
 * the slip of the step (backward Euler), |T| <= mu N at its end. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/quasistatic/incremental_internal.h"
#include "math/dense.h"
#include "system/combination.h"
#include "system/system.h"

enum { MOST_SWEEPS = 500 };

/* A contact whose friction is this much below its limit sticks. */
static const double sticking = 1e-10;

/* ---- creation ---- */

static am_status check(const am_path_incremental *e, am_error *err) {
    if (e->weakens || e->drops)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "some contacts of this structure slip in a plane (two tangents) and friction of others falls: "
                       "load steps know either; `motion` knows both");
    if (e->reduced.floating)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the stiffness is singular: only its contacts hold the structure, and some of them slip in a "
                       "plane (two tangents). A support or a soft spring on the body that floats would hold it");
    return AM_OK;
}

/* The row of the reduced stiffness that row k of a contact in the cone is; AM_NO_ROW: a given normal force. */
static size_t row_of(const am_path_incremental *e, size_t c, size_t k) {
    return k == 0 ? e->reduced.normal_row[c] : k == 1 ? c : e->reduced.second_row[c];
}

/* W in the order of the cone. */
static am_status fill_compliance(am_path_incremental *e, am_error *err) {
    am_cone *cone = &e->cone;
    double rcond = 0.0, *inverse = am_memory_doubles(e->reduced.stiffness, e->p * e->p, err);
    if (!inverse)
        return AM_ERR_MEMORY;
    am_status status = am_dense_invert(inverse, e->p, &rcond, err);
    if (!status && !(rcond > 0.0))
        status = am_fail(err, AM_ERR_EVIDENCE, "the stiffness of the contacts could not be inverted");
    for (size_t c = 0; c < e->m && !status; c++)
        for (size_t k = 0; k < cone->first[c + 1] - cone->first[c]; k++)
            e->cone_row[cone->first[c] + k] = row_of(e, c, k);
    for (size_t i = 0; i < cone->rows && !status; i++)
        for (size_t j = 0; j < cone->rows; j++)
            if (e->cone_row[i] != AM_NO_ROW && e->cone_row[j] != AM_NO_ROW)
                cone->W[i * cone->rows + j] = inverse[e->cone_row[i] * e->p + e->cone_row[j]];
    am_memory_free(inverse);
    return status;
}

am_status am_path_plane_init(am_path_incremental *e, am_error *err) {
    AM_TRY(check(e, err));
    unsigned char *tangents = am_arena_new(&e->memory, e->m, sizeof *tangents, err);
    e->cone_row = am_arena_new(&e->memory, 3 * e->m, sizeof *e->cone_row, err);
    AM_ARENA_DOUBLES(&e->memory, e->m, err, &e->place_across, &e->second, &e->across);
    AM_TRY(am_arena_status(&e->memory));
    for (size_t c = 0; c < e->m; c++)
        tangents[c] = e->reduced.second_row[c] != AM_NO_ROW ? 2 : 1;
    AM_TRY(am_cone_init(&e->cone, &e->memory, e->m, tangents, err));
    for (size_t c = 0; c < e->m; c++) {
        e->cone.given[c] = e->reduced.normal_row[c] == AM_NO_ROW;
        e->cone.mu[c] = e->system->contact[c].friction;
    }
    return fill_compliance(e, err);
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
        double mu = e->cone.mu[c] * sqrt(e->reduced.stiffness[row * (p + 1)] / tangential);
        norm += mu * mu * am_dense_dot(K + row * p, K + row * p, p);
    }
    for (size_t i = 0; i < p; i++)
        K[i * (p + 1)] -= sqrt(norm);
    am_status status = am_dense_definite(K, p, &failing, err);
    *tame = failing == p;
    am_memory_free(K);
    return status;
}

/* ---- one step ---- */

static void set_free(am_path_incremental *e) {
    am_cone *cone = &e->cone;
    for (size_t c = 0; c < e->m; c++) {
        cone->hold[c] = e->held[c];
        for (size_t i = cone->first[c]; i < cone->first[c + 1]; i++) {
            double sum = i == cone->first[c] ? e->gap[c] : 0.0;
            for (size_t j = 0; j < cone->rows; j++)
                if (e->cone_row[j] != AM_NO_ROW)
                    sum -= cone->W[i * cone->rows + j] * e->base[e->cone_row[j]];
            cone->free[i] = sum;
        }
    }
}

static am_contact_state state_of(const am_path_incremental *e, size_t c) {
    const am_cone *cone = &e->cone;
    size_t k = cone->first[c];
    const double *P = cone->P + k;
    bool plane = e->reduced.second_row[c] != AM_NO_ROW;
    double limit = cone->mu[c] * P[0];
    if (!cone->given[c] && !(P[0] > 0.0))
        return AM_OPEN;
    if (limit > 0.0 && (plane ? hypot(P[1], P[2]) : fabs(P[1])) < limit * (1.0 - sticking))
        return AM_STICK;
    if (plane)
        return AM_FORWARD;
    return (limit > 0.0 ? P[1] < 0.0 : am_cone_rate(cone, k + 1) >= 0.0) ? AM_FORWARD : AM_BACKWARD;
}

/* States, motions and forces as other solutions of a step leave them. */
static void read_solution(am_path_incremental *e) {
    const am_cone *cone = &e->cone;
    size_t count = 0;
    for (size_t i = 0; i < cone->rows; i++)
        if (e->cone_row[i] != AM_NO_ROW)
            e->force[e->cone_row[i]] = cone->P[i];
    for (size_t c = 0; c < e->m; c++) {
        size_t k = cone->first[c];
        e->trial[c] = state_of(e, c);
        e->across[c] = 0.0;
        if (e->trial[c] == AM_STICK)
            continue;
        e->x[count++] = am_cone_rate(cone, k + 1);
        if (e->reduced.second_row[c] != AM_NO_ROW)
            e->across[c] = am_cone_rate(cone, k + 2);
        if (e->trial[c] == AM_OPEN)
            e->x[count++] = am_cone_rate(cone, k) - e->gap[c];
    }
}

am_status am_path_plane_solve(am_path_incremental *e, double t, am_error *err) {
    bool found = true;
    int sign = 1;
    set_free(e);
    if (!am_cone_sweep(&e->cone, MOST_SWEEPS))
        AM_TRY(am_cone_newton(&e->cone, &e->memory, &found, err));
    double residual = am_cone_residual(&e->cone);
    if (!found)
        return am_fail(
            err, AM_ERR_NO_STATE,
            "no forces of the contacts were found at t = %.10g that satisfy their laws: the best miss them by "
            "%.3g of the largest",
            t, residual);
    e->last.residual = fmax(e->last.residual, residual);
    read_solution(e);
    AM_TRY(am_cone_sign(&e->cone, &e->memory, &sign, err));
    if (sign >= 0)
        return AM_OK;
    return am_fail(
        err, AM_ERR_SEVERAL_STATES,
        "the load step to t = %.10g has at least three solutions: friction is beyond the limit of uniqueness, "
        "and the one found lies between two others",
        t);
}
