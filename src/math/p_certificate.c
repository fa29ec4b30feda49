/* Two sufficient conditions for a family of matrices to be P, cheap enough to be asked again and again. */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/p_matrix_internal.h"

am_status am_p_certifier_init(am_p_certifier *certifier, size_t n, am_error *err) {
    am_p_certifier *c = certifier;
    *c = (am_p_certifier){.n = n};
    double **squares[] = {&c->middle,   &c->half, &c->fixed,   &c->coupled,
                          &c->flexible, &c->form, &c->inverse, &c->product};
    double **vectors[] = {&c->weight, &c->vector, &c->other, &c->next};
    for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
        *squares[i] = am_arena_doubles(&c->memory, NULL, n * n, err);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = am_arena_doubles(&c->memory, NULL, n, err);
    am_status status = am_arena_status(&c->memory);
    if (status)
        am_p_certifier_clear(c);
    return status;
}

void am_p_certifier_clear(am_p_certifier *certifier) {
    am_arena_clear(&certifier->memory);
    *certifier = (am_p_certifier){0};
}

/* ---- diagonal dominance ---- */

/* sum over j of c_ij x_j / (d_i x_i), with d the smallest diagonal and c the largest other entries in the family. */
static double dominance_ratio(const am_p_rows *rows, size_t i, const double *x) {
    const double *u = rows->upper + i * rows->stride, *l = rows->lower + i * rows->stride;
    double sum = 0.0, diagonal = fmin(u[i], l[i]) - rows->error;
    if (!(diagonal > 0.0))
        return INFINITY;
    for (size_t j = 0; j < rows->n; j++)
        sum += fmax(fabs(u[j]), fabs(l[j])) * x[j];
    sum -= fmax(fabs(u[i]), fabs(l[i])) * x[i];
    for (size_t j = 0; j < rows->n && rows->error > 0.0; j++)
        sum += rows->error * x[j];
    return sum / (diagonal * x[i]);
}

/* The ratios bound the spectral radius of the comparison from both sides (Collatz, Wielandt): done when all are below
 * one, hopeless when none is. */
bool am_p_dominant(am_p_certifier *certifier, const am_p_rows *rows, double *margin) {
    double *x = certifier->vector, *ratio = certifier->other;
    const double safe = 1.0 - 16.0 * DBL_EPSILON * (double)(rows->n + 1);
    for (size_t i = 0; i < rows->n; i++)
        x[i] = 1.0;
    for (int round = 0; round < 12; round++) {
        double most = 0.0, least = INFINITY;
        for (size_t i = 0; i < rows->n; i++) {
            ratio[i] = dominance_ratio(rows, i, x);
            most = fmax(most, ratio[i]);
            least = fmin(least, ratio[i]);
        }
        if (most < safe) {
            *margin = fmin(*margin, 1.0 - most);
            return true;
        }
        if (!(least < safe) || isinf(most))
            return false;
        double largest = 0.0;
        for (size_t i = 0; i < rows->n; i++) { /* halfway to the next iterate: no oscillation between two classes */
            x[i] *= 0.5 * (ratio[i] + most);
            largest = fmax(largest, x[i]);
        }
        for (size_t i = 0; i < rows->n; i++)
            x[i] /= largest;
    }
    return false;
}

/* ---- positive definiteness ---- */

static void split_rows(am_p_certifier *c, const am_p_rows *rows) {
    size_t n = rows->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double u = rows->upper[i * rows->stride + j], l = rows->lower[i * rows->stride + j];
            c->middle[i * n + j] = 0.5 * (u + l);
            c->half[i * n + j] = 0.5 * (u - l);
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            c->fixed[i * n + j] = 0.5 * (c->middle[i * n + j] + c->middle[j * n + i]);
}

/* |x_i||h_i.x| <= (w_i x_i^2 + (h_i.x)^2/w_i)/2 for any weight w_i > 0: the sum over i as a quadratic form. */
static void couple(am_p_certifier *c, size_t n) {
    for (size_t k = 0; k < n; k++) {
        double factor = sqrt(0.5 / c->weight[k]);
        for (size_t j = 0; j < n; j++)
            c->product[k * n + j] = factor * c->half[k * n + j];
    }
    int size = (int)n;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, size, size, 1.0, c->product, size, 0.0, c->coupled, size);
    for (size_t i = 0; i < n; i++) {
        c->coupled[i * n + i] += 0.5 * c->weight[i];
        for (size_t j = 0; j < i; j++)
            c->coupled[j * n + i] = c->coupled[i * n + j];
    }
}

