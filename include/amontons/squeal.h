/* Analysis `squeal`: which modes of a large structure does friction make unstable, and from which coefficient of
 * friction on? See docs/squeal.md.
 *
 * For sparse structures of thousands to hundreds of thousands of degrees of freedom with sliding contacts, rigid or of
 * linear compliance: real modes once, an eigenproblem as small as their number for every coefficient of friction, every
 * unstable pair confirmed on the full problem, and the eigenvalues counted there. Needs MUMPS and ARPACK. Up to a
 * hundred degrees of freedom all of them are used, as in `stability`. */
#ifndef AMONTONS_SQUEAL_H
#define AMONTONS_SQUEAL_H
#include "amontons/progress.h"
#include "amontons/result.h"
#include "amontons/system.h"

#ifdef __cplusplus
extern "C" {
#endif

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
