#include "system/reduced.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "math/algebra.h"
#include "math/dense.h"
#include "system/combination.h"
#include "system/sliders.h"
#include "system/system.h"

/* Below this reciprocal condition number (unit diagonal) a symmetric matrix counts as singular. */
static const double singular = 1e-13;

/* Up to this many rows a stiffness taken over as it is gets checked. */
enum { CHECK_LIMIT = 1200 };

/* ---- rows ---- */

/* R: tangents, then normals. A slider behind a spring is a coordinate of its own. */
static void fill_rows(am_reduced *r, const am_system *system) {
    size_t slider = r->n;
    for (size_t c = 0; c < r->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        const double *const tangents[] = {contact->tangent, contact->second_tangent};
        const size_t rows[] = {c, r->second_row[c]};
        for (size_t k = 0; k < 2 && tangents[k]; k++) {
            double *tangent = r->rows + rows[k] * r->size;
            if (contact->tangential_stiffness > 0.0)
                tangent[slider++] = 1.0;
            else
                memcpy(tangent, tangents[k], r->n * sizeof *tangent);
        }
        if (!r->held[c])
            memcpy(r->rows + r->normal_row[c] * r->size, contact->normal, r->n * sizeof *r->rows);
    }
}

static void number_rows(am_reduced *r, const am_system *system) {
    r->p = r->m;
    for (size_t c = 0; c < r->m; c++) {
        r->mu[c] = system->contact[c].friction;
        r->held[c] = system->contact[c].normal_law == AM_HELD;
        r->normal_row[c] = r->held[c] ? AM_NO_ROW : r->p++;
    }
    for (size_t c = 0; c < r->m; c++)
        r->second_row[c] = system->contact[c].second_tangent ? r->p++ : AM_NO_ROW;
}

/* Are the rows the coordinates themselves, each once and none left over? */
static bool is_direct(am_reduced *r, bool *taken) {
    if (r->p != r->size)
        return false;
    for (size_t i = 0; i < r->p; i++) {
        const double *row = r->rows + i * r->size;
        size_t entries = 0;
        for (size_t j = 0; j < r->size; j++)
            if (row[j] != 0.0) {
                entries++;
                r->coordinate[i] = j;
                r->sense[i] = row[j];
            }
        if (entries != 1 || fabs(r->sense[i]) != 1.0 || taken[r->coordinate[i]])
            return false;
        taken[r->coordinate[i]] = true;
    }
    return true;
}

/* ---- Cholesky factors of small symmetric matrices ----
 *
 * A = L L^T by loops of our own: the same bits whatever kernel the BLAS has. Column-major, lower triangle, as LAPACK has
 * it: L_ij at a[j n + i]; the rest is not touched. */

/* False where the matrix is not positive definite. */
static bool factor_small(double *a, size_t n) {
    for (size_t j = 0; j < n; j++) {
        double *column = a + j * n;
        for (size_t k = 0; k < j; k++) {
            const double *before = a + k * n;
            for (size_t i = j; i < n; i++)
                column[i] -= before[j] * before[i];
        }
        if (!(column[j] > 0.0))
            return false;
        double root = sqrt(column[j]);
        for (size_t i = j; i < n; i++)
            column[i] /= root;
    }
    return true;
}

static void solve_one(const double *a, size_t n, double *x) {
    for (size_t j = 0; j < n; j++) {
        x[j] /= a[j * n + j];
        for (size_t i = j + 1; i < n; i++)
            x[i] -= a[j * n + i] * x[j];
    }
    for (size_t j = n; j-- > 0;) {
        for (size_t i = j + 1; i < n; i++)
            x[j] -= a[j * n + i] * x[i];
        x[j] /= a[j * n + j];
    }
}

/* `count` right-hand sides become solutions. */
static void solve_small(const double *a, size_t n, size_t count, double *x) {
    for (size_t c = 0; c < count; c++)
        solve_one(a, n, x + c * n);
}

