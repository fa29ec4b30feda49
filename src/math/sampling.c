#include "math/sampling.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"

const double am_sample_levels[AM_SAMPLE_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

static int compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Linear between the sorted values, of which the first is the quantile 0 and the last the quantile 1. */
static double quantile(const double *sorted, size_t count, double level) {
    double at = level * (double)(count - 1);
    size_t below = (size_t)at;
    double part = at - (double)below;
    return below + 1 < count ? sorted[below] + part * (sorted[below + 1] - sorted[below]) : sorted[count - 1];
}

am_sample_moments am_sample_describe(double *values, size_t count) {
    am_sample_moments m = {0};
    double squares = 0.0;
    qsort(values, count, sizeof *values, compare_numbers);
    for (size_t i = 0; i < count; i++)
        m.mean += (values[i] - m.mean) / (double)(i + 1); /* sums of large values do not overflow */
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - m.mean) * (values[i] - m.mean);
    m.deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    m.mean_error = m.deviation / sqrt((double)count);
    for (size_t k = 0; k < AM_SAMPLE_QUANTILES; k++)
        m.quantiles[k] = quantile(values, count, am_sample_levels[k]);
    return m;
}

/* The p with |p - hits/count| <= z sqrt(p (1 - p)/count): the ends are the roots of a quadratic. */
void am_sample_interval(size_t hits, size_t count, double *low, double *high) {
    const double z = 1.9599639845400545; /* 97.5 percent of a normal distribution */
    double n = (double)count, p = (double)hits / n, z2 = z * z / n;
    double middle = (p + z2 / 2.0) / (1.0 + z2);
    double half = sqrt(z2 * (p * (1.0 - p) + z2 / 4.0)) / (1.0 + z2);
    *low = hits == 0 ? 0.0 : middle - half;
    *high = hits == count ? 1.0 : middle + half;
}

/* ---- which factor the spread comes from ---- */

/* Blocks of the jackknife, of points that follow each other. */
enum { BLOCKS = 10, FEWEST = 20 };

struct am_factors {
    am_arena memory;
    size_t count, factors;
    size_t totals;      /* points that `total` uses */
    size_t **order;     /* per factor: the points by their value */
    uint32_t **nearest; /* per factor: of every point the nearest in all others, among each block (totals x BLOCKS) */
};

typedef struct ranked {
    double value;
    size_t point;
} ranked;

static int compare_ranked(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    int order = (x->value > y->value) - (x->value < y->value);
    return order ? order : (x->point > y->point) - (x->point < y->point);
}

/* Ranks instead of values: distances do not depend on units or on how an axis is spaced. */
static void rank(const double *x, size_t count, size_t *order, double *place, ranked *list) {
    for (size_t i = 0; i < count; i++)
        list[i] = (ranked){x[i], i};
    qsort(list, count, sizeof *list, compare_ranked);
    for (size_t i = 0; i < count; i++) {
        order[i] = list[i].point;
        place[list[i].point] = (double)i;
    }
}

static size_t block_of(size_t point, size_t count) {
    return point * BLOCKS / count;
}

/* Nearest in all factors but one. */
static void find_nearest(const am_factors *f, double *const *place, size_t but, uint32_t *nearest) {
    size_t n = f->totals;
    for (size_t i = 0; i < n; i++) {
        double best[BLOCKS];
        for (size_t b = 0; b < BLOCKS; b++)
            best[b] = INFINITY;
        for (size_t j = 0; j < n; j++) {
            double distance = 0.0;
            size_t b = block_of(j, n);
            for (size_t a = 0; a < f->factors; a++)
                if (a != but)
                    distance += (place[a][i] - place[a][j]) * (place[a][i] - place[a][j]);
            if (j != i && distance < best[b]) {
                best[b] = distance;
                nearest[i * BLOCKS + b] = (uint32_t)j;
            }
        }
        for (size_t swaps = 1; swaps > 0;) { /* by distance: the nearest outside of a block is the first or second */
            swaps = 0;
            for (size_t b = 0; b + 1 < BLOCKS; b++)
                if (best[b + 1] < best[b]) {
                    double d = best[b];
                    uint32_t p = nearest[i * BLOCKS + b];
                    best[b] = best[b + 1];
                    nearest[i * BLOCKS + b] = nearest[i * BLOCKS + b + 1];
                    best[b + 1] = d;
                    nearest[i * BLOCKS + b + 1] = p;
                    swaps++;
                }
        }
    }
}

