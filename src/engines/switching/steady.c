/* Steady states of the present state of contact (rest, steady sliding), and proof that a motion tends to one of them
 * without another switch. Near a steady state x* the motion of a state of contact is
 *
 *     y' = J y + B r(y),      x = x* + T y,
 *
 * T the directions that its contacts leave free, r what the forces g have beyond their linear parts. With P from
 * J^T P + P J = -1 and V = y^T P y,
 *
 *     V' <= -s |y|^2 + 2 |y| sum over j of |P B_j| k_j |y|^2,     |r_j| <= k_j |y|^2,
 *
 * s being what rounding leaves of 1. The k_j follow from bounds of the second derivatives of the laws over the ellipsoid
 * V <= V(now) (math/tape_bound.h). Where V' < 0 in all of it, the motion stays inside and tends to x*; where every limit
 * of the contacts holds in all of it, none switches. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "engines/switching/switching.h"
#include "laws/law.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/lu.h"
#include "math/tape_bound.h"

static const size_t most_iterations = 50;

/* Room for rounding in what is proved. */
static const double rounding_margin = 256.0 * DBL_EPSILON;

struct am_steady {
    am_arena memory;
    size_t r;                /* directions that are free */
    double *x, *rate;        /* nx, nd: the steady state, and the rate at a guess of it */
    double *T, *L;           /* nd x r, r x nd: T y = x - x*, L T = 1 */
    double *J, *P, *inverse; /* r x r */
    double *work, *other;    /* nd x nd each */
    double *y, *row;         /* nd each */
    double *push;            /* forces x r: B_j, as rows */
    double *slack;           /* forces: |1 - slopes loops|^-1 times k_j */
    double *bend;            /* forces: k_j */
    double *least, *reach;   /* forces x arguments: |c_i|, and how far an argument moves with |y| */
    double *mix;             /* forces x forces: (1 - slopes loops)^-1 */
    int *pivot;              /* nd */
    double doubt;            /* |y| of what rounding may have done to x* */
};

void am_steady_free(am_steady *steady) {
    if (!steady)
        return;
    am_arena_clear(&steady->memory);
    am_memory_free(steady);
}

static am_status make(am_motion *e, am_error *err) {
    size_t nd = e->plan.nd, F = e->plan.forces;
    am_steady *s = e->steady;
    if (s)
        return AM_OK;
    s = am_memory_new(1, sizeof *s, err);
    if (!s)
        return AM_ERR_MEMORY;
    am_arena *memory = &s->memory;
    s->x = am_arena_doubles(memory, NULL, e->plan.nx, err);
    AM_ARENA_DOUBLES(memory, nd, err, &s->rate, &s->y, &s->row);
    AM_ARENA_DOUBLES(memory, nd * nd, err, &s->T, &s->L, &s->J, &s->P, &s->inverse, &s->work, &s->other);
    s->push = am_arena_doubles(memory, NULL, F * nd, err);
    AM_ARENA_DOUBLES(memory, F, err, &s->slack, &s->bend);
    AM_ARENA_DOUBLES(memory, F * AM_FORCE_ARGUMENTS, err, &s->least, &s->reach);
    s->mix = am_arena_doubles(memory, NULL, F * F, err);
    s->pivot = am_arena_new(memory, nd > F ? nd : F, sizeof *s->pivot, err);
    e->steady = s;
    if (!am_arena_status(memory))
        return AM_OK;
    am_steady_free(s);
    e->steady = NULL;
    return AM_ERR_MEMORY;
}

/* ---- directions ---- */