/* 1/(|A| |A^-1|) in the 1-norm, with |A| given; work: n. */
static double rcond_small(const double *a, size_t n, double norm, double *work) {
    double largest = 0.0;
    for (size_t j = 0; j < n; j++) {
        double sum = 0.0;
        memset(work, 0, n * sizeof *work);
        work[j] = 1.0;
        solve_one(a, n, work);
        for (size_t i = 0; i < n; i++)
            sum += fabs(work[i]);
        largest = sum > largest ? sum : largest;
    }
    return largest > 0.0 && norm > 0.0 ? 1.0 / (largest * norm) : 0.0;
}

/* ---- condensation ---- */

/* Cholesky factor of a symmetric matrix in place; *regular tells whether it is positive definite beyond rounding,
 * judged with unit diagonal so that units play no part. */
static am_status factorise(double *a, size_t n, bool *regular, am_error *err) {
    *regular = n == 0;
    double *scale = am_memory_new(n, sizeof *scale, err);
    if (!scale)
        return AM_ERR_MEMORY;
    bool positive = true;
    for (size_t i = 0; i < n; i++) {
        positive = positive && a[i * n + i] > 0.0 && isfinite(a[i * n + i]);
        scale[i] = positive ? sqrt(a[i * n + i]) : 1.0;
    }
    lapack_int size = (lapack_int)n, info = 0;
    if (positive && n > 0) {
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                a[i * n + j] /= scale[i] * scale[j];
        double rcond = 0.0, norm = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', size, a, size);
        if (n <= AM_ALGEBRA_OWN) {
            double work[AM_ALGEBRA_OWN];
            rcond = factor_small(a, n) ? rcond_small(a, n, norm, work) : 0.0;
        } else {
            info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', size, a, size);
            if (info == 0)
                info = LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', size, a, size, norm, &rcond);
        }
        *regular = info == 0 && rcond > singular;
        for (size_t j = 0; j < n && *regular; j++)
            for (size_t i = j; i < n; i++)
                a[j * n + i] *= scale[i];
    }
    am_memory_free(scale);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while factorising a matrix of order %zu", n);
    return AM_OK;
}

static am_status refuse_loose(am_error *err) {
    return am_fail(err, AM_ERR_UNSUPPORTED,
                   "the stiffness is singular: without its contacts the structure moves freely, so it has no stiffness "
                   "to reduce to them. A support or a soft spring on the body that floats would hold it; `path` with "
                   "`steps` follows structures that their contacts alone hold");
}

/* columns: `count` right-hand sides of length n, one after the other. */
static am_status solve(const double *factor, size_t n, double *columns, size_t count, am_error *err) {
    if (n == 0 || count == 0)
        return AM_OK;
    if (n <= AM_ALGEBRA_OWN) {
        solve_small(factor, n, count, columns);
        return AM_OK;
    }
    lapack_int info = LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (lapack_int)n, (lapack_int)count, factor, (lapack_int)n,
                                     columns, (lapack_int)n);
    return info == 0 ? AM_OK : am_fail(err, AM_ERR_EVIDENCE, "the stiffness could not be solved with");
}

static am_status invert_small(double *a, size_t n, am_error *err) {
    AM_LOCAL_MEMORY double *inverse = am_memory_new(n * n, sizeof *inverse, err);
    if (!inverse)
        return AM_ERR_MEMORY;
    for (size_t j = 0; j < n; j++)
        inverse[j * n + j] = 1.0;
    solve_small(a, n, n, inverse);
    for (size_t j = 0; j < n; j++) /* symmetric to the last bit */
        for (size_t i = j; i < n; i++)
            a[i * n + j] = a[j * n + i] = inverse[j * n + i];
    return AM_OK;
}

