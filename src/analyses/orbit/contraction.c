#include "analyses/orbit/contraction.h"
#include "base/try.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "analyses/orbit/section_walk.h"
#include "base/arena.h"
#include "engines/switching/switching.h"
#include "math/dense.h"

/* Rounds in which a deviation from the slow directions decays. */
static const size_t settle_rounds = 3;

/* By how much the squared distance may grow in these rounds. */
static const double most_growth = 1.5;

/* Deviations from the orbit are measured across it: in coordinates y (r of them) of the admissible directions, turned
 * so that the first one is that of the flow, which is left out when the orbit is self-excited. */
typedef struct neighbourhood {
    am_arena memory;
    am_motion *engine;
    const am_orbit_return *how;
    const am_orbit *orbit;
    size_t d, k, r, first; /* first: 1 when the direction of the flow is left out */
    uint64_t route;        /* fingerprint of the orbit's switches, known after the first time around */
    bool route_known;
    double *basis;         /* d x d, k rows: turned */
    double *B;             /* r x r: derivative of the return map */
    double *P;             /* r x r: y^T P y is the squared norm */
    double *work;          /* d d + 3 m d + 2 d */
    double *other;         /* d d */
    double *state, *y, *z; /* d each */
} neighbourhood;

static am_status reserve(neighbourhood *t, size_t m, am_error *err) {
    size_t d = t->d;
    AM_ARENA_DOUBLES(&t->memory, d * d, err, &t->basis, &t->B, &t->P, &t->other);
    AM_ARENA_DOUBLES(&t->memory, d, err, &t->state, &t->y, &t->z);
    t->work = am_arena_doubles(&t->memory, NULL, d * d + 3 * m * d + 2 * d, err);
    return am_arena_status(&t->memory);
}

/* Reflect the basis so that its first row is along f. */
static void reflect_basis(neighbourhood *t, const double *f) {
    size_t d = t->d, k = t->k;
    double *u = t->y, norm = 0.0;
    for (size_t a = 0; a < k; a++) {
        u[a] = 0.0;
        for (size_t i = 0; i < d; i++)
            u[a] += t->basis[a * d + i] * t->engine->plan.weight[i] * f[i];
        norm += u[a] * u[a];
    }
    if (!(norm > 0.0))
        return;
    u[0] += u[0] > 0.0 ? sqrt(norm) : -sqrt(norm);
    double length = am_dense_dot(u, u, k);
    for (size_t i = 0; i < d; i++) {
        double sum = 0.0;
        for (size_t a = 0; a < k; a++)
            sum += u[a] * t->basis[a * d + i];
        for (size_t a = 0; a < k; a++)
            t->basis[a * d + i] -= 2.0 / length * sum * u[a];
    }
}

/* Once around, by the switches of the orbit. */
static am_status go_around(neighbourhood *t, const double *start, am_error *err) {
    am_walk walk;
    uint64_t route = 0;
    AM_TRY(am_walk_begin(&walk, t->engine, t->how, start, err));
    for (size_t c = 0; c < t->engine->plan.m; c++)
        if (am_motion_states(t->engine)[c] != t->orbit->contact[c])
            return am_fail(err, AM_ERR_LIMIT, "another state of contact");
    while (!walk.done) {
        am_step_kind kind;
        AM_TRY(am_walk_step(&walk, &kind, err));
        route = am_walk_mix_switches(t->engine, route);
        if (am_motion_time(t->engine) - walk.begin > 10.0 * t->orbit->period)
            return am_fail(err, AM_ERR_LIMIT, "no return");
    }
    if (!t->route_known)
        t->route = route, t->route_known = true;
    if (route != t->route)
        return am_fail(err, AM_ERR_LIMIT, "other switches");
    return AM_OK;
}