/* Loads that are constant from now on, contacts that can stay where they are. */
static bool can_be_steady(const am_motion *e) {
    const am_system *system = e->plan.system;
    if (isfinite(e->next_break.t) ||
        e->plan.followers + e->plan.lights > 0) /* velocities that follow are no state of their own */
        return false;
    for (size_t i = 0; i < system->entries; i++)
        if (system->G[i].value * e->x[e->plan.nd + system->G[i].column] != 0.0)
            return false;
    for (size_t c = 0; c < e->plan.m; c++) {
        const am_contact_def *contact = &system->contact[c];
        bool moves = am_engine_surface(e, c) != 0.0, sprung = e->plan.spring[c] != AM_NO_ROW;
        if (e->state[c] == AM_STICK && moves)
            return false; /* it is carried along */
        if (am_plan_is_disc(&e->plan, c))
            return false; /* what a slider in a plane does is looked at along the motion only */
        if (sprung && am_slip_sign(e->state[c]) != 0.0 && am_contact_is_compliant(contact))
            return false; /* the stretch of its spring follows the normal force */
    }
    return true;
}

/* Free directions of displacements (from = 0) or velocities (n): what the contacts' rows leave, orthonormal in the
 * weights. As columns of T and rows of L. */
static am_status add_free(am_motion *e, size_t from, am_error *err) {
    am_steady *s = e->steady;
    const am_combination *k = &e->flow->k;
    const double *w = e->plan.weight + from;
    size_t n = e->plan.n, nd = e->plan.nd, count = n;
    double *basis = s->other;
    memset(basis, 0, n * n * sizeof *basis);
    for (size_t i = 0; i < n; i++)
        basis[i * n + i] = 1.0;
    if (k->p > 0) {
        double *rows = am_memory_new(k->p * n, sizeof *rows, err);
        if (!rows)
            return AM_ERR_MEMORY;
        for (size_t r = 0; r < k->p; r++)
            for (size_t i = 0; i < n; i++)
                rows[r * n + i] = k->J[r * n + i] / w[i];
        am_status status = am_null_space(rows, k->p, n, basis, &count, err);
        am_memory_free(rows);
        AM_TRY(status);
    }
    for (size_t a = 0; a < count; a++, s->r++)
        for (size_t i = 0; i < n; i++) {
            s->T[(from + i) * nd + s->r] = basis[a * n + i] / w[i];
            s->L[s->r * nd + from + i] = basis[a * n + i] * w[i];
        }
    return AM_OK;
}

/* The spring of a slider that sticks is stretched by what its contact moves; one that slips keeps its stretch. */
static void stretch_springs(am_motion *e, size_t displacements) {
    am_steady *s = e->steady;
    size_t n = e->plan.n, nd = e->plan.nd;
    for (size_t c = 0; c < e->plan.m; c++)
        for (size_t a = 0; a < displacements && e->plan.spring[c] != AM_NO_ROW && e->state[c] == AM_STICK; a++)
            for (size_t i = 0; i < n; i++)
                s->T[(2 * n + e->plan.spring[c]) * nd + a] += e->plan.system->contact[c].tangent[i] * s->T[i * nd + a];
}

/* T and L have nd columns each, of which the first r of T and all of L are used. */
static am_status find_directions(am_motion *e, am_error *err) {
    am_steady *s = e->steady;
    size_t n = e->plan.n, nd = e->plan.nd;
    memset(s->T, 0, nd * nd * sizeof *s->T);
    memset(s->L, 0, nd * nd * sizeof *s->L);
    s->r = 0;
    AM_TRY(add_free(e, 0, err));
    size_t displacements = s->r;
    AM_TRY(add_free(e, n, err));
    stretch_springs(e, displacements);
    for (size_t i = 2 * n + e->plan.springs; i < nd; i++, s->r++) { /* internal variables of laws */
        s->T[i * nd + s->r] = 1.0 / e->plan.weight[i];
        s->L[s->r * nd + i] = e->plan.weight[i];
    }
    return AM_OK;
}

/* row (nd) times T: into out (r). */
static void reduce_row(const am_motion *e, const double *row, double *out) {
    const am_steady *s = e->steady;
    for (size_t a = 0; a < s->r; a++)
        out[a] = 0.0;
    for (size_t i = 0; i < e->plan.nd; i++)
        for (size_t a = 0; row[i] != 0.0 && a < s->r; a++)
            out[a] += row[i] * s->T[i * e->plan.nd + a];
}

