/* The derivative of large balances, as what it consists of. Unknowns of different harmonics meet only in contacts and
 * springs, and there only coordinates that these act on: to Z_h (linear.c) come blocks of kept x kept for such pairs of
 * coordinates. An array of all unknowns would be zero but for one part in `kept`.
 *
 * Coordinates on which nothing mixes harmonics (contacts that neither slip nor lift) are eliminated harmonic by harmonic;
 * what is left to be factored as a whole grows with the contacts that switch. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "base/local.h"
#include "base/try.h"
#include "engines/balance/balance_internal.h"
#include "math/dense.h"

/* Below this many unknowns an array is as quick. */
enum { FEWEST_UNKNOWNS = 400 };

struct am_balance_jacobian {
    size_t coordinates, pairs;
    size_t *first, *column;   /* pairs of coordinate i: first[i] up to first[i + 1], in the order of `column` */
    double *block;            /* pairs x kept x kept */
    size_t *mark;             /* coordinates: 1 + the pair with the row at hand */
    size_t *coordinate, *at;  /* size: of an unknown, and which of its coefficients */
    bool *mixes;              /* coordinates: harmonics meet in its rows */
    size_t *group;            /* of groups: their first coefficient */
    size_t *place, rest;      /* size: unknowns behind the groups, in order; how many there are */
    size_t *position;         /* size: 1 + that of a column at hand */
    bool *met;                /* size */
    double complex *harmonic; /* 2 r: of a motion, and of its forces */
};

/* ---- which coordinates meet ---- */

static void join(bool *meets, size_t count, const am_balance_row *a, const am_balance_row *b) {
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            meets[a->index[i] * count + b->index[j]] = true;
}

static void find_meetings(const am_balance *b, size_t count, bool *meets) {
    for (size_t c = 0; c < b->contacts; c++) {
        const am_balance_joint *joint = &b->joint[c];
        const am_balance_row *const rows[] = {&joint->tangent, &joint->second, &joint->normal, &joint->multiplier};
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 4; j++)
                join(meets, count, rows[i], rows[j]);
    }
    for (size_t s = 0; s < b->springs; s++)
        join(meets, count, &b->spring[s].direction, &b->spring[s].direction);
    for (size_t v = 0; v < b->varyings; v++)
        join(meets, count, &b->varying[v].direction, &b->varying[v].direction);
}

static am_status list_pairs(am_balance *b, am_balance_jacobian *J, const bool *meets, am_error *err) {
    size_t count = J->coordinates;
    for (size_t i = 0; i < count * count; i++)
        J->pairs += meets[i];
    J->first = am_arena_new(&b->memory, count + 1, sizeof *J->first, err);
    J->column = am_arena_new(&b->memory, J->pairs, sizeof *J->column, err);
    AM_TRY(am_arena_status(&b->memory));
    for (size_t i = 0, pair = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++)
            if (meets[i * count + j])
                J->column[pair++] = j;
        J->first[i + 1] = pair;
    }
    return AM_OK;
}

static am_status reserve(am_balance *b, am_balance_jacobian *J, am_error *err) {
    am_arena *memory = &b->memory;
    J->block = am_arena_doubles(memory, NULL, J->pairs * b->kept * b->kept, err);
    J->mark = am_arena_new(memory, J->coordinates, sizeof *J->mark, err);
    J->mixes = am_arena_new(memory, J->coordinates, sizeof *J->mixes, err);
    J->group = am_arena_new(memory, b->kept, sizeof *J->group, err);
    AM_ARENA_ARRAYS(memory, size_t, b->size, err, &J->coordinate, &J->at, &J->place, &J->position);
    J->met = am_arena_new(memory, b->size, sizeof *J->met, err);
    J->harmonic = am_arena_new(memory, 2 * b->r, sizeof *J->harmonic, err);
    for (size_t u = 0; u < b->size && !am_arena_status(memory); u++) {
        J->coordinate[u] = u / b->kept;
        J->at[u] = u % b->kept;
    }
    return am_arena_status(memory);
}

