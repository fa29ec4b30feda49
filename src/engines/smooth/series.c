/* Taylor series of a smooth motion, and of its derivative by the first state. See docs/smooth.md.
 *
 *     (k+1)(k+2) q_(k+2) = M^-1 [ F_k - C (k+1) q_(k+1) - K q_k - sum over springs d f_k ]
 *
 * where f_k follows from products of the series of e = d.q and e' up to order k. */
#include <string.h>

#include "engines/smooth/smooth_internal.h"
#include "math/wide.h"
#include "system/polynomial.h"
#include "system/system.h"

enum { ORDER = AM_SMOOTH_ORDER, COEFFICIENTS = AM_SMOOTH_COEFFICIENTS, BLOCK = 4 };

/* ---- springs side by side ---- */

static double *series_of(const am_smooth_group *g, size_t series) {
    return g->value + series * COEFFICIENTS * g->width;
}

/* Order k of a product: sum over l of a_l b_(k-l). */
static void product(const double *a, const double *b, size_t width, size_t k, double *out) {
    for (size_t p = 0; p < width; p += BLOCK) {
        double sum[BLOCK] = {0.0};
        const double *x = a + p, *y = b + k * width + p;
        for (size_t l = 0; l <= k; l++, x += width, y -= width)
            for (size_t j = 0; j < BLOCK; j++)
                sum[j] += x[j] * y[j];
        memcpy(out + p, sum, sizeof sum);
    }
}

/* The same of a square: half the terms, twice. */
static void square(const double *a, size_t width, size_t k, double *out) {
    for (size_t p = 0; p < width; p += BLOCK) {
        double sum[BLOCK] = {0.0};
        const double *x = a + p, *y = a + k * width + p;
        for (size_t l = 0; l < (k + 1) / 2; l++, x += width, y -= width)
            for (size_t j = 0; j < BLOCK; j++)
                sum[j] += x[j] * y[j];
        for (size_t j = 0; j < BLOCK; j++)
            sum[j] = 2.0 * sum[j] + (k % 2 == 0 ? x[j] * x[j] : 0.0);
        memcpy(out + p, sum, sizeof sum);
    }
}

/* Order k of a sum of monomials. */
static void sum_parts(const am_smooth_group *g, const am_smooth_part *part, size_t count, size_t k, double *out) {
    size_t width = g->width;
    for (size_t p = 0; p < width; p += BLOCK) {
        double sum[BLOCK] = {0.0};
        for (size_t s = 0; s < count; s++) {
            const double *c = g->coefficient + part[s].term * width + p;
            double factor = part[s].factor;
            if (part[s].series == AM_SERIES_ONE) {
                for (size_t j = 0; j < BLOCK && k == 0; j++)
                    sum[j] += factor * c[j];
                continue;
            }
            const double *x = series_of(g, part[s].series) + k * width + p;
            for (size_t j = 0; j < BLOCK; j++)
                sum[j] += factor * c[j] * x[j];
        }
        memcpy(out + p, sum, sizeof sum);
    }
}

/* Order k of e and e': the former is there, unless k = 0. */
static void stretch(const am_smooth *e, const am_smooth_group *g, size_t k) {
    double *at = series_of(g, AM_SERIES_E), *rate = series_of(g, AM_SERIES_RATE);
    for (size_t order = k == 0 ? 0 : k + 1; order <= k + 1; order++)
        for (size_t s = 0; s < g->count; s++) {
            size_t p = g->spring[s];
            double sum = 0.0;
            for (size_t i = e->direction.start[p]; i < e->direction.start[p + 1]; i++)
                sum += e->direction.value[i] * e->q[order * e->n + e->direction.column[i]];
            at[order * g->width + s] = sum;
        }
    for (size_t s = 0; s < g->count; s++)
        rate[k * g->width + s] = (double)(k + 1) * at[(k + 1) * g->width + s];
}

