#include "amontons/stability.h"
#include "study/case.h"

typedef struct friction_setting {
    double from, to;
    size_t count;
} friction_setting;

typedef struct squeal_setting {
    am_squeal_options options;
    friction_setting friction;
    am_words state;
} squeal_setting;

static void friction_defaults(void *record) {
    am_squeal_options options = am_squeal_options_default();
    *(friction_setting *)record = (friction_setting){options.from, options.to, options.count};
}

static void set_defaults(void *record) {
    squeal_setting *setting = record;
    setting->options = am_squeal_options_default();
    friction_defaults(&setting->friction);
}

static const am_field friction_fields[] = {
    AM_FIELD("from", NUMBER, friction_setting, from, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0",
             .about = "the first value, at which sliding is stable", .example = "0"),
    AM_FIELD("to", NUMBER, friction_setting, to, .range = AM_RANGE_POSITIVE, .initial = "1", .about = "the last value",
             .example = "1"),
    AM_FIELD("count", COUNT, friction_setting, count, .initial = "101", .about = "how many values, both ends included"),
};

static const am_schema friction_schema = {.name = "friction",
                                          .title = "friction",
                                          .about = "Coefficients of friction that are looked at, evenly spaced.",
                                          .size = sizeof(friction_setting),
                                          .defaults = friction_defaults,
                                          AM_FIELDS(friction_fields)};

static const am_field fields[] = {
    AM_FIELD("modes", COUNT, squeal_setting, options.modes, .initial = "50",
             .about = "real modes, the lowest ones, that span the small eigenproblems", .example = "20"),
    AM_FIELD("friction", RECORD, squeal_setting, friction, .inner = &friction_schema, .initial = "0 to 1 in 101 values",
             .about = "coefficients of friction: from, to, count", .example = "{from: 0, to: 1, count: 11}"),
    AM_FIELD("confirm", FLAG, squeal_setting, options.confirm, .initial = "true",
             .about = "every unstable pair of these on the full problem; those at the model's own friction and the "
                      "critical one always are"),
    AM_FIELD("certify", FLAG, squeal_setting, options.certify, .initial = "true",
             .about =
                 "large structures: count the eigenvalues of the full problem below a frequency, so that `stable` and "
                 "`none` do not rest on the modes; summary certificate_factors says what it took"),
    AM_FIELD("state", WORDS, squeal_setting, state, .words = am_state_words,
             .initial = "sliding, against the moving surface",
             .about = "state of each contact; one word stands for all"),
};

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    squeal_setting *setting = record;
    const am_node *friction = am_node_get(node, "friction");
    if (!(setting->friction.to > setting->friction.from))
        return am_node_fail(friction ? friction : node, reading->err, AM_ERR_INPUT,
                            "friction must go up: to (%g) is not above from (%g)", setting->friction.to,
                            setting->friction.from);
    if (setting->friction.count < 2 || setting->friction.count > 100000)
        return am_node_fail(friction ? friction : node, reading->err, AM_ERR_INPUT,
                            "count must lie between 2 and 100000, not %zu", setting->friction.count);
    if (setting->options.modes < 2)
        return am_node_fail(am_node_get(node, "modes"), reading->err, AM_ERR_INPUT,
                            "two modes are the least that can couple, not %zu", setting->options.modes);
    setting->options.from = setting->friction.from;
    setting->options.to = setting->friction.to;
    setting->options.count = setting->friction.count;
    return AM_OK;
}

static const am_schema schema = {
    .name = "squeal",
    .title = "analysis squeal",
    .about = "Which modes of a large sparse structure does friction make unstable, and from which coefficient of "
             "friction on?",
    .size = sizeof(squeal_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    squeal_setting *setting = settings;
    (void)node;
    return am_bind_states(reading, &setting->state, "state", made->system, &setting->options.state);
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const squeal_setting *setting = settings;
    return am_squeal_run(system, &setting->options, result, progress, err);
}

const am_analysis_kind am_analysis_squeal = {.schema = &schema,
                                             .bind = bind,
                                             .run = run,

                                             .figure = "{table: sweep, x: mu, y: real}",
                                             .model_kind = "brake"};
