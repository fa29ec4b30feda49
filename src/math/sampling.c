#include "math/sampling.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/memory.h"
#include "math/pi.h"

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

/* BLOCKS: of the jackknife, points that follow each other. ORDERS: cosines along a factor. MAIN_ORDERS: those of what is
 * subtracted before neighbours are compared. */
enum { BLOCKS = 10, FEWEST = 20, ORDERS = 32, MAIN_ORDERS = 4, NEAREST = FEWEST - 1 };

struct am_factors {
    am_arena memory;
    size_t count, factors;
    bool even;
    size_t totals;      /* points that `total` uses */
    double **cosine;    /* per factor: cos(pi u) of every point, u its rank between 0 and 1 */
    uint32_t **nearest; /* per factor: of every point the nearest in all others, NEAREST of them from near to far */
    double (*main)[MAIN_ORDERS]; /* per factor: coefficients of what it does to y alone */
    double *rest;                /* totals: y without what other factors do alone */
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

/* Ranks instead of values: neither units nor how an axis is spaced play a part. */
static void rank(const double *x, size_t count, double *place, double *cosine, ranked *list) {
    for (size_t i = 0; i < count; i++)
        list[i] = (ranked){x[i], i};
    qsort(list, count, sizeof *list, compare_ranked);
    for (size_t i = 0; i < count; i++) {
        place[list[i].point] = (double)i;
        cosine[list[i].point] = cos(pi * ((double)i + 0.5) / (double)count);
    }
}

static double distance_but(const am_factors *f, double *const *place, size_t but, size_t i, size_t j) {
    double distance = 0.0;
    for (size_t a = 0; a < f->factors; a++)
        if (a != but)
            distance += (place[a][i] - place[a][j]) * (place[a][i] - place[a][j]);
    return distance;
}

/* Nearest in all factors but one. */
static void find_nearest(const am_factors *f, double *const *place, size_t but, uint32_t *nearest) {
    for (size_t i = 0; i < f->totals; i++) {
        double best[NEAREST];
        size_t found = 0;
        for (size_t j = 0; j < f->totals; j++) {
            double distance = j == i ? INFINITY : distance_but(f, place, but, i, j);
            if (j == i || (found == NEAREST && distance >= best[NEAREST - 1]))
                continue;
            size_t at = found < NEAREST ? found++ : NEAREST - 1;
            for (; at > 0 && best[at - 1] > distance; at--) {
                best[at] = best[at - 1];
                nearest[i * NEAREST + at] = nearest[i * NEAREST + at - 1];
            }
            best[at] = distance;
            nearest[i * NEAREST + at] = (uint32_t)j;
        }
    }
}

static am_status fill(am_factors *f, const double *const *x, am_error *err) {
    am_arena *memory = &f->memory;
    double **place = am_arena_new(memory, f->factors, sizeof *place, err);
    ranked *list = am_arena_new(memory, f->count, sizeof *list, err);
    f->cosine = am_arena_new(memory, f->factors, sizeof *f->cosine, err);
    f->nearest = am_arena_new(memory, f->factors, sizeof *f->nearest, err);
    f->main = am_arena_new(memory, f->factors, sizeof *f->main, err);
    f->rest = am_arena_new(memory, f->totals, sizeof *f->rest, err);
    for (size_t a = 0; a < f->factors && am_arena_status(memory) == AM_OK; a++) {
        place[a] = am_arena_new(memory, f->count, sizeof **place, err);
        f->cosine[a] = am_arena_new(memory, f->count, sizeof **f->cosine, err);
        f->nearest[a] = am_arena_new(memory, f->totals * NEAREST, sizeof **f->nearest, err);
    }
    if (am_arena_status(memory) != AM_OK)
        return AM_ERR_MEMORY;
    for (size_t a = 0; a < f->factors; a++)
        rank(x[a], f->count, place[a], f->cosine[a], list);
    for (size_t a = 0; f->factors > 1 && f->count >= FEWEST && a < f->factors; a++)
        find_nearest(f, place, a, f->nearest[a]);
    return AM_OK;
}

am_factors *am_factors_create(size_t count, size_t factors, bool even, const double *const *x, am_error *err) {
    am_factors *f = am_memory_new(1, sizeof *f, err);
    if (!f)
        return NULL;
    f->count = count;
    f->factors = factors;
    f->even = even;
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

/* Sums over some points: of y, y^2, cos(k pi u) and y cos(k pi u), k = 1 ... ORDERS. */
typedef struct sums {
    double points, y, yy, cosine[ORDERS], product[ORDERS];
} sums;

static void add(sums *into, const sums *part, double sign) {
    into->points += sign * part->points;
    into->y += sign * part->y;
    into->yy += sign * part->yy;
    for (size_t k = 0; k < ORDERS; k++) {
        into->cosine[k] += sign * part->cosine[k];
        into->product[k] += sign * part->product[k];
    }
}

static size_t block_of(size_t point, size_t count) {
    return point * BLOCKS / count;
}

static size_t orders_of(const am_factors *f) {
    size_t orders = (size_t)(0.5 * sqrt((double)f->count));
    return orders < ORDERS ? orders : ORDERS;
}

/* Of every block, and of all; y relative to `origin`, so that squares do not cancel. */
static void sum_up(const am_factors *f, size_t factor, const double *y, double origin, sums blocks[BLOCKS], sums *all) {
    size_t orders = orders_of(f);
    for (size_t b = 0; b < BLOCKS; b++)
        blocks[b] = (sums){0};
    for (size_t i = 0; i < f->count; i++) {
        sums *s = &blocks[block_of(i, f->count)];
        double c = f->cosine[factor][i], value = y[i] - origin, before = 1.0, now = c;
        s->points += 1.0;
        s->y += value;
        s->yy += value * value;
        for (size_t k = 0; k < orders; k++) { /* cos((k + 1) t) = 2 cos t cos(k t) - cos((k - 1) t) */
            double next = 2.0 * c * now - before;
            s->cosine[k] += now;
            s->product[k] += value * now;
            before = now;
            now = next;
        }
    }
    *all = (sums){0};
    for (size_t b = 0; b < BLOCKS; b++)
        add(all, &blocks[b], 1.0);
}

static double variance_of(const sums *s) {
    double mean = s->y / s->points;
    return s->yy / s->points - mean * mean;
}

/* Coefficient of sqrt(2) cos(k pi u), k = order + 1, in E(y | u). */
static double coefficient(const sums *s, size_t order) {
    return sqrt(2.0) * (s->product[order] - s->y / s->points * s->cosine[order]) / s->points;
}

/* Parseval: Var(E(y | x_i)) is the sum of squares of the coefficients. The mean square of the error of each, of independent
 * points, is the variance that is left over their number. */
static double first_order(const am_factors *f, const sums *s, size_t orders) {
    double variance = variance_of(s), squares = 0.0;
    for (size_t k = 0; k < orders; k++)
        squares += coefficient(s, k) * coefficient(s, k);
    double share = squares / variance;
    return f->even ? share : share - (double)orders / s->points * (1.0 - share);
}

/* y without what the other factors do alone: E(Var(y | all but x_i)) is the same for y - h(all but x_i), and neighbours that
 * are not quite as near will do. */
static void subtract_main(am_factors *f, size_t factor) {
    for (size_t i = 0; i < f->totals; i++) {
        double c = f->cosine[factor][i], before = 1.0, now = c;
        for (size_t k = 0; k < MAIN_ORDERS; k++) {
            double next = 2.0 * c * now - before;
            f->rest[i] -= sqrt(2.0) * f->main[factor][k] * now;
            before = now;
            now = next;
        }
    }
}

/* Broto, Bachoc and Depecker (2020): a point and those nearest to it in all factors but x_i are as good as draws of x_i
 * alone; the mean of their variance is E(Var(y | all but x_i)). Of independent draws it misses one part in `members`, of
 * those of a Sobol sequence, spread along x_i, none where they are neighbours in one factor, and less than one in more. */
static double total_order(const am_factors *f, size_t factor, double variance, size_t members, size_t without) {
    double sum = 0.0, used = 0.0, missed = !f->even ? 1.0 : f->factors > 2 ? 0.5 : 0.0;
    for (size_t i = 0; i < f->totals; i++) {
        const uint32_t *nearest = &f->nearest[factor][i * NEAREST];
        double shift = 0.0, squares = 0.0, count = 1.0; /* relative to the point itself */
        for (size_t k = 0; k < NEAREST && count < (double)members; k++)
            if (block_of(nearest[k], f->totals) != without) {
                double step = f->rest[nearest[k]] - f->rest[i];
                shift += step;
                squares += step * step;
                count += 1.0;
            }
        if (block_of(i, f->totals) == without || count < 2.0)
            continue;
        sum += (squares / count - shift / count * (shift / count)) * count / (count - missed);
        used++;
    }
    return sum / (used * variance);
}

static double jackknife_error(const double values[BLOCKS]) {
    double mean = 0.0, squares = 0.0;
    for (size_t b = 0; b < BLOCKS; b++)
        mean += values[b] / BLOCKS;
    for (size_t b = 0; b < BLOCKS; b++)
        squares += (values[b] - mean) * (values[b] - mean);
    return sqrt(squares * (BLOCKS - 1.0) / BLOCKS);
}

static void find_first(const am_factors *f, const sums blocks[BLOCKS], const sums *all, am_sensitivity *s) {
    double without[BLOCKS];
    size_t orders = orders_of(f);
    for (size_t b = 0; b < BLOCKS; b++) {
        sums others = *all;
        add(&others, &blocks[b], -1.0);
        without[b] = first_order(f, &others, orders);
    }
    s->first = first_order(f, all, orders);
    s->first_error = hypot(jackknife_error(without), s->first - first_order(f, all, orders / 2));
}

/* Variances are those of the points in use. */
static double variance_without(const am_factors *f, const double *y, double origin, size_t without) {
    sums s = {0};
    for (size_t i = 0; i < f->totals; i++)
        if (block_of(i, f->totals) != without) {
            double value = y[i] - origin;
            s.points += 1.0;
            s.y += value;
            s.yy += value * value;
        }
    return variance_of(&s);
}

static void find_total(const am_factors *f, size_t factor, const double *y, double origin, am_sensitivity *s) {
    double without[BLOCKS], variance = variance_without(f, y, origin, BLOCKS);
    size_t members = f->even ? 8 : 2;
    for (size_t b = 0; b < BLOCKS; b++)
        without[b] = total_order(f, factor, variance_without(f, y, origin, b), members, b);
    s->total = total_order(f, factor, variance, members, BLOCKS);
    s->total_error = hypot(jackknife_error(without), s->total - total_order(f, factor, variance, 2 * members, BLOCKS));
}

void am_factors_sensitivity(am_factors *f, const double *y, am_sensitivity *each) {
    sums blocks[BLOCKS], all;
    double origin = 0.0, least = y[0], greatest = y[0];
    for (size_t i = 0; i < f->count; i++) {
        origin += (y[i] - origin) / (double)(i + 1);
        least = fmin(least, y[i]);
        greatest = fmax(greatest, y[i]);
    }
    for (size_t a = 0; a < f->factors; a++) {
        each[a] = (am_sensitivity){NAN, NAN, NAN, NAN};
        if (f->count < FEWEST || !(least < greatest))
            continue;
        sum_up(f, a, y, origin, blocks, &all);
        find_first(f, blocks, &all, &each[a]);
        for (size_t k = 0; k < MAIN_ORDERS; k++)
            f->main[a][k] = k < orders_of(f) ? coefficient(&all, k) : 0.0;
        each[a].total = 1.0;
        each[a].total_error = 0.0;
    }
    for (size_t a = 0; f->factors > 1 && !isnan(each[0].first) && a < f->factors; a++) {
        for (size_t i = 0; i < f->totals; i++)
            f->rest[i] = y[i];
        for (size_t other = 0; other < f->factors; other++)
            if (other != a)
                subtract_main(f, other);
        find_total(f, a, y, origin, &each[a]);
    }
}
