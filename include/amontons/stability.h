/* Analysis `stability`: do small disturbances of a persistent contact state (slip, stick, open) grow? See
 * docs/stability.md. */
#ifndef AMONTONS_STABILITY_H
#define AMONTONS_STABILITY_H
#include "amontons/model.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Small vibrations about the state that the constant loads leave when they are put on first, slowly (docs/stability.md,
 * "About a preload"): contacts that are open stay open, closed ones all stick, or all slide freely. */
typedef enum am_preloaded {
    AM_PRELOADED_NOT,
    AM_PRELOADED_STUCK,  /* and their springs (tangential_stiffness) are stretched */
    AM_PRELOADED_SLIDING /* friction stays what it is */
} am_preloaded;

typedef struct am_stability_options {
    const am_contact_state *state; /* m; NULL: sliding against the moving surface of every contact */
    am_preloaded preloaded;        /* default not; else `state` must be NULL */
    int cookie;
} am_stability_options;

AM_API am_stability_options am_stability_options_default(void);

/* Tables `eigenvalues` (real, imaginary, frequency, damping_ratio, kind, hertz, uncertainty), `modes` (mode,
 * coordinate, real, imaginary, amplitude, phase_deg), `contacts` (contact, state, N, T, penetration), `equilibrium`
 * (coordinate, value) and `squeal` (mode, real, imaginary, hertz, damping_ratio, unstable, coordinate: one row per pair
 * or real eigenvalue, lowest frequency first; the coordinate moves most); summary `stable`, `growth_rate` (largest real part), `frequency` and `omega` (of that
 * eigenvalue), `kind` (stable, neutral, divergence, flutter, painleve), `instability` (divergence, flutter, painleve;
 * none when stable), `N1`.. and `q1`.. (the equilibrium, up to 24 each), `equilibria`, `eigen_residual`,
 * `equilibrium_residual`, `unstable_modes` (a pair counts once). */
AM_API am_status am_stability_run(const am_system *system, const am_stability_options *options, am_result *result,
                                  const am_progress *progress, am_error *err);

/* All eigenvalues of the linearised motion about steady sliding, fastest growth first; a pair takes two places. Those
 * that coincide but for rounding are equal, and their shapes orthogonal to each other (docs/stability.md). */
typedef struct am_spectrum {
    size_t count;
    double *real, *imaginary;
    double *uncertainty; /* by how much rounding may have moved each */
    double residual;     /* largest of an eigenpair, relative */
    bool painleve;       /* rigid contacts: inertia cannot push them closed (delta_0 >= 0): no steady sliding. The
                          * eigenvalues, if any, then mean nothing */
    double closing;      /* smallest principal minor of J M^-1 B of rigid contacts over the same without friction (one
                          * contact: delta_0 over its value without friction); painleve where it is <= 0 but for
                          * rounding; NaN: no rigid contact */
    bool equilibrium;    /* the equilibrium was computed. Not in stick, nor where the stiffness is singular */
    bool closed;         /* and every sliding contact has N > 0. Rigid and Kelvin-Voigt contacts have a spectrum without
                          * that too (it does not depend on N): beyond divergence N changes its sign */
    size_t n;            /* degrees of freedom */
    double *shape;       /* count x n: mode shapes, real parts; the largest entry is 1 */
    double *shape_imaginary; /* count x n */
    void *memory;
} am_spectrum;

/* What `am_stability_run` reports and `threshold` follows. AM_ERR_NO_STATE when a law whose stiffness or damping
 * depends on the equilibrium (Hunt-Crossley) has none with N > 0. */
AM_API am_status am_stability_spectrum(const am_system *system, const am_stability_options *options,
                                       am_spectrum *spectrum, am_error *err);
AM_API void am_spectrum_clear(am_spectrum *spectrum);

/* ---------------------------------------------------------------------------------------------------------------- */

/* Thresholds of steady sliding: the value of a parameter at which it loses stability. See docs/threshold.md.
 *
 * Starting from a value at which sliding is stable, the range is searched for the first loss of stability, and the
 * value is then located to rounding by following the eigenvalue that crosses the imaginary axis. */

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

/* ---------------------------------------------------------------------------------------------------------------- */

/* Analysis `squeal`: which modes of a large structure does friction make unstable, and from which coefficient of
 * friction on? See docs/squeal.md.
 *
 * For sparse structures of thousands to hundreds of thousands of degrees of freedom with sliding contacts, rigid or of
 * linear compliance: real modes once, an eigenproblem as small as their number for every coefficient of friction, every
 * unstable pair confirmed on the full problem, and the eigenvalues counted there. Needs MUMPS and ARPACK. Up to a
 * hundred degrees of freedom all of them are used, as in `stability`. */

typedef struct am_squeal_options {
    const am_contact_state *state; /* m; NULL: every contact slides against its moving surface */
    size_t modes;                  /* real modes that span the small problem; default 50 */
    double from, to;               /* coefficients of friction looked at; default 0 to 1 */
    size_t count;                  /* how many, both ends included; default 101; at least 2 */
    bool confirm;                  /* every unstable pair of these on the full problem; default true. Those at the
                                    * model's own friction and the critical one always are */
    bool certify;                  /* large structures: count the eigenvalues of the full problem, so that "stable" and
                                    * "none" do not rest on the modes; default true */
    int cookie;
} am_squeal_options;

AM_API am_squeal_options am_squeal_options_default(void);

/* Was the library built with MUMPS and ARPACK? */
AM_API bool am_squeal_available(void);

/* The coefficient of friction mu is the largest of the contacts; the others keep their ratio to it.
 *
 * Tables `squeal` (mode, real, imaginary, hertz, damping_ratio, unstable, projected_real, projected_imaginary,
 * residual, coordinate) at the model's own mu, `sweep` (mu, mode, real, imaginary, hertz, unstable), `unstable` (mu,
 * mode, real, imaginary, hertz, projected_real, projected_imaginary, change, residual, confirmed), `crossings` (mu,
 * omega, hertz, projected_mu, projected_omega, change, residual, confirmed, kind), `modes` (mode, omega, hertz),
 * `contacts` (contact, state, N). Summary `critical`, `omega`, `hertz`, `instability` (none, flutter, divergence,
 * painleve, lift-off), `critical_projected`, `omega_projected`, `projection_change`, `critical_residual`, `mu`,
 * `stable`, `unstable_modes`, `growth_rate`, `frequency`, `modes`, `highest_omega`, `degrees_of_freedom`,
 * `contact_rows`, `contacts_closed`, `least_force`, `mode_residual`, `orthogonality`, `confirmed`, `unconfirmed`,
 * `eigen_residual`, `largest_change`, `interpolation_error`, `method`, `modes_asked`, `fewer_modes`, `certified`,
 * `certified_omega`, `certificate_factors`, `uncertified_because`. */
AM_API am_status am_squeal_run(const am_system *system, const am_squeal_options *options, am_result *result,
                               const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