/* ---- the steady state ---- */

static void find_forces(am_motion *e, double *x) {
    if (e->flow->active > 0)
        am_forces_at(&e->plan, e->flow, &e->forces, x);
}

/* The derivative of a row over x with respect to (q, v, e, w), the forces' share included. */
static void total_row(const am_motion *e, const double *row, double *out) {
    size_t nd = e->plan.nd, first = nd + e->plan.nz;
    memcpy(out, row, nd * sizeof *out);
    for (size_t a = 0; a < e->flow->active; a++) {
        size_t j = e->flow->acting[a];
        for (size_t l = 0; row[first + j] != 0.0 && l < nd; l++)
            out[l] += row[first + j] * e->forces.gradient[j * nd + l];
    }
}

/* x' at s->x, and J = L (dx'/dx) T. */
static void linearise(am_motion *e) {
    am_steady *s = e->steady;
    size_t n = e->plan.n, nd = e->plan.nd, nx = e->plan.nx;
    find_forces(e, s->x);
    memcpy(s->rate, s->x + n, n * sizeof *s->rate);
    am_dense_apply(e->flow->A, e->plan.rows, nx, s->x, s->rate + n);
    if (e->flow->active > 0)
        am_forces_gradient(&e->plan, e->flow, &e->forces);
    for (size_t i = 0; i < nd; i++) { /* rows of (dx'/dx) T */
        memset(s->row, 0, nd * sizeof *s->row);
        if (i < n)
            s->row[n + i] = 1.0;
        else
            total_row(e, e->flow->A + (i - n) * nx, s->row);
        reduce_row(e, s->row, s->work + i * s->r);
    }
    for (size_t a = 0; a < s->r; a++)
        for (size_t b = 0; b < s->r; b++) {
            double sum = 0.0;
            for (size_t i = 0; i < nd; i++)
                sum += s->L[a * nd + i] * s->work[i * s->r + b];
            s->J[a * s->r + b] = sum;
        }
}

/* One step of Newton's method; its size, or INFINITY where there is none. */
static double approach(am_motion *e) {
    am_steady *s = e->steady;
    size_t nd = e->plan.nd, r = s->r;
    double size = 0.0;
    linearise(e);
    memcpy(s->other, s->J, r * r * sizeof *s->J);
    if (!am_lu_factor(s->other, r, s->pivot))
        return INFINITY;
    am_dense_apply(s->L, r, nd, s->rate, s->y);
    am_lu_solve(s->other, r, s->pivot, 1, s->y);
    for (size_t a = 0; a < r; a++)
        size = fmax(size, fabs(s->y[a]));
    for (size_t i = 0; i < nd; i++)
        s->x[i] -= am_dense_dot(s->T + i * nd, s->y, r);
    return isfinite(size) ? size : INFINITY;
}

/* The steady state nearest to the motion, by Newton's method from its displacements; into s->x, with J there. */
static bool find_steady(am_motion *e) {
    am_steady *s = e->steady;
    size_t n = e->plan.n;
    double before = INFINITY;
    memcpy(s->x, e->x, e->plan.nx * sizeof *s->x);
    memset(s->x + n, 0, n * sizeof *s->x);
    for (size_t i = 0; i < most_iterations; i++) {
        double step = approach(e), size = 0.0;
        if (step == INFINITY)
            return false;
        for (size_t j = 0; j < e->plan.nd; j++)
            size = fmax(size, e->plan.weight[j] * fabs(s->x[j]));
        if (step <= 4.0 * DBL_EPSILON * size || (step <= 1e-12 * size && step >= before)) {
            s->doubt = sqrt((double)s->r) * (2.0 * step + rounding_margin * size);
            linearise(e);
            return true;
        }
        before = step;
    }
    return false;
}

