/* Structures whose motions all approach each other.
 *
 * Two motions under the same loads differ by dx, with the forces of their sliders behind springs differing by df. Let
 *
 *     E = 1/2 dx'^T M dx' + 1/2 dx^T K dx + sum of df^2/(2 k).
 *
 * Linear forces take dx'^T C dx' from it. Coulomb friction under a given normal force takes dv dT >= 0 (rigid, and
 * regularised: the force grows with the speed of slip), and a slider behind a spring takes its dissipated part in the
 * same way, df (dv - df'/k) >= 0, as |f| <= mu N(t) is the same convex set for both. With M, K and the symmetric part of
 * C positive definite E falls as long as the velocities differ, whatever the contacts do, and rests only where dx = 0 but
 * for contacts that never slip (those remember where they stuck, in any motion). So the structure has one periodic
 * motion, and it is stable: no multiplier needs to be computed. With matrices that are semidefinite only, as those
 * of free structures are, E does not grow. */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"

static bool is_monotonic(const am_balance_joint *joint) {
    bool coulomb = joint->friction == AM_FRICTION_JENKINS || joint->friction == AM_FRICTION_RIGID ||
                   joint->friction == AM_FRICTION_REGULARISED || joint->friction == AM_FRICTIONLESS;
    return coulomb && !joint->compliant && !joint->general && !(joint->worn > 0.0);
}

static bool is_passive(const am_balance *b) {
    for (size_t c = 0; c < b->contacts; c++)
        if (!is_monotonic(&b->joint[c]))
            return false;
    return b->springs == 0 && b->varyings == 0;
}

/* Is the symmetric part positive definite, or (`semi`) semidefinite, with room for the rounding of n^3 operations? */
static am_status is_definite(const double *a, size_t n, bool semi, double *work, bool *definite, am_error *err) {
    double room = 1e-14 * (double)n, largest = am_dense_largest(a, n * n);
    size_t failing;
    *definite = semi && largest == 0.0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            work[i * n + j] = 0.5 * (a[i * n + j] + a[j * n + i]);
    for (size_t i = 0; i < n; i++)
        work[i * n + i] += semi ? room * largest : -room * a[i * n + i];
    if (*definite)
        return AM_OK;
    AM_TRY(am_dense_definite(work, n, &failing, err));
    *definite = failing == n;
    return AM_OK;
}

/* At the present numbers. */
static am_status are_definite(const am_balance *b, bool semi, double *work, bool *definite, am_error *err) {
    const double *M = b->numbers + b->at_M, *C = b->numbers + b->at_C, *K = b->numbers + b->at_K;
    *definite = am_dense_is_symmetric(M, b->n) && am_dense_is_symmetric(K, b->n);
    const double *const three[] = {M, C, K};
    for (size_t i = 0; i < 3 && *definite; i++)
        AM_TRY(is_definite(three[i], b->n, semi, work, definite, err));
    return AM_OK;
}

/* Matrices on a straight line are definite between two places where they are. */
am_status am_balance_contracts(am_balance *b, bool *contracts, am_error *err) {
    *contracts = false;
    if (!is_passive(b) || b->free_omega || (b->moves_matrices && !b->matrix_slope))
        return AM_OK;
    AM_LOCAL_ARENA memory = {0};
    double *work = am_arena_doubles(&memory, NULL, b->n * b->n, err);
    AM_TRY(am_arena_status(&memory));
    AM_TRY(am_balance_set(b, b->from, err));
    AM_TRY(are_definite(b, false, work, contracts, err));
    if (!*contracts || !b->moves_matrices)
        return AM_OK;
    AM_TRY(am_balance_set(b, b->to, err));
    return are_definite(b, false, work, contracts, err);
}

am_status am_balance_dissipates(am_balance *b, double p, bool *dissipates, am_error *err) {
    *dissipates = false;
    if (!is_passive(b))
        return AM_OK;
    AM_LOCAL_ARENA memory = {0};
    double *work = am_arena_doubles(&memory, NULL, b->n * b->n, err);
    AM_TRY(am_arena_status(&memory));
    AM_TRY(am_balance_set(b, p, err));
    return are_definite(b, true, work, dissipates, err);
}
