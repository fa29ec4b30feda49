/* Analysis `march`: dynamics by time stepping, for structures whose contacts are compliant (Kelvin-Voigt,
 * Hunt-Crossley) or held, with every law of friction; or rigid, many of them (Moreau and Jean). See docs/march.md.
 *
 * Between switches the motion is smooth and integrated implicitly with an adaptive step; switches (lift-off, closing,
 * stop, slip) are isolated in the integrator's own polynomial, and after each of them the state of every contact is
 * decided anew. */
#ifndef AMONTONS_MARCH_H
#define AMONTONS_MARCH_H
#include <stdbool.h>
#include <stddef.h>

#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_march_method {
    AM_MARCH_ADAPTIVE,   /* CVODE between switches, switches located */
    AM_MARCH_NEWMARK,    /* average acceleration (gamma 1/2, beta 1/4) with a fixed step */
    AM_MARCH_MOREAU_JEAN /* rigid (unilateral) contacts: impulses per fixed step */
} am_march_method;

typedef enum am_march_check {
    AM_MARCH_CHECK_SHORT, /* if the run took at most 100,000 steps */
    AM_MARCH_CHECK_NO,
    AM_MARCH_CHECK_YES
} am_march_check;

typedef struct am_march_options {
    double from;                /* start time; default 0 */
    double until;               /* end time, > from; required */
    const double *displacement; /* n; NULL: zero */
    const double *velocity;     /* n; NULL: zero */
    bool equilibrium;           /* start from steady sliding instead; the two above must be NULL */
    bool rest;                  /* start at rest under the loads of `from` instead; likewise */
    bool preloaded;             /* start at rest under the constant loads, which were put on slowly; likewise */
    const double *disturbance;  /* n: added to the displacement at the start; NULL: none */
    am_march_method method;
    double tolerance; /* adaptive: error of a step relative to the size of the motion; default 1e-8 */
    double step;      /* fixed step; required by the other methods */
    am_march_check check;
    size_t samples;     /* rows of the table `samples`, evenly spaced in time; default 1001; 0: none */
    double record_from; /* tables begin here; default: at the start */
    size_t max_events;  /* default 1000000 */
    size_t max_steps;   /* default 100000000 */
    int cookie;
} am_march_options;

AM_API am_march_options am_march_options_default(void);

/* Does this library know the method? (The adaptive one needs SUNDIALS.) */
AM_API bool am_march_available(am_march_method method);

/* Run and fill `result`: tables `events`, `samples`, `spectrum`; summary `lift_offs`, `first_lift_off`, `impacts`,
 * `sticks`, `slips`, `N_min`, `N_max`, `limit_cycle`, `period`, `amplitude`, `growth_rate`, energies and
 * `energy_residual`, `error_estimate`, `steps`, `tolerance`. */
AM_API am_status am_march_run(const am_system *system, const am_march_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
