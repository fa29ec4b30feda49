#include "engines/balance/cell.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/try.h"
#include "engines/balance/cell_internal.h"
#include "math/pi.h"
#include "math/trigonometric.h"
#include "math/wide.h"

/* Samples of polynomials come in three sizes, by the degree of the polynomial. */
static const size_t polynomial_degrees[AM_CELL_POLYNOMIALS] = {3, 5, AM_POLYNOMIAL_DEGREE};

/* ---- work space ---- */

static am_status reserve(am_cell *cell, am_error *err) {
    size_t points = am_trig_table_count(cell->search), twice = 2 * cell->degree + 1;
    am_arena *memory = &cell->memory;
    AM_ARENA_DOUBLES(memory, cell->size, err, &cell->rate, &cell->other_rate, &cell->sum, &cell->row, &cell->projection,
                     &cell->basis);
    AM_ARENA_DOUBLES(memory, twice, err, &cell->share, &cell->cosine[0], &cell->cosine[1], &cell->sine[0],
                     &cell->sine[1], &cell->piece.cosine, &cell->piece.sine, &cell->first.cosine, &cell->first.sine,
                     &cell->second.cosine, &cell->second.sine);
    AM_ARENA_DOUBLES(memory, points, err, &cell->values, &cell->other_values, &cell->sum_values);
    AM_ARENA_DOUBLES(memory, 2 * cell->degree, err, &cell->upper.theta, &cell->lower.theta);
    AM_ARENA_DOUBLES(memory, 2 * (3 * cell->degree + 1), err, &cell->straight, &cell->crossed);
    AM_ARENA_DOUBLES(memory, (AM_POLYNOMIAL_DEGREE + 1) * cell->sample_count, err, &cell->power_x, &cell->power_y);
    AM_ARENA_DOUBLES(memory, cell->sample_count, err, &cell->sampled_f, &cell->sampled_x, &cell->sampled_y);
    /* Changes of both signals, and each of at most 2 H + 1 intervals opens and closes. */
    cell->events = am_arena_new(memory, 4 * cell->degree + 2 * twice, sizeof *cell->events, err);
    return am_arena_status(memory);
}

static bool create_tables(am_cell *cell, am_error *err) {
    size_t degree = cell->degree;
    cell->search = am_trig_table_create(degree, 8 * degree, err);
    if (!cell->search)
        return false;
    for (size_t i = 0; i < AM_CELL_POLYNOMIALS; i++) {
        cell->samples[i] = am_trig_table_create(2 * degree, (polynomial_degrees[i] + 1) * degree + 1, err);
        if (!cell->samples[i])
            return false;
        cell->sample_count = am_trig_table_count(cell->samples[i]);
    }
    return true;
}

am_cell *am_cell_create(size_t degree, am_error *err) {
    if (degree == 0) {
        am_fail(err, AM_ERR_INPUT, "harmonic balance needs at least one harmonic");
        return NULL;
    }
    am_cell *cell = am_memory_new(1, sizeof *cell, err);
    if (!cell)
        return NULL;
    cell->degree = degree;
    cell->size = am_trig_size(degree);
    if (!create_tables(cell, err) || reserve(cell, err)) {
        am_cell_free(cell);
        return NULL;
    }
    for (size_t m = 1; m <= 2 * degree; m++)
        cell->share[m] = 1 / (two_pi * (double)m);
    return cell;
}

void am_cell_free(am_cell *cell) {
    if (!cell)
        return;
    am_trig_table_free(cell->search);
    for (size_t i = 0; i < AM_CELL_POLYNOMIALS; i++)
        am_trig_table_free(cell->samples[i]);
    am_arena_clear(&cell->memory);
    am_memory_free(cell);
}

/* ---- what comes in ---- */

am_status am_cell_check_signal(const am_cell *cell, const double *s, const char *what, am_error *err) {
    double sum = 0; /* of zeros, unless something is not finite */
    for (size_t i = 0; i < cell->size; i++)
        sum += 0 * s[i];
    return sum == 0 ? AM_OK
                    : am_fail(err, AM_ERR_INPUT, "the harmonics of the %s of a contact are not finite numbers", what);
}

