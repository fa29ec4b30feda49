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

/* x (m) becomes the solution. */
void am_arrow_solve(const am_arrow *arrow, double *x);

/* The determinant: its sign, and m factors of its size. */
int am_arrow_sign(const am_arrow *arrow);
double am_arrow_pivot(const am_arrow *arrow, size_t i);

#endif
