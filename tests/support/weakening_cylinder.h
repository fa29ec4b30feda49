/* Slip-weakening friction under a cylinder: the double Cattaneo-Mindlin solution and its limit of a short transition
 * (JKR). docs/halfplane.md, section 9; the thesis' section 4.2, equations 4.12-4.43.
 *
 *     q = f_d p0-part (a, c) + C part (b, c),    stick |x| < c, transition c < |x| < b, dynamic friction b < |x| < a,
 *
 * friction falling from f_s at c to f_d at b. Lengths are over a; Q over f_d P; tractions over f_d p0; slip over
 * f_d a^2/R. With phi = f_s/f_d - 1 the numbers of the problem are phi and one of
 *     chi = R Delta/(f_d a^2) (Delta: the slip length),   w = 2 R^2 W/(E* f_d^2 a^3) (W: the energy). */
#ifndef AMONTONS_TESTS_WEAKENING_CYLINDER_H
#define AMONTONS_TESTS_WEAKENING_CYLINDER_H
#include "halfplane/traction.h"
#include "halfplane/weakening.h"

typedef struct am_weakening {
    double excess; /* phi = f_s/f_d - 1 > 0 */
    double amount; /* chi, or w for AM_SLIP_ENERGY; > 0 */
    am_slip_measure measure;
} am_weakening;

/* From what is measured: f_s > f_d > 0, Delta >= 0. */
am_status am_weakening_from_length(double static_friction, double dynamic_friction, double radius, double half_width,
                                   double slip_length, am_slip_measure measure, am_weakening *weakening, am_error *err);

/* Lambda (4.37) and Psi (4.42): chi/phi and chi phi. */
double am_weakening_lambda(const am_weakening *weakening);
double am_weakening_psi(const am_weakening *weakening);

typedef struct am_weakening_state {
    double stick;      /* c */
    double transition; /* b; 1 where the solution has none and Cattaneo and Mindlin's with f_s stands in */
    bool truncated;    /* that is the case */
    double tangential; /* Q/(f_d P) */
    double factor;     /* sqrt((1 - c^2)/(b^2 - c^2)) phi: what multiplies part (b, c) */
} am_weakening_state;

/* All states, stable or not, by their stick zone 0 <= c <= 1. */
am_weakening_state am_weakening_at(const am_weakening *weakening, double stick);

double am_weakening_shear(const am_weakening_state *state, double x);    /* q/(f_d p0) */
double am_weakening_slip(const am_weakening_state *state, double x);     /* over f_d a^2/R */
double am_weakening_friction(const am_weakening_state *state, double x); /* q/(f_d p), f/f_d where it slips */
am_traction am_weakening_traction(const am_weakening_state *state);

/* Energy (as w) and slip length (as chi) that a state implies. */
double am_weakening_energy(const am_weakening *weakening, double stick, double transition);
double am_weakening_length(const am_weakening *weakening, double stick, double transition);

am_weakening_limits am_weakening_limits_of(const am_weakening *weakening);

/* Under Q/(f_d P) that grew from zero. */
am_status am_weakening_from_load(const am_weakening *weakening, double tangential, am_weakening_state *state,
                                 am_error *err);

/* ---- The limit of a short transition: one number, psi = phi chi (4.33, 4.34, 4.42) ---- */

double am_weakening_short_tangential(double psi, double stick);
double am_weakening_short_shear(double psi, double stick, double x); /* q/(f_d p0) */
double am_weakening_short_slip(double psi, double stick, double x);
void am_weakening_short_limits(double psi, double *critical, double *maximum);
am_status am_weakening_short_stick(double psi, double tangential, double *stick, am_error *err);

/* How far from the stick zone the singular traction exceeds f_s (4.36), over a: the limit holds where this is much
 * smaller than c. */
double am_weakening_short_reach(const am_weakening *weakening, double stick);

#endif
