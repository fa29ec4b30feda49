/* Analysis `stability`: do small disturbances of a persistent contact state (slip, stick, open) grow? See
 * docs/stability.md. */
#ifndef AMONTONS_STABILITY_H
#define AMONTONS_STABILITY_H
#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct am_stability_options {
    const am_contact_state *state; /* m; NULL: sliding against the moving surface of every contact */
    int cookie;
} am_stability_options;

AM_API am_stability_options am_stability_options_default(void);

/* Tables `eigenvalues` (real, imaginary, frequency, damping_ratio, kind, hertz, uncertainty), `modes` (mode,
 * coordinate, real, imaginary, amplitude, phase_deg), `contacts` (contact, state, N, T, penetration) and `equilibrium`
 * (coordinate, value); summary `stable`, `growth_rate` (largest real part), `frequency` and `omega` (of that
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

#ifdef __cplusplus
}
#endif
#endif
