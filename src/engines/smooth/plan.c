/* What the engine of smooth motions plans once: M^-1 times everything, as rows of what is not zero, and how the powers
 * in the polynomial springs are multiplied together. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "engines/smooth/smooth_internal.h"
#include "math/dense.h"
#include "system/system.h"

enum { COEFFICIENTS = AM_SMOOTH_COEFFICIENTS, BLOCK = 4 };

/* A mass matrix with a smaller reciprocal condition number has directions without mass. */
static const double no_mass = 1e-14;

static size_t whole_blocks(size_t count) {
    return (count + BLOCK - 1) / BLOCK * BLOCK;
}

/* ---- rows ---- */

static am_status make_rows(am_smooth *e, am_smooth_rows *a, const double *dense, size_t rows, size_t columns,
                           am_error *err) {
    size_t count = 0;
    for (size_t i = 0; i < rows * columns; i++)
        count += dense[i] != 0.0;
    a->rows = rows;
    a->start = am_arena_new(&e->memory, rows + 1, sizeof *a->start, err);
    a->column = am_arena_new(&e->memory, count, sizeof *a->column, err);
    a->value = am_arena_doubles(&e->memory, NULL, count, err);
    if (am_arena_status(&e->memory))
        return AM_ERR_MEMORY;
    count = 0;
    for (size_t i = 0; i < rows; i++) {
        a->start[i] = count;
        for (size_t j = 0; j < columns; j++)
            if (dense[i * columns + j] != 0.0) {
                a->column[count] = j;
                a->value[count++] = dense[i * columns + j];
            }
    }
    a->start[rows] = count;
    return AM_OK;
}

void am_smooth_rows_add(const am_smooth_rows *a, double factor, const double *x, double *y) {
    if (a->start[a->rows] == 0)
        return;
    for (size_t i = 0; i < a->rows; i++) {
        double sum = 0.0;
        for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
            sum += a->value[e] * x[a->column[e]];
        y[i] += factor * sum;
    }
}

/* M^-1 times a matrix of n rows. */
static am_status make_solved_rows(am_smooth *e, am_smooth_rows *a, const double *dense, size_t columns, am_error *err) {
    size_t n = e->n;
    double *product = am_memory_new(n * columns, sizeof *product, err);
    if (!product)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < n; l++) {
            double inverse = e->inverse_mass[i * n + l];
            for (size_t j = 0; inverse != 0.0 && j < columns; j++)
                product[i * columns + j] += inverse * dense[l * columns + j];
        }
    am_status status = make_rows(e, a, product, n, columns, err);
    am_memory_free(product);
    return status;
}

/* ---- mass ---- */

static am_status invert_mass(am_smooth *e, am_error *err) {
    size_t n = e->n;
    double rcond = 0.0;
    am_matrix_to_dense(e->system->M, e->inverse_mass);
    e->equal_weights = true;
    for (size_t i = 0; i < n; i++) {
        double mass = e->inverse_mass[i * n + i];
        if (!(mass > 0.0))
            return am_fail(err, AM_ERR_UNSUPPORTED,
                           "the coordinate '%s' has no mass: polynomial springs and dampers are followed in time for "
                           "structures with mass in every direction",
                           am_system_name(e->system, i));
        e->weight[i] = sqrt(mass);
        e->equal_weights = e->equal_weights && e->weight[i] == e->weight[0];
    }
    /* In the units of the weights, so that the condition is not one of units. */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            e->inverse_mass[i * n + j] /= e->weight[i] * e->weight[j];
    am_status status = am_dense_invert(e->inverse_mass, n, &rcond, err);
    if (!status && !(rcond > no_mass))
        status = am_fail(err, AM_ERR_UNSUPPORTED,
                         "the mass matrix cannot be inverted: some direction has no mass, and polynomial springs and "
                         "dampers are followed in time for structures with mass in every direction");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            e->inverse_mass[i * n + j] /= e->weight[i] * e->weight[j];
    return status;
}

