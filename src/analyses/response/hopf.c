/* Where a branch of self-excited motions shrinks to rest: a Hopf bifurcation.
 *
 * At rest the balance is singular (any frequency solves it), but divided by the amplitude s it is not: unknowns (u,
 * omega, p) with F(u, omega, p)/s = 0 and |u|^2 = s^2 are followed to ever smaller s; p moves by O(s^2). */
#include <math.h>
#include <string.h>

#include "analyses/response/response_internal.h"
#include "base/memory.h"
#include "base/try.h"

typedef struct shrinking {
    const am_continuation_problem *inner;
    double *F, *J, *Fp;
} shrinking;

static am_status evaluate(void *context, const double *x, double s, double *F, double *J, double *Fs, am_error *err) {
    shrinking *z = context;
    size_t n = z->inner->n, N = n + 1;
    AM_TRY(z->inner->evaluate(z->inner->context, x, x[n], z->F, J ? z->J : NULL, J ? z->Fp : NULL, err));
    double square = 0.0;
    for (size_t i = 0; i + 1 < n; i++) /* the last unknown is omega */
        square += x[i] * x[i];
    for (size_t i = 0; i < n; i++)
        F[i] = z->F[i] / s;
    F[n] = square / (s * s) - 1.0;
    if (J) {
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++)
                J[i * N + j] = z->J[i * n + j] / s;
            J[i * N + n] = z->Fp[i] / s;
        }
        for (size_t j = 0; j < N; j++)
            J[n * N + j] = j + 1 < n ? 2.0 * x[j] / (s * s) : 0.0;
    }
    if (Fs)
        memset(Fs, 0, N * sizeof *Fs);
    return AM_OK;
}

/* Halve the amplitude until p no longer moves; each solution scaled is the next guess. */
static am_status shrink(am_response *r, am_continuation *curve, const am_continuation_problem *problem, double *x,
                        double size, am_error *err) {
    size_t n = r->size;
    double first = size;
    while (size > 1e-6 * first) {
        size *= 0.5;
        for (size_t i = 0; i + 1 < n; i++)
            x[i] *= 0.5;
        AM_TRY(am_continuation_solve(curve, problem, size, 1e-11, x, NULL, err));
    }
    return AM_OK;
}

am_status am_response_hopf(am_response *r, size_t from, am_response_point *point, am_error *err) {
    size_t n = r->size;
    double *x = am_memory_new(3 * n + 1 + n * n, sizeof *x, err), size = 0.0;
    am_continuation *curve = x ? am_continuation_create(n + 1, 0, err) : NULL;
    am_status status = curve ? AM_OK : AM_ERR_MEMORY;
    if (curve) {
        double *F = x + n + 1;
        shrinking z = {.inner = &r->problem, .F = F, .Fp = F + n, .J = F + 2 * n};
        am_continuation_problem problem = {.n = n + 1, .evaluate = evaluate, .context = &z};
        memcpy(x, r->x + from * n, n * sizeof *x);
        x[n] = r->point[from].p;
        for (size_t i = 0; i + 1 < n; i++)
            size += x[i] * x[i];
        status = shrink(r, curve, &problem, x, sqrt(size), err);
        memset(r->trial, 0, (n - 1) * sizeof *r->trial);
        r->trial[n - 1] = x[n - 1];
        *point = am_response_point_new("hopf", !status, x[n], 0.0); /* at rest: balanced exactly */
        point->frequency = x[n - 1];
    }
    am_continuation_free(curve);
    am_memory_free(x);
    return status;
}
