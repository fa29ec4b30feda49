#include <math.h>
#include <string.h>

#include "amontons/stability.h"
#include "base/result_reuse.h"
#include "base/try.h"
#include "study/analyses/squeal_table.h"
#include "study/case.h"
#include "study/model_numbers.h"

/* `along:` of a threshold. */
typedef struct along_setting {
    const char *parameter; /* NULL: no curve */
    double from, to, step;
    size_t most_points;
} along_setting;

typedef struct stability_setting {
    am_stability_options options;
    am_words state;
    const char *threshold; /* NULL: the spectrum at the model's own values */
    double from, to;
    along_setting along;
    /* Of a threshold: */
    am_model_numbers numbers; /* the one that varies, and that of `along` */
    double span;              /* the first, when there is no `to` */
    bool closed;              /* the model knows the threshold itself: */
    am_threshold known;       /* its closed form */
} stability_setting;

static void set_defaults(void *record) {
    stability_setting *setting = record;
    setting->options = am_stability_options_default();
    setting->to = INFINITY;
    setting->span = 1.0;
}

static void along_defaults(void *record) {
    along_setting *along = record;
    am_threshold_curve_options options = am_threshold_curve_options_default();
    along->step = options.step;
    along->most_points = options.most_points;
}

static const am_field along_fields[] = {
    AM_FIELD("parameter", TEXT, along_setting, parameter, .required = true,
             .about = "another number of the model, by its name", .example = "C_r"),
    AM_FIELD("from", NUMBER, along_setting, from, .required = true, .about = "its first value", .example = "0.1"),
    AM_FIELD("to", NUMBER, along_setting, to, .required = true, .about = "its last value", .example = "3"),
    AM_FIELD("step", NUMBER, along_setting, step, .range = AM_RANGE_POSITIVE, .initial = "0.02",
             .about = "largest step, as a part of the curve's extent"),
    AM_FIELD("most_points", COUNT, along_setting, most_points, .initial = "10000", .about = "the curve ends there"),
};

static const am_schema along_schema = {.name = "along",
                                       .title = "along",
                                       .about = "The threshold as a curve, followed by arc length along a second "
                                                "number of the model.",
                                       .size = sizeof(along_setting),
                                       .defaults = along_defaults,
                                       AM_FIELDS(along_fields)};

static const am_field fields[] = {
    AM_FIELD("state", WORDS, stability_setting, state, .words = am_state_words,
             .initial = "sliding, against the moving surface",
             .about = "state of each contact; one word stands for all", .example = "backward"),
    AM_FIELD(
        "threshold", TEXT, stability_setting, threshold, .initial = "none",
        .about =
            "a number of the model by its name (Delta, contact.D_c): look for its value at which stability is lost"),
    AM_FIELD("from", NUMBER, stability_setting, from, .initial = "0",
             .about = "threshold: a value at which sliding is stable, where the search begins"),
    AM_FIELD("to", NUMBER, stability_setting, to, .initial = "without end, in steps that double",
             .about = "threshold: where the search ends"),
    AM_FIELD("along", RECORD, stability_setting, along, .inner = &along_schema, .initial = "none",
             .about = "threshold: its curve along a second number of the model"),
};

