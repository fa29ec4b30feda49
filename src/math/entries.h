/* The stored entries of a matrix, row by row: what sparse factorisations are assembled from. */
#ifndef AMONTONS_MATH_ENTRIES_H
#define AMONTONS_MATH_ENTRIES_H
#include "amontons/matrix.h"

/* Number of entries stored in a row; *values of them, in *columns (ascending), or in all columns when *columns is NULL
 * (dense). */
size_t am_matrix_row_entries(const am_matrix *matrix, size_t row, const size_t **columns, const double **values);

#endif
