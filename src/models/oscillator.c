/* The friction oscillator of Papangelo (2017), chapter 7, eqs. (7.14) and (7.37), in units of Q1, Q1/k and 1/omega_n.
 */
#include "amontons/models.h"

#include <math.h>

#include "base/columns.h"
#include "base/object.h"
#include "models/forced.h"

static const am_field fields[] = {
    AM_FORCED_FIELDS(am_oscillator, .required = true),
    AM_FIELD("xi", NUMBER, am_oscillator, xi, AM_NOT_NEGATIVE, .initial = "0",
             .about = "viscous damping ratio c/(2 sqrt(k m))"),
};

static const am_schema schema = {
    .name = "oscillator",
    .title = "model oscillator",
    .about = "A mass on a spring that rubs on a plane under the load sin(Omega t), with a normal load that may vary "
             "(Papangelo 2017, chapter 7). Coordinate v in Q1/k, time in 1/omega_n.",
    .size = sizeof(am_oscillator),
    .has_kind = true,
    AM_FIELDS(fields)};

am_oscillator am_oscillator_default(void) {
    return (am_oscillator){0};
}

am_system *am_oscillator_create(const am_oscillator *oscillator, am_error *err) {
    if (!oscillator)
        return am_misused_for_nothing(err, __func__);
    if (am_schema_check(&schema, oscillator, err) != AM_OK)
        return NULL;
    am_forced forced = {.beta = oscillator->beta,
                        .eta = oscillator->eta,
                        .delta_deg = oscillator->delta_deg,
                        .Omega = oscillator->Omega,
                        .damping = oscillator->xi,
                        .damping_name = "xi",
                        .contact_name = "plane"};
    return am_forced_create(&forced, err);
}

AM_MODEL_CREATE(am_oscillator_create)

/* Beside what was computed: the quasi-static cycle, and Den Hartog's and Hong and Liu's motion without stops. */
static am_status add_closed_forms(const am_oscillator *oscillator, am_result *result, am_error *err) {
    am_oscillator_cycle cycle = am_oscillator_quasistatic(oscillator);
    double speed = fmax(cycle.vdot_forward, cycle.vdot_backward), v = NAN, vdot = NAN;
    if (oscillator->eta == 0 && oscillator->xi == 0)
        am_oscillator_zero_stop(oscillator->beta, oscillator->Omega, &v, &vdot);
    am_result_set_numbers(
        result,
        AM_NAMED({"v_max_quasistatic", cycle.v_peak}, {"v_amplitude_quasistatic", cycle.v_amplitude},
                 {"vdot_max_quasistatic", speed}, {"dissipation_quasistatic", oscillator->beta * cycle.dissipation},
                 {"dissipation_ratio_quasistatic", cycle.dissipation}, {"v_max_den_hartog", v},
                 {"vdot_max_hong_liu", vdot}, {"v_max_ratio", am_result_find(result, "v_max")->number / cycle.v_peak},
                 {"vdot_max_ratio", am_result_find(result, "vdot_max")->number / speed},
                 {"v_max_error", fabs(am_result_find(result, "v_max")->number / v - 1)},
                 {"vdot_max_error", fabs(am_result_find(result, "vdot_max")->number / vdot - 1)}));
    return am_result_status(result, err);
}

static am_status report(const void *settings, am_result *result, am_error *err) {
    const am_oscillator *oscillator = settings;
    am_status status = am_forced_report(oscillator->beta, oscillator->Omega, result, err);
    bool orbit = am_result_find(result, "v_max") && am_result_find(result, "vdot_max");
    return status == AM_OK && orbit ? add_closed_forms(oscillator, result, err) : status;
}

/* The steady quasi-static cycle in the thesis' units, beside what the general engine has found of it. */
static am_status add_steady_cycle(const am_oscillator *oscillator, am_result *result, am_error *err) {
    am_oscillator_cycle cycle = am_oscillator_quasistatic(oscillator);
    am_forced_report(oscillator->beta, oscillator->Omega, result, err);
    am_result_set_count(result, "stops", cycle.shakedown ? 0 : 2, err);
    am_result_set_numbers(result,
                          AM_NAMED({"v_max", cycle.v_peak}, {"v_min", cycle.v_min}, {"v_amplitude", cycle.v_amplitude},
                                   {"vdot_max", fmax(cycle.vdot_forward, cycle.vdot_backward)},
                                   {"beta_cr", am_oscillator_shakedown_limit(oscillator->eta, oscillator->delta_deg)}));
    return am_result_status(result, err);
}

/* Cycles, load steps and chosen starts are beyond the closed form. */
static am_status general_path(const am_oscillator *oscillator, const am_path_options *options, am_result *result,
                              am_error *err) {
    am_system *system = am_oscillator_create(oscillator, err);
    am_status status = system ? am_path_run(system, options, result, NULL, err) : err->status;
    am_system_free(system);
    return status == AM_OK ? add_steady_cycle(oscillator, result, err) : status;
}

static am_status path(const void *settings, const am_path_options *options, am_result *result, am_error *err) {
    double v = options->displacement ? options->displacement[0] : 0;
    if (options->cycles > 0 || options->until_repeat || options->method != AM_PATH_EXACT || options->position ||
        options->start)
        return general_path(settings, options, result, err);
    return am_oscillator_path(settings, options->from, options->until, v, options->samples, result, err);
}

const am_model_kind am_model_oscillator = {.schema = &schema,
                                           .create = create,
                                           .figure = "{x: t, y: v, x_label: omega_n t, y_label: v k/Q_1}",
                                           .report = report,
                                           .reads_summary = true,
                                           .path = path};
