/* Corners of elements along a line: a size that grows with the distance, and places that must be met. docs/solid.md,
 * section 3. */
#include <math.h>
#include <stdlib.h>

#include "base/local.h"
#include "base/whole.h"
#include "solid/block_mesh.h"

/* A place with the size that elements may have there at most. Between two places next to each other the size rises from
 * both with the slope `rise`, up to `largest`. */
typedef struct seed {
    double at, size;
    bool corner; /* of elements */
} seed;

/* The elements between two corners that must be met. */
typedef struct part {
    size_t first, last; /* seeds */
    double elements;    /* as many as the sizes ask for */
    size_t count;       /* the next whole number */
    double slope;       /* change of the logarithm of the size from element to element, added to that of the seeds */
} part;

typedef struct grading {
    size_t seeds, parts;
    seed *seed;
    part *part;
    double *jump; /* room for as many numbers as there are parts, twice */
    double rise, largest;
} grading;

/* How many elements fit between two places: the integral of dx/size, in the parts that rise, stay and fall. */
typedef struct stretch {
    double rising, level, falling;
} stretch;

static stretch elements_between(const grading *g, const seed *a, const seed *b) {
    double length = b->at - a->at, least = fmin(a->size, b->size);
    if (g->rise == 0.0)
        return (stretch){.level = length / least};
    double top = 0.5 * (a->size + b->size + g->rise * length), flat = 0.0;
    if (top > g->largest) {
        flat = 2.0 * (top - g->largest) / g->rise;
        top = g->largest;
    }
    return (stretch){.rising = fmax(log(top / a->size), 0.0) / g->rise,
                     .level = flat / g->largest,
                     .falling = fmax(log(top / b->size), 0.0) / g->rise};
}

static double total(stretch s) {
    return s.rising + s.level + s.falling;
}

/* The place after n elements from a. */
static double place_after(const grading *g, const seed *a, const seed *b, double n) {
    stretch s = elements_between(g, a, b);
    if (g->rise == 0.0)
        return a->at + (b->at - a->at) * (n / s.level);
    if (n <= s.rising)
        return a->at + a->size * expm1(g->rise * n) / g->rise;
    if (n <= s.rising + s.level)
        return a->at + a->size * expm1(g->rise * s.rising) / g->rise + (n - s.rising) * g->largest;
    return b->at - b->size * expm1(g->rise * fmax(total(s) - n, 0.0)) / g->rise;
}

/* No place may be coarser than its neighbours allow. */
static void limit_sizes(grading *g) {
    for (size_t i = 0; i < g->seeds; i++)
        g->seed[i].size = fmin(g->seed[i].size, g->largest);
    for (size_t i = 1; i < g->seeds; i++)
        g->seed[i].size = fmin(g->seed[i].size, g->seed[i - 1].size + g->rise * (g->seed[i].at - g->seed[i - 1].at));
    for (size_t i = g->seeds - 1; i-- > 0;)
        g->seed[i].size = fmin(g->seed[i].size, g->seed[i + 1].size + g->rise * (g->seed[i + 1].at - g->seed[i].at));
}

static size_t next_corner(const grading *g, size_t i) {
    do
        i++;
    while (!g->seed[i].corner);
    return i;
}

static double elements_from(const grading *g, size_t from, size_t to) {
    double sum = 0.0;
    for (size_t i = from; i < to; i++)
        sum += total(elements_between(g, &g->seed[i], &g->seed[i + 1]));
    return sum;
}

/* A part shorter than one element: elements at its ends are as short. */
static void shorten_seeds(grading *g) {
    for (size_t i = 0, j; i + 1 < g->seeds; i = j) {
        j = next_corner(g, i);
        double length = g->seed[j].at - g->seed[i].at;
        g->seed[i].size = fmin(g->seed[i].size, length);
        g->seed[j].size = fmin(g->seed[j].size, length);
    }
}

static void count_elements(grading *g) {
    g->parts = 0;
    for (size_t i = 0; i + 1 < g->seeds; i = next_corner(g, i)) {
        part *p = &g->part[g->parts++];
        *p = (part){.first = i, .last = next_corner(g, i)};
        p->elements = elements_from(g, p->first, p->last);
        p->count = am_whole(fmax(ceil(p->elements - 1e-9), 1.0)); /* a hair above a whole number is rounding */
    }
}

/* Whole numbers make elements smaller than asked for by a factor, another one on either side of a corner. Slopes of the
 * parts on both sides take up the jump of its logarithm: (n - 1)/2 slope is what a part of n elements adds at its end
 * and takes away at its beginning. Least squares of slopes and remaining jumps: a tridiagonal matrix, by Thomas. */
