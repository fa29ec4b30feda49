/* Polynomial springs and dampers as signals: products of signals sampled at so many equispaced points that nothing is
 * mirrored into the harmonics that are kept. */
#include <math.h>
#include <string.h>

#include "base/try.h"
#include "engines/balance/cell.h"
#include "engines/balance/cell_internal.h"
#include "math/trigonometric.h"

/* What the terms need. */
typedef struct demand {
    size_t degree, x, y; /* together, and the highest powers */
} demand;

static am_status measure_terms(size_t term_count, const am_polynomial_term *terms, demand *need, am_error *err) {
    *need = (demand){0};
    for (size_t i = 0; i < term_count; i++) {
        size_t x = terms[i].displacement, y = terms[i].velocity;
        if (x > AM_POLYNOMIAL_DEGREE || y > AM_POLYNOMIAL_DEGREE || x + y > AM_POLYNOMIAL_DEGREE)
            return am_fail(err, AM_ERR_INPUT, "the powers of a term of a polynomial spring are together at most %d",
                           AM_POLYNOMIAL_DEGREE);
        need->degree = need->degree > x + y ? need->degree : x + y;
        need->x = need->x > x ? need->x : x;
        need->y = need->y > y ? need->y : y;
    }
    return AM_OK;
}

static am_trig_table *table_for(const am_cell *cell, size_t degree) {
    return cell->samples[degree <= 3 ? 0 : degree <= 5 ? 1 : 2];
}

static void multiply(size_t n, const double *restrict a, const double *restrict b, double *restrict product) {
    for (size_t k = 0; k < n; k++)
        product[k] = a[k] * b[k];
}

/* power[i n + k]: the signal's value at point k to the power i, i from 1 on. */
static void sample_powers(const am_cell *cell, am_trig_table *table, const double *s, size_t highest, double *power) {
    size_t n = am_trig_table_count(table);
    if (highest > 0)
        am_trig_table_values(table, cell->degree, s, power + n);
    for (size_t i = 2; i <= highest; i++)
        multiply(n, power + (i - 1) * n, power + n, power + i * n);
}

/* sum += c x^i y^j at all points. */
static void add_products(const am_cell *cell, size_t n, double c, size_t i, size_t j, double *restrict sum) {
    const double *restrict x = cell->power_x + i * n, *restrict y = cell->power_y + j * n;
    if (i == 0 && j == 0)
        for (size_t k = 0; k < n; k++)
            sum[k] += c;
    else if (i == 0 || j == 0)
        for (size_t k = 0; k < n; k++)
            sum[k] += c * (i == 0 ? y : x)[k];
    else
        for (size_t k = 0; k < n; k++)
            sum[k] += c * x[k] * y[k];
}

static void sample_terms(am_cell *cell, size_t n, size_t term_count, const am_polynomial_term *terms, bool d_x,
                         bool d_y) {
    memset(cell->sampled_f, 0, n * sizeof *cell->sampled_f);
    if (d_x)
        memset(cell->sampled_x, 0, n * sizeof *cell->sampled_x);
    if (d_y)
        memset(cell->sampled_y, 0, n * sizeof *cell->sampled_y);
    for (size_t t = 0; t < term_count; t++) {
        size_t i = terms[t].displacement, j = terms[t].velocity;
        double c = terms[t].coefficient;
        add_products(cell, n, c, i, j, cell->sampled_f);
        if (d_x && i > 0)
            add_products(cell, n, c * (double)i, i - 1, j, cell->sampled_x);
        if (d_y && j > 0)
            add_products(cell, n, c * (double)j, i, j - 1, cell->sampled_y);
    }
}

static void derive(am_cell *cell, am_trig_table *table, bool depends, const double *samples, double *matrix) {
    memset(matrix, 0, cell->size * cell->size * sizeof *matrix);
    if (!depends)
        return;
    am_trig_table_moments(table, 2 * cell->degree, samples, cell->first.cosine, cell->first.sine);
    am_cell_add_product(cell, cell->first, NULL, NULL, matrix);
}

static void general(am_cell *cell, const demand *need, size_t term_count, const am_polynomial_term *terms,
                    const double *x, const double *y, double *f, double *d_x, double *d_y) {
    am_trig_table *table = table_for(cell, need->degree);
    sample_powers(cell, table, x, need->x, cell->power_x);
    sample_powers(cell, table, y, need->y, cell->power_y);
    sample_terms(cell, am_trig_table_count(table), term_count, terms, d_x && need->x > 0, d_y && need->y > 0);
    am_trig_table_moments(table, cell->degree, cell->sampled_f, cell->piece.cosine, cell->piece.sine);
    f[0] = cell->piece.cosine[0];
    for (size_t h = 1; h <= cell->degree; h++) {
        f[2 * h - 1] = 2 * cell->piece.cosine[h];
        f[2 * h] = 2 * cell->piece.sine[h];
    }
    if (d_x)
        derive(cell, table, need->x > 0, cell->sampled_x, d_x);
    if (d_y)
        derive(cell, table, need->y > 0, cell->sampled_y, d_y);
}

