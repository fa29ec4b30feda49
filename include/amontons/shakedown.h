/* Analysis `shakedown`: does slip stop under a periodic load, and up to which size of the load can it? Melan's theorem
 * for friction, by linear programming. See docs/shakedown.md.
 *
 * Is there a constant slip v, all contacts closed, with |T_c(t)| <= mu_c N_c(t) for every contact and all times of the
 * period, T = q^w(t) + A v, N = p^w(t) + B v? And up to which factor on the varying part of the loads? */
#ifndef AMONTONS_SHAKEDOWN_H
#define AMONTONS_SHAKEDOWN_H
#include <stdbool.h>

#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What of a scaled load the factor multiplies. */
typedef enum am_shakedown_about {
    AM_ABOUT_MEAN, /* its distance from its mean over the period: f = mean + factor (f - mean) */
    AM_ABOUT_ZERO  /* all of it */
} am_shakedown_about;

typedef struct am_shakedown_options {
    /* Which loads and which held normal forces are scaled; the others stay as they are. NULL for both: all that vary.
     */
    const size_t *scale;
    size_t scale_count;
    const size_t *scale_held; /* contacts */
    size_t scale_held_count;
    am_shakedown_about about; /* default mean */
    double period;            /* 0 (default): the loads' own */
    size_t samples;           /* rows of the table `samples`; default 201 */
    int cookie;
} am_shakedown_options;

AM_API am_shakedown_options am_shakedown_options_default(void);

/* Was the library built with CLP? Without it am_shakedown_run refuses. */
AM_API bool am_shakedown_available(void);

/* Tables `active` (constraint, contact, time, multiplier), `extremes` (constraint, contact, time, extreme, slack),
 * `samples` (t, N.., T.., use..); summary `shakedown_limit`, `shakes_down`, `bounded`, `coupled`, `least_factor`,
 * `period`, `v1`, ..., `primal_residual`, `dual_residual`, `duality_gap`, `extreme_error`. */
AM_API am_status am_shakedown_run(const am_system *system, const am_shakedown_options *options, am_result *result,
                                  const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
