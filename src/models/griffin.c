/* Griffin's damper with a varying normal load (Papangelo 2017, eqs. 8.1-8.8), in units of Q1, Q1/k and 1/omega_n:
 *
 *     v'' + 2 zeta v' + v = sin(Omega t) - F,    |F| <= beta (1 + eta sin(Omega t + delta)),
 *
 * where F is the force in the spring k_d between the mass and a slider without mass. */
#include "amontons/models.h"

#include <math.h>

#include "base/object.h"
#include "models/forced.h"

am_griffin am_griffin_default(void) {
    return (am_griffin){.stiffness_ratio = 1.5, .zeta = 0.1, .Omega = 1.0};
}

am_system *am_griffin_create(const am_griffin *griffin, am_error *err) {
    if (!griffin)
        return am_misused_for_nothing(err, __func__);
    if (!(griffin->stiffness_ratio > 0.0) || !isfinite(griffin->stiffness_ratio)) {
        am_fail_field(err, AM_ERR_INPUT, "stiffness_ratio",
                      "the stiffness of the damper's spring, k_d/k, must be positive, but is %g",
                      griffin->stiffness_ratio);
        return NULL;
    }
    am_forced forced = {.beta = griffin->beta,
                        .eta = griffin->eta,
                        .delta_deg = griffin->delta_deg,
                        .Omega = griffin->Omega,
                        .damping = griffin->zeta,
                        .damping_name = "zeta",
                        .contact_name = "damper",
                        .tangential_stiffness = griffin->stiffness_ratio};
    return am_forced_create(&forced, err);
}
