/* Analysis `design`: the peak of a frequency response as a curve over a number of the structure (the load of a damper,
 * its stiffness), the value that makes the highest peak least, and how far one may be off it. See docs/design.md.
 *
 * Peaks are continued directly: every point of a curve is the top of a resonance, located by the sign of the exact
 * derivative of the amplitude along the response curve, so that tops of slopes that jump (onset of slip) are found like
 * smooth ones. There is no grid of frequencies. */
#ifndef AMONTONS_DESIGN_H
#define AMONTONS_DESIGN_H
#include "amontons/response.h"

#ifdef __cplusplus
extern "C" {
#endif

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
