/* The friction oscillator of Papangelo (2017), chapter 7, eqs. (7.14) and (7.37), in units of Q1, Q1/k and 1/omega_n.
 */
#include "amontons/models.h"

#include <math.h>

#include "base/columns.h"
#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
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

/* What is watched, and of which oscillator. */
typedef struct watched {
    am_forced_cycle cycle;
    am_oscillator oscillator;
} watched;

/* Beside what was computed: the quasi-static cycle, and Den Hartog's and Hong and Liu's motion without stops. */
static am_status add_closed_forms(const watched *w, am_result *result, am_error *err) {
    const am_oscillator *oscillator = &w->oscillator;
    am_oscillator_cycle cycle = am_oscillator_quasistatic(oscillator);
    double speed = fmax(cycle.vdot_forward, cycle.vdot_backward), v = NAN, vdot = NAN;
    if (oscillator->eta == 0 && oscillator->xi == 0)
        am_oscillator_zero_stop(oscillator->beta, oscillator->Omega, &v, &vdot);
    am_result_set_numbers(
        result,
        AM_NAMED({"v_max_quasistatic", cycle.v_peak}, {"v_amplitude_quasistatic", cycle.v_amplitude},
                 {"vdot_max_quasistatic", speed}, {"dissipation_quasistatic", oscillator->beta * cycle.dissipation},
                 {"dissipation_ratio_quasistatic", cycle.dissipation}, {"v_max_den_hartog", v},
                 {"vdot_max_hong_liu", vdot}, {"v_max_ratio", w->cycle.v_max / cycle.v_peak},
                 {"vdot_max_ratio", w->cycle.vdot_max / speed}, {"v_max_error", fabs(w->cycle.v_max / v - 1)},
                 {"vdot_max_error", fabs(w->cycle.vdot_max / vdot - 1)}));
    return am_result_status(result, err);
}

static am_status report(void *context, am_result *result, am_error *err) {
    const watched *w = context;
    AM_TRY(am_forced_report(&w->cycle, result, err));
    return w->cycle.extremes ? add_closed_forms(w, result, err) : AM_OK;
}

static am_forced_cycle nothing_seen(const am_oscillator *oscillator) {
    return (am_forced_cycle){.beta = oscillator->beta, .Omega = oscillator->Omega};
}

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    watched *w = am_memory_new(1, sizeof *w, err);
    if (!w)
        return AM_ERR_MEMORY;
    *w = (watched){nothing_seen(settings), *(const am_oscillator *)settings};
    *made = (am_model_watch){{.period = am_forced_see_period, .context = w}, report, am_memory_free};
    return AM_OK;
}

am_system *am_oscillator_create_watched(const am_oscillator *oscillator, am_model_watch *made, am_error *err) {
    return am_forced_create_watched(&am_model_oscillator, oscillator, made, __func__, err);
}

/* The steady quasi-static cycle in the thesis' units, beside what the general engine has found of it. */
static am_status add_steady_cycle(const am_oscillator *oscillator, const am_forced_cycle *seen, am_result *result,
                                  am_error *err) {
    am_oscillator_cycle cycle = am_oscillator_quasistatic(oscillator);
    am_forced_report(seen, result, err);
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
    am_forced_cycle seen = nothing_seen(oscillator);
    const am_observer observer = {.period = am_forced_see_period, .context = &seen};
    am_system *system = am_oscillator_create(oscillator, err);
    am_result_observe(result, &observer);
    am_status status = system ? am_path_run(system, options, result, NULL, err) : err->status;
    am_result_observe(result, NULL);
    am_system_free(system);
    return status == AM_OK ? add_steady_cycle(oscillator, &seen, result, err) : status;
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
                                           .watch = watch,
                                           .path = path};