am_status am_cell_check_limit(const am_cell *cell, const am_cell_limit *limit, bool *everywhere, bool *nowhere,
                              am_error *err) {
    am_status status = am_cell_check_signal(cell, limit->signal, "friction limit", err);
    *everywhere = !limit->starts;
    *nowhere = limit->starts && limit->intervals == 0;
    if (status != AM_OK || *everywhere || *nowhere)
        return status;
    size_t n = limit->intervals;
    bool ordered = n <= 2 * cell->degree + 1 && isfinite(limit->starts[0]) && limit->starts[0] >= 0 &&
                   limit->starts[0] < two_pi && limit->ends[n - 1] <= limit->starts[0] + two_pi * (1 + 1e-12);
    for (size_t i = 0; ordered && i < n; i++)
        ordered = limit->starts[i] <= limit->ends[i] && (i + 1 == n || limit->ends[i] <= limit->starts[i + 1]);
    if (!ordered)
        return am_fail(err, AM_ERR_INPUT,
                       "the intervals in which a contact is closed do not follow each other within a "
                       "period, or are more than its harmonics can have");
    *everywhere = n == 1 && limit->ends[0] - limit->starts[0] >= two_pi * (1 - 1e-15);
    return AM_OK;
}

/* ---- sign changes and their order ---- */

static bool is_constant(const am_cell *cell, const double *s) {
    for (size_t i = 1; i < cell->size; i++)
        if (s[i] != 0)
            return false;
    return true;
}

/* A signal with half the harmonics or fewer needs every second sample. */
static void find_changes_of_sum(am_cell *cell, const double *a, double factor, const double *b,
                                am_cell_changes *changes) {
    size_t points = am_trig_table_count(cell->search), degree, step;
    for (size_t i = 0; i < cell->size; i++)
        cell->sum[i] = a[i] + factor * b[i];
    degree = am_trig_degree(cell->degree, cell->sum);
    step = 2 * degree <= cell->degree ? 2 : 1;
    for (size_t k = 0; k < points / step; k++)
        cell->sum_values[k] = cell->values[step * k] + factor * cell->other_values[step * k];
    changes->count =
        am_trig_changes_sampled(degree, cell->sum, points / step, cell->sum_values, changes->theta, &changes->sign);
}

void am_cell_find_changes(am_cell *cell, const double *a, const double *b) {
    size_t points = am_trig_table_count(cell->search);
    bool constant = is_constant(cell, b);
    am_trig_table_values(cell->search, cell->degree, a, cell->values);
    if (constant)
        for (size_t k = 0; k < points; k++)
            cell->other_values[k] = b[0];
    else
        am_trig_table_values(cell->search, cell->degree, b, cell->other_values);
    find_changes_of_sum(cell, a, -1, b, &cell->upper);
    if (!constant || b[0] != 0) {
        find_changes_of_sum(cell, a, 1, b, &cell->lower);
        return;
    }
    cell->lower.count = cell->upper.count;
    cell->lower.sign = cell->upper.sign;
    memcpy(cell->lower.theta, cell->upper.theta, cell->upper.count * sizeof *cell->upper.theta);
}

void am_cell_find_signs(am_cell *cell, const double *s, am_cell_changes *changes) {
    am_trig_table_values(cell->search, cell->degree, s, cell->values);
    changes->count = am_trig_changes_sampled(cell->degree, s, am_trig_table_count(cell->search), cell->values,
                                             changes->theta, &changes->sign);
}

int am_cell_sign_at(const am_cell_changes *changes, double theta) {
    int sign = changes->sign;
    for (size_t i = 0; i < changes->count && changes->theta[i] <= theta; i++)
        sign = -sign;
    return sign;
}

double am_cell_first_opening(const am_cell_limit *limit) {
    double end = limit->ends[limit->intervals - 1];
    return end < two_pi ? end : fmod(end, two_pi);
}

/* Keeps the events in order; those of one instant in the order in which they came. */
static void insert(am_cell_event *events, size_t *count, double base, double after, am_cell_kind kind) {
    size_t i = (*count)++;
    for (; i > 0 && events[i - 1].after > after; i--)
        events[i] = events[i - 1];
    events[i] = (am_cell_event){.theta = base + after, .after = after, .kind = kind};
}

