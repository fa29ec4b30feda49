/* LU factors of a square matrix whose unknowns form groups that meet only through the rest:
 *
 *     [D1      B1]
 *     [    D2  B2]      S + sum of -C D^-1 B is left for the rest, which is small where the groups are large.
 *     [C1  C2  S ]
 *
 * Pivots of a group are sought in the group; where one cannot be eliminated that way, or groups meet after all, the whole
 * matrix is factored as any other. */
#ifndef AMONTONS_MATH_ARROW_H
#define AMONTONS_MATH_ARROW_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef struct am_arrow am_arrow;

/* For matrices of order m. In the arena. */
am_arrow *am_arrow_create(am_arena *memory, size_t m, am_error *err);

/* a (row-major, which becomes the factors and must be kept): unknowns up to ends[0] are the first group, up to ends[1] the
 * second... False where a pivot is zero but for rounding (am_lu_factor). */
bool am_arrow_factor(am_arrow *arrow, double *a, const size_t *ends, size_t groups);

/* Where the matrix is not an array: its entries are asked for, and only those that can differ from zero. */
typedef struct am_arrow_source {
    void *context;
    /* Those in some rows and (ascending) columns; rows of `entries` are `stride` apart. */
    void (*block)(void *context, size_t row_count, const size_t *rows, size_t column_count, const size_t *columns,
                  double *entries, size_t stride);
    /* The unknowns of the rest (ascending, counted from its first) that a group meets, as columns of its rows and as rows
     * of its columns: at most m each. */
    void (*meet)(void *context, size_t group, size_t *columns, size_t *column_count, size_t *rows, size_t *row_count);
} am_arrow_source;

typedef enum am_arrow_verdict { AM_ARROW_FACTORED, AM_ARROW_SINGULAR, AM_ARROW_NOT_APART } am_arrow_verdict;

/* Not apart: a group cannot be eliminated by itself; the whole has to be factored as an array. `single`: a large rest may
 * have factors of half the digits, for solutions that are refined. */
am_arrow_verdict am_arrow_factor_source(am_arrow *arrow, const am_arrow_source *source, const size_t *ends,
                                        size_t groups, bool single);
bool am_arrow_is_single(const am_arrow *arrow); /* has it? */

/* x (m) becomes the solution. */
void am_arrow_solve(const am_arrow *arrow, double *x);

/* The determinant: its sign, and m factors of its size. */
int am_arrow_sign(const am_arrow *arrow);
double am_arrow_pivot(const am_arrow *arrow, size_t i);

#endif
