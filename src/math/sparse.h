/* Factors of large sparse matrices, by MUMPS: symmetric indefinite (real) or general (complex). The pattern is analysed
 * once; matrices of the same pattern are then factored as often as wanted. One thread at a time uses MUMPS: calls wait
 * for each other. */
#ifndef AMONTONS_MATH_SPARSE_H
#define AMONTONS_MATH_SPARSE_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_sparse am_sparse;

typedef enum am_sparse_kind {
    AM_SPARSE_SYMMETRIC, /* real; entries of one triangle only */
    AM_SPARSE_COMPLEX    /* general; numbers are pairs (real, imaginary) */
} am_sparse_kind;

/* Was the library built with MUMPS? */
bool am_sparse_available(void);

/* The pattern: `count` entries, counted from 1 as Fortran does; repeated ones add up. The arrays are borrowed and must
 * live as long as the object. AM_ERR_UNSUPPORTED without MUMPS. */
am_status am_sparse_create(am_sparse **sparse, am_sparse_kind kind, size_t n, size_t count, int *row, int *column,
                           am_error *err);
void am_sparse_free(am_sparse *sparse);

/* Factors of the matrix with these values (count numbers, or pairs). *singular: it has no inverse but for rounding; the
 * factors are then undefined. */
am_status am_sparse_factor(am_sparse *sparse, double *values, bool *singular, am_error *err);

/* x (count vectors of n numbers, or pairs) becomes the solutions. */
am_status am_sparse_solve(am_sparse *sparse, double *x, size_t count, am_error *err);

/* Complex: the determinant of the matrix factored last, as ln of its size and its argument (-pi to pi). */
void am_sparse_determinant(const am_sparse *sparse, double *log_size, double *argument);

/* ---- Condensation (symmetric) ----
 *
 * Of the unknowns `kept` (counted from 1; borrowed like the pattern) am_sparse_factor finds the Schur complement
 * K_kk - K_ki K_ii^-1 K_ik (count x count, exactly symmetric) and eliminates the others. To be asked for before the
 * first factor; am_sparse_solve is then not available. */
am_status am_sparse_keep(am_sparse *sparse, size_t count, int *kept, double *schur, am_error *err);

/* A load on all unknowns (n; entries of kept ones included) as the kept ones feel it (count). */
am_status am_sparse_condense(am_sparse *sparse, const double *load, double *felt, am_error *err);

/* All unknowns (n) under that load, when the kept ones are at `place` (count). */
am_status am_sparse_expand(am_sparse *sparse, const double *load, const double *place, double *x, am_error *err);

/* Symmetric: how many eigenvalues are negative (Sylvester's law of inertia on the pivots). */
size_t am_sparse_negative(const am_sparse *sparse);

#endif
