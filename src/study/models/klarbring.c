#include "amontons/models.h"
#include "base/try.h"
#include "study/functions.h"
#include "study/models.h"

typedef struct klarbring_setting {
    am_klarbring def;
    am_matrix *stiffness, *damping;
    double load_speed;
    am_records loads;
} klarbring_setting;

static void set_defaults(void *record) {
    klarbring_setting *setting = record;
    setting->def = am_klarbring_default();
    setting->load_speed = 1;
}

static const am_field support_fields[] = {
    AM_FIELD("amplitude", ARRAY, am_klarbring, support_amplitude, .required = true, .shape = 2, .unit = "length",
             .about = "of the support's motion along u1 and u2", .example = "[0, 0.1]"),
    AM_FIELD("frequency", NUMBER, am_klarbring, support_frequency, .required = true, AM_POSITIVE,
             .unit = "radians/time", .about = "angular frequency", .example = "10"),
};

static const am_schema support_schema = {.name = "support",
                                         .title = "support",
                                         .about = "Springs and plane together vibrate: amplitude sin(frequency t).",
                                         .size = sizeof(am_klarbring),
                                         AM_FIELDS(support_fields)};

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, klarbring_setting, member, __VA_ARGS__)

static const am_field fields[] = {
    AM_FIELD("stiffness", MATRIX, klarbring_setting, stiffness, .required = true, .shape = 2, .unit = "force/length",
             .about = "k, symmetric and positive definite", .example = "[[1, 1], [1, 2]]"),
    NUMBER("mass", def.mass, AM_POSITIVE, .initial = "1", .unit = "mass", .about = "M", .example = "1"),
    AM_FIELD("damping", MATRIX, klarbring_setting, damping, .shape = 2, .initial = "none",
             .unit = "force x time/length", .about = "viscous, in parallel with the springs"),
    NUMBER("friction", def.friction, .required = true, AM_NOT_NEGATIVE, .about = "coefficient of friction f",
           .example = "0.25"),
    NUMBER("static_friction", def.static_friction, AM_NOT_NEGATIVE, .initial = "equal to friction",
           .about = "coefficient that holds while sticking; at least `friction`"),
    NUMBER("restitution", def.restitution, .range = AM_RANGE_FRACTION, .initial = "0",
           .about = "of the normal velocity in an impact"),
    NUMBER("gap", def.gap, .initial = "0", .unit = "length", .about = "height of the mass above the plane at u = 0"),
    AM_FIELD("load", ARRAY, klarbring_setting, def.load, .shape = 2, .initial = "[0, 0]", .unit = "force",
             .about = "[F1, F2] at t = 0"),
    AM_FIELD("load_rate", LATER, klarbring_setting, def.load_rate, .initial = "[0, 0]", .unit = "force/time",
             .about = "[C1, C2], or the word `bisector`: midway in the sector with stick, slip and separation",
             .example = "[-1, -0.99]"),
    NUMBER("load_speed", load_speed, AM_POSITIVE, .initial = "1", .unit = "force/time",
           .about = "length of the load rate when it is `bisector`"),
    AM_FIELD("support", RECORD, klarbring_setting, def, .inner = &support_schema, .initial = "at rest",
             .about = "harmonic motion of springs and plane together"),
    AM_FIELD("loads", RECORDS, klarbring_setting, loads, .inner = &am_load_schema, .initial = "none",
             .about = "further loads, as in model structure"),
};

static const am_schema schema = {
    .name = "klarbring",
    .title = "model klarbring",
    .about = "One mass on coupled springs above a frictional plane (Klarbring; Cho and Barber 1998). Coordinates u1 "
             "(along the plane) and u2 (away from it).",
    .size = sizeof(klarbring_setting),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

/* Two numbers, or the word `bisector`, which depends on stiffness and friction. */
static am_status take_load_rate(am_reading *reading, const am_node *model, double speed, am_klarbring *def) {
    const am_node *node = am_node_get(model, "load_rate");
    am_numbers rate = {0};
    bool bisector = node && am_node_is_text(node, "bisector");
    if (node && !bisector)
        AM_TRY(am_read_numbers(reading, node, "load_rate", AM_RANGE_ANY, 2, &rate));
    am_status status = bisector ? am_klarbring_bisector(def, def->load_rate, reading->err) : AM_OK;
    if (status != AM_OK)
        am_node_locate(model, reading->err);
    for (size_t i = 0; i < 2 && node; i++)
        def->load_rate[i] = bisector ? def->load_rate[i] * speed : rate.values[i];
    return status;
}

static am_status fill(am_reading *reading, const am_node *node, const klarbring_setting *setting, am_klarbring *def) {
    *def = setting->def;
    am_matrix_to_dense(setting->stiffness, &def->stiffness[0][0]);
    if (setting->damping)
        am_matrix_to_dense(setting->damping, &def->damping[0][0]);
    AM_TRY(am_check_rows(reading, &setting->loads, "direction", 2));
    def->extra = setting->loads.items;
    def->extra_count = setting->loads.count;
    return take_load_rate(reading, node, setting->load_speed, def);
}

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    am_klarbring def;
    if (fill(reading, node, settings, &def) != AM_OK)
        return NULL;
    am_system *system = am_klarbring_create(&def, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_klarbring = {.schema = &schema, .build = build};
