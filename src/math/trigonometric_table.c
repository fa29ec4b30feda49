#include "math/trigonometric_table.h"

#include <math.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/watch.h"
#include "math/pi.h"
#include "math/wide.h"

struct am_trig_table {
    am_arena memory;
    size_t degree, count, rows; /* rows: points in the first quarter, both ends included */
    double *cosine, *sine;      /* [h * rows + k]: of h theta_k */
    double *part;               /* 4 x rows: sums over even and odd cosines, even and odd sines */
};

/* cos and sin of 2 pi turns/count, exact where they are 0 or +-1. */
static double cosine_of(size_t turns, size_t count) {
    size_t t = turns % count;
    if (2 * t > count)
        t = count - t;
    if (4 * t > count)
        return -cosine_of(count - 2 * t, 2 * count);
    return 8 * t <= count ? cos(2 * pi * (double)t / (double)count)
                          : sin(2 * pi * (double)(count - 4 * t) / (double)(4 * count));
}

static double sine_of(size_t turns, size_t count) {
    return cosine_of(4 * (turns % count) + 3 * count, 4 * count);
}

/* Every angle is one of `count`. once: 2 x count. */
static void fill(am_trig_table *table, double *once) {
    double *cosine = once, *sine = once + table->count;
    for (size_t t = 0; t < table->count && !am_watch_stopped(20.0); t++) {
        cosine[t] = cosine_of(t, table->count);
        sine[t] = sine_of(t, table->count);
    }
    for (size_t h = 0; h <= table->degree && !am_watch_stopped((double)table->rows); h++)
        for (size_t k = 0; k < table->rows; k++) {
            size_t turns = h * k % table->count;
            table->cosine[h * table->rows + k] = cosine[turns];
            table->sine[h * table->rows + k] = sine[turns];
        }
}

am_trig_table *am_trig_table_create(size_t degree, size_t at_least, am_error *err) {
    am_trig_table *table = am_memory_new(1, sizeof *table, err);
    if (!table)
        return NULL;
    table->degree = degree;
    table->count = at_least < 4 ? 4 : (at_least + 3) / 4 * 4;
    table->rows = table->count / 4 + 1;
    AM_ARENA_DOUBLES(&table->memory, (degree + 1) * table->rows, err, &table->cosine, &table->sine);
    table->part = am_arena_doubles(&table->memory, NULL, 4 * table->rows, err);
    double *once = am_memory_new(2 * table->count, sizeof *once, err);
    if (!once || am_arena_status(&table->memory)) {
        am_memory_free(once);
        am_trig_table_free(table);
        return NULL;
    }
    fill(table, once);
    am_memory_free(once);
    return table;
}

void am_trig_table_free(am_trig_table *table) {
    if (!table)
        return;
    am_arena_clear(&table->memory);
    am_memory_free(table);
}

size_t am_trig_table_count(const am_trig_table *table) {
    return table->count;
}

static inline void add_harmonic(size_t rows, double a, double b, const double *restrict cosine,
                                const double *restrict sine, double *restrict cosines, double *restrict sines) {
    for (size_t k = 0; k < rows; k++) {
        cosines[k] += a * cosine[k];
        sines[k] += b * sine[k];
    }
}

/* What the four points that share theta_k have: theta, pi - theta, pi + theta, 2 pi - theta. */
static void unfold(const am_trig_table *table, double *values) {
    size_t rows = table->rows, n = table->count, half = n / 2;
    const double *even_cos = table->part, *odd_cos = even_cos + rows, *even_sin = odd_cos + rows,
                 *odd_sin = even_sin + rows;
    for (size_t k = 0; k < rows; k++) {
        double upper = even_cos[k] + odd_sin[k], lower = even_cos[k] - odd_sin[k];
        double right = odd_cos[k] + even_sin[k], left = odd_cos[k] - even_sin[k];
        values[k] = upper + right;
        values[half - k] = upper - right;
        values[half + k] = lower - left;
        if (k > 0)
            values[n - k] = lower + left;
    }
}

AM_WIDE void am_trig_table_values(am_trig_table *table, size_t degree, const double *s, double *values) {
    size_t rows = table->rows;
    double *cosines = table->part, *sines = table->part + 2 * rows; /* even ones first, then odd ones */
    for (size_t k = 0; k < rows; k++) {
        cosines[k] = s[0];
        cosines[rows + k] = sines[k] = sines[rows + k] = 0;
    }
    for (size_t h = 1; h <= degree; h++)
        if (s[2 * h - 1] != 0 || s[2 * h] != 0)
            add_harmonic(rows, s[2 * h - 1], s[2 * h], table->cosine + h * rows, table->sine + h * rows,
                         cosines + h % 2 * rows, sines + h % 2 * rows);
    unfold(table, values);
}

/* The transpose of unfold. Where two of the four points are one, each counts by half. */
static void fold(am_trig_table *table, const double *values) {
    size_t rows = table->rows, n = table->count, half = n / 2;
    double *even_cos = table->part, *odd_cos = even_cos + rows, *even_sin = odd_cos + rows, *odd_sin = even_sin + rows;
    for (size_t k = 0; k < rows; k++) {
        double weight = k == 0 || k + 1 == rows ? 0.5 : 1;
        double first = weight * values[k], second = weight * values[half - k], third = weight * values[half + k],
               fourth = weight * values[k > 0 ? n - k : 0];
        even_cos[k] = first + second + third + fourth;
        odd_cos[k] = first - second - third + fourth;
        even_sin[k] = first - second + third - fourth;
        odd_sin[k] = first + second - third - fourth;
    }
}

static double dot(size_t n, const double *restrict a, const double *restrict b) {
    double even = 0, odd = 0;
    size_t k = 0;
    for (; k + 1 < n; k += 2) {
        even += a[k] * b[k];
        odd += a[k + 1] * b[k + 1];
    }
    return even + odd + (k < n ? a[k] * b[k] : 0);
}

void am_trig_table_moments(am_trig_table *table, size_t degree, const double *values, double *cosine, double *sine) {
    size_t rows = table->rows;
    double share = 1 / (double)table->count;
    fold(table, values);
    for (size_t m = 0; m <= degree; m++) {
        cosine[m] = share * dot(rows, table->cosine + m * rows, table->part + m % 2 * rows);
        sine[m] = share * dot(rows, table->sine + m * rows, table->part + (2 + m % 2) * rows);
    }
}
