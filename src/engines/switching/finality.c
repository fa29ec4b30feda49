/* docs/attractors.md. With Z a basis of the motions the contacts allow (J Z = 0) and W of the forces
 * they cannot take (W^T B = 0), the combination moves as q = q0 + Z y,
 *
 *     W^T M Z y'' + W^T C Z y' + W^T K Z y = W^T (F - K q0).
 *
 * Symmetric (no friction coupling, W = Z) or scalar, with positive mass and stiffness and non-negative damping, its
 * homogeneous part eta has an energy E = (eta'^T Mr eta' + eta^T Kr eta)/2 that never grows. So a linear function a.eta
 * + b.eta' never exceeds sqrt(2 E (a^T Kr^-1 a + b^T Mr^-1 b)) in size. */
#include "base/try.h"
#include "engines/switching/switching.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "math/dense.h"
#include "math/eigen.h"

struct am_finality {
    bool possible;                                  /* false: no proof can be given in this combination */
    size_t d;                                       /* degrees of freedom left */
    double *Z, *W;                                  /* n x d */
    double *Mr, *Cr, *Kr, *inverse_Mr, *inverse_Kr; /* d x d */
    double *bound;                                  /* quantities: sqrt(a^T Kr^-1 a + b^T Mr^-1 b) */
    double *line0, *line1;                          /* d x nx: y0 and y1 of the line as linear functions of x */
    double *work;                                   /* 3 d + 2 nx */
};

/* Householder vectors of the p columns given as rows of `rows` (p x n), of which `rank` are independent: those come
 * first when they are not all. */
static lapack_int factor(double *columns, size_t n, size_t p, size_t rank, double *tau, lapack_int *order) {
    lapack_int N = (lapack_int)n, P = (lapack_int)p;
    if (p == 0)
        return 0;
    return rank == p ? LAPACKE_dgeqrf(LAPACK_COL_MAJOR, N, P, columns, N, tau)
                     : LAPACKE_dgeqp3(LAPACK_COL_MAJOR, N, P, columns, N, order, tau);
}

/* Orthonormal basis of the vectors orthogonal to the rows of `rows` (p x n), `rank` of them independent: the last n -
 * rank columns of Q. */
static am_status complement(const double *rows, size_t n, size_t p, size_t rank, double *basis, am_error *err) {
    size_t d = n - rank, most = n > p ? n : p;
    am_arena memory = {0};
    double *Q = am_arena_doubles(&memory, NULL, n * most, err); /* column-major; its first p columns are the rows */
    double *tau = am_arena_doubles(&memory, NULL, most, err);
    lapack_int *order = am_arena_new(&memory, most, sizeof *order, err);
    am_status status = am_arena_status(&memory);
    if (!status) {
        if (p > 0)
            memcpy(Q, rows, p * n * sizeof *Q);
        lapack_int N = (lapack_int)n, info = factor(Q, n, p, rank, tau, order);
        if (info == 0)
            info = LAPACKE_dorgqr(LAPACK_COL_MAJOR, N, N, (lapack_int)rank, Q, N, tau);
        if (info != 0)
            status = am_fail(err, AM_ERR_MEMORY, "out of memory while reducing a structure to its free motions");
    }
    for (size_t i = 0; !status && i < n; i++)
        for (size_t j = 0; j < d; j++)
            basis[i * d + j] = Q[(rank + j) * n + i];
    am_arena_clear(&memory);
    return status;
}

/* R = W^T S Z. */
static void reduce(const am_finality *f, const double *S, size_t n, double *R) {
    for (size_t a = 0; a < f->d; a++)
        for (size_t b = 0; b < f->d; b++) {
            double sum = 0.0;
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; j < n; j++)
                    sum += f->W[i * f->d + a] * S[i * n + j] * f->Z[j * f->d + b];
            R[a * f->d + b] = sum;
        }
}

/* Inverse of a symmetric positive definite matrix; *definite tells whether it is one. */
static am_status invert_definite(const double *a, size_t d, double *inverse, double *values, bool *definite,
                                 am_error *err) {
    double rcond;
    memcpy(inverse, a, d * d * sizeof *a);
    AM_TRY(am_dense_symmetric_eigenvalues(inverse, d, values, err));
    *definite = d == 0 || values[0] > 1e-12 * fabs(values[d - 1]);
    memcpy(inverse, a, d * d * sizeof *a);
    return *definite ? am_dense_invert(inverse, d, &rcond, err) : AM_OK;
}

