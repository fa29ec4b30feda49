/* From a one-harmonic motion to more harmonics and to the exact orbit: Newton's method on harmonic balance with 1, 3,
 * .. harmonics, each started from the one before, then shooting. */
#ifndef AMONTONS_PAPERS_ATLAS_ATLAS_EXACT_H
#define AMONTONS_PAPERS_ATLAS_ATLAS_EXACT_H
#include "analyses/orbit/verdict.h"
#include "system/model.h"

typedef struct am_exact am_exact; /* of one thread */

typedef struct am_atlas_exact {
    bool tried;
    size_t harmonics; /* the most with which balance has the motion; 1: not even three */
    bool exists;      /* as an exact orbit that still looks like it */
    am_verdict verdict;
    double multiplier, omega, energy, closing;
    double phase_change, amplitude_change; /* of the sites' first harmonics, the largest: radians, relative */
} am_atlas_exact;

/* In two steps, since a model has one system at a time: first balances at `at`, then the engine of `system`
 * (borrowed).
 */
am_exact *am_exact_create(const am_model_line *line, double at, double span, size_t n, size_t harmonics, am_error *err);
am_status am_exact_engage(am_exact *exact, const am_system *system, am_error *err);
void am_exact_free(am_exact *exact);

/* w: n x 2, x_n = Re(w_n exp(i omega t)). */
am_status am_exact_find(am_exact *exact, const double *w, double omega, am_atlas_exact *found, am_error *err);

#endif
