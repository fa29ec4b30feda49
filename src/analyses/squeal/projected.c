#include "analyses/squeal/projected.h"
#include "base/try.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "math/dense.h"
#include "math/pi.h"

enum { MOST_POINTS = 65 };

/* Interpolation is used where it agrees with the exact values to this, relative: far below what eigenvalues feel. */
static const double interpolation_limit = 1e-11;

/* Directions that nothing holds have eigenvalues that are zero but for rounding, without damping but for its root. */
bool am_squeal_projected_grows(const am_squeal_projected *projected, double complex s) {
    double highest = sqrt(fmax(projected->omega2[projected->p - 1], 0.0));
    return creal(s) > (projected->damped ? 1e-11 : 1e-6) * cabs(s) &&
           creal(s) > (projected->damped ? 1e-12 : 1e-7) * highest;
}

/* ---- K(mu) and D(mu) ---- */

static size_t tables(const am_squeal_projected *q) {
    return q->force_rate ? 2 : 1;
}

/* F, and beside it the same of contact damping, exactly: out has (1 or 2) p x p numbers. */
static am_status evaluate(am_squeal_projected *q, double mu, double *out, am_error *err) {
    size_t m = q->m, p = q->p, sides = tables(q);
    memset(out, 0, sides * p * p * sizeof *out);
    if (m == 0)
        return AM_OK;
    for (size_t r = 0; r < m; r++) /* column-major */
        for (size_t c = 0; c < m; c++)
            q->small[c * m + r] = (r == c) - mu * q->residual_force[r * m + c];
    memcpy(q->right, q->force, p * m * sizeof *q->right);
    if (sides == 2)
        memcpy(q->right + p * m, q->force_rate, p * m * sizeof *q->right);
    lapack_int info = LAPACKE_dgesv_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)(sides * p), q->small,
                                         (lapack_int)m, q->order, q->right, (lapack_int)m);
    if (info != 0)
        return am_fail(err, AM_ERR_EVIDENCE, "the contact forces have no finite size at the friction %g", mu);
    for (size_t side = 0; side < sides; side++)
        for (size_t i = 0; i < p; i++)
            for (size_t j = 0; j < p; j++)
                out[(side * p + i) * p + j] = am_dense_dot(q->across + i * m, q->right + (side * p + j) * m, m);
    return AM_OK;
}

/* Barycentric interpolation. */
static void interpolate(const am_squeal_projected *q, double mu, double *out) {
    size_t size = tables(q) * q->p * q->p;
    double sum = 0.0;
    memset(out, 0, size * sizeof *out);
    for (size_t k = 0; k < q->points; k++) {
        if (mu == q->point[k]) {
            memcpy(out, q->table + k * size, size * sizeof *out);
            return;
        }
        sum += q->weight[k] / (mu - q->point[k]);
    }
    for (size_t k = 0; k < q->points; k++) {
        double part = q->weight[k] / (mu - q->point[k]) / sum;
        for (size_t e = 0; e < size; e++)
            out[e] += part * q->table[k * size + e];
    }
}

static am_status fill_table(am_squeal_projected *q, size_t points, am_error *err) {
    size_t size = tables(q) * q->p * q->p;
    for (size_t k = 0; k < points; k++) {
        double x = cos(pi * (double)k / (double)(points - 1));
        q->point[k] = 0.5 * (q->from + q->to) - 0.5 * (q->to - q->from) * x;
        q->weight[k] = (k % 2 ? -1.0 : 1.0) * (k == 0 || k == points - 1 ? 0.5 : 1.0);
        AM_TRY(evaluate(q, q->point[k], q->table + k * size, err));
    }
    q->points = points;
    return AM_OK;
}

/* Largest difference from the exact values at places between the points, relative to the largest value. */
static am_status check_table(am_squeal_projected *q, double *trial, am_error *err) {
    static const double places[] = {0.037, 0.31, 0.62, 0.971};
    size_t size = tables(q) * q->p * q->p;
    q->interpolation_error = 0.0;
    for (int i = 0; i < 4; i++) {
        double mu = q->from + places[i] * (q->to - q->from), worst = 0.0;
        interpolate(q, mu, trial);
        AM_TRY(evaluate(q, mu, trial + size, err));
        for (size_t side = 0; side < tables(q); side++) {
            const double *a = trial + side * q->p * q->p, *b = a + size;
            double scale = am_dense_largest(b, q->p * q->p);
            for (size_t e = 0; e < q->p * q->p && scale > 0.0; e++)
                worst = fmax(worst, fabs(a[e] - b[e]) / scale);
        }
        q->interpolation_error = fmax(q->interpolation_error, worst);
    }
    return AM_OK;
}

