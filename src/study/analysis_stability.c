#include "amontons/stability.h"
#include "study/analyses.h"

typedef struct stability_setting {
    am_stability_options options;
    am_words state;
} stability_setting;

static void set_defaults(void *record) {
    stability_setting *setting = record;
    setting->options = am_stability_options_default();
}

static const am_field fields[] = {
    {.name = "state",
     .type = AM_FIELD_WORDS,
     .offset = offsetof(stability_setting, state),
     .required = true,
     .words = am_state_words,
     .about = "state of each contact; one word stands for all",
     .example = "backward"},
};

static const am_schema schema = {.name = "stability",
                                 .title = "analysis stability",
                                 .about = "Do small disturbances of a persistent contact state grow?",
                                 .size = sizeof(stability_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind(am_reading *reading, const am_node *node, const am_system *system, void *settings) {
    stability_setting *setting = settings;
    (void)node;
    return am_bind_states(reading, &setting->state, "state", system, &setting->options.state);
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const stability_setting *setting = settings;
    return am_stability_run(system, &setting->options, result, progress, err);
}

const am_analysis_kind am_analysis_stability = {
    .schema = &schema,
    .bind = bind,
    .run = run,
    .returns = "table eigenvalues; summary stable, growth_rate, frequency, kind, eigen_residual",
    .figure = "{curves: [{table: eigenvalues, x: real, y: imaginary, style: points}], x_label: real part, "
              "y_label: imaginary part}"};
