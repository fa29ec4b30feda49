/* The tree of minors: docs/uniqueness.md, "The search". */
#include "math/p_matrix.h"

#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "math/dense.h"
#include "math/p_matrix_internal.h"

/* Beyond this order a block that no certificate covers is searched for a negative minor but not enumerated: the tree
 * would not end in a lifetime, and its storage grows with the third power. */
enum { TREE_LIMIT = 128 };

/* From this many remaining indices on, a certificate costs less than the subtree it saves. */
enum { DOMINANT_FROM = 5, DEFINITE_FROM = 9 };

/* When the bound of rounding has grown beyond this, the rows are computed afresh, if enough indices remain to pay for
 * it. */
static const double blurred_beyond = 1e-8;
enum { REFRESH_FROM = 4 };

/* ---- single minors ---- */

/* The chosen submatrix and (unless NULL) the size of the terms of its entries. */
static size_t chosen(const double *middle, const double *half, size_t n, const int *choice, double *matrix,
                     double *size) {
    size_t s = 0, row = 0;
    for (size_t i = 0; i < n; i++)
        s += choice[i] != 0;
    for (size_t i = 0; i < n; i++) {
        if (choice[i] == 0)
            continue;
        size_t column = 0;
        for (size_t j = 0; j < n; j++) {
            if (choice[j] == 0)
                continue;
            if (size)
                size[row * s + column] = fabs(middle[i * n + j]) + fabs(half[i * n + j]);
            matrix[row * s + column++] = middle[i * n + j] + (double)choice[i] * half[i * n + j];
        }
        row++;
    }
    return s;
}

/* Rows and columns so that the largest `size` in each is 1: units play no part then, and rounding has changed no entry
 * by more than a few eps. *logarithm: of the product of all factors taken out. */
static bool balance(double *a, double *size, size_t n, double *logarithm) {
    *logarithm = 0.0;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n; i++) {
            size_t start = side ? i : i * n, step = side ? n : 1;
            double largest = 0.0;
            for (size_t j = 0; j < n; j++)
                largest = fmax(largest, size[start + j * step]);
            if (!(largest > 0.0))
                return false;
            for (size_t j = 0; j < n; j++) {
                a[start + j * step] /= largest;
                size[start + j * step] /= largest;
            }
            *logarithm += log(largest);
        }
    return true;
}

/* LU with partial pivoting. The sign of the determinant is certain when the matrix is farther from singular (in the
 * 1-norm) than rounding of its entries and of the factorisation, n eps with a modest growth, can have moved it. `size`:
 * of the terms each entry was added up from. */
static am_status determinant_of(double *a, double *size, size_t n, double *determinant, bool *certain, am_error *err) {
    double logarithm, rcond = 0.0;
    *determinant = n == 0 ? 1.0 : 0.0;
    *certain = n == 0;
    if (n == 0 || !balance(a, size, n, &logarithm))
        return AM_OK;
    lapack_int order = (lapack_int)n, *pivots = am_memory_new(n, sizeof *pivots, err);
    if (!pivots)
        return AM_ERR_MEMORY;
    double norm = LAPACKE_dlange(LAPACK_COL_MAJOR, '1', order, order, a, order);
    lapack_int info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, order, order, a, order, pivots);
    if (info == 0)
        info = LAPACKE_dgecon(LAPACK_COL_MAJOR, '1', order, a, order, norm, &rcond);
    double sign = 1.0;
    for (size_t i = 0; i < n && info == 0; i++) {
        sign *= (pivots[i] != (lapack_int)i + 1 ? -1.0 : 1.0) * (a[i * n + i] < 0.0 ? -1.0 : 1.0);
        logarithm += log(fabs(a[i * n + i]));
    }
    am_memory_free(pivots);
    if (info < 0)
        return am_fail(err, AM_ERR_MEMORY, "out of memory while computing a determinant of order %zu", n);
    *determinant = info == 0 ? sign * fmin(exp(logarithm), DBL_MAX) : 0.0;
    *certain = info == 0 && rcond * norm > 64.0 * DBL_EPSILON * (double)n * fmax(1.0, norm / (double)n);
    return AM_OK;
}

am_status am_p_minor(const double *middle, const double *half, size_t n, const int *choice, double *determinant,
                     bool *certain, am_error *err) {
    AM_LOCAL_MEMORY double *matrix = am_memory_new(2 * n * n, sizeof *matrix, err);
    if (!matrix)
        return AM_ERR_MEMORY;
    double *size = matrix + n * n;
    size_t s = chosen(middle, half, n, choice, matrix, size);
    return determinant_of(matrix, size, s, determinant, certain, err);
}

