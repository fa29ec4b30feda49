#include "study/analyses/following.h"

#include <string.h>

#include "amontons/orbit.h"
#include "study/model_numbers.h"
#include "study/unknown_number.h"

static void set_defaults(void *record) {
    ((am_follow_setting *)record)->options = am_follow_options_default();
}

static const am_field fields[] = {
    AM_FIELD("parameter", TEXT, am_follow_setting, parameter, .required = true,
             .about = "path of a number of the model", .example = "model.alpha"),
    AM_FIELD("from", NUMBER, am_follow_setting, options.from, .required = true,
             .about = "its first value, at which the orbit is looked for", .example = "0.5"),
    AM_FIELD("to", NUMBER, am_follow_setting, options.to, .required = true, .about = "its last value",
             .example = "1.5"),
    AM_FIELD("step", NUMBER, am_follow_setting, options.step, AM_NOT_NEGATIVE, .initial = "a fiftieth of the way",
             .about = "largest step"),
    AM_FIELD("smallest_step", NUMBER, am_follow_setting, options.smallest_step, AM_NOT_NEGATIVE,
             .initial = "a millionth of the way", .about = "the branch ends where a smaller one would be needed"),
    AM_FIELD("through_folds", FLAG, am_follow_setting, options.through_folds, .initial = "false",
             .about = "turn back at folds, on the other side of the branch"),
};

const am_schema am_follow_schema = {
    .name = "follow",
    .title = "follow",
    .about = "Follow the orbit of the study (analysis orbit) along a number of its model, and "
             "locate and name the bifurcations on the way.",
    .size = sizeof(am_follow_setting),
    .defaults = set_defaults,
    AM_FIELDS(fields)};

/* The number as the user names it is also the name of a column. */
static am_model_numbers numbers_of(const am_follow_setting *follow, const am_node *root, const am_case *made) {
    am_model_numbers numbers = am_model_numbers_of(am_node_get(root, "model"), made->files, &made->model);
    am_model_numbers_add(&numbers, follow->parameter, am_node_nearest(root, follow->parameter));
    numbers.name[0] = follow->parameter;
    return numbers;
}

am_status am_follow_check(am_reading *reading, const am_follow_setting *follow, const am_node *root,
                          const am_case *made) {
    const am_node *node = am_node_get(root, "follow");
    if (made->analyses[0].kind != &am_analysis_orbit)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "follow needs `analysis: {kind: orbit}`, not %s",
                            made->analyses[0].kind->schema->name);
    if (strncmp(follow->parameter, "model.", 6) != 0) {
        const char *likely =
            am_likely_number(am_node_get(root, "model"), follow->parameter, reading->pool, reading->err);
        return am_node_fail(am_node_get(node, "parameter"), reading->err, AM_ERR_INPUT,
                            "'%s' cannot be followed; expected a path such as model.%s", follow->parameter,
                            likely ? likely : "alpha");
    }
    if (follow->options.from == follow->options.to)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "from and to are the same");
    const am_model_numbers numbers = numbers_of(follow, root, made);
    const double ends[2][2] = {{follow->options.from}, {follow->options.to}};
    return am_model_numbers_accept(&numbers, 2, ends, reading->err);
}

am_status am_follow_study(const am_follow_setting *follow, const am_node *root, const am_case *made, am_result *result,
                          const am_progress *progress, am_error *err) {
    am_follow_options options = follow->options;
    options.first = am_analysis_orbit_options(made->analyses[0].settings);
    const am_model_numbers numbers = numbers_of(follow, root, made);
    am_model *model = am_model_numbers_open(&numbers, err);
    am_status status = model ? am_follow_run(model, &options, result, progress, err) : AM_ERR_MEMORY;
    am_model_free(model);
    return status;
}
