/* Analysis `states`: which contact states are admissible for which load rates. See docs/states.md.
 *
 * The rates of two loads span a plane. Each combination of contact states is admissible in a sector of it (all its
 * inequalities are linear in the rates), so the answer is exact: sectors bounded by angles. */
#ifndef AMONTONS_STATES_H
#define AMONTONS_STATES_H
#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_states_problem {
    AM_STATES_QUASISTATIC, /* equilibrium: K u' = F' + contact force rates (Fig. 2) */
    AM_STATES_DYNAMIC      /* the first instant of a motion from rest: M u''' = F' + contact force rates (Fig. 3) */
} am_states_problem;

/* What is known of a contact before the rates act. */
typedef enum am_standing {
    AM_STANDING_ORIGIN,   /* gap and forces all zero: every state possible */
    AM_STANDING_STICK,    /* inside the friction cone: stays stuck */
    AM_STANDING_FORWARD,  /* N > 0 and T = -mu N: stick or forward slip */
    AM_STANDING_BACKWARD, /* N > 0 and T = +mu N: stick or backward slip */
    AM_STANDING_OPEN      /* gap > 0: stays open */
} am_standing;

typedef struct am_states_options {
    am_states_problem problem;   /* default quasi-static */
    size_t loads[2];             /* which loads span the plane; default 0, 1 */
    const am_standing *standing; /* one per contact; NULL: origin for all */
    const double *rates;         /* two load rates to classify; NULL: none */
    int cookie;
} am_states_options;

am_states_options am_states_options_default(void);

/* Tables `regions` (state, from_deg, to_deg), `sectors` (from_deg, to_deg, states, count); summary `unique`,
 * `complete`, `most_states`, `fewest_states`, `f_critical` (one contact), `admissible` (for `rates`). */
am_status am_states_run(const am_system *system, const am_states_options *options, am_result *result,
                        const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
