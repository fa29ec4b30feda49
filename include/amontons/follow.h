/* Following a periodic motion along a parameter, through changes of its switch sequence. See docs/follow.md.
 *
 * The orbit is closed by shooting at every step (am_orbit_close), so each point of the branch is exact and carries its
 * multipliers. Where the sequence of switches changes the orbit that grazes is solved for; where a multiplier leaves or
 * enters the unit circle the value is located by bisection. What was followed is kept, with the reason why it ends. */
#ifndef AMONTONS_FOLLOW_H
#define AMONTONS_FOLLOW_H
#include "amontons/model.h"
#include "amontons/orbit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_follow_options {
    size_t number;                 /* of the model: the parameter; its name is that of a column. Default 0, the first */
    double from, to;               /* its values; required, different */
    double step;                   /* first and largest step; 0: a fiftieth of the way */
    double smallest_step;          /* the branch ends where smaller steps would be needed; 0: a millionth of the way */
    bool through_folds;            /* turn back at folds and follow the other side, back to `from`; default false */
    const am_orbit_options *first; /* how to find the orbit at `from`; NULL: defaults */
    int cookie;
} am_follow_options;

AM_API am_follow_options am_follow_options_default(void);

/* Tables `branch` (parameter, period, multiplier, multiplier_re, multiplier_im, stable, switches, dissipation, closing,
 * sequence) and `bifurcations` (parameter, kind, contact, what). Kinds: grazing-sliding   a sliding velocity touches
 * zero: a phase of stick appears or disappears adding-sliding    a friction limit is touched: a phase of slip appears
 * or disappears within stick crossing-sliding  a phase of stick between two directions of slip appears or disappears
 *   grazing-lift-off  a normal force touches zero; grazing-impact: a gap touches zero
 *   fold, flip, Neimark-Sacker   a multiplier leaves or enters the unit circle at +1, -1, elsewhere
 *   switching         any other change of the sequence
 *   end               no orbit was found further on
 * Summary `points`, `bifurcations`, `turns` (folds passed), `followed_to` (the last value), `end` (why the branch ends:
 * "left the range", or a sentence), `worst_closing`, `first_bifurcation`, `first_kind`. */
AM_API am_status am_follow_run(am_model *model, const am_follow_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
