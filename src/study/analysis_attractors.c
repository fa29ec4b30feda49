#include <stdlib.h>
#include <string.h>

#include "amontons/attractors.h"
#include "study/analyses.h"

typedef struct edge_setting {
    am_place from, to;
} edge_setting;

typedef struct attractors_setting {
    am_attractors_options options;
    am_records starts; /* of am_start_axis, by coordinate */
    am_place initial;
    edge_setting edge;
} attractors_setting;

static void set_defaults(void *record) {
    attractors_setting *setting = record;
    setting->options = am_attractors_options_default();
}

static void axis_defaults(void *record) {
    am_start_axis *axis = record;
    axis->count = 1;
}

static am_status axis_finish(am_reading *reading, const am_node *node, void *record) {
    am_start_axis *axis = record;
    if (!am_node_get(node, "to"))
        axis->to = axis->from;
    if (axis->count < 1 || axis->count > 1000000)
        return am_node_fail(am_node_get(node, "count"), reading->err, AM_ERR_INPUT,
                            "count must lie between 1 and 1000000");
    return AM_OK;
}

#define AXIS(name_, type_, member, ...)                                                                                \
    { .name = name_, .type = type_, .offset = offsetof(am_start_axis, member), __VA_ARGS__ }

static const am_field axis_fields[] = {
    AXIS("from", AM_FIELD_NUMBER, from, .required = true, .about = "first value", .example = "-10"),
    AXIS("to", AM_FIELD_NUMBER, to, .initial = "equal to from", .about = "last value", .example = "10"),
    AXIS("count", AM_FIELD_COUNT, count, .initial = "1", .about = "how many, evenly spaced", .example = "41"),
};

static const am_schema axis_schema = {.name = "starts",
                                      .title = "an axis of starts",
                                      .about = "Evenly spaced values of one coordinate or velocity.",
                                      .size = sizeof(am_start_axis),
                                      .defaults = axis_defaults,
                                      .finish = axis_finish,
                                      AM_FIELDS(axis_fields)};

static const am_field edge_fields[] = {
    {.name = "from",
     .type = AM_FIELD_RECORD,
     .offset = offsetof(edge_setting, from),
     .required = true,
     .inner = &am_place_schema,
     .about = "one end of the line"},
    {.name = "to",
     .type = AM_FIELD_RECORD,
     .offset = offsetof(edge_setting, to),
     .required = true,
     .inner = &am_place_schema,
     .about = "its other end"},
};

static const am_schema edge_schema = {.name = "edge",
                                      .title = "edge",
                                      .about = "A straight line between two starts that lead to different states.",
                                      .size = sizeof(edge_setting),
                                      AM_FIELDS(edge_fields)};

#define ATTRACTORS(name_, type_, member, ...)                                                                          \
    { .name = name_, .type = type_, .offset = offsetof(attractors_setting, member), __VA_ARGS__ }

static const am_field fields[] = {
    ATTRACTORS("starts", AM_FIELD_NAMED, starts, .required = true, .inner = &axis_schema,
               .about = "one or two axes: a coordinate's name, or v1, v2, ... for velocities",
               .example = "{v1: {from: -10, to: 10, count: 21}, v2: {from: 0, to: 10, count: 11}}"),
    ATTRACTORS("initial", AM_FIELD_RECORD, initial, .inner = &am_place_schema, .initial = "zero",
               .about = "of all starts, where no axis says otherwise"),
    ATTRACTORS("until", AM_FIELD_NUMBER, options.until, .range = AM_RANGE_POSITIVE, .initial = "10000", .unit = "time",
               .about = "give up (label `undecided`) at this time"),
    ATTRACTORS("edge", AM_FIELD_RECORD, edge, .inner = &edge_schema, .initial = "none",
               .about = "locate the border on a line between two starts"),
};

