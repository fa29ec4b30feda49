#include "amontons/griffin.h"
#include "study/model_forced.h"

static void set_defaults(void *record) {
    am_griffin *griffin = record;
    *griffin = am_griffin_default();
}

static const am_field fields[] = {
    AM_FORCED_FIELDS(am_griffin),
    {.name = "stiffness_ratio",
     .type = AM_FIELD_NUMBER,
     .offset = offsetof(am_griffin, stiffness_ratio),
     .range = AM_RANGE_POSITIVE,
     .initial = "1.5",
     .about = "k_d/k: stiffness of the damper's spring over that of the structure"},
    {.name = "zeta",
     .type = AM_FIELD_NUMBER,
     .offset = offsetof(am_griffin, zeta),
     .range = AM_RANGE_NOT_NEGATIVE,
     .initial = "0.1",
     .about = "viscous damping ratio c/(2 sqrt(k m))"},
};

static const am_schema schema = {
    .name = "griffin",
    .title = "model griffin",
    .about = "A damped mass under the load sin(Omega t) with a massless Coulomb damper behind a spring, whose normal "
             "load may vary (Griffin; Papangelo 2017, chapter 8). Coordinate v in Q1/k, time in 1/omega_n.",
    .size = sizeof(am_griffin),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    am_system *system = am_griffin_create(settings, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

static am_status report(const void *settings, am_result *result, am_error *err) {
    const am_griffin *griffin = settings;
    return am_forced_report(griffin->beta, griffin->Omega, result, err);
}

const am_model_kind am_model_griffin = {.schema = &schema,
                                        .build = build,
                                        .figure = "{x: t, y: v, x_label: omega_n t, y_label: v k/Q_1}",
                                        .report = report};
