#include "study/sweep/grid.h"

#include <math.h>

#include "base/random.h"

enum { spacing_linear, spacing_log };

static const am_word spacing_words[] = {{"linear", spacing_linear, "equal differences"},
                                        {"log", spacing_log, "equal ratios"},
                                        {"logarithmic", spacing_log, "the same"},
                                        {NULL, 0, NULL}};

static const am_word draw_words[] = {{"grid", AM_SWEEP_GRID, "every combination with the values of other axes"},
                                     {"random", AM_SWEEP_RANDOM, "random points, in all drawn axes at once"},
                                     {"sobol", AM_SWEEP_SOBOL, "points of a Sobol sequence, spread evenly"},
                                     {NULL, 0, NULL}};

static am_status axis_finish(am_reading *reading, const am_node *node, void *record) {
    am_sweep_axis *axis = record;
    bool range =
        node->kind == AM_NODE_MAP && am_node_get(node, "from") && am_node_get(node, "to") && am_node_get(node, "count");
    if (axis->values.values && axis->draw != AM_SWEEP_GRID)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "values are drawn between from and to, not from a list");
    if (axis->values.values) {
        axis->count = axis->values.count;
        if (range || axis->count == 0)
            return am_node_fail(node, reading->err, AM_ERR_INPUT,
                                "an axis of a sweep is a list of at least one value, or from, to and count: not both");
        return AM_OK;
    }
    if (!range || axis->count == 0)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "an axis of a sweep needs from, to and count (at least 1), or a list of values");
    if (axis->spacing == spacing_log && !(axis->from > 0 && axis->to > 0))
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "spacing: log needs positive from and to");
    return AM_OK;
}

static const am_field axis_fields[] = {
    AM_FIELD("from", NUMBER, am_sweep_axis, from, .about = "first value"),
    AM_FIELD("to", NUMBER, am_sweep_axis, to, .about = "last value"),
    AM_FIELD("count", COUNT, am_sweep_axis, count, .about = "how many"),
    AM_FIELD("spacing", WORD, am_sweep_axis, spacing, .words = spacing_words, .initial = "linear",
             .about = "between them"),
    AM_FIELD("draw", WORD, am_sweep_axis, draw, .words = draw_words, .initial = "grid", .about = "how they are chosen"),
    AM_FIELD("values", NUMBERS, am_sweep_axis, values, .about = "the values themselves, instead; a plain list will do"),
};

const am_schema am_sweep_axis_schema = {.name = "axis",
                                        .title = "an axis of a sweep",
                                        .about = "The values of one field.",
                                        .size = sizeof(am_sweep_axis),
                                        .finish = axis_finish,
                                        AM_FIELDS(axis_fields),
                                        .shorthand = "values"};

static const am_sweep_axis *axis_of(const am_sweep_setting *sweep, size_t axis) {
    return (const am_sweep_axis *)sweep->axes.items + axis;
}

/* Is this a drawn axis that goes with an earlier one? */
static bool goes_along(const am_sweep_setting *sweep, size_t axis) {
    if (axis_of(sweep, axis)->draw == AM_SWEEP_GRID)
        return false;
    for (size_t a = 0; a < axis; a++)
        if (axis_of(sweep, a)->draw != AM_SWEEP_GRID)
            return true;
    return false;
}

size_t am_grid_points(const am_sweep_setting *sweep) {
    size_t points = 1;
    for (size_t a = 0; a < sweep->axes.count; a++)
        points *= goes_along(sweep, a) ? 1 : axis_of(sweep, a)->count;
    return points;
}

double am_grid_size(const am_sweep_setting *sweep) {
    double points = 1.0;
    for (size_t a = 0; a < sweep->axes.count; a++)
        points *= goes_along(sweep, a) ? 1.0 : (double)axis_of(sweep, a)->count;
    return points;
}