static am_status fill(am_factors *f, const double *const *x, am_error *err) {
    am_arena *memory = &f->memory;
    double **place = am_arena_new(memory, f->factors, sizeof *place, err);
    ranked *list = am_arena_new(memory, f->count, sizeof *list, err);
    f->order = am_arena_new(memory, f->factors, sizeof *f->order, err);
    f->nearest = am_arena_new(memory, f->factors, sizeof *f->nearest, err);
    for (size_t a = 0; a < f->factors && am_arena_status(memory) == AM_OK; a++) {
        f->order[a] = am_arena_new(memory, f->count, sizeof **f->order, err);
        place[a] = am_arena_new(memory, f->count, sizeof **place, err);
        f->nearest[a] = am_arena_new(memory, f->totals * BLOCKS, sizeof **f->nearest, err);
    }
    if (am_arena_status(memory) != AM_OK)
        return AM_ERR_MEMORY;
    for (size_t a = 0; a < f->factors; a++)
        rank(x[a], f->count, f->order[a], place[a], list);
    for (size_t a = 0; f->factors > 1 && f->count >= FEWEST && a < f->factors; a++)
        find_nearest(f, place, a, f->nearest[a]);
    return AM_OK;
}

am_factors *am_factors_create(size_t count, size_t factors, const double *const *x, am_error *err) {
    am_factors *f = am_memory_new(1, sizeof *f, err);
    if (!f)
        return NULL;
    f->count = count;
    f->factors = factors;
    f->totals = count < AM_FACTOR_POINTS ? count : AM_FACTOR_POINTS;
    if (fill(f, x, err) == AM_OK)
        return f;
    am_factors_free(f);
    return NULL;
}

void am_factors_free(am_factors *f) {
    if (!f)
        return;
    am_arena_clear(&f->memory);
    am_memory_free(f);
}

/* Mean and variance (divided by how many there are) without one block; BLOCKS: of all. */
static double spread(const double *y, size_t count, size_t without, double *mean) {
    double sum = 0.0, squares = 0.0, used = 0.0;
    for (size_t i = 0; i < count; i++)
        if (block_of(i, count) != without) {
            sum += y[i];
            used++;
        }
    *mean = sum / used;
    for (size_t i = 0; i < count; i++)
        if (block_of(i, count) != without)
            squares += (y[i] - *mean) * (y[i] - *mean);
    return squares / used;
}

/* Gamboa, Gremaud, Klein and Lagnoux (2022): the points that follow each other along x_i are as good as two draws of all
 * other factors with the same x_i, so that the mean of their product is E(E(y | x_i)^2). */
static double first_order(const am_factors *f, size_t factor, const double *y, size_t without) {
    double mean, variance = spread(y, f->count, without, &mean), sum = 0.0, used = 0.0;
    size_t first = SIZE_MAX, last = SIZE_MAX;
    for (size_t k = 0; k < f->count; k++) {
        size_t point = f->order[factor][k];
        if (block_of(point, f->count) == without)
            continue;
        if (last != SIZE_MAX)
            sum += (y[last] - mean) * (y[point] - mean);
        else
            first = point;
        last = point;
        used++;
    }
    sum += (y[last] - mean) * (y[first] - mean); /* the last is followed by the first */
    return sum / (used * variance);
}

/* Broto, Bachoc and Depecker (2020): the nearest point in all factors but x_i is as good as another draw of x_i alone;
 * half of the mean square of the difference is E(Var(y | all but x_i)). */
static double total_order(const am_factors *f, size_t factor, const double *y, size_t without) {
    double mean, variance = spread(y, f->totals, without, &mean), sum = 0.0, used = 0.0;
    if (f->factors == 1)
        return 1.0;
    for (size_t i = 0; i < f->totals; i++) {
        const uint32_t *nearest = &f->nearest[factor][i * BLOCKS];
        if (block_of(i, f->totals) == without)
            continue;
        uint32_t j = nearest[block_of(nearest[0], f->totals) == without ? 1 : 0];
        sum += (y[i] - y[j]) * (y[i] - y[j]);
        used++;
    }
    return sum / (2.0 * used * variance);
}

typedef double estimator(const am_factors *f, size_t factor, const double *y, size_t without);

static double jackknife_error(const am_factors *f, size_t factor, const double *y, estimator *estimate) {
    double values[BLOCKS], mean = 0.0, squares = 0.0;
    for (size_t b = 0; b < BLOCKS; b++)
        mean += (values[b] = estimate(f, factor, y, b)) / BLOCKS;
    for (size_t b = 0; b < BLOCKS; b++)
        squares += (values[b] - mean) * (values[b] - mean);
    return sqrt(squares * (BLOCKS - 1.0) / BLOCKS);
}

am_sensitivity am_factors_sensitivity(const am_factors *f, size_t factor, const double *y) {
    double mean;
    if (f->count < FEWEST || !(spread(y, f->count, BLOCKS, &mean) > 0.0))
        return (am_sensitivity){NAN, NAN, NAN, NAN};
    return (am_sensitivity){
        .first = first_order(f, factor, y, BLOCKS),
        .first_error = jackknife_error(f, factor, y, first_order),
        .total = total_order(f, factor, y, BLOCKS),
        .total_error = f->factors == 1 ? 0.0 : jackknife_error(f, factor, y, total_order),
    };
}