/* ---- one harmonic, where eight points do for degrees up to 5: many small cells in a chain ---- */

enum { FEW = 8, FEW_DEGREE = 5 };

#define ROOT_HALF 0.70710678118654752440
static const double few_cosine[FEW] = {1, ROOT_HALF, 0, -ROOT_HALF, -1, -ROOT_HALF, 0, ROOT_HALF};
static const double few_sine[FEW] = {0, ROOT_HALF, 1, ROOT_HALF, 0, -ROOT_HALF, -1, -ROOT_HALF};

static void few_powers(const double *s, size_t highest, double power[][FEW]) {
    for (size_t k = 0; k < FEW; k++)
        power[0][k] = 1;
    for (size_t k = 0; k < FEW && highest > 0; k++)
        power[1][k] = s[0] + s[1] * few_cosine[k] + s[2] * few_sine[k];
    for (size_t i = 2; i <= highest; i++)
        for (size_t k = 0; k < FEW; k++)
            power[i][k] = power[i - 1][k] * power[1][k];
}

static void few_products(double c, const double *restrict a, const double *restrict b, double *restrict sum) {
    for (size_t k = 0; k < FEW; k++)
        sum[k] += c * a[k] * b[k];
}

/* Means of the values times 1, cos, sin, cos 2, sin 2: what is half a period apart has the same even waves and opposite
 * odd ones. */
typedef struct few_moments {
    double mean, c1, s1, c2, s2;
} few_moments;

static few_moments few_means(const double *v) {
    double even[FEW / 2], odd[FEW / 2];
    for (size_t k = 0; k < FEW / 2; k++) {
        even[k] = (v[k] + v[k + FEW / 2]) / FEW;
        odd[k] = (v[k] - v[k + FEW / 2]) / FEW;
    }
    return (few_moments){.mean = (even[0] + even[2]) + (even[1] + even[3]),
                         .c1 = odd[0] + ROOT_HALF * (odd[1] - odd[3]),
                         .s1 = odd[2] + ROOT_HALF * (odd[1] + odd[3]),
                         .c2 = even[0] - even[2],
                         .s2 = even[1] - even[3]};
}

/* The matrix of am_cell_add_product for H = 1. */
static void few_matrix(bool depends, const double *values, double *matrix) {
    if (!depends) {
        memset(matrix, 0, 9 * sizeof *matrix);
        return;
    }
    few_moments m = few_means(values);
    double rows[9] = {m.mean, m.c1, m.s1, 2 * m.c1, m.mean + m.c2, m.s2, 2 * m.s1, m.s2, m.mean - m.c2};
    memcpy(matrix, rows, sizeof rows);
}

static void one_harmonic(const demand *need, size_t term_count, const am_polynomial_term *terms, const double *x,
                         const double *y, double *f, double *d_x, double *d_y) {
    double power_x[FEW_DEGREE + 1][FEW], power_y[FEW_DEGREE + 1][FEW];
    double sum[FEW] = {0}, slope_x[FEW] = {0}, slope_y[FEW] = {0};
    few_powers(x, need->x, power_x);
    few_powers(y, need->y, power_y);
    for (size_t t = 0; t < term_count; t++) {
        size_t i = terms[t].displacement, j = terms[t].velocity;
        double c = terms[t].coefficient;
        few_products(c, power_x[i], power_y[j], sum);
        if (d_x && i > 0)
            few_products(c * (double)i, power_x[i - 1], power_y[j], slope_x);
        if (d_y && j > 0)
            few_products(c * (double)j, power_x[i], power_y[j - 1], slope_y);
    }
    few_moments m = few_means(sum);
    f[0] = m.mean;
    f[1] = 2 * m.c1;
    f[2] = 2 * m.s1;
    if (d_x)
        few_matrix(need->x > 0, slope_x, d_x);
    if (d_y)
        few_matrix(need->y > 0, slope_y, d_y);
}

am_status am_cell_polynomial(am_cell *cell, size_t term_count, const am_polynomial_term *terms, const double *x,
                             const double *y, double *f, double *d_x, double *d_y, am_error *err) {
    demand need;
    AM_TRY(measure_terms(term_count, terms, &need, err));
    if (cell->degree == 1 && need.degree <= FEW_DEGREE)
        one_harmonic(&need, term_count, terms, x, y, f, d_x, d_y);
    else
        general(cell, &need, term_count, terms, x, y, f, d_x, d_y);
    double check = 0; /* a sum of zeros, unless something is not finite */
    for (size_t i = 0; i < cell->size; i++)
        check += 0 * f[i];
    if (check != 0)
        return am_fail(err, AM_ERR_INPUT, "the force of a polynomial spring or damper is not a finite number");
    return AM_OK;
}
