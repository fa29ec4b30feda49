/* Analysis `response`: periodic motions by harmonic balance, followed along a parameter. See docs/response.md.
 *
 * Forced motions have the period of the loads (or a multiple); self-excited ones find their own. Forces of contacts and
 * springs are exact (no samples in time); the branch is followed by pseudo-arclength through folds and kinks, special
 * points are located, and every point carries its evidence. */
#ifndef AMONTONS_RESPONSE_H
#define AMONTONS_RESPONSE_H
#include <stdint.h>

#include "amontons/model.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_parity {
    AM_PARITY_AUTO, /* odd harmonics only where the structure and its loads have that symmetry */
    AM_PARITY_ALL,
    AM_PARITY_ODD
} am_parity;

typedef enum am_response_stability {
    AM_RESPONSE_STABILITY_AUTO,    /* floquet at as many points as verdicts need */
    AM_RESPONSE_STABILITY_HILL,    /* exponents of the balanced equations, withheld where they have not converged */
    AM_RESPONSE_STABILITY_FLOQUET, /* multipliers of the exact motion next to each point */
    AM_RESPONSE_STABILITY_NONE
} am_response_stability;

/* What one coordinate does at the start of a self-excited branch. */
typedef struct am_response_site {
    double amplitude; /* in units of the chosen cycle; 0: at rest; negative: opposite phase */
    double phase;     /* radians */
    bool small;       /* the smallest cycle the coordinate has alone, instead of the largest */
} am_response_site;

/* Forced motions on branches of their own: sought at some values of the parameter, from starts followed in time and
 * from guesses of Newton's method. See docs/response_isola.md. */
typedef struct am_response_isolas {
    size_t count; /* values of the parameter; 0 (default): not sought */
    const double
        *at; /* the values; NULL: spread evenly over the range, and besides where the branches known are largest */
    size_t starts;  /* in time at each value, rest among them; default 24 */
    size_t guesses; /* at each value; default 64 */
    double within;  /* starts and guesses are up to so many times as large as the branches known; default 3 */
    uint64_t seed;
} am_response_isolas;

/* Folds, or period doublings and Neimark-Sacker points, followed along a second number of the model, from the value it
 * has. */
typedef struct am_response_folds {
    size_t number;      /* SIZE_MAX (default): not followed */
    double from, to;    /* its range, its present value inside */
    size_t most_points; /* of one curve and side; default 2000 */
} am_response_folds;

/* Control, as measurements are made: a condition on one harmonic of a coordinate, and the number of the model that meets
 * it. Constant amplitude by the force, constant lag (phase resonance) by the frequency or, with several of them, exciters
 * that are appropriated to a mode. The number moves loads or their frequency along a straight line. */
typedef struct am_response_control {
    size_t coordinate;
    size_t harmonic;  /* of the motion: 1, ... */
    double amplitude; /* that it shall have; NAN: its lag is controlled */
    double lag;       /* radians by which it shall be behind the load */
    size_t load;      /* that one; SIZE_MAX: the only one that has this harmonic */
    size_t number;    /* of the model */
} am_response_control;

/* What contacts do in a period of some motions, in tables of their own: `contact_cycles`, one row a contact, and
 * `hysteresis`, the forces of these contacts over the period. */
typedef struct am_cycle_options {
    bool contact_cycles;
    size_t hysteresis_count;
    const char *const *hysteresis; /* names of contacts */
} am_cycle_options;

typedef struct am_response_options {
    size_t number;    /* of the model: the parameter; its name is that of a column. Default 0, the first; SIZE_MAX: none
                       * varies, from and to are equal */
    double from, to;  /* its range; required; equal: one motion, nothing is followed */
    double at;        /* where the branch starts; NAN: at `from` */
    size_t harmonics; /* highest harmonic; 0: as many as `tolerance` needs */
    double tolerance; /* truncation allowed; 0 (default): 1e-6 when harmonics are chosen, 0.5 when they are given */
    size_t most_harmonics; /* default 96 */
    am_parity parity;
    double omega;                  /* base frequency, when it is not the loads' own (subharmonics); 0: the loads' */
    size_t coordinate;             /* whose amplitude is meant; SIZE_MAX (default): the largest of all */
    size_t site_count;             /* n, or 0 */
    const am_response_site *sites; /* self-excited: the motion to start from */
    am_response_stability stability;
    bool branches;        /* follow the branches that leave at branch points, too */
    size_t most_branches; /* default 20 */
    size_t most_points;   /* of one branch; default 10000 */
    double largest_step;  /* of the parameter, about; 0: chosen */
    size_t value_count;
    const double *values; /* of the parameter, to be hit exactly */
    am_response_isolas isolas;
    am_response_folds fold_curves;
    am_response_folds bifurcation_curves; /* of the points at which motions lose stability; needs verdicts */
    size_t control_count;                 /* default 0: the loads are given */
    const am_response_control *controls;
    am_cycle_options cycles; /* at the peak, and at `values` */
    int cookie;
} am_response_options;

AM_API am_response_options am_response_options_default(void);