am_status am_balance_make_jacobian(am_balance *b, am_error *err) {
    size_t count = b->r + b->multipliers;
    if (b->free_omega || b->levers > 0 || b->size < FEWEST_UNKNOWNS)
        return AM_OK;
    AM_LOCAL_ARENA own = {0};
    bool *meets = am_arena_new(&own, count * count, sizeof *meets, err);
    am_balance_jacobian *J = am_arena_new(&b->memory, 1, sizeof *J, err);
    if (!meets || !J)
        return AM_ERR_MEMORY;
    J->coordinates = count;
    find_meetings(b, count, meets);
    AM_TRY(list_pairs(b, J, meets, err));
    if (4 * J->pairs > count * count) /* nearly everything meets */
        return AM_OK;
    AM_TRY(reserve(b, J, err));
    b->jacobian = J;
    return AM_OK;
}

double *am_balance_blocks(const am_balance *b) {
    const am_balance_jacobian *J = b->jacobian;
    memset(J->block, 0, J->pairs * b->kept * b->kept * sizeof *J->block);
    return J->block;
}

double *am_balance_block(const am_balance *b, size_t row, size_t column) {
    const am_balance_jacobian *J = b->jacobian;
    size_t pair = J->first[row];
    while (J->column[pair] != column)
        pair++;
    return J->block + pair * b->kept * b->kept;
}

/* ---- rows ---- */

static size_t harmonic_of(const am_balance *b, size_t at) {
    return (b->coefficient[at] + 1) / 2;
}

/* The entry of Z = re + i im between the coefficients k and l of one harmonic: u = a - i b. */
static double entry_of(const am_balance *b, double complex Z, size_t k, size_t l) {
    return k == l ? creal(Z) : b->coefficient[k] % 2 == 1 ? cimag(Z) : -cimag(Z);
}

static const double complex *linear_row(const am_balance *b, size_t coordinate, size_t h) {
    return coordinate < b->r ? b->Z + (h * b->r + coordinate) * b->r : NULL;
}

static void mark_pairs(am_balance_jacobian *J, size_t i, bool set) {
    for (size_t pair = J->first[i]; pair < J->first[i + 1]; pair++)
        J->mark[J->column[pair]] = set ? pair + 1 : 0;
}

/* The linear part of a row: its coefficient is k, of the harmonic h. */
static void linear_entries(const am_balance *b, size_t row, size_t count, const size_t *columns, double *entries) {
    const am_balance_jacobian *J = b->jacobian;
    size_t i = J->coordinate[row], k = J->at[row], h = harmonic_of(b, k), first = b->coefficient[k] > 0 ? 2 * h - 1 : 0;
    const double *Z = (const double *)linear_row(b, i, h); /* real part, imaginary part, ... */
    bool sine = b->coefficient[k] != first;
    memset(entries, 0, count * sizeof *entries);
    for (size_t c = 0; Z && c < count; c++) {
        size_t j = J->coordinate[columns[c]], l = b->coefficient[J->at[columns[c]]];
        if (l == first && j < b->r)
            entries[c] = sine ? -Z[2 * j + 1] : Z[2 * j];
        else if (l == first + 1 && h > 0 && j < b->r)
            entries[c] = sine ? Z[2 * j] : Z[2 * j + 1];
    }
}

/* What its blocks add, where J->position holds 1 + the position of a column, 0 elsewhere. */
static void add_blocks(const am_balance *b, size_t row, double *entries) {
    const am_balance_jacobian *J = b->jacobian;
    size_t kept = b->kept, i = J->coordinate[row];
    for (size_t pair = J->first[i]; pair < J->first[i + 1]; pair++) {
        const double *own = J->block + (pair * kept + J->at[row]) * kept;
        const size_t *position = J->position + J->column[pair] * kept;
        for (size_t l = 0; l < kept; l++)
            if (position[l] > 0)
                entries[position[l] - 1] += own[l];
    }
}

