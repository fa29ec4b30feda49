#include <string.h>

#include "amontons/attractors.h"
#include "analyses/cells/map.h"
#include "base/try.h"
#include "study/bind.h"

typedef struct cells_setting {
    am_cells_options options;
    am_records box; /* of am_cell_axis, by state variable */
} cells_setting;

AM_ANALYSIS_DEFAULTS(cells_setting, am_cells)

static am_status axis_finish(am_reading *reading, const am_node *node, void *record) {
    const am_cell_axis *axis = record;
    if (!(axis->to > axis->from))
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT,
                            "to must be larger than from (%g), not %g", axis->from, axis->to);
    return AM_OK;
}

static const am_field axis_fields[] = {
    AM_FIELD("from", NUMBER, am_cell_axis, from, .required = true, .about = "lower border"),
    AM_FIELD("to", NUMBER, am_cell_axis, to, .required = true, .about = "upper border"),
    AM_FIELD("count", COUNT, am_cell_axis, count, .least = 1, .most = AM_CELLS_MOST, .initial = "101",
             .about = "cells; with an odd number between -a and a one of them lies on zero"),
};

static const am_schema axis_schema = {.name = "box",
                                      .title = "an axis of the box",
                                      .about = "One side of the box of states, divided into cells.",
                                      .size = sizeof(am_cell_axis),
                                      .finish = axis_finish,
                                      AM_FIELDS(axis_fields)};

static const am_field fields[] = {
    AM_FIELD(
        "box", NAMED, cells_setting, box, .required = true, .inner = &axis_schema,
        .about =
            "an axis for every state variable: a coordinate's name, v_x for its velocity (v1 of q1), stretch1, ... for "
            "springs behind sliders and for what friction remembers (the deflection of its bristles, its age; behind a "
            "spring age1, ...), slid1, ... for the distance slid of friction that weakens",
        .example = "{v: {from: -3, to: 3, count: 61}, v1: {from: -3, to: 3, count: 61}}"),
    AM_FIELD("start", NUMBER, cells_setting, options.start, .initial = "0", .unit = "time",
             .about = "time (phase of the loads) at which the states are looked at"),
    AM_FIELD("period", NUMBER, cells_setting, options.period, AM_POSITIVE, .initial = "that of the loads",
             .unit = "time", .about = "a multiple of the period of the loads"),
    AM_FIELD("periods", COUNT, cells_setting, options.periods, .initial = "1, doubled until the checks agree",
             .about = "periods in one step of the map; more of them help where motions contract slowly"),
    AM_FIELD("refine", FLAG, cells_setting, options.refine, .initial = "true",
             .about = "close the orbit of every periodic group by shooting"),
    AM_FIELD("checks", COUNT, cells_setting, options.checks, .initial = "200",
             .about = "cells from which the exact map is iterated to see whether it agrees"),
    AM_FIELD("table", FLAG, cells_setting, options.table, .initial = "true", .about = "fill the table `cells`"),
};

static const am_schema schema = {.name = "cells",
                                 .title = "analysis cells",
                                 .about = "Periodic motions of a forced structure and their basins by cell-to-cell "
                                          "mapping, for two or three state variables.",
                                 .size = sizeof(cells_setting),
                                 .defaults = set_defaults,
                                 .has_kind = true,
                                 AM_FIELDS(fields)};

static am_status name_axis(am_reading *reading, const am_node *key, const am_case *made, am_cell_axis *axis) {
    char names[3][256];
    const char *known[3];
    size_t dimension = am_cells_dimension(made->system), shown = dimension < 3 ? dimension : 3, coordinate;
    bool velocity;
    if (am_is_state_variable(reading, key->text, made, &coordinate, &velocity)) {
        axis->entry = velocity ? am_system_size(made->system) + coordinate : coordinate;
        return AM_OK;
    }
    for (size_t i = 0; i < shown; i++) {
        am_cells_entry_name(made->system, i, names[i], sizeof names[i]);
        known[i] = names[i];
        if (strcmp(names[i], key->text) == 0) {
            axis->entry = i;
            return AM_OK;
        }
    }
    return am_unknown(reading, key, "state variable", "box", key->text, shown, known);
}

static am_status bind(am_reading *reading, const am_node *node, const am_case *made, void *settings) {
    cells_setting *setting = settings;
    am_records *box = &setting->box;
    am_cell_axis *axes = box->items;
    size_t dimension = am_cells_axes(made->system);
    double cells = 1;
    (void)node;
    if (dimension > 3)
        return am_node_fail(box->node, reading->err, AM_ERR_INPUT,
                            "cells are for two or three state variables; this structure has %zu (use attractors)",
                            dimension);
    if (box->count != dimension)
        return am_node_fail(box->node, reading->err, AM_ERR_INPUT,
                            "the box needs one axis for each of the %zu state variables, not %zu", dimension,
                            box->count);
    for (size_t i = 0; i < box->count; i++) {
        AM_TRY(name_axis(reading, box->keys[i], made, &axes[i]));
        cells *= (double)axes[i].count;
    }
    if (cells > (double)AM_CELLS_MOST)
        return am_node_fail(box->node, reading->err, AM_ERR_INPUT, "%g cells are too many; at most %d", cells,
                            AM_CELLS_MOST);
    setting->options.axes = axes;
    setting->options.axis_count = box->count;
    return AM_OK;
}

AM_ANALYSIS_RUN(cells_setting, am_cells)

const am_analysis_kind am_analysis_cells = {
    .schema = &schema,
    .bind = bind,
    .run = run,

    .figure = "{kind: map, table: cells, x: v, y: v1, value: fate, x_label: v, y_label: velocity}",
    .model_kind = "oscillator"};