static am_status invert(double *a, size_t n, am_error *err) {
    if (n == 0)
        return AM_OK;
    if (n <= AM_ALGEBRA_OWN)
        return invert_small(a, n, err);
    lapack_int info = LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', (lapack_int)n, a, (lapack_int)n);
    if (info != 0)
        return am_fail(err, AM_ERR_EVIDENCE, "the compliance of the contacts could not be inverted");
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++)
            a[i * n + j] = a[j * n + i];
    return AM_OK;
}

/* Springs on the contacts' rows, as stiff as the structure is there: R (K + R^T S R)^-1 R^T is the inverse of the
 * condensed stiffness plus S, so that they can be taken away again, and a structure that floats is one no more. */
static am_status add_springs(am_reduced *r, const am_system *system, am_error *err) {
    r->spring = am_arena_doubles(&r->memory, NULL, r->p, err);
    if (!r->spring)
        return AM_ERR_MEMORY;
    double most = 0.0;
    memset(r->factor, 0, r->size * r->size * sizeof *r->factor);
    am_sliders_stiffness(system, r->factor);
    for (size_t i = 0; i < r->p; i++) {
        double length = 0.0;
        for (size_t j = 0; j < r->size; j++) {
            double entry = r->rows[i * r->size + j];
            length += entry * entry;
            r->spring[i] += entry * entry * r->factor[j * (r->size + 1)];
        }
        r->spring[i] /= length * length;
        most = fmax(most, r->spring[i]);
    }
    for (size_t i = 0; i < r->p; i++) {
        const double *row = r->rows + i * r->size;
        if (!(r->spring[i] > 0.0))
            r->spring[i] = most > 0.0 ? most : 1.0;
        for (size_t j = 0; j < r->size; j++)
            for (size_t k = 0; k < r->size && row[j] != 0.0; k++)
                r->factor[j * r->size + k] += r->spring[i] * row[j] * row[k];
    }
    return AM_OK;
}

static am_status factorise_floating(am_reduced *r, const am_system *system, bool may_float, bool *regular,
                                    am_error *err) {
    am_sliders_stiffness(system, r->factor);
    AM_TRY(factorise(r->factor, r->size, regular, err));
    if (*regular || !may_float)
        return AM_OK;
    r->floating = true;
    AM_TRY(add_springs(r, system, err));
    return factorise(r->factor, r->size, regular, err);
}

/* stiffness = (R K^-1 R^T)^-1 by two Cholesky factorisations. */
static am_status condense(am_reduced *r, const am_system *system, bool may_float, am_error *err) {
    r->factor = am_arena_doubles(&r->memory, NULL, r->size * r->size, err);
    r->flexible = am_arena_doubles(&r->memory, r->rows, r->p * r->size, err);
    if (am_arena_status(&r->memory))
        return AM_ERR_MEMORY;
    bool regular = true;
    AM_TRY(factorise_floating(r, system, may_float, &regular, err));
    if (!regular)
        return refuse_loose(err);
    AM_TRY(solve(r->factor, r->size, r->flexible, r->p, err));
    for (size_t i = 0; i < r->p; i++)
        for (size_t j = 0; j <= i; j++)
            r->stiffness[i * r->p + j] = r->stiffness[j * r->p + i] =
                am_dense_dot(r->rows + i * r->size, r->flexible + j * r->size, r->size);
    AM_TRY(factorise(r->stiffness, r->p, &regular, err));
    if (!regular)
        return am_fail(err, AM_ERR_UNSUPPORTED,
                       "the directions of the contacts depend on each other: %zu directions of contacts on a structure "
                       "with %zu degrees of freedom do not move independently, so there is no stiffness to reduce to "
                       "them (`motion`, `path` with method: exact and `states` with question: sectors know how such "
                       "contacts share their forces)",
                       r->p, r->n);
    AM_TRY(invert(r->stiffness, r->p, err));
    for (size_t i = 0; i < r->p && r->spring; i++)
        r->stiffness[i * (r->p + 1)] -= r->spring[i];
    return AM_OK;
}

