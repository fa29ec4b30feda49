/* A negative minor found by descent: leave an index out, take one in, turn a sign, whichever makes the minor smallest.
 */
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/random.h"
#include "base/watch.h"
#include "math/dense.h"
#include "math/p_matrix_internal.h"

typedef struct descent {
    size_t n, count;
    const double *middle, *half;
    int *choice;                       /* n */
    size_t *member;                    /* count indices of the minor, ascending */
    double *matrix;                    /* count x count, then its inverse */
    double *row, *of_middle, *of_half; /* n */
    int *tabu;                         /* n: rounds for which the index is not touched again */
    size_t spent, budget, examined;
    double margin;
} descent;

typedef struct move {
    size_t index;
    int to; /* its new choice */
    double ratio;
} move;

static double entry(const descent *d, size_t i, int sign, size_t j) {
    return d->middle[i * d->n + j] + (double)sign * d->half[i * d->n + j];
}

/* The inverse of the chosen submatrix; false when it is singular but for rounding. */
static bool refresh(descent *d, am_status *status, am_error *err) {
    double rcond;
    d->count = am_p_members(d->choice, d->n, d->member);
    *status = am_p_inverse(d->middle, d->half, d->n, d->choice, d->matrix, &rcond, err);
    return !*status && (d->count == 0 || rcond > 1e-13);
}

static void consider(descent *d, move *best, move candidate) {
    d->spent++;
    d->examined++;
    d->margin = fmin(d->margin, candidate.ratio);
    if (d->tabu[candidate.index] <= 0 && candidate.ratio < best->ratio)
        *best = candidate;
}

/* For every index j, what its diagonal becomes when the chosen ones are eliminated: n_jj - n_jS P M_Sj, with n_j the
 * middle and the half row. */
static void complements(descent *d) {
    size_t n = d->n, s = d->count;
    for (size_t j = 0; j < n; j++) {
        d->of_middle[j] = d->middle[j * n + j];
        d->of_half[j] = d->half[j * n + j];
    }
    for (size_t a = 0; a < s; a++) {
        double *x = d->row;
        memset(x, 0, n * sizeof *x);
        for (size_t b = 0; b < s; b++) {
            const double *middle = d->middle + d->member[b] * n, *half = d->half + d->member[b] * n;
            double p = d->matrix[a * s + b], q = p * (double)d->choice[d->member[b]];
            for (size_t j = 0; j < n; j++)
                x[j] += p * middle[j] + q * half[j];
        }
        for (size_t j = 0; j < n; j++) {
            d->of_middle[j] -= d->middle[j * n + d->member[a]] * x[j];
            d->of_half[j] -= d->half[j * n + d->member[a]] * x[j];
        }
    }
}

/* What a round costs in the time of a minor, roughly: an inversion and the complements of all indices. */
static size_t cost(const descent *d) {
    size_t s = 0;
    for (size_t i = 0; i < d->n; i++)
        s += d->choice[i] != 0;
    return s * s * (s + d->n) / 16;
}

/* Ratios of determinants after each possible move. */
static move best_move(descent *d) {
    move best = {.ratio = INFINITY};
    size_t s = d->count;
    for (size_t a = 0; a < s; a++) {
        size_t i = d->member[a];
        double flipped = 0.0;
        if (s > 1)
            consider(d, &best, (move){i, 0, d->matrix[a * s + a]});
        for (size_t b = 0; b < s; b++)
            flipped += entry(d, i, -d->choice[i], d->member[b]) * d->matrix[b * s + a];
        consider(d, &best, (move){i, -d->choice[i], flipped});
    }
    complements(d);
    for (size_t j = 0; j < d->n; j++)
        if (d->choice[j] == 0)
            consider(d, &best, (move){j, d->of_half[j] > 0.0 ? -1 : 1, d->of_middle[j] - fabs(d->of_half[j])});
    d->spent += cost(d);
    return best;
}

/* Descend from the present choice; true when a minor of negative sign was stepped into. */
static bool descend(descent *d, am_status *status, am_error *err) {
    memset(d->tabu, 0, d->n * sizeof *d->tabu);
    int uphill = 0;
    while (d->spent < d->budget && uphill < 6) {
        if (cost(d) > d->budget - d->spent)
            return false;
        if (!refresh(d, status, err) || am_watch_stopped((double)d->n * (double)d->n))
            return false;
        move m = best_move(d);
        if (!isfinite(m.ratio))
            return false;
        d->choice[m.index] = m.to;
        if (m.ratio < 0.0)
            return true;
        for (size_t i = 0; i < d->n; i++)
            d->tabu[i]--;
        uphill = m.ratio < 1.0 - 1e-9 ? 0 : uphill + 1;
        d->tabu[m.index] = 3;
    }
    return false;
}

/* Starts: all indices with the signs that weaken the form most at the hint, then one index alone, then at random. */
static void start(descent *d, size_t round, const double *hint) {
    size_t n = d->n;
    memset(d->choice, 0, n * sizeof *d->choice);
    if (round == 0) {
        double largest = am_dense_largest(hint, n);
        for (size_t i = 0; i < n; i++)
            if (fabs(hint[i]) >= 1e-3 * largest)
                d->choice[i] = hint[i] * am_dense_dot(d->half + i * n, hint, n) > 0.0 ? -1 : 1;
    } else if (round <= 2 * n) {
        d->choice[(round - 1) / 2] = round % 2 ? 1 : -1;
    } else {
        double density = am_random_unit(1, round, n);
        for (size_t i = 0; i < n; i++)
            if (am_random_unit(2, round, i) < density)
                d->choice[i] = am_random_unit(3, round, i) < 0.5 ? -1 : 1;
    }
}

static am_status search(descent *d, const double *hint, size_t *round, bool *found, am_error *err) {
    bool certain;
    double determinant;
    am_status status = AM_OK;
    for (; d->spent < d->budget && !status; ++*round) {
        start(d, *round, hint);
        d->spent += 1 + d->n / 8;
        if (cost(d) > d->budget - d->spent)
            continue;
        d->examined++;
        /* The start itself may be negative; descent only sees changes of sign. */
        bool stepped = false;
        status = am_p_minor(d->middle, d->half, d->n, d->choice, &determinant, &certain, err);
        if (!status && !(determinant < 0.0))
            stepped = descend(d, &status, err);
        if (!status && stepped)
            status = am_p_minor(d->middle, d->half, d->n, d->choice, &determinant, &certain, err);
        if (!status && determinant < 0.0 && certain) {
            *found = true;
            return AM_OK;
        }
    }
    return status;
}

am_status am_p_search(const double *middle, const double *half, size_t n, const double *hint, size_t *round,
                      size_t budget, int *choice, bool *found, size_t *examined, double *margin, am_error *err) {
    descent d = {.n = n, .middle = middle, .half = half, .choice = choice, .budget = budget, .margin = *margin};
    *found = false;
    AM_LOCAL_ARENA memory = {0};
    d.member = am_arena_new(&memory, n, sizeof *d.member, err);
    d.matrix = am_arena_doubles(&memory, NULL, n * n, err);
    AM_ARENA_DOUBLES(&memory, n, err, &d.row, &d.of_middle, &d.of_half);
    d.tabu = am_arena_new(&memory, n, sizeof *d.tabu, err);
    AM_TRY(am_arena_status(&memory));
    AM_TRY(search(&d, hint, round, found, err));
    *examined += d.examined;
    *margin = d.margin;
    return AM_OK;
}
