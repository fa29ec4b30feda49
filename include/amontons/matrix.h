/* Real matrices, dense or sparse, constant once made: what a structure is described with. */
#ifndef AMONTONS_MATRIX_H
#define AMONTONS_MATRIX_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_matrix am_matrix;

/* Copies a row-major array. NaN and infinities are refused (AM_ERR_INPUT). */
AM_API am_matrix *am_matrix_dense(size_t rows, size_t columns, const double *values, am_error *err);

/* From `count` entries (row, column, value), zero-based; repeated entries add up. */
AM_API am_matrix *am_matrix_sparse(size_t rows, size_t columns, size_t count, const size_t *row, const size_t *column,
                                   const double *value, am_error *err);

/* From a Matrix Market file: coordinate or array; real or integer; general, symmetric or skew-symmetric.
 * Messages start with "path:line:". AM_ERR_FILE when it cannot be read, AM_ERR_INPUT when it is wrong. */
AM_API am_matrix *am_matrix_read(const char *path, am_error *err);

AM_API am_matrix *am_matrix_copy(const am_matrix *matrix, am_error *err);
AM_API void am_matrix_free(am_matrix *matrix);

AM_API size_t am_matrix_rows(const am_matrix *matrix);
AM_API size_t am_matrix_columns(const am_matrix *matrix);
AM_API bool am_matrix_is_sparse(const am_matrix *matrix);
AM_API double am_matrix_at(const am_matrix *matrix, size_t row, size_t column);   /* NAN beyond its rows and columns */
AM_API void am_matrix_apply(const am_matrix *matrix, const double *x, double *y); /* y = A x */
AM_API void am_matrix_to_dense(const am_matrix *matrix, double *values);          /* row-major rows*columns */
AM_API double am_matrix_largest(const am_matrix *matrix);                         /* max |a_ij| */
AM_API double am_matrix_asymmetry(const am_matrix *matrix);                       /* max |a_ij - a_ji|; square only */

#ifdef __cplusplus
}
#endif
#endif
