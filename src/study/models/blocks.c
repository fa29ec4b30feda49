#include <math.h>
#include <string.h>

#include "models/blocks.h"
#include "models/blocks_report.h"
#include "study/models.h"
#include "study/models/blocks_halfplane.h"
#include "study/models/solid_friction.h"
#include "study/models/solid_modes.h"

typedef struct body_setting {
    am_blocks_body body;
    int plane; /* 1: stress */
} body_setting;

typedef struct blocks_setting {
    am_blocks blocks;
    body_setting slider, base;
    am_friction_setting friction;
    am_words supports;
    am_modes_setting modes;
    bool fields, halfplane;
    am_blocks_rig **rig; /* made by build, for report; owned by the pool */
} blocks_setting;

/* ---- bodies ---- */

static void slider_defaults(void *record) {
    body_setting *setting = record;
    setting->body = am_blocks_default().slider;
    setting->plane = setting->body.plane_stress;
}

static void base_defaults(void *record) {
    body_setting *setting = record;
    setting->body = am_blocks_default().base;
    setting->plane = setting->body.plane_stress;
}

static const am_word plane_words[] = {{"strain", 0, "no strain across the plane: thick bodies"},
                                      {"stress", 1, "no stress across the plane: thin ones"},
                                      {NULL, 0, NULL}};

#define BODY(name_, member, initial_, ...)                                                                             \
    {                                                                                                                  \
        .name = name_, .type = AM_FIELD_NUMBER, .offset = offsetof(body_setting, member), .initial = initial_,         \
        __VA_ARGS__                                                                                                    \
    }
#define BODY_FIELDS(length_, height_, thickness_, plane_, rigid_)                                                      \
    BODY("length", body.length, length_, .range = AM_RANGE_POSITIVE, .unit = "length",                                 \
         .about = "along the interface"),                                                                              \
        BODY("height", body.height, height_, .range = AM_RANGE_POSITIVE, .unit = "length", .about = "across it"),      \
        BODY("thickness", body.thickness, thickness_, .range = AM_RANGE_POSITIVE, .unit = "length",                    \
             .about = "across the plane; the thinner body's is that of the contact"),                                  \
        BODY("E", body.modulus, "3100", .range = AM_RANGE_POSITIVE, .unit = "force/length^2",                          \
             .about = "Young's modulus"),                                                                              \
        BODY("nu", body.poisson, "0.35", .about = "Poisson's ratio; close to 1/2 is fine"),                            \
        BODY("density", body.density, "0", .range = AM_RANGE_NOT_NEGATIVE, .unit = "mass/length^3",                    \
             .about = "for gravity and dynamics"),                                                                     \
        {.name = "plane",                                                                                              \
         .type = AM_FIELD_WORD,                                                                                        \
         .offset = offsetof(body_setting, plane),                                                                      \
         .words = plane_words,                                                                                         \
         .initial = plane_,                                                                                            \
         .about = "plane strain or plane stress"},                                                                     \
    {                                                                                                                  \
        .name = "rigid", .type = AM_FIELD_FLAG, .offset = offsetof(body_setting, body.rigid), .initial = "false",      \
        .about = rigid_                                                                                                \
    }

static const am_field slider_fields[] = {
    BODY_FIELDS("140", "80", "6", "stress", "a punch with a flat end; it has no elements")};
static const am_field base_fields[] = {BODY_FIELDS("300", "30", "30", "strain", "a rigid plane; it has no elements")};

static const am_schema slider_schema = {.name = "slider",
                                        .title = "slider",
                                        .about = "The upper block.",
                                        .size = sizeof(body_setting),
                                        .defaults = slider_defaults,
                                        AM_FIELDS(slider_fields)};
static const am_schema base_schema = {.name = "base",
                                      .title = "base",
                                      .about = "The lower block, on which the slider stands.",
                                      .size = sizeof(body_setting),
                                      .defaults = base_defaults,
                                      AM_FIELDS(base_fields)};

/* ---- mesh ---- */

static void mesh_defaults(void *record) {
    am_blocks_mesh *mesh = record;
    *mesh = am_blocks_default().mesh;
}

