/* Condensed coordinates in which the linear structure is diagonal.
 *
 * The coordinates that carry no nonlinear force may be chosen freely. With the modes of K_ii and M_ii (the directions
 * of nonlinear forces held), Z_ii is diagonal at every frequency, provided that the modes are not coupled by damping
 * (none, or proportional to mass and stiffness): to condense one harmonic then costs ni r^2 operations instead of
 * ni^3. Where they are coupled, or rounding hides whether they are, nothing is changed. */
#include <string.h>

#include "base/memory.h"
#include "engines/balance/balance_internal.h"
#include "math/eigen.h"

enum { FEWEST_MODES = 16 }; /* below, factors of Z_ii are as quick */

static void take_inner(const am_balance *b, const double *rotated, double *inner) {
    size_t n = b->n, r = b->r, ni = n - r;
    for (size_t i = 0; i < ni; i++)
        memcpy(inner + i * ni, rotated + (r + i) * n + r, ni * sizeof *inner);
}

/* The columns of Q behind the first r become their combinations by the rows of `modes`. */
static void combine(am_balance *b, const double *modes, double *row) {
    size_t n = b->n, r = b->r, ni = n - r;
    for (size_t i = 0; i < n; i++) {
        double *q = b->Q + i * n + r;
        memcpy(row, q, ni * sizeof *row);
        for (size_t k = 0; k < ni; k++) {
            q[k] = 0.0;
            for (size_t l = 0; l < ni; l++)
                q[k] += modes[k * ni + l] * row[l];
        }
    }
    b->stale_matrices = b->stale_loads = true;
}

static am_status try_modes(am_balance *b, double *work, am_error *err) {
    size_t n = b->n, ni = n - b->r;
    double *K = work, *M = K + ni * ni, *values = M + ni * ni, *kept = values + ni;
    am_error own = {0};
    take_inner(b, b->rotated + 2 * n * n, K);
    take_inner(b, b->rotated, M);
    am_status status = am_generalised_eigen(K, M, ni, values, &own);
    if (status)
        return status == AM_ERR_MEMORY ? am_fail(err, status, "%s", own.message) : AM_OK; /* parts without mass */
    memcpy(kept, b->Q, n * n * sizeof *kept);
    combine(b, K, values);
    b->modal = true;
    am_balance_rotate(b);
    if (!b->diagonal) {
        memcpy(b->Q, kept, n * n * sizeof *kept);
        b->modal = false;
        b->stale_matrices = b->stale_loads = true;
    }
    return AM_OK;
}

am_status am_balance_find_modes(am_balance *b, am_error *err) {
    size_t n = b->n, ni = n - b->r;
    if (!b->condensed || ni < FEWEST_MODES)
        return AM_OK;
    am_balance_rotate(b);
    if (!b->symmetric)
        return AM_OK;
    double *work = am_memory_new(2 * ni * ni + ni + n * n, sizeof *work, err);
    if (!work)
        return AM_ERR_MEMORY;
    am_status status = try_modes(b, work, err);
    am_memory_free(work);
    return status;
}