am_status am_p_inverse(const double *middle, const double *half, size_t n, const int *choice, double *inverse,
                       double *rcond, am_error *err) {
    size_t s = chosen(middle, half, n, choice, inverse, NULL);
    return am_dense_invert(inverse, s, rcond, err);
}

/* A diagonal entry of the inverse is (minor without this index)/(minor): one that is not of the minor's sign belongs to
 * a smaller minor that is not positive either. */
static am_status shrink(const double *middle, const double *half, size_t n, int *choice, am_error *err) {
    am_arena memory = {0};
    double *inverse = am_arena_doubles(&memory, NULL, n * n, err);
    size_t *member = am_arena_new(&memory, n, sizeof *member, err);
    am_status status = am_arena_status(&memory);
    for (bool again = true; again && !status;) {
        double rcond, determinant, worst = 0.0;
        bool certain;
        size_t s = am_p_members(choice, n, member), leave = 0;
        status = am_p_inverse(middle, half, n, choice, inverse, &rcond, err);
        again = !status && s > 1 && rcond > 0.0;
        for (size_t a = 0; a < s && again; a++)
            if (inverse[a * s + a] > worst) {
                worst = inverse[a * s + a];
                leave = member[a];
            }
        again = again && worst > 0.0;
        if (!again)
            break;
        int kept = choice[leave];
        choice[leave] = 0;
        status = am_p_minor(middle, half, n, choice, &determinant, &certain, err);
        if (!status && !(determinant < 0.0 && certain)) {
            choice[leave] = kept;
            again = false;
        }
    }
    am_arena_clear(&memory);
    return status;
}

/* ---- the tree ---- */

typedef struct level {
    double *upper, *lower; /* r x r, r: remaining indices */
} level;

typedef struct tree {
    am_arena memory;
    size_t n;
    const double *middle, *half; /* n x n, scaled */
    level *levels;               /* n, by remaining indices; filled when first needed */
    int *choice, *doubtful;      /* n; the path taken so far; a minor whose sign rounding hides */
    am_p_certifier certifier;
    size_t examined, spent, budget;
    double margin, spare; /* of pivots; of certificates */
    bool found, blurred, stopped;
    am_status status;
    am_error *err;
} tree;

static bool certified(tree *t, const am_p_rows *rows) {
    size_t n = rows->n;
    if (n >= DOMINANT_FROM) {
        t->spent += n * n;
        if (am_p_dominant(&t->certifier, rows, &t->spare))
            return true;
    }
    if (n >= DEFINITE_FROM) {
        t->spent += 1000 + n * n * n / 2;
        return am_p_definite(&t->certifier, rows, 3, &t->spare);
    }
    return false;
}

static void descend(tree *t, const am_p_rows *rows);

static level *level_of(tree *t, size_t remaining) {
    level *l = &t->levels[remaining];
    if (!l->upper) {
        l->upper = am_arena_doubles(&t->memory, NULL, remaining * remaining, t->err);
        l->lower = am_arena_doubles(&t->memory, NULL, remaining * remaining, t->err);
        t->status = am_arena_status(&t->memory);
    }
    return t->status ? NULL : l;
}

/* What elimination met on its way. */
typedef struct growth {
    double multiplier, entry; /* largest in size */
} growth;

/* to = from without its first row and column, after elimination with the pivot row. */
static void eliminate(const double *from, size_t stride, const double *pivot, size_t remaining, double *to, growth *g) {
    double entry = g->entry;
    for (size_t i = 0; i < remaining; i++) {
        const double *row = from + (i + 1) * stride;
        double l = row[0] / pivot[0], *out = to + i * remaining;
        g->multiplier = fmax(g->multiplier, fabs(l));
        for (size_t j = 0; j < remaining; j++) {
            out[j] = row[j + 1] - l * pivot[j + 1];
            entry = fabs(out[j]) > entry ? fabs(out[j]) : entry;
        }
    }
    g->entry = entry;
}

/* First-order bound of what an entry may be off after elimination, given `error` before. */
static double error_after(const double *pivot, size_t remaining, const growth *g, double error) {
    double largest = 0.0, m = g->multiplier;
    for (size_t j = 0; j <= remaining; j++)
        largest = fmax(largest, fabs(pivot[j]));
    double of_multiplier = error * (1.0 + m) / (pivot[0] - error) + DBL_EPSILON * m;
    return error * (1.0 + m) + of_multiplier * (largest + error) + DBL_EPSILON * (g->entry + m * largest);
}

