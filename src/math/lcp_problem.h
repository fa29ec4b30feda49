/* A linear complementarity problem: z >= 0, w = M z + q >= 0, z.w = 0. math/lcp.h solves it. */
#ifndef AMONTONS_MATH_LCP_PROBLEM_H
#define AMONTONS_MATH_LCP_PROBLEM_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_lcp {
    size_t n;
    const double *q; /* n */
    const double *M; /* n x n, row-major; NULL: M is known through the functions below */
    const void *data;
    /* block (rows x columns, row-major) = M[row, column] */
    void (*gather)(const void *data, size_t rows, const size_t *row, size_t columns, const size_t *column,
                   double *block);
    /* y (n) += the sum over the given columns of M[:, column] z[column] */
    void (*apply)(const void *data, size_t columns, const size_t *column, const double *z, double *y);
} am_lcp;

#endif
