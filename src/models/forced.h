/* What the models oscillator and griffin share: one damped mass under a sine, and a contact held by a sine.
 *
 *     v'' + 2 d v' + v = sin(Omega t) + T,     N = beta (1 + eta sin(Omega t + delta)),     friction 1 */
#ifndef AMONTONS_MODELS_FORCED_H
#define AMONTONS_MODELS_FORCED_H
#include "models/kind.h"

typedef struct am_forced {
    double beta, eta, delta_deg, Omega;
    double damping;           /* d */
    const char *damping_name; /* what the model calls the damping */
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

/* What an orbit, or a path that repeats, was seen to be, in the units of the thesis. */
typedef struct am_forced_cycle {
    double beta, Omega; /* of the model */
    bool seen, extremes;
    double v_max, vdot_max; /* the largest |v|, in Q1/k, and |v'|, in omega_d Q1/k */
    double v_amplitude;
    double dissipation; /* an energy, in Q1^2/k */
} am_forced_cycle;

/* For am_observer: the context begins with an am_forced_cycle. */
am_status am_forced_see_period(void *cycle, const am_period *period, am_error *err);

/* Summary `v_max`, `vdot_max`, `dissipation_ratio` (in f N0 Q1/k) and the loss factor of Fig. 7.17, dissipation/(k
 * v_a^2/2), of what was seen. */
am_status am_forced_report(const am_forced_cycle *cycle, am_result *result, am_error *err);

/* The system of a definition, and the kind's watch, for the public `function`. */
am_system *am_forced_create_watched(const am_model_kind *kind, const void *definition, am_model_watch *watch,
                                    const char *function, am_error *err);

#endif
