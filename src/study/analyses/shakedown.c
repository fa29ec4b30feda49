#include "amontons/path.h"
#include "base/try.h"
#include "study/bind.h"

typedef struct shakedown_setting {
    am_shakedown_options options;
    am_numbers scale, scale_held;
} shakedown_setting;

AM_ANALYSIS_DEFAULTS(shakedown_setting, am_shakedown)

static const am_word about_words[] = {{"mean", AM_ABOUT_MEAN, "the distance from the mean over the period"},
                                      {"zero", AM_ABOUT_ZERO, "the whole load"},
                                      {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("scale", NUMBERS, shakedown_setting, scale, .initial = "all that vary",
             .about = "which loads the factor scales, counted from 0; the others stay as they are"),
    AM_FIELD("scale_held", NUMBERS, shakedown_setting, scale_held, .initial = "all that vary, unless scale is given",
             .about = "contacts whose held normal force the factor scales, counted from 0"),
    AM_FIELD("about", WORD, shakedown_setting, options.about, .words = about_words, .initial = "mean",
             .about = "what of a scaled load the factor multiplies"),
    AM_FIELD("period", NUMBER, shakedown_setting, options.period, AM_POSITIVE, .initial = "that of the loads",
             .unit = "time", .about = "needed where a table or pulse does not repeat by itself"),
    AM_FIELD("samples", COUNT, shakedown_setting, options.samples, .most = AM_MOST_SAMPLES, .initial = "201",
             .about = "rows of the table samples"),
};

static const am_schema schema = {.name = "shakedown",
                                 .title = "analysis shakedown",
                                 .about = "Can slip stop under a periodic load, and up to which size of the load?",
                                 .size = sizeof(shakedown_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status bind_list(am_reading *reading, const am_numbers *numbers, const char *name, const char *what,
                           size_t limit, const size_t **indices, size_t *count) {
    size_t *made = am_arena_new(reading->pool, numbers->count, sizeof *made, reading->err);
    if (!made)
        return AM_ERR_MEMORY;
    AM_TRY(am_bind_indices(reading, numbers, name, what, limit, made));
    *indices = numbers->values ? made : *indices;
    *count = numbers->values ? numbers->count : *count;
    return AM_OK;
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    shakedown_setting *setting = settings;
    am_shakedown_options *o = &setting->options;
    (void)node;
    AM_TRY(bind_list(reading, &setting->scale, "scale", "loads", am_system_loads(made->system), &o->scale,
                     &o->scale_count));
    return bind_list(reading, &setting->scale_held, "scale_held", "contacts", am_system_contacts(made->system),
                     &o->scale_held, &o->scale_held_count);
}

AM_ANALYSIS_RUN(shakedown_setting, am_shakedown)

const am_analysis_kind am_analysis_shakedown = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{x: t, y: use1, y_label: part of the friction used}",
    .model = "stiffness: [[1, 0.5], [0.5, 2]]\n  friction: 0.3\n  load: [0, -2]\n  loads:\n    - {direction: [1, 0], "
             "sine: {amplitude: 0.5, frequency: 1}}\n"};