static double distance_from(const am_motion *e) {
    double distance = 0.0;
    for (size_t i = 0; i < e->plan.nd; i++)
        distance = fmax(distance, e->plan.weight[i] * fabs(e->x[i] - e->steady->x[i]));
    return distance;
}

static am_status find_growth(const am_motion *e, am_steady_state *steady, am_error *err) {
    am_steady *s = e->steady;
    am_eigen eigen = {0};
    memcpy(s->other, s->J, s->r * s->r * sizeof *s->J);
    am_status status = am_eigen_init(&eigen, s->other, s->r, 0.0, err);
    steady->growth = -INFINITY;
    for (size_t i = 0; i < s->r && !status; i++)
        if (eigen.real[i] > steady->growth) {
            steady->growth = eigen.real[i];
            steady->uncertainty = eigen.uncertainty[i];
        }
    am_eigen_clear(&eigen);
    return status;
}

/* ---- the norm ---- */

/* P with J^T P + P J = -1, from the Schur form J = U S U^T: S^T X + X S = -1, P = U X U^T. */
static bool solve_lyapunov(const am_steady *s, double *P) {
    lapack_int r = (lapack_int)s->r, dimension = 0;
    size_t k = s->r;
    double *S = s->work, *U = s->other, *X = P, scale = 1.0;
    double *real = s->inverse, *imaginary = s->inverse + k; /* not needed yet */
    memcpy(S, s->J, k * k * sizeof *S);
    if (LAPACKE_dgees(LAPACK_ROW_MAJOR, 'V', 'N', NULL, r, S, r, &dimension, real, imaginary, U, r) != 0)
        return false;
    memset(X, 0, k * k * sizeof *X);
    for (size_t i = 0; i < k; i++)
        X[i * k + i] = -1.0;
    if (LAPACKE_dtrsyl(LAPACK_ROW_MAJOR, 'T', 'N', 1, r, r, S, r, S, r, X, r, &scale) != 0 || !(scale > 0.0))
        return false;
    for (size_t i = 0; i < k; i++) /* S = U X */
        for (size_t j = 0; j < k; j++) {
            double sum = 0.0;
            for (size_t l = 0; l < k; l++)
                sum += U[i * k + l] * X[l * k + j] / scale;
            S[i * k + j] = sum;
        }
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++)
            P[i * k + j] = am_dense_dot(S + i * k, U + j * k, k);
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++)
            P[i * k + j] = P[j * k + i] = 0.5 * (P[i * k + j] + P[j * k + i]);
    return true;
}

/* What is left of 1: the smallest eigenvalue of -(J^T P + P J), with rounding_margin for the rounding of J and of the sums. */
static am_status measure_decay(const am_steady *s, double *decay, am_error *err) {
    size_t k = s->r;
    double *sum = s->work, *size = s->other, largest = 0.0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < k; j++) {
            double value = 0.0, terms = 0.0;
            for (size_t l = 0; l < k; l++) {
                double a = s->J[l * k + i] * s->P[l * k + j], b = s->P[i * k + l] * s->J[l * k + j];
                value -= a + b;
                terms += fabs(a) + fabs(b);
            }
            sum[i * k + j] = value;
            size[i * k + j] = terms;
        }
    for (size_t i = 0; i < k; i++) {
        double row = 0.0;
        for (size_t j = 0; j < k; j++)
            row += size[i * k + j];
        largest = fmax(largest, row);
    }
    AM_TRY(am_dense_symmetric_eigenvalues(sum, k, s->y, err));
    *decay = s->y[0] - rounding_margin * largest;
    return AM_OK;
}

