/* Friction that depends on speed, or remembers, in the space of the modes. With f the forces of the rubs along t and
 * lambda the normal forces,
 *
 *     lambda = Lambda y + Lambda' y' + R f,    f = F_N lambda - F_v Phi_t^T y' + F_w w,    t.x = Phi_t^T y + S f
 *     w' = r_w w + r_N lambda - r_v t.x',      y'' = -Omega^2 y - D y' + Phi_t f
 *
 * R and S are what friction at single contacts does at rest beyond the modes (docs/squeal.md, section 4). The damping F_v
 * feels the speed of the modes alone. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analyses/squeal/projected.h"
#include "math/dense.h"
#include "system/combination.h"

static void add(double *to, double factor, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] += factor * x[i];
}

/* What is remembered at this friction. */
static void list_inner(am_squeal_projected *q) {
    q->inner = 0;
    for (size_t r = 0; r < q->rubs; r++)
        for (size_t i = 0; i < q->full->rub[r].memories && q->full->rub[r].remembers; i++)
            q->memory_of[q->inner++] = (am_squeal_memory){r, i};
}

static const am_drag *slope(const am_squeal_projected *q, size_t r) {
    return &q->full->rub[r].slope;
}

/* lambda of y, y' and w, column by column, from (1 - R F_N) lambda = Lambda y + (Lambda' - R F_v Phi_t^T) y' + R F_w w. */
static bool solve_forces(am_squeal_projected *q) {
    size_t m = q->m, p = q->p, rubs = q->rubs, columns = 2 * p + q->inner;
    for (size_t r = 0; r < m; r++)
        for (size_t c = 0; c < m; c++)
            q->small[c * m + r] = (r == c) - q->residual_force[r * rubs + c] * slope(q, c)->force.by_N;
    memcpy(q->right, q->force, p * m * sizeof *q->right);
    for (size_t j = 0; j < p; j++)
        for (size_t r = 0; r < m; r++) {
            double sum = q->force_rate ? q->force_rate[j * m + r] : 0.0;
            for (size_t c = 0; c < rubs; c++)
                sum -= q->residual_force[r * rubs + c] * slope(q, c)->force.by_v * q->across[j * rubs + c];
            q->right[(p + j) * m + r] = sum;
        }
    for (size_t w = 0; w < q->inner; w++)
        for (size_t r = 0; r < m; r++) {
            size_t c = q->memory_of[w].rub;
            q->right[(2 * p + w) * m + r] =
                q->residual_force[r * rubs + c] * slope(q, c)->force.by_w[q->memory_of[w].which];
        }
    return m == 0 || LAPACKE_dgesv_work(LAPACK_COL_MAJOR, (lapack_int)m, (lapack_int)columns, q->small, (lapack_int)m,
                                        q->order, q->right, (lapack_int)m) == 0;
}

/* f of y, y' and w: rubs x (2 p + inner), row by row. */
static void fill_rubs(am_squeal_projected *q) {
    size_t p = q->p, columns = 2 * p + q->inner;
    for (size_t r = 0; r < q->rubs; r++) {
        double *f = q->rub_force + r * columns;
        for (size_t j = 0; j < columns; j++)
            f[j] = r < q->m ? slope(q, r)->force.by_N * q->right[j * q->m + r] : 0.0;
        for (size_t j = 0; j < p; j++)
            f[p + j] -= slope(q, r)->force.by_v * q->across[j * q->rubs + r];
    }
    for (size_t w = 0; w < q->inner; w++)
        q->rub_force[q->memory_of[w].rub * columns + 2 * p + w] +=
            slope(q, q->memory_of[w].rub)->force.by_w[q->memory_of[w].which];
}

/* K, D and P: y'' = -K y - D y' + P w. */
static void fill_modes(am_squeal_projected *q) {
    size_t p = q->p, columns = 2 * p + q->inner;
    for (size_t i = 0; i < p; i++) {
        double *pull = q->pull + i * columns;
        memset(pull, 0, columns * sizeof *pull);
        for (size_t r = 0; r < q->rubs; r++)
            add(pull, q->across[i * q->rubs + r], q->rub_force + r * columns, columns);
        for (size_t j = 0; j < p; j++) {
            q->K[i * p + j] = q->circulatory[i * p + j] + (i == j ? q->omega2[i] : 0.0) - pull[j];
            q->D[i * p + j] = q->damping[i * p + j] - pull[p + j];
        }
    }
}

/* r_v S f' with f' = f_y y' + f_v y'' + f_w w': what friction does to the speed of the rub itself. f: row of S f. */
static void add_slip(am_squeal_projected *q, double by_v, const double *f, double *row, double *left) {
    size_t p = q->p, columns = 2 * p + q->inner;
    add(left, by_v, f + 2 * p, q->inner);
    add(row + p, -by_v, f, p);
    for (size_t l = 0; l < p; l++) {
        add(row, by_v * f[p + l], q->K + l * p, p);
        add(row + p, by_v * f[p + l], q->D + l * p, p);
        add(row + 2 * p, -by_v * f[p + l], q->pull + l * columns + 2 * p, q->inner);
    }
}

