/* Thresholds of steady sliding: the value of a parameter at which it loses stability. See docs/threshold.md.
 *
 * Starting from a value at which sliding is stable, the range is searched for the first loss of stability, and the
 * value is then located to rounding by following the eigenvalue that crosses the imaginary axis. */
#ifndef AMONTONS_THRESHOLD_H
#define AMONTONS_THRESHOLD_H
#include "amontons/model.h"
#include "amontons/stability.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_threshold_kind {
    AM_THRESHOLD_NONE,       /* stable over the whole range */
    AM_THRESHOLD_DIVERGENCE, /* a real eigenvalue passes zero, or the equilibrium ends there with one */
    AM_THRESHOLD_FLUTTER,    /* a pair of eigenvalues passes the imaginary axis */
    AM_THRESHOLD_PAINLEVE,   /* rigid contact fails: inertia no longer pushes it closed (delta_0 reaches 0) */
    AM_THRESHOLD_LIFT_OFF,   /* the equilibrium ends, and no eigenvalue is zero there: contact is lost */
    AM_THRESHOLD_COALESCENCE /* flutter of a structure without damping: two frequencies meet */
} am_threshold_kind;

/* "none", "divergence", "flutter" (of coalescence, too), "painleve", "lift-off". */
AM_API const char *am_threshold_kind_name(am_threshold_kind kind);

/* The eigenvalues for every value of a parameter. `at` fills the spectrum, which am_spectrum_clear empties again;
 * AM_ERR_NO_STATE: there is no steady sliding at this value. */
typedef struct am_spectra {
    am_status (*at)(void *context, double parameter, am_spectrum *spectrum, am_error *err);
    void *context;
} am_spectra;

typedef struct am_threshold_options {
    size_t number;         /* of the model: the parameter; default 0, the first */
    double from;           /* the stable reference; default 0 */
    double to;             /* end of the search, on either side of `from`; default INFINITY: spans that double */
    double span;           /* without `to`: the first span, and its sign the direction; default 1 */
    size_t pieces;         /* of a span, each looked at with at least three spectra; default 8 */
    double finest;         /* part of a span below which pieces are not divided further; default 1e-4 */
    const char *parameter; /* its name in messages; default "the parameter" */
    const am_stability_options *stability; /* NULL: defaults */
    int cookie;
} am_threshold_options;

AM_API am_threshold_options am_threshold_options_default(void);

typedef struct am_threshold {
    am_threshold_kind kind;
    double critical;    /* NAN: none */
    double omega;       /* frequency of what begins to grow; 0: divergence; NAN: none, painleve, lift-off */
    double growth;      /* real part of the crossing eigenvalue at `critical`: zero but for rounding */
    double bracket;     /* stable and unstable values are this close together */
    double uncertainty; /* by how much rounding of the eigenvalues may have moved `critical` */
    double reached;     /* end of the search */
    size_t spectra;     /* computed on the way */
    size_t unresolved;  /* pieces of the finest width in which a crossing there and back could hide */
} am_threshold;

/* The first loss of stability after `from`. AM_ERR_INPUT when sliding is not stable there. */
AM_API am_status am_threshold_find(const am_spectra *spectra, const am_threshold_options *options, am_threshold *found,
                                   const am_progress *progress, am_error *err);

/* The same for the systems of a model. Summary `critical`, `omega`, `instability`, `growth_at_critical`, `bracket`,
 * `critical_uncertainty`, `searched_to`, `spectra`, `unresolved`. */
AM_API am_status am_threshold_run(am_model *model, const am_threshold_options *options, am_result *result,
                                  const am_progress *progress, am_error *err);

/* The same for a threshold known in closed form (kind, critical and omega of `known`): only its evidence is computed,
 * from the spectra at `from` and at the threshold, and where eigenvalues say little from the equations themselves
 * (docs/threshold.md, section 2). AM_ERR_EVIDENCE when they contradict it. */
AM_API am_status am_threshold_confirm(am_model *model, const am_threshold_options *options, const am_threshold *known,
                                      am_result *result, am_error *err);

/* ---- The threshold along a second parameter ---- */

/* The eigenvalues for every pair of values. */
typedef struct am_spectra2 {
    am_status (*at)(void *context, double parameter, double second, am_spectrum *spectrum, am_error *err);
    void *context;
} am_spectra2;

typedef struct am_threshold_curve_options {
    am_threshold_options first; /* how the threshold is found where the curve begins */
    size_t number;              /* of the model: the second parameter; default 1 */
    double from, to;            /* its values; required, different */
    double step;                /* largest, as a part of the curve's extent in both parameters; default 1/50 */
    size_t most_points;         /* default 10000 */
    const char *second;         /* its name in messages */
    int cookie;
} am_threshold_curve_options;

AM_API am_threshold_curve_options am_threshold_curve_options_default(void);

typedef struct am_threshold_point {
    double parameter, second;
    double omega, growth;
    am_threshold_kind kind;
    bool corner;        /* two eigenvalues are on the axis: the boundary changes from one to the other */
    double other_omega; /* corner: frequency of what takes over */
} am_threshold_point;

typedef struct am_threshold_curve {
    size_t count;
    am_threshold_point *points;
    size_t folds, corners;
    bool reached; /* the end `to` of the second parameter */
} am_threshold_curve;

/* Follow the boundary of stability from its point at second = from, by arc length, through folds and corners, until
 * the second parameter leaves [from, to] or the first one leaves its range. */
AM_API am_status am_threshold_follow(const am_spectra2 *spectra, const am_threshold_curve_options *options,
                                     am_threshold_curve *curve, const am_progress *progress, am_error *err);
AM_API void am_threshold_curve_clear(am_threshold_curve *curve);

/* The same for the systems of a model. Tables `threshold` (parameter, second, omega, kind, growth) and `corners`
 * (parameter, second, name, omega_before, omega_after); summary as am_threshold_run for the first point, and `points`,
 * `folds`, `corners`, `reached`, `worst_growth`. */
AM_API am_status am_threshold_curve_run(am_model *model, const am_threshold_curve_options *options, am_result *result,
                                        const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