static void block_of(void *context, size_t row_count, const size_t *rows, size_t column_count, const size_t *columns,
                     double *entries, size_t stride) {
    const am_balance *b = context;
    am_balance_jacobian *J = b->jacobian;
    for (size_t c = 0; c < column_count; c++)
        J->position[columns[c]] = c + 1;
    for (size_t r = 0; r < row_count; r++) {
        linear_entries(b, rows[r], column_count, columns, entries + r * stride);
        add_blocks(b, rows[r], entries + r * stride);
    }
    for (size_t c = 0; c < column_count; c++)
        J->position[columns[c]] = 0;
}

/* The row's entries in the columns of one coordinate that a block joins to it. */
static double size_of_pair(const am_balance *b, const double *block, const double complex *Z, size_t j, size_t k) {
    double sum = 0.0;
    for (size_t l = 0; l < b->kept; l++) {
        bool same = Z && j < b->r && harmonic_of(b, l) == harmonic_of(b, k);
        sum += fabs(block[k * b->kept + l] + (same ? entry_of(b, Z[j], k, l) : 0.0));
    }
    return sum;
}

static void sizes_of_rows(void *context, double *sums) {
    const am_balance *b = context;
    am_balance_jacobian *J = b->jacobian;
    for (size_t i = 0; i < J->coordinates; i++) {
        mark_pairs(J, i, true);
        for (size_t k = 0; k < b->kept; k++) {
            const double complex *Z = linear_row(b, i, harmonic_of(b, k));
            double sum = 0.0;
            for (size_t j = 0; Z && j < b->r; j++)
                if (!J->mark[j])
                    sum += fabs(creal(Z[j])) + (b->coefficient[k] > 0 ? fabs(cimag(Z[j])) : 0.0);
            for (size_t pair = J->first[i]; pair < J->first[i + 1]; pair++)
                sum += size_of_pair(b, J->block + pair * b->kept * b->kept, Z, J->column[pair], k);
            sums[i * b->kept + k] = sum;
        }
        mark_pairs(J, i, false);
    }
}

/* Harmonic by harmonic, Z u with u = a - i b: (Re Z a + Im Z b, Re Z b - Im Z a). */
static void apply_linear(const am_balance *b, const double *w, double *product) {
    static const double complex one = 1.0, zero = 0.0;
    double complex *u = b->jacobian->harmonic, *v = u + b->r;
    for (size_t at = 0; at < b->kept; at += b->coefficient[at] == 0 ? 1 : 2) {
        size_t h = harmonic_of(b, at);
        for (size_t j = 0; j < b->r; j++)
            u[j] = h > 0 ? w[j * b->kept + at] - I * w[j * b->kept + at + 1] : w[j * b->kept];
        cblas_zgemv(CblasRowMajor, CblasNoTrans, (int)b->r, (int)b->r, &one, b->Z + h * b->r * b->r, (int)b->r, u, 1,
                    &zero, v, 1);
        for (size_t i = 0; i < b->r; i++) {
            product[i * b->kept + at] = creal(v[i]);
            if (h > 0)
                product[i * b->kept + at + 1] = -cimag(v[i]);
        }
    }
}

static void apply(void *context, const double *w, double *product) {
    const am_balance *b = context;
    const am_balance_jacobian *J = b->jacobian;
    size_t kept = b->kept;
    memset(product + b->r * kept, 0, (J->coordinates - b->r) * kept * sizeof *product);
    apply_linear(b, w, product);
    for (size_t i = 0; i < J->coordinates; i++)
        for (size_t pair = J->first[i]; pair < J->first[i + 1]; pair++)
            for (size_t k = 0; k < kept; k++)
                product[i * kept + k] +=
                    am_dense_dot(J->block + (pair * kept + k) * kept, w + J->column[pair] * kept, kept);
}

