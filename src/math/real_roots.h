/* Real roots of polynomials of low degree, c[0] + c[1] x + ... + c[degree] x^degree. */
#ifndef AMONTONS_MATH_REAL_ROOTS_H
#define AMONTONS_MATH_REAL_ROOTS_H
#include <stddef.h>

enum { AM_REAL_ROOTS_DEGREE = 8 }; /* at most */

double am_real_roots_value(const double *c, size_t degree, double x);

/* Beyond this no root can lie (Cauchy). */
double am_real_roots_bound(const double *c, size_t degree);

/* All places in (from, to) at which the polynomial changes its sign, in order and to rounding; returns how many. */
size_t am_real_roots_between(const double *c, size_t degree, double from, double to, double *roots);

#endif
