#include "system/combination.h"
#include "base/try.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/dense.h"
#include "system/system.h"

/* Below this the bordered matrix counts as singular: inverting it would lose all digits. */
static const double singular = 1e-14;

static bool has_normal_row(const am_contact_def *contact, am_contact_state state) {
    return contact->normal_law == AM_UNILATERAL && state != AM_OPEN;
}

bool am_contact_holds(const am_system *system, size_t c, am_contact_state state) {
    return state == AM_STICK && !(system->contact[c].tangential_stiffness > 0.0) && !system->stop[c];
}

static void number_rows(am_combination *k, const am_system *system) {
    size_t p = 0;
    for (size_t c = 0; c < k->m; c++) {
        k->normal_row[c] = has_normal_row(&system->contact[c], k->state[c]) ? p++ : AM_NO_ROW;
        k->stick_row[c] = am_contact_holds(system, c, k->state[c]) ? p++ : AM_NO_ROW;
    }
}

/* J and B: a closed contact pushes along n, a slipping one along n -/+ mu t; a sticking one also along t. */
static void fill_rows(am_combination *k, const am_system *system) {
    for (size_t c = 0; c < k->m; c++) {
        const am_contact_def *contact = &system->contact[c];
        double mu = am_slip_sign(k->state[c]) * contact->friction;
        for (size_t i = 0; i < k->n; i++) {
            if (k->normal_row[c] != AM_NO_ROW) {
                k->J[k->normal_row[c] * k->n + i] = contact->normal[i];
                k->B[i * k->p + k->normal_row[c]] = contact->normal[i] + mu * contact->tangent[i];
            }
            if (k->stick_row[c] != AM_NO_ROW) {
                k->J[k->stick_row[c] * k->n + i] = contact->tangent[i];
                k->B[i * k->p + k->stick_row[c]] = contact->tangent[i];
            }
        }
    }
}

/* Work space of one solution; scale factors that make the bordered matrix independent of units: unit diagonal of S
 * (which stiff contacts with friction may make negative), unit rows of J and columns of B. */
typedef struct bordered {
    am_arena memory;
    size_t n, p, size;              /* size = n + p, and one more for each dependence between the rows */
    double *inverse;                /* size x size, scaled */
    double *unknown, *row, *column; /* n, p, p */
    double *S;                      /* n x n, scaled */
    double *work;                   /* n x n */
    size_t *place, *holder, *free;  /* p, n, n: see below */
    size_t free_count;
} bordered;

static void scale_factors(const am_combination *k, const double *S, bordered *b) {
    for (size_t i = 0; i < k->n; i++)
        b->unknown[i] = S[i * k->n + i] != 0.0 ? 1.0 / sqrt(fabs(S[i * k->n + i])) : 1.0;
    for (size_t r = 0; r < k->p; r++) {
        double in_row = 0.0, in_column = 0.0;
        for (size_t i = 0; i < k->n; i++) {
            if (k->J[r * k->n + i] != 0.0)
                in_row = fmax(in_row, fabs(k->J[r * k->n + i] * b->unknown[i]));
            if (k->B[i * k->p + r] != 0.0)
                in_column = fmax(in_column, fabs(k->B[i * k->p + r] * b->unknown[i]));
        }
        b->row[r] = in_row > 0.0 ? 1.0 / in_row : 1.0;
        b->column[r] = in_column > 0.0 ? 1.0 / in_column : 1.0;
    }
    for (size_t i = 0; i < k->n; i++)
        for (size_t j = 0; j < k->n; j++)
            b->S[i * k->n + j] = b->unknown[i] * S[i * k->n + j] * b->unknown[j];
}

static double scaled_J(const am_combination *k, const bordered *b, size_t r, size_t i) {
    return b->row[r] * k->J[r * k->n + i] * b->unknown[i];
}

static double scaled_B(const am_combination *k, const bordered *b, size_t i, size_t r) {
    return b->unknown[i] * k->B[i * k->p + r] * b->column[r];
}

/* Entries of the scaled inverse below its rounding error are zero: what a contact holds fast then stays exactly at
 * rest. */
