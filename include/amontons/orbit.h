/* Analysis `orbit`: a periodic motion made exact by shooting, with its Floquet multipliers. See docs/orbit.md.
 *
 * Forced orbits repeat with the loads (period T or a multiple, Poincare section: time = start + k T). Self-excited
 * orbits have a period of their own (section: one chosen switch of one contact). Newton's method on the return map uses
 * the exact sensitivities of `motion` (saltation at every switch), so orbits close to rounding and multipliers are
 * exact. Where no contact switches, self-excited orbits return to the maxima of one coordinate. */
#ifndef AMONTONS_ORBIT_H
#define AMONTONS_ORBIT_H
#include "amontons/model.h"
#include "amontons/motion.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_orbit {
    double period;
    size_t returns;   /* forced: load periods per orbit; self-excited: returns to the section per orbit */
    double start;     /* time (phase of the loads) of the section; self-excited: when loads no longer change, else 0 */
    size_t dimension; /* of the state: am_motion_dimension */
    double *state;    /* dimension: on the section, just after the event there */
    am_contact_state *contact; /* m: states of contact there */
    size_t switches;           /* changes of state in one period */
    char *sequence;       /* states of contact one after the other: "forward,stick forward,forward ..." (text, owned) */
    double *switch_times; /* switches: after the section */
    double *multiplier_re, *multiplier_im; /* dimension: Floquet multipliers by decreasing modulus, the trivial one
                                              (self-excited) left out and replaced by 0 at the end */
    double trivial;                        /* self-excited: the multiplier that must be 1; NAN when forced */
    double multiplier;                     /* largest modulus */
    double uncertainty;                    /* of it: by so much rounding and the closing error may have moved it */
    bool stable;                           /* largest modulus < 1 (without contacts: by more than the uncertainty) */
    double closing;                        /* |state after one period - state|, relative to the state's size */
    double carried;                        /* how much a rounding at its beginning may grow on the way around, at most
                                              (1 where forces are linear) */
    bool strayed;                          /* Newton's corrections grew on the way from the guess */
    size_t family;                         /* dimension of the family of equal motions it belongs to (positions in
                                              which a contact may stick for good); their multipliers, 1, are left out
                                              like the trivial one */
    double dissipation; /* energy lost to friction in one period; zero where nothing slips; NAN without energy */
    double loss_damping, loss_impact; /* the same of dampers and impacts */
    size_t stops;       /* phases in which all contacts stick, per period; one that never ends does not count */
    bool shakedown;     /* every contact that touches sticks for good */
    bool indeterminate; /* contacts share their forces in a way that the motion does not tell */
} am_orbit;

typedef enum am_orbit_section {
    AM_SECTION_AUTO,
    AM_SECTION_PERIOD,
    AM_SECTION_SWITCH,
    AM_SECTION_FREE,   /* am_orbit_close: none, the period is an unknown and `period` a guess of it (self-excited) */
    AM_SECTION_MAXIMUM /* of one coordinate: self-excited motions in which no contact switches */
} am_orbit_section;

/* Where a motion returns to. */
typedef struct am_orbit_return {
    am_orbit_section section; /* not AUTO */
    double period;            /* PERIOD: of the loads; FREE: a guess */
    double start;
    size_t contact; /* SWITCH */
    am_contact_state from, to;
    size_t coordinate; /* MAXIMUM */
    size_t returns;    /* per orbit */
    /* am_orbit_close, PERIOD and FREE: Newton's method works on the state of the guess itself, instead of one that the
     * motion from there has far from all switches. */
    bool from_guess;
} am_orbit_return;

typedef struct am_orbit_options {
    const double *displacement, *velocity; /* n; start of the transient; NULL: zero */
    double from;                           /* start time; default 0 */
    am_orbit_section section;              /* default: period if all loads repeat, switch otherwise */
    double period;       /* of the loads; 0: found from the loads (common period of sines and tables) */
    size_t transient;    /* returns before the first attempt, unless they repeat at once; default 20. 0 in am_orbit_run
                          * and am_follow_run: the start is a guess that is closed at once, be the motion stable or
                          * not */
    size_t most_returns; /* give up after so many returns of the transient; default 100000 */
    size_t most_period;  /* longest orbit looked for, in returns; default 64 */
    bool judge;     /* ask after 1000 returns, and later, whether the motion is aperiodic, by its Lyapunov exponent, and
                       end there if it is shown twice; default true */
    size_t samples; /* rows of `samples` over one period; default 1001 */
    /* am_orbit_find: called at every return of the transient with the state on the section; true ends the search
     * (AM_ORBIT_STOPPED). NULL: not called. */
    bool (*at_return)(void *context, const am_orbit_return *how, const double *state, size_t returns);
    /* am_orbit_find: asked before an orbit is closed: is one that attracts known near the state on the section? true:
     * *orbit is filled (am_orbit_clear; its period, returns, state, contact, multiplier and stable are needed), its
     * state being the one nearest to the motion's. The motion must come to it as to one that it closes itself. NULL:
     * none is known. */
    bool (*known)(void *context, const am_orbit_return *how, const double *state, am_orbit *orbit);
    void *context;
    int cookie;
} am_orbit_options;

