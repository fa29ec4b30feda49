#include "models/forced.h"

#include <math.h>

#include "base/object.h"
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

am_status am_forced_see_period(void *cycle, const am_period *period, am_error *err) {
    (void)err;
    am_forced_cycle *c = cycle;
    c->seen = true;
    c->dissipation = period->dissipation;
    c->extremes = period->largest != NULL;
    if (!c->extremes)
        return AM_OK;
    c->v_max = fmax(fabs(*period->largest), fabs(*period->least));
    c->v_amplitude = 0.5 * (*period->largest - *period->least);
    c->vdot_max = fmax(fabs(*period->least_velocity), fabs(*period->largest_velocity)) / c->Omega;
    return AM_OK;
}

am_status am_forced_report(const am_forced_cycle *cycle, am_result *result, am_error *err) {
    double a = cycle->v_amplitude;
    if (cycle->extremes) {
        am_result_set_number(result, "v_max", cycle->v_max, err);
        am_result_set_number(result, "vdot_max", cycle->vdot_max, err);
    }
    if (cycle->extremes && a > 0)
        am_result_set_number(result, "loss_factor", cycle->dissipation / (0.5 * a * a), err);
    if (cycle->seen)
        am_result_set_number(result, "dissipation_ratio", cycle->dissipation / cycle->beta, err);
    return am_result_status(result, err);
}

am_system *am_forced_create_watched(const am_model_kind *kind, const void *definition, am_model_watch *watch,
                                    const char *function, am_error *err) {
    am_system *system = definition && watch ? kind->create(definition, err) : am_misused_for_nothing(err, function);
    if (!system || kind->watch(definition, watch, err) == AM_OK)
        return system;
    am_system_free(system);
    return NULL;
}
