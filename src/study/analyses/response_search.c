#include "study/analyses/response_search.h"

#include <math.h>
#include <stddef.h>

/* ---- isolas ---- */

static void isolas_defaults(void *record) {
    am_isolas_setting *isolas = record;
    am_response_isolas options = am_response_options_default().isolas;
    isolas->count = 5;
    isolas->starts = options.starts;
    isolas->guesses = options.guesses;
    isolas->within = options.within;
    isolas->seed = (size_t)options.seed;
}

static am_status isolas_finish(am_reading *reading, const am_node *node, void *record) {
    am_isolas_setting *isolas = record;
    isolas->given = true;
    if (isolas->at.values && am_node_get(node, "count"))
        return am_node_fail(am_node_get(node, "count"), reading->err, AM_ERR_INPUT,
                            "either `at` or `count`: both say where motions are sought");
    if (!isolas->at.values && isolas->count == 0)
        return am_node_fail(am_node_get(node, "count"), reading->err, AM_ERR_INPUT,
                            "count is 0; motions must be sought somewhere");
    return AM_OK;
}

static const am_field isolas_fields[] = {
    AM_FIELD("at", NUMBERS, am_isolas_setting, at,
             .initial = "spread over the range, and where the branches known are largest",
             .about = "values of the parameter at which motions are sought"),
    AM_FIELD("count", COUNT, am_isolas_setting, count, .initial = "5",
             .about = "how many values, when `at` is not given"),
    AM_FIELD("starts", COUNT, am_isolas_setting, starts, .initial = "24",
             .about = "motions followed in time at each value until they repeat"),
    AM_FIELD("guesses", COUNT, am_isolas_setting, guesses, .initial = "64",
             .about = "random guesses of the balance at each value"),
    AM_FIELD("within", NUMBER, am_isolas_setting, within, .range = AM_RANGE_POSITIVE, .initial = "3",
             .about = "starts and guesses are up to so many times as large as the branches known"),
    AM_FIELD("seed", COUNT, am_isolas_setting, seed, .initial = "0", .about = "another one gives other starts"),
};

const am_schema am_isolas_schema = {.name = "isolas",
                                    .title = "isolas",
                                    .about = "Other motions of a forced structure, sought at some values of the "
                                             "parameter; what lies on no branch is followed.",
                                    .size = sizeof(am_isolas_setting),
                                    .defaults = isolas_defaults,
                                    .finish = isolas_finish,
                                    AM_FIELDS(isolas_fields)};

/* ---- folds ---- */

static void folds_defaults(void *record) {
    ((am_folds_setting *)record)->most_points = am_response_options_default().fold_curves.most_points;
}

static const am_field folds_fields[] = {
    AM_FIELD("along", TEXT, am_folds_setting, along, .required = true,
             .about = "another number of the model, by its name", .example = "beta"),
    AM_FIELD("from", NUMBER, am_folds_setting, from, .required = true, .about = "its least value", .example = "0.1"),
    AM_FIELD("to", NUMBER, am_folds_setting, to, .required = true,
             .about = "its greatest value; the model's own lies between", .example = "3"),
    AM_FIELD("most_points", COUNT, am_folds_setting, most_points, .initial = "2000", .about = "of one curve and side"),
};

const am_schema am_folds_schema = {.name = "folds",
                                   .title = "folds",
                                   .about = "The folds of the branches, followed along a second number of the model.",
                                   .size = sizeof(am_folds_setting),
                                   .defaults = folds_defaults,
                                   AM_FIELDS(folds_fields)};

/* ---- reading ---- */

void am_response_search_bind(const am_isolas_setting *isolas, am_response_options *options) {
    if (!isolas->given)
        return;
    options->isolas = (am_response_isolas){.count = isolas->at.values ? isolas->at.count : isolas->count,
                                           .at = isolas->at.values,
                                           .starts = isolas->starts,
                                           .guesses = isolas->guesses,
                                           .within = isolas->within,
                                           .seed = isolas->seed};
}

/* Folds start at the model's own value of their number, and must find a model at both ends of its range. */
am_status am_folds_bind(am_reading *reading, const am_node *node, am_model_numbers *numbers,
                        const am_folds_setting *folds, am_response_options *options) {
    am_response_folds *o = &options->fold_curves;
    const am_node *along = am_node_get(am_node_get(node, "folds"), "along");
    if (!folds->along)
        return AM_OK;
    if (am_model_numbers_have(numbers, folds->along))
        return am_node_fail(along, reading->err, AM_ERR_INPUT, "folds along %s need another number than that of `over`",
                            folds->along);
    o->number = am_model_numbers_add(numbers, folds->along, along);
    if (isnan(numbers->value[o->number]))
        return am_node_fail(along, reading->err, AM_ERR_INPUT, "the model has no number %s to begin with",
                            folds->along);
    o->from = folds->from;
    o->to = folds->to;
    o->most_points = folds->most_points;
    const double ends[2][2] = {{options->from, o->from}, {options->from, o->to}};
    return am_model_numbers_accept(numbers, 2, ends, reading->err);
}