/* ---- the order of elimination ---- */

static bool mixes_harmonics(const am_balance *b, const double *block) {
    for (size_t k = 0; k < b->kept; k++)
        for (size_t l = 0; l < b->kept; l++)
            if (harmonic_of(b, k) != harmonic_of(b, l) && block[k * b->kept + l] != 0.0)
                return true;
    return false;
}

static void find_mixing(const am_balance *b, am_balance_jacobian *J) {
    size_t square = b->kept * b->kept;
    for (size_t i = 0; i < J->coordinates; i++) {
        J->mixes[i] = false;
        for (size_t pair = J->first[i]; pair < J->first[i + 1] && !J->mixes[i]; pair++)
            J->mixes[i] = mixes_harmonics(b, J->block + pair * square);
    }
}

static size_t arrange(void *context, size_t *order, size_t *ends) {
    const am_balance *b = context;
    am_balance_jacobian *J = b->jacobian;
    size_t at = 0, groups = 0, width;
    find_mixing(b, J);
    for (size_t k = 0; k < b->kept; k += width) {
        width = b->coefficient[k] == 0 ? 1 : 2;
        for (size_t c = 0; c < J->coordinates; c++)
            for (size_t l = 0; l < width && !J->mixes[c]; l++)
                order[at++] = c * b->kept + k + l;
        J->group[groups] = k;
        ends[groups++] = at;
    }
    J->rest = 0;
    for (size_t c = 0; c < J->coordinates; c++)
        for (size_t k = 0; k < b->kept && J->mixes[c]; k++) {
            J->place[J->rest++] = c * b->kept + k;
            order[at++] = c * b->kept + k;
        }
    return groups;
}

/* Is a row (or a column) of the block other than zero in the coefficients of a harmonic? */
static bool touches(const am_balance *b, const double *block, size_t other, size_t first, size_t width,
                    bool transposed) {
    for (size_t k = first; k < first + width; k++)
        if ((transposed ? block[other * b->kept + k] : block[k * b->kept + other]) != 0.0)
            return true;
    return false;
}

/* Unknowns behind the groups: those of the same harmonic, and those that a block joins to the group. */
static size_t list_met(const am_balance *b, size_t first, bool transposed, size_t *list) {
    am_balance_jacobian *J = b->jacobian;
    size_t kept = b->kept, width = b->coefficient[first] == 0 ? 1 : 2, count = 0;
    for (size_t at = 0; at < J->rest; at++)
        J->met[J->place[at]] = J->at[J->place[at]] >= first && J->at[J->place[at]] < first + width;
    for (size_t i = 0; i < J->coordinates; i++)
        for (size_t pair = J->first[i]; pair < J->first[i + 1]; pair++) {
            size_t own = transposed ? J->column[pair] : i, other = transposed ? i : J->column[pair];
            for (size_t l = 0; l < kept && !J->mixes[own] && J->mixes[other]; l++)
                if (touches(b, J->block + pair * kept * kept, l, first, width, transposed))
                    J->met[other * kept + l] = true;
        }
    for (size_t at = 0; at < J->rest; at++)
        if (J->met[J->place[at]])
            list[count++] = at;
    return count;
}

static void meet(void *context, size_t group, size_t *columns, size_t *column_count, size_t *rows, size_t *row_count) {
    const am_balance *b = context;
    *column_count = list_met(b, b->jacobian->group[group], false, columns);
    *row_count = list_met(b, b->jacobian->group[group], true, rows);
}

static am_status evaluate(void *context, const double *x, double p, double *F, double *Fp, am_error *err) {
    return am_balance_linearise(context, x, p, F, Fp, err);
}

const am_continuation_matrix am_balance_matrix = {
    .evaluate = evaluate, .sizes = sizes_of_rows, .apply = apply, .block = block_of, .arrange = arrange, .meet = meet};
