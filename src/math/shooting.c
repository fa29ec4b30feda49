#include "math/shooting.h"
#include "base/try.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/eigen.h"

am_status am_shooting_step(double *matrix, size_t order, double weak, double *right, double *values, size_t *rank,
                           am_error *err) {
    double norm = sqrt(am_dense_dot(matrix, matrix, order * order));
    lapack_int n = (lapack_int)order, kept = 0;
    *rank = 0;
    if (!isfinite(norm) || !am_dense_is_finite(right, order))
        return am_fail(err, AM_ERR_LIMIT, "the motion grows beyond all bounds");
    if (!(norm > weak)) {
        memset(right, 0, order * sizeof *right);
        return AM_OK;
    }
    double share = fmin(0.5, weak * fmax(1.0, 1.0 / norm));
    lapack_int info = LAPACKE_dgelsd(LAPACK_ROW_MAJOR, n, n, 1, matrix, n, right, 1, values, share, &kept);
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while closing an orbit");
    if (info != 0)
        return am_fail(err, AM_ERR_LIMIT, "the linear equations of Newton's method could not be solved");
    *rank = (size_t)kept;
    return AM_OK;
}

/* Turn the coordinates so that the first direction is that of the flow: a Householder reflection H with H e1 = f. The
 * rest of H phi H acts across the orbit. Returns its corner, f.phi f. */
static double split_off_flow(double *phi, size_t d, double *f) {
    f[0] -= f[0] > 0.0 ? -1.0 : 1.0; /* f -> +-e1: no cancellation */
    double length = am_dense_dot(f, f, d);
    for (size_t i = 0; i < d; i++) { /* from the right */
        double sum = 2.0 / length * am_dense_dot(phi + i * d, f, d);
        for (size_t j = 0; j < d; j++)
            phi[i * d + j] -= sum * f[j];
    }
    for (size_t j = 0; j < d; j++) { /* from the left */
        double sum = 0.0;
        for (size_t i = 0; i < d; i++)
            sum += f[i] * phi[i * d + j];
        for (size_t i = 0; i < d; i++)
            phi[i * d + j] -= 2.0 / length * sum * f[i];
    }
    return phi[0];
}

static void leave_out_family(am_multiplier *m, size_t count, size_t family) {
    for (size_t f = 0; f < family && count > 0; f++) {
        size_t nearest = 0;
        for (size_t i = 1; i < count; i++)
            if (hypot(m[i].re - 1.0, m[i].im) < hypot(m[nearest].re - 1.0, m[nearest].im))
                nearest = i;
        m[nearest] = (am_multiplier){0};
    }
}

static void sort_by_modulus(am_multiplier *m, size_t count) {
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0; j--) {
            if (!(hypot(m[j].re, m[j].im) > hypot(m[j - 1].re, m[j - 1].im) * (1.0 + 1e-14)))
                break; /* conjugates stay in their order */
            am_multiplier swap = m[j];
            m[j] = m[j - 1];
            m[j - 1] = swap;
        }
}

am_status am_multipliers_find(double *phi, size_t d, double *flow, size_t family, double *work,
                              am_multiplier *multiplier, size_t count, double *trivial, am_error *err) {
    size_t first = flow ? 1 : 0, left = d - first;
    am_eigen eigen = {0};
    *trivial = flow ? split_off_flow(phi, d, flow) : NAN;
    for (size_t i = 0; i < left; i++)
        memcpy(work + i * left, phi + (i + first) * d + first, left * sizeof *work);
    AM_TRY(am_eigen_init(&eigen, work, left, 0.0, err));
    for (size_t i = 0; i < count; i++)
        multiplier[i] =
            i < left ? (am_multiplier){eigen.real[i], eigen.imaginary[i], eigen.uncertainty[i]} : (am_multiplier){0};
    am_eigen_clear(&eigen);
    leave_out_family(multiplier, left, family);
    sort_by_modulus(multiplier, count);
    return AM_OK;
}