static void remove_noise(double *a, size_t size) {
    double noise = 4.0 * DBL_EPSILON * am_dense_largest(a, size * size);
    for (size_t e = 0; e < size * size; e++)
        a[e] = fabs(a[e]) < noise ? 0.0 : a[e];
}

/* ---- any contacts: the whole of [S -B; J 0] ---- */

static void fill_whole(const am_combination *k, bordered *b) {
    size_t n = b->n, p = b->p, size = b->size;
    double *a = b->inverse;
    for (size_t i = 0; i < n; i++) {
        memcpy(a + i * size, b->S + i * n, n * sizeof *a);
        for (size_t r = 0; r < p; r++) {
            a[i * size + n + r] = -scaled_B(k, b, i, r);
            a[(n + r) * size + i] = scaled_J(k, b, r, i);
        }
    }
}

static am_status invert_whole(am_combination *k, bordered *b, am_error *err) {
    fill_whole(k, b);
    return am_dense_invert(b->inverse, b->size, &k->condition, err);
}

/* ---- contacts that each hold one coordinate ----
 *
 * Where every row of J has one entry, the coordinates held (h) are known and only the free ones (f) need an inverse:
 * with Q = B_f B_h^-1, which slipping contacts have,
 *
 *     y_h = J_h^-1 c,     (S_ff - Q S_hf) y_f = r_f - Q r_h - (S_fh - Q S_hh) y_h,
 *     lambda = B_h^-1 (S_hf y_f + S_hh y_h - r_h).
 *
 * That is the same as the inverse of the whole, for a part of its cost, and exact where it is zero. */

/* place: the coordinate each row holds; holder: the row that holds a coordinate, AM_NO_ROW where it is free. False
 * where the contacts are not of this kind, or push on coordinates that others hold. */
static bool hold_coordinates(const am_combination *k, bordered *b) {
    for (size_t i = 0; i < k->n; i++)
        b->holder[i] = AM_NO_ROW;
    for (size_t r = 0; r < k->p; r++) {
        size_t entries = 0;
        for (size_t i = 0; i < k->n; i++)
            if (k->J[r * k->n + i] != 0.0) {
                b->place[r] = i;
                entries++;
            }
        if (entries != 1 || b->holder[b->place[r]] != AM_NO_ROW || k->B[b->place[r] * k->p + r] == 0.0)
            return false;
        b->holder[b->place[r]] = r;
    }
    b->free_count = 0;
    for (size_t i = 0; i < k->n; i++) {
        if (b->holder[i] == AM_NO_ROW)
            b->free[b->free_count++] = i;
        for (size_t r = 0; r < k->p && b->holder[i] != AM_NO_ROW; r++)
            if (r != b->holder[i] && k->B[i * k->p + r] != 0.0)
                return false;
    }
    return true;
}

/* out[0 .. count) += factor * x[0 .. count). */
static void add_multiple(double factor, const double *restrict x, size_t count, double *restrict out) {
    for (size_t i = 0; factor != 0.0 && i < count; i++)
        out[i] += factor * x[i];
}

/* Q of a free coordinate and a row. */
static double share_of_slip(const am_combination *k, const bordered *b, size_t i, size_t r) {
    double B = k->B[i * k->p + r];
    return B == 0.0 ? 0.0 : scaled_B(k, b, i, r) / scaled_B(k, b, b->place[r], r);
}

/* S_ff - Q S_hf into work (free x free), and the rows S_f - Q S_h into S. The norm (largest sum of a row) of the whole.
 */
static double eliminate_forces(const am_combination *k, bordered *b) {
    size_t n = b->n;
    double norm = 1.0; /* that of the rows of J */
    for (size_t i = 0; i < n; i++) {
        double sum = am_dense_size(b->S + i * n, n);
        for (size_t r = 0; r < b->p; r++)
            if (k->B[i * b->p + r] != 0.0)
                sum += fabs(scaled_B(k, b, i, r));
        norm = sum > norm ? sum : norm;
    }
    for (size_t f = 0; f < b->free_count; f++) {
        double *row = b->S + b->free[f] * n;
        for (size_t r = 0; r < b->p; r++)
            add_multiple(-share_of_slip(k, b, b->free[f], r), b->S + b->place[r] * n, n, row);
        for (size_t g = 0; g < b->free_count; g++)
            b->work[f * b->free_count + g] = row[b->free[g]];
    }
    return norm;
}

