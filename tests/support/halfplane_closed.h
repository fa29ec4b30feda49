/* Closed forms of half-planes that tests compare with: point loads, displacements, resultants, power laws, losses. */
#ifndef AMONTONS_TESTS_HALFPLANE_CLOSED_H
#define AMONTONS_TESTS_HALFPLANE_CLOSED_H
#include "halfplane/field.h"
#include "halfplane/griffith.h"
#include "halfplane/superposition.h"
#include "halfplane/traction.h"

/* Von Mises' stress in plane strain, sigma_yy = nu (sigma_xx + sigma_zz). */
double am_stress_mises(am_stress stress, double nu);

/* Flamant: a line load (P into the half-plane, Q along +x) at the origin. Displacements of the surface, u along x and v
 * along z, relative to the mean of the two points at distance `reference`. */
am_stress am_flamant_stress(double P, double Q, double x, double z);

void am_flamant_displacement(const am_medium *medium, double P, double Q, double x, double reference, double *u,
                             double *v);

am_status am_strips_check(const am_strips *strips, am_error *err);

/* Displacements of the surface at x less those at `reference`; isolated strips only. */
void am_strips_displacement(const am_strips *strips, const am_medium *medium, double x, double reference, double *u,
                            double *v);

double am_traction_resultant(const am_traction *traction);

double am_traction_moment(const am_traction *traction); /* about x = 0 */

am_stress am_traction_stress(const am_traction *p, const am_traction *q, double x, double z);

/* Displacements of the surface of one half-plane at x less those at `reference`, u along x and v along z (1.20, 1.21).
 */
void am_traction_surface(const am_traction *p, const am_traction *q, const am_medium *medium, double x,
                         double reference, double *u, double *v);

double am_griffith_power_share(double k, double critical, double ratio); /* Q/fP */

double am_griffith_power_onset(double k, double critical);

double am_griffith_power_maximum(double k, double critical); /* of the curve; reached when critical < 1 */

/* c_c from the energy (5.45). */
double am_griffith_power_critical(double modulus, double k, double coefficient, double friction, double energy);

/* c/a under Q/fP that grew from zero. */
am_status am_griffith_power_stick(double k, double critical, double share, double *ratio, am_error *err);

/* Pull-off of the adhesive contact that the corrective traction imitates (5.21 with its sign): the smallest normal
 * load of a cylinder with surface energy `energy`. */
double am_griffith_pull_off(double modulus, double radius, double energy);

/* Energy lost per cycle when Q moves between two extremes `range` apart under constant P:
 * 8 f^2 times the area between the curve of normal approach over load and its chord from P - range/(2 f) to P. */
am_status am_superposition_dissipation(const am_profile *profile, double friction, double P, double range,
                                       double *energy, am_error *err);

/* 1 - k^2 + 2 k ln k with k = 1 - e: e^3/3 + ..., the loss per cycle of power laws and waves over its scale. */
double am_superposition_loss(double e);

/* Complete elliptic integrals of the first and second kind, K(k) and E(k), by the arithmetic-geometric mean; the
 * modulus is given by its complement k' = sqrt(1 - k^2), 0 < k' <= 1, so that nothing is lost near k = 1. */
void am_special_elliptic(double complement, double *first, double *second);

#endif
