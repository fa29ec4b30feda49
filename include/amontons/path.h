/* Analysis `path`: quasi-static evolution, exact corner to corner for piecewise-linear loads, with jumps. See
 * docs/path.md. */
#ifndef AMONTONS_PATH_H
#define AMONTONS_PATH_H
#include <stdbool.h>

#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to do where no continuous continuation exists. */
typedef enum am_on_jump {
    AM_JUMP_STOP,    /* say so and fail */
    AM_JUMP_RELEASE, /* the contact at its limit lets go: jump to the equilibrium without it (Appendix B) */
    AM_JUMP_DYNAMICS /* the structure moves, with its own mass and damping or overdamped, until it rests */
} am_on_jump;

typedef enum am_path_method {
    AM_PATH_EXACT,      /* corner to corner */
    AM_PATH_INCREMENTAL /* one complementarity problem per load step: for many contacts */
} am_path_method;

typedef struct am_path_options {
    double from;                   /* default 0 */
    double until;                  /* required, unless cycles are asked for */
    const double *displacement;    /* n; where the contacts stand at `from`; NULL: zero */
    const double *position;        /* m; or: tangential positions of contacts that are all closed and stuck; NULL */
    const am_contact_state *start; /* m; chooses among several admissible first states; NULL: there must be just one */
    am_on_jump on_jump;            /* default stop */
    size_t samples;                /* rows of the table `samples`; default 201; corners and jumps are always in it */
    /* Cycles of a periodic load */
    size_t cycles;      /* run so many; 0: none, or until they repeat */
    bool until_repeat;  /* run until the cycles repeat, or `most_cycles` */
    size_t most_cycles; /* default 10000 */
    size_t most_period; /* longest repetition looked for, in cycles; default 64 */
    /* Many contacts */
    am_path_method method; /* default exact */
    size_t steps;          /* incremental: load steps over the run, or per cycle; default 200 */
    int cookie;
} am_path_options;

AM_API am_path_options am_path_options_default(void);

/* Tables `corners` (t, state, cause, q.., N.., T..), `samples`; summary `corners`, `jumps`, `first_jump`,
 * `final_state`, `equilibrium_residual`, `complementarity_residual`, `loss_friction`, `work_loads`, `energy_residual`,
 * `unchecked_decisions`.
 *
 * With cycles also tables `cycle` (the last period, corners and samples), `contacts` (contact, slip and dissipation in
 * a period, remembers), `multipliers`; summary `repeats`, `period`, `period_cycles`, `cycles_to_repeat`, `dissipation`
 * (in a period), `shakedown`, `memory`, `multiplier`, `stable`, `closing_error`, `exponent_per_cycle`. */
AM_API am_status am_path_run(const am_system *system, const am_path_options *options, am_result *result,
                             const am_progress *progress, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Analysis `shakedown`: does slip stop under a periodic load, and up to which size of the load can it? Melan's theorem
 * for friction, by linear programming. See docs/shakedown.md.
 *
 * Is there a constant slip v, all contacts closed, with |T_c(t)| <= mu_c N_c(t) for every contact and all times of the
 * period, T = q^w(t) + A v, N = p^w(t) + B v? And up to which factor on the varying part of the loads? */

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
