#include "amontons/models.h"
#include "study/models/forced.h"

typedef struct griffin_setting {
    am_griffin griffin;     /* first, so that fields have the offsets they have there */
    double stiffness_ratio; /* another name of k_ratio */
} griffin_setting;

static void set_defaults(void *record) {
    griffin_setting *setting = record;
    setting->griffin = am_griffin_default();
}

/* Both names of k_d/k are good, as long as they do not say different things. */
static am_status finish(am_reading *reading, const am_node *node, void *record) {
    griffin_setting *setting = record;
    const am_node *other = am_node_get(node, "stiffness_ratio");
    if (!other)
        return AM_OK;
    if (am_node_get(node, "k_ratio") && setting->griffin.stiffness_ratio != setting->stiffness_ratio)
        return am_node_fail(other, reading->err, AM_ERR_INPUT,
                            "stiffness_ratio is another name of k_ratio, which is given too and differs: %g and %g",
                            setting->stiffness_ratio, setting->griffin.stiffness_ratio);
    setting->griffin.stiffness_ratio = setting->stiffness_ratio;
    return AM_OK;
}

static const am_field fields[] = {
    AM_FIELD("k_ratio", NUMBER, griffin_setting, griffin.stiffness_ratio, .range = AM_RANGE_POSITIVE, .initial = "1.5",
             .about = "k_d/k: stiffness of the damper's spring over that of the structure", .example = "1.5"),
    AM_FORCED_FIELDS(am_griffin, .initial = "1"),
    AM_FIELD("zeta", NUMBER, griffin_setting, griffin.zeta, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0.1",
             .about = "viscous damping ratio c/(2 sqrt(k m))"),
    AM_FIELD("stiffness_ratio", NUMBER, griffin_setting, stiffness_ratio, .range = AM_RANGE_POSITIVE, .initial = "none",
             .about = "another name of k_ratio"),
};

static const am_schema schema = {
    .name = "griffin",
    .title = "model griffin",
    .about = "A damped mass under the load sin(Omega t) with a massless Coulomb damper behind a spring, whose normal "
             "load may vary (Griffin; Papangelo 2017, chapter 8). Coordinate v in Q1/k, time in 1/omega_n.",
    .size = sizeof(griffin_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const griffin_setting *setting = settings;
    am_system *system = am_griffin_create(&setting->griffin, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

static am_status report(const void *settings, am_result *result, am_error *err) {
    const griffin_setting *setting = settings;
    return am_forced_report(setting->griffin.beta, setting->griffin.Omega, result, err);
}

const am_model_kind am_model_griffin = {.schema = &schema,
                                        .build = build,
                                        .figure = "{x: t, y: v, x_label: omega_n t, y_label: v k/Q_1}",
                                        .report = report,
                                        .reads_summary = true};
