/* Slip-weakening friction under any symmetric profile: the double Cattaneo-Mindlin solution of the thesis' equations
 * 4.38-4.41 and its limit of a short transition. docs/halfplane.md, section 9. With p(x; s) the pressure of the profile
 * pressed to the half-width s and P(s) its load,
 *
 *     q = f_d (p(x; a) - p(x; c)) + C (p(x; b) - p(x; c)),    C = (f_s - f_d) p(c; a)/p(c; b),
 *     Q = f_d (P(a) - P(c)) + C (P(b) - P(c)). */
#ifndef AMONTONS_HALFPLANE_WEAKENING_H
#define AMONTONS_HALFPLANE_WEAKENING_H
#include <stdbool.h>

#include "amontons/slip.h"
#include "halfplane/griffith.h"

typedef struct am_weakening_law {
    double fixed, kinetic;   /* f_s > f_d > 0 */
    double amount;           /* the slip length Delta, or W for AM_SLIP_ENERGY; > 0 */
    am_slip_measure measure; /* how W goes with Delta; in the limit of a short transition both mean the same */
} am_weakening_law;

am_status am_weakening_check(const am_weakening_law *law, am_error *err);

typedef struct am_weakening_contact {
    am_profile profile;
    am_weakening_law law;
    double load, half_width; /* P and a */
} am_weakening_contact;

/* A profile under P. */
am_status am_weakening_contact_from_load(am_profile profile, const am_weakening_law *law, double load,
                                         am_weakening_contact *contact, am_error *err);

typedef struct am_weakening_zones {
    double stick;      /* c */
    double transition; /* b; a where the solution has none and Cattaneo and Mindlin's with f_s stands in */
    bool truncated;    /* that is the case */
    double factor;     /* C */
    double tangential; /* Q */
} am_weakening_zones;

/* All states, stable or not, by their stick zone 0 <= c <= a; or by stick zone and transition c < b <= a, whatever the
 * amount of the law. */
am_weakening_zones am_weakening_zones_at(const am_weakening_contact *contact, double stick);
am_weakening_zones am_weakening_zones_between(const am_weakening_contact *contact, double stick, double transition);

/* The amount (Delta, or W, as the measure says) that a stick zone c < b implies. */
double am_weakening_implied(const am_weakening_contact *contact, double stick, double transition);

double am_weakening_zones_shear(const am_weakening_contact *contact, const am_weakening_zones *zones, double x);
double am_weakening_zones_slip(const am_weakening_contact *contact, const am_weakening_zones *zones, double x);
am_transform am_weakening_zones_transform(const am_weakening_contact *contact, const am_weakening_zones *zones,
                                          double x, double z);

/* The largest coefficient of friction in the transition zone: f_s at its inner end, unless the profile is so steep that
 * friction rises before it falls (powers above 2, b well above c). */
double am_weakening_peak(const am_weakening_contact *contact, const am_weakening_zones *zones);

typedef struct am_weakening_limits {
    double critical;   /* c of the maximum: below it all states are unstable under a given Q */
    double maximum;    /* Q there: over f_d P it is the apparent static friction over the dynamic one (Fig. 4.6) */
    double truncation; /* above this c there is no transition zone inside the contact */
} am_weakening_limits;

am_weakening_limits am_weakening_contact_limits(const am_weakening_contact *contact);

/* Under Q that grew from zero; the limits are the contact's. */
am_status am_weakening_zones_from_load(const am_weakening_contact *contact, const am_weakening_limits *limits, double Q,
                                       am_weakening_zones *zones, am_error *err);

/* ---- The limit of a short transition (4.41): Griffith friction with W = (f_s - f_d) p(c; a) Delta ---- */

/* The contact with a stick zone as one of Griffith friction, which has its shear, slip and transform. */
am_griffith am_weakening_edge(const am_weakening_contact *contact, double stick);
double am_weakening_edge_tangential(const am_weakening_contact *contact, double stick);
am_weakening_limits am_weakening_edge_limits(const am_weakening_contact *contact);
am_status am_weakening_edge_stick(const am_weakening_contact *contact, const am_weakening_limits *limits, double Q,
                                  double *stick, am_error *err);

#endif
