#include "analyses/squeal/projected.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/local.h"
#include "base/worse.h"
#include "math/arnoldi.h"
#include "math/dense.h"
#include "system/system.h"

/* Modes closer together than this (relative, in the square of the frequency) are not separated by the cut. */
static const double together = 1e-5;

/* More modes than wanted are computed, to place the cut. */
enum { SPARE = 6, BLOCK = 32, MOST_TRIES = 3 };

typedef struct search {
    am_squeal_full *full;
    double *v; /* size */
} search;

/* ---- the problem for Lanczos ---- */

static am_status solve(void *context, const double *x, double *y, am_error *err) {
    search *s = context;
    memcpy(s->v, x, s->full->n * sizeof *x);
    memset(s->v + s->full->n, 0, s->full->m * sizeof *x);
    AM_TRY(am_squeal_full_solve_symmetric(s->full, s->v, 1, err));
    memcpy(y, s->v, s->full->n * sizeof *y);
    return AM_OK;
}

static void mass(void *context, const double *x, double *y) {
    am_matrix_apply(((search *)context)->full->system->M, x, y);
}

/* Mean of the diagonals: the size of the largest squared frequencies. */
static double frequency_scale(const am_system *system) {
    double stiff = 0.0, heavy = 0.0;
    for (size_t i = 0; i < system->n; i++) {
        stiff += am_matrix_at(system->K, i, i);
        heavy += am_matrix_at(system->M, i, i);
    }
    return heavy > 0.0 ? stiff / heavy : 0.0;
}

/* Without a shift where the structure is held; below zero where it can move as a rigid body. */
static am_status choose_shift(search *s, double *x, am_error *err) {
    const am_system *system = s->full->system;
    double scale = frequency_scale(system);
    bool singular = false;
    if (!(scale > 0.0))
        return am_fail(err, AM_ERR_UNSUPPORTED, "the structure has no mass, or no stiffness: it has no modes");
    AM_TRY(am_squeal_full_factor_symmetric(s->full, 0.0, &singular, err));
    if (!singular) {
        for (size_t i = 0; i < system->n; i++)
            x[i] = sin(1.0 + 1.7 * (double)i);
        mass(s, x, x + system->n);
        double before = am_dense_dot(x, x + system->n, system->n);
        AM_TRY(solve(s, x + system->n, x, err));
        mass(s, x, x + system->n);
        double after = am_dense_dot(x, x + system->n, system->n);
        singular = !(sqrt(after / before) * scale < 1e13); /* what rounding leaves of a frequency of zero */
    }
    if (singular)
        AM_TRY(am_squeal_full_factor_symmetric(s->full, -1e-9 * scale, &singular, err));
    if (singular)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "stiffness and mass have a common direction in which nothing resists, or the rows of the "
                       "rigid contacts depend on each other");
    return AM_OK;
}

/* ---- modes, their contact forces, and what they leave ---- */

/* One more step of inverse iteration gives the contact forces, and polishes the vector. */
static am_status finish_mode(am_squeal_projected *q, search *s, size_t i, double *work, am_error *err) {
    am_squeal_full *f = s->full;
    double *x = q->modes + i * q->n, above = q->omega2[i] - f->shift;
    mass(s, x, work);
    for (size_t k = 0; k < q->n; k++)
        s->v[k] = above * work[k];
    memset(s->v + q->n, 0, q->m * sizeof *s->v);
    AM_TRY(am_squeal_full_solve_symmetric(f, s->v, 1, err));
    mass(s, s->v, work);
    double size = sqrt(am_dense_dot(s->v, work, q->n));
    for (size_t k = 0; k < q->n; k++)
        x[k] = s->v[k] / size;
    for (size_t r = 0; r < q->m; r++)
        q->force[i * q->m + r] = s->v[q->n + r] / size;
    return AM_OK;
}

/* |K x - N lambda - omega^2 M x| / |K x - N lambda or its parts|, the larger. */
static double mode_residual(const am_squeal_projected *q, const search *s, size_t i, double *work) {
    const am_squeal_full *f = s->full;
    const double *x = q->modes + i * q->n, *lambda = q->force + i * q->m;
    double *elastic = work, *inertia = work + q->n;
    am_matrix_apply(f->system->K, x, elastic);
    am_matrix_apply(f->system->M, x, inertia);
    double size = sqrt(am_dense_dot(elastic, elastic, q->n));
    for (size_t r = 0; r < q->m; r++)
        for (size_t e = f->normal.start[r]; e < f->normal.start[r + 1]; e++)
            elastic[f->normal.index[e]] -= f->normal.value[e] * lambda[r];
    for (size_t k = 0; k < q->n; k++)
        elastic[k] -= q->omega2[i] * inertia[k];
    return size > 0.0 ? sqrt(am_dense_dot(elastic, elastic, q->n)) / size : 0.0;
}

