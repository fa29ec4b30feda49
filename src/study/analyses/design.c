#include <string.h>

#include "amontons/response.h"
#include "base/try.h"
#include "study/bind.h"
#include "study/model_numbers.h"

typedef struct design_setting {
    am_design_options options;
    const char *over, *frequency, *harmonics, *coordinate;
    const am_node *against;
    am_model_numbers numbers, others; /* of the model, and of the one to compare with */
} design_setting;

/* ---- Fields ---- */

static void set_defaults(void *record) {
    design_setting *setting = record;
    setting->options = am_design_options_default();
}

static const am_field fields[] = {
    AM_FIELD("over", TEXT, design_setting, over, .required = true, .about = "number of the model that is to be chosen",
             .example = "beta"),
    AM_FIELD("from", NUMBER, design_setting, options.from, .required = true, .about = "its first value",
             .example = "0.1"),
    AM_FIELD("to", NUMBER, design_setting, options.to, .required = true, .about = "its last value", .example = "12"),
    AM_FIELD("frequency", TEXT, design_setting, frequency, .required = true,
             .about = "number of the model that moves the frequency of its loads, and nothing else",
             .example = "Omega"),
    AM_FIELD("frequency_from", NUMBER, design_setting, options.frequency_from, .required = true,
             .about = "first frequency of the range over which the peak is meant", .example = "0.5"),
    AM_FIELD("frequency_to", NUMBER, design_setting, options.frequency_to, .required = true, .about = "last frequency",
             .example = "2"),
    AM_FIELD("harmonics", TEXT, design_setting, harmonics, .initial = "auto",
             .about = "highest harmonic, or auto: as many as the tolerance needs", .example = "7"),
    AM_FIELD("tolerance", NUMBER, design_setting, options.tolerance, AM_POSITIVE, .initial = "1e-6",
             .about = "harmonics auto: how much those left out may move the motion, relative to its size"),
    AM_FIELD("most_harmonics", COUNT, design_setting, options.most_harmonics, .initial = "96",
             .about = "harmonics auto: most"),
    AM_FIELD("parity", WORD, design_setting, options.parity, .words = am_parity_words, .initial = "auto",
             .about = "harmonics that are kept"),
    AM_FIELD("coordinate", TEXT, design_setting, coordinate, .initial = "the one that moves most",
             .about = "whose amplitude is meant"),
    AM_FIELD("robust", NUMBER, design_setting, options.robust, AM_POSITIVE, .initial = "0.1",
             .about = "share by which the peak may exceed its least value in the robust range"),
    AM_FIELD("against", NODE, design_setting, against, .initial = "nothing",
             .about = "numbers of the model that are different in the one to compare with, as {eta: 0}: ratio of the "
                      "highest peaks"),
    AM_FIELD("checks", COUNT, design_setting, options.checks, .initial = "9",
             .about = "values of the number at which whole response curves are searched for peaks, both ends included"),
    AM_FIELD("largest_step", NUMBER, design_setting, options.largest_step, AM_POSITIVE,
             .initial = "a fortieth of the way", .about = "of the number"),
    AM_FIELD("most_points", COUNT, design_setting, options.most_points, .initial = "2000",
             .about = "of one curve of peaks"),
};

