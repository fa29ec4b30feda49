/* Slow modes of damped structures in which others are so fast that rounding of their size moves the slow ones. */
#ifndef AMONTONS_ANALYSES_STABILITY_SLOW_MODES_H
#define AMONTONS_ANALYSES_STABILITY_SLOW_MODES_H
#include "analyses/stability/linearised.h"
#include "math/eigen.h"

typedef struct am_slow_modes {
    am_eigen eigen;  /* all 2 k; of its vectors the first k entries count. Nothing: the structure has no such form */
    double sigma;    /* what lies near it is known best */
    double rounding; /* of 1/(lambda - sigma), of eigenvalues that are well separated */
} am_slow_modes;

/* Is a (k x k) symmetric, but for the rounding of terms as large as those on its diagonal? */
bool am_modes_symmetric(const double *a, size_t k);

/* Of M y'' + C y' + K y = 0. */
am_status am_slow_modes_init(am_slow_modes *slow, const am_linearised *linearised, am_error *err);
void am_slow_modes_clear(am_slow_modes *slow);

#endif