static void insert_changes(am_cell *cell, const am_cell_changes *changes, am_cell_kind kind, double base,
                           size_t *count) {
    size_t first = 0; /* behind base */
    while (first < changes->count && changes->theta[first] <= base)
        first++;
    for (size_t i = 0; i < changes->count; i++) {
        size_t k = (first + i) % changes->count;
        insert(cell->events, count, base, changes->theta[k] - base + (k < first ? two_pi : 0), kind);
    }
}

size_t am_cell_list_events(am_cell *cell, const am_cell_limit *limit, bool everywhere, double base) {
    size_t count = 0;
    for (size_t i = 0; !everywhere && i < limit->intervals; i++) {
        double shift = two_pi - limit->ends[limit->intervals - 1];
        insert(cell->events, &count, base, fmax(limit->starts[i] + shift, 0), AM_CELL_CLOSE);
        insert(cell->events, &count, base, limit->ends[i] + shift, AM_CELL_OPEN);
    }
    insert_changes(cell, &cell->upper, AM_CELL_UPPER, base, &count);
    insert_changes(cell, &cell->lower, AM_CELL_LOWER, base, &count);
    return count;
}

/* ---- pieces of the period ---- */

void am_cell_begin_pieces(am_cell *cell, double theta) {
    cell->end = theta;
    am_trig_basis(2 * cell->degree, theta, cell->cosine[1], cell->sine[1]);
}

static void swap(double **a, double **b) {
    double *kept = *a;
    *a = *b;
    *b = kept;
}

void am_cell_next_piece(am_cell *cell, double theta) {
    size_t most = 2 * cell->degree;
    double start = cell->end;
    swap(&cell->cosine[0], &cell->cosine[1]);
    swap(&cell->sine[0], &cell->sine[1]);
    am_cell_begin_pieces(cell, theta);
    cell->piece.cosine[0] = (theta - start) / two_pi;
    cell->piece.sine[0] = 0;
    for (size_t m = 1; m <= most; m++) {
        cell->piece.cosine[m] = (cell->sine[1][m] - cell->sine[0][m]) * cell->share[m];
        cell->piece.sine[m] = (cell->cosine[0][m] - cell->cosine[1][m]) * cell->share[m];
    }
}

void am_cell_add_piece(const am_cell *cell, double factor, am_cell_moments sum) {
    for (size_t m = 0; m <= 2 * cell->degree; m++) {
        sum.cosine[m] += factor * cell->piece.cosine[m];
        sum.sine[m] += factor * cell->piece.sine[m];
    }
}

void am_cell_clear(const am_cell *cell, am_cell_moments sum) {
    memset(sum.cosine, 0, (2 * cell->degree + 1) * sizeof *sum.cosine);
    memset(sum.sine, 0, (2 * cell->degree + 1) * sizeof *sum.sine);
}

/* ---- matrices ---- */

