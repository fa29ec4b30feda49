#include "amontons/stability.h"
#include "analyses/squeal/squeal_internal.h"
#include "study/bind.h"

typedef struct squeal_setting {
    am_squeal_options options;
    am_words state;
} squeal_setting;

AM_ANALYSIS_DEFAULTS(squeal_setting, am_squeal)

static const am_field friction_fields[] = {
    AM_FIELD("from", NUMBER, am_squeal_options, from, AM_NOT_NEGATIVE, .initial = "0",
             .about = "the first value, at which sliding is stable", .example = "0"),
    AM_FIELD("to", NUMBER, am_squeal_options, to, AM_POSITIVE, .initial = "1", .about = "the last value",
             .example = "1"),
    AM_FIELD("count", COUNT, am_squeal_options, count, .least = 2, .most = 100000, .initial = "101",
             .about = "how many values, both ends included"),
};

static const am_schema friction_schema = {.name = "friction",
                                          .title = "friction",
                                          .about = "Coefficients of friction that are looked at, evenly spaced.",
                                          .size = sizeof(am_squeal_options),
                                          AM_FIELDS(friction_fields)};

static const am_field fields[] = {
    AM_FIELD("modes", COUNT, squeal_setting, options.modes, .initial = "50",
             .about = "real modes, the lowest ones, that span the small eigenproblems", .example = "20"),
    AM_FIELD("friction", RECORD, squeal_setting, options, .inner = &friction_schema, .initial = "0 to 1 in 101 values",
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
    const am_squeal_options *options = &((const squeal_setting *)record)->options;
    if (!(options->to > options->from))
        return am_node_fail(am_node_at(node, "friction"), reading->err, AM_ERR_INPUT,
                            "friction must go up: to (%g) is not above from (%g)", options->to, options->from);
    if (options->modes < 2)
        return am_node_fail(am_node_get(node, "modes"), reading->err, AM_ERR_INPUT,
                            "two modes are the least that can couple, not %zu", options->modes);
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

AM_ANALYSIS_RUN(squeal_setting, am_squeal)

static am_status check(const am_system *system, const void *settings, am_error *err) {
    (void)settings;
    return am_squeal_check(system, err);
}

const am_analysis_kind am_analysis_squeal = {.schema = &schema,
                                             .bind = bind,
                                             .check = check,
                                             .run = run,

                                             .figure = "{table: sweep, x: mu, y: real}",
                                             .model_kind = "brake"};