/* ---- structure ---- */

static void total_stiffness(const am_system *s, double *dense, double *other) {
    am_matrix_to_dense(s->K, dense);
    if (!s->circulatory)
        return;
    am_matrix_to_dense(s->circulatory, other);
    for (size_t i = 0; i < s->n * s->n; i++)
        dense[i] += other[i];
}

static am_status plan_structure(am_smooth *e, am_error *err) {
    const am_system *s = e->system;
    double *dense = am_memory_new(2 * e->n * e->n, sizeof *dense, err);
    if (!dense)
        return AM_ERR_MEMORY;
    total_stiffness(s, dense, dense + e->n * e->n);
    am_status status = make_solved_rows(e, &e->stiff, dense, e->n, err);
    am_matrix_to_dense(s->C, dense);
    if (!status)
        status = make_solved_rows(e, &e->damp, dense, e->n, err);
    am_memory_free(dense);
    return status ? status : make_solved_rows(e, &e->input, s->input, s->nz, err);
}

static am_status plan_directions(am_smooth *e, am_error *err) {
    size_t n = e->n, count = e->springs;
    double *dense = am_memory_new(2 * n * count, sizeof *dense, err);
    if (!dense)
        return AM_ERR_MEMORY;
    double *across = dense + n * count;
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < n; i++)
            dense[p * n + i] = across[i * count + p] = e->system->polynomial[p].direction[i];
    am_status status = make_rows(e, &e->direction, dense, count, n, err);
    if (!status)
        status = make_solved_rows(e, &e->spread, across, count, err);
    am_memory_free(dense);
    return status;
}

/* ---- groups of springs ---- */

static bool same_powers(const am_polynomial_def *a, const am_polynomial_def *b) {
    if (a->term_count != b->term_count)
        return false;
    for (size_t k = 0; k < a->term_count; k++)
        if (a->terms[k].displacement != b->terms[k].displacement || a->terms[k].velocity != b->terms[k].velocity)
            return false;
    return true;
}

/* A series that was planned for derivatives is needed always, and so are those it is made of. */
static void need_always(am_smooth_group *g, size_t series) {
    if (series < AM_SERIES_PRODUCTS || series == AM_SERIES_ONE || !g->monomial[series].derivative)
        return;
    g->monomial[series].derivative = false;
    need_always(g, g->monomial[series].left);
    need_always(g, g->monomial[series].right);
}

/* The series of e^i e'^j; planned, if it is not there yet, as a product of two earlier ones: squares where possible. */
static size_t plan_monomial(am_smooth_group *g, unsigned i, unsigned j, bool derivative) {
    if (i + j == 0)
        return AM_SERIES_ONE;
    if (i + j == 1)
        return i == 1 ? AM_SERIES_E : AM_SERIES_RATE;
    for (size_t s = AM_SERIES_PRODUCTS; s < g->series; s++)
        if (g->monomial[s].i == i && g->monomial[s].j == j) {
            if (!derivative)
                need_always(g, s);
            return s;
        }
    am_smooth_monomial m = {.i = i, .j = j, .derivative = derivative};
    if (i > 0 && j > 0) {
        m.left = plan_monomial(g, i, 0, derivative);
        m.right = plan_monomial(g, 0, j, derivative);
    } else if ((i + j) % 2 == 0) {
        m.left = m.right = plan_monomial(g, i / 2, j / 2, derivative);
    } else {
        m.left = plan_monomial(g, i > 0 ? i - 1 : 0, j > 0 ? j - 1 : 0, derivative);
        m.right = i > 0 ? AM_SERIES_E : AM_SERIES_RATE;
    }
    g->monomial[g->series] = m;
    return g->series++;
}

