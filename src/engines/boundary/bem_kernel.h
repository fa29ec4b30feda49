/* Displacements of a half-plane's surface at nodes a distance h apart, under tractions that are linear between nodes
 * (hats of unit height). In closed form, from Flamant's solution (1.14), (1.15). */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_KERNEL_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_KERNEL_H
#include <stddef.h>

/* The integral of hat(t) ln|k - t| for a hat between -1 and 1: -1.5 at k = 0, then nearly ln k. k >= 0. */
double am_bem_hat_logarithm(double k);

/* Displacement by a traction of the same direction, times modulus/2: -(1/pi) times the integral of hat(t) ln(|k h -
 * t|/reference). */
double am_bem_hat_isolated(double k, double h, double reference);

/* The same for hats that repeat with the period, 0 <= k h <= period: the kernel is -(1/pi) (ln|2 sin(pi x/period)| -
 * 1), so that a uniform traction t moves the surface by t period/pi. */
double am_bem_hat_periodic(double k, double h, double period);

/* Displacement by a traction across, times modulus/beta: the integral of hat(t) sgn(k h - t) for k >= 0; periodic
 * (period > 0): without its mean, sgn(x) - 2 x/period. */
double am_bem_hat_sign(size_t k, double h, double period);

#endif
