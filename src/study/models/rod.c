#include "amontons/models.h"
#include "study/models.h"

typedef struct rod_setting {
    am_rod rod;
    am_rod_physical physical;
    bool is_physical;
    double time_unit, length_unit;
} rod_setting;

static void physical_defaults(void *record) {
    am_rod_physical *physical = record;
    *physical = am_rod_physical_default();
}

#define PHYSICAL(name_, member, ...)                                                                                   \
    AM_FIELD(name_, NUMBER, am_rod_physical, member, .range = AM_RANGE_POSITIVE, __VA_ARGS__)

static const am_field physical_fields[] = {
    PHYSICAL("density", density, .required = true, .unit = "mass/length^3", .about = "rho", .example = "7850"),
    PHYSICAL("modulus", modulus, .required = true, .unit = "force/length^2", .about = "modulus of elasticity E",
             .example = "2.1e11"),
    PHYSICAL("length", length, .required = true, .unit = "length", .about = "of the whole rod, L_s", .example = "1"),
    PHYSICAL("friction", friction, .required = true, .about = "kinetic coefficient of friction mu", .example = "0.3"),
    PHYSICAL("epsilon", epsilon, .required = true, .about = "static friction is (1 + epsilon) times kinetic",
             .example = "0.1"),
    PHYSICAL("velocity", velocity, .required = true, .unit = "length/time", .about = "of the dragged end, v",
             .example = "0.001"),
    PHYSICAL("gravity", gravity, .initial = "9.81", .unit = "length/time^2", .about = "g"),
};

static const am_schema physical_schema = {
    .name = "physical",
    .title = "physical",
    .about = "A rod in physical units. Results stay in the rod's own units of time, L sqrt(rho/E) with the length L of "
             "one element, and of length, v L sqrt(rho/E): the summary has both.",
    .size = sizeof(am_rod_physical),
    .defaults = physical_defaults,
    AM_FIELDS(physical_fields)};

static void set_defaults(void *record) {
    rod_setting *setting = record;
    setting->rod = am_rod_default();
}

static const am_field fields[] = {
    AM_FIELD("elements", COUNT, rod_setting, rod.elements, .initial = "2",
             .about = "number of finite elements n; nodes 1 to n rub on the ground", .example = "2"),
    AM_FIELD("alpha", NUMBER, rod_setting, rod.alpha, .range = AM_RANGE_POSITIVE, .initial = "from `physical`",
             .about = "excess of static over kinetic friction, eq. (30)", .example = "0.5"),
    AM_FIELD("beta", NUMBER, rod_setting, rod.beta, .range = AM_RANGE_POSITIVE, .initial = "5",
             .about = "kinetic friction; matters only where a node slides backwards"),
    AM_FIELD("physical", RECORD, rod_setting, physical, .inner = &physical_schema, .initial = "none",
             .about = "density, modulus, ..., instead of alpha and beta"),
};

static am_status finish(am_reading *reading, const am_node *node, void *record) {
    rod_setting *setting = record;
    const am_node *physical = am_node_get(node, "physical"), *alpha = am_node_get(node, "alpha");
    const am_node *beta = am_node_get(node, "beta");
    if (!physical && !alpha)
        return am_node_fail(node, reading->err, AM_ERR_INPUT,
                            "model rod needs the key 'alpha', or 'physical' with density, modulus, ...");
    if (!physical)
        return AM_OK;
    if (alpha || beta)
        return am_node_fail(alpha ? alpha : beta, reading->err, AM_ERR_INPUT,
                            "%s and physical cannot both be given: it follows from the physical data",
                            alpha ? "alpha" : "beta");
    setting->is_physical = true;
    setting->physical.elements = setting->rod.elements;
    am_status status = am_rod_from_physical(&setting->physical, &setting->rod, &setting->time_unit,
                                            &setting->length_unit, reading->err);
    if (status != AM_OK)
        am_node_locate(am_node_get(node, reading->err->field) ? node : physical, reading->err);
    return status;
}

static const am_schema schema = {
    .name = "rod",
    .title = "model rod",
    .about =
        "An elastic rod dragged over a rough plane (Vielsack and Kirillowa 1997), n elements with consistent mass. "
        "Coordinates xi1..xin relative to steady sliding; the ground moves with velocity -1, so a node sticks at "
        "rate -1.",
    .size = sizeof(rod_setting),
    .defaults = set_defaults,
    .finish = finish,
    .has_kind = true,
    AM_FIELDS(fields)};

static am_system *build(am_reading *reading, const am_node *node, const void *settings) {
    const rod_setting *setting = settings;
    am_system *system = am_rod_create(&setting->rod, reading->err);
    if (!system)
        am_node_locate(node, reading->err);
    return system;
}

static am_status report(const void *settings, am_result *result, am_error *err) {
    const rod_setting *setting = settings;
    if (!setting->is_physical)
        return AM_OK;
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"alpha", setting->rod.alpha},
                   {"beta", setting->rod.beta},
                   {"time_unit", setting->time_unit},
                   {"length_unit", setting->length_unit}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        am_result_set_number(result, numbers[i].name, numbers[i].value, err);
    return am_result_status(result, err);
}

const am_model_kind am_model_rod = {.schema = &schema,
                                    .build = build,
                                    .figure = "{x: xi1, y: v1, x_label: xi_1, y_label: xi_1'}",
                                    .report = report,
                                    .reads_summary = true};
