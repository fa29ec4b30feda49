/* What `march` knows of a structure before it moves. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/marching/impulses.h"
#include "engines/marching/marching.h"
#include "math/dense.h"
#include "math/pi.h"
#include "system/capability.h"
#include "system/column_names.h"
#include "system/generator.h"

/* A mass matrix whose reciprocal condition number is below this has directions without mass. */
static const double singular_mass = 1e-14;

void am_march_free(am_march *m) {
    if (!m)
        return;
    am_integrator_free(m->integrator);
    am_march_impulses_free(m->impulses);
    am_arena_clear(&m->memory);
    am_memory_free(m);
}

/* ---- memory ---- */

/* How many entries y has follows from the contacts. */
static am_status reserve_contacts(am_march *m, am_error *err) {
    am_arena *memory = &m->memory;
    m->kind = am_arena_new(memory, m->m, sizeof *m->kind, err);
    AM_ARENA_ARRAYS(memory, size_t, m->m, err, &m->inner, &m->inners);
    AM_ARENA_ARRAYS(memory, bool, m->m, err, &m->forward_only, &m->constant, &m->leaps);
    AM_ARENA_DOUBLES(memory, m->m, err, &m->corner, &m->corner_below);
    AM_TRY(am_arena_status(memory));
    am_march_plan_friction(m);
    return AM_OK;
}

static am_status reserve(am_march *m, am_error *err) {
    size_t n = m->n, c = m->m, nz = m->system->nz;
    am_arena *memory = &m->memory;
    AM_ARENA_DOUBLES(memory, n * n, err, &m->M, &m->C, &m->K, &m->Aq, &m->Av);
    m->light = am_arena_new(memory, n, sizeof *m->light, err);
    AM_ARENA_DOUBLES(memory, n, err, &m->settling, &m->reach);
    m->unit = am_arena_doubles(memory, NULL, c, err);
    m->Bz = am_arena_doubles(memory, NULL, n * nz, err);
    AM_ARENA_DOUBLES(memory, c * n, err, &m->Bn, &m->Bt);
    AM_ARENA_DOUBLES(memory, c * c, err, &m->W, &m->factor);
    AM_ARENA_DOUBLES(memory, m->size, err, &m->y, &m->span_y, &m->scale, &m->rate, &m->inner_rate);
    m->hold_rate = am_arena_doubles(memory, NULL, c * nz, err);
    AM_ARENA_ARRAYS(memory, am_contact_state, c, err, &m->state, &m->span_state, &m->trial);
    AM_ARENA_ARRAYS(memory, bool, c, err, &m->overlap, &m->rest);
    m->armed = am_arena_new(memory, c * AM_MARCH_SLOTS, sizeof *m->armed, err);
    m->hit = am_arena_new(memory, c * AM_MARCH_SLOTS, sizeof *m->hit, err);
    m->stick = am_arena_new(memory, c, sizeof *m->stick, err);
    AM_ARENA_ARRAYS(memory, int, c, err, &m->pivot, &m->wish);
    m->change = am_arena_new(memory, c, sizeof *m->change, err);
    AM_ARENA_DOUBLES(memory, n, err, &m->before, &m->row, &m->acceleration);
    AM_ARENA_DOUBLES(memory, c, err, &m->force, &m->normal, &m->tangential, &m->drive);
    if (am_columns_have_second(m->system))
        m->second = am_arena_doubles(memory, NULL, c, err);
    if (m->second)
        m->Bs = am_arena_doubles(memory, NULL, c * n, err);
    m->z = am_arena_doubles(memory, NULL, nz, err);
    m->nodes = am_arena_doubles(memory, NULL, m->size * AM_MARCH_NODES, err);
    m->value = am_arena_doubles(memory, NULL, c * AM_MARCH_SLOTS * AM_MARCH_NODES, err);
    m->square = am_arena_doubles(memory, NULL, (n + c) * (n + c), err);
    m->order = am_arena_new(memory, n + c, sizeof *m->order, err);
    m->side = am_arena_doubles(memory, NULL, n + c, err);
    if (m->system->circulatory)
        m->A = am_arena_doubles(memory, NULL, n * n, err);
    bool impulses = m->method == AM_MARCH_MOREAU_JEAN;
    if (m->system->polynomials > 0 || m->system->varyings > 0 || (impulses && am_march_has_smooth(m))) {
        AM_ARENA_DOUBLES(memory, n * n, err, &m->inverse, &m->gq, &m->gv);
        m->g = am_arena_doubles(memory, NULL, n, err);
    }
    return am_arena_status(memory);
}

/* ---- the structure ---- */

