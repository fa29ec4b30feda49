#include "models/blocks.h"

#include <math.h>

#include "base/memory.h"
#include "base/object.h"
#include "base/try.h"
#include "math/pi.h"

/* A table of time needs an end. */
static const double for_ever = 1e9;

enum { DEFAULTED = 0x626c6f63 }; /* am_blocks_default was called */

/* ---- rows ---- */

static const am_word plane_words[] = {{"strain", 0, "no strain across the plane: thick bodies"},
                                      {"stress", 1, "no stress across the plane: thin ones"},
                                      {NULL, 0, NULL}};

#define BODY(name_, member, ...) AM_FIELD(name_, NUMBER, am_blocks_body, member, __VA_ARGS__)
#define BODY_FIELDS(length_, height_, thickness_, plane_, rigid_)                                                      \
    BODY("length", length, AM_POSITIVE, .initial = length_, .unit = "length", .about = "along the interface"),         \
        BODY("height", height, AM_POSITIVE, .initial = height_, .unit = "length", .about = "across it"),               \
        BODY("thickness", thickness, AM_POSITIVE, .initial = thickness_, .unit = "length",                             \
             .about = "across the plane; the thinner body's is that of the contact"),                                  \
        BODY("E", modulus, AM_POSITIVE, .initial = "3100", .unit = "force/length^2", .about = "Young's modulus"),      \
        BODY("nu", poisson, .initial = "0.35", .about = "Poisson's ratio; close to 1/2 is fine"),                      \
        BODY("density", density, AM_NOT_NEGATIVE, .initial = "0", .unit = "mass/length^3",                             \
             .about = "for gravity and dynamics"),                                                                     \
        AM_FIELD("plane", EITHER, am_blocks_body, plane_stress, .words = plane_words, .initial = plane_,               \
                 .about = "plane strain or plane stress"),                                                             \
        AM_FIELD("rigid", FLAG, am_blocks_body, rigid, .initial = "false", .about = rigid_)

static const am_field slider_fields[] = {
    BODY_FIELDS("140", "80", "6", "stress", "a punch with a flat end; it has no elements")};
static const am_field base_fields[] = {BODY_FIELDS("300", "30", "30", "strain", "a rigid plane; it has no elements")};

const am_schema am_blocks_slider_schema = {.name = "slider",
                                           .title = "slider",
                                           .about = "The upper block.",
                                           .size = sizeof(am_blocks_body),
                                           AM_FIELDS(slider_fields)};
const am_schema am_blocks_base_schema = {.name = "base",
                                         .title = "base",
                                         .about = "The lower block, on which the slider stands.",
                                         .size = sizeof(am_blocks_body),
                                         AM_FIELDS(base_fields)};

static const am_word element_words[] = {
    {"quad8", AM_BLOCKS_QUAD8, "quadrilaterals with 8 nodes"},
    {"quad4", AM_BLOCKS_QUAD4, "quadrilaterals with 4 nodes and incompatible modes"},
    {"triangle6", AM_BLOCKS_TRIANGLE6, "triangles with 6 nodes, two to a cell"},
    {NULL, 0, NULL}};