/* Order k of everything a group knows. */
static void expand_group(am_smooth *e, am_smooth_group *g, size_t k) {
    size_t width = g->width;
    stretch(e, g, k);
    for (size_t s = AM_SERIES_PRODUCTS; s < g->series; s++) {
        const am_smooth_monomial *m = &g->monomial[s];
        if (m->derivative && !e->derivative)
            continue;
        double *out = series_of(g, s) + k * width;
        if (m->left == m->right)
            square(series_of(g, m->left), width, k, out);
        else
            product(series_of(g, m->left), series_of(g, m->right), width, k, out);
    }
    sum_parts(g, g->inner, g->terms, k, g->inner_series + k * width);
    const double *force = g->inner_series + k * width;
    if (g->factor != AM_SERIES_ONE) {
        product(series_of(g, g->factor), g->inner_series, width, k, g->force + k * width);
        force = g->force + k * width;
    }
    for (size_t s = 0; s < g->count; s++)
        e->pull[g->spring[s]] = force[s];
    if (e->derivative) {
        sum_parts(g, g->stiff, g->stiff_count, k, g->stiffness + k * width);
        sum_parts(g, g->damp, g->damp_count, k, g->damping + k * width);
    }
}

/* ---- the motion ---- */

/* z' = G z. */
static void expand_inputs(am_smooth *e) {
    const am_system *s = e->system;
    am_system_inputs(s, e->t, e->z);
    for (size_t k = 0; k < ORDER; k++) {
        double *next = e->z + (k + 1) * s->nz;
        memset(next, 0, s->nz * sizeof *next);
        for (size_t i = 0; i < s->entries; i++)
            next[s->G[i].row] += s->G[i].value * e->z[k * s->nz + s->G[i].column] / (double)(k + 1);
    }
}

static void expand_motion(am_smooth *e) {
    size_t n = e->n;
    memcpy(e->q, e->x, 2 * n * sizeof *e->q); /* q_0 = q, q_1 = q' */
    for (size_t k = 0; k + 2 <= ORDER; k++) {
        double *next = e->q + (k + 2) * n;
        for (size_t g = 0; g < e->groups; g++)
            expand_group(e, &e->group[g], k);
        memset(next, 0, n * sizeof *next);
        am_smooth_rows_add(&e->input, 1.0, e->z + k * e->system->nz, next);
        am_smooth_rows_add(&e->stiff, -1.0, e->q + k * n, next);
        am_smooth_rows_add(&e->damp, -(double)(k + 1), e->q + (k + 1) * n, next);
        am_smooth_rows_add(&e->spread, -1.0, e->pull, next);
        for (size_t i = 0; i < n; i++)
            next[i] /= (double)((k + 1) * (k + 2));
    }
}

/* ---- its derivative ---- */

/* Four numbers at once, in one register or two. Sums have the same order on every machine. */
typedef double quad __attribute__((vector_size(BLOCK * sizeof(double)), aligned(sizeof(double)), may_alias));

#define ALWAYS static inline __attribute__((always_inline))

/* Order k of direction.W for the springs that need it; of a spring along one coordinate it is a row of W itself. */
static void stretch_derivative(am_smooth *e, size_t k) {
    size_t width = e->columns;
    for (size_t p = 0; p < e->springs; p++) {
        double *out = e->own_along[p] ? e->own_along[p] + k * width : NULL;
        for (size_t i = e->direction.start[p]; out && i < e->direction.start[p + 1]; i++) {
            const double *row = e->w + (e->direction.column[i] * COEFFICIENTS + k) * width;
            double factor = e->direction.value[i];
            bool first = i == e->direction.start[p];
            for (size_t c = 0; c < width; c++)
                out[c] = first ? factor * row[c] : out[c] + factor * row[c];
        }
    }
}