/* row r (of `sign`) of the family, over the indices that remain, after elimination of all chosen ones: row - row_S Z
 * with Z = M_SS^-1 M_SR (s x remaining). */
static double complement_row(const tree *t, size_t r, int sign, const size_t *member, size_t s, const double *Z,
                             size_t remaining, double *out) {
    size_t n = t->n, first = n - remaining;
    double size = 0.0;
    for (size_t j = 0; j < remaining; j++) {
        double sum = t->middle[r * n + first + j] + sign * t->half[r * n + first + j];
        for (size_t a = 0; a < s; a++)
            sum -= (t->middle[r * n + member[a]] + sign * t->half[r * n + member[a]]) * Z[a * remaining + j];
        out[j] = sum;
        size = fmax(size, fabs(sum));
    }
    for (size_t a = 0; a < s; a++)
        size += fabs(t->middle[r * n + member[a]] + sign * t->half[r * n + member[a]]);
    return size;
}

/* The rows below a minor whose pivot has drowned in the bound of rounding, computed afresh with pivoting. */
static am_status complement(tree *t, size_t remaining, level *l, double *error) {
    size_t n = t->n, s = 0, first = n - remaining;
    am_arena memory = {0};
    double *inverse = am_arena_doubles(&memory, NULL, n * n, t->err);
    double *Z = am_arena_doubles(&memory, NULL, n * remaining, t->err);
    size_t *member = am_arena_new(&memory, n, sizeof *member, t->err);
    double rcond = 0.0, size = 0.0, largest = 1.0;
    t->spent += 500 + n * n * n / 8;
    am_status status = am_arena_status(&memory);
    s = status ? 0 : am_p_members(t->choice, n, member);
    if (!status)
        status = am_p_inverse(t->middle, t->half, n, t->choice, inverse, &rcond, t->err);
    for (size_t a = 0; a < s && !status; a++)
        for (size_t j = 0; j < remaining; j++) {
            double sum = 0.0;
            for (size_t b = 0; b < s; b++)
                sum += inverse[a * s + b] * (t->middle[member[b] * n + first + j] +
                                             t->choice[member[b]] * t->half[member[b] * n + first + j]);
            Z[a * remaining + j] = sum;
            largest = fmax(largest, fabs(sum));
        }
    for (size_t i = 0; i < remaining && !status; i++) {
        size = fmax(size, complement_row(t, first + i, 1, member, s, Z, remaining, l->upper + i * remaining));
        size = fmax(size, complement_row(t, first + i, -1, member, s, Z, remaining, l->lower + i * remaining));
    }
    *error = 16.0 * DBL_EPSILON * (double)(s + 1) * size * largest / fmax(rcond, DBL_EPSILON);
    am_arena_clear(&memory);
    return status;
}

/* The last pivot of the path taken so far is not positive beyond the bound of rounding. Ask again, with pivoting, from
 * the entries themselves. */
static void doubt(tree *t, size_t remaining) {
    double determinant, error = INFINITY;
    bool certain;
    t->spent += 500 + t->n * t->n * t->n / 8;
    t->status = am_p_minor(t->middle, t->half, t->n, t->choice, &determinant, &certain, t->err);
    if (t->status)
        return;
    if (!certain) {
        t->blurred = true;
        memcpy(t->doubtful, t->choice, t->n * sizeof *t->doubtful);
        return;
    }
    t->found = determinant < 0.0;
    if (t->found || remaining == 0)
        return;
    level *l = level_of(t, remaining);
    if (l)
        t->status = complement(t, remaining, l, &error);
    if (!t->status)
        descend(t, &(am_p_rows){remaining, remaining, l->upper, l->lower, error});
}

/* Take the first remaining index into the minor with this sign. */
static void take(tree *t, const am_p_rows *rows, int sign) {
    const double *pivot = sign > 0 ? rows->upper : rows->lower;
    size_t index = t->n - rows->n, remaining = rows->n - 1;
    t->choice[index] = sign;
    t->examined++;
    t->spent += 1 + remaining * remaining / 16;
    t->margin = fmin(t->margin, pivot[0]);
    if (!(pivot[0] > rows->error)) {
        doubt(t, remaining);
    } else if (remaining > 0) {
        level *l = level_of(t, remaining);
        growth g = {0};
        if (!l)
            return;
        eliminate(rows->upper, rows->stride, pivot, remaining, l->upper, &g);
        eliminate(rows->lower, rows->stride, pivot, remaining, l->lower, &g);
        double error = error_after(pivot, remaining, &g, rows->error);
        if (error > blurred_beyond && remaining >= REFRESH_FROM)
            t->status = complement(t, remaining, l, &error);
        if (!t->status)
            descend(t, &(am_p_rows){remaining, remaining, l->upper, l->lower, error});
    }
    if (!t->found)
        t->choice[index] = 0;
}