static const am_schema schema = {
    .name = "design",
    .title = "analysis design",
    .about = "The peak of a frequency response over a number of the model, followed without a grid of frequencies; the "
             "value that makes the highest peak least, and a robust range around it.",
    .size = sizeof(design_setting),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

/* ---- Reading ---- */

static am_status check_ranges(am_reading *reading, const am_node *node, const design_setting *setting) {
    const am_design_options *o = &setting->options;
    if (o->from == o->to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    if (o->frequency_from == o->frequency_to)
        return am_node_fail(am_node_get(node, "frequency_to"), reading->err, AM_ERR_INPUT,
                            "frequency_from and frequency_to are the same");
    if (am_node_get(node, "checks") && o->checks < 2)
        return am_node_fail(am_node_get(node, "checks"), reading->err, AM_ERR_INPUT,
                            "peaks are searched at both ends at least: expected 2 checks or more");
    return AM_OK;
}

/* Does the model accept the corners of both ranges? */
static am_status check_corners(am_reading *reading, const design_setting *setting) {
    const am_design_options *o = &setting->options;
    const double corners[4][2] = {
        {o->from, o->frequency_from}, {o->from, o->frequency_to}, {o->to, o->frequency_from}, {o->to, o->frequency_to}};
    return am_model_numbers_accept(&setting->numbers, 4, corners, reading->err);
}

/* The same numbers of a model into which others are put. */
static am_status bind_other(am_reading *reading, design_setting *setting) {
    const double values[1][2] = {{setting->options.from, setting->options.frequency_from}};
    const am_node *against = setting->against;
    if (!against)
        return AM_OK;
    if (against->kind != AM_NODE_MAP || against->count == 0)
        return am_node_fail(against, reading->err, AM_ERR_INPUT,
                            "against must be a mapping of numbers of the model, as {eta: 0}");
    am_node *model = am_node_copy(reading->pool, setting->numbers.model, reading->err);
    if (!model)
        return AM_ERR_MEMORY;
    for (size_t i = 0; i < against->count; i++) {
        const am_node *key = against->entries[i].key;
        if (am_model_numbers_have(&setting->numbers, key->text))
            return am_node_fail(key, reading->err, AM_ERR_INPUT,
                                "%s varies: what is compared with has the same values of it", key->text);
        AM_TRY(
            am_node_set(reading->pool, model, am_model_path_short(key->text), against->entries[i].value, reading->err));
    }
    setting->others = setting->numbers;
    setting->others.model = model;
    return am_model_numbers_accept(&setting->others, 1, values, reading->err);
}

static am_status bind_numbers(am_reading *reading, const am_node *node, const am_case *made, design_setting *setting) {
    if (strcmp(am_model_path_short(setting->over), am_model_path_short(setting->frequency)) == 0)
        return am_node_fail(am_node_get(node, "frequency"), reading->err, AM_ERR_INPUT,
                            "over and frequency are the same number of the model");
    am_design_options *o = &setting->options;
    setting->numbers = am_model_numbers_of(am_node_get(made->root, "model"), reading->files, &made->model);
    o->number = am_model_numbers_add(&setting->numbers, setting->over, am_node_get(node, "over"));
    o->frequency = am_model_numbers_add(&setting->numbers, setting->frequency, am_node_get(node, "frequency"));
    AM_TRY(check_corners(reading, setting));
    return bind_other(reading, setting);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    design_setting *setting = settings;
    AM_TRY(am_bind_harmonics(reading, node, setting->harmonics, &setting->options.harmonics));
    AM_TRY(am_bind_coordinate(reading, node, setting->coordinate, made, &setting->options.coordinate));
    AM_TRY(check_ranges(reading, node, setting));
    return bind_numbers(reading, node, made, setting);
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const design_setting *setting = settings;
    am_design_options options = setting->options;
    am_model *model = am_model_numbers_open(&setting->numbers, err);
    (void)system;
    options.against = model && setting->against ? am_model_numbers_open(&setting->others, err) : NULL;
    bool all = model && (options.against || !setting->against);
    am_status status = all ? am_design_run(model, &options, result, progress, err) : AM_ERR_MEMORY;
    am_model_free(model);
    am_model_free(options.against);
    return status;
}

const am_analysis_kind am_analysis_design = {.schema = &schema,
                                             .bind = bind,
                                             .run = run,

                                             .figure =
                                                 "{table: envelope, x: beta, y: peak, x_label: beta, y_label: peak}",
                                             .model = "k_ratio: 1.5\n  zeta: 0.1\n  beta: 0.6\n",
                                             .model_kind = "griffin"};