static void join_parts(grading *g) {
    enum { JUMPS_WEIGH = 4 };
    double *right = g->jump, *upper = g->jump + g->parts;
    for (size_t i = 0; i + 1 < g->parts; i++) {
        const part *p = &g->part[i], *q = p + 1;
        double a = 0.5 * ((double)p->count - 1.0), b = 0.5 * ((double)q->count - 1.0);
        double jump = log((double)p->count / p->elements) - log((double)q->count / q->elements);
        double pivot = a * a + b * b + 1.0 / JUMPS_WEIGH - (i ? a * a * upper[i - 1] : 0.0);
        upper[i] = b * b / pivot;
        right[i] = (jump - (i ? a * a * right[i - 1] : 0.0)) / pivot;
    }
    for (size_t i = g->parts - 1; i-- > 0;)
        right[i] -= i + 2 < g->parts ? upper[i] * right[i + 1] : 0.0;
    for (size_t i = 0; i < g->parts; i++) {
        double before = i > 0 ? right[i - 1] : 0.0, after = i + 1 < g->parts ? right[i] : 0.0;
        g->part[i].slope = 0.5 * ((double)g->part[i].count - 1.0) * (before + after);
    }
}

static double distance_to_nearest(double at, size_t count, const double *places) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        least = fmin(least, fabs(at - places[i]));
    return least;
}

static int by_place(const void *a, const void *b) {
    const seed *s = a, *t = b;
    return (s->at > t->at) - (s->at < t->at);
}

/* Sorted; places that coincide become one. */
static void sort_seeds(grading *g, double close) {
    qsort(g->seed, g->seeds, sizeof *g->seed, by_place);
    size_t n = 0;
    for (size_t i = 1; i < g->seeds; i++) {
        if (g->seed[i].at - g->seed[n].at > close) {
            g->seed[++n] = g->seed[i];
            continue;
        }
        if (g->seed[i].corner && !g->seed[n].corner)
            g->seed[n].at = g->seed[i].at;
        g->seed[n].corner = g->seed[n].corner || g->seed[i].corner;
    }
    g->seeds = n + 1;
}

static am_status check_division(double from, double to, double size, double growth, double largest, size_t k,
                                const double *required, am_error *err) {
    if (!(from < to) || !isfinite(to - from))
        return am_fail(err, AM_ERR_INPUT, "a side from %g to %g has no length", from, to);
    if (!(size > 0.0) || !isfinite(size))
        return am_fail(err, AM_ERR_INPUT, "the size of elements is %g; it must be positive", size);
    if (!(growth >= 1.0) || !isfinite(growth))
        return am_fail(err, AM_ERR_INPUT, "the growth from element to element is %g; it must be 1 or more", growth);
    if (!(largest >= size))
        return am_fail(err, AM_ERR_INPUT, "the largest size of elements, %g, is below the finest, %g", largest, size);
    for (size_t i = 0; i < k; i++)
        if (!(required[i] >= from && required[i] <= to))
            return am_fail(err, AM_ERR_INPUT, "the place %g does not lie on the side from %g to %g", required[i], from,
                           to);
    return AM_OK;
}

/* Sizes that grow by exactly `growth`, the first next to a fine place of exactly `size`, all times `scale`. */
static void fill_seeds(grading *g, double size, double scale, size_t fine_count, const double *fine) {
    double first = g->rise > 0.0 && fine_count ? size * g->rise / expm1(g->rise) : size;
    for (size_t i = 0; i < g->seeds; i++) {
        double away = fine_count ? distance_to_nearest(g->seed[i].at, fine_count, fine) : 0.0;
        g->seed[i].size = fmin(scale * first + g->rise * away, g->largest);
    }
    if (g->rise > 0.0)
        shorten_seeds(g);
    limit_sizes(g);
    count_elements(g);
    if (g->rise > 0.0)
        join_parts(g);
}

static void place_seeds(grading *g, double from, double to, size_t fine_count, const double *fine, size_t k,
                        const double *required) {
    g->seed[g->seeds++] = (seed){.at = from, .corner = true};
    g->seed[g->seeds++] = (seed){.at = to, .corner = true};
    for (size_t i = 0; i < k; i++)
        g->seed[g->seeds++] = (seed){.at = required[i], .corner = true};
    for (size_t i = 0; i < fine_count; i++)
        if (fine[i] > from && fine[i] < to)
            g->seed[g->seeds++] = (seed){.at = fine[i]};
    sort_seeds(g, 1e-9 * (to - from));
    g->seed[0].at = from;
    g->seed[g->seeds - 1].at = to;
}

static size_t total_corners(const grading *g) {
    size_t sum = 1;
    for (size_t i = 0; i < g->parts; i++)
        sum += g->part[i].count;
    return sum;
}

