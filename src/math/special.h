/* Special functions, as far as contact problems need them. */
#ifndef AMONTONS_MATH_SPECIAL_H
#define AMONTONS_MATH_SPECIAL_H

/* Gauss' hypergeometric function 2F1(a, b; c; z) by its series, for |z| <= 0.9 and c not 0, -1, -2, ... */
double am_special_hypergeometric(double a, double b, double c, double z);

#endif
