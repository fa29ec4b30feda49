#include "math/linear_program.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/try.h"
#include "base/watch.h"
#include "base/worse.h"
#include "math/dense.h"

/* ---- evidence ---- */

static double relative(double value, double size) {
    return value > 0.0 ? value / (size > 0.0 ? size : 1.0) : isnan(value) ? NAN : 0.0;
}

/* The multiplier of the bounds of column j, c_j - (G^T y)_j, and the size of its terms. What rounding leaves of a zero
 * counts as zero: a bound may be far away. */
static double bound_multiplier(const am_linear_program *p, const double *y, size_t j, double *size) {
    double z = p->objective[j];
    *size = fabs(z);
    for (size_t i = 0; i < p->rows; i++) {
        double term = p->matrix[i * p->columns + j] * y[i];
        z -= term;
        *size += fabs(term);
    }
    return fabs(z) > 16.0 * DBL_EPSILON * *size ? z : 0.0;
}

/* A bound's multiplier may only push against a bound that exists. */
static bool may_push(const am_linear_program *p, size_t j, double z) {
    return z == 0.0 || isfinite(z > 0.0 ? p->upper[j] : p->lower[j]);
}

am_linear_evidence am_linear_program_check(const am_linear_program *program, const double *x, const double *y) {
    const am_linear_program *p = program;
    am_linear_evidence evidence = {0.0, 0.0, 0.0};
    /* Where all terms are lost in the rounding of the largest right-hand side, that rounding is their size. */
    double largest_dual = am_dense_largest(y, p->rows), least = DBL_EPSILON * am_dense_largest(p->right, p->rows);
    double value = 0.0, bound = 0.0, size = least * largest_dual;
    for (size_t i = 0; i < p->rows; i++) {
        double sum = -p->right[i], terms = fmax(fabs(p->right[i]), least);
        for (size_t j = 0; j < p->columns; j++) {
            sum += p->matrix[i * p->columns + j] * x[j];
            terms += fabs(p->matrix[i * p->columns + j] * x[j]);
        }
        evidence.primal = am_worse(evidence.primal, relative(sum, terms));
        evidence.dual = am_worse(evidence.dual, relative(-y[i], largest_dual));
        bound += p->right[i] * y[i];
        size += fabs(p->right[i] * y[i]);
    }
    for (size_t j = 0; j < p->columns; j++) {
        double terms, z = bound_multiplier(p, y, j, &terms);
        evidence.primal = am_worse(evidence.primal, relative(x[j] - p->upper[j], fabs(x[j])));
        evidence.primal = am_worse(evidence.primal, relative(p->lower[j] - x[j], fabs(x[j])));
        value += p->objective[j] * x[j];
        size += fabs(p->objective[j] * x[j]);
        if (!may_push(p, j, z)) {
            evidence.dual = am_worse(evidence.dual, relative(fabs(z), terms));
            continue;
        }
        double limit = z > 0.0 ? p->upper[j] : z < 0.0 ? p->lower[j] : 0.0;
        bound += z * limit;
        size += fabs(z * limit);
    }
    evidence.gap = am_worse(0.0, relative(fabs(bound - value), size));
    return evidence;
}

#ifndef AMONTONS_WITH_CLP

bool am_linear_program_available(void) {
    return false;
}

am_status am_linear_program_solve(const am_linear_program *program, am_linear_solution *solution, am_error *err) {
    (void)program;
    (void)solution;
    return am_fail(
        err, AM_ERR_UNSUPPORTED,
        "this needs a linear program to be solved, and this library was built without CLP, which does that; install "
        "CLP (Debian: coinor-libclp-dev) and build again");
}

#else

#include <Clp_C_Interface.h>

bool am_linear_program_available(void) {
    return true;
}

/* ---- the program as CLP gets it: scaled, because its tolerances are absolute ---- */