static const am_word element_words[] = {
    {"quad8", AM_BLOCKS_QUAD8, "quadrilaterals with 8 nodes"},
    {"quad4", AM_BLOCKS_QUAD4, "quadrilaterals with 4 nodes and incompatible modes"},
    {"triangle6", AM_BLOCKS_TRIANGLE6, "triangles with 6 nodes, two to a cell"},
    {NULL, 0, NULL}};

#define MESH(name_, member, initial_, ...)                                                                             \
    {                                                                                                                  \
        .name = name_, .type = AM_FIELD_NUMBER, .offset = offsetof(am_blocks_mesh, member), .initial = initial_,       \
        __VA_ARGS__                                                                                                    \
    }

static const am_field mesh_fields[] = {
    AM_FIELD("element", WORD, am_blocks_mesh, element, .words = element_words, .initial = "quad8",
             .about = "kind of finite elements"),
    MESH("size", size, "a 70th of the slider; with a radius a 12th of the contact's half-width", .unit = "length",
         .range = AM_RANGE_POSITIVE, .about = "of elements along the interface"),
    MESH("ends", ends, "that of size", .unit = "length", .range = AM_RANGE_POSITIVE,
         .about = "size at the slider's ends, from where elements grow to `size`"),
    MESH("zone", zone, "the slider; with a radius the contact", .unit = "length", .range = AM_RANGE_POSITIVE,
         .about = "half-width around the slider's middle that has elements of `size`; outside they grow"),
    MESH("growth", growth, "1.4", .range = AM_RANGE_POSITIVE, .about = "factor from element to element, at least 1"),
    MESH("largest", largest, "an eighth of the larger height", .unit = "length", .range = AM_RANGE_POSITIVE,
         .about = "size up to which they grow"),
};

static const am_schema mesh_schema = {.name = "mesh",
                                      .title = "mesh",
                                      .about = "How the blocks are divided into finite elements.",
                                      .size = sizeof(am_blocks_mesh),
                                      .defaults = mesh_defaults,
                                      AM_FIELDS(mesh_fields)};

/* ---- the model ---- */

static const am_word control_words[] = {{"force", AM_BLOCKS_FORCE, "Q itself"},
                                        {"displacement", AM_BLOCKS_DISPLACEMENT, "the loaded point is moved by `push`"},
                                        {"spring", AM_BLOCKS_SPRING, "the far end of a spring is moved by `push`"},
                                        {NULL, 0, NULL}};

static const am_word side_words[] = {{"left", AM_BLOCKS_LEFT, "at load_height on the left edge, to the right"},
                                     {"right", AM_BLOCKS_RIGHT, "at load_height on the right edge, to the left"},
                                     {"top", AM_BLOCKS_TOP, "over the top, to the right, without a moment"},
                                     {NULL, 0, NULL}};

static const am_word support_words[] = {
    {"bottom", 0, "of the base"}, {"right", 1, "of the base"}, {"left", 2, "of the base"}, {NULL, 0, NULL}};

static void set_defaults(void *record) {
    blocks_setting *setting = record;
    setting->blocks = am_blocks_default();
    setting->friction.friction = setting->blocks.friction;
    setting->modes.check = true;
    slider_defaults(&setting->slider);
    base_defaults(&setting->base);
}