AM_API am_orbit_options am_orbit_options_default(void);

/* Common period of all repeating loads and held forces; 0 if there is none (no repeating load), NAN if they are
 * incommensurate. */
AM_API double am_orbit_load_period(const am_system *system);

/* Close an orbit from a guess: state on the section (SWITCH: just after it). The engine is one of the caller's; it is
 * told to follow sensitivities. AM_ERR_LIMIT when Newton does not converge or the motion does not return. On success
 * *orbit is filled (am_orbit_clear), its state again on the section. */
AM_API am_status am_orbit_close(am_motion *engine, const am_orbit_return *how, const double *guess, am_orbit *orbit,
                                am_error *err);
AM_API void am_orbit_clear(am_orbit *orbit);

/* Where one start leads to in the long run. */
typedef enum am_orbit_outcome {
    AM_ORBIT_PERIODIC,  /* an orbit that attracts, closed */
    AM_ORBIT_FINAL,     /* no contact changes its state any more, proved (not for forced motion) */
    AM_ORBIT_DIVERGENT, /* the state grows without end */
    AM_ORBIT_UNDECIDED, /* nothing repeated within the limits */
    AM_ORBIT_STOPPED,   /* options.at_return said so */
    AM_ORBIT_APERIODIC  /* nothing repeats: neighbours part, or do neither (options.judge) */
} am_orbit_outcome;

typedef struct am_orbit_search {
    am_orbit_outcome outcome;
    am_orbit_return how; /* the section in use; returns: of the orbit */
    size_t returns;      /* of the transient, until the orbit was closed */
    double time;         /* of the transient */
    bool known;          /* PERIODIC: the orbit is the one that options->known gave last */
    char sentence[256];  /* why there is no orbit */
} am_orbit_search;

/* Follow the transient until its returns repeat, and close the orbit it approaches. Reusable engine, no allocation that
 * stays; *orbit is filled for AM_ORBIT_PERIODIC only. Errors are input, memory and interruption; a motion that cannot
 * go on (no or several states) returns the engine's error. */
AM_API am_status am_orbit_find(am_motion *engine, const am_orbit_options *options, am_orbit *orbit,
                               am_orbit_search *search, const am_progress *progress, am_error *err);

/* How an orbit changes with numbers of its model; NULL: nobody asks. Values are those of one period. */
typedef struct am_orbit_slopes {
    double *period;                        /* count */
    double *least, *largest;               /* n: of the coordinates, the values themselves */
    double *least_slopes, *largest_slopes; /* n x count, row-major */
    double *switch_slopes; /* switches x count: of the times of switches, after the section (self-excited) or in the
                              course of the loads */
} am_orbit_slopes;

/* Derivatives with respect to `count` numbers of the model whose system the engine has, exact as those of
 * am_motion_follow_numbers, which says what model and structure must be. `how` is that of the search that found the
 * orbit. AM_ERR_UNSUPPORTED where they are not determined: the orbit belongs to a family. */
AM_API am_status am_orbit_gradient(am_motion *engine, const am_orbit *orbit, const am_orbit_return *how,
                                   am_model *model, const size_t *numbers, size_t count, const am_orbit_slopes *slopes,
                                   am_error *err);

/* Transient, closing, and description: table `orbits` (orbit, period, sequence, multiplier, stable, share,
 * dissipation), `switches`, `multipliers`, `samples` (one period); summary `period`, `returns`, `stable`, `multiplier`,
 * `closing_error`, `dissipation`, `loss_friction` (the same), `loss_damping`, `loss_impact`, `stops`, `switches`,
 * `indeterminate_forces`, `transient_returns`, per coordinate <name>_max, <name>_min, <name>_amplitude (half the
 * range), and <name>dot_max (largest |velocity|). For the models oscillator and griffin (coordinate v): v_max is the
 * largest |v|. */
AM_API am_status am_orbit_run(const am_system *system, const am_orbit_options *options, am_result *result,
                              const am_progress *progress, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Following a periodic motion along a parameter, through changes of its switch sequence. See docs/follow.md.
 *
 * The orbit is closed by shooting at every step (am_orbit_close), so each point of the branch is exact and carries its
 * multipliers. Where the sequence of switches changes the orbit that grazes is solved for; where a multiplier leaves or
 * enters the unit circle the value is located by bisection. What was followed is kept, with the reason why it ends. */

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