/* Friction couples when a slipping contact's force does not act along the motion it forbids. */
static bool couples(const am_combination *k) {
    for (size_t r = 0; r < k->p; r++)
        for (size_t i = 0; i < k->n; i++)
            if (k->J[r * k->n + i] != k->B[i * k->p + r])
                return true;
    return false;
}

/* One degree of freedom: W may point either way; make the mass positive. */
static void orient(am_finality *f, size_t n) {
    if (f->d != 1 || f->Mr[0] >= 0.0)
        return;
    f->Mr[0] = -f->Mr[0];
    f->Cr[0] = -f->Cr[0];
    f->Kr[0] = -f->Kr[0];
    for (size_t i = 0; i < n; i++)
        f->W[i] = -f->W[i];
}

static double squared_bound(const am_finality *f, const double *row, size_t n, double *a) {
    double total = 0.0;
    for (int part = 0; part < 2; part++) { /* displacement, then velocity */
        const double *inverse = part == 0 ? f->inverse_Kr : f->inverse_Mr;
        for (size_t j = 0; j < f->d; j++) {
            a[j] = 0.0;
            for (size_t i = 0; i < n; i++)
                a[j] += row[(size_t)part * n + i] * f->Z[i * f->d + j];
        }
        total += am_dense_quadratic(inverse, a, f->d);
    }
    return total;
}

static am_status fill(const am_plan *plan, const am_flow *flow, am_finality *f, am_error *err) {
    const am_combination *k = &flow->k;
    size_t n = plan->n, d = f->d;
    double *transposed = am_memory_new(k->p * n, sizeof *transposed, err);
    if (!transposed)
        return AM_ERR_MEMORY;
    for (size_t r = 0; r < k->p; r++)
        for (size_t i = 0; i < n; i++)
            transposed[r * n + i] = k->B[i * k->p + r];
    am_status status = complement(k->J, n, k->p, n - d, f->Z, err);
    if (!status)
        status = couples(k) ? complement(transposed, n, k->p, n - d, f->W, err) : AM_OK;
    am_memory_free(transposed);
    if (status)
        return status;
    if (!couples(k))
        memcpy(f->W, f->Z, n * d * sizeof *f->Z);
    reduce(f, plan->M, n, f->Mr);
    reduce(f, plan->C, n, f->Cr);
    reduce(f, plan->K, n, f->Kr);
    orient(f, n);
    bool mass = true, stiffness = true;
    AM_TRY(invert_definite(f->Mr, d, f->inverse_Mr, f->work, &mass, err));
    AM_TRY(invert_definite(f->Kr, d, f->inverse_Kr, f->work, &stiffness, err));
    bool passive = !couples(k) && !plan->system->driving && !plan->circulatory;
    /* Coordinates with neither mass nor damping must be held, by contacts that hold nothing else: else M is singular, or
     * J is not all that they hold. */
    f->possible = mass && stiffness && !plan->light_mixes && (d <= 1 ? !(d == 1 && f->Cr[0] < 0.0) : passive);
    for (size_t q = 0; f->possible && q < flow->quantities; q++)
        f->bound[q] = sqrt(squared_bound(f, flow->row + q * plan->nx, n, f->work));
    return AM_OK;
}

/* z' = G z, the inputs' part of x' (zero before). */
static void rate_of_inputs(const am_plan *plan, const double *x, double *x_rate) {
    for (size_t e = 0; e < plan->system->entries; e++) {
        const am_generator_entry *g = &plan->system->G[e];
        x_rate[plan->nd + g->row] += g->value * x[plan->nd + g->column];
    }
}

/* F under the inputs z: loads, and the friction of held contacts that slip. */
static void applied(const am_plan *plan, const am_flow *flow, const double *z, double *force) {
    const am_system *s = plan->system;
    am_dense_apply(s->input, plan->n, plan->nz, z, force);
    for (size_t c = 0; c < plan->m; c++) {
        double mu = am_slip_sign(flow->k.state[c]) * s->contact[c].friction;
        if (s->contact[c].normal_law != AM_HELD || mu == 0.0)
            continue;
        double N = am_dense_dot(s->hold + c * plan->nz, z, plan->nz);
        for (size_t i = 0; i < plan->n; i++)
            force[i] += mu * s->contact[c].tangent[i] * N;
    }
}

