#include <stdlib.h>
#include <string.h>

#include "amontons/attractors.h"
#include "analyses/attractors/attractors_internal.h"
#include "base/try.h"
#include "study/bind.h"

typedef struct edge_setting {
    am_place from, to;
} edge_setting;

typedef struct side_setting {
    am_numbers ends;
} side_setting;

/* `v1: {from, to, count}`, or `any_name: {direction, from, to, count}` */
typedef struct axis_setting {
    am_start_axis axis;
    am_place direction;
} axis_setting;

typedef struct attractors_setting {
    am_attractors_options options;
    const am_node *starts;
    size_t seed;
    am_records box; /* of side_setting, by coordinate */
    am_place initial;
    edge_setting edge;
} attractors_setting;

AM_ANALYSIS_DEFAULTS(attractors_setting, am_attractors)

static am_status axis_finish(am_reading *reading, const am_node *node, void *record) {
    (void)reading;
    am_start_axis *axis = &((axis_setting *)record)->axis;
    if (!am_node_get(node, "to"))
        axis->to = axis->from;
    return AM_OK;
}

static const am_field axis_fields[] = {
    AM_FIELD("from", NUMBER, axis_setting, axis.from, .required = true, .about = "first value", .example = "-10"),
    AM_FIELD("to", NUMBER, axis_setting, axis.to, .initial = "equal to from", .about = "last value", .example = "10"),
    AM_FIELD("count", COUNT, axis_setting, axis.count, .least = 1, .most = 1000000, .initial = "1",
             .about = "how many, evenly spaced", .example = "41"),
    AM_FIELD(
        "direction", RECORD, axis_setting, direction, .inner = &am_place_schema, .initial = "along the coordinate",
        .about =
            "the values multiply this direction, added to the start: an axis of any plane, with a name of its own"),
};

static const am_schema axis_schema = {.name = "starts",
                                      .title = "an axis of starts",
                                      .about = "Evenly spaced values of one coordinate or velocity, or along any "
                                               "direction of starts.",
                                      .size = sizeof(axis_setting),
                                      .finish = axis_finish,
                                      AM_FIELDS(axis_fields)};

/* The mapping of axes stands alone in the study. */
static const am_field axes_field = {.name = "starts", .type = AM_FIELD_NAMED, .inner = &axis_schema};

static const am_field side_fields[] = {
    AM_FIELD("ends", NUMBERS, side_setting, ends, .required = true, .shape = 2, .about = "lowest and highest value",
             .example = "[-2, 2]"),
};

static const am_schema side_schema = {.name = "box",
                                      .title = "a side of the box",
                                      .about = "Lowest and highest value of one coordinate or velocity.",
                                      .size = sizeof(side_setting),
                                      .shorthand = "ends",
                                      AM_FIELDS(side_fields)};

static const am_word method_words[] = {{"sobol", AM_STARTS_SOBOL, "low discrepancy: fills the box evenly"},
                                       {"random", AM_STARTS_RANDOM, "independent points"},
                                       {"grid", AM_STARTS_GRID, "the finest grid with at most so many points"},
                                       {NULL, 0, NULL}};

static const am_field points_fields[] = {
    AM_FIELD("count", COUNT, attractors_setting, options.count, .least = 1, .most = 100000000, .required = true,
             .about = "how many", .example = "1000"),
    AM_FIELD("method", WORD, attractors_setting, options.method, .words = method_words, .initial = "sobol",
             .about = "how they are spread"),
    AM_FIELD("seed", COUNT, attractors_setting, seed, .initial = "1", .about = "other seeds give other points"),
    AM_FIELD("box", NAMED, attractors_setting, box, .inner = &side_schema,
             .initial = "the size of the structure's own motions",
             .about = "sides [lowest, highest] by coordinate; coordinates that are not named stay as `initial` says"),
};

static const am_schema points_schema = {.name = "starts",
                                        .title = "starts",
                                        .about = "Points spread over a box.",
                                        .size = sizeof(attractors_setting),
                                        .shorthand = "count",
                                        AM_FIELDS(points_fields)};

static const am_field edge_fields[] = {
    AM_FIELD("from", RECORD, edge_setting, from, .required = true, .inner = &am_place_schema,
             .about = "one end of the line"),
    AM_FIELD("to", RECORD, edge_setting, to, .required = true, .inner = &am_place_schema, .about = "its other end"),
};

static const am_schema edge_schema = {.name = "edge",
                                      .title = "edge",
                                      .about = "A straight line between two starts that lead to different states.",
                                      .size = sizeof(edge_setting),
                                      AM_FIELDS(edge_fields)};

