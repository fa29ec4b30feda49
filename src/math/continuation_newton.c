/* The workspace of continuation and Newton's method on it. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/try.h"
#include "base/watch.h"
#include "math/arrow.h"
#include "math/continuation_internal.h"
#include "math/lu.h"

/* Stations with a name, and breaks between two points besides those of tests. */
enum { NAMED = 10, BREAKS = 12 };

/* ---- workspace ---- */

void am_continuation_free(am_continuation *c) {
    if (!c)
        return;
    am_arena_clear(&c->memory);
    am_memory_free(c);
}

static am_status make_arrays(am_continuation *c, am_error *err) {
    size_t n = c->n, m = n + 1, count = NAMED + c->break_capacity;
    AM_ARENA_DOUBLES(&c->memory, m, err, &c->probe, &c->reference, &c->x, &c->F, &c->Fp, &c->weight, &c->border,
                     &c->guess, &c->delta, &c->chord, &c->out_x, &c->out_t, &c->aligned, &c->moved, &c->right, &c->miss,
                     &c->bordered);
    c->sizes = am_arena_doubles(&c->memory, NULL, n, err);
    c->picked = am_arena_new(&c->memory, 2 * m, sizeof *c->picked, err);
    c->order = am_arena_new(&c->memory, m, sizeof *c->order, err);
    AM_ARENA_ARRAYS(&c->memory, size_t, m, err, &c->place, &c->ends);
    c->arrow = am_arrow_create(&c->memory, m, err);
    c->stations = am_arena_new(&c->memory, count, sizeof *c->stations, err);
    c->breaks = am_arena_new(&c->memory, c->break_capacity, sizeof *c->breaks, err);
    for (size_t i = 0; i < count && !am_arena_status(&c->memory); i++) {
        am_continuation_station *s = &c->stations[i];
        AM_ARENA_DOUBLES(&c->memory, m, err, &s->z, &s->t, &s->v);
        s->tests = am_arena_doubles(&c->memory, NULL, c->test_count, err);
    }
    return am_arena_status(&c->memory);
}

static void name_stations(am_continuation *c) {
    am_continuation_station **named[NAMED] = {&c->earliest, &c->earlier, &c->before, &c->here,  &c->next,
                                              &c->low,      &c->high,    &c->trial,  &c->start, &c->spare};
    for (size_t i = 0; i < NAMED; i++)
        *named[i] = c->stations + i;
    for (size_t i = 0; i < c->break_capacity; i++)
        c->breaks[i].station = c->stations + NAMED + i;
}

am_continuation *am_continuation_create(size_t n, size_t test_count, am_error *err) {
    if (n == 0) {
        am_fail(err, AM_ERR_INPUT, "a curve needs at least one unknown");
        return NULL;
    }
    am_continuation *c = am_memory_new(1, sizeof *c, err);
    if (!c)
        return NULL;
    c->n = n;
    c->test_count = test_count;
    c->break_capacity = BREAKS + 2 * test_count;
    am_status status =
        n > 1000000 || test_count > 1000000
            ? am_fail(err, AM_ERR_LIMIT, "a curve of %zu unknowns is more than continuation can follow", n)
            : make_arrays(c, err);
    if (status) {
        am_continuation_free(c);
        return NULL;
    }
    name_stations(c);
    return c;
}

/* ---- vectors ---- */

double am_continuation_norm(const double *z, size_t n) {
    return sqrt(am_dense_dot(z, z, n));
}

double am_continuation_normalise(double *z, size_t n) {
    double size = am_continuation_norm(z, n);
    for (size_t i = 0; i < n; i++)
        z[i] /= size > 0.0 ? size : 1.0;
    return size;
}

