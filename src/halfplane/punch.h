/* A rigid flat punch (half-width a, sharp corners) on an incompressible half-plane, pressed by P at its middle and
 * pushed by Q at the height h: the moment Q h tilts it, slip starts at the trailing corner x = -a, the corner may lift
 * off, the punch may tip over. Friction by Coulomb (W = 0) or by Griffith (fracture energy W > 0).
 * docs/halfplane.md, section 8; the thesis' section 3.1 and Appendix A.
 *
 * All depends on alpha = a/(2 f h), Q/fP and W~ = sqrt(pi E* W a)/(f P). Lengths are over a, tractions over P/(pi a)
 * (pressure) and f P/(pi a) (shear), slip and tilt over 2 f P/(pi E*) and 2 P/(pi E* a).
 *
 * Places are measured from the leading corner, about which the punch tips over: contact and stick zone both end there,
 * and near tip-over they are so narrow that their distance from the middle would have lost its digits. */
#ifndef AMONTONS_HALFPLANE_PUNCH_H
#define AMONTONS_HALFPLANE_PUNCH_H
#include "halfplane/traction.h"

/* What the punch does as Q grows from zero. */
typedef struct am_punch_limits {
    double onset;       /* Q/fP at which slip starts */
    double lift_off;    /* alpha */
    double tip_over;    /* 2 alpha */
    double maximum;     /* largest Q/fP: sliding or tip-over, whichever comes first */
    int tips_over;      /* 1: the maximum is tip-over */
    double sliding_at;  /* stick width 1 + b (over a, in the contact) at the maximum: 0 for Coulomb friction */
    int slides_at_once; /* 1: at the onset the contact slides as a whole, no partial slip is stable (W large) */
} am_punch_limits;

typedef struct am_punch {
    double alpha, share, toughness; /* alpha, Q/fP, W~ */
    double contact;                 /* a', half of the contact; 1 before lift-off */
    double stick_edge;              /* place at which the stick zone begins, < 0; it ends at the corner, 0 */
    double slip_length;             /* l, from the original corner, the open part included */
    double tilt;
    am_traction pressure, shear;
} am_punch;

am_status am_punch_limits_of(double alpha, double toughness, am_punch_limits *limits, am_error *err);

/* The state reached when Q grows from zero. */
am_status am_punch_from_load(double alpha, double share, double toughness, am_punch *punch, am_error *err);

/* The same by the stick width L = (distance from stick edge to the leading corner)/a' in (0, 2): all states, stable or
 * not. `share` is found among those with full contact or lift-off, whichever is consistent. */
am_status am_punch_from_stick(double alpha, double stick, double toughness, am_punch *punch, am_error *err);

double am_punch_slip(const am_punch *punch, double place); /* relative to the stick zone, along +Q */
double am_punch_intensity(const am_punch *punch);          /* K_II at the stick edge over f P/(pi sqrt a) */

#endif
