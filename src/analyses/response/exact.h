/* The exact motion next to a balanced one: closed by shooting, with its multipliers, and the first harmonic it really
 * has. The switching engine follows it. */
#ifndef AMONTONS_ANALYSES_RESPONSE_EXACT_H
#define AMONTONS_ANALYSES_RESPONSE_EXACT_H
#include "amontons/orbit.h"
#include "analyses/motion.h"
#include "engines/balance/balance.h"

/* Means and harmonics up to H of the coordinates over an orbit that is at its state at the time `start` (signals: n x (2
 * H + 1)), those of the contacts' friction against the slip (m x (2 H + 1), or NULL), and their largest |q| (n, or
 * NULL). */
am_status am_timed_harmonics(am_motion *engine, double start, const am_orbit *orbit, size_t H, double *signals,
                             double *friction, double *largest, am_error *err);

typedef struct am_closer am_closer; /* owns its engines; one per thread */

am_closer *am_closer_create(const am_model_line *line, am_balance *balance, bool self_excited, am_error *err);

/* The same for a structure that moves in `count` shapes of the balanced one (rows, x.M x = 1 and orthogonal to each
 * other): the line is that of its model, whose coordinates are their amplitudes. */
am_closer *am_closer_create_projected(const am_model_line *line, am_balance *balance, bool self_excited,
                                      const am_matrix *mass, const double *shapes, size_t count, am_error *err);
void am_closer_free(am_closer *closer);

/* The engine's own until its next use. */
typedef struct am_closed_motion {
    double period;
    size_t count;          /* number of multipliers, sorted by decreasing modulus, without the trivial ones */
    const double *re, *im; /* count: real and imaginary parts of the multipliers */
    double doubt;          /* rounding and the closing error may have moved them by so much */
    int index; /* (-1)^(multipliers above 1) among motions with the harmonics of the balance; 0: not known */
    size_t switches;
    const double *first; /* n: amplitudes of the first harmonic, where they are asked for */
} am_closed_motion;

/* Close the exact periodic motion from the balanced one at (x, p); `measure`: its first harmonic, too. AM_ERR_LIMIT
 * when there is none near, AM_ERR_UNSUPPORTED where the structure cannot move (no mass): each with a sentence. */
am_status am_closer_close(am_closer *closer, const double *x, double p, bool measure, am_closed_motion *motion,
                          am_error *err);

/* About how many instructions it takes to close a motion of this frequency. */
am_status am_closer_cost(am_closer *closer, double omega, double p, double *instructions, am_error *err);

#endif