static void measure(am_squeal_projected *q, search *s, double *work) {
    for (size_t i = 0; i < q->p; i++) {
        if (q->omega2[i] > 1e-6 * q->omega2[q->p - 1]) /* rigid-body modes have no elastic forces to compare with */
            q->mode_residual = am_worse(q->mode_residual, mode_residual(q, s, i, work));
        mass(s, q->modes + i * q->n, work);
        for (size_t j = 0; j <= i; j++)
            q->orthogonality =
                fmax(q->orthogonality, fabs(am_dense_dot(q->modes + j * q->n, work, q->n) - (i == j ? 1.0 : 0.0)));
    }
}

static void project_contacts(am_squeal_projected *q, const am_squeal_full *f) {
    for (size_t i = 0; i < q->p; i++)
        for (size_t r = 0; r < q->rubs; r++)
            q->across[i * q->rubs + r] = am_squeal_list_dot(&f->tangent, r, q->modes + i * q->n);
    for (size_t i = 0; i < q->p && q->force_rate; i++)
        for (size_t r = 0; r < q->m; r++)
            q->force_rate[i * q->m + r] = -f->damping[r] * am_squeal_list_dot(&f->normal, r, q->modes + i * q->n);
}

static void project_matrices(am_squeal_projected *q, const am_squeal_full *f, double *work) {
    size_t p = q->p;
    for (size_t j = 0; j < p; j++) {
        am_matrix_apply(f->system->C, q->modes + j * q->n, work);
        for (size_t i = 0; i < p; i++) {
            double sum = am_dense_dot(q->modes + i * q->n, work, q->n);
            for (size_t r = 0; r < q->m && q->force_rate; r++) /* dissipation of the contacts */
                if (f->damping[r] > 0.0)
                    sum += q->force_rate[i * q->m + r] * q->force_rate[j * q->m + r] / f->damping[r];
            q->damping[i * p + j] = sum;
        }
        if (!f->system->circulatory)
            continue;
        am_matrix_apply(f->system->circulatory, q->modes + j * q->n, work);
        for (size_t i = 0; i < p; i++)
            q->circulatory[i * p + j] = am_dense_dot(q->modes + i * q->n, work, q->n);
    }
}

/* Less what the modes show of it. */
static double rest_of(const am_squeal_projected *q, const am_squeal_full *f, double whole, const double *seen,
                      size_t stride, size_t by) {
    for (size_t i = 0; i < q->p; i++)
        whole -= seen[i * stride] * q->across[i * q->rubs + by] / (q->omega2[i] - f->shift);
    return whole;
}

/* R: contact forces that unit friction of each rub causes at rest (at the shift); S, where laws ask for it: how far it
 * pushes each rub. */
static am_status residual_forces(am_squeal_projected *q, am_squeal_full *f, const am_progress *progress,
                                 am_error *err) {
    size_t m = q->m, rubs = q->rubs;
    AM_LOCAL_MEMORY double *block = am_memory_new((f->n + m) * BLOCK, sizeof *block, err);
    if (!block)
        return AM_ERR_MEMORY;
    for (size_t first = 0; first < rubs; first += BLOCK) {
        size_t count = rubs - first < BLOCK ? rubs - first : BLOCK;
        memset(block, 0, count * (f->n + m) * sizeof *block);
        for (size_t c = 0; c < count; c++)
            for (size_t e = f->tangent.start[first + c]; e < f->tangent.start[first + c + 1]; e++)
                block[c * (f->n + m) + f->tangent.index[e]] += f->tangent.value[e];
        AM_TRY(am_squeal_full_solve_symmetric(f, block, count, err));
        for (size_t c = 0; c < count; c++) {
            const double *x = block + c * (f->n + m);
            for (size_t r = 0; r < m; r++)
                q->residual_force[r * rubs + first + c] = rest_of(q, f, x[q->n + r], q->force + r, m, first + c);
            for (size_t r = 0; r < rubs && f->laws; r++)
                q->residual_slip[r * rubs + first + c] =
                    rest_of(q, f, am_squeal_list_dot(&f->tangent, r, x), q->across + r, rubs, first + c);
        }
        if (!am_progress_report(progress, 0.4 + 0.1 * (double)first / (double)rubs))
            return am_fail(err, AM_ERR_INTERRUPTED, "interrupted");
    }
    return AM_OK;
}

/* Where to cut: the first gap between frequencies at or after the wanted number. */
static size_t cut(const double *omega2, size_t wanted, size_t count) {
    for (size_t p = wanted; p < count; p++)
        if (omega2[p] - omega2[p - 1] > together * fabs(omega2[p]))
            return p;
    return 0;
}