static const am_field fields[] = {
    AM_FIELD("slider", RECORD, blocks_setting, slider, .inner = &slider_schema, .initial = "140 x 80 x 6",
             .about = "{length, height, thickness, E, nu, plane, density, rigid}",
             .example = "{length: 140, height: 80, thickness: 6, E: 3100, nu: 0.35, plane: stress}"),
    AM_FIELD("base", RECORD, blocks_setting, base, .inner = &base_schema, .initial = "300 x 30 x 30",
             .about = "the same",
             .example = "{length: 300, height: 30, thickness: 30, E: 3100, nu: 0.35, plane: strain}"),
    AM_FIELD("P", NUMBER, blocks_setting, blocks.P, .range = AM_RANGE_NOT_NEGATIVE, .initial = "3000", .unit = "force",
             .about = "normal load, even on the slider's top; from 0 at t = -1 to P at t = 0", .example = "3000"),
    AM_FIELD("load_height", NUMBER, blocks_setting, blocks.load_height, .range = AM_RANGE_NOT_NEGATIVE, .initial = "6",
             .unit = "length", .about = "h, where the slider is pushed, above the interface", .example = "6"),
    AM_FRICTION_FIELDS(blocks_setting, friction, "0.47"),
    AM_FIELD("load_at", WORD, blocks_setting, blocks.side, .words = side_words, .initial = "left",
             .about = "where the slider is pushed"),
    AM_FIELD("control", WORD, blocks_setting, blocks.control, .words = control_words, .initial = "force",
             .about = "what is prescribed, from 0 at t = 0 to its end at t = 1"),
    AM_FIELD("Q_over_P", NUMBER, blocks_setting, blocks.Q_over_P, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0.99 f",
             .about = "control force: Q/P at t = 1"),
    AM_FIELD("push", NUMBER, blocks_setting, blocks.push, .range = AM_RANGE_NOT_NEGATIVE, .initial = "none",
             .unit = "length", .about = "control displacement and spring: how far at t = 1"),
    AM_FIELD("stiffness", NUMBER, blocks_setting, blocks.stiffness, .range = AM_RANGE_POSITIVE, .initial = "none",
             .unit = "force/length", .about = "control spring: its stiffness"),
    AM_FIELD("speed", NUMBER, blocks_setting, blocks.speed, .range = AM_RANGE_POSITIVE, .initial = "none",
             .unit = "length/time", .about = "control spring: of its far end from t = 0 on, for ever; instead of push"),
    AM_MODES_FIELDS(blocks_setting, modes),
    AM_FIELD("mass_damping", NUMBER, blocks_setting, blocks.mass_damping, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "0", .unit = "1/time", .about = "dynamics: damping over mass"),
    AM_FIELD("stiffness_damping", NUMBER, blocks_setting, blocks.stiffness_damping, .range = AM_RANGE_NOT_NEGATIVE,
             .initial = "0", .unit = "time", .about = "dynamics: damping over stiffness of the blocks"),
    AM_FIELD("position", NUMBER, blocks_setting, blocks.position, .range = AM_RANGE_NOT_NEGATIVE, .initial = "centred",
             .unit = "length", .about = "of the slider's left end from that of the base"),
    AM_FIELD("supports", WORDS, blocks_setting, supports, .words = support_words, .initial = "[bottom, right]",
             .about = "sides of the base that are fixed"),
    AM_FIELD("radius", NUMBER, blocks_setting, blocks.radius, .range = AM_RANGE_POSITIVE, .initial = "none: flat",
             .unit = "length", .about = "of curvature of the gap, closed at the slider's middle: a Hertzian contact"),
    AM_FIELD("gravity", NUMBER, blocks_setting, blocks.gravity, .initial = "0", .unit = "length/time^2",
             .about = "downwards, with P"),
    AM_FIELD("mesh", RECORD, blocks_setting, blocks.mesh, .inner = &mesh_schema, .initial = "graded",
             .about = "{element, size, ends, zone, growth, largest}"),
    AM_FIELD("fields", FLAG, blocks_setting, fields, .initial = "false",
             .about = "also the tables mesh_nodes and mesh_elements: displacements and stresses in the end"),
    AM_FIELD("halfplane", FLAG, blocks_setting, halfplane, .initial = "false",
             .about = "also what half-planes would do, where the gap is curved or the slider rigid"),
};