/* Fields that mean something only beside `threshold`. */
static am_status finish(am_reading *reading, const am_node *node, void *record) {
    const stability_setting *setting = record;
    static const char *const others[] = {"from", "to", "along"};
    for (size_t i = 0; !setting->threshold && i < 3; i++)
        if (am_node_get(node, others[i]))
            return am_node_fail(am_node_get(node, others[i]), reading->err, AM_ERR_INPUT,
                                "%s needs `threshold:`, the number of the model that varies", others[i]);
    if (setting->threshold && setting->from == setting->to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    if (setting->along.parameter && setting->along.from == setting->along.to)
        return am_node_fail(am_node_get(am_node_get(node, "along"), "to"), reading->err, AM_ERR_INPUT,
                            "from and to are the same");
    return AM_OK;
}

static const am_schema schema = {
    .name = "stability",
    .title = "analysis stability",
    .about = "Do small disturbances of steady sliding, or of another persistent contact state, grow? At which value of "
             "a number of the model do they begin to?",
    .size = sizeof(stability_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

/* Does the model know the threshold itself? It speaks of sliding, on the side of larger values. */
static bool closed_form(const am_study_model *model, stability_setting *setting) {
    am_threshold *known = &setting->known;
    *known = (am_threshold){.critical = NAN, .omega = NAN, .growth = NAN, .bracket = NAN, .uncertainty = NAN};
    known->reached = setting->to;
    return !setting->options.state && !setting->along.parameter && setting->to > setting->from &&
           model->kind->threshold &&
           model->kind->threshold(model->settings, am_model_path_short(setting->threshold), setting->from, setting->to,
                                  known);
}

/* A name that is no number of the model, or an end that it refuses, is said before anything runs. */
static am_status check_ends(am_reading *reading, const stability_setting *setting) {
    const double corners[4][2] = {{setting->from, setting->along.from},
                                  {setting->to, setting->along.from},
                                  {setting->from, setting->along.to},
                                  {setting->to, setting->along.to}};
    for (size_t i = 0; i < (setting->along.parameter ? 4 : 2); i++)
        if (isfinite(corners[i][0]))
            AM_TRY(am_model_numbers_accept(&setting->numbers, 1, &corners[i], reading->err));
    return AM_OK;
}

/* Without an end, the first span is as long as the number that the study gives. */
static double first_span(const am_case *made, const stability_setting *setting) {
    double value = 0.0;
    am_node *model = am_node_get(made->root, "model");
    const am_node *node = am_node_find(model, am_model_path_short(setting->threshold));
    return node && am_node_number(node, &value) && value != 0.0 ? fabs(value) : 1.0;
}

static am_status bind_threshold(am_reading *reading, const am_node *node, const am_case *made,
                                stability_setting *setting) {
    const char *along = setting->along.parameter;
    const am_node *along_at = am_node_get(am_node_get(node, "along"), "parameter");
    if (along && strcmp(am_model_path_short(setting->threshold), am_model_path_short(along)) == 0)
        return am_node_fail(along_at, reading->err, AM_ERR_INPUT,
                            "the curve needs a number other than the threshold's own, %s", setting->threshold);
    setting->numbers = am_model_numbers_of(am_node_get(made->root, "model"), reading->files, &made->model);
    am_model_numbers_add(&setting->numbers, setting->threshold, am_node_get(node, "threshold"));
    if (along)
        am_model_numbers_add(&setting->numbers, along, along_at);
    setting->span = first_span(made, setting);
    setting->closed = closed_form(&made->model, setting);
    return setting->closed ? AM_OK : check_ends(reading, setting);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    stability_setting *setting = settings;
    am_status status = am_bind_states(reading, &setting->state, "state", made->system, &setting->options.state);
    return status == AM_OK && setting->threshold ? bind_threshold(reading, node, made, setting) : status;
}

/* ---- Running ---- */

static am_threshold_options threshold_options(const stability_setting *setting) {
    am_threshold_options options = am_threshold_options_default();
    options.from = setting->from;
    options.to = setting->to;
    options.span = setting->span;
    options.parameter = am_model_path_short(setting->threshold);
    options.stability = &setting->options;
    return options;
}

static am_status run_curve(const stability_setting *setting, am_model *model, am_result *result,
                           const am_progress *progress, am_error *err) {
    am_threshold_curve_options options = am_threshold_curve_options_default();
    options.first = threshold_options(setting);
    options.from = setting->along.from;
    options.to = setting->along.to;
    options.step = setting->along.step;
    options.most_points = setting->along.most_points;
    options.second = am_model_path_short(setting->along.parameter);
    return am_threshold_curve_run(model, &options, result, progress, err);
}

static am_status run_threshold(const stability_setting *setting, am_result *result, const am_progress *progress,
                               am_error *err) {
    const am_threshold_options options = threshold_options(setting);
    am_model *model = am_model_numbers_open(&setting->numbers, err);
    am_status status = model ? AM_OK : AM_ERR_MEMORY;
    if (status == AM_OK && setting->along.parameter)
        status = run_curve(setting, model, result, progress, err);
    else if (status == AM_OK && setting->closed)
        status = am_threshold_confirm(model, &options, &setting->known, result, err);
    else if (status == AM_OK)
        status = am_threshold_run(model, &options, result, progress, err);
    am_model_free(model);
    return status;
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const stability_setting *setting = settings;
    if (!setting->threshold) {
        am_status status = am_stability_run(system, &setting->options, result, progress, err);
        return status == AM_OK && am_result_wants(result, "squeal") ? am_squeal_table(result, err) : status;
    }
    return run_threshold(setting, result, progress, err);
}

const am_analysis_kind am_analysis_stability = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{curves: [{table: eigenvalues, x: real, y: imaginary, style: points}], x_label: real part, "
              "y_label: imaginary part}"};