/* The corners of one part, without the last; equal parts of the integral of dx/size. */
static void write_part(const grading *g, const part *p, double *at) {
    size_t i = p->first;
    double passed = 0.0, here = total(elements_between(g, &g->seed[i], &g->seed[i + 1]));
    for (size_t e = 0; e < p->count; e++) {
        double wanted = p->elements * ((double)e / (double)p->count);
        while (i + 1 < p->last && passed + here < wanted) {
            passed += here;
            i++;
            here = total(elements_between(g, &g->seed[i], &g->seed[i + 1]));
        }
        at[e] = place_after(g, &g->seed[i], &g->seed[i + 1], wanted - passed);
    }
    at[0] = g->seed[p->first].at;
}

/* Sizes of elements times exp(slope e), times what keeps the length. at[0] and at[count] stay. */
static void tilt_part(const part *p, double *at) {
    double length = at[p->count] - at[0], sum = 0.0, passed = 0.0, before = at[0], start = at[0];
    for (size_t e = 0; e < p->count; e++)
        sum += (at[e + 1] - at[e]) * exp(p->slope * (double)e);
    for (size_t e = 0; e + 1 < p->count; e++) {
        double next = at[e + 1];
        passed += (next - before) * exp(p->slope * (double)e);
        before = next;
        at[e + 1] = start + length * (passed / sum);
    }
}

static void write_corners(const grading *g, double *at) {
    for (size_t i = 0; i < g->parts; i++) {
        const part *p = &g->part[i];
        write_part(g, p, at);
        at[p->count] = g->seed[p->last].at;
        tilt_part(p, at);
        at += p->count;
    }
}

static double steepest_growth(size_t count, const double *at) {
    double most = 1.0;
    for (size_t i = 2; i < count; i++) {
        double a = at[i - 1] - at[i - 2], b = at[i] - at[i - 1];
        most = fmax(most, fmax(a / b, b / a));
    }
    return most;
}

static am_status try_corners(const grading *g, size_t *count, double **at, am_error *err) {
    const double most = 1e6; /* elements along a side */
    double elements = elements_from(g, 0, g->seeds - 1);
    if (!(elements < most))
        return am_fail(err, AM_ERR_INPUT, "a side from %g to %g would be divided into %g elements; take larger ones",
                       g->seed[0].at, g->seed[g->seeds - 1].at, elements);
    *count = total_corners(g);
    *at = am_memory_new(*count, sizeof **at, err);
    if (!*at)
        return AM_ERR_MEMORY;
    write_corners(g, *at);
    return AM_OK;
}

/* Whole numbers disturb small elements less: sizes are lowered a little until the growth is kept to; where places are
 * too close to each other for that, the try that comes nearest stands. */
static am_status divide(grading *g, double size, double growth, double largest, size_t fine_count, const double *fine,
                        size_t *count, double **at, am_error *err) {
    enum { TRIES = 16 };
    am_status status = AM_OK;
    double scale = 1.0, least = INFINITY;
    *at = NULL;
    for (int attempt = 0; attempt < TRIES && !status && least > growth * (1.0 + 1e-9); attempt++, scale *= 0.9) {
        size_t n = 0;
        double *places = NULL;
        g->largest = scale * (fine_count ? largest : size);
        fill_seeds(g, size, scale, fine_count, fine);
        status = try_corners(g, &n, &places, err);
        double steepest = status ? INFINITY : g->rise > 0.0 ? steepest_growth(n, places) : 1.0;
        if (steepest < least) {
            am_memory_free(*at);
            *at = places;
            *count = n;
            least = steepest;
        } else {
            am_memory_free(places);
        }
    }
    if (!status && !*at) /* elements so small beside their places that numbers do not tell them apart */
        status = am_fail(err, AM_ERR_INPUT,
                         "a side from %g to %g cannot be divided into elements that begin with the size %g: their "
                         "corners would coincide",
                         g->seed[0].at, g->seed[g->seeds - 1].at, size);
    if (status) {
        am_memory_free(*at);
        *at = NULL;
    }
    return status;
}

am_status am_block_divide(double from, double to, double size, double growth, double largest, size_t fine_count,
                          const double *fine, size_t k, const double *required, size_t *count, double **at,
                          am_error *err) {
    AM_TRY(check_division(from, to, size, growth, largest, k, required, err));
    /* a fifth of the growth is left for the slopes */
    grading g = {.rise = growth > 1.0 + 1e-6 ? 0.8 * log(growth) : 0.0};
    size_t most = 2 + k + fine_count;
    AM_LOCAL_ARENA memory = {0};
    g.seed = am_arena_new(&memory, most, sizeof *g.seed, err);
    g.part = am_arena_new(&memory, most, sizeof *g.part, err);
    g.jump = am_arena_doubles(&memory, NULL, 2 * most, err);
    AM_TRY(am_arena_status(&memory));
    place_seeds(&g, from, to, fine_count, fine, k, required);
    return divide(&g, size, growth, largest, fine_count, fine, count, at, err);
}