/* out = sum over `count` rows of mixing_l row_l, for so many quads that stay in registers. */
ALWAYS void mix_quads(const double *mixing, size_t count, const double *rows, size_t width, double *out, size_t quads) {
    quad sum[BLOCK] = {{0.0}, {0.0}, {0.0}, {0.0}};
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < quads; i++)
            sum[i] += mixing[l] * *(const quad *)(const void *)(rows + l * width + i * BLOCK);
    for (size_t i = 0; i < quads; i++)
        *(quad *)(void *)(out + i * BLOCK) = sum[i];
}

ALWAYS void mix_rows(const double *mixing, size_t count, const double *rows, size_t width, double *out) {
    size_t c = 0;
    for (; c + 4 * BLOCK <= width; c += 4 * BLOCK)
        mix_quads(mixing, count, rows + c, width, out + c, 4);
    for (; c + 2 * BLOCK <= width; c += 2 * BLOCK)
        mix_quads(mixing, count, rows + c, width, out + c, 2);
    for (; c < width; c += BLOCK)
        mix_quads(mixing, count, rows + c, width, out + c, 1);
}

/* Order k of ke (d.W) + kv (d.W'): with (d.W')_l = (l+1) (d.W)_(l+1) both are one sum over orders of d.W. */
ALWAYS void felt_by_springs(am_smooth *e, size_t k) {
    for (size_t p = 0; p < e->springs; p++) {
        const am_smooth_group *g = &e->group[e->group_of[p]];
        const double *ke = g->stiffness + e->place[p], *kv = g->damping + e->place[p];
        for (size_t l = 0; l <= k + 1; l++) {
            double mixing = l <= k ? ke[(k - l) * g->width] : 0.0;
            e->mixing[l] = l > 0 ? mixing + (double)l * kv[(k + 1 - l) * g->width] : mixing;
        }
        mix_rows(e->mixing, k + 2, e->along[p], e->columns, e->felt + p * e->columns);
    }
}

/* sum += factor * row of A times the rows of x, `apart` from each other, for so many quads of columns. */
ALWAYS void add_row(const am_smooth_rows *a, size_t row, double factor, const double *x, size_t apart, quad *sum,
                    size_t quads) {
    for (size_t i = a->start[row]; i < a->start[row + 1]; i++) {
        const double *from = x + a->column[i] * apart;
        double f = factor * a->value[i];
        for (size_t c = 0; c < quads; c++)
            sum[c] += f * *(const quad *)(const void *)(from + c * BLOCK);
    }
}

/* Order k + 2 of row i of W, from column c on. */
ALWAYS void expand_quads(am_smooth *e, size_t k, size_t i, size_t c, size_t quads) {
    size_t width = e->columns, apart = COEFFICIENTS * width;
    double factor = -1.0 / (double)((k + 1) * (k + 2)), *out = e->w + i * apart + (k + 2) * width + c;
    quad sum[BLOCK] = {{0.0}, {0.0}, {0.0}, {0.0}};
    add_row(&e->stiff, i, factor, e->w + k * width + c, apart, sum, quads);
    add_row(&e->damp, i, factor * (double)(k + 1), e->w + (k + 1) * width + c, apart, sum, quads);
    add_row(&e->spread, i, factor, e->felt + c, width, sum, quads);
    for (size_t j = 0; j < quads; j++)
        *(quad *)(void *)(out + j * BLOCK) = sum[j];
}

ALWAYS void expand_order(am_smooth *e, size_t k) {
    size_t width = e->columns;
    stretch_derivative(e, k + 1);
    felt_by_springs(e, k);
    for (size_t i = 0; i < e->n; i++) {
        size_t c = 0;
        for (; c + 4 * BLOCK <= width; c += 4 * BLOCK)
            expand_quads(e, k, i, c, 4);
        for (; c + 2 * BLOCK <= width; c += 2 * BLOCK)
            expand_quads(e, k, i, c, 2);
        for (; c < width; c += BLOCK)
            expand_quads(e, k, i, c, 1);
    }
}