typedef struct scaled {
    am_arena memory;
    const am_linear_program *p;
    const double *origin; /* x' is measured from here; NULL: from zero */
    double *row, *column; /* G' = row G column, all entries near one; x = origin + unit column x' */
    double unit;
    double *matrix; /* column-major */
    CoinBigIndex *start;
    int *index;
    double *objective, *right, *least, *lower, *upper;
    unsigned char *binding; /* rows, then columns: not in the basis, so met exactly by the vertex */
} scaled;

static am_status scaled_allocate(scaled *s, am_error *err) {
    size_t rows = s->p->rows, columns = s->p->columns;
    if (rows > INT_MAX / 2 || columns > INT_MAX / 2 || (columns > 0 && rows > INT_MAX / columns))
        return am_fail(err, AM_ERR_LIMIT, "a linear program with %zu constraints on %zu unknowns is too large", rows,
                       columns);
    s->matrix = am_arena_doubles(&s->memory, NULL, rows * columns, err);
    AM_ARENA_DOUBLES(&s->memory, rows, err, &s->row, &s->right, &s->least);
    AM_ARENA_DOUBLES(&s->memory, columns, err, &s->column, &s->objective, &s->lower, &s->upper);
    s->start = am_arena_new(&s->memory, columns + 1, sizeof *s->start, err);
    s->index = am_arena_new(&s->memory, rows * columns, sizeof *s->index, err);
    s->binding = am_arena_new(&s->memory, rows + columns, sizeof *s->binding, err);
    return am_arena_status(&s->memory);
}

/* Entries below this part of the largest of their row do not decide its scale. */
static const double negligible = 1e-10;

/* scale[i] = one over the geometric mean of the largest and the smallest of the `length` entries of row (or column) i,
 * `step` apart and times `across`; 1 if it is empty. */
static void scale_side(const double *matrix, size_t count, size_t stride, size_t length, size_t step,
                       const double *across, double *scale) {
    for (size_t i = 0; i < count; i++) {
        const double *entry = matrix + i * stride;
        double least = INFINITY, greatest = 0.0;
        for (size_t j = 0; j < length; j++)
            greatest = fmax(greatest, fabs(entry[j * step]) * across[j]);
        for (size_t j = 0; j < length; j++) {
            double size = fabs(entry[j * step]) * across[j];
            if (size > negligible * greatest)
                least = fmin(least, size);
        }
        scale[i] = greatest > 0.0 ? 1.0 / sqrt(least * greatest) : 1.0;
    }
}

static void scale_rows(scaled *s) {
    scale_side(s->p->matrix, s->p->rows, s->p->columns, s->p->columns, 1, s->column, s->row);
}

static void scale(scaled *s) {
    for (size_t j = 0; j < s->p->columns; j++)
        s->column[j] = 1.0;
    for (int pass = 0; pass < 3; pass++) {
        scale_rows(s);
        scale_side(s->p->matrix, s->p->columns, 1, s->p->rows, s->p->columns, s->row, s->column);
    }
    scale_rows(s);
}

/* h - G origin, in extended precision: near a solution most of it cancels. */
static double slack(const scaled *s, size_t i) {
    long double sum = s->p->right[i];
    for (size_t j = 0; s->origin && j < s->p->columns; j++)
        sum -= (long double)s->p->matrix[i * s->p->columns + j] * s->origin[j];
    return (double)sum;
}

/* How large right-hand sides are; measured from an origin: how much they are violated there. */
static double find_unit(const scaled *s) {
    double unit = 0.0;
    for (size_t i = 0; i < s->p->rows; i++) {
        double size = slack(s, i) * s->row[i];
        unit = fmax(unit, s->origin ? -size : fabs(size));
    }
    return unit > 0.0 ? unit : 1.0;
}

static void fill_vectors(scaled *s) {
    const am_linear_program *p = s->p;
    double most = 0.0;
    s->unit = find_unit(s);
    for (size_t j = 0; j < p->columns; j++)
        most = fmax(most, fabs(p->objective[j]) * s->column[j]);
    for (size_t j = 0; j < p->columns; j++) {
        double origin = s->origin ? s->origin[j] : 0.0;
        s->objective[j] = most > 0.0 ? p->objective[j] * s->column[j] / most : 0.0;
        s->lower[j] = fmax((p->lower[j] - origin) / (s->unit * s->column[j]), -DBL_MAX); /* CLP's infinity */
        s->upper[j] = fmin((p->upper[j] - origin) / (s->unit * s->column[j]), DBL_MAX);
    }
    for (size_t i = 0; i < p->rows; i++) {
        s->right[i] = fmin(slack(s, i) * s->row[i] / s->unit, DBL_MAX);
        s->least[i] = -DBL_MAX;
    }
}

