#include "base/local.h"
#include "study/sweep/sweep.h"
#include "study/unknown_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "study/sweep/grid.h"
#include "study/sweep/refine_grid.h"

/* More than this is more than a table can hold. */
static const double most_points = 1e8;

/* Drawn axes are one set of points. */
static am_status check_draws(am_reading *reading, const am_sweep_setting *sweep) {
    const am_sweep_axis *axes = sweep->axes.items, *first = NULL;
    for (size_t a = 0; a < sweep->axes.count; a++) {
        if (axes[a].draw == AM_SWEEP_GRID)
            continue;
        if (first && axes[a].count != first->count)
            return am_node_fail(sweep->axes.nodes[a], reading->err, AM_ERR_INPUT,
                                "axes that are drawn share their points: all need the same count, %zu, not %zu",
                                first->count, axes[a].count);
        first = first ? first : &axes[a];
    }
    if (first && (sweep->over || sweep->ratio))
        return am_node_fail(sweep->axes.node, reading->err, AM_ERR_INPUT,
                            "%s goes along an axis of a grid, and axes of this sweep are drawn",
                            sweep->over ? "over" : "ratio");
    return AM_OK;
}

bool am_sweep_matches(const char *pattern, const char *name) {
    size_t length = strlen(pattern);
    return length > 0 && pattern[length - 1] == '*' ? strncmp(pattern, name, length - 1) == 0
                                                    : strcmp(pattern, name) == 0;
}

static am_status check_refine(am_reading *reading, const am_node *node, const am_sweep_setting *sweep) {
    const am_sweep_axis *axes = sweep->axes.items;
    const am_node *refine = am_node_get(node, "refine");
    if (!refine)
        return AM_OK;
    if (sweep->axes.count > AM_SWEEP_REFINED_AXES)
        return am_node_fail(refine, reading->err, AM_ERR_INPUT, "refine takes at most %d axes, not %zu",
                            AM_SWEEP_REFINED_AXES, sweep->axes.count);
    for (size_t a = 0; a < sweep->axes.count; a++)
        if (axes[a].draw != AM_SWEEP_GRID)
            return am_node_fail(refine, reading->err, AM_ERR_INPUT,
                                "refine goes from coarse to fine grids, and %s is drawn", sweep->axes.keys[a]->text);
    if (sweep->tables.count > 0)
        return am_node_fail(refine, reading->err, AM_ERR_INPUT,
                            "refine leaves points out, and `tables` asks for those of all points");
    bool known = !sweep->outputs.values;
    for (size_t i = 0; i < sweep->outputs.count; i++)
        known = known || am_sweep_matches(sweep->outputs.values[i], sweep->refine.output);
    if (!known)
        return am_node_fail(refine, reading->err, AM_ERR_INPUT, "refine.output, %s, must be one of the outputs",
                            sweep->refine.output);
    return AM_OK;
}

static am_status refine_finish(am_reading *reading, const am_node *node, void *record) {
    const am_sweep_refine *refine = record;
    if (!refine->output || !*refine->output)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "refine needs the output whose changes it looks for");
    if (refine->coarse < 2 || refine->coarse > 1024 || (refine->coarse & (refine->coarse - 1)) != 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "coarse must be a power of two from 2 to 1024, not %zu",
                            refine->coarse);
    return AM_OK;
}

static void refine_defaults(void *record) {
    am_sweep_refine *refine = record;
    refine->coarse = 16;
}

static const am_field refine_fields[] = {
    AM_FIELD("output", TEXT, am_sweep_refine, output, .required = true, .about = "a name or a number of the summary"),
    AM_FIELD("coarse", COUNT, am_sweep_refine, coarse, .initial = "16",
             .about = "steps of the first grid: a power of two"),
    AM_FIELD("tolerance", NUMBER, am_sweep_refine, tolerance, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0",
             .about = "numbers that differ by more are a change"),
};

const am_schema am_sweep_refine_schema = {.name = "refine",
                                          .title = "refine of a sweep",
                                          .about = "A coarse grid first, finer ones where an output changes.",
                                          .size = sizeof(am_sweep_refine),
                                          .defaults = refine_defaults,
                                          .finish = refine_finish,
                                          .shorthand = "output",
                                          AM_FIELDS(refine_fields)};

static am_status condition_finish(am_reading *reading, const am_node *node, void *record) {
    const am_sweep_condition *c = record;
    if (isnan(c->above) && isnan(c->below))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "a condition needs a limit: above, below, or both");
    if (c->above >= c->below)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "nothing lies above %g and below %g", c->above, c->below);
    return AM_OK;
}

