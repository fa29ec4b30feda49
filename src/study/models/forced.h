/* What the models oscillator and griffin share in a study. */
#ifndef AMONTONS_STUDY_MODELS_FORCED_H
#define AMONTONS_STUDY_MODELS_FORCED_H
#include "study/models.h"

/* The fields beta, Omega, eta, delta_deg of the struct `record`; `frequency`: what Omega is when left out, or that it
 * is required. */
#define AM_FORCED_FIELDS(record, frequency)                                                                            \
    {.name = "beta",                                                                                                   \
     .type = AM_FIELD_NUMBER,                                                                                          \
     .offset = offsetof(record, beta),                                                                                 \
     .required = true,                                                                                                 \
     .range = AM_RANGE_POSITIVE,                                                                                       \
     .about = "f N0/Q1: friction limit over the amplitude of the load",                                                \
     .example = "0.6"},                                                                                                \
        {.name = "Omega",                                                                                              \
         .type = AM_FIELD_NUMBER,                                                                                      \
         .offset = offsetof(record, Omega),                                                                            \
         frequency,                                                                                                    \
         .range = AM_RANGE_POSITIVE,                                                                                   \
         .about = "omega_d/omega_n: frequency of the load over the natural one",                                       \
         .example = "0.3"},                                                                                            \
        {.name = "eta",                                                                                                \
         .type = AM_FIELD_NUMBER,                                                                                      \
         .offset = offsetof(record, eta),                                                                              \
         .range = AM_RANGE_NOT_NEGATIVE,                                                                               \
         .initial = "0",                                                                                               \
         .about = "N1/N0: amplitude of the normal load over its mean, below 1"},                                       \
    {                                                                                                                  \
        .name = "delta_deg", .type = AM_FIELD_NUMBER, .offset = offsetof(record, delta_deg), .initial = "0",           \
        .unit = "degrees", .about = "phase of the normal load against the tangential one"                              \
    }

/* The summary of an orbit in the units of the thesis: v_max the largest |v| in Q1/k, vdot_max in omega_d Q1/k,
 * dissipation_ratio the dissipation a cycle (an energy, in Q1^2/k) in f N0 Q1/k; and the loss factor of Fig. 7.17,
 * dissipation/(k v_a^2/2). What is not there is left alone.
 */
am_status am_forced_report(double beta, double Omega, am_result *result, am_error *err);

#endif
