/* Special functions, as far as contact problems need them. */
#ifndef AMONTONS_MATH_SPECIAL_H
#define AMONTONS_MATH_SPECIAL_H

/* Complete elliptic integrals of the first and second kind, K(k) and E(k), by the arithmetic-geometric mean; the
 * modulus is given by its complement k' = sqrt(1 - k^2), 0 < k' <= 1, so that nothing is lost near k = 1. */
void am_special_elliptic(double complement, double *first, double *second);

/* Gauss' hypergeometric function 2F1(a, b; c; z) by its series, for |z| <= 0.9 and c not 0, -1, -2, ... */
double am_special_hypergeometric(double a, double b, double c, double z);

#endif
