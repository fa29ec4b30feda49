/* Bodies, supports, loads and contacts of model `mesh`: their schemas. */
#include <math.h>

#include "study/models/mesh.h"

/* ---- bodies ---- */

static const am_word plane_words[] = {{"strain", 0, "no strain across the plane: thick bodies"},
                                      {"stress", 1, "no stress across the plane: thin bodies"},
                                      {NULL, 0, NULL}};

static void body_defaults(void *record) {
    am_mesh_body_setting *setting = record;
    setting->body.thickness = 1;
}

#define BODY(name_, member, range_, ...)                                                                               \
    {                                                                                                                  \
        .name = name_, .type = AM_FIELD_NUMBER, .offset = offsetof(am_mesh_body_setting, body.member),                 \
        .range = range_, __VA_ARGS__                                                                                   \
    }

static const am_field body_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_body_setting, name, .required = true, .about = "the physical surface"),
    BODY("E", modulus, AM_RANGE_POSITIVE, .required = true, .unit = "force/length^2", .about = "Young's modulus"),
    BODY("nu", poisson, AM_RANGE_ANY, .required = true, .about = "Poisson's ratio, below 0.5"),
    BODY("thickness", thickness, AM_RANGE_POSITIVE, .initial = "1", .unit = "length", .about = "across the plane"),
    BODY("density", density, AM_RANGE_NOT_NEGATIVE, .initial = "0", .unit = "mass/volume",
         .about = "for gravity and dynamics"),
    AM_FIELD("plane", WORD, am_mesh_body_setting, plane, .words = plane_words, .initial = "strain",
             .about = "plane strain or plane stress"),
};

static am_status finish_body(am_reading *reading, const am_node *node, void *record) {
    am_mesh_body_setting *setting = record;
    (void)reading;
    (void)node;
    setting->body.plane_stress = setting->plane != 0;
    return AM_OK;
}

const am_schema am_mesh_body_schema = {.name = "mesh_body",
                                       .title = "a body",
                                       .about = "The material of a physical surface of the mesh.",
                                       .size = sizeof(am_mesh_body_setting),
                                       .defaults = body_defaults,
                                       .finish = finish_body,
                                       AM_FIELDS(body_fields)};

/* ---- places ---- */

#define LINE(record, about_)                                                                                           \
    {.name = "line",                                                                                                   \
     .type = AM_FIELD_TEXT,                                                                                            \
     .offset = offsetof(record, line),                                                                                 \
     .required = true,                                                                                                 \
     .about = "a physical curve or a rigid body: " about_},                                                            \
    {                                                                                                                  \
        .name = "at", .type = AM_FIELD_NUMBERS, .offset = offsetof(record, at), .shape = 2,                            \
        .initial = "the whole line", .unit = "length", .about = "[x, y]: the place of it nearest to this"              \
    }

static const am_field support_fields[] = {
    LINE(am_mesh_support_setting, "what is held"),
    AM_FIELD("x", FLAG, am_mesh_support_setting, x, .initial = "true without x and y", .about = "held along x"),
    AM_FIELD("y", FLAG, am_mesh_support_setting, y, .initial = "true without x and y", .about = "held along y"),
};

static am_status finish_support(am_reading *reading, const am_node *node, void *record) {
    am_mesh_support_setting *setting = record;
    if (!am_node_get(node, "x") && !am_node_get(node, "y"))
        setting->x = setting->y = true;
    if (!setting->x && !setting->y)
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "a support holds along x, along y or both");
    return AM_OK;
}

const am_schema am_mesh_support_schema = {.name = "support",
                                          .title = "a support",
                                          .about = "A line that does not move.",
                                          .size = sizeof(am_mesh_support_setting),
                                          .finish = finish_support,
                                          AM_FIELDS(support_fields)};

/* ---- loads, gravity, drives ---- */

/* Without a function the load is there from the beginning. */
static am_status finish_function(am_reading *reading, const am_node *node, am_function_setting *setting) {
    for (size_t i = 0; i < sizeof am_function_schemas / sizeof *am_function_schemas; i++)
        if (am_node_get(node, am_function_schemas[i]->name))
            return am_function_finish(reading, node, setting);
    setting->function = am_function_constant(1);
    return AM_OK;
}

static am_status finish_load(am_reading *reading, const am_node *node, void *record) {
    return finish_function(reading, node, &((am_mesh_load_setting *)record)->function);
}

static const am_field load_fields[] = {
    LINE(am_mesh_load_setting, "what is loaded"),
    AM_FIELD("force", NUMBERS, am_mesh_load_setting, force, .shape = 2, .required = true, .unit = "force",
             .about = "[Fx, Fy] in all, spread evenly over the line; times the function of time"),
    AM_FUNCTION_FIELDS(am_mesh_load_setting, function),
};

const am_schema am_mesh_load_schema = {.name = "mesh_load",
                                       .title = "a load",
                                       .about = "A force on a line or a place of it; without a function constant.",
                                       .size = sizeof(am_mesh_load_setting),
                                       .finish = finish_load,
                                       AM_FIELDS(load_fields)};

static am_status finish_gravity(am_reading *reading, const am_node *node, void *record) {
    return finish_function(reading, node, &((am_mesh_gravity_setting *)record)->function);
}