static const am_field condition_fields[] = {
    AM_FIELD("output", TEXT, am_sweep_condition, output, .required = true,
             .about = "one of the outputs, a number or a flag"),
    AM_FIELD("above", NUMBER, am_sweep_condition, above, .optional = true, .about = "it lies above this"),
    AM_FIELD("below", NUMBER, am_sweep_condition, below, .optional = true, .about = "it lies below this"),
};

static const am_schema condition_schema = {.name = "condition",
                                           .title = "a condition of a sweep",
                                           .about = "An output between limits: how probable is it?",
                                           .size = sizeof(am_sweep_condition),
                                           .finish = condition_finish,
                                           AM_FIELDS(condition_fields)};

/* Conditions are about samples, and about outputs that are kept. */
static am_status check_conditions(am_reading *reading, const am_sweep_setting *sweep) {
    const am_sweep_condition *conditions = sweep->conditions.items;
    for (size_t i = 0; i < sweep->conditions.count; i++) {
        bool known = !sweep->outputs.values;
        for (size_t k = 0; k < sweep->outputs.count; k++)
            known = known || am_sweep_matches(sweep->outputs.values[k], conditions[i].output);
        if (!known)
            return am_node_fail(sweep->conditions.nodes[i], reading->err, AM_ERR_INPUT,
                                "%s must be one of the outputs of the sweep", conditions[i].output);
    }
    if (sweep->conditions.count > 0 && !am_sweep_is_drawn(sweep))
        return am_node_fail(
            sweep->conditions.node, reading->err, AM_ERR_INPUT,
            "conditions have a probability where points are drawn (draw: sobol or random), not on a grid");
    return AM_OK;
}

static bool is_axis(const am_sweep_setting *sweep, const char *name) {
    for (size_t a = 0; a < sweep->axes.count; a++)
        if (strcmp(sweep->axes.keys[a]->text, name) == 0)
            return true;
    return false;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_sweep_setting *sweep = record;
    if (sweep->axes.count < 1 || sweep->axes.count > AM_SWEEP_AXES)
        return am_node_fail(sweep->axes.node, reading->err, AM_ERR_INPUT, "a sweep must have 1 to %d axes, not %zu",
                            AM_SWEEP_AXES, sweep->axes.count);
    if (sweep->over && (!is_axis(sweep, sweep->over) || sweep->axes.count < 2))
        return am_node_fail(am_node_get(node, "over"), reading->err, AM_ERR_INPUT,
                            "over must name one of two or more axes of the sweep, not '%s'", sweep->over);
    if (sweep->ratio && !is_axis(sweep, sweep->ratio))
        return am_node_fail(am_node_get(node, "ratio"), reading->err, AM_ERR_INPUT,
                            "ratio must name one of the axes of the sweep, not '%s'", sweep->ratio);
    AM_TRY(check_draws(reading, sweep));
    AM_TRY(check_conditions(reading, sweep));
    return check_refine(reading, node, sweep);
}

static const am_field fields[] = {
    AM_FIELD("axes", NAMED, am_sweep_setting, axes, .required = true, .inner = &am_sweep_axis_schema,
             .about = "paths of numeric fields (model.friction, model.load_rate.0) with values",
             .example = "{model.friction: {from: 0.1, to: 0.9, count: 9}}"),
    AM_FIELD("outputs", TEXTS, am_sweep_setting, outputs, .initial = "all",
             .about = "names of summary values to keep; q* means all that begin with q"),
    AM_FIELD("tables", TEXTS, am_sweep_setting, tables, .initial = "none",
             .about = "names of tables to keep: those of all points, one below the other, axes in front"),
    AM_FIELD("over", TEXT, am_sweep_setting, over, .initial = "none",
             .about = "one of the axes: the table `peaks` has the rows in which the first output is greatest along it"),
    AM_FIELD("ratio", TEXT, am_sweep_setting, ratio, .initial = "none",
             .about = "one of the axes: the table `ratios` has every output over what it is at the axis' first value"),
    AM_FIELD("refine", RECORD, am_sweep_setting, refine, .inner = &am_sweep_refine_schema, .initial = "none",
             .about = "a coarse grid first, finer ones where this output changes"),
    AM_FIELD("conditions", NAMED, am_sweep_setting, conditions, .inner = &condition_schema, .initial = "none",
             .about =
                 "names for what may happen at drawn points, {output, above, below}: the table `probabilities` says "
                 "how probable it is"),
    AM_FIELD("seed", COUNT, am_sweep_setting, seed, .initial = "0", .about = "of axes that are drawn"),
};

