/* Families of P-matrices: are all matrices whose row i is middle_i + half_i or middle_i - half_i, each row choosing for
 * itself, P-matrices (all 3^n - 1 principal minors positive)? docs/uniqueness.md. A minor whose sign rounding may have
 * changed is never called positive. */
#ifndef AMONTONS_MATH_P_MATRIX_H
#define AMONTONS_MATH_P_MATRIX_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/error.h"

typedef enum am_p_verdict {
    AM_P_YES,
    AM_P_NO,       /* `choice` is a minor that is negative beyond rounding */
    AM_P_ROUNDING, /* no negative minor, but one that is zero but for rounding: `choice` */
    AM_P_BUDGET    /* neither shown within the budget */
} am_p_verdict;

typedef struct am_p_report {
    am_p_verdict verdict;
    double margin;   /* the smallest pivot met (of the family scaled to unit middle diagonal); <= 0 when not P */
    double minor;    /* determinant of `choice` (not P, or zero but for rounding); NaN otherwise */
    size_t examined; /* minors computed */
} am_p_report;

/* Minors looked at by default, in about a second; 3^16 are fewer. */
enum { AM_P_DEFAULT_BUDGET = 50000000 };

/* middle, half: n x n. budget 0: the default. choice (n): +1, -1 or 0 (not in the minor); a witness is shrunk until
 * leaving out any one index makes its minor positive. */
am_status am_p_family(const double *middle, const double *half, size_t n, size_t budget, int *choice,
                      am_p_report *report, am_error *err);

/* One minor of the family: its determinant and whether its sign is certain. An empty choice has determinant 1. */
am_status am_p_minor(const double *middle, const double *half, size_t n, const int *choice, double *determinant,
                     bool *certain, am_error *err);

/* The inverse (s x s, row-major, s = number of chosen indices, in their order) of a chosen submatrix. */
am_status am_p_inverse(const double *middle, const double *half, size_t n, const int *choice, double *inverse,
                       double *rcond, am_error *err);

#endif