static const am_field gravity_fields[] = {
    AM_FIELD("acceleration", NUMBERS, am_mesh_gravity_setting, acceleration, .shape = 2, .required = true,
             .unit = "length/time^2", .about = "[gx, gy], times the function of time"),
    AM_FUNCTION_FIELDS(am_mesh_gravity_setting, function),
};

const am_schema am_mesh_gravity_schema = {.name = "gravity",
                                          .title = "gravity",
                                          .about = "A weight of all bodies that have a density.",
                                          .size = sizeof(am_mesh_gravity_setting),
                                          .finish = finish_gravity,
                                          AM_FIELDS(gravity_fields)};

static am_status finish_drive(am_reading *reading, const am_node *node, void *record) {
    am_mesh_drive_setting *setting = record;
    if (!(hypot(setting->direction.values[0], setting->direction.values[1]) > 0))
        return am_node_fail(setting->direction.node, reading->err, AM_ERR_INPUT, "direction must not be zero");
    return am_function_finish(reading, node, &setting->function);
}

static const am_field drive_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_drive_setting, name, .initial = "its line",
             .about = "what it is called in table drives"),
    LINE(am_mesh_drive_setting, "what is moved"),
    AM_FIELD("direction", NUMBERS, am_mesh_drive_setting, direction, .shape = 2, .required = true,
             .about = "[x, y]; without a spring along x or y"),
    AM_FIELD("stiffness", NUMBER, am_mesh_drive_setting, stiffness, .range = AM_RANGE_POSITIVE, .initial = "rigid",
             .unit = "force/length",
             .about = "of a spring between the mean displacement of the line and what is prescribed"),
    AM_FUNCTION_FIELDS(am_mesh_drive_setting, function),
};

const am_schema am_mesh_drive_schema = {.name = "drive",
                                        .title = "a drive",
                                        .about = "A displacement prescribed as a function of time.",
                                        .size = sizeof(am_mesh_drive_setting),
                                        .finish = finish_drive,
                                        AM_FIELDS(drive_fields)};

/* ---- rigid bodies ---- */

static const am_word fixed_words[] = {
    {"x", 0, "along x"}, {"y", 1, "along y"}, {"rotation", 2, "about the middle of the surface"}, {NULL, 0, NULL}};

static const am_field rigid_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_rigid_setting, name, .required = true,
             .about = "by which contacts, supports and loads call it"),
    AM_FIELD("from", NUMBERS, am_mesh_rigid_setting, from, .shape = 2, .required = true, .unit = "length",
             .about = "[x, y], one end of its straight surface; the body is left of the way from here to `to`"),
    AM_FIELD("to", NUMBERS, am_mesh_rigid_setting, to, .shape = 2, .required = true, .unit = "length",
             .about = "[x, y], the other end"),
    AM_FIELD("fixed", WORDS, am_mesh_rigid_setting, fixed, .words = fixed_words, .initial = "[x, y, rotation]",
             .about = "what it cannot do"),
    AM_FIELD("mass", NUMBER, am_mesh_rigid_setting, mass, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0",
             .unit = "mass", .about = "dynamics"),
    AM_FIELD("inertia", NUMBER, am_mesh_rigid_setting, inertia, .range = AM_RANGE_NOT_NEGATIVE, .initial = "0",
             .unit = "mass x length^2", .about = "dynamics: about the middle of the surface"),
};

const am_schema am_mesh_rigid_schema = {.name = "rigid",
                                        .title = "a rigid body",
                                        .about = "A body with a straight surface that does not deform.",
                                        .size = sizeof(am_mesh_rigid_setting),
                                        AM_FIELDS(rigid_fields)};

/* ---- contacts ---- */

static am_status finish_contact(am_reading *reading, const am_node *node, void *record) {
    am_mesh_contact_setting *setting = record;
    if (!am_node_get(node, "f") && !am_node_get(node, "weakening"))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact needs its coefficient of friction f, or a table `weakening`");
    return am_friction_finish(reading, node, &setting->friction);
}

static const am_field contact_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_contact_setting, name, .initial = "its slave",
             .about = "what it is called in tables"),
    AM_FIELD("slave", TEXT, am_mesh_contact_setting, slave, .required = true,
             .about = "the line whose nodes are the contacts: of the finer or the softer body"),
    AM_FIELD("master", TEXT, am_mesh_contact_setting, master, .initial = "a rigid wall along the slave itself",
             .about = "the line or rigid body on the other side"),
    AM_FRICTION_FIELDS(am_mesh_contact_setting, friction, NULL),
    AM_FIELD("gap", NUMBER, am_mesh_contact_setting, gap, .initial = "0", .unit = "length",
             .about = "added to that of the mesh"),
    AM_FIELD("curvature", NUMBER, am_mesh_contact_setting, curvature, .initial = "0", .unit = "1/length",
             .about = "adds curvature (x - centre)^2/2 to the gap"),
    AM_FIELD("centre", NUMBER, am_mesh_contact_setting, centre, .initial = "0", .unit = "length", .about = "of that"),
    AM_FIELD("flush", FLAG, am_mesh_contact_setting, flush, .initial = "false",
             .about = "the gap of the mesh is taken as zero: surfaces that are meant to coincide"),
};

const am_schema am_mesh_contact_schema = {.name = "mesh_contact",
                                          .title = "a contact",
                                          .about = "Two surfaces that may touch, slide and part.",
                                          .size = sizeof(am_mesh_contact_setting),
                                          .finish = finish_contact,
                                          AM_FIELDS(contact_fields)};