/* B from one round with sensitivities. */
static am_status linearise(neighbourhood *t, am_error *err) {
    AM_TRY(am_motion_follow_sensitivity(t->engine, true, err));
    AM_TRY(am_motion_start_state(t->engine, t->how->start, t->orbit->state, err));
    AM_TRY(am_orbit_basis(t->engine, t->orbit->contact, t->work, t->basis, &t->k, err));
    t->first = am_orbit_is_self_excited(t->how) && t->k > 0;
    t->r = t->k - t->first;
    if (t->first) {
        am_motion_rates(t->engine, NULL, t->z);
        reflect_basis(t, t->z);
    }
    AM_TRY(go_around(t, t->orbit->state, err));
    am_orbit_reduce_sensitivity(t->engine, t->basis + t->first * t->d, t->r, t->work, t->B);
    return AM_OK;
}

static void multiply(const double *a, const double *b, double *c, size_t r) {
    memset(c, 0, r * r * sizeof *c);
    am_dense_add_product(a, b, r, r, r, c);
}

/* P = sum of (B^T)^j B^j, so that B^T P B = P - 1, by doubling: P += A^T P A, A *= A. Then its factor: P = L L^T, L in
 * the lower triangle of `other`. False when B does not contract. */
static bool make_norm(neighbourhood *t) {
    size_t r = t->r;
    double *A = t->B, *PA = t->work, *AA = t->other;
    for (size_t i = 0; i < r * r; i++)
        t->P[i] = i % (r + 1) == 0 ? 1.0 : 0.0;
    double last = 1.0;
    for (size_t i = 0; i < 60 && last > 1e-12; i++) {
        double largest = 0.0;
        last = 0.0;
        multiply(t->P, A, PA, r);
        for (size_t a = 0; a < r; a++)
            for (size_t b = 0; b < r; b++) {
                double sum = 0.0;
                for (size_t l = 0; l < r; l++)
                    sum += A[l * r + a] * PA[l * r + b];
                AA[a * r + b] = sum;
            }
        for (size_t a = 0; a < r * r; a++) {
            t->P[a] += AA[a];
            last = fmax(last, fabs(AA[a]));
            largest = fmax(largest, fabs(t->P[a]));
        }
        if (!(largest < 1e12))
            return false;
        last /= largest;
        multiply(A, A, AA, r);
        memcpy(A, AA, r * r * sizeof *A);
    }
    if (!(last <= 1e-12))
        return false;
    memcpy(t->other, t->P, r * r * sizeof *t->P);
    return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (lapack_int)r, t->other, (lapack_int)r) == 0;
}

static void deviation(const neighbourhood *t, const double *x, double *y) {
    for (size_t a = 0; a < t->r; a++) {
        double sum = 0.0;
        for (size_t i = 0; i < t->d; i++)
            sum += t->basis[(a + t->first) * t->d + i] * t->engine->plan.weight[i] * (x[i] - t->orbit->state[i]);
        y[a] = sum;
    }
}

static void place(neighbourhood *t, const double *y) {
    for (size_t i = 0; i < t->d; i++) {
        double sum = 0.0;
        for (size_t a = 0; a < t->r; a++)
            sum += t->basis[(a + t->first) * t->d + i] * y[a];
        t->state[i] = t->orbit->state[i] + sum / t->engine->plan.weight[i];
    }
}

/* Does the return map bring the point orbit + y nearer to the orbit? First a few rounds let the fast directions decay:
 * what they do to the slow ones on the way is no matter of contraction. The last deviation goes to `after`. */
static am_status contracts(neighbourhood *t, const double *y, double *after, bool *yes, am_error *err) {
    am_error own = {0};
    double start = am_dense_quadratic(t->P, y, t->r), before = start, now = start;
    am_status status = AM_OK;
    place(t, y);
    for (size_t round = 0; round <= settle_rounds && !status; round++) {
        status = go_around(t, t->state, &own);
        if (status)
            break;
        memcpy(t->state, am_motion_state(t->engine), t->d * sizeof *t->state);
        deviation(t, t->state, after);
        before = now;
        now = am_dense_quadratic(t->P, after, t->r);
    }
    *yes = !status && now < before && now < most_growth * start;
    if (status == AM_ERR_MEMORY)
        *err = own;
    return status == AM_ERR_MEMORY ? status : AM_OK;
}

