/* The quasi-static oscillator is a play operator: the mass rests unless one of two sines pushes it.
 *
 *     lower(theta) = R_f sin(theta - a_f) - beta  <=  v  <=  upper(theta) = R_b sin(theta + a_b) + beta
 *
 * Forward slip follows the lower one while it rises, backward slip the upper one while it falls (Papangelo 2017, eqs.
 * B.1-B.9, with theta = omega_d t and displacements in Q1/k). */
#ifndef AMONTONS_MODELS_PLAY_H
#define AMONTONS_MODELS_PLAY_H
#include "amontons/models.h"

typedef struct am_play {
    double beta, R_f, R_b, a_f, a_b; /* eqs. (B.3), (B.4), (B.7), (B.8) */
    double theta, v;                 /* now */
    am_contact_state state;          /* just after now */
} am_play;

/* At theta with the mass at v, or at the nearer limit if v is beyond it. */
am_play am_play_start(const am_oscillator *oscillator, double theta, double v);

/* Energy (in f N0 Q1/k) of slip with velocity R cos(theta + shift) against N = mean + eta sin(theta + delta), from
 * theta = `from` to `to`: the integral of N R cos(theta + shift). Eqs. (B.24) and (B.28). */
double am_play_energy(double R, double shift, double mean, double eta, double delta, double from, double to);

/* On to the next change of state, or to `end`; true if a change was reached (at most `end`). */
bool am_play_next(am_play *play, double end);

#endif
