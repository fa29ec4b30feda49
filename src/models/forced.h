/* What the models oscillator and griffin share: one damped mass under a sine, and a contact held by a sine.
 *
 *     v'' + 2 d v' + v = sin(Omega t) + T,     N = beta (1 + eta sin(Omega t + delta)),     friction 1 */
#ifndef AMONTONS_MODELS_FORCED_H
#define AMONTONS_MODELS_FORCED_H
#include "models/kind.h"

typedef struct am_forced {
    double beta, eta, delta_deg, Omega;
    double damping;           /* d */
    const char *damping_name; /* the model's own field for it */
    const char *contact_name;
    double tangential_stiffness; /* 0: none */
} am_forced;

/* The rows beta, Omega, eta, delta_deg of the struct `record`; the last argument: what Omega is when left out, or that it
 * is required. */
#define AM_FORCED_FIELDS(record, ...)                                                                                  \
    AM_FIELD("beta", NUMBER, record, beta, AM_POSITIVE, .required = true,                                              \
             .about = "f N0/Q1: friction limit over the amplitude of the load", .example = "0.6"),                     \
        AM_FIELD("Omega", NUMBER, record, Omega, AM_POSITIVE, __VA_ARGS__,                                             \
                 .about = "omega_d/omega_n: frequency of the load over the natural one", .example = "0.3"),            \
        AM_FIELD("eta", NUMBER, record, eta, AM_NOT_NEGATIVE, .initial = "0",                                          \
                 .about = "N1/N0: amplitude of the normal load over its mean, below 1"),                               \
        AM_FIELD("delta_deg", NUMBER, record, delta_deg, .initial = "0", .unit = "degrees",                            \
                 .about = "phase of the normal load against the tangential one")

/* Refuses what lets the contact separate and what has no bounded response, by field. The model's rows were checked. */
am_system *am_forced_create(const am_forced *forced, am_error *err);

/* The summary of an orbit in the units of the thesis: v_max the largest |v| in Q1/k, vdot_max in omega_d Q1/k,
 * dissipation_ratio the dissipation a cycle (an energy, in Q1^2/k) in f N0 Q1/k; and the loss factor of Fig. 7.17,
 * dissipation/(k v_a^2/2). What is not there is left alone. */
am_status am_forced_report(double beta, double Omega, am_result *result, am_error *err);

#endif
