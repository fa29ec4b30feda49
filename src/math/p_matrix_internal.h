/* Inside of math/p_matrix: a block of the family, scaled, with what its parts share. */
#ifndef AMONTONS_MATH_P_MATRIX_INTERNAL_H
#define AMONTONS_MATH_P_MATRIX_INTERNAL_H
#include "base/arena.h"
#include "math/p_matrix.h"

/* Rows of a family of order n. Row i is upper + i*stride or lower + i*stride. */
typedef struct am_p_rows {
    size_t n, stride;
    const double *upper, *lower;
    double error; /* by how much rounding may have changed any entry */
} am_p_rows;

/* The indices in the minor; how many. */
static inline size_t am_p_members(const int *choice, size_t n, size_t *member) {
    size_t s = 0;
    for (size_t i = 0; i < n; i++)
        if (choice[i] != 0)
            member[s++] = i;
    return s;
}

/* Workspace of the certificates, for families up to order n. */
typedef struct am_p_certifier {
    am_arena memory;
    size_t n;
    double *middle, *half;                  /* n x n */
    double *fixed, *coupled;                /* n x n: symmetric part of `middle`; what friction takes from it at most */
    double *flexible;                       /* n x n: inverse of `fixed` */
    double *form, *inverse, *product;       /* n x n */
    double *weight, *vector, *other, *next; /* n; `vector` is where the last form of am_p_definite was weakest */
} am_p_certifier;

am_status am_p_certifier_init(am_p_certifier *certifier, size_t n, am_error *err);
void am_p_certifier_clear(am_p_certifier *certifier);

/* Sufficient: every matrix of the family is diagonally dominant in one common scaling of the columns. *margin: by how
 * much. */
bool am_p_dominant(am_p_certifier *certifier, const am_p_rows *rows, double *margin);

/* Sufficient: x^T M x > 0 for every x and every M of the family. At most `rounds` improvements of the weights. */
bool am_p_definite(am_p_certifier *certifier, const am_p_rows *rows, size_t rounds, double *margin);

/* Look for a negative minor by descent over indices and signs. *round: which start comes next (0: the hint, n numbers
 * whose signs say where the family is weakest); *found with `choice` filled; *examined grows by the minors looked at.
 */
am_status am_p_search(const double *middle, const double *half, size_t n, const double *hint, size_t *round,
                      size_t budget, int *choice, bool *found, size_t *examined, double *margin, am_error *err);

#endif
