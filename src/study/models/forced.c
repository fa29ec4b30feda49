#include "study/models/forced.h"

#include <math.h>

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
