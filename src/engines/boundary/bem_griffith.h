/* Griffith friction by boundary elements, similar bodies: slip spreads where the shear beyond f p at an end of the
 * stick zone, singular as K/sqrt(2 pi t), reaches the toughness; behind it q = f p. docs/bem.md, section 11.
 *
 * With the shift g of the upper body held, the load Q = Q0 + k g is a smooth function of both ends of the stick zone,
 * and how it changes with an end is the singularity there (Irwin):
 *
 *     K1^2 = E* dk/dc,   K0 K1 = E* dQ0/dc,   K = K0 + g K1.
 *
 * Every stick zone of whole nodes gives Q0 and k; cubics between them give the derivatives, to second order in h. */
#ifndef AMONTONS_ENGINES_BOUNDARY_BEM_GRIFFITH_H
#define AMONTONS_ENGINES_BOUNDARY_BEM_GRIFFITH_H
#include "engines/boundary/bem.h"
#include "halfplane/griffith.h"

/* An equilibrium. Between nodes: ends are those of the singular tractions. */
typedef struct am_bem_front {
    bool exists;            /* false: a punch has lifted off beyond this stick zone */
    double from, to;        /* the stick zone */
    double left, right;     /* the contact */
    double Q;               /* that brings a front to the toughness, or the load given */
    double K_left, K_right; /* at the ends of the stick zone; NaN at the corner that a tilting punch leans on */
} am_bem_front;

typedef struct am_bem_griffith am_bem_griffith;

/* Presses the bodies together. `load` without its tangential part; free_tilt and height as in a step: Q towards +x then
 * leans the body on its end at +x, and slip comes from the other. `bem` is borrowed. AM_ERR_UNSUPPORTED: dissimilar
 * bodies, or several contacts that feel each other. */
am_bem_griffith *am_bem_griffith_create(am_bem *bem, const am_bem_load *load, double toughness, am_error *err);
void am_bem_griffith_free(am_bem_griffith *griffith);

/* The equilibrium, stable or not, whose stick zone is `ratio` of the contact's width (of the punch's own). Both ends
 * give way where both reach the toughness, else the one that does. The least ratio is that of a few nodes. */
double am_bem_griffith_least(const am_bem_griffith *griffith);
double am_bem_griffith_most(const am_bem_griffith *griffith); /* 1, or less where a whole period is in contact */
am_status am_bem_griffith_at(am_bem_griffith *griffith, double ratio, am_bem_front *front, am_error *err);

/* All stuck, under any Q. */
am_status am_bem_griffith_stuck(am_bem_griffith *griffith, double Q, am_bem_front *front, am_error *err);

double am_bem_griffith_slipping(const am_bem_griffith *griffith); /* f P */

/* Stick zones as ratios, like above. An interface that sticks over a whole period has no front: onset and largest are
 * infinite. */
am_status am_bem_griffith_limits(am_bem_griffith *griffith, am_griffith_limits *limits, am_error *err);

/* The state under a Q that grew from zero; afterwards `bem` has the tractions and slips of the stick zone of whole
 * nodes that comes nearest. AM_ERR_NO_STATE: it slides. */
am_status am_bem_griffith_load(am_bem_griffith *griffith, double Q, am_bem_front *front, am_error *err);

/* The same for an equilibrium chosen by am_bem_griffith_at. */
am_status am_bem_griffith_hold(am_bem_griffith *griffith, const am_bem_front *front, am_error *err);

/* How good the equilibrium is that is held. `front`: the difference between K from the change of the load and K from
 * the tractions beside the end, a parabola through (q - f p) sqrt(2 pi t), over the toughness or Q/sqrt(pi c); NaN
 * where too few nodes stick. `backward`: the largest slip against the shear, over the largest slip. Both are errors of
 * the discretisation. */
am_status am_bem_griffith_examine(am_bem_griffith *griffith, double *front, double *backward, am_error *err);

#endif
