/* Do small disturbances of a persistent contact state grow? docs/stability.md.
 *
 * In a fixed combination of contact states a disturbance x obeys M x'' + C x' + K x = B lambda, J x = 0. With x = Z y
 * (columns of Z: null space of J) and equations combined by W (null space of B^T) the multipliers are gone: W^T M Z y''
 * + W^T C Z y' + W^T K Z y = 0. */
#include "amontons/stability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "system/combination.h"
#include "system/system.h"

enum { STABILITY_COOKIE = 0x414d5342 };

am_stability_options am_stability_options_default(void) {
    return (am_stability_options){.cookie = STABILITY_COOKIE};
}

/* ---- the reduced equations ---- */

typedef struct reduced {
    size_t n, k;       /* degrees of freedom of the structure, and those the contacts leave */
    double *M, *C, *K; /* k x k */
    double *inverse;   /* k x k: of M */
    double *Z, *W;     /* n x n, of which k rows are filled: bases as rows */
    double *work;      /* n x n */
    double terms;      /* size of the terms in M^-1 K and W^T K Z before they cancelled */
} reduced;

static double largest(const double *a, size_t count) {
    double most = 0.0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static void reduced_clear(reduced *r) {
    am_memory_free(r->M);
    am_memory_free(r->C);
    am_memory_free(r->K);
    am_memory_free(r->inverse);
    am_memory_free(r->Z);
    am_memory_free(r->W);
    am_memory_free(r->work);
}

static am_status reduced_allocate(reduced *r, size_t n, am_error *err) {
    *r = (reduced){.n = n};
    double **arrays[] = {&r->M, &r->C, &r->K, &r->inverse, &r->Z, &r->W, &r->work};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = am_memory_new(n * n, sizeof(double), err);
        if (!*arrays[i])
            return AM_ERR_MEMORY;
    }
    return AM_OK;
}

/* Null spaces of J and of B^T. */
static am_status find_bases(reduced *r, const am_combination *k, am_error *err) {
    size_t left = 0, n = r->n, p = k->p;
    double *rows = am_memory_doubles(k->J, p * n, err);
    if (!rows)
        return AM_ERR_MEMORY;
    am_status status = am_null_space(rows, p, n, r->Z, &r->k, err);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < p; j++)
            rows[j * n + i] = k->B[i * p + j];
    if (!status)
        status = am_null_space(rows, p, n, r->W, &left, err);
    am_memory_free(rows);
    if (!status && left != r->k)
        status = am_fail(err, AM_ERR_UNSUPPORTED,
                         "the contact forces of this state act in fewer directions than the contacts forbid: the "
                         "reduced equations are not square");
    return status;
}

static void project(const reduced *r, const am_matrix *a, double *projected) {
    for (size_t j = 0; j < r->k; j++) {
        am_matrix_apply(a, r->Z + j * r->n, r->work);
        for (size_t i = 0; i < r->k; i++)
            projected[i * r->k + j] = am_dense_dot(r->W + i * r->n, r->work, r->n);
    }
}

static am_status invert_mass(reduced *r, am_error *err) {
    double rcond;
    memcpy(r->inverse, r->M, r->k * r->k * sizeof *r->M);
    am_status status = am_dense_invert(r->inverse, r->k, &rcond, err);
    if (!status && !(rcond > 1e-13))
        status =
            am_fail(err, AM_ERR_UNSUPPORTED,
                    "in this contact state some directions move without inertia (massless coordinates, or friction at "
                    "its Painlevé limit): growth in them has no finite rate");
    return status;
}

static am_status reduce(reduced *r, const am_system *system, const am_contact_state *state, am_error *err) {
    am_combination k;
    am_status status = reduced_allocate(r, system->n, err);
    if (status)
        return status;
    am_matrix_to_dense(system->M, r->work);
    status = am_combination_init(&k, system, r->work, state, err);
    if (status)
        return status;
    status = find_bases(r, &k, err);
    am_combination_clear(&k);
    if (status)
        return status;
    project(r, system->M, r->M);
    project(r, system->C, r->C);
    project(r, system->K, r->K);
    status = invert_mass(r, err);
    r->terms = (double)r->k * largest(r->inverse, r->k * r->k) * am_matrix_largest(system->K);
    return status;
}

