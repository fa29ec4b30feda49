/* LU factors of row-major square arrays with row interchanges: our own loops while threads of LAPACK would cost more
 * than they bring, LAPACK beyond. */
#ifndef AMONTONS_MATH_LU_H
#define AMONTONS_MATH_LU_H
#include <stdbool.h>
#include <stddef.h>

/* a becomes its factors. False when a pivot is below 1e-14 of the largest entry, or not a number. */
bool am_lu_factor(double *a, size_t k, int *order);

/* x becomes the solution of A x = (old) x; `count` of them, one after the other. */
void am_lu_solve(const double *a, size_t k, const int *order, size_t count, double *x);

/* Sign of the determinant. */
int am_lu_sign(const double *a, size_t k, const int *order);

/* Sign of det (1 - S): the index of a fixed point of a map that has the derivative S there, (-1)^(real eigenvalues of S
 * above 1). 0 where it is singular but for rounding. S is overwritten. */
int am_lu_index(double *S, size_t k, int *order);

/* Some unknowns of many: an array [D B; C 0] (rows x columns) of which D is k x k. Eliminated it has -C D^-1 B where zero
 * was. */
typedef struct am_lu_front {
    double *a;
    size_t k, rows, columns;
    int *order; /* k */
} am_lu_front;

/* False where D is nearly singular. */
bool am_lu_eliminate(const am_lu_front *front);
/* x (k): what the unknowns are but for the rest; its share goes out of the right sides of the other rows. */
void am_lu_forward(const am_lu_front *front, double *x, double *rest);
/* x from there, with the rest known (columns - k). */
void am_lu_backward(const am_lu_front *front, double *x, const double *rest);
int am_lu_front_sign(const am_lu_front *front); /* of det D */

#endif
