/* Friction that remembers, w' = r(v, N, w), on rigid contacts: N is the force that keeps them closed, and changes at once with
 * everything that acts. With rows l_c, l_c.b_c = 1 and l_c.b = 0 for all other directions of forces of contacts,
 *
 *     dN_c = l_c.(M Z y'' + C Z y' + K Z y + P w)
 *
 * so that l_c stands as one more row below those of W while the equations are made, and is then a part of w'. What it
 * says of y'' is replaced by the equations of y. */
#include <math.h>
#include <string.h>

#include "analyses/stability/linearised.h"
#include "base/local.h"
#include "base/try.h"
#include "math/dense.h"
#include "system/capability.h"
#include "system/steady.h"
#include "system/system.h"

/* Below this contacts hold each other's direction. */
static const double dependent = 1e-13;

static bool follows_reaction(const am_contact_def *contact, am_contact_state state, double normal) {
    if (contact->normal_law != AM_UNILATERAL || (state != AM_FORWARD && state != AM_BACKWARD) ||
        !contact->speed_friction.law || am_steady_memories(contact) == 0)
        return false;
    am_drag slope = am_steady_slope(contact, normal);
    return slope.rate[0].by_N != 0.0 || slope.rate[1].by_N != 0.0;
}

bool am_reactions_matter(const am_system *system, const am_sliding *s) {
    for (size_t c = 0; c < s->m && s->known; c++)
        if (follows_reaction(&system->contact[c], s->state[c], s->normal[c]))
            return true;
    return false;
}

/* The inverse of the products of unit vectors along the rows of B, whose lengths are given too. */
static am_status invert_products(const double *B, size_t p, size_t n, double *length, double *inverse, double *rcond,
                                 am_error *err) {
    for (size_t i = 0; i < p; i++)
        length[i] = sqrt(am_dense_dot(B + i * n, B + i * n, n));
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            inverse[i * p + j] = am_dense_dot(B + i * n, B + j * n, n) / (length[i] * length[j]);
    return am_dense_invert(inverse, p, rcond, err);
}

am_status am_reactions_add(am_linearised *r, const am_system *system, const am_sliding *s, const double *B, size_t p,
                           am_error *err) {
    size_t n = r->n;
    double rcond = 0.0;
    AM_LOCAL_ARENA memory = {0};
    double *length = am_arena_doubles(&memory, NULL, p, err), *inverse = am_arena_doubles(&memory, NULL, p * p, err);
    r->reaction = am_arena_new(&r->memory, s->m, sizeof *r->reaction, err);
    AM_TRY(am_arena_status(&memory));
    AM_TRY(am_arena_status(&r->memory));
    AM_TRY(invert_products(B, p, n, length, inverse, &rcond, err));
    for (size_t c = 0, own = 0; c < s->m; c++) { /* normal directions come first, in the order of contacts */
        const am_contact_def *contact = &system->contact[c];
        if (contact->normal_law != AM_UNILATERAL || s->state[c] == AM_OPEN)
            continue;
        if (follows_reaction(contact, s->state[c], s->normal[c])) {
            if (!(rcond > dependent))
                return am_fail_contact(err, system, c, "friction",
                                       "what friction of the contact '%s' remembers (law %s) changes with its normal "
                                       "force, and how rigid contacts that hold the same direction share their forces "
                                       "is not determined: give it a stiffness (law spring), or hold its normal force",
                                       contact->name, contact->speed_friction.law);
            double *row = r->W + r->rows * n;
            memset(row, 0, n * sizeof *row);
            for (size_t j = 0; j < p; j++)
                for (size_t i = 0; i < n; i++)
                    row[i] += inverse[own * p + j] / (length[own] * length[j]) * B[j * n + i];
            r->reaction[c] = r->rows++;
        }
        own++;
    }
    return AM_OK;
}

void am_reactions_follow(am_linearised *r, size_t w, size_t row, double by_normal) {
    size_t k = r->k;
    for (size_t i = 0; i < k; i++) {
        r->Q[w * k + i] += by_normal * r->K[row * k + i];
        r->V[w * k + i] += by_normal * r->C[row * k + i];
        r->A[w * k + i] += by_normal * r->M[row * k + i];
    }
    for (size_t by = 0; by < r->inner; by++)
        r->decay[w * r->inner + by] += by_normal * r->P[by * r->rows + row];
}

am_status am_reactions_without_inertia(am_linearised *r, am_error *err) {
    size_t k = r->k;
    AM_LOCAL_ARENA memory = {0};
    double *by = am_arena_doubles(&memory, NULL, k, err);
    AM_TRY(am_arena_status(&memory));
    for (size_t w = 0; w < r->inner && r->reaction; w++) {
        const double *A = r->A + w * k;
        memset(by, 0, k * sizeof *by);
        for (size_t j = 0; j < k; j++) {
            if (r->massless[j] && fabs(A[j]) > dependent * am_dense_largest(A, k))
                return am_fail(err, AM_ERR_UNSUPPORTED,
                               "the normal force of a rigid contact follows accelerations in directions without "
                               "inertia, and what friction remembers follows it");
            for (size_t i = 0; i < k && !r->massless[j]; i++)
                by[i] -= A[j] * r->inverse[j * k + i];
        }
        for (size_t i = 0; i < k; i++) {
            for (size_t j = 0; j < k; j++) {
                r->Q[w * k + j] += by[i] * r->K[i * k + j];
                r->V[w * k + j] += r->massless[j] ? 0.0 : by[i] * r->C[i * k + j];
            }
            for (size_t u = 0; u < r->inner; u++)
                r->decay[w * r->inner + u] += by[i] * r->P[u * k + i];
        }
    }
    return AM_OK;
}
