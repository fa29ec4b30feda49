#include <math.h>
#include <string.h>

#include "amontons/stability.h"
#include "analyses/stability/sliding.h"
#include "base/try.h"
#include "study/bind.h"
#include "study/model_numbers.h"
#include "system/capability.h"

typedef struct stability_setting {
    am_stability_options options;
    am_words state;
    am_threshold_curve_options curve; /* `along:`; its `first` is the threshold; names NULL: not asked for */
    am_model_numbers numbers;         /* of a threshold: the one that varies, and that of `along` */
    bool closed;                      /* the model knows the threshold itself: */
    am_threshold known;               /* its closed form */
} stability_setting;

static void set_defaults(void *record) {
    stability_setting *setting = record;
    setting->options = am_stability_options_default();
    setting->curve = am_threshold_curve_options_default();
    setting->curve.first.parameter = setting->curve.second = NULL;
}

static const am_field along_fields[] = {
    AM_FIELD("parameter", TEXT, am_threshold_curve_options, second, .required = true,
             .about = "another number of the model, by its name", .example = "C_r"),
    AM_FIELD("from", NUMBER, am_threshold_curve_options, from, .required = true, .about = "its first value",
             .example = "0.1"),
    AM_FIELD("to", NUMBER, am_threshold_curve_options, to, .required = true, .about = "its last value", .example = "3"),
    AM_FIELD("step", NUMBER, am_threshold_curve_options, step, AM_POSITIVE, .initial = "0.02",
             .about = "largest step, as a part of the curve's extent"),
    AM_FIELD("most_points", COUNT, am_threshold_curve_options, most_points, .initial = "10000",
             .about = "the curve ends there"),
};

static const am_schema along_schema = {.name = "along",
                                       .title = "along",
                                       .about = "The threshold as a curve, followed by arc length along a second "
                                                "number of the model.",
                                       .size = sizeof(am_threshold_curve_options),
                                       AM_FIELDS(along_fields)};

static const am_word preloaded_words[] = {{"stuck", AM_PRELOADED_STUCK, "closed contacts stick"},
                                          {"sliding", AM_PRELOADED_SLIDING, "closed contacts slide freely"},
                                          {NULL, 0, NULL}};

static const am_field fields[] = {
    AM_FIELD("state", WORDS, stability_setting, state, .words = am_state_words,
             .initial = "sliding, against the moving surface",
             .about = "state of each contact; one word stands for all", .example = "backward"),
    AM_FIELD("preloaded", WORD, stability_setting, options.preloaded, .words = preloaded_words,
             .initial = "no: steady sliding, or `state`",
             .about = "small vibrations about the state that the constant loads (`preload` of a structure, and others) "
                      "leave when they are put on slowly: closed contacts stuck, or sliding"),
    AM_FIELD(
        "threshold", TEXT, stability_setting, curve.first.parameter, .initial = "none",
        .about =
            "a number of the model by its name (Delta, contact.D_c): look for its value at which stability is lost"),
    AM_FIELD("from", NUMBER, stability_setting, curve.first.from, .initial = "0",
             .about = "threshold: a value at which sliding is stable, where the search begins"),
    AM_FIELD("to", NUMBER, stability_setting, curve.first.to, .initial = "without end, in steps that double",
             .about = "threshold: where the search ends"),
    AM_FIELD("along", RECORD, stability_setting, curve, .inner = &along_schema, .initial = "none",
             .about = "threshold: its curve along a second number of the model"),
};

