/* Analysis `path`: quasi-static evolution, exact corner to corner for piecewise-linear loads, with jumps. See
 * docs/path.md. */
#ifndef AMONTONS_PATH_H
#define AMONTONS_PATH_H
#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to do where no continuous continuation exists. */
typedef enum am_on_jump {
    AM_JUMP_STOP,   /* say so and fail */
    AM_JUMP_RELEASE /* the contact at its limit lets go: jump to the equilibrium without it (Appendix B) */
} am_on_jump;

typedef struct am_path_options {
    double from;                   /* default 0 */
    double until;                  /* required */
    const double *displacement;    /* n; where the contacts stand at `from`; NULL: zero */
    const am_contact_state *start; /* m; chooses among several admissible first states; NULL: there must be just one */
    am_on_jump on_jump;            /* default stop */
    size_t samples;                /* rows of the table `samples`; default 201; corners and jumps are always in it */
    int cookie;
} am_path_options;

am_path_options am_path_options_default(void);

/* Tables `corners` (t, state, cause, q.., N.., T..), `samples`; summary `corners`, `jumps`, `first_jump`,
 * `final_state`, `equilibrium_residual`, `complementarity_residual`, `loss_friction`, `work_loads`, `energy_residual`.
 */
am_status am_path_run(const am_system *system, const am_path_options *options, am_result *result,
                      const am_progress *progress, am_error *err);

#ifdef __cplusplus
}
#endif
#endif
