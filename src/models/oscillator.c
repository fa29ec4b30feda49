/* The friction oscillator of Papangelo (2017), chapter 7, eqs. (7.14) and (7.37), in units of Q1, Q1/k and 1/omega_n.
 */
#include "amontons/models.h"

#include "base/object.h"
#include "models/forced.h"

am_oscillator am_oscillator_default(void) {
    return (am_oscillator){0};
}

am_system *am_oscillator_create(const am_oscillator *oscillator, am_error *err) {
    if (!oscillator)
        return am_misused_for_nothing(err, __func__);
    am_forced forced = {.beta = oscillator->beta,
                        .eta = oscillator->eta,
                        .delta_deg = oscillator->delta_deg,
                        .Omega = oscillator->Omega,
                        .damping = oscillator->xi,
                        .damping_name = "xi",
                        .contact_name = "plane"};
    return am_forced_create(&forced, err);
}