/* Is row 0 one and the same in the whole family? (Frictionless and held contacts.) */
static bool single(const am_p_rows *rows) {
    return memcmp(rows->upper, rows->lower, rows->n * sizeof(double)) == 0;
}

static bool over(tree *t) {
    t->stopped = t->stopped || t->spent > t->budget;
    return t->status || t->found || t->stopped;
}

static void descend(tree *t, const am_p_rows *rows) {
    if (over(t) || certified(t, rows))
        return;
    take(t, rows, 1);
    if (!over(t) && !single(rows))
        take(t, rows, -1);
    if (over(t) || rows->n == 1)
        return;
    am_p_rows rest = {rows->n - 1, rows->stride, rows->upper + rows->stride + 1, rows->lower + rows->stride + 1,
                      rows->error};
    descend(t, &rest);
}

/* ---- one block ---- */

typedef struct block {
    size_t n;
    double *middle, *half, *upper, *lower; /* n x n, scaled */
    int *choice;
    am_p_report report;
} block;

static am_status walk_tree(block *b, const am_p_rows *rows, am_p_certifier *certifier, size_t budget, am_error *err) {
    tree t = {.n = b->n,
              .middle = b->middle,
              .half = b->half,
              .choice = b->choice,
              .certifier = *certifier,
              .budget = budget,
              .margin = b->report.margin,
              .spare = INFINITY,
              .err = err};
    t.levels = am_arena_new(&t.memory, b->n, sizeof *t.levels, err);
    t.doubtful = am_arena_new(&t.memory, b->n, sizeof *t.doubtful, err);
    if (am_arena_status(&t.memory)) {
        am_arena_clear(&t.memory);
        return AM_ERR_MEMORY;
    }
    memset(b->choice, 0, b->n * sizeof *b->choice);
    descend(&t, rows);
    b->report.verdict = t.found ? AM_P_NO : t.stopped ? AM_P_BUDGET : t.blurred ? AM_P_ROUNDING : AM_P_YES;
    b->report.examined += t.examined;
    b->report.margin = t.examined > 0 ? t.margin : fmin(t.margin, t.spare);
    if (b->report.verdict == AM_P_ROUNDING)
        memcpy(b->choice, t.doubtful, b->n * sizeof *b->choice);
    am_arena_clear(&t.memory);
    return t.status;
}

/* 3^n, saturated. */
static size_t power_of_three(size_t n) {
    size_t power = 1;
    for (size_t i = 0; i < n && power < (size_t)-1 / 3; i++)
        power *= 3;
    return power;
}

static double largest_entry(const block *b) {
    double largest = 0.0;
    for (size_t e = 0; e < b->n * b->n; e++)
        largest = fmax(largest, fabs(b->middle[e]) + fabs(b->half[e]));
    return largest;
}

/* Both certificates for the whole block; `definite` only where its cost, n^3 a round, is bearable. */
static bool block_certified(block *b, const am_p_rows *rows, am_p_certifier *certifier, size_t budget) {
    double n = (double)b->n, rounds = 4.0 * (double)budget / (n * n * n);
    if (am_p_dominant(certifier, rows, &b->report.margin))
        return true;
    return rounds > 0.02 && am_p_definite(certifier, rows, rounds > 30.0 ? 30 : 2 + (size_t)rounds, &b->report.margin);
}

static am_status search_block(block *b, const double *hint, size_t *round, size_t budget, am_error *err) {
    bool found;
    am_status status = am_p_search(b->middle, b->half, b->n, hint, round, budget, b->choice, &found,
                                   &b->report.examined, &b->report.margin, err);
    if (found)
        b->report.verdict = AM_P_NO;
    return status;
}