static const am_schema schema = {.name = "attractors",
                                 .title = "analysis attractors",
                                 .about = "Which contact state lasts for ever, from each of a grid of starts.",
                                 .size = sizeof(attractors_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status unknown_coordinate(am_reading *reading, const am_node *key, const am_system *system) {
    size_t n = am_system_size(system), shown = n < 8 ? n : 8;
    const char *names[16] = {NULL};
    char velocities[8][8];
    for (size_t i = 0; i < shown; i++) {
        names[i] = am_system_name(system, i);
        velocities[i][0] = 'v';
        velocities[i][1] = (char)('1' + i);
        velocities[i][2] = '\0';
        names[shown + i] = velocities[i];
    }
    return am_unknown(reading, key, "coordinate", "starts", key->text, 2 * shown, names);
}

/* "u1" is a coordinate by name, "v2" the velocity of the second one. */
static am_status name_axis(am_reading *reading, const am_node *key, const am_system *system, am_start_axis *axis) {
    size_t n = am_system_size(system);
    for (size_t i = 0; i < n; i++)
        if (strcmp(am_system_name(system, i), key->text) == 0) {
            axis->coordinate = i;
            return AM_OK;
        }
    char *end = NULL;
    unsigned long number = key->text[0] == 'v' ? strtoul(key->text + 1, &end, 10) : 0;
    if (!end || *end || number < 1 || number > n)
        return unknown_coordinate(reading, key, system);
    axis->coordinate = number - 1;
    axis->velocity = true;
    return AM_OK;
}

static am_status bind_axes(am_reading *reading, const am_system *system, attractors_setting *setting) {
    am_records *starts = &setting->starts;
    am_start_axis *axes = starts->items;
    if (starts->count < 1 || starts->count > 2)
        return am_node_fail(starts->node, reading->err, AM_ERR_INPUT, "starts must have one or two axes, not %zu",
                            starts->count);
    if (starts->count == 2 && axes[0].count * axes[1].count > 100000000)
        return am_node_fail(starts->node, reading->err, AM_ERR_INPUT, "starts are too many: %zu x %zu; at most 1e8",
                            axes[0].count, axes[1].count);
    am_status status = AM_OK;
    for (size_t i = 0; status == AM_OK && i < starts->count; i++)
        status = name_axis(reading, starts->keys[i], system, &axes[i]);
    setting->options.axes = axes;
    setting->options.axis_count = starts->count;
    return status;
}

/* Displacement and velocity one after the other, zero where not given. */
static am_status bind_end(am_reading *reading, const am_place *place, const am_system *system, const double **end) {
    size_t n = am_system_size(system);
    const double *displacement = NULL, *velocity = NULL;
    double *both = am_pool_new(reading->pool, 2 * n, sizeof *both, reading->err);
    if (!both)
        return AM_ERR_MEMORY;
    am_status status = am_bind_vector(reading, &place->displacement, "displacement", system, &displacement);
    if (status == AM_OK)
        status = am_bind_vector(reading, &place->velocity, "velocity", system, &velocity);
    if (displacement)
        memcpy(both, displacement, n * sizeof *both);
    if (velocity)
        memcpy(both + n, velocity, n * sizeof *both);
    *end = both;
    return status;
}

static am_status bind(am_reading *reading, const am_node *node, const am_system *system, void *settings) {
    attractors_setting *setting = settings;
    am_attractors_options *options = &setting->options;
    am_status status = bind_axes(reading, system, setting);
    if (status == AM_OK)
        status =
            am_bind_vector(reading, &setting->initial.displacement, "displacement", system, &options->displacement);
    if (status == AM_OK)
        status = am_bind_vector(reading, &setting->initial.velocity, "velocity", system, &options->velocity);
    if (status == AM_OK && am_node_get(node, "edge"))
        status = bind_end(reading, &setting->edge.from, system, &options->edge_from);
    if (status == AM_OK && am_node_get(node, "edge"))
        status = bind_end(reading, &setting->edge.to, system, &options->edge_to);
    return status;
}

static am_status run(const am_system *system, const void *settings, am_result *result, const am_progress *progress,
                     am_error *err) {
    const attractors_setting *setting = settings;
    return am_attractors_run(system, &setting->options, result, progress, err);
}

const am_analysis_kind am_analysis_attractors = {
    .schema = &schema,
    .bind = bind,
    .run = run,
    .returns = "table map; summary starts, stick, open, other, undecided, edge, edge_width",
    .figure = "{kind: map, table: map, x: v1, y: v2, value: state, x_label: initial v1, y_label: initial v2}",
    .model = "stiffness: [[1, 1], [1, 2]]\n  friction: 1.25\n  load_rate: bisector\n"};
