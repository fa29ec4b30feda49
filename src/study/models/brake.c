#include "amontons/models.h"

#include "math/pi.h"
#include "study/models.h"

typedef struct brake_setting {
    am_brake model;
    double pad_angle_deg;
} brake_setting;

static void set_defaults(void *record) {
    brake_setting *setting = record;
    setting->model = am_brake_default();
    setting->pad_angle_deg = setting->model.pad_angle / one_degree;
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    brake_setting *setting = record;
    (void)reading;
    (void)node;
    setting->model.pad_angle = setting->pad_angle_deg * one_degree;
    return AM_OK;
}

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, brake_setting, member, __VA_ARGS__)
#define COUNT(name_, member, ...) AM_FIELD(name_, COUNT, brake_setting, member, __VA_ARGS__)
#define POSITIVE .range = AM_RANGE_POSITIVE
#define NOT_NEGATIVE .range = AM_RANGE_NOT_NEGATIVE

static const am_field fields[] = {
    NUMBER("mu", model.mu, NOT_NEGATIVE, .initial = "0.4", .about = "coefficient of friction", .example = "0.4"),
    COUNT("radial", model.radial, .initial = "10", .about = "elements of the disc along its radius", .example = "4"),
    COUNT("around", model.around, .initial = "60", .about = "and round about", .example = "24"),
    COUNT("through", model.through, .initial = "1", .about = "and through its thickness"),
    COUNT("pad_through", model.pad_through, .initial = "2", .about = "layers of elements of the pad"),
    NUMBER("outer_radius", model.outer_radius, POSITIVE, .initial = "0.15", .unit = "length", .about = "free edge"),
    NUMBER("inner_radius", model.inner_radius, POSITIVE, .initial = "0.08", .unit = "length", .about = "clamped edge"),
    NUMBER("thickness", model.thickness, POSITIVE, .initial = "0.02", .unit = "length", .about = "of the disc"),
    NUMBER("modulus", model.modulus, POSITIVE, .initial = "1.1e11", .unit = "force/length^2", .about = "E of the disc"),
    NUMBER("density", model.density, POSITIVE, .initial = "7200", .unit = "mass/length^3", .about = "of the disc"),
    NUMBER("poisson", model.poisson, .initial = "0.25", .about = "Poisson's ratio of the disc"),
    NUMBER("pad_inner_radius", model.pad_inner_radius, POSITIVE, .initial = "0.101", .unit = "length",
           .about = "of the pad; the nearest nodes of the disc count"),
    NUMBER("pad_outer_radius", model.pad_outer_radius, POSITIVE, .initial = "0.143", .unit = "length",
           .about = "of the pad"),
    NUMBER("pad_angle_deg", pad_angle_deg, POSITIVE, .initial = "60", .about = "sector that the pad covers"),
    NUMBER("pad_thickness", model.pad_thickness, POSITIVE, .initial = "0.018", .unit = "length", .about = "of the pad"),
    NUMBER("pad_modulus", model.pad_modulus, POSITIVE, .initial = "6e9", .unit = "force/length^2",
           .about = "E of the pad"),
    NUMBER("pad_density", model.pad_density, POSITIVE, .initial = "3000", .unit = "mass/length^3",
           .about = "of the pad"),
    NUMBER("pad_poisson", model.pad_poisson, .initial = "0.3", .about = "Poisson's ratio of the pad"),
    NUMBER("caliper_stiffness", model.caliper_stiffness, NOT_NEGATIVE, .initial = "2e8", .unit = "force/length",
           .about = "of the springs behind the pad along the axis, together"),
    NUMBER("abutment_stiffness", model.abutment_stiffness, NOT_NEGATIVE, .initial = "1e8", .unit = "force/length",
           .about = "of the springs behind the pad in its plane, together"),
    AM_FIELD("rigid", FLAG, brake_setting, model.rigid, .initial = "false",
             .about = "rigid contacts instead of the springs of the lining"),
    NUMBER("lining_stiffness", model.lining_stiffness, POSITIVE, .initial = "1e9", .unit = "force/length",
           .about = "of all contact springs together"),
    NUMBER("lining_damping", model.lining_damping, NOT_NEGATIVE, .initial = "0", .unit = "force x time/length",
           .about = "of all contact springs together"),
    NUMBER("mass_damping", model.mass_damping, NOT_NEGATIVE, .initial = "50", .unit = "1/time",
           .about = "alpha of damping = alpha M + beta K"),
    NUMBER("stiffness_damping", model.stiffness_damping, NOT_NEGATIVE, .initial = "3e-7", .unit = "time",
           .about = "beta of damping = alpha M + beta K"),
    NUMBER("speed", model.speed, POSITIVE, .initial = "20", .unit = "1/time", .about = "of the disc, radians"),
    NUMBER("force", model.force, POSITIVE, .initial = "5000", .unit = "force", .about = "that presses the pad on"),
};

static const am_schema schema = {
    .name = "brake",
    .title = "model brake",
    .about = "A brake disc and a pad by finite elements, as fine as wanted: a large sparse structure with a friction "
             "contact at every pair of nodes. SI units by default.",
    .size = sizeof(brake_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const brake_setting *setting = settings;
    am_system *system = am_brake_create(&setting->model, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_brake = {.schema = &schema, .build = build, .analysis = "squeal"};