/* form = fixed - factor coupled - shift, as a Cholesky factor; false when it is not positive definite. */
static bool factorise(am_p_certifier *c, size_t n, double factor, double shift) {
    for (size_t e = 0; e < n * n; e++)
        c->form[e] = c->fixed[e] - factor * c->coupled[e];
    for (size_t i = 0; i < n; i++)
        c->form[i * n + i] -= shift;
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, c->form, (lapack_int)n) == 0;
}

/* What rounding may have done to the smallest eigenvalue of the form and to its factorisation. */
static double rounding_shift(const am_p_certifier *c, size_t n, double error) {
    double trace = 0.0;
    for (size_t i = 0; i < n; i++)
        trace += fabs(c->fixed[i * n + i]) + c->coupled[i * n + i];
    return 8.0 * DBL_EPSILON * (double)(n + 2) * trace + 2.0 * (double)n * error;
}

/* `inverse` of the form from its factor; false when that fails. */
static bool invert(am_p_certifier *c, size_t n) {
    memcpy(c->inverse, c->form, n * n * sizeof(double));
    if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)n, c->inverse, (lapack_int)n) != 0)
        return false;
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++)
            c->inverse[i * n + j] = c->inverse[j * n + i];
    return true;
}

/* The weights that are best where the form is weakest: stationary for the determinant of the form,
 * w_i^2 = (h_i X h_i^T) / X_ii with X its inverse. Halfway there, in logarithms. */
static void improve_weights(am_p_certifier *c, size_t n, bool first) {
    int size = (int)n;
    cblas_dsymm(CblasRowMajor, CblasRight, CblasLower, size, size, 1.0, c->inverse, size, c->half, size, 0.0,
                c->product, size);
    for (size_t i = 0; i < n; i++) {
        double best = sqrt(am_dense_dot(c->half + i * n, c->product + i * n, n) / c->inverse[i * n + i]);
        bool usable = best > 0.0 && isfinite(best);
        if (first)
            c->weight[i] = usable ? best : DBL_MIN; /* no coupling: nothing is taken */
        else if (usable)
            c->weight[i] = sqrt(c->weight[i] * best);
    }
}

/* Largest ratio x^T coupled x / x^T fixed x, by power iteration with the inverse of `fixed`. A lower bound, which is
 * all that steering needs. */
static double weakest(am_p_certifier *c, size_t n) {
    double ratio = 0.0;
    for (int round = 0; round < 20; round++) {
        am_dense_apply(c->coupled, n, n, c->vector, c->other);
        double last = ratio;
        ratio = am_dense_dot(c->vector, c->other, n) / am_dense_quadratic(c->fixed, c->vector, n);
        am_dense_apply(c->flexible, n, n, c->other, c->next);
        double length = sqrt(am_dense_dot(c->next, c->next, n));
        if (!(length > 0.0) || !isfinite(length))
            return length == 0.0 ? 0.0 : INFINITY;
        for (size_t i = 0; i < n; i++)
            c->vector[i] = c->next[i] / length;
        if (fabs(ratio - last) < 3e-3 * ratio)
            break;
    }
    return ratio;
}

bool am_p_definite(am_p_certifier *certifier, const am_p_rows *rows, size_t rounds, double *margin) {
    am_p_certifier *c = certifier;
    size_t n = rows->n;
    split_rows(c, rows);
    memset(c->coupled, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        c->vector[i] = 1.0 + 0.1 * (double)(i % 7); /* not a vector of symmetry */
    if (!factorise(c, n, 0.0, rounding_shift(c, n, rows->error)) || !invert(c, n))
        return false;
    memcpy(c->flexible, c->inverse, n * n * sizeof(double));
    improve_weights(c, n, true);
    for (size_t round = 0;; round++) {
        couple(c, n);
        double ratio = weakest(c, n);
        if (ratio < 1.0 && factorise(c, n, 1.0, rounding_shift(c, n, rows->error))) {
            *margin = fmin(*margin, 1.0 - ratio);
            return true;
        }
        /* Better weights seldom gain more than half, and less with every round. */
        if (round >= rounds || !(ratio < 1.0 + 1.0 / (double)(round + 1)))
            return false;
        double factor = 0.95 / ratio;
        while (factor > 0.05 && !factorise(c, n, factor, 0.0))
            factor *= 0.8;
        if (factor <= 0.05 || !invert(c, n))
            return false;
        improve_weights(c, n, false);
    }
}