static void fill_matrix(scaled *s) {
    CoinBigIndex count = 0;
    for (size_t j = 0; j < s->p->columns; j++) {
        s->start[j] = count;
        for (size_t i = 0; i < s->p->rows; i++) {
            double entry = s->p->matrix[i * s->p->columns + j] * s->row[i] * s->column[j];
            if (entry == 0.0)
                continue;
            s->matrix[count] = entry;
            s->index[count++] = (int)i;
        }
    }
    s->start[s->p->columns] = count;
}

/* ---- asking CLP ---- */

enum { CLP_OPTIMAL = 0, CLP_INFEASIBLE = 1, CLP_UNBOUNDED = 2, CLP_BASIC = 1 };

static void take_solution(Clp_Simplex *model, scaled *s, am_linear_solution *solution) {
    const am_linear_program *p = s->p;
    const double *x = Clp_primalColumnSolution(model), *y = Clp_dualRowSolution(model);
    double most = 0.0;
    for (size_t j = 0; j < p->columns; j++) {
        solution->x[j] = (s->origin ? s->origin[j] : 0.0) + x[j] * s->unit * s->column[j];
        most = fmax(most, fabs(p->objective[j]) * s->column[j]);
        s->binding[p->rows + j] = Clp_getColumnStatus(model, (int)j) != CLP_BASIC;
    }
    for (size_t i = 0; i < p->rows; i++) {
        solution->multiplier[i] = fabs(y[i]) * s->row[i] * most;
        s->binding[i] = Clp_getRowStatus(model, (int)i) != CLP_BASIC;
    }
}

static am_status ask_clp(scaled *s, am_linear_solution *solution, am_error *err) {
    Clp_Simplex *model = Clp_newModel();
    if (!model)
        return am_fail(err, AM_ERR_MEMORY, "there is not enough memory for a linear program");
    Clp_setLogLevel(model, 0);
    Clp_scaling(model, 0);
    Clp_setPrimalTolerance(model, 1e-9);
    Clp_setDualTolerance(model, 1e-9);
    Clp_setSmallElementValue(model, 1e-30);
    Clp_loadProblem(model, (int)s->p->columns, (int)s->p->rows, s->start, s->index, s->matrix, s->lower, s->upper,
                    s->objective, s->least, s->right);
    Clp_setOptimizationDirection(model, -1.0);
    Clp_dual(model, 0);
    if (Clp_status(model) != CLP_OPTIMAL)
        Clp_primal(model, 0); /* the verdicts "infeasible" and "unbounded" are the primal method's to give */
    int status = Clp_status(model);
    if (status == CLP_OPTIMAL)
        take_solution(model, s, solution);
    Clp_deleteModel(model);
    if (status != CLP_OPTIMAL && status != CLP_INFEASIBLE && status != CLP_UNBOUNDED)
        return am_fail(err, AM_ERR_EVIDENCE, "the linear program could not be solved: CLP gave up (status %d)", status);
    solution->outcome = status == CLP_OPTIMAL      ? AM_LINEAR_OPTIMAL
                        : status == CLP_INFEASIBLE ? AM_LINEAR_INFEASIBLE
                                                   : AM_LINEAR_UNBOUNDED;
    return AM_OK;
}

/* ---- the vertex to rounding ----
 *
 * At a vertex as many rows hold with equality as there are columns away from their bounds: G_bb x_b = h_b - G_bn x_n,
 * and the multipliers of these rows are G_bb^T y_b = c_b. */

