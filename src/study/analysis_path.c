#include "amontons/path.h"
#include "study/analyses.h"

typedef struct path_place {
    am_numbers displacement;
} path_place;

typedef struct path_setting {
    am_path_options options;
    path_place initial;
    am_words start;
} path_setting;

static void set_defaults(void *record) {
    path_setting *setting = record;
    setting->options = am_path_options_default();
}

static const am_word jump_words[] = {{"stop", AM_JUMP_STOP, "say so and fail"},
                                     {"release", AM_JUMP_RELEASE, "the contact at its limit lets go"},
                                     {NULL, 0, NULL}};

static const am_field place_fields[] = {
    {.name = "displacement",
     .type = AM_FIELD_NUMBERS,
     .offset = offsetof(path_place, displacement),
     .initial = "zero",
     .unit = "length",
     .about = "one number per coordinate"},
};

static const am_schema place_schema = {.name = "initial",
                                       .title = "initial",
                                       .about = "Where the contacts stand at the start.",
                                       .size = sizeof(path_place),
                                       AM_FIELDS(place_fields)};

#define PATH(name_, type_, member, ...)                                                                                \
    { .name = name_, .type = type_, .offset = offsetof(path_setting, member), __VA_ARGS__ }

static const am_field fields[] = {
    PATH("until", AM_FIELD_NUMBER, options.until, .required = true, .unit = "time", .about = "end of the path",
         .example = "10"),
    PATH("from", AM_FIELD_NUMBER, options.from, .initial = "0", .unit = "time", .about = "start of the path"),
    PATH("initial", AM_FIELD_RECORD, initial, .inner = &place_schema, .initial = "zero",
         .about = "displacement at the start"),
    PATH("start", AM_FIELD_WORDS, start, .words = am_state_words, .initial = "the only admissible one",
         .about = "state of each contact at the start, where several are admissible"),
    PATH("on_jump", AM_FIELD_WORD, options.on_jump, .words = jump_words, .initial = "stop",
         .about = "what to do where no continuous path exists", .example = "release"),
    PATH("samples", AM_FIELD_COUNT, options.samples, .initial = "201", .about = "rows of the table `samples`"),
};

static const am_schema schema = {.name = "path",
                                 .title = "analysis path",
                                 .about = "Quasi-static evolution, exact from corner to corner, with its jumps.",
                                 .size = sizeof(path_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind(am_reading *reading, const am_node *node, const am_system *system, void *settings) {
    path_setting *setting = settings;
    am_path_options *options = &setting->options;
    am_status status = am_check_span(reading, node, options->from, options->until);
    if (status == AM_OK)
        status = am_check_samples(reading, node, options->samples);
    if (status == AM_OK)
        status =
            am_bind_vector(reading, &setting->initial.displacement, "displacement", system, &options->displacement);
    if (status == AM_OK)
        status = am_bind_states(reading, &setting->start, "start", system, &options->start);
    return status;
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const path_setting *setting = settings;
    return am_path_run(system, &setting->options, result, progress, err);
}

const am_path_options *am_analysis_path_options(const void *settings) {
    const path_setting *setting = settings;
    return &setting->options;
}

const am_analysis_kind am_analysis_path = {
    .schema = &schema,
    .bind = bind,
    .run = run,
    .returns = "tables corners, samples; summary corners, jumps, first_jump, final_state, loss_friction, work_loads "
               "and residuals",
    .figure = "{x: u1, y: u2, x_label: u1, y_label: u2}"};