double am_continuation_scatter(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

double am_continuation_distance(const double *a, const double *b, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

void am_continuation_copy(const am_continuation *c, am_continuation_station *to, const am_continuation_station *from) {
    am_continuation_station arrays = *to;
    *to = *from;
    to->z = arrays.z;
    to->t = arrays.t;
    to->v = arrays.v;
    to->tests = arrays.tests;
    memcpy(to->z, from->z, (c->n + 1) * sizeof *to->z);
    memcpy(to->t, from->t, (c->n + 1) * sizeof *to->t);
    memcpy(to->v, from->v, (c->n + 1) * sizeof *to->v);
    if (c->test_count)
        memcpy(to->tests, from->tests, c->test_count * sizeof *to->tests);
}

/* An arc of angle a is longer than its chord by the factor 1 + a^2/24. */
double am_continuation_arc(const am_continuation *c, const am_continuation_station *a,
                           const am_continuation_station *b) {
    double bend = 1.0 - am_dense_dot(a->t, b->t, c->n + 1);
    return am_continuation_distance(a->z, b->z, c->n + 1) * (1.0 + (bend < 1.0 ? bend : 1.0) / 12.0);
}

void am_continuation_hermite(const am_continuation *c, const am_continuation_station *a,
                             const am_continuation_station *b, double length, double u, double *z, double *direction) {
    double v = u - 1.0, a1 = length * u * v * v, b1 = length * u * u * v;
    double b0 = u * u * (3.0 - 2.0 * u), slope = 6.0 * u * v / length; /* of a0 = 1 - b0, by the length */
    double da = v * (3.0 * u - 1.0), db = u * (3.0 * u - 2.0);
    for (size_t i = 0; i <= c->n; i++) {
        double rise = b->z[i] - a->z[i];
        z[i] = a->z[i] + b0 * rise + a1 * a->t[i] + b1 * b->t[i];
        if (direction)
            direction[i] = da * a->t[i] + db * b->t[i] - slope * rise;
    }
}

double am_continuation_det(const am_continuation_station *a, long exponent) {
    long shift = a->exponent - exponent;
    return ldexp(a->det, (int)(shift > 1000 ? 1000 : shift < -1000 ? -1000 : shift));
}

/* ---- the problem ---- */

static double power_of_two(double size) {
    int exponent;
    double fraction = frexp(size, &exponent);
    return ldexp(1.0, fraction < 0.70710678118654752 ? exponent - 1 : exponent);
}

static am_status check_options(const am_continuation_options *o, am_error *err) {
    if (!isfinite(o->from) || !isfinite(o->to))
        return am_fail(err, AM_ERR_INPUT, "the parameter must go from a finite value to a finite value");
    if (!(o->least < o->most) && o->from == o->to)
        return am_fail(err, AM_ERR_INPUT, "the parameter cannot be followed from %g to the same value", o->from);
    if (o->least < o->most && !(o->from >= o->least && o->from <= o->most))
        return am_fail(err, AM_ERR_INPUT, "the parameter starts at %g, outside its range from %g to %g", o->from,
                       o->least, o->most);
    if (!(o->tolerance > 0.0) || !(o->tolerance < 1.0))
        return am_fail(err, AM_ERR_INPUT, "the tolerance of a curve must be between 0 and 1, not %g", o->tolerance);
    if (!(o->step >= 0.0) || !(o->smallest_step >= 0.0) || !(o->largest_step >= 0.0) || !(o->x_scale >= 0.0))
        return am_fail(err, AM_ERR_INPUT, "steps and scales of a curve cannot be negative");
    return AM_OK;
}

am_status am_continuation_take(am_continuation *c, const am_continuation_problem *problem,
                               const am_continuation_options *o, const double *x, am_error *err) {
    if (problem->n != c->n || problem->test_count != c->test_count)
        return am_fail(err, AM_ERR_INPUT, "this workspace is for %zu unknowns and %zu tests, not %zu and %zu", c->n,
                       c->test_count, problem->n, problem->test_count);
    AM_TRY(check_options(o, err));
    double range = o->least < o->most ? o->most - o->least : fabs(o->to - o->from);
    double size = o->x_scale > 0.0 ? o->x_scale : am_continuation_norm(x, c->n);
    if (!isfinite(size))
        return am_fail(err, AM_ERR_INPUT, "the start of a curve must consist of numbers");
    c->problem = problem;
    c->p_unit = power_of_two(range);
    c->x_unit = size > 1e-290 ? power_of_two(size) : 1.0;
    c->tolerance = o->tolerance;
    c->smallest = o->smallest_step > 0.0 ? o->smallest_step : 1e-9;
    c->fatal = AM_OK;
    c->refused = false;
    c->settling = true;
    c->exact = false;
    c->rounding = 1e-14;
    c->iterations = c->factorisations = 0;
    return AM_OK;
}

void am_continuation_scale(const am_continuation *c, const double *x, double p, double *z) {
    for (size_t i = 0; i < c->n; i++)
        z[i] = x[i] / c->x_unit;
    z[c->n] = p / c->p_unit;
}

void am_continuation_unscale(const am_continuation *c, const double *z, double *x) {
    for (size_t i = 0; i < c->n; i++)
        x[i] = z[i] * c->x_unit;
}

/* Neither infinite nor no number: one of them makes the sum one. */
static bool numbers(const double *a, size_t count) {
    return isfinite(0.0 * am_dense_size(a, count));
}

/* What an evaluation came to. */
static bool note_refusal(am_continuation *c, am_status status) {
    c->refused = status != AM_OK;
    if (am_status_is_fatal(status))
        c->fatal = status;
    return status == AM_OK;
}

static bool reserve_arrays(am_continuation *c) {
    size_t n = c->n, m = n + 1;
    if (!c->A)
        c->A = am_arena_doubles(&c->memory, NULL, m * m, &c->refusal);
    if (!c->J)
        c->J = am_arena_doubles(&c->memory, NULL, n * n, &c->refusal);
    if (!c->A || !c->J)
        c->fatal = AM_ERR_MEMORY;
    return !c->fatal;
}

bool am_continuation_need_array(am_continuation *c) {
    const am_continuation_matrix *matrix = c->problem->matrix;
    if (!matrix)
        return true;
    if (!reserve_arrays(c))
        return false;
    for (size_t j = 0; j < c->n; j++)
        c->picked[j] = j;
    matrix->block(c->problem->context, c->n, c->picked, c->n, c->picked, c->J, c->n);
    return true;
}

/* F, J in whichever form, Fp, and the sizes of the rows. */
static am_status evaluate_all(am_continuation *c, double p) {
    const am_continuation_problem *problem = c->problem;
    size_t n = c->n;
    if (!problem->matrix && !reserve_arrays(c))
        return c->fatal;
    AM_TRY(problem->matrix ? problem->matrix->evaluate(problem->context, c->x, p, c->F, c->Fp, &c->refusal)
                           : problem->evaluate(problem->context, c->x, p, c->F, c->J, c->Fp, &c->refusal));
    if (problem->matrix)
        problem->matrix->sizes(problem->context, c->sizes);
    for (size_t i = 0; i < n && !problem->matrix; i++)
        c->sizes[i] = am_dense_size(c->J + i * n, n);
    return AM_OK;
}

bool am_continuation_evaluate(am_continuation *c, const double *z, bool jacobian) {
    size_t n = c->n;
    if (c->fatal) /* and the sentence of it stays */
        return false;
    am_continuation_unscale(c, z, c->x);
    c->refusal.message[0] = '\0';
    double p = z[n] * c->p_unit;
    am_status status = am_watch_spend((double)n * (double)n * (jacobian ? (double)n : 1.0), &c->refusal);
    if (!status)
        status = jacobian ? evaluate_all(c, p)
                          : c->problem->evaluate(c->problem->context, c->x, p, c->F, NULL, NULL, &c->refusal);
    if (status == AM_OK && !(numbers(c->F, n) && (!jacobian || (numbers(c->sizes, n) && numbers(c->Fp, n)))))
        status = am_fail(&c->refusal, AM_ERR_LIMIT, "the equations have no value here");
    return note_refusal(c, status);
}

/* From so many unknowns on a matrix is put in order before it is factored. */
enum { LARGE = 40 };

/* The order of elimination; how many groups of unknowns stand apart. */
static size_t arrange(am_continuation *c) {
    size_t groups = 0;
    c->arranged = c->problem->arrange && c->n >= LARGE;
    if (c->arranged)
        groups = c->problem->arrange(c->problem->arranger, c->J, c->place, c->ends);
    for (size_t i = 0; i < c->n && !c->arranged; i++)
        c->place[i] = i;
    c->place[c->n] = c->n;
    return groups;
}

/* The weights of a walk never fall: a row that vanishes (x = 0 on a trivial branch, at its branch point) must be seen
 * to vanish. */
static void weigh_rows(am_continuation *c) {
    for (size_t i = 0; i < c->n; i++) {
        double sum = c->sizes[i] * c->x_unit + fabs(c->Fp[i]) * c->p_unit;
        sum = c->settling || sum > c->weight[i] ? sum : c->weight[i];
        c->weight[i] = sum > 0.0 ? sum : 1.0;
    }
}

/* The bordered matrix, in the order of elimination. */
typedef struct bordered {
    am_continuation *c;
    const double *border;
} bordered;

static void bordered_block(void *context, size_t row_count, const size_t *rows, size_t column_count,
                           const size_t *columns, double *entries, size_t stride) {
    const bordered *b = context;
    am_continuation *c = b->c;
    size_t n = c->n, *row = c->picked, *column = row + n + 1;
    size_t inner = column_count - (column_count > 0 && columns[column_count - 1] == n);
    size_t above = row_count - (row_count > 0 && rows[row_count - 1] == n);
    for (size_t i = 0; i < row_count; i++)
        row[i] = c->place[rows[i]];
    for (size_t j = 0; j < column_count; j++)
        column[j] = c->place[columns[j]];
    c->problem->matrix->block(c->problem->context, above, row, inner, column, entries, stride);
    for (size_t i = 0; i < above; i++) {
        double factor = c->x_unit / c->weight[row[i]];
        for (size_t j = 0; j < inner; j++)
            entries[i * stride + j] *= factor;
        if (inner < column_count)
            entries[i * stride + inner] = c->Fp[row[i]] * (c->p_unit / c->weight[row[i]]);
    }
    for (size_t j = 0; j < column_count && above < row_count; j++)
        entries[above * stride + j] = b->border[column[j]];
}

static void bordered_meet(void *context, size_t group, size_t *columns, size_t *column_count, size_t *rows,
                          size_t *row_count) {
    const bordered *b = context;
    const am_continuation *c = b->c;
    c->problem->matrix->meet(c->problem->context, group, columns, column_count, rows, row_count);
    columns[(*column_count)++] = rows[(*row_count)++] = c->n - c->ends[c->groups - 1];
}

static am_arrow_verdict factor_matrix(am_continuation *c, const double *border) {
    bordered b = {c, border};
    const am_arrow_source source = {.context = &b, .block = bordered_block, .meet = bordered_meet};
    c->groups = c->problem->matrix->arrange(c->problem->context, c->place, c->ends);
    c->place[c->n] = c->n;
    c->arranged = true;
    return am_arrow_factor_source(c->arrow, &source, c->ends, c->groups, !c->exact);
}

bool am_continuation_factor(am_continuation *c, const double *border) {
    size_t n = c->n, m = n + 1;
    c->factorisations++;
    memmove(c->bordered, border, m * sizeof *border);
    weigh_rows(c);
    if (c->problem->matrix) {
        am_arrow_verdict verdict = factor_matrix(c, border);
        if (verdict != AM_ARROW_NOT_APART || !am_continuation_need_array(c))
            return verdict == AM_ARROW_FACTORED;
    }
    size_t groups = arrange(c);
    for (size_t r = 0; r < n; r++) {
        size_t i = c->place[r];
        const double *J = c->J + i * n;
        double *row = c->A + r * m, factor = c->x_unit / c->weight[i];
        for (size_t j = 0; j < n; j++)
            row[j] = J[c->place[j]] * factor;
        row[n] = c->Fp[i] * (c->p_unit / c->weight[i]);
    }
    for (size_t j = 0; j < m; j++)
        c->A[n * m + j] = border[c->place[j]];
    return am_arrow_factor(c->arrow, c->A, c->ends, groups);
}

static void solve_by_factors(am_continuation *c, double *x) {
    size_t m = c->n + 1;
    if (!c->arranged) {
        am_arrow_solve(c->arrow, x);
        return;
    }
    for (size_t i = 0; i < m; i++)
        c->moved[i] = x[c->place[i]];
    am_arrow_solve(c->arrow, c->moved);
    for (size_t i = 0; i < m; i++)
        x[c->place[i]] = c->moved[i];
}

/* The rows of J, of the last evaluation, times w (n). */
static void multiply(const am_continuation *c, const double *w, double *product) {
    size_t n = c->n;
    if (c->problem->matrix)
        c->problem->matrix->apply(c->problem->context, w, product);
    for (size_t i = 0; i < n && !c->problem->matrix; i++)
        product[i] = am_dense_dot(c->J + i * n, w, n);
}

/* miss = right - [J Fp; border] x */
static void find_miss(am_continuation *c, const double *x) {
    size_t n = c->n;
    multiply(c, x, c->miss);
    for (size_t i = 0; i < n; i++)
        c->miss[i] = c->right[i] - (c->miss[i] * c->x_unit + c->Fp[i] * (c->p_unit * x[n])) / c->weight[i];
    c->miss[n] = c->right[n] - am_dense_dot(c->bordered, x, n + 1);
}

/* By the factors of a matrix P nearby, or with half the digits: x += P^-1 (right - A x). Each correction is a small share of the one before only
 * where all eigenvalues of P^-1 A are near 1: then its determinant is positive, and that of A has the sign of P's. */
static bool refine(am_continuation *c, double *x) {
    static const double enough = 1e-12, most_left = 0.1, rounding = 1e-8;
    enum { MOST = 16 };
    size_t m = c->n + 1;
    memcpy(c->right, x, m * sizeof *x);
    solve_by_factors(c, x);
    double last = am_continuation_norm(x, m);
    for (int i = 0; i < MOST; i++) {
        find_miss(c, x);
        solve_by_factors(c, c->miss);
        double step = am_continuation_norm(c->miss, m), size = am_continuation_norm(x, m);
        if (!(step <=
              most_left * last)) /* what is left of the right side may be rounding, as it is after own factors */
            return i > 0 && step <= rounding * size;
        for (size_t j = 0; j < m; j++)
            x[j] += c->miss[j];
        if (step * (step / last) <= enough * size)
            return true;
        last = step;
    }
    return false;
}

static void solve(am_continuation *c, double *x) {
    if (!c->nearby && !am_arrow_is_single(c->arrow))
        solve_by_factors(c, x);
    else if (!refine(c, x))
        c->rough = true;
}

/* The same matrix with all digits. */
static bool factor_exactly(am_continuation *c) {
    c->exact = true;
    bool regular = am_continuation_factor(c, c->bordered);
    c->exact = false;
    return regular;
}

void am_continuation_lu_solve(am_continuation *c, double *x) {
    c->rough = false;
    solve(c, x);
    if (!c->rough)
        return;
    memcpy(x, c->right, (c->n + 1) * sizeof *x);
    if (factor_exactly(c))
        solve_by_factors(c, x);
}

double am_continuation_residual(const am_continuation *c) {
    double most = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        double r = fabs(c->F[i]) / c->weight[i];
        most = r > most ? r : most;
    }
    return most;
}

/* A point without a pattern, at some distance of z. */
static void scatter_around(am_continuation *c, const double *z, int round) {
    for (size_t i = 0; i <= c->n; i++)
        c->trial->z[i] = z[i] + 0.02 * sin(1.0 + 1.7 * (double)(round + 1) * (double)(i + 1));
}

/* What a direction without a pattern does to the equations evaluated last. */
static void set_probe(am_continuation *c) {
    size_t n = c->n, m = n + 1;
    double *w = c->moved;
    for (size_t i = 0; i < m; i++)
        w[i] = sin(1.0 + 2.3 * (double)i);
    am_continuation_normalise(w, m);
    multiply(c, w, c->probe);
    for (size_t i = 0; i < n; i++)
        c->probe[i] = (c->probe[i] * c->x_unit + c->Fp[i] * w[n] * c->p_unit) / c->weight[i];
    c->probe[n] = 0.0; /* turning the border changes nothing */
}

bool am_continuation_take_probe(am_continuation *c, const double *z) {
    scatter_around(c, z, 0);
    if (!am_continuation_evaluate(c, c->trial->z, true) && !am_continuation_evaluate(c, z, true))
        return false;
    set_probe(c);
    return am_continuation_evaluate(c, z, true);
}

bool am_continuation_weigh(am_continuation *c, const double *z) {
    size_t m = c->n + 1;
    memset(c->border, 0, m * sizeof *c->border);
    memset(c->weight, 0, c->n * sizeof *c->weight);
    c->settling = false;
    for (int k = 0; k < 4 && !c->fatal; k++) {
        scatter_around(c, z, k);
        if (am_continuation_evaluate(c, c->trial->z, true))
            am_continuation_factor(c, c->border);
    }
    if (!am_continuation_evaluate(c, z, true))
        return false;
    am_continuation_factor(c, c->border);
    return am_continuation_take_probe(c, z);
}

static void find_gap(am_continuation *c, am_continuation_station *station) {
    size_t m = c->n + 1;
    memcpy(station->v, c->probe, m * sizeof *station->v);
    solve(c, station->v);
    station->gap = 1.0 / am_continuation_normalise(station->v, m);
}

/* det [J F_p; b] = (b.t) det [J F_p; t]: the tangent solves [J F_p; b] v = (0, 1), t = v / |v|, b.t = 1 / |v|. */
static bool find_tangent(am_continuation *c, am_continuation_station *station) {
    size_t n = c->n, m = n + 1;
    memset(station->t, 0, n * sizeof *station->t);
    station->t[n] = 1.0;
    solve(c, station->t);
    double length = am_continuation_normalise(station->t, m);
    if (!isfinite(length) || length == 0.0)
        return false;
    station->det = length * am_arrow_sign(c->arrow);
    station->exponent = 0;
    for (size_t i = 0; i < m; i++) {
        station->det *= fabs(am_arrow_pivot(c->arrow, i)) * (i < n ? c->weight[i] : 1.0);
        int shift = 0;
        if (i + 1 == m || !(fabs(station->det) > 0x1p-300 && fabs(station->det) < 0x1p300))
            station->det = frexp(station->det, &shift);
        station->exponent += shift;
    }
    find_gap(c, station);
    return true;
}

bool am_continuation_tangent(am_continuation *c, am_continuation_station *station) {
    c->rough = false;
    bool found = find_tangent(c, station);
    return c->rough ? !c->nearby && factor_exactly(c) && find_tangent(c, station) : found;
}

bool am_continuation_test(am_continuation *c, am_continuation_station *station) {
    const am_continuation_problem *problem = c->problem;
    if (!problem->tests || !c->test_count)
        return true;
    am_continuation_unscale(c, station->z, c->x);
    am_continuation_unscale(c, station->t, c->out_t);
    c->out_t[c->n] = station->t[c->n] * c->p_unit;
    c->refusal.message[0] = '\0';
    am_status status =
        problem->tests(problem->context, c->x, station->z[c->n] * c->p_unit, c->out_t, station->tests, &c->refusal);
    return note_refusal(c, status);
}

void am_continuation_test_or_nan(am_continuation *c, am_continuation_station *station) {
    if (!am_continuation_test(c, station))
        for (size_t i = 0; i < c->test_count; i++)
            station->tests[i] = NAN;
}

/* ---- Newton's method with a border ---- */

/* Corrections below this are rounding when the residual is fine and they do not shrink any more (the matrix is nearly
 * singular close to branch points). */
static const double idle_step = 1e-6;

/* A tiny step is made next to a corner, where corrections may go to and fro between its sides: those that are not small
 * against the step are no rounding, and a point that is off the curve by a part of the step may be on the wrong side.
 */
am_continuation_newton am_continuation_newton_step(const am_continuation *c, double longest) {
    double small = fmin(c->tolerance, fmax(1e-4 * longest, 1e-14));
    return (am_continuation_newton){.tolerance = small,
                                    .step = small,
                                    .idle = fmin(idle_step, 1e-3 * longest),
                                    .fresh = c->problem->matrix ? 1e-2 : 1e-4,
                                    .longest = longest,
                                    .most = 10};
}

am_continuation_newton am_continuation_newton_fine(const am_continuation *c, double longest) {
    return (am_continuation_newton){.tolerance = c->tolerance,
                                    .step = 1e-15,
                                    .idle = idle_step,
                                    .fresh = 1e-12,
                                    .longest = longest,
                                    .most = 14,
                                    .fine = true};
}

/* The correction of the present F; its length. */
static double newton_step(am_continuation *c) {
    size_t n = c->n, m = n + 1;
    for (size_t i = 0; i < n; i++)
        c->delta[i] = -c->F[i] / c->weight[i];
    c->delta[n] = 0.0;
    solve_by_factors(c, c->delta);
    return am_continuation_norm(c->delta, m);
}

/* Tangent and determinant at a point by the factors of one nearby. False: those factors are not near enough. */
static bool refine_tangent(am_continuation *c, am_continuation_station *station) {
    c->nearby = true;
    bool found = am_continuation_tangent(c, station);
    c->nearby = false;
    return found;
}

static bool tangent_here(am_continuation *c, const double *border, bool refined, am_continuation_station *station) {
    if (!am_continuation_evaluate(c, station->z, true))
        return false;
    return (refined && refine_tangent(c, station)) ||
           (am_continuation_factor(c, border) && am_continuation_tangent(c, station));
}

/* Near a branch point the tangent changes over a distance of the size of the gap: factors from that far away will not
 * do as they are, unless they have shown how little they are off, by the share of a correction that they left for the
 * next one. What is located gets factors of its own. */
static bool tangent_at(am_continuation *c, const double *border, const am_continuation_newton *how, double moved,
                       double left, am_continuation_station *station) {
    bool refined = !how->fine && c->problem->matrix;
    if (refined && am_arrow_is_single(c->arrow) && left > 1e-4) /* which are refined in any case */
        return tangent_here(c, border, true, station);
    if (!am_continuation_tangent(c, station))
        return false;
    bool sharp = how->fine ? moved == 0.0 : moved <= 1e-5 * station->gap || left <= 1e-4;
    return sharp || tangent_here(c, border, refined, station);
}

bool am_continuation_correct(am_continuation *c, const double *border, const am_continuation_newton *how,
                             am_continuation_station *station, am_continuation_effort *effort) {
    size_t m = c->n + 1;
    double *z = station->z, last = INFINITY, moved = INFINITY;
    double size = 1.0 + am_continuation_norm(z, m);
    effort->contraction = 0.0;
    c->exact = how->fine;
    for (int i = 0; i < how->most; i++) {
        bool renew = moved > how->fresh;
        if (!am_continuation_evaluate(c, z, renew) || (renew && !am_continuation_factor(c, border)))
            return false;
        c->iterations++;
        effort->iterations = i + 1;
        double residual = am_continuation_residual(c), step = newton_step(c);
        if (!(step <= how->longest))
            return false;
        for (size_t j = 0; j < m; j++)
            z[j] += c->delta[j];
        moved = renew ? step : moved + step;
        if (i && step > 1e-6 * size && step > effort->contraction * last)
            effort->contraction = step / last;
        bool idle = renew && step > 0.5 * last && step <= how->idle * size;
        if (residual <= how->tolerance && (idle || (step <= how->step * size && moved <= how->fresh))) {
            station->residual = residual;
            return tangent_at(c, border, how, moved, renew ? INFINITY : step / last, station);
        }
        if (i >= 4 && step > 2.0 * last && step > idle_step)
            return false;
        if (!renew && step > 0.1 * last)
            moved = INFINITY; /* the old factors are not good enough */
        last = step;
    }
    return false;
}

/* ---- Newton's method at fixed p ---- */

static double size_of_guess(const double *x, size_t n) {
    double size = am_continuation_norm(x, n);
    return size > 1e-290 && isfinite(size) ? power_of_two(size) : 1.0;
}

/* A full step need not bring F down when its Jacobian changes; what must shrink is the next correction by the same
 * factors (Deuflhard's natural monotonicity test), or F itself. */
static bool damped(am_continuation *c, am_continuation_station *at, double step, double residual,
                   double *trial_residual) {
    size_t m = c->n + 1;
    memcpy(c->guess, c->delta, m * sizeof *c->guess);
    for (double share = 1.0; share > 1e-5 && !c->fatal; share *= 0.5) {
        for (size_t j = 0; j < m; j++)
            c->trial->z[j] = at->z[j] + share * c->guess[j];
        if (!am_continuation_evaluate(c, c->trial->z, false))
            continue;
        *trial_residual = am_continuation_residual(c);
        if (*trial_residual <= (1.0 - 0.25 * share) * residual || newton_step(c) <= (1.0 - 0.25 * share) * step) {
            memcpy(at->z, c->trial->z, m * sizeof *at->z);
            return true;
        }
    }
    return false;
}

/* Where Newton's method has nearly arrived the factors at hand lead on, if each correction is a small share of the one
 * before: for large problems that is the cheaper way. False: they do not; the point is as good as it was, or better. */
static bool follow_chord(am_continuation *c, am_continuation_station *at, double step, double *residual) {
    enum { MOST = 30 };
    size_t m = c->n + 1;
    double size = am_continuation_norm(at->z, c->n) + 1e-3, last = step;
    for (int i = 0; i < MOST; i++) {
        if (i > 0 && !am_continuation_evaluate(c, at->z, false)) { /* the step before has left its F */
            for (size_t j = 0; j < m; j++)
                at->z[j] -= c->delta[j];
            return false;
        }
        *residual = am_continuation_residual(c);
        double next = newton_step(c);
        if (!(next <= 0.2 * last) || next <= 1e-15 * size) /* what is left may be rounding */
            return *residual <= c->tolerance && next <= 1e-11 * size;
        for (size_t j = 0; j < m; j++)
            at->z[j] += c->delta[j];
        last = next;
    }
    return false;
}

/* A guess where the Jacobian is singular is moved a little, by numbers without a pattern. */
static void nudge(am_continuation *c, double *z, int round) {
    for (size_t i = 0; i < c->n; i++)
        z[i] += ldexp(sin(1.0 + 12.9898 * (double)(i + 1) * (double)(round + 1)), -14 + 2 * round);
}

bool am_continuation_settle(am_continuation *c, am_continuation_station *at, double *residual) {
    size_t n = c->n, m = n + 1;
    int singular = 0;
    c->exact = false;
    memset(c->border, 0, m * sizeof *c->border);
    c->border[n] = 1.0;
    *residual = INFINITY;
    for (int i = 0; i < 60; i++) {
        if (!am_continuation_evaluate(c, at->z, true))
            return false;
        c->iterations++;
        bool regular = am_continuation_factor(c, c->border);
        *residual = am_continuation_residual(c);
        if (!regular) {
            if (*residual <= c->tolerance)
                return true;
            if (singular == 4)
                return false;
            nudge(c, at->z, singular++);
            continue;
        }
        double step = newton_step(c), trial = *residual, size = am_continuation_norm(at->z, n) + 1e-3;
        if (*residual <= c->tolerance && (step <= 1e-7 * size || i > 30)) {
            for (size_t j = 0; j < m; j++)
                c->trial->z[j] = at->z[j] + c->delta[j];
            if (am_continuation_evaluate(c, c->trial->z, false) && am_continuation_residual(c) <= *residual) {
                memcpy(at->z, c->trial->z, m * sizeof *at->z);
                *residual = am_continuation_residual(c);
            }
            return true;
        }
        if (!damped(c, at, step, *residual, &trial))
            return *residual <= c->tolerance;
        if (c->problem->matrix && follow_chord(c, at, step, residual))
            return true;
    }
    return *residual <= c->tolerance;
}

am_status am_continuation_unsolved(const am_continuation *c, double p, double residual, am_error *err) {
    if (c->fatal) {
        if (err)
            *err = c->refusal;
        return c->fatal;
    }
    if (c->refused && !isfinite(residual))
        return am_fail(err, AM_ERR_LIMIT, "no solution at %g: %s", p, c->refusal.message);
    return am_fail(err, AM_ERR_LIMIT,
                   "no solution was found at %g from the given start: Newton's method stopped with a residual of %.2g "
                   "of the size of the equations",
                   p, residual);
}

am_status am_continuation_solve(am_continuation *c, const am_continuation_problem *problem, double p, double tolerance,
                                double *x, double *residual, am_error *err) {
    am_continuation_options options = am_continuation_options_default();
    options.from = p;
    options.to = p + (fabs(p) > 1e-290 ? fabs(p) : 1.0);
    options.tolerance = tolerance > 0.0 ? tolerance : options.tolerance;
    options.x_scale = size_of_guess(x, c->n);
    AM_TRY(am_continuation_take(c, problem, &options, x, err));
    double r = INFINITY;
    am_continuation_scale(c, x, p, c->start->z);
    bool solved = am_continuation_settle(c, c->start, &r);
    am_continuation_unscale(c, c->start->z, x);
    if (residual)
        *residual = r;
    return solved ? AM_OK : am_continuation_unsolved(c, p, r, err);
}

am_status am_continuation_adjust(am_continuation *c, const am_continuation_problem *problem,
                                 const am_continuation_options *options, const double *direction, double *x, double *p,
                                 double *residual, am_error *err) {
    am_continuation_effort effort;
    AM_TRY(am_continuation_take(c, problem, options, x, err));
    am_continuation_newton how = am_continuation_newton_step(c, 1.0);
    how.fresh = 1e-2; /* what is corrected lies near */
    am_continuation_scale(c, x, *p, c->start->z);
    am_continuation_scale(c, direction, direction[c->n], c->border);
    am_continuation_normalise(c->border, c->n + 1);
    memset(c->probe, 0, (c->n + 1) * sizeof *c->probe); /* gaps are not asked for */
    *residual = INFINITY;
    bool arrived = am_continuation_correct(c, c->border, &how, c->start, &effort);
    if (!arrived)
        return am_continuation_unsolved(c, *p, *residual, err);
    am_continuation_unscale(c, c->start->z, x);
    *p = c->start->z[c->n] * c->p_unit;
    *residual = c->start->residual;
    return AM_OK;
}

/* Bordered by the unit of p, the determinant is that of J. */
static am_status sign_of_matrix(am_continuation *c, const double *x, double p, int *sign, am_error *err) {
    const am_continuation_matrix *matrix = c->problem->matrix;
    AM_TRY(matrix->evaluate(c->problem->context, x, p, c->F, NULL, err));
    matrix->sizes(c->problem->context, c->sizes);
    memset(c->Fp, 0, c->n * sizeof *c->Fp);
    memset(c->border, 0, (c->n + 1) * sizeof *c->border);
    c->border[c->n] = c->x_unit = c->p_unit = 1.0;
    c->exact = true;
    c->settling = true; /* rows in one unit, so that small pivots mean something */
    if (am_continuation_factor(c, c->border))
        *sign = am_arrow_sign(c->arrow);
    return c->fatal ? am_fail(err, c->fatal, "%s", c->refusal.message) : AM_OK;
}

am_status am_continuation_sign(am_continuation *c, const am_continuation_problem *problem, const double *x, double p,
                               int *sign, am_error *err) {
    size_t n = c->n;
    *sign = 0;
    c->problem = problem;
    c->fatal = AM_OK;
    if (problem->matrix)
        return sign_of_matrix(c, x, p, sign, err);
    if (!reserve_arrays(c))
        return am_fail(err, c->fatal, "%s", c->refusal.message);
    AM_TRY(problem->evaluate(problem->context, x, p, c->F, c->J, NULL, err));
    for (size_t i = 0; i < n; i++) { /* rows in one unit, so that small pivots mean something */
        double largest = am_dense_largest(c->J + i * n, n);
        for (size_t j = 0; j < n; j++)
            c->J[i * n + j] /= largest > 0.0 ? largest : 1.0;
    }
    if (am_lu_factor(c->J, n, c->order))
        *sign = am_lu_sign(c->J, n, c->order);
    return AM_OK;
}
