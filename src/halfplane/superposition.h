/* Partial slip of any symmetric profile with beta = 0 along any path of normal and tangential loads, by Ciavarella and
 * Jaeger's superposition (docs/halfplane.md, section 4; the thesis' equations 1.47-1.52, 4.5, 4.6): the shear traction is
 * f times the integral over 0 < N < P of share(N) dp(x; N)/dN, |share| <= 1. */
#ifndef AMONTONS_HALFPLANE_SUPERPOSITION_H
#define AMONTONS_HALFPLANE_SUPERPOSITION_H
#include "halfplane/profile.h"

/* One layer of constant share, from the top of the one below (0 for the first) up to `top`. */
typedef struct am_superposition_layer {
    double top;   /* normal load */
    double share; /* -1 ... 1 */
} am_superposition_layer;

typedef struct am_superposition {
    am_profile profile;
    double friction;
    double P, Q;
    size_t count, capacity;
    am_superposition_layer *layer;
    double stuck; /* normal load that belongs to the stick zone of the last step; P when nothing slipped */
    double sense; /* of slip at its end: 1 forward, -1 backward, 0 none */
    double work;  /* sum over the steps of mean Q times change of displacement: of second order in the steps */
    double lost;  /* to friction, exact */
} am_superposition;

am_status am_superposition_start(am_superposition *state, am_profile profile, double friction, am_error *err);
void am_superposition_end(am_superposition *state);

/* Along a straight line from the present loads to (P, Q): exact, however long. */
am_status am_superposition_step(am_superposition *state, double P, double Q, am_error *err);

/* The same without `work` and `lost`, which cost more than the rest; and back to where nothing touches. */
am_status am_superposition_move(am_superposition *state, double P, double Q, am_error *err);
void am_superposition_restart(am_superposition *state);

double am_superposition_half_width(const am_superposition *state); /* a */
double am_superposition_stick(const am_superposition *state);      /* c of the last step */
double am_superposition_shear(const am_superposition *state, double x);
am_transform am_superposition_transform(const am_superposition *state, double x, double z); /* of the shear */

/* Tangential displacement of the centre against the reference of the profile's compliance. */
double am_superposition_displacement(const am_superposition *state);

/* Relative tangential displacement of the surfaces at x against the centre, along +Q. While x stays in contact its
 * changes are slip. */
double am_superposition_relative(const am_superposition *state, double x);

/* First loading (Cattaneo and Mindlin's path): Q = f (P - P(c)). */
am_status am_superposition_stick_width(const am_profile *profile, double friction, double P, double Q, double *a,
                                       double *c, am_error *err);

#endif