/* P, its inverse, its smallest and largest eigenvalue and the decay; false where V is no measure. */
static am_status make_norm(const am_motion *e, double *smallest, double *largest, double *decay, bool *made,
                           am_error *err) {
    am_steady *s = e->steady;
    size_t k = s->r;
    double rcond = 0.0;
    *made = false;
    if (!solve_lyapunov(s, s->P) || !am_dense_is_finite(s->P, k * k))
        return AM_OK;
    AM_TRY(measure_decay(s, decay, err));
    memcpy(s->work, s->P, k * k * sizeof *s->P);
    AM_TRY(am_dense_symmetric_eigenvalues(s->work, k, s->y, err));
    *smallest = s->y[0] - rounding_margin * (double)k * s->y[k - 1];
    *largest = s->y[k - 1];
    if (!(*smallest > 0.0) || !(*decay > 0.5))
        return AM_OK;
    memcpy(s->inverse, s->P, k * k * sizeof *s->P);
    AM_TRY(am_dense_invert(s->inverse, k, &rcond, err));
    *made = rcond > 0.0;
    return AM_OK;
}

/* ---- how far the laws bend ---- */

static const am_formula *formula_of(const am_motion *e, size_t j) {
    return &e->plan.force[j].formula[e->forces.piece[j]];
}

static const double *argument_row(const am_motion *e, size_t a, size_t i) {
    return e->flow->argument + (a * e->plan.arguments + i) * e->plan.nx;
}

static double *of_argument(double *values, size_t a, size_t i) {
    return values + a * AM_FORCE_ARGUMENTS + i;
}

/* Does a law with several pieces stay on the present one while its first argument lies within the bound? */
static bool stays_on_piece(const am_motion *e, size_t j, am_bound speed) {
    const am_force *force = &e->plan.force[j];
    if (force->pieces == 1)
        return true;
    const am_speed_friction *law = &e->plan.system->contact[force->owner].speed_friction;
    size_t piece = e->forces.piece[j];
    return speed.high < am_law_knot(law, piece) && (piece == 0 || speed.low > am_law_knot(law, piece - 1));
}

/* k = 1/2 sum over arguments of |second derivative| reach reach, where each argument is within its box. */
static am_status bend_of(const am_motion *e, size_t a, const am_bound *box, const double *reach, double *bend,
                         am_error *err) {
    size_t j = e->flow->acting[a];
    const am_formula *f = formula_of(e, j);
    am_tape tape;
    am_term second[AM_FORCE_ARGUMENTS][AM_FORCE_ARGUMENTS] = {{0}};
    am_tape_copy(&f->tape, &tape);
    for (size_t i = 0; i < f->arguments; i++)
        for (size_t k = 0; k < f->arguments; k++)
            second[i][k] = am_tape_derivative(&tape, f->slope[i], f->argument[k]);
    am_status status = am_tape_status(&tape, err);
    am_bound *bound = status ? NULL : am_memory_new(tape.count, sizeof *bound, err);
    status = bound ? AM_OK : AM_ERR_MEMORY;
    *bend = INFINITY;
    if (!status && stays_on_piece(e, j, box[0])) {
        for (size_t i = 0; i < f->arguments; i++)
            bound[f->argument[i]] = box[i];
        am_tape_bound(&tape, tape.count, bound);
        *bend = 0.0;
        for (size_t i = 0; i < f->arguments; i++)
            for (size_t k = 0; k < f->arguments; k++) {
                double curved = am_bound_size(bound[second[i][k]]);
                *bend += curved > 0.0 ? 0.5 * curved * reach[i] * reach[k] : 0.0;
            }
    }
    am_memory_free(bound);
    am_tape_clear(&tape);
    return status;
}

/* (1 - slopes loops)^-1: what forces make of a bend of one of them. */
static bool fill_mix(const am_motion *e) {
    am_steady *s = e->steady;
    size_t F = e->flow->active;
    for (size_t i = 0; i < F * F; i++)
        s->mix[i] = i % (F + 1) == 0 ? 1.0 : 0.0;
    if (e->flow->loops) /* factored at the steady state (am_forces_gradient); one column after the other */
        for (size_t b = 0; b < F; b++) {
            double column[64];
            if (F > 64)
                return false;
            for (size_t a = 0; a < F; a++)
                column[a] = a == b ? 1.0 : 0.0;
            am_lu_solve(e->forces.matrix, F, e->forces.pivot, 1, column);
            for (size_t a = 0; a < F; a++)
                s->mix[a * F + b] = column[a];
        }
    return true;
}