/* ---- eigenvalues of the quadratic problem ---- */

typedef struct mode {
    double real, imaginary;
    double uncertainty; /* of the real part */
    double residual;
} mode;

typedef struct modes {
    size_t count;
    mode *mode;
} modes;

/* |(l^2 M + l C + K) v| / ((|l|^2 |M| + |l| |C| + |K|) |v|), with l = a + i b and v = x + i y (y NULL: real). */
static double eigen_residual(const reduced *r, double a, double b, const double *x, const double *y) {
    size_t k = r->k;
    double square[2] = {a * a - b * b, 2.0 * a * b}, size = hypot(a, b), worst = 0.0, length = 0.0;
    double norm = size * size * largest(r->M, k * k) + size * largest(r->C, k * k) + largest(r->K, k * k);
    for (size_t i = 0; i < k; i++) {
        double re = 0.0, im = 0.0;
        for (size_t j = 0; j < k; j++) {
            double m = r->M[i * k + j], c = r->C[i * k + j];
            double p = square[0] * m + a * c + r->K[i * k + j], q = square[1] * m + b * c;
            double u = x[j], v = y ? y[j] : 0.0;
            re += p * u - q * v;
            im += p * v + q * u;
        }
        worst = fmax(worst, hypot(re, im));
        length = fmax(length, hypot(x[i], y ? y[i] : 0.0));
    }
    return norm * length > 0.0 ? worst / (norm * length) : 0.0;
}

/* The vector of eigenvalue j: its real and imaginary part (NULL when real), for the member of a pair with positive
 * imaginary part. */
static void vector_of(const am_eigen *e, size_t j, const double **x, const double **y) {
    size_t first = e->imaginary[j] < 0.0 ? j - 1 : j;
    *x = e->vectors + first * e->n;
    *y = e->imaginary[j] != 0.0 ? *x + e->n : NULL;
}

/* Without damping l^2 = -kappa with M^-1 K y = kappa y: an order of half the size, and undamped frequencies come out
 * with a real part that is exactly zero. */
static am_status undamped_modes(const reduced *r, modes *found, am_error *err) {
    size_t k = r->k;
    am_eigen e;
    double *a = am_memory_new(k * k, sizeof *a, err);
    if (!a)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            for (size_t l = 0; l < k; l++)
                a[i * k + j] += r->inverse[i * k + l] * r->K[l * k + j];
    am_status status = am_eigen_init(&e, a, k, r->terms, err);
    am_memory_free(a);
    if (status)
        return status;
    for (size_t j = 0; j < k; j++) {
        const double *x, *y;
        double p = -e.real[j], q = -e.imaginary[j], size = hypot(p, q);
        /* The root with positive real part, without cancellation. */
        double re = p >= 0.0 ? sqrt(0.5 * (size + p)) : (size > 0.0 ? fabs(q) / sqrt(2.0 * (size - p)) : 0.0);
        double im = p >= 0.0 ? (re > 0.0 ? 0.5 * q / re : 0.0) : copysign(sqrt(0.5 * (size - p)), q);
        double speed = sqrt(size), doubt = e.uncertainty[j];
        vector_of(&e, j, &x, &y);
        /* Vectors belong to the member with positive imaginary part of kappa: the conjugate root goes with it. */
        double sign = e.imaginary[j] < 0.0 ? -1.0 : 1.0;
        mode m = {.real = re, .imaginary = im, .residual = eigen_residual(r, re, sign * im, x, y)};
        m.uncertainty = size > doubt ? 0.5 * doubt / speed : sqrt(doubt);
        found->mode[found->count++] = m;
        m.real = re == 0.0 ? 0.0 : -re;
        m.imaginary = im == 0.0 ? 0.0 : -im;
        found->mode[found->count++] = m;
    }
    am_eigen_clear(&e);
    return AM_OK;
}