/* A row of the inverse that belongs to a free coordinate: F, -F Q, -F (S_fh - Q S_hh) J_h^-1. */
static void fill_free(const am_combination *k, const bordered *b, size_t f, double *out) {
    size_t n = b->n;
    for (size_t g = 0; g < b->free_count; g++) {
        const double F = b->work[f * b->free_count + g], *S = b->S + b->free[g] * n;
        if (F == 0.0)
            continue;
        out[b->free[g]] += F;
        for (size_t r = 0; r < b->p; r++) {
            if (k->B[b->free[g] * b->p + r] != 0.0)
                out[b->place[r]] -= F * share_of_slip(k, b, b->free[g], r);
            if (S[b->place[r]] != 0.0)
                out[n + r] -= F * S[b->place[r]] * scaled_J(k, b, r, b->place[r]); /* +1 or -1 */
        }
    }
}

/* A row that belongs to a force: B_h^-1 (S_hf y_f + S_hh y_h - r_h). */
static void fill_force(const am_combination *k, const bordered *b, size_t r, double *out) {
    size_t n = b->n, place = b->place[r];
    const double *S = b->S + place * n, B = scaled_B(k, b, place, r);
    out[place] = -1.0;
    for (size_t j = 0; j < n; j++) {
        if (S[j] != 0.0 && b->holder[j] == AM_NO_ROW)
            add_multiple(S[j], b->inverse + j * b->size, b->size, out);
        else if (S[j] != 0.0)
            out[n + b->holder[j]] += S[j] * scaled_J(k, b, b->holder[j], j);
    }
    double factor = 1.0 / B;
    for (size_t j = 0; j < b->size; j++)
        out[j] *= factor;
}

static am_status invert_free(am_combination *k, bordered *b, am_error *err) {
    double norm = eliminate_forces(k, b), rcond;
    am_status status = am_dense_invert(b->work, b->free_count, &rcond, err);
    k->condition = 0.0;
    if (status || rcond == 0.0)
        return status;
    for (size_t f = 0; f < b->free_count; f++)
        fill_free(k, b, f, b->inverse + b->free[f] * b->size);
    for (size_t r = 0; r < b->p; r++) {
        b->inverse[b->place[r] * b->size + b->n + r] = scaled_J(k, b, r, b->place[r]);
        fill_force(k, b, r, b->inverse + (b->n + r) * b->size);
    }
    double size = am_dense_largest_row(b->inverse, b->size);
    k->condition = isfinite(size) ? 1.0 / (norm * size) : 0.0;
    return AM_OK;
}

/* ---- one combination ---- */

static void spread_blocks(am_combination *k, const bordered *b) {
    size_t n = b->n, p = b->p, size = b->size;
    const double *a = b->inverse;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            k->Y[i * n + j] = b->unknown[i] * a[i * size + j] * b->unknown[j];
        for (size_t r = 0; r < p; r++) {
            k->Yc[i * p + r] = b->unknown[i] * a[i * size + n + r] * b->row[r];
            k->L[r * n + i] = b->column[r] * a[(n + r) * size + i] * b->unknown[i];
        }
    }
    for (size_t r = 0; r < p; r++)
        for (size_t s = 0; s < p; s++)
            k->Lc[r * p + s] = b->column[r] * a[(n + r) * size + n + s] * b->row[s];
}

/* Invert [S -B; J 0] in scaled form and spread its blocks. */
static am_status solve(am_combination *k, const double *S, bordered *b, am_error *err) {
    scale_factors(k, S, b);
    AM_TRY(hold_coordinates(k, b) ? invert_free(k, b, err) : invert_whole(k, b, err));
    if (k->condition < singular) {
        k->condition = 0.0;
        return AM_OK;
    }
    remove_noise(b->inverse, b->size);
    spread_blocks(k, b);
    return AM_OK;
}

