/* Integrals of tractions, taken by quadrature: what closed forms are held against. */
#ifndef AMONTONS_TESTS_TRACTIONS_H
#define AMONTONS_TESTS_TRACTIONS_H
#include <stddef.h>

#include "math/root.h"

/* The integral of f over [edges[0], edges[count-1]], f smooth between the edges except for square roots of the distance
 * to them, of either power: right to about 1e-11 of the integral of |f|. */
double integral_between(am_real_function f, const void *context, const double *edges, size_t count);

/* Principal value of f(xi)/(x - xi) over the same, over pi; x is no edge. */
double hilbert(am_real_function f, const void *context, const double *edges, size_t count, double x);

/* The same with the kernel of period lambda, (1/lambda) cot(pi (x - xi)/lambda); the edges lie within one period. */
double hilbert_periodic(am_real_function f, const void *context, const double *edges, size_t count, double lambda,
                        double x);

#endif