typedef struct vertex {
    size_t size;
    size_t *row, *column; /* which ones */
    double *matrix;       /* G_bb */
    double *inverse;      /* of G_bb */
    double *x, *y;        /* whole vectors: the vertex */
    double *residual, *change;
    am_arena memory;
} vertex;

/* False when the basis is not square in this sense. */
static bool choose_basis(vertex *v, const scaled *s) {
    size_t rows = 0, columns = 0;
    for (size_t i = 0; i < s->p->rows; i++)
        if (s->binding[i] && rows++ < s->p->columns)
            v->row[rows - 1] = i;
    for (size_t j = 0; j < s->p->columns; j++)
        if (!s->binding[s->p->rows + j])
            v->column[columns++] = j;
    v->size = columns;
    return rows == columns;
}

static am_status vertex_init(vertex *v, const scaled *s, bool *square, am_error *err) {
    size_t rows = s->p->rows, columns = s->p->columns;
    AM_ARENA_ARRAYS(&v->memory, size_t, columns, err, &v->row, &v->column);
    AM_ARENA_DOUBLES(&v->memory, columns * columns, err, &v->matrix, &v->inverse);
    AM_ARENA_DOUBLES(&v->memory, columns, err, &v->x, &v->residual, &v->change);
    v->y = am_arena_doubles(&v->memory, NULL, rows, err);
    AM_TRY(am_arena_status(&v->memory));
    *square = choose_basis(v, s);
    return AM_OK;
}

/* G_bb is scaled like the program that CLP solved: its inverse is then as good as the vertex allows. */
static am_status invert_basis(vertex *v, const scaled *s, double *rcond, am_error *err) {
    const am_linear_program *p = s->p;
    for (size_t a = 0; a < v->size; a++)
        for (size_t b = 0; b < v->size; b++)
            v->matrix[a * v->size + b] =
                p->matrix[v->row[a] * p->columns + v->column[b]] * s->row[v->row[a]] * s->column[v->column[b]];
    memcpy(v->inverse, v->matrix, v->size * v->size * sizeof *v->inverse);
    return am_dense_invert(v->inverse, v->size, rcond, err);
}

/* x_b <- x_b + G_bb^-1 (h_b - G_b x), residual in extended precision. */
static void refine_place(vertex *v, const scaled *s) {
    const am_linear_program *p = s->p;
    for (size_t a = 0; a < v->size; a++) {
        long double sum = p->right[v->row[a]];
        for (size_t j = 0; j < p->columns; j++)
            sum -= (long double)p->matrix[v->row[a] * p->columns + j] * v->x[j];
        v->residual[a] = (double)sum * s->row[v->row[a]];
    }
    am_dense_apply(v->inverse, v->size, v->size, v->residual, v->change);
    for (size_t b = 0; b < v->size; b++)
        v->x[v->column[b]] += v->change[b] * s->column[v->column[b]];
}

/* y_b <- y_b + G_bb^-T (c_b - G_bb^T y_b). */
static void refine_multipliers(vertex *v, const scaled *s) {
    const am_linear_program *p = s->p;
    for (size_t b = 0; b < v->size; b++) {
        long double sum = p->objective[v->column[b]];
        for (size_t a = 0; a < v->size; a++)
            sum -= (long double)p->matrix[v->row[a] * p->columns + v->column[b]] * v->y[v->row[a]];
        v->residual[b] = (double)sum * s->column[v->column[b]];
    }
    for (size_t a = 0; a < v->size; a++) {
        double change = 0.0;
        for (size_t b = 0; b < v->size; b++)
            change += v->inverse[b * v->size + a] * v->residual[b];
        v->y[v->row[a]] += change * s->row[v->row[a]];
    }
}

static void take_over(const am_linear_program *p, const double *x, const double *y, am_linear_evidence evidence,
                      am_linear_solution *solution) {
    memcpy(solution->x, x, p->columns * sizeof *x);
    memcpy(solution->multiplier, y, p->rows * sizeof *y);
    solution->evidence = evidence;
}

static double worst(am_linear_evidence e) {
    return am_worse(am_worse(e.primal, e.dual), e.gap);
}