static void copy_direct(am_reduced *r, const am_system *system) {
    for (size_t i = 0; i < r->p; i++)
        for (size_t j = 0; j < r->p; j++)
            r->stiffness[i * r->p + j] = r->sense[i] * r->sense[j] *
                                         (0.5 * am_matrix_at(system->K, r->coordinate[i], r->coordinate[j]) +
                                          0.5 * am_matrix_at(system->K, r->coordinate[j], r->coordinate[i]));
}

/* Nothing was inverted, but a singular stiffness is refused all the same, up to an order where that costs little; or
 * noted, when structures may float. */
static am_status check_direct(am_reduced *r, bool may_float, am_error *err) {
    if (r->p > CHECK_LIMIT && !may_float)
        return AM_OK;
    bool regular = true;
    double *copy = am_memory_doubles(r->stiffness, r->p * r->p, err);
    if (!copy)
        return AM_ERR_MEMORY;
    am_status status = factorise(copy, r->p, &regular, err);
    am_memory_free(copy);
    r->floating = !regular;
    return status || regular || may_float ? status : refuse_loose(err);
}

static void spread_blocks(am_reduced *r) {
    for (size_t i = 0; i < r->m; i++)
        for (size_t j = 0; j < r->m; j++) {
            size_t row = r->normal_row[i], column = r->normal_row[j], e = i * r->m + j;
            r->A[e] = r->stiffness[i * r->p + j];
            r->B[e] = row != AM_NO_ROW ? r->stiffness[row * r->p + j] : 0.0;
            r->C[e] = row != AM_NO_ROW && column != AM_NO_ROW ? r->stiffness[row * r->p + column] : 0.0;
        }
}

/* ---- making and using ---- */

static am_status allocate_contacts(am_reduced *r, am_error *err) {
    AM_ARENA_DOUBLES(&r->memory, r->m * r->m, err, &r->A, &r->B, &r->C);
    r->mu = am_arena_doubles(&r->memory, NULL, r->m, err);
    r->held = am_arena_new(&r->memory, r->m, sizeof *r->held, err);
    AM_ARENA_ARRAYS(&r->memory, size_t, r->m, err, &r->normal_row, &r->second_row);
    return am_arena_status(&r->memory);
}

static am_status allocate_rows(am_reduced *r, am_error *err) {
    r->coordinate = am_arena_new(&r->memory, r->p, sizeof *r->coordinate, err);
    r->sense = am_arena_doubles(&r->memory, NULL, r->p, err);
    r->stiffness = am_arena_doubles(&r->memory, NULL, r->p * r->p, err);
    r->rows = am_memory_new(r->p * r->size, sizeof *r->rows, err); /* not kept where they are direct */
    return r->rows ? am_arena_status(&r->memory) : AM_ERR_MEMORY;
}

static am_status fill(am_reduced *r, const am_system *system, bool may_float, am_error *err) {
    AM_TRY(allocate_contacts(r, err));
    number_rows(r, system);
    am_status status = allocate_rows(r, err);
    bool *taken = am_arena_new(&r->memory, r->size, sizeof *taken, err);
    if (status || !taken)
        return AM_ERR_MEMORY;
    fill_rows(r, system);
    r->direct = r->size == r->n && is_direct(r, taken);
    if (r->direct) {
        copy_direct(r, system);
        status = check_direct(r, may_float, err);
        am_memory_free(r->rows);
        r->rows = NULL;
    } else
        status = condense(r, system, may_float, err);
    if (!status)
        spread_blocks(r);
    return status;
}

static am_status init(am_reduced *r, const am_system *system, bool may_float, am_error *err) {
    *r = (am_reduced){.n = system->n, .m = system->m, .size = system->n + am_system_springs(system)};
    am_status status = fill(r, system, may_float, err);
    if (status)
        am_reduced_clear(r);
    return status;
}