static const am_field fields[] = {
    AM_FIELD("starts", NODE, attractors_setting, starts, .required = true, .inner = &points_schema,
             .about = "a number of points in a box; or axes {from, to, count} by coordinate: its name, or v1, v2, "
                      "... for velocities; or by any other name with a direction {displacement, velocity}",
             .example = "{v1: {from: -10, to: 10, count: 21}, v2: {from: 0, to: 10, count: 11}}"),
    AM_FIELD("initial", RECORD, attractors_setting, initial, .inner = &am_place_schema, .initial = "zero",
             .about = "of all starts, where no axis says otherwise"),
    AM_FIELD("until", NUMBER, attractors_setting, options.until, AM_POSITIVE, .initial = "10000", .unit = "time",
             .about = "final states: give up (label `undecided`) at this time"),
    AM_FIELD("transient", COUNT, attractors_setting, options.transient, .initial = "20",
             .about = "orbits: returns before one is looked for"),
    AM_FIELD("most_returns", COUNT, attractors_setting, options.most_returns, .initial = "20000",
             .about = "orbits: a start that does not repeat within so many is aperiodic or undecided"),
    AM_FIELD("most_period", COUNT, attractors_setting, options.most_period, .initial = "64",
             .about = "orbits: the longest one looked for, in returns"),
    AM_FIELD("join", FLAG, attractors_setting, options.join, .initial = "true",
             .about = "orbits: a motion that meets one whose fate is known shares it"),
    AM_FIELD("section", COUNT, attractors_setting, options.section, .initial = "0",
             .about = "orbits: keep the last so many points of every start on the section (table `section`)"),
    AM_FIELD("search_unstable", FLAG, attractors_setting, options.search_unstable, .initial = "false",
             .about = "orbits: look for unstable ones on the borders between basins"),
    AM_FIELD("borders", COUNT, attractors_setting, options.borders, .initial = "16",
             .about = "orbits: how many borders are looked at"),
    AM_FIELD("edge", RECORD, attractors_setting, edge, .inner = &edge_schema, .initial = "none",
             .about = "locate the border on a line between two starts"),
};