static void make_rates(am_march *m, const double *inverse) {
    size_t n = m->n, nz = m->system->nz;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double q = 0.0, v = 0.0;
            for (size_t k = 0; k < n; k++) {
                q -= inverse[i * n + k] * (m->K[k * n + j] + (m->A ? m->A[k * n + j] : 0.0));
                v -= inverse[i * n + k] * m->C[k * n + j];
            }
            m->Aq[i * n + j] = q;
            m->Av[i * n + j] = v;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < nz; j++)
            for (size_t k = 0; k < n; k++)
                m->Bz[i * nz + j] += inverse[i * n + k] * m->system->input[k * nz + j];
    for (size_t c = 0; c < m->m; c++) {
        am_dense_apply(inverse, n, n, m->system->contact[c].normal, m->Bn + c * n);
        am_dense_apply(inverse, n, n, m->system->contact[c].tangent, m->Bt + c * n);
        if (am_march_has_plane(m, c))
            am_dense_apply(inverse, n, n, m->system->contact[c].second_tangent, m->Bs + c * n);
    }
    for (size_t a = 0; a < m->m; a++)
        for (size_t b = 0; b < m->m; b++)
            m->W[a * m->m + b] = am_dense_dot(m->system->contact[a].tangent, m->Bt + b * n, n);
    for (size_t c = 0; c < m->m; c++)
        for (size_t e = 0; e < m->system->entries; e++) {
            const am_generator_entry *entry = &m->system->G[e];
            m->hold_rate[c * nz + entry->column] += m->system->hold[c * nz + entry->row] * entry->value;
        }
}

static am_status take_structure(am_march *m, am_error *err) {
    size_t n = m->n;
    double rcond = 0.0;
    am_matrix_to_dense(m->system->M, m->M);
    am_matrix_to_dense(m->system->C, m->C);
    am_matrix_to_dense(m->system->K, m->K);
    if (m->A)
        am_matrix_to_dense(m->system->circulatory, m->A);
    AM_TRY(am_march_take_massless(m, err));
    AM_LOCAL_MEMORY double *inverse = am_memory_doubles(m->M, n * n, err);
    if (!inverse)
        return AM_ERR_MEMORY;
    double usual = fmax(am_dense_largest(m->M, n * n), DBL_MIN);
    for (size_t i = 0; i < n; i++) /* apart from all others, and in any unit */
        inverse[i * (n + 1)] += m->light[i] ? usual : 0.0;
    am_status status = am_dense_invert(inverse, n, &rcond, err);
    if (!status && !(rcond > singular_mass))
        status = am_fail_field(err, AM_ERR_UNSUPPORTED, "mass",
                               "the mass matrix is singular although every coordinate has mass: march needs mass in "
                               "every direction (or none of a coordinate)");
    if (!status && m->method == AM_MARCH_ADAPTIVE && m->lights > 0)
        am_march_give_inertia(m);
    for (size_t i = 0; i < n; i++)
        if (m->light[i])
            inverse[i * (n + 1)] = m->M[i * (n + 1)] > 0.0 ? 1.0 / m->M[i * (n + 1)] : 0.0;
    if (!status)
        make_rates(m, inverse);
    if (!status && m->inverse)
        memcpy(m->inverse, inverse, n * n * sizeof *inverse);
    return status;
}

/* Chebyshev points of [0, 1] and the matrix from values there to Bernstein coefficients. */
static am_status make_nodes(am_march *m, am_error *err) {
    size_t k = AM_MARCH_NODES;
    double rcond;
    for (size_t i = 0; i < k; i++) {
        double s = 0.5 - 0.5 * cos(pi * (double)i / (double)(k - 1)), binomial = 1.0;
        m->node_at[i] = s;
        for (size_t j = 0; j < k; j++) {
            m->to_bernstein[i * k + j] = binomial * pow(s, (double)j) * pow(1.0 - s, (double)(k - 1 - j));
            binomial *= (double)(k - 1 - j) / (double)(j + 1);
        }
    }
    return am_dense_invert(m->to_bernstein, k, &rcond, err);
}

am_status am_march_check_system(const am_system *system, am_march_method method, am_error *err) {
    AM_TRY(am_system_check(system, method == AM_MARCH_MOREAU_JEAN ? "march with method: moreau-jean" : "march", err));
    for (size_t c = 0; c < system->m; c++)
        if (method == AM_MARCH_NEWMARK && system->contact[c].second_tangent)
            return am_fail_field(err, AM_ERR_UNSUPPORTED, "method",
                                 "the contact '%s' slips in a plane (two tangents), and method: newmark has friction "
                                 "along one direction; the adaptive method knows it",
                                 system->contact[c].name);
    return AM_OK;
}

static am_status fill(am_march *m, am_error *err) {
    bool impulses = m->method == AM_MARCH_MOREAU_JEAN;
    AM_TRY(am_march_check_system(m->system, m->method, err));
    for (size_t c = 0; c < m->m; c++) {
        const am_contact_def *contact = &m->system->contact[c];
        if (am_contact_is_compliant(contact) && !(contact->contact_stiffness > 0.0))
            return am_fail(err, AM_ERR_INPUT, "contact '%s' has no stiffness: it could not push", contact->name);
    }
    AM_TRY(reserve_contacts(m, err));
    AM_TRY(reserve(m, err));
    AM_TRY(take_structure(m, err));
    AM_TRY(make_nodes(m, err));
    return impulses ? am_march_impulses_create(m, err) : AM_OK;
}

am_march *am_march_create(const am_system *system, const am_march_options *options, am_error *err) {
    am_march *m = am_memory_new(1, sizeof *m, err);
    if (!m)
        return NULL;
    m->system = system;
    m->n = system->n;
    m->m = system->m;
    m->method = options->method;
    m->tolerance = options->tolerance;
    m->step = options->step;
    m->duration = options->until - options->from;
    if (fill(m, err)) {
        am_march_free(m);
        return NULL;
    }
    return m;
}
