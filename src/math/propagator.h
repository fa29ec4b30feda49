/* The exact solution of x' = A x + B z, z' = G z, over lengths base * 2^k: what matrices do to a state, however stiff A
 * is. P_0 = exp(A base) by its series, P_(k+1) = P_k P_k; Q_k, the part of the inputs, with E_k = exp(G base 2^k) as
 * Q_(k+1) = P_k Q_k + Q_k E_k. Row-major arrays. */
#ifndef AMONTONS_MATH_PROPAGATOR_H
#define AMONTONS_MATH_PROPAGATOR_H
#include <stddef.h>

#include "amontons/error.h"

typedef struct am_propagator am_propagator;

/* n states, m inputs. */
am_propagator *am_propagator_create(size_t n, size_t m, am_error *err);
void am_propagator_free(am_propagator *p);

/* A new A (n x n), whose norm times `base` must be below AM_PROPAGATOR_REACH in some scaling of the states. All levels
 * are forgotten, the inputs too. */
#define AM_PROPAGATOR_REACH 0.0625
void am_propagator_set(am_propagator *p, const double *A, double base);
/* New inputs: B (n x m) and G (m x m); the levels of A stay. */
void am_propagator_set_inputs(am_propagator *p, const double *B, const double *G);

double am_propagator_length(const am_propagator *p, size_t level); /* base 2^level */

/* The levels up to this one; AM_OK, or no memory. */
am_status am_propagator_reserve(am_propagator *p, size_t level, am_error *err);

/* out = x a length of that level later, z the inputs now. */
void am_propagator_step(const am_propagator *p, size_t level, const double *x, const double *z, double *out);

/* Orders 0 .. count - 1 of the series of x about now, order by order: series[k n + i]. */
void am_propagator_series(const am_propagator *p, const double *x, const double *z, size_t count, double *series);

/* S (n x columns) becomes exp(A length) S. work: 2 n x columns. All levels that `length` needs are reserved. */
am_status am_propagator_apply(am_propagator *p, double length, double *S, size_t columns, double *work, am_error *err);

#endif
