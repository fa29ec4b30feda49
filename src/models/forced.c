#include "models/forced.h"

#include <math.h>

#include "math/pi.h"
#include "models/parts.h"

/* With N1 as large as N0 the normal force falls to zero in every cycle. */
static am_status check_closed(const am_forced *f, am_error *err) {
    if (f->eta < 1.0)
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, "eta",
                         "with eta = N1/N0 = %g the contact separates: its normal force falls to zero in every cycle; "
                         "eta must be below 1",
                         f->eta);
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
    if (check_closed(forced, err) != AM_OK || check_bounded(forced, err) != AM_OK)
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
    am_system_def def = am_parts_def(1, names, 1, &contact, 1, &load);
    return am_arrays_create(def, (am_arrays){.mass = one, .damping = &damping, .stiffness = one}, err);
}

static am_status divide(am_result *result, const char *name, double unit, am_error *err) {
    const am_scalar *scalar = am_result_find(result, name);
    if (!scalar || scalar->kind != AM_SCALAR_NUMBER)
        return AM_OK;
    return am_result_set_number(result, name, scalar->number / unit, err);
}

am_status am_forced_report(double beta, double Omega, am_result *result, am_error *err) {
    const am_scalar *largest = am_result_find(result, "v_max"), *least = am_result_find(result, "v_min");
    if (largest && least && largest->kind == AM_SCALAR_NUMBER && least->kind == AM_SCALAR_NUMBER)
        am_result_set_number(result, "v_max", fmax(fabs(largest->number), fabs(least->number)), err);
    divide(result, "vdot_max", Omega, err);
    const am_scalar *energy = am_result_find(result, "dissipation"), *amplitude = am_result_find(result, "v_amplitude");
    if (energy && amplitude && amplitude->number > 0)
        am_result_set_number(result, "loss_factor", energy->number / (0.5 * amplitude->number * amplitude->number),
                             err);
    if (energy && energy->kind == AM_SCALAR_NUMBER && beta > 0)
        am_result_set_number(result, "dissipation_ratio", energy->number / beta, err);
    return am_result_status(result, err);
}
