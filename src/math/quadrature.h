/* Integrals of functions of one variable. */
#ifndef AMONTONS_MATH_QUADRATURE_H
#define AMONTONS_MATH_QUADRATURE_H
#include <stddef.h>

#include "math/root.h"

/* Gauss and Legendre's rule with 16 points on (-1, 1), exact for polynomials of degree 31: its positive points; the
 * others are their mirror images. */
enum { AM_QUADRATURE_HALF = 8, AM_QUADRATURE_POINTS = 2 * AM_QUADRATURE_HALF };
extern const double am_quadrature_node[AM_QUADRATURE_HALF], am_quadrature_weight[AM_QUADRATURE_HALF];

/* Point g, 0 to AM_QUADRATURE_POINTS - 1, of that rule: its weight. */
static inline double am_quadrature_point(size_t g, double *node) {
    *node = g % 2 ? -am_quadrature_node[g / 2] : am_quadrature_node[g / 2];
    return am_quadrature_weight[g / 2];
}

/* The integral from low to high by that rule on `panels` equal parts: for smooth functions. */
double am_quadrature_gauss(am_real_function f, const void *context, double low, double high, size_t panels);

/* The same for functions with weak singularities or thin layers at the ends, by double-exponential substitution until
 * the value stands still to about 1e-13 of the integral of |f|. f is never called at the ends. Singularities like
 * d^(-1/2) cost half the digits, since x cannot come closer to an end than its own rounding: substitute first. */
double am_quadrature_ends(am_real_function f, const void *context, double low, double high);

#endif