static am_status allocate(am_squeal_projected *q, size_t count, bool rate, bool laws, am_error *err) {
    q->omega2 = am_arena_new(&q->mode_memory, count, sizeof(double), err);
    q->modes = am_arena_new(&q->mode_memory, count * q->n, sizeof(double), err);
    q->across = am_arena_doubles(&q->mode_memory, NULL, count * q->rubs, err);
    q->force = am_arena_doubles(&q->mode_memory, NULL, count * q->m, err);
    q->force_rate = rate ? am_arena_new(&q->mode_memory, count * q->m, sizeof(double), err) : NULL;
    q->residual_force = am_arena_doubles(&q->mode_memory, NULL, q->m * q->rubs, err);
    q->residual_slip = laws ? am_arena_doubles(&q->mode_memory, NULL, q->rubs * q->rubs, err) : NULL;
    AM_ARENA_DOUBLES(&q->mode_memory, count * count, err, &q->damping, &q->circulatory);
    return am_arena_status(&q->mode_memory);
}

/* Everything that needs the factors at the shift. */
static am_status build(am_squeal_projected *q, search *s, size_t wanted, size_t spare, double *work,
                       const am_progress *progress, am_error *err) {
    am_squeal_full *f = s->full;
    size_t most = q->n - f->rigid - 1, count = wanted + spare < most ? wanted + spare : most;
    bool rate = false;
    for (size_t r = 0; r < q->m; r++)
        rate = rate || f->damping[r] > 0.0;
    AM_TRY(allocate(q, count, rate, f->laws, err));
    am_arnoldi_problem problem = {q->n, f->shift, solve, mass, s};
    AM_TRY(am_arnoldi_lowest(&problem, count, q->omega2, q->modes, progress, err));
    q->p = count > wanted ? cut(q->omega2, wanted, count) : 0;
    if (q->p == 0) /* too few degrees of freedom to cut, or one frequency to the end: keep all but the last */
        q->p = count > 1 ? count - 1 : count;
    q->next2 = q->p < count ? q->omega2[q->p] : INFINITY;
    for (size_t i = 0; i < q->p; i++)
        AM_TRY(finish_mode(q, s, i, work, err));
    measure(q, s, work);
    project_contacts(q, f);
    project_matrices(q, f, work);
    return residual_forces(q, f, progress, err);
}

/* How many modes lie below the cut. */
static am_status count_below(const am_squeal_projected *q, am_squeal_full *f, size_t *below, am_error *err) {
    bool singular = false;
    double middle = 0.5 * (q->omega2[q->p - 1] + q->next2);
    AM_TRY(am_squeal_full_factor_symmetric(f, middle, &singular, err));
    if (singular)
        AM_TRY(am_squeal_full_factor_symmetric(f, 0.9 * middle + 0.1 * q->next2, &singular, err));
    size_t negative = am_sparse_negative(f->symmetric);
    *below = negative >= f->m ? negative - f->m : 0; /* every row of a contact has a negative pivot of its own */
    return AM_OK;
}

am_status am_squeal_modes_find(am_squeal_projected *q, am_squeal_full *full, size_t modes, const am_progress *progress,
                               am_error *err) {
    search s = {.full = full};
    if (full->n < full->rigid + 3)
        return am_fail_field(
            err, AM_ERR_UNSUPPORTED, "contacts",
            "%zu degrees of freedom with %zu rigid contact rows leave fewer than three directions to move in: use "
            "the analysis stability",
            full->n, full->rigid);
    am_arena memory = {0};
    double *work = am_arena_new(&memory, 2 * full->n, sizeof *work, err);
    s.v = am_arena_doubles(&memory, NULL, full->n + full->m, err);
    am_status status = am_arena_status(&memory);
    if (!status)
        status = choose_shift(&s, work, err);
    double shift = full->shift;
    size_t below = SIZE_MAX, spare = SPARE;
    for (int attempt = 0; attempt < MOST_TRIES && !status; attempt++) {
        status = build(q, &s, modes, spare, work, progress, err);
        if (!status)
            status = isinf(q->next2) ? AM_OK : count_below(q, full, &below, err);
        if (status || isinf(q->next2) || below == q->p)
            break;
        if (attempt + 1 == MOST_TRIES) {
            status = am_fail(err, AM_ERR_EVIDENCE, "%zu modes were found where the structure has %zu", q->p, below);
            break;
        }
        spare += 20; /* Lanczos missed one of several modes with one frequency: look further */
        bool singular;
        am_arena_clear(&q->mode_memory);
        q->mode_residual = q->orthogonality = 0.0;
        status = am_squeal_full_factor_symmetric(full, shift, &singular, err);
    }
    q->shift = shift;
    am_arena_clear(&memory);
    return status;
}
