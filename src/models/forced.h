/* What the models oscillator and griffin share: one damped mass under a sine, and a contact held by a sine.
 *
 *     v'' + 2 d v' + v = sin(Omega t) + T,     N = beta (1 + eta sin(Omega t + delta)),     friction 1 */
#ifndef AMONTONS_MODELS_FORCED_H
#define AMONTONS_MODELS_FORCED_H
#include "amontons/system.h"

typedef struct am_forced {
    double beta, eta, delta_deg, Omega;
    double damping;           /* d */
    const char *damping_name; /* the model's own field for it */
    const char *contact_name;
    double tangential_stiffness; /* 0: none */
} am_forced;

/* Refuses what lets the contact separate and what has no bounded response, by field. */
am_system *am_forced_create(const am_forced *forced, am_error *err);

#endif