/* With damping: (y, y'/w)' = [0, w; -M^-1 K/w, -M^-1 C] (y, y'/w), w the size of natural frequencies. */
static am_status damped_modes(const reduced *r, modes *found, am_error *err) {
    size_t k = r->k, size = 2 * k;
    am_eigen e;
    double *a = am_memory_new(size * size, sizeof *a, err);
    if (!a)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            for (size_t l = 0; l < k; l++) {
                a[(k + i) * size + j] -= r->inverse[i * k + l] * r->K[l * k + j];
                a[(k + i) * size + k + j] -= r->inverse[i * k + l] * r->C[l * k + j];
            }
    double speed = r->terms > 0.0 ? sqrt(r->terms) : 1.0;
    for (size_t i = 0; i < k; i++) {
        a[i * size + k + i] = speed;
        for (size_t j = 0; j < k; j++)
            a[(k + i) * size + j] /= speed;
    }
    am_status status = am_eigen_init(&e, a, size, speed, err);
    am_memory_free(a);
    if (status)
        return status;
    for (size_t j = 0; j < size; j++) {
        const double *x, *y;
        vector_of(&e, j, &x, &y);
        found->mode[found->count++] = (mode){.real = e.real[j],
                                             .imaginary = e.imaginary[j],
                                             .uncertainty = e.uncertainty[j],
                                             .residual = eigen_residual(r, e.real[j], fabs(e.imaginary[j]), x, y)};
    }
    am_eigen_clear(&e);
    return AM_OK;
}

/* Fastest growth first; slow before fast; the positive frequency of a pair first. */
static int by_growth(const void *a, const void *b) {
    const mode *x = a, *y = b;
    if (x->real != y->real)
        return x->real > y->real ? -1 : 1;
    if (fabs(x->imaginary) != fabs(y->imaginary))
        return fabs(x->imaginary) < fabs(y->imaginary) ? -1 : 1;
    return x->imaginary > y->imaginary ? -1 : x->imaginary < y->imaginary;
}

/* ---- report ---- */

static const char *kind_of(const mode *m) {
    if (fabs(m->real) <= m->uncertainty)
        return "neutral";
    if (m->real < 0.0)
        return "stable";
    return m->imaginary == 0.0 ? "divergence" : "flutter";
}

static am_status report_table(const modes *found, am_result *result, am_error *err) {
    static const char *const numbers[] = {"real", "imaginary", "frequency", "damping_ratio"};
    am_table *table = am_result_add_table(result, "eigenvalues", err);
    if (!table)
        return err && err->status ? err->status : AM_ERR_MEMORY;
    am_status status = AM_OK;
    for (size_t i = 0; i < 4 && !status; i++)
        status = am_table_add_column(table, numbers[i], i < 3 ? "1/time" : "", AM_COLUMN_NUMBER, err);
    if (!status)
        status = am_table_add_column(table, "kind", "", AM_COLUMN_TEXT, err);
    for (size_t i = 0; i < found->count && !status; i++) {
        const mode *m = &found->mode[i];
        double size = hypot(m->real, m->imaginary);
        status = am_table_add_row(table, err);
        if (status)
            break;
        am_table_set_number(table, 0, m->real);
        am_table_set_number(table, 1, m->imaginary);
        am_table_set_number(table, 2, fabs(m->imaginary));
        am_table_set_number(table, 3, size > 0.0 ? -m->real / size : 0.0);
        status = am_table_set_text(table, 4, kind_of(m), err);
    }
    return status;
}

/* The fastest growth that is no rounding; without any, the largest real part. NULL when nothing can move. */
static const mode *worst_of(const modes *found) {
    for (size_t i = 0; i < found->count; i++)
        if (found->mode[i].real > found->mode[i].uncertainty)
            return &found->mode[i];
    return found->count > 0 ? &found->mode[0] : NULL;
}