#define SIZE(name_, ...)                                                                                               \
    AM_FIELD(#name_, NUMBER, am_blocks_mesh, name_, AM_POSITIVE, .zero_unset = true, .unit = "length", __VA_ARGS__)

static const am_field mesh_fields[] = {
    AM_FIELD("element", WORD, am_blocks_mesh, element, .words = element_words, .initial = "quad8",
             .about = "kind of finite elements"),
    SIZE(size, .initial = "a 70th of the slider; with a radius a 12th of the contact's half-width",
         .about = "of elements along the interface"),
    SIZE(ends, .initial = "that of size", .about = "size at the slider's ends, from where elements grow to `size`"),
    SIZE(zone, .initial = "the slider; with a radius the contact",
         .about = "half-width around the slider's middle that has elements of `size`; outside they grow"),
    AM_FIELD("growth", NUMBER, am_blocks_mesh, growth, AM_POSITIVE, .initial = "1.4",
             .about = "factor from element to element, at least 1"),
    SIZE(largest, .initial = "an eighth of the larger height", .about = "size up to which they grow"),
};

const am_schema am_blocks_mesh_schema = {.name = "mesh",
                                         .title = "mesh",
                                         .about = "How the blocks are divided into finite elements.",
                                         .size = sizeof(am_blocks_mesh),
                                         AM_FIELDS(mesh_fields)};

const am_word am_blocks_control_words[] = {
    {"force", AM_BLOCKS_FORCE, "Q itself"},
    {"displacement", AM_BLOCKS_DISPLACEMENT, "the loaded point is moved by `push`"},
    {"spring", AM_BLOCKS_SPRING, "the far end of a spring is moved by `push`"},
    {NULL, 0, NULL}};

const am_word am_blocks_side_words[] = {{"left", AM_BLOCKS_LEFT, "at load_height on the left edge, to the right"},
                                        {"right", AM_BLOCKS_RIGHT, "at load_height on the right edge, to the left"},
                                        {"top", AM_BLOCKS_TOP, "over the top, to the right, without a moment"},
                                        {NULL, 0, NULL}};

const am_word am_blocks_hold_words[] = {
    {"bottom", 0, "of the base"}, {"right", 1, "of the base"}, {"left", 2, "of the base"}, {NULL, 0, NULL}};

static const am_field fields[] = {AM_BLOCKS_FIELDS};
static const am_schema own_schema = {.size = sizeof(am_blocks), AM_FIELDS(fields)};

am_blocks am_blocks_default(void) {
    am_blocks blocks = {.friction = {.kinetic = 0.47}, .hold = {true, true, false}, .cookie = DEFAULTED};
    am_schema_defaults(&own_schema, &blocks);
    return blocks;
}

double am_blocks_direction(const am_blocks *blocks) {
    return blocks->side == AM_BLOCKS_RIGHT ? -1.0 : 1.0;
}

/* ---- checks ---- */

static am_status check_poisson(const char *field, const char *name, const am_blocks_body *body, am_error *err) {
    double most = body->plane_stress ? 0.5 : 0.4999999;
    if (body->rigid || (body->poisson > -1.0 && body->poisson <= most))
        return AM_OK;
    return am_fail_field(err, AM_ERR_INPUT, field,
                         "the Poisson's ratio nu of the %s must be above -1 and at most %.7g in plane %s, but is %g",
                         name, most, body->plane_stress ? "stress" : "strain", body->poisson);
}

static am_status check_place(const am_blocks *b, am_error *err) {
    if (b->slider.rigid && b->base.rigid)
        return am_fail_field(err, AM_ERR_INPUT, "base.rigid", "slider and base cannot both be rigid");
    if (isnan(b->position) ? b->slider.length > b->base.length
                           : !(b->position >= 0.0 && b->position + b->slider.length <= b->base.length))
        return am_fail_field(err, AM_ERR_INPUT, isnan(b->position) ? "slider.length" : "position",
                             "the slider (length %g) does not stand on the base (length %g) with its whole length",
                             b->slider.length, b->base.length);
    return AM_OK;
}

static am_status check_halfplane(const am_blocks *b, am_error *err) {
    if (b->halfplane && !(b->radius > 0.0) && !b->slider.rigid)
        return am_fail_field(err, AM_ERR_INPUT, "halfplane",
                             "there is no half-plane to compare with: the gap is flat and the slider elastic; give a "
                             "radius, or a rigid slider");
    if (b->halfplane && b->radius > 0.0 && b->side != AM_BLOCKS_TOP)
        return am_fail_field(err, AM_ERR_INPUT, "halfplane",
                             "a slider with a radius that is pushed at its side rolls away, and the half-planes do "
                             "not: compare them with load_at: top");
    return AM_OK;
}

static am_status check_control(const am_blocks *b, am_error *err) {
    bool edge = b->side != AM_BLOCKS_TOP;
    if (edge && !(b->load_height >= 0.0 && b->load_height <= b->slider.height))
        return am_fail_field(err, AM_ERR_INPUT, "load_height",
                             "the load acts at the height %g above the interface, and the slider is %g high",
                             b->load_height, b->slider.height);
    if (!edge && b->control != AM_BLOCKS_FORCE)
        return am_fail_field(err, AM_ERR_INPUT, "control",
                             "a slider that is loaded over its top is loaded by a force: the shear that keeps it from "
                             "turning must be known");
    if (b->control == AM_BLOCKS_DISPLACEMENT && b->slider.rigid)
        return am_fail_field(err, AM_ERR_INPUT, "control",
                             "a rigid slider is pushed by a force or through a spring: a displacement would not leave "
                             "it free to turn about the loaded point");
    if (b->control == AM_BLOCKS_DISPLACEMENT && b->load_height == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "load_height",
                             "a displacement cannot be prescribed at the interface itself, whose nodes stick or slip: "
                             "push above it, or by a force");
    if (b->control == AM_BLOCKS_FORCE)
        return AM_OK;
    bool steady = b->speed > 0.0 && b->control == AM_BLOCKS_SPRING;
    if (steady && !isnan(b->push))
        return am_fail_field(
            err, AM_ERR_INPUT, "speed",
            "the far end of the spring moves by `push` until t = 1, or at a `speed` for ever; give one "
            "of them");
    if (!steady && isnan(b->push))
        return am_fail_field(err, AM_ERR_INPUT, "push", "the displacement `push` must be given");
    if (b->control == AM_BLOCKS_SPRING && b->stiffness == 0.0)
        return am_fail_field(err, AM_ERR_INPUT, "stiffness", "the stiffness of the spring must be positive");
    return AM_OK;
}

static am_status check_dynamics(const am_blocks *b, am_error *err) {
    const struct {
        const am_blocks_body *body;
        const char *name, *field;
    } bodies[] = {{&b->slider, "slider", "slider.density"}, {&b->base, "base", "base.density"}};
    for (size_t i = 0; i < 2 && b->modes > 0; i++)
        if (!(bodies[i].body->density > 0.0) && (i == 0 || !bodies[i].body->rigid))
            return am_fail_field(err, AM_ERR_INPUT, bodies[i].field,
                                 "with `modes` the blocks have mass, and the %s has no density", bodies[i].name);
    if (b->modes > 0 && b->control == AM_BLOCKS_DISPLACEMENT)
        return am_fail_field(err, AM_ERR_INPUT, "control",
                             "in dynamics the slider is pushed by a force or through a spring, however stiff: a "
                             "prescribed displacement would start with a blow");
    return AM_OK;
}

static am_status check(const am_blocks *b, am_error *err) {
    if (b->cookie != DEFAULTED)
        return am_fail(err, AM_ERR_INPUT, "am_blocks must begin with am_blocks_default()");
    AM_TRY(am_schema_check(&own_schema, b, err));
    AM_TRY(check_poisson("slider.nu", "slider", &b->slider, err));
    AM_TRY(check_poisson("base.nu", "base", &b->base, err));
    if (b->gravity != 0.0 && !(b->slider.density > 0.0) && !(b->base.density > 0.0 && !b->base.rigid))
        return am_fail_field(err, AM_ERR_INPUT, "gravity",
                             "gravity acts on mass: give the slider or the base a density");
    if (!(b->mesh.growth >= 1.0 && b->mesh.growth <= 10.0))
        return am_fail_field(err, AM_ERR_INPUT, "mesh.growth",
                             "elements grow from one to the next by a factor of 1 to 10, not %g", b->mesh.growth);
    AM_TRY(am_friction_check(&b->friction, err));
    AM_TRY(check_place(b, err));
    AM_TRY(check_dynamics(b, err));
    AM_TRY(check_halfplane(b, err));
    return check_control(b, err);
}

/* ---- defaults ---- */

static double compliance(const am_blocks_body *body) {
    double squared = body->plane_stress ? 0.0 : body->poisson * body->poisson;
    return body->rigid ? 0.0 : (1.0 - squared) / body->modulus;
}

double am_blocks_thickness(const am_blocks *b) {
    return b->slider.rigid ? b->base.thickness
           : b->base.rigid ? b->slider.thickness
                           : fmin(b->slider.thickness, b->base.thickness);
}

/* Half-planes: a^2 = 4 P R (1/E*)/pi per unit of thickness. */
static double hertz_width(const am_blocks *b) {
    return sqrt(4.0 / pi * b->P / am_blocks_thickness(b) * b->radius * (compliance(&b->slider) + compliance(&b->base)));
}

static void fill_mesh(am_blocks_rig *rig) {
    am_blocks_mesh *m = &rig->blocks.mesh;
    const am_blocks *b = &rig->blocks;
    double half = 0.5 * b->slider.length;
    bool narrow = rig->hertz > 0.0 && 1.3 * rig->hertz < half;
    if (m->zone == 0.0)
        m->zone = narrow ? 1.3 * rig->hertz : half;
    if (m->size == 0.0)
        m->size = narrow ? rig->hertz / 12.0 : b->slider.length / 70.0;
    if (m->largest == 0.0)
        m->largest = fmax(b->slider.rigid ? 0.0 : b->slider.height, b->base.rigid ? 0.0 : b->base.height) / 8.0;
    m->ends = fmin(m->ends, m->size);
}

static void fill_defaults(am_blocks_rig *rig) {
    am_blocks *b = &rig->blocks;
    if (isnan(b->position))
        b->position = 0.5 * (b->base.length - b->slider.length);
    if (isnan(b->Q_over_P))
        b->Q_over_P = 0.99 * am_friction_last(&b->friction);
    rig->left = -0.5 * b->slider.length;
    rig->base_left = rig->left - b->position;
    rig->hertz = b->radius > 0.0 ? hertz_width(b) : 0.0;
    fill_mesh(rig);
}

/* ---- what acts ---- */

static void add_load(am_blocks_rig *rig, const char *line, bool point, double x, double y, double force_x,
                     double force_y, am_function function) {
    if (force_x == 0.0 && force_y == 0.0)
        return;
    rig->load[rig->def.load_count++] =
        (am_mesh_load){.place = {rig->blocks.slider.rigid ? "slider" : line, point, {x, y}},
                       .force = {force_x, force_y},
                       .function = function};
}

/* Loads are per unit of their function, which is 1 in the end. */
static void press(am_blocks_rig *rig) {
    const am_blocks *b = &rig->blocks;
    rig->press[0][0] = -1.0;
    rig->press[1][1] = 1.0;
    am_function function = am_function_table(2, rig->press[0], rig->press[1]);
    add_load(rig, "slider.top", b->slider.rigid, 0.0, b->slider.height, 0.0, -b->P, function);
    rig->gravity = (am_mesh_gravity){{0.0, -b->gravity}, function};
    rig->def.gravity_count = b->gravity != 0.0;
}

/* Over the top: the couple of the shear along both ends balances the moment of Q about the interface. */
static void shear(am_blocks_rig *rig, am_function function) {
    const am_blocks *b = &rig->blocks;
    double Q = b->Q_over_P * b->P, side = Q * b->slider.height / b->slider.length;
    if (b->slider.rigid) {
        add_load(rig, NULL, true, 0.0, 0.0, Q, 0.0, function);
        return;
    }
    add_load(rig, "slider.top", false, 0.0, 0.0, Q, 0.0, function);
    add_load(rig, "slider.right", false, 0.0, 0.0, 0.0, side, function);
    add_load(rig, "slider.left", false, 0.0, 0.0, 0.0, -side, function);
}

static void push(am_blocks_rig *rig) {
    const am_blocks *b = &rig->blocks;
    double direction = am_blocks_direction(b), x = direction * rig->left, Q = direction * b->Q_over_P * b->P;
    const char *edge = b->side == AM_BLOCKS_RIGHT ? "slider.right" : "slider.left";
    rig->push[0][1] = 1.0;
    rig->push[1][1] = b->control == AM_BLOCKS_FORCE ? 1.0 : direction * b->push;
    if (b->speed > 0.0 && b->control == AM_BLOCKS_SPRING) {
        rig->push[0][1] = for_ever;
        rig->push[1][1] = direction * b->speed * for_ever;
    }
    am_function function = am_function_table(2, rig->push[0], rig->push[1]);
    if (b->side == AM_BLOCKS_TOP) {
        shear(rig, function);
    } else if (b->control == AM_BLOCKS_FORCE) {
        add_load(rig, edge, true, x, b->load_height, Q, 0.0, function);
    } else {
        rig->drive = (am_mesh_drive){.name = "push",
                                     .place = {b->slider.rigid ? "slider" : edge, true, {x, b->load_height}},
                                     .direction = {1.0, 0.0},
                                     .stiffness = b->control == AM_BLOCKS_SPRING ? b->stiffness : 0.0,
                                     .function = function};
        rig->def.drive_count = 1;
    }
}

static void support(am_blocks_rig *rig) {
    static const char *const side[3] = {"base.bottom", "base.right", "base.left"};
    for (size_t i = 0; i < 3 && !rig->blocks.base.rigid; i++)
        if (rig->blocks.hold[i])
            rig->support[rig->def.support_count++] =
                (am_mesh_support){.place = {.name = side[i]}, .fixed = {true, true}};
}

/* The rigid one is on the left of its surface: a slider above it, a base below. */
static void add_rigid(am_blocks_rig *rig) {
    const am_blocks *b = &rig->blocks;
    rig->def.rigid_count = b->slider.rigid || b->base.rigid;
    if (b->slider.rigid) {
        double mass = b->slider.density * b->slider.length * b->slider.height * b->slider.thickness;
        double turn = (b->slider.length * b->slider.length + b->slider.height * b->slider.height) / 12.0 +
                      0.25 * b->slider.height * b->slider.height; /* about the middle of its lower end */
        rig->rigid = (am_mesh_rigid){
            .name = "slider", .from = {rig->left, 0.0}, .to = {-rig->left, 0.0}, .mass = mass, .inertia = mass * turn};
    } else if (b->base.rigid) {
        rig->rigid = (am_mesh_rigid){.name = "base",
                                     .from = {rig->base_left + b->base.length, 0.0},
                                     .to = {rig->base_left, 0.0},
                                     .fixed = {true, true, true}};
    }
}

static void define(am_blocks_rig *rig) {
    const am_blocks *b = &rig->blocks;
    rig->def = (am_solid_def){.mesh = &rig->mesh,
                              .rigid = &rig->rigid,
                              .support = rig->support,
                              .load = rig->load,
                              .gravity = &rig->gravity,
                              .drive = &rig->drive,
                              .contact_count = 1,
                              .contact = &rig->contact,
                              .mass_damping = b->mass_damping,
                              .stiffness_damping = b->stiffness_damping};
    add_rigid(rig);
    support(rig);
    press(rig);
    push(rig);
    rig->contact = (am_mesh_contact){.name = "interface",
                                     .slave = b->slider.rigid ? "base.top" : "slider.bottom",
                                     .master = b->slider.rigid ? "slider"
                                               : b->base.rigid ? "base"
                                                               : "base.top",
                                     .friction = b->friction,
                                     .curvature = b->radius > 0.0 ? 1.0 / b->radius : 0.0,
                                     .flush = true};
}

/* ---- creation ---- */

am_blocks_rig *am_blocks_rig_create(const am_blocks *blocks, am_error *err) {
    if (check(blocks, err))
        return NULL;
    am_blocks_rig *rig = am_memory_new(1, sizeof *rig, err);
    if (!rig)
        return NULL;
    rig->blocks = *blocks;
    fill_defaults(rig);
    define(rig);
    if (am_blocks_mesh_make(rig, err) || am_solid_create(&rig->solid, &rig->def, err) ||
        (blocks->modes > 0 && am_solid_dynamics_init(&rig->dynamics, rig->solid, blocks->modes, err))) {
        am_blocks_rig_free(rig);
        return NULL;
    }
    return rig;
}

void am_blocks_rig_free(am_blocks_rig *rig) {
    if (!rig)
        return;
    am_solid_dynamics_clear(&rig->dynamics);
    am_solid_free(rig->solid);
    am_solid_mesh_clear(&rig->mesh);
    am_memory_free(rig);
}

am_system *am_blocks_rig_system(am_blocks_rig *rig, am_error *err) {
    if (rig->blocks.modes == 0)
        return am_solid_system(rig->solid, err);
    am_system *system = rig->dynamics.system;
    rig->dynamics.system = NULL;
    return system;
}

am_system *am_blocks_create(const am_blocks *blocks, am_error *err) {
    if (!blocks)
        return am_misused_for_nothing(err, __func__);
    am_blocks_rig *rig = am_blocks_rig_create(blocks, err);
    am_system *system = rig ? am_blocks_rig_system(rig, err) : NULL;
    am_blocks_rig_free(rig);
    return system;
}
