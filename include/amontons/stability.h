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
    const am_contact_state *state; /* m; required */
    int cookie;
} am_stability_options;

am_stability_options am_stability_options_default(void);

/* Table `eigenvalues` (real, imaginary, frequency, damping_ratio, kind); summary `stable`, `growth_rate` (largest real
 * part), `frequency` (of that eigenvalue), `kind` (stable, neutral, divergence, flutter), `eigen_residual`. */
am_status am_stability_run(const am_system *system, const am_stability_options *options, am_result *result,
                           const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
