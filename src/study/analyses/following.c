#include "study/analyses/following.h"

#include <string.h>

#include "amontons/follow.h"
#include "study/family.h"

static const am_field fields[] = {
    AM_FIELD("parameter", TEXT, am_follow_setting, parameter, .required = true,
             .about = "path of a number of the model", .example = "model.alpha"),
    AM_FIELD("from", NUMBER, am_follow_setting, from, .required = true,
             .about = "its first value, at which the orbit is looked for", .example = "0.5"),
    AM_FIELD("to", NUMBER, am_follow_setting, to, .required = true, .about = "its last value", .example = "1.5"),
    AM_FIELD("step", NUMBER, am_follow_setting, step, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "a fiftieth of the way", .about = "largest step"),
    AM_FIELD("smallest_step", NUMBER, am_follow_setting, smallest_step, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "a millionth of the way", .about = "the branch ends where a smaller one would be needed"),
    AM_FIELD("through_folds", FLAG, am_follow_setting, through_folds, .initial = "false",
             .about = "turn back at folds, on the other side of the branch"),
};

const am_schema am_follow_schema = {
    .name = "follow",
    .title = "follow",
    .about = "Follow the orbit of the study (analysis orbit) along a number of its model, and "
             "locate and name the bifurcations on the way.",
    .size = sizeof(am_follow_setting),
    AM_FIELDS(fields)};

static am_status open_family(am_model_family *family, const am_follow_setting *follow, const am_node *root,
                             const am_files *files, am_error *err) {
    const am_node *at = am_node_nearest(root, follow->parameter);
    return am_model_family_open(family, root, files, 1, &follow->parameter, &at, err);
}

am_status am_follow_check(am_reading *reading, const am_follow_setting *follow, const am_node *root,
                          const am_case *made) {
    const am_node *node = am_node_get(root, "follow");
    if (made->analyses[0].kind != &am_analysis_orbit)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "follow needs `analysis: {kind: orbit}`, not %s",
                            made->analyses[0].kind->schema->name);
    if (strncmp(follow->parameter, "model.", 6) != 0)
        return am_node_fail(am_node_get(node, "parameter"), reading->err, AM_ERR_INPUT,
                            "'%s' cannot be followed; expected a path such as model.alpha", follow->parameter);
    if (follow->from == follow->to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    am_model_family family;
    am_status status = open_family(&family, follow, root, reading->files, reading->err);
    if (status == AM_OK)
        status = am_model_family_check(&family, &follow->from, reading->err);
    if (status == AM_OK)
        status = am_model_family_check(&family, &follow->to, reading->err);
    am_model_family_close(&family);
    return status;
}

am_status am_follow_study(const am_follow_setting *follow, const am_node *root, const am_files *files,
                          const am_case *made, am_result *result, const am_progress *progress, am_error *err) {
    am_model_family models;
    am_follow_options options = am_follow_options_default();
    options.from = follow->from;
    options.to = follow->to;
    options.step = follow->step;
    options.smallest_step = follow->smallest_step;
    options.through_folds = follow->through_folds;
    options.parameter = follow->parameter;
    options.first = am_analysis_orbit_options(made->analyses[0].settings);
    am_status status = open_family(&models, follow, root, files, err);
    am_family family = am_model_family_of_one(&models);
    if (status == AM_OK)
        status = am_follow_run(&family, &options, result, progress, err);
    am_model_family_close(&models);
    return status;
}