AM_WIDE void am_smooth_expand_orders(am_smooth *e) {
    for (size_t k = 0; k + 2 <= ORDER; k++)
        expand_order(e, k);
}

static void expand_derivative(am_smooth *e) {
    size_t n = e->n, width = e->columns, apart = COEFFICIENTS * width;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 2; k++)
            memcpy(e->w + i * apart + k * width, e->phi + (k * n + i) * width, width * sizeof *e->w);
    stretch_derivative(e, 0);
    am_smooth_expand_orders(e);
}

void am_smooth_expand(am_smooth *engine) {
    expand_inputs(engine);
    expand_motion(engine);
    if (engine->derivative)
        expand_derivative(engine);
}

/* ---- one point ---- */

static double along(const am_smooth *e, size_t p, const double *vector) {
    double sum = 0.0;
    for (size_t i = e->direction.start[p]; i < e->direction.start[p + 1]; i++)
        sum += e->direction.value[i] * vector[e->direction.column[i]];
    return sum;
}

void am_smooth_acceleration(am_smooth *engine, const double *z, const double *state, double *acceleration) {
    am_smooth *e = engine;
    memset(acceleration, 0, e->n * sizeof *acceleration);
    for (size_t p = 0; p < e->springs; p++)
        e->pull[p] =
            am_polynomial_force(&e->system->polynomial[p], along(e, p, state), along(e, p, state + e->n), NULL, NULL);
    am_smooth_rows_add(&e->input, 1.0, z, acceleration);
    am_smooth_rows_add(&e->stiff, -1.0, state, acceleration);
    am_smooth_rows_add(&e->damp, -1.0, state + e->n, acceleration);
    am_smooth_rows_add(&e->spread, -1.0, e->pull, acceleration);
}

void am_smooth_rate(am_smooth *engine, double t, const double *state, double *rate) {
    size_t n = engine->n;
    double *z = engine->work + 4 * n;
    am_system_inputs(engine->system, t, z);
    am_smooth_acceleration(engine, z, state, rate + n);
    memcpy(rate, state + n, n * sizeof *rate);
}

/* [ 0 1; -M^-1 (K + dg/dq)  -M^-1 (C + dg/dq') ] */
void am_smooth_jacobian(am_smooth *engine, const double *state, double *jacobian) {
    am_smooth *e = engine;
    size_t n = e->n, d = 2 * n;
    memset(jacobian, 0, d * d * sizeof *jacobian);
    for (size_t i = 0; i < n; i++) {
        jacobian[i * d + n + i] = 1.0;
        double *row = jacobian + (n + i) * d;
        for (size_t a = e->stiff.start[i]; a < e->stiff.start[i + 1]; a++)
            row[e->stiff.column[a]] -= e->stiff.value[a];
        for (size_t a = e->damp.start[i]; a < e->damp.start[i + 1]; a++)
            row[n + e->damp.column[a]] -= e->damp.value[a];
        for (size_t a = e->spread.start[i]; a < e->spread.start[i + 1]; a++) {
            size_t p = e->spread.column[a];
            const am_polynomial_def *spring = &e->system->polynomial[p];
            double at = along(e, p, state), rate = along(e, p, state + n), ke = 0.0, kv = 0.0;
            for (size_t k = 0; k < spring->term_count; k++) {
                unsigned u = spring->terms[k].displacement, v = spring->terms[k].velocity;
                double c = spring->terms[k].coefficient;
                ke += u > 0 ? c * u * am_integer_power(at, u - 1) * am_integer_power(rate, v) : 0.0;
                kv += v > 0 ? c * v * am_integer_power(at, u) * am_integer_power(rate, v - 1) : 0.0;
            }
            for (size_t b = e->direction.start[p]; b < e->direction.start[p + 1]; b++) {
                row[e->direction.column[b]] -= e->spread.value[a] * ke * e->direction.value[b];
                row[n + e->direction.column[b]] -= e->spread.value[a] * kv * e->direction.value[b];
            }
        }
    }
}