am_status am_reduced_init(am_reduced *reduced, const am_system *system, am_error *err) {
    return init(reduced, system, false, err);
}

am_status am_reduced_init_steps(am_reduced *reduced, const am_system *system, am_error *err) {
    return init(reduced, system, true, err);
}

void am_reduced_clear(am_reduced *reduced) {
    am_memory_free(reduced->rows);
    am_arena_clear(&reduced->memory);
    *reduced = (am_reduced){0};
}

/* K q = F + R^T lambda and R q = 0 give lambda = -(R K^-1 R^T)^-1 R K^-1 F, with springs on the rows or without; with
 * direct rows simply -F. */
static void weld_rows(const am_reduced *r, const double *load, double *free_motion, double *lambda) {
    if (r->direct) {
        for (size_t i = 0; i < r->p; i++)
            lambda[i] = -r->sense[i] * load[r->coordinate[i]];
        return;
    }
    for (size_t i = 0; i < r->p; i++)
        free_motion[i] = -am_dense_dot(r->flexible + i * r->size, load, r->n);
    am_dense_apply(r->stiffness, r->p, r->p, free_motion, lambda);
    for (size_t i = 0; i < r->p && r->spring; i++)
        lambda[i] += r->spring[i] * free_motion[i];
}

size_t am_reduced_work(const am_reduced *reduced) {
    return 3 * reduced->p + reduced->size;
}

void am_reduced_weld_rows(const am_reduced *reduced, const double *load, double *weld, double *work) {
    weld_rows(reduced, load, work, weld);
}

void am_reduced_weld(const am_reduced *reduced, const double *load, double *tangential, double *normal, double *work) {
    const am_reduced *r = reduced;
    double *lambda = work + r->p;
    weld_rows(r, load, work, lambda);
    for (size_t c = 0; c < r->m; c++) {
        tangential[c] = lambda[c];
        normal[c] = r->held[c] ? 0.0 : lambda[r->normal_row[c]];
    }
}

/* q = K^-1 (F + R^T lambda) with lambda = weld + stiffness (v, w); K with the springs, if there are any, whose forces
 * lambda then has to overcome. */
static am_status solve_coordinates(const am_reduced *r, const double *load, const double *place, double *work,
                                   double *q, am_error *err) {
    double *lambda = work, *free_motion = work + r->p, *force = work + 2 * r->p;
    weld_rows(r, load, free_motion, lambda);
    am_dense_add(r->stiffness, r->p, r->p, place, lambda);
    for (size_t i = 0; i < r->p && r->spring; i++)
        lambda[i] += r->spring[i] * place[i];
    memset(force, 0, r->size * sizeof *force);
    memcpy(force, load, r->n * sizeof *force);
    for (size_t i = 0; i < r->p; i++)
        for (size_t j = 0; j < r->size; j++)
            force[j] += r->rows[i * r->size + j] * lambda[i];
    AM_TRY(solve(r->factor, r->size, force, 1, err));
    memcpy(q, force, r->n * sizeof *q);
    return AM_OK;
}

am_status am_reduced_place(const am_reduced *reduced, const double *load, const double *place, double *q, double *work,
                           am_error *err) {
    const am_reduced *r = reduced;
    if (!r->direct)
        return solve_coordinates(r, load, place, work, q, err);
    for (size_t i = 0; i < r->p; i++)
        q[r->coordinate[i]] = r->sense[i] * place[i];
    return AM_OK;
}

am_status am_reduced_coordinates(const am_reduced *reduced, const double *load, const double *v, const double *w,
                                 double *q, double *work, am_error *err) {
    const am_reduced *r = reduced;
    double *place = work;
    for (size_t c = 0; c < r->m; c++) {
        place[c] = v[c];
        if (!r->held[c])
            place[r->normal_row[c]] = w[c];
    }
    return am_reduced_place(r, load, place, q, work + r->p, err);
}