/* Keys that go with one kind of load. */
static am_status check_keys(am_reading *reading, const am_node *node, const am_blocks *b) {
    const struct {
        const char *key;
        bool used;
    } keys[] = {{"Q_over_P", b->control == AM_BLOCKS_FORCE},
                {"push", b->control != AM_BLOCKS_FORCE},
                {"stiffness", b->control == AM_BLOCKS_SPRING},
                {"speed", b->control == AM_BLOCKS_SPRING}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const am_node *given = am_node_get(node, keys[i].key);
        if (given && !keys[i].used)
            return am_node_fail(given, reading->err, AM_ERR_INPUT, "%s has no use with control `%s`", keys[i].key,
                                control_words[b->control].name);
    }
    return AM_OK;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    blocks_setting *setting = record;
    am_blocks *b = &setting->blocks;
    am_status status = check_keys(reading, node, b);
    if (!status && setting->halfplane && !(b->radius > 0.0) && !setting->slider.body.rigid)
        status = am_node_fail(am_node_get(node, "halfplane"), reading->err, AM_ERR_INPUT,
                              "there is no half-plane to compare with: the gap is flat and the slider elastic; give a "
                              "radius, or a rigid slider");
    if (!status && setting->halfplane && b->radius > 0.0 && b->side != AM_BLOCKS_TOP)
        status = am_node_fail(am_node_get(node, "halfplane"), reading->err, AM_ERR_INPUT,
                              "a slider with a radius that is pushed at its side rolls away, and the half-planes do "
                              "not: compare them with load_at: top");
    if (!status)
        status = am_friction_finish(reading, node, &setting->friction);
    if (!status)
        status = am_modes_finish(reading, &setting->modes);
    b->modes = setting->modes.count;
    b->friction = setting->friction.friction;
    b->slider = setting->slider.body;
    b->slider.plane_stress = setting->slider.plane;
    b->base = setting->base.body;
    b->base.plane_stress = setting->base.plane;
    if (setting->supports.values) {
        memset(b->hold, 0, sizeof b->hold);
        for (size_t i = 0; i < setting->supports.count; i++)
            b->hold[setting->supports.values[i]] = true;
    }
    setting->rig = am_arena_new(reading->pool, 1, sizeof *setting->rig, reading->err);
    return status ? status : setting->rig ? AM_OK : AM_ERR_MEMORY;
}

static const am_schema schema = {
    .name = "blocks",
    .title = "model blocks",
    .about = "An elastic slider pressed on an elastic base and pushed above the interface, both of finite elements "
             "(Papangelo 2017, section 3.2). Coordinates v1.. (slips) and w1.. (gaps) of the contact nodes.",
    .size = sizeof(blocks_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static void release(void *rig) {
    am_blocks_rig_free(rig);
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const blocks_setting *setting = settings;
    am_blocks_rig *rig = am_blocks_rig_create(&setting->blocks, reading->err);
    if (!rig) {
        am_node_locate(node, reading->err);
        return NULL;
    }
    if (am_arena_own(reading->pool, rig, release, reading->err) != AM_OK)
        return NULL;
    *setting->rig = rig;
    am_system *system = am_blocks_rig_system(rig, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

/* Beside the half-planes, where they are asked for. */
static am_status report(const void *settings, am_result *result, am_error *err) {
    const blocks_setting *setting = settings;
    return setting->halfplane ? am_blocks_compare(*setting->rig, result, err) : AM_OK;
}

static am_status report_seen(void *context, am_result *result, am_error *err) {
    return am_blocks_watch_report(context, false, result, err);
}

static am_status report_seen_with_fields(void *context, am_result *result, am_error *err) {
    return am_blocks_watch_report(context, true, result, err);
}

static void release_watch(void *context) {
    am_blocks_watch_free(context);
}

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    const blocks_setting *setting = settings;
    am_blocks_watch *own = am_blocks_watch_create(*setting->rig, err);
    *made = (am_model_watch){.observer = {.sample = am_blocks_watch_sample, .context = own},
                             .report = setting->fields ? report_seen_with_fields : report_seen,
                             .release = release_watch};
    return own ? AM_OK : AM_ERR_MEMORY;
}

static am_mode_choice modes_of(const void *settings) {
    const blocks_setting *setting = settings;
    return am_modes_of(&setting->modes, &(*setting->rig)->dynamics);
}

const am_model_kind am_model_blocks = {
    .schema = &schema,
    .build = build,
    .analysis = "path",
    .many = true,
    .keys = "  method: incremental\n"
            "  from: -1                                  # P grows from t = -1 to 0, the push from 0 to 1\n"
            "  until: 1\n"
            "  steps: 100\n",
    .figure = "{table: fronts, x: Q_over_P, y: l_over_L, x_label: Q/P, y_label: l/L}",
    .watch = watch,
    .report = report,
    .modes = modes_of};