/* A block too large for its whole tree: certificates, a short search, half the budget for the tree, a long search. */
static am_status test_large(block *b, const am_p_rows *rows, am_p_certifier *certifier, size_t budget, am_error *err) {
    size_t round = 0;
    b->report.verdict = block_certified(b, rows, certifier, budget) ? AM_P_YES : AM_P_BUDGET;
    AM_LOCAL_MEMORY double *hint = am_memory_doubles(certifier->vector, b->n, err);
    if (!hint)
        return AM_ERR_MEMORY;
    if (b->report.verdict == AM_P_BUDGET)
        AM_TRY(search_block(b, hint, &round, budget / 8, err));
    if (b->report.verdict == AM_P_BUDGET && b->n <= TREE_LIMIT)
        AM_TRY(walk_tree(b, rows, certifier, budget / 2, err));
    if (b->report.verdict == AM_P_BUDGET)
        AM_TRY(search_block(b, hint, &round, budget / 8 * 3, err));
    return AM_OK;
}

/* Below a minor that is zero but for rounding the tree does not go: a negative one may hide there. */
static am_status search_beyond(block *b, am_error *err) {
    size_t round = 1; /* there is no hint */
    AM_LOCAL_MEMORY int *doubtful = am_memory_new(b->n, sizeof *doubtful, err);
    if (!doubtful)
        return AM_ERR_MEMORY;
    memcpy(doubtful, b->choice, b->n * sizeof *doubtful);
    AM_TRY(search_block(b, NULL, &round, 500 * b->n, err));
    if (b->report.verdict != AM_P_NO)
        memcpy(b->choice, doubtful, b->n * sizeof *doubtful);
    return AM_OK;
}

static am_status test_block(block *b, size_t budget, am_error *err) {
    AM_LOCAL(am_p_certifier_clear) am_p_certifier certifier = {0};
    AM_TRY(am_p_certifier_init(&certifier, b->n, err));
    am_p_rows rows = {b->n, b->n, b->upper, b->lower, 4.0 * DBL_EPSILON * largest_entry(b)};
    if (b->n > TREE_LIMIT || power_of_three(b->n) > budget)
        AM_TRY(test_large(b, &rows, &certifier, budget, err));
    else /* the whole tree; certificates may cost as much again */
        AM_TRY(walk_tree(b, &rows, &certifier, 2 * budget + 1000, err));
    if (b->report.verdict == AM_P_ROUNDING)
        AM_TRY(search_beyond(b, err));
    return AM_OK;
}

/* ---- blocks that do not feel each other ---- */

static bool linked(const double *middle, const double *half, size_t n, size_t i, size_t j) {
    return middle[i * n + j] != 0.0 || half[i * n + j] != 0.0;
}

/* Mark with `mark` all that `start` reaches along the entries (or against them); queue: n. */
static void mark_reachable(const double *middle, const double *half, size_t n, size_t start, bool forward,
                           size_t *queue, bool *mark) {
    size_t head = 0, tail = 0;
    memset(mark, 0, n * sizeof *mark);
    queue[tail++] = start;
    mark[start] = true;
    while (head < tail) {
        size_t i = queue[head++];
        for (size_t j = 0; j < n; j++)
            if (!mark[j] && (forward ? linked(middle, half, n, i, j) : linked(middle, half, n, j, i))) {
                mark[j] = true;
                queue[tail++] = j;
            }
    }
}

/* label[i]: number of the block of i. A minor of a block triangular matrix is the product of its blocks' minors, so
 * blocks that do not reach each other both ways are asked one by one. */
static am_status label_blocks(const double *middle, const double *half, size_t n, size_t *label, size_t *count,
                              am_error *err) {
    AM_LOCAL_ARENA memory = {0};
    size_t *queue = am_arena_new(&memory, n, sizeof *queue, err);
    bool *ahead = am_arena_new(&memory, n, sizeof *ahead, err), *behind = am_arena_new(&memory, n, sizeof *behind, err);
    AM_TRY(am_arena_status(&memory));
    *count = 0;
    for (size_t i = 0; i < n; i++)
        label[i] = n;
    for (size_t i = 0; i < n; i++) {
        if (label[i] != n)
            continue;
        mark_reachable(middle, half, n, i, true, queue, ahead);
        mark_reachable(middle, half, n, i, false, queue, behind);
        for (size_t j = 0; j < n; j++)
            if (ahead[j] && behind[j])
                label[j] = *count;
        ++*count;
    }
    return AM_OK;
}

/* ---- the family ---- */

typedef struct family {
    size_t n;
    const double *middle, *half;
    size_t *label, *member; /* n */
    double *numbers;        /* 4 n^2: of a block */
    int *own;               /* n: a block's choice */
} family;

