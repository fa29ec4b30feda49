/* Polynomials on [0, 1] in the Bernstein basis: a polynomial lies within the range of its coefficients there, and has
 * at most as many zeros as they have sign changes. That is what certifies that a switch was not missed. */
#ifndef AMONTONS_MATH_BERNSTEIN_H
#define AMONTONS_MATH_BERNSTEIN_H
#include <stdbool.h>
#include <stddef.h>

/* Degree of all polynomials here: Taylor polynomials of the motion. */
enum { AM_DEGREE = 23, AM_COEFFICIENTS = AM_DEGREE + 1 };

/* b = Bernstein coefficients of sum a[k] s^k. */
void am_bernstein_from_power(const double a[AM_COEFFICIENTS], double b[AM_COEFFICIENTS]);

/* The first s in [0, 1] at which a(s) + shift turns negative; false if it does not. a(0) + shift must not be negative.
 */
bool am_bernstein_first_negative(const double a[AM_COEFFICIENTS], double shift, double *where);

/* The same in two parts, for several shifts of one polynomial: b from am_bernstein_from_power. */
bool am_bernstein_search(const double a[AM_COEFFICIENTS], const double b[AM_COEFFICIENTS], double shift, double *where);

/* A lower bound of the polynomial on [0, 1]. */
double am_bernstein_least(const double b[AM_COEFFICIENTS]);

/* Does a(s) stay above `level` on [0, 1]? A quick look with the lower half of the orders: true is a proof, false is
 * not.
 */
bool am_bernstein_above(const double a[AM_COEFFICIENTS], double level);

/* The zero of a itself next to `where`, found by first_negative with a small shift of either sign. */
double am_bernstein_refine(const double a[AM_COEFFICIENTS], double shift, double where);

/* a(s), and a(s) with its derivative. */
double am_polynomial_at(const double a[AM_COEFFICIENTS], double s);
double am_polynomial_slope(const double a[AM_COEFFICIENTS], double s, double *value);

/* Where in (0, 1] the slope of a changes its sign: where[0 .. AM_MOST_TURNS), increasing; returns how many. Between two
 * of AM_MOST_TURNS evenly spaced places a is taken to turn at most once: a span of a motion is about a third of its
 * shortest period. a is known there to second order in the error of the place. */
enum { AM_MOST_TURNS = 16 };
size_t am_polynomial_turns(const double a[AM_COEFFICIENTS], double *where);

/* Integral over [0, 1] of a(s) b(s). */
double am_polynomial_product_integral(const double a[AM_COEFFICIENTS], const double b[AM_COEFFICIENTS]);
double am_polynomial_integral(const double a[AM_COEFFICIENTS]);

#endif
