/* Analysis `states`: which contact states are admissible for which load rates. See docs/states.md.
 *
 * The rates of two loads span a plane. Each combination of contact states is admissible in a sector of it (all its
 * inequalities are linear in the rates), so the answer is exact: sectors bounded by angles. With many contacts and
 * loads the question is whether the states follow from the rates at all: am_uniqueness_test. */
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

typedef enum am_states_question {
    AM_STATES_AS_FITS,    /* sectors with one contact, two loads, or any option of the plane; else uniqueness */
    AM_STATES_SECTORS,    /* which states are admissible where in the plane of two load rates */
    AM_STATES_UNIQUENESS, /* is the rate problem of closed contacts unique for all load rates (Condition 3.1) */
    AM_STATES_SLIDING     /* can rigid contacts that slide stay closed: solutions of a = A N + b (docs/stability.md) */
} am_states_question;

/* What is known of a contact before the rates act. */
typedef enum am_standing {
    AM_STANDING_ORIGIN,   /* gap and forces all zero: every state possible */
    AM_STANDING_STICK,    /* inside the friction cone: stays stuck */
    AM_STANDING_FORWARD,  /* N > 0 and T = -mu N: stick or forward slip */
    AM_STANDING_BACKWARD, /* N > 0 and T = +mu N: stick or backward slip */
    AM_STANDING_OPEN      /* gap > 0: stays open */
} am_standing;

typedef struct am_states_options {
    am_states_question question;           /* default: as fits */
    am_states_problem problem;             /* default quasi-static */
    size_t loads[2];                       /* which loads span the plane; default 0, 1 */
    const am_standing *standing;           /* one per contact; NULL: origin for all */
    const double *rates;                   /* two load rates to classify; NULL: none */
    size_t budget;                         /* of the uniqueness test: minors to look at; 0: default (about a second) */
    const double *displacement, *velocity; /* sliding: where the contacts are looked at (n each); NULL: zero */
    int cookie;
} am_states_options;

AM_API am_states_options am_states_options_default(void);

/* Tables `regions` (state, from_deg, to_deg), `sectors` (from_deg, to_deg, states, count); summary `unique`,
 * `complete`, `most_states`, `fewest_states`, `f_critical` (one contact), `admissible` (for `rates`).
 *
 * Uniqueness: summary `unique` (none when undecided), `uniqueness` (unique, not unique, undecided), `witness` ("1+
 * 2-"), `minor`, `minors`, `margin`, `unique_when_open` (up to 8 contacts), `friction_factor_critical`, `mu_critical`
 * (or `mu_unique_below` and `mu_lost_above`), `alpha1`.. and `beta1`.. (two contacts); table `two_answers` (contact,
 * sign, rate, slip1, slip2) when not unique.
 *
 * Sliding: table `solutions` (solution, contact, state, N, a, boundary_layer, damping), summary `solutions` (none when
 * infinitely many or not enumerated), `answer` (none, one, two, several, infinitely many), `painleve`,
 * `unique_for_all`, `exhaustive`; with one contact also `contact_A`, `contact_b`, `conditions`, `no_contact`,
 * `contact_N`, `contact_boundary_layer`; `lcp_residual`. */
AM_API am_status am_states_run(const am_system *system, const am_states_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
