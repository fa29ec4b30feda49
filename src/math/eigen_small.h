/* Eigenpairs of small general matrices: what LAPACK's dgeevx gives, without what it costs to prepare for large ones. */
#ifndef AMONTONS_MATH_EIGEN_SMALL_H
#define AMONTONS_MATH_EIGEN_SMALL_H
#include <stdbool.h>
#include <stddef.h>

/* Largest order. */
enum { AM_EIGEN_SMALL = 8 };

/* Of a (n x n, row-major, left as it is): eigenvalues, the cosines between their left and right vectors (n each), right
 * vectors of length 1 (n x n; row j belongs to eigenvalue j; of a pair the next row is the imaginary part, and the
 * largest entry is real), and the largest sum of a column of the balanced matrix. A pair takes two places, the one with
 * positive imaginary part first. False where the entries are too large or too small for plain arithmetic or the
 * iteration does not converge. */
bool am_eigen_small(const double *a, size_t n, double *real, double *imaginary, double *cosine, double *vectors,
                    double *norm);

#endif
