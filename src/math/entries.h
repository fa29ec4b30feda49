/* The stored entries of a matrix, row by row: what sparse factorisations are assembled from. */
#ifndef AMONTONS_MATH_ENTRIES_H
#define AMONTONS_MATH_ENTRIES_H
#include "amontons/matrix.h"

/* Number of entries stored in a row; *values of them, in *columns (ascending), or in all columns when *columns is NULL
 * (dense). */
size_t am_matrix_row_entries(const am_matrix *matrix, size_t row, const size_t **columns, const double **values);

/* Some rows and columns of a square matrix, sparse: place[i] is where row and column i go among `n`, SIZE_MAX: nowhere. */
am_matrix *am_matrix_select(const am_matrix *matrix, const size_t *place, size_t n, am_error *err);

/* The sum of weights[i] times matrices[i] of the same shape (NULL: nothing): sparse where all of them are. */
am_matrix *am_matrix_weighted_sum(size_t count, const am_matrix *const *matrices, const double *weights, am_error *err);

#endif