/* Tables
 *
 * - `branch`: branch, <parameter>, frequency, amplitude (first harmonic), largest (of |q|), U (half the sum of the
 * squares of all coordinates' largest displacements), stable, exponent (largest real part), multiplier and exact
 * (floquet: the first harmonic of the exact motion next to it), residual, kind, withheld (why there is no verdict),
 * then <coordinate>_1 (first-harmonic amplitude) and <coordinate>_phase_deg of every coordinate;
 *
 * - `special`: branch, kind (fold, branch-point, hopf, neimark-sacker, period-doubling, value, peak, end), <parameter>,
 * U, amplitude, frequency, located;
 *
 * - `shape`, at the peak: harmonic, then cosine and sine coefficient of every coordinate.
 *
 * Summary `peak`, `peak_at`, `peak_frequency`, `peak_largest`, `peak_exact`, `peak_error` (from the exact one),
 * `peak_known_to` (that, or the truncation there), `stability` (floquet, hill or none), `stability_withheld` (points
 * without a verdict), `stability_reason`,
 * `closed`, `folds`, `branch_points` (of the first branch), `points`, `branches`, `harmonics`, `odd`, `residual`,
 * `truncation` (the harmonics left out, at its worst), `truncation_at`, `end`, `reached`, `unlocated`. A branch that
 * cannot be followed to its end is kept, and `end` says where and why.
 *
 * With `controls`: in `branch` the numbers that meet them, under their names, and purity (how far all coordinates move
 * in phase or in opposite phase); in `special` extremum, where the first of them is least or greatest; summary
 * `control_error`, `control_least`, `control_least_at`, `control_most`, `control_most_at` (of the first of them). Stable
 * are motions that last under the same load without control.
 *
 * With `isolas` or `fold_curves`: summary `isolas` (further branches that close), `other_branches`, `isola_peak`. With
 * `isolas`: table `search`, a row for each value; summary `search_values`, `search_starts`, `search_lost`,
 * `search_guesses`, `subharmonics`, `search_unmatched`, `search_solutions`, `search_without_starts`.
 * With `fold_curves`: table `fold_curve` (curve, <parameter>, <second>, amplitude, kind, located, residual); summary
 * `fold_curves`, `isola_births`, `mergers`, `cusps`, `first_birth`, `first_merger`, `first_cusp`, `fold_curves_lost`,
 * `fold_lost`.
 * With `bifurcation_curves`: table `bifurcation_curve` (curve, <parameter>, <second>, period, multiplier_re,
 * multiplier_im, closing, located, bifurcation, kind, why); summary `bifurcation_curves`, `bifurcation_curves_lost`,
 * `bifurcation_lost`, `bifurcation_error` (largest distance of the multiplier from the unit circle). */
AM_API am_status am_response_run(am_model *model, const am_response_options *options, am_result *result,
                                 const am_progress *progress, am_error *err);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Analysis `design`: the peak of a frequency response as a curve over a number of the structure (the load of a damper,
 * its stiffness), the value that makes the highest peak least, and how far one may be off it. See docs/design.md.
 *
 * Peaks are continued directly: every point of a curve is the top of a resonance, located by the sign of the exact
 * derivative of the amplitude along the response curve, so that tops of slopes that jump (onset of slip) are found like
 * smooth ones. There is no grid of frequencies. */

typedef struct am_design_options {
    size_t number;                       /* of the model: the parameter; default 0, the first */
    double from, to;                     /* its values; required, different */
    size_t frequency;                    /* the number of the model that moves the loads' frequency and nothing else;
                                          * default 1. The names of both are those of columns */
    double frequency_from, frequency_to; /* its values; required, different */
    size_t harmonics;                    /* highest harmonic; 0: as many as `tolerance` needs */
    double tolerance;                    /* truncation allowed when harmonics are chosen; default 1e-6 */
    size_t most_harmonics;               /* default 96 */
    am_parity parity;
    size_t coordinate;   /* whose amplitude is meant; SIZE_MAX (default): the largest of all */
    double robust;       /* by how much the peak may exceed its least value in the robust range; default 0.1 */
    size_t checks;       /* values of the parameter at which whole response curves are searched for peaks, both ends
                          * included; default 9 */
    double largest_step; /* of the parameter; 0: a fortieth of the way */
    size_t most_points;  /* of one curve; default 2000 */
    am_model *against;   /* another structure with the same numbers, to compare with; NULL: none */
    int cookie;
} am_design_options;

AM_API am_design_options am_design_options_default(void);

/* Tables
 *   peaks     curve, <parameter>, <frequency>, peak (first harmonic), largest (of |q|), slope (d peak/d parameter),
 *             kind (smooth; kink: the amplitude's slope jumps there; end: at an end of the frequencies), top (1 where
 * no other curve is higher), condition, residual envelope  <parameter>, <frequency>, peak, curve: the highest peak,
 * crossings located optima    <parameter>, <frequency>, peak, kind (minimum, crossing: two peaks of equal height, kink,
 * end: of the range), least (1: the least of all) Summary `optimum` (the least highest peak), `optimum_at`,
 * `optimum_frequency`, `optimum_kind`, `optimum_inside`, `robust_from`, `robust_to`, `robust_open` (the range goes
 * beyond the one that was asked for), `peak_from`, `peak_to` (highest peak at both ends), `ratio_least`,
 * `ratio_least_at`, `ratio_greatest`, `ratio_greatest_at` (with `against`: its highest peak divides), `peaks` (curves),
 * `points`, `kinks`, `harmonics`, `odd`; evidence `residual`, `condition` (slope left at tops, by amplitude, or width
 * of the bracket of a kink), `truncation`, `incomplete` (checks whose response curve could not be followed to its end).
 */
AM_API am_status am_design_run(am_model *model, const am_design_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
