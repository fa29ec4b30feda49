/* Bodies, supports, loads and contacts of model `mesh`: their schemas. */
#include <math.h>

#include "amontons/mesh.h"
#include "study/functions.h"
#include "study/models/friction.h"
#include "study/models/mesh.h"

/* ---- bodies ---- */

static const am_word plane_words[] = {{"strain", 0, "no strain across the plane: thick bodies"},
                                      {"stress", 1, "no stress across the plane: thin bodies"},
                                      {NULL, 0, NULL}};

#define BODY(name_, member, ...) AM_FIELD(name_, NUMBER, am_mesh_body, member, __VA_ARGS__)

static const am_field body_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_body, name, .required = true, .about = "the physical surface"),
    BODY("E", modulus, AM_POSITIVE, .required = true, .unit = "force/length^2", .about = "Young's modulus"),
    BODY("nu", poisson, .required = true, .about = "Poisson's ratio, below 0.5"),
    BODY("thickness", thickness, AM_POSITIVE, .initial = "1", .unit = "length", .about = "across the plane"),
    BODY("density", density, AM_NOT_NEGATIVE, .initial = "0", .unit = "mass/volume",
         .about = "for gravity and dynamics"),
    AM_FIELD("plane", EITHER, am_mesh_body, plane_stress, .words = plane_words, .initial = "strain",
             .about = "plane strain or plane stress"),
};

const am_schema am_mesh_body_schema = {.name = "mesh_body",
                                       .title = "a body",
                                       .about = "The material of a physical surface of the mesh.",
                                       .size = sizeof(am_mesh_body),
                                       AM_FIELDS(body_fields)};

/* ---- places ---- */

#define LINE(record, about_)                                                                                           \
    AM_FIELD("line", TEXT, record, place.name, .required = true,                                                       \
             .about = "a physical curve or a rigid body: " about_),                                                    \
        AM_FIELD("at", ARRAY, record, place.at, .shape = 2, .initial = "the whole line", .unit = "length",             \
                 .about = "[x, y]: the place of it nearest to this")

static const am_field support_fields[] = {
    LINE(am_mesh_support, "what is held"),
    AM_FIELD("x", FLAG, am_mesh_support, fixed[0], .initial = "true without x and y", .about = "held along x"),
    AM_FIELD("y", FLAG, am_mesh_support, fixed[1], .initial = "true without x and y", .about = "held along y"),
};

static am_status finish_support(am_reading *reading, const am_node *node, void *record) {
    am_mesh_support *support = record;
    support->place.point = am_node_get(node, "at") != NULL;
    if (!am_node_get(node, "x") && !am_node_get(node, "y"))
        support->fixed[0] = support->fixed[1] = true;
    if (!support->fixed[0] && !support->fixed[1])
        return am_node_fail(node, reading->err, AM_ERR_INPUT, "a support holds along x, along y or both");
    return AM_OK;
}

const am_schema am_mesh_support_schema = {.name = "support",
                                          .title = "a support",
                                          .about = "A line that does not move.",
                                          .size = sizeof(am_mesh_support),
                                          .finish = finish_support,
                                          AM_FIELDS(support_fields)};

/* ---- loads, gravity, drives ---- */

/* Without a function the load is there from the beginning. */
static am_status finish_function(am_reading *reading, const am_node *node, am_function *function) {
    if (am_functions_given(node) > 0)
        return am_function_finish(reading, node, function);
    *function = am_function_constant(1);
    return AM_OK;
}

static am_status finish_load(am_reading *reading, const am_node *node, void *record) {
    am_mesh_load *load = record;
    load->place.point = am_node_get(node, "at") != NULL;
    return finish_function(reading, node, &load->function);
}

static const am_field load_fields[] = {
    LINE(am_mesh_load, "what is loaded"),
    AM_FIELD("force", ARRAY, am_mesh_load, force, .shape = 2, .required = true, .unit = "force",
             .about = "[Fx, Fy] in all, spread evenly over the line; times the function of time"),
    AM_FUNCTION_FIELDS(offsetof(am_mesh_load, function)),
};

const am_schema am_mesh_load_schema = {.name = "mesh_load",
                                       .title = "a load",
                                       .about = "A force on a line or a place of it; without a function constant.",
                                       .size = sizeof(am_mesh_load),
                                       .finish = finish_load,
                                       AM_FIELDS(load_fields)};

static am_status finish_gravity(am_reading *reading, const am_node *node, void *record) {
    return finish_function(reading, node, &((am_mesh_gravity *)record)->function);
}

static const am_field gravity_fields[] = {
    AM_FIELD("acceleration", ARRAY, am_mesh_gravity, acceleration, .shape = 2, .required = true,
             .unit = "length/time^2", .about = "[gx, gy], times the function of time"),
    AM_FUNCTION_FIELDS(offsetof(am_mesh_gravity, function)),
};

const am_schema am_mesh_gravity_schema = {.name = "gravity",
                                          .title = "gravity",
                                          .about = "A weight of all bodies that have a density.",
                                          .size = sizeof(am_mesh_gravity),
                                          .finish = finish_gravity,
                                          AM_FIELDS(gravity_fields)};

