/* Griffith friction: slip spreads when the singular shear at the edge of the stick zone reaches K_II = sqrt(2 E* W);
 * behind it the surfaces rub with f. docs/halfplane.md, section 7; the thesis' equations 4.29-4.31, 4.41 and 5.22-5.48.
 *
 *     q = f (p(x; a) - p(x; c)) + N flat(x; c),   N = K_II/(intensity of a unit flat c),
 *     Q = f (P(a) - P(c)) + N.
 *
 * W is the energy itself. The thesis' chapter 5 writes W for W/f^2 (5.24). */
#ifndef AMONTONS_HALFPLANE_GRIFFITH_H
#define AMONTONS_HALFPLANE_GRIFFITH_H
#include <stdbool.h>

#include "halfplane/profile.h"

typedef struct am_griffith {
    am_profile profile;
    double friction;   /* f */
    double load;       /* P */
    double half_width; /* a */
    double toughness;  /* K_II */
} am_griffith;

am_status am_griffith_from_load(am_profile profile, double friction, double load, double energy, am_griffith *griffith,
                                am_error *err);

/* Q that belongs to a stick zone c, 0 <= c <= a, stable or not. Infinite where no singularity can form (a wave in full
 * contact that sticks everywhere). */
double am_griffith_tangential(const am_griffith *griffith, double c);

double am_griffith_shear(const am_griffith *griffith, double c, double x);
double am_griffith_slip(const am_griffith *griffith, double c, double x);
am_transform am_griffith_transform(const am_griffith *griffith, double c, double x, double z);

/* As Q grows from zero. Q(c) falls with c on the stable branch, between `critical` and `widest`. */
typedef struct am_griffith_limits {
    double onset;        /* Q at which the fully stuck contact begins to slip: Q(a) */
    double critical;     /* c of the maximum */
    double maximum;      /* Q there */
    double widest;       /* c at which the stable branch begins: a, unless a jump precedes */
    double least;        /* Q there: below it no partial slip is possible */
    bool jumps;          /* at the onset the stick zone jumps from a to a smaller one */
    bool slides_at_once; /* no stable partial slip: at the onset the contact slides as a whole */
    double largest;      /* the largest Q the contact carries: the onset or the maximum */
} am_griffith_limits;

am_griffith_limits am_griffith_limits_of(const am_griffith *griffith);

/* The stick zone under a Q that grew from zero: a before the onset. */
am_status am_griffith_stick(const am_griffith *griffith, double Q, double *c, am_error *err);

#endif