/* How far argument i of a moves beyond its linear part: loops carry bends into arguments. */
static double carried(const am_motion *e, size_t a, size_t i, const double *bend) {
    const am_steady *s = e->steady;
    size_t F = e->flow->active, first = e->plan.nd + e->plan.nz;
    double sum = 0.0;
    for (size_t b = 0; e->flow->loops && b < F; b++)
        for (size_t c = 0; c < F; c++)
            sum += fabs(argument_row(e, a, i)[first + e->flow->acting[b]] * s->mix[b * F + c]) * bend[c];
    return sum;
}

/* Bends for arguments that move by up to `reach` |y|, |y| <= radius, and linearly within the ellipsoid of `level`. */
static am_status find_bends(const am_motion *e, double radius, double level, am_error *err) {
    am_steady *s = e->steady;
    for (size_t a = 0; a < e->flow->active; a++) {
        const am_formula *f = formula_of(e, e->flow->acting[a]);
        am_bound box[AM_FORCE_ARGUMENTS];
        for (size_t i = 0; i < f->arguments; i++) {
            total_row(e, argument_row(e, a, i), s->row);
            reduce_row(e, s->row, s->y);
            double value = am_dense_dot(argument_row(e, a, i), s->x, e->plan.nx);
            double linear = sqrt(level * am_dense_quadratic(s->inverse, s->y, s->r));
            double beyond = radius * (*of_argument(s->reach, a, i) - *of_argument(s->least, a, i));
            double most = (linear + beyond) * (1.0 + rounding_margin) + rounding_margin * fabs(value);
            box[i] = (am_bound){value - most, value + most};
        }
        AM_TRY(bend_of(e, a, box, of_argument(s->reach, a, 0), &s->bend[a], err));
    }
    return AM_OK;
}

/* With loops the reach of an argument depends on the bends, and they on it: found by repetition, then checked with a
 * tenth of rounding_margin. False: no bound. */
static am_status settle_bends(const am_motion *e, double radius, double level, bool *bounded, am_error *err) {
    am_steady *s = e->steady;
    size_t F = e->flow->active;
    *bounded = false;
    for (size_t a = 0; a < F; a++)
        for (size_t i = 0; i < formula_of(e, e->flow->acting[a])->arguments; i++) {
            total_row(e, argument_row(e, a, i), s->row);
            reduce_row(e, s->row, s->y);
            *of_argument(s->least, a, i) = *of_argument(s->reach, a, i) = sqrt(am_dense_dot(s->y, s->y, s->r));
        }
    for (int round = 0; round < (e->flow->loops ? 4 : 1); round++) {
        double spare = round == 3 ? 1.1 : 1.0;
        AM_TRY(round < 3 ? find_bends(e, radius, level, err) : AM_OK);
        for (size_t a = 0; a < F && e->flow->loops; a++)
            for (size_t i = 0; i < formula_of(e, e->flow->acting[a])->arguments; i++)
                *of_argument(s->reach, a, i) =
                    *of_argument(s->least, a, i) + spare * radius * carried(e, a, i, s->bend);
    }
    if (e->flow->loops)
        AM_TRY(find_bends(e, radius, level, err));
    *bounded = true;
    for (size_t a = 0; a < F; a++)
        for (size_t i = 0; i < formula_of(e, e->flow->acting[a])->arguments; i++)
            *bounded = *bounded && *of_argument(s->least, a, i) + radius * carried(e, a, i, s->bend) <=
                                       *of_argument(s->reach, a, i) * (1.0 + rounding_margin);
    for (size_t a = 0; a < F; a++) {
        s->slack[a] = 0.0;
        for (size_t b = 0; b < F; b++)
            s->slack[a] += fabs(s->mix[a * F + b]) * s->bend[b];
        *bounded = *bounded && isfinite(s->slack[a]);
    }
    return AM_OK;
}