static am_status finish_drive(am_reading *reading, const am_node *node, void *record) {
    am_mesh_drive *drive = record;
    double length = hypot(drive->direction[0], drive->direction[1]);
    if (!(length > 0))
        return am_node_fail(am_node_get(node, "direction"), reading->err, AM_ERR_INPUT, "direction must not be zero");
    for (size_t i = 0; i < 2; i++)
        drive->direction[i] /= length;
    drive->place.point = am_node_get(node, "at") != NULL;
    drive->name = drive->name ? drive->name : drive->place.name;
    return am_function_finish(reading, node, &drive->function);
}

static const am_field drive_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_drive, name, .initial = "its line", .about = "what it is called in table drives"),
    LINE(am_mesh_drive, "what is moved"),
    AM_FIELD("direction", ARRAY, am_mesh_drive, direction, .shape = 2, .required = true,
             .about = "[x, y]; without a spring along x or y"),
    AM_FIELD("stiffness", NUMBER, am_mesh_drive, stiffness, AM_POSITIVE, .initial = "rigid", .unit = "force/length",
             .about = "of a spring between the mean displacement of the line and what is prescribed"),
    AM_FUNCTION_FIELDS(offsetof(am_mesh_drive, function)),
};

const am_schema am_mesh_drive_schema = {.name = "drive",
                                        .title = "a drive",
                                        .about = "A displacement prescribed as a function of time.",
                                        .size = sizeof(am_mesh_drive),
                                        .finish = finish_drive,
                                        AM_FIELDS(drive_fields)};

/* ---- rigid bodies ---- */

static const am_word fixed_words[] = {
    {"x", 0, "along x"}, {"y", 1, "along y"}, {"rotation", 2, "about the middle of the surface"}, {NULL, 0, NULL}};

static const am_field rigid_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_rigid, name, .required = true,
             .about = "by which contacts, supports and loads call it"),
    AM_FIELD("from", ARRAY, am_mesh_rigid, from, .shape = 2, .required = true, .unit = "length",
             .about = "[x, y], one end of its straight surface; the body is left of the way from here to `to`"),
    AM_FIELD("to", ARRAY, am_mesh_rigid, to, .shape = 2, .required = true, .unit = "length",
             .about = "[x, y], the other end"),
    AM_FIELD("fixed", FLAGS, am_mesh_rigid, fixed, .words = fixed_words, .initial = "[x, y, rotation]",
             .about = "what it cannot do"),
    AM_FIELD("mass", NUMBER, am_mesh_rigid, mass, AM_NOT_NEGATIVE, .initial = "0", .unit = "mass", .about = "dynamics"),
    AM_FIELD("inertia", NUMBER, am_mesh_rigid, inertia, AM_NOT_NEGATIVE, .initial = "0", .unit = "mass x length^2",
             .about = "dynamics: about the middle of the surface"),
};

static void rigid_defaults(void *record) {
    am_mesh_rigid *rigid = record;
    rigid->fixed[0] = rigid->fixed[1] = rigid->fixed[2] = true;
}

const am_schema am_mesh_rigid_schema = {.name = "rigid",
                                        .title = "a rigid body",
                                        .about = "A body with a straight surface that does not deform.",
                                        .size = sizeof(am_mesh_rigid),
                                        .defaults = rigid_defaults,
                                        AM_FIELDS(rigid_fields)};

/* ---- contacts ---- */

static am_status finish_contact(am_reading *reading, const am_node *node, void *record) {
    am_mesh_contact *contact = record;
    contact->name = contact->name ? contact->name : contact->slave;
    if (!am_node_get(node, "f") && !am_node_get(node, "weakening"))
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "a contact needs its coefficient of friction f, or a table `weakening`");
    return am_friction_finish(reading, node, &contact->friction);
}

static const am_field contact_fields[] = {
    AM_FIELD("name", TEXT, am_mesh_contact, name, .initial = "its slave", .about = "what it is called in tables"),
    AM_FIELD("slave", TEXT, am_mesh_contact, slave, .required = true,
             .about = "the line whose nodes are the contacts: of the finer or the softer body"),
    AM_FIELD("master", TEXT, am_mesh_contact, master, .initial = "a rigid wall along the slave itself",
             .about = "the line or rigid body on the other side"),
    AM_FRICTION_FIELDS(am_mesh_contact, friction, NULL),
    AM_FIELD("gap", NUMBER, am_mesh_contact, gap, .initial = "0", .unit = "length",
             .about = "added to that of the mesh"),
    AM_FIELD("curvature", NUMBER, am_mesh_contact, curvature, .initial = "0", .unit = "1/length",
             .about = "adds curvature (x - centre)^2/2 to the gap"),
    AM_FIELD("centre", NUMBER, am_mesh_contact, centre, .initial = "0", .unit = "length", .about = "of that"),
    AM_FIELD("flush", FLAG, am_mesh_contact, flush, .initial = "false",
             .about = "the gap of the mesh is taken as zero: surfaces that are meant to coincide"),
};

const am_schema am_mesh_contact_schema = {.name = "mesh_contact",
                                          .title = "a contact",
                                          .about = "Two surfaces that may touch, slide and part.",
                                          .size = sizeof(am_mesh_contact),
                                          .finish = finish_contact,
                                          AM_FIELDS(contact_fields)};
