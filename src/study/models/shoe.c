#include "amontons/models.h"

#include "study/models.h"

static void set_defaults(void *record) {
    am_shoe *shoe = record;
    *shoe = am_shoe_default();
}

#define NUMBER(name_, member, ...) AM_FIELD(name_, NUMBER, am_shoe, member, __VA_ARGS__)
#define POSITIVE .range = AM_RANGE_POSITIVE
#define NOT_NEGATIVE .range = AM_RANGE_NOT_NEGATIVE

static const am_field fields[] = {
    NUMBER("h", h, NOT_NEGATIVE, .required = true, .about = "height of the shoe's centre above the contact",
           .example = "2.2"),
    NUMBER("mu", mu, NOT_NEGATIVE, .initial = "0.5", .about = "coefficient of friction", .example = "0.5"),
    NUMBER("k2", k2, POSITIVE, .initial = "0.5", .about = "stiffness in the direction Y", .example = "0.5"),
    NUMBER("c2", c2, NOT_NEGATIVE, .initial = "0.1", .about = "damping in the direction Y", .example = "0.05"),
    NUMBER("k1", k1, POSITIVE, .initial = "1", .about = "torsional stiffness"),
    NUMBER("c1", c1, NOT_NEGATIVE, .initial = "0.1", .about = "torsional damping"),
    NUMBER("c0", c0, NOT_NEGATIVE, .initial = "0.1", .about = "damping in the direction X"),
    NUMBER("r", r, POSITIVE, .initial = "1", .about = "radius of gyration"),
    NUMBER("l", l, POSITIVE, .initial = "1", .about = "lever arm of the normal force"),
    NUMBER("l_p", l_p, .initial = "1", .about = "lever arm of the preload"),
    NUMBER("P", P, POSITIVE, .initial = "1", .about = "preload"),
    NUMBER("K_c", K_c, POSITIVE, .initial = "1000", .about = "contact stiffness"),
    NUMBER("xi_c", xi_c, NOT_NEGATIVE, .initial = "1e-5",
           .about = "contact damping: N = K_c d^beta (1 + xi_c d'), xi_c = 1.5 alpha x0 omega0"),
    NUMBER("beta", beta, POSITIVE, .initial = "1", .about = "exponent of the contact's force, at least 1"),
    NUMBER("v_s", v_s, POSITIVE, .initial = "10", .about = "velocity of the surface"),
    NUMBER("eps_c", epsilon, NOT_NEGATIVE, .initial = "0, Coulomb's law itself",
           .about = "analysis march: friction is proportional to sliding velocities below this, eq. (42)"),
};

static const am_schema schema = {
    .name = "shoe",
    .title = "model shoe",
    .about = "A brake shoe with tangential, normal and torsional springs, pressed on a moving surface by a compliant "
             "contact (Chatterjee 2006, section 4). Coordinates X, Y, theta, dimensionless.",
    .size = sizeof(am_shoe),
    .defaults = set_defaults,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    am_system *system = am_shoe_create(settings, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

const am_model_kind am_model_shoe = {.schema = &schema, .build = build, .analysis = "stability"};
