/* Analysis `backbone`: nonlinear modes, their frequency and damping over the amplitude. See docs/backbone.md.
 *
 * Extended periodic motion concept: the periodic motions of M q'' + (C - xi M) q' + K q + forces = 0, where xi feeds in
 * just what damping and friction take. They begin as a mode of the linear structure with its contacts as they are at
 * small amplitudes and are followed over the modal amplitude by harmonic balance. Without losses xi is zero and they
 * are the nonlinear normal modes. */
#ifndef AMONTONS_BACKBONE_H
#define AMONTONS_BACKBONE_H
#include "amontons/response.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum am_backbone_stability {
    AM_BACKBONE_STABILITY_AUTO,    /* floquet at as many points as a few seconds allow */
    AM_BACKBONE_STABILITY_FLOQUET, /* multipliers of the exact motion next to each point, followed in time */
    AM_BACKBONE_STABILITY_NONE
} am_backbone_stability;

typedef struct am_backbone_options {
    size_t mode;     /* of the linear structure, by frequency from 1 (default) */
    double from, to; /* modal amplitude, 0 < from < to; required, unless there are values */
    size_t value_count;
    const double *values; /* amplitudes at which rows are wanted exactly */
    size_t harmonics;     /* highest harmonic; 0 (default): as many as `tolerance` needs */
    double tolerance;     /* truncation allowed; 0 (default): 1e-6 when harmonics are chosen, 0.5 when they are given */
    size_t most_harmonics; /* default 96 */
    am_parity parity;
    am_backbone_stability stability;
    size_t most_points; /* default 10000 */
    size_t force_count;
    const double *forces;    /* multiples of the structure's own harmonic load for which `forced` is predicted */
    am_cycle_options cycles; /* at `values`, and at the last amplitude */
    bool branches;           /* follow the modes that leave at branch points, too (default false) */
    size_t most_branches;    /* with the mode itself; default 20 */
    int cookie;
} am_backbone_options;

AM_API am_backbone_options am_backbone_options_default(void);

AM_API am_status am_backbone_run(const am_system *system, const am_backbone_options *options, am_result *result,
                                 const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