/* A factor common to all terms is taken out: what is left is what the derivatives need too. */
static size_t common_factor(const am_polynomial_def *p) {
    bool e = true, rate = true;
    for (size_t k = 0; k < p->term_count; k++) {
        e = e && p->terms[k].displacement > 0;
        rate = rate && p->terms[k].velocity > 0;
    }
    return e ? AM_SERIES_E : rate ? AM_SERIES_RATE : AM_SERIES_ONE;
}

static void plan_parts(am_smooth_group *g, const am_polynomial_def *p) {
    g->factor = common_factor(p);
    unsigned less_e = g->factor == AM_SERIES_E, less_rate = g->factor == AM_SERIES_RATE;
    for (size_t k = 0; k < p->term_count; k++) {
        unsigned i = p->terms[k].displacement, j = p->terms[k].velocity;
        g->inner[k] = (am_smooth_part){k, plan_monomial(g, i - less_e, j - less_rate, false), 1.0};
    }
    for (size_t k = 0; k < p->term_count; k++) {
        unsigned i = p->terms[k].displacement, j = p->terms[k].velocity;
        if (i > 0)
            g->stiff[g->stiff_count++] = (am_smooth_part){k, plan_monomial(g, i - 1, j, true), i};
        if (j > 0)
            g->damp[g->damp_count++] = (am_smooth_part){k, plan_monomial(g, i, j - 1, true), j};
    }
}

