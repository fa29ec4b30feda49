/* Eigenvalues of general matrices with what rounding may have done to them, null spaces, and least squares. Row-major
 * arrays. */
#ifndef AMONTONS_MATH_EIGEN_H
#define AMONTONS_MATH_EIGEN_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

/* Eigenpairs of a general real matrix. A complex pair takes two places, the one with positive imaginary part first;
 * its vectors are vector[0] +- i vector[1]. */
typedef struct am_eigen {
    size_t n;
    double *real, *imaginary; /* n */
    double *uncertainty;      /* n: by how much rounding may have moved the eigenvalue */
    double *vectors;          /* n x n: row j belongs to eigenvalue j (real part; the next row: imaginary part) */
    void *memory;             /* of all these */
} am_eigen;

/* a (n x n) is destroyed. `terms`: size of the terms its entries were added up from, which may have cancelled (0: they
 * did not). AM_ERR_EVIDENCE when the iteration does not converge. */
am_status am_eigen_init(am_eigen *eigen, double *a, size_t n, double terms, am_error *err);
void am_eigen_clear(am_eigen *eigen);

/* The same with left vectors, u^H A = lambda u^H, in rows as the right ones. a (n x n) is destroyed. */
typedef struct am_eigen_pairs {
    size_t n;
    double *real, *imaginary, *right, *left;
    void *memory;
} am_eigen_pairs;

am_status am_eigen_pairs_init(am_eigen_pairs *pairs, double *a, size_t n, am_error *err);
void am_eigen_pairs_clear(am_eigen_pairs *pairs);

/* An orthonormal basis of the null space of a (rows x n), as rows of basis (n x n, of which *count are filled). a is
 * destroyed. Singular values below 1e-12 of the largest count as zero. */
am_status am_null_space(double *a, size_t rows, size_t n, double *basis, size_t *count, am_error *err);

/* The shortest x that makes |a x - b| least; a (n x n) is destroyed, b becomes x. Singular values below `threshold` of
 * the largest count as zero. */
am_status am_least_squares(double *a, size_t n, double *b, double threshold, am_error *err);

/* The symmetric generalised eigenproblem A x = lambda B x with B positive definite: eigenvalues ascending into `values`;
 * a's row i becomes the vector of values[i], with x.B x = 1. b is destroyed. */
am_status am_generalised_eigen(double *a, double *b, size_t n, double *values, am_error *err);

/* Eigenvalues of a symmetric matrix, ascending; a is destroyed. */
am_status am_dense_symmetric_eigenvalues(double *a, size_t n, double *values, am_error *err);

enum { AM_EIGENVALUES_WORK = 3 }; /* numbers of work for each row */

/* Eigenvalues of a general matrix without vectors: a third of the work, where no more than a sign is asked for. a (n x
 * n) is destroyed; pairs as in am_eigen. *doubt: rounding has moved none of them by more, not even a defective one: no
 * `uncertainty` of am_eigen_init is larger. False where the iteration does not converge. */
bool am_eigenvalues(double *a, size_t n, double *real, double *imaginary, double *work, double *doubt);

#endif