/* Fields that mean something only beside `threshold`. */
static am_status finish(am_reading *reading, const am_node *node, void *record) {
    const am_threshold_curve_options *curve = &((const stability_setting *)record)->curve;
    const am_threshold_options *first = &curve->first;
    static const char *const others[] = {"from", "to", "along"};
    if (am_node_get(node, "preloaded") && am_node_get(node, "state"))
        return am_node_fail(am_node_get(node, "state"), reading->err, AM_ERR_INPUT,
                            "a preload finds the contact states itself: give `preloaded` or `state`");
    for (size_t i = 0; !first->parameter && i < 3; i++)
        if (am_node_get(node, others[i]))
            return am_node_fail(am_node_get(node, others[i]), reading->err, AM_ERR_INPUT,
                                "%s needs `threshold:`, the number of the model that varies", others[i]);
    if (first->parameter && first->from == first->to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    if (curve->second && curve->from == curve->to)
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
    const am_threshold_options *first = &setting->curve.first;
    am_threshold *known = &setting->known;
    *known = (am_threshold){.critical = NAN, .omega = NAN, .growth = NAN, .bracket = NAN, .uncertainty = NAN};
    known->reached = first->to;
    return !setting->options.state && !setting->curve.second && first->to > first->from && model->kind->threshold &&
           model->kind->threshold(model->settings, first->parameter, first->from, first->to, known);
}

/* A name that is no number of the model, or an end that it refuses, is said before anything runs. */
static am_status check_ends(am_reading *reading, const stability_setting *setting) {
    const am_threshold_curve_options *curve = &setting->curve;
    const am_threshold_options *first = &curve->first;
    const double corners[4][2] = {
        {first->from, curve->from}, {first->to, curve->from}, {first->from, curve->to}, {first->to, curve->to}};
    for (size_t i = 0; i < (curve->second ? 4 : 2); i++)
        if (isfinite(corners[i][0]))
            AM_TRY(am_model_numbers_accept(&setting->numbers, 1, &corners[i], reading->err));
    return AM_OK;
}

/* Without an end, the first span is as long as the number that the study gives. */
static double first_span(const am_case *made, const char *parameter) {
    double value = 0.0;
    const am_node *node = am_node_find(am_node_get(made->root, "model"), parameter);
    return node && am_node_number(node, &value) && value != 0.0 ? fabs(value) : 1.0;
}

static am_status bind_threshold(am_reading *reading, const am_node *node, const am_case *made,
                                stability_setting *setting) {
    am_threshold_options *first = &setting->curve.first;
    const char **along = &setting->curve.second, *threshold = first->parameter;
    const am_node *along_at = am_node_get(am_node_get(node, "along"), "parameter");
    first->parameter = am_model_path_short(threshold);
    *along = *along ? am_model_path_short(*along) : NULL;
    if (*along && strcmp(first->parameter, *along) == 0)
        return am_node_fail(along_at, reading->err, AM_ERR_INPUT,
                            "the curve needs a number other than the threshold's own, %s", threshold);
    setting->numbers = am_model_numbers_of(am_node_get(made->root, "model"), reading->files, &made->model);
    am_model_numbers_add(&setting->numbers, first->parameter, am_node_get(node, "threshold"));
    if (*along)
        am_model_numbers_add(&setting->numbers, *along, along_at);
    first->span = first_span(made, first->parameter);
    first->stability = &setting->options;
    setting->closed = closed_form(&made->model, setting);
    return setting->closed ? AM_OK : check_ends(reading, setting);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    stability_setting *setting = settings;
    AM_TRY(am_bind_states(reading, &setting->state, "state", made->system, &setting->options.state));
    return setting->curve.first.parameter ? bind_threshold(reading, node, made, setting) : AM_OK;
}

/* ---- Running ---- */

static am_status run_threshold(const stability_setting *setting, am_result *result, const am_progress *progress,
                               am_error *err) {
    const am_threshold_curve_options *curve = &setting->curve;
    am_model *model = am_model_numbers_open(&setting->numbers, err);
    if (!model)
        return AM_ERR_MEMORY;
    am_status status = curve->second     ? am_threshold_curve_run(model, curve, result, progress, err)
                       : setting->closed ? am_threshold_confirm(model, &curve->first, &setting->known, result, err)
                                         : am_threshold_run(model, &curve->first, result, progress, err);
    am_model_free(model);
    return status;
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const stability_setting *setting = settings;
    if (setting->curve.first.parameter)
        return run_threshold(setting, result, progress, err);
    return am_stability_run(system, &setting->options, result, progress, err);
}

static am_status check(const am_system *system, const void *settings, am_error *err) {
    const stability_setting *setting = settings;
    const am_stability_options *o = &setting->options;
    AM_TRY(am_system_check(system, "stability", err));
    if (o->preloaded != AM_PRELOADED_NOT)
        return AM_OK;
    if (setting->curve.first.parameter) /* which may be what moves the surfaces */
        return o->state ? AM_OK : am_sliding_check_loads(system, err);
    return am_sliding_check_states(system, o->state, err);
}

const am_analysis_kind am_analysis_stability = {
    .schema = &schema,
    .bind = bind,
    .check = check,
    .run = run,

    .figure = "{curves: [{table: eigenvalues, x: real, y: imaginary, style: points}], x_label: real part, "
              "y_label: imaginary part}"};