/* feedback w' = rates (y, y', w). */
static void fill_rates(am_squeal_projected *q) {
    size_t p = q->p, columns = 2 * p + q->inner, rubs = q->rubs;
    for (size_t w = 0; w < q->inner; w++) {
        size_t r = q->memory_of[w].rub;
        const am_sloped *rate = &slope(q, r)->rate[q->memory_of[w].which];
        double *row = q->rates + w * columns, *left = q->feedback + w * q->inner;
        for (size_t j = 0; j < columns; j++)
            row[j] = r < q->m ? rate->by_N * q->right[j * q->m + r] : 0.0;
        for (size_t v = 0; v < q->inner; v++) {
            row[2 * p + v] += q->memory_of[v].rub == r ? rate->by_w[q->memory_of[v].which] : 0.0;
            left[v] = w == v;
        }
        for (size_t j = 0; j < p; j++)
            row[p + j] -= rate->by_v * q->across[j * rubs + r];
        memset(q->slip, 0, columns * sizeof *q->slip);
        for (size_t c = 0; c < rubs; c++)
            add(q->slip, q->residual_slip[r * rubs + c], q->rub_force + c * columns, columns);
        add_slip(q, rate->by_v, q->slip, row, left);
    }
}

am_status am_squeal_projected_friction(am_squeal_projected *q, double mu, am_error *err) {
    am_squeal_friction_set(q->full, mu);
    list_inner(q);
    bool solved = am_squeal_friction_is_finite(q->full) && solve_forces(q);
    if (solved) {
        fill_rubs(q);
        fill_modes(q);
        fill_rates(q);
        solved =
            q->inner == 0 ||
            LAPACKE_dgesv_work(LAPACK_ROW_MAJOR, (lapack_int)q->inner, (lapack_int)(2 * q->p + q->inner), q->feedback,
                               (lapack_int)q->inner, q->inner_order, q->rates, (lapack_int)(2 * q->p + q->inner)) == 0;
    }
    return solved ? AM_OK
                  : am_fail(err, AM_ERR_EVIDENCE, "the contact forces have no finite size at the friction %g", mu);
}

void am_squeal_projected_remember(const am_squeal_projected *q, const double *omega, double *a, size_t k) {
    size_t p = q->p, columns = 2 * p + q->inner;
    for (size_t w = 0; w < q->inner; w++) {
        const double *row = q->rates + w * columns;
        for (size_t j = 0; j < p; j++) {
            a[(p + j) * k + 2 * p + w] = q->pull[j * columns + 2 * p + w];
            a[(2 * p + w) * k + j] = row[j] / omega[j];
            a[(2 * p + w) * k + p + j] = row[p + j];
        }
        for (size_t v = 0; v < q->inner; v++)
            a[(2 * p + w) * k + 2 * p + v] = row[2 * p + v];
    }
}

/* (s - rates_w) w = (rates_y + s rates_v) y; K - P of that. */
am_status am_squeal_projected_recall(am_squeal_projected *q, double complex s, am_error *err) {
    size_t p = q->p, inner = q->inner, columns = 2 * p + inner;
    for (size_t w = 0; w < inner; w++) {
        const double *row = q->rates + w * columns;
        for (size_t v = 0; v < inner; v++)
            q->decay[v * inner + w] = (w == v ? s : 0.0) - row[2 * p + v];
        for (size_t j = 0; j < p; j++)
            q->recalled[j * inner + w] = row[j] + s * row[p + j];
    }
    lapack_int n = (lapack_int)inner;
    if (inner > 0 && LAPACKE_zgesv_work(LAPACK_COL_MAJOR, n, (lapack_int)p, (lapack_complex_double *)q->decay, n,
                                        q->inner_order, (lapack_complex_double *)q->recalled, n) != 0)
        return am_fail(err, AM_ERR_EVIDENCE, "what friction remembers has no finite size near %g + %gi", creal(s),
                       cimag(s));
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            for (size_t w = 0; w < inner; w++)
                q->matrix[j * p + i] -= q->pull[i * columns + 2 * p + w] * q->recalled[j * inner + w];
    return AM_OK;
}

void am_squeal_projected_recalled(const am_squeal_projected *q, double complex s, const double complex *y,
                                  double complex *lambda, double complex *w) {
    size_t p = q->p, m = q->m, inner = q->inner;
    for (size_t r = 0; r < m; r++)
        lambda[r] = 0.0;
    for (size_t v = 0; v < q->full->w; v++)
        w[v] = 0.0;
    for (size_t j = 0; j < p; j++)
        for (size_t r = 0; r < m; r++)
            lambda[r] += (q->right[j * m + r] + s * q->right[(p + j) * m + r]) * y[j];
    for (size_t v = 0; v < inner; v++) {
        double complex value = 0.0;
        for (size_t j = 0; j < p; j++)
            value += q->recalled[j * inner + v] * y[j];
        for (size_t r = 0; r < m; r++)
            lambda[r] += q->right[(2 * p + v) * m + r] * value;
        w[q->full->rub[q->memory_of[v].rub].first + q->memory_of[v].which] = value;
    }
}
