/* K - s M of a symmetric pair of matrices, factored: solves, and the lowest frequencies K x = omega^2 M x. LAPACK for
 * small ones, MUMPS and ARPACK for large ones. M may be singular (parts without mass). */
#ifndef AMONTONS_MATH_PENCIL_H
#define AMONTONS_MATH_PENCIL_H
#include "amontons/matrix.h"
#include "amontons/result.h"
#include "base/arena.h"
#include "math/sparse.h"

typedef struct am_pencil {
    const am_matrix *stiffness, *mass; /* borrowed */
    size_t n;
    bool dense;
    double scale; /* of omega^2: sum of the diagonal of K over that of M */
    double shift; /* s, of the factors */
    size_t below; /* frequencies below the shift; dense: 1 stands for any number */
    double *factors, *values, *work;
    int *order, *row, *column;
    am_sparse *sparse;
    size_t known; /* modes that are left out of what ARPACK sees, */
    const double *known_shapes;
    size_t stiff_count, count; /* entries of one triangle: of K, of both */
    am_arena memory;
} am_pencil;

am_status am_pencil_init(am_pencil *pencil, const am_matrix *stiffness, const am_matrix *mass, am_error *err);
void am_pencil_clear(am_pencil *pencil);

am_status am_pencil_factor(am_pencil *pencil, double shift, bool *singular, am_error *err);

/* Factors at zero where nothing moves freely, otherwise at a shift below all frequencies. AM_ERR_INPUT where there is
 * none: a motion with neither stiffness nor mass, or a stiffness that is negative beyond all measure. */
am_status am_pencil_settle(am_pencil *pencil, am_error *err);

/* x (count vectors of n) becomes (K - s M)^-1 x. */
am_status am_pencil_solve(am_pencil *pencil, double *x, size_t count, am_error *err);

/* The lowest squared frequencies, ascending, with shapes as rows, x.M x = 1; after am_pencil_settle, or factors with
 * nothing below the shift. *count: how many are wanted, and how many there are. */
am_status am_pencil_lowest(am_pencil *pencil, size_t *count, double *squares, double *shapes,
                           const am_progress *progress, am_error *err);

/* The same where the first `known` of them are there already, as this function or the one before found them. */
am_status am_pencil_more(am_pencil *pencil, size_t known, size_t *count, double *squares, double *shapes,
                         am_error *err);

/* How many of the lowest squares are motions without stiffness, but for rounding. */
size_t am_pencil_rigid(const am_pencil *pencil, size_t count, const double *squares);

#endif
