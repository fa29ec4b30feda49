/* The exact motion next to a balanced one. */
#ifndef AMONTONS_ANALYSIS_RESPONSE_EXACT_H
#define AMONTONS_ANALYSIS_RESPONSE_EXACT_H
#include "amontons/orbit.h"
#include "analysis/balance/balance.h"

/* Close the exact periodic motion from the balanced one at (x, p). `first` (n): the amplitudes of its first harmonic.
 * AM_ERR_LIMIT when there is none near, AM_ERR_UNSUPPORTED where no exact engine exists (compliant or regularised
 * contacts, polynomial springs together with contacts, self-excited motions with contacts). am_orbit_clear. */
am_status am_response_close(const am_family *family, am_balance *balance, bool self_excited, const double *x, double p,
                            am_orbit *orbit, double *first, am_error *err);

#endif
