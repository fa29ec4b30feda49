/* A rough motion in time of any structure that harmonic balance knows, where no exact engine follows it: fixed steps of
 * Runge and Kutta's method; springs behind sliders are brought back to their limits once a step, rigid friction is
 * smoothed. Good for guesses only. */
#ifndef AMONTONS_ANALYSES_RESPONSE_ROUGH_H
#define AMONTONS_ANALYSES_RESPONSE_ROUGH_H
#include "amontons/system.h"

typedef struct am_rough am_rough;

/* `samples` values of a motion of that period are wanted. Rigid friction is smoothed below a hundredth of `speed`.
 * AM_ERR_UNSUPPORTED for directions without mass, and structures too stiff for a moderate number of steps. The system
 * is borrowed. */
am_rough *am_rough_create(const am_system *system, double period, size_t samples, double speed, am_error *err);
void am_rough_free(am_rough *rough);

/* State: q, q' and one stretch per contact. */
size_t am_rough_dimension(const am_rough *rough);

/* One period from t = 0 on. q of coordinate i at sample k goes to out[i stride + k]; out may be NULL. AM_ERR_LIMIT when
 * the motion grows beyond all bounds. */
am_status am_rough_period(am_rough *rough, double *state, double *out, size_t stride, am_error *err);

#endif
