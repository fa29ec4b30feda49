/* Eigenvalues of the reduced equations of small disturbances. */
#ifndef AMONTONS_ANALYSES_STABILITY_SPECTRUM_H
#define AMONTONS_ANALYSES_STABILITY_SPECTRUM_H
#include "amontons/stability.h"
#include "analyses/stability/linearised.h"

/* Fills eigenvalues, uncertainties, shapes and residual; the rest of the spectrum is left as it is. M must have an
 * inverse. */
am_status am_spectrum_solve(const am_linearised *linearised, am_spectrum *spectrum, am_error *err);

#endif
