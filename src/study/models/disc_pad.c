#include "amontons/models.h"

#include "study/models.h"

typedef struct lining_setting {
    size_t contacts;
    double stiffness, damping;
} lining_setting;

typedef struct disc_pad_setting {
    am_disc_pad model;
    lining_setting lining;
} disc_pad_setting;

static void disc_defaults(void *record) {
    *(am_disc *)record = am_disc_pad_default().disc;
}

static void pad_defaults(void *record) {
    *(am_pad *)record = am_disc_pad_default().pad;
}

static void lining_defaults(void *record) {
    am_disc_pad model = am_disc_pad_default();
    *(lining_setting *)record = (lining_setting){model.contacts, model.lining_stiffness, model.lining_damping};
}

#define DISC(name_, member, ...) AM_FIELD(name_, NUMBER, am_disc, member, __VA_ARGS__)
#define PAD(name_, member, ...) AM_FIELD(name_, NUMBER, am_pad, member, __VA_ARGS__)
#define POSITIVE .range = AM_RANGE_POSITIVE
#define NOT_NEGATIVE .range = AM_RANGE_NOT_NEGATIVE

static const am_field disc_fields[] = {
    DISC("outer_radius", outer_radius, POSITIVE, .initial = "0.15", .unit = "length", .about = "free edge"),
    DISC("inner_radius", inner_radius, POSITIVE, .initial = "0.08", .unit = "length", .about = "clamped edge"),
    DISC("thickness", thickness, POSITIVE, .initial = "0.02", .unit = "length", .about = "of the plate"),
    DISC("modulus", modulus, POSITIVE, .initial = "1.1e11", .unit = "force/length^2", .about = "E of cast iron"),
    DISC("density", density, POSITIVE, .initial = "7200", .unit = "mass/length^3", .about = "of cast iron"),
    DISC("poisson", poisson, .initial = "0.25", .about = "Poisson's ratio"),
    DISC("damping_ratio", damping_ratio, NOT_NEGATIVE, .initial = "0.002", .about = "of every mode"),
    DISC("split", split, NOT_NEGATIVE, .initial = "0.002",
         .about = "relative difference between the two frequencies of a doublet"),
    AM_FIELD("modes", COUNT, am_disc, modes, .initial = "20", .about = "how many, the lowest ones, doublets whole"),
};

static const am_field pad_fields[] = {
    PAD("length", length, POSITIVE, .initial = "0.12", .unit = "length", .about = "along the circumference"),
    PAD("width", width, POSITIVE, .initial = "0.05", .unit = "length", .about = "along the radius"),
    PAD("thickness", thickness, POSITIVE, .initial = "0.008", .unit = "length", .about = "of the beam that bends"),
    PAD("height", height, NOT_NEGATIVE, .initial = "0.012", .unit = "length",
        .about = "of the beam's neutral line above the friction face: the lever arm of friction"),
    PAD("modulus", modulus, POSITIVE, .initial = "2e11", .unit = "force/length^2", .about = "E of the back plate"),
    PAD("density", density, POSITIVE, .initial = "9000", .unit = "mass/length^3",
        .about = "of the beam, lining included"),
    PAD("damping_ratio", damping_ratio, NOT_NEGATIVE, .initial = "0.005", .about = "of every mode"),
    PAD("caliper_stiffness", caliper_stiffness, NOT_NEGATIVE, .initial = "5e7", .unit = "force/length",
        .about = "of the foundation behind the pad"),
    PAD("abutment_stiffness", abutment_stiffness, POSITIVE, .initial = "2e8", .unit = "force/length",
        .about = "that holds the pad along the sliding"),
    AM_FIELD("modes", COUNT, am_pad, modes, .initial = "10",
             .about = "how many of each pad: sliding, lift, tilt, then bending"),
};

static const am_field lining_fields[] = {
    AM_FIELD("contacts", COUNT, lining_setting, contacts, .initial = "9",
             .about = "contact springs spread over each pad"),
    AM_FIELD("stiffness", NUMBER, lining_setting, stiffness, POSITIVE, .initial = "3e8", .unit = "force/length",
             .about = "of all springs of a pad together"),
    AM_FIELD("damping", NUMBER, lining_setting, damping, NOT_NEGATIVE, .initial = "100", .unit = "force x time/length",
             .about = "of all springs of a pad together"),
};

static const am_schema disc_schema = {.name = "disc",
                                      .title = "disc",
                                      .about = "An annular plate, clamped inside and free outside.",
                                      .size = sizeof(am_disc),
                                      .defaults = disc_defaults,
                                      AM_FIELDS(disc_fields)};

static const am_schema pad_schema = {.name = "pad",
                                     .title = "pad",
                                     .about = "A free beam on the foundation of the caliper.",
                                     .size = sizeof(am_pad),
                                     .defaults = pad_defaults,
                                     AM_FIELDS(pad_fields)};

static const am_schema lining_schema = {.name = "lining",
                                        .title = "lining",
                                        .about = "Springs and dampers between pad and disc.",
                                        .size = sizeof(lining_setting),
                                        .defaults = lining_defaults,
                                        AM_FIELDS(lining_fields)};

static void set_defaults(void *record) {
    disc_pad_setting *setting = record;
    setting->model = am_disc_pad_default();
    lining_defaults(&setting->lining);
}

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    disc_pad_setting *setting = record;
    (void)reading;
    (void)node;
    setting->model.contacts = setting->lining.contacts;
    setting->model.lining_stiffness = setting->lining.stiffness;
    setting->model.lining_damping = setting->lining.damping;
    return AM_OK;
}

static const am_field fields[] = {
    AM_FIELD("mu", NUMBER, disc_pad_setting, model.mu, NOT_NEGATIVE, .initial = "0.4",
             .about = "coefficient of friction", .example = "0.4"),
    AM_FIELD("pads", COUNT, disc_pad_setting, model.pads, .initial = "2",
             .about = "one, or two on both sides of the disc"),
    AM_FIELD("velocity", NUMBER, disc_pad_setting, model.velocity, POSITIVE, .initial = "3", .unit = "length/time",
             .about = "of the disc under the pad"),
    AM_FIELD("force", NUMBER, disc_pad_setting, model.force, POSITIVE, .initial = "5000", .unit = "force",
             .about = "that presses each pad on"),
    AM_FIELD("radius", NUMBER, disc_pad_setting, model.radius, POSITIVE, .initial = "0.12", .unit = "length",
             .about = "at which the pad acts"),
    AM_FIELD("disc", RECORD, disc_pad_setting, model.disc, .inner = &disc_schema, .initial = "cast iron",
             .about = "the disc: outer_radius, inner_radius, thickness, ...", .example = "{modes: 20}"),
    AM_FIELD("pad", RECORD, disc_pad_setting, model.pad, .inner = &pad_schema, .initial = "a lining on a steel plate",
             .about = "the pad: length, width, thickness, ...", .example = "{modes: 10}"),
    AM_FIELD("lining", RECORD, disc_pad_setting, lining, .inner = &lining_schema, .initial = "9 springs a pad",
             .about = "contact springs between them: contacts, stiffness, damping"),
};

static const am_schema schema = {
    .name = "disc-pad",
    .title = "model disc-pad",
    .about = "A brake disc (modes of an annular plate) and two pads (modes of a beam), pressed together at several "
             "contact springs with friction: a small model of brake squeal. SI units by default.",
    .size = sizeof(disc_pad_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const disc_pad_setting *setting = settings;
    am_system *system = am_disc_pad_create(&setting->model, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_disc_pad = {.schema = &schema, .build = build, .analysis = "stability"};