static am_status tabulate(am_squeal_projected *q, am_error *err) {
    size_t size = tables(q) * q->p * q->p;
    if (!(q->to > q->from) || q->m == 0 || q->full->laws)
        return AM_OK;
    double *trial = am_memory_new(2 * size, sizeof *trial, err);
    AM_ARENA_DOUBLES(&q->memory, MOST_POINTS, err, &q->point, &q->weight);
    am_status status = trial ? am_arena_status(&q->memory) : AM_ERR_MEMORY;
    bool good = false;
    for (size_t points = 9; points <= MOST_POINTS && !good && !status; points = 2 * points - 1) {
        status = am_memory_resize(&q->table, points * size, err);
        if (!status)
            status = fill_table(q, points, err);
        if (!status)
            status = check_table(q, trial, err);
        good = q->interpolation_error < interpolation_limit;
    }
    am_memory_free(trial);
    if (!good)
        q->points = 0, q->interpolation_error = 0.0;
    return status == AM_ERR_EVIDENCE ? AM_OK : status; /* somewhere F has a pole: exact values elsewhere */
}

static am_status set_friction(am_squeal_projected *q, double mu, am_error *err) {
    size_t p = q->p;
    double *f = q->companion; /* is large enough for two */
    if (q->full->laws)
        return am_squeal_projected_friction(q, mu, err);
    if (q->points > 0 && mu >= q->from && mu <= q->to)
        interpolate(q, mu, f);
    else
        AM_TRY(evaluate(q, mu, f, err));
    for (size_t i = 0; i < p * p; i++) {
        q->K[i] = q->circulatory[i] - mu * f[i];
        q->D[i] = q->damping[i] - (q->force_rate ? mu * f[p * p + i] : 0.0);
    }
    for (size_t i = 0; i < p; i++)
        q->K[i * p + i] += q->omega2[i];
    return AM_OK;
}

/* ---- eigenvalues ---- */

static int compare(const void *left, const void *right) {
    const double complex a = *(const double complex *)left, b = *(const double complex *)right;
    if (cimag(a) != cimag(b))
        return cimag(a) < cimag(b) ? -1 : 1;
    return (creal(a) > creal(b)) - (creal(a) < creal(b));
}

/* LAPACK's iteration for small matrices, which dhseqr uses up to order 75; at order 100 it is still a quarter faster
 * than the one for large matrices. LAPACKE has no name for it. */
extern void dlahqr_(const lapack_logical *wantt, const lapack_logical *wantz, const lapack_int *n,
                    const lapack_int *low, const lapack_int *high, double *h, const lapack_int *ldh, double *wr,
                    double *wi, const lapack_int *low_z, const lapack_int *high_z, double *z, const lapack_int *ldz,
                    lapack_int *info);

enum { SMALL_ORDER = 160 };

/* Eigenvalues of a (k x k, destroyed; its transpose does as well). */
static bool eigenvalues(am_squeal_projected *q, double *a, size_t k) {
    lapack_int n = (lapack_int)k, length = (lapack_int)(66 * k), one = 1, info = 0;
    lapack_logical no = 0;
    double *tau = q->work, *work = q->work + k, none;
    if (q->inner > 0) { /* what is remembered has units of its own */
        lapack_int low, high;
        if (LAPACKE_dgebal_work(LAPACK_COL_MAJOR, 'S', n, a, n, &low, &high, tau) != 0)
            return false;
    }
    if (LAPACKE_dgehrd_work(LAPACK_COL_MAJOR, n, 1, n, a, n, tau, work, length) != 0)
        return false;
    if (k > SMALL_ORDER)
        return LAPACKE_dhseqr_work(LAPACK_COL_MAJOR, 'E', 'N', n, 1, n, a, n, q->values, q->values + k, &none, 1, work,
                                   length) == 0;
    for (size_t j = 0; j + 2 < k; j++) /* what dgehrd keeps there */
        memset(a + j * k + j + 2, 0, (k - j - 2) * sizeof *a);
    dlahqr_(&no, &no, &n, &one, &n, a, &n, q->values, q->values + k, &one, &n, &none, &one, &info);
    return info == 0;
}

/* Damping alpha y' of all modes alike: s^2 + alpha s = -z. */
static bool uniform_damping(const am_squeal_projected *q, double *alpha) {
    double largest = 0.0, off = 0.0;
    for (size_t i = 0; i < q->p; i++)
        for (size_t j = 0; j < q->p; j++) {
            largest = fmax(largest, fabs(q->damping[i * q->p + j]));
            off = fmax(off, fabs(q->damping[i * q->p + j] - (i == j ? q->damping[0] : 0.0)));
        }
    *alpha = q->damping[0];
    return !q->force_rate && !q->full->laws && off <= 1e-13 * largest; /* the modes are orthogonal to that */
}