/* out = Kr^-1 W^T f. */
static void settle(const am_finality *f, const double *force, size_t n, double *projected, double *out) {
    for (size_t j = 0; j < f->d; j++) {
        projected[j] = 0.0;
        for (size_t i = 0; i < n; i++)
            projected[j] += f->W[i * f->d + j] * force[i];
    }
    am_dense_apply(f->inverse_Kr, f->d, f->d, projected, out);
}

/* The line y0 + y1 tau that the motion oscillates about (tau = time from now):
 *     Kr y1 = W^T F',  Kr y0 = W^T (F - K q) - Cr y1.
 * work: 2 d + 2 n + nx. */
static void find_line(const am_plan *plan, const am_flow *flow, const double *x, double *y0, double *y1, double *work) {
    const am_finality *f = flow->finality;
    size_t n = plan->n, d = f->d;
    double *projected = work, *damping = projected + d, *force = damping + d, *stiff = force + n, *x_rate = stiff + n;
    memset(x_rate, 0, plan->nx * sizeof *x_rate);
    rate_of_inputs(plan, x, x_rate);
    applied(plan, flow, x_rate + plan->nd, force);
    settle(f, force, n, projected, y1);
    applied(plan, flow, x + plan->nd, force);
    am_dense_apply(plan->K, n, n, x, stiff);
    for (size_t i = 0; i < n; i++)
        force[i] -= stiff[i];
    settle(f, force, n, projected, y0);
    am_dense_apply(f->Cr, d, d, y1, projected);
    am_dense_apply(f->inverse_Kr, d, d, projected, damping);
    for (size_t j = 0; j < d; j++)
        y0[j] -= damping[j];
}

/* The line is linear in x: column by column. */
static am_status find_line_maps(const am_plan *plan, const am_flow *flow, am_error *err) {
    const am_finality *f = flow->finality;
    size_t nx = plan->nx, d = f->d;
    double *x = am_memory_new(2 * nx + 4 * d + 2 * plan->n, sizeof *x, err);
    if (!x)
        return AM_ERR_MEMORY;
    double *y0 = x + nx, *y1 = y0 + d, *work = y1 + d;
    for (size_t column = 0; column < nx; column++) {
        x[column] = 1.0;
        find_line(plan, flow, x, y0, y1, work);
        x[column] = 0.0;
        for (size_t j = 0; j < d; j++) {
            f->line0[j * nx + column] = y0[j];
            f->line1[j * nx + column] = y1[j];
        }
    }
    am_memory_free(x);
    return AM_OK;
}

static am_status reserve(const am_plan *plan, am_flow *flow, am_finality **made, am_error *err) {
    size_t n = plan->n, d = n - (flow->k.p - flow->k.redundant); /* contacts that share a direction take it once */
    am_arena *memory = &flow->finality_memory;
    am_finality *f = *made = am_arena_new(memory, 1, sizeof *f, err);
    if (!f)
        return AM_ERR_MEMORY;
    f->d = d;
    AM_ARENA_DOUBLES(memory, n * d, err, &f->Z, &f->W);
    AM_ARENA_DOUBLES(memory, d * d, err, &f->Mr, &f->Cr, &f->Kr, &f->inverse_Mr, &f->inverse_Kr);
    f->bound = am_arena_doubles(memory, NULL, flow->quantities, err);
    AM_ARENA_DOUBLES(memory, d * plan->nx, err, &f->line0, &f->line1);
    f->work = am_arena_doubles(memory, NULL, 3 * d + 2 * plan->nx, err);
    return am_arena_status(memory);
}

static am_status prepare(const am_plan *plan, am_flow *flow, am_error *err) {
    am_status status = reserve(plan, flow, &flow->finality, err);
    if (!status)
        status = fill(plan, flow, flow->finality, err);
    if (!status && flow->finality->possible)
        status = find_line_maps(plan, flow, err);
    if (status) {
        am_arena_clear(&flow->finality_memory);
        flow->finality = NULL;
    }
    return status;
}

static bool has_sine(const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        if (f->kind == AM_FUNCTION_SINE)
            return true;
    return false;
}

