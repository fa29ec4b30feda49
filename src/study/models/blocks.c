#include "models/blocks.h"
#include "base/try.h"
#include "models/blocks_report.h"
#include "study/models.h"
#include "study/models/friction.h"
#include "study/models/solid_modes.h"

typedef struct blocks_setting {
    am_blocks blocks; /* first: its rows are those of the model */
    am_modes_setting modes;
    bool fields;
    am_blocks_rig **rig; /* made by build, for report; owned by the pool */
} blocks_setting;

static void set_defaults(void *record) {
    blocks_setting *setting = record;
    setting->blocks = am_blocks_default();
    setting->modes.check = true;
}

static const am_field fields[] = {
    AM_BLOCKS_FIELDS,
    AM_FRICTION_FIELDS(blocks_setting, blocks.friction, "0.47"),
    AM_MODES_FIELDS(blocks_setting, modes),
    AM_FIELD("fields", FLAG, blocks_setting, fields, .initial = "false",
             .about = "also the tables mesh_nodes and mesh_elements: displacements and stresses in the end"),
    AM_FIELD("halfplane", FLAG, blocks_setting, blocks.halfplane, .initial = "false",
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
                                am_blocks_control_words[b->control].name);
    }
    return AM_OK;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    blocks_setting *setting = record;
    am_blocks *b = &setting->blocks;
    AM_TRY(check_keys(reading, node, b));
    AM_TRY(am_friction_finish(reading, node, &b->friction));
    AM_TRY(am_modes_finish(reading, &setting->modes));
    b->modes = setting->modes.count;
    setting->rig = am_arena_new(reading->pool, 1, sizeof *setting->rig, reading->err);
    return setting->rig ? AM_OK : AM_ERR_MEMORY;
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

static am_status watch(const void *settings, am_model_watch *made, am_error *err) {
    const blocks_setting *setting = settings;
    return am_blocks_watch_open(*setting->rig, setting->fields, made, err);
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
    .watches_tables = true,
    .modes = modes_of};