/* Multipliers that are rounding away from zero on the wrong side. */
static void clean_multipliers(vertex *v, const scaled *s) {
    double most = 0.0;
    for (size_t a = 0; a < v->size; a++)
        most = fmax(most, fabs(v->y[v->row[a]]) / s->row[v->row[a]]);
    for (size_t a = 0; a < v->size; a++)
        if (fabs(v->y[v->row[a]]) / s->row[v->row[a]] <= 64.0 * DBL_EPSILON * most)
            v->y[v->row[a]] = 0.0;
}

static am_status polish(const scaled *s, am_linear_solution *solution, am_error *err) {
    const am_linear_program *p = s->p;
    vertex v = {0};
    bool square = false;
    double rcond = 0.0;
    am_status status = vertex_init(&v, s, &square, err);
    if (!status && square && v.size > 0)
        status = invert_basis(&v, s, &rcond, err);
    if (!status && rcond > 1e-14) {
        memcpy(v.x, solution->x, p->columns * sizeof *v.x);
        for (size_t j = 0; j < p->columns; j++) /* columns at a bound: exactly there */
            if (s->binding[p->rows + j])
                v.x[j] = fmin(fmax(v.x[j], p->lower[j]), p->upper[j]);
        for (int pass = 0; pass < 4; pass++) {
            refine_place(&v, s);
            refine_multipliers(&v, s);
        }
        clean_multipliers(&v, s);
        am_linear_evidence evidence = am_linear_program_check(p, v.x, v.y);
        if (worst(evidence) <= worst(solution->evidence))
            take_over(p, v.x, v.y, evidence, solution);
    }
    am_arena_clear(&v.memory);
    return status;
}

/* ---- all of it ---- */

/* Beyond this a constraint is violated by more than rounding. */
static const double violated = 4e-15;

enum { MOST_ROUNDS = 4 };

/* CLP overlooks violations below its tolerance. Measured from the point it found, in units of the violation there, they
 * are plain to see: the same program again, for the correction. */
static am_status correct(scaled *s, am_linear_solution *solution, am_error *err) {
    const am_linear_program *p = s->p;
    am_linear_solution next = {0};
    double *origin;
    AM_ARENA_DOUBLES(&s->memory, p->columns, err, &next.x, &origin);
    next.multiplier = am_arena_doubles(&s->memory, NULL, p->rows, err);
    AM_TRY(am_arena_status(&s->memory));
    s->origin = origin;
    for (int round = 0; round < MOST_ROUNDS && solution->evidence.primal > violated; round++) {
        memcpy(origin, solution->x, p->columns * sizeof *origin);
        fill_vectors(s);
        AM_TRY(ask_clp(s, &next, err));
        if (next.outcome != AM_LINEAR_OPTIMAL)
            break;
        next.evidence = am_linear_program_check(p, next.x, next.multiplier);
        AM_TRY(polish(s, &next, err));
        if (!(worst(next.evidence) < worst(solution->evidence)))
            break;
        take_over(p, next.x, next.multiplier, next.evidence, solution);
    }
    return AM_OK;
}

static am_status solve(scaled *s, am_linear_solution *solution, am_error *err) {
    AM_TRY(am_watch_spend((double)s->p->rows * (double)s->p->columns, err));
    AM_TRY(scaled_allocate(s, err));
    scale(s);
    fill_matrix(s);
    fill_vectors(s);
    AM_TRY(ask_clp(s, solution, err));
    if (solution->outcome != AM_LINEAR_OPTIMAL)
        return AM_OK;
    solution->evidence = am_linear_program_check(s->p, solution->x, solution->multiplier);
    AM_TRY(polish(s, solution, err));
    AM_TRY(correct(s, solution, err));
    solution->value = am_dense_dot(s->p->objective, solution->x, s->p->columns);
    return AM_OK;
}

am_status am_linear_program_solve(const am_linear_program *program, am_linear_solution *solution, am_error *err) {
    scaled s = {.p = program};
    am_status status = solve(&s, solution, err);
    am_arena_clear(&s.memory);
    return status;
}

#endif
