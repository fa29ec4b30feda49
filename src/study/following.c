#include "study/following.h"

#include <string.h>

#include "amontons/follow.h"
#include "base/text.h"

#define FOLLOW(name_, type_, member, ...)                                                                              \
    { .name = name_, .type = type_, .offset = offsetof(am_follow_setting, member), __VA_ARGS__ }

static const am_field fields[] = {
    FOLLOW("parameter", AM_FIELD_TEXT, parameter, .required = true, .about = "path of a number of the model",
           .example = "model.alpha"),
    FOLLOW("from", AM_FIELD_NUMBER, from, .required = true,
           .about = "its first value, at which the orbit is looked for", .example = "0.5"),
    FOLLOW("to", AM_FIELD_NUMBER, to, .required = true, .about = "its last value", .example = "1.5"),
    FOLLOW("step", AM_FIELD_NUMBER, step, .range = AM_RANGE_NOT_NEGATIVE, .initial = "a fiftieth of the way",
           .about = "largest step"),
    FOLLOW("smallest_step", AM_FIELD_NUMBER, smallest_step, .range = AM_RANGE_NOT_NEGATIVE,
           .initial = "a millionth of the way", .about = "the branch ends where a smaller one would be needed"),
    FOLLOW("through_folds", AM_FIELD_FLAG, through_folds, .initial = "false",
           .about = "turn back at folds, on the other side of the branch"),
};

const am_schema am_follow_schema = {
    .name = "follow",
    .title = "follow",
    .about = "Follow the orbit of the study (analysis orbit) along a number of its model, and "
             "locate and name the bifurcations on the way.",
    .size = sizeof(am_follow_setting),
    AM_FIELDS(fields)};

/* The study's tree with the parameter's present value in it. One case at a time is alive. */
typedef struct tree {
    const char *folder;
    am_pool *pool;  /* of the tree */
    am_pool *alive; /* of the case made last */
    am_node *root;
    char text[AM_TEXT_NUMBER_SIZE];
} tree;

static am_status open_tree(tree *t, const am_follow_setting *follow, const am_node *root, const char *folder,
                           am_error *err) {
    *t = (tree){.folder = folder, .pool = am_pool_create(err)};
    if (!t->pool)
        return AM_ERR_MEMORY;
    t->root = am_node_copy(t->pool, root, err);
    const am_node *old = t->root ? am_node_find(t->root, follow->parameter) : NULL;
    am_node *value = t->root ? am_node_new(t->pool, AM_NODE_SCALAR, old ? old : root, err) : NULL;
    if (!value)
        return AM_ERR_MEMORY;
    value->text = t->text;
    return am_node_set(t->pool, t->root, follow->parameter, value, err);
}

static void release(void *context, am_system *system) {
    tree *t = context;
    (void)system; /* goes with its pool */
    am_pool_free(t->alive);
    t->alive = NULL;
}

static am_system *make(void *context, double parameter, am_error *err) {
    tree *t = context;
    am_case made;
    am_text_format_number(parameter, t->text);
    t->alive = am_pool_create(err);
    if (!t->alive)
        return NULL;
    am_reading reading = {t->alive, t->folder, err};
    if (am_case_read(&reading, t->root, &made) == AM_OK)
        return made.system;
    release(t, NULL);
    return NULL;
}

static void close_tree(tree *t) {
    am_pool_free(t->alive);
    am_pool_free(t->pool);
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
    tree t;
    am_status status = open_tree(&t, follow, root, reading->folder, reading->err);
    for (int end = 0; end < 2 && status == AM_OK; end++) {
        if (!make(&t, end ? follow->to : follow->from, reading->err))
            status = reading->err->status;
        release(&t, NULL);
    }
    close_tree(&t);
    return status;
}

am_status am_follow_study(const am_follow_setting *follow, const am_node *root, const char *folder, const am_case *made,
                          am_result *result, const am_progress *progress, am_error *err) {
    tree t;
    am_follow_options options = am_follow_options_default();
    options.from = follow->from;
    options.to = follow->to;
    options.step = follow->step;
    options.smallest_step = follow->smallest_step;
    options.through_folds = follow->through_folds;
    options.parameter = follow->parameter;
    options.first = am_analysis_orbit_options(made->analyses[0].settings);
    am_status status = open_tree(&t, follow, root, folder, err);
    am_family family = {.make = make, .release = release, .context = &t};
    if (status == AM_OK)
        status = am_follow_run(&family, &options, result, progress, err);
    close_tree(&t);
    return status;
}