/* Gather a block and scale it to unit middle diagonal: rows and columns by 1/sqrt(diagonal), which changes no sign. */
static void gather(const family *f, size_t which, block *b) {
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        if (f->label[i] == which)
            f->member[n++] = i;
    *b = (block){.n = n, .choice = f->own, .report = {.margin = INFINITY, .minor = NAN}};
    b->middle = f->numbers;
    b->half = b->middle + n * n;
    b->upper = b->half + n * n;
    b->lower = b->upper + n * n;
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c < n; c++) {
            size_t i = f->member[a], j = f->member[c], e = i * f->n + j;
            double scale = sqrt(f->middle[i * f->n + i]) * sqrt(f->middle[j * f->n + j]);
            b->middle[a * n + c] = f->middle[e] / scale;
            b->half[a * n + c] = f->half[e] / scale;
            b->upper[a * n + c] = b->middle[a * n + c] + b->half[a * n + c];
            b->lower[a * n + c] = b->middle[a * n + c] - b->half[a * n + c];
        }
}

static bool worse(am_p_verdict a, am_p_verdict b) {
    static const int rank[] = {[AM_P_YES] = 0, [AM_P_BUDGET] = 1, [AM_P_ROUNDING] = 2, [AM_P_NO] = 3};
    return rank[a] > rank[b];
}

static am_status test_blocks(family *f, size_t count, size_t budget, int *choice, am_p_report *report, am_error *err) {
    am_status status = AM_OK;
    for (size_t which = 0; which < count && !status && report->verdict != AM_P_NO; which++) {
        block b;
        gather(f, which, &b);
        status = test_block(&b, 1 + budget / f->n * b.n, err);
        report->examined += b.report.examined;
        report->margin = fmin(report->margin, b.report.margin);
        if (status || !worse(b.report.verdict, report->verdict))
            continue;
        report->verdict = b.report.verdict;
        memset(choice, 0, f->n * sizeof *choice);
        for (size_t a = 0; a < b.n && report->verdict != AM_P_BUDGET; a++)
            choice[f->member[a]] = b.choice[a];
    }
    return status;
}

/* A diagonal entry that is not positive is a minor of order one, and the scaling needs it positive. */
static bool diagonal_fails(const double *middle, const double *half, size_t n, int *choice, am_p_report *report) {
    for (size_t i = 0; i < n; i++) {
        double m = middle[i * n + i], h = half[i * n + i], rounding = 2.0 * DBL_EPSILON * (fabs(m) + fabs(h));
        double least = m - fabs(h);
        if (least > rounding || (m > 0.0 && least > -rounding))
            continue;
        memset(choice, 0, n * sizeof *choice);
        choice[i] = h > 0.0 ? -1 : 1;
        report->verdict = least < -rounding ? AM_P_NO : AM_P_ROUNDING;
        report->minor = least;
        report->margin = m > 0.0 ? least / m : least;
        report->examined = i + 1;
        return true;
    }
    return false;
}

static am_status finish(const double *middle, const double *half, size_t n, int *choice, am_p_report *report,
                        am_error *err) {
    bool certain;
    if (report->verdict != AM_P_NO && report->verdict != AM_P_ROUNDING)
        return AM_OK;
    am_status status = report->verdict == AM_P_NO ? shrink(middle, half, n, choice, err) : AM_OK;
    if (report->verdict == AM_P_NO)
        report->margin = fmin(report->margin, 0.0);
    return status ? status : am_p_minor(middle, half, n, choice, &report->minor, &certain, err);
}

am_status am_p_family(const double *middle, const double *half, size_t n, size_t budget, int *choice,
                      am_p_report *report, am_error *err) {
    *report = (am_p_report){.verdict = AM_P_YES, .margin = INFINITY, .minor = NAN};
    memset(choice, 0, n * sizeof *choice);
    if (n == 0 || diagonal_fails(middle, half, n, choice, report))
        return AM_OK;
    family f = {.n = n, .middle = middle, .half = half};
    AM_LOCAL_ARENA memory = {0};
    AM_ARENA_ARRAYS(&memory, size_t, n, err, &f.label, &f.member);
    f.numbers = am_arena_doubles(&memory, NULL, 4 * n * n, err);
    f.own = am_arena_new(&memory, n, sizeof *f.own, err);
    size_t count = 0;
    AM_TRY(am_arena_status(&memory));
    AM_TRY(label_blocks(middle, half, n, f.label, &count, err));
    AM_TRY(test_blocks(&f, count, budget ? budget : AM_P_DEFAULT_BUDGET, choice, report, err));
    return finish(middle, half, n, choice, report, err);
}
