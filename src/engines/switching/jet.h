/* Jets: the Taylor coefficients of a linear function of x along a flow x' = A x, as linear functions of x now,
 *
 *     (row.x)(t + s) = sum over k of (row A^k/k!) x(t) s^k.
 *
 * With few degrees of freedom all orders at once cost less than each from the one before: nothing waits, and two orders
 * are computed in one go. */
#ifndef AMONTONS_ENGINES_SWITCHING_JET_H
#define AMONTONS_ENGINES_SWITCHING_JET_H
#include <stddef.h>

#include "math/bernstein.h"

typedef struct am_jet {
    size_t count;
    const size_t *column;      /* count pairs: the entries of x that go with the coefficients at even and odd places */
    const double *coefficient; /* count x AM_COEFFICIENTS */
} am_jet;

/* All its coefficients at x. */
void am_jet_at(const am_jet *jet, const double *x, double out[AM_COEFFICIENTS]);

/* Sums over the orders of column pair j: weight[k] times the coefficients at even and at odd places. */
void am_jet_sum(const am_jet *jet, size_t j, const double weight[AM_COEFFICIENTS], double sum[2]);

#endif