static am_status report_worst(const modes *found, am_result *result, am_error *err) {
    const mode *worst = worst_of(found);
    const char *kind = worst ? kind_of(worst) : "stable";
    am_status status =
        am_result_set_flag(result, "stable", strcmp(kind, "stable") == 0 || strcmp(kind, "neutral") == 0, err);
    if (!status)
        status = worst ? am_result_set_number(result, "growth_rate", worst->real, err)
                       : am_result_set_none(result, "growth_rate", err);
    if (!status)
        status = worst ? am_result_set_number(result, "frequency", fabs(worst->imaginary), err)
                       : am_result_set_none(result, "frequency", err);
    return status ? status : am_result_set_text(result, "kind", kind, err);
}

static am_status report(const modes *found, am_result *result, am_error *err) {
    double residual = 0.0, uncertainty = found->count > 0 ? worst_of(found)->uncertainty : 0.0;
    for (size_t i = 0; i < found->count; i++)
        residual =
            found->mode[i].residual > residual || isnan(found->mode[i].residual) ? found->mode[i].residual : residual;
    am_status status = report_table(found, result, err);
    if (!status)
        status = report_worst(found, result, err);
    if (!status)
        status = am_result_set_count(result, "degrees", found->count / 2, err);
    if (!status)
        status = am_result_set_number(result, "growth_uncertainty", uncertainty, err);
    if (!status)
        status = am_result_set_number(result, "eigen_residual", residual, err);
    /* A backward stable solution leaves about n eps; beyond 1e-9 something else is wrong. */
    if (!status && !(residual <= 1e-9))
        status = am_fail(err, AM_ERR_EVIDENCE,
                         "the eigenvalues do not satisfy their own equation: relative residual %g", residual);
    return status;
}

static am_status check_options(const am_system *system, const am_stability_options *options, am_error *err) {
    if (!options || options->cookie != STABILITY_COOKIE)
        return am_fail(err, AM_ERR_INPUT, "options of `stability` must come from am_stability_options_default()");
    if (!options->state && system->m > 0)
        return am_fail_field(err, AM_ERR_INPUT, "state",
                             "the contact state whose stability is asked for is missing: one of open, stick, forward, "
                             "backward for each of %zu contacts",
                             system->m);
    for (size_t c = 0; c < system->m; c++) {
        if ((int)options->state[c] < 0 || options->state[c] > AM_BACKWARD)
            return am_fail_field(err, AM_ERR_INPUT, "state", "unknown contact state of %s", system->contact[c].name);
        if (system->contact[c].normal_law == AM_HELD && options->state[c] == AM_OPEN)
            return am_fail_field(err, AM_ERR_INPUT, "state", "%s is held and cannot be open", system->contact[c].name);
    }
    return AM_OK;
}

am_status am_stability_run(const am_system *system, const am_stability_options *options, am_result *result,
                           const am_progress *progress, am_error *err) {
    am_status status = check_options(system, options, err);
    if (!status && am_system_has_springs(system))
        status = am_fail(err, AM_ERR_UNSUPPORTED,
                         "stability does not know springs in series with a slider (tangential_stiffness)");
    if (status)
        return status;
    if (!am_progress_report(progress, 0.0))
        return am_fail(err, AM_ERR_INTERRUPTED, "stopped before the eigenvalues were computed");
    reduced r;
    modes found = {0};
    status = reduce(&r, system, options->state, err);
    if (!status) {
        found.mode = am_memory_new(2 * r.k, sizeof *found.mode, err);
        status = found.mode ? AM_OK : AM_ERR_MEMORY;
    }
    if (!status)
        status = largest(r.C, r.k * r.k) > 0.0 ? damped_modes(&r, &found, err) : undamped_modes(&r, &found, err);
    if (!status) {
        qsort(found.mode, found.count, sizeof *found.mode, by_growth);
        status = report(&found, result, err);
    }
    am_memory_free(found.mode);
    reduced_clear(&r);
    return status;
}