static const am_schema schema = {
    .name = "attractors",
    .title = "analysis attractors",
    .about = "Where starts lead: the contact state that lasts for ever, or the periodic motions "
             "that attract.",
    .size = sizeof(attractors_setting),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_status unknown_coordinate(am_reading *reading, const am_node *key, const am_case *made) {
    size_t n = made->coordinates.n, shown = n < 8 ? n : 8;
    const char *names[16] = {NULL};
    for (size_t i = 0; i < shown; i++) {
        names[i] = am_system_name(made->system, i);
        names[shown + i] = am_system_velocity_name(made->system, i);
    }
    return am_unknown(reading, key, "coordinate", "starts", key->text, 2 * shown, names);
}

static am_status name_coordinate(am_reading *reading, const am_node *key, const am_case *made, size_t *coordinate,
                                 bool *velocity) {
    return am_is_state_variable(reading, key->text, made, coordinate, velocity)
               ? AM_OK
               : unknown_coordinate(reading, key, made);
}

/* Displacement and velocity one after the other, zero where not given. */
static am_status bind_both(am_reading *reading, const am_place *place, const am_case *made, const double **values) {
    size_t n = made->coordinates.n;
    const double *displacement = NULL, *velocity = NULL;
    double *both = am_arena_new(reading->pool, 2 * n, sizeof *both, reading->err);
    if (!both)
        return AM_ERR_MEMORY;
    am_status status = am_bind_place(reading, place, made, &displacement, &velocity);
    if (displacement)
        memcpy(both, displacement, n * sizeof *both);
    if (velocity)
        memcpy(both + n, velocity, n * sizeof *both);
    *values = both;
    return status;
}

/* The map has these columns too. */
static bool is_taken(const char *name) {
    static const char *const taken[] = {
        "state",         "settled", "changes", "fate", "orbit", "returns", "lyapunov", "cycles", "exponent_per_cycle",
        "lyapunov_error"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(taken[i], name) == 0)
            return true;
    return false;
}

/* An axis along a direction has a name of its own, which becomes its column in the map. */
static am_status bind_direction(am_reading *reading, const am_node *key, const am_node *node, const am_case *made,
                                axis_setting *setting) {
    size_t coordinate;
    bool velocity;
    if (am_is_state_variable(reading, key->text, made, &coordinate, &velocity) || is_taken(key->text))
        return am_node_fail(key, reading->err, AM_ERR_INPUT,
                            "an axis with a direction needs a name of its own: %s is %s", key->text,
                            is_taken(key->text) ? "a column of the map" : "a coordinate or velocity");
    setting->axis.name = key->text;
    am_status status = bind_both(reading, &setting->direction, made, &setting->axis.direction);
    for (size_t i = 0; status == AM_OK && i < 2 * made->coordinates.n; i++)
        if (setting->axis.direction[i] != 0.0)
            return AM_OK;
    return status != AM_OK ? status
                           : am_node_fail(am_node_get(node, "direction"), reading->err, AM_ERR_INPUT,
                                          "a direction of starts must not be zero");
}

static am_status bind_axis(am_reading *reading, const am_node *key, const am_node *node, const am_case *made,
                           axis_setting *setting) {
    if (am_node_get(node, "direction"))
        return bind_direction(reading, key, node, made, setting);
    return name_coordinate(reading, key, made, &setting->axis.coordinate, &setting->axis.velocity);
}

static am_status bind_axes(am_reading *reading, const am_case *made, attractors_setting *setting) {
    am_records read = {0};
    AM_TRY(am_read_records(reading, &axes_field, setting->starts, &read));
    am_start_axis *axes = am_arena_new(reading->pool, read.count + 1, sizeof *axes, reading->err);
    if (!axes)
        return AM_ERR_MEMORY;
    axis_setting *settings = read.items;
    double total = 1.0;
    for (size_t i = 0; i < read.count; i++) {
        AM_TRY(bind_axis(reading, read.keys[i], read.nodes[i], made, &settings[i]));
        axes[i] = settings[i].axis;
        total *= (double)axes[i].count;
    }
    if (read.count < 1 || read.count > 2 * made->coordinates.n)
        return am_node_fail(setting->starts, reading->err, AM_ERR_INPUT,
                            "starts must have at least one axis and at most %zu, one for each coordinate and "
                            "velocity, not %zu",
                            2 * made->coordinates.n, read.count);
    if (total > 1e8)
        return am_node_fail(setting->starts, reading->err, AM_ERR_INPUT, "starts are too many: %.0f; at most 1e8",
                            total);
    setting->options.axes = axes;
    setting->options.axis_count = read.count;
    return AM_OK;
}

static am_status bind_points(am_reading *reading, const am_case *made, attractors_setting *setting) {
    const am_records *box = &setting->box;
    AM_TRY(am_schema_read(reading, &points_schema, setting->starts, setting));
    am_start_range *ranges = am_arena_new(reading->pool, box->count + 1, sizeof *ranges, reading->err);
    if (!ranges)
        return AM_ERR_MEMORY;
    const side_setting *sides = box->items;
    for (size_t i = 0; i < box->count; i++) {
        const double *ends = sides[i].ends.values;
        ranges[i].low = ends[0];
        ranges[i].high = ends[1];
        AM_TRY(name_coordinate(reading, box->keys[i], made, &ranges[i].coordinate, &ranges[i].velocity));
        if (!(ends[0] <= ends[1]))
            return am_node_fail(box->nodes[i], reading->err, AM_ERR_INPUT,
                                "a side of the box goes from its lowest to its highest value, not from %g to %g",
                                ends[0], ends[1]);
    }
    setting->options.seed = setting->seed;
    setting->options.range_count = box->count;
    setting->options.ranges = ranges;
    return AM_OK;
}

/* A number, or a mapping with one of the keys of a set of points, is one; any other mapping has axes. */
static bool are_points(const am_node *starts) {
    if (starts->kind != AM_NODE_MAP)
        return true;
    for (size_t i = 0; i < sizeof points_fields / sizeof *points_fields; i++) {
        const am_node *value = am_node_get(starts, points_fields[i].name);
        if (value && (value->kind != AM_NODE_MAP || strcmp(points_fields[i].name, "box") == 0))
            return true;
    }
    return false;
}

static am_status bind_starts(am_reading *reading, const am_case *made, attractors_setting *setting) {
    return are_points(setting->starts) ? bind_points(reading, made, setting) : bind_axes(reading, made, setting);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    attractors_setting *setting = settings;
    am_attractors_options *options = &setting->options;
    AM_TRY(bind_starts(reading, made, setting));
    AM_TRY(am_bind_place(reading, &setting->initial, made, &options->displacement, &options->velocity));
    if (am_node_get(node, "edge"))
        AM_TRY(bind_both(reading, &setting->edge.from, made, &options->edge_from));
    if (am_node_get(node, "edge"))
        AM_TRY(bind_both(reading, &setting->edge.to, made, &options->edge_to));
    return AM_OK;
}

AM_ANALYSIS_RUN(attractors_setting, am_attractors)

static const char *form(const am_system *system) {
    static const char *const names[] = {
        [AM_ATTRACTORS_FINAL] = "final", [AM_ATTRACTORS_ORBITS] = "orbits", [AM_ATTRACTORS_CYCLES] = "cycles"};
    return names[am_attractors_form_of(system)];
}

const am_analysis_kind am_analysis_attractors = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .form = form,
    .figure = "{kind: map, table: map, x: v1, y: v2, value: state, x_label: initial v1, y_label: initial v2}",
    .model = "stiffness: [[1, 1], [1, 2]]\n  friction: 1.25\n  load_rate: bisector\n"};