static double axis_value(const am_sweep_axis *axis, size_t index) {
    if (axis->values.values)
        return axis->values.values[index];
    if (axis->count == 1)
        return axis->from;
    if (index == axis->count - 1)
        return axis->to;
    double s = (double)index / (double)(axis->count - 1);
    if (axis->spacing == spacing_log)
        return axis->from * pow(axis->to / axis->from, s);
    double value = axis->from + s * (axis->to - axis->from), whole = round(value);
    bool meant = axis->from == floor(axis->from) && axis->to == floor(axis->to) && fabs(value - whole) < 1e-12 * whole;
    return meant ? whole : value; /* seeds and other counts: rounding must not make 14.000000000000002 of 14 */
}

static double drawn_value(const am_sweep_setting *sweep, const am_sweep_axis *axis, size_t index, size_t dimension) {
    double s = axis->draw == AM_SWEEP_SOBOL ? am_random_sobol(sweep->seed, index, dimension)
                                            : am_random_unit(sweep->seed, index, dimension);
    if (axis->spacing == spacing_log)
        return axis->from * pow(axis->to / axis->from, s);
    return axis->from + s * (axis->to - axis->from);
}

/* Which of the axis' values a point has. The last axis varies fastest;
 * drawn axes vary together, in the place of the first of them. */
static size_t grid_index(const am_sweep_setting *sweep, size_t point, size_t axis) {
    size_t first = axis;
    for (size_t a = axis; goes_along(sweep, axis) && a-- > 0;)
        if (axis_of(sweep, a)->draw != AM_SWEEP_GRID)
            first = a; /* where drawn axes take their place */
    for (size_t a = sweep->axes.count - 1; a > first; a--)
        point /= goes_along(sweep, a) ? 1 : axis_of(sweep, a)->count;
    return point % axis_of(sweep, first)->count;
}

double am_grid_value(const am_sweep_setting *sweep, size_t point, size_t axis) {
    const am_sweep_axis *own = axis_of(sweep, axis);
    size_t index = grid_index(sweep, point, axis), dimension = 0;
    for (size_t a = 0; a < axis; a++)
        dimension += axis_of(sweep, a)->draw != AM_SWEEP_GRID;
    return own->draw == AM_SWEEP_GRID ? axis_value(own, index) : drawn_value(sweep, own, index, dimension);
}

size_t am_grid_groups(const am_sweep_setting *sweep) {
    size_t groups = 1;
    for (size_t a = 0; a < sweep->axes.count; a++)
        groups *= axis_of(sweep, a)->draw == AM_SWEEP_GRID ? axis_of(sweep, a)->count : 1;
    return groups;
}

size_t am_grid_group(const am_sweep_setting *sweep, size_t point) {
    size_t group = 0;
    for (size_t a = 0; a < sweep->axes.count; a++)
        if (axis_of(sweep, a)->draw == AM_SWEEP_GRID)
            group = group * axis_of(sweep, a)->count + grid_index(sweep, point, a);
    return group;
}

am_status am_grid_open(am_grid *grid, const am_sweep_setting *sweep, const am_node *root, am_error *err) {
    *grid = (am_grid){.sweep = sweep};
    grid->pool = am_arena_create(err);
    if (!grid->pool)
        return AM_ERR_MEMORY;
    grid->root = am_node_copy(grid->pool, root, err);
    am_status status = grid->root ? AM_OK : AM_ERR_MEMORY;
    for (size_t a = 0; status == AM_OK && a < sweep->axes.count; a++) {
        am_node *value = am_node_of_number(grid->pool, am_grid_value(sweep, 0, a), sweep->axes.nodes[a], err);
        if (!value)
            return AM_ERR_MEMORY;
        grid->values[a] = value;
        status = am_node_set(grid->pool, grid->root, sweep->axes.keys[a]->text, value, err);
    }
    return status;
}

void am_grid_close(am_grid *grid) {
    am_arena_free(grid->pool);
    grid->pool = NULL;
}

void am_grid_move(am_grid *grid, size_t point) {
    for (size_t a = 0; a < grid->sweep->axes.count; a++)
        grid->values[a]->number = am_grid_value(grid->sweep, point, a);
}