const am_schema am_sweep_schema = {
    .name = "sweep",
    .title = "sweep",
    .about = "Run the study at every point of a grid, or a sample, of parameters, in parallel. When "
             "it was interrupted, the same command goes on; mpirun shares it among machines.",
    .size = sizeof(am_sweep_setting),
    .finish = finish,
    AM_FIELDS(fields)};

/* The point at a corner of the grid: bit a of `corner` chooses the end of axis a. */
static size_t corner_point(const am_sweep_setting *sweep, size_t corner) {
    const am_sweep_axis *axes = sweep->axes.items;
    size_t point = 0;
    bool drawn = false;
    for (size_t a = 0; a < sweep->axes.count; a++) {
        bool along = drawn && axes[a].draw != AM_SWEEP_GRID;
        drawn = drawn || axes[a].draw != AM_SWEEP_GRID;
        if (!along)
            point = point * axes[a].count + (corner >> a & 1 ? axes[a].count - 1 : 0);
    }
    return point;
}

/* ---- What too many points would cost ---- */

static bool has_time(void *context, double fraction) {
    (void)fraction;
    return am_clock_seconds() < *(const double *)context;
}

/* Seconds for one point, by running it for at most two; and how many values it gives. */
static double seconds_of(const am_case *made, size_t *values) {
    double begin = am_clock_seconds(), end = begin + 2.0;
    am_error ignored = {0};
    am_progress patience = {.report = has_time, .context = &end, .threads = 1};
    am_result *result = am_result_create(&ignored);
    if (result)
        am_case_run(made, result, &patience, &ignored);
    *values = result ? am_result_scalar_count(result) : 0;
    am_result_free(result);
    return am_clock_seconds() - begin;
}

static am_status refuse_size(am_reading *reading, const am_sweep_setting *sweep, const am_case *made) {
    size_t values = 0;
    double points = am_grid_size(sweep), seconds = points * seconds_of(made, &values), years = seconds / 3.15576e7;
    char time[64];
    values = sweep->outputs.values ? sweep->outputs.count : values;
    if (years >= 1.0)
        snprintf(time, sizeof time, "%.3g years", years);
    else
        snprintf(time, sizeof time, "%.3g days", seconds / 86400.0);
    return am_node_fail(sweep->axes.node, reading->err, AM_ERR_INPUT,
                        "the sweep has %g points: about %s on one core and %.3g GB of results; at most %g points are "
                        "allowed. Take fewer values, or `draw: sobol`",
                        points, time, points * 8e-9 * (double)(sweep->axes.count + values + 1), most_points);
}

/* A field that two axes name, in two spellings: the tree has the value of one of them only. */
static am_status refuse_twins(am_reading *reading, const am_sweep_setting *sweep, am_grid *grid) {
    for (size_t a = 0; a < sweep->axes.count; a++)
        for (size_t b = 0; b < sweep->axes.count; b++) {
            const am_node *there = am_node_find(grid->root, sweep->axes.keys[a]->text);
            if (a != b && there == grid->values[b])
                return am_node_fail(sweep->axes.keys[b], reading->err, AM_ERR_INPUT,
                                    "%s and %s are the same field: it has one axis only", sweep->axes.keys[a]->text,
                                    sweep->axes.keys[b]->text);
        }
    return AM_OK;
}

/* What an axis goes over must not hold a word: a name of something would take a number for another name. Nothing there
 * yet, or nothing (null), is for the reader to judge. */
static am_status refuse_words(am_reading *reading, const am_sweep_setting *sweep, const am_node *root) {
    am_node *tree = am_node_copy(reading->pool, root, reading->err);
    if (!tree)
        return AM_ERR_MEMORY;
    for (size_t a = 0; a < sweep->axes.count; a++) {
        const am_node *key = sweep->axes.keys[a], *was = am_node_find(tree, key->text);
        double number;
        bool automatic = was && was->kind == AM_NODE_SCALAR && !strcmp(was->text, "auto"); /* or a number */
        if (was && was->kind == AM_NODE_SCALAR && !automatic && !am_node_is_null(was) && !am_node_number(was, &number))
            return am_node_fail(key, reading->err, AM_ERR_INPUT,
                                "%s is '%s', which is no number: a sweep goes over numeric fields", key->text,
                                was->text);
    }
    return AM_OK;
}

/* Points that are checked besides the corners, where those are refused. */
enum { CHECKED_POINTS = 64 };