static inline double dot(size_t n, const double *restrict a, const double *restrict b) {
    double sum[4] = {0};
    size_t k = 0;
    for (; k + 3 < n; k += 4)
        for (size_t i = 0; i < 4; i++)
            sum[i] += a[k + i] * b[k + i];
    for (; k < n; k++)
        sum[0] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Means of products are sums and differences of moments: 2 cos i cos j = cos(j-i) + cos(j+i), and so on. With the
 * moments as pairs (c, s), and (s, -c), m = -H .. 2H, the pair of columns j of row cos i is pair j-i plus pair j+i,
 * that of row sin i is pair j+i minus pair j-i. */
static void spread(am_cell *cell, am_cell_moments moments) {
    size_t degree = cell->degree;
    for (size_t i = 0; i <= 3 * degree; i++) {
        size_t m = i < degree ? degree - i : i - degree;
        double c = moments.cosine[m], s = i < degree ? -moments.sine[m] : moments.sine[m];
        cell->straight[2 * i] = c;
        cell->straight[2 * i + 1] = s;
        cell->crossed[2 * i] = s;
        cell->crossed[2 * i + 1] = -c;
    }
}

/* sign +1: above + below, for cosines; -1: above - below, for sines. The first `count` entries of a row. */
static inline void make_row(size_t degree, size_t i, double sign, const double *restrict pairs, size_t count,
                            double *restrict row) {
    const double *below = pairs + 2 * (degree + 1 - i), *above = pairs + 2 * (degree + 1 + i);
    row[0] = 2 * pairs[2 * (degree + i)];
    for (size_t k = 0; k + 1 < count; k++)
        row[1 + k] = above[k] + sign * below[k];
}

static inline void add_row(size_t degree, size_t i, double sign, const double *restrict pairs, double *restrict row) {
    const double *below = pairs + 2 * (degree + 1 - i), *above = pairs + 2 * (degree + 1 + i);
    row[0] += 2 * pairs[2 * (degree + i)];
    for (size_t k = 0; k < 2 * degree; k++)
        row[1 + k] += above[k] + sign * below[k];
}

AM_WIDE void am_cell_add_product(am_cell *cell, am_cell_moments moments, const double *s, double *f, double *matrix) {
    size_t degree = cell->degree, used = 0; /* of s, in fours */
    if (!f && !matrix)
        return;
    if (f) /* harmonics that s does not have cost nothing */
        used = 4 * ((2 * am_trig_degree(degree, s) + 4) / 4);
    used = used < cell->size ? used : cell->size;
    spread(cell, moments);
    cell->row[0] = moments.cosine[0];
    memcpy(cell->row + 1, cell->straight + 2 * (degree + 1), 2 * degree * sizeof *cell->row);
    if (f)
        f[0] += dot(used, cell->row, s);
    for (size_t j = 0; matrix && j < cell->size; j++)
        matrix[j] += cell->row[j];
    for (size_t i = 1; f && i <= degree; i++) {
        make_row(degree, i, 1.0, cell->straight, used, cell->row);
        f[2 * i - 1] += dot(used, cell->row, s);
        make_row(degree, i, -1.0, cell->crossed, used, cell->row);
        f[2 * i] += dot(used, cell->row, s);
    }
    for (size_t i = 1; matrix && i <= degree; i++) {
        add_row(degree, i, 1.0, cell->straight, matrix + (2 * i - 1) * cell->size);
        add_row(degree, i, -1.0, cell->crossed, matrix + 2 * i * cell->size);
    }
}

am_status am_cell_product(am_cell *cell, const double *k, const double *x, double *f, double *d_x, am_error *err) {
    AM_TRY(am_cell_check_signal(cell, x, "motion", err));
    cell->first.cosine[0] = k[0];
    cell->first.sine[0] = 0;
    for (size_t m = 1; m <= 2 * cell->degree; m++) {
        cell->first.cosine[m] = 0.5 * k[2 * m - 1];
        cell->first.sine[m] = 0.5 * k[2 * m];
    }
    am_cell_set_zero(cell, f, d_x, NULL);
    am_cell_add_product(cell, cell->first, x, f, d_x);
    return AM_OK;
}

void am_cell_project_piece(am_cell *cell) {
    cell->projection[0] = cell->piece.cosine[0];
    for (size_t h = 1; h <= cell->degree; h++) {
        cell->projection[2 * h - 1] = 2 * cell->piece.cosine[h];
        cell->projection[2 * h] = 2 * cell->piece.sine[h];
    }
}

void am_cell_basis_at_start(am_cell *cell) {
    cell->basis[0] = 1;
    for (size_t h = 1; h <= cell->degree; h++) {
        cell->basis[2 * h - 1] = cell->cosine[0][h];
        cell->basis[2 * h] = cell->sine[0][h];
    }
}

AM_WIDE void am_cell_add_outer(const am_cell *cell, double factor, double *matrix) {
    if (!matrix)
        return;
    for (size_t i = 0; i < cell->size; i++) {
        double scale = factor * cell->projection[i];
        double *restrict row = matrix + i * cell->size;
        const double *restrict basis = cell->basis;
        for (size_t j = 0; j < cell->size; j++)
            row[j] += scale * basis[j];
    }
}

void am_cell_set_zero(const am_cell *cell, double *f, double *matrix, double *other_matrix) {
    memset(f, 0, cell->size * sizeof *f);
    if (matrix)
        memset(matrix, 0, cell->size * cell->size * sizeof *matrix);
    if (other_matrix)
        memset(other_matrix, 0, cell->size * cell->size * sizeof *other_matrix);
}