/* The points centre + radius * (axes, both ways), axes of length 1 in the norm and perpendicular to each other in it.
 */
static am_status contracts_around(neighbourhood *t, const double *centre, double radius, bool *yes, am_error *err) {
    size_t r = t->r;
    *yes = true;
    for (size_t point = 0; point < 2 * r && *yes; point++) {
        memset(t->z, 0, r * sizeof *t->z);
        t->z[point / 2] = point % 2 == 0 ? radius : -radius;
        *yes = LAPACKE_dtrtrs(LAPACK_ROW_MAJOR, 'L', 'T', 'N', (lapack_int)r, 1, t->other, (lapack_int)r, t->z, 1) == 0;
        for (size_t a = 0; a < r; a++)
            t->z[a] += centre[a];
        if (*yes)
            AM_TRY(contracts(t, t->z, t->work, yes, err));
    }
    return AM_OK;
}

/* The whole ellipsoid through x, and half of it. */
static am_status contracts_everywhere(neighbourhood *t, double radius, bool *yes, am_error *err) {
    double *centre = t->work + t->r;
    memset(centre, 0, t->r * sizeof *centre);
    AM_TRY(contracts_around(t, centre, radius, yes, err));
    return !*yes ? AM_OK : contracts_around(t, centre, 0.5 * radius, yes, err);
}

/* A slow motion towards the orbit along one direction may be captured on its own side only: points from x to the orbit.
 */
static am_status contracts_on_the_way(neighbourhood *t, bool *yes, am_error *err) {
    static const double parts[] = {0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125};
    double *centre = t->work + t->r;
    *yes = true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && *yes; i++) {
        for (size_t a = 0; a < t->r; a++)
            centre[a] = parts[i] * t->y[a];
        AM_TRY(contracts(t, centre, t->work, yes, err));
    }
    return AM_OK;
}

/* Cosine of the angle between two deviations in the norm. */
static double alignment(const neighbourhood *t, const double *a, const double *b) {
    double mixed = 0.0;
    for (size_t i = 0; i < t->r; i++)
        mixed += a[i] * am_dense_dot(t->P + i * t->r, b, t->r);
    return mixed / sqrt(am_dense_quadratic(t->P, a, t->r) * am_dense_quadratic(t->P, b, t->r));
}

static am_status examine_neighbours(neighbourhood *t, const double *x, bool *captured, am_error *err) {
    deviation(t, x, t->y);
    double radius = sqrt(am_dense_quadratic(t->P, t->y, t->r));
    AM_TRY(contracts(t, t->y, t->work, captured, err));
    if (!*captured)
        return AM_OK;
    bool straight = alignment(t, t->y, t->work) > 0.999;
    AM_TRY(contracts_everywhere(t, radius, captured, err));
    if (!*captured && straight)
        AM_TRY(contracts_on_the_way(t, captured, err));
    return AM_OK;
}

am_status am_orbit_captures(am_motion *engine, const am_orbit_return *how, const am_orbit *orbit, const double *x,
                            bool *captured, am_error *err) {
    neighbourhood t = {.engine = engine, .how = how, .orbit = orbit, .d = am_motion_dimension(engine)};
    am_error own = {0};
    *captured = false;
    if (orbit->family > 0)
        return AM_OK;
    am_status status = reserve(&t, engine->plan.m, &own);
    if (!status)
        status = linearise(&t, &own);
    am_motion_follow_sensitivity(engine, false, NULL);
    if (!status && t.r > 0 && make_norm(&t))
        status = examine_neighbours(&t, x, captured, &own);
    am_arena_clear(&t.memory);
    if (status != AM_ERR_MEMORY)
        return AM_OK; /* a neighbour that cannot be followed is no error: the state is not captured */
    if (err)
        *err = own;
    return status;
}
