/* Inside of `stability`: eigenvalues in an order, and shapes of coinciding ones in a basis, that rounding cannot
 * change. */
#ifndef AMONTONS_ANALYSES_STABILITY_MODE_ORDER_H
#define AMONTONS_ANALYSES_STABILITY_MODE_ORDER_H
#include <stddef.h>

#include "analyses/stability/linearised.h"

/* Parts of a shape that differ by less are equally large: where symmetry makes them so, rounding would choose between
 * them. Shapes carry about 1e-16 times the size of all eigenvalues over their distance from the next one; those with a
 * next one closer than 1e-10 have no more to say about it. */
#define AM_SHAPE_TIE 1e-6

/* A real eigenvalue, or the member of a pair with positive imaginary part. */
typedef struct am_mode {
    double real, imaginary;
    double uncertainty; /* by how much rounding may have moved it */
    double rounding;    /* the same for an eigenvalue of the same size whose vectors are orthogonal to the others */
    double residual;
    double *re, *im; /* k: its vector re + i im in reduced coordinates; im may be NULL where both are real */
} am_mode;

/* |(l^2 M + l C + K) v| / ((w^2 |M| + w |C| + |K|) |v|), with l = a + i b, v = x + i y (y NULL: real), and w the larger
 * of |l| and the size of natural frequencies. */
double am_mode_residual(const am_linearised *linearised, double a, double b, const double *x, const double *y);

/* A vector in the coordinates of the structure, shape = Z y; n numbers. */
void am_mode_shape(const am_linearised *linearised, const double *y, double *shape);

/* Fastest growth first; of those that grow equally but for rounding the slow ones before the fast ones. */
void am_mode_sort(am_mode *mode, size_t count);

/* Those of `count` eigenvalues that have an imaginary part >= 0: lowest frequency first, of equal ones but for `doubt`
 * the one that grows most, then the one given first. order: of count indices, *found are filled. */
am_status am_mode_order(size_t count, const double *real, const double *imaginary, const double *doubt, size_t *order,
                        size_t *found, am_error *err);

/* The coordinate that moves most in the shape of eigenvalue i; of equal ones (AM_SHAPE_TIE) the first. */
size_t am_mode_largest_coordinate(const am_spectrum *spectrum, size_t i);

/* Sorted eigenvalues that coincide but for rounding become equal, and their vectors the basis of their common space
 * that docs/stability.md defines, where these are eigenvectors to rounding (they are not where the eigenvalue is
 * defective: nothing is changed then). A pair that is real but for rounding becomes two real ones, so that *count may
 * grow. */
am_status am_mode_separate(const am_linearised *linearised, am_mode *mode, size_t *count, am_error *err);

#endif