/* Matrices of n + p + extra rows. */
static am_status bordered_init(bordered *b, const am_combination *k, size_t extra, am_error *err) {
    size_t n = k->n, p = k->p, size = n + p + extra;
    *b = (bordered){.n = n, .p = p, .size = size};
    b->inverse = am_arena_doubles(&b->memory, NULL, size * size, err);
    AM_ARENA_DOUBLES(&b->memory, n * n, err, &b->S, &b->work);
    b->unknown = am_arena_doubles(&b->memory, NULL, n, err);
    AM_ARENA_DOUBLES(&b->memory, p, err, &b->row, &b->column);
    b->place = am_arena_new(&b->memory, p, sizeof *b->place, err);
    AM_ARENA_ARRAYS(&b->memory, size_t, n, err, &b->holder, &b->free);
    return am_arena_status(&b->memory);
}

static size_t count_rows(const am_system *system, const am_contact_state *state) {
    size_t p = 0;
    for (size_t c = 0; c < system->m; c++) {
        p += has_normal_row(&system->contact[c], state[c]) ? 1 : 0;
        p += am_contact_holds(system, c, state[c]) ? 1 : 0;
    }
    return p;
}

am_status am_combination_init(am_combination *combination, const am_system *system, const double *S,
                              const am_contact_state *state, am_error *err) {
    am_combination *k = combination;
    size_t n = system->n, m = system->m, p = count_rows(system, state);
    bordered b = {0};
    *k = (am_combination){.n = n, .m = m, .p = p};
    AM_ARENA_DOUBLES(&k->memory, p * n, err, &k->J, &k->L);
    AM_ARENA_DOUBLES(&k->memory, n * p, err, &k->B, &k->Yc);
    k->Y = am_arena_doubles(&k->memory, NULL, n * n, err);
    k->Lc = am_arena_doubles(&k->memory, NULL, p * p, err);
    AM_ARENA_ARRAYS(&k->memory, size_t, m, err, &k->normal_row, &k->stick_row);
    k->state = am_arena_new(&k->memory, m, sizeof *k->state, err);
    am_status status = am_arena_status(&k->memory);
    if (!status)
        status = bordered_init(&b, k, 0, err);
    if (!status) {
        for (size_t c = 0; c < m; c++)
            k->state[c] = state[c];
        number_rows(k, system);
        fill_rows(k, system);
        status = solve(k, S, &b, err);
    }
    am_arena_clear(&b.memory);
    if (status)
        am_combination_clear(k);
    return status;
}

void am_combination_clear(am_combination *combination) {
    am_arena_clear(&combination->memory);
    *combination = (am_combination){0};
}

/* ---- rows that depend on each other ----
 *
 * With Z (B Z = 0) and W (W^T J = 0) of the same dimension d, and D the weights, the matrix bordered by W and Z^T D is
 * regular exactly when y is unique: docs/redundant.md, section 1. */

/* Directions closer to a dependence than this are dependent. Rows that are off by delta make the reciprocal condition
 * number of the whole delta^2; this lies below what `singular` leaves, and far above rounding. */
static const double dependent = 1e-9;

/* Combinations of the rows of A (p x n, each with largest entry 1; destroyed) that vanish, one per row of `combination`
 * (p x p). By elimination with complete pivoting, in which `combination` follows what becomes of the rows; those that
 * are used up by pivots come first. Returns their number, that of the others being the rank. */
static size_t eliminate_rows(double *A, size_t p, size_t n, double *combination) {
    size_t rank = 0;
    memset(combination, 0, p * p * sizeof *combination);
    for (size_t r = 0; r < p; r++)
        combination[r * p + r] = 1.0;
    for (; rank < p; rank++) {
        size_t row = rank, column = 0;
        double most = 0.0;
        for (size_t r = rank; r < p; r++)
            for (size_t i = 0; i < n; i++)
                if (fabs(A[r * n + i]) > most) {
                    most = fabs(A[r * n + i]);
                    row = r, column = i;
                }
        if (!(most > dependent))
            break;
        for (size_t i = 0; i < n; i++) {
            double swap = A[row * n + i];
            A[row * n + i] = A[rank * n + i], A[rank * n + i] = swap;
        }
        for (size_t s = 0; s < p; s++) {
            double swap = combination[row * p + s];
            combination[row * p + s] = combination[rank * p + s], combination[rank * p + s] = swap;
        }
        for (size_t r = rank + 1; r < p; r++) {
            double factor = -A[r * n + column] / A[rank * n + column];
            add_multiple(factor, A + rank * n, n, A + r * n);
            add_multiple(factor, combination + rank * p, p, combination + r * p);
            A[r * n + column] = 0.0;
        }
    }
    return p - rank;
}