static bool has_ramp(const am_function *function) {
    for (const am_function *f = function; f; f = f->plus)
        if (f->kind == AM_FUNCTION_RAMP)
            return true;
    return false;
}

/* The proof needs inputs that are constant or grow linearly, and surfaces and supports at rest. */
static bool simple_inputs(const am_system *system) {
    if (am_system_springs(system) > 0)
        return false; /* a slider behind a spring adds a state the argument does not cover */
    for (size_t l = 0; l < system->loads; l++) {
        if (has_sine(&system->load[l].function))
            return false; /* tables, pulses and blows are over once no break is left */
    }
    for (size_t c = 0; c < system->m; c++)
        if (has_sine(&system->contact[c].hold) || system->contact[c].surface_velocity != 0.0 || system->drawn[c] ||
            has_sine(&system->contact[c].gap_motion) || has_ramp(&system->contact[c].gap_motion))
            return false;
    return true;
}

/* Energy of the oscillation about the line: eta = -y0, eta' = Z^T v - y1 now. */
static double oscillation(const am_plan *plan, const am_finality *f, const double *v, const double *y0,
                          const double *y1, double *eta_rate) {
    for (size_t j = 0; j < f->d; j++) {
        eta_rate[j] = -y1[j];
        for (size_t i = 0; i < plan->n; i++)
            eta_rate[j] += f->Z[i * f->d + j] * v[i];
    }
    return 0.5 * (am_dense_quadratic(f->Mr, eta_rate, f->d) + am_dense_quadratic(f->Kr, y0, f->d));
}

/* From when on is value + slope tau - swing >= 0 for all later tau? */
static double safe_from(double value, double slope, double swing, double value_scale, double slope_scale) {
    double rounding = 256.0 * DBL_EPSILON;
    if (fabs(slope) <= rounding * slope_scale)
        slope = 0.0;
    if (slope < 0.0)
        return INFINITY;
    double lack = swing - value;
    if (lack <= rounding * (value_scale + swing)) /* equality is a touch, not a switch */
        return 0.0;
    return slope > 0.0 ? lack / slope : INFINITY;
}

/* On the line: x_line = (q0 + Z y0, Z y1, z) and its rate (Z y1, 0, z'). */
static double longest_wait(const am_plan *plan, const am_flow *flow, const double *x_line, const double *x_rate,
                           double energy) {
    size_t nx = plan->nx;
    double wait = 0.0;
    for (size_t q = 0; q < flow->quantities && isfinite(wait); q++) {
        const double *row = flow->row + q * nx;
        double value = 0.0, slope = 0.0, value_scale = 0.0, slope_scale = 0.0;
        for (size_t j = 0; j < nx; j++) {
            value += row[j] * x_line[j];
            slope += row[j] * x_rate[j];
            value_scale += fabs(row[j] * x_line[j]);
            slope_scale += fabs(row[j] * x_rate[j]);
        }
        double swing = flow->finality->bound[q] * sqrt(2.0 * energy);
        wait = fmax(wait, safe_from(value, slope, swing, value_scale, slope_scale));
    }
    return wait;
}

am_status am_finality_time(const am_plan *plan, am_flow *flow, double t, const double *x, double *when, am_error *err) {
    *when = INFINITY;
    if (!simple_inputs(plan->system))
        return AM_OK;
    if (!flow->finality) {
        AM_TRY(prepare(plan, flow, err));
    }
    am_finality *f = flow->finality;
    if (!f->possible)
        return AM_OK;
    size_t n = plan->n, d = f->d;
    double *y0 = f->work, *y1 = y0 + d, *eta_rate = y1 + d, *x_line = eta_rate + d, *x_rate = x_line + plan->nx;
    memset(x_rate, 0, plan->nx * sizeof *x_rate);
    rate_of_inputs(plan, x, x_rate);
    am_dense_apply(f->line0, d, plan->nx, x, y0);
    am_dense_apply(f->line1, d, plan->nx, x, y1);
    double energy = oscillation(plan, f, x + n, y0, y1, eta_rate);
    memcpy(x_line, x, plan->nx * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        x_rate[i] = am_dense_dot(f->Z + i * d, y1, d);
        x_line[i] = x[i] + am_dense_dot(f->Z + i * d, y0, d);
        x_line[n + i] = x_rate[i];
    }
    *when = t + longest_wait(plan, flow, x_line, x_rate, energy);
    return AM_OK;
}