/* s^2 + alpha s = -z for the eigenvalues z of K(mu). */
static bool from_squares(am_squeal_projected *q, double complex *s, size_t *count) {
    size_t p = q->p;
    double half = 0.5 * q->uniform;
    memcpy(q->companion, q->K, p * p * sizeof *q->K);
    if (!eigenvalues(q, q->companion, p))
        return false;
    for (size_t i = 0; i < p; i++) {
        double re = q->values[i] - half * half, im = q->values[p + i];
        if (im != 0.0) { /* a pair a +- ib gives four: each of it gives one above */
            double complex root = csqrt(-(re + im * I));
            s[(*count)++] = (cimag(root) >= 0.0 ? root : -root) - half;
        } else if (re >= 0.0) {
            s[(*count)++] = sqrt(re) * I - half;
        } else {
            s[(*count)++] = sqrt(-re) - half;
            s[(*count)++] = -sqrt(-re) - half;
        }
    }
    return true;
}

/* First-order form in (omega y, y', w), so that both halves have one size; w has any. */
static bool with_damping(am_squeal_projected *q, double complex *s, size_t *count) {
    size_t p = q->p, k = 2 * p + q->inner;
    double *a = q->companion, least = q->omega2[p - 1] * 1e-6;
    memset(a, 0, k * k * sizeof *a);
    for (size_t i = 0; i < p; i++) {
        double omega = q->omega[i] = sqrt(fmax(q->omega2[i], least));
        a[i * k + p + i] = omega;
        for (size_t j = 0; j < p; j++) {
            a[(p + j) * k + i] = -q->K[j * p + i] / omega;
            a[(p + i) * k + p + j] = -q->D[i * p + j];
        }
    }
    if (q->inner > 0)
        am_squeal_projected_remember(q, q->omega, a, k);
    if (!eigenvalues(q, a, k))
        return false;
    for (size_t i = 0; i < k; i++)
        if (q->values[k + i] >= 0.0)
            s[(*count)++] = q->values[i] + q->values[k + i] * I;
    return true;
}

am_status am_squeal_projected_eigenvalues(am_squeal_projected *projected, double mu, double complex *s, size_t *count,
                                          am_error *err) {
    *count = 0;
    AM_TRY(set_friction(projected, mu, err));
    if (!(projected->squares ? from_squares(projected, s, count) : with_damping(projected, s, count)))
        return am_fail(err, AM_ERR_EVIDENCE, "the eigenvalues at the friction %g did not converge", mu);
    qsort(s, *count, sizeof *s, compare);
    return AM_OK;
}

static am_status source_eigenvalues(void *context, double mu, double complex *s, size_t *count, am_error *err) {
    return am_squeal_projected_eigenvalues(context, mu, s, count, err);
}

static bool source_grows(const void *context, double complex s) {
    return am_squeal_projected_grows(context, s);
}

am_squeal_source am_squeal_projected_source(am_squeal_projected *projected) {
    return (am_squeal_source){source_eigenvalues, source_grows, projected->damped, projected};
}

/* ---- vectors ---- */

/* Two steps of inverse iteration with s^2 + s D + K. */
static bool inverse_iteration(am_squeal_projected *q, double complex s, double complex *y, am_error *err) {
    size_t p = q->p;
    double complex near = s * (1.0 + 1e-9) + 1e-12 * sqrt(q->omega2[p - 1]);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            q->matrix[j * p + i] = near * q->D[i * p + j] + q->K[i * p + j] + (i == j ? near * near : 0.0);
    if (q->inner > 0 && am_squeal_projected_recall(q, near, err))
        return false;
    lapack_int n = (lapack_int)p;
    lapack_complex_double *a = (lapack_complex_double *)q->matrix, *x = (lapack_complex_double *)y;
    if (LAPACKE_zgetrf_work(LAPACK_COL_MAJOR, n, n, a, n, q->pivots) != 0)
        return false;
    for (size_t i = 0; i < p; i++)
        y[i] = 1.0 + 0.1 * (double)(i % 7);
    for (int step = 0; step < 3; step++) {
        double largest = 0.0;
        if (LAPACKE_zgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, a, n, q->pivots, x, n) != 0)
            return false;
        for (size_t i = 0; i < p; i++)
            largest = fmax(largest, cabs(y[i]));
        for (size_t i = 0; i < p; i++)
            y[i] /= largest;
        if (!(largest > 0.0) || !isfinite(largest))
            return false;
    }
    return true;
}