/* Z or W from the last d rows that elimination left, in the scaled form: column j has largest entry 1. */
static void take_kernel(const double *combination, size_t p, size_t d, double *kernel) {
    for (size_t j = 0; j < d; j++) {
        const double *row = combination + (p - d + j) * p;
        double largest = am_dense_largest(row, p);
        for (size_t r = 0; r < p; r++) {
            double value = row[r] / largest;
            kernel[r * d + j] = fabs(value) > dependent ? value : 0.0;
        }
    }
}

/* Z, W and the weights in scaled form, if Z and W have the same dimension. */
static am_status find_dependences(am_combination *k, bordered *b, am_error *err) {
    size_t n = k->n, p = k->p;
    double *A = am_arena_doubles(&b->memory, NULL, p * n, err);
    double *of_J = am_arena_doubles(&b->memory, NULL, p * p, err);
    double *of_B = am_arena_doubles(&b->memory, NULL, p * p, err);
    if (am_arena_status(&b->memory))
        return AM_ERR_MEMORY;
    for (size_t r = 0; r < p; r++)
        for (size_t i = 0; i < n; i++)
            A[r * n + i] = scaled_J(k, b, r, i);
    size_t d = eliminate_rows(A, p, n, of_J);
    for (size_t r = 0; r < p; r++)
        for (size_t i = 0; i < n; i++)
            A[r * n + i] = scaled_B(k, b, i, r);
    if (eliminate_rows(A, p, n, of_B) != d || d == 0)
        return AM_OK;
    AM_ARENA_DOUBLES(&k->memory, p * d, err, &k->Z, &k->W);
    k->weight = am_arena_doubles(&k->memory, NULL, p, err);
    if (am_arena_status(&k->memory))
        return AM_ERR_MEMORY;
    k->redundant = d;
    take_kernel(of_B, p, d, k->Z);
    take_kernel(of_J, p, d, k->W);
    return AM_OK;
}

/* Border the scaled matrix with the dependences and invert. */
static am_status solve_shared(am_combination *k, const double *S, bordered *b, am_error *err) {
    size_t n = b->n, p = b->p, d = k->redundant, size = b->size;
    scale_factors(k, S, b);
    fill_whole(k, b);
    for (size_t r = 0; r < p; r++) {
        k->weight[r] = 0.0;
        for (size_t i = 0; i < n; i++)
            k->weight[r] += scaled_B(k, b, i, r) * scaled_B(k, b, i, r);
        for (size_t j = 0; j < d; j++) {
            b->inverse[(n + r) * size + n + p + j] = k->W[r * d + j];
            b->inverse[(n + p + j) * size + n + r] = k->weight[r] * k->Z[r * d + j];
        }
    }
    am_status status = am_dense_invert(b->inverse, size, &k->condition, err);
    if (status || k->condition < singular) {
        k->condition = 0.0;
        return status;
    }
    remove_noise(b->inverse, size);
    spread_blocks(k, b);
    for (size_t r = 0; r < p; r++) {
        k->weight[r] /= b->column[r] * b->column[r];
        for (size_t j = 0; j < d; j++) {
            k->Z[r * d + j] *= b->column[r];
            k->W[r * d + j] *= b->row[r];
        }
    }
    return AM_OK;
}

am_status am_combination_share(am_combination *combination, const double *S, am_error *err) {
    am_combination *k = combination;
    bordered b;
    if (k->condition > 0.0 || k->p == 0)
        return AM_OK;
    am_status status = bordered_init(&b, k, 0, err);
    if (!status) {
        scale_factors(k, S, &b);
        status = find_dependences(k, &b, err);
    }
    am_arena_clear(&b.memory);
    if (status || k->redundant == 0)
        return status;
    status = bordered_init(&b, k, k->redundant, err);
    if (!status)
        status = solve_shared(k, S, &b, err);
    am_arena_clear(&b.memory);
    k->redundant = k->condition > 0.0 ? k->redundant : 0;
    return status;
}
