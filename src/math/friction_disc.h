/* Friction in a plane at one contact: the force in a disc that makes what is left of the sliding opposite to it. */
#ifndef AMONTONS_MATH_FRICTION_DISC_H
#define AMONTONS_MATH_FRICTION_DISC_H

/* x in the disc |x| <= radius with
 *
 *     W x + b = 0 inside,     W x + b = -lambda x, lambda >= 0, on its edge.
 *
 * W (2 x 2, row-major) is not negative: x.W x >= 0. Where W has no inverse, the shortest x that does. Returns lambda. */
double am_disc_solve(const double *W, const double *b, double radius, double *x);

/* The point of the disc next to x, into x. */
void am_disc_project(double radius, double *x);

#endif