/* lambda = (1 - mu R)^-1 (Lambda y + s Lambda' y) */
static am_status contact_forces(am_squeal_projected *q, double mu, double complex s, const double complex *y,
                                double complex *lambda, am_error *err) {
    size_t m = q->m, p = q->p;
    for (size_t r = 0; r < m; r++) {
        double complex sum = 0.0;
        for (size_t i = 0; i < p; i++)
            sum += (q->force[i * m + r] + (q->force_rate ? s * q->force_rate[i * m + r] : 0.0)) * y[i];
        q->right[r] = creal(sum);
        q->right[m + r] = cimag(sum);
        for (size_t c = 0; c < m; c++)
            q->small[c * m + r] = (r == c) - mu * q->residual_force[r * m + c];
    }
    if (m > 0 && LAPACKE_dgesv_work(LAPACK_COL_MAJOR, (lapack_int)m, 2, q->small, (lapack_int)m, q->order, q->right,
                                    (lapack_int)m) != 0)
        return am_fail(err, AM_ERR_EVIDENCE, "the contact forces have no finite size at the friction %g", mu);
    for (size_t r = 0; r < m; r++)
        lambda[r] = q->right[r] + q->right[m + r] * I;
    return AM_OK;
}

am_status am_squeal_projected_vector(am_squeal_projected *projected, double mu, double complex s, double complex *y,
                                     double complex *lambda, am_error *err) {
    AM_TRY(set_friction(projected, mu, err));
    if (!inverse_iteration(projected, s, y, err))
        return am_fail(err, AM_ERR_EVIDENCE, "the mode at the friction %g did not converge", mu);
    if (!projected->full->laws)
        return contact_forces(projected, mu, s, y, lambda, err);
    am_squeal_projected_recalled(projected, s, y, lambda, lambda + projected->m);
    return AM_OK;
}

void am_squeal_projected_expand(const am_squeal_projected *projected, const double complex *y, double complex *x) {
    const am_squeal_projected *q = projected;
    for (size_t k = 0; k < q->n; k++)
        x[k] = 0.0;
    for (size_t i = 0; i < q->p; i++)
        for (size_t k = 0; k < q->n; k++)
            x[k] += q->modes[i * q->n + k] * y[i];
}

/* ---- making ---- */

static am_status workspace(am_squeal_projected *q, am_error *err) {
    size_t p = q->p, m = q->m, w = q->full->w, most = q->most;
    AM_ARENA_DOUBLES(&q->memory, p * p, err, &q->K, &q->D);
    q->companion = am_arena_doubles(&q->memory, NULL, most * most, err);
    AM_ARENA_DOUBLES(&q->memory, most, err, &q->omega, &q->slip);
    q->values = am_arena_doubles(&q->memory, NULL, 2 * most, err);
    q->work = am_arena_doubles(&q->memory, NULL, 67 * most, err);
    q->small = am_arena_doubles(&q->memory, NULL, m * m, err);
    q->right = am_arena_doubles(&q->memory, NULL, (most + 2) * m, err);
    if (q->full->laws) {
        q->rub_force = am_arena_doubles(&q->memory, NULL, q->rubs * most, err);
        q->pull = am_arena_doubles(&q->memory, NULL, p * most, err);
        q->rates = am_arena_doubles(&q->memory, NULL, w * most, err);
        q->feedback = am_arena_doubles(&q->memory, NULL, w * w, err);
        q->memory_of = am_arena_new(&q->memory, w, sizeof *q->memory_of, err);
        q->decay = am_arena_new(&q->memory, w * w, sizeof *q->decay, err);
        q->recalled = am_arena_new(&q->memory, w * p, sizeof *q->recalled, err);
        q->inner_order = am_arena_new(&q->memory, w, sizeof *q->inner_order, err);
    }
    q->order = am_arena_new(&q->memory, m, sizeof *q->order, err);
    q->matrix = am_arena_new(&q->memory, p * p, sizeof *q->matrix, err);
    q->pivots = am_arena_new(&q->memory, p, sizeof *q->pivots, err);
    return am_arena_status(&q->memory);
}

am_status am_squeal_projected_init(am_squeal_projected *projected, am_squeal_full *full, size_t modes, double from,
                                   double to, const am_progress *progress, am_error *err) {
    *projected = (am_squeal_projected){
        .full = full, .n = full->n, .m = full->m, .rubs = full->rubs, .damped = full->damped, .from = from, .to = to};
    am_status status = am_squeal_modes_find(projected, full, modes, progress, err);
    am_squeal_full_drop_symmetric(full);
    projected->most = 2 * projected->p + full->w;
    if (!status)
        status = workspace(projected, err);
    if (!status)
        projected->squares = uniform_damping(projected, &projected->uniform);
    if (!status)
        status = tabulate(projected, err);
    if (status)
        am_squeal_projected_clear(projected);
    return status;
}

void am_squeal_projected_clear(am_squeal_projected *q) {
    am_memory_free(q->table);
    am_arena_clear(&q->memory);
    am_arena_clear(&q->mode_memory);
    *q = (am_squeal_projected){0};
}
