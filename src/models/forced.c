#include "models/forced.h"

#include <math.h>

#include "math/pi.h"
#include "models/arrays.h"

static am_status check_numbers(const am_forced *f, am_error *err) {
    if (!(f->beta > 0.0) || !isfinite(f->beta))
        return am_fail_field(err, AM_ERR_INPUT, "beta", "beta = f N0/Q1 must be positive, but is %g", f->beta);
    if (!(f->eta >= 0.0) || !isfinite(f->eta))
        return am_fail_field(err, AM_ERR_INPUT, "eta", "eta = N1/N0 must be at least 0 and below 1, but is %g", f->eta);
    if (f->eta >= 1.0)
        return am_fail_field(err, AM_ERR_INPUT, "eta",
                             "with eta = N1/N0 = %g the contact separates: its normal force falls to zero in every "
                             "cycle; eta must be below 1",
                             f->eta);
    if (!isfinite(f->delta_deg))
        return am_fail_field(err, AM_ERR_INPUT, "delta_deg", "delta_deg must be a number");
    if (!(f->Omega > 0.0) || !isfinite(f->Omega))
        return am_fail_field(err, AM_ERR_INPUT, "Omega", "Omega = omega_d/omega_n must be positive, but is %g",
                             f->Omega);
    if (!(f->damping >= 0.0) || !isfinite(f->damping))
        return am_fail_field(err, AM_ERR_INPUT, f->damping_name, "%s must not be negative, but is %g", f->damping_name,
                             f->damping);
    return AM_OK;
}

/* At resonance a large motion is a sine whose velocity is in phase with the load. Friction takes 4 beta of energy a
 * cycle and unit amplitude, whatever eta and delta (the varying part of N cancels over two half cycles), the load gives
 * pi: without viscous damping the amplitude grows for ever when beta < pi/4. */
static am_status check_bounded(const am_forced *f, am_error *err) {
    static const double rounding = 1e-14;
    if (f->damping > 0.0 || fabs(f->Omega - 1.0) > rounding || f->beta >= pi / 4.0)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "Omega",
                         "the response is unbounded: beta < pi/4 (%g) at resonance (Omega = 1) without viscous damping "
                         "(%s = 0)",
                         f->beta, f->damping_name);
}

am_system *am_forced_create(const am_forced *forced, am_error *err) {
    static const double one[1] = {1.0};
    static const char *const names[1] = {"v"};
    if (check_numbers(forced, err) != AM_OK || check_bounded(forced, err) != AM_OK)
        return NULL;
    am_contact_def contact = am_contact_def_default();
    contact.name = forced->contact_name;
    contact.tangent = one;
    contact.normal_law = AM_HELD;
    contact.hold =
        am_function_sine(forced->beta * forced->eta, forced->Omega, remainder(forced->delta_deg, 360.0) * pi / 180.0);
    contact.hold.value = forced->beta;
    if (forced->eta == 0.0)
        contact.hold = am_function_constant(forced->beta);
    contact.friction = 1.0;
    contact.tangential_stiffness = forced->tangential_stiffness;
    am_load_def load = {.direction = one, .function = am_function_sine(1.0, forced->Omega, 0.0)};
    const double damping = 2.0 * forced->damping;
    am_system_def def = am_system_def_default();
    def.n = 1;
    def.contact_count = 1;
    def.contacts = &contact;
    def.load_count = 1;
    def.loads = &load;
    def.names = names;
    def.named_by_model = true;
    return am_arrays_create(def, (am_arrays){.mass = one, .damping = &damping, .stiffness = one}, err);
}