static am_status plan_group(am_smooth *e, am_smooth_group *g, size_t first, am_error *err) {
    const am_polynomial_def *p = &e->system->polynomial[first];
    g->series = AM_SERIES_PRODUCTS;
    g->terms = p->term_count;
    am_arena *memory = &e->memory;
    g->spring = am_arena_new(memory, e->springs, sizeof *g->spring, err);
    g->inner = am_arena_new(memory, g->terms, sizeof *g->inner, err);
    g->stiff = am_arena_new(memory, g->terms, sizeof *g->stiff, err);
    g->damp = am_arena_new(memory, g->terms, sizeof *g->damp, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    size_t own = (size_t)(g - e->group);
    for (size_t s = first; s < e->springs; s++)
        if (e->group_of[s] == own)
            g->spring[g->count++] = s;
    g->width = whole_blocks(g->count);
    plan_parts(g, p);
    size_t one = COEFFICIENTS * g->width;
    g->coefficient = am_arena_doubles(memory, NULL, g->terms * g->width, err);
    g->value = am_arena_doubles(memory, NULL, g->series * one, err);
    g->inner_series = am_arena_doubles(memory, NULL, one, err);
    g->force = am_arena_doubles(memory, NULL, one, err);
    g->stiffness = am_arena_doubles(memory, NULL, one, err);
    g->damping = am_arena_doubles(memory, NULL, one, err);
    if (am_arena_status(memory))
        return AM_ERR_MEMORY;
    for (size_t s = 0; s < g->count; s++) {
        e->place[g->spring[s]] = s;
        for (size_t k = 0; k < g->terms; k++)
            g->coefficient[k * g->width + s] = e->system->polynomial[g->spring[s]].terms[k].coefficient;
    }
    return AM_OK;
}

static am_status plan_groups(am_smooth *e, am_error *err) {
    const am_polynomial_def *p = e->system->polynomial;
    size_t *first = am_memory_new(e->springs, sizeof *first, err);
    e->group = am_arena_new(&e->memory, e->springs, sizeof *e->group, err);
    e->group_of = am_arena_new(&e->memory, e->springs, sizeof *e->group_of, err);
    e->place = am_arena_new(&e->memory, e->springs, sizeof *e->place, err);
    am_status status = first ? am_arena_status(&e->memory) : AM_ERR_MEMORY;
    for (size_t s = 0; s < e->springs && !status; s++) {
        size_t g = 0;
        while (g < e->groups && !same_powers(&p[first[g]], &p[s]))
            g++;
        if (g == e->groups)
            first[e->groups++] = s;
        e->group_of[s] = g;
    }
    for (size_t g = 0; g < e->groups && !status; g++)
        status = plan_group(e, &e->group[g], first[g], err);
    am_memory_free(first);
    return status;
}

/* ---- the engine ---- */

static am_status reserve(am_smooth *e, am_error *err) {
    size_t n = e->n;
    am_arena *memory = &e->memory;
    e->inverse_mass = am_arena_doubles(memory, NULL, n * n, err);
    e->weight = am_arena_doubles(memory, NULL, n, err);
    e->z = am_arena_doubles(memory, NULL, COEFFICIENTS * e->system->nz, err);
    e->q = am_arena_doubles(memory, NULL, COEFFICIENTS * n, err);
    e->pull = am_arena_doubles(memory, NULL, e->springs, err);
    e->work = am_arena_doubles(memory, NULL, 4 * n + e->system->nz, err);
    e->x = am_arena_doubles(memory, NULL, 2 * n, err);
    return am_arena_status(memory);
}

/* Is the direction of a spring one of the coordinates? */
static bool is_coordinate(const am_smooth_rows *direction, size_t spring) {
    size_t first = direction->start[spring];
    return direction->start[spring + 1] == first + 1 && direction->value[first] == 1.0;
}

static void plan_along(am_smooth *e) {
    size_t one = COEFFICIENTS * e->columns;
    double *own = e->along_values;
    for (size_t p = 0; p < e->springs; p++) {
        bool coordinate = is_coordinate(&e->direction, p);
        e->own_along[p] = coordinate ? NULL : own;
        e->along[p] = coordinate ? e->w + e->direction.column[e->direction.start[p]] * one : own;
        own += coordinate ? 0 : one;
    }
}

am_status am_smooth_reserve_derivative(am_smooth *engine, am_error *err) {
    am_smooth *e = engine;
    am_arena *memory = &e->derivative_memory;
    size_t own = 0;
    if (e->phi)
        return AM_OK;
    for (size_t p = 0; p < e->springs; p++)
        own += !is_coordinate(&e->direction, p);
    e->w = am_arena_doubles(memory, NULL, COEFFICIENTS * e->n * e->columns, err);
    e->along = am_arena_new(memory, e->springs, sizeof *e->along, err);
    e->own_along = am_arena_new(memory, e->springs, sizeof *e->own_along, err);
    e->along_values = am_arena_doubles(memory, NULL, own * COEFFICIENTS * e->columns, err);
    e->felt = am_arena_doubles(memory, NULL, e->springs * e->columns, err);
    e->mixing = am_arena_doubles(memory, NULL, COEFFICIENTS + 1, err);
    e->phi = am_arena_doubles(memory, NULL, 2 * e->n * e->columns, err);
    if (!e->phi) {
        am_arena_clear(memory);
        return AM_ERR_MEMORY;
    }
    plan_along(e);
    return AM_OK;
}

am_smooth *am_smooth_create(const am_system *system, am_error *err) {
    if (system->m > 0) {
        am_fail(err, AM_ERR_UNSUPPORTED,
                "polynomial springs and dampers together with contacts are followed in time by `march` only");
        return NULL;
    }
    am_smooth *e = am_memory_new(1, sizeof *e, err);
    if (!e)
        return NULL;
    *e = (am_smooth){
        .system = system, .n = system->n, .springs = system->polynomials, .columns = whole_blocks(2 * system->n)};
    if (reserve(e, err) || invert_mass(e, err) || plan_structure(e, err) || plan_directions(e, err) ||
        plan_groups(e, err)) {
        am_smooth_free(e);
        return NULL;
    }
    return e;
}

void am_smooth_free(am_smooth *engine) {
    if (!engine)
        return;
    am_arena_clear(&engine->memory);
    am_arena_clear(&engine->derivative_memory);
    am_arena_clear(&engine->closing_memory);
    am_memory_free(engine);
}