/* sum over j of |P B_j| k_j */
static double total_bend(const am_motion *e) {
    am_steady *s = e->steady;
    size_t n = e->plan.n, nd = e->plan.nd, first = nd + e->plan.nz;
    double sum = 0.0;
    for (size_t a = 0; a < e->flow->active; a++) {
        memset(s->rate, 0, n * sizeof *s->rate);
        for (size_t i = 0; i < e->plan.rows; i++)
            s->rate[n + i] = e->flow->A[i * e->plan.nx + first + e->flow->acting[a]];
        am_dense_apply(s->L, s->r, nd, s->rate, s->y);
        am_dense_apply(s->P, s->r, s->r, s->y, s->row);
        sum += sqrt(am_dense_dot(s->row, s->row, s->r)) * s->slack[a];
    }
    return sum;
}

/* ---- limits ---- */

/* Does no contact reach a limit anywhere in the ellipsoid? */
static bool limits_hold(const am_motion *e, double radius, double level) {
    am_steady *s = e->steady;
    size_t nx = e->plan.nx, first = e->plan.nd + e->plan.nz;
    for (size_t q = 0; q < e->flow->quantities; q++) {
        const double *row = e->flow->row + q * nx;
        if (e->flow->quantity[q].held)
            continue;
        total_row(e, row, s->row);
        reduce_row(e, s->row, s->y);
        double value = am_dense_dot(row, s->x, nx), size = 0.0, beyond = 0.0;
        double swing = sqrt(level * am_dense_quadratic(s->inverse, s->y, s->r));
        for (size_t j = 0; j < nx; j++)
            size += fabs(row[j] * s->x[j]);
        for (size_t a = 0; a < e->flow->active; a++)
            beyond += fabs(row[first + e->flow->acting[a]]) * s->slack[a] * radius * radius;
        if (!(value - swing - beyond > 2.0 * rounding_margin * (size + swing + beyond)))
            return false;
    }
    return true;
}

/* ---- the proof ---- */

static am_status prove(const am_motion *e, bool *lasts, am_error *err) {
    am_steady *s = e->steady;
    double smallest = 0.0, largest = 0.0, decay = 0.0;
    bool made = false, bounded = true;
    *lasts = false;
    AM_TRY(make_norm(e, &smallest, &largest, &decay, &made, err));
    if (!made || !fill_mix(e))
        return AM_OK;
    for (size_t i = 0; i < e->plan.nd; i++)
        s->row[i] = e->x[i] - s->x[i];
    am_dense_apply(s->L, s->r, e->plan.nd, s->row, s->y);
    double root = sqrt(am_dense_quadratic(s->P, s->y, s->r)) * (1.0 + rounding_margin) + sqrt(largest) * s->doubt;
    double level = root * root, radius = root / sqrt(smallest);
    AM_TRY(settle_bends(e, radius, level, &bounded, err));
    *lasts = bounded && 2.0 * radius * total_bend(e) < 0.99 * decay && limits_hold(e, radius, level);
    return AM_OK;
}

am_status am_engine_find_steady(am_motion *e, am_steady_state *steady, am_error *err) {
    *steady = (am_steady_state){.growth = NAN};
    if (!can_be_steady(e))
        return AM_OK;
    AM_TRY(make(e, err));
    AM_TRY(find_directions(e, err));
    if (e->steady->r > 0 && !find_steady(e))
        return AM_OK;
    steady->exists = e->steady->r > 0;
    steady->distance = steady->exists ? distance_from(e) : 0.0;
    if (!steady->exists)
        return AM_OK;
    AM_TRY(find_growth(e, steady, err));
    if (steady->growth < -steady->uncertainty)
        AM_TRY(prove(e, &steady->lasts, err));
    return AM_OK;
}
