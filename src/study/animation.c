#include "study/animation.h"

#include <math.h>
#include <string.h>

#include "base/local.h"
#include "output/animation_motion.h"
#include "output/scene.h"
#include "study/case.h"

#define NUMBER(name_, ...) AM_FIELD(#name_, NUMBER, am_animation_setting, name_, .optional = true, __VA_ARGS__)

static const am_field fields[] = {
    AM_FIELD("table", TEXT, am_animation_setting, table, .initial = "the first that has all coordinates",
             .about = "samples, cycle, shape, modes, mode_shape_nodes, backbone or branch; of a further analysis with "
                      "its name: steady.modes"),
    NUMBER(mode, AM_NOT_NEGATIVE, .initial = "the first", .about = "modes, mode_shape_nodes: the number of the mode"),
    NUMBER(row, AM_NOT_NEGATIVE, .initial = "that with the largest motion",
           .about = "backbone, branch: the row, counted from 0"),
    NUMBER(from, .initial = "the beginning", .about = "samples, cycle: the first instant shown", .unit = "time"),
    NUMBER(to, .initial = "the end, or as far as the eye can follow", .about = "the last one", .unit = "time"),
};

static void set_defaults(void *record) {
    am_animation_setting *setting = record;
    setting->mode = setting->row = setting->from = setting->to = NAN;
}

am_animation_setting am_animation_usual(void) {
    am_animation_setting setting = {0};
    set_defaults(&setting);
    return setting;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    am_animation_setting *setting = record;
    setting->node = node;
    if (setting->to <= setting->from)
        return am_node_fail(am_node_get(node, "to"), reading->err, AM_ERR_INPUT, "to (%g) must come after from (%g)",
                            setting->to, setting->from);
    return AM_OK;
}

const am_schema am_animation_schema = {.name = "animation",
                                       .title = "animation",
                                       .about = "The structure in motion, as a drawing that moves by itself: bodies, "
                                                "springs, contacts coloured by their state.",
                                       .size = sizeof(am_animation_setting),
                                       .defaults = set_defaults,
                                       .finish = finish,
                                       AM_FIELDS(fields)};

/* Where coordinates are, if labels and a mesh tell it. */
static am_scene_place *find_places(am_arena *pool, const am_coordinates *c, am_error *err) {
    am_scene_place *places = am_arena_new(pool, c->n, sizeof *places, err);
    for (size_t i = 0; places && c->labels && c->labels->count == c->n && c->grid && i < c->n; i++) {
        am_label label = c->labels->label[i];
        size_t node = am_import_mesh_find(c->grid, label.node);
        if (node == SIZE_MAX || label.direction < 1 || label.direction > 3)
            continue;
        places[i].direction = label.direction;
        places[i].node = label.node;
        memcpy(places[i].at, c->grid->node[node].place, sizeof places[i].at);
    }
    return places;
}

/* What cannot be drawn is a mistake in the study. */
static am_status blame_study(am_status status, const am_animation_setting *setting, am_error *err) {
    if (status != AM_ERR_INPUT && status != AM_ERR_UNSUPPORTED)
        return status;
    err->status = AM_ERR_INPUT;
    if (setting->node)
        am_node_locate(am_node_at(setting->node, err->field), err);
    return AM_ERR_INPUT;
}

am_status am_animation_check(am_reading *reading, const am_animation_setting *setting, const am_case *made) {
    AM_LOCAL(am_scene_clear) am_scene scene = {0};
    const am_scene_place *places = find_places(reading->pool, &made->coordinates, reading->err);
    return places ? blame_study(am_scene_of(&scene, made->system, places, reading->err), setting, reading->err)
                  : AM_ERR_MEMORY;
}

am_status am_animation_fit(am_reading *reading, const am_animation_setting *setting, const char *title,
                           const am_case *made, const am_result *result, const char **text) {
    AM_LOCAL(am_text_free) am_text svg = {0};
    const am_animation_order order = {
        .result = result,
        .system = made->system,
        .places = find_places(reading->pool, &made->coordinates, reading->err),
        .title = title ? title : "",
        .wish = {setting->table, setting->mode, setting->row, setting->from, setting->to},
    };
    if (!order.places)
        return AM_ERR_MEMORY;
    AM_TRY(blame_study(am_animation_draw(&order, &svg, reading->err), setting, reading->err));
    *text = am_arena_text(reading->pool, svg.data, svg.length, reading->err);
    return *text ? AM_OK : AM_ERR_MEMORY;
}