/* The points to check before a sweep runs: its corners, then others, evenly spread. */
static size_t checked_point(const am_sweep_setting *sweep, size_t index) {
    size_t corners = (size_t)1 << sweep->axes.count, points = am_grid_points(sweep);
    if (index < corners)
        return corner_point(sweep, index);
    index -= corners;
    return points <= CHECKED_POINTS ? index % points : points / CHECKED_POINTS * index + points / CHECKED_POINTS / 2;
}

/* Does a refusal point at this place of the file? */
static bool points_at(const am_node *node, const am_error *refusal) {
    am_error here = {0};
    am_node_fail(node, &here, AM_ERR_INPUT, "%s", "");
    return strncmp(here.message, refusal->message, strlen(here.message)) == 0;
}

/* Is it a value on an axis that was refused, whatever the others are? */
static bool blames_an_axis(const am_sweep_setting *sweep, const am_error *refusal) {
    for (size_t a = 0; a < sweep->axes.count; a++) {
        const am_node *values = am_node_get(sweep->axes.node, sweep->axes.keys[a]->text);
        if (values && points_at(values, refusal))
            return true;
        for (size_t i = 0; values && values->kind == AM_NODE_LIST && i < values->count; i++)
            if (points_at(values->items[i], refusal))
                return true;
    }
    return false;
}

/* A value at the end of an axis that its field refuses (a negative friction) is refused before anything runs. Other
 * points that are refused, because the numbers do not go together, are points that fail, as long as the study is sound
 * somewhere: at a corner of the grid, or at one of the points between. Otherwise what the first was refused for. */
static am_status check_points(am_reading *reading, const am_sweep_setting *sweep, am_grid *grid, am_arena *pool) {
    bool large = am_grid_size(sweep) > most_points, sound = false;
    size_t corners = large ? 1 : (size_t)1 << sweep->axes.count, count = large ? 1 : corners + CHECKED_POINTS;
    am_error first = {0};
    for (size_t i = 0; i < count && !(sound && i >= corners); i++) {
        am_error own = {0};
        am_case made;
        am_arena_reset(pool);
        am_grid_move(grid, large ? 0 : checked_point(sweep, i));
        am_reading point = {.pool = pool, .files = reading->files, .err = &own};
        am_status status = am_case_read(&point, grid->root, &made);
        if (status == AM_OK && large)
            return refuse_size(reading, sweep, &made);
        sound = sound || status == AM_OK;
        if (status && (status == AM_ERR_MEMORY || blames_an_axis(sweep, &own))) {
            *reading->err = own;
            return status;
        }
        if (status && !first.status)
            first = own;
    }
    if (sound)
        return AM_OK;
    *reading->err = first;
    return first.status;
}

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

/* Axes go over fields of the model and of analyses; a number of the model may lack its `model.` */
static am_status check_places(am_reading *reading, const am_sweep_setting *sweep, const am_node *root) {
    for (size_t a = 0; a < sweep->axes.count; a++) {
        const am_node *key = sweep->axes.keys[a], *model = am_node_get(root, "model");
        if (begins_with(key->text, "model.") || begins_with(key->text, "analysis.") || begins_with(key->text, "also."))
            continue;
        const char *likely = am_likely_number(model, key->text, reading->pool, reading->err);
        return am_node_fail(key, reading->err, AM_ERR_INPUT,
                            "'%s' cannot be swept; expected a path such as model.%s or analysis.until", key->text,
                            likely ? likely : "friction");
    }
    return AM_OK;
}

static am_status check_grid(am_reading *reading, const am_sweep_setting *sweep, const am_node *root) {
    AM_LOCAL(am_grid_close) am_grid grid = {0};
    AM_LOCAL_ARENA pool = {0};
    AM_TRY(am_grid_open(&grid, sweep, root, reading->err));
    AM_TRY(refuse_words(reading, sweep, root));
    AM_TRY(refuse_twins(reading, sweep, &grid));
    return check_points(reading, sweep, &grid, &pool);
}

am_status am_sweep_check(am_reading *reading, const am_sweep_setting *sweep, const am_node *root) {
    AM_TRY(check_places(reading, sweep, root));
    am_status status = check_grid(reading, sweep, root);
    for (size_t a = 0; status == AM_ERR_INPUT && a < sweep->axes.count; a++) {
        const am_node *key = sweep->axes.keys[a];
        if (begins_with(key->text, "model."))
            am_suggest_number(am_node_get(root, "model"), key->text + 6, "model.", reading->err);
    }
    return status;
}
